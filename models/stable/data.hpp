// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera::stable {

/// Where numbers come from: a CSV file with the columns named, an HDF5 file with a dataset, or an .npy array.
struct DataSource {
  std::string file, column, dataset;
  std::string alpha_column, beta_column, weight_column;  ///< of a CSV file; empty: none
};

/// The numbers of a file. alpha, beta and weight are empty unless their columns are named.
struct Numbers {
  std::string file;  ///< for messages
  std::vector<double> value, alpha, beta, weight;
};

/// Reads a CSV column, an HDF5 dataset or an .npy array. `allow_missing`: values may be missing, and read as NaN. Throws Error (file or
/// input).
Numbers read_numbers(const DataSource& source, bool allow_missing);

}  // namespace tessera::stable
