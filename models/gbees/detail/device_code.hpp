// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/expression/program.hpp"

namespace tessera::gbees::detail {

/// A copy of host values in the memory of an execution space.
template <class ExecSpace, class T>
Kokkos::View<T*, typename ExecSpace::memory_space> to_device(const std::vector<T>& values, const std::string& label) {
  const ExecSpace exec;
  const auto copy = allocate<Kokkos::View<T*, typename ExecSpace::memory_space>>(exec, label, values.size());
  copy_from_host(exec, copy.data(), values.data(), values.size());
  return copy;
}

template <class ExecSpace>
using DeviceCode = Kokkos::View<expression::Instruction*, typename ExecSpace::memory_space>;

}  // namespace tessera::gbees::detail
