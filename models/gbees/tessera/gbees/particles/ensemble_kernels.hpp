// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/random.hpp"
#include "tessera/gbees/particles/particles.hpp"
#include "tessera/gbees/propagator/likelihood.hpp"

/// The kernels of filters with particles, besides those of the Monte Carlo comparison.

namespace tessera::gbees::detail {

/// Sums of the weights, in units of the largest, and of their squares.
template <class Numbers>
struct SumSquaredWeights {
  static constexpr int kSums = 2;
  Numbers log_weight;
  double largest;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n, double* sum) const {
    const double weight = compat::math::exp(log_weight(n) - largest);
    if (!(weight > 0)) return;  // no number either
    sum[0] += weight;
    sum[1] += weight * weight;
  }
};

/// Cumulative weights in integers, of the particles of one rank.
template <class Numbers, class Words>
struct CumulateWeights {
  static constexpr double kUnits = 0x1p62;
  Numbers log_weight;
  double largest, total;
  Words cumulative;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n, std::uint64_t& sum, bool final) const {
    const double weight = compat::math::exp(log_weight(n) - largest) / total;
    if (weight > 0) sum += static_cast<std::uint64_t>(weight * kUnits);
    if (final) cumulative(n) = sum;
  }
};

/// Selects ancestors: the threshold is the cumulative weight that the ancestor of each of `count`
/// particles passes. It ascends with their numbers.
struct Selection {
  double uniform;
  std::uint64_t count, whole;

  KOKKOS_INLINE_FUNCTION std::uint64_t operator()(std::uint64_t n) const {
    const double at = (static_cast<double>(n) + uniform) / static_cast<double>(count) *
                      static_cast<double>(whole);
    return compat::min(static_cast<std::uint64_t>(at), whole - 1);
  }

  /// Returns the first particle whose threshold is at least `weight`.
  std::uint64_t first_from(std::uint64_t weight) const {
    std::uint64_t first = 0, last = count;
    while (first < last) {
      const std::uint64_t middle = first + (last - first) / 2;
      if ((*this)(middle) >= weight) {
        last = middle;
      } else {
        first = middle + 1;
      }
    }
    return first;
  }
};

/// Particles from number `first` on become their ancestors, which this rank has.
template <int D, class Points, class Words>
struct TakeAncestors {
  Points from, to;
  Words cumulative;
  std::uint64_t before;  ///< weight of the particles of the ranks before this one
  Selection selection;
  std::uint64_t first;
  std::uint32_t row;  ///< of `to`, where the first goes

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n) const {
    const std::uint64_t at = selection(first + n) - before;
    // the least whose cumulative weight is above
    std::uint32_t least = 0, last = static_cast<std::uint32_t>(cumulative.extent(0)) - 1;
    while (least < last) {
      const std::uint32_t middle = least + (last - least) / 2;
      if (cumulative(middle) > at) {
        last = middle;
      } else {
        least = middle + 1;
      }
    }
    for (int i = 0; i < D; ++i) to(row + n, i) = from(least, i);
  }
};

constexpr int kMostQuantities = 8;

/// Differences of h at each member from h at a reference, the first of all members, of angles the
/// shortest way round.
template <class Points>
using Differences =
    Kokkos::View<double* [kMostQuantities], Kokkos::LayoutLeft, typename Points::execution_space>;

template <int D, class Points>
struct FindDifferences {
  Likelihood<D> likelihood;
  Points points;
  Vector<D> reference;
  Differences<Points> difference;
  /// Residuals of this rank's first member
  Kokkos::View<double*, typename Points::execution_space> first;
  double time;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n) const {
    Vector<D> x;
    for (int i = 0; i < D; ++i) x[i] = points(n, i);
    for (int a = 0; a < likelihood.count; ++a) {
      const double d = likelihood.function(a, x, time) - likelihood.function(a, reference, time);
      const double period = likelihood.numbers[likelihood.count + a];
      difference(n, a) = period > 0 ? d - period * compat::math::floor(d / period + 0.5) : d;
      if (n == 0) first(a) = likelihood.residual(a, x, time);
    }
  }
};

/// Sums of the coordinates and the differences.
template <int D, class Points>
struct SumMembers {
  static constexpr int kSums = D + kMostQuantities;
  Points points;
  Differences<Points> difference;
  int quantities;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n, double* sum) const {
    for (int i = 0; i < D; ++i) sum[i] += points(n, i);
    for (int a = 0; a < quantities; ++a) sum[D + a] += difference(n, a);
  }
};

/// Means of the coordinates and the differences.
template <int D>
struct MemberMeans {
  double x[D] = {};
  double difference[kMostQuantities] = {};
};

/// Sums of the products of one difference with the coordinates and with all differences, about the
/// means.
template <int D, class Points>
struct SumCrossProducts {
  static constexpr int kSums = D + kMostQuantities;
  Points points;
  Differences<Points> difference;
  MemberMeans<D> mean;
  int quantities, quantity;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n, double* sum) const {
    const double d = difference(n, quantity) - mean.difference[quantity];
    for (int i = 0; i < D; ++i) sum[i] += d * (points(n, i) - mean.x[i]);
    for (int a = 0; a < quantities; ++a) sum[D + a] += d * (difference(n, a) - mean.difference[a]);
  }
};

/// Moves the members by the gain times what was measured, with an error for each, less what they
/// predict.
template <int D, class Points>
struct MoveMembers {
  Points points;
  Differences<Points> difference;
  MemberMeans<D> mean;
  int quantities;
  double innovation[kMostQuantities] = {};
  double gain[D][kMostQuantities] = {};
  /// Cholesky factor of the errors' covariance
  double root[kMostQuantities][kMostQuantities] = {};
  Philox random;
  std::uint64_t first, draw;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n) const {
    double normal[kMostQuantities] = {};
    for (int a = 0; a < quantities; a += 2) {
      const NormalPair pair(random.bits(first + n, draw + static_cast<std::uint64_t>(a / 2)));
      normal[a] = pair.first;
      normal[a + 1] = pair.second;
    }
    for (int a = 0; a < quantities; ++a) {
      double residual = innovation[a] - (difference(n, a) - mean.difference[a]);
      for (int b = 0; b <= a; ++b) residual += root[a][b] * normal[b];
      for (int i = 0; i < D; ++i) points(n, i) += gain[i][a] * residual;
    }
  }
};

}  // namespace tessera::gbees::detail
