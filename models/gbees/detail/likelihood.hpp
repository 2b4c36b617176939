// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/gbees/detail/step_context.hpp"
#include "tessera/gbees/observation.hpp"

/// Bayes' rule on the cells of the grid.

namespace tessera::gbees::detail {

/// A Gaussian likelihood as kernels need it. Refers to memory of the execution space that LikelihoodData owns.
template <int D>
struct Likelihood {
  static constexpr int kMax = 8;
  expression::Functions<D + 1> h;
  int count = 0;
  const double* numbers = nullptr;  ///< values, periods and the inverse covariance, row by row

  /// h_a(x) - z_a, of angles the shortest way round.
  KOKKOS_INLINE_FUNCTION double residual(int a, const Vector<D>& x, double t) const {
    const double r = h(a, [&](int j) { return j < D ? x[j] : t; }) - numbers[a];
    const double period = numbers[count + a];
    return period > 0 ? r - period * compat::math::floor(r / period + 0.5) : r;
  }

  /// Minus twice its logarithm, up to a constant: (h(x) - z)^T R^-1 (h(x) - z).
  KOKKOS_INLINE_FUNCTION double squared_distance(const Vector<D>& x, double t) const {
    double residual[kMax];
    for (int a = 0; a < count; ++a) residual[a] = this->residual(a, x, t);
    double form = 0;
    for (int a = 0; a < count; ++a) {
      for (int b = 0; b < count; ++b) form += residual[a] * numbers[(2 + a) * count + b] * residual[b];
    }
    return form;
  }
};

template <int D, class ExecSpace>
struct LikelihoodData {
  Kokkos::View<expression::Instruction*, ExecSpace> code;
  Kokkos::View<double*, ExecSpace> numbers;
  Likelihood<D> likelihood;
  double log_peak = 0;  ///< its logarithm where h(x) = z

  explicit LikelihoodData(const Observation& observation) {
    const std::size_t m = observation.values.size();
    if (m < 1 || m > Likelihood<D>::kMax || observation.h.count() != m || (!observation.period.empty() && observation.period.size() != m)) {
      throw Error(ErrorKind::input, "gbees: a measurement has 1 to 8 quantities, and a value and a period for each");
    }
    std::vector<double> packed = observation.values;
    packed.resize(2 * m, 0.0);
    std::copy(observation.period.begin(), observation.period.end(), packed.begin() + static_cast<std::ptrdiff_t>(m));
    double log_determinant = 0;
    for (const auto& row : linalg::inverse_positive_definite(observation.covariance, &log_determinant)) {
      packed.insert(packed.end(), row.begin(), row.end());
    }
    log_peak = -0.5 * (static_cast<double>(m) * std::log(2 * 3.14159265358979323846) + log_determinant);
    const ExecSpace exec;
    code = upload(exec, "tessera::gbees::measurement_code", observation.h.code);
    numbers = upload(exec, "tessera::gbees::measurement", packed);
    likelihood.h = observation.h.template functions<D + 1>(code.data());
    likelihood.count = static_cast<int>(m);
    likelihood.numbers = numbers.data();
  }
};

/// The largest |h_a(x) - z_a| of the cells that hold mass.
template <class Context>
struct LargestResidual {
  static constexpr const char* label = "tessera::gbees::largest_residual";
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  Likelihood<Context::D> likelihood;
  int quantity;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c, double& largest) const {
    if (!(view.mass[c] > 0)) return;
    const double residual = likelihood.residual(quantity, s.velocity.grid.centre(s.key(c)), s.state().time);
    largest = compat::max(largest, compat::math::fabs(residual));
  }
};

/// Sums of p r and p r^2, where r is a residual in units of the largest.
struct ResidualMoments {
  ExactSum mass, first, second;
  KOKKOS_INLINE_FUNCTION ResidualMoments& operator+=(const ResidualMoments& other) {
    mass += other.mass;
    first += other.first;
    second += other.second;
    return *this;
  }
};

template <class Context>
struct SumResiduals {
  static constexpr const char* label = "tessera::gbees::residuals";
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  Likelihood<Context::D> likelihood;
  int quantity;
  double unit;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c, ResidualMoments& sums) const {
    const double p = view.mass[c] * view.scale;
    if (!(p > 0)) return;
    const double r = likelihood.residual(quantity, s.velocity.grid.centre(s.key(c)), s.state().time) / unit;
    sums.mass.add(p);
    sums.first.add(p * r);
    sums.second.add(p * r * r);
  }
};

/// The least of (h(x) - z)^T R^-1 (h(x) - z) - 2 ln p over the cells: minus twice the logarithm of the largest product of likelihood, in
/// units of its peak, and probability.
template <class Context>
struct LeastDistance {
  static constexpr const char* label = "tessera::gbees::least_distance";
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  Likelihood<Context::D> likelihood;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c, double& least) const {
    const double p = view.mass[c] * view.scale;
    if (!(p > 0)) return;
    const double form = likelihood.squared_distance(s.velocity.grid.centre(s.key(c)), s.state().time);
    least = compat::min(least, form - 2 * compat::math::log(p));
  }
};

/// Bayes' rule: multiplies each cell's mass by the likelihood at its centre, divided by exp(-least / 2); sums the product.
template <class Context>
struct Observe {
  static constexpr const char* label = "tessera::gbees::observe";
  static constexpr int D = Context::D;
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  Likelihood<D> likelihood;
  double least;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c, ExactSum& sum) const {
    const double form = likelihood.squared_distance(s.velocity.grid.centre(s.key(c)), s.state().time) - least;
    const auto mass = static_cast<typename Context::Real>(view.mass[c] * view.scale * compat::math::exp(-0.5 * form));
    view.mass[c] = mass;
    sum.add(mass);
  }
};

}  // namespace tessera::gbees::detail
