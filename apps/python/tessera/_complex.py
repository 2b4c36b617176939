# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""K and I of complex arguments."""

import numpy as np

from . import _arguments, _tessera

# The functions of complex arguments, by the call and the form of the real ones.
_FORMS = {("k", 0): 0, ("k", 1): 1, ("i", 0): 2, ("i", 1): 3}


def holds_complex(value):
    """Whether a value is a complex number, or a list or an array of them."""
    if type(value) is float:
        return False
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        return getattr(dtype, "kind", None) == "c"
    if isinstance(value, (list, tuple)):
        try:
            return np.iscomplexobj(value)
        except ValueError:  # rows of several lengths
            return False
    return isinstance(value, complex)


def evaluate(kind, form, nu, z, out, backend):
    """One function, of orders and complex arguments that broadcast. kind: "k" or "i"; form: 0, or 1
    for the scaled one."""
    orders, _ = _arguments.read(nu, "nu")
    masked = isinstance(z, np.ma.MaskedArray)
    arguments = np.asarray(np.ma.filled(z, np.nan) if masked else z, dtype=complex)
    try:
        shape = np.broadcast_shapes(orders.shape, arguments.shape)
    except ValueError:
        raise _tessera.InputError(
            f"the shapes do not go together: nu {orders.shape}, z {arguments.shape}\n  remedy: give shapes that NumPy broadcasts to one"
        ) from None
    orders = np.ascontiguousarray(np.broadcast_to(orders, shape), dtype=float).ravel()
    arguments = np.ascontiguousarray(np.broadcast_to(arguments, shape)).ravel()
    real, imag = _tessera.bessel_complex(
        _FORMS[kind, form],
        orders,
        np.ascontiguousarray(arguments.real),
        np.ascontiguousarray(arguments.imag),
        backend,
    )
    found = np.empty(orders.shape, dtype=complex)
    found.real, found.imag = real, imag
    found = found.reshape(shape)
    if out is None:
        return found if found.ndim else complex(found)
    into = out[0] if isinstance(out, tuple) else out
    if not isinstance(into, np.ndarray) or into.dtype.kind != "c" or into.shape != shape:
        raise _tessera.InputError(
            f"out is no complex array of shape {shape}\n  remedy: give np.empty({shape}, dtype=complex)"
        )
    into[...] = found
    return into
