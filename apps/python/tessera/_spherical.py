# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Modified spherical Bessel functions of whole orders and real arguments, from K and I of half
orders."""

import numpy as np

from . import _arguments, _tessera


def _orders(n, z):
    """Orders and arguments of one shape, in double precision."""
    (orders, _), (arguments, _) = _arguments.read(n, "n"), _arguments.read(z, "z")
    orders, arguments = (np.asarray(a, dtype=float) for a in (orders, arguments))
    wrong = (orders != np.rint(orders)) | (orders < 0)
    if (wrong & ~np.isnan(orders)).any():
        raise _tessera.InputError(
            f"n holds {orders[wrong].ravel()[0]:g}, and spherical Bessel functions take whole n >= 0\n  remedy: call bessel.k or bessel.i with n + 1/2 for others"
        )
    try:
        return np.broadcast_arrays(orders, arguments)
    except ValueError:
        raise _tessera.InputError(
            f"the shapes do not go together: n {orders.shape}, z {arguments.shape}\n  remedy: give shapes that NumPy broadcasts to one"
        ) from None


def _times_power(scaled, z, sign):
    """sqrt(pi / (2 z)) scaled e^(sign z), which leaves the numbers only where the product does."""
    half = np.exp(sign * 0.5 * z)
    return np.sqrt(0.5 * np.pi / z) * (scaled * half) * half


def _kn(n, z, backend):
    return _times_power(_tessera.bessel(1, n + 0.5, z, None, backend), z, -1)


def _in(n, z, backend):
    return _times_power(_tessera.bessel_i(1, n + 0.5, z, None, backend), z, 1)


def kn(n, z, derivative, backend):
    n, z = _orders(n, z)
    with np.errstate(all="ignore"):
        value = _kn(n, z, backend)
        if derivative:  # of K_{-1/2} = K_{1/2}
            value = -_kn(np.maximum(n - 1, 0), z, backend) - (n + 1) / z * value
        found = np.where(z == 0, -np.inf if derivative else np.inf, value)
        found = np.where(z == np.inf, 0.0, found)
    return found if found.ndim else float(found)


def in_(n, z, derivative, backend):
    n, z = _orders(n, z)
    size = np.abs(z)
    with np.errstate(all="ignore"):
        value = _in(n, size, backend)
        at_zero = np.where(n == 0, 1.0, 0.0)
        if derivative:
            value = n / size * value + _in(n + 1, size, backend)
            at_zero = np.where(n == 1, 1 / 3, 0.0)
        value = np.where(size == 0, at_zero, value)
        value = np.where(size == np.inf, np.inf, value)
        odd = (n + (1 if derivative else 0)) % 2 == 1  # i_n(-z) = (-1)^n i_n(z)
    found = np.where((z < 0) & odd, -value, value)
    return found if found.ndim else float(found)
