// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/input/columns.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "tessera/core/io/file_format.hpp"
#include "tessera/gp/covariance/distance.hpp"
#include "tessera/gp/program/input/keys.hpp"

namespace tessera::gp::input {

namespace {

/// Appends the names of a series such as x1..x10, or 3..8; returns false where the text is none.
bool append_series(const std::string& text, std::vector<std::string>& names) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return false;
  const std::string first = text.substr(0, dots), last = text.substr(dots + 2);
  const auto stem = [](const std::string& name) {
    return name.substr(0, name.find_last_not_of("0123456789") + 1);
  };
  const std::string from = first.substr(stem(first).size()), to = last.substr(stem(last).size());
  if (stem(first) != stem(last) || from.empty() || to.empty() || from.size() > 6 || to.size() > 6)
    return false;
  const int begin = std::stoi(from), end = std::stoi(to);
  for (int k = begin; k <= end; ++k) names.push_back(stem(first) + std::to_string(k));
  return begin <= end;
}

/// Reads the names of the coordinates. `of_data`: those of the data, which hold where the key is
/// left out; empty: x and y do.
void read_coordinates(config::Section& in, const std::vector<std::string>& of_data,
                      ColumnsParameters& p) {
  const std::string doc =
      "columns of the coordinates, 1 to 32: names, numbers from 1 (.npy, and text without a line "
      "of names), or datasets (.h5); x1..x10 stands for ten of them";
  std::vector<std::string> written{"x", "y"};
  if (of_data.empty()) {
    in.get("coordinates", written).doc(doc);
  } else {
    std::optional<std::vector<std::string>> given;
    in.get("coordinates", given).doc(doc).otherwise("those of data.coordinates");
    written = given.value_or(of_data);
  }
  std::vector<std::string> names;
  for (const std::string& name : written) {
    if (!append_series(name, names)) names.push_back(name);
  }
  p.coordinates = names;
  if (names.empty() || names.size() > kMostCoordinates)
    in.error("coordinates", "'coordinates' names " + std::to_string(names.size()) +
                                " columns; 1 to " + std::to_string(kMostCoordinates) +
                                " are possible: leave out those that matter least");
  if (std::set<std::string>(names.begin(), names.end()).size() < names.size())
    in.error("coordinates", "'coordinates' names a column twice");
}

void document_angles(config::Section& in) {
  std::optional<std::string> column;
  in.get("latitude", column)
      .doc(
          "column of the latitude in degrees; for metric great_circle and chordal, instead of "
          "coordinates")
      .otherwise("required with these metrics");
  in.get("longitude", column)
      .doc("column of the longitude in degrees, likewise")
      .otherwise("required with these metrics");
}

void read_angles(config::Section& in, const CovarianceModel& model, ColumnsParameters& p) {
  if (in.has("coordinates")) {
    std::vector<std::string> names;
    in.get("coordinates", names);
    in.error("coordinates",
             "with 'metric: " +
                 std::string(model.metric == Metric::chordal ? "chordal" : "great_circle") +
                 "' name the columns as 'latitude' and 'longitude' instead of 'coordinates'");
  }
  std::string latitude = "latitude", longitude = "longitude";
  in.require("latitude", latitude).doc("column of the latitude in degrees");
  in.require("longitude", longitude).doc("column of the longitude in degrees");
  p.coordinates = {latitude, longitude};
}

void reject_angles(config::Section& in) {
  if (!in.has("latitude") && !in.has("longitude")) return;
  std::string name;
  in.get("latitude", name);
  in.get("longitude", name);
  in.error(in.has("latitude") ? "latitude" : "longitude",
           "latitude and longitude need 'metric: great_circle' or 'chordal'; for 'metric: "
           "euclidean' name the columns as 'coordinates'");
}

/// Returns whether there is a number 0 among the names of columns.
bool has_zero(const std::vector<ColumnsKey>& keys) {
  for (const ColumnsKey& key : keys) {
    for (std::size_t k = 0; key.has_numbers() && k < key.names.size(); ++k) {
      if (std::stoul(key.names[k]) == 0) return true;
    }
  }
  return false;
}

}  // namespace

void read_column_names(config::Section& in, const CovarianceModel& model,
                       const std::vector<std::string>& of_data, ColumnsParameters& p) {
  const bool sphere = model.metric != Metric::euclidean;
  if (in.documenting()) {
    read_coordinates(in, of_data, p);
    document_angles(in);
    p.coordinates = {"latitude", "longitude"};
  } else if (sphere) {
    read_angles(in, model, p);
  } else {
    read_coordinates(in, of_data, p);
    reject_angles(in);
  }
  if (model.has_time || in.documenting()) {
    std::string time = model.has_time ? "t" : "";
    in.get("time", time).doc("column of the time; with covariance.beta_time or covariance.time");
    p.time = time;
  } else {
    reject_alone(in, "time",
                 "needs a covariance in time: give 'covariance.beta_time' or 'covariance.time'");
  }
}

bool ColumnsKey::has_numbers() const {
  return !names.empty() && std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return !name.empty() && name.size() < 9 &&
           name.find_first_not_of("0123456789") == std::string::npos;
  });
}

std::vector<ColumnsKey> list_columns(config::Section& in, const ColumnsParameters& c,
                                     const CovarianceModel& model) {
  std::vector<ColumnsKey> keys;
  if (model.metric == Metric::euclidean) {
    keys.push_back({in, "coordinates", c.coordinates});
  } else {
    keys.push_back({in, "latitude", {c.coordinates[0]}, false});
    keys.push_back({in, "longitude", {c.coordinates[1]}, false});
  }
  if (!c.time.empty()) keys.push_back({in, "time", {c.time}, false});
  if (!c.covariates.empty()) keys.push_back({in, "covariates", c.covariates});
  if (!c.error_variance.empty()) keys.push_back({in, "error_variance", {c.error_variance}, false});
  if (!c.groups.empty()) keys.push_back({in, "groups", c.groups});
  return keys;
}

bool reject_numbers_from_zero(const std::string& file, std::vector<ColumnsKey>& keys) {
  if (io::find_format(file) != io::FileFormat::npy || !has_zero(keys)) return false;
  for (ColumnsKey& key : keys) {
    if (!key.has_numbers()) continue;
    std::vector<std::string> numbers;
    for (const std::string& name : key.names)
      numbers.push_back(std::to_string(std::stoul(name) + 1));
    key.section.error(key.key, "columns are counted from 1: write '" + key.key + ": " +
                                   (key.is_list ? "[" + joined(numbers) + "]" : numbers[0]) + "'");
  }
  return true;
}

std::vector<std::string> name_coordinates(const Parameters& p) {
  if (p.data.given) return p.data.columns.coordinates;
  if (p.model.metric != Metric::euclidean) return {"latitude", "longitude"};
  const std::size_t count = p.simulate.lower.size();
  std::vector<std::string> names{"x", "y", "z"};
  for (std::size_t k = 1; k <= count && count > 3; ++k) {
    if (k == 1) names.clear();
    names.push_back("x" + std::to_string(k));
  }
  names.resize(std::min(names.size(), count));
  return names;
}

}  // namespace tessera::gp::input
