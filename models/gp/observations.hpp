// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/gp/parameters.hpp"
#include "tessera/gp/points.hpp"

namespace tessera::gp {

/// What a run works on.
struct Observations {
  Points points;
  std::vector<std::string> names;  ///< of the coordinates
  std::vector<double> values;      ///< n x replicates, a replicate after another; empty before a simulation
  std::size_t replicates = 0;
  std::vector<std::size_t> kept, left_out;  ///< rows that are used, and rows that are only predicted

  std::size_t size() const { return points.size(); }
};

/// Reads the file of the data section (or makes the points of the simulate section), drops or averages as asked, takes a sample and splits
/// off what is held out. Throws Error (input) for what is wrong with the data: missing values, locations outside the sphere's coordinates,
/// duplicates without a nugget, too few points.
Observations load_observations(const Parameters& parameters, std::uint64_t seed);

/// Reads points to predict at.
Points load_points(const ColumnsParameters& columns, const CovarianceModel& model);

/// A grid over the box; the last coordinate runs fastest.
Points grid_points(const PredictParameters& parameters, const CovarianceModel& model, const Points& reference);

}  // namespace tessera::gp
