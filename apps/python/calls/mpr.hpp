// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/python/calls/numbers.hpp"
#include "tessera/core/device/backend.hpp"
#include "tessera/core/io/coordinate.hpp"

namespace tessera::python {

/// Bytes that are not 0 at some sites, on the host: of all sites, of one image, or none.
struct SiteMask {
  const std::uint8_t* data = nullptr;
  std::size_t size = 0;
};

/// An image or a stack, and where it lies.
struct ImageShape {
  std::vector<std::uint64_t> extents;
  std::string third_axis = "frames";  ///< or coupled
  /// Transform and projection of a raster, as GDAL has them
  std::optional<std::pair<std::array<double, 6>, std::string>> place;
  /// The coordinates of its dimensions, where they are known
  io::ArrayPlace coordinates;
};

/// The memory for the results of a fill, each with room for as many numbers as there are values;
/// results without memory are not wanted.
template <class T>
struct FillResults {
  Out<T> filled, mean, deviation;
  std::vector<std::pair<double, Out<T>>> quantiles;
};

/// Fills an array: tessera/mpr/fill/array_fill.hpp. `options`: the sections grid, model and
/// simulation of an input, in YAML. Given up by a signal, with Interrupted, where a SignalWatch
/// lives. Throws Error (input) for what is wrong in them and for quantiles out of 1e-6 ...
/// 0.999999, and Error (resource) without the memory.
template <class T>
void fill_array(Backend backend, const ImageShape& shape, const std::string& options,
                std::uint64_t seed, const In<T>& values, const SiteMask& missing,
                const SiteMask& inactive, const FillResults<T>& results, const Between& between);

}  // namespace tessera::python
