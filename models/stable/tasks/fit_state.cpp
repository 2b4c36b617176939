// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/tasks/fit_state.hpp"

#include <cstddef>
#include <type_traits>

namespace tessera::stable {

namespace {

constexpr std::size_t kRow = 18;

/// Hands every member of a fit to visit(), in the order of a row.
template <class Fit, class Visit>
void visit_members(Fit& fit, const Visit& visit) {
  visit(fit.alpha);
  visit(fit.beta);
  visit(fit.sigma);
  visit(fit.mu);
  for (auto& error : fit.standard_error) visit(error);
  visit(fit.log_likelihood);
  visit(fit.gradient_norm);
  visit(fit.boundary_gradient);
  visit(fit.start_alpha);
  visit(fit.start_beta);
  visit(fit.kolmogorov_smirnov);
  visit(fit.anderson_darling);
  visit(fit.iterations);
  visit(fit.evaluations);
  visit(fit.status);
}

}  // namespace

std::vector<double> pack(const std::vector<FitResult>& fits) {
  std::vector<double> rows;
  rows.reserve(kRow * fits.size());
  for (const FitResult& fit : fits) visit_members(fit, [&](const auto& member) { rows.push_back(static_cast<double>(member)); });
  return rows;
}

std::vector<FitResult> unpack(const std::vector<double>& rows) {
  std::vector<FitResult> fits(rows.size() / kRow);
  const double* next = rows.data();
  for (FitResult& fit : fits) {
    visit_members(fit, [&](auto& member) { member = static_cast<std::remove_reference_t<decltype(member)>>(*next++); });
  }
  return fits;
}

}  // namespace tessera::stable
