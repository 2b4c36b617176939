# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Runs of tessera-gp that several processes share, what they refuse, and what happens when one of
them fails: cli_ranks.py EXECUTABLE LAUNCHER."""

import functools
import os
import signal
import tempfile
import time

import h5py
import numpy as np

import run_cases
from cli_support import (
    EXECUTABLE,
    FILES,
    INPUT,
    RESOURCE,
    ROOT,
    TIMEOUT,
    USAGE,
    Outcome,
    arrays,
    attribute,
    run_in,
)
from ranks_support import RanksTest

# Vecchia's approximation does everything it can.
ALL = """\
app: gp
simulate: {points: 5000, layout: uniform}
covariance: {sigma2: 1.5, beta: 0.1, nu: 0.8, nugget: 0.05}
mean: linear
method: {vecchia: {neighbours: 12, prediction_neighbours: 20}}
fit: {start: [1, 0.05, 0.5, 0.1]}
predict: {fraction: 0.1, draws: 3}
cross_validation: {}
"""
# Minutes, unless it is stopped.
LONG = ALL.replace("points: 5000", "points: 60000").replace("neighbours: 12", "neighbours: 40")


@functools.lru_cache(maxsize=None)
def has_cuda():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "input.yaml"), "w", encoding="utf-8") as file:
            file.write(ALL)
        run = run_in(folder, EXECUTABLE, "input.yaml", "--backend", "cuda")
        return run.returncode == 0


class GpRanks(RanksTest):
    def setUp(self):
        super().setUp()
        self.write("input.yaml", ALL)
        self.write("long.yaml", LONG)


class Results(GpRanks):
    def check(self, numbers, *arguments):
        self.succeed("input.yaml", "-q", "--output", "alone.h5", *arguments)
        for ranks in numbers:
            with self.subTest(ranks=ranks):
                outcome = self.share(
                    ranks, "input.yaml", "-q", "--output", f"{ranks}.h5", *arguments
                )
                self.assertEqual((outcome.status, outcome.err), (0, ""))
                self.assert_same_bits("alone.h5", f"{ranks}.h5")

    def test_any_number_of_ranks(self):
        self.check((1, 2, 3, 4), "--backend", "serial")

    def test_more_ranks_than_blocks_of_points(self):
        self.check((3,), "--backend", "serial", "simulate.points=700")

    def test_rotated_axes(self):
        self.check(
            (2,),
            "--backend",
            "serial",
            "covariance.beta=[0.12, 0.08]",
            "covariance.angle=30",
            "fit.start=[1, 0.05, 0.04, 10, 0.5, 0.1]",
        )

    def test_two_variables_with_a_range_each(self):
        self.check(
            (2, 3),
            "--backend",
            "serial",
            "simulate.points=600",
            "covariance={variables: 2, cross: full, sigma2: [1, 2], beta: [0.05, 0.1, 0.07], "
            "nu: [0.6, 1.2], excess: 0.2, rho: -0.6, nugget: 0.05}",
            "fit={}",
            "run.seed=2",
        )

    def test_space_and_time(self):
        self.check(
            (2, 3),
            "--backend",
            "serial",
            "simulate={points: 120, times: 8, layout: uniform}",
            "covariance={family: matern, time: gneiting, sigma2: 1, beta: 0.2, nu: 0.8, "
            "beta_time: 2, alpha: 0.7, interaction: 0.9, nugget: 0.05}",
            "fit={fixed: [nu, alpha], start: [1, 0.2, 0.8, 2, 0.7, 0.9, 0.05], "
            "standard_errors: none}",
            "run.seed=2",
        )

    def test_five_inputs_with_a_range_each(self):
        self.check(
            (2, 3),
            "--backend",
            "serial",
            "simulate={points: 600, layout: uniform, lower: [0, 0, 0, 0, 0], "
            "upper: [1, 1, 1, 1, 1]}",
            "covariance={family: matern52, sigma2: 1, beta: [0.3, 0.4, 0.5, 0.6, 0.7], nugget: 0.01}",
            "fit={standard_errors: none}",
            "mean=constant",
        )

    def test_series_on_a_sphere(self):
        self.check(
            (2, 3),
            "--backend",
            "serial",
            "simulate={points: 500, layout: uniform, lower: [-90, -180], upper: [90, 180]}",
            "covariance={family: legendre_matern, sigma2: 1, beta: 2000, nu: 1, terms: 60, "
            "nugget: 0.05}",
            "fit={fixed: [nu], standard_errors: none}",
            "mean=constant",
        )

    def test_random_effects_of_groupings(self):
        self.check(
            (2, 3),
            "--backend",
            "serial",
            "simulate={points: 1500, groups: [site, observer], levels: [70, 8]}",
            "groups.variance=[0.3, 0.2]",
            "fit={fixed: [beta, nu, nugget], standard_errors: none}",
            "cross_validation.folds=3",
        )

    def test_the_exact_solver(self):
        """Within rounding of one device, which a search for the largest likelihood would
        enlarge."""
        exact = [
            "--backend",
            "serial",
            "simulate.points=900",
            "method=exact",
            "loglik={theta: [[1, 0.1, 0.5, 0.1], [2, 0.2, 1, 0.05]]}",
        ]
        self.write(
            "input.yaml",
            "".join(
                line + "\n" for line in ALL.splitlines() if not line.startswith(("method", "fit"))
            ),
        )
        self.succeed("input.yaml", "-q", "--output", "alone.h5", *exact)
        for ranks in (2, 3):
            outcome = self.share(ranks, "input.yaml", "-q", "--output", f"{ranks}.h5", *exact)
            self.assertEqual((outcome.status, outcome.err), (0, ""))
            alone, shared = arrays(self.path("alone.h5")), arrays(self.path(f"{ranks}.h5"))
            self.assertEqual(sorted(alone), sorted(shared))
            for name, values in alone.items():
                if np.asarray(values).dtype.kind == "f":
                    np.testing.assert_allclose(
                        shared[name], values, rtol=1e-8, atol=1e-9, err_msg=name
                    )
            np.testing.assert_allclose(
                shared["results/loglik"], alone["results/loglik"], rtol=1e-12
            )

    def test_on_devices(self):
        if not has_cuda():
            self.skipTest("no CUDA")
        outcome = self.share(2, "input.yaml", "-q", "--backend", "cuda", "--output", "2.h5")
        if outcome.status == RESOURCE and "finds no free one" in outcome.err:
            self.skipTest("one device")
        self.succeed("input.yaml", "-q", "--backend", "cuda", "--output", "alone.h5")
        self.assert_same_bits("alone.h5", "2.h5")

    def test_one_voice(self):
        outcome = self.share(2, "input.yaml", "--backend", "serial")
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertEqual(outcome.err.count("running on 2 ranks, serial"), 1)
        self.assertEqual(outcome.err.count("results: input.h5"), 1)

    def test_a_restart_with_other_ranks(self):
        self.succeed("input.yaml", "-q", "--backend", "serial", "--output", "alone.h5")
        for before, after in ((2, 1), (1, 3), (3, 2)):
            with self.subTest(before=before, after=after):
                self.check_restart(before, after, "--backend", "serial")

    def test_blocks_of_points(self):
        source = os.path.join(ROOT, "inputs", "gp", "vecchia_quickstart.yaml")
        outcome = self.share(2, source, "--backend", "serial", "method.vecchia.block=8")
        err = outcome.err
        self.assertEqual(outcome.status, USAGE, err)
        self.assertEqual(
            err.count(
                "this run cannot be divided among ranks: method.vecchia.block works on one device"
            ),
            1,
            err,
        )


class WrongInput(GpRanks):
    def test_an_error_is_told_once(self):
        outcome = self.share(3, "input.yaml", "covariance.nu=-1")
        self.assertEqual(outcome.status, INPUT)
        self.assertEqual(outcome.err.count("'covariance.nu' is -1"), 1, outcome.err)

    def test_output_that_exists(self):
        self.write("input.h5", b"precious")
        outcome = self.share(2, "input.yaml")
        self.assertEqual(outcome.status, FILES, outcome.err)
        self.assertEqual(outcome.err.count("input.h5"), 1, outcome.err)
        self.assertEqual(self.read("input.h5"), b"precious")

    def test_different_inputs(self):
        outcome = Outcome(*self.both("input.yaml", "long.yaml"))
        self.assertEqual(outcome.status, USAGE, outcome.err)
        self.assertIn("rank 1 has another program, input or data file than the first", outcome.err)

    def both(self, first, second):
        process = self.launch("-n", "1", EXECUTABLE, first, ":", "-n", "1", EXECUTABLE, second)
        out, err = process.communicate(timeout=TIMEOUT)
        return process.returncode, out, err

    def test_more_ranks_than_devices(self):
        if not has_cuda():
            self.skipTest("no CUDA")
        outcome = self.share(16, "input.yaml", "--backend", "cuda")
        self.assertEqual(outcome.status, RESOURCE, outcome.err)
        self.assertIn("start one rank for each device", outcome.err)

    def test_a_timeout_that_is_none(self):
        outcome = self.share(2, "input.yaml", TESSERA_RANK_TIMEOUT="soon")
        self.assertEqual(outcome.status, USAGE, outcome.err)


class Faults(GpRanks):
    def setUp(self):
        super().setUp()
        self.write("long.h5", b"old")
        self.arguments = ["long.yaml", "--backend", "serial", "--force"]

    def assert_left_alone(self):
        self.assertEqual(self.read("long.h5"), b"old")
        self.assertEqual([name for name in self.files() if "tmp" in name], [])

    def test_a_rank_is_killed(self):
        for victim in (0, 1):
            with self.subTest(victim=victim):
                self.kill_a_rank(victim, 2, *self.arguments)
                self.assert_left_alone()

    def test_a_rank_hangs(self):
        process = self.launch("-n", "2", EXECUTABLE, *self.arguments, TESSERA_RANK_TIMEOUT="2")
        os.kill(self.pids(process, 2)[1], signal.SIGSTOP)
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, RESOURCE, err)
        self.assertIn("rank 0 has waited 2 s for the others", err)
        self.assert_left_alone()

    def test_memory_of_one_rank(self):
        limited = [
            "sh",
            "-c",
            'ulimit -v 400000; exec "$0" "$@"',
            EXECUTABLE,
            *self.arguments,
            "simulate.points=3000000",
        ]
        process = self.launch(
            "-n",
            "1",
            EXECUTABLE,
            *self.arguments,
            "simulate.points=3000000",
            ":",
            "-n",
            "1",
            *limited,
        )
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, RESOURCE, err)
        self.assertRegex(err, "rank 1: .*memory")
        self.assert_left_alone()

    def test_a_full_disk_at_the_root(self):
        limited = ["sh", "-c", 'ulimit -f 20; exec "$0" "$@"', EXECUTABLE, "input.yaml", "--force"]
        self.write("input.h5", b"old")
        process = self.launch(
            "-n",
            "1",
            *limited,
            ":",
            "-n",
            "1",
            EXECUTABLE,
            "input.yaml",
            "--force",
            # These transports write no large files of their own.
            OMPI_MCA_btl="self,tcp",
            PMIX_MCA_gds="hash",
        )
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, FILES, err)
        self.assertEqual(self.read("input.h5"), b"old")
        with self.assertRaises(OSError):
            h5py.File(self.path("input.h5"))

    def test_a_signal(self):
        started = time.monotonic()
        process = self.launch("-n", "3", EXECUTABLE, *self.arguments)
        self.pids(process, 3)
        process.send_signal(signal.SIGUSR2)
        _, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 128 + signal.SIGUSR2, err)
        self.assertLess(time.monotonic() - started, 120)
        self.assertIn("long.restart.h5", self.files())
        self.assertEqual(attribute(self.path("long.h5"), "run_status"), "interrupted")


if __name__ == "__main__":
    run_cases.main()
