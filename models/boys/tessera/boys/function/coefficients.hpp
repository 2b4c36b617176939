// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::boys::detail {

/// The approximations of the top order N (see models/boys/METHOD.md). Specialised by the generated headers for Real = double and
/// float and N = 0..40, with these static members:
///
///   split          the two ranges meet here
///   last           beyond it the power (scale / x)^N may leave the range of Real
///   asymptote      F_N -> asymptote (scale / x)^N x^(-1/2)
///   head           polynomial in x - head_center: F_0, or e^x F_N for N > 0
///   tail           polynomial in v - tail_center with v = x^(-1/2) if tail_in_r, else 1/x
template <class Real, int N>
struct Coefficients;

/// Polynomial `c` of e^z on |z| <= log(2)/2.
template <class Real>
struct ExponentialCoefficients;

/// c[n] = 1 / (2n + 1), the factors of the downward recursion.
template <class Real>
struct InverseOdd;

}  // namespace tessera::boys::detail
