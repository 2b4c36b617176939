# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of GARCH processes with stable innovations: a series with its values at risk, exceedances
and scale."""

import numpy as np

from . import style
from ..results import ResultsError


def _shown(results):
    """The series that is drawn: the first one with a fit."""
    fitted = np.flatnonzero(results["results/status"] <= 2)
    if len(fitted) == 0:
        raise ResultsError(f"{results.path}: no series could be fitted", 3)
    return fitted[0]


def _forecasts(results, k):
    """Rows of the series, what happened there, values at risk [row][level], and whether they are
    out of sample."""
    if "results/backtest/row" in results and results["results/backtest/count"][k] > 0:
        begin, count = results["results/backtest/begin"][k], results["results/backtest/count"][k]
        days = slice(begin, begin + count)
        return (
            results["results/backtest/row"][days],
            results["results/backtest/value"][days],
            results["results/backtest/value_at_risk"][days],
            True,
        )
    begin, count = results["results/begin"][k], results["results/count"][k]
    days = slice(begin, begin + count)
    location, scale = results["results/location"][days], results["results/scale"][days]
    return (
        np.arange(count),
        results["results/value"][days],
        -location[:, None] - scale[:, None] * results["results/innovation_quantile"][k],
        False,
    )


def garch(results):
    """A series with the bands of its values at risk and the losses beyond them, and its scale."""
    if "results/innovation_quantile" not in results:
        raise ResultsError(f"{results.path} holds no GARCH process; choose another --kind", 3)
    k = _shown(results)
    begin, count = results["results/begin"][k], results["results/count"][k]
    value, scale = (
        results["results/value"][begin : begin + count],
        results["results/scale"][begin : begin + count],
    )
    row, happened, risk, backtest = _forecasts(results, k)
    figure, (top, bottom) = style.subplots(
        2, 1, figsize=(11, 6.4), sharex=True, height_ratios=(2.4, 1)
    )
    top.vlines(np.arange(count), 0, value, color=style.QUIET, linewidth=0.6)
    lines = []
    for j, level in enumerate(results["results/risk"]):
        colour = (style.ACCENT, style.ACCENT_2, style.INK)[j % 3]
        beyond = -happened > risk[:, j]
        top.plot(
            row, -risk[:, j], color=colour, linewidth=1, label=f"value at risk, {100 * level:g} %"
        )
        top.plot(
            row[beyond],
            happened[beyond],
            "o",
            color=colour,
            markersize=3 + 2 * (j > 0),
            markerfacecolor="none" if j else colour,
        )
        known = np.isfinite(risk[:, j]).sum()
        line = f"{100 * level:g} %: {beyond.sum()} of {known} losses beyond, {(1 - level) * known:.1f} expected"
        lines.append(
            line + (f", p = {results['results/backtest/p_value'][k, j]:.2g}" if backtest else "")
        )
    high = 1.1 * max(np.nanmax(risk), np.quantile(np.abs(value), 0.995))
    top.set_ylim(-high, high)
    outside = np.sum(np.abs(value) > high)
    label = results["results/label"][k]
    top.set_title(
        (f"{label}: " if label else "")
        + ("forecasts from windows before" if backtest else "within the sample")
        + (f"; {outside} values lie outside the picture" if outside else "")
    )
    top.text(0.01, 0.97, "\n".join(lines), transform=top.transAxes, va="top", fontsize=8.5)
    top.legend(loc="lower left", fontsize=8)
    bottom.plot(np.arange(count), scale, color=style.ACCENT, linewidth=1)
    bottom.set_ylim(0, None)
    names = (r"$\alpha$", r"$\beta$", "c", r"$\phi$", r"$\theta$", r"$\omega$", "a", "b")
    error = results["results/se"][k]
    text = ",  ".join(
        f"{symbol} = {results[f'results/{name}'][k]:.3g}" + (f" ± {e:.1g}" if e > 0 else "")
        for symbol, name, e in zip(names, results["results/names"], error)
        if e != 0
    )
    bottom.set_title(
        f"scale;  {text};  a E|z| + b = {results['results/persistence'][k]:.3f}", fontsize=8.5
    )
    bottom.set_xlabel("value")
    for axes in (top, bottom):
        axes.margins(x=0)
    figure.tight_layout()
    return figure
