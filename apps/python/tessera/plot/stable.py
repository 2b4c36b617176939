# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of tessera-stable: densities, tails, a fit with its PP-plot, rolling windows, maps of
bias and their box plots."""

import numpy as np
from matplotlib.colors import LogNorm, TwoSlopeNorm

from . import stable_garch, stable_multivariate, stable_qq, style
from ..results import ResultsError
from ..table import source

KINDS = (
    "summary",
    "density",
    "tails",
    "fit",
    "qq",
    "goodness",
    "intervals",
    "windows",
    "panel",
    "regression",
    "garch",
    "multivariate",
    "map",
    "box",
    "precision",
    "speed",
    "integrand",
)
ONE_PANEL = ("qq",)
NAMES = ("alpha", "beta", "sigma", "mu")
SYMBOLS = {"alpha": r"$\alpha$", "beta": r"$\beta$", "sigma": r"$\sigma$", "mu": r"$\mu$"}


def draw(results, kind, _records):
    """The figure of that kind; `summary` is what suits the task."""
    kinds = {
        "density": density,
        "tails": tails,
        "fit": fit,
        "qq": stable_qq.qq,
        "goodness": goodness,
        "intervals": intervals,
        "windows": windows,
        "panel": panel,
        "regression": regression,
        "garch": stable_garch.garch,
        "multivariate": stable_multivariate.multivariate,
        "map": a_map,
        "box": box,
        "precision": precision,
        "speed": speed,
        "integrand": integrand,
    }
    if kind == "summary":
        kind = _natural_kind(results)
    return kinds[kind](results)


def _natural_kind(results):
    if "results/evaluations_per_second" in results and "coordinates/alpha" in results:
        return "map"
    for name, kind in (
        ("results/goodness/p_value", "goodness"),
        ("results/likelihood_ratio/p_value", "goodness"),
        ("results/intervals/level", "intervals"),
        ("results/curve_pdf", "fit"),
        ("results/integrand", "integrand"),
        ("results/pdf", "density"),
        ("results/residual_cdf", "regression"),
        ("results/innovation_quantile", "garch"),
        ("results/coordinates", "multivariate"),
        ("results/label", "panel"),
        ("results/begin", "windows"),
        ("results/bias", "map"),
        ("results/pdf_largest", "precision"),
        ("results/quantile_unsolved", "precision"),
        ("results/evaluations_per_second", "speed"),
    ):
        if name in results:
            return kind
    if "results/x" in results and "results/p" not in results:
        return "density"
    raise ResultsError(f"{results.path} holds nothing of which there is a figure", 3)


def _curves(results, name):
    """x, rows of values and their labels."""
    x = results["results/x"]
    rows = np.atleast_2d(results[f"results/{name}"])
    if "results/alpha" in results:
        labels = [
            rf"$\alpha={a:.10g}$, $\beta={b:g}$"
            for a, b in zip(results["results/alpha"], results["results/beta"])
        ]
    else:
        labels = [""] * len(rows)
    order = np.argsort(x)
    return x[order], rows[:, order], labels


def _colours(count):
    return style.TIME(np.linspace(0, 1, max(count, 2)))


# --- evaluate, sample
# ----------------------------------------------------------------------------------------------


def density(results):
    """Densities on a linear axis and, beside them, on a logarithmic one; of random numbers the
    histogram."""
    if "results/pdf" not in results:
        return _histogram(results)
    x, rows, labels = _curves(results, "pdf")
    figure, (left, right) = style.subplots(1, 2, figsize=(10.5, 4.4))
    for row, label, colour in zip(rows, labels, _colours(len(rows))):
        left.plot(x, row, color=colour, label=label)
        right.semilogy(x, np.where(row > 0, row, np.nan), color=colour)
    left.set_ylim(0, None)
    left.set_title("Density")
    right.set_title("Logarithm")
    positive = rows[rows > 0]
    right.set_ylim(max(positive.min(), 1e-12), 2 * positive.max())
    for axes in (left, right):
        axes.set_xlabel("x")
        axes.margins(x=0)
    if any(labels):
        left.legend(loc="upper right", fontsize=7)
    figure.tight_layout()
    return figure


def _histogram(results):
    x = np.sort(results["results/x"])
    low, high = np.quantile(x, [0.005, 0.995])
    figure, (left, right) = style.subplots(1, 2, figsize=(10.5, 4.2))
    left.hist(x[(x > low) & (x < high)], bins=160, color=style.ACCENT, alpha=0.85)
    left.set_title(f"{len(x):,} random numbers, the middle 99 %")
    left.set_xlabel("x")
    left.set_ylabel("count")
    for sign, label, colour in ((1, "right tail", style.ACCENT), (-1, "left tail", style.ACCENT_2)):
        tail = np.sort(sign * x)[::-1]
        tail = tail[tail > 0]
        pick = np.unique(np.geomspace(1, len(tail), 400).astype(int)) - 1
        right.loglog(tail[pick], (pick + 1) / len(x), color=colour, label=label)
    right.set_title("Empirical tail probabilities")
    right.set_xlabel("|x|")
    right.legend()
    figure.tight_layout()
    return figure


def tails(results):
    """Tail probabilities against |x|, both axes logarithmic: straight lines of slope -alpha."""
    x, sf, labels = _curves(results, "sf")
    _, cdf, _ = _curves(results, "cdf")
    figure, panels = style.subplots(1, 2, figsize=(10.5, 4.4), sharey=True)
    for axes, rows, side, title in (
        (panels[0], cdf, x < 0, "Left tail, P(X ≤ x)"),
        (panels[1], sf, x > 0, "Right tail, P(X > x)"),
    ):
        for row, label, colour in zip(rows, labels, _colours(len(rows))):
            shown = side & (row > 1e-30)
            axes.loglog(np.abs(x[shown]), row[shown], color=colour, label=label)
        axes.set_title(title)
        axes.set_xlabel("|x|")
    panels[0].invert_xaxis()
    panels[0].set_ylim(1e-12, 1.5)
    if any(labels):
        panels[1].legend(loc="lower left", fontsize=7)
    figure.tight_layout()
    return figure


# --- fits
# ----------------------------------------------------------------------------------------------


def fit(results):
    """The data as a histogram with the fitted density, its PP-plot, and both tails against the
    fitted ones."""
    if "results/curve_pdf" not in results:
        raise ResultsError(f"{results.path} holds no fit of one sample; choose another --kind", 3)
    data, curve_x, curve = (
        results["results/data"],
        results["results/curve_x"],
        results["results/curve_pdf"],
    )
    figure, (left, middle, right) = style.subplots(1, 3, figsize=(13, 4.2))
    inside = data[(data >= curve_x[0]) & (data <= curve_x[-1])]
    bins = max(20, min(120, int(2 * len(inside) ** 0.4)))
    height, edges = np.histogram(inside, bins=bins)
    left.stairs(
        height / (len(data) * np.diff(edges)), edges, fill=True, color=style.QUIET, alpha=0.45
    )
    left.plot(curve_x, curve, color=style.ACCENT, linewidth=1.8)
    left.set_title(f"{len(data):,} values and the fitted density")
    left.set_xlabel("x")
    left.set_xlim(curve_x[0], curve_x[-1])
    left.set_ylim(0, None)
    error = results["results/se"]
    unknown = " (at bound)" if results["results/status"] == 1 else " (error unknown)"
    lines = [
        f"{SYMBOLS[name]} = {results[f'results/{name}']:.4g}"
        + (f" ± {e:.2g}" if e > 0 else unknown if np.isnan(e) else " (fixed)")
        for name, e in zip(NAMES, error)
    ]
    left.text(
        0.98, 0.97, "\n".join(lines), transform=left.transAxes, ha="right", va="top", fontsize=8.5
    )
    empirical = (np.arange(len(data)) + 0.5) / len(data)
    cdf = results["results/cdf"]
    middle.plot([0, 1], [0, 1], color=style.QUIET, linewidth=0.8)
    middle.plot(cdf, empirical, color=style.ACCENT)
    middle.set_aspect("equal")
    middle.set_title("PP-plot")
    middle.set_xlabel("fitted distribution function")
    middle.set_ylabel("empirical")
    if np.isfinite(results["results/ks"]):
        middle.text(
            0.97,
            0.05,
            f"Kolmogorov-Smirnov {results['results/ks']:.3g}\nAnderson-Darling {results['results/ad']:.3g}",
            ha="right",
            fontsize=8,
        )
    centre = np.median(data)
    for sign, colour, name in ((1, style.ACCENT, "right"), (-1, style.ACCENT_2, "left")):
        side = sign * (data - centre) > 0
        probability = np.where(sign > 0, 1 - empirical, empirical)[side]
        fitted = np.where(sign > 0, 1 - cdf, cdf)[side]
        right.loglog(
            np.abs(data[side] - centre), probability, ".", markersize=3, color=colour, alpha=0.5
        )
        order = np.argsort(np.abs(data[side]))
        right.loglog(
            np.abs(data[side] - centre)[order], fitted[order], color=colour, label=f"{name} tail"
        )
    right.set_title("Tail probabilities")
    right.set_xlabel("distance from the median")
    right.set_ylim(0.3 / len(data), 1)
    right.legend()
    figure.tight_layout()
    return figure


def goodness(results):
    """Tests of a fit: the bootstrap distribution of every statistic, and its value for the data."""
    names = {"ad": "Anderson-Darling", "ks": "Kolmogorov-Smirnov", "cvm": "Cramér-von Mises"}
    tests = []
    for group, title in (
        ("goodness", "{}: is the sample of this law?"),
        ("likelihood_ratio", "Likelihood ratio: would a {} law do?"),
    ):
        if f"results/{group}/p_value" in results:
            found = [
                results[f"results/{group}/{name}"]
                for name in ("tests", "statistic", "p_value", "replicates")
            ]
            tests += [(title.format(names.get(name, name)), *test) for name, *test in zip(*found)]
    if not tests:
        raise ResultsError(f"{results.path} holds no tests of a fit; choose another --kind", 3)
    columns = min(3, len(tests))
    rows = -(-len(tests) // columns)
    figure, panels = style.subplots(
        rows, columns, figsize=(1 + 4 * columns, 3.2 * rows), squeeze=False
    )
    for axes in panels.flat[len(tests) :]:
        axes.set_visible(False)
    for axes, (title, statistic, p, replicates) in zip(panels.flat, tests):
        replicates = replicates[np.isfinite(replicates)]
        far = statistic > 3 * np.max(replicates, initial=0)  # shown at the edge
        high = 1.05 * (np.max(replicates) if far else max(np.max(replicates), statistic))
        axes.hist(replicates, bins=60, range=(0, high), color=style.QUIET, alpha=0.45)
        axes.axvline(min(statistic, high), color=style.ACCENT, linewidth=1.8)
        axes.text(
            0.97,
            0.95,
            f"data {statistic:.4g}{' →' if far else ''}\np = {p:.3g}\n{len(replicates):,} refits",
            transform=axes.transAxes,
            ha="right",
            va="top",
            fontsize=8.5,
        )
        axes.set_title(title)
        axes.set_xlim(0, high)
    figure.tight_layout()
    return figure


def intervals(results):
    """Of every quantity the profile of the likelihood, where there is one, and its confidence
    intervals, one below the other."""
    if "results/intervals/level" not in results:
        raise ResultsError(f"{results.path} holds no intervals of a fit; choose another --kind", 3)
    names = results["results/intervals/quantities"]
    estimates, level = results["results/intervals/estimate"], results["results/intervals/level"]
    kinds = [
        (kind, results[f"results/intervals/{kind}"], colour)
        for kind, colour in (
            ("wald", style.QUIET),
            ("profile", style.ACCENT),
            ("bootstrap", style.ACCENT_2),
        )
        if f"results/intervals/{kind}" in results
    ]
    profiles = "results/intervals/profile_value" in results
    columns = min(4, len(names))
    rows = -(-len(names) // columns)
    figure, panels = style.subplots(
        rows, columns, figsize=(3.3 * columns, 2.9 * rows), squeeze=False
    )
    for axes in panels.flat[len(names) :]:
        axes.set_visible(False)
    for k, (axes, name) in enumerate(zip(panels.flat, names)):
        if profiles:
            value, deviance = (
                results["results/intervals/profile_value"][k],
                results["results/intervals/profile_deviance"][k],
            )
            root = np.sign(value - estimates[k]) * np.sqrt(deviance)  # nearly a straight line
            fine = np.linspace(np.nanmin(value), np.nanmax(value), 200)
            known = np.isfinite(value)
            axes.plot(
                fine,
                np.interp(fine, value[known], root[known]) ** 2,
                color=style.INK,
                linewidth=0.9,
            )
            axes.plot(value, deviance, ".", color=style.INK, markersize=3)
        for place, (kind, ends, colour) in enumerate(kinds):
            low, high = ends[k]
            axes.plot(
                [low, high],
                2 * [-0.7 - 0.6 * place],
                color=colour,
                linewidth=2.4,
                solid_capstyle="butt",
                label=f"{kind}",
            )
        axes.axvline(estimates[k], color=style.QUIET, linewidth=0.7)
        axes.set_title(f"{SYMBOLS.get(name, name)} = {estimates[k]:.4g}")
        axes.set_yticks([0, 2, 4] if profiles else [])
        axes.set_ylim(-2.4, 5.5 if profiles else 0)
    panels[0, 0].legend(
        loc="upper center", fontsize=7, title=f"intervals at {100 * level:g} %", title_fontsize=7
    )
    if profiles:
        for axes in panels[:, 0]:
            axes.set_ylabel("loss of 2 ln L")
    figure.tight_layout()
    return figure


def panel(results):
    """The parameters of every series with two standard errors; of many series their histograms."""
    if "results/label" not in results:
        raise ResultsError(f"{results.path} holds no panel; choose another --kind", 3)
    labels, error, status = (
        results["results/label"],
        results["results/se"],
        results["results/status"],
    )
    good = status <= 1
    few = len(labels) <= 60
    figure, panels = style.subplots(
        1, 4, figsize=(13, max(3, 0.6 + 0.22 * len(labels)) if few else 3.6), sharey=True
    )
    for k, (axes, name) in enumerate(zip(panels, NAMES)):
        value = results[f"results/{name}"]
        if few:
            band = np.where(np.isfinite(error[:, k]), error[:, k], 0)
            axes.errorbar(
                value[good],
                np.flatnonzero(good),
                xerr=2 * band[good],
                fmt="o",
                markersize=3.5,
                color=style.ACCENT,
                elinewidth=1,
            )
            axes.set_ylim(len(labels) - 0.5, -0.5)
        else:
            low, high = np.nanquantile(value[good], [0.005, 0.995])
            axes.hist(
                value[good],
                bins=60,
                range=(low, high if high > low else low + 1),
                color=style.ACCENT,
                alpha=0.8,
            )
        axes.set_title(SYMBOLS[name])
    if few:
        panels[0].set_yticks(
            range(len(labels)),
            [label + ("" if g else " (not fitted)") for label, g in zip(labels, good)],
        )
    else:
        panels[0].set_ylabel("fits")
    figure.suptitle(
        f"{len(labels):,} fits"
        + (", two standard errors" if few else "")
        + (f"; {np.sum(~good):,} not possible" if not good.all() else ""),
        fontsize=10,
        x=0.01,
        ha="left",
    )
    figure.tight_layout()
    return figure


def _censored_distribution(cdf, censored):
    """Places u and the share of residuals below them, where a censored one counts by the fitted
    distribution beyond its bound."""
    u = np.linspace(0, 1, 401)
    share = np.zeros_like(u)
    for mark in (0, 1, -1):
        own = cdf[censored == mark][:, None]
        below = (
            (own <= u)
            if mark == 0
            else np.clip((u - own) / np.maximum(1 - own, 1e-300), 0, 1)
            if mark == 1
            else np.clip(u / np.maximum(own, 1e-300), 0, 1)
        )
        share += below.sum(axis=0)
    return u, share / len(cdf)


def regression(results):
    """Coefficients with two standard errors, the residuals' PP-plot, and the residuals with their
    scale against the fitted location."""
    if "results/residual_cdf" not in results:
        raise ResultsError(f"{results.path} holds no regression; choose another --kind", 3)
    names, value, error = (
        results["results/names"],
        results["results/estimate"],
        results["results/se"],
    )
    if value.ndim == 2:
        return _regressions(names, value, error, results["results/label"])
    figure, (left, middle, right) = style.subplots(1, 3, figsize=(13, 4.2))
    known = np.where(np.isfinite(error), error, 0)
    left.axvline(0, color=style.QUIET, linewidth=0.7)
    left.errorbar(
        value,
        range(len(names)),
        xerr=2 * known,
        fmt="o",
        markersize=3.5,
        color=style.ACCENT,
        elinewidth=1,
    )
    left.set_yticks(range(len(names)), [f"{name}  {v:.3g}" for name, v in zip(names, value)])
    left.set_ylim(len(names) - 0.5, -0.5)
    left.set_title("Estimates, two standard errors")
    cdf = results["results/residual_cdf"]
    middle.plot([0, 1], [0, 1], color=style.QUIET, linewidth=0.8)
    if "results/censored" in results:
        middle.plot(*_censored_distribution(cdf, results["results/censored"]), color=style.ACCENT)
    else:
        middle.plot(np.sort(cdf), (np.arange(len(cdf)) + 0.5) / len(cdf), color=style.ACCENT)
    middle.set_aspect("equal")
    middle.set_title("PP-plot of the residuals")
    middle.set_xlabel("fitted distribution function")
    middle.set_ylabel("empirical")
    fitted, scale, residual = (
        results[f"results/{name}"] for name in ("fitted", "scale", "residual")
    )
    right.plot(fitted, residual * scale, ".", markersize=3, color=style.ACCENT, alpha=0.5)
    high = 8 * np.median(np.abs(residual * scale))
    right.set_ylim(-high, high)
    right.set_xlim(*np.quantile(fitted, [0.005, 0.995]))
    right.axhline(0, color=style.QUIET, linewidth=0.7)
    beyond = np.sum(np.abs(residual * scale) > high)
    right.set_title("Residuals" + (f"; {beyond} lie beyond" if beyond else ""))
    right.set_xlabel("fitted location")
    figure.tight_layout()
    return figure


def _regressions(names, value, error, labels):
    """The parameters of every group with two standard errors: a few groups by name, many in the
    order of their estimates."""
    by_name = len(labels) <= 40
    columns = min(len(names), 4)
    figure, panels = style.subplots(
        -(-len(names) // columns),
        columns,
        figsize=(3.2 * columns, 3.6 * -(-len(names) // columns)),
        squeeze=False,
        sharey=True,
    )
    for k, (axes, name) in enumerate(zip(panels.flat, names)):
        known = np.where(np.isfinite(error[:, k]), 2 * error[:, k], 0)
        axes.set_title(name)
        if by_name:
            axes.errorbar(
                value[:, k],
                range(len(labels)),
                xerr=known,
                fmt="o",
                markersize=3.5,
                color=style.ACCENT,
                elinewidth=1,
            )
        else:
            order = np.argsort(value[:, k])[: np.count_nonzero(np.isfinite(value[:, k]))]
            axes.fill_betweenx(
                range(len(order)),
                value[order, k] - known[order],
                value[order, k] + known[order],
                color=style.ACCENT,
                alpha=0.18,
                linewidth=0,
            )
            axes.plot(value[order, k], range(len(order)), color=style.ACCENT, linewidth=1)
    for axes in panels.flat[len(names) :]:
        axes.set_visible(False)
    if by_name:
        panels[0, 0].set_yticks(range(len(labels)), labels)
        panels[0, 0].set_ylim(len(labels) - 0.5, -0.5)
    else:
        for axes in panels[:, 0]:
            axes.set_ylabel("groups in the order of their estimates")
    figure.tight_layout()
    return figure


def windows(results):
    """The parameters of rolling windows with two standard errors."""
    begin, error, status = (
        results["results/begin"],
        results["results/se"],
        results["results/status"],
    )
    good = status <= 1
    figure, panels = style.subplots(4, 1, figsize=(9.5, 7.5), sharex=True)
    for k, (axes, name) in enumerate(zip(panels, NAMES)):
        value = results[f"results/{name}"]
        band = np.where(np.isfinite(error[:, k]), error[:, k], 0)
        axes.fill_between(
            begin,
            np.where(good, value - 2 * band, np.nan),
            np.where(good, value + 2 * band, np.nan),
            color=style.ACCENT,
            alpha=0.18,
            linewidth=0,
        )
        axes.plot(begin, np.where(good, value, np.nan), color=style.ACCENT)
        axes.set_ylabel(SYMBOLS[name])
        for place in begin[~good]:
            axes.axvline(place, color=style.ACCENT_2, linewidth=0.8)
        axes.margins(x=0)
    panels[0].set_title(
        f"{len(begin)} windows, two standard errors"
        + (f"; {np.sum(~good)} could not be fitted (red)" if not good.all() else "")
    )
    panels[-1].set_xlabel("first value of the window")
    figure.align_ylabels()
    figure.tight_layout()
    return figure


def a_map(results):
    """A map over alpha and beta: of the time of functions, or of the bias of fits."""
    return speed_map(results) if "results/evaluations_per_second" in results else bias_map(results)


def _axes_of_map(results, otherwise):
    alpha, beta = results["coordinates/alpha"], results["coordinates/beta"]
    if len(alpha) < 2 or len(beta) < 2:
        raise ResultsError(
            f"{results.path}: a map needs at least two alphas and two betas{otherwise}", 3
        )
    return alpha, beta


def speed_map(results):
    """Time a point over alpha and beta, at the last number of points, a panel for each method and
    function (Figs. 8 and 10 of Julian-Moreno et al.)."""
    if "coordinates/alpha" not in results:
        raise ResultsError(f"{results.path} holds no map of speeds; choose --kind speed", 3)
    alpha, beta = _axes_of_map(results, "")
    functions, methods = (
        [str(name) for name in results[f"coordinates/{axis}"]] for axis in ("function", "method")
    )
    times = 1e3 / results["results/evaluations_per_second"][:, :, -1]
    figure, panels = style.subplots(
        len(functions),
        len(methods),
        figsize=(1 + 4 * len(methods), 0.6 + 3 * len(functions)),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for i, function in enumerate(functions):
        for k, method in enumerate(methods):
            # closed forms take next to no time
            low, high = np.quantile(times[:, :, i, k], [0.02, 1])
            image = panels[i, k].pcolormesh(
                alpha,
                beta,
                np.maximum(times[:, :, i, k].T, low),
                cmap=style.DENSITY,
                norm=LogNorm(low, max(high, 1.001 * low)),
                shading="nearest",
            )
            panels[i, k].set_title(f"{FUNCTIONS.get(function, function)}, {method}")
            bar = figure.colorbar(image, ax=panels[i, k])
            bar.outline.set_visible(False)
            bar.set_label("time a point [ms]")
    for axes in panels[-1]:
        axes.set_xlabel(r"$\alpha$")
    for axes in panels[:, 0]:
        axes.set_ylabel(r"$\beta$")
    figure.tight_layout()
    return figure


def bias_map(results):
    """Bias and root mean square error of the four parameters over (alpha, beta), with the mean over
    sigma and mu where the map has these axes."""
    alpha, beta = _axes_of_map(results, "; choose --kind box")
    bias, rmse = results["results/bias"], results["results/rmse"]
    if bias.ndim == 5:
        bias, rmse = np.nanmean(bias, axis=(2, 3)), np.sqrt(np.nanmean(rmse**2, axis=(2, 3)))
    figure, panels = style.subplots(2, 4, figsize=(14, 6.2), sharex=True, sharey=True)
    for k, name in enumerate(NAMES):
        largest = max(np.nanquantile(np.abs(bias[..., k]), 0.98), 1e-12)
        top = panels[0, k].pcolormesh(
            alpha,
            beta,
            bias[..., k].T,
            cmap="RdBu_r",
            norm=TwoSlopeNorm(0, -largest, largest),
            shading="nearest",
        )
        low, high = np.nanquantile(rmse[..., k], [0.02, 0.98])
        bottom = panels[1, k].pcolormesh(
            alpha,
            beta,
            np.maximum(rmse[..., k].T, max(low, 1e-6)),
            cmap=style.DENSITY,
            norm=LogNorm(max(low, 1e-6), max(high, 2e-6)),
            shading="nearest",
        )
        panels[0, k].set_title(f"bias of {SYMBOLS[name]}")
        panels[1, k].set_title(f"root mean square error of {SYMBOLS[name]}")
        panels[1, k].set_xlabel(r"true $\alpha$")
        for row, image in enumerate((top, bottom)):
            figure.colorbar(image, ax=panels[row, k]).outline.set_visible(False)
    for axes in panels[:, 0]:
        axes.set_ylabel(r"true $\beta$")
    _title_missing(figure, results)
    figure.tight_layout()
    return figure


def _title_missing(figure, results):
    """Says above a map how many of its distributions are fitted, where an interrupted run lacks
    some. Raises ResultsError where it lacks all."""
    fitted = np.isfinite(results["results/bias"]).any(axis=-1)
    if not fitted.any():
        raise ResultsError(
            f"{results.path}: none of its distributions is fitted"
            + (
                f", for the run was interrupted\n  remedy: {source.how_to_complete(results)}"
                if source.is_interrupted(results)
                else ""
            ),
            3,
        )
    if not fitted.all():
        text = source.counted(results, fitted.sum(), fitted.size, "distributions")
        figure.suptitle(text, x=0.01, ha="left", fontsize=10)


def box(results):
    """Errors of the estimates by alpha, over all beta, as box plots."""
    alpha, beta = results["coordinates/alpha"], results["coordinates/beta"]
    estimates = results["results/estimates"]
    estimates = estimates.reshape(len(alpha), len(beta), -1, len(NAMES))
    figure, panels = style.subplots(1, 2, figsize=(11, 4.4))
    for axes, k, truth in (
        (panels[0], 0, alpha[:, None, None]),
        (panels[1], 1, beta[None, :, None]),
    ):
        error = (estimates[..., k] - truth).reshape(len(alpha), -1)
        width = 0.6 * (np.min(np.diff(alpha)) if len(alpha) > 1 else 0.1)
        axes.axhline(0, color=style.QUIET, linewidth=0.7)
        axes.boxplot(
            [row[np.isfinite(row)] for row in error],
            positions=alpha,
            widths=width,
            manage_ticks=False,
            flierprops={"markersize": 2},
            medianprops={"color": style.ACCENT_2},
            boxprops={"color": style.ACCENT},
            whiskerprops={"color": style.ACCENT},
            capprops={"color": style.ACCENT},
        )
        axes.set_title(f"{SYMBOLS[NAMES[k]]}: estimate minus truth, all {SYMBOLS['beta']}")
        axes.set_xlabel(r"true $\alpha$")
    _title_missing(figure, results)
    figure.tight_layout()
    return figure


def precision(results):
    """Largest errors against alpha, a line per beta; of the paper's method also the share of places
    at which its density is of no use."""
    if "results/quantile_unsolved" in results:
        return _quantile_precision(results)
    alpha, beta = results["coordinates/alpha"], results["coordinates/beta"]
    paper = "results/pdf_close" in results
    figure, panels = style.subplots(1, 3, figsize=(13, 4), sharey=not paper)
    named = [
        ("pdf_largest", "Density, relative"),
        ("cdf_largest", "Distribution function, absolute"),
    ]
    for axes, (name, title) in zip(
        panels,
        named if paper else [*named, ("quantile_largest", "Probability of the quantile, relative")],
    ):
        for j, colour in zip(range(len(beta)), _colours(len(beta))):
            axes.semilogy(
                alpha,
                np.maximum(results[f"results/{name}"][:, j], 1e-17),
                "o-",
                markersize=3,
                color=colour,
                label=rf"$\beta={beta[j]:g}$",
            )
        axes.set_title(title)
        axes.set_xlabel(r"$\alpha$")
    if paper:
        for j, colour in zip(range(len(beta)), _colours(len(beta))):
            panels[2].plot(
                alpha,
                100 * (1 - results["results/pdf_close"][:, j]),
                "o-",
                markersize=3,
                color=colour,
            )
        panels[2].set_title("Places with a density wrong by more than 1e-6, %")
        panels[2].set_xlabel(r"$\alpha$")
    panels[0].set_ylabel("largest error")
    panels[0].legend()
    figure.tight_layout()
    return figure


def _quantile_precision(results):
    """Median errors of the paper's quantiles, and the share that its iteration does not find."""
    alpha, beta = results["coordinates/alpha"], results["coordinates/beta"]
    figure, panels = style.subplots(1, 3, figsize=(13, 4))
    for j, colour in zip(range(len(beta)), _colours(len(beta))):
        look = {"markersize": 3, "color": colour, "label": rf"$\beta={beta[j]:g}$"}
        for axes, name in zip(panels, ("absolute", "relative")):
            error = results[f"results/quantile_{name}_median"][:, j]
            axes.semilogy(alpha, np.maximum(error, 1e-17), "o-", **look)
        panels[2].plot(alpha, 100 * results["results/quantile_unsolved"][:, j], "o-", **look)
    for axes, title in zip(
        panels, ("Quantile, absolute", "Quantile, relative", "Quantiles not found, %")
    ):
        axes.set_title(title)
        axes.set_xlabel(r"$\alpha$")
    panels[0].set_ylabel("median error")
    panels[0].legend()
    figure.tight_layout()
    return figure


def integrand(results):
    """The integrand of the paper's density over theta, a curve for each point (Figs. 4 and 5 of
    Julian-Moreno et al.), a panel for each distribution."""
    if "results/integrand" not in results:
        raise ResultsError(f"{results.path} holds no integrand (paper.integrand)", 3)
    x = results["results/x"]
    theta, values = (
        results[f"results/{name}"].reshape(-1, len(x), results[f"results/{name}"].shape[-1])
        for name in ("theta", "integrand")
    )
    figure, panels = style.subplots(
        1, len(theta), figsize=(1.4 + 4.6 * len(theta), 4.2), sharey=True, squeeze=False
    )
    for i, axes in enumerate(panels[0]):
        for point, place, value, colour in zip(x, theta[i], values[i], _colours(len(x))):
            axes.plot(place, value, color=colour, label=f"x = {point:.10g}")
        if "results/alpha" in results:
            axes.set_title(
                rf"$\alpha={results['results/alpha'][i]:.10g}$, $\beta={results['results/beta'][i]:g}$"
            )
        axes.set_xlabel(r"$\theta$")
        axes.margins(x=0)
    panels[0, 0].set_ylabel(r"$g\,e^{-g}$")
    panels[0, 0].legend(fontsize=7)
    figure.tight_layout()
    return figure


# --- speed
# ----------------------------------------------------------------------------------------------

FUNCTIONS = {
    "pdf": "Density",
    "cdf": "Distribution function",
    "pdf_cdf": "Both together",
    "quantile": "Quantile",
}


def speed(results):
    """Time a point against the number of points of a call, a panel for each function (Figs. 7, 9,
    11 and 12 of Julian-Moreno et al.)."""
    points, rates = results["coordinates/n"], results["results/evaluations_per_second"]
    if rates.ndim != 3:
        raise ResultsError(f"{results.path} holds a map of speeds; choose --kind map", 3)
    functions, methods = (
        [str(name) for name in results[f"coordinates/{axis}"]] for axis in ("function", "method")
    )
    figure, panels = style.subplots(
        1, len(functions), figsize=(max(4.5, 2.9 * len(functions)), 3.2), sharey=True, squeeze=False
    )
    colours = (style.ACCENT, style.ACCENT_2, style.QUIET)
    for i, (axes, function) in enumerate(zip(panels[0], functions)):
        for k, method in enumerate(methods):
            known = rates[:, i, k] > 0
            if np.any(known):
                axes.loglog(
                    points[known],
                    1e3 / rates[known, i, k],
                    "o-",
                    color=colours[k % len(colours)],
                    markersize=4,
                    label=method,
                )
        axes.set_title(FUNCTIONS.get(function, function))
        axes.set_xlabel("points of a call")
        axes.grid(axis="y")
    panels[0, 0].set_ylabel("time a point [ms]")
    panels[0, 0].legend()
    figure.tight_layout()
    return figure
