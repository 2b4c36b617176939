# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The C++ standard library, in a program that is compiled for it."""

from . import _compiled
from .function import Function

NAME = "C++ std"
SOURCE = "libstdcxx.cpp"


def version():
    return _compiled.version(SOURCE)


def bounded(nu, x):
    """Its sums take minutes elsewhere."""
    return (nu <= 1e4) & (x <= 1e5)


FUNCTIONS = {
    "bessel-k/k": Function(
        _compiled.asked(SOURCE, "k"), "cyl_bessel_k", domain=bounded, command=True
    ),
    "bessel-i/i": Function(
        _compiled.asked(SOURCE, "i"), "cyl_bessel_i", domain=bounded, command=True
    ),
}
