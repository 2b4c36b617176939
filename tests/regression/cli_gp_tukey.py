# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp_tukey.py EXECUTABLE. Tukey's g-and-h marginals: likelihoods and
predictions against dense algebra, fits that find the truth, coverage, restarts, bad inputs."""

import math
import os

import h5py
import numpy as np

import run_cases
from cli_support import INPUT, arrays, attribute
from gp_support import INPUTS, GpTest, skip_without_nlopt, some_points, table

THETA = [1.3, 0.2, 0.1, 0.4, 0.15]  # sigma2, beta, nugget, g, h
COVARIANCE = "covariance: {family: matern32, sigma2: 1.3, beta: 0.2, nugget: 0.1}\n"
MARGINAL = "marginal: {family: tukey_g_and_h, g: 0.4, h: 0.15}\n"

# A field of 625 points, and how it was made.
TRUTH = {"sigma2": 2, "beta": 0.08, "nu": 1, "nugget": 0.1, "g": 0.3, "h": 0.1}
SIMULATION = (
    "app: gp\ncovariance: {sigma2: 2, beta: 0.08, nu: 1, nugget: 0.1}\n"
    "marginal: {family: tukey_g_and_h, g: 0.3, h: 0.1}\nsimulate: {points: 625, mean: 5}\n"
)


def setUpModule():
    skip_without_nlopt()


def covariance(points, others):
    u = np.hypot(*(points[:, None, k] - others[None, :, k] for k in (0, 1))) / THETA[1]
    return THETA[0] * (1 + u) * np.exp(-u)


def tau(u, g, h):
    return np.expm1(g * u) / g * np.exp(h * u**2 / 2)


def slope(u, g, h):
    return np.exp(h * u**2 / 2) * (np.exp(g * u) + h * u * np.expm1(g * u) / g)


def inverse(x, g, h):
    """By bisection."""
    low, high = np.full_like(x, -60.0), np.full_like(x, 60.0)
    for _ in range(200):
        middle = (low + high) / 2
        below = tau(middle, g, h) < x
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


class Dense:
    """The likelihood and predictions of THETA by their formulas."""

    def __init__(self, points, z):
        self.points, self.z = points, z
        self.matrix = covariance(points, points) + THETA[2] * np.eye(len(z))
        self.factor = np.linalg.cholesky(self.matrix)
        self.scale = math.sqrt(THETA[0])

    def y(self, mean):
        return self.scale * inverse((self.z - mean) / self.scale, *THETA[3:])

    def loglik(self, mean=0.0):
        y = self.y(mean)
        white = np.linalg.solve(self.factor, y)
        return (
            -0.5 * len(y) * math.log(2 * math.pi)
            - np.log(np.diag(self.factor)).sum()
            - 0.5 * white @ white
            - np.log(slope(y / self.scale, *THETA[3:])).sum()
        )

    def best(self, trend):
        """The largest likelihood in the coefficients of the trend, by Newton's method on
        differences."""
        coefficients = np.linalg.lstsq(trend, self.z, rcond=None)[0]
        step = 1e-3
        for _ in range(12):
            count = trend.shape[1]
            unit = step * np.eye(count)

            def at(change):
                return self.loglik(trend @ (coefficients + change))

            gradient = np.array([at(e) - at(-e) for e in unit]) / (2 * step)
            hessian = np.array(
                [[at(e + f) - at(e - f) - at(f - e) + at(-e - f) for e in unit] for f in unit]
            ) / (4 * step**2)
            coefficients = coefficients - np.linalg.solve(hessian, gradient)
        return coefficients, self.loglik(trend @ coefficients)

    def laws(self, targets, mean=0.0):
        """Mean and variance of the Gaussian field at targets."""
        weights = np.linalg.solve(self.matrix, covariance(self.points, targets)).T
        variance = THETA[0] - (weights * covariance(targets, self.points)).sum(axis=1)
        return weights @ self.y(mean), variance


def quadrature(mean, variance, scale):
    """Mean and variance of scale tau(y / scale) by the trapezoidal rule, exact to rounding."""
    t = np.linspace(-14, 14, 4001)
    weight = np.exp(-0.5 * t**2)
    weight /= weight.sum()
    z = scale * tau((mean[:, None] + np.sqrt(variance)[:, None] * t) / scale, *THETA[3:])
    first = z @ weight
    return first, ((z - first[:, None]) ** 2) @ weight


class Likelihoods(GpTest):
    def setUp(self):
        super().setUp()
        self.data = some_points(120)
        self.write("data.csv", table(self.data))
        self.dense = Dense(self.data[:, :2], self.data[:, 2])

    def loglik(self, mean, method="exact"):
        self.write(
            "input.yaml",
            f"app: gp\nmean: {mean}\ndata: {{file: data.csv}}\n{COVARIANCE}{MARGINAL}"
            f"loglik: {{theta: [{THETA}]}}\nmethod: {method}\n",
        )
        return self.results()["results/loglik"][0]

    def test_known_mean(self):
        expected = self.dense.loglik()
        for method in ("exact", "{vecchia: {neighbours: 119}}"):
            self.assertLess(abs(self.loglik("zero", method) / expected - 1), 1e-10)

    def test_unknown_mean(self):
        one, (x, y) = np.ones(120), self.data[:, :2].T
        for mean, columns in (("constant", [one]), ("linear", [one, x, y])):
            _, expected = self.dense.best(np.stack(columns, axis=1))
            self.assertLess(abs(self.loglik(mean) / expected - 1), 1e-10)

    def test_predictions(self):
        targets = np.random.default_rng(4).random((30, 2))
        self.write("targets.csv", table(targets, "x,y"))
        for method in ("exact", "{vecchia: {prediction_neighbours: 120}}"):
            for kind, more in (("field", 0.0), ("observation", THETA[2])):
                self.write(
                    "input.yaml",
                    f"app: gp\nmean: zero\ndata: {{file: data.csv}}\n{COVARIANCE}{MARGINAL}"
                    f"method: {method}\npredict: {{points: {{file: targets.csv}}, of: {kind}, "
                    "quantiles: [0.1, 0.5, 0.99], draws: 2}\n",
                )
                found = self.results()
                mean, variance = self.dense.laws(targets)
                first, second = quadrature(mean, variance + more, self.dense.scale)
                np.testing.assert_allclose(found["results/prediction/mean"], first, rtol=1e-9)
                np.testing.assert_allclose(found["results/prediction/variance"], second, rtol=1e-8)
                # quantiles are those of an observation
                z = [-1.2815515655446004, 0, 2.3263478740408408]
                y = mean[:, None] + np.sqrt(variance + THETA[2])[:, None] * z
                expected = self.dense.scale * tau(y / self.dense.scale, *THETA[3:])
                np.testing.assert_allclose(
                    found["results/prediction/quantiles"], expected, rtol=1e-9
                )


class Fits(GpTest):
    def test_a_fit_finds_the_truth(self):
        """Both searches come to the same maximum, both methods near the truth."""
        for method, tasks in (
            ("exact", ("lbfgs", "bobyqa")),
            ("{vecchia: {neighbours: 25}}", ("lbfgs",)),
        ):
            logliks = []
            for search in tasks:
                self.write(
                    "input.yaml",
                    SIMULATION + f"fit: {{method: {search}}}\nmethod: {method}\nrun: {{seed: 3}}\n",
                )
                found = self.results()
                self.assertEqual(
                    [name.decode() for name in found["results/parameters"]], list(TRUTH)
                )
                theta, error = found["results/theta"][0], found["results/theta_se"][0]
                self.assertTrue((error > 0).all() and (error[4:] < 0.15).all(), error)
                self.assertTrue(
                    (np.abs(theta - list(TRUTH.values())) < 2.5 * error).all(), (theta, error)
                )
                self.assertLess(
                    abs(found["results/trend"].item() - 5), 3 * found["results/trend_se"].item()
                )
                self.assertEqual(found["results/converged"][0], 1)
                logliks.append(found["results/loglik"][0])
            self.assertLess(np.ptp(logliks), 1e-5)

    def test_fixed_and_given_parameters(self):
        self.write(
            "input.yaml",
            SIMULATION + "fit: {fixed: [h, nu], standard_errors: none}\nrun: {seed: 3}\n",
        )
        found = self.results()
        self.assertEqual(found["results/theta"][0, [2, 5]].tolist(), [1, 0.1])
        self.assertEqual(found["results/converged"][0], 1)

    def test_gaussian_data_have_no_skewness(self):
        """g and h are 0 within their errors, and h may end at its bound."""
        self.write(
            "input.yaml",
            SIMULATION.replace("g: 0.3, h: 0.1", "g: 0, h: 0") + "fit: {}\nrun: {seed: 8}\n",
        )
        found = self.results()
        theta, error = found["results/theta"][0], found["results/theta_se"][0]
        self.assertLess(abs(theta[4]), 3 * error[4])
        self.assertTrue(theta[5] < 1e-3 or theta[5] < 3 * error[5])

    def test_a_restart_has_the_same_bits(self):
        self.write("input.yaml", SIMULATION + "fit: {}\nrun: {seed: 3, keep_restart: true}\n")
        self.succeed("input.yaml", "-q", "--force", "--output", "whole.h5")
        self.succeed("input.yaml", "-q", "--restart", "whole.restart.h5", "--output", "again.h5")
        self.assert_same_bits("whole.h5", "again.h5")


class Predictions(GpTest):
    def scores(self, name):
        with h5py.File(self.path("input.h5")) as file:
            return dict(file[f"results/{name}"].attrs)

    def test_coverage_and_scores(self):
        """Half of the observations from the others: the intervals hold what they should, and the
        predictions are better than Gaussian ones of the same data."""
        text = SIMULATION.replace("625", "1600")
        tasks = (
            "fit: {fixed: [nu]}\nmethod: {vecchia: {neighbours: 20}}\nrun: {seed: 9}\n"
            "predict: {fraction: 0.5, quantiles: [0.025, 0.1, 0.9, 0.975]}\n"
        )
        self.write("input.yaml", text + tasks + "cross_validation: {folds: 5}\n")
        found, scores = self.results(), self.scores("prediction")
        truth = found["results/prediction/observed"]
        low, lower, upper, high = found["results/prediction/quantiles"].T
        self.assertAlmostEqual(scores["coverage_95"], ((truth > low) & (truth < high)).mean())
        self.assertLess(abs(scores["coverage_95"] - 0.95), 0.025)
        self.assertLess(abs(((truth > lower) & (truth < upper)).mean() - 0.8), 0.05)
        validation = self.scores("cross_validation")
        self.assertLess(abs(validation["coverage_95"] - 0.95), 0.025)
        error = found["results/observations"][:, 0] - found["results/cross_validation/mean"]
        self.assertAlmostEqual(validation["mspe"], (error**2).mean(), places=10)
        points = np.stack([found[f"results/prediction/x{k}"] for k in (1, 2)], axis=1)
        kept = np.stack([found[f"coordinates/x{k}"] for k in (1, 2)], axis=1)
        rows = np.vstack(
            [
                np.column_stack([points, truth, np.ones(len(truth))]),
                np.column_stack([kept, found["results/observations"], np.zeros(len(kept))]),
            ]
        )
        self.write("data.csv", table(rows, "x,y,z,out"))
        self.write(
            "input.yaml",
            "app: gp\ndata: {file: data.csv}\ncovariance: {nu: 1, nugget: 0.1}\n"
            + tasks.replace("fraction: 0.5", "held_out: out"),
        )
        self.results()
        gaussian = self.scores("prediction")
        self.assertLess(scores["nlpd"], gaussian["nlpd"] - 0.05)
        self.assertLess(scores["crps"], gaussian["crps"])

    def test_the_input(self):
        self.succeed(os.path.join(INPUTS, "skewed.yaml"), "--output", "input.h5", "-q")
        found = arrays(self.path("input.h5"))
        theta, error = found["results/theta"][0], found["results/theta_se"][0]
        self.assertTrue((np.abs(theta - found["results/truth"]) < 3 * error).all())
        quantiles = found["results/prediction/quantiles"]
        self.assertTrue((np.diff(quantiles) > 0).all())
        # the law is skewed: its upper half is the wider one
        self.assertGreater((quantiles[:, 2] + quantiles[:, 0] - 2 * quantiles[:, 1]).mean(), 0)


class BadInputs(GpTest):
    def test_bad_inputs(self):
        self.write("data.csv", table(some_points(60)))
        self.write("two.csv", table(np.column_stack([some_points(60), np.ones(60)]), "x,y,z,w"))
        family = "marginal: {family: tukey_g_and_h}"
        base = "app: gp\ndata: {file: data.csv}\n"
        two = "app: gp\ndata: {file: two.csv, values: [z, w]}\n"
        for text, phrases in (
            ("marginal: {g: 1}\nfit: {}", ("'g' is for 'family: tukey_g_and_h'",)),
            ("marginal: {family: tukey}\nfit: {}", ("tukey_g_and_h",)),
            ("marginal: {family: tukey_g_and_h, h: -1}\nfit: {}", ("between 0 and 1",)),
            (family + "\nfit: {method: scoring}", ("no Fisher scoring", "lbfgs")),
            (family + "\nfit: {standard_errors: fisher}", ("'observed', or 'none'",)),
            (family + "\nlikelihood: {family: poisson}\nfit: {}", ("leave out 'likelihood'",)),
            (family + "\npredict: {grid: [3, 3]}", ("sigma2", "or a 'fit'")),
            (
                "covariance: {sigma2: 1, beta: 1, nu: 1}\n" + family + "\npredict: {grid: [3, 3]}",
                ("marginal.g", "or a 'fit'"),
            ),
            (
                family + "\nloglik: {theta: [[1, 0.1, 0.5]]}",
                ("3 elements instead of 5", "sigma2, beta, nu, g, h"),
            ),
            (family + "\nloglik: {theta: [[1, 0.1, 0.5, 0, -0.1]]}", ("h is", "at least 0")),
            (family + "\nfit: {upper: [9, 9, 9, 9, 9]}", ("h must be at most 1",)),
            (
                "mean: zero\nmarginal: {family: tukey_g_and_h, g: 3, h: 0}\nfit: {fixed: [g, h]}",
                ("where it starts", "lies beyond", "marginal.h above 0"),
            ),
        ):
            self.write("input.yaml", base + text + "\n")
            self.refused(INPUT, *phrases)
        for text, phrases in (
            (two + family + "\nfit: {}", ("one column of observations",)),
            (
                two + "covariance: {variables: 2}\n" + family + "\nfit: {}",
                ("'marginal' is for one variable",),
            ),
            (
                "app: gp\ndata: {file: two.csv, error_variance: w}\n" + family + "\nfit: {}",
                ("takes no known variances",),
            ),
            (
                base.replace("}", ", duplicates: average}") + family + "\nfit: {}",
                ("observations are not averaged",),
            ),
            (SIMULATION.replace("mean: 5", "tukey_g: 1"), ("says again what 'marginal' says",)),
            (SIMULATION.replace("mean: 5", "replicates: 2"), ("'marginal' takes one field",)),
            (
                SIMULATION.replace(", g: 0.3", ""),
                ("'simulate' needs 'marginal.g'",),
            ),
            (
                "app: gp\ngenerate: {}\ncovariance: {sigma2: 1, beta: 1, nu: 1}\n"
                "marginal: {family: tukey_g_and_h, g: 1, h: 0}\n",
                ("'generate' has no marginals",),
            ),
        ):
            self.write("input.yaml", text)
            self.refused(INPUT, *phrases)

    def test_repeated_places(self):
        """Vecchia's approximation would merge them; the exact solver takes them."""
        points = some_points(60)
        self.write("data.csv", table(np.vstack([points, points[:5] + [0, 0, 0.1]])))
        text = (
            "app: gp\ndata: {file: data.csv}\ncovariance: {nugget: 0.1, nu: 1}\n"
            "marginal: {family: tukey_g_and_h}\nfit: {fixed: [nu], standard_errors: none}\n"
        )
        self.write("input.yaml", text + "method: vecchia\n")
        self.refused(INPUT, "several observations lie at one place", "method: exact")
        self.write("input.yaml", text)
        self.assertEqual(self.results()["results/theta"].shape, (1, 6))
        self.assertEqual(attribute(self.path("input.h5"), "run_status"), "complete")


if __name__ == "__main__":
    run_cases.main()
