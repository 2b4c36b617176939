// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "models/stable/evaluate.hpp"

/// Evaluation of many points on a GPU. Points need between 0 and 200 nodes on three kinds of contour, so lanes of a warp would wait for
/// each other: a team chooses the contours of a tile of points first, orders the tile by kind and node count in its scratch memory, and
/// only then integrates.

namespace tessera::stable::detail {

/// Reads point i: any `Points` has `Law law(i)`, `void place(law, i, x, distance)` and `void store(i, law, evaluation)`.
template <class Points, Want want>
struct DirectKernel {
  Points points;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const Law law = points.law(i);
    double x, distance;
    points.place(law, i, x, distance);
    points.store(i, law, evaluate_at<want>(law, x, distance));
  }
};

template <class ExecSpace, class Points, Want want>
struct OrderedKernel {
  static constexpr int kTeam = 128, kTile = 1024, kBuckets = 512, kCountStep = 4;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<kTeam, want == Want::scores ? 3 : 4>>;
  using Member = typename Policy::member_type;
  using Scratch = typename ExecSpace::scratch_memory_space;
  using Doubles = Kokkos::View<double*, Scratch, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Integers = Kokkos::View<int*, Scratch, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Points points;
  std::int64_t count;

  static int scratch_size() { return static_cast<int>(Doubles::shmem_size(3 * kTile) + Integers::shmem_size(2 * kTile + kBuckets)); }

  /// The point as the contour sees it: reflected to x >= 0.
  KOKKOS_INLINE_FUNCTION bool reflected_point(std::int64_t i, Law& law, double& x, double& distance) const {
    law = points.law(i);
    points.place(law, i, x, distance);
    const bool reflected = x < 0 || (x == 0 && law.beta < 0);
    if (reflected) {
      law = mirrored(law);
      x = -x;
      distance = -distance;
    }
    return reflected;
  }

  /// What is kept of a contour: three numbers, and kind and node count in the key.
  KOKKOS_INLINE_FUNCTION static int key_of(const Contour& contour, bool near) {
    const int steps = contour.region == Region::two_legs ? 0 : contour.rule.count / kCountStep;
    const bool special = contour.region == Region::core ? contour.rule.step < 0.08 : contour.has_saddle;
    return ((static_cast<int>(contour.region) * 2 + (special ? 1 : 0)) * 2 + (near ? 1 : 0)) * 32 + (steps > 62 ? 31 : steps / 2);
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const Doubles kept(team.team_scratch(0), 3 * kTile);
    const Integers order(team.team_scratch(0), kTile), packed(team.team_scratch(0), kTile), bucket(team.team_scratch(0), kBuckets);
    const std::int64_t base = static_cast<std::int64_t>(team.league_rank()) * kTile;
    const int tile = static_cast<int>(count - base < kTile ? count - base : kTile);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, kBuckets), [&](int b) { bucket(b) = 0; });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile), [&](int l) {
      Law law;
      double x, distance;
      reflected_point(base + l, law, x, distance);
      Contour contour;
      if (::fabs(x) < kFarOut) contour = choose_contour(law, x, distance, want == Want::pdf);
      kept(l) = contour.phi;
      kept(kTile + l) = contour.rule.log_unit;
      kept(2 * kTile + l) = contour.rule.stretch;
      const int key = key_of(contour, !law.far);
      packed(l) = (key << 16) | (contour.far_light ? 1 << 15 : 0) | (contour.rule.count & 0x7fff);
      Kokkos::atomic_fetch_add(&bucket(key), 1);
    });
    team.team_barrier();
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, kBuckets), [&](int b, int& sum, bool final) {
      const int here = bucket(b);
      if (final) bucket(b) = sum;
      sum += here;
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile),
                         [&](int l) { order(Kokkos::atomic_fetch_add(&bucket(packed(l) >> 16), 1)) = l; });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile), [&](int k) { integrate_point(base, order(k), kept, packed); });
  }

  KOKKOS_INLINE_FUNCTION void integrate_point(std::int64_t base, int l, const Doubles& kept, const Integers& packed) const {
    Law law;
    double x, distance;
    const bool reflected = reflected_point(base + l, law, x, distance);
    const Law original = reflected ? mirrored(law) : law;
    if (!(::fabs(x) < kFarOut)) {
      points.store(base + l, original, evaluate_special(original, reflected ? -x : x, want));
      return;
    }
    const int key = packed(l) >> 16;
    Contour contour;
    contour.region = static_cast<Region>(key / 128);
    contour.far_light = (packed(l) >> 15 & 1) != 0;
    const bool special = (key / 64 & 1) != 0, core = contour.region == Region::core;
    if (!core && contour.region != Region::outside) {
      const Stationary s = find_stationary(law, x, distance);
      contour.has_saddle = special;
      contour.log_saddle = s.log_tau;
      contour.saddle_real = s.real;
      contour.saddle_imag = s.imag;
    }
    contour.phi = kept(l);
    const double stretch = kept(2 * kTile + l);
    contour.rule = {kept(kTile + l), stretch, first_node_of(law, core, want == Want::pdf, stretch),
                    core ? (special ? kCoreFineStep : kCoreStep) : kTailStep, packed(l) & 0x7fff};
    Evaluation v = law.far || want != Want::scores ? evaluate_on<want, false>(law, x, distance, contour)
                                                   : evaluate_on<want, true>(law, x, distance, contour);
    finish(reflected, want, v);
    points.store(base + l, original, v);
  }
};

/// Evaluates `count` points, asynchronously.
template <Want want, class ExecSpace, class Points>
void evaluate_points(const ExecSpace& exec, std::int64_t count, const Points& points) {
  if (count == 0) return;
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    using Kernel = OrderedKernel<ExecSpace, Points, want>;
    const Kernel kernel{points, count};
    typename Kernel::Policy policy(exec, static_cast<int>((count + Kernel::kTile - 1) / Kernel::kTile), Kernel::kTeam);
    policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_size()));
    Kokkos::parallel_for("tessera::stable::evaluate", policy, kernel);
  } else {
    using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>, Kokkos::Schedule<Kokkos::Dynamic>>;
    Kokkos::parallel_for("tessera::stable::evaluate", Policy(exec, 0, count).set_chunk_size(64), DirectKernel<Points, want>{points});
  }
}

}  // namespace tessera::stable::detail
