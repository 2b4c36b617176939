// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/covariance/local_model.hpp"

#include <cstddef>

namespace tessera::gp {

int LocalModel::covariate(int coefficient) const {
  if (coefficient < first_of_range()) return sigma2[static_cast<std::size_t>(coefficient)];
  if (coefficient < first_of_nugget())
    return beta[static_cast<std::size_t>(coefficient - first_of_range())];
  return nugget[static_cast<std::size_t>(coefficient - first_of_nugget())];
}

std::vector<std::string> LocalModel::names() const {
  std::vector<std::string> names;
  for (int k = 0; k < first_of_warp(); ++k) {
    const char* parameter = k < first_of_range()    ? "sigma2_"
                            : k < first_of_nugget() ? "beta_"
                                                    : "nugget_";
    names.push_back(parameter + covariates[static_cast<std::size_t>(covariate(k))]);
  }
  for (const std::string& coordinate : coordinates) {
    for (int k = 1; k <= warp_coefficients(); ++k)
      names.push_back("warp_" + coordinate + "_" + std::to_string(k));
  }
  return names;
}

}  // namespace tessera::gp
