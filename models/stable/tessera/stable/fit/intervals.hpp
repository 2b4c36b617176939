// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/stable/fit/bootstrap.hpp"
#include "tessera/stable/fit/distribution_quantity.hpp"
#include "tessera/stable/fit/profile_search.hpp"

/// Confidence intervals of a fit: of alpha, beta, sigma and mu, and of quantiles, values at risk
/// and expected shortfalls.
///
/// Wald: estimate +- z sqrt(g' C g), with g the gradient of the quantity and C the inverse of the
/// observed information or, where the sample may not be of a stable distribution, the sandwich; of
/// sigma on a logarithmic scale. Cut off at the ends of the ranges. Parameters that the fit has at
/// the end of their range count as known.
///
/// Profile likelihood: all values c of the quantity with 2 (ln L_max - ln L(c)) <= K, where ln L(c)
/// is the largest log-likelihood with the quantity held at c and K the quantile of the chi-squared
/// distribution with one degree of freedom. Next to the ends of the ranges, where that distribution
/// does not hold, K can be found by bootstrap (bootstrapped_profile_intervals): an end c is where
/// the signed root of the likelihood ratio, sqrt(K) towards the estimate, is exceeded by (1 -
/// level)/2 of those of samples drawn from the distribution held at c. (T. J. DiCiccio and B.
/// Efron, Stat. Sci. 11 (1996) 189; test inversion with both tails alike.)
///
/// Bootstrap: of refits of samples of the fitted distribution (bootstrap.hpp), the bias-corrected
/// percentiles of B. Efron and R. Tibshirani, An Introduction to the Bootstrap (1993), chapter 14.
///
/// Domain: unweighted or weighted samples as of fits (bootstrap: unweighted); a fit that has
/// converged, with standard errors.
///
/// Accuracy: ends of profile intervals to 1e-4 of the interval. How often intervals at 95 % hold
/// the truth is in models/stable/STATISTICS.md.
///
/// Errors: Error (input) for a fit that has failed, a level outside (0, 1) and quantities that do
/// not exist (probabilities outside (0, 1)). An end that cannot be found is NaN: a Wald interval
/// where the fit is at the end of a range, a shortfall for alpha <= 1.
///
/// Example (tests/install/examples/stable.cpp):
///
///     const std::vector<stable::Quantity> what{{stable::QuantityKind::alpha}, {stable::QuantityKind::value_at_risk, 0.99}};
///     const auto profiles = stable::profile_intervals<ExecSpace>(fitter, x, {}, task, fits[0], what, 0.95);
///     const stable::Interval wald = stable::wald_interval(what[0], fits[0], 0.95);
namespace tessera::stable {

/// An interval from lower to upper, both included.
struct Interval {
  double lower = NAN, upper = NAN;
};

/// A profile interval and the profile where it was evaluated on the way: values of the quantity, in
/// ascending order, and 2 (ln L_max - ln L).
struct ProfileInterval : Interval {
  std::vector<double> value, deviance;
};

/// The p quantile of the standard normal distribution; K for a level.
double normal_quantile(double p);
double critical_deviance(double level);

/// K of the lower (side 0) or the upper end of an interval, from pairs of refits: for each sample
/// that with the quantity held at `value`, then the full one.
double find_critical_deviance(const std::vector<FitResult>& refits, const Quantity& quantity,
                              double value, int side, double level);

/// Returns whether the end of the range of alpha, 2, is so near a fit that the chi-squared
/// distribution does not hold for alpha: 2 is no farther from the upper end of its interval than
/// that end is from the estimate.
bool is_next_to_normal(const FitResult& fit, const Interval& alpha);

Interval wald_interval(const Quantity& quantity, const FitResult& fit, double level,
                       bool sandwich = false);

Interval bootstrap_interval(const Quantity& quantity, const FitResult& fit,
                            const std::vector<FitResult>& refits, double level);

/// The critical deviances of the lower and the upper end of an interval.
struct CriticalDeviances {
  double lower = NAN, upper = NAN;
};

/// A deviance search for both ends of the interval of every quantity.
class ProfileSearches {
 public:
  ProfileSearches(const FitTask& task, const FitResult& fit,
                  const std::vector<Quantity>& quantities,
                  const std::vector<CriticalDeviances>& critical);

  /// The fits that are wanted next; empty when all ends have been found.
  std::vector<FitTask> next();
  void take(const std::vector<FitResult>& fits);
  std::vector<ProfileInterval> intervals() const;
  /// The distribution held at an end: that of the last fit of the search.
  const FourParameters& at_end(std::size_t quantity, int side) const {
    return m_ends[2 * quantity + static_cast<std::size_t>(side)].start;
  }

 private:
  struct End {
    detail::ProfileSearch search;
    FourParameters start;
    std::size_t quantity;
  };

  double next_value(const End& end) const;

  FitTask m_task;
  FitResult m_fit;
  std::vector<Quantity> m_quantities;
  std::vector<End> m_ends;  ///< lower and upper of each quantity
  std::vector<std::size_t> m_asked;
  std::vector<std::vector<std::pair<double, double>>> m_curves;
};

/// Fits for a profile: from the held distribution before, without standard errors.
FitOptions profile_options();

/// Profile intervals of all quantities at once. `task` and the data are those of `fit`; a quantity
/// that it fixes has an interval of no width. Waits for the results.
template <class ExecSpace>
std::vector<ProfileInterval> profile_intervals(Fitter<ExecSpace>& fitter,
                                               const typename Fitter<ExecSpace>::Data& data,
                                               const typename Fitter<ExecSpace>::Data& weights,
                                               const FitTask& task, const FitResult& fit,
                                               const std::vector<Quantity>& quantities,
                                               double level) {
  const double critical = critical_deviance(level);
  ProfileSearches searches(task, fit, quantities,
                           std::vector<CriticalDeviances>(quantities.size(), {critical, critical}));
  for (std::vector<FitTask> tasks = searches.next(); !tasks.empty(); tasks = searches.next()) {
    searches.take(fitter(data, weights, tasks, profile_options()));
  }
  return searches.intervals();
}

/// The critical deviance of the end at `value`, where the distribution held there is `truth`: of
/// `refits` samples of it.
template <class ExecSpace>
double bootstrap_critical_deviance(Bootstrap<ExecSpace>& bootstrap, Fitter<ExecSpace>& fitter,
                                   const Quantity& quantity, double value, int side,
                                   const FourParameters& truth, const FitTask& task, double level,
                                   std::int64_t refits, const Philox& random) {
  BootstrapPlan plan;
  plan.truth = truth;
  plan.size = task.count;
  plan.hypotheses = {hold(quantity, value, task, truth), task};
  plan.random = random;
  plan.options.goodness = false;
  return find_critical_deviance(bootstrap(fitter, plan, 0, refits), quantity, value, side, level);
}

/// Profile intervals with critical deviances by bootstrap, for fits at or next to the end of a
/// range: the chi-squared value gives a first interval, at whose ends the critical deviances are
/// found that give the second one, and so on. Two rounds of `refits` samples an end.
template <class ExecSpace>
std::vector<ProfileInterval> bootstrapped_profile_intervals(
    Bootstrap<ExecSpace>& bootstrap, Fitter<ExecSpace>& fitter,
    const typename Fitter<ExecSpace>::Data& data, const FitTask& task, const FitResult& fit,
    const std::vector<Quantity>& quantities, double level, std::int64_t refits,
    const Philox& random) {
  const double first = critical_deviance(level);
  std::vector<CriticalDeviances> critical(quantities.size(), {first, first});
  for (int round = 0;; ++round) {
    ProfileSearches searches(task, fit, quantities, critical);
    for (std::vector<FitTask> tasks = searches.next(); !tasks.empty(); tasks = searches.next()) {
      searches.take(fitter(data, {}, tasks, profile_options()));
    }
    const std::vector<ProfileInterval> found = searches.intervals();
    if (round == 2) return found;
    for (std::size_t k = 0; k < quantities.size(); ++k) {
      const auto at = [&](double value, int side) {
        return std::isnan(value) ? first
                                 : bootstrap_critical_deviance<ExecSpace>(
                                       bootstrap, fitter, quantities[k], value, side,
                                       searches.at_end(k, side), task, level, refits, random);
      };
      critical[k] = {at(found[k].lower, 0), at(found[k].upper, 1)};
    }
  }
}

}  // namespace tessera::stable
