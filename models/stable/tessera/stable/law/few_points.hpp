// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/hardware.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/stable/law/evaluate.hpp"

/// Evaluation of few points on a GPU, by one kernel. To order points by their contours takes ten
/// kernels, which is more than few points take; and one thread works through the hundred nodes of
/// its point one after the other. Here each point has a warp, whose threads all find the same
/// contour and share its nodes. Nodes are added in their order, so that sums are those of one
/// thread.

namespace tessera::stable::detail {

/// Up to so many points take one kernel. Warps that all find the same contour do some work 32
/// times: by their instructions, ordering pays from here on.
inline constexpr std::int64_t kFewPoints = 8192;

/// Adds the terms of a warp's threads, the first `count` of them, in the order of the threads.
template <Quantities quantities>
KOKKOS_FORCEINLINE_FUNCTION void add_terms_of_warp(const Sums& term, int count, Sums& total) {
  for (int lane = 0; lane < count; ++lane) {
    total.f += compat::warp_shuffle(term.f, lane);
    if constexpr (quantities != Quantities::pdf) total.sf += compat::warp_shuffle(term.sf, lane);
    if constexpr (has_scores(quantities)) {
      total.x += compat::warp_shuffle(term.x, lane);
      total.alpha += compat::warp_shuffle(term.alpha, lane);
      total.beta += compat::warp_shuffle(term.beta, lane);
    }
    if constexpr (quantities == Quantities::tail_scores) {
      total.sf_alpha += compat::warp_shuffle(term.sf_alpha, lane);
      total.sf_beta += compat::warp_shuffle(term.sf_beta, lane);
    }
  }
}

/// e^-u of a thread's nodes: of the first one, and 32 nodes on, by the multiplications with which
/// one thread comes from node to node.
class DecayOfLane {
 public:
  KOKKOS_INLINE_FUNCTION DecayOfLane(double first, double ratio, int lane)
      : m_value(first), m_ratio(ratio) {
    advance(lane);
  }
  KOKKOS_INLINE_FUNCTION void advance(int nodes) {
    for (int k = 0; k < nodes; ++k) m_value *= m_ratio;
  }
  KOKKOS_INLINE_FUNCTION double value() const { return m_value; }

 private:
  double m_value, m_ratio;
};

/// A warp evaluates a point: its threads come together, share the work and all get the results.
/// Where a warp is one thread, that does it all.
struct ByWarp {
  static constexpr int kLanes = 32;

  /// Five bisections at a time: each thread tests a node of the tree of their middles, whose root
  /// is 1 and the children of node k are 2 k (below) and 2 k + 1 (above).
  template <class Test>
  KOKKOS_INLINE_FUNCTION static double bisect(double low, double high, int steps,
                                              const Test& is_above) {
#if TESSERA_ON_CUDA
    constexpr int kLevels = 5;
    const int lane = static_cast<int>(compat::this_warp_lane().index), node = lane == 0 ? 1 : lane;
    for (int done = 0; done < steps; done += kLevels) {
      int depth = 0;
      while (node >> (depth + 1) != 0) ++depth;
      double own_low = low, own_high = high, middle = 0.5 * (low + high);
      for (int level = depth - 1; level >= 0; --level) {
        ((node >> level & 1) != 0 ? own_low : own_high) = middle;
        middle = 0.5 * (own_low + own_high);
      }
      const std::uint32_t above = compat::warp_ballot(is_above(middle));
      for (int level = 0, at = 1; level < kLevels && done + level < steps; ++level) {
        const bool up = (above >> at & 1) != 0;
        (up ? low : high) = 0.5 * (low + high);
        at = 2 * at + (up ? 1 : 0);
      }
    }
    return 0.5 * (low + high);
#else
    return ByThread::bisect(low, high, steps, is_above);
#endif
  }

  template <Quantities quantities, bool near, class Rule>
  KOKKOS_INLINE_FUNCTION static Sums along_ray(const StableDistribution& distribution,
                                               const Ray& ray, const Rule& rule) {
#if TESSERA_ON_CUDA
    const int lane = static_cast<int>(compat::this_warp_lane().index);
    DecayOfLane decayed(math::exponential(-rule.start), math::exponential(-rule.step), lane);
    Sums total;
    TESSERA_NO_UNROLL
    for (int begin = 0; begin < rule.count; begin += kLanes) {
      Sums term;
      if (begin + lane < rule.count) {
        double ln_r, r, weight;
        rule.node(begin + lane, decayed.value(), ln_r, r, weight);
        add_node<quantities, near>(distribution, ray, ln_r, r, weight, 0.0, 0.0, term);
      }
      add_terms_of_warp<quantities>(term, rule.count - begin < kLanes ? rule.count - begin : kLanes,
                                    total);
      decayed.advance(kLanes);
    }
    return total;
#else
    return integrate<quantities, near>(distribution, ray, rule);
#endif
  }

  template <Quantities quantities, bool near>
  KOKKOS_INLINE_FUNCTION static Sums along_path(const StableDistribution& distribution,
                                                const Path& path) {
#if TESSERA_ON_CUDA
    const int lane = static_cast<int>(compat::this_warp_lane().index);
    DecayOfLane decayed(kFirstPathDecay, math::exponential(-kPathStep), lane);
    Sums total;
    bool ended = false;
    TESSERA_NO_UNROLL
    for (int begin = 0; begin < kMostPathNodes && !ended; begin += kLanes) {
      Sums term;
      const double fall =
          add_path_node<quantities, near>(distribution, path, begin + lane, decayed.value(), term);
      const std::uint32_t beyond =
          compat::warp_ballot(path_has_ended(distribution, fall, begin + lane));
      ended = beyond != 0;
      add_terms_of_warp<quantities>(term, ended ? compat::countr_zero(beyond) : kLanes, total);
      decayed.advance(kLanes);
    }
    return total;
#else
    return integrate_path<quantities, near>(distribution, path);
#endif
  }
};

/// A warp for each of the points, which are those of view_points.hpp.
template <class ExecSpace, class Points, Quantities quantities>
struct FewPointsKernel {
  static constexpr int kTeam = compat::is_gpu_v<ExecSpace> ? ByWarp::kLanes : 1;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<kTeam, 8>>;

  Points points;

  KOKKOS_INLINE_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const std::int64_t i = team.league_rank();
    const StableDistribution distribution = points.distribution(i);
    double x, distance;
    points.locate(distribution, i, x, distance);
    const Evaluation v = evaluate_point<quantities, ByWarp>(distribution, x, distance);
    if (team.team_rank() == 0) points.store(i, distribution, v);
  }
};

/// Evaluates `count` points; asynchronous.
template <Quantities quantities, class ExecSpace, class Points>
void evaluate_few_points(const ExecSpace& exec, std::int64_t count, const Points& points) {
  using Kernel = FewPointsKernel<ExecSpace, Points, quantities>;
  if (count == 0) return;
  Kokkos::parallel_for("tessera::stable::evaluate_few",
                       typename Kernel::Policy(exec, static_cast<int>(count), Kernel::kTeam),
                       Kernel{points});
}

}  // namespace tessera::stable::detail
