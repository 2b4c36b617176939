# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp_latent_prediction.py EXECUTABLE. Scores, quantiles, draws and
cross-validation of observations that are not Gaussian, separation, and interrupted fits."""

import importlib.util
import math
import os
import signal
import subprocess
import sys
import time

import h5py
import numpy as np

import run_cases
from cli_support import FILES, INPUT, ROOT, TIMEOUT, attribute
from gp_latent_support import (
    FAMILIES,
    THETA,
    LatentTest,
    covariance,
    gamma,
    laplace,
    logit,
    observations,
    places,
    poisson,
    student_t,
)
from gp_support import skip_without_nlopt, table

LISTED = ", coefficients: [0.2]"
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def setUpModule():
    skip_without_nlopt()


def scores_of(path, group):
    with h5py.File(path) as file:
        return dict(file[f"results/{group}"].attrs)


def count_probabilities(law, a, mean, variance, most):
    """P(y <= k) for k = 0 ... most, a row for each predictor."""
    f = mean[:, None] + np.sqrt(variance)[:, None] * NODES
    k = np.arange(most + 1.0)
    density = np.array([[np.exp(law(k, one, a, 1)[0]) for one in row] for row in f])
    return np.cumsum((WEIGHTS[None, :, None] * density).sum(axis=1), axis=1)


class Scores(LatentTest):
    def test_counts(self):
        """Scores and quantiles against sums over counts, with Gauss and Hermite's rule."""
        where = places(250, 21)
        held_out = (np.arange(250) % 5 == 0).astype(float)
        for likelihood in ("family: poisson", "family: negative_binomial, size: 1.7"):
            law, a, _ = FAMILIES[likelihood]
            y = observations(law, where)
            self.write_data(where, y, ",out", [held_out])
            self.input(
                likelihood + LISTED, "predict: {held_out: out, quantiles: [0.025, 0.5, 0.975]}\n"
            )
            found = self.results()
            group = {
                name.rsplit("/", 1)[1]: values
                for name, values in found.items()
                if name.startswith("results/prediction/")
            }
            below = count_probabilities(law, a, group["mean"], group["variance"], 4000)
            truth = y[held_out == 1].astype(int)
            rows = np.arange(len(truth))
            np.testing.assert_allclose(group["probability"], below[rows, truth], atol=1e-6)
            expected = np.stack([(below < p).sum(axis=1) for p in (0.025, 0.5, 0.975)], axis=1)
            np.testing.assert_array_equal(group["quantiles"], expected)
            np.testing.assert_array_equal(group["quantile_probability"], [0.025, 0.5, 0.975])
            scores = scores_of(self.path("input.h5"), "prediction")
            step = np.arange(4001)[None, :] >= truth[:, None]
            crps = ((below - step) ** 2).sum(axis=1).mean()
            self.assertAlmostEqual(scores["crps"] / crps, 1, delta=1e-6)
            inside = (truth >= expected[:, 0]) & (truth <= expected[:, 2])
            self.assertAlmostEqual(scores["coverage_95"], inside.mean())
            self.assertAlmostEqual(
                scores["mspe"], ((truth - group["response_mean"]) ** 2).mean(), delta=1e-9
            )

    def test_numbers(self):
        """CRPS by E|Y - y| - E|Y - Y'| / 2 with quasi-random numbers; quantiles by probabilities."""
        where = places(250, 22)
        for likelihood in (
            "family: gamma, shape: 2.5",
            "family: student_t, scale: 0.5, degrees_of_freedom: 5",
        ):
            law, a, b = FAMILIES[likelihood]
            y = observations(law, where)
            self.write_data(where, y)
            self.input(
                likelihood + LISTED, "predict: {fraction: 0.2, quantiles: [0.1, 0.5, 0.9]}\n"
            )
            found = self.results()
            group = "results/prediction/"
            self.assertTrue((np.diff(found[group + "quantiles"], axis=1) > 0).all())
            rng = np.random.default_rng(3)
            truth, crps = found[group + "observed"], []
            for i, one in enumerate(truth):
                f = found[group + "mean"][i] + np.sqrt(
                    found[group + "variance"][i]
                ) * rng.standard_normal(20000)
                drawn = (
                    rng.gamma(a, np.exp(f) / a)
                    if law is gamma
                    else f + a * rng.standard_t(b, 20000)
                )
                ordered = np.sort(drawn)
                spread = (2 * np.arange(1, 20001) - 20001) @ ordered / 20000**2
                crps.append(np.abs(drawn - one).mean() - spread)
                for k, p in enumerate((0.1, 0.5, 0.9)):
                    self.assertAlmostEqual(
                        (drawn <= found[group + "quantiles"][i, k]).mean(), p, delta=0.02
                    )
            scores = scores_of(self.path("input.h5"), "prediction")
            self.assertAlmostEqual(scores["crps"] / np.mean(crps), 1, delta=0.01)
            inside = (found[group + "probability"] >= 0.025) & (
                found[group + "probability"] <= 0.975
            )
            self.assertAlmostEqual(scores["coverage_95"], inside.mean())

    def test_quantiles_of_gaussian_observations(self):
        where = places(200, 23)
        self.write_data(where, observations(student_t, where))
        self.write(
            "input.yaml",
            "app: gp\ndata: {file: data.csv}\ncovariance: {family: matern32, sigma2: 1, beta: 0.3, "
            "nugget: 0.2}\npredict: {grid: [4, 4], quantiles: [0.025, 0.5]}\n",
        )
        found = self.results()
        mean, variance = found["results/prediction/mean"], found["results/prediction/variance"]
        expected = np.stack([mean - 1.959963984540054 * np.sqrt(variance + 0.2), mean], axis=1)
        np.testing.assert_allclose(found["results/prediction/quantiles"], expected, atol=1e-12)


class Draws(LatentTest):
    def test_moments(self):
        """Draws have the mean and the covariance of dense algebra."""
        where, targets = places(150, 24), places(12, 25)
        self.write("targets.csv", table(targets.tolist(), "x,y"))
        prior = covariance(where, where)
        precision = np.linalg.inv(prior)
        cross = covariance(targets, where) @ precision
        for likelihood in ("family: poisson", "family: bernoulli"):
            law, a, b = FAMILIES[likelihood]
            y = observations(law, where)
            self.write_data(where, y)
            self.input(
                likelihood + LISTED,
                "predict: {points: {file: targets.csv}, draws: 4000}\n",
                neighbours=149,
                prediction=170,
            )
            found = self.results()
            _, mode, posterior = laplace(precision, law, y, 0.2, a, b)
            draws = found["results/prediction/draws"]
            self.assertEqual(draws.shape, (12, 4000))
            expected = (
                covariance(targets, targets) - cross @ prior @ cross.T + cross @ posterior @ cross.T
            )
            deviation = np.sqrt(np.diag(expected))
            np.testing.assert_array_less(
                np.abs(draws.mean(axis=1) - 0.2 - cross @ mode), 4.5 * deviation / math.sqrt(4000)
            )
            scaled = np.cov(draws) / np.outer(deviation, deviation)
            np.testing.assert_allclose(
                scaled, expected / np.outer(deviation, deviation), atol=4.5 * math.sqrt(2 / 4000)
            )
            responses = found["results/prediction/response_draws"]
            mean = found["results/prediction/response_mean"]
            error = np.sqrt(found["results/prediction/response_variance"] / 4000)
            np.testing.assert_array_less(np.abs(responses.mean(axis=1) - mean), 5 * error)
            self.assertTrue((responses == np.floor(responses)).all() and (responses >= 0).all())

    def test_threads(self):
        where = places(400, 26)
        self.write_data(where, observations(poisson, where))
        for determinant in ("cholesky", "stochastic"):
            self.input(
                f"family: poisson, determinant: {determinant}" + LISTED,
                "predict: {grid: [9, 9], draws: 5}\ncross_validation: {folds: 3}\n",
            )
            self.succeed("input.yaml", "-q", "--force", "--output", "one.h5")
            self.succeed("input.yaml", "-q", "--force", "--output", "four.h5", threads=4)
            self.assert_same_bits("one.h5", "four.h5")


class CrossValidation(LatentTest):
    def test_dense(self):
        """Each fold against dense algebra without its observations."""
        where = places(60, 27)
        prior = covariance(where, where)
        for likelihood in ("family: poisson", "family: bernoulli"):
            law, a, b = FAMILIES[likelihood]
            y = observations(law, where)
            self.write_data(where, y)
            for folds in (4, 0):
                self.input(
                    likelihood + LISTED,
                    f"cross_validation: {{folds: {folds}}}\n",
                    neighbours=59,
                    prediction=60,
                )
                found = self.results()
                group = "results/cross_validation/"
                fold = found[group + "fold"]
                self.assertEqual(len(np.unique(fold)), folds or 60)
                for k in np.unique(fold)[:4]:
                    out = fold == k
                    inner = prior[np.ix_(~out, ~out)]
                    precision = np.linalg.inv(inner)
                    cross = prior[np.ix_(out, ~out)] @ precision
                    _, mode, posterior = laplace(precision, law, y[~out], 0.2, a, b)
                    np.testing.assert_allclose(
                        found[group + "mean"][out], 0.2 + cross @ mode, atol=1e-6
                    )
                    variance = np.diag(prior)[out] + np.einsum(
                        "ij,ij->i", cross, cross @ (posterior - inner)
                    )
                    np.testing.assert_allclose(found[group + "variance"][out], variance, rtol=1e-6)
                scores = scores_of(self.path("input.h5"), "cross_validation")
                self.assertAlmostEqual(
                    scores["log_score"], -found[group + "log_density"].mean(), delta=1e-12
                )
                if law is logit:
                    p = found[group + "response_mean"]
                    self.assertAlmostEqual(
                        scores["brier_score"], ((p - y) ** 2).mean(), delta=1e-12
                    )

    def test_after_a_fit(self):
        """The mode of all observations stays, and an estimated determinant gives much the same."""
        base = (
            "app: gp\nsimulate: {points: 600, layout: uniform, mean: 1}\n"
            "covariance: {family: matern32, sigma2: 1, beta: 0.1}\nfit: {standard_errors: none}\n"
        )
        found = {}
        for determinant in ("cholesky", "stochastic"):
            text = base + (
                f"likelihood: {{family: poisson, determinant: {determinant}, samples: 1000}}\n"
            )
            self.write("input.yaml", text)
            field = self.results()["results/field"]
            self.write(
                "input.yaml", text + "predict: {grid: [3, 3]}\ncross_validation: {folds: 5}\n"
            )
            found[determinant] = self.results()
            np.testing.assert_allclose(found[determinant]["results/field"], field, atol=1e-7)
        exact, estimated = found["cholesky"], found["stochastic"]
        for name, bound in (("mean", 0.1), ("variance", 0.3)):
            np.testing.assert_allclose(
                estimated[f"results/cross_validation/{name}"],
                exact[f"results/cross_validation/{name}"],
                atol=bound,
            )
        scores = scores_of(self.path("input.h5"), "cross_validation")
        self.assertTrue(0.9 < scores["coverage_95"] <= 1)


class Separation(LatentTest):
    def test_means_that_separate(self):
        where = places(200, 28)
        level = (np.arange(200) % 4 == 0).astype(float)
        covariates = "  covariates: [level]\n"
        for likelihood, y, mean, message in (
            (
                "family: bernoulli",
                (where[:, 0] > 0.4).astype(float),
                "linear",
                "its column 'x' separates the observations 0 from 1",
            ),
            (
                "family: bernoulli, link: probit",
                np.where(level == 1, 1.0, observations(logit, where)),
                "covariates",
                "its column 'level' separates the observations 0 from 1",
            ),
            (
                "family: poisson",
                np.where(level == 1, 0.0, observations(poisson, where)),
                "covariates",
                "its column 'level' can lower the mean of observations that are 0, and of no others",
            ),
        ):
            with self.subTest(likelihood):
                self.write_data(where, y, ",level", [level])
                section = (
                    mean if mean == "linear" else "{coordinates: constant, covariates: [level]}"
                )
                for task in ("fit: {}\n", "predict: {grid: [3, 3]}\n"):
                    self.input(likelihood, task, mean=section)
                    if mean == "covariates":
                        text = self.read("input.yaml").decode()
                        self.write(
                            "input.yaml",
                            text.replace("data.csv}", "data.csv, covariates: [level]}"),
                        )
                        if "grid" in task:
                            continue
                    self.refused(INPUT, message, "likelihood.coefficients")
        # a field that separates them
        self.write_data(where, (where[:, 0] + 0.3 * where[:, 1] > 0.6).astype(float))
        self.input("family: bernoulli", "fit: {}\n")
        outcome = self.succeed("input.yaml", "--force", "--progress", "off")
        self.assertIn("the field separates the observations 0 from 1: fix sigma2", outcome.err)
        # with the coefficients there is nothing to search for
        self.write_data(where, (where[:, 0] > 0.4).astype(float))
        self.input(
            "family: bernoulli, coefficients: [0, 1, 0]", "predict: {grid: [3, 3]}\n", mean="linear"
        )
        self.succeed("input.yaml", "-q", "--force")


RUN = """\
app: gp
simulate: {points: 2500, layout: uniform, mean: 0.5}
covariance: {sigma2: 1, ranges: [0.08, 0.12], nu: 0.8}
method: {vecchia: {neighbours: 12}}
likelihood: {family: negative_binomial, size: 2}
fit: {start: [0.5, 0.04, 0.04, 0.5]}
predict: {fraction: 0.1, draws: 3}
cross_validation: {folds: 3}
run: {seed: 5}
"""


class Restart(LatentTest):
    def test_a_fit_that_was_interrupted_ends_with_the_same_bits(self):
        self.write("input.yaml", RUN)
        began = time.monotonic()
        self.succeed("input.yaml", "-q", "--force", "--output", "whole.h5")
        duration = time.monotonic() - began
        interrupted = 0
        for part in (0.2, 0.5, 0.9):
            process = self.start(
                "input.yaml", "--progress", "off", "--force", "--output", "part.h5"
            )
            for line in process.stderr:
                if line.startswith("tessera: running on "):
                    break
            time.sleep(part * duration)
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=TIMEOUT)
            if process.returncode == 0:
                continue  # faster than before
            interrupted += 1
            self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
            self.assertEqual(attribute(self.path("part.h5"), "run_status"), "interrupted")
            outcome = self.succeed(
                "input.yaml", "--restart", "part.restart.h5", "--output", "part.h5"
            )
            self.assertIn("continuing from part.restart.h5", outcome.err)
            self.assert_same_bits("whole.h5", "part.h5")
        self.assertGreater(interrupted, 0)

    def test_restart_files(self):
        self.write("part.yaml", RUN)
        restart = self.killed_run("part")
        self.assert_arrays_are_checked(restart, "part.yaml")

        def alter(file):
            file["state"].attrs["count"] = np.uint64(10**6)

        outcome = self.call("part.yaml", "-q", "--restart", self.altered(restart, alter))
        self.assertEqual(outcome.status, FILES, outcome.err)


class Pictures(LatentTest):
    def test_validation_and_draws(self):
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("no matplotlib")
        where = places(300, 29)
        for likelihood in ("family: poisson", "family: bernoulli"):
            self.write_data(where, observations(FAMILIES[likelihood][0], where))
            self.input(
                likelihood + LISTED,
                "predict: {grid: [20, 20], draws: 3}\ncross_validation: {folds: 5}\n",
            )
            self.results()
            for kind in ("map", "validation", "summary"):
                subprocess.run(
                    [sys.executable, "-m", "tessera.plot", "input.h5", "--kind", kind]
                    + ["-o", kind + ".png"],
                    cwd=self.path("."),
                    env=dict(os.environ, PYTHONPATH=os.path.join(ROOT, "apps", "python")),
                    check=True,
                )
                self.assertGreater(os.path.getsize(self.path(kind + ".png")), 5_000)


if __name__ == "__main__":
    run_cases.main()
