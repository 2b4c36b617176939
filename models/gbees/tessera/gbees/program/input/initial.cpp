// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tessera/core/config/record_errors.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/columns.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/io/memory.hpp"
#include "tessera/core/io/npy.hpp"
#include "tessera/core/linalg/square.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/names.hpp"
#include "tessera/gbees/orbits/orbit_state.hpp"
#include "tessera/gbees/program/input/numbers.hpp"
#include "tessera/gbees/program/input/periods.hpp"
#include "tessera/gbees/program/input/sections.hpp"

namespace tessera::gbees::input {

namespace {

using Shape = InitialParameters::Shape;

/// A covariance matrix, as it is or by standard deviations.
config::Matrix read_covariance(config::Section& in, std::size_t dimension, const Units& units) {
  // An entry that is not given stays empty, so that the resolved input holds one of the two.
  std::optional<std::vector<double>> deviation;
  std::vector<double> required(dimension, 1.0);
  std::optional<config::Matrix> covariance;
  const bool is_required = !in.has("covariance");
  take_units(in, "standard_deviation", units, variable_dimensions(units));
  take_matrix_units(in, "covariance", units, variable_dimensions(units));
  const bool has_deviation = (is_required ? in.require("standard_deviation", required, "covariance")
                                          : in.get("standard_deviation", deviation))
                                 .size(dimension, kEachVariable)
                                 .positive()
                                 .doc("of each variable, for independent variables")
                                 .given();
  if (is_required) deviation = required;
  const bool has_covariance =
      in.get("covariance", covariance)
          .size(dimension, kEachPair)
          .doc("covariance matrix, a list of rows, instead of standard_deviation")
          .given();
  if (has_deviation && has_covariance) {
    in.error("covariance", "give either 'standard_deviation' or 'covariance', not both");
  } else if (covariance) {
    config::record_errors(in, "covariance",
                          [&] { linalg::inverse_positive_definite(*covariance); });
  }
  if (has_covariance) return covariance.value_or(config::Matrix());
  std::vector<double> variance = deviation.value_or(std::vector<double>());
  for (double& sigma : variance) sigma *= sigma;
  return linalg::diagonal(variance);
}

void read_gaussian(config::Section& in, std::size_t dimension, const Units& units,
                   InitialParameters& p) {
  p.mean.assign(dimension, 0.0);
  take_units(in, "mean", units, variable_dimensions(units));
  in.require("mean", p.mean)
      .size(dimension, kEachVariable)
      .doc("mean, one number a variable; also the origin of the grid");
  p.covariance = read_covariance(in, dimension, units);
}

void read_mixture(config::Section& in, std::size_t dimension, const Units& units,
                  InitialParameters& p) {
  p.mean.assign(dimension, 0.0);
  p.covariance = linalg::diagonal(std::vector<double>(dimension, 1.0));
  for (config::Section& entry : in.list("mixture", "Gaussians whose weighted sum the density is")) {
    InitialParameters::Component component;
    entry.require("weight", component.weight)
        .positive()
        .doc("in proportion to the sum of the weights");
    component.mean.assign(dimension, 0.0);
    take_units(entry, "mean", units, variable_dimensions(units));
    entry.require("mean", component.mean)
        .size(dimension, kEachVariable)
        .doc("mean, one number a variable");
    component.covariance = read_covariance(entry, dimension, units);
    entry.finish();
    if (entry.documenting()) continue;
    p.mixture.push_back(component);
  }
  if (in.documenting()) in.write_out("mixture");
  if (p.mixture.empty() && !in.documenting())
    in.error("mixture", "a mixture needs at least one Gaussian");
  if (in.has_errors() || in.documenting()) return;
  find_moments_of_mixture(p);
}

void read_uniform(config::Section& in, std::size_t dimension, const Units& units,
                  InitialParameters& p) {
  p.low.assign(dimension, 0.0);
  p.high.assign(dimension, 1.0);
  for (const char* corner : {"low", "high"})
    take_units(in, corner, units, variable_dimensions(units));
  in.require("low", p.low)
      .size(dimension, kEachVariable)
      .doc("lower corner of the box that the density fills");
  in.require("high", p.high).size(dimension, kEachVariable).doc("its upper corner");
  std::vector<double> variance(dimension, 1.0);
  p.mean.assign(dimension, 0.0);
  for (std::size_t i = 0; i < dimension; ++i) {
    if (!(p.low[i] < p.high[i])) {
      in.error("high", "the box is empty along variable " + std::to_string(i + 1) +
                           ": 'high' must lie above 'low'");
      p.low.assign(dimension, 0.0);
      p.high.assign(dimension, 1.0);
      break;
    }
  }
  for (std::size_t i = 0; i < dimension; ++i) {
    p.mean[i] = 0.5 * (p.low[i] + p.high[i]);
    variance[i] = (p.high[i] - p.low[i]) * (p.high[i] - p.low[i]) / 12;
  }
  p.covariance = linalg::diagonal(variance);
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Samples from a text or HDF5 file with a column for each variable, or from an array [n, D] that
/// numpy saved.
void load_samples(const std::string& file, const std::vector<std::string>& variables,
                  InitialParameters& p) {
  const std::size_t dimension = variables.size();
  if (ends_with(file, ".npy") || io::is_in_memory(file)) {
    const io::Array<double> array = io::read_npy<double>(file);
    if (array.shape.size() != 2 || array.shape[1] != dimension) {
      throw Error(ErrorKind::input, file + " must hold an array of shape n x " +
                                        std::to_string(dimension) + ", a row for each sample");
    }
    p.points = array.values;
  } else {
    const std::vector<std::vector<double>> columns = io::read_columns(file, variables);
    for (std::size_t r = 0; r < columns[0].size(); ++r) {
      for (const std::vector<double>& column : columns) p.points.push_back(column[r]);
    }
  }
  p.weights.assign(p.points.size() / dimension, 1.0);
}

/// The cells of the last record of a results file.
void load_result(const std::string& path, std::size_t dimension, InitialParameters& p) {
  const io::File file = io::File::open(path);
  const io::Group root = file.root();
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorKind::input, path + " " + what);
  };
  const std::string remedy = ": give the results of tessera-gbees as it wrote them";
  if (!root.has("results/time") || !root.has("coordinates/spacing"))
    fail("holds no results of tessera-gbees");
  const io::Shape times = root.shape("results/time");
  if (times.size() != 1)
    fail("has 'results/time' with " + std::to_string(times.size()) + " axes instead of one" +
         remedy);
  const std::uint64_t records = times[0];
  const std::string record = "results/record_" + std::to_string(records - 1);
  if (records == 0 || !root.has(record))
    fail("holds no cells: it must come from a run with output.cells: true");
  if (root.has("coordinates/axes"))
    fail("comes from a run with grid.rotate: true, whose cells have other axes");
  p.cell = root.read<double>("coordinates/spacing");
  if (p.cell.size() != dimension) {
    fail("has " + std::to_string(p.cell.size()) + " variables, and the model has " +
         std::to_string(dimension));
  }
  p.points = root.read<double>(record + "/x");
  p.weights = root.read<double>(record + "/p");
  const io::Shape centres = root.shape(record + "/x");
  if (centres.size() != 2 || centres[1] != dimension) {
    fail("has '" + record + "/x' of another shape than cells x " + std::to_string(dimension) +
         remedy);
  }
  if (p.weights.size() != centres[0]) {
    fail("has " + std::to_string(p.weights.size()) + " probabilities in '" + record +
         "/p' for the " + std::to_string(centres[0]) + " cells of '" + record + "/x'" + remedy);
  }
  const auto is_size = [](double size) { return std::isfinite(size) && size > 0; };
  if (!std::all_of(p.cell.begin(), p.cell.end(), is_size))
    fail("has a size in 'coordinates/spacing' that is not above 0" + remedy);
  const auto is_probability = [](double weight) { return std::isfinite(weight) && weight >= 0; };
  const auto is_finite = [](double x) { return std::isfinite(x); };
  if (!std::all_of(p.weights.begin(), p.weights.end(), is_probability) ||
      !std::all_of(p.points.begin(), p.points.end(), is_finite)) {
    fail("has a cell in '" + record +
         "' whose place or probability is not finite, or whose probability is negative" + remedy);
  }
}

/// Mean and covariance of weighted points, and of the cells around them.
void take_moments(std::size_t dimension, InitialParameters& p) {
  const std::size_t count = p.weights.size();
  double total = 0;
  for (const double weight : p.weights) total += weight;
  if (!(total > 0) || !std::isfinite(total))
    throw Error(ErrorKind::input, "the file holds no probability");
  p.mean.assign(dimension, 0.0);
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t i = 0; i < dimension; ++i)
      p.mean[i] += p.weights[n] / total * p.points[n * dimension + i];
  }
  p.covariance.assign(dimension, std::vector<double>(dimension, 0.0));
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t i = 0; i < dimension; ++i) {
      for (std::size_t j = 0; j < dimension; ++j) {
        p.covariance[i][j] += p.weights[n] / total * (p.points[n * dimension + i] - p.mean[i]) *
                              (p.points[n * dimension + j] - p.mean[j]);
      }
    }
  }
  for (std::size_t i = 0; i < dimension; ++i) {
    if (!p.cell.empty()) p.covariance[i][i] += p.cell[i] * p.cell[i] / 12;
    if (!(p.covariance[i][i] > 0))
      throw Error(ErrorKind::input,
                  "the points do not spread along variable " + std::to_string(i + 1));
  }
}

void read_points(config::Section& in, const std::string& shape, const Parameters& all,
                 InitialParameters& p) {
  const std::size_t dimension = all.dynamics.variables.size();
  std::string file;
  in.require("file", file)
      .path()
      .doc(shape == "samples"
               ? "text (CSV) or HDF5 (.h5) file with a column for each variable, or array [n, D] "
                 "of numpy (.npy)"
               : "results of a run with output.cells: its last record is the density at time 0");
  p.mean.assign(dimension, 0.0);
  p.covariance = linalg::diagonal(std::vector<double>(dimension, 1.0));
  if (file.empty()) return;
  InitialParameters read = p;
  const bool is_read = config::record_errors(in, "file", [&] {
    if (shape == "samples") {
      load_samples(file, all.dynamics.state, read);
    } else {
      load_result(file, dimension, read);
    }
    if (!all.dynamics.circles.empty())
      bring_together(all.dynamics.circles, read.weights, read.points);
    take_moments(dimension, read);
  });
  if (is_read) p = read;
}

/// Tells whether the state is a position and a velocity in space, in known units.
bool is_orbit_state(const Units& units) {
  const Dimension length{1, 0, 0}, speed{1, -1, 0};
  if (!units.given || units.variables.size() != 6) return false;
  for (std::size_t i = 0; i < 6; ++i) {
    if (!(units.variables[i] == (i < 3 ? length : speed))) return false;
  }
  return true;
}

/// What an input says of the state that a message has.
struct OrbitRequest {
  std::string file, time, orientation, axes = "EME2000";
  std::optional<int> object;
  std::optional<config::Matrix> covariance;  // the user's, in the units of the run and those axes
};

/// A matrix of a position and a velocity, with each entry times the sizes of its units, or over
/// them.
config::Matrix with_sizes(config::Matrix matrix, const Units& units, bool is_product) {
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      const double size = units.size(units.variables[i]) * units.size(units.variables[j]);
      matrix[i][j] = is_product ? matrix[i][j] * size : matrix[i][j] / size;
    }
  }
  return matrix;
}

/// The covariance of an orbit in the units of the run: that of its message, or the user's.
config::Matrix covariance_of(const OrbitRequest& request, const OrbitState& orbit,
                             const Units& units) {
  if (!request.covariance) {
    if (orbit.covariance.mended) {
      throw Error(ErrorKind::input,
                  request.file +
                      ": the covariance has negative eigenvalues; a density on a grid needs a "
                      "positive definite one: give initial.covariance beside the file");
    }
    return with_sizes(orbit.covariance.matrix, units, false);
  }
  if (request.axes == "EME2000") return *request.covariance;
  const Rotation axes = request.axes == "RTN" ? rtn_axes(orbit.state) : tnw_axes(orbit.state);
  return with_sizes(inertial_covariance(axes, with_sizes(*request.covariance, units, true)), units,
                    false);
}

/// A Gaussian from a message, in the units of the run.
void load_orbit(const OrbitRequest& request, const Units& units, InitialParameters& p) {
  const SharedOrientation orientation =
      request.orientation.empty() ? nullptr : read_earth_orientation(request.orientation);
  const OrbitState orbit =
      read_orbit_state(request.file, request.object, request.time, orientation,
                       request.covariance ? CovarianceOf::user : CovarianceOf::message);
  for (const std::string& note : orbit.notes) logging::warning(note);
  if (!orbit.unknown.empty()) {
    logging::warning(request.file + ": keywords that CCSDS does not have for it are not used: " +
                     join_names(orbit.unknown, 20));
  }
  for (std::size_t i = 0; i < 6; ++i) p.mean[i] = orbit.state[i] / units.size(units.variables[i]);
  p.covariance = covariance_of(request, orbit, units);
  linalg::inverse_positive_definite(p.covariance);
  p.epoch = orbit.epoch;
  p.object_name = orbit.object_name;
}

void read_orbit(config::Section& in, const Units& units, std::size_t dimension,
                InitialParameters& p) {
  OrbitRequest request;
  in.require("file", request.file)
      .path()
      .doc(
          "a message of CCSDS with a state and its covariance: CDM, OPM, OEM or OMM, in key = "
          "value form or XML; or two-line elements (.tle); the state is turned into EME2000");
  in.get("object", request.object).range(1, 2).doc("of a CDM: which object").otherwise("none");
  in.get("time", request.time)
      .doc(
          "of an OEM: the epoch, as the file writes it; empty: the first with a covariance; of "
          "mean elements: the epoch to which SGP4 carries them; empty: their own");
  in.get("earth_orientation", request.orientation)
      .path()
      .doc(
          "UT1 - UTC and polar motion for states in ITRF: a table finals2000A or EOP C04 of the "
          "IERS; empty: none, which is said");
  in.get("covariance_axes", request.axes)
      .one_of({"EME2000", "RTN", "TNW"})
      .doc("the axes of 'standard_deviation' or 'covariance', where one is given here");
  p.mean.assign(dimension, 0.0);
  p.covariance = linalg::diagonal(std::vector<double>(dimension, 1.0));
  const bool has_covariance = in.has("covariance") || in.has("standard_deviation");
  if (has_covariance) request.covariance = read_covariance(in, dimension, units);
  if (request.file.empty() || in.documenting()) return;
  if (!is_orbit_state(units)) {
    in.error("file",
             "the state of a message is a position and a velocity: six variables in that order, "
             "with units: {length: 1 km, time: 1 s, variables: [km, km, km, km/s, km/s, km/s]}");
    return;
  }
  if (!has_covariance && in.has("covariance_axes"))
    in.error("covariance_axes", "these are axes of 'standard_deviation' or 'covariance': give one");
  if (in.has_errors()) return;
  InitialParameters read = p;
  if (config::record_errors(in, "file", [&] { load_orbit(request, units, read); })) p = read;
}

/// Tells whether the section names a message and says nothing else of the shape.
bool names_orbit_file(config::Section& in) {
  if (in.form("file") != config::Form::scalar || in.has("shape") || in.has("mean")) return false;
  std::string file;
  in.get("file", file).path();
  return is_orbit_file(file);
}

}  // namespace

namespace {

/// Replaces samples of the state by the coordinates of an orbit.
void change_samples(const OrbitCoordinates& orbit, InitialParameters& p) {
  const std::size_t dimension = p.mean.size();
  const double angle = orbit.coordinates(p.mean.data())[orbit.angle()];
  for (std::size_t n = 0; n < p.weights.size(); ++n) {
    try {
      const std::vector<double> q = orbit.coordinates(p.points.data() + n * dimension, angle);
      std::copy(q.begin(), q.end(), p.points.begin() + static_cast<std::ptrdiff_t>(n * dimension));
    } catch (const Error& error) {
      throw Error(ErrorKind::input, "sample " + std::to_string(n + 1) + ": " + error.what());
    }
  }
  take_moments(dimension, p);
}

/// The Gaussians that an input gives of the state.
std::vector<GaussianTerm> gaussians_of_state(const InitialParameters& p) {
  std::vector<GaussianTerm> terms;
  for (const auto& [weight, mean, covariance] : p.mixture)
    terms.push_back({weight, mean, covariance});
  if (terms.empty()) terms.push_back({1, p.mean, p.covariance});
  return terms;
}

/// Takes the Gaussians as those of the coordinates.
void take_linear(const std::vector<LinearTerm>& terms, InitialParameters& p) {
  p.mean = terms.front().term.mean;
  p.covariance = terms.front().term.covariance;
  if (p.shape != Shape::mixture) return;
  p.mixture.clear();
  for (const LinearTerm& linear : terms)
    p.mixture.push_back({linear.term.weight, linear.term.mean, linear.term.covariance});
  find_moments_of_mixture(p);
}

/// Replaces Gaussians of the state by a density of the coordinates of an orbit.
void change_gaussians(const OrbitCoordinates& orbit, const std::string& gaussian_of,
                      InitialParameters& p) {
  constexpr double kBent = 1;  // standard deviations, from which on no frame of cells fits
  const std::vector<GaussianTerm> terms = gaussians_of_state(p);
  if (gaussian_of != "state") {
    std::vector<LinearTerm> linear;
    double bend = 0;
    for (const GaussianTerm& term : terms) {
      const double angle = linear.empty() ? 0 : linear.front().term.mean[orbit.angle()];
      linear.push_back(linearise(orbit, term, angle));
      bend = std::max(bend, linear.back().bend);
    }
    if (gaussian_of == "coordinates" || bend > kBent) {
      if (gaussian_of == "auto") {
        logging::warning(
            "a Gaussian of the state would be bent in the coordinates of the orbit, by " +
            std::to_string(std::lround(bend)) +
            " of its standard deviations at one from the mean: the coordinates are taken as "
            "Gaussian, with its covariance to first order (initial.gaussian_of)");
      }
      return take_linear(linear, p);
    }
  }
  p.orbit = std::make_shared<const OrbitDensity>(orbit, terms);
  p.mixture.clear();
  p.shape = Shape::of_state;
  p.mean = p.orbit->mean();
  p.covariance = p.orbit->covariance();
}

/// Replaces a density of the state by that of the coordinates of an orbit. Mistakes are recorded.
void change_density(config::Section& in, const OrbitCoordinates& orbit,
                    const std::string& gaussian_of, InitialParameters& p) {
  const bool is_mixture = p.shape == Shape::mixture;
  if (p.shape == Shape::points && p.cell.empty()) {
    config::record_errors(in, "file", [&] { change_samples(orbit, p); });
  } else if (is_mixture || p.shape == Shape::gaussian) {
    const char* key = is_mixture ? "mixture" : in.has("file") ? "file" : "mean";
    config::record_errors(in, key, [&] { change_gaussians(orbit, gaussian_of, p); });
  } else {
    in.error("shape",
             "a density of the coordinates of an orbit is made of a Gaussian, a mixture or "
             "samples: give one of these, or set model.coordinates: cartesian");
  }
}

}  // namespace

InitialParameters read_initial(config::Section& root, const Parameters& all) {
  InitialParameters p;
  const std::size_t dimension = all.dynamics.variables.size();
  config::Section in = root.section("initial", "the density at time 0");
  const bool has_corner = in.has("low") || in.has("high");
  std::string shape = in.has("mixture")               ? "mixture"
                      : has_corner && !in.has("mean") ? "uniform"
                                                      : "gaussian";
  if (names_orbit_file(in)) {
    shape = "orbit";
  } else if (in.has("file") && !in.has("shape") && !in.has("mean")) {
    in.error("file",
             "a density of a file needs a 'shape': samples, of points, or result, of an earlier "
             "run");
    shape = "samples";
  }
  in.get("shape", shape)
      .one_of({"gaussian", "mixture", "uniform", "samples", "result", "orbit"})
      .doc(
          "Gaussian, a weighted sum of Gaussians (when there is a 'mixture'), uniform in a box "
          "(when there are 'low' and 'high'), a histogram of samples from a file, the last record "
          "of an earlier run, or the Gaussian of a message (when 'file' ends in .cdm, .opm, .oem, "
          ".omm, .tle or .xml)");
  if (shape == "mixture") {
    p.shape = Shape::mixture;
    read_mixture(in, dimension, all.state_units, p);
  } else if (shape == "gaussian") {
    p.shape = Shape::gaussian;
    read_gaussian(in, dimension, all.state_units, p);
  } else if (shape == "uniform") {
    p.shape = Shape::uniform;
    read_uniform(in, dimension, all.state_units, p);
  } else if (shape == "orbit") {
    p.shape = Shape::gaussian;
    read_orbit(in, all.state_units, dimension, p);
  } else {
    p.shape = Shape::points;
    read_points(in, shape, all, p);
  }
  std::optional<double> extent;
  if (all.propagator.scheme == Scheme::reference) extent = p.extent;
  const bool has_extent = in.get("extent", extent)
                              .range(0.5, 20)
                              .unit("standard deviations")
                              .doc("half width of the box of initial cells; scheme reference only")
                              .otherwise("3 with scheme reference")
                              .given();
  if (extent) p.extent = *extent;
  if (has_extent && all.propagator.scheme == Scheme::conservative) {
    in.error("extent",
             "'extent' belongs to scheme 'reference'; the conservative scheme starts from the "
             "cells at or above the threshold");
  }
  std::string gaussian_of = "auto";
  in.get("gaussian_of", gaussian_of)
      .one_of({"auto", "state", "coordinates"})
      .doc(
          "what is Gaussian with model.coordinates: the state, whose density is changed exactly, "
          "or these coordinates, to which its covariance is mapped to first order; auto: the "
          "state, unless it would be bent there by more than a standard deviation, which is said");
  if (gaussian_of != "auto" && !all.dynamics.orbit)
    in.error("gaussian_of", "this is for model.coordinates other than cartesian: leave it out");
  if (all.dynamics.orbit && !in.has_errors() && !in.documenting())
    change_density(in, *all.dynamics.orbit, gaussian_of, p);
  bring_onto_circles(in, all.dynamics.circles, p);
  in.finish();
  return p;
}

void find_moments_of_mixture(InitialParameters& p) {
  const std::size_t dimension = p.mean.size();
  double total = 0;
  for (const InitialParameters::Component& component : p.mixture) total += component.weight;
  p.mean.assign(dimension, 0.0);
  for (const InitialParameters::Component& component : p.mixture) {
    for (std::size_t i = 0; i < dimension; ++i)
      p.mean[i] += component.weight / total * component.mean[i];
  }
  p.covariance.assign(dimension, std::vector<double>(dimension, 0.0));
  for (const auto& [weight, mean, covariance] : p.mixture) {
    for (std::size_t i = 0; i < dimension; ++i) {
      for (std::size_t j = 0; j < dimension; ++j) {
        p.covariance[i][j] +=
            weight / total * (covariance[i][j] + (mean[i] - p.mean[i]) * (mean[j] - p.mean[j]));
      }
    }
  }
}

}  // namespace tessera::gbees::input
