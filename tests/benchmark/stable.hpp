// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "tessera/stable/fit/goodness.hpp"
#include "tessera/stable/fit/series_panel.hpp"
#include "tessera/stable/instances.hpp"
#include "tessera/stable/multivariate/elliptical.hpp"
#include "tests/benchmark/cases.hpp"
#include "tests/benchmark/stable_samples.hpp"
#include "tests/benchmark/timer.hpp"
#ifdef TESSERA_HAVE_LIBSTABLE
#include "tests/benchmark/stable_against_libstable.hpp"
#endif

/// Stable distributions: evaluations, quantiles, random numbers and fits a second. Points are
/// distributed by the distribution they are evaluated for.

namespace tessera::bench {

template <class ExecSpace>
using StableView = Kokkos::View<double*, ExecSpace>;

inline void count_rate(benchmark::State& state, const char* name, double count) {
  state.counters[name] = benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate);
}

enum class TableFunction { log_pdf, pdf, cdf, quantile };

/// A table at 1e8 points on a GPU, 1e6 on a CPU; error: the largest relative difference from the
/// direct evaluator (quantiles: in probability).
template <class ExecSpace>
void stable_table(benchmark::State& state, TableFunction function, double alpha, double beta) {
  const ExecSpace exec;
  const std::int64_t n = compat::is_gpu_v<ExecSpace> ? 100000000 : 1000000;
  const StableView<ExecSpace> x("tessera::bench::x", n), out("tessera::bench::out", n);
  const stable::Table<ExecSpace> table(exec, alpha, beta);
  stable::sample_batch<ExecSpace>(exec, alpha, beta, {}, Philox(1, 1), 0, 0, x);
  const stable::QuantileTable<ExecSpace> quantiles(exec, table);
  if (function == TableFunction::quantile) {
    table.cdf(exec, x, out);
    Kokkos::deep_copy(exec, x, out);
  }
  for (auto _ : state) {
    state.SetIterationTime(seconds(exec, [&] {
      if (function == TableFunction::log_pdf) table.log_pdf(exec, x, out);
      if (function == TableFunction::pdf) table.pdf(exec, x, out);
      if (function == TableFunction::cdf) table.cdf(exec, x, out);
      if (function == TableFunction::quantile) quantiles(exec, x, out);
    }));
  }
  count_rate(state, "evals/s", static_cast<double>(n));
  state.counters["error"] = table.error();
  state.counters["bytes"] = static_cast<double>(table.memory());
}

template <class ExecSpace>
void stable_build(benchmark::State& state, bool with_quantiles, double alpha, double beta) {
  const ExecSpace exec;
  const stable::Table<ExecSpace> table(exec, alpha, beta);
  for (auto _ : state) {
    state.SetIterationTime(seconds(exec, [&] {
      if (with_quantiles) {
        const stable::QuantileTable<ExecSpace> quantiles(exec, table);
      } else {
        const stable::Table<ExecSpace> again(exec, alpha, beta);
      }
    }));
  }
}

template <class ExecSpace>
void stable_sample(benchmark::State& state, double alpha, double beta) {
  const ExecSpace exec;
  const std::int64_t n = compat::is_gpu_v<ExecSpace> ? 100000000 : 1000000;
  const StableView<ExecSpace> x("tessera::bench::x", n);
  for (auto _ : state) {
    state.SetIterationTime(seconds(exec, [&] {
      stable::sample_batch<ExecSpace>(exec, alpha, beta, {}, Philox(1, 1), 0, 0, x);
    }));
  }
  count_rate(state, "samples/s", static_cast<double>(n));
}

/// alpha uniform in [0.5, 2], beta in [-1, 1], x of that distribution.
template <class ExecSpace>
struct RandomDistributions {
  StableView<ExecSpace> alpha, beta, x;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const Philox::Bits first = Philox(1, 7).bits(i, 0), second = Philox(1, 8).bits(i, 0);
    alpha(i) = 0.5 + 1.5 * Philox::uniform(first, 0);
    beta(i) = 2 * Philox::uniform(first, 1) - 1;
    x(i) = stable::sample(stable::StableDistribution(alpha(i), beta(i)), Philox::uniform(second, 0),
                          Philox::uniform(second, 1));
  }
};

/// The direct evaluation: a distribution for every point, or one for all. On a GPU the ordering of
/// the points is part of the time.
template <class ExecSpace>
void stable_direct(benchmark::State& state, stable::Quantities quantities, bool pointwise) {
  const ExecSpace exec;
  const std::int64_t n = compat::is_gpu_v<ExecSpace> ? 10000000 : 20000;
  const RandomDistributions<ExecSpace> distributions{
      StableView<ExecSpace>("tessera::bench::alpha", n),
      StableView<ExecSpace>("tessera::bench::beta", n),
      StableView<ExecSpace>("tessera::bench::x", n)};
  if (pointwise) {
    Kokkos::parallel_for(
        "tessera::bench::random_distributions",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n), distributions);
  } else {
    stable::sample_batch<ExecSpace>(exec, 1.5, 0.5, {}, Philox(1, 1), 0, 0, distributions.x);
  }
  stable::EvaluationViews<ExecSpace> out;
  out.pdf = StableView<ExecSpace>("tessera::bench::pdf", n);
  if (quantities != stable::Quantities::pdf)
    out.sf = StableView<ExecSpace>("tessera::bench::sf", n);
  if (quantities == stable::Quantities::scores) {
    out.d_x = StableView<ExecSpace>("tessera::bench::d_x", n);
    out.d_alpha = StableView<ExecSpace>("tessera::bench::d_alpha", n);
    out.d_beta = StableView<ExecSpace>("tessera::bench::d_beta", n);
  }
  stable::EvaluationScratch<ExecSpace> scratch;
  for (auto _ : state) {
    state.SetIterationTime(seconds(exec, [&] {
      if (pointwise) {
        stable::evaluate_batch<ExecSpace>(exec, distributions.alpha, distributions.beta, {},
                                          distributions.x, out, scratch);
      } else {
        stable::evaluate_batch<ExecSpace>(exec, 1.5, 0.5, {}, distributions.x, out, scratch);
      }
    }));
  }
  count_rate(state, "evals/s", static_cast<double>(n));
}

/// A call of n points with a distribution each, density and tail: a GPU evaluates few of them by
/// one kernel, and orders more.
template <class ExecSpace>
void stable_few(benchmark::State& state, std::int64_t n) {
  const ExecSpace exec;
  const RandomDistributions<ExecSpace> distributions{
      StableView<ExecSpace>("tessera::bench::alpha", n),
      StableView<ExecSpace>("tessera::bench::beta", n),
      StableView<ExecSpace>("tessera::bench::x", n)};
  Kokkos::parallel_for("tessera::bench::random_distributions",
                       Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                       distributions);
  stable::EvaluationViews<ExecSpace> out;
  out.pdf = StableView<ExecSpace>("tessera::bench::pdf", n);
  out.sf = StableView<ExecSpace>("tessera::bench::sf", n);
  stable::EvaluationScratch<ExecSpace> scratch;
  for (auto _ : state) {
    state.SetIterationTime(seconds(exec, [&] {
      stable::evaluate_batch<ExecSpace>(exec, distributions.alpha, distributions.beta, {},
                                        distributions.x, out, scratch);
    }));
  }
  count_rate(state, "evals/s", static_cast<double>(n));
}

/// Maximum-likelihood fits of samples of 1000 values (stable_samples.hpp); sorting and the copy of
/// the results included. With `report` what tessera-stable gives by default besides.
/// `mean_evaluations`: of the likelihood, by fit.
template <class ExecSpace>
void stable_fits(benchmark::State& state, int fits, bool report) {
  const ExecSpace exec;
  const StableView<ExecSpace> data = fitted_samples(exec, fits);
  const std::vector<stable::FitTask> tasks = fit_tasks(fits);
  const stable::FitOptions options = fit_options(report);
  stable::Fitter<ExecSpace> fitter(exec);
  std::vector<stable::FitResult> results = fitter(data, {}, tasks, options);
  for (auto _ : state)
    state.SetIterationTime(seconds(exec, [&] { results = fitter(data, {}, tasks, options); }));
  count_rate(state, "fits/s", fits);
  double evaluations = 0;
  for (const stable::FitResult& fit : results) evaluations += fit.evaluations;
  state.counters["mean_evaluations"] = evaluations / fits;
  state.counters["converged"] = converged_share(results);
}

/// A panel: groups of 100 to 400 values, sorted by their labels and fitted with standard errors,
/// from rows on the host to results there.
template <class ExecSpace>
void stable_panel(benchmark::State& state, int groups) {
  const ExecSpace exec;
  std::vector<double> values;
  std::vector<std::string> labels;
  for (int g = 0; g < groups; ++g) {
    const Philox::Bits bits = Philox(1, 10).bits(g, 0);
    const stable::StableDistribution distribution(1.2 + 0.75 * Philox::uniform(bits, 0),
                                                  1.6 * Philox::uniform(bits, 1) - 0.8);
    for (int i = 0; i < 100 + 300 * (g % 11) / 10; ++i) {
      const Philox::Bits pair = Philox(1, 11).bits(i, g);
      values.push_back(
          stable::sample(distribution, Philox::uniform(pair, 0), Philox::uniform(pair, 1)));
      labels.push_back(std::to_string(g));
    }
  }
  stable::Fitter<ExecSpace> fitter(exec);
  std::vector<stable::FitResult> fits;
  for (auto _ : state) {
    state.SetIterationTime(seconds(exec, [&] {
      const stable::Panel panel = stable::group_rows(values, labels);
      fits = fitter(upload(exec, "tessera::bench::values", panel.values), {},
                    stable::make_tasks(panel.series, stable::find_windows(panel.series, 0, 1)));
    }));
  }
  count_rate(state, "groups/s", groups);
  state.counters["converged"] = converged_share(fits);
}

/// Rows of regressions on a constant and five regressors.
struct RegressionRows {
  stable::Design design;
  std::vector<double> y;

  explicit RegressionRows(std::int64_t rows) {
    const stable::StableDistribution distribution(1.7, 0.2);
    design.location.resize(6);
    design.scale.resize(1);
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto counter = static_cast<std::uint64_t>(i);
      double location = 0;
      for (std::uint32_t j = 0; j < 6; ++j) {
        const double x = j == 0 ? 1 : NormalPair(Philox(1, 30 + j).bits(counter, 0)).first;
        design.location[j].values.push_back(x);
        location += x * (j - 2.0);
      }
      design.scale[0].values.push_back(1);
      const Philox::Bits bits = Philox(1, 40).bits(counter, 0);
      y.push_back(location +
                  stable::sample(distribution, Philox::uniform(bits, 0), Philox::uniform(bits, 1)));
    }
    for (stable::DesignColumn& column : design.location) column.name = "x";
  }
};

/// Measures regressions from columns on the host to results there.
template <class ExecSpace>
void time_regressions(benchmark::State& state, const RegressionRows& rows,
                      const std::vector<stable::RegressionTask>& tasks,
                      const stable::RegressionOptions& options) {
  const ExecSpace exec;
  stable::Regressor<ExecSpace> regressor(exec);
  std::vector<stable::RegressionResult> found;
  for (auto _ : state)
    state.SetIterationTime(
        seconds(exec, [&] { found = regressor(rows.design, rows.y, tasks, options); }));
  const auto count = static_cast<double>(tasks.size());
  count_rate(state, "regressions/s", count);
  double evaluations = 0, good = 0;
  for (const stable::RegressionResult& result : found) {
    evaluations += result.evaluations;
    good += result.status <= stable::FitStatus::boundary ? 1 : 0;
  }
  state.counters["mean_evaluations"] = evaluations / count;
  state.counters["converged"] = good / count;
}

/// Regressions of 1000 rows each.
template <class ExecSpace>
void stable_regressions(benchmark::State& state, int regressions, bool standard_errors) {
  constexpr int kRows = 1000;
  const RegressionRows rows(std::int64_t{kRows} * regressions);
  std::vector<stable::RegressionTask> tasks(static_cast<std::size_t>(regressions));
  for (int k = 0; k < regressions; ++k) {
    tasks[k].begin = std::int64_t{k} * kRows;
    tasks[k].count = kRows;
  }
  stable::RegressionOptions options;
  options.tolerance = 1e-8;
  options.standard_errors = standard_errors;
  time_regressions<ExecSpace>(state, rows, tasks, options);
}

/// The regressions of a panel's groups, of 500 to 1500 rows, with standard errors; every 64th has
/// too few rows and is passed over.
template <class ExecSpace>
void stable_regression_groups(benchmark::State& state, int groups) {
  std::vector<stable::RegressionTask> tasks(static_cast<std::size_t>(groups));
  std::int64_t begin = 0;
  for (int k = 0; k < groups; ++k) {
    tasks[k].begin = begin;
    tasks[k].count = k % 64 == 63 ? 7 : 500 + static_cast<int>(std::int64_t{k} * 7919 % 1001);
    begin += tasks[k].count;
  }
  stable::RegressionOptions options;
  options.tolerance = 1e-8;
  options.pass_over = true;
  time_regressions<ExecSpace>(state, RegressionRows(begin), tasks, options);
}

/// GARCH processes of 2000 values, all eight parameters and standard errors, from series on the
/// device to results on the host.
template <class ExecSpace>
void stable_garch(benchmark::State& state, int series) {
  const ExecSpace exec;
  constexpr int kValues = 2000;
  const stable::GarchParameters process{{1.8, 0.2, 0.05, 0.3, -0.1, 0.1, 0.1, 0.8}};
  std::vector<double> values;
  std::vector<stable::GarchTask> tasks(static_cast<std::size_t>(series));
  for (int k = 0; k < series; ++k) {
    const std::vector<double> own =
        stable::simulate(process, kValues, Philox(1, 50), static_cast<std::uint64_t>(k));
    tasks[k].begin = static_cast<std::int64_t>(values.size());
    tasks[k].count = kValues;
    values.insert(values.end(), own.begin(), own.end());
  }
  const StableView<ExecSpace> data = upload(exec, "tessera::bench::data", values);
  stable::GarchFitter<ExecSpace> fitter(exec);
  std::vector<stable::GarchResult> found;
  for (auto _ : state) state.SetIterationTime(seconds(exec, [&] { found = fitter(data, tasks); }));
  count_rate(state, "fits/s", series);
  double evaluations = 0, good = 0;
  for (const stable::GarchResult& fit : found) {
    evaluations += fit.evaluations;
    good += fit.status <= stable::FitStatus::boundary ? 1 : 0;
  }
  state.counters["mean_evaluations"] = evaluations / series;
  state.counters["converged"] = good / series;
}

/// An elliptical law of `dimension` coordinates with unit scales and correlations of 1/2.
inline stable::EllipticalLaw stable_vectors(int dimension) {
  const auto d = static_cast<std::size_t>(dimension);
  stable::EllipticalLaw law{1.6, std::vector<double>(d, 0.0),
                            std::vector(d, std::vector<double>(d, 0.5))};
  for (std::size_t j = 0; j < d; ++j) law.shape[j][j] = 1;
  return law;
}

/// Densities at random vectors (log densities, copied to the host), or a fit of them.
template <class ExecSpace>
void stable_multivariate(benchmark::State& state, int dimension, std::int64_t points, bool fit) {
  const ExecSpace exec;
  const stable::EllipticalLaw law = stable_vectors(dimension);
  const StableView<ExecSpace> data("tessera::bench::points",
                                   static_cast<std::size_t>(points * dimension));
  stable::sample_elliptical(exec, law, Philox(1, 60), 0, data);
  double iterations = 0;
  for (auto _ : state) {
    state.SetIterationTime(seconds(exec, [&] {
      if (fit) {
        iterations = stable::fit_elliptical<ExecSpace>(exec, data, dimension).iterations;
      } else {
        stable::evaluate_elliptical<ExecSpace>(exec, law, data);
      }
    }));
  }
  count_rate(state, fit ? "fits/s" : "points/s", fit ? 1 : static_cast<double>(points));
  if (fit) state.counters["iterations"] = iterations;
}

/// The tests of goodness of fit of a sample of 1000 values by `refits` refits.
template <class ExecSpace>
void stable_goodness(benchmark::State& state, int refits) {
  const ExecSpace exec;
  constexpr int kValues = 1000;
  const StableView<ExecSpace> data("tessera::bench::data", kValues);
  stable::sample_batch<ExecSpace>(exec, 1.7, -0.2, {}, Philox(1, 9), 0, 0, data);
  stable::FitTask whole;
  whole.count = kValues;
  stable::Fitter<ExecSpace> fitter(exec);
  stable::FitOptions options;
  options.goodness = true;
  const stable::FitResult fit = fitter(data, {}, {whole}, options)[0];
  stable::GoodnessTest test;
  for (auto _ : state) {
    state.SetIterationTime(seconds(exec, [&] {
      test = stable::test_goodness<ExecSpace>(exec, fitter, fit, kValues, refits);
    }));
  }
  count_rate(state, "refits/s", refits);
  state.counters["p_value"] = test.anderson_darling.p_value;
  state.counters["failed"] = static_cast<double>(test.anderson_darling.failed);
}

template <class Function>
void add_stable(const std::string& name, const Function& function) {
  benchmark::RegisterBenchmark(name.c_str(), function)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

template <class ExecSpace>
void register_stable(const std::string& backend) {
  using benchmark::State;
  using stable::Quantities;
  for (const auto& [alpha, beta] :
       {std::pair{1.5, 0.5}, {1.8, 0.9}, {1.0, 0.5}, {0.75, 0.5}, {0.5, 0.3}}) {
    char distribution[32];
    std::snprintf(distribution, sizeof distribution, "/%g_%g/", alpha, beta);
    const double a = alpha, b = beta;
    const std::string end = distribution + backend;
    add_stable("stable/table_log_pdf" + end,
               [a, b](State& s) { stable_table<ExecSpace>(s, TableFunction::log_pdf, a, b); });
    add_stable("stable/table_pdf" + end,
               [a, b](State& s) { stable_table<ExecSpace>(s, TableFunction::pdf, a, b); });
    add_stable("stable/table_cdf" + end,
               [a, b](State& s) { stable_table<ExecSpace>(s, TableFunction::cdf, a, b); });
    add_stable("stable/quantile" + end,
               [a, b](State& s) { stable_table<ExecSpace>(s, TableFunction::quantile, a, b); });
    add_stable("stable/sample" + end, [a, b](State& s) { stable_sample<ExecSpace>(s, a, b); });
    add_stable("stable/build_table" + end,
               [a, b](State& s) { stable_build<ExecSpace>(s, false, a, b); });
    add_stable("stable/build_quantiles" + end,
               [a, b](State& s) { stable_build<ExecSpace>(s, true, a, b); });
  }
  for (const int fits : {1, compat::is_gpu_v<ExecSpace> ? 8192 : 64}) {
    add_stable("stable/fit/" + std::to_string(fits) + "/" + backend,
               [fits](State& s) { stable_fits<ExecSpace>(s, fits, false); });
    add_stable("stable/fit_with_report/" + std::to_string(fits) + "/" + backend,
               [fits](State& s) { stable_fits<ExecSpace>(s, fits, true); });
  }
  for (const int regressions : {1, compat::is_gpu_v<ExecSpace> ? 4096 : 32}) {
    for (const bool errors : {false, true}) {
      const std::string kind = errors ? "stable/regress_with_errors/" : "stable/regress/";
      add_stable(kind + std::to_string(regressions) + "/" + backend,
                 [regressions, errors](State& s) {
                   stable_regressions<ExecSpace>(s, regressions, errors);
                 });
    }
  }
  const int regressed = compat::is_gpu_v<ExecSpace> ? 8192 : 64;
  add_stable("stable/regress/groups/" + std::to_string(regressed) + "/" + backend,
             [regressed](State& s) { stable_regression_groups<ExecSpace>(s, regressed); });
  for (const int series : {1, compat::is_gpu_v<ExecSpace> ? 4096 : 32}) {
    add_stable("stable/garch/" + std::to_string(series) + "/" + backend,
               [series](State& s) { stable_garch<ExecSpace>(s, series); });
  }
  for (const int dimension : {3, 30}) {
    const std::int64_t points = compat::is_gpu_v<ExecSpace> ? 1000000 : 2000;
    for (const bool fit : {false, true}) {
      const std::string name = std::string("stable/multivariate_") + (fit ? "fit/" : "density/") +
                               std::to_string(dimension) + "/";
      add_stable(name + backend,
                 [=](State& s) { stable_multivariate<ExecSpace>(s, dimension, points, fit); });
    }
  }
  const int groups = compat::is_gpu_v<ExecSpace> ? 100000 : 200;
  add_stable("stable/panel/" + std::to_string(groups) + "/" + backend,
             [groups](State& s) { stable_panel<ExecSpace>(s, groups); });
  benchmark::RegisterBenchmark(("stable/goodness/9999/" + backend).c_str(),
                               [](State& s) { stable_goodness<ExecSpace>(s, 9999); })
      ->UseManualTime()
      ->Iterations(compat::is_gpu_v<ExecSpace> ? 5 : 1)
      ->Unit(benchmark::kSecond);
  for (const bool pointwise : {true, false}) {
    const std::string kind = pointwise ? "stable/pointwise" : "stable/one_distribution";
    add_stable(kind + "/pdf/" + backend,
               [pointwise](State& s) { stable_direct<ExecSpace>(s, Quantities::pdf, pointwise); });
    add_stable(kind + "/pdf_sf/" + backend,
               [pointwise](State& s) { stable_direct<ExecSpace>(s, Quantities::sf, pointwise); });
    add_stable(kind + "/scores/" + backend, [pointwise](State& s) {
      stable_direct<ExecSpace>(s, Quantities::scores, pointwise);
    });
  }
  for (const int n : {1, 100, 1000, 2000, 3000, 8000}) {
    add_stable("stable/few/" + std::to_string(n) + "/" + backend,
               [n](State& s) { stable_few<ExecSpace>(s, n); });
  }
#if defined(TESSERA_HAVE_LIBSTABLE) && defined(KOKKOS_ENABLE_SERIAL)
  if constexpr (std::is_same_v<ExecSpace, Kokkos::Serial>)
    register_against_libstable<ExecSpace>(backend);
#endif
}

}  // namespace tessera::bench
