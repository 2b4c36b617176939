// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/gbees/particles/monte_carlo_comparison.hpp"
#include "tessera/gbees/program/marginals.hpp"
#include "tessera/gbees/program/state_figures.hpp"
#include "tessera/gbees/regions/credible_set.hpp"

namespace tessera::gbees {

/// The figures that are kept of the density at one record time.
struct Record : Marginals {
  double time = 0;
  std::int64_t segment = 0;  ///< number of measurement times passed
  double mass = 0, lost_mass = 0, max_p = 0, entropy = 0;
  std::uint64_t cells = 0, active_cells = 0;
  std::vector<double> mean, mode, covariance;  ///< covariance row by row
  std::vector<double> resultant;               ///< where variables lie on circles (Summary)
  /// By which share of it the cells have widened the variance along each axis since the start or
  /// the last change by a measurement or a maneuver; NaN: not known; empty: of no grid that stays
  std::vector<double> spread;
  /// Joint probabilities of the variables z, y, x of each triple for ParaView, x fastest, when
  /// asked for
  std::vector<std::vector<double>> volumes;
  std::vector<CredibleSet> credible;  ///< one a level
  /// Cells [n, D] and their probabilities, when asked for
  std::vector<double> cell_x, cell_p;
  std::optional<StateFigures> state;          ///< where the variables are other coordinates of it
  std::vector<MonteCarloRecord> monte_carlo;  ///< one when asked for, else none
};

/// The histories of a run, an entry a step.
struct History {
  std::vector<double> time, dt, mass, lost_mass;
  std::vector<std::uint64_t> cells_existing, cells_active;
};

/// The results of the updates at all measurement times.
struct MeasurementLog {
  /// An entry a measurement; see MeasurementUpdate
  std::vector<double> time, log_evidence, deviation;
};

/// Writes records as arrays over record time: /results and /coordinates of the results file.
void write_records(const io::Group& results, const io::Group& coordinates,
                   const std::vector<Record>& records, const std::vector<Axis>& axes,
                   bool with_cells);

/// Writes the circles that variables lie on to /coordinates.
void write_circles(const io::Group& coordinates, const std::vector<Circle>& circles);

/// Writes the credible sets of the records as /results/credible, and with cells to which of them
/// each cell belongs.
void write_credible(const io::Group& results, const std::vector<Record>& records,
                    const std::vector<double>& levels);

/// Writes the histories as /series.
void write_history(const io::Group& series, const History& history);

/// Writes what measurements said as /results/measurements, where there were any.
void write_measurements(const io::Group& results, const MeasurementLog& log);

/// The contents of the records of a run besides the figures that all have.
struct RecordContents {
  std::size_t dimension = 0;
  bool cells = false, pairs = false, state = false;
  std::vector<std::vector<int>> volumes;  ///< the variables x, y, z of each volume
  bool monte_carlo = false;
  std::size_t credible = 0;  ///< number of levels
};

/// Saves to and loads from a restart file. Loading throws Error (file) when the arrays do not fit
/// each other or the contents.
void save_records(const io::Group& group, const std::vector<Record>& records,
                  const std::vector<std::vector<int>>& volumes);
std::vector<Record> load_records(const io::Group& group, const RecordContents& contents);
void save_history(const io::Group& group, const History& history);
History load_history(const io::Group& group);
void save_measurements(const io::Group& group, const MeasurementLog& log);
MeasurementLog load_measurements(const io::Group& group);

}  // namespace tessera::gbees
