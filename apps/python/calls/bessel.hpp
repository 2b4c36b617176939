// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "apps/python/calls/numbers.hpp"
#include "tessera/core/device/backend.hpp"

namespace tessera::python {

/// The forms of K_nu(x) and of I_nu(x) in tessera/bessel/batch.hpp, in that order.
enum class BesselForm { k, k_scaled, log_k, dlog_k_dx, dlog_k_dnu };
enum class BesselIForm { i, i_scaled, log_i, dlog_i_dx, dlog_i_dnu };

/// One form of K_nu(x) or I_nu(x) for n elements.
template <class Real, class Form>
void evaluate_bessel(Backend backend, Form form, const In<Real>& nu, const In<Real>& x,
                     const Out<Real>& out, std::size_t n, const Between& between);

/// A form of K_nu(x) or I_nu(x), and the derivatives of the function's logarithm.
template <class Real>
struct BesselDerivatives {
  Out<Real> value, dlog_dnu, dlog_dx;
};

/// Evaluates them together.
template <class Real, class Form>
void differentiate_bessel(Backend backend, Form form, const In<Real>& nu, const In<Real>& x,
                          const BesselDerivatives<Real>& out, std::size_t n,
                          const Between& between);

/// One function of complex arguments x + i y; forms as in tessera/bessel/complex.hpp.
struct ComplexParts {
  Out<double> real, imag;
};
void evaluate_bessel_complex(Backend backend, int form, const In<double>& nu, const In<double>& x,
                             const In<double>& y, const ComplexParts& out, std::size_t n,
                             const Between& between);

/// The modified spherical Bessel functions of the first kind, i_n(z), or of the second, k_n(z).
void evaluate_spherical_bessel(Backend backend, bool first_kind, const In<double>& order,
                               const In<double>& z, const Out<double>& out, std::size_t n,
                               const Between& between);

/// The Matern correlation M_nu(h) of n distances, from the table of nu, which is kept for the next
/// call.
void matern(Backend backend, double nu, const In<double>& h, const Out<double>& out, std::size_t n,
            const Between& between);

/// M_nu(h), dM/dnu and dM/dh, in the same way.
struct MaternDerivatives {
  Out<double> value, d_nu, d_h;
};
void matern(Backend backend, double nu, const In<double>& h, const MaternDerivatives& out,
            std::size_t n, const Between& between);

}  // namespace tessera::python
