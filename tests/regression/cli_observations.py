# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Likelihoods, missed detections, errors with heavy tails and initial mixtures of tessera-gbees,
beside closed forms and quadrature."""

import math
import os

import h5py
import numpy as np

import run_cases
from cli_support import INPUT, NUMERICAL, ROOT, SMALL, CommandLineTest, arrays

# A Gaussian that stays where it is, until something is observed. Its cells are narrow, so that sums
# over them are integrals.
STILL = """\
app: gbees
model: {variables: [x], equations: [0*x]}
grid: {spacing: [0.005], threshold: 1.0e-14}
initial: {mean: [1.0], standard_deviation: [0.5]}
measurements:
  - {time: 0.5, %s}
time: {end: 1, records: 1}
output: {cells: true}
"""


def normal(x, mean, deviation):
    return np.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))


def cumulative(x):
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


def integral(function, low, high, count=200001):
    """By Simpson's rule."""
    x = np.linspace(low, high, count)
    weights = np.ones(count)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    return (weights * function(x)).sum() * (x[1] - x[0]) / 3


class Observations(CommandLineTest):
    def run_with(self, text, name="run"):
        self.write(name + ".yaml", text)
        self.succeed(name + ".yaml", "-q", "--force", "grid.follow=none")
        return arrays(self.path(name + ".h5"))

    def still(self, measurement, name="run"):
        return self.run_with(STILL % measurement, name)

    def log_evidence(self, results):
        self.assertEqual(len(results["results/measurements/log_evidence"]), 1)
        return results["results/measurements/log_evidence"][0]

    def test_a_gaussian_as_a_likelihood(self):
        """The same cells and moments as the measurement that it stands for, to rounding."""
        plain = self.run_with(SMALL, "plain")
        entry = "variable: z, value: 2.0, variance: 4.0"
        self.assertIn(entry, SMALL)
        for likelihood in (
            'likelihood: "exp(-(z - 2)^2/8)"',
            'likelihood: "exp(-(z - 2)^2/8)/sqrt(8*pi)"',
        ):
            other = self.run_with(SMALL.replace(entry, likelihood), "other")
            for name in (
                "results/mean",
                "results/covariance",
                "results/mass",
                "results/lost_mass",
                "results/record_3/p",
                "results/record_5/p",
            ):
                np.testing.assert_allclose(
                    other[name], plain[name], rtol=1e-13, atol=1e-15, err_msg=name
                )
            np.testing.assert_array_equal(other["results/cells"], plain["results/cells"])
        np.testing.assert_allclose(self.log_evidence(other), self.log_evidence(plain), rtol=1e-13)
        self.assertTrue(np.isnan(other["results/measurements/deviation"][0]))

    def test_a_missed_detection(self):
        """Where a detection would have had the probability 0.9 in a half-space, the rest of the
        density gains by Bayes' rule."""
        edge = 1.2025  # between two cells
        results = self.still(f'missed: "0.9*(x > {edge})"')
        beyond = 1 - cumulative((edge - 1) / 0.5)
        self.assertAlmostEqual(self.log_evidence(results), math.log(1 - 0.9 * beyond), delta=1e-5)
        x, p = results["results/record_2/x"][:, 0], results["results/record_2/p"]
        self.assertAlmostEqual(p[x > edge].sum(), 0.1 * beyond / (1 - 0.9 * beyond), delta=1e-5)
        before, earlier = results["results/record_1/p"], results["results/record_1/x"][:, 0]
        product = before * np.where(earlier > edge, 0.1, 1)
        np.testing.assert_allclose(p, (product / product.sum())[np.isin(earlier, x)], rtol=1e-12)

    def test_evidence_of_a_likelihood(self):
        kink = 2.0025  # between two cells
        results = self.still(f'likelihood: "exp(-abs(x - {kink})/0.3)"')
        expected = sum(
            integral(lambda x: normal(x, 1, 0.5) * np.exp(-np.abs(x - kink) / 0.3), low, high)
            for low, high in ((-4, kink), (kink, 6))
        )
        self.assertAlmostEqual(self.log_evidence(results), math.log(expected), delta=1e-5)

    def test_evidence_of_students_errors(self):
        """With the density's normalisation: scale 0.2, 3 degrees of freedom."""

        def student(x):
            peak = math.gamma(2) / (math.gamma(1.5) * math.sqrt(3 * math.pi) * 0.2)
            return peak * (1 + ((3 - x) / 0.2) ** 2 / 3) ** -2

        results = self.still(
            "quantities: [x], values: [3], distribution: student, degrees: 3, scale: 0.2"
        )
        expected = integral(lambda x: normal(x, 1, 0.5) * student(x), -4, 6)
        self.assertAlmostEqual(self.log_evidence(results), math.log(expected), delta=1e-5)
        mean = integral(lambda x: x * normal(x, 1, 0.5) * student(x), -4, 6) / expected
        self.assertAlmostEqual(results["results/mean"][2, 0], mean, delta=1e-5)
        deviation = 2 / math.sqrt(0.25 + 0.2**2 * 3)  # of the residual, from both variances
        self.assertAlmostEqual(results["results/measurements/deviation"][0], deviation, delta=1e-3)

    def test_many_degrees_of_freedom_are_a_gaussian(self):
        student = self.still(
            "quantities: [x], values: [1.4], distribution: student, degrees: 1.0e+9, scale: 0.3",
            "student",
        )
        gaussian = self.still("quantities: [x], values: [1.4], variances: [0.09]", "gaussian")
        np.testing.assert_allclose(
            student["results/record_2/p"], gaussian["results/record_2/p"], rtol=1e-6
        )
        self.assertAlmostEqual(self.log_evidence(student), self.log_evidence(gaussian), delta=1e-6)

    def test_several_quantities_with_students_errors(self):
        """Independent: like one after the other."""
        text = SMALL.replace("variable: z, value: 2.0, variance: 4.0", "%s")
        both = self.run_with(
            text
            % "quantities: [z, x], values: [2, -9], distribution: student, degrees: 4, scales: [2, 1.5]",
            "both",
        )
        single = (
            "variable: z, value: 2, distribution: student, degrees: 4, scale: 2}\n"
            "  - {time: 0.1, variable: x, value: -9, distribution: student, degrees: 4, scale: 1.5"
        )
        np.testing.assert_allclose(
            both["results/mean"], self.run_with(text % single, "single")["results/mean"], rtol=1e-10
        )

    def test_names_of_an_instrument(self):
        """What 'quantities' knows, likelihoods know too."""
        text = SMALL.replace("variable: z, value: 2.0, variance: 4.0", "%s")
        named = self.run_with(
            text % 'likelihood: "exp(-(range - 15)^2) + (elevation > 0.2)", centre: [1, 2, 3]',
            "named",
        )
        written = text % (
            'likelihood: "exp(-(sqrt((x - 1)^2 + (y - 2)^2 + (z - 3)^2) - 15)^2)'
            ' + (atan2(z - 3, hypot(x - 1, y - 2)) > 0.2)"'
        )
        np.testing.assert_allclose(
            named["results/mean"], self.run_with(written, "written")["results/mean"], rtol=1e-12
        )

    def test_on_a_turned_grid(self):
        text = SMALL.replace(
            "standard_deviation: [1.0, 1.0, 1.0]",
            "covariance: [[1, 0.8, 0], [0.8, 1, 0.2], [0, 0.2, 0.5]]",
        )
        text = text.replace("threshold: 1.0e-6", "threshold: 1.0e-7\n  rotate: true")
        entry = "variable: z, value: 2.0, variance: 4.0"
        plain, other = self.run_with(text, "plain"), self.run_with(
            text.replace(entry, 'likelihood: "exp(-(z - 2)^2/8)"'), "other"
        )
        np.testing.assert_allclose(other["results/mean"], plain["results/mean"], rtol=1e-12)

    def test_particles_are_weighted_alike(self):
        text = (
            SMALL.replace(
                "variable: z, value: 2.0, variance: 4.0", 'missed: "0.9*exp(-(x + 8)^2/8)"'
            )
            + "validate: {monte_carlo: {samples: 40000, step: 0.01}}\n"
        )
        results = self.run_with(
            text.replace(
                "[1.0, 1.0, 1.0]\n  threshold: 1.0e-6", "[0.5, 0.5, 0.5]\n  threshold: 1.0e-7"
            )
        )
        np.testing.assert_allclose(
            results["results/monte_carlo/mean"][3], results["results/mean"][3], atol=0.15
        )
        self.assertLess(results["results/monte_carlo/effective_samples"][3], 39000)

    def assert_fails(self, measurement, *phrases):
        self.write("run.yaml", STILL % measurement)
        self.assert_mentions(
            self.call("run.yaml", "--progress", "off", "--force", "grid.follow=none"),
            NUMERICAL,
            *phrases,
        )

    def test_what_is_no_likelihood(self):
        """With its line and column, and the cell where it is none."""
        self.assert_fails(
            'likelihood: "x - 0.5"',
            "run.yaml:6:29: the likelihood (likelihood = x - 0.5) is -",
            "t = 0.5, cell at (",
        )
        self.assert_fails(
            'likelihood: "1/(x - 1)^2"', "run.yaml:6:29: the likelihood", "is inf at", "cell at (1)"
        )
        self.assert_fails('likelihood: "sqrt(x - 0.5)"', "run.yaml:6:29: the likelihood", "nan at")
        self.assert_fails(
            'missed: "x"',
            "run.yaml:6:25: the probability of a detection (missed = x) is -",
            "remedy: keep it within 0 and 1",
        )
        self.assert_fails(
            'missed: "2*(x > 1.5)"', "run.yaml:6:25: the probability of a detection", " is 2 at "
        )

    def test_what_is_no_number(self):
        """What was measured, on some cell that holds mass: told by the update, and not by the step
        after it."""
        for errors in (
            "variances: [0.5, 0.5]",
            "distribution: student, degrees: 4, scales: [0.5, 0.5]",
        ):
            self.assert_fails(
                'quantities: [x, "sqrt(x - 0.5)"], values: [1, 0.7], ' + errors,
                "run.yaml:6:5: what was measured (",
                ", nan at step ",
                "t = 0.5, cell at (-",
                "remedy: make it a finite number",
            )

    def test_what_is_infinite(self):
        """On a cell, which is left without mass."""
        for infinite in (
            'quantities: ["1/(x - 1)"], values: [2], variances: [0.1]',
            'quantities: [x, "1/(x - 1)"], values: [1.2, 2], covariance: [[0.3, 0.1], [0.1, 0.4]]',
        ):
            results = self.still(infinite)
            self.assertAlmostEqual(results["results/mass"][-1], 1, delta=1e-6)
            x, p = results["results/record_2/x"][:, 0], results["results/record_2/p"]
            self.assertGreater(p.max(), 1e-3)
            self.assertFalse(np.any(np.abs(x - 1) < 1e-9))

    def test_what_leaves_nothing(self):
        self.assert_fails(
            'likelihood: "x > 50"',
            "run.yaml:6:29: the measurement at t = 0.5 (likelihood = x > 50) leaves no probability: "
            "its likelihood vanishes on every cell",
        )
        self.assert_fails(
            'missed: "x > -50"', "run.yaml:6:25: the measurement", "vanishes on every cell"
        )
        self.assert_fails(
            "variable: x, value: 1000, variance: 1.0e-4",
            "run.yaml:6:5: the measurement",
            "leaves no probability: it lies",
        )

    def assert_rejected(self, measurement, *phrases):
        self.write("run.yaml", STILL % measurement)
        self.assert_mentions(self.call("run.yaml", "--validate"), INPUT, *phrases)

    def test_errors(self):
        self.assert_rejected('likelihood: "exp(-w)"', "run.yaml:6:35: error: unknown name 'w'")
        self.assert_rejected(
            'likelihood: "x <"', "run.yaml:6:33: error: the expression ends too early"
        )
        self.assert_rejected(
            'likelihood: "x and x > 1"',
            "run.yaml:6:30: error: 'and', 'or' and 'not' take conditions such as x < 1",
        )
        self.assert_rejected(
            'likelihood: "0 < x < 1"', "run.yaml:6:36: error: comparisons cannot follow each other"
        )
        self.assert_rejected(
            'likelihood: "0.5"', "run.yaml:6:29: error: this is the same everywhere"
        )
        self.assert_rejected(
            'likelihood: "exp(-x)", missed: "x > 1"',
            "run.yaml:6:48: error: a measurement that is given by its 'likelihood' has no 'missed'",
        )
        self.assert_rejected(
            'missed: "0.1*(x > 1)", value: 2, variance: 1', "has no 'value'", "has no 'variance'"
        )
        self.assert_rejected('likelihood: "exp(-x)", colour: 1', "unknown key 'colour'")
        self.assert_rejected(
            "variable: x, value: 2, distribution: cauchy, scale: 1",
            "must be one of gaussian, student",
        )
        self.assert_rejected(
            "variable: x, value: 2, distribution: student, degrees: 4",
            "errors of Student's distribution need a 'scale'",
        )
        self.assert_rejected(
            "variable: x, value: 2, distribution: student, scale: 1",
            "errors of Student's distribution need 'degrees'",
        )
        self.assert_rejected(
            "variable: x, value: 2, distribution: student, degrees: 0, scale: 1",
            "must be greater than 0",
        )
        self.assert_rejected(
            "variable: x, value: 2, distribution: student, degrees: 4, scale: 1, variance: 1",
            "errors of Student's distribution have a 'scale', not a 'variance'",
        )
        self.assert_rejected("variable: x, value: 2, variance: 1, scale: 1", "unknown key 'scale'")


class Mixture(CommandLineTest):
    TEXT = """\
app: gbees
model: {variables: [x, y], equations: [y, -x]}
grid: {follow: none, spacing: [0.04, 0.05], threshold: 1.0e-9}
initial:
  mixture:
    - {weight: 3, mean: [1, 0], covariance: [[0.04, 0.01], [0.01, 0.09]]}
    - {weight: 1, mean: [0.5, 1], standard_deviation: [0.2, 0.2]}
    - {weight: 1, mean: [1.2, 0.2], standard_deviation: [0.1, 0.3]}
time: {end: 0.4, records: 1}
output: {cells: true}
"""
    PARTS = (
        (0.6, (1, 0), ((0.04, 0.01), (0.01, 0.09))),
        (0.2, (0.5, 1), ((0.04, 0), (0, 0.04))),
        (0.2, (1.2, 0.2), ((0.01, 0), (0, 0.09))),
    )

    def run_with(self, *overrides, text=TEXT, name="run"):
        self.write(name + ".yaml", text)
        self.succeed(name + ".yaml", "-q", "--force", *overrides)
        return arrays(self.path(name + ".h5"))

    def moments(self):
        mean = sum(w * np.array(m) for w, m, _ in self.PARTS)
        return mean, sum(
            w * (np.array(c) + np.outer(m - mean, m - mean))
            for w, m, c in ((w, np.array(m), c) for w, m, c in self.PARTS)
        )

    def held(self, x):
        """What a cell of the input holds, by its centre."""
        total = np.zeros(len(x))
        for weight, mean, covariance in self.PARTS:
            d = x - np.array(mean)
            form = np.einsum("ni,ij,nj->n", d, np.linalg.inv(covariance), d)
            total += (
                weight * np.exp(-0.5 * form) / (2 * math.pi * math.sqrt(np.linalg.det(covariance)))
            )
        return total * 0.04 * 0.05

    def test_cells(self):
        """Every cell at or above the threshold, each once, with what it holds."""
        results = self.run_with()
        x, p = results["results/record_0/x"], results["results/record_0/p"]
        np.testing.assert_allclose(p, self.held(x), rtol=1e-11)
        self.assertEqual(len(np.unique(x, axis=0)), len(x))
        mean, covariance = self.moments()
        k = np.stack(
            np.meshgrid(np.arange(-80, 81), np.arange(-80, 81), indexing="ij"), axis=-1
        ).reshape(-1, 2)
        self.assertEqual(len(x), np.count_nonzero(self.held(mean + k * [0.04, 0.05]) >= 1e-9))
        np.testing.assert_allclose(results["results/mean"][0], mean, atol=1e-6)
        np.testing.assert_allclose(results["results/covariance"][0], covariance, atol=1e-6)
        self.assertAlmostEqual(
            results["results/mass"][0] + results["results/lost_mass"][0], 1, delta=1e-13
        )

    def test_one_gaussian(self):
        """A mixture of one, or of two halves of it, is the Gaussian."""
        plain = (
            self.TEXT[: self.TEXT.index("  mixture")]
            + "  mean: [1, 0]\n  covariance: [[0.04, 0.01], [0.01, 0.09]]\n"
            + self.TEXT[self.TEXT.index("time:") :]
        )
        one = (
            "  mixture:\n"
            + "    - {weight: 3, mean: [1, 0], covariance: [[0.04, 0.01], [0.01, 0.09]]}\n"
        )
        expected = self.run_with(text=plain, name="plain")
        for mixture in (one, one + one[11:]):
            found = self.run_with(
                text=self.TEXT[: self.TEXT.index("  mixture")]
                + mixture
                + self.TEXT[self.TEXT.index("time:") :],
                name="one",
            )
            np.testing.assert_array_equal(found["results/cells"], expected["results/cells"])
            np.testing.assert_allclose(
                found["results/record_1/p"], expected["results/record_1/p"], rtol=1e-11
            )

    def test_on_a_turned_grid(self):
        mean, covariance = self.moments()
        results = self.run_with("grid.rotate=true")
        np.testing.assert_allclose(results["results/mean"][0], mean, atol=1e-5)
        np.testing.assert_allclose(results["results/covariance"][0], covariance, atol=1e-5)

    def test_with_the_reference_scheme(self):
        mean, _ = self.moments()
        results = self.run_with("grid.scheme=reference", "initial.extent=4")
        np.testing.assert_allclose(results["results/mean"][0], mean, atol=0.01)
        self.assertAlmostEqual(results["results/mass"][0], 1, delta=1e-12)

    def test_particles(self):
        for rotate in ("false", "true"):
            results = self.run_with(
                "validate.monte_carlo.samples=200000",
                "validate.monte_carlo.step=0.1",
                "grid.rotate=" + rotate,
                name=rotate,
            )
            mean, covariance = self.moments()
            np.testing.assert_allclose(results["results/monte_carlo/mean"][0], mean, atol=0.005)
            np.testing.assert_allclose(
                results["results/monte_carlo/covariance"][0], covariance, atol=0.005
            )

    def assert_rejected(self, old, new, *phrases):
        self.assertIn(old, self.TEXT)
        self.write("run.yaml", self.TEXT.replace(old, new))
        self.assert_mentions(self.call("run.yaml", "--validate"), INPUT, *phrases)

    def test_errors(self):
        self.assert_rejected(
            "weight: 3",
            "weight: 0",
            "run.yaml:6:16: error: 'initial.mixture[0].weight' is 0, but must be greater than 0",
        )
        self.assert_rejected("weight: 3", "weight: -1", "run.yaml:6:16: error:")
        self.assert_rejected(
            "weight: 3, ", "", "run.yaml:6:7: error: missing required key 'weight'"
        )
        self.assert_rejected(
            "mean: [0.5, 1]",
            "mean: [0.5]",
            "run.yaml:7:25: error: 'initial.mixture[1].mean' has 1 element, but must have 2",
        )
        self.assert_rejected(
            "[0.01, 0.09]]", "[0.01, -0.09]]", "run.yaml:6:45: error:", "not positive definite"
        )
        self.assert_rejected("initial:", "initial:\n  mean: [1, 1]", "unknown key 'mean'")
        self.assert_rejected("initial:", "initial:\n  shape: gaussian", "unknown key 'mixture'")
        self.write(
            "run.yaml",
            self.TEXT[: self.TEXT.index("mixture")]
            + "mixture: []\n"
            + self.TEXT[self.TEXT.index("time:") :],
        )
        self.assert_mentions(
            self.call("run.yaml", "--validate"), INPUT, "a mixture needs at least one Gaussian"
        )

    def test_no_cell_above_the_threshold(self):
        outcome = (
            self.call("run.yaml")
            if self.write("run.yaml", self.TEXT.replace("1.0e-9", "0.5"))
            else self.call("run.yaml", "--progress", "off")
        )
        self.assertIn("no cell of the initial density reaches the threshold of 0.5", outcome.err)


class Example(CommandLineTest):
    def test_input(self):
        """The search at sea: nothing seen lowers the evidence, what is heard raises the peak."""
        self.succeed(
            os.path.join(ROOT, "inputs", "gbees", "likelihood.yaml"),
            "-q",
            "--output",
            "search.h5",
            "grid.spacing=[0.5, 0.5]",
            "grid.threshold=1e-7",
        )
        with h5py.File(self.path("search.h5")) as file:
            evidence = file["results/measurements/log_evidence"][()]
            self.assertEqual(len(evidence), 4)
            self.assertTrue(np.all(evidence[:2] < 0))
            entropy = file["results/entropy"][()]  # at 0, 3, 3, 6, 6, 9, 9, 12, 12, 14
            self.assertTrue(entropy[6] < entropy[5] and entropy[8] < entropy[7], entropy)


if __name__ == "__main__":
    run_cases.main()
