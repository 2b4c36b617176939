# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Filters beside the density of tessera-gbees: unscented and ensemble Kalman filters and a particle
filter, on the same input."""

import math
import os
import signal
import subprocess

import h5py
import numpy as np

import run_cases
from cli_restart import LONG, wait_for_start
from cli_support import INPUT, NUMERICAL, TIMEOUT, CommandLineTest, arrays, attribute

# A damped oscillator with noise, measured twice: a Gaussian remains one.
LINEAR = """\
app: gbees
model: {variables: [x, v], equations: [v, -x - 0.4*v], noise: [0.02, 0.05]}
grid: {spacing: [0.02, 0.02], threshold: 1.0e-8}
initial: {mean: [1.0, 0.5], covariance: [[0.04, 0.01], [0.01, 0.09]]}
measurements:
  - {time: 0.5, variable: x, value: 1.3, variance: 0.02}
  - {time: 1.0, quantities: [x + v, x], values: [0.4, 1.2], covariance: [[0.05, 0.01], [0.01, 0.06]]}
time: {end: 1.25, records: 1}
validate: {filters: {ukf: {}, enkf: {members: %d}, particle: {particles: %d, resample: %g}}}
"""

MEMBERS, PARTICLES = 4000, 40000

LORENZ = """\
app: gbees
model: {name: lorenz63}
grid: {spacing: [0.35, 0.35, 0.35], threshold: 1.0e-7}
initial: {mean: [-11.5, -10.0, 9.5], standard_deviation: [1.0, 1.0, 1.0]}
measurements:
  - {time: 0.2, variable: z, value: -2.0, variance: 1.0}
  - {time: 0.5, quantities: [x, y], values: [0.5, 2.0], variances: [1.0, 1.0]}
time: {end: 0.6, records: 2}
validate: {filters: {step: 0.002, ukf: {}, enkf: {members: 2000}, particle: {particles: 40000}}}
"""


class Kalman:
    """The Kalman filter of LINEAR, by small steps of the matrix exponential."""

    RATES = np.array([[0, 1], [-1, -0.4]])
    NOISE = np.diag([0.02, 0.05])

    def __init__(self):
        self.mean, self.covariance = np.array([1, 0.5]), np.array([[0.04, 0.01], [0.01, 0.09]])
        self.log_evidence = []

    def propagate(self, length, steps=20000):
        dt = length / steps
        step = (
            np.eye(2)
            + dt * self.RATES
            + dt**2 / 2 * self.RATES @ self.RATES
            + dt**3 / 6 * self.RATES @ self.RATES @ self.RATES
        )
        for _ in range(steps):
            self.mean = step @ self.mean
            self.covariance = (
                step @ (self.covariance + self.NOISE * dt / 2) @ step.T + self.NOISE * dt / 2
            )

    def observe(self, h, z, r):
        total = h @ self.covariance @ h.T + r
        gain = self.covariance @ h.T @ np.linalg.inv(total)
        innovation = z - h @ self.mean
        form = innovation @ np.linalg.solve(total, innovation)
        self.log_evidence.append(-0.5 * (form + np.linalg.slogdet(2 * math.pi * total)[1]))
        self.mean = self.mean + gain @ innovation
        self.covariance = self.covariance - gain @ total @ gain.T


def kalman_records():
    """Mean and covariance at the records of LINEAR, and the evidences."""
    kalman, records = Kalman(), []

    def take():
        records.append((kalman.mean, kalman.covariance))

    take()
    kalman.propagate(0.5)
    take()
    kalman.observe(np.array([[1.0, 0]]), np.array([1.3]), np.array([[0.02]]))
    take()
    kalman.propagate(0.5)
    take()
    kalman.observe(
        np.array([[1.0, 1], [1, 0]]), np.array([0.4, 1.2]), np.array([[0.05, 0.01], [0.01, 0.06]])
    )
    take()
    kalman.propagate(0.25)
    take()
    return (
        np.array([mean for mean, _ in records]),
        np.array([covariance for _, covariance in records]),
        kalman.log_evidence,
    )


class Filters(CommandLineTest):
    def run_with(self, text, *overrides, name="run"):
        self.write(name + ".yaml", text)
        self.succeed(name + ".yaml", "-q", "--force", *overrides)
        return arrays(self.path(name + ".h5"))


class Linear(Filters):
    def assert_near(self, results, expected, bound, what):
        """Means and covariances within a share of the standard deviations, and of their products,
        of the Kalman filter."""
        means, covariances, log_evidence = expected
        deviations = np.sqrt(np.array([np.diag(c) for c in covariances]))
        of_mean = np.abs(results["mean"] - means) / deviations
        of_covariance = np.abs(results["covariance"] - covariances) / (
            deviations[:, :, None] * deviations[:, None, :]
        )
        self.assertLess(of_mean.max(), bound, what)
        self.assertLess(of_covariance.max(), 2 * bound, what)
        np.testing.assert_allclose(
            results["log_evidence"], log_evidence, atol=2 * bound, err_msg=what
        )

    def test_all_are_the_kalman_filter(self):
        """The grid but for the square of its spacing, the ensembles but for five standard errors of
        as many samples."""
        results = self.run_with(LINEAR % (MEMBERS, PARTICLES, 0.5))
        expected = kalman_records()

        def of(group, log_evidence):
            return {
                "mean": results[group + "mean"],
                "covariance": results[group + "covariance"],
                "log_evidence": results[log_evidence],
            }

        def of_filter(name):
            return of(f"results/filters/{name}/", f"results/filters/{name}/log_evidence")

        self.assert_near(
            of("results/", "results/measurements/log_evidence"), expected, 0.02, "grid"
        )
        self.assert_near(of_filter("ukf"), expected, 2e-3, "ukf")
        self.assert_near(of_filter("enkf"), expected, 5 / math.sqrt(MEMBERS), "enkf")
        effective = results["results/filters/particle/effective"]
        # The second measurement lowers it, and particles are resampled then.
        self.assertLess(effective.min(), 0.5 * PARTICLES)
        self.assertGreater(effective[-1], 0.99 * PARTICLES)
        self.assert_near(
            of_filter("particle"), expected, 5 / math.sqrt(effective.min()), "particle"
        )
        for name, least in (("ukf", 0.9995), ("enkf", 0.998)):
            self.assertGreater(results[f"results/filters/{name}/bhattacharyya"].min(), least, name)
            self.assertLessEqual(
                results[f"results/filters/{name}/bhattacharyya"].max(), 1 + 1e-9, name
            )

    def test_the_step_of_the_unscented_filter(self):
        """Its error is of second order in it, for half of the noise enters before each and half
        after it."""
        means, covariances, _ = kalman_records()
        errors = []
        for step in (0.025, 0.0125):
            text = (
                (LINEAR % (100, 100, 0))
                .replace("ukf: {}", f"step: {step}, ukf: {{}}")
                .replace("[0.02, 0.02], threshold: 1.0e-8", "[0.1, 0.1]")
            )
            results = self.run_with(text)
            errors.append(np.abs(results["results/filters/ukf/covariance"] - covariances).max())
            self.assertLess(np.abs(results["results/filters/ukf/mean"] - means).max(), 1e-5)
        self.assertAlmostEqual(errors[0] / errors[1], 4, delta=0.1)
        self.assertLess(errors[1], 1e-5)

    def test_other_points_of_the_unscented_filter(self):
        """Of a linear system all are alike."""
        small = (LINEAR % (100, 100, 0)).replace("[0.02, 0.02], threshold: 1.0e-8", "[0.1, 0.1]")
        plain = self.run_with(small)
        for points in ("{kappa: 1}", "{alpha: 0.001, beta: 2}"):
            other = self.run_with(small.replace("ukf: {}", "ukf: " + points), name="other")
            for name in ("mean", "covariance", "log_evidence"):
                np.testing.assert_allclose(
                    other["results/filters/ukf/" + name],
                    plain["results/filters/ukf/" + name],
                    rtol=1e-6,
                    atol=1e-8,
                )

    def test_on_a_turned_grid(self):
        small = LINEAR % (MEMBERS, PARTICLES, 0.5)
        small = (
            small.replace("noise: [0.02, 0.05]", "noise: [0.03, 0.03]")
            .replace("[0.02, 0.02]", "[0.05, 0.05]")
            .replace("ukf: {}", "step: 0.01, ukf: {}")
        )
        plain, turned = self.run_with(small), self.run_with(
            small.replace("threshold: 1.0e-8", "threshold: 1.0e-8, rotate: true"), name="turned"
        )
        np.testing.assert_allclose(
            turned["results/filters/ukf/mean"], plain["results/filters/ukf/mean"], atol=1e-10
        )
        np.testing.assert_allclose(
            turned["results/filters/ukf/covariance"],
            plain["results/filters/ukf/covariance"],
            atol=1e-10,
        )
        for name in ("enkf", "particle"):
            np.testing.assert_allclose(
                turned[f"results/filters/{name}/mean"],
                plain[f"results/filters/{name}/mean"],
                atol=0.03,
            )


class Nonlinear(Filters):
    def test_lorenz_63(self):
        """The particles agree with the density; the Gaussian filters, while it is narrow."""
        results = self.run_with(LORENZ)
        deviations = np.sqrt(np.array([np.diag(c) for c in results["results/covariance"]]))
        for name, bound in (("particle", 0.25), ("enkf", 0.4), ("ukf", 0.4)):
            of_filter = {
                key: results[f"results/filters/{name}/{key}"]
                for key in ("mean", "covariance", "bhattacharyya", "log_evidence")
            }
            self.assertEqual(of_filter["mean"].shape, results["results/mean"].shape)
            self.assertLess(
                (np.abs(of_filter["mean"] - results["results/mean"]) / deviations).max(),
                bound,
                name,
            )
            np.testing.assert_allclose(
                of_filter["log_evidence"],
                results["results/measurements/log_evidence"],
                atol=0.4,
                err_msg=name,
            )
        coefficients = {
            name: results[f"results/filters/{name}/bhattacharyya"]
            for name in ("ukf", "enkf", "particle")
        }
        self.assertGreater(coefficients["ukf"][0], 0.999)
        self.assertGreater(coefficients["particle"].min(), 0.7)

    def test_the_same_bits_each_time_and_others_with_another_seed(self):
        first, second, other = (
            self.run_with(LORENZ),
            self.run_with(LORENZ),
            self.run_with(LORENZ, "--seed", "7"),
        )
        for name in first:
            self.assertEqual(first[name].tobytes(), second[name].tobytes(), name)
        for name in ("enkf", "particle"):
            self.assertGreater(
                np.abs(
                    first[f"results/filters/{name}/mean"] - other[f"results/filters/{name}/mean"]
                ).max(),
                0,
            )
        np.testing.assert_array_equal(
            first["results/filters/ukf/mean"], other["results/filters/ukf/mean"]
        )

    def test_angles_go_the_shortest_way_round(self):
        """A target to the west, where azimuths jump by a turn: as seen by a compass that is turned
        by half a turn."""
        text = """\
app: gbees
model: {variables: [x, y], equations: [0*x, 0*y]}
grid: {spacing: [0.02, 0.02], threshold: 1.0e-8}
initial: {mean: [-2, 0.05], standard_deviation: [0.2, 0.2]}
measurements: [{time: 0.5, %s, variance: 0.01}]
time: {end: 1, records: 1}
validate: {filters: {step: 0.1, ukf: {}, enkf: {members: 4000}, particle: {particles: 40000}}}
"""
        west = self.run_with(text % "variable: azimuth, value: -3.1")
        east = self.run_with(
            text % f"quantities: ['atan2(-y, -x)'], values: [{math.pi - 3.1}]", name="east"
        )
        for name in ("ukf", "enkf", "particle"):
            np.testing.assert_allclose(
                west[f"results/filters/{name}/mean"],
                east[f"results/filters/{name}/mean"],
                atol=1e-9,
                err_msg=name,
            )
            np.testing.assert_allclose(
                west[f"results/filters/{name}/mean"][-1],
                west["results/mean"][-1],
                atol=0.03,
                err_msg=name,
            )

    def test_any_likelihood_for_the_particle_filter(self):
        text = (
            (LINEAR % (100, 40000, 0.5))
            .replace("ukf: {}, enkf: {members: 100}, ", "step: 0.01, ")
            .replace("[0.02, 0.02], threshold: 1.0e-8", "[0.05, 0.05]")
        )
        begin, end = text.index("  - {time: 0.5"), text.index("time: {end")
        for kind in (
            'likelihood: "exp(-abs(x - 1.2)/0.3)"',
            'missed: "0.9*(x > 1.025)"',
            "quantities: [v], values: [0.1], distribution: student, degrees: 3, scale: 0.2",
        ):
            results = self.run_with(text[:begin] + "  - {time: 0.5, " + kind + "}\n" + text[end:])
            np.testing.assert_allclose(
                results["results/filters/particle/mean"], results["results/mean"], atol=0.02
            )
            np.testing.assert_allclose(
                results["results/filters/particle/log_evidence"],
                results["results/measurements/log_evidence"],
                atol=0.03,
            )

    def test_beside_particles_without_measurements_and_with_units(self):
        text = (LINEAR % (500, 2000, 0.5)).replace(
            "[0.02, 0.02], threshold: 1.0e-8", "[0.05, 0.05]"
        )
        text = (
            text.replace(
                "model:", "units: {length: 2 km, time: 1 h, variables: [km, km/h]}\nmodel:"
            )
            .replace("-x - 0.4*v", "0*v")
            .replace("validate: {", "validate: {monte_carlo: {samples: 500}, ")
        )
        self.run_with(text[: text.index("measurements:")] + text[text.index("time: {end") :])
        with h5py.File(self.path("run.h5")) as file:
            self.assertEqual(
                file["results/filters/ukf/mean"].attrs["units"], file["results/mean"].attrs["units"]
            )
            self.assertNotIn("log_evidence", file["results/filters/ukf"])
            self.assertIn("monte_carlo", file["results"])
            self.assertEqual(
                file["results/filters/particle/bhattacharyya"].shape, file["results/time"].shape
            )


class Interrupted(Filters):
    def test_a_run_goes_on_to_the_same_bits(self):
        """Stopped wherever it is, several times."""
        self.write(
            "input.yaml",
            LONG
            + "validate: {filters: {ukf: {}, enkf: {members: 40000}, particle: {particles: 40000}}}\n",
        )
        self.succeed("input.yaml", "-q", "-o", "whole.h5")
        stops, restart, delay = 0, (), 0.02
        while True:
            process = self.start("input.yaml", "--progress", "off", *restart)
            wait_for_start(process)
            try:
                _, err = process.communicate(timeout=delay)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGTERM)
                _, err = process.communicate(timeout=TIMEOUT)
            if process.returncode == 0:
                break
            self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
            if os.path.exists(self.path("input.restart.h5")):
                stops, restart = stops + 1, ("--restart", "input.restart.h5", "--force")
            delay *= 1.3
        self.assertGreater(stops, 2)
        self.assertEqual(attribute(self.path("input.h5"), "run_status"), "complete")
        self.assert_same_bits(self.path("whole.h5"), "input.h5")


class Refused(Filters):
    def refuse(self, text, *phrases):
        self.write("run.yaml", text)
        self.assert_mentions(self.call("run.yaml", "--force", "-q"), INPUT, *phrases)

    def test_what_kalman_filters_cannot_take(self):
        text = LINEAR % (100, 100, 0.5)
        student = text.replace("variance: 0.02}", "distribution: student, degrees: 4, scale: 0.1}")
        self.refuse(
            student,
            "run.yaml:9:27: error: this filter takes measurements with Gaussian errors only, and that at run.yaml:6:5 "
            "(x = 1.3, scale 0.1, 4 degrees of freedom) is none: leave the filter out",
            "run.yaml:9:37: error: this filter",
        )
        likelihood = text.replace(
            "variable: x, value: 1.3, variance: 0.02", 'likelihood: "exp(-x^2)"'
        )
        self.refuse(
            likelihood,
            "run.yaml:9:27: error: this filter takes",
            "that at run.yaml:6:29 (likelihood = exp(-x^2)) is none",
        )

    def test_wrong_keys(self):
        text = LINEAR % (100, 100, 0.5)
        self.refuse(
            text.replace("{ukf: {}", "{ukf: {gamma: 1}"),
            "run.yaml:9:28: error: unknown key 'gamma' in 'validate.filters.ukf'",
        )
        self.refuse(
            text.replace("members: 100", "members: 3"),
            "run.yaml:9:47: error: 'validate.filters.enkf.members' is 3, but must be between 10 and 1.0e+09",
        )
        self.refuse(
            text.replace("{ukf: {}", "{ukf: {kappa: -2}"),
            "run.yaml:9:",
            "with 2 variables 'kappa' must be above -2",
        )
        self.refuse(
            text[: text.index("validate")] + "validate: {filters: {}}\n",
            "run.yaml:9:",
            "'filters' needs one of 'ukf', 'enkf' and 'particle'",
        )
        self.refuse(
            text + "regions: [{name: a, inside: x > 2, absorb: true}]\n",
            "run.yaml:9:",
            "filters cannot take mass away",
        )
        self.refuse(text + "study: {cfl: [0.5]}\n", "a study has no filters beside it")

    def test_particles_that_a_measurement_leaves_without_weight(self):
        text = (
            (LINEAR % (100, 100, 0.5))
            .replace("ukf: {}, enkf: {members: 100}, ", "")
            .replace("[0.02, 0.02], threshold: 1.0e-8", "[0.05, 0.05], threshold: 1.0e-9")
        )
        self.write(
            "run.yaml",
            text.replace("variable: x, value: 1.3, variance: 0.02", 'likelihood: "x > 2.1"'),
        )
        self.assert_mentions(
            self.call("run.yaml", "--force", "--progress", "off"),
            NUMERICAL,
            "run.yaml:6:29: the measurement (likelihood = x > 2.1) leaves no particle of the particle filter",
            "remedy: take more of validate.filters.particle.particles",
        )


if __name__ == "__main__":
    run_cases.main()
