# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Regions and credible sets of tessera-gbees beside closed forms."""

import math
import os

import h5py
import numpy as np

import run_cases
from cli_support import INPUT, RESOURCE, ROOT, SMALL, CommandLineTest, arrays, needs_backend

# Brownian motion with drift, from a narrow Gaussian.
BROWNIAN = """\
app: gbees
model: {variables: [x], equations: ["0.6 + 0*x"], noise: [0.5]}
grid: {spacing: [%g], threshold: 1.0e-12}
initial: {mean: [0], standard_deviation: [0.3]}
time: {end: 2, records: 4}
regions: [{name: wall, inside: x > 1.5, absorb: true}]
"""

# A Gaussian that is carried along x, and does not spread.
CARRIED = """\
app: gbees
model: {variables: [x, y], equations: ["1.0 + 0*x", "0*y"]}
grid: {spacing: [0.05, 0.05], threshold: 1.0e-10}
initial: {mean: [0, 0], standard_deviation: [0.4, 0.3]}
time: {end: 1, records: 2}
regions:
%s
"""


def cumulative(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


def first_passage(distance, drift, noise, time):
    """The probability that Brownian motion has gone that far."""
    spread = math.sqrt(noise * time)
    return cumulative((drift * time - distance) / spread) + math.exp(
        2 * drift * distance / noise
    ) * cumulative((-distance - drift * time) / spread)


class Regions(CommandLineTest):
    def run_with(self, text, *overrides, name="run", **options):
        self.write(name + ".yaml", text)
        self.succeed(name + ".yaml", "-q", "--force", *overrides, **options)
        return arrays(self.path(name + ".h5"))

    def brownian_error(self, spacing, wall=1.5):
        """Largest difference from first passages of the initial density, and the run."""
        results = self.run_with((BROWNIAN % spacing).replace("1.5", str(wall)))
        starts = np.linspace(-1.5, 1.5, 2001)
        weights = np.exp(-0.5 * (starts / 0.3) ** 2)
        errors = []
        for time, found in zip(
            results["results/regions/wall/time"], results["results/regions/wall/probability"]
        ):
            if time > 0:
                expected = np.average(
                    [first_passage(wall - x, 0.6, 0.5, time) if x < wall else 1 for x in starts],
                    weights=weights,
                )
                errors.append(abs(found - expected))
        return max(errors), results

    def test_first_passage(self):
        coarse, results = self.brownian_error(0.1)
        fine, _ = self.brownian_error(0.05)
        finer, _ = self.brownian_error(0.025)
        self.assertLess(coarse, 0.009)
        self.assertLess(fine, 0.72 * coarse)
        self.assertLess(finer, 0.6 * fine)
        np.testing.assert_allclose(results["results/regions/wall/time"], [0, 0.5, 1, 1.5, 2])
        for error, most in ((coarse, 0.006), (fine, 0.0017), (finer, 0.0005)):
            self.assertLess(error, most)

    def test_first_passage_of_an_edge_between_the_middles_of_cells(self):
        for spacing, most in ((0.1, 0.031), (0.05, 0.013), (0.025, 0.002)):
            self.assertLess(self.brownian_error(spacing, wall=1.52)[0], most)

    def test_everything_is_somewhere(self):
        """Absorbed, on the grid and lost: one, after every step."""
        _, results = self.brownian_error(0.1)
        absorbed = results["series/regions/wall/probability"]
        np.testing.assert_allclose(
            absorbed + results["series/mass"] + results["series/lost_mass"], 1, rtol=0, atol=1e-12
        )
        np.testing.assert_allclose(
            results["results/regions/wall/probability"]
            + results["results/mass"]
            + results["results/lost_mass"],
            1,
            rtol=0,
            atol=1e-12,
        )
        np.testing.assert_allclose(
            np.cumsum(results["series/regions/wall/rate"] * results["series/dt"]),
            absorbed,
            atol=1e-12,
        )
        self.assertTrue(np.all(np.diff(absorbed) >= 0))
        self.assertEqual(absorbed[-1], results["results/regions/wall/probability"][-1])

    def test_a_run_whose_density_is_absorbed(self):
        """It ends there, with all that was known."""
        self.write(
            "run.yaml",
            "app: gbees\nmodel: {variables: [x], equations: ['1']}\n"
            "grid: {spacing: [0.05], threshold: 1.0e-10}\n"
            "initial: {mean: [0], standard_deviation: [0.3]}\n"
            "regions: [{name: wall, inside: x > 1, absorb: true}]\ntime: {end: 4, records: 4}\n",
        )
        err = self.succeed("run.yaml", "-q", "-o", "run.h5").err
        self.assertIn("the regions have absorbed all of the probability at t = 2.95", err)
        self.assertIn("set time.end to this time", err)
        with h5py.File(self.path("run.h5")) as file:
            self.assertEqual(file.attrs["run_status"], "complete")
            wall = file["results/regions/wall"]
            np.testing.assert_allclose(wall["time"], [0, 1, 2, 2.95], rtol=1e-12)
            np.testing.assert_allclose(
                wall["probability"], [0, 0.5, cumulative(1 / 0.3), 1], atol=0.04
            )
            self.assertAlmostEqual(wall["probability"][-1], 1, delta=1e-8)
            np.testing.assert_array_equal(file["results/time"], [0, 1, 2])

    def test_a_region_that_sweeps_over_the_density(self):
        """All of the density is in it once; steps of a cell's crossing see that."""
        text = (
            "app: gbees\nmodel: {variables: [x], equations: ['0.1']}\n"
            "grid: {spacing: [0.05], threshold: 1.0e-10}\n"
            "initial: {mean: [0], standard_deviation: [0.3]}\n"
            "regions: [{name: sweep, inside: 'abs(x - 4*(t - 1)) < 0.2', absorb: true}]\n"
        )
        self.write("run.yaml", text + "time: {end: 2, records: 2}\n")
        err = self.succeed("run.yaml", "-q", "-o", "run.h5").err
        self.assertIn("the absorbing region 'sweep' changes with the time", err)
        self.assertIn("time.longest_step", err)
        self.write("run.yaml", text + "time: {end: 2, records: 2, longest_step: 0.0125}\n")
        err = self.succeed("run.yaml", "-q", "-o", "run.h5", "--force").err
        self.assertNotIn("changes with the time", err)
        with h5py.File(self.path("run.h5")) as file:
            found = file["results/regions/sweep/probability"][-1]
        self.assertAlmostEqual(found, 1, delta=1e-3)

    def test_a_linear_system_into_a_half_space(self):
        """What has been in it is what would have got beyond its edge; on a turned grid too."""
        for rotate in ("false", "true"):
            text = CARRIED % "  - {name: beyond, inside: x + 0.5*y > 0.8125, absorb: true}"
            results = self.run_with(
                text.replace(
                    "standard_deviation: [0.4, 0.3]", "covariance: [[0.16, 0.03], [0.03, 0.09]]"
                ),
                "grid.rotate=" + rotate,
            )
            spread = math.sqrt(0.16 + 0.03 + 0.25 * 0.09)
            for time, found in zip(
                results["results/regions/beyond/time"][1:],
                results["results/regions/beyond/probability"][1:],
            ):
                self.assertAlmostEqual(found, cumulative((time - 0.8125) / spread), delta=0.02)

    def test_looked_at(self):
        """Regions that do not absorb: at records, and at times of their own, which change no
        record."""
        region = "  - {name: late, inside: x > 0.775, at: [0.25, 0.7, 1]}\n  - {name: always, inside: x > 0.775}"
        results = self.run_with((CARRIED % region).replace("{spacing", "{follow: none, spacing"))
        np.testing.assert_array_equal(results["results/regions/late/time"], [0.25, 0.7, 1])
        np.testing.assert_array_equal(
            results["results/regions/always/time"], results["results/time"]
        )
        for name in ("late", "always"):
            for time, found in zip(
                results[f"results/regions/{name}/time"],
                results[f"results/regions/{name}/probability"],
            ):
                self.assertAlmostEqual(found, cumulative((time - 0.775) / 0.4), delta=2e-3)
        self.assertEqual(
            results["results/regions/late/probability"][-1],
            results["results/regions/always/probability"][-1],
        )
        self.assertTrue(np.all(np.isin([0.25, 0.7], results["series/time"])))
        np.testing.assert_array_equal(results["results/time"], [0, 0.5, 1])

    def test_looking_changes_nothing(self):
        plain = (CARRIED % "").replace("regions:\n", "")
        self.write("plain.yaml", plain)
        self.succeed("plain.yaml", "-q")
        self.run_with(
            CARRIED % "  - {name: always, inside: x > 0.3}", "output.credible=[0.5]", name="looked"
        )
        first, second = arrays(self.path("plain.h5")), arrays(self.path("looked.h5"))
        for name, values in first.items():
            np.testing.assert_array_equal(values, second[name], err_msg=name)

    def test_cut_cells(self):
        """A disc by the parts of the cells that its edge cuts, at any spacing."""
        for spacing in (0.2, 0.1, 0.05):
            results = self.run_with(
                CARRIED % "  - {name: disc, inside: 'hypot(x/0.4, y/0.3) < 1.3'}",
                f"grid.spacing=[{spacing}, {spacing}]",
            )
            self.assertAlmostEqual(
                results["results/regions/disc/probability"][0],
                1 - math.exp(-0.5 * 1.3**2),
                delta=5e-5,
            )

    def test_a_region_that_moves(self):
        text = CARRIED % "  - {name: fellow, inside: abs(x - t) < 0.2, at: [0.1, 0.5, 0.6, 1]}"
        for follow in ("none", "flow"):
            results = self.run_with(text.replace("{spacing", "{follow: %s, spacing" % follow))
            self.assertEqual(len(results["results/regions/fellow/probability"]), 4)
            for found in results["results/regions/fellow/probability"]:
                self.assertAlmostEqual(found, 2 * cumulative(0.5) - 1, delta=6e-3)

    def test_regions_on_many_variables(self):
        """More than three: cut cells are told by the middles of their faces."""
        text = """\
app: gbees
model: {variables: [a, b, c, d], equations: [0*a, 0*b, 0*c, 0*d]}
grid: {spacing: [0.25, 0.25, 0.25, 0.25], threshold: 1.0e-9}
initial: {mean: [0, 0, 0, 0], standard_deviation: [1, 1, 1, 1]}
time: {end: 1, records: 1}
regions: [{name: ball, inside: a^2 + b^2 + c^2 + d^2 < 4}]
"""
        found = self.run_with(text)["results/regions/ball/probability"][0]
        self.assertAlmostEqual(found, 1 - math.exp(-2) * (1 + 2), delta=4e-3)

    HISTOGRAM = (
        CARRIED
        % """\
  - name: wall
    inside: x > 0.6
    absorb: true
    histograms: [{of: y, low: -0.3, high: 0.6, bins: 9}, {of: 10*t, low: 0, high: 10, bins: 5}]
"""
    )

    def test_histograms(self):
        results = self.run_with(self.HISTOGRAM)
        absorbed = results["results/regions/wall/probability"][-1]
        where, when = (
            results[f"results/regions/wall/histogram_{h}/probability"][0] for h in (1, 2)
        )
        self.assertEqual((where.shape, when.shape), ((11,), (7,)))
        self.assertAlmostEqual(where.sum(), absorbed, delta=1e-12)
        self.assertAlmostEqual(when.sum(), absorbed, delta=1e-12)
        # y keeps its distribution; the bins' edges lie in the middle of cells
        self.assertAlmostEqual(where[0] / absorbed, cumulative(-1), delta=0.03)
        self.assertAlmostEqual(where[10] / absorbed, cumulative(-2), delta=0.01)
        series, time = results["series/regions/wall/probability"], results["series/time"]
        self.assertAlmostEqual(when[1], series[time < 0.2][-1], delta=1e-12)

    def test_accounts_begin_anew_with_a_measurement(self):
        text = (
            self.HISTOGRAM + "measurements: [{time: 0.5, variable: y, value: 0, variance: 0.1}]\n"
        )
        results = self.run_with(text)
        np.testing.assert_allclose(results["results/time"], [0, 0.25, 0.5, 0.5, 0.75, 1])
        probability = results["results/regions/wall/probability"]
        self.assertGreater(probability[2], 0.1)
        self.assertEqual(probability[3], 0)
        np.testing.assert_allclose(
            probability + results["results/mass"] + results["results/lost_mass"],
            1,
            rtol=0,
            atol=1e-12,
        )
        histogram = results["results/regions/wall/histogram_1/probability"]
        np.testing.assert_allclose(histogram.sum(axis=1), probability[[2, 5]], atol=1e-12)
        rate, dt = results["series/regions/wall/rate"], results["series/dt"]
        first = results["series/time"] <= 0.5
        self.assertAlmostEqual((rate * dt)[first].sum(), probability[2], delta=1e-12)
        self.assertAlmostEqual((rate * dt)[~first].sum(), probability[5], delta=1e-12)

    def test_single_storage(self):
        double, single = self.run_with(self.HISTOGRAM), self.run_with(
            self.HISTOGRAM, "grid.storage=single"
        )
        np.testing.assert_allclose(
            single["results/regions/wall/probability"],
            double["results/regions/wall/probability"],
            atol=1e-6,
        )
        total = (
            single["series/regions/wall/probability"]
            + single["series/mass"]
            + single["series/lost_mass"]
        )
        np.testing.assert_allclose(total, 1, atol=1e-6)

    def test_a_restart_goes_on(self):
        text = (
            self.HISTOGRAM.replace("0*y", "2*y")
            .replace("threshold: 1.0e-10", "threshold: 1.0e-13")
            .replace("spacing: [0.05, 0.05]", "spacing: [0.03, 0.03]")
            .replace(
                "  - name: wall",
                """\
  - {name: later, inside: y > 0, at: [0.3, 0.9]}
  - name: wall""",
            )
        )
        self.write("input.yaml", text)
        self.succeed("input.yaml", "-q", "--output", "whole.h5", "output.credible=[0.5, 0.9]")
        limited = self.call(
            "input.yaml",
            "-q",
            "--output",
            "part.h5",
            "run.memory_limit=4",
            "output.credible=[0.5, 0.9]",
        )
        self.assertEqual(limited.status, RESOURCE, limited.err)
        self.succeed(
            "input.yaml",
            "-q",
            "--output",
            "part.h5",
            "--force",
            "--restart",
            "part.restart.h5",
            "output.credible=[0.5, 0.9]",
        )
        self.assert_same_bits("whole.h5", "part.h5")

    @needs_backend("openmp")
    def test_threads(self):
        """The same bits for any number of them."""
        self.run_with(self.HISTOGRAM, "--backend", "openmp", name="one", threads=1)
        self.run_with(self.HISTOGRAM, "--backend", "openmp", name="two", threads=2)
        self.assert_same_bits("one.h5", "two.h5")

    def assert_rejected(self, region, *phrases):
        self.write("run.yaml", CARRIED % f"  - {region}")
        self.assert_mentions(self.call("run.yaml", "--validate"), INPUT, *phrases)

    def test_errors(self):
        self.assert_rejected(
            "{name: a, inside: x - 1}", "run.yaml:7:23: error: expected a condition such as x < 1"
        )
        self.assert_rejected("{name: a, inside: z < 1}", "run.yaml:7:23: error: unknown name 'z'")
        self.assert_rejected(
            "{name: a, inside: x <}", "run.yaml:7:26: error: the expression ends too early"
        )
        self.assert_rejected("{inside: x < 1}", "run.yaml:7:5: error: missing required key 'name'")
        self.assert_rejected(
            "{name: 1a, inside: x < 1}", "run.yaml:7:12: error: '1a' cannot be a name"
        )
        self.assert_rejected(
            "{name: a, inside: x < 1}\n  - {name: a, inside: x < 2}",
            "run.yaml:8:12: error: there are two regions of the name 'a'",
        )
        self.assert_rejected(
            "{name: a, inside: x < 1, at: [2]}",
            "run.yaml:7:34: error: a region is looked at until time.end",
        )
        self.assert_rejected(
            "{name: a, inside: x < 1, at: [0.5], absorb: true}",
            "an absorbing region is looked at after every step",
        )
        self.assert_rejected(
            "{name: a, inside: x < 1, histograms: [{of: y, low: 0, high: 1}]}",
            "give 'absorb: true'",
        )
        self.assert_rejected(
            "{name: a, inside: x < 1, absorb: true, histograms: [{of: w, low: 0, high: 1}]}",
            "run.yaml:7:62: error: unknown name 'w'",
        )
        self.assert_rejected(
            "{name: a, inside: x < 1, absorb: true, histograms: [{of: y, low: 1, high: 1}]}",
            "the histogram is empty",
        )
        self.write(
            "run.yaml",
            (CARRIED % "  - {name: a, inside: x < 1, absorb: true}").replace(
                "{spacing", "{scheme: reference, spacing"
            ),
        )
        self.assert_mentions(
            self.call("run.yaml", "--validate"),
            INPUT,
            "run.yaml:7:38: error: absorbing regions need the conservative scheme",
        )


class Credible(CommandLineTest):
    def results_of(self, text, *overrides):
        self.write("run.yaml", text)
        self.succeed("run.yaml", "-q", *overrides)
        return arrays(self.path("run.h5"))

    def test_of_a_gaussian_they_are_ellipsoids(self):
        text = """\
app: gbees
model: {variables: [x, y], equations: [0*x, 0*y]}
grid: {follow: none, spacing: [0.01, 0.01], threshold: 1.0e-12}
initial: {mean: [0, 0], covariance: [[0.25, 0.1], [0.1, 0.16]]}
time: {end: 1, records: 1}
output: {credible: [0.68, 0.95, 0.997], cells: true}
"""
        results = self.results_of(text)
        determinant = 0.25 * 0.16 - 0.01
        x, p = results["results/record_0/x"], results["results/record_0/p"]
        form = np.einsum("ni,ij,nj->n", x, np.linalg.inv([[0.25, 0.1], [0.1, 0.16]]), x)
        for number, level in enumerate((0.68, 0.95, 0.997)):
            squared_radius = -2 * math.log(1 - level)
            self.assertAlmostEqual(
                results["results/credible/volume"][0, number]
                / (math.pi * squared_radius * math.sqrt(determinant)),
                1,
                delta=2e-3,
            )
            peak = 1e-4 / (2 * math.pi * math.sqrt(determinant))
            self.assertAlmostEqual(
                results["results/credible/threshold"][0, number] / (peak * (1 - level)),
                1,
                delta=1e-2,
            )
            self.assertAlmostEqual(results["results/credible/mass"][0, number], level, delta=2e-4)
            self.assertGreaterEqual(results["results/credible/mass"][0, number], level)
            self.assertEqual(
                results["results/credible/cells"][0, number],
                np.count_nonzero(p >= results["results/credible/threshold"][0, number]),
            )
            inside = results["results/record_0/credible"] <= number + 1
            inside &= results["results/record_0/credible"] > 0
            self.assertLess(
                np.count_nonzero(inside != (form <= squared_radius)),
                0.01 * np.count_nonzero(inside),
            )

    def test_is_the_smallest_set(self):
        """In three dimensions, by sorting; stored in single precision too."""
        for storage in ("double", "single"):
            results = self.results_of(
                SMALL,
                "output.credible=[0.1, 0.68, 0.95]",
                "grid.follow=none",
                "grid.storage=" + storage,
                "--force",
            )
            for record in range(len(results["results/time"])):
                p = np.sort(results[f"results/record_{record}/p"])[::-1]
                for number, level in enumerate((0.1, 0.68, 0.95)):
                    held = np.cumsum(p)
                    count = np.searchsorted(held, level * results["results/mass"][record]) + 1
                    self.assertEqual(
                        results["results/credible/cells"][record, number],
                        count + np.count_nonzero(p[count:] == p[count - 1]),
                    )
                    self.assertEqual(
                        results["results/credible/threshold"][record, number], p[count - 1]
                    )
                self.assertEqual(
                    results["results/credible/volume"][record, 1],
                    results["results/credible/cells"][record, 1],
                )

    def test_errors(self):
        self.write("run.yaml", SMALL.replace("cells: true", "credible: [0.5, 1.5]"))
        self.assert_mentions(
            self.call("run.yaml", "--validate"), INPUT, "run.yaml:16:19: error:", "credible"
        )


class Example(CommandLineTest):
    def test_impact(self):
        """In coarse cells, and of few particles."""
        self.succeed(
            os.path.join(ROOT, "inputs", "gbees", "impact.yaml"),
            "-q",
            "--output",
            "impact.h5",
            "grid.threshold=1e-6",
            "validate.monte_carlo.samples=1000",
        )
        with h5py.File(self.path("impact.h5")) as file:
            impact = file["results/regions/impact/probability"][()]
            self.assertEqual(impact[0], 0)
            np.testing.assert_allclose(impact, file["results/monte_carlo/regions"][:, 0], atol=0.09)


if __name__ == "__main__":
    run_cases.main()
