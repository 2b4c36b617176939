# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Runs that a signal interrupts anywhere: cli_interruptions.py EXECUTABLE TOOL, with the library of
signal_at_kernel.cpp. It comes as one kernel after the other begins, so that what a run does between
two of its steps is met too: a measurement, a frame laid anew, a record."""

import collections
import os
import signal
import sys
import unittest
from unittest import mock

import numpy as np

TOOL = os.path.abspath(sys.argv.pop(2))

import run_cases
from cli_support import EXECUTABLE, CommandLineTest, attribute

PROGRAM = os.path.basename(EXECUTABLE)


def only_of(program):
    return unittest.skipUnless(PROGRAM == program, f"an input of {program}")


class Interruptions(CommandLineTest):
    def call_with(self, kernel, *arguments):
        """Runs with a signal at a kernel, or none at 0."""
        tool = {
            "KOKKOS_PROFILE_LIBRARY": TOOL,
            "KOKKOS_TOOLS_LIBS": TOOL,
            "TESSERA_TEST_KERNELS": self.path("kernels"),
            "TESSERA_TEST_SIGNAL_AT": str(kernel),
        }
        with mock.patch.dict(os.environ, tool):
            return self.call("run.yaml", "-q", "--force", "--backend", "serial", *arguments)

    def check(self, text, groups=("results", "series", "coordinates"), most=5):
        """Wherever a signal comes, and another one in what continues, the results are in the end
        those of a run without signals. It comes as each kernel begins, and where a kernel begins
        more than `most` times, at so many of them."""
        self.write("run.yaml", text)
        whole = self.call_with(0, "--output", "whole.h5")
        self.assertEqual(whole.status, 0, whole.err)
        numbers = collections.defaultdict(list)
        for number, label in enumerate(self.read("kernels").decode().splitlines(), start=1):
            if label.startswith("tessera::"):
                numbers[label].append(number)
        interrupted = 0
        for label, all_of in numbers.items():
            for at in all_of[:: -(-len(all_of) // most)]:
                with self.subTest(label=label, kernel=at):
                    interrupted += self.interrupt(at)
                    self.assert_same_bits("whole.h5", "part.h5", groups, 0)
        self.assertGreater(interrupted, len(numbers) // 2)

    def interrupt(self, at):
        """Runs with a signal at a kernel and, continued, at one of the first third as many; then to
        the end. Returns whether any of the runs was interrupted."""
        restart = ()
        if "part.h5" in self.files():
            os.remove(self.path("part.h5"))
        for kernel in (at, max(1, at // 3), 0):
            outcome = self.call_with(kernel, "--output", "part.h5", *restart)
            if outcome.status == 0:  # the last kernels write what there is
                break
            if outcome.status == -signal.SIGTERM:  # the run had not begun, or was over
                if self.is_complete("part.h5"):
                    return True
                continue
            self.assertEqual(outcome.status, 128 + signal.SIGTERM, outcome.err)
            self.assertEqual(attribute(self.path("part.h5"), "run_status"), "interrupted")
            restart = ("--restart", "part.restart.h5")
        self.assertEqual(outcome.status, 0, outcome.err)
        return bool(restart)

    def is_complete(self, name):
        return name in self.files() and attribute(self.path(name), "run_status") == "complete"

    @only_of("tessera-gbees")
    def test_a_grid_that_stays(self):
        self.check(STAYING)

    @only_of("tessera-gbees")
    def test_a_grid_that_follows(self):
        self.check(FOLLOWING)

    @only_of("tessera-gp")
    def test_a_fit_and_its_prediction(self):
        self.check(FIT)

    @only_of("tessera-mpr")
    def test_a_fill(self):
        row, column = np.indices((48, 60))
        image = np.sin(row / 7) + np.cos(column / 9)
        image[(row * 31 + column * 17) % 23 < 6] = np.nan
        np.save(self.path("data.npy"), image)
        self.check(FILL, ["results"])

    @only_of("tessera-stable")
    def test_a_map(self):
        self.check(MAP, ["results"], most=3)


STAYING = """\
app: gbees
model: {name: lorenz63}
grid: {spacing: [1.0, 1.0, 1.0], threshold: 1.0e-5}
initial:
  mean: [-11.5, -10.0, 9.5]
  standard_deviation: [1.0, 1.0, 1.0]
measurements:
  - {time: 0.1, variable: z, value: 2.0, variance: 4.0}
  - {time: 0.15, likelihood: exp(-x^2/200)}
maneuvers: [{time: 0.15, add: [0.3, 0, 1], standard_deviation: [0, 1.5, 0.5]}]
regions:
  - name: left
    inside: x < -14
    absorb: true
    histograms: [{of: y, low: -20, high: 0, bins: 5}]
  - {name: high, inside: z > 9, at: [0.07]}
time: {end: 0.2, records: 2}
validate: {monte_carlo: {samples: 500, step: 0.01}}
output: {cells: true, pairs: true}
"""

FOLLOWING = """\
app: gbees
model:
  variables: [x, v]
  equations: [v, -sin(x)]
  noise: [0, 0.01]
grid: {follow: flow, threshold: 1.0e-6}
initial:
  mean: [1.0, 0.0]
  standard_deviation: [0.2, 0.2]
measurements:
  - {time: 1, variable: x, value: 0.5, variance: 0.01}
maneuvers:
  - {time: 0.5, add: [0.1, 0.2], standard_deviation: [0, 0.1]}
  - {time: 1, add: [0, 0.1]}
time: {end: 2, records: 2}
validate: {filters: {step: 0.01, ukf: {}, particle: {particles: 500}}}
output: {cells: true}
"""

FIT = """\
app: gp
covariance: {sigma2: 1, beta: 0.1, nu: 0.5, nugget: 0.1}
simulate: {points: 400}
method: {vecchia: {neighbours: 10, refresh: 2}}
fit: {start: [0.4, 0.03, 1.2, 0.1], max_evaluations: 40}
predict: {fraction: 0.1, draws: 2}
cross_validation: {}
run: {seed: 5}
"""

FILL = """\
app: mpr
input: {file: data.npy}
model: {curvature: 1, couplings: [1, 1], temperature: 0.05, calibrate: false}
simulation: {draws: 16}
output: {quantiles: [0.025, 0.975]}
"""

MAP = """\
app: stable
problem: {task: bias_map, n: 200}
map: {alpha: [1.2, 1.6], beta: [0.5], repeats: 10}
run: {seed: 7}
"""

if __name__ == "__main__":
    run_cases.main()
