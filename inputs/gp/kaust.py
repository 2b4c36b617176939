#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The competitions on spatial statistics for large datasets of KAUST, 2021 (Huang et al., JABES 26,
2021) and 2022 (Abdulah et al., JDS 20, 2022), with tessera-gp.

    kaust.py input TRAINING.csv TESTING.csv    writes NAME.yaml, where NAME.csv is the training file
                   [--warp] [--tukey]
    tessera-gp NAME.yaml
    kaust.py score NAME.h5 TESTING.csv         writes NAME_prediction.csv, a row for each row of the
                   [TRUTH.csv]                 testing file; with the truth prints RMSE, MAE, CRPS
                                               and coverage of intervals of 95 %

The files have a line of names: x and y, t where there is time, and all others are variables. In
those of 2021 (Sub-competition_1a/dataset01_training.csv, 1b/dataset01_testing.csv) the value is
`values`. The testing file has the coordinates; its other columns are not read. The truth has the
variables under their names, row by row as the testing file. Of 2022, sets 2a and 2b have times
(Gneiting's covariance), 3a and 3b two variables; 1a and 1b are not stationary: --warp has axes of
which each stretches by itself (covariance.warp). Sets 2a and 2b of 2021 are of Tukey's g-and-h
fields: --tukey. Each takes one variable without times, and not the other.

Needs numpy, and h5py for `score`. CRPS is that of ../mpr/heaton.py, of a normal law; with --tukey
that of 100 quantiles, and coverage that of those at 2.5 and 97.5 %.
"""

import csv
import importlib.util
import json
import os
import sys

import numpy as np

SPECIFICATION = importlib.util.spec_from_file_location(
    "heaton_data",
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpr", "heaton.py"),
)
DATA = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(DATA)

PLACES = ("x", "y")
TIMES = ("t", "time")

INPUT = """\
app: gp
data: {{file: {training}, coordinates: [{places}], {time}values: [{values}]}}
mean: constant
covariance: {{family: matern, {kind}nugget: 0.01}}
{marginal}method: {{vecchia: {{neighbours: 30, prediction_neighbours: 60}}}}
fit: {{}}
predict: {{points: {{file: {testing}, coordinates: [{target_places}]{time_of_targets}}}, of: observation{quantiles}}}
"""
TUKEY = "marginal: {family: tukey_g_and_h}\n"
WARP = "warp: {knots: 5}, "
LEVELS = [0.025, 0.975, *(round(0.005 + 0.01 * k, 3) for k in range(100))]
OPTIONS = ("--warp", "--tukey")


def refuse(message, remedy):
    sys.exit(f"kaust.py: {message}\n  remedy: {remedy}")


def read(path):
    """The names of a file's columns, and its numbers."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
    except OSError as error:
        refuse(f"cannot read {path}: {error.strerror}", "name the file")
    names = [name.strip() for name in rows[0]] if rows else []
    try:
        values = np.array([[float(cell or "nan") for cell in row] for row in rows[1:]])
        values = values.reshape(len(rows) - 1, len(names))
    except ValueError as error:
        refuse(f"{path} is no table of numbers with a line of names: {error}", "mend the file")
    return names, values


def place_names(path, names):
    """The columns of the coordinates and of the time, if there is one."""
    lower = [name.lower() for name in names]
    if any(lower.count(name) != 1 for name in PLACES):
        refuse(f"{path} has the columns {', '.join(names)}", "name the coordinates x and y")
    times = [name for name in names if name.lower() in TIMES]
    return [names[lower.index(name)] for name in PLACES], times[:1]


def variables_of(path, names):
    places, times = place_names(path, names)
    variables = [name for name in names if name not in places + times]
    if not 1 <= len(variables) <= 4 or (times and len(variables) > 1):
        refuse(
            f"{path} has the variables {', '.join(variables) or 'none'}"
            + (" and a time" if times else ""),
            "keep one to four columns beside the coordinates, with a time one",
        )
    return variables


def write_input(training, testing, options):
    names, _ = read(training)
    variables = variables_of(training, names)
    places, times = place_names(training, names)
    target_places, target_times = place_names(testing, read(testing)[0])
    if len(target_times) != len(times):
        refuse(f"a time is in one of {training} and {testing} alone", "give both a time, or none")
    kind = "time: gneiting, " if times else ""
    if options and (times or len(variables) > 1 or len(options) > 1):
        refuse(
            f"{', '.join(options)} for {', '.join(variables)}" + (" in time" if times else ""),
            "give one of --warp and --tukey at most, and neither with times or several variables",
        )
    kind += WARP if "--warp" in options else ""
    tukey = "--tukey" in options
    if len(variables) > 1:
        kind = f"variables: {len(variables)}, "
    name = os.path.splitext(os.path.basename(training))[0]
    quoted = [json.dumps(word) for word in variables]
    with open(f"{name}.yaml", "w", encoding="utf-8") as file:
        file.write(
            INPUT.format(
                training=json.dumps(os.path.abspath(training)),
                testing=json.dumps(os.path.abspath(testing)),
                places=", ".join(map(json.dumps, places)),
                target_places=", ".join(map(json.dumps, target_places)),
                values=", ".join(quoted),
                kind=kind,
                marginal=TUKEY if tukey else "",
                quantiles=f", quantiles: {LEVELS}" if tukey else "",
                time=f"time: {json.dumps(times[0])}, " if times else "",
                time_of_targets=f", time: {json.dumps(target_times[0])}" if times else "",
            )
        )
    print(f"{name}.yaml: {', '.join(variables)}" + (" in space and time" if times else ""))


def truth_of(path, variables, rows):
    """The columns of the variables, by their names."""
    names, values = read(path)
    missing = [name for name in variables if name not in names]
    if missing or len(values) != rows:
        refuse(
            f"{path} has {len(values)} rows of {', '.join(names)}",
            f"give it {rows} rows, those of the testing file, with {', '.join(variables)}",
        )
    chosen = values[:, [names.index(name) for name in variables]]
    if np.isnan(chosen).any():
        refuse(f"{path} has missing values", "leave their rows out of both files")
    return chosen


def predictions(results, testing):
    """The means and deviations, a row for each variable, the names of several variables, and the
    quantiles, a row for each target, if there are any."""
    import h5py

    names, targets = read(testing)
    places = [targets[:, names.index(name)] for name in place_names(testing, names)[0]]
    try:
        with h5py.File(results) as file:
            found = file["results/prediction"]
            mean, variance = found["mean"][:].ravel(), found["variance"][:].ravel()
            predicted = [found[name][:].ravel() for name in ("x1", "x2")]
            several = file["results/variables"].asstr()[:] if "variables" in file["results"] else []
            quantiles = found["quantiles"][:] if "quantiles" in found else None
    except (OSError, KeyError) as error:
        refuse(f"{results} has no predictions: {error}", "give the results of NAME.yaml")
    count = max(len(several), 1)
    shape = (count, len(targets))
    if len(mean) != count * len(targets) or not all(
        np.allclose(a.reshape(shape), b) for a, b in zip(predicted, places)
    ):
        refuse(f"{results} has predictions at other places", "give the testing file of its input")
    return mean.reshape(shape), np.sqrt(variance.reshape(shape)), list(several), quantiles


def score_law(exact, mean, deviation, quantiles):
    """Mean CRPS, and how often intervals of 95 % hold the truth."""
    if quantiles is None:
        inside = abs(exact - mean) < 1.959964 * deviation
        return np.mean(DATA.normal_crps(exact - mean, deviation)), np.mean(inside)
    inside = (quantiles[:, 0] < exact) & (exact < quantiles[:, 1])
    error, levels = exact[:, None] - quantiles[:, 2:], np.array(LEVELS[2:])
    return np.mean(2 * np.where(error < 0, levels - 1, levels) * error), np.mean(inside)


def score(results, testing, truth=None):
    mean, deviation, variables, quantiles = predictions(results, testing)
    name = os.path.splitext(os.path.basename(results))[0]
    np.savetxt(f"{name}_prediction.csv", mean.T, fmt="%.10g", delimiter=",")
    if truth is None:
        return
    names = read(truth)[0]
    if not variables:
        variables = [word for word in names if word.lower() not in PLACES + TIMES]
        if len(variables) != 1:
            refuse(f"{truth} has the columns {', '.join(names)}", "keep one beside the coordinates")
    exact = truth_of(truth, variables, mean.shape[1])
    for v, variable in enumerate(variables):
        error = exact[:, v] - mean[v]
        crps, coverage = score_law(exact[:, v], mean[v], deviation[v], quantiles)
        print(
            f"{name}, {variable}: RMSE {np.sqrt(np.mean(error**2)):.4g}, MAE "
            f"{np.mean(abs(error)):.4g}, CRPS {crps:.4g}, coverage {coverage:.3f}"
        )


if __name__ == "__main__":
    arguments = [word for word in sys.argv[1:] if word not in OPTIONS]
    chosen = [word for word in OPTIONS if word in sys.argv]
    if len(arguments) == 3 and arguments[0] == "input":
        write_input(*arguments[1:], chosen)
    elif len(arguments) in (3, 4) and arguments[0] == "score" and not chosen:
        score(*arguments[1:])
    else:
        sys.exit(__doc__)
