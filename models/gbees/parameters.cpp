// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "models/gbees/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "core/error.hpp"
#include "core/linalg/symmetric.hpp"

namespace tessera::gbees {

namespace {

std::vector<std::string> numbered_names(int dimension) {
  std::vector<std::string> names;
  for (int i = 1; i <= dimension; ++i) names.push_back("x" + std::to_string(i));
  return names;
}

DynamicsParameters read_dynamics(config::Section& root) {
  DynamicsParameters p;
  config::Section in = root.section("model", "the dynamics dx/dt = f(x) that carry the density");
  in.get("name", p.name).one_of({"lorenz63", "lorenz96", "linear"}).doc("which dynamics");
  if (p.name == "lorenz63") {
    in.get("sigma", p.sigma).doc("x' = sigma (y - x)");
    in.get("b", p.b).doc("y' = -y - x z, z' = -b z + x y - b r");
    in.get("r", p.r).doc("z is shifted by r, so that the attractor is centred");
    p.dimension = 3;
    p.variables = {"x", "y", "z"};
  } else if (p.name == "lorenz96") {
    p.dimension = 6;
    in.get("dimension", p.dimension).range(4, 8).doc("number of sites");
    in.get("forcing", p.forcing).doc("F in x_i' = (x_{i+1} - x_{i-2}) x_{i-1} - x_i + F");
    p.variables = numbered_names(p.dimension);
  } else {
    p.matrix = {{0, 1}, {-1, 0}};
    in.require("matrix", p.matrix).doc("A in x' = A x + b, a list of rows; 1 to 8 of them");
    p.dimension = static_cast<int>(p.matrix.size());
    if (p.dimension < 1 || p.dimension > 8) {
      in.error("matrix", "the matrix has " + std::to_string(p.dimension) + " rows; 1 to 8 dimensions are possible");
      p.dimension = 2;
    } else if (std::any_of(p.matrix.begin(), p.matrix.end(), [&](const auto& row) { return row.size() != p.matrix.size(); })) {
      in.error("matrix", "the matrix is not square");
    }
    p.offset.assign(p.dimension, 0.0);
    in.get("offset", p.offset).size(p.dimension).doc("b in x' = A x + b");
    p.variables = numbered_names(p.dimension);
  }
  in.finish();
  return p;
}

config::Matrix diagonal(const std::vector<double>& values) {
  config::Matrix matrix(values.size(), std::vector<double>(values.size(), 0.0));
  for (std::size_t i = 0; i < values.size(); ++i) matrix[i][i] = values[i];
  return matrix;
}

void read_initial(config::Section& root, Parameters& p) {
  const std::size_t dimension = p.dynamics.dimension;
  config::Section in = root.section("initial", "the Gaussian density at time 0");
  p.mean.assign(dimension, 0.0);
  in.require("mean", p.mean).size(dimension).doc("mean, one number a variable; also the origin of the grid");
  // What is not given stays empty, so that the resolved input holds one of the two; --print-defaults shows an example.
  std::vector<double> deviation;
  if (in.documenting() && !in.has("covariance")) deviation.assign(dimension, 1.0);
  const bool has_deviation = in.get("standard_deviation", deviation).size(dimension).positive().doc("of each variable, for independent variables").given();
  const bool has_covariance = in.get("covariance", p.covariance).size(dimension).doc("covariance matrix, a list of rows, instead of standard_deviation").given();
  if (has_deviation && has_covariance) {
    in.error("covariance", "give either 'standard_deviation' or 'covariance', not both");
  } else if (!has_deviation && !has_covariance && !in.documenting()) {
    in.error("", "'initial' needs 'standard_deviation' or 'covariance'");
  } else if (has_covariance && p.covariance.size() == dimension) {
    try {
      linalg::inverse_positive_definite(p.covariance);
    } catch (const Error& error) {
      in.error("covariance", error.what());
    }
  }
  if (!has_covariance) {
    for (double& sigma : deviation) sigma *= sigma;
    p.covariance = diagonal(deviation);
  }
  double extent = p.scheme == Scheme::reference ? p.extent : 0;  // 0: not set
  const bool has_extent = in.get("extent", extent).range(0.5, 20).unit("standard deviations").doc("half width of the box of initial cells; scheme reference only, where it is 3 by default").given();
  if (p.scheme == Scheme::reference) p.extent = extent;
  if (has_extent && p.scheme == Scheme::conservative) {
    in.error("extent", "'extent' belongs to scheme 'reference'; the conservative scheme starts from the cells at or above the threshold");
  }
  in.finish();
}

void read_grid(config::Section& root, Parameters& p, std::vector<double>& factor) {
  const std::size_t dimension = p.dynamics.dimension;
  config::Section in = root.section("grid", "the cells");
  const bool has_spacing =
      in.get("spacing", p.spacing).size(dimension).positive().doc("size of a cell along each variable; default: half an initial standard deviation").given();
  const bool has_factor = in.get("factor", factor).size(dimension).positive().doc("instead of spacing, which is then an initial standard deviation / (2 factor)").given();
  if (has_spacing && has_factor) in.error("factor", "give either 'spacing' or 'factor', not both");
  in.get("threshold", p.threshold).positive().range(0, 1).doc("probability of a cell below which it does not grow and may be removed");
  std::string scheme = "conservative";
  in.get("scheme", scheme).one_of({"conservative", "reference"}).doc(
      "edge of the grid: mass that leaves is counted, or cell for cell the published algorithm");
  p.scheme = scheme == "reference" ? Scheme::reference : Scheme::conservative;
  in.get("prune_every", p.prune_every).range(1, 1e6).unit("steps").doc("how often cells that hold and receive too little are removed");
  in.finish();
}

/// Fills in the spacing that the input left to the initial density.
void complete_spacing(Parameters& p, const std::vector<double>& factor) {
  const std::size_t dimension = p.dynamics.dimension;
  if (p.spacing.size() == dimension || p.covariance.size() != dimension) return;
  p.spacing.resize(dimension);
  for (std::size_t i = 0; i < dimension; ++i) {
    p.spacing[i] = std::sqrt(std::max(p.covariance[i][i], 0.0)) / (2 * (factor.size() == dimension ? factor[i] : 1.0));
  }
}

void read_measurements(config::Section& root, Parameters& p) {
  for (config::Section& in : root.list("measurements", "measurements of single variables, with Gaussian errors")) {
    MeasurementParameters m;
    m.time = 0.5 * p.end;
    in.require("time", m.time).positive().doc("when; before the end");
    std::string variable = p.dynamics.variables.back();
    in.require("variable", variable).one_of(p.dynamics.variables).doc("name of the variable that is measured");
    in.require("value", m.value).doc("what was measured");
    in.require("variance", m.variance).positive().doc("of the measurement's error");
    const auto name = std::find(p.dynamics.variables.begin(), p.dynamics.variables.end(), variable);
    m.axis = name == p.dynamics.variables.end() ? 0 : static_cast<int>(name - p.dynamics.variables.begin());
    if (!in.documenting()) {
      if (m.time >= p.end) in.error("time", "a measurement must come before time.end");
      if (!p.measurements.empty() && m.time < p.measurements.back().time) in.error("time", "measurements must be in the order of their times");
      p.measurements.push_back(m);
    }
    in.finish();
  }
}

void read_time(config::Section& root, Parameters& p) {
  config::Section in = root.section("time", "how far and how often");
  in.require("end", p.end).positive().doc("the run goes from 0 to here");
  in.get("records", p.records).range(1, 1e6).doc("records between measurements (and the start and the end), each segment in equal parts");
  in.get("cfl", p.cfl).range(1e-6, 1).doc("time step as a fraction of the shortest time in which flow crosses a cell");
  in.finish();
}

void read_output(config::Section& root, Parameters& p) {
  config::Section in = root.section("output", "what the results hold besides moments, marginals and histories");
  in.get("cells", p.output_cells).doc("at each record the cells at or above the threshold: coordinates and probability");
  in.finish();
}

}  // namespace

std::vector<double> Parameters::segment_ends() const {
  std::set<double> times{end};
  for (const MeasurementParameters& m : measurements) times.insert(m.time);
  return {times.begin(), times.end()};
}

std::vector<MeasurementParameters> Parameters::measurements_after(std::size_t s) const {
  std::set<double> times;
  for (const MeasurementParameters& m : measurements) times.insert(m.time);
  std::vector<MeasurementParameters> taken;
  if (s >= times.size()) return taken;
  const double time = *std::next(times.begin(), static_cast<std::ptrdiff_t>(s));
  std::copy_if(measurements.begin(), measurements.end(), std::back_inserter(taken), [&](const auto& m) { return m.time == time; });
  return taken;
}

Parameters Parameters::read(config::Section& root) {
  Parameters p;
  std::vector<double> factor;
  p.dynamics = read_dynamics(root);
  read_grid(root, p, factor);
  read_initial(root, p);
  complete_spacing(p, factor);
  read_time(root, p);
  read_measurements(root, p);
  read_output(root, p);
  return p;
}

}  // namespace tessera::gbees
