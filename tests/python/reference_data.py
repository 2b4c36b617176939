# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Reference values of functions and their derivatives (tests/data), made with 50 digits or more."""

import csv
import pathlib

import numpy as np

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"


def stable(name="gradients"):
    """Columns of stable/NAME.csv by name: laws S0, log pdf and cdf and their derivatives."""
    with open(DATA / "stable" / f"{name}.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def _hexadecimal(path):
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return np.array([[float.fromhex(word) for word in line.split(",")] for line in lines]).T


def bessel():
    """nu, x, e^x K, log K, dlogK/dx, dlogK/dnu, where all but e^x K are numbers."""
    columns = _hexadecimal(DATA / "bessel" / "bessel_k.csv")
    nu, x, scaled, log_k, _, in_x, in_nu = columns[:, np.isfinite(columns[5])]
    return nu, x, scaled, log_k, in_x, in_nu


def bessel_complex():
    """nu, the parts of z, of e^z K and of e^-|Re z| I, and the sizes that errors are relative to."""
    return _hexadecimal(DATA / "bessel" / "bessel_complex.csv")


def bessel_i():
    """nu, x, e^-x I, log I, what log I lost by rounding, dlogI/dx, condition of I for nu < 0,
    dlogI/dnu."""
    return _hexadecimal(DATA / "bessel" / "bessel_i.csv")


def matern():
    """nu, h, M, dM/dh, dM/dnu."""
    nu, h, m, _, slope, in_nu = _hexadecimal(DATA / "bessel" / "matern.csv")
    return nu, h, m, slope / h, in_nu
