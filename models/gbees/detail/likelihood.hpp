// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/expression/loaded_program.hpp"
#include "tessera/gbees/detail/step_context.hpp"
#include "tessera/gbees/observation.hpp"

/// Bayes' rule on the cells of the grid.

namespace tessera::gbees::detail {

/// A likelihood as kernels need it. Refers to memory of the execution space that LikelihoodData owns.
template <int D>
struct Likelihood {
  static constexpr int kMax = 8;
  using Kind = Observation::Kind;
  Kind kind = Kind::gaussian;
  expression::Functions<D + 1> h;
  int count = 0;                    ///< of quantities that were measured
  double degrees = 0;               ///< of freedom, of Student's errors
  const double* numbers = nullptr;  ///< values, periods and the inverse covariance, row by row; or values, periods and 1 / scales

  /// h_a(x) - z_a, of angles the shortest way round.
  KOKKOS_INLINE_FUNCTION double residual(int a, const Vector<D>& x, double t) const {
    const double r = function(a, x, t) - numbers[a];
    const double period = numbers[count + a];
    return period > 0 ? r - period * compat::math::floor(r / period + 0.5) : r;
  }

  /// h_a(x).
  KOKKOS_INLINE_FUNCTION double function(int a, const Vector<D>& x, double t) const {
    return h(a, [&](int j) { return j < D ? x[j] : t; });
  }

  /// Minus twice its logarithm in units of its peak; infinite where it vanishes. Of errors that is (h(x) - z)^T R^-1 (h(x) - z).
  KOKKOS_INLINE_FUNCTION double distance(const Vector<D>& x, double t) const {
    if (kind == Kind::gaussian) return squared_distance(x, t);
    if (kind == Kind::student) return student_distance(x, t);
    return plain_distance(function(0, x, t));
  }

  /// The same, but minus infinity where h(x) can be no likelihood.
  KOKKOS_INLINE_FUNCTION double checked_distance(const Vector<D>& x, double t) const {
    if (kind == Kind::gaussian || kind == Kind::student) return distance(x, t);
    const double h_x = function(0, x, t);
    return can_be(h_x) ? plain_distance(h_x) : -kInfinity;
  }

  /// The likelihood in units of its peak, and of exp(-least / 2).
  KOKKOS_INLINE_FUNCTION double value(const Vector<D>& x, double t, double least) const {
    if (kind == Kind::gaussian || kind == Kind::student) return compat::math::exp(-0.5 * (distance(x, t) - least));
    return plain(function(0, x, t)) * compat::math::exp(0.5 * least);
  }

  /// Whether h(x) can be a likelihood, or the probability of a detection.
  KOKKOS_INLINE_FUNCTION bool is_valid(const Vector<D>& x, double t) const {
    return kind == Kind::gaussian || kind == Kind::student || can_be(function(0, x, t));
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity(), kLargest = std::numeric_limits<double>::max();

  // Of one that is given as it is, by h(x):
  KOKKOS_INLINE_FUNCTION bool can_be(double h_x) const { return h_x >= 0 && h_x <= (kind == Kind::missed ? 1 : kLargest); }
  KOKKOS_INLINE_FUNCTION double plain(double h_x) const { return kind == Kind::missed ? 1 - h_x : h_x; }
  KOKKOS_INLINE_FUNCTION double plain_distance(double h_x) const { return plain(h_x) > 0 ? -2 * compat::math::log(plain(h_x)) : kInfinity; }

  KOKKOS_INLINE_FUNCTION double squared_distance(const Vector<D>& x, double t) const {
    double residual[kMax];
    for (int a = 0; a < count; ++a) residual[a] = this->residual(a, x, t);
    double form = 0;
    for (int a = 0; a < count; ++a) {
      for (int b = 0; b < count; ++b) form += residual[a] * numbers[(2 + a) * count + b] * residual[b];
    }
    return form;
  }

  KOKKOS_INLINE_FUNCTION double student_distance(const Vector<D>& x, double t) const {
    double sum = 0;
    for (int a = 0; a < count; ++a) {
      const double r = residual(a, x, t) * numbers[2 * count + a];
      sum += (degrees + 1) * compat::math::log(1 + r * r / degrees);
    }
    return sum;
  }
};

template <int D, class ExecSpace>
struct LikelihoodData {
  expression::LoadedProgram<ExecSpace> program;
  Kokkos::View<double*, ExecSpace> numbers;
  Likelihood<D> likelihood;
  double log_peak = 0;  ///< its logarithm where h(x) = z; of one that is given as it is, 0

  explicit LikelihoodData(const Observation& observation) {
    using Kind = Observation::Kind;
    const std::size_t m = observation.values.size();
    const bool has_values = observation.has_values();
    if (has_values ? m < 1 || m > Likelihood<D>::kMax || observation.h.count() != m ||
                         (!observation.period.empty() && observation.period.size() != m)
                   : m > 0 || observation.h.count() != 1) {
      throw Error(ErrorKind::input,
                  "gbees: a measurement has 1 to 8 quantities, and a value and a period for each; a likelihood is one function");
    }
    std::vector<double> packed = observation.values;
    packed.resize(2 * m, 0.0);
    std::copy(observation.period.begin(), observation.period.end(), packed.begin() + static_cast<std::ptrdiff_t>(m));
    if (observation.kind == Kind::gaussian) add_gaussian(observation, packed);
    if (observation.kind == Kind::student) add_student(observation, packed);
    const ExecSpace exec;
    program = expression::LoadedProgram<ExecSpace>(exec, "tessera::gbees::measurement_code", observation.h);
    numbers = upload(exec, "tessera::gbees::measurement", packed);
    likelihood.kind = observation.kind;
    likelihood.h = program.template functions<D + 1>(observation.h);
    likelihood.count = static_cast<int>(m);
    likelihood.degrees = observation.degrees;
    likelihood.numbers = numbers.data();
  }

 private:
  void add_gaussian(const Observation& observation, std::vector<double>& packed) {
    double log_determinant = 0;
    for (const auto& row : linalg::inverse_positive_definite(observation.covariance, &log_determinant)) {
      packed.insert(packed.end(), row.begin(), row.end());
    }
    log_peak = -0.5 * (static_cast<double>(observation.values.size()) * std::log(2 * 3.14159265358979323846) + log_determinant);
  }

  void add_student(const Observation& observation, std::vector<double>& packed) {
    const double degrees = observation.degrees;
    if (observation.scale.size() != observation.values.size() || !(degrees > 0)) {
      throw Error(ErrorKind::input, "gbees: errors of Student's distribution have a scale each, and positive degrees of freedom");
    }
    for (const double scale : observation.scale) {
      packed.push_back(1 / scale);
      log_peak += std::lgamma(0.5 * (degrees + 1)) - std::lgamma(0.5 * degrees) - 0.5 * std::log(degrees * 3.14159265358979323846) -
                  std::log(scale);
    }
  }
};

/// The largest |h_a(x) - z_a| of the cells that hold mass, negative: the smallest of -|h_a(x) - z_a|.
template <class Context>
struct LargestResidual {
  static constexpr const char* label = "tessera::gbees::largest_residual";
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  Likelihood<Context::D> likelihood;
  int quantity;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c, double& smallest) const {
    if (!(view.mass[c] > 0)) return;
    const double residual = likelihood.residual(quantity, s.velocity.grid.centre(s.key(c)), s.state().time);
    smallest = compat::min(smallest, -compat::math::fabs(residual));
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

/// The first cell, by key, that holds mass and where a likelihood is none.
template <class Context>
struct FirstInvalid {
  static constexpr const char* label = "tessera::gbees::invalid_likelihood";
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  Likelihood<Context::D> likelihood;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c, typename Context::KeyWord& first) const {
    if (!(view.mass[c] > 0)) return;
    const auto key = s.key(c);
    if (!likelihood.is_valid(s.velocity.grid.centre(key), s.state().time)) first = compat::min(first, key);
  }
};

/// The least of Likelihood::distance - 2 ln p over the cells: minus twice the logarithm of the largest product of likelihood, in units of
/// its peak, and probability. Minus infinity where on some cell there is no likelihood.
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
    const double form = likelihood.checked_distance(s.velocity.grid.centre(s.key(c)), s.state().time);
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
    if (view.mass[c] == 0) return;  // a likelihood need not be finite there
    const double factor = likelihood.value(s.velocity.grid.centre(s.key(c)), s.state().time, least);
    const auto mass = static_cast<typename Context::Real>(view.mass[c] * view.scale * factor);
    view.mass[c] = mass;
    sum.add(mass);
  }
};

}  // namespace tessera::gbees::detail
