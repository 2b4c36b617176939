# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""From a fit to a conclusion, by tessera-stable from outside: cli_stable_statistics.py EXECUTABLE.
Intervals, tests, panels, regressions, GARCH processes and vectors."""

import math
import os
import subprocess
import sys

import h5py
import numpy as np

import run_cases
from cli_stable_support import INPUTS, StableTest, column
from cli_support import EXECUTABLE, INPUT, TIMEOUT, arrays, attribute, needs_backend


SAMPLE = "app: stable\nproblem: {task: sample, n: 1}\n"

# Inputs of `inputs/stable` for what follows a fit, or takes its place, with overrides that make
# them short.
STATISTICS = {
    "intervals": ["fit.refits=39", "fit.boundary_refits=39"],
    "goodness": ["goodness.refits=19"],
    "tick": [],
    "fit_many": ["problem.n=9000"],
    "panel": [],
    "regression": [],
    "censored": [],
    "regression_groups": [],
    "garch": ["garch.backtest.step=500"],
    "multivariate": [],
    "coverage": ["problem.n=100", "map.alpha=[1.5, 1.9]", "map.repeats=8"],
}


class Statistics(StableTest):
    def test_goodness_of_fit(self):
        text = "app: stable\nproblem: {task: fit, n: 300, alpha: 1.6, beta: 0.5}\ngoodness:\n  statistics: [ks, ad]\n  against: [symmetric]\n  refits: 39\n"
        self.run_input(text)
        found = self.results()
        self.assertEqual([name.decode() for name in found["results/goodness/tests"]], ["ks", "ad"])
        np.testing.assert_array_equal(
            found["results/goodness/statistic"], [found["results/ks"], found["results/ad"]]
        )
        for group in ("goodness", "likelihood_ratio"):
            replicates, statistic = (
                found[f"results/{group}/replicates"],
                found[f"results/{group}/statistic"],
            )
            self.assertEqual(replicates.shape, (len(statistic), 39))
            larger = (replicates >= statistic[:, None]).sum(axis=1)
            np.testing.assert_allclose(
                found[f"results/{group}/p_value"], (1 + larger) / 40, rtol=1e-14
            )
            np.testing.assert_array_equal(found[f"results/{group}/failed"], 0)
        self.assertGreaterEqual(found["results/likelihood_ratio/replicates"].min(), 0)

    def test_regression(self):
        rng = np.random.default_rng(5)
        x, z = rng.standard_normal(300), rng.random(300)
        y = 1 + 3 * x + np.exp(0.5 * z - 1) * rng.standard_cauchy(300)
        self.write(
            "r.csv",
            "y,x,z,w\n"
            + "".join(f"{float(a)!r},{float(b)!r},{float(c)!r},text\n" for a, b, c in zip(y, x, z)),
        )
        text = "app: stable\nproblem:\n  task: regress\n  data: {file: r.csv, column: y}\nregress: {location: 1 + x, scale: 1 + z}\n"
        self.run_input(text)
        found = self.results()
        names = [name.decode() for name in found["results/names"]]
        self.assertEqual(
            names, ["alpha", "beta", "location: 1", "location: x", "scale: 1", "scale: z"]
        )
        value, error = found["results/estimate"], found["results/se"]
        self.assertTrue((np.abs(value - [1, 0, 1, 3, -1, 0.5]) < 4 * error).all(), (value, error))
        np.testing.assert_allclose(np.diag(found["results/covariance"]), error**2, rtol=1e-12)
        np.testing.assert_allclose(found["results/fitted"], value[2] + value[3] * x, rtol=1e-12)
        np.testing.assert_allclose(
            found["results/residual"] * found["results/scale"],
            y - found["results/fitted"],
            rtol=1e-9,
            atol=1e-9,
        )
        with h5py.File(self.path("r.h5"), "w") as file:
            file["y"], file["x"], file["z"] = y, x, z
        self.run_input(text.replace("r.csv", "r.h5"))
        np.testing.assert_array_equal(self.results()["results/estimate"], value)
        self.write(
            "r.csv",
            "y,x,z\n"
            + "".join(f"{float(a)!r},{float(b)!r},{float(c)!r}\n" for a, b, c in zip(y, x, z))
            + "1,,2\n",
        )
        self.run_input(text.replace("column: y}", "column: y, missing: drop}"))
        np.testing.assert_array_equal(self.results()["results/estimate"], value)
        self.run_input(
            text.replace("r.csv", "r.h5")
            .replace("scale: 1 + z}", "fixed: [alpha, beta]}")
            .replace("regress\n", "regress\n  alpha: 2\n", 1)
        )
        slope, intercept = np.polyfit(x, y, 1)
        np.testing.assert_allclose(
            self.results()["results/estimate"][:4], [2, 0, intercept, slope], rtol=1e-6
        )

    def test_regressions_of_groups(self):
        rng = np.random.default_rng(6)
        x, z, who = (
            rng.standard_normal(700),
            rng.random(700),
            rng.choice(["one", "two", "three"], 700),
        )
        y = np.where(who == "one", 3, -1) * x + np.exp(0.5 * z - 1) * rng.standard_cauchy(700)
        rows = [
            *zip(y, x, z, who),
            *((v, 1.0, v, "flat") for v in rng.random(30)),
            (1.0, 2.0, 3.0, "few"),
        ]
        text = "y,x,z,who\n" + "".join(
            f'{float(a)!r},{float(b)!r},{float(c)!r},"{name}"\n' for a, b, c, name in rows
        )
        self.write("r.csv", text)
        data = "data: {file: r.csv, column: y, group_column: who}"
        task = f"app: stable\nproblem:\n  task: regress\n  {data}\nregress: {{location: 1 + x, scale: 1 + z}}\n"
        self.write("input.yaml", task)
        self.assertIn(
            "5 regressions, 0 of them at the end of a range, 2 not converged or not possible",
            self.succeed("input.yaml").err,
        )
        found = self.results()
        labels = [label.decode() for label in found["results/label"]]
        self.assertEqual(sorted(labels[:3]) + labels[3:], ["one", "three", "two", "flat", "few"])
        np.testing.assert_array_equal(found["results/status"], [0, 0, 0, 6, 3])
        np.testing.assert_array_equal(
            found["results/count"], [np.count_nonzero(who == name) for name in labels[:3]] + [30, 1]
        )
        self.assertEqual(
            (found["results/estimate"].shape, found["results/covariance"].shape),
            ((5, 6), (5, 6, 6)),
        )
        np.testing.assert_array_equal(
            found["results/group"], [labels.index(row[3]) for row in rows]
        )
        for g, name in enumerate(labels[:3]):
            mine = np.array([row[3] == name for row in rows])
            value = found["results/estimate"][g]
            self.assertTrue(
                (
                    np.abs(value - [1, 0, 0, 3 if name == "one" else -1, -1, 0.5])
                    < 4 * found["results/se"][g]
                ).all(),
                name,
            )
            np.testing.assert_allclose(
                found["results/fitted"][mine],
                value[2] + value[3] * x[who == name],
                rtol=1e-12,
                atol=1e-12,
            )
            self.write(
                "one.csv",
                "y,x,z\n"
                + "".join(
                    f"{float(a)!r},{float(b)!r},{float(c)!r}\n"
                    for a, b, c, other in rows
                    if other == name
                ),
            )
            self.run_input(task.replace(data, "data: {file: one.csv, column: y}"))
            alone = self.results()
            for key in ("estimate", "covariance", "loglik"):
                np.testing.assert_array_equal(alone[f"results/{key}"], found[f"results/{key}"][g])
            for key in ("residual", "residual_cdf"):
                np.testing.assert_array_equal(
                    alone[f"results/{key}"], found[f"results/{key}"][mine]
                )
        self.assertTrue(np.isnan(found["results/estimate"][3:]).all())
        with h5py.File(self.path("r.h5"), "w") as file:
            for k, name in enumerate("yxz"):
                file[name] = [row[k] for row in rows]
            file["who"] = [row[3].encode() for row in rows]
        self.run_input(task.replace("r.csv", "r.h5"))
        np.testing.assert_array_equal(self.results()["results/estimate"], found["results/estimate"])
        self.write("r.csv", text + '1,,2,"one"\n')
        self.write("input.yaml", task)
        self.assert_mentions(
            self.call("input.yaml", "--validate"),
            INPUT,
            "r.csv:733",
            "leave such rows out with data.missing: drop",
        )
        self.run_input(task.replace("group_column: who", "group_column: who, missing: drop"))
        np.testing.assert_array_equal(self.results()["results/estimate"], found["results/estimate"])
        self.write("r.csv", text + "1,2,2,\n")
        self.write("input.yaml", task)
        self.assert_mentions(
            self.call("input.yaml", "--validate"), INPUT, "r.csv:733: no group in column 'who'"
        )
        self.write("input.yaml", task.replace("1 + z", "1 + who"))
        self.assert_mentions(
            self.call("input.yaml", "--validate"),
            INPUT,
            "input.yaml:4:48",
            "'who' is the same in all rows of a group",
        )

    def garch_series(self, n=400):
        """Normal innovations."""
        rng, r, e, s = np.random.default_rng(12), [], 0.0, 0.5
        for _ in range(n):
            s = 0.05 + 0.1 * abs(e) + 0.8 * s
            e = s * math.sqrt(2) * rng.standard_normal()
            r.append(0.1 + e)
        return np.array(r)

    def test_garch(self):
        r = self.garch_series()
        self.write(
            "r.csv", "day,r\n" + "".join(f"{i},{float(v)!r}\n" for i, v in enumerate(map(float, r)))
        )
        text = "app: stable\nproblem:\n  task: garch\n  data: {file: r.csv, column: r}\ngarch: {mean: constant, risk: [0.9, 0.95], backtest: {window: 200, step: 50}}\n"
        self.run_input(text)
        found = self.results()
        value = {
            name.decode(): found[f"results/{name.decode()}"][0] for name in found["results/names"]
        }
        error = found["results/se"][0]
        self.assertEqual((value["phi"], value["theta"], error[3], error[4]), (0, 0, 0, 0))
        for k, (name, truth) in enumerate((("c", 0.1), ("omega", 0.05), ("a", 0.1), ("b", 0.8))):
            self.assertLess(abs(value[name] - truth), 4 * error[(2, 5, 6, 7)[k]], name)
        np.testing.assert_allclose(np.diag(found["results/covariance"][0]), error**2, rtol=1e-12)
        location, scale = found["results/location"], found["results/scale"]
        np.testing.assert_allclose(location, value["c"], rtol=1e-12)
        np.testing.assert_allclose(
            scale[1:],
            value["omega"] + value["a"] * np.abs(r - location)[:-1] + value["b"] * scale[:-1],
            rtol=1e-4,
        )
        last = value["omega"] + value["a"] * abs(r[-1] - value["c"]) + value["b"] * scale[-1]
        self.assertAlmostEqual(found["results/next_scale"][0], last, 12)
        quantile = found["results/innovation_quantile"][0]
        np.testing.assert_allclose(
            found["results/next_value_at_risk"][0], -value["c"] - last * quantile, rtol=1e-12
        )
        self.assertTrue(
            (found["results/next_expected_shortfall"] > found["results/next_value_at_risk"]).all()
        )
        days, risk = found["results/backtest/value"], found["results/backtest/value_at_risk"]
        np.testing.assert_array_equal(days, r[200:])
        np.testing.assert_array_equal(found["results/backtest/row"], np.arange(200, 400))
        np.testing.assert_array_equal(
            found["results/backtest/exceedances"][0], (-days[:, None] > risk).sum(axis=0)
        )
        np.testing.assert_array_equal(found["results/backtest/days"], [[200, 200]])
        k, p = found["results/backtest/exceedances"][0], np.array([0.1, 0.05])
        ratio = 2 * (k * np.log(k / 200 / p) + (200 - k) * np.log((1 - k / 200) / (1 - p)))
        np.testing.assert_allclose(found["results/backtest/kupiec"][0], ratio, rtol=1e-9)
        self.assertAlmostEqual(
            found["results/backtest/p_value"][0, 0], math.erfc(math.sqrt(ratio[0] / 2)), 9
        )
        # A window's forecasts come from its values alone.
        self.write(
            "r.csv",
            "day,r\n" + "".join(f"{i},{float(v)!r}\n" for i, v in enumerate(map(float, r[:250]))),
        )
        self.run_input(text)
        np.testing.assert_array_equal(self.results()["results/backtest/value_at_risk"], risk[:50])

    def test_garch_of_series_with_gaps_and_of_short_ones(self):
        """One message, with place and remedy."""
        r = self.garch_series()
        text = "app: stable\nproblem: {task: garch, data: {file: r.csv, column: r}}\n"
        for rows, words in (
            (
                ["1,", *(f"{i},{x}" for i, x in enumerate(r[:300]))],
                ["r.csv:2:3: the value in column 'r' is missing", "data.missing: drop"],
            ),
            (
                [f"{i},{x}" for i, x in enumerate(r[:6])],
                ["cannot be fitted: fewer than 20 values", "at least 20 values"],
            ),
        ):
            self.write("r.csv", "date,r\n" + "\n".join(rows) + "\n")
            self.write("input.yaml", text)
            outcome = self.call("input.yaml", "--force", "--progress", "off")
            self.assertEqual(outcome.status, 3)
            for word in words:
                self.assertIn(word, outcome.err)
            for word in ("nan", "not stationary", "fewer than five"):
                self.assertNotIn(word, outcome.err)
        self.write(
            "r.csv",
            "date,r\n" + "\n".join(["1,", *(f"{i},{x}" for i, x in enumerate(r[:300]))]) + "\n",
        )
        self.write("input.yaml", text.replace("column: r", "column: r, missing: drop"))
        self.succeed("input.yaml", "-q", "--force")

    def test_garch_at_a_bound_is_warned_of(self):
        values = list(np.random.default_rng(4).normal(size=400).round(6))
        self.write("r.csv", column("r", values))
        self.write(
            "input.yaml",
            "app: stable\nproblem: {task: garch, data: {file: r.csv}}\ngarch: {mean: zero}\n",
        )
        outcome = self.succeed("input.yaml", "-q", "--force")
        self.assertEqual(arrays(self.path("input.h5"), ["results"])["results/status"][0], 1)
        self.assertIn("the likelihood is largest at the end of a range", outcome.err)

    def test_garch_of_many_series(self):
        r = self.garch_series(600)
        matrix = np.full((400, 4), np.nan)
        matrix[:, 0], matrix[:200, 1], matrix[:, 2], matrix[:9, 3] = r[:400], r[400:], 1, r[:9]
        np.save(self.path("matrix.npy"), matrix)
        self.write(
            "long.csv",
            "who,r\n"
            + "".join(
                f"{name},{float(v)!r}\n"
                for k, name in enumerate("abcd")
                for v in matrix[:, k]
                if np.isfinite(v)
            ),
        )
        text = "app: stable\nproblem:\n  task: garch\n  data: {file: matrix.npy, columns: [all]}\ngarch: {mean: constant, backtest: {window: 300, step: 100}}\n"
        self.run_input(text)
        found = self.results()
        np.testing.assert_array_equal(
            found["results/status"][1:], [found["results/status"][1], 5, 3]
        )
        self.assertLessEqual(found["results/status"][:2].max(), 1)
        np.testing.assert_array_equal(found["results/count"], [400, 200, 400, 9])
        np.testing.assert_array_equal(found["results/begin"], [0, 400, 600, 1000])
        np.testing.assert_array_equal(found["results/backtest/count"], [100, 0, 100, 0])
        np.testing.assert_array_equal(
            found["results/backtest/days"], [[100, 100], [0, 0], [0, 0], [0, 0]]
        )
        self.assertTrue(
            np.isnan(found["results/alpha"][2:]).all()
            and np.isnan(found["results/backtest/p_value"][1:]).all()
        )
        self.run_input(
            text.replace(
                "{file: matrix.npy, columns: [all]}",
                "{file: long.csv, column: r, group_column: who}",
            )
        )
        again = self.results()
        self.assertEqual([name.decode() for name in again["results/label"]], list("abcd"))
        for name in ("alpha", "loglik", "backtest/value_at_risk"):
            np.testing.assert_array_equal(again[f"results/{name}"], found[f"results/{name}"])

    def test_garch_of_simulated_series(self):
        text = "app: stable\nproblem: {task: garch, n: 500, alpha: 1.7}\ngarch: {mean: zero, fixed: [beta], simulate: {series: 4, omega: 0.2, a: 0.1, b: 0.7}}\n"
        self.write("input.yaml", text)
        err = self.succeed("input.yaml").err
        self.assertIn("fitting 4 simulated series of 500 values", err)
        self.assertIn(
            "4 fits, 0 of them at the end of a range, 0 with scales that are not stationary, 0 not converged",
            err,
        )
        found = self.results()
        self.assertEqual(list(found["results/beta"]), [0] * 4)
        self.assertTrue(
            (np.abs(found["results/alpha"] - 1.7) < 4 * found["results/se"][:, 0]).all()
        )
        self.assertEqual(len(set(found["results/loglik"])), 4)

    def test_censored_regression(self):
        rng = np.random.default_rng(9)
        x = rng.standard_normal(500)
        exact = 1 + 2 * x + 0.5 * rng.standard_cauchy(500)
        y = np.clip(exact, -2, 3)
        mark = np.where(exact > 3, 1, np.where(exact < -2, -1, 0))
        self.write(
            "r.csv",
            "y,x,how\n"
            + "".join(f"{float(a)!r},{float(b)!r},{c}\n" for a, b, c in zip(y, x, mark)),
        )
        text = "app: stable\nproblem:\n  task: regress\n  data: {file: r.csv, column: y, censored_column: how}\nregress: {location: 1 + x}\n"
        self.write("input.yaml", text)
        self.assertIn(
            f"{np.count_nonzero(mark)} of 500 rows censored", self.succeed("input.yaml").err
        )
        found = self.results()
        value, error = found["results/estimate"], found["results/se"]
        self.assertTrue(
            (np.abs(value - [1, 0, 1, 2, math.log(0.5)]) < 4 * error).all(), (value, error)
        )
        np.testing.assert_array_equal(found["results/censored"], mark)
        self.run_input(
            text.replace(", censored_column: how", "").replace(
                "1 + x}", "1 + x, lower_bound: -2, upper_bound: 3}"
            )
        )
        np.testing.assert_array_equal(self.results()["results/estimate"], value)
        # Bounds cut what lies beyond.
        self.write(
            "r.csv", "y,x\n" + "".join(f"{float(a)!r},{float(b)!r}\n" for a, b in zip(exact, x))
        )
        self.run_input(
            text.replace(", censored_column: how", "").replace(
                "1 + x}", "1 + x, lower_bound: -2, upper_bound: 3}"
            )
        )
        np.testing.assert_array_equal(self.results()["results/estimate"], value)

    def test_multivariate(self):
        law = "multivariate: {compute: %s, location: [1, -1], shape: [[1, 0.5], [0.5, 2]]}\n"
        self.run_input(
            "app: stable\nproblem: {task: multivariate, alpha: 1, n: 800}\n" + law % "sample"
        )
        points = self.results()["results/points"]
        self.assertEqual(points.shape, (800, 2))
        self.write(
            "points.csv",
            "a,b\n" + "".join(f"{float(x)!r},{float(y)!r}\n" for x, y in points.tolist()),
        )
        data = "app: stable\nproblem: {task: multivariate, alpha: 1, data: {file: points.csv}}\n"
        self.run_input(data + law % "evaluate")
        found = self.results()
        centred = points - [1, -1]
        square = np.einsum("ij,ij->i", centred @ np.linalg.inv([[1, 0.5], [0.5, 2]]), centred)
        exact = -np.log(2 * np.pi) - 1.5 * np.log1p(square) - 0.5 * np.log(1.75)
        np.testing.assert_allclose(found["results/logpdf"], exact, rtol=0, atol=1e-10)
        np.testing.assert_allclose(found["results/pdf"], np.exp(exact), rtol=1e-9)
        free = data.replace("alpha: 1, ", "")
        self.run_input(free + "multivariate: {compute: fit}\n")
        fit = self.results()
        self.assertGreaterEqual(fit["results/loglik"], exact.sum())
        self.assertLess(abs(fit["results/alpha"] - 1), 4 * fit["results/alpha_se"])
        self.assertTrue(
            (np.abs(fit["results/location"] - [1, -1]) < 4 * fit["results/location_se"]).all()
        )
        self.assertTrue(
            (
                np.abs(fit["results/shape"] - [[1, 0.5], [0.5, 2]]) < 4 * fit["results/shape_se"]
            ).all()
        )
        self.assertEqual([name.decode() for name in fit["results/coordinates"]], ["a", "b"])
        np.testing.assert_allclose(
            np.mean(fit["results/weight"][:, None] * (points - fit["results/location"]), axis=0),
            0,
            atol=1e-6,
        )
        self.assertLess(
            np.abs(
                np.sort(fit["results/whitened_cdf"], axis=0)
                - ((np.arange(800) + 0.5) / 800)[:, None]
            ).max(),
            1.6 / math.sqrt(800),
        )
        np.save(self.path("points.npy"), np.vstack([points, [np.nan, 1]]))
        self.run_input(free.replace("points.csv", "points.npy, missing: drop"))
        np.testing.assert_array_equal(self.results()["results/shape"], fit["results/shape"])
        self.run_input(
            data.replace("points.csv", "points.csv, columns: [b]")
            + "multivariate: {fixed_alpha: true}\n"
        )
        self.assertEqual(
            (self.results()["results/alpha"], self.results()["results/alpha_se"]), (1, 0)
        )
        self.assertEqual(self.results()["results/shape"].shape, (1, 1))

    def test_rounded_values(self):
        rng = np.random.default_rng(8)
        exact = rng.standard_cauchy(2000)
        self.write("ticks.csv", column("x", [float(v) for v in np.round(exact / 0.5) * 0.5]))
        text = "app: stable\nproblem:\n  task: fit\n  data: {file: ticks.csv}\nfit: {tick: 0.5, intervals: [wald, profile]}\n"
        self.run_input(text)
        found = self.results()
        self.assertLess(abs(found["results/sigma"] - 1), 4 * found["results/se"][2])
        self.assertLess(abs(found["results/alpha"] - 1), 4 * found["results/se"][0])
        self.assertEqual(len(found["results/data"]), 2000)
        self.assertTrue((np.diff(found["results/intervals/profile"]) > 0).all())

    def test_panel(self):
        rng = np.random.default_rng(3)
        series = {
            "one": 1 + rng.standard_cauchy(120),
            "two": 3 * rng.standard_cauchy(80),
            "flat": np.zeros(30),
            "few": np.array([1.0, 2]),
        }
        rows = [
            (f"2026-01-{i // 5 + 1:02d}T{i % 5}", name, x)
            for name, values in series.items()
            for i, x in enumerate(values)
        ]
        rows.sort(key=lambda row: row[0])
        self.write(
            "panel.csv",
            "when,name,x\n" + "".join(f'{when},"{name}",{float(x)!r}\n' for when, name, x in rows),
        )
        data = "data: {file: panel.csv, column: x, group_column: name, time_column: when}"
        self.run_input(f"app: stable\nproblem:\n  task: fit_many\n  {data}\n")
        found = self.results()
        labels = [label.decode() for label in found["results/label"]]
        self.assertEqual(labels, ["one", "two", "flat", "few"])
        np.testing.assert_array_equal(found["results/status"], [0, 0, 5, 3])
        np.testing.assert_array_equal(found["results/count"], [120, 80, 30, 2])
        matrix = np.full((120, 4), np.nan)
        for k, values in enumerate(series.values()):
            matrix[: len(values), k] = values
        np.save(self.path("matrix.npy"), matrix)
        with h5py.File(self.path("matrix.h5"), "w") as file:
            file["x"] = matrix
            file["long"] = [x for _, _, x in rows]
            file["name"] = [name for _, name, _ in rows]
            file["number"] = [labels.index(name) for _, name, _ in rows]
        np.savetxt(
            self.path("matrix.csv"),
            matrix,
            delimiter=",",
            fmt="%.17g",
            header="one,two,flat,few",
            comments="",
        )
        for other, names in (
            ("{file: matrix.npy, columns: [all]}", ["1", "2", "3", "4"]),
            ("{file: matrix.h5, dataset: x, columns: [all]}", ["1", "2", "3", "4"]),
            ("{file: matrix.csv, columns: [one, two, flat, few]}", labels),
            ("{file: matrix.h5, dataset: long, group_column: name}", labels),
            ("{file: matrix.h5, dataset: long, group_column: number}", ["0", "1", "2", "3"]),
        ):
            with self.subTest(other):
                self.run_input(f"app: stable\nproblem:\n  task: fit_many\n  data: {other}\n")
                again = self.results()
                self.assertEqual([label.decode() for label in again["results/label"]], names)
                np.testing.assert_array_equal(again["results/alpha"], found["results/alpha"])
        self.run_input(
            f"app: stable\nproblem:\n  task: fit_many\n  {data}\nfit: {{window: 50, step: 30}}\n"
        )
        found = self.results()
        np.testing.assert_array_equal(found["results/begin"], [0, 30, 60, 0, 30, 0, 0])
        np.testing.assert_array_equal(found["results/count"], [50, 50, 50, 50, 50, 0, 0])
        np.testing.assert_array_equal(found["results/status"] == 3, [False] * 5 + [True] * 2)

    def test_intervals(self):
        self.run_input(
            "app: stable\nproblem: {task: fit, n: 200, alpha: 1.6, beta: 0.2}\n"
            "fit: {intervals: [wald, profile, bootstrap], level: 0.9, quantiles: [0.05], risk: [0.95], refits: 39}\n"
        )
        found = self.results()
        names = [name.decode() for name in found["results/intervals/quantities"]]
        self.assertEqual(
            names, ["alpha", "beta", "sigma", "mu", "quantile 0.05", "VaR 0.95", "ES 0.95"]
        )
        estimate = found["results/intervals/estimate"]
        np.testing.assert_array_equal(
            estimate[:4], [found[f"results/{name}"] for name in names[:4]]
        )
        for kind in ("wald", "profile", "bootstrap"):
            ends = found[f"results/intervals/{kind}"]
            self.assertTrue((ends[:, 0] < ends[:, 1]).all())
            if kind != "bootstrap":
                self.assertTrue((ends[:, 0] < estimate).all() and (estimate < ends[:, 1]).all())
            # the quantile is minus the value at risk
            np.testing.assert_allclose(ends[4], -ends[5, ::-1], atol=2e-4)
        np.testing.assert_allclose(
            np.diag(found["results/covariance"]), found["results/se"] ** 2, rtol=1e-12
        )
        deviance = found["results/intervals/profile_deviance"]
        self.assertEqual(deviance.shape, found["results/intervals/profile_value"].shape)
        self.assertTrue((np.nanmin(deviance, axis=1) == 0).all())

    def test_intervals_at_the_end_of_a_range(self):
        self.write("data.csv", column("x", list(np.linspace(-1, 1, 100))))
        self.run_input(
            "app: stable\nproblem:\n  task: fit\n  data: {file: data.csv}\nfit: {intervals: [wald, profile], boundary_refits: 19}\n"
        )
        found = self.results()
        self.assertTrue(np.isnan(found["results/intervals/wald"][0]).all())
        self.assertEqual(found["results/intervals/profile"][0, 1], 2)
        self.assertLess(found["results/intervals/profile"][0, 0], 2)

    def test_coverage(self):
        self.run_input(
            "app: stable\nproblem: {task: bias_map, n: 100}\nmap: {alpha: [1.2, 1.5], beta: [0], repeats: 30, coverage: true}\n"
        )
        found = self.results()
        self.assertEqual(found["results/coverage"].shape, (2, 1, 2, 4))
        self.assertEqual(found["results/estimates"].shape, (2, 1, 30, 4))
        self.assertGreater(found["results/coverage"].min(), 0.7)
        self.assertLessEqual(found["results/intervals"].max(), 30)

    def test_tables_of_coverage(self):
        outcome = subprocess.run(
            [
                sys.executable,
                os.path.join(INPUTS, "coverage.py"),
                "--program",
                EXECUTABLE,
                "--values",
                "60",
                "--samples",
                "9",
                "--alpha",
                "0.5",
                "1",
                "--beta",
                "0.5",
            ],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        shares = arrays(self.path("coverage_60.h5"), ["results"])["results/coverage"]
        self.assertEqual(shares.shape, (2, 1, 2, 4))
        for k, alpha in enumerate(("0.5", "1")):
            row = next(
                line for line in outcome.stdout.splitlines() if line.startswith(f"| {alpha}, 0.5 |")
            )
            printed = [
                [float(share.rstrip("*")) for share in cell.split()] for cell in row.split("|")[2:4]
            ]
            np.testing.assert_allclose(printed, shares[k, 0], atol=5e-4)

    def test_maps_with_axes_of_scale_and_location(self):
        """Samples of a cell are those of its distribution, at the scale and location of the cell;
        fits are equivariant."""
        problem = "app: stable\nproblem: {task: bias_map, n: 200}\n"
        whole = "map: {alpha: [1.2, 1.6], beta: [0, 0.5], repeats: 3"
        self.run_input(problem + whole + ", sigma: [0.5, 2], mu: [-1, 0, 4]}\n")
        found = self.results()
        axes = self.results("coordinates")
        self.assertEqual(list(axes["coordinates/sigma"]), [0.5, 2])
        self.assertEqual(list(axes["coordinates/mu"]), [-1, 0, 4])
        estimates = found["results/estimates"]
        self.assertEqual(estimates.shape, (2, 2, 2, 3, 3, 4))
        self.assertEqual(found["results/bias"].shape, (2, 2, 2, 3, 4))
        self.assertEqual(found["results/failed"].shape, (2, 2, 2, 3))
        truth = np.empty((2, 2, 2, 3, 1, 4))
        truth[..., 0] = np.array([1.2, 1.6])[:, None, None, None, None]
        truth[..., 1] = np.array([0, 0.5])[None, :, None, None, None]
        truth[..., 2] = np.array([0.5, 2])[None, None, :, None, None]
        truth[..., 3] = np.array([-1, 0, 4])[None, None, None, :, None]
        np.testing.assert_allclose(
            found["results/bias"], (estimates - truth).mean(axis=4), rtol=1e-9, atol=1e-13
        )
        self.assertLess(np.abs(estimates[..., 2] / truth[..., 2] - 1).max(), 0.7)
        self.assertLess(np.abs((estimates - truth)[..., 3] / truth[..., 2]).max(), 1.5)
        self.run_input(problem + whole + ", mu: 0}\n")  # one axis is enough
        self.assertEqual(self.results()["results/bias"].shape, (2, 2, 1, 1, 4))
        one = self.results()["results/estimates"][:, :, 0, 0]
        self.run_input(problem + whole + "}\n")
        self.assertEqual(self.results()["results/estimates"].tobytes(), one.tobytes())

    def test_maps_are_in_the_parameterization_of_their_distributions(self):
        def fits(parameterization, alpha, mu):
            self.run_input(
                f"app: stable\nproblem: {{task: bias_map, n: 200, sigma: 2, mu: {mu!r}, parameterization: {parameterization}}}\n"
                f"map: {{alpha: [{alpha}], beta: [0.5], repeats: 5}}\n"
            )
            return self.results()

        for alpha in (0.7, 1.6):
            shift = 0.5 * 2 * math.tan(math.pi * alpha / 2)
            s1, s0 = fits("S1", alpha, 3.0), fits("S0", alpha, 3.0 + shift)  # the same distribution
            estimate, other = (found["results/estimates"][0, 0] for found in (s1, s0))
            np.testing.assert_allclose(estimate[:, :3], other[:, :3], rtol=1e-6, atol=1e-6)
            expected = other[:, 3] - other[:, 1] * other[:, 2] * np.tan(math.pi * other[:, 0] / 2)
            np.testing.assert_allclose(estimate[:, 3], expected, rtol=1e-5)
            np.testing.assert_allclose(
                s1["results/bias"][0, 0],
                (estimate - [alpha, 0.5, 2, 3]).mean(axis=0),
                rtol=1e-12,
                atol=1e-14,
            )
            np.testing.assert_allclose(
                s1["results/rmse"][0, 0],
                np.sqrt(((estimate - [alpha, 0.5, 2, 3]) ** 2).mean(axis=0)),
                rtol=1e-12,
            )
        self.write(
            "input.yaml",
            "app: stable\nproblem: {task: bias_map, parameterization: S1}\nfit: {fixed: [mu]}\n",
        )
        self.assert_mentions(
            self.call("input.yaml", "--validate"),
            INPUT,
            "input.yaml:2:45: error: parameters that are kept are in S0",
        )

    def test_comparison(self):
        self.run_input(
            "app: stable\nproblem: {task: fit, n: 300, alpha: 1.6, beta: 0.5}\nfit: {compare: true}\n"
        )
        found = self.results()
        self.assertEqual(
            [name.decode() for name in found["results/comparison/laws"]],
            ["normal", "cauchy", "symmetric"],
        )
        statistic = 2 * (found["results/loglik"] - found["results/comparison/loglik"])
        np.testing.assert_allclose(found["results/comparison/statistic"], statistic, rtol=1e-12)
        np.testing.assert_allclose(
            found["results/comparison/p_value"][:2], np.exp(-statistic[:2] / 2), rtol=1e-12
        )
        self.assertAlmostEqual(
            found["results/comparison/p_value"][2], math.erfc(math.sqrt(statistic[2] / 2)), 14
        )


class SameBits(StableTest):
    @needs_backend("openmp", SAMPLE)
    def test_threads(self):
        for name, shorter in STATISTICS.items():
            with self.subTest(name):
                for threads in (1, 2, 3):
                    self.succeed(
                        os.path.join(INPUTS, f"{name}.yaml"),
                        *shorter,
                        "-q",
                        "--backend",
                        "openmp",
                        "--output",
                        f"{name}{threads}.h5",
                        threads=threads,
                    )
                    self.assertRegex(
                        attribute(self.path(f"{name}{threads}.h5"), "device_name"),
                        rf", {threads} threads?$",
                    )
                self.assert_same_bits(f"{name}1.h5", f"{name}2.h5", ["results"], least=5)
                self.assert_same_bits(f"{name}1.h5", f"{name}3.h5", ["results"], least=5)


if __name__ == "__main__":
    run_cases.main()
