// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/observations.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tessera/core/device/memory.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/columns.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/gp/covariance/number_text.hpp"
#include "tessera/gp/points/covariates.hpp"
#include "tessera/gp/program/input/columns.hpp"
#include "tessera/gp/program/random_fields.hpp"

namespace tessera::gp {

namespace {

/// The columns of a file, where values may be missing but not infinite if `allow_missing`.
Columns read_columns(const std::string& path, const std::vector<std::string>& names,
                     bool allow_missing, const std::string& remedy) {
  Columns columns = io::read_columns(path, names, allow_missing, remedy);
  if (columns[0].empty()) throw Error(ErrorKind::input, path + ": there are no rows in this file");
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto bad =
        std::find_if(columns[k].begin(), columns[k].end(), [](double x) { return std::isinf(x); });
    if (bad == columns[k].end()) continue;
    throw Error(ErrorKind::input,
                path + ": value " + std::to_string(bad - columns[k].begin() + 1) + " of '" +
                    names[k] + "' is infinite",
                "give a number, or NaN where data.missing: drop shall leave the row out");
  }
  return columns;
}

bool is_complete(const Columns& columns, std::size_t row) {
  return std::none_of(columns.begin(), columns.end(),
                      [&](const std::vector<double>& c) { return std::isnan(c[row]); });
}

/// The first two columns are latitudes and longitudes; rows with missing values are left out.
void check_sphere(const std::string& path, const Columns& columns,
                  const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    if (!is_complete(columns, i)) continue;
    const double latitude = columns[0][i], longitude = columns[1][i];
    if (latitude < -90 || latitude > 90) {
      throw Error(ErrorKind::input,
                  "'" + path + "', row " + std::to_string(i + 1) + ": the latitude '" + names[0] +
                      "' is " + std::to_string(latitude) + ", outside -90 to 90 degrees",
                  "check that latitude and longitude are not exchanged and are in degrees; for "
                  "coordinates in a plane use metric: euclidean");
    }
    if (longitude < -360 || longitude > 360) {
      throw Error(ErrorKind::input,
                  "'" + path + "', row " + std::to_string(i + 1) + ": the longitude '" + names[1] +
                      "' is " + std::to_string(longitude) + ", outside -360 to 360 degrees",
                  "check that the coordinates are in degrees; for coordinates in a plane use "
                  "metric: euclidean");
    }
  }
}

void check_held_out(const std::string& path, const std::string& name,
                    const std::vector<double>& values) {
  const auto bad = std::find_if(values.begin(), values.end(),
                                [](double x) { return x != 0 && x != 1 && !std::isnan(x); });
  if (bad == values.end()) return;
  throw Error(ErrorKind::input, "'" + path + "', row " + std::to_string(bad - values.begin() + 1) +
                                    ": '" + name + "' is " + std::to_string(*bad) +
                                    ", but must be 0 or 1");
}

void warn_of_degrees(const std::vector<std::string>& names) {
  const auto is_one_of = [](std::string name, std::initializer_list<const char*> known) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  for (const std::string& name : names) {
    if (is_one_of(name, {"lat", "lon", "long", "lng", "latitude", "longitude"})) {
      logging::warning("the coordinate '" + name +
                       "' looks like an angle, and metric: euclidean takes it for a length; "
                       "metric: great_circle or chordal measures on the sphere");
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

std::vector<std::string> list_columns(const ColumnsParameters& c) {
  std::vector<std::string> names = c.coordinates;
  if (!c.time.empty()) names.push_back(c.time);
  names.insert(names.end(), c.covariates.begin(), c.covariates.end());
  if (!c.error_variance.empty()) names.push_back(c.error_variance);
  if (!c.exposure.empty()) names.push_back(c.exposure);
  names.insert(names.end(), c.groups.begin(), c.groups.end());
  return names;
}

/// Returns whether no value is missing, but for those of several variables.
bool is_located(const Parameters& p, const Columns& columns, std::size_t row) {
  if (!p.model.has_variables() || p.simulate.given) return is_complete(columns, row);
  const std::size_t first = list_columns(p.data.columns).size(),
                    after = first + p.data.values.size();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if ((k < first || k >= after) && std::isnan(columns[k][row])) return false;
  }
  return true;
}

void drop_missing(const Parameters& p, Columns& columns) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    if (is_located(p, columns, i)) rows.push_back(i);
  }
  const std::size_t dropped = columns[0].size() - rows.size();
  if (dropped > 0)
    logging::info(std::to_string(dropped) + (dropped == 1 ? " row" : " rows") +
                  " with missing values left out");
  keep_rows(columns, rows);
}

void take_sample(Columns& columns, std::size_t count, std::uint64_t seed) {
  const std::size_t n = columns[0].size();
  if (count == 0 || count == n) return;
  std::vector<std::size_t> rows = permutation(seed, Stream::sample, n);
  rows.resize(count);
  std::sort(rows.begin(), rows.end());
  keep_rows(columns, rows);
}

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Finds the pairs of those observations that no error of known variance tells apart, as `find`
/// finds them.
template <class Find>
Pairs find_exact(const CovarianceModel& model, const Points& points, const Find& find) {
  if (points.error_variance.empty()) return find(model, points);
  std::vector<std::size_t> exact;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points.error_variance[i] == 0) exact.push_back(i);
  }
  Pairs pairs = find(model, points.subset(exact));
  for (auto& [first, second] : pairs) {
    first = exact[first];
    second = exact[second];
  }
  return pairs;
}

/// Finds pairs of observations at one location.
Pairs find_exact_duplicates(const CovarianceModel& model, const Points& points) {
  return find_exact(model, points, find_duplicates);
}

/// Finds pairs of observations at one location, up to rounding.
Pairs find_almost_duplicates(const CovarianceModel& model, const Points& points) {
  return find_exact(model, points, find_close_pairs);
}

/// "rows 1 and 7, 3 and 9, ..."; where some rows are left out, "used rows ...". `rows`: the row of
/// each observation; empty: they are the same.
std::string list_pairs(const Parameters& p, const Pairs& pairs,
                       const std::vector<std::size_t>& rows) {
  const auto row = [&](std::size_t i) { return std::to_string((rows.empty() ? i : rows[i]) + 1); };
  std::string list = p.data.drop_missing || p.data.sample > 0 ? "used " : "";
  for (std::size_t k = 0; k < std::min<std::size_t>(pairs.size(), 3); ++k) {
    list += (k == 0 ? "rows " : ", ") + row(pairs[k].first) + " and " + row(pairs[k].second);
  }
  return list + (pairs.size() > 3 ? ", ..." : "");
}

/// Without a nugget two observations at one location make the covariance singular.
void check_duplicates(const Parameters& p, const Points& points, const Pairs& pairs,
                      const std::vector<std::size_t>& rows) {
  if (pairs.empty() || p.model.has_nugget || p.data.average_duplicates) return;
  throw Error(ErrorKind::input,
              std::to_string(pairs.size()) + " observation" +
                  (pairs.size() == 1 ? " repeats" : "s repeat") + " the place of another (" +
                  list_pairs(p, pairs, rows) + "; the first at " + points.text(pairs[0].first) +
                  "), and the covariance has no nugget: its matrix is singular",
              p.response.given()
                  ? "give the covariance a nugget, such as 1e-4 of sigma2 (and fix it)"
                  : "give the covariance a nugget (errors of measurement), name their known "
                    "variances in data.error_variance, or set data.duplicates: average");
}

/// Without a nugget rounding decides what a smooth field does between observations that almost
/// coincide.
void warn_of_close_points(const Parameters& p, const Points& points, const Pairs& pairs,
                          const std::vector<std::size_t>& rows) {
  if (pairs.empty() || p.model.has_nugget || p.data.average_duplicates) return;
  const auto [first, second] = pairs[0];
  logging::warning(std::to_string(pairs.size()) + " observation" +
                   (pairs.size() == 1 ? " almost repeats" : "s almost repeat") +
                   " the place of another (" + list_pairs(p, pairs, rows) + "; the first at " +
                   points.text(first) + ", " +
                   number(distance(p.model, points, first, second), "%.3g") +
                   " apart), less than rounding allows for a smooth field, and the covariance has "
                   "no nugget: give it one (errors of measurement), name known variances in "
                   "data.error_variance, or set data.duplicates: average");
}

/// `given`: the row of each observation; empty: they are the same.
void average_duplicates(const Parameters& p, const std::vector<std::size_t>& given,
                        Observations& o) {
  Pairs pairs = find_exact_duplicates(p.model, o.points);
  check_duplicates(p, o.points, pairs, given);
  if (p.model.has_nugget) return;
  const Pairs close = find_almost_duplicates(p.model, o.points);
  warn_of_close_points(p, o.points, close, given);
  if (!p.data.average_duplicates) return;
  pairs.insert(pairs.end(), close.begin(), close.end());
  if (pairs.empty()) return;
  std::vector<std::size_t> into(o.size());  // the first of those that hang together
  std::iota(into.begin(), into.end(), std::size_t(0));
  const auto root = [&](std::size_t i) {
    while (into[i] != i) i = into[i];
    return i;
  };
  for (const auto& [first, second] : pairs) {
    const std::size_t a = root(first), b = root(second);
    into[std::max(a, b)] = std::min(a, b);
  }
  for (std::size_t i = 0; i < o.size(); ++i) into[i] = root(i);
  std::vector<std::size_t> rows;
  std::vector<double> count(o.size(), 0.0), values(o.values.size(), 0.0);
  for (std::size_t i = 0; i < o.size(); ++i) {
    if (into[i] == i) rows.push_back(i);
    ++count[into[i]];
    for (std::size_t r = 0; r < o.replicates; ++r)
      values[into[i] + r * o.size()] += o.values[i + r * o.size()];
  }
  std::vector<double> averaged;
  for (std::size_t r = 0; r < o.replicates; ++r) {
    for (const std::size_t i : rows) averaged.push_back(values[i + r * o.size()] / count[i]);
  }
  logging::info(std::to_string(o.size() - rows.size()) +
                " observations averaged with others at the same place");
  o.points = o.points.subset(rows);
  o.values = averaged;
}

void split(const Parameters& p, const std::vector<double>& held_out, std::uint64_t seed,
           Observations& o) {
  std::vector<char> out(o.size(), 0);
  for (std::size_t i = 0; i < held_out.size(); ++i) out[i] = held_out[i] == 1;
  if (p.predict.fraction > 0) {
    const std::vector<std::size_t> order = permutation(seed, Stream::held_out, o.size());
    const std::size_t count =
        static_cast<std::size_t>(std::llround(p.predict.fraction * static_cast<double>(o.size())));
    for (std::size_t k = 0; k < count; ++k) out[order[k]] = 1;
  }
  for (std::size_t i = 0; i < o.size(); ++i) (out[i] ? o.left_out : o.kept).push_back(i);
}

void check_count(const Parameters& p, const Observations& o) {
  const std::size_t trends = trend_names(p.mean, o.names, p.covariates, o.variables).size();
  const std::size_t unknowns = trends + (p.fit.given ? p.theta.size() - p.fit.fixed.size() : 0);
  if (o.kept.size() > unknowns + 1) return;
  throw Error(ErrorKind::input,
              "there are too few points: " + std::to_string(o.kept.size()) + " observations for " +
                  std::to_string(unknowns) + " unknown parameters and coefficients of the mean",
              "use more data, fix parameters with fit.fixed, or use a simpler mean");
}

/// The coordinates and the time, which come first among the columns, and the error variance, which
/// comes after the covariates.
Points take_points(const ColumnsParameters& c, const Columns& columns) {
  const std::size_t dimension = c.coordinates.size();
  Points points;
  points.coordinate.assign(columns.begin(),
                           columns.begin() + static_cast<std::ptrdiff_t>(dimension));
  if (!c.time.empty()) points.time = columns[dimension];
  if (!c.error_variance.empty())
    points.error_variance = columns[dimension + (c.time.empty() ? 0 : 1) + c.covariates.size()];
  const std::size_t first = list_columns(c).size() - c.groups.size();
  for (std::size_t g = 0; g < c.groups.size(); ++g) {
    std::vector<int>& level = points.level.emplace_back();
    for (const double one : columns[first + g])
      level.push_back(std::isnan(one) ? -1 : static_cast<int>(one));
  }
  return points;
}

/// The observations of several variables, those of a variable after another.
struct OfVariables {
  Points points;
  std::vector<double> values;
  std::vector<std::size_t> rows;  ///< of the table
};

/// Takes the observations that there are; where they will be simulated, all variables at all
/// places. `first`: the column of the first variable.
OfVariables take_variables(const Parameters& p, const Columns& columns, std::size_t first) {
  OfVariables all;
  std::vector<int> variable;
  for (int v = 0; v < p.model.variables; ++v) {
    for (std::size_t i = 0; i < columns[0].size(); ++i) {
      const double value = p.simulate.given ? 0 : columns[first + static_cast<std::size_t>(v)][i];
      if (std::isnan(value)) continue;
      all.rows.push_back(i);
      variable.push_back(v);
      if (!p.simulate.given) all.values.push_back(value);
    }
  }
  all.points = take_points(p.data.columns, columns).subset(all.rows);
  all.points.variable = variable;
  return all;
}

/// Takes the numbers of a column that belong to some rows.
std::vector<double> take_rows(const std::vector<double>& column,
                              const std::vector<std::size_t>& rows) {
  std::vector<double> taken;
  for (const std::size_t i : rows) taken.push_back(column[i]);
  return taken;
}

/// Every variable needs observations: two at least, of which a variance can be found.
void check_variables(const Parameters& p, const Observations& o) {
  if (o.variables.empty()) return;
  std::vector<std::size_t> count(o.variables.size(), 0);
  for (const std::size_t i : o.kept) ++count[static_cast<std::size_t>(o.points.variable_of(i))];
  for (std::size_t v = 0; v < count.size(); ++v) {
    if (count[v] > 1) continue;
    throw Error(ErrorKind::input,
                "the variable '" + o.variables[v] + "' has " + std::to_string(count[v]) +
                    (count[v] == 1 ? " observation" : " observations") + " that are used",
                "give each variable two or more, or leave it out of data.values and " +
                    std::string("covariance.variables (") + std::to_string(p.model.variables) +
                    " in this input)");
  }
}

/// The columns of the covariates, which follow.
Columns take_covariates(const ColumnsParameters& c, const Columns& columns) {
  const auto first = columns.begin() +
                     static_cast<std::ptrdiff_t>(c.coordinates.size() + (c.time.empty() ? 0 : 1));
  return {first, first + static_cast<std::ptrdiff_t>(c.covariates.size())};
}

/// Throws Error (input) where a row of several variables lacks more than their values.
void check_located(const Parameters& p, const Columns& columns) {
  if (!p.model.has_variables() || p.data.drop_missing) return;
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    if (is_located(p, columns, i)) continue;
    throw Error(ErrorKind::input,
                "'" + p.data.columns.file + "', row " + std::to_string(i + 1) +
                    ": a value is missing that is not one of data.values",
                "mend the file, or leave such rows out with data.missing: drop");
  }
}

/// The exposure comes last of these columns, but for groupings.
std::vector<double> take_exposure(const ColumnsParameters& c, const Columns& columns) {
  return c.exposure.empty() ? std::vector<double>()
                            : columns[list_columns(c).size() - c.groups.size() - 1];
}

/// Exposures must be positive; rows with missing values are left out.
void check_exposure(const ColumnsParameters& c, const Columns& columns) {
  const std::vector<double> exposure = take_exposure(c, columns);
  for (std::size_t i = 0; i < exposure.size(); ++i) {
    if (exposure[i] > 0 || !is_complete(columns, i)) continue;
    throw Error(ErrorKind::input,
                "'" + c.file + "', row " + std::to_string(i + 1) + ": the exposure '" + c.exposure +
                    "' is " + number(exposure[i], "%.6g") + ", but must be above 0",
                "leave the row out, or correct it");
  }
}

/// Every observation must be possible, and not all of them may say the same.
void check_responses(const Parameters& p, const Columns& columns) {
  const ResponseFamily family = p.response.family;
  if (!p.response.given() || p.simulate.given) return;
  const std::string where = "'" + p.data.columns.file + "'", &name = p.data.values[0];
  const std::vector<double>& values = columns[list_columns(p.data.columns).size()];
  double least = values[0], largest = values[0];
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_complete(columns, i)) continue;
    const std::string problem = check_response(family, values[i]);
    if (!problem.empty())
      throw Error(ErrorKind::input,
                  where + ", row " + std::to_string(i + 1) + ": '" + name + "' is " +
                      number(values[i], "%.6g") + ", which " + problem,
                  "correct the file, or choose another likelihood.family");
    least = std::isnan(least) ? values[i] : std::min(least, values[i]);
    largest = std::isnan(largest) ? values[i] : std::max(largest, values[i]);
  }
  if (least < largest) return;
  throw Error(ErrorKind::input,
              where + ": all observations '" + name + "' are " + number(least, "%.6g") +
                  ", so that no likelihood has a maximum",
              "use data with observations that differ");
}

/// Error variances must not be negative; rows with missing values are left out.
void check_errors(const ColumnsParameters& c, const Columns& columns) {
  if (c.error_variance.empty()) return;
  const std::vector<double> variance = take_points(c, columns).error_variance;
  for (std::size_t i = 0; i < variance.size(); ++i) {
    if (!(variance[i] < 0) || !is_complete(columns, i)) continue;
    throw Error(ErrorKind::input,
                "'" + c.file + "', row " + std::to_string(i + 1) + ": the error variance '" +
                    c.error_variance + "' is " + std::to_string(variance[i]) +
                    ", but must be at least 0",
                "give variances, the squares of standard errors, or leave the row out");
  }
}

}  // namespace

Columns read_table(const Parameters& p) {
  const ColumnsParameters& c = p.data.columns;
  std::vector<std::string> names = list_columns(c);
  names.resize(names.size() - c.groups.size());
  const auto before_groups = static_cast<std::ptrdiff_t>(names.size());
  if (!p.simulate.given) names.insert(names.end(), p.data.values.begin(), p.data.values.end());
  if (!p.predict.held_out.empty()) names.push_back(p.predict.held_out);
  Columns columns = read_columns(c.file, names, p.data.drop_missing || p.model.has_variables(),
                                 "mend the file, or leave such rows out with data.missing: drop");
  if (p.data.groups)
    columns.insert(columns.begin() + before_groups, p.data.groups->level.begin(),
                   p.data.groups->level.end());
  if (p.model.metric != Metric::euclidean) check_sphere(c.file, columns, c.coordinates);
  if (!p.predict.held_out.empty()) check_held_out(c.file, p.predict.held_out, columns.back());
  check_errors(c, columns);
  check_exposure(c, columns);
  check_responses(p, columns);
  check_located(p, columns);
  if (p.data.drop_missing) drop_missing(p, columns);
  if (p.data.sample == 0) {
    const OfVariables several = p.model.has_variables()
                                    ? take_variables(p, columns, list_columns(c).size())
                                    : OfVariables{take_points(c, columns), {}, {}};
    check_duplicates(p, several.points, find_exact_duplicates(p.model, several.points),
                     several.rows);
  }
  return columns;
}

namespace {

/// Gives new points levels of their groupings.
void draw_levels(const SimulateParameters& s, std::uint64_t seed, Points& points) {
  for (std::size_t g = 0; g < s.groups.size(); ++g) {
    std::vector<int>& level = points.level.emplace_back();
    for (const double u : uniforms(seed, Stream::levels, points.size(), g))
      level.push_back(static_cast<int>(u * s.levels[g]));
  }
}

/// Throws Error (input) where the observations that are used do not tell the variances of groupings
/// apart.
void check_levels(const Parameters& p, const Observations& o) {
  if (!p.model.has_groups()) return;
  Columns levels;
  for (const std::vector<int>& level : o.points.level) {
    std::vector<double>& kept = levels.emplace_back();
    for (const std::size_t i : o.kept) kept.push_back(level[i]);
  }
  const std::string problem = describe_unidentified(p.model.groups, levels, p.model.has_nugget);
  if (!problem.empty()) throw Error(ErrorKind::input, problem);
}

/// Names several variables after their columns, or z1, z2 ... where they are simulated.
std::vector<std::string> name_variables(const Parameters& p) {
  std::vector<std::string> names;
  if (!p.model.has_variables()) return names;
  if (p.data.given && p.data.values.size() == static_cast<std::size_t>(p.model.variables))
    return p.data.values;
  for (int v = 1; v <= p.model.variables; ++v) names.push_back("z" + std::to_string(v));
  return names;
}

}  // namespace

Observations make_observations(const Parameters& p, std::uint64_t seed) {
  Observations o;
  Columns covariates;
  std::vector<double> held_out;
  std::vector<std::size_t> rows;  // of the observations; empty: they are the same
  o.variables = name_variables(p);
  o.labels = p.group_labels();
  if (!p.data.given) {
    o.points = simulated_points(p.simulate, p.model, seed);
    if (p.model.has_variables()) o.points = repeat_for_variables(o.points, p.model.variables);
    draw_levels(p.simulate, seed, o.points);
    o.names = input::name_coordinates(p);
  } else {
    o.names = p.data.columns.coordinates;
    Columns columns = *p.data.table;
    take_sample(columns, static_cast<std::size_t>(p.data.sample), seed);
    if (!p.predict.held_out.empty()) {
      held_out = columns.back();
      columns.pop_back();
    }
    o.points = take_points(p.data.columns, columns);
    covariates = take_covariates(p.data.columns, columns);
    o.exposure = take_exposure(p.data.columns, columns);
    const std::size_t first = list_columns(p.data.columns).size();
    if (p.model.has_variables()) {
      OfVariables several = take_variables(p, columns, first);
      rows = several.rows;
      o.points = std::move(several.points);
      o.values = std::move(several.values);
      o.replicates = o.values.empty() ? 0 : 1;
      for (std::vector<double>& column : covariates) column = take_rows(column, rows);
      if (!held_out.empty()) held_out = take_rows(held_out, rows);
    } else {
      for (std::size_t k = first; k < columns.size(); ++k, ++o.replicates)
        o.values.insert(o.values.end(), columns[k].begin(), columns[k].end());
    }
    if (p.model.metric == Metric::euclidean) warn_of_degrees(o.names);
  }
  add_covariates(p, covariates, p.data.given ? "row" : "point", o.points);
  if (p.data.average_duplicates && !held_out.empty() && !p.model.has_nugget &&
      (!find_exact_duplicates(p.model, o.points).empty() ||
       !find_almost_duplicates(p.model, o.points).empty())) {
    throw Error(ErrorKind::input,
                "duplicates cannot be averaged when a column says what is held out",
                "average them in the file, or give the covariance a nugget");
  }
  average_duplicates(p, rows, o);
  split(p, held_out, seed, o);
  check_count(p, o);
  check_variables(p, o);
  check_levels(p, o);
  return o;
}

void add_covariates(const Parameters& p, const Columns& columns, const std::string& what,
                    Points& points) {
  if (p.covariates.empty() && p.model.local.covariates.empty()) return;
  std::vector<const std::vector<double>*> values;
  for (const std::vector<double>& column : points.coordinate) values.push_back(&column);
  for (const std::vector<double>& column : columns) values.push_back(&column);
  const std::vector<std::string> names = p.covariate_names();
  points.covariate = Covariates(p.covariates, names).evaluate(values, what, points.size());
  points.local = Covariates(p.model.local.covariates, names).evaluate(values, what, points.size());
}

Points read_points(const Parameters& p) {
  const ColumnsParameters& c = p.predict.points;
  const CovarianceModel& model = p.model;
  std::vector<std::string> names = list_columns(c);
  names.resize(names.size() - c.groups.size());
  Columns columns = read_columns(c.file, names, false, "give the value or remove the row");
  if (!c.groups.empty()) {
    const GroupTable groups = read_group_table(c.file, c.groups, c.coordinates[0], false, {});
    const std::vector<std::vector<std::string>> labels = p.group_labels();
    for (std::size_t g = 0; g < c.groups.size(); ++g) {
      const std::vector<int> levels = match_levels(labels[g], groups, g);
      columns.emplace_back(levels.begin(), levels.end());
    }
  }
  Points points = take_points(c, columns);
  if (points.dimension() != model.dimension) {
    throw Error(ErrorKind::input, "predict.points names " + std::to_string(points.dimension()) +
                                      " coordinates, and the data have " +
                                      std::to_string(model.dimension));
  }
  if (model.metric != Metric::euclidean) check_sphere(c.file, points.coordinate, c.coordinates);
  check_errors(c, columns);
  add_covariates(p, take_covariates(c, columns), "row", points);
  return points;
}

Points grid_points(const PredictParameters& p, const CovarianceModel& model,
                   const Points& reference) {
  const auto [middle, half] = extent(reference, model.metric);
  double size = 1;
  for (const std::size_t n : p.grid_shape()) size *= static_cast<double>(n);
  require_host_memory(
      sizeof(double) * size * static_cast<double>(p.grid_shape().size() + (model.has_time ? 1 : 0)),
      "the points of predict.grid", "take fewer along each coordinate");
  std::vector<std::vector<double>> axes(p.axes.begin(), p.axes.end());
  for (std::size_t k = 0; k < p.counts.size(); ++k) {
    const std::size_t n = static_cast<std::size_t>(p.counts[k]);
    const double low = middle[k] - half[k], high = middle[k] + half[k];
    std::vector<double>& values = axes.emplace_back(n, 0.5 * (low + high));
    for (std::size_t i = 0; n > 1 && i < n; ++i)
      values[i] = low + (high - low) * static_cast<double>(i) / static_cast<double>(n - 1);
  }
  std::size_t count = 1;
  for (const std::vector<double>& values : axes) count *= values.size();
  Points points;
  points.coordinate.assign(axes.size(), std::vector<double>(count));
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rest = i;
    for (std::size_t k = axes.size(); k-- > 0;) {
      points.coordinate[k][i] = axes[k][rest % axes[k].size()];
      rest /= axes[k].size();
    }
  }
  if (model.has_time) points.time.assign(count, p.time);
  return points;
}

void write_points(const io::Group& group, const CovarianceModel& model,
                  const std::vector<std::string>& names, const Points& points) {
  const bool sphere = model.metric != Metric::euclidean;
  for (std::size_t k = 0; k < points.coordinate.size(); ++k) {
    const std::string name =
        sphere ? (k == 0 ? "latitude" : "longitude") : "x" + std::to_string(k + 1);
    group.write(name, points.coordinate[k],
                io::Attributes{sphere ? "degrees" : "1", names[k] + " of the points"});
  }
  if (!points.time.empty())
    group.write("time", points.time, io::Attributes{"1", "time of the points"});
  if (!points.variable.empty()) {
    group.write("variable",
                std::vector<std::int64_t>(points.variable.begin(), points.variable.end()),
                io::Attributes{"1", "number of the variable, from 0 on, in results/variables"});
  }
}

void write_quantiles(const io::Group& group, const std::vector<double>& probabilities,
                     const std::vector<double>& quantiles) {
  if (quantiles.empty()) return;
  group.write("quantile_probability", probabilities,
              io::Attributes{"1", "probabilities of the columns of quantiles"});
  group.write("quantiles", quantiles,
              io::Shape{quantiles.size() / probabilities.size(), probabilities.size()},
              io::Attributes{"1", "quantiles of an observation"});
}

}  // namespace tessera::gp
