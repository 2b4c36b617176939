// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/garch/garch.hpp"

#include <cmath>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/stable/law/sample.hpp"

namespace tessera::stable {

namespace {

using P = GarchParameter;
using C = detail::GarchCoordinates;

bool is_in_domain(const GarchParameters& p) {
  return p[P::alpha] >= kMinAlpha && p[P::alpha] <= kMaxAlpha && std::fabs(p[P::beta]) <= 1 &&
         std::isfinite(p[P::c]) && std::fabs(p[P::phi]) < 1 && std::fabs(p[P::theta]) < 1 &&
         p[P::omega] > 0 && std::isfinite(p[P::omega]) && p[P::a] >= 0 && std::isfinite(p[P::a]) &&
         p[P::b] >= 0 && p[P::b] < 1;
}

GarchForecast next(const GarchParameters& p, const GarchState& state, double rounding) {
  return {p[P::c] + p[P::phi] * state.value + p[P::theta] * state.error,
          p[P::omega] + p[P::a] * garch_size(state.error, rounding) + p[P::b] * state.scale};
}

}  // namespace

GarchForecast forecast(const GarchParameters& p, const GarchState& state) {
  return next(p, state, 0);
}

std::vector<GarchForecast> follow(const GarchParameters& p, const GarchState& first,
                                  const double* values, std::int64_t count) {
  std::vector<GarchForecast> path;
  const double rounding = garch_rounding(first.scale);
  GarchState state = first;
  for (std::int64_t t = 0; t < count; ++t) {
    GarchForecast ahead = next(p, state, rounding);
    if (t == 0) ahead.scale = first.scale;
    path.push_back(ahead);
    state = {values[t], values[t] - ahead.location, ahead.scale};
  }
  return path;
}

std::vector<double> simulate(const GarchParameters& p, std::int64_t count, const Philox& random,
                             std::uint64_t sweep, std::int64_t warm_up) {
  if (!is_in_domain(p))
    throw Error(ErrorKind::input, "stable: a simulated series has parameters out of their domain",
                "see garch.hpp");
  const StableDistribution innovations(p[P::alpha], p[P::beta]);
  std::vector<double> values;
  GarchState state{p[P::c] / (1 - p[P::phi]), 0, p[P::omega] / (1 - p[P::b])};
  for (std::int64_t t = -warm_up; t < count; ++t) {
    const GarchForecast ahead = next(p, state, 0);
    const Philox::Bits bits = random.bits(static_cast<std::uint64_t>(t + warm_up), sweep);
    const double error =
        ahead.scale * sample(innovations, Philox::uniform(bits, 0), Philox::uniform(bits, 1));
    state = {ahead.location + error, error, ahead.scale};
    if (t >= 0) values.push_back(state.value);
  }
  return values;
}

namespace detail {

void require_tasks(const std::vector<GarchTask>& tasks, std::int64_t values) {
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    const GarchTask& task = tasks[k];
    const std::string name = "stable: series " + std::to_string(k);
    if (task.begin < 0 || task.count < 0 || task.begin + task.count > values) {
      throw Error(ErrorKind::input, name + " covers values " + std::to_string(task.begin) + " to " +
                                        std::to_string(task.begin + task.count) + " of " +
                                        std::to_string(values));
    }
    GarchParameters p;
    for (int i = 0; i < 5; ++i) {
      if ((task.fixed >> i & 1) != 0) p.value[i] = task.fixed_value[i];
    }
    if (task.fixed >> 5 != 0 || !is_in_domain(p)) {
      throw Error(ErrorKind::input, name + " fixes a parameter out of its range",
                  "alpha, beta, c, phi and theta can be fixed");
    }
  }
}

GarchResult restore(const DeviceGarch& found, const GarchTask& task) {
  GarchResult result;
  result.status = found.status;
  result.iterations = found.iterations;
  result.evaluations = found.evaluations;
  for (double& v : result.parameters.value) v = NAN;
  for (double& v : result.standard_error) v = NAN;
  for (double& v : result.covariance) v = NAN;
  result.log_likelihood = result.gradient_norm = NAN;
  if (found.status > FitStatus::not_converged) return result;
  result.log_likelihood = found.log_likelihood;
  result.gradient_norm = found.gradient_norm;
  result.first = found.first;
  result.last = found.last;
  const double sigma = std::exp(found.theta[C::sigma]), p = found.theta[C::shock],
               t = std::tanh(found.theta[C::memory]);
  const bool no_shocks = (found.at_end >> C::shock & 1) != 0;
  const double b = no_shocks ? 0 : t * t, d_b = 2 * t * (1 - t * t);
  GarchParameters& at = result.parameters;
  at[P::alpha] = found.alpha;
  at[P::beta] = found.beta;
  at[P::phi] = task.is_fixed(P::phi) ? task.fixed_value[3] : std::tanh(found.theta[C::phi]);
  at[P::theta] = task.is_fixed(P::theta) ? task.fixed_value[4] : std::tanh(found.theta[C::theta]);
  at[P::c] = found.theta[C::c] + found.centre * (1 - at[P::phi]);
  at[P::omega] = sigma * (1 - b);
  at[P::a] = no_shocks ? 0 : (1 - b) * p * p;
  at[P::b] = b;
  if (!found.has_covariance) return result;
  // d parameter/d coordinate, with c in units of sigma.
  double slope[kGarchParameters][C::count] = {};
  const auto set = [&](P parameter, int coordinate, double value) {
    slope[static_cast<int>(parameter)][coordinate] = value;
  };
  set(P::alpha, C::alpha, found.alpha_derivative);
  set(P::beta, C::beta, found.beta_derivative);
  const double d_phi = 1 - at[P::phi] * at[P::phi];
  set(P::c, C::c, sigma);
  set(P::c, C::phi, -found.centre * d_phi);
  set(P::phi, C::phi, d_phi);
  set(P::theta, C::theta, 1 - at[P::theta] * at[P::theta]);
  set(P::omega, C::sigma, sigma * (1 - b));
  set(P::omega, C::memory, -sigma * d_b);
  set(P::a, C::shock, (1 - b) * 2 * p);
  set(P::a, C::memory, -p * p * d_b);
  set(P::b, C::memory, d_b);
  const auto at_end = [&](int k) {
    const int coordinate = k == static_cast<int>(P::a)   ? C::shock
                           : k == static_cast<int>(P::b) ? C::memory
                           : k < 2                       ? k
                                                         : -1;
    return coordinate >= 0 && (found.at_end >> coordinate & 1) != 0;
  };
  for (int i = 0; i < kGarchParameters; ++i) {
    for (int j = 0; j < kGarchParameters; ++j) {
      double sum = 0;
      for (int k = 0; k < C::count; ++k) {
        for (int l = 0; l < C::count; ++l) {
          const bool free = (found.fixed >> k & 1) == 0 && (found.fixed >> l & 1) == 0;
          if (free) sum += slope[i][k] * found.covariance[C::count * k + l] * slope[j][l];
        }
      }
      result.covariance[kGarchParameters * i + j] = at_end(i) || at_end(j) ? NAN : sum;
    }
    result.standard_error[i] = std::sqrt(result.covariance[(kGarchParameters + 1) * i]);
  }
  return result;
}

}  // namespace detail

}  // namespace tessera::stable
