// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"

namespace tessera::io {

/// Columns of numbers of a file, all equally long, in the order of `names`. The ending of the
/// file's name says what it is:
///
///     .h5, .nc   HDF5 and NetCDF-4 (see find_format); a column is a dataset, named by its path
///                ("results/x"), with all its values in row-major order
///     .npy       numpy.save; a column of a two-dimensional array is its number, counted from 1; ""
///                is all values of an array
///     others     text with a row a line (see read_csv); a column is its name, or, where no line of
///                names comes first, its number, counted from 1; "" is the first one that has a
///                name, and the log says which it was where there are several
///
/// `allow_missing`: values may be missing, and read as NaN, and those of arrays and datasets may be
/// infinite. `missing_remedy`: what the user can do about a missing value. Throws Error (file) when
/// the file cannot be read, and Error (input) when there is no such column, when columns differ in
/// length or a text has no row below its names, and for values that are not finite.
std::vector<std::vector<double>> read_columns(const std::string& path,
                                              const std::vector<std::string>& names,
                                              bool allow_missing = false,
                                              const std::string& missing_remedy = {});

/// The extents of the array that read_columns puts into one column: a dataset, or all of an .npy
/// file (the name ""). None for a column of a table.
Shape find_array_shape(const std::string& path, const std::string& name);

/// One column, with at least one value.
std::vector<double> read_column(const std::string& path, const std::string& name,
                                bool allow_missing = false);

}  // namespace tessera::io
