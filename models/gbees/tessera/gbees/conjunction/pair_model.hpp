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
  double mean[12] = {};        ///< equinoctial elements of the first object and of the second
  double spread[12][12] = {};  ///< of pairs that are drawn directly two blocks of 6 x 6
  detail::EncounterWindow window;
  double radius = 0;  ///< m, of both bodies together
  bool is_importance = false;
  TubeProposal tube;
  double usual_scale = 1;  ///< a power of two: brings usual weights to 1 or less
};

/// What a number of pairs came to. All sums are exact, so that their bits do not depend on the
/// order.
struct PairTally {
  std::uint64_t pairs = 0;
  std::uint64_t hits = 0;           ///< came closer than the radius within the window
  std::uint64_t starts_inside = 0;  ///< of these: were closer at its beginning
  std::uint64_t entries = 0;        ///< came closer after they were not
  std::uint64_t unbound = 0;        ///< draws that are no ellipse, and count as misses
  // Of importance sampling: sums over hits, and over the other two kinds. Weights are at most 10,
  // and their mean is a probability: sums of 3e10 pairs stay within ExactSum, and weights of 1e-20
  // keep their digits. Squares are summed apart for usual weights and larger ones.
  static constexpr double kScale = 0x1p12, kLargeScale = 0x1p8, kUsual = 64;
  ExactSum weight, weight_inside, weight_entries;  ///< times kScale
  ExactSum usual_squares;  ///< of weights times the usual scale that are less than kUsual
  ExactSum large_squares;  ///< of other weights, times kLargeScale

  KOKKOS_INLINE_FUNCTION void add_weight(double w, double usual_scale, bool is_inside,
                                         bool enters) {
    const double usual = w * usual_scale;
    weight.add(w * kScale);
    if (usual < kUsual) {
      usual_squares.add(usual * usual);
    } else {
      large_squares.add(w * w * kLargeScale);
    }
    if (is_inside) weight_inside.add(w * kScale);
    if (enters) weight_entries.add(w * kScale);
  }

  double sum_of_weights() const { return weight.value() / kScale; }
  double sum_of_squares(double usual_scale) const {
    return usual_squares.value() / usual_scale / usual_scale + large_squares.value() / kLargeScale;
  }

  KOKKOS_INLINE_FUNCTION PairTally& operator+=(const PairTally& other) {
    pairs += other.pairs;
    hits += other.hits;
    starts_inside += other.starts_inside;
    entries += other.entries;
    unbound += other.unbound;
    weight += other.weight;
    weight_inside += other.weight_inside;
    weight_entries += other.weight_entries;
    usual_squares += other.usual_squares;
    large_squares += other.large_squares;
    return *this;
  }
};

}  // namespace tessera::gbees
