// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace tessera::gp::detail {

/// The coefficients of conjugate gradients for one right-hand side: lengths of the steps, and
/// ratios of the squares of successive residuals.
struct ConjugateSteps {
  std::vector<double> step, ratio;
};

/// Returns e' log(T) e with the tridiagonal matrix T of the Lanczos process that conjugate
/// gradients with these coefficients are, and e its first unit vector: the Gauss quadrature of
/// z' log(P^-1/2 A P^-1/2) z / z'z (Saad 2003, section 6.7; Ubaru, Chen and Saad 2017).
double quadrature_of_logarithm(const ConjugateSteps& steps);

}  // namespace tessera::gp::detail
