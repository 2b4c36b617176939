// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/group_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "tessera/core/error.hpp"
#include "tessera/core/io/columns.hpp"
#include "tessera/core/io/csv.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/io/file_format.hpp"
#include "tessera/gp/covariance/number_text.hpp"

namespace tessera::gp {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const char* const kMissingRemedy = "give every row a label, or leave the row out";

/// The labels of one column, "" where they are missing, and where each stands, for messages.
struct Labels {
  std::vector<std::string> text;
  std::vector<std::string> place;  ///< empty: by the number of the row
};

std::vector<Labels> read_text_labels(const std::string& path,
                                     const std::vector<std::string>& columns,
                                     const std::string& number) {
  io::CsvOptions options;
  options.allow_unnamed = true;
  options.allow_missing = true;
  for (const std::string& name : columns) {
    if (std::find(options.text_columns.begin(), options.text_columns.end(), name) ==
        options.text_columns.end())
      options.text_columns.push_back(name);
  }
  options.columns = {number};
  const io::Table table = io::read_csv(path, options);
  std::vector<Labels> all;
  for (const std::string& name : columns) {
    const auto at = std::find(options.text_columns.begin(), options.text_columns.end(), name) -
                    options.text_columns.begin();
    Labels& labels = all.emplace_back();
    for (const std::string& text : table.texts[static_cast<std::size_t>(at)])
      labels.text.push_back(io::is_missing_mark(text) ? "" : text);
    for (const std::size_t line : table.lines)
      labels.place.push_back(path + ":" + std::to_string(line));
  }
  return all;
}

/// A whole number is a label as it is written.
Labels labels_of_numbers(const std::string& path, const std::string& name,
                         const std::vector<double>& numbers) {
  Labels labels;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double x = numbers[i];
    if (std::isnan(x)) {
      labels.text.emplace_back();
      continue;
    }
    if (x != std::nearbyint(x) || std::fabs(x) > 9e15)
      throw Error(ErrorKind::input,
                  "'" + path + "', row " + std::to_string(i + 1) + ": the label '" + name +
                      "' is " + number(x, "%.9g") + ", and labels are text or whole numbers",
                  "name a column of labels in data.groups; a number that is measured belongs to "
                  "data.covariates");
    labels.text.push_back(std::to_string(static_cast<std::int64_t>(x)));
  }
  return labels;
}

std::vector<Labels> read_labels(const std::string& path, const std::vector<std::string>& columns,
                                const std::string& number) {
  const io::FileFormat format = io::find_format(path);
  if (format != io::FileFormat::hdf5 && format != io::FileFormat::npy)
    return read_text_labels(path, columns, number);
  std::vector<Labels> all;
  for (const std::string& name : columns) {
    if (format == io::FileFormat::hdf5) {
      const io::Group root = io::File::open(path).root();
      if (root.has(name) && root.is_text(name)) {
        Labels& labels = all.emplace_back();
        for (const std::string& text : root.read<std::string>(name))
          labels.text.push_back(io::is_missing_mark(text) ? "" : text);
        continue;
      }
    }
    all.push_back(labels_of_numbers(path, name, io::read_columns(path, {name}, true).front()));
  }
  return all;
}

/// Sorts labels, as numbers where all of them are.
std::vector<std::string> sort_labels(const std::vector<std::string>& text) {
  const std::set<std::string> apart(text.begin(), text.end());
  std::vector<std::string> labels;
  for (const std::string& label : apart) {
    if (!label.empty()) labels.push_back(label);
  }
  std::vector<std::pair<std::int64_t, std::string>> numbered;
  for (const std::string& label : labels) {
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(label.data(), label.data() + label.size(), value);
    if (problem != std::errc() || end != label.data() + label.size()) return labels;
    numbered.emplace_back(value, label);
  }
  std::sort(numbered.begin(), numbered.end());
  for (std::size_t k = 0; k < labels.size(); ++k) labels[k] = numbered[k].second;
  return labels;
}

}  // namespace

GroupTable read_group_table(const std::string& path, const std::vector<std::string>& columns,
                            const std::string& number, bool allow_missing,
                            const std::string& missing_remedy) {
  GroupTable table;
  const std::vector<Labels> all = read_labels(path, columns, number);
  for (std::size_t g = 0; g < columns.size(); ++g) {
    const Labels& labels = all[g];
    std::map<std::string, double> numbers;
    table.label.push_back(sort_labels(labels.text));
    for (const std::string& label : table.label.back())
      numbers.emplace(label, static_cast<double>(numbers.size()));
    std::vector<double>& level = table.level.emplace_back();
    for (std::size_t i = 0; i < labels.text.size(); ++i) {
      const bool missing = labels.text[i].empty();
      if (missing && !allow_missing)
        throw Error(ErrorKind::input,
                    (labels.place.empty() ? "'" + path + "', row " + std::to_string(i + 1)
                                          : labels.place[i]) +
                        ": the label in column '" + columns[g] + "' is missing",
                    missing_remedy.empty() ? kMissingRemedy : missing_remedy);
      level.push_back(missing ? kNaN : numbers.at(labels.text[i]));
    }
  }
  return table;
}

std::vector<int> match_levels(const std::vector<std::string>& known, const GroupTable& other,
                              std::size_t group) {
  std::map<std::string, int> number;
  for (const std::string& label : known) number.emplace(label, static_cast<int>(number.size()));
  for (const std::string& label : other.label[group])
    number.try_emplace(label, static_cast<int>(number.size()));
  std::vector<int> levels;
  for (const double level : other.level[group])
    levels.push_back(number.at(other.label[group][static_cast<std::size_t>(level)]));
  return levels;
}

std::string describe_unidentified(const std::vector<std::string>& names,
                                  const std::vector<std::vector<double>>& level, bool has_nugget) {
  std::vector<std::vector<double>> known;  // numbered as the levels come
  for (std::size_t g = 0; g < names.size(); ++g) {
    std::map<double, double> order;
    std::vector<double>& column = known.emplace_back();
    for (const double one : level[g]) {
      if (!std::isnan(one))
        column.push_back(order.try_emplace(one, static_cast<double>(order.size())).first->second);
    }
    if (order.size() < 2)
      return "the grouping '" + names[g] + "' has " + (order.empty() ? "no level" : "one level") +
             " among the observations, so that its variance cannot be found: leave it out";
    if (order.size() == column.size() && has_nugget)
      return "the grouping '" + names[g] + "' has as many levels as there are observations (" +
             std::to_string(column.size()) +
             "), so that its variance and the nugget cannot be told apart: leave the grouping or "
             "the nugget out";
    for (std::size_t other = 0; other < g; ++other) {
      if (known[other] == column)
        return "the groupings '" + names[other] + "' and '" + names[g] +
               "' divide the observations in the same way, so that their variances cannot be told "
               "apart: leave one of them out";
    }
  }
  return {};
}

}  // namespace tessera::gp
