// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/stable/law/evaluation_views.hpp"
#include "tessera/stable/law/few_points.hpp"
#include "tessera/stable/law/ordered_evaluation.hpp"
#include "tessera/stable/law/parameterization.hpp"

namespace tessera::stable::detail {

/// Points in Views, with one distribution or a distribution each.
template <class ExecSpace>
struct ViewPoints {
  using Input = Kokkos::View<const double*, ExecSpace>;
  Input x, alpha, beta;
  StableDistribution one;
  LocationScale where;
  EvaluationViews<ExecSpace> out;
  /// Derivatives in alpha and beta are those at a fixed location of S1, else of S0
  bool scores_in_s1 = false;

  KOKKOS_INLINE_FUNCTION StableDistribution distribution(std::int64_t i) const {
    if (alpha.extent(0) == 0) return one;
    const double a = alpha(i), b = beta(i);
    return a >= kMinAlpha && a <= kMaxAlpha && b >= -1 && b <= 1 ? StableDistribution(a, b)
                                                                 : StableDistribution(2, 0);
  }

  KOKKOS_INLINE_FUNCTION void locate(const StableDistribution& distribution, std::int64_t i,
                                     double& standard, double& distance) const {
    where.standardize(distribution, x(i), standard, distance);
    if (alpha.extent(0) != 0) {
      const double a = alpha(i), b = beta(i);
      if (!(a >= kMinAlpha && a <= kMaxAlpha && b >= -1 && b <= 1)) standard = distance = NAN;
    }
  }

  /// The density in units of sigma, also where that of the standard distribution is too small for a
  /// number.
  KOKKOS_INLINE_FUNCTION double scaled_density(const Evaluation& v) const {
    constexpr double kFewDigits = 1e-290;
    return v.pdf < kFewDigits && where.sigma < 1 ? ::exp(v.log_pdf - ::log(where.sigma))
                                                 : v.pdf / where.sigma;
  }

  /// The evaluation at x(i), given that at the standard x, which is infinite where a small sigma
  /// leads beyond the largest number. True where it is.
  KOKKOS_INLINE_FUNCTION bool correct_beyond_numbers(std::int64_t i,
                                                     const StableDistribution& distribution,
                                                     Evaluation& v) const {
    constexpr double kLogLargest = 709.78;
    if (v.log_pdf != -INFINITY || where.sigma >= 1 || !(::fabs(x(i)) < INFINITY)) return false;
    const double log_standard = where.log_standard(x(i));
    if (!(log_standard > kLogLargest)) return false;
    v = evaluate_beyond_numbers(distribution, x(i) < where.mu, log_standard,
                                Quantities::tail_scores);
    return true;
  }

  KOKKOS_INLINE_FUNCTION void store(std::int64_t i, const StableDistribution& distribution,
                                    const Evaluation& found) const {
    Evaluation v = found;
    const bool beyond = correct_beyond_numbers(i, distribution, v);
    if (out.pdf.extent(0) != 0) out.pdf(i) = scaled_density(v);
    if (out.log_pdf.extent(0) != 0)
      out.log_pdf(i) = where.sigma == 1 ? v.log_pdf : v.log_pdf - ::log(where.sigma);
    if (out.cdf.extent(0) != 0) out.cdf(i) = v.cdf;
    if (out.sf.extent(0) != 0) out.sf(i) = v.sf;
    if (out.log_cdf.extent(0) != 0) out.log_cdf(i) = v.log_cdf();
    if (out.log_sf.extent(0) != 0) out.log_sf(i) = v.log_sf();
    if (out.d_x.extent(0) != 0)
      out.d_x(i) = beyond && v.d_x == v.d_x
                       ? -0.5 * (distribution.alpha + 1) / (0.5 * x(i) - 0.5 * where.mu)
                       : v.d_x / where.sigma;
    double shift_alpha = 0, shift_beta = 0;  // S1: the standard x moves with alpha and beta
    if (scores_in_s1) {
      // -tan(pi alpha/2)
      const double t = distribution.at_one ? 0 : distribution.cosine / distribution.sine;
      shift_alpha = distribution.at_one ? NAN : -distribution.beta * kHalfPi * (1 + t * t);
      shift_beta = distribution.at_one ? -(2 / kPi) * ::log(where.sigma) : t;
    }
    if (out.d_alpha.extent(0) != 0)
      out.d_alpha(i) = v.d_alpha + (shift_alpha == 0 ? 0 : shift_alpha * v.d_x);
    if (out.d_beta.extent(0) != 0) out.d_beta(i) = v.d_beta + shift_beta * v.d_x;
    if (out.sf_alpha.extent(0) != 0)
      out.sf_alpha(i) = v.sf_alpha - (shift_alpha == 0 ? 0 : shift_alpha * v.pdf);
    if (out.sf_beta.extent(0) != 0) out.sf_beta(i) = v.sf_beta - shift_beta * v.pdf;
  }
};

/// Throws unless a result has as many elements as there are points, or none.
inline void require_result(std::size_t elements, std::size_t points) {
  if (elements == 0 || elements == points) return;
  throw Error(ErrorKind::input,
              "stable: a result has " + std::to_string(elements) + " elements for " +
                  std::to_string(points) + " points",
              "give it as many elements as there are points, or none");
}

template <class ExecSpace>
void require_results(const ViewPoints<ExecSpace>& points) {
  const auto& out = points.out;
  const Kokkos::View<double*, ExecSpace> views[] = {
      out.pdf, out.log_pdf, out.cdf,    out.sf,       out.log_cdf, out.log_sf,
      out.d_x, out.d_alpha, out.d_beta, out.sf_alpha, out.sf_beta};
  for (const auto& view : views) require_result(view.extent(0), points.x.extent(0));
}

template <class ExecSpace>
ViewPoints<ExecSpace> single_distribution_points(double alpha, double beta,
                                                 const LocationScale& where,
                                                 const Kokkos::View<const double*, ExecSpace>& x,
                                                 const EvaluationViews<ExecSpace>& out) {
  require_parameters(alpha, beta, where.sigma);
  const StableDistribution distribution(alpha, beta);
  return {x,
          {},
          {},
          distribution,
          resolve_mode(distribution, where),
          out,
          where.parameterization == Parameterization::S1};
}

template <class ExecSpace>
ViewPoints<ExecSpace> pointwise_distribution_points(
    const Kokkos::View<const double*, ExecSpace>& alpha,
    const Kokkos::View<const double*, ExecSpace>& beta, const LocationScale& where,
    const Kokkos::View<const double*, ExecSpace>& x, const EvaluationViews<ExecSpace>& out) {
  require_parameters(1, 0, where.sigma);
  if (alpha.extent(0) != x.extent(0) || beta.extent(0) != x.extent(0)) {
    throw Error(ErrorKind::input, "stable: " + std::to_string(alpha.extent(0)) + " alphas and " +
                                      std::to_string(beta.extent(0)) + " betas for " +
                                      std::to_string(x.extent(0)) + " points");
  }
  if (where.parameterization == Parameterization::S2) {
    throw Error(ErrorKind::input, "stable: S2 is for one distribution at a time",
                "convert the locations to S0, or give one alpha and one beta");
  }
  return {x,
          alpha,
          beta,
          StableDistribution(1, 0),
          where,
          out,
          where.parameterization == Parameterization::S1};
}

/// Evaluates points. On a GPU one kernel evaluates few points where densities, or densities and
/// tails, are wanted. The library compiles this so that few points have the bits of many
/// (CMakeLists.txt).
template <Quantities quantities, class ExecSpace>
void evaluate_view_points(const ExecSpace& exec, const ViewPoints<ExecSpace>& points,
                          EvaluationScratch<ExecSpace>& scratch) {
  const auto count = static_cast<std::int64_t>(points.x.extent(0));
  if constexpr (compat::is_gpu_v<ExecSpace> && !has_scores(quantities)) {
    if (count <= kFewPoints) return evaluate_few_points<quantities>(exec, count, points);
  }
  evaluate_points<quantities>(exec, count, points, scratch);
}

template <class ExecSpace>
void evaluate_views(const ExecSpace& exec, const ViewPoints<ExecSpace>& points,
                    EvaluationScratch<ExecSpace>& scratch) {
  require_results(points);
  const auto& out = points.out;
  if (out.sf_alpha.extent(0) != 0 || out.sf_beta.extent(0) != 0) {
    evaluate_view_points<Quantities::tail_scores>(exec, points, scratch);
  } else if (out.d_x.extent(0) != 0 || out.d_alpha.extent(0) != 0 || out.d_beta.extent(0) != 0) {
    evaluate_view_points<Quantities::scores>(exec, points, scratch);
  } else if (out.cdf.extent(0) != 0 || out.sf.extent(0) != 0 || out.log_cdf.extent(0) != 0 ||
             out.log_sf.extent(0) != 0) {
    evaluate_view_points<Quantities::sf>(exec, points, scratch);
  } else {
    evaluate_view_points<Quantities::pdf>(exec, points, scratch);
  }
}

}  // namespace tessera::stable::detail
