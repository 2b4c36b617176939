# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Modified Bessel functions K_nu(x) and I_nu(x), of real order, and Matern correlations.

    K_nu(x) = integral from 0 to infinity of e^(-x cosh t) cosh(nu t) dt,     |nu| <= 10^6, x > 0
    I_nu(x) = (x/2)^nu sum over k of (x^2/4)^k / (k! Gamma(nu + k + 1)),      |nu| <= 10^6, x >= 0

Arguments broadcast as those of a NumPy ufunc do. Results are float64, or float32 where all arrays
are float32, where K takes |nu| <= 200; of numbers a number of NumPy. Arrays of xarray keep their
labels, those of dask are computed when they are asked for. NaN, x < 0 and orders out of range give
NaN. K(0) is infinity, K(infinity) is 0.

Accuracy in double: e^x K_nu(x) to a relative 5e-15; log K_nu(x) to 1.2e-15 max(1, |log K|) +
6e-15. In single: e^x K to 2e-6 for nu <= 20, 5e-6 beyond.

Accuracy of I in double, for nu >= 0: e^-x I_nu(x) to a relative 3e-15, log I_nu(x) to 2e-15
max(1, |log I|). For nu < 0, where I has zeros: to 5e-15 (I_|nu| + |I_nu - I_|nu||). In single, I is
computed in double and rounded.

k, i, kv, kve, kn, iv and ive take complex arguments too, for |nu| <= 200, in the whole plane with
the cut of scipy.special along the negative real axis: to 1e-14 of the function or, next to zeros of
I, of its size around them; of I next to the imaginary axis, where |Re z| < 8, nu > 20 and nu <
|z| < 3 nu, to 5e-14. scaled=True gives e^z K and e^-|Re z| I.

Every function takes out, a NumPy array for the result, and backend, "cuda", "openmp", "serial" or
"auto" instead of that of tessera.use().

Source: models/bessel/METHOD.md of Tessera.
"""

import numpy as np

from . import _arguments, _complex, _frames, _spherical, _tessera, _ufuncs

__all__ = [
    "dlog_i_dnu",
    "dlog_i_dx",
    "dlog_k_dnu",
    "dlog_k_dx",
    "i",
    "iv",
    "ive",
    "k",
    "kn",
    "kv",
    "kve",
    "log_i",
    "log_k",
    "matern",
    "spherical_in",
    "spherical_kn",
]

_K, _K_SCALED, _LOG_K, _DLOG_K_DX, _DLOG_K_DNU = range(5)
_I, _I_SCALED, _LOG_I, _DLOG_I_DX, _DLOG_I_DNU = range(5)


@_frames.keeping_forms
def k(nu, x, scaled=False, *, out=None, backend=None):
    """K_nu(x), or e^x K_nu(x) with scaled=True.

    nu, x: orders and arguments, of any shapes that broadcast. Returns an array of that shape, or a
    number.
    """
    if _complex.holds_complex(x):
        form = _complex.K_SCALED if scaled else _complex.K
        return _complex.evaluate(form, nu, x, out, backend)
    return _tessera.bessel(_K_SCALED if scaled else _K, nu, x, out, backend)


@_frames.keeping_forms
def kv(
    v,
    z,
    out=None,
    *,
    where=True,
    casting="same_kind",
    order="K",
    dtype=None,
    subok=True,
    backend=None,
):
    """K_v(z): scipy.special.kv, with the keywords of a ufunc.

    v, z: orders and arguments, of any shapes that broadcast. out: an array, or a tuple of one, for
    the result, of any type that casting allows. where: true where results are wanted; elsewhere out
    stays as it was, and a new array is NaN. dtype: float32 or float64, the type of the computation;
    casting and order: as in NumPy. subok does not count. Complex z gives complex results and takes
    out alone. Accuracy: above. Raises InputError for shapes, and ArgumentTypeError (a TypeError)
    for types that do not go together.
    """
    return _ufunc(_tessera.bessel, _K, ("v", "z"), v, z, out, where, casting, order, dtype, backend)


@_frames.keeping_forms
def kve(
    v,
    z,
    out=None,
    *,
    where=True,
    casting="same_kind",
    order="K",
    dtype=None,
    subok=True,
    backend=None,
):
    """e^z K_v(z): scipy.special.kve. Keywords as in kv()."""
    return _ufunc(
        _tessera.bessel, _K_SCALED, ("v", "z"), v, z, out, where, casting, order, dtype, backend
    )


@_frames.keeping_forms
def kn(
    n,
    x,
    out=None,
    *,
    where=True,
    casting="same_kind",
    order="K",
    dtype=None,
    subok=True,
    backend=None,
):
    """K_n(x) of whole orders: scipy.special.kn. Keywords as in kv(). Raises InputError for orders
    that are not whole, which is not looked at on a GPU."""
    if type(n) is not int and not _tessera.is_on_device(n):
        orders, mask = _arguments.read(n, "n")
        wrong = (orders != np.rint(orders)) & ~np.isnan(orders.astype(float))
        if wrong.any():
            raise _tessera.InputError(
                f"n holds {orders[wrong][0]}, and orders of kn are whole\n  remedy: call kv for orders that are not"
            )
        n = n if mask is not None or orders.dtype.kind == "f" else orders.astype(float)
    return _ufunc(_tessera.bessel, _K, ("n", "x"), n, x, out, where, casting, order, dtype, backend)


def _ufunc(call, function, names, order_of, x, out, where, casting, order, dtype, backend):
    """Directly where no keyword of a ufunc is used."""
    if _complex.holds_complex(x):
        if where is not True or dtype is not None or order != "K" or casting != "same_kind":
            raise _tessera.InputError(
                "where, dtype, order and casting are for real arguments\n  remedy: leave them out, or give the real part"
            )
        first = _complex.K if call is _tessera.bessel else _complex.I
        return _complex.evaluate(first + function, order_of, x, out, backend)
    if where is True and dtype is None and order == "K" and casting == "same_kind":
        if out is None:
            return call(function, order_of, x, out, backend)
        if not isinstance(out, tuple) and not _needs_cast(out, order_of, x):
            return call(function, order_of, x, out, backend)
    return _ufuncs.call(
        lambda a, b: call(function, a, b, None, backend),
        names,
        (order_of, x),
        out,
        where,
        casting,
        order,
        dtype,
    )


def _needs_cast(out, order_of, x):
    """Whether an array for results is not filled directly."""
    return isinstance(out, np.ndarray) and not (
        out.dtype == np.float64
        and out.flags.c_contiguous
        and out.flags.writeable
        and out.ndim <= max(np.ndim(order_of), np.ndim(x))
    )


@_frames.keeping_forms
def log_k(nu, x, *, out=None, backend=None):
    """log K_nu(x), also where K_nu(x) over- or underflows."""
    return _tessera.bessel(_LOG_K, nu, x, out, backend)


@_frames.keeping_forms
def dlog_k_dx(nu, x, *, out=None, backend=None):
    """d log K_nu(x) / dx, to a relative 2e-15."""
    return _tessera.bessel(_DLOG_K_DX, nu, x, out, backend)


@_frames.keeping_forms
def dlog_k_dnu(nu, x, *, out=None, backend=None):
    """d log K_nu(x) / dnu, to a relative 1e-14 for nu >= 0.1, and below, where it vanishes with nu,
    to 1e-12."""
    return _tessera.bessel(_DLOG_K_DNU, nu, x, out, backend)


@_frames.keeping_forms
def i(nu, x, scaled=False, *, out=None, backend=None):
    """I_nu(x), or e^-x I_nu(x) with scaled=True.

    nu, x: orders and arguments, of any shapes that broadcast. Returns an array of that shape, or a
    number.
    """
    if _complex.holds_complex(x):
        form = _complex.I_SCALED if scaled else _complex.I
        return _complex.evaluate(form, nu, x, out, backend)
    return _tessera.bessel_i(_I_SCALED if scaled else _I, nu, x, out, backend)


@_frames.keeping_forms
def iv(
    v,
    z,
    out=None,
    *,
    where=True,
    casting="same_kind",
    order="K",
    dtype=None,
    subok=True,
    backend=None,
):
    """I_v(z): scipy.special.iv for real z >= 0 and complex z. Keywords as in kv(). Real z < 0 gives
    NaN, also where scipy.special.iv has a value, which is for whole v."""
    return _ufunc(
        _tessera.bessel_i, _I, ("v", "z"), v, z, out, where, casting, order, dtype, backend
    )


@_frames.keeping_forms
def ive(
    v,
    z,
    out=None,
    *,
    where=True,
    casting="same_kind",
    order="K",
    dtype=None,
    subok=True,
    backend=None,
):
    """e^-|Re z| I_v(z): scipy.special.ive for real z >= 0 and complex z. Keywords as in kv()."""
    return _ufunc(
        _tessera.bessel_i, _I_SCALED, ("v", "z"), v, z, out, where, casting, order, dtype, backend
    )


@_frames.keeping_forms
def log_i(nu, x, *, out=None, backend=None):
    """log I_nu(x), also where I_nu(x) over- or underflows, as densities of von Mises-Fisher laws of
    many dimensions need it. NaN where I_nu(x) < 0, which needs nu < 0.
    """
    return _tessera.bessel_i(_LOG_I, nu, x, out, backend)


@_frames.keeping_forms
def dlog_i_dx(nu, x, *, out=None, backend=None):
    """d log I_nu(x) / dx = nu/x + I_{nu+1}(x) / I_nu(x), for nu >= 0 to a relative 3e-15."""
    return _tessera.bessel_i(_DLOG_I_DX, nu, x, out, backend)


@_frames.keeping_forms
def dlog_i_dnu(nu, x, *, out=None, backend=None):
    """d log |I_nu(x)| / dnu, for nu >= 0 to 4e-15 max(1, |d log I / dnu|)."""
    return _tessera.bessel_i(_DLOG_I_DNU, nu, x, out, backend)


@_frames.keeping_forms
def spherical_kn(n, z, derivative=False, *, backend=None):
    """The modified spherical Bessel function k_n(z) = sqrt(pi / (2z)) K_{n+1/2}(z), or its
    derivative in z: scipy.special.spherical_kn for real z.

    n: whole orders >= 0; z: arguments, of shapes that broadcast. To a relative 1e-14. z = 0 gives
    infinity, z < 0 NaN. Raises InputError for other n, ArgumentTypeError for complex z.
    """
    return _spherical.kn(n, z, derivative, backend)


@_frames.keeping_forms
def spherical_in(n, z, derivative=False, *, backend=None):
    """The modified spherical Bessel function i_n(z) = sqrt(pi / (2z)) I_{n+1/2}(z), or its
    derivative in z: scipy.special.spherical_in for real z, of either sign. Else as spherical_kn().
    """
    return _spherical.in_(n, z, derivative, backend)


@_frames.keeping_forms
def matern(nu, h, *, out=None, backend=None):
    """The Matern correlation of smoothness nu at distances h, in units of the range.

        M_nu(h) = 2^(1-nu) / Gamma(nu) h^nu K_nu(h),     M_nu(0) = 1,     1e-20 <= nu <= 200

    nu: one number; h: distances of any shape, h < 0 and NaN give NaN. To 2e-16 absolutely, and to a
    relative 1e-12 down to the smallest normal number. In double precision. The table of nu is kept
    for the next call. Raises InputError for nu out of range.
    """
    return _tessera.matern(_arguments.number(nu, "nu"), h, out, backend)
