// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/stable/fit/fit_types.hpp"

/// Fits in words and in results files.
namespace tessera::stable {

/// The location in S1.
double mu_s1(const FitResult& fit);

/// "converged", "converged at the end of a range", ...
std::string describe(FitStatus status);

/// Parameters with their standard errors, the likelihood and the status, in a line.
std::string describe(const FitResult& fit);

/// Returns whether parameter k of alpha, beta, sigma, mu was fitted and ended at the end of its
/// range.
bool is_at_bound(const FitResult& fit, int k);

/// A warning about a fit that ended at the end of a range; empty for other fits.
std::string describe_boundary(const FitResult& fit);

/// Returns a warning about fits that have not converged or were not possible ("3 of 20 fits failed:
/// ..."); empty where there are none.
std::string warn_of_failed(const std::vector<FitResult>& fits, const std::string& which);
std::string warn_of_failed(const std::vector<FitStatus>& status, const std::string& which);

/// Describes how many fits there are, at the end of a range, and without a result.
std::string describe_counts(const std::vector<FitResult>& fits);

/// A fit and its sample, as needed for a picture.
struct FitPicture {
  std::vector<double> data, cdf;  ///< sorted values, and the fitted distribution function there
  std::vector<double> curve_x, curve_pdf;
};

/// Parameters, standard errors, likelihood and status of every fit: arrays, and scalars in
/// write_fit.
void write_fits(const io::Group& group, const std::vector<FitResult>& fits);
void write_fit(const io::Group& group, const FitResult& fit, const FitPicture& picture);

/// Likelihood-ratio tests of a fit against those of the distributions kHypotheses, by the
/// chi-squared distribution.
void write_comparison(const io::Group& results, const FitResult& full,
                      const std::vector<FitResult>& restricted);

/// Fits with the parameter `name` held at `values`.
void write_profile(const io::Group& results, const std::string& name,
                   const std::vector<double>& values, const std::vector<FitResult>& fits);

}  // namespace tessera::stable
