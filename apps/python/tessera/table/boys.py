# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of Mazur et al. (2016) from results of tessera-boys."""

import math
import re

import numpy as np

from . import boys_coefficients, source
from .layout import Table
from .source import Misfit

PAPER, AUTHORS = "mazur_2016", "Mazur et al. (2016)"
AIM = 1e-13  # the absolute error that the paper wants in double precision


def largest_errors(results, method):
    """The largest absolute error of all orders at each argument; NaN counts as infinite."""
    where = f"results/methods/{method}" if method else "results"
    errors = source.need(results, f"{where}/error_absolute")
    return np.where(np.isnan(errors), np.inf, errors).max(axis=1)


def compared(results):
    """The names of the methods that a run was compared with, those with numbers by the number."""

    def place(name):
        stem, _, number = name.rpartition("_")
        return (stem, int(number)) if number.isdecimal() else (name, 0)

    return sorted(results.names("results/methods"), key=place)


def taylor_range(terms):
    """Equation (6)."""
    return math.exp(math.log(AIM) / terms + math.log(terms) - 1)


def taylor(files, printed):
    """To which argument how many terms of the Taylor series hold: Table 1."""
    results = source.one(files)
    x = source.need(results, "results/x")
    source.require(results, "problem.precision", "double")
    names = [name for name in compared(results) if re.fullmatch(r"taylor_\d+", name)]
    if not names or np.any(np.diff(x) <= 0):
        raise Misfit("it needs errors of the method taylor at ascending arguments")
    rows = []
    for terms in sorted(int(name.rpartition("_")[2]) for name in names):
        beyond = np.flatnonzero(largest_errors(results, f"taylor_{terms}") > AIM)
        first = int(beyond[0]) if len(beyond) else len(x)
        rows.append(
            [
                str(terms),
                printed(str(terms), "x_max"),
                float(x[first - 1]) if first else None,
                printed(str(terms), "equation (6)"),
                taylor_range(terms),
            ]
        )
    orders = source.need(results, "results/largest_error_absolute").shape[0]
    return Table(
        ["terms", "x_max, paper", "x_max, ours", "equation (6), paper", "equation (6), ours"],
        rows,
        [
            f"x_max: to where the absolute errors of F_0 to F_{orders - 1} stay below {AIM:g}, of arguments from"
            f" {x[0]:g} to {x[-1]:g} in steps of {x[1] - x[0]:.3g}. --table methods sets the other methods beside it."
        ],
    )


def longest_run(good):
    """The first and the last place of the longest run of true values; None without any."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], good.astype(int), [0]))))
    if not len(edges):
        return None
    starts, ends = edges[::2], edges[1::2]
    best = int(np.argmax(ends - starts))
    return int(starts[best]), int(ends[best]) - 1


def methods(files, printed):
    """Accuracy and speed of every method of a run."""
    results = source.one(files)
    x = source.need(results, "results/x")
    source.require(results, "problem.precision", "double")
    rows = []
    for method in ["", *compared(results)]:
        name = method or source.setting(results, "problem.method")
        errors = largest_errors(results, method)
        run = longest_run(errors <= AIM)
        where = f"results/methods/{method}" if method else "results"
        relative, inside = None, None
        if run:
            part = slice(run[0], run[1] + 1)
            inside = float(errors[part].max())
            relative = float(source.need(results, f"{where}/error_relative")[part].max())
        seconds = (
            float(source.need(results, f"{where}/seconds")[0])
            if f"{where}/seconds" in results
            else None
        )
        rows.append(
            [
                name,
                printed(re.sub(r"_\d+$", "", name), "holds"),
                f"{x[run[0]]:.4g} to {x[run[1]]:.4g}" if run else "nowhere",
                inside,
                relative,
                None if seconds is None else 1e9 * seconds,
            ]
        )
    orders = source.need(results, "results/largest_error_absolute").shape[0]
    return Table(
        ["method", "holds, paper", "holds, ours", "absolute error", "relative error", "ns"],
        rows,
        [
            f"A method holds where the absolute errors of F_0 to F_{orders - 1} are below {AIM:g}, of {len(x)}"
            f" arguments from {x.min():g} to {x.max():g}; the errors are the largest there. ns: nanoseconds for"
            f" all {orders} orders at one argument, over all arguments; a dash where problem.repeat is 1."
        ],
    )


def scheme(precision):
    """The function that makes Table 2 or 3: the forms of the scheme and their errors."""

    def made(files, printed):
        results = source.one(files)
        source.require(results, "problem.precision", precision)
        x = source.need(results, "results/x")
        forms = {"rational": "paper", "polynomial": "paper_polynomial"}
        rows = []
        for name in printed.rows:
            n, low, high = re.fullmatch(r"N = (\d+), x in \[(\d+), (\d+|inf)\)", name).groups()
            inside = (x >= float(low)) & (x < float(high))
            errors, relative = {}, None
            for form, method in forms.items():
                errors[form] = None
                if printed(name, form) is None or not inside.any():
                    continue
                method = f"{method}_n{n}"
                errors[form] = float(largest_errors(results, method)[inside].max())
                if form == "rational":
                    found = source.need(results, f"results/methods/{method}/error_relative")
                    relative = float(found[inside].max())
            rows.append(
                [
                    name,
                    *(printed(name, column) for column in ("rational", "polynomial")),
                    *(printed(name, column) for column in ("damping", "recursion", "wanted")),
                    errors["rational"],
                    errors["polynomial"],
                    relative,
                ]
            )
        return Table(
            [
                "",
                "rational",
                "polynomial",
                "damping",
                "recursion",
                "wanted",
                "error, rational",
                "error, polynomial",
                "relative, rational",
            ],
            rows,
            [
                "The paper prints no errors; it wants absolute ones of that size. Ours are the largest of F_0 to F_N"
                f" at {len(x)} arguments from {x.min():g} to {x.max():g}, with coefficients of our own; Tables 4 to 13"
                " try the printed ones. The relative errors are large where the scheme drops e^-x.",
            ],
        )

    return made


TABLES = {
    "table1": (taylor, "to which argument the Taylor series holds"),
    "methods": (methods, "accuracy and speed of each method"),
    "table2": (scheme("double"), "the scheme in double precision, and its errors"),
    "table3": (scheme("single"), "the scheme in single precision, and its errors"),
}
TABLES |= boys_coefficients.TABLES
PRINTED = {"methods": "Section 2"}
INPUTS, PICTURES = {"methods": "table1", **boys_coefficients.INPUTS}, {}
