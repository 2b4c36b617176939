// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/grid_agreement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/io/cf.hpp"
#include "tessera/core/io/netcdf.hpp"
#include "tessera/core/io/pieces.hpp"
#include "tessera/mpr/data/axes.hpp"

namespace tessera::mpr {

namespace {

/// Numbers may be rounded to single precision in one of the files.
bool is_near(double a, double b, double step) {
  return std::fabs(a - b) <= std::max(1e-3 * std::fabs(step), 1e-6 * std::fabs(b));
}

[[noreturn]] void refuse_grid(const std::string& other, const std::string& data,
                              const std::string& what) {
  throw Error(ErrorKind::input,
              "'" + other + "' and '" + data + "' are on different grids: " + what,
              "bring them onto the same grid");
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
    if (our_scale.empty() || their_scale.empty() ||
        io::is_bare_dimension(*field.source, our_scale) ||
        io::is_bare_dimension(*other.root, their_scale) || field.source->is_text(our_scale) ||
        other.root->is_text(their_scale))
      continue;
    const auto x = io::read_values(*field.source, our_scale),
               y = io::read_values(*other.root, their_scale);
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      const double step = x.size() > 1 ? x[i > 0 ? i : 1] - x[i > 0 ? i - 1 : 0] : 0;
      if (is_near(y[i], x[i], step) || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
      refuse_grid(other.root->place(their_scale.substr(1)),
                  field.source->place(our_scale.substr(1)),
                  "number " + std::to_string(i + 1) + " is " + std::to_string(y[i]) + " and " +
                      std::to_string(x[i]));
    }
  }
}

/// Numbers of two neighbouring rows and columns of a dataset of images, decoded; of the first image
/// where there are several.
std::array<double, 4> read_corner(const io::Group& root, const std::string& path, std::uint64_t row,
                                  std::uint64_t column) {
  const std::vector<std::uint64_t> shape = root.shape(path);
  const std::vector<bool> kept = find_extended(shape);
  std::vector<std::uint64_t> start(shape.size(), 0), extent(shape.size(), 1);
  std::size_t number = 0;  // of the dimensions from the last
  for (std::size_t d = shape.size(); d-- > 0 && number < 2;) {
    if (!kept[d]) continue;
    start[d] = number == 0 ? column : row;
    extent[d] = 2;
    ++number;
  }
  std::array<double, 4> numbers{};
  io::read_box(root, path, start, extent, numbers.data());
  const io::Packing packing = io::read_packing(root, path);
  for (double& number : numbers) number = packing.decode(number);
  return numbers;
}

/// Latitudes and longitudes of single sites, where both files have them: at the corners and in the
/// middle.
void check_same_places(const Field& field, const Source& other) {
  const auto ny = static_cast<std::uint64_t>(field.grid.ny),
             nx = static_cast<std::uint64_t>(field.grid.nx);
  const PlacesOfSites ours = find_places_of_sites(field),
                      theirs = find_places_of_sites(*other.root, other.dataset, ny, nx);
  if (!ours.are_known() || !theirs.are_known()) return;
  // The check reads from a classic file only what the variable refers to.
  const auto refers_to = [](const io::Group& root, const std::string& dataset,
                            const PlacesOfSites& places) {
    const std::vector<std::string> related = io::related_variables(root, dataset);
    return std::count(related.begin(), related.end(), places.latitude) +
               std::count(related.begin(), related.end(), places.longitude) ==
           2;
  };
  if (!refers_to(*field.source, field.dataset, ours) ||
      !refers_to(*other.root, other.dataset, theirs))
    return;
  for (const auto& [our_path, their_path, turn] :
       {std::tuple(ours.latitude, theirs.latitude, 0.0),
        std::tuple(ours.longitude, theirs.longitude, 360.0)}) {
    if (field.source->place(our_path) == other.root->place(their_path)) continue;
    for (const auto& [row, column] : {std::pair(std::uint64_t{0}, std::uint64_t{0}),
                                      {0, nx - 2},
                                      {ny - 2, 0},
                                      {ny - 2, nx - 2},
                                      {ny / 2 - 1, nx / 2 - 1}}) {
      const std::array<double, 4> x = read_corner(*field.source, our_path, row, column),
                                  y = read_corner(*other.root, their_path, row, column);
      const double step =
          std::max({std::fabs(x[1] - x[0]), std::fabs(x[2] - x[0]), std::fabs(x[3] - x[0])});
      const double away = turn > 0 ? std::remainder(y[0] - x[0], turn) : y[0] - x[0];
      if (std::isnan(away) || is_near(x[0] + away, x[0], step)) continue;
      refuse_grid(other.root->place(their_path.substr(1)), field.source->place(our_path.substr(1)),
                  "in row " + std::to_string(row) + ", column " + std::to_string(column) +
                      " they hold " + std::to_string(y[0]) + " and " + std::to_string(x[0]));
    }
  }
}

/// Corners of the images of two rasters.
void check_same_transform(const io::Raster& raster, const io::Raster& other) {
  const auto& t = raster.transform;
  const auto& u = other.transform;
  const double step =
      std::max({std::fabs(t[1]), std::fabs(t[2]), std::fabs(t[4]), std::fabs(t[5])});
  for (const std::array<double, 2>& corner :
       {std::array<double, 2>{0, 0}, {1.0 * raster.nx, 0}, {0, 1.0 * raster.ny}}) {
    for (const std::size_t k : {0, 3}) {
      const double a = t[k] + corner[0] * t[k + 1] + corner[1] * t[k + 2],
                   b = u[k] + corner[0] * u[k + 1] + corner[1] * u[k + 2];
      if (std::fabs(a - b) > 1e-3 * step)
        refuse_grid(other.path, raster.path,
                    "a corner is at " + std::to_string(b) + " and " + std::to_string(a));
    }
  }
}

}  // namespace

void check_same_grid(const Field& field, const Source& other) {
  if (field.source && other.root && field.scales.size() == field.shape.size())
    check_same_coordinates(field, other);
  if (field.source && other.root) check_same_places(field, other);
  if (field.raster && other.raster) check_same_transform(*field.raster, *other.raster);
}

}  // namespace tessera::mpr
