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


def error_table(quantity, ours):
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
            [
                f"Errors of the {quantity} by the paper's method, between x = -100 and 100:"
                f" {source.setting(results, 'paper.nodes')} nodes on {source.setting(results, 'paper.intervals')}"
                " sub-intervals. Medians; the paper's reference is libstable, ours the contour integrals. Precision:"
                " Gauss minus Kronrod by the value."
            ],
        )

    return make


def quantiles(files, printed):
    """Errors of quantiles: Table 7. Files by the paper's iteration and by tables, in any order."""
    columns, cells, notes = [], {}, []
    for results in files:
        newton = source.setting(results, "problem.method") == "newton"
        ours = {
            f"{column}, {'iteration here' if newton else 'tables'}": f"quantile_{name}"
            for column, name in zip(
                printed.columns, ("absolute_median", "relative_median"), strict=True
            )
        }
        if newton:
            unsolved = float(np.max(source.need(results, "results/quantile_unsolved")))
            notes.append(
                f"{source.name(results)}: the paper's iteration to a step of"
                f" {source.setting(results, 'paper.tolerance')}"
                + (
                    f"; it does not find {100 * unsolved:.3g} % of the quantiles of a distribution,"
                    " at most."
                    if unsolved > 0
                    else "."
                )
            )
        else:
            ours["largest, tables"] = "quantile_largest"
            notes.append(
                f"{source.name(results)}: tabulated quantiles; the largest are relative errors at probabilities down to"
                " 1e-12."
            )
        columns += ours
        for row, values in by_law(results, printed, *ours.values()):
            cells.setdefault(row, {}).update(zip(ours, values))
    rows = [
        [*row.split(), *(printed(row, c) for c in printed.columns), *map(found.get, columns)]
        for row, found in cells.items()
    ]
    return Table(
        ["alpha", "beta", *(f"{column}, paper" for column in printed.columns), *columns],
        rows,
        [
            "Medians of 4000 quantiles, evenly from that of 0.1 to that of 0.9; the paper does not say how many it takes.",
            *notes,
        ],
    )


class Rates:
    """Evaluations a second by points, function and method, of maps behind alpha and beta (whose
    numbers are `axes`)."""

    def __init__(self, results, *axes):
        self.points = source.need(results, "coordinates/n")
        self.functions, self.methods = (
            [str(name) for name in source.need(results, f"coordinates/{axis}")]
            for axis in ("function", "method")
        )
        self.rates = source.need(results, "results/evaluations_per_second")
        if self.rates.shape != (*axes, len(self.points), len(self.functions), len(self.methods)):
            raise Misfit(f"'results/evaluations_per_second' has the shape {self.rates.shape}")

    def of(self, function):
        """{method: rates by points} of the methods."""
        if function not in self.functions:
            raise Misfit(f"it has no speed of '{function}'")
        rates = self.rates[..., self.functions.index(function), :]
        return {method: rates[..., i] for i, method in enumerate(self.methods)}


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


def speed_map(function):
    """Milliseconds a point by alpha and beta: Figures 8 and 10."""

    def make(files, _printed):
        results = source.one(files)
        alpha, beta, points = source.need(
            results, "coordinates/alpha", "coordinates/beta", "coordinates/n"
        )
        rates = Rates(results, len(alpha), len(beta))
        times = {m: 1e3 / values[..., -1] for m, values in rates.of(function).items()}
        rows = [
            [
                f"{a:.4g}",
                *(float(x) for time in times.values() for x in (time[i].min(), time[i].max())),
            ]
            for i, a in enumerate(alpha)
        ]
        return Table(
            ["alpha", *(f"{m}, {which}" for m in times for which in ("least", "most"))],
            rows,
            [
                f"Milliseconds a point in calls of {int(points[-1])}, the least and the most of {len(beta)} betas from"
                f" {beta.min():g} to {beta.max():g}. The paper prints pictures, no numbers."
            ],
        )

    return make


def fits(files, printed):
    """Mean and 95th percentile of the time of a fit: Table 9. A file for each estimator and number
    of fits in a call."""
    rows = [[row, *(printed(row, c) for c in printed.columns)] for row in printed.rows]
    notes = []
    for heading, results in zip(source.ours(files), files):
        status, seconds = source.need(results, "results/status", "results/seconds")
        if len(seconds) != len(status):
            raise Misfit(
                f"'results/seconds' has {len(seconds)} times of {len(status)} fits", results
            )
        if len(status) == 0:
            raise Misfit("it holds no fit", results)
        method, together = (source.setting(results, f"fit.{key}") for key in ("method", "together"))
        times = 1e3 * seconds
        rows.append(
            [
                f"{heading}: {method}, {together} in a call",
                float(np.mean(times)),
                # the fits of a call have its mean time
                float(np.quantile(times, 0.95)) if together == "1" else None,
            ]
        )
        notes.append(
            f"{source.name(results)}: {len(status)} samples of {source.setting(results, 'fit.window')} values,"
            f" {int(np.sum(status > 1))} of them without a fit"
            + ("; the run was interrupted." if source.is_interrupted(results) else ".")
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
    fitted = int(np.isfinite(values).any(axis=-1).sum())
    if fitted == 0:
        raise Misfit("none of its distributions is fitted", results)
    laws = source.counted(results, fitted, int(np.prod(values.shape[:-1])), "distributions")
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
    axes = "alpha, beta, sigma and mu" if values.ndim == 5 else "alpha and beta"
    return Table(
        ["", "5 %", "quartile", "median", "quartile", "95 %", "largest", "rmse, median"],
        rows,
        [
            f"Bias of {laws} over {axes}, {estimates.shape[-2]} samples of {source.setting(results, 'problem.n')}"
            f" values of each; {failed} fits failed. The paper prints pictures, no numbers."
        ],
    )


TABLES = {
    "table2": (
        error_table(
            "density",
            {
                "absolute error, ours": "pdf_absolute_median",
                "relative error, ours": "pdf_median",
                "precision, ours": "pdf_estimate_median",
                "largest relative, ours": "pdf_largest",
            },
        ),
        "errors of the density",
    ),
    "table4": (
        error_table(
            "distribution function",
            {
                "absolute error, ours": "cdf_median",
                "relative error, ours": "cdf_relative_median",
                "precision, ours": "cdf_estimate_median",
                "largest absolute, ours": "cdf_largest",
            },
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
    "figure8": (speed_map("pdf"), "time of the density over alpha and beta"),
    "figure9": (speed_curve("cdf"), "speed of the distribution function"),
    "figure10": (speed_map("cdf"), "time of the distribution function over alpha and beta"),
    "figure11": (speed_curve("pdf_cdf"), "speed of both together"),
    "figure12": (speed_curve("quantile"), "speed of quantiles"),
    "figure13": (bias, "bias of the fit"),
    "figure14": (bias, "distribution of the bias"),
}
INPUTS = {"figure14": "figure13"}
PICTURES = {name: "tessera-plot --kind integrand" for name in ("figure4", "figure5")}
