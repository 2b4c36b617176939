# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What the tests of several variables share."""

import numpy as np

from gp_support import GpTest


def half_integer(nu, u):
    polynomial = {0.5: 1, 1.5: 1 + u, 2.5: 1 + u + u * u / 3}[nu]
    return polynomial * np.exp(-u)


def scipy_matern(test):
    """The Matern function of any smoothness; skips the test where there is no SciPy."""
    try:
        from scipy.special import gamma, kv
    except ImportError:
        test.skipTest("no SciPy")

    def function(nu, u):
        some = np.where(u > 0, u, 1)
        return np.where(u > 0, 2 ** (1 - nu) / gamma(nu) * some**nu * kv(nu, some), 1)

    return function


def places(n, seed):
    return np.random.default_rng(seed).random((n, 2))


def long(xy, wide):
    """The observations that there are, and their values; those of a variable after another."""
    rows, values = [], []
    for v in range(wide.shape[1]):
        there = ~np.isnan(wide[:, v])
        rows.append(np.column_stack([xy[there], np.full(there.sum(), v)]))
        values.append(wide[there, v])
    return np.concatenate(rows), np.concatenate(values)


def indicator(a):
    return np.column_stack([a[:, 2] == 0, a[:, 2] == 1]).astype(float)


class VariablesTest(GpTest):
    def data(self, xy, wide, name="data.csv"):
        lines = ["x,y,a,b"]
        for (x, y), row in zip(xy, wide):
            cells = ["" if np.isnan(value) else repr(float(value)) for value in row]
            lines.append(f"{float(x)!r},{float(y)!r}," + ",".join(cells))
        self.write(name, "\n".join(lines) + "\n")
