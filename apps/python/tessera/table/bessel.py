# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures 1 to 3 of Geng et al. (2025) in numbers, from results of tessera-bessel."""

import re

import numpy as np

from . import source
from .layout import Table
from .source import Misfit

PAPER, AUTHORS = "geng_2025", "Geng et al. (2025)"
EPSILON = 2.0**-52  # of the paper's relative error


def label(name):
    """What the paper calls the errors in a dataset of that name."""
    method, _, bins = re.fullmatch(r"error_?(\w*?)_?(\d*)", name).group(1, 0, 2)
    if not method:
        return "this code"
    return "Takekawa" if method == "takekawa" else f"refined, {bins} bins"


def errors(files, printed):
    """Each method's largest error of log K and where it is."""
    results = source.one(files)
    names = sorted(
        (name for name in results.names("results") if re.fullmatch(r"error(_[a-z]+_\d+)?", name)),
        key=lambda name: (name == "error", "takekawa" not in name, len(name), name),
    )
    if "error" not in names or len(names) < 2:
        raise Misfit("it holds no errors of the paper's methods; the input needs a 'reference'")
    source.require(results, "problem.method", "quadrature")
    nu, x = (source.need(results, f"results/{name}").ravel() for name in ("nu", "x"))
    rows, seen = [], set()
    for name in names:
        values = source.need(results, f"results/{name}").ravel()
        worst = int(np.nanargmax(values))
        seen.add(label(name))
        rows.append(
            [
                label(name),
                printed(label(name), "RE"),
                float(np.log10(1 + values[worst] / EPSILON)),
                float(values[worst]),
                f"nu = {nu[worst]:.4g}, x = {x[worst]:.4g}",
                float(np.nanmedian(values)),
            ]
        )
    rows += [
        [row, printed(row, "RE"), None, None, None, None] for row in printed.rows if row not in seen
    ]
    return Table(
        ["", "RE, paper", "RE, ours", "error of log K", "where", "median"],
        rows,
        [
            f"RE = log10(1 + error / 2^-52), largest of {len(nu)} places with nu from {nu.min():g} to"
            f" {nu.max():g} and x from {x.min():g} to {x.max():g}. Errors of log K are absolute, which are the"
            " relative ones of K."
        ],
    )


TABLES = {
    "figure1": (errors, "errors of Takekawa's algorithm at small arguments"),
    "figure2": (errors, "errors of log K over the plane of order and argument"),
    "figure3": (errors, "errors of log K at small arguments"),
}
INPUTS, PICTURES = {}, {}
