// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/tasks/fit_state.hpp"

#include <algorithm>
#include <string>

#include "tessera/core/io/members.hpp"

namespace tessera::stable {

namespace {

/// Members that are arrays, with their lengths.
template <class Visit>
void visit_arrays(const Visit& visit) {
  visit("standard_error", 4, [](auto& fit) { return fit.standard_error; });
  visit("covariance", 10, [](auto& fit) { return fit.covariance; });
  visit("sandwich", 10, [](auto& fit) { return fit.sandwich; });
}

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
  visit_members(
      [&](const char* name, auto member) { io::write_member(state, name, fits, member); });
  visit_arrays([&](const char* name, std::size_t length, const auto& member) {
    std::vector<double> values;
    for (const FitResult& fit : fits)
      values.insert(values.end(), member(fit), member(fit) + length);
    state.write(name, values, io::Shape{fits.size(), length}, io::Attributes{"1", name});
  });
  std::vector<std::int32_t> status;
  for (const FitResult& fit : fits) status.push_back(static_cast<std::int32_t>(fit.status));
  state.write("status", status, io::Attributes{"1", "how each fit ended"});
}

std::vector<FitResult> load_fits(const io::Group& state, std::int64_t most) {
  const auto status = state.read<std::int32_t>("status");
  if (status.size() > static_cast<std::uint64_t>(most)) {
    throw state.misfit("status", "holds " + std::to_string(status.size()) +
                                     " fits, and the run has " + std::to_string(most));
  }
  std::vector<FitResult> fits(status.size());
  visit_members([&](const char* name, auto member) { io::read_member(state, name, fits, member); });
  visit_arrays([&](const char* name, std::size_t length, const auto& member) {
    const auto values = state.read<double>(name, {fits.size(), length});
    for (std::size_t i = 0; i < fits.size(); ++i)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(length * i), length,
                  member(fits[i]));
  });
  for (std::size_t i = 0; i < fits.size(); ++i) {
    if (status[i] < 0 || status[i] > static_cast<std::int32_t>(FitStatus::constant)) {
      throw state.misfit("status", "holds the unknown status " + std::to_string(status[i]));
    }
    fits[i].status = static_cast<FitStatus>(status[i]);
  }
  return fits;
}

}  // namespace tessera::stable
