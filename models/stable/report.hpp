// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/stable/parameters.hpp"

namespace tessera::stable {

/// What evaluate and quantile find, a row per distribution.
struct Curves {
  std::vector<double> points;  ///< x, or p
  std::vector<double> alpha, beta;
  std::vector<double> pdf, log_pdf, cdf, sf, d_x, d_alpha, d_beta, quantile;
  std::vector<double> table_error;
};

/// What precision finds for a distribution: tables or the paper's method against the contour integrals.
struct Precision {
  double pdf_largest = 0, pdf_mean = 0, pdf_median = 0;  ///< relative differences of the density
  double pdf_close = 0;                                  ///< fraction of points at which it is below 1e-6
  double cdf_largest = 0, cdf_median = 0;                ///< differences of the distribution function
  double quantile_largest = 0, table_error = 0;          ///< of tables
};

/// What speed measures, with every method.
inline const std::vector<std::string> kSpeedFunctions{"pdf", "cdf", "pdf_cdf", "quantile"};

/// A fit beside the data: what its picture needs.
struct FitPicture {
  std::vector<double> data, cdf;  ///< sorted values, and the fitted distribution function there
  std::vector<double> curve_x, curve_pdf;
};

/// "converged", "at the end of the range of alpha or beta", ...
std::string describe(FitStatus status);

/// What a user should hear about a fit that ended at the end of a range; empty otherwise.
std::string boundary_statement(const FitResult& fit);

void write_curves(const io::Group& results, const Curves& curves, bool quantiles, bool one_distribution);
void write_fit(const io::Group& results, const FitResult& fit, const FitPicture& picture);
void write_comparison(const io::Group& results, const FitResult& full, const FitResult& gauss, const FitResult& cauchy);
void write_profile(const io::Group& results, const std::string& name, const std::vector<double>& values,
                   const std::vector<FitResult>& fits);
void write_windows(const io::Group& results, const std::vector<FitTask>& tasks, const std::vector<FitResult>& fits);
void write_map(const io::Group& results, const io::Group& coordinates, const Parameters& p, const std::vector<FitResult>& fits);
void write_precision(const io::Group& results, const io::Group& coordinates, const Parameters& p, const std::vector<Precision>& precision);

/// `seconds`: for every number of points those of each function and method.
void write_speed(const io::Group& results, const io::Group& coordinates, const Parameters& p,
                 const std::vector<std::vector<double>>& seconds);

/// The rates at the last number of points, a function after the other.
std::string describe_speed(const Parameters& p, const std::vector<std::vector<double>>& seconds);

/// Fits as rows of numbers, for restart files.
std::vector<double> pack(const std::vector<FitResult>& fits);
std::vector<FitResult> unpack(const std::vector<double>& rows);

}  // namespace tessera::stable
