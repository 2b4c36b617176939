// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The examples of tessera::stable, of which its README and its headers show parts.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <string>
#include <tessera/stable/fit/fit.hpp>
#include <tessera/stable/fit/goodness.hpp>
#include <tessera/stable/fit/intervals.hpp>
#include <tessera/stable/fit/series_panel.hpp>
#include <tessera/stable/garch/backtest.hpp>
#include <tessera/stable/garch/garch.hpp>
#include <tessera/stable/law/absolute_mean.hpp>
#include <tessera/stable/law/batch.hpp>
#include <tessera/stable/law/quantile_function.hpp>
#include <tessera/stable/law/radial.hpp>
#include <tessera/stable/law/sample.hpp>
#include <tessera/stable/law/table.hpp>
#include <tessera/stable/multivariate/elliptical.hpp>
#include <tessera/stable/regression/regression.hpp>
#include <vector>

namespace stable = tessera::stable;
using ExecSpace = Kokkos::DefaultExecutionSpace;
using View = Kokkos::View<double*, ExecSpace>;

double first(const View& values) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values)(0);
}

bool close(double found, double expected, double tolerance) {
  const bool good = std::fabs(found - expected) <= tolerance;
  if (!good) std::printf("%.15g instead of %.15g\n", found, expected);
  return good;
}

/// One point at a time, on the host; kernels call the same functions.
bool evaluate_points() {
  const stable::StableDistribution distribution(1.5, 0.5);  // alpha, beta
  const stable::Evaluation at_2 = stable::evaluate<stable::Quantities::scores>(distribution, 2.0);
  std::printf("pdf %.15g, P(X > 2) %.15g, score %.15g\n", at_2.pdf, at_2.sf, at_2.d_x);

  const double median = stable::quantile(distribution, 0.5);
  const double far_out = stable::upper_quantile(distribution, 1e-12);  // P(X > far_out) = 1e-12

  return close(stable::evaluate<stable::Quantities::sf>(distribution, median).cdf, 0.5, 1e-12) &&
         close(stable::evaluate<stable::Quantities::sf>(distribution, far_out).sf * 1e12, 1,
               1e-9) &&
         close(stable::quantile(distribution, at_2.cdf), 2, 1e-10);
}

/// A sample, its fit, and many points of the fitted distribution.
bool sample_fit_and_tabulate() {
  const ExecSpace exec;
  const int n = 10000;
  const View x("x", n);
  const tessera::Philox random(2026, 0);  // seed, stream
  stable::sample_batch<ExecSpace>(exec, 1.5, 0.5, {}, random, 0, 0, x);

  stable::FitTask task;
  task.count = n;  // values 0 ... n - 1 of the data
  stable::Fitter<ExecSpace> fitter(exec);
  const std::vector<stable::FitResult> fits = fitter(x, {}, {task});
  std::printf("alpha %.4f +- %.4f, beta %.4f +- %.4f\n", fits[0].alpha, fits[0].standard_error[0],
              fits[0].beta, fits[0].standard_error[1]);

  const View log_pdf("log_pdf", n), p("p", n), quantile("quantile", n);
  const stable::Table<ExecSpace> table(exec, 1.5, 0.5);
  table.log_pdf(exec, x, log_pdf);
  table.cdf(exec, x, p);
  const stable::QuantileTable<ExecSpace> quantiles(exec, table);
  quantiles(exec, p, quantile);

  stable::EvaluationViews<ExecSpace> out;
  out.pdf = View("pdf", n);
  out.sf = View("sf", n);
  stable::EvaluationScratch<ExecSpace> scratch;  // keep it for the next calls
  stable::evaluate_batch<ExecSpace>(exec, 1.5, 0.5, {}, x, out, scratch);

  return fits[0].status == stable::FitStatus::converged &&
         close(fits[0].alpha, 1.5, 5 * fits[0].standard_error[0]) &&
         close(first(log_pdf), std::log(first(out.pdf)), 1e-11) &&
         close(first(p) + first(out.sf), 1, 1e-11) &&
         close(first(quantile), first(x), 1e-9 * (1 + std::fabs(first(x))));
}

/// Intervals of a parameter and of a value at risk.
bool find_intervals() {
  const ExecSpace exec;
  const View x("x", 500);
  stable::sample_batch<ExecSpace>(exec, 1.5, 0.5, {}, tessera::Philox(2026, 1), 0, 0, x);
  stable::FitTask task;
  task.count = 500;
  stable::Fitter<ExecSpace> fitter(exec);
  const std::vector<stable::FitResult> fits = fitter(x, {}, {task});

  const std::vector<stable::Quantity> what{{stable::QuantityKind::alpha},
                                           {stable::QuantityKind::value_at_risk, 0.99}};
  const auto profiles =
      stable::profile_intervals<ExecSpace>(fitter, x, {}, task, fits[0], what, 0.95);
  const stable::Interval wald = stable::wald_interval(what[0], fits[0], 0.95);
  std::printf("alpha in [%.3f, %.3f], VaR in [%.2f, %.2f]\n", wald.lower, wald.upper,
              profiles[1].lower, profiles[1].upper);

  const stable::StableDistribution distribution(1.5, 0.5);
  const double shortfall = stable::expected_shortfall(distribution, 0.01);
  return close(profiles[0].lower, wald.lower, 0.02) &&
         shortfall > -stable::quantile(distribution, 0.01);
}

/// One fit for each group of rows.
bool fit_a_panel() {
  const ExecSpace exec;
  std::vector<double> values;
  std::vector<std::string> labels;
  for (int row = 0; row < 600; ++row) {
    const tessera::Philox::Bits bits = tessera::Philox(2026, 3).bits(row, 0);
    const stable::StableDistribution distribution(row % 3 == 0 ? 1.2 : 1.8, 0);
    values.push_back(stable::sample(distribution, tessera::Philox::uniform(bits, 0),
                                    tessera::Philox::uniform(bits, 1)));
    labels.emplace_back(row % 3 == 0 ? "heavy" : "light");
  }

  stable::Fitter<ExecSpace> fitter(exec);
  // one row of values and labels after the other
  const stable::Panel panel = stable::group_rows(values, labels);
  // 0: whole series
  const std::vector<stable::PanelWindow> windows = stable::find_windows(panel.series, 0, 1);
  const auto fits = fitter(tessera::upload(exec, "values", panel.values), {},
                           stable::make_tasks(panel.series, windows));
  for (std::size_t k = 0; k < fits.size(); ++k)
    std::printf("%s: alpha %.2f\n", panel.series[k].label.c_str(), fits[k].alpha);
  return fits.size() == 2 && close(fits[0].alpha, 1.2, 0.4) && close(fits[1].alpha, 1.8, 0.4);
}

/// A line through points with stable errors.
bool regress() {
  const ExecSpace exec;
  const int n = 500;
  std::vector<double> ones, market, y;
  const stable::StableDistribution errors(1.6, 0);
  for (int row = 0; row < n; ++row) {
    const tessera::Philox::Bits bits = tessera::Philox(2026, 4).bits(row, 0);
    ones.push_back(1);
    market.push_back(std::sin(row));
    y.push_back(0.5 + 2 * market[row] +
                stable::sample(errors, tessera::Philox::uniform(bits, 0),
                               tessera::Philox::uniform(bits, 1)));
  }

  stable::Design design;
  design.location = {{"1", ones}, {"market", market}};
  design.scale = {{"1", ones}};
  stable::RegressionTask task;
  task.count = n;  // rows 0 ... n - 1
  stable::Regressor<ExecSpace> regressor(exec);
  const std::vector<stable::RegressionResult> found = regressor(design, y, {task});
  std::printf("market: %.2f +- %.2f\n", found[0].location[1], found[0].standard_error[3]);
  return close(found[0].location[1], 2, 4 * found[0].standard_error[3]);
}

/// A series whose scale changes, and the risk of its next value.
bool forecast_a_risk() {
  const ExecSpace exec;
  const int n = 1000;
  const stable::GarchParameters truth{{1.8, 0, 0.1, 0, 0, 0.1, 0.1, 0.8}};
  const View x =
      tessera::upload(exec, "returns", stable::simulate(truth, n, tessera::Philox(2026, 5), 0));

  stable::GarchTask task;
  task.count = n;  // values 0 ... n - 1 of the series
  stable::GarchFitter<ExecSpace> fitter(exec);
  const stable::GarchResult fit = fitter(x, {task})[0];
  const stable::GarchForecast next = stable::forecast(fit.parameters, fit.last);
  const auto risks = stable::find_tail_risks(exec, {fit.parameters}, {0.01});
  // exceeded with probability 0.01
  const double value_at_risk = risks[0].tails[0].value_at_risk(next);
  std::printf("value at risk %.2f, persistence %.2f\n", value_at_risk, risks[0].persistence);

  const double mean = stable::absolute_mean(stable::StableDistribution(2, 0));  // 2/sqrt(pi)
  const stable::KupiecTest test = stable::test_exceedances(17, 1000, 0.01);
  return close(fit.parameters[stable::GarchParameter::b], 0.8, 5 * fit.standard_error[7]) &&
         value_at_risk > 0 && close(mean, 1.1283791670955126, 1e-9) && test.p_value < 0.05;
}

/// Vectors with heavy tails, and the law that they are of.
bool fit_vectors() {
  const ExecSpace exec;
  const int n = 1000;
  const stable::EllipticalLaw law{1.6, {0, 1}, {{1, 0.5}, {0.5, 2}}};  // alpha, location, shape
  const View points("points", 2 * n);                                  // one vector after the other
  stable::sample_elliptical(exec, law, tessera::Philox(2026, 6), 0, points);
  const stable::EllipticalFit fit = stable::fit_elliptical<ExecSpace>(exec, points, 2);
  std::printf("alpha %.2f +- %.2f\n", fit.law.alpha, fit.alpha_error);

  const stable::RadialDensity<ExecSpace> density(exec, 1.5, 3, 100);  // alpha, d, farthest r
  // Kernels call mixture.at(r * r).log_pdf.
  const stable::RadialMixture<ExecSpace> mixture = density.mixture();
  double at_two = 0;
  Kokkos::parallel_reduce(
      "radial", Kokkos::RangePolicy<ExecSpace>(exec, 0, 1),
      KOKKOS_LAMBDA(int, double& sum) {
        const double log_pdf = mixture.at(2.0 * 2.0).log_pdf;  // of r^2
        sum += log_pdf;
      },
      at_two);
  return close(fit.law.alpha, 1.6, 4 * fit.alpha_error) &&
         close(fit.law.shape[0][1], 0.5, 4 * fit.shape_error[0][1]) && at_two < -4;
}

/// Refits of samples from a fitted distribution, and what they say about the fit.
bool test_a_fit() {
  const ExecSpace exec;
  const int n = 500;
  const View x("x", n);
  stable::sample_batch<ExecSpace>(exec, 1.5, 0.5, {}, tessera::Philox(2026, 1), 0, 0, x);
  stable::FitTask task;
  task.count = n;

  stable::FitOptions options;
  options.goodness = true;
  stable::Fitter<ExecSpace> fitter(exec);
  const std::vector<stable::FitResult> fits = fitter(x, {}, {task}, options);
  const stable::GoodnessTest test = stable::test_goodness<ExecSpace>(exec, fitter, fits[0], n, 99);
  std::printf("p of Anderson and Darling: %.2f\n", test.anderson_darling.p_value);

  stable::BootstrapPlan plan;
  plan.truth = fits[0].parameters();
  plan.size = n;
  stable::Bootstrap<ExecSpace> bootstrap(exec);
  // These are the fits of samples 0 ... 98.
  const std::vector<stable::FitResult> refits = bootstrap(fitter, plan, 0, 99);

  double mean = 0;
  for (const stable::FitResult& refit : refits) mean += refit.alpha / 99;
  return test.anderson_darling.p_value > 0.01 &&
         close(mean, fits[0].alpha, fits[0].standard_error[0]);
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return evaluate_points() && sample_fit_and_tabulate() && find_intervals() && fit_a_panel() &&
                 regress() && forecast_a_risk() && fit_vectors() && test_a_fit()
             ? 0
             : 1;
}
