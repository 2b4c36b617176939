// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::io {

enum class FileFormat { hdf5, npy, other };

/// The format of a data file, by the ending of its name, in capitals or not: .h5, .hdf5, .he5, .nc
/// and .nc4 (NetCDF-4 files are HDF5), or .npy, as which arrays in memory are read.
FileFormat find_format(const std::string& path);

}  // namespace tessera::io
