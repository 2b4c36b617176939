// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/dynamics/equinoctial.hpp"

#include <cmath>

#include "tessera/core/error.hpp"

namespace tessera::gbees {

namespace {

constexpr double kTurn = 6.283185307179586476925;

/// Writes the equations. Names: w = 1 + cos i; a, G: the semi-major axis and sqrt(mu a); alpha,
/// beta of g; (rx, ry, rz), (fx, fy, fz): unit vectors along the position and, in the plane of the
/// orbit, across it; vr, vf: the velocity along these; U: the potential of the flattening.
class EquinoctialText {
 public:
  EquinoctialText(const EquationText& old, const CentralField& field)
      : m_change(old, equinoctial_variables()),
        m_rest(find_perturbation(old, field, m_change.prefix())),
        m_old(old),
        m_is_flattened(field.flattening != 0) {
    m_change.add_number("mu", field.mu, {3, -2, 0});
    m_change.add_number("flattening", field.flattening, {5, -2, 0});
  }

  EquationText write() {
    write_shape();
    write_longitude();
    write_directions();
    write_state();
    write_perturbation();
    write_rates();
    return m_change.text();
  }

 private:
  std::string define(const std::string& name, const std::string& expression) {
    return m_change.define(name, expression);
  }

  /// Returns the expression where the body is flattened, else nothing, which is zero.
  std::string flattened(const std::string& expression) const {
    return m_is_flattened ? expression : std::string();
  }

  void write_shape() {
    define("w", "2/(1 + q1^2 + q2^2)");
    define("a", "(mu/nu^2)^(1/3)");
    define("G", "sqrt(mu*a)");
    define("alpha", "sqrt(1 - p1^2 - p2^2)");
    define("beta", "1/(1 + alpha)");
  }

  /// Solves Kepler's equation for d = K - L, which is d = S cos d + C sin d with S = g sin(L - Psi)
  /// and C = g cos(L - Psi): this form is smooth at g = 0.
  void write_longitude() {
    define("sin_L", "sin(L)");
    define("cos_L", "cos(L)");
    define("S", "p2*sin_L - p1*cos_L");
    define("C", "p2*cos_L + p1*sin_L");
    define("d0", "S/sqrt((1 - C)^2 + S^2)");
    write_kepler_step("d0", "0", "d1");
    write_kepler_step("d1", "1", "d");
    // The last step is so small that a few terms of its sine and cosine are enough.
    define("sin_d", "s1 + step1*(c1 - step1*(s1/2 + step1*c1/6))");
    define("cos_d", "c1 - step1*(s1 + step1*(c1/2 - step1*s1/6))");
    define("sin_K", "sin_L*cos_d + cos_L*sin_d");
    define("cos_K", "cos_L*cos_d - sin_L*sin_d");
    define("e", "C*cos_d - S*sin_d");
  }

  /// A step of fifth order on f(d) = d - S cos d - C sin d: each line takes one more term of f's
  /// Taylor series (Danby, Fundamentals of Celestial Mechanics, 2nd ed., section 6.6).
  void write_kepler_step(const std::string& from, const std::string& n, const std::string& to) {
    const auto define_numbered = [&](const std::string& name, std::string expression) {
      for (std::size_t at = expression.find('#'); at != std::string::npos;
           at = expression.find('#')) {
        expression.replace(at, 1, n);
      }
      define(name + n, expression);
    };
    define_numbered("s", "sin(" + from + ")");
    define_numbered("c", "cos(" + from + ")");
    define_numbered("f2_", "S*c# + C*s#");    // the second derivative of f, and minus the fourth
    define_numbered("f3_", "C*c# - S*s#");    // the third
    define_numbered("f_", "f2_# - " + from);  // minus f
    define_numbered("f1_", "1 - f3_#");
    define_numbered("first", "f_#/f1_#");
    define_numbered("second", "f_#/(f1_# + first#*f2_#/2)");
    define_numbered("third", "f_#/(f1_# + second#*(f2_#/2 + second#*f3_#/6))");
    define_numbered("step", "f_#/(f1_# + third#*(f2_#/2 + third#*(f3_#/6 - third#*f2_#/24)))");
    define(to, from + " + step" + n);
  }

  void write_directions() {
    define("rho", "1 - e");  // r/a
    define("r", "a*rho");
    define("cos_l", "(alpha*cos_K + p2*(beta*e - 1))/rho");
    define("sin_l", "(alpha*sin_K + p1*(beta*e - 1))/rho");
    define("r_up", "q1*cos_l - q2*sin_l");
    define("f_up", "-q1*sin_l - q2*cos_l");
    define("rx", "cos_l - w*q1*r_up");
    define("ry", "sin_l + w*q2*r_up");
    define("rz", "-w*r_up");
    define("fx", "-sin_l - w*q1*f_up");
    define("fy", "cos_l + w*q2*f_up");
    define("fz", "-w*f_up");
  }

  void write_state() {
    define("cc", "G*alpha");  // the generalised angular momentum
    define("U", flattened("flattening*(3*rz^2 - 1)/(2*r^3)"));
    define("h", m_is_flattened ? "sqrt(cc^2 - 2*r^2*U)" : "cc");
    define("vr", "G*d/r");
    define("vf", "h/r");
    for (const char* axis : {"x", "y", "z"}) define(axis, std::string("r*r") + axis);
    for (const std::string axis : {"x", "y", "z"})
      define("v" + axis, "vr*r" + axis + " + vf*f" + axis);
  }

  /// The text's own definitions, and the perturbation along the three directions of the orbit.
  void write_perturbation() {
    for (const auto& [name, definition] : m_old.definitions) m_change.copy(name, definition);
    for (const auto& [name, definition] : m_rest.definitions) m_change.copy(name, definition);
    const std::string ax = m_change.define_old("ax", m_rest.accelerations[0]);
    const std::string ay = m_change.define_old("ay", m_rest.accelerations[1]);
    const std::string az = m_change.define_old("az", m_rest.accelerations[2]);
    m_pr = define("Pr", sum({times("rx", ax), times("ry", ay), times("rz", az)}));
    m_pf = define("Pf", sum({times("fx", ax), times("fy", ay), times("fz", az)}));
    const std::string up = flattened("(-3*flattening*rz/r^4*(w - 1))");
    m_fh = define("Fh", sum({times("w*q1", ax), times("-w*q2", ay), times("(w - 1)", az), up}));
  }

  void write_rates() {
    const std::string power = define("power", sum({times("vr", m_pr), times("vf", m_pf)}));
    const std::string along = define("R", sum({m_pr, flattened("U/r")}));
    const std::string dc =
        define("dc", times("r/cc", sum({times("h", m_pf), flattened("(-vr*U)")})));
    const std::string tilt = define("tilt", times("r/h", m_fh));
    // the turn of the Laplace vector and of the equinoctial frame
    const std::string turn =
        define("turn", sum({flattened("(-2*U/(h + cc))"), times("-(q1*cos_l - q2*sin_l)", tilt)}));
    const std::string across = define("across", times("2*cc/(mu*r)", dc));
    const std::string back = define("back", sum({times("vr/mu", dc), times("cc/mu", along)}));
    m_change.add_rate(times("-3/G", power));
    m_change.add_rate(sum({times("p2", turn), times("sin_l", across), times("-cos_l", back)}));
    m_change.add_rate(sum({times("-p1", turn), times("cos_l", across), times("sin_l", back)}));
    m_change.add_rate(times("sin_l/w", tilt));
    m_change.add_rate(times("cos_l/w", tilt));
    m_change.add_rate(sum({"nu", turn, times("-(2*r/G + beta*cc/mu*(cc^2/(mu*r) - 1))", along),
                           times("beta*(cc^2/(mu*r) + 1)*vr/mu", dc)}));
  }

  ChangeOfVariables m_change;
  Perturbation m_rest;
  const EquationText& m_old;
  bool m_is_flattened;
  std::string m_pr, m_pf, m_fh;  ///< names of the components, or empty
};

/// What a Cartesian state has before its elements.
struct CartesianOrbit {
  double r, v2, rv, h, energy, potential;  ///< rv: the product of position and velocity
  double normal[3];                        ///< of the plane, of length h

  CartesianOrbit(const CentralField& field, const double* s) {
    r = std::hypot(s[0], s[1], s[2]);
    v2 = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
    rv = s[0] * s[3] + s[1] * s[4] + s[2] * s[5];
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      normal[i] = s[j] * s[3 + k] - s[k] * s[3 + j];
    }
    h = std::hypot(normal[0], normal[1], normal[2]);
    const double z = s[2] / r;
    potential = field.flattening * (3 * z * z - 1) / (2 * r * r * r);
    energy = v2 / 2 - field.mu / r + potential;
  }

  /// The square of the generalised angular momentum.
  double c2() const { return h * h + 2 * r * r * potential; }
};

[[noreturn]] void fail(const std::string& problem) { throw Error(ErrorKind::numerical, problem); }

/// Joins a problem and the remedy that always helps.
std::string with_cartesian(const std::string& problem) {
  return problem + ": take Cartesian coordinates";
}

const char* const kTurnFrame =
    ": turn the frame, for example to (x, -y, -z), or take Cartesian coordinates";

/// Says why there are no elements of a state; empty: there are.
std::string find_singularity(const CartesianOrbit& orbit) {
  if (!(orbit.r > 0)) return with_cartesian("the position is the origin, where no elements exist");
  if (!(orbit.energy < 0)) {
    return with_cartesian(
        "the orbit is not bound (its energy is not negative), and these elements are those of "
        "bound orbits");
  }
  if (!(orbit.h * orbit.h > 1e-16 * orbit.r * orbit.r * orbit.v2)) {
    return with_cartesian(
        "the state moves along the line to the origin, where the orbit has no plane");
  }
  if (!(orbit.c2() > 0))
    return with_cartesian("the flattening is too strong here for these elements");
  if (!(orbit.h + orbit.normal[2] > 0)) {
    return std::string("the inclination is 180 degrees, where q1 and q2 are infinite") + kTurnFrame;
  }
  return {};
}

/// Solves d = S cos d + C sin d with g^2 = S^2 + C^2 < 1 by the steps of the equations, until they
/// end.
double solve_kepler(double S, double C) {
  double d = S / std::sqrt((1 - C) * (1 - C) + S * S);
  for (int n = 0; n < 50; ++n) {
    const double s = std::sin(d), c = std::cos(d);
    const double second = S * c + C * s, third = C * c - S * s, f = second - d, first = 1 - third;
    double step = f / first;
    step = f / (first + step * second / 2);
    step = f / (first + step * (second / 2 + step * third / 6));
    step = f / (first + step * (second / 2 + step * (third / 6 - step * second / 24)));
    d += step;
    if (!(std::fabs(step) > 1e-8)) break;  // of fifth order: the next step would be 0
  }
  return d;
}

}  // namespace

const std::vector<VariableMeaning>& equinoctial_variables() {
  static const std::vector<VariableMeaning> variables{
      {"nu", {0, -1, 0}, "generalised mean motion"},
      {"p1", {}, "generalised eccentricity times sine of the longitude of pericentre"},
      {"p2", {}, "generalised eccentricity times cosine of the longitude of pericentre"},
      {"q1", {}, "tangent of half the inclination times sine of the node"},
      {"q2", {}, "tangent of half the inclination times cosine of the node"},
      {"L", {}, "generalised mean longitude"}};
  return variables;
}

EquationText equinoctial_equations(const EquationText& text, const CentralField& field) {
  return EquinoctialText(text, field).write();
}

std::string equinoctial_problem(const CentralField& field, const double* state) {
  const CartesianOrbit orbit(field, state);
  const std::string singularity = find_singularity(orbit);
  if (!singularity.empty()) return singularity;
  const Elements e = equinoctial_elements(field, state);
  const auto too_large = [](const std::string& what, double value, double largest) {
    return what + " is " + std::to_string(value) + ", and these elements are for " +
           std::to_string(largest) + " at most";
  };
  const double eccentricity = std::hypot(e[1], e[2]), tangent = std::hypot(e[3], e[4]);
  if (!(eccentricity <= kLargestEccentricity))
    return with_cartesian(too_large("the eccentricity", eccentricity, kLargestEccentricity));
  if (!(tangent <= kLargestTangent))
    return too_large("the tangent of half the inclination", tangent, kLargestTangent) + kTurnFrame;
  return {};
}

Elements equinoctial_elements(const CentralField& field, const double* state, double longitude) {
  const CartesianOrbit orbit(field, state);
  const std::string singularity = find_singularity(orbit);
  if (!singularity.empty()) fail(singularity);
  const double nu = std::pow(-2 * orbit.energy, 1.5) / field.mu;
  const double a = field.mu / (-2 * orbit.energy);
  const double q1 = orbit.normal[0] / (orbit.h + orbit.normal[2]);
  const double q2 = -orbit.normal[1] / (orbit.h + orbit.normal[2]);
  // the direction of the position in the equinoctial frame
  const double up = state[2], x = state[0] - q1 * up, y = state[1] + q2 * up;
  const double norm = std::hypot(x, y), cos_l = x / norm, sin_l = y / norm;
  const double c2 = orbit.c2(), vr = orbit.rv / orbit.r;
  const double along = c2 / (field.mu * orbit.r) - 1, across = -std::sqrt(c2) * vr / field.mu;
  const double p1 = along * sin_l + across * cos_l, p2 = along * cos_l - across * sin_l;
  const double beta = 1 / (1 + std::sqrt(c2 / (field.mu * a))), e = 1 - orbit.r / a;
  const double cos_K = orbit.r / a * cos_l - p2 * (beta * e - 1);
  const double sin_K = orbit.r / a * sin_l - p1 * (beta * e - 1);
  const double L = std::atan2(sin_K, cos_K) - orbit.rv / std::sqrt(field.mu * a);
  return {nu, p1, p2, q1, q2, longitude + std::remainder(L - longitude, kTurn)};
}

std::array<double, 6> equinoctial_state(const CentralField& field, const Elements& elements) {
  const auto [nu, p1, p2, q1, q2, L] = elements;
  const double g2 = p1 * p1 + p2 * p2;
  if (!(nu > 0) || !(g2 < 1)) {
    fail("these elements are of no bound orbit: nu = " + std::to_string(nu) +
         " must be above 0 and the generalised eccentricity " + std::to_string(std::sqrt(g2)) +
         " below 1");
  }
  const double a = std::cbrt(field.mu / (nu * nu)), G = std::sqrt(field.mu * a);
  const double alpha = std::sqrt(1 - g2), beta = 1 / (1 + alpha);
  const double sin_L = std::sin(L), cos_L = std::cos(L);
  const double d = solve_kepler(p2 * sin_L - p1 * cos_L, p2 * cos_L + p1 * sin_L);
  const double sin_K = std::sin(L + d), cos_K = std::cos(L + d);
  const double e = p1 * sin_K + p2 * cos_K, rho = 1 - e, r = a * rho;
  const double cos_l = (alpha * cos_K + p2 * (beta * e - 1)) / rho;
  const double sin_l = (alpha * sin_K + p1 * (beta * e - 1)) / rho;
  const double w = 2 / (1 + q1 * q1 + q2 * q2);
  const double r_up = q1 * cos_l - q2 * sin_l, f_up = -q1 * sin_l - q2 * cos_l;
  const double along[3] = {cos_l - w * q1 * r_up, sin_l + w * q2 * r_up, -w * r_up};
  const double across[3] = {-sin_l - w * q1 * f_up, cos_l + w * q2 * f_up, -w * f_up};
  const double potential = field.flattening * (3 * along[2] * along[2] - 1) / (2 * r * r * r);
  const double h2 = G * G * alpha * alpha - 2 * r * r * potential;
  if (!(h2 > 0)) fail("these elements are of no orbit: the flattening is too strong at this place");
  const double vr = G * d / r, vf = std::sqrt(h2) / r;
  std::array<double, 6> state{};
  for (std::size_t i = 0; i < 3; ++i) {
    state[i] = r * along[i];
    state[3 + i] = vr * along[i] + vf * across[i];
  }
  return state;
}

double equinoctial_log_jacobian(const CentralField& field, const Elements& elements) {
  const double tangent2 = elements[3] * elements[3] + elements[4] * elements[4];
  return std::log(0.75) + 2 * std::log(elements[0] / field.mu) + 2 * std::log1p(tangent2);
}

}  // namespace tessera::gbees
