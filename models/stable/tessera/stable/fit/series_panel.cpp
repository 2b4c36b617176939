// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/fit/series_panel.hpp"

#include <cmath>
#include <unordered_map>
#include <utility>

#include "tessera/core/error.hpp"

namespace tessera::stable {

std::vector<double> Grouping::apply(const std::vector<double>& values) const {
  std::vector<double> moved;
  moved.reserve(row.size());
  for (const std::size_t from : row) moved.push_back(values[from]);
  return moved;
}

Grouping find_groups(const std::vector<std::string>& labels) {
  Grouping groups;
  std::unordered_map<std::string, std::size_t> number;
  std::vector<std::size_t> series_of_row(labels.size());
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const auto [found, is_new] = number.try_emplace(labels[row], groups.series.size());
    if (is_new) groups.series.push_back({labels[row], 0, 0});
    series_of_row[row] = found->second;
    ++groups.series[found->second].count;
  }
  std::vector<std::int64_t> next;
  std::int64_t begin = 0;
  for (Series& series : groups.series) {
    series.begin = begin;
    next.push_back(begin);
    begin += series.count;
  }
  groups.row.resize(labels.size());
  for (std::size_t row = 0; row < labels.size(); ++row)
    groups.row[static_cast<std::size_t>(next[series_of_row[row]]++)] = row;
  return groups;
}

Panel group_rows(const std::vector<double>& values, const std::vector<std::string>& labels) {
  if (values.size() != labels.size()) {
    throw Error(ErrorKind::input, "stable: " + std::to_string(labels.size()) + " labels for " +
                                      std::to_string(values.size()) + " values");
  }
  Grouping groups = find_groups(labels);
  return {groups.apply(values), std::move(groups.series)};
}

Panel stack_columns(const std::vector<std::vector<double>>& columns,
                    const std::vector<std::string>& labels) {
  if (columns.size() != labels.size()) {
    throw Error(ErrorKind::input, "stable: " + std::to_string(labels.size()) + " labels for " +
                                      std::to_string(columns.size()) + " columns");
  }
  Panel panel;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    panel.series.push_back({labels[c], static_cast<std::int64_t>(panel.values.size()),
                            static_cast<std::int64_t>(columns[c].size())});
    panel.values.insert(panel.values.end(), columns[c].begin(), columns[c].end());
  }
  return panel;
}

std::size_t drop_missing(Panel& panel) {
  std::size_t kept = 0;
  for (Series& series : panel.series) {
    const auto from = static_cast<std::size_t>(series.begin),
               to = from + static_cast<std::size_t>(series.count);
    series.begin = static_cast<std::int64_t>(kept);
    for (std::size_t i = from; i < to; ++i) {
      if (!std::isnan(panel.values[i])) panel.values[kept++] = panel.values[i];
    }
    series.count = static_cast<std::int64_t>(kept) - series.begin;
  }
  const std::size_t dropped = panel.values.size() - kept;
  panel.values.resize(kept);
  return dropped;
}

std::vector<PanelWindow> find_windows(const std::vector<Series>& series, std::int64_t window,
                                      std::int64_t step) {
  if (window < 0 || step < 1)
    throw Error(ErrorKind::input, "stable: windows of " + std::to_string(window) +
                                      " values, every " + std::to_string(step));
  std::vector<PanelWindow> windows;
  for (std::size_t k = 0; k < series.size(); ++k) {
    if (window == 0) {
      windows.push_back({k, 0, series[k].count});
    } else if (series[k].count < window) {
      windows.push_back({k, 0, 0});
    } else {
      for (std::int64_t first = 0; first + window <= series[k].count; first += step)
        windows.push_back({k, first, window});
    }
  }
  return windows;
}

std::vector<FitTask> make_tasks(const std::vector<Series>& series,
                                const std::vector<PanelWindow>& windows, const FitTask& prototype) {
  std::vector<FitTask> tasks;
  for (const PanelWindow& window : windows) {
    FitTask& task = tasks.emplace_back(prototype);
    task.begin = series[window.series].begin + window.first;
    task.count = static_cast<std::int32_t>(window.count);
  }
  return tasks;
}

}  // namespace tessera::stable
