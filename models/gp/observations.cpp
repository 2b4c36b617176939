// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/observations.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "tessera/core/error.hpp"
#include "tessera/core/io/csv.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/io/npy.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/gp/random_fields.hpp"

namespace tessera::gp {

namespace {

std::string ending(const std::string& path) { return std::filesystem::path(path).extension().string(); }

Columns read_hdf5(const std::string& path, const std::vector<std::string>& names) {
  const io::File file = io::File::open(path);
  Columns columns;
  for (const std::string& name : names) {
    if (!file.root().has(name))
      throw Error(ErrorKind::input, "'" + path + "' has no dataset '" + name + "'",
                  "name a dataset by its path in the file, e.g. coordinates/x");
    columns.push_back(file.root().read<double>(name));
  }
  return columns;
}

Columns read_numpy(const std::string& path, const std::vector<std::string>& names) {
  const io::Array<double> array = io::read_npy<double>(path);
  if (array.shape.size() != 2)
    throw Error(ErrorKind::input, "'" + path + "' has " + std::to_string(array.shape.size()) + " axes; points need two: rows and columns");
  Columns columns;
  for (const std::string& name : names) {
    const bool is_number =
        !name.empty() && name.size() < 9 && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
    const std::size_t column = is_number ? std::stoul(name) : array.shape[1];
    if (column >= array.shape[1]) {
      throw Error(ErrorKind::input,
                  "'" + path + "' has no column '" + name + "'; it has " + std::to_string(array.shape[1]) + ", numbered from 0");
    }
    std::vector<double>& values = columns.emplace_back();
    for (std::size_t i = 0; i < array.shape[0]; ++i) values.push_back(array.values[i * array.shape[1] + column]);
  }
  return columns;
}

Columns read_text(const std::string& path, const std::vector<std::string>& names, bool allow_missing) {
  std::vector<std::string> unique;
  for (const std::string& name : names) {
    if (std::find(unique.begin(), unique.end(), name) == unique.end()) unique.push_back(name);
  }
  const io::Table table = io::read_csv(path, {unique, allow_missing});
  Columns columns;
  for (const std::string& name : names) columns.push_back(table.column(name));
  return columns;
}

/// The named columns of a file, of equal length. Values may be NaN only where `allow_missing`.
Columns read_columns(const std::string& path, const std::vector<std::string>& names, bool allow_missing) {
  const std::string kind = ending(path);
  const bool hdf5 = kind == ".h5" || kind == ".hdf5", numpy = kind == ".npy";
  const Columns columns = hdf5 ? read_hdf5(path, names) : numpy ? read_numpy(path, names) : read_text(path, names, allow_missing);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (columns[k].size() != columns[0].size()) {
      throw Error(ErrorKind::input, "'" + path + "': '" + names[k] + "' has " + std::to_string(columns[k].size()) + " values, '" +
                                        names[0] + "' " + std::to_string(columns[0].size()));
    }
    std::size_t bad = 0, where = 0;
    for (std::size_t i = columns[k].size(); i-- > 0;) {
      if (std::isfinite(columns[k][i]) || (allow_missing && std::isnan(columns[k][i]))) continue;
      ++bad;
      where = i;
    }
    if (bad > 0) {
      throw Error(ErrorKind::input,
                  "'" + path + "': " + std::to_string(bad) + " value" + (bad == 1 ? "" : "s") + " of '" + names[k] +
                      "' not finite, the first in row " + std::to_string(where + 1),
                  "take these rows out with data.missing: drop, or mend the file");
    }
  }
  return columns;
}

bool is_complete(const Columns& columns, std::size_t row) {
  return std::none_of(columns.begin(), columns.end(), [&](const std::vector<double>& c) { return std::isnan(c[row]); });
}

/// The first two columns are latitudes and longitudes; rows with missing values are left out.
void check_sphere(const std::string& path, const Columns& columns, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    if (!is_complete(columns, i)) continue;
    const double latitude = columns[0][i], longitude = columns[1][i];
    if (latitude < -90 || latitude > 90) {
      throw Error(
          ErrorKind::input,
          "'" + path + "', row " + std::to_string(i + 1) + ": the latitude '" + names[0] + "' is " + std::to_string(latitude) +
              ", outside -90 to 90 degrees",
          "check that latitude and longitude are not exchanged and are in degrees; for coordinates in a plane use metric: euclidean");
    }
    if (longitude < -360 || longitude > 360) {
      throw Error(ErrorKind::input,
                  "'" + path + "', row " + std::to_string(i + 1) + ": the longitude '" + names[1] + "' is " + std::to_string(longitude) +
                      ", outside -360 to 360 degrees",
                  "check that the coordinates are in degrees; for coordinates in a plane use metric: euclidean");
    }
  }
}

void warn_of_degrees(const std::vector<std::string>& names) {
  const auto is_one_of = [](std::string name, std::initializer_list<const char*> known) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  for (const std::string& name : names) {
    if (is_one_of(name, {"lat", "lon", "long", "lng", "latitude", "longitude"})) {
      logging::warning(
          "the coordinate '" + name +
          "' looks like an angle, and metric: euclidean takes it for a length; metric: great_circle or chordal measures on the sphere");
      return;
    }
  }
}

void keep_rows(Columns& columns, const std::vector<std::size_t>& rows) {
  for (std::vector<double>& column : columns) {
    std::vector<double> kept;
    for (const std::size_t i : rows) kept.push_back(column[i]);
    column = std::move(kept);
  }
}

void drop_missing(Columns& columns) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    if (is_complete(columns, i)) rows.push_back(i);
  }
  const std::size_t dropped = columns[0].size() - rows.size();
  if (dropped > 0) logging::info(std::to_string(dropped) + " rows with missing values left out");
  keep_rows(columns, rows);
}

void take_sample(Columns& columns, std::size_t count, std::uint64_t seed) {
  const std::size_t n = columns[0].size();
  if (count == 0 || count == n) return;
  if (count > n)
    throw Error(ErrorKind::input, "data.sample asks for " + std::to_string(count) + " rows, and there are " + std::to_string(n));
  std::vector<std::size_t> rows = permutation(seed, Stream::sample, n);
  rows.resize(count);
  std::sort(rows.begin(), rows.end());
  keep_rows(columns, rows);
}

/// Without a nugget two observations at one location make the covariance singular.
void handle_duplicates(const Parameters& p, Observations& o) {
  const auto pairs = find_duplicates(p.model, o.points);
  if (pairs.empty() || p.model.has_nugget) return;
  if (!p.data.average_duplicates) {
    std::string list;
    for (std::size_t k = 0; k < std::min<std::size_t>(pairs.size(), 3); ++k) {
      list += (k == 0 ? "rows " : ", ") + std::to_string(pairs[k].first + 1) + " and " + std::to_string(pairs[k].second + 1);
    }
    throw Error(ErrorKind::input,
                std::to_string(pairs.size()) + " observation" + (pairs.size() == 1 ? " repeats" : "s repeat") + " the place of another (" +
                    list + (pairs.size() > 3 ? ", ..." : "") + "; the first at " + o.points.text(pairs[0].first) +
                    "), and the covariance has no nugget: its matrix is singular",
                "give the covariance a nugget (errors of measurement), or set data.duplicates: average");
  }
  std::vector<std::size_t> into(o.size());
  std::iota(into.begin(), into.end(), std::size_t(0));
  for (const auto& [first, second] : pairs) into[second] = first;
  std::vector<std::size_t> rows;
  std::vector<double> count(o.size(), 0.0), values(o.values.size(), 0.0);
  for (std::size_t i = 0; i < o.size(); ++i) {
    if (into[i] == i) rows.push_back(i);
    ++count[into[i]];
    for (std::size_t r = 0; r < o.replicates; ++r) values[into[i] + r * o.size()] += o.values[i + r * o.size()];
  }
  std::vector<double> averaged;
  for (std::size_t r = 0; r < o.replicates; ++r) {
    for (const std::size_t i : rows) averaged.push_back(values[i + r * o.size()] / count[i]);
  }
  logging::info(std::to_string(pairs.size()) + " observations averaged with others at the same place");
  o.points = o.points.subset(rows);
  o.values = averaged;
}

void split(const Parameters& p, const std::vector<double>& held_out, std::uint64_t seed, Observations& o) {
  std::vector<char> out(o.size(), 0);
  for (std::size_t i = 0; i < held_out.size(); ++i) {
    if (held_out[i] != 0 && held_out[i] != 1) {
      throw Error(ErrorKind::input, "'" + p.data.columns.file + "', row " + std::to_string(i + 1) + ": '" + p.predict.held_out + "' is " +
                                        std::to_string(held_out[i]) + ", but must be 0 or 1");
    }
    out[i] = held_out[i] == 1;
  }
  if (p.predict.fraction > 0) {
    const std::vector<std::size_t> order = permutation(seed, Stream::held_out, o.size());
    const std::size_t count = static_cast<std::size_t>(std::llround(p.predict.fraction * static_cast<double>(o.size())));
    for (std::size_t k = 0; k < count; ++k) out[order[k]] = 1;
  }
  for (std::size_t i = 0; i < o.size(); ++i) (out[i] ? o.left_out : o.kept).push_back(i);
}

void check_count(const Parameters& p, const Observations& o) {
  const std::size_t trends = p.mean == Mean::zero ? 0 : p.mean == Mean::constant ? 1 : 1 + o.points.coordinate.size();
  const std::size_t unknowns = trends + (p.fit.given ? p.theta.size() - p.fit.fixed.size() : 0);
  if (o.kept.size() > unknowns + 1) return;
  throw Error(ErrorKind::input,
              "there are too few points: " + std::to_string(o.kept.size()) + " observations for " + std::to_string(unknowns) +
                  " unknown parameters and coefficients of the mean",
              "use more data, fix parameters with fit.fixed, or use a simpler mean");
}

}  // namespace

Columns read_table(const Parameters& p) {
  const ColumnsParameters& c = p.data.columns;
  std::vector<std::string> names = c.coordinates;
  if (!c.time.empty()) names.push_back(c.time);
  if (!p.simulate.given) names.insert(names.end(), p.data.values.begin(), p.data.values.end());
  if (!p.predict.held_out.empty()) names.push_back(p.predict.held_out);
  Columns columns = read_columns(c.file, names, p.data.drop_missing);
  if (columns[0].empty()) throw Error(ErrorKind::input, "'" + c.file + "' holds no rows");
  if (p.model.metric != Metric::euclidean) check_sphere(c.file, columns, c.coordinates);
  return columns;
}

Observations make_observations(const Parameters& p, std::uint64_t seed) {
  Observations o;
  std::vector<double> held_out;
  if (!p.data.given) {
    o.points = simulated_points(p.simulate, p.model, seed);
    const bool sphere = p.model.metric != Metric::euclidean;
    o.names = sphere ? std::vector<std::string>{"latitude", "longitude"} : std::vector<std::string>{"x", "y", "z"};
    o.names.resize(o.points.coordinate.size());
  } else {
    o.names = p.data.columns.coordinates;
    const std::size_t dimension = o.names.size();
    Columns columns = *p.data.table;
    if (p.data.drop_missing) drop_missing(columns);
    take_sample(columns, static_cast<std::size_t>(p.data.sample), seed);
    if (!p.predict.held_out.empty()) {
      held_out = columns.back();
      columns.pop_back();
    }
    o.points.coordinate.assign(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(dimension));
    std::size_t next = dimension;
    if (!p.data.columns.time.empty()) o.points.time = columns[next++];
    for (; next < columns.size(); ++next, ++o.replicates) o.values.insert(o.values.end(), columns[next].begin(), columns[next].end());
    if (p.model.metric == Metric::euclidean) warn_of_degrees(o.names);
  }
  if (p.data.average_duplicates && !held_out.empty() && !p.model.has_nugget && !find_duplicates(p.model, o.points).empty()) {
    throw Error(ErrorKind::input, "duplicates cannot be averaged when a column says what is held out",
                "average them in the file, or give the covariance a nugget");
  }
  handle_duplicates(p, o);
  split(p, held_out, seed, o);
  check_count(p, o);
  return o;
}

Points read_points(const ColumnsParameters& c, const CovarianceModel& model) {
  std::vector<std::string> names = c.coordinates;
  if (!c.time.empty()) names.push_back(c.time);
  Columns columns = read_columns(c.file, names, false);
  if (columns[0].empty()) throw Error(ErrorKind::input, "'" + c.file + "' holds no rows");
  Points points;
  if (!c.time.empty()) {
    points.time = columns.back();
    columns.pop_back();
  }
  points.coordinate = columns;
  if (points.dimension() != model.dimension) {
    throw Error(ErrorKind::input, "predict.points names " + std::to_string(points.dimension()) + " coordinates, and the data have " +
                                      std::to_string(model.dimension));
  }
  if (model.metric != Metric::euclidean) check_sphere(c.file, points.coordinate, c.coordinates);
  return points;
}

Points grid_points(const PredictParameters& p, const CovarianceModel& model, const Points& reference) {
  const auto [middle, half] = extent(reference);
  const std::size_t dimension = p.grid.size();
  std::size_t count = 1;
  for (const int n : p.grid) count *= static_cast<std::size_t>(n);
  Points points;
  points.coordinate.assign(dimension, std::vector<double>(count));
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rest = i;
    for (std::size_t k = dimension; k-- > 0;) {
      const std::size_t n = static_cast<std::size_t>(p.grid[k]), index = rest % n;
      rest /= n;
      const double low = p.lower.empty() ? middle[k] - half[k] : p.lower[k], high = p.upper.empty() ? middle[k] + half[k] : p.upper[k];
      points.coordinate[k][i] = n == 1 ? 0.5 * (low + high) : low + (high - low) * static_cast<double>(index) / static_cast<double>(n - 1);
    }
  }
  if (model.has_time) points.time.assign(count, p.time);
  return points;
}

}  // namespace tessera::gp
