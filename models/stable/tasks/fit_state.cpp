// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/tasks/fit_state.hpp"

#include <string>

#include "tessera/core/io/members.hpp"

namespace tessera::stable {

namespace {

constexpr std::size_t kErrors = 4;

/// Hands every member of a fit that is one number to visit(name, member).
template <class Visit>
void visit_members(const Visit& visit) {
  visit("alpha", &FitResult::alpha);
  visit("beta", &FitResult::beta);
  visit("sigma", &FitResult::sigma);
  visit("mu", &FitResult::mu);
  visit("log_likelihood", &FitResult::log_likelihood);
  visit("gradient_norm", &FitResult::gradient_norm);
  visit("boundary_gradient", &FitResult::boundary_gradient);
  visit("start_alpha", &FitResult::start_alpha);
  visit("start_beta", &FitResult::start_beta);
  visit("kolmogorov_smirnov", &FitResult::kolmogorov_smirnov);
  visit("anderson_darling", &FitResult::anderson_darling);
  visit("cramer_von_mises", &FitResult::cramer_von_mises);
  visit("iterations", &FitResult::iterations);
  visit("evaluations", &FitResult::evaluations);
}

}  // namespace

void save_fits(const io::Group& state, const std::vector<FitResult>& fits) {
  visit_members([&](const char* name, auto member) { io::write_member(state, name, fits, member); });
  std::vector<double> errors;
  std::vector<std::int32_t> status;
  for (const FitResult& fit : fits) {
    errors.insert(errors.end(), fit.standard_error, fit.standard_error + kErrors);
    status.push_back(static_cast<std::int32_t>(fit.status));
  }
  state.write("standard_error", errors, io::Shape{fits.size(), kErrors}, io::Attributes{"1", "of alpha, beta, sigma and mu"});
  state.write("status", status, io::Attributes{"1", "how each fit ended"});
}

std::vector<FitResult> load_fits(const io::Group& state, std::int64_t most) {
  const auto status = state.read<std::int32_t>("status");
  if (status.size() > static_cast<std::uint64_t>(most)) {
    throw state.misfit("status", "holds " + std::to_string(status.size()) + " fits, and the run has " + std::to_string(most));
  }
  std::vector<FitResult> fits(status.size());
  visit_members([&](const char* name, auto member) { io::read_member(state, name, fits, member); });
  const auto errors = state.read<double>("standard_error", {fits.size(), kErrors});
  for (std::size_t i = 0; i < fits.size(); ++i) {
    for (std::size_t k = 0; k < kErrors; ++k) fits[i].standard_error[k] = errors[kErrors * i + k];
    if (status[i] < 0 || status[i] > static_cast<std::int32_t>(FitStatus::constant)) {
      throw state.misfit("status", "holds the unknown status " + std::to_string(status[i]));
    }
    fits[i].status = static_cast<FitStatus>(status[i]);
  }
  return fits;
}

}  // namespace tessera::stable
