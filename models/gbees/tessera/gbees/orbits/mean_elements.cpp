// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/mean_elements.hpp"

#include <cmath>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/square.hpp"

namespace tessera::gbees {

namespace {

/// Elements without singularities for small eccentricities and inclinations: n, e cos and e sin of
/// the longitude of perigee, tan(i/2) cos and sin of the node, the mean longitude.
using RegularElements = std::array<double, 6>;

RegularElements regular(const MeanElements& e) {
  const double perigee = e.node + e.perigee, tangent = std::tan(e.inclination / 2);
  return {e.mean_motion,
          e.eccentricity * std::cos(perigee),
          e.eccentricity * std::sin(perigee),
          tangent * std::cos(e.node),
          tangent * std::sin(e.node),
          e.anomaly + perigee};
}

MeanElements with_regular(MeanElements e, const RegularElements& r) {
  e.mean_motion = r[0];
  e.eccentricity = std::hypot(r[1], r[2]);
  e.inclination = 2 * std::atan(std::hypot(r[3], r[4]));
  e.node = std::atan2(r[4], r[3]);
  const double perigee = std::atan2(r[2], r[1]);
  e.perigee = perigee - e.node;
  e.anomaly = r[5] - perigee;
  return e;
}

/// The derivatives of the state of SGP4 in TEME by regular elements, after some minutes.
linalg::Matrix derivatives(const MeanElements& elements, double minutes) {
  constexpr double kStep = 1e-5;
  const RegularElements centre = regular(elements);
  linalg::Matrix matrix(6, std::vector<double>(6, 0.0));
  for (std::size_t k = 0; k < 6; ++k) {
    const double step = kStep * (k == 0 ? centre[0] : 1);
    RegularElements up = centre, down = centre;
    up[k] += step;
    down[k] -= step;
    const CartesianState above = Sgp4(with_regular(elements, up)).state_after(minutes);
    const CartesianState below = Sgp4(with_regular(elements, down)).state_after(minutes);
    for (std::size_t i = 0; i < 6; ++i) matrix[i][k] = (above[i] - below[i]) / (2 * step);
  }
  return matrix;
}

/// Columns of a matrix turned from TEME to EME2000.
linalg::Matrix turned(const linalg::Matrix& matrix, const Epoch& epoch) {
  linalg::Matrix result = matrix;
  for (std::size_t k = 0; k < 6; ++k) {
    CartesianState column{};
    for (std::size_t i = 0; i < 6; ++i) column[i] = matrix[i][k];
    column = inertial_state(ReferenceFrame::teme, column, epoch);
    for (std::size_t i = 0; i < 6; ++i) result[i][k] = column[i];
  }
  return result;
}

}  // namespace

CartesianState MeanElementSet::state_at(const Epoch& epoch) const {
  const double minutes = seconds_between(elements.epoch, epoch) / 60;
  try {
    return inertial_state(ReferenceFrame::teme, Sgp4(elements).state_after(minutes), epoch);
  } catch (const Error& error) {
    throw Error(error.kind(), path + ":" + std::to_string(line) + ": " + error.what());
  }
}

linalg::Matrix MeanElementSet::covariance_at(const Epoch& epoch) const {
  const double minutes = seconds_between(elements.epoch, epoch) / 60;
  const linalg::Matrix start = turned(derivatives(elements, 0), elements.epoch);
  const linalg::Matrix end = turned(derivatives(elements, minutes), epoch);
  return linalg::congruence(linalg::product(end, linalg::inverse(start)), covariance->matrix);
}

}  // namespace tessera::gbees
