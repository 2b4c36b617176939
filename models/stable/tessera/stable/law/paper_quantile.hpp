// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/law/paper_kernel.hpp"
#include "tessera/stable/law/paper_start.hpp"

/// Quantiles by the method of the paper (law/paper.hpp), to compare with. For use there are
/// quantile_function.hpp and `QuantileTable`.
///
/// Newton's iteration x - (F(x) - p)/f(x), with F and f by Nolan's integrals, from a first guess
/// that is interpolated between quantiles computed before. It ends when a step is less than
/// `tolerance` of x, or when F is p to the last digits, as at a quantile of 0. It has no safeguard,
/// as the paper's has none: where a step leads astray and 50 steps do not suffice, the quantile is
/// NaN.
///
/// Domain, shapes and errors: quantile_function.hpp, at most 2^31 - 1 probabilities; a quadrature
/// out of range and a tolerance that is not positive are an Error (input) too.
///
/// Accuracy: next to the square of the tolerance, where the integrals are right;
/// models/stable/METHOD.md says where.
namespace tessera::stable {

namespace detail {

/// One team a probability.
template <class ExecSpace>
struct PaperQuantileKernel {
  using Integrator = PaperIntegrator<ExecSpace>;
  using Member = typename Integrator::Member;
  static constexpr int kMostSteps = 50;
  static constexpr double kRounding = 2e-15;  ///< of the distribution function, relative

  QuantileKernel<ExecSpace> points;
  Integrator integrator;
  PaperStart<ExecSpace> start;
  double tolerance;

  KOKKOS_INLINE_FUNCTION double solve(const Member& team, const StableDistribution& distribution,
                                      double p) const {
    if (!(p > 0 && p < 1)) return NAN;
    const typename Integrator::Doubles scratch = integrator.make_scratch(team);
    double x = start.guess(distribution, p);
    for (int k = 0; k < kMostSteps; ++k) {
      QuadratureError unused;
      const Evaluation v = integrator.evaluate(team, scratch, distribution, x,
                                               distance_from_zeta(distribution, x), unused);
      if (::fabs(p - v.cdf) <= kRounding * p) return x;
      const double step = (p - v.cdf) / v.pdf;
      x += step;
      if (!(::fabs(x) < INFINITY)) return NAN;
      if (::fabs(step) <= tolerance * ::fabs(x)) return x;
    }
    return NAN;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const std::int64_t i = team.league_rank();
    const bool many = points.alpha.extent(0) != 0;
    const double a = many ? points.alpha(i) : points.one.alpha,
                 b = many ? points.beta(i) : points.one.beta;
    double found = NAN;
    if (a >= kMinAlpha && a <= kMaxAlpha && b >= -1 && b <= 1) {
      const StableDistribution distribution = many ? StableDistribution(a, b) : points.one;
      found = points.where.from_standard(distribution, solve(team, distribution, points.p(i)));
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] { points.x(i) = found; });
  }
};

}  // namespace detail

/// The iteration with its first guesses, which are computed when the object is made.
template <class ExecSpace>
class PaperQuantiles {
 public:
  using Input = Kokkos::View<const double*, ExecSpace>;
  using View = Kokkos::View<double*, ExecSpace>;

  explicit PaperQuantiles(const ExecSpace& exec, const PaperQuadrature& quadrature = {},
                          double tolerance = 1e-4)
      : m_integrator(detail::PaperIntegrator<ExecSpace>::make(quadrature)), m_tolerance(tolerance) {
    if (!(tolerance > 0)) {
      throw Error(ErrorKind::input,
                  "stable: the tolerance of the paper's quantiles is not positive",
                  "the paper takes 1e-4");
    }
    m_start = detail::PaperStart<ExecSpace>::build(exec);
  }

  /// x(i) with P(X <= x(i)) = p(i) of one distribution.
  void operator()(const ExecSpace& exec, double alpha, double beta, const LocationScale& where,
                  const Input& p, const View& x) const {
    require_parameters(alpha, beta, where.sigma);
    const StableDistribution distribution(alpha, beta);
    solve(exec, {distribution, resolve_mode(distribution, where), {}, {}, p, x, false});
  }

  /// The same with a distribution for every probability; where one is out of range x(i) is NaN.
  void operator()(const ExecSpace& exec, const Input& alpha, const Input& beta,
                  const LocationScale& where, const Input& p, const View& x) const {
    detail::require_distributions(alpha.extent(0), beta.extent(0), where, p.extent(0));
    solve(exec, {StableDistribution(1, 0), where, alpha, beta, p, x, false});
  }

 private:
  void solve(const ExecSpace& exec, const detail::QuantileKernel<ExecSpace>& points) const {
    detail::require_quantiles(points.x.extent(0), points.p.extent(0));
    if (points.p.extent(0) == 0) return;
    Kokkos::parallel_for(
        "tessera::stable::quantiles_by_paper", m_integrator.make_policy(exec, points.p.extent(0)),
        detail::PaperQuantileKernel<ExecSpace>{points, m_integrator, m_start, m_tolerance});
  }

  detail::PaperIntegrator<ExecSpace> m_integrator;
  double m_tolerance;
  detail::PaperStart<ExecSpace> m_start;
};

}  // namespace tessera::stable
