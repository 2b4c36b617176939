# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp_model.py EXECUTABLE. Covariates of the mean, known errors, turned
ranges."""

import h5py
import numpy as np

import run_cases
from cli_support import INPUT
from gp_support import GpTest, skip_without_nlopt, some_points, table


def setUpModule():
    skip_without_nlopt()


class Covariates(GpTest):
    def setUp(self):
        super().setUp()
        points = some_points(300)
        elevation = 1000 + 50 * np.sin(3 * points[:, 0]) + 20 * np.cos(40 * points[:, 1])
        values = points[:, 2] + 0.5 * elevation - 3 * np.log(elevation)
        self.write(
            "data.csv",
            table(
                np.column_stack([points[:, 0], points[:, 1], values, elevation, 0 * elevation + 7]),
                "x,y,z,elevation,seven",
            ),
        )
        self.text = "app: gp\ndata: {file: data.csv, covariates: [elevation, seven]}\nloglik: {theta: [[1, 0.1, 0.7, 0.01]]}\ncovariance: {nugget: 0.01}\n"

    def test_coordinates_as_covariates_are_a_linear_mean(self):
        for linear, covariates in (("linear", "[x, y]"), ("quadratic", "[x, y, x^2, x*y, y*y]")):
            for method in ("exact", "vecchia"):
                self.write("input.yaml", self.text + f"mean: {linear}\nmethod: {method}\n")
                expected = self.results()["results/loglik"][0]
                self.write(
                    "input.yaml",
                    self.text + f"mean: {{covariates: {covariates}}}\nmethod: {method}\n",
                )
                self.assertAlmostEqual(
                    self.results()["results/loglik"][0] / expected, 1, delta=1e-9
                )

    def test_coefficients_and_predictions(self):
        fit = self.text.replace(
            "loglik: {theta: [[1, 0.1, 0.7, 0.01]]}",
            "fit: {}\npredict: {points: {file: targets.csv}}",
        )
        self.write("targets.csv", "x,y,elevation,seven\n0.4,0.6,1000,7\n0.4,0.6,1010,7\n")
        for method in ("exact", "vecchia"):
            self.write("input.yaml", fit + f"mean: {{covariates: [elevation]}}\nmethod: {method}\n")
            found = self.results()
            self.assertEqual(
                [name.decode() for name in found["results/trend_names"]], ["constant", "elevation"]
            )
            slope, error = found["results/trend"][0, 0, 1], found["results/trend_se"][0, 1]
            self.assertLess(abs(slope - 0.497), 4 * error + 0.001)
            self.assertAlmostEqual(
                found["results/prediction/mean"][1] - found["results/prediction/mean"][0],
                10 * slope,
                delta=1e-6,
            )

    def test_bad_input(self):
        for more, message in (
            ("mean: {covariates: [elevation, depth]}\n", "depth"),
            ("mean: {covariates: [log(elevation]}\n", "input.yaml:5:"),
            (
                "mean: {covariates: [log(elevation - 1000)]}\n",
                "the covariate 'log(elevation - 1000)' is not finite at row",
            ),
            ("mean: {covariates: [seven]}\n", "the covariate 'seven' is constant over the points"),
            (
                "mean: {covariates: [elevation, 2*elevation + 1]}\n",
                "the covariate '2*elevation + 1' is a combination of the columns of the mean before it",
            ),
            (
                "mean: {covariates: [elevation]}\npredict: {grid: [4, 4]}\n",
                "a grid has no 'data.covariates'",
            ),
            (
                "mean: cubic\n",
                "'mean' is 'cubic', but must be one of zero, constant, linear, quadratic",
            ),
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
        self.write(
            "input.yaml",
            self.text
            + "fit: {fixed: [nu], tolerance: 1.0e-9}\npredict: {grid: [5, 5]}\ncross_validation: {folds: 5}\n",
        )
        for method in ("exact", "vecchia"):
            nugget = self.results(
                "method=" + method,
                "covariance.nugget=0.25",
                "fit.fixed=[nu, nugget]",
                "fit.start=[1, 0.1, 0.7, 0.25]",
            )
            errors = self.results(
                "method=" + method, "data.error_variance=equal", "fit.start=[1, 0.1, 0.7]"
            )
            np.testing.assert_allclose(
                errors["results/loglik"], nugget["results/loglik"], rtol=1e-9
            )
            np.testing.assert_allclose(
                errors["results/theta"][0], nugget["results/theta"][0, :3], rtol=2e-4
            )
            np.testing.assert_allclose(
                errors["results/prediction/mean"], nugget["results/prediction/mean"], atol=1e-3
            )
            np.testing.assert_allclose(
                errors["results/cross_validation/variance"],
                nugget["results/cross_validation/variance"],
                rtol=1e-3,
            )
            np.testing.assert_array_equal(errors["results/error_variance"], np.full(80, 0.25))

    def test_of_observation_adds_the_targets_own(self):
        self.write("targets.csv", "x,y,e\n0.4,0.6,0.5\n0.2,0.1,0\n")
        text = self.text.replace("csv}", "csv, error_variance: rising}").replace(
            "nu: 0.7", "nu: 0.7, nugget: 0.2"
        )
        self.write(
            "input.yaml", text + "predict: {points: {file: targets.csv, error_variance: e}}\n"
        )
        for method in ("exact", "vecchia"):
            field, observation = self.results("method=" + method), self.results(
                "method=" + method, "predict.of=observation"
            )
            np.testing.assert_allclose(
                observation["results/prediction/variance"] - field["results/prediction/variance"],
                [0.7, 0.2],
                rtol=1e-12,
            )

    def test_held_out_observations_are_scored_with_theirs(self):
        self.write(
            "input.yaml",
            self.text.replace("csv}", "csv, error_variance: rising}")
            + "predict: {fraction: 0.2}\n",
        )
        found = self.results()
        file = h5py.File(self.path("input.h5"), "r")
        error, variance = (
            found["results/prediction/observed"] - found["results/prediction/mean"],
            found["results/prediction/variance"],
        )
        own = 0.1 + 0.5 * file["results/prediction/x1"][:]
        self.assertAlmostEqual(
            file["results/prediction"].attrs["mean_squared_standardised_error"],
            np.mean(error**2 / (variance + own)),
            places=12,
        )
        np.testing.assert_allclose(
            found["results/prediction/observed_variance"], variance + own, rtol=1e-14
        )

    def test_duplicates_that_errors_tell_apart(self):
        rows = self.columns.copy()
        rows[3, :2] = rows[4, :2]
        self.write("data.csv", table(rows, "x,y,z,equal,rising"))
        self.write("input.yaml", self.text + "predict: {grid: [3, 3]}\n")
        self.refused(INPUT, "1 observation repeats the place of another (rows 4 and 5;")
        self.results("data.error_variance=equal")

    def test_bad_input(self):
        for row, value, message in (
            (7, -0.5, "row 8: the error variance 'rising' is -0.5"),
            (2, "inf", "data.csv:4:34: 'inf' in column 'rising' is not a finite number"),
            (5, "", "rising"),
        ):
            with self.subTest(message):
                # Rounding makes the texts the same, whatever sine a processor has.
                rows = np.round(self.columns, 6).astype(object)
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
        # One of the starts has equal ranges.
        for start in ("[0.5, 0.1, 0.1, 0, 1, 0.02]", "[0.5, 0.2, 0.1, -0.5, 1, 0.02]"):
            for method, search, points in (("exact", "lbfgs", 400), ("vecchia", "scoring", 900)):
                self.write(
                    "input.yaml",
                    self.TEXT + f"method: {method}\nfit: {{start: {start}, method: {search}}}\n",
                )
                found = self.results(f"simulate.points={points}")
                self.assertEqual(
                    [name.decode() for name in found["results/parameters"]],
                    ["sigma2", "beta_1", "beta_2", "angle", "nu", "nugget"],
                )
                theta, error = found["results/theta"][0].copy(), found["results/theta_se"][0]
                if theta[1] < theta[2]:  # the same field
                    theta[1], theta[2], theta[3] = theta[2], theta[1], theta[3] + np.pi / 2
                    error = error[[0, 2, 1, 3, 4, 5]]
                theta[3] = (theta[3] - 0.6 + np.pi / 2) % np.pi - np.pi / 2 + 0.6
                self.assertLess(error[3], 0.15)
                self.assertTrue(
                    (np.abs(theta - [1, 0.3, 0.06, 0.6, 0.8, 0.01]) < 3.5 * error).all(),
                    (method, search, start, theta, error),
                )

    def test_a_list_for_beta_is_ranges(self):
        text = "app: gp\nsimulate: {points: 100}\ncovariance: {sigma2: 1, %s: [0.3, 0.1], nu: 0.8}\nloglik: {theta: [[1, 0.3, 0.1, 0.8]]}\n"
        self.write("input.yaml", text % "beta")
        found = self.results()["results/loglik"]
        self.write("input.yaml", text % "ranges")
        self.assertEqual(found, self.results()["results/loglik"])

    def test_bad_input(self):
        for covariance, message in (
            (
                "beta: 0.1, angle: 0.3",
                "'angle' turns the axes of ranges: give one for each of two or three coordinates",
            ),
            ("beta: [0.1], angle: 0.3", "'angle' turns the axes of ranges"),
            (
                "beta: [0.1, 0.2], angle: [0.3, 0, 0]",
                "'covariance.angle' has 3 elements, but 2 coordinates need 1",
            ),
            (
                "beta: [0.1, 0.2, 0.3], angle: 0.3",
                "'covariance.angle' has 1 elements, but 3 coordinates need 3",
            ),
            (
                "beta: [0.1, 0.2, 0.3]",
                "'covariance.beta' has 3 elements, but there are 2 coordinates",
            ),
            ("beta: [0.1, 0.2], ranges: [0.1, 0.2]", "give either 'beta' or 'ranges', not both"),
            ("beta: [0.1, 0.2], angle: wide", "angle"),
        ):
            with self.subTest(message):
                self.write(
                    "input.yaml",
                    "app: gp\nsimulate: {points: 100, lower: [0, 0], upper: [1, 1]}\ncovariance: {sigma2: 1, nu: 0.8, %s}\n"
                    % covariance,
                )
                self.refused(INPUT, message)
        self.write("input.yaml", self.TEXT + "fit: {start: [-0.5, 0.1, 0.1, 0, 1, 0.02]}\n")
        self.refused(INPUT, "sigma2 must be at least 0 in 'fit.start'")


if __name__ == "__main__":
    run_cases.main()
