# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""K and I of complex arguments."""

import numpy as np

from . import _tessera

K, K_SCALED, I, I_SCALED = range(4)


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


def evaluate(form, nu, z, out, backend):
    """One function, of orders and complex arguments that broadcast. form: K, K_SCALED, I or
    I_SCALED."""
    masked = isinstance(z, np.ma.MaskedArray)
    arguments = np.asarray(np.ma.filled(z, np.nan) if masked else z, dtype=complex)
    real, imag = _tessera.bessel_complex(
        form, nu, arguments.real.copy(), arguments.imag.copy(), backend
    )
    found = np.empty(np.shape(real), dtype=complex)
    found.real, found.imag = real, imag
    if out is None:
        return found if found.ndim else complex(found)
    into = out[0] if isinstance(out, tuple) else out
    shape = found.shape
    if not isinstance(into, np.ndarray) or into.dtype.kind != "c" or into.shape != shape:
        raise _tessera.InputError(
            f"out is no complex array of shape {shape}\n  remedy: give np.empty({shape}, dtype=complex)"
        )
    into[...] = found
    return into
