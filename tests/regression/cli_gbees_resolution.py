# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What lies within the cells of a grid of tessera-gbees that stays is found, and what they cannot
tell is told: a warning with the key to change, or an error."""

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

    def start(self, *arguments, **options):
        stays = ["grid.follow=none"] if arguments[0].endswith(".yaml") else []
        return super().start(*arguments, *stays, **options)

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
            self.assertAlmostEqual(probability / normal(low, high), 1, delta=1e-4)
            self.assertEqual(err, "")
        err, probability = self.region("abs(x - 0.3) < 1.0e-9")
        self.assertAlmostEqual(probability / 7.62782e-10, 1, delta=1e-4)
        self.assertEqual(err, "")

    def test_wide_region(self):
        for low, high in ((-1.2, 1.6), (0.13, 60), (3.1, 60)):
            err, probability = self.region(f"x > {low} and x < {high}")
            self.assertAlmostEqual(probability / normal(low, high), 1, delta=2e-4)
            self.assertEqual(err, "")

    def test_region_beyond_the_cells(self):
        err, probability = self.region("x > 50")
        self.assertEqual(probability, 0)
        self.assertIn("no cell of the grid has a part in the region 'here'", err)
        self.assertIn("grid.threshold", err)

    def test_slab_between_the_axes(self):
        """It is found, however thin; what is not known of its probability is told."""
        text = still_plane("mean: [0, 0], standard_deviation: [1, 1]")
        for width, is_known in ((0.004, True), (1e-6, False)):
            err, probability = self.region(f"abs(x - 1.7*y) < {width}", text)
            exact = 2 * width / math.sqrt(2 * math.pi * (1 + 1.7**2))
            if is_known:
                self.assertAlmostEqual(probability / exact, 1, delta=2e-3)
                self.assertEqual(err, "")
            else:
                self.assertIn("the region 'here' is so narrow beside the cells", err)
                self.assertIn("grid.spacing", err)

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

    def test_thin_start_without_a_spacing(self):
        """Cells along the variables resolve it however it turns."""
        text = (
            still_plane("mean: [0, 0], covariance: [[1, 0.99], [0.99, 1]]")
            .replace('["0", "0"]', '["y", "-x"]')
            .replace("end: 2", "end: 1")
        )
        err, found = self.run_text(text)
        self.assertNotIn("at the start", err)
        np.testing.assert_allclose(
            found["coordinates/spacing"], 0.5 * math.sqrt(1 - 0.99**2), rtol=1e-12
        )
        turn = np.array([[math.cos(1), math.sin(1)], [-math.sin(1), math.cos(1)]])
        exact = turn @ np.array([[1, 0.99], [0.99, 1]]) @ turn.T
        np.testing.assert_allclose(found["results/covariance"][-1], exact, atol=0.02)
        # so many variables that it is laid along the density instead
        many = "[" + ", ".join(f"x{i}" for i in range(1, 5)) + "]"
        covariance = [[1 if i == j else 0.99999 for j in range(4)] for i in range(4)]
        text = (
            STILL.replace("[x]", many)
            .replace('["0"]', '["0", "0", "0", "0"]')
            .replace(
                "mean: [0], standard_deviation: [1]",
                f"mean: [0, 0, 0, 0], covariance: {covariance}",
            )
        )
        err, found = self.run_text(text)
        self.assertIn("coordinates/axes", found)
        self.assertNotIn("at the start", err)

    def test_what_is_below_the_threshold_is_missed(self):
        text = STILL.replace('["0"]', '["0"], noise: ["x^2"]').replace(
            "mean: [0], standard_deviation: [1]", "mean: [1], standard_deviation: [0.2]"
        )
        err, _ = self.run_text(
            text.replace("end: 2", "end: 1") + "grid: {spacing: [0.05], threshold: 1.0e-6}\n"
        )
        self.assertIn("at t = 1 the density is narrower along x than the dynamics make it", err)
        self.assertIn("lower grid.threshold", err)

    def test_narrow_parts_of_a_mixture(self):
        """Cells are half a standard deviation of the narrowest part, along each axis."""
        text = STILL.replace(
            "mean: [0], standard_deviation: [1]",
            "mixture: [{weight: 1, mean: [-10], standard_deviation: [0.1]},"
            " {weight: 1, mean: [10], standard_deviation: [0.2]}]",
        ) + ("regions: [{name: beyond, inside: x > 10.2}, {name: left, inside: x < -10.1}]\n")
        for follow in ("none", "flow"):
            words, found = self.run_text(text, "grid.follow=" + follow)
            self.assertEqual(words, "")
            self.assertAlmostEqual(found["coordinates/spacing"][0], 0.05, delta=1e-12)
            for name in ("beyond", "left"):
                self.assertAlmostEqual(
                    found[f"results/regions/{name}/probability"][-1], normal(1, 9) / 2, delta=2e-4
                )
        words, _ = self.run_text(text, "grid.spacing=[1]")
        self.assertIn("a part of the mixture is narrower than the cells", words)
        self.assertIn("lower grid.spacing to 0.1 of what it is", words)

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
        self.assertAlmostEqual(probability / 0.00433546, 1, delta=1e-3)
        self.assertEqual(err, "")

    def test_disc_in_a_correlated_density(self):
        """The density within cells has no mixed terms: on a grid along the axes that shows."""
        text = still_plane("mean: [0, 0], covariance: [[1, 0.8], [0.8, 1]]")
        for x, y in ((0.1, 0.2), (0.7, 0.3), (-0.7, -0.72), (1.3, 1.7), (0.2, -0.3)):
            density = math.exp(-0.5 * (x * x - 1.6 * x * y + y * y) / 0.36) / (2 * math.pi * 0.6)
            exact = density * math.pi * 0.003**2
            disc = f"hypot(x - {x}, y - {y}) < 0.003"
            _, probability = self.region(disc, text + "grid: {spacing: [0.5, 0.5]}\n")
            self.assertAlmostEqual(probability / exact, 1, delta=0.1)
            _, probability = self.region(disc, text + "grid: {rotate: true}\n")
            self.assertAlmostEqual(probability / exact, 1, delta=3e-3)

    def absorbed(self, flow, spacing, radius=0.2, aside=0):
        """What a disc absorbs, to which the flow leads from a point beside the centre of a Gaussian."""
        length = math.hypot(*flow)
        x = (10 * flow[0] - aside * flow[1]) / length
        y = (10 * flow[1] + aside * flow[0]) / length
        err, found = self.run_text(
            f"""\
app: gbees
model: {{variables: [x, y], equations: ["{flow[0]}", "{flow[1]}"]}}
grid: {{spacing: [{spacing}, {spacing}]}}
initial: {{mean: [0, 0], standard_deviation: [1, 1]}}
regions:
  - name: hit
    inside: "hypot(x - {x}, y - {y}) < {radius}"
    absorb: true
time: {{end: 20, records: 1}}
"""
        )
        series = found["series/regions/hit/probability"]
        self.assertTrue(np.all(np.diff(series) >= 0))
        np.testing.assert_allclose(
            series + found["series/mass"] + found["series/lost_mass"], 1, rtol=0, atol=1e-12
        )
        return err, found["results/regions/hit/probability"][-1]

    def test_absorbing_region_within_a_cell(self):
        """The share of a cell that crosses it is absorbed: along an axis to 1 %, whatever the
        cells, and obliquely to a sixth, with a warning."""
        exact = normal(-0.2, 0.2)
        for spacing in (0.5, 0.25, 0.125):
            err, probability = self.absorbed((1, 0), spacing)
            self.assertAlmostEqual(probability / exact, 1, delta=0.01)
            self.assertNotIn("region", err)
        for spacing in (0.5, 0.25):
            err, probability = self.absorbed((0.8, 0.6), spacing)
            self.assertAlmostEqual(probability / exact, 1, delta=0.17)
            if spacing > 0.4:
                self.assertIn("the absorbing region 'hit' is so narrow beside the cells", err)
                self.assertIn("lower grid.spacing", err)

    def test_absorbing_region_of_some_cells(self):
        """The error falls with the cells, in any direction."""
        exact = normal(-1, 1)
        for flow in ((1, 0), (0.8, 0.6)):
            for spacing, error in ((0.5, 0.04), (0.25, 0.04), (0.0625, 0.02)):
                err, probability = self.absorbed(flow, spacing, radius=1)
                self.assertAlmostEqual(probability / exact, 1, delta=error, msg=(flow, spacing))
                self.assertNotIn("region", err)
        exact = normal(0.7, 2.7)
        for spacing, error in ((0.5, 0.26), (0.25, 0.11), (0.125, 0.07)):
            _, probability = self.absorbed((0.8, 0.6), spacing, radius=1, aside=1.7)
            self.assertAlmostEqual(probability / exact, 1, delta=error)

    def test_absorbing_region_at_the_start(self):
        """It takes what is in it, share by share."""
        text = STILL + 'regions: [{name: here, inside: "x > 0.3 and x < 0.5", absorb: true}]\n'
        _, found = self.run_text(text)
        self.assertAlmostEqual(
            found["results/regions/here/probability"][-1], normal(0.3, 0.5), delta=0.005
        )

    def test_sharp_measurement(self):
        """The cells cannot hold the density after it: an error, which tells its width and its
        evidence."""
        for value, variance, deviation in ((0.25, 1e-4, "0.01"), (4, 0.01, "0.0995")):
            self.write(
                "input.yaml",
                STILL
                + f"measurements: [{{time: 1, variable: x, value: {value}, variance: {variance}}}]\n",
            )
            outcome = self.call("input.yaml", "--force", "-q")
            self.assert_mentions(
                outcome,
                NUMERICAL,
                "input.yaml:5:16: the measurement at t = 1",
                f"has a standard deviation of {deviation[:4]}",
                "along x, where the cells have a size of 0.5",
                f"remedy: set grid.spacing along x to {deviation[:4]}",
            )
            total = 1 + variance
            exact = -0.5 * (value**2 / total + math.log(2 * math.pi * total))
            with h5py.File(self.path("input.h5")) as file:
                found = file["results/measurements/log_evidence"][0]
            self.assertAlmostEqual(found, exact, delta=1e-3)
            self.assertIn(f"logarithm is {found:.6g}, is right", outcome.err)

    def test_sharp_measurement_that_leads_beyond_the_cells(self):
        self.write(
            "input.yaml",
            STILL + "measurements: [{time: 1, variable: x, value: 6, variance: 0.01}]\n",
        )
        outcome = self.call("input.yaml", "--force", "-q")
        self.assert_mentions(outcome, NUMERICAL, "the cells of the grid reach from", "so sharp")
        self.assertNotIn("is right", outcome.err)

    def test_spacing_that_would_do(self):
        err, found = self.run_text(
            STILL.replace("time:", "grid: {spacing: [0.01]}\ntime:")
            + "measurements: [{time: 1, variable: x, value: 0.25, variance: 1.0e-4}]\n"
        )
        self.assertNotIn("so sharp", err)
        self.assertAlmostEqual(found["results/covariance"][-1, 0, 0], 1e-4, delta=1e-6)
        self.assertAlmostEqual(found["results/measurements/log_evidence"][0], -0.950235, delta=1e-5)

    def test_measurements_that_are_sharp_between_the_axes_or_aside(self):
        """A run gives the evidence, that of a sum over fine points, and says where the cells cannot
        hold the density after it; whether the sharp direction is one of the axes, and whether the
        quantity changes at the mean, or not."""
        text = (
            still_plane("mean: [%g, 0], standard_deviation: [0.6, 0.6]")
            + "grid: {spacing: [0.1, 0.1], threshold: 1.0e-9}\n"
            "measurements: [{time: 1, variable: '%s', value: %g, variance: %g}]\n"
        )
        fine = np.linspace(-4, 4, 2001) * 0.6
        x, y = np.meshgrid(fine, fine)
        weight = np.exp(-0.5 * (x**2 + y**2) / 0.36)
        weight /= weight.sum()
        for mean, quantity, value, variance, is_held in (
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
                is_ring = quantity == "x^2 + y^2"  # as wide as the cells allow, but not as thick
                self.assertEqual(
                    outcome.status, 0 if is_held or is_ring else NUMERICAL, outcome.err
                )
                if not is_held:
                    self.assertIn("lower grid.spacing", outcome.err)
                if not is_held and not is_ring and "is right" not in outcome.err:
                    continue  # too sharp for as many boxes as are looked at
                at = x + mean
                h = {
                    "x + y": at + y,
                    "x + 0.7*y": at + 0.7 * y,
                    "2*x + 3*y": 2 * at + 3 * y,
                    "x^2 + y^2": at**2 + y**2,
                    "atan2(y, x)": np.arctan2(y, at),
                }[quantity]
                # the sum over points sees no sharper error than this
                variance = max(variance, 1e-4)
                likelihood = np.exp(-0.5 * (h - value) ** 2 / variance)
                exact = math.log((weight * likelihood).sum() / math.sqrt(2 * math.pi * variance))
                with h5py.File(self.path("input.h5")) as file:
                    found = file["results/measurements/log_evidence"][0]
                self.assertAlmostEqual(found, exact, delta=3e-3)

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
        text = STILL + 'measurements: [{time: 1, likelihood: "%s"}]\n'
        bell = 0.02 * math.sqrt(math.pi) * math.exp(-0.5 * 0.25**2) / math.sqrt(2 * math.pi)
        self.write("input.yaml", text % "exp(-((x - 0.25)/0.02)^2)")
        outcome = self.call("input.yaml", "--force", "-q")
        self.assert_mentions(outcome, NUMERICAL, "the likelihood at t = 1", "grid.spacing")
        with h5py.File(self.path("input.h5")) as file:
            found = file["results/measurements/log_evidence"][0]
        self.assertAlmostEqual(found, math.log(bell), delta=2e-3)
        # a peak on a plain, which no edge and no centre of a cell tells
        err, found = self.run_text(text % "0.1 + exp(-((x - 0.3)/0.001)^2)")
        peak = 0.001 * math.exp(-0.045) / math.sqrt(2)
        self.assertAlmostEqual(
            found["results/measurements/log_evidence"][0], math.log(0.1 + peak), delta=2e-4
        )
        self.assertEqual(err, "")
        # a step within a cell
        err, found = self.run_text(text % "0.1 + 0.9*(x > 0.4)")
        self.assertAlmostEqual(
            found["results/measurements/log_evidence"][0],
            math.log(0.1 + 0.9 * normal(0.4, 60)),
            delta=6e-3,
        )
        self.assertEqual(err, "")
        err, _ = self.run_text(text % "exp(-(x - 0.25)^2)")
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

    def test_numerical_spread_in_the_results(self):
        oscillator = (
            "app: gbees\n"
            "model: {variables: [x, v], equations: [v, -x]}\n"
            "initial: {mean: [1, 0], standard_deviation: [0.1, 0.1]}\n"
            "time: {end: 1, records: 2}\n"
        )
        _, found = self.run_text(oscillator)
        spread = found["results/numerical_spread"]
        self.assertEqual(spread.shape, (3, 2))
        np.testing.assert_array_equal(spread[0], 0)
        widened = found["results/covariance"].diagonal(axis1=1, axis2=2) / 0.01 - 1
        np.testing.assert_allclose(spread[1:], widened[1:] - widened[0], atol=2e-4)
        self.assertGreater(spread[2].min(), 0.05)
        curved = oscillator.replace("[v, -x]", '[v, "-20*x^3"]').replace("[0.1, 0.1]", "[0.5, 0.5]")
        _, found = self.run_text(curved)
        self.assertTrue(np.isnan(found["results/numerical_spread"][-1]).all())

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
