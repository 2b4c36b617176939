# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What is wrong with inputs and data of tessera-stable: cli_stable_refusals.py EXECUTABLE"""

import re

import h5py
import numpy as np

import run_cases
from cli_stable_support import StableTest, cauchy, column
from cli_support import FILES, INPUT

EVALUATE = """\
app: stable
problem:
  task: evaluate
  alpha: 1
  beta: 0
  x: [-2, 0, 3]
  scores: true
"""


class Refusals(StableTest):
    def assert_rejected(self, text, *messages):
        self.write("input.yaml", text)
        expected = "".join(
            "input.yaml:" + message.replace(": ", ": error: ", 1) + "\n" for message in messages
        )
        self.assert_says(INPUT, expected, "input.yaml", "--validate")

    def test_parameters(self):
        self.assert_rejected(
            EVALUATE.replace("alpha: 1", "alpha: 0"),
            "4:10: 'problem.alpha' is 0, but must be between 0.1 and 2",
        )
        self.assert_rejected(
            EVALUATE.replace("alpha: 1", "alpha: 2.5"),
            "4:10: 'problem.alpha' is 2.5, but must be between 0.1 and 2",
        )
        self.assert_rejected(
            EVALUATE.replace("beta: 0", "beta: -1.5"),
            "5:9: 'problem.beta' is -1.5, but must be between -1 and 1",
        )
        self.assert_rejected(
            EVALUATE.replace("  x:", "  sigma: 0\n  x:"),
            "6:10: 'problem.sigma' is 0, but must be greater than 0",
        )
        self.assert_rejected(
            "app: stable\nproblem:\n  task: evaluat\n",
            "3:9: 'problem.task' is 'evaluat', but must be one of evaluate, quantile, sample, fit, fit_many, bias_map, precision, speed, regress, garch, multivariate "
            "(did you mean 'evaluate'?)",
        )

    def test_methods(self):
        self.assert_rejected(
            EVALUATE.replace("  x:", "  method: papr\n  x:"),
            "6:11: 'problem.method' is 'papr', but must be one of contour, paper (did you mean 'paper'?)",
        )
        self.assert_rejected(
            EVALUATE.replace("  x:", "  method: paper\n  x:"),
            "8:11: the method 'paper' gives no scores",
        )
        self.assert_rejected(
            "app: stable\nproblem: {task: speed}\nspeed: {methods: [table]}\n",
            "3:18: a table is of one distribution; it needs 'laws: one'",
        )

    def test_the_papers_method(self):
        paper = "app: stable\nproblem: {task: evaluate, method: paper}\n"
        self.assert_rejected(
            paper + "paper: {nodes: 100}\n", "3:16: there are rules of 61 and of 127 nodes"
        )
        self.assert_rejected(
            paper + "paper: {intervals: 65}\n",
            "3:20: 'paper.intervals' is 65, but must be between 1 and 64",
        )
        self.assert_rejected(
            paper + "paper: {integrand: 1}\n", "3:20: take 0, or both ends: 2 places or more"
        )
        belongs = "it belongs to the paper's method (problem.method: paper)"
        self.assert_rejected(
            "app: stable\nproblem: {task: evaluate}\npaper: {nodes: 61, integrand: 9}\n",
            f"3:16: 'paper.nodes' has no use here: {belongs}",
            f"3:31: 'paper.integrand' has no use here: {belongs}",
        )
        newton = "it belongs to the paper's iteration (problem.method: newton)"
        for task, method in (("quantile", "contour"), ("precision", "paper")):
            self.assert_rejected(
                f"app: stable\nproblem: {{task: {task}, method: {method}}}\npaper: {{tolerance: 1e-3}}\n",
                f"3:20: 'paper.tolerance' has no use here: {newton}",
            )
        self.assert_rejected(
            "app: stable\nproblem: {task: quantile, method: newton, direct: true}\n",
            "2:51: the method 'newton' has no contour integrals",
        )
        speed = "app: stable\nproblem: {task: speed}\n"
        self.assert_rejected(
            speed + "speed: {methods: [contour]}\npaper: {nodes: 61}\n",
            "4:16: 'paper.nodes' has no use here: the paper's method is not timed (speed.methods: [paper])",
        )
        self.assert_rejected(
            speed + "speed: {functions: [pdf]}\npaper: {tolerance: 1e-3}\n",
            "4:20: 'paper.tolerance' has no use here: quantiles are not timed (speed.functions: [quantile])",
        )

    def test_maps(self):
        self.assert_rejected(
            "app: stable\nproblem: {task: speed}\nmap: {beta: [0]}\n",
            "3:13: 'map.beta' has no use here: it belongs to maps of speed (speed.laws: map)",
        )
        self.assert_rejected(
            "app: stable\nproblem: {task: speed, alpha: 1.2}\nspeed: {laws: map}\n",
            "2:31: 'problem.alpha' has no use here: the distributions are those of 'map'",
        )
        self.assert_rejected(
            "app: stable\nproblem: {task: bias_map, sigma: 2, mu: 1}\nmap: {sigma: [1, 2], mu: 0.5}\n",
            "2:34: 'problem.sigma' has no use here: map.sigma has the scales",
            "2:41: 'problem.mu' has no use here: map.mu has the locations",
        )
        self.assert_rejected(
            "app: stable\nproblem: {task: bias_map}\nmap: {sigma: [0]}\n",
            "3:15: 'map.sigma[0]' is 0, but must be between 1.0e-300 and 1.0e+300",
        )

    def test_tests_of_a_fit(self):
        fit = "app: stable\nproblem: {task: fit}\n"
        self.assert_rejected(
            fit + "goodness: {statistics: [chi2]}\n",
            "3:25: 'goodness.statistics[0]' is 'chi2', but must be one of ad, ks, cvm",
        )
        self.assert_rejected(
            fit + "goodness: {statistics: [ad], refits: 0}\n",
            "3:38: 'goodness.refits' is 0, but must be between 1 and 1.0e+08",
        )
        self.assert_rejected(
            fit + "fit: {method: mcculloch}\ngoodness: {statistics: [ad]}\n",
            "4:24: these tests are for fits by maximum likelihood (fit.method: ml)",
        )
        self.assert_rejected(
            fit + "fit: {fixed: [beta]}\ngoodness: {against: [symmetric]}\n",
            "4:21: the fit has alpha or beta fixed (fit.fixed)",
        )
        self.assert_rejected(
            fit + "fit: {fixed: [alpha], compare: true}\n",
            "3:32: the fit has alpha or beta fixed ('fixed')",
        )
        self.write("w.csv", "x,w\n" + "".join(f"{float(x)!r},1\n" for x in cauchy(20)))
        self.assert_rejected(
            "app: stable\nproblem: {task: fit, data: {file: w.csv, column: x, weight_column: w}}\ngoodness: {statistics: [ad]}\n",
            "3:24: these tests are for samples without weights",
        )

    def test_regressions_with_faults(self):
        def text(formula, column="y"):
            return f"app: stable\nproblem:\n  task: regress\n  data: {{file: r.csv, column: {column}}}\nregress: {{{formula}}}\n"

        rows = "".join(f"{float(x)!r},{i},{2 * i + 1}\n" for i, x in enumerate(cauchy(40)))
        self.write("r.csv", "y,a,b\n" + rows)
        for formula, column, message in (
            (
                "location: 1 + a + b",
                "y",
                "input.yaml:4:16: error: stable: 'b' is collinear with '1', 'a' in rows 1 to 40",
            ),
            ("location: 1 + c", "y", "there is no column 'c'; present: y, a, b"),
            (
                "location: 1 + + a",
                "y",
                "input.yaml:5:21: error: a term is empty; write terms with + between them",
            ),
            ("location: a + a", "y", "the term 'a' stands twice"),
            ("location: 1, scale: a", "y", "begin with the constant: 1 + ..."),
            ("location: 1 + a", "a", "'a' is the response and cannot explain itself"),
            (
                "location: 1, lower_bound: 2, upper_bound: 1",
                "y",
                "the upper bound must be greater than the lower one",
            ),
            ("location: 1 + a, upper_bound: -100", "y", "0 exact rows for 3 columns"),
            (
                "location: 1",
                "y, censored_column: a",
                "r.csv: row 3 has 2, but rows are marked with 0 (exact), 1 (at least) or -1 (at most)",
            ),
            (
                "location: 1 + a, fixed: [sigma]",
                "y",
                "'regress.fixed[0]' is 'sigma', but must be one of alpha, beta",
            ),
        ):
            with self.subTest(message):
                self.write("input.yaml", text(formula, column))
                self.assert_mentions(self.call("input.yaml", "--validate"), INPUT, message)
        self.write("r.csv", "y,a,b\n" + rows + "1,inf,1\n")
        self.write("input.yaml", text("location: 1 + a"))
        self.assert_mentions(
            self.call("input.yaml", "--validate"),
            INPUT,
            "r.csv:42:3: 'inf' in column 'a' is not a finite number",
        )
        self.write("r.csv", "y,a,b\n" + "".join(f"{3 + 2 * i},{i},1\n" for i in range(40)))
        self.assert_mentions(
            self.call("input.yaml", "-q"),
            INPUT,
            "r.csv: nothing is left of 'y' when the regressors are taken off",
        )
        self.write("r.csv", "y,a,b\n1,2,3\n2,3,4\n")
        self.assert_mentions(self.call("input.yaml", "--validate"), INPUT, "2 rows for 3 columns")

    def test_garch_with_faults(self):
        simulated = "app: stable\nproblem: {task: garch}\n"
        self.assert_rejected(
            simulated + "garch: {mean: armax}\n",
            "3:15: 'garch.mean' is 'armax', but must be one of arma, ar, ma, constant, zero (did you mean 'arma'?)",
        )
        self.assert_rejected(
            simulated + "garch: {backtest: {window: 10}}\n", "3:28: a window has at least 50 values"
        )
        self.assert_rejected(
            simulated + "garch: {risk: [1]}\n",
            "3:16: 'garch.risk[0]' is 1, but must be between 0.5 and 0.999999999",
        )
        self.assert_rejected(
            simulated + "garch: {simulate: {omega: 0}}\n",
            "3:27: 'garch.simulate.omega' is 0, but must be greater than 0",
        )
        self.assert_rejected(
            "app: stable\nproblem: {task: garch, parameterization: S1}\n",
            "2:42: innovations are in S0",
        )
        self.write("x.csv", column("x", cauchy(60)))
        data = "app: stable\nproblem: {task: garch, data: {file: x.csv}}\n"
        self.assert_rejected(
            data + "garch: {simulate: {a: 0.1}}\n", "3:23: the series are those of problem.data"
        )
        for values, message in (
            (cauchy(10), "x.csv cannot be fitted: fewer than 20 values"),
            ([1.0] * 50, "more than half of the values are the same"),
            ([*cauchy(50), float("nan")], "x.csv:52:1: the value in column 'x' is missing"),
        ):
            with self.subTest(message):
                self.write("x.csv", column("x", values))
                self.write("input.yaml", data)
                self.assert_mentions(self.call("input.yaml", "-q", "--force"), INPUT, message)

    def test_multivariate_with_faults(self):
        task = "app: stable\nproblem: {task: multivariate}\n"
        self.assert_rejected(
            task + "multivariate: {compute: evaluate}\n",
            "3:25: densities are those at the points of problem.data",
        )
        self.assert_rejected(
            "app: stable\nproblem: {task: multivariate, beta: 0.5}\n",
            "2:37: 'problem.beta' has no use here: elliptical laws are symmetric",
        )
        points = "a,b,c\n" + "".join(
            f"{float(x)!r},{float(y)!r},{float(2 * x)!r}\n"
            for x, y in zip(cauchy(40), cauchy(40)[7:] + cauchy(40)[:7])
        )
        for content, extra, message in (
            (points, "columns: [a, d]", "there is no column 'd'; present: a, b, c"),
            (
                points + "1,,3\n",
                "columns: [a, b]",
                "row 41 of column 'b' is missing or no finite number",
            ),
            (points, "columns: []", "name the coordinates, or say [all]"),
        ):
            with self.subTest(message):
                self.write("p.csv", content)
                self.write(
                    "input.yaml",
                    f"app: stable\nproblem:\n  task: multivariate\n  data: {{file: p.csv, {extra}}}\n",
                )
                self.assert_mentions(self.call("input.yaml", "--validate"), INPUT, message)
        self.write("p.csv", points)
        self.write(
            "input.yaml", "app: stable\nproblem:\n  task: multivariate\n  data: {file: p.csv}\n"
        )
        self.assert_mentions(
            self.call("input.yaml", "-q"), INPUT, "p.csv", "the points lie in a plane"
        )
        self.assert_mentions(
            self.call("input.yaml", "--validate", "problem.alpha=0.1"),
            INPUT,
            "alpha of elliptical laws is at least 0.2 (problem.alpha)",
        )
        self.assert_mentions(
            self.call("input.yaml", "--validate", "multivariate.compute=evaluate"),
            INPUT,
            "the law has 2 dimensions and the data have 3",
        )
        self.assert_mentions(
            self.call("input.yaml", "--validate", "multivariate.compute=sample"),
            INPUT,
            "random vectors have no data",
        )
        self.write(
            "input.yaml", task + "multivariate: {compute: sample, shape: [[1, 2], [2, 1]]}\n"
        )
        self.assert_mentions(
            self.call("input.yaml", "--validate"), INPUT, "input.yaml:3:40", "not positive definite"
        )

    def test_keys_that_do_nothing(self):
        self.write("x.csv", column("x", cauchy(60)))
        self.write(
            "r.csv", "y,x\n" + "".join(f"{float(v)!r},{i}\n" for i, v in enumerate(cauchy(60)))
        )
        whole = "{alpha: 1.2, beta: 0, sigma: 2, mu: 1, "
        fitted, shape, place = (
            "it is fitted to the data; 'fixed' keeps it at a value",
            ("alpha", "beta"),
            ("sigma", "mu"),
        )
        drawn = "the distributions are those of 'map'"
        cases = (  # problem, the rest, {key of problem: why}, messages for the rest
            (
                "garch",
                "n: 100}",
                "",
                {
                    "sigma": "the scale is that of the process (garch.simulate: omega, a, b)",
                    "mu": "the location is that of the process (garch.simulate: c, phi, theta)",
                },
                (),
            ),
            (
                "fit",
                "n: 9, data: {file: x.csv}}",
                "fit: {fixed: [mu]}",
                {
                    **dict.fromkeys((*shape, "sigma"), fitted),
                    "n": "the values are those of problem.data",
                },
                (),
            ),
            (
                "fit_many",
                "data: {file: x.csv, columns: [x]}}",
                "fit: {step: 5}",
                dict.fromkeys((*shape, *place), fitted),
                (
                    "3:13: 'fit.step' has no use here: whole series are fitted unless fit.window is given",
                ),
            ),
            (
                "bias_map",
                "n: 100}",
                "map: {alpha: [1.5], beta: [0]}",
                dict.fromkeys(shape, drawn),
                (),
            ),
            (
                "precision",
                "}",
                "map: {alpha: [1.5], beta: [0]}",
                dict.fromkeys((*shape, *place), "the distributions are the standard ones of 'map'"),
                (),
            ),
            (
                "speed",
                "}",
                "",
                {
                    **dict.fromkeys(shape, "distributions are drawn at random (speed.laws: one)"),
                    **dict.fromkeys(place, "standard distributions are evaluated"),
                },
                (),
            ),
            (
                "regress",
                "data: {file: r.csv, column: y}}",
                "regress: {location: 1 + x, fixed: [beta]}",
                {
                    "alpha": "it is fitted to the data; regress.fixed keeps it at a value",
                    **dict.fromkeys(
                        place,
                        "location and scale are those of the formulas regress.location and regress.scale",
                    ),
                },
                (),
            ),
            (
                "evaluate",
                "x: [1], laws: [[1, 0]]}",
                "",
                dict.fromkeys(shape, "problem.laws has a row [alpha, beta] for each distribution"),
                (),
            ),
            (
                "multivariate",
                "n: 100}",
                "",
                {
                    "beta": "elliptical laws are symmetric",
                    **dict.fromkeys(
                        place, "multivariate.shape and multivariate.location are in their place"
                    ),
                },
                (),
            ),
            (
                "fit",
                "n: 100}",
                "fit: {level: 0.9, refits: 99}\ngoodness: {refits: 9}",
                {},
                (
                    "3:14: 'fit.level' has no use here: it belongs to intervals (fit.intervals)",
                    "3:27: 'fit.refits' has no use here: it belongs to intervals (fit.intervals)",
                    "4:20: 'goodness.refits' has no use here: it belongs to tests (goodness.statistics, goodness.against)",
                ),
            ),
        )
        for task, own, rest, unused, messages in cases:
            with self.subTest(task=task, rest=rest):
                problem = f"problem: {whole}task: {task}, {own}"
                text = f"app: stable\n{problem}\n{rest}\n"
                first = problem.index
                expected = [
                    f"2:{first(f'{key}: ') + len(key) + 3}: 'problem.{key}' has no use here: {why}"
                    for key, why in unused.items()
                ]
                self.write("input.yaml", text)
                lines = self.call("input.yaml", "--validate")
                self.assertEqual(lines.status, INPUT)
                said = [
                    line.replace("input.yaml:", "", 1).replace(": error: ", ": ", 1)
                    for line in lines.err.splitlines()
                ]
                self.assertEqual(sorted(said), sorted([*expected, *messages]))
                for key in unused:  # without them there is nothing to complain about
                    text = re.sub(rf"\b{key}: [^,]*, ", "", text, count=1)
                if not messages:
                    self.write("input.yaml", text)
                    self.succeed("input.yaml", "--validate")
        self.assert_rejected(
            "app: stable\nproblem: {task: fit, data: {weight_column: x}}\n",
            "2:44: 'problem.data.weight_column' has no use here: no file is named (data.file)",
        )
        self.assert_rejected(
            "app: stable\nproblem: {task: fit, parameterization: S1, data: {file: x.csv}}\n",
            "2:40: fits of data and parameters that are kept are in S0",
        )

    def test_ticks_with_faults(self):
        self.write("x.csv", column("x", [0.5, 1.0, 1.25, 2, 3, -1]))
        for fit, message in (
            (
                "tick: 0.5",
                "5:13: error: stable: value 3 is 1.250000, no multiple of the tick 0.500000",
            ),
            ("tick: 0.25, method: mcculloch", "cells are for fits by maximum likelihood"),
            ("tick: 0.25, intervals: [bootstrap]", "bootstrap intervals are for exact values"),
            (
                "tick: 0.25}\ngoodness: {statistics: [ad]",
                "these tests are for exact values (fit.tick)",
            ),
        ):
            with self.subTest(message):
                self.write(
                    "input.yaml",
                    f"app: stable\nproblem:\n  task: fit\n  data: {{file: x.csv}}\nfit: {{{fit}}}\n",
                )
                self.assert_mentions(self.call("input.yaml", "--validate"), INPUT, message)
        self.write("input.yaml", "app: stable\nproblem: {task: fit}\nfit: {tick: 0.25}\n")
        self.assert_mentions(
            self.call("input.yaml", "--validate"), INPUT, "a tick is for data: give problem.data"
        )

    def test_panels_with_faults(self):
        good = "when,name,x\n1,a,0.5\n2,a,0.25\n1,b,0.5\n"
        for content, extra, message in (
            (
                good + "2,a,1\n",
                "",
                "panel.csv:5: '2' in column 'when' does not come after '2' of the same group 'a'",
            ),
            (
                "when,name,x\n2026-01-02,a,0.5\n2026-01-01,a,1\n",
                "",
                "panel.csv:3: '2026-01-01' in column 'when' does not come after",
            ),
            (good + "3,a,inf\n", "", "panel.csv:5:5: 'inf' in column 'x' is not a finite number"),
            (good + "3,,1\n", "", "panel.csv:5: no group in column 'name'"),
            (
                good + "3,NA,1\n",
                "",
                "panel.csv:5: no group in column 'name': 'NA' marks a missing one",
            ),
            (
                "when,name,x\n01/01/2020,a,0.5\n01/02/2019,a,1\n",
                "",
                "panel.csv:2: the time '01/01/2020' in column 'when' does not tell",
            ),
            (
                good.replace("name", "nme"),
                "",
                "there is no column 'name'; present: when, nme, x (did you mean 'nme'?)",
            ),
            (good, ", columns: [all]", "give either 'group_column' or 'columns'"),
        ):
            with self.subTest(message):
                self.write("panel.csv", content)
                self.write(
                    "input.yaml",
                    "app: stable\nproblem:\n  task: fit_many\n"
                    f"  data: {{file: panel.csv, column: x, group_column: name, time_column: when{extra}}}\n",
                )
                self.assert_mentions(self.call("input.yaml", "--validate"), INPUT, message)
        np.save(self.path("a.npy"), np.array([[1, 2], [3, np.inf]]))
        self.write(
            "input.yaml",
            "app: stable\nproblem:\n  task: fit_many\n  data: {file: a.npy, columns: [all]}\n",
        )
        self.assert_mentions(
            self.call("input.yaml", "--validate"), INPUT, "a.npy: row 2 of column '2' is infinite"
        )
        self.write(
            "input.yaml",
            "app: stable\nproblem:\n  task: fit_many\n  data: {file: a.npy, columns: ['3']}\n",
        )
        self.assert_mentions(
            self.call("input.yaml", "--validate"),
            INPUT,
            "there is no column '3'; the array has 2, counted from 1",
        )
        self.write(
            "input.yaml",
            "app: stable\nproblem:\n  task: fit_many\n  data: {file: panel.csv, column: x, time_column: when}\n",
        )
        self.assert_mentions(
            self.call("input.yaml", "--validate"), INPUT, "'time_column' belongs to 'group_column'"
        )

    def test_intervals_of_what_has_none(self):
        fit = "app: stable\nproblem: {task: fit}\n"
        self.assert_rejected(
            fit + "fit: {quantiles: [0.01]}\n",
            "3:18: these come with intervals: add intervals: [wald]",
        )
        self.assert_rejected(
            fit + "fit: {intervals: [wald], quantiles: [1]}\n",
            "3:38: 'fit.quantiles[0]' is 1, but must be between 1.0e-09 and 0.999999999",
        )
        self.assert_rejected(
            fit + "fit: {intervals: [wald], standard_errors: false}\n",
            "3:18: Wald intervals need standard_errors",
        )
        self.assert_rejected(
            fit + "fit: {intervals: [wald], fixed: [mu], risk: [0.99]}\n",
            "3:33: quantiles and risks have intervals only where mu is fitted",
        )
        self.assert_rejected(
            fit + "fit: {intervals: [wald], method: mcculloch}\n",
            "3:18: intervals are for fits by maximum likelihood (fit.method: ml)",
        )
        self.assert_rejected(
            "app: stable\nproblem: {task: bias_map}\nfit: {fixed: [beta]}\nmap: {coverage: true}\n",
            "4:17: intervals in maps are for fits of all four parameters",
        )

    def test_probabilities(self):
        self.assert_rejected(
            "app: stable\nproblem:\n  task: quantile\n  p: [0.5, 1]\n",
            "4:6: a probability must be greater than 0 and less than 1",
        )

    def fit_of(self, name, content, extra=""):
        self.write(name, content)
        self.write(
            "input.yaml",
            "app: stable\nproblem:\n  task: fit\n  data: {file: " + name + extra + "}\n",
        )
        return self.call("input.yaml", "-q", "--force")

    def test_data(self):
        self.assert_mentions(
            self.fit_of("data.csv", column("x", [1.0, 2, 3, 4])),
            INPUT,
            "data.csv cannot be fitted: fewer than five values",
        )
        self.assert_mentions(
            self.fit_of("data.csv", column("x", [2.5] * 50)),
            INPUT,
            "more than half of the values are the same",
        )
        self.assert_mentions(
            self.fit_of("data.csv", column("x", cauchy(50)) + "nan\n"), INPUT, "data.csv:52:1"
        )
        self.assert_mentions(
            self.fit_of("data.csv", column("x", cauchy(50)), ", column: y"), INPUT, "'y'"
        )
        self.assert_mentions(self.fit_of("data.csv", "x\n"), INPUT, "data.csv")
        self.write(
            "input.yaml", "app: stable\nproblem:\n  task: fit\n  data: {file: missing.csv}\n"
        )
        self.assertIn(self.call("input.yaml", "-q").status, (INPUT, FILES))

    def test_a_first_column_that_counts_the_rows_is_not_the_sample(self):
        """As R and pandas write their tables; the column that is taken is named."""
        values = cauchy(60)
        for header, first in (
            ("rownames,r", 1),
            (",r", 0),
            ("Unnamed: 0,r", 0),
            ("n,r", 1),
            ("index,r", 17),
        ):
            with self.subTest(header):
                outcome = self.fit_of(
                    "data.csv",
                    header
                    + "\n"
                    + "".join(f"{first + i},{float(x)!r}\n" for i, x in enumerate(values)),
                )
                self.assertEqual(outcome.status, 0, outcome.err)
                if header[0] != ",":  # an unnamed column is the index of its table
                    self.assertIn("the values are those of column 'r'", outcome.err)
                self.assertLess(abs(self.results()["results/mu"]), 0.5)
        outcome = self.fit_of(
            "data.csv", "r,n\n" + "".join(f"{float(x)!r},{i + 1}\n" for i, x in enumerate(values))
        )
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertNotIn("counts the rows", outcome.err)
        outcome = self.fit_of(
            "data.csv",
            "id,r\n" + "".join(f"{3 * i + 5},{float(x)!r}\n" for i, x in enumerate(values)),
        )
        self.assertIn(
            "the values are those of column 'id' of 'id', 'r'; they ascend as numbers of rows do. Name a column by data.column",
            outcome.err,
        )

    def test_a_first_column_that_counts_the_rows_is_no_coordinate_and_no_series(self):
        """Of all columns of a file, as in the task fit; where columns are named they are taken as
        they are."""
        x, y = np.random.default_rng(8).standard_cauchy((2, 80))
        expected = None
        for header, numbers in (
            ("x,y", None),
            (",x,y", range(80)),
            ("Unnamed: 0,x,y", range(80)),
            ("rownames,x,y", range(1, 81)),
            ("n,x,y", range(1, 81)),
            ("index,x,y", range(17, 97)),
            ("id,x,y", range(5, 245, 3)),
        ):
            with self.subTest(header):
                rows = [",".join(map(repr, row)) for row in zip(map(float, x), map(float, y))]
                self.write(
                    "p.csv",
                    header
                    + "\n"
                    + "".join(
                        (f"{numbers[i]}," if numbers else "") + row + "\n"
                        for i, row in enumerate(rows)
                    ),
                )
                name = header.split(",")[0]
                self.write(
                    "input.yaml",
                    "app: stable\nproblem: {task: multivariate, data: {file: p.csv}}\n",
                )
                taken = [b"x", b"y"]
                if name == "id":
                    self.assertIn(
                        "the first column, 'id', ascends as numbers of rows do, and is taken with the others",
                        self.call("input.yaml", "-q", "--force").err,
                    )
                    taken = [b"id", b"x", b"y"]
                else:
                    outcome = self.succeed("input.yaml", "-q", "--force")
                    if name not in ("", "x"):
                        self.assertIn(
                            f"the first column, '{name}', counts the rows and is left out. Name the columns by data.columns",
                            outcome.err,
                        )
                        with h5py.File(self.path("input.h5")) as file:
                            self.assertIn("counts the rows", file["warnings"][0].decode())
                    found = self.results()
                    self.assertEqual(list(found["results/coordinates"]), taken)
                    expected = found["results/location"] if expected is None else expected
                    np.testing.assert_array_equal(found["results/location"], expected)
                self.write(
                    "input.yaml",
                    "app: stable\nproblem: {task: fit_many, data: {file: p.csv, columns: [all]}}\n",
                )
                self.call("input.yaml", "-q", "--force")
                self.assertEqual(list(self.results()["results/label"]), taken)
        # The column 'index' of this file is that of a market.
        self.write(
            "p.csv", "index,x\n" + "".join(f"{float(a)!r},{float(b)!r}\n" for a, b in zip(x, y))
        )
        self.write(
            "input.yaml",
            "app: stable\nproblem: {task: fit_many, data: {file: p.csv, columns: [all]}}\n",
        )
        self.assertNotIn("warning", self.succeed("input.yaml", "-q", "--force").err)
        self.assertEqual(list(self.results()["results/label"]), [b"index", b"x"])
        self.write("p.csv", "id,x\n" + "".join(f"{3 * i},{float(b)!r}\n" for i, b in enumerate(x)))
        self.write(
            "input.yaml",
            "app: stable\nproblem: {task: fit_many, data: {file: p.csv, columns: [id, x]}}\n",
        )
        self.assertNotIn("ascends", self.call("input.yaml", "-q", "--force").err)
        self.assertEqual(list(self.results()["results/label"]), [b"id", b"x"])

    def test_all_bits_of_a_seed_count(self):
        self.write("input.yaml", "app: stable\nproblem: {task: sample, n: 3}\n")
        seen = set()
        for seed in [1] + [1 ^ (1 << bit) for bit in (1, 31, 32, 47, 48, 55, 63)]:
            self.succeed("input.yaml", "-q", "--force", "--seed", str(seed))
            seen.add(tuple(self.results()["results/x"]))
        self.assertEqual(len(seen), 8)

    def test_light_tails_of_many_points(self):
        """The normal distribution: tables give what single points give, also where no number is
        left of a tail."""
        for task in ("linspace: [-60, 60, 4001]", "linspace: [-1000, 1000, 4001]"):
            self.run_input(
                "app: stable\nproblem: {task: evaluate, alpha: 2, beta: 0, x: {" + task + "}}\n"
            )
            found = self.results()
            x = found["results/x"]
            exact = -x * x / 4 - np.log(2 * np.sqrt(np.pi))
            np.testing.assert_allclose(found["results/logpdf"], exact, rtol=3e-11)
            for name in ("cdf", "sf"):
                self.assertTrue(
                    ((found["results/" + name] >= 0) & (found["results/" + name] <= 1)).all()
                )
            np.testing.assert_array_equal(np.diff(found["results/logcdf"]) >= 0, True)
            np.testing.assert_allclose(
                found["results/logcdf"][:1500], found["results/logsf"][::-1][:1500], rtol=1e-12
            )
            far = np.abs(x) > 50
            bound = -np.log(np.abs(x[far]) / 2)  # Mills' ratio: sf < pdf / (|x|/2)
            np.testing.assert_array_less(
                np.minimum(found["results/logcdf"], found["results/logsf"])[far], exact[far] + bound
            )
            np.testing.assert_allclose(
                np.minimum(found["results/logcdf"], found["results/logsf"])[far],
                exact[far] + bound,
                atol=1e-3,
            )

    def test_one_sided_distributions_in_s2(self):
        self.run_input(
            "app: stable\nproblem: {task: evaluate, alpha: 0.5, beta: 1, parameterization: S2, x: [-0.1, 0, 0.1, 1]}\n"
        )
        # scipy.stats.levy
        self.assertAlmostEqual(self.results()["results/pdf"][1], 0.11563524735282696, delta=1e-11)

    def test_errors_that_were_not_found_are_not_printed(self):
        self.write(
            "data.csv", column("x", list(np.random.default_rng(0).standard_t(3, 300).round(6)))
        )
        for method, errors in (
            ("ml", False),
            ("koutrouvelis", True),
            ("grid", True),
            ("mcculloch", True),
        ):
            with self.subTest(method):
                self.write(
                    "input.yaml",
                    "app: stable\nproblem: {task: fit, data: {file: data.csv}}\nfit: {method: "
                    + method
                    + "}\n",
                )
                outcome = self.succeed("input.yaml", "--force", "--progress", "off")
                self.assertEqual(outcome.err.count("(no error)"), 4 if errors else 0)
                self.assertEqual(np.isnan(self.results()["results/se"]).all(), errors)

    def test_fits_that_failed_are_warned_of(self):
        values = cauchy(40)
        np.random.default_rng(1).shuffle(values)
        values[25:40] = [1.0] * 15
        self.write("data.csv", column("x", values))
        self.write(
            "input.yaml",
            "app: stable\nproblem: {task: fit_many, data: {file: data.csv}}\nfit: {window: 10, step: 10}\n",
        )
        self.assertIn("of 4 fits failed", self.succeed("input.yaml", "-q", "--force").err)

    def test_data_is_read_with_the_input(self):
        """--validate finds what is wrong in the file."""
        for task, name, content, message in (
            (
                "quantile",
                "p.csv",
                column("p", [0.5, 1.5]),
                "value 2 is 1.500000, but a probability is between 0 and 1",
            ),
            (
                "evaluate",
                "x.csv",
                "x,a,b\n1,1.5,0\n2,2.5,0\n",
                "row 2 has alpha 2.500000 and beta 0.000000; alpha must be between 0.1 and 2",
            ),
            ("fit", "w.csv", "x,w\n1,1\n2,-1\n", "the weight of value 2 is negative"),
            ("fit", "x.h5", "", "no dataset named"),
        ):
            columns = {
                "x.csv": ", column: x, alpha_column: a, beta_column: b",
                "w.csv": ", column: x, weight_column: w",
            }.get(name, "")
            with self.subTest(name):
                self.write(name, content)
                self.write(
                    "input.yaml",
                    f"app: stable\nproblem:\n  task: {task}\n  data: {{file: {name}{columns}}}\n",
                )
                self.assert_mentions(
                    self.call("input.yaml", "--validate"), INPUT, "input.yaml:4:16", name, message
                )

    def test_nan_in_an_array(self):
        np.save(self.path("data.npy"), np.array(cauchy(50) + [np.nan]))
        self.write("input.yaml", "app: stable\nproblem:\n  task: fit\n  data: {file: data.npy}\n")
        self.assert_mentions(
            self.call("input.yaml", "-q"), INPUT, "data.npy: value 51 is not a finite number"
        )

    def test_series_shorter_than_a_window(self):
        self.write(
            "input.yaml", "app: stable\nproblem: {task: fit_many, n: 500}\nfit: {window: 1000}\n"
        )
        self.assert_mentions(
            self.call("input.yaml", "-q"),
            INPUT,
            "the series has 500 values, fewer than a window of 1000",
        )

    def test_a_fit_at_the_end_of_a_range_says_so(self):
        self.write("data.csv", column("x", list(np.linspace(-1, 1, 200))))
        self.write("input.yaml", "app: stable\nproblem:\n  task: fit\n  data: {file: data.csv}\n")
        outcome = self.call("input.yaml")
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertIn("alpha = 2", outcome.err)
        self.assertEqual(self.results()["results/status"], 1)


if __name__ == "__main__":
    run_cases.main()
