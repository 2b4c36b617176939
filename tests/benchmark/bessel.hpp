// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tessera/bessel/batch.hpp"
#include "tessera/bessel/matern.hpp"
#include "tessera/bessel/matern_matrix.hpp"
#include "tests/benchmark/bessel_peer.hpp"
#include "tests/benchmark/cases.hpp"
#include "tests/benchmark/timer.hpp"

/// Bessel functions and Matern covariances.
///
///   bessel/matern_matrix/ORDER/WHAT      entries of a covariance matrix from the coordinates of N
///                                        points of a jittered grid in the unit square, nu = 0.426,
///                                        range 0.1; N = 32768 on GPUs, 2048 on CPUs. ORDER of the
///                                        points: along a Morton curve, or shuffled; WHAT: the
///                                        whole matrix, or its lower triangle (N (N + 1) / 2
///                                        entries counted)
///   bessel/write                         the same matrix only written: the ceiling
///   bessel/matern                        M_nu(h) at random distances in [0.001, 20]
///   bessel/matern_table                  building the table of one nu
///   bessel/k/WHAT                        e^x K_nu(x), alone or with d log K / dnu, at random nu in
///                                        [0, 20], x in [0.1, 140]: 1e8 on GPUs
///   bessel/i/WHAT                        e^-x I_nu(x), alone or with d log I / dx, at the same;
///                                        log_large: log I_nu(x), nu and x in [1e5, 2e5]
///
/// Counters: entries/s or eval/s; of_write: as a fraction of the ceiling measured in the same case;
/// x_gsl, x_boost: as a multiple of the peer's rate on one core in the same case (Serial only).

namespace tessera::bench {

template <class ExecSpace>
using BesselView = Kokkos::View<double*, ExecSpace>;
template <class ExecSpace>
using BesselMatrix = Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>;

template <class ExecSpace>
inline constexpr int kBesselRepeats = compat::is_gpu_v<ExecSpace> ? 5 : 20;

/// Best of several trials, in operations a second.
template <class ExecSpace, class Work>
double bessel_rate(const ExecSpace& exec, double count, const Work& work) {
  double best = 0;
  for (int trial = 0; trial < 5; ++trial) {
    const double time = seconds(exec, [&] {
      for (int r = 0; r < kBesselRepeats<ExecSpace>; ++r) work();
    });
    best = std::max(best, kBesselRepeats<ExecSpace> * count / time);
  }
  return best;
}

template <class ExecSpace, class Work>
void time_bessel(benchmark::State& state, const ExecSpace& exec, const char* unit, double count,
                 const Work& work) {
  work();
  for (auto _ : state) {
    state.SetIterationTime(seconds(exec, [&] {
      for (int r = 0; r < kBesselRepeats<ExecSpace>; ++r) work();
    }));
  }
  state.counters[unit] = benchmark::Counter(kBesselRepeats<ExecSpace> * count,
                                            benchmark::Counter::kIsIterationInvariantRate);
}

inline std::uint32_t interleave(std::uint32_t x) {
  x = (x | (x << 8)) & 0x00FF00FF;
  x = (x | (x << 4)) & 0x0F0F0F0F;
  x = (x | (x << 2)) & 0x33333333;
  return (x | (x << 1)) & 0x55555555;
}

/// A grid of twice as many columns as rows in the unit square, moved by up to 0.4 of a cell.
template <class ExecSpace>
Kokkos::View<double**, ExecSpace> jittered_grid(int rows, bool shuffled) {
  const int columns = 2 * rows, count = rows * columns;
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  const auto key = [columns](int cell) {
    return interleave(cell % columns) | (interleave(cell / columns) << 1);
  };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  std::mt19937_64 random(11);
  if (shuffled) std::shuffle(order.begin(), order.end(), random);
  std::uniform_real_distribution<double> move(-0.4, 0.4);
  const Kokkos::View<double**, ExecSpace> points("tessera::bench::bessel_points", count, 2);
  const auto host = Kokkos::create_mirror_view(points);
  for (int i = 0; i < count; ++i) {
    host(i, 0) = (order[i] % columns + 0.5 + move(random)) / columns;
    host(i, 1) = (order[i] / columns + 0.5 + move(random)) / rows;
  }
  Kokkos::deep_copy(points, host);
  return points;
}

/// The two entries that one thread writes: 16 bytes, with one instruction, so that the entries of a
/// warp fill whole lines together.
struct alignas(16) TwoEntries {
  double a, b;
};

template <class ExecSpace>
struct WriteMatrix {
  TwoEntries* C;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { C[i] = TwoEntries{1, 2}; }
};

template <class ExecSpace>
void launch_write(const ExecSpace& exec, const BesselMatrix<ExecSpace>& C) {
  Kokkos::parallel_for(
      "tessera::bench::write",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, C.size() / 2),
      WriteMatrix<ExecSpace>{reinterpret_cast<TwoEntries*>(C.data())});
}

template <class ExecSpace>
inline constexpr int kGridRows = compat::is_gpu_v<ExecSpace> ? 128 : 32;

template <class ExecSpace>
void matern_matrix_rate(benchmark::State& state, bool shuffled, bessel::Triangle triangle) {
  const ExecSpace exec;
  const auto points = jittered_grid<ExecSpace>(kGridRows<ExecSpace>, shuffled);
  const auto N = static_cast<double>(points.extent(0));
  const BesselMatrix<ExecSpace> C(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "C"),
                                  points.extent(0), points.extent(0));
  const bessel::MaternTable<ExecSpace> table(0.426);
  const auto work = [&] { bessel::matern_matrix(exec, table, 1.0, 0.1, points, C, triangle); };
  const double entries = triangle == bessel::Triangle::both ? N * N : N * (N + 1) / 2;
  state.counters["of_write"] =
      bessel_rate(exec, entries, work) / bessel_rate(exec, N * N, [&] { launch_write(exec, C); });
  time_bessel(state, exec, "entries/s", entries, work);
}

template <class ExecSpace>
void matern_write_rate(benchmark::State& state) {
  const ExecSpace exec;
  const std::int64_t N = 2 * kGridRows<ExecSpace> * kGridRows<ExecSpace>;
  const BesselMatrix<ExecSpace> C(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "C"), N, N);
  time_bessel(state, exec, "entries/s", static_cast<double>(N) * static_cast<double>(N),
              [&] { launch_write(exec, C); });
}

template <class ExecSpace>
BesselView<ExecSpace> uniform_numbers(std::int64_t count, double low, double high, int seed) {
  const BesselView<ExecSpace> values("tessera::bench::bessel_values", count);
  const auto host = Kokkos::create_mirror_view(values);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  for (std::int64_t i = 0; i < count; ++i) host(i) = uniform(random);
  Kokkos::deep_copy(values, host);
  return values;
}

template <class ExecSpace>
inline constexpr std::int64_t kBesselArguments = compat::is_gpu_v<ExecSpace> ? 100'000'000 : 4096;

/// The peers on the same arguments, on one core.
template <class ExecSpace>
void compare_with_peers([[maybe_unused]] benchmark::State& state,
                        [[maybe_unused]] const BesselView<ExecSpace>& nu,
                        [[maybe_unused]] const BesselView<ExecSpace>& x,
                        [[maybe_unused]] double rate) {
#ifdef KOKKOS_ENABLE_SERIAL
  if constexpr (std::is_same_v<ExecSpace, Kokkos::Serial>) {
    [[maybe_unused]] const auto count = static_cast<std::int64_t>(x.extent(0));
    [[maybe_unused]] std::vector<double> k(x.extent(0));
#ifdef TESSERA_HAVE_GSL
    state.counters["x_gsl"] = rate / bessel_rate(ExecSpace(), static_cast<double>(count), [&] {
                                bessel_gsl(nu.data(), x.data(), k.data(), count);
                              });
#endif
#ifdef TESSERA_HAVE_BOOST_MATH
    state.counters["x_boost"] = rate / bessel_rate(ExecSpace(), static_cast<double>(count), [&] {
                                  bessel_boost(nu.data(), x.data(), k.data(), count);
                                });
#endif
  }
#endif
}

template <class ExecSpace>
void matern_rate(benchmark::State& state) {
  const ExecSpace exec;
  const auto h = uniform_numbers<ExecSpace>(kBesselArguments<ExecSpace>, 0.001, 20, 3);
  const BesselView<ExecSpace> m("tessera::bench::bessel_m", h.extent(0));
  const bessel::MaternTable<ExecSpace> table(0.426);
  const auto count = static_cast<double>(h.extent(0));
  const auto work = [&] { bessel::matern(exec, table, h, m); };
  const auto nu = uniform_numbers<ExecSpace>(h.extent(0), 0.426, 0.426, 1);
  compare_with_peers<ExecSpace>(state, nu, h, bessel_rate(exec, count, work));
  time_bessel(state, exec, "eval/s", count, work);
}

template <class ExecSpace>
void matern_table_rate(benchmark::State& state) {
  for (auto _ : state) {
    state.SetIterationTime(seconds(
        ExecSpace(), [&] { benchmark::DoNotOptimize(bessel::MaternTable<ExecSpace>(0.426)); }));
  }
}

template <class ExecSpace>
void bessel_k_rate(benchmark::State& state, bool with_order) {
  const ExecSpace exec;
  const auto nu = uniform_numbers<ExecSpace>(kBesselArguments<ExecSpace>, 0, 20, 1),
             x = uniform_numbers<ExecSpace>(kBesselArguments<ExecSpace>, 0.1, 140, 2);
  const auto count = static_cast<double>(x.extent(0));
  bessel::BesselResults<BesselView<ExecSpace>> results;
  results.k_scaled = BesselView<ExecSpace>("tessera::bench::bessel_k", x.extent(0));
  if (with_order)
    results.dlog_k_dnu = BesselView<ExecSpace>("tessera::bench::bessel_dnu", x.extent(0));
  const auto work = [&] { bessel::bessel_k(exec, nu, x, results); };
  compare_with_peers<ExecSpace>(state, nu, x, bessel_rate(exec, count, work));
  time_bessel(state, exec, "eval/s", count, work);
}

enum class WhatOfI { value, value_dx, log };

template <class ExecSpace>
void bessel_i_rate(benchmark::State& state, WhatOfI what) {
  const ExecSpace exec;
  const bool large = what == WhatOfI::log;
  const double low = large ? 1e5 : 0, high = large ? 2e5 : 20;
  const auto nu = uniform_numbers<ExecSpace>(kBesselArguments<ExecSpace>, low, high, 1),
             x = uniform_numbers<ExecSpace>(kBesselArguments<ExecSpace>, large ? low : 0.1,
                                            large ? high : 140, 2);
  const BesselView<ExecSpace> values("tessera::bench::bessel_i", x.extent(0));
  bessel::BesselIResults<BesselView<ExecSpace>> results;
  (large ? results.log_i : results.i_scaled) = values;
  if (what == WhatOfI::value_dx)
    results.dlog_i_dx = BesselView<ExecSpace>("tessera::bench::bessel_i_dx", x.extent(0));
  time_bessel(state, exec, "eval/s", static_cast<double>(x.extent(0)),
              [&] { bessel::bessel_i(exec, nu, x, results); });
}

template <class ExecSpace>
void register_bessel(const std::string& backend) {
  const auto add = [&](const std::string& name, auto function) {
    benchmark::RegisterBenchmark(("bessel/" + name + "/" + backend).c_str(), function)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  };
  using bessel::Triangle;
  for (const bool shuffled : {false, true}) {
    const std::string name = std::string("matern_matrix/") + (shuffled ? "shuffled" : "morton");
    add(name + "/both", [shuffled](benchmark::State& state) {
      matern_matrix_rate<ExecSpace>(state, shuffled, Triangle::both);
    });
    add(name + "/lower", [shuffled](benchmark::State& state) {
      matern_matrix_rate<ExecSpace>(state, shuffled, Triangle::lower);
    });
  }
  add("write", matern_write_rate<ExecSpace>);
  add("matern", matern_rate<ExecSpace>);
  add("matern_table", matern_table_rate<ExecSpace>);
  add("k/value", [](benchmark::State& state) { bessel_k_rate<ExecSpace>(state, false); });
  add("k/value_dnu", [](benchmark::State& state) { bessel_k_rate<ExecSpace>(state, true); });
  add("i/value", [](benchmark::State& state) { bessel_i_rate<ExecSpace>(state, WhatOfI::value); });
  add("i/value_dx",
      [](benchmark::State& state) { bessel_i_rate<ExecSpace>(state, WhatOfI::value_dx); });
  add("i/log_large",
      [](benchmark::State& state) { bessel_i_rate<ExecSpace>(state, WhatOfI::log); });
}

}  // namespace tessera::bench
