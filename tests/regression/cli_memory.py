# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Inputs that ask for more memory than there is end with a message, in good time. Run with
tessera-gbees."""

import functools
import os
import resource
import subprocess
import time
import unittest

import h5py

import run_cases
from cli_support import EXECUTABLE, INPUT, RESOURCE, CommandLineTest, backends, environment

GB = 10**9


@unittest.skipIf("cuda" in backends(), "CUDA needs more addresses than the limits of these tests")
class Memory(CommandLineTest):
    def run_app(self, app, text, *arguments, memory=4 * GB, seconds=60, **more):
        """A run of an application within a limit of memory. more: of the environment."""
        executable = os.path.join(os.path.dirname(EXECUTABLE), f"tessera-{app}")
        if not os.path.exists(executable):
            self.skipTest(f"tessera-{app} was not built")
        self.write("input.yaml", text)
        return subprocess.run(
            [executable, "input.yaml", *arguments],
            cwd=self.folder,
            env=dict(environment(), **more),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)),
        )

    def assert_ends(self, outcome, status, *phrases):
        self.assertEqual((outcome.returncode, outcome.stdout), (status, ""), outcome.stderr)
        self.assertNotIn("internal error", outcome.stderr)
        for phrase in phrases:
            self.assertRegex(outcome.stderr, phrase)

    def test_arrays_of_kokkos(self):
        particles = (
            "app: gbees\nbackend: serial\nmodel: {name: lorenz63}\ngrid: {spacing: [1, 1, 1], threshold: 1e-3}\n"
            "initial: {mean: [0, 0, 0], standard_deviation: [1, 1, 1]}\ntime: {end: 0.01}\n"
            "validate: {monte_carlo: {samples: 1000000000}}\n"
        )
        self.assert_ends(
            self.run_app("gbees", particles),
            RESOURCE,
            r"error: cannot allocate 24.0 GB for 'tessera::gbees::particles'\n  remedy: make the problem smaller, or",
        )
        self.assert_ends(
            self.run_app(
                "stable", "app: stable\nbackend: serial\nproblem: {task: sample, n: 4e9}\n"
            ),
            RESOURCE,
            r"error: cannot allocate 32.0 GB for 'tessera::stable::\w+'\n  remedy: make the problem smaller, or",
        )

    def test_buffers_of_openblas(self):
        """Of 134 MB, for each of its threads, for which OpenBLAS would ask without end. The limit
        leaves less to a program that is loaded."""
        text = (
            "app: gbees\nbackend: serial\nmodel: {name: lorenz63}\ngrid: {spacing: [1, 1, 1], threshold: 1e-3}\n"
            "initial: {mean: [0, 0, 0], covariance: [[1, 0.2, 0], [0.2, 1, 0], [0, 0, 1]]}\ntime: {end: 0.01}\n"
        )
        if (
            "openblas"
            not in subprocess.run(
                ["ldd", EXECUTABLE], capture_output=True, text=True, check=False
            ).stdout
        ):
            self.skipTest("another BLAS")
        step = 32 * 2**20
        for threads in ("1", "2"):
            with self.subTest(threads=threads):
                run = functools.partial(
                    self.run_app, "gbees", text, seconds=20, OPENBLAS_NUM_THREADS=threads
                )
                loaded = step
                while run("--version", memory=loaded).returncode != 0:
                    loaded += step
                for arguments in (["--validate"], ["-q"]):
                    self.assert_ends(
                        run(*arguments, memory=loaded + 3 * step),
                        RESOURCE,
                        r"error: there is no memory for OpenBLAS: it needs a buffer of 134 MB\n"
                        r"  remedy: raise the limit of the process's address space \(ulimit -v\), or",
                    )
                self.assert_ends(run("--validate", memory=loaded + 12 * step), 0, "valid")

    def test_datasets_that_claim_any_size(self):
        with h5py.File(self.path("data.h5"), "w") as file:
            file.create_dataset("field", shape=(2**31, 2**31), dtype="f8", chunks=(64, 64))
            file.create_dataset("line", shape=(2**62,), dtype="f8", chunks=(64,))
            file.create_dataset("column", shape=(2**62,), dtype="f8", chunks=(64,))
        for app, text in (
            ("mpr", "app: mpr\ntask: fill\ninput: {file: data.h5, dataset: field}\n"),
            ("stable", "app: stable\nproblem: {task: fit, data: {file: data.h5, dataset: line}}\n"),
            ("bessel", "app: bessel\nproblem: {x: {file: data.h5, dataset: line}}\n"),
            (
                "gp",
                "app: gp\ndata: {file: data.h5, coordinates: [line, column], values: [line]}\nfit: {}\n",
            ),
        ):
            with self.subTest(app):
                self.assert_ends(
                    self.run_app(app, text, "--validate"),
                    RESOURCE,
                    "'data.h5:/(field|line)' holds 4611686018427387904 values",
                )

    def test_ranges_are_checked_and_not_made(self):
        for app, text in (
            ("boys", "app: boys\nproblem: {x: {linspace: [0, 10, 1e9]}}\n"),
            ("bessel", "app: bessel\nproblem: {x: {linspace: [0.1, 10, 1e9]}}\n"),
            (
                "bessel",
                "app: bessel\nproblem: {combine: grid, nu: {linspace: [0, 5, 1e4]}, x: {linspace: [0.1, 9, 1e5]}}\n",
            ),
            ("bessel", "app: bessel\nproblem: {task: matern, r: {linspace: [0.1, 10, 1e9]}}\n"),
            ("stable", "app: stable\nproblem: {task: evaluate, x: {linspace: [-1, 1, 1e9]}}\n"),
            ("stable", "app: stable\nproblem: {task: quantile, p: {linspace: [0.1, 0.9, 1e9]}}\n"),
            (
                "gp",
                "app: gp\ncovariance: {sigma2: 1, beta: 1, nu: 1}\nsimulate: {points: 16}\n"
                "predict: {grid: {x: {linspace: [0, 1, 1e9]}, y: [0]}}\n",
            ),
        ):
            with self.subTest(app + text):
                begin = time.monotonic()
                self.assert_ends(self.run_app(app, text, "--validate", memory=2 * GB), 0, "valid")
                self.assertLess(time.monotonic() - begin, 20)
                self.assert_ends(
                    self.run_app(app, text, "-q", "--output", "out.h5", "--force", memory=2 * GB),
                    RESOURCE,
                    "remedy: ",
                )

    def test_ends_of_ranges_are_checked(self):
        self.assert_ends(
            self.run_app(
                "bessel", "app: bessel\nproblem: {x: {linspace: [-1, 10, 1e9]}}\n", "--validate"
            ),
            INPUT,
            r"input.yaml:2:\d+: error: the ends of 'problem.x.linspace' must be between 0 and",
        )
        self.assert_ends(
            self.run_app(
                "bessel", "app: bessel\nproblem: {x: {linspace: [1, 10, 1e10]}}\n", "--validate"
            ),
            INPUT,
            "the third number of 'problem.x.linspace' says how many: a whole number from 1 to 1e9",
        )
        self.assert_ends(
            self.run_app(
                "bessel",
                "app: bessel\nproblem: {combine: grid, nu: {linspace: [0, 5, 1e6]}, x: {linspace: [1, 9, 1e6]}}\n",
                "--validate",
            ),
            INPUT,
            "the grid has more than 1e9 points",
        )

    def test_aliases_and_keys(self):
        text = (
            'app: bessel\nx-a: &a "'
            + "a" * 200000
            + '"\nx-b: ['
            + ", ".join(["*a"] * 50000)
            + "]\n"
        )
        self.assert_ends(
            self.run_app("bessel", text, "--validate", memory=GB, seconds=20),
            INPUT,
            r"^input.yaml:3:\d+: error: aliases expand to more than 16 MiB of text\n$",
        )
        text = "app: bessel\n" + "".join(f"x-{i}: 1\n" for i in range(60000))
        self.assert_ends(
            self.run_app("bessel", text, "--validate", memory=GB, seconds=20), 0, "valid"
        )


if __name__ == "__main__":
    run_cases.main()
