# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp_silence.py EXECUTABLE. What rounding, repeated places and the
date line do to data is handled, or said."""

import h5py
import numpy as np

import run_cases
from cli_support import INPUT, NUMERICAL
from gp_support import FIT, GpTest, skip_without_nlopt, some_points, table


def setUpModule():
    skip_without_nlopt()


TINY_NUGGET = """
app: gp
covariance: {family: matern32, sigma2: 1, beta: 0.1, nugget: 0}
simulate: {points: 300}
fit: {start: [1, 0.1, 0.001], tolerance: 1.0e-3}
run: {seed: 3}
"""


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

    def test_a_nugget_that_data_do_not_tell_from_none(self):
        """Of a field without errors, whose nugget ends above its lower bound."""
        self.write("input.yaml", TINY_NUGGET)
        outcome = self.succeed("input.yaml", "-q", "-o", "out.h5")
        self.assertIn("the data do not tell nugget from 0", outcome.err)
        self.assertIn("fit.fixed", outcome.err)
        self.succeed("input.yaml", "-q", "-o", "fixed.h5", "fit.fixed=[nugget]")
        with h5py.File(self.path("out.h5")) as found, h5py.File(self.path("fixed.h5")) as fixed:
            self.assertGreater(found["results/theta_se"][0, -1], 0)
            self.assertTrue(np.isnan(fixed["results/theta_se"][0, -1]))
        outcome = self.succeed("input.yaml", "-q", "-o", "low.h5", "fit.tolerance=1e-6")
        self.assertIn("the data show no errors: the fit ends with nugget", outcome.err)
        outcome = self.succeed("input.yaml", "-q", "-o", "b.h5", "covariance.nugget=0.1")
        self.assertNotIn("do not tell", outcome.err)

    def test_a_smooth_field_without_a_nugget(self):
        """Its covariance has no factor for the sixty nearest data: an error in every task, of both
        solvers, that names a place."""
        self.write("data.csv", table(smooth_points()))
        model = "app: gp\ndata: {file: data.csv}\ncovariance: {family: squared_exponential, sigma2: 0.3, beta: 0.6}\n"
        for method in (
            "exact",
            "{vecchia: {neighbours: 5}}",
            "{vecchia: {neighbours: 5, block: 2}}",
        ):
            for task in (
                "predict: {grid: [40, 40]}",
                "predict: {grid: [40, 40], draws: 2}",
                "cross_validation: {}",
                "cross_validation: {folds: 0}",
                "predict: {fraction: 0.2}",
            ):
                with self.subTest(method=method, task=task):
                    self.write("input.yaml", f"{model}method: {method}\n{task}\n")
                    self.refused(
                        NUMERICAL,
                        " at (" if "vecchia" in method else "covariance",
                        "remedy: ",
                        "give the covariance a nugget",
                        "a rougher family (matern52)",
                    )
        self.write(
            "input.yaml",
            f"{model}method: {{vecchia: {{neighbours: 5, prediction_neighbours: 10}}}}\npredict: {{grid: [9, 9]}}\ncross_validation: {{}}\n",
        )
        found = self.results()
        for name in (
            "prediction/mean",
            "prediction/variance",
            "cross_validation/mean",
            "cross_validation/variance",
        ):
            self.assertTrue(np.isfinite(found["results/" + name]).all(), name)
        y, x = np.meshgrid(
            found["results/prediction/x2"].reshape(9, 9)[0],
            found["results/prediction/x1"].reshape(9, 9)[:, 0],
        )
        # ten neighbours at a corner: 1.1e-3
        np.testing.assert_allclose(
            found["results/prediction/mean"].reshape(9, 9), x**2 + np.sin(2 * y), atol=2e-3
        )

    def test_points_that_almost_coincide(self):
        """Five of 85 points again a hair beside them, with other values: the pairs are named, and
        what is left of a search is no maximum."""
        points = some_points(85) * [1000, 1000, 1] + [5e5, 4.1e6, 20]
        again = points[10:60:10] + [0, 1e-6, 0]
        again[:, 2] += 1
        points = np.vstack([points, again])
        self.write("data.csv", table(points.tolist()))
        self.write(
            "input.yaml",
            "app: gp\ndata: {file: data.csv}\ncovariance: {family: matern32}\nfit: {}\n",
        )
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
        self.write(
            "input.yaml",
            f"app: gp\ndata: {{file: data.csv}}\ncovariance: {{family: matern32}}\nloglik: {{theta: [{theta}]}}\n",
        )
        outcome = self.succeed("input.yaml", "--force", "--progress", "off")
        self.assertIn("is singular almost to rounding", outcome.err)
        with h5py.File(self.path("input.h5")) as file:
            self.assertAlmostEqual(
                file["results/loglik"][0] / matern32(points, theta), 1, delta=0.2
            )
        self.write(
            "input.yaml",
            "app: gp\ndata: {file: data.csv, duplicates: average}\ncovariance: {family: matern32}\nfit: {}\n",
        )
        outcome = self.succeed("input.yaml", "--force", "--progress", "off")
        self.assertIn("5 observations averaged", outcome.err)
        self.assertNotIn("warning", outcome.err)
        self.write(
            "input.yaml",
            "app: gp\ndata: {file: data.csv}\ncovariance: {family: matern32, nugget: 0.1}\nfit: {}\n",
        )
        self.assertNotIn(
            "almost repeat", self.succeed("input.yaml", "--force", "--progress", "off").err
        )

    def test_stations_observed_many_times(self):
        """Vecchia's approximation of 2000 observations at 50 places gives the numbers of the exact
        solver."""
        stations = some_points(50)
        rows = [
            [x, y, z + 0.8 * np.sin(1000 * k * z + k)] for k in range(40) for x, y, z in stations
        ]
        self.write("data.csv", table(np.round(rows, 9).tolist()))
        found = {}
        for method in ("exact", "vecchia"):
            self.write(
                "input.yaml",
                f"app: gp\nmean: zero\nmethod: {method}\ndata: {{file: data.csv}}\ncovariance: {{family: matern12, sigma2: 1, beta: 0.5, nugget: 0.4}}\n"
                "loglik: {theta: [[1, 0.5, 0.4]]}\npredict: {grid: [12, 12]}\ncross_validation: {folds: 5}\n",
            )
            found[method] = self.results()
        for name, tolerance in (
            ("prediction/mean", 0.02),
            ("prediction/variance", 0.01),
            ("cross_validation/mean", 0.02),
            ("cross_validation/variance", 0.01),
            ("loglik", 1),
        ):
            np.testing.assert_allclose(
                found["vecchia"]["results/" + name],
                found["exact"]["results/" + name],
                atol=tolerance,
                rtol=0,
                err_msg=name,
            )

    def test_repeated_places_that_stay_apart(self):
        """Where Vecchia's approximation cannot merge observations at a place, or does not know that
        it is one, it says so."""
        rows = np.round(some_points(60), 4)
        rows = np.column_stack([np.vstack([rows, rows[:20]]), np.full(80, 0.1), np.arange(80)])
        model = "app: gp\ndata: {file: data.csv%s}\ncovariance: {family: matern12, sigma2: 1, beta: 0.3%s}\n%sloglik: {theta: [%s]}\nmethod: vecchia\n"
        apart = "80 observations lie at 60 places, up to 2 at one, and stay apart, for "
        beside = (
            "20 places lie beside another, no farther away than rounding puts it (the first at "
        )
        self.write("data.csv", table(rows.tolist(), "x,y,z,e,n"))
        for data, nugget, mean, theta, warning in (
            (
                ", error_variance: e",
                ", nugget: 0.1",
                "",
                "[1, 0.3, 0.1]",
                apart + "they have both a nugget and known variances of their errors",
            ),
            (
                ", covariates: [n]",
                ", nugget: 0.1",
                "mean: {covariates: [n]}\n",
                "[1, 0.3, 0.1]",
                apart + "at one place their covariates differ",
            ),
            ("", ", nugget: 0.1", "", "[1, 0.3, 0.1]", None),
            (", error_variance: e", "", "", "[1, 0.3]", None),
        ):
            with self.subTest(warning=warning, nugget=nugget):
                self.write("input.yaml", model % (data, nugget, mean, theta))
                outcome = self.succeed("input.yaml", "--force", "--progress", "off")
                self.assertIn(warning, outcome.err) if warning else self.assertNotIn(
                    "warning", outcome.err
                )
        self.assertNotIn(
            "warning",
            self.succeed("input.yaml", "--force", "--progress", "off", "method=exact").err,
        )
        rows[60:, 0] += 1e-13
        self.write("data.csv", table(rows.tolist(), "x,y,z,e,n"))
        outcome = self.succeed("input.yaml", "--force", "--progress", "off")
        self.assertIn(beside, outcome.err)
        self.assertIn("round the coordinates", outcome.err)
        self.assertNotIn(
            "warning",
            self.succeed("input.yaml", "--force", "--progress", "off", "method=exact").err,
        )

    def test_a_grid_across_the_date_line(self):
        """Data from 179 to -179 degrees span two degrees."""
        points = some_points(60)
        points[:, 0], points[:, 1] = -17 + points[:, 0], np.where(
            points[:, 1] < 0.5, 179 + 2 * points[:, 1], -181 + 2 * points[:, 1]
        )
        self.write("data.csv", table(np.round(points, 9).tolist(), "latitude,longitude,z"))
        self.write(
            "plain.csv", table(np.round(points + [0, 0, 0], 9).tolist(), "latitude,longitude,z")
        )
        text = (
            "app: gp\nmean: linear\ndata: {file: data.csv, latitude: latitude, longitude: longitude}\ncovariance: {family: matern12, metric: chordal, sigma2: 1, beta: 50}\n"
            "predict: {grid: [4, 9]}\n"
        )
        self.write("input.yaml", text)
        found = self.results()
        longitude = found["results/prediction/longitude"]
        self.assertGreater(longitude.min(), 178.9)
        self.assertLess(longitude.max(), 181.1)
        turned = points.copy()
        turned[:, 1] %= 360
        self.write("data.csv", table(np.round(turned, 9).tolist(), "latitude,longitude,z"))
        again = self.results()
        np.testing.assert_allclose(
            again["results/prediction/mean"], found["results/prediction/mean"], atol=1e-7
        )
        np.testing.assert_allclose(
            again["results/prediction/variance"], found["results/prediction/variance"], atol=1e-7
        )
        self.write("input.yaml", text.replace("[4, 9]", "{latitude: [-91, 0], longitude: [400]}"))
        self.refused(
            INPUT,
            "the latitude -91 is outside -90 to 90 degrees",
            "the longitude 400 is outside -360 to 360 degrees",
        )

    def test_tables_with_row_numbers(self):
        """What pandas and R write: a first column without a name; and a column that nobody asks
        for."""
        points = some_points().tolist()
        self.write("data.csv", table(points))
        self.write("input.yaml", FIT)
        expected = self.results()["results/theta"]
        self.write(
            "data.csv", table([[k, "station", *row] for k, row in enumerate(points)], ",name,x,y,z")
        )
        np.testing.assert_array_equal(self.results()["results/theta"], expected)
        self.write(
            "data.csv", table([[f'"{k}"', *row] for k, row in enumerate(points)], '"","x","y","z"')
        )
        np.testing.assert_array_equal(self.results()["results/theta"], expected)

    def test_marks_of_missing_values(self):
        points = some_points().tolist()
        marks = ["NULL", "None", "NA", "N/A", "#N/A", "NaN", "-", ".", ""]
        self.write("data.csv", table(points))
        self.write("input.yaml", FIT)
        expected = self.results()["results/theta"]
        self.write(
            "data.csv",
            table([[0.111 * k, 0.05 * k, mark] for k, mark in enumerate(marks)] + points),
        )
        self.write("input.yaml", FIT.replace("data.csv", "data.csv, missing: drop"))
        np.testing.assert_array_equal(self.results()["results/theta"], expected)
        self.write("input.yaml", FIT)
        self.refused(
            INPUT, "data.csv:2:9: the value in column 'z' is missing", "data.missing: drop"
        )
        self.write("data.csv", "x,y,z\n")
        self.refused(INPUT, "there are no numbers in this file")

    def test_keys_that_need_another(self):
        self.write("data.csv", table(some_points()))
        for change, message in (
            (
                (" data.csv", " data.csv, time: t"),
                "'time' needs a covariance in time: give 'covariance.beta_time' or 'covariance.time'",
            ),
            (
                ("covariance: {", "predict: {grid: [3, 3]}\ncovariance: {beta_time: 2, "),
                "missing required key 'time'",
            ),
            (
                ("covariance: {", "predict: {time: 2, fraction: 0.1}\ncovariance: {beta_time: 2, "),
                "'time' is that of 'grid'",
            ),
            (
                ("family: matern", "family: matern12, nu: 0.5"),
                "'nu' is the smoothness of 'family: matern'",
            ),
            (
                ("family: matern", "family: matern, exponent: 1"),
                "'exponent' is for 'family: powered_exponential'",
            ),
            (
                ("family: matern", "family: matern, radius: 1"),
                "'radius' is of the sphere: it needs 'metric: great_circle' or 'chordal'",
            ),
        ):
            self.write("input.yaml", FIT.replace(*change))
            outcome = self.call("input.yaml", "--force")
            self.assert_mentions(outcome, INPUT, message)
            self.assertNotIn("did you mean", outcome.err)


if __name__ == "__main__":
    run_cases.main()
