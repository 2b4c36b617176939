// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

#include "tessera/core/device/backend.hpp"

/// The calls that Python's module makes: functions of pointers and numbers over the batched calls
/// and models of this project. No header of this folder includes Kokkos or Python, so that nvcc
/// compiles the sources here and the host's compiler the binding.
namespace tessera::python {

/// The backend of this name; empty: the one chosen last by use_backend, "auto" to begin with.
/// Starts Kokkos where it does not run yet, which import and backends() do not. Throws Error
/// (input) for one that is missing, and Error (resource) where Kokkos cannot start, or was started
/// before this process was forked from another: threads and GPUs do not survive that.
Backend start(const char* name);

/// Chooses the backend of calls that name none. Throws Error (input). Kokkos need not run.
void use_backend(const char* name);
const char* used_backend();

/// Returns the backend that computes n cheap elements: threads take longer to meet than one of them
/// takes for a block, so that Serial computes what fits in one block for OpenMP, to the same bits.
Backend backend_for(Backend backend, std::size_t n);

/// Registers what holds memory of Kokkos, and is to let go of it before Kokkos ends.
void at_finish(const std::function<void()>& release);

/// Ends Kokkos, if this process has started it. To be called once, when the interpreter ends.
void finish();

}  // namespace tessera::python
