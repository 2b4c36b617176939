// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/law/evaluation_views.hpp"
#include "tessera/stable/law/parameterization.hpp"
#include "tessera/stable/law/view_points.hpp"

/// Density, tails and scores of stable distributions at many points, in Views: all points with one
/// (alpha, beta), or each with its own.
///
/// Formula and accuracy: evaluate.hpp. For more than 2000 points of one distribution a `Table` is
/// some 200 times faster.
///
/// Shapes: x(i), and as many elements in every result that is wanted and in alpha(i) and beta(i).
/// Units: x in those of mu and sigma, the density in their inverse; d_x is the derivative in x,
/// d_alpha, d_beta, sf_alpha and sf_beta are those at fixed x, mu and sigma.
///
/// On a GPU up to 8192 points of which densities and tails are wanted, and no scores, take one
/// kernel. Instances of the library (instances.hpp) give them the bits that they have among many;
/// instances of your own may differ from that by rounding.
///
/// Calls are asynchronous on `exec` and allocate nothing once the scratch memory that they are
/// given has grown; CPUs need none.
///
/// Errors: Error (input) for parameters out of range (see `require_parameters`) and results of a
/// wrong size. Where alpha(i) or beta(i) is out of range the results at i are NaN.
///
/// Example (tests/install/examples/stable.cpp):
///
///     stable::EvaluationViews<ExecSpace> out;
///     out.pdf = View("pdf", n);
///     out.sf = View("sf", n);
///     stable::EvaluationScratch<ExecSpace> scratch;  // keep it for the next calls
///     stable::evaluate_batch<ExecSpace>(exec, 1.5, 0.5, {}, x, out, scratch);
namespace tessera::stable {

/// One distribution at many points. `where`: location and scale.
template <class ExecSpace>
void evaluate_batch(const ExecSpace& exec, double alpha, double beta, const LocationScale& where,
                    const Kokkos::View<const double*, ExecSpace>& x,
                    const EvaluationViews<ExecSpace>& out, EvaluationScratch<ExecSpace>& scratch) {
  detail::evaluate_views(exec, detail::single_distribution_points(alpha, beta, where, x, out),
                         scratch);
}

/// A distribution for every point. Throws Error (input) for the parameterisation S2, whose mode is
/// not known in kernels.
template <class ExecSpace>
void evaluate_batch(const ExecSpace& exec, const Kokkos::View<const double*, ExecSpace>& alpha,
                    const Kokkos::View<const double*, ExecSpace>& beta, const LocationScale& where,
                    const Kokkos::View<const double*, ExecSpace>& x,
                    const EvaluationViews<ExecSpace>& out, EvaluationScratch<ExecSpace>& scratch) {
  detail::evaluate_views(exec, detail::pointwise_distribution_points(alpha, beta, where, x, out),
                         scratch);
}

/// These overloads make scratch memory of their own. On a GPU they return when the results are
/// there.
template <class ExecSpace>
void evaluate_batch(const ExecSpace& exec, double alpha, double beta, const LocationScale& where,
                    const Kokkos::View<const double*, ExecSpace>& x,
                    const EvaluationViews<ExecSpace>& out) {
  EvaluationScratch<ExecSpace> scratch;
  evaluate_batch<ExecSpace>(exec, alpha, beta, where, x, out, scratch);
}
template <class ExecSpace>
void evaluate_batch(const ExecSpace& exec, const Kokkos::View<const double*, ExecSpace>& alpha,
                    const Kokkos::View<const double*, ExecSpace>& beta, const LocationScale& where,
                    const Kokkos::View<const double*, ExecSpace>& x,
                    const EvaluationViews<ExecSpace>& out) {
  EvaluationScratch<ExecSpace> scratch;
  evaluate_batch<ExecSpace>(exec, alpha, beta, where, x, out, scratch);
}

}  // namespace tessera::stable
