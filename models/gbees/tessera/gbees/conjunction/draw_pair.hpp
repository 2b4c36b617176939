// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/random.hpp"
#include "tessera/gbees/conjunction/pair_model.hpp"

/// Draws of pairs, in kernels.

namespace tessera::gbees::detail {

/// A pair of orbits, with the weight of a hit.
struct PairDraw {
  double elements[12];
  double weight = 1;
};

/// Draws pair number n of a model. The numbers of a pair are bits(n, 0 to 4) for the last ten
/// normal numbers, bits(n, 5) for the first two, and bits(n, 6) for the part of the mixture.
/// `kIsImportance`: the model says so.
template <bool kIsImportance>
class DrawPair {
 public:
  KOKKOS_INLINE_FUNCTION DrawPair(const PairModel& model, const Philox& random)
      : m_model(model), m_random(random) {}

  KOKKOS_INLINE_FUNCTION PairDraw operator()(std::uint64_t n) const {
    PairDraw pair;
    for (int i = 0; i < 12; ++i) pair.elements[i] = m_model.mean[i];
    double third = 0;
    TESSERA_UNROLL
    for (int k = 1; k < 6; ++k) {
      const NormalPair z(m_random.bits(n, static_cast<std::uint64_t>(k - 1)));
      if (k == 1) third = z.first;
      add(pair, 2 * k, z.first);
      add(pair, 2 * k + 1, z.second);
    }
    double s[2];
    if constexpr (kIsImportance) {
      draw_in_tube(n, third, pair, s);
    } else {
      const NormalPair z(m_random.bits(n, 5));
      s[0] = z.first;
      s[1] = z.second;
    }
    add(pair, 0, s[0]);
    add(pair, 1, s[1]);
    return pair;
  }

 private:
  static constexpr double kTurn = 6.283185307179586;
  static constexpr double kMet = 0.01;     ///< radii from which one more step ends the solver
  static constexpr double kFarthest = 20;  ///< standard deviations that a step may have

  KOKKOS_INLINE_FUNCTION void add(PairDraw& pair, int column, double z) const {
    // Numbers that are drawn directly move one object each.
    const int begin = kIsImportance || column < 6 ? 0 : 6;
    const int end = kIsImportance || column >= 6 ? 12 : 6;
    TESSERA_UNROLL
    for (int i = begin; i < end; ++i) pair.elements[i] += m_model.spread[i][column] * z;
  }

  /// Finds the s for which a pair meets, by Newton's method on the relative position as a function
  /// of the time and s, with the slope by s of the mean. Where it does not converge it returns any
  /// number: the mixture stays a density.
  KOKKOS_INLINE_FUNCTION void find_meeting(const PairDraw& pair, double* s) const {
    const TubeProposal& tube = m_model.tube;
    double time = tube.time;
    s[0] = tube.s[0];
    s[1] = tube.s[1];
    for (int n = 0; n < 12; ++n) {
      PairDraw moved = pair;
      add(moved, 0, s[0]);
      add(moved, 1, s[1]);
      const TwoBodyOrbit first(m_model.mu, moved.elements);
      const TwoBodyOrbit second(m_model.mu, moved.elements + 6);
      if (!first.is_bound() || !second.is_bound()) break;
      const RelativePoint p = relative_point(first, second, time);
      double step[3];
      solve(p, step);
      if (!(compat::math::fabs(step[1]) < kFarthest && compat::math::fabs(step[2]) < kFarthest))
        break;
      time += step[0];
      s[0] += step[1];
      s[1] += step[2];
      if (p.distance2 < kMet * kMet * m_model.radius * m_model.radius) break;
    }
  }

  /// Solves v t + slope s = -r by Cramer's rule.
  KOKKOS_INLINE_FUNCTION void solve(const RelativePoint& p, double* step) const {
    const auto& d = m_model.tube.slope;
    const double a[3] = {d[0][0], d[1][0], d[2][0]}, b[3] = {d[0][1], d[1][1], d[2][1]};
    const double ab[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                          a[0] * b[1] - a[1] * b[0]};
    const double rv[3] = {p.r[1] * p.v[2] - p.r[2] * p.v[1], p.r[2] * p.v[0] - p.r[0] * p.v[2],
                          p.r[0] * p.v[1] - p.r[1] * p.v[0]};
    const double determinant = p.v[0] * ab[0] + p.v[1] * ab[1] + p.v[2] * ab[2];
    step[0] = -(p.r[0] * ab[0] + p.r[1] * ab[1] + p.r[2] * ab[2]) / determinant;
    // det(v, -r, b) = b (v x -r) = b (r x v), and det(v, a, -r) = -r (v x a) = -a (r x v)
    step[1] = (b[0] * rv[0] + b[1] * rv[1] + b[2] * rv[2]) / determinant;
    step[2] = -(a[0] * rv[0] + a[1] * rv[1] + a[2] * rv[2]) / determinant;
  }

  /// Draws s from the mixture, and sets the weight: the true density of s and of the third number
  /// over that of the mixture.
  KOKKOS_INLINE_FUNCTION void draw_in_tube(std::uint64_t n, double third, PairDraw& pair,
                                           double* s) const {
    using Tube = TubeProposal;
    const TubeProposal& tube = m_model.tube;
    const double choice = Philox::uniform(m_random.bits(n, 6), 0);
    const bool is_prior = choice >= Tube::kDisc + Tube::kWide;
    if (!is_prior) {
      add(pair, 2, tube.shift);
      third += tube.shift;
    }
    double c[2], u[2];
    find_meeting(pair, c);
    const Philox::Bits bits = m_random.bits(n, 5);
    if (choice < Tube::kDisc) {
      const double size =
          Tube::kDiscRadius * m_model.radius * compat::math::sqrt(Philox::uniform(bits, 0));
      math::sine_cosine(kTurn * Philox::uniform(bits, 1), u[1], u[0]);
      u[0] *= size;
      u[1] *= size;
      displace(c, u, s);
    } else {
      const NormalPair z(bits);
      s[0] = z.first;
      s[1] = z.second;
      if (is_prior) {
        find_displacement(c, s, u);
      } else {
        u[0] = Tube::kWideDeviation * m_model.radius * z.first;
        u[1] = Tube::kWideDeviation * m_model.radius * z.second;
        displace(c, u, s);
      }
    }
    pair.weight = weight(s, u, third);
  }

  KOKKOS_INLINE_FUNCTION double weight(const double* s, const double* u, double third) const {
    using Tube = TubeProposal;
    const TubeProposal& tube = m_model.tube;
    const double disc = Tube::kDiscRadius * m_model.radius;
    const double wide = Tube::kWideDeviation * m_model.radius;
    const double u2 = u[0] * u[0] + u[1] * u[1];
    const double true_density = math::exponential(-0.5 * (s[0] * s[0] + s[1] * s[1])) / kTurn;
    const double in_disc = u2 < disc * disc ? Tube::kDisc / (0.5 * kTurn * disc * disc) : 0.0;
    const double in_wide =
        Tube::kWide * math::exponential(-0.5 * u2 / (wide * wide)) / (kTurn * wide * wide);
    const double shifted = math::exponential(tube.shift * (third - 0.5 * tube.shift));
    const double density = (in_disc + in_wide) / tube.area * shifted + Tube::kPrior * true_density;
    return density > 0 ? true_density / density : 0.0;
  }

  /// s = c + across u
  KOKKOS_INLINE_FUNCTION void displace(const double* c, const double* u, double* s) const {
    const auto& a = m_model.tube.across;
    s[0] = c[0] + a[0][0] * u[0] + a[0][1] * u[1];
    s[1] = c[1] + a[1][0] * u[0] + a[1][1] * u[1];
  }

  KOKKOS_INLINE_FUNCTION void find_displacement(const double* c, const double* s, double* u) const {
    const auto& a = m_model.tube.across;
    const double determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    const double d[2] = {s[0] - c[0], s[1] - c[1]};
    u[0] = (a[1][1] * d[0] - a[0][1] * d[1]) / determinant;
    u[1] = (a[0][0] * d[1] - a[1][0] * d[0]) / determinant;
  }

  const PairModel& m_model;
  const Philox& m_random;
};

}  // namespace tessera::gbees::detail
