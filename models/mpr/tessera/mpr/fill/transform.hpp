// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

/// Transforms of values whose errors are skewed, or grow with the value: the model works on x =
/// forward(z), and its normal law of x, N(m, s^2), gives the law of z = back(x).
///
/// | kind | forward | domain |
/// |---|---|---|
/// | none | z | |
/// | log | ln z | z > 0 |
/// | normal_score | the normal quantile of the share of the samples below z, half of those equal to it included | |
///
/// Normal scores are interpolated linearly between at most kMostKnots values of the samples. Values
/// beyond the smallest and the greatest sample have their scores, and no score gives values beyond
/// them.
///
/// Mean and standard deviation of z: m and s themselves; for log in closed form, exp(m + s^2 / 2)
/// and mean sqrt(exp(s^2) - 1); for normal scores by the trapezoidal rule in 33 points of (x - m) /
/// s from -6 to 6, which for a straight line is exact to 1e-8, and with a kink within 0.01 of the
/// standard deviation (tests/unit/mpr_transform.cpp). Host code.

namespace tessera::mpr {

enum class TransformKind { none, log, normal_score };

class Transform {
 public:
  static constexpr std::size_t kMostKnots = 2048;

  struct Moments {
    double mean, deviation;
  };

  /// The identity.
  Transform() = default;
  static Transform logarithm();
  /// Makes the normal scores of at least one sample; all of them are finite.
  static Transform normal_score(std::vector<double> samples);

  TransformKind kind() const { return m_kind; }
  bool is_identity() const { return m_kind == TransformKind::none; }
  double forward(double value) const;
  double back(double x) const;
  /// Returns the moments of back(x), where x has the normal law N(centre, spread^2).
  Moments moments(double centre, double spread) const;
  /// The continuous ranked probability score of that law, in the units of the values: for normal
  /// scores by quadrature, to 1 % of itself, else in closed form.
  double crps(double truth, double centre, double spread) const;
  /// Returns the probability of values above z.
  double probability_above(double z, double centre, double spread) const;

 private:
  TransformKind m_kind = TransformKind::none;
  std::vector<double> m_value, m_score;  // of normal scores, ascending
};

/// The accuracy of samples that are predicted with a transform from others at some distance
/// (transform_choice.hpp), in the units of the values.
struct TransformTrial {
  TransformKind kind;
  int distance;
  double crps, error;
};

/// "none", "log", "normal_score"
const char* transform_name(TransformKind kind);

}  // namespace tessera::mpr
