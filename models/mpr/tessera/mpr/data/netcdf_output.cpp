// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/netcdf_output.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "tessera/core/error.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/io/files_read.hpp"
#include "tessera/core/io/netcdf.hpp"
#include "tessera/core/io/pieces.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/mpr/data/coordinate_system.hpp"
#include "tessera/mpr/data/coordinates.hpp"

namespace tessera::mpr {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Writes one file.
class NetcdfWriter {
 public:
  NetcdfWriter(const io::Group& root, const Field& field)
      : m_root(root), m_field(field), m_dimensions(dimension_names(field)) {}

  void write_coordinates();
  void write_field(const ResultMap& map, const io::Packing* packing);
  void write_map(const ResultMap& map, const std::string& name, const std::string& modifier);
  void write_status(const std::string& name);
  void write_ensemble(const Predictions& predictions, const std::string& name);
  void finish() { io::number_dimensions(m_root, m_written); }

 private:
  void copy_scale(const std::string& path);
  void copy_variable(const std::string& path);
  std::string name_dimension(const std::string& path, std::size_t d);
  void write_raster_coordinates();
  void write_values(const std::string& name, const io::Shape& shape, bool single,
                    const PieceOfMap& values);
  void write_packed(const ResultMap& map, const io::Packing& packing);
  template <class T>
  void write_packed_as(const ResultMap& map, const io::Packing& packing);
  /// Writes the attributes by which every variable of the field's shape says where it stands.
  void place(const std::string& name);
  void write_text(const std::string& on, const std::string& name, const std::string& text) {
    io::write_text_attribute(m_root, on, name, text);
  }

  io::Group m_root;
  const Field& m_field;
  std::vector<std::string> m_dimensions;
  std::vector<std::string> m_written;  // dimensions
};

void NetcdfWriter::copy_scale(const std::string& path) {
  const std::string name = last_name(path);
  if (m_root.has(name)) return;
  if (io::is_bare_dimension(*m_field.source, path)) {
    io::write_bare_dimension(m_root, name, m_field.source->shape(path)[0]);
  } else {
    io::copy_dataset(*m_field.source, path, m_root, name);
    io::make_scale(m_root, name);
  }
  m_written.push_back(name);
}

void NetcdfWriter::copy_variable(const std::string& path) {
  const std::string name = last_name(path);
  if (m_root.has(name)) return;
  // a variable over a dimension of its own name
  if (io::is_scale(*m_field.source, path)) return copy_scale(path);
  const std::vector<std::string> scales = io::dimension_scales(*m_field.source, path);
  std::vector<std::string> dimensions;
  for (std::size_t d = 0; d < scales.size(); ++d) {
    if (!scales[d].empty()) copy_scale(scales[d]);
    dimensions.push_back(scales[d].empty() ? name_dimension(path, d) : last_name(scales[d]));
  }
  if (m_root.has(name)) return;
  io::copy_dataset(*m_field.source, path, m_root, name);
  io::attach_scales(m_root, name, m_root, dimensions);
}

/// A dimension of a variable that is none of NetCDF, such as one of an HDF5 file.
std::string NetcdfWriter::name_dimension(const std::string& path, std::size_t d) {
  const std::string name = last_name(path) + "_axis_" + std::to_string(d);
  if (m_root.has(name)) return name;
  io::write_bare_dimension(m_root, name, m_field.source->shape(path)[d]);
  m_written.push_back(name);
  return name;
}

/// Coordinates of the centres of the pixels, and the projection.
void NetcdfWriter::write_raster_coordinates() {
  const io::Raster& raster = *m_field.raster;
  const auto& t = raster.transform;
  const bool turned = t[2] != 0 || t[4] != 0;
  for (std::size_t d = 0; d < m_dimensions.size(); ++d) {
    const std::string& name = m_dimensions[d];
    const bool is_x = d + 1 == m_dimensions.size(), is_y = d + 2 == m_dimensions.size();
    if (turned || (!is_x && !is_y)) {
      io::write_bare_dimension(m_root, name, m_field.shape[d]);
    } else {
      io::write_pieces<double>(m_root, name, {m_field.shape[d]},
                               [&](std::uint64_t first, std::uint64_t count, double* values) {
                                 for (std::uint64_t i = 0; i < count; ++i)
                                   values[i] = (is_x ? t[0] : t[3]) +
                                               (static_cast<double>(first + i) + 0.5) *
                                                   (is_x ? t[1] : t[5]);
                               });
      const bool geographic = is_geographic_system(horizontal_system(raster.projection));
      write_text(name, "axis", is_x ? "X" : "Y");
      if (geographic) {
        write_text(name, "standard_name", is_x ? "longitude" : "latitude");
        write_text(name, "units", is_x ? "degrees_east" : "degrees_north");
      } else if (!raster.projection.empty()) {
        write_text(name, "standard_name",
                   is_x ? "projection_x_coordinate" : "projection_y_coordinate");
      }
      io::make_scale(m_root, name);
    }
    m_written.push_back(name);
  }
  if (raster.projection.empty()) return;
  io::write_pieces<std::int32_t>(
      m_root, "crs", {}, [](std::uint64_t, std::uint64_t, std::int32_t* value) { *value = 0; });
  write_text("crs", "crs_wkt", raster.projection);
  write_text("crs", "spatial_ref", raster.projection);
  std::string transform;
  for (const double number : t) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g ", number);
    transform += text;
  }
  transform.pop_back();
  write_text("crs", "GeoTransform", transform);
}

void NetcdfWriter::write_coordinates() {
  if (m_field.raster) return write_raster_coordinates();
  for (std::size_t d = 0; d < m_dimensions.size(); ++d) {
    if (m_field.source && d < m_field.scales.size() && !m_field.scales[d].empty()) {
      copy_scale(m_field.scales[d]);
    } else if (!m_root.has(m_dimensions[d])) {
      io::write_bare_dimension(m_root, m_dimensions[d], m_field.shape[d]);
      m_written.push_back(m_dimensions[d]);
    }
  }
  if (!m_field.source) return;
  for (const std::string& path : io::related_variables(*m_field.source, m_field.dataset))
    copy_variable(path);
}

void NetcdfWriter::place(const std::string& name) {
  if (m_field.source) {
    for (const char* attribute : {"coordinates", "grid_mapping"}) {
      if (m_field.source->has_attribute(attribute, m_field.dataset))
        write_text(name, attribute,
                   m_field.source->attribute<std::string>(attribute, m_field.dataset));
    }
  } else if (m_root.has("crs")) {
    write_text(name, "grid_mapping", "crs");
  }
}

void NetcdfWriter::write_values(const std::string& name, const io::Shape& shape, bool single,
                                const PieceOfMap& values) {
  if (!single) {
    io::write_pieces<double>(m_root, name, shape, values);
  } else {
    std::vector<double> wide;
    io::write_pieces<float>(m_root, name, shape,
                            [&](std::uint64_t first, std::uint64_t count, float* narrow) {
                              wide.resize(count);
                              values(first, count, wide.data());
                              std::copy(wide.begin(), wide.end(), narrow);
                            });
  }
  io::write_fill_value(m_root, name, kNan);
}

template <class T>
void NetcdfWriter::write_packed_as(const ResultMap& map, const io::Packing& packing) {
  std::vector<double> wide;
  std::map<std::uint64_t, std::int64_t> clipped_of;  // pieces may be asked for twice
  io::write_pieces<T>(m_root, m_field.name, m_field.shape,
                      [&](std::uint64_t first, std::uint64_t count, T* numbers) {
                        wide.resize(count);
                        map.values(first, count, wide.data());
                        std::int64_t& of_piece = clipped_of[first] = 0;
                        for (std::uint64_t i = 0; i < count; ++i) {
                          bool clipped = false;
                          numbers[i] = static_cast<T>(packing.encode(wide[i], clipped));
                          if (clipped) ++of_piece;
                        }
                      });
  std::int64_t clipped = 0;
  for (const auto& [first, count] : clipped_of) clipped += count;
  if (clipped > 0) {
    logging::warning("'" + m_root.place(m_field.name) + "': " + std::to_string(clipped) +
                     " values lie outside of what the packing of the source holds, and stand as "
                     "its nearest end");
  }
}

void NetcdfWriter::write_packed(const ResultMap& map, const io::Packing& packing) {
  const std::string& type = packing.type;
  if (type == "int8") return write_packed_as<std::int8_t>(map, packing);
  if (type == "uint8") return write_packed_as<std::uint8_t>(map, packing);
  if (type == "int16") return write_packed_as<std::int16_t>(map, packing);
  if (type == "uint16") return write_packed_as<std::uint16_t>(map, packing);
  if (type == "int32") return write_packed_as<std::int32_t>(map, packing);
  if (type == "uint32") return write_packed_as<std::uint32_t>(map, packing);
  if (type == "int64") return write_packed_as<std::int64_t>(map, packing);
  if (type == "uint64") return write_packed_as<std::uint64_t>(map, packing);
  if (type == "float32") return write_packed_as<float>(map, packing);
  return write_packed_as<double>(map, packing);
}

void NetcdfWriter::write_field(const ResultMap& map, const io::Packing* packing) {
  const std::string& name = m_field.name;
  if (packing != nullptr) {
    write_packed(map, *packing);
    if (!packing->missing.empty()) io::write_fill_value(m_root, name, packing->missing.front());
  } else {
    write_values(name, m_field.shape, map.single, map.values);
  }
  io::attach_scales(m_root, name, m_root, m_dimensions);
  write_text(name, "long_name", m_field.long_name.empty() ? name : m_field.long_name);
  write_text(name, "units", m_field.units);
  place(name);
  if (m_field.source) {
    for (const char* own : {"long_name", "units"}) {
      if (!m_field.source->has_attribute(own, m_field.dataset))
        io::remove_attribute(m_root, name, own);
    }
    std::vector<std::string> except{"ancillary_variables"};
    if (packing == nullptr) {
      except.insert(except.end(), {"_FillValue", "missing_value", "scale_factor", "add_offset",
                                   "valid_min", "valid_max", "valid_range", "_Unsigned"});
    } else if (packing->has_fill) {
      except.push_back("_FillValue");
    }
    io::copy_attributes(*m_field.source, m_field.dataset, m_root, name, except);
  }
  write_text(name, "ancillary_variables", name + "_standard_deviation " + name + "_status");
}

void NetcdfWriter::write_map(const ResultMap& map, const std::string& name,
                             const std::string& modifier) {
  write_values(name, m_field.shape, map.single, map.values);
  io::attach_scales(m_root, name, m_root, m_dimensions);
  write_text(name, "long_name", map.attributes.long_name);
  write_text(name, "units", map.attributes.units);
  if (!modifier.empty() && m_field.source &&
      m_field.source->has_attribute("standard_name", m_field.dataset))
    write_text(
        name, "standard_name",
        m_field.source->attribute<std::string>("standard_name", m_field.dataset) + " " + modifier);
  place(name);
}

void NetcdfWriter::write_status(const std::string& name) {
  std::vector<double> known;
  std::vector<std::uint8_t> status;
  io::write_pieces<std::int8_t>(m_root, name, m_field.shape,
                                [&](std::uint64_t first, std::uint64_t count, std::int8_t* values) {
                                  known.resize(count);
                                  status.resize(count);
                                  m_field.read_sites(first, count, known.data(), status.data());
                                  std::copy(status.begin(), status.end(), values);
                                });
  io::attach_scales(m_root, name, m_root, m_dimensions);
  write_text(name, "long_name", "what was known of each value");
  io::write_bytes_attribute(m_root, name, "flag_values", {kInactive, kSample, kMissing});
  write_text(name, "flag_meanings", "inactive sample filled");
  if (m_field.source && m_field.source->has_attribute("standard_name", m_field.dataset))
    write_text(
        name, "standard_name",
        m_field.source->attribute<std::string>("standard_name", m_field.dataset) + " status_flag");
  place(name);
}

void NetcdfWriter::write_ensemble(const Predictions& predictions, const std::string& name) {
  const std::size_t members = predictions.members;
  io::write_bare_dimension(m_root, "member", members);
  m_written.push_back("member");
  io::Shape shape = m_field.shape;
  shape.insert(shape.begin(), members);
  std::vector<std::string> dimensions = m_dimensions;
  dimensions.insert(dimensions.begin(), "member");
  const ResultMap map = make_ensemble_map(m_field, predictions);
  write_values(name, shape, map.single, map.values);
  io::attach_scales(m_root, name, m_root, dimensions);
  write_text(name, "long_name", map.attributes.long_name);
  write_text(name, "units", map.attributes.units);
  place(name);
}

/// Names of variables are letters, digits and underscores: "quantile_0p05".
std::string plain_name(std::string name) {
  std::replace(name.begin(), name.end(), '.', 'p');
  std::replace(name.begin(), name.end(), '-', 'm');
  return name;
}

/// The fill value of a type where the source has none of its own: netCDF's, but for floating point,
/// which has NaN, and for 64 bits, of which double precision holds fewer.
double own_fill(const std::string& type) {
  if (type == "int64") return -9007199254740992.0;
  if (type == "uint64") return 9007199254740992.0;
  return type[0] == 'f' ? kNan : io::default_fill(type);
}

}  // namespace

void write_netcdf(const Field& field, const Predictions& predictions,
                  const OutputParameters& output) {
  if (output.netcdf.empty()) return;
  io::check_not_read(output.netcdf);
  io::File file = io::File::create(output.netcdf, io::File::Role::netcdf);
  {
    const io::Group root = file.root();
    if (field.source) io::copy_group_attributes(*field.source, root);
    io::write_text_attribute(root, "", "Conventions", "CF-1.8");
    NetcdfWriter writer(root, field);
    writer.write_coordinates();
    io::Packing packing = field.packing;
    const bool packed = output.packed && field.source;
    const bool has_own =
        !packing.missing.empty() &&
        !(packing.missing.size() == 1 && packing.missing[0] == io::default_fill(packing.type));
    if (packed && !has_own) packing.missing.insert(packing.missing.begin(), own_fill(packing.type));
    for (const ResultMap& map : make_result_maps(field, predictions, output)) {
      if (map.name == "filled") {
        writer.write_field(map, packed ? &packing : nullptr);
      } else if (map.name == "std") {
        writer.write_map(map, field.name + "_standard_deviation", "standard_error");
      } else if (map.name != "mean") {  // that of the filled field
        writer.write_map(map, plain_name(field.name + "_" + map.name), "");
      }
    }
    writer.write_status(field.name + "_status");
    if (predictions.members > 0) writer.write_ensemble(predictions, field.name + "_ensemble");
    writer.finish();
  }
  file.commit();
}

}  // namespace tessera::mpr
