// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/random.hpp"
#include "tessera/gbees/detail/likelihood.hpp"
#include "tessera/gbees/detail/particles.hpp"

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

/// Cumulative weights in integers.
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

/// Each particle becomes its ancestor.
template <int D, class Points, class Words>
struct TakeAncestors {
  Points from, to;
  Words cumulative;
  double uniform;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n) const {
    const auto count = static_cast<std::uint32_t>(cumulative.extent(0));
    const std::uint64_t whole = cumulative(count - 1);
    const auto passed = static_cast<std::uint64_t>((n + uniform) / count * static_cast<double>(whole));
    const std::uint64_t at = compat::min(passed, whole - 1);
    std::uint32_t first = 0, last = count - 1;  // the first whose cumulative weight is above
    while (first < last) {
      const std::uint32_t middle = first + (last - first) / 2;
      if (cumulative(middle) > at) {
        last = middle;
      } else {
        first = middle + 1;
      }
    }
    for (int i = 0; i < D; ++i) to(n, i) = from(first, i);
  }
};

constexpr int kMostQuantities = 8;

/// Differences of h at each member from h at the first, of angles the shortest way round.
template <class Points>
using Differences = Kokkos::View<double* [kMostQuantities], Kokkos::LayoutLeft, typename Points::execution_space>;

template <int D, class Points>
struct FindDifferences {
  Likelihood<D> likelihood;
  Points points;
  Differences<Points> difference;
  Kokkos::View<double*, typename Points::execution_space> first;  ///< residuals of the first member
  double time;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n) const {
    Vector<D> x, reference;
    for (int i = 0; i < D; ++i) {
      x[i] = points(n, i);
      reference[i] = points(0, i);
    }
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

/// Sums of the products of one difference with the coordinates and with all differences, about the means.
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

/// Moves the members by the gain times what was measured, with an error for each, less what they predict.
template <int D, class Points>
struct MoveMembers {
  Points points;
  Differences<Points> difference;
  MemberMeans<D> mean;
  int quantities;
  double innovation[kMostQuantities] = {};
  double gain[D][kMostQuantities] = {};
  double root[kMostQuantities][kMostQuantities] = {};  ///< Cholesky factor of the errors' covariance
  Philox random;
  std::uint64_t draw;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t n) const {
    double normal[kMostQuantities] = {};
    for (int a = 0; a < quantities; a += 2) {
      const NormalPair pair(random.bits(n, draw + static_cast<std::uint64_t>(a / 2)));
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
