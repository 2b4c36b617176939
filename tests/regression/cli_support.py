# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What the tests of an executable share. Each is run as: cli_<subject>.py EXECUTABLE, with
tessera-gbees."""

import collections
import functools
import hashlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy as np

EXECUTABLE = os.path.abspath(sys.argv.pop(1))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TIMEOUT = 300  # s, of one process
MOST_AFTER_SIGNAL = 2.0  # s of a core, until a run that was interrupted ends
SEAL = 512  # bytes at the beginning of a restart file

USAGE, INPUT, FILES, NUMERICAL, RESOURCE = 2, 3, 4, 5, 6

# A run of a few milliseconds, on cells so large that it warns of them (RESOLUTION).
SMALL = """\
app: gbees
model:
  name: lorenz63
grid:
  spacing: [1.0, 1.0, 1.0]
  threshold: 1.0e-6
initial:
  mean: [-11.5, -10.0, 9.5]
  standard_deviation: [1.0, 1.0, 1.0]
measurements:
  - {time: 0.1, variable: z, value: 2.0, variance: 4.0}
time:
  end: 0.2
  records: 2
output:
  cells: true
"""

Outcome = collections.namedtuple("Outcome", "status out err")

# The warning about cells that are too large for the density, which most tests take for the sake of
# speed.
RESOLUTION = re.compile(
    r"tessera: warning: (at t = \S+ the (density is wider|density is narrower|mean) along|at the start the density is narrower) .*\n"
)


def environment(threads=1, fills_memory=True):
    """The environment of a process. Threads that wait leave their core to others, for the machine
    may have fewer cores than threads. New memory is not zero, so that what reads it before it
    writes it shows; filling it takes time."""
    return dict(
        os.environ,
        OMP_NUM_THREADS=str(threads),
        OMP_PROC_BIND="false",
        OMP_WAIT_POLICY="passive",
        MALLOC_PERTURB_="128" if fills_memory else "0",
        LC_ALL="C",
    )


def run_in(folder, *command):
    """What a command that runs in a folder comes to."""
    return subprocess.run(
        command,
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )


@functools.lru_cache(maxsize=None)
def backends(text=SMALL):
    """The backends of the executable, from what it says to a short input when one is missing."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "input.yaml"), "w", encoding="utf-8") as file:
            file.write(text)
        for name in ("cuda", "openmp"):
            run = run_in(folder, EXECUTABLE, "input.yaml", "--backend", name, "--force")
            found = re.search("which has: (.*)", run.stderr)
            if found:
                return found.group(1).split(", ")
    return ["serial", "openmp", "cuda"]


def needs_backend(name, text=SMALL):
    return unittest.skipUnless(name in backends(text), f"the executable has no backend {name}")


def arrays(path, groups=("results", "series", "coordinates")):
    """Every dataset below the groups of an HDF5 file, by name."""
    found = {}
    with h5py.File(path) as file:
        for group in groups:
            file[group].visititems(
                lambda name, item, group=group: found.update({f"{group}/{name}": item[()]})
                if isinstance(item, h5py.Dataset)
                else None
            )
    return found


def seconds_on_a_core(pid):
    """What a running process has taken of processors."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def attribute(path, name):
    with h5py.File(path) as file:
        value = file.attrs[name]
        return value.decode() if isinstance(value, bytes) else value


def reseal(path):
    """Gives an altered restart file the seal of its new bytes."""
    with open(path, "r+b") as file:
        content = file.read()[SEAL:]
        seal = f"tessera-restart 2.3\nbytes {len(content)}\nsha256 {hashlib.sha256(content).hexdigest()}\n"
        file.seek(0)
        file.write(seal.encode().ljust(SEAL, b"\0"))


class DeafToResolution(subprocess.Popen):
    """A process whose messages lack those of RESOLUTION."""

    def communicate(self, *arguments, **options):
        out, err = super().communicate(*arguments, **options)
        return out, RESOLUTION.sub("", err) if err else err


class CommandLineTest(unittest.TestCase):
    """A test with a folder of its own, which is the working directory of what it runs."""

    maxDiff = None
    hears_of_resolution = False  # whether messages hold those of RESOLUTION

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("input.yaml", SMALL)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def files(self):
        return sorted(os.listdir(self.folder))

    def start(self, *arguments, threads=1, fills_memory=True, **options):
        """A running process, killed at the end of the test if it still runs."""
        kind = subprocess.Popen if self.hears_of_resolution else DeafToResolution
        process = kind(
            [EXECUTABLE, *arguments],
            cwd=self.folder,
            env=environment(threads, fills_memory),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

        def clean_up():
            process.kill()
            process.communicate()

        self.addCleanup(clean_up)
        return process

    def call(self, *arguments, stdin=None, **options):
        process = self.start(*arguments, stdin=subprocess.PIPE, **options)
        out, err = process.communicate(stdin, timeout=TIMEOUT)
        return Outcome(process.returncode, out, err)

    def succeed(self, *arguments, **options):
        outcome = self.call(*arguments, **options)
        self.assertEqual(outcome.status, 0, outcome.err)
        return outcome

    def assert_ends_soon(self, text, after, *arguments):
        """The run of an input that takes much longer ends within two seconds of a core when SIGTERM
        comes after so many seconds of it; what it says. On one core: also where the machine is
        busy, the time of the process itself counts."""
        self.write("run.yaml", text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = self.start(
            "run.yaml", "--backend", "serial", "--force", *arguments, fills_memory=False
        )
        # signals are watched from before this line on
        while "running on" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        deadline = time.monotonic() + TIMEOUT
        while process.poll() is None and seconds_on_a_core(process.pid) < after:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        self.assertIsNone(process.poll(), "the run ended before the signal")
        at_signal = seconds_on_a_core(process.pid)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=TIMEOUT)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
        self.assertLess(
            used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime - at_signal,
            MOST_AFTER_SIGNAL,
            err,
        )
        self.assertEqual(attribute(self.path("run.h5"), "run_status"), "interrupted")
        return err

    def assert_says(self, status, message, *arguments, **options):
        """The process ends with `status` and writes exactly `message` to stderr, and nothing to
        stdout."""
        outcome = self.call(*arguments, **options)
        self.assertEqual(outcome.err, message)
        self.assertEqual(outcome.status, status)
        self.assertEqual(outcome.out, "")

    def assert_mentions(self, outcome, status, *phrases):
        """Exit code, and phrases of stderr in their order."""
        self.assertEqual(outcome.status, status, outcome.err)
        self.assertEqual(outcome.out, "")
        place = 0
        for phrase in phrases:
            place = outcome.err.find(phrase, place)
            self.assertGreaterEqual(
                place, 0, f"{phrase!r} not found, in this order, in:\n{outcome.err}"
            )

    def arrays_of(self, text, *arguments):
        """Every dataset that a run of an input writes, by name; how it ended is `outcome`."""
        self.write("input.yaml", text)
        self.outcome = self.succeed("input.yaml", "--force", "-q", *arguments)
        return arrays(self.path("input.h5"))

    def run_text(self, text, *arguments):
        """What a run of an input says on stderr, and its arrays."""
        found = self.arrays_of(text, *arguments)
        return self.outcome.err, found

    def refuses(self, text, *phrases):
        """The check of an input says these phrases, in this order."""
        self.write("input.yaml", text)
        self.assert_mentions(self.call("input.yaml", "--validate", "-q"), INPUT, *phrases)

    def assert_restarts(self, text, shares=(0.3, 0.5, 0.7)):
        """A run that is interrupted at these shares of the time it takes, and continued, has the
        same bits. At one of them at least it has begun and is not over."""
        self.write("run.yaml", text)
        began = time.monotonic()
        self.succeed("run.yaml", "--force", "-q", "--output", "whole.h5")
        duration = time.monotonic() - began
        interrupted = 0
        for share in shares:
            process = self.start("run.yaml", "--force", "-q", "--output", "parts.h5")
            time.sleep(share * duration)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
            if not os.path.exists(self.path("parts.restart.h5")):  # it was over, or had not begun
                continue
            interrupted += 1
            self.succeed(
                "run.yaml", "--restart", "parts.restart.h5", "--force", "-q", "--output", "parts.h5"
            )
            self.assert_same_bits("whole.h5", "parts.h5")
        self.assertGreater(interrupted, 0)

    def assert_same_bits(
        self, first, second, groups=("results", "series", "coordinates"), least=10
    ):
        """Two results files agree in every bit of their arrays, of which there are more than
        `least`."""
        a, b = arrays(self.path(first), groups), arrays(self.path(second), groups)
        self.assertEqual(sorted(a), sorted(b))
        self.assertGreater(len(a), least)
        a, b = ({name: np.asarray(values) for name, values in found.items()} for found in (a, b))
        for name in a:
            self.assertEqual(a[name].dtype, b[name].dtype, name)
            self.assertEqual(a[name].shape, b[name].shape, name)
            same = (
                list(a[name].flat) == list(b[name].flat)
                if a[name].dtype == object
                else a[name].tobytes() == b[name].tobytes()
            )
            self.assertTrue(same, f"{name} differs between {first} and {second}")

    def killed_run(self, name, *arguments):
        """The restart file that a run of NAME.yaml has left when it is killed at its first one."""
        restart = f"{name}.restart.h5"
        process = self.start(
            f"{name}.yaml", "-q", "--output", f"{name}.h5", "run.checkpoint_every=0.01", *arguments
        )
        deadline = time.monotonic() + TIMEOUT
        while not os.path.exists(self.path(restart)):
            self.assertLess(time.monotonic(), deadline)
            if process.poll() is not None:
                self.skipTest(
                    "the run ended before it wrote a restart file: " + process.communicate()[1]
                )
            time.sleep(0.002)
        process.kill()
        process.communicate()
        return restart

    def altered(self, restart, change):
        """A copy of a restart file, changed by h5py and with a new seal."""
        shutil.copy(self.path(restart), self.path("altered.restart.h5"))
        with h5py.File(self.path("altered.restart.h5"), "a") as file:
            change(file)
        reseal(self.path("altered.restart.h5"))
        return "altered.restart.h5"

    def assert_arrays_are_checked(self, restart, *arguments, free=()):
        """Arrays of other lengths in a restart file that is whole otherwise: an error that names
        the file, whatever the array. Besides those whose length is `free`."""
        sizes = {}
        with h5py.File(self.path(restart)) as file:
            file["state"].visititems(
                lambda name, item: sizes.update({name: item.size})
                if isinstance(item, h5py.Dataset)
                else None
            )
        sizes = {
            name: size
            for name, size in sizes.items()
            if not any(re.fullmatch(pattern, name) for pattern in free)
        }
        self.assertGreater(len(sizes), 3)
        lengths = {
            "empty": lambda a: a[:0],
            "cut": lambda a: a[:-1],
            "longer": lambda a: np.concatenate([a, a]),
            "flat": lambda a: np.concatenate([a.ravel(), a.ravel()]),
        }
        for name, size in sizes.items():
            for kind, change in lengths.items():
                if size == 0 and kind == "empty":
                    continue
                with self.subTest(name=name, kind=kind):

                    def alter(file, name=name, change=change):
                        values = file["state"][name][()]
                        if values.size == 0:
                            values = np.zeros(3, values.dtype if values.dtype != object else "S1")
                        del file["state"][name]
                        file["state"][name] = change(values)

                    outcome = self.call(
                        *arguments, "-q", "--force", "--restart", self.altered(restart, alter)
                    )
                    self.assertEqual((outcome.status, outcome.out), (FILES, ""), outcome.err)
                    self.assertRegex(
                        outcome.err,
                        r"^tessera: error: '?.*altered.restart.h5.*\n  remedy: .*start again\n$",
                    )
