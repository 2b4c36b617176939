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
#include "tessera/gbees/grid/loop.hpp"
#include "tessera/gbees/grid/observation.hpp"
#include "tessera/gbees/step/step_context.hpp"

/// Bayes' rule on the cells of the grid.

namespace tessera::gbees::detail {

/// A likelihood as kernels need it. Refers to memory of the execution space that LikelihoodData
/// owns.
template <int D>
struct Likelihood {
  static constexpr int kMax = 8;
  using Kind = Observation::Kind;
  Kind kind = Kind::gaussian;
  expression::Functions<D + 1> h;
  int count = 0;       ///< of quantities that were measured
  double degrees = 0;  ///< of freedom, of Student's errors
  /// values, periods and the inverse covariance, row by row; or values, periods and 1 / scales
  const double* numbers = nullptr;

  /// h_a(x).
  KOKKOS_INLINE_FUNCTION double function(int a, const Vector<D>& x, double t) const {
    return h(a, [&](int j) { return j < D ? x[j] : t; });
  }

  /// h_a(x) - z_a, of angles the shortest way round.
  KOKKOS_INLINE_FUNCTION double residual(int a, const Vector<D>& x, double t) const {
    const double r = function(a, x, t) - numbers[a];
    const double period = numbers[count + a];
    return period > 0 ? r - period * compat::math::floor(r / period + 0.5) : r;
  }

  KOKKOS_INLINE_FUNCTION bool has_values() const {
    return kind == Kind::gaussian || kind == Kind::student;
  }

  /// Returns the number of its arguments: of the residuals or, where the likelihood is given as it
  /// is, of h(x) alone.
  KOKKOS_INLINE_FUNCTION int terms() const { return has_values() ? count : 1; }
  KOKKOS_INLINE_FUNCTION double term(int a, const Vector<D>& x, double t) const {
    return has_values() ? residual(a, x, t) : function(0, x, t);
  }

  /// Minus twice its logarithm in units of its peak; infinite where it vanishes. Of errors that is
  /// (h(x) - z)^T R^-1 (h(x) - z).
  KOKKOS_INLINE_FUNCTION double distance(const double* term) const {
    if (kind == Kind::gaussian) return squared_distance(term);
    if (kind == Kind::student) return student_distance(term);
    return plain(term[0]) > 0 ? -2 * compat::math::log(plain(term[0])) : kInfinity;
  }
  KOKKOS_INLINE_FUNCTION double distance(const Vector<D>& x, double t) const {
    double term[kMax];
    for (int a = 0; a < terms(); ++a) term[a] = this->term(a, x, t);
    return distance(term);
  }

  /// The likelihood in units of its peak, and of exp(-least / 2).
  KOKKOS_INLINE_FUNCTION double value(const double* term, double least) const {
    if (has_values()) return compat::math::exp(-0.5 * (distance(term) - least));
    return plain(term[0]) * compat::math::exp(0.5 * least);
  }

  /// Returns whether h(x), whose terms lie so far from what was measured, is a number; where the
  /// likelihood is given as it is, whether h(x) can be a likelihood or the probability of a
  /// detection.
  KOKKOS_INLINE_FUNCTION bool is_valid(const double* term, double distance) const {
    if (has_values()) return distance == distance;
    return term[0] >= 0 && term[0] <= (kind == Kind::missed ? 1 : kLargest);
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                          kLargest = std::numeric_limits<double>::max();

  /// Returns a likelihood that is given as it is, by h(x).
  KOKKOS_INLINE_FUNCTION double plain(double h_x) const {
    return kind == Kind::missed ? 1 - h_x : h_x;
  }

  KOKKOS_INLINE_FUNCTION double squared_distance(const double* residual) const {
    double form = 0;
    for (int a = 0; a < count; ++a) {
      for (int b = 0; b < count; ++b)
        form += residual[a] * numbers[(2 + a) * count + b] * residual[b];
    }
    if (form == form) return form;
    form = 0;  // infinite residuals times zeros: infinite, unless another is no number
    for (int a = 0; a < count; ++a) form += compat::math::fabs(residual[a]);
    return form;
  }

  KOKKOS_INLINE_FUNCTION double student_distance(const double* residual) const {
    double sum = 0;
    for (int a = 0; a < count; ++a) {
      const double r = residual[a] * numbers[2 * count + a];
      sum = compat::fma(degrees + 1, compat::math::log(1 + r * r / degrees), sum);
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
                  "gbees: a measurement has 1 to 8 quantities, and a value and a period for each; "
                  "a likelihood is one function");
    }
    std::vector<double> packed = observation.values;
    packed.resize(2 * m, 0.0);
    std::copy(observation.period.begin(), observation.period.end(),
              packed.begin() + static_cast<std::ptrdiff_t>(m));
    if (observation.kind == Kind::gaussian) add_gaussian(observation, packed);
    if (observation.kind == Kind::student) add_student(observation, packed);
    const ExecSpace exec;
    program = expression::LoadedProgram<ExecSpace>(exec, "tessera::gbees::measurement_code",
                                                   observation.h);
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
    for (const auto& row :
         linalg::inverse_positive_definite(observation.covariance, &log_determinant)) {
      packed.insert(packed.end(), row.begin(), row.end());
    }
    log_peak = -0.5 * (static_cast<double>(observation.values.size()) *
                           std::log(2 * 3.14159265358979323846) +
                       log_determinant);
  }

  void add_student(const Observation& observation, std::vector<double>& packed) {
    const double degrees = observation.degrees;
    if (observation.scale.size() != observation.values.size() || !(degrees > 0)) {
      throw Error(ErrorKind::input,
                  "gbees: errors of Student's distribution have a scale each, and positive degrees "
                  "of freedom");
    }
    for (const double scale : observation.scale) {
      packed.push_back(1 / scale);
      log_peak += std::lgamma(0.5 * (degrees + 1)) - std::lgamma(0.5 * degrees) -
                  0.5 * std::log(degrees * 3.14159265358979323846) - std::log(scale);
    }
  }
};

/// The terms of a likelihood at each cell, kept from the first pass of an update to the next in
/// memory that is free meanwhile: h is what a pass takes its time for. Terms that there is no room
/// for are found again.
template <int D>
struct CellTerms {
  Likelihood<D> likelihood;
  double* kept[Likelihood<D>::kMax] = {};  ///< by row; or null

  template <class Context>
  KOKKOS_INLINE_FUNCTION void find(const Context& s, std::uint32_t c, double* term) const {
    const Vector<D> x = s.velocity.grid.centre(s.key(c));
    for (int a = 0; a < likelihood.terms(); ++a) {
      term[a] = likelihood.term(a, x, s.state().time);
      if (kept[a] != nullptr) kept[a][c] = term[a];
    }
  }

  /// Term a of a cell whose terms have been found.
  template <class Context>
  KOKKOS_INLINE_FUNCTION double get(const Context& s, int a, std::uint32_t c) const {
    return kept[a] != nullptr
               ? kept[a][c]
               : likelihood.term(a, s.velocity.grid.centre(s.key(c)), s.state().time);
  }
};

/// The extremes over all cells that hold mass, which an update needs before it multiplies them.
template <int D>
struct LikelihoodExtremes {
  /// The least of Likelihood::distance - 2 ln p: minus twice the logarithm of the largest product
  /// of likelihood, in units of its peak, and probability. Minus infinity where on some cell there
  /// is no likelihood.
  double least_distance = std::numeric_limits<double>::max();
  double largest_residual[Likelihood<D>::kMax] = {};  ///< |h_a(x) - z_a|

  KOKKOS_INLINE_FUNCTION LikelihoodExtremes& operator+=(const LikelihoodExtremes& other) {
    least_distance = compat::min(least_distance, other.least_distance);
    for (int a = 0; a < Likelihood<D>::kMax; ++a) {
      largest_residual[a] = compat::max(largest_residual[a], other.largest_residual[a]);
    }
    return *this;
  }
};

template <class Context>
struct FindExtremes {
  static constexpr const char* label = "tessera::gbees::likelihood_extremes";
  static constexpr double kNoLikelihood = -std::numeric_limits<double>::infinity();
  static constexpr int D = Context::D;
  using View = typename Context::View;
  using Loop = LoopOverCells;
  using Bounds = Blocks<3>;
  Context s;
  CellTerms<Context::D> terms;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         LikelihoodExtremes<D>& extremes) const {
    if (!(view.mass[c] > 0)) return;
    const Likelihood<D>& likelihood = terms.likelihood;
    double term[Likelihood<D>::kMax];
    terms.find(s, c, term);
    for (int a = 0; a < likelihood.count; ++a) {
      extremes.largest_residual[a] =
          compat::max(extremes.largest_residual[a], compat::math::fabs(term[a]));
    }
    const double distance = likelihood.distance(term);
    const double p = view.mass[c] * view.scale;
    if (!likelihood.is_valid(term, distance)) {
      extremes.least_distance = kNoLikelihood;
    } else if (p > 0) {
      extremes.least_distance =
          compat::min(extremes.least_distance, distance - 2 * compat::math::log(p));
    }
  }
};

/// The first cell, by key, that holds mass and where a likelihood is none.
template <class Context>
struct FirstInvalid {
  static constexpr const char* label = "tessera::gbees::invalid_likelihood";
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  CellTerms<Context::D> terms;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         typename Context::KeyWord& first) const {
    if (!(view.mass[c] > 0)) return;
    double term[Likelihood<Context::D>::kMax];
    for (int a = 0; a < terms.likelihood.terms(); ++a) term[a] = terms.get(s, a, c);
    if (!terms.likelihood.is_valid(term, terms.likelihood.distance(term)))
      first = compat::min(first, s.key(c));
  }
};

/// The sums of the last passes of an update.
struct UpdateSums {
  /// Sums before the update: of p, p r and p r^2, where r is a residual in units of the largest
  ExactSum mass, first, second;
  ExactSum product;  ///< of mass and likelihood

  KOKKOS_INLINE_FUNCTION UpdateSums& operator+=(const UpdateSums& other) {
    mass += other.mass;
    first += other.first;
    second += other.second;
    product += other.product;
    return *this;
  }

  /// |z_a - E h_a| / sqrt(Var h_a + R_aa), with the largest residual and the variance R_aa of the quantity.
  double deviation(double unit, double error_variance) const {
    const double total = mass.value(), mean = first.value() / total;
    const double variance = std::max(second.value() / total - mean * mean, 0.0) * unit * unit;
    return std::fabs(mean) * unit / std::sqrt(variance + error_variance);
  }
};

/// Sums up the residuals of one quantity. The pass of the last quantity does what the update is
/// for: by Bayes' rule it multiplies each cell's mass by the likelihood at its centre, divided by
/// exp(-least / 2).
template <class Context>
struct Observe {
  static constexpr const char* label = "tessera::gbees::observe";
  static constexpr int D = Context::D;
  using View = typename Context::View;
  using Loop = LoopOverCells;
  using Bounds = Blocks<3>;
  Context s;
  CellTerms<Context::D> terms;
  int quantity;
  double unit;  ///< largest residual of the quantity; 0: no sums of residuals
  bool multiplies;
  double least;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         UpdateSums& sums) const {
    if (!(view.mass[c] > 0)) return;  // a likelihood need not be finite there
    const double p = view.mass[c] * view.scale;
    if (unit > 0 && p > 0) {
      const double r = terms.get(s, quantity, c) / unit;
      sums.mass.add(p);
      sums.first.add(p * r);
      sums.second.add(p * r * r);
    }
    if (!multiplies) return;
    double term[Likelihood<D>::kMax];
    for (int a = 0; a < terms.likelihood.terms(); ++a) term[a] = terms.get(s, a, c);
    const auto mass = static_cast<typename Context::Real>(p * terms.likelihood.value(term, least));
    view.mass[c] = mass;
    sums.product.add(mass);
  }
};

}  // namespace tessera::gbees::detail
