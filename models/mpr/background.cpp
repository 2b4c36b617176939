// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/background.hpp"

#include <cmath>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/mpr/same_grid.hpp"
#include "tessera/mpr/source.hpp"

namespace tessera::mpr {

std::vector<double> read_background(const BackgroundParameters& background, const Field& field) {
  const Source source = open_source(background.file, background.dataset, background.bands);
  const std::size_t size = source.size(), all = field.values.size();
  const std::size_t image = static_cast<std::size_t>(field.grid.nx) * field.grid.ny, frame = static_cast<std::size_t>(field.grid.sites());
  const std::vector<std::uint64_t> shape = squeeze(source.shape);
  const bool same_rows = shape.size() >= 2 && shape.back() == static_cast<std::uint64_t>(field.grid.nx) &&
                         shape[shape.size() - 2] == static_cast<std::uint64_t>(field.grid.ny);
  if (!same_rows || (size != image && size != frame && size != all)) {
    throw Error(ErrorKind::input,
                "the background '" + source.place + "' has the shape " + shape_text(source.shape) + ", the data " + shape_text(field.shape),
                "give a background of the shape of the data, or of one image of them");
  }
  check_same_grid(field, source);
  std::vector<double> values(size);
  std::size_t gaps = 0, first_gap = 0;
  source.read(Numbers::decoded, [&](std::size_t first, std::size_t count, const double* piece) {
    for (std::size_t i = 0; i < count; ++i) {
      values[first + i] = std::isfinite(piece[i]) ? piece[i] : 0;
      bool needed = false;
      for (std::size_t site = first + i; site < all && !std::isfinite(piece[i]); site += size)
        needed = needed || field.status[site] != kInactive;
      if (needed && gaps++ == 0) first_gap = first + i;
    }
  });
  if (gaps == 0) return values;
  const std::size_t nx = static_cast<std::size_t>(field.grid.nx), ny = static_cast<std::size_t>(field.grid.ny);
  throw Error(ErrorKind::input,
              "the background '" + source.place + "' has no value at " + std::to_string(gaps) + " sites, the first of them in row " +
                  std::to_string(first_gap / nx % ny) + ", column " + std::to_string(first_gap % nx),
              "fill its gaps first, or mark these sites with input.inactive");
}

}  // namespace tessera::mpr
