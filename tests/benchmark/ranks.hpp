// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tests/benchmark/cases.hpp"
#include "tests/benchmark/ranks_gbees.hpp"
#include "tests/benchmark/ranks_gp.hpp"
#include "tests/benchmark/ranks_messages.hpp"
#include "tests/benchmark/ranks_mpr.hpp"
#include "tests/benchmark/ranks_stable.hpp"
#include "tests/benchmark/shared_cholesky.hpp"

/// Cases of several ranks together: mpirun -n 4 tessera-bench --benchmark_filter=^ranks/
/// (team.hpp).

namespace tessera::bench {

template <class ExecSpace>
void register_ranks(const std::string& backend) {
  register_ranks_messages<ExecSpace>(backend);
  register_ranks_gp<ExecSpace>(backend);
  register_ranks_gbees<ExecSpace>(backend);
  register_ranks_mpr<ExecSpace>(backend);
  register_ranks_stable<ExecSpace>(backend);
  register_shared_cholesky<ExecSpace>(backend);
}

}  // namespace tessera::bench
