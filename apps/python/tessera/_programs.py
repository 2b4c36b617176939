# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The programs tessera-*, which a wheel brings along: the compiled module runs them in this
process."""

import sys


def _run(name):
    from . import _tessera

    sys.exit(_tessera.run_program(name, [f"tessera-{name}", *sys.argv[1:]]))


def bessel():
    _run("bessel")


def boys():
    _run("boys")


def compare():
    _run("compare")


def gbees():
    _run("gbees")


def gp():
    _run("gp")


def mpr():
    _run("mpr")


def stable():
    _run("stable")
