#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""How often the intervals of tessera-gp's predictions hold: simulates a field, holds out a tenth of
it, fits all parameters by Vecchia's approximation to the rest, predicts what was held out, and
counts.

    coverage.py --points 1000000 --program build/bin/tessera-gp

Writes coverage.yaml and coverage.h5 in the current folder and prints the estimates with their
standard errors and how many of the held-out observations lie in their intervals of 50, 80, 90, 95
and 99 %. The exit status is 1 when the intervals of 95 % hold less than 94 % or more than 96 % of
them.

The field is exact by default: on a square grid, by circulant embedding. `--layout uniform` puts the
points at random and simulates by Vecchia's approximation, whose own errors are then those of the
field too. Needs numpy and h5py.
"""
import argparse
import subprocess
import sys
from statistics import NormalDist

import h5py
import numpy as np

# For a million points of the unit square the range is some 50 points, as in vecchia_million.yaml.
INPUT = """\
app: gp
simulate: {{points: {points}, {layout}}}
covariance: {{sigma2: {sigma2}, beta: {beta}, nu: {nu}, nugget: {nugget}}}
method: {{vecchia: {{neighbours: {neighbours}, prediction_neighbours: 60}}}}
fit: {{start: [1, {start}, 0.5, 0.1]}}
predict: {{fraction: 0.1, of: observation}}
run: {{seed: {seed}}}
"""
LAYOUTS = {"grid": "layout: regular, method: circulant", "uniform": "layout: uniform"}
TRUTH = {"sigma2": 1.5, "beta": 0.05, "nu": 0.8, "nugget": 0.05}
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
ALLOWED = (0.94, 0.96)  # for intervals of 95 %


def run(arguments):
    with open("coverage.yaml", "w", encoding="utf-8") as file:
        file.write(
            INPUT.format(
                points=arguments.points,
                layout=LAYOUTS[arguments.layout],
                start=0.4 * TRUTH["beta"],
                neighbours=arguments.neighbours,
                seed=arguments.seed,
                **TRUTH,
            )
        )
    command = [arguments.program, "coverage.yaml", "--output", "coverage.h5", "--force", "-q"]
    if arguments.backend:
        command += ["--backend", arguments.backend]
    subprocess.run(command, check=True)


def report():
    """Prints what was found; the coverage of intervals of 95 %."""
    with h5py.File("coverage.h5") as file:
        results = file["results"]
        prediction = results["prediction"]
        error = np.abs(prediction["observed"][:] - prediction["mean"][:])
        deviation = np.sqrt(prediction["observed_variance"][:])
        names = [name.decode() for name in results["parameters"]]
        estimates = list(zip(names, results["theta"][0], results["theta_se"][0]))
        print(
            f"{results.attrs['points']} points fitted with {results.attrs['neighbours']} neighbours, {len(error)} held out"
        )
    for name, value, uncertainty in estimates:
        print(f"{name} = {value:.5g} +- {uncertainty:.2g}, simulated with {TRUTH[name]:g}")
    coverage = {}
    for level in LEVELS:
        coverage[level] = np.mean(error <= NormalDist().inv_cdf(0.5 + level / 2) * deviation)
        print(f"intervals of {100 * level:g} % hold {100 * coverage[level]:.2f} %")
    return coverage[0.95]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--points", type=int, default=100000)
    parser.add_argument("--layout", choices=LAYOUTS, default="grid")
    parser.add_argument("--neighbours", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default="tessera-gp")
    parser.add_argument("--backend", help="serial, openmp or cuda; default: the program's choice")
    run(arguments := parser.parse_args())
    low, high = ALLOWED
    sys.exit(0 if low <= report() <= high else 1)


if __name__ == "__main__":
    main()
