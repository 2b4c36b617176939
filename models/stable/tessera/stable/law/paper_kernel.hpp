// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/law/paper_integrator.hpp"
#include "tessera/stable/law/view_points.hpp"

namespace tessera::stable {

/// Estimates of the error of the paper's method, one element per point: |Gauss - Kronrod|. 0 where
/// a formula takes the place of the integrals. A View without extent is not computed.
template <class ExecSpace>
struct QuadratureErrorViews {
  using View = Kokkos::View<double*, ExecSpace>;
  View pdf{}, cdf{};
};

namespace detail {

/// One team a point.
template <class ExecSpace>
struct PaperKernel {
  using Integrator = PaperIntegrator<ExecSpace>;
  using Member = typename Integrator::Member;

  ViewPoints<ExecSpace> points;
  QuadratureErrorViews<ExecSpace> errors;
  Integrator integrator;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const std::int64_t i = team.league_rank();
    const StableDistribution given = points.distribution(i);
    double x, distance;
    points.locate(given, i, x, distance);
    QuadratureError error;
    const Evaluation v =
        integrator.evaluate(team, integrator.make_scratch(team), given, x, distance, error);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      points.store(i, given, v);
      if (errors.pdf.extent(0) != 0) errors.pdf(i) = error.pdf / points.where.sigma;
      if (errors.cdf.extent(0) != 0) errors.cdf(i) = error.cdf;
    });
  }
};

template <class ExecSpace>
void evaluate_views_by_paper(const ExecSpace& exec, const ViewPoints<ExecSpace>& points,
                             const PaperQuadrature& quadrature,
                             const QuadratureErrorViews<ExecSpace>& errors) {
  require_results(points);
  const std::size_t n = points.x.extent(0);
  require_result(errors.pdf.extent(0), n);
  require_result(errors.cdf.extent(0), n);
  const auto& out = points.out;
  if (out.d_x.extent(0) != 0 || out.d_alpha.extent(0) != 0 || out.d_beta.extent(0) != 0) {
    throw Error(ErrorKind::input, "stable: the method of the paper gives no scores");
  }
  const PaperKernel<ExecSpace> kernel{points, errors, PaperIntegrator<ExecSpace>::make(quadrature)};
  if (n == 0) return;
  Kokkos::parallel_for("tessera::stable::evaluate_by_paper", kernel.integrator.make_policy(exec, n),
                       kernel);
}

}  // namespace detail

}  // namespace tessera::stable
