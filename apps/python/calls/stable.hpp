// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/python/calls/numbers.hpp"
#include "tessera/core/device/backend.hpp"

namespace tessera::python {

/// The quantity to evaluate, and Parameterization of tessera::stable by number.
enum class StableQuantity { pdf, log_pdf, cdf, sf, log_cdf, log_sf };
struct StableLaw {
  double alpha = 2, beta = 0, sigma = 1, mu = 0;
  int parameterization = 0;
};

/// A quantity of one distribution at n points: by a table, which is kept for the next call, where
/// there are as many points as tessera-stable takes one for, and it is exact enough; otherwise
/// directly. Throws Error (input) for parameters out of range.
void evaluate_stable(Backend backend, StableQuantity quantity, const StableLaw& law,
                     const In<double>& x, const Out<double>& out, std::size_t n,
                     const Between& between);

/// A quantity of n distributions, directly; alpha and beta of `law` do not count. NaN where one is
/// out of range.
void evaluate_stable(Backend backend, StableQuantity quantity, const StableLaw& law,
                     const In<double>& alpha, const In<double>& beta, const In<double>& x,
                     const Out<double>& out, std::size_t n, const Between& between);

/// Log pdf and its derivatives in x, alpha and beta; or P(X <= x), the density, and the derivatives
/// of P(X > x) in alpha and beta.
enum class StableDifferentiated { log_pdf, cdf };
struct StableDerivatives {
  Out<double> value, d_x, d_alpha, d_beta;
};

/// Those of stable laws at n points, directly; alpha and beta of `law` do not count. NaN where one
/// is out of range; derivatives of log pdf are NaN where the density is 0.
void differentiate_stable(Backend backend, StableDifferentiated what, const StableLaw& law,
                          const In<double>& alpha, const In<double>& beta, const In<double>& x,
                          const StableDerivatives& out, std::size_t n, const Between& between);

/// The x with P(X <= x) = p, on the host where there are few, and beyond the table.
void find_stable_quantiles(Backend backend, const StableLaw& law, const double* p, double* x,
                           std::size_t n, const Between& between);

/// Finds the quantiles of n distributions, on the host; alpha and beta of `law` do not count.
/// Writes NaN where one is out of range.
void find_stable_quantiles(const StableLaw& law, const In<double>& alpha, const In<double>& beta,
                           const In<double>& p, double* x, std::size_t n, const Between& between);

/// The same for arrays on a GPU, there: by a table as far as that serves.
void find_stable_quantiles_on_device(Backend backend, const StableLaw& law, const In<double>& p,
                                     const Out<double>& x, std::size_t n, const Between& between);
void find_stable_quantiles_on_device(Backend backend, const StableLaw& law, const In<double>& alpha,
                                     const In<double>& beta, const In<double>& p,
                                     const Out<double>& x, std::size_t n, const Between& between);

/// Random numbers first ... first + n - 1 of tessera-stable's sequence of this seed.
void sample_stable(Backend backend, const StableLaw& law, std::uint64_t seed,
                   const Out<double>& out, std::size_t n, const Between& between);

/// Draws from n distributions, on the host; alpha and beta of `law` do not count. Writes NaN where
/// one is out of range.
void sample_stable(const StableLaw& law, const In<double>& alpha, const In<double>& beta,
                   std::uint64_t seed, double* out, std::size_t n, const Between& between);

/// Numbers of standard laws S0 from uniform numbers in (0, 1), wherever they lie. NaN where a
/// parameter is out of range.
void sample_stable(Backend backend, const In<double>& alpha, const In<double>& beta,
                   const In<double>& u1, const In<double>& u2, const Out<double>& out,
                   std::size_t n, const Between& between);

/// The options of a fit: FitOptions of tessera::stable, and parameters that are given instead of
/// fitted.
struct StableFitOptions {
  bool mcculloch = false;
  double tolerance = 1e-9;
  bool standard_errors = true, goodness = false;
  int fixed = 0;  ///< bit i: parameter i of alpha, beta, sigma, mu is fixed_value[i]
  double fixed_value[4] = {0, 0, 0, 0};
};

/// A FitResult of tessera::stable.
struct StableFit {
  double parameters[4];  ///< alpha, beta, sigma, mu, in S0
  double standard_errors[4];
  double log_likelihood, gradient_norm, kolmogorov_smirnov, anderson_darling;
  int iterations;
  int status;         ///< FitStatus
  std::string state;  ///< in words
};

/// Fits `samples` samples of `size` values each, one after the other in `data`. `weights`: one a
/// value, or none. Given up by a signal, with Interrupted, where a SignalWatch lives.
std::vector<StableFit> fit_stable(Backend backend, const In<double>& data, const double* weights,
                                  std::size_t samples, std::size_t size,
                                  const StableFitOptions& options, const Between& between);

/// The location of the same distribution in another parameterisation, S0 or S1.
double convert_stable_location(const StableLaw& law, int parameterization);

}  // namespace tessera::python
