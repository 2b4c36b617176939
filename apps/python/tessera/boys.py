# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Boys functions of molecular integrals,

    F_n(x) = integral from 0 to 1 of t^(2n) e^(-x t^2) dt,     n = 0 ... 40, x >= 0

Accuracy: relative error 1e-14 in double, in single 2e-6 up to order 16 and 4e-6 above.

Source: G. Mazur, M. Makowski, R. Lazarski, J. Math. Chem. 54 (2016) 2022,
doi:10.1007/s10910-016-0668-x.
"""

from . import _arguments, _tessera

__all__ = ["boys"]


def boys(n_max, x, *, out=None, backend=None):
    """All orders F_0(x) ... F_{n_max}(x).

    x: arguments of any shape. Returns an array of shape (n_max + 1, *shape of x), order first;
    float64, or float32 for x of float32. x below -1e-3 and NaN give NaN, infinity 0. out: a NumPy
    array for the result. backend: instead of that of tessera.use(). Raises InputError for an order
    out of range.
    """
    return _tessera.boys(_arguments.whole(n_max, "n_max"), x, out, backend)
