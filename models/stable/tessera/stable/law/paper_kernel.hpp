// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/law/kronrod.hpp"
#include "tessera/stable/law/nolan.hpp"
#include "tessera/stable/law/view_points.hpp"

namespace tessera::stable::detail {

/// One team a point. The constants are those that the paper calls thresholds found by experiment.
template <class ExecSpace>
struct PaperKernel {
  static constexpr int kIntervals = 16, kChunks = 8, kPasses = 3;
  static constexpr double kContributes = 1e-5;  ///< of the whole, that a sub-interval counts
  static constexpr int kFew = 4;                ///< fewer sub-intervals than that are refined
  static constexpr double kSteepAlpha = 0.3;    ///< below it the first sub-interval is refined
  static constexpr int kTeam = compat::is_gpu_v<ExecSpace> ? kIntervals * kChunks : 1;
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  using Doubles = Kokkos::View<double*, typename ExecSpace::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  ViewPoints<ExecSpace> points;
  KronrodRule rule;

  static std::size_t scratch_size() { return Doubles::shmem_size(2 * kIntervals * kChunks); }

  /// Both integrals over the nodes of a chunk of a sub-interval, whose start and width are
  /// fractions of the range.
  KOKKOS_INLINE_FUNCTION void add_chunk(const NolanIntegrand& integrand, double low, double width,
                                        int chunk, double& f, double& p) const {
    const int end = low + 0.5 * width > 0.5 ? 1 : 0;
    const double half = 0.5 * width * integrand.length;
    const double middle = (end == 0 ? low : (1 - low) - width) * integrand.length + half;
    constexpr int kNodes = KronrodRule::kHalf / kChunks;
    f = p = 0;
    for (int k = kNodes * chunk; k < kNodes * (chunk + 1); ++k) {
      const double weight = half * rule.weight[k];
      for (int side = k == 0 ? 1 : 0; side < 2; ++side) {
        const double log_g =
            integrand.log_g(end, middle + (side == 0 ? -half : half) * rule.node[k]);
        const double g = math::exponential(log_g);
        f += weight * math::exponential(log_g - g);
        p += weight * math::exponential(-g);
      }
    }
  }

  /// The integrals of g e^-g and e^-g, known to the whole team.
  KOKKOS_INLINE_FUNCTION void integrate(const Member& team, const NolanIntegrand& integrand,
                                        double& f, double& p) const {
    const Doubles partial(team.team_scratch(0), 2 * kIntervals * kChunks);
    double low = 0, width = 1;
    f = p = 0;
    for (int pass = 1; pass <= kPasses; ++pass) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, kIntervals * kChunks), [&](int k) {
        add_chunk(integrand, low + k / kChunks * (width / kIntervals), width / kIntervals,
                  k % kChunks, partial(2 * k), partial(2 * k + 1));
      });
      team.team_barrier();
      double interval[2][kIntervals], sum[2] = {0, 0};
      for (int i = 0; i < kIntervals; ++i) {
        for (int which = 0; which < 2; ++which) {
          interval[which][i] = 0;
          for (int k = 0; k < kChunks; ++k)
            interval[which][i] += partial(2 * (i * kChunks + k) + which);
          sum[which] += interval[which][i];
        }
      }
      team.team_barrier();
      int first = kIntervals, last = -1;
      for (int i = 0; i < kIntervals; ++i) {
        if (!(interval[0][i] > kContributes * sum[0])) continue;
        first = i < first ? i : first;
        last = i;
      }
      const bool few = last - first + 1 < kFew, steep = pass == 1 && integrand.alpha < kSteepAlpha;
      if (pass == kPasses || last < 0 || !(few || steep)) {
        f += sum[0];
        p += sum[1];
        return;
      }
      if (few) {
        first = first > 0 ? first - 1 : 0;
        last = last < kIntervals - 1 ? last + 1 : kIntervals - 1;
      } else {
        first = last = 0;
      }
      for (int i = 0; i < kIntervals; ++i) {
        if (i >= first && i <= last) continue;
        f += interval[0][i];
        p += interval[1][i];
      }
      low += first * (width / kIntervals);
      width *= (last - first + 1.0) / kIntervals;
    }
  }

  /// Evaluates the distribution at a point to the right of zeta.
  KOKKOS_INLINE_FUNCTION Evaluation evaluate_right(const Member& team,
                                                   const StableDistribution& distribution, double x,
                                                   double distance) const {
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
      double f, p;
      integrate(team, integrand, f, p);
      v.pdf = integrand.front * f;
      v.cdf = distribution.at_one      ? p / kPi
              : distribution.alpha > 1 ? 1 - p / kPi
                                       : 1 - (integrand.length - p) / kPi;
      v.sf = distribution.at_one      ? 1 - p / kPi
             : distribution.alpha > 1 ? p / kPi
                                      : (integrand.length - p) / kPi;
      v.log_pdf = ::log(v.pdf);
      return v;
    }
    v.sf = 1 - v.cdf;
    v.log_pdf = ::log(v.pdf);
    return v;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const std::int64_t i = team.league_rank();
    const StableDistribution given = points.distribution(i);
    double x, distance;
    points.locate(given, i, x, distance);
    const bool reflected = given.at_one ? given.beta < 0 : distance < 0;
    Evaluation v;
    if (::fabs(x) < INFINITY) {
      const StableDistribution distribution = reflected ? given.mirrored() : given;
      v = evaluate_right(team, distribution, reflected ? -x : x, reflected ? -distance : distance);
      v.log_small_tail = ::log(v.sf < v.cdf ? v.sf : v.cdf);
      if (reflected) {
        const double sf = v.sf;
        v.sf = v.cdf;
        v.cdf = sf;
      }
    } else {
      v = evaluate_not_finite(x);
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] { points.store(i, given, v); });
  }
};

template <class ExecSpace>
void evaluate_views_by_paper(const ExecSpace& exec, const ViewPoints<ExecSpace>& points) {
  using Kernel = PaperKernel<ExecSpace>;
  require_results(points);
  const auto& out = points.out;
  if (out.d_x.extent(0) != 0 || out.d_alpha.extent(0) != 0 || out.d_beta.extent(0) != 0) {
    throw Error(ErrorKind::input, "stable: the method of the paper gives no scores");
  }
  if (points.x.extent(0) == 0) return;
  typename Kernel::Policy policy(exec, static_cast<int>(points.x.extent(0)), Kernel::kTeam);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Kernel::scratch_size())));
  Kokkos::parallel_for("tessera::stable::evaluate_by_paper", policy, Kernel{points, kKronrod});
}

}  // namespace tessera::stable::detail
