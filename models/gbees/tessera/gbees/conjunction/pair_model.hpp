// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/exact_sum.hpp"
#include "tessera/gbees/conjunction/closest_approach.hpp"

/// What kernels know of a conjunction, and what they find.

namespace tessera::gbees {

/// How pairs are drawn where hits are rare. Of the twelve normal numbers z of a pair the first two,
/// s, move the pair across the encounter plane, and the other ten nearly leave it there. For each
/// draw of these ten a solver finds the s = c at which the pair meets. Then s is drawn from a
/// mixture about c: a disc somewhat wider than the hard body, a normal distribution of three times
/// its radius, and the normal distribution of s itself. A hit counts with the ratio of the true
/// density to that of the mixture (Owen, Zhou, JASA 95 (2000) 135: a defensive mixture), which is
/// unbiased whatever c is.
struct TubeProposal {
  static constexpr double kDisc = 0.75, kWide = 0.15, kPrior = 0.10;  ///< shares of the mixture
  static constexpr double kDiscRadius = 1.15, kWideDeviation = 3;     ///< in hard-body radii

  double time = 0, s[2] = {};  ///< where the mean of the ten meets
  /// Added to the third number, but in the last part of the mixture: not 0 where pairs would meet
  /// after the window's end
  double shift = 0;
  double slope[3][2] = {};   ///< d(relative position)/d(s) there
  double across[2][2] = {};  ///< s of a displacement in the encounter plane, 1/m
  double area = 0;           ///< |determinant| of `across`
};

/// The joint distribution of a pair of orbits, and when they count as met. Elements are Gaussian:
/// those of both objects are mean + spread z, z of twelve independent normal numbers.
struct PairModel {
  double mu = 0;
  double mean[12] = {};  ///< equinoctial elements of the first object and of the second
  double spread[12][12] = {};
  detail::EncounterWindow window;
  double radius = 0;  ///< m, of both bodies together
  bool is_importance = false;
  TubeProposal tube;
  double weight_scale = 1, square_scale = 1;  ///< powers of two that keep sums within ExactSum
};

/// What a number of pairs came to. All sums are exact, so that their bits do not depend on the
/// order.
struct PairTally {
  std::uint64_t pairs = 0;
  std::uint64_t hits = 0;           ///< came closer than the radius within the window
  std::uint64_t starts_inside = 0;  ///< of these: were closer at its beginning
  std::uint64_t entries = 0;        ///< came closer after they were not
  std::uint64_t unbound = 0;        ///< draws that are no ellipse, and count as misses
  // Of importance sampling: sums over hits of weights, their squares, and over the other two kinds.
  ExactSum weight, square, weight_inside, weight_entries;

  KOKKOS_INLINE_FUNCTION PairTally& operator+=(const PairTally& other) {
    pairs += other.pairs;
    hits += other.hits;
    starts_inside += other.starts_inside;
    entries += other.entries;
    unbound += other.unbound;
    weight += other.weight;
    square += other.square;
    weight_inside += other.weight_inside;
    weight_entries += other.weight_entries;
    return *this;
  }
};

}  // namespace tessera::gbees
