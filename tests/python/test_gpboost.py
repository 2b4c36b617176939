# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tests/benchmark/gpboost.py: the rows of Tessera, and what it asks of GPBoost, whose place a small
module takes."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "benchmark" / "gpboost.py"
STAND_IN = """\
import numpy as np


class GPModel:
    def __init__(self, *, gp_coords, cov_function, cov_fct_shape, likelihood, gp_approx,
                 num_neighbors, vecchia_ordering, matrix_inversion_method, num_parallel_threads,
                 seed):
        assert gp_coords.shape[1] == 2 and (cov_function, cov_fct_shape) == ("matern", 1.5)
        assert (likelihood, gp_approx, vecchia_ordering) == ("poisson", "vecchia", "random")
        assert (num_neighbors, num_parallel_threads, seed) == (8, 1, 1)
        self.count = len(gp_coords)
        self.likelihood = {"cholesky": 100.0, "iterative": 200.0}[matrix_inversion_method]

    def fit(self, y, X):
        assert len(y) == self.count and X.shape == (self.count, 1) and (X == 1).all()

    def get_cov_pars(self, format_pandas):
        assert not format_pandas
        return np.array([0.5, 0.3])

    def get_coef(self, format_pandas):
        assert not format_pandas
        return np.array([0.25])

    def neg_log_likelihood(self, cov_pars, y, fixed_effects=None):
        assert len(y) == self.count
        return self.likelihood + (0 if fixed_effects is None else fixed_effects[0])

    def predict(self, gp_coords_pred, X_pred=None, y=None, cov_pars=None):
        assert (X_pred is None) == (y is not None) == (cov_pars is not None)
        return {"mu": np.zeros(len(gp_coords_pred))}
"""


def table(*arguments, folder=None):
    """The rows of the printed table, cell by cell."""
    environment = dict(os.environ)
    if folder is not None:
        environment["PYTHONPATH"] = f"{folder}{os.pathsep}{environment['PYTHONPATH']}"
    call = [sys.executable, "-B", SCRIPT, *map(str, arguments)]
    run = subprocess.run(call, capture_output=True, text=True, check=False, env=environment)
    assert run.returncode == 0, run.stderr
    lines = [line.strip("|").split("|") for line in run.stdout.splitlines()]
    assert [cell.strip() for cell in lines[0]][1:3] == ["determinant", "-l"]
    return [[cell.strip() for cell in line] for line in lines[2:]]


SMALL = ("--points", 400, "--held-out", 60, "--neighbours", 8)


def test_rows_of_tessera(optimizer):
    exact, estimated = table(*SMALL, "--without-gpboost")
    assert exact[:2] == ["Tessera", "exact"] and estimated[:2] == ["Tessera", "estimated"]
    numbers = [[float(cell) for cell in row[2:7]] for row in (exact, estimated)]
    assert abs(numbers[0][0] - numbers[1][0]) < 3
    for _, sigma2, beta, mean, rmse in numbers:
        assert 0.3 < sigma2 < 3 and 0.01 < beta < 0.2 and abs(mean) < 1 and 0 < rmse < 10
    (at_truth,) = table(
        *SMALL, "--without-gpboost", "--parameters", "true", "--determinant", "exact"
    )
    assert at_truth[3:6] == ["1.000", "0.0500", "0.000"]
    assert float(at_truth[2]) > numbers[0][0]
    (without,) = table("--points", 300, "--held-out", 0, "--neighbours", 8, *at("exact"))
    assert without[6] == ""


def at(determinant):
    return "--without-gpboost", "--determinant", determinant


def test_what_is_asked_of_gpboost(optimizer, tmp_path):
    (tmp_path / "gpboost.py").write_text(STAND_IN)
    rows = table(*SMALL, folder=tmp_path)
    assert [row[0] for row in rows] == ["Tessera", "Tessera", "GPBoost", "GPBoost"]
    for row, loss in zip(rows[2:], (100.2, 200.2)):
        assert float(row[2]) == pytest.approx(loss, abs=0.1)
        assert row[3:6] == ["0.500", f"{0.3 / np.sqrt(3):.4f}", "0.250"] and float(row[6]) > 0
    rows = table(*SMALL, "--parameters", "true", "--determinant", "exact", folder=tmp_path)
    assert rows[1][:6] == ["GPBoost", "exact", "100.0", "1.000", "0.0500", "0.000"]


def test_without_gpboost(tmp_path):
    """The message says how to install it."""
    (tmp_path / "gpboost.py").write_text("raise ImportError('not here')\n")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}"}
    run = subprocess.run(
        [sys.executable, "-B", SCRIPT, "--points", "400"],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert run.returncode == 2 and run.stdout == ""
    assert "not here" in run.stderr and "pip install gpboost" in run.stderr
