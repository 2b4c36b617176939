# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Table I and Figures 4 to 7 and 9 to 12 of Geng et al. (2025), from results of tessera-gp."""

import numpy as np

from . import source
from .layout import Table
from .source import Misfit

PAPER, AUTHORS = "geng_2025", "Geng et al. (2025)"
PARAMETERS = ("sigma2", "beta", "nu")
FITTED = 160000  # points of Table I
FIT = tuple(f"tessera::gp::{part}" for part in ("factor", "solve", "gradient", "information"))
PREDICTION = ("tessera::gp::fisher", "tessera::gp::predict")


def method(results):
    """How the Bessel function was evaluated."""
    if source.setting(results, "covariance.bessel") == "gsl":
        return "GSL"
    bins = source.setting(results, "covariance.bins")
    return f"{bins} bins" if bins and bins != "0" else "exact K"


def boxes(files, printed):
    """Quartiles of estimates and numbers of likelihoods, as the box plots have them."""
    columns, quartiles, notes = ["", "truth"], [], []
    for results in files:
        theta, evaluations, truth = source.need(
            results, "results/theta", "results/evaluations", "results/truth"
        )
        if theta.shape[1:] != (3,) or len(truth) != 3:
            raise Misfit("its parameters are not sigma2, beta and nu", results)
        if len(theta) < 2:
            raise Misfit(
                f"it holds {_fits(len(theta))}, and box plots need several"
                if source.is_interrupted(results)
                else "it holds one fit; set simulate.replicates and fit.replicates=separate",
                results,
            )
        wanted = [float(printed(p, "truth")) for p in PARAMETERS]
        if not np.allclose(truth, wanted):
            raise Misfit(
                f"its field has the parameters {truth.tolist()}, and not {wanted}", results
            )
        found = np.quantile(np.column_stack([theta, evaluations]), [0.25, 0.5, 0.75], axis=0).T
        quartiles.append(found)
        columns += [f"{method(results)}: quartile", "median", "quartile"]
        failed = int(np.sum(source.need(results, "results/converged") == 0))
        notes.append(
            f"{source.name(results)}, {method(results)}:"
            f" {source.counted(results, len(theta), _replicates(results), 'fields')}"
            f" of {results.group_attribute('results', 'points')} points"
            + (f", of which {failed} fits have not converged" if failed else "")
            + "."
        )
    rows = [
        [row, printed(row, "truth"), *(float(q) for found in quartiles for q in found[i])]
        for i, row in enumerate((*PARAMETERS, "likelihoods"))
    ]
    return Table(
        columns,
        rows,
        [*notes, "The paper prints pictures and the truth, no numbers, of 100 fields."],
    )


def _fits(count):
    """A number of fits in words."""
    return {0: "no fit", 1: "one fit"}.get(count, f"{count} fits")


def _replicates(results):
    """How many fields a run was to fit."""
    return source.need(results, "results/observations").shape[1]


def wind(files, printed):
    """Estimates, likelihood, prediction error and time: Table I."""
    columns = ["", *printed.columns]
    rows = [[row, *(printed(row, column) for column in printed.columns)] for row in printed.rows]
    notes = []
    for heading, results in zip(source.ours(files), files):
        theta, loglik = source.need(results, "results/theta", "results/loglik")
        if theta.shape != (1, 3):
            raise Misfit("it holds no single fit of sigma2, beta and nu", results)
        minutes = source.seconds(results, *FIT, *PREDICTION) / 60
        mspe = float(results.group_attribute("results/prediction", "mspe"))
        points = int(results.group_attribute("results", "points"))
        rows.append([heading, *map(float, theta[0]), float(loglik[0]), mspe, minutes])
        notes.append(
            f"{source.name(results)}: {points} points are fitted, {len(source.need(results, 'results/prediction/mean'))}"
            " predicted"
            + ("" if points == FITTED else f"; the paper fits {FITTED}")
            + ". Field and places are simulated with the paper's estimates, so that likelihood and MSPE are not"
            " the paper's; its data are not public."
        )
    return Table(columns, rows, notes)


def whole_fits(files, printed):
    """Time of a fit: Figure 11."""
    columns = ["N", *(f"{column} [min]" for column in printed.columns), "ours [min]", "likelihoods"]
    rows = [
        [row, *(printed(row, column) for column in printed.columns), None, None]
        for row in printed.rows
    ]
    for results in files:
        points = str(int(results.group_attribute("results", "points")))
        evaluations = source.need(results, "results/evaluations")
        if len(evaluations) == 0:
            raise Misfit("it holds no whole fit", results)
        evaluations = int(np.sum(evaluations))
        cells = [source.seconds(results, *FIT) / 60, evaluations]
        known = [row for row in rows if row[0] == points and row[-1] is None]
        if known:
            known[0][-2:] = cells
        else:
            rows.append([points, *(None for _ in printed.columns), *cells])
    return Table(columns, rows, ["The paper prints the times of N = 71 289 alone."])


def generation(files, printed):
    """Time of generating the covariance matrix: Figures 9, 10 and 12."""
    columns, notes, times = ["N"], [], []
    for heading, results in zip(source.ours(files), files):
        points, seconds = source.need(results, "coordinates/points", "results/generation_seconds")
        if seconds.shape[:1] != points.shape:
            raise Misfit(f"'results/generation_seconds' has the shape {seconds.shape}", results)
        done = np.isfinite(seconds)
        if not done.any():
            raise Misfit("it holds no time of a generation", results)
        ranks = int(results.group_attribute("results", "ranks"))
        columns += [f"{heading} [s]", "deviation", "entries/s"]
        entries = source.need(results, "results/entries")
        times.append(
            {int(n): (s[d], e) for n, s, d, e in zip(points, seconds, done, entries) if d.any()}
        )
        notes.append(
            f"{source.name(results)}, {method(results)}: {results.attrs.get('backend', '?')},"
            f" {ranks} {'rank' if ranks == 1 else 'ranks'}, means of {seconds.shape[1]}"
            + (
                ""
                if done.all()
                else f"; {source.counted(results, done.sum(), done.size, 'generations')}"
            )
            + "."
        )
    rows = []
    for n in sorted({n for of_file in times for n in of_file}):
        cells = [str(n)]
        for of_file in times:
            if n not in of_file:
                cells += [None, None, None]
                continue
            seconds, entries = of_file[n]
            mean = float(seconds.mean())
            deviation = float(seconds.std(ddof=1)) if len(seconds) > 1 else None
            cells += [mean, deviation, float(entries) / mean]
        rows.append(cells)
    if len(files) > 1:
        first = times[0]
        cells = ["mean speed-up over the first"]
        for of_file in times:
            both = [n for n in first if n in of_file]
            ratios = [first[n][0].mean() / of_file[n][0].mean() for n in both]
            cells += [float(np.mean(ratios)) if ratios else None, None, None]
        rows.append(cells)
    theirs = ", ".join(f"{column}: {printed('speed-up', column)}" for column in printed.columns)
    if theirs:
        notes.append(f"The paper prints mean speed-ups over GSL on 40 cores alone: {theirs}.")
    notes.append("Ours is the lower triangle with its diagonal, without the first generation.")
    return Table(columns, rows, notes)


TABLES = {
    "table1": (wind, "a fit of wind speeds"),
    "figure5": (boxes, "estimates of strongly correlated fields, 40 bins"),
    "figure9": (generation, "time of generating the matrix, V100"),
    "figure10": (generation, "time of generating the matrix, A100"),
    "figure11": (whole_fits, "time of whole fits"),
    "figure12": (generation, "time of generating the matrix on several nodes"),
}
TABLES |= {f"figure4{panel}": (boxes, f"estimates, panel ({panel})") for panel in "abcdef"}
TABLES |= {f"figure6{panel}": (boxes, f"estimates, panel {panel}, and Figure 7") for panel in "abc"}
INPUTS, PICTURES = {"figure12": "figure10"}, {}
PRINTED = {"table1": "Table I"}
