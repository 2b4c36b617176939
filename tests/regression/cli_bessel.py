# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-bessel from outside: cli_bessel.py EXECUTABLE. Values against closed forms, errors
against references, bad inputs, pictures."""

import glob
import os

import h5py
import numpy as np

import run_cases
from cli_support import FILES, INPUT, ROOT, CommandLineTest, arrays, attribute
from plot_support import plot

INPUTS = os.path.join(ROOT, "inputs", "bessel")


class BesselTest(CommandLineTest):
    def run_input(self, text, *arguments):
        self.write("input.yaml", "app: bessel\n" + text)
        outcome = self.succeed("input.yaml", "--output", "out.h5", "--force", *arguments)
        with h5py.File(self.path("out.h5")) as file:
            groups = [group for group in ("coordinates", "results") if group in file]
        return arrays(self.path("out.h5"), groups), outcome

    def assert_refused(self, text, *phrases, status=INPUT):
        self.write("input.yaml", "app: bessel\n" + text)
        self.assert_mentions(self.call("input.yaml"), status, *phrases)


class Inputs(BesselTest):
    def test_every_input_is_valid(self):
        files = sorted(glob.glob(os.path.join(INPUTS, "*.yaml")))
        self.assertGreaterEqual(len(files), 4)
        for file in files:
            with self.subTest(os.path.basename(file)):
                self.succeed(file, "--validate")

    def test_defaults_are_a_valid_input(self):
        self.write("defaults.yaml", self.succeed("--print-defaults").out)
        self.succeed("defaults.yaml", "--validate")

    def test_wrong_inputs_are_told_at_their_places(self):
        self.write(
            "input.yaml",
            "app: bessel\nproblem:\n  nu: [0.5, 2000000]\n  x: {linspace: [0, 1, 2.5]}\n  method: papr\n  bins: 3\n",
        )
        self.assert_says(
            INPUT,
            "input.yaml:3:13: error: 'problem.nu[1]' is 2000000, but must be between 0 and 1000000\n"
            "input.yaml:4:17: error: the third number of 'problem.x.linspace' says how many: a whole number from 1 to 1e9\n"
            "input.yaml:5:11: error: 'problem.method' is 'papr', but must be one of quadrature, paper, takekawa, gsl (did you mean "
            "'paper'?)\n"
            "input.yaml:6:9: error: 'bins' belongs to the methods 'paper' and 'takekawa'\n",
            "input.yaml",
        )

    def test_orders_that_not_all_methods_have(self):
        for rest, who in (
            ("quantities: [k], method: paper", "a method to compare with"),
            ("precision: single", "single precision"),
        ):
            self.assert_refused(
                f"problem: {{nu: [0.5, 300], x: 2, {rest}}}\n",
                "problem.nu has the order 300",
                f"{who} takes orders up to 200",
                "give smaller orders",
            )
        self.write(
            "input.yaml", "app: bessel\nproblem: {nu: 1.0e+5, x: 66000, quantities: [log_k]}\n"
        )
        self.succeed("input.yaml", "--output", "out.h5", "--force")

    def test_numbers_of_points_that_do_not_fit(self):
        self.assert_refused(
            "problem: {nu: [1, 2, 3], x: [1, 2]}\n", "there are 3 orders for 2 arguments"
        )
        self.assert_refused("problem: {nu: 1, x: []}\n", "'problem.x' is empty")
        self.assert_refused(
            "problem: {x: {linspace: [0, 1, 3], logspace: [1, 2, 3]}}\n",
            "give one of 'linspace', 'logspace' and 'file'",
        )
        self.assert_refused(
            "problem: {x: {logspace: [0, 2, 3]}}\n",
            "the ends of 'problem.x.logspace' must be greater than 0",
        )

    def test_files(self):
        self.assert_refused(
            "problem: {nu: {file: missing.csv}, x: 1}\n", "missing.csv", status=FILES
        )
        self.write("points.csv", "order,argument\n0.5,1\n1.5,2\n")
        self.assert_refused(
            "problem: {nu: {file: points.csv, column: nu}, x: 1}\n", "input.yaml:2", "nu", "order"
        )
        self.assert_refused(
            "problem: {nu: 1, x: {linspace: [-1, 1, 3]}}\n",
            "the ends of 'problem.x.linspace' must be between 0 and 1.0e+300",
        )
        self.assert_refused(
            "problem: {nu: 1, x: 1}\nreference: {file: points.csv}\n",
            "the reference has 2 values for 1 points",
        )
        self.assert_refused(
            "problem: {nu: 1, x: 1}\nreference: {}\n", "needs either 'file' or 'extended: true'"
        )

    def test_what_a_method_cannot_do(self):
        self.assert_refused(
            "problem: {method: paper}\n", "gives K, e^x K and log K, no derivatives"
        )
        self.assert_refused(
            "problem: {method: paper, quantities: [k], precision: single}\n",
            "double precision only",
        )
        self.assert_refused(
            "problem: {task: matern, nu: 0}\n",
            "'problem.nu' is 0, but must be between 1.0e-20 and 200",
        )
        self.assert_refused("problem: {task: matern, x: 1}\n", "unknown key 'x'")


class Values(BesselTest):
    def test_half_integers(self):
        found, _ = self.run_input(
            "problem: {nu: 1.5, x: [1.0e-3, 0.5, 3, 80], quantities: [k, k_scaled, log_k, dlog_k_dx, dlog_k_dnu]}\n"
        )
        x = found["results/x"]
        scaled = np.sqrt(np.pi / (2 * x)) * (1 + 1 / x)
        np.testing.assert_allclose(found["results/k_scaled"], scaled, rtol=5e-15)
        np.testing.assert_allclose(found["results/k"], np.exp(-x) * scaled, rtol=5e-15)
        np.testing.assert_allclose(found["results/log_k"], np.log(scaled) - x, rtol=4e-15)
        np.testing.assert_allclose(
            found["results/dlog_k_dx"], -1 - 0.5 / x - 1 / (x * (1 + x)), rtol=4e-15
        )
        self.assertTrue((found["results/dlog_k_dnu"] > 0).all())
        with h5py.File(self.path("out.h5")) as file:
            self.assertEqual(file["results/log_k"].attrs["units"], "1")
            self.assertEqual(file["results"].attrs["method"], "quadrature")

    def test_points_of_a_file_with_a_reference(self):
        self.write(
            "points.csv",
            "order,argument,logarithm\n0.5,1,-0.7742086473552726\n0.5,2,-2.120782237635246\n0.5,,0\n",
        )
        found, outcome = self.run_input(
            "problem: {nu: {file: points.csv, column: order}, x: {file: points.csv, column: argument}}\n"
            "reference: {file: points.csv, column: logarithm}\n"
        )
        self.assertTrue(np.isnan(found["results/log_k"][2]))
        self.assertLess(found["results/error"][:2].max(), 1e-14)
        self.assertIn("largest absolute error of log_k", outcome.err)

    def test_points_of_arrays_and_datasets(self):
        np.save(self.path("points.npy"), np.array([[0.5, 1.0], [1.5, 2.0]]))
        with h5py.File(self.path("points.h5"), "w") as file:
            file["group/argument"] = [1.0, 2.0]
        expected, _ = self.run_input("problem: {nu: [0.5, 1.5], x: [1, 2]}\n")
        for x in ("{file: points.npy, column: 2}", "{file: points.h5, dataset: group/argument}"):
            found, _ = self.run_input(f"problem: {{nu: {{file: points.npy, column: 1}}, x: {x}}}\n")
            np.testing.assert_array_equal(found["results/log_k"], expected["results/log_k"])
        self.assert_refused(
            "problem: {nu: {file: points.npy, column: 0}, x: 1}\n",
            "there is no column '0'; the array has 2 columns, counted from 1",
        )
        self.assert_refused(
            "problem: {nu: {file: points.h5, dataset: nu}, x: 1}\n", "there is no dataset 'nu'"
        )
        self.assert_refused(
            "problem: {nu: {file: points.h5, column: a, dataset: b}, x: 1}\n",
            "give either 'column' or 'dataset', not both",
        )

    def test_a_grid_with_the_errors_of_every_method(self):
        found, outcome = self.run_input(
            "problem: {nu: {linspace: [0, 20, 9]}, x: {logspace: [0.01, 140, 11]}, combine: grid, quantities: [log_k]}\n"
            "reference: {extended: true, methods: [paper, paper, takekawa], bins: [40, 128, 32]}\n"
        )
        self.assertEqual(found["results/log_k"].shape, (9, 11))
        self.assertEqual(found["coordinates/x"].shape, (11,))
        self.assertLess(found["results/error"].max(), 2e-14)
        self.assertGreater(found["results/error_paper_40"].max(), 0.05)  # 12 % at x = 140
        self.assertLess(found["results/error_paper_128"].max(), 1e-12)
        self.assertIn("takekawa_32: largest", outcome.err)

    def test_gsl(self):
        text = "problem: {nu: 1.5, x: {logspace: [0.01, 100, 50]}, quantities: [k, log_k], method: gsl}\n"
        self.write("gsl.yaml", "app: bessel\n" + text)
        outcome = self.call("gsl.yaml", "--backend", "serial")
        if outcome.status:
            self.assertIn(
                "method 'gsl' is not in this build: install GSL (Debian: libgsl-dev)", outcome.err
            )
            self.assertEqual(outcome.status, INPUT)
            return
        own, _ = self.run_input(text.replace(", method: gsl", ""))
        found, outcome = self.run_input(
            text
            + "reference: {extended: true, methods: [quadrature, paper, gsl], bins: [2, 64, 2]}\n"
        )
        np.testing.assert_allclose(found["results/k"], own["results/k"], rtol=1e-13)
        self.assertLess(found["results/error"].max(), 1e-13)
        self.assertEqual(found["results/error"].tobytes(), found["results/error_gsl"].tobytes())
        self.assertLess(found["results/error_paper_64"].max(), 1)
        self.assertIn("gsl in double precision", outcome.err)

    def test_bounds_of_the_integral(self):
        text = "problem: {nu: {linspace: [0, 20, 9]}, x: {logspace: [0.1, 140, 11]}, combine: grid, quantities: [log_k], %s}\n"
        reference = "reference: {extended: true, methods: [paper], bins: [128]}\n"
        usual, _ = self.run_input(text % "method: quadrature" + reference)
        same, _ = self.run_input(text % "lower: 0, upper: 9" + reference)
        short, _ = self.run_input(text % "upper: 6" + reference)
        error = "results/error_paper_128"
        self.assertEqual(usual[error].tobytes(), same[error].tobytes())
        self.assertGreater(short[error].max(), 1e3 * usual[error].max())
        self.assert_refused(
            text % "upper: 6", "'upper' belongs to the method 'paper', which this run does not take"
        )
        self.assert_refused(
            text % "method: paper, lower: 3, upper: 2",
            "the upper bound of the integral must be above the lower one",
        )

    def test_the_finder_of_the_upper_bound(self):
        text = "problem: {task: upper_bound, nu: {linspace: [1, 20, 20]}, x: {logspace: [0.1, 140, 30]}, combine: grid, %s}\n"
        found, outcome = self.run_input(text % "bounds: {linspace: [6, 9, 31]}")
        self.assertAlmostEqual(found["results/upper_bound"][0], 7.1)
        errors = found["results/largest_error"]
        self.assertEqual(
            list(errors <= 1e-9), [bound > 7.05 for bound in found["coordinates/bound"]]
        )
        self.assertIn("the smallest that will do: 7.1", outcome.err)
        found, outcome = self.run_input(text % "bounds: [8, 9], bins: 40")
        self.assertTrue(np.isnan(found["results/upper_bound"][0]))
        self.assertIn("no upper bound of problem.bounds reaches problem.tolerance", outcome.err)
        self.assert_refused(
            text % "lower: 7, bounds: [7, 9]", "every upper bound must be above 'lower'"
        )

    def test_single_precision(self):
        found, _ = self.run_input(
            "problem: {nu: 2.25, x: {logspace: [0.01, 100, 50]}, quantities: [k_scaled], precision: single}\n"
            "reference: {extended: true, quantity: k_scaled}\n"
        )
        self.assertEqual(found["results/k_scaled"].dtype, np.float32)
        self.assertLess(found["results/error"].max(), 2e-6)
        self.assertEqual(attribute(self.path("out.h5"), "precision"), "single")
        for x in ("1.0e-50", "1.0e+39"):
            self.assert_refused(
                f"problem: {{nu: 1, x: [1, {x}], precision: single}}\n",
                f"'problem.x' has {x}, which single precision does not hold",
                "precision: double",
            )

    def test_matern(self):
        found, _ = self.run_input(
            "problem: {task: matern, sigma2: 2, beta: 0.5, nu: 0.5, r: {linspace: [0, 4, 41]}}\n"
        )
        r = found["results/r"]
        c = 2 * np.exp(-2 * r)
        np.testing.assert_allclose(found["results/c"], c, atol=5e-16)
        np.testing.assert_allclose(found["results/dc_dbeta"], 4 * r * c, atol=2e-14)
        np.testing.assert_allclose(found["results/dc_dr"][1:], -2 * c[1:], atol=1e-13)
        step = 1e-5
        above, _ = self.run_input(
            f"problem: {{task: matern, sigma2: 2, beta: 0.5, nu: {0.5 + step}, r: {{linspace: [0, 4, 41]}}}}\n"
        )
        below, _ = self.run_input(
            f"problem: {{task: matern, sigma2: 2, beta: 0.5, nu: {0.5 - step}, r: {{linspace: [0, 4, 41]}}}}\n"
        )
        np.testing.assert_allclose(
            found["results/dc_dnu"],
            (above["results/c"] - below["results/c"]) / (2 * step),
            atol=1e-9,
        )

    def test_blocks_do_not_show(self):
        text = "problem: {nu: 3.3, x: {linspace: [0.01, 90, 5000]}}\n"
        whole, _ = self.run_input(text)
        blocks, _ = self.run_input(text, "run.memory_limit=1")
        self.assertEqual(whole["results/log_k"].tobytes(), blocks["results/log_k"].tobytes())


class Pictures(BesselTest):
    def test_every_kind(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("no matplotlib")
        self.run_input(
            "problem: {nu: [0, 1.5], x: {logspace: [0.01, 100, 30]}, combine: grid}\nreference: {extended: true}\n"
        )
        self.assert_drawn("out.h5", "--kind", "functions")
        self.run_input(
            "problem: {nu: {linspace: [0, 20, 12]}, x: {linspace: [1, 140, 12]}, combine: grid}\n"
            "reference: {extended: true, methods: [paper]}\n"
        )
        self.assert_drawn("out.h5", "--kind", "error_map")
        self.run_input("problem: {task: matern, nu: 1.1}\n")
        self.assert_drawn("out.h5")

    def assert_drawn(self, results, *arguments):
        status, message = plot(self.path(results), "-o", self.path("picture.png"), *arguments)
        self.assertEqual(status, 0, message)
        self.assertGreater(os.path.getsize(self.path("picture.png")), 10_000)


class Signals(CommandLineTest):
    def test_repeats(self):
        self.assert_ends_soon(
            "app: bessel\nproblem: {nu: {linspace: [0, 20, 1000]}, x: {linspace: [0.1, 140, 1000]}, combine: grid, repeat: 10000}\n",
            1,
        )
        self.assert_ends_soon(
            "app: bessel\nproblem: {task: matern, sigma2: 1, beta: 0.1, nu: 0.4, r: {linspace: [0, 1, 1e5]}, repeat: 100000}\n",
            1,
        )


if __name__ == "__main__":
    run_cases.main()
