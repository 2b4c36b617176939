# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What the tests of tessera-gp share."""

import csv
import math
import os
import subprocess
import unittest

import numpy as np

from cli_support import EXECUTABLE, ROOT, TIMEOUT, CommandLineTest, arrays

INPUTS = os.path.join(ROOT, "inputs", "gp")
DATA = os.path.join(ROOT, "tests", "data", "gp")

FIT = """\
app: gp
mean: zero
data: {file: data.csv}
covariance: {family: matern}
fit: {start: [0.5, 0.05, 0.8], tolerance: 1.0e-9}
"""

# Some seconds on one core.
LONG = """\
app: gp
mean: zero
covariance: {sigma2: 1, beta: 0.1, nu: 0.5}
simulate: {points: 625}
fit: {start: [0.4, 0.03, 1.2], tolerance: 1.0e-9, starts: 2, max_evaluations: 120}
predict: {fraction: 0.1, draws: 2}
run: {seed: 5}
"""

# Vecchia's approximation with ranges that differ, so that neighbours are found again.
VECCHIA = """\
app: gp
covariance: {sigma2: 1, ranges: [0.1, 0.2], nu: 0.5, nugget: 0.1}
simulate: {points: 2500}
method: {vecchia: {neighbours: 20, refresh: 2, prediction_neighbours: 40}}
fit: {start: [0.4, 0.03, 0.03, 1.2, 0.3]}
predict: {fraction: 0.1, draws: 2}
cross_validation: {}
run: {seed: 5}
"""

# A search for correlations between bounds that follow from other parameters.
FULL_BIVARIATE = """\
app: gp
covariance: {variables: 2, cross: full, sigma2: [1, 2], beta: [0.05, 0.1, 0.07], nu: [0.6, 1.2], excess: 0.2, rho: -0.6, nugget: 0.05}
simulate: {points: 324}
fit: {}
predict: {fraction: 0.1, draws: 2}
cross_validation: {}
run: {seed: 5}
"""

# A fit that starts where that of a sample may end.
SAMPLE = (
    "app: gp\nsimulate: {points: 4000}\ncovariance: {sigma2: 1, beta: 0.08, nu: 0.8, nugget: 0.05}\n"
    "method: {vecchia: {neighbours: 15}}\nfit: {start: [4, 0.5, 0.3, 0.5], tolerance: 1.0e-8}\nrun: {seed: 7}\n"
)

# The likelihood against the number of neighbours.
RISING = (
    "app: gp\ndata: {file: data.csv}\ncovariance: {sigma2: 1, beta: 0.1, nu: 0.7, nugget: 0.1}\nmethod: {vecchia: {neighbours: 12}}\n"
    "loglik: {theta: [[1, 0.1, 0.7, 0.1], [1.2, 0.2, 0.5, 0.2]], neighbours: [5, 12, 199]}\n"
)


def skip_without_nlopt():
    """Fits take it."""
    run = subprocess.run(
        [EXECUTABLE, os.path.join(INPUTS, "quickstart.yaml"), "--validate"],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    if "this build has no NLopt" in run.stderr:
        raise unittest.SkipTest("the executable was built without NLopt")


def reference(name):
    with open(os.path.join(DATA, name), encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def table(rows, header="x,y,z"):
    return header + "\n" + "".join(",".join(str(value) for value in row) + "\n" for row in rows)


def some_points(n=60):
    """Points that are not on a grid, and a rough field."""
    i = np.arange(n)
    x, y = (0.5 + 0.618034 * i) % 1, (0.5 + 0.754878 * i) % 1
    return np.stack([x, y, np.sin(7 * x) + np.cos(9 * y) + 0.3 * np.sin(100 * i)], axis=1)


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


class GpTest(CommandLineTest):
    def results(self, *arguments, name="input.h5"):
        self.succeed("input.yaml", "-q", "--force", *arguments)
        return arrays(self.path(name))

    def refused(self, status, *phrases, arguments=()):
        self.assert_mentions(
            self.call("input.yaml", "--force", "--progress", "off", *arguments), status, *phrases
        )
