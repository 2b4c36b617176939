# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The tasks of tessera-stable from outside: cli_stable.py EXECUTABLE"""

import glob
import os

import h5py
import numpy as np

import run_cases
from cli_stable_support import DATA, INPUTS, StableTest, cauchy, column
from cli_support import INPUT

EVALUATE = """\
app: stable
problem:
  task: evaluate
  alpha: 1
  beta: 0
  x: [-2, 0, 3]
  scores: true
"""


class Tasks(StableTest):
    def test_every_input_is_valid(self):
        names = glob.glob(os.path.join(INPUTS, "*.yaml"))
        self.assertGreaterEqual(len(names), 8)
        for name in names:
            with self.subTest(os.path.basename(name)):
                self.succeed(name, "--validate")

    def test_defaults_are_an_input(self):
        for task in (
            "evaluate",
            "quantile",
            "sample",
            "fit",
            "fit_many",
            "bias_map",
            "precision",
            "speed",
            "garch",
            "multivariate",
        ):
            with self.subTest(task):
                self.write(
                    "defaults.yaml", self.succeed("--print-defaults", f"problem.task={task}").out
                )
                self.succeed("defaults.yaml", "--validate")

    def test_quickstart(self):
        self.succeed(os.path.join(INPUTS, "quickstart.yaml"), "--output", "q.h5", "-q")
        with h5py.File(self.path("q.h5")) as file:
            found = file["results"]
            self.assertAlmostEqual(found["alpha"][()], 1.7194, 3)
            self.assertLess(found["gradient_norm"][()], 1e-8)
            self.assertEqual(found["status_text"][()].decode(), "converged")
            self.assertEqual(found["se"].shape, (4,))
            self.assertTrue((np.diff(found["data"][()]) >= 0).all())
            middle = (found["quantile_p"][()] > 0.01) & (found["quantile_p"][()] < 0.99)
            cdf = np.interp(found["quantile_x"][()][middle], found["data"][()], found["cdf"][()])
            np.testing.assert_allclose(cdf, found["quantile_p"][()][middle], atol=2e-4)
            self.assertGreater(found["comparison/statistic"][0], 100)
            for item in found.values():
                if isinstance(item, h5py.Dataset):
                    self.assertIn("units", item.attrs)

    def test_evaluate(self):
        self.run_input(EVALUATE)
        found, x = self.results(), np.array([-2.0, 0, 3])
        np.testing.assert_allclose(found["results/pdf"], 1 / (np.pi * (1 + x * x)), rtol=1e-13)
        np.testing.assert_allclose(found["results/cdf"], 0.5 + np.arctan(x) / np.pi, rtol=1e-13)
        np.testing.assert_allclose(found["results/dlogpdf_dx"], -2 * x / (1 + x * x), atol=1e-12)
        self.assertEqual(
            sorted(found),
            [
                f"results/{name}"
                for name in sorted(
                    (
                        "x",
                        "pdf",
                        "logpdf",
                        "cdf",
                        "sf",
                        "logcdf",
                        "logsf",
                        "dlogpdf_dx",
                        "dlogpdf_dalpha",
                        "dlogpdf_dbeta",
                    )
                )
            ],
        )

    def test_a_law_for_every_point(self):
        rows = [(1.0, 0.0, 0.5), (2.0, 0.3, 0.7), (1.5, -0.5, 2.0)]
        self.write("laws.csv", "alpha,beta,x\n" + "".join(f"{a},{b},{x}\n" for a, b, x in rows))
        self.run_input(
            "app: stable\nproblem:\n  task: evaluate\n  data: {file: laws.csv, column: x, alpha_column: alpha, beta_column: beta}\n"
        )
        pdf = self.results()["results/pdf"]
        self.assertAlmostEqual(pdf[0], 1 / (np.pi * 1.25), 14)
        self.assertAlmostEqual(pdf[1], np.exp(-0.49 / 4) / (2 * np.sqrt(np.pi)), 14)

    def test_table_and_direct_agree(self):
        text = "app: stable\nproblem:\n  task: evaluate\n  laws: [[1.5, 0.5], [0.7, -0.2]]\n  x: {linspace: [-20, 20, 3001]}\n"
        self.run_input(text)
        table = self.results()
        self.run_input(text + "  direct: true\n")
        direct = self.results()
        self.assertEqual(table["results/pdf"].shape, (2, 3001))
        np.testing.assert_allclose(table["results/pdf"], direct["results/pdf"], rtol=5e-12)
        np.testing.assert_allclose(table["results/sf"], direct["results/sf"], rtol=5e-12)

    def test_a_law_too_sharp_for_panels_is_evaluated_directly_there(self):
        """At the end of the support."""
        text = "app: stable\nproblem:\n  task: evaluate\n  alpha: 0.2\n  beta: 1\n  x: {linspace: [-1, 20, 2001]}\n"
        self.run_input(text)
        by_itself = self.results()
        self.run_input(text + "  direct: true\n")
        self.assertLess(by_itself["results/table_error"][0], 4e-12)
        direct = self.results()
        for name in ("pdf", "cdf", "sf"):
            np.testing.assert_allclose(
                by_itself["results/" + name], direct["results/" + name], rtol=4e-11, atol=1e-320
            )

    def test_quantiles_go_back(self):
        self.run_input(
            "app: stable\nproblem:\n  task: quantile\n  alpha: 0.8\n  beta: 0.6\n  p: [1.0e-9, 0.2, 0.5, 0.99]\n"
        )
        x = self.results()["results/x"]
        self.run_input(
            "app: stable\nproblem:\n  task: evaluate\n  alpha: 0.8\n  beta: 0.6\n  x: ["
            + ", ".join(map(repr, map(float, x)))
            + "]\n"
        )
        np.testing.assert_allclose(
            self.results()["results/cdf"], [1e-9, 0.2, 0.5, 0.99], rtol=1e-11
        )

    def test_quantiles_next_to_zeta_of_a_small_alpha(self):
        """Where a table of quantiles is wrong by 6e-5."""
        self.run_input(
            "app: stable\nproblem:\n  task: quantile\n  alpha: 0.2\n  beta: 0.5\n  p: {linspace: [0.24, 0.26, 2001]}\n"
        )
        found = self.results()
        np.savetxt(
            self.path("x.csv"), found["results/x"].ravel(), fmt="%.17g", header="x", comments=""
        )
        self.run_input(
            "app: stable\nproblem: {task: evaluate, alpha: 0.2, beta: 0.5, direct: true, data: {file: x.csv, column: x}}\n"
        )
        np.testing.assert_allclose(
            self.results()["results/cdf"].ravel(), found["results/p"], rtol=1e-11
        )

    def test_sample(self):
        text = "app: stable\nproblem:\n  task: sample\n  alpha: 1\n  n: 20000\n"
        self.run_input(text)
        first = self.results()["results/x"]
        self.run_input(text)
        self.assertEqual(first.tobytes(), self.results()["results/x"].tobytes())
        self.run_input(text, "--seed", "5")
        self.assertNotEqual(first.tobytes(), self.results()["results/x"].tobytes())
        u = np.sort(0.5 + np.arctan(first) / np.pi)
        self.assertLess(np.abs(u - (np.arange(20000) + 0.5) / 20000).max(), 2 / np.sqrt(20000))

    def test_fit_of_every_kind_of_file(self):
        values = np.array(cauchy(401))
        self.write("data.csv", column("x", values))
        np.save(self.path("data.npy"), values)
        with h5py.File(self.path("data.h5"), "w") as file:
            file["group/x"] = values
        found = []
        for data in (
            "file: data.csv, column: x",
            "file: data.npy",
            "file: data.h5, dataset: group/x",
        ):
            self.run_input("app: stable\nproblem:\n  task: fit\n  data: {" + data + "}\n")
            found.append(self.results()["results/loglik"])
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])
        self.assertAlmostEqual(float(self.results()["results/alpha"]), 1.0, 1)

    def test_reference_fit(self):
        self.run_input(
            "app: stable\nproblem:\n  task: fit\n  data: {file: "
            + os.path.join(DATA, "samples.csv")
            + ", column: s4}\n"
            "fit: {profile: alpha, profile_values: [1.6, 1.7218, 1.8]}\n"
        )
        found = self.results()
        self.assertAlmostEqual(float(found["results/alpha"]), 1.721821116, 6)
        self.assertAlmostEqual(float(found["results/beta"]), 0.9071938576, 6)
        self.assertAlmostEqual(float(found["results/loglik"]), -1937.3596797799, 7)
        profile = found["results/profile/loglik"]
        self.assertLess(max(profile[0], profile[2]), profile[1])
        self.assertLessEqual(profile[1], found["results/loglik"] + 1e-9)

    def test_other_estimators(self):
        data = "  data: {file: " + os.path.join(DATA, "samples.csv") + ", column: s8}\n"
        found = {}
        for method in ("ml", "grid", "grid_mcculloch", "grid_four", "koutrouvelis", "mcculloch"):
            self.run_input(
                "app: stable\nproblem:\n  task: fit\n" + data + f"fit: {{method: {method}}}\n"
            )
            found[method] = {
                name: float(self.results()[f"results/{name}"])
                for name in ("alpha", "beta", "loglik")
            }
        for method in ("grid", "grid_four"):
            self.assertAlmostEqual(found[method]["alpha"], found["ml"]["alpha"], 5)
            self.assertAlmostEqual(found[method]["loglik"], found["ml"]["loglik"], 7)
        # the best of McCulloch's sigmas and mus, which is no maximum in these
        self.assertGreater(found["grid_mcculloch"]["loglik"], found["mcculloch"]["loglik"])
        self.assertLess(found["grid_mcculloch"]["loglik"], found["ml"]["loglik"])
        for method in ("koutrouvelis", "mcculloch"):
            self.assertAlmostEqual(found[method]["alpha"], found["ml"]["alpha"], delta=0.06)
            self.assertLess(found[method]["loglik"], found["ml"]["loglik"])
            self.assertGreater(found[method]["loglik"], found["ml"]["loglik"] - 3)

    def test_other_estimators_take_weights(self):
        """Weights of 1 and 2 stand for single and repeated values."""
        values = np.random.default_rng(3).standard_t(4, 200).round(6)
        counts = np.arange(200) % 2 + 1
        rows = "".join(f"{x},{count}\n" for x, count in zip(values, counts))
        self.write("weighted.csv", "x,w\n" + rows)
        self.write("repeated.csv", column("x", list(np.repeat(values, counts))))
        for method in ("grid", "koutrouvelis"):
            with self.subTest(method):
                found = []
                for data in ("file: weighted.csv, weight_column: w", "file: repeated.csv"):
                    self.run_input(
                        f"app: stable\nproblem: {{task: fit, data: {{{data}, column: x}}}}\n"
                        f"fit: {{method: {method}}}\n"
                    )
                    found.append(
                        [self.results()[f"results/{key}"] for key in ("alpha", "sigma", "loglik")]
                    )
                np.testing.assert_allclose(*found, rtol=1e-5)

    def test_simulated_values_are_said_to_be(self):
        self.write("input.yaml", "app: stable\nproblem: {task: fit, n: 500, alpha: 1.7}\n")
        err = self.succeed("input.yaml").err
        self.assertIn(
            "no 'data' in the input: fitting 500 values simulated with alpha 1.7, beta 0, sigma 1, mu 0",
            err,
        )
        self.assertIn("; of simulated values", err)
        with h5py.File(self.path("input.h5")) as file:
            self.assertEqual(
                file["results"].attrs["data"],
                "500 values simulated with alpha 1.7, beta 0, sigma 1, mu 0",
            )
        self.write("data.csv", column("x", cauchy(100)))
        self.write("input.yaml", "app: stable\nproblem: {task: fit, data: {file: data.csv}}\n")
        self.assertNotIn("simulated", self.succeed("input.yaml", "--force").err)
        with h5py.File(self.path("input.h5")) as file:
            self.assertEqual(os.path.basename(file["results"].attrs["data"]), "data.csv")
        self.run_input(
            "app: stable\nproblem: {task: fit_many, n: 500}\nfit: {window: 100, step: 100}\n"
        )
        with h5py.File(self.path("input.h5")) as file:
            self.assertIn("500 values simulated", file["results"].attrs["data"])

    def test_an_array_of_several_columns_is_not_one_sample(self):
        values = np.random.default_rng(3).standard_cauchy((100, 5))
        np.save(self.path("data.npy"), values)
        with h5py.File(self.path("data.h5"), "w") as file:
            file["x"] = values
        self.write("input.yaml", "app: stable\nproblem: {task: fit, data: {file: data.npy}}\n")
        self.assert_mentions(
            self.call("input.yaml", "-q"),
            INPUT,
            "data.npy: an array of 100 x 5 values is not one sample",
            "choose a column (data.column: 1 to 5)",
            "data.pool: true",
        )
        self.assert_mentions(
            self.call("input.yaml", "-q", "problem.data.file=data.h5", "problem.data.dataset=x"),
            INPUT,
            "100 x 5",
            "take an array of one axis",
            "data.pool: true",
        )
        self.succeed("input.yaml", "-q", "problem.data.column=3")
        self.assertEqual(self.results()["results/data"].tobytes(), np.sort(values[:, 2]).tobytes())
        for file in (
            "problem.data.file=data.npy",
            "problem.data.file=data.h5 problem.data.dataset=x",
        ):
            self.succeed("input.yaml", "-q", "--force", "problem.data.pool=true", *file.split())
            self.assertEqual(len(self.results()["results/data"]), 500)
        np.save(self.path("row.npy"), values[:, :1].T)
        self.succeed("input.yaml", "-q", "--force", "problem.data.file=row.npy")

    def test_missing_rows(self):
        values = cauchy(60)
        self.write(
            "data.csv",
            "x\nNaN\n"
            + "".join(f"{float(value)!r}\n" for value in values[:30])
            + "NA\n"
            + "".join(f"{float(value)!r}\n" for value in values[30:]),
        )
        self.write(
            "input.yaml", "app: stable\nproblem: {task: fit, data: {file: data.csv, column: x}}\n"
        )
        self.assert_mentions(self.call("input.yaml", "-q"), INPUT, "data.csv", "data.missing: drop")
        outcome = self.succeed("input.yaml", "problem.data.missing=drop")
        self.assertIn("data.csv: 2 rows with missing values left out", outcome.err)
        self.assertEqual(self.results()["results/data"].tobytes(), np.sort(values).tobytes())
        np.save(self.path("data.npy"), np.array([np.nan, 1, 2, np.inf, 3, 5, 9]))
        self.assert_mentions(
            self.call(
                "input.yaml", "-q", "--force", "problem.data={file: data.npy, missing: drop}"
            ),
            INPUT,
            "value 3 is not a finite number",
        )
        self.write("weighted.csv", "x,w\n1,1\n,1\n2,\n3,1\n4,1\n6,1\n5,2\n")
        self.succeed(
            "input.yaml",
            "-q",
            "--force",
            "problem.data={file: weighted.csv, column: x, weight_column: w, missing: drop}",
        )
        self.assertEqual(list(self.results()["results/data"]), [1, 3, 4, 5, 6])

    def test_parameters_at_bound(self):
        self.write("data.csv", column("x", np.linspace(-1, 1, 300)))
        self.write(
            "input.yaml", "app: stable\nproblem: {task: fit, data: {file: data.csv, column: x}}\n"
        )
        self.assertIn(
            "alpha 2.00000 (at bound), beta 0.00000 (at bound), sigma",
            self.succeed("input.yaml").err,
        )
        error = self.results()["results/se"]
        self.assertTrue(np.isnan(error[:2]).all() and (error[2:] > 0).all())
        self.succeed("input.yaml", "-q", "--force", "problem.alpha=2", "fit.fixed=[alpha]")
        self.assertEqual(list(self.results()["results/se"][:2]), [0, 0])

    def test_fits_without_standard_errors(self):
        text = "app: stable\nproblem: {task: fit_many, n: 1000}\nfit: {window: 200, step: 200, goodness: false"
        self.run_input(text + "}\n")
        whole = self.results()
        self.run_input(text + ", standard_errors: false}\n")
        bare = self.results()
        self.assertTrue(
            np.isnan(bare["results/se"]).all() and np.isfinite(whole["results/se"]).all()
        )
        for name in ("alpha", "loglik", "status", "evaluations"):
            self.assertEqual(
                bare[f"results/{name}"].tobytes(), whole[f"results/{name}"].tobytes(), name
            )

    def test_the_defaults_give_ranges_as_ranges(self):
        self.assertIn(
            "linspace: [-10, 10, 401]",
            self.succeed("--print-defaults", "problem.task=evaluate").out,
        )

    def test_timing_names_what_takes_the_time(self):
        for task, region in (
            ("fit", "tessera::stable::fit"),
            ("evaluate", "tessera::stable::evaluate"),
            ("quantile", "tessera::stable::quantile"),
            ("sample", "tessera::stable::sample"),
            ("precision", "tessera::stable::precision"),
            ("speed", "tessera::stable::speed"),
        ):
            small = {
                "precision": "map: {alpha: [1.5], beta: [0]}\n",
                "speed": "speed: {points: [100], methods: [contour], repeats: 1}\n",
            }
            self.write(
                "input.yaml", f"app: stable\nproblem: {{task: {task}}}\n" + small.get(task, "")
            )
            self.assertIn(region, self.succeed("input.yaml", "--timing", "--force").err)

    def test_windows_with_holes(self):
        values = cauchy(600)
        np.random.default_rng(1).shuffle(values)
        text = (
            column("x", values[:300])
            + "\n".join(["nan"] * 3 + ["1.0"] * 300 + list(map(repr, values[300:])))
            + "\n"
        )
        self.write("series.csv", text)
        self.run_input(
            "app: stable\nproblem:\n  task: fit_many\n  data: {file: series.csv, column: x}\nfit: {window: 200, step: 100}\n"
        )
        status = self.results()["results/status"]
        self.assertEqual(status[0], 0)
        self.assertIn(4, status)
        self.assertIn(5, status)
        alpha = self.results()["results/alpha"]
        self.assertTrue(np.isnan(alpha[status > 2]).all() and np.isfinite(alpha[status <= 1]).all())

    def test_precision(self):
        self.run_input(
            "app: stable\nproblem: {task: precision}\nmap: {alpha: [1, 1.5], beta: [0]}\n"
        )
        self.assertLess(self.results()["results/pdf_largest"].max(), 5e-12)
        self.assertLess(self.results()["results/quantile_largest"].max(), 5e-12)

    def test_precision_of_the_papers_method(self):
        self.run_input(
            "app: stable\nproblem: {task: precision, method: paper}\nmap: {alpha: [0.25, 0.5], beta: [0, 0.5]}\n"
        )
        found = self.results()
        # Tables 2 and 4 of the paper
        for name, expected in (
            ("pdf_median", [8.64e-11, 1.05e-10]),
            ("cdf_median", [7.65e-12, 1.24e-11]),
            ("pdf_absolute_median", [5.11e-14, 5.96e-14]),
            ("cdf_relative_median", [4.99e-11, 4.47e-11]),
        ):
            np.testing.assert_allclose(found[f"results/{name}"][0], expected, rtol=0.01)
        np.testing.assert_allclose(
            found["results/pdf_estimate_median"][0], [1.14e-9, 1.31e-9], rtol=0.1
        )
        self.assertLess(found["results/pdf_largest"][1].max(), 1e-12)
        self.assertEqual(found["results/pdf_close"].min(), 1)
        self.assertNotIn("results/quantile_largest", found)

    def test_nodes_and_intervals_of_the_papers_method(self):
        """More nodes and more sub-intervals are more exact where the integrand is steep."""
        errors = []
        for nodes, intervals in ((61, 8), (61, 16), (127, 16), (127, 32)):
            self.run_input(
                "app: stable\nproblem: {task: precision, method: paper}\n"
                f"paper: {{nodes: {nodes}, intervals: {intervals}}}\nmap: {{alpha: [0.25], beta: [0.5]}}\n"
            )
            errors.append(self.results()["results/pdf_median"][0, 0])
        self.assertEqual(errors, sorted(errors, reverse=True))
        self.assertGreater(errors[0], 10 * errors[2])

    def test_precision_of_the_papers_quantiles(self):
        """Table 7 of the paper has errors of 1e-4 to 1e-5 at this tolerance."""
        self.run_input(
            "app: stable\nproblem: {task: precision, method: newton}\nmap: {alpha: [0.5, 1.5], beta: [0, 0.5]}\n"
        )
        found = self.results()
        self.assertLess(found["results/quantile_absolute_median"].max(), 1e-8)
        self.assertLess(found["results/quantile_relative_median"].max(), 1e-9)
        self.assertEqual(found["results/quantile_unsolved"].max(), 0)
        self.assertNotIn("results/pdf_largest", found)

    def test_precision_of_the_papers_quantiles_between_its_first_guesses(self):
        """Where the tails are longest and where alpha passes 1."""
        self.run_input(
            "app: stable\nproblem: {task: precision, method: newton}\nmap: {alpha: [0.13, 0.98, 1.03], beta: [0.9]}\n",
        )
        found = self.results()
        self.assertEqual(found["results/quantile_unsolved"].max(), 0)
        self.assertLess(found["results/quantile_relative_median"].max(), 1e-8)

    def test_quantiles_by_the_papers_iteration(self):
        text = "app: stable\nproblem:\n  task: quantile\n  laws: [[1.5, 0.5], [0.7, -0.2]]\n  p: [0.1, 0.4, 0.85]\n  sigma: 2\n  mu: -1\n"
        self.run_input(text)
        exact = self.results()["results/x"]
        self.run_input(text + "  method: newton\n")
        self.assertTrue((self.results()["results/x"] != exact).any())
        np.testing.assert_allclose(self.results()["results/x"], exact, rtol=1e-6)
        self.run_input(text + "  method: newton\npaper: {tolerance: 1e-9}\n")
        np.testing.assert_allclose(self.results()["results/x"], exact, rtol=1e-10)

    def test_quantiles_that_the_iteration_does_not_find(self):
        self.write(
            "input.yaml",
            "app: stable\nproblem: {task: quantile, method: newton, alpha: 1.5, p: [0.5, 1e-18]}\n",
        )
        err = self.succeed("input.yaml", "--force").err
        self.assertIn("the paper's iteration finds no quantile for 1 of 2 probabilities", err)
        self.assertEqual(list(np.isnan(self.results()["results/x"])), [False, True])

    def test_integrand_of_the_papers_method(self):
        """The integral of g e^-g by theta is the density but for the factor of the paper's equation
        (3)."""
        self.run_input(
            "app: stable\nproblem: {task: evaluate, method: paper, alpha: 1.2, beta: -0.3, x: [-2, -0.5, 1, 3]}\n"
            "paper: {integrand: 20001}\n"
        )
        found = self.results()
        x, theta, integrand = (found[f"results/{name}"] for name in ("x", "theta", "integrand"))
        self.assertEqual(integrand.shape, (4, 20001))
        zeta = 0.3 * np.tan(np.pi * 0.6)
        angle = np.arctan(-0.3 * np.tan(np.pi * 0.6)) / 1.2
        for i in range(4):
            side = 1 if x[i] > zeta else -1
            np.testing.assert_allclose(theta[i, [0, -1]], [-side * angle, np.pi / 2], rtol=1e-13)
            step = theta[i, 1] - theta[i, 0]
            integral = step * (integrand[i].sum() - 0.5 * integrand[i, [0, -1]].sum())
            density = 1.2 / (np.pi * abs(x[i] - zeta) * 0.2) * integral
            np.testing.assert_allclose(density, found["results/pdf"][i], rtol=1e-6)
        self.assertLess((found["results/pdf_error"] / found["results/pdf"]).max(), 1e-9)
        self.assertLess(found["results/cdf_error"].max(), 1e-9)
        self.run_input(
            "app: stable\nproblem: {task: evaluate, method: paper, laws: [[1, 0], [0.5, 1]], x: [1, -1.5, 7]}\n"
            "paper: {integrand: 5}\n"
        )
        integrand = self.results()["results/integrand"]
        self.assertEqual(integrand.shape, (2, 3, 5))
        self.assertTrue(np.isnan(integrand[0]).all())  # formulas
        self.assertEqual(list(np.isnan(integrand[1]).all(axis=1)), [False, True, False])

    def test_times_of_fits(self):
        text = "app: stable\nproblem: {task: fit_many, n: 1000}\nfit: {window: 200, step: 200, goodness: false"
        self.run_input(text + "}\n")
        plain = self.results()
        self.assertNotIn("results/seconds", plain)
        for together, distinct in ((1, 5), (2, 3), (100, 1)):
            self.run_input(text + f", together: {together}}}\n")
            timed = self.results()
            for name in ("alpha", "mu", "loglik", "status"):
                self.assertEqual(
                    timed[f"results/{name}"].tobytes(), plain[f"results/{name}"].tobytes(), name
                )
            seconds = timed["results/seconds"]
            self.assertEqual(seconds.shape, (5,))
            self.assertTrue((seconds > 0).all())
            self.assertLessEqual(len(set(seconds.tolist())), distinct)

    def test_estimators_of_many_fits(self):
        """Each window has the estimates that task fit has for its values."""
        values = cauchy(400)
        np.random.default_rng(2).shuffle(values)
        for method in ("grid", "grid_mcculloch", "koutrouvelis"):
            self.write("series.csv", column("x", values))
            self.run_input(
                "app: stable\nproblem: {task: fit_many, data: {file: series.csv, column: x}}\n"
                f"fit: {{method: {method}, window: 200, step: 200}}\n"
            )
            many = self.results()
            self.assertTrue(np.isnan(many["results/se"]).all())
            for i in range(2):
                self.write("one.csv", column("x", values[200 * i : 200 * (i + 1)]))
                self.run_input(
                    "app: stable\nproblem: {task: fit, data: {file: one.csv, column: x}}\n"
                    f"fit: {{method: {method}}}\n"
                )
                for name in ("alpha", "beta", "sigma", "mu", "loglik"):
                    self.assertEqual(
                        many[f"results/{name}"][i], self.results()[f"results/{name}"], name
                    )

    def test_evaluation_by_the_papers_method(self):
        text = "app: stable\nproblem:\n  task: evaluate\n  laws: [[1.5, 0.5], [1, -0.2], [0.7, 0.2]]\n  x: {linspace: [-5, 5, 40]}\n"
        self.run_input(text)
        contour = self.results()
        self.run_input(text + "  method: paper\n")
        paper = self.results()
        for name in ("pdf", "logpdf", "cdf", "sf"):
            np.testing.assert_allclose(
                paper[f"results/{name}"], contour[f"results/{name}"], rtol=1e-10, atol=1e-13
            )
            self.assertTrue((paper[f"results/{name}"] != contour[f"results/{name}"]).any())

    def test_speed(self):
        for laws, methods in (("random", 2), ("one", 3)):
            self.run_input(
                f"app: stable\nproblem: {{task: speed}}\nspeed: {{laws: {laws}, points: [20, 50], repeats: 1}}\n"
            )
            rate = self.results()["results/evaluations_per_second"]
            self.assertEqual(rate.shape, (2, 4, methods))
            self.assertTrue((rate > 0).all())

    def test_speed_over_a_map(self):
        self.run_input(
            "app: stable\nproblem: {task: speed}\n"
            "speed: {laws: map, functions: [cdf, quantile], points: [20, 50], repeats: 1}\n"
            "map: {alpha: [0.5, 1.2, 1.5], beta: [0, 0.5]}\n"
        )
        rate = self.results()["results/evaluations_per_second"]
        self.assertEqual(rate.shape, (3, 2, 2, 2, 3))
        self.assertTrue((rate > 0).all())
        axes = self.results("coordinates")
        self.assertEqual(list(axes["coordinates/alpha"]), [0.5, 1.2, 1.5])
        self.assertEqual(list(axes["coordinates/function"].astype(str)), ["cdf", "quantile"])


if __name__ == "__main__":
    run_cases.main()
