# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What the tests of several variables share."""

import math

import numpy as np

from gp_support import GpTest


def half_integer(nu, u):
    polynomial = {0.5: 1, 1.5: 1 + u, 2.5: 1 + u + u * u / 3}[nu]
    return polynomial * np.exp(-u)


def log_likelihood(matrix, z, trend=None):
    factor = np.linalg.cholesky(matrix)
    white = np.linalg.solve(factor, z)
    if trend is not None:
        columns = np.linalg.solve(factor, trend)
        white = white - columns @ np.linalg.lstsq(columns, white, rcond=None)[0]
    return -0.5 * (
        len(z) * math.log(2 * math.pi) + 2 * np.log(np.diag(factor)).sum() + white @ white
    )


def normal_crps(error, deviation):
    z = error / deviation
    inside = np.array([math.erf(x / math.sqrt(2)) for x in z])
    density = np.exp(-0.5 * z**2) / math.sqrt(2 * math.pi)
    return deviation * (z * inside + 2 * density - 1 / math.sqrt(math.pi))


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
