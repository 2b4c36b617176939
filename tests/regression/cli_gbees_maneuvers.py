# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Sudden changes of the state in tessera-gbees: on grids that follow the flow and that stay, in
coordinates of an orbit, by particles and filters, in continued runs, and what is refused."""

import math

import numpy as np

import run_cases
from cli_support import INPUT, CommandLineTest

OSCILLATOR = """\
app: gbees
model: {variables: [x, v], equations: [v, -x]}
initial: {mean: [1, 0], standard_deviation: [0.1, 0.1]}
maneuvers:
- {time: 1, add: [0.2, 0.53], standard_deviation: [0, 0.2]}
- {time: 2, standard_deviation: [0.1, 0.05]}
time: {end: 3, records: 1}
"""
BOX = """\
app: gbees
model: {variables: [x], equations: ["0"]}
grid: {spacing: [0.02], follow: none, threshold: 1e-12}
initial: {low: [-0.5], high: [0.5]}
maneuvers: [{time: 1, add: [%s], standard_deviation: [%s]}]
time: {end: 2, records: 1}
"""
# Two burns that raise a circular orbit at 400 km by 200 km, each with an error of half a metre a
# second: the second, with the first density of a tenth of that, is no small one.
TRANSFER = """\
app: gbees
units: {length: 1 km, time: 1 s}
model:
  variables: [x, y, vx, vy]
  coordinates: polar
  forces:
  - {kind: two_body, name: earth, mu: 398600.4418 km^3/s^2}
  equations: [vx, vy, earth_x, earth_y]
grid: {threshold: 1e-7}
initial:
  mean: [6778.137 km, 0, 0, 7.668558 km/s]
  standard_deviation: [100 m, 100 m, 0.1 m/s, 0.1 m/s]
maneuvers:
- {time: 1, add: [0, 0, 0, 55.6 m/s], standard_deviation: [0, 0, 0.5 m/s, 0.5 m/s]}
- {time: 2837.5 s, add: [0, 0, 0, -55.2 m/s], standard_deviation: [0, 0, 0.5 m/s, 0.5 m/s]}
time: {end: 4000 s, records: 1}
"""
SPACE = """\
app: gbees
units: {length: 1 km, time: 1 s}
model:
  variables: [x, y, z, vx, vy, vz]
  coordinates: equinoctial
  forces:
  - {kind: two_body, name: earth, mu: 398600.4418 km^3/s^2}
  equations: [vx, vy, vz, earth_x, earth_y, earth_z]
grid: {threshold: 3.0e-7, factor: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]}
initial:
  mean: [6778 km, 0, 0, 0, 4.7657 km/s, 6.0128 km/s]
  standard_deviation: [1 km, 1 km, 1 km, 1 m/s, 1 m/s, 1 m/s]
maneuvers: [{time: 600 s, add: [0, 0, 10 m/s, 10 m/s, -20 m/s, 0]}]
time: {end: 1200 s, records: 1}
validate: {monte_carlo: {samples: 20000, step: 20 s}}
"""


def rotate(moments, angle):
    """The mean and covariance of the oscillator later."""
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    return turn @ moments[0], turn @ moments[1] @ turn.T


def oscillator():
    """The exact moments of each record of OSCILLATOR."""
    now = np.array([1.0, 0]), np.diag([0.01, 0.01])
    found = [now]
    for add, variance in (([0.2, 0.53], [0, 0.04]), ([0, 0], [0.01, 0.0025]), (None, None)):
        now = rotate(now, 1)
        found.append(now)
        if add is not None:
            now = now[0] + add, now[1] + np.diag(variance)
            found.append(now)
    return found


class Maneuvers(CommandLineTest):
    def check_moments(self, results, tolerance, of_covariance, where="results"):
        """Moments beside the exact ones, in standard deviations."""
        exact = oscillator()
        self.assertEqual(len(results[f"{where}/mean"]), len(exact))
        for k, (mean, covariance) in enumerate(exact):
            scale = np.sqrt(covariance.diagonal())
            np.testing.assert_allclose(
                (results[f"{where}/mean"][k] - mean) / scale, 0, atol=tolerance
            )
            np.testing.assert_allclose(
                (results[f"{where}/covariance"][k] - covariance) / np.outer(scale, scale),
                0,
                atol=of_covariance,
            )

    def test_an_oscillator_that_is_followed(self):
        found = self.arrays_of(OSCILLATOR, "grid.threshold=1e-14")
        self.check_moments(found, 1e-9, 1e-9)
        np.testing.assert_array_equal(found["results/time"], [0, 1, 1, 2, 2, 3])
        np.testing.assert_array_equal(found["results/segment"], [0, 0, 1, 1, 2, 2])

    def test_an_oscillator_on_a_grid_that_stays(self):
        found = self.arrays_of(OSCILLATOR, "grid.follow=none", "grid.spacing=[0.01,0.01]")
        self.check_moments(found, 2e-3, 1e-2)
        np.testing.assert_allclose(
            found["results/mass"] + found["results/lost_mass"], 1, atol=1e-13
        )

    def test_particles_and_filters(self):
        found = self.arrays_of(
            OSCILLATOR + "validate: {monte_carlo: {samples: 40000}, filters: {step: 0.02, ukf: {}, "
            "enkf: {members: 4000}, particle: {particles: 4000}}}\n"
        )
        self.check_moments(found, 1e-6, 1e-6, "results/filters/ukf")
        self.check_moments(found, 0.02, 0.03, "results/monte_carlo")
        self.check_moments(found, 0.06, 0.09, "results/filters/enkf")
        self.check_moments(found, 0.06, 0.09, "results/filters/particle")

    def test_an_error_broadens_edges_as_it_should(self):
        found = self.arrays_of(BOX % (0.3, 0.1))
        self.assertAlmostEqual(found["results/mean"][-1, 0], 0.3, delta=1e-6)
        self.assertAlmostEqual(found["results/covariance"][-1, 0, 0], 1 / 12 + 0.01, delta=1e-4)
        marginal, centres = found["results/marginal_1d/x1"][-1], found["coordinates/x1"]
        width = 0.1 * math.sqrt(2)
        exact = [
            0.02 * 0.5 * (math.erf((0.8 - x) / width) - math.erf((-0.2 - x) / width))
            for x in centres
        ]
        np.testing.assert_allclose(marginal, exact, atol=1e-4)

    def test_whole_cells_are_exact_and_parts_of_cells_are_small(self):
        for by in (0.3, -0.307):
            found = self.arrays_of(BOX % (by, 0))
            change = found["results/mean"][2] - found["results/mean"][1]
            self.assertAlmostEqual(change[0], by, delta=1e-12)
            wider = found["results/covariance"][2] - found["results/covariance"][1]
            self.assertLess(abs(wider[0, 0]), 1e-14 if by > 0 else 0.02**2 / 4)

    def test_a_turned_grid_that_stays(self):
        found = self.arrays_of(
            "app: gbees\n"
            'model: {variables: [x, y], equations: ["0", "0"]}\n'
            "grid: {follow: none, rotate: true, factor: [2, 2], threshold: 1e-9}\n"
            "initial: {mean: [1, 2], covariance: [[1, 0.9], [0.9, 1]]}\n"
            "maneuvers: [{time: 1, add: [0.5, -0.25], standard_deviation: [0.3, 0.3]}]\n"
            "time: {end: 2, records: 1}\n"
        )
        np.testing.assert_allclose(found["results/mean"][-1], [1.5, 1.75], atol=1e-5)
        np.testing.assert_allclose(
            found["results/covariance"][-1], [[1.09, 0.9], [0.9, 1.09]], atol=1e-4
        )

    def test_a_circle(self):
        """What goes over the end of the base interval enters at the other one."""
        found = self.arrays_of(
            "app: gbees\n"
            'model: {variables: [a, w], equations: ["0", "0"], periods: {a: 360}}\n'
            "grid: {spacing: [2, 0.1], threshold: 1e-9}\n"
            "initial: {mean: [170, 0], standard_deviation: [5, 0.5]}\n"
            "maneuvers: [{time: 1, add: [31, 0.25], standard_deviation: [10, 0]}]\n"
            "time: {end: 2, records: 1}\n"
            "validate: {monte_carlo: {samples: 40000}}\n"
        )
        np.testing.assert_allclose(found["results/mean"][-1], [-159, 0.25], atol=1e-4)
        deviations = np.sqrt(found["results/covariance"][-1].diagonal())
        np.testing.assert_allclose(deviations, [math.sqrt(126), 0.5], rtol=1e-4)
        self.assertGreater(found["results/monte_carlo/bhattacharyya"][-1], 0.98)

    def test_a_grid_that_has_stopped_following(self):
        """A cubic folds the density before the maneuver."""
        text = (
            "app: gbees\n"
            'model: {variables: [x, y], equations: ["0", "5*x^2"]}\n'
            "grid: {threshold: 1e-9}\n"
            "initial: {mean: [0, 0], standard_deviation: [1, 0.1]}\n"
            "%s"
            "time: {end: 2, records: 1}\n"
        )
        plain = self.arrays_of(text % "")
        late = self.arrays_of(
            text % "maneuvers: [{time: 1.999999999, add: [1, 3], standard_deviation: [0.5, 2]}]\n"
        )
        covariance = plain["results/covariance"][-1]
        scale = np.sqrt(covariance.diagonal())
        difference = late["results/mean"][-1] - plain["results/mean"][-1] - [1, 3]
        np.testing.assert_allclose(difference / scale, 0, atol=0.01)
        difference = late["results/covariance"][-1] - covariance - np.diag([0.25, 4])
        np.testing.assert_allclose(difference / np.outer(scale, scale), 0, atol=0.01)

    def test_a_transfer_between_orbits(self):
        found = self.arrays_of(TRANSFER + "validate: {monte_carlo: {samples: 40000, step: 20 s}}\n")
        beside = found["results/monte_carlo/covariance"]
        for k, mean in enumerate(found["results/mean"]):
            scale = np.sqrt(beside[k].diagonal())
            difference = (mean - found["results/monte_carlo/mean"][k]) / scale
            np.testing.assert_allclose(difference, 0, atol=0.02)
            deviations = np.sqrt(found["results/covariance"][k].diagonal())
            np.testing.assert_allclose(deviations / scale, 1, atol=0.012)
        radius = np.linalg.norm(found["results/state/mean"][:, :2], axis=1)
        self.assertAlmostEqual(radius[-1], 6978.137, delta=1.0)

    def test_an_orbit_in_space(self):
        found = self.arrays_of(SPACE)
        before, after = found["results/state/mean"][1:3]
        np.testing.assert_allclose(1000 * (after - before)[3:], [10, -20, 0], atol=0.01)
        beside = found["results/monte_carlo/covariance"][-1]
        scale = np.sqrt(beside.diagonal())
        difference = (found["results/mean"][-1] - found["results/monte_carlo/mean"][-1]) / scale
        np.testing.assert_allclose(difference, 0, atol=0.03)
        deviations = np.sqrt(found["results/covariance"][-1].diagonal())
        np.testing.assert_allclose(deviations / scale, 1, atol=0.02)

    def test_a_continued_run(self):
        """The bits of one run; a maneuver may be added behind the end of the run to continue."""
        short = OSCILLATOR.replace("end: 3", "end: 1.5").replace("- {time: 2", "# - {time: 2")
        self.write("short.yaml", short + "run: {keep_restart: true}\n")
        self.succeed("short.yaml", "-q", "--output", "short.h5")
        self.write("long.yaml", OSCILLATOR)
        restart = "--restart", "short.restart.h5"
        self.succeed("long.yaml", "-q", *restart, "--output", "long.h5")
        self.write("changed.yaml", OSCILLATOR.replace("0.53", "0.54"))
        outcome = self.call("changed.yaml", "-q", *restart, "--output", "changed.h5")
        self.assertEqual(outcome.status, INPUT, outcome.err)
        self.assertIn("the input differs: 'add: [0.2, 0.53]'", outcome.err)
        early = "- {time: 0.5, add: [1, 0]}\n- {time: 1, "
        self.write("early.yaml", OSCILLATOR.replace("- {time: 1, ", early))
        outcome = self.call("early.yaml", "-q", *restart, "--output", "early.h5")
        self.assertEqual(outcome.status, INPUT, outcome.err)
        self.assertIn("the input differs", outcome.err)
        twice = OSCILLATOR.replace("- {time: 2", "- {time: 1, add: [1, 0]}\n- {time: 2")
        self.write("twice.yaml", twice)
        outcome = self.call("twice.yaml", "-q", *restart, "--output", "twice.h5")
        self.assertEqual(outcome.status, INPUT, outcome.err)
        self.assertIn("the maneuvers are not those of the run to continue", outcome.err)

    def refuse(self, text, *phrases):
        self.write("run.yaml", text)
        self.assert_mentions(self.call("run.yaml", "--validate"), INPUT, *phrases)

    def test_what_is_refused(self):
        change = OSCILLATOR.replace
        self.refuse(change("time: 2,", "time: 3,"), ":6:", "a maneuver must come before time.end")
        self.refuse(change("time: 2,", "time: -1,"), ":6:", "greater than 0")
        self.refuse(change("[0.2, 0.53]", "[0.2]"), ":5:", "has 1 element, but must have 2")
        self.refuse(change("[0.1, 0.05]", "[0.1, -0.05]"), ":6:", "at least 0")
        indefinite = change("standard_deviation: [0.1, 0.05]", "covariance: [[1, 2], [2, 1]]")
        self.refuse(indefinite, ":6:", "not positive semidefinite")
        both = change("[0.1, 0.05]", "[0.1, 0.05], covariance: [[1, 0], [0, 1]]")
        self.refuse(both, ":6:", "not both")
        self.refuse(
            change("- {time: 2, standard_deviation: [0.1, 0.05]}", "- {time: 2}"),
            ":6:",
            "a maneuver needs 'add'",
        )
        self.refuse(OSCILLATOR + "grid: {scheme: reference}\n", ":5:", "conservative scheme")
        self.refuse(OSCILLATOR + "study: {cfl: [0.5]}\n", "a study has no maneuvers")
        correlated = change(
            "standard_deviation: [0.1, 0.05]", "covariance: [[0.01, 0.002], [0.002, 0.01]]"
        )
        self.refuse(correlated + "grid: {follow: none}\n", "correlated along the axes of a grid")
        self.refuse(
            TRANSFER.replace("threshold: 1e-7", "follow: none"),
            "needs a grid that follows the flow",
        )
        self.refuse(
            change("equations: [v, -x]", "equations: [v, -x], invariant: x^2 + v^2"),
            "a maneuver changes the invariant",
        )


if __name__ == "__main__":
    run_cases.main()
