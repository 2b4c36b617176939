# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Grids of tessera-gbees that several processes share: cli_ranks_gbees.py EXECUTABLE LAUNCHER."""

import os
import re
import signal
import time

import h5py

import run_cases
from cli_support import EXECUTABLE, NUMERICAL, RESOURCE, ROOT, TIMEOUT, USAGE
from ranks_support import RanksTest

# A grid of cells with measurements of three kinds and every kind of record.
GRID = """\
app: gbees
model: {name: lorenz63}
grid: {spacing: [0.5, 0.5, 0.5], threshold: 1.0e-6}
initial: {mean: [-11.5, -10.0, 9.5], standard_deviation: [1.0, 1.0, 1.0]}
measurements:
  - {time: 0.2, variable: z, value: -8.0, variance: 1.0}
  - {time: 0.4, missed: "0.5*(x > y)"}
  - {time: 0.4, variable: x, value: 5.0, scale: 2.0, degrees: 3, distribution: student}
time: {end: 0.6, records: 2}
output: {cells: true, pairs: true, vtk: [x, y, z], credible: [0.5, 0.9]}
"""
# Runs beside a grid: particles, a kernel density estimate of some, and filters.
BESIDE = """\
validate:
  monte_carlo: {samples: 5000, step: 0.01, kde_samples: 1500, coarsen: [2, 3]}
  filters: {step: 0.01, ukf: {}, enkf: {members: 2500}, particle: {particles: 5000, resample: 1}}
"""


class Gbees(RanksTest):
    """Grids of tessera-gbees."""

    FINE = ["grid.spacing=[0.2, 0.2, 0.2]", "grid.threshold=1e-9"]  # seconds

    def setUp(self):
        super().setUp()
        self.write("grid.yaml", GRID)

    def alone(self, *arguments, status=0):
        """What one process without a launcher says."""
        outcome = self.call(
            *arguments, "-q", "--backend", "serial", "--output", "alone.h5", "--force"
        )
        self.assertEqual(outcome.status, status, outcome.err)
        return outcome.err

    def check(self, numbers, *arguments):
        said = self.alone(*arguments)
        for ranks in numbers:
            with self.subTest(ranks=ranks):
                outcome = self.share(
                    ranks,
                    *arguments,
                    "-q",
                    "--backend",
                    "serial",
                    "--output",
                    f"{ranks}.h5",
                    "--force",
                )
                self.assertEqual((outcome.status, outcome.err), (0, said))
                self.assert_same_bits("alone.h5", f"{ranks}.h5")

    def test_any_number_of_ranks(self):
        self.check((1, 2, 3, 4), "grid.yaml")

    def test_the_reference_scheme(self):
        self.check((3,), "grid.yaml", "grid.scheme=reference")

    def test_stored_in_single_precision(self):
        self.check((2,), "grid.yaml", "grid.storage=single")

    def test_equations_noise_and_mixtures(self):
        self.check((2, 3), os.path.join(ROOT, "inputs", "gbees", "likelihood.yaml"))

    def test_the_probability_that_two_objects_meet(self):
        path = os.path.join(ROOT, "inputs", "gbees", "conjunction.yaml")
        self.check((2, 3), path, "conjunction.relative_error=0.03")

    def test_dynamics_that_vary_in_time(self):
        self.check((3,), os.path.join(ROOT, "inputs", "gbees", "duffing.yaml"))

    def test_a_window_that_travels(self):
        """By more than the 253 cells that can be indexed."""
        zeros = "[0, 0, 0, 0, 0, 0, 0, 0]"
        self.write(
            "drift.yaml",
            f"app: gbees\nmodel: {{name: linear, matrix: [{', '.join([zeros] * 8)}], offset: [1, -1, 0, 0, 0, 0, 0, 0]}}\n"
            "grid: {spacing: [1, 1, 1, 1, 1, 1, 1, 1], threshold: 3.0e-4, recentre: true}\n"
            f"initial: {{mean: {zeros}, standard_deviation: {zeros.replace('0', '0.4')}}}\n"
            "time: {end: 300, records: 2}\noutput: {cells: true}\nrun: {keep_restart: true}\n",
        )
        self.check((1, 2, 3), "drift.yaml")
        files = [self.state(f"{name}.restart.h5") for name in ("alone", "1", "2", "3")]
        self.assertIn("offset", files[0])
        for other in files[1:]:
            self.assertEqual(files[0], other)
        outcome = self.share(2, "drift.yaml", "--backend", "serial", "grid.keys=128", "--force")
        self.assertEqual(outcome.status, USAGE, outcome.err)
        self.assertIn(
            "this run cannot be divided among ranks: keys of 128 bits work on one device",
            outcome.err,
        )

    def test_a_grid_that_follows(self):
        self.write(
            "follow.yaml",
            'app: gbees\nmodel: {variables: [a, w], equations: [w, "-sin(a)"], noise: [0, 0.002]}\n'
            "grid: {follow: flow}\n"
            "initial: {mean: [1, 0], standard_deviation: [0.1, 0.1]}\n"
            "measurements: [{time: 2, variable: a, value: -0.3, variance: 0.0025}]\n"
            "maneuvers: [{time: 3, add: [0.1, -0.2], standard_deviation: [0, 0.1]}]\n"
            "time: {end: 4, records: 2}\n"
            "output: {cells: true, pairs: true, credible: [0.5]}\n"
            "regions: [{name: left, inside: a < 0}]\n" + BESIDE,
        )
        self.check((1, 2, 3, 4), "follow.yaml")

    def test_a_study(self):
        self.check(
            (3,),
            "grid.yaml",
            "study={cfl: [0.5], spacing: [2.0], reference_cfl: 0.25, reference_spacing: 1.0}",
            "time.end=0.1",
            "measurements=[]",
        )

    def test_a_turned_grid(self):
        covariance = "covariance: [[1, 0.5, 0], [0.5, 1, 0.2], [0, 0.2, 1]]"
        self.write(
            "turned.yaml",
            GRID.replace("standard_deviation: [1.0, 1.0, 1.0]", covariance).replace(
                "spacing:", "rotate: true, spacing:"
            ),
        )
        self.check((2,), "turned.yaml")

    def test_regions(self):
        """One that is looked at, and one that absorbs, with a histogram; a measurement empties
        their accounts."""
        self.write(
            "regions.yaml",
            GRID
            + """\
regions:
  - {name: left, inside: "x < -12 + t", at: [0.1, 0.4]}
  - {name: right, inside: "x > 4 and y > 0", absorb: true, histograms: [{of: z - t, low: -20, high: 20, bins: 16}]}
""",
        )
        self.check((2, 3), "regions.yaml")

    def test_what_lies_within_cells(self):
        """Regions and likelihoods that take the neighbours of a cell, on other ranks too."""
        self.write(
            "within.yaml",
            """\
app: gbees
model: {variables: [x, y], equations: ["y", "-x + 0.3*x^2"], noise: [0.01, 0.02]}
grid: {spacing: [0.1, 0.1], threshold: 1.0e-8}
initial: {mean: [1, 0], standard_deviation: [0.3, 0.3]}
measurements:
  - {time: 0.4, variable: "x^2 + y^2", value: 1, variance: 1.0e-4}
  - {time: 0.8, missed: "0.9*(x > 0.4 and y < 0.03)"}
regions:
  - {name: disc, inside: "hypot(x - 0.9, y + 0.3) < 0.03"}
  - {name: half, inside: x + y > 0.7123}
  - {name: hit, inside: "hypot(x - 0.2, y + 1.1) < 0.2", absorb: true}
time: {end: 1, records: 2}
output: {cells: true}
""",
        )
        self.check((2, 3), "within.yaml")

    def test_particles_and_filters(self):
        self.write("beside.yaml", GRID + BESIDE)
        self.check(
            (1, 2, 3, 4),
            "beside.yaml",
            "measurements=[{time: 0.2, variable: z, value: -8.0, variance: 1.0}]",
        )

    def test_fewer_particles_than_ranks_need(self):
        """They are divided in chunks of 1024."""
        self.write("beside.yaml", GRID + BESIDE)
        self.check(
            (4,),
            "beside.yaml",
            "validate.monte_carlo.samples=1600",
            "validate.filters.enkf.members=100",
            "validate.filters.particle.particles=2049",
            "measurements=[{time: 0.2, quantities: [z, x], values: [-8, 1], variances: [1, 9]}]",
        )

    def test_particles_with_noise_that_regions_absorb(self):
        self.write(
            "noise.yaml",
            GRID.replace("model: {name: lorenz63}", "model: {name: lorenz63, noise: [0.5, 0, 1]}")
            + BESIDE.partition("  filters")[0]
            + """\
regions:
  - {name: left, inside: "x < -12 + t"}
  - {name: right, inside: "x > 4 and y > 0", absorb: true}
""",
        )
        self.check_with_restart_files((3,), "noise.yaml")

    def test_a_measurement_that_leaves_no_particle(self):
        self.write(
            "none.yaml",
            "app: gbees\nmodel: {variables: [x], equations: [0*x]}\ngrid: {spacing: [0.1], threshold: 1.0e-10}\n"
            "initial: {mean: [0], standard_deviation: [1]}\nmeasurements: [{time: 0.5, likelihood: x > 4.7}]\n"
            "time: {end: 1, records: 1}\nvalidate: {filters: {step: 0.1, particle: {particles: 2100}}}\n",
        )
        said = self.alone("none.yaml", status=NUMERICAL)
        self.assertIn("leaves no particle of the particle filter", said)
        outcome = self.share(3, "none.yaml", "-q", "--backend", "serial")
        self.assertEqual(outcome.status, NUMERICAL, outcome.err)
        self.assertTrue(outcome.err.startswith(said), outcome.err)

    def test_restart_files_are_those_of_one_process(self):
        self.write(
            "regions.yaml", GRID + "regions: [{name: left, inside: x < -12, absorb: true}]\n"
        )
        self.check_with_restart_files((1, 3), "regions.yaml")
        self.write("beside.yaml", GRID + BESIDE)
        self.check_with_restart_files(
            (3,),
            "beside.yaml",
            "measurements=[{time: 0.2, variable: z, value: -8.0, variance: 1.0}]",
        )

    def check_with_restart_files(self, numbers, *arguments):
        self.check(numbers, *arguments, "run.keep_restart=true")
        alone = self.state("alone.restart.h5")
        self.assertGreater(len(alone), 30)
        for ranks in numbers:
            self.assertEqual(alone, self.state(f"{ranks}.restart.h5"))

    def test_more_ranks_than_cells(self):
        self.write(
            "few.yaml",
            "app: gbees\nmodel: {variables: [x], equations: ['1']}\ngrid: {spacing: [4.0], threshold: 1.0e-3}\n"
            "initial: {mean: [0.0], standard_deviation: [1.0]}\ntime: {end: 20.0, records: 2}\noutput: {cells: true}\n",
        )
        self.check((4,), "few.yaml")

    def test_a_restart_with_other_ranks(self):
        self.check_restart("grid.yaml", *self.FINE)

    def test_a_restart_among_particles(self):
        """Which take nearly all of the time, seconds, so that some have been moved further than
        others."""
        self.write(
            "beside.yaml", GRID + "validate: {monte_carlo: {samples: 100000, step: 0.002}}\n"
        )
        self.check_restart("beside.yaml", "grid.spacing=[1, 1, 1]", "measurements=[]")
        self.assertTrue(
            self.uneven, "no restart file was written between the parts of the particles' work"
        )

    def check_restart(self, *run):
        """Interrupted twice: three ranks, then one, then two."""
        self.alone(*run)
        arguments = [*run, "--backend", "serial", "--output", "part.h5"]
        restart = []
        self.uneven = False
        for ranks in (3, 1):
            process = self.launch("-n", str(ranks), EXECUTABLE, *arguments, *restart)
            self.pids(process, ranks)
            time.sleep(0.3)
            process.send_signal(signal.SIGUSR2)  # which mpirun passes on
            _, err = process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, 128 + signal.SIGUSR2, err)
            restart = ["--restart", "part.restart.h5"]
            with h5py.File(self.path("part.restart.h5")) as file:
                self.uneven = (
                    self.uneven
                    or "state/particles/done" in file
                    and file["state/particles/done"][:].any()
                )
        outcome = self.share(2, *arguments, "-q", *restart)
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assert_same_bits("alone.h5", "part.h5")
        self.assertNotIn("part.restart.h5", self.files())

    def test_what_is_not_divided(self):
        outcome = self.share(
            2,
            "grid.yaml",
            "--backend",
            "serial",
            "grid.directory=unordered_map",
        )
        self.assertEqual(outcome.status, USAGE, outcome.err)
        self.assertEqual(
            outcome.err.count(
                "this run cannot be divided among ranks: the directory it asks for works on one device"
            ),
            1,
            outcome.err,
        )

    def test_too_little_memory(self):
        """On one rank first; all end, and leave a restart file that is gone on with."""
        # The density is small at first.
        small = [
            "initial.standard_deviation=[0.2, 0.2, 0.2]",
            "grid.spacing=[0.2, 0.2, 0.2]",
            "grid.threshold=1e-9",
            "grid.follow=none",
        ]
        arguments = ["grid.yaml", "--backend", "serial", "-q", *small]
        outcome = self.share(3, *arguments, "run.memory_limit=0.6")
        self.assertEqual(outcome.status, RESOURCE, outcome.err)
        self.assertEqual(outcome.err.count("above run.memory_limit"), 1, outcome.err)
        self.alone("grid.yaml", *small)
        outcome = self.share(2, *arguments, "--restart", "grid.restart.h5")
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assert_same_bits("alone.h5", "grid.h5")

    def test_too_little_memory_at_a_measurement(self):
        """Half of the density grows and makes its rank ask for more rows; the prune of a
        measurement divides the cells again, and the other rank has no memory for its share. The
        density has taken the measurement by then."""
        self.write(
            "half.yaml",
            """\
            app: gbees
            backend: serial
            model: {variables: [x, y], equations: ["max(x, 0)", "0*y"]}
            grid: {spacing: [0.025, 0.025], threshold: 1.0e-7, prune_every: 10000}
            initial: {mean: [0, 0], standard_deviation: [1, 1]}
            measurements:
            - {time: 1.07, variable: x, value: 0.5, variance: 1.0e+4}
            - {time: 1.07, variable: y, value: 0.0, variance: 1.0e+3}
            time: {end: 1.1, records: 1}
            validate: {filters: {step: 0.01, ukf: {}}}
            """,
        )
        self.alone("half.yaml")
        rows = self.share(2, "half.yaml", "-q", "run.memory_limit=1e-6")
        found = re.search(r"the grid needs ([\d.]+) MB for (\d+) cells", rows.err)
        # The grid also needs velocities, with what follows from them.
        need = float(found.group(1)) * 1e6 + 25 * int(found.group(2))
        outcome = self.share(
            2,
            "half.yaml",
            "--progress",
            "off",
            f"run.memory_limit={1.53 * need / 2**20}",
        )
        self.assert_mentions(
            outcome,
            RESOURCE,
            "tessera: error: the grid needs ",
            "above run.memory_limit",
            "tessera: continue with --restart half.restart.h5\n",
        )
        with h5py.File(self.path("half.restart.h5")) as file:
            self.assertEqual(file["state"].attrs["time"], 1.07)
        with h5py.File(self.path("half.h5")) as file:
            self.assertEqual(len(file["results/measurements/time"]), 2)
        os.rename(self.path("half.restart.h5"), self.path("left.restart.h5"))
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                outcome = self.share(
                    ranks,
                    "half.yaml",
                    "-q",
                    "--force",
                    "--restart",
                    "left.restart.h5",
                )
                self.assertEqual((outcome.status, outcome.err), (0, ""))
                self.assert_same_bits("alone.h5", "half.h5")

    def test_a_velocity_that_is_not_finite(self):
        self.write(
            "wrong.yaml",
            "app: gbees\nmodel: {variables: [x, y], equations: ['1 + 1/(x < 30)', '-y']}\n"
            "grid: {spacing: [0.2, 0.2], threshold: 1.0e-6}\n"
            "initial: {mean: [28.0, 0.0], standard_deviation: [0.5, 0.5]}\ntime: {end: 5.0, records: 1}\n",
        )
        said = self.alone("wrong.yaml", status=NUMERICAL)
        outcome = self.share(3, "wrong.yaml", "-q", "--backend", "serial")
        self.assertEqual(outcome.status, NUMERICAL, outcome.err)
        self.assertIn("the velocity at a face is not finite", said)
        # mpirun has something to say too
        self.assertTrue(outcome.err.startswith(said), outcome.err)

    def test_a_rank_is_killed(self):
        self.kill_a_rank(
            1, 2, "grid.yaml", "--backend", "serial", "grid.threshold=1e-9", "time.end=50"
        )
        self.assertNotIn("grid.h5", self.files())


if __name__ == "__main__":
    run_cases.main()
