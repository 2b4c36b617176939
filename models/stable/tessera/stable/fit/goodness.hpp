// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/stable/fit/bootstrap.hpp"
#include "tessera/stable/fit/hypothesis.hpp"

/// Tests of a fit: whether a sample looks like one of the fitted distribution, and whether a
/// simpler distribution does as well.
///
/// Goodness of fit: with F the fitted distribution function and u_i = F(x_i) of the sorted sample,
///
///     Kolmogorov-Smirnov  D   = max_i max(i/n - u_i, u_i - (i - 1)/n),
///     Anderson-Darling    A^2 = -n - (1/n) sum_i [(2i - 1) ln u_i + (2(n - i) + 1) ln(1 - u_i)],
///     Cramer-von Mises    W^2 = 1/(12n) + sum_i [u_i - (2i - 1)/(2n)]^2.
///
/// Because F is fitted to the same sample the tables of these statistics do not hold. Their
/// distribution is found by parametric bootstrap: R samples of the fitted distribution are fitted
/// again, and p = (1 + number of refits with a statistic at least as large)/(1 + R). W. Stute, W.
/// González Manteiga, M. Presedo Quindimil, Metrika 40 (1993) 243.
///
/// Likelihood ratio: 2 (ln L - ln L0) of the fit and of one that is normal, Cauchy's or symmetric,
/// whose distribution is found by fits of both kinds to samples of the simpler one. That holds also
/// for the normal distribution, where alpha is at the end of its range and no chi-squared
/// distribution does.
///
/// Domain: as of fits; unweighted samples, the same fixed parameters in fits and refits.
///
/// Accuracy: p is uniform under the fitted family (tests/unit/stable_goodness.cpp:
/// Kolmogorov-Smirnov over 150 samples), with a standard error of sqrt(p (1 - p)/R). Distances are
/// those of the fitted distribution to 1e-8.
///
/// Errors: Error (input) for a fit that has failed or fewer than one refit.
///
/// Example (tests/install/examples/stable.cpp):
///
///     stable::FitOptions options;
///     options.goodness = true;
///     stable::Fitter<ExecSpace> fitter(exec);
///     const std::vector<stable::FitResult> fits = fitter(x, {}, {task}, options);
///     const stable::GoodnessTest test = stable::test_goodness<ExecSpace>(exec, fitter, fits[0], n, 99);
///     std::printf("p of Anderson and Darling: %.2f\n", test.anderson_darling.p_value);
namespace tessera::stable {

/// A statistic and what it is under the hypothesis, by bootstrap.
struct BootstrapTest {
  double statistic = NAN, p_value = NAN;
  std::vector<double> replicates;  ///< of the refits, without those that failed
  std::int64_t failed = 0;         ///< refits that did not converge; they do not count
};

/// The three tests of a fit.
struct GoodnessTest {
  BootstrapTest anderson_darling, kolmogorov_smirnov, cramer_von_mises;
};

/// The tests of a fit by refits of samples from it, which a Bootstrap made.
GoodnessTest test_goodness(const FitResult& fit, const std::vector<FitResult>& refits);

/// The likelihood-ratio test of `restricted` against `fit`, by refits of samples from `restricted`:
/// for each the restricted fit, then the full one.
BootstrapTest test_likelihood_ratio(const FitResult& restricted, const FitResult& fit,
                                    const std::vector<FitResult>& refits);

/// Twice the difference of the log-likelihoods, 0 where that is within their errors; that of every
/// pair of refits that converged.
double likelihood_ratio(const FitResult& restricted, const FitResult& fit);
std::vector<double> likelihood_ratios(const std::vector<FitResult>& refits);

/// Tests the fit of `size` values with bits of `fixed` for its fixed parameters, with distances
/// (FitOptions::goodness).
template <class ExecSpace>
GoodnessTest test_goodness(const ExecSpace& exec, Fitter<ExecSpace>& fitter, const FitResult& fit,
                           std::int32_t size, std::int64_t refits, const FitTask& fixed = {},
                           const Philox& random = Philox(0, 3)) {
  if (fit.status > FitStatus::boundary || refits < 1) {
    throw Error(
        ErrorKind::input,
        "stable: a test of goodness of fit needs a fit that has converged and at least one refit");
  }
  BootstrapPlan plan;
  plan.truth = fit.parameters();
  plan.size = size;
  plan.hypotheses = {fixed};
  plan.random = random;
  return test_goodness(fit, Bootstrap<ExecSpace>(exec)(fitter, plan, 0, refits));
}

/// Tests whether `hypothesis` does as well as `fit`, both fitted to `size` values.
template <class ExecSpace>
BootstrapTest test_likelihood_ratio(const ExecSpace& exec, Fitter<ExecSpace>& fitter,
                                    Hypothesis hypothesis, const FitResult& restricted,
                                    const FitResult& fit, std::int32_t size, std::int64_t refits,
                                    const Philox& random = Philox(0, 4)) {
  if (restricted.status > FitStatus::boundary || fit.status > FitStatus::boundary || refits < 1) {
    throw Error(ErrorKind::input,
                "stable: a likelihood-ratio test needs two fits that have converged and at least "
                "one refit");
  }
  BootstrapPlan plan;
  plan.truth = restricted.parameters();
  plan.size = size;
  plan.hypotheses = {restrict_to(hypothesis, {}), {}};
  plan.random = random;
  plan.options.goodness = false;
  return test_likelihood_ratio(restricted, fit,
                               Bootstrap<ExecSpace>(exec)(fitter, plan, 0, refits));
}

}  // namespace tessera::stable
