# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of speeds, from the JSON file of tessera-bench."""

import numpy as np

from . import style
from .boys import METHODS
from ..results import ResultsError

KINDS = ("summary", "boys")

LOOKS = {
    "two_range": dict(color=style.ACCENT, marker="o"),
    "paper": dict(color=style.ACCENT_2, marker="s"),
    "all_orders_table": dict(color="#5c8a5a", marker="v"),
    "top_order_table": dict(color="#b08a2e", marker="^"),
    "traffic": dict(color=style.QUIET, linestyle="--"),
}
NAMES = dict(METHODS, traffic="the memory traffic alone")


def draw(results, _kind, _records):
    """Rates of the Boys functions against the largest order."""
    rates = boys_rates(results.cases)
    if not rates:
        raise ResultsError(
            f"{results.path} holds no cases boys/...: run tessera-bench --benchmark_filter=boys", 3
        )
    backend = "cuda" if any(key[1] == "cuda" for key in rates) else "serial"
    modes = [mode for mode in ("stored", "fused") if (mode, backend) in rates]
    figure, grid = style.subplots(
        1, len(modes), figsize=(4.6 * len(modes), 3.8), squeeze=False, layout="constrained"
    )
    for axes, mode in zip(grid[0], modes):
        for scheme, points in rates[mode, backend].items():
            orders = sorted(points)
            axes.plot(
                orders,
                [points[n] / 1e9 for n in orders],
                markersize=4,
                label=NAMES.get(scheme, scheme),
                **LOOKS.get(scheme, {}),
            )
        axes.set_yscale("log")
        axes.set_xlabel("largest order N")
        axes.set_ylabel("evaluations of $F_0 .. F_N$ [$10^9$/s]")
        axes.set_xticks(sorted({n for points in rates[mode, backend].values() for n in points}))
        axes.set_title(
            {
                "stored": "results stored, one array per order",
                "fused": "results summed in registers",
            }[mode]
        )
        axes.grid(axis="y")
    grid[0, 0].legend()
    figure.suptitle(
        results.context.get("device_" + backend, backend)
        + ", double precision, x log-uniform in [1e-3, 100]",
        fontsize=9,
        x=0.99,
        ha="right",
    )
    return figure


def boys_rates(cases):
    """{(mode, backend): {scheme: {order: rate}}} in double precision; the median where a case was
    repeated."""
    collected = {}
    for name, case in cases.items():
        parts = name.split("/")
        if (
            len(parts) != 6
            or parts[0] != "boys"
            or parts[1] not in ("stored", "fused")
            or parts[3] != "double"
            or "eval/s" not in case
        ):
            continue
        _, mode, scheme, _, order, backend = parts
        collected.setdefault((mode, backend), {}).setdefault(scheme, {}).setdefault(
            int(order), []
        ).append(case["eval/s"])
    return {
        key: {
            scheme: {n: float(np.median(values)) for n, values in points.items()}
            for scheme, points in schemes.items()
        }
        for key, schemes in collected.items()
    }
