// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/hardware.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::gp {

/// The Matern correlation on the sphere by a series of Legendre polynomials of the great-circle
/// angle t (Guinness and Fuentes, Journal of Multivariate Analysis 143, 2016),
///
///     psi(t) = sum_l a_l P_l(cos t) / sum_l a_l,     a_l = (kappa^2 + l^2)^-(nu + 1/2),
///
/// l = 0 ... L, kappa = radius / beta. All a_l are positive, so that it is positive definite for
/// every nu > 0 and every L (Schoenberg 1942). A functor of correlation.hpp, whose u is t kappa; in
/// the place of u dM/du there is kappa dpsi/dkappa, which is what the derivative in beta needs. The
/// table must outlive the kernels that use this. Error: 1e-14 of value, 1e-13 of derivatives, for L
/// up to 3000.
struct LegendreMatern {
  /// Chebyshev coefficients of psi and its derivatives between equidistant angles.
  static constexpr int kNodes = 20;
  const double* coefficient = nullptr;  ///< intervals x 3 x kNodes
  int intervals = 1;
  double intervals_per_u = 1;

  KOKKOS_INLINE_FUNCTION double interpolate(double s, int which) const {
    const double at = compat::math::sqrt(s) * intervals_per_u;
    const int i = at < intervals - 1 ? static_cast<int>(at) : intervals - 1;
    const double x = 2 * (at - i) - 1;
    const double* const c = coefficient + (static_cast<std::int64_t>(i) * 3 + which) * kNodes;
    double b = 0, before = 0;
    for (int k = kNodes - 1; k > 0; --k) {
      const double next = c[k] + 2 * x * b - before;
      before = b;
      b = next;
    }
    return c[0] + x * b - before;
  }
  KOKKOS_INLINE_FUNCTION double value(double s) const { return s > 0 ? interpolate(s, 0) : 1; }
  KOKKOS_INLINE_FUNCTION void derivatives(double s, double& m, double& u_dm_du,
                                          double& dm_dshape) const {
    m = value(s);
    u_dm_du = s > 0 ? interpolate(s, 1) : 0;
    dm_dshape = s > 0 ? interpolate(s, 2) : 0;
  }
};

/// Returns the sum of a_l / a_0 from `first` on to L, or where L is 0 a bound of that to infinity.
inline double legendre_sum(double nu, double kappa, int first, int terms) {
  if (terms == 0)  // the integral from first - 1 on, of l^-(2 nu + 1)
    return std::pow(kappa, 2 * nu + 1) * std::pow(first - 1.0, -2 * nu) / (2 * nu);
  double sum = 0;
  for (int l = terms; l >= first; --l)
    sum += std::exp(-(nu + 0.5) * std::log1p(l / kappa * (l / kappa)));
  return sum;
}

/// Returns a bound of the share of the variance of the whole series that stands beyond L: of what
/// changes over distances shorter than pi radius / L.
inline double legendre_tail(double nu, double kappa, int terms) {
  const double rest = legendre_sum(nu, kappa, terms + 1, 0);
  return rest / (rest + legendre_sum(nu, kappa, 0, terms));
}

namespace detail {

/// The sums of the series, and of its derivatives, at the nodes of each interval: on a CPU at all
/// of them at a time, one a SIMD lane.
template <class ExecSpace>
struct SumLegendreSeries {
  static constexpr int kTogether = compat::is_gpu_v<ExecSpace> ? 1 : LegendreMatern::kNodes;
  // of each l: the weights of P_l in the three sums, l / (l + 1) and (2 l + 1) / (l + 1)
  static constexpr int kColumns = 5;
  Kokkos::View<const double**, Kokkos::LayoutRight, ExecSpace> weight;
  Kokkos::Array<double, LegendreMatern::kNodes> node;  // from 0 to 1
  double width;                                        // of an interval
  Kokkos::View<double***, Kokkos::LayoutRight, ExecSpace> sum;

  /// P_l by their differences, which lose no digits near 0; beyond a right angle P_l(-x) = (-1)^l
  /// P_l(x).
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t at) const {
    constexpr double kRightAngle = 1.5707963267948966;
    const std::int64_t first = at * kTogether, interval = first / LegendreMatern::kNodes;
    const int first_node = static_cast<int>(first % LegendreMatern::kNodes);
    double y[kTogether], side[kTogether], sign[kTogether], p[kTogether], difference[kTogether];
    double of_value[kTogether], of_range[kTogether], of_shape[kTogether];
    for (int k = 0; k < kTogether; ++k) {
      const double angle = (static_cast<double>(interval) + node[first_node + k]) * width;
      const bool far = angle > kRightAngle;
      const double half = far ? compat::math::cos(0.5 * angle) : compat::math::sin(0.5 * angle);
      y[k] = 2 * half * half;
      side[k] = far ? -1 : 1;
      sign[k] = p[k] = 1;
      difference[k] = of_value[k] = of_range[k] = of_shape[k] = 0;
    }
    const double* const weights = weight.data();
    const auto terms = static_cast<std::int64_t>(weight.extent(0));
    for (std::int64_t l = 0; l < terms; ++l) {
      const double* const w = weights + l * kColumns;
      const double w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3], w4 = w[4];
      TESSERA_VECTORIZE
      for (int k = 0; k < kTogether; ++k) {
        const double value = p[k] * sign[k];
        of_value[k] += w0 * value;
        of_range[k] += w1 * value;
        of_shape[k] += w2 * value;
        difference[k] = w3 * difference[k] - w4 * y[k] * p[k];
        p[k] += difference[k];
        sign[k] *= side[k];
      }
    }
    for (int k = 0; k < kTogether; ++k) {
      sum(interval, 0, first_node + k) = of_value[k];
      sum(interval, 1, first_node + k) = of_range[k];
      sum(interval, 2, first_node + k) = of_shape[k];
    }
  }
};

/// Chebyshev coefficients from the values at the nodes.
template <class ExecSpace>
struct FindChebyshev {
  Kokkos::View<const double**, Kokkos::LayoutRight, ExecSpace> transform;  // kNodes x kNodes
  Kokkos::View<const double***, Kokkos::LayoutRight, ExecSpace> sum;
  Kokkos::View<double***, Kokkos::LayoutRight, ExecSpace> coefficient;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t at) const {
    const int j = static_cast<int>(at % LegendreMatern::kNodes);
    const std::int64_t interval = at / LegendreMatern::kNodes / 3;
    const int w = static_cast<int>(at / LegendreMatern::kNodes % 3);
    double total = 0;
    for (int k = 0; k < LegendreMatern::kNodes; ++k) total += transform(j, k) * sum(interval, w, k);
    coefficient(interval, w, j) = total;
  }
};

}  // namespace detail

/// The table of LegendreMatern, filled on the device for one nu and one kappa: some 16 L^2 terms.
template <class ExecSpace>
class LegendreTable {
 public:
  LegendreTable(const ExecSpace& exec, int terms, double nu, double kappa)
      : m_nu(nu), m_kappa(kappa) {
    constexpr double kPi = 3.14159265358979323846;
    constexpr int kNodes = LegendreMatern::kNodes;
    m_intervals = static_cast<int>(std::ceil(kPi * terms / 4));
    const auto sum = allocate<Numbers>(exec, "tessera::gp::legendre_sums", m_intervals, 3, kNodes);
    m_coefficient = allocate<Numbers>(exec, "tessera::gp::legendre_table", m_intervals, 3, kNodes);
    using SumSeries = detail::SumLegendreSeries<ExecSpace>;
    SumSeries sums{
        upload_rows(exec, weights(terms), SumSeries::kColumns), {}, kPi / m_intervals, sum};
    std::vector<double> transform;
    for (int j = 0; j < kNodes; ++j) {
      sums.node[j] = 0.5 * (1 + std::cos(kPi * (j + 0.5) / kNodes));
      for (int k = 0; k < kNodes; ++k)
        transform.push_back((j == 0 ? 1.0 : 2.0) / kNodes * std::cos(kPi * j * (k + 0.5) / kNodes));
    }
    using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
    const std::int64_t nodes = std::int64_t(m_intervals) * kNodes;
    Kokkos::parallel_for("tessera::gp::sum_legendre_series",
                         Range(exec, 0, nodes / SumSeries::kTogether), sums);
    Kokkos::parallel_for(
        "tessera::gp::find_chebyshev", Range(exec, 0, 3 * nodes),
        detail::FindChebyshev<ExecSpace>{upload_rows(exec, transform, kNodes), sum, m_coefficient});
    exec.fence();
  }

  double nu() const { return m_nu; }
  double kappa() const { return m_kappa; }
  LegendreMatern function() const {
    constexpr double kPi = 3.14159265358979323846;
    return {m_coefficient.data(), m_intervals, m_intervals / (kPi * m_kappa)};
  }

 private:
  using Numbers = Kokkos::View<double***, Kokkos::LayoutRight, ExecSpace>;
  using Rows = Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace>;

  /// The columns of SumLegendreSeries, for psi, kappa dpsi/dkappa and dpsi/dnu.
  std::vector<double> weights(int terms) const {
    const double whole = legendre_sum(m_nu, m_kappa, 0, terms);
    std::vector<double> weight;
    double mean[2] = {0, 0};
    for (int l = 0; l <= terms; ++l) {
      const double square = l / m_kappa * (l / m_kappa), log = std::log1p(square),
                   own = std::exp(-(m_nu + 0.5) * log) / whole;
      // of log a_l
      const double slope[2] = {(2 * m_nu + 1) * square / (1 + square), -log};
      weight.insert(weight.end(),
                    {own, own * slope[0], own * slope[1], l / (l + 1.0), (2 * l + 1) / (l + 1.0)});
      for (int w = 0; w < 2; ++w) mean[w] += own * slope[w];
    }
    for (std::size_t k = 0; k < weight.size(); k += 5) {
      for (std::size_t w = 0; w < 2; ++w) weight[k + 1 + w] -= weight[k] * mean[w];
    }
    return weight;
  }
  static Rows upload_rows(const ExecSpace& exec, const std::vector<double>& values,
                          std::size_t columns) {
    const Rows rows =
        allocate<Rows>(exec, "tessera::gp::legendre_rows", values.size() / columns, columns);
    copy_from_host(exec, rows.data(), values.data(), values.size());
    return rows;
  }

  double m_nu, m_kappa;
  int m_intervals = 1;
  Numbers m_coefficient;
};

}  // namespace tessera::gp
