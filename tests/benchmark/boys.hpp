// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/boys/batch.hpp"
#include "tessera/boys/pack.hpp"
#include "tessera/boys/paper.hpp"
#include "tessera/boys/tables.hpp"
#include "tessera/boys/warp.hpp"
#include "tests/benchmark/boys_peer.hpp"
#include "tests/benchmark/cases.hpp"
#include "tests/benchmark/timer.hpp"

/// Boys functions: ours beside the paper's scheme and tables, on arguments log-uniform in [1e-3,
/// 100] in random order. One evaluation is all of F_0..F_N of an argument.
///
///   boys/stored/SCHEME/PRECISION/N   results in one array per order
///   boys/fused/SCHEME/PRECISION/N    results summed in registers: what a kernel sees that makes
///                                    and consumes them in one place
///   boys/fused/arranged              ours with the arguments of a warp arranged by range first
///                                    (CUDA)
///   boys/rows, boys/top_order, boys/binned    the other batched calls
///
/// SCHEME is two_range (ours), paper, all_orders_table, top_order_table, or traffic: the same
/// memory traffic without arithmetic, the ceiling of `stored`. Counters: eval/s; bytes/s;
/// of_traffic, the rate as a fraction of that of the traffic measured in the same case; x_libint2,
/// as a multiple of libint2's rate on the same core in the same case (Serial only).

namespace tessera::bench {

/// The number of arguments: on GPUs 1e8; on CPUs as many as stay in the caches, as batches of an
/// integral code do.
template <class ExecSpace>
inline constexpr std::int64_t kBoysArguments = compat::is_gpu_v<ExecSpace> ? 100'000'000 : 4096;

/// Columns that are a multiple of 32 numbers and no power of two apart.
inline constexpr std::int64_t padded(std::int64_t count) {
  const std::int64_t whole = (count + 31) / 32 * 32;
  return (whole & (whole - 1)) == 0 ? whole + 32 : whole;
}

/// x(i) log-uniform in [1e-3, 100], from the bits of i.
template <class ExecSpace, class Real>
struct FillArguments {
  Kokkos::View<Real*, ExecSpace> x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::uint64_t bits = static_cast<std::uint64_t>(i + 1) * 0x9e3779b97f4a7c15;  // splitmix64
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    const double unit = static_cast<double>((bits ^ (bits >> 31)) >> 11) * 0x1p-53;
    x(i) = static_cast<Real>(compat::math::pow(10.0, 5 * unit - 3));
  }
};

template <class ExecSpace, class Real>
Kokkos::View<Real*, ExecSpace> boys_arguments(std::int64_t count) {
  const Kokkos::View<Real*, ExecSpace> x("tessera::bench::x", count);
  Kokkos::parallel_for("tessera::bench::boys_arguments",
                       Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(0, count),
                       FillArguments<ExecSpace, Real>{x});
  return x;
}

// --- schemes: each<N>(x, sink)
// -------------------------------------------------------------------------------------------------

struct OurScheme {
  static constexpr const char* name = "two_range";
  template <int N, class Real, class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void each(Real x, const Sink& sink) const {
    boys::boys_each<N>(x, sink);
  }
};

struct PaperScheme {
  static constexpr const char* name = "paper";
  template <int N, class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void each(double x, const Sink& sink) const {
    boys::boys_paper_each<N>(x, sink);
  }
};

template <class ExecSpace>
struct AllOrdersTableScheme {
  static constexpr const char* name = "all_orders_table";
  Kokkos::View<double*, ExecSpace> table;
  static std::vector<double> make(int N) { return boys::make_all_orders_table(N); }
  template <int N, class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void each(double x, const Sink& sink) const {
    boys::boys_all_orders_table_each<N>(table.data(), x, sink);
  }
};

template <class ExecSpace>
struct TopOrderTableScheme {
  static constexpr const char* name = "top_order_table";
  Kokkos::View<double*, ExecSpace> table;
  static std::vector<double> make(int N) { return boys::make_top_order_table(N); }
  template <int N, class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void each(double x, const Sink& sink) const {
    boys::boys_top_order_table_each<N>(table.data(), x, sink);
  }
};

/// A scheme with hardly any arithmetic.
struct Traffic {
  static constexpr const char* name = "traffic";
  template <int N, class Real, class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void each(Real x, const Sink& sink) const {
    for (int n = 0; n <= N; ++n) sink(n, x);
  }
};

template <class Scheme>
Scheme make_scheme(int N) {
  if constexpr (requires(Scheme scheme) { scheme.table; }) {
    const std::vector<double> host = Scheme::make(N);
    Scheme scheme;
    scheme.table = decltype(scheme.table)("table", host.size());
    Kokkos::deep_copy(scheme.table,
                      Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          host.data(), host.size()));
    return scheme;
  } else {
    return {};
  }
}

// --- kernels
// -------------------------------------------------------------------------------------------------

template <class Real, int N, int W>
struct KeepOrders {
  Real (&F)[N + 1][W];
  int w;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int n, Real value) const { F[n][w] = value; }
};

/// One array per order, 16 bytes of arguments per thread, as in Tessera's own batch.
template <class ExecSpace, class Scheme, int N, class Real>
struct StoredKernel {
  static constexpr int W = 16 / sizeof(Real);
  using Pack = boys::Pack<Real, W>;
  Scheme scheme;
  Kokkos::View<Real*, ExecSpace> x;
  Kokkos::View<Real**, Kokkos::LayoutLeft, ExecSpace> F;

  KOKKOS_FUNCTION void operator()(std::int64_t pack) const {
    const Pack argument = *reinterpret_cast<const Pack*>(&x(pack * W));
    Real values[N + 1][W];
    for (int w = 0; w < W; ++w)
      scheme.template each<N>(argument.v[w], KeepOrders<Real, N, W>{values, w});
    const boys::detail::StorePack<Real, W, true> store{&F(pack * W, 0),
                                                       static_cast<std::int64_t>(F.stride(1)), N};
    for (int n = 0; n <= N; ++n) {
      Pack value;
      for (int w = 0; w < W; ++w) value.v[w] = values[n][w];
      store(n, value);
    }
  }
};

template <class Real>
struct AddOrders {
  Real& sum;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int, Real value) const { sum += value; }
};

template <class Real, int W>
struct AddPacks {
  Real (&sum)[W];
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int, const boys::Pack<Real, W>& value) const {
    for (int w = 0; w < W; ++w) sum[w] += value.v[w];
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int, int, Real value) const { sum[0] += value; }
};

/// The sum of all orders of several arguments per thread, neighbouring threads taking neighbouring
/// arguments.
template <class ExecSpace, class Scheme, int N, class Real>
struct FusedKernel {
  static constexpr int kPerThread = 16;
  Scheme scheme;
  Kokkos::View<Real*, ExecSpace> x, out;

  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    const auto threads = static_cast<std::int64_t>(out.extent(0));
    if constexpr (std::is_same_v<Scheme, OurScheme> && compat::is_gpu_v<ExecSpace>) {
      constexpr int W = 4;
      Real sum[W] = {};
      for (int k = 0; k < kPerThread; k += W) {
        boys::Pack<Real, W> argument;
        for (int w = 0; w < W; ++w) argument.v[w] = x(thread + (k + w) * threads);
        boys::boys_pack_each<N>(argument, AddPacks<Real, W>{sum});
      }
      out(thread) = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    } else {
      Real sum = 0;
      for (int k = 0; k < kPerThread; ++k)
        scheme.template each<N>(x(thread + k * threads), AddOrders<Real>{sum});
      out(thread) = sum;
    }
  }
};

/// The sum of all orders by our functions, with the arguments of a warp arranged by range first.
template <class ExecSpace, int N, class Real>
struct ArrangedKernel {
  static constexpr int kPerThread = 16, W = 2, kWarp = compat::kThreadsOfWarp<ExecSpace>,
                       kThreads = compat::is_gpu_v<ExecSpace> ? 128 : 1;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<kThreads, 1>>;
  using Team = typename Policy::member_type;
  Kokkos::View<Real*, ExecSpace> x, out;

  static constexpr int kNumbers = kThreads * kPerThread * static_cast<int>(sizeof(Real)),
                       kSources = kThreads * kPerThread * static_cast<int>(sizeof(std::uint16_t)),
                       kScratch = kNumbers + kSources + 64;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    // get_shmem takes references, and the constants have no address on the device.
    auto* const all_x = static_cast<Real*>(team.team_scratch(0).get_shmem(+kNumbers));
    auto* const sources = static_cast<std::uint16_t*>(team.team_scratch(0).get_shmem(+kSources));
    const int warp = team.team_rank() / kWarp, lane = team.team_rank() % kWarp,
              offset = warp * kWarp * kPerThread;
    const std::int64_t thread =
        static_cast<std::int64_t>(team.league_rank()) * kThreads + team.team_rank();
    const auto threads = static_cast<std::int64_t>(out.extent(0));
    Real mine[kPerThread];
    for (int k = 0; k < kPerThread; ++k) mine[k] = x(thread + k * threads);
    boys::boys_arrange_in_warp<N, kPerThread>(mine, all_x + offset, sources + offset);
    Real sum[W] = {};
    TESSERA_NO_UNROLL
    for (int k = 0; k < kPerThread; k += W) {
      boys::Pack<Real, W> argument;
      for (int w = 0; w < W; ++w) argument.v[w] = all_x[offset + kWarp * (k + w) + lane];
      boys::boys_pack_each<N>(argument, AddPacks<Real, W>{sum});
    }
    out(thread) = sum[0] + sum[1];
  }
};

// --- cases
// -------------------------------------------------------------------------------------------------

template <class ExecSpace>
using BoysRange = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

/// The rate of `work`, which makes `count` evaluations: the best of several trials.
template <class ExecSpace, class Work>
double best_rate(const ExecSpace& exec, std::int64_t count, int repeats, const Work& work) {
  double best = 0;
  for (int trial = 0; trial < 9; ++trial) {
    const double time = seconds(exec, [&] {
      for (int r = 0; r < repeats; ++r) work();
    });
    best = std::max(best, repeats * static_cast<double>(count) / time);
  }
  return best;
}

/// Times `work`, repeated so often that launches weigh nothing.
template <class ExecSpace, class Work>
void time_evaluations(benchmark::State& state, const ExecSpace& exec, std::int64_t count,
                      double bytes, const Work& work) {
  constexpr int repeats = compat::is_gpu_v<ExecSpace> ? 10 : 64;
  work();
  for (auto _ : state) {
    state.SetIterationTime(seconds(exec, [&] {
      for (int r = 0; r < repeats; ++r) work();
    }));
  }
  const double evaluations = repeats * static_cast<double>(count);
  using benchmark::Counter;
  state.counters["eval/s"] = Counter(evaluations, Counter::kIsIterationInvariantRate);
  state.counters["bytes/s"] = Counter(bytes * evaluations, Counter::kIsIterationInvariantRate);
}

template <class ExecSpace, class Scheme, int N, class Real>
void launch_stored(const ExecSpace& exec, const Scheme& scheme,
                   const Kokkos::View<Real*, ExecSpace>& x,
                   const Kokkos::View<Real**, Kokkos::LayoutLeft, ExecSpace>& F) {
  if constexpr (std::is_same_v<Scheme, OurScheme>) {
    boys::boys_batch(
        exec, N, x,
        Kokkos::subview(F, std::pair<std::int64_t, std::int64_t>(0, x.extent(0)), Kokkos::ALL));
  } else {
    using Kernel = StoredKernel<ExecSpace, Scheme, N, Real>;
    Kokkos::parallel_for("tessera::bench::boys_stored",
                         BoysRange<ExecSpace>(exec, 0, x.extent(0) / Kernel::W),
                         Kernel{scheme, x, F});
  }
}

template <class ExecSpace, class Scheme, int N, class Real>
void boys_stored(benchmark::State& state) {
  const ExecSpace exec;
  const std::int64_t count = kBoysArguments<ExecSpace>;
  const auto x = boys_arguments<ExecSpace, Real>(count);
  const Kokkos::View<Real**, Kokkos::LayoutLeft, ExecSpace> F(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "F"), padded(count), N + 1);
  const Scheme scheme = make_scheme<Scheme>(N);
  const auto work = [&] { launch_stored<ExecSpace, Scheme, N, Real>(exec, scheme, x, F); };
  if constexpr (compat::is_gpu_v<ExecSpace> && !std::is_same_v<Scheme, Traffic>) {
    const double ceiling = best_rate(exec, count, 10, [&] {
      launch_stored<ExecSpace, Traffic, N, Real>(exec, Traffic(), x, F);
    });
    state.counters["of_traffic"] = best_rate(exec, count, 10, work) / ceiling;
  }
#ifdef TESSERA_HAVE_LIBINT2
  if constexpr (std::is_same_v<ExecSpace, Kokkos::Serial> && sizeof(Real) == 8) {
    std::vector<double> rows(count * (N + 1));
    state.counters["x_libint2"] =
        best_rate(exec, count, 64, work) /
        best_rate(exec, count, 64, [&] { boys_libint2(N, x.data(), count, rows.data()); });
  }
#endif
  time_evaluations(state, exec, count, sizeof(Real) * (N + 2.0), work);
}

template <class ExecSpace, class Scheme, int N, class Real>
void boys_fused(benchmark::State& state) {
  const ExecSpace exec;
  using Kernel = FusedKernel<ExecSpace, Scheme, N, Real>;
  const std::int64_t threads = kBoysArguments<ExecSpace> / Kernel::kPerThread;
  const std::int64_t count = threads * Kernel::kPerThread;
  const Kernel kernel{make_scheme<Scheme>(N), boys_arguments<ExecSpace, Real>(count),
                      Kokkos::View<Real*, ExecSpace>("tessera::bench::out", threads)};
  time_evaluations(state, exec, count, sizeof(Real) * (1 + 1.0 / Kernel::kPerThread), [&] {
    Kokkos::parallel_for("tessera::bench::boys_fused", BoysRange<ExecSpace>(exec, 0, threads),
                         kernel);
  });
}

template <class ExecSpace, int N, class Real>
void boys_arranged(benchmark::State& state) {
  const ExecSpace exec;
  using Kernel = ArrangedKernel<ExecSpace, N, Real>;
  const int teams =
      static_cast<int>(kBoysArguments<ExecSpace> / Kernel::kPerThread / Kernel::kThreads);
  const std::int64_t threads = static_cast<std::int64_t>(teams) * Kernel::kThreads,
                     count = threads * Kernel::kPerThread;
  const Kernel kernel{boys_arguments<ExecSpace, Real>(count),
                      Kokkos::View<Real*, ExecSpace>("tessera::bench::out", threads)};
  time_evaluations(state, exec, count, sizeof(Real) * (1 + 1.0 / Kernel::kPerThread), [&] {
    Kokkos::parallel_for("tessera::bench::boys_arranged",
                         typename Kernel::Policy(exec, teams, Kernel::kThreads)
                             .set_scratch_size(0, Kokkos::PerTeam(Kernel::kScratch)),
                         kernel);
  });
}

/// The orders of an argument side by side.
template <class ExecSpace, int N, class Real>
void boys_rows(benchmark::State& state) {
  const ExecSpace exec;
  const std::int64_t count = kBoysArguments<ExecSpace>;
  const auto x = boys_arguments<ExecSpace, Real>(count);
  const Kokkos::View<Real**, Kokkos::LayoutRight, ExecSpace> F(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "F"), count, N + 1);
  time_evaluations(state, exec, count, sizeof(Real) * (N + 2.0),
                   [&] { boys::boys_batch(exec, N, x, F); });
}

template <class ExecSpace, int N, class Real>
void boys_top_order(benchmark::State& state) {
  const ExecSpace exec;
  const std::int64_t count = kBoysArguments<ExecSpace>;
  const auto x = boys_arguments<ExecSpace, Real>(count);
  const Kokkos::View<Real*, ExecSpace> top("tessera::bench::top", count),
      exponential("tessera::bench::exponential", count);
  time_evaluations(state, exec, count, 3.0 * sizeof(Real),
                   [&] { boys::boys_top_order_batch<N>(exec, x, top, exponential); });
}

template <class ExecSpace, int N, class Real>
void boys_binned(benchmark::State& state) {
  const ExecSpace exec;
  const std::int64_t count = kBoysArguments<ExecSpace>;
  const auto x = boys_arguments<ExecSpace, Real>(count);
  const Kokkos::View<std::int32_t*, ExecSpace> order("tessera::bench::order", count);
  const Kokkos::View<Real**, Kokkos::LayoutLeft, ExecSpace> F(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "F"), count, N + 1);
  time_evaluations(state, exec, count, sizeof(Real) * (N + 2.0),
                   [&] { boys::boys_batch_binned(exec, N, x, F, order); });
}

inline void add_boys(const std::string& name, void (*function)(benchmark::State&)) {
  benchmark::RegisterBenchmark(name.c_str(), function)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

template <class ExecSpace, class Scheme, int N, class Real>
void add_scheme(const std::string& backend) {
  const std::string end = std::string("/") + Scheme::name +
                          (sizeof(Real) == 8 ? "/double/" : "/float/") + std::to_string(N) + "/" +
                          backend;
  add_boys("boys/stored" + end, boys_stored<ExecSpace, Scheme, N, Real>);
  if constexpr (!std::is_same_v<Scheme, Traffic>)
    add_boys("boys/fused" + end, boys_fused<ExecSpace, Scheme, N, Real>);
}

template <class ExecSpace, int N>
void add_order(const std::string& backend) {
  add_scheme<ExecSpace, OurScheme, N, double>(backend);
  add_scheme<ExecSpace, PaperScheme, N, double>(backend);
  add_scheme<ExecSpace, AllOrdersTableScheme<ExecSpace>, N, double>(backend);
  add_scheme<ExecSpace, TopOrderTableScheme<ExecSpace>, N, double>(backend);
  add_scheme<ExecSpace, OurScheme, N, float>(backend);
  add_boys("boys/fused/arranged/double/" + std::to_string(N) + "/" + backend,
           boys_arranged<ExecSpace, N, double>);
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    add_scheme<ExecSpace, Traffic, N, double>(backend);
    add_scheme<ExecSpace, Traffic, N, float>(backend);
  }
}

template <class ExecSpace>
void register_boys(const std::string& backend) {
  add_order<ExecSpace, 0>(backend);
  add_order<ExecSpace, 1>(backend);
  add_order<ExecSpace, 4>(backend);
  add_order<ExecSpace, 8>(backend);
  add_order<ExecSpace, 16>(backend);
  add_boys("boys/rows/two_range/double/8/" + backend, boys_rows<ExecSpace, 8, double>);
  add_boys("boys/top_order/two_range/double/8/" + backend, boys_top_order<ExecSpace, 8, double>);
  add_boys("boys/binned/two_range/double/8/" + backend, boys_binned<ExecSpace, 8, double>);
}

}  // namespace tessera::bench
