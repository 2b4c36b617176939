# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Dynamics that vary in time: tessera-gbees takes them at the middle of steps that their changes
bound and that end at their jumps."""

import math

import h5py

import run_cases
from cli_support import INPUT, CommandLineTest, arrays

ONE = """\
app: gbees
model: {variables: [x], equations: ["%s"]}
initial: {mean: [%s], standard_deviation: [0.1]}
time: {end: %s, records: 1}
"""

# A body at rest or not, with an acceleration that depends on the time.
PUSHED = """\
app: gbees
model: {variables: [x, v], equations: [v, "%s"]}
initial: {mean: [0, %s], standard_deviation: [%s, %s]}
time: {end: %s, records: 1}
"""


class TimeVarying(CommandLineTest):
    def run_text(self, text, *arguments):
        self.write("input.yaml", text)
        self.outcome = self.succeed("input.yaml", "--force", "-q", *arguments)
        return arrays(self.path("input.h5"))

    def mean(self, text, *arguments):
        return self.run_text(text, *arguments)["results/mean"][-1]

    def test_speed_that_starts_at_zero(self):
        for scheme in ("conservative", "reference"):
            mean = self.mean(ONE % ("sin(t)", 0, 3) + "grid: {scheme: %s}\n" % scheme)
            self.assertAlmostEqual(mean[0], 1 - math.cos(3), delta=2e-3)

    def test_against_particles(self):
        found = self.run_text(
            ONE % ("sin(t)", 0, 3) + "validate: {monte_carlo: {samples: 20000}}\n"
        )
        self.assertAlmostEqual(
            found["results/monte_carlo/mean"][-1, 0], 1 - math.cos(3), delta=4e-3
        )
        self.assertGreater(found["results/monte_carlo/bhattacharyya"][-1], 0.98)

    def test_burn(self):
        text = PUSHED % ("0.01*(t > 100 and t < 200)", 0, 1, 0.001, 1000)
        mean = self.mean(
            text
            + "validate: {monte_carlo: {samples: 20000, step: 7}, filters: {step: 7, ukf: {}}}\n",
            "time.cfl=0.5",
        )
        self.assertAlmostEqual(mean[0], 850, delta=0.5)
        self.assertAlmostEqual(mean[1], 1, delta=1e-3)
        with h5py.File(self.path("input.h5")) as file:
            for name in ("monte_carlo", "filters/ukf"):
                mean = file["results/" + name + "/mean"][-1]
                self.assertAlmostEqual(mean[0], 850, delta=0.05, msg=name)
                self.assertAlmostEqual(mean[1], 1, delta=1e-4, msg=name)

    def test_pulse_wherever_it_falls(self):
        for start, way in ((2.5, 17.5), (5, 15), (5.02, 14.98)):
            mean = self.mean(
                PUSHED % (f"100*(t > {start} and t < {start} + 0.01)", 1, 0.1, 0.05, 10)
            )
            self.assertAlmostEqual(mean[0], way, delta=0.02)
            self.assertAlmostEqual(mean[1], 2, delta=5e-3)

    def test_smooth_pulse(self):
        mean = self.mean(ONE % ("100/sqrt(pi)*exp(-((t - 2.7)/0.01)^2)", 0, 10))
        self.assertAlmostEqual(mean[0], 1, delta=0.01)

    def test_second_order(self):
        """Steps of which longest_step alone decides: half of it, a quarter of the change by another
        halving; the cells have their part."""
        text = ONE % ("0.2*sin(2*t)", 0, 2) + "grid: {spacing: [2], threshold: 1.0e-30}\n"
        text = text.replace("standard_deviation: [0.1]", "standard_deviation: [4]")
        means = [
            self.mean(text, f"time.longest_step={step}", "grid.follow=none")[0]
            for step in (0.2, 0.1, 0.05)
        ]
        self.assertAlmostEqual(means[2], 0.1 * (1 - math.cos(4)), delta=5e-4)
        self.assertAlmostEqual(
            math.log2((means[0] - means[1]) / (means[1] - means[2])), 2, delta=0.3
        )

    def test_longest_step(self):
        found = self.run_text(ONE % ("-x", 1, 1), "time.longest_step=0.01", "grid.follow=none")
        self.assertLessEqual(max(found["series/dt"]), 0.01)
        self.assertGreaterEqual(len(found["series/dt"]), 100)

    def test_breaks_of_the_user(self):
        """A table that jumps within an interval of its rows is met by steps that end there."""
        found = self.run_text(
            ONE % ("sin(t)", 0, 3), "time.breaks=[0.123, 2.5]", "grid.follow=none"
        )
        for time in (0.123, 2.5):
            self.assertIn(time, found["series/time"])

    def test_restart_gives_the_same_bits(self):
        text = ONE % ("sin(t) + (t > 1.5)", 0, 3)
        self.write("whole.yaml", text.replace("end: 3", "segments: [1.75, 1.25]"))
        self.succeed("whole.yaml", "--force", "-q")
        self.write("input.yaml", text)
        self.succeed("input.yaml", "--force", "-q", "run.keep_restart=true", "time.end=1.75")
        self.succeed(
            "input.yaml", "--force", "-q", "--restart", "input.restart.h5", "-o", "later.h5"
        )
        with h5py.File(self.path("whole.h5")) as whole, h5py.File(self.path("later.h5")) as later:
            for name in ("results/mean", "results/covariance", "series/dt", "series/time"):
                self.assertEqual(whole[name][()].tobytes(), later[name][()].tobytes(), name)

    def test_unlimited_jumps_are_told(self):
        self.write("input.yaml", ONE % ("floor(1.0e7*t) - 1.0e7*t", 0, 1))
        self.assert_mentions(self.call("input.yaml", "--validate"), 0, "time.longest_step")

    def test_rejects(self):
        self.write("input.yaml", ONE % ("sin(t)", 0, 3))
        self.assert_mentions(
            self.call("input.yaml", "--validate", "time.longest_step=0"), INPUT, "longest_step"
        )


if __name__ == "__main__":
    run_cases.main()
