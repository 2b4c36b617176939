// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/config/section.hpp"
#include "tessera/core/expression/tables.hpp"
#include "tessera/gbees/dynamics/dynamics_parameters.hpp"
#include "tessera/gbees/dynamics/maneuver.hpp"
#include "tessera/gbees/dynamics/propagator_options.hpp"
#include "tessera/gbees/dynamics/units.hpp"
#include "tessera/gbees/grid/observation.hpp"
#include "tessera/gbees/grid/stepper_state.hpp"
#include "tessera/gbees/orbits/epoch.hpp"
#include "tessera/gbees/particles/filter_parameters.hpp"
#include "tessera/gbees/particles/monte_carlo_comparison.hpp"
#include "tessera/gbees/program/orbit_density.hpp"

namespace tessera::gbees {

/// The density at time 0.
struct InitialParameters {
  /// of_state: a density of the state that the variables are other coordinates of
  enum class Shape { gaussian, mixture, uniform, points, of_state };
  /// One of the Gaussians of a mixture.
  struct Component {
    double weight = 1;
    std::vector<double> mean;
    config::Matrix covariance;
  };
  Shape shape = Shape::gaussian;
  std::vector<double> mean;   ///< of any shape; the origin of the grid
  config::Matrix covariance;  ///< of any shape
  /// Half width of the reference scheme's initial box, in standard deviations (gaussian)
  double extent = 3;
  std::vector<Component> mixture;                  ///< mixture
  std::vector<double> low, high;                   ///< uniform
  std::vector<double> points;                      ///< [n, D]: samples, or centres of cells
  std::vector<double> weights;                     ///< [n]
  std::vector<double> cell;                        ///< size of those cells; empty for samples
  std::shared_ptr<const OrbitDensity> orbit = {};  ///< of_state
  std::optional<Epoch> epoch = {};                 ///< of time 0, where a message gave the state
  std::string object_name = {};                    ///< in that message
};

/// A measurement z = h(x) + error of one or several quantities, or a likelihood.
struct MeasurementParameters {
  double time = 0;
  Observation::Kind kind = Observation::Kind::gaussian;
  /// Expressions of the state; of a likelihood, or the probability of a detection, one
  std::vector<std::string> quantities;
  /// Names that it may use besides those of the dynamics
  std::vector<std::pair<std::string, std::string>> definitions;
  /// Names of functions of the dynamics' tables that it may use too
  std::vector<std::pair<std::string, int>> table_names;
  std::vector<double> values;
  config::Matrix covariance;   ///< of Gaussian errors
  std::vector<double> scale;   ///< of errors of Student's distribution
  double degrees = 0;          ///< of freedom of that
  std::vector<double> period;  ///< of quantities that are angles; 0: no angle
  std::string description;     ///< "range = 1.2, azimuth = 0.3"
  std::string place;           ///< in the input: "input.yaml:12:3"

  /// Returns a digest of the whole measurement, for a run that has taken it.
  std::string digest() const;
};

/// A sudden change of the state.
struct ManeuverParameters {
  double time = 0;
  std::vector<double> add;    ///< to each variable of the state
  config::Matrix covariance;  ///< of its error; empty: none
};

/// A part of the state space of which the probability is asked for.
struct RegionParameters {
  /// A histogram of the probability that an absorbing region takes, by an expression of the state.
  struct Histogram {
    std::string of;
    double low = 0, high = 1;
    int bins = 50;
  };
  std::string name;
  std::string inside;  ///< a condition of the state and the time
  bool absorbs = false;
  std::vector<double> at;  ///< when it is looked at, ascending; empty: at records
  std::vector<Histogram> histograms;
};

/// A table of `model.tables`, for the results.
struct TableParameters {
  std::string name;
  std::vector<std::string> columns;    ///< their names in expressions
  std::vector<int> functions;          ///< of the dynamics' tables
  std::optional<Dimension> dimension;  ///< of the columns, where it is known
  /// Columns of the file: the times, the values and, where given, their rates
  std::vector<std::vector<double>> rows;

  expression::Interpolation interpolation = expression::Interpolation::hermite;

  /// Returns how many of the first rows its values until a time depend on.
  std::size_t rows_until(double time) const;

  /// A digest of the first rows, which a run that has used them is held to.
  std::string digest(std::size_t count) const;
};

/// The `study:` section.
struct StudyParameters {
  bool wanted = false;
  std::vector<double> cfl;      ///< CFL numbers to run with
  std::vector<double> spacing;  ///< factors on the grid's spacing to run with
  double reference_cfl = 0.01;
  double reference_spacing = 0.5;
  std::vector<double> legacy_steps;  ///< of runs by the legacy scheme, beside those of `cfl`
};

/// Whether the grid follows the flow.
enum class Follow { none, flow, automatic };

/// Everything an input file says about a gbees run. Vectors have one entry a state variable.
struct Parameters {
  Units units;        ///< `variables`: of those of the grid
  Units state_units;  ///< `variables`: of the state
  DynamicsParameters dynamics;
  std::vector<TableParameters> tables;

  /// Options from `grid` and `time`. A run adds those that its machine gives: kernels, ranks,
  /// limits; and the noise.
  PropagatorOptions propagator;
  std::vector<double> spacing;  ///< along the axes of the grid
  bool is_single = false;       ///< masses, fluxes and velocities are stored in single precision
  bool wide_keys = false;       ///< of 128 bits
  Frame frame;                  ///< where a grid lies that does not follow the flow
  /// What the input asks for, and after read() what is done: never `automatic`
  Follow follow = Follow::automatic;
  bool may_stop_following = false;  ///< where no frame fits the density

  InitialParameters initial;

  std::vector<MeasurementParameters> measurements;  ///< by time
  std::vector<ManeuverParameters> maneuvers;        ///< by time

  double end = 1;
  std::vector<double> segments;  ///< their lengths, when the input gives them
  int records = 4;
  double longest_step = StepperState::kUnlimited;
  /// Times at which the dynamics jump, those that their text tells and those given; ascending
  std::vector<double> breaks;
  std::vector<double> landmarks;  ///< times at which to look how fast they change

  std::vector<RegionParameters> regions;

  std::vector<double> credible;  ///< levels
  bool output_cells = false;
  bool output_pairs = false;  ///< 2-D marginals
  std::string oem;            ///< a file for means and covariances of the records, or empty
  /// Numbers of the variables that are x, y and z of /VTKHDF, or empty; of more than three
  /// variables there may be other triples after these, each in a file of its own.
  std::vector<std::vector<int>> vtk;

  /// Returns whether the joint probabilities of the variables of `vtk` are recorded: with more than
  /// three variables ParaView cannot show the cells.
  bool output_volume() const { return !vtk.empty() && dynamics.variables.size() > 3; }

  MonteCarloParameters monte_carlo;
  FilterParameters filters;
  StudyParameters study;

  /// Returns where the segments of the run end, in order: at the times of measurements and
  /// maneuvers and the end, or where the input says.
  std::vector<double> segment_ends() const;

  /// The measurements taken at a time.
  std::vector<MeasurementParameters> measurements_at(double time) const;

  /// Returns how many measurements there are before a time.
  std::uint64_t measurements_before(double time) const;

  /// The maneuvers of a time, together; none where there is none.
  std::optional<Maneuver> maneuver_at(double time) const;

  /// The initial covariance in the coordinates of the grid.
  config::Matrix grid_covariance() const;

  bool follows() const { return follow == Follow::flow; }

  /// The frame in which a grid that follows the flow begins: the initial mean and covariance are 0
  /// and 1 in its coordinates.
  Frame first_frame() const;

  /// The components of an initial mixture in the coordinates of the grid.
  std::vector<InitialParameters::Component> grid_mixture() const;

  /// The covariances of the Gaussians that the initial density is made of, in the coordinates of
  /// the grid; of other densities that of the whole.
  std::vector<config::Matrix> grid_covariances() const;

  /// The process noise in the coordinates of the grid: the spectral density R^T Q R. Empty without
  /// noise that is the same everywhere there, such as with coordinates of an orbit.
  config::Matrix grid_noise() const;

  /// The process noise of the state on a grid that follows the flow; empty without.
  config::Matrix noise_of_flow() const;

  /// Returns the diagonal of grid_noise(), the density along each axis of the grid.
  std::vector<double> noise_along_axes() const;

  /// Declares, reads and checks all sections; problems are recorded in `root`.
  static Parameters read(config::Section& root);
};

}  // namespace tessera::gbees
