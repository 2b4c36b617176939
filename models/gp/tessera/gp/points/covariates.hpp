// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/gp/points/points.hpp"

namespace tessera::gp {

/// A covariate of the mean that is no expression: which one, what is wrong and the offset of the
/// character where.
class CovariateError : public Error {
 public:
  CovariateError(int index, std::size_t offset, const std::string& what)
      : Error(ErrorKind::input, what), m_index(index), m_offset(offset) {}
  int index() const noexcept { return m_index; }
  std::size_t offset() const noexcept { return m_offset; }

 private:
  int m_index;
  std::size_t m_offset;
};

/// Covariates of the mean, or of the covariance: expressions (tessera/core/expression/parse.hpp) of
/// the coordinates and of columns of the data, by their names. A name that expressions do not take
/// can stand for its column alone.
class Covariates {
 public:
  Covariates() = default;

  /// Throws CovariateError; at most 60 names.
  Covariates(const std::vector<std::string>& expressions, const std::vector<std::string>& names);

  /// Returns the values of each expression at n points from the columns of the names. Throws Error
  /// (input) where a value is not finite; `what` are the points, as in "row" or "point", for the
  /// message.
  std::vector<std::vector<double>> evaluate(const std::vector<const std::vector<double>*>& columns,
                                            const std::string& what, std::size_t n) const;

 private:
  std::vector<std::string> m_expressions, m_names;
};

/// Throws Error (input) when a column of the trend is, at these points, constant beside a constant
/// mean or a combination of others before it; `names` are the columns', of which the last are
/// `covariates`.
void require_independent(const std::vector<std::vector<double>>& trend,
                         const std::vector<std::string>& names, std::size_t covariates);

/// Returns the residuals of the values after an ordinary regression on independent columns.
std::vector<double> regression_residuals(const std::vector<double>& values,
                                         const std::vector<std::vector<double>>& trend);

}  // namespace tessera::gp
