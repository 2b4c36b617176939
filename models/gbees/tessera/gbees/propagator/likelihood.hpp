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
  int axis[D] = {};    ///< coordinates that h depends on
  int axes = 0;        ///< their number
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

  /// The logarithm of the likelihood in units of its peak; minus infinity where it vanishes or is
  /// no number.
  KOKKOS_INLINE_FUNCTION double log_value(const Vector<D>& x, double t) const {
    const double its_distance = distance(x, t);
    return its_distance < kInfinity ? -0.5 * its_distance : -kInfinity;
  }

  /// The values that term a has within a box.
  KOKKOS_INLINE_FUNCTION expression::Interval term_range(int a, const Vector<D>& low,
                                                         const Vector<D>& high, double t) const {
    using expression::Interval;
    Interval value = h.range(has_values() ? a : 0, [&](int j) {
      return j < D ? Interval{low[j], high[j], false} : Interval::point(t);
    });
    if (!has_values()) return value;
    value.low -= numbers[a];
    value.high -= numbers[a];
    const double period = numbers[count + a];
    if (!(period > 0)) return value;
    const double turns = compat::math::floor(value.low / period + 0.5);
    if (turns != compat::math::floor(value.high / period + 0.5))
      return {-0.5 * period, 0.5 * period, value.may_fail};
    return {value.low - turns * period, value.high - turns * period, value.may_fail};
  }

  /// The values that its logarithm, in units of its peak, has within a box.
  KOKKOS_INLINE_FUNCTION expression::Interval log_range(const Vector<D>& low, const Vector<D>& high,
                                                        double t) const {
    using expression::Interval;
    Interval term[kMax];
    bool may_fail = false;
    for (int a = 0; a < terms(); ++a) {
      term[a] = term_range(a, low, high, t);
      if (term[a].is_nothing()) return {-kInfinity, -kInfinity, true};
      may_fail = may_fail || term[a].may_fail;
    }
    Interval result = kind == Kind::gaussian  ? log_range_of_gaussian(term)
                      : kind == Kind::student ? log_range_of_student(term)
                                              : log_range_of_plain(term[0]);
    if (may_fail) result.low = -kInfinity;
    return result;
  }

  /// r^T R^-1 q of changes of the terms; of Student's errors R are the squares of their scales.
  KOKKOS_INLINE_FUNCTION double form(const double* r, const double* q) const {
    double sum = 0;
    for (int a = 0; a < count; ++a) {
      if (kind == Kind::student) {
        sum += r[a] * q[a] * numbers[2 * count + a] * numbers[2 * count + a];
        continue;
      }
      for (int b = 0; b < count; ++b) sum += r[a] * numbers[(2 + a) * count + b] * q[b];
    }
    return sum;
  }

  /// One over the standard deviation of term a, if the others are known.
  KOKKOS_INLINE_FUNCTION double inverse_error(int a) const {
    return kind == Kind::gaussian ? compat::math::sqrt(numbers[(2 + a) * count + a])
                                  : numbers[2 * count + a];
  }

  /// A change of term a, of angles the shortest way round.
  KOKKOS_INLINE_FUNCTION double change(int a, double from, double to) const {
    const double period = numbers[count + a], r = to - from;
    return period > 0 ? r - period * compat::math::floor(r / period + 0.5) : r;
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

  KOKKOS_INLINE_FUNCTION expression::Interval log_range_of_gaussian(
      const expression::Interval* term) const {
    using Do = expression::IntervalOperations;
    double low = 0, high = 0;
    for (int a = 0; a < count; ++a) {
      for (int b = 0; b <= a; ++b) {
        const double factor = (a == b ? 1 : 2) * numbers[(2 + a) * count + b];
        if (factor == 0) continue;
        const expression::Interval product = Do::multiply(term[a], term[b], a == b);
        low += factor * (factor > 0 ? product.low : product.high);
        high += factor * (factor > 0 ? product.high : product.low);
      }
    }
    return {-0.5 * compat::max(high, 0.0), -0.5 * compat::max(low, 0.0), false};
  }

  KOKKOS_INLINE_FUNCTION expression::Interval log_range_of_student(
      const expression::Interval* term) const {
    double nearest[kMax], farthest[kMax];
    for (int a = 0; a < count; ++a) {
      const expression::Interval size = expression::IntervalOperations::absolute(term[a]);
      nearest[a] = size.low;
      farthest[a] = size.high;
    }
    return {-0.5 * student_distance(farthest), -0.5 * student_distance(nearest), false};
  }

  KOKKOS_INLINE_FUNCTION expression::Interval log_range_of_plain(
      const expression::Interval& value) const {
    const double low = kind == Kind::missed ? 1 - value.high : value.low,
                 high = kind == Kind::missed ? 1 - value.low : value.high;
    return {low > 0 ? compat::math::log(low) : -kInfinity,
            high > 0 ? compat::math::log(high) : -kInfinity, false};
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
    for (int i = 0; i < D; ++i)
      if (observation.h.depends_on(i)) likelihood.axis[likelihood.axes++] = i;
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

}  // namespace tessera::gbees::detail
