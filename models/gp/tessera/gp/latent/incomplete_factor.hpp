// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/latent/block_algebra.hpp"
#include "tessera/gp/latent/factor_products.hpp"

/// The incomplete factor of A = B' D^-1 B + W in the pattern of B (Schaefer, Katzfuss and Owhadi
/// 2021; Zilber and Katzfuss 2021): A is about P = C' H C with the unit lower triangular C, which
/// has the negative weights c_ij at the neighbours of point i, and the diagonal H,
///
///     H_i = 1 / d_i + W_i + sum_k (b_ki^2 / d_k - c_ki^2 H_k)
///     c_ij = [b_ij / d_i - sum_k (b_ki b_kj / d_k - c_ki c_kj H_k)] / H_i
///
/// over the children k of i that have j as a neighbour as well. Without W it is B and D^-1. Points
/// come after their children, level by level.

namespace tessera::gp::detail {

/// Makes rows of C and H. Of the complete factor no H_i is below 1 / d_i + W_i; where one is, or
/// weights are more than twice those of B, the row is made without the children.
template <class ExecSpace>
struct FactorIncompletely {
  using Weights = Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace>;

  FactorRows<ExecSpace> rows;
  Kokkos::View<std::int32_t**, Kokkos::LayoutRight, ExecSpace> sorted;  // slots, by their points
  NumberView<ExecSpace> variance, weight;
  Weights result;
  NumberView<ExecSpace> pivot;

  KOKKOS_INLINE_FUNCTION void take(std::int64_t i, std::int64_t) const {
    const auto width = static_cast<std::int64_t>(rows.neighbours.extent(1));
    const double precision = 1 / variance(i), own = precision + weight(i);
    double total = own;
    for (std::int64_t j = 0; j < width; ++j) result(i, j) = rows.weights(i, j) * precision;
    for (std::int64_t k = rows.children.begin(i); k < rows.children.begin(i + 1); ++k) {
      const std::int64_t child = rows.children.child(k);
      const std::int32_t slot = rows.children.slot(k);
      const double before = rows.weights(child, slot) / variance(child),
                   after = result(child, slot) * pivot(child);
      total += before * rows.weights(child, slot) - after * result(child, slot);
      subtract_common(i, child, before, after);
    }
    // What the pattern leaves out may grow from point to point.
    if (!(total > own) || !(largest(result, i) <= kMostGrowth * total * largest(rows.weights, i))) {
      total = own;
      for (std::int64_t j = 0; j < width; ++j) result(i, j) = rows.weights(i, j) * precision;
    }
    pivot(i) = total;
    for (std::int64_t j = 0; j < width; ++j) result(i, j) /= total;
  }

  /// The same by the lanes of a thread: H from a child each, then C from a neighbour each.
  template <class Member>
  KOKKOS_INLINE_FUNCTION void take_in_lanes(const Member& team, std::int64_t i) const {
    const auto width = static_cast<std::int64_t>(rows.neighbours.extent(1));
    const std::int64_t begin = rows.children.begin(i), end = rows.children.begin(i + 1);
    const double precision = 1 / variance(i), own = precision + weight(i);
    double total = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, end - begin),
        [&](std::int64_t k, double& sum) {
          const ChildWeights child = weights_of_child(begin + k);
          sum += child.before * child.weight - child.after * child.result;
        },
        total);
    total += own;
    double largest_before = 0, largest_after = 0;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, width), [&](std::int64_t j) {
      result(i, j) = rows.weights(i, j) * precision - common_of_children(i, j);
    });
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, width),
        [&](std::int64_t j, double& most) { take_larger(rows.weights, i, j, most); },
        Kokkos::Max<double>(largest_before));
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, width),
        [&](std::int64_t j, double& most) { take_larger(result, i, j, most); },
        Kokkos::Max<double>(largest_after));
    const bool is_good = total > own && largest_after <= kMostGrowth * total * largest_before;
    if (!is_good) total = own;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, width), [&](std::int64_t j) {
      result(i, j) = (is_good ? result(i, j) : rows.weights(i, j) * precision) / total;
    });
    Kokkos::single(Kokkos::PerThread(team), [&]() { pivot(i) = total; });
  }

 private:
  static constexpr double kMostGrowth = 2;

  /// What a point has in the row of a child: its weights there, and these times 1/d and H.
  struct ChildWeights {
    std::int64_t child;
    double weight, result, before, after;
  };
  KOKKOS_INLINE_FUNCTION ChildWeights weights_of_child(std::int64_t k) const {
    const std::int64_t child = rows.children.child(k);
    const std::int32_t slot = rows.children.slot(k);
    const double of_factor = rows.weights(child, slot), of_result = result(child, slot);
    return {child, of_factor, of_result, of_factor / variance(child), of_result * pivot(child)};
  }

  /// What the children of point i that have its neighbour j as well take from c_ij H_i.
  KOKKOS_INLINE_FUNCTION double common_of_children(std::int64_t i, std::int64_t j) const {
    const std::int32_t own = rows.neighbours(i, j);
    if (own < 0) return 0;
    const auto width = static_cast<std::int64_t>(rows.neighbours.extent(1));
    double sum = 0;
    for (std::int64_t k = rows.children.begin(i); k < rows.children.begin(i + 1); ++k) {
      const ChildWeights child = weights_of_child(k);
      std::int64_t slot = -1;
      for (std::int64_t t = 0; t < width; ++t)
        slot = rows.neighbours(child.child, t) == own ? t : slot;
      if (slot >= 0)
        sum += child.before * rows.weights(child.child, slot) -
               child.after * result(child.child, slot);
    }
    return sum;
  }

  /// Takes the size of a weight, NaN as infinity.
  KOKKOS_INLINE_FUNCTION void take_larger(const Weights& weights, std::int64_t i, std::int64_t j,
                                          double& most) const {
    if (rows.neighbours(i, j) < 0) return;
    const double size = compat::math::fabs(weights(i, j));
    if (!(size <= most)) most = size >= 0 ? size : INFINITY;
  }

  /// Returns the largest size of the weights of a row.
  KOKKOS_INLINE_FUNCTION double largest(const Weights& weights, std::int64_t i) const {
    const auto width = static_cast<std::int64_t>(rows.neighbours.extent(1));
    double size = 0;
    for (std::int64_t j = 0; j < width; ++j) {
      if (rows.neighbours(i, j) < 0) continue;
      const double one = compat::math::fabs(weights(i, j));
      if (!(one <= size)) size = one;
    }
    return size;
  }

  /// Merges the neighbours of i and of its child, which are sorted by their points; missing ones
  /// come first.
  KOKKOS_INLINE_FUNCTION void subtract_common(std::int64_t i, std::int64_t child, double before,
                                              double after) const {
    const auto width = static_cast<std::int64_t>(rows.neighbours.extent(1));
    std::int64_t a = 0, b = 0;
    while (a < width && b < width) {
      const std::int32_t own_slot = sorted(i, a), other_slot = sorted(child, b),
                         own = rows.neighbours(i, own_slot),
                         other = rows.neighbours(child, other_slot);
      if (own < 0 || own < other) {
        ++a;
      } else if (other < own) {
        ++b;
      } else {
        result(i, own_slot) -=
            before * rows.weights(child, other_slot) - after * result(child, other_slot);
        ++a;
        ++b;
      }
    }
  }
};

}  // namespace tessera::gp::detail
