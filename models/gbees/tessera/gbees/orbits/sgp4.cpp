// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/sgp4.hpp"

#include <cmath>
#include <cstdio>
#include <string>

#include "tessera/core/error.hpp"

namespace tessera::gbees {

namespace {

constexpr double kTwoPi = 6.283185307179586476925;

// WGS-72, in radii of the Earth and minutes.
constexpr double kRadius = 6378.135;  // km
constexpr double kMu = 398600.8;      // km^3/s^2
constexpr double kJ2 = 0.001082616, kJ3 = -0.00000253881, kJ4 = -0.00000165597;
constexpr double kK2 = kJ2 / 2, kK4 = -3 * kJ4 / 8, kA30 = -kJ3;
const double kKe = 60 / std::sqrt(kRadius * kRadius * kRadius / kMu);
const double kSpeed = 1000 * kRadius * kKe / 60;  // m/s of radii times k_e

constexpr double kDeepSpacePeriod = 225;     // min
constexpr double kLeastEccentricity = 1e-4;  // below it drag has no terms with 1/e

double square(double x) { return x * x; }

double semi_major_axis(double mean_motion) { return std::pow(kKe / mean_motion, 2.0 / 3.0); }

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// Says why the theory ends.
[[noreturn]] void refuse(double minutes, const std::string& why) {
  throw Error(ErrorKind::input,
              "SGP4 has no state " + rounded(minutes) + " minutes after its epoch: " + why,
              "choose a time nearer to the epoch, or take newer elements");
}

/// The Julian date of UT1, taken as UTC. As in the published code it is one number, good to 4e-5 s.
double julian_date(const Epoch& epoch) {
  const double second = epoch.second - leap_seconds(epoch);
  return 2451544.5 + static_cast<double>(epoch.day) + second / 86400;
}

/// The mean sidereal angle of Greenwich by the theory of 1982 (Aoki and others, Astronomy and
/// Astrophysics 105 (1982) 359), to which the elements are fitted.
double sidereal_angle(double date) {
  const double t = (date - 2451545) / 36525;
  const double seconds =
      67310.54841 + t * (876600.0 * 3600 + 8640184.812866 + t * (0.093104 - 6.2e-6 * t));
  return std::fmod(seconds * (kTwoPi / 86400), kTwoPi);
}

/// Cosine and sine of E + omega by Kepler's equation, with a_xN = e cos omega and a_yN = e sin
/// omega. As in the published code the last correction, below 1e-12, is not applied.
struct EccentricLongitude {
  double cosine = 1, sine = 0;

  EccentricLongitude(double u, double axn, double ayn) {
    double longitude = u;
    for (int pass = 0; pass < 10; ++pass) {
      cosine = std::cos(longitude);
      sine = std::sin(longitude);
      const double change =
          (u - ayn * cosine + axn * sine - longitude) / (1 - cosine * axn - sine * ayn);
      if (std::fabs(change) < 1e-12) return;
      longitude += std::fmin(std::fmax(change, -0.95), 0.95);
    }
  }
};

/// The state of a distance, an argument of latitude, a node and an inclination, with rates along
/// the radius and across it, in radii of the Earth and k_e.
CartesianState state_of(double r, double u, double node, double inclination, double r_rate,
                        double rf_rate) {
  const double mx = -std::sin(node) * std::cos(inclination);
  const double my = std::cos(node) * std::cos(inclination), mz = std::sin(inclination);
  const double s = std::sin(u), c = std::cos(u), cos_node = std::cos(node);
  const double sin_node = std::sin(node);
  const std::array<double, 3> along{mx * s + cos_node * c, my * s + sin_node * c, mz * s};
  const std::array<double, 3> across{mx * c - cos_node * s, my * c - sin_node * s, mz * c};
  CartesianState state{};
  for (std::size_t n = 0; n < 3; ++n) {
    state[n] = 1000 * kRadius * r * along[n];
    state[3 + n] = kSpeed * (r_rate * along[n] + rf_rate * across[n]);
  }
  return state;
}

}  // namespace

Sgp4::Sgp4(const MeanElements& elements) : m_elements(elements) {
  const MeanElements& e = m_elements;
  if (!(e.mean_motion > 0)) throw Error(ErrorKind::input, "the mean motion of SGP4 is above 0");
  if (!(e.eccentricity >= 0 && e.eccentricity < 1))
    throw Error(ErrorKind::input, "the eccentricity of SGP4 is 0 or more and below 1");
  if (!(e.inclination >= 0 && e.inclination <= kTwoPi / 2))
    throw Error(ErrorKind::input, "the inclination of SGP4 is 0 to 180 degrees");
  // The original mean motion n0'' and the semi-major axis of Kozai's.
  const double theta = std::cos(e.inclination), beta2 = 1 - square(e.eccentricity);
  const double strength = 1.5 * kK2 * (3 * square(theta) - 1) / std::pow(beta2, 1.5);
  const double a1 = semi_major_axis(e.mean_motion), d1 = strength / square(a1);
  const double a0 = a1 * (1 - d1 * (1.0 / 3 + d1 * (1 + d1 * 134 / 81)));
  m_motion = e.mean_motion / (1 + strength / square(a0));
  m_axis = semi_major_axis(m_motion);
  m_perigee = (m_axis * (1 - e.eccentricity) - 1) * kRadius;
  set_secular_rates();
  set_drag();
  if (kTwoPi / m_motion >= kDeepSpacePeriod) {
    DeepSpace::Start start;
    start.orbit = {e.eccentricity, e.inclination, e.node, e.perigee, e.anomaly};
    start.mean_motion = m_motion;
    start.semi_major_axis = m_axis;
    start.anomaly_rate = m_anomaly_rate;
    start.perigee_rate = m_perigee_rate;
    start.node_rate = m_node_rate;
    const double date = julian_date(e.epoch);
    start.days_since_1900 = date - 2415020;
    start.sidereal_angle = sidereal_angle(date);
    m_deep_space.emplace(start);
  }
}

/// The rates of mean anomaly, perigee and node by J2 and J4.
void Sgp4::set_secular_rates() {
  const double theta2 = square(std::cos(m_elements.inclination)), theta4 = square(theta2);
  const double beta2 = 1 - square(m_elements.eccentricity), beta = std::sqrt(beta2);
  const double p2 = square(m_axis * beta2);
  const double first = 1.5 * kK2 / p2, second = 3.0 / 16 * square(kK2 / p2);
  const double fourth = 1.25 * kK4 / square(p2);
  m_anomaly_rate = m_motion * (1 + first * beta * (3 * theta2 - 1) +
                               second * beta * (13 - 78 * theta2 + 137 * theta4));
  m_perigee_rate =
      m_motion * (-first * (1 - 5 * theta2) + second * (7 - 114 * theta2 + 395 * theta4) +
                  fourth * (3 - 36 * theta2 + 49 * theta4));
  m_node_rate = m_motion * std::cos(m_elements.inclination) *
                (-2 * first + 8 * second * (4 - 19 * theta2) + 2 * fourth * (3 - 7 * theta2));
}

/// The coefficients of drag in an atmosphere whose density is that of a power of the height.
void Sgp4::set_drag() {
  const double e = m_elements.eccentricity, i = m_elements.inclination, a = m_axis;
  double height = 78;  // km, of the parameter s
  if (m_perigee < 156) height = m_perigee < 98 ? 20 : m_perigee - 78;
  const double s = height / kRadius + 1, q = square(square((120 - height) / kRadius));
  const double theta2 = square(std::cos(i)), beta2 = 1 - e * e;
  const double xi = 1 / (a - s), eta = a * e * xi, eta2 = eta * eta, ee = e * eta;
  const double psi = std::fabs(1 - eta2);
  const double density = q * square(square(xi)) / std::pow(psi, 3.5);
  const double c2 = density * m_motion *
                    (a * (1 + 1.5 * eta2 + ee * (4 + eta2)) +
                     0.75 * kK2 * xi / psi * (3 * theta2 - 1) * (8 + 3 * eta2 * (8 + eta2)));
  m_eta = eta;
  m_c1 = m_elements.drag * c2;
  m_c4 =
      2 * m_motion * density * a * beta2 *
      (eta * (2 + 0.5 * eta2) + e * (0.5 + 2 * eta2) -
       2 * kK2 * xi / (a * psi) *
           (3 * (1 - 3 * theta2) * (1 + 1.5 * eta2 - ee * (2 + 0.5 * eta2)) +
            0.75 * (1 - theta2) * (2 * eta2 - ee * (1 + eta2)) * std::cos(2 * m_elements.perigee)));
  const double p2 = square(a * beta2);
  m_node_drag = -10.5 * m_motion * kK2 * std::cos(i) * beta2 / p2 * m_c1;
  const bool is_low = m_perigee < 220;
  if (is_low || kTwoPi / m_motion >= kDeepSpacePeriod) return;
  m_c5 = 2 * density * a * beta2 * (1 + 2.75 * (eta2 + ee) + ee * eta2);
  if (e > kLeastEccentricity) {
    const double c3 = q * std::pow(xi, 5) * kA30 * m_motion * std::sin(i) / (kK2 * e);
    m_omega_drag = m_elements.drag * c3 * std::cos(m_elements.perigee);
    m_anomaly_drag = -2.0 / 3 * q * square(square(xi)) * m_elements.drag / ee;
  }
  const double c1_2 = square(m_c1);
  m_d2 = 4 * a * xi * c1_2;
  m_d3 = 4.0 / 3 * a * square(xi) * (17 * a + s) * c1_2 * m_c1;
  m_d4 = 2.0 / 3 * square(a) * xi * square(xi) * (221 * a + 31 * s) * square(c1_2);
}

CartesianState Sgp4::state_after(double minutes) const {
  return osculating(m_deep_space ? deep_space(minutes) : near_earth(minutes), minutes);
}

/// Secular effects of gravity and drag. Where the perigee is below 220 km the coefficients of
/// higher powers are zero.
Sgp4::Mean Sgp4::near_earth(double t) const {
  const MeanElements& e = m_elements;
  const double anomaly = e.anomaly + m_anomaly_rate * t;
  const double delta_omega = m_omega_drag * t;
  const double delta_anomaly =
      m_anomaly_drag == 0 ? 0
                          : m_anomaly_drag * (std::pow(1 + m_eta * std::cos(anomaly), 3) -
                                              std::pow(1 + m_eta * std::cos(e.anomaly), 3));
  const double shift = delta_omega + delta_anomaly;
  const double c1_2 = square(m_c1);
  const bool is_whole = m_c5 != 0;
  const double t3 = is_whole ? m_d2 + 2 * c1_2 : 0;
  const double t4 = is_whole ? (3 * m_d3 + m_c1 * (12 * m_d2 + 10 * c1_2)) / 4 : 0;
  const double t5 =
      is_whole
          ? (3 * m_d4 + 12 * m_c1 * m_d3 + 6 * square(m_d2) + 15 * c1_2 * (2 * m_d2 + c1_2)) / 5
          : 0;
  const double longitude = t * t * (1.5 * m_c1 + t * (t3 + t * (t4 + t * t5)));
  Mean mean;
  mean.orbit.inclination = e.inclination;
  mean.orbit.anomaly = anomaly + shift + m_motion * longitude;
  mean.orbit.perigee = e.perigee + m_perigee_rate * t - shift;
  mean.orbit.node = e.node + t * (m_node_rate + m_node_drag * t);
  mean.orbit.eccentricity =
      e.eccentricity -
      e.drag * (m_c4 * t + m_c5 * (std::sin(anomaly + shift) - std::sin(e.anomaly)));
  mean.semi_major_axis = m_axis * square(1 - t * (m_c1 + t * (m_d2 + t * (m_d3 + t * m_d4))));
  mean.mean_motion = kKe / std::pow(mean.semi_major_axis, 1.5);
  check_mean(mean, t);
  return mean;
}

/// Secular effects of gravity, drag, Moon, Sun and resonances, then the periods of Moon and Sun.
Sgp4::Mean Sgp4::deep_space(double t) const {
  const MeanElements& e = m_elements;
  Mean mean;
  mean.orbit = {e.eccentricity, e.inclination, e.node + t * (m_node_rate + m_node_drag * t),
                e.perigee + m_perigee_rate * t, e.anomaly + m_anomaly_rate * t};
  mean.mean_motion = m_motion;
  m_deep_space->add_secular(t, mean.orbit, mean.mean_motion);
  if (!(mean.mean_motion > 0)) refuse(t, "the mean motion is not positive");
  mean.semi_major_axis = semi_major_axis(mean.mean_motion) * square(1 - m_c1 * t);
  mean.mean_motion = kKe / std::pow(mean.semi_major_axis, 1.5);
  mean.orbit.eccentricity -= e.drag * m_c4 * t;
  mean.orbit.anomaly += m_motion * 1.5 * m_c1 * t * t;
  check_mean(mean, t);
  OrbitAngles& orbit = mean.orbit;
  const double longitude = std::fmod(orbit.anomaly + orbit.perigee + orbit.node, kTwoPi);
  orbit.node = std::fmod(orbit.node, kTwoPi);
  orbit.perigee = std::fmod(orbit.perigee, kTwoPi);
  orbit.anomaly = std::fmod(longitude - orbit.perigee - orbit.node, kTwoPi);
  m_deep_space->add_periodic(t, orbit);
  if (orbit.inclination < 0) {
    orbit.inclination = -orbit.inclination;
    orbit.node += kTwoPi / 2;
    orbit.perigee -= kTwoPi / 2;
  }
  if (!(orbit.eccentricity >= 0 && orbit.eccentricity <= 1))
    refuse(t, "the eccentricity, perturbed by Moon and Sun, leaves 0 to 1");
  return mean;
}

/// Refuses elements of no orbit, and keeps the eccentricity above 0.
void Sgp4::check_mean(Mean& mean, double t) const {
  if (!(mean.mean_motion > 0)) refuse(t, "the mean motion is not positive");
  if (!(mean.orbit.eccentricity < 1 && mean.orbit.eccentricity >= -0.001))
    refuse(t, "the mean eccentricity leaves 0 to 1");
  mean.orbit.eccentricity = std::fmax(mean.orbit.eccentricity, 1e-6);
}

/// The long and short periods of J2 and J3, and position and velocity of the elements.
CartesianState Sgp4::osculating(const Mean& mean, double t) const {
  const OrbitAngles& orbit = mean.orbit;
  const double e = orbit.eccentricity, a = mean.semi_major_axis;
  const double sin_i = std::sin(orbit.inclination), theta = std::cos(orbit.inclination);
  const double theta2 = theta * theta;
  // Long periods.
  const double axn = e * std::cos(orbit.perigee);
  const double ayn_long = kA30 * sin_i / (4 * kK2 * a * (1 - e * e));
  const double ayn = e * std::sin(orbit.perigee) + ayn_long;
  const double divisor = std::fmax(std::fabs(1 + theta), 1.5e-12);  // the inclination may be pi
  const double longitude =
      orbit.anomaly + orbit.perigee + orbit.node + 0.5 * ayn_long * axn * (3 + 5 * theta) / divisor;
  const EccentricLongitude eo(std::fmod(longitude - orbit.node, kTwoPi), axn, ayn);
  // Quantities of the plane.
  const double sin_eo = eo.sine, cos_eo = eo.cosine;
  const double e_cos = axn * cos_eo + ayn * sin_eo, e_sin = axn * sin_eo - ayn * cos_eo;
  const double e2 = axn * axn + ayn * ayn, p = a * (1 - e2);
  if (!(p >= 0)) refuse(t, "the semilatus rectum is negative");
  const double beta = std::sqrt(1 - e2), r = a * (1 - e_cos);
  const double r_rate = std::sqrt(a) * e_sin / r, rf_rate = std::sqrt(p) / r;  // of k_e
  const double sin_u = a / r * (sin_eo - ayn - axn * e_sin / (1 + beta));
  const double cos_u = a / r * (cos_eo - axn + ayn * e_sin / (1 + beta));
  const double sin_2u = 2 * sin_u * cos_u, cos_2u = 1 - 2 * sin_u * sin_u;
  // Short periods.
  const double k = kK2 / p, k_p = k / p, motion = mean.mean_motion / kKe;
  const double r_k =
      r * (1 - 1.5 * k_p * beta * (3 * theta2 - 1)) + 0.5 * k * (1 - theta2) * cos_2u;
  const double u_k = std::atan2(sin_u, cos_u) - 0.25 * k_p * (7 * theta2 - 1) * sin_2u;
  const double node_k = orbit.node + 1.5 * k_p * theta * sin_2u;
  const double i_k = orbit.inclination + 1.5 * k_p * theta * sin_i * cos_2u;
  const double r_rate_k = r_rate - motion * k * (1 - theta2) * sin_2u;
  const double rf_rate_k = rf_rate + motion * k * ((1 - theta2) * cos_2u - 1.5 * (1 - 3 * theta2));
  if (r_k < 1) refuse(t, "the object has decayed: it would be below the ground");
  return state_of(r_k, u_k, node_k, i_k, r_rate_k, rf_rate_k);
}

}  // namespace tessera::gbees
