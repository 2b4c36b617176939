// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The parts that all systems of Tessera share: errors, backends, memory, expressions, files, dense
/// matrices, ranks, and programs.

#include "tessera/core/app/kokkos_guard.hpp"
#include "tessera/core/app/model.hpp"
#include "tessera/core/app/run_app.hpp"
#include "tessera/core/config/section.hpp"
#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/backend.hpp"
#include "tessera/core/device/on_backend.hpp"
#include "tessera/core/device/unordered_map.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/expression/parse.hpp"
#include "tessera/core/expression/program.hpp"
#include "tessera/core/io/group.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/linalg/dense.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/core/random.hpp"
#include "tessera/core/version.hpp"
