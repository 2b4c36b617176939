# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of tessera-bessel: the functions, maps of their errors, and Matern covariances."""

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from . import style
from ..results import ResultsError
from ..table import source
from ..table.bessel import label_of_errors, names_of_errors

KINDS = ("summary", "functions", "error_map", "relative_error", "matern", "upper_bound")
ONE_PANEL = ("upper_bound",)

MOST_LINES = 9  # orders drawn as lines; more make a map
FLOOR = 1e-17  # errors below are drawn as this
EPSILON = 2.0**-52  # in the relative error of Takekawa and of Geng et al.
SMALLEST, LARGEST = 1e-25, 1e25  # what a logarithmic axis shows


def draw(results, kind, records):
    if records:
        raise ResultsError("the results of tessera-bessel have no records", 2)
    if kind == "summary":
        kind = (
            "matern"
            if "results/r" in results
            else "upper_bound"
            if "coordinates/bound" in results
            else "error_map"
            if is_map(results)
            else "functions"
        )
    kinds = {
        "functions": functions,
        "error_map": error_map,
        "relative_error": relative_error,
        "matern": matern,
        "upper_bound": upper_bound,
    }
    return kinds[kind](results)


def is_map(results):
    return (
        "coordinates/nu" in results
        and len(results["coordinates/nu"]) > MOST_LINES
        and "results/error" in results
    )


def lines(results, name):
    """x, values and order of each line: the rows of a grid, or runs of points with the same
    order."""
    nu, x, values = (np.atleast_2d(results[f"results/{key}"]) for key in ("nu", "x", name))
    if nu.shape[0] == 1:
        breaks = np.flatnonzero(np.diff(nu[0])) + 1
        nu, x, values = (np.split(a[0], breaks) for a in (nu, x, values))
    for n, a, v in zip(nu, x, values):
        if len(a) > 1:
            yield n[0], a, v


def line_colours(results, name):
    orders = [nu for nu, _, _ in lines(results, name)]
    if not orders:
        raise ResultsError(
            f"{results.path} holds single points, no lines; ask for several x per nu ('combine: grid')",
            3,
        )
    return {nu: style.TIME(i / max(len(orders) - 1, 1)) for i, nu in enumerate(orders)}


def functions(results):
    """K and its derivatives over x, a line per order, and the errors below."""
    panels = [
        (name, text, scale)
        for name, text, scale in [
            ("k", "$K_\\nu(x)$", "log"),
            ("k_scaled", "$e^x K_\\nu(x)$", "log"),
            ("log_k", "$\\log K_\\nu(x)$", "asinh"),
            ("dlog_k_dx", "$-\\partial \\log K_\\nu / \\partial x$", "log"),
            ("dlog_k_dnu", "$\\partial \\log K_\\nu / \\partial\\nu$", "linear"),
            ("error", "error", "log"),
        ]
        if f"results/{name}" in results
    ]
    if not panels:
        raise ResultsError(f"{results.path} holds none of the functions", 3)
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = style.subplots(
        rows, columns, figsize=(3.3 * columns, 2.7 * rows), squeeze=False, layout="constrained"
    )
    colours = line_colours(results, panels[0][0])
    for axis, (name, text, scale) in zip(axes.flat, panels):
        positive = True
        for nu, x, values in lines(results, name):
            positive &= x.min() > 0
            drawn = (
                np.maximum(values, FLOOR)
                if name == "error"
                else -values
                if name == "dlog_k_dx"
                else values
            )
            if scale == "log":
                drawn = np.where((drawn > SMALLEST) & (drawn < LARGEST), drawn, np.nan)
            axis.plot(
                x,
                drawn,
                color=colours[nu],
                linewidth=0.8 if name == "error" else 1.3,
                label=f"{nu:g}",
            )
        axis.set_xscale("log" if positive else "linear")
        axis.set_yscale(scale)
        axis.set_title(error_title(results) if name == "error" else text)
        axis.set_xlabel("x")
        axis.grid(True)
    for axis in axes.flat[len(panels) :]:
        axis.set_axis_off()
    axes[0, 0].legend(title="$\\nu$", ncols=2, handlelength=1.2, columnspacing=0.9)
    return figure


def error_title(results):
    return str(results.long_name("results/error"))


def need_errors(results):
    if "coordinates/nu" not in results or "results/error" not in results:
        raise ResultsError(
            f"{results.path} holds no errors on a grid: 'combine: grid' and a 'reference' make them",
            3,
        )


def error_map(results):
    """The error of each method over the plane of order and argument."""
    need_errors(results)

    def logarithm(values):
        return np.log10(np.clip(np.where(np.isnan(values), FLOOR, values), FLOOR, 1e3))

    return maps_of_errors(
        results, logarithm, Normalize(-16, 0), f"log10 of the {error_title(results)}", "{:.1e}"
    )


def relative_error(results):
    """The same as RE = log10(1 + error / 2^-52), as Figures 1 to 3 of Geng et al. have it."""

    need_errors(results)

    def scaled(values):
        return np.log10(1 + np.where(np.isnan(values), 0, values) / EPSILON)

    return maps_of_errors(
        results, scaled, Normalize(0, 8), "RE = log10(1 + error / $2^{-52}$)", "{:.3f}", scaled
    )


def maps_of_errors(results, shade, norm, label_of_bar, form, measure=np.asarray):
    """A map for each method. shade: what is coloured; the title has the largest measure."""
    nu, x = results["coordinates/nu"], results["coordinates/x"]
    names = names_of_errors(results)
    labels = [label_of_errors(results, name) for name in names]
    figure, axes = style.wrapped(
        len(names), 2.7, 2.9, extra=0.8, sharex=True, sharey=True, layout="constrained"
    )
    for number, (axis, name) in enumerate(zip(axes, names)):
        values = results[f"results/{name}"]
        axis.pcolormesh(
            x, nu, shade(values), norm=norm, cmap=style.DENSITY, shading="nearest", rasterized=True
        )
        label = labels[number]
        if labels.count(label) > 1:  # one method with several numbers of bins
            label += f", {name.rpartition('_')[2]} bins"
        axis.set_title(f"{label}: at most {form.format(np.nanmax(measure(values)))}")
        if number >= len(names) - style.IN_A_ROW:
            axis.set_xlabel("x")
        if number % style.IN_A_ROW == 0:
            axis.set_ylabel("$\\nu$")
        if logarithmic(x):
            axis.set_xscale("log")
        axis.set_xlim(x.min(), x.max())  # not the half of a cell beyond what was computed
        axis.set_ylim(nu.min(), nu.max())
    if logarithmic(nu):
        axes[0].set_yscale("log")
    bar = figure.colorbar(ScalarMappable(norm, style.DENSITY), ax=axes, pad=0.01, extend="max")
    bar.set_label(label_of_bar)
    return figure


def logarithmic(values):
    """Whether a grid goes by even ratios rather than even steps."""
    return (
        len(values) > 2
        and values[0] > 0
        and abs(values[1] * values[1] / (values[0] * values[2]) - 1) < 1e-6
    )


def upper_bound(results):
    """The largest error of log K over the upper bound of the integral, the tolerance, and the
    smallest bound that reaches it (Algorithm 1 of Geng et al.)."""
    if "coordinates/bound" not in results:
        raise ResultsError(f"{results.path} holds no bounds: 'task: upper_bound' tries them", 3)
    bounds, errors = results["coordinates/bound"], results["results/largest_error"]
    found = float(results["results/upper_bound"][0])
    tolerance = float(source.setting(results, "problem.tolerance"))
    figure, axes = style.subplots(figsize=(5.4, 3.8), layout="constrained")
    axes.semilogy(
        bounds, np.maximum(errors, FLOOR), ".-", color=style.ACCENT, label="largest error of log K"
    )
    axes.axhline(
        tolerance,
        color=style.QUIET,
        linewidth=0.8,
        linestyle="--",
        label=f"tolerance, {tolerance:g}",
    )
    if np.isfinite(found):
        axes.axvline(found, color=style.ACCENT_2, linewidth=0.8, label=f"smallest bound, {found:g}")
    stopped = ", interrupted" if source.is_interrupted(results) else ""
    bins = source.setting(results, "problem.bins")
    axes.set_title(f"The upper bound of the integral, {bins} bins{stopped}")
    axes.set_xlabel("upper bound")
    axes.set_ylabel("largest error of log K")
    axes.grid(True)
    axes.legend()
    return figure


def matern(results):
    """A covariance and its derivatives over the distance."""
    if "results/r" not in results:
        raise ResultsError(f"{results.path} holds no covariance: 'task: matern' makes one", 3)
    r = results["results/r"]
    sigma2, beta, nu = (
        float(results.group_attribute("results", name)) for name in ("sigma2", "beta", "nu")
    )
    figure, axes = style.subplots(1, 2, figsize=(7.4, 2.9), layout="constrained")
    axes[0].plot(r, results["results/c"], color=style.ACCENT)
    axes[0].set_title(
        f"Matern covariance: $\\sigma^2$ = {sigma2:g}, $\\beta$ = {beta:g}, $\\nu$ = {nu:g}"
    )
    axes[0].set_ylabel("C(r)")
    for name, text, scale, colour in [
        ("dc_dbeta", "$\\beta\\,\\partial C/\\partial\\beta$", beta, style.ACCENT),
        ("dc_dnu", "$\\nu\\,\\partial C/\\partial\\nu$", nu, style.ACCENT_2),
    ]:
        axes[1].plot(r, scale * results[f"results/{name}"], color=colour, label=text)
    axes[1].set_title("sensitivity to range and smoothness")
    axes[1].legend()
    for axis in axes:
        axis.set_xlabel(style.label("r", results.units("results/r")))
        axis.grid(True)
    return figure
