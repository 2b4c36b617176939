// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "apps/python/calls/numbers.hpp"
#include "tessera/core/device/backend.hpp"

namespace tessera::python {

/// The forms of K_nu(x) in tessera/bessel/batch.hpp, in that order.
enum class BesselForm { k, k_scaled, log_k, dlog_k_dx, dlog_k_dnu };

/// One form of K_nu(x) for n elements.
template <class Real>
void bessel_k(Backend backend, BesselForm form, const In<Real>& nu, const In<Real>& x,
              const Out<Real>& out, std::size_t n, const Between& between);

/// The forms of I_nu(x) in tessera/bessel/batch.hpp, in that order.
enum class BesselIForm { i, i_scaled, log_i, dlog_i_dx };

/// One form of I_nu(x) for n elements.
template <class Real>
void bessel_i(Backend backend, BesselIForm form, const In<Real>& nu, const In<Real>& x,
              const Out<Real>& out, std::size_t n, const Between& between);

/// One form of K_nu(x), and d log K / dnu and d log K / dx, from one evaluation.
template <class Real>
struct BesselDerivatives {
  Out<Real> value, dlog_k_dnu, dlog_k_dx;
};
template <class Real>
void bessel_k(Backend backend, BesselForm form, const In<Real>& nu, const In<Real>& x,
              const BesselDerivatives<Real>& out, std::size_t n, const Between& between);

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
