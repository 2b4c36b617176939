// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/tasks/fit_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <type_traits>

#include "tessera/stable/fit/goodness.hpp"
#include "tessera/stable/law/quantile_function.hpp"
#include "tessera/stable/law/stable_distribution.hpp"

namespace tessera::stable {

namespace {

using io::Attributes;
using io::Shape;

/// Writes fits one by one, as scalars, or all together, as arrays.
class FitWriter {
 public:
  FitWriter(const io::Group& group, const std::vector<FitResult>& fits, bool scalar)
      : m_group(group), m_fits(fits), m_scalar(scalar) {}

  /// A member, or a function, of every fit.
  template <class Value>
  void write(const std::string& name, const Value& value, const std::string& long_name) const {
    using T = std::decay_t<decltype(std::invoke(value, m_fits[0]))>;
    std::vector<T> values;
    for (const FitResult& fit : m_fits) values.push_back(std::invoke(value, fit));
    if (m_scalar) {
      m_group.write_scalar(name, values[0], Attributes{"1", long_name});
    } else {
      m_group.write(name, values, Attributes{"1", long_name});
    }
  }

  void write_standard_errors() const {
    std::vector<double> errors;
    for (const FitResult& fit : m_fits)
      errors.insert(errors.end(), fit.standard_error, fit.standard_error + 4);
    m_group.write("se", errors, m_scalar ? Shape{4} : Shape{m_fits.size(), 4},
                  Attributes{"1",
                             "standard errors of alpha, beta, sigma and mu, from the observed "
                             "information; 0: fixed; NaN: at the end of its range, or not known"});
  }

 private:
  const io::Group& m_group;
  const std::vector<FitResult>& m_fits;
  bool m_scalar;
};

/// Quantiles of the fitted distribution from 1e-9 to 1 - 1e-9, even in ln(p/(1 - p)).
void write_quantile_function(const io::Group& group, const FitResult& fit) {
  constexpr int kPoints = 241;
  const double end = std::log(1e9 - 1);
  const StableDistribution distribution(fit.alpha, fit.beta);
  std::vector<double> p, x;
  for (int i = 0; i < kPoints; ++i) {
    const double log_odds = end * (2.0 * i / (kPoints - 1) - 1),
                 below = 1 / (1 + std::exp(-log_odds)), above = 1 / (1 + std::exp(log_odds));
    p.push_back(below);
    x.push_back(fit.mu + fit.sigma * (below < 0.5 ? quantile(distribution, below)
                                                  : upper_quantile(distribution, above)));
  }
  group.write("quantile_p", p, Attributes{"1", "probabilities of fitted quantiles"});
  group.write("quantile_x", x, Attributes{"1", "fitted quantiles"});
}

void write_all(const FitWriter& out) {
  out.write("alpha", &FitResult::alpha, "stability index");
  out.write("beta", &FitResult::beta, "skewness");
  out.write("sigma", &FitResult::sigma, "scale");
  out.write("mu", &FitResult::mu, "location in S0");
  out.write("mu_s1", mu_s1, "location in S1");
  out.write_standard_errors();
  out.write("loglik", &FitResult::log_likelihood, "log-likelihood");
  out.write("gradient_norm", &FitResult::gradient_norm,
            "largest component of the gradient by the number of values");
  out.write("boundary_slope", &FitResult::boundary_gradient,
            "d loglik/d parameter, outwards, at the end of a range");
  out.write("ks", &FitResult::kolmogorov_smirnov,
            "Kolmogorov-Smirnov distance from the fitted distribution");
  out.write("ad", &FitResult::anderson_darling,
            "Anderson-Darling distance from the fitted distribution");
  out.write("cvm", &FitResult::cramer_von_mises,
            "Cramer-von Mises distance from the fitted distribution");
  out.write("iterations", &FitResult::iterations,
            "quasi-Newton steps, or iterations of the estimator");
  out.write("evaluations", &FitResult::evaluations, "evaluations of the likelihood");
  out.write(
      "status", [](const FitResult& fit) { return static_cast<std::int32_t>(fit.status); },
      "0 converged, 1 at the end of a range, 2 not converged, 3 too few values, 4 NaN or infinite "
      "values, 5 constant values");
}

}  // namespace

double mu_s1(const FitResult& fit) {
  return fit.alpha == 1 ? fit.mu - fit.beta * 2 / kPi * fit.sigma * std::log(fit.sigma)
                        : fit.mu - fit.beta * fit.sigma * std::tan(kHalfPi * fit.alpha);
}

std::string describe(FitStatus status) {
  switch (status) {
    case FitStatus::converged:
      return "converged";
    case FitStatus::boundary:
      return "converged at the end of a range";
    case FitStatus::not_converged:
      return "not converged";
    case FitStatus::too_few:
      return "fewer than five values (or weights above zero)";
    case FitStatus::not_finite:
      return "NaN or infinite values";
    case FitStatus::constant:
      return "more than half of the values are the same";
    case FitStatus::collinear:
      return "collinear regressors";
  }
  return "unknown";
}

bool is_at_bound(const FitResult& fit, int k) {
  if (fit.status != FitStatus::boundary || !std::isnan(fit.standard_error[k])) return false;
  const bool alpha =
      std::isnan(fit.standard_error[0]) && (fit.alpha == kMaxAlpha || fit.alpha == kMinAlpha);
  return k == 0 ? alpha : k == 1 && (std::fabs(fit.beta) == 1 || (alpha && fit.alpha == kMaxAlpha));
}

std::string describe(const FitResult& fit) {
  const auto error = [&](int k, const char* format) -> std::string {
    if (is_at_bound(fit, k)) return "at bound";
    if (std::isnan(fit.standard_error[k])) return "no error";
    if (fit.standard_error[k] == 0) return "fixed";
    char text[40];
    std::snprintf(text, sizeof text, format, fit.standard_error[k]);
    return text;
  };
  char text[280];
  std::snprintf(
      text, sizeof text,
      "alpha %.5f (%s), beta %.5f (%s), sigma %.6g (%s), mu %.6g (%s), log-likelihood %.6f, %s",
      fit.alpha, error(0, "%.5f").c_str(), fit.beta, error(1, "%.5f").c_str(), fit.sigma,
      error(2, "%.2g").c_str(), fit.mu, error(3, "%.2g").c_str(), fit.log_likelihood,
      describe(fit.status).c_str());
  return text;
}

std::string describe_boundary(const FitResult& fit) {
  if (fit.status != FitStatus::boundary) return {};
  const bool alpha = is_at_bound(fit, 0);
  char text[240];
  std::snprintf(
      text, sizeof text,
      "the likelihood is largest at the end of the range: %s = %g, and still rises outwards with "
      "slope %.3g; its standard error is one-sided and not given%s",
      alpha ? "alpha" : "beta", alpha ? fit.alpha : fit.beta, fit.boundary_gradient,
      alpha && fit.alpha == 2 ? " (the normal distribution, for which beta means nothing)" : "");
  return text;
}

std::string warn_of_failed(const std::vector<FitResult>& fits, const std::string& which) {
  std::vector<FitStatus> status;
  for (const FitResult& fit : fits) status.push_back(fit.status);
  return warn_of_failed(status, which);
}

std::string warn_of_failed(const std::vector<FitStatus>& status, const std::string& which) {
  const auto failed = std::count_if(status.begin(), status.end(),
                                    [](FitStatus s) { return s > FitStatus::boundary; });
  if (failed == 0) return {};
  const auto searched = std::count(status.begin(), status.end(), FitStatus::not_converged);
  return std::to_string(failed) + " of " + std::to_string(status.size()) + " " + which +
         " failed: " + std::to_string(searched) + " have not converged, " +
         std::to_string(failed - searched) + " were not possible";
}

std::string describe_counts(const std::vector<FitResult>& fits) {
  const auto failed = std::count_if(
      fits.begin(), fits.end(), [](const FitResult& f) { return f.status > FitStatus::boundary; });
  const auto ends = std::count_if(
      fits.begin(), fits.end(), [](const FitResult& f) { return f.status == FitStatus::boundary; });
  return std::to_string(fits.size()) + " fits, " + std::to_string(ends) +
         " of them at the end of a range, " + std::to_string(failed) +
         " not converged or not possible";
}

void write_fits(const io::Group& group, const std::vector<FitResult>& fits) {
  write_all(FitWriter(group, fits, false));
}

void write_fit(const io::Group& group, const FitResult& fit, const FitPicture& picture) {
  const std::vector<FitResult> one{fit};
  write_all(FitWriter(group, one, true));
  group.write_scalar("status_text", describe(fit.status), Attributes{"1", "the status in words"});
  if (picture.data.empty()) return;
  group.write("data", picture.data, Attributes{"1", "the values, sorted"});
  group.write("cdf", picture.cdf, Attributes{"1", "fitted distribution function at the values"});
  group.write("curve_x", picture.curve_x, Attributes{"1", "where the fitted density is given"});
  group.write("curve_pdf", picture.curve_pdf, Attributes{"1", "fitted density"});
  write_quantile_function(group, fit);
}

void write_comparison(const io::Group& results, const FitResult& full,
                      const std::vector<FitResult>& restricted) {
  std::vector<std::string> names;
  std::vector<double> likelihood, sigma, mu, statistic, p;
  for (std::size_t k = 0; k < restricted.size(); ++k) {
    const FitResult& fit = restricted[k];
    names.push_back(name(kHypotheses[k]));
    likelihood.push_back(fit.log_likelihood);
    sigma.push_back(fit.sigma);
    mu.push_back(fit.mu);
    statistic.push_back(2 * (full.log_likelihood - fit.log_likelihood));
    const double s = std::max(0.0, statistic.back());
    p.push_back(count_fixed(kHypotheses[k]) == 2 ? std::exp(-0.5 * s)
                                                 : std::erfc(std::sqrt(0.5 * s)));
  }
  const io::Group group = results.group("comparison");
  group.write("laws", names, Attributes{"1", "distributions that the fitted one is compared with"});
  group.write("loglik", likelihood, Attributes{"1", "their largest log-likelihoods"});
  group.write("sigma", sigma, Attributes{"1", "their scales"});
  group.write("mu", mu, Attributes{"1", "their locations"});
  group.write("statistic", statistic, Attributes{"1", "twice the difference of log-likelihoods"});
  group.write("p_value", p,
              Attributes{"1",
                         "chi-squared with as many degrees of freedom as parameters are fixed "
                         "(two; symmetric: one); an upper bound for the normal distribution, where "
                         "alpha is at the end of its range"});
}

void write_profile(const io::Group& results, const std::string& name,
                   const std::vector<double>& values, const std::vector<FitResult>& fits) {
  const io::Group group = results.group("profile");
  group.write_scalar("parameter", name, Attributes{"1", "the parameter that is held"});
  group.write("value", values, Attributes{"1", "its values"});
  write_fits(group, fits);
}

}  // namespace tessera::stable
