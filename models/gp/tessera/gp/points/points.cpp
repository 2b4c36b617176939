// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/points/points.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

namespace tessera::gp {

namespace {

constexpr double kDegree = 0.017453292519943295769;

std::array<double, 3> unit_vector(double latitude, double longitude) {
  const double phi = latitude * kDegree, lambda = std::remainder(longitude, 360.0) * kDegree;
  return {std::cos(phi) * std::cos(lambda), std::cos(phi) * std::sin(lambda), std::sin(phi)};
}

std::string short_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.8g", value);
  return text;
}

/// The places and times of points in a form in which equal locations are equal.
class Locations {
 public:
  Locations(const CovarianceModel& model, const Points& points)
      : m_width(static_cast<std::size_t>(points.dimension()) + (points.time.empty() ? 0 : 1) +
                (points.variable.empty() ? 0 : 1)) {
    m_key.reserve(points.size() * m_width);
    for (std::size_t i = 0; i < points.size(); ++i) {
      // no negative zero
      for (const std::vector<double>& column : points.coordinate) m_key.push_back(column[i] + 0.0);
      if (!points.time.empty()) m_key.push_back(points.time[i]);
      if (!points.variable.empty()) m_key.push_back(points.variable[i]);
      if (model.metric != Metric::euclidean) normalise(m_key.data() + i * m_width);
    }
  }
  bool equal(std::size_t a, std::size_t b) const {
    return std::equal(key(a), key(a) + m_width, key(b));
  }
  /// The same for equal locations.
  std::uint64_t hash(std::size_t i) const {
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < m_width; ++k) {
      sum = (sum ^ std::bit_cast<std::uint64_t>(key(i)[k] + 0.0)) * 0x9e3779b97f4a7c15;
      sum ^= sum >> 32;
    }
    return sum;
  }

 private:
  const double* key(std::size_t i) const { return m_key.data() + i * m_width; }
  static void normalise(double* key) {
    key[1] = std::fabs(key[0]) == 90 ? 0 : std::remainder(key[1], 360.0);
    if (key[1] == -180) key[1] = 180;
  }

  std::size_t m_width;
  std::vector<double> m_key;
};

}  // namespace

Points Points::subset(const std::vector<std::size_t>& rows) const {
  Points chosen;
  for (const std::vector<double>& column : coordinate) {
    std::vector<double>& to = chosen.coordinate.emplace_back();
    for (const std::size_t i : rows) to.push_back(column[i]);
  }
  if (!time.empty()) {
    for (const std::size_t i : rows) chosen.time.push_back(time[i]);
  }
  for (const std::vector<double>& column : covariate) {
    std::vector<double>& to = chosen.covariate.emplace_back();
    for (const std::size_t i : rows) to.push_back(column[i]);
  }
  for (const std::vector<double>& column : local) {
    std::vector<double>& to = chosen.local.emplace_back();
    for (const std::size_t i : rows) to.push_back(column[i]);
  }
  if (!error_variance.empty()) {
    for (const std::size_t i : rows) chosen.error_variance.push_back(error_variance[i]);
  }
  if (!variable.empty()) {
    for (const std::size_t i : rows) chosen.variable.push_back(variable[i]);
  }
  for (const std::vector<int>& column : level) {
    std::vector<int>& to = chosen.level.emplace_back();
    for (const std::size_t i : rows) to.push_back(column[i]);
  }
  return chosen;
}

std::string Points::text(std::size_t i) const {
  std::string text;
  for (const std::vector<double>& column : coordinate)
    text += (text.empty() ? "(" : ", ") + short_text(column[i]);
  if (!time.empty()) text += ", t = " + short_text(time[i]);
  if (!variable.empty()) text += ", variable " + std::to_string(variable[i] + 1);
  return text + ")";
}

std::vector<double> pack(const CovarianceModel& model, const Points& points) {
  const std::size_t n = points.size();
  const auto columns = static_cast<std::size_t>(model.point_columns());
  std::vector<double> packed(columns * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (model.metric == Metric::euclidean) {
      for (int k = 0; k < points.dimension(); ++k) packed[k * n + i] = points.coordinate[k][i];
    } else {
      const auto vector = unit_vector(points.coordinate[0][i], points.coordinate[1][i]);
      for (int k = 0; k < 3; ++k) packed[k * n + i] = vector[k];
    }
    if (!points.time.empty()) packed[(columns - 1) * n + i] = points.time[i];
    if (!points.variable.empty()) packed[(columns - 1) * n + i] = points.variable[i];
  }
  return packed;
}

double distance(const CovarianceModel& model, const Points& points, std::size_t i, std::size_t j) {
  double sum = 0;
  if (model.metric == Metric::euclidean) {
    for (const std::vector<double>& column : points.coordinate)
      sum += (column[i] - column[j]) * (column[i] - column[j]);
    return std::sqrt(sum);
  }
  const auto a = unit_vector(points.coordinate[0][i], points.coordinate[1][i]),
             b = unit_vector(points.coordinate[0][j], points.coordinate[1][j]);
  for (int k = 0; k < 3; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  const double chord = std::sqrt(sum);
  return model.radius *
         (model.metric == Metric::chordal ? chord : 2 * std::asin(std::min(1.0, 0.5 * chord)));
}

std::vector<std::pair<std::size_t, std::size_t>> find_duplicates(const CovarianceModel& model,
                                                                 const Points& points) {
  const Locations locations(model, points);
  constexpr auto kEmpty = std::numeric_limits<std::size_t>::max();
  // The first point at each location, by its hash; a slot that is taken sends to the next. A
  // std::unordered_set takes seven times as long, as does a sort.
  std::vector<std::size_t> first(std::bit_ceil(2 * points.size() + 1), kEmpty);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::size_t slot = locations.hash(i) & (first.size() - 1);
    while (first[slot] != kEmpty && !locations.equal(first[slot], i))
      slot = (slot + 1) & (first.size() - 1);
    if (first[slot] == kEmpty) {
      first[slot] = i;
    } else {
      pairs.emplace_back(first[slot], i);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::optional<Coincidence> find_coincidence(const CovarianceModel& model, const Points& points) {
  const auto error = [&](std::size_t i) {
    return points.error_variance.empty() ? 0.0 : points.error_variance[i];
  };
  std::vector<std::size_t> members;  // of one location
  std::optional<Coincidence> found;
  const auto close = [&] {
    if (members.size() < 2) return;
    std::stable_sort(members.begin(), members.end(),
                     [&](std::size_t a, std::size_t b) { return error(a) < error(b); });
    const Coincidence pair{std::max(members[0], members[1]), error(members[1])};
    if (!found || pair.error_variance < found->error_variance ||
        (pair.error_variance == found->error_variance && pair.row < found->row))
      found = pair;
  };
  for (const auto& [first, second] : find_duplicates(model, points)) {
    if (members.empty() || members[0] != first) {
      close();
      members = {first};
    }
    members.push_back(second);
  }
  close();
  return found;
}

std::vector<std::pair<std::size_t, std::size_t>> find_close_pairs(const CovarianceModel& model,
                                                                  const Points& points) {
  const std::size_t n = points.size();
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  if (n < 2) return pairs;
  std::vector<double> place = pack(model, points);
  const std::size_t columns = place.size() / n, in_time = columns - 1;
  double squares = 0, length_in_time = 0;
  int dimension = !points.time.empty();
  for (std::size_t k = 0; k < columns; ++k) {
    const auto [low, high] =
        std::minmax_element(place.begin() + k * n, place.begin() + (k + 1) * n);
    if (k == in_time) length_in_time = *high - *low;
    if (k < in_time) squares += (*high - *low) * (*high - *low);
    if (k<in_time&& * high> * low) ++dimension;
  }
  if (model.metric != Metric::euclidean) dimension = std::min(dimension, 2 + !points.time.empty());
  const double whole = std::sqrt(squares),
               spacing = whole / std::pow(static_cast<double>(n), 1.0 / std::max(dimension, 1)),
               near = (model.family == Family::matern12 ? 1e-10 : 1e-6) * spacing;
  if (!(near > 0)) return pairs;
  for (std::size_t i = 0; i < n && length_in_time > 0; ++i)
    place[in_time * n + i] *= whole / length_in_time;
  // Points that are near have near projections on any direction; this one is none of a grid, and
  // not longer than 2.
  constexpr double kDirection[4] = {0.61803398874989, 0.54368901269208, 0.43015970900195,
                                    0.36787944117144};
  struct Along {
    double at;
    std::size_t point;
  };
  std::vector<Along> along(n);
  for (std::size_t i = 0; i < n; ++i) along[i] = {0, i};
  for (std::size_t k = 0; k < columns; ++k) {
    const double turn = kDirection[0] * static_cast<double>(k),
                 direction = k < 4 ? kDirection[k] : 0.1 + 0.2 * (turn - std::floor(turn));
    for (std::size_t i = 0; i < n; ++i) along[i].at += direction * place[k * n + i];
  }
  std::sort(along.begin(), along.end(), [](const Along& a, const Along& b) {
    return a.at != b.at ? a.at < b.at : a.point < b.point;
  });
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n && along[b].at - along[a].at <= 2 * near; ++b) {
      const auto [i, j] = std::minmax(along[a].point, along[b].point);
      double square = 0;
      for (std::size_t k = 0; k < columns; ++k) {
        const double difference = place[k * n + i] - place[k * n + j];
        square += difference * difference;
      }
      if (square > 0 && square < near * near) pairs.emplace_back(i, j);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

namespace {

/// The ends of the arc of longitudes that the points span; see extent().
std::pair<double, double> find_arc(std::vector<double> longitude) {
  const auto [low, high] = std::minmax_element(longitude.begin(), longitude.end());
  const std::pair<double, double> plain{*low, *high};
  const double seam = 360 - (plain.second - plain.first);
  if (seam > 170) return plain;  // no gap can be wider by 10 degrees
  for (double& x : longitude) x = std::remainder(x, 360.0);
  std::sort(longitude.begin(), longitude.end());
  double widest = 0;
  std::pair<double, double> arc = plain;
  for (std::size_t i = 0; i < longitude.size(); ++i) {
    const bool last = i + 1 == longitude.size();
    const double next = last ? longitude[0] + 360 : longitude[i + 1];
    if (next - longitude[i] <= widest) continue;
    widest = next - longitude[i];
    arc = last ? std::pair<double, double>{longitude[0], longitude[i]}
               : std::pair<double, double>{longitude[i + 1], longitude[i] + 360};
  }
  return widest > seam + 10 && widest > 90 ? arc : plain;
}

}  // namespace

std::pair<std::vector<double>, std::vector<double>> extent(const Points& points, Metric metric) {
  std::vector<double> middle, half;
  for (std::size_t k = 0; k < points.coordinate.size(); ++k) {
    const std::vector<double>& column = points.coordinate[k];
    const auto [least, most] = std::minmax_element(column.begin(), column.end());
    const bool is_longitude = metric != Metric::euclidean && k == 1 && !column.empty();
    const std::pair<double, double> ends = is_longitude ? find_arc(column)
                                           : column.empty()
                                               ? std::pair<double, double>{0, 0}
                                               : std::pair<double, double>{*least, *most};
    const auto [low, high] = ends;
    middle.push_back(0.5 * (low + high));
    half.push_back(low == high ? 1 : 0.5 * (high - low));
  }
  return {middle, half};
}

namespace {

/// Divides each column of the trend into those of the variables.
std::vector<std::vector<double>> columns_of_variables(
    const std::vector<std::vector<double>>& columns, const Points& points,
    const Points& reference) {
  const int last = *std::max_element(reference.variable.begin(), reference.variable.end());
  std::vector<std::vector<double>> divided;
  for (const std::vector<double>& column : columns) {
    for (int v = 0; v <= last; ++v) {
      std::vector<double>& own = divided.emplace_back(column);
      for (std::size_t i = 0; i < own.size(); ++i) {
        if (points.variable_of(i) != v) own[i] = 0;
      }
    }
  }
  return divided;
}

}  // namespace

std::vector<std::vector<double>> trend(Mean mean, const Points& points, const Points& reference,
                                       Metric metric) {
  std::vector<std::vector<double>> columns;
  if (mean != Mean::zero) columns.emplace_back(points.size(), 1.0);
  if (mean == Mean::linear || mean == Mean::quadratic) {
    const auto [middle, half] = extent(reference, metric);
    for (int k = 0; k < points.dimension(); ++k) {
      const bool wraps = metric != Metric::euclidean && k == 1;
      std::vector<double>& column = columns.emplace_back();
      for (const double x : points.coordinate[k]) {
        const double from_middle = x - middle[k];
        column.push_back((wraps ? std::remainder(from_middle, 360.0) : from_middle) / half[k]);
      }
    }
  }
  for (int k = 1; k <= points.dimension() && mean == Mean::quadratic; ++k) {
    for (int j = 1; j <= k; ++j) {
      std::vector<double> product = columns[k];
      for (std::size_t i = 0; i < product.size(); ++i) product[i] *= columns[j][i];
      columns.push_back(std::move(product));
    }
  }
  columns.insert(columns.end(), points.covariate.begin(), points.covariate.end());
  return reference.variable.empty() ? columns : columns_of_variables(columns, points, reference);
}

std::vector<std::string> trend_names(Mean mean, const std::vector<std::string>& coordinates,
                                     const std::vector<std::string>& covariates,
                                     const std::vector<std::string>& variables) {
  std::vector<std::string> names;
  if (mean != Mean::zero) names.push_back("constant");
  if (mean == Mean::linear || mean == Mean::quadratic)
    names.insert(names.end(), coordinates.begin(), coordinates.end());
  for (std::size_t k = 0; k < coordinates.size() && mean == Mean::quadratic; ++k) {
    for (std::size_t j = 0; j <= k; ++j) names.push_back(coordinates[k] + " * " + coordinates[j]);
  }
  names.insert(names.end(), covariates.begin(), covariates.end());
  if (variables.empty()) return names;
  std::vector<std::string> divided;
  for (const std::string& name : names) {
    for (const std::string& variable : variables) divided.push_back(name + " of " + variable);
  }
  return divided;
}

Points repeat_for_variables(const Points& points, int variables) {
  std::vector<std::size_t> rows;
  for (int v = 0; v < variables; ++v) {
    for (std::size_t i = 0; i < points.size(); ++i) rows.push_back(i);
  }
  Points repeated = points.subset(rows);
  repeated.variable.clear();
  for (int v = 0; v < variables; ++v)
    repeated.variable.insert(repeated.variable.end(), points.size(), v);
  return repeated;
}

}  // namespace tessera::gp
