# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp_variables.py EXECUTABLE. Several variables: likelihoods and
cokriging against dense algebra, fits that find the truth, what one variable says of another, bad
inputs."""

import os

import h5py
import numpy as np

import run_cases
from cli_support import INPUT, arrays
from gp_support import INPUTS, log_likelihood, normal_crps, table
from gp_variables_support import (
    half_integer,
    indicator,
    long,
    places,
    scipy_matern,
    VariablesTest,
)

# Smoothnesses whose mean is half an odd integer, too.
LIST = [1.3, 0.4, 0.15, 0.5, 2.5, 0.6, 0.05, 0.02]


def covariance(theta, a, b, function=half_integer):
    """Of places and variables: columns x, y, v."""
    s1, s2, beta, nu1, nu2, rho = theta[:6]
    deviation, nu = np.sqrt([s1, s2]), [nu1, nu2]
    result = np.empty((len(a), len(b)))
    for v in (0, 1):
        for w in (0, 1):
            rows, columns = np.flatnonzero(a[:, 2] == v), np.flatnonzero(b[:, 2] == w)
            h = np.hypot(*(a[rows][:, None, k] - b[columns][None, :, k] for k in (0, 1)))
            part = function(0.5 * (nu[v] + nu[w]), h / beta) * deviation[v] * deviation[w]
            result[np.ix_(rows, columns)] = part * (1 if v == w else rho)
    return result


def with_errors(theta, a, function=half_integer):
    return covariance(theta, a, a, function) + np.diag(np.array(theta[6:])[a[:, 2].astype(int)])


class Variables(VariablesTest):
    def field(self, n, seed, theta=tuple(LIST), missing=(0.3, 0.4)):
        """A simulated field of half-integer smoothnesses, and what is observed of it."""
        random = np.random.default_rng(seed)
        xy = places(n, seed + 1)
        both = np.concatenate([np.column_stack([xy, np.full(n, v)]) for v in (0, 1)])
        matrix = covariance(theta, both, both) + 1e-10 * np.eye(2 * n)
        z = (np.linalg.cholesky(matrix) @ random.normal(size=2 * n)).reshape(2, n).T
        wide = z + random.normal(size=(n, 2)) * np.sqrt(theta[6:]) + [3, -7]
        for v in (0, 1):
            wide[random.random(n) < missing[v], v] = np.nan
        return xy, z, wide

    def test_likelihood_of_dense_algebra(self):
        """Two thousand observations at unequal places, of nu 0.5, 1.5 and 2.5 for the pair."""
        theta, random = LIST, np.random.default_rng(1)
        xy, wide = places(1500, 2), np.zeros((1500, 2))
        wide[:500, 0] = np.nan
        wide[1000:, 1] = np.nan
        wide[7] = np.nan
        a, _ = long(xy, wide)
        matrix = with_errors(theta, a)
        z = np.linalg.cholesky(matrix) @ random.normal(size=len(a))
        wide.T[~np.isnan(wide.T)] = z
        self.data(xy, wide)
        base = (
            "app: gp\ndata: {{file: data.csv, values: [a, b]}}\nmean: {}\n"
            "covariance: {{variables: 2, nugget: 0.1}}\nloglik: {{theta: [{}]}}\n"
        )
        for mean, trend in (("zero", None), ("constant", indicator(a))):
            text = base.format(mean, theta)
            self.write("input.yaml", text)
            found = self.results()["results/loglik"][0]
            expected = log_likelihood(matrix, z, trend)
            self.assertLess(abs(found / expected - 1), 1e-11)
            self.write("input.yaml", text + "method: {vecchia: {neighbours: 100}}\n")
            found = self.results()["results/loglik"][0]
            self.assertLess(abs(found - expected), 10)  # of 2000 observations

    def test_neighbours_of_two_variables(self):
        """How far Vecchia's likelihood is from the exact one where all variables are observed."""
        theta = [1, 2.5, 0.12, 0.8, 1.5, 0.7, 0.05, 0.1]
        base = (
            "app: gp\nmean: constant\ncovariance: {variables: 2, sigma2: [1, 2.5], beta: 0.12, "
            "nu: [0.8, 1.5], rho: 0.7, nugget: [0.05, 0.1]}\n"
        )
        self.write(
            "input.yaml",
            f"{base}simulate: {{points: 1225}}\nloglik: {{theta: [{theta}]}}\nrun: {{seed: 3}}\n",
        )
        exact = self.results()
        z = exact["results/observations"].reshape(2, -1).T
        xy = np.column_stack([exact[f"coordinates/x{k}"][: len(z)] for k in (1, 2)])
        self.data(xy, z)
        self.write(
            "input.yaml",
            f"{base}data: {{file: data.csv, values: [a, b]}}\n"
            f"method: {{vecchia: {{neighbours: 30}}}}\n"
            f"loglik: {{theta: [{theta}], neighbours: [60, 120]}}\n",
        )
        found = self.results()
        missing = exact["results/loglik"][0] - np.append(
            found["results/loglik"][0], found["results/by_neighbours/loglik"].ravel()
        )
        for most, lost in zip((12, 3, 0.6), missing):
            self.assertLess(abs(lost), most)

    def test_many_observations_against_scipy(self):
        function = scipy_matern(self)
        theta = [1.3, 0.4, 0.15, 0.6, 1.3, -0.7, 0.05, 0.02]
        random = np.random.default_rng(5)
        xy, wide = places(1400, 6), random.normal(size=(1400, 2))
        wide[random.random((1400, 2)) < 0.3] = np.nan
        a, z = long(xy, wide)
        self.data(xy, wide)
        self.write(
            "input.yaml",
            "app: gp\ndata: {file: data.csv, values: [a, b]}\n"
            f"covariance: {{variables: 2, nugget: 0}}\nloglik: {{theta: [{theta}]}}\n",
        )
        expected = log_likelihood(with_errors(theta, a, function), z, indicator(a))
        self.assertLess(abs(self.results()["results/loglik"][0] / expected - 1), 1e-10)

    def test_cokriging_of_dense_algebra(self):
        xy, _, wide = self.field(120, 7)
        a, z = long(xy, wide)
        targets = places(15, 8)
        self.data(xy, wide)
        self.write("targets.csv", table(targets, "x,y"))
        text = (
            "app: gp\ndata: {file: data.csv, values: [a, b]}\n"
            f"covariance: {{variables: 2, sigma2: {LIST[:2]}, beta: 0.15, nu: {LIST[3:5]}, "
            f"rho: 0.6, nugget: {LIST[6:]}}}\n"
            "predict: {points: {file: targets.csv}, of: observation, quantiles: [0.5]}\n"
        )
        b = np.concatenate([np.column_stack([targets, np.full(15, v)]) for v in (0, 1)])
        inverse = np.linalg.inv(with_errors(LIST, a))
        x, cross = indicator(a), covariance(LIST, a, b)
        normal = np.linalg.inv(x.T @ inverse @ x)
        coefficients = normal @ x.T @ inverse @ z
        mean = indicator(b) @ coefficients + cross.T @ inverse @ (z - x @ coefficients)
        rest = indicator(b).T - x.T @ inverse @ cross
        variance = np.diag(
            covariance(LIST, b, b) - cross.T @ inverse @ cross + rest.T @ normal @ rest
        ) + np.repeat(LIST[6:], 15)
        for method in ("exact", "{vecchia: {neighbours: 999, prediction_neighbours: 999}}"):
            self.write("input.yaml", text + f"method: {method}\n")
            found = self.results()
            np.testing.assert_array_equal(found["results/prediction/variable"], b[:, 2])
            np.testing.assert_array_equal(found["results/prediction/x1"], b[:, 0])
            np.testing.assert_allclose(found["results/prediction/mean"], mean, atol=1e-8)
            np.testing.assert_allclose(found["results/prediction/variance"], variance, atol=1e-8)
            quantiles = found["results/prediction/quantiles"][:, 0]
            np.testing.assert_allclose(quantiles, mean, atol=1e-8)

    def test_a_fit_finds_the_truth(self):
        truth = [1.3, 0.4, 0.1, 0.5, 1.1, 0.6, 0.05, 0.02]
        self.write(
            "field.yaml",
            "app: gp\nsimulate: {points: 625}\nrun: {seed: 11}\n"
            "covariance: {variables: 2, sigma2: [1.3, 0.4], beta: 0.1, nu: [0.5, 1.1], rho: 0.6, "
            "nugget: [0.05, 0.02]}\n",
        )
        self.succeed("field.yaml", "-q", "--force")
        found = arrays(self.path("field.h5"))
        xy = np.column_stack([found[f"coordinates/x{k}"][:625] for k in (1, 2)])
        wide = found["results/observations"].reshape(2, 625).T + [3, -7]
        wide[np.random.default_rng(1).random(wide.shape) < 0.25] = np.nan
        self.data(xy, wide)
        for method in ("exact", "{vecchia: {neighbours: 40}}"):
            self.write(
                "input.yaml",
                "app: gp\ndata: {file: data.csv, values: [a, b]}\n"
                "covariance: {variables: 2, nugget: 0.01}\nfit: {}\n"
                "predict: {fraction: 0.1}\ncross_validation: {folds: 10}\nrun: {seed: 3}\n"
                f"method: {method}\n",
            )
            found = self.results()
            self.assertEqual(found["results/converged"][0], 1)
            theta, error = found["results/theta"][0], found["results/theta_se"][0]
            self.assertTrue(np.isfinite(error).all(), (method, error))
            self.assertTrue((np.abs(theta - truth) < 3.5 * error).all(), (method, theta, error))
            self.assertEqual(
                [name.decode() for name in found["results/trend_names"]],
                ["constant of a", "constant of b"],
            )
            np.testing.assert_allclose(found["results/trend"][0, 0], [3, -7], atol=1.5)
            with h5py.File(self.path("input.h5")) as file:
                for group in ("prediction", "cross_validation"):
                    scores = dict(file[f"results/{group}"].attrs)
                    for name in ("a", "b"):
                        self.assertGreater(scores[f"coverage_95_{name}"], 0.85)
                        self.assertLess(scores[f"crps_{name}"], 0.6)

    def test_cokriging_is_better_where_a_variable_is_not_observed(self):
        """b is known everywhere, a at a seventh of the places; they are correlated by 0.8."""
        theta = [1.0, 2.0, 0.12, 0.5, 0.5, 0.8, 0.01, 0.01]
        random = np.random.default_rng(12)
        xy, z, wide = self.field(500, 13, theta, (0, 0))
        hidden = random.random(500) < 6 / 7
        known = wide.copy()
        known[hidden, 0] = np.nan
        self.data(xy, known)
        self.data(xy[~hidden], known[~hidden], "alone.csv")
        self.write("targets.csv", table(xy[hidden], "x,y"))
        score = {}
        for name, data, covariance_of in (
            ("both", "file: data.csv, values: [a, b]", "variables: 2, nugget: 0.02"),
            ("alone", "file: alone.csv, values: [a]", "nugget: 0.02"),
        ):
            self.write(
                "input.yaml",
                f"app: gp\ndata: {{{data}}}\ncovariance: {{{covariance_of}}}\nfit: {{}}\n"
                "predict: {points: {file: targets.csv}}\n",
            )
            found = self.results()
            count = hidden.sum()
            error = z[hidden, 0] + 3 - found["results/prediction/mean"][:count]
            deviation = np.sqrt(found["results/prediction/variance"][:count])
            score[name] = (np.sqrt((error**2).mean()), normal_crps(error, deviation).mean())
        for of_both, of_one in zip(score["both"], score["alone"]):
            self.assertLess(of_both, 0.85 * of_one, score)

    def test_without_correlation_fits_are_independent(self):
        xy, _, wide = self.field(200, 15)
        self.data(xy, wide)
        loglik = []
        for values, numbers, fit in (
            ("[a, b]", "variables: 2, rho: 0, beta: 0.15", "fixed: [rho_12, beta]"),
            ("[a]", "beta: 0.15", "fixed: [beta]"),
            ("[b]", "beta: 0.15", "fixed: [beta]"),
        ):
            self.write(
                "input.yaml",
                f"app: gp\ndata: {{file: data.csv, values: {values}, missing: drop}}\n"
                f"covariance: {{{numbers}, nugget: 0.05}}\nfit: {{{fit}, tolerance: 1e-9}}\n",
            )
            loglik.append(self.results()["results/loglik"][0])
        self.assertAlmostEqual(loglik[0], loglik[1] + loglik[2], places=6)

    def test_simulations_have_the_covariance(self):
        for method in ("exact", "vecchia"):
            self.write(
                "input.yaml",
                "app: gp\nrun: {seed: 3}\nsimulate: {points: 100, replicates: 2000}\n"
                "covariance: {variables: 2, sigma2: [1, 4], beta: 0.1, nu: 0.5, rho: -0.7}\n"
                f"method: {method}\n",
            )
            self.check_moments(self.results())

    def check_moments(self, found):
        values = found["results/observations"]
        np.testing.assert_array_equal(
            found["coordinates/variable"], np.repeat([0, 1], len(values) // 2)
        )
        first, second = values[: len(values) // 2], values[len(values) // 2 :]
        self.assertAlmostEqual((first**2).mean(), 1, delta=0.02)
        self.assertAlmostEqual((second**2).mean(), 4, delta=0.08)
        self.assertAlmostEqual((first * second).mean(), -1.4, delta=0.04)

    def test_the_input(self):
        self.succeed(os.path.join(INPUTS, "two_variables.yaml"), "--output", "input.h5", "-q")
        found = arrays(self.path("input.h5"))
        theta, error = found["results/theta"][0], found["results/theta_se"][0]
        self.assertTrue((np.abs(theta - found["results/truth"]) < 4 * error).all(), (theta, error))

    def test_bad_inputs(self):
        xy, _, wide = self.field(40, 17)
        self.data(xy, wide)
        for data, numbers, task, phrases in (
            ("", "variables: 2, rho: 1.5", "fit: {}", ("between -1 and 1",)),
            (
                "",
                "variables: 2, nu: [0.5, 2.5], rho: 0.8",
                "fit: {}",
                ("input.yaml:3", "rho_12 is 0.8", "from -0.745356 to 0.745356"),
            ),
            (
                "",
                "variables: 2",
                "loglik: {theta: [[1, 1, 0.1, 0.5, 2.5, -0.8]]}",
                ("rho_12 is -0.8", "from -0.745356 to 0.745356"),
            ),
            (
                "",
                "variables: 2",
                "fit: {start: [1, 1, 0.1, 0.5, 2.5, -0.8]}",
                ("rho_12 is -0.8", "from -0.745356 to 0.745356"),
            ),
            ("", "variables: 3", "fit: {}", ("names 2 columns", "a column for each variable")),
            ("", "variables: 5", "fit: {}", ("between 1 and 4",)),
            ("", "variables: 2, sigma2: [1, 2, 3]", "fit: {}", ("3 elements", "must have 2")),
            ("", "variables: 2, rho: [0.1, 0.2]", "fit: {}", ("2 elements", "must have 1")),
            ("", "rho: 0.1", "fit: {}", ("it needs 'variables'",)),
            ("", "variables: 2, family: matern32", "fit: {}", ("'family: matern'",)),
            ("", "variables: 2, ranges: each", "fit: {}", ("have one range",)),
            ("", "variables: 2, beta_time: 1", "fit: {}", ("has no time",)),
            ("", "variables: 2", "fit: {method: lbfgs}", ("'method: scoring'",)),
            ("", "variables: 2", "fit: {}\nmethod: {vecchia: {block: 4}}", ("one variable",)),
            ("", "variables: 2", "fit: {replicates: separate}", ("one variable",)),
            (", error_variance: a", "variables: 2", "fit: {}", ("for one variable",)),
            (
                "",
                "variables: 2",
                "fit: {lower: [0.1, 0.1, 0.1, 0.1, 0.1, -0.5], upper: [9, 9, 9, 9, 9, 1]}",
                ("bounds of rho_12 follow", "give -1 and 1"),
            ),
        ):
            with self.subTest(numbers=numbers, task=task):
                self.write(
                    "input.yaml",
                    f"app: gp\ndata: {{file: data.csv, values: [a, b]{data}}}\n"
                    f"covariance: {{{numbers}}}\n{task}\n",
                )
                self.refused(INPUT, *phrases)

    def test_bad_data(self):
        xy, _, wide = self.field(40, 19)
        one = wide.copy()
        one[1:, 1] = np.nan
        self.data(xy, one)
        base = (
            "app: gp\ndata: {file: data.csv, values: [a, b]}\ncovariance: {variables: 2}\nfit: {}\n"
        )
        self.write("input.yaml", base)
        self.refused(INPUT, "the variable 'b' has", "observation")
        self.write("data.csv", "x,y,a,b\n0,,1,2\n" + "\n".join(f"{k},{k},{k},1" for k in range(20)))
        self.refused(INPUT, "row 1", "not one of data.values", "data.missing: drop")
        rows = [f"{k},{k * k % 7},{k % 3},{k % 5}" for k in range(20)]
        self.write("data.csv", "x,y,a,b\n" + "\n".join([*rows, "3,2,,1", "4,2,,3"]) + "\n")
        self.refused(INPUT, "repeat", "rows 4 and 21", "no nugget")
        # two variables at one place are no repeated observation, also in rows of their own
        self.write("data.csv", "x,y,a,b\n" + "\n".join([*rows, "3.5,2,,1", "3.5,2,1,"]) + "\n")
        self.succeed("input.yaml", "--validate")


if __name__ == "__main__":
    run_cases.main()
