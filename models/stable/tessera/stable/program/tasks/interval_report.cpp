// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/tasks/interval_report.hpp"

#include <algorithm>

namespace tessera::stable {

namespace {

using io::Attributes;
using io::Shape;

template <class Intervals>
void write_kind(const io::Group& group, const std::string& name, const Intervals& intervals,
                const std::string& long_name) {
  if (intervals.empty()) return;
  std::vector<double> ends;
  for (const Interval& interval : intervals)
    ends.insert(ends.end(), {interval.lower, interval.upper});
  group.write(name, ends, Shape{intervals.size(), 2}, Attributes{"1", long_name});
}

/// Rows of different lengths, filled with NaN.
void write_rows(const io::Group& group, const std::string& name,
                const std::vector<ProfileInterval>& profiles,
                std::vector<double> ProfileInterval::*member, const std::string& long_name) {
  std::size_t most = 0;
  for (const ProfileInterval& profile : profiles) most = std::max(most, (profile.*member).size());
  std::vector<double> rows;
  for (const ProfileInterval& profile : profiles) {
    const std::vector<double>& row = profile.*member;
    rows.insert(rows.end(), row.begin(), row.end());
    rows.resize(rows.size() + most - row.size(), NAN);
  }
  group.write(name, rows, Shape{profiles.size(), most}, Attributes{"1", long_name});
}

}  // namespace

void write_intervals(const io::Group& results, const FitResult& fit, const IntervalReport& report) {
  const io::Group group = results.group("intervals");
  std::vector<std::string> names;
  std::vector<double> estimates;
  for (const Quantity& quantity : report.quantities) {
    names.push_back(name(quantity));
    estimates.push_back(evaluate(quantity, fit.parameters()));
  }
  group.write_scalar("level", report.level, Attributes{"1", "confidence level"});
  group.write(
      "quantities", names,
      Attributes{"1", "parameters, quantiles, values at risk (VaR) and expected shortfalls (ES)"});
  group.write("estimate", estimates, Attributes{"1", "of the quantities"});
  write_kind(group, "wald", report.wald, "lower and upper end, from the covariance matrix");
  write_kind(group, "profile", report.profile, "lower and upper end, from the profile likelihood");
  write_kind(group, "bootstrap", report.bootstrap,
             "lower and upper end, from refits of samples of the fit, corrected for bias");
  if (report.profile.empty()) return;
  write_rows(group, "profile_value", report.profile, &ProfileInterval::value,
             "values at which the quantity was held; NaN fills rows");
  write_rows(group, "profile_deviance", report.profile, &ProfileInterval::deviance,
             "twice the loss of log-likelihood there");
}

void write_covariance(const io::Group& results, const FitResult& fit) {
  for (const bool sandwich : {false, true}) {
    std::vector<double> matrix;
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j)
        matrix.push_back((sandwich ? fit.sandwich : fit.covariance)[FitResult::index(i, j)]);
    }
    results.write(sandwich ? "covariance_sandwich" : "covariance", matrix, Shape{4, 4},
                  Attributes{"1", sandwich ? "of alpha, beta, sigma and mu, also where the sample "
                                             "is not of a stable distribution"
                                           : "of alpha, beta, sigma and mu, inverse of the "
                                             "observed information; NaN: at the end of a range"});
  }
}

}  // namespace tessera::stable
