// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tessera/core/linalg/square.hpp"
#include "tessera/gbees/follow/cell_moments.hpp"
#include "tessera/gbees/grid/density.hpp"

namespace tessera::gbees {

/// A density between the centres of its cells, and beyond them. The logarithm of its ratio to the
/// Gaussian that has its mean and its covariance is, about each centre, a quadratic with the
/// differences to the neighbours for derivatives, kept within the range of these neighbours; beyond
/// the cells it stays what it is at their edge. That is exact for Gaussians, and errors do not grow
/// when it is done again and again; else the error is of third order in the spacing.
///
/// Distances are in cells. A density that is broadened by noise, a convolution with a Gaussian, has
/// the closed form of the convolution of each quadratic.
template <int D, class Word>
class LogQuadratic {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr double kEnd = -100;  ///< by a cell where the density ends

  /// The least mass of a cell that is asked what lies between it and others, as a share of the
  /// threshold: what less is in a cell has come there by the diffusion of the steps.
  static constexpr double kReliable = 0.1;

  /// Takes the cells, by ascending keys in the window of the grid, that hold `least` or more.
  /// `noise`: the covariance of a Gaussian to broaden by, in the grid's units, or empty. Throws
  /// Error (numerical) where the cells have no covariance.
  LogQuadratic(const CellListOf<Word>& cells, const Grid<D>& grid, double least,
               const linalg::Matrix& noise = {})
      : m_grid(grid),
        m_log_least(std::log(std::max(least, std::numeric_limits<double>::min()))),
        m_cells(cells.at_least(std::max(least, std::numeric_limits<double>::min()))) {
    find_gaussian();
    m_terms.resize(m_cells.key.size());
    for (std::size_t c = 0; c < m_terms.size(); ++c) {
      m_terms[c].ratio =
          std::log(m_cells.probability[c]) - m_gaussian.logarithm(m_grid.centre(m_cells.key[c]));
    }
    link();
    find_slopes();
    if (!noise.empty()) broaden(noise);
  }

  const CellListOf<Word>& cells() const { return m_cells; }
  const Grid<D>& grid() const { return m_grid; }

  /// The cell that holds y, or the one nearest to it that a walk from cell `from` comes to.
  std::uint32_t find(const Vector<D>& y, std::uint32_t from) const {
    constexpr double kHalf = 0.5 + 1e-6;  // so that rounding does not walk to and fro on a face
    std::uint32_t now = from;
    bool moves = true;
    while (moves) {
      moves = false;
      const Vector<D> d = distance(y, now);
      for (int i = 0; i < D; ++i) {
        if (!(std::fabs(d[i]) > kHalf)) continue;
        const std::uint32_t next = m_link[d[i] > 0 ? 1 : 0][i][now];
        if (next == kNone) continue;
        now = next;
        moves = true;
        break;
      }
    }
    return now;
  }

  /// The logarithm of the mass that a cell at y would hold, by the quadratic of cell c.
  double operator()(const Vector<D>& y, std::uint32_t c) const {
    const Terms& terms = m_terms[c];
    const Vector<D> whole = distance(y, c);
    Vector<D> d;
    double beyond = 0;
    for (int i = 0; i < D; ++i) {
      d[i] = std::clamp(whole[i], -0.5, 0.5);
      beyond += terms.fall[whole[i] > 0 ? 1 : 0][i] * std::fabs(whole[i] - d[i]);
    }
    double sum = terms.ratio;
    for (int i = 0; i < D; ++i) {
      double half = 0;
      for (int j = 0; j < D; ++j) half += terms.curvature[i][j] * d[j];
      sum += d[i] * (terms.slope[i] + 0.5 * half);
    }
    return std::clamp(sum, terms.least, terms.most) + beyond + m_gaussian.logarithm(y);
  }

  /// The sharpest curvature of the logarithm at cell c along an axis, in cells: a Gaussian of the
  /// deviation s cells has 1/s^2. Where neighbours are missing it is what they have at least.
  double sharpest(std::uint32_t c) const {
    double most = 0;
    for (int i = 0; i < D; ++i) {
      const double h = m_grid.spacing[i];
      most = std::max(most, m_gaussian.precision[i][i] * h * h - m_terms[c].curvature[i][i]);
      const std::uint32_t low = m_link[0][i][c], high = m_link[1][i][c];
      if (low == kNone || high == kNone)
        most = std::max(most, 2 * log_mass(c) - log_mass(low) - log_mass(high));
    }
    return most;
  }

 private:
  /// A quadratic about a cell's centre, and the range of its neighbours.
  struct Terms {
    double ratio = 0, slope[D] = {}, curvature[D][D] = {};
    double least = 0, most = 0;
    double fall[2][D] = {};  ///< by a cell below and above, where there is no neighbour; <= 0
  };

  /// A Gaussian, but for a constant factor that all have.
  struct Reference {
    Vector<D> mean{};
    linalg::Matrix covariance;
    double precision[D][D] = {}, log_peak = 0;

    void set(const Vector<D>& mean_, const linalg::Matrix& covariance_) {
      mean = mean_;
      covariance = covariance_;
      double log_determinant = 0;
      const linalg::Matrix inverse =
          linalg::inverse_positive_definite(covariance, &log_determinant);
      log_peak = -0.5 * log_determinant;
      for (std::size_t i = 0; i < D; ++i) {
        for (std::size_t j = 0; j < D; ++j) precision[i][j] = inverse[i][j];
      }
    }

    double logarithm(const Vector<D>& y) const {
      double form = 0;
      for (int i = 0; i < D; ++i) {
        for (int j = 0; j < D; ++j) form += (y[i] - mean[i]) * precision[i][j] * (y[j] - mean[j]);
      }
      return log_peak - 0.5 * form;
    }
  };

  Vector<D> distance(const Vector<D>& y, std::uint32_t c) const {
    const Vector<D> centre = m_grid.centre(m_cells.key[c]);
    Vector<D> d;
    for (int i = 0; i < D; ++i) d[i] = (y[i] - centre[i]) / m_grid.spacing[i];
    return d;
  }

  /// Cells in one row along an axis have no variance along it: they count as wide as they are.
  void find_gaussian() {
    CellMoments<D> moments(m_cells, m_grid);
    for (std::size_t i = 0; i < D; ++i) {
      const double h = m_grid.spacing[static_cast<int>(i)];
      moments.covariance[i][i] = std::max(moments.covariance[i][i], h * h / 12);
    }
    try {
      m_gaussian.set(moments.mean, moments.covariance);
    } catch (const Error&) {
      throw Error(ErrorKind::numerical,
                  "the cells of the density lie in a plane: no frame can be laid along it",
                  "use a smaller grid.spacing, or grid.follow: none");
    }
  }

  /// Links the cells to their neighbours along each axis: both lists ascend.
  void link() {
    const std::vector<Word>& key = m_cells.key;
    for (int i = 0; i < D; ++i) {
      m_link[0][i].assign(key.size(), kNone);
      m_link[1][i].assign(key.size(), kNone);
      const Word unit = CellKey<D, Word>::unit(i);
      std::size_t other = 0;
      for (std::size_t c = 0; c < key.size(); ++c) {
        while (other < key.size() && key[other] < key[c] + unit) ++other;
        if (other == key.size() || key[other] != key[c] + unit) continue;
        m_link[1][i][c] = static_cast<std::uint32_t>(other);
        m_link[0][i][other] = static_cast<std::uint32_t>(c);
      }
    }
  }

  double ratio(std::uint32_t c) const { return m_terms[c].ratio; }

  /// The logarithm of a cell's mass; of a cell that is missing, the most that it can be.
  double log_mass(std::uint32_t c) const {
    return c == kNone ? m_log_least : std::log(m_cells.probability[c]);
  }

  void widen_range(Terms& terms, double ratio) const {
    terms.least = std::min(terms.least, ratio);
    terms.most = std::max(terms.most, ratio);
  }

  /// Slopes and curvatures at a cell. At the edge of the cells, where a neighbour is missing, the
  /// ratio goes on falling, or stays what it is.
  void find_slopes() {
    for (std::uint32_t c = 0; c < m_terms.size(); ++c) {
      Terms& terms = m_terms[c];
      terms.least = terms.most = terms.ratio;
      for (int i = 0; i < D; ++i) {
        const std::uint32_t low = m_link[0][i][c], high = m_link[1][i][c];
        if (low == kNone || high == kNone) {
          find_fall(c, i);
          continue;
        }
        terms.slope[i] = 0.5 * (ratio(high) - ratio(low));
        terms.curvature[i][i] = ratio(high) - 2 * ratio(c) + ratio(low);
        widen_range(terms, ratio(low));
        widen_range(terms, ratio(high));
      }
      for (int i = 0; i < D; ++i) {
        for (int j = 0; j < i; ++j) find_mixed(c, i, j);
      }
    }
  }

  /// Finds how the ratio falls beyond an edge: as it does on the way there or, where a cell stands
  /// alone along the axis, as it does beside one of its neighbours along another axis. Falls by
  /// rounding do not count. Where nothing tells, the density ends.
  void find_fall(std::uint32_t c, int i) {
    Terms& terms = m_terms[c];
    const std::uint32_t low = m_link[0][i][c], high = m_link[1][i][c];
    if (low == kNone && high == kNone) {
      for (const int side : {0, 1}) terms.fall[side][i] = fall_beside(c, i, side);
      return;
    }
    const std::uint32_t inner = low != kNone ? low : high;
    const int side = low != kNone ? 1 : 0;
    widen_range(terms, ratio(inner));
    const double fall = fall_between(inner, c);
    terms.fall[side][i] = fall;
    terms.slope[i] = side == 1 ? fall : -fall;
    terms.least = std::min(terms.least, terms.ratio + 0.5 * fall);
  }

  double fall_between(std::uint32_t from, std::uint32_t to) const {
    constexpr double kLeastFall = 1e-6;
    const double fall = ratio(to) - ratio(from);
    return fall < -kLeastFall ? fall : 0;
  }

  double fall_beside(std::uint32_t c, int i, int side) const {
    double fall = kEnd;
    for (int k = 0; k < D; ++k) {
      for (const int of : {0, 1}) {
        const std::uint32_t other = k == i ? kNone : m_link[of][k][c];
        if (other == kNone || m_link[side][i][other] == kNone) continue;
        fall = std::max(fall, fall_between(other, m_link[side][i][other]));
      }
    }
    return fall;
  }

  /// The mixed curvature, from the quadrants that have cells.
  void find_mixed(std::uint32_t c, int i, int j) {
    Terms& terms = m_terms[c];
    double sum = 0;
    int found = 0;
    for (const int s : {0, 1}) {
      for (const int t : {0, 1}) {
        const std::uint32_t a = m_link[s][i][c], b = m_link[t][j][c];
        if (a == kNone || b == kNone || m_link[t][j][a] == kNone) continue;
        const double corner = ratio(m_link[t][j][a]);
        const double step = corner - ratio(a) - ratio(b) + ratio(c);
        widen_range(terms, corner);
        sum += s == t ? step : -step;
        ++found;
      }
    }
    if (found == 4) terms.curvature[i][j] = terms.curvature[j][i] = 0.25 * sum;
  }

  /// Convolves each quadratic of the logarithm of the density with a Gaussian. The Gaussian of
  /// reference has a covariance that is larger by that of the noise.
  void broaden(const linalg::Matrix& noise) {
    const Broadening broadening(noise, m_grid);
    const Reference before = m_gaussian;
    linalg::Matrix covariance = before.covariance;
    for (std::size_t i = 0; i < D; ++i) {
      for (std::size_t j = 0; j < D; ++j) covariance[i][j] += noise[i][j];
    }
    m_gaussian.set(before.mean, covariance);
    for (std::size_t c = 0; c < m_terms.size(); ++c) {
      const Vector<D> centre = m_grid.centre(m_cells.key[c]);
      Terms whole = m_terms[c];
      add_reference(whole, before, centre, 1);
      if (!broadening.convolve(whole)) {  // as sharp an edge counts as flat beside the reference
        whole = {};
        whole.ratio = m_terms[c].ratio;
        add_reference(whole, before, centre, 1);
        broadening.convolve(whole);
      }
      add_reference(whole, m_gaussian, centre, -1);
      whole.least = m_terms[c].least;
      std::copy(&m_terms[c].fall[0][0], &m_terms[c].fall[0][0] + 2 * D, &whole.fall[0][0]);
      whole.most = m_terms[c].most;
      m_terms[c] = whole;
    }
  }

  /// Adds a Gaussian of reference to a quadratic, or takes it off.
  void add_reference(Terms& terms, const Reference& gaussian, const Vector<D>& centre,
                     double sign) const {
    terms.ratio += sign * gaussian.logarithm(centre);
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) {
        const double bend = gaussian.precision[i][j] * m_grid.spacing[i];
        terms.slope[i] -= sign * bend * (centre[j] - gaussian.mean[j]);
        terms.curvature[i][j] -= sign * bend * m_grid.spacing[j];
      }
    }
  }

  /// The convolution of a quadratic q(d) = a + g d + d^T C d / 2 of a logarithm with a Gaussian of
  /// covariance N = R R^T: with W = R (1 - R^T C R)^-1 R^T its slope is g + C W g, its curvature
  /// C + C W C.
  class Broadening {
   public:
    Broadening(const linalg::Matrix& noise, const Grid<D>& grid) {
      const linalg::Eigen eigen = linalg::eigen_decomposition(noise);
      for (int i = 0; i < D; ++i) {
        for (int k = 0; k < D; ++k) {
          const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(k);
          m_root[i][k] = eigen.vectors[row][column] *
                         std::sqrt(std::max(eigen.values[column], 0.0)) / grid.spacing[i];
        }
      }
    }

    /// False where the quadratic rises so sharply that the convolution has no bounds, or nearly so.
    bool convolve(Terms& terms) const {
      constexpr double kLeast = 0.2;
      double curved[D][D], factor[D][D] = {};  // C R, and Cholesky's factor of 1 - R^T C R
      for (int i = 0; i < D; ++i) {
        for (int k = 0; k < D; ++k) {
          curved[i][k] = 0;
          for (int j = 0; j < D; ++j) curved[i][k] += terms.curvature[i][j] * m_root[j][k];
        }
      }
      double log_determinant = 0;
      for (int k = 0; k < D; ++k) {
        for (int l = 0; l <= k; ++l) {
          double sum = k == l ? 1 : 0;
          for (int i = 0; i < D; ++i) sum -= m_root[i][k] * curved[i][l];
          for (int m = 0; m < l; ++m) sum -= factor[k][m] * factor[l][m];
          if (k == l) {
            if (!(sum > kLeast)) return false;
            factor[k][k] = std::sqrt(sum);
            log_determinant += std::log(sum);
          } else {
            factor[k][l] = sum / factor[l][l];
          }
        }
      }
      double half[D][D], of_slope[D];  // L^-1 R^T C and L^-1 R^T g
      for (int k = 0; k < D; ++k) {
        of_slope[k] = 0;
        for (int i = 0; i < D; ++i) of_slope[k] += m_root[i][k] * terms.slope[i];
        for (int m = 0; m < k; ++m) of_slope[k] -= factor[k][m] * of_slope[m];
        of_slope[k] /= factor[k][k];
        for (int j = 0; j < D; ++j) {
          half[k][j] = curved[j][k];
          for (int m = 0; m < k; ++m) half[k][j] -= factor[k][m] * half[m][j];
          half[k][j] /= factor[k][k];
        }
      }
      double form = 0;
      for (int k = 0; k < D; ++k) {
        form += of_slope[k] * of_slope[k];
        for (int i = 0; i < D; ++i) {
          terms.slope[i] += half[k][i] * of_slope[k];
          for (int j = 0; j < D; ++j) terms.curvature[i][j] += half[k][i] * half[k][j];
        }
      }
      terms.ratio += 0.5 * (form - log_determinant);
      return true;
    }

   private:
    double m_root[D][D];
  };

  Grid<D> m_grid;
  double m_log_least;
  CellListOf<Word> m_cells;
  Reference m_gaussian;
  std::vector<Terms> m_terms;
  std::vector<std::uint32_t> m_link[2][D];  // neighbours below and above along each axis
};

}  // namespace tessera::gbees
