// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/grid/local_density.hpp"
#include "tessera/gbees/grid/sub_cell.hpp"
#include "tessera/gbees/regions/half_space.hpp"
#include "tessera/gbees/regions/region_function.hpp"

namespace tessera::gbees::detail {

/// The part of a cell that lies within a region, by the integral of the density over it.
struct CellPart {
  double inside = 0;
  double open = 0;         ///< the density in the smallest boxes, which may be cut
  bool is_settled = true;  ///< whether `inside` is known to the tolerance

  KOKKOS_INLINE_FUNCTION double doubtful() const { return is_settled ? 0 : open; }
};

/// Finds such parts. The cell is halved along the region's axes where a box may be cut, which
/// interval arithmetic tells, so that what is narrower than the cell is found wherever it lies. In
/// the smallest boxes the edge is flat, by the condition's margin. It goes on until smaller boxes
/// hardly change the part, or the work gets too much. Where a neighbouring cell lies wholly in the
/// region the part may be wrong by a small share of the cell, else by a small share of itself.
template <int D>
class CellPartFinder {
 public:
  KOKKOS_INLINE_FUNCTION CellPartFinder(const RegionFunction<D>& region, const Grid<D>& grid,
                                        const Vector<D>& centre, double t,
                                        const LocalDensity<D>& density)
      : m_region(region), m_grid(grid), m_centre(centre), m_time(t), m_density(density) {}

  /// The part of a cell that the edge may cut.
  KOKKOS_FUNCTION CellPart find() {
    CellPart part;
    if (m_region.axes == 0) {
      part.inside = m_region.holds(m_centre, m_time) ? 1 : 0;
      return part;
    }
    if (m_region.axes == 1) return pass(kHalvingsOfLine);
    m_is_narrow = m_region.is_narrow_at(m_grid, m_centre, m_time);
    const int first = m_is_narrow || m_region.axes == 2 ? compat::max(m_region.axes, 3) : 0;
    for (int halvings = first; halvings <= SubCell<D>::kDeepest; halvings += kMore) {
      CellPart finer = pass(halvings);
      if (m_work >= most_work())
        break;  // some of its boxes are larger than those of the pass before
      finer.is_settled = finer.open == 0 || (halvings > first && is_close(part, finer));
      part = finer;
      if (part.is_settled) break;
    }
    return part;
  }

 private:
  static constexpr int kHalvingsOfLine = 40, kMore = 3;

  /// The most boxes, of which many cells of many axes need fewer each.
  KOKKOS_INLINE_FUNCTION int most_work() const { return m_region.axes < 4 ? 40000 : 4000; }

  /// Returns whether smaller boxes have hardly changed the part. Many cells share the edge of a
  /// region of many axes, and their errors are independent.
  KOKKOS_INLINE_FUNCTION bool is_close(const CellPart& before, const CellPart& part) const {
    const double tolerance = m_region.axes == 2 ? 2e-3 : m_region.axes == 3 ? 5e-3 : 5e-2;
    const double change = compat::math::fabs(part.inside - before.inside);
    if (!m_is_narrow) return change <= 0.5 * tolerance * m_density.whole();
    // the error that is left is a quarter of the change, or less
    return part.open <= part.inside && change <= 4 * tolerance * part.inside;
  }

  /// Finds the part with so many halvings to the smallest boxes.
  KOKKOS_INLINE_FUNCTION CellPart pass(int halvings) {
    CellPart part;
    SubCell<D> box(m_region.axes);
    bool goes_on = true;
    while (goes_on) {
      if (box.depth == halvings || m_work >= most_work()) {
        take_open(box, part);
        goes_on = box.leave();
      } else {
        goes_on = divide(box, part);
      }
    }
    return part;
  }

  /// The margin of the condition in a box, if the edge is flat there: in the middle, and its
  /// change to the faces along each axis.
  struct Margin {
    double middle, half_slope[D], most[D];
    bool is_sound;
  };

  KOKKOS_INLINE_FUNCTION Margin margin_in(const SubCell<D>& box) const {
    double u[D] = {};
    for (int a = 0; a < box.axes; ++a) u[a] = box.centre(a);
    Margin margin;
    margin.middle = m_region.margin(m_region.place(m_grid, m_centre, u), m_time);
    margin.is_sound = compat::is_finite(margin.middle);
    for (int a = 0; a < box.axes; ++a) {
      double at_face[2];
      for (int side = 0; side < 2; ++side) {
        u[a] = box.low[a] + side * box.width[a];
        at_face[side] = m_region.margin(m_region.place(m_grid, m_centre, u), m_time);
      }
      u[a] = box.centre(a);
      margin.half_slope[a] = 0.5 * compat::math::fabs(at_face[1] - at_face[0]);
      margin.most[a] = compat::max(compat::math::fabs(at_face[1] - margin.middle),
                                   compat::math::fabs(at_face[0] - margin.middle));
      margin.is_sound = margin.is_sound && compat::is_finite(margin.most[a]);
    }
    return margin;
  }

  /// A box that is not divided further.
  KOKKOS_INLINE_FUNCTION void take_open(const SubCell<D>& box, CellPart& part) const {
    const double weight = m_density.integral(box.low, box.width);
    const Margin margin = margin_in(box);
    double share = margin.middle > 0 ? 1 : 0;
    if (margin.is_sound)
      share = HalfSpaceShare<D>(margin.middle, margin.half_slope, box.axes).value();
    part.open += weight;
    part.inside += weight * share;
  }

  /// The axis along which to halve a box: of a narrow region that along which the margin changes
  /// most, but the others too in the end.
  KOKKOS_INLINE_FUNCTION int choose_axis(const SubCell<D>& box) const {
    const int longest = box.longest();
    if (!m_is_narrow) return longest;
    const Margin margin = margin_in(box);
    if (!margin.is_sound) return longest;
    double most = 0, best = 0;
    for (int a = 0; a < box.axes; ++a) most = compat::max(most, margin.most[a]);
    int axis = longest;
    for (int a = 0; a < box.axes; ++a) {
      const double least = 0.02 * most * box.width[a] / box.width[longest];
      const double score = compat::max(margin.most[a], least);
      if (!(score > best)) continue;
      best = score;
      axis = a;
    }
    return axis;
  }

  /// Halves a box and enters a half that may be cut. Returns whether there is such a box, here or
  /// on the way back.
  KOKKOS_INLINE_FUNCTION bool divide(SubCell<D>& box, CellPart& part) {
    const int axis = choose_axis(box);
    Side sides[2];
    for (int half = 0; half < 2; ++half) {
      box.enter(axis, half, false);
      sides[half] = m_region.side(m_grid, m_centre, box.low, box.width, m_time);
      if (sides[half] == Side::inside) part.inside += m_density.integral(box.low, box.width);
      box.back();
    }
    m_work += 2;
    if (sides[0] == Side::both) {
      box.enter(axis, 0, sides[1] == Side::both);
      return true;
    }
    if (sides[1] == Side::both) {
      box.enter(axis, 1, false);
      return true;
    }
    return box.leave();
  }

  const RegionFunction<D>& m_region;
  const Grid<D>& m_grid;
  Vector<D> m_centre;
  double m_time;
  const LocalDensity<D>& m_density;
  bool m_is_narrow = false;
  int m_work = 0;
};

}  // namespace tessera::gbees::detail
