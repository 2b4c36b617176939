// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/covariance/host_correlation.hpp"

#include "tessera/gp/covariance/correlation.hpp"
#include "tessera/gp/covariance/legendre_matern.hpp"

namespace tessera::gp {

namespace {

/// Returns a correlation as a function of the square, which it takes times a factor.
template <class Correlation>
std::function<double(double)> squared_distance_function(const Correlation& correlation,
                                                        double factor) {
  return [correlation, factor](double s) { return correlation.value(s * factor); };
}

}  // namespace

std::function<double(double)> host_correlation(const CovarianceModel& model, const Theta& theta) {
  if (model.legendre_terms > 0) {
    const LegendreTable<Kokkos::DefaultHostExecutionSpace> table(
        {}, model.legendre_terms, theta[model.shape()], model.radius / theta[model.beta()]);
    return [table](double s) { return table.function().value(s); };
  }
  const double factor =
      model.convention == RangeConvention::scaled ? 2 * matern_smoothness(model, theta) : 1;
  switch (model.family) {
    case Family::matern: {
      const bessel::MaternTable<Kokkos::DefaultHostExecutionSpace> table(theta[model.shape()]);
      return [table, factor](double s) { return table.at_square(s * factor); };
    }
    case Family::matern12:
      return squared_distance_function(HalfIntegerMatern{0}, factor);
    case Family::matern32:
      return squared_distance_function(HalfIntegerMatern{1}, factor);
    case Family::matern52:
      return squared_distance_function(HalfIntegerMatern{2}, factor);
    case Family::powered_exponential:
      return squared_distance_function(PoweredExponential{theta[model.shape()]}, factor);
    case Family::squared_exponential:
      break;
  }
  return squared_distance_function(PoweredExponential{2}, factor);
}

}  // namespace tessera::gp
