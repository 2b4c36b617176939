// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/config/section.hpp"
#include "tessera/stable/garch/garch_types.hpp"

namespace tessera::stable {

/// The settings of task garch in an input.
struct GarchSettings {
  std::string mean = "arma";
  std::vector<std::string> fixed;
  double tolerance = 1e-8;
  std::vector<double> risk{0.95, 0.99};  ///< confidence levels
  std::int64_t window = 0, step = 20;    ///< of the backtest; window 0: none
  std::int64_t series = 1;               ///< simulated ones
  /// The parameters of the simulated series; alpha and beta are those of the problem
  GarchParameters truth{{1.8, 0, 0, 0, 0, 0.05, 0.08, 0.85}};

  /// Makes a task of no values, with what is fixed.
  GarchTask make_task(double alpha, double beta) const;
};

/// Section garch; `with_data`: series come from a file.
GarchSettings read_garch(config::Section& root, bool with_data, bool& standard_errors);

}  // namespace tessera::stable
