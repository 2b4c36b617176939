// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/stable/law/table.hpp"
#include "tessera/stable/program/parameters.hpp"

namespace tessera::stable {

/// Functions of one or several distributions at the same points: results of the tasks evaluate and
/// quantile, one row per distribution.
struct Curves {
  std::vector<double> points;  ///< x, or p
  std::vector<double> alpha, beta;
  std::vector<double> pdf, log_pdf, cdf, sf, log_cdf, log_sf, d_x, d_alpha, d_beta, quantile;
  std::vector<double> pdf_error, cdf_error;  ///< estimates of the paper's method
  std::vector<double> theta, integrand;      ///< of the paper's method, for every point
  std::vector<double> table_error;
};

/// The distributions and points of an input, without results. Throws Error (resource) when those
/// would not fit into memory.
Curves make_curves(const Parameters& parameters);

/// Writes the results of evaluate or quantile. Those of a single distribution (`one`) have one
/// dimension, else a row per distribution.
void write_evaluations(const io::Group& results, const Curves& curves, bool one);
void write_quantiles(const io::Group& results, const Curves& curves, bool one);

/// The table of distribution k, if there are enough points for a table to pay and it is exact
/// enough; else null. Its error is recorded.
template <class ExecSpace>
std::unique_ptr<Table<ExecSpace>> make_table_where_useful(const ExecSpace& exec,
                                                          const Parameters& p, std::size_t k,
                                                          Curves& curves) {
  if (p.direct || curves.points.size() < kFewestTablePoints) return nullptr;
  auto table = std::make_unique<Table<ExecSpace>>(exec, curves.alpha[k], curves.beta[k], p.where());
  const bool exact = table->error() <= kLargestTableError;
  curves.table_error.push_back(exact ? table->error() : 0);
  if (!exact) table.reset();
  return table;
}

}  // namespace tessera::stable
