// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/linalg/local_factor.hpp"
#include "tessera/core/linalg/shared_factor.hpp"
#include "tests/benchmark/cases.hpp"
#include "tests/benchmark/cholesky_peer.hpp"
#include "tests/benchmark/test_covariance.hpp"
#include "tests/benchmark/timer.hpp"

/// A Cholesky factorisation that ranks share, without the time that the matrix takes, and on CPUs
/// ScaLAPACK's beside it: mpirun -n 2 tessera-bench --benchmark_filter=^ranks/cholesky/.

namespace tessera::bench {

/// A panel of the matrix.
struct FillTestCovariance {
  linalg::Block panel;
  std::int64_t first;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t i = k % panel.rows, j = k / panel.rows;
    panel.data[i + j * panel.stride] = test_covariance(first + i, first + j);
  }
};

inline void count_factorisation(benchmark::State& state) {
  const auto n = static_cast<double>(state.range(0));
  state.counters["ranks"] = ranks().size();
  state.counters["flop/s"] =
      benchmark::Counter(n * n * n / 3, benchmark::Counter::kIsIterationInvariantRate);
}

template <class ExecSpace>
void run_shared_cholesky(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const ExecSpace exec;
  linalg::SharedFactor<ExecSpace> factor(exec, n, ranks());
  double filling = 0;
  const auto fill = [&](std::int64_t first, const linalg::Block& panel) {
    const Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>> numbers(
        exec, 0, panel.rows * panel.columns);
    filling += seconds(exec, [&] {
      Kokkos::parallel_for("tessera::bench::fill", numbers, FillTestCovariance{panel, first});
    });
  };
  const auto factorise = [&] {
    if (factor.factor(fill) != 0) state.SkipWithError("not positive definite");
    ranks().barrier();
  };
  factorise();
  for (auto _ : state) {
    filling = 0;
    const double whole = seconds(exec, factorise);
    state.SetIterationTime(whole - filling);
  }
  count_factorisation(state);
#ifdef TESSERA_HAVE_SCALAPACK
  if (!compat::is_gpu_v<ExecSpace> && ranks().size() > 1) {
    double log_determinant = 0;
    for (const double pivot : factor.diagonal()) log_determinant += 2 * std::log(pivot);
    const double theirs = cholesky_scalapack(n, 128).log_determinant;
    state.counters["difference"] = std::abs(log_determinant - theirs) / std::abs(theirs);
  }
#endif
}

#ifdef TESSERA_HAVE_SCALAPACK
/// Measures ScaLAPACK, which needs a launcher.
inline void run_scalapack_cholesky(benchmark::State& state) {
  cholesky_scalapack(state.range(0), static_cast<int>(state.range(1)));
  for (auto _ : state)
    state.SetIterationTime(
        cholesky_scalapack(state.range(0), static_cast<int>(state.range(1))).seconds);
  count_factorisation(state);
}
#endif

template <class ExecSpace>
void register_shared_cholesky(const std::string& backend) {
  const auto orders = compat::is_gpu_v<ExecSpace> ? std::vector<std::int64_t>{32768, 98304}
                                                  : std::vector<std::int64_t>{2000, 4000, 8000};
  for (const std::int64_t n : orders) {
    benchmark::RegisterBenchmark(
        ("ranks/cholesky/" + backend).c_str(),
        [](benchmark::State& state) { run_shared_cholesky<ExecSpace>(state); })
        ->Arg(n)
        ->Iterations(3)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
#ifdef TESSERA_HAVE_SCALAPACK
    if (backend != "serial" || ranks().size() == 1) continue;
    for (const std::int64_t block : {64, 128}) {
      benchmark::RegisterBenchmark("ranks/cholesky/scalapack", run_scalapack_cholesky)
          ->Args({n, block})
          ->Iterations(3)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
#endif
  }
}

}  // namespace tessera::bench
