// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/stable/parameters.hpp"

namespace tessera::stable {

/// The numbers of a file. alpha, beta and weight are empty unless their columns are named.
struct Numbers {
  std::vector<double> value, alpha, beta, weight;
};

/// Reads a CSV column, an HDF5 dataset or an .npy array. `allow_missing`: values may be missing, and read as NaN. Throws Error (file or
/// input).
Numbers read_numbers(const DataParameters& data, bool allow_missing);

}  // namespace tessera::stable
