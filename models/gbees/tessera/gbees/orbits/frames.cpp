// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/frames.hpp"

#include <cmath>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/square.hpp"

namespace tessera::gbees {

namespace {

using Vector3 = std::array<double, 3>;

constexpr double kPi = 3.14159265358979323846;
constexpr double kArcSecond = kPi / (180 * 3600);
constexpr double kEarthRate = 7.292115146706979e-5;  // rad/s
constexpr double kDay = 86400, kCentury = 36525;

/// The rotation of the axes by an angle about axis 0, 1 or 2.
Rotation about(std::size_t axis, double angle) {
  const std::size_t j = (axis + 1) % 3, k = (axis + 2) % 3;
  Rotation r{};
  r[axis][axis] = 1;
  r[j][j] = r[k][k] = std::cos(angle);
  r[j][k] = std::sin(angle);
  r[k][j] = -r[j][k];
  return r;
}

Rotation product(const Rotation& a, const Rotation& b) {
  Rotation result{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) result[i][j] += a[i][k] * b[k][j];
    }
  }
  return result;
}

Rotation transposed(const Rotation& a) {
  Rotation result{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) result[i][j] = a[j][i];
  }
  return result;
}

Vector3 apply(const Rotation& r, const Vector3& v) {
  Vector3 result{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) result[i] += r[i][j] * v[j];
  }
  return result;
}

Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vector3 unit(const Vector3& v) {
  const double length = std::hypot(v[0], v[1], v[2]);
  return {v[0] / length, v[1] / length, v[2] / length};
}

double horner(double x, std::initializer_list<double> coefficients) {
  double sum = 0, power = 1;
  for (const double c : coefficients) {
    sum += c * power;
    power *= x;
  }
  return sum;
}

struct Nutation {
  double longitude, obliquity;  // rad
};

/// `century`: of TT since 2000.
Nutation nutation(double century) {
  const auto degrees = [&](double at, double rate) { return (at + rate * century) * (kPi / 180); };
  const double node = degrees(125.04452, -1934.136261), sun = degrees(280.4665, 36000.7698),
               moon = degrees(218.3165, 481267.8813);
  return {(-17.20 * std::sin(node) - 1.32 * std::sin(2 * sun) - 0.23 * std::sin(2 * moon) +
           0.21 * std::sin(2 * node)) *
              kArcSecond,
          (9.20 * std::cos(node) + 0.57 * std::cos(2 * sun) + 0.10 * std::cos(2 * moon) -
           0.09 * std::cos(2 * node)) *
              kArcSecond};
}

/// Centuries of TT since 2000.
double century_of(const Epoch& epoch) {
  const double tai_days = static_cast<double>(epoch.day) - 0.5;  // since 2000-01-01 12 h
  return (tai_days + (epoch.second + 32.184) / kDay) / kCentury;
}

double mean_obliquity(double century) {
  return kArcSecond * horner(century, {84381.406, -46.836769, -0.0001831});
}

/// The rotation from EME2000 to the true equator and equinox of date.
Rotation equator_of_date(double century) {
  const double t = century;
  // Precession from the mean equator of 2000 to that of date.
  const double zeta = kArcSecond * horner(t, {2.650545, 2306.083227, 0.2988499, 0.01801828});
  const double z = kArcSecond * horner(t, {-2.650545, 2306.077181, 1.0927348, 0.01826837});
  const double theta = kArcSecond * horner(t, {0, 2004.191903, -0.4294934, -0.04182264});
  const Rotation precession = product(about(2, -z), product(about(1, theta), about(2, -zeta)));
  const Nutation n = nutation(t);
  const double obliquity = mean_obliquity(t);
  const Rotation nutated = product(about(0, -obliquity - n.obliquity),
                                   product(about(2, -n.longitude), about(0, obliquity)));
  return product(nutated, precession);
}

Vector3 position_of(const CartesianState& s) { return {s[0], s[1], s[2]}; }
Vector3 velocity_of(const CartesianState& s) { return {s[3], s[4], s[5]}; }

Vector3 normal_of(const CartesianState& state) {
  const Vector3 r = position_of(state), v = velocity_of(state), h = cross(r, v);
  const double size = std::hypot(h[0], h[1], h[2]);
  if (!(size > 1e-12 * std::hypot(r[0], r[1], r[2]) * std::hypot(v[0], v[1], v[2]))) {
    throw Error(ErrorKind::input,
                "position and velocity are parallel, so that the orbit has no plane and no radial, "
                "transverse and normal axes");
  }
  return unit(h);
}

}  // namespace

ReferenceFrame parse_reference_frame(const std::string& name) {
  if (name == "EME2000" || name == "J2000" || name == "GCRF" || name == "ICRF")
    return ReferenceFrame::eme2000;
  if (name == "TEME") return ReferenceFrame::teme;
  if (name.compare(0, 4, "ITRF") == 0) return ReferenceFrame::itrf;
  throw Error(ErrorKind::input, "the frame '" + name +
                                    "' is not one of those that are read: EME2000, J2000, GCRF, "
                                    "ICRF, TEME, ITRF and its realisations");
}

Rotation itrf_to_eme2000(const Epoch& epoch, const EarthOrientation& orientation) {
  const double tai_days = static_cast<double>(epoch.day) - 0.5;  // since 2000-01-01 12 h
  const double t = century_of(epoch);
  // Days of UT1, with the fraction apart.
  const double ut1 = epoch.second - leap_seconds(epoch) + orientation.ut1_minus_utc;
  const double fraction = ut1 / kDay;
  const double turns = 0.7790572732640 + 0.00273781191135448 * (tai_days + fraction) + fraction +
                       std::fmod(tai_days, 1.0);
  const double mean_sidereal =
      2 * kPi * std::fmod(turns, 1.0) +
      kArcSecond * horner(t, {0.014506, 4612.156534, 1.3915817, -0.00000044});
  const double sidereal = mean_sidereal + nutation(t).longitude * std::cos(mean_obliquity(t));
  const Rotation pole = product(about(1, orientation.x), about(0, orientation.y));
  const Rotation to_itrf =
      product(product(transposed(pole), about(2, sidereal)), equator_of_date(t));
  return transposed(to_itrf);
}

Rotation teme_to_eme2000(const Epoch& epoch) {
  const double t = century_of(epoch);
  const double node = (125.04452 - 1934.136261 * t) * (kPi / 180);  // of the Moon
  const double equinoxes = nutation(t).longitude * std::cos(mean_obliquity(t)) +
                           kArcSecond * (0.00264 * std::sin(node) + 0.000063 * std::sin(2 * node));
  return product(transposed(equator_of_date(t)), about(2, -equinoxes));
}

CartesianState inertial_state(ReferenceFrame frame, const CartesianState& state, const Epoch& epoch,
                              const EarthOrientation& orientation) {
  if (frame == ReferenceFrame::eme2000) return state;
  const bool is_fixed = frame == ReferenceFrame::itrf;
  const Rotation turn = is_fixed ? itrf_to_eme2000(epoch, orientation) : teme_to_eme2000(epoch);
  const Vector3 r = position_of(state), own = velocity_of(state);
  const Vector3 carried = is_fixed ? cross({0, 0, kEarthRate}, r) : Vector3{};
  const Vector3 position = apply(turn, r);
  const Vector3 velocity =
      apply(turn, {own[0] + carried[0], own[1] + carried[1], own[2] + carried[2]});
  return {position[0], position[1], position[2], velocity[0], velocity[1], velocity[2]};
}

std::string ignored_by(ReferenceFrame frame) {
  if (frame != ReferenceFrame::itrf) return {};
  return "UT1 - UTC (up to 0.9 s) and polar motion are ignored where ITRF is turned into EME2000: "
         "orbits are turned about the pole by up to 14 arc seconds, all alike";
}

Rotation rtn_axes(const CartesianState& inertial) {
  const Vector3 n = normal_of(inertial), r = unit(position_of(inertial));
  return {r, cross(n, r), n};
}

Rotation tnw_axes(const CartesianState& inertial) {
  const Vector3 w = normal_of(inertial), t = unit(velocity_of(inertial));
  return {t, cross(w, t), w};
}

linalg::Matrix inertial_covariance(const Rotation& axes, const linalg::Matrix& local) {
  linalg::Matrix turn(6, std::vector<double>(6, 0.0));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) turn[i][j] = turn[3 + i][3 + j] = axes[j][i];
  }
  return linalg::congruence(turn, local);
}

}  // namespace tessera::gbees
