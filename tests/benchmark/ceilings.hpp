// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tests/benchmark/cases.hpp"
#include "tests/benchmark/timer.hpp"

/// Cases of the best that the machine can do: copy bandwidth, fused multiply-adds, kernel launches.
/// The other cases are read against these.

namespace tessera::bench {

/// 32 bytes: what one thread moves at a time.
struct alignas(32) Quad {
  double a, b, c, d;
};

template <class ExecSpace>
struct Copy {
  Kokkos::View<const Quad*, ExecSpace> from;
  Kokkos::View<Quad*, ExecSpace> to;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const { to(i) = from(i); }
};

/// Bytes read plus bytes written a second.
template <class ExecSpace>
void copy_bandwidth(benchmark::State& state) {
  const ExecSpace exec;
  const std::int64_t n =
      compat::is_gpu_v<ExecSpace> ? std::int64_t(1) << 26 : std::int64_t(1) << 22;
  const Kokkos::View<Quad*, ExecSpace> from("from", n), to("to", n);
  const Copy<ExecSpace> copy{from, to};
  for (auto _ : state) {
    state.SetIterationTime(seconds(exec, [&] {
      Kokkos::parallel_for(
          "tessera::bench::copy",
          Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n), copy);
    }));
  }
  state.counters["bytes/s"] = benchmark::Counter(2.0 * sizeof(Quad) * static_cast<double>(n),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

template <class ExecSpace>
struct MultiplyAdd {
  static constexpr int kChains = 16, kLength = 256;
  Kokkos::View<double*, ExecSpace> out;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    double x[kChains];
    for (int j = 0; j < kChains; ++j) x[j] = 1e-3 * static_cast<double>(i + j);
    for (int k = 0; k < kLength; ++k) {
      TESSERA_UNROLL
      for (int j = 0; j < kChains; ++j) x[j] = compat::fma(x[j], 0.999, 1e-3);
    }
    double sum = 0;
    for (int j = 0; j < kChains; ++j) sum += x[j];
    out(i) = sum;
  }
};

/// Double-precision floating-point operations a second, two for each fused multiply-add.
template <class ExecSpace>
void multiply_add_rate(benchmark::State& state) {
  const ExecSpace exec;
  const std::int64_t n =
      compat::is_gpu_v<ExecSpace> ? std::int64_t(1) << 22 : std::int64_t(1) << 14;
  using Kernel = MultiplyAdd<ExecSpace>;
  const Kernel kernel{Kokkos::View<double*, ExecSpace>("out", n)};
  for (auto _ : state) {
    state.SetIterationTime(seconds(exec, [&] {
      Kokkos::parallel_for(
          "tessera::bench::multiply_add",
          Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n), kernel);
    }));
  }
  state.counters["flop/s"] =
      benchmark::Counter(2.0 * Kernel::kChains * Kernel::kLength * static_cast<double>(n),
                         benchmark::Counter::kIsIterationInvariantRate);
}

struct Nothing {
  KOKKOS_INLINE_FUNCTION void operator()(int) const {}
};

/// Time of one kernel among `range(0)` launched back to back and waited for once.
template <class ExecSpace>
void launch_latency(benchmark::State& state) {
  const ExecSpace exec;
  const int launches = static_cast<int>(state.range(0));
  for (auto _ : state) {
    state.SetIterationTime(seconds(exec, [&] {
      for (int i = 0; i < launches; ++i)
        Kokkos::parallel_for("tessera::bench::nothing", Kokkos::RangePolicy<ExecSpace>(exec, 0, 32),
                             Nothing{});
    }));
  }
  state.counters["s/launch"] = benchmark::Counter(
      launches, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class ExecSpace>
void register_ceilings(const std::string& backend) {
  benchmark::RegisterBenchmark(("ceiling/copy/" + backend).c_str(), copy_bandwidth<ExecSpace>)
      ->UseManualTime();
  benchmark::RegisterBenchmark(("ceiling/fma/" + backend).c_str(), multiply_add_rate<ExecSpace>)
      ->UseManualTime();
  benchmark::RegisterBenchmark(("ceiling/launch/" + backend).c_str(), launch_latency<ExecSpace>)
      ->Arg(1)
      ->Arg(100)
      ->UseManualTime();
}

}  // namespace tessera::bench
