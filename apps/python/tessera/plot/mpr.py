# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of tessera-mpr: what was known and what was filled in, how sure it is and whether
rightly, how the chain settled, and how time and errors scale."""

import numpy as np

from . import style
from ..results import ResultsError

KINDS = ("summary", "history", "reliability", "scaling", "energy")
ONE_PANEL = ("energy",)

FIELD, SPREAD, ERROR = "viridis", "magma", "RdBu_r"


def draw(results, kind, wanted):
    """The figure of that kind; of a file with several frames or layers the one asked for, or the
    first."""
    if kind == "summary":
        for name, other in (
            ("results/mean", "summary"),
            ("results/specific_energy", "energy"),
            ("results/field", "field"),
        ):
            if name in results:
                return (
                    maps(results, wanted)
                    if other == "summary"
                    else energy(results)
                    if other == "energy"
                    else field(results)
                )
        raise ResultsError(f"{results.path} holds no map", 3)
    return {"history": history, "reliability": reliability, "scaling": scaling, "energy": energy}[
        kind
    ](results)


# --- maps
# ----------------------------------------------------------------------------------------------


def _image(results, name, wanted):
    """A map as rows x columns."""
    values = results[f"results/{name}"]
    images = values.reshape((-1,) + values.shape[-2:])
    number = wanted[0] if wanted else 0
    if not -len(images) <= number < len(images):
        raise ResultsError(
            f"no image {number}: {results.path} holds images 0 to {len(images) - 1}", 2
        )
    return images[number]


def maps(results, wanted):
    """Data with gaps, filled data, standard deviation, and the error where the truth is known."""
    status = _image(results, "status", wanted)
    filled = _image(results, "filled", wanted).astype(float)
    spread = np.ma.masked_where(status != 2, _image(results, "std", wanted))
    data = np.ma.masked_where(status != 1, filled)
    unit = results.units("results/filled")
    low, high = (data.min(), data.max()) if data.count() else (0, 1)
    panels = [
        ("Data with gaps", data, FIELD, low, high, unit),
        ("Filled", np.ma.masked_invalid(filled), FIELD, low, high, unit),
        ("Standard deviation", spread, SPREAD, 0, _high(spread), unit),
    ]
    if "results/truth" in results:
        error = np.ma.masked_where(status != 2, filled - _image(results, "truth", wanted))
        width = _high(np.ma.abs(error))
        panels.append(("Error", error, ERROR, -width, width, unit))
    rows, columns = status.shape
    # wide images in two rows
    across = 2 if len(panels) == 4 and columns > 1.3 * rows else len(panels)
    down, width = len(panels) // across, 3.4 if across > 2 else 5.2
    figure, axes = style.subplots(
        down,
        across,
        figsize=(
            width * across,
            down * max(2.2, min(5.0, (1.0 if across > 2 else 0.8) * width * rows / columns + 0.7)),
        ),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for panel, (title, image, colours, least, most, units) in zip(axes.flat, panels):
        drawn = panel.imshow(
            image, cmap=colours, vmin=least, vmax=most, interpolation="nearest", rasterized=True
        )
        panel.set_title(title)
        panel.set_facecolor("#d9d9d9")
        bar = figure.colorbar(drawn, ax=panel, fraction=0.046, pad=0.03)
        bar.outline.set_visible(False)
        bar.set_label(style.label("", units).strip(), fontsize=8)
    for panel in axes[-1]:
        panel.set_xlabel("column")
    for panel in axes[:, 0]:
        panel.set_ylabel("row")
    figure.tight_layout()
    return figure


def _high(image):
    """The 99th percentile: single outliers do not dim the picture."""
    values = np.ma.compressed(np.ma.masked_invalid(image))
    return float(np.percentile(values, 99)) if len(values) and values.max() > 0 else 1.0


def field(results):
    figure, axes = style.subplots(figsize=(5.2, 4.5))
    drawn = axes.imshow(
        results["results/field"], cmap=FIELD, interpolation="nearest", rasterized=True
    )
    figure.colorbar(drawn, ax=axes).outline.set_visible(False)
    axes.set_title("Synthetic field")
    figure.tight_layout()
    return figure


# --- history
# ----------------------------------------------------------------------------------------------


def history(results):
    """Specific energy, accepted Metropolis steps and step control, sweep by sweep."""
    sweep = results["series/sweep"]
    if len(sweep) == 0:
        raise ResultsError(
            f"{results.path} holds no history: its gaps were filled by exact draws, without a chain",
            3,
        )
    figure, (top, bottom) = style.subplots(2, 1, figsize=(7, 4.6), sharex=True)
    top.plot(sweep, results["series/energy"], color=style.ACCENT)
    top.set_ylabel("specific energy")
    relaxed = int(results.group_attribute("results", "relaxation_sweeps"))
    for axes in (top, bottom):
        axes.axvline(relaxed + 0.5, color=style.QUIET, linewidth=0.8, linestyle="--")
        axes.margins(x=0)
    top.text(
        relaxed + 0.5,
        0.97,
        " sampling",
        transform=top.get_xaxis_transform(),
        va="top",
        fontsize=8,
        color=style.QUIET,
    )
    bottom.plot(sweep, results["series/acceptance"], color=style.ACCENT, label="accepted steps")
    bottom.set_ylim(0, 1)
    bottom.set_ylabel("acceptance")
    bottom.set_xlabel("sweep")
    other = bottom.twinx()
    other.plot(sweep, results["series/step_control"], color=style.ACCENT_2, label="step control a")
    other.set_ylabel("step control a", color=style.ACCENT_2)
    other.set_ylim(0, None)
    figure.tight_layout()
    return figure


# --- reliability
# ----------------------------------------------------------------------------------------------


def reliability(results):
    """Of task validate: PIT histogram, errors against the standard deviation, and both, scores and
    coverage by distance."""
    group = "results/validation/reliability/"
    if group + "pit" not in results:
        raise ResultsError(f"{results.path} holds no validation", 3)
    unit = results.units("results/validation/mrase")
    by_distance = group + "distance" in results
    figure, axes = style.subplots(
        2 if by_distance else 1, 2, figsize=(8.4, 6.4 if by_distance else 3.3), squeeze=False
    )
    _draw_pit(axes[0, 0], results[group + "pit"])
    if group + "spread" in results:
        _draw_skill(axes[0, 1], results[group + "spread"], results[group + "error"], unit)
    if by_distance:
        _draw_distances(
            axes[1],
            {
                name: results[group + name]
                for name in (
                    "distance",
                    "coverage95",
                    "distance_error",
                    "distance_spread",
                    "distance_crps",
                )
                if group + name in results
            },
            unit,
        )
    figure.tight_layout(h_pad=1.5, w_pad=2)
    return figure


def _draw_pit(axes, share):
    axes.bar(
        (np.arange(len(share)) + 0.5) / len(share),
        share * len(share),
        0.92 / len(share),
        color=style.ACCENT,
    )
    axes.axhline(1, color=style.QUIET, linewidth=0.8, linestyle="--")
    axes.set_xlim(0, 1)
    axes.set_xlabel("probability of less than the truth")
    axes.set_ylabel("density")
    axes.set_title("PIT")


def _draw_skill(axes, spread, error, unit):
    most = 1.05 * max(spread.max(), error.max())
    axes.plot([0, most], [0, most], color=style.QUIET, linewidth=0.8, linestyle="--")
    axes.plot(spread, error, "o", color=style.ACCENT)
    axes.set_xlim(0, most)
    axes.set_ylim(0, most)
    axes.set_xlabel(style.label("standard deviation", unit))
    axes.set_ylabel(style.label("root mean square error", unit))
    axes.set_title("Spread and error, by twentieths")


def _draw_distances(panels, classes, unit):
    """Coverage, and errors beside what was said of them."""
    coverage, errors = panels
    distance = classes["distance"]
    coverage.semilogx(
        distance, classes["coverage95"], "o-", color=style.ACCENT, markersize=4, clip_on=False
    )
    coverage.axhline(0.95, color=style.QUIET, linewidth=0.8, linestyle="--")
    coverage.set_ylim(min(0.8, coverage.get_ylim()[0]), 1)
    coverage.set_title("Coverage of 95 % intervals")
    for name, label, colour, line in (
        ("distance_error", "root mean square error", style.ACCENT, "o-"),
        ("distance_spread", "standard deviation", style.QUIET, "o--"),
        ("distance_crps", "CRPS", style.ACCENT_2, "o-"),
    ):
        if name in classes:
            errors.semilogx(distance, classes[name], line, color=colour, markersize=4, label=label)
    errors.set_ylim(0, None)
    errors.set_ylabel(style.label("", unit).strip())
    errors.set_title("Errors by distance")
    if errors.has_data():
        errors.legend()
    for axes in panels:
        axes.set_xticks(distance, [f"{d:.0f}" for d in distance])
        axes.minorticks_off()
        axes.set_xlabel("steps to the nearest sample")


# --- scaling
# ----------------------------------------------------------------------------------------------


def scaling(results):
    """Time and error against the side of the grid, or against the fraction of missing values, in
    all variants of the run."""
    if "results/validation/seconds" not in results:
        raise ResultsError(f"{results.path} comes from no validation", 3)
    # an interrupted run has no number of what it did not come to
    seconds, error = (
        np.ma.masked_invalid(results[f"results/validation/{name}"]).mean(axis=-1).filled(np.nan)
        for name in ("seconds", "mrase")
    )
    variants = _variants(results) if seconds.ndim == 3 else [""]
    size, fraction = results["coordinates/size"], results["coordinates/fraction"]
    shape = (len(variants), len(size), len(fraction))
    seconds, error = seconds.reshape(shape), error.reshape(shape)
    figure, (left, right) = style.subplots(1, 2, figsize=(9, 3.6))
    colours = style.TIME(np.linspace(0, 1, max(2, len(fraction))))
    for v, variant in enumerate(variants):
        look = {"linestyle": ("-", "--", "-.", ":")[v % 4], "marker": "os^D"[v % 4]}
        look |= {"markersize": 4}
        if len(size) == 1:
            left.plot(fraction, seconds[v, 0], color=style.ACCENT, label=variant, **look)
            right.plot(fraction, error[v, 0], color=style.ACCENT, **look)
            continue
        for k, p in enumerate(fraction):
            label = f"{p:.0%} missing" + (f", {variant}" if variant else "")
            left.loglog(size, seconds[v, :, k], color=colours[k], label=label, **look)
            right.semilogx(size, error[v, :, k], color=colours[k], **look)
    if len(size) == 1:
        left.set_ylim(0, None)
    for axes in (left, right):
        axes.set_xlabel("side of the grid L" if len(size) > 1 else "fraction missing")
        if len(size) > 1:
            axes.set_xticks(size, [str(side) for side in size])
            axes.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
    if len(size) > 1 or len(variants) > 1:
        left.legend()
    left.set_ylabel("time [s]")
    right.set_ylabel("root mean square error")
    figure.tight_layout(w_pad=2)
    return figure


def _variants(results):
    """What each variant of a run is called: its backend, where it has one of its own, precision and
    tiles."""
    texts = []
    for k, rows in enumerate(results["coordinates/tile_rows"]):
        words = [
            results[f"coordinates/{name}"][k]
            for name in ("backend", "precision")
            if f"coordinates/{name}" in results
        ]
        words = [word.decode() if isinstance(word, bytes) else str(word) for word in words]
        texts.append(", ".join(words + ([f"{rows} rows"] if rows else [])))
    return texts


# --- specific energy
# ----------------------------------------------------------------------------------------------


def energy(results):
    """e(T) of the unconditional model."""
    temperature, value, error = (
        results[name]
        for name in ("coordinates/temperature", "results/specific_energy", "results/standard_error")
    )
    figure, axes = style.subplots(figsize=(5.6, 3.8))
    axes.errorbar(
        temperature,
        value,
        yerr=error,
        fmt="o",
        markersize=3.5,
        color=style.ACCENT,
        label="simulated",
    )
    law = results["results/interpolated"]
    if np.isfinite(law).all():
        axes.plot(temperature, law, color=style.QUIET, linewidth=1, label="interpolated", zorder=0)
    axes.axhline(-4 / np.pi**2, color=style.QUIET, linewidth=0.7, linestyle=":")
    axes.set_xscale("log")
    axes.set_xlabel("temperature")
    axes.set_ylabel("specific energy e(T)")
    axes.legend()
    figure.tight_layout()
    return figure
