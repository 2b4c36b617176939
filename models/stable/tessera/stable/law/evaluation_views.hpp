// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::stable {

/// Results of a batch, one element per point. A View without extent is not computed. Tails cost
/// next to nothing beside the density, scores half as much again.
template <class ExecSpace>
struct EvaluationViews {
  using View = Kokkos::View<double*, ExecSpace>;
  View pdf, log_pdf, cdf, sf;
  View d_x, d_alpha, d_beta;  ///< derivatives of log pdf: in x, alpha and beta
  View log_cdf{}, log_sf{};   ///< also where the tails are no numbers any more
  /// Derivatives of sf in alpha and beta; minus them of cdf. Those in x are minus and plus pdf
  View sf_alpha{}, sf_beta{};
};

/// Memory in which points are ordered on a GPU, at most 185 MB. It grows when a call needs more and
/// is kept for the next; calls on one execution space instance may share it. CPUs take none.
template <class ExecSpace>
struct EvaluationScratch {
  using Memory = typename ExecSpace::memory_space;
  using Words = Kokkos::View<std::uint32_t*, Memory>;

  static constexpr std::int64_t kMost = std::int64_t(1) << 22;  ///< points at a time

  Words key;  ///< of each point
  /// Points in order, and the keys that they are sorted by
  Words order, sorted, spare_order, spare_sorted;
  /// angle, ln of the unit and stretch of each point's rule
  Kokkos::View<double*, Memory> rule;
  Kokkos::View<char*, Memory> sort_scratch;

  void reserve(const ExecSpace& exec, std::int64_t points) {
    if (static_cast<std::int64_t>(key.extent(0)) >= points) return;
    *this = EvaluationScratch();  // frees before it takes
    const auto words = [&] {
      return Words(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::stable::order"),
                   points);
    };
    key = words();
    order = words();
    sorted = words();
    spare_order = words();
    spare_sorted = words();
    rule = Kokkos::View<double*, Memory>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::stable::rule"), 3 * points);
  }
};

}  // namespace tessera::stable
