# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""A grid of tessera-gbees that follows the flow: linear systems are exact, orbits and pendulums are
what particles say, measurements however sharp, restarts, refusals."""

import math

import numpy as np

import run_cases
from cli_support import INPUT, NUMERICAL, CommandLineTest

ONE = """\
app: gbees
model: {variables: [x], equations: ["0"]}
initial: {mean: [0], standard_deviation: [1]}
measurements: [{time: 1, variable: x, value: %s, variance: %s}]
time: {end: 2, records: 1}
"""
TWO = """\
app: gbees
model: {variables: [x, v], equations: [v, "%s"]}
initial: {mean: [%s, %s], standard_deviation: [%s, %s]}
time: {end: %s, records: %s}
"""
PENDULUM = """\
app: gbees
model: {variables: [a, w], equations: [w, "-sin(a)"]}
grid: {follow: flow}
initial: {mean: [1, 0], standard_deviation: [0.1, 0.1]}
time: {end: 10, records: 5}
"""
# A circular orbit at 400 km in a plane, known to 1 km and 1 m/s.
ORBIT = """\
app: gbees
units: {length: 1 km, time: 1 s, variables: [km, km, km/s, km/s]}
model:
  variables: [x, y, vx, vy]
  forces: [{kind: two_body, name: earth, mu: 398600.4418 km^3/s^2}]
  equations: [vx, vy, earth_x, earth_y]
initial: {mean: [6778, 0, 0, 7.668635675], standard_deviation: [1, 1, 0.001, 0.001]}
time: {end: 60, records: 1}
"""
TRACK = """\
app: gbees
model: {variables: [x, v], equations: [v, "0"], noise: [0, %s]}
grid: {follow: flow, threshold: %s, factor: [%s, %s]}
initial: {mean: [0, 1], standard_deviation: [1, 0.5]}
time: {end: %s, records: 2}
measurements:
"""


class Follow(CommandLineTest):
    def deviations(self, found, record=-1):
        return np.sqrt(found["results/covariance"][record].diagonal())

    def test_an_oscillator_after_ten_turns(self):
        found = self.arrays_of(
            TWO % ("-x", 1, 0, 0.1, 0.1, 20 * math.pi, 10), "grid.threshold=1e-15"
        )
        self.assertEqual(found["series/dt"].size, 0)
        np.testing.assert_allclose(found["results/mean"][-1], [1, 0], atol=1e-9)
        np.testing.assert_allclose(self.deviations(found), [0.1, 0.1], rtol=1e-9)
        marginal, centres = found["results/marginal_1d/x1"][-1], found["coordinates/x1"][-1]
        self.assertAlmostEqual(marginal.sum(), 1, delta=1e-9)
        self.assertAlmostEqual(marginal @ centres, 1, delta=1e-9)

    def test_a_stiff_oscillator_goes_on(self):
        found = self.arrays_of(
            TWO % ("-x - 20*v", 1, 0, 0.1, 0.1, 60, 3)
            + "validate: {monte_carlo: {samples: 20000, step: 0.02}}\n"
        )
        slow = -10 + math.sqrt(99)  # the slower rate, whose mode (1, slow) is left
        share = (1 - slow * 0) * (-10 - math.sqrt(99)) / (-2 * math.sqrt(99))
        expected = share * math.exp(slow * 60)
        self.assertAlmostEqual(found["results/mean"][-1, 0] / expected, 1, delta=1e-8)
        self.assertGreater(found["results/monte_carlo/bhattacharyya"][-1], 0.99)

    def test_forces_that_vary_in_time(self):
        found = self.arrays_of(
            "app: gbees\nmodel: {variables: [x], equations: [sin(t)]}\n"
            "initial: {mean: [0], standard_deviation: [0.1]}\n"
            "time: {end: 3, records: 1}\n"
        )
        self.assertAlmostEqual(found["results/mean"][-1, 0], 1 - math.cos(3), delta=1e-9)
        found = self.arrays_of(TWO % ("0.01*(t > 100 and t < 200)", 0, 0, 1, 0.001, 1000, 1))
        np.testing.assert_allclose(found["results/mean"][-1], [850, 1], rtol=1e-9)
        found = self.arrays_of(TWO % ("100*(t > 2.5 and t < 2.51)", 0, 1, 0.1, 0.05, 10, 1))
        np.testing.assert_allclose(found["results/mean"][-1], [17.495, 2], rtol=1e-9)

    def test_measurements_sharper_than_any_cell(self):
        for value, variance in ((0.25, 1e-4), (4, 0.01), (6, 0.01), (0.3, 1e-6)):
            with self.subTest(value=value, variance=variance):
                found = self.arrays_of(ONE % (value, variance))
                gain = 1 / (1 + variance)
                self.assertAlmostEqual(found["results/mean"][-1, 0], gain * value, delta=1e-4)
                self.assertAlmostEqual(
                    self.deviations(found)[0] / math.sqrt(1 - gain), 1, delta=1e-4
                )
                self.assertAlmostEqual(
                    found["results/measurements/log_evidence"][0],
                    -0.5 * (value**2 * gain + math.log(2 * math.pi * (1 + variance))),
                    delta=1e-4,
                )

    def kalman(self, noise, measurements, step):
        """Means, covariances and evidences of a body with white noise of acceleration."""
        mean, covariance = np.array([0.0, 1.0]), np.diag([1.0, 0.25])
        to_half = np.array([[1, step / 2], [0, 1]])
        half = noise * np.array([[step**3 / 24, step**2 / 8], [step**2 / 8, step / 2]])
        means, covariances, evidences = [mean], [covariance], []
        for value, variance in measurements:
            for _ in range(2):
                mean = to_half @ mean
                covariance = to_half @ covariance @ to_half.T + half
                means.append(mean)
                covariances.append(covariance)
            total = covariance[0, 0] + variance
            gain = covariance[:, 0] / total
            evidences.append(
                -0.5 * ((value - mean[0]) ** 2 / total + math.log(2 * math.pi * total))
            )
            mean = mean + gain * (value - mean[0])
            covariance = covariance - np.outer(gain, gain) * total
            means.append(mean)
            covariances.append(covariance)
        return np.array(means), np.array(covariances), np.array(evidences)

    def check_kalman(self, spacing, threshold, tolerance):
        noise, step = 0.2, 0.5
        draw = np.random.default_rng(3)
        measurements = [
            (step * (k + 1) + 0.3 * math.sin(k) + 0.2 * draw.standard_normal(), 0.04)
            for k in range(20)
        ]
        text = TRACK % (noise, threshold, 0.5 / spacing, 0.5 / spacing, 20.5 * step)
        text += "".join(
            f"  - {{time: {step * (k + 1)}, variable: x, value: {value!r}, variance: {variance}}}\n"
            for k, (value, variance) in enumerate(measurements)
        )
        found = self.arrays_of(text)
        means, covariances, evidences = self.kalman(noise, measurements, step)
        count = len(means)
        deviations = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
        distance = (found["results/mean"][:count] - means) / deviations
        self.assertLess(np.abs(distance).max(), tolerance)
        scale = deviations[:, :, None] * deviations[:, None, :]
        relative = (found["results/covariance"][:count] - covariances) / scale
        self.assertLess(np.abs(relative).max(), tolerance)
        np.testing.assert_allclose(
            found["results/measurements/log_evidence"], evidences, atol=tolerance
        )

    def test_twenty_measurements_are_kalmans(self):
        for spacing in (0.5, 0.25):
            self.check_kalman(spacing, 1e-15, 1e-8)
        self.check_kalman(0.5, 1e-7, 1e-4)  # what the threshold leaves out

    def test_correlated_noise_is_lyapunovs(self):
        """dP/dt = A P + P A^T + Q, by the exponential of a matrix of twice the size (Van Loan, IEEE
        Trans. Automat. Contr. 23 (1978) 395)."""
        a = np.array([[0, 1], [-1, -0.4]])
        q = np.array([[0.04, -0.03], [-0.03, 0.09]])
        text = (
            "app: gbees\nmodel: {variables: [x, v], equations: [v, -x - 0.4*v], noise: %s}\n"
            "grid: {follow: flow, threshold: 1.0e-15}\n"
            "initial: {mean: [1, 0], standard_deviation: [0.3, 0.2]}\ntime: {end: 3, records: 3}\n"
        )
        found = self.arrays_of(
            text % q.tolist() + "validate: {monte_carlo: {samples: 100000, step: 0.02}}\n",
        )
        step = np.block([[-a, q], [np.zeros((2, 2)), a.T]]) * 1e-4
        whole = np.linalg.matrix_power(
            np.eye(4) + step + step @ step / 2 + step @ step @ step / 6, 10000
        )
        flow = whole[2:, 2:].T
        covariance = np.diag([0.09, 0.04])
        for record in (1, 2, 3):
            covariance = flow @ covariance @ flow.T + flow @ whole[:2, 2:]
            np.testing.assert_allclose(
                found["results/covariance"][record], covariance, rtol=1e-8, atol=1e-9
            )
        self.assertGreater(found["results/monte_carlo/bhattacharyya"].min(), 0.99)
        for noise, message in (
            ("[[1, 2], [2, 1]]", "not positive semidefinite"),
            ("[[1, 0.5], [0.4, 1]]", "symmetric"),
            ("[[1, 0], [0, 1], [0, 0]]", "'model.noise'"),
            ("[-1, 1]", "at least 0"),
        ):
            self.write("input.yaml", text % noise)
            outcome = self.call("input.yaml", "--force", "-q")
            self.assertEqual(outcome.status, INPUT)
            self.assertIn(message, outcome.err)
            self.assertIn("input.yaml:2:", outcome.err)
        self.write("input.yaml", (text % q.tolist()).replace("follow: flow", "follow: none"))
        outcome = self.call("input.yaml", "--force", "-q")
        self.assertEqual(outcome.status, INPUT)
        self.assertIn("set grid.follow: flow", outcome.err)

    def test_a_pendulum_is_what_particles_say(self):
        found = self.arrays_of(
            PENDULUM + "validate: {monte_carlo: {samples: 100000, step: 0.05}}\n"
        )
        self.assertLess(found["series/dt"].size, 100)
        self.assertGreater(found["results/monte_carlo/bhattacharyya"].min(), 0.995)
        particles = np.sqrt(np.diagonal(found["results/monte_carlo/covariance"], axis1=1, axis2=2))
        cells = np.sqrt(np.diagonal(found["results/covariance"], axis1=1, axis2=2))
        np.testing.assert_allclose(cells, particles, rtol=0.02)
        np.testing.assert_allclose(
            found["results/mean"], found["results/monte_carlo/mean"], atol=2e-3
        )

    def test_an_orbit_for_a_minute(self):
        found = self.arrays_of(ORBIT)
        self.assertLess(found["series/dt"].size, 20)
        np.testing.assert_allclose(
            self.deviations(found), [1.0049, 0.9979, 1.0148e-3, 0.9993e-3], rtol=3e-3
        )

    def test_marginals_and_cells_are_those_of_the_variables(self):
        found = self.arrays_of(PENDULUM, "output.cells=true", "output.pairs=true")
        last = len(found["results/time"]) - 1
        p, x = found[f"results/record_{last}/p"], found[f"results/record_{last}/x"]
        np.testing.assert_allclose(p @ x / p.sum(), found["results/mean"][last], atol=1e-4)
        for i in (1, 2):
            marginal = found[f"results/marginal_1d/x{i}"][last]
            centres = found[f"coordinates/x{i}"][last]
            mean = marginal @ centres / marginal.sum()
            self.assertAlmostEqual(marginal.sum(), found["results/mass"][last], delta=1e-9)
            self.assertAlmostEqual(mean, found["results/mean"][last, i - 1], delta=1e-4)
            variance = marginal @ (centres - mean) ** 2 / marginal.sum()
            self.assertAlmostEqual(
                variance / found["results/covariance"][last, i - 1, i - 1], 1, delta=0.04
            )
        pair = found[f"results/pairs_{last}/x1_x2"]
        self.assertAlmostEqual(pair.sum(), found["results/mass"][last], delta=1e-9)
        centres = [found[f"results/pairs_{last}/x{i}"] for i in (1, 2)]
        mean = [pair.sum(1) @ centres[0], pair.sum(0) @ centres[1]] / pair.sum()
        product = centres[0] @ pair @ centres[1] / pair.sum() - mean[0] * mean[1]
        deviation = self.deviations(found)
        self.assertAlmostEqual(
            product / deviation.prod(),
            found["results/covariance"][last, 0, 1] / deviation.prod(),
            delta=0.03,
        )

    def test_bins_are_no_wider_than_cells(self):
        """Cells whose edges are those of bins, but for rounding, belong to one each."""
        for spacing in (0.02, 0.05, 0.1):
            found = self.arrays_of(
                TWO % ("0*x", 2, 0, 0.5, 0.4, 0.1, 1), f"grid.spacing=[{spacing}, {spacing}]"
            )
            for name, deviation in (("x1", 0.5), ("x2", 0.4)):
                x, p = found[f"coordinates/{name}"][0], found[f"results/marginal_1d/{name}"][0]
                self.assertAlmostEqual(
                    (x[1] - x[0]) / min(spacing, deviation / 4), 1, delta=1e-2, msg=name
                )
                self.assertAlmostEqual(p.sum() / found["results/mass"][0], 1, delta=1e-12)
                mean = p @ x / p.sum()
                self.assertAlmostEqual(
                    math.sqrt(p @ (x - mean) ** 2 / p.sum()) / deviation, 1, delta=0.01
                )

    def test_regions_are_those_of_the_state(self):
        found = self.arrays_of(
            TWO % ("-x", 0, 0, 1, 1, math.pi / 2, 1)
            + "regions: [{name: ahead, inside: x > 0.5}, {name: fast, inside: abs(v) < 1}]\n"
        )
        beyond = 0.5 * math.erfc(0.5 / math.sqrt(2))
        self.assertAlmostEqual(found["results/regions/ahead/probability"][-1], beyond, delta=0.01)
        self.assertAlmostEqual(
            found["results/regions/fast/probability"][-1], math.erf(1 / math.sqrt(2)), delta=0.02
        )

    def test_credible_sets_have_the_volume_of_the_state(self):
        found = self.arrays_of(
            TWO % ("-x", 0, 0, 0.1, 0.1, 1, 1), "output.credible=[0.9]", "grid.factor=[4, 4]"
        )
        self.assertAlmostEqual(
            found["results/credible/volume"][-1, 0] / (math.pi * 0.01 * 2 * math.log(10)),
            1,
            delta=0.02,
        )
        self.assertAlmostEqual(
            found["results/entropy"][-1], math.log(2 * math.pi * math.e * 0.01), delta=1e-3
        )

    def test_restart_has_the_same_bits(self):
        fine = PENDULUM.replace("follow: flow", "follow: flow, factor: [8, 8]")
        self.assert_restarts(fine)
        self.assert_restarts(
            fine.replace('"-sin(a)"]}', '"-sin(a)"], noise: [0, 0.002]}')
            + "measurements: [{time: 4, variable: a, value: -0.8, variance: 0.0025}]\n"
        )

    def test_auto_goes_on_without(self):
        text = PENDULUM.replace("follow: flow", "follow: auto")
        found = self.arrays_of(text.replace("-sin(a)", "-a*abs(a)"))
        self.assertEqual(found["coordinates/x1"].ndim, 1)
        found = self.arrays_of(text)
        self.assertEqual(found["coordinates/x1"].ndim, 2)

    def test_auto_says_where_no_frame_fits(self):
        text = """\
app: gbees
model: {name: lorenz63}
grid: {follow: auto, spacing: [0.5, 0.5, 0.5], threshold: 5.0e-6}
initial: {mean: [-11.5, -10, 9.5], standard_deviation: [1, 1, 1]}
time: {end: 0.75, records: 3}
"""
        found = self.arrays_of(text)
        self.assertIn("no frame fits the density", self.outcome.err)
        self.assertIn("grid.spacing", self.outcome.err)
        # until there it is what four million particles have at t = 0.25 and 0.5
        np.testing.assert_allclose(found["results/mean"][1], [-3.339, 3.734, -2.199], atol=0.01)
        np.testing.assert_allclose(found["results/mean"][2], [0.168, 1.646, -12.853], atol=0.02)

    def test_auto_stays_where_a_posterior_has_two_parts(self):
        """x^2 is measured, which leaves two parts that one frame cannot hold. A measurement of x
        leaves one of them, and the grid follows again."""
        found = self.arrays_of(
            """\
app: gbees
model: {variables: [x], equations: ["0"]}
grid: {follow: auto, threshold: 1.0e-10, spacing: [0.45]}
initial: {mean: [0.2], standard_deviation: [1.5]}
measurements:
  - {time: 1, variable: x^2, value: 4, variance: 1}
  - {time: 2, variable: x, value: 2.1, variance: 0.04}
time: {end: 3, records: 1}
"""
        )
        self.assertIn("no frame fits the density", self.outcome.err)
        x = np.linspace(-8, 8, 160001)
        weight = np.exp(-((x - 0.2) ** 2) / 4.5 - (x**2 - 4) ** 2 / 2)
        evidence = weight.sum() * (x[1] - x[0]) / (1.5 * math.sqrt(2 * math.pi))
        self.assertAlmostEqual(
            found["results/measurements/log_evidence"][0],
            math.log(evidence / math.sqrt(2 * math.pi)),
            delta=0.02,
        )
        at = list(found["results/time"]).index(1) + 1  # behind the measurement
        mean = weight @ x / weight.sum()
        deviation = math.sqrt(weight @ (x - mean) ** 2 / weight.sum())
        self.assertAlmostEqual(found["results/mean"][at, 0], mean, delta=0.01)
        self.assertAlmostEqual(self.deviations(found, at)[0], deviation, delta=0.01)
        weight *= np.exp(-((2.1 - x) ** 2) / 0.08)
        mean = weight @ x / weight.sum()
        self.assertAlmostEqual(found["results/mean"][-1, 0], mean, delta=0.02)

    def test_cells_that_stay_and_cannot_hold_a_posterior(self):
        """Two narrow parts, told in the terms of the variables and their cells."""
        self.write(
            "input.yaml",
            """\
app: gbees
model: {variables: [x, y], equations: ["0", "0"]}
grid: {follow: auto, threshold: 1.0e-10, spacing: [4, 0.02]}
initial: {mean: [0.2, 0], standard_deviation: [8, 0.04]}
measurements: [{time: 1, likelihood: "exp(-x^2/2)*(y < 1)"}]
time: {end: 2, records: 1}
""",
        )
        outcome = self.call("input.yaml", "--force", "-q")
        self.assert_mentions(
            outcome,
            NUMERICAL,
            "has a standard deviation of 0.99",
            "along x, where the cells have a size of 4:",
            "set grid.spacing along x to 0.99",
        )

    def test_what_does_not_follow(self):
        for change, message in (
            ("model.equations=[w, -abs(a)]", "no derivative everywhere: abs of the state"),
            ("grid.scheme=reference", "the reference scheme is that of a grid that stays"),
            ("grid.rotate=true", "grid.rotate lays a grid that stays"),
        ):
            with self.subTest(change=change):
                self.write("input.yaml", PENDULUM)
                outcome = self.call("input.yaml", "--force", "-q", change)
                self.assertEqual(outcome.status, INPUT)
                self.assertIn(message, outcome.err)
                self.assertIn("grid.follow: none", outcome.err)
        self.write(
            "input.yaml",
            PENDULUM + "regions: [{name: top, inside: a > 3, absorb: true}]\n",
        )
        outcome = self.call("input.yaml", "--force", "-q")
        self.assertEqual(outcome.status, INPUT)
        self.assertIn("a region that absorbs", outcome.err)

    def test_what_is_no_likelihood(self):
        for likelihood, message in (
            ("likelihood: x + 3", "4:38: the likelihood (likelihood = x + 3) is -"),
            ("missed: exp(x)", "4:34: the probability of a detection (missed = exp(x)) is 1"),
        ):
            text = ONE.replace("variable: x, value: %s, variance: %s", likelihood)
            self.write("input.yaml", text)
            self.assert_mentions(
                self.call("input.yaml", "--force", "-q"),
                NUMERICAL,
                "input.yaml:" + message,
                " at t = 1, in the state (",
                "\n  remedy: ",
            )

    def test_dynamics_without_bound(self):
        self.write(
            "input.yaml",
            "app: gbees\nmodel: {variables: [x], equations: [x^2]}\ngrid: {follow: flow}\n"
            "initial: {mean: [1], standard_deviation: [0.1]}\ntime: {end: 2, records: 1}\n",
        )
        outcome = self.call("input.yaml", "--force", "-q")
        self.assertEqual(outcome.status, NUMERICAL)
        self.assertIn("the dynamics change without bound", outcome.err)


if __name__ == "__main__":
    run_cases.main()
