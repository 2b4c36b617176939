# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What tessera-gbees makes of its inputs: equations, measurements, initial densities, turned grids,
particles and studies."""

import os
import shutil
import signal
import time

import h5py
import numpy as np

import run_cases
from cli_support import (
    FILES,
    INPUT,
    NUMERICAL,
    RESOURCE,
    ROOT,
    SMALL,
    TIMEOUT,
    CommandLineTest,
    arrays,
    attribute,
    seconds_on_a_core,
)

PENDULUM = """\
app: gbees
model:
  variables: [angle, rate]
  equations: [rate, -g*sin(angle) - friction*rate]
  parameters: {g: 1.0, friction: 0.1}
grid: {spacing: [0.05, 0.05], threshold: 1.0e-6}
initial: {mean: [1.0, 0.0], standard_deviation: [0.1, 0.1]}
time: {end: 0.5, records: 2}
"""


class Equations(CommandLineTest):
    def assert_rejected(self, old, new, *messages):
        self.assertIn(old, PENDULUM)
        self.write("input.yaml", PENDULUM.replace(old, new))
        text = "".join(
            "input.yaml:" + message.replace(": ", ": error: ", 1) + "\n" for message in messages
        )
        self.assert_says(INPUT, text, "input.yaml", "--validate")

    def test_run(self):
        self.write("input.yaml", PENDULUM)
        self.succeed("input.yaml", "-q")
        with h5py.File(self.path("input.h5")) as file:
            self.assertEqual(
                [name.decode() for name in file["coordinates/variables"]], ["angle", "rate"]
            )
            self.assertAlmostEqual(file["results/mean"][-1, 0], 0.899, delta=0.01)

    def test_unknown_name(self):
        self.assert_rejected(
            "friction*rate]",
            "frictoin*rate]",
            "4:37: unknown name 'frictoin' (did you mean 'friction'?)",
        )

    def test_unknown_function(self):
        self.assert_rejected(
            "sin(angle)", "sine(angle)", "4:24: unknown function 'sine' (did you mean 'sin'?)"
        )

    def test_in_quotes(self):
        self.assert_rejected(
            "[rate, -g*sin(angle) - friction*rate]",
            "[rate, '-g*sin(angle']",
            "4:34: expected ',' or ')' in the arguments of 'sin'",
        )

    def test_syntax(self):
        self.assert_rejected(
            "-g*sin(angle)",
            "-g sin(angle)",
            "4:24: expected an operator here (a product is written with '*')",
        )

    def test_many_terms(self):
        terms = "".join(f" + 1.0e-9*sin({n}*angle)" for n in range(50000))
        for equation in (
            "-g*sin(angle)" + terms,
            "-g*sin(angle) + 0*" + "*".join(["rate"] * 50000),
        ):
            self.write("input.yaml", PENDULUM.replace("-g*sin(angle)", equation))
            self.succeed("input.yaml", "--validate", "-q")

    def test_deep_nesting(self):
        message = "parentheses, signs and powers are nested more than 200 deep here"
        self.assert_rejected(
            "-g*sin(angle)", "(" * 50000 + "angle" + ")" * 50000, "4:221: " + message
        )
        self.assert_rejected("-g*sin(angle)", "-" * 50000 + "angle", "4:221: " + message)

    def test_number_of_equations(self):
        self.assert_rejected(
            "[rate, -g*sin(angle) - friction*rate]",
            "[rate]",
            "4:14: 1 equations for 2 variables: there must be one for the rate of change of each",
        )

    def test_names(self):
        self.assert_rejected("[angle, rate]", "[rate, rate]", "3:21: the name 'rate' is used twice")
        self.assert_rejected(
            "{g: 1.0, friction: 0.1}",
            "{g: 1.0, friction: 0.1, t: 3}",
            "5:42: 't' is the time and cannot be another name",
        )
        self.assert_rejected(
            "{g: 1.0, friction: 0.1}",
            "{g: one, friction: 0.1}",
            "5:19: expected a real number for 'model.parameters.g', found 'one'",
        )

    def test_with_another_name(self):
        self.assert_rejected(
            "model:\n",
            "model:\n  name: lorenz63\n",
            "3:9: give either 'equations' or the name of other dynamics",
        )

    def test_definitions(self):
        self.write(
            "input.yaml",
            PENDULUM.replace("-g*sin(angle) -", "pull -").replace(
                "grid:", "  definitions: {pull: -g*sin(angle)}\ngrid:"
            ),
        )
        self.succeed("input.yaml", "-q")
        self.write("plain.yaml", PENDULUM)
        self.succeed("plain.yaml", "-q")
        self.assert_same_bits("input.h5", "plain.h5")

    def test_velocity_that_is_not_finite(self):
        self.write("input.yaml", PENDULUM.replace("-g*sin(angle)", "log(0.95 - angle)"))
        self.assert_mentions(
            self.call("input.yaml", "--progress", "off", "grid.follow=none"),
            NUMERICAL,
            "the velocity at a face is not finite: step 1",
        )

    def test_dimension_of_the_density(self):
        self.assert_rejected(
            "mean: [1.0, 0.0]", "mean: [1.0]", "7:17: 'initial.mean' has 1 element, but must have 2"
        )

    def test_noise(self):
        self.assert_rejected(
            "grid: {",
            "  noise: [0.1, -0.1]\ngrid: {",
            "6:16: 'model.noise[1]' is -0.1, but must be at least 0",
        )
        self.assert_rejected(
            "grid: {",
            "  noise: [0.1, 0.1]\ngrid: {scheme: reference, ",
            "6:10: process noise needs the conservative scheme",
        )


class Warnings(CommandLineTest):
    """What a density lacks of the one that was asked for is said, with the key to change."""

    QUICK_START = os.path.join(ROOT, "inputs", "gbees", "quickstart.yaml")
    LOST = "lower grid.threshold"

    def said(self, *overrides):
        return self.succeed(
            self.QUICK_START, "--output", "w.h5", "--force", "--progress", "off", *overrides
        ).err

    def test_a_start_that_is_cut_off(self):
        told = self.said("grid.threshold=1e-3", "time.end=0.01", "measurements=[]")
        self.assertRegex(
            told,
            r"warning: the initial density has a standard deviation of 0\.\d+ in [xyz], where 1 is asked for; what lies "
            r"in cells below the threshold is left out: lower grid\.threshold",
        )
        self.assertRegex(
            told,
            r"warning: \d+ % of the probability lies in initial cells below the threshold and is left out; lower grid\.threshold",
        )
        found = arrays(self.path("w.h5"))
        self.assertGreater(found["results/lost_mass"][0], 0.1)
        self.assertAlmostEqual(
            found["results/mass"][0] + found["results/lost_mass"][0], 1, places=14
        )
        self.assertGreater(found["series/lost_mass"][0], found["results/lost_mass"][0] - 1e-15)

    def test_a_start_on_cells_that_are_too_large(self):
        told = self.said(
            "grid.spacing=[2.5, 2.5, 2.5]",
            "grid.threshold=1e-9",
            "time.end=0.01",
            "measurements=[]",
        )
        self.assertIn("the cells are too large for it: lower grid.spacing", told)

    def test_a_small_box_of_the_reference_scheme(self):
        told = self.said(
            "grid.scheme=reference", "initial.extent=1.5", "time.end=0.01", "measurements=[]"
        )
        self.assertIn("the box of initial cells cuts it off: raise initial.extent", told)

    def test_a_loss_is_told_at_one_and_at_ten_percent(self):
        # The density loses 13 % by then.
        told = self.said("measurements=[]", "time.end=1", "grid.threshold=5e-6")
        self.assertEqual(told.count("of the probability has left the grid by t = "), 2, told)
        self.assertEqual(told.count(self.LOST), 2, told)
        self.assertNotIn(self.LOST, self.said())

    def test_a_measurement_far_off(self):
        self.assertNotIn("standard deviations from what the density predicts", self.said())
        told = self.said(
            "measurements=[{time: 0.05, variable: z, value: -5.0, variance: 0.5}]",
            "time.end=0.1",
            "grid.threshold=1e-12",
        )
        self.assertRegex(
            told,
            r"warning: the measurement at t = 0\.05 \(z = -5, variance 0\.5\) lies 1\d(\.\d)? standard deviations from what "
            "the density predicts; check its value",
        )
        found = arrays(self.path("w.h5"))
        self.assertEqual(list(found["results/measurements/time"]), [0.05])
        self.assertGreater(found["results/measurements/deviation"][0], 10)
        self.assertLess(found["results/measurements/log_evidence"][0], -50)

    def test_cells_smaller_than_the_rounding_of_the_mean(self):
        outcome = self.call(self.QUICK_START, "grid.spacing=[1e-14, 0.5, 0.5]", "--validate")
        self.assert_mentions(
            outcome,
            INPUT,
            "cells of 1e-14 along x are too small beside its mean of -11.5: coordinates there are rounded to",
        )

    def test_a_data_file_that_is_missing(self):
        self.write(
            "input.yaml",
            SMALL.replace(
                "  mean: [-11.5, -10.0, 9.5]\n  standard_deviation: [1.0, 1.0, 1.0]\n",
                "  shape: samples\n  file: nowhere.csv\n",
            ),
        )
        for options in ((), ("--validate",)):
            self.assert_mentions(
                self.call("input.yaml", *options), FILES, "cannot read 'nowhere.csv'"
            )

    def test_more_is_told_with_verbose(self):
        self.assertNotIn("record at t = ", self.said("time.end=0.1", "measurements=[]"))
        told = self.succeed(
            self.QUICK_START, "-o", "w.h5", "--force", "-v", "time.end=0.1", "measurements=[]"
        ).err
        for phrase in (
            "record at t = 0: ",
            "seed ",
            "results go to w.h5, a restart file to w.restart.h5",
            "Kokkos",
        ):
            self.assertIn(phrase, told)


class Measurements(CommandLineTest):
    ENTRY = "  - {time: 0.1, variable: z, value: 2.0, variance: 4.0}\n"

    def run_with(self, entry, name="other"):
        self.write(name + ".yaml", SMALL.replace("measurements:\n" + self.ENTRY, entry))
        self.succeed(name + ".yaml", "-q", "grid.follow=none")
        return arrays(self.path(name + ".h5"))

    def assert_alike(self, first, second):
        for name in ("results/mean", "results/covariance", "results/mass"):
            np.testing.assert_allclose(first[name], second[name], rtol=1e-10, atol=1e-12)

    def test_an_expression_is_like_a_variable(self):
        one = self.run_with("measurements:\n" + self.ENTRY)
        self.assert_alike(
            one,
            self.run_with(
                "measurements:\n  - {time: 0.1, variable: 2*z - 1, value: 3.0, variance: 16.0}\n",
                "a",
            ),
        )

    def test_independent_quantities_are_like_measurements_one_by_one(self):
        one = self.run_with(
            "measurements:\n"
            + self.ENTRY
            + "  - {time: 0.1, variable: x, value: -9, variance: 2.0}\n"
        )
        self.assert_alike(
            one,
            self.run_with(
                "measurements:\n  - {time: 0.1, quantities: [z, x], values: [2, -9], variances: [4, 2]}\n",
                "a",
            ),
        )
        self.assert_alike(
            one,
            self.run_with(
                "measurements:\n  - {time: 0.1, quantities: [z, x], values: [2, -9], covariance: [[4, 0], [0, 2]]}\n",
                "b",
            ),
        )

    def test_an_angle_is_wrapped(self):
        turn = 2 * np.pi
        one = self.run_with(
            "measurements:\n  - {time: 0.1, quantities: [azimuth], values: [-2.4], variances: [0.1]}\n"
        )
        self.assert_alike(
            one,
            self.run_with(
                f"measurements:\n  - {{time: 0.1, quantities: [azimuth], values: [{turn - 2.4}], variances: [0.1]}}\n",
                "a",
            ),
        )
        self.assert_alike(
            one,
            self.run_with(
                f"measurements:\n  - {{time: 0.1, quantities: ['atan2(y, x)'], period: [{turn}], values: [{turn - 2.4}], "
                "variances: [0.1]}\n",
                "b",
            ),
        )

    def test_a_table(self):
        one = self.run_with(
            "measurements:\n"
            + self.ENTRY
            + "  - {time: 0.15, variable: z, value: 1, variance: 4.0}\n"
        )
        table = "measurement_table: {file: seen.csv, quantities: [z], variances: [4]}\n"
        self.write("seen.csv", "time,z\n0.1,2.0\n0.15,1\n")
        self.assert_alike(one, self.run_with(table, "a"))
        with h5py.File(self.path("seen.h5"), "w") as file:
            file["time"] = [0.1, 0.15]
            file["height"] = [2.0, 1.0]
        self.assert_alike(
            one,
            self.run_with(
                table.replace("seen.csv", "seen.h5").replace(
                    "quantities", "columns: [height], quantities"
                ),
                "b",
            ),
        )

    def assert_rejected(self, new, *phrases):
        self.write("input.yaml", SMALL.replace(self.ENTRY, new))
        self.assert_mentions(self.call("input.yaml", "--validate"), INPUT, *phrases)

    def test_errors(self):
        self.assert_rejected(
            "  - {time: 0.1, variable: w, value: 2.0, variance: 4.0}\n",
            "input.yaml:11:27: error: unknown name 'w'",
        )
        self.assert_rejected(
            "  - {time: 0.1, variable: z, value: 2.0, variance: 0}\n", "must be greater than 0"
        )
        self.assert_rejected(
            "  - {time: 0.1, variable: z, value: 2.0}\n",
            "missing required key 'variance' or 'covariance' in 'measurements[0]'",
        )
        self.assert_rejected(
            "  - {time: 0.1, quantities: [z, x], values: [2], variances: [4, 2]}\n",
            "has 1 element, but must have 2",
        )
        self.assert_rejected(
            "  - {time: 0.1, quantities: [z, x], values: [2, 1], covariance: [[1, 2], [2, 1]]}\n",
            "not positive definite",
        )
        self.assert_rejected(
            "  - {time: 0.3, variable: z, value: 2.0, variance: 4.0}\n",
            "a measurement must come before time.end",
        )
        self.assert_rejected(
            self.ENTRY + "  - {time: 0.05, variable: z, value: 2.0, variance: 4.0}\n",
            "in the order of their times",
        )
        self.assert_rejected(
            "  - {time: 0.1, variable: range_rate, value: 2.0, variance: 4}\n",
            "unknown name 'range_rate'",
        )

    def test_underflow_names_what_was_measured(self):
        self.write(
            "input.yaml",
            SMALL.replace(
                self.ENTRY,
                "  - {time: 0.1, quantities: [x, y], values: [1e6, 0], variances: [25, 100]}\n",
            ),
        )
        self.assert_mentions(
            self.call("input.yaml", "--progress", "off"),
            NUMERICAL,
            "the measurement at t = 0.1 (x = 1e+06, variance 25, y = 0, variance 100) leaves no probability",
        )


class Initial(CommandLineTest):
    GAUSSIAN = "initial:\n  mean: [-11.5, -10.0, 9.5]\n  standard_deviation: [1.0, 1.0, 1.0]\n"

    def run_with(self, initial, name, *overrides):
        self.write(name + ".yaml", SMALL.replace(self.GAUSSIAN, initial))
        self.succeed(name + ".yaml", "-q", "grid.follow=none", *overrides)
        return arrays(self.path(name + ".h5"))

    def test_uniform(self):
        results = self.run_with(
            "initial: {shape: uniform, low: [-12, -11, 8], high: [-9, -8.5, 11]}\n", "uniform"
        )
        np.testing.assert_allclose(results["results/mean"][0], [-10.5, -9.75, 9.5], atol=1e-12)
        self.assertAlmostEqual(results["results/mass"][0], 1)
        # boxes of 3 x 2.5 x 3 cells, centred on a cell along x and z: whole cells, and halves at
        # both ends of the 2.5
        self.assertEqual(len(results["results/record_0/p"]), 27)
        implied = self.run_with("initial: {low: [-12, -11, 8], high: [-9, -8.5, 11]}\n", "implied")
        np.testing.assert_array_equal(implied["results/mean"], results["results/mean"])

    def test_samples(self):
        points = np.random.default_rng(1).normal([-11.5, -10, 9.5], 1, (20000, 3))
        np.save(self.path("points.npy"), points)
        np.savetxt(self.path("points.csv"), points, delimiter=",", header="x,y,z", comments="")
        from_npy = self.run_with("initial: {shape: samples, file: points.npy}\n", "npy")
        np.testing.assert_allclose(from_npy["results/mean"][0], points.mean(axis=0), atol=0.02)
        from_csv = self.run_with("initial: {shape: samples, file: points.csv}\n", "csv")
        np.testing.assert_allclose(from_npy["results/mean"], from_csv["results/mean"], rtol=1e-12)
        gaussian = self.run_with(self.GAUSSIAN, "gaussian")
        np.testing.assert_allclose(from_npy["results/mean"], gaussian["results/mean"], atol=0.1)

    def test_an_earlier_result(self):
        whole = self.run_with(
            self.GAUSSIAN, "whole", "measurements=[]", "time.records=1", "time.end=0.1"
        )
        again = self.run_with(
            "initial: {shape: result, file: whole.h5}\n", "again", "measurements=[]"
        )
        np.testing.assert_allclose(again["results/mean"][0], whole["results/mean"][-1], atol=0.01)
        np.testing.assert_allclose(
            again["results/mass"][0] + again["results/lost_mass"][0], 1, rtol=1e-12
        )
        self.assertLess(again["results/lost_mass"][0], 1e-3)

    def test_a_result_that_is_none(self):
        """Arrays of other shapes, and values that no density has."""
        self.run_with(self.GAUSSIAN, "whole", "time.records=1")
        with h5py.File(self.path("whole.h5")) as file:
            last = f"results/record_{len(file['results/time']) - 1}"
        for name, change, phrase in (
            ("results/time", lambda a: a[-1], "'results/time' with 0 axes"),
            ("results/time", lambda a: a[:0], "no cells"),
            (last + "/x", lambda a: a[:-5], "for the"),
            (last + "/p", lambda a: a[:-5], "for the"),
            (last + "/x", lambda a: a[:, :2], "of another shape than cells x 3"),
            (last + "/x", lambda a: a.ravel(), "of another shape than cells x 3"),
            (last + "/x", lambda a: np.where(a == a[0, 0], np.nan, a), "not finite"),
            (last + "/p", lambda a: -a, "negative"),
            ("coordinates/spacing", lambda a: a[:2], "has 2 variables, and the model has 3"),
            ("coordinates/spacing", lambda a: 0 * a, "not above 0"),
        ):
            with self.subTest(name=name, phrase=phrase):
                shutil.copy(self.path("whole.h5"), self.path("other.h5"))
                with h5py.File(self.path("other.h5"), "a") as file:
                    values = file[name][()]
                    del file[name]
                    file[name] = change(values)
                self.write(
                    "input.yaml",
                    SMALL.replace(self.GAUSSIAN, "initial: {shape: result, file: other.h5}\n"),
                )
                self.assert_mentions(
                    self.call("input.yaml", "--validate"),
                    INPUT,
                    "input.yaml:7:32: error: ",
                    "other.h5",
                    phrase,
                )

    def test_a_result_in_pieces(self):
        """What links and external storage lead to is no part of the file, and is not read."""
        self.run_with(self.GAUSSIAN, "whole", "time.records=1")
        with h5py.File(self.path("whole.h5"), "a") as file:
            last = f"results/record_{len(file['results/time']) - 1}"
            file.copy(last, file, "kept")
            values = file["kept/p"][()]
            values.tofile(self.path("values.bin"))

        def link(file):
            del file[last]
            file[last] = h5py.ExternalLink("other.h5", "/kept")

        def store(file):
            del file[last + "/p"]
            file.create_dataset(
                last + "/p",
                values.shape,
                values.dtype,
                external=[("values.bin", 0, h5py.h5f.UNLIMITED)],
            )

        def map_from(file):
            del file[last + "/p"]
            layout = h5py.VirtualLayout(values.shape, values.dtype)
            layout[:] = h5py.VirtualSource("other.h5", "kept/p", values.shape)
            file.create_virtual_dataset(last + "/p", layout)

        shutil.copy(self.path("whole.h5"), self.path("other.h5"))
        for change, phrase in (
            (link, "leads into another file, 'other.h5'"),
            (store, "stand in other files"),
            (map_from, "stand in other files"),
        ):
            with self.subTest(phrase=phrase):
                shutil.copy(self.path("other.h5"), self.path("part.h5"))
                with h5py.File(self.path("part.h5"), "a") as file:
                    change(file)
                self.write(
                    "input.yaml",
                    SMALL.replace(self.GAUSSIAN, "initial: {shape: result, file: part.h5}\n"),
                )
                self.assert_mentions(
                    self.call("input.yaml", "--validate"),
                    FILES,
                    "part.h5:/",
                    phrase,
                    "remedy: put all of the data into one file",
                )

    def test_errors(self):
        self.write("points.csv", "x,y,z\n-11,-10,9\n-12,-9,10\n-10,-11,9.5\n")
        for initial, status, phrase in (
            (
                "{shape: uniform, low: [0, 0, 0], high: [1, 0, 1]}",
                INPUT,
                "the box is empty along variable 2",
            ),
            ("{shape: samples, file: missing.csv}", FILES, "missing.csv"),
            ("{shape: result, file: input.yaml}", FILES, "input.yaml"),
            ("{shape: samples}", INPUT, "missing required key 'file'"),
            ("{file: points.csv}", INPUT, "a density of a file needs a 'shape': samples"),
            ("{shape: ball}", INPUT, "must be one of gaussian, mixture, uniform, samples, result"),
        ):
            with self.subTest(initial):
                self.write("input.yaml", SMALL.replace(self.GAUSSIAN, f"initial: {initial}\n"))
                self.assert_mentions(self.call("input.yaml", "--validate"), status, phrase)


class TurnedGrid(CommandLineTest):
    COVARIANCE = "covariance: [[1, 0.8, 0], [0.8, 1, 0.2], [0, 0.2, 0.5]]"

    def results(self, rotate):
        self.write(
            "input.yaml",
            SMALL.replace("standard_deviation: [1.0, 1.0, 1.0]", self.COVARIANCE).replace(
                "[1.0, 1.0, 1.0]\n  threshold: 1.0e-6",
                f"[0.25, 0.25, 0.25]\n  rotate: {rotate}\n  threshold: 1.0e-7",
            ),
        )
        self.succeed("input.yaml", "-q", "--force")
        return arrays(self.path("input.h5"))

    def test_gives_the_same_moments(self):
        plain, turned = self.results("false"), self.results("true")
        np.testing.assert_allclose(turned["results/mean"][0], [-11.5, -10, 9.5], atol=1e-6)
        np.testing.assert_allclose(
            turned["results/covariance"][0], plain["results/covariance"][0], atol=0.01
        )
        np.testing.assert_allclose(turned["results/mean"], plain["results/mean"], atol=0.1)
        np.testing.assert_allclose(
            turned["results/covariance"], plain["results/covariance"], atol=0.25
        )
        axes = turned["coordinates/axes"]
        np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-14)
        np.testing.assert_allclose(
            turned["results/mass"] + turned["results/lost_mass"], 1, atol=1e-12
        )
        x, p = turned["results/record_0/x"], turned["results/record_0/p"]
        np.testing.assert_allclose(p @ x / p.sum(), [-11.5, -10, 9.5], atol=1e-6)

    def test_a_box_lies_along_the_variables(self):
        self.write(
            "input.yaml",
            SMALL.replace(
                Initial.GAUSSIAN,
                "initial: {shape: uniform, low: [-12, -11, 8], high: [-9, -8.5, 11]}\n",
            ),
        )
        self.succeed("input.yaml", "-q")
        self.succeed("input.yaml", "-q", "--output", "turned.h5", "grid.rotate=true")
        np.testing.assert_array_equal(
            arrays(self.path("input.h5"))["results/mean"],
            arrays(self.path("turned.h5"))["results/mean"],
        )

    # rate 0.8 in both variables, Q = 0.3 in both: mean m exp(-a t), covariance C exp(-2 a t) + Q /
    # (2 a) (1 - exp(-2 a t))
    NOISE = """\
app: gbees
model: {name: ornstein_uhlenbeck, rate: [0.8, 0.8], noise: [0.3, 0.3]}
grid: {rotate: true, spacing: [0.05, 0.05], threshold: 1.0e-9}
initial: {mean: [2, -1], covariance: [[0.25, 0.15], [0.15, 0.2]]}
time: {end: 1, records: 1}
"""

    def test_isotropic_noise(self):
        self.write(
            "input.yaml", self.NOISE + "validate: {monte_carlo: {samples: 100000, step: 0.01}}\n"
        )
        self.succeed("input.yaml", "-q")
        results = arrays(self.path("input.h5"))
        decay = np.exp(-0.8)
        mean = np.array([2, -1]) * decay
        covariance = np.array([[0.25, 0.15], [0.15, 0.2]]) * decay**2 + 0.3 / 1.6 * (
            1 - decay**2
        ) * np.eye(2)
        np.testing.assert_allclose(results["results/mean"][-1], mean, rtol=0.01)
        np.testing.assert_allclose(results["results/covariance"][-1], covariance, rtol=0.01)
        np.testing.assert_allclose(
            results["results/monte_carlo/covariance"][-1], covariance, rtol=0.02
        )
        np.testing.assert_allclose(
            results["results/mass"] + results["results/lost_mass"], 1, atol=1e-12
        )

    def test_noise_along_the_axes(self):
        text = (
            self.NOISE.replace(
                "[0.8, 0.8], noise: [0.3, 0.3]", "[0.8, 0.8, 0], noise: [0.3, 0.3, 0]"
            )
            .replace("[0.05, 0.05]", "[0.1, 0.1, 0.1]")
            .replace("[2, -1]", "[2, -1, 0]")
            .replace(
                "[[0.25, 0.15], [0.15, 0.2]]", "[[0.25, 0.15, 0], [0.15, 0.2, 0], [0, 0, 0.09]]"
            )
            .replace("end: 1,", "end: 0.5,")
        )
        self.write("input.yaml", text)
        self.succeed("input.yaml", "-q")
        covariance = arrays(self.path("input.h5"))["results/covariance"][-1]
        decay = np.exp(-0.4)
        self.assertAlmostEqual(
            covariance[0, 0], 0.25 * decay**2 + 0.3 / 1.6 * (1 - decay**2), delta=0.005
        )
        self.assertAlmostEqual(covariance[2, 2], 0.09, delta=1e-3)  # cells as points, and no noise

    def test_correlated_noise_is_refused(self):
        self.write("input.yaml", self.NOISE.replace("[0.3, 0.3]", "[0.3, 0.2]"))
        self.assert_mentions(
            self.call("input.yaml", "--validate"),
            INPUT,
            "input.yaml:2:",
            "the noise along axes 1 and 2 of the turned grid is correlated",
            "or set grid.rotate: false",
        )
        self.succeed("input.yaml", "--validate", "grid.rotate=false")
        # This covariance gives a grid along the variables all the same.
        self.succeed("input.yaml", "--validate", "initial.covariance=[[0.25, 0], [0, 0.2]]")


class Storage(CommandLineTest):
    def test_single(self):
        self.write("input.yaml", SMALL)
        stays = ("input.yaml", "-q", "grid.follow=none")
        self.succeed(*stays)
        self.succeed(*stays, "--output", "single.h5", "grid.storage=single")
        double, single = arrays(self.path("input.h5")), arrays(self.path("single.h5"))
        self.assertEqual(
            [attribute(self.path(name), "precision") for name in ("input.h5", "single.h5")],
            ["double", "single"],
        )
        self.assertNotEqual(double["results/max_p"][-1], single["results/max_p"][-1])
        for name in ("results/mean", "results/mass", "results/entropy"):
            np.testing.assert_allclose(single[name], double[name], rtol=1e-5, atol=1e-6)

    def test_unknown(self):
        self.write(
            "input.yaml",
            SMALL.replace("threshold: 1.0e-6\n", "threshold: 1.0e-6\n  storage: half\n"),
        )
        self.assert_mentions(
            self.call("input.yaml", "--validate"), INPUT, "must be one of double, single"
        )


class Directory(CommandLineTest):
    def test_either_gives_the_same_results(self):
        self.write("input.yaml", SMALL)
        for kind in ("unordered_map", "flat_map"):
            self.succeed(
                "input.yaml",
                "-q",
                "--output",
                kind + ".h5",
                "grid.directory=" + kind,
                "run.shared_device=true",
            )
        first, second = arrays(self.path("unordered_map.h5")), arrays(self.path("flat_map.h5"))
        for name in first:
            if name.startswith(("results/", "series/")):
                np.testing.assert_array_equal(first[name], second[name], name)

    def test_kernels_give_the_same_results(self):
        self.write("input.yaml", SMALL)
        for kernels in ("plain", "fused"):
            self.succeed(
                "input.yaml",
                "-q",
                "--backend",
                "serial",
                "--output",
                kernels + ".h5",
                "run.kernels=" + kernels,
            )
        plain, fused = arrays(self.path("plain.h5")), arrays(self.path("fused.h5"))
        for name in plain:
            if name.startswith(("results/", "series/")):
                np.testing.assert_array_equal(plain[name], fused[name], name)

    def test_slots_give_the_same_results(self):
        for kind in ("unordered_map", "flat_map"):
            self.succeed("input.yaml", "-q", "--output", f"{kind}.h5", f"grid.directory={kind}")
            usual = arrays(self.path(f"{kind}.h5"))
            for slots in ("1.1", "4"):
                output = f"{kind}_{slots}.h5"
                self.succeed(
                    "input.yaml",
                    "-q",
                    "--output",
                    output,
                    f"grid.directory={kind}",
                    f"grid.slots_per_cell={slots}",
                )
                other = arrays(self.path(output))
                for name in usual:
                    if name.startswith(("results/", "series/")):
                        np.testing.assert_array_equal(usual[name], other[name], name)

    def test_slots_and_teams_have_bounds(self):
        for setting, message in (
            ("slots_per_cell=1", "'grid.slots_per_cell' is 1, but must be between 1.1 and 16"),
            ("slots_per_cell=17", "'grid.slots_per_cell' is 17, but must be between 1.1 and 16"),
            ("team_size=16", "'grid.team_size' is 16, but must be between 32 and 384"),
            ("team_size=100", "'grid.team_size' must be a multiple of 32, the threads of a warp"),
        ):
            self.assert_mentions(
                self.call("input.yaml", "--validate", f"grid.{setting}"), INPUT, message
            )

    def test_teams_without_a_gpu(self):
        run = self.succeed("input.yaml", "--backend", "serial", "grid.team_size=128")
        self.assertIn(
            "warning: grid.team_size has no effect: only a GPU has teams of threads", run.err
        )

    def test_fused_kernels_on_a_shared_device(self):
        self.write("input.yaml", SMALL)
        self.assert_mentions(
            self.call("input.yaml", "--validate", "run.kernels=fused", "run.shared_device=true"),
            INPUT,
            "run.shared_device: true forbids",
        )

    def test_unknown(self):
        self.write(
            "input.yaml",
            SMALL.replace("threshold: 1.0e-6\n", "threshold: 1.0e-6\n  directory: hash\n"),
        )
        self.assert_mentions(
            self.call("input.yaml", "--validate"),
            INPUT,
            "must be one of auto, unordered_map, flat_map",
        )


# Eight variables, of which 253 cells can be indexed along each; the first one moves by a cell a
# step.
DRIFT = f"""\
app: gbees
model: {{name: linear, matrix: [{", ".join(["[0, 0, 0, 0, 0, 0, 0, 0]"] * 8)}], offset: [1, 0, 0, 0, 0, 0, 0, 0]}}
grid: {{spacing: [1, 1, 1, 1, 1, 1, 1, 1], threshold: 1.0e-3, recentre: true}}
initial: {{mean: [5, 0, 0, 0, 0, 0, 0, 0], standard_deviation: [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3]}}
time: {{end: 1000, records: 4}}
output: {{cells: true}}
"""


class Window(CommandLineTest):
    """A window of indices that travels with a density."""

    def setUp(self):
        super().setUp()
        self.write("input.yaml", DRIFT)

    def test_goes_any_distance(self):
        self.succeed(
            "input.yaml", "-q", "validate={monte_carlo: {samples: 2000, step: 1, coarsen: [3]}}"
        )
        with h5py.File(self.path("input.h5")) as file:
            times, means = file["results/time"][:], file["results/mean"][:]
            np.testing.assert_array_equal(times, [0, 250, 500, 750, 1000])
            np.testing.assert_allclose(means[:, 0], 5 + times, rtol=1e-13)
            np.testing.assert_allclose(means[:, 1:], 0, atol=1e-13)
            np.testing.assert_allclose(
                file["results/covariance"][:],
                file["results/covariance"][:1].repeat(5, axis=0),
                atol=1e-9,
            )
            x, p = file["results/record_4/x"][:], file["results/record_4/p"][:]
            self.assertAlmostEqual(np.average(x[:, 0], weights=p), 1005, delta=1e-9)
            marginal, centres = file["results/marginal_1d/x1"][4], file["coordinates/x1"][:]
            self.assertEqual(centres[np.argmax(marginal)], 1005)
            particles = file["results/monte_carlo"]
            np.testing.assert_allclose(
                particles["mean"][:, 0], particles["mean"][0, 0] + times, rtol=1e-12
            )
            for name in ("bhattacharyya", "l1"):
                np.testing.assert_allclose(particles[name][:], particles[name][0], atol=1e-12)
            self.assertGreater(particles["bhattacharyya"][4], 0.5)
            self.assertTrue((particles["left"][:] == 0).all())

    def test_of_a_run_that_goes_on(self):
        self.succeed(
            "input.yaml", "-q", "time={segments: [500, 500], records: 2}", "--output", "whole.h5"
        )
        self.succeed("input.yaml", "-q", "time={end: 500, records: 2}", "run.keep_restart=true")
        self.succeed(
            "input.yaml",
            "-q",
            "time={end: 1000, records: 2}",
            "--restart",
            "input.restart.h5",
            "--output",
            "continued.h5",
        )
        self.assert_same_bits("whole.h5", "continued.h5")

    def test_changes_nothing_where_it_need_not_move(self):
        study = "study={cfl: [0.5], spacing: [2.0], reference_cfl: 0.25, reference_spacing: 1.0}"
        for setting in ("validate={monte_carlo: {samples: 2000, coarsen: [2, 3]}}", study):
            self.succeed("input.yaml", "-q", "time.end=90", setting, "--force")
            self.succeed(
                "input.yaml",
                "-q",
                "time.end=90",
                setting,
                "grid.recentre=false",
                "--output",
                "still.h5",
                "--force",
            )
            self.assert_same_bits("input.h5", "still.h5", least=8)

    def test_of_a_study(self):
        self.succeed("input.yaml", "-q", "time.end=600", "study={cfl: [0.5], reference_cfl: 0.25}")
        with h5py.File(self.path("input.h5")) as file:
            # The mass that is lost at the edge lies ahead.
            np.testing.assert_allclose(file["results/study/mean"][:, 0], 605, atol=2)
            self.assertLess(file["results/study/l1"][1], 1)

    def test_a_density_that_is_wider(self):
        spreading = (
            "model.matrix=[[1, 0, 0, 0, 0, 0, 0, 0]" + ", [0, 0, 0, 0, 0, 0, 0, 0]" * 7 + "]"
        )
        outcome = self.call(
            "input.yaml",
            "-q",
            spreading,
            "initial.standard_deviation=[10, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3]",
            "grid.threshold=1e-5",
            "time.end=5",
        )
        self.assert_mentions(
            outcome,
            NUMERICAL,
            "the density has spread beyond the 253 cells that can be indexed along each axis in 8 dimensions",
            "\n  remedy: set grid.keys: 128, or use a larger grid.spacing or a higher grid.threshold\n",
        )

    def test_a_value_that_is_none(self):
        self.write("input.yaml", DRIFT.replace("recentre: true", "recentre: 3"))
        self.assert_mentions(
            self.call("input.yaml", "--validate"), INPUT, "input.yaml:3:", "recentre"
        )


class Keys(CommandLineTest):
    """Keys of 128 bits instead of 64."""

    SIX = """\
app: gbees
model: {name: lorenz96, dimension: 6, forcing: 4.0}
grid: {spacing: [0.25, 0.25, 0.25, 0.25, 0.25, 0.25], threshold: 1.0e-5}
initial: {mean: [4.5, 4, 4, 4, 4, 4], standard_deviation: [0.2, 0.2, 0.2, 0.2, 0.2, 0.2]}
measurements: [{time: 0.1, variable: x1, value: 4.6, variance: 0.04}]
regions:
  - {name: high, inside: x1 > 5}
  - {name: low, inside: "x2 < 3.6 and x3 < 4", absorb: true, histograms: [{of: x1 - x2, low: 0, high: 2, bins: 8}]}
time: {end: 0.2, records: 2}
output: {cells: true, pairs: true, credible: [0.5, 0.9]}
"""

    def test_give_the_same_bits(self):
        self.write("input.yaml", self.SIX)
        # The dynamics are equations, like those of the other tests.
        self.succeed(
            "input.yaml", "-q", "grid.rotate=true", "grid.keys=64", "--output", "narrow.h5"
        )
        self.succeed("input.yaml", "-q", "grid.rotate=true", "grid.keys=128", "--output", "wide.h5")
        self.assert_same_bits("narrow.h5", "wide.h5")
        self.succeed(
            "input.yaml",
            "-q",
            "grid.rotate=true",
            "grid.keys=128",
            "run.checkpoint_every=0.01",
            "--output",
            "saved.h5",
        )
        self.assert_same_bits("narrow.h5", "saved.h5")

    def test_of_a_run_that_goes_on(self):
        self.write("input.yaml", self.SIX.replace("threshold", "keys: 128, threshold"))
        self.succeed(
            "input.yaml",
            "-q",
            "--output",
            "whole.h5",
            "measurements=[]",
            "time={segments: [0.1, 0.1], records: 2}",
        )
        self.succeed(
            "input.yaml",
            "-q",
            "time={end: 0.1, records: 2}",
            "measurements=[]",
            "run.keep_restart=true",
        )
        self.succeed(
            "input.yaml",
            "-q",
            "time={end: 0.2, records: 2}",
            "measurements=[]",
            "--restart",
            "input.restart.h5",
            "--output",
            "continued.h5",
        )
        self.assert_same_bits("whole.h5", "continued.h5")

    def test_of_a_study(self):
        study = "study={cfl: [0.5], spacing: [1.5], reference_cfl: 0.25, reference_spacing: 1.0}"
        self.write(
            "input.yaml",
            self.SIX[: self.SIX.index("measurements")] + "time: {end: 0.05, records: 1}\n",
        )
        for bits in (64, 128):
            self.succeed(
                "input.yaml",
                "-q",
                study,
                "grid.rotate=true",
                f"grid.keys={bits}",
                "--output",
                f"{bits}.h5",
            )
        self.assert_same_bits("64.h5", "128.h5", least=8)

    def test_are_chosen_for_a_wide_start(self):
        """A standard deviation of 40 cells: 253 cells can be indexed with 64 bits, 65 533 with
        128."""
        self.write(
            "input.yaml",
            DRIFT.replace("[0.3, 0.3", "[40, 0.3")
            .replace("1.0e-3, recentre: true", "1.0e-7")
            .replace("end: 1000", "end: 200"),
        )
        self.succeed("input.yaml", "-q")
        with h5py.File(self.path("input.h5")) as file:
            np.testing.assert_allclose(
                file["results/mean"][:, 0], 5 + file["results/time"][:], atol=1e-6
            )
            self.assertGreater(file["results/marginal_1d/x1"].shape[1], 400)
        self.assert_mentions(
            self.call("input.yaml", "-q", "grid.keys=64", "--force"),
            INPUT,
            "the initial density reaches ",
            " cells from the grid's origin along axis 1, and at most 126 can be indexed\n"
            "  remedy: use a larger spacing along that axis, or set grid.keys: 128\n",
        )

    def test_errors(self):
        self.write("input.yaml", DRIFT.replace("threshold", "keys: 128, threshold"))
        for setting, phrase in (
            ("grid.keys=96", "'96'"),
            (
                "grid.storage=single",
                "keys of 128 bits are stored with masses of double precision only",
            ),
            ("grid.directory=flat_map", "keys of 128 bits need 'unordered_map'"),
            (
                "validate={monte_carlo: {samples: 1000}}",
                "is not compared with particles and filters: set grid.keys: 64",
            ),
        ):
            self.assert_mentions(self.call("input.yaml", setting, "--validate"), INPUT, phrase)
        self.write("three.yaml", SMALL.replace("threshold:", "keys: 128\n  threshold:"))
        self.assert_says(
            INPUT,
            "three.yaml:6:9: error: keys of 128 bits are for 6 variables and more; of 3 variables those of 64 bits have "
            "2097149 cells along each axis\n",
            "three.yaml",
            "--validate",
        )
        self.write("two.yaml", PENDULUM.replace("threshold", "keys: 128, threshold"))
        self.assert_mentions(
            self.call("two.yaml", "--validate"),
            INPUT,
            "two.yaml:6:37: error: ",
            "of 2 variables those of 64 bits have 2147483645 cells",
        )


class Segments(CommandLineTest):
    TIME = "time:\n  end: 0.2\n"
    MEASUREMENTS = "measurements:\n" + Measurements.ENTRY

    def run_with(self, name, time, *measurements):
        text = SMALL.replace(self.TIME, time)
        if measurements:
            text = text.replace(
                self.MEASUREMENTS, "measurements: [" + ", ".join(measurements) + "]\n"
            )
        self.write(name + ".yaml", text)
        self.succeed(name + ".yaml", "-q")
        return arrays(self.path(name + ".h5"))

    def assert_alike(self, first, second):
        self.assertEqual(len(first["results/time"]), len(second["results/time"]))
        for name in ("results/time", "results/segment", "results/mean", "results/mass"):
            np.testing.assert_allclose(first[name], second[name], rtol=1e-12)

    def test_are_like_an_end_and_times(self):
        whole = self.run_with("whole", self.TIME)
        self.assert_alike(whole, self.run_with("timed", "time:\n  segments: [0.1, 0.1]\n"))
        self.assert_alike(
            whole,
            self.run_with(
                "untimed",
                "time:\n  segments: [0.1, 0.1]\n",
                "{variable: z, value: 2.0, variance: 4.0}",
            ),
        )

    def test_of_three_lengths(self):
        z, x = "variable: z, value: 2.0, variance: 4.0", "variable: x, value: -9.0, variance: 4.0"
        one = self.run_with("one", self.TIME, "{time: 0.05, " + z + "}", "{time: 0.125, " + x + "}")
        self.assert_alike(
            one,
            self.run_with(
                "other", "time:\n  segments: [0.05, 0.075, 0.075]\n", "{" + z + "}", "{" + x + "}"
            ),
        )
        np.testing.assert_allclose(
            one["results/time"],
            [0, 0.025, 0.05, 0.05, 0.0875, 0.125, 0.125, 0.1625, 0.2],
            rtol=1e-12,
        )

    def test_without_a_measurement_between(self):
        results = self.run_with("input", "time:\n  segments: [0.05, 0.05, 0.1]\n")
        np.testing.assert_allclose(
            results["results/time"], [0, 0.025, 0.05, 0.075, 0.1, 0.1, 0.15, 0.2], rtol=1e-12
        )

    def assert_rejected(self, time, measurement, *phrases):
        self.write(
            "input.yaml", SMALL.replace(self.TIME, time).replace(Measurements.ENTRY, measurement)
        )
        self.assert_mentions(self.call("input.yaml", "--validate"), INPUT, *phrases)

    def test_errors(self):
        halves, untimed = (
            "time:\n  segments: [0.1, 0.1]\n",
            "  - {variable: z, value: 2.0, variance: 4.0}\n",
        )
        self.assert_rejected(
            self.TIME + "  segments: [0.1, 0.1]\n",
            Measurements.ENTRY,
            "input.yaml:14:",
            "give either 'end' or 'segments', not both",
        )
        self.assert_rejected("time:\n  segments: []\n", "", "there must be at least one segment")
        self.assert_rejected(
            "time:\n  segments: [0.1, -0.1]\n", Measurements.ENTRY, "must be greater than 0"
        )
        self.assert_rejected(
            "time:\n", Measurements.ENTRY, "missing required key 'end' or 'segments' in 'time'"
        )
        self.assert_rejected(self.TIME, untimed, "missing required key 'time'")
        self.assert_rejected(
            halves,
            Measurements.ENTRY.replace("0.1", "0.05"),
            "input.yaml:11:12: error: with time.segments a measurement must come",
        )
        self.assert_rejected(
            halves,
            Measurements.ENTRY.replace("0.1", "0.2"),
            "a measurement must come before time.end",
        )
        self.assert_rejected(
            halves,
            untimed + untimed,
            "measurement 2 has no place: between the 2 segments of time.segments is 1",
        )

    def test_table(self):
        self.write("seen.csv", "time,z\n0.1,2.0\n")
        table = "measurement_table: {file: seen.csv, quantities: [z], variances: [4]}\n"
        whole = self.run_with("whole", self.TIME)
        self.write(
            "table.yaml",
            SMALL.replace(self.TIME, "time:\n  segments: [0.1, 0.1]\n").replace(
                self.MEASUREMENTS, table
            ),
        )
        self.succeed("table.yaml", "-q")
        self.assert_alike(whole, arrays(self.path("table.h5")))
        self.write(
            "table.yaml",
            SMALL.replace(self.TIME, "time:\n  segments: [0.15, 0.1]\n").replace(
                self.MEASUREMENTS, table
            ),
        )
        self.assert_mentions(
            self.call("table.yaml", "--validate"),
            INPUT,
            "seen.csv, measurement 1: with time.segments a measurement must come",
        )


class Outputs(CommandLineTest):
    def test_pairs(self):
        self.succeed("input.yaml", "-q", "output.pairs=true", "grid.follow=none")
        results = arrays(self.path("input.h5"))
        for record in range(len(results["results/time"])):
            group = f"results/pairs_{record}/"
            joint = results[group + "x1_x3"]
            self.assertEqual(joint.shape, (len(results[group + "x1"]), len(results[group + "x3"])))
            one = results["results/marginal_1d/x1"][record]
            np.testing.assert_allclose(
                joint.sum(axis=1),
                one[one > 0] if len(one[one > 0]) == len(joint) else joint.sum(axis=1),
                atol=1e-15,
            )
            self.assertAlmostEqual(joint.sum(), results["results/mass"][record], places=12)

    def test_monte_carlo(self):
        self.write(
            "input.yaml",
            SMALL.replace(
                "[1.0, 1.0, 1.0]\n  threshold: 1.0e-6", "[0.5, 0.5, 0.5]\n  threshold: 1.0e-6"
            )
            + "validate:\n  monte_carlo: {samples: 20000, step: 0.005, kde_samples: 500, coarsen: [2, 1000]}\n",
        )
        self.succeed("input.yaml", "-q")
        results = arrays(self.path("input.h5"))
        group = "results/monte_carlo/"
        for name in ("bhattacharyya", "bhattacharyya_kde"):
            self.assertTrue(
                np.all(results[group + name] > 0.8) and np.all(results[group + name] <= 1),
                results[group + name],
            )
        self.assertGreater(results[group + "bhattacharyya"][0], 0.95)
        self.assertTrue(np.all(results[group + "l1"] < 0.8))
        self.assertEqual(list(results[group + "coarsening"]), [2, 1000])
        coarse = results[group + "bhattacharyya_coarse"]
        self.assertTrue(np.all(coarse[:, 0] > results[group + "bhattacharyya"]), coarse)
        # The coarsest grid has eight cells about its origin.
        self.assertTrue(np.all(coarse[:, 1] > 0.999), coarse)
        self.assertTrue(np.all(results[group + "l1_coarse"][:, 0] < results[group + "l1"]))
        np.testing.assert_allclose(results[group + "mean"], results["results/mean"], atol=0.4)
        self.assertAlmostEqual(results[group + "effective_samples"][0], 20000)
        self.assertLess(results[group + "effective_samples"][-1], 19000)  # after the measurement
        self.succeed("input.yaml", "-q", "--output", "again.h5")
        self.assert_same_bits("input.h5", "again.h5")
        self.succeed("input.yaml", "-q", "--output", "seed.h5", "--seed", "7")
        self.assertNotEqual(arrays(self.path("seed.h5"))[group + "l1"][0], results[group + "l1"][0])

    def particles_of(
        self, name, initial, grid="spacing: [0.5, 0.5, 0.5], threshold: 1.0e-6", samples=20000
    ):
        self.write(
            name + ".yaml",
            "app: gbees\ngrid: {"
            + grid
            + "}\ninitial: "
            + initial
            + "\ntime: {end: 1.0e-3, records: 1}\nvalidate: {monte_carlo: {step: 1.0e-3, samples: "
            + str(samples)
            + "}}\noutput: {cells: true}\n",
        )
        self.succeed(name + ".yaml", "-q")
        return {
            key.split("/")[-1]: values[0]
            for key, values in arrays(self.path(name + ".h5"), ["results/monte_carlo"]).items()
        }

    def test_monte_carlo_of_other_densities(self):
        box = "{shape: uniform, low: [-12, -11, 8], high: [-9, -8.5, 11]}"
        for name, rotate in (("box", "false"), ("turned", "true")):
            particles = self.particles_of(
                name, box, "spacing: [0.5, 0.5, 0.5], threshold: 1.0e-6, rotate: " + rotate
            )
            np.testing.assert_allclose(particles["mean"], [-10.5, -9.75, 9.5], atol=0.03)
            np.testing.assert_allclose(
                particles["covariance"], np.diag([0.75, 6.25 / 12, 0.75]), atol=0.03
            )
            self.assertGreater(particles["bhattacharyya"], 0.9)
        points = np.random.default_rng(1).normal([-11.5, -10, 9.5], [1, 0.5, 2], (5000, 3))
        np.save(self.path("points.npy"), points)
        particles = self.particles_of("points", "{shape: samples, file: points.npy}")
        np.testing.assert_allclose(particles["mean"], points.mean(axis=0), atol=0.05)
        np.testing.assert_allclose(particles["covariance"], np.cov(points.T), atol=0.15)
        # its particles are spread over the cells
        particles = self.particles_of("cells", "{shape: result, file: points.h5}")
        density = arrays(self.path("points.h5"), ["results"])
        np.testing.assert_allclose(particles["mean"], density["results/mean"][-1], atol=0.05)
        np.testing.assert_allclose(
            np.diag(particles["covariance"]),
            np.diag(density["results/covariance"][-1]) + 0.25 / 12,
            rtol=0.05,
        )

    def test_monte_carlo_in_many_cells(self):
        # nearly every particle has a cell of its own, and the density has few
        particles = self.particles_of(
            "many",
            "{mean: [-11.5, -10, 9.5], standard_deviation: [1, 1, 1]}",
            "follow: none, spacing: [0.05, 0.05, 0.05], threshold: 7.9e-6",
            200000,
        )
        self.assertLess(arrays(self.path("many.h5"), ["results"])["results/cells"][0], 20000)
        self.assertAlmostEqual(particles["effective_samples"], 200000, delta=1e-3)
        np.testing.assert_allclose(particles["covariance"], np.eye(3), atol=0.01)

    def test_a_finer_density_is_truer_on_the_same_cells(self):
        def likeness(spacing, threshold, coarsen):
            self.write(
                "input.yaml",
                f"app: gbees\ngrid: {{spacing: [{spacing}, {spacing}, {spacing}], threshold: {threshold}, scheme: reference}}\n"
                "initial: {mean: [-11.5, -10.0, 9.5], standard_deviation: [1, 1, 1]}\ntime: {end: 0.5, records: 1}\n"
                f"validate: {{monte_carlo: {{samples: 200000, step: 0.005, coarsen: [{coarsen}]}}}}\n",
            )
            self.succeed("input.yaml", "-q", "--force")
            results = arrays(self.path("input.h5"), ["results/monte_carlo"])
            return (
                results["results/monte_carlo/bhattacharyya"][-1],
                results["results/monte_carlo/bhattacharyya_coarse"][-1, 0],
            )

        on_cells, on_large_cells = likeness(0.5, 5e-6, 2)  # 0.793, 0.891
        self.assertTrue(on_cells < 0.81 and on_large_cells < 0.9, (on_cells, on_large_cells))
        self.assertGreater(likeness(0.25, 6e-7, 2)[1], 0.92)  # 0.930 on cells of 0.5
        self.assertGreater(likeness(0.25, 6e-7, 4)[1], 0.96)  # 0.974 on cells of 1

    def test_monte_carlo_with_noise(self):
        self.write(
            "input.yaml",
            """\
app: gbees
model: {name: ornstein_uhlenbeck, rate: [1.0], noise: [0.5]}
grid: {spacing: [0.05], threshold: 1.0e-9}
initial: {mean: [2.0], standard_deviation: [0.5]}
time: {end: 1, records: 2}
validate: {monte_carlo: {samples: 100000, step: 0.005}}
""",
        )
        self.succeed("input.yaml", "-q")
        results = arrays(self.path("input.h5"))
        self.assertAlmostEqual(
            results["results/monte_carlo/mean"][-1, 0], 2 * np.exp(-1), delta=0.01
        )
        self.assertAlmostEqual(
            results["results/monte_carlo/covariance"][-1, 0, 0], 0.25, delta=0.005
        )
        self.assertGreater(results["results/monte_carlo/bhattacharyya"][-1], 0.999)

    def test_study(self):
        self.write(
            "input.yaml",
            SMALL.replace("measurements:\n" + Measurements.ENTRY, "")
            + "study: {cfl: [1, 0.5], reference_cfl: 0.1, spacing: [1, 0.75], reference_spacing: 0.5}\n",
        )
        self.succeed("input.yaml", "-q")
        study = {
            name.split("/")[-1]: values
            for name, values in arrays(self.path("input.h5"), ["results"]).items()
        }
        self.assertEqual(list(study["reference"]), [1, 0, 0, 1, 0, 0])
        self.assertEqual(list(study["cfl"][:3]), [0.1, 1, 0.5])
        self.assertEqual(list(study["spacing"][3:]), [0.5, 1, 0.75])
        self.assertGreater(study["l1"][1], study["l1"][2])
        self.assertGreater(study["l1"][4], study["l1"][5])
        self.assertLess(study["bhattacharyya"][4], study["bhattacharyya"][5])
        self.assertEqual(study["l1"][0], 0)


class Inputs(CommandLineTest):
    """Short versions of the inputs that come with the program."""

    SHORT = {
        "aizawa": ("time.end=0.1", "measurements=[]", "time.records=1"),
        "convergence": (
            "time.end=0.05",
            "study.cfl=[1]",
            "study.reference_cfl=0.5",
            "study.spacing=[1]",
            "study.reference_spacing=0.75",
        ),
        "cr3bp": ("time.end=1e-5", "grid.threshold=1e-5"),
        "duffing": ("time.end=0.1", "time.records=1"),
        "equations": ("time.end=0.1", "measurements=[]", "time.records=1"),
        "lorenz63": ("time.end=0.1", "measurements=[]", "time.records=1"),
        "lorenz96_coarse": ("time.end=0.005", "time.records=1", "initial.extent=1.5"),
        "lorenz96_single": ("time.end=0.005", "time.records=1", "grid.threshold=5e-6"),
        "ornstein_uhlenbeck": ("time.end=0.1", "time.records=1"),
        "pcr3bp": ("time.end=0.01", "measurements=[]", "time.records=1", "grid.threshold=1e-5"),
        "poincare": ("time.end=0.002", "time.records=1"),
        "quickstart": ("time.end=0.1", "measurements=[]", "time.records=1"),
        "validation": (
            "time.end=0.1",
            "time.records=1",
            "validate.monte_carlo.samples=1000",
            "validate.monte_carlo.kde_samples=100",
        ),
        "validation_fine": ("time.end=0.02", "time.records=1", "validate.monte_carlo.samples=1000"),
    }

    def test_short_versions(self):
        for name, overrides in self.SHORT.items():
            with self.subTest(name):
                self.succeed(
                    os.path.join(ROOT, "inputs", "gbees", name + ".yaml"),
                    "-q",
                    "--output",
                    name + ".h5",
                    *overrides,
                )
                results = arrays(self.path(name + ".h5"), ["results"])
                if "results/mass" in results:
                    np.testing.assert_allclose(results["results/mean"], results["results/mean"])
                    self.assertTrue(
                        np.all(results["results/mass"] + results["results/lost_mass"] > 0.9),
                        results["results/mass"],
                    )


class Restart(CommandLineTest):
    """After the memory has run out, with more of it."""

    def assert_continues(self, text):
        self.write("input.yaml", text)
        self.succeed("input.yaml", "-q", "--output", "whole.h5")
        limited = self.call("input.yaml", "-q", "--output", "part.h5", "run.memory_limit=2")
        self.assertEqual(limited.status, RESOURCE, limited.err)
        self.succeed(
            "input.yaml", "-q", "--output", "part.h5", "--force", "--restart", "part.restart.h5"
        )
        self.assert_same_bits("whole.h5", "part.h5")

    GROWING = """\
app: gbees
model:
  variables: [x, y]
  equations: [1.5*x + 0.1*sin(t), y]
grid: {follow: none, factor: [4, 4], threshold: 1.0e-9}
initial: {mean: [0, 0], standard_deviation: [0.1, 0.1]}
time: {end: 0.5, records: 2}
"""

    def test_time_varying_with_particles(self):
        self.assert_continues(
            self.GROWING + "validate: {monte_carlo: {samples: 1000, coarsen: [2]}}\n"
        )

    def test_single_storage(self):
        self.assert_continues(
            self.GROWING.replace("threshold: 1.0e-9", "threshold: 1.0e-10, storage: single")
        )

    def test_study(self):
        self.assert_continues(
            self.GROWING
            + "study: {cfl: [1], reference_cfl: 0.5, spacing: [0.8], reference_spacing: 0.7}\n"
        )


class Signals(CommandLineTest):
    """SIGTERM in what takes long besides the steps."""

    FINE = """\
app: gbees
model: {name: lorenz96, dimension: 6, forcing: 4.0}
grid: {spacing: [0.09, 0.09, 0.09, 0.09, 0.09, 0.09], threshold: 8.0e-9, scheme: reference}
initial: {mean: [4.5, 4, 4, 4, 4, 4], standard_deviation: [0.2, 0.2, 0.2, 0.2, 0.2, 0.2]}
time: {end: 1, records: 1}
"""

    PARTICLES = """\
app: gbees
model: {name: lorenz63}
grid: {spacing: [1, 1, 1], threshold: 1.0e-6}
initial: {mean: [-11.5, -10, 9.5], standard_deviation: [1, 1, 1]}
measurements: [{time: 0.1, variable: z, value: 2, variance: 4}]
time: {end: 0.2, records: 2}
validate: {monte_carlo: {samples: %d}}
"""

    def test_start_of_a_grid_of_millions_of_cells(self):
        for after in (0.5, 4):
            with self.subTest(after):
                self.assertIn("before the first step", self.assert_ends_soon(self.FINE, after))

    def test_particles(self):
        for after in (0.2, 1, 2.5):
            with self.subTest(after):
                self.assert_ends_soon(self.PARTICLES % 4e6, after)

    def interrupt_again_and_again(self, text, between, growth=1.04):
        """The stages (attributes of the restart files) at which a run was interrupted until it
        ended, with the bits of one that was not."""
        self.write("input.yaml", text)
        self.succeed("input.yaml", "-q", "--backend", "serial", "--output", "whole.h5")
        stages, restart = [], ()
        for attempt in range(100):
            process = self.start(
                "input.yaml",
                "--backend",
                "serial",
                "--progress",
                "off",
                "--output",
                "part.h5",
                "--force",
                *restart,
            )
            while "running on" not in process.stderr.readline():
                self.assertIsNone(process.poll())
            begin = seconds_on_a_core(process.pid)
            # The loop ends on any machine.
            while (
                process.poll() is None
                and seconds_on_a_core(process.pid) < begin + between * growth**attempt
            ):
                time.sleep(0.002)
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=TIMEOUT)
            if process.returncode == 0:
                self.assert_same_bits("whole.h5", "part.h5")
                return stages
            self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
            if os.path.exists(self.path("part.restart.h5")):
                restart = ("--restart", "part.restart.h5")
                with h5py.File(self.path("part.restart.h5")) as file:
                    stages.append(dict(file["state"].attrs))
        self.fail("the run does not end")

    def test_particles_go_on(self):
        stages = self.interrupt_again_and_again(self.PARTICLES % 1e5, 0.1)
        self.assertIn(1, [stage.get("stage") for stage in stages])  # while they are moved

    def test_a_study_goes_on(self):
        """Also from where its next run has not begun."""
        coarse = (
            self.FINE.replace("0.09", "0.25")
            .replace("8.0e-9", "1.0e-6")
            .replace("end: 1", "end: 0.02")
        )
        stages = self.interrupt_again_and_again(
            coarse
            + "study: {cfl: [1], reference_cfl: 0.5, spacing: [0.9], reference_spacing: 0.8}\n",
            0.05,
            growth=1.15,
        )
        self.assertIn(False, [stage.get("has_begun") for stage in stages])


if __name__ == "__main__":
    run_cases.main()
