# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The R package stabledist, in its parameterisation pm = 0, which is S0."""

from . import _r
from .function import Function

NAME = "stabledist"


def version():
    return _r.asked('packageVersion("stabledist")')


def of(name, options=""):
    call = f"{name}(..1, alpha = ..2, beta = ..3, pm = 0{options})"
    return Function(_r.command(call, "library(stabledist)", each=True), name, command=True)


FUNCTIONS = {
    "stable/pdf": of("dstable"),
    "stable/logpdf": of("dstable", ", log = TRUE"),
    "stable/cdf": of("pstable"),
    "stable/sf": of("pstable", ", lower.tail = FALSE"),
    "stable/quantile": of("qstable"),
    "stable/upper_quantile": of("qstable", ", lower.tail = FALSE"),
}
