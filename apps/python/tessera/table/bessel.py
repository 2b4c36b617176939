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


def names_of_errors(results):
    """The datasets of errors, as the paper orders its methods: Takekawa's, the refined ones, the
    run's own."""
    return sorted(
        (
            name
            for name in results.names("results")
            if re.fullmatch(r"error(_[a-z]+(_\d+)?)?", name)
        ),
        key=lambda name: (name == "error", "takekawa" not in name, len(name), name),
    )


def label_of_errors(results, name):
    """What the paper calls the method of a dataset of errors."""
    own = results.group_attribute("results", "method")
    return label(own if name == "error" else name[len("error_") :])


def errors(files, printed):
    """Each method's largest error of log K and where it is."""
    results = source.one(files)
    names = names_of_errors(results)
    if "error" not in names or len(names) < 2:
        raise Misfit("it holds no errors of the paper's methods; the input needs a 'reference'")
    nu, x = (source.need(results, f"results/{name}").ravel() for name in ("nu", "x"))
    rows, seen = [], set()
    for name in names:
        values = source.need(results, f"results/{name}").ravel()
        if np.isnan(values).all():
            raise Misfit(f"'results/{name}' has no error", results)
        worst = int(np.nanargmax(values))
        what = label_of_errors(results, name)
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
            + (
                " The run was interrupted, and the places behind these are not among them."
                if source.is_interrupted(results)
                else ""
            )
        ],
    )


def errors_with_gsl(files, printed):
    """The same of results that have GSL's errors too."""
    results = source.one(files)
    if "GSL" not in [label_of_errors(results, name) for name in names_of_errors(results)]:
        raise Misfit("it has no errors of GSL", results)
    return errors(files, printed)


def upper_bound(files, printed):
    """The bound that Algorithm 1 finds, and the errors about it."""
    results = source.one(files)
    source.require(results, "problem.task", "upper_bound")
    bounds, errors, found = source.need(
        results, "coordinates/bound", "results/largest_error", "results/upper_bound"
    )
    wanted = float(printed("upper bound", "value"))
    smallest = float(found[0]) if np.isfinite(found[0]) else None
    rows = [["upper bound", printed("upper bound", "value"), smallest]]
    for bound in dict.fromkeys((smallest, wanted, float(bounds[np.nanargmin(errors)]))):
        place = None if bound is None else source.index_of(bounds, bound, 1e-6)
        if place is not None:
            rows.append([f"largest error, bound {bounds[place]:g}", None, float(errors[place])])
    tolerance, bins = (source.setting(results, f"problem.{key}") for key in ("tolerance", "bins"))
    return Table(
        ["", "paper", "ours"],
        rows,
        [
            f"The smallest bound, of {len(bounds)} from {bounds[0]:g} to {bounds[-1]:g}, with which log"
            f" K is right to {tolerance} at every point, with {bins} bins; errors of that bound, of the"
            " paper's, and of the best."
            + (" None of these bounds does." if smallest is None else "")
            + (
                f" The run was interrupted before it tried bounds above {bounds[-1]:g}."
                if source.is_interrupted(results)
                else ""
            )
        ],
    )


TABLES = {
    "figure1": (errors, "errors of Takekawa's algorithm at small arguments"),
    "figure2": (errors, "errors of log K over the plane of order and argument"),
    "figure3": (errors, "errors of log K at small arguments"),
    "figure2c": (errors_with_gsl, "errors of log K, GSL's among them"),
    "figure3c": (errors_with_gsl, "errors of log K at small arguments, GSL's among them"),
    "algorithm1": (upper_bound, "the upper bound of the integral"),
}
INPUTS, PICTURES = {}, {}
