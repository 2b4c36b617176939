// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/same_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/io/netcdf.hpp"

namespace tessera::mpr {

namespace {

/// Numbers may be rounded to single precision in one of the files.
bool is_near(double a, double b, double step) { return std::fabs(a - b) <= std::max(1e-3 * std::fabs(step), 1e-6 * std::fabs(b)); }

[[noreturn]] void refuse_grid(const std::string& other, const std::string& data, const std::string& what) {
  throw Error(ErrorKind::input, "'" + other + "' and '" + data + "' are on different grids: " + what, "bring them onto the same grid");
}

/// Coordinates of rows and columns, where both files have them.
void check_same_coordinates(const Field& field, const Source& other) {
  const std::vector<std::string> scales = io::dimension_scales(*other.root, other.dataset);
  const auto find_axes = [](const std::vector<std::uint64_t>& shape) {
    const std::vector<bool> kept = find_extended(shape);
    std::vector<std::size_t> axes;
    for (std::size_t d = shape.size(); d-- > 0 && axes.size() < 2;) {
      if (kept[d]) axes.push_back(d);
    }
    return axes;
  };
  const std::vector<std::size_t> ours = find_axes(field.shape), theirs = find_axes(other.shape);
  for (std::size_t a = 0; a < 2; ++a) {
    const std::string our_scale = field.scales[ours[a]], their_scale = scales[theirs[a]];
    if (our_scale.empty() || their_scale.empty() || io::is_bare_dimension(*field.source, our_scale) ||
        io::is_bare_dimension(*other.root, their_scale) || field.source->is_text(our_scale) || other.root->is_text(their_scale))
      continue;
    const auto x = io::read_values(*field.source, our_scale), y = io::read_values(*other.root, their_scale);
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      const double step = x.size() > 1 ? x[i > 0 ? i : 1] - x[i > 0 ? i - 1 : 0] : 0;
      if (is_near(y[i], x[i], step) || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
      refuse_grid(other.root->place(their_scale.substr(1)), field.source->place(our_scale.substr(1)),
                  "number " + std::to_string(i + 1) + " is " + std::to_string(y[i]) + " and " + std::to_string(x[i]));
    }
  }
}

/// Corners of the images of two rasters.
void check_same_transform(const io::Raster& raster, const io::Raster& other) {
  const auto& t = raster.transform;
  const auto& u = other.transform;
  const double step = std::max({std::fabs(t[1]), std::fabs(t[2]), std::fabs(t[4]), std::fabs(t[5])});
  for (const std::array<double, 2>& corner : {std::array<double, 2>{0, 0}, {1.0 * raster.nx, 0}, {0, 1.0 * raster.ny}}) {
    for (const std::size_t k : {0, 3}) {
      const double a = t[k] + corner[0] * t[k + 1] + corner[1] * t[k + 2], b = u[k] + corner[0] * u[k + 1] + corner[1] * u[k + 2];
      if (std::fabs(a - b) > 1e-3 * step)
        refuse_grid(other.path, raster.path, "a corner is at " + std::to_string(b) + " and " + std::to_string(a));
    }
  }
}

}  // namespace

void check_same_grid(const Field& field, const Source& other) {
  if (field.source && other.root && field.scales.size() == field.shape.size()) check_same_coordinates(field, other);
  if (field.raster && other.raster) check_same_transform(*field.raster, *other.raster);
}

}  // namespace tessera::mpr
