// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/mpr/fill/array_fill.hpp"
#include "tessera/mpr/instances.hpp"
#include "tests/benchmark/cases.hpp"
#include "tests/benchmark/mpr_simulation.hpp"
#include "tests/benchmark/timer.hpp"

/// Updates a nanosecond: missing sites times sweeps, accepted or not, divided by the wall time of
/// the sweeps (start and transfers excluded); the wall time of whole fills, transfers included,
/// with its parts; and of fills of arrays in the memory of the device.

namespace tessera::bench {

template <class ExecSpace, class Real>
void run_mpr(benchmark::State& state, const MprRun& run) {
  const ExecSpace exec;
  MprSimulation<ExecSpace, Real> simulation(exec, run);
  for (auto _ : state) {
    simulation.start();
    state.SetIterationTime(seconds(exec, [&] { simulation.sweep(); }));
  }
  const double updates =
      static_cast<double>(simulation.missing()) * simulation.states().front().sweep;
  state.counters["updates/ns"] =
      benchmark::Counter(updates * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["updates"] = updates;
}

/// Marks samples and missing sites (NaN) by their values. A functor over sites.
template <class ExecSpace, class Real>
struct MprStatus {
  Kokkos::View<const Real*, ExecSpace> values;
  Kokkos::View<std::uint8_t*, ExecSpace> status;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    status(i) = values(i) == values(i) ? mpr::kSample : mpr::kMissing;
  }
};

/// A whole fill in mode default, from values (NaN: missing) in the host's memory to mean and
/// standard deviation there. estimated: with couplings of greatest evidence and calibrated spread,
/// else with equal couplings of next neighbours. HostSpace: pinned memory or any. missing: 0: below
/// clouds.
template <class ExecSpace, class HostSpace>
void run_mpr_whole(benchmark::State& state, const mpr::Grid& grid, double missing, bool estimated) {
  using Real = float;
  using Kokkos::view_alloc, Kokkos::WithoutInitializing;
  const ExecSpace exec;
  const std::int64_t sites = grid.sites();
  const Kokkos::View<Real*, HostSpace> values("tessera::bench::mpr_values", sites),
      mean("tessera::bench::mpr_mean", sites), deviation("tessera::bench::mpr_deviation", sites);
  {
    const Kokkos::View<std::uint8_t*, ExecSpace> device_status("tessera::bench::mpr_status", sites);
    const Kokkos::View<Real*, ExecSpace> device_values("tessera::bench::mpr_values", sites);
    Kokkos::parallel_for(
        "tessera::bench::mpr_field",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, sites),
        MprField<ExecSpace, Real>{device_status, device_values, missing, grid.nx, missing == 0});
    const auto status = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device_status);
    Kokkos::deep_copy(values, device_values);
    for (std::int64_t i = 0; i < sites; ++i) {
      if (status(i) == mpr::kMissing) values(i) = std::numeric_limits<Real>::quiet_NaN();
    }
  }
  mpr::FillOptions options;
  if (!estimated) {
    options.curvature = 0;
    options.anisotropy = mpr::Anisotropy::equal;
    options.calibrate = mpr::Calibrate::none;
  }
  double in = 0, start = 0, sweeps = 0, out = 0;
  for (auto _ : state) {
    Kokkos::View<std::uint8_t*, ExecSpace> device_status;
    Kokkos::View<Real*, ExecSpace> device_values;
    mpr::GapFill<ExecSpace, Real> fill(exec, grid, 1, options);
    const double in_now = seconds(exec, [&] {
      device_status = Kokkos::View<std::uint8_t*, ExecSpace>(
          view_alloc(exec, WithoutInitializing, "tessera::bench::mpr_status"), sites);
      device_values = Kokkos::View<Real*, ExecSpace>(
          view_alloc(exec, WithoutInitializing, "tessera::bench::mpr_values"), sites);
      copy_from_host(exec, device_values.data(), values.data(), values.size());
      Kokkos::parallel_for(
          "tessera::bench::mpr_status",
          Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, sites),
          MprStatus<ExecSpace, Real>{device_values, device_status});
    });
    const double start_now = seconds(exec, [&] { fill.prepare(device_values, device_status); });
    const double sweeps_now = seconds(exec, [&] {
      while (fill.advance()) {
      }
    });
    const double out_now = seconds(exec, [&] {
      const Kokkos::View<Real*, ExecSpace> device_deviation(
          view_alloc(exec, WithoutInitializing, "tessera::bench::mpr_deviation"), sites);
      fill.moments(device_values, device_deviation);
      copy_to_host(exec, mean.data(), device_values.data(), mean.size());
      copy_to_host(exec, deviation.data(), device_deviation.data(), deviation.size());
    });
    state.SetIterationTime(in_now + start_now + sweeps_now + out_now);
    in += in_now;
    start += start_now;
    sweeps += sweeps_now;
    out += out_now;
  }
  const auto milliseconds = [](double total) {
    return benchmark::Counter(1e3 * total, benchmark::Counter::kAvgIterations);
  };
  state.counters["in_ms"] = milliseconds(in);
  state.counters["start_ms"] = milliseconds(start);
  state.counters["sweeps_ms"] = milliseconds(sweeps);
  state.counters["out_ms"] = milliseconds(out);
}

/// Values of missing sites become NaN. A functor over sites.
template <class ExecSpace>
struct HideMissing {
  Kokkos::View<const std::uint8_t*, ExecSpace> status;
  Kokkos::View<float*, ExecSpace> values;
  float hidden = std::numeric_limits<float>::quiet_NaN();
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (status(i) == mpr::kMissing) values(i) = hidden;
  }
};

/// A fill with all defaults of an array in the memory of the execution space, as a program calls
/// it: filled values and standard deviations.
template <class ExecSpace>
void run_mpr_array(benchmark::State& state, const mpr::Grid& grid, double missing) {
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  using Values = Kokkos::View<float*, ExecSpace>;
  const ExecSpace exec;
  const std::int64_t sites = grid.sites();
  const Values values("tessera::bench::mpr_values", sites),
      filled("tessera::bench::mpr_filled", sites),
      deviation("tessera::bench::mpr_deviation", sites);
  {
    const Kokkos::View<std::uint8_t*, ExecSpace> status("tessera::bench::mpr_status", sites);
    Kokkos::parallel_for("tessera::bench::mpr_field", Range(exec, 0, sites),
                         MprField<ExecSpace, float>{status, values, missing, grid.nx});
    Kokkos::parallel_for("tessera::bench::hide_missing", Range(exec, 0, sites),
                         HideMissing<ExecSpace>{status, values});
    exec.fence();
  }
  for (auto _ : state) {
    state.SetIterationTime(seconds(exec, [&] {
      mpr::ArrayFill<ExecSpace, float, float> fill(exec, grid, 1, {});
      fill.prepare(values, {}, {});
      while (fill.advance()) {
      }
      fill.conclude();
      fill.filled(values, filled);
      fill.deviation(deviation);
    }));
  }
}

template <class ExecSpace, class Real>
void add_mpr(const std::string& name, const MprRun& run) {
  benchmark::RegisterBenchmark(
      name.c_str(), [run](benchmark::State& state) { run_mpr<ExecSpace, Real>(state, run); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

template <class ExecSpace>
void register_mpr(const std::string& backend) {
  constexpr bool gpu = compat::is_gpu_v<ExecSpace>;
  using mpr::Moments;
  for (const int size : {512, 1024, 2048, 8192}) {
    if (!gpu && size > 1024) break;
    const mpr::Grid grid{size, size, 1};
    const std::string at = "/L" + std::to_string(size);
    for (const double p : {0.33, 0.66}) {
      const std::string end = at + "/p" + std::to_string(static_cast<int>(p * 100)) + "/";
      add_mpr<ExecSpace, float>("mpr/paper" + end + "float/" + backend,
                                {grid, p, 0, 50, 100, Moments::mean, false});
      add_mpr<ExecSpace, double>("mpr/paper" + end + "double/" + backend,
                                 {grid, p, 0, 50, 100, Moments::mean, false});
      for (const double beta : {0.0, 1.0}) {
        const std::string kind = beta == 0 ? "harmonic" : "curvature";
        add_mpr<ExecSpace, float>("mpr/default_mean/" + kind + end + "float/" + backend,
                                  {grid, p, beta, 10, 25, Moments::mean, true});
        add_mpr<ExecSpace, float>("mpr/default/" + kind + end + "float/" + backend,
                                  {grid, p, beta, 10, 25, Moments::variance, true});
        if (!gpu)
          add_mpr<ExecSpace, double>("mpr/default/" + kind + end + "double/" + backend,
                                     {grid, p, beta, 10, 25, Moments::variance, true});
      }
    }
  }
  const auto add_whole = [&]<class HostSpace>(HostSpace, const std::string& memory, double p,
                                              bool estimated) {
    const int size = gpu ? 8192 : 1024;
    const std::string name = std::string("mpr/whole/") + (estimated ? "estimated/" : "harmonic/") +
                             memory + "/L" + std::to_string(size) + "/p" +
                             std::to_string(static_cast<int>(p * 100)) + "/float/" + backend;
    benchmark::RegisterBenchmark(
        name.c_str(),
        [=](benchmark::State& state) {
          run_mpr_whole<ExecSpace, HostSpace>(state, {size, size, 1}, p, estimated);
        })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  };
  // This image is as large as the satellite image of the case study competition.
  benchmark::RegisterBenchmark(
      ("mpr/whole/clouds/500x300/float/" + backend).c_str(),
      [](benchmark::State& state) {
        run_mpr_whole<ExecSpace, Kokkos::HostSpace>(state, {500, 300, 1}, 0, true);
      })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  for (const double p : {0.33, 0.66}) {
    if (gpu) add_whole(compat::PinnedSpace<ExecSpace>(), "pinned", p, false);
    add_whole(Kokkos::HostSpace(), "pageable", p, false);
    add_whole(Kokkos::HostSpace(), "pageable", p, true);
  }
  for (const double p : {0.33, 0.66}) {
    const int size = gpu ? 8192 : 1024;
    const std::string name = "mpr/array/L" + std::to_string(size) + "/p" +
                             std::to_string(static_cast<int>(p * 100)) + "/float/" + backend;
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=](benchmark::State& state) {
                                   run_mpr_array<ExecSpace>(state, {size, size, 1}, p);
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  const int side = gpu ? 256 : 64;
  for (const double beta : {0.0, 1.0}) {
    add_mpr<ExecSpace, float>("mpr/stack/" + std::string(beta == 0 ? "harmonic" : "curvature") +
                                  "/" + std::to_string(side) + "/float/" + backend,
                              {{side, side, side}, 0.33, beta, 10, 25, Moments::variance, true});
  }
  add_mpr<ExecSpace, float>(
      "mpr/frames/64x256/float/" + backend,
      {{256, 256, 1}, 0.33, 0, 10, 25, Moments::variance, true, gpu ? 64 : 4});
}

}  // namespace tessera::bench
