// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/source.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "tessera/core/error.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/io/file_format.hpp"
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

Source open_hdf5(const std::string& path, const std::string& dataset) {
  const io::File file = io::is_classic_netcdf(path) ? io::open_classic_netcdf(path, dataset) : io::File::open(path);
  const io::Group root = file.root();
  if (dataset.empty() || !root.has(dataset)) {
    const std::string there = ListOfDatasets(root).text();
    throw Error(ErrorKind::input,
                path + (dataset.empty() ? ": no dataset named; give 'dataset'" : ": there is no dataset '" + dataset + "'"),
                there.empty() ? "the file holds no dataset of two to four dimensions" : "choose one of: " + there);
  }
  Source source;
  source.shape = root.shape(dataset);
  source.packing = io::read_packing(root, dataset);
  io::check_values_fit(root, dataset);
  source.place = root.place(dataset);
  source.name = std::filesystem::path(dataset).filename().string();
  source.root = root;
  source.dataset = dataset;
  source.read = [root, dataset, packing = source.packing](Numbers numbers, const TakePiece& take) {
    std::vector<double> values;
    io::read_pieces(root, dataset, [&](std::uint64_t first, std::uint64_t count, const double* piece) {
      if (numbers == Numbers::as_stored) return take(first, count, piece);
      values.resize(count);
      for (std::uint64_t i = 0; i < count; ++i) values[i] = packing.decode(piece[i]);
      take(first, count, values.data());
    });
  };
  return source;
}

Source open_npy(const std::string& path) {
  Source source;
  source.shape = io::read_npy_shape(path);
  source.place = path;
  source.name = std::filesystem::path(path).stem().string();
  source.read = [path](Numbers, const TakePiece& take) { io::read_npy_pieces(path, take); };
  return source;
}

Source open_raster(const std::string& path, const std::vector<int>& bands) {
  const io::Raster raster = io::describe_raster(path, bands);
  Source source;
  source.shape = {static_cast<std::uint64_t>(raster.ny), static_cast<std::uint64_t>(raster.nx)};
  if (raster.bands.size() > 1) source.shape.insert(source.shape.begin(), raster.bands.size());
  source.place = path;
  source.name = std::filesystem::path(path).stem().string();
  source.raster = raster;
  source.read = [raster](Numbers numbers, const TakePiece& take) {
    io::read_raster(raster, numbers == Numbers::decoded ? io::RasterNumbers::decoded : io::RasterNumbers::as_stored, take);
  };
  return source;
}

}  // namespace

std::size_t Source::size() const {
  std::size_t size = 1;
  for (const std::uint64_t extent : shape) size *= extent;
  return size;
}

Source open_source(const std::string& path, const std::string& dataset, const std::vector<int>& bands) {
  const io::FileFormat format = io::find_format(path);
  if (format != io::FileFormat::hdf5 && !dataset.empty())
    throw Error(ErrorKind::input, "'" + path + "' has no dataset '" + dataset + "': it is no HDF5 or NetCDF file", "leave 'dataset' out");
  return format == io::FileFormat::npy    ? open_npy(path)
         : format == io::FileFormat::hdf5 ? open_hdf5(path, dataset)
                                          : open_raster(path, bands);
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
