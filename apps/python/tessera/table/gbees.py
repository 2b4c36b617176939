# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of Hanson et al. (2025) from results of tessera-gbees."""

import re

import numpy as np

from . import source
from .layout import Table
from .source import Misfit

PAPER, AUTHORS = "hanson_2025", "Hanson et al. (2025)"
SYSTEMS = {"lorenz63": "Lorenz '63", "lorenz96": "Lorenz '96"}
# of the paper's runs: the time of Table 1, spacing and threshold
SETTINGS = {"lorenz63": (1.0, 0.5, 5e-6), "lorenz96": (1.3, 0.1, 8e-9)}
ENDS = {"lorenz63": 2.0, "lorenz96": 1.3}  # of whole runs
SCHEMES = {"reference": "CPU-optimized", "legacy": "CPU-legacy"}  # and the paper's names of them
RUN = ("tessera::gbees::initialize", "tessera::gbees::steps")


def system(results, *allowed):
    """Which of the two systems a run is of."""
    name = source.setting(results, "model.name")
    if name not in (allowed or SYSTEMS):
        wanted = " or ".join(allowed or SYSTEMS)
        raise Misfit(f"its model is '{name}', and not {wanted}")
    return name


def departures(results):
    """Notes on settings that are not the paper's."""
    name = system(results)
    _, spacing, threshold = SETTINGS[name]
    notes = []
    text = source.setting(results, "grid.spacing") or ""
    steps = np.array([float(number) for number in re.findall(r"[0-9][0-9.e+-]*", text)])
    if len(steps) == 0:  # not in the input, but chosen
        steps = source.need(results, "coordinates/spacing")
    if not np.allclose(steps, spacing):
        notes.append(f"spacing {steps.max():g} (the paper: {spacing:g})")
    value = source.setting(results, "grid.threshold")
    if value is not None and not np.isclose(float(value), threshold, rtol=1e-6):
        notes.append(f"threshold {float(value):g} (the paper: {threshold:g})")
    scheme = source.setting(results, "grid.scheme")
    if scheme not in SCHEMES:
        notes.append(f"scheme {scheme} (the paper's algorithms: reference, legacy)")
    return notes


def is_legacy(results):
    return source.setting(results, "grid.scheme") == "legacy"


def of_scheme(results):
    """What is said of a row of the legacy scheme beside others."""
    return ", legacy" if is_legacy(results) else ""


def end_of(results):
    """The time at which a run ends."""
    return float(source.need(results, "results/time")[-1])


def settings_note(files):
    return [
        f"{source.name(results)} has {', '.join(notes)}."
        for results in files
        if (notes := departures(results))
    ] + [
        f"{source.name(results)} was interrupted: its counts and times are of a part of the run."
        for results in files
        if source.is_interrupted(results)
    ]


def particles(files, printed):
    """Bhattacharyya coefficients with particles: Table 1."""
    systems = list(SYSTEMS.values())
    rows = [[row, *(printed(row, column) for column in systems)] for row in printed.rows]
    cells, notes = {}, []
    for results in files:
        name = system(results)
        kde = "results/monte_carlo/bhattacharyya_kde"
        if kde not in results:
            raise Misfit(f"it holds no dataset '{kde}'; set validate.monte_carlo.kde_samples")
        column = SYSTEMS[name]
        scheme = of_scheme(results)
        cells["kernel density estimate" + scheme, column] = float(source.need(results, kde)[-1])
        cells["particles on the cells" + scheme, column] = float(
            source.need(results, "results/monte_carlo/bhattacharyya")[-1]
        )
        divergence = "results/monte_carlo/kullback_leibler_kde"
        if divergence in results:
            cells["Kullback-Leibler divergence of the estimate" + scheme, column] = float(
                source.need(results, divergence)[-1]
            )
        coarse = "results/monte_carlo/bhattacharyya_coarse"
        if coarse in results:
            factors = source.need(results, "results/monte_carlo/coarsening")
            for factor, value in zip(factors, source.need(results, coarse)[-1]):
                cells[f"particles, cells {factor} times as long" + scheme, column] = float(value)
        time = end_of(results)
        if not np.isclose(time, SETTINGS[name][0]):
            notes.append(
                f"{source.name(results)} ends at t = {time:g}, the paper at {SETTINGS[name][0]:g}."
            )
    for row in dict.fromkeys(row for row, _ in cells):
        rows.append([f"ours: {row}", *(cells.get((row, column)) for column in systems)])
    return Table(
        ["", *systems],
        rows,
        [
            "Bhattacharyya coefficients with particles. The paper's are those of a kernel density estimate on the cells"
            " of the density.",
            *notes,
            *settings_note(files),
        ],
    )


def counts(files, printed):
    """Cells, steps and cell-steps: Table 2."""
    columns, found = [""], []
    for results in files:
        columns += [f"{SYSTEMS[system(results)]}, paper", source.ours(files)[len(found)]]
        found.append(
            {
                "maximum grid size": int(results.group_attribute("series", "max_cells")),
                "integration steps": int(results.group_attribute("series", "steps")),
                "cell computations": int(results.group_attribute("series", "cell_steps")),
            }
        )
    rows = [
        [
            row,
            *(
                cell
                for results, ours in zip(files, found)
                for cell in (printed(row, SYSTEMS[system(results)]), ours[row])
            ),
        ]
        for row in found[0]
    ]
    return Table(
        columns,
        rows,
        [
            "Of the paper's counts the cell computations alone are known here, from its times and rates:"
            " 2077 ms at 3.13 M/s (Table 3) and 739 s at 40.6 M/s (Table 4).",
            *settings_note(files),
        ],
    )


def runtime(model, unit, factor):
    """Time and rate of a run, by device: Tables 3 and 4."""

    def make(files, printed):
        rows = [[row, *(printed(row, c) for c in printed.columns)] for row in printed.rows]
        optimised = float(printed("CPU-optimized: Apple M2 MAX", f"runtime [{unit}]"))
        for heading, results in zip(source.ours(files), files):
            system(results, model)
            time = factor * source.seconds(results, *RUN)
            rate = int(results.group_attribute("series", "cell_steps")) / time * factor / 1e6
            device = (
                f"{heading}: {results.attrs.get('device_name', results.attrs.get('backend'))}"
                + of_scheme(results)
            )
            whole = (
                not departures(results)
                and not source.is_interrupted(results)
                and np.isclose(end_of(results), ENDS[model])
            )
            rows.append([device, time, rate, optimised / time if whole else None])
        return Table(
            ["", *printed.columns],
            rows,
            [
                "Speed-ups are over the paper's optimised code on one core of an Apple M2 MAX, ours too, where the run is the paper's. Our time is that"
                " of the start and the steps, without files.",
                *settings_note(files),
            ],
        )

    return make


def codes(files, printed):
    """The legacy scheme beside the one that replaced it: Figure 9."""
    found = {}
    for results in files:
        system(results, "lorenz63")
        scheme = source.setting(results, "grid.scheme")
        if scheme not in SCHEMES:
            raise Misfit(f"its scheme is '{scheme}', and not {' or '.join(SCHEMES)}")
        time = 1e3 * source.seconds(results, *RUN)
        count = {
            name: int(results.group_attribute("series", name))
            for name in ("cell_steps", "steps", "max_cells")
        }
        found[SCHEMES[scheme]] = {
            "runtime [ms]": time,
            "M cell-steps": count["cell_steps"] / 1e6,
            "steps": count["steps"],
            "most cells": count["max_cells"],
        }
    rows = []
    for name in dict.fromkeys(key for columns in found.values() for key in columns):
        ours = [found.get(code, {}).get(name) for code in ("CPU-legacy", "CPU-optimized")]
        paper = [printed(name, code) for code in ("CPU-legacy", "CPU-optimized")]
        rows.append([name, *paper, ratio(*map(number, paper)), *ours, ratio(*ours)])
    heads = ("legacy", "optimised", "ratio")
    return Table(
        ["", *(f"paper: {head}" for head in heads), *(f"ours: {head}" for head in heads)],
        rows,
        [
            "The paper's cell-steps follow from its times and rates (Table 3). Its legacy code keeps cells in a nested list;"
            " ours is the new code with the legacy growth, prunes and steps, so the ratio of times is that of the work.",
            *settings_note(files),
        ],
    )


def number(cell):
    """A printed cell as a number; None where nothing is printed."""
    return None if cell in (None, "") else float(cell)


def ratio(first, second):
    return None if first is None or second is None else first / second


def convergence(axis, label):
    """Distance from the reference run: Figures 7 and 8."""

    def make(files, _printed):
        results = source.one(files)
        names = ("cfl", "spacing", "reference", "l1", "bhattacharyya", "steps", "cell_steps")
        study = dict(zip(names, source.need(results, *(f"results/study/{name}" for name in names))))
        if "results/study/legacy_step" in results:
            study["legacy"] = source.need(results, "results/study/legacy_step")
        else:
            study["legacy"] = np.zeros(len(study["cfl"]))
        # a reference run, then those that are compared with it
        references = np.flatnonzero(study["reference"] == 1)
        begins = [*references, len(study["cfl"])]
        for first, end in zip(begins, begins[1:]):
            other = "spacing" if axis == "cfl" else "cfl"
            runs = np.arange(first, end)
            if len(runs) > 1 and np.ptp(study[other][runs]) == 0:
                break
        else:
            raise Misfit(f"it holds no runs with several values of study.{axis}", results)
        rows = [
            [
                (
                    f"legacy, step {study['legacy'][i]:g}"
                    if study["legacy"][i] > 0
                    else f"{study[axis][i]:g}" + (" (reference)" if i == first else "")
                ),
                float(study["l1"][i]),
                float(study["bhattacharyya"][i]),
                int(study["steps"][i]),
                int(study["cell_steps"][i]),
            ]
            for i in runs
        ]
        return Table(
            [label, "L1 distance", "Bhattacharyya", "steps", "cell-steps"],
            rows,
            ["The paper prints a picture, no numbers.", *settings_note(files)],
        )

    return make


def cells(files, _printed):
    """Cells at the times of the records: Figure 10 (b)."""
    results = source.one(files)
    system(results)
    time, existing, active = source.need(
        results, "results/time", "results/cells", "results/active_cells"
    )
    rows = [[f"{t:g}", int(n), int(m)] for t, n, m in zip(time, existing, active)]
    return Table(
        ["t", "cells", "at or above the threshold"],
        rows,
        [
            "The paper prints a picture, no numbers; after a measurement there are two records of one time.",
            *settings_note(files),
        ],
    )


TABLES = {
    "table1": (particles, "Bhattacharyya coefficients with particles"),
    "table2": (counts, "cells, steps and cell-steps"),
    "table3": (runtime("lorenz63", "ms", 1e3), "time of the Lorenz '63 run"),
    "table4": (runtime("lorenz96", "s", 1.0), "time of the Lorenz '96 run"),
    "figure7": (convergence("cfl", "CFL number"), "convergence in the time step"),
    "figure8": (convergence("spacing", "spacing / 0.5"), "convergence in the spacing"),
    "figure9": (codes, "the legacy code beside the optimised one"),
    "figure10": (cells, "cells over time"),
}
INPUTS = {"figure9": "table3"}
PICTURES = {
    "figure5": "tessera-plot --kind cells",
    "figure6": "tessera-plot --kind corner, or with ParaView, of its group /VTKHDF and of the file gbees-figure6.x4_x5_x6.vtkhdf",
}
