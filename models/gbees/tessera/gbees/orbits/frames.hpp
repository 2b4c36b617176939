// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gbees/orbits/epoch.hpp"

namespace tessera::gbees {

using CartesianState = std::array<double, 6>;  ///< position in m, velocity in m/s

/// The frames in which orbit files give states. EME2000 also stands for GCRF and ICRF, from which
/// it is turned by 0.023 arc seconds (0.8 m in a low orbit). ITRF is fixed to the Earth. TEME, the
/// frame of SGP4, has the true equator of date and the mean equinox.
enum class ReferenceFrame { eme2000, itrf, teme };

/// Returns the frame that a file names: EME2000, J2000, GCRF, ICRF, TEME, ITRF, ITRF-97, ITRF2014
/// and so on. Throws Error (input) for others, and lists these.
ReferenceFrame parse_reference_frame(const std::string& name);

/// What a table of the Earth's orientation gives.
struct EarthOrientation {
  double ut1_minus_utc = 0;  ///< s
  double x = 0, y = 0;       ///< polar motion, rad
};

/// A rotation as three rows.
using Rotation = std::array<std::array<double, 3>, 3>;

/// The rotation from ITRF to EME2000: precession (IAU 2006; Capitaine, Wallace, Chapront, Astronomy
/// and Astrophysics 412 (2003) 567, eq. 40), the four largest terms of the nutation (Meeus,
/// Astronomical Algorithms, chapter 22), the rotation angle of the Earth (IERS Conventions 2010,
/// eq. 5.15) and polar motion. Error with the orientation given: 0.5 arc seconds, 17 m in a low
/// orbit. Without: UT1 - UTC of up to 0.9 s is 14 arc seconds, polar motion up to 0.6.
Rotation itrf_to_eme2000(const Epoch& epoch, const EarthOrientation& orientation = {});

/// The rotation from TEME to EME2000: the equation of the equinoxes (IAU 1982, with the terms of
/// 1997), and nutation and precession as above, to 0.5 arc seconds.
Rotation teme_to_eme2000(const Epoch& epoch);

/// Turns a state of TEME or ITRF into EME2000, the velocity of ITRF also by the rotation of the
/// Earth.
CartesianState inertial_state(ReferenceFrame frame, const CartesianState& state, const Epoch& epoch,
                              const EarthOrientation& orientation = {});

/// Tells what is ignored when a state of a frame is turned into EME2000 without a table of the
/// Earth's orientation; empty: nothing.
std::string ignored_by(ReferenceFrame frame);

/// The axes of a local orbital frame as rows: columns of its inverse. RTN: R along the position, N
/// along the angular momentum, T = N x R. TNW: T along the velocity, W along the angular momentum,
/// N = W x T. Throws Error (input) where position and velocity are parallel.
Rotation rtn_axes(const CartesianState& inertial);
Rotation tnw_axes(const CartesianState& inertial);

/// The covariance of position and velocity in inertial axes of one in local axes. The velocities of
/// the local axes are inertial ones too, as CCSDS messages have them: both blocks are only turned.
linalg::Matrix inertial_covariance(const Rotation& axes, const linalg::Matrix& local);

}  // namespace tessera::gbees
