// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/mpr/field.hpp"
#include "tessera/mpr/parameters.hpp"

/// How well gaps are filled: predictions are compared with a truth, at known values that were hidden or at sites whose values another file
/// has. Host code.

namespace tessera::mpr {

/// A fraction of the samples of a field, at random: single sites, or those in square blocks. The same seed and number give the same sites.
/// Throws Error (input) when none would be hidden or none left, or when a block is larger than the field.
std::vector<std::size_t> choose_hidden(const Field& field, const ValidateParameters& parameters, double fraction, std::uint64_t seed,
                                       std::uint64_t number);

/// The missing sites of a field at which a truth is known; NaN: it is not.
std::vector<std::size_t> find_compared(const Field& field, const std::vector<double>& truth);

/// Errors of a prediction at the sites where the truth is known.
struct Scores {
  double maae = 0, mare = 0, maare = 0, mrase = 0, coverage95 = 0, spread = 0;
  double crps = 0, interval_score = 0;
  double seconds = 0, updates = 0, burn_in_sweeps = 0, temperature = 0, beta = 0;
  double crps_ensemble = 0;
};

/// MAAE, MARE, MAARE, MRASE (relative errors leave out true values of 0), the share of truths within 1.96 standard deviations, the mean
/// standard deviation; and for normal laws the continuous ranked probability score and the score of 95 % intervals (Gneiting, Raftery,
/// JASA 102 (2007) 359-378, sections 4.2 and 6.2). Without deviations the scores of laws are NaN.
Scores score(const std::vector<double>& truth, const std::vector<double>& mean, const std::vector<double>& deviation,
             const std::vector<std::size_t>& sites);

/// Value of a realisation at a site.
using MemberValue = std::function<double(std::size_t member, std::size_t site)>;

/// The mean continuous ranked probability score of an ensemble,
///
///     mean_i |x_i - z| - 1 / (M (M - 1)) sum_(i < j) |x_i - x_j|,
///
/// whose expectation does not depend on the number of members M (Ferro, QJRMS 140 (2014) 1917-1923); in the units of the values. NaN with
/// less than two members.
double ensemble_crps(const std::vector<double>& truth, const MemberValue& value, std::size_t members,
                     const std::vector<std::size_t>& sites);

/// Share of the truths that are not above a quantile of their laws.
double share_below(const std::vector<double>& truth, const std::vector<double>& quantile, const std::vector<std::size_t>& sites);

/// Scores of the sites of one class of distance from the nearest sample.
struct DistanceScores {
  double distance;                 ///< the middle of the class, in steps
  double sites = 0, coverage = 0;  ///< of 95 % intervals
  double error = 0, spread = 0;    ///< root mean squares of the errors and of the standard deviations
  double crps = 0;                 ///< of normal laws
};

/// Whether a prediction's standard deviations say how large its errors are.
struct Reliability {
  static constexpr int kBins = 20;
  std::vector<double> pit;                        ///< share of the truths in each twentieth of their normal laws
  std::vector<DistanceScores> classes;            ///< in ascending order
  std::vector<double> class_spread, class_error;  ///< root mean square of the deviations and errors, by twentieths of the deviations
};

/// At the sites where the truth is known. distance: of all sites; may be empty.
Reliability reliability(const std::vector<double>& truth, const std::vector<double>& mean, const std::vector<double>& deviation,
                        const std::vector<std::uint16_t>& distance, const std::vector<std::size_t>& sites);

}  // namespace tessera::mpr
