# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""One look for all figures: light, thin lines, colour only where it carries a quantity."""

import contextlib
import os

import matplotlib.pyplot as plt
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Patch

from ..results import ResultsError

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

SERIES = (ACCENT, ACCENT_2, "#1f8a70", "#b8860b", "#8e5a9b", "#5b9bb5")  # of several files


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


def colours(count):
    """A colour for each of several files."""
    if count <= len(SERIES):
        return list(SERIES[:count])
    return [TIME(k / (count - 1)) for k in range(count)]


def widths(count):
    """A line width for each of several files, of which the first shows below the others where they
    are the same."""
    return [1.3 + 1.2 * (count - 1 - k) / max(1, count - 1) for k in range(count)]


def file_names(files):
    """What each of several files is called: its name, or its path where names are the same."""
    names = [os.path.splitext(os.path.basename(results.path))[0] for results in files]
    if len(set(names)) == len(names):
        return names
    return [os.path.splitext(results.path)[0] for results in files]


def file_legend(figure, files, notes=None):
    """Says above the panels which colour is which file, with a note on each; the height that is
    left below, as a fraction of the figure's."""
    labels = file_names(files)
    if notes is not None:
        labels = [f"{name}, {note}" if note else name for name, note in zip(labels, notes)]
    inches = figure.get_size_inches()
    widest = max(len(label) for label in labels)
    columns = max(1, min(len(labels), int(inches[0] / (0.06 * widest + 0.5))))
    rows = -(-len(labels) // columns)
    figure.legend(
        handles=[
            Patch(color=colour, label=label) for colour, label in zip(colours(len(labels)), labels)
        ],
        loc="upper left",
        ncol=columns,
        handlelength=1.2,
        handleheight=0.5,
    )
    return 1 - (0.12 + 0.17 * rows) / inches[1]


def need_same(files, what, of):
    """Raises ResultsError where of(results) is not the same for all files."""
    for results in files[1:]:
        first, other = of(files[0]), of(results)
        if other != first:
            raise ResultsError(
                f"{files[0].path} and {results.path} cannot be drawn over each other: the {what}"
                f" differ ({first}; {other}); draw each by itself",
                3,
            )
