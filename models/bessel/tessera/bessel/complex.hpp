// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "tessera/bessel/function/complex_argument.hpp"
#include "tessera/core/error.hpp"

/// The modified Bessel functions K_nu(z) and I_nu(z) of real order |nu| <= 200 and complex argument
/// z, inside any kernel or host code, in double.
///
/// In the right half-plane K comes from the trapezoidal rule on a path of steepest descent, or from
/// Temme's series, and the recurrence in the order; I from the ratio I_{nu+1} / I_nu and the
/// Wronskian, for |z| > 50 and 2.25 nu mostly from the uniform expansion. Elsewhere, with z = -y,
/// both come from the continuation
///
///     K_nu(y e^(+-pi i)) = e^(-+nu pi i) K_nu(y) -+ pi i I_nu(y),   I_nu(y e^(+-pi i)) = e^(+-nu pi i) I_nu(y),
///
/// which has its cut along the negative real axis; on it the values are those from above, or from
/// below where the imaginary part is -0.
///
/// Accuracy, on every backend: relative to |K|, and to |I| or, next to its zeros, to the size of I
/// around them, 1e-14; of I next to the imaginary axis, where |Re z| < 8, nu > 20 and nu < |z| < 3
/// nu, 5e-14. In the left half-plane the error of K is relative to |K_nu(y)| + pi |I_nu(y)|.
///
/// Domain: |nu| <= 200; K at 0 is infinite, I at 0 as in bessel.hpp for nu >= 0. |z| > 1e30, a part
/// that is infinite or NaN, I of a negative order that is not whole at 0, and other orders give
/// NaN. No call fails otherwise.
///
/// Example (tests/install/examples/bessel.cpp):
///
///     const Kokkos::complex<double> wave = bessel::bessel_k(2.5, Kokkos::complex<double>(0, 3));
namespace tessera::bessel {

namespace detail {

/// I_nu(z) with `first_kind`, else K_nu(z): the functions of the first quadrant, reflected.
/// `scaled`: e^-|Re z| I or e^z K.
KOKKOS_INLINE_FUNCTION Complex complex_function(double nu, const Complex& z, bool first_kind,
                                                bool scaled) {
  constexpr double nan = Format<double>::nan, infinity = Format<double>::infinity,
                   pi = 3.14159265358979323846264338327950288;
  const double order = nu < 0 ? -nu : nu, size = modulus(z);
  if (!(order <= kMaxOrderOfComplex) || !(size <= 1e30)) return {nan, nan};
  if (size == 0) {
    if (!first_kind) return {infinity, 0};
    return {nu == 0 ? 1 : nu > 0 || order == compat::math::floor(order) ? 0 : nan, 0};
  }
  // the argument in the right half-plane; above the real axis, where results are conjugates below
  const bool is_left = z.real() < 0;
  const Complex right = is_left ? -z : z,
                upper(right.real(), right.imag() < 0 ? -right.imag() : right.imag());
  const bool is_conjugate = right.imag() < 0;
  const ComplexFunctions f = complex_functions(order, upper, first_kind || is_left);
  const auto conjugated = [is_conjugate](const Complex& c) {
    return is_conjugate ? Complex(c.real(), -c.imag()) : c;
  };
  // e^(+-nu pi i) of the continuation above and below the cut
  const double side = z.imag() < 0 || (z.imag() == 0 && 1 / z.imag() < 0) ? -1 : 1;
  const Complex turn(cosine_pi(order), side * sine_pi(order));
  const auto right_i_at = [&](double shift) {
    Complex value = finish(f.i, upper, shift);
    if (f.i.sign == 1 && f.decaying != Complex(0, 0))
      value += finish({f.decaying, 0, -1}, upper, shift);
    return conjugated(value);
  };
  const auto k_at = [&](double shift) {
    const Complex k = conjugated(finish(f.k, upper, shift));
    if (!is_left) return k;
    return Complex(turn.real(), -turn.imag()) * k - side * pi * times_i(right_i_at(shift));
  };
  // with these shifts both are numbers wherever the results are
  const double x = upper.real();
  if (!first_kind) {
    const Complex k = k_at(!scaled ? 0 : is_left ? -x : x);
    return scaled && z.imag() != 0 ? k * unit(z.imag()) : k;
  }
  const double shift = scaled ? -x : 0;
  Complex i = right_i_at(shift);
  if (is_left) i = turn * i;
  // I_-nu = I_nu + 2/pi sin(pi nu) K_nu
  const double weight = nu < 0 ? 0.636619772367581343075535053490057448 * sine_pi(order) : 0;
  if (weight != 0) i += weight * k_at(shift);
  return i;
}

}  // namespace detail

/// K_nu(z).
KOKKOS_INLINE_FUNCTION Kokkos::complex<double> bessel_k(double nu,
                                                        const Kokkos::complex<double>& z) {
  return detail::complex_function(nu, z, false, false);
}

/// e^z K_nu(z).
KOKKOS_INLINE_FUNCTION Kokkos::complex<double> bessel_k_scaled(double nu,
                                                               const Kokkos::complex<double>& z) {
  return detail::complex_function(nu, z, false, true);
}

/// I_nu(z).
KOKKOS_INLINE_FUNCTION Kokkos::complex<double> bessel_i(double nu,
                                                        const Kokkos::complex<double>& z) {
  return detail::complex_function(nu, z, true, false);
}

/// e^-|Re z| I_nu(z).
KOKKOS_INLINE_FUNCTION Kokkos::complex<double> bessel_i_scaled(double nu,
                                                               const Kokkos::complex<double>& z) {
  return detail::complex_function(nu, z, true, true);
}

/// The functions of complex arguments: K, e^z K, I, e^-|Re z| I.
enum class ComplexForm { k, k_scaled, i, i_scaled };

namespace detail {

/// The kernel: an argument per iteration.
template <class ExecSpace>
struct EachComplex {
  using View = Kokkos::View<double*, ExecSpace>;
  ComplexForm form;
  View nu, x, y, real, imag;

  KOKKOS_FUNCTION void operator()(std::int64_t at) const {
    const bool scaled = form == ComplexForm::k_scaled || form == ComplexForm::i_scaled,
               first_kind = form == ComplexForm::i || form == ComplexForm::i_scaled;
    const Complex value = complex_function(nu(at), {x(at), y(at)}, first_kind, scaled);
    real(at) = value.real();
    imag(at) = value.imag();
  }
};

}  // namespace detail

/// One function of arguments x + i y, in Views: the results are real + i imag. Asynchronous on
/// `exec`; allocates nothing. Throws Error (input) when extents differ.
template <class ExecSpace>
void bessel_complex(const ExecSpace& exec, ComplexForm form,
                    const Kokkos::View<double*, ExecSpace>& nu,
                    const Kokkos::View<double*, ExecSpace>& x,
                    const Kokkos::View<double*, ExecSpace>& y,
                    const Kokkos::View<double*, ExecSpace>& real,
                    const Kokkos::View<double*, ExecSpace>& imag) {
  const std::size_t count = x.extent(0);
  for (const auto& [view, name] :
       {std::pair{nu, "nu"}, std::pair{y, "y"}, std::pair{real, "real"}, std::pair{imag, "imag"}}) {
    if (view.extent(0) == count) continue;
    throw Error(ErrorKind::input,
                "bessel: " + std::string(name) + " has " + std::to_string(view.extent(0)) +
                    " elements for " + std::to_string(count) + " arguments",
                "give it one element per argument");
  }
  Kokkos::parallel_for("tessera::bessel::bessel_complex",
                       Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, static_cast<std::int64_t>(count)),
                       detail::EachComplex<ExecSpace>{form, nu, x, y, real, imag});
}

}  // namespace tessera::bessel
