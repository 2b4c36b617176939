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

/// The numbers of an incomplete factor. Of the complete factor no H_i is below 1 / d_i + W_i; where
/// one is, or weights are more than twice those of B, the row is made without the children.
template <class ExecSpace>
struct IncompleteFactor {
  using Weights = Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace>;
  static constexpr double kMostGrowth = 2;

  FactorRows<ExecSpace> rows;
  NumberView<ExecSpace> variance, weight;
  Weights result;
  NumberView<ExecSpace> pivot;
};

/// Makes rows of C and H, a row by a thread of a CPU. Each thread has a list of all points that
/// says which neighbour of the row each is, so that the row of a child is taken once and without
/// branches. What a child has at other points is added up behind the sums, in several places that
/// need not wait for each other, and left out.
template <class ExecSpace>
struct FactorRowsIncompletely : IncompleteFactor<ExecSpace> {
  using Base = IncompleteFactor<ExecSpace>;
  using Numbers = typename Base::Weights;
  using Tokens =
      Kokkos::Experimental::UniqueToken<ExecSpace, Kokkos::Experimental::UniqueTokenScope::Global>;
  using Slots = Kokkos::View<std::int16_t**, Kokkos::LayoutRight, ExecSpace>;

  static constexpr std::int64_t kSpare = 16;  // places behind the sums

  Tokens tokens;
  Slots slots;   // a row a thread; between the rows of C those of ClearSlots
  Numbers sums;  // a row a thread: those of the neighbours, and kSpare more

  FactorRowsIncompletely(const Base& factor, const Tokens& tokens_given, const Slots& slots_given,
                         const Numbers& sums_given)
      : Base(factor), tokens(tokens_given), slots(slots_given), sums(sums_given) {}

  /// Returns the slot of a point that is no neighbour.
  KOKKOS_INLINE_FUNCTION static std::int16_t spare_slot(std::int64_t width, std::int64_t point) {
    return static_cast<std::int16_t>(width + point % kSpare);
  }

  KOKKOS_INLINE_FUNCTION void take(std::int64_t i, std::int64_t) const {
    const auto token = static_cast<std::int64_t>(tokens.acquire());
    make_row(i, &slots(token, 0), &sums(token, 0));
    tokens.release(static_cast<typename Tokens::size_type>(token));
  }

 private:
  KOKKOS_INLINE_FUNCTION void make_row(std::int64_t i, std::int16_t* slot, double* sum) const {
    const FactorRows<ExecSpace>& rows = this->rows;
    const auto width = static_cast<std::int64_t>(rows.neighbours.extent(1));
    const double precision = 1 / this->variance(i), own = precision + this->weight(i);
    const std::int32_t* const neighbours = &rows.neighbours(i, 0);
    const double* const weights = &rows.weights(i, 0);
    for (std::int64_t j = 0; j < width; ++j) {
      if (neighbours[j] >= 0) slot[neighbours[j]] = static_cast<std::int16_t>(j);
      sum[j] = weights[j] * precision;
    }
    double total = own;
    for (std::int64_t k = rows.children.begin(i); k < rows.children.begin(i + 1); ++k)
      subtract_child(rows.children.child(k), rows.children.slot(k), width, slot, sum, total);
    double before = 0, after = 0;
    for (std::int64_t j = 0; j < width; ++j) {
      if (neighbours[j] < 0) continue;
      slot[neighbours[j]] = spare_slot(width, neighbours[j]);
      take_larger(weights[j], before);
      take_larger(sum[j], after);
    }
    // What the pattern leaves out may grow from point to point.
    const bool is_good = total > own && after <= Base::kMostGrowth * total * before;
    if (!is_good) total = own;
    for (std::int64_t j = 0; j < width; ++j)
      this->result(i, j) = (is_good ? sum[j] : weights[j] * precision) / total;
    this->pivot(i) = total;
  }

  /// Subtracts what a child has at the point, its neighbour `of_point`, and at the others.
  KOKKOS_INLINE_FUNCTION void subtract_child(std::int64_t child, std::int32_t of_point,
                                             std::int64_t width, const std::int16_t* slot,
                                             double* sum, double& total) const {
    const std::int32_t* const neighbours = &this->rows.neighbours(child, 0);
    const double *const weights = &this->rows.weights(child, 0), *const results =
                                                                     &this->result(child, 0);
    const double before = weights[of_point] / this->variance(child),
                 after = results[of_point] * this->pivot(child);
    total += before * weights[of_point] - after * results[of_point];
    for (std::int64_t t = 0; t < width; ++t) {
      if (neighbours[t] >= 0) sum[slot[neighbours[t]]] -= before * weights[t] - after * results[t];
    }
  }

  /// Takes the size of a number, NaN as infinity.
  KOKKOS_INLINE_FUNCTION static void take_larger(double number, double& most) {
    const double size = compat::math::fabs(number);
    if (!(size <= most)) most = size >= 0 ? size : INFINITY;
  }
};

/// Sets the slots of all points, in the lists of all threads, to those of points that are no
/// neighbours.
template <class ExecSpace>
struct ClearSlots {
  typename FactorRowsIncompletely<ExecSpace>::Slots slots;
  std::int64_t width;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t point) const {
    for (std::size_t t = 0; t < slots.extent(0); ++t)
      slots(t, point) = FactorRowsIncompletely<ExecSpace>::spare_slot(width, point);
  }
};

/// Makes rows of C and H, a row by the lanes of a thread of a GPU: H from a child each, then C from
/// a neighbour each.
template <class ExecSpace>
struct FactorInLanesIncompletely : IncompleteFactor<ExecSpace> {
  using Base = IncompleteFactor<ExecSpace>;
  using Base::kMostGrowth, Base::rows, Base::variance, Base::weight, Base::result, Base::pivot;
  using typename Base::Weights;

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
};

}  // namespace tessera::gp::detail
