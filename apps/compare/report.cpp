// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/compare/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tessera/core/log/progress.hpp"

namespace tessera::compare {

namespace {

using io::DatasetDifference;
using Verdict = DatasetDifference::Verdict;

/// Characters in a UTF-8 text: its width on a terminal.
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

struct Column {
  std::string title;
  bool right = false;  ///< numbers
};

/// Rows of cells below the columns' titles, each column as wide as its widest cell.
std::string table(const std::vector<Column>& columns,
                  const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    widths.push_back(display_width(columns[c].title));
    for (const auto& row : rows) widths[c] = std::max(widths[c], display_width(row[c]));
  }
  std::string text;
  const auto add = [&](const auto& select_cell) {
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string& cell = select_cell(c);
      const std::string space(widths[c] - display_width(cell), ' ');
      line += (c ? "  " : "") + (columns[c].right ? space + cell : cell + space);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  };
  add([&](std::size_t c) -> const std::string& { return columns[c].title; });
  for (const auto& row : rows) add([&](std::size_t c) -> const std::string& { return row[c]; });
  return text;
}

std::string number(double value) {
  return value == 0 ? "0" : std::isfinite(value) ? fmt::format("{:.1e}", value) : "-";
}

std::vector<std::string> make_row(const DatasetDifference& d) {
  constexpr const char* kVerdicts[] = {"equal", "within", "beyond"};
  const std::string verdict =
      d.mismatch.empty() ? kVerdicts[static_cast<int>(d.verdict)] : d.mismatch;
  if (!d.mismatch.empty()) return {d.path, "-", "-", "-", "-", verdict};
  return {d.path,
          std::to_string(d.elements),
          std::to_string(d.differing),
          number(d.largest_absolute),
          number(d.largest_relative),
          verdict};
}

std::string summary(const std::vector<DatasetDifference>& differences) {
  const auto count = [&](Verdict verdict) {
    return std::count_if(differences.begin(), differences.end(),
                         [&](const DatasetDifference& d) { return d.verdict == verdict; });
  };
  if (differences.empty()) return "no datasets to compare";
  const std::string datasets =
      fmt::format("{} dataset{}", differences.size(), differences.size() == 1 ? "" : "s");
  if (count(Verdict::equal) == static_cast<std::ptrdiff_t>(differences.size()))
    return datasets + ", all equal";
  return fmt::format("{}: {} equal, {} within the tolerance, {} beyond", datasets,
                     count(Verdict::equal), count(Verdict::within), count(Verdict::beyond));
}

}  // namespace

std::string run_table(const std::vector<BackendRun>& runs) {
  std::vector<std::vector<std::string>> rows;
  for (const BackendRun& run : runs) {
    const std::string speed_up =
        run.seconds > 0 ? fmt::format("{:.2f}", runs.front().seconds / run.seconds) : "-";
    rows.push_back({to_string(run.backend), run.device, logging::duration(run.seconds), speed_up});
  }
  return table({{"backend"}, {"device"}, {"wall time", true}, {"speed-up", true}}, rows);
}

std::string difference_table(const std::string& first, const std::string& second,
                             const std::vector<DatasetDifference>& differences, bool with_equal) {
  std::vector<std::vector<std::string>> rows;
  for (const DatasetDifference& difference : differences) {
    if (with_equal || !difference.equal()) rows.push_back(make_row(difference));
  }
  std::string text =
      second + " (second) against " + first + " (first): " + summary(differences) + '\n';
  if (rows.empty()) return text;
  return text + table({{"dataset"},
                       {"elements", true},
                       {"differing", true},
                       {"max |a-b|", true},
                       {"max relative", true},
                       {"verdict"}},
                      rows);
}

}  // namespace tessera::compare
