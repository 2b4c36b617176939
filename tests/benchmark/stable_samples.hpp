// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/core/random.hpp"
#include "tessera/stable/instances.hpp"
#include "tessera/stable/law/sample.hpp"

/// Samples to be fitted.

namespace tessera::bench {

constexpr int kFittedValues = 1000;  // of a sample

/// alpha uniform in [0.5, 1.95], beta in [-0.9, 0.9]. A functor over the values of all samples.
template <class ExecSpace>
struct DrawSamples {
  Kokkos::View<double*, ExecSpace> x;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const Philox::Bits law = Philox(1, 5).bits(static_cast<std::uint64_t>(i / kFittedValues), 0);
    const Philox::Bits bits = Philox(1, 6).bits(static_cast<std::uint64_t>(i), 0);
    x(i) = stable::sample(stable::StableDistribution(0.5 + 1.45 * Philox::uniform(law, 0),
                                                     1.8 * Philox::uniform(law, 1) - 0.9),
                          Philox::uniform(bits, 0), Philox::uniform(bits, 1));
  }
};

template <class ExecSpace>
Kokkos::View<double*, ExecSpace> fitted_samples(const ExecSpace& exec, std::int64_t samples) {
  const std::int64_t values = samples * kFittedValues;
  const Kokkos::View<double*, ExecSpace> data(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::bench::data"), values);
  Kokkos::parallel_for(
      "tessera::bench::draw_samples",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, values),
      DrawSamples<ExecSpace>{data});
  return data;
}

inline std::vector<stable::FitTask> fit_tasks(std::int64_t samples) {
  std::vector<stable::FitTask> tasks(static_cast<std::size_t>(samples));
  std::int64_t begin = 0;
  for (stable::FitTask& task : tasks) {
    task.begin = begin;
    task.count = kFittedValues;
    begin += kFittedValues;
  }
  return tasks;
}

/// Returns options of fits to a gradient of 1e-8 by the number of values; with `report` to 1e-9,
/// with standard errors, and with distances from the fitted distribution.
inline stable::FitOptions fit_options(bool report) {
  stable::FitOptions options;
  options.tolerance = report ? 1e-9 : 1e-8;
  options.standard_errors = options.goodness = report;
  return options;
}

inline double converged_share(const std::vector<stable::FitResult>& fits) {
  double good = 0;
  for (const stable::FitResult& fit : fits)
    good += fit.status <= stable::FitStatus::boundary ? 1 : 0;
  return fits.empty() ? 0 : good / static_cast<double>(fits.size());
}

}  // namespace tessera::bench
