# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Variables of tessera-gbees that lie on circles (model.periods): closed forms, particles, what the
input may say, restarts, refusals."""

import math

import h5py
import numpy as np

import run_cases
from cli_support import CommandLineTest

TURN = 2 * math.pi

CIRCLE = """\
app: gbees
model:
  variables: [angle]
  equations: ["1"]
  periods: {angle: 2*pi}
grid: {spacing: [0.05], threshold: 1.0e-12}
initial: {mean: [3], standard_deviation: [0.3]}
time: {end: 1, records: 1}
"""
PENDULUM = """\
app: gbees
model:
  variables: [angle, rate]
  equations: [rate, "-sin(angle) - 0.1*rate"]
  noise: [0, 0.1]
  periods: {angle: 2*pi}
grid: {spacing: [0.1, 0.1], threshold: 1.0e-8}
initial: {mean: [0, 2.4], standard_deviation: [0.2, 0.2]}
time: {end: 6, records: 2}
"""


def theta(angle, variance):
    """The wrapped normal density about 0, by its Fourier series."""
    n = np.arange(1, 60)
    waves = np.exp(-0.5 * n**2 * variance) * np.cos(np.multiply.outer(angle, n))
    return (1 + 2 * waves.sum(axis=-1)) / TURN


def shortest(difference):
    return (difference + math.pi) % TURN - math.pi


class Periods(CommandLineTest):
    hears_of_resolution = True

    def test_constant_velocity_gives_the_density_back(self):
        _, found = self.run_text(CIRCLE.replace("end: 1", f"end: {TURN}"))
        start, end = found["results/marginal_1d/x1"]
        self.assertEqual(len(start), 126)
        self.assertLess(abs(end - start).sum(), 2e-5)
        self.assertAlmostEqual(found["results/mean"][1][0], 3, delta=1e-5)
        np.testing.assert_allclose(
            found["results/mass"] + found["results/lost_mass"], 1, rtol=0, atol=1e-15
        )
        self.assertTrue((found["series/mass"] + found["series/lost_mass"] == 1).all())

    def test_diffusion_is_the_wrapped_normal(self):
        text = CIRCLE.replace('["1"]', '["0"]\n  noise: [0.4]').replace("end: 1", "end: 4")
        _, found = self.run_text(text)
        variance = 0.09 + 0.4 * found["results/time"]
        angle, width = found["coordinates/x1"], found["coordinates/spacing"][0]
        for row, its_variance in zip(found["results/marginal_1d/x1"], variance):
            exact = theta(angle - 3, its_variance)
            self.assertLess(abs(row / width - exact).max() / exact.max(), 4e-4)
        np.testing.assert_allclose(found["results/mean"].ravel(), 3, rtol=0, atol=1e-6)
        np.testing.assert_allclose(
            found["results/resultant_length"].ravel(), np.exp(-0.5 * variance), atol=2e-4
        )
        # the mean square of the deviation from the mean direction
        fine = np.linspace(-math.pi, math.pi, 20001)
        square = np.trapz(fine**2 * theta(fine, variance[-1]), fine)
        self.assertAlmostEqual(found["results/covariance"][-1][0][0], square, delta=2e-3)

    def test_wide_start_is_a_sum_over_turns(self):
        text = CIRCLE.replace("[0.3]", "[2]").replace('["1"]', '["0"]')
        err, found = self.run_text(text)
        self.assertIn(
            "input.yaml:7:42: a standard deviation of 2 is wide on a circle of 6.28319", err
        )
        width = found["coordinates/spacing"][0]
        np.testing.assert_allclose(
            found["results/marginal_1d/x1"][0] / width,
            theta(found["coordinates/x1"] - 3, 4),
            atol=1e-13,
        )

    def test_pendulum_beside_particles(self):
        """It turns over, is measured across the ends, and turns over again."""
        text = (
            PENDULUM.replace("end: 6", "end: 9")
            + """\
measurements:
  - {time: 4, variable: angle, value: 3.3, variance: 0.25}
regions:
  - {name: high, inside: "angle > 2"}
  - {name: upside_down, inside: "cos(angle) < 0"}
validate:
  monte_carlo: {samples: 100000, step: 0.02, coarsen: [2]}
  filters: {step: 0.02, particle: {particles: 50000}}
"""
        )
        err, found = self.run_text(text)
        self.assertNotIn("contradict", err)
        grid, particles = found["results/mean"], found["results/monte_carlo/mean"]
        self.assertTrue((abs(grid[:, 0]) <= math.pi).all())
        self.assertTrue((abs(particles[:, 0]) <= math.pi).all())
        length = found["results/resultant_length"][:, 0]
        for r in range(len(grid)):
            if length[r] > 0.2:  # there is a mean direction
                self.assertAlmostEqual(shortest(grid[r][0] - particles[r][0]), 0, delta=0.05)
            self.assertAlmostEqual(grid[r][1], particles[r][1], delta=0.05)
        self.assertGreater(found["results/monte_carlo/bhattacharyya"].min(), 0.97)
        self.assertGreater(found["results/monte_carlo/bhattacharyya_coarse"].min(), 0.98)
        self.assertGreater(found["results/filters/particle/bhattacharyya"].min(), 0.96)
        shares = np.array(
            [found[f"results/regions/{name}/probability"] for name in ("high", "upside_down")]
        )
        np.testing.assert_allclose(
            shares.T, found["results/monte_carlo/regions"], rtol=0, atol=0.015
        )
        self.assertTrue((found["results/monte_carlo/left"] == 0).all())
        evidence = found["results/measurements/log_evidence"][0]
        self.assertAlmostEqual(
            found["results/filters/particle/log_evidence"][0], evidence, delta=0.03
        )

    def test_measurements_go_the_shortest_way(self):
        """A turn more in what was measured is the same measurement."""
        evidence = []
        for value in (-3.1, -3.1 + TURN, -3.1 - 2 * TURN):
            _, found = self.run_text(
                CIRCLE
                + f"measurements: [{{time: 0.1, variable: angle, value: {value}, variance: 0.04}}]\n"
            )
            evidence.append(found["results/measurements/log_evidence"][0])
            self.assertLess(found["results/measurements/deviation"][0], 1)
        np.testing.assert_allclose(evidence, evidence[0], atol=1e-12)
        exact = -0.5 * (math.log(TURN * 0.13) + shortest(-3.1 - 3.1) ** 2 / 0.13)
        self.assertAlmostEqual(evidence[0], exact, delta=1e-4)

    def test_regions_are_in_the_base_interval(self):
        """A region of a still density, whose ends are the seam."""
        text = CIRCLE.replace('["1"]', '["0"]')
        normal = lambda z: 0.5 * (1 + math.erf(z / math.sqrt(2)))
        beyond = 1 - normal((math.pi - 3) / 0.3)
        for periods, inside, exact in (
            ("2*pi", "angle < 0", beyond),
            ("2*pi", "angle > 2.9", 1 - beyond - normal(-0.1 / 0.3)),
            ("[0, 2*pi]", "angle < 0", 0),
            ("[0, 2*pi]", "angle > pi", beyond),
        ):
            _, found = self.run_text(
                text.replace("{angle: 2*pi}", f"{{angle: {periods}}}")
                + f'regions: [{{name: here, inside: "{inside}"}}]\n'
            )
            probability = found["results/regions/here/probability"][0]
            self.assertAlmostEqual(probability, exact, delta=2e-5)
            lower = found["coordinates/lower"][0]
            self.assertAlmostEqual(lower, 0 if periods[0] == "[" else -math.pi, delta=1e-15)

    def test_absorbing_region_round_the_ends(self):
        """All that turns meets it, be it across the ends of the base interval or not."""
        text = CIRCLE.replace("end: 1", f"end: {TURN}")
        taken = []
        for place in (math.pi, 1.5):
            _, found = self.run_text(
                text.replace("[3]", f"[{place - 2}]")
                + f'regions: [{{name: gate, inside: "cos(angle - {place}) > 0.995", absorb: true}}]\n',
                "time.end=4",
            )
            taken.append(found["results/regions/gate/probability"][-1])
        self.assertGreater(min(taken), 1 - 1e-6)

    def test_starts_across_the_ends(self):
        """Samples, boxes, mixtures and earlier results that lie on both sides of the ends."""
        rng = np.random.default_rng(3)
        angle = math.pi + 0.2 * rng.standard_normal(4000)
        np.save(self.path("samples.npy"), np.where(angle > math.pi, angle - TURN, angle)[:, None])
        still = CIRCLE.replace('["1"]', '["0"]').replace("1.0e-12", "1.0e-9")
        gaussian = "mean: [3], standard_deviation: [0.3]"
        for initial, mean, deviation in (
            ("shape: samples, file: samples.npy", math.pi, 0.2),
            ("low: [2.9], high: [3.5]", 3.2, 0.6 / math.sqrt(12)),
            (
                "mixture: [{weight: 1, mean: [-3], standard_deviation: [0.1]}, "
                "{weight: 1, mean: [3], standard_deviation: [0.1]}]",
                math.pi,
                math.hypot(0.1, math.pi - 3),
            ),
        ):
            err, found = self.run_text(
                still.replace(gaussian, initial), "output.cells=true", "grid.spacing=[0.02]"
            )
            self.assertAlmostEqual(
                shortest(found["results/mean"][0][0] - mean), 0, delta=0.015, msg=initial
            )
            self.assertAlmostEqual(
                math.sqrt(found["results/covariance"][0][0][0]), deviation, delta=0.01, msg=initial
            )
            self.assertNotIn("initial density has", err)
            self.assertLessEqual(abs(found["results/record_0/x"]).max(), math.pi)
        before = found
        with h5py.File(self.path("input.h5")) as file, h5py.File(self.path("old.h5"), "w") as copy:
            for name in file:
                file.copy(name, copy)
        _, found = self.run_text(
            still.replace(gaussian, "shape: result, file: old.h5"), "grid.spacing=[0.02]"
        )
        for name in ("mean", "covariance"):
            np.testing.assert_allclose(
                found[f"results/{name}"][0], before[f"results/{name}"][0], atol=1e-7
            )

    def test_spacing(self):
        self.write("input.yaml", CIRCLE)
        said = self.succeed("input.yaml", "--force").err
        self.assertIn(
            "cells of 0.05 along angle do not divide its period of 6.28319: they are 0.0498666 "
            "long, and 126 go round",
            said,
        )
        _, found = self.run_text(CIRCLE.replace("[0.05]", "[0.04908738521234052]"))
        self.assertEqual(found["coordinates/spacing"][0], TURN / 128)
        wide = CIRCLE.replace("spacing: [0.05], ", "").replace("[0.3]", "[1.2]")
        _, found = self.run_text(wide)
        self.assertEqual(found["coordinates/spacing"][0], TURN / 32)

    def test_the_grid_stays(self):
        self.write("input.yaml", CIRCLE)
        said = self.succeed("input.yaml", "--force", "-v").err
        self.assertIn(
            "grid.follow: none, since the cells of a variable on a circle stay where they are "
            "(model.periods)",
            said,
        )
        self.refuses(
            CIRCLE.replace("grid: {", "grid: {follow: flow, "),
            "input.yaml:6:16: error: a grid cannot follow the flow here: the cells of a variable on "
            "a circle stay where they are",
        )

    def test_restart_has_the_same_bits(self):
        self.assert_restarts(
            PENDULUM.replace("[0.1, 0.1]", "[0.06, 0.06]")
            + "validate: {monte_carlo: {samples: 20000, step: 0.01}}\n"
            + "measurements: [{time: 3, variable: angle, value: 3.2, variance: 0.5}]\n"
        )

    def test_refuses_bad_periods(self):
        for period, place, message in (
            ("-1", "5:20", "a period must be positive and finite"),
            ("0", "5:20", "a period must be positive and finite"),
            ("[3, 1]", "5:20", "a period must be positive and finite"),
            ("2*pu", "5:22", "unknown name 'pu'"),
            ("2*angle", "5:20", "a period is a number, and '2*angle' depends on the state"),
            ("t", "5:20", "a period is a number, and 't' depends on the time"),
        ):
            self.refuses(
                CIRCLE.replace("{angle: 2*pi}", f"{{angle: {period}}}"),
                f"input.yaml:{place}: error: {message}",
            )
        self.refuses(
            CIRCLE.replace("{angle: 2*pi}", "{angel: 2*pi}"),
            "input.yaml:5:20: error: unknown variable 'angel'; there are angle",
        )

    def test_refuses_dynamics_without_the_period(self):
        self.refuses(
            CIRCLE.replace('["1"]', '["-angle"]'),
            "input.yaml:5:12: error: the rate of change of 'angle' does not have this period",
            "a period of angle later",
        )
        self.refuses(CIRCLE.replace('["1"]', "[sin(angle)]").replace("2*pi", "6.2"), "period")
        self.refuses(
            CIRCLE.replace('["1"]', '["0"]\n  invariant: angle'),
            "error: the invariant does not have this period",
        )
        self.run_text(CIRCLE.replace('["1"]', "[abs(sin(angle))]").replace("2*pi", "pi"))

    def test_refuses_quantities_that_are_not_the_same_all_round(self):
        measured = CIRCLE + "measurements: [{time: 0.5, %s}]\n"
        self.refuses(
            measured % "variable: 2*angle, value: 1, variance: 0.1",
            "input.yaml:9:38: error: '2*angle' is not the same all round a circle",
            "give its 'period'",
        )
        self.refuses(
            measured % 'likelihood: "exp(-angle^2)"',
            "input.yaml:9:",
            "error: this is not the same all round a circle",
        )
        self.refuses(
            CIRCLE + 'regions: [{name: gate, inside: "angle > 3", absorb: true}]\n',
            "input.yaml:9:",
            "must be the same all round",
        )
        for sound in (
            f"variable: angle/2, value: 1, variance: 0.1, period: [{math.pi}]",
            "variable: sin(angle), value: 0.1, variance: 0.1",
            'likelihood: "exp(2*cos(angle - 1))"',
        ):
            self.run_text(measured % sound)
        err, _ = self.run_text(measured % "variable: angle, value: 3, variance: 2")
        self.assertIn("are large beside its period", err)

    def test_refuses_what_cannot_go_round(self):
        for before, after, message in (
            (
                "grid: {",
                "grid: {scheme: reference, ",
                "input.yaml:6:16: error: variables on circles",
            ),
            ("grid: {", "grid: {rotate: true, ", "input.yaml:6:16: error: a variable on a circle"),
            ("[0.05]", "[2]", "input.yaml:6:17: error: cells of 2 along angle: 3.14159 go round"),
            ("[0.05]", "[1e-12]", "1073741821 can be indexed; take larger ones"),
            ("[0.3]", "[7]", "input.yaml:7:42: error: a standard deviation of 7 is wide"),
            ("mean: [3], standard_deviation: [0.3]", "low: [0], high: [7]", "the box is 7 wide"),
            ("time:", "study: {spacing: [2, 1]}\ntime:", "input.yaml:8:18: error: factors"),
            (
                "time:",
                "validate: {monte_carlo: {kde_samples: 100}}\ntime:",
                "a kernel density estimate does not go round circles",
            ),
            (
                "time:",
                "validate: {filters: {ukf: {}}}\ntime:",
                "this filter knows no variables on circles",
            ),
            (
                "time:",
                "validate: {filters: {enkf: {}}}\ntime:",
                "this filter knows no variables on circles",
            ),
        ):
            self.refuses(CIRCLE.replace(before, after), message)


if __name__ == "__main__":
    run_cases.main()
