# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""White noise of tessera-gbees: expressions of the state and the time beside particles, filters and
closed forms, restarts, noise of orbits in elements, what the input may say."""

import math

import numpy as np

import run_cases
from cli_support import NUMERICAL, CommandLineTest

# dx = 0.3 x dt + 0.4 x dW
GROWTH = """\
app: gbees
model:
  variables: [x]
  equations: ["0.3*x"]
  parameters: {s: 0.4}
  noise: ["s^2*x^2"]
grid: {spacing: [0.02], threshold: 1.0e-9}
initial: {mean: [1], standard_deviation: [0.08]}
time: {end: 1, records: 2}
"""
# the price and its variance of Heston (1993), independent noises, the variance positive
HESTON = """\
app: gbees
model:
  variables: [price, v]
  equations: ["0.02*price", "2*(0.04 - v)"]
  noise: ["max(v, 0)*price^2", "0.09*max(v, 0)"]
grid: {spacing: [0.01, 0.004], threshold: 1.0e-8}
initial: {mean: [1, 0.05], standard_deviation: [0.03, 0.01]}
time: {end: 0.5, records: 2}
"""
MU, RADIUS = 398600.4418, 7000.0
PLANE = """\
app: gbees
model:
  variables: [x, y, vx, vy]
  equations: [vx, vy, field_x, field_y]
  forces: [{kind: two_body, name: field, mu: 398600.4418}]
  coordinates: polar
  noise: [0, 0, 1.0e-10, 1.0e-10]
grid: {factor: [0.6, 0.6, 0.6, 0.6], threshold: 1.0e-6}
initial: {mean: [7000, 0, 0, 7.546053], standard_deviation: [0.1, 0.1, 1.0e-4, 1.0e-4]}
time: {end: 12000, records: 2}
"""


class Noise(CommandLineTest):
    hears_of_resolution = True

    def test_geometric_brownian_motion(self):
        text = (
            GROWTH
            + "validate: {monte_carlo: {samples: 50000, step: 0.004}, filters: {step: 0.002, ukf: {}}}\n"
        )
        _, found = self.run_text(text)
        time = found["results/time"]
        square = (1 + 0.08**2) * np.exp((0.6 + 0.16) * time)
        mean = np.exp(0.3 * time)
        np.testing.assert_allclose(found["results/mean"][:, 0], mean, rtol=3e-4)
        variance = square - mean**2
        np.testing.assert_allclose(found["results/covariance"][:, 0, 0], variance, rtol=3e-3)
        error = np.sqrt(variance / 50000)
        np.testing.assert_array_less(abs(found["results/monte_carlo/mean"][:, 0] - mean), 4 * error)
        np.testing.assert_allclose(
            found["results/monte_carlo/covariance"][:, 0, 0], variance, rtol=0.02
        )
        # moments of linear drift and quadratic noise close: the filter has them
        np.testing.assert_allclose(found["results/filters/ukf/mean"][:, 0], mean, rtol=1e-8)
        np.testing.assert_allclose(
            found["results/filters/ukf/covariance"][:, 0, 0], variance, rtol=1e-4
        )
        self.assertGreater(found["results/monte_carlo/bhattacharyya"].min(), 0.995)

    def test_two_variables_beside_particles(self):
        text = (
            HESTON
            + """\
regions: [{name: loss, inside: "price < 0.9"}]
validate: {monte_carlo: {samples: 50000, step: 0.005, coarsen: [2]}}
"""
        )
        _, found = self.run_text(text)
        for name in ("mean", "covariance"):
            grid, particles = found[f"results/{name}"], found[f"results/monte_carlo/{name}"]
            scale = np.sqrt(np.einsum("rii->ri", found["results/covariance"]))
            if name == "covariance":
                scale = scale[:, :, None] * scale[:, None, :]
            self.assertLess((abs(grid - particles) / scale).max(), 0.02, name)
        self.assertGreater(found["results/monte_carlo/bhattacharyya_coarse"].min(), 0.99)
        np.testing.assert_allclose(
            found["results/regions/loss/probability"],
            found["results/monte_carlo/regions"][:, 0],
            atol=5e-3,
        )
        # the expectation of the variance is that of its linear equation
        expected = 0.04 + 0.01 * np.exp(-2 * found["results/time"])
        np.testing.assert_allclose(found["results/mean"][:, 1], expected, rtol=2e-3)

    def test_absorption_by_noise_of_the_state(self):
        """The first passage of Brownian motion, written as an expression, through 1."""
        text = (
            GROWTH.replace("0.3*x", "0")
            .replace("s^2*x^2", "0.25 + 0*s*x")
            .replace("mean: [1]", "mean: [0]")
            + "regions: [{name: out, inside: x > 1, absorb: true}]\n"
        )
        _, found = self.run_text(text)
        spread = np.sqrt(0.08**2 + 0.25 * found["results/time"])
        exact = [math.erfc(1 / (s * math.sqrt(2))) for s in spread]
        np.testing.assert_allclose(
            found["results/regions/out/probability"][1:], exact[1:], rtol=0.02
        )

    def test_restart_has_the_same_bits(self):
        text = HESTON.replace("max(v, 0)*price^2", "max(v, 0)*price^2*(1 + 0.5*sin(9*t))")
        self.assert_restarts(text, shares=(0.5, 0.7))
        self.assert_restarts(PLANE, shares=(0.5, 0.7))

    def test_orbit_in_polar_coordinates(self):
        """Beside 20 000 particles of this test's own, in Cartesian coordinates."""
        _, found = self.run_text(PLANE)
        random = np.random.default_rng(1)
        number, dt = 20000, 20.0
        x = np.array([RADIUS, 0, 0, 7.546053])[:, None] + np.array([0.1, 0.1, 1e-4, 1e-4])[
            :, None
        ] * random.standard_normal((4, number))

        def rate(x):
            cube = (x[0] ** 2 + x[1] ** 2) ** 1.5
            return np.array([x[2], x[3], -MU * x[0] / cube, -MU * x[1] / cube])

        for _ in range(int(12000 / dt)):
            kick = math.sqrt(1e-10 * dt / 2)
            x[2:] += kick * random.standard_normal((2, number))
            k1 = rate(x)
            k2 = rate(x + 0.5 * dt * k1)
            k3 = rate(x + 0.5 * dt * k2)
            k4 = rate(x + dt * k3)
            x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            x[2:] += kick * random.standard_normal((2, number))
        energy = 0.5 * (x[2] ** 2 + x[3] ** 2) - MU / np.hypot(x[0], x[1])
        covariance = found["results/state/covariance"][-1]
        mean = found["results/state/mean"][-1]
        deviation = x.std(axis=1)
        np.testing.assert_allclose(np.sqrt(np.diag(covariance)), deviation, rtol=0.025)
        self.assertLess((abs(mean - x.mean(axis=1)) / deviation).max(), 0.04)
        self.assertGreater(energy.std(), 2 * 0.1 * MU / RADIUS**2)  # noise is most of it

    def test_what_is_refused(self):
        self.refuses(GROWTH.replace("s^2*x^2", "s^2*z"), "6:16", "'z'")
        self.refuses(GROWTH.replace('["s^2*x^2"]', '["x", "1"]'), "6:10", "must have 1")
        self.refuses(
            GROWTH.replace("grid: {", "grid: {follow: flow, "),
            "noise that depends on the state or the time",
            "set grid.follow: none",
        )
        self.refuses(
            GROWTH.replace("grid: {", "grid: {scheme: reference, "), "needs the conservative scheme"
        )
        self.refuses(
            PLANE.replace(
                "noise: [0, 0, 1.0e-10, 1.0e-10]", 'noise: ["0", "0", "1e-12*vx^2", "0"]'
            ),
            "coordinates of an orbit",
        )
        self.refuses(
            PLANE.replace("grid: {", "grid: {follow: none, "), "only a grid that follows the flow"
        )
        self.refuses(PLANE + "validate: {monte_carlo: {samples: 10}}\n", "particles and filters")
        self.write("input.yaml", GROWTH.replace("s^2*x^2", "s^2*(x - 1)"))
        outcome = self.call("input.yaml", "-q")
        self.assertEqual(outcome.status, NUMERICAL)
        self.assertIn("the spectral density of the noise is no number or negative", outcome.err)
        self.assertIn("max(q, 0)", outcome.err)


if __name__ == "__main__":
    run_cases.main()
