# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""libstable, in a program that is compiled for it. The environment variable Libstable_ROOT names
the folder that holds include/stable.h and lib, where compilers do not find them by themselves."""

import os

from . import _compiled
from .function import Function

NAME = "libstable"
SOURCE = "libstable.cpp"
LEAST = "1.2e-14"  # the smallest relative tolerance that its integrals take


def options():
    folder = os.environ.get("Libstable_ROOT")
    found = [f"-I{folder}/include", f"-L{folder}/lib", f"-Wl,-rpath,{folder}/lib"] if folder else []
    return [*found, "-lstable", "-lgsl", "-lgslcblas"]


def version():
    return _compiled.version(SOURCE, *options())


def of(name, label):
    """With its own tolerances, 1e-6, and with the least."""
    return [
        Function(_compiled.asked(SOURCE, name, *options()), label, command=True),
        Function(
            _compiled.asked(SOURCE, f"{name} {LEAST} 1e-50", *options()),
            f"{label} to {LEAST}",
            command=True,
        ),
    ]


FUNCTIONS = {
    "stable/pdf": of("pdf", "stable_pdf_point"),
    "stable/cdf": of("cdf", "stable_cdf_point"),
    "stable/quantile": of("quantile", "stable_q_point"),
}
