// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/field.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "tessera/core/error.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/io/file_format.hpp"
#include "tessera/core/io/netcdf.hpp"
#include "tessera/core/io/npy.hpp"

namespace tessera::mpr {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t n : shape) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text;
}

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

double attribute_or(const io::Group& root, const std::string& dataset, const std::string& name, double fallback) {
  return root.has_attribute(name, dataset) ? root.attribute<double>(name, dataset) : fallback;
}

std::string text_or(const io::Group& root, const std::string& dataset, const std::string& name, const std::string& fallback) {
  return root.has_attribute(name, dataset) ? root.attribute<std::string>(name, dataset) : fallback;
}

/// Whether float32 holds every value.
bool fits_single(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double v) { return std::isnan(v) || static_cast<double>(static_cast<float>(v)) == v; });
}

struct Values {
  std::vector<double> values;
  std::vector<std::uint64_t> shape;
};

Values read_hdf5_values(const std::string& path, const std::string& dataset, Field* field) {
  const io::Group root = io::File::open(path).root();
  if (dataset.empty() || !root.has(dataset)) {
    const std::string there = ListOfDatasets(root).text();
    throw Error(ErrorKind::input,
                path + (dataset.empty() ? ": no dataset named; give 'dataset'" : ": there is no dataset '" + dataset + "'"),
                there.empty() ? "the file holds no dataset of two to four dimensions" : "choose one of: " + there);
  }
  Values read{root.read<double>(dataset), root.shape(dataset)};
  if (field == nullptr) return read;
  field->source = root;
  field->dataset = dataset;
  field->name = std::filesystem::path(dataset).filename().string();
  field->units = text_or(root, dataset, "units", "1");
  field->long_name = text_or(root, dataset, "long_name", field->name);
  field->scales = io::dimension_scales(root, dataset);
  // Packed values and fill values, by the CF conventions.
  const double fill = attribute_or(root, dataset, "_FillValue", kNan), missing = attribute_or(root, dataset, "missing_value", kNan);
  const double scale = attribute_or(root, dataset, "scale_factor", 1), offset = attribute_or(root, dataset, "add_offset", 0);
  for (double& v : read.values) v = v == fill || v == missing ? kNan : scale == 1 && offset == 0 ? v : v * scale + offset;
  return read;
}

Values read_values(const std::string& path, const std::string& dataset, int band, Field* field) {
  const io::FileFormat format = io::find_format(path);
  if (format == io::FileFormat::npy) {
    auto array = io::read_npy<double>(path);
    if (field != nullptr) field->name = std::filesystem::path(path).stem().string();
    return {std::move(array.values), std::move(array.shape)};
  }
  if (format == io::FileFormat::hdf5) return read_hdf5_values(path, dataset, field);
  io::Raster raster = io::read_raster(path, band);
  Values read{std::move(raster.values), {static_cast<std::uint64_t>(raster.ny), static_cast<std::uint64_t>(raster.nx)}};
  if (field == nullptr) return read;
  if (raster.missing_value && !std::isnan(*raster.missing_value)) {
    for (double& v : read.values) v = v == *raster.missing_value ? kNan : v;
  }
  field->name = std::filesystem::path(path).stem().string();
  field->units = raster.units.empty() ? "1" : raster.units;
  raster.values.clear();
  field->raster = std::move(raster);
  return read;
}

int extent(std::uint64_t n, const std::string& path) {
  if (n < 1 || n > 1u << 30)
    throw Error(ErrorKind::input, "'" + path + "' has a dimension of " + std::to_string(n) + " sites; 1 to 2^30 are possible");
  return static_cast<int>(n);
}

/// Which dimensions are left without sizes of one, of which two stay: first those in front of rows and columns go, then others.
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

void set_grid(Field& field, const InputParameters& input) {
  const std::vector<std::uint64_t> shape = squeeze(field.shape);
  const std::size_t rank = shape.size();
  if (rank < 2 || rank > 4) {
    throw Error(ErrorKind::input, "'" + input.file + "' has the shape " + shape_text(field.shape) +
                                      "; an image (rows x columns), a stack or frames of them are needed");
  }
  field.grid.nx = extent(shape[rank - 1], input.file);
  field.grid.ny = extent(shape[rank - 2], input.file);
  std::uint64_t frames = 1;
  if (rank >= 3) {
    if (input.third_axis == "coupled") {
      field.grid.nz = extent(shape[rank - 3], input.file);
      if (rank == 4) frames = shape[0];
    } else {
      frames = shape[rank - 3] * (rank == 4 ? shape[0] : 1);
    }
  }
  field.frames = extent(frames, input.file);
}

std::string describe_site(const Field& field, std::size_t i) {
  const std::size_t nx = static_cast<std::size_t>(field.grid.nx), ny = static_cast<std::size_t>(field.grid.ny);
  const std::string images = field.sites() > static_cast<std::int64_t>(nx * ny) ? "image " + std::to_string(i / nx / ny) + ", " : "";
  return images + "row " + std::to_string(i / nx % ny) + ", column " + std::to_string(i % nx);
}

}  // namespace

std::int64_t Field::count(Site kind) const { return std::count(status.begin(), status.end(), static_cast<std::uint8_t>(kind)); }

Field read_field(const InputParameters& input) {
  Field field;
  Values read = read_values(input.file, input.dataset, input.band, &field);
  field.values = std::move(read.values);
  field.shape = std::move(read.shape);
  set_grid(field, input);
  for (double& v : field.values) {
    if (v == input.missing_value) v = kNan;
  }
  field.single = fits_single(field.values);
  field.status.resize(field.values.size());
  for (std::size_t i = 0; i < field.values.size(); ++i) field.status[i] = std::isnan(field.values[i]) ? kMissing : kSample;
  return field;
}

void apply_mask(Field& field, const MaskParameters& mask, Site kind) {
  if (mask.file.empty()) return;
  const Values read = read_values(mask.file, mask.dataset, 1, nullptr);
  const std::size_t size = read.values.size();
  const std::size_t image = static_cast<std::size_t>(field.grid.nx) * field.grid.ny, frame = static_cast<std::size_t>(field.grid.sites());
  const std::vector<std::uint64_t> shape = squeeze(read.shape);
  const bool same_rows = shape.size() >= 2 && shape.back() == static_cast<std::uint64_t>(field.grid.nx) &&
                         shape[shape.size() - 2] == static_cast<std::uint64_t>(field.grid.ny);
  if (!same_rows || (size != image && size != frame && size != field.values.size())) {
    throw Error(ErrorKind::input,
                std::string(kind == kInactive ? "the mask of inactive sites '" : "the mask '") + mask.file + "' has the shape " +
                    shape_text(read.shape) + ", the data " + shape_text(field.shape),
                "give a mask of the shape of the data, or of one image of them");
  }
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    const bool marked = read.values[i % size] != 0;
    if (marked != mask.inverted) field.status[i] = kind;
  }
  if (kind == kInactive && field.count(kInactive) == static_cast<std::int64_t>(field.values.size())) {
    throw Error(
        ErrorKind::input,
        "the mask of inactive sites '" + mask.file + "' leaves no site: all " + std::to_string(field.values.size()) + " are inactive",
        mask.inverted ? "leave out 'inverted', or give another mask"
                      : "give 'inverted: true' if zeros mark what is inactive, or another mask");
  }
}

void check_samples(const Field& field, const std::string& file) {
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    if (field.status[i] != kSample || std::isfinite(field.values[i])) continue;
    throw Error(ErrorKind::input, "'" + file + "' holds an infinite value (" + describe_site(field, i) + ")",
                "mark it as missing with input.mask or input.missing_value");
  }
}

void find_offsets(Field& field) {
  const std::size_t sites = static_cast<std::size_t>(field.grid.sites());
  field.offsets.clear();
  for (std::size_t first = 0; first < field.values.size(); first += sites) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = first; i < first + sites; ++i) {
      if (field.status[i] != kSample) continue;
      low = std::min(low, field.values[i]);
      high = std::max(high, field.values[i]);
    }
    field.offsets.push_back(low <= high ? low + 0.5 * (high - low) : 0);
  }
}

std::vector<std::string> dimension_names(const Field& field) {
  const std::size_t rank = field.shape.size();
  const std::vector<bool> kept = find_extended(field.shape);
  static const char* const kNames[] = {"x", "y", "z", "frame"};
  std::vector<std::string> names(rank);
  std::size_t number = 0;  // of the dimensions behind this one that are not of size one
  for (std::size_t d = rank; d-- > 0;) {
    const bool has_scale = d < field.scales.size() && !field.scales[d].empty();
    names[d] = has_scale ? std::filesystem::path(field.scales[d]).filename().string()
               : kept[d] ? kNames[std::min<std::size_t>(number, 3)]
                         : "axis_" + std::to_string(d);
    if (kept[d]) ++number;
  }
  return names;
}

void write_coordinates(const io::Group& coordinates, const Field& field) {
  const std::size_t rank = field.shape.size();
  const std::vector<std::string> names = dimension_names(field);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::string& name = names[d];
    if (d < field.scales.size() && !field.scales[d].empty()) {
      if (!coordinates.has(name)) io::copy_dataset(*field.source, field.scales[d], coordinates, name);
      continue;
    }
    std::vector<double> values(field.shape[d]);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double at = static_cast<double>(i);
      if (!field.raster) {
        values[i] = at;
      } else {
        const auto& t = field.raster->transform;
        values[i] = d + 1 == rank ? t[0] + (at + 0.5) * t[1] : t[3] + (at + 0.5) * t[5];
      }
    }
    coordinates.write(name, values,
                      {"1", field.raster ? "centres of the pixels in the raster's projection" : "number of the site along the axis"});
  }
  if (!field.raster) return;
  coordinates.set_attribute("projection", field.raster->projection);
  coordinates.write("geotransform", std::vector<double>(field.raster->transform.begin(), field.raster->transform.end()),
                    {"1", "x = t0 + column t1 + row t2, y = t3 + column t4 + row t5"});
}

void copy_field_attributes(const io::Group& results, const std::string& name, const Field& field) {
  if (!field.source) return;
  io::copy_attributes(*field.source, field.dataset, results, name,
                      {"units", "long_name", "_FillValue", "missing_value", "scale_factor", "add_offset", "coordinates"});
}

}  // namespace tessera::mpr
