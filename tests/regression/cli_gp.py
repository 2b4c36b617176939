# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp.py EXECUTABLE. A table of points to estimates with errors and a
map; pictures."""

import glob
import os
import sys

import h5py
import numpy as np

import run_cases
from cli_support import INPUT, NUMERICAL, arrays, run_in
from gp_support import (
    DATA,
    FIT,
    INPUTS,
    LONG,
    RISING,
    SAMPLE,
    GpTest,
    reference,
    skip_without_nlopt,
    some_points,
    table,
)
from plot_support import plot


def setUpModule():
    skip_without_nlopt()


class FromTableToMap(GpTest):
    def test_quick_start(self):
        self.succeed(os.path.join(INPUTS, "quickstart.yaml"), "--output", "quickstart.h5", "-q")
        found = arrays(self.path("quickstart.h5"))
        self.assertEqual(
            [name.decode() for name in found["results/parameters"]], ["sigma2", "beta", "nu"]
        )
        theta, error = found["results/theta"][0], found["results/theta_se"][0]
        truth = np.array([1, 0.1, 0.5])
        self.assertTrue((np.abs(theta - truth) < 3 * error).all(), (theta, error))
        self.assertEqual(found["results/prediction/mean"].shape, (64 * 64,))
        self.assertTrue((found["results/prediction/variance"] >= 0).all())
        with h5py.File(self.path("quickstart.h5")) as file:
            self.assertAlmostEqual(
                file["results/cross_validation"].attrs["coverage_95"], 0.95, delta=0.05
            )
            for group in ("results", "series", "coordinates"):
                file[group].visititems(
                    lambda name, item: self.assertIn("units", item.attrs, name)
                    if isinstance(item, h5py.Dataset)
                    else None
                )

    def test_every_input_is_valid(self):
        names = sorted(glob.glob(os.path.join(INPUTS, "*.yaml")))
        self.assertGreaterEqual(len(names), 8)
        for name in names:
            with self.subTest(name):
                self.succeed(name, "--validate")

    def test_inputs_for_a_gpu_in_short(self):
        names = sorted(glob.glob(os.path.join(INPUTS, "scale", "*.yaml")))
        self.assertGreaterEqual(len(names), 4)
        for name in names:
            with self.subTest(name):
                self.succeed(name, "simulate.points=150", "--output", "short.h5", "--force", "-q")

    def test_script_of_the_kaust_competitions(self):
        random = np.random.default_rng(4)
        xy = random.random((230, 2))
        z = np.sin(6 * xy[:, 0]) + xy[:, 1] + 0.05 * random.normal(size=230)
        rows = np.column_stack([xy, z])
        self.write("one_training.csv", table(rows[:200], "x,y,values"))
        self.write("one_testing.csv", table(xy[200:], "x,y"))
        self.write("truth.csv", table(rows[200:], "x,y,values"))
        script = os.path.join(INPUTS, "kaust.py")
        one, both = ("one_training.csv", "one_testing.csv"), ("--warp", "--tukey")

        def run(*arguments):
            found = run_in(self.folder, sys.executable, script, *arguments)
            self.assertEqual(found.returncode, 0, found.stderr)
            return found.stdout

        self.assertIn("one_training.yaml", run("input", *one))
        self.succeed("one_training.yaml", "-q")
        said = run("score", "one_training.h5", "one_testing.csv", "truth.csv")
        self.assertLess(float(said.split("RMSE")[1].split(",")[0]), 0.1)
        self.assertEqual(len(self.read("one_training_prediction.csv").splitlines()), 30)
        rows[:, 2] = np.exp(rows[:, 2])
        self.write("two_training.csv", table(rows[:200], "x,y,values"))
        self.write("truth.csv", table(rows[200:], "x,y,values"))
        refused = run_in(
            self.folder,
            sys.executable,
            script,
            "input",
            "two_training.csv",
            "one_testing.csv",
            *both,
        )
        self.assertIn("one of --warp and --tukey at most", refused.stderr)
        self.assertIn("one_training.yaml", run("input", *one, "--warp"))
        self.succeed("one_training.yaml", "--validate")
        run("input", "two_training.csv", "one_testing.csv", "--tukey")
        self.succeed("two_training.yaml", "-q")
        said = run("score", "two_training.h5", "one_testing.csv", "truth.csv")
        figures = dict(part.split()[-2:] for part in said.split(", ")[1:])
        self.assertLess(float(figures["CRPS"]), float(figures["MAE"]))
        self.assertGreater(float(figures["coverage"]), 0.8)

    def test_documented_parameters(self):
        defaults = self.succeed("--print-defaults").out
        for key in ("family:", "held_out:", "folds:", "starts:", "range_convention:"):
            self.assertIn(key, defaults)

    def test_likelihood_of_the_reference(self):
        rows = reference("gp400_loglik.csv")
        thetas = ", ".join(f"[{r['sigma2']!r}, {r['beta']!r}, {r['nu']!r}]" for r in rows)
        self.write(
            "input.yaml",
            f"app: gp\nmean: zero\ndata: {{file: {DATA}/gp400_data.csv}}\nloglik: {{theta: [{thetas}]}}\n",
        )
        found = self.results()["results/loglik"]
        for value, row in zip(found, rows):
            self.assertAlmostEqual(
                value / row["loglik_longdouble"], 1, delta=1e-9 if row["nu"] == 1.3 else 1e-12
            )

    def test_maximum_likelihood_of_the_reference(self):
        best = reference("gp400_mle.csv")[0]
        for method in ("bobyqa", "lbfgs", "scoring"):
            self.write(
                "input.yaml",
                FIT.replace("data.csv", f"{DATA}/gp400_data.csv").replace(
                    "fit: {", f"fit: {{method: {method}, "
                ),
            )
            found = self.results()
            self.assertAlmostEqual(found["results/loglik"][0], best["max_loglik"], delta=1e-6)
            np.testing.assert_allclose(
                found["results/theta"][0], [best["sigma2"], best["beta"], best["nu"]], rtol=3e-4
            )

    def test_standard_errors_agree(self):
        self.write("input.yaml", FIT.replace("data.csv", f"{DATA}/gp400_data.csv"))
        observed = self.results()["results/theta_se"][0]
        fisher = self.results("fit.standard_errors=fisher")["results/theta_se"][0]
        np.testing.assert_allclose(observed, fisher, rtol=0.35)  # the one is random, with this mean
        self.assertTrue(
            np.isnan(self.results("fit.standard_errors=none")["results/theta_se"]).all()
        )

    def test_kriging_of_the_reference(self):
        score = reference("gp400_mspe.csv")[0]
        self.write(
            "input.yaml",
            f"app: gp\nmean: zero\ndata: {{file: {DATA}/gp400_data.csv}}\n"
            f"covariance: {{sigma2: 1, beta: 0.1, nu: 0.5}}\npredict: {{held_out: held_out}}\n",
        )
        self.results()
        with h5py.File(self.path("input.h5")) as file:
            self.assertAlmostEqual(
                file["results/prediction"].attrs["mspe"] / score["mspe"], 1, delta=1e-9
            )

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
            self.write(
                "input.yaml",
                FIT.replace(
                    "{file: data.csv}", f"{{file: {name}, coordinates: [1, 2], values: [3]}}"
                ),
            )
            np.testing.assert_allclose(self.results()["results/loglik"], expected, rtol=1e-9)
        self.write(
            "input.yaml",
            FIT.replace(
                "{file: data.csv}",
                "{file: data.hdf5, coordinates: [table/x, table/y], values: [table/z]}",
            ),
        )
        np.testing.assert_allclose(self.results()["results/loglik"], expected, rtol=1e-9)

    def test_ranges_of_a_grid(self):
        """A grid over the extent of the data, and the same one and others by ranges and lists."""
        points = some_points()
        self.write("data.csv", table(points))
        model = "covariance: {sigma2: 1, beta: 0.1, nu: 0.5}\n"
        self.write(
            "input.yaml",
            f"app: gp\nmean: zero\ndata: {{file: data.csv}}\n{model}predict: {{grid: [5, 3]}}\n",
        )
        whole = self.results()
        (x0, y0), (x1, y1) = points[:, :2].min(axis=0).tolist(), points[:, :2].max(axis=0).tolist()
        self.write("axis.csv", "at\n" + "".join(f"{y0 + (y1 - y0) * i / 2!r}\n" for i in range(3)))
        for y in (f"{{linspace: [{y0!r}, {y1!r}, 3]}}", "{file: axis.csv, column: at}"):
            self.write(
                "input.yaml",
                f"app: gp\nmean: zero\ndata: {{file: data.csv}}\n{model}predict:\n  grid:\n    x: {{linspace: [{x0!r}, {x1!r}, 5]}}\n    y: {y}\n",
            )
            found = self.results()
            np.testing.assert_array_equal(found["results/prediction/grid"], [5, 3])
            for name in ("x1", "x2", "mean", "variance"):
                np.testing.assert_allclose(
                    found[f"results/prediction/{name}"],
                    whole[f"results/prediction/{name}"],
                    rtol=1e-9,
                    err_msg=name,
                )
        self.write(
            "input.yaml",
            f"app: gp\nmean: zero\ndata: {{file: data.csv}}\n{model}predict: {{grid: {{x: [0.1, 0.2, 0.7], y: 0.5}}}}\n",
        )
        found = self.results()
        np.testing.assert_array_equal(found["results/prediction/x1"], [0.1, 0.2, 0.7])
        np.testing.assert_array_equal(found["results/prediction/x2"], [0.5, 0.5, 0.5])
        sphere = "covariance: {metric: chordal, sigma2: 1, beta: 900, nu: 0.4}\nsimulate: {points: 60, layout: uniform}\n"
        self.write(
            "input.yaml",
            f"app: gp\nmean: zero\n{sphere}predict: {{grid: {{latitude: {{linspace: [-10, 10, 3]}}, longitude: [0]}}}}\n",
        )
        np.testing.assert_array_equal(self.results()["results/prediction/latitude"], [-10, 0, 10])

    def test_replicates(self):
        self.write(
            "input.yaml",
            LONG.replace("625", "49")
            .replace("starts: 2", "replicates: separate")
            .replace("points", "replicates: 3, points"),
        )
        found = self.results()
        self.assertEqual(found["results/theta"].shape, (3, 3))
        self.assertEqual(len(set(found["series/replicate"])), 3)
        joint = self.results("fit.replicates=joint")
        self.assertEqual(joint["results/theta"].shape, (1, 3))

    def test_circulant_embedding(self):
        """Fields on a grid have the covariance asked for: z' S^-1 z has mean N, for even and odd
        fields."""
        self.write(
            "input.yaml",
            "app: gp\ncovariance: {family: matern12, sigma2: 2, beta: 0.15, nugget: 0.1}\n"
            "simulate: {points: 144, layout: regular, method: circulant, replicates: 60}\n",
        )
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
        self.refused(
            INPUT,
            "'method: circulant' needs 'layout: regular'",
            arguments=["simulate.layout=jittered"],
        )
        self.refused(
            NUMERICAL,
            "negative eigenvalues",
            "remedy: use simulate.method: cholesky",
            arguments=[
                "covariance.family=squared_exponential",
                "covariance.beta=40",
                "simulate.upper=[1, 1]",
            ],
        )

    def test_same_bits_whatever_the_threads(self):
        self.write(
            "input.yaml",
            LONG.replace("625", "400").replace(
                "starts: 2, max_evaluations: 120", "max_evaluations: 5"
            ),
        )
        self.succeed("input.yaml", "-q", "--output", "one.h5", threads=1)
        self.succeed("input.yaml", "-q", "--output", "two.h5", threads=2)
        self.assert_same_bits("one.h5", "two.h5")

    def test_more_of_the_model(self):
        """Trend, anisotropy, nugget, space and time, chordal and great-circle distances run and
        give finite numbers."""
        points = some_points(80)
        timed = np.column_stack([points, np.arange(80) % 4])
        self.write("data.csv", table(timed, "x,y,z,t"))
        for extra in (
            "covariance: {ranges: [0.2, 0.3], nugget: 0.1}\nmean: linear",
            "covariance: {beta_time: 2.0, family: matern32}\nmean: constant",
            "covariance: {family: powered_exponential, nugget: 0.1}\nmean: zero",
            "covariance: {range_convention: scaled}\nmean: zero",
        ):
            time_column = ", time: t" if "beta_time" in extra else ""
            predict = (
                "predict: {grid: [5, 4], draws: 3, time: 1}"
                if time_column
                else "predict: {grid: [5, 4], draws: 3}"
            )
            self.write(
                "input.yaml",
                f"app: gp\ndata: {{file: data.csv{time_column}}}\n{extra}\nfit: {{method: lbfgs, standard_errors: none}}\n"
                f"{predict}\ncross_validation: {{folds: 0}}\n",
            )
            with self.subTest(extra):
                found = self.results()
                self.assertTrue(np.isfinite(found["results/theta"]).all())
                self.assertEqual(found["results/prediction/draws"].shape, (20, 3))
        for metric in ("great_circle", "chordal"):
            self.write(
                "input.yaml",
                f"app: gp\ncovariance: {{metric: {metric}, sigma2: 1, beta: 900, nu: 0.4}}\nsimulate: {{points: 60, layout: uniform}}\n"
                "fit: {standard_errors: none}\npredict: {grid: [4, 4]}\n",
            )
            with self.subTest(metric):
                self.assertEqual(self.results()["results/prediction/latitude"].shape, (16,))

    def test_great_circle_distances_have_limits(self):
        """A covariance that they need not leave positive definite is named."""
        for covariance, more, *phrases in (
            ("family: matern32", "", "only up to nu = 0.5, and nu is 1.5", "metric: chordal"),
            ("nu: 0.8", "", "nu is 0.8"),
            ("nu: 0.4", "fit: {upper: [9, 9000, 2], max_evaluations: 1}\n", "nu is 2"),
            ("family: powered_exponential, exponent: 1.2", "", "exponent = 1, and exponent is 1.2"),
            ("family: squared_exponential", "", "exponent is 2"),
            ("nu: 0.5", "", ""),
            ("family: matern12", "", ""),
            ("family: powered_exponential, exponent: 1", "fit: {standard_errors: none}\n", ""),
        ):
            for metric in ("great_circle", "chordal"):
                self.write(
                    "input.yaml",
                    f"app: gp\ncovariance: {{metric: {metric}, sigma2: 1, beta: 900, {covariance}}}\n"
                    f"simulate: {{points: 30, layout: uniform}}\n{more}",
                )
                outcome = self.call("input.yaml", "--force", "--progress", "off")
                self.assertEqual(outcome.status, 0, outcome.err)
                if metric == "chordal" or not phrases[0]:
                    self.assertNotIn("great-circle distances a ", outcome.err)
                else:
                    self.assert_mentions(outcome, 0, *phrases)

    def test_legendre_series(self):
        """A likelihood against the series in NumPy; a fit with a smoothness above 1/2; what it does
        not go with."""
        rng = np.random.default_rng(5)
        latitude = np.degrees(np.arcsin(rng.uniform(-1, 1, 60)))
        longitude = rng.uniform(-180, 180, 60)
        z = rng.normal(size=60)
        rows = np.column_stack([latitude, longitude, z])
        self.write("data.csv", table(rows, "lat,lon,z"))
        data = "data: {file: data.csv, latitude: lat, longitude: lon}\n"
        family = "family: legendre_matern"  # whose metric is the great circle's by default
        phi, lam = np.radians(latitude), np.radians(longitude)
        unit = np.array([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])
        weights = ((6371 / 900) ** 2 + np.arange(301.0) ** 2) ** -1.7
        series = np.polynomial.legendre.legval(
            np.clip(unit.T @ unit, -1, 1), weights / weights.sum()
        )
        matrix = 1.3 * series + 0.1 * np.eye(60)
        expected = -0.5 * (
            60 * np.log(2 * np.pi) + np.linalg.slogdet(matrix)[1] + z @ np.linalg.solve(matrix, z)
        )
        for method in ("exact", "{vecchia: {neighbours: 59}}"):
            self.write(
                "input.yaml",
                f"app: gp\nmean: zero\n{data}covariance: {{{family}, terms: 300, nugget: 0.1}}\n"
                f"method: {method}\nloglik: {{theta: [[1.3, 900, 1.2, 0.1]]}}\n",
            )
            self.assertLess(abs(self.results()["results/loglik"][0] / expected - 1), 1e-10)
        self.succeed(os.path.join(INPUTS, "global.yaml"), "--output", "input.h5", "-q", "--force")
        with h5py.File(self.path("input.h5")) as file:
            theta, error = file["results/theta"][0], file["results/theta_se"][0]
            self.assertTrue((np.abs(theta - file["results/truth"][:]) < 3 * error).all(), theta)
        for covariance, *phrases in (
            ("family: legendre_matern, metric: euclidean", "needs 'metric: great_circle'"),
            (family + ", metric: chordal", "needs 'metric: great_circle'"),
            (family + ", terms: 5", "between 10 and 20000"),
            (family + ", range_convention: scaled", "needs 'range_convention: plain'"),
            (family + ", bins: 16", "do not go with 'family: legendre_matern'"),
            ("terms: 100", "'terms' is for 'family: legendre_matern'"),
        ):
            self.write("input.yaml", f"app: gp\n{data}covariance: {{{covariance}}}\nfit: {{}}\n")
            self.refused(INPUT, *phrases)
        self.write(
            "input.yaml",
            f"app: gp\n{data}covariance: {{{family}, terms: 20, sigma2: 1, beta: 900, nu: 0.5}}\n"
            "cross_validation: {}\n",
        )
        outcome = self.call("input.yaml", "--force", "--progress", "off")
        self.assert_mentions(outcome, 0, "20 terms leaves out up to", "covariance.terms")


class Generation(GpTest):
    """The section generate."""

    TEXT = "app: gp\ncovariance: {sigma2: 1, beta: 0.1, nu: 0.8}\n"

    def test_times(self):
        self.write("run.yaml", self.TEXT + "generate: {points: [50, 400], repeats: 3}\n")
        self.succeed("run.yaml", "-q", "--force")
        found = arrays(self.path("run.h5"), ("results", "coordinates"))
        self.assertEqual(found["coordinates/points"].tolist(), [50, 400])
        self.assertEqual(found["results/entries"].tolist(), [1275, 80200])
        self.assertEqual(found["results/generation_seconds"].shape, (2, 3))
        self.assertGreater(found["results/generation_seconds"].min(), 0)

    def test_what_cannot_be(self):
        for text, *phrases in (
            (self.TEXT + "generate: {points: []}\n", "run.yaml:3:", "'generate.points' is empty"),
            (self.TEXT + "generate: {points: [1]}\n", "run.yaml:3:", "points"),
            (
                self.TEXT + "generate: {}\nfit: {}\n",
                "run.yaml:4:",
                "with 'generate' there is no 'fit'",
            ),
            (
                self.TEXT + "generate: {}\nmethod: vecchia\n",
                "'generate' makes the matrix of 'method: exact'",
            ),
            ("app: gp\ngenerate: {}\n", "'generate' needs 'covariance.sigma2'"),
            (
                "app: gp\ncovariance: {sigma2: 1, beta: 900, nu: 0.5, metric: great_circle}\n"
                "generate: {}\n",
                "'generate' takes points of the plane",
            ),
        ):
            with self.subTest(text):
                self.write("run.yaml", text)
                self.assert_mentions(self.call("run.yaml", "-q", "--force"), INPUT, *phrases)
        self.write("run.yaml", self.TEXT + "generate: {points: [5000]}\nrun: {memory_limit: 1}\n")
        self.assert_mentions(
            self.call("run.yaml", "-q", "--force"), 6, "a panel of the matrix of 5000 points takes"
        )


class Predictions(GpTest):
    def test_an_observation_has_the_nugget_too(self):
        self.write("data.csv", table(some_points()))
        self.write(
            "input.yaml",
            "app: gp\ndata: {file: data.csv}\ncovariance: {sigma2: 1, beta: 0.1, nu: 0.7, nugget: 0.25}\n"
            "predict: {grid: [5, 5], draws: 400}\n",
        )
        for method in ("exact", "vecchia"):
            field, observation = self.results("method=" + method), self.results(
                "method=" + method, "predict.of=observation"
            )
            np.testing.assert_allclose(
                observation["results/prediction/variance"] - field["results/prediction/variance"],
                0.25,
                rtol=1e-12,
            )
            np.testing.assert_array_equal(
                observation["results/prediction/mean"], field["results/prediction/mean"]
            )
            noise = observation["results/prediction/draws"] - field["results/prediction/draws"]
            self.assertAlmostEqual(noise.var(), 0.25, delta=0.02)


class Pictures(GpTest):
    def test_every_kind(self):
        try:
            import matplotlib  # noqa: F401, PLC0415
        except ImportError:
            self.skipTest("no matplotlib")
        self.write(
            "input.yaml",
            LONG.replace("625", "100").replace("fraction: 0.1", "grid: [12, 10]")
            + "cross_validation: {}\n",
        )
        self.results()
        self.write(
            "many.yaml",
            LONG.replace("625", "49")
            .replace("starts: 2", "replicates: separate")
            .replace("points", "replicates: 3, points"),
        )
        self.succeed("many.yaml", "-q")
        self.write(
            "uneven.yaml",
            LONG.replace("625", "49").replace(
                "fraction: 0.1", "grid: {x: [0.1, 0.2, 0.7], y: 0.5}"
            ),
        )
        self.succeed("uneven.yaml", "-q")
        self.write(
            "sampled.yaml",
            SAMPLE.replace("4000", "400").replace("fit: {", "fit: {start_sample: 100, "),
        )
        self.succeed("sampled.yaml", "-q")
        self.write("data.csv", table(some_points(200)))
        self.write("rising.yaml", RISING)
        self.succeed("rising.yaml", "-q")
        for name, kinds in (
            ("uneven.h5", ("map",)),
            ("rising.h5", ("convergence", "neighbours")),
            ("sampled.h5", ("neighbours", "history", "summary")),
            ("input.h5", ("summary", "map", "variogram", "history", "validation")),
            ("many.h5", ("summary", "boxplot", "map")),
        ):
            for kind in kinds:
                status, message = plot(self.path(name), "--kind", kind, "-o", self.path("a.png"))
                self.assertEqual(status, 0, message)


if __name__ == "__main__":
    run_cases.main()
