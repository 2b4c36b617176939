// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "tessera/stable/fit/fit_types.hpp"

/// Maximum likelihood in theta = (eta, xi, ln sigma, mu): alpha = 0.1 + 1.9/(1 + e^-eta), beta =
/// tanh xi, by quasi-Newton steps (BFGS) from the inverse outer product of the scores, with
/// Armijo's rule. A parameter that runs into the end of its range is put there and the rest is
/// fitted. A regression has several locations in the place of mu, and behind them more coefficients
/// of ln sigma.

namespace tessera::stable::detail {

/// Sums over the values of a sample: log-likelihood, scores in theta (locations in units of sigma),
/// their outer product (lower triangle).
template <int kMost>
struct BasicSums {
  static constexpr int kSize = 1 + kMost + kMost * (kMost + 1) / 2;
  double value[kSize];
};
using LikelihoodSums = BasicSums<4>;

/// An optimizer of at most kMost parameters; of exactly four where kMost is four.
template <int kMost>
struct BasicOptimizer {
  using Sums = BasicSums<kMost>;
  static constexpr int kMostIterations = 150, kMostTrials = 14;
  /// This close to the end of its range a parameter is put there
  static constexpr double kEdge = 1e-6;

  double theta[kMost], trial[kMost];  ///< where we are, and where the likelihood is wanted
  double ends[2];                     ///< alpha and beta where they are fixed
  double gradient[kMost], likelihood, inverse[kMost * kMost], direction[kMost], ascent, length;
  double sum_of_weights, tolerance, norm;
  double boundary_gradient;   ///< d ln L/d parameter, outwards, at the end of its range
  int fixed;                  ///< bit i: parameter i is not fitted
  int at_end;                 ///< those of them that ran into an end
  int parameters, locations;  ///< how many; of use where kMost is not 4
  int iterations, evaluations, trials, stalls;
  bool first, done;
  FitStatus status;

  KOKKOS_INLINE_FUNCTION int size() const { return kMost == 4 ? 4 : parameters; }
  KOKKOS_INLINE_FUNCTION bool is_location(int i) const {
    return kMost == 4 ? i == 3 : i >= 3 && i < 3 + locations;
  }
  KOKKOS_INLINE_FUNCTION bool free(int i) const { return (fixed >> i & 1) == 0; }
  KOKKOS_INLINE_FUNCTION double alpha(const double* t) const {
    return free(0) ? 0.1 + 1.9 / (1 + ::exp(-t[0])) : ends[0];
  }
  KOKKOS_INLINE_FUNCTION double beta(const double* t) const {
    return free(1) ? ::tanh(t[1]) : ends[1];
  }
  KOKKOS_INLINE_FUNCTION double alpha_derivative(const double* t) const {
    const double e = 1 / (1 + ::exp(-t[0]));
    return free(0) ? 1.9 * e * (1 - e) : 0;
  }
  KOKKOS_INLINE_FUNCTION double beta_derivative(const double* t) const {
    const double b = ::tanh(t[1]);
    return free(1) ? 1 - b * b : 0;
  }

  KOKKOS_INLINE_FUNCTION void start(double a, double b, double sigma, double mu, int fixed_mask,
                                    double weights, double tol) {
    fixed = fixed_mask;
    at_end = 0;
    ends[0] = a;
    ends[1] = b;
    const double e = (a - 0.1) / 1.9;
    theta[0] = ::log(e / (1 - e));
    theta[1] = ::atanh(b);
    if (!free(0)) theta[0] = 0;
    if (!free(1)) theta[1] = 0;
    theta[2] = ::log(sigma);
    theta[3] = mu;
    for (int i = 4; i < size(); ++i) theta[i] = 0;
    for (int i = 0; i < size(); ++i) trial[i] = theta[i];
    sum_of_weights = weights;
    tolerance = tol;
    norm = INFINITY;
    boundary_gradient = 0;
    iterations = evaluations = trials = stalls = 0;
    first = true;
    done = false;
    status = FitStatus::not_converged;
  }

  /// Takes the sums at `trial` and chooses the next one; false when done.
  KOKKOS_INLINE_FUNCTION bool advance(const Sums& sums) {
    ++evaluations;
    if (first) {
      first = false;
      likelihood = sums.value[0];
      for (int i = 0; i < size(); ++i) gradient[i] = free(i) ? sums.value[1 + i] : 0;
      set_metric(sums);
    } else if (acceptable(sums)) {
      accept(sums);
    } else {
      if (++trials >= kMostTrials) {
        done = true;
        return false;
      }
      length *= 0.35;
      set_trial();
      return true;
    }
    return next_direction(sums);
  }

 private:
  /// Armijo's rule; where the likelihood changes by no more than its error, a clearly smaller
  /// gradient serves instead.
  KOKKOS_INLINE_FUNCTION bool acceptable(const Sums& sums) const {
    const double value = sums.value[0];
    if (value >= likelihood + 1e-4 * length * ascent - 1e-11 * ::fabs(likelihood)) return true;
    double largest = 0;
    for (int i = 0; i < size(); ++i) {
      const double size = free(i) ? ::fabs(sums.value[1 + i]) : 0;
      largest = size > largest ? size : largest;
    }
    return value >= likelihood - 1e-9 * sum_of_weights && largest < 0.9 * norm * sum_of_weights;
  }

  KOKKOS_INLINE_FUNCTION bool next_direction(const Sums& sums) {
    norm = 0;
    for (int i = 0; i < size(); ++i) norm = ::fabs(gradient[i]) > norm ? ::fabs(gradient[i]) : norm;
    norm /= sum_of_weights;
    if (fix_ends(sums)) {  // again, without the parameter
      first = true;
      for (int i = 0; i < size(); ++i) trial[i] = theta[i];
      return true;
    }
    if (!(norm == norm) || norm < tolerance || iterations >= kMostIterations || stalls > 8) {
      done = true;
      if (norm < tolerance) status = at_end != 0 ? FitStatus::boundary : FitStatus::converged;
      return false;
    }
    ++iterations;
    if (!set_direction()) {
      for (int i = 0; i < kMost * kMost; ++i) inverse[i] = 0;
      for (int i = 0; i < size(); ++i) inverse[(kMost + 1) * i] = 1 / sum_of_weights;
      set_direction();
    }
    trials = 0;
    set_trial();
    return true;
  }

  KOKKOS_INLINE_FUNCTION bool set_direction() {
    double largest = 0;
    ascent = 0;
    for (int i = 0; i < size(); ++i) {
      direction[i] = 0;
      for (int j = 0; j < size(); ++j) direction[i] += inverse[kMost * i + j] * gradient[j];
      if (!free(i)) direction[i] = 0;
      ascent += direction[i] * gradient[i];
      const double share = ::fabs(direction[i]) / (i < 2 || is_location(i) ? 1.0 : 0.7);
      largest = share > largest ? share : largest;
    }
    length = largest > 1 ? 1 / largest : 1;
    return ascent > 0;
  }

  KOKKOS_INLINE_FUNCTION void set_trial() {
    const double sigma = ::exp(theta[2]);
    for (int i = 0; i < size(); ++i)
      trial[i] = theta[i] + length * direction[i] * (is_location(i) ? sigma : 1.0);
  }

  KOKKOS_INLINE_FUNCTION void accept(const Sums& sums) {
    // locations are in units of sigma, which changes
    const double ratio = ::exp(trial[2] - theta[2]);
    double step[kMost], change[kMost], product = 0;
    for (int i = 0; i < size(); ++i) {
      const double new_gradient = free(i) ? sums.value[1 + i] : 0;
      step[i] = length * direction[i];
      change[i] = gradient[i] - (is_location(i) ? new_gradient / ratio : new_gradient);
      product += step[i] * change[i];
      gradient[i] = new_gradient;
      theta[i] = trial[i];
    }
    // only rounding is left
    stalls = sums.value[0] - likelihood < 1e-13 * ::fabs(likelihood) ? stalls + 1 : 0;
    likelihood = sums.value[0];
    if (product > 1e-14) {
      double hy[kMost], yhy = 0;
      for (int i = 0; i < size(); ++i) {
        hy[i] = 0;
        for (int j = 0; j < size(); ++j) hy[i] += inverse[kMost * i + j] * change[j];
        yhy += change[i] * hy[i];
      }
      const double factor = (1 + yhy / product) / product;
      for (int i = 0; i < size(); ++i) {
        for (int j = 0; j < size(); ++j)
          inverse[kMost * i + j] +=
              factor * step[i] * step[j] - (hy[i] * step[j] + step[i] * hy[j]) / product;
      }
    }
    for (int i = 0; i < size(); ++i) {
      for (int j = 0; j < size(); ++j) {
        if (is_location(j)) inverse[kMost * i + j] /= ratio;
        if (is_location(i)) inverse[kMost * i + j] /= ratio;
      }
    }
  }

  /// Fixes alpha or beta at the end of its range when it is there and the likelihood still rises
  /// outwards.
  KOKKOS_INLINE_FUNCTION bool fix_ends(const Sums&) {
    int now = 0;
    const double a = alpha(theta), b = beta(theta);
    if (free(0) && (a > 2 - kEdge ? gradient[0] > 0 : (a < 0.1 + kEdge && gradient[0] < 0))) {
      boundary_gradient = ::fabs(gradient[0]) / alpha_derivative(theta);
      ends[0] = a > 1 ? 2 : 0.1;
      now |= 1;
      if (ends[0] == 2 && free(1)) {  // beta means nothing there
        ends[1] = 0;
        now |= 2;
      }
    } else if (free(1) && ::fabs(b) > 1 - kEdge && gradient[1] * b > 0) {
      boundary_gradient = ::fabs(gradient[1]) / beta_derivative(theta);
      ends[1] = b > 0 ? 1 : -1;
      now |= 2;
    }
    if (now == 0) return false;
    fixed |= now;
    at_end |= now;
    return true;
  }

  /// The inverse of the outer product of the scores, slightly raised; 1/n where that fails.
  KOKKOS_INLINE_FUNCTION void set_metric(const Sums& sums) {
    double m[kMost * kMost], l[kMost * kMost];
    int k = 1 + size();
    for (int i = 0; i < size(); ++i) {
      for (int j = 0; j <= i; ++j, ++k) m[kMost * i + j] = free(i) && free(j) ? sums.value[k] : 0;
      m[(kMost + 1) * i] = free(i) ? m[(kMost + 1) * i] + 1e-5 * sum_of_weights + 1e-12 : 1;
    }
    bool good = true;
    for (int i = 0; i < size() && good; ++i) {
      for (int j = 0; j <= i; ++j) {
        double v = m[kMost * i + j];
        for (int q = 0; q < j; ++q) v -= l[kMost * i + q] * l[kMost * j + q];
        if (i == j) {
          good = v > 0;
          l[(kMost + 1) * i] = ::sqrt(v);
        } else {
          l[kMost * i + j] = v / l[(kMost + 1) * j];
        }
      }
    }
    for (int c = 0; c < size(); ++c) {
      double y[kMost];
      for (int i = 0; i < size(); ++i) {
        double v = i == c;
        for (int q = 0; q < i; ++q) v -= l[kMost * i + q] * y[q];
        y[i] = v / l[(kMost + 1) * i];
      }
      for (int i = size() - 1; i >= 0; --i) {
        double v = y[i];
        for (int q = i + 1; q < size(); ++q) v -= l[kMost * q + i] * inverse[kMost * q + c];
        inverse[kMost * i + c] =
            good ? v / l[(kMost + 1) * i] : (i == c ? 1 / sum_of_weights : 0.0);
      }
    }
  }
};

using Optimizer = BasicOptimizer<4>;

/// The smallest and the largest double with all its digits.
inline constexpr double kSmallestNormal = std::numeric_limits<double>::min(),
                        kLargest = std::numeric_limits<double>::max();

/// a b c, an entry of a covariance matrix; NaN where a double holds no digits of it.
KOKKOS_INLINE_FUNCTION double product_or_none(double a, double b, double c) {
  const double product = a * c * b, size = ::fabs(product);
  const bool holds = size >= kSmallestNormal && size <= kLargest;
  return a == 0 || b == 0 || c == 0 ? 0 : (holds ? product : NAN);
}

/// Inverts a symmetric positive matrix of `size` rows, kMost apart, restricted to the free
/// parameters, into x; false when it is not positive.
template <int kMost>
KOKKOS_INLINE_FUNCTION bool invert_information(const double* matrix, int fixed, double* x,
                                               int size = kMost) {
  double m[kMost * kMost];
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      const bool both = (fixed >> i & 1) == 0 && (fixed >> j & 1) == 0;
      m[kMost * i + j] = both ? matrix[kMost * i + j] : (i == j ? 1.0 : 0.0);
      x[kMost * i + j] = i == j;
    }
  }
  for (int p = 0; p < size; ++p) {  // Gauss-Jordan; a positive matrix needs no pivoting
    if (!(m[(kMost + 1) * p] > 0)) return false;
    const double inverse = 1 / m[(kMost + 1) * p];
    for (int j = 0; j < size; ++j) {
      m[kMost * p + j] *= inverse;
      x[kMost * p + j] *= inverse;
    }
    for (int i = 0; i < size; ++i) {
      const double factor = m[kMost * i + p];
      if (i == p || factor == 0) continue;
      for (int j = 0; j < size; ++j) {
        m[kMost * i + j] -= factor * m[kMost * p + j];
        x[kMost * i + j] -= factor * x[kMost * p + j];
      }
    }
  }
  return true;
}

}  // namespace tessera::stable::detail
