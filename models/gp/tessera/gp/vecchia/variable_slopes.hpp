// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/covariance/covariance.hpp"
#include "tessera/gp/covariance/derivative_terms.hpp"
#include "tessera/gp/covariance/multivariate.hpp"

namespace tessera::gp::detail {

/// Which parameters of several variables the covariance of a pair of variables depends on, and how:
/// dC/dtheta_q = factor times M, u M' or dM/dnu. Those in the variances of one observation count
/// besides: 1 in sigma2 and in the nugget of its variable.
struct VariableDerivatives {
  // sigma2 and nu of both, the range, rho, the excess; a power of two
  static constexpr int kMost = 8;
  struct Term {
    int parameter, slope;
    double factor;
  };
  int count[kMostVariablePairs] = {};
  Term term[kMostVariablePairs][kMost] = {};
  int first_nugget = 0, parameters = 0;

  /// `factors`: CovarianceDispatch::derivative_factors.
  static VariableDerivatives make(const CovarianceModel& model,
                                  const std::vector<AllDerivativeSums>& factors) {
    VariableDerivatives all;
    all.first_nugget = model.nugget();
    all.parameters = model.parameters();
    for (int pair = 0; pair < kMostVariablePairs; ++pair) {
      for (int q = 0; q < model.nugget(); ++q) {
        for (int slope = 0; slope < VariableTerms::kPerPair; ++slope) {
          const double factor =
              factors[static_cast<std::size_t>(q)].value[VariableTerms::correlation(pair) + slope];
          if (factor == 0) continue;
          all.term[pair][all.count[pair]++] = {q, slope, factor};
        }
      }
    }
    return all;
  }

  /// Returns whether the variance of an observation depends on a parameter, by 1.
  KOKKOS_FORCEINLINE_FUNCTION bool is_of_variance(int parameter, int variable) const {
    return parameter == variable || parameter == first_nugget + variable;
  }
};

}  // namespace tessera::gp::detail
