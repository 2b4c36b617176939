// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/boys/function/orders.hpp"
#include "tessera/boys/function/top_order.hpp"

/// The Boys functions
///
///     F_n(x) = integral from 0 to 1 of t^(2n) e^(-x t^2) dt,     n = 0..40,
///
/// all orders 0..N in one call, in double or float, on CPUs and GPUs. This header needs a C++20
/// compiler and nothing else: it serves inside Kokkos kernels, in plain CUDA or HIP, and in plain
/// C++ (add the installed include folder to the include path).
///
/// Example (tests/install/examples/boys.cpp):
///
///     double F[9];
///     tessera::boys::boys<8>(x, F);  // F[0] = F_0(x), ..., F[8] = F_8(x)
///
/// Method: the top order from one of two ranges, x < max(3, N + 1/4) and above, each a minimax
/// polynomial with one exponential, then downward recursion. No tables, no memory but the result
/// (models/boys/METHOD.md derives it). After G. Mazur, M. Makowski, R. Lazarski, J. Math. Chem. 54
/// (2016) 2022, doi:10.1007/s10910-016-0668-x.
///
/// Accuracy, for every n <= N and every x >= 0: double: relative error <= 1e-14, absolute error <=
/// 4e-16 (5e-16 for N > 32); float: relative error <= 2e-6 for N <= 16, 4e-6 above. The error is
/// that of the function at the floating-point number x, where F_n(x) is a normal number.
///
/// Domain: -1e-3 <= x <= infinity, with F_n(infinity) = 0; an x below or a NaN gives NaN in every
/// order.
namespace tessera::boys {

namespace detail {

template <class Real>
struct StoreOrders {
  Real* F;
  TESSERA_FUNCTION void operator()(int n, Real value) const { F[n] = value; }
};

template <class Real>
struct StoreOrdersUpTo {
  Real* F;
  int n_max;
  TESSERA_FUNCTION void operator()(int n, Real value) const {
    if (n <= n_max) F[n] = value;
  }
};

template <class Real>
struct KeepOrder {
  int order;
  Real& kept;
  TESSERA_FUNCTION void operator()(int n, Real value) const {
    if (n == order) kept = value;
  }
};

}  // namespace detail

/// The top order F_N(x) and e^-x. `boys_expand` computes the lower orders from them with two
/// operations each, so that only two numbers per argument need storing, whatever N is.
template <class Real>
struct TopOrder {
  Real value, exponential;
};

/// F_N(x) and e^-x. (For N = 0 and x < 3, e^-x is not needed for F_0 and is computed all the same.)
template <int N, class Real>
TESSERA_FUNCTION TopOrder<Real> boys_top_order(Real x) {
  static_assert(0 <= N && N <= kMaxOrder, "Boys functions are available for orders 0 to 40");
  using C = detail::Coefficients<Real, N>;
  if (detail::is_unusual<N>(x)) {
    x = detail::checked_argument(x);
    if (detail::is_far<N>(x)) {
      Real top = 0;
      const detail::KeepOrder<Real> keep_top{N, top};
      detail::far_orders<N>(x, keep_top);
      return {top, x == x ? Real(0) : x};
    }
  }
  const Real e = detail::exponential_of_minus<(N > 4)>(x);
  return {detail::is_below(x, C::split) ? detail::top_below<N>(x, e) : detail::top_above<N>(x, e),
          e};
}

/// Hands every order to sink(n, F_n(x)), n = 0..N, each once and in no promised order, without an
/// array in between. `top` is what `boys_top_order<N>(x)` returned.
template <int N, class Real, class Sink>
TESSERA_FUNCTION void boys_expand(Real x, TopOrder<Real> top, Sink&& sink) {
  if (detail::is_far<N>(x)) {
    detail::far_orders<N>(x, sink);
  } else {
    sink(N, top.value);
    detail::recur_downward<N>(x + x, top.exponential, top.value, sink);
  }
}

/// Hands every order to sink(n, F_n(x)), n = 0..N, each once and in no promised order. For results
/// that are consumed or stored at once; n is a compile-time constant after inlining.
template <int N, class Real, class Sink>
TESSERA_FUNCTION void boys_each(Real x, Sink&& sink) {
  static_assert(0 <= N && N <= kMaxOrder, "Boys functions are available for orders 0 to 40");
  using C = detail::Coefficients<Real, N>;
  if (detail::is_unusual<N>(x)) {
    x = detail::checked_argument(x);
    if (detail::is_far<N>(x)) {
      detail::far_orders<N>(x, sink);
      return;
    }
  }
  if constexpr (N == 0) {
    sink(0, detail::is_below(x, C::split)
                ? detail::top_below<0>(x, Real(0))
                : detail::top_above<0>(x, detail::exponential_of_minus<false>(x)));
  } else {
    const Real e = detail::exponential_of_minus<(N > 4)>(x);
    const Real top =
        detail::is_below(x, C::split) ? detail::top_below<N>(x, e) : detail::top_above<N>(x, e);
    sink(N, top);
    detail::recur_downward<N>(x + x, e, top, sink);
  }
}

namespace detail {

template <class Real>
struct EvaluateUpTo {
  Real x;
  StoreOrdersUpTo<Real> store;
  template <int N>
  TESSERA_FUNCTION void run() const {
    boys_each<N>(x, store);
  }
};

}  // namespace detail

/// F[n] = F_n(x) for n = 0..N.
template <int N, class Real>
TESSERA_FUNCTION void boys(Real x, Real* F) {
  boys_each<N>(x, detail::StoreOrders<Real>{F});
}

/// F[n] = F_n(x) for n = 0..n_max, with n_max known at run time. Evaluates at the next order of 0,
/// 1, 2, 4, 6, 8, 12, 16, 24, 32 and 40, so `boys<N>` is the faster call. Returns false, and writes
/// nothing, unless 0 <= n_max <= 40.
template <class Real>
TESSERA_FUNCTION bool boys(int n_max, Real x, Real* F) {
  if (n_max < 0 || n_max > kMaxOrder) return false;
  detail::with_compiled_order(n_max, detail::EvaluateUpTo<Real>{x, {F, n_max}});
  return true;
}

}  // namespace tessera::boys
