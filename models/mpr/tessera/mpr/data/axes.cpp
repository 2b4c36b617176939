// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/axes.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "tessera/core/error.hpp"
#include "tessera/core/io/cf.hpp"
#include "tessera/core/io/netcdf.hpp"
#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/source.hpp"

namespace tessera::mpr {

namespace {

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return word == w; });
}

/// Returns a text in small letters, without what stands between words: "degreesnorth".
std::string plain(const std::string& text) {
  std::string kept;
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (letter >= 128 || std::isalnum(letter))
      kept += static_cast<char>(letter < 128 ? std::tolower(letter) : letter);
  }
  return kept;
}

/// Returns whether units are degrees towards a direction, however they are spelled:
/// "degrees_north", "Degrees North", "deg N", "°N".
bool is_degrees(const std::string& units, const std::string& direction) {
  const std::string text = plain(units);
  for (const char* degrees : {"degrees", "degree", "degs", "deg", "\xc2\xb0"}) {
    if (text == degrees + direction || text == degrees + direction.substr(0, 1)) return true;
  }
  return false;
}

bool is_time(const std::string& units) { return units.find(" since ") != std::string::npos; }

AxisKind kind_of_name(const std::string& name) {
  const std::string word = plain(name);
  if (is_one_of(word, {"lat", "latitude", "lats", "latitudes", "nlat", "rlat", "navlat"}))
    return AxisKind::latitude;
  if (is_one_of(word, {"lon", "longitude", "lons", "longitudes", "nlon", "rlon", "long", "lng",
                       "navlon"}))
    return AxisKind::longitude;
  if (is_one_of(word, {"y", "yc", "row", "rows", "northing", "nj"})) return AxisKind::y;
  if (is_one_of(word, {"x", "xc", "col", "cols", "column", "columns", "easting", "ni"}))
    return AxisKind::x;
  if (is_one_of(word, {"time", "t", "date", "day", "month", "year"})) return AxisKind::time;
  if (is_one_of(word,
                {"z", "lev", "level", "levels", "depth", "height", "altitude", "plev", "pressure"}))
    return AxisKind::vertical;
  return AxisKind::unknown;
}

bool is_row(AxisKind kind) { return kind == AxisKind::latitude || kind == AxisKind::y; }
bool is_column(AxisKind kind) { return kind == AxisKind::longitude || kind == AxisKind::x; }

/// The only dimension of a kind; the number of dimensions where there are none or several.
template <class Is>
std::size_t find_only(const std::vector<AxisKind>& kinds, const Is& is) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), is);
  const bool only = found != kinds.end() && std::find_if(found + 1, kinds.end(), is) == kinds.end();
  return only ? static_cast<std::size_t>(found - kinds.begin()) : kinds.size();
}

std::string text_of(const std::vector<io::Coordinate>& dimensions,
                    const std::vector<std::size_t>& order) {
  std::string text;
  for (const std::size_t d : order) text += (text.empty() ? "" : ",") + dimensions[d].name;
  return text;
}

}  // namespace

AxisKind declared_kind(const io::Coordinate& c) {
  if (is_degrees(c.units, "north")) return AxisKind::latitude;
  if (is_degrees(c.units, "east")) return AxisKind::longitude;
  if (is_one_of(c.standard_name, {"latitude", "grid_latitude"})) return AxisKind::latitude;
  if (is_one_of(c.standard_name, {"longitude", "grid_longitude"})) return AxisKind::longitude;
  if (is_one_of(c.standard_name, {"projection_y_coordinate", "projection_y_angular_coordinate"}))
    return AxisKind::y;
  if (is_one_of(c.standard_name, {"projection_x_coordinate", "projection_x_angular_coordinate"}))
    return AxisKind::x;
  if (c.standard_name == "time" || is_time(c.units)) return AxisKind::time;
  const std::string axis = plain(c.axis);
  return axis == "y"   ? AxisKind::y
         : axis == "x" ? AxisKind::x
         : axis == "z" ? AxisKind::vertical
         : axis == "t" ? AxisKind::time
                       : AxisKind::unknown;
}

AxisKind likely_kind(const io::Coordinate& c) {
  const AxisKind declared = declared_kind(c);
  return declared != AxisKind::unknown ? declared : kind_of_name(c.name);
}

std::vector<std::size_t> order_of_images(const std::vector<io::Coordinate>& dimensions) {
  std::vector<AxisKind> kinds;
  for (const io::Coordinate& c : dimensions) kinds.push_back(likely_kind(c));
  const std::size_t rows = find_only(kinds, is_row), columns = find_only(kinds, is_column);
  const bool known = rows < kinds.size() && columns < kinds.size();
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < kinds.size(); ++d) {
    if (!known || (d != rows && d != columns)) order.push_back(d);
  }
  if (known) order.insert(order.end(), {rows, columns});
  return order;
}

io::Coordinate describe_dimension(const Field& field, std::size_t d) {
  if (d < field.place.coordinates.size()) {
    const io::Coordinate& given = field.place.coordinates[d];
    return {given.name, given.units, given.standard_name, given.axis, {}};
  }
  io::Coordinate found;
  if (!field.source || d >= field.scales.size() || field.scales[d].empty()) return found;
  const std::string& path = field.scales[d];
  found.name = path.substr(path.find_last_of('/') + 1);
  if (io::is_bare_dimension(*field.source, path)) return found;
  found.units = io::text_attribute(*field.source, path, "units");
  found.standard_name = io::text_attribute(*field.source, path, "standard_name");
  found.axis = io::text_attribute(*field.source, path, "axis");
  return found;
}

std::vector<double> read_coordinate(const Field& field, std::size_t d) {
  if (d < field.place.coordinates.size()) return field.place.coordinates[d].values;
  if (!field.source || d >= field.scales.size() || field.scales[d].empty()) return {};
  const std::string& path = field.scales[d];
  if (io::is_bare_dimension(*field.source, path) || field.source->is_text(path)) return {};
  return io::read_values(*field.source, path);
}

io::GridMapping find_mapping(const Field& field) {
  if (!field.source) return field.place.mapping;
  io::GridMapping found;
  std::string variable = io::text_attribute(*field.source, field.dataset, "grid_mapping");
  if (variable.empty()) return found;
  variable = variable.substr(0, variable.find_first_of(": "));
  const std::string folder = field.dataset.substr(0, field.dataset.find_last_of('/') + 1);
  if (field.source->has(folder + variable)) variable = folder + variable;
  found.place = field.source->place(variable);
  if (!field.source->has(variable)) return found;
  found.name = io::text_attribute(*field.source, variable, "grid_mapping_name");
  found.well_known_text = io::text_attribute(*field.source, variable, "crs_wkt");
  if (found.well_known_text.empty())
    found.well_known_text = io::text_attribute(*field.source, variable, "spatial_ref");
  return found;
}

namespace {

/// Tells whether a coordinate of single sites is a latitude or a longitude: by what it says, else
/// by its name ("lat_rho", "XLONG", "nav_lat").
AxisKind kind_of_places(const io::Coordinate& c) {
  const AxisKind likely = likely_kind(c);
  if (likely == AxisKind::latitude || likely == AxisKind::longitude ||
      declared_kind(c) != AxisKind::unknown)
    return likely;
  const std::string name = plain(c.name);
  const auto begins_with = [&name](std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(),
                       [&name](const char* word) { return name.rfind(word, 0) == 0; });
  };
  if (begins_with({"lat", "geolat", "xlat", "tlat", "ulat"})) return AxisKind::latitude;
  if (begins_with({"lon", "geolon", "xlon", "tlon", "ulon"})) return AxisKind::longitude;
  return AxisKind::unknown;
}

/// Takes a coordinate, the first of its kind.
void take_places(const io::Coordinate& c, const std::string& place, PlacesOfSites& found) {
  const AxisKind kind = kind_of_places(c);
  if (kind == AxisKind::latitude && found.latitude.empty()) found.latitude = place;
  if (kind == AxisKind::longitude && found.longitude.empty()) found.longitude = place;
}

/// Returns whether a member of a file is a dataset of images with these rows and columns.
bool has_images(const io::Group& root, const std::string& path, std::uint64_t rows,
                std::uint64_t columns) {
  try {
    const std::vector<std::uint64_t> shape = squeeze(root.shape(path));
    return shape.size() >= 2 && shape[shape.size() - 2] == rows && shape.back() == columns &&
           !root.is_text(path);
  } catch (const Error&) {  // a group
    return false;
  }
}

}  // namespace

PlacesOfSites find_places_of_sites(const io::Group& root, const std::string& dataset,
                                   std::uint64_t rows, std::uint64_t columns) {
  constexpr std::size_t kMostMembers = 1000;
  PlacesOfSites found;
  if (rows < 2 || columns < 2) return found;
  const std::string self = dataset.starts_with('/') ? dataset : "/" + dataset,
                    folder = self.substr(0, self.rfind('/') + 1);
  const auto take = [&](const std::string& path) {
    if (path == self || !has_images(root, path, rows, columns)) return;
    io::Coordinate about;
    about.name = path.substr(path.rfind('/') + 1);
    about.units = io::text_attribute(root, path, "units");
    about.standard_name = io::text_attribute(root, path, "standard_name");
    take_places(about, path, found);
  };
  for (const std::string& path : io::related_variables(root, dataset)) take(path);
  if (found.are_known()) return found;
  found = {};
  const std::vector<std::string> members =
      folder == "/" ? root.names() : root.group(folder.substr(1, folder.size() - 2)).names();
  for (std::size_t i = 0; i < std::min(members.size(), kMostMembers); ++i)
    take(folder + members[i]);
  return found;
}

PlacesOfSites find_places_of_sites(const Field& field) {
  if (field.source) {
    return find_places_of_sites(*field.source, field.dataset,
                                static_cast<std::uint64_t>(field.grid.ny),
                                static_cast<std::uint64_t>(field.grid.nx));
  }
  PlacesOfSites found;
  for (const io::Coordinate& c : field.place.of_sites) take_places(c, c.name, found);
  return found;
}

void check_order(const Field& field) {
  if (field.raster) return;
  const std::vector<bool> kept = find_extended(field.shape);
  std::vector<io::Coordinate> dimensions;
  for (std::size_t d = 0; d < field.shape.size(); ++d) {
    if (kept[d]) dimensions.push_back(describe_dimension(field, d));
  }
  const std::vector<std::size_t> order = order_of_images(dimensions);
  if (dimensions.size() < 3 || order.size() != dimensions.size()) return;
  const std::size_t last = dimensions.size() - 1;
  const std::size_t rows = order[last - 1], columns = order[last];
  if (rows + 1 >= last && columns + 1 >= last) return;  // the other way round is an image too
  std::vector<std::size_t> as_they_are;
  for (std::size_t d = 0; d <= last; ++d) as_they_are.push_back(d);
  const std::string better = text_of(dimensions, order);
  throw Error(ErrorKind::input,
              "the dimensions of '" +
                  (field.source ? field.source->place(field.dataset) : field.name) + "' are (" +
                  text_of(dimensions, as_they_are) + "): its images would have rows along '" +
                  dimensions[last - 1].name + "' and columns along '" + dimensions[last].name + "'",
              "bring rows and columns to the end: ncpdq -a " + better +
                  " of the netCDF operators writes such a file; tessera.mpr.fill of Python takes "
                  "an xarray array as it is");
}

}  // namespace tessera::mpr
