# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What the cells of tessera-gbees cannot tell is told: a warning with the key to change, or an
error."""

import math

import h5py
import numpy as np

import run_cases
from cli_support import INPUT, NUMERICAL, CommandLineTest


def normal(low, high):
    return 0.5 * (math.erf(high / math.sqrt(2)) - math.erf(low / math.sqrt(2)))


STILL = """\
app: gbees
model: {variables: [x], equations: ["0"]}
initial: {mean: [0], standard_deviation: [1]}
time: {end: 2, records: 1}
"""


def still_plane(initial):
    """The same of two variables, with this mean and spread."""
    return (
        STILL.replace("[x]", "[x, y]")
        .replace('["0"]', '["0", "0"]')
        .replace("mean: [0], standard_deviation: [1]", initial)
    )


SPARSE = """\
app: gbees
model:
  variables: [x]
  tables: {orbit: {file: orbit.csv, columns: [X], names: [xs], interpolate: %s}}
  equations: ["0"]
initial: {mean: [0], standard_deviation: [1]}
time: {end: 3000, records: 3}
"""


class Resolution(CommandLineTest):
    hears_of_resolution = True

    def run_text(self, text, *arguments):
        self.write("input.yaml", text)
        outcome = self.succeed("input.yaml", "--force", "-q", *arguments)
        with h5py.File(self.path("input.h5")) as file:
            found = {}
            file.visititems(
                lambda name, item: found.update({name: item[()]})
                if isinstance(item, h5py.Dataset)
                else None
            )
        return outcome.err, found

    def region(self, inside, text=STILL):
        err, found = self.run_text(text + f'regions: [{{name: here, inside: "{inside}"}}]\n')
        return err, found["results/regions/here/probability"][-1]

    def test_region_within_a_cell(self):
        for low, high in ((0.29, 0.31), (-0.77, -0.74), (1.2, 1.26)):
            err, probability = self.region(f"x > {low} and x < {high}")
            self.assertAlmostEqual(probability / normal(low, high), 1, delta=0.1)
            self.assertIn("narrower than the cells", err)
            self.assertIn("grid.spacing", err)

    def test_wide_region(self):
        err, probability = self.region("x > -1.2 and x < 1.6")
        self.assertAlmostEqual(probability, normal(-1.2, 1.6), delta=5e-3)
        self.assertNotIn("region", err)

    def test_region_too_small_to_find(self):
        err, probability = self.region("abs(x - 0.3) < 1.0e-9")
        self.assertEqual(probability, 0)
        self.assertIn("no cell of the grid has a part in the region 'here'", err)

    def test_start_between_the_axes(self):
        """Narrow along the diagonal: cells along the axes do not hold it, and cells along its own
        axes do."""
        text = still_plane("mean: [0, 0], covariance: [[0.25, 0.2499], [0.2499, 0.25]]")
        err, _ = self.run_text(text + "grid: {spacing: [0.1, 0.1]}\n")
        self.assertIn(
            "at the start the density is narrower than the cells along a direction between the axes, with a standard deviation of 0.1 cells",
            err,
        )
        self.assertIn("grid.rotate", err)
        err, _ = self.run_text(text + "grid: {rotate: true}\n")
        self.assertNotIn("at the start", err)

    def test_spread_between_many_measurements(self):
        """Each of 200 measurements of an oscillator finds the density wider by a little only, and
        at the end it is three times as wide as Kalman's, 0.00269."""
        times = np.linspace(0.01, 2.9, 200)
        self.write("m.csv", "time,x\n" + "".join(f"{t:.6f},{math.cos(t):.6f}\n" for t in times))
        err, found = self.run_text(
            "app: gbees\nmodel: {variables: [x, v], equations: [v, -x]}\n"
            "grid: {spacing: [0.05, 0.05], threshold: 1.0e-8}\n"
            "initial: {mean: [1, 0], standard_deviation: [0.3, 0.3]}\n"
            "measurement_table: {file: m.csv, variable: x, variance: 0.3}\n"
            "time: {end: 3, records: 1}\n"
        )
        self.assertGreater(found["results/covariance"][-1, 1, 1], 2.5 * 0.00269)
        self.assertRegex(err, "the density is wider along v .* has grown by [4-9][0-9] %")

    def test_invariants_that_are_none(self):
        text = still_plane("mean: [1, 0], standard_deviation: [0.3, 0.3]")
        grid = "grid: {spacing: [0.1, 0.1]}\n"
        for equations, invariant, is_one in (
            ('["1", "0"]', "x", False),
            ('["1", "0"]', "y", True),
            ('["-y", "x"]', "x + y", False),
            ('["-y", "x"]', "x^2 + 2*y^2", False),
            ('["-y", "x"]', "1000 + x^2 + y^2", True),
            ('["0", "0"]', "x*y", True),
        ):
            with self.subTest(equations=equations, invariant=invariant):
                self.write(
                    "input.yaml",
                    text.replace('["0", "0"]', f'{equations}, invariant: "{invariant}"') + grid,
                )
                if is_one:
                    self.succeed("input.yaml", "-q", "--validate")
                else:
                    self.assert_mentions(
                        self.call("input.yaml", "-q", "--validate"),
                        INPUT,
                        f"the dynamics change '{invariant}'",
                    )

    def test_wider_than_the_particles(self):
        """x' = -x^3 narrows a density, and cells of half a standard deviation hold that up: its
        variance is 0.0861."""
        text = STILL.replace('["0"]', '["-x^3"]').replace(
            "standard_deviation: [1]", "standard_deviation: [0.5]"
        )
        err, found = self.run_text(text + "validate: {monte_carlo: {samples: 100000}}\n")
        self.assertRegex(
            err,
            r"at t = 2 the density is wider along x than the particles of validate.monte_carlo: its standard deviation is 0.3\d+, "
            r"and theirs 0.29\d*; lower grid.spacing",
        )
        err, found = self.run_text(
            text + "grid: {spacing: [0.02]}\nvalidate: {monte_carlo: {samples: 100000}}\n"
        )
        self.assertNotIn("wider along x than the particles", err)
        self.assertAlmostEqual(found["results/covariance"][-1, 0, 0] / 0.0861, 1, delta=0.03)

    def test_disc_in_a_turned_grid(self):
        """A case of S. Alfano's, as the probability of a hit in the plane of an encounter; the
        value by quadrature."""
        text = """\
app: gbees
model: {variables: [x, y], equations: ["0", "0"]}
initial: {mean: [2.449490, 0], covariance: [[2333938.111, -1389646.479], [-1389646.479, 827413.8203]]}
grid: {rotate: true}
time: {end: 1, records: 1}
"""
        err, probability = self.region("hypot(x, y) < 10", text)
        self.assertAlmostEqual(probability / 0.0043355, 1, delta=0.15)
        self.assertIn("narrower than the cells", err)

    def test_absorbing_region_within_a_cell(self):
        err, _ = self.run_text(
            """\
app: gbees
model: {variables: [x, y], equations: ["1", "0"]}
initial: {mean: [0, 0], standard_deviation: [1, 1]}
regions: [{name: hit, inside: "hypot(x - 10, y) < 0.2", absorb: true}]
time: {end: 14, records: 1}
"""
        )
        self.assertIn("the region 'hit' is narrower than the cells", err)

    def test_sharp_measurement(self):
        self.write(
            "input.yaml",
            STILL + "measurements: [{time: 1, variable: x, value: 0.25, variance: 1.0e-4}]\n",
        )
        outcome = self.call("input.yaml", "--force", "-q")
        self.assert_mentions(outcome, NUMERICAL, "so sharp", "grid.spacing")

    def test_measurements_that_are_sharp_between_the_axes_or_aside(self):
        """A run gives the evidence, by a sum over fine points, or says that it does not; whether
        the sharp direction is one of the axes, and whether the quantity changes at the mean, or
        not."""
        text = (
            still_plane("mean: [%g, 0], standard_deviation: [0.6, 0.6]")
            + "grid: {spacing: [0.1, 0.1], threshold: 1.0e-9}\n"
            "measurements: [{time: 1, variable: '%s', value: %g, variance: %g}]\n"
        )
        fine = np.linspace(-4, 4, 2001) * 0.6
        x, y = np.meshgrid(fine, fine)
        weight = np.exp(-0.5 * (x**2 + y**2) / 0.36)
        weight /= weight.sum()
        for mean, quantity, value, variance, is_resolved in (
            (0, "x + 0.7*y", 0.3, 1e-6, False),
            (0, "2*x + 3*y", 0.25, 1e-6, False),
            (0, "x + y", 0.3, 1e-6, False),
            (0, "x^2 + y^2", 1, 1e-4, False),
            (1, "atan2(y, x)", 0.3, 1e-6, False),
            (0, "x + 0.7*y", 0.3, 0.02, True),
            (0, "x^2 + y^2", 1, 0.2, True),
            (1, "atan2(y, x)", 0.3, 0.01, True),
        ):
            with self.subTest(quantity=quantity, variance=variance):
                self.write("input.yaml", text % (mean, quantity, value, variance))
                outcome = self.call("input.yaml", "--force", "-q")
                if not is_resolved:
                    self.assertIn(outcome.status, (0, NUMERICAL))
                    self.assertIn("lower grid.spacing", outcome.err)
                    continue
                self.assertEqual(outcome.status, 0, outcome.err)
                at = x + mean
                h = {"x + 0.7*y": at + 0.7 * y, "x^2 + y^2": at**2 + y**2}.get(
                    quantity, np.arctan2(y, at)
                )
                likelihood = np.exp(-0.5 * (h - value) ** 2 / variance)
                exact = math.log((weight * likelihood).sum() / math.sqrt(2 * math.pi * variance))
                with h5py.File(self.path("input.h5")) as file:
                    found = file["results/measurements/log_evidence"][0]
                self.assertAlmostEqual(found, exact, delta=0.03)

    def test_rather_sharp_measurement(self):
        err, found = self.run_text(
            STILL + "measurements: [{time: 1, variable: x, value: 0.25, variance: 0.16}]\n"
        )
        self.assertIn("as sharp as 0.8 cells", err)
        total = 1.16
        self.assertAlmostEqual(
            found["results/measurements/log_evidence"][0],
            -0.5 * (0.25**2 / total + math.log(2 * math.pi * total)),
            delta=1e-3,
        )

    def test_measurement_that_cells_resolve(self):
        err, _ = self.run_text(
            STILL + "measurements: [{time: 1, variable: x, value: 0.25, variance: 1}]\n"
        )
        self.assertEqual(err, "")

    def test_sharp_likelihood(self):
        self.write(
            "input.yaml",
            STILL + 'measurements: [{time: 1, likelihood: "exp(-((x - 0.25)/0.02)^2)"}]\n',
        )
        self.assert_mentions(
            self.call("input.yaml", "--force", "-q"), NUMERICAL, "likelihood", "grid.spacing"
        )
        err, _ = self.run_text(
            STILL + 'measurements: [{time: 1, likelihood: "exp(-(x - 0.25)^2)"}]\n'
        )
        self.assertEqual(err, "")

    def test_distant_measurement(self):
        for value in (6, 7, -8):
            err, _ = self.run_text(
                STILL
                + f"measurements: [{{time: 1, variable: x, value: {value}, variance: 0.36}}]\n"
            )
            self.assertIn("standard deviations from what the density predicts", err)

    def test_measurement_beyond_the_cells(self):
        err, _ = self.run_text(
            STILL + "measurements: [{time: 1, variable: x, value: 8, variance: 0.36}]\n"
        )
        self.assertIn("the cells of the grid reach from", err)
        self.assertIn("grid.threshold", err)

    def test_numerical_diffusion(self):
        text = """\
app: gbees
model: {variables: [x, v], equations: [v, -x]}
initial: {mean: [1, 0], standard_deviation: [0.1, 0.1]}
time: {end: 6.283185307, records: 1}
"""
        err, found = self.run_text(text)
        excess = found["results/covariance"][-1, 0, 0] / 0.01 - 1
        self.assertGreater(excess, 0.05)
        self.assertIn("lower grid.spacing", err)
        err, found = self.run_text(text, "grid.spacing=[0.01, 0.01]", "time.end=1.0")
        self.assertLess(found["results/covariance"][-1, 0, 0] / 0.01 - 1, 0.05)
        self.assertEqual(err, "")

    def test_particles_that_contradict(self):
        err, _ = self.run_text(
            """\
app: gbees
model: {variables: [x], equations: ["-x^3"]}
initial: {mean: [1], standard_deviation: [0.2]}
time: {end: 3, records: 1}
validate: {monte_carlo: {samples: 50000}}
"""
        )
        self.assertIn("grid.spacing", err)

    def test_motion_within_a_cell(self):
        err, _ = self.run_text(
            """\
app: gbees
model: {name: linear, matrix: [[0, 1], [-1, -20]]}
initial: {mean: [1, 0], standard_deviation: [0.1, 0.1]}
time: {end: 6, records: 3}
"""
        )
        self.assertIn("motion", err)
        self.assertIn("grid.spacing along", err)

    def test_blow_up(self):
        self.write(
            "input.yaml",
            """\
app: gbees
model: {variables: [x], equations: ["x^2"]}
initial: {mean: [1], standard_deviation: [0.05]}
time: {end: 2, records: 1}
""",
        )
        process = self.start("input.yaml", "--force", "-q")
        line = process.stderr.readline()
        self.assertIn("it is never reached", line)

    def test_header_only(self):
        self.write("m.csv", "time,x\n")
        self.write(
            "input.yaml", STILL + "measurement_table: {file: m.csv, variable: x, variance: 0.25}\n"
        )
        self.assert_mentions(
            self.call("input.yaml"), INPUT, "m.csv: there are no numbers in this file"
        )

    def test_sparse_table(self):
        rows = "".join(
            f"{t},{7000 * math.cos(t * 2 * math.pi / 5580):.9f}\n" for t in range(0, 10801, 3600)
        )
        self.write("orbit.csv", "time,X\n" + rows)
        for interpolate in ("linear", "hermite", "chebyshev"):
            err, _ = self.run_text(SPARSE % interpolate)
            self.assertIn("far apart for its column 'X'", err)
        dense = "".join(
            f"{t},{7000 * math.cos(t * 2 * math.pi / 5580):.9f}\n" for t in range(0, 10801, 60)
        )
        self.write("orbit.csv", "time,X\n" + dense)
        for interpolate in ("hermite", "chebyshev"):
            err, _ = self.run_text(SPARSE % interpolate)
            self.assertEqual(err, "")

    def test_close_rows_do_not_hide_long_intervals(self):
        times = sorted([t for t in range(0, 10801, 3600)] + [t + 30 for t in range(0, 10801, 3600)])
        rows = "".join(f"{t},{7000 * math.cos(t * 2 * math.pi / 5580):.9f}\n" for t in times)
        self.write("orbit.csv", "time,X\n" + rows)
        for interpolate in ("linear", "hermite", "chebyshev"):
            err, _ = self.run_text(SPARSE % interpolate)
            self.assertIn("far apart for its column 'X'", err)

    def test_a_table_changed_behind_the_end_of_a_run(self):
        text = """\
app: gbees
model:
  variables: [x]
  tables: {wind: {file: w.csv, columns: [w], interpolate: %s}}
  equations: ["w"]
initial: {mean: [0], standard_deviation: [0.1]}
grid: {spacing: [0.05]}
time: {end: %s, records: 1}
run: {keep_restart: true}
"""
        rows = [
            "0,0",
            "1,1",
            "2,3",
            "3,2",
            "4,1",
            "5,0",
            "6,1",
            "7,2",
            "8,1",
            "9,0",
            "10,1",
            "11,0",
        ]
        for interpolate, used in (("linear", 3), ("hermite", 5), ("chebyshev", 8)):
            self.write("w.csv", "\n".join(["time,w", *rows]) + "\n")
            self.write("input.yaml", text % (interpolate, 1.5))
            self.succeed("input.yaml", "--force", "-q")
            self.write("longer.yaml", text % (interpolate, 2.5))
            for k in range(len(rows)):
                changed = rows.copy()
                changed[k] = changed[k].split(",")[0] + ",7"
                self.write("w.csv", "\n".join(["time,w", *changed, "12,1"]) + "\n")
                arguments = ["longer.yaml", "--restart", "input.restart.h5", "--force", "-q"]
                if k < used:
                    self.assert_mentions(
                        self.call(*arguments),
                        INPUT,
                        "the table 'wind' is not the one",
                        "start again",
                    )
                else:
                    self.succeed(*arguments)

    def test_rows_that_change_the_curve_of_a_run(self):
        text = """\
app: gbees
model:
  variables: [x]
  tables: {wind: {file: w.csv, columns: [w]}}
  equations: ["w"]
initial: {mean: [0], standard_deviation: [0.1]}
grid: {spacing: [0.05]}
time: {end: %s, records: 1}
run: {keep_restart: true}
"""
        rows = "time,w\n" + "".join(f"{t},{math.sin(t / 2):.6f}\n" for t in range(7))
        self.write("w.csv", rows)
        self.write("input.yaml", text % 5.5)
        self.succeed("input.yaml", "--force", "-q")
        self.write("w.csv", rows + "7,-0.35\n8,-0.75\n")
        self.write("longer.yaml", text % 7)
        err = self.succeed("longer.yaml", "--restart", "input.restart.h5", "--force").err
        self.assertIn("the rows added to the table 'wind' change its curve before t = 5.5", err)

    def test_rows_behind_the_end_of_a_run(self):
        text = """\
app: gbees
model: {variables: [x], equations: ["-x"], noise: [0.1]}
initial: {mean: [1], standard_deviation: [0.1]}
grid: {spacing: [0.02]}
measurement_table: {file: m.csv, variable: x, columns: [z], variance: 0.25}
time: {end: %s, records: 1}
run: {keep_restart: true}
"""
        self.write("m.csv", "time,z\n1,0.5\n2,0.3\n")
        self.write("input.yaml", text % 2.5)
        self.succeed("input.yaml", "--force", "-q")
        more = "time,z\n1,0.5\n2,0.3\n3,0.2\n"
        self.write("m.csv", more)
        self.write("longer.yaml", text % 3.5)
        self.succeed("longer.yaml", "--restart", "input.restart.h5", "--force", "-q")
        with h5py.File(self.path("longer.h5")) as file:
            self.assertEqual(len(file["results/measurements/time"]), 3)
        self.write("m.csv", more.replace("0.3", "0.4"))
        self.assert_mentions(
            self.call("longer.yaml", "--restart", "input.restart.h5", "--force", "-q"),
            INPUT,
            "measurement 2",
            "start again",
        )

    def test_whole_characters(self):
        for equation, character in (("-x·2", "·"), ("−x", "−"), ("x + 2 € x", "€")):
            self.write("input.yaml", STILL.replace('"0"', f'"{equation}"'))
            self.assert_mentions(self.call("input.yaml", "--validate"), INPUT, f"'{character}'")


if __name__ == "__main__":
    run_cases.main()
