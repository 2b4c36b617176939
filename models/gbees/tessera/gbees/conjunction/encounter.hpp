// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gbees/conjunction/pair_model.hpp"

namespace tessera::gbees {

/// The gravitational parameter of the Earth, m^3/s^2 (IERS Conventions 2010, table 1.1).
inline constexpr double kEarthMu = 3.986004418e14;

/// One of two objects that meet: its state at a common epoch, in axes that do not turn, and the
/// covariance of that. m and m/s.
struct ObjectState {
  std::array<double, 6> state{};
  linalg::Matrix covariance;
};

/// What the mean orbits of two objects say about their encounter.
struct Encounter {
  PairModel pairs;                ///< drawn directly
  std::optional<PairModel> rare;  ///< drawn by importance sampling, where that is possible
  double closest_approach = 0;    ///< of the mean orbits, s after the epoch
  double miss_distance = 0, relative_speed = 0;  ///< there, m and m/s
  double plane_probability = 0;  ///< by the published formula in the encounter plane
  /// The second object's place beside the first in that plane, and its standard deviations, m,
  /// along the principal axes of its covariance there, the wider first
  std::array<double, 2> plane_place{}, plane_deviation{};
  bool is_short = false;    ///< the encounter is over before the orbits bend much
  double fastest_turn = 0;  ///< rate at which an orbit turns at its pericentre, rad/s
};

/// Prepares an encounter.
///
/// The state of each object is Gaussian in equinoctial elements, to which its covariance is mapped
/// to first order. The axes are those given, unless an orbit has an inclination of more than 120
/// degrees: then the third axis is laid between both angular momenta.
///
/// The window: as given, in s after the epoch; otherwise that of the whole encounter. That ends
/// where the distance of the mean orbits has a maximum of more than twice the least distance, at
/// most half a period from the closest approach. Of a short encounter it is the part in which pairs
/// can be closest: 12.75 standard deviations of the time of that each way, by the linear theory.
///
/// Throws Error (input) where a state is no ellipse, or those one standard deviation from it, with
/// `names` of the objects, where both have the same velocity, and where neither has an error.
Encounter prepare_encounter(const std::array<ObjectState, 2>& objects, double radius,
                            const std::optional<std::pair<double, double>>& window = {},
                            const std::array<std::string, 2>& names = {"object 1", "object 2"},
                            double mu = kEarthMu);

}  // namespace tessera::gbees
