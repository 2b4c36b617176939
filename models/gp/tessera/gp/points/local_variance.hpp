// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "tessera/gp/covariance/covariance.hpp"
#include "tessera/gp/covariance/local_model.hpp"
#include "tessera/gp/covariance/warp.hpp"
#include "tessera/gp/points/points.hpp"

/// What a covariance has at one point, also where it is not stationary.

namespace tessera::gp {

/// Returns the variance of the field at a point, and of its errors but for those known.
double field_variance(const CovarianceModel& model, const Theta& theta, const Points& points,
                      std::size_t i);
double nugget_variance(const CovarianceModel& model, const Theta& theta, const Points& points,
                       std::size_t i);

/// Returns the ratio of the range at a point to beta.
double range_ratio(const CovarianceModel& model, const Theta& theta, const Points& points,
                   std::size_t i);

/// Returns the function by which a coordinate is warped.
Warp make_warp(const CovarianceModel& model, const Theta& theta, int coordinate);

/// Returns whether the covariates of the covariance are the same at two points.
bool have_equal_covariates(const Points& points, std::size_t i, std::size_t j);

namespace detail {

/// The coefficients of covariates, for use in kernels.
struct LocalCoefficients {
  int count = 0;
  int covariate[kMostLocalCoefficients] = {};
  int kind[kMostLocalCoefficients] = {};  ///< LocalTerms::Kind
  double value[kMostLocalCoefficients] = {}, centre[kMostLocalCoefficients] = {};

  static LocalCoefficients make(const CovarianceModel& model, const Theta& theta);
};

}  // namespace detail

}  // namespace tessera::gp
