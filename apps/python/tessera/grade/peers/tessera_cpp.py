# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Tessera's header for Rys quadrature, in a program that is compiled for it."""

from . import _compiled
from .function import Function

NAME = "Tessera"
SOURCE = "tessera_rys.cpp"


def version():
    return _compiled.version(SOURCE)


FUNCTIONS = {
    "rys/roots": Function(_compiled.asked(SOURCE, "roots"), "rys.hpp", command=True),
    "rys/weights": Function(_compiled.asked(SOURCE, "weights"), "rys.hpp", command=True),
}
