// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/conjunction/encounter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/square.hpp"
#include "tessera/gbees/conjunction/encounter_plane.hpp"
#include "tessera/gbees/conjunction/pair_motion.hpp"
#include "tessera/gbees/dynamics/equinoctial.hpp"
#include "tessera/gbees/dynamics/state_jacobian.hpp"

namespace tessera::gbees {

namespace {

using detail::cross;
using detail::dot;
using detail::norm;
using detail::Numbers;
using detail::orthonormal_rows;
using detail::position_slopes;
using detail::relative_motion;
using detail::RelativePoint;
using detail::scaled;
using detail::shortest;
using detail::slopes_in;
using detail::times;
using detail::TwoBodyOrbit;
using detail::Vector3;
using detail::vectors_across;
using linalg::Matrix;
using State = std::array<double, 6>;

constexpr double kTurn = 6.283185307179586;
constexpr double kLargestInclination = 120 * kTurn / 360;
/// Half the window of a short encounter, in standard deviations of the time of closest approach
constexpr double kReach = 12.75;
constexpr double kRounding = 1e-10;     ///< of a relative velocity, of the velocity
constexpr double kShortTurn = 0.3;      ///< rad that orbits turn in a short encounter
constexpr double kIntervalTurn = 0.2;   ///< rad that they turn in an interval of a long one
constexpr double kLargestSpread = 0.1;  ///< of the relative velocity in a short encounter

Vector3 normal_of(const State& state) {
  const Vector3 h = cross(state.data(), state.data() + 3);
  return scaled(h, 1 / norm(h));
}

void require_bound(const ObjectState& object, const std::string& name, double mu) {
  const State& s = object.state;
  const double r = std::hypot(s[0], s[1], s[2]), v = std::hypot(s[3], s[4], s[5]);
  if (!(r > 0) || !(v * v / 2 < mu / r)) {
    throw Error(ErrorKind::input, "the state of " + name +
                                      " is hyperbolic: its energy is not negative, and only bound "
                                      "orbits are carried through an encounter");
  }
  const Vector3 h = cross(s.data(), s.data() + 3);
  const double eccentricity =
      std::sqrt(std::max(0.0, 1 + dot(h, h) * (v * v - 2 * mu / r) / (mu * mu)));
  if (!(eccentricity <= kLargestEccentricity)) {
    throw Error(ErrorKind::input, "the orbit of " + name + " has an eccentricity of " +
                                      std::to_string(eccentricity) +
                                      ", and orbits of 0.95 at most are carried");
  }
}

/// Refuses a covariance by which orbits one standard deviation from the mean are no ellipses.
void require_ellipses(const Elements& mean, const Matrix& spread, const std::string& name) {
  for (std::size_t j = 0; j < 6; ++j) {
    for (const double sign : {1.0, -1.0}) {
      const auto element = [&](std::size_t i) { return mean[i] + sign * spread[i][j]; };
      if (element(0) > 0 && std::hypot(element(1), element(2)) < 1) continue;
      throw Error(ErrorKind::input, "the covariance of " + name +
                                        " is so large that orbits one standard deviation from its "
                                        "state are no ellipses: check its units");
    }
  }
}

/// Turns both objects to axes in which their orbits have elements.
std::array<ObjectState, 2> in_fit_axes(const std::array<ObjectState, 2>& objects) {
  const Vector3 n1 = normal_of(objects[0].state), n2 = normal_of(objects[1].state);
  const double limit = std::cos(kLargestInclination);
  if (n1[2] > limit && n2[2] > limit) return objects;
  Vector3 up{n1[0] + n2[0], n1[1] + n2[1], n1[2] + n2[2]};
  if (norm(up) < 0.5) up = vectors_across(n1)[0];
  const std::array<Vector3, 2> across = vectors_across(up);
  const Vector3 rows[3] = {across[0], across[1], scaled(up, 1 / norm(up))};
  Matrix turn(6, std::vector<double>(6, 0.0));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) turn[i][j] = turn[3 + i][3 + j] = rows[i][j];
  }
  std::array<ObjectState, 2> result = objects;
  for (ObjectState& object : result) {
    const State old = object.state;
    for (std::size_t i = 0; i < 6; ++i) {
      object.state[i] = 0;
      for (std::size_t j = 0; j < 6; ++j) object.state[i] += turn[i][j] * old[j];
    }
    object.covariance = linalg::congruence(turn, object.covariance);
  }
  return result;
}

/// d(elements)/d(state)
Matrix element_jacobian(const CentralField& field, const State& state, const Elements& mean) {
  const double share = 1e-3 * (1 - std::min(0.9, std::hypot(mean[1], mean[2])));
  return state_jacobian(state, share, [&](const State& moved) {
    return equinoctial_elements(field, moved.data(), mean[5]);
  });
}

/// Both mean orbits.
struct MeanOrbits {
  TwoBodyOrbit first, second;
  explicit MeanOrbits(const PairModel& model)
      : first(model.mu, model.mean), second(model.mu, model.mean + 6) {}
  RelativePoint at(double time) const { return detail::relative_point(first, second, time); }
};

/// The time near 0 at which the mean orbits are closest, since messages round it; 0 where there is
/// none within a hundredth of a period.
double find_closest(const MeanOrbits& orbits, double period) {
  const double most = 0.01 * period;
  double time = 0;
  for (int n = 0; n < 50; ++n) {
    const RelativePoint p = orbits.at(time);
    const double step = -p.closing / p.turning;
    if (!(p.turning > 0) || !(std::fabs(time + step) < most)) return 0;
    time += step;
    if (std::fabs(step) < 1e-12 * period) break;
  }
  return time;
}

/// The end of an encounter on one side: the first maximum of the mean orbits' distance that is more
/// than twice the least distance, at most half a period away.
double find_farthest(const MeanOrbits& orbits, double from, double period, double sign) {
  constexpr int kSteps = 200;
  const double step = sign * 0.5 * period / kSteps, least2 = orbits.at(from).distance2;
  double before = least2;
  for (int n = 1; n <= kSteps; ++n) {
    const double now = orbits.at(from + n * step).distance2;
    if (now < before && before > 4 * least2) {
      // `closing` changes its sign between the last two steps or in the one before
      double low = from + (n - 2) * step, high = from + n * step;
      for (int k = 0; k < 50; ++k) {
        const double middle = 0.5 * (low + high);
        (sign * orbits.at(middle).closing > 0 ? low : high) = middle;
      }
      return 0.5 * (low + high);
    }
    before = now;
  }
  return from + sign * 0.5 * period;
}

double period_of(const PairModel& model, int object) { return kTurn / model.mean[6 * object]; }

/// The fastest rate at which an orbit turns: at its pericentre.
double fastest_turn(const PairModel& model) {
  double fastest = 0;
  for (int object = 0; object < 2; ++object) {
    const double* e = model.mean + 6 * object;
    const double g = std::hypot(e[1], e[2]);
    fastest = std::max(fastest, e[0] * std::sqrt(1 - g * g) / ((1 - g) * (1 - g)));
  }
  return fastest;
}

/// How the time of closest approach of pairs is spread, by the linear theory.
struct TimeSpread {
  double time = 0;            ///< s
  double speed_fraction = 0;  ///< of the relative velocity
};

TimeSpread time_spread(const RelativePoint& p, const Matrix& covariance) {
  std::vector<double> gradient(6);
  for (std::size_t i = 0; i < 3; ++i) {
    gradient[i] = -p.v[i] / p.speed2;
    gradient[3 + i] = -p.r[i] / p.speed2;
  }
  double variance = 0, speed_variance = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) variance += gradient[i] * covariance[i][j] * gradient[j];
  }
  for (std::size_t i = 3; i < 6; ++i) speed_variance += covariance[i][i];
  return {std::sqrt(std::max(variance, 0.0)), std::sqrt(speed_variance / p.speed2)};
}

Matrix sum_of(const Matrix& a, const Matrix& b) {
  Matrix sum = a;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    for (std::size_t j = 0; j < sum.size(); ++j) sum[i][j] += b[i][j];
  }
  return sum;
}

/// Chooses the window and its intervals.
void choose_window(Encounter& encounter, const MeanOrbits& orbits, const Matrix& covariance,
                   const std::optional<std::pair<double, double>>& given) {
  PairModel& model = encounter.pairs;
  detail::EncounterWindow& window = model.window;
  const double period = std::min(period_of(model, 0), period_of(model, 1));
  const double at = window.guess = encounter.closest_approach;
  const RelativePoint p = orbits.at(at);
  const TimeSpread spread = time_spread(p, covariance);
  const double reach = kReach * spread.time + 10 * model.radius / std::sqrt(p.speed2);
  const double fastest = encounter.fastest_turn = fastest_turn(model);
  encounter.is_short = 2 * reach * fastest < kShortTurn && spread.speed_fraction < kLargestSpread;
  if (given) {
    window.begin = given->first;
    window.end = given->second;
  } else {
    window.begin = find_farthest(orbits, at, period, -1);
    window.end = find_farthest(orbits, at, period, 1);
    if (encounter.is_short) {
      window.begin = std::max(window.begin, at - reach);
      window.end = std::min(window.end, at + reach);
    }
  }
  const double turn = (window.end - window.begin) * fastest;
  window.intervals = encounter.is_short && turn < kShortTurn
                         ? 1
                         : static_cast<int>(std::ceil(turn / kIntervalTurn));
}

/// The most probable way in which a pair meets.
struct DesignPoint {
  double time = 0;
  Numbers z{};
  Matrix across;                 ///< d(place in the encounter plane)/d(z), 2 x 12
  std::array<Vector3, 2> plane;  ///< across the relative velocity there
};

/// Where to begin the search: of a short encounter the closest approach; else the time at which the
/// linear theory needs the shortest z.
DesignPoint guess_design_point(const Encounter& encounter) {
  constexpr int kTimes = 400;
  const PairModel& model = encounter.pairs;
  const detail::EncounterWindow& window = model.window;
  DesignPoint best;
  best.time = window.guess;
  if (encounter.is_short) return best;
  double least = std::numeric_limits<double>::infinity();
  for (int n = 0; n <= kTimes; ++n) {
    const double time = window.begin + (window.end - window.begin) * n / kTimes;
    const RelativePoint p = relative_motion(model, {}, time);
    const auto z = shortest(position_slopes(model, {}, time), {-p.r[0], -p.r[1], -p.r[2]});
    if (!z || !(norm(*z) < least)) continue;
    least = norm(*z);
    best.time = time;
    best.z = *z;
  }
  return best;
}

/// One linear step of the search for the design point.
struct DesignStep {
  Numbers z{};  ///< where the linear motion meets
  double late = 0;
};

/// The relative position that the motion, linear in z, has at z = 0.
Vector3 position_without(const RelativePoint& p, const Matrix& slopes, const Numbers& z) {
  const std::vector<double> own = times(slopes, z.data());
  return {p.r[0] - own[0], p.r[1] - own[1], p.r[2] - own[2]};
}

/// The step to the shortest z that meets at any time; at the end of a window that it would leave,
/// at that time.
std::optional<DesignStep> step_to_meet(const RelativePoint& p, const Matrix& slopes,
                                       const DesignPoint& point,
                                       const detail::EncounterWindow& window) {
  const Vector3 rest = position_without(p, slopes, point.z);
  const auto z = shortest(point.across, {-dot(point.plane[0], rest), -dot(point.plane[1], rest)});
  if (!z) return {};
  DesignStep step{*z, 0};
  const std::vector<double> moved = times(slopes, z->data());
  for (std::size_t i = 0; i < 3; ++i) step.late -= p.v[i] * (rest[i] + moved[i]) / p.speed2;
  const bool leaves =
      (point.time >= window.end && step.late > 0) || (point.time <= window.begin && step.late < 0);
  if (!leaves) return step;
  const auto there = shortest(slopes, {-rest[0], -rest[1], -rest[2]});
  if (!there) return {};
  return DesignStep{*there, 0};
}

/// Finds the shortest z, and the time within the window, at which a pair meets, by linear steps
/// (Hasofer, Lind, J. Eng. Mech. 100 (1974) 111; Rackwitz, Fiessler, Computers and Structures 9
/// (1978) 489), ever shorter, since they may go to and fro. None where they do not meet.
std::optional<DesignPoint> find_design_point(const Encounter& encounter) {
  constexpr double kFarthest = 35;  // exp(-z^2/2) is 1e-266
  const PairModel& model = encounter.pairs;
  const detail::EncounterWindow& window = model.window;
  DesignPoint point = guess_design_point(encounter);
  const double length = window.end - window.begin;
  for (int n = 0; n < 200; ++n) {
    const RelativePoint p = relative_motion(model, point.z, point.time);
    const Matrix slopes = position_slopes(model, point.z, point.time);
    point.plane = vectors_across({p.v[0], p.v[1], p.v[2]});
    point.across = slopes_in(point.plane, slopes);
    const auto next = step_to_meet(p, slopes, point, window);
    if (!next || !(norm(next->z) < kFarthest)) return {};
    Numbers step{};
    for (std::size_t j = 0; j < 12; ++j) step[j] = next->z[j] - point.z[j];
    if (std::sqrt(p.distance2) < 1e-3 * model.radius && norm(step) < 1e-3) return point;
    const double share = std::min({1 / (1 + n / 10.0), 2 / norm(step),
                                   0.05 * length / std::max(std::fabs(next->late), 1e-300)});
    point.time = std::clamp(point.time + share * next->late, window.begin, window.end);
    for (std::size_t j = 0; j < 12; ++j) point.z[j] += share * step[j];
  }
  const double rest = std::sqrt(relative_motion(model, point.z, point.time).distance2);
  return rest < model.radius ? std::optional(point) : std::nullopt;
}

/// Turns the normal numbers, so that the first two are those that move a pair across the encounter
/// plane at the design point, and sets the tube about it. None where nothing moves the pair in some
/// direction of the plane.
std::optional<PairModel> make_tube(const PairModel& model, const DesignPoint& point) {
  const Matrix rows = orthonormal_rows(point.across, point.z);
  if (rows.empty()) return {};
  PairModel turned = model;
  turned.is_importance = true;
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t k = 0; k < 12; ++k)
      turned.spread[i][k] =
          std::inner_product(rows[k].begin(), rows[k].end(), model.spread[i], 0.0);
  }
  TubeProposal& tube = turned.tube;
  tube.time = turned.window.guess = point.time;
  const std::vector<double> z = times(rows, point.z.data());
  Numbers meeting{};
  for (std::size_t k = 0; k < 2; ++k) meeting[k] = tube.s[k] = z[k];
  meeting[2] = tube.shift = z[2];
  const Matrix slopes = position_slopes(turned, meeting, tube.time);
  double m[2][2] = {};  // the displacement in the plane by each s
  for (std::size_t l = 0; l < 2; ++l) {
    for (std::size_t i = 0; i < 3; ++i) {
      tube.slope[i][l] = slopes[i][l];
      for (std::size_t k = 0; k < 2; ++k) m[k][l] += point.plane[k][i] * slopes[i][l];
    }
  }
  const double determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0];
  tube.across[0][0] = m[1][1] / determinant;
  tube.across[0][1] = -m[0][1] / determinant;
  tube.across[1][0] = -m[1][0] / determinant;
  tube.across[1][1] = m[0][0] / determinant;
  tube.area = std::fabs(1 / determinant);
  if (!(std::isfinite(tube.area) && tube.area > 0)) return {};
  return turned;
}

/// The power of two that brings the largest weight of the disc to about 1.
double usual_scale(const PairModel& model) {
  const double disc = TubeProposal::kDiscRadius * model.radius;
  const double largest = 0.5 * disc * disc * model.tube.area / TubeProposal::kDisc;
  return std::exp2(std::clamp(-std::floor(std::log2(largest)), 0.0, 1000.0));
}

}  // namespace

Encounter prepare_encounter(const std::array<ObjectState, 2>& objects, double radius,
                            const std::optional<std::pair<double, double>>& window,
                            const std::array<std::string, 2>& names, double mu) {
  for (std::size_t n = 0; n < 2; ++n) require_bound(objects[n], names[n], mu);
  const std::array<ObjectState, 2> turned = in_fit_axes(objects);
  const CentralField field{mu, 0, {}, {}};
  Encounter encounter;
  PairModel& model = encounter.pairs;
  model.mu = mu;
  model.radius = radius;
  for (std::size_t n = 0; n < 2; ++n) {
    const Elements mean = equinoctial_elements(field, turned[n].state.data());
    const Matrix spread = linalg::product(element_jacobian(field, turned[n].state, mean),
                                          linalg::semidefinite_root(turned[n].covariance));
    require_ellipses(mean, spread, names[n]);
    for (std::size_t i = 0; i < 6; ++i) {
      model.mean[6 * n + i] = mean[i];
      for (std::size_t j = 0; j < 6; ++j) model.spread[6 * n + i][6 * n + j] = spread[i][j];
    }
  }
  const MeanOrbits orbits(model);
  encounter.closest_approach =
      find_closest(orbits, std::min(period_of(model, 0), period_of(model, 1)));
  const RelativePoint p = orbits.at(encounter.closest_approach);
  const double speed = std::hypot(objects[0].state[3], objects[0].state[4], objects[0].state[5]);
  if (!(std::sqrt(p.speed2) > kRounding * speed)) {
    throw Error(ErrorKind::input,
                "the two objects have the same velocity, so that there is no encounter: their "
                "states may be those of one object");
  }
  encounter.miss_distance = std::sqrt(p.distance2);
  encounter.relative_speed = std::sqrt(p.speed2);
  const Matrix covariance = sum_of(turned[0].covariance, turned[1].covariance);
  choose_window(encounter, orbits, covariance, window);
  const auto plane = vectors_across({p.v[0], p.v[1], p.v[2]});
  double mean[2];
  Matrix in_plane(2, std::vector<double>(2, 0.0));
  for (std::size_t k = 0; k < 2; ++k) {
    mean[k] = dot(plane[k], {p.r[0], p.r[1], p.r[2]});
    for (std::size_t l = 0; l < 2; ++l) {
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j)
          in_plane[k][l] += plane[k][i] * covariance[i][j] * plane[l][j];
      }
    }
  }
  in_plane[1][0] = in_plane[0][1];
  if (!(in_plane[0][0] + in_plane[1][1] > 0)) {
    throw Error(ErrorKind::input,
                "neither object has an error across the relative velocity: the covariances are "
                "zero there, and without them there is no probability");
  }
  encounter.plane_probability = disc_probability(mean, in_plane, radius);
  const linalg::Eigen principal = linalg::eigen_decomposition(in_plane);
  for (std::size_t k = 0; k < 2; ++k) {
    const std::size_t wider_first = 1 - k;
    encounter.plane_deviation[k] = std::sqrt(std::max(principal.values[wider_first], 0.0));
    encounter.plane_place[k] = std::fabs(mean[0] * principal.vectors[0][wider_first] +
                                         mean[1] * principal.vectors[1][wider_first]);
  }
  if (const auto point = find_design_point(encounter)) encounter.rare = make_tube(model, *point);
  if (encounter.rare) encounter.rare->usual_scale = usual_scale(*encounter.rare);
  return encounter;
}

}  // namespace tessera::gbees
