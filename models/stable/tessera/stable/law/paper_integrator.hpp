// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/stable/law/evaluate_contour.hpp"
#include "tessera/stable/law/kronrod.hpp"
#include "tessera/stable/law/nolan.hpp"

namespace tessera::stable {

/// How the paper's method integrates.
struct PaperQuadrature {
  int nodes = 127;     ///< of Kronrod's rule: 61 or 127
  int intervals = 16;  ///< sub-intervals of the range of theta, 1 to 64
};

namespace detail {

/// What the rule of Gauss, on every second node, differs by from Kronrod's.
struct QuadratureError {
  double pdf = 0, cdf = 0;
};

/// Nolan's integrals by a team of threads. The constants are those that the paper calls thresholds
/// found by experiment.
template <class ExecSpace>
struct PaperIntegrator {
  static constexpr int kMostIntervals = 64, kChunkNodes = 8, kPasses = 3;
  static constexpr double kContributes = 1e-5;  ///< of the whole, that a sub-interval counts
  static constexpr int kFewParts =
      4;  ///< sub-intervals are refined where fewer than a fourth count
  static constexpr double kSteepAlpha = 0.3;  ///< below it the first sub-interval is refined
  static constexpr int kTeam = compat::is_gpu_v<ExecSpace> ? 128 : 1;
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  using Doubles = Kokkos::View<double*, typename ExecSpace::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// g e^-g and e^-g by Kronrod's weights, then both by those of Gauss.
  struct Sums {
    double of[4] = {0, 0, 0, 0};
  };

  KronrodRule rule;
  int intervals, chunks;

  static PaperIntegrator make(const PaperQuadrature& quadrature) {
    if (quadrature.nodes != 61 && quadrature.nodes != 127) {
      throw Error(ErrorKind::input,
                  "stable: the paper's method has no rule of " + std::to_string(quadrature.nodes) +
                      " nodes",
                  "take 61 or 127");
    }
    if (quadrature.intervals < 1 || quadrature.intervals > kMostIntervals) {
      throw Error(ErrorKind::input,
                  "stable: the paper's method with " + std::to_string(quadrature.intervals) +
                      " sub-intervals",
                  "take 1 to " + std::to_string(kMostIntervals));
    }
    const KronrodRule& rule = quadrature.nodes == 61 ? kKronrod61 : kKronrod127;
    return {rule, quadrature.intervals, (rule.half + kChunkNodes - 1) / kChunkNodes};
  }

  /// One team for each of `teams`, with its memory.
  Policy make_policy(const ExecSpace& exec, std::size_t teams) const {
    Policy policy(exec, static_cast<int>(teams), kTeam);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Doubles::shmem_size(doubles()))));
    return policy;
  }

  /// The memory of a team, to be asked for once.
  KOKKOS_INLINE_FUNCTION Doubles make_scratch(const Member& team) const {
    return Doubles(team.team_scratch(0), doubles());
  }

  KOKKOS_INLINE_FUNCTION std::size_t doubles() const {
    return static_cast<std::size_t>(4 * intervals * (chunks + 1));
  }

  /// The integrals over the nodes of a chunk of a sub-interval, whose start and width are fractions
  /// of the range.
  KOKKOS_INLINE_FUNCTION void add_chunk(const NolanIntegrand& integrand, double low, double width,
                                        int chunk, double* sums) const {
    const int end = low + 0.5 * width > 0.5 ? 1 : 0;
    const double half = 0.5 * width * integrand.length;
    const double middle = (end == 0 ? low : (1 - low) - width) * integrand.length + half;
    const int first = kChunkNodes * chunk, behind = first + kChunkNodes;
    double f = 0, p = 0, f_gauss = 0, p_gauss = 0;
    for (int k = first; k < (behind < rule.half ? behind : rule.half); ++k) {
      const double weight = half * rule.weight[k], gauss = half * rule.gauss[k];
      for (int side = k == 0 ? 1 : 0; side < 2; ++side) {
        const double log_g =
            integrand.log_g(end, middle + (side == 0 ? -half : half) * rule.node[k]);
        const double g = math::exponential(log_g);
        const double of_f = math::exponential(log_g - g), of_p = math::exponential(-g);
        f += weight * of_f;
        p += weight * of_p;
        f_gauss += gauss * of_f;
        p_gauss += gauss * of_p;
      }
    }
    sums[0] = f;
    sums[1] = p;
    sums[2] = f_gauss;
    sums[3] = p_gauss;
  }

  /// The integrals over each of the sub-intervals from `low`, in `interval`, and over all of them.
  KOKKOS_INLINE_FUNCTION Sums integrate_intervals(const Member& team, const Doubles& scratch,
                                                  const NolanIntegrand& integrand, double low,
                                                  double width) const {
    double* const interval = scratch.data();
    double* const partial = interval + 4 * intervals;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, intervals * chunks), [&](int k) {
      add_chunk(integrand, low + k / chunks * (width / intervals), width / intervals, k % chunks,
                partial + 4 * k);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 4 * intervals), [&](int m) {
      double sum = 0;
      for (int k = 0; k < chunks; ++k) sum += partial[4 * (m / 4 * chunks + k) + m % 4];
      interval[m] = sum;
    });
    team.team_barrier();
    Sums all;
    for (int i = 0; i < intervals; ++i) {
      for (int which = 0; which < 4; ++which) all.of[which] += interval[4 * i + which];
    }
    return all;
  }

  /// The integrals over the range, known to the whole team.
  KOKKOS_INLINE_FUNCTION Sums integrate(const Member& team, const Doubles& scratch,
                                        const NolanIntegrand& integrand) const {
    const double* const interval = scratch.data();
    double low = 0, width = 1;
    Sums total;
    for (int pass = 1; pass <= kPasses; ++pass) {
      const Sums all = integrate_intervals(team, scratch, integrand, low, width);
      int first = intervals, last = -1;
      for (int i = 0; i < intervals; ++i) {
        if (!(interval[4 * i] > kContributes * all.of[0])) continue;
        first = i < first ? i : first;
        last = i;
      }
      const bool few = kFewParts * (last - first + 1) < intervals,
                 steep = pass == 1 && integrand.alpha < kSteepAlpha;
      if (pass == kPasses || last < 0 || !(few || steep)) {
        for (int which = 0; which < 4; ++which) total.of[which] += all.of[which];
        break;
      }
      if (few) {
        first = first > 0 ? first - 1 : 0;
        last = last < intervals - 1 ? last + 1 : intervals - 1;
      } else {
        first = last = 0;
      }
      for (int i = 0; i < intervals; ++i) {
        if (i >= first && i <= last) continue;
        for (int which = 0; which < 4; ++which) total.of[which] += interval[4 * i + which];
      }
      low += first * (width / intervals);
      width *= (last - first + 1.0) / intervals;
    }
    team.team_barrier();  // the memory may be written again
    return total;
  }

  /// Evaluates the distribution at a point to the right of zeta.
  KOKKOS_INLINE_FUNCTION Evaluation evaluate_right(const Member& team, const Doubles& scratch,
                                                   const StableDistribution& distribution, double x,
                                                   double distance, QuadratureError& error) const {
    Evaluation v;
    v.d_x = v.d_alpha = v.d_beta = NAN;
    if (distribution.at_one && distribution.beta == 0) {
      v.pdf = 1 / (kPi * (1 + x * x));
      v.cdf = 0.5 + ::atan(x) / kPi;
    } else if (!distribution.at_one && distance == 0) {
      const double angle = nolan_angle(distribution);
      v.pdf =
          ::tgamma(1 + 1 / distribution.alpha) * ::cos(angle) /
          (kPi * ::exp(0.5 * ::log1p(distribution.zeta * distribution.zeta) / distribution.alpha));
      v.cdf = 0.5 - angle / kPi;
    } else if (distribution.alpha < 1 && distribution.beta == -1) {
      v.pdf = 0;
      v.cdf = 1;
    } else {
      const NolanIntegrand integrand = make_nolan(distribution, x, distance);
      const Sums sums = integrate(team, scratch, integrand);
      const double f = sums.of[0], p = sums.of[1];
      v.pdf = integrand.front * f;
      v.cdf = distribution.at_one      ? p / kPi
              : distribution.alpha > 1 ? 1 - p / kPi
                                       : 1 - (integrand.length - p) / kPi;
      v.sf = distribution.at_one      ? 1 - p / kPi
             : distribution.alpha > 1 ? p / kPi
                                      : (integrand.length - p) / kPi;
      v.log_pdf = ::log(v.pdf);
      error.pdf = integrand.front * ::fabs(f - sums.of[2]);
      error.cdf = ::fabs(p - sums.of[3]) / kPi;
      return v;
    }
    v.sf = 1 - v.cdf;
    v.log_pdf = ::log(v.pdf);
    return v;
  }

  /// Evaluates a distribution at a standard x, at this distance from zeta.
  KOKKOS_INLINE_FUNCTION Evaluation evaluate(const Member& team, const Doubles& scratch,
                                             const StableDistribution& given, double x,
                                             double distance, QuadratureError& error) const {
    error = QuadratureError();
    if (!(::fabs(x) < INFINITY)) return evaluate_not_finite(x);
    const bool reflected = given.at_one ? given.beta < 0 : distance < 0;
    const StableDistribution distribution = reflected ? given.mirrored() : given;
    Evaluation v = evaluate_right(team, scratch, distribution, reflected ? -x : x,
                                  reflected ? -distance : distance, error);
    v.log_small_tail = ::log(v.sf < v.cdf ? v.sf : v.cdf);
    if (reflected) {
      const double sf = v.sf;
      v.sf = v.cdf;
      v.cdf = sf;
    }
    return v;
  }
};

}  // namespace detail

}  // namespace tessera::stable
