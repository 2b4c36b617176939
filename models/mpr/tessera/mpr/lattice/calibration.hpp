// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

/// Calibrates standard deviations on samples that were held out.
///
/// A sample at distance d from its nearest neighbour in the data was predicted as m with standard
/// deviation s. Standard deviations of its class of distance are multiplied by
///
///     f = q / 1.96,   q the 0.95 quantile of |z - m| / s,
///
/// so that 95 % intervals hold 95 % of the samples. Where s comes from n draws, z - m over s has
/// Student's law with about n degrees of freedom, whose wider tails are taken out. The logarithms
/// of the factors are smoothed, rise or fall with the distance throughout, and are interpolated
/// between the classes.
///
/// Where samples have errors of a known standard deviation e, q is such that 95 % of |z - m| lie
/// within 1.96 sqrt(f^2 s^2 + e^2), and factors lean on 1 the more the less the spread of the field
/// matters beside the errors. Errors that are too large would leave no spread to the field: where
/// samples differ from their predictions by less than the errors alone (mean square, by four of its
/// standard errors), factors are 1, and is_contradicted() tells of it.
///
/// Frames have factors of their own. Those of few samples lean on the factors of all frames
/// together, times how much more or less the frame needed at the distance before; frames in which
/// less than 50 were held out have those of all frames. The layers of a stack have factors of their
/// own in the same way, which lean on those of their frame. Host code.

namespace tessera::mpr {

/// The factors that multiply standard deviations: none, one, or one for each class of distance.
enum class Calibrate { none, one, by_distance };

/// One sample that was held out and predicted.
struct HeldOutSample {
  double ratio;  ///< (truth - mean) / standard deviation
  double share;  ///< of the variance that comes from draws, 0 ... 1
  int distance;  ///< in steps along the axes within its layer, at least 1
  int frame = 0;
  double noise = 0;  ///< standard deviation of its error / that of the prediction
  int layer = 0;
};

class Calibration {
 public:
  static constexpr int kFarthest = 255;  ///< greater distances have its factor
  /// Samples below which a class has no factor of its own
  static constexpr std::size_t kLeast = 50;

  /// One class of distance.
  struct Class {
    double centre;             ///< geometric mean of its distances
    std::int64_t samples = 0;  ///< held out
    double factor = 1;
  };

  /// The identity.
  Calibration() = default;

  /// draws_held, draws: from which the standard deviations of the samples held out, and those to be
  /// calibrated, are taken; 0: neither has such noise. Without kLeast samples the result is the
  /// identity. frames, layers of each: whose factors are wanted.
  Calibration(const std::vector<HeldOutSample>& samples, Calibrate kind, int draws_held, int draws,
              int frames = 1, int layers = 1);

  /// The factor of a standard deviation at a distance from the nearest sample, in steps; of all
  /// frames together.
  double factor(double distance) const { return m_shared.at(distance); }
  /// Returns the factor of a layer of a frame.
  double factor(double distance, int frame, int layer = 0) const {
    return m_parts.empty()
               ? m_shared.at(distance)
               : m_parts[static_cast<std::size_t>(frame * m_layers + layer)].at(distance);
  }
  /// Returns the factor of all classes and frames together.
  double common_factor() const { return m_shared.common; }
  std::int64_t samples() const { return m_samples; }
  /// Root mean square of (truth - mean) / (standard deviation of the error of a sample); infinite
  /// without errors.
  double size_by_errors() const { return m_size_by_errors; }
  /// Returns whether the errors of the samples are larger than what they differ by.
  bool is_contradicted() const;
  /// Returns the classes of all frames together.
  const std::vector<Class>& classes() const { return m_shared.classes; }
  /// Returns whether frames, or layers, have factors of their own.
  bool has_parts() const { return !m_parts.empty(); }
  int layers() const { return m_layers; }

  /// The p-quantile of (truth - mean) / (calibrated standard deviation, with that of its error):
  /// that of the samples held out where `empirical` and enough of them lie on either side, else of
  /// the normal law.
  double quantile(double p, bool empirical) const;

 private:
  struct Factors {
    std::vector<Class> classes;  // ascending distances; empty: one factor
    double common = 1;
    double at(double distance) const;
  };

  static Factors find_factors(const std::vector<HeldOutSample>& samples, Calibrate kind,
                              int draws_held, int draws, const Factors* shared);
  static std::vector<Class> find_classes(const std::vector<HeldOutSample>& samples, int draws_held,
                                         int draws, const Factors* shared);

  std::int64_t m_samples = 0;
  double m_size_by_errors = std::numeric_limits<double>::infinity();
  Factors m_shared;
  int m_layers = 1;
  std::vector<Factors> m_parts;    // [frame][layer]; none: all are as the shared ones
  std::vector<double> m_residual;  // standardised and calibrated, in the order of the samples
};

/// The middle of the class that a distance in steps belongs to.
double class_centre(int distance);

/// The quantile of the standard normal law.
double normal_quantile(double p);

/// The 0.975 quantile of Student's law with n degrees of freedom over that of the normal law, to
/// 1.5e-3 for n >= 5 (Abramowitz & Stegun, 26.7.5).
double student_to_normal(double degrees);

}  // namespace tessera::mpr
