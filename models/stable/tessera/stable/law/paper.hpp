// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/law/paper_kernel.hpp"

/// Density and distribution function by the method of the paper, to compare with. For use there are
/// batch.hpp and table.hpp.
///
///   G. Julian-Moreno, J. E. Lopez de Vergara, I. Gonzalez, L. de Pedro, J. Royuela-del-Val, F. Simmross-Wattenberg, Fast parallel
///   alpha-stable distribution function evaluation and parameter estimation using OpenCL in GPGPUs, Statistics and Computing 27 (2017)
///   1365.
///
/// Nolan's integrals by Kronrod's rule of 127 nodes on each of 16 sub-intervals, or another
/// `PaperQuadrature`. When few sub-intervals contribute, these are divided again, twice at most;
/// for alpha < 0.3 so is the first one. Density and distribution function come from the same nodes.
/// Equation (13) of the paper lacks a factor 1/pi, which is here.
///
/// Domain, shapes and errors: batch.hpp, at most 2^31 - 1 points; asking for scores is an Error
/// (input) too, and so is a quadrature that is out of range.
///
/// Accuracy: that of the method, from 1e-16 to no correct digit; models/stable/METHOD.md says
/// where.
namespace tessera::stable {

/// One distribution at many points.
template <class ExecSpace>
void evaluate_batch_by_paper(const ExecSpace& exec, double alpha, double beta,
                             const LocationScale& where,
                             const Kokkos::View<const double*, ExecSpace>& x,
                             const EvaluationViews<ExecSpace>& out,
                             const PaperQuadrature& quadrature = {},
                             const QuadratureErrorViews<ExecSpace>& errors = {}) {
  detail::evaluate_views_by_paper(
      exec, detail::single_distribution_points(alpha, beta, where, x, out), quadrature, errors);
}

/// A distribution for every point.
template <class ExecSpace>
void evaluate_batch_by_paper(
    const ExecSpace& exec, const Kokkos::View<const double*, ExecSpace>& alpha,
    const Kokkos::View<const double*, ExecSpace>& beta, const LocationScale& where,
    const Kokkos::View<const double*, ExecSpace>& x, const EvaluationViews<ExecSpace>& out,
    const PaperQuadrature& quadrature = {}, const QuadratureErrorViews<ExecSpace>& errors = {}) {
  detail::evaluate_views_by_paper(
      exec, detail::pointwise_distribution_points(alpha, beta, where, x, out), quadrature, errors);
}

}  // namespace tessera::stable
