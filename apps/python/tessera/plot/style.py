# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""One look for all figures: light, thin lines, colour only where it carries a quantity."""

import contextlib

import matplotlib.pyplot as plt
from matplotlib.colors import LinearSegmentedColormap

INK = "#222222"
QUIET = "#8a8a8a"
ACCENT = "#3b4a8b"
ACCENT_2 = "#c8553d"
SHADOW = "#ededed"

# From the background to dark, so that little mass is little ink; and time, without the yellow that
# vanishes on white.
DENSITY = LinearSegmentedColormap.from_list(
    "density", plt.get_cmap("magma_r")([0.12, 0.28, 0.43, 0.58, 0.75, 0.88])
)
TIME = LinearSegmentedColormap.from_list(
    "time", plt.get_cmap("viridis")([0.0, 0.2, 0.4, 0.6, 0.8, 0.9])
)

DPI = 150


@contextlib.contextmanager
def applied():
    """This look for figures that are made inside; what the user has set returns behind it."""
    with plt.rc_context(
        {
            "figure.facecolor": "white",
            "axes.facecolor": "white",
            "axes.edgecolor": QUIET,
            "axes.labelcolor": INK,
            "axes.linewidth": 0.7,
            "grid.color": "#e8e8e8",
            "grid.linewidth": 0.5,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": 10,
            "axes.titlelocation": "left",
            "axes.labelsize": 9.5,
            "xtick.color": QUIET,
            "ytick.color": QUIET,
            "xtick.labelcolor": INK,
            "ytick.labelcolor": INK,
            "xtick.labelsize": 8,
            "ytick.labelsize": 8,
            "xtick.major.width": 0.7,
            "ytick.major.width": 0.7,
            "legend.frameon": False,
            "legend.fontsize": 8,
            "font.size": 9,
            "text.color": INK,
            "lines.linewidth": 1.3,
        }
    ):
        yield


def label(name, units):
    """An axis label: the unit in brackets, unless there is none. A number in it has four digits."""
    number, _, unit = units.partition(" ")
    try:
        units = f"{float(number):.4g} {unit}".rstrip() if unit else units
    except ValueError:
        pass
    return name if units in ("", "1") else f"{name} [{units}]"
