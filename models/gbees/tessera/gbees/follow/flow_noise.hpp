// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gbees/dynamics/orbit_coordinates.hpp"

namespace tessera::gbees {

/// White noise that drives the variables of a flow. Noise of a state that is the same everywhere
/// depends, as noise of the coordinates of its orbit, on the place. A flow takes its expectation
/// over the density: the mean of the spectral densities at 2 D points that lie about the centre of
/// the frame as the density does, exact where they are quadratic functions of the place. Where the
/// density spans so much of an orbit that they differ (variation()), their correlation with the
/// place is left out.
class FlowNoise {
 public:
  FlowNoise() = default;  ///< none

  /// `density`: the spectral density Q of the state, as rows, or empty. `orbit`: the variables are
  /// coordinates of this kind; else the state.
  explicit FlowNoise(linalg::Matrix density, std::optional<OrbitCoordinates> orbit = {});

  bool is_any() const { return !m_density.empty(); }

  /// Whether it depends on the place.
  bool varies() const { return is_any() && m_orbit.has_value(); }

  /// The spectral density that is the same everywhere, as rows; empty without noise.
  const linalg::Matrix& density() const { return m_density; }

  /// Its expectation over a density of a mean, and of a unit Gaussian along the axes. Throws Error
  /// (numerical) where a state has no such coordinates.
  linalg::Matrix expectation(const double* mean, const linalg::Matrix& axes) const;

  /// The largest deviation of a variance along the axes from its expectation, at one of the points,
  /// as a share of the largest of them.
  double variation(const double* mean, const linalg::Matrix& axes) const;

 private:
  linalg::Matrix at(const double* variables) const;
  std::vector<linalg::Matrix> at_points(const double* mean, const linalg::Matrix& axes) const;

  linalg::Matrix m_density;
  linalg::Matrix m_root;  // R R^T: the density of the state
  std::optional<OrbitCoordinates> m_orbit;
};

}  // namespace tessera::gbees
