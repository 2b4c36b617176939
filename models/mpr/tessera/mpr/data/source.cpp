// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/source.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>

#include "tessera/core/error.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/io/file_format.hpp"
#include "tessera/core/io/memory.hpp"
#include "tessera/core/io/netcdf_classic.hpp"
#include "tessera/core/io/npy.hpp"
#include "tessera/core/io/pieces.hpp"

namespace tessera::mpr {

namespace {

/// The datasets of a file with two to four dimensions, for messages.
class ListOfDatasets {
 public:
  explicit ListOfDatasets(const io::Group& root) { visit(root, "", 0); }
  const std::string& text() const { return m_text; }

 private:
  void visit(const io::Group& group, const std::string& prefix, int depth) {
    for (const std::string& name : group.names()) {
      if (++m_visits > kMostVisits) return;  // groups may hold each other
      try {
        const std::size_t rank = group.shape(name).size();
        if (rank >= 2 && rank <= 4) m_text += (m_text.empty() ? "" : ", ") + prefix + name;
      } catch (const Error&) {
        if (depth < 4) visit(group.group(name), prefix + name + "/", depth + 1);
      }
    }
  }

  static constexpr int kMostVisits = 1000;
  int m_visits = 0;
  std::string m_text;
};

/// The places of the rows and columns of an image among its dimensions.
struct ImageAxes {
  std::size_t rows = 0, columns = 0;
  explicit ImageAxes(const std::vector<std::uint64_t>& shape) {
    const std::vector<bool> kept = find_extended(shape);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (!kept[d]) continue;
      rows = columns;
      columns = d;
    }
  }
};

/// Reads boxes of an image in a dataset.
void read_boxes(Source& source) {
  const ImageAxes axes(source.shape);
  source.block_rows = static_cast<int>(
      std::min<std::uint64_t>(io::chunk_shape(*source.root, source.dataset)[axes.rows], 1u << 20));
  source.read_box = [root = *source.root, dataset = source.dataset, packing = source.packing, axes,
                     rank = source.shape.size()](Numbers numbers, const io::Box& box,
                                                 double* values) {
    std::vector<std::uint64_t> start(rank, 0), extent(rank, 1);
    start[axes.rows] = static_cast<std::uint64_t>(box.y0);
    start[axes.columns] = static_cast<std::uint64_t>(box.x0);
    extent[axes.rows] = static_cast<std::uint64_t>(box.ny);
    extent[axes.columns] = static_cast<std::uint64_t>(box.nx);
    io::read_box(root, dataset, start, extent, values);
    for (std::size_t i = 0; i < box.size() && numbers == Numbers::decoded; ++i)
      values[i] = packing.decode(values[i]);
  };
}

Source open_hdf5(const std::string& path, const std::string& dataset, bool in_boxes) {
  const io::File file =
      io::is_classic_netcdf(path) ? io::open_classic_netcdf(path, dataset) : io::File::open(path);
  const io::Group root = file.root();
  if (dataset.empty() || !root.has(dataset)) {
    const std::string there = ListOfDatasets(root).text();
    throw Error(ErrorKind::input,
                path + (dataset.empty() ? ": no dataset named; give 'dataset'"
                                        : ": there is no dataset '" + dataset + "'"),
                there.empty() ? "the file holds no dataset of two to four dimensions"
                              : "choose one of: " + there);
  }
  Source source;
  source.shape = root.shape(dataset);
  source.packing = io::read_packing(root, dataset);
  if (!in_boxes) io::check_values_fit(root, dataset);
  source.place = root.place(dataset);
  source.name = std::filesystem::path(dataset).filename().string();
  source.root = root;
  source.dataset = dataset;
  source.read = [root, dataset, packing = source.packing](Numbers numbers, const TakePiece& take) {
    std::vector<double> values;
    io::read_pieces(root, dataset,
                    [&](std::uint64_t first, std::uint64_t count, const double* piece) {
                      if (numbers == Numbers::as_stored) return take(first, count, piece);
                      values.resize(count);
                      for (std::uint64_t i = 0; i < count; ++i)
                        values[i] = packing.decode(piece[i]);
                      take(first, count, values.data());
                    });
  };
  if (in_boxes && is_one_image(source.shape)) read_boxes(source);
  return source;
}

/// A raster without a file, of a band for each image.
io::Raster make_raster(const std::string& name, const std::vector<std::uint64_t>& shape,
                       const io::RasterPlace& place) {
  if (shape.size() < 2)
    throw Error(ErrorKind::input, "'" + name + "' lies at a place of the earth, and is no image");
  io::Raster raster;
  raster.path = name;
  raster.nx = static_cast<int>(shape[shape.size() - 1]);
  raster.ny = static_cast<int>(shape[shape.size() - 2]);
  std::uint64_t images = 1;
  for (std::size_t d = 0; d + 2 < shape.size(); ++d) images *= shape[d];
  for (std::uint64_t i = 0; i < images; ++i) {
    raster.bands.emplace_back();
    raster.bands.back().number = static_cast<int>(i) + 1;
  }
  raster.transform = place.transform;
  raster.projection = place.projection;
  return raster;
}

Source open_npy(const std::string& path, bool in_boxes) {
  const bool in_memory = io::is_in_memory(path);
  Source source = describe_array(
      in_memory ? io::name_in_memory(path) : std::filesystem::path(path).stem().string(),
      io::read_npy_shape(path), in_memory ? io::MemoryFiles::array(path).place : std::nullopt,
      in_memory ? io::MemoryFiles::array(path).coordinates : io::ArrayPlace());
  source.place = path;
  source.read = [path](Numbers, const TakePiece& take) { io::read_npy_pieces(path, take); };
  if (in_boxes && is_one_image(source.shape)) {
    const int columns = static_cast<int>(squeeze(source.shape).back());
    source.read_box = [reader = std::make_shared<const io::NpyReader>(path), columns](
                          Numbers, const io::Box& box, double* values) {
      reader->read(columns, box, values);
    };
  }
  return source;
}

Source open_raster(const std::string& path, const std::vector<int>& bands, bool in_boxes) {
  const io::Raster raster = io::describe_raster(path, bands);
  Source source;
  source.shape = {static_cast<std::uint64_t>(raster.ny), static_cast<std::uint64_t>(raster.nx)};
  if (raster.bands.size() > 1) source.shape.insert(source.shape.begin(), raster.bands.size());
  source.place = path;
  source.name = std::filesystem::path(path).stem().string();
  source.raster = raster;
  const auto kind = [](Numbers numbers) {
    return numbers == Numbers::decoded ? io::RasterNumbers::decoded : io::RasterNumbers::as_stored;
  };
  source.read = [raster, kind](Numbers numbers, const TakePiece& take) {
    io::read_raster(raster, kind(numbers), take);
  };
  source.block_rows = raster.block_rows;
  if (in_boxes && raster.bands.size() == 1) {
    source.read_box = [reader = std::make_shared<const io::RasterReader>(raster), kind](
                          Numbers numbers, const io::Box& box, double* values) {
      reader->read(0, kind(numbers), box, values);
    };
  }
  return source;
}

}  // namespace

std::size_t Source::size() const {
  std::size_t size = 1;
  for (const std::uint64_t extent : shape) size *= extent;
  return size;
}

Source describe_array(const std::string& name, const std::vector<std::uint64_t>& shape,
                      const std::optional<io::RasterPlace>& place,
                      const io::ArrayPlace& coordinates) {
  Source source;
  source.shape = shape;
  source.place = source.name = name;
  if (place) source.raster = make_raster(name, shape, *place);
  source.array_place = coordinates;
  return source;
}

bool is_missing_value(double value, const std::optional<double>& missing) {
  if (!missing || std::isnan(value)) return false;
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::fabs(*missing);
  const bool fits_single = std::fabs(*missing) <= std::numeric_limits<float>::max();
  return value == *missing || std::fabs(value - *missing) <= rounding ||
         (fits_single && value == static_cast<double>(static_cast<float>(*missing)));
}

bool is_one_image(const std::vector<std::uint64_t>& shape) { return squeeze(shape).size() == 2; }

Source open_source(const std::string& path, const std::string& dataset,
                   const std::vector<int>& bands, bool in_boxes) {
  const io::FileFormat format = io::find_format(path);
  if (format != io::FileFormat::hdf5 && !dataset.empty())
    throw Error(ErrorKind::input,
                "'" + path + "' has no dataset '" + dataset + "': it is no HDF5 or NetCDF file",
                "leave 'dataset' out");
  return format == io::FileFormat::npy    ? open_npy(path, in_boxes)
         : format == io::FileFormat::hdf5 ? open_hdf5(path, dataset, in_boxes)
                                          : open_raster(path, bands, in_boxes);
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t n : shape) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text;
}

std::vector<bool> find_extended(const std::vector<std::uint64_t>& shape) {
  std::vector<bool> kept(shape.size(), true);
  std::size_t left = shape.size();
  const auto remove_ones = [&](std::size_t end) {
    for (std::size_t d = 0; d < end && left > 2; ++d) {
      if (shape[d] != 1 || !kept[d]) continue;
      kept[d] = false;
      --left;
    }
  };
  if (shape.size() > 2) remove_ones(shape.size() - 2);
  remove_ones(shape.size());
  return kept;
}

std::vector<std::uint64_t> squeeze(const std::vector<std::uint64_t>& shape) {
  const std::vector<bool> kept = find_extended(shape);
  std::vector<std::uint64_t> squeezed;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (kept[d]) squeezed.push_back(shape[d]);
  }
  return squeezed;
}

}  // namespace tessera::mpr
