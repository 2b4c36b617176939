// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/stable/fit/fit.hpp"
#include "tessera/stable/law/sample.hpp"

/// Parametric bootstrap: samples drawn from a fitted distribution and fitted again, thousands at
/// once.
///
/// Every sample is fitted by maximum likelihood under one hypothesis or several, from the
/// distribution that it was drawn from. So the refits are those of an estimator that climbs from
/// there: of samples of more than 60 values the likelihood practically always has one maximum,
/// which is the one that a fit from quantiles finds too.
///
/// Domain: as of fits and of random numbers (fit.hpp, sample.hpp); at least five values a sample.
///
/// Accuracy: the same samples, to rounding, on every backend, and bits that do not depend on the
/// number of threads nor on how refits are divided into calls. With the tolerance 1e-6 parameters
/// are within 1e-4 of their standard errors (1000 values).
///
/// Errors: Error (input) for parameters out of range. A refit that fails says so in its
/// FitResult::status.
///
/// Example (tests/install/examples/stable.cpp):
///
///     stable::BootstrapPlan plan;
///     plan.truth = fits[0].parameters();
///     plan.size = n;
///     stable::Bootstrap<ExecSpace> bootstrap(exec);
///     const std::vector<stable::FitResult> refits = bootstrap(fitter, plan, 0, 99);  // of samples 0 ... 98
namespace tessera::stable {

/// The samples that a bootstrap draws and the fits that it makes of them.
struct BootstrapPlan {
  /// The distribution that samples are drawn from, in S0
  FourParameters truth{NAN, NAN, NAN, NAN};
  std::int32_t size = 0;  ///< values a sample
  /// Fits of every sample; only what they fix counts
  std::vector<FitTask> hypotheses = std::vector<FitTask>(1);
  /// Sample k has the numbers k size, ..., (k + 1) size - 1 of this sequence
  Philox random{0, 0};
  FitOptions options = refit_options();

  /// Options of a refit: without standard errors, with distances from the fitted distribution.
  static FitOptions refit_options() {
    FitOptions options;
    options.tolerance = 1e-6;
    options.standard_errors = false;
    options.goodness = true;
    return options;
  }
};

/// Draws and refits; keeps its memory between calls.
template <class ExecSpace>
class Bootstrap {
 public:
  explicit Bootstrap(const ExecSpace& exec) : m_exec(exec) {}

  /// The fits of samples first, ..., first + count - 1: all hypotheses of one sample, then those of
  /// the next. Waits for the results.
  std::vector<FitResult> operator()(Fitter<ExecSpace>& fitter, const BootstrapPlan& plan,
                                    std::int64_t first, std::int64_t count) {
    const std::int64_t most = std::max<std::int64_t>(1, kMostValues / std::max(plan.size, 1));
    std::vector<FitResult> refits;
    for (std::int64_t done = 0; done < count; done += most) {
      const std::vector<FitResult> found =
          refit(fitter, plan, first + done, std::min(most, count - done));
      refits.insert(refits.end(), found.begin(), found.end());
    }
    return refits;
  }

 private:
  static constexpr std::int64_t kMostValues = std::int64_t{1} << 25;  ///< drawn at once

  std::vector<FitResult> refit(Fitter<ExecSpace>& fitter, const BootstrapPlan& plan,
                               std::int64_t first, std::int64_t count) {
    const std::int64_t size = plan.size;
    const auto values = static_cast<std::size_t>(count * size);
    detail::reserve(m_exec, m_values, values, "tessera::stable::bootstrap");
    const Kokkos::View<double*, ExecSpace> x =
        Kokkos::subview(m_values, std::make_pair(std::size_t(0), values));
    const FourParameters& truth = plan.truth;
    sample_batch<ExecSpace>(m_exec, truth.alpha, truth.beta,
                            {truth.sigma, truth.mu, Parameterization::S0}, plan.random,
                            static_cast<std::uint64_t>(first * size), 0, x);
    std::vector<FitTask> tasks;
    for (std::int64_t k = 0; k < count; ++k) {
      for (FitTask task : plan.hypotheses) {
        task.begin = k * size;
        task.count = plan.size;
        task.start = truth;
        tasks.push_back(task);
      }
    }
    return fitter(x, {}, tasks, plan.options);
  }

  ExecSpace m_exec;
  Kokkos::View<double*, ExecSpace> m_values;
};

}  // namespace tessera::stable
