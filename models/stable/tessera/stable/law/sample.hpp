// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/random.hpp"
#include "tessera/stable/law/parameterization.hpp"

/// Random numbers with a stable distribution, inside a kernel or as a whole View.
///
/// Chambers, Mallows and Stuck (Journal of the American Statistical Association 71 (1976) 340),
/// written for S0 such that it is continuous through alpha = 1. With uniform u1 and u2, V = pi (u1
/// - 1/2), W = -ln u2 and D = alpha - 1:
///
///     X = zeta (1 - cos DV) - zeta cos(DV) (e^T - 1) + e^T [tan V (cos DV + zeta sin DV) + sin DV],
///     T = -(D/alpha) ln[(cos DV + zeta sin DV)/(W cos V)].
///
/// Domain: 0.1 <= alpha <= 2, -1 <= beta <= 1; u1 and u2 inside (0, 1).
///
/// Accuracy: a million numbers of each of 50 distributions follow the distribution function:
/// sqrt(n) times the Kolmogorov-Smirnov distance is at most 1.54 (a test asks for less than 2).
/// sample_batch gives the same numbers, to rounding, on every backend and for any number of
/// threads.
///
/// Errors: sample_batch throws Error (input) for parameters out of range.
///
/// Example (tests/install/examples/stable.cpp):
///
///     const tessera::Philox random(2026, 0);  // seed, stream
///     stable::sample_batch<ExecSpace>(exec, 1.5, 0.5, {}, random, 0, 0, x);
namespace tessera::stable {

/// A number distributed by the standard distribution S0, from two uniform numbers in (0, 1).
KOKKOS_FORCEINLINE_FUNCTION double sample(const StableDistribution& distribution, double u1,
                                          double u2);

/// Independent numbers of one distribution with the location and scale `where`: x(i) is number
/// first + i of the sequence (seed, stream, sweep). Asynchronous on `exec`.
template <class ExecSpace>
void sample_batch(const ExecSpace& exec, double alpha, double beta, const LocationScale& where,
                  const Philox& random, std::uint64_t first, std::uint64_t sweep,
                  const Kokkos::View<double*, ExecSpace>& x);

/// Numbers of standard distributions S0, one each of (alpha(i), beta(i)), from uniform numbers of
/// any generator in (0, 1). Asynchronous on `exec`. Where alpha(i) or beta(i) is out of range x(i)
/// is NaN. Throws Error (input) for Views of other sizes.
template <class ExecSpace>
void sample_batch(const ExecSpace& exec, const Kokkos::View<const double*, ExecSpace>& alpha,
                  const Kokkos::View<const double*, ExecSpace>& beta,
                  const Kokkos::View<const double*, ExecSpace>& u1,
                  const Kokkos::View<const double*, ExecSpace>& u2,
                  const Kokkos::View<double*, ExecSpace>& x);

KOKKOS_FORCEINLINE_FUNCTION double sample(const StableDistribution& distribution, double u1,
                                          double u2) {
  // cos V = sin(pi u1), from the nearer end so that both ends keep their digits.
  const bool upper = u1 > 0.5;
  const double u = upper ? 1 - u1 : u1;
  double cos_v, sin_v, s, c;
  math::sine_cosine(kPi * u, cos_v, sin_v);
  sin_v = upper ? sin_v : -sin_v;
  const double v = kPi * (u1 - 0.5);
  math::sine_cosine(0.5 * distribution.excess * v, s, c);
  const double sine = 2 * s * c, versed = 2 * s * s, cosine = 1 - versed;  // of DV
  const double skew = distribution.beta * distribution.cosine;             // zeta sin h
  const double zeta_sine = skew * (sine * distribution.inverse_sine + distribution.log_factor * v);
  const double zeta_versed = skew * versed * distribution.inverse_sine;
  const double numerator = cosine + zeta_sine;
  const double ln = math::logarithm(numerator / (-math::logarithm(u2) * cos_v));
  double less_one;
  const double e = math::exponential(-(distribution.excess / distribution.alpha) * ln, less_one);
  const double zeta_less_one =
      skew * (less_one * distribution.inverse_sine - distribution.log_factor * ln);
  return zeta_versed - zeta_less_one * cosine + e * (sin_v / cos_v * numerator + sine);
}

namespace detail {

template <class ExecSpace>
struct SampleKernel {
  StableDistribution distribution;
  Philox random;
  double sigma, mu;
  std::uint64_t first, sweep;
  Kokkos::View<double*, ExecSpace> out;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const Philox::Bits bits = random.bits(first + static_cast<std::uint64_t>(i), sweep);
    out(i) = mu + sigma * sample(distribution, Philox::uniform(bits, 0), Philox::uniform(bits, 1));
  }
};

template <class ExecSpace>
struct SampleOfUniforms {
  Kokkos::View<const double*, ExecSpace> alpha, beta, u1, u2;
  Kokkos::View<double*, ExecSpace> x;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const double a = alpha(i), b = beta(i);
    const bool in_range = a >= kMinAlpha && a <= kMaxAlpha && b >= -1 && b <= 1;
    x(i) = in_range ? sample(StableDistribution(a, b), u1(i), u2(i)) : NAN;
  }
};

}  // namespace detail

template <class ExecSpace>
void sample_batch(const ExecSpace& exec, const Kokkos::View<const double*, ExecSpace>& alpha,
                  const Kokkos::View<const double*, ExecSpace>& beta,
                  const Kokkos::View<const double*, ExecSpace>& u1,
                  const Kokkos::View<const double*, ExecSpace>& u2,
                  const Kokkos::View<double*, ExecSpace>& x) {
  const std::size_t n = x.extent(0);
  for (const std::size_t size : {alpha.extent(0), beta.extent(0), u1.extent(0), u2.extent(0)}) {
    if (size == n) continue;
    throw Error(ErrorKind::input,
                "stable: " + std::to_string(size) + " parameters or numbers for " +
                    std::to_string(n) + " draws",
                "give as many elements as there are draws");
  }
  Kokkos::parallel_for("tessera::stable::sample_of_uniforms",
                       Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, static_cast<std::int64_t>(n)),
                       detail::SampleOfUniforms<ExecSpace>{alpha, beta, u1, u2, x});
}

template <class ExecSpace>
void sample_batch(const ExecSpace& exec, double alpha, double beta, const LocationScale& where,
                  const Philox& random, std::uint64_t first, std::uint64_t sweep,
                  const Kokkos::View<double*, ExecSpace>& x) {
  require_parameters(alpha, beta, where.sigma);
  const StableDistribution distribution(alpha, beta);
  const LocationScale resolved = resolve_mode(distribution, where);
  Kokkos::parallel_for(
      "tessera::stable::sample",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
          exec, 0, static_cast<std::int64_t>(x.extent(0))),
      detail::SampleKernel<ExecSpace>{distribution, random, resolved.sigma,
                                      resolved.from_standard(distribution, 0.0), first, sweep, x});
}

}  // namespace tessera::stable
