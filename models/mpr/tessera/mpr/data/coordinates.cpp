// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/coordinates.hpp"

#include <algorithm>
#include <filesystem>

#include "tessera/core/io/cf.hpp"
#include "tessera/core/io/netcdf.hpp"
#include "tessera/mpr/data/source.hpp"

namespace tessera::mpr {

namespace {

/// Returns whether rows and columns do not run along the axes of the projection.
bool is_turned(const io::Raster& raster) {
  return raster.transform[2] != 0 || raster.transform[4] != 0;
}

}  // namespace

std::vector<std::string> dimension_names(const Field& field) {
  const std::size_t rank = field.shape.size();
  const std::vector<bool> kept = find_extended(field.shape);
  static const char* const kNames[] = {"x", "y", "z", "frame"};
  std::vector<std::string> names(rank);
  std::size_t number = 0;  // of the dimensions behind this one that are not of size one
  for (std::size_t d = rank; d-- > 0;) {
    const bool has_scale = d < field.scales.size() && !field.scales[d].empty();
    if (field.raster && d + 2 < rank) {
      names[d] = "band";
      continue;
    }
    names[d] = has_scale ? std::filesystem::path(field.scales[d]).filename().string()
               : kept[d] ? kNames[std::min<std::size_t>(number, 3)]
                         : "axis_" + std::to_string(d);
    if (kept[d]) ++number;
  }
  return names;
}

namespace {

/// Copies the variable that the attribute grid_mapping of results names.
void copy_grid_mapping(const io::Group& coordinates, const Field& field) {
  if (!field.source) return;
  std::string path = io::text_attribute(*field.source, field.dataset, "grid_mapping");
  path = path.substr(0, path.find_first_of(": "));
  const std::string name = path.substr(path.rfind('/') + 1),
                    folder = field.dataset.substr(0, field.dataset.find_last_of('/') + 1);
  if (path.empty()) return;
  if (field.source->has(folder + path)) path = folder + path;
  if (!field.source->has(path) || coordinates.has(name)) return;
  io::copy_dataset(*field.source, path, coordinates, name);
  if (!coordinates.has_attribute("units", name)) coordinates.set_attribute("units", "1", name);
  if (!coordinates.has_attribute("long_name", name))
    coordinates.set_attribute("long_name", "the projection of the coordinates", name);
}

}  // namespace

void write_coordinates(const io::Group& coordinates, const Field& field) {
  copy_grid_mapping(coordinates, field);
  const std::size_t rank = field.shape.size();
  const std::vector<std::string> names = dimension_names(field);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::string& name = names[d];
    if (d < field.scales.size() && !field.scales[d].empty()) {
      if (coordinates.has(name)) continue;
      if (!io::is_bare_dimension(*field.source, field.scales[d])) {
        io::copy_dataset(*field.source, field.scales[d], coordinates, name);
        if (!coordinates.has_attribute("units", name))
          coordinates.set_attribute("units", "1", name);
        if (!coordinates.has_attribute("long_name", name))
          coordinates.set_attribute("long_name", name, name);
        io::make_scale(coordinates, name);
        continue;
      }
    }
    const bool along_raster = field.raster && !is_turned(*field.raster) && d + 2 >= rank,
               is_band = field.raster && d + 2 < rank;
    std::vector<double> values(field.shape[d]);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double at = static_cast<double>(i);
      values[i] = at;
      if (is_band) values[i] = field.raster->bands[i].number;
      if (!along_raster) continue;
      const auto& t = field.raster->transform;
      values[i] = d + 1 == rank ? t[0] + (at + 0.5) * t[1] : t[3] + (at + 0.5) * t[5];
    }
    coordinates.write(name, values,
                      {"1", along_raster ? "centres of the pixels in the raster's projection"
                            : is_band    ? "number of the band"
                                         : "number of the site along the axis"});
    io::make_scale(coordinates, name);
  }
  if (!field.raster) return;
  coordinates.set_attribute("projection", field.raster->projection);
  coordinates.write(
      "geotransform",
      std::vector<double>(field.raster->transform.begin(), field.raster->transform.end()),
      {"1", "x = t0 + column t1 + row t2, y = t3 + column t4 + row t5"});
}

void write_numbers(const io::Group& coordinates, const std::string& name, std::uint64_t size,
                   const std::string& long_name) {
  if (coordinates.has(name)) return;
  std::vector<std::uint64_t> numbers(size);
  for (std::uint64_t i = 0; i < size; ++i) numbers[i] = i;
  coordinates.write(name, numbers, {"1", long_name});
  io::make_scale(coordinates, name);
}

void copy_field_attributes(const io::Group& results, const std::string& name, const Field& field) {
  if (!field.source) return;
  io::copy_attributes(*field.source, field.dataset, results, name,
                      {"units", "long_name", "_FillValue", "missing_value", "scale_factor",
                       "add_offset", "coordinates"});
}

}  // namespace tessera::mpr
