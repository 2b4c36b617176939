# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Interruption and continuation: a run that was stopped and continued gives bit for bit the results
of one that was not."""

import functools
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

import h5py

import run_cases
from cli_support import (
    EXECUTABLE,
    FILES,
    INPUT,
    RESOURCE,
    TIMEOUT,
    CommandLineTest,
    attribute,
    environment,
    needs_backend,
    run_in,
)

# A run of about a second, with a measurement in the middle.
LONG = """\
app: gbees
model:
  name: lorenz63
grid:
  follow: none
  spacing: [0.35, 0.35, 0.35]
  threshold: 1.0e-6
initial:
  mean: [-11.5, -10.0, 9.5]
  standard_deviation: [1.0, 1.0, 1.0]
measurements:
  - {time: 0.5, variable: z, value: -8.0, variance: 4.0}
time:
  end: 1.0
  records: 3
"""

FOLDER = tempfile.TemporaryDirectory()  # removed when the program ends


def wait_for_start(process):
    """Reads stderr until the run has begun: from then on signals are obeyed."""
    for line in process.stderr:
        if line.startswith("tessera: running on "):
            return line
    raise AssertionError("the run did not begin")


@functools.lru_cache(maxsize=None)
def undisturbed(backend):
    """The results of a run of LONG that nobody disturbed, and the time it took."""
    path = os.path.join(FOLDER.name, "undisturbed.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(LONG)
    results = os.path.join(FOLDER.name, f"undisturbed.{backend}.h5")
    with subprocess.Popen(
        [EXECUTABLE, path, "--backend", backend, "--output", results],
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        wait_for_start(process)
        started = time.monotonic()
        process.communicate(timeout=TIMEOUT)
    if process.returncode != 0:
        raise AssertionError("the run failed")
    return results, time.monotonic() - started


@functools.lru_cache(maxsize=None)
def tight_limit():
    """An override for a limit on memory that suffices to begin LONG, and not to end it."""
    path = os.path.join(FOLDER.name, "tight.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(LONG)
    run = run_in(FOLDER.name, EXECUTABLE, path, "run.memory_limit=1e-6")
    need = float(re.search(r"the grid needs ([\d.]+) MB", run.stderr).group(1))
    return f"run.memory_limit={1.1 * need * 1e6 / 2**20}"


class LongRun(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.write("input.yaml", LONG)

    def assert_undisturbed(self, name="input.h5", backend="auto"):
        self.assertEqual(attribute(self.path(name), "run_status"), "complete")
        self.assert_same_bits(undisturbed(backend)[0], name)

    def interrupt(self, number, *arguments, after=0.5):
        """Sends a signal after a part of the time that a run takes; earlier when the run was faster
        this time."""
        delay = undisturbed("auto")[1] * after
        restart = self.path("input.restart.h5")
        kept = None
        if "--restart" in arguments:
            with open(restart, "rb") as file:
                kept = file.read()
        while True:
            process = self.start("input.yaml", "--progress", "off", *arguments)
            first = wait_for_start(process)
            time.sleep(delay)
            process.send_signal(number)
            out, err = process.communicate(timeout=TIMEOUT)
            # It is -number where the signal came when the results were written and the process
            # about to end.
            if process.returncode not in (0, -number):
                return process.returncode, out, first + err
            os.remove(self.path("input.h5"))
            if kept is not None:  # a complete run removes what it continued from
                with open(restart, "wb") as file:
                    file.write(kept)
            delay /= 2


class Signals(LongRun):
    def check(self, number, after):
        status, out, err = self.interrupt(number, after=after)
        self.assertEqual((status, out), (128 + number, ""), err)
        before = (
            rf"tessera: interrupted by signal {number} before the first step; there are no results\n"
            if after == 0
            else "never"
        )
        self.assertRegex(
            err,
            r"^tessera: running on .*\n"
            r"(tessera: warning: 1 % of the probability has left the grid by t = 0.802; .*\n)?"
            rf"(tessera: interrupted by signal {number}: \d+ steps, \d+ cell-steps, at most \d+ cells\n"
            r"tessera: [\d.]+ m?s, .* cell-steps/s; peak memory: .*\n"
            rf"tessera: results so far: input.h5\n|{before})"
            r"tessera: continue with --restart input.restart.h5\n$",
        )
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

    def test_at_once(self):
        """While the initial density is set up, or just after."""
        self.check(signal.SIGTERM, 0)

    def test_again_and_again(self):
        """Interrupted four times before it may end."""
        restart = ()
        for _ in range(4):
            status, _, err = self.interrupt(signal.SIGTERM, *restart, after=0.15)
            self.assertEqual(status, 128 + signal.SIGTERM, err)
            restart = ("--restart", "input.restart.h5")
        self.succeed("input.yaml", "-q", *restart)
        self.assert_undisturbed()

    def test_the_results_so_far(self):
        """The records of an interrupted run are the first ones of the whole."""
        self.interrupt(signal.SIGTERM, after=0.7)
        with h5py.File(self.path("input.h5")) as part, h5py.File(undisturbed("auto")[0]) as whole:
            records, steps = len(part["results/time"]), len(part["series/time"])
            self.assertLess(records, len(whole["results/time"]))  # and all steps may have been made
            for name in ("time", "mass", "mean", "entropy", "covariance"):
                self.assertEqual(
                    part[f"results/{name}"][:].tobytes(),
                    whole[f"results/{name}"][:records].tobytes(),
                    name,
                )
            for name in whole["series"]:
                self.assertEqual(
                    part[f"series/{name}"][:].tobytes(),
                    whole[f"series/{name}"][:steps].tobytes(),
                    name,
                )


class GoneReader(LongRun):
    def test_results_are_written(self):
        """Who read the messages goes away; the run goes on and ends as it would have."""
        process = self.start("input.yaml", "--progress", "on")
        wait_for_start(process)
        process.stderr.close()
        self.assertEqual(process.wait(timeout=TIMEOUT), 0)
        process.stderr = None
        self.assert_undisturbed()


class Checkpoints(LongRun):
    def wait_for(self, name, process):
        deadline = time.monotonic() + TIMEOUT
        while not os.path.exists(self.path(name)):
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll(), "the run ended before")
            time.sleep(0.002)

    def test_kill(self):
        delay = undisturbed("auto")[1] * 0.2
        process = self.start("input.yaml", "-q", "run.checkpoint_every=0.02")
        self.wait_for("input.restart.h5", process)
        time.sleep(delay)
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
        process = self.start("input.yaml", "--progress", "off", "run.checkpoint_every=0.1")
        wait_for_start(process)
        os.mkdir(self.path("input.restart.h5"))
        _, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn(
            "tessera: warning: no restart file this time: cannot write 'input.restart.h5': it is a folder\n",
            err,
        )
        self.assert_undisturbed()


class Prolonged(LongRun):
    """A complete run that left a restart file goes on to a later end, with measurements that came
    in meanwhile."""

    NONE = "measurements=[]"
    HALF = ("time.end=0.5", NONE, "run.keep_restart=true", "--output", "half.h5")

    def test_a_measurement_that_came_later(self):
        _, _, err = self.succeed("input.yaml", "--progress", "off", *self.HALF)
        self.assertIn("tessera: results: half.h5\ntessera: restart file: half.restart.h5\n", err)
        self.succeed("input.yaml", "-q", "--restart", "half.restart.h5")
        self.assert_undisturbed()
        self.assertEqual(self.files(), ["half.h5", "half.restart.h5", "input.h5", "input.yaml"])

    def test_warnings_before_the_interruption_are_kept(self):
        _, _, err = self.succeed(
            "input.yaml", *self.HALF, "grid.threshold=1e-4", "--progress", "off"
        )
        self.assertIn("tessera: warning: ", err)
        self.succeed("input.yaml", "-q", "--restart", "half.restart.h5", "grid.threshold=1e-4")
        with h5py.File(self.path("half.h5")) as half, h5py.File(self.path("input.h5")) as whole:
            before = list(half["warnings"])
            self.assertGreater(len(before), 0)
            self.assertEqual(list(whole["warnings"])[: len(before)], before)

    def test_twice_and_interrupted(self):
        """Where a run ended first stays the end of a segment: it has the bits of an input that says
        so."""
        self.succeed("input.yaml", "-q", *self.HALF)
        self.succeed(
            "input.yaml",
            "-q",
            "--restart",
            "half.restart.h5",
            self.NONE,
            "time.end=1",
            "run.keep_restart=true",
        )
        self.succeed(
            "input.yaml",
            "-q",
            "--restart",
            "input.restart.h5",
            self.NONE,
            "time.end=1.5",
            "-o",
            "more.h5",
            "run.checkpoint_every=0.01",
        )
        self.write(
            "segments.yaml",
            LONG[: LONG.index("measurements:")]
            + "time:\n  segments: [0.5, 0.5, 0.5]\n  records: 3\n",
        )
        self.succeed("segments.yaml", "-q")
        self.assert_same_bits(self.path("segments.h5"), "more.h5")

    def test_what_cannot_be_prolonged(self):
        self.succeed("input.yaml", "-q", *self.HALF)
        again = ("input.yaml", "-q", "--restart", "half.restart.h5")
        self.assert_mentions(
            self.call(*again, self.NONE, "time.end=0.4"),
            INPUT,
            "tessera: error: time.end is 0.4, and the run to continue ends at 0.5\n  remedy: give a later end\n",
        )
        self.assert_mentions(
            self.call(*again, "measurements=[{time: 0.2, variable: z, value: -8, variance: 4}]"),
            INPUT,
            "tessera: error: the measurements and maneuvers before t = 0.5 are not those of the run to continue\n"
            "  remedy: add some only where that run had not come yet, or start again\n",
        )
        self.assert_mentions(
            self.call(*again, self.NONE, "time.records=4"),
            INPUT,
            "the input differs: 'records: 3' in the restart file, "
            "'records: 4' now\n  remedy: use the input of the interrupted run (only 'backend', 'run', 'output' and "
            "'time.end' may change, 'measurements' may grow, 'maneuvers' may grow), or start again",
        )

    def test_one_that_is_not_complete(self):
        self.interrupt(signal.SIGTERM)
        self.assert_mentions(
            self.call("input.yaml", "-q", "--restart", "input.restart.h5", "time.end=2"),
            INPUT,
            "time.end is 2, and the run to continue ends at 1\n  remedy: continue it with its own end first",
        )
        self.assert_mentions(
            self.call("input.yaml", "-q", "--restart", "input.restart.h5", "measurements=[]"),
            INPUT,
            "the input differs: ",
            " in the restart file, nothing now",
        )


class NamedOutput(LongRun):
    def test_the_input_names_it(self):
        self.write(
            "input.yaml",
            LONG.replace("time:\n  end: 1.0", "run:\n  output: named.h5\ntime:\n  end: 0.6"),
        )
        self.succeed("input.yaml", "-q")
        self.succeed("input.yaml", "-q", "--output", "given.h5")
        self.assertEqual(self.files(), ["given.h5", "input.yaml", "named.h5"])
        self.assert_mentions(self.call("input.yaml", "-q"), FILES, "'named.h5' exists")


class TwoRuns(LongRun):
    """Two runs with one output, begun before either has written anything."""

    def begin(self, *arguments):
        process = self.start("input.yaml", "--progress", "off", *arguments)
        wait_for_start(process)
        return process

    def stop(self, process):
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
        return err

    def test_each_has_a_restart_file(self):
        # The restart file of one run does not continue the other run.
        slower = "grid.spacing=[0.3, 0.3, 0.3]"
        first, second = self.begin(slower), self.begin(slower)
        self.assertIn("tessera: continue with --restart input.restart.h5\n", self.stop(first))
        kept = self.read("input.restart.h5")
        err = self.stop(second)
        self.assertIn(
            "tessera: warning: 'input.restart.h5' is another run's and is kept; "
            "the restart file of this one is 'input.restart.1.h5'\n",
            err,
        )
        self.assertIn("tessera: continue with --restart input.restart.1.h5\n", err)
        self.assertEqual(self.read("input.restart.h5"), kept)

    def test_a_complete_one_leaves_the_other_its_restart_file(self):
        other = ("grid.spacing=[0.2, 0.2, 0.2]", "run.checkpoint_every=0.05", "--force")
        first, second = self.begin("run.checkpoint_every=0.3"), self.begin(*other)
        _, err = first.communicate(timeout=TIMEOUT)
        self.assertIn(first.returncode, (0, FILES), err)
        self.stop(second)
        left = [name for name in self.files() if name.startswith("input.restart")]
        self.assertEqual(len(left), 1)
        self.succeed("input.yaml", "-q", *other, "--restart", left[0], "--output", "whole.h5")


class MemoryLimit(LongRun):
    def test_stop_and_continue(self):
        outcome = self.call("input.yaml", tight_limit(), "--progress", "off")
        self.assert_mentions(
            outcome,
            RESOURCE,
            "tessera: running on",
            "tessera: error: the grid needs ",
            " MB for ",
            " cells, above run.memory_limit (",
            " MB)\n  remedy: raise run.memory_limit (a run that has begun can be continued), ",
            "tessera: results so far: input.h5\n",
            "tessera: continue with --restart input.restart.h5\n",
            "tessera: failed: ",
        )
        self.assertEqual(attribute(self.path("input.h5"), "run_status"), "failed")
        with h5py.File(self.path("input.h5")) as file:
            self.assertGreater(len(file["series/time"]), 10)
        self.succeed("input.yaml", "-q", "--restart", "input.restart.h5")
        self.assert_undisturbed()

    def test_too_little_to_begin(self):
        outcome = self.call("input.yaml", "run.memory_limit=1e-3", "--progress", "off")
        self.assert_mentions(
            outcome, RESOURCE, "tessera: error: the grid needs ", "above run.memory_limit (1.05 kB)"
        )
        self.assertEqual(self.files(), ["input.yaml"])


class OtherBackend(LongRun):
    @needs_backend("openmp")
    def test_interrupted_on_one_continued_on_another(self):
        self.interrupt(signal.SIGTERM, "--backend", "serial", after=0.6)
        self.succeed(
            "input.yaml", "-q", "--backend", "openmp", "--restart", "input.restart.h5", threads=4
        )
        self.assert_undisturbed(backend="serial")


class Refusals(CommandLineTest):
    """Restart files that do not fit."""

    @classmethod
    def setUpClass(cls):
        """Leaves the results and the restart file of a run that came to a limit in FOLDER."""
        with open(os.path.join(FOLDER.name, "input.yaml"), "w", encoding="utf-8") as file:
            file.write(LONG)
        run = subprocess.run(
            [EXECUTABLE, "input.yaml", "-q", "--seed", "3", tight_limit(), "--force"],
            cwd=FOLDER.name,
            env=environment(),
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
        if run.returncode != RESOURCE:
            raise AssertionError(run.stderr)

    def setUp(self):
        super().setUp()
        for name in ("input.yaml", "input.h5", "input.restart.h5"):
            shutil.copy(os.path.join(FOLDER.name, name), self.folder)
        self.before = {name: self.read(name) for name in self.files()}

    def assert_refused(self, status, message, *arguments, restart="input.restart.h5", seed="3"):
        """Whole messages; one that ends in "..." is the beginning. Nothing is changed."""
        outcome = self.call("input.yaml", "--restart", restart, "--seed", seed, "-q", *arguments)
        self.assertEqual((outcome.status, outcome.out), (status, ""), outcome.err)
        if message.endswith("..."):
            self.assertEqual(outcome.err[: len(message) - 3], message[:-3])
        else:
            self.assertEqual(outcome.err, message)
        for name, content in self.before.items():
            self.assertEqual(self.read(name), content)

    def test_changed_input(self):
        remedy = (
            "  remedy: use the input of the interrupted run (only 'backend', 'run', 'output' and 'time.end' may change, "
            "'measurements' may grow, 'maneuvers' may grow), or start again\n"
        )
        begin = "tessera: error: cannot continue from 'input.restart.h5': the input differs: "
        self.assert_refused(
            INPUT,
            begin + "'threshold: 1.0e-06' in the restart file, 'threshold: 1.0e-05' now\n" + remedy,
            "grid.threshold=1e-5",
        )
        self.assert_refused(
            INPUT,
            begin + "'- time: 0.5' in the restart file, nothing now\n" + remedy,
            "measurements=[]",
        )

    def test_changed_seed(self):
        self.assert_refused(
            INPUT,
            "tessera: error: cannot continue from 'input.restart.h5': its seed is 3, the seed of this run 4\n"
            "  remedy: use the same seed\n",
            seed="4",
        )

    def test_missing(self):
        self.assert_refused(
            FILES,
            "tessera: error: cannot read 'other.restart.h5': No such file or directory\n  remedy: check the name\n",
            restart="other.restart.h5",
        )

    def test_garbage(self):
        self.write("garbage.h5", os.urandom(4096))
        self.assert_refused(
            FILES,
            "tessera: error: cannot read 'garbage.h5': it is not an HDF5 file or is damaged...",
            restart="garbage.h5",
        )

    def test_cut_off(self):
        self.write("half.h5", self.read("input.restart.h5")[:5000])
        self.assert_refused(
            FILES,
            "tessera: error: the restart file 'half.h5' is damaged: its 5000 bytes are not those that were written\n"
            "  remedy: start again\n",
            restart="half.h5",
        )

    def test_one_bit(self):
        """Any of them: in the seal, the heap that holds texts, the headers and the numbers."""
        whole = self.read("input.restart.h5")
        for at in [0, 20, 60, 511, 512, 520, *range(1000, len(whole), len(whole) // 20)]:
            with self.subTest(at):
                changed = bytearray(whole)
                changed[at] ^= 1 << at % 8
                self.write("flipped.h5", bytes(changed))
                outcome = self.call("input.yaml", "--restart", "flipped.h5", "--seed", "3", "-q")
                self.assert_mentions(outcome, FILES, "flipped.h5", "start again")

    def test_hdf5_tools_read_it(self):
        with h5py.File(self.path("input.restart.h5")) as file:
            self.assertEqual(file.userblock_size, 512)
            self.assertTrue(file["state/mass"].fletcher32)
            self.assertEqual(file["state/mass"].shape, file["state/key"].shape)

    def test_arrays_of_other_lengths(self):
        self.assert_arrays_are_checked(
            "input.restart.h5",
            "input.yaml",
            "--seed",
            "3",
            free=(r"records/record_\d+/marginal_\d",),
        )

    def test_positions_that_the_run_lacks(self):
        for name, value in (
            ("segment", 2),
            ("segment", 2**63),
            ("interval", 3),
            ("interval", -1),
            ("interval", 2**40),
        ):
            with self.subTest(name=name, value=value):

                def alter(file, name=name, value=value):
                    file["state"].attrs[name] = value

                self.assert_refused(
                    FILES, "tessera: error: ...", restart=self.altered("input.restart.h5", alter)
                )

    def test_results_instead(self):
        self.assert_refused(
            FILES,
            "tessera: error: 'input.h5' is a results file, not a restart file\n"
            "  remedy: give the file that ends in .restart.h5\n",
            "--output",
            "other.h5",
            restart="input.h5",
        )

    def test_another_hdf5_file(self):
        with h5py.File(self.path("other.h5"), "w") as file:
            file["x"] = 1
        self.assert_refused(
            FILES,
            "tessera: error: 'other.h5' is not a restart file of Tessera\n"
            "  remedy: give the file that ends in .restart.h5\n",
            restart="other.h5",
        )

    def test_state_that_is_damaged(self):
        def remove_keys(file):
            del file["state/key"]

        self.assert_refused(
            FILES,
            "tessera: error: there is no dataset 'altered.restart.h5:/state/key'; present: ...",
            restart=self.altered("input.restart.h5", remove_keys),
        )

    def test_another_format_version(self):
        remedy = "; this program reads 2.3\n  remedy: continue it with the version of Tessera that wrote it, or start again\n"
        self.write(
            "newer.h5",
            self.read("input.restart.h5").replace(
                b"tessera-restart 2.3", b"tessera-restart 3.0", 1
            ),
        )
        self.assert_refused(
            FILES,
            "tessera: error: 'newer.h5' has the restart format 3.0" + remedy,
            restart="newer.h5",
        )
        with h5py.File(self.path("older.h5"), "w") as file:  # of version 0.1, without a seal
            file.attrs["format"] = "tessera-restart"
            file.attrs["format_version"] = "1.0"
        self.assert_refused(
            FILES,
            "tessera: error: 'older.h5' has the restart format 1.0" + remedy,
            restart="older.h5",
        )

    def test_complete_results_are_kept(self):
        self.succeed(
            "input.yaml",
            "-q",
            "--seed",
            "3",
            "--restart",
            "input.restart.h5",
            "--output",
            "done.h5",
        )
        self.assert_refused(
            FILES,
            "tessera: error: the output 'done.h5' exists\n"
            "  remedy: choose another with --output, or overwrite it with "
            "--force\n",
            "--output",
            "done.h5",
        )


if __name__ == "__main__":
    run_cases.main()
