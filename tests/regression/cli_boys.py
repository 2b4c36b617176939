# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-boys from outside: the inputs that users start from, results, integrals, messages and
exit codes. Run as: cli_boys.py EXECUTABLE."""

import csv
import functools
import glob
import importlib.util
import json
import math
import os
import signal
import subprocess
import tempfile
import time

import h5py
import numpy as np

import run_cases
from cli_support import EXECUTABLE, FILES, INPUT, ROOT, CommandLineTest, attribute, environment
from plot_support import plot

INPUTS = os.path.join(ROOT, "inputs", "boys")
DATA = os.path.join(ROOT, "tests", "data", "boys")

SMALL = """\
app: boys
problem:
  n_max: 4
  x: [0, 0.5, 3, 40]
"""


@functools.lru_cache(maxsize=None)
def backends():
    """The backends of the executable that run here, from what it says when one is missing."""
    found = ["serial"]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "input.yaml"), "w", encoding="utf-8") as file:
            file.write(SMALL)
        for name in ("openmp", "cuda"):
            run = subprocess.run(
                [EXECUTABLE, "input.yaml", "--backend", name, "--force"],
                cwd=folder,
                env=environment(),
                capture_output=True,
                check=False,
            )
            if run.returncode == 0:
                found.append(name)
    return found


class BoysTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.write("input.yaml", SMALL)

    def results(self, *arguments, name="out.h5"):
        outcome = self.succeed(*arguments, "--output", name, "--force")
        return outcome, h5py.File(self.path(name))


class Inputs(BoysTest):
    def test_all_are_valid(self):
        inputs = glob.glob(os.path.join(INPUTS, "*.yaml"))
        self.assertGreaterEqual(len(inputs), 4)
        for path in inputs:
            with self.subTest(os.path.basename(path)):
                self.succeed(path, "--validate")

    def test_the_defaults_are_an_input(self):
        self.write("defaults.yaml", self.succeed("--print-defaults").out)
        self.succeed("defaults.yaml", "--validate")

    def test_quickstart(self):
        for backend in backends():
            with self.subTest(backend):
                outcome, file = self.results(
                    os.path.join(INPUTS, "quickstart.yaml"), "--backend", backend
                )
                with file:
                    x, values = file["results/x"][:], file["results/F"][:]
                    self.assertEqual(values.shape, (401, 9))
                    self.assertEqual(list(file["coordinates/n"]), list(range(9)))
                    self.assertAlmostEqual(x[0], 1e-3, delta=1e-18)
                    self.assertEqual(x[-1], 100)
                    exact = [0.5 * math.sqrt(math.pi / u) * math.erf(math.sqrt(u)) for u in x]
                    np.testing.assert_allclose(values[:, 0], exact, rtol=2e-15)
                    self.assertLess(file["results/error_relative"][:].max(), 1e-14)
                    self.assertLess(file["results/error_absolute"][:].max(), 4e-16)
                    self.assertEqual(file["results/F"].attrs["units"], "1")
                self.assertRegex(
                    outcome.err, r"largest relative error \d\.\d+e-16 \(n = \d, x = [0-9.]+\)"
                )

    def test_error_map(self):
        """Every method against 70 digits, within what its header promises."""
        for backend in backends():
            with self.subTest(backend):
                _, file = self.results(os.path.join(INPUTS, "error_map.yaml"), "--backend", backend)
                with file:
                    self.assertEqual(file["results/F"].shape, (678, 17))
                    self.assertLess(file["results/largest_error_relative"][:].max(), 1e-14)
                    for table in ("all_orders_table", "top_order_table"):
                        self.assertLess(
                            file[f"results/methods/{table}/error_relative"][:].max(), 1e-14
                        )
                    paper = file["results/methods/paper"]
                    self.assertLess(paper["largest_error_absolute"][:].max(), 3e-13)
                    # The paper's method drops e^-x here.
                    self.assertGreater(paper["largest_error_relative"][16], 1e-3)

    def test_benchmark(self):
        reference = None
        for backend in backends():
            outcome, file = self.results(
                os.path.join(INPUTS, "benchmark.yaml"),
                "problem.x.logspace=[1e-3, 100, 50000]",
                "--backend",
                backend,
            )
            self.assertRegex(outcome.err, r"[0-9.]+ [MGk] evaluations/s of all orders")
            with file:
                self.assertNotIn("F", file["results"])
                sums = file["results/sum_F"][:]
            reference = sums if reference is None else reference
            np.testing.assert_allclose(sums, reference, rtol=1e-14)


class Methods(BoysTest):
    def test_warnings(self):
        for options, places in (
            ({"method": "taylor", "terms": 15}, "at 2 of 4 arguments, from x = 3 to 40"),
            ({"method": "upward", "n_max": 8}, "at 2 of 4 arguments, from x = 0 to 0.5"),
            ({"method": "miller", "x": "[3,701]"}, "at 1 of 2 arguments, from x = 701 to 701"),
            ({"method": "asymptotic"}, "at 3 of 4 arguments, from x = 0 to 3"),
        ):
            outcome = self.succeed(
                "input.yaml", "--force", *(f"problem.{key}={v}" for key, v in options.items())
            )
            self.assertIn(
                f"method '{options['method']}' does not keep an absolute error of 1e-13 {places}",
                outcome.err,
            )
        for method in ("two_range", "paper", "paper_polynomial", "miller"):
            outcome = self.succeed("input.yaml", "--force", f"problem.method={method}")
            self.assertNotIn("warning", outcome.err)

    def test_several_orders_and_terms(self):
        _, file = self.results(
            "input.yaml",
            "problem.repeat=3",
            "reference={extended: true, methods: [taylor, paper, paper], terms: [20, 30], "
            "highest_orders: [0, 3]}",
        )
        with file:
            methods = file["results/methods"]
            names = {"taylor_20_n0", "taylor_20_n3", "taylor_30_n0", "taylor_30_n3"}
            self.assertEqual(set(methods), names | {"paper_n0", "paper_n3"})
            self.assertEqual(methods["paper_n3/error_absolute"].shape, (4, 4))
            self.assertEqual(methods["paper_n0/error_absolute"].shape, (4, 1))
            self.assertGreater(methods["taylor_20_n3/largest_error_absolute"][0], 1)
            for group in (file["results"], *methods.values()):
                self.assertGreater(group["seconds"][0], 0)

    def test_single_precision(self):
        """The paper's single precision keeps what it wants, by either form."""
        _, file = self.results(
            "input.yaml",
            "problem.precision=single",
            "problem.n_max=8",
            "problem.x={linspace: [0, 40, 4001]}",
            "reference={extended: true, methods: [paper, paper_polynomial, miller]}",
        )
        with file:
            for errors in file["results/methods"].values():
                self.assertLess(errors["largest_error_absolute"][:].max(), 4e-7)


class Integrals(BoysTest):
    """Water in the s functions of STO-3G against integrals done numerically in 25 digits, without
    any Boys function."""

    def check(self, kind, *arguments):
        with open(os.path.join(DATA, "integrals.csv"), encoding="utf-8") as lines:
            rows = [
                row
                for row in csv.reader(line for line in lines if not line.startswith("#"))
                if row[0] in (kind, "coulomb")
            ]
        names = {"overlap": "overlap", "attraction": "nuclear_attraction"}
        for backend in backends():
            _, file = self.results(
                os.path.join(INPUTS, "integrals.yaml"), "--backend", backend, *arguments
            )
            compared = 0
            with file:
                pair = file["coordinates/pair"][:]
                for interaction, quantity, k, l, value in rows:
                    if quantity != "overlap" and interaction != kind:
                        continue
                    k, l, value = int(k), int(l), float.fromhex(value)
                    actual = (
                        file["results/eri"][k, l]
                        if quantity == "repulsion"
                        else file[f"results/{names[quantity]}"][tuple(pair[k])]
                    )
                    self.assertLess(
                        abs(actual - value),
                        1e-13 * abs(value),
                        f"{backend}: {interaction} {quantity} {k} {l}",
                    )
                    compared += 1
                eri = file["results/eri"][:]
                np.testing.assert_array_equal(eri, eri.T)
                self.assertEqual(file["results/eri"].attrs["units"], "hartree")
            self.assertGreater(compared, 30)

    def test_coulomb(self):
        self.check("coulomb")

    def test_long_range(self):
        self.check("erf", "integrals={interaction: erf, omega: 0.3}")

    def test_short_range(self):
        self.check("erfc", "integrals={interaction: erfc, omega: 0.3}")

    def test_nuclear_repulsion(self):
        _, file = self.results(os.path.join(INPUTS, "integrals.yaml"), "task=nuclear_attraction")
        with file:
            bond, hydrogens = math.hypot(1.4316, 1.1092), 2 * 1.4316
            self.assertAlmostEqual(
                file["results/nuclear_repulsion"][()], 16 / bond + 1 / hydrogens, delta=1e-14 * 10
            )
            self.assertNotIn("eri", file["results"])

    def test_repulsion_only(self):
        _, file = self.results(os.path.join(INPUTS, "integrals.yaml"), "task=eri_ssss")
        with file:
            self.assertNotIn("nuclear_attraction", file["results"])
            self.assertEqual(file["results/eri"].shape, (10, 10))


class Quadrature(BoysTest):
    """Rys quadrature against the functions and against itself."""

    def quadrature(self, *arguments):
        _, file = self.results(os.path.join(INPUTS, "rys.yaml"), *arguments)
        with file:
            return {name: values[()] for name, values in file["results"].items()}

    def test_sums(self):
        for backend in backends():
            for order in (1, 5, 20, 32):
                found = self.quadrature("--backend", backend, f"quadrature.order={order}")
                self.assertEqual(found["roots"].shape, (order, 401))
                self.assertLess(found["error"].max(), 1e-14 if order <= 20 else 5e-14)

    def test_ranges_add_up(self):
        whole = self.quadrature()
        near, far = (
            self.quadrature(
                f"quadrature.interaction={kind}", "quadrature.omega=0.6", "quadrature.rho=0.9"
            )
            for kind in ("erfc", "erf")
        )
        self.assertNotIn("error", near)
        share = 0.36 / (0.36 + 0.9)
        self.assertTrue((near["roots"] > share).all() and (far["roots"] < share).all())
        for m in range(10):
            sums = [(q["weights"] * q["roots"] ** m).sum(0) for q in (whole, near, far)]
            np.testing.assert_allclose(sums[1] + sums[2], sums[0], rtol=3e-14)

    def test_refusals(self):
        for quadrature, phrase in (
            ("{order: 33, x: 1}", "33"),
            ("{order: 3, x: -1}", "-1"),
            ("{omega: 1}", "'omega' belongs to the interactions"),
        ):
            self.refuses(f"app: boys\ntask: rys\nquadrature: {quadrature}\n", phrase)


class Arguments(BoysTest):
    def test_a_number_a_list_grids_and_files(self):
        self.write("x.csv", "# arguments\nname,x\na,0x1.8p+3\nb,1e-3\nc,nan\n")
        self.write("plain.txt", "1\n2\n\n4\n")
        self.write("table.txt", "1 10\n2 20\n")
        for value, expected in (
            ("2.5", [2.5]),
            ("[3, 0, 1]", [3, 0, 1]),
            ("{linspace: [0, 1, 5]}", [0, 0.25, 0.5, 0.75, 1]),
            ("{logspace: [1, 100, 3]}", [1, 10, 100]),
            ("{file: x.csv, column: x}", [12, 1e-3, math.nan]),
            ("{file: plain.txt}", [1, 2, 4]),
            ('{file: table.txt, column: "2"}', [10, 20]),
        ):
            with self.subTest(value):
                _, file = self.results("input.yaml", f"problem.x={value}")
                with file:
                    np.testing.assert_allclose(file["results/x"][:], expected, rtol=1e-15)
                    self.assertEqual(file["results/F"].shape, (len(expected), 5))
                    np.testing.assert_array_equal(
                        np.isnan(file["results/F"][:, 0]), np.isnan(expected)
                    )

    def test_single_precision(self):
        _, file = self.results("input.yaml", "problem.precision=single", "reference.extended=true")
        with file:
            self.assertEqual(file["results/F"].dtype, np.float32)
            self.assertEqual(file["results/x"].dtype, np.float32)
            self.assertLess(file["results/error_relative"][:].max(), 2e-6)
        self.assertEqual(attribute(self.path("out.h5"), "precision"), "single")

    def test_single_precision_skips_arguments_it_cannot_hold(self):
        self.write(
            "reference.csv",
            "x,F_0\n0.5,"
            + repr(0.5 * math.sqrt(math.pi / 0.5) * math.erf(math.sqrt(0.5)))
            + "\n0.1,7\n",
        )
        _, file = self.results(
            "input.yaml",
            "problem.x=[0.5, 0.1]",
            "problem.n_max=0",
            "problem.precision=single",
            "reference.file=reference.csv",
        )
        with file:
            self.assertLess(file["results/error_relative"][0, 0], 2e-7)
            self.assertTrue(np.isnan(file["results/error_relative"][1, 0]))

    def test_the_same_bits_whatever_the_threads(self):
        self.succeed(
            "input.yaml", "problem.x={logspace: [1e-3, 100, 5000]}", "--output", "one.h5", threads=1
        )
        self.succeed(
            "input.yaml",
            "problem.x={logspace: [1e-3, 100, 5000]}",
            "--output",
            "four.h5",
            threads=4,
        )
        with h5py.File(self.path("one.h5")) as one, h5py.File(self.path("four.h5")) as four:
            self.assertEqual(one["results/F"][:].tobytes(), four["results/F"][:].tobytes())


class Errors(BoysTest):
    def assert_refused(self, message, *overrides, status=INPUT):
        outcome = self.call("input.yaml", *overrides)
        self.assertIn(message, outcome.err)
        self.assertEqual(outcome.status, status, outcome.err)
        self.assertNotIn("input.h5", self.files())

    def test_orders(self):
        self.assert_refused(
            "'problem.n_max' is 41, but must be between 0 and 40", "problem.n_max=41"
        )
        self.assert_refused(
            "'problem.n_max' is -1, but must be between 0 and 40", "problem.n_max=-1"
        )
        self.assert_refused(
            "method 'paper' has orders 0 to 16; problem.n_max is 17",
            "problem.method=paper",
            "problem.n_max=17",
        )

    def test_place_in_the_input(self):
        self.write("input.yaml", SMALL.replace("3, 40", "-0.5, 40"))
        self.assert_refused(
            "input.yaml:4:15: error: 'problem.x[2]' is -0.5, but must be at least -0.001"
        )

    def test_arguments(self):
        self.assert_refused("'problem.x' is -1, but must be at least -0.001", "problem.x=-1")
        self.assert_refused("found '.nan' (numbers must be finite)", "problem.x=[.nan]")
        self.assert_refused("'problem.x' is empty", "problem.x=[]")
        self.assert_refused(
            "says how many: a whole number from 1 to 1e9", "problem.x={linspace: [0, 1, 2.5]}"
        )
        self.assert_refused(
            "the ends of 'problem.x.logspace' must be greater than 0",
            "problem.x={logspace: [0, 1, 5]}",
        )
        self.assert_refused(
            "give one of 'linspace', 'logspace' and 'file'",
            "problem.x={linspace: [0, 1, 5], file: x.csv}",
        )

    def test_files(self):
        self.assert_refused(
            "No such file or directory", "problem.x={file: missing.csv}", status=FILES
        )
        self.write("bad.csv", "x\n1\ntwo\n")
        self.assert_refused(
            "bad.csv:3:1: 'two' in column 'x' is not a finite number", "problem.x={file: bad.csv}"
        )
        self.write("low.csv", "x\n1\n-2\n")
        self.assert_refused(
            "low.csv: number 2 is -2, but must be at least -0.001", "problem.x={file: low.csv}"
        )
        self.assert_refused(
            "there is no column 'y'; present: x", "problem.x={file: low.csv, column: y}"
        )
        self.write("empty.csv", "x\n")
        self.assert_refused("there are no numbers in this file", "problem.x={file: empty.csv}")

    def test_references(self):
        self.write("reference.csv", "x,F_0,F_1\n0,1,0.33\n0.5,0.85,0.25\n")
        self.assert_refused(
            "the reference has 3 columns, but x and F_0..F_4 take 6", "reference.file=reference.csv"
        )
        self.assert_refused(
            "the reference has 2 rows for 4 arguments",
            "reference.file=reference.csv",
            "problem.n_max=1",
        )
        self.assert_refused(
            "row 2 of the reference is for x = 0.5, but argument 2 is 0.75",
            "reference.file=reference.csv",
            "problem.n_max=1",
            "problem.x=[0, 0.75]",
        )
        self.assert_refused("'reference' needs either 'file' or 'extended: true'", "reference={}")
        self.assert_refused(
            "available in double precision only",
            "problem.precision=single",
            "reference={extended: true, methods: [top_order_table]}",
        )
        self.assert_refused(
            "the order 9 is above problem.n_max, which is 4",
            "reference={extended: true, methods: [paper], highest_orders: [2, 9]}",
        )
        self.assert_refused(
            "'terms' belongs to the method 'taylor', which is not among 'methods'",
            "reference={extended: true, methods: [paper], terms: [5]}",
        )

    def test_methods(self):
        self.assert_refused("'terms' belongs to the method 'taylor'", "problem.terms=5")
        self.assert_refused(
            "'problem.terms' is 0, but must be between 1 and 1000",
            "problem={method: taylor, terms: 0}",
        )
        for method, largest, precision in (
            ("paper", 8, "single"),
            ("paper_polynomial", 8, "double"),
            ("miller", 16, "double"),
        ):
            self.assert_refused(
                f"method '{method}' has orders 0 to {largest}",
                f"problem.method={method}",
                f"problem.precision={precision}",
                f"problem.n_max={largest + 1}",
            )

    def test_integrals(self):
        self.write(
            "input.yaml",
            "app: boys\ntask: integrals\nmolecule:\n  - {charge: 1, position: [0, 0, 0]}\n"
            "basis:\n  - {atom: 1, exponents: [1, 2], coefficients: [1]}\n",
        )
        outcome = self.call("input.yaml")
        self.assertEqual(outcome.status, INPUT)
        self.assertIn(
            "input.yaml:6:12: error: 'basis[0].atom' is 1, but must be between 0 and 0", outcome.err
        )
        self.assertIn("there are 1 coefficients for 2 exponents", outcome.err)
        hydrogen = (
            "app: boys\ntask: integrals\nmolecule:\n  - {charge: 1, position: [0, 0, 0]}\n"
            "  - {charge: 1, position: [%s, 0, 0]}\n"
            "basis:\n  - {atom: 0, exponents: [%s], coefficients: [%s]}\n"
        )
        for values, place, message in (
            (("0", "1", "1"), "5:27", "nucleus 0 is at this place too"),
            (("1", "1", "0"), "7:3", "function 0 (from 0) is 0 everywhere"),
            (("1", "2, 2", "1, -1"), "7:3", "function 0 (from 0) is 0 everywhere"),
            (("1", "1.0e300", "1"), "7:27", "must be between 1.0e-60 and 1.0e+60"),
            (("1.0e200", "1", "1"), "5:28", "must be between -1.0e+100 and 1.0e+100"),
        ):
            self.write("input.yaml", hydrogen % values)
            self.assert_mentions(
                self.call("input.yaml"), INPUT, f"input.yaml:{place}", "error: ", message
            )
        self.write("input.yaml", hydrogen % ("1.0e100", "1", "1"))
        self.succeed("input.yaml", "-q")
        with h5py.File(self.path("input.h5")) as file:
            self.assertEqual(file["results/nuclear_repulsion"][()], 1e-100)
        self.write("input.yaml", "app: boys\ntask: integrals\n")
        outcome = self.call("input.yaml")
        self.assertIn("the integrals need a 'molecule' with at least one nucleus", outcome.err)
        self.assertIn("the integrals need a 'basis' with at least one function", outcome.err)


class Pictures(BoysTest):
    def plot(self, *arguments):
        return plot(*arguments, folder=self.folder)

    def assert_drawn(self, *arguments):
        status, message = self.plot(*arguments, "-o", "picture.png")
        self.assertEqual(status, 0, message)
        picture = self.read("picture.png")
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(len(picture), 10_000)

    def test_results(self):
        for name, kinds in (
            ("quickstart", ("summary", "functions", "errors")),
            ("error_map", ("summary",)),
            ("integrals", ("summary",)),
            ("rys", ("summary", "quadrature")),
        ):
            self.succeed(os.path.join(INPUTS, name + ".yaml"), "--output", name + ".h5")
            for kind in kinds:
                with self.subTest(f"{name}, {kind}"):
                    self.assert_drawn(name + ".h5", "--kind", kind)

    def test_rates(self):
        cases = [
            {"name": f"boys/{mode}/{scheme}/double/{n}/cuda/manual_time", "eval/s": 1e11 / (n + 1)}
            for mode in ("stored", "fused")
            for scheme in ("two_range", "paper")
            for n in (0, 4, 16)
        ]
        self.write(
            "bench.json", json.dumps({"context": {"device_cuda": "a GPU"}, "benchmarks": cases})
        )
        self.assert_drawn("bench.json")
        self.write("other.json", json.dumps({"context": {}, "benchmarks": []}))
        status, message = self.plot("other.json")
        self.assertEqual(status, 3)
        self.assertIn("holds no cases boys/...", message)
        self.write("broken.json", "{")
        self.assertEqual(self.plot("broken.json")[0], 3)

    def test_refusals(self):
        self.succeed("input.yaml")
        status, message = self.plot("input.h5", "--kind", "errors")
        self.assertEqual(status, 3)
        self.assertIn("holds no errors", message)


if importlib.util.find_spec("matplotlib") is None:
    del Pictures


class Signals(BoysTest):
    def test_repeats(self):
        self.assert_ends_soon(
            "app: boys\nproblem: {n_max: 8, x: {linspace: [1, 2, 1e6]}, repeat: 100000}\n", 1
        )

    def test_repeats_count_in_the_progress(self):
        self.write(
            "run.yaml", "app: boys\nproblem: {n_max: 8, x: {linspace: [1, 2, 1e5]}, repeat: 300}\n"
        )
        self.assertIn(
            "evaluations/s of all orders", self.succeed("run.yaml", "--backend", "serial").err
        )

    def test_a_comparison_that_is_interrupted_keeps_whole_blocks(self):
        """Within a block some methods have evaluated its arguments, and others have not."""
        self.write(
            "run.yaml",
            "app: boys\nproblem: {n_max: 8, x: {linspace: [0, 35, 8000]}, repeat: 5000}\n"
            "reference: {extended: true, methods: [paper, all_orders_table, miller]}\n",
        )
        process = self.start("run.yaml", "--backend", "serial")
        while "running on" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        time.sleep(2)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        with h5py.File(self.path("run.h5")) as file:
            self.assertEqual(len(file["results/F"]), len(file["results/x"]))
            self.assertEqual(len(file["results/error_relative"]), len(file["results/x"]))


if __name__ == "__main__":
    run_cases.main()
