// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "tessera/stable/fit/series_panel.hpp"
#include "tessera/stable/instances.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/stable_data.hpp"

namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using View = Kokkos::View<double*, Exec>;

TEST(StablePanel, RowsOfAGroupAreASeries) {
  const Panel panel = group_rows({1, 2, 3, 4, 5, 6}, {"b", "a", "b", "c", "a", "b"});
  EXPECT_EQ(panel.values, (std::vector<double>{1, 3, 6, 2, 5, 4}));
  ASSERT_EQ(panel.series.size(), 3U);
  EXPECT_EQ(panel.series[0].label, "b");
  EXPECT_EQ(panel.series[1].begin, 3);
  EXPECT_EQ(panel.series[1].count, 2);
  EXPECT_EQ(panel.series[2].label, "c");
  EXPECT_THROW(group_rows({1, 2}, {"a"}), Error);
}

TEST(StablePanel, ColumnsMayDifferInLengthAndHaveHoles) {
  Panel panel = stack_columns({{NAN, 1, 2}, {3, NAN, NAN}, {4, 5, 6}}, {"x", "y", "z"});
  EXPECT_EQ(drop_missing(panel), 3U);
  EXPECT_EQ(panel.values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(panel.series[1].begin, 2);
  EXPECT_EQ(panel.series[1].count, 1);
  EXPECT_EQ(panel.series[2].begin, 3);
  EXPECT_THROW(stack_columns({{1}}, {}), Error);
}

TEST(StablePanel, Windows) {
  const std::vector<Series> series{{"a", 0, 10}, {"b", 10, 3}, {"c", 13, 4}};
  const auto whole = find_windows(series, 0, 1), rolling = find_windows(series, 4, 3);
  ASSERT_EQ(whole.size(), 3U);
  EXPECT_EQ(whole[1].count, 3);
  ASSERT_EQ(rolling.size(), 5U);  // 0, 3 and 6 of a; none of b; one of c
  EXPECT_EQ(rolling[2].first, 6);
  EXPECT_EQ(rolling[3].series, 1U);
  EXPECT_EQ(rolling[3].count, 0);
  const auto tasks = make_tasks(series, rolling);
  EXPECT_EQ(tasks[4].begin, 13);
  EXPECT_EQ(tasks[4].count, 4);
  EXPECT_THROW(find_windows(series, -1, 1), Error);
  EXPECT_THROW(find_windows(series, 4, 0), Error);
}

/// A series in a panel has the bits of one fitted alone, whatever stands beside it.
TEST(StablePanel, FitsDoNotDependOnTheirNeighbours) {
  std::vector<double> values;
  std::vector<std::string> labels;
  for (int k = 0; k < 5; ++k) {
    const int n = 80 + 40 * k;
    const View x("x", n);
    sample_batch<Exec>(Exec(), 1.3 + 0.15 * k, 0.2, {}, Philox(91, k), 0, 0, x);
    for (const double v : test::to_host(x)) {
      values.push_back(v);
      labels.push_back(std::to_string(k));
    }
  }
  for (int i = 0; i < 40; ++i) {
    values.insert(values.begin() + 20 * i, 7.5);  // a constant series between the others
    labels.insert(labels.begin() + 20 * i, "constant");
  }
  values.push_back(1);
  labels.emplace_back("short");
  const Panel panel = group_rows(values, labels);
  Fitter<Exec> fitter{Exec()};
  const auto fits = fitter(test::to_device<Exec>(panel.values), {},
                           make_tasks(panel.series, find_windows(panel.series, 0, 1)));
  ASSERT_EQ(fits.size(), 7U);
  for (std::size_t s = 0; s < 7; ++s) {
    const Series& series = panel.series[s];
    if (series.label == "constant") {
      EXPECT_EQ(fits[s].status, FitStatus::constant);
    }
    if (series.label == "short") {
      EXPECT_EQ(fits[s].status, FitStatus::too_few);
    }
    if (series.label.size() > 1) continue;
    EXPECT_LE(fits[s].status, FitStatus::boundary);
    const auto begin = panel.values.begin() + series.begin;
    FitTask alone;
    alone.count = static_cast<std::int32_t>(series.count);
    const FitResult single =
        fitter(test::to_device<Exec>({begin, begin + series.count}), {}, {alone})[0];
    EXPECT_EQ(single.log_likelihood, fits[s].log_likelihood);
    EXPECT_EQ(single.alpha, fits[s].alpha);
  }
}

}  // namespace
}  // namespace tessera::stable
