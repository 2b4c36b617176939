// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/parameters.hpp"

/// The accuracy of filled gaps: predictions are compared with a truth, at known values that were
/// hidden or at sites whose values another file has. Host code.

namespace tessera::mpr {

/// A fraction of the samples of a field, at random: single sites, or those in square blocks. The
/// same seed and number give the same sites. Throws Error (input) when none would be hidden or none
/// left, or when a block is larger than the field.
std::vector<std::size_t> choose_hidden(const Field& field, const ValidateParameters& parameters,
                                       double fraction, std::uint64_t seed, std::uint64_t number);

/// The missing sites of a field at which a truth is known; NaN: it is not.
std::vector<std::size_t> find_compared(const Field& field, const std::vector<double>& truth);

/// Errors of a prediction at the sites where the truth is known.
struct Scores {
  double maae = 0, mare = 0, maare = 0, mrase = 0, coverage95 = 0, spread = 0;
  double crps = 0, interval_score = 0;
  double seconds = 0, transfer_seconds = 0, updates = 0, burn_in_sweeps = 0, temperature = 0,
         beta = 0;
  double crps_ensemble = 0;
};

/// The predictive laws of all sites: the transformed value has the normal law N(centre, spread^2).
class PredictedLaws {
 public:
  PredictedLaws(const Transform& transform, std::vector<double> centre, std::vector<double> spread)
      : m_transform(transform), m_centre(std::move(centre)), m_spread(std::move(spread)) {}

  const std::vector<double>& centre() const { return m_centre; }
  const std::vector<double>& spread() const { return m_spread; }  ///< may be empty
  Transform::Moments moments(std::size_t site) const {
    return m_transform.moments(m_centre[site], m_spread.empty() ? 0 : m_spread[site]);
  }
  /// (transformed truth - centre) / spread
  double standardise(double truth, std::size_t site) const {
    return (m_transform.forward(truth) - m_centre[site]) / m_spread[site];
  }
  /// Returns whether a truth is within 1.96 spreads.
  bool holds(double truth, std::size_t site) const;
  /// The value at z spreads from the centre.
  double value(double z, std::size_t site) const {
    return m_transform.back(m_centre[site] + z * m_spread[site]);
  }
  double crps(double truth, std::size_t site) const {
    return m_transform.crps(truth, m_centre[site], m_spread[site]);
  }

 private:
  Transform m_transform;
  std::vector<double> m_centre, m_spread;
};

/// MAAE, MARE, MAARE, MRASE (relative errors leave out true values of 0) of the means, the mean
/// standard deviation; the share of truths within 1.96 spreads of the centre, the continuous ranked
/// probability score and the score of the 95 % intervals (Gneiting, Raftery, JASA 102 (2007)
/// 359-378, sections 4.2 and 6.2), which are (-1.96, 1.96) spreads from the centre. Without spreads
/// the scores of laws are NaN. The threads of the host share the sites; Kokkos must be running.
Scores score(const std::vector<double>& truth, const PredictedLaws& laws,
             const std::vector<std::size_t>& sites);
/// Returns the scores of normal laws of the values themselves.
Scores score(const std::vector<double>& truth, const std::vector<double>& mean,
             const std::vector<double>& deviation, const std::vector<std::size_t>& sites);

/// Value of a realisation at a site.
using MemberValue = std::function<double(std::size_t member, std::size_t site)>;

/// The mean continuous ranked probability score of an ensemble,
///
///     mean_i |x_i - z| - 1 / (M (M - 1)) sum_(i < j) |x_i - x_j|,
///
/// whose expectation does not depend on the number of members M (Ferro, QJRMS 140 (2014)
/// 1917-1923); in the units of the values. NaN with less than two members.
double ensemble_crps(const std::vector<double>& truth, const MemberValue& value,
                     std::size_t members, const std::vector<std::size_t>& sites);

/// Share of the truths that are not above a quantile of their laws.
double share_below(const std::vector<double>& truth, const std::vector<double>& quantile,
                   const std::vector<std::size_t>& sites);

/// Scores of the sites of one class of distance from the nearest sample.
struct DistanceScores {
  double distance;                 ///< the middle of the class, in steps
  double sites = 0, coverage = 0;  ///< of 95 % intervals
  /// Root mean squares of the errors and of the standard deviations
  double error = 0, spread = 0;
  double crps = 0;
};

/// The agreement of a prediction's standard deviations with the sizes of its errors.
struct Reliability {
  static constexpr int kBins = 20;
  /// Share of the truths in each twentieth of their laws
  std::vector<double> pit;
  std::vector<DistanceScores> classes;  ///< in ascending order
  /// Root mean square of the deviations and errors, by twentieths of the deviations
  std::vector<double> class_spread, class_error;
};

/// Finds the reliability at the sites where the truth is known. distance: of all sites; may be
/// empty.
Reliability reliability(const std::vector<double>& truth, const PredictedLaws& laws,
                        const std::vector<std::uint16_t>& distance,
                        const std::vector<std::size_t>& sites);

}  // namespace tessera::mpr
