// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tessera/gbees/follow/log_quadratic.hpp"
#include "tessera/gbees/follow/transfer.hpp"

namespace tessera::gbees {

/// A density of cells y about 0 and 1, broadened by an error t r along one direction, where t is a
/// standard normal number: the integral of p(y - t r) N(t; 0, 1) over t, by the trapezoidal rule.
/// The rule has 51 points over 20 times the width that the product has of a unit Gaussian p, whose
/// integral it gives to rounding; where p is sharper it stays right to 1e-8 for widths down to 0.4
/// of that. No assumption is made of how large the error is beside the density.
template <int D, class Word>
class BroadenedDensity {
 public:
  BroadenedDensity(const LogQuadratic<D, Word>& density, const Vector<D>& direction)
      : m_density(density), m_direction(direction) {
    double square = 0;
    for (int i = 0; i < D; ++i) square += direction[i] * direction[i];
    m_precision = 1 + square;
  }

  /// The logarithm of the mass that a cell of the density's grid at y would hold. `near`: a cell to
  /// begin the search of others with, and after it the one nearest to the mean of the integrand.
  double operator()(const Vector<D>& y, std::uint32_t& near) const {
    constexpr int kHalf = 25;
    constexpr double kSpacing = 0.4;
    const double width = 1 / std::sqrt(m_precision);
    double middle = 0;
    for (int i = 0; i < D; ++i) middle += y[i] * m_direction[i] / m_precision;
    double logarithm[2 * kHalf + 1];
    double largest = -std::numeric_limits<double>::infinity();
    near = m_density.find(shifted(y, middle), near);
    for (const int side : {1, -1}) {
      std::uint32_t cell = near;
      for (int k = side > 0 ? 0 : 1; k <= kHalf; ++k) {
        const double t = middle + side * k * kSpacing * width;
        const Vector<D> place = shifted(y, t);
        cell = m_density.find(place, cell);
        double& here = logarithm[kHalf + side * k];
        here = m_density(place, cell) - 0.5 * t * t;
        largest = std::max(largest, here);
      }
    }
    double sum = 0;
    for (const double here : logarithm) sum += std::exp(here - largest);
    constexpr double kLogOfNormal = 0.91893853320467274;  // ln sqrt(2 pi)
    return largest + std::log(sum * kSpacing * width) - kLogOfNormal;
  }

  /// The cells of a grid in another frame that hold it, as transfer() finds them.
  CellListOf<Word> on_grid(const AffineMap<D>& to_old, const AffineMap<D>& to_new,
                           const Grid<D>& grid, double log_cut) const {
    const double log_volume = log_volume_of_cells(log_determinant(to_old), grid, m_density.grid());
    return find_cells<D, Word>(m_density, to_old, to_new, grid, log_cut,
                               [&](const Vector<D>& z, std::uint32_t& near) {
                                 return (*this)(to_old(z), near) + log_volume;
                               });
  }

 private:
  Vector<D> shifted(const Vector<D>& y, double t) const {
    Vector<D> place = y;
    for (int i = 0; i < D; ++i) place[i] -= t * m_direction[i];
    return place;
  }

  const LogQuadratic<D, Word>& m_density;
  Vector<D> m_direction;
  double m_precision = 1;
};

}  // namespace tessera::gbees
