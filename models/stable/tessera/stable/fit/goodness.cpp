// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/fit/goodness.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::stable {

namespace {

/// p from the statistic and its replicates, which must be there already.
void find_p_value(BootstrapTest& test) {
  if (std::isnan(test.statistic)) return;
  const auto larger = std::count_if(test.replicates.begin(), test.replicates.end(),
                                    [&](double t) { return t >= test.statistic; });
  test.p_value =
      (1 + static_cast<double>(larger)) / (1 + static_cast<double>(test.replicates.size()));
}

BootstrapTest test_distance(double FitResult::*distance, const FitResult& fit,
                            const std::vector<FitResult>& refits) {
  BootstrapTest test;
  test.statistic = fit.*distance;
  for (const FitResult& refit : refits) {
    if (refit.status > FitStatus::boundary) {
      ++test.failed;
    } else {
      test.replicates.push_back(refit.*distance);
    }
  }
  find_p_value(test);
  return test;
}

}  // namespace

GoodnessTest test_goodness(const FitResult& fit, const std::vector<FitResult>& refits) {
  return {test_distance(&FitResult::anderson_darling, fit, refits),
          test_distance(&FitResult::kolmogorov_smirnov, fit, refits),
          test_distance(&FitResult::cramer_von_mises, fit, refits)};
}

double likelihood_ratio(const FitResult& restricted, const FitResult& fit) {
  constexpr double kError = 1e-7;
  const double ratio = 2 * (fit.log_likelihood - restricted.log_likelihood);
  return ratio < kError ? 0 : ratio;
}

std::vector<double> likelihood_ratios(const std::vector<FitResult>& refits) {
  std::vector<double> ratios;
  for (std::size_t k = 0; k + 1 < refits.size(); k += 2) {
    if (refits[k].status > FitStatus::boundary || refits[k + 1].status > FitStatus::boundary)
      continue;
    ratios.push_back(likelihood_ratio(refits[k], refits[k + 1]));
  }
  return ratios;
}

BootstrapTest test_likelihood_ratio(const FitResult& restricted, const FitResult& fit,
                                    const std::vector<FitResult>& refits) {
  BootstrapTest test;
  test.statistic = likelihood_ratio(restricted, fit);
  test.replicates = likelihood_ratios(refits);
  test.failed = static_cast<std::int64_t>(refits.size() / 2 - test.replicates.size());
  find_p_value(test);
  return test;
}

}  // namespace tessera::stable
