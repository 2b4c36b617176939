// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "tessera/core/device/sort.hpp"
#include "tessera/stable/law/evaluate.hpp"
#include "tessera/stable/law/evaluation_views.hpp"

/// Evaluation of many points. They need between 0 and 200 nodes on three kinds of contour, so on a
/// GPU lanes of a warp would wait for each other, and warps on different contours would evict each
/// other's code from the instruction cache. So on a GPU all points are first ordered by kind and
/// node count, and each kind has a kernel of its own:
///
///   find   the kind of contour, and the rule on it for all but the core; sort
///   aim    the rays through the core, next to each other now; sort again
///   integrate the core, the tails and what has a saddle
///
/// `Points` has `StableDistribution distribution(i)`, `void locate(distribution, i, x, distance)`
/// and `void store(i, distribution, evaluation)`.

namespace tessera::stable::detail {

template <class Points, Quantities quantities>
struct DirectKernel {
  Points points;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const StableDistribution distribution = points.distribution(i);
    double x, distance;
    points.locate(distribution, i, x, distance);
    points.store(i, distribution, evaluate_at<quantities>(distribution, x, distance));
  }
};

/// The key by which points are ordered: the kind of its contour, whether alpha is near 1, whether a
/// saddle is near the ray of the core or the legs are two, and the number of nodes.
struct PointKey {
  enum Kind : std::uint32_t { core, tail, saddle, done };
  static constexpr int kCountBits = 10, kBits = kCountBits + 4;

  Kind kind;
  bool near, special;
  int count;

  KOKKOS_INLINE_FUNCTION std::uint32_t packed() const {
    return static_cast<std::uint32_t>(kind) << (kCountBits + 2) | (near ? 2u << kCountBits : 0u) |
           (special ? 1u << kCountBits : 0u) | static_cast<std::uint32_t>(count);
  }
  KOKKOS_INLINE_FUNCTION static PointKey unpack(std::uint32_t packed) {
    return {static_cast<Kind>(packed >> (kCountBits + 2)), (packed >> (kCountBits + 1) & 1) != 0,
            (packed >> kCountBits & 1) != 0, static_cast<int>(packed & ((1u << kCountBits) - 1))};
  }
};

/// A batch of points and their contours, as the kernels below see them.
template <class Points, Quantities quantities>
struct PointBatch {
  Points points;
  std::int64_t base;
  std::uint32_t size;
  std::uint32_t* key;             ///< by point
  std::uint32_t *order, *sorted;  ///< by position in the order; a sort leaves nothing in `sorted`
  double* rule;                   ///< by point

  struct Point {
    StableDistribution distribution;  ///< reflected to x >= 0, as the contour sees it
    double x, distance;
    bool reflected;
  };

  KOKKOS_INLINE_FUNCTION Point point(std::uint32_t l) const {
    Point at;
    at.distribution = points.distribution(base + l);
    points.locate(at.distribution, base + l, at.x, at.distance);
    at.reflected = at.x < 0 || (at.x == 0 && at.distribution.beta < 0);
    if (at.reflected) {
      at.distribution = at.distribution.mirrored();
      at.x = -at.x;
      at.distance = -at.distance;
    }
    return at;
  }

  KOKKOS_INLINE_FUNCTION void store(std::uint32_t l, const Point& at, Evaluation v) const {
    finish(at.reflected, quantities, v);
    points.store(base + l, at.reflected ? at.distribution.mirrored() : at.distribution, v);
  }

  KOKKOS_INLINE_FUNCTION void keep(std::uint32_t l, const Contour& contour) const {
    rule[l] = contour.phi;
    rule[size + l] = contour.rule.log_unit;
    rule[2 * size + l] = contour.rule.stretch;
  }
};

/// The kinds of all points. Points that need no integral are evaluated at once.
template <class Points, Quantities quantities>
struct FindContours {
  PointBatch<Points, quantities> batch;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t l) const {
    const auto at = batch.point(l);
    PointKey key{PointKey::done, !at.distribution.far, false, 0};
    if (is_far_out(at.distribution, at.x)) {
      const StableDistribution distribution =
          at.reflected ? at.distribution.mirrored() : at.distribution;
      batch.points.store(batch.base + l, distribution,
                         evaluate_special(distribution, at.reflected ? -at.x : at.x, quantities));
    } else {
      const Stationary s = find_stationary(at.distribution, at.x, at.distance);
      const Contour contour =
          choose_region(at.distribution, at.x, at.distance, s, quantities == Quantities::pdf);
      if (contour.region == Region::outside || contour.far_light) {
        batch.store(l, at,
                    evaluate_on<quantities, false>(at.distribution, at.x, at.distance, contour));
      } else if (contour.region == Region::core) {
        key.kind = PointKey::core;
        key.special = saddle_is_near(s);
      } else {
        key.special = contour.region == Region::two_legs;
        key.kind = key.special || contour.has_saddle ? PointKey::saddle : PointKey::tail;
        key.count = contour.rule.count;
        batch.keep(l, contour);
      }
    }
    batch.key[l] = batch.sorted[l] = key.packed();
    batch.order[l] = l;
  }
};

/// The rays of the core, for points in order.
template <class Points, Quantities quantities>
struct AimRays {
  PointBatch<Points, quantities> batch;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t k) const {
    const std::uint32_t l = batch.order[k];
    PointKey key = PointKey::unpack(batch.key[l]);
    if (key.kind == PointKey::core) {
      const auto at = batch.point(l);
      Contour contour;
      set_core<ByThread>(at.distribution, at.x, at.distance, key.special,
                         quantities == Quantities::pdf, contour);
      key.count = contour.rule.count;
      batch.key[l] = key.packed();
      batch.keep(l, contour);
    }
    batch.sorted[k] = key.packed();
  }
};

/// The integrals of one kind, for points in order.
template <class Points, Quantities quantities, PointKey::Kind kind, bool near>
struct IntegrateKind {
  PointBatch<Points, quantities> batch;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t k) const {
    const std::uint32_t l = batch.order[k];
    const PointKey key = PointKey::unpack(batch.key[l]);
    if (key.kind != kind || (has_scores(quantities) && key.near != near)) return;
    const auto at = batch.point(l);
    constexpr bool core = kind == PointKey::core;
    Contour contour;
    contour.region =
        core ? Region::core
             : (kind == PointKey::saddle && key.special ? Region::two_legs : Region::tail);
    if (kind == PointKey::saddle) {
      const Stationary s = find_stationary(at.distribution, at.x, at.distance);
      contour.has_saddle = true;
      contour.log_saddle = s.log_tau;
      contour.saddle_real = s.real;
      contour.saddle_imag = s.imag;
    }
    const double stretch = batch.rule[2 * batch.size + l];
    contour.phi = core ? batch.rule[l] : kHalfPi;
    contour.rule = {batch.rule[batch.size + l], stretch,
                    first_node(at.distribution, core, quantities == Quantities::pdf, stretch),
                    core ? (key.special ? kCoreFineStep : kCoreStep) : kTailStep, key.count};
    batch.store(l, at, evaluate_on<quantities, near>(at.distribution, at.x, at.distance, contour));
  }
};

/// One thread a point; `kBlocks` blocks at a time on a multiprocessor, which caps the registers.
template <int kBlocks, class ExecSpace, class Kernel>
void for_points(const ExecSpace& exec, const char* label, std::uint32_t size,
                const Kernel& kernel) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>,
                                     Kokkos::LaunchBounds<128, kBlocks>>;
  Kokkos::parallel_for(label, Policy(exec, 0, size), kernel);
}

template <PointKey::Kind kind, class ExecSpace, class Points, Quantities quantities>
void integrate_kind(const ExecSpace& exec, const char* label,
                    const PointBatch<Points, quantities>& batch) {
  constexpr int kBlocks = has_scores(quantities) ? 3 : 4;
  for_points<kBlocks>(exec, label, batch.size,
                      IntegrateKind<Points, quantities, kind, false>{batch});
  if constexpr (has_scores(quantities))
    for_points<kBlocks>(exec, label, batch.size,
                        IntegrateKind<Points, quantities, kind, true>{batch});
}

template <Quantities quantities, class ExecSpace, class Points>
void evaluate_in_order(const ExecSpace& exec, std::int64_t base, std::uint32_t size,
                       const Points& points, EvaluationScratch<ExecSpace>& scratch) {
  using Words = typename EvaluationScratch<ExecSpace>::Words;
  const auto first = [&](const Words& words) { return Words(words.data(), size); };
  const Words order = first(scratch.order), sorted = first(scratch.sorted);
  const SortScratch<ExecSpace, std::uint32_t> sort_scratch{
      scratch.spare_sorted.data(), scratch.spare_order.data(), scratch.sort_scratch};
  const PointBatch<Points, quantities> batch{
      points, base, size, scratch.key.data(), order.data(), sorted.data(), scratch.rule.data()};
  for_points<4>(exec, "tessera::stable::find_contours", size,
                FindContours<Points, quantities>{batch});
  sort_by_key(exec, sorted.data(), order.data(), size, PointKey::kBits, sort_scratch);
  for_points<4>(exec, "tessera::stable::aim_rays", size, AimRays<Points, quantities>{batch});
  sort_by_key(exec, sorted.data(), order.data(), size, PointKey::kBits, sort_scratch);
  integrate_kind<PointKey::core>(exec, "tessera::stable::integrate_core", batch);
  integrate_kind<PointKey::tail>(exec, "tessera::stable::integrate_tails", batch);
  integrate_kind<PointKey::saddle>(exec, "tessera::stable::integrate_saddles", batch);
}

/// Evaluates `count` points; asynchronous, and without an allocation where the scratch is large
/// enough.
template <Quantities quantities, class ExecSpace, class Points>
void evaluate_points(const ExecSpace& exec, std::int64_t count, const Points& points,
                     EvaluationScratch<ExecSpace>& scratch) {
  if (count == 0) return;
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    constexpr std::int64_t kMost = EvaluationScratch<ExecSpace>::kMost;
    scratch.reserve(exec, std::min(count, kMost));
    for (std::int64_t base = 0; base < count; base += kMost) {
      evaluate_in_order<quantities>(
          exec, base, static_cast<std::uint32_t>(std::min(count - base, kMost)), points, scratch);
    }
  } else {
    using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>,
                                       Kokkos::Schedule<Kokkos::Dynamic>>;
    Kokkos::parallel_for("tessera::stable::evaluate", Policy(exec, 0, count).set_chunk_size(64),
                         DirectKernel<Points, quantities>{points});
  }
}

}  // namespace tessera::stable::detail
