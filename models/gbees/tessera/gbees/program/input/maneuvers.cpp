// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tessera/core/config/record_errors.hpp"
#include "tessera/core/linalg/square.hpp"
#include "tessera/gbees/program/input/numbers.hpp"
#include "tessera/gbees/program/input/sections.hpp"

namespace tessera::gbees::input {

namespace {

/// The time of a maneuver. With time.segments it is exactly the end of one.
double read_time(config::Section& in, const Parameters& p) {
  double time = 0.5 * p.end;
  take_units(in, "time", p.units, time_dimension());
  in.require("time", time)
      .positive()
      .doc("when; before the end, behind the measurements of the same time");
  if (in.documenting() || in.has_errors()) return time;
  if (time >= p.end) in.error("time", "a maneuver must come before time.end");
  if (p.segments.empty()) return time;
  const double end = end_of_segment(p, time);
  if (std::isfinite(end)) return end;
  if (time < p.end)
    in.error("time",
             "with time.segments a maneuver must come at the end of a segment and before that of "
             "the last");
  return time;
}

ManeuverParameters read_maneuver(config::Section& in, const Parameters& p) {
  const std::size_t dimension = p.dynamics.state.size();
  const ElementDimensions of_state = variable_dimensions(p.state_units);
  ManeuverParameters maneuver;
  maneuver.time = read_time(in, p);
  maneuver.add.assign(dimension, 0.0);
  take_units(in, "add", p.state_units, of_state);
  const bool has_amount = in.get("add", maneuver.add)
                              .size(dimension, kEachVariable)
                              .doc("what each variable of the state changes by")
                              .given();
  std::optional<std::vector<double>> deviation;
  take_units(in, "standard_deviation", p.state_units, of_state);
  const bool has_deviation =
      in.get("standard_deviation", deviation)
          .size(dimension, kEachVariable)
          .non_negative()
          .doc("of a Gaussian error of the change, independent for each variable of the state")
          .otherwise("none")
          .given();
  std::optional<config::Matrix> covariance;
  take_matrix_units(in, "covariance", p.state_units, of_state);
  const bool has_covariance =
      in.get("covariance", covariance)
          .size(dimension, kEachPair)
          .doc("covariance of the error, a list of rows, instead of standard_deviation")
          .otherwise("none")
          .given();
  in.finish();
  if (in.documenting() || in.has_errors()) return maneuver;
  if (has_deviation && has_covariance)
    in.error("covariance", "give either 'standard_deviation' or 'covariance', not both");
  if (!has_amount && !has_deviation && !has_covariance)
    in.error("", "a maneuver needs 'add', or the 'standard_deviation' of its error");
  if (deviation) {
    for (double& sigma : *deviation) sigma *= sigma;
    maneuver.covariance = linalg::diagonal(*deviation);
  } else if (covariance) {
    config::record_errors(in, "covariance", [&] { linalg::semidefinite_root(*covariance); });
    maneuver.covariance = *covariance;
  }
  return maneuver;
}

}  // namespace

std::vector<ManeuverParameters> read_maneuvers(config::Section& root, const Parameters& p) {
  std::vector<ManeuverParameters> maneuvers;
  for (config::Section& in :
       root.list("maneuvers", "sudden changes of the state, such as impulses of an engine")) {
    const ManeuverParameters maneuver = read_maneuver(in, p);
    if (in.documenting()) continue;
    if (p.propagator.scheme == Scheme::reference)
      in.error("", "a maneuver needs the conservative scheme (grid.scheme)");
    if (p.dynamics.program.bounded)
      in.error("",
               "a maneuver changes the invariant of the dynamics, outside of whose range no cells "
               "are kept: leave model.invariant out, or set model.bound: false");
    maneuvers.push_back(maneuver);
  }
  std::stable_sort(maneuvers.begin(), maneuvers.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  return maneuvers;
}

void check_maneuvers(config::Section& root, const Parameters& p) {
  if (p.maneuvers.empty()) return;
  if (p.study.wanted) root.error("maneuvers", "a study has no maneuvers: run them without it");
  if (p.follows()) return;
  if (p.dynamics.orbit) {
    root.error("maneuvers",
               "a maneuver in orbit coordinates needs a grid that follows the flow: set "
               "grid.follow: auto, or model.coordinates: cartesian");
    return;
  }
  for (const ManeuverParameters& maneuver : p.maneuvers) {
    linalg::Matrix along = maneuver.covariance;
    if (p.frame.is_turned() && !along.empty()) along = p.frame.covariance_along_axes(along);
    if (is_nearly_diagonal(along)) continue;
    std::ostringstream what;
    what << "the error of the maneuver at t = " << maneuver.time
         << " is correlated along the axes of a grid that stays: set grid.follow: auto or flow";
    root.error("maneuvers", what.str());
    return;
  }
}

}  // namespace tessera::gbees::input
