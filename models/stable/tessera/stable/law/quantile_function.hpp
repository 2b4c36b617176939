// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/stable/law/parameterization.hpp"
#include "tessera/stable/law/solve_quantile.hpp"

/// Quantiles of a stable distribution, inside a kernel or on the host: the x with P(X <= x) = p, or
/// P(X > x) = q.
///
/// Bisection in asinh((x - c)/w), then Newton's method on the logarithm of the smaller tail
/// probability; w is a width of the distribution, 1 for alpha >= 1; c = zeta for alpha < 1 where
/// |zeta| < 20, else 0. Some 50 evaluations of sf: for thousands of probabilities use
/// `QuantileTable`.
///
/// Domain: 0 < p < 1, anything else gives NaN; 0.1 <= alpha <= 2, -1 <= beta <= 1 (not checked).
///
/// Accuracy: 1e-12 of |x - c| + w and 1e-11 of |x| + 0.001, the smaller of the two, and what p
/// itself lacks. A p close to 1 has few digits of 1 - p: where 1 - p is known better, ask for
/// upper_quantile(distribution, 1 - p).
///
/// Errors: none of the functions of one point, which run in kernels.
///
/// Example (tests/install/examples/stable.cpp):
///
///     const double median = stable::quantile(distribution, 0.5);
///     const double far_out = stable::upper_quantile(distribution, 1e-12);  // P(X > far_out) = 1e-12
namespace tessera::stable {

/// x with P(X <= x) = p for the standard distribution S0.
KOKKOS_INLINE_FUNCTION double quantile(const StableDistribution& distribution, double p) {
  if (!(p > 0 && p < 1)) return NAN;
  const bool upper = p > 0.5;
  return detail::solve_quantile(distribution, upper ? 1 - p : p, upper);
}

/// x with P(X > x) = q for the standard distribution S0.
KOKKOS_INLINE_FUNCTION double upper_quantile(const StableDistribution& distribution, double q) {
  if (!(q > 0 && q < 1)) return NAN;
  const bool upper = q <= 0.5;
  return detail::solve_quantile(distribution, upper ? q : 1 - q, upper);
}

/// x with P(X <= x) = p at a location and scale, by the power law of its tail where the standard x
/// is beyond the largest number. Not for S2, which `resolve_mode` converts first.
KOKKOS_INLINE_FUNCTION double quantile(const StableDistribution& distribution,
                                       const LocationScale& where, double p) {
  const double standard = quantile(distribution, p);
  if (::fabs(standard) != INFINITY) return where.from_standard(distribution, standard);
  const bool upper = standard > 0;
  const double rise = (upper ? distribution : distribution.mirrored()).imag_rise,
               alpha = distribution.alpha;
  const double log_distance =
      (::lgamma(alpha) + ::log(rise / kPi) - ::log(upper ? 1 - p : p)) / alpha;
  const double distance = ::exp(log_distance + ::log(where.sigma));
  return upper ? where.mu + distance : where.mu - distance;
}

namespace detail {

template <class ExecSpace>
struct QuantileKernel {
  using Input = Kokkos::View<const double*, ExecSpace>;

  StableDistribution one;
  LocationScale where;
  Input alpha, beta;  ///< without extent: those of `one`
  Input p;
  Kokkos::View<double*, ExecSpace> x;
  bool missing_only;  ///< x(i) that are numbers already stay

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (missing_only && x(i) == x(i)) return;
    if (alpha.extent(0) == 0) {
      x(i) = quantile(one, where, p(i));
      return;
    }
    const double a = alpha(i), b = beta(i);
    const bool in_range = a >= kMinAlpha && a <= kMaxAlpha && b >= -1 && b <= 1;
    x(i) = in_range ? quantile(StableDistribution(a, b), where, p(i)) : NAN;
  }
};

/// Throws unless there are as many quantiles as probabilities.
inline void require_quantiles(std::size_t quantiles, std::size_t probabilities) {
  if (quantiles == probabilities) return;
  throw Error(ErrorKind::input,
              "stable: " + std::to_string(quantiles) + " quantiles for " +
                  std::to_string(probabilities) + " probabilities",
              "give as many elements as there are probabilities");
}

/// Throws unless there is a distribution for every probability, at a place that is known in
/// kernels.
inline void require_distributions(std::size_t alphas, std::size_t betas, const LocationScale& where,
                                  std::size_t probabilities) {
  require_parameters(1, 0, where.sigma);
  if (alphas != probabilities || betas != probabilities) {
    throw Error(ErrorKind::input, "stable: " + std::to_string(alphas) + " alphas and " +
                                      std::to_string(betas) + " betas for " +
                                      std::to_string(probabilities) + " probabilities");
  }
  if (where.parameterization == Parameterization::S2) {
    throw Error(ErrorKind::input, "stable: S2 is for one distribution at a time",
                "convert the locations to S0, or give one alpha and one beta");
  }
}

template <class ExecSpace>
void find_quantiles(const ExecSpace& exec, const QuantileKernel<ExecSpace>& kernel) {
  const std::size_t n = kernel.p.extent(0);
  require_quantiles(kernel.x.extent(0), n);
  Kokkos::parallel_for("tessera::stable::quantiles",
                       Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, static_cast<std::int64_t>(n)),
                       kernel);
}

}  // namespace detail

/// x(i) with P(X <= x(i)) = p(i) of one distribution, in Views; with `missing_only` only where x(i)
/// is NaN. Asynchronous on `exec`, allocates nothing. Throws Error (input) for parameters out of
/// range and Views of another size.
template <class ExecSpace>
void quantile_batch(const ExecSpace& exec, double alpha, double beta, const LocationScale& where,
                    const Kokkos::View<const double*, ExecSpace>& p,
                    const Kokkos::View<double*, ExecSpace>& x, bool missing_only = false) {
  require_parameters(alpha, beta, where.sigma);
  const StableDistribution distribution(alpha, beta);
  detail::find_quantiles<ExecSpace>(
      exec, {distribution, resolve_mode(distribution, where), {}, {}, p, x, missing_only});
}

/// The same with a distribution for every probability; where one is out of range x(i) is NaN. S2,
/// whose mode is not known in kernels, is an Error (input).
template <class ExecSpace>
void quantile_batch(const ExecSpace& exec, const Kokkos::View<const double*, ExecSpace>& alpha,
                    const Kokkos::View<const double*, ExecSpace>& beta, const LocationScale& where,
                    const Kokkos::View<const double*, ExecSpace>& p,
                    const Kokkos::View<double*, ExecSpace>& x) {
  detail::require_distributions(alpha.extent(0), beta.extent(0), where, p.extent(0));
  detail::find_quantiles<ExecSpace>(exec,
                                    {StableDistribution(1, 0), where, alpha, beta, p, x, false});
}

}  // namespace tessera::stable
