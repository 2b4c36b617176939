// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/core/optimize/maximizer.hpp"
#include "tessera/gp/latent/latent.hpp"
#include "tessera/gp/program/parameters.hpp"
#include "tessera/gp/program/search_space.hpp"

namespace tessera::gp {

/// The variables of a search for the largest likelihood of observations that are not Gaussian:
/// those of theta (search_space.hpp), the logarithms of the family's parameters, and the
/// coefficients of the mean; as far as they are free.
class LatentSearch {
 public:
  /// Begins at `start`. `space`: of the free elements of theta; none: theta stays. `free_response`:
  /// of each of the family's parameters.
  LatentSearch(const LatentPoint& start, const SearchSpace* space,
               const std::vector<bool>& free_response, bool free_coefficients);

  std::size_t size() const { return m_theta + m_response.size() + m_coefficients; }

  /// Returns the derivatives that a search needs.
  LatentGradient gradient_kind() const {
    return m_theta > 0 ? LatentGradient::all : LatentGradient::response;
  }

  std::vector<double> variables(const LatentPoint& point) const;
  LatentPoint point(const std::vector<double>& x) const;
  std::vector<double> gradient(const LatentPoint& point, const LatentEvaluation& evaluation) const;
  optimize::Problem problem(const FitParameters& fit, bool by_gradients) const;

  /// Turns standard errors of the variables into those of theta, family's parameters and
  /// coefficients, one after another; NaN where they are not free.
  std::vector<double> errors(const LatentPoint& point, const std::vector<double>& errors) const;

 private:
  LatentPoint m_start;
  std::optional<SearchSpace> m_space;
  std::size_t m_theta = 0;      // free elements of theta
  std::vector<int> m_response;  // free parameters of the family: 0 is a, 1 is b
  std::size_t m_coefficients = 0;
};

}  // namespace tessera::gp
