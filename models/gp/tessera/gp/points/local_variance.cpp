// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/points/local_variance.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/gp/covariance/local_covariance.hpp"

namespace tessera::gp {

namespace {

/// Returns by what factor a point's covariates change a parameter.
double ratio(const CovarianceModel& model, const Theta& theta, const Points& points, std::size_t i,
             LocalTerms::Kind kind) {
  const detail::LocalCoefficients all = detail::LocalCoefficients::make(model, theta);
  double exponent = 0;
  for (int k = 0; k < all.count; ++k) {
    if (all.kind[k] != kind) continue;
    const double x = points.local[static_cast<std::size_t>(all.covariate[k])][i];
    exponent += all.value[k] * (x - all.centre[k]);
  }
  return std::exp(exponent);
}

}  // namespace

double field_variance(const CovarianceModel& model, const Theta& theta, const Points& points,
                      std::size_t i) {
  const double variance = field_variance(model, theta, points.variable_of(i));
  return model.local.sigma2.empty()
             ? variance
             : variance * ratio(model, theta, points, i, LocalTerms::kOfVariance);
}

double nugget_variance(const CovarianceModel& model, const Theta& theta, const Points& points,
                       std::size_t i) {
  const double variance = nugget_variance(model, theta, points.variable_of(i));
  return model.local.nugget.empty()
             ? variance
             : variance * ratio(model, theta, points, i, LocalTerms::kOfNugget);
}

double range_ratio(const CovarianceModel& model, const Theta& theta, const Points& points,
                   std::size_t i) {
  return model.local.beta.empty() ? 1 : ratio(model, theta, points, i, LocalTerms::kOfRange);
}

Warp make_warp(const CovarianceModel& model, const Theta& theta, int coordinate) {
  const LocalModel& local = model.local;
  const auto c = static_cast<std::size_t>(coordinate);
  return Warp::make(local.knots, local.first[c], local.last[c],
                    theta.data() + model.first_of_local() + local.first_of_warp() +
                        coordinate * local.warp_coefficients());
}

bool have_equal_covariates(const Points& points, std::size_t i, std::size_t j) {
  return std::all_of(points.local.begin(), points.local.end(),
                     [&](const std::vector<double>& x) { return x[i] == x[j]; });
}

namespace detail {

LocalCoefficients LocalCoefficients::make(const CovarianceModel& model, const Theta& theta) {
  LocalCoefficients all;
  const LocalModel& local = model.local;
  all.count = local.first_of_warp();
  for (int k = 0; k < all.count; ++k) {
    const int covariate = local.covariate(k);
    all.covariate[k] = covariate;
    all.kind[k] = k < local.first_of_range()    ? LocalTerms::kOfVariance
                  : k < local.first_of_nugget() ? LocalTerms::kOfRange
                                                : LocalTerms::kOfNugget;
    all.value[k] = theta[static_cast<std::size_t>(model.first_of_local() + k)];
    all.centre[k] = local.centre[static_cast<std::size_t>(covariate)];
  }
  return all;
}

}  // namespace detail

}  // namespace tessera::gp
