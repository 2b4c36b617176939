// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/stable/multivariate/elliptical.hpp"
#include "tessera/stable/program/multivariate_settings.hpp"

namespace tessera::stable {

/// The results of task multivariate.
struct MultivariateReport {
  std::vector<std::string> names;
  std::vector<double> points, log_pdf;
  EllipticalFit fit;
  std::vector<double> cdf;  ///< of every whitened coordinate of the points
};

std::string describe(const MultivariateReport& report, const MultivariateSettings& settings);
void write_multivariate(const io::Group& results, const MultivariateReport& report,
                        const MultivariateSettings& settings);

}  // namespace tessera::stable
