# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Coordinates of an orbit for inputs of tessera-gbees that are Cartesian: the initial density, days
of orbits beside particles, measurements, samples, mixtures, restarts, and what is refused."""

import math

import numpy as np

import run_cases
from cli_support import INPUT, CommandLineTest

MU = 398600.4418
# A low orbit in the plane of the equator.
PLANE = """\
app: gbees
units: {length: 1 km, time: 1 s, variables: [km, km, km/s, km/s]}
model:
  variables: [x, y, vx, vy]
  coordinates: polar
  forces:
  - {kind: two_body, name: earth, mu: 398600.4418 km^3/s^2}
  - {kind: j2, name: bulge, mu: 398600.4418 km^3/s^2, j2: 1.0826e-3, radius: 6378.137 km}
  equations: [vx, vy, earth_x + bulge_x, earth_y + bulge_y]
initial:
  mean: [6778 km, 0, 0, 7.674147 km/s]
  standard_deviation: [1 km, 1 km, 1 m/s, 1 m/s]
time: {end: 24 h, records: 8}
"""
# A low orbit with drag, in space.
SPACE = """\
app: gbees
units: {length: 1 km, time: 1 s, mass: 1 kg, variables: [km, km, km, km/s, km/s, km/s]}
model:
  variables: [x, y, z, vx, vy, vz]
  coordinates: equinoctial
  forces:
  - {kind: two_body, name: earth, mu: 398600.4418 km^3/s^2}
  - {kind: j2, name: bulge, mu: 398600.4418 km^3/s^2, j2: 1.0826e-3, radius: 6378.137 km}
  equations: [vx, vy, vz, earth_x + bulge_x, earth_y + bulge_y, earth_z + bulge_z]
grid: {threshold: 1.0e-6, factor: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]}
initial:
  mean: [6778 km, 0, 0, 0, 4.7657 km/s, 6.0128 km/s]
  standard_deviation: [1 km, 1 km, 1 km, 1 m/s, 1 m/s, 1 m/s]
time: {end: 90 min, records: 1}
"""
PARTICLES = "validate: {monte_carlo: {samples: 40000, step: 60, coarsen: [3]}}\n"


class Orbits(CommandLineTest):
    def check_start(self, found, mean, deviation, tolerance=5e-3):
        """The state at the start has the moments of the input."""
        of_state = found["results/state/covariance"][0]
        np.testing.assert_allclose(
            (found["results/state/mean"][0] - mean) / deviation, 0, atol=2e-3
        )
        scale = np.outer(deviation, deviation)
        np.testing.assert_allclose(of_state / scale, np.eye(len(mean)), atol=tolerance)

    def check_particles(self, found, overlap):
        comparison = "results/monte_carlo/"
        self.assertGreater(found[comparison + "bhattacharyya_coarse"].min(), overlap)
        deviation = np.sqrt(np.diagonal(found[comparison + "covariance"], axis1=1, axis2=2))
        cells = np.sqrt(np.diagonal(found["results/covariance"], axis1=1, axis2=2))
        np.testing.assert_allclose(cells / deviation, 1, atol=0.015)
        distance = (found["results/mean"] - found[comparison + "mean"]) / deviation
        np.testing.assert_allclose(distance, 0, atol=0.015)

    def test_a_day_in_the_plane(self):
        found = self.arrays_of(PLANE + PARTICLES)
        self.check_start(found, [6778, 0, 0, 7.674147], [1, 1, 1e-3, 1e-3])
        self.check_particles(found, 0.99)
        self.assertLess(found["series/dt"].size, 160)
        self.assertLess(found["series/cells_existing"].max(), 60000)
        # the crescent of the state is as long as the spread of its angle says
        angle = found["results/covariance"][-1, 1, 1]
        self.assertGreater(math.sqrt(angle), 0.02)
        of_state = np.linalg.eigvalsh(found["results/state/covariance"][-1][:2, :2])[-1]
        self.assertAlmostEqual(math.sqrt(of_state) / (6778 * math.sqrt(angle)), 1, delta=0.05)
        for i in range(4):
            marginal = found[f"results/state/marginal_1d/x{i + 1}"][-1]
            centres = found[f"results/state/x{i + 1}"][-1]
            mean = marginal @ centres / marginal.sum()
            deviation = math.sqrt(found["results/state/covariance"][-1][i, i])
            self.assertAlmostEqual(marginal.sum(), found["results/mass"][-1], delta=1e-9)
            self.assertAlmostEqual(
                (mean - found["results/state/mean"][-1, i]) / deviation, 0, delta=0.02
            )

    def test_a_revolution_in_space(self):
        found = self.arrays_of(SPACE + PARTICLES)
        mean = [6778, 0, 0, 0, 4.7657, 6.0128]
        # the threshold leaves 1 % of it out
        self.check_start(found, mean, [1, 1, 1, 1e-3, 1e-3, 1e-3], 0.03)
        self.check_particles(found, 0.95)  # of the cells that particles leave empty
        self.assertLess(found["results/lost_mass"].max(), 0.02)

    def test_measurements_of_the_state(self):
        """Beside a Kalman filter: over a minute the flow is nearly linear."""
        text = PLANE.replace("time: {end: 24 h, records: 8}", "time: {end: 60, records: 1}")
        found = self.arrays_of(
            text + "measurements: [{time: 59.9, quantities: [x, vy], values: [6760.4, 7.655],"
            " variances: [0.04, 1.0e-8]}]\n"
        )
        alone = self.arrays_of(text.replace("end: 60", "end: 59.9"))
        mean, covariance = alone["results/state/mean"][-1], alone["results/state/covariance"][-1]
        h = np.array([[1, 0, 0, 0], [0, 0, 0, 1]])
        total = h @ covariance @ h.T + np.diag([0.04, 1e-8])
        gain = covariance @ h.T @ np.linalg.inv(total)
        innovation = np.array([6760.4, 7.655]) - h @ mean
        expected = mean + gain @ innovation
        after = covariance - gain @ total @ gain.T
        record = np.flatnonzero(found["results/segment"] == 1)[0]
        deviation = np.sqrt(after.diagonal())
        distance = (found["results/state/mean"][record] - expected) / deviation
        np.testing.assert_allclose(distance, 0, atol=0.02)
        np.testing.assert_allclose(
            np.sqrt(found["results/state/covariance"][record].diagonal()) / deviation, 1, atol=0.01
        )
        evidence = -0.5 * (
            innovation @ np.linalg.solve(total, innovation)
            + math.log((2 * math.pi) ** 2 * np.linalg.det(total))
        )
        self.assertAlmostEqual(found["results/measurements/log_evidence"][0], evidence, delta=0.01)

    def test_mixtures_and_samples(self):
        short = "time: {end: 60, records: 1}"
        text = PLANE.replace("time: {end: 24 h, records: 8}", short)
        begin, end = text.index("initial:"), text.index("time: {end")
        two = (
            "initial:\n  mixture:\n"
            "  - {weight: 1, mean: [6778, 0, 0, 7.674], standard_deviation: [1, 1, 0.001, 0.001]}\n"
            "  - {weight: 3, mean: [6780, 1, 0, 7.674], standard_deviation: [1, 1, 0.001, 0.001]}\n"
        )
        found = self.arrays_of(text[:begin] + two + text[end:])
        np.testing.assert_allclose(
            found["results/state/mean"][0], [6779.5, 0.75, 0, 7.674], atol=2e-3
        )
        covariance = found["results/state/covariance"][0][:2, :2]
        spread = np.array([[0.75, 0.375], [0.375, 0.1875]])
        np.testing.assert_allclose(covariance, np.eye(2) + spread, atol=0.01)
        draw = np.random.default_rng(4)
        states = np.array([6778, 0, 0, 7.674147]) + draw.standard_normal((20000, 4)) * [
            1,
            1,
            1e-3,
            1e-3,
        ]
        np.save(self.path("samples.npy"), states)
        of_samples = "initial: {shape: samples, file: samples.npy}\n"
        found = self.arrays_of(text[:begin] + of_samples + text[end:], "grid.threshold=1e-9")
        deviation = states.std(axis=0)
        distance = (found["results/state/mean"][0] - states.mean(axis=0)) / deviation
        np.testing.assert_allclose(distance, 0, atol=0.02)

    def test_longitudes_beside_half_a_turn(self):
        """The angle of the mean is near pi: the density lies on both sides of it."""
        text = PLANE.replace("[6778 km, 0, 0, 7.674147 km/s]", "[-6778 km, 0, 0, -7.674147 km/s]")
        found = self.arrays_of(text.replace("24 h, records: 8", "600, records: 1"))
        self.check_start(found, [-6778, 0, 0, -7.674147], [1, 1, 1e-3, 1e-3])
        self.assertAlmostEqual(abs(found["results/mean"][0, 1]), math.pi, delta=1e-4)

    def test_results_are_those_of_other_coordinates_too(self):
        found = self.arrays_of(
            PLANE.replace("24 h, records: 8", "600, records: 1"), "output.cells=true"
        )
        cells, states = found["results/record_1/x"], found["results/state/record_1/x"]
        radius, angle = cells[:, 0], cells[:, 1]
        np.testing.assert_allclose(radius * np.cos(angle), states[:, 0], rtol=1e-12, atol=1e-8)
        np.testing.assert_allclose(radius * np.sin(angle), states[:, 1], rtol=1e-12, atol=1e-8)
        self.assertEqual(list(found["results/state/variables"]), [b"x", b"y", b"vx", b"vy"])
        self.assertEqual(list(found["coordinates/variables"]), [b"r", b"theta", b"v_r", b"h"])

    def test_a_grid_that_stays(self):
        text = PLANE.replace("24 h, records: 8", "10, records: 1")
        found = self.arrays_of(text, "grid.follow=none", "grid.factor=[1, 1, 1, 1]")
        self.assertEqual(found["coordinates/x1"].ndim, 1)
        self.check_start(found, [6778, 0, 0, 7.674147], [1, 1, 1e-3, 1e-3])

    def test_restart_has_the_same_bits(self):
        text = PLANE + "validate: {monte_carlo: {samples: 20000, step: 60}}\n"
        self.assert_restarts(text, shares=(0.5,))

    def refuse(self, text, *phrases):
        self.write("input.yaml", text)
        self.assert_mentions(self.call("input.yaml", "--force", "-q"), INPUT, *phrases)

    def test_what_is_refused(self):
        self.refuse(PLANE.replace("polar", "equinoctial"), ":4:", "'polar' is for x, y, vx, vy")
        self.refuse(PLANE.replace("polar", "polr"), ":5:", "did you mean 'polar'?")
        self.refuse(
            PLANE.replace("  equations", "  noise: [0, 0, 1.0e-9, 1.0e-9]\n  equations")
            + "grid: {follow: none}\n",
            "which only a grid that follows the flow takes",
        )
        self.refuse(
            SPACE.replace("4.7657 km/s, 6.0128 km/s", "8, 8"),
            "the orbit is not bound",
            "(model.coordinates)",
        )
        point = "  - {kind: two_body, name: earth, mu: 398600.4418 km^3/s^2}\n"
        self.refuse(SPACE.replace(point, ""), "unknown name 'earth_x'")
        self.refuse(
            SPACE.replace(point, "")
            .replace("earth_x + ", "")
            .replace("earth_y + ", "")
            .replace("earth_z + ", ""),
            ":5:",
            "give a force of the kind 'two_body'",
        )
        self.refuse(SPACE.replace(point, point + point.replace("earth", "moon")), ":5:", "2 forces")
        self.refuse(
            PLANE.replace("  equations", "  parameters: {theta: 1}\n  equations"),
            "'theta' is a variable of these coordinates",
        )
        box = "initial: {low: [6777, -1, 0, 7.67], high: [6779, 1, 0.001, 7.68]}\n"
        begin, end = PLANE.index("initial:"), PLANE.index("time: {end")
        self.refuse(PLANE[:begin] + box + PLANE[end:], "a Gaussian, a mixture or samples")


if __name__ == "__main__":
    run_cases.main()
