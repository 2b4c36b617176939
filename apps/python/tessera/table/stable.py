# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of Julian-Moreno et al. (2017) from results of tessera-stable."""

import numpy as np

from . import source
from .layout import Table
from .source import Misfit

PAPER, AUTHORS = "julian_moreno_2017", "Julian-Moreno et al. (2017)"
POINTS = 1000  # of a call
PARAMETERS = ("alpha", "beta", "sigma", "mu")


def by_law(results, printed, *names):
    """Rows of the paper's alpha and beta with these datasets; those that the map lacks are left
    out."""
    alpha, beta = (source.need(results, f"coordinates/{name}") for name in ("alpha", "beta"))
    values = [source.need(results, f"results/{name}") for name in names]
    rows = []
    for row in printed.rows:
        a, b = map(float, row.split())
        i, j = source.index_of(alpha, a), source.index_of(beta, b)
        if i is not None and j is not None:
            rows.append((row, [float(value[i, j]) for value in values]))
    if not rows:
        raise Misfit("its map has no alpha and beta of the paper's")
    return rows


def error_table(quantity, ours, note):
    """A table of errors by alpha and beta; ours: {heading: dataset}, each after the paper's column
    of the same beginning."""

    def make(files, printed):
        results = source.one(files)
        source.require(results, "problem.method", "paper")
        theirs = printed.columns
        headings = []
        for column in theirs:
            headings += [f"{column}, paper"] + [h for h in ours if h.startswith(column)]
        headings += [h for h in ours if not h.startswith(tuple(theirs))]
        rows = []
        for row, values in by_law(results, printed, *ours.values()):
            cells = dict(zip(ours, values))
            cells |= {f"{column}, paper": printed(row, column) for column in theirs}
            rows.append([*row.split(), *(cells[heading] for heading in headings)])
        return Table(
            ["alpha", "beta", *headings],
            rows,
            [f"Errors of the {quantity} by the paper's method, between x = -100 and 100. {note}"],
        )

    return make


def quantiles(files, printed):
    """Errors of quantiles: Table 7."""
    results = source.one(files)
    rows = [
        [*row.split(), *(printed(row, column) for column in printed.columns), values[0]]
        for row, values in by_law(results, printed, "quantile_largest")
    ]
    return Table(
        ["alpha", "beta", *(f"{column}, paper" for column in printed.columns), "largest, ours"],
        rows,
        [
            "The paper's are those of its iteration, which stops at 1e-4, for probabilities from 0.1 to 0.9. Ours are"
            " the largest relative errors of tabulated quantiles at probabilities down to 1e-12."
        ],
    )


class Rates:
    """Evaluations a second by points, function and method."""

    def __init__(self, results):
        self.points = source.need(results, "coordinates/n")
        self.functions, self.methods = (
            [str(name) for name in source.need(results, f"coordinates/{axis}")]
            for axis in ("function", "method")
        )
        self.rates = source.need(results, "results/evaluations_per_second")
        if self.rates.shape != (len(self.points), len(self.functions), len(self.methods)):
            raise Misfit(f"'results/evaluations_per_second' has the shape {self.rates.shape}")

    def of(self, function):
        """{method: rates by points} of the methods that have the function."""
        if function not in self.functions:
            raise Misfit(f"it has no speed of '{function}'")
        rates = self.rates[:, self.functions.index(function)]
        return {
            method: rates[:, i] for i, method in enumerate(self.methods) if np.any(rates[:, i] > 0)
        }


def speed_table(function):
    """Milliseconds a point and points a second of calls of 1000 points: Tables 3, 5, 6 and 8."""

    def make(files, printed):
        rows = [[row, *(printed(row, c) for c in printed.columns)] for row in printed.rows]
        for heading, results in zip(source.ours(files), files):
            rates = Rates(results)
            i = source.index_of(rates.points, POINTS)
            if i is None:
                raise Misfit(f"it has no calls of {POINTS} points")
            for method, values in rates.of(function).items():
                rows.append([f"{heading}, {method}", 1e3 / float(values[i]), float(values[i])])
        return Table(
            ["", *printed.columns],
            rows,
            [
                f"Calls of {POINTS} points; ours have a distribution of its own for each point. contour: our integrals,"
                " paper: the paper's method."
            ],
        )

    return make


def speed_curve(function):
    """Milliseconds a point against the points of a call: Figures 7, 9, 11 and 12."""

    def make(files, printed):
        curves, points = [], set()
        for heading, results in zip(source.ours(files), files):
            rates = Rates(results)
            for method, values in rates.of(function).items():
                curve = {int(n): 1e3 / float(v) for n, v in zip(rates.points, values) if v > 0}
                curves.append((f"{heading}, {method}", curve))
                points |= curve.keys()
        rows = [
            [str(n), *(printed(str(n), c) for c in printed.columns), *(c.get(n) for _, c in curves)]
            for n in sorted(points)
        ]
        return Table(
            ["points", *printed.columns, *(heading for heading, _ in curves)],
            rows,
            ["Milliseconds a point. The paper prints the numbers of 1000 points alone."],
        )

    return make


def fits(files, printed):
    """Time of a fit: Table 9."""
    rows = [[row, *(printed(row, c) for c in printed.columns)] for row in printed.rows]
    notes = []
    for heading, results in zip(source.ours(files), files):
        status = source.need(results, "results/status")
        milliseconds = 1e3 * source.seconds(results, "tessera::stable::fit") / status.size
        rows.append([heading, milliseconds, None])
        notes.append(
            f"{source.name(results)}: {status.size} samples of {source.setting(results, 'fit.window')} values,"
            f" {int(np.sum(status != 0))} of them without a fit; the time of all by their number, so that there is no"
            " percentile."
        )
    return Table(["", *printed.columns], rows, notes)


def bias(files, _printed):
    """How the bias of each parameter is distributed over the map: Figures 13 and 14."""
    results = source.one(files)
    values, rmse, estimates = source.need(
        results, "results/bias", "results/rmse", "results/estimates"
    )
    if values.shape[-1] != len(PARAMETERS):
        raise Misfit(f"'results/bias' has the shape {values.shape}")
    failed = int(np.sum(source.need(results, "results/failed")))
    rows = []
    for i, parameter in enumerate(PARAMETERS):
        flat = values[..., i].ravel()
        quantiles_of = np.nanquantile(flat, [0.05, 0.25, 0.5, 0.75, 0.95])
        rows.append(
            [
                parameter,
                *map(float, quantiles_of),
                float(flat[np.nanargmax(np.abs(flat))]),
                float(np.nanmedian(rmse[..., i])),
            ]
        )
    laws = int(np.prod(values.shape[:-1]))
    return Table(
        ["", "5 %", "quartile", "median", "quartile", "95 %", "largest", "rmse, median"],
        rows,
        [
            f"Bias of {laws} distributions, {estimates.shape[-2]} samples of {source.setting(results, 'problem.n')}"
            f" values of each; {failed} fits failed. The paper prints pictures, no numbers."
        ],
    )


TABLES = {
    "table2": (
        error_table(
            "density",
            {"relative error, ours": "pdf_median", "largest relative, ours": "pdf_largest"},
            "Medians; the paper's reference is libstable, ours the contour integrals. Absolute errors and Gauss minus"
            " Kronrod (precision) are not among the results.",
        ),
        "errors of the density",
    ),
    "table4": (
        error_table(
            "distribution function",
            {"absolute error, ours": "cdf_median", "largest absolute, ours": "cdf_largest"},
            "Medians; the paper's reference is libstable, ours the contour integrals. Relative errors and Gauss minus"
            " Kronrod (precision) are not among the results.",
        ),
        "errors of the distribution function",
    ),
    "table7": (quantiles, "errors of quantiles"),
    "table3": (speed_table("pdf"), "speed of the density"),
    "table5": (speed_table("cdf"), "speed of the distribution function"),
    "table6": (speed_table("pdf_cdf"), "speed of density and distribution function together"),
    "table8": (speed_table("quantile"), "speed of quantiles"),
    "table9": (fits, "time of a maximum-likelihood fit"),
    "figure7": (speed_curve("pdf"), "speed of the density against the number of points"),
    "figure9": (speed_curve("cdf"), "speed of the distribution function"),
    "figure11": (speed_curve("pdf_cdf"), "speed of both together"),
    "figure12": (speed_curve("quantile"), "speed of quantiles"),
    "figure13": (bias, "bias of the fit"),
    "figure14": (bias, "distribution of the bias"),
}
INPUTS, PICTURES = {"figure14": "figure13"}, {}
