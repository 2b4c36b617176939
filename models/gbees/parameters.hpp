// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config/section.hpp"
#include "models/gbees/scheme.hpp"

namespace tessera::gbees {

/// The `model:` section: which dynamics, and their parameters.
struct DynamicsParameters {
  std::string name = "lorenz63";
  int dimension = 3;
  std::vector<std::string> variables;  ///< names of the state variables
  double sigma = 4, b = 1, r = 48;     ///< lorenz63
  double forcing = 4;                  ///< lorenz96
  config::Matrix matrix;               ///< linear
  std::vector<double> offset;          ///< linear
};

/// One entry of `measurements:`.
struct MeasurementParameters {
  double time = 0;
  int axis = 0;
  double value = 0;
  double variance = 1;
};

/// Everything an input file says about a gbees run. Vectors have one entry a state variable.
struct Parameters {
  DynamicsParameters dynamics;

  std::vector<double> spacing;
  double threshold = 1e-7;
  Scheme scheme = Scheme::conservative;
  int prune_every = 20;

  std::vector<double> mean;
  config::Matrix covariance;
  double extent = 3;  ///< half width of the reference scheme's initial box, in standard deviations

  std::vector<MeasurementParameters> measurements;  ///< by time

  double end = 1;
  int records = 4;
  double cfl = 1;

  bool output_cells = false;

  /// The measurement times and the end, in order: where the segments of the run end.
  std::vector<double> segment_ends() const;

  /// The measurements taken at the end of segment s.
  std::vector<MeasurementParameters> measurements_after(std::size_t s) const;

  /// Declares, reads and checks all sections; problems are recorded in `root`.
  static Parameters read(config::Section& root);
};

}  // namespace tessera::gbees
