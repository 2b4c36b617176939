# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp_latent.py EXECUTABLE. Observations that are not Gaussian, against
Laplace's approximation by dense algebra in numpy."""

import importlib.util
import math
import os
import subprocess
import sys

import h5py
import numpy as np

import run_cases
from cli_support import INPUT, ROOT, arrays
from gp_latent_support import (
    FAMILIES,
    THETA,
    LatentTest,
    covariance,
    laplace,
    logit,
    observations,
    places,
    poisson,
    vecchia_precision,
)
from gp_support import INPUTS, skip_without_nlopt, table


def setUpModule():
    skip_without_nlopt()


class Latent(LatentTest):
    def test_dense(self):
        """With all predecessors as neighbours nothing is left out: likelihood, mode, predictions."""
        where, targets = places(300, 1), places(40, 2)
        self.write("targets.csv", table(targets.tolist(), "x,y"))
        prior = covariance(where, where)
        precision = np.linalg.inv(prior)
        cross = covariance(targets, where) @ precision
        for likelihood, (law, a, b) in FAMILIES.items():
            with self.subTest(likelihood):
                y = observations(law, where)
                self.write_data(where, y)
                self.input(
                    likelihood + ", coefficients: [0.2]",
                    f"loglik: {{theta: [[{THETA[0]}, {THETA[1]}]]}}\npredict: {{points: {{file: targets.csv}}}}\n",
                    neighbours=299,
                    prediction=300,
                )
                found = self.results()
                loglik, mode, posterior = laplace(precision, law, y, 0.2, a, b)
                self.assertAlmostEqual(found["results/evaluated/loglik"][0] / loglik, 1, delta=1e-9)
                self.assertAlmostEqual(found["results/loglik"][0] / loglik, 1, delta=1e-9)
                np.testing.assert_allclose(found["results/field"], mode, atol=1e-6)
                np.testing.assert_allclose(
                    found["results/prediction/mean"], 0.2 + cross @ mode, atol=1e-6
                )
                variance = THETA[0] - np.einsum("ij,ij->i", cross, cross @ prior)
                variance += np.einsum("ij,ij->i", cross, cross @ posterior)
                np.testing.assert_allclose(
                    found["results/prediction/variance"], variance, rtol=1e-6
                )

    def test_sparse(self):
        """With few neighbours: the precision of Vecchia's approximation, built in numpy."""
        where = places(1000, 3)
        precision = vecchia_precision(where, 12)
        for likelihood in ("family: poisson", "family: bernoulli"):
            law, a, b = FAMILIES[likelihood]
            y = observations(law, where)
            self.write_data(where, y)
            self.input(
                likelihood + ", coefficients: [0.2]",
                f"loglik: {{theta: [[{THETA[0]}, {THETA[1]}]]}}\n",
                neighbours=12,
                ordering="given",
            )
            found = self.results()
            loglik = laplace(precision, law, y, 0.2, a, b)[0]
            self.assertAlmostEqual(found["results/loglik"][0] / loglik, 1, delta=1e-9)

    def test_estimated_determinant(self):
        where = places(3000, 4)
        self.write_data(where, observations(poisson, where))
        for determinant in ("cholesky", "stochastic"):
            self.input(
                f"family: poisson, coefficients: [0.2], determinant: {determinant}",
                f"loglik: {{theta: [[{THETA[0]}, {THETA[1]}]]}}\npredict: {{grid: [5, 5]}}\n",
            )
            found = self.results()
            if determinant == "cholesky":
                exact = found
        error = found["results/log_determinant_error"][0]
        self.assertEqual(exact["results/log_determinant_error"][0], 0)
        self.assertLess(
            abs(found["results/log_determinant"][0] - exact["results/log_determinant"][0]),
            4 * error,
        )
        self.assertLess(0.5 * error, 2e-3 * abs(exact["results/loglik"][0]))
        np.testing.assert_allclose(
            found["results/prediction/mean"], exact["results/prediction/mean"], atol=1e-6
        )
        np.testing.assert_allclose(
            found["results/prediction/variance"], exact["results/prediction/variance"], rtol=0.5
        )

    def test_fit(self):
        """The fit finds what was simulated, and its likelihood is the largest."""
        base = (
            "app: gp\nsimulate: {points: 4000, layout: uniform, mean: 0.5}\n"
            "covariance: {sigma2: 1, beta: 0.08, nu: 0.8}\nmethod: {vecchia: {neighbours: 15}}\n"
            "run: {seed: 5}\n"
        )
        for likelihood, truth in (
            ("family: poisson", []),
            ("family: negative_binomial, size: 2", [2]),
            ("family: gamma, shape: 3", [3]),
        ):
            with self.subTest(likelihood):
                self.write(
                    "input.yaml",
                    base
                    + f"likelihood: {{{likelihood}}}\nfit: {{start: [0.5, 0.04, 0.5]}}\npredict: {{fraction: 0.1}}\n",
                )
                found = self.results()
                for name, value in (("theta", [1, 0.08, 0.8]), ("response", truth)):
                    if not value:
                        continue
                    estimate, error = found[f"results/{name}"][0], found[f"results/{name}_se"][0]
                    self.assertTrue((np.abs(estimate - value) < 4 * error).all(), (estimate, error))
                self.assertGreaterEqual(
                    found["results/loglik"][0], np.nanmax(found["series/loglik"]) - 1e-6
                )
                with h5py.File(self.path("input.h5")) as file:
                    scores = dict(file["results/prediction"].attrs)
                    self.assertEqual(file["results"].attrs["converged"], 1)
                observed = found["results/prediction/observed"]
                self.assertLess(scores["mspe"], observed.var())
                self.assertAlmostEqual(
                    scores["log_score"], -found["results/prediction/log_density"].mean()
                )

    def test_fit_by_estimates(self):
        """With an estimated determinant the fit ends where it does with the exact one."""
        base = (
            "app: gp\nsimulate: {points: 2000, layout: uniform}\ncovariance: {sigma2: 1, beta: 0.08, nu: 0.8}\n"
            "method: {vecchia: {neighbours: 15}}\nfit: {start: [0.5, 0.04, 0.5]}\nrun: {seed: 6}\n"
        )
        found = {}
        for determinant in ("cholesky", "stochastic"):
            self.write(
                "input.yaml",
                base + f"likelihood: {{family: poisson, determinant: {determinant}}}\n",
            )
            found[determinant] = self.results()
        exact, estimated = found["cholesky"], found["stochastic"]
        error = exact["results/theta_se"][0]
        for name, bound in (("theta", 0.1), ("theta_se", 0.2)):
            difference = estimated[f"results/{name}"][0] - exact[f"results/{name}"][0]
            self.assertTrue((np.abs(difference) < bound * error).all(), (name, difference, error))

    def test_example(self):
        self.succeed(os.path.join(INPUTS, "counts.yaml"), "--output", "counts.h5", "-q")
        found = arrays(self.path("counts.h5"))
        for name, truth in (("theta", [0.7, 1.2]), ("response", [3])):
            estimate, error = found[f"results/{name}"][0], found[f"results/{name}_se"][0]
            self.assertTrue((np.abs(estimate - truth) < 4 * error).all(), (estimate, error))
        self.assertEqual(found["results/prediction/response_mean"].shape, (3600,))
        if importlib.util.find_spec("matplotlib") is None:
            return
        for kind in ("summary", "map", "history", "validation"):
            subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "tessera.plot",
                    "counts.h5",
                    "--kind",
                    kind,
                    "-o",
                    kind + ".png",
                ],
                cwd=self.path("."),
                env=dict(os.environ, PYTHONPATH=os.path.join(ROOT, "apps", "python")),
                check=True,
            )
            self.assertGreater(os.path.getsize(self.path(kind + ".png")), 10_000)

    def test_coefficients(self):
        """Coefficients that are not given are those of the largest likelihood."""
        where = places(500, 6)
        self.write_data(where, observations(poisson, where))
        listed = f"loglik: {{theta: [[{THETA[0]}, {THETA[1]}]]}}\n"
        self.input("family: poisson", listed)
        found = self.results()
        best, trend = found["results/loglik"][0], found["results/trend"][0, 0]
        for change in (-0.05, 0.05):
            self.input(f"family: poisson, coefficients: [{trend + change}]", listed)
            self.assertLess(self.results()["results/loglik"][0], best)

    def test_exposure(self):
        """An exposure is an offset: twice the exposure, and the constant is less by log 2."""
        where = places(400, 8)
        y = observations(poisson, where)
        listed = f"loglik: {{theta: [[{THETA[0]}, {THETA[1]}]]}}\n"
        self.write_data(where, y, ",area", [np.full(400, 2.0)])
        self.input("family: poisson, exposure: area, coefficients: [0.2]", listed)
        with_exposure = self.results()["results/loglik"][0]
        self.input(f"family: poisson, coefficients: [{0.2 + math.log(2)}]", listed)
        self.assertAlmostEqual(self.results()["results/loglik"][0], with_exposure, delta=1e-7)

    def test_probabilities(self):
        where = places(600, 9)
        self.write_data(where, observations(logit, where))
        self.input("family: bernoulli", "predict: {fraction: 0.2}\n")
        found = self.results()
        p, y = found["results/prediction/response_mean"], found["results/prediction/observed"]
        self.assertTrue(((p > 0) & (p < 1)).all())
        with h5py.File(self.path("input.h5")) as file:
            scores = dict(file["results/prediction"].attrs)
        self.assertAlmostEqual(scores["brier_score"], ((p - y) ** 2).mean())
        self.assertAlmostEqual(
            scores["log_score"], -np.log(np.where(y == 1, p, 1 - p)).mean(), delta=1e-9
        )
        self.assertLess(scores["brier_score"], 0.25)

    def test_bad_observations(self):
        where = places(60, 10)
        fit = "fit: {}\n"
        for likelihood, value, message in (
            ("family: poisson", 2.5, "row 4: 'z' is 2.5, which is not an integer"),
            ("family: negative_binomial", -1, "row 4: 'z' is -1, which is negative"),
            ("family: bernoulli", 2, "row 4: 'z' is 2, which is not 0 or 1"),
            ("family: gamma", 0, "row 4: 'z' is 0, which is not positive"),
        ):
            y = np.arange(60.0) % 2 + (1 if "gamma" in likelihood else 0)
            y[3] = value
            self.write_data(where, y)
            self.input(likelihood, fit)
            self.refused(INPUT, message, "likelihood.family")
        self.write_data(where, np.ones(60))
        for likelihood in ("family: bernoulli", "family: poisson"):
            self.input(likelihood, fit)
            self.refused(INPUT, "all observations 'z' are 1", "differ")
        self.write_data(where, np.arange(60.0), ",area", [np.zeros(60)])
        self.input("family: poisson, exposure: area", fit)
        self.refused(INPUT, "row 1: the exposure 'area' is 0, but must be above 0")

    def test_bad_keys(self):
        where = places(60, 11)
        self.write_data(where, np.arange(60.0) % 3)
        for likelihood, rest, messages in (
            ("family: poison", "fit: {}\n", ["poison", "did you mean 'poisson'"]),
            ("family: binomial", "fit: {}\n", ["bernoulli", "negative_binomial", "student_t"]),
            ("family: poisson, size: 2", "fit: {}\n", ["'size'", "family: negative_binomial"]),
            ("family: bernoulli, exposure: area", "fit: {}\n", ["family: poisson"]),
            ("family: poisson", "fit: {method: scoring}\n", ["lbfgs"]),
            ("family: gamma", "cross_validation: {}\n", ["'shape' must be given"]),
            ("family: poisson", "predict: {grid: [3, 3], of: observation}\n", ["leave out 'of'"]),
            (
                "family: poisson",
                "predict: {grid: [3, 3], quantiles: [0.5, 1]}\n",
                ["'predict.quantiles' has 1", "above 0 and below 1"],
            ),
            ("family: gamma", "loglik: {theta: [[1, 0.1]]}\n", ["'shape' must be given"]),
        ):
            self.input(likelihood, rest)
            self.refused(INPUT, *messages)
        self.write(
            "input.yaml",
            "app: gp\ndata: {file: data.csv}\nlikelihood: {family: poisson}\nmethod: exact\n"
            "covariance: {family: matern32}\nfit: {}\n",
        )
        self.refused(INPUT, "needs Vecchia's approximation")

    def test_limits(self):
        """Iterations that do not suffice are errors with the key to change."""
        where = places(400, 12)
        self.write_data(where, observations(poisson, where))
        for key in ("newton_steps", "cg_iterations"):
            self.input(
                f"family: poisson, coefficients: [0.2], {key}: 1",
                f"loglik: {{theta: [[{THETA[0]}, {THETA[1]}]]}}\n",
            )
            self.refused(5, f"likelihood.{key}")


if __name__ == "__main__":
    run_cases.main()
