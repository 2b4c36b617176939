// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/io/box.hpp"
#include "tessera/core/io/cf.hpp"
#include "tessera/core/io/coordinate.hpp"
#include "tessera/core/io/group.hpp"
#include "tessera/core/io/memory.hpp"
#include "tessera/core/io/raster.hpp"

/// An array of a data file with what the file says about it. Host code.

namespace tessera::mpr {

/// values, NaN where there is none; or the numbers of the file
enum class Numbers { decoded, as_stored };

/// Gets the elements first, first + 1, ..., first + count - 1 in row-major order.
using TakePiece = std::function<void(std::size_t first, std::size_t count, const double* values)>;

struct Source {
  std::vector<std::uint64_t> shape;
  std::function<void(Numbers numbers, const TakePiece& take)> read;  ///< piece by piece, in order
  /// Columns and rows of an array that is one image, row after row; also of images that do not fit
  /// into memory. One thread at a time.
  std::function<void(Numbers numbers, const io::Box& box, double* values)> read_box;
  int block_rows = 1;                ///< rows that the file holds together
  std::string place;                 ///< file and dataset, for messages
  std::string name;                  ///< of the dataset, or of the file
  std::optional<io::Group> root;     ///< of an HDF5 or NetCDF file, held open
  std::string dataset;               ///< its path there
  io::Packing packing;               ///< of an HDF5 or NetCDF file
  std::optional<io::Raster> raster;  ///< transform and projection of a raster
  io::ArrayPlace array_place;        ///< what the calling program says of an array

  std::size_t size() const;
};

/// Finds an array. `dataset`: of an HDF5 or NetCDF file. `bands`: of a raster; none: all. Throws,
/// as `read` does, Error (file) when the file cannot be read, Error (input) when it has no such
/// dataset, with those that it has, Error (resource) when it does not fit into memory, unless it is
/// to be read in boxes.
Source open_source(const std::string& path, const std::string& dataset,
                   const std::vector<int>& bands, bool in_boxes = false);

/// An array that a program holds, without its numbers. Throws Error (input) where it has a place
/// and is no image or stack of them.
Source describe_array(const std::string& name, const std::vector<std::uint64_t>& shape,
                      const std::optional<io::RasterPlace>& place,
                      const io::ArrayPlace& coordinates = {});

/// Returns whether a value is the one that an input calls missing: as it is, or as single precision
/// or a packing rounds it.
bool is_missing_value(double value, const std::optional<double>& missing);

/// Returns whether an array is one image: of two dimensions, but for those of size one.
bool is_one_image(const std::vector<std::uint64_t>& shape);

/// "3 x 2"
std::string shape_text(const std::vector<std::uint64_t>& shape);

/// Finds the dimensions that are left without sizes of one, of which two stay: first those in front
/// of rows and columns go, then others.
std::vector<bool> find_extended(const std::vector<std::uint64_t>& shape);

/// A shape without those sizes of one.
std::vector<std::uint64_t> squeeze(const std::vector<std::uint64_t>& shape);

}  // namespace tessera::mpr
