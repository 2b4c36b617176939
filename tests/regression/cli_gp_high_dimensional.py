# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp_high_dimensional.py EXECUTABLE. More than three coordinates, with
a range for each: the emulator of a computer model, fits that find the ranges of a simulated field,
bad inputs."""

import importlib.util
import os

import h5py
import numpy as np

import run_cases
from cli_support import INPUT, arrays
from gp_support import INPUTS, GpTest, table


def many_points(n, dimension, seed=1):
    return np.random.default_rng(seed).random((n, dimension))


def many_columns(dimension):
    return ",".join(f"x{k + 1}" for k in range(dimension)) + ",z"


# A field of seven coordinates, of which the ranges of the last three are long.
SIMULATED = """\
app: gp
mean: zero
covariance: {family: matern52, sigma2: 2, beta: [0.4, 0.6, 0.8, 1.0, 40, 40, 40], nugget: 0.01}
simulate: {points: 1500, lower: [0, 0, 0, 0, 0, 0, 0], upper: [1, 1, 1, 1, 1, 1, 1]}
predict: {fraction: 0.2}
run: {seed: 4}
"""


class HighDimensional(GpTest):
    def test_the_emulator_of_a_computer_model(self):
        self.succeed(os.path.join(INPUTS, "simulator.yaml"), "--output", "simulator.h5", "-q")
        found = arrays(self.path("simulator.h5"))
        with h5py.File(self.path("simulator.h5")) as file:
            self.assertEqual(file["results/converged"][0], 1)
            scores = dict(file["results/prediction"].attrs)
        variance = found["results/observations"].var()
        self.assertLess(scores["mspe"], 1e-4 * variance)
        mean, spread = (found[f"results/prediction/{key}"] for key in ("mean", "observed_variance"))
        error = found["results/prediction/observed"] - mean
        self.assertAlmostEqual(
            scores["nlpd"],
            np.mean(0.5 * np.log(2 * np.pi * spread) + 0.5 * error**2 / spread),
            places=10,
        )
        # temperature and year do not matter, the radius most
        extent = np.ptp([found[f"coordinates/x{k + 1}"] for k in range(10)], axis=1)
        relative = found["results/theta"][0, 1:11] / extent
        self.assertEqual(np.argmin(relative), 0)
        self.assertGreater(relative[8:].min(), 50)

    def test_the_script_makes_the_runs(self):
        specification = importlib.util.spec_from_file_location(
            "simulator", os.path.join(INPUTS, "simulator.py")
        )
        simulator = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(simulator)
        with open(os.path.join(INPUTS, "simulator.csv"), encoding="utf-8") as file:
            header, *rows = file.read().splitlines()
        self.assertEqual(header.split(","), [*simulator.INPUTS, "flow"])
        self.assertEqual(len(rows), simulator.RUNS)
        for row in rows[::40]:
            *inputs, flow = map(float, row.split(","))
            self.assertAlmostEqual(simulator.flow(*inputs[:8]) / flow, 1, places=6)

    def test_a_fit_finds_the_ranges(self):
        truth = np.array([0.4, 0.6, 0.8, 1.0])
        for method in ("exact", "{vecchia: {neighbours: 40}}"):
            self.write("input.yaml", SIMULATED + f"method: {method}\nfit: {{start: {[1.0] * 9}}}\n")
            found = self.results()
            with h5py.File(self.path("input.h5")) as file:
                coverage = file["results/prediction"].attrs["coverage_95"]
            theta, error = found["results/theta"][0, 1:5], found["results/theta_se"][0, 1:5]
            self.assertTrue((np.abs(theta - truth) < 4 * error).all(), (method, theta, error))
            self.assertTrue((found["results/theta"][0, 5:8] > 5).all(), found["results/theta"])
            self.assertAlmostEqual(coverage, 0.95, delta=0.04)

    def test_a_start_from_the_data(self):
        """`ranges: each` starts in proportion to the deviation of each coordinate."""
        x = many_points(200, 5) * [1, 10, 100, 1000, 1]
        z = np.sin(4 * x[:, 0]) + np.cos(0.4 * x[:, 1])
        self.write("data.csv", table(np.c_[x, z], many_columns(5)))
        self.write(
            "input.yaml",
            "app: gp\ndata: {file: data.csv, coordinates: [x1..x5]}\n"
            "covariance: {family: matern52, ranges: each, nugget: 0.01}\nfit: {}\n"
            "predict: {points: {file: data.csv}}\n",
        )
        found = self.results()
        start = found["series/theta"][0, 1:6]
        np.testing.assert_allclose(start / x.std(axis=0), np.sqrt(5 / 2), rtol=1e-9)
        self.assertLess(np.abs(found["results/prediction/mean"] - z).max(), 0.1)

    def test_bad_inputs(self):
        x = many_points(60, 33)
        x[:, 4] = 0.5
        self.write("data.csv", table(np.c_[x, x[:, 0]], many_columns(33)))
        base = "app: gp\ndata: {{file: data.csv, coordinates: [x1..x{}]}}\ncovariance: {{{}}}\nfit: {{{}}}\n"
        for dimension, covariance, fit, phrases in (
            (33, "family: matern52", "", ("33 columns; 1 to 32 are possible", "leave out")),
            (6, "beta: [1, 1, 1, 1, 1]", "", ("has 5 elements, but there are 6 coordinates",)),
            (6, f"beta: {[1] * 33}", "", ("has 33 elements", "1 to 32")),
            (6, "ranges: some", "", ("'covariance.ranges'", "each")),
            (6, "ranges: [1, 1], beta: 1", "", ("either 'beta' or 'ranges'",)),
            (6, "beta: [1, 1, 1, 1, 1, 1], angle: 0.2", "", ("two or three coordinates",)),
            (6, "ranges: each, angle: 0.2", "", ("two or three coordinates",)),
            (4, "bins: 16", "method: bobyqa, standard_errors: none", ("up to three coordinates",)),
            (5, "ranges: each, nugget: 0.1", "", ("'x5' is 0.5 at all points", "fit.fixed")),
        ):
            with self.subTest(covariance=covariance):
                self.write("input.yaml", base.format(dimension, covariance, fit))
                self.refused(INPUT, *phrases)
        self.write(
            "input.yaml",
            base.format(
                5, "family: matern52, beta: 1, ranges: each, nugget: 0.1", "fixed: [beta_5]"
            ),
        )
        self.results()  # whose range is fixed

    def test_blocks_and_grids(self):
        self.write("input.yaml", SIMULATED + "method: {vecchia: {block: 4}}\nfit: {}\n")
        self.refused(INPUT, "blocks of points work in up to three coordinates")
        self.write("input.yaml", SIMULATED.replace("points: 1500", "points: 99, layout: regular"))
        self.refused(INPUT, "layout: uniform")


if __name__ == "__main__":
    run_cases.main()
