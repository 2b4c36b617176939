# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Modified spherical Bessel functions of whole orders and real arguments."""

import numpy as np

from . import _arguments, _tessera


def _orders(n, z):
    """Orders and arguments of one shape, in double precision."""
    (orders, _), (arguments, _) = _arguments.read(n, "n"), _arguments.read(z, "z")
    orders, arguments = (np.asarray(a, dtype=float) for a in (orders, arguments))
    wrong = (orders != np.rint(orders)) | (orders < 0) | (orders > 999999)
    if (wrong & ~np.isnan(orders)).any():
        raise _tessera.InputError(
            f"n holds {orders[wrong].ravel()[0]:g}, and spherical Bessel functions take whole n >= 0, to 999 999\n  remedy: call bessel.k or bessel.i with n + 1/2 for others"
        )
    try:
        return np.broadcast_arrays(orders, arguments)
    except ValueError:
        raise _tessera.InputError(
            f"the shapes do not go together: n {orders.shape}, z {arguments.shape}\n  remedy: give shapes that NumPy broadcasts to one"
        ) from None


def _value(first_kind, n, z, backend):
    return np.asarray(_tessera.bessel_spherical(first_kind, n, z, backend))


def kn(n, z, derivative, backend):
    n, z = _orders(n, z)
    value = _value(False, n, z, backend)
    if derivative:
        with np.errstate(all="ignore"):
            # k_{-1} = k_0
            value = -_value(False, np.maximum(n - 1, 0), z, backend) - (n + 1) / z * value
            value = np.where(z == 0, -np.inf, np.where(z == np.inf, 0.0, value))
    return value if value.ndim else float(value)


def in_(n, z, derivative, backend):
    n, z = _orders(n, z)
    size = np.abs(z)
    if derivative:  # both terms are positive
        value = _value(True, n + 1, size, backend) * ((n + 1) / (2 * n + 1))
        value = value + np.where(
            n > 0, _value(True, np.maximum(n - 1, 0), size, backend) * (n / (2 * n + 1)), 0.0
        )
    else:
        value = _value(True, n, size, backend)
    odd = (n + (1 if derivative else 0)) % 2 == 1  # i_n(-z) = (-1)^n i_n(z)
    found = np.where((z < 0) & odd, -value, value)
    return found if found.ndim else float(found)
