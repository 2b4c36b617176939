// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/config/section.hpp"
#include "tessera/gbees/directory_kind.hpp"
#include "tessera/gbees/equations.hpp"
#include "tessera/gbees/scheme.hpp"

namespace tessera::gbees {

/// The `model:` section: which dynamics, and their parameters.
struct DynamicsParameters {
  std::string name = "lorenz63";
  int dimension = 3;
  std::vector<std::string> variables;  ///< names of the state variables
  double sigma = 4, b = 1, r = 48;     ///< lorenz63
  double forcing = 4;                  ///< lorenz96
  std::vector<double> noise;           ///< spectral density for each variable; empty: none
  EquationText text;                   ///< of every model, those that run compiled too
  EquationProgram program;             ///< of the text, for the coordinates of the grid
};

/// What the density is at time 0.
struct InitialParameters {
  enum class Shape { gaussian, uniform, points };
  Shape shape = Shape::gaussian;
  std::vector<double> mean;       ///< of any shape; the origin of the grid
  config::Matrix covariance;      ///< of any shape
  double extent = 3;              ///< half width of the reference scheme's initial box, in standard deviations (gaussian)
  std::vector<double> low, high;  ///< uniform
  std::vector<double> points;     ///< [n, D]: samples, or centres of cells
  std::vector<double> weights;    ///< [n]
  std::vector<double> cell;       ///< size of those cells; empty for samples
};

/// A measurement z = h(x) + error of one or several quantities.
struct MeasurementParameters {
  double time = 0;
  std::vector<std::string> quantities;  ///< expressions of the state
  std::vector<double> values;
  config::Matrix covariance;   ///< of the errors
  std::vector<double> period;  ///< of quantities that are angles; 0: no angle
  std::string description;     ///< "range = 1.2, azimuth = 0.3"
};

/// The `validate: monte_carlo:` section.
struct MonteCarloParameters {
  bool wanted = false;
  std::uint64_t samples = 100000;
  double step = 0;                ///< longest step of the particles
  std::uint64_t kde_samples = 0;  ///< of the comparison through a kernel density estimate; 0: none
  std::vector<int> coarsen;       ///< cells joined along each axis, for further comparisons
};

/// The `study:` section.
struct StudyParameters {
  bool wanted = false;
  std::vector<double> cfl;      ///< CFL numbers to run with
  std::vector<double> spacing;  ///< factors on the grid's spacing to run with
  double reference_cfl = 0.01;
  double reference_spacing = 0.5;
};

/// Everything an input file says about a gbees run. Vectors have one entry a state variable.
struct Parameters {
  DynamicsParameters dynamics;

  std::vector<double> spacing;  ///< along the axes of the grid
  double threshold = 1e-7;
  Scheme scheme = Scheme::conservative;
  bool is_single = false;  ///< masses, fluxes and velocities are stored in single precision
  int prune_every = 20;
  DirectoryKind directory = DirectoryKind::automatic;
  Frame frame;  ///< where the grid lies

  InitialParameters initial;

  std::vector<MeasurementParameters> measurements;  ///< by time

  double end = 1;
  std::vector<double> segments;  ///< their lengths, when the input gives them
  int records = 4;
  double cfl = 1;

  bool output_cells = false;
  bool output_pairs = false;  ///< 2-D marginals
  std::vector<int> vtk;       ///< numbers of the variables that are x, y and z of /VTKHDF, or empty

  /// Whether the joint probability of the variables of `vtk` is recorded: with more than three variables ParaView cannot show the cells.
  bool output_volume() const { return !vtk.empty() && dynamics.variables.size() > 3; }

  MonteCarloParameters monte_carlo;
  StudyParameters study;

  /// Where the segments of the run end, in order: at the measurement times and the end, or where the input says.
  std::vector<double> segment_ends() const;

  /// The measurements taken at the end of segment s; none at the end of the run.
  std::vector<MeasurementParameters> measurements_after(std::size_t s) const;

  /// The initial covariance in the coordinates of the grid.
  config::Matrix grid_covariance() const;

  /// The process noise in the coordinates of the grid: the spectral density R^T Q R, empty without noise.
  config::Matrix grid_noise() const;

  /// Its diagonal, the density along each axis of the grid.
  std::vector<double> noise_along_axes() const;

  /// Declares, reads and checks all sections; problems are recorded in `root`.
  static Parameters read(config::Section& root);
};

}  // namespace tessera::gbees
