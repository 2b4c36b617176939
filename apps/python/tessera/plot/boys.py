# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of tessera-boys: the functions, the errors of the methods, and integrals."""

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, ListedColormap, LogNorm, SymLogNorm

from . import style
from ..results import ResultsError

KINDS = ("summary", "functions", "errors", "integrals", "quadrature")

FAINTEST = 1e-17  # errors below this, of which 0 is one, are not drawn
METHODS = {
    "two_range": "two ranges (ours)",
    "paper": "Mazur et al. (2016)",
    "paper_polynomial": "Mazur et al., polynomials",
    "taylor": "Taylor series",
    "upward": "upward recursion",
    "miller": "Miller's algorithm",
    "asymptotic": "asymptotic value",
    "all_orders_table": "table of all orders",
    "top_order_table": "table of the top order",
}


def _place(name):
    """What a method's results are ordered by: the method, then the numbers in its name."""
    method = max((m for m in METHODS if name == m or name.startswith(f"{m}_")), key=len)
    numbers = [int(part.lstrip("n")) for part in name[len(method) :].split("_") if part]
    return list(METHODS).index(method), numbers


def _label(name):
    """What a method is called: a number is one of terms, n and a number the highest order."""
    method = list(METHODS)[_place(name)[0]]
    parts = [part for part in name[len(method) :].split("_") if part]
    words = [f"N = {part[1:]}" if part[0] == "n" else f"{part} terms" for part in parts]
    return ", ".join([METHODS[method], *words])


def draw(results, kind, _records):
    """The figure of that kind; `summary` is what the file has most of."""
    has_errors = "results/error_relative" in results
    if kind == "summary":
        kind = (
            "integrals"
            if "results/overlap" in results
            else "quadrature"
            if "results/roots" in results
            else "functions"
            if not results.names("results/methods")
            else "errors"
        )
    if kind == "integrals":
        return integrals(results)
    if kind == "quadrature":
        return quadrature(results)
    if "results/F" not in results:
        raise ResultsError(
            f"{results.path} holds no values of the functions (output.values is false)", 3
        )
    if kind == "errors":
        if not has_errors:
            raise ResultsError(
                f"{results.path} holds no errors: run again with a 'reference' in the input", 3
            )
        return errors(results)
    return functions(results, has_errors)


def _arguments(results):
    """The positive arguments in their order, and where they are in the file."""
    x = results["results/x"].astype(float)
    order = np.argsort(x, kind="stable")
    order = order[np.isfinite(x[order]) & (x[order] > 1e-9)]
    if len(order) == 0:
        raise ResultsError(f"{results.path} holds no argument greater than 1e-9", 3)
    return x[order], order


def _order_colours(orders):
    return style.TIME(np.linspace(0, 1, max(orders, 2)))


def _order_bar(figure, axes, orders):
    norm = BoundaryNorm(np.arange(orders + 1) - 0.5, orders)
    colours = ListedColormap(_order_colours(orders)[:orders])
    bar = figure.colorbar(
        ScalarMappable(norm, colours),
        ax=axes,
        ticks=np.arange(0, orders, max(1, orders // 8)),
        pad=0.02,
        aspect=30,
    )
    bar.set_label("order n")
    bar.outline.set_visible(False)
    bar.ax.minorticks_off()


def functions(results, has_errors):
    """F_n(x) of every order, and their errors where they are known."""
    x, order = _arguments(results)
    values = results["results/F"][order]
    orders = values.shape[1]
    figure, grid = style.subplots(
        1,
        2 if has_errors else 1,
        figsize=(9.5 if has_errors else 5.2, 3.9),
        squeeze=False,
        layout="constrained",
    )
    axes = grid[0, 0]
    for n, colour in zip(range(orders), _order_colours(orders)):
        axes.loglog(x, values[:, n], color=colour)
    axes.set_xlabel("x")
    axes.set_ylabel("$F_n(x)$")
    axes.set_title("Boys functions")
    if has_errors:
        _error_panel(grid[0, 1], results, "results/error_relative", x, order)
        grid[0, 1].set_title(
            "Relative error, " + _label(results.group_attribute("results", "method"))
        )
    for panel in grid.flat:
        panel.set_xlim(x[0], x[-1])
    _order_bar(figure, grid[0, -1], orders)
    return figure


def _error_panel(axes, results, name, x, order):
    error = results[name][order]
    for n, colour in zip(range(error.shape[1]), _order_colours(error.shape[1])):
        axes.loglog(
            x,
            np.where(error[:, n] >= FAINTEST, error[:, n], np.nan),
            ".",
            color=colour,
            markersize=2,
            markeredgewidth=0,
        )
    axes.set_xlabel("x")
    axes.axhline(2.2e-16, color=style.QUIET, linewidth=0.7, linestyle="--")


def errors(results):
    """The relative error of every method against x, one panel a method, on one scale."""
    x, order = _arguments(results)
    panels = [(results.group_attribute("results", "method"), "results/error_relative")]
    panels += [
        (method, f"results/methods/{method}/error_relative")
        for method in results.names("results/methods")
    ]
    panels.sort(key=lambda panel: _place(panel[0]))
    one_row = len(panels) <= style.IN_A_ROW
    figure, shown = style.wrapped(
        len(panels),
        2.9,
        3.6 if one_row else 2.6,
        extra=1.2,
        sharex=True,
        sharey=True,
        layout="constrained",
    )
    for number, (axes, (method, name)) in enumerate(zip(shown, panels)):
        _error_panel(axes, results, name, x, order)
        axes.set_title(_label(method))
        axes.set_xlim(x[0], x[-1])
        if number % style.IN_A_ROW == 0:
            axes.set_ylabel("relative error of $F_n(x)$")
        if number < len(panels) - style.IN_A_ROW:
            axes.set_xlabel("")
    _order_bar(figure, shown, results[panels[0][1]].shape[1])
    return figure


def integrals(results):
    """The matrices of the integrals."""
    if "results/overlap" not in results:
        raise ResultsError(f"{results.path} holds no integrals", 3)
    titles = {
        "overlap": "overlap",
        "nuclear_attraction": "nuclear attraction",
        "eri": "repulsion (ij|kl), by pairs",
    }
    present = [name for name in titles if f"results/{name}" in results]
    figure, grid = style.subplots(
        1, len(present), figsize=(3.6 * len(present), 3.4), squeeze=False, layout="constrained"
    )
    for axes, name in zip(grid[0], present):
        matrix = results[f"results/{name}"]
        sizes = np.abs(matrix)
        one_sign = matrix.min() > 0 or matrix.max() < 0
        norm = (
            LogNorm(sizes.min(), sizes.max())
            if one_sign
            else SymLogNorm(1e-3 * sizes.max(), vmin=-sizes.max(), vmax=sizes.max())
        )
        image = axes.imshow(
            sizes if one_sign else matrix, cmap="Blues" if one_sign else "RdBu_r", norm=norm
        )
        axes.set_title(titles[name])
        axes.set_xticks([])
        axes.set_yticks([])
        bar = figure.colorbar(image, ax=axes, shrink=0.85)
        bar.set_label(style.label("size" if one_sign else "", results.units(f"results/{name}")))
        bar.outline.set_visible(False)
    return figure


def quadrature(results):
    """Roots and weights of Rys quadrature against x, and the error of the sums where it is known."""
    if "results/roots" not in results:
        raise ResultsError(f"{results.path} holds no quadrature (task: rys)", 3)
    x, order = _arguments(results)
    has_errors = "results/error" in results
    panels = 3 if has_errors else 2
    figure, grid = style.subplots(1, panels, figsize=(3.6 * panels, 3.6), layout="constrained")
    for axes, name, title in zip(grid, ("roots", "weights"), ("roots $u_i$", "weights $w_i$")):
        values = results[f"results/{name}"][:, order]
        for row, colour in zip(values, _order_colours(len(values))):
            axes.loglog(x, row, color=colour)
        axes.set_title(title)
    if has_errors:
        error = results["results/error"][order]
        grid[2].loglog(x, np.where(error >= FAINTEST, error, np.nan), ".", markersize=2)
        grid[2].set_title("relative error of the sums")
        grid[2].axhline(2.2e-16, color=style.QUIET, linewidth=0.7, linestyle="--")
    for axes in grid:
        axes.set_xlabel("x")
        axes.set_xlim(x[0], x[-1])
    return figure
