// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/stable/instances.hpp"
#include "tessera/stable/program/tasks/precision.hpp"
#include "tessera/stable/program/tasks/speed.hpp"
#include "tests/benchmark/stable_peer.hpp"
#include "tests/benchmark/timer.hpp"

/// Contour integrals and libstable on the same points, one core. TOLERANCE is that of libstable's
/// integrals: 1e-06 is its own, 1.2e-10 that of the paper's authors for accuracies, 1.2e-14 the
/// least. WHAT is pdf, cdf or quantile.
///
///   stable/libstable/TOLERANCE/WHAT/random/N   N points with a distribution each, as in Tables 3, 5
///                                              and 8 and Figures 7, 9 and 12 of the paper
///   stable/libstable/TOLERANCE/WHAT/alpha/A    500 points of each of six betas from 0 to 1, as in
///                                              Figures 8 and 10
///   stable/libstable/TOLERANCE/WHAT/errors/A_B 4000 places of the distribution (A, B): x from -100
///                                              to 100 as in Tables 2 and 4, p as in Table 7
///
/// Counters: evals/s of the contour integrals; x_libstable, x_libstable_threads: as a multiple of
/// libstable's rate with one thread, and with the number of threads that it takes by itself;
/// libstable_us: its time for a point, with one thread, least_us and most_us over the betas;
/// absolute, relative: medians of libstable's differences from the contour integrals, largest (pdf:
/// relative, else absolute); failed: how many of its values are NaN.

namespace tessera::bench {

template <class ExecSpace>
class AgainstLibstable {
 public:
  AgainstLibstable(LibstableFunction function, const LibstableOptions& options)
      : m_function(function), m_options(options) {}

  /// A distribution for each point.
  void time_random(benchmark::State& state, std::int64_t n) const {
    const Points points = draw(n, true, 1.5, 0);
    const View& at = arguments(points);
    const View out = make_view(n), peer = make_view(n);
    const Seconds taken =
        compare_times([&] { evaluate(points.alpha, points.beta, at, out); },
                      [&] {
                        stable_libstable(m_function, m_options, points.alpha.data(),
                                         points.beta.data(), at.data(), peer.data(), n);
                      });
    report_times(state, taken, n);
  }

  /// One alpha and six betas.
  void time_alpha(benchmark::State& state, double alpha) const {
    constexpr int kPoints = 500, kBetas = 6;
    const View out = make_view(kPoints), peer = make_view(kPoints);
    Seconds sum;
    double least = INFINITY, most = 0;
    for (int k = 0; k < kBetas; ++k) {
      const double beta = k / (kBetas - 1.0);
      const Points points = draw(kPoints, false, alpha, beta);
      const View& at = arguments(points);
      const Seconds taken = compare_times([&] { evaluate(alpha, beta, at, out); },
                                          [&] {
                                            stable_libstable(m_function, m_options, alpha, beta,
                                                             at.data(), peer.data(), kPoints);
                                          });
      sum.ours += taken.ours;
      sum.theirs += taken.theirs;
      least = std::min(least, taken.theirs);
      most = std::max(most, taken.theirs);
    }
    report_times(state, sum, kPoints * kBetas);
    state.counters["least_us"] = least / kPoints * 1e6;
    state.counters["most_us"] = most / kPoints * 1e6;
  }

  /// One distribution, with libstable's errors.
  void compare_errors(benchmark::State& state, double alpha, double beta) const {
    constexpr int n = stable::detail::kPrecisionPoints;
    stable::detail::EvenQuantiles even;
    const bool quantiles = m_function == LibstableFunction::quantile;
    if (quantiles) even = stable::detail::make_even_quantiles(m_exec, alpha, beta);
    for (int i = 0; i < n && !quantiles; ++i) even.x.push_back(-100 + 200 * (i + 0.5) / n);
    const std::vector<double>& places = quantiles ? even.p : even.x;
    const View at = upload(m_exec, "tessera::bench::places", places), out = make_view(n);
    std::vector<double> peer(n);
    LibstableOptions options = m_options;
    const auto theirs = [&] {
      stable_libstable(m_function, options, alpha, beta, places.data(), peer.data(), n);
    };
    const Seconds taken = compare_times([&] { evaluate(alpha, beta, at, out); }, theirs);
    report_times(state, taken, n);
    report_errors(state, peer, quantiles ? even.x : download(m_exec, out));
    options.threads = 0;
    state.counters["x_libstable_threads"] = median_seconds(theirs) / taken.ours;
  }

 private:
  using View = Kokkos::View<double*, ExecSpace>;
  using Points = stable::detail::SpeedPoints<ExecSpace>;

  struct Seconds {
    double ours = 0, theirs = 0;
  };

  static View make_view(std::int64_t n) {
    return View("tessera::bench::values", static_cast<std::size_t>(n));
  }

  Points draw(std::int64_t n, bool many, double alpha, double beta) const {
    const Points points{make_view(n), make_view(n), make_view(n),
                        make_view(n), many,         stable::StableDistribution(alpha, beta),
                        Philox(1, 3)};
    Kokkos::parallel_for(
        "tessera::bench::speed_points",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, n), points);
    return points;
  }

  const View& arguments(const Points& points) const {
    return m_function == LibstableFunction::quantile ? points.p : points.x;
  }

  /// Ours, of an alpha and a beta, or of one of each for every point.
  template <class Parameter>
  void evaluate(const Parameter& alpha, const Parameter& beta, const View& at,
                const View& out) const {
    if (m_function == LibstableFunction::quantile) {
      stable::quantile_batch<ExecSpace>(m_exec, alpha, beta, {}, at, out);
      return;
    }
    stable::EvaluationViews<ExecSpace> wanted;
    (m_function == LibstableFunction::pdf ? wanted.pdf : wanted.cdf) = out;
    stable::evaluate_batch<ExecSpace>(m_exec, alpha, beta, {}, at, wanted);
  }

  template <class Work>
  double median_seconds(const Work& work) const {
    return stable::detail::median_seconds(m_exec, 3, work);
  }

  template <class Ours, class Theirs>
  Seconds compare_times(const Ours& ours, const Theirs& theirs) const {
    return {median_seconds(ours), median_seconds(theirs)};
  }

  /// The iterations of the case take the time that is known.
  static void report_times(benchmark::State& state, const Seconds& taken, std::int64_t count) {
    for (auto _ : state) state.SetIterationTime(taken.ours);
    const auto n = static_cast<double>(count);
    state.counters["evals/s"] = n / taken.ours;
    state.counters["x_libstable"] = taken.theirs / taken.ours;
    state.counters["libstable_us"] = taken.theirs / n * 1e6;
  }

  void report_errors(benchmark::State& state, const std::vector<double>& peer,
                     const std::vector<double>& exact) const {
    std::vector<double> found, right;
    for (std::size_t i = 0; i < peer.size(); ++i) {
      if (std::isnan(peer[i])) continue;
      found.push_back(peer[i]);
      right.push_back(exact[i]);
    }
    stable::Precision precision = stable::detail::compare(found, found, right, right);
    stable::detail::compare_quantiles(found, right, precision);
    const bool pdf = m_function == LibstableFunction::pdf,
               quantile = m_function == LibstableFunction::quantile;
    state.counters["failed"] = static_cast<double>(peer.size() - found.size());
    state.counters["absolute"] = precision.quantile_absolute_median;
    state.counters["relative"] = quantile ? precision.quantile_relative_median
                                 : pdf    ? precision.pdf_median
                                          : precision.cdf_relative_median;
    state.counters["largest"] = pdf ? precision.pdf_largest : precision.cdf_largest;
  }

  ExecSpace m_exec;
  LibstableFunction m_function;
  LibstableOptions m_options;
};

/// The cases of a tolerance and a function.
template <class ExecSpace>
void register_against_libstable(const std::string& backend, const std::string& name,
                                const AgainstLibstable<ExecSpace>& against, bool map) {
  using benchmark::State;
  const auto add = [&](const std::string& kind, const std::string& place, auto function) {
    benchmark::RegisterBenchmark((name + kind + place + "/" + backend).c_str(), function)
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  };
  const auto text = [](double number) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%g", number);
    return std::string(digits);
  };
  for (const int n : {1, 10, 50, 100, 250, 500, 1000, 2000})
    add("/random/", text(n), [against, n](State& state) { against.time_random(state, n); });
  for (const double a : {0.1, 0.2, 0.3, 0.4, 0.5, 0.8, 0.9, 1.0, 1.2, 1.6, 1.8, 2.0}) {
    if (map) add("/alpha/", text(a), [against, a](State& state) { against.time_alpha(state, a); });
  }
  for (const double a : {0.25, 0.5, 0.75, 1.25, 1.5}) {
    for (const double b : {0.0, 0.5, 1.0})
      add("/errors/", text(a) + "_" + text(b),
          [against, a, b](State& state) { against.compare_errors(state, a, b); });
  }
}

template <class ExecSpace>
void register_against_libstable(const std::string& backend) {
  using Against = AgainstLibstable<ExecSpace>;
  for (const LibstableOptions& options :
       {LibstableOptions{1e-6, 1e-6}, {1.2e-10, 1e-20}, {1.2e-14, 1e-50}}) {
    char name[64];
    std::snprintf(name, sizeof name, "stable/libstable/%g/", options.relative);
    const std::string prefix = name;
    const Against pdf(LibstableFunction::pdf, options), cdf(LibstableFunction::cdf, options),
        quantile(LibstableFunction::quantile, options);
    register_against_libstable<ExecSpace>(backend, prefix + "pdf", pdf, true);
    register_against_libstable<ExecSpace>(backend, prefix + "cdf", cdf, true);
    register_against_libstable<ExecSpace>(backend, prefix + "quantile", quantile, false);
  }
}

}  // namespace tessera::bench
