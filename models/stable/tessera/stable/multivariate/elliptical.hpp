// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/random.hpp"
#include "tessera/stable/fit/fit_types.hpp"
#include "tessera/stable/law/radial.hpp"
#include "tessera/stable/multivariate/elliptical_kernels.hpp"

/// Elliptical stable laws (sub-Gaussian vectors) in d dimensions: density, random vectors and
/// maximum-likelihood fits.
///
///     E exp(i t'X) = exp(i t'mu - (t'S t)^{alpha/2}),    X = mu + sqrt(2 W) S^{1/2} N,
///
/// N standard normal, W positive stable of index alpha/2 (Nolan, Comput. Stat. 28 (2013) 2067).
/// Every coordinate is S(alpha, 0, sqrt(S_jj), mu_j); at alpha = 2 X is normal with covariance 2 S,
/// at alpha = 1 it is t with one degree of freedom. The density is det(S)^{-1/2} f(r), r^2 = (x -
/// mu)'S^{-1}(x - mu), f being that of radial.hpp. Fits go by ECME (Liu and Rubin, Biometrika 81
/// (1994) 633): mu and S from the weights E[1/(2 W)] of the points, then alpha and the size of S by
/// steps of Fisher's scoring on the likelihood itself.
///
/// Domain: 0.2 <= alpha <= 2, 1 <= d <= 100, S positive definite; fits: more finite points than
/// dimensions by at least five, not in a plane.
///
/// Accuracy: log density to 5e-11 and what S loses by its condition. Fits: the largest component of
/// the gradient, in the metric of S and divided by the number of points, is below
/// EllipticalOptions::tolerance.
///
/// Errors: Error (input) for alpha, dimensions or matrices out of the domain, and points that lie
/// in a plane.
///
/// Example (tests/install/examples/stable.cpp):
///
///     const stable::EllipticalLaw law{1.6, {0, 1}, {{1, 0.5}, {0.5, 2}}};  // alpha, location, shape
///     const View points("points", 2 * n);                                  // one vector after the other
///     stable::sample_elliptical(exec, law, tessera::Philox(2026, 6), 0, points);
///     const stable::EllipticalFit fit = stable::fit_elliptical<ExecSpace>(exec, points, 2);
namespace tessera::stable {

struct EllipticalLaw {
  double alpha = 2;
  std::vector<double> location;
  linalg::Matrix shape;  ///< rows

  int dimension() const { return static_cast<int>(location.size()); }
};

struct EllipticalOptions {
  double tolerance = 1e-8;
  double fixed_alpha = NAN;  ///< not fitted, unless NaN
  int most_iterations = 500;
};

/// The result of a fit. Errors come from the information of elliptical laws, whose expectations are
/// means over the points.
struct EllipticalFit {
  EllipticalLaw law;
  double alpha_error = NAN;  ///< 0 where alpha is fixed, NaN at the end of its range
  std::vector<double> location_error;
  linalg::Matrix shape_error;
  double log_likelihood = NAN, gradient_norm = NAN;
  /// Values of every point: r, and E[1/(2 W)], small for those far out
  std::vector<double> radius, weight;
  int iterations = 0;
  FitStatus status = FitStatus::not_converged;
};

/// Throws Error (input) unless alpha, location and shape make a law.
void require_law(const EllipticalLaw& law);

namespace detail {

/// Sums over the points, of which fits are made.
struct EllipticalSums {
  double log_pdf = 0, alpha = 0, size = 0, alpha_alpha = 0, alpha_size = 0, size_size = 0,
         slope = 0, weight = 0;
  std::vector<double> first, second;  ///< of u y and u y y' (lower triangle, by rows), y whitened
};

struct EllipticalState {
  double alpha;
  std::vector<double> location;
  linalg::Matrix factor;  ///< Cholesky's, of the shape
  double log_likelihood = -INFINITY;
  EllipticalSums sums;
};

/// The steps of a fit on the host; evaluate(state) fills its likelihood and sums.
class EllipticalSearch {
 public:
  EllipticalSearch(std::int64_t points, const EllipticalOptions& options)
      : m_points(static_cast<double>(points)), m_options(options) {}

  template <class Evaluate>
  void run(EllipticalState& state, const Evaluate& evaluate) {
    evaluate(state);
    for (m_iterations = 0; m_iterations < m_options.most_iterations; ++m_iterations) {
      stop_at_signal();
      update_location_and_shape(state);
      evaluate(state);
      m_gradient = gradient_norm(state);
      if (m_gradient < m_options.tolerance) break;
      scoring_step(state, evaluate);
    }
  }

  /// Gives the fit of the state that a search has come to.
  EllipticalFit finish(const EllipticalState& state) const;

 private:
  void update_location_and_shape(EllipticalState& state) const;
  double gradient_norm(const EllipticalState& state) const;
  bool alpha_is_free(const EllipticalState& state) const {
    return !(m_options.fixed_alpha > 0) && !(state.alpha == 2 && m_at_end);
  }
  /// A step in alpha and the logarithm of the size.
  void find_step(const EllipticalState& state, double& d_alpha, double& d_size) const;
  static EllipticalState moved(const EllipticalState& state, double d_alpha, double d_size);

  template <class Evaluate>
  void scoring_step(EllipticalState& state, const Evaluate& evaluate) {
    double d_alpha, d_size;
    find_step(state, d_alpha, d_size);
    // is the end of the range higher?
    if (alpha_is_free(state) && state.alpha > 1.999 && d_alpha > 0) {
      EllipticalState normal = moved(state, 2 - state.alpha, 0);
      evaluate(normal);
      if (normal.log_likelihood >= state.log_likelihood) {
        m_at_end = true;
        state = normal;
        return;
      }
    }
    for (int halvings = 0; halvings < 12; ++halvings, d_alpha *= 0.5, d_size *= 0.5) {
      EllipticalState next = moved(state, d_alpha, d_size);
      evaluate(next);
      if (!(next.log_likelihood >= state.log_likelihood - 1e-11 * std::fabs(state.log_likelihood)))
        continue;
      state = next;
      return;
    }
  }

  double m_points;
  EllipticalOptions m_options;
  double m_gradient = INFINITY;
  int m_iterations = 0;
  bool m_at_end = false;
};

/// Begins with medians and interquartile ranges of the coordinates. Throws Error (input) for points
/// that cannot be fitted.
EllipticalState start_elliptical(const std::vector<double>& points, int dimension,
                                 const EllipticalOptions& options);

}  // namespace detail

/// Evaluates points, one vector after the other; keeps its memory between calls.
template <class ExecSpace>
class EllipticalEvaluator {
 public:
  using Data = Kokkos::View<const double*, ExecSpace>;
  using View = Kokkos::View<double*, ExecSpace>;

  EllipticalEvaluator(const ExecSpace& exec, const Data& points, int dimension)
      : m_exec(exec),
        m_points(points),
        m_dimension(dimension),
        m_count(static_cast<std::int64_t>(points.extent(0)) / dimension) {
    const auto make = [&](const char* label, std::int64_t size) {
      return allocate<View>(exec, label, static_cast<std::size_t>(size));
    };
    m_white = make("tessera::stable::whitened", m_count * dimension);
    m_square = make("tessera::stable::squares", m_count);
    m_value = make("tessera::stable::radial_values", 3 * m_count);
  }

  /// Whitened points and their radial densities under a law; the logarithm of the root of det S.
  double operator()(double alpha, const std::vector<double>& location,
                    const linalg::Matrix& factor) {
    std::vector<double> packed;
    double log_root = 0;
    for (int j = 0; j < m_dimension; ++j) {
      packed.insert(packed.end(), factor[j].begin(), factor[j].begin() + j + 1);
      log_root += std::log(factor[j][j]);
    }
    const detail::WhitenKernel<ExecSpace> whiten{
        m_dimension,
        m_points,
        upload(m_exec, "tessera::stable::location", location),
        upload(m_exec, "tessera::stable::factor", packed),
        m_white,
        m_square};
    Kokkos::parallel_for("tessera::stable::whiten", range(m_count), whiten);
    const std::vector<double> squares = download(m_exec, m_square);
    const double largest = squares.empty() ? 0 : *std::max_element(squares.begin(), squares.end());
    if (!(largest <= kFarthest * kFarthest)) {
      throw Error(ErrorKind::input,
                  "stable: a point lies " + std::to_string(std::sqrt(largest)) +
                      " units of the shape from the location",
                  "radii are at most 1e60");
    }
    // Few different ranges, so that likelihoods next to each other have the same nodes.
    const double farthest =
        std::min(kFarthest, std::pow(10, std::ceil(std::log10(std::sqrt(largest) + 1)) + 1));
    const RadialDensity<ExecSpace> density(m_exec, alpha, m_dimension, farthest);
    Kokkos::parallel_for(
        "tessera::stable::radial", range(m_count),
        detail::RadialPointsKernel<ExecSpace>{density.mixture(), m_count, m_square, m_value});
    m_exec.fence();
    return log_root;
  }

  detail::EllipticalSums sums() {
    const int entries = detail::PointSums<ExecSpace>::entries(m_dimension);
    const std::int64_t blocks =
        (m_count + detail::PointSums<ExecSpace>::kBlock - 1) / detail::PointSums<ExecSpace>::kBlock;
    if (m_partial.extent(0) == 0) {
      m_partial = allocate<View>(m_exec, "tessera::stable::partial_sums",
                                 static_cast<std::size_t>(entries * blocks));
      m_total = allocate<View>(m_exec, "tessera::stable::sums", static_cast<std::size_t>(entries));
    }
    const detail::PointSums<ExecSpace> partial{m_dimension, m_count, blocks,   m_white,
                                               m_square,    m_value, m_partial};
    Kokkos::parallel_for("tessera::stable::partial_sums", range(entries * blocks), partial);
    Kokkos::parallel_for("tessera::stable::sums", range(entries),
                         detail::BlockSums<ExecSpace>{blocks, m_partial, m_total});
    const std::vector<double> t = download(m_exec, m_total);
    detail::EllipticalSums found{t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], {}, {}};
    found.first.assign(t.begin() + 8, t.begin() + 8 + m_dimension);
    found.second.assign(t.begin() + 8 + m_dimension, t.end());
    return found;
  }

  std::vector<double> squares() const { return download(m_exec, m_square); }
  /// Logarithms of radial densities, weights, derivatives in alpha: one array after the other.
  std::vector<double> values() const { return download(m_exec, m_value); }
  std::vector<double> whitened() const { return download(m_exec, m_white); }

 private:
  Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>> range(std::int64_t size) const {
    return {m_exec, 0, size};
  }

  ExecSpace m_exec;
  Data m_points;
  int m_dimension;
  std::int64_t m_count;
  View m_white, m_square, m_value, m_partial, m_total;
};

/// Logarithms of the density at points, one vector after the other.
template <class ExecSpace>
std::vector<double> evaluate_elliptical(const ExecSpace& exec, const EllipticalLaw& law,
                                        const Kokkos::View<const double*, ExecSpace>& points) {
  require_law(law);
  EllipticalEvaluator<ExecSpace> evaluator(exec, points, law.dimension());
  const double log_root = evaluator(law.alpha, law.location, linalg::cholesky_factor(law.shape));
  std::vector<double> values = evaluator.values();
  values.resize(values.size() / 3);
  for (double& v : values) v -= log_root;
  return values;
}

/// Random vectors number `first`, ... of a sweep, one after the other.
template <class ExecSpace>
void sample_elliptical(const ExecSpace& exec, const EllipticalLaw& law, const Philox& random,
                       std::uint64_t first, const Kokkos::View<double*, ExecSpace>& points) {
  require_law(law);
  std::vector<double> packed;
  const linalg::Matrix factor = linalg::cholesky_factor(law.shape);
  for (std::size_t j = 0; j < factor.size(); ++j) {
    packed.insert(packed.end(), factor[j].begin(),
                  factor[j].begin() + static_cast<std::ptrdiff_t>(j) + 1);
  }
  const detail::DrawVectors<ExecSpace> draw{law.dimension(),
                                            0.5 * law.alpha,
                                            random,
                                            first,
                                            upload(exec, "tessera::stable::location", law.location),
                                            upload(exec, "tessera::stable::factor", packed),
                                            points};
  const auto count = static_cast<std::int64_t>(points.extent(0)) / law.dimension();
  Kokkos::parallel_for(
      "tessera::stable::sample_vectors",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count), draw);
  exec.fence();
}

/// The law of largest likelihood of points, one vector of `dimension` values after the other.
template <class ExecSpace>
EllipticalFit fit_elliptical(const ExecSpace& exec,
                             const Kokkos::View<const double*, ExecSpace>& points, int dimension,
                             const EllipticalOptions& options = {}) {
  detail::EllipticalState state =
      detail::start_elliptical(download(exec, points), dimension, options);
  EllipticalEvaluator<ExecSpace> evaluator(exec, points, dimension);
  const std::int64_t count = static_cast<std::int64_t>(points.extent(0)) / dimension;
  detail::EllipticalSearch search(count, options);
  search.run(state, [&](detail::EllipticalState& at) {
    const double log_root = evaluator(at.alpha, at.location, at.factor);
    at.sums = evaluator.sums();
    at.log_likelihood = at.sums.log_pdf - static_cast<double>(count) * log_root;
  });
  EllipticalFit fit = search.finish(state);
  evaluator(state.alpha, state.location, state.factor);
  const std::vector<double> squares = evaluator.squares(), values = evaluator.values();
  for (std::int64_t i = 0; i < count; ++i) {
    fit.radius.push_back(std::sqrt(squares[static_cast<std::size_t>(i)]));
    fit.weight.push_back(values[static_cast<std::size_t>(count + i)]);
  }
  return fit;
}

}  // namespace tessera::stable
