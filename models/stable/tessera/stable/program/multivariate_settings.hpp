// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/config/section.hpp"
#include "tessera/stable/multivariate/elliptical.hpp"

namespace tessera::stable {

/// Points of a file, one vector after the other.
struct VectorData {
  std::string file;
  std::vector<std::string> names;  ///< of coordinates
  std::vector<double> values;
};

/// The settings of task multivariate in an input.
struct MultivariateSettings {
  std::string compute = "fit";  ///< fit, evaluate or sample
  EllipticalLaw law{1.5, {0, 0}, {{1, 0}, {0, 1}}};
  bool fixed_alpha = false;
  double tolerance = 1e-8;
  std::shared_ptr<const VectorData> data;  ///< null: none

  int dimension() const { return data ? static_cast<int>(data->names.size()) : law.dimension(); }
};

/// Section multivariate, and problem.data; `alpha` is that of the problem.
MultivariateSettings read_multivariate(config::Section& problem, config::Section& root,
                                       double alpha);

}  // namespace tessera::stable
