// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/mpr/lattice/couplings.hpp"
#include "tessera/mpr/lattice/grid.hpp"

/// Cells that are not all the same, as those of a grid of latitudes and longitudes: what couplings
/// of unit strength are multiplied by, so that the energy of a field is that of its gradient and
/// its curvature over distances,
///
///     u' L u  ~  integral of A_x (du/dx)^2 + A_y (du/dy)^2,       u' L M^-1 L u  ~  integral of
///             (div A grad u)^2,
///
/// with the areas M of the cells (finite volumes): the precision matrix is Q = L + beta L M^-1 L.
/// Cells of one row are the same. Layers are snapshots: the coupling of two of them goes with 1 /
/// step, and those within a layer do not depend on steps.

namespace tessera::mpr {

/// Columns of an image at least for sweeps across the seam of columns that go round: two tiles of
/// two.
inline constexpr int kLeastColumns = 4;

struct Metric {
  /// Height of a cell / its width, of each row; none: 1, as of the others
  std::vector<double> x;
  /// Width of the side between two cells / distance of their centres, for each row and the next
  std::vector<double> y;
  std::vector<double> area;  ///< of a cell of each row, in units of the mean
  std::vector<double> z;     ///< of each layer and the next: mean step / their step
  bool periodic = false;     ///< along x: the first column is next to the last; needs three columns

  /// Returns whether all cells and steps are the same.
  bool is_uniform() const { return x.empty() && z.empty(); }

  /// Means over the rows and layers: of couplings along x, y and z.
  std::array<double, 3> mean() const;

  /// The metric of a box of a frame whose rows begin with y0 and whose layers begin with z0.
  Metric cut(const Grid& whole, const Grid& box, int y0, int z0) const;
};

/// No metric where cells are all the same, one for all frames, or one for each.
using Metrics = std::vector<Metric>;

/// Rows of cells. width, height: of the cells of each row; side, distance: width of the side
/// between a row and the next, and distance of their centres. Lengths in any unit, all positive.
/// Equal squares have the metric of pixels.
Metric metric_of_rows(const std::vector<double>& width, const std::vector<double>& height,
                      const std::vector<double>& side, const std::vector<double>& distance);

/// Rows at latitudes (degrees, rising or falling throughout, -90 to 90) on a sphere, with the step
/// of longitude `step` (degrees). The sides between rows are halfway between them; the outermost
/// ones lie as far beyond the centres, but not beyond a pole. Cells nearer to a pole than 84
/// degrees are taken for as wide as there: no smaller than a tenth of the widest, which keeps the
/// equations well conditioned.
Metric metric_of_latitudes(const std::vector<double>& latitudes, double step);

/// Factors `z` of steps between layers, all positive; none where all are the same to 1e-6.
std::vector<double> factors_of_steps(const std::vector<double>& steps);

namespace detail {

/// The factors of couplings on one level of a multigrid, one number for each row or layer.
struct LevelFactors {
  std::vector<double> x, y, area, z;
  LevelFactors() = default;
  LevelFactors(const Metric& metric, const Grid& grid);
  /// Factors of cells that are joined from `shrink` cells along x, y, z. Couplings between joined
  /// cells are those of resistances in series.
  LevelFactors joined(const int (&shrink)[3]) const;
};

/// Couplings and weights (couplings.hpp) of the cells of one row. The weights hold where all cells
/// within two steps are active: to the next cell in a direction, to the one after it, and to the
/// ones across corners. Corners lie in the planes xy, xz, yz (y + 1, z + 1) and yz (y
/// - 1, z + 1); with a diagonal d = (tilt, 1) they are at (-tilt, 1), d + (tilt, 0) and d + (0, 1).
template <class Real>
struct RowWeights {
  /// A of a cell with its higher neighbour along x, y, z or the diagonal
  Real axis[3] = {0, 0, 0};
  Real inverse_area = 1;
  Real next[3] = {0, 0, 0}, second[3] = {0, 0, 0}, corner[4] = {0, 0, 0, 0};
  Real diagonal = 0;  ///< of Q
};

/// Weights of all rows of a frame with a border of two rows and, in stacks, of two layers; rows
/// first.
std::vector<RowWeights<double>> weigh_rows(const LevelFactors& factors, const AxisCouplings& axis,
                                           double beta, bool volume);

template <class Real>
RowWeights<Real> convert(const RowWeights<double>& from) {
  RowWeights<Real> to;
  for (int a = 0; a < 3; ++a) {
    to.axis[a] = static_cast<Real>(from.axis[a]);
    to.next[a] = static_cast<Real>(from.next[a]);
    to.second[a] = static_cast<Real>(from.second[a]);
  }
  for (int c = 0; c < 4; ++c) to.corner[c] = static_cast<Real>(from.corner[c]);
  to.inverse_area = static_cast<Real>(from.inverse_area);
  to.diagonal = static_cast<Real>(from.diagonal);
  return to;
}

/// Weights of frames one after the other, with factors of their own or of all of them.
template <class Real>
std::vector<RowWeights<Real>> weigh_frames(const std::vector<LevelFactors>& factors,
                                           const AxisCouplings& axis, double beta, bool volume,
                                           int frames) {
  std::vector<RowWeights<Real>> all;
  std::vector<RowWeights<double>> rows;
  for (int f = 0; f < frames; ++f) {
    const auto own = static_cast<std::size_t>(f);
    if (own < factors.size()) rows = weigh_rows(factors[own], axis, beta, volume);
    for (const RowWeights<double>& row : rows) all.push_back(convert<Real>(row));
  }
  return all;
}

}  // namespace detail
}  // namespace tessera::mpr
