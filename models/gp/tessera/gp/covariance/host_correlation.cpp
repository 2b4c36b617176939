// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/covariance/host_correlation.hpp"

#include "tessera/gp/covariance/correlation.hpp"

namespace tessera::gp {

namespace {

/// Returns a correlation as a function of the square, with the factor 2 nu of the scaled convention
/// in front of it.
template <class Correlation>
std::function<double(double)> squared_distance_function(const CovarianceModel& model,
                                                        const Correlation& correlation, double nu) {
  const double factor = model.convention == RangeConvention::scaled ? 2 * nu : 1;
  return [correlation, factor](double s) { return correlation.value(s * factor); };
}

}  // namespace

std::function<double(double)> host_correlation(const CovarianceModel& model, const Theta& theta) {
  switch (model.family) {
    case Family::matern: {
      const bessel::MaternTable<Kokkos::DefaultHostExecutionSpace> table(theta[model.shape()]);
      const double factor = model.convention == RangeConvention::scaled ? 2 * table.nu() : 1;
      return [table, factor](double s) { return table.at_square(s * factor); };
    }
    case Family::matern12:
      return squared_distance_function(model, HalfIntegerMatern{0}, 0.5);
    case Family::matern32:
      return squared_distance_function(model, HalfIntegerMatern{1}, 1.5);
    case Family::matern52:
      return squared_distance_function(model, HalfIntegerMatern{2}, 2.5);
    case Family::powered_exponential:
      return squared_distance_function(model, PoweredExponential{theta[model.shape()]}, 0);
    case Family::squared_exponential:
      break;
  }
  return squared_distance_function(model, PoweredExponential{2}, 0);
}

}  // namespace tessera::gp
