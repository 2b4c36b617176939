# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp_local.py EXECUTABLE. Covariances that are not stationary:
variance, range and nugget by covariates and warped coordinates. Likelihoods and predictions against
dense algebra, estimates of simulated fields against the truth, bad inputs."""

import os

import h5py
import numpy as np

import run_cases
from cli_support import INPUT
from gp_support import INPUTS, GpTest, some_points, table
from plot_support import plot

# sigma2, beta, nugget; of the variance by elevation and x, of the range by x, of the nugget by
# elevation; where the covariates are 0.2 and 0.5
THETA = [1.3, 0.2, 0.1, 0.8, -0.5, 0.9, 0.6]
CENTRE = [0.2, 0.5]
BY_COVARIATES = (
    "by_covariates: {sigma2: [elevation, x], beta: [x], nugget: [elevation], "
    f"centre: {CENTRE}, coefficients: {THETA[3:]}}}"
)
COVARIANCE = (
    "covariance: {family: matern32, sigma2: 1.3, beta: 0.2, nugget: 0.1, " + BY_COVARIATES + "}\n"
)
DATA = "app: gp\nmean: zero\ndata: {file: data.csv, covariates: [elevation]}\n"


def covariates(points):
    """x, y and elevation."""
    u, v = points[:, 2] - CENTRE[0], points[:, 0] - CENTRE[1]
    variance = THETA[0] * np.exp(THETA[3] * u + THETA[4] * v)
    return variance, THETA[1] * np.exp(THETA[5] * v), THETA[2] * np.exp(THETA[6] * u)


def covariance(points, others):
    (s, r, _), (t, q, _) = covariates(points), covariates(others)
    mean = (r[:, None] ** 2 + q**2) / 2
    distance = np.hypot(*(points[:, None, k] - others[:, k] for k in (0, 1)))
    u = distance / np.sqrt(mean)
    return np.sqrt(s[:, None] * t) * (r[:, None] * q / mean) * (1 + u) * np.exp(-u)


class Dense:
    """Likelihood and predictions by their formulas."""

    def __init__(self, points, z, matrix):
        self.points, self.z, self.matrix = points, z, matrix

    def loglik(self):
        return -0.5 * (
            len(self.z) * np.log(2 * np.pi)
            + np.linalg.slogdet(self.matrix)[1]
            + self.z @ np.linalg.solve(self.matrix, self.z)
        )

    def predict(self, targets):
        weights = np.linalg.solve(self.matrix, covariance(self.points, targets)).T
        explained = (weights * covariance(targets, self.points)).sum(axis=1)
        return weights @ self.z, covariates(targets)[0] - explained

    def leave_one_out(self):
        inverse = np.linalg.inv(self.matrix)
        variance = 1 / np.diag(inverse)
        return self.z - variance * (inverse @ self.z), variance


class Formulas(GpTest):
    def setUp(self):
        super().setUp()
        self.data = np.column_stack([some_points(120), np.sin(np.arange(120.0))])
        self.write("data.csv", table(self.data, "x,y,z,elevation"))
        points = self.data[:, [0, 1, 3]]
        errors = np.diag(covariates(points)[2])
        self.dense = Dense(points, self.data[:, 2], covariance(points, points) + errors)

    def test_likelihoods(self):
        for method in ("exact", "{vecchia: {neighbours: 119}}"):
            self.write(
                "input.yaml", f"{DATA}{COVARIANCE}method: {method}\nloglik: {{theta: [{THETA}]}}\n"
            )
            found = self.results()["results/loglik"][0]
            self.assertLess(abs(found / self.dense.loglik() - 1), 1e-10)

    def test_predictions(self):
        targets = np.random.default_rng(4).random((30, 3))
        self.write("targets.csv", table(targets, "x,y,elevation"))
        mean, variance = self.dense.predict(targets)
        errors = covariates(targets)[2]
        for method in ("exact", "{vecchia: {prediction_neighbours: 120}}"):
            for kind, more in (("field", 0), ("observation", errors)):
                self.write(
                    "input.yaml",
                    f"{DATA}{COVARIANCE}method: {method}\npredict: {{points: {{file: targets.csv}}, "
                    f"of: {kind}, quantiles: [0.1]}}\n",
                )
                found = self.results()
                np.testing.assert_allclose(
                    found["results/prediction/mean"], mean, rtol=1e-8, atol=1e-9
                )
                np.testing.assert_allclose(
                    found["results/prediction/variance"], variance + more, rtol=1e-8
                )
                # of an observation
                low = mean - 1.2815515655446004 * np.sqrt(variance + errors)
                np.testing.assert_allclose(
                    found["results/prediction/quantiles"][:, 0], low, rtol=1e-8, atol=1e-9
                )

    def test_cross_validation(self):
        mean, variance = self.dense.leave_one_out()
        for method in ("exact", "{vecchia: {prediction_neighbours: 119}}"):
            self.write(
                "input.yaml",
                f"{DATA}{COVARIANCE}method: {method}\ncross_validation: {{folds: 0}}\n",
            )
            found = self.results()
            np.testing.assert_allclose(found["results/cross_validation/mean"], mean, atol=1e-8)
            np.testing.assert_allclose(
                found["results/cross_validation/variance"], variance, rtol=1e-8
            )

    def test_what_is_written(self):
        """The covariance at each point; the centres are means where none are given."""
        self.write("input.yaml", f"{DATA}{COVARIANCE}loglik: {{theta: [{THETA}]}}\n")
        found = self.results()
        variance, ranges, nugget = covariates(self.dense.points)
        np.testing.assert_allclose(found["results/local/variance"], variance, rtol=1e-13)
        np.testing.assert_allclose(found["results/local/range_ratio"], ranges / 0.2, rtol=1e-13)
        np.testing.assert_allclose(found["results/local/nugget"], nugget, rtol=1e-13)
        self.write(
            "input.yaml",
            f"{DATA}{COVARIANCE}cross_validation: {{}}\n".replace("centre: [0.2, 0.5], ", ""),
        )
        np.testing.assert_allclose(
            self.results()["results/local/centre"], self.data[:, [3, 0]].mean(axis=0), atol=1e-15
        )

    def test_warped_coordinates(self):
        """Against the integral of the slopes by Simpson's rule; beyond the knots the slope stays."""
        knots, slopes = np.linspace(0.1, 0.9, 4), [[0.7, -0.4, 0.5], [-0.9, 0.3, 0.2]]
        fine = np.linspace(-0.5, 1.5, 200001)
        warped = []
        for k, free in enumerate(slopes):
            slope = np.exp(np.interp(fine, knots, [*free, -sum(free)]))
            middle = np.exp(np.interp(fine[:-1] + 5e-6, knots, [*free, -sum(free)]))
            steps = (slope[:-1] + 4 * middle + slope[1:]) * 1e-5 / 6
            warped.append(np.interp(self.data[:, k], fine, np.append(0, np.cumsum(steps))))
        u = np.hypot(*(x[:, None] - x for x in warped)) / 0.2
        matrix = 1.3 * (1 + u) * np.exp(-u) + 0.1 * np.eye(120)
        expected = Dense(None, self.data[:, 2], matrix).loglik()
        for method in ("exact", "{vecchia: {neighbours: 119}}"):
            self.write(
                "input.yaml",
                "app: gp\nmean: zero\ndata: {file: data.csv}\ncovariance:\n  family: matern32\n  "
                "nugget: 0.1\n  warp: {knots: 4, lower: [0.1, 0.1], upper: [0.9, 0.9]}\n"
                f"method: {method}\nloglik: {{theta: [{[1.3, 0.2, 0.1] + sum(slopes, [])}]}}\n",
            )
            self.assertLess(abs(self.results()["results/loglik"][0] / expected - 1), 1e-8)
            names = [name.decode() for name in self.results()["results/parameters"]]
            self.assertEqual(names[3:6], ["warp_x_1", "warp_x_2", "warp_x_3"])


class Fits(GpTest):
    def test_estimates_of_simulated_fields(self):
        """Of 24 fields the estimates lie about the truth as their standard errors say."""
        for covariance_of, truth in (
            (
                "nu: 0.8, nugget: 0.1, by_covariates: {sigma2: [x], beta: [y], nugget: [x], "
                "coefficients: [2, 1.5, -1]}",
                [2, 1.5, -1],
            ),
            (
                "nu: 0.8, nugget: 0.1, warp: {knots: 3, coefficients: [1, 0, -0.5, 0.5]}",
                [1, 0, -0.5, 0.5],
            ),
        ):
            self.write(
                "input.yaml",
                f"app: gp\ncovariance: {{sigma2: 1, beta: 0.1, {covariance_of}}}\n"
                "simulate: {points: 400, replicates: 24}\n"
                "fit: {replicates: separate, fixed: [nu]}\nrun: {seed: 3}\n",
            )
            found = self.results()
            count = len(truth)
            theta, error = (found[f"results/{key}"][:, -count:] for key in ("theta", "theta_se"))
            self.assertEqual(found["results/converged"].min(), 1)
            deviation = (theta - truth) / error
            # the mean of 24 numbers of standard deviation 1, and that of their squares
            self.assertLess(np.abs(deviation.mean(axis=0)).max(), 0.7, deviation.mean(axis=0))
            self.assertTrue(0.6 < np.sqrt((deviation**2).mean()) < 1.3, deviation)
            self.assertGreater((np.abs(deviation) < 1.96).mean(), 0.88)

    def test_searches_agree(self):
        """Both methods come to one maximum by each search, with and without derivatives."""
        text = (
            "app: gp\ncovariance: {sigma2: 1, beta: 0.1, nu: 0.8, nugget: 0.1, by_covariates: "
            "{sigma2: [x], beta: [y], coefficients: [2, 1]}}\nsimulate: {points: 225}\n"
            "fit: {fixed: [nu], tolerance: 1.0e-7, method: SEARCH}\nmethod: METHOD\nrun: {seed: 3}\n"
        )
        logliks = []
        for method in ("exact", "{vecchia: {neighbours: 224}}"):
            for search in ("scoring", "lbfgs", "bobyqa"):
                self.write("input.yaml", text.replace("SEARCH", search).replace("METHOD", method))
                found = self.results()
                self.assertEqual(found["results/converged"][0], 1, search)
                logliks.append(found["results/loglik"][0])
        # each method simulates a field of its own
        self.assertLess(np.ptp(logliks[:3]), 1e-5)
        self.assertLess(np.ptp(logliks[3:]), 1e-5)

    def test_it_predicts_better_where_it_holds(self):
        """Scores of what is held out, against those of the stationary covariance."""
        points = "simulate: {points: 1600}\n"
        self.write(
            "input.yaml",
            "app: gp\ncovariance: {sigma2: 1, beta: 0.1, nu: 0.8, nugget: 0.05, by_covariates: "
            "{sigma2: [x], nugget: [x], coefficients: [3, 2]}}\n"
            f"{points}method: {{vecchia: {{neighbours: 20}}}}\nrun: {{seed: 4}}\n",
        )
        field = self.results()
        rows = [
            field["coordinates/x1"],
            field["coordinates/x2"],
            field["results/observations"][:, 0],
        ]
        self.write("data.csv", table(np.column_stack(rows)))
        scores = []
        for more in (", by_covariates: {sigma2: [x], nugget: [x]}", ""):
            self.write(
                "input.yaml",
                f"app: gp\ndata: {{file: data.csv}}\ncovariance: {{nu: 0.8, nugget: 0.05{more}}}\n"
                "fit: {fixed: [nu]}\nmethod: {vecchia: {neighbours: 20}}\n"
                "predict: {fraction: 0.3}\nrun: {seed: 5}\n",
            )
            self.results()
            with h5py.File(self.path("input.h5")) as file:
                scores.append(dict(file["results/prediction"].attrs))
        self.assertLess(scores[0]["nlpd"], scores[1]["nlpd"] - 0.05)
        self.assertLess(scores[0]["crps"], scores[1]["crps"])
        self.assertLess(abs(scores[0]["coverage_95"] - 0.95), 0.025)

    def test_a_restart_has_the_same_bits(self):
        self.write(
            "input.yaml",
            "app: gp\ncovariance: {sigma2: 1, beta: 0.1, nu: 0.8, nugget: 0.1, warp: {knots: 3, "
            "coefficients: [1, 0, 0, 0]}}\nsimulate: {points: 225}\nmethod: {vecchia: {neighbours: "
            "15}}\nfit: {}\nrun: {seed: 3, keep_restart: true}\n",
        )
        self.succeed("input.yaml", "-q", "--force", "--output", "whole.h5")
        self.succeed("input.yaml", "-q", "--restart", "whole.restart.h5", "--output", "again.h5")
        self.assert_same_bits("whole.h5", "again.h5")

    def test_the_input(self):
        self.succeed(os.path.join(INPUTS, "not_stationary.yaml"), "--output", "input.h5", "-q")
        with h5py.File(self.path("input.h5")) as file:
            theta, error = file["results/theta"][0], file["results/theta_se"][0]
            truth = file["results/truth"][:]
            self.assertLess(abs(file["results/cross_validation"].attrs["coverage_95"] - 0.95), 0.02)
        self.assertTrue((np.abs(theta - truth) < 3 * error).all(), (theta, error))


class Pictures(GpTest):
    def test_local(self):
        """Maps of what differs, and the slopes of warped coordinates."""
        try:
            import matplotlib  # noqa: F401, PLC0415
        except ImportError:
            self.skipTest("no matplotlib")
        end = "simulate: {points: 49}\npredict: {grid: [5, 4]}\n"
        for covariance_of, status in (
            (", by_covariates: {sigma2: [x], beta: [y], coefficients: [1, 1]}", 0),
            (", warp: {knots: 3, coefficients: [1, 0, 0, 1]}", 0),
            ("", 3),
        ):
            self.write(
                "input.yaml",
                f"app: gp\ncovariance: {{sigma2: 1, beta: 0.1, nu: 0.8{covariance_of}}}\n{end}",
            )
            self.results()
            for kind, expected in (("local", status), ("summary", 0)):
                found, message = plot(
                    self.path("input.h5"), "--kind", kind, "-o", self.path("a.png")
                )
                self.assertEqual(found, expected, message)


class BadInputs(GpTest):
    def setUp(self):
        super().setUp()
        rows = np.column_stack([some_points(60), np.sin(np.arange(60.0)), np.ones(60)])
        self.write("data.csv", table(rows, "x,y,z,elevation,seven"))
        self.write("targets.csv", table(rows[:5, :2], "x,y"))

    def check(self, covariance_of, more, *phrases, data="covariates: [elevation, seven]"):
        comma = ", " if data else ""
        self.write(
            "input.yaml",
            f"app: gp\ndata: {{file: data.csv{comma}{data}}}\ncovariance: {{{covariance_of}}}\n{more}\n",
        )
        self.refused(INPUT, *phrases)

    def test_covariates(self):
        by = "by_covariates: {sigma2: [elevation]}"
        for covariance_of, more, phrases in (
            ("by_covariates: {}", "fit: {}", ("needs 'sigma2', 'beta' or 'nugget'",)),
            ("by_covariates: {sigma2: [elevatoin]}", "fit: {}", ("input.yaml:3:39", "elevatoin")),
            ("by_covariates: {beta: [log(elevation - 100)]}", "fit: {}", ("not finite at row 1",)),
            (
                "by_covariates: {sigma2: [elevation, elevation]}",
                "fit: {}",
                ("names a covariate twice",),
            ),
            ("by_covariates: {nugget: [elevation]}", "fit: {}", ("no nugget", "covariance.nugget")),
            (
                "by_covariates: {sigma2: [seven]}",
                "fit: {}",
                ("'seven' of the covariance is constant", "sigma2_seven", "fit.fixed"),
            ),
            (
                "by_covariates: {beta: [elevation, 2 * elevation + 1]}",
                "fit: {}",
                ("is a combination of those before it",),
            ),
            (
                "by_covariates: {sigma2: [elevation], coefficients: [1, 2]}",
                "fit: {}",
                ("has 2 elements", "there are 1 coefficients: sigma2_elevation"),
            ),
            (
                "by_covariates: {sigma2: [elevation], centre: [1, 2]}",
                "fit: {}",
                ("there are 1 covariates: elevation",),
            ),
            (by, "fit: {}\npredict: {grid: [3, 3]}", ("a grid has no 'data.covariates'",)),
            (
                by,
                "fit: {}\npredict: {points: {file: targets.csv}}",
                ("targets.csv", "elevation"),
            ),
            (
                "sigma2: 1, beta: 1, nu: 1, " + by,
                "cross_validation: {}",
                ("by_covariates.coefficients: sigma2_elevation", "or a 'fit'"),
            ),
            (
                by,
                "loglik: {theta: [[1, 0.1, 0.5]]}",
                ("3 elements instead of 4", "sigma2, beta, nu, sigma2_elevation"),
            ),
        ):
            self.check(covariance_of, more, *phrases)

    def test_names(self):
        """A column whose number is that of a range."""
        np.save(self.path("data.npy"), np.column_stack([np.arange(20.0), some_points(20)]))
        self.write(
            "input.yaml",
            "app: gp\ndata: {file: data.npy, coordinates: [2, 3], values: [4], covariates: [1]}\n"
            "covariance: {ranges: each, by_covariates: {beta: ['1']}}\nfit: {}\n",
        )
        self.refused(INPUT, "two elements of theta are called beta_1", "another name")

    def test_warps(self):
        for covariance_of, phrases in (
            ("warp: {knots: 1}", ("between 2 and 16",)),
            ("warp: {coefficients: [1]}", ("has 1 elements, but must have 8",)),
            ("warp: {lower: [0]}", ("has 1 elements, but must have 2",)),
            ("warp: {lower: [0, 1], upper: [1, 1]}", ("must be above 'warp.lower'",)),
            ("warp: {knots: 16}", ("30 coefficients", "at most 29")),
            ("beta: [1, 2], angle: 0.3, warp: {}", ("'angle' does not go with 'warp'",)),
        ):
            self.check(covariance_of, "fit: {}", *phrases)

    def test_what_it_does_not_go_with(self):
        by = "by_covariates: {sigma2: [elevation]}"
        for covariance_of, more, phrases in (
            ("beta_time: 1, " + by, "fit: {}", ("for a covariance without time",)),
            ("bins: 16, " + by, "fit: {}", ("do not go with 'by_covariates'",)),
            (by, "marginal: {family: tukey_g_and_h}\nfit: {}", ("does not go with 'marginal'",)),
            (by, "likelihood: {family: student_t}\nfit: {}", ("leave out 'likelihood'",)),
            (by, "method: {vecchia: {block: 8}}\nfit: {}", ("does not go with blocks",)),
            (
                "sigma2: 1, beta: 0.1, nu: 1, by_covariates: {sigma2: [elevation], coefficients: [1]}",
                "simulate: {tukey_g: 1}",
                ("simulate.tukey_g",),
            ),
            (
                "sigma2: 1, beta: 0.1, nu: 1, " + by,
                "simulate: {}",
                ("'simulate' needs 'by_covariates.coefficients'",),
            ),
        ):
            self.check(covariance_of, more, *phrases)
        for text, phrase in (
            (
                "data: {file: data.csv, values: [z, seven]}\ncovariance: {variables: 2, "
                "by_covariates: {sigma2: [x]}}\nfit: {}\n",
                "is for one variable",
            ),
            (
                "data: {file: data.csv, latitude: x, longitude: y}\ncovariance: {metric: "
                "great_circle, by_covariates: {sigma2: [x]}}\nfit: {}\n",
                "use 'metric: chordal'",
            ),
            (
                "data: {file: data.csv, latitude: x, longitude: y}\ncovariance: {metric: "
                "chordal, warp: {}}\nfit: {}\n",
                "'warp' needs 'metric: euclidean'",
            ),
            (
                "data: {file: data.csv, coordinates: [x, y, elevation, seven]}\ncovariance: "
                "{by_covariates: {sigma2: [x]}}\nfit: {}\n",
                "up to three coordinates",
            ),
            (
                "generate: {}\ncovariance: {sigma2: 1, beta: 1, nu: 1, by_covariates: {sigma2: "
                "[x], coefficients: [1]}}\n",
                "does not go with 'generate'",
            ),
            (
                "covariance: {sigma2: 1, beta: 1, nu: 1, by_covariates: {sigma2: [x], "
                "coefficients: [1]}}\nsimulate: {layout: regular, method: circulant}\n",
                "circulant",
            ),
        ):
            self.write("input.yaml", "app: gp\n" + text)
            self.refused(INPUT, phrase)


if __name__ == "__main__":
    run_cases.main()
