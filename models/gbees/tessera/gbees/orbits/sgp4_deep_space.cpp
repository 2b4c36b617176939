// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/sgp4_deep_space.hpp"

#include <cmath>
#include <cstddef>

namespace tessera::gbees {

namespace {

constexpr double kPi = 3.14159265358979323846, kTwoPi = 2 * kPi;
constexpr double kEarthRate = 4.37526908801129966e-3;  // rad/min, sidereal

// Sun and Moon: mean motion (rad/min), eccentricity, strength.
constexpr double kSunMotion = 1.19459e-5, kSunEccentricity = 0.01675, kSunStrength = 2.9864797e-6;
constexpr double kMoonMotion = 1.5835218e-4, kMoonEccentricity = 0.05490,
                 kMoonStrength = 4.7968065e-7;
// The ecliptic's inclination, and the Sun's argument of perigee.
constexpr double kSinEcliptic = 0.39785416, kCosEcliptic = 0.91744867;
constexpr double kCosSunPerigee = 0.1945905, kSinSunPerigee = -0.98088458;

/// Orbits within 3 degrees of the equator have no rate of the node by Moon and Sun.
constexpr double kEquatorial = 5.2359877e-2;
constexpr double kStep = 720;  // min, of the integration of resonances

double square(double x) { return x * x; }

double polynomial(double x, double c0, double c1, double c2, double c3 = 0) {
  return c0 + x * (c1 + x * (c2 + x * c3));
}

/// An orbit's position angles of a perturbing body: its inclination, its node east of the
/// satellite's taken as minus h, and its argument of perigee.
struct Direction {
  double cos_g, sin_g, cos_i, sin_i, cos_h, sin_h;
};

/// A unit vector of a perturbing body's plane, turned into the satellite's node, plane and normal.
/// `c`, `s`: cosine and sine of the vector's angle from the body's node.
std::array<double, 3> in_orbit(const Direction& d, double c, double s, double inclination) {
  const double x = c * d.cos_h + s * d.cos_i * d.sin_h;
  const double y = -c * d.sin_h + s * d.cos_i * d.cos_h;
  const double z = s * d.sin_i;
  const double ci = std::cos(inclination), si = std::sin(inclination);
  return {x, ci * y + si * z, -si * y + ci * z};
}

/// A symmetric form of p and q: form(p, p), form(p, q) + form(q, p), form(q, q).
struct FormValues {
  double pp, pq, qq;
};

/// Functions of the eccentricity in the terms of orbits of half a day: polynomials that were fitted
/// to those of Kaula.
struct EccentricityFunctions {
  double g201, g211, g310, g322, g410, g422, g520, g521, g532, g533;
};

EccentricityFunctions eccentricity_functions(double e) {
  EccentricityFunctions v{};
  const bool is_low = e <= 0.65, is_below = e < 0.7;
  v.g201 = -0.306 - (e - 0.64) * 0.440;
  v.g211 = is_low ? polynomial(e, 3.616, -13.2470, 16.2900)
                  : polynomial(e, -72.099, 331.819, -508.738, 266.724);
  v.g310 = is_low ? polynomial(e, -19.302, 117.3900, -228.4190, 156.5910)
                  : polynomial(e, -346.844, 1582.851, -2415.925, 1246.113);
  v.g322 = is_low ? polynomial(e, -18.9068, 109.7927, -214.6334, 146.5816)
                  : polynomial(e, -342.585, 1554.908, -2366.899, 1215.972);
  v.g410 = is_low ? polynomial(e, -41.122, 242.6940, -471.0940, 313.9530)
                  : polynomial(e, -1052.797, 4758.686, -7193.992, 3651.957);
  v.g422 = is_low ? polynomial(e, -146.407, 841.8800, -1629.014, 1083.4350)
                  : polynomial(e, -3581.690, 16178.110, -24462.770, 12422.520);
  v.g520 = is_low      ? polynomial(e, -532.114, 3017.977, -5740.032, 3708.2760)
           : e > 0.715 ? polynomial(e, -5149.66, 29936.92, -54087.36, 31324.56)
                       : polynomial(e, 1464.74, -4664.75, 3763.64);
  v.g521 = is_below ? polynomial(e, -822.71072, 4568.6173, -8491.4146, 5337.524)
                    : polynomial(e, -51752.104, 218913.95, -309468.16, 146349.42);
  v.g532 = is_below ? polynomial(e, -853.66600, 4690.2500, -8624.7700, 5341.4)
                    : polynomial(e, -40023.880, 170470.89, -242699.48, 115605.82);
  v.g533 = is_below ? polynomial(e, -919.22770, 4988.6100, -9064.7700, 5542.21)
                    : polynomial(e, -37995.780, 161616.52, -229838.20, 109377.94);
  return v;
}

/// Functions of the inclination in them.
struct InclinationFunctions {
  double f220, f221, f321, f322, f441, f442, f522, f523, f542, f543;
};

InclinationFunctions inclination_functions(double inclination) {
  const double c = std::cos(inclination), s = std::sin(inclination), s2 = s * s, c2 = c * c;
  InclinationFunctions v{};
  v.f220 = 0.75 * (1 + 2 * c + c2);
  v.f221 = 1.5 * s2;
  v.f321 = 1.875 * s * (1 - 2 * c - 3 * c2);
  v.f322 = -1.875 * s * (1 + 2 * c - 3 * c2);
  v.f441 = 35 * s2 * v.f220;
  v.f442 = 39.3750 * s2 * s2;
  v.f522 = 9.84375 * s * (s2 * (1 - 2 * c - 5 * c2) + 0.33333333 * (-2 + 4 * c + 6 * c2));
  v.f523 = s * (4.92187512 * s2 * (-2 - 4 * c + 10 * c2) + 6.56250012 * (1 + 2 * c - 3 * c2));
  v.f542 = 29.53125 * s * (2 - 8 * c + c2 * (-12 + 8 * c + 10 * c2));
  v.f543 = 29.53125 * s * (-2 - 8 * c + c2 * (12 + 8 * c - 10 * c2));
  return v;
}

}  // namespace

/// What a body of a strength does to the elements, averaged over a turn of the satellite. Each
/// element has a form of the directions p and q: where the body is at the true anomaly f, the
/// element moves as form(d, d) with d = p cos f + q sin f.
DeepSpace::ThirdBody DeepSpace::third_body(const OrbitAngles& orbit, double mean_motion,
                                           const Axes& axes, double body_motion,
                                           double body_eccentricity, double body_anomaly,
                                           double strength) {
  const double e2 = square(orbit.eccentricity), beta = std::sqrt(1 - e2);
  const double c = std::cos(orbit.perigee), s = std::sin(orbit.perigee);
  struct Components {
    double node, plane, normal, perigee, across;
  };
  const auto components = [&](const std::array<double, 3>& d) {
    return Components{d[0], d[1], d[2], d[0] * c + d[1] * s, -d[0] * s + d[1] * c};
  };
  const Components p = components(axes.p), q = components(axes.q);
  const auto values = [&](const auto& form) {
    return FormValues{form(p, p), form(p, q) + form(q, p), form(q, q)};
  };
  // `constant`: what the mean of the form lacks.
  const auto effect = [&](double factor, double constant, const auto& form) {
    const FormValues z = values(form);
    return Effect{factor * body_motion * (z.pp + z.qq - constant), 2 * factor * z.pq,
                  2 * factor * (z.qq - z.pp), -3 * factor * constant * body_eccentricity};
  };
  const auto shape = [](const Components& a, const Components& b) {
    return 12 * a.perigee * b.perigee - 3 * a.across * b.across;
  };
  const double s3 = strength / mean_motion, s2 = -0.5 * s3 / beta, s4 = s3 * beta;
  ThirdBody body;
  body.mean_motion = body_motion;
  body.eccentricity = body_eccentricity;
  body.anomaly = body_anomaly;
  body.on_eccentricity =
      effect(-15 * orbit.eccentricity * s4, 0,
             [](const Components& a, const Components& b) { return a.perigee * b.across; });
  body.on_inclination = effect(s2, 0, [&](const Components& a, const Components& b) {
    return -6 * a.node * b.normal -
           e2 * (24 * a.perigee * b.normal * c + 6 * a.across * b.normal * s);
  });
  body.on_anomaly = effect(-s3, 14 + 6 * e2, [&](const Components& a, const Components& b) {
    return 6 * (a.perigee * b.perigee + a.across * b.across) + (1 + e2) * shape(a, b);
  });
  body.on_perigee = effect(s4, 6, shape);
  body.on_node = effect(-s2, 0, [&](const Components& a, const Components& b) {
    return 6 * a.plane * b.normal +
           e2 * (24 * a.perigee * b.normal * s - 6 * a.across * b.normal * c);
  });
  return body;
}

DeepSpace::DeepSpace(const Start& start) : m_start(start) {
  set_third_bodies();
  set_rates();
  const double n = start.mean_motion;
  if (n > 0.0034906585 && n < 0.0052359877) set_day_resonance();
  if (n >= 8.26e-3 && n <= 9.24e-3 && start.orbit.eccentricity >= 0.5) set_half_day_resonance();
}

void DeepSpace::set_third_bodies() {
  const OrbitAngles& orbit = m_start.orbit;
  const double day = m_start.days_since_1900;
  const double sin_node = std::sin(orbit.node), cos_node = std::cos(orbit.node);
  const auto axes_of = [&](const Direction& d) {
    return Axes{in_orbit(d, d.cos_g, d.sin_g, orbit.inclination),
                in_orbit(d, -d.sin_g, d.cos_g, orbit.inclination)};
  };
  // The Moon's node on the ecliptic, and its plane and node on the equator.
  const double node = std::fmod(4.5236020 - 9.2422029e-4 * day, kTwoPi);
  const double cos_i = 0.91375164 - 0.03568096 * std::cos(node);
  const double sin_i = std::sqrt(1 - square(cos_i));
  const double sin_h = 0.089683511 * std::sin(node) / sin_i, cos_h = std::sqrt(1 - square(sin_h));
  const double longitude = 5.8351514 + 0.0019443680 * day;  // of perigee
  const double from_node =
      std::atan2(kSinEcliptic * std::sin(node) / sin_i,
                 cos_h * std::cos(node) + kCosEcliptic * sin_h * std::sin(node));
  const double perigee = longitude + from_node - node;

  const Direction sun{kCosSunPerigee, kSinSunPerigee, kCosEcliptic,
                      kSinEcliptic,   cos_node,       sin_node};
  const double sun_anomaly = std::fmod(6.2565837 + 0.017201977 * day, kTwoPi);
  m_sun = third_body(orbit, m_start.mean_motion, axes_of(sun), kSunMotion, kSunEccentricity,
                     sun_anomaly, kSunStrength);
  const Direction moon{std::cos(perigee),
                       std::sin(perigee),
                       cos_i,
                       sin_i,
                       cos_h * cos_node + sin_h * sin_node,
                       sin_node * cos_h - cos_node * sin_h};
  const double moon_anomaly = std::fmod(4.7199672 + 0.22997150 * day - longitude, kTwoPi);
  m_moon = third_body(orbit, m_start.mean_motion, axes_of(moon), kMoonMotion, kMoonEccentricity,
                      moon_anomaly, kMoonStrength);
}

void DeepSpace::set_rates() {
  const double i = m_start.orbit.inclination;
  const bool is_equatorial = i < kEquatorial || i > kPi - kEquatorial;
  for (const ThirdBody* body : {&m_sun, &m_moon}) {
    const double node = is_equatorial ? 0 : body->on_node.rate / std::sin(i);
    m_rates.eccentricity += body->on_eccentricity.rate;
    m_rates.inclination += body->on_inclination.rate;
    m_rates.anomaly += body->on_anomaly.rate;
    m_rates.perigee += body->on_perigee.rate - std::cos(i) * node;
    m_rates.node += node;
  }
}

/// Orbits of a day: J22, J31 and J33.
void DeepSpace::set_day_resonance() {
  m_resonance = Resonance::day;
  const OrbitAngles& orbit = m_start.orbit;
  const double e2 = square(orbit.eccentricity), c = std::cos(orbit.inclination);
  const double g200 = polynomial(e2, 1, -2.5, 0.8125), g310 = 1 + 2 * e2,
               g300 = polynomial(e2, 1, -6, 6.60937);
  const double f220 = 0.75 * square(1 + c), f330 = 1.875 * (1 + c) * square(1 + c);
  const double f311 = 0.9375 * (1 - c * c) * (1 + 3 * c) - 0.75 * (1 + c);
  const double a = m_start.semi_major_axis;
  const double base = 3 * square(m_start.mean_motion / a);
  m_terms[0] = {base * f311 * g310 * 2.1460748e-6 / a, 1, 0, 0.13130908};
  m_terms[1] = {2 * base * f220 * g200 * 1.7891679e-6, 2, 0, 2 * 2.8843198};
  m_terms[2] = {3 * base * f330 * g300 * 2.2123015e-7 / a, 3, 0, 3 * 0.37448087};
  m_lambda = std::fmod(resonance_angle(orbit, m_start.sidereal_angle), kTwoPi);
  m_lambda_rate = m_start.anomaly_rate + m_start.perigee_rate + m_start.node_rate +
                  m_rates.anomaly + m_rates.perigee + m_rates.node - kEarthRate -
                  m_start.mean_motion;
}

/// Orbits of half a day with eccentricities above 0.5: the harmonics of degrees 2 to 5 with the
/// orders 2 and 4.
void DeepSpace::set_half_day_resonance() {
  m_resonance = Resonance::half_day;
  const OrbitAngles& orbit = m_start.orbit;
  const EccentricityFunctions g = eccentricity_functions(orbit.eccentricity);
  const InclinationFunctions f = inclination_functions(orbit.inclination);
  const double a = m_start.semi_major_axis;
  const double degree2 = 3 * square(m_start.mean_motion / a), degree3 = degree2 / a;
  const double degree4 = degree3 / a, degree5 = degree4 / a;
  const double j22 = degree2 * 1.7891679e-6, j32 = degree3 * 3.7393792e-7;
  const double j44 = 2 * degree4 * 7.3636953e-9, j52 = degree5 * 1.1428639e-7;
  const double j54 = 2 * degree5 * 2.1765803e-9;
  constexpr double kPhase22 = 5.7686396, kPhase32 = 0.95240898, kPhase44 = 1.8014998,
                   kPhase52 = 1.0508330, kPhase54 = 4.4108898;
  m_terms = {{{j22 * f.f220 * g.g201, 1, 2, kPhase22},
              {j22 * f.f221 * g.g211, 1, 0, kPhase22},
              {j32 * f.f321 * g.g310, 1, 1, kPhase32},
              {j32 * f.f322 * g.g322, 1, -1, kPhase32},
              {j44 * f.f441 * g.g410, 2, 2, kPhase44},
              {j44 * f.f442 * g.g422, 2, 0, kPhase44},
              {j52 * f.f522 * g.g520, 1, 1, kPhase52},
              {j52 * f.f523 * g.g532, 1, -1, kPhase52},
              {j54 * f.f542 * g.g521, 2, 1, kPhase54},
              {j54 * f.f543 * g.g533, 2, -1, kPhase54}}};
  m_lambda = std::fmod(resonance_angle(orbit, m_start.sidereal_angle), kTwoPi);
  m_lambda_rate = m_start.anomaly_rate + m_rates.anomaly +
                  2 * (m_start.node_rate + m_rates.node - kEarthRate) - m_start.mean_motion;
}

/// The angle that hardly moves: M + Omega + omega - theta of an orbit of a day, M + 2 (Omega -
/// theta) of half a day.
double DeepSpace::resonance_angle(const OrbitAngles& orbit, double sidereal) const {
  if (m_resonance == Resonance::day) return orbit.anomaly + orbit.node + orbit.perigee - sidereal;
  return orbit.anomaly + 2 * (orbit.node - sidereal);
}

/// Carries the angle and the mean motion of a resonance from the epoch, by Taylor steps of second
/// order.
void DeepSpace::integrate(double minutes, double& lambda, double& mean_motion) const {
  lambda = m_lambda;
  mean_motion = m_start.mean_motion;
  double t = 0;
  for (bool is_last = false; !is_last;) {
    is_last = std::fabs(minutes - t) < kStep;
    const double step = is_last ? minutes - t : std::copysign(kStep, minutes);
    const double omega = m_start.orbit.perigee + m_start.perigee_rate * t;
    const double rate = mean_motion + m_lambda_rate;
    double first = 0, second = 0;  // derivatives of the mean motion
    for (const Term& term : m_terms) {
      const double angle = term.lambda * lambda + term.omega * omega - term.phase;
      first += term.strength * std::sin(angle);
      second += term.lambda * term.strength * std::cos(angle);
    }
    second *= rate;
    lambda += step * (rate + 0.5 * step * first);
    mean_motion += step * (first + 0.5 * step * second);
    t += step;
  }
}

void DeepSpace::add_secular(double minutes, OrbitAngles& orbit, double& mean_motion) const {
  orbit.eccentricity += m_rates.eccentricity * minutes;
  orbit.inclination += m_rates.inclination * minutes;
  orbit.perigee += m_rates.perigee * minutes;
  orbit.node += m_rates.node * minutes;
  orbit.anomaly += m_rates.anomaly * minutes;
  if (m_resonance == Resonance::none) return;
  double lambda = 0;
  integrate(minutes, lambda, mean_motion);
  const double sidereal = std::fmod(m_start.sidereal_angle + minutes * kEarthRate, kTwoPi);
  OrbitAngles without = orbit;
  without.anomaly = 0;
  orbit.anomaly = lambda - resonance_angle(without, sidereal);
}

void DeepSpace::add_periodic(double minutes, OrbitAngles& orbit) const {
  double eccentricity = 0, inclination = 0, anomaly = 0, gh = 0, h = 0;
  for (const ThirdBody* body : {&m_sun, &m_moon}) {
    const double mean = body->anomaly + body->mean_motion * minutes;
    const double f = mean + 2 * body->eccentricity * std::sin(mean);
    const double sine = std::sin(f), f2 = 0.5 * sine * sine - 0.25, f3 = -0.5 * sine * std::cos(f);
    const auto at = [&](const Effect& effect) {
      return effect.square * f2 + effect.product * f3 + effect.sine * sine;
    };
    eccentricity += at(body->on_eccentricity);
    inclination += at(body->on_inclination);
    anomaly += at(body->on_anomaly);
    gh += at(body->on_perigee);
    h += at(body->on_node);
  }
  orbit.eccentricity += eccentricity;
  orbit.inclination += inclination;
  const double s = std::sin(orbit.inclination), c = std::cos(orbit.inclination);
  if (orbit.inclination >= 0.2) {
    orbit.perigee += gh - c * h / s;
    orbit.node += h / s;
    orbit.anomaly += anomaly;
    return;
  }
  // Lyddane: sin i sin Omega and sin i cos Omega, and the sum of the angles.
  const double sin_node = std::sin(orbit.node), cos_node = std::cos(orbit.node);
  const double alpha = s * sin_node + h * cos_node + inclination * c * sin_node;
  const double beta = s * cos_node - h * sin_node + inclination * c * cos_node;
  const double sum =
      orbit.anomaly + orbit.perigee + c * orbit.node + anomaly + gh - inclination * orbit.node * s;
  const double before = orbit.node;
  orbit.node = std::atan2(alpha, beta);
  if (std::fabs(before - orbit.node) > kPi) orbit.node += orbit.node < before ? kTwoPi : -kTwoPi;
  orbit.anomaly += anomaly;
  orbit.perigee = sum - orbit.anomaly - c * orbit.node;
}

}  // namespace tessera::gbees
