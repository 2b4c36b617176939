# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Interruption and continuation: a run that was stopped and continued gives bit for bit the results of one that was not."""

import os
import re
import shutil
import signal
import time
import unittest

import h5py

from cli_support import (FILES, INPUT, RESOURCE, SMALL, TIMEOUT, CommandLineTest, attribute, backends, needs_backend)

# A run of about two seconds, with a measurement in the middle.
LONG = """\
app: gbees
model:
  name: lorenz63
grid:
  spacing: [0.4, 0.4, 0.4]
  threshold: 2.0e-6
initial:
  mean: [-11.5, -10.0, 9.5]
  standard_deviation: [1.0, 1.0, 1.0]
measurements:
  - {time: 0.4, variable: z, value: -8.0, variance: 4.0}
time:
  end: 0.8
  records: 3
"""


class LongRun(CommandLineTest):
    """LONG, and the results of a run of it that nobody disturbed."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run = cls()
        run.setUp()
        cls.addClassCleanup(run.doCleanups)
        started = time.monotonic()
        run.succeed("input.yaml", "-q", "--output", "undisturbed.h5")
        cls.duration = time.monotonic() - started
        cls.undisturbed = run.path("undisturbed.h5")

    def runTest(self):
        """Lets the class be used without a test method."""

    def setUp(self):
        super().setUp()
        self.write("input.yaml", LONG)

    def assert_undisturbed(self, name="input.h5"):
        self.assertEqual(attribute(self.path(name), "run_status"), "complete")
        self.assert_same_bits(self.undisturbed, name)

    def interrupt(self, number, *arguments, after=0.5):
        process = self.start("input.yaml", *arguments)
        time.sleep(self.duration * after)
        process.send_signal(number)
        out, err = process.communicate(timeout=TIMEOUT)
        return process.returncode, out, err


class Signals(LongRun):
    def check(self, number, after):
        status, out, err = self.interrupt(number, "--progress", "off", after=after)
        self.assertEqual((status, out), (128 + number, ""), err)
        self.assertRegex(err,
                         rf"^tessera: running on .*\nf
                         rftessera: interrupted by signal {number}: \d+ steps, \d+ cell-steps, at most \d+ cells\nf
                         rf"
                         r"tessera: [\d.]+ s, .* cell-steps/s; peak memory: .*\nf
                         rf"
                         r"tessera: results so far: input.h5\nf
                         rftessera: continue with --restart input.restart.h5\n$")
        self.assertEqual(self.files(), ["input.h5", "input.restart.h5", "input.yaml"])
        self.assertEqual(attribute(self.path("input.h5"), "run_status"), "interrupted")
        outcome = self.succeed("input.yaml", "--restart", "input.restart.h5", "--progress", "off")
        self.assertIn("tessera: continuing from input.restart.h5\n", outcome.err)
        self.assert_undisturbed()
        self.assertEqual(self.files(), ["input.h5", "input.yaml"])

    def test_interrupt(self):
        self.check(signal.SIGINT, 0.3)

    def test_terminate(self):
        self.check(signal.SIGTERM, 0.8)

    def test_user_signal_of_batch_systems(self):
        self.check(signal.SIGUSR2, 0.5)

    def test_again_and_again(self):
        """Interrupted after a short while each time, until nothing is left to do."""
        restart = ()
        for count in range(100):
            status, _, err = self.interrupt(signal.SIGTERM, "-q", *restart, after=0.25)
            if status == 0:
                break
            self.assertEqual(status, 128 + signal.SIGTERM, err)
            restart = ("--restart", "input.restart.h5")
        self.assertGreater(count, 1)
        self.assert_undisturbed()

    def test_the_results_so_far(self):
        """The records of an interrupted run are the first ones of the whole."""
        self.interrupt(signal.SIGTERM, "-q", after=0.7)
        with h5py.File(self.path("input.h5")) as part, h5py.File(self.undisturbed) as whole:
            records, steps = len(part["results/time"]), len(part["series/time"])
            self.assertLess(steps, len(whole["series/time"]))
            for name in ("time", "mass", "mean", "entropy", "covariance"):
                self.assertEqual(part[f"results/{name}"][:].tobytes(), whole[f"results/{name}"][:records].tobytes(), name)
            for name in whole["series"]:
                self.assertEqual(part[f"series/{name}"][:].tobytes(), whole[f"series/{name}"][:steps].tobytes(), name)


class Checkpoints(LongRun):
    def wait_for(self, name, process):
        deadline = time.monotonic() + TIMEOUT
        while not os.path.exists(self.path(name)):
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll(), "the run ended before")
            time.sleep(0.002)

    def test_kill(self):
        process = self.start("input.yaml", "-q", "run.checkpoint_every=0.05")
        self.wait_for("input.restart.h5", process)
        time.sleep(self.duration * 0.4)
        process.kill()
        process.communicate()
        self.assertNotIn("input.h5", self.files())
        self.assertEqual(attribute(self.path("input.restart.h5"), "format"), "tessera-restart")
        self.succeed("input.yaml", "-q", "--restart", "input.restart.h5")
        self.assert_undisturbed()

    def test_checkpoints_change_nothing(self):
        self.succeed("input.yaml", "-q", "run.checkpoint_every=0.01")
        self.assert_undisturbed()
        self.assertEqual(self.files(), ["input.h5", "input.yaml"])

    def test_one_that_cannot_be_written_is_told_and_the_run_goes_on(self):
        process = self.start("input.yaml", "--progress", "off", "run.checkpoint_every=0.2")
        os.mkdir(self.path("obstacle"))
        time.sleep(0.1)
        os.rename(self.path("obstacle"), self.path("input.restart.h5"))
        _, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("tessera: warning: no restart file this time: cannot write 'input.restart.h5': it is a folder\n", err)
        self.assert_undisturbed()


class MemoryLimit(LongRun):
    def test_stop_and_continue(self):
        limit = 6
        outcome = self.call("input.yaml", f"run.memory_limit={limit}", "--progress", "off")
        self.assert_mentions(outcome, RESOURCE, "tessera: running on", "tessera: error: the grid needs ", " MiB for ",
                             f" cells, above run.memory_limit ({limit} MiB)\n  remedy: ", "tessera: results so far: input.h5\n",
                             "tessera: continue with --restart input.restart.h5\n", "tessera: failed: ")
        self.assertEqual(attribute(self.path("input.h5"), "run_status"), "failed")
        with h5py.File(self.path("input.h5")) as file:
            self.assertGreater(len(file["series/time"]), 10)
        self.succeed("input.yaml", "-q", "--restart", "input.restart.h5")
        self.assert_undisturbed()

    def test_too_little_to_begin(self):
        outcome = self.call("input.yaml", "run.memory_limit=1e-3", "--progress", "off")
        self.assert_mentions(outcome, RESOURCE, "tessera: error: the grid needs ", "above run.memory_limit")
        self.assertEqual(self.files(), ["input.yaml"])


class OtherBackend(LongRun):
    @needs_backend("openmp")
    def test_interrupted_on_one_continued_on_another(self):
        self.interrupt(signal.SIGTERM, "-q", "--backend", "serial", after=0.6)
        self.succeed("input.yaml", "-q", "--backend", "openmp", "--restart", "input.restart.h5", threads=4)
        self.assert_undisturbed()


class Refusals(CommandLineTest):
    """Restart files that do not fit."""

    def setUp(self):
        super().setUp()
        self.write("long.yaml", LONG.replace("end: 0.8", "end: 50"))
        process = self.start("long.yaml", "-q", "--seed", "3")
        time.sleep(0.4)
        process.terminate()
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.before = self.read("long.h5")

    def assert_refused(self, status, message, *arguments, restart="long.restart.h5"):
        outcome = self.call("long.yaml", "--seed", "3", "--restart", restart, *arguments, "--progress", "off", "-q")
        self.assertEqual((outcome.err, outcome.status, outcome.out), (message, status, ""))
        self.assertEqual(self.read("long.h5"), self.before)
        self.assertIn("long.restart.h5", self.files())

    def test_changed_input(self):
        self.assert_refused(INPUT, "", "grid.threshold=1e-5")
        self.assert_refused(INPUT, "", "measurements=[]")

    def test_changed_seed(self):
        self.assert_refused(INPUT, "", "run.seed=4", "--seed", "4")

    def test_missing(self):
        self.assert_refused(FILES, "", restart="other.restart.h5")

    def test_garbage(self):
        self.write("garbage.h5", os.urandom(4096))
        self.assert_refused(FILES, "", restart="garbage.h5")

    def test_cut_off(self):
        self.write("half.h5", self.read("long.restart.h5")[:5000])
        self.assert_refused(FILES, "", restart="half.h5")

    def test_results_instead(self):
        self.assert_refused(FILES, "", restart="long.h5")

    def test_another_hdf5_file(self):
        with h5py.File(self.path("other.h5"), "w") as file:
            file["x"] = 1
        self.assert_refused(FILES, "", restart="other.h5")

    def test_state_that_is_damaged(self):
        shutil.copy(self.path("long.restart.h5"), self.path("damaged.h5"))
        with h5py.File(self.path("damaged.h5"), "a") as file:
            del file["state/key"]
        self.assert_refused(FILES, "", restart="damaged.h5")

    def test_another_format_version(self):
        shutil.copy(self.path("long.restart.h5"), self.path("newer.h5"))
        with h5py.File(self.path("newer.h5"), "a") as file:
            file.attrs["format_version"] = "2.0"
        outcome = self.call("long.yaml", "--seed", "3", "--restart", "newer.h5", "-q")
        self.assertEqual(outcome.status, FILES)
        self.assertRegex(outcome.err, r"^tessera: error: 'newer.h5' has the restart format 2.0; this program reads 1.0\n"
                         r"  remedy: continue it with the version that wrote it \([\d.]+\), or start anew\n$")


if __name__ == "__main__":
    unittest.main()
