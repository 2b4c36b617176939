// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config/section.hpp"

namespace tessera::stable {

/// Where numbers come from: a column of a CSV file, a dataset of an HDF5 file or an .npy array.
struct DataParameters {
  std::string file, column, dataset;
};

/// Everything an input file says about a stable run.
struct Parameters {
  std::string task = "fit";
  double alpha = 1.5, beta = 0, sigma = 1, mu = 0;
  std::string parameterization = "S0";
  std::string method = "table";  ///< evaluate: table, direct or paper; fits: ml, mcculloch, koutrouvelis or grid
  bool scores = false;

  // evaluate, quantile
  std::vector<double> x, p;
  double from = -10, to = 10;
  std::int64_t points = 0;
  std::vector<double> alphas, betas;  ///< a curve for every pair, one after the other
  DataParameters data, alpha_data, beta_data, weights;

  // sample, and simulated windows
  std::int64_t n = 1000;

  // fits
  std::int64_t window = 1000, step = 100;
  std::vector<double> fixed;  ///< alpha, beta, sigma, mu or NaN
  bool goodness = true, tests = false;
  std::string profile;
  std::vector<double> profile_values;
  double tolerance = 1e-9;

  // bias_map
  double alpha_from = 0.6, alpha_to = 2, alpha_step = 0.1, beta_from = 0, beta_to = 1, beta_step = 0.25;
  std::int64_t repeats = 20;

  /// Declares, reads and checks all sections; problems are recorded in `root`.
  static Parameters read(config::Section& root);
};

}  // namespace tessera::stable
