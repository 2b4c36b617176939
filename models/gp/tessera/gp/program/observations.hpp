// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/gp/points/points.hpp"
#include "tessera/gp/program/parameters.hpp"

namespace tessera::gp {

/// The observations that a run works on.
struct Observations {
  Points points;
  std::vector<std::string> names;      ///< of the coordinates
  std::vector<std::string> variables;  ///< names of several variables; empty: there is one
  /// N x replicates, a replicate after another; empty before a simulation
  std::vector<double> values;
  std::size_t replicates = 0;
  std::vector<double> exposure;                  ///< of each observation; empty: none
  std::vector<std::vector<std::string>> labels;  ///< of each grouping, by level
  /// Rows that are used, and rows that are only predicted
  std::vector<std::size_t> kept, left_out;

  std::size_t size() const { return points.size(); }
};

/// The columns of the file of the data section, as DataParameters::table. Throws Error (input) for
/// what is wrong in the file: no such column, values that are missing or not finite, negative error
/// variances, locations outside the sphere's coordinates, duplicates without a nugget (unless a
/// sample is to be taken); Error (file) when it cannot be read.
Columns read_table(const Parameters& parameters);

/// Reads the points to predict at from a file. Throws the same errors.
Points read_points(const Parameters& parameters);

/// Takes the table of the data section (or makes the points of the simulate section), takes a
/// sample, averages as asked and splits off what is held out. Throws Error (input) for duplicates
/// without a nugget and for too few points.
Observations make_observations(const Parameters& parameters, std::uint64_t seed);

/// Gives points the covariates of the mean and of the covariance; `columns` are those of
/// data.covariates.
void add_covariates(const Parameters& parameters, const Columns& columns, const std::string& what,
                    Points& points);

/// The points of a grid, over the extent of the reference points unless its ranges are given; the
/// last coordinate runs fastest.
Points grid_points(const PredictParameters& parameters, const CovarianceModel& model,
                   const Points& reference);

/// Writes the coordinates and the time of points; `names`: what the input calls the coordinates.
void write_points(const io::Group& group, const CovarianceModel& model,
                  const std::vector<std::string>& names, const Points& points);

/// Writes the quantiles of observations, a row for each point, where there are any.
void write_quantiles(const io::Group& group, const std::vector<double>& probabilities,
                     const std::vector<double>& quantiles);

}  // namespace tessera::gp
