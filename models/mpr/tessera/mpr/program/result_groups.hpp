// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/io/results_file.hpp"
#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/parameters.hpp"
#include "tessera/mpr/data/result_maps.hpp"
#include "tessera/mpr/data/validation.hpp"
#include "tessera/mpr/lattice/calibration.hpp"
#include "tessera/mpr/lattice/couplings.hpp"
#include "tessera/mpr/lattice/frame_report.hpp"
#include "tessera/mpr/linear/restricted_likelihood.hpp"

/// Results of a run and how they are written. Host code.

namespace tessera::mpr {

/// Estimates and counts of a run.
struct RunReport {
  std::vector<FrameReport> frames;
  AxisCouplings axis;
  double beta = 0, updates = 0;
  Calibration calibration;
  bool uses_draws = false;  ///< and then sampling_sweeps counts them
  int burn_in_sweeps = 0, sampling_sweeps = 0, linear_iterations = 0, gap_edge = 1;
  double linear_error = 0, mean_distance = 0;
  Evidence evidence;
  /// Root mean square of the errors of the samples, of a field that stays in its files
  double noise = 0;
  std::vector<TrendReport> trend;  ///< of each frame; none: there is no trend
};

struct SeriesOfChain {
  std::vector<double> energy, acceptance, step_control, gradient;
};

/// The maps, the ensemble and the status of the sites, with coordinates.
void write_maps(io::ResultsFile& file, const Field& field, const Predictions& predictions,
                const OutputParameters& output);

/// PIT histogram, scores by distance and spread against error, of one case of task validate.
void write_reliability(const io::Group& validation, const Reliability& reliability,
                       const std::string& units);

/// Shares of the true values below quantile maps, in the order of the quantiles.
void write_quantile_shares(const io::Group& validation, const std::vector<double>& quantiles,
                           const std::vector<double>& shares);

/// One of the scores of all cases.
struct ScoreColumn {
  std::string name, units, text;
  double Scores::*member;
};

/// Returns the scores that task validate writes. units: of the values.
std::vector<ScoreColumn> score_columns(const std::string& units);

void write_report(const io::Group& results, const RunReport& report, const Field& field);
void write_series(const io::Group& series, const SeriesOfChain& chain);

}  // namespace tessera::mpr
