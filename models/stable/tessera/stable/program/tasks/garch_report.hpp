// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/stable/fit/series_panel.hpp"
#include "tessera/stable/garch/backtest.hpp"
#include "tessera/stable/garch/garch.hpp"

namespace tessera::stable {

/// The work of a run of task garch: series, and behind them the windows of their backtests.
struct GarchPlan {
  std::vector<Series> series;
  std::vector<PanelWindow> windows;  ///< the series as wholes, then those of backtests
  std::vector<GarchTask> tasks;      ///< one for each
};

/// Forecasts of days from windows before them. Days of one series stand after those of another;
/// levels are those of the risks.
struct Backtest {
  /// The first day of each series here, and the number of its days
  std::vector<std::int64_t> begin, count;
  /// The number of each day's value in its series
  std::vector<std::int64_t> row;
  std::vector<double> value, value_at_risk, expected_shortfall;  ///< by day; [day][level]
  /// [series][level]: days with a forecast
  std::vector<std::int64_t> days, exceedances;
  std::vector<KupiecTest> tests;  ///< [series][level]
};

/// `step`: days between the starts of windows; `levels`: confidence levels of the values at risk.
Backtest make_backtest(const GarchPlan& plan, const std::vector<double>& values,
                       const std::vector<GarchResult>& fits, const std::vector<GarchRisk>& risks,
                       const std::vector<double>& levels, std::int64_t step);

/// "alpha 1.8 (0.03), ..., persistence 0.95, log-likelihood ..., converged".
std::string describe(const GarchResult& fit, const GarchRisk& risk);

/// Returns why a series cannot be fitted.
std::string describe_garch_status(FitStatus status);

/// Returns a warning about a fit at the end of a range, or whose scales are not stationary; empty
/// where there is nothing to say.
std::string describe_limits(const GarchResult& fit, const GarchRisk& risk);

/// "; 13 of 1000 losses beyond the value at risk of 0.99 (10.0 expected, p 0.36)", of all series
/// together.
std::string describe(const Backtest& backtest, const std::vector<double>& levels);

void write_garch(const io::Group& results, const GarchPlan& plan, const std::vector<double>& values,
                 const std::vector<GarchResult>& fits, const std::vector<GarchRisk>& risks,
                 const std::vector<double>& levels);
void write_backtest(const io::Group& results, const Backtest& backtest,
                    const std::vector<double>& levels);

/// A restart's fits.
void save_garch(const io::Group& state, const std::vector<GarchResult>& fits);
std::vector<GarchResult> load_garch(const io::Group& state, std::int64_t most);

}  // namespace tessera::stable
