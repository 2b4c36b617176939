# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp.py EXECUTABLE. A table of points to estimates with errors and a map; what is wrong with data; interruption; pictures."""

import csv
import glob
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

import h5py
import numpy as np

import run_cases
from cli_support import EXECUTABLE, FILES, INPUT, NUMERICAL, RESOURCE, ROOT, TIMEOUT, CommandLineTest, arrays, attribute, environment
from plot_support import plot

INPUTS = os.path.join(ROOT, "inputs", "gp")
DATA = os.path.join(ROOT, "tests", "data", "gp")


def reference(name):
    with open(os.path.join(DATA, name), encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def table(rows, header="x,y,z"):
    return header + "\n" + "".join(",".join(str(value) for value in row) + "\n" for row in rows)


def some_points(n=60):
    """Points that are not on a grid, and a rough field."""
    i = np.arange(n)
    x, y = (0.5 + 0.618034 * i) % 1, (0.5 + 0.754878 * i) % 1
    return np.stack([x, y, np.sin(7 * x) + np.cos(9 * y) + 0.3 * np.sin(100 * i)], axis=1)


FIT = """\
app: gp
mean: zero
data: {file: data.csv}
covariance: {family: matern}
fit: {start: [0.5, 0.05, 0.8], tolerance: 1.0e-9}
"""

# Some seconds on one core.
LONG = """\
app: gp
mean: zero
covariance: {sigma2: 1, beta: 0.1, nu: 0.5}
simulate: {points: 625}
fit: {start: [0.4, 0.03, 1.2], tolerance: 1.0e-9, starts: 2, max_evaluations: 120}
predict: {fraction: 0.1, draws: 2}
run: {seed: 5}
"""


def setUpModule():
    """Nearly all of it fits, which takes NLopt."""
    run = subprocess.run([EXECUTABLE, os.path.join(INPUTS, "quickstart.yaml"), "--validate"], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if "this build has no NLopt" in run.stderr:
        raise unittest.SkipTest("the executable was built without NLopt")


# Vecchia's approximation with ranges that differ, so that neighbours are found anew.
VECCHIA = """\
app: gp
covariance: {sigma2: 1, ranges: [0.1, 0.2], nu: 0.5, nugget: 0.1}
simulate: {points: 2500}
method: {vecchia: {neighbours: 20, refresh: 2, prediction_neighbours: 40}}
fit: {start: [0.4, 0.03, 0.03, 1.2, 0.3]}
predict: {fraction: 0.1, draws: 2}
cross_validation: {}
run: {seed: 5}
"""


class GpTest(CommandLineTest):
    def results(self, *arguments, name="input.h5"):
        self.succeed("input.yaml", "-q", "--force", *arguments)
        return arrays(self.path(name))

    def refused(self, status, *phrases, arguments=()):
        self.assert_mentions(self.call("input.yaml", "--force", "--progress", "off", *arguments), status, *phrases)


def smooth_points(n=600):
    """Points of a field that is a smooth function of the coordinates, to 12 digits."""
    points = some_points(n)
    points[:, 2] = points[:, 0] ** 2 + np.sin(2 * points[:, 1])
    return np.round(points, 12)


def matern32(points, theta):
    """Log-likelihood with an unknown constant mean, by NumPy."""
    x, z = points[:, :2], points[:, 2]
    u = np.sqrt(((x[:, None] - x) ** 2).sum(-1)) / theta[1]
    factor = np.linalg.cholesky(theta[0] * (1 + u) * np.exp(-u))
    one, rest = np.linalg.solve(factor, np.ones(len(z))), np.linalg.solve(factor, z)
    rest = rest - (one @ rest) / (one @ one) * one
    return -0.5 * (len(z) * np.log(2 * np.pi) + 2 * np.log(np.diag(factor)).sum() + rest @ rest)


class NothingWrongInSilence(GpTest):
    """What rounding, repeated places and the date line do to data is handled, or said."""

    def test_a_smooth_field_without_a_nugget(self):
        """Its covariance has no factor for the sixty nearest data: an error in every task, of both solvers, that names a place."""
        self.write("data.csv", table(smooth_points()))
        model = "app: gp\ndata: {file: data.csv}\ncovariance: {family: squared_exponential, sigma2: 0.3, beta: 0.6}\n"
        for method in ("exact", "{vecchia: {neighbours: 5}}", "{vecchia: {neighbours: 5, block: 2}}"):
            for task in ("predict: {grid: [40, 40]}", "predict: {grid: [40, 40], draws: 2}", "cross_validation: {}", "cross_validation: {folds: 0}", "predict: {fraction: 0.2}"):
                with self.subTest(method=method, task=task):
                    self.write("input.yaml", f"{model}method: {method}\n{task}\n")
                    self.refused(NUMERICAL, " at (" if "vecchia" in method else "covariance", "remedy: ", "give the covariance a nugget", "a rougher family (matern52)")
        self.write("input.yaml", f"{model}method: {{vecchia: {{neighbours: 5, prediction_neighbours: 10}}}}\npredict: {{grid: [9, 9]}}\ncross_validation: {{}}\n")
        found = self.results()
        for name in ("prediction/mean", "prediction/variance", "cross_validation/mean", "cross_validation/variance"):
            self.assertTrue(np.isfinite(found["results/" + name]).all(), name)
        y, x = np.meshgrid(found["results/prediction/x2"].reshape(9, 9)[0], found["results/prediction/x1"].reshape(9, 9)[:, 0])
        np.testing.assert_allclose(found["results/prediction/mean"].reshape(9, 9), x**2 + np.sin(2 * y), atol=2e-3)  # ten neighbours at a corner: 1.1e-3

    def test_points_that_almost_coincide(self):
        """Five of 85 points again a hair beside them, with other values: the pairs are named, and what is left of a search is no maximum."""
        points = some_points(85) * [1000, 1000, 1] + [5e5, 4.1e6, 20]
        again = points[10:60:10] + [0, 1e-6, 0]
        again[:, 2] += 1
        points = np.vstack([points, again])
        self.write("data.csv", table(points.tolist()))
        self.write("input.yaml", "app: gp\ndata: {file: data.csv}\ncovariance: {family: matern32}\nfit: {}\n")
        outcome = self.call("input.yaml", "--force", "--progress", "off")
        pairs = "5 observations almost repeat the place of another (rows 11 and 86, 21 and 87, 31 and 88, ...; the first at "
        self.assertIn(pairs, outcome.err)
        self.assertIn("data.duplicates: average", outcome.err)
        if outcome.status == 0:
            self.assertIn("the fit has not converged", outcome.err)
            with h5py.File(self.path("input.h5")) as file:
                self.assertEqual(file["results/converged"][0], 0)
                self.assertIn(b"had no likelihood", file["results/end"][0])
        else:
            self.assert_mentions(outcome, NUMERICAL, "trial points", "remedy: ")
        theta = [1.0, 4.0]
        self.write("input.yaml", f"app: gp\ndata: {{file: data.csv}}\ncovariance: {{family: matern32}}\nloglik: {{theta: [{theta}]}}\n")
        outcome = self.succeed("input.yaml", "--force", "--progress", "off")
        self.assertIn("is singular almost to rounding", outcome.err)
        with h5py.File(self.path("input.h5")) as file:
            self.assertAlmostEqual(file["results/loglik"][0] / matern32(points, theta), 1, delta=0.2)
        self.write("input.yaml", "app: gp\ndata: {file: data.csv, duplicates: average}\ncovariance: {family: matern32}\nfit: {}\n")
        outcome = self.succeed("input.yaml", "--force", "--progress", "off")
        self.assertIn("5 observations averaged", outcome.err)
        self.assertNotIn("warning", outcome.err)
        self.write("input.yaml", "app: gp\ndata: {file: data.csv}\ncovariance: {family: matern32, nugget: 0.1}\nfit: {}\n")
        self.assertNotIn("almost repeat", self.succeed("input.yaml", "--force", "--progress", "off").err)

    def test_stations_observed_many_times(self):
        """Vecchia's approximation of 2000 observations at 50 places gives the numbers of the exact solver."""
        stations = some_points(50)
        rows = [[x, y, z + 0.8 * np.sin(1000 * k * z + k)] for k in range(40) for x, y, z in stations]
        self.write("data.csv", table(np.round(rows, 9).tolist()))
        found = {}
        for method in ("exact", "vecchia"):
            self.write("input.yaml", f"app: gp\nmean: zero\nmethod: {method}\ndata: {{file: data.csv}}\ncovariance: {{family: matern12, sigma2: 1, beta: 0.5, nugget: 0.4}}\n"
                                     "loglik: {theta: [[1, 0.5, 0.4]]}\npredict: {grid: [12, 12]}\ncross_validation: {folds: 5}\n")
            found[method] = self.results()
        for name, tolerance in (("prediction/mean", 0.02), ("prediction/variance", 0.01), ("cross_validation/mean", 0.02), ("cross_validation/variance", 0.01), ("loglik", 1)):
            np.testing.assert_allclose(found["vecchia"]["results/" + name], found["exact"]["results/" + name], atol=tolerance, rtol=0, err_msg=name)

    def test_a_grid_across_the_date_line(self):
        """Data from 179 to -179 degrees span two degrees."""
        points = some_points(60)
        points[:, 0], points[:, 1] = -17 + points[:, 0], np.where(points[:, 1] < 0.5, 179 + 2 * points[:, 1], -181 + 2 * points[:, 1])
        self.write("data.csv", table(np.round(points, 9).tolist(), "latitude,longitude,z"))
        self.write("plain.csv", table(np.round(points + [0, 0, 0], 9).tolist(), "latitude,longitude,z"))
        text = ("app: gp\nmean: linear\ndata: {file: data.csv, latitude: latitude, longitude: longitude}\ncovariance: {family: matern12, metric: chordal, sigma2: 1, beta: 50}\n"
                "predict: {grid: [4, 9]}\n")
        self.write("input.yaml", text)
        found = self.results()
        longitude = found["results/prediction/longitude"]
        self.assertGreater(longitude.min(), 178.9)
        self.assertLess(longitude.max(), 181.1)
        turned = points.copy()
        turned[:, 1] %= 360
        self.write("data.csv", table(np.round(turned, 9).tolist(), "latitude,longitude,z"))
        again = self.results()
        np.testing.assert_allclose(again["results/prediction/mean"], found["results/prediction/mean"], atol=1e-7)
        np.testing.assert_allclose(again["results/prediction/variance"], found["results/prediction/variance"], atol=1e-7)
        self.write("input.yaml", text.replace("[4, 9]", "{latitude: [-91, 0], longitude: [400]}"))
        self.refused(INPUT, "the latitude -91 is outside -90 to 90 degrees", "the longitude 400 is outside -360 to 360 degrees")

    def test_tables_with_row_numbers(self):
        """What pandas and R write: a first column without a name; and a column that nobody asks for."""
        points = some_points().tolist()
        self.write("data.csv", table(points))
        self.write("input.yaml", FIT)
        expected = self.results()["results/theta"]
        self.write("data.csv", table([[k, "station", *row] for k, row in enumerate(points)], ",name,x,y,z"))
        np.testing.assert_array_equal(self.results()["results/theta"], expected)
        self.write("data.csv", table([[f'"{k}"', *row] for k, row in enumerate(points)], '"","x","y","z"'))
        np.testing.assert_array_equal(self.results()["results/theta"], expected)

    def test_marks_of_missing_values(self):
        points = some_points().tolist()
        marks = ["NULL", "None", "NA", "N/A", "#N/A", "NaN", "-", ".", ""]
        self.write("data.csv", table(points))
        self.write("input.yaml", FIT)
        expected = self.results()["results/theta"]
        self.write("data.csv", table([[0.111 * k, 0.05 * k, mark] for k, mark in enumerate(marks)] + points))
        self.write("input.yaml", FIT.replace("data.csv", "data.csv, missing: drop"))
        np.testing.assert_array_equal(self.results()["results/theta"], expected)
        self.write("input.yaml", FIT)
        self.refused(INPUT, "data.csv:2:9: the value in column 'z' is missing", "data.missing: drop")
        self.write("data.csv", "x,y,z\n")
        self.refused(INPUT, "there are no numbers in this file")

    def test_keys_that_need_another(self):
        self.write("data.csv", table(some_points()))
        for change, message in (((" data.csv", " data.csv, time: t"), "'time' needs the range in time: give 'covariance.beta_time'"),
                                (("family: matern", "family: matern12, nu: 0.5"), "'nu' is the smoothness of 'family: matern'"),
                                (("family: matern", "family: matern, exponent: 1"), "'exponent' is for 'family: powered_exponential'"),
                                (("family: matern", "family: matern, radius: 1"), "'radius' is of the sphere: it needs 'metric: great_circle' or 'chordal'")):
            self.write("input.yaml", FIT.replace(*change))
            outcome = self.call("input.yaml", "--force")
            self.assert_mentions(outcome, INPUT, message)
            self.assertNotIn("did you mean", outcome.err)


class FromTableToMap(GpTest):
    def test_quick_start(self):
        self.succeed(os.path.join(INPUTS, "quickstart.yaml"), "--output", "quickstart.h5", "-q")
        found = arrays(self.path("quickstart.h5"))
        self.assertEqual([name.decode() for name in found["results/parameters"]], ["sigma2", "beta", "nu"])
        theta, error = found["results/theta"][0], found["results/theta_se"][0]
        truth = np.array([1, 0.1, 0.5])
        self.assertTrue((np.abs(theta - truth) < 3 * error).all(), (theta, error))
        self.assertEqual(found["results/prediction/mean"].shape, (64 * 64,))
        self.assertTrue((found["results/prediction/variance"] >= 0).all())
        with h5py.File(self.path("quickstart.h5")) as file:
            self.assertAlmostEqual(file["results/cross_validation"].attrs["coverage_95"], 0.95, delta=0.05)
            for group in ("results", "series", "coordinates"):
                file[group].visititems(lambda name, item: self.assertIn("units", item.attrs, name) if isinstance(item, h5py.Dataset) else None)

    def test_every_input_is_valid(self):
        names = sorted(glob.glob(os.path.join(INPUTS, "*.yaml")))
        self.assertGreaterEqual(len(names), 8)
        for name in names:
            with self.subTest(name):
                self.succeed(name, "--validate")

    def test_documented_parameters(self):
        defaults = self.succeed("--print-defaults").out
        for key in ("family:", "held_out:", "folds:", "starts:", "range_convention:"):
            self.assertIn(key, defaults)

    def test_likelihood_of_the_reference(self):
        rows = reference("gp400_loglik.csv")
        thetas = ", ".join(f"[{r['sigma2']!r}, {r['beta']!r}, {r['nu']!r}]" for r in rows)
        self.write("input.yaml", f"app: gp\nmean: zero\ndata: {{file: {DATA}/gp400_data.csv}}\nloglik: {{theta: [{thetas}]}}\n")
        found = self.results()["results/loglik"]
        for value, row in zip(found, rows):
            self.assertAlmostEqual(value / row["loglik_longdouble"], 1, delta=1e-9 if row["nu"] == 1.3 else 1e-12)

    def test_maximum_likelihood_of_the_reference(self):
        best = reference("gp400_mle.csv")[0]
        for method in ("bobyqa", "lbfgs"):
            self.write("input.yaml", FIT.replace("data.csv", f"{DATA}/gp400_data.csv").replace("fit: {", f"fit: {{method: {method}, "))
            found = self.results()
            self.assertAlmostEqual(found["results/loglik"][0], best["max_loglik"], delta=1e-6)
            np.testing.assert_allclose(found["results/theta"][0], [best["sigma2"], best["beta"], best["nu"]], rtol=3e-4)

    def test_standard_errors_agree(self):
        self.write("input.yaml", FIT.replace("data.csv", f"{DATA}/gp400_data.csv"))
        observed = self.results()["results/theta_se"][0]
        fisher = self.results("fit.standard_errors=fisher")["results/theta_se"][0]
        np.testing.assert_allclose(observed, fisher, rtol=0.35)  # the one is random, with this mean
        self.assertTrue(np.isnan(self.results("fit.standard_errors=none")["results/theta_se"]).all())

    def test_kriging_of_the_reference(self):
        score = reference("gp400_mspe.csv")[0]
        self.write("input.yaml", f"app: gp\nmean: zero\ndata: {{file: {DATA}/gp400_data.csv}}\n"
                   f"covariance: {{sigma2: 1, beta: 0.1, nu: 0.5}}\npredict: {{held_out: held_out}}\n")
        self.results()
        with h5py.File(self.path("input.h5")) as file:
            self.assertAlmostEqual(file["results/prediction"].attrs["mspe"] / score["mspe"], 1, delta=1e-9)

    def test_other_formats(self):
        points = some_points()
        self.write("data.csv", table(points))
        self.write("input.yaml", FIT)
        expected = self.results()["results/loglik"]
        np.save(self.path("data.npy"), points)
        with h5py.File(self.path("data.hdf5"), "w") as file:
            for name, column in zip("xyz", points.T):
                file[f"table/{name}"] = column
        np.savetxt(self.path("plain.txt"), points)
        for name in ("data.npy", "plain.txt"):
            self.write("input.yaml", FIT.replace("{file: data.csv}", f"{{file: {name}, coordinates: [1, 2], values: [3]}}"))
            np.testing.assert_allclose(self.results()["results/loglik"], expected, rtol=1e-9)
        self.write("input.yaml", FIT.replace("{file: data.csv}", "{file: data.hdf5, coordinates: [table/x, table/y], values: [table/z]}"))
        np.testing.assert_allclose(self.results()["results/loglik"], expected, rtol=1e-9)

    def test_ranges_of_a_grid(self):
        """A grid over the extent of the data, and the same one and others by ranges and lists."""
        points = some_points()
        self.write("data.csv", table(points))
        model = "covariance: {sigma2: 1, beta: 0.1, nu: 0.5}\n"
        self.write("input.yaml", f"app: gp\nmean: zero\ndata: {{file: data.csv}}\n{model}predict: {{grid: [5, 3]}}\n")
        whole = self.results()
        (x0, y0), (x1, y1) = points[:, :2].min(axis=0).tolist(), points[:, :2].max(axis=0).tolist()
        self.write("axis.csv", "at\n" + "".join(f"{y0 + (y1 - y0) * i / 2!r}\n" for i in range(3)))
        for y in (f"{{linspace: [{y0!r}, {y1!r}, 3]}}", "{file: axis.csv, column: at}"):
            self.write("input.yaml", f"app: gp\nmean: zero\ndata: {{file: data.csv}}\n{model}predict:\n  grid:\n    x: {{linspace: [{x0!r}, {x1!r}, 5]}}\n    y: {y}\n")
            found = self.results()
            np.testing.assert_array_equal(found["results/prediction/grid"], [5, 3])
            for name in ("x1", "x2", "mean", "variance"):
                np.testing.assert_allclose(found[f"results/prediction/{name}"], whole[f"results/prediction/{name}"], rtol=1e-9, err_msg=name)
        self.write("input.yaml", f"app: gp\nmean: zero\ndata: {{file: data.csv}}\n{model}predict: {{grid: {{x: [0.1, 0.2, 0.7], y: 0.5}}}}\n")
        found = self.results()
        np.testing.assert_array_equal(found["results/prediction/x1"], [0.1, 0.2, 0.7])
        np.testing.assert_array_equal(found["results/prediction/x2"], [0.5, 0.5, 0.5])
        sphere = "covariance: {metric: chordal, sigma2: 1, beta: 900, nu: 0.4}\nsimulate: {points: 60, layout: uniform}\n"
        self.write("input.yaml", f"app: gp\nmean: zero\n{sphere}predict: {{grid: {{latitude: {{linspace: [-10, 10, 3]}}, longitude: [0]}}}}\n")
        np.testing.assert_array_equal(self.results()["results/prediction/latitude"], [-10, 0, 10])

    def test_corners_of_a_grid(self):
        """Inputs for version 0.1 gave them beside the numbers of points."""
        self.write("data.csv", table(some_points()))
        for corners, answer in (("lower: [0, 0.25], upper: [1, 0.5]", "{x: {linspace: [0, 1, 5]}, y: {linspace: [0.25, 0.5, 3]}}"),
                                ("upper: [1, 0.5]", "{x: {linspace: [first, 1, 5]}, y: {linspace: [first, 0.5, 3]}}")):
            self.write("input.yaml", FIT + f"predict: {{grid: [5, 3], {corners}}}\n")
            self.refused(INPUT, "input.yaml:6:", f"the corners of a grid are those of its ranges now: write 'grid: {answer}'")

    def test_replicates(self):
        self.write("input.yaml", LONG.replace("625", "49").replace("starts: 2", "replicates: separate").replace("points", "replicates: 3, points"))
        found = self.results()
        self.assertEqual(found["results/theta"].shape, (3, 3))
        self.assertEqual(len(set(found["series/replicate"])), 3)
        joint = self.results("fit.replicates=joint")
        self.assertEqual(joint["results/theta"].shape, (1, 3))

    def test_circulant_embedding(self):
        """Fields on a grid have the covariance asked for: z' S^-1 z has mean N, for even and odd fields."""
        self.write("input.yaml", "app: gp\ncovariance: {family: matern12, sigma2: 2, beta: 0.15, nugget: 0.1}\n"
                   "simulate: {points: 144, layout: regular, method: circulant, replicates: 60}\n")
        if "this build has no FFTW" in self.call("input.yaml", "--validate").err:
            self.skipTest("the executable was built without FFTW")
        found = self.results()
        x = np.stack([found["coordinates/x1"], found["coordinates/x2"]], axis=1)
        distance = np.linalg.norm(x[:, None] - x[None], axis=2)
        covariance = 2 * np.exp(-distance / 0.15) + 0.1 * np.eye(144)
        z = found["results/observations"]
        squares = (z * np.linalg.solve(covariance, z)).sum(axis=0)
        for half in (squares[::2], squares[1::2]):
            self.assertAlmostEqual(half.mean(), 144, delta=5 * np.sqrt(2 * 144 / 30))
        self.refused(INPUT, "'method: circulant' needs 'layout: regular'", arguments=["simulate.layout=jittered"])
        self.refused(NUMERICAL, "negative eigenvalues", "remedy: use simulate.method: cholesky",
                     arguments=["covariance.family=squared_exponential", "covariance.beta=40", "simulate.upper=[1, 1]"])

    def test_same_bits_whatever_the_threads(self):
        self.write("input.yaml", LONG.replace("625", "400").replace("starts: 2, max_evaluations: 120", "max_evaluations: 5"))
        self.succeed("input.yaml", "-q", "--output", "one.h5", threads=1)
        self.succeed("input.yaml", "-q", "--output", "two.h5", threads=2)
        self.assert_same_bits("one.h5", "two.h5")

    def test_more_of_the_model(self):
        """Trend, anisotropy, nugget, space and time, chordal and great-circle distances run and give finite numbers."""
        points = some_points(80)
        timed = np.column_stack([points, np.arange(80) % 4])
        self.write("data.csv", table(timed, "x,y,z,t"))
        for extra in ("covariance: {ranges: [0.2, 0.3], nugget: 0.1}\nmean: linear",
                      "covariance: {beta_time: 2.0, family: matern32}\nmean: constant",
                      "covariance: {family: powered_exponential, nugget: 0.1}\nmean: zero",
                      "covariance: {range_convention: scaled}\nmean: zero"):
            time_column = ", time: t" if "beta_time" in extra else ""
            predict = "predict: {grid: [5, 4], draws: 3, time: 1}" if time_column else "predict: {grid: [5, 4], draws: 3}"
            self.write("input.yaml", f"app: gp\ndata: {{file: data.csv{time_column}}}\n{extra}\nfit: {{method: lbfgs, standard_errors: none}}\n"
                       f"{predict}\ncross_validation: {{folds: 0}}\n")
            with self.subTest(extra):
                found = self.results()
                self.assertTrue(np.isfinite(found["results/theta"]).all())
                self.assertEqual(found["results/prediction/draws"].shape, (20, 3))
        for metric in ("great_circle", "chordal"):
            self.write("input.yaml", f"app: gp\ncovariance: {{metric: {metric}, sigma2: 1, beta: 900, nu: 0.4}}\nsimulate: {{points: 60, layout: uniform}}\n"
                       "fit: {standard_errors: none}\npredict: {grid: [4, 4]}\n")
            with self.subTest(metric):
                self.assertEqual(self.results()["results/prediction/latitude"].shape, (16,))


class WrongData(GpTest):
    def setUp(self):
        super().setUp()
        self.write("input.yaml", FIT)

    def test_no_such_file(self):
        self.refused(FILES, "data.csv", "No such file")

    def test_unknown_column(self):
        self.write("data.csv", table(some_points(), "x,y,height"))
        self.refused(INPUT, "data.csv", "'z'", "height")

    def test_files_are_read_with_the_input(self):
        """--validate finds what is wrong in them, and where the input names them."""
        self.refused(FILES, "data.csv", "No such file", arguments=["--validate"])
        self.write("data.csv", table(some_points(), "x,y,height"))
        self.refused(INPUT, "input.yaml:3:14: error:", "data.csv", "'z'", arguments=["--validate"])
        self.write("data.csv", table(some_points()))
        self.write("targets.csv", "x,y\n0.5,nan\n")
        self.write("input.yaml", FIT + "predict:\n  points: {file: targets.csv}\n")
        self.refused(INPUT, "input.yaml:7:18: error:", "targets.csv", arguments=["--validate"])

    def test_columns_of_every_format(self):
        points = some_points()
        np.save(self.path("data.npy"), points)
        self.write("plain.txt", table(points, "").lstrip())
        self.write("words.csv", "x,y,z\n0.5,0.5,high\n")
        self.write("empty.csv", "x,y,z\n")
        with h5py.File(self.path("data.h5"), "w") as file:
            file["x"], file["y"] = points[:, 0], points[:, 1]
            file["name"] = [b"a", b"b"]
        for data, phrases in (
                ("data.npy", ("data.npy: there is no column 'x'; the array has 3 columns, counted from 1", "remedy: name columns by their numbers")),
                ("data.npy, coordinates: [1, 2], values: [4]", ("data.npy: there is no column '4'; the array has 3 columns, counted from 1",)),
                ("plain.txt", ("plain.txt:1:1: there is no column 'x': the first line holds numbers, so the columns are 1 to 3", "remedy: add a line of names")),
                ("words.csv", ("words.csv:2:9: 'high' in column 'z' is not a finite number",)),
                ("empty.csv", ("empty.csv: there are no numbers in this file",)),
                ("data.h5", ("data.h5: there is no dataset 'z'", "remedy: name it by its path"))):
            with self.subTest(data):
                self.write("input.yaml", FIT.replace("data.csv", data))
                self.refused(INPUT, "input.yaml:3:14: error: ", *phrases, arguments=["--validate"])
        self.write("input.yaml", FIT.replace("data.csv", "data.h5, values: [name]"))
        self.refused(FILES, "data.h5:/name", "it holds text", arguments=["--validate"])

    def test_columns_counted_from_zero(self):
        """Inputs for version 0.1 counted the columns of .npy files so."""
        points = some_points()
        np.save(self.path("data.npy"), points)
        np.save(self.path("more.npy"), np.column_stack([np.arange(len(points)), points]))
        self.write("input.yaml", FIT.replace("data.csv", 'data.npy, coordinates: ["0", "1"], values: [2]'))
        self.refused(INPUT, "input.yaml:3:37: error: columns are counted from 1, not from 0 as in version 0.1: write 'coordinates: [1, 2]'",
                     "input.yaml:3:", "write 'values: [3]'", arguments=["--validate"])
        self.write("input.yaml", FIT.replace("data.csv", "data.npy, coordinates: [1, 2], values: [3]") + "predict: {points: {file: data.npy, coordinates: [0, 1]}}\n")
        self.refused(INPUT, "input.yaml:6:", "write 'coordinates: [1, 2]'", arguments=["--validate"])
        self.write("input.yaml", FIT.replace("data.csv", "data.npy, coordinates: [1, 2], values: [3]"))
        self.assertNotIn("warning", self.succeed("input.yaml", "--validate").err)
        self.write("input.yaml", FIT.replace("data.csv", "more.npy, coordinates: [1, 2], values: [3]"))
        self.assertNotIn("warning", self.succeed("input.yaml", "--validate").err)

    def test_values_are_checked_with_the_input(self):
        points = some_points()
        points[7, 2] = np.nan
        np.save(self.path("data.npy"), points)
        data = "data.npy, coordinates: [1, 2], values: [3]"
        for more, change, message in (
                ("", (), "input.yaml:3:14: error: data.npy: value 8 of '3' is not a finite number\n  remedy: mend the file, or leave such rows out with data.missing: drop"),
                (", missing: drop, sample: 60", (), "error: data.sample asks for 60 rows, and there are 59"),
                (", missing: drop", ("fit:", "predict: {held_out: 3}\nfit:"), "row 1: '3' is ")):
            with self.subTest(message):
                self.write("input.yaml", FIT.replace("data.csv", data + more).replace(*(change or ("", ""))))
                self.refused(INPUT, message, arguments=["--validate"])
        points[7, 2] = np.inf
        np.save(self.path("data.npy"), points)
        self.write("input.yaml", FIT.replace("data.csv", data + ", missing: drop"))
        self.refused(INPUT, "data.npy: value 8 of '3' is infinite", arguments=["--validate"])
        points[7] = points[3]
        np.save(self.path("data.npy"), points)
        self.write("input.yaml", FIT.replace("data.csv", data))
        self.refused(INPUT, "input.yaml:3:14: error: 1 observation repeats the place of another (rows 4 and 8", arguments=["--validate"])

    def test_missing_value(self):
        rows = some_points().tolist()
        rows[7][2] = "NaN"
        self.write("data.csv", table(rows))
        self.refused(INPUT, "data.csv:9:")
        self.write("input.yaml", FIT.replace("data.csv", "data.csv, missing: drop"))
        self.assertEqual(len(self.results()["results/observations"]), 59)

    def test_duplicate_place(self):
        rows = some_points().tolist()
        rows[30][:2] = rows[10][:2]
        self.write("data.csv", table(rows))
        self.refused(INPUT, "1 observation repeats the place of another (rows 11 and 31", "no nugget", "remedy", "nugget")
        self.write("input.yaml", FIT.replace("data.csv", "data.csv, duplicates: average"))
        self.assertEqual(len(self.results()["results/observations"]), 59)
        self.write("input.yaml", FIT.replace("family: matern", "nugget: 0.1").replace("0.8]", "0.8, 0.1]"))
        self.assertEqual(len(self.results()["results/observations"]), 60)

    def test_too_few_points(self):
        self.write("data.csv", table(some_points(4)))
        self.refused(INPUT, "too few points: 4 observations for 3 unknown")

    def test_latitude_and_longitude_must_be_named(self):
        self.write("data.csv", table(some_points()))
        self.write("input.yaml", FIT.replace("family: matern", "metric: great_circle"))
        self.refused(INPUT, "input.yaml:3:1: error: missing required key 'latitude' in 'data'", "longitude")

    def test_latitude_in_the_euclidean_metric(self):
        self.write("input.yaml", FIT.replace("data.csv", "data.csv, latitude: y"))
        self.refused(INPUT, "input.yaml:3:", "latitude and longitude need 'metric: great_circle' or 'chordal'")

    def test_wrong_metric_for_the_coordinates(self):
        rows = some_points() * [1000, 1, 1]
        self.write("data.csv", table(rows))
        self.write("input.yaml", FIT.replace("family: matern", "metric: great_circle").replace("data.csv", "data.csv, latitude: x, longitude: y"))
        self.refused(INPUT, "row 1: the latitude 'x' is 500", "outside -90 to 90", "metric: euclidean")
        self.write("data.csv", table(some_points(), "lon,lat,z"))
        self.write("input.yaml", FIT.replace("data.csv", "data.csv, coordinates: [lon, lat]"))
        outcome = self.succeed("input.yaml", "--force")
        self.assertIn("warning: the coordinate 'lon' looks like an angle", outcome.err)

    def test_too_large_for_the_memory(self):
        self.write("input.yaml", LONG)
        self.refused(RESOURCE, "625 points need 6.", "allowed by run.memory_limit", "the largest number of points that fits is 2", arguments=["run.memory_limit=0.7"])
        self.refused(RESOURCE, "4000000 points need 1.28", "the largest number of points that fits is ", arguments=["simulate.points=4000000"])

    def test_not_positive_definite(self):
        self.write("input.yaml", "app: gp\nmean: zero\ncovariance: {sigma2: 1, beta: 3, nu: 8}\nsimulate: {points: 400}\n")
        self.refused(NUMERICAL, "the covariance matrix of 400 points is not positive definite", "nearest neighbour", "Likely cause: the field is too smooth", "remedy: give the covariance a nugget")

    def test_trial_points_without_a_likelihood_are_survived(self):
        self.write("data.csv", table(some_points(150)))
        self.write("input.yaml", FIT.replace("start: [0.5, 0.05, 0.8]", "method: lbfgs, start: [1, 0.5, 5], lower: [0.01, 0.001, 0.1], upper: [100, 50, 40]"))
        outcome = self.succeed("input.yaml", "--force")
        self.assertIn("trial points had no likelihood and were passed over", outcome.err)
        self.assertTrue(np.isfinite(arrays(self.path("input.h5"))["results/theta"]).all())

        self.refused(NUMERICAL, "the likelihood could not be evaluated at any of 1 trial points", "remedy: start elsewhere (fit.start)", arguments=["fit.start=[1, 1, 8]"])

    def test_end_at_a_bound(self):
        self.write("data.csv", table(some_points()))
        self.write("input.yaml", FIT.replace("0.8]", "0.8], lower: [0.01, 0.001, 0.75], upper: [100, 0.06, 5]"))
        outcome = self.succeed("input.yaml", "--force")
        self.assertRegex(outcome.err, "warning: the fit ends with (beta|nu) = .* at its (upper|lower) bound; widen fit")
        self.assertIn(1, np.abs(arrays(self.path("input.h5"))["results/at_bound"][0]))

    def test_start_outside_the_bounds(self):
        self.write("data.csv", table(some_points()))
        self.write("input.yaml", FIT.replace("0.8]", "0.8], lower: [0.01, 0.1, 0.1], upper: [100, 5, 5]"))
        self.refused(INPUT, "the fit starts at beta = 0.05, outside its bounds 0.1 to 5")

    def test_inputs(self):
        for change, message in (("fit: {", "fit: {fixed: [rho], "), "'fit.fixed' names 'rho', but theta has: sigma2, beta, nu"), \
                (("[0.5, 0.05, 0.8]", "[0.5, 0.05]"), "'fit.start' has 2 elements, but theta has 3: sigma2, beta, nu"), \
                (("family: matern", "famly: matern"), "unknown key 'famly' in 'covariance' (did you mean 'family'?)"), \
                (("data: {file: data.csv}\n", ""), "the input has neither 'data' nor 'simulate'"), \
                (("mean: zero", "predict: {}"), "'predict' needs one of 'grid', 'points', 'held_out' and 'fraction'"), \
                (("mean: zero", "predict: {grid: [3]}"), "'predict.grid' has 1 elements, but there are 2 coordinates"), \
                (("mean: zero", "predict: {grid: {x: [1, 2]}}"), "'predict.grid' needs 'y', a range or a list of numbers"), \
                (("mean: zero", "predict: {grid: {x: 1, yy: 2, y: 3}}"), "unknown key 'yy' in 'predict.grid' (known keys: x, y)"), \
                (("mean: zero", "predict: {grid: {x: {linspace: [0, 1, 2.5]}, y: 0}}"), "the third number of 'predict.grid.x.linspace' says how many"), \
                (("mean: zero", "predict: {grid: {x: {linspace: [0, 1, 100000]}, y: {linspace: [0, 1, 100000]}}}"), "the grid has more than 1e9 points"), \
                (("mean: zero", "simulate: {}"), "'simulate' needs 'covariance.beta'"):
            with self.subTest(message):
                self.write("input.yaml", FIT.replace(*change))
                self.refused(INPUT, "input.yaml:", message)


    def test_data_without_a_task(self):
        self.write("data.csv", table(some_points()))
        self.write("input.yaml", "app: gp\ndata: {file: data.csv}\ncovariance: {sigma2: 1, beta: 1, nu: 0.5}\n")
        self.refused(INPUT, "input.yaml:1:1: error: the input says nothing to do with its data: add one of 'fit', 'predict'")


class Covariates(GpTest):
    def setUp(self):
        super().setUp()
        points = some_points(300)
        elevation = 1000 + 50 * np.sin(3 * points[:, 0]) + 20 * np.cos(40 * points[:, 1])
        values = points[:, 2] + 0.5 * elevation - 3 * np.log(elevation)
        self.write("data.csv", table(np.column_stack([points[:, 0], points[:, 1], values, elevation, 0 * elevation + 7]), "x,y,z,elevation,seven"))
        self.text = "app: gp\ndata: {file: data.csv, covariates: [elevation, seven]}\nloglik: {theta: [[1, 0.1, 0.7, 0.01]]}\ncovariance: {nugget: 0.01}\n"

    def test_coordinates_as_covariates_are_a_linear_mean(self):
        for linear, covariates in (("linear", "[x, y]"), ("quadratic", "[x, y, x^2, x*y, y*y]")):
            for method in ("exact", "vecchia"):
                self.write("input.yaml", self.text + f"mean: {linear}\nmethod: {method}\n")
                expected = self.results()["results/loglik"][0]
                self.write("input.yaml", self.text + f"mean: {{covariates: {covariates}}}\nmethod: {method}\n")
                self.assertAlmostEqual(self.results()["results/loglik"][0] / expected, 1, delta=1e-9)

    def test_coefficients_and_predictions(self):
        fit = self.text.replace("loglik: {theta: [[1, 0.1, 0.7, 0.01]]}", "fit: {}\npredict: {points: {file: targets.csv}}")
        self.write("targets.csv", "x,y,elevation,seven\n0.4,0.6,1000,7\n0.4,0.6,1010,7\n")
        for method in ("exact", "vecchia"):
            self.write("input.yaml", fit + f"mean: {{covariates: [elevation]}}\nmethod: {method}\n")
            found = self.results()
            self.assertEqual([name.decode() for name in found["results/trend_names"]], ["constant", "elevation"])
            slope, error = found["results/trend"][0, 0, 1], found["results/trend_se"][0, 1]
            self.assertLess(abs(slope - 0.497), 4 * error + 0.001)
            self.assertAlmostEqual(found["results/prediction/mean"][1] - found["results/prediction/mean"][0], 10 * slope, delta=1e-6)

    def test_bad_input(self):
        for more, message in (
            ("mean: {covariates: [elevation, depth]}\n", "depth"),
            ("mean: {covariates: [log(elevation]}\n", "input.yaml:5:"),
            ("mean: {covariates: [log(elevation - 1000)]}\n", "the covariate 'log(elevation - 1000)' is not finite at row"),
            ("mean: {covariates: [seven]}\n", "the covariate 'seven' is constant over the points"),
            ("mean: {covariates: [elevation, 2*elevation + 1]}\n", "the covariate '2*elevation + 1' is a combination of the columns of the mean before it"),
            ("mean: {covariates: [elevation]}\npredict: {grid: [4, 4]}\n", "a grid has no 'data.covariates'"),
            ("mean: cubic\n", "'mean' is 'cubic', but must be one of zero, constant, linear, quadratic"),
        ):
            with self.subTest(message):
                self.write("input.yaml", self.text + more)
                self.refused(INPUT, message)


class KnownErrors(GpTest):
    """data.error_variance: what one column does to fits, predictions and scores."""

    def setUp(self):
        super().setUp()
        points = some_points(80)
        self.columns = np.column_stack([points, np.full(80, 0.25), 0.1 + 0.5 * points[:, 0]])
        self.write("data.csv", table(self.columns, "x,y,z,equal,rising"))
        self.text = "app: gp\ndata: {file: data.csv}\ncovariance: {sigma2: 1, beta: 0.1, nu: 0.7}\n"

    def test_equal_variances_are_a_nugget(self):
        self.write("input.yaml", self.text + "fit: {fixed: [nu], tolerance: 1.0e-9}\npredict: {grid: [5, 5]}\ncross_validation: {folds: 5}\n")
        for method in ("exact", "vecchia"):
            nugget = self.results("method=" + method, "covariance.nugget=0.25", "fit.fixed=[nu, nugget]", "fit.start=[1, 0.1, 0.7, 0.25]")
            errors = self.results("method=" + method, "data.error_variance=equal", "fit.start=[1, 0.1, 0.7]")
            np.testing.assert_allclose(errors["results/loglik"], nugget["results/loglik"], rtol=1e-9)
            np.testing.assert_allclose(errors["results/theta"][0], nugget["results/theta"][0, :3], rtol=2e-4)
            np.testing.assert_allclose(errors["results/prediction/mean"], nugget["results/prediction/mean"], atol=1e-3)
            np.testing.assert_allclose(errors["results/cross_validation/variance"], nugget["results/cross_validation/variance"], rtol=1e-3)
            np.testing.assert_array_equal(errors["results/error_variance"], np.full(80, 0.25))

    def test_of_observation_adds_the_targets_own(self):
        self.write("targets.csv", "x,y,e\n0.4,0.6,0.5\n0.2,0.1,0\n")
        text = self.text.replace("csv}", "csv, error_variance: rising}").replace("nu: 0.7", "nu: 0.7, nugget: 0.2")
        self.write("input.yaml", text + "predict: {points: {file: targets.csv, error_variance: e}}\n")
        for method in ("exact", "vecchia"):
            field, observation = self.results("method=" + method), self.results("method=" + method, "predict.of=observation")
            np.testing.assert_allclose(observation["results/prediction/variance"] - field["results/prediction/variance"], [0.7, 0.2], rtol=1e-12)

    def test_held_out_observations_are_scored_with_theirs(self):
        self.write("input.yaml", self.text.replace("csv}", "csv, error_variance: rising}") + "predict: {fraction: 0.2}\n")
        found = self.results()
        file = h5py.File(self.path("input.h5"), "r")
        error, variance = found["results/prediction/observed"] - found["results/prediction/mean"], found["results/prediction/variance"]
        own = 0.1 + 0.5 * file["results/prediction/x1"][:]
        self.assertAlmostEqual(file["results/prediction"].attrs["mean_squared_standardised_error"], np.mean(error**2 / (variance + own)), places=12)
        np.testing.assert_allclose(found["results/prediction/observed_variance"], variance + own, rtol=1e-14)

    def test_duplicates_that_errors_tell_apart(self):
        rows = self.columns.copy()
        rows[3, :2] = rows[4, :2]
        self.write("data.csv", table(rows, "x,y,z,equal,rising"))
        self.write("input.yaml", self.text + "predict: {grid: [3, 3]}\n")
        self.refused(INPUT, "1 observation repeats the place of another (rows 4 and 5;")
        self.results("data.error_variance=equal")

    def test_bad_input(self):
        for row, value, message in ((7, -0.5, "row 8: the error variance 'rising' is -0.5"), (2, "inf", "data.csv:4:34: 'inf' in column 'rising' is not a finite number"), (5, "", "rising")):
            with self.subTest(message):
                rows = np.round(self.columns, 6).astype(object)  # the same texts whatever sine a processor has
                rows[row, 4] = value
                self.write("data.csv", table(rows, "x,y,z,equal,rising"))
                self.write("input.yaml", self.text + "predict: {grid: [3, 3]}\n")
                self.refused(INPUT, message, arguments=["data.error_variance=rising"])
        self.write("input.yaml", self.text + "predict: {grid: [3, 3]}\n")
        self.refused(INPUT, "errors", arguments=["data.error_variance=errors"])


class Rotated(GpTest):
    """covariance: {beta: [...], angle: ...}"""

    TEXT = "app: gp\nmean: zero\nsimulate: {points: 900}\ncovariance: {sigma2: 1, beta: [0.3, 0.06], angle: 0.6, nu: 0.8, nugget: 0.01}\nrun: {seed: 3}\n"

    def test_fit_finds_the_angle(self):
        for start in ("[0.5, 0.1, 0.1, 0, 1, 0.02]", "[0.5, 0.2, 0.1, -0.5, 1, 0.02]"):  # also from equal ranges
            for method, search, points in (("exact", "lbfgs", 400), ("vecchia", "scoring", 900)):
                self.write("input.yaml", self.TEXT + f"method: {method}\nfit: {{start: {start}, method: {search}}}\n")
                found = self.results(f"simulate.points={points}")
                self.assertEqual([name.decode() for name in found["results/parameters"]], ["sigma2", "beta_1", "beta_2", "angle", "nu", "nugget"])
                theta, error = found["results/theta"][0].copy(), found["results/theta_se"][0]
                if theta[1] < theta[2]:  # the same field
                    theta[1], theta[2], theta[3] = theta[2], theta[1], theta[3] + np.pi / 2
                    error = error[[0, 2, 1, 3, 4, 5]]
                theta[3] = (theta[3] - 0.6 + np.pi / 2) % np.pi - np.pi / 2 + 0.6
                self.assertLess(error[3], 0.15)
                self.assertTrue((np.abs(theta - [1, 0.3, 0.06, 0.6, 0.8, 0.01]) < 3.5 * error).all(), (method, search, start, theta, error))

    def test_a_list_for_beta_is_ranges(self):
        text = "app: gp\nsimulate: {points: 100}\ncovariance: {sigma2: 1, %s: [0.3, 0.1], nu: 0.8}\nloglik: {theta: [[1, 0.3, 0.1, 0.8]]}\n"
        self.write("input.yaml", text % "beta")
        found = self.results()["results/loglik"]
        self.write("input.yaml", text % "ranges")
        self.assertEqual(found, self.results()["results/loglik"])

    def test_bad_input(self):
        for covariance, message in (
            ("beta: 0.1, angle: 0.3", "'angle' turns the axes of ranges: give one for each of two or three coordinates"),
            ("beta: [0.1], angle: 0.3", "'angle' turns the axes of ranges"),
            ("beta: [0.1, 0.2], angle: [0.3, 0, 0]", "'covariance.angle' has 3 elements, but 2 coordinates need 1"),
            ("beta: [0.1, 0.2, 0.3], angle: 0.3", "'covariance.angle' has 1 elements, but 3 coordinates need 3"),
            ("beta: [0.1, 0.2, 0.3]", "'covariance.beta' has 3 elements, but there are 2 coordinates"),
            ("beta: [0.1, 0.2], ranges: [0.1, 0.2]", "give either 'beta' or 'ranges', not both"),
            ("beta: [0.1, 0.2], angle: wide", "angle"),
        ):
            with self.subTest(message):
                self.write("input.yaml", "app: gp\nsimulate: {points: 100, lower: [0, 0], upper: [1, 1]}\ncovariance: {sigma2: 1, nu: 0.8, %s}\n" % covariance)
                self.refused(INPUT, message)
        self.write("input.yaml", self.TEXT + "fit: {start: [-0.5, 0.1, 0.1, 0, 1, 0.02]}\n")
        self.refused(INPUT, "sigma2 must be at least 0 in 'fit.start'")


class StartSample(GpTest):
    """fit.start_sample: the fit of a subset gives the start of the full one."""

    TEXT = ("app: gp\nsimulate: {points: 4000}\ncovariance: {sigma2: 1, beta: 0.08, nu: 0.8, nugget: 0.05}\n"
            "method: {vecchia: {neighbours: 15}}\nfit: {start: [4, 0.5, 0.3, 0.5], tolerance: 1.0e-8}\nrun: {seed: 7}\n")

    def test_same_maximum_in_fewer_likelihoods(self):
        self.write("input.yaml", self.TEXT)
        plain = self.results()
        outcome = self.succeed("input.yaml", "--force", "--progress", "off", "fit.start_sample=600")
        self.assertRegex(outcome.err, r"a fit of 600 of 3969 points, \d+ likelihoods, gives the start: sigma2 = ")
        found = arrays(self.path("input.h5"))
        np.testing.assert_allclose(found["results/theta"], plain["results/theta"], rtol=1e-3)
        np.testing.assert_allclose(found["results/loglik"], plain["results/loglik"], atol=1e-4)
        self.assertLess(found["results/evaluations"][0], plain["results/evaluations"][0])
        self.assertEqual(np.count_nonzero(found["series/start"] == 0), found["results/evaluations"][0])
        self.assertGreater(np.count_nonzero(found["series/start"] == -1), 3)
        with h5py.File(self.path("input.h5")) as file:
            self.assertEqual(file["results"].attrs["start_sample"], 600)

    def test_same_bits_again_and_other_methods(self):
        self.write("input.yaml", self.TEXT.replace("4000", "400"))
        for arguments in (["fit.start_sample=100"], ["fit.start_sample=100", "method=exact", "fit.method=lbfgs"], ["fit.start_sample=4000"]):
            first, second = self.results(*arguments), self.results(*arguments)
            np.testing.assert_array_equal(first["results/theta"], second["results/theta"])
        self.assertNotIn(-1, second["series/start"], "a sample of all points is none")
        separate = self.results("fit.start_sample=100", "fit.replicates=separate", "simulate.replicates=2")
        self.assertEqual(len(separate["results/theta"]), 2)
        self.refused(INPUT, "'fit.start_sample' is 20, but must be 0, or 50 and more", arguments=["fit.start_sample=20"])


class Blocks(GpTest):
    """method.vecchia.block: points conditioned together."""

    TEXT = ("app: gp\ndata: {file: data.csv}\ncovariance: {sigma2: 1, beta: 0.1, nu: 0.7, nugget: 0.1}\n"
            "method: {vecchia: {neighbours: 5, block: 8}}\nloglik: {theta: [[1, 0.1, 0.7, 0.1]]}\n")

    def test_nearer_to_the_exact_likelihood(self):
        self.write("data.csv", table(some_points(200)))
        self.write("input.yaml", self.TEXT)
        loglik = {block: self.results(f"method.vecchia.block={block}")["results/loglik"][0] for block in (1, 8, 256)}
        exact = self.results("method=exact")["results/loglik"][0]
        self.assertLess(abs(loglik[8] - exact), abs(loglik[1] - exact))
        self.assertAlmostEqual(loglik[256] / exact, 1, delta=1e-11)

    def test_a_size_that_is_no_power_of_two(self):
        self.write("data.csv", table(some_points(20)))
        self.write("input.yaml", self.TEXT)
        self.refused(INPUT, "blocks of 12 points: give a power of two", arguments=["method.vecchia.block=12"])


class ByNeighbours(GpTest):
    """loglik.neighbours: the likelihood against the number of neighbours."""

    TEXT = ("app: gp\ndata: {file: data.csv}\ncovariance: {sigma2: 1, beta: 0.1, nu: 0.7, nugget: 0.1}\nmethod: {vecchia: {neighbours: 12}}\n"
            "loglik: {theta: [[1, 0.1, 0.7, 0.1], [1.2, 0.2, 0.5, 0.2]], neighbours: [5, 12, 199]}\n")

    def test_the_last_is_exact(self):
        self.write("data.csv", table(some_points(200)))
        self.write("input.yaml", self.TEXT)
        found = self.results()
        np.testing.assert_array_equal(found["results/by_neighbours/neighbours"], [5, 12, 199])
        loglik = found["results/by_neighbours/loglik"]
        self.assertEqual(loglik.shape, (3, 2))
        np.testing.assert_array_equal(loglik[1], found["results/loglik"], "those of method.vecchia.neighbours")
        self.write("input.yaml", self.TEXT.replace(", neighbours: [5, 12, 199]", "").replace("{vecchia: {neighbours: 12}}", "exact"))
        np.testing.assert_allclose(loglik[2], self.results()["results/loglik"], rtol=1e-11)
        self.write("input.yaml", self.TEXT.replace("{vecchia: {neighbours: 12}}", "auto"))
        self.refused(INPUT, "'loglik.neighbours' is for 'method: vecchia'")


class BadMeans(GpTest):
    """Columns of the mean that depend on each other are found before anything is computed."""

    def test_points_on_a_line(self):
        points = some_points(40)
        points[:, 1] = 2 * points[:, 0]
        self.write("data.csv", table(points))
        for method in ("exact", "vecchia"):
            self.write("input.yaml", f"app: gp\ndata: {{file: data.csv}}\nmean: linear\nmethod: {method}\nfit: {{}}\n")
            self.refused(INPUT, "the column 'y' of the mean is a combination of the columns of the mean before it at these points", "use a simpler mean")
        points[:, 1] = 3
        self.write("data.csv", table(points))
        self.refused(INPUT, "the column 'y' of the mean is constant over the points")


class Neighbours(GpTest):
    """results/neighbours; its picture is drawn with the others."""

    def test_what_points_are_conditioned_on(self):
        self.write("data.csv", table(some_points(300)))
        self.write("input.yaml", "app: gp\ndata: {file: data.csv}\ncovariance: {sigma2: 1, beta: 0.1, nu: 0.7, nugget: 0.1}\n"
                                 "method: {vecchia: {neighbours: 12, ordering: given}}\nloglik: {theta: [[1, 0.1, 0.7, 0.1]]}\n")
        found = self.results()
        points, ranks, neighbours = (found[f"results/neighbours/{name}"] for name in ("point", "rank", "neighbours"))
        np.testing.assert_array_equal(ranks, [299, 149, 74, 37, 18, 9])
        np.testing.assert_array_equal(points, ranks, "the order is the given one")
        place = some_points(300)[:, :2]
        for point, others in zip(points, neighbours):
            distance = np.linalg.norm(place[:point] - place[point], axis=1)
            np.testing.assert_array_equal(others[others >= 0], np.argsort(distance, kind="stable")[:12])
        self.assertNotIn("results/neighbours/point", self.results("method=exact"))


class Predictions(GpTest):
    def test_an_observation_has_the_nugget_too(self):
        self.write("data.csv", table(some_points()))
        self.write("input.yaml", "app: gp\ndata: {file: data.csv}\ncovariance: {sigma2: 1, beta: 0.1, nu: 0.7, nugget: 0.25}\n"
                                 "predict: {grid: [5, 5], draws: 400}\n")
        for method in ("exact", "vecchia"):
            field, observation = self.results("method=" + method), self.results("method=" + method, "predict.of=observation")
            np.testing.assert_allclose(observation["results/prediction/variance"] - field["results/prediction/variance"], 0.25, rtol=1e-12)
            np.testing.assert_array_equal(observation["results/prediction/mean"], field["results/prediction/mean"])
            noise = observation["results/prediction/draws"] - field["results/prediction/draws"]
            self.assertAlmostEqual(noise.var(), 0.25, delta=0.02)


class Vecchia(GpTest):
    def test_quick_start(self):
        self.succeed(os.path.join(INPUTS, "vecchia_quickstart.yaml"), "--output", "quickstart.h5", "-q")
        found = arrays(self.path("quickstart.h5"))
        theta, error = found["results/theta"][0], found["results/theta_se"][0]
        self.assertTrue((np.abs(theta - found["results/truth"]) < 4 * error).all(), (theta, error))
        with h5py.File(self.path("quickstart.h5")) as file:
            self.assertAlmostEqual(file["results/prediction"].attrs["coverage_95"], 0.95, delta=0.02)
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

    def test_with_all_neighbours_it_is_exact(self):
        self.write("data.csv", table(some_points()))
        self.write("input.yaml", "app: gp\ndata: {file: data.csv}\nloglik: {theta: [[1, 0.1, 0.7]]}\n")
        exact = self.results()["results/loglik"][0]
        for method in ("{vecchia: {neighbours: 59}}", "{vecchia: {neighbours: 1000, ordering: coordinate}}"):
            self.assertAlmostEqual(self.results("method=" + method)["results/loglik"][0] / exact, 1, delta=1e-12)

    def test_auto_says_which_and_why(self):
        self.write("input.yaml", "app: gp\ncovariance: {sigma2: 1, beta: 0.05, nu: 0.5}\nsimulate: {points: 400, layout: regular}\nloglik: {theta: [[1, 0.05, 0.5]]}\nmethod: auto\n")
        self.assertIn("method: exact (400 points, not more than the", self.succeed("input.yaml", "--force").err)
        outcome = self.succeed("input.yaml", "--force", "simulate.points=10000", "backend=serial")
        self.assertIn("method: vecchia (10000 points, more than the 8192 that the exact solver takes on serial)", outcome.err)
        with h5py.File(self.path("input.h5")) as file:
            self.assertIn("more than the 8192", file["results"].attrs["method_reason"])

    def test_bad_input(self):
        self.write("data.csv", table(some_points()))
        text = "app: gp\ndata: {file: data.csv}\ncovariance: {family: matern}\nfit: {}\n"
        for more, message in (
            ("method: vechia\n", "'method' is 'vechia', but must be one of exact, vecchia, auto (did you mean 'vecchia'?)"),
            ("method: {vecchia: {neighbors: 30}}\n", "unknown key 'neighbors' in 'method.vecchia' (did you mean 'neighbours'?)"),
            ("method: {vecchia: {neighbours: 0}}\n", "'method.vecchia.neighbours' is 0, but must be between 1 and 1000"),
            ("method: {vecchia: {ordering: hilbert}}\n", "'method.vecchia.ordering' is 'hilbert', but must be one of maxmin, random, coordinate, given"),
        ):
            with self.subTest(message):
                self.write("input.yaml", text + more)
                self.refused(INPUT, "input.yaml:", message)
        self.write("input.yaml", text.replace("matern", "matern, bins: 40") + "method: vecchia\n")
        self.refused(INPUT, "input.yaml:", "leave out 'bins'")
        self.write("input.yaml", "app: gp\ncovariance: {sigma2: 1, beta: 0.1, nu: 0.5}\nsimulate: {points: 250000}\nmethod: vecchia\nrun: {memory_limit: 0.1}\n")
        self.refused(RESOURCE, "250000 points with 30 neighbours each need", ", simulations included, on the device", "allowed by run.memory_limit", "raise run.memory_limit")


class Coverage(GpTest):
    def test_intervals_of_held_out_observations_hold(self):
        """By the script for a million points, on fewer."""
        script = os.path.join(INPUTS, "coverage.py")
        for layout in ("grid", "uniform"):
            with self.subTest(layout):
                run = subprocess.run([sys.executable, "-B", script, "--points", "40000", "--neighbours", "15", "--layout", layout, "--program", EXECUTABLE],
                                     cwd=self.folder, env=environment(), capture_output=True, text=True, timeout=TIMEOUT, check=False)
                if "this build has no FFTW" in run.stderr:
                    self.skipTest("the executable was built without FFTW")
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
                share = float(re.search(r"intervals of 95 % hold ([0-9.]+) %", run.stdout).group(1))
                self.assertTrue(94 <= share <= 96, run.stdout)


class Interruption(GpTest):
    def test_a_fit_that_was_interrupted_ends_with_the_same_bits(self):
        for text in (LONG, VECCHIA.replace("2500", "8100")):
            self.check_interruption(text)

    def check_interruption(self, text):
        self.write("input.yaml", text)
        began = time.monotonic()
        self.succeed("input.yaml", "-q", "--force", "--output", "whole.h5")
        duration = time.monotonic() - began
        for part in (0.3, 0.6):
            process = self.start("input.yaml", "--progress", "off", "--force", "--output", "part.h5")
            for line in process.stderr:
                if line.startswith("tessera: running on "):
                    break
            time.sleep(part * duration)
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=TIMEOUT)
            if process.returncode == 0:
                continue  # faster than before
            self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
            self.assertEqual(attribute(self.path("part.h5"), "run_status"), "interrupted")
            outcome = self.succeed("input.yaml", "--restart", "part.restart.h5", "--output", "part.h5")
            self.assertIn("continuing from part.restart.h5", outcome.err)
            self.assert_same_bits("whole.h5", "part.h5")


class RestartFiles(GpTest):
    def setUp(self):
        super().setUp()
        self.points = some_points(500)
        self.write("data.csv", table(self.points))
        self.write("part.yaml", FIT.replace("tolerance", "starts: 3, tolerance"))
        self.restart = self.killed_run("part")

    def test_other_data(self):
        """Likelihoods of the old data must not meet those of the new."""
        self.write("data.csv", table(self.points * [1, 1, 2]))
        outcome = self.call("part.yaml", "-q", "--restart", self.restart)
        self.assertEqual((outcome.status, outcome.err), (
            INPUT, "tessera: error: cannot continue from 'part.restart.h5': 'data.csv' has changed since that run read it\n"
            "  remedy: put the file of the interrupted run back, or start anew\n"))
        self.write("data.csv", table(self.points))
        os.mkdir(self.path("elsewhere"))  # the same data, from another folder
        for name in ("part.yaml", "data.csv", self.restart):
            shutil.move(self.path(name), self.path("elsewhere"))
        self.succeed("elsewhere/part.yaml", "-q", "--restart", "elsewhere/part.restart.h5")

    def test_results_say_what_was_read(self):
        self.succeed("part.yaml", "-q", "--restart", self.restart)
        with h5py.File(self.path("part.h5")) as file:
            files = file["provenance/files"]
            self.assertEqual([name.decode() for name in files["name"]], ["data.csv"])
            self.assertEqual([digest.decode() for digest in files["sha256"]], [hashlib.sha256(self.read("data.csv")).hexdigest()])
            self.assertEqual(list(files["bytes"]), [len(self.read("data.csv"))])

    def test_arrays_of_other_lengths(self):
        self.assert_arrays_are_checked(self.restart, "part.yaml")

    def test_a_count_that_is_none(self):
        for count in (0, 10**6, 2**60, 2**64 - 1):
            def alter(file, count=count):
                file["state"].attrs["count"] = np.uint64(count)
            with self.subTest(count):
                outcome = self.call("part.yaml", "-q", "--restart", self.altered(self.restart, alter), "--output", f"{count}.h5")
                self.assertEqual(outcome.status, FILES if count else 0, outcome.err)


class Pictures(GpTest):
    def test_every_kind(self):
        try:
            import matplotlib  # noqa: F401, PLC0415
        except ImportError:
            self.skipTest("no matplotlib")
        self.write("input.yaml", LONG.replace("625", "100").replace("fraction: 0.1", "grid: [12, 10]") + "cross_validation: {}\n")
        self.results()
        self.write("many.yaml", LONG.replace("625", "49").replace("starts: 2", "replicates: separate").replace("points", "replicates: 3, points"))
        self.succeed("many.yaml", "-q")
        self.write("uneven.yaml", LONG.replace("625", "49").replace("fraction: 0.1", "grid: {x: [0.1, 0.2, 0.7], y: 0.5}"))
        self.succeed("uneven.yaml", "-q")
        self.write("sampled.yaml", StartSample.TEXT.replace("4000", "400").replace("fit: {", "fit: {start_sample: 100, "))
        self.succeed("sampled.yaml", "-q")
        self.write("data.csv", table(some_points(200)))
        self.write("rising.yaml", ByNeighbours.TEXT)
        self.succeed("rising.yaml", "-q")
        for name, kinds in (("uneven.h5", ("map",)), ("rising.h5", ("convergence", "neighbours")), ("sampled.h5", ("neighbours", "history", "summary")), ("input.h5", ("summary", "map", "variogram", "history", "validation")), ("many.h5", ("summary", "boxplot", "map"))):
            for kind in kinds:
                status, message = plot(self.path(name), "--kind", kind, "-o", self.path("a.png"))
                self.assertEqual(status, 0, message)


if __name__ == "__main__":
    run_cases.main()
