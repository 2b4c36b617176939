// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

#include "tessera/gbees/regions/cell_part.hpp"

namespace tessera::gbees::detail {

/// The motion of the mass in a cell.
template <int D>
struct CellMotion {
  Vector<D> velocity;
  Vector<D> noise;  ///< spectral densities along the axes
};

/// The absorption of the mass of a cell that an absorbing region cuts.
///
/// A share `blocked` of the mass that crosses the cell meets the region. A step of length dt in
/// which a share nu of the mass leaves the cell, whatever its place in it, then has to take a share
/// f of what the cell holds so that the rest goes on: of what comes in 1 - blocked leaves on the
/// other side where f = nu blocked / (1 - blocked + nu blocked) = dt / (dt + time), with time = (1
/// - blocked) / (blocked rate) and nu = rate dt. The time is 0 where all is blocked, and infinite
/// where nothing is.
///
/// `blocked` is found by straight lines across the cell: along the velocity, in proportion to the
/// flow through the faces where they come in, and along each axis with noise. A line along the
/// velocity is blocked where it meets the region before the middle of the cell, or behind the
/// middle of the cell that it comes from: whatever a line meets belongs to one cell, and an edge
/// that lies across the flow is, on average, neither early nor late. Lines that were in the region
/// before do not count: their mass is gone. A line along an axis with noise is blocked where its
/// middle is in the region, or where it passes through the region.
template <int D>
class AbsorptionTime {
 public:
  KOKKOS_INLINE_FUNCTION AbsorptionTime(const RegionFunction<D>& region, const Grid<D>& grid,
                                        const Vector<D>& centre, double t,
                                        const CellMotion<D>& motion)
      : m_region(region), m_grid(grid), m_centre(centre), m_time(t), m_motion(motion) {}

  /// The time, for a cell of which more or less lies in the region.
  KOKKOS_FUNCTION float find() {
    double rate = 0, blocked = 0;
    for (int i = 0; i < D; ++i) {
      m_rate[i] = compat::math::fabs(m_motion.velocity[i]) / m_grid.spacing[i];
      m_flow += m_rate[i];
    }
    if (m_flow > 0) {
      rate += m_flow;
      blocked += m_flow * blocked_by_flow();
    }
    for (int i = 0; i < D; ++i) {
      const double its_own = m_motion.noise[i] / (m_grid.spacing[i] * m_grid.spacing[i]);
      if (!(its_own > 0)) continue;
      rate += its_own;
      blocked += its_own * blocked_along(i);
    }
    if (!(blocked > 0)) return kForEver;
    const double share = blocked / rate;
    return share >= 1 ? 0 : static_cast<float>((1 - share) / blocked);
  }

  /// Returns whether the time is a rough one, for a region that is narrower than the cells: few of
  /// the lines have met what there is of it in the cell, or mass crosses the cell obliquely, so
  /// that what passes beside the region mixes with what meets it.
  KOKKOS_INLINE_FUNCTION bool is_doubtful() const {
    return m_is_missed || (is_oblique() && is_cut() && is_narrow());
  }

  /// Returns whether the edge cuts the cell, and not only one beside it.
  KOKKOS_INLINE_FUNCTION bool is_cut() const {
    return m_region.side_of_cell(m_grid, m_centre, m_time) == Side::both;
  }

 private:
  static constexpr int kLines = D <= 2 ? 128 : 64, kManyLines = 512;
  static constexpr int kFew = 6;
  static constexpr int kHalvings = 24;  // of a line

  /// Numbers of lines: those that count, and those that are blocked.
  struct Lines {
    int counted = 0, blocked = 0;
    KOKKOS_INLINE_FUNCTION double share() const {
      return counted > 0 ? static_cast<double>(blocked) / counted : 1;
    }
  };

  KOKKOS_INLINE_FUNCTION double blocked_by_flow() {
    if (D == 1) return follow_flow(1).share();
    Lines lines = follow_flow(kLines);
    const bool may_miss = lines.blocked < kFew && lines.counted >= kLines / 2 && is_cut();
    if (!may_miss || !is_narrow()) return lines.share();
    lines = follow_flow(kManyLines);
    m_is_missed = lines.blocked < kFew && passes_by(lines);
    return lines.share();
  }

  KOKKOS_INLINE_FUNCTION bool is_narrow() const {
    return m_region.is_narrow_at(m_grid, m_centre, m_time);
  }

  /// Returns whether there is a part of the region within the cell that the lines do not tell: an
  /// edge across the flow, behind the middle of the cell, is another cell's.
  KOKKOS_INLINE_FUNCTION bool passes_by(const Lines& lines) const {
    if (lines.blocked > 0) return true;
    int met = 0;
    for (int n = 0; n < kLines; ++n) {
      const Line line = line_of_flow(n, kLines);
      if (meets(line.at, m_motion.velocity, 0, line.ahead)) ++met;
    }
    if (met > 0) return false;
    const LocalDensity<D> flat = flat_density();
    return CellPartFinder<D>(m_region, m_grid, m_centre, m_time, flat).find().inside > 0;
  }

  /// Returns whether much of the mass crosses the cell along another one of the region's axes than
  /// most of it.
  KOKKOS_INLINE_FUNCTION bool is_oblique() const {
    constexpr double kMuch = 0.1;
    double most = 0, sum = 0;
    for (int a = 0; a < m_region.axes; ++a) {
      const double rate = m_rate[m_region.axis[a]];
      sum += rate;
      most = compat::max(most, rate);
    }
    return sum - most > kMuch * sum;
  }

  KOKKOS_INLINE_FUNCTION LocalDensity<D> flat_density() const {
    LocalDensity<D> flat;
    flat.axes = m_region.axes;
    return flat;
  }

  /// A straight line: where it comes in, the time to where it leaves the cell, and the time back to
  /// where it came into the cell before.
  struct Line {
    Vector<D> at;
    double ahead, behind;
  };

  KOKKOS_INLINE_FUNCTION Lines follow_flow(int number) const {
    Lines lines;
    for (int n = 0; n < number; ++n) {
      const Line line = line_of_flow(n, number);
      const double begin = -0.5 * line.behind, end = 0.5 * (1 + kBeyond) * line.ahead;
      if (m_region.holds(place(line.at, m_motion.velocity, begin), m_time)) continue;
      ++lines.counted;
      lines.blocked += meets(line.at, m_motion.velocity, begin, end) ? 1 : 0;
    }
    return lines;
  }

  /// Line n of so many. As many come in through a face as the flow through it asks for.
  KOKKOS_INLINE_FUNCTION Line line_of_flow(int n, int number) const {
    int face = 0, first = 0, last = number;
    double below = 0;
    for (int i = 0; i < D; ++i) {
      const double above = below + m_rate[i] / m_flow * number;
      if (n + 0.5 >= below && (n + 0.5 < above || i == D - 1)) {
        face = i;
        first = static_cast<int>(compat::math::ceil(below - 0.5));
        last = i == D - 1 ? number : static_cast<int>(compat::math::ceil(above - 0.5));
      }
      below = above;
    }
    Vector<D> u = spread(n - first, last - first, face);
    u[face] = m_motion.velocity[face] > 0 ? -0.5 : 0.5;
    Line line{m_centre, kNever, kNever};
    for (int i = 0; i < D; ++i) {
      line.at[i] += u[i] * m_grid.spacing[i];
      if (!(m_rate[i] > 0)) continue;
      const double along = m_motion.velocity[i] > 0 ? u[i] : -u[i];
      line.ahead = compat::min(line.ahead, (0.5 - along) / m_rate[i]);
      line.behind = compat::min(line.behind, i == face ? 1 / m_rate[i] : (0.5 + along) / m_rate[i]);
    }
    return line;
  }

  KOKKOS_INLINE_FUNCTION double blocked_along(int i) const {
    bool depends = false;
    int others = 0;
    for (int a = 0; a < m_region.axes; ++a) {
      depends = depends || m_region.axis[a] == i;
      others += m_region.axis[a] != i ? 1 : 0;
    }
    if (!depends) return 0;
    const int number = others > 0 ? kLines : 1;
    Vector<D> along{};
    along[i] = m_grid.spacing[i];
    int blocked = 0;
    for (int n = 0; n < number; ++n) {
      const Vector<D> u = spread(n, number, i);
      Vector<D> x = m_centre;
      for (int j = 0; j < D; ++j) x[j] += (j == i ? 0 : u[j]) * m_grid.spacing[j];
      const auto holds = [&](double at) { return m_region.holds(place(x, along, at), m_time); };
      const bool is_inside = holds(-kBeyond) || holds(kBeyond);
      const bool passes = !holds(-0.5) && !holds(0.5) && meets(x, along, -0.5, 0.5);
      blocked += is_inside || passes ? 1 : 0;
    }
    return static_cast<double>(blocked) / number;
  }

  /// Place number n of so many, spread evenly over a face: in cells from the centre.
  KOKKOS_INLINE_FUNCTION Vector<D> spread(int n, int number, int face) const {
    Vector<D> u{};
    int others = 0;
    for (int j = 0; j < D; ++j) {
      if (j == face) continue;
      const double at =
          others == 0 ? (n + 0.5) / number : compat::fma(n + 1, m_region.step[others], 0.5);
      u[j] = at - compat::math::floor(at) - 0.5;
      ++others;
    }
    return u;
  }

  KOKKOS_INLINE_FUNCTION static Vector<D> place(Vector<D> x, const Vector<D>& velocity,
                                                double time) {
    for (int j = 0; j < D; ++j) x[j] = compat::fma(velocity[j], time, x[j]);
    return x;
  }

  /// Returns whether a line meets the region between two times.
  KOKKOS_INLINE_FUNCTION bool meets(const Vector<D>& x, const Vector<D>& velocity, double begin,
                                    double end) const {
    if (m_region.holds(place(x, velocity, end), m_time)) return true;
    SubCell<1> piece(1);
    bool goes_on = true;
    while (goes_on) {
      const double from = begin + (piece.low[0] + 0.5) * (end - begin),
                   to = from + piece.width[0] * (end - begin);
      Vector<D> low = place(x, velocity, from), high = place(x, velocity, to);
      for (int j = 0; j < D; ++j) {
        const double first = low[j];
        low[j] = compat::min(first, high[j]);
        high[j] = compat::max(first, high[j]);
      }
      const Side side = m_region.side(low, high, m_time);
      if (side == Side::inside) return true;
      if (side == Side::both && piece.depth == kHalvings &&
          m_region.holds(place(x, velocity, 0.5 * (from + to)), m_time))
        return true;
      if (side == Side::both && piece.depth < kHalvings) {
        piece.enter(0, 0, true);
      } else {
        goes_on = piece.leave();
      }
    }
    return false;
  }

  static constexpr float kForEver = std::numeric_limits<float>::infinity();
  static constexpr double kNever = std::numeric_limits<double>::max();
  static constexpr double kBeyond = 1e-6;  // an edge through the middle of a cell belongs to it

  const RegionFunction<D>& m_region;
  const Grid<D>& m_grid;
  Vector<D> m_centre;
  double m_time;
  const CellMotion<D>& m_motion;
  Vector<D> m_rate{};
  double m_flow = 0;
  bool m_is_missed = false;
};

}  // namespace tessera::gbees::detail
