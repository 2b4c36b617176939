// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/parameters.hpp"

/// The maps that a run writes, to whatever kind of file. They are made piece by piece from
/// predictions that stay on the device, so that the host needs no memory for them. Host code.

namespace tessera::mpr {

/// Numbers of the sites first, first + 1, ..., first + count - 1 of all frames.
using PieceOfMap = std::function<void(std::size_t first, std::size_t count, double* values)>;

/// Numbers of such sites of one of several fields.
using PieceOfMember =
    std::function<void(std::size_t member, std::size_t first, std::size_t count, double* values)>;

/// Predictions. They are asked for at all sites and count at the missing ones; NaN where nothing is
/// predicted.
struct Predictions {
  /// Mean and standard deviation of the normal law of the transformed values.
  std::function<void(std::size_t first, std::size_t count, double* centre, double* spread)> law;
  /// Standard errors of the centres that come from the computation alone; empty: they are not
  /// written.
  PieceOfMap centre_error;
  double spread_error = 0;    ///< the same of the spreads, relative to them
  std::size_t members = 0;    ///< realisations,
  PieceOfMember realisation;  ///< and their values
  /// The p-quantile of (transformed truth - centre) / spread; empty: that of the normal law
  std::function<double(double p)> quantile;
};

struct ResultMap {
  std::string name;
  io::Attributes attributes;
  bool single = true;  ///< to be written in single precision
  PieceOfMap values;
};

/// filled, mean, std, quantile_* and exceedance_*: samples and inactive sites as they were read,
/// missing ones as predicted. Samples with errors are as they were read in `filled`, and as
/// predicted in the others. The field and the predictions must outlive the maps.
std::vector<ResultMap> make_result_maps(const Field& field, const Predictions& predictions,
                                        const OutputParameters& output);

/// mc_error: what of the error of `mean` comes from the computation alone, 0 at samples. Where
/// values are transformed, the mean has a share of the error of the spread.
ResultMap make_error_map(const Field& field, const Predictions& predictions);

/// All realisations with the samples: numbers of [member][site].
ResultMap make_ensemble_map(const Field& field, const Predictions& predictions);

}  // namespace tessera::mpr
