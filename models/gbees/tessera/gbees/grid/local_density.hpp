// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::gbees::detail {

/// The density within a cell, in units of that at its centre, as a function of some coordinates u
/// in cells from the centre: exp(sum_a slope_a u_a + curvature_a u_a^2 / 2). A cell holds the
/// density at its centre times its volume, so the masses of the cell and of its two neighbours
/// along an axis give both numbers, exactly where the density is a Gaussian whose axes are those of
/// the grid.
///
/// A curvature that only a density narrower than half a cell would have (kSharpest) is none: an
/// edge, or noise. There the density is exponential along the axis with the smaller of the two
/// slopes, as it is where one neighbour is missing; without both it is constant. No slope is
/// steeper than kSteepest, that of a Gaussian of a standard deviation of one cell six of them from
/// its middle: beside an edge a cell holds next to nothing, and may not gain from it along several
/// axes.
template <int D>
struct LocalDensity {
  int axes = 0;
  double slope[D] = {};
  double curvature[D] = {};

  /// Adds an axis, along which the cell and its neighbours hold so much; 0: there is no such cell.
  KOKKOS_INLINE_FUNCTION void add_axis(double own, double below, double above) {
    const int a = axes++;
    if (!(own > 0)) return;
    const double rise = above > 0 ? compat::math::log(above / own) : 0,
                 fall = below > 0 ? compat::math::log(below / own) : 0;
    if (!(above > 0) || !(below > 0)) {
      slope[a] = bounded(rise - fall);
      return;
    }
    const double bend = rise + fall;
    if (compat::math::fabs(bend) <= kSharpest) {
      slope[a] = bounded(0.5 * (rise - fall));
      curvature[a] = bend;
    } else if (rise * fall < 0) {
      slope[a] = bounded(compat::math::fabs(rise) < compat::math::fabs(fall) ? rise : -fall);
    }
  }

  /// The density at a place.
  KOKKOS_INLINE_FUNCTION double at(const double* u) const {
    double exponent = 0;
    for (int a = 0; a < axes; ++a) exponent += u[a] * (slope[a] + 0.5 * curvature[a] * u[a]);
    return compat::math::exp(exponent);
  }

  /// Its integral over a box within the cell, that begins at `low` and is `width` wide along each
  /// axis. To 1e-5 of it.
  KOKKOS_INLINE_FUNCTION double integral(const double* low, const double* width) const {
    double product = 1;
    for (int a = 0; a < axes; ++a) product *= along(a, low[a], width[a]);
    return product;
  }

  /// Its integral over the cell.
  KOKKOS_INLINE_FUNCTION double whole() const {
    double product = 1;
    for (int a = 0; a < axes; ++a) product *= along(a, -0.5, 1);
    return product;
  }

 private:
  static constexpr double kSharpest = 4;  ///< 1 / 0.5^2
  static constexpr double kSteepest = 6;

  KOKKOS_INLINE_FUNCTION static double bounded(double value) {
    return compat::max(-kSteepest, compat::min(kSteepest, value));
  }

  /// By Gauss's rule, with as many points as the change over the interval asks for.
  KOKKOS_INLINE_FUNCTION double along(int a, double low, double width) const {
    if (slope[a] == 0 && curvature[a] == 0) return width;
    const double middle = low + 0.5 * width;
    const double change = width * (compat::math::fabs(slope[a] + curvature[a] * middle) +
                                   0.5 * width * compat::math::fabs(curvature[a]));
    if (change < 0.05) return pair(a, middle, width, 0.28867513459481287, 0.5);
    if (change < 3) {
      return pair(a, middle, width, 0.43056815579702629, 0.17392742256872693) +
             pair(a, middle, width, 0.16999052179242813, 0.32607257743127307);
    }
    return pair(a, middle, width, 0.48014492824876812, 0.05061426814518813) +
           pair(a, middle, width, 0.39833323870681337, 0.11119051722668724) +
           pair(a, middle, width, 0.26276620495816449, 0.15685332293894364) +
           pair(a, middle, width, 0.09171732124782490, 0.18134189168918099);
  }

  /// The contribution of two points at the same distance from the middle, of the same weight.
  KOKKOS_INLINE_FUNCTION double pair(int a, double middle, double width, double distance,
                                     double weight) const {
    const double below = middle - distance * width, above = middle + distance * width;
    return width * weight *
           (compat::math::exp(below * (slope[a] + 0.5 * curvature[a] * below)) +
            compat::math::exp(above * (slope[a] + 0.5 * curvature[a] * above)));
  }
};

}  // namespace tessera::gbees::detail
