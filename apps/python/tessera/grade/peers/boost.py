# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Boost.Math, in a program that is compiled for it."""

from . import _compiled
from .function import Function

NAME = "Boost"
SOURCE = "boost.cpp"


def version():
    return _compiled.version(SOURCE)


def of(name, label):
    return Function(_compiled.asked(SOURCE, name), label, command=True)


FUNCTIONS = {
    "bessel-k/k": of("k", "cyl_bessel_k"),
    "bessel-k/dk_dx": of("dk_dx", "cyl_bessel_k_prime"),
    "bessel-i/i": of("i", "cyl_bessel_i"),
    "bessel-i/di_dx": of("di_dx", "cyl_bessel_i_prime"),
    "matern/matern": of("matern", "cyl_bessel_k, tgamma"),
    "boys/boys": of("boys", "tgamma_lower"),
}
