// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/raster_output.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include "tessera/core/io/raster.hpp"
#include "tessera/core/log/log.hpp"

namespace tessera::mpr {

namespace {

/// One image of a map.
io::RasterLayer make_layer(const std::string& name, const ResultMap& map, std::size_t first_site) {
  return {name, [&map, first_site](std::size_t first, std::size_t count, double* values) {
            map.values(first_site + first, count, values);
          }};
}

/// "a/b_std.tif" for "a/b.tif".
std::string path_of_deviations(const std::string& path) {
  std::filesystem::path beside(path);
  beside.replace_filename(beside.stem().string() + "_std" + beside.extension().string());
  return beside.string();
}

}  // namespace

void write_geotiff(const Field& field, const Predictions& predictions,
                   const OutputParameters& output) {
  if (output.geotiff.empty()) return;
  const std::vector<ResultMap> maps = make_result_maps(field, predictions, output);
  io::Raster like = field.raster ? *field.raster : io::Raster();
  like.nx = field.grid.nx;
  like.ny = field.grid.ny;
  if (like.bands.empty()) like.bands.emplace_back();
  if (like.bands.front().units.empty() && field.units != "1")
    like.bands.front().units = field.units;
  const std::size_t image = static_cast<std::size_t>(field.grid.nx) * field.grid.ny,
                    images = static_cast<std::size_t>(field.sites()) / image;
  const bool packed = output.packed && field.raster;
  std::vector<io::RasterLayer> layers, deviations;
  for (std::size_t i = 0; i < images; ++i) {
    const std::string number = images > 1 ? " " + std::to_string(i) : "";
    layers.push_back(make_layer("filled" + number, maps[0], i * image));
    if (!packed) layers.push_back(make_layer("mean" + number, maps[1], i * image));
    (packed ? deviations : layers)
        .push_back(make_layer("standard deviation" + number, maps[2], i * image));
  }
  io::GeotiffOptions options{field.single, packed, output.cloud};
  const std::size_t clipped = io::write_geotiff(output.geotiff, like, layers, options);
  if (clipped > 0) {
    logging::warning(
        "'" + output.geotiff + "': " + std::to_string(clipped) +
        " values lie outside of what the type of the source holds, and stand as its nearest end");
  }
  if (!packed) return;
  options.packed = false;
  options.single = true;
  io::write_geotiff(path_of_deviations(output.geotiff), like, deviations, options);
}

}  // namespace tessera::mpr
