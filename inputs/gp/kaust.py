#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The competitions on spatial statistics for large datasets of KAUST, 2021 (Huang et al., JABES 26,
2021) and 2022 (Abdulah et al., JDS 20, 2022), with tessera-gp.

    kaust.py input TRAINING.csv TESTING.csv    writes NAME.yaml, where NAME.csv is the training file
    tessera-gp NAME.yaml
    kaust.py score NAME.h5 TESTING.csv         writes NAME_prediction.csv, a row for each row of the
                   [TRUTH.csv]                 testing file; with the truth prints RMSE, MAE, CRPS
                                               and coverage of intervals of 95 %

The files have a line of names: x and y, t where there is time, then a column for each variable. In
those of 2021 (Sub-competition_1a/dataset01_training.csv, 1b/dataset01_testing.csv) the value is
`values`. The testing file has the coordinates; its other columns are not read. The truth has the
variables, in the order of the testing file. Of 2022, sets 2a and 2b have times (Gneiting's
covariance), 3a and 3b two variables; 1a and 1b are not stationary, and get a stationary covariance.

Needs numpy, and h5py for `score`.
"""

import os
import sys

import numpy as np

PLACES = ("x", "y")
TIMES = ("t", "time")

INPUT = """\
app: gp
data: {{file: {training}, coordinates: [x, y], {time}values: [{values}]}}
mean: constant
covariance: {{family: matern, {kind}nugget: 0.01}}
method: {{vecchia: {{neighbours: 30, prediction_neighbours: 60}}}}
fit: {{}}
predict: {{points: {{file: {testing}, coordinates: [x, y]{time_of_targets}}}, of: observation}}
"""


def names_of(path):
    with open(path, encoding="utf-8") as file:
        return [name.strip().strip('"') for name in file.readline().split(",")]


def variables_of(names):
    return [name for name in names if name and name.lower() not in PLACES + TIMES]


def write_input(training, testing):
    names = names_of(training)
    missing = [name for name in PLACES if name not in names]
    variables = variables_of(names)
    if missing or not 1 <= len(variables) <= 4:
        sys.exit(
            f"kaust.py: {training} has the columns {', '.join(names)}\n"
            "  remedy: name the coordinates x and y, the time t, and have one to four others"
        )
    times = [name for name in names if name.lower() in TIMES]
    if times and len(variables) > 1:
        sys.exit(
            f"kaust.py: {training} has a time and {len(variables)} variables\n"
            "  remedy: keep one of the columns " + ", ".join(variables)
        )
    kind = "time: gneiting, " if times else ""
    if len(variables) > 1:
        kind = f"variables: {len(variables)}, "
    name = os.path.splitext(os.path.basename(training))[0]
    with open(f"{name}.yaml", "w", encoding="utf-8") as file:
        file.write(
            INPUT.format(
                training=os.path.abspath(training),
                testing=os.path.abspath(testing),
                values=", ".join(variables),
                kind=kind,
                time=f"time: {times[0]}, " if times else "",
                time_of_targets=f", time: {times[0]}" if times else "",
            )
        )
    print(f"{name}.yaml: {', '.join(variables)}" + (" in space and time" if times else ""))


def columns(path, names):
    values = np.genfromtxt(path, delimiter=",", skip_header=1, ndmin=2)
    header = names_of(path)
    return np.column_stack([values[:, header.index(name)] for name in names])


def crps(error, deviation):
    """Of a Gaussian prediction."""
    from math import erf, pi, sqrt

    z = error / deviation
    inside = np.array([erf(value / sqrt(2)) for value in z])
    density = np.exp(-0.5 * z * z) / sqrt(2 * pi)
    return deviation * (z * inside + 2 * density - 1 / sqrt(pi))


def score(results, testing, truth=None):
    import h5py

    with h5py.File(results) as file:
        mean = file["results/prediction/mean"][:].ravel()
        deviation = np.sqrt(file["results/prediction/variance"][:].ravel())
    rows = len(np.genfromtxt(testing, delimiter=",", skip_header=1, ndmin=2))
    count = len(mean) // rows  # of variables, one after another
    mean, deviation = mean.reshape(count, rows), deviation.reshape(count, rows)
    name = os.path.splitext(os.path.basename(results))[0]
    np.savetxt(f"{name}_prediction.csv", mean.T, fmt="%.10g", delimiter=",")
    if truth is None:
        return
    exact = columns(truth, variables_of(names_of(truth))[:count])
    for v in range(count):
        error, s = exact[:, v] - mean[v], deviation[v]
        print(
            f"{name}{f', variable {v + 1}' if count > 1 else ''}: RMSE "
            f"{np.sqrt(np.mean(error**2)):.4g}, MAE {np.mean(abs(error)):.4g}, CRPS "
            f"{np.mean(crps(error, s)):.4g}, coverage {np.mean(abs(error) < 1.959964 * s):.3f}"
        )


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if len(arguments) == 3 and arguments[0] == "input":
        write_input(*arguments[1:])
    elif len(arguments) in (3, 4) and arguments[0] == "score":
        score(*arguments[1:])
    else:
        sys.exit(__doc__)
