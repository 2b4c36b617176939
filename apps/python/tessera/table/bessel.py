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
    """What the paper calls a method of that name, such as paper_40."""
    method, bins = re.fullmatch(r"([a-z]*)_?(\d*)", name).groups()
    known = {"quadrature": "this code", "takekawa": "Takekawa", "gsl": "GSL"}
    return known.get(method, f"refined, {bins} bins")


def errors(files, printed):
    """Each method's largest error of log K and where it is."""
    results = source.one(files)
    names = sorted(
        (
            name
            for name in results.names("results")
            if re.fullmatch(r"error(_[a-z]+(_\d+)?)?", name)
        ),
        key=lambda name: (name == "error", "takekawa" not in name, len(name), name),
    )
    if "error" not in names or len(names) < 2:
        raise Misfit("it holds no errors of the paper's methods; the input needs a 'reference'")
    own = results.group_attribute("results", "method")
    nu, x = (source.need(results, f"results/{name}").ravel() for name in ("nu", "x"))
    rows, seen = [], set()
    for name in names:
        values = source.need(results, f"results/{name}").ravel()
        worst = int(np.nanargmax(values))
        what = label(own if name == "error" else name[len("error_") :])
        seen.add(what)
        rows.append(
            [
                what,
                printed(what, "RE"),
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


def upper_bound(files, printed):
    """The bound that Algorithm 1 finds, and the errors about it."""
    results = source.one(files)
    source.require(results, "problem.task", "upper_bound")
    bounds, errors, found = source.need(
        results, "coordinates/bound", "results/largest_error", "results/upper_bound"
    )
    wanted = float(printed("upper bound", "value"))
    rows = [["upper bound", printed("upper bound", "value"), float(found[0])]]
    for bound in (float(found[0]), wanted, float(bounds[np.nanargmin(errors)])):
        place = source.index_of(bounds, bound, 1e-6)
        if place is not None:
            rows.append([f"largest error, bound {bounds[place]:g}", None, float(errors[place])])
    tolerance, bins = (source.setting(results, f"problem.{key}") for key in ("tolerance", "bins"))
    return Table(
        ["", "paper", "ours"],
        rows,
        [
            f"The smallest of {len(bounds)} bounds from {bounds[0]:g} to {bounds[-1]:g} with which log K is right to"
            f" {tolerance} at every point, with {bins} bins; errors of that bound, of the paper's, and of the best."
        ],
    )


TABLES = {
    "figure1": (errors, "errors of Takekawa's algorithm at small arguments"),
    "figure2": (errors, "errors of log K over the plane of order and argument"),
    "figure3": (errors, "errors of log K at small arguments"),
    "figure2c": (errors, "errors of log K, GSL's among them"),
    "figure3c": (errors, "errors of log K at small arguments, GSL's among them"),
    "algorithm1": (upper_bound, "the upper bound of the integral"),
}
INPUTS, PICTURES = {}, {}
