// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/grid/local_density.hpp"
#include "tessera/gbees/grid/sub_cell.hpp"
#include "tessera/gbees/propagator/likelihood.hpp"

namespace tessera::gbees::detail {

/// A likelihood within one cell.
///
/// The likelihood at the centre stands for the cell as long as it changes little there: the sum
/// over cells of a smooth product is its integral, to 5e-9 where its standard deviation is one cell
/// and to 4e-5 where it is 0.74 of one. A likelihood that is sharper within the cell is
/// integrated over it: the cell is halved again and again where the likelihood changes, which
/// interval arithmetic tells, so that a peak within a cell is found wherever it lies.
template <int D>
class CellLikelihood {
 public:
  using Interval = expression::Interval;

  KOKKOS_INLINE_FUNCTION CellLikelihood(const Likelihood<D>& likelihood, const Grid<D>& grid,
                                        const Vector<D>& centre, double t)
      : m_likelihood(likelihood), m_grid(grid), m_centre(centre), m_time(t) {}

  /// The likelihood in a box: its mean over the density by Simpson's rule along each axis, and how
  /// much its logarithm changes from the middle to the faces.
  struct Sample {
    double middle, mean, change[D];
    /// The mean place in the box along each axis, from its centre, and the mean of its square
    double offset[D], square[D];
  };

  /// The logarithm of the unit of the integrals: a bound of the likelihood in the cell, if there is
  /// one, or else its value at the centre.
  KOKKOS_INLINE_FUNCTION double log_unit() const {
    const double bound = log_range(SubCell<D>(m_likelihood.axes)).high;
    if (bound < kInfinity) return bound;
    const double at_centre = m_likelihood.log_value(m_centre, m_time);
    return compat::is_finite(at_centre) ? at_centre : 0;
  }

  /// Returns whether the likelihood is sharper within the cell than its centre can tell: as a
  /// Gaussian of a standard deviation of less than 0.74 cells, or by a step or a peak within the
  /// cell.
  KOKKOS_FUNCTION bool is_sharp() const {
    if (m_likelihood.axes == 0) return false;
    return m_likelihood.has_values() ? is_sharp_measurement() : is_sharp_function();
  }

  /// The part of the likelihood that is the same all over the cell, about, in units of
  /// exp(log_unit()): the least of its values at the centre and the faces, or of a measurement
  /// none. A cell counts its mass for that part, and not the integral of its density, which differs
  /// by a percent or so: cells where the likelihood changes little count that too.
  KOKKOS_FUNCTION double background() const {
    if (m_likelihood.has_values()) return 0;
    double u[D] = {}, least = m_likelihood.log_value(m_centre, m_time);
    for (int a = 0; a < m_likelihood.axes; ++a) {
      for (int side = 0; side < 2; ++side) {
        u[a] = side == 0 ? -0.5 : 0.5;
        least = compat::min(least, m_likelihood.log_value(place(u), m_time));
      }
      u[a] = 0;
    }
    return compat::math::exp(least - log_unit());
  }

  /// Adds the integral of the density and the likelihood over the cell to `sums`: sums.add(box,
  /// sample, w) for boxes that fill the cell, where w is the integral over a box in units of the
  /// density at the centre and of exp(log_unit()). Returns whether it is as exact as it should be,
  /// to about 1e-3 of the integral. A likelihood below exp(log_floor), in units of its peak, does
  /// not count.
  template <class Sums>
  KOKKOS_FUNCTION bool integrate(const LocalDensity<D>& density, double log_floor, Sums& sums) {
    SubCell<D> box(m_likelihood.axes);
    const Interval all = log_range(box);
    if (!(all.high > log_floor)) return true;
    m_log_unit = log_unit();
    double sum = 0, doubtful = 0;
    int work = 0;
    Interval range = all;
    for (bool goes_on = true; goes_on; range = goes_on ? log_range(box) : range) {
      ++work;
      const double weight = density.integral(box.low, box.width);
      const double most = weight * compat::math::exp(range.high - m_log_unit);
      const double least = weight * compat::math::exp(range.low - m_log_unit);
      if (most <= kNegligible * sum || !(range.high > log_floor)) {
        goes_on = box.leave();
        continue;
      }
      const bool is_last = box.depth >= SubCell<D>::kDeepest - 1 || work >= kMostWork;
      const Sample sample = take_sample(box, density);
      const bool is_smooth = most - least <= kSmall * sum || is_smooth_in(box, range, sample);
      if (!is_smooth && !is_last) {
        enter_half(box, sample);
        continue;
      }
      const double mass = weight * sample.mean;
      if (!is_smooth) doubtful += most - least;
      if (mass > 0) {
        sum += mass;
        sums.add(box, sample, mass);
      }
      goes_on = box.leave();
    }
    return doubtful <= kDoubtful * sum;
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  /// 1 / 0.745^2: errors of three quarters of a cell are not on the border
  static constexpr double kSharpest = 1.8;
  /// Within a box that is not divided further: change of the measured quantities, in their errors,
  /// or of the logarithm of another likelihood; and difference of the mean from the middle
  static constexpr double kSmooth = 0.5, kSmoothLog = 0.7, kBend = 0.05;
  /// Change of the logarithm within a cell whose centre may stand for it
  static constexpr double kStep = 0.05;
  /// Contributions, beside the sum
  static constexpr double kNegligible = 1e-7, kSmall = 1e-4, kDoubtful = 0.05;
  static constexpr int kMostWork = 20000;     ///< boxes
  static constexpr double kNothing = 1e-290;  ///< of a likelihood
  static constexpr double kFar = 1e4;         ///< stands for a difference from minus infinity

  KOKKOS_INLINE_FUNCTION Vector<D> place(const double* u) const {
    Vector<D> x = m_centre;
    for (int a = 0; a < m_likelihood.axes; ++a)
      x[m_likelihood.axis[a]] += u[a] * m_grid.spacing[m_likelihood.axis[a]];
    return x;
  }

  KOKKOS_INLINE_FUNCTION void corners(const SubCell<D>& box, Vector<D>& low,
                                      Vector<D>& high) const {
    double end[D] = {};
    for (int a = 0; a < box.axes; ++a) end[a] = box.low[a] + box.width[a];
    low = place(box.low);
    high = place(end);
  }

  KOKKOS_INLINE_FUNCTION Interval log_range(const SubCell<D>& box) const {
    Vector<D> low, high;
    corners(box, low, high);
    return m_likelihood.log_range(low, high, m_time);
  }

  KOKKOS_INLINE_FUNCTION static double difference(double a, double b) {
    const double value = compat::math::fabs(a - b);
    return value < kFar ? value : a == b ? 0 : kFar;  // two infinities, or one
  }

  KOKKOS_INLINE_FUNCTION Sample take_sample(const SubCell<D>& box,
                                            const LocalDensity<D>& density) const {
    double u[D] = {};
    for (int a = 0; a < box.axes; ++a) u[a] = box.centre(a);
    const double at_middle = m_likelihood.log_value(place(u), m_time), unit = density.at(u);
    Sample sample;
    sample.middle = compat::math::exp(at_middle - m_log_unit);
    double product = sample.middle,
           weight = 1;  // means of the density with the likelihood, and of it
    for (int a = 0; a < box.axes; ++a) {
      double at_face[2], its_weight[2], its_product[2];
      for (int side = 0; side < 2; ++side) {
        u[a] = box.low[a] + side * box.width[a];
        at_face[side] = m_likelihood.log_value(place(u), m_time);
        its_weight[side] = density.at(u) / unit;
        its_product[side] = its_weight[side] * compat::math::exp(at_face[side] - m_log_unit);
        product += (its_product[side] - sample.middle) / 6;
        weight += (its_weight[side] - 1) / 6;
      }
      u[a] = box.centre(a);
      sample.offset[a] = box.width[a] * (its_product[1] - its_product[0]) / 12;
      sample.square[a] = box.width[a] * box.width[a] * (its_product[1] + its_product[0]) / 24;
      sample.change[a] =
          compat::max(difference(at_face[0], at_middle), difference(at_face[1], at_middle));
    }
    sample.mean = product / weight;
    for (int a = 0; a < box.axes && product > 0; ++a) {
      sample.offset[a] /= product;
      sample.square[a] /= product;
    }
    return sample;
  }

  /// Returns whether the mean is that of the box, to the fourth order of its width.
  KOKKOS_INLINE_FUNCTION bool is_smooth_in(const SubCell<D>& box, const Interval& range,
                                           const Sample& sample) const {
    if (!m_likelihood.has_values()) {
      return range.high - range.low <= kSmoothLog &&
             compat::math::fabs(sample.mean - sample.middle) <= kBend * sample.middle;
    }
    double hull[Likelihood<D>::kMax], square = 0;
    find_hull(box, hull);
    for (int a = 0; a < m_likelihood.count; ++a) square += hull[a] * hull[a];
    return square <= kSmooth;
  }

  /// Halves a box along the axis along which the likelihood changes most, but along the others too
  /// in the end, and enters the half where it may be larger.
  KOKKOS_INLINE_FUNCTION void enter_half(SubCell<D>& box, const Sample& sample) const {
    const int longest = box.longest();
    int axis = longest;
    double most = 0, best = 0;
    for (int a = 0; a < box.axes; ++a) most = compat::max(most, sample.change[a]);
    for (int a = 0; a < box.axes; ++a) {
      const double least = 0.02 * most * box.width[a] / box.width[longest];
      const double score = compat::max(sample.change[a], least);
      if (!(score > best)) continue;
      best = score;
      axis = a;
    }
    double high[2];
    for (int half = 0; half < 2; ++half) {
      box.enter(axis, half, false);
      high[half] = log_range(box).high;
      box.back();
    }
    box.enter(axis, high[1] > high[0] ? 1 : 0, true);
  }

  /// Changes of a measured quantity count in units of its error.
  KOKKOS_INLINE_FUNCTION bool is_sharp_measurement() const {
    const int terms = m_likelihood.count, axes = m_likelihood.axes;
    double hull[Likelihood<D>::kMax];
    double hull_square = 0;
    const SubCell<D> cell(axes);
    find_hull(cell, hull);
    for (int a = 0; a < terms; ++a) hull_square += hull[a] * hull[a];
    if (hull_square <= kSharpest) return false;
    double at_centre[Likelihood<D>::kMax], sum[Likelihood<D>::kMax] = {}, u[D] = {};
    double slope[D][Likelihood<D>::kMax] = {};  // a cell
    take_terms(u, at_centre);
    for (int i = 0; i < axes; ++i) {
      for (int side = 0; side < 2; ++side) {
        double at_face[Likelihood<D>::kMax];
        u[i] = side == 0 ? -0.5 : 0.5;
        take_terms(u, at_face);
        for (int a = 0; a < terms; ++a) {
          const double to_face = 2 * m_likelihood.change(a, at_centre[a], at_face[a]);
          if (!(compat::math::fabs(to_face) <= compat::math::fabs(slope[i][a])))
            slope[i][a] = side == 0 ? -to_face : to_face;
        }
      }
      u[i] = 0;
      for (int a = 0; a < terms; ++a)
        sum[a] += compat::math::fabs(slope[i][a]) * m_likelihood.inverse_error(a);
    }
    return !(sharpness(slope) <= kSharpest) || has_hidden_change(hull, sum);
  }

  /// One over the variance of the likelihood in the direction in which it is sharpest, in cells: a
  /// bound of the largest eigenvalue of S^T R^-1 S by its rows, where S are the slopes of the
  /// quantities.
  KOKKOS_INLINE_FUNCTION double sharpness(const double (&slope)[D][Likelihood<D>::kMax]) const {
    double largest = 0;
    for (int i = 0; i < m_likelihood.axes; ++i) {
      double row = 0;
      for (int j = 0; j < m_likelihood.axes; ++j)
        row += compat::math::fabs(m_likelihood.form(slope[i], slope[j]));
      if (!(row <= largest)) largest = row;
      if (!(row == row)) return row;
    }
    return largest;
  }

  KOKKOS_INLINE_FUNCTION void take_terms(const double* u, double* term) const {
    const Vector<D> x = place(u);
    for (int a = 0; a < m_likelihood.terms(); ++a) term[a] = m_likelihood.term(a, x, m_time);
  }

  /// By how many of its errors each measured quantity changes within a box, at most.
  KOKKOS_INLINE_FUNCTION void find_hull(const SubCell<D>& box, double* hull) const {
    Vector<D> low, high;
    corners(box, low, high);
    for (int a = 0; a < m_likelihood.count; ++a) {
      const Interval range = m_likelihood.term_range(a, low, high, m_time);
      hull[a] = (range.high - range.low) * m_likelihood.inverse_error(a);
    }
  }

  /// Returns whether a quantity changes much more within the cell than its faces tell. Interval
  /// arithmetic exaggerates, less so in a quarter of the cell's width.
  KOKKOS_INLINE_FUNCTION bool has_hidden_change(const double* hull, const double* told) const {
    const auto is_much = [&](int a, double change, double part) {
      return !(change <= part * (2 * told[a] + 1));
    };
    bool may_be = false;
    for (int a = 0; a < m_likelihood.count; ++a) may_be = may_be || is_much(a, hull[a], 1);
    if (!may_be) return false;
    SubCell<D> box(m_likelihood.axes);
    for (bool goes_on = true; goes_on;) {
      if (box.depth < quarter_depth()) {
        box.enter(box.depth % box.axes, 0, true);
        continue;
      }
      double in_box[Likelihood<D>::kMax];
      find_hull(box, in_box);
      for (int a = 0; a < m_likelihood.count; ++a)
        if (is_much(a, in_box[a], 0.5)) return true;
      goes_on = box.leave();
    }
    return false;
  }

  /// Halvings to boxes of a quarter of a cell's width, or of more than three axes half of it.
  KOKKOS_INLINE_FUNCTION int quarter_depth() const {
    return m_likelihood.axes <= 3 ? 2 * m_likelihood.axes : m_likelihood.axes;
  }

  /// Second differences of the logarithm, over the cell and over its inner half, are those of a
  /// smooth function or not.
  KOKKOS_INLINE_FUNCTION bool is_sharp_function() const {
    const SubCell<D> cell(m_likelihood.axes);
    const Interval range = log_range(cell);
    if (range.high <= compat::math::log(kNothing) || range.high - range.low <= kStep) return false;
    double told = 0, bends = 0, u[D] = {};
    const double at_centre = m_likelihood.log_value(m_centre, m_time);
    for (int i = 0; i < cell.axes; ++i) {
      double bend[2], most = 0;
      for (int scale = 0; scale < 2; ++scale) {
        double at[2];
        for (int side = 0; side < 2; ++side) {
          u[i] = (side == 0 ? -0.5 : 0.5) / (1 + scale);
          at[side] = m_likelihood.log_value(place(u), m_time);
          most = compat::max(most, difference(at[side], at_centre));
        }
        bend[scale] = at[0] - at_centre + (at[1] - at_centre);
      }
      u[i] = 0;
      bends += compat::math::fabs(4 * bend[0]);
      const bool is_smooth =
          bends <= kSharpest && compat::math::fabs(bend[0] - 4 * bend[1]) <= kStep;
      if (!is_smooth) return true;
      told += 2 * most;
    }
    return has_hidden_change(range, told);
  }

  /// The same of a likelihood of any form.
  KOKKOS_INLINE_FUNCTION bool has_hidden_change(const Interval& range, double told) const {
    if (range.high - range.low <= 2 * told + 1) return false;
    SubCell<D> box(m_likelihood.axes);
    for (bool goes_on = true; goes_on;) {
      if (box.depth < quarter_depth()) {
        box.enter(box.depth % box.axes, 0, true);
        continue;
      }
      const Interval in_box = log_range(box);
      if (!(in_box.high - in_box.low <= told + 0.5) && in_box.high > compat::math::log(kNothing))
        return true;
      goes_on = box.leave();
    }
    return false;
  }

  const Likelihood<D>& m_likelihood;
  const Grid<D>& m_grid;
  Vector<D> m_centre;
  double m_time;
  double m_log_unit = 0;
};

}  // namespace tessera::gbees::detail
