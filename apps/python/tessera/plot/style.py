# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""One look for all figures: light, thin lines, colour only where it carries a quantity. And where
they are drawn: in figures of their own, or in axes or a figure of the caller."""

import contextlib
import contextvars
import os

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure, SubFigure
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


_place = contextvars.ContextVar("place", default=(None, None))  # axes and figure of the caller


@contextlib.contextmanager
def drawn_in(ax, fig):
    """Figures that are made inside are drawn in these axes, or in this figure or subfigure, of the
    caller; None, None: in one of their own."""
    if ax is not None and fig is not None:
        raise ResultsError("ax and fig are both given\n  remedy: give one of them", 2)
    if ax is not None and not (isinstance(ax, Axes) and ax.name == "rectilinear"):
        raise ResultsError(
            f"ax is {type(ax).__name__}, and plain axes of matplotlib are needed\n"
            "  remedy: give one of them, as in ax=axes[0]",
            2,
        )
    if fig is not None and not isinstance(fig, (Figure, SubFigure)):
        raise ResultsError(
            f"fig is {type(fig).__name__}, and a figure or a subfigure of matplotlib is needed\n"
            "  remedy: give matplotlib.pyplot.figure(), or leave it out",
            2,
        )
    token = _place.set((ax, fig))
    try:
        yield
    finally:
        _place.reset(token)


class SeveralPanelsError(ResultsError):
    """A figure of several panels was to be drawn in one."""


class _OfCaller:
    """A figure of the caller, or the one around its axes: what arranges a whole figure does
    nothing, and what titles it titles the axes, where these are given."""

    def __init__(self, figure, axes=None):
        self._figure, self._axes = figure, axes

    def __getattr__(self, name):
        return getattr(self._figure, name)

    def tight_layout(self, **_):
        pass

    def subplots_adjust(self, **options):
        if self._axes is None:
            self._figure.subplots_adjust(**options)

    def align_ylabels(self, *axes):
        if self._axes is None:
            self._figure.align_ylabels(*axes)

    def suptitle(self, text, **options):
        if self._axes is None:
            self._figure.suptitle(text, **options)
        else:
            self._add_title(text)

    def text(self, x, y, text, **options):
        if self._axes is None:
            self._figure.text(x, y, text, **options)
        else:
            self._add_title(text)

    def legend(self, *handles_and_labels, handles=None, **options):
        named = {} if handles is None else {"handles": handles}
        if self._axes is None:
            self._figure.legend(*handles_and_labels, **named, **options)
        else:
            self._axes.legend(*handles_and_labels, **named)

    def _add_title(self, text):
        own = self._axes.get_title(loc="left")
        self._axes.set_title(f"{own}\n{text}" if own else text, loc="left")


def figure(**options):
    """A figure, or that of the caller."""
    ax, fig = _place.get()
    if ax is not None:
        raise SeveralPanelsError("")
    if fig is None:
        return plt.figure(**options)
    return fig if isinstance(fig, Figure) else _OfCaller(fig)


def subplots(rows=1, columns=1, *, figsize, squeeze=True, layout=None, **options):
    """Figure and axes, as matplotlib.pyplot.subplots() gives them; figsize and layout do not count
    in axes or a figure of the caller."""
    ax, fig = _place.get()
    if ax is not None:
        if rows * columns > 1:
            raise SeveralPanelsError("")
        panels = np.array([[ax]], dtype=object)
        return _OfCaller(ax.figure, ax), ax if squeeze else panels
    if fig is None:
        return plt.subplots(
            rows, columns, figsize=figsize, squeeze=squeeze, layout=layout, **options
        )
    return figure(), fig.subplots(rows, columns, squeeze=squeeze, **options)


IN_A_ROW = 4  # panels


def wrapped(count, width, height, *, extra=0.0, most=IN_A_ROW, **options):
    """A figure and so many axes, in rows of at most that many, each of this size in inches; extra:
    width beside them. The places behind the last are empty."""
    columns = min(count, most)
    rows = -(-count // columns)
    drawn, grid = subplots(
        rows,
        columns,
        figsize=(width * columns + extra, height * rows),
        squeeze=False,
        **options,
    )
    for axes in grid.flat[count:]:
        axes.set_visible(False)
    shown = list(grid.flat[:count])
    for axes in shown[max(0, count - columns) :]:  # with shared axes the lowest of each column
        axes.tick_params(labelbottom=True)
    return drawn, shown


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
    inches = figure.bbox.size / figure.dpi
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
