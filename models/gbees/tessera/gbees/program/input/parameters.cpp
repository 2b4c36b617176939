// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "tessera/core/config/choice.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/expression/linearization.hpp"
#include "tessera/core/expression/table_checks.hpp"
#include "tessera/core/io/growing_files.hpp"
#include "tessera/core/io/sha256.hpp"
#include "tessera/core/linalg/square.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/names.hpp"
#include "tessera/gbees/dynamics/equation_graph.hpp"
#include "tessera/gbees/grid/grid.hpp"
#include "tessera/gbees/program/input/numbers.hpp"
#include "tessera/gbees/program/input/periods.hpp"
#include "tessera/gbees/program/input/sections.hpp"
#include "tessera/gbees/program/output_folder.hpp"
#include "tessera/gbees/program/vtk.hpp"

namespace tessera::gbees {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// The entries of the input on the grid that are not parameters themselves: where they are not
/// given, the initial density decides.
struct GridChoices {
  std::optional<std::vector<double>> spacing, factor;
  std::optional<bool> rotate;  ///< none: by itself
  std::string keys = "auto";
};

/// The entries that only speed and memory depend on.
void read_tuning(config::Section& in, PropagatorOptions& options) {
  std::optional<double> slots_per_cell;
  in.get("slots_per_cell", slots_per_cell)
      .range(kLeastSlotsPerCell, kMostSlotsPerCell)
      .doc(
          "slots of the directory for each cell that the grid has room for: few take less memory, "
          "in many a cell is found sooner; the results are the same")
      .otherwise(
          "by itself: 1.5 of a flat_map, on a GPU below 2^19 cells 4; 1.46 of an unordered_map");
  if (slots_per_cell) options.slots_per_cell = *slots_per_cell;
  std::optional<int> team_size;
  in.get("team_size", team_size)
      .range(kTeamSizeUnit, kMostTeamSize)
      .unit("threads")
      .doc(
          "threads of a team of the kernel that makes many steps on a GPU (run.kernels), one team "
          "a multiprocessor; a multiple of 32; the results are the same")
      .otherwise("by itself: 256 below 2^15 cells, else 384");
  if (!team_size) return;
  if (*team_size % kTeamSizeUnit != 0) {
    return in.error("team_size", "'grid.team_size' must be a multiple of " +
                                     std::to_string(kTeamSizeUnit) + ", the threads of a warp");
  }
  options.team_size = *team_size;
}

GridChoices read_grid(config::Section& root, Parameters& p) {
  GridChoices choices;
  const std::size_t dimension = p.dynamics.variables.size();
  config::Section in = root.section("grid", "the cells");
  input::take_units(in, "spacing", p.units, input::variable_dimensions(p.units));
  const bool has_spacing = in.get("spacing", choices.spacing)
                               .size(dimension, input::kEachVariable)
                               .positive()
                               .doc(
                                   "size of a cell along each variable; of one on a circle the "
                                   "nearest that divides its period")
                               .otherwise(
                                   "half an initial standard deviation, of a mixture half the "
                                   "least of its parts; on a circle a 32nd of its period at most; "
                                   "of correlated variables with grid.follow: none half of what is "
                                   "left when the others are given")
                               .given();
  const bool has_factor =
      in.get("factor", choices.factor)
          .size(dimension, input::kEachVariable)
          .positive()
          .doc("instead of spacing, which is then an initial standard deviation / (2 factor)")
          .given();
  if (has_spacing && has_factor) in.error("factor", "give either 'spacing' or 'factor', not both");
  in.get("threshold", p.propagator.threshold)
      .positive()
      .range(0, 1)
      .doc("probability of a cell below which it does not grow and may be removed");
  enum class Name { conservative, reference, legacy };
  Name scheme = Name::conservative;
  config::choose(in, "scheme", scheme,
                 {{"conservative", Name::conservative},
                  {"reference", Name::reference},
                  {"legacy", Name::legacy}})
      .doc(
          "edge of the grid. conservative: mass that leaves is counted; reference: cell for cell "
          "the published algorithm; legacy: the one before it, whose cells grow on all sides and "
          "whose steps are all time.longest_step, to compare with");
  p.propagator.scheme = scheme == Name::conservative ? Scheme::conservative : Scheme::reference;
  p.propagator.grows_all_ways = scheme == Name::legacy;
  config::choose(in, "storage", p.is_single, {{"double", false}, {"single", true}})
      .doc(
          "precision in which masses, fluxes and velocities are kept in memory; they are computed "
          "in double precision");
  config::choose(in, "directory", p.propagator.directory,
                 {{"auto", DirectoryKind::automatic},
                  {"unordered_map", DirectoryKind::unordered_map},
                  {"flat_map", DirectoryKind::flat_map}})
      .doc(
          "what maps the keys of cells to rows; the results are the same. auto: unordered_map "
          "(Kokkos::UnorderedMap) where the phases of a step are launched one by one "
          "(run.kernels), else flat_map");
  read_tuning(in, p.propagator);
  config::choose(in, "follow", p.follow,
                 {{"none", Follow::none}, {"flow", Follow::flow}, {"auto", Follow::automatic}})
      .doc(
          "whether the cells move with the flow and turn and shear with its linear part (flow), or "
          "stay where they are (none). auto: flow, unless something in the input asks for a grid "
          "that stays, and as long as one frame fits the density. A spacing is then that at the "
          "start, and keeps its share of the standard deviation");
  in.get("rotate", choices.rotate)
      .doc("lay the grid along the eigenvectors of the initial covariance")
      .otherwise(
          "by itself, where the input leaves the spacing and sets grid.follow: none, and the "
          "density "
          "is so correlated that the cells would be wider than a direction of it");
  in.get("keys", choices.keys)
      .one_of({"auto", "64", "128"})
      .doc(
          "bits that hold the indices of a cell, shared by the axes. auto: 64, but of six or more "
          "variables 128 where 4 initial standard deviations each way take more than half of the "
          "cells that 64 bits have along some axis");
  in.get("recentre", p.propagator.recentre)
      .doc(
          "the window of cells that can be indexed travels with the density, so that one that is "
          "narrower may go any distance");
  in.get("prune_every", p.propagator.prune_every)
      .range(1, 1e6)
      .unit("steps")
      .doc("how often cells that hold and receive too little are removed");
  in.finish();
  return choices;
}

/// The units of a run, with those of other variables.
Units in_units_of(const std::vector<VariableMeaning>& variables, const Units& given) {
  Units units = given;
  units.variables.clear();
  units.variable_texts.clear();
  for (const VariableMeaning& variable : variables) {
    if (given.given) units.variables.push_back(variable.dimension);
    if (!given.variable_texts.empty())
      units.variable_texts.push_back(given.composed(variable.dimension));
  }
  return units;
}

/// About as many cells as an initial Gaussian has at or above the threshold.
double estimate_cells(const Parameters& p) {
  double log_determinant = 0;
  try {
    linalg::inverse_positive_definite(p.initial.covariance, &log_determinant);
  } catch (const Error&) {  // told with its place elsewhere
    return 0;
  }
  const double dimension = static_cast<double>(p.spacing.size());
  double log_cells = 0.5 * log_determinant;  // of a unit of volume in which it is a unit Gaussian
  for (const double size : p.spacing) log_cells -= std::log(size);
  const double largest = -0.5 * dimension * std::log(2 * kPi) - log_cells;
  const double square = 2 * (largest - std::log(p.propagator.threshold));
  if (!(square > 0)) return 0;
  return std::exp(log_cells + 0.5 * dimension * std::log(kPi * square) -
                  std::lgamma(0.5 * dimension + 1));
}

/// Whether the initial density has a direction between the variables along which it is narrower
/// than cells of half a standard deviation would be.
bool is_thin(const config::Matrix& covariance) {
  config::Matrix correlation = covariance;
  for (std::size_t i = 0; i < covariance.size(); ++i) {
    for (std::size_t j = 0; j < covariance.size(); ++j)
      correlation[i][j] /= std::sqrt(covariance[i][i] * covariance[j][j]);
  }
  constexpr double kThin = 0.5;
  const double least = linalg::eigen_decomposition(correlation).values.front();
  return least > 0 && least < kThin * kThin;
}

/// Whether the program has to see to it that the cells of a grid that stays resolve a density that
/// is thin: the input leaves their size to it.
bool must_resolve_thin(const Parameters& p, const GridChoices& choices) {
  return p.follow == Follow::none && !choices.spacing && !choices.factor && !choices.rotate &&
         p.propagator.scheme != Scheme::reference && p.dynamics.circles.empty() &&
         p.initial.shape == InitialParameters::Shape::gaussian && p.initial.cell.empty() &&
         is_thin(p.initial.covariance);
}

/// Whether something in the input asks for a grid along the variables: noise that is another along
/// other axes, or results that are written along them.
bool needs_variables_as_axes(config::Section& root, const Parameters& p) {
  const config::Section output = root.section("output");
  return p.dynamics.orbit || !p.dynamics.text.noise.empty() || !p.dynamics.noise.empty() ||
         output.has("vtk") || output.has("oem");
}

/// The standard deviations of each variable, the others given, in the place of those of the density
/// as a whole.
std::vector<double> narrow_deviations(const config::Matrix& covariance) {
  const config::Matrix inverse = linalg::inverse_positive_definite(covariance);
  std::vector<double> deviations;
  for (std::size_t i = 0; i < covariance.size(); ++i)
    deviations.push_back(1 / std::sqrt(inverse[i][i]));
  return deviations;
}

/// Takes cells along the variables for a density that is thin between them, where these are not too
/// many: they resolve it however it turns. Returns whether it did.
bool take_narrow_cells(Parameters& p) {
  constexpr double kMany = 1e6;
  for (const double deviation : narrow_deviations(p.initial.covariance))
    p.spacing.push_back(0.5 * deviation);
  if (estimate_cells(p) <= kMany) return true;
  p.spacing.clear();
  return false;
}

/// Lays the grid and fills in the spacing that the input left to the initial density.
void complete_grid(config::Section& root, Parameters& p, const GridChoices& choices) {
  const std::size_t dimension = p.dynamics.variables.size();
  if (choices.spacing) p.spacing = *choices.spacing;
  p.frame.centre = p.initial.mean;
  if (p.initial.covariance.size() != dimension) return;
  const bool must_resolve = must_resolve_thin(p, choices);
  if (must_resolve && take_narrow_cells(p)) return;
  const bool turns = choices.rotate.value_or(must_resolve && !needs_variables_as_axes(root, p));
  if (must_resolve && turns)
    logging::detail(
        "grid.rotate: true, since the initial density is thin along a direction between the "
        "variables");
  // A box lies along the variables, which are the eigenvectors of its covariance.
  if (turns && p.initial.shape != InitialParameters::Shape::uniform)
    p.frame.axes = linalg::eigen_decomposition(p.initial.covariance).vectors;
  if (choices.spacing) return;
  constexpr double kFewest = 32;  // cells round a circle
  const std::vector<config::Matrix> covariances = p.grid_covariances();
  p.spacing.resize(dimension);
  for (std::size_t i = 0; i < dimension; ++i) {
    double variance = covariances.front()[i][i];
    for (const config::Matrix& covariance : covariances)
      variance = std::min(variance, covariance[i][i]);
    p.spacing[i] =
        std::sqrt(std::max(variance, 0.0)) / (2 * (choices.factor ? (*choices.factor)[i] : 1.0));
    if (!p.dynamics.circles.empty() && !p.dynamics.circles[i].is_line() && !choices.factor)
      p.spacing[i] = std::min(p.spacing[i], p.dynamics.circles[i].period / kFewest);
  }
}

/// Half the number of cells that keys of so many bits have along an axis.
std::int64_t half_window(std::size_t dimension, std::size_t of_key = 64) {
  const std::size_t bits = std::min<std::size_t>(of_key / std::max<std::size_t>(dimension, 1), 31);
  return (std::int64_t(1) << (bits - 1)) - 2;
}

/// Decides on the keys, and checks that the rest of the input can have those of 128 bits. The
/// initial covariance is known.
void choose_keys(config::Section& grid, Parameters& p, const GridChoices& choices) {
  const std::size_t dimension = p.dynamics.variables.size();
  if (choices.keys == "64" || (choices.keys == "auto" && dimension < std::size_t(kWideKeysFrom)))
    return;
  if (dimension < std::size_t(kWideKeysFrom)) {
    grid.error("keys", "keys of 128 bits are for " + std::to_string(kWideKeysFrom) +
                           " variables and more; of " + std::to_string(dimension) +
                           " variables those of 64 bits have " +
                           std::to_string(2 * half_window(dimension) + 1) +
                           " cells along each axis");
    return;
  }
  const config::Matrix covariance = p.grid_covariance();
  p.wide_keys = choices.keys == "128";
  for (std::size_t i = 0; i < std::min({dimension, p.spacing.size(), covariance.size()}); ++i) {
    const bool is_line = p.dynamics.circles.empty() || p.dynamics.circles[i].is_line();
    const double reach = is_line ? 4 * std::sqrt(std::max(covariance[i][i], 0.0)) / p.spacing[i]
                                 : 0.5 * p.dynamics.circles[i].period / p.spacing[i];
    p.wide_keys = p.wide_keys || reach > 0.5 * static_cast<double>(half_window(dimension));
  }
  if (!p.wide_keys) return;
  const std::string what =
      choices.keys == "128" ? "keys of 128 bits"
                            : "keys of 128 bits, which so wide a density gets (grid.keys: auto),";
  if (p.is_single) grid.error("storage", what + " are stored with masses of double precision only");
  if (p.propagator.directory == DirectoryKind::flat_map)
    grid.error("directory", what + " need 'unordered_map'");
}

/// Cells must be larger than the rounding of their coordinates.
void check_spacing(config::Section& grid, const Parameters& p) {
  constexpr double kRoundings = 1024;
  for (std::size_t i = 0; i < p.spacing.size() && i < p.frame.centre.size() && !p.frame.is_turned();
       ++i) {
    const double rounding = std::numeric_limits<double>::epsilon() * std::fabs(p.frame.centre[i]);
    if (!(p.spacing[i] < kRoundings * rounding)) continue;
    std::ostringstream text;
    text << "cells of " << p.spacing[i] << " along " << p.dynamics.variables[i]
         << " are too small beside its mean of " << p.frame.centre[i]
         << ": coordinates there are rounded to " << rounding
         << "; take the mean off the variable, or larger cells";
    grid.error("spacing", text.str());
    return;
  }
}

/// Checks that the dynamics leave their invariant as it is, at the initial mean and a standard
/// deviation from it each way. It compares the change along the flow with that along the axes,
/// without signs.
void check_invariant(config::Section& model, const Parameters& p) {
  constexpr double kStep = 1e-3;  // of a standard deviation
  constexpr double kMost = 1e-3;  // of the change along the axes
  const EquationProgram& program = p.dynamics.program;
  const config::Matrix covariance = p.grid_covariance();
  const std::size_t dimension = p.dynamics.variables.size();
  if (!program.bounded || covariance.size() != dimension || p.initial.mean.size() != dimension)
    return;
  std::vector<double> deviation, centre = p.frame.coordinates(p.initial.mean.data());
  for (std::size_t i = 0; i < dimension; ++i)
    deviation.push_back(std::sqrt(std::max(covariance[i][i], 0.0)));
  const auto value = [&](std::vector<double> x, std::size_t function) {
    x.push_back(0);  // the time
    return program.program.evaluate(function, x);
  };
  const auto check = [&](const std::vector<double>& x) {
    std::vector<double> rate;
    double fastest = 0;  // in standard deviations
    for (std::size_t i = 0; i < dimension; ++i) {
      rate.push_back(value(x, i));
      fastest = std::max(fastest, std::fabs(rate[i]) / deviation[i]);
    }
    if (!(fastest > 0) || !std::isfinite(fastest)) return true;
    const double step = kStep / fastest;
    const auto change = [&](const std::vector<double>& along) {
      std::vector<double> before = x, after = x;
      for (std::size_t i = 0; i < dimension; ++i) {
        before[i] -= step * along[i];
        after[i] += step * along[i];
      }
      return value(after, dimension) - value(before, dimension);
    };
    double parts = 1e-9 * std::fabs(value(x, dimension));  // rounding
    for (std::size_t i = 0; i < dimension; ++i) {
      std::vector<double> along(dimension, 0.0);
      along[i] = rate[i];
      parts += std::fabs(change(along));
    }
    return !(std::fabs(change(rate)) > kMost * parts);
  };
  bool is_kept = check(centre);
  for (std::size_t i = 0; i < dimension && is_kept; ++i) {
    for (const double sign : {-1.0, 1.0}) {
      std::vector<double> x = centre;
      x[i] += sign * deviation[i];
      is_kept = is_kept && check(x);
    }
  }
  if (!is_kept)
    model.error("invariant",
                "the dynamics change '" + p.dynamics.text.invariant +
                    "': cells out of its initial range would be left out, and their probability "
                    "lost; give a quantity that the equations conserve, or none");
}

/// The times at which the dynamics jump, and those at which to look at them.
void find_breaks(Parameters& p) {
  if (p.dynamics.program.switches && p.end > 0) {
    const std::vector<double> found = p.dynamics.program.switches->between(0, p.end);
    if (found.size() >= expression::TimeSwitches::kMost) {
      logging::warning("the dynamics jump " + std::to_string(found.size()) +
                       " times and more before time.end: steps end at the first of these times "
                       "only; set time.longest_step to a part of the time between two");
    }
    p.breaks.insert(p.breaks.end(), found.begin(), found.end());
    p.landmarks = p.dynamics.program.switches->landmarks(0, p.end);
  }
  std::sort(p.breaks.begin(), p.breaks.end());
  p.breaks.erase(std::unique(p.breaks.begin(), p.breaks.end()), p.breaks.end());
  p.monte_carlo.breaks = p.filters.breaks = p.breaks;
  p.monte_carlo.circles = p.dynamics.circles;
  p.monte_carlo.step = std::min(p.monte_carlo.step, p.longest_step);
  p.filters.step = std::min(p.filters.step, p.longest_step);
}

void read_time(config::Section& root, Parameters& p) {
  config::Section in = root.section("time", "how far and how often");
  const bool is_divided = in.has("segments");
  input::take_units(in, "end", p.units, input::time_dimension());
  input::take_units(in, "segments", p.units, input::time_dimension());
  const bool has_end = (is_divided ? in.get("end", p.end) : in.require("end", p.end, "segments"))
                           .positive()
                           .doc("the run goes from 0 to here")
                           .given();
  in.get("segments", p.segments)
      .positive()
      .doc(
          "instead of end: the lengths of the segments of the run, with a measurement between each "
          "and the next");
  if (has_end && !p.segments.empty())
    in.error("segments", "give either 'end' or 'segments', not both");
  if (is_divided && !has_end && p.segments.empty())
    in.error("segments", "there must be at least one segment");
  if (!p.segments.empty()) p.end = p.segment_ends().back();
  in.get("records", p.records)
      .range(1, 1e6)
      .doc("records between measurements (and the start and the end), each segment in equal parts");
  in.get("cfl", p.propagator.cfl)
      .range(1e-6, 1)
      .doc("time step as a fraction of the shortest time in which flow crosses a cell");
  input::take_units(in, "longest_step", p.units, input::time_dimension());
  std::optional<double> longest_step;
  if (p.propagator.grows_all_ways) {
    double step = 0.001;
    in.require("longest_step", step)
        .positive()
        .doc("the length of all steps, of the legacy scheme");
    longest_step = step;
  } else {
    in.get("longest_step", longest_step)
        .positive()
        .doc(
            "no time step is longer, of particles and filters neither. Steps of dynamics that vary "
            "in time are bounded by how fast these change, too; a pulse that looks at them have "
            "missed needs a step that is shorter than it, or breaks")
        .otherwise("none");
  }
  if (longest_step) p.longest_step = *longest_step;
  input::take_units(in, "breaks", p.units, input::time_dimension());
  std::optional<std::vector<double>> breaks;
  in.get("breaks", breaks)
      .doc(
          "times at which the dynamics jump: steps end there. Those that follow from comparisons "
          "of the time with numbers or from floor, sign, abs, min and max of it need not be given")
      .otherwise("none");
  if (breaks) p.breaks = *breaks;
  in.finish();
}

/// The names of variables that are x, y and z for ParaView, as the input has them: one list of
/// them, or a list of such lists.
struct VtkNames {
  config::TextRows lists;
  bool is_one = true;

  /// Returns where the input has the name `i` of the list `k`, or that list.
  std::vector<std::size_t> place(std::size_t k, std::size_t i) const {
    return is_one ? std::vector<std::size_t>{i} : std::vector<std::size_t>{k, i};
  }
  std::vector<std::size_t> place(std::size_t k) const {
    return is_one ? std::vector<std::size_t>{} : std::vector<std::size_t>{k};
  }
};

VtkNames read_vtk_names(config::Section& in) {
  const std::string doc =
      "variables that are x, y and z of the group /VTKHDF, which ParaView opens: at each record "
      "the "
      "cells (as output.cells has them), or of more than three variables the joint probability of "
      "the three. Of these there may be several, [[x, y, z], [u, v, w]]: each behind the first is "
      "in a file of its own, RESULTS.u_v_w.vtkhdf";
  VtkNames names;
  if (in.form("vtk") == config::Form::rows) {
    std::optional<config::TextRows> rows;
    in.get("vtk", rows).doc(doc).otherwise("none");
    if (rows) names = {*rows, false};
  } else {
    std::optional<std::vector<std::string>> row;
    in.get("vtk", row).doc(doc).otherwise("none");
    if (row) names.lists = {*row};
  }
  return names;
}

/// Finds the variables of one list of names; none, with the error recorded, where they are not
/// those of a picture.
std::optional<std::vector<int>> find_vtk_axes(config::Section& in, const VtkNames& names,
                                              std::size_t k,
                                              const std::vector<std::string>& variables) {
  std::vector<int> axes;
  for (const std::string& name : names.lists[k]) {
    const auto found = std::find(variables.begin(), variables.end(), name);
    const auto axis = static_cast<int>(found - variables.begin());
    const auto reject = [&](const std::string& message) {
      in.error_at("vtk", names.place(k, axes.size()), message);
      return std::nullopt;
    };
    if (found == variables.end())
      return reject("unknown variable '" + name + "'; there are " + join_names(variables));
    if (std::count(axes.begin(), axes.end(), axis) > 0)
      return reject("the variable '" + name + "' is named twice");
    axes.push_back(axis);
  }
  const std::string key = "output.vtk" + (names.is_one ? "" : "[" + std::to_string(k) + "]");
  if (axes.empty() || axes.size() > 3) {
    in.error_at("vtk", names.place(k),
                "'" + key + "' takes one to three variables, for x, y and z");
    return std::nullopt;
  }
  if (variables.size() > 3 && axes.size() != 3) {
    in.error_at("vtk", names.place(k),
                "'" + key + "' takes three of more than three variables, for x, y and z");
    return std::nullopt;
  }
  return axes;
}

/// Checks that the files and groups of the last triple get a name of their own.
bool is_new_triple(config::Section& in, const VtkNames& names, const std::vector<std::string>& all,
                   const std::vector<std::vector<int>>& triples) {
  const std::size_t last = triples.size() - 1;
  for (std::size_t k = 0; k < last; ++k) {
    const std::string message =
        triples[k] == triples[last]
            ? "the variables " + join_names(names.lists[last]) + " are named twice"
            : "two triples of variables have the name '" + triple_name(all, triples[last]) +
                  "': name the variables of one of them in another order";
    if (triple_name(all, triples[k]) != triple_name(all, triples[last])) continue;
    in.error_at("vtk", names.place(last), message);
    return false;
  }
  return true;
}

/// The variables that are x, y and z for ParaView.
void read_vtk(config::Section& in, Parameters& p) {
  const std::vector<std::string>& variables = p.dynamics.variables;
  const bool is_volume = variables.size() > 3;
  const VtkNames names = read_vtk_names(in);
  if (names.lists.empty()) return;
  if (!is_volume && !names.is_one) {
    return in.error("vtk",
                    "'output.vtk' takes one list of up to three variables where there are no more: "
                    "write [x, y, z]");
  }
  std::vector<std::vector<int>> triples;
  for (std::size_t k = 0; k < names.lists.size(); ++k) {
    const std::optional<std::vector<int>> axes = find_vtk_axes(in, names, k, variables);
    if (!axes) return;
    triples.push_back(*axes);
    if (!is_new_triple(in, names, variables, triples)) return;
  }
  if (is_volume && p.frame.is_turned()) {
    return in.error("vtk",
                    "of more than three variables a turned grid has no joint probability along "
                    "three of them: set grid.rotate: false");
  }
  p.vtk = triples;
  p.output_cells = p.output_cells || !is_volume;
}

void read_output(config::Section& root, Parameters& p) {
  config::Section in =
      root.section("output", "what the results hold besides moments, marginals and histories");
  in.get("cells", p.output_cells)
      .doc("at each record the cells at or above the threshold: coordinates and probability");
  in.get("credible", p.credible)
      .range(1e-9, 1 - 1e-9)
      .doc(
          "at each record, for each of these shares of the probability, the smallest set of cells "
          "that holds it: threshold, number of cells, volume");
  in.get("pairs", p.output_pairs)
      .doc("at each record the joint probability of each pair of variables (2-D marginals)");
  in.get("oem", p.oem)
      .doc(
          "an orbit ephemeris message (CCSDS OEM) with the means and covariances of the records, "
          "in EME2000, in the working directory; of runs that begin with a message; empty: none");
  if (!p.oem.empty() && !p.initial.epoch && !in.has_errors())
    in.error("oem", "an ephemeris needs the epoch of a message: give 'initial: {file: x.opm}'");
  if (!p.oem.empty()) check_folder(in, "oem", p.oem);
  if (!p.oem.empty() && p.frame.is_turned())
    in.error("oem", "an ephemeris is not written of a grid that is turned: leave out grid.rotate");
  read_vtk(in, p);
  in.finish();
}

void read_study(config::Section& root, Parameters& p) {
  config::Section in = root.section(
      "study",
      "convergence: runs with other steps and spacings, compared with a reference run at the end");
  p.study.wanted = in.present() && !in.documenting();
  if (!in.present()) return;
  in.get("cfl", p.study.cfl)
      .range(1e-6, 1)
      .doc("CFL numbers to run with, at the spacing of the grid");
  in.get("reference_cfl", p.study.reference_cfl)
      .range(1e-6, 1)
      .doc("of the reference run for the CFL numbers");
  in.get("spacing", p.study.spacing)
      .positive()
      .doc("factors on the spacing of the grid to run with, at time.cfl");
  in.get("reference_spacing", p.study.reference_spacing)
      .positive()
      .doc("factor on the spacing of the reference run for the spacings");
  input::take_units(in, "legacy_steps", p.units, input::time_dimension());
  in.get("legacy_steps", p.study.legacy_steps)
      .positive()
      .doc(
          "steps of runs by the legacy scheme (grid.scheme), compared with the reference run for "
          "the CFL numbers");
  if (!p.study.legacy_steps.empty() && p.propagator.scheme != Scheme::reference)
    in.error("legacy_steps", "the legacy scheme is compared with 'scheme: reference' (grid)");
  if (!p.study.legacy_steps.empty() && p.study.cfl.empty())
    in.error("legacy_steps", "'legacy_steps' needs 'cfl', whose reference run they share");
  if (p.study.wanted && p.study.cfl.empty() && p.study.spacing.empty())
    in.error("", "'study' needs 'cfl' or 'spacing'");
  if (p.study.wanted && !p.regions.empty())
    in.error("", "a study looks at no regions: run them without it");
  if (p.study.wanted && p.monte_carlo.wanted)
    in.error("", "a study cannot be validated by Monte Carlo at the same time");
  if (p.study.wanted && p.filters.wanted())
    in.error("", "a study has no filters beside it: run them without it");
  in.finish();
}

/// The flux of process noise through a face is the difference of the two cells beside it, which is
/// all there is where the noise along the axes of the grid is independent. Otherwise it has
/// differences along the other axes too: D^2 of them a cell, and no maximum principle. A grid that
/// follows the flow takes noise of any form.
void check_noise(config::Section& model, const Parameters& p) {
  if (p.dynamics.orbit && !p.noise_of_flow().empty()) {
    if (!p.follows())
      model.error("noise",
                  "noise of the state is noise of the coordinates of its orbit that differs from "
                  "place to place, which only a grid that follows the flow takes: set grid.follow: "
                  "flow, or model.coordinates: cartesian");
    if (p.monte_carlo.wanted || p.filters.wanted())
      model.error(
          "noise",
          "particles and filters take no noise of the state in the coordinates of an orbit: "
          "leave 'validate' out, or set model.coordinates: cartesian");
  }
  if (p.follows()) return;
  const config::Matrix density = p.grid_noise();
  for (std::size_t a = 0; a < density.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (density[a][b] == 0) continue;
      const bool is_turned = p.frame.is_turned();
      const auto name = [&](std::size_t axis) {
        return is_turned ? std::to_string(axis + 1) : p.dynamics.variables[axis];
      };
      model.error("noise", "the noise along " + std::string(is_turned ? "axes " : "") + name(b) +
                               " and " + name(a) + (is_turned ? " of the turned grid" : "") +
                               " is correlated, and its cross-derivatives would make "
                               "probabilities of a grid that stays negative: " +
                               (is_turned ? "give the variables that are turned into each other "
                                            "the same noise, or set grid.rotate: false"
                                          : "set grid.follow: flow, or lay the grid along axes in "
                                            "which the noise is independent"));
      return;
    }
  }
}

}  // namespace

std::size_t TableParameters::rows_until(double time) const {
  if (rows.empty()) return 0;
  return expression::count_rows_until(time, rows[0], interpolation,
                                      rows.size() > 1 + columns.size());
}

std::string TableParameters::digest(std::size_t count) const {
  std::vector<double> used;
  for (std::size_t i = 0; !rows.empty() && i < std::min(count, rows[0].size()); ++i) {
    for (const std::vector<double>& column : rows) used.push_back(column[i]);
  }
  return io::sha256(reinterpret_cast<const char*>(used.data()), used.size() * sizeof(double));
}

std::string MeasurementParameters::digest() const {
  std::ostringstream text;
  text.precision(17);
  const auto add = [&](const std::vector<double>& numbers) {
    for (const double number : numbers) text << number << ' ';
    text << ';';
  };
  text << time << ' ' << static_cast<int>(kind) << ' ' << degrees << ';';
  for (const std::string& quantity : quantities) text << quantity << ';';
  for (const auto& [name, definition] : definitions) text << name << '=' << definition << ';';
  for (const std::vector<double>* numbers : {&values, &scale, &period}) add(*numbers);
  for (const std::vector<double>& row : covariance) add(row);
  const std::string all = text.str();
  return io::sha256(all.data(), all.size());
}

config::Matrix Parameters::grid_covariance() const {
  if (!frame.is_turned()) return initial.covariance;
  config::Matrix turned = frame.covariance_along_axes(initial.covariance);
  for (std::size_t a = 0; a < turned.size(); ++a) {
    // The other elements are zero except for rounding.
    for (std::size_t b = 0; b < turned.size(); ++b) turned[a][b] = a == b ? turned[a][b] : 0;
  }
  return turned;
}

Frame Parameters::first_frame() const {
  return Frame::of_axes(initial.mean, linalg::scaled_root(initial.covariance));
}

std::vector<InitialParameters::Component> Parameters::grid_mixture() const {
  std::vector<InitialParameters::Component> mixture = initial.mixture;
  for (InitialParameters::Component& component : mixture) {
    if (!frame.is_turned()) break;
    component.mean = frame.coordinates(component.mean.data());
    component.covariance = frame.covariance_along_axes(component.covariance);
    for (std::size_t a = 0; a < component.covariance.size(); ++a) {
      // The matrix is symmetric except for rounding.
      for (std::size_t b = 0; b < a; ++b) component.covariance[a][b] = component.covariance[b][a];
    }
  }
  return mixture;
}

std::vector<config::Matrix> Parameters::grid_covariances() const {
  if (initial.shape == InitialParameters::Shape::mixture) {
    std::vector<config::Matrix> covariances;
    for (const InitialParameters::Component& component : grid_mixture())
      covariances.push_back(component.covariance);
    const auto is_whole = [&](const config::Matrix& c) {
      return c.size() == initial.covariance.size();
    };  // mistakes of the input are told elsewhere
    if (!covariances.empty() && std::all_of(covariances.begin(), covariances.end(), is_whole))
      return covariances;
  }
  if (initial.shape != InitialParameters::Shape::of_state ||
      initial.orbit->covariances().size() < 2)
    return {grid_covariance()};
  std::vector<config::Matrix> covariances = initial.orbit->covariances();
  for (config::Matrix& covariance : covariances) {
    if (frame.is_turned()) covariance = frame.covariance_along_axes(covariance);
  }
  return covariances;
}

config::Matrix Parameters::grid_noise() const {
  if (dynamics.orbit) return {};
  if (!frame.is_turned() || dynamics.noise.empty()) return dynamics.noise;
  double largest = 0;
  for (std::size_t i = 0; i < dynamics.noise.size(); ++i)
    largest = std::max(largest, dynamics.noise[i][i]);
  config::Matrix density = frame.covariance_along_axes(dynamics.noise);
  for (std::vector<double>& row : density) {
    for (double& entry : row) entry = std::fabs(entry) <= 1e-12 * largest ? 0 : entry;
  }
  return density;
}

config::Matrix Parameters::noise_of_flow() const {
  for (std::size_t i = 0; i < dynamics.noise.size(); ++i) {
    if (dynamics.noise[i][i] > 0) return dynamics.noise;
  }
  return {};
}

std::vector<double> Parameters::noise_along_axes() const {
  const config::Matrix density = grid_noise();
  std::vector<double> diagonal;
  for (std::size_t a = 0; a < density.size(); ++a) diagonal.push_back(density[a][a]);
  return diagonal;
}

std::vector<double> Parameters::segment_ends() const {
  if (!segments.empty()) {
    std::vector<double> ends(segments.size());
    std::partial_sum(segments.begin(), segments.end(), ends.begin());
    return ends;
  }
  std::set<double> times{end};
  for (const MeasurementParameters& m : measurements) times.insert(m.time);
  for (const ManeuverParameters& m : maneuvers) times.insert(m.time);
  return {times.begin(), times.end()};
}

std::vector<MeasurementParameters> Parameters::measurements_at(double time) const {
  std::vector<MeasurementParameters> taken;
  std::copy_if(measurements.begin(), measurements.end(), std::back_inserter(taken),
               [&](const auto& m) { return m.time == time; });
  return taken;
}

std::uint64_t Parameters::measurements_before(double time) const {
  const auto found = std::count_if(measurements.begin(), measurements.end(),
                                   [&](const auto& m) { return m.time < time; });
  return static_cast<std::uint64_t>(found);
}

std::optional<Maneuver> Parameters::maneuver_at(double time) const {
  std::vector<double> add(dynamics.state.size(), 0.0);
  config::Matrix covariance = linalg::diagonal(add);
  bool is_any = false;
  for (const ManeuverParameters& maneuver : maneuvers) {
    if (maneuver.time != time) continue;
    is_any = true;
    for (std::size_t i = 0; i < add.size(); ++i) add[i] += maneuver.add[i];
    for (std::size_t i = 0; i < maneuver.covariance.size(); ++i) {
      for (std::size_t j = 0; j < add.size(); ++j) covariance[i][j] += maneuver.covariance[i][j];
    }
  }
  if (!is_any) return std::nullopt;
  return Maneuver(add, covariance, dynamics.orbit);
}

namespace {

/// Says what in an input asks for a grid that stays; empty where nothing does.
std::string find_obstacle(const Parameters& p, bool is_turned) {
  if (!p.dynamics.circles.empty())
    return "the cells of a variable on a circle stay where they are (model.periods)";
  if (p.propagator.scheme == Scheme::reference)
    return "the reference scheme is that of a grid that stays (grid.scheme)";
  if (is_turned) return "grid.rotate lays a grid that stays";
  if (!p.initial.cell.empty()) return "the cells of an earlier run stay where they are (initial)";
  if (p.study.wanted) return "a study compares grids that stay (study)";
  if (std::any_of(p.regions.begin(), p.regions.end(), [](const auto& r) { return r.absorbs; }))
    return "a region that absorbs takes its share of cells that stay (regions)";
  if (p.output_volume())
    return "the joint probability of three of more variables is that of cells that stay "
           "(output.vtk)";
  if (!p.dynamics.text.noise.empty())
    return "the steps of a grid that stays make noise that depends on the state or the time "
           "(model.noise)";
  const EquationGraph equations = make_equation_graph(p.dynamics.text);
  const std::string kink =
      expression::find_kink(equations.graph, equations.rates, p.dynamics.dimension);
  if (!kink.empty())
    return "the equations have no derivative everywhere: " + kink + " of the state (model)";
  return {};
}

/// Says what, where the input leaves the choice, makes a grid that stays the better one.
std::string find_drawback(const Parameters& p) {
  constexpr double kMany = 1e6;
  if (p.initial.shape == InitialParameters::Shape::points)
    return "a histogram of samples is not smooth enough to be laid on other cells (initial)";
  if (p.initial.shape == InitialParameters::Shape::uniform)
    return "a density with edges is not smooth enough to be laid on other cells (initial)";
  for (std::size_t i = 0; i < p.spacing.size(); ++i) {
    if (p.spacing[i] > std::sqrt(p.initial.covariance[i][i]))
      return "cells of more than a standard deviation cannot be laid anew (grid.spacing)";
  }
  if (estimate_cells(p) > kMany)
    return "so many cells are not laid anew on the host again and again (grid.spacing)";
  return {};
}

/// Refuses what cannot be done with variables on circles.
void check_circles(config::Section& root, const Parameters& p, bool is_turned) {
  if (p.dynamics.circles.empty()) return;
  config::Section grid = root.section("grid");
  if (p.propagator.scheme == Scheme::reference) {
    grid.error("scheme",
               "variables on circles (model.periods) need the conservative scheme: the published "
               "algorithm has none");
  }
  if (is_turned) {
    grid.error("rotate",
               "a variable on a circle (model.periods) cannot be turned into others: set "
               "grid.rotate: false");
  }
  if (!p.study.spacing.empty()) {
    root.section("study").error(
        "spacing",
        "factors on a spacing that divides a period (model.periods) make others that do not: "
        "compare runs of their own");
  }
}

/// Decides whether the grid follows the flow.
void choose_follow(config::Section& grid, Parameters& p, bool is_turned) {
  if (p.follow == Follow::none) return;
  if (p.initial.covariance.size() != p.dynamics.variables.size()) return;  // told elsewhere
  std::string obstacle = find_obstacle(p, is_turned);
  if (obstacle.empty() && p.follow == Follow::automatic && !p.dynamics.orbit)
    obstacle = find_drawback(p);
  if (obstacle.empty()) {
    const bool noise_needs_flow = p.dynamics.orbit && !p.noise_of_flow().empty();
    p.may_stop_following = p.follow == Follow::automatic && !noise_needs_flow;
    p.follow = Follow::flow;
  } else if (p.follow == Follow::flow) {
    grid.error("follow",
               "a grid cannot follow the flow here: " + obstacle + "; set grid.follow: none");
  } else {
    logging::detail("grid.follow: none, since " + obstacle);
    p.follow = Follow::none;
  }
}

}  // namespace

Parameters Parameters::read(config::Section& root) {
  Parameters p;
  p.units = input::read_units(root);
  std::vector<input::Table> tables;
  p.dynamics = input::read_dynamics(root, p.units, tables);
  input::check_variable_units(root, p.dynamics.variables.size(), p.units);
  p.state_units = p.units;
  if (p.dynamics.orbit) {
    p.units = in_units_of(p.dynamics.orbit->variables(), p.state_units);
  }
  const GridChoices choices = read_grid(root, p);
  p.initial = input::read_initial(root, p);
  const std::vector<double> noise = p.noise_along_axes();
  const bool is_noisy = !p.dynamics.text.noise.empty() ||
                        std::any_of(noise.begin(), noise.end(), [](double q) { return q > 0; });
  config::Section model = root.section("model"), grid = root.section("grid");
  if (is_noisy && p.propagator.scheme == Scheme::reference)
    model.error("noise", "process noise needs the conservative scheme");
  if (choices.rotate.value_or(false) && !p.initial.cell.empty())
    grid.error("rotate", "the cells of an earlier run cannot be laid on a grid that is turned");
  complete_grid(root, p, choices);
  check_spacing(grid, p);
  choose_keys(grid, p, choices);
  const auto window = half_window(p.dynamics.variables.size(), p.wide_keys ? 128 : 64);
  input::fit_spacing(grid, choices.spacing.has_value(), static_cast<std::size_t>(window), p);
  try {
    p.dynamics.program = compile(p.dynamics.text, p.frame);
  } catch (const EquationError& error) {
    model.error(error.part() == EquationError::Part::noise ? "noise" : "", error.what());
  }
  check_invariant(model, p);
  read_time(root, p);
  for (const input::Table& table : tables) {
    config::Section all = model.section("tables"), in = all.section(table.name);
    input::check_cover(in, table, 0, p.end, "the run");
    input::check_epoch(in, table, p.initial.epoch);
    p.tables.push_back({table.name,
                        {table.names.begin(),
                         table.names.begin() + static_cast<std::ptrdiff_t>(table.functions.size())},
                        table.functions,
                        table.dimension,
                        table.columns,
                        table.interpolation});
  }
  input::check_periods(root, p);
  p.measurements = input::read_measurements(root, p, tables);
  p.maneuvers = input::read_maneuvers(root, p);
  p.regions = input::read_regions(root, p);
  read_output(root, p);
  input::read_validate(root, p);
  if (p.wide_keys && (p.monte_carlo.wanted || p.filters.wanted())) {
    root.error("validate",
               "a density with keys of 128 bits is not compared with particles and filters: set "
               "grid.keys: 64, or leave it out");
  }
  read_study(root, p);
  const bool is_turned = choices.rotate.value_or(p.frame.is_turned());
  check_circles(root, p, is_turned);
  choose_follow(grid, p, is_turned);
  check_noise(model, p);
  input::check_maneuvers(root, p);
  find_breaks(p);
  for (const input::Table& table : tables) {
    if (!p.study.wanted) io::let_grow(table.file);
  }
  return p;
}

}  // namespace tessera::gbees
