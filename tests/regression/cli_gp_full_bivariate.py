# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp_full_bivariate.py EXECUTABLE. The full bivariate Matern:
likelihoods and cokriging against dense algebra, the largest correlation against all frequencies, a
fit that finds the truth, the parsimonious covariance beside it, bad inputs."""

import math
import os

import h5py
import numpy as np

import run_cases
from cli_support import INPUT, arrays
from gp_support import INPUTS, log_likelihood, table
from gp_variables_support import (
    half_integer,
    indicator,
    long,
    places,
    scipy_matern,
    VariablesTest,
)

# Smoothnesses 0.5, 1.5 and, of the pair, 1.5.
LIST = [1.3, 0.4, 0.15, 0.1, 0.12, 0.5, 1.5, 0.5, -0.45, 0.05, 0.02]
COVARIANCE = (
    "variables: 2, cross: full, sigma2: [1.3, 0.4], beta: [0.15, 0.1, 0.12], nu: [0.5, 1.5], "
    "excess: 0.5, rho: -0.45, nugget: [0.05, 0.02]"
)


def covariance(theta, a, b, function=half_integer):
    """Of places and variables: columns x, y, v."""
    result = np.empty((len(a), len(b)))
    for v in (0, 1):
        for w in (0, 1):
            rows, columns = np.flatnonzero(a[:, 2] == v), np.flatnonzero(b[:, 2] == w)
            h = np.hypot(*(a[rows][:, None, k] - b[columns][None, :, k] for k in (0, 1)))
            nu = theta[5 + v] if v == w else 0.5 * (theta[5] + theta[6]) + theta[7]
            part = function(nu, h / theta[2 + v if v == w else 4])
            size = math.sqrt(theta[v] * theta[w]) * (1 if v == w else theta[8])
            result[np.ix_(rows, columns)] = size * part
    return result


def with_errors(theta, a, function=half_integer):
    return covariance(theta, a, a, function) + np.diag(np.array(theta[9:])[a[:, 2].astype(int)])


def log_density(t, nu, beta):
    """Of two coordinates, but for what all have in common."""
    return math.log(nu) - 2 * nu * math.log(beta) - (nu + 1) * np.log(beta**-2 + t**2)


def largest_correlation(nu, excess, beta):
    t = np.concatenate([[0], np.exp(np.linspace(-10, 20, 300001))])
    ratio = 0.5 * (log_density(t, nu[0], beta[0]) + log_density(t, nu[1], beta[1]))
    return math.exp((ratio - log_density(t, 0.5 * sum(nu) + excess, beta[2])).min())


class FullBivariate(VariablesTest):
    def test_likelihood_of_dense_algebra(self):
        """Two thousand observations at unequal places."""
        random = np.random.default_rng(1)
        xy, wide = places(1500, 2), np.zeros((1500, 2))
        wide[:500, 0] = np.nan
        wide[1000:, 1] = np.nan
        a, _ = long(xy, wide)
        matrix = with_errors(LIST, a)
        z = np.linalg.cholesky(matrix) @ random.normal(size=len(a))
        wide.T[~np.isnan(wide.T)] = z
        self.data(xy, wide)
        text = (
            "app: gp\ndata: {{file: data.csv, values: [a, b]}}\nmean: {}\n"
            f"covariance: {{{{variables: 2, cross: full, nugget: 0}}}}\nloglik: {{{{theta: [{LIST}]}}}}\n"
        )
        for mean, trend in (("zero", None), ("constant", indicator(a))):
            self.write("input.yaml", text.format(mean))
            expected = log_likelihood(matrix, z, trend)
            found = self.results()["results/loglik"][0]
            self.assertLess(abs(found / expected - 1), 1e-11)
        self.write("input.yaml", text.format("zero") + "method: {vecchia: {neighbours: 100}}\n")
        found = self.results()["results/loglik"][0]
        self.assertLess(abs(found - log_likelihood(matrix, z)), 10)

    def test_any_smoothness_against_scipy(self):
        function = scipy_matern(self)
        theta = [1.3, 0.4, 0.15, 0.25, 0.2, 0.6, 1.3, 0.15, 0.5, 0.05, 0.02]
        random = np.random.default_rng(5)
        xy, wide = places(700, 6), random.normal(size=(700, 2))
        wide[random.random((700, 2)) < 0.3] = np.nan
        a, z = long(xy, wide)
        self.data(xy, wide)
        self.write(
            "input.yaml",
            "app: gp\ndata: {file: data.csv, values: [a, b]}\n"
            f"covariance: {{variables: 2, cross: full, nugget: 0}}\nloglik: {{theta: [{theta}]}}\n",
        )
        expected = log_likelihood(with_errors(theta, a, function), z, indicator(a))
        self.assertLess(abs(self.results()["results/loglik"][0] / expected - 1), 1e-10)

    def test_cokriging_of_dense_algebra(self):
        random = np.random.default_rng(7)
        xy, wide = places(120, 8), random.normal(size=(120, 2))
        wide[random.random((120, 2)) < 0.35] = np.nan
        a, z = long(xy, wide)
        targets = places(15, 9)
        self.data(xy, wide)
        self.write("targets.csv", table(targets, "x,y"))
        b = np.concatenate([np.column_stack([targets, np.full(15, v)]) for v in (0, 1)])
        inverse = np.linalg.inv(with_errors(LIST, a))
        x, cross = indicator(a), covariance(LIST, a, b)
        normal = np.linalg.inv(x.T @ inverse @ x)
        coefficients = normal @ x.T @ inverse @ z
        mean = indicator(b) @ coefficients + cross.T @ inverse @ (z - x @ coefficients)
        rest = indicator(b).T - x.T @ inverse @ cross
        variance = np.diag(
            covariance(LIST, b, b) - cross.T @ inverse @ cross + rest.T @ normal @ rest
        )
        for method in ("exact", "{vecchia: {neighbours: 999, prediction_neighbours: 999}}"):
            self.write(
                "input.yaml",
                "app: gp\ndata: {file: data.csv, values: [a, b]}\n"
                f"covariance: {{{COVARIANCE}}}\npredict: {{points: {{file: targets.csv}}}}\n"
                f"method: {method}\n",
            )
            found = self.results()
            np.testing.assert_allclose(found["results/prediction/mean"], mean, atol=1e-8)
            np.testing.assert_allclose(found["results/prediction/variance"], variance, atol=1e-8)

    def test_bound_of_all_frequencies(self):
        self.data(places(30, 3), np.random.default_rng(4).normal(size=(30, 2)))
        for nu, excess, beta in (
            ([0.5, 1.5], 0.2, [0.2, 0.2, 0.12]),
            ([0.5, 0.5], 0, [0.1, 0.3, 0.15]),
            ([0.7, 0.4], 0, [0.4, 0.4, 0.2]),
            ([2.5, 0.3], 1, [0.1, 3, 0.5]),
        ):
            self.write(
                "input.yaml",
                "app: gp\ndata: {file: data.csv, values: [a, b]}\nfit: {}\n"
                f"covariance: {{variables: 2, cross: full, nu: {nu}, excess: {excess}, "
                f"beta: {beta}, rho: 0.99}}\n",
            )
            bound = largest_correlation(nu, excess, beta)
            self.refused(INPUT, "input.yaml:4", "rho_12 is 0.99", f"to {bound:.5g}"[:-1])

    def test_a_fit_finds_the_truth(self):
        truth = [1.3, 0.4, 0.05, 0.1, 0.07, 0.6, 1.2, 0.2, 0.6, 0.05, 0.02]
        self.write(
            "field.yaml",
            "app: gp\nsimulate: {points: 625}\nrun: {seed: 11}\n"
            "covariance: {variables: 2, cross: full, sigma2: [1.3, 0.4], beta: [0.05, 0.1, 0.07], "
            "nu: [0.6, 1.2], excess: 0.2, rho: 0.6, nugget: [0.05, 0.02]}\n",
        )
        self.succeed("field.yaml", "-q", "--force")
        found = arrays(self.path("field.h5"))
        xy = np.column_stack([found[f"coordinates/x{k}"][:625] for k in (1, 2)])
        wide = found["results/observations"].reshape(2, 625).T + [3, -7]
        wide[np.random.default_rng(1).random(wide.shape) < 0.15] = np.nan
        self.data(xy, wide)
        base = "app: gp\ndata: {file: data.csv, values: [a, b]}\nfit: {}\nrun: {seed: 3}\n"
        tasks = "predict: {fraction: 0.1}\ncross_validation: {folds: 10}\n"
        loglik = {}
        for name, cross, rest in (
            ("parsimonious", "parsimonious", ""),
            ("full", "full", ""),
            ("vecchia", "full", tasks + "method: {vecchia: {neighbours: 40}}\n"),
        ):
            self.write(
                "input.yaml",
                f"{base}covariance: {{variables: 2, cross: {cross}, nugget: 0.01}}\n{rest}",
            )
            found = self.results()
            self.assertEqual(found["results/converged"][0], 1)
            loglik[name] = found["results/loglik"][0]
            if cross == "parsimonious":
                continue
            theta, error = found["results/theta"][0], found["results/theta_se"][0]
            inside = found["results/at_bound"][0] == 0
            self.assertTrue(np.isfinite(error[inside]).all(), (name, error))
            deviation = np.abs(theta - truth)[inside] / error[inside]
            self.assertTrue((deviation < 3.5).all(), (name, theta, error))
            self.assertAlmostEqual(
                found["results/nu_12"][0], 0.5 * (theta[5] + theta[6]) + theta[7], places=12
            )
            bound = largest_correlation(theta[5:7], theta[7], theta[2:5])
            self.assertAlmostEqual(found["results/largest_rho_12"][0] / bound, 1, places=6)
            self.assertLess(abs(theta[8]), bound)
            if rest:
                with h5py.File(self.path("input.h5")) as file:
                    for group in ("prediction", "cross_validation"):
                        scores = dict(file[f"results/{group}"].attrs)
                        self.assertGreater(scores["coverage_95_a"], 0.85)
                        self.assertGreater(scores["coverage_95_b"], 0.85)
        # ranges that differ by a factor of two are found
        self.assertGreater(loglik["full"], loglik["parsimonious"] + 5)

    def test_the_parsimonious_covariance_is_a_special_case(self):
        xy, wide = places(80, 21), np.random.default_rng(22).normal(size=(80, 2))
        self.data(xy, wide)
        found = []
        for numbers in (
            "rho: 0.4, beta: 0.2",
            "cross: parsimonious, rho: 0.4, beta: 0.2",
            "cross: full, excess: 0, rho: 0.4, beta: 0.2",
            "cross: full, excess: 0, rho: 0.4, beta: [0.2, 0.2, 0.2]",
        ):
            self.write(
                "input.yaml",
                "app: gp\ndata: {file: data.csv, values: [a, b]}\npredict: {grid: [5, 5]}\n"
                "covariance: {variables: 2, sigma2: [1, 2], nu: [0.5, 1.2], nugget: 0.1, "
                f"{numbers}}}\n",
            )
            found.append(self.results())
        for other in found[1:]:
            for name in ("mean", "variance"):
                np.testing.assert_array_equal(
                    other[f"results/prediction/{name}"], found[0][f"results/prediction/{name}"]
                )

    def test_an_excess_that_stays(self):
        """Data of a parsimonious covariance: a fit finds little excess, or has none to find."""
        self.write(
            "field.yaml",
            "app: gp\nsimulate: {points: 324}\nrun: {seed: 5}\ncovariance: {variables: 2, "
            "sigma2: 1, beta: 0.1, nu: 0.5, rho: 0.7, nugget: 0.02}\n",
        )
        self.succeed("field.yaml", "-q", "--force")
        found = arrays(self.path("field.h5"))
        xy = np.column_stack([found[f"coordinates/x{k}"][:324] for k in (1, 2)])
        self.data(xy, found["results/observations"].reshape(2, 324).T)
        loglik = []
        for numbers, fit in (
            ("", ""),
            ("cross: full, excess: 0", "fixed: [excess_12]"),
            ("cross: full", ""),
        ):
            self.write(
                "input.yaml",
                "app: gp\ndata: {file: data.csv, values: [a, b]}\n"
                f"covariance: {{variables: 2, nugget: 0.01, {numbers}}}\nfit: {{{fit}}}\n",
            )
            found = self.results()
            loglik.append(found["results/loglik"][0])
            self.assertEqual(found["results/converged"][0], 1)
            if "fixed" in fit:
                self.assertEqual(found["results/theta"][0, 7], 0)
                self.assertTrue(np.isnan(found["results/theta_se"][0, 7]))
        # two more ranges, then one more smoothness: half a chi-square each, at most 10 here
        self.assertTrue(loglik[0] < loglik[1] + 1e-3 < loglik[2] + 2e-2 < loglik[0] + 10, loglik)

    def test_simulations_have_the_covariance(self):
        for method in ("exact", "vecchia"):
            self.write(
                "input.yaml",
                "app: gp\nrun: {seed: 3}\nsimulate: {points: 100, replicates: 2000}\n"
                f"covariance: {{{COVARIANCE}}}\nmethod: {method}\n",
            )
            found = self.results()
            a = np.column_stack([found[f"coordinates/{name}"] for name in ("x1", "x2", "variable")])
            values = found["results/observations"]
            sample = values @ values.T / values.shape[1]
            expected = with_errors(LIST, a)
            size = np.sqrt(np.diag(expected))
            error = (sample - expected) / np.outer(size, size)
            self.assertLess(np.abs(error).max(), 6 / math.sqrt(2000))
            self.assertLess(abs(error.mean()), 0.02)

    def test_the_input(self):
        self.succeed(os.path.join(INPUTS, "full_bivariate.yaml"), "--output", "input.h5", "-q")
        found = arrays(self.path("input.h5"))
        theta, error = found["results/theta"][0], found["results/theta_se"][0]
        inside = found["results/at_bound"][0] == 0
        deviation = np.abs(theta - found["results/truth"])[inside] / error[inside]
        self.assertTrue((deviation < 4).all(), (theta, error))

    def test_bad_inputs(self):
        self.data(places(30, 3), np.random.default_rng(4).normal(size=(30, 2)))
        start = [1, 1, 0.2, 0.2, 0.12, 0.5, 1.5, 0.2]
        for numbers, task, phrases in (
            ("cross: full", "fit: {}", ("it needs 'variables'",)),
            ("variables: 2, cross: whole", "fit: {}", ("parsimonious", "full")),
            ("variables: 2, excess: 0.1", "fit: {}", ("it needs 'cross: full'",)),
            ("variables: 2, cross: full, excess: -0.1", "fit: {}", ("excess",)),
            ("variables: 2, cross: full, beta: [0.1, 0.2]", "fit: {}", ("must have 3", "beta_12")),
            ("variables: 2, beta: [0.1, 0.2, 0.1]", "fit: {}", ("have one range",)),
            (
                "variables: 2, cross: full, nu: [0.5, 1.5, 1.2]",
                "fit: {}",
                ("must have 2", "'excess' gives nu_12"),
            ),
            ("variables: 2, cross: full", "fit: {method: lbfgs}", ("'method: scoring'",)),
            (
                "variables: 2, cross: full",
                f"loglik: {{theta: [{start + [0.5]}]}}",
                ("rho_12 is 0.5", "excess_12 = 0.2", "beta_12 = 0.12", "to 0.46446"),
            ),
            (
                "variables: 2, cross: full",
                f"fit: {{start: {start + [-0.5]}}}",
                ("rho_12 is -0.5", "from -0.46446"),
            ),
            (
                "variables: 2, cross: full",
                f"fit: {{lower: {[1e-3] * 7 + [0, -1]}, upper: {[9] * 8 + [1]}}}",
                ("lower bound of excess_12 must be above 0", "fit.fixed: [excess_12]"),
            ),
            (
                "variables: 2, cross: full",
                f"fit: {{lower: {[1e-3] * 8 + [-0.5]}, upper: {[9] * 8 + [1]}}}",
                ("bounds of rho_12 follow", "give -1 and 1"),
            ),
            (
                "variables: 2, cross: full",
                f"loglik: {{theta: [{[1, 1, 1e-8, 0.1, 0.1, 1, 1, 0, 0.1]}]}}",
                ("beta_12 is 0.1 and beta_1 is 1e-08", "a factor of 1e+06 at most"),
            ),
        ):
            with self.subTest(numbers=numbers, task=task):
                self.write(
                    "input.yaml",
                    "app: gp\ndata: {file: data.csv, values: [a, b]}\n"
                    f"covariance: {{{numbers}}}\n{task}\n",
                )
                self.refused(INPUT, *phrases)
        self.write(
            "input.yaml",
            "app: gp\nsimulate: {points: 25}\ncovariance: {variables: 3, cross: full, sigma2: 1, "
            "beta: 0.1, nu: 0.5, rho: 0.1}\n",
        )
        self.refused(INPUT, "is for two variables")


if __name__ == "__main__":
    run_cases.main()
