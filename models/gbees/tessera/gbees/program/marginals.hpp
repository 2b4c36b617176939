// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"

namespace tessera::gbees {

/// One axis of the grid, for the coordinates of what is written.
struct Axis {
  std::string name;
  double origin = 0, spacing = 1;
};

/// The joint probability of two axes at one record time, on a range of indices of its own.
struct PairMarginal {
  int first = 0, second = 1;
  std::vector<double> probability;  ///< row by row, a row for each index of the first axis
};

/// The marginals of a density at one record time.
struct Marginals {
  std::vector<std::int64_t> low;              ///< first index of each marginal
  std::vector<std::vector<double>> marginal;  ///< one an axis
  /// Bins of the record's own; empty where they are the cells of the grid
  std::vector<double> origin, spacing;
  std::vector<PairMarginal> pairs;  ///< when asked for
};

/// Returns the centre of bin k of those that begin at index `low`.
double bin_centre(double origin, double spacing, std::int64_t low, std::size_t k);

/// Writes the marginals along axis i on the smallest common range of indices of the grid, and their
/// cells to `coordinates`.
void write_marginal(const io::Group& results, const io::Group& coordinates,
                    const std::vector<const Marginals*>& records, const Axis& axis, std::size_t i);

/// Does the same of records with bins of their own.
void write_own_marginal(const io::Group& results, const io::Group& coordinates,
                        const std::vector<const Marginals*>& records, const std::string& axis,
                        std::size_t i);

/// Writes the joint marginals of the record of a number, each with the centres of its cells.
void write_pairs(const io::Group& results, const Marginals& record, std::size_t number,
                 const std::vector<Axis>& axes);

/// Saves to and loads from a restart file all but the first indices. Loading throws Error (file)
/// when the arrays do not fit each other.
void save_marginals(const io::Group& group, const Marginals& record);
void load_marginals(const io::Group& group, std::size_t dimension, bool pairs, Marginals& record);

}  // namespace tessera::gbees
