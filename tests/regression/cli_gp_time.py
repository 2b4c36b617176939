# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp_time.py EXECUTABLE. Covariances whose space and time interact:
likelihoods against dense algebra, fits that find the truth and predict better than a separable one,
bad inputs."""

import os

import h5py
import numpy as np

import run_cases
from cli_support import INPUT, arrays
from gp_support import INPUTS, GpTest, log_likelihood, normal_crps, skip_without_nlopt, table

# Strongly interacting: a smooth field, which keeps its large features longest, and a rough one.
SMOOTH = {
    "sigma2": 1.5,
    "beta": 0.5,
    "nu": 1.0,
    "beta_time": 2.0,
    "alpha": 1.0,
    "interaction": 1.0,
    "nugget": 0.01,
}
ROUGH = {**SMOOTH, "beta": 0.15, "nu": 0.5, "beta_time": 1.5, "alpha": 0.9}


def setUpModule():
    skip_without_nlopt()


def covariance(theta, points, others, delta=None):
    """Gneiting's, of matern32, by its formula; columns x, y, t."""
    sigma2, beta, beta_time, alpha, interaction = theta
    h = np.hypot(*(points[:, None, k] - others[None, :, k] for k in (0, 1)))
    psi = 1 + (np.abs(points[:, None, 2] - others[None, :, 2]) / beta_time) ** (2 * alpha)
    u = h / beta / psi ** (interaction / 2)
    tau = 1 if delta is None else delta + interaction
    return sigma2 / psi**tau * (1 + u) * np.exp(-u)


def scattered(n, seed):
    random = np.random.default_rng(seed)
    return np.column_stack([random.random((n, 2)), np.floor(12 * random.random(n))])


class SpaceAndTime(GpTest):
    def test_likelihood_of_dense_algebra(self):
        points = scattered(3000, 1)
        for delta in (None, 0.3):
            theta, nugget = [1.3, 0.2, 2.5, 0.7, 0.6], 0.1
            own = [] if delta is None else [delta]
            matrix = covariance(theta, points, points, delta) + nugget * np.eye(len(points))
            z = np.linalg.cholesky(matrix) @ np.random.default_rng(2).normal(size=len(points))
            self.write("data.csv", table(np.column_stack([points, z]), "x,y,t,z"))
            key = "" if delta is None else ", delta: 1"
            text = (
                "app: gp\nmean: zero\ndata: {file: data.csv}\n"
                f"covariance: {{family: matern32, time: gneiting, nugget: 0{key}}}\n"
                f"loglik: {{theta: [{[*theta, *own, nugget]}]}}\n"
            )
            expected = log_likelihood(matrix, z)
            self.write("input.yaml", text)
            found = self.results()["results/loglik"][0]
            self.assertLess(abs(found / expected - 1), 1e-11)
            self.write("input.yaml", text + "method: {vecchia: {neighbours: 120}}\n")
            found = self.results()["results/loglik"][0]
            self.assertLess(abs(found - expected), 5)  # of 3000 points

    def test_prediction_of_dense_algebra(self):
        points, targets = scattered(150, 3), scattered(20, 4)
        theta = [1.3, 0.2, 2.5, 0.7, 0.6]
        z = np.sin(9 * points[:, 0] + points[:, 2])
        self.write("data.csv", table(np.column_stack([points, z]), "x,y,t,z"))
        self.write("targets.csv", table(targets, "x,y,t"))
        text = (
            "app: gp\nmean: zero\ndata: {file: data.csv}\npredict: {points: {file: targets.csv}}\n"
            "covariance: {family: matern32, time: gneiting, sigma2: 1.3, beta: 0.2, "
            "beta_time: 2.5, alpha: 0.7, interaction: 0.6, nugget: 0.1}\n"
        )
        matrix = covariance(theta, points, points) + 0.1 * np.eye(len(points))
        weights = np.linalg.solve(matrix, covariance(theta, points, targets)).T
        variance = theta[0] - (weights * covariance(theta, targets, points)).sum(axis=1)
        for method in ("exact", "{vecchia: {prediction_neighbours: 150}}"):
            self.write("input.yaml", text + f"method: {method}\n")
            found = self.results()
            np.testing.assert_allclose(found["results/prediction/mean"], weights @ z, atol=1e-11)
            np.testing.assert_allclose(found["results/prediction/variance"], variance, atol=1e-11)

    def simulate(self, truth, times, seed):
        """Writes a field at 64 places to data.csv."""
        numbers = ", ".join(f"{key}: {value}" for key, value in truth.items())
        self.write(
            "field.yaml",
            f"app: gp\ncovariance: {{time: gneiting, {numbers}}}\n"
            f"simulate: {{points: 64, times: {times}}}\n"
            f"loglik: {{theta: [{list(truth.values())}]}}\nrun: {{seed: {seed}}}\n",
        )
        self.succeed("field.yaml", "-q", "--force")
        found = arrays(self.path("field.h5"))
        columns = [found[f"coordinates/{key}"] for key in ("x1", "x2", "time")]
        self.write(
            "data.csv",
            table(np.column_stack([*columns, found["results/observations"][:, 0]]), "x,y,t,z"),
        )

    def test_a_fit_finds_the_truth_and_predicts_better(self):
        self.simulate(SMOOTH, 25, 12)
        scores, loglik = {}, {}
        for time in ("separable", "gneiting"):
            self.write(
                "input.yaml",
                f"app: gp\ndata: {{file: data.csv}}\ncovariance: {{time: {time}, nugget: 0.1}}\n"
                "fit: {}\ncross_validation: {folds: 2}\nmethod: {vecchia: {neighbours: 30}}\n",
            )
            found = self.results()
            with h5py.File(self.path("input.h5")) as file:
                scores[time] = dict(file["results/cross_validation"].attrs)
                self.assertEqual(file["results/converged"][0], 1)
            loglik[time] = found["results/loglik"][0]
        theta, error = found["results/theta"][0], found["results/theta_se"][0]
        known = np.isfinite(error)  # alpha and interaction may end at their bounds
        self.assertTrue(
            (np.abs(theta - list(SMOOTH.values()))[known] < 3.5 * error[known]).all(),
            (theta, error),
        )
        self.assertGreater(theta[5], 0.6)
        self.assertGreater(loglik["gneiting"], loglik["separable"] + 10)
        self.assertLess(scores["gneiting"]["crps"], scores["separable"]["crps"])
        self.assertLess(scores["gneiting"]["mspe"], scores["separable"]["mspe"])

    def test_every_search_comes_to_the_same_maximum(self):
        """Fixed parameters stay, delta is fitted where it is given."""
        self.simulate(ROUGH, 20, 11)
        logliks = []
        for method in ("scoring", "lbfgs", "bobyqa"):
            self.write(
                "input.yaml",
                "app: gp\ndata: {file: data.csv, sample: 500}\n"
                "covariance: {family: matern12, time: gneiting, alpha: 0.8, delta: 0.5, "
                f"nugget: 0.05}}\nfit: {{method: {method}, fixed: [alpha]}}\n",
            )
            found = self.results()
            self.assertEqual(found["results/theta"][0, 3], 0.8)
            self.assertEqual(
                [name.decode() for name in found["results/parameters"]][3:],
                ["alpha", "interaction", "delta", "nugget"],
            )
            logliks.append(found["results/loglik"][0])
        # Within 1e-4 the interaction counts as at its bound, where the likelihood has a slope.
        self.assertLess(np.ptp(logliks), 1e-3)

    def test_the_input(self):
        self.succeed(os.path.join(INPUTS, "space_time.yaml"), "--output", "input.h5", "-q")
        found = arrays(self.path("input.h5"))
        theta, error = found["results/theta"][0], found["results/theta_se"][0]
        known = np.isfinite(error)
        self.assertTrue((np.abs(theta - found["results/truth"])[known] < 4 * error[known]).all())
        with h5py.File(self.path("input.h5")) as file:
            validation = dict(file["results/cross_validation"].attrs)
        error = found["results/observations"][:, 0] - found["results/cross_validation/mean"]
        self.assertAlmostEqual(
            validation["crps"],
            normal_crps(error, np.sqrt(found["results/cross_validation/variance"])).mean(),
            places=12,
        )

    def test_bad_inputs(self):
        self.write("data.csv", table(np.column_stack([scattered(60, 5), np.ones(60)]), "x,y,t,z"))
        base = "app: gp\ndata: {{file: data.csv{}}}\ncovariance: {{{}}}\n{}\n"
        for data, numbers, task, phrases in (
            ("", "time: gneiting, interaction: 1.2", "fit: {}", ("interaction", "between 0 and 1")),
            ("", "time: gneiting, alpha: 1.5", "fit: {}", ("alpha", "between 0.01 and 1")),
            ("", "time: gneiting, delta: -1", "fit: {}", ("delta", "at least 0")),
            ("", "time: gneting", "fit: {}", ("separable, gneiting", "did you mean")),
            ("", "beta_time: 2, interaction: 0.5", "fit: {}", ("it needs 'time: gneiting'",)),
            ("", "time: gneiting, bins: 16", "fit: {}", ("do not go with 'time: gneiting'",)),
            (
                "",
                "time: gneiting",
                "loglik: {theta: [[1, 0.1, 0.5, 2, 0.5, 1.2]]}",
                ("interaction is 1.2", "between 0 (space and time do not interact) and 1"),
            ),
            (
                "",
                "time: gneiting",
                "loglik: {theta: [[1, 0.1, 0.5, 2, 1.5, 0.5]]}",
                ("alpha is 1.5", "at most 1"),
            ),
            (
                "",
                "time: gneiting",
                "fit: {upper: [9, 9, 9, 9, 1, 1.5], lower: [0.1, 0.1, 0.1, 0.1, 0.1, 0]}",
                ("interaction must be at most 1 in 'fit.upper'",),
            ),
            (
                ", latitude: x, longitude: y",
                "time: gneiting, metric: great_circle",
                "fit: {}",
                ("not positive definite", "metric: chordal"),
            ),
            (
                ", coordinates: [x, y, z, t]",
                "time: gneiting",
                "fit: {}",
                ("up to three coordinates",),
            ),
        ):
            with self.subTest(numbers=numbers, task=task):
                self.write("input.yaml", base.format(data, numbers, task))
                self.refused(INPUT, *phrases)


if __name__ == "__main__":
    run_cases.main()
