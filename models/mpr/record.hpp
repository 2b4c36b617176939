// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/io/results_file.hpp"
#include "tessera/mpr/field.hpp"
#include "tessera/mpr/parameters.hpp"
#include "tessera/mpr/report.hpp"
#include "tessera/mpr/restricted_likelihood.hpp"

/// Results of a run and how they are written. Host code.

namespace tessera::mpr {

/// Maps of the whole field; NaN where nothing is predicted.
struct Maps {
  std::vector<double> mean, deviation;        ///< at missing sites
  std::vector<std::vector<double>> ensemble;  ///< realisations, at missing sites
  std::vector<std::uint8_t> far;              ///< 1: further from every sample than output.max_gap_distance; may be empty
};

/// Estimates and counts of a run.
struct RunReport {
  std::vector<FrameReport> frames;
  std::array<double, 3> axis{1, 1, 1};
  double beta = 0, variance_factor = 1, updates = 0;
  int burn_in_sweeps = 0, sampling_sweeps = 0, linear_iterations = 0, gap_edge = 1;
  double linear_error = 0, mean_distance = 0;
  Evidence evidence;
};

struct SeriesOfChain {
  std::vector<double> energy, acceptance, step_control, gradient;
};

/// The maps and what is derived from them: filled, mean, std, quantile_*, exceedance_*, ensemble, status.
void write_maps(io::ResultsFile& file, const Field& field, const Maps& maps, const OutputParameters& output);

void write_report(const io::Group& results, const RunReport& report, const Field& field);
void write_series(const io::Group& series, const SeriesOfChain& chain);

/// filled, mean and standard deviation as bands of a GeoTIFF.
void write_geotiff(const Field& field, const Maps& maps, const OutputParameters& output);

}  // namespace tessera::mpr
