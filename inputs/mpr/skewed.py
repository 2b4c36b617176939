#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""What model.transform does for skewed fields whose law is known: lognormal, gamma, and rain with
zeros, made of Gaussian fields.

    skewed.py tessera-mpr               prints the table of METHOD.md
    skewed.py tessera-mpr --size 128    on smaller fields

Of the missing sites of three fields each: the mean absolute error and the CRPS with each transform,
in units of those without one, and which one `auto` took. Ends with 1 when `auto` is worse than no
transform by more than 1 % anywhere. Needs numpy and h5py.
"""
import argparse
import os
import sys
import tempfile

import numpy as np

import harmonic

SMOOTHNESS = 1
FIELDS = 3
TRANSFORMS = ("none", "log", "normal_score", "auto")
KINDS = ("33 % random", "33 % in blocks of 16")


def lognormal(normal):
    """exp(g): the deviation is 1.3 times the mean."""
    return np.exp(normal[0])


def gamma(normal):
    """Half the sum of two squares: a gamma law of shape 1."""
    return 0.5 * (normal[0] ** 2 + normal[1] ** 2)


def rain(normal):
    """max(0, g)^2: half of the sites are dry."""
    return np.maximum(0, normal[0]) ** 2


LAWS = {"lognormal": lognormal, "gamma, shape 1": gamma, "rain, half dry": rain}


def normal_fields(runner, size, number):
    """Two independent fields of mean 0 and deviation 1."""
    return [
        runner.run(
            f"app: mpr\ntask: synthesize\ninput: {{synthetic: {{size: [{size}, {size}], smoothness: {SMOOTHNESS}, mean: 0, standard_deviation: 1}}}}\n"
            f"run: {{seed: {2 * number + k}}}\n"
        )["field"]
        for k in range(2)
    ]


def measure(runner, truths, kind, transform):
    """Means of absolute error and CRPS over the fields, and the transforms taken."""
    found = [
        runner.validate(
            truth, harmonic.gaps(truth.shape, kind, number), {"transform": transform}, 1
        )
        for number, truth in enumerate(truths)
    ]
    return np.mean([[run["maae"].item(), run["crps"].item()] for run in found], axis=0), sorted(
        {run["transform"] for run in found}
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("executable")
    parser.add_argument("--size", type=int, default=256)
    arguments = parser.parse_args()
    good = True
    print(
        "| field | gaps | none: MAE, CRPS | log | normal_score | auto | it took |\n|---|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        runner = harmonic.Runner(os.path.abspath(arguments.executable), folder)
        normals = [normal_fields(runner, arguments.size, number) for number in range(FIELDS)]
        for name, law in LAWS.items():
            truths = [law(normal) for normal in normals]
            for kind in KINDS:
                cells, plain, taken = [], None, []
                for transform in TRANSFORMS:
                    if transform == "log" and min(truth.min() for truth in truths) <= 0:
                        cells.append("")
                        continue
                    scores, taken = measure(runner, truths, kind, transform)
                    plain = scores if plain is None else plain
                    relative = scores / plain
                    cells.append(
                        "{:.4f}, {:.4f}".format(*scores)
                        if transform == "none"
                        else "{:.3f}, {:.3f}".format(*relative)
                    )
                good = good and max(relative) <= 1.01
                print(f"| {name} | {kind} | {' | '.join(cells)} | {', '.join(taken)} |", flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
