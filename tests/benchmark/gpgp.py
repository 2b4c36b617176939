#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""A likelihood by Vecchia's approximation beside that of GpGp, the package of R: the same points in
the same random order, the same neighbours, a Matern covariance of any smoothness with a nugget, and
a constant mean, on one thread each.

    gpgp.py build/serial/bin/tessera-gp --points 100000 --neighbours 30

Prints both log-likelihoods, their difference, and the processor time of a likelihood and of one
with gradient and Fisher information. Needs numpy, h5py, and R with GpGp and FNN:
install.packages("GpGp") in R. Works in a temporary folder.
"""
import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

THETA = {"sigma2": 1.5, "beta": 0.05, "nu": 0.8, "nugget": 0.05}
INPUT = """\
app: gp
backend: serial
data: {{file: points.csv}}
mean: constant
covariance: {{nugget: 0.05, sigma2: 1.5, beta: 0.05, nu: 0.8}}
method: {{vecchia: {{neighbours: {neighbours}, ordering: given}}}}
"""
ENVIRONMENT = {
    **os.environ,
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
FEW, MANY = 2, 12  # likelihoods, whose difference is timed


def fail(message):
    sys.exit(f"gpgp.py: {message}")


class Tessera:
    def __init__(self, program, folder, neighbours):
        self.program, self.folder, self.neighbours = os.path.abspath(program), folder, neighbours

    def run(self, text):
        """The results of an input, and the processor time that it took."""
        with open(os.path.join(self.folder, "input.yaml"), "w", encoding="utf-8") as file:
            file.write(INPUT.format(neighbours=self.neighbours) + text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run(
            [self.program, "input.yaml", "--force", "-q"],
            cwd=self.folder,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode != 0:
            fail(f"tessera-gp failed:\n{run.stderr}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with h5py.File(os.path.join(self.folder, "input.h5")) as file:
            results = {
                name: item[()]
                for name, item in file["results"].items()
                if isinstance(item, h5py.Dataset)
            }
        return results, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def simulate(self):
        return self.run("simulate: {}\n")[0]["observations"].ravel()

    def likelihood(self):
        """At THETA, and the time of one; smoothness changes from one to the next, as in a fit."""

        def run(count):
            theta = [
                [THETA["sigma2"], THETA["beta"], THETA["nu"] + 1e-4 * k, THETA["nugget"]]
                for k in range(count)
            ]
            return self.run(f"loglik: {{theta: {theta}}}\n")

        few, many = run(FEW), run(MANY)
        return many[0]["loglik"][0], (many[1] - few[1]) / (MANY - FEW)

    def gradient_seconds(self):
        """Of one with Fisher's information, as scoring takes them."""

        def run(count):
            results, seconds = self.run(
                f"fit: {{start: [0.5, 0.01, 2, 0.5], max_evaluations: {count}}}\n"
            )
            return results["evaluations"][0], seconds

        few, many = run(FEW), run(MANY)
        return (many[1] - few[1]) / (many[0] - few[0])


def write(folder, points, z):
    np.savetxt(
        os.path.join(folder, "points.csv"),
        np.column_stack([points, z]),
        fmt="%.17g",
        delimiter=",",
        header="x,y,z",
        comments="",
    )


def gpgp(folder, neighbours):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpgp.R")
    command = [
        "Rscript",
        script,
        "points.csv",
        str(neighbours),
        *(str(value) for value in THETA.values()),
    ]
    run = subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    if run.returncode != 0:
        fail(f"R failed:\n{run.stderr}")
    return dict(line.split() for line in run.stdout.splitlines())


def require_gpgp():
    if not shutil.which("Rscript"):
        fail(
            "there is no R; install it (Debian: apt-get install r-base-core), then GpGp: install.packages('GpGp') in R"
        )
    for package in ("GpGp", "FNN"):
        if (
            subprocess.run(
                ["Rscript", "-e", f"library({package})"], capture_output=True, check=False
            ).returncode
            != 0
        ):
            fail(f"R has no package {package}; install it: install.packages('{package}') in R")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("--points", type=int, default=100000)
    parser.add_argument("--neighbours", type=int, default=30)
    arguments = parser.parse_args()
    require_gpgp()
    with tempfile.TemporaryDirectory() as folder:
        points = np.random.default_rng(1).random((arguments.points, 2))
        tessera = Tessera(arguments.program, folder, arguments.neighbours)
        write(folder, points, np.zeros(arguments.points))
        write(folder, points, tessera.simulate())
        loglik, seconds = tessera.likelihood()
        gradient = tessera.gradient_seconds()
        peer = gpgp(folder, arguments.neighbours)
    theirs = {name: float(value) for name, value in peer.items() if name != "version"}
    print(
        f"{arguments.points} points, {arguments.neighbours} neighbours, GpGp {peer['version']}, processor time on one thread\n"
    )
    print("| | Tessera | GpGp | ratio |\n|---|---|---|---|")
    print(
        f"| log-likelihood | {loglik:.10g} | {theirs['loglik']:.10g} | difference {abs(loglik / theirs['loglik'] - 1):.1e} |"
    )
    for what, own, other in (
        ("likelihood", seconds, theirs["likelihood_seconds"]),
        ("with gradient and information", gradient, theirs["gradient_seconds"]),
    ):
        print(f"| {what} | {own:.3f} s | {other:.3g} s | {other / own:.3g} |")


if __name__ == "__main__":
    main()
