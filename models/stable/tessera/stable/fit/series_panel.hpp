// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/stable/fit/fit_types.hpp"

/// Panels: many series in one array, to be fitted all at once, whole or in rolling windows. Series
/// may differ in length.
///
/// Domain: any number of series; a series or window that cannot be fitted gets a FitStatus and does
/// not touch the others.
///
/// Errors: Error (input) for arrays that differ in length and windows of less than one value.
///
/// Example (tests/install/examples/stable.cpp):
///
///     const stable::Panel panel = stable::group_rows(values, labels);  // one row of values and labels after the other
///     const std::vector<stable::PanelWindow> windows = stable::find_windows(panel.series, 0, 1);  // 0: whole series
///     const auto fits = fitter(tessera::upload(exec, "values", panel.values), {}, stable::make_tasks(panel.series, windows));
namespace tessera::stable {

/// Values begin, ..., begin + count - 1 of an array.
struct Series {
  std::string label;
  std::int64_t begin = 0, count = 0;
};

struct Panel {
  std::vector<double> values;  ///< of one series after the other
  std::vector<Series> series;
};

/// A piece of a series that is fitted, from its value number `first` on. Of a series shorter than a
/// window there is one with no values, so that it has a fit with the status too_few.
struct PanelWindow {
  std::size_t series = 0;
  std::int64_t first = 0, count = 0;
};

/// Rows sorted by their labels: `row[k]` is the number of the row that comes to place k.
struct Grouping {
  std::vector<Series> series;
  std::vector<std::size_t> row;

  /// Values of the rows, in their new places.
  std::vector<double> apply(const std::vector<double>& values) const;
};

/// Rows with the same label are a series, in the order of the rows; series are in the order of
/// their first rows.
Grouping find_groups(const std::vector<std::string>& labels);

/// A series for each group of rows.
Panel group_rows(const std::vector<double>& values, const std::vector<std::string>& labels);

/// A series for each column.
Panel stack_columns(const std::vector<std::vector<double>>& columns,
                    const std::vector<std::string>& labels);

/// Leaves out values that are NaN; how many they were.
std::size_t drop_missing(Panel& panel);

/// Windows of `window` values, a new one every `step` of them; window 0: each series as a whole.
std::vector<PanelWindow> find_windows(const std::vector<Series>& series, std::int64_t window,
                                      std::int64_t step);

/// A task for every window, with what `prototype` fixes.
std::vector<FitTask> make_tasks(const std::vector<Series>& series,
                                const std::vector<PanelWindow>& windows,
                                const FitTask& prototype = {});

}  // namespace tessera::stable
