// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

 private:
  static constexpr double kMostGrowth = 2;

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
