# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a run of tessera-gbees with 'task: conjunction'."""

import numpy as np

from . import style
from ..results import ResultsError


MOST_PLANES = 6
MOST_APPROACHES = 3


def require_conjunction(results):
    if "results/plane_probability" not in results:
        raise ResultsError(f"{results.path} is not of a run with 'task: conjunction'", 3)


def shortened(name, most=30):
    """A name that is long without its middle."""
    name = str(name)
    return name if len(name) <= most else f"{name[: most // 2]}…{name[1 - most // 2 :]}"


def probability_text(results, k):
    """The probability of message k, as far as it is known."""
    if "results/pairs" in results and results["results/pairs"][k] == 0:
        return "not computed"
    probability = float(results["results/probability"][k])
    if probability > 0:
        return f"P = {probability:.2e}"
    return f"P < {float(results['results/interval_high'][k]):.1e}"


def most_probable(results, count):
    """The numbers of that many messages, the most probable meetings first."""
    probability = np.asarray(results["results/probability"], dtype=float)
    return np.argsort(-np.nan_to_num(probability, nan=-1.0), kind="stable")[:count]


def title_of(results, k):
    return f"{shortened(results['results/message_id'][k])}\n{probability_text(results, k)}"


def approach(results):
    """The most probable meetings, at most three of them: the density of the least distance, beside
    the hard-body radius, and the probability over time."""
    require_conjunction(results)
    if "results/miss_density" not in results:
        raise ResultsError(f"{results.path} has no density of the least distance", 3)
    order = most_probable(results, MOST_APPROACHES)
    figure, panels = style.subplots(
        len(order), 2, figsize=(7.5, 0.4 + 2.3 * len(order)), squeeze=False
    )
    for (left, right), k in zip(panels, order):
        left.stairs(
            results["results/miss_density"][k],
            results["coordinates/miss_distance"][k],
            color=style.ACCENT,
            fill=True,
            alpha=0.6,
        )
        left.axvline(results["results/hard_body_radius"][k], color=style.ACCENT_2, linewidth=1.2)
        left.set_title(title_of(results, k), fontsize=8)
        left.set_xlabel("least distance [m]", fontsize=8)
        left.set_ylabel("density [1/m]", fontsize=8)
        left.set_xlim(left=0)
        right.plot(
            results["coordinates/history_time"][k],
            results["results/probability_history"][k],
            color=style.ACCENT,
            linewidth=1.4,
        )
        right.set_xlabel("time after TCA [s]", fontsize=8)
        right.set_ylabel("probability so far", fontsize=8)
        right.set_ylim(bottom=0)
        for panel in (left, right):
            panel.tick_params(labelsize=7)
            panel.ticklabel_format(style="sci", scilimits=(-2, 4), useMathText=True)
    figure.suptitle("red: hard-body radius", fontsize=8, color=style.QUIET)
    figure.tight_layout()
    return figure


def encounter(results):
    """The encounter planes of the most probable meetings, at most six of them: the hard body about
    the first object, and the second object's ellipses of one, two and three standard deviations,
    along their principal axes."""
    require_conjunction(results)
    order = most_probable(results, MOST_PLANES)
    columns = min(len(order), 3)
    rows = -(-len(order) // columns)
    figure, panels = style.subplots(
        rows, columns, figsize=(0.6 + 3.1 * columns, 0.4 + 2.9 * rows), squeeze=False
    )
    turn = np.linspace(0, 2 * np.pi, 181)
    for panel in panels.ravel()[len(order) :]:
        panel.set_visible(False)
    for panel, k in zip(panels.ravel(), order):
        place, deviation = (
            np.array([results[f"results/{name}_{axis}"][k] for axis in "xy"])
            for name in ("plane", "plane_deviation")
        )
        radius = results["results/hard_body_radius"][k]
        for sigmas, alpha in ((3, 0.35), (2, 0.6), (1, 1.0)):
            panel.plot(
                place[0] + sigmas * deviation[0] * np.cos(turn),
                place[1] + sigmas * deviation[1] * np.sin(turn),
                color=style.ACCENT,
                alpha=alpha,
                linewidth=1.2,
            )
        panel.plot(*place, "+", color=style.ACCENT, markersize=7)
        panel.fill(
            radius * np.cos(turn), radius * np.sin(turn), color=style.ACCENT_2, linewidth=0.8
        )
        panel.plot(0, 0, "o", color=style.ACCENT_2, markersize=2.5)
        panel.set_title(title_of(results, k), fontsize=8)
        panel.set_xlabel("wider axis [m]", fontsize=8)
        panel.set_ylabel("narrower axis [m]", fontsize=8)
        panel.tick_params(labelsize=7)
        panel.ticklabel_format(style="sci", scilimits=(-2, 4), useMathText=True)
    figure.suptitle(
        "hard body (red) and 1, 2, 3 standard deviations of the place of the second object",
        fontsize=8,
        color=style.QUIET,
    )
    figure.tight_layout()
    return figure


def conjunction(results):
    """The probability that the objects of each message meet, with its interval, beside the formula
    in the encounter plane."""
    require_conjunction(results)
    probability = np.asarray(results["results/probability"], dtype=float)
    low, high = results["results/interval_low"], results["results/interval_high"]
    plane = np.asarray(results["results/plane_probability"], dtype=float)
    names = [str(name) for name in results["results/message_id"]]
    order = np.argsort(-probability, kind="stable")
    place = np.arange(len(order))
    figure, axes = style.subplots(figsize=(7.5, 1.3 + 0.26 * len(order)))
    axes.hlines(place, low[order], high[order], color=style.ACCENT, linewidth=2)
    axes.plot(probability[order], place, "o", color=style.ACCENT, markersize=5, label="by pairs")
    positive = np.concatenate([probability, high])
    positive = positive[np.isfinite(positive) & (positive > 0)]
    lowest = positive.min() / 300 if positive.size else 1e-12
    is_lower = plane < lowest  # beside the figure
    shown = np.where(is_lower, lowest, plane)[order]
    for lower, marker, text in (
        (False, "x", "formula in the encounter plane"),
        (True, "<", "the same, below the range"),
    ):
        chosen = is_lower[order] == lower
        if chosen.any():
            axes.plot(
                shown[chosen],
                place[chosen],
                marker,
                color=style.ACCENT_2,
                markersize=6,
                label=text,
                linestyle="none",
                clip_on=False,
            )
    axes.set_xscale("log")
    axes.set_xlim(lowest, min(2 * max(positive.max(initial=0), lowest * 10), 1.2))
    axes.set_yticks(place, [names[k] for k in order], fontsize=7)
    axes.invert_yaxis()
    axes.grid(axis="x")
    axes.set_xlabel("probability that the objects meet")
    axes.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    return figure
