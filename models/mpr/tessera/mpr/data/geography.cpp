// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/geography.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <utility>

#include "tessera/core/error.hpp"
#include "tessera/mpr/data/axes.hpp"
#include "tessera/mpr/data/coordinate_system.hpp"
#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/source.hpp"

namespace tessera::mpr {

namespace {

/// The largest ratio of lengths between neighbours along different axes, and of steps along one;
/// couplings go with their squares.
constexpr double kMostUneven = 1000;

enum class Quantity { none, latitude, longitude, length, other };

/// The coordinate of a dimension.
struct Axis {
  Quantity quantity = Quantity::none;
  std::vector<double> values;
  std::string place;  ///< file and variable, for messages
  std::string name;
  AxisKind likely = AxisKind::unknown;  ///< by its name, where it says nothing else
  bool may_be_degrees = false;          ///< it has no units, or degrees or radians of nothing
  double metres = 1;                    ///< of a unit of length
};

[[noreturn]] void refuse(const std::string& what, const std::string& remedy) {
  throw Error(ErrorKind::input, what, remedy);
}

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.7g", value);
  return buffer;
}

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return word == w; });
}

bool are_radians(const std::string& units) {
  return is_one_of(units, {"rad", "radian", "radians", "Radians"});
}

/// The metres of a unit of length; 0: it is none.
double metres_of(const std::string& units) {
  std::string word;
  for (const char c : units) {
    if (c != ' ') word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (is_one_of(word, {"m", "metre", "metres", "meter", "meters"})) return 1;
  return is_one_of(word, {"km", "kilometre", "kilometres", "kilometer", "kilometers"}) ? 1000 : 0;
}

Quantity quantity_of(const io::Coordinate& about) {
  const AxisKind kind = declared_kind(about);
  if (kind == AxisKind::latitude) return Quantity::latitude;
  if (kind == AxisKind::longitude) return Quantity::longitude;
  return metres_of(about.units) > 0 ? Quantity::length : Quantity::other;
}

/// The numbers of the dimensions of layers, rows and columns, from the last.
std::vector<std::size_t> find_axes(const Field& field) {
  const std::vector<bool> kept = find_extended(field.shape);
  std::vector<std::size_t> axes;
  for (std::size_t d = field.shape.size(); d-- > 0;) {
    if (kept[d]) axes.push_back(d);
  }
  return axes;
}

/// The coordinate of the dimension number `from_last` (0: columns, 1: rows, 2: layers) of a NetCDF
/// or HDF5 file or of an array.
Axis read_axis(const Field& field, std::size_t from_last) {
  Axis axis;
  const std::vector<std::size_t> axes = find_axes(field);
  if (from_last >= axes.size()) return axis;
  const std::size_t d = axes[from_last];
  const io::Coordinate about = describe_dimension(field, d);
  axis.name = about.name;
  axis.likely = likely_kind(about);
  axis.may_be_degrees = about.units.empty() || are_radians(about.units) ||
                        is_one_of(about.units, {"1", "deg", "degree", "degrees", "Degrees"});
  axis.values = read_coordinate(field, d);
  if (are_radians(about.units) &&
      (axis.likely == AxisKind::latitude || axis.likely == AxisKind::longitude)) {
    for (double& value : axis.values) value *= 180 / std::acos(-1.0);
  }
  if (axis.values.empty()) return axis;
  const bool is_in_file = d < field.scales.size() && !field.scales[d].empty();
  const std::string path = is_in_file ? field.scales[d] : about.name;
  axis.place = is_in_file ? field.source->place(path.front() == '/' ? path.substr(1) : path) : path;
  if (metres_of(about.units) > 0) axis.metres = metres_of(about.units);
  if (axis.values.size() == field.shape[d]) axis.quantity = quantity_of(about);
  return axis;
}

/// Steps between neighbours, all of one sign or Error (input). `full_turn`: where steps of more
/// than half of it go the other way; 0: none.
std::vector<double> steps_of(const Axis& axis, double full_turn) {
  std::vector<double> steps;
  for (std::size_t i = 0; i + 1 < axis.values.size(); ++i) {
    double step = axis.values[i + 1] - axis.values[i];
    if (full_turn > 0) step = std::remainder(step, full_turn);
    if (!std::isfinite(axis.values[i]) || !std::isfinite(axis.values[i + 1]))
      refuse("'" + axis.place + "' holds no value at number " +
                 std::to_string(std::isfinite(axis.values[i]) ? i + 2 : i + 1),
             "give each row and column a coordinate, or grid.metric: pixels");
    if (!std::isfinite(step) || step == 0 ||
        (!steps.empty() && (step > 0) != (steps.front() > 0))) {
      refuse("'" + axis.place + "' does not rise or fall throughout: number " +
                 std::to_string(i + 2) + " is " + text(axis.values[i + 1]) + " after " +
                 text(axis.values[i]),
             "bring rows and columns into order, or give grid.metric: pixels");
    }
    steps.push_back(step);
  }
  for (double& step : steps) step = std::fabs(step);
  return steps;
}

double mean_of(const std::vector<double>& steps) {
  double sum = 0;
  for (const double step : steps) sum += step;
  return steps.empty() ? 0 : sum / static_cast<double>(steps.size());
}

/// The step of columns, which must be even.
double even_step(const Axis& axis, double full_turn) {
  const std::vector<double> steps = steps_of(axis, full_turn);
  const double mean = mean_of(steps);
  std::vector<double> sorted = steps;
  std::sort(sorted.begin(), sorted.end());
  const double usual = sorted[sorted.size() / 2];
  double largest = 0;
  for (const double value : axis.values) largest = std::max(largest, std::fabs(value));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    // The second term allows for numbers rounded to single precision.
    if (std::fabs(steps[i] - usual) <= 0.01 * usual + 4e-7 * largest) continue;
    refuse("'" + axis.place + "' has uneven steps: " + text(steps[i]) + " from number " +
               std::to_string(i + 1) + " on, " + text(usual) + " elsewhere",
           "interpolate to even columns, or give grid.metric: pixels");
  }
  return mean;
}

/// Throws Error (input) for a step that is much longer or shorter than another length, which `of`
/// describes.
void check_ratios(const Axis& axis, const std::vector<double>& steps, double other,
                  const std::string& of) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double ratio = steps[i] / other;
    if (ratio <= kMostUneven * (1 + 1e-9) && ratio * kMostUneven >= 1 - 1e-9) continue;
    refuse("the step of '" + axis.place + "' from number " + std::to_string(i + 1) +
               " to the next is " + text(steps[i]) + ", " + text(ratio > 1 ? ratio : 1 / ratio) +
               " times " + (ratio > 1 ? "longer" : "shorter") + " than " + of + " (" + text(other) +
               "): the model knows ratios up to " + text(kMostUneven),
           "check the numbers and their units, or give grid.metric: pixels");
  }
}

/// Checks the steps of rows against those of columns, which are narrower towards the poles.
void check_shape(const Axis& rows, const Axis& columns, bool is_sphere) {
  std::vector<double> steps = steps_of(rows, 0);
  for (double& step : steps) step *= rows.metres;
  double width = columns.metres * even_step(columns, is_sphere ? 360 : 0);
  if (is_sphere)
    width *= std::max(0.1, std::cos(std::acos(-1.0) / 180 * rows.values[rows.values.size() / 2]));
  check_ratios(rows, steps, width, "that of '" + columns.place + "' there");
}

Metric geographic_metric(const Axis& rows, const Axis& columns) {
  steps_of(rows, 0);
  for (const double latitude : rows.values) {
    if (!(std::fabs(latitude) <= 90 + 1e-4))
      refuse("'" + rows.place + "' holds a latitude of " + text(latitude),
             "give degrees from -90 to 90");
  }
  check_shape(rows, columns, true);
  std::vector<double> latitudes = rows.values;
  for (double& latitude : latitudes) latitude = std::clamp(latitude, -90.0, 90.0);
  return metric_of_latitudes(latitudes, even_step(columns, 360));
}

/// Cells of rows with these heights, all of one width.
Metric projected_metric(const Axis& rows, const Axis& columns) {
  check_shape(rows, columns, false);
  const double width = columns.metres * even_step(columns, 0);
  std::vector<double> distance = steps_of(rows, 0);
  for (double& step : distance) step *= rows.metres;
  std::vector<double> height;
  for (std::size_t r = 0; r < rows.values.size(); ++r) {
    const double before = distance[r > 0 ? r - 1 : 0],
                 after = distance[std::min(r, distance.size() - 1)];
    height.push_back(0.5 * (before + after));
  }
  return metric_of_rows(std::vector<double>(height.size(), width), height,
                        std::vector<double>(distance.size(), width), distance);
}

/// Why the projection of an array is none of constant scale; empty where it is one, as far as is
/// said.
std::string unknown_projection(const Field& field) {
  const io::GridMapping mapping = find_mapping(field);
  if (mapping.place.empty()) return "";
  const std::string variable = field.source ? field.dataset : field.name;
  const std::string system = horizontal_system(mapping.well_known_text);
  const std::string mercator =
      "'" + mapping.place + "' is a Mercator projection, whose scale changes from row to row";
  if (mapping.name.empty() && !is_projected_system(system))
    return "'" + mapping.place + "', the grid mapping of '" + variable +
           "', has no grid_mapping_name";
  if (mapping.name.empty()) return is_mercator_system(system) ? mercator : "";
  return mapping.name.find("mercator") != std::string::npos && mapping.name != "transverse_mercator"
             ? mercator
             : "";
}

/// A raster's columns and rows as coordinates: centres of its pixels.
std::array<Axis, 2> axes_of(const io::Raster& raster, Quantity of_columns, Quantity of_rows) {
  std::array<Axis, 2> axes;
  const auto& t = raster.transform;
  for (int c = 0; c < raster.nx; ++c) axes[0].values.push_back(t[0] + (c + 0.5) * t[1]);
  for (int r = 0; r < raster.ny; ++r) axes[1].values.push_back(t[3] + (r + 0.5) * t[5]);
  axes[0].quantity = of_columns;
  axes[1].quantity = of_rows;
  for (Axis& axis : axes) {
    axis.place = raster.path;
    axis.metres = metres_of_unit(horizontal_system(raster.projection));
  }
  return axes;
}

/// The meaning of rows and columns; `why` tells why that is not known.
struct Coordinates {
  Axis columns, rows;
  std::string why;
  std::string doubt = {};  ///< where they look like something all the same
};

Coordinates coordinates_of(const io::Raster& raster, const std::string& wanted) {
  Coordinates found;
  const std::string wkt = horizontal_system(raster.projection);
  const auto& t = raster.transform;
  const bool turned = t[2] != 0 || t[4] != 0, mercator = is_mercator_system(wkt);
  const auto take = [&](Quantity of_columns, Quantity of_rows) {
    const auto axes = axes_of(raster, of_columns, of_rows);
    found = {axes[0], axes[1], ""};
  };
  const bool known = wkt.empty() || is_geographic_system(wkt) || is_projected_system(wkt);
  if (turned) {
    found.why = wkt.empty() ? "'" + raster.path + "' names no coordinate system"
                            : "rows and columns of '" + raster.path +
                                  "' do not run along the axes of its coordinate system";
  } else if (is_geographic_system(wkt) || (!known && wanted == "geographic")) {
    take(Quantity::longitude, Quantity::latitude);
  } else if ((is_projected_system(wkt) && !mercator) || (!known && wanted == "projected")) {
    take(Quantity::length, Quantity::length);
  } else if (wkt.empty()) {
    found.why = "'" + raster.path + "' names no coordinate system";
  } else {
    found.why = "the coordinate system of '" + raster.path + "' is not understood: '" +
                wkt.substr(0, wkt.find_first_of(',')) + ", ...'" +
                (mercator ? ", a Mercator projection, whose scale changes from row to row" : "");
  }
  return found;
}

bool are_within(const std::vector<double>& values, double least, double most) {
  return !values.empty() && std::all_of(values.begin(), values.end(),
                                        [&](double x) { return x >= least && x <= most; });
}

/// Coordinates that say nothing of what they are: by the projection that goes with them, or as the
/// input wants them.
void take_for(const Field& field, const std::string& wanted, Coordinates& at) {
  if (at.rows.quantity != Quantity::other || at.columns.quantity != Quantity::other) return;
  const std::string system = horizontal_system(find_mapping(field).well_known_text);
  const bool are_axes = at.rows.likely == AxisKind::y && at.columns.likely == AxisKind::x;
  const bool may_be = at.rows.may_be_degrees && at.columns.may_be_degrees;
  if ((wanted == "geographic" && may_be) || (are_axes && is_geographic_system(system))) {
    at.rows.quantity = Quantity::latitude;
    at.columns.quantity = Quantity::longitude;
  } else if (wanted == "projected" || (are_axes && is_projected_system(system))) {
    at.rows.quantity = at.columns.quantity = Quantity::length;
    at.rows.metres = at.columns.metres = system.empty() ? 1 : metres_of_unit(system);
  }
}

/// Describes what coordinates that are not understood look like, with the way out.
std::string doubt_of(const Coordinates& at) {
  const auto is_latitude = [](const Axis& axis) {
    return axis.quantity == Quantity::latitude || axis.likely == AxisKind::latitude;
  };
  const auto is_longitude = [](const Axis& axis) {
    return axis.quantity == Quantity::longitude || axis.likely == AxisKind::longitude;
  };
  if (is_longitude(at.rows) && is_latitude(at.columns)) {
    return "rows are longitudes ('" + at.rows.name + "') and columns latitudes ('" +
           at.columns.name +
           "'): cells are taken for squares\n  remedy: bring the dimensions into the order "
           "latitude, longitude, or give grid.metric: pixels";
  }
  if (!is_latitude(at.rows) || !is_longitude(at.columns) || !are_within(at.rows.values, -90, 90) ||
      !are_within(at.columns.values, -360, 360))
    return "";
  return "'" + at.rows.place + "' and '" + at.columns.place +
         "' look like latitudes and longitudes, but their units do not say so: cells are taken for "
         "squares\n  remedy: give grid.metric: geographic, or pixels where they are none";
}

/// Returns whether rows and columns have coordinates of their own that say where they are, or look
/// as if they did.
bool tell_places(const Coordinates& at) {
  const auto is_latitude = [](const Axis& axis) {
    return axis.quantity == Quantity::latitude || axis.likely == AxisKind::latitude;
  };
  const auto is_longitude = [](const Axis& axis) {
    return axis.quantity == Quantity::longitude || axis.likely == AxisKind::longitude;
  };
  if (at.rows.quantity == Quantity::none || at.columns.quantity == Quantity::none) return false;
  return (at.rows.quantity == Quantity::length && at.columns.quantity == Quantity::length) ||
         (is_latitude(at.rows) && is_longitude(at.columns)) ||
         (is_longitude(at.rows) && is_latitude(at.columns));
}

/// Describes the coordinates of sites whose latitudes and longitudes do not follow rows and
/// columns.
Coordinates curvilinear(const Field& field, const std::string& variable, const PlacesOfSites& sites,
                        Coordinates found) {
  const auto place = [&](const std::string& path) {
    return field.source ? field.source->place(path.substr(1)) : path;
  };
  found.why = "the places of the sites of '" + variable +
              "' are curvilinear: each site has its own latitude in '" + place(sites.latitude) +
              "' and longitude in '" + place(sites.longitude) + "', which are not used";
  found.doubt =
      found.why +
      "; the fill works on the lattice of pixels, as if all neighbours were equally far apart\n  "
      "remedy: give grid.metric: pixels where that is meant, or interpolate to rows of one "
      "latitude and columns of one longitude, or give rows and columns coordinates in m";
  return found;
}

Coordinates coordinates_of(const Field& field, const std::string& wanted) {
  if (field.raster) return coordinates_of(*field.raster, wanted);
  Coordinates found{read_axis(field, 0), read_axis(field, 1), ""};
  take_for(field, "auto", found);
  const std::string variable = field.source ? field.source->place(field.dataset) : field.name;
  if (wanted != "projected" && !tell_places(found)) {
    const PlacesOfSites sites = find_places_of_sites(field);
    if (sites.are_known()) return curvilinear(field, variable, sites, std::move(found));
  }
  take_for(field, wanted, found);
  if (found.columns.quantity == Quantity::none || found.rows.quantity == Quantity::none) {
    found.why = "'" + variable + "' has no coordinates of its rows and columns";
  } else if (found.columns.quantity == Quantity::length &&
             found.rows.quantity == Quantity::length) {
    found.why = unknown_projection(field);
  } else if (found.columns.quantity != Quantity::longitude ||
             found.rows.quantity != Quantity::latitude) {
    found.why = "the coordinates of '" + variable + "', '" + found.rows.place + "' and '" +
                found.columns.place +
                "', are neither latitude and longitude (units degrees_north, degrees_east) nor "
                "lengths (m, km)";
    found.doubt = doubt_of(found);
  }
  return found;
}

/// Throws Error (input) unless the last column is next to the first.
void check_round(const Coordinates& at, const std::vector<std::string>& names, int columns) {
  const std::string& name = names.front();
  if (names.size() > 1)
    refuse("grid.periodic names " + std::to_string(names.size()) + " dimensions",
           "columns alone may go round");
  const bool is_longitude = at.columns.quantity == Quantity::longitude;
  if (columns < 3)
    refuse("columns cannot go round: there are " + std::to_string(columns),
           "leave grid.periodic out");
  if (!is_one_of(name, {"x", "lon", "longitude"}) && name != at.columns.name) {
    refuse("grid.periodic names '" + name + "', which is not the dimension of the columns" +
               (at.columns.name.empty() ? "" : " ('" + at.columns.name + "')"),
           "name that one, or x");
  }
  if (!is_longitude && is_one_of(name, {"lon", "longitude"}))
    refuse(at.why.empty() ? "'" + at.columns.place + "' holds no longitudes"
                          : at.why + ", so there are no longitudes that go round",
           "give grid.periodic: [x] where the columns go round all the same");
  if (!is_longitude) return;
  const double step = even_step(at.columns, 360), round = step * columns;
  if (std::fabs(round - 360) <= 0.1 * step) return;
  refuse("the longitudes '" + at.columns.place + "' do not go round: " + std::to_string(columns) +
             " columns of " + text(step) + " degrees are " + text(round) + " degrees",
         std::fabs(round - step - 360) <= 0.1 * step
             ? "leave out the last column, which repeats the first"
             : "leave grid.periodic out");
}

}  // namespace

namespace {

/// The sizes of cells and steps that coordinates tell.
Geography measure_cells(const Field& field, const Coordinates& at, const std::string& wanted) {
  Geography found;
  found.kind = !at.why.empty()                          ? "pixels"
               : at.rows.quantity == Quantity::latitude ? "geographic"
                                                        : "projected";
  found.why = at.why;
  if (wanted != "auto" && wanted != found.kind) {
    refuse(!at.why.empty() ? at.why : "the coordinates '" + at.rows.place + "' are " + found.kind,
           at.why.empty() ? "give grid.metric: " + found.kind
                          : "give grid.metric: pixels, or coordinates");
  }
  const bool large = field.grid.nx > 1 && field.grid.ny > 1;
  if (found.kind == "geographic" && large) found.metric = geographic_metric(at.rows, at.columns);
  if (found.kind == "projected" && large) found.metric = projected_metric(at.rows, at.columns);
  if (found.kind != "pixels" && large) {
    found.positions.sphere = found.kind == "geographic";
    const double unit = found.positions.sphere ? std::acos(-1.0) / 180 : at.rows.metres;
    for (const double row : at.rows.values) found.positions.rows.push_back(unit * row);
    found.positions.step = even_step(at.columns, found.positions.sphere ? 360 : 0) *
                           (found.positions.sphere ? unit : at.columns.metres);
  }
  const Axis layers = field.grid.nz > 1 ? read_axis(field, 2) : Axis();
  if (layers.quantity != Quantity::none) {
    const std::vector<double> steps = steps_of(layers, 0);
    check_ratios(layers, steps, mean_of(steps), "their mean");
    found.metric.z = factors_of_steps(steps);
  }
  found.uneven_steps = !found.metric.z.empty();
  return found;
}

}  // namespace

Geography find_geography(const Field& field, const GridParameters& parameters) {
  Geography found;
  const bool needs_any = parameters.metric != "pixels" || !parameters.periodic.empty();
  if (!needs_any) return found;
  const Coordinates at = coordinates_of(field, parameters.metric);
  if (!parameters.periodic.empty()) check_round(at, parameters.periodic, field.grid.nx);
  if (parameters.metric == "auto") {
    try {
      found = measure_cells(field, at, "auto");
    } catch (const Error& error) {  // coordinates that cannot be used
      found = Geography();
      found.why = std::string(error.what());
      found.doubt = "cells are taken for squares, since " + found.why;
      found.why.resize(found.why.find('\n'));  // without the remedy
    }
    if (found.doubt.empty()) found.doubt = at.doubt;
  } else if (parameters.metric != "pixels") {
    found = measure_cells(field, at, parameters.metric);
  }
  found.metric.periodic = !parameters.periodic.empty();
  return found;
}

void write_geography(const io::Group& results, const Geography& geography) {
  results.set_attribute("metric", geography.kind);
  if (!geography.why.empty()) results.set_attribute("metric_reason", geography.why);
  results.set_attribute("periodic", geography.metric.periodic);
  results.set_attribute("uneven_steps", geography.uneven_steps);
}

}  // namespace tessera::mpr
