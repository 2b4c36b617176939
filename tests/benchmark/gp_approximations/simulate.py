# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Simulated fields by the comparison's recipe, for where its R package RandomFields is not at hand.

Data and points to interpolate lie in the unit square without its upper right quarter, points to
extrapolate in that quarter; the field has variance 1. The numbers are others than the
comparison's, as its generator is that of R.
"""
import csv
import os

import numpy as np

import tessera
from data_sets import CONVENTION, SETS, DataSet, Target
from methods import Fitted, Method

NEIGHBOURS = 100  # of a simulated point


def locations(random, count):
    """Points of the three sets, (count, 2) each."""
    sets = []
    for _ in range(2):
        points = np.empty((0, 2))
        while len(points) < count:
            drawn = random.random((2 * count, 2))
            points = np.vstack([points, drawn[(drawn < 0.5).any(axis=1)]])
        sets.append(points[:count])
    return [*sets, 1 - random.random((count, 2)) / 2]


def field(points, family, beta, seed, backend):
    """A field of variance 1 at the points, each drawn from its nearest earlier ones."""
    table = np.column_stack([points, np.zeros(len(points))])
    results = tessera.run(
        {
            "app": "gp",
            "data": {"file": table, "coordinates": ["1", "2"], "values": ["3"]},
            "simulate": {},
            "mean": "zero",
            "covariance": {
                "family": family,
                "range_convention": "scaled",
                "sigma2": 1.0,
                "beta": beta if len(beta) > 1 else beta[0],
            },
            "method": {"vecchia": {"neighbours": NEIGHBOURS}},
        },
        seed=seed,
        backend=backend,
    )
    return np.ravel(results["results/observations"])


def write(path, ranges, nugget, smoothness, count, repetitions, seed, exact=None, backend=None):
    """Writes the file of a field and, where a folder is given, the exact values of it."""
    family, denominator = CONVENTION[smoothness]
    beta = [value / denominator for value in ranges]
    given = {"sigma2": 1.0, "beta": beta if len(beta) > 1 else beta[0], "nugget": nugget}
    none = np.empty((count, 0))
    rows, stored = [], {}
    for repetition in range(1, repetitions + 1):
        random = np.random.default_rng([seed, repetition])
        sets = locations(random, count)
        values = field(np.vstack(sets), family, beta, int(random.integers(1, 2**31)), backend)
        values = values.reshape(3, count)
        noisy = values + np.sqrt(nugget) * random.standard_normal(values.shape)
        for name, points, y, f in zip(SETS, sets, noisy.tolist(), values.tolist()):
            rows += [
                [*place, *two, name, repetition] for place, two in zip(points.tolist(), zip(y, f))
            ]
        if exact is not None:
            targets = {
                kind: Target(points, f, none)
                for kind, points, f in zip(SETS.values(), sets, values)
            }
            data = DataSet(
                "", sets[0], noisy[0], none, family, given, np.empty(0), targets, "field"
            )
            collect(Fitted(data, Method("exact"), backend), repetition, stored)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(["x1", "x2", "y", "f", "which", "rep"])
        writer.writerows(rows)
    if exact is not None:
        write_exact(exact, "_".join(f"{value:g}" for value in ranges), stored)


def collect(fitted, repetition, stored):
    for what, factor in (("true", 1), ("wrong", 2)):
        stored.setdefault(what, []).append(fitted.negative_loglik(factor)[0])
    for kind, target in fitted.data.targets.items():
        mean, variance, _ = fitted.predict(target)
        for what, values in (("mean", mean), ("var", variance)):
            stored.setdefault((what, kind), []).extend((repetition, value) for value in values)


def write_exact(folder, stem, stored):
    os.makedirs(folder, exist_ok=True)
    for key, values in stored.items():
        if isinstance(key, str):
            np.savetxt(os.path.join(folder, f"{key}_exact_negloglik_values_{stem}.txt"), values)
        else:
            path = os.path.join(folder, f"exact_pred_{key[0]}_{key[1]}_{stem}.txt")
            np.savetxt(
                path,
                values,
                fmt=("%d", "%.17g"),
                delimiter=",",
                header="iteration,value",
                comments="",
            )
