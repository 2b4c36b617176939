# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""R's own functions."""

from . import _r
from .function import Function

NAME = "R"


def version():
    return _r.asked("getRversion()")


def of(call, label):
    return Function(_r.command(call), label, command=True)


FUNCTIONS = {
    "bessel-k/k": of("besselK(..2, ..1)", "besselK"),
    "bessel-k/k_scaled": of("besselK(..2, ..1, expon.scaled = TRUE)", "besselK"),
    "bessel-i/i": of("besselI(..2, ..1)", "besselI"),
    "bessel-i/i_scaled": of("besselI(..2, ..1, expon.scaled = TRUE)", "besselI"),
    "matern/matern": of("2^(1 - ..1) / gamma(..1) * ..2^..1 * besselK(..2, ..1)", "besselK"),
    "boys/boys": of(
        "ifelse(..2 == 0, 1 / (2 * ..1 + 1), exp(lgamma(..1 + 0.5) + pgamma(..2, ..1 + 0.5, log.p = TRUE))"
        " / (2 * ..2^(..1 + 0.5)))",
        "pgamma",
    ),
}
