# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Runs that several processes share: cli_ranks.py EXECUTABLE LAUNCHER, with tessera-gp
(tessera-gbees, tessera-stable and tessera-mpr beside it) and mpirun. Results have the same bits for
any number of ranks, and whatever happens to one of them, all end."""

import functools
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

LAUNCHER = sys.argv.pop(2)

import h5py
import numpy as np

import run_cases
from cli_support import (
    EXECUTABLE,
    FILES,
    INPUT,
    NUMERICAL,
    RESOURCE,
    ROOT,
    TIMEOUT,
    USAGE,
    CommandLineTest,
    Outcome,
    arrays,
    attribute,
    environment,
)

# Vecchia's approximation does everything it can.
ALL = """\
app: gp
simulate: {points: 5000, layout: uniform}
covariance: {sigma2: 1.5, beta: 0.1, nu: 0.8, nugget: 0.05}
mean: linear
method: {vecchia: {neighbours: 12, prediction_neighbours: 20}}
fit: {start: [1, 0.05, 0.5, 0.1]}
predict: {fraction: 0.1, draws: 3}
cross_validation: {}
"""
# What a grid of cells does besides steps: measurements of three kinds, every kind of record.
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
# Minutes, unless it is stopped.
LONG = ALL.replace("points: 5000", "points: 60000").replace("neighbours: 12", "neighbours: 40")


def ranks_environment(**more):
    """mpirun as root, in containers, and with more ranks than cores."""
    return dict(
        environment(),
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_rmaps_base_oversubscribe="1",
        OMPI_MCA_hwloc_base_binding_policy="none",
        OMPI_MCA_btl_vader_single_copy_mechanism="none",
        **more,
    )


@functools.lru_cache(maxsize=None)
def has_cuda():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "input.yaml"), "w", encoding="utf-8") as file:
            file.write(ALL)
        run = subprocess.run(
            [EXECUTABLE, "input.yaml", "--backend", "cuda"],
            cwd=folder,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        return run.returncode == 0


# What runs beside a grid: particles, a kernel density estimate of some, and filters.
BESIDE = """\
validate:
  monte_carlo: {samples: 5000, step: 0.01, kde_samples: 1500, coarsen: [2, 3]}
  filters: {step: 0.01, ukf: {}, enkf: {members: 2500}, particle: {particles: 5000, resample: 1}}
"""


class RanksTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.write("input.yaml", ALL)
        self.write("long.yaml", LONG)

    def launch(self, *arguments, **more):
        """A launcher that runs; killed at the end of the test."""
        process = subprocess.Popen(
            [LAUNCHER, *arguments],
            cwd=self.folder,
            env=ranks_environment(**more),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

        def clean_up():
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.communicate()

        self.addCleanup(clean_up)
        return process

    def share(self, ranks, *arguments, program=EXECUTABLE, **more):
        """What so many ranks do together."""
        process = self.launch("-n", str(ranks), program, *arguments, **more)
        out, err = process.communicate(timeout=TIMEOUT)
        return Outcome(process.returncode, out, err)

    def pids(self, process, ranks):
        """The processes of a launcher's ranks, as soon as the run has begun."""
        while "running on" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        found = []
        for entry in os.listdir("/proc"):
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                    fields = file.read()
            except OSError:
                continue
            if (
                fields.partition("(")[2].startswith("tessera-")
                and int(fields.rpartition(")")[2].split()[1]) == process.pid
            ):
                found.append(int(entry))
        self.assertEqual(len(found), ranks)
        return sorted(found)

    def state(self, name):
        """Everything in a restart file but where it comes from."""
        found = {}
        with h5py.File(self.path(name)) as file:

            def visit(path, item):
                found.update(
                    {
                        f"{path}@{key}": np.asarray(value).tolist()
                        for key, value in item.attrs.items()
                    }
                )
                if isinstance(item, h5py.Dataset):
                    values = np.asarray(item[()])
                    found[path] = (
                        values.tolist()
                        if values.dtype == object
                        else (values.shape, values.dtype.str, values.tobytes())
                    )

            visit("state", file["state"])
            file["state"].visititems(visit)
        return found


class Results(RanksTest):
    def check(self, numbers, *arguments):
        self.succeed("input.yaml", "-q", "--output", "alone.h5", *arguments)
        for ranks in numbers:
            with self.subTest(ranks=ranks):
                outcome = self.share(
                    ranks, "input.yaml", "-q", "--output", f"{ranks}.h5", *arguments
                )
                self.assertEqual((outcome.status, outcome.err), (0, ""))
                self.assert_same_bits("alone.h5", f"{ranks}.h5")

    def test_any_number_of_ranks(self):
        self.check((1, 2, 3, 4), "--backend", "serial")

    def test_more_ranks_than_blocks_of_points(self):
        self.check((3,), "--backend", "serial", "simulate.points=700")

    def test_rotated_axes(self):
        self.check(
            (2,),
            "--backend",
            "serial",
            "covariance.beta=[0.12, 0.08]",
            "covariance.angle=30",
            "fit.start=[1, 0.05, 0.04, 10, 0.5, 0.1]",
        )

    def test_the_exact_solver(self):
        """Within rounding of one device, which a search for the largest likelihood would
        enlarge."""
        exact = [
            "--backend",
            "serial",
            "simulate.points=900",
            "method=exact",
            "loglik={theta: [[1, 0.1, 0.5, 0.1], [2, 0.2, 1, 0.05]]}",
        ]
        self.write(
            "input.yaml",
            "".join(
                line + "\n" for line in ALL.splitlines() if not line.startswith(("method", "fit"))
            ),
        )
        self.succeed("input.yaml", "-q", "--output", "alone.h5", *exact)
        for ranks in (2, 3):
            outcome = self.share(ranks, "input.yaml", "-q", "--output", f"{ranks}.h5", *exact)
            self.assertEqual((outcome.status, outcome.err), (0, ""))
            alone, shared = arrays(self.path("alone.h5")), arrays(self.path(f"{ranks}.h5"))
            self.assertEqual(sorted(alone), sorted(shared))
            for name, values in alone.items():
                if np.asarray(values).dtype.kind == "f":
                    np.testing.assert_allclose(
                        shared[name], values, rtol=1e-8, atol=1e-9, err_msg=name
                    )
            np.testing.assert_allclose(
                shared["results/loglik"], alone["results/loglik"], rtol=1e-12
            )

    def test_on_devices(self):
        if not has_cuda():
            self.skipTest("no CUDA")
        outcome = self.share(2, "input.yaml", "-q", "--backend", "cuda", "--output", "2.h5")
        if outcome.status == RESOURCE and "finds no free one" in outcome.err:
            self.skipTest("one device")
        self.succeed("input.yaml", "-q", "--backend", "cuda", "--output", "alone.h5")
        self.assert_same_bits("alone.h5", "2.h5")

    def test_one_voice(self):
        outcome = self.share(2, "input.yaml", "--backend", "serial")
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertEqual(outcome.err.count("running on 2 ranks, serial"), 1)
        self.assertEqual(outcome.err.count("results: input.h5"), 1)

    def test_a_restart_with_other_ranks(self):
        self.succeed("input.yaml", "-q", "--backend", "serial", "--output", "alone.h5")
        for before, after in ((2, 1), (1, 3), (3, 2)):
            with self.subTest(before=before, after=after):
                arguments = ["input.yaml", "--backend", "serial", "--output", "part.h5", "--force"]
                process = self.launch("-n", str(before), EXECUTABLE, *arguments)
                self.pids(process, before)
                process.send_signal(signal.SIGUSR2)  # which mpirun passes on
                _, err = process.communicate(timeout=TIMEOUT)
                if process.returncode == 0:
                    continue  # the run was faster
                self.assertEqual(process.returncode, 128 + signal.SIGUSR2, err)
                self.assertEqual(attribute(self.path("part.h5"), "run_status"), "interrupted")
                outcome = self.share(after, *arguments[:-1], "-q", "--restart", "part.restart.h5")
                self.assertEqual(outcome.status, 0, outcome.err)
                self.assert_same_bits("alone.h5", "part.h5")
                self.assertNotIn("part.restart.h5", self.files())


class Gbees(RanksTest):
    """Grids of tessera-gbees, which stands beside the executable."""

    PROGRAM = os.path.join(os.path.dirname(EXECUTABLE), "tessera-gbees")
    FINE = ["grid.spacing=[0.15, 0.15, 0.15]", "grid.threshold=1e-9"]  # seconds

    def setUp(self):
        super().setUp()
        self.write("grid.yaml", GRID)

    def alone(self, *arguments, status=0):
        """What one process without a launcher says."""
        run = subprocess.run(
            [
                self.PROGRAM,
                *arguments,
                "-q",
                "--backend",
                "serial",
                "--output",
                "alone.h5",
                "--force",
            ],
            cwd=self.folder,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        self.assertEqual(run.returncode, status, run.stderr)
        return run.stderr

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
                    program=self.PROGRAM,
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
        outcome = self.share(
            2, "drift.yaml", "--backend", "serial", "grid.keys=128", "--force", program=self.PROGRAM
        )
        self.assertEqual(outcome.status, USAGE, outcome.err)
        self.assertIn(
            "this run cannot be divided among ranks: keys of 128 bits work on one device",
            outcome.err,
        )

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
        outcome = self.share(3, "none.yaml", "-q", "--backend", "serial", program=self.PROGRAM)
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
        """Which take most of the time, so that some have been moved further than others."""
        self.write(
            "beside.yaml", GRID + "validate: {monte_carlo: {samples: 200000, step: 0.0004}}\n"
        )
        self.check_restart("beside.yaml")
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
            process = self.launch("-n", str(ranks), self.PROGRAM, *arguments, *restart)
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
        outcome = self.share(2, *arguments, "-q", *restart, program=self.PROGRAM)
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
            program=self.PROGRAM,
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
        # at first
        small = [
            "initial.standard_deviation=[0.2, 0.2, 0.2]",
            "grid.spacing=[0.2, 0.2, 0.2]",
            "grid.threshold=1e-9",
        ]
        arguments = ["grid.yaml", "--backend", "serial", "-q", *small]
        outcome = self.share(3, *arguments, "run.memory_limit=0.6", program=self.PROGRAM)
        self.assertEqual(outcome.status, RESOURCE, outcome.err)
        self.assertEqual(outcome.err.count("above run.memory_limit"), 1, outcome.err)
        self.alone("grid.yaml", *small)
        outcome = self.share(2, *arguments, "--restart", "grid.restart.h5", program=self.PROGRAM)
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
        rows = self.share(2, "half.yaml", "-q", "run.memory_limit=1e-6", program=self.PROGRAM)
        found = re.search(r"the grid needs ([\d.]+) MB for (\d+) cells", rows.err)
        # and the velocities with what follows from them
        need = float(found.group(1)) * 1e6 + 25 * int(found.group(2))
        outcome = self.share(
            2,
            "half.yaml",
            "--progress",
            "off",
            f"run.memory_limit={1.53 * need / 2**20}",
            program=self.PROGRAM,
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
                    program=self.PROGRAM,
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
        outcome = self.share(3, "wrong.yaml", "-q", "--backend", "serial", program=self.PROGRAM)
        self.assertEqual(outcome.status, NUMERICAL, outcome.err)
        self.assertIn("the velocity at a face is not finite", said)
        # mpirun has something to say too
        self.assertTrue(outcome.err.startswith(said), outcome.err)

    def test_a_rank_is_killed(self):
        process = self.launch(
            "-n",
            "2",
            self.PROGRAM,
            "grid.yaml",
            "--backend",
            "serial",
            "grid.threshold=1e-9",
            "time.end=50",
        )
        os.kill(self.pids(process, 2)[1], signal.SIGKILL)
        process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertNotIn("grid.h5", self.files())


class Stable(RanksTest):
    """Fits of tessera-stable, which stands beside the executable."""

    def check(self, name, *arguments, warning=""):
        """The same bits and the same warning, a regular expression, on any number of ranks."""
        program = os.path.join(os.path.dirname(EXECUTABLE), "tessera-stable")
        source = os.path.join(ROOT, "inputs", "stable", name)
        for ranks in (1, 2, 3):
            process = self.launch(
                "-n", str(ranks), program, source, "-q", "--output", f"{ranks}.h5", *arguments
            )
            _, err = process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, 0, err)
            self.assertRegex(err, rf"\A{warning}\Z")
            self.assert_same_bits("1.h5", f"{ranks}.h5", ("results",), 5)

    def test_windows_of_groups(self):
        self.check(
            "panel.yaml",
            "--backend",
            "serial",
            warning=r"tessera: warning: 2 of 10 fits failed: [^\n]*\n",
        )

    def test_regressions_of_groups(self):
        self.check(
            "regression_groups.yaml",
            "--backend",
            "serial",
            warning=r"tessera: warning: 1 of 8 regressions failed: [^\n]*\n",
        )

    def test_refits(self):
        self.check(
            "goodness.yaml",
            "--backend",
            "serial",
            "goodness.refits=99",
            "goodness.against=[symmetric]",
        )

    def test_backtests(self):
        self.check("garch.yaml", "--backend", "serial", "garch.backtest.step=200")

    def test_samples_of_a_study(self):
        self.check("coverage.yaml", "--backend", "serial", "map.repeats=5")

    def test_a_task_that_cannot_be_divided(self):
        program = os.path.join(os.path.dirname(EXECUTABLE), "tessera-stable")
        process = self.launch(
            "-n",
            "2",
            program,
            os.path.join(ROOT, "inputs", "stable", "quantile.yaml"),
            "--backend",
            "serial",
        )
        _, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, USAGE, err)
        self.assertEqual(
            err.count("this run cannot be divided among ranks: it works on one device"), 1, err
        )

    def test_blocks_of_points(self):
        program = os.path.join(os.path.dirname(EXECUTABLE), "tessera-gp")
        process = self.launch(
            "-n",
            "2",
            program,
            os.path.join(ROOT, "inputs", "gp", "vecchia_quickstart.yaml"),
            "--backend",
            "serial",
            "method.vecchia.block=8",
        )
        _, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, USAGE, err)
        self.assertEqual(
            err.count(
                "this run cannot be divided among ranks: method.vecchia.block works on one device"
            ),
            1,
            err,
        )


class Mpr(RanksTest):
    """Fills of tessera-mpr, which stands beside the executable."""

    PROGRAM = os.path.join(os.path.dirname(EXECUTABLE), "tessera-mpr")

    def mpr(self, ranks, *arguments, status=0):
        process = self.launch("-n", str(ranks), self.PROGRAM, *arguments)
        _, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, status, err)
        return err

    def alone(self, *arguments):
        """What one process without a launcher says."""
        run = subprocess.run(
            [self.PROGRAM, *arguments],
            cwd=self.folder,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stderr

    def check(self, numbers, *arguments):
        """Results, and restart files at the end, are those of one process."""
        arguments = [*arguments, "-q", "--backend", "serial", "--force", "run.keep_restart=true"]
        said = self.alone(*arguments, "--output", "alone.h5")
        for ranks in numbers:
            with self.subTest(ranks=ranks, arguments=arguments):
                self.assertEqual(self.mpr(ranks, *arguments, "--output", f"{ranks}.h5"), said)
                self.assert_same_bits("alone.h5", f"{ranks}.h5")
                self.assert_same_attributes("alone.h5", f"{ranks}.h5")
                states = [self.state(f"{name}.restart.h5") for name in ("alone", ranks)]
                self.assertGreater(len(states[0]), 3)
                self.assertEqual(states[0], states[1])

    def assert_same_attributes(self, first, second):
        a, b = (h5py.File(self.path(name)) for name in (first, second))
        with a, b:
            self.assertEqual(sorted(a["results"].attrs), sorted(b["results"].attrs))
            for name, value in a["results"].attrs.items():
                np.testing.assert_array_equal(value, b["results"].attrs[name], name)

    def interrupt(self, ranks, progress, *arguments):
        """Interrupts a run when it tells of its progress; whether it had not ended before."""
        process = self.launch(
            "-n", str(ranks), self.PROGRAM, *arguments, "--output", "part.h5", "--force"
        )
        while progress not in (line := process.stderr.readline()) and line:
            pass
        process.send_signal(signal.SIGUSR2)  # which mpirun passes on
        _, err = process.communicate(timeout=TIMEOUT)
        if process.returncode != 0:
            self.assertEqual(process.returncode, 128 + signal.SIGUSR2, err)
        return process.returncode != 0

    def check_restart(self, ranks, others, progress, works, *arguments):
        """A run that was interrupted on `ranks` and continued on `others` has the bits of one
        process. `works` are settings in order of the work they give: the first with which a run
        lasts until the signal comes."""
        for work in works:
            run = [*arguments, "--backend", "serial", work]
            if self.interrupt(ranks, progress, *run):
                break
        else:
            self.fail(f"a run with {work} ended before it could be interrupted")
        self.alone(*run, "-q", "--output", "alone.h5", "--force")
        for other in others:
            with self.subTest(ranks=other, arguments=run):
                self.mpr(
                    other,
                    *run,
                    "-q",
                    "--output",
                    f"{other}.h5",
                    "--force",
                    "--restart",
                    "part.restart.h5",
                )
                self.assert_same_bits("alone.h5", f"{other}.h5")

    def tiles(self, name):
        """The input of ever larger images: an image or frames, repeated in rows and columns."""
        data = np.load(self.path(f"{name}.npy"))
        for number in (2, 6):
            larger = f"{name}.{number}.npy"
            np.save(self.path(larger), np.tile(data, (1,) * (data.ndim - 2) + (number, number)))
            yield f"input.file={larger}"


class MprStreams(Mpr):
    def setUp(self):
        super().setUp()
        y, x = np.mgrid[0:420, 0:900]
        rng = np.random.default_rng(1)
        data = (np.sin(0.05 * x) + np.cos(0.07 * y) + 0.2 * rng.standard_normal(x.shape)).astype(
            "f4"
        )
        data[rng.random(x.shape) < 0.3] = np.nan
        data[200:280, 250:420] = np.nan  # across windows
        np.save(self.path("data.npy"), data)

    def test_windows_of_a_stream(self):
        self.write(
            "stream.yaml",
            "app: mpr\ninput: {file: data.npy}\nmodel: {curvature: 1, couplings: [1, 1]}\n"
            "simulation: {draws: 16}\nstream: {window: 256}\noutput: {netcdf: out.nc, ensemble: 11}\n",
        )
        self.check_windows(1, 2, 3, 4)

    def check_windows(self, *numbers):
        for ranks in numbers:
            self.mpr(ranks, "stream.yaml", "-q", "--backend", "serial", "--output", f"{ranks}.h5")
            with h5py.File(self.path(f"{ranks}.h5")) as file:
                self.assertEqual(file["results/stream"].attrs["windows"], 8)
            os.rename(self.path("out.nc"), self.path(f"{ranks}.nc"))
            if ranks > 1:
                self.assert_same_bits("1.h5", f"{ranks}.h5")
                self.assertEqual(self.read("1.nc"), self.read(f"{ranks}.nc"))
        self.assertEqual([name for name in self.files() if name.endswith(".stream")], [])

    def test_windows_with_fields(self):
        """Errors of samples, a background and a trend; also a restart on another number of
        ranks."""
        rng = np.random.default_rng(2)
        np.save(self.path("errors.npy"), 0.1 + rng.random((420, 900)))
        np.save(self.path("background.npy"), rng.standard_normal((420, 900)))
        np.save(self.path("elevation.npy"), 100 + rng.standard_normal((420, 900)))
        self.write(
            "stream.yaml",
            "app: mpr\ninput: {file: data.npy}\nmodel: {curvature: 1, couplings: [1, 1], temperature: 0.1, calibrate: false, "
            "noise: {file: errors.npy}, background: {file: background.npy}, "
            "trend: {fields: [elevation.npy]}}\n"
            "simulation: {draws: 8}\nstream: {window: 256}\noutput: {netcdf: out.nc, ensemble: 2}\n",
        )
        self.check_windows(1, 3)
        self.check_restart(
            3, (2,), "%  windows", [f"simulation.draws={n}" for n in (64, 512)], "stream.yaml"
        )

    def test_windows_with_a_transform(self):
        self.write(
            "stream.yaml",
            "app: mpr\ninput: {file: data.npy}\nmodel: {curvature: 1, couplings: [1, 1], calibrate: false, "
            "transform: normal_score}\n"
            "simulation: {draws: 8}\nstream: {window: 256}\noutput: {netcdf: out.nc, ensemble: 2}\n",
        )
        self.check_windows(1, 3)

    def test_a_restart_with_other_ranks(self):
        self.write(
            "stream.yaml",
            "app: mpr\ninput: {file: data.npy}\nmodel: {curvature: 1, couplings: [1, 1]}\nstream: {window: 256}\n"
            "output: {ensemble: 3}\n",
        )
        self.check_restart(
            2, (3,), "%  windows", [f"simulation.draws={n}" for n in (32, 256, 2048)], "stream.yaml"
        )


class MprFrames(Mpr):
    """Frames, five of which have gaps of different number and size."""

    def setUp(self):
        super().setUp()
        y, x = np.mgrid[0:50, 0:64]
        rng = np.random.default_rng(3)
        narrow, wide = [], []
        for f in range(5):
            data = (
                np.sin(0.1 * x + f)
                + np.cos(0.13 * y - f)
                + 0.1 * (f + 1) * rng.standard_normal(x.shape)
            ).astype("f4")
            narrow.append(np.where(rng.random(x.shape) < 0.2 + 0.05 * f, np.nan, data).astype("f4"))
            wide.append(narrow[-1].copy())
            wide[-1][10 + 3 * f : 25 + 3 * f, 20 : 45 - 4 * f] = np.nan
        wide[1][:] = np.where(np.isnan(wide[1]), 0, wide[1])  # complete
        wide[3][:] = 2
        wide[3][4:9, 4:9] = np.nan
        self.frames = np.array(narrow)
        np.save(self.path("narrow.npy"), self.frames)
        np.save(self.path("wide.npy"), np.array(wide))
        np.save(
            self.path("stacks.npy"),
            np.array(
                [self.frames[:4, :24, :20], self.frames[1:, :24, :20], self.frames[:4, 20:44, :20]]
            ),
        )
        np.save(self.path("elevation.npy"), np.sin(0.01 * x * y).astype("f4"))
        np.save(self.path("cover.npy"), rng.standard_normal(self.frames.shape).astype("f4"))
        self.write("frames.yaml", "app: mpr\ninput: {file: narrow.npy}\n")
        np.save(self.path("image.npy"), wide[2])

    def test_any_number_of_ranks(self):
        """Also more than there are frames."""
        self.check((1, 2, 3, 4, 7), "frames.yaml")

    def test_draws_of_wide_gaps(self):
        self.check(
            (2, 3),
            "frames.yaml",
            "input.file=wide.npy",
            "output.ensemble=5",
            "output.max_gap_distance=4",
        )

    def test_mode_paper(self):
        self.check(
            (3,), "frames.yaml", "model.mode=paper", "simulation.replicas=2", "output.ensemble=3"
        )

    def test_errors_of_samples(self):
        self.check((2,), "frames.yaml", "input.file=wide.npy", "model.noise=0.1")

    def test_trends(self):
        """A field of one image, and one with images for all frames."""
        self.check(
            (2,),
            "frames.yaml",
            "input.file=wide.npy",
            "model.trend={fields: [elevation.npy], polynomial: 1}",
            "output.ensemble=3",
        )
        self.check((3,), "frames.yaml", "input.file=wide.npy", "model.trend={fields: [cover.npy]}")

    def test_stacks(self):
        self.check(
            (2, 3),
            "frames.yaml",
            "input.file=stacks.npy",
            "input.third_axis=coupled",
            "simulation.sampler=sweeps",
        )

    def test_transforms_and_local_temperatures(self):
        self.check(
            (2,),
            "frames.yaml",
            "model.local_temperature=true",
            "model.transform=normal_score",
            "output.quantiles=[0.1]",
        )

    def test_restarts_with_other_ranks(self):
        arguments = ["frames.yaml", "output.ensemble=3"]
        sweeps = [f"simulation.sampling_sweeps={n}" for n in (30000, 240000, 1920000)]
        self.check_restart(2, (3,), "%  sweeps", sweeps, *arguments, "model.mode=paper")
        self.check_restart(
            2, (3,), "%  draws", self.tiles("wide"), *arguments, "simulation.draws=4000"
        )

    def test_draws_of_one_image(self):
        """Five packs of eight."""
        image = ["frames.yaml", "input.file=image.npy", "simulation.draws=40", "output.ensemble=13"]
        self.check((1, 2, 3, 4), *image)
        self.check(
            (3,),
            *image,
            "model.trend={polynomial: 1}",
            "model.noise=0.1",
            "output.max_gap_distance=3",
        )

    def test_a_restart_of_one_image(self):
        self.check_restart(
            3,
            (2,),
            "%  draws",
            self.tiles("image"),
            "frames.yaml",
            "simulation.draws=4000",
            "output.ensemble=30",
        )

    def test_a_single_stack(self):
        """Of five layers: slabs of two and three, and nothing for a third rank."""
        stack = ["frames.yaml", "input.third_axis=coupled"]
        self.check(
            (1, 2, 3),
            *stack,
            "simulation.sampler=sweeps",
            "simulation.replicas=2",
            "output.ensemble=3",
            "output.max_gap_distance=1",
        )
        self.check((2,), *stack, "model.curvature=0")
        self.check((2,), *stack, "simulation.sampler=draws", "simulation.draws=24")

    def test_a_single_stack_in_mode_paper(self):
        # slabs of two, two, two and four; of values so large that a rank which looked at sites of
        # others would find infinite ones (MALLOC_PERTURB_ of environment())
        np.save(self.path("layers.npy"), 1000 * np.concatenate([self.frames, self.frames[::-1]]))
        stack = [
            "frames.yaml",
            "input.file=layers.npy",
            "input.third_axis=coupled",
            "model.mode=paper",
            "output.ensemble=3",
        ]
        self.check((3, 4), *stack, "simulation.replicas=2")
        sweeps = [f"simulation.sampling_sweeps={n}" for n in (3000, 24000, 192000)]
        self.check_restart(2, (3,), "%  sweeps", sweeps, *stack)

    def test_an_empty_frame(self):
        self.frames[4] = np.nan
        np.save(self.path("empty.npy"), self.frames)
        err = self.mpr(3, "frames.yaml", "--backend", "serial", "input.file=empty.npy")
        self.assertEqual(err.count("1 of 5 frames have no sample and stay empty: number 4"), 1, err)

    def test_an_error_on_one_rank(self):
        self.frames[4, 1:] = np.nan  # one row does not tell a slope along y
        np.save(self.path("row.npy"), self.frames)
        err = self.mpr(
            3,
            "frames.yaml",
            "--backend",
            "serial",
            "input.file=row.npy",
            "model.trend={polynomial: 1}",
            status=INPUT,
        )
        self.assertEqual(err.count("of frame 4"), 1, err)

    def test_a_rank_is_killed(self):
        process = self.launch(
            "-n",
            "2",
            self.PROGRAM,
            "frames.yaml",
            "--backend",
            "serial",
            "input.file=wide.npy",
            "simulation.draws=4096",
        )
        os.kill(self.pids(process, 2)[1], signal.SIGKILL)
        process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertNotIn("frames.h5", self.files())


class MprImages(Mpr):
    """The rows of one image with narrow gaps: slabs of 128, 128, 128 and 19."""

    def setUp(self):
        super().setUp()
        y, x = np.mgrid[0:403, 0:150]
        rng = np.random.default_rng(9)
        data = (np.sin(0.05 * x) + np.cos(0.03 * y) + 0.1 * rng.standard_normal(x.shape)).astype(
            "f4"
        )
        data[rng.random(x.shape) < 0.3] = np.nan
        land = np.zeros(x.shape, "u1")
        land[100:140, 50:90] = land[254:259] = 1  # across the ends of slabs
        np.save(self.path("image.npy"), data)
        np.save(self.path("land.npy"), land)
        self.write("image.yaml", "app: mpr\ninput: {file: image.npy}\n")

    def test_mode_paper(self):
        self.check(
            (1, 2, 3, 4, 6),
            "image.yaml",
            "model.mode=paper",
            "simulation.replicas=2",
            "output.ensemble=3",
        )

    def test_mode_default(self):
        self.check(
            (2, 3),
            "image.yaml",
            "input.inactive={file: land.npy}",
            "output.ensemble=2",
            "output.max_gap_distance=1",
        )

    def test_local_temperatures_and_double_precision(self):
        self.check((4,), "image.yaml", "model.local_temperature=true", "model.precision=double")

    def test_columns_that_go_round(self):
        self.check(
            (3,), "image.yaml", "grid.periodic=[x]", "model.curvature=1", "model.couplings=[1, 1]"
        )

    def test_restarts_with_other_ranks(self):
        sweeps = [f"simulation.sampling_sweeps={n}" for n in (4000, 32000, 256000)]
        self.check_restart(
            3, (2, 1), "%  sweeps", sweeps, "image.yaml", "model.mode=paper", "output.ensemble=3"
        )

    def test_a_rank_is_killed(self):
        process = self.launch(
            "-n",
            "3",
            self.PROGRAM,
            "image.yaml",
            "--backend",
            "serial",
            "model.mode=paper",
            "simulation.sampling_sweeps=40000",
        )
        os.kill(self.pids(process, 3)[2], signal.SIGKILL)
        process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertNotIn("image.h5", self.files())


class MprStudies(Mpr):
    """Tasks of independent cases."""

    def check_results(self, numbers, *arguments):
        arguments = [*arguments, "-q", "--backend", "serial", "--force"]
        said = self.alone(*arguments, "--output", "alone.h5")
        for ranks in numbers:
            with self.subTest(ranks=ranks):
                self.assertEqual(self.mpr(ranks, *arguments, "--output", f"{ranks}.h5"), said)
                for name in ("alone.h5", f"{ranks}.h5"):
                    with h5py.File(self.path(name), "r+") as file:  # wall clocks differ
                        file.get("results/validation", {}).pop("seconds", None)
                self.assert_same_bits("alone.h5", f"{ranks}.h5", least=5)
                self.assert_same_attributes("alone.h5", f"{ranks}.h5")

    def test_validate(self):
        self.write(
            "validate.yaml",
            "app: mpr\ntask: validate\ninput: {synthetic: {size: [32, 32]}}\n"
            "validate: {fraction: [0.2, 0.4], sizes: [32, 40], repeats: 3}\noutput: {ensemble: 4}\n",
        )
        self.check_results((2, 3, 5), "validate.yaml")
        self.check_results((2,), "validate.yaml", "validate.repeats=1", "model.mode=paper")
        err = self.mpr(2, "validate.yaml", "validate={fraction: [0.2]}", status=USAGE)
        self.assertEqual(
            err.count(
                "this run cannot be divided among ranks: one case of task validate works on one device"
            ),
            1,
            err,
        )

    def test_simulate(self):
        self.write(
            "simulate.yaml",
            "app: mpr\ntask: simulate\nmodel: {precision: double}\n"
            "simulate: {size: [40, 48], temperatures: [0.1, 0.5, 1, 2, 5], burn_in_sweeps: 30, sweeps: 150}\n",
        )
        self.check_results((2, 3, 7), "simulate.yaml")
        self.check_results((2,), "simulate.yaml", "simulate.size=[8, 10, 12]")
        err = self.mpr(2, "simulate.yaml", "simulate.temperatures=[1]", status=USAGE)
        self.assertEqual(
            err.count(
                "this run cannot be divided among ranks: one temperature of task simulate works on one device"
            ),
            1,
            err,
        )

    def test_synthesize(self):
        self.write(
            "synthesize.yaml", "app: mpr\ntask: synthesize\ninput: {synthetic: {size: [32, 32]}}\n"
        )
        err = self.mpr(2, "synthesize.yaml", status=USAGE)
        self.assertEqual(
            err.count("this run cannot be divided among ranks: it works on one device"), 1, err
        )


class WrongInput(RanksTest):
    def test_an_error_is_told_once(self):
        outcome = self.share(3, "input.yaml", "covariance.nu=-1")
        self.assertEqual(outcome.status, INPUT)
        self.assertEqual(outcome.err.count("'covariance.nu' is -1"), 1, outcome.err)

    def test_output_that_exists(self):
        self.write("input.h5", b"precious")
        outcome = self.share(2, "input.yaml")
        self.assertEqual(outcome.status, FILES, outcome.err)
        self.assertEqual(outcome.err.count("input.h5"), 1, outcome.err)
        self.assertEqual(self.read("input.h5"), b"precious")

    def test_different_inputs(self):
        outcome = Outcome(*self.both("input.yaml", "long.yaml"))
        self.assertEqual(outcome.status, USAGE, outcome.err)
        self.assertIn("rank 1 has another program, input or data file than the first", outcome.err)

    def both(self, first, second):
        process = self.launch("-n", "1", EXECUTABLE, first, ":", "-n", "1", EXECUTABLE, second)
        out, err = process.communicate(timeout=TIMEOUT)
        return process.returncode, out, err

    def test_more_ranks_than_devices(self):
        if not has_cuda():
            self.skipTest("no CUDA")
        outcome = self.share(16, "input.yaml", "--backend", "cuda")
        self.assertEqual(outcome.status, RESOURCE, outcome.err)
        self.assertIn("start one rank for each device", outcome.err)

    def test_a_timeout_that_is_none(self):
        outcome = self.share(2, "input.yaml", TESSERA_RANK_TIMEOUT="soon")
        self.assertEqual(outcome.status, USAGE, outcome.err)


class Faults(RanksTest):
    def setUp(self):
        super().setUp()
        self.write("long.h5", b"old")
        self.arguments = ["long.yaml", "--backend", "serial", "--force"]

    def assert_left_alone(self):
        self.assertEqual(self.read("long.h5"), b"old")
        self.assertEqual([name for name in self.files() if "tmp" in name], [])

    def test_a_rank_is_killed(self):
        for victim in (0, 1):
            with self.subTest(victim=victim):
                process = self.launch("-n", "2", EXECUTABLE, *self.arguments)
                os.kill(self.pids(process, 2)[victim], signal.SIGKILL)
                process.communicate(timeout=60)
                self.assertNotEqual(process.returncode, 0)
                self.assert_left_alone()

    def test_a_rank_hangs(self):
        process = self.launch("-n", "2", EXECUTABLE, *self.arguments, TESSERA_RANK_TIMEOUT="2")
        os.kill(self.pids(process, 2)[1], signal.SIGSTOP)
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, RESOURCE, err)
        self.assertIn("rank 0 has waited 2 s for the others", err)
        self.assert_left_alone()

    def test_memory_of_one_rank(self):
        limited = [
            "sh",
            "-c",
            'ulimit -v 400000; exec "$0" "$@"',
            EXECUTABLE,
            *self.arguments,
            "simulate.points=3000000",
        ]
        process = self.launch(
            "-n",
            "1",
            EXECUTABLE,
            *self.arguments,
            "simulate.points=3000000",
            ":",
            "-n",
            "1",
            *limited,
        )
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, RESOURCE, err)
        self.assertRegex(err, "rank 1: .*memory")
        self.assert_left_alone()

    def test_a_full_disk_at_the_root(self):
        limited = ["sh", "-c", 'ulimit -f 20; exec "$0" "$@"', EXECUTABLE, "input.yaml", "--force"]
        self.write("input.h5", b"old")
        process = self.launch(
            "-n",
            "1",
            *limited,
            ":",
            "-n",
            "1",
            EXECUTABLE,
            "input.yaml",
            "--force",
            # which write no large files of their own
            OMPI_MCA_btl="self,tcp",
            PMIX_MCA_gds="hash",
        )
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, FILES, err)
        self.assertEqual(self.read("input.h5"), b"old")
        with self.assertRaises(OSError):
            h5py.File(self.path("input.h5"))

    def test_a_signal(self):
        started = time.monotonic()
        process = self.launch("-n", "3", EXECUTABLE, *self.arguments)
        self.pids(process, 3)
        process.send_signal(signal.SIGUSR2)
        _, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 128 + signal.SIGUSR2, err)
        self.assertLess(time.monotonic() - started, 120)
        self.assertIn("long.restart.h5", self.files())
        self.assertEqual(attribute(self.path("long.h5"), "run_status"), "interrupted")


if __name__ == "__main__":
    run_cases.main()
