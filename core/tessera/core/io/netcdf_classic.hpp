// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/core/io/file.hpp"

/// NetCDF-3 files ("classic", 64-bit offset and 64-bit data), which are no HDF5. They are read
/// through the netCDF library, where it was found when Tessera was built.

namespace tessera::io {

/// Returns whether a file begins as a NetCDF-3 file does.
bool is_classic_netcdf(const std::string& path);

/// The file as if it were NetCDF-4, in memory: all variables with their dimensions and attributes,
/// and the numbers of `variable` and of those that it refers to (see related_variables). Others
/// hold nothing. Throws Error (file) when it cannot be read, and without the netCDF library.
File open_classic_netcdf(const std::string& path, const std::string& variable);

}  // namespace tessera::io
