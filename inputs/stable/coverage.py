#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""How often intervals of tessera-stable at 95 % hold the true parameters: runs coverage.yaml,
beside this file, for samples of several sizes, and prints the tables of
models/stable/STATISTICS.md.

    coverage.py --values 200 1000 --samples 10000 --backend cuda
    coverage.py --values 200 --samples 400 --alpha 0.5 1

Writes coverage_<values>.h5 in the current folder. A share has a star where it is not from 0.94 to
0.96 by more than two standard deviations. Needs numpy and h5py.
"""
import argparse
import math
import os
import subprocess
import time

import h5py
import numpy as np

INPUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "coverage.yaml")
WANTED = (0.94, 0.96)
KINDS = ("Wald", "profile")


def run(arguments, values):
    """The results file, and the seconds that it took."""
    output = f"coverage_{values}.h5"
    command = [
        arguments.program,
        INPUT,
        f"problem.n={values}",
        f"map.repeats={arguments.samples}",
        f"map.alpha={arguments.alpha}",
        f"map.beta={arguments.beta}",
        "--seed",
        str(arguments.seed),
        "--output",
        output,
        "--force",
        "-q",
    ]
    if arguments.backend:
        command += ["--backend", arguments.backend]
    start = time.monotonic()
    subprocess.run(command, check=True)
    return output, time.monotonic() - start


def text(attribute):
    return attribute.decode() if isinstance(attribute, bytes) else str(attribute)


def cell(shares, deviation):
    """The shares of alpha, beta, sigma and mu."""
    low, high = WANTED[0] - 2 * deviation, WANTED[1] + 2 * deviation
    return " ".join(f"{share:.3f}" + ("" if low <= share <= high else "*") for share in shares)


def report(path, seconds, values, samples):
    deviation = math.sqrt(0.95 * 0.05 / samples)
    with h5py.File(path) as file:
        place, commit = text(file.attrs["device_name"]), text(file.attrs["git_commit"])
        shares, intervals = file["results/coverage"][()], file["results/intervals"][()]
        failed, alphas, betas = (
            file["results/failed"][()],
            file["coordinates/alpha"][()],
            file["coordinates/beta"][()],
        )
    print(
        f"{samples} samples of {values} values each (standard deviation {deviation:.4f}); {place}, commit {commit}, {seconds:.1f} s; "
        f"{failed.sum()} of {failed.size * samples} fits failed\n"
    )
    print(
        "| alpha, beta | "
        + " | ".join(KINDS)
        + " | fits with a Wald interval of alpha, beta |\n|---|---|---|---|"
    )
    for i, alpha in enumerate(alphas):
        for j, beta in enumerate(betas):
            known = ", ".join(f"{100 * count / samples:.1f} %" for count in intervals[i, j, 0, :2])
            print(
                f"| {alpha:g}, {beta:g} | "
                + " | ".join(cell(shares[i, j, k], deviation) for k in range(2))
                + f" | {known} |"
            )
    mean = np.nanmean(shares, axis=(0, 1, 3))
    print("\n" + ", ".join(f"{kind}: mean {value:.4f}" for kind, value in zip(KINDS, mean)) + "\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--values", type=int, nargs="+", default=[200, 1000], help="in a sample")
    parser.add_argument("--samples", type=int, default=10000, help="of each distribution")
    parser.add_argument("--alpha", type=float, nargs="+", default=[0.5, 1, 1.5, 1.9])
    parser.add_argument("--beta", type=float, nargs="+", default=[0, 0.5])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default="tessera-stable")
    parser.add_argument("--backend", help="serial, openmp or cuda; default: the program's choice")
    arguments = parser.parse_args()
    for values in arguments.values:
        report(*run(arguments, values), values, arguments.samples)


if __name__ == "__main__":
    main()
