# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp_vecchia.py EXECUTABLE. Vecchia's approximation: neighbours,
blocks, samples, intervals."""

import os
import re
import sys

import h5py
import numpy as np

import run_cases
from cli_support import EXECUTABLE, INPUT, RESOURCE, arrays, run_in
from gp_support import (
    INPUTS,
    RISING,
    SAMPLE,
    VECCHIA,
    GpTest,
    skip_without_nlopt,
    some_points,
    table,
)


def setUpModule():
    skip_without_nlopt()


class Vecchia(GpTest):
    def test_quick_start(self):
        self.succeed(
            os.path.join(INPUTS, "vecchia_quickstart.yaml"), "--output", "quickstart.h5", "-q"
        )
        found = arrays(self.path("quickstart.h5"))
        theta, error = found["results/theta"][0], found["results/theta_se"][0]
        self.assertTrue((np.abs(theta - found["results/truth"]) < 4 * error).all(), (theta, error))
        with h5py.File(self.path("quickstart.h5")) as file:
            self.assertAlmostEqual(
                file["results/prediction"].attrs["coverage_95"], 0.95, delta=0.02
            )
            self.assertEqual(file["results"].attrs["method"], "vecchia")

    def test_every_stage(self):
        self.write("input.yaml", VECCHIA)
        found = self.results()
        theta, error = found["results/theta"][0], found["results/theta_se"][0]
        self.assertTrue((np.abs(theta - found["results/truth"]) < 4 * error).all(), (theta, error))
        self.assertEqual(found["results/prediction/draws"].shape, (250, 2))
        self.assertEqual(found["results/cross_validation/mean"].shape, (2250,))
        with h5py.File(self.path("input.h5")) as file:
            self.assertGreater(file["results"].attrs["simulation_levels"], 20)
            self.assertGreater(file["results/prediction"].attrs["levels"], 1)

    def test_predictions_in_blocks(self):
        """They are nearer to the exact ones than those from the nearest of each target."""
        model = (
            "app: gp\nsimulate: {points: 2000, layout: uniform}\n"
            "covariance: {family: matern32, sigma2: 1, beta: 0.05, nugget: 0.5}\n"
            "predict: {fraction: 0.2, draws: 2}\ncross_validation: {}\nmethod: "
        )
        found = {}
        for name, method in (
            ("exact", "exact"),
            ("nearest", "{vecchia: {neighbours: 20}}"),
            ("blocks", "{vecchia: {neighbours: 20, prediction_block: 40}}"),
        ):
            self.write("input.yaml", model + method + "\n")
            found[name] = self.results()
        for key in ("cross_validation/mean", "cross_validation/variance"):
            nearest, blocks = (found[name][f"results/{key}"] for name in ("nearest", "blocks"))
            self.assertTrue((nearest == blocks).all(), key)
        for key, tolerance in (("mean", 0.01), ("variance", 0.002)):
            exact, nearest, blocks = (
                found[name][f"results/prediction/{key}"] for name in ("exact", "nearest", "blocks")
            )
            if key == "variance":  # the data of the exact solver are others
                self.assertLess(np.abs(blocks - exact).max(), tolerance)
                self.assertLess(10 * np.abs(blocks - exact).max(), np.abs(nearest - exact).max())
            self.assertLess(np.abs(nearest - blocks).max(), 0.2)

    def test_predictions_in_blocks_are_refused(self):
        self.write("data.csv", table(some_points(50)))
        for rest, *phrases in (
            ("method: {vecchia: {prediction_block: 601}}", "prediction_block", "between 1 and 600"),
            (
                "likelihood: {family: poisson}\nmethod: {vecchia: {prediction_block: 9}}",
                "predicts each target by itself: leave out 'prediction_block'",
            ),
        ):
            self.write(
                "input.yaml",
                f"app: gp\ndata: {{file: data.csv}}\n{rest}\npredict: {{grid: [3, 3]}}\n",
            )
            self.refused(INPUT, *phrases)

    def test_neighbours_of_a_start_far_away(self):
        """Neighbours that no search found again are those of the wrong ranges."""
        moved = "the ranges have changed against each other by more than 20 %"
        for refresh in (0, 2):
            self.write("input.yaml", VECCHIA.replace("refresh: 2", f"refresh: {refresh}"))
            outcome = self.succeed("input.yaml", "--force")
            (self.assertIn if refresh == 0 else self.assertNotIn)(moved, outcome.err)

    def test_old_neighbours_of_several_fits(self):
        """Each replicate has its fit; the warning says in how many ranges have moved."""
        several = VECCHIA.replace("points: 2500", "points: 900, replicates: 3").replace(
            "fit: {", "fit: {replicates: separate, "
        )
        several = several.replace("predict: {fraction: 0.1, draws: 2}\ncross_validation: {}\n", "")
        moved = "in 3 of 3 fits the ranges have changed against each other by more than 20 %"
        for refresh in (0, 2):
            self.write("input.yaml", several.replace("refresh: 2", f"refresh: {refresh}"))
            outcome = self.succeed("input.yaml", "--force")
            (self.assertIn if refresh == 0 else self.assertNotIn)(moved, outcome.err)

    def test_old_neighbours_of_a_turn(self):
        """Angles decide which points are near, as ranges do."""
        turned = VECCHIA.replace("ranges: [0.1, 0.2]", "ranges: [0.05, 0.2], angle: 1")
        turned = turned.replace("[0.4, 0.03, 0.03, 1.2, 0.3]", "[1, 0.05, 0.2, 0.4, 0.5, 0.1]")
        turned = turned.replace("predict: {fraction: 0.1, draws: 2}\ncross_validation: {}\n", "")
        moved = "the ranges and their angle have changed distances against each other"
        for refresh in (0, 2):
            self.write("input.yaml", turned.replace("refresh: 2", f"refresh: {refresh}"))
            outcome = self.succeed("input.yaml", "--force")
            (self.assertIn if refresh == 0 else self.assertNotIn)(moved, outcome.err)

    def test_with_all_neighbours_it_is_exact(self):
        self.write("data.csv", table(some_points()))
        self.write(
            "input.yaml", "app: gp\ndata: {file: data.csv}\nloglik: {theta: [[1, 0.1, 0.7]]}\n"
        )
        exact = self.results()["results/loglik"][0]
        for method in (
            "{vecchia: {neighbours: 59}}",
            "{vecchia: {neighbours: 1000, ordering: coordinate}}",
        ):
            self.assertAlmostEqual(
                self.results("method=" + method)["results/loglik"][0] / exact, 1, delta=1e-12
            )

    def test_auto_says_which_and_why(self):
        self.write(
            "input.yaml",
            "app: gp\ncovariance: {sigma2: 1, beta: 0.05, nu: 0.5}\nsimulate: {points: 400, layout: regular}\nloglik: {theta: [[1, 0.05, 0.5]]}\nmethod: auto\n",
        )
        self.assertIn(
            "method: exact (400 points, not more than the",
            self.succeed("input.yaml", "--force").err,
        )
        outcome = self.succeed("input.yaml", "--force", "simulate.points=10000", "backend=serial")
        self.assertIn(
            "method: vecchia (10000 points, more than the 8192 that the exact solver takes on serial)",
            outcome.err,
        )
        with h5py.File(self.path("input.h5")) as file:
            self.assertIn("more than the 8192", file["results"].attrs["method_reason"])

    def test_bad_input(self):
        self.write("data.csv", table(some_points()))
        text = "app: gp\ndata: {file: data.csv}\ncovariance: {family: matern}\nfit: {}\n"
        for more, message in (
            (
                "method: vechia\n",
                "'method' is 'vechia', but must be one of exact, vecchia, auto (did you mean 'vecchia'?)",
            ),
            (
                "method: {vecchia: {neighbors: 30}}\n",
                "unknown key 'neighbors' in 'method.vecchia' (did you mean 'neighbours'?)",
            ),
            (
                "method: {vecchia: {neighbours: 0}}\n",
                "'method.vecchia.neighbours' is 0, but must be between 1 and 1000",
            ),
            (
                "method: {vecchia: {ordering: hilbert}}\n",
                "'method.vecchia.ordering' is 'hilbert', but must be one of maxmin, random, coordinate, given",
            ),
        ):
            with self.subTest(message):
                self.write("input.yaml", text + more)
                self.refused(INPUT, "input.yaml:", message)
        self.write("input.yaml", text.replace("matern", "matern, bins: 40") + "method: vecchia\n")
        self.refused(INPUT, "input.yaml:", "leave out 'bins'")
        self.write(
            "input.yaml", text.replace("matern", "matern, bessel: gsl") + "method: vecchia\n"
        )
        outcome = self.call("input.yaml", "--force")
        self.assertEqual(outcome.status, INPUT, outcome.err)
        self.assertRegex(
            outcome.err, "leave out 'bessel'|'bessel: gsl' is not in this build: install GSL"
        )
        self.write(
            "input.yaml",
            "app: gp\ncovariance: {sigma2: 1, beta: 0.1, nu: 0.5}\nsimulate: {points: 250000}\nmethod: vecchia\nrun: {memory_limit: 0.1}\n",
        )
        self.refused(
            RESOURCE,
            "250000 points with 30 neighbours each need",
            ", simulations included, on the device",
            "allowed by run.memory_limit",
            "raise run.memory_limit",
        )


class StartSample(GpTest):
    """fit.start_sample: the fit of a subset gives the start of the full one."""

    def test_same_maximum_in_fewer_likelihoods(self):
        self.write("input.yaml", SAMPLE)
        plain = self.results()
        outcome = self.succeed("input.yaml", "--force", "--progress", "off", "fit.start_sample=600")
        self.assertRegex(
            outcome.err, r"a fit of 600 of 3969 points, \d+ likelihoods, gives the start: sigma2 = "
        )
        found = arrays(self.path("input.h5"))
        np.testing.assert_allclose(found["results/theta"], plain["results/theta"], rtol=1e-3)
        np.testing.assert_allclose(found["results/loglik"], plain["results/loglik"], atol=1e-4)
        self.assertLess(found["results/evaluations"][0], plain["results/evaluations"][0])
        self.assertEqual(
            np.count_nonzero(found["series/start"] == 0), found["results/evaluations"][0]
        )
        self.assertGreater(np.count_nonzero(found["series/start"] == -1), 3)
        with h5py.File(self.path("input.h5")) as file:
            self.assertEqual(file["results"].attrs["start_sample"], 600)

    def test_same_bits_again_and_other_methods(self):
        self.write("input.yaml", SAMPLE.replace("4000", "400"))
        for arguments in (
            ["fit.start_sample=100"],
            ["fit.start_sample=100", "method=exact", "fit.method=lbfgs"],
            ["fit.start_sample=4000"],
        ):
            first, second = self.results(*arguments), self.results(*arguments)
            np.testing.assert_array_equal(first["results/theta"], second["results/theta"])
        self.assertNotIn(-1, second["series/start"], "a sample of all points is none")
        separate = self.results(
            "fit.start_sample=100", "fit.replicates=separate", "simulate.replicates=2"
        )
        self.assertEqual(len(separate["results/theta"]), 2)
        self.refused(
            INPUT,
            "'fit.start_sample' is 20, but must be 0, or 50 and more",
            arguments=["fit.start_sample=20"],
        )


class Blocks(GpTest):
    """method.vecchia.block: points conditioned together."""

    TEXT = (
        "app: gp\ndata: {file: data.csv}\ncovariance: {sigma2: 1, beta: 0.1, nu: 0.7, nugget: 0.1}\n"
        "method: {vecchia: {neighbours: 5, block: 8}}\nloglik: {theta: [[1, 0.1, 0.7, 0.1]]}\n"
    )

    def test_nearer_to_the_exact_likelihood(self):
        self.write("data.csv", table(some_points(200)))
        self.write("input.yaml", self.TEXT)
        loglik = {
            block: self.results(f"method.vecchia.block={block}")["results/loglik"][0]
            for block in (1, 8, 256)
        }
        exact = self.results("method=exact")["results/loglik"][0]
        self.assertLess(abs(loglik[8] - exact), abs(loglik[1] - exact))
        self.assertAlmostEqual(loglik[256] / exact, 1, delta=1e-11)

    def test_a_size_that_is_no_power_of_two(self):
        self.write("data.csv", table(some_points(20)))
        self.write("input.yaml", self.TEXT)
        self.refused(
            INPUT, "blocks of 12 points: give a power of two", arguments=["method.vecchia.block=12"]
        )


class ByNeighbours(GpTest):
    """loglik.neighbours: the likelihood against the number of neighbours."""

    def test_the_last_is_exact(self):
        self.write("data.csv", table(some_points(200)))
        self.write("input.yaml", RISING)
        found = self.results()
        np.testing.assert_array_equal(found["results/by_neighbours/neighbours"], [5, 12, 199])
        loglik = found["results/by_neighbours/loglik"]
        self.assertEqual(loglik.shape, (3, 2))
        np.testing.assert_array_equal(
            loglik[1], found["results/loglik"], "those of method.vecchia.neighbours"
        )
        self.write(
            "input.yaml",
            RISING.replace(", neighbours: [5, 12, 199]", "").replace(
                "{vecchia: {neighbours: 12}}", "exact"
            ),
        )
        np.testing.assert_allclose(loglik[2], self.results()["results/loglik"], rtol=1e-11)
        self.write("input.yaml", RISING.replace("{vecchia: {neighbours: 12}}", "auto"))
        self.refused(INPUT, "'loglik.neighbours' is for 'method: vecchia'")


class Neighbours(GpTest):
    """results/neighbours; its picture is drawn with the others."""

    def test_what_points_are_conditioned_on(self):
        self.write("data.csv", table(some_points(300)))
        self.write(
            "input.yaml",
            "app: gp\ndata: {file: data.csv}\ncovariance: {sigma2: 1, beta: 0.1, nu: 0.7, nugget: 0.1}\n"
            "method: {vecchia: {neighbours: 12, ordering: given}}\nloglik: {theta: [[1, 0.1, 0.7, 0.1]]}\n",
        )
        found = self.results()
        points, ranks, neighbours = (
            found[f"results/neighbours/{name}"] for name in ("point", "rank", "neighbours")
        )
        np.testing.assert_array_equal(ranks, [299, 149, 74, 37, 18, 9])
        np.testing.assert_array_equal(points, ranks, "the order is the given one")
        place = some_points(300)[:, :2]
        for point, others in zip(points, neighbours):
            distance = np.linalg.norm(place[:point] - place[point], axis=1)
            np.testing.assert_array_equal(
                others[others >= 0], np.argsort(distance, kind="stable")[:12]
            )
        self.assertNotIn("results/neighbours/point", self.results("method=exact"))


class Coverage(GpTest):
    def test_intervals_of_held_out_observations_hold(self):
        """By the script for a million points, on fewer."""
        script = os.path.join(INPUTS, "coverage.py")
        for layout in ("grid", "uniform"):
            with self.subTest(layout):
                run = run_in(
                    self.folder,
                    sys.executable,
                    "-B",
                    script,
                    "--points",
                    "40000",
                    "--neighbours",
                    "15",
                    "--layout",
                    layout,
                    "--program",
                    EXECUTABLE,
                )
                if "this build has no FFTW" in run.stderr:
                    self.skipTest("the executable was built without FFTW")
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
                share = float(re.search(r"intervals of 95 % hold ([0-9.]+) %", run.stdout).group(1))
                self.assertTrue(94 <= share <= 96, run.stdout)


if __name__ == "__main__":
    run_cases.main()
