# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The data of the comparison: five real data sets and simulated fields, with exact predictions.

Files and columns are those of Filippo-Rambelli/accuracy_runtime_scalable_GP_approx.
"""
import csv
import dataclasses
import os

import numpy as np

# Of a smoothness: the covariance, and an effective range in units of its range.
CONVENTION = {0.5: ("matern12", 3.0), 1.5: ("matern32", 2.74), 2.5: ("matern52", 2.65)}
SETS = {"train": "train", "interpolation": "inter", "extrapolation": "extra"}


@dataclasses.dataclass
class Target:
    """Points to predict. values are what the scores compare with: observations, or the field."""

    points: np.ndarray
    values: np.ndarray
    design: np.ndarray
    exact: tuple = None  # means and variances, where they are known


@dataclasses.dataclass
class DataSet:
    """A fit's data. given: sigma2, beta, nugget, at which likelihoods are compared."""

    name: str
    points: np.ndarray
    values: np.ndarray
    design: np.ndarray  # columns of the mean beside the constant; of no columns: the mean is zero
    family: str
    given: dict
    coefficients: np.ndarray  # of the mean at the given parameters, the constant first
    targets: dict
    of: str = "observation"
    exact_loglik: tuple = None  # negative, at the given parameters and at twice these


@dataclasses.dataclass(frozen=True)
class Files:
    """How a real data set lies in the folder: names of files, columns, and known parameters."""

    train: str
    targets: dict
    coordinates: tuple
    value: str
    mean: str  # zero: of values less their average; or the columns that it is linear in
    nugget: float
    sigma2: float
    beta: float
    coefficients: tuple = ()
    family: str = "matern32"
    exact: str = ""


AGES = ("age", "TLA", "rooms", "lotsize")
SALES = ("syear1994", "syear1995", "syear1996", "syear1997", "syear1998", "ages_sq")


def three(pattern):
    return {
        "inter": pattern.format("interpolation"),
        "extra": pattern.format("extrapolation"),
    }


REAL = {
    "house": Files(
        "house_train.csv",
        three("house_{}.csv"),
        ("long", "lat"),
        "log_price",
        "zero",
        0.0787152849929405,
        0.48967778700797876,
        618.2155717795291,
        exact="house",
    ),
    "house_with_covs": Files(
        "house_train_with_covs.csv",
        three("house_{}_with_covs.csv"),
        ("long", "lat"),
        "log_price",
        ("long", "lat", *AGES, *SALES),
        0.05513030716341601,
        0.20188955237350595,
        0.0603076839309954,
        (
            12.614722511788656,
            -0.12436141170281728,
            -0.023595011562458013,
            -0.11568609738546891,
            0.5469768881001963,
            0.016115405756767467,
            0.1310218698487707,
            0.03313185031725592,
            0.07571105963500542,
            0.10169076871530056,
            0.1395963246582103,
            0.18763742854493398,
            -0.36949136575186714,
        ),
        exact="house_with_covs",
    ),
    "laegern": Files(
        "laegern_train.csv",
        three("laegern_{}.csv"),
        ("x_coord", "y_coord"),
        "CanopyHeight",
        "zero",
        8.146126889464754e-07,
        4.554596583854387e-02,
        15.96316574746952,
    ),
    "modis16": Files(
        "Heaton_train.csv",
        {"test": "Heaton_test.csv"},
        ("Lat", "Lon"),
        "TrueTemp",
        ("Lat", "Lon"),
        2.7564301774146154e-06,
        6.096940872884346,
        0.1137103704281087,
        (-243.70124198724125, 1.773139234046750, -2.405353477654387),
        family="matern12",
    ),
    "modis23": Files(
        "MODIS_data_train.txt",
        {"test": "MODIS_data_test.txt"},
        ("east", "north"),
        "temp",
        ("east", "north"),
        0.1289960802320046,
        5.637642490377193,
        5033.750011756337,
        (-50.39085196489946, -8.039247275051138e-06, 4.401559178540988e-06),
    ),
}


def read_columns(path):
    """Columns by name. A text file without commas has row numbers, then east, north and temp."""
    if not os.path.isfile(path):
        raise FileNotFoundError(f"{path} is missing\n  remedy: fetch the whole repository")
    if path.endswith(".txt"):
        numbers = np.genfromtxt(path, skip_header=1, usecols=(1, 2, 3))
        return dict(zip(("east", "north", "temp"), numbers.T))
    with open(path, encoding="utf-8", newline="") as file:
        names = next(csv.reader(file))
    numbers = np.genfromtxt(path, delimiter=",", skip_header=1)
    return dict(zip(names, numbers.T))


def real(name, folder):
    """A real data set from the folder of a clone: data in data/, exact values beside it."""
    files = REAL[name]
    train = read_columns(os.path.join(folder, "data", files.train))
    linear = () if files.mean == "zero" else files.mean
    level = train[files.value].mean() if files.mean == "zero" else 0.0
    centre = np.array([train[column].mean() for column in linear])

    def target(columns, kind):
        design = [columns[column] - middle for column, middle in zip(linear, centre)]
        points = np.column_stack([columns[column] for column in files.coordinates])
        kept = ~np.isnan(columns[files.value])
        exact = None
        if files.exact:
            stem = os.path.join(folder, "saved_values_exactGP", "exact_pred_{}_{}_{}.txt")
            exact = tuple(
                np.loadtxt(stem.format(what, kind, files.exact))[kept] for what in ("mean", "var")
            )
        design = np.column_stack(design) if linear else np.empty((len(points), 0))
        return Target(points[kept], columns[files.value][kept] - level, design[kept], exact)

    targets = {"train": target(train, "train")}
    for kind, file in files.targets.items():
        targets[kind] = target(read_columns(os.path.join(folder, "data", file)), kind)
    coefficients = np.array(files.coefficients)
    if linear:  # the columns are centred here, for the sake of rounding
        coefficients[0] += centre @ coefficients[1:]
    data = targets["train"]
    return DataSet(
        name,
        data.points,
        data.values,
        data.design,
        files.family,
        {"sigma2": files.sigma2, "beta": files.beta, "nugget": files.nugget},
        coefficients,
        targets,
    )


def exact_of(folder, ranges, repetition):
    """Exact predictions and likelihoods of a repetition of a simulated field, as far as the folder
    has them."""
    stem = "_".join(f"{value:g}" for value in ranges)
    predictions = {}
    for kind in ("train", "inter", "extra"):
        found = []
        for what in ("mean", "var"):
            path = os.path.join(folder, f"exact_pred_{what}_{kind}_{stem}.txt")
            if os.path.isfile(path):
                rows = np.loadtxt(path, delimiter=",", skiprows=1)
                found.append(rows[rows[:, 0] == repetition, 1])
        if len(found) == 2 and len(found[0]):
            predictions[kind] = tuple(found)
    logliks = []
    for what in ("true", "wrong"):
        path = os.path.join(folder, f"{what}_exact_negloglik_values_{stem}.txt")
        if os.path.isfile(path):
            logliks.append(float(np.loadtxt(path, ndmin=1)[repetition - 1]))
    return predictions, tuple(logliks) if len(logliks) == 2 else None


def simulated(path, ranges, nugget, smoothness, fitted, folder=None):
    """The repetitions of a simulated field, one DataSet after another. ranges: effective ones, as
    in the names of the files; fitted: the smoothness of the covariance that is fitted."""
    denominator = CONVENTION[smoothness][1]
    beta = [value / denominator for value in ranges]
    rows, order = {}, []
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            repetition = int(float(row["rep"]))
            if repetition not in rows:
                order.append(repetition)
                rows[repetition] = {kind: [] for kind in SETS.values()}
            rows[repetition][SETS[row["which"]]].append(
                [float(row[name]) for name in ("x1", "x2", "y", "f")]
            )
    if not order:
        raise ValueError(f"{path} has no points\n  remedy: make it again")
    for repetition in order:
        parts = {kind: np.array(part) for kind, part in rows.pop(repetition).items()}
        exact, logliks = exact_of(folder, ranges, repetition) if folder else ({}, None)
        targets = {
            kind: Target(part[:, :2], part[:, 3], np.empty((len(part), 0)), exact.get(kind))
            for kind, part in parts.items()
        }
        train = parts["train"]
        yield DataSet(
            f"repetition {repetition}",
            train[:, :2],
            train[:, 2],
            np.empty((len(train), 0)),
            CONVENTION[fitted][0],
            {"sigma2": 1.0, "beta": beta if len(beta) > 1 else beta[0], "nugget": nugget},
            np.empty(0),
            targets,
            of="field",
            exact_loglik=logliks,
        )
