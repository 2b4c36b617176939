// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tessera::stable {

namespace {

using io::Meaning;
using io::Shape;

template <class Row, class Member>
std::vector<Member> gather(const std::vector<Row>& rows, Member Row::*member) {
  std::vector<Member> values;
  for (const Row& row : rows) values.push_back(row.*member);
  return values;
}

std::vector<std::int32_t> statuses(const std::vector<FitResult>& fits) {
  std::vector<std::int32_t> values;
  for (const FitResult& fit : fits) values.push_back(static_cast<std::int32_t>(fit.status));
  return values;
}

/// The location in S1.
double mu_s1(const FitResult& fit) {
  return fit.alpha == 1 ? fit.mu - fit.beta * 2 / kPi * fit.sigma * std::log(fit.sigma)
                        : fit.mu - fit.beta * fit.sigma * std::tan(kHalfPi * fit.alpha);
}

void write_parameters(const io::Group& group, const std::vector<FitResult>& fits) {
  group.write("alpha", gather(fits, &FitResult::alpha), Meaning{"1", "stability index"});
  group.write("beta", gather(fits, &FitResult::beta), Meaning{"1", "skewness"});
  group.write("sigma", gather(fits, &FitResult::sigma), Meaning{"1", "scale"});
  group.write("mu", gather(fits, &FitResult::mu), Meaning{"1", "location in S0"});
  std::vector<double> s1, errors;
  for (const FitResult& fit : fits) {
    s1.push_back(mu_s1(fit));
    errors.insert(errors.end(), fit.standard_error, fit.standard_error + 4);
  }
  group.write("mu_s1", s1, Meaning{"1", "location in S1"});
  group.write("se", errors, Shape{fits.size(), 4},
              Meaning{"1", "standard errors of alpha, beta, sigma and mu, from the observed information"});
  group.write("loglik", gather(fits, &FitResult::log_likelihood), Meaning{"1", "log-likelihood"});
  group.write("gradient_norm", gather(fits, &FitResult::gradient_norm),
              Meaning{"1", "largest component of the gradient by the number of values"});
  group.write("boundary_slope", gather(fits, &FitResult::boundary_gradient),
              Meaning{"1", "d loglik/d parameter, outwards, at the end of a range"});
  group.write("ks", gather(fits, &FitResult::kolmogorov_smirnov), Meaning{"1", "Kolmogorov-Smirnov distance from the fitted distribution"});
  group.write("ad", gather(fits, &FitResult::anderson_darling), Meaning{"1", "Anderson-Darling distance from the fitted distribution"});
  group.write("iterations", gather(fits, &FitResult::iterations), Meaning{"1", "quasi-Newton steps"});
  group.write("evaluations", gather(fits, &FitResult::evaluations), Meaning{"1", "evaluations of the likelihood"});
  group.write(
      "status", statuses(fits),
      Meaning{"1", "0 converged, 1 at the end of a range, 2 not converged, 3 too few values, 4 NaN or infinite values, 5 constant values"});
}

}  // namespace

std::string describe(FitStatus status) {
  switch (status) {
    case FitStatus::converged:
      return "converged";
    case FitStatus::boundary:
      return "converged at the end of a range";
    case FitStatus::not_converged:
      return "not converged";
    case FitStatus::too_few:
      return "fewer than five values";
    case FitStatus::not_finite:
      return "NaN or infinite values";
    case FitStatus::constant:
      return "more than half of the values are the same";
  }
  return "unknown";
}

std::string boundary_statement(const FitResult& fit) {
  if (fit.status != FitStatus::boundary) return {};
  const bool alpha = fit.standard_error[0] == 0 && (fit.alpha == kMaxAlpha || fit.alpha == kMinAlpha);
  char text[240];
  std::snprintf(text, sizeof text,
                "the likelihood is largest at the end of the range: %s = %g, and still rises outwards with slope %.3g; "
                "its standard error is one-sided and not given%s",
                alpha ? "alpha" : "beta", alpha ? fit.alpha : fit.beta, fit.boundary_gradient,
                alpha && fit.alpha == 2 ? " (the normal distribution, for which beta means nothing)" : "");
  return text;
}

void write_curves(const io::Group& results, const Curves& c, bool quantiles, bool one_distribution) {
  const std::uint64_t distributions = c.alpha.size(), points = c.points.size();
  const Shape shape = one_distribution ? Shape{points} : Shape{distributions, points};
  if (!one_distribution) {
    results.write("alpha", c.alpha, Meaning{"1", "stability index of each row"});
    results.write("beta", c.beta, Meaning{"1", "skewness of each row"});
  }
  if (!c.table_error.empty())
    results.write("table_error", c.table_error,
                  Meaning{"1",
                          "largest relative error of the table, as found while it was built; 0: above 1e-9, so that the distribution was "
                          "evaluated directly"});
  if (quantiles) {
    results.write("p", c.points, Meaning{"1", "probabilities"});
    results.write("x", c.quantile, shape, Meaning{"1", "quantiles"});
    return;
  }
  results.write("x", c.points, Meaning{"1", "where the distribution is evaluated"});
  results.write("pdf", c.pdf, shape, Meaning{"1", "density"});
  results.write("logpdf", c.log_pdf, shape, Meaning{"1", "logarithm of the density"});
  results.write("cdf", c.cdf, shape, Meaning{"1", "P(X <= x)"});
  results.write("sf", c.sf, shape, Meaning{"1", "P(X > x)"});
  if (c.d_x.empty()) return;
  results.write("dlogpdf_dx", c.d_x, shape, Meaning{"1", "d log pdf/dx"});
  results.write("dlogpdf_dalpha", c.d_alpha, shape, Meaning{"1", "d log pdf/d alpha"});
  results.write("dlogpdf_dbeta", c.d_beta, shape, Meaning{"1", "d log pdf/d beta"});
}

void write_fit(const io::Group& results, const FitResult& fit, const FitPicture& picture) {
  results.write_scalar("alpha", fit.alpha, Meaning{"1", "stability index"});
  results.write_scalar("beta", fit.beta, Meaning{"1", "skewness"});
  results.write_scalar("sigma", fit.sigma, Meaning{"1", "scale"});
  results.write_scalar("mu", fit.mu, Meaning{"1", "location in S0"});
  results.write_scalar("mu_s1", mu_s1(fit), Meaning{"1", "location in S1"});
  results.write("se", std::vector<double>(fit.standard_error, fit.standard_error + 4),
                Meaning{"1", "standard errors of alpha, beta, sigma and mu, from the observed information"});
  results.write_scalar("loglik", fit.log_likelihood, Meaning{"1", "log-likelihood"});
  results.write_scalar("gradient_norm", fit.gradient_norm, Meaning{"1", "largest component of the gradient by the number of values"});
  results.write_scalar("boundary_slope", fit.boundary_gradient, Meaning{"1", "d loglik/d parameter, outwards, at the end of a range"});
  results.write_scalar("ks", fit.kolmogorov_smirnov, Meaning{"1", "Kolmogorov-Smirnov distance from the fitted distribution"});
  results.write_scalar("ad", fit.anderson_darling, Meaning{"1", "Anderson-Darling distance from the fitted distribution"});
  results.write_scalar("iterations", fit.iterations, Meaning{"1", "quasi-Newton steps"});
  results.write_scalar("evaluations", fit.evaluations, Meaning{"1", "evaluations of the likelihood"});
  results.write_scalar("status", static_cast<std::int32_t>(fit.status),
                       Meaning{"1", "0 converged, 1 at the end of a range, 2 not converged"});
  results.write_scalar("status_text", describe(fit.status), Meaning{"1", "the same in words"});
  if (picture.data.empty()) return;
  results.write("data", picture.data, Meaning{"1", "the values, sorted"});
  results.write("cdf", picture.cdf, Meaning{"1", "fitted distribution function at the values"});
  results.write("curve_x", picture.curve_x, Meaning{"1", "where the fitted density is given"});
  results.write("curve_pdf", picture.curve_pdf, Meaning{"1", "fitted density"});
}

void write_comparison(const io::Group& results, const FitResult& full, const FitResult& gauss, const FitResult& cauchy) {
  const io::Group group = results.group("comparison");
  group.write("laws", std::vector<std::string>{"normal", "cauchy"}, Meaning{"1", "distributions that the fitted one is compared with"});
  group.write("loglik", std::vector<double>{gauss.log_likelihood, cauchy.log_likelihood}, Meaning{"1", "their largest log-likelihoods"});
  group.write("sigma", std::vector<double>{gauss.sigma, cauchy.sigma}, Meaning{"1", "their scales"});
  group.write("mu", std::vector<double>{gauss.mu, cauchy.mu}, Meaning{"1", "their locations"});
  const double statistic[2] = {2 * (full.log_likelihood - gauss.log_likelihood), 2 * (full.log_likelihood - cauchy.log_likelihood)};
  group.write("statistic", std::vector<double>(statistic, statistic + 2), Meaning{"1", "twice the difference of log-likelihoods"});
  // Two parameters more: chi-squared with two degrees of freedom, exp(-statistic/2). For the normal distribution, at the end of the range
  // of alpha, it is an upper bound.
  group.write(
      "p_value", std::vector<double>{std::exp(-0.5 * std::max(0.0, statistic[0])), std::exp(-0.5 * std::max(0.0, statistic[1]))},
      Meaning{"1",
              "chi-squared with two degrees of freedom; conservative for the normal distribution, where alpha is at the end of its range"});
}

void write_profile(const io::Group& results, const std::string& name, const std::vector<double>& values,
                   const std::vector<FitResult>& fits) {
  const io::Group group = results.group("profile");
  group.write_scalar("parameter", name, Meaning{"1", "the parameter that is held"});
  group.write("value", values, Meaning{"1", "its values"});
  write_parameters(group, fits);
}

void write_windows(const io::Group& results, const std::vector<FitTask>& tasks, const std::vector<FitResult>& fits) {
  std::vector<std::int64_t> begin;
  for (std::size_t i = 0; i < fits.size(); ++i) begin.push_back(tasks[i].begin);
  results.write("begin", begin, Meaning{"1", "number of the first value of each window"});
  write_parameters(results, fits);
}

void write_map(const io::Group& results, const io::Group& coordinates, const Parameters& p, const std::vector<FitResult>& fits) {
  const std::size_t alphas = p.alphas.size(), betas = p.betas.size(), repeats = static_cast<std::size_t>(p.repeats);
  coordinates.write("alpha", p.alphas, Meaning{"1", "stability index of the distribution sampled"});
  coordinates.write("beta", p.betas, Meaning{"1", "skewness of the distribution sampled"});
  std::vector<double> estimates(alphas * betas * repeats * 4, NAN), bias(alphas * betas * 4, NAN), rmse(bias);
  std::vector<std::int64_t> failed(alphas * betas, 0);
  for (std::size_t cell = 0; cell < alphas * betas; ++cell) {
    const double truth[4] = {p.alphas[cell / betas], p.betas[cell % betas], p.sigma, p.mu};
    double sum[4] = {}, square[4] = {};
    std::size_t count = 0;
    for (std::size_t r = 0; r < repeats; ++r) {
      const std::size_t i = cell * repeats + r;
      if (i >= fits.size()) continue;
      const FitResult& fit = fits[i];
      if (fit.status > FitStatus::boundary) {
        ++failed[cell];
        continue;
      }
      const double found[4] = {fit.alpha, fit.beta, fit.sigma, fit.mu};
      ++count;
      for (int k = 0; k < 4; ++k) {
        estimates[4 * i + k] = found[k];
        sum[k] += found[k] - truth[k];
        square[k] += (found[k] - truth[k]) * (found[k] - truth[k]);
      }
    }
    for (int k = 0; k < 4 && count > 0; ++k) {
      bias[4 * cell + k] = sum[k] / static_cast<double>(count);
      rmse[4 * cell + k] = std::sqrt(square[k] / static_cast<double>(count));
    }
  }
  results.write("estimates", estimates, Shape{alphas, betas, repeats, 4},
                Meaning{"1", "alpha, beta, sigma and mu of every fit; NaN where it failed"});
  results.write("bias", bias, Shape{alphas, betas, 4}, Meaning{"1", "mean of estimate minus truth"});
  results.write("rmse", rmse, Shape{alphas, betas, 4}, Meaning{"1", "root of the mean square of estimate minus truth"});
  results.write("failed", failed, Shape{alphas, betas}, Meaning{"1", "fits that did not converge"});
}

void write_precision(const io::Group& results, const io::Group& coordinates, const Parameters& p, const std::vector<Precision>& found) {
  coordinates.write("alpha", p.alphas, Meaning{"1", "stability index"});
  coordinates.write("beta", p.betas, Meaning{"1", "skewness"});
  if (found.size() != p.alphas.size() * p.betas.size()) return;
  const Shape shape{p.alphas.size(), p.betas.size()};
  const auto write = [&](const std::string& name, double Precision::*member, const std::string& meaning) {
    results.write(name, gather(found, member), shape, Meaning{"1", meaning});
  };
  write("pdf_largest", &Precision::pdf_largest, "largest relative difference of the density from the contour integral");
  write("pdf_mean", &Precision::pdf_mean, "the same, mean");
  write("pdf_median", &Precision::pdf_median, "the same, median");
  write("cdf_largest", &Precision::cdf_largest, "largest difference of the distribution function");
  write("cdf_median", &Precision::cdf_median, "the same, median");
  if (p.by_paper) {
    write("pdf_close", &Precision::pdf_close, "fraction of points at which the density differs by less than 1e-6 of it");
  } else {
    write("quantile_largest", &Precision::quantile_largest, "largest relative difference of P(X <= x(p)) from p, by the smaller tail");
    write("table_error", &Precision::table_error, "largest relative error of the density found while the table was built");
  }
}

void write_speed(const io::Group& results, const io::Group& coordinates, const Parameters& p,
                 const std::vector<std::vector<double>>& seconds) {
  coordinates.write("n", p.speed_points, Meaning{"1", "points of a call"});
  coordinates.write("function", kSpeedFunctions, Meaning{"1", "what is evaluated: density, distribution function, both, quantile"});
  coordinates.write("method", p.speed_methods, Meaning{"1", "how"});
  const std::size_t sizes = seconds.size(), row = kSpeedFunctions.size() * p.speed_methods.size();
  std::vector<double> rates(sizes * row);
  for (std::size_t i = 0; i < sizes * row; ++i) rates[i] = p.speed_points[i / row] / seconds[i / row][i % row];
  results.write("evaluations_per_second", rates, Shape{sizes, kSpeedFunctions.size(), p.speed_methods.size()},
                Meaning{"s-1", "points by the median wall time of a call, tables built before; NaN: the method has no such function"});
}

std::string describe_speed(const Parameters& p, const std::vector<std::vector<double>>& seconds) {
  if (seconds.empty()) return "nothing timed";
  const double n = p.speed_points[seconds.size() - 1];
  char number[32];
  std::snprintf(number, sizeof number, "%.10g", n);
  std::string text = std::string("evaluations a second, ") + number + " points: ";
  std::size_t k = 0;
  for (const std::string& function : kSpeedFunctions) {
    text += (k == 0 ? "" : "; ") + function;
    for (const std::string& method : p.speed_methods) {
      const double time = seconds.back()[k++];
      if (std::isnan(time)) continue;
      std::snprintf(number, sizeof number, " %.3g", n / time);
      text += " " + method + number;
    }
  }
  return text;
}

std::vector<double> pack(const std::vector<FitResult>& fits) {
  std::vector<double> rows;
  for (const FitResult& f : fits) {
    const double row[] = {f.alpha,
                          f.beta,
                          f.sigma,
                          f.mu,
                          f.standard_error[0],
                          f.standard_error[1],
                          f.standard_error[2],
                          f.standard_error[3],
                          f.log_likelihood,
                          f.gradient_norm,
                          f.boundary_gradient,
                          f.start_alpha,
                          f.start_beta,
                          f.kolmogorov_smirnov,
                          f.anderson_darling,
                          static_cast<double>(f.iterations),
                          static_cast<double>(f.evaluations),
                          static_cast<double>(static_cast<int>(f.status))};
    rows.insert(rows.end(), std::begin(row), std::end(row));
  }
  return rows;
}

std::vector<FitResult> unpack(const std::vector<double>& rows) {
  constexpr std::size_t kSize = 18;
  std::vector<FitResult> fits(rows.size() / kSize);
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const double* r = &rows[kSize * i];
    FitResult& f = fits[i];
    f.alpha = r[0];
    f.beta = r[1];
    f.sigma = r[2];
    f.mu = r[3];
    for (int k = 0; k < 4; ++k) f.standard_error[k] = r[4 + k];
    f.log_likelihood = r[8];
    f.gradient_norm = r[9];
    f.boundary_gradient = r[10];
    f.start_alpha = r[11];
    f.start_beta = r[12];
    f.kolmogorov_smirnov = r[13];
    f.anderson_darling = r[14];
    f.iterations = static_cast<std::int32_t>(r[15]);
    f.evaluations = static_cast<std::int32_t>(r[16]);
    f.status = static_cast<FitStatus>(static_cast<int>(r[17]));
  }
  return fits;
}

}  // namespace tessera::stable
