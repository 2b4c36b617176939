# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The results file an executable writes, and what happens when it cannot."""

import contextlib
import fcntl
import os
import re
import resource
import signal
import subprocess
import time

import h5py
import numpy as np

import run_cases
from cli_support import FILES, INPUT, SMALL, USAGE, CommandLineTest, attribute

KIB = 1024


def text(value):
    return value.decode() if isinstance(value, bytes) else value


class Contents(CommandLineTest):
    def results(self, *arguments):
        self.succeed("input.yaml", "-q", *arguments)
        return h5py.File(self.path("input.h5"))

    def test_attributes(self):
        with self.results("--seed", "5", "--backend", "serial") as file:
            found = {name: text(value) for name, value in file.attrs.items()}
        self.assertEqual(
            set(found),
            {
                "format",
                "format_version",
                "software",
                "software_version",
                "git_commit",
                "build_type",
                "compiler",
                "cxx_flags",
                "kokkos_version",
                "app",
                "backend",
                "device_name",
                "precision",
                "seed",
                "command_line",
                "created",
                "hostname",
                "run_status",
            },
        )
        for name, value in {
            "format": "tessera-results",
            "format_version": "1.0",
            "software": "tessera",
            "app": "gbees",
            "seed": 5,
            "backend": "serial",
            "precision": "double",
            "run_status": "complete",
        }.items():
            self.assertEqual(found[name], value, name)
        self.assertRegex(found["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertTrue(
            found["command_line"].endswith("tessera-gbees input.yaml -q --seed 5 --backend serial"),
            found["command_line"],
        )
        for name, value in found.items():
            self.assertNotEqual(value, "", name)

    def test_the_version_is_that_of_the_program(self):
        version = self.succeed("--version").out
        with self.results() as file:
            self.assertIn(
                f"tessera {text(file.attrs['software_version'])} (commit {text(file.attrs['git_commit'])})",
                version,
            )

    def test_groups(self):
        with self.results() as file:
            self.assertEqual(
                set(file),
                {
                    "input",
                    "progress",
                    "provenance",
                    "coordinates",
                    "results",
                    "series",
                    "timings",
                    "warnings",
                },
            )
            self.assertEqual(file["warnings"].ndim, 1)
            self.assertEqual(set(file["input"]), {"yaml", "resolved"})
            self.assertEqual(set(file["provenance/files"]), {"name", "sha256", "bytes"})
            self.assertEqual(file["provenance/files/name"].shape, (0,))
            self.assertEqual(set(file["coordinates"]), {"variables", "spacing", "x1", "x2", "x3"})
            self.assertEqual(
                set(file["results"]),
                {
                    "time",
                    "segment",
                    "mass",
                    "lost_mass",
                    "max_p",
                    "entropy",
                    "cells",
                    "active_cells",
                    "mean",
                    "mode",
                    "covariance",
                    "marginal_1d",
                    "measurements",
                }
                | {f"record_{r}" for r in range(6)},
            )
            self.assertEqual(
                set(file["series"]),
                {"step", "time", "dt", "mass", "lost_mass", "cells_existing", "cells_active"},
            )
            self.assertEqual(
                set(file["results/measurements"]), {"time", "log_evidence", "deviation"}
            )
            self.assertEqual(file["timings"].dtype.names, ("region", "calls", "seconds"))
            np.testing.assert_allclose(
                file["results/time"], [0, 0.05, 0.1, 0.1, 0.15, 0.2], rtol=1e-15
            )
            self.assertEqual(file["results/time"][-1], 0.2)
            self.assertEqual(file["results/covariance"].shape, (6, 3, 3))
            self.assertEqual(len({len(series) for series in file["series"].values()}), 1)

    def test_warnings_are_part_of_the_results(self):
        self.hears_of_resolution = True
        told = self.succeed("input.yaml", "-q", "grid.threshold=1e-3").err
        with h5py.File(self.path("input.h5")) as file:
            kept = [text(warning) for warning in file["warnings"]]
        self.assertEqual(told, "".join(f"tessera: warning: {warning}\n" for warning in kept))
        self.assertGreater(len(kept), 0)

    def test_every_dataset_says_what_it_is(self):
        with self.results() as file:

            def check(name, item):
                if isinstance(item, h5py.Dataset):
                    self.assertTrue(text(item.attrs.get("units", "")), f"{name} has no units")
                    self.assertTrue(
                        text(item.attrs.get("long_name", "")), f"{name} has no long_name"
                    )

            file.visititems(check)

    def test_the_input_is_kept_byte_for_byte(self):
        odd = "\ufeff" + SMALL.replace("\n", "\r\n") + "# the end, without a new line: \u00e9\u4e16"
        self.write("input.yaml", odd)
        with self.results() as file:
            self.assertEqual(file["input/yaml"][()], odd.encode())

    def test_a_quoted_command_line(self):
        self.succeed("input.yaml", "-q", "grid.spacing=[1, 1, 1]", "--output", "it's.h5")
        self.assertTrue(
            attribute(self.path("it's.h5"), "command_line").endswith(
                "tessera-gbees input.yaml -q 'grid.spacing=[1, 1, 1]' --output 'it'\\''s.h5'"
            )
        )

    def test_names(self):
        os.mkdir(self.path("sub"))
        self.write("sub/my.run.yaml", SMALL)
        self.succeed("sub/my.run.yaml", "-q")
        self.succeed("input.yaml", "-q", "--output", "sub/other")
        self.assertEqual(self.files(), ["input.yaml", "my.run.h5", "sub"])
        self.assertEqual(sorted(os.listdir(self.path("sub"))), ["my.run.yaml", "other"])

    def test_equal_runs_give_equal_files(self):
        """Besides the time they were made at and the time they took."""
        self.succeed("input.yaml", "-q")
        self.succeed("input.yaml", "-q", "--output", "again.h5")
        self.assert_same_bits("input.h5", "again.h5")


class Existing(CommandLineTest):
    def test_kept_without_force(self):
        self.write("input.h5", "precious")
        self.assert_says(
            FILES,
            "tessera: error: the output 'input.h5' exists\n"
            "  remedy: choose another with --output, or overwrite it with --force\n",
            "input.yaml",
        )
        self.assertEqual(self.read("input.h5"), b"precious")
        self.assertEqual(self.files(), ["input.h5", "input.yaml"])

    def test_replaced_with_force(self):
        self.write("input.h5", "precious")
        self.succeed("input.yaml", "--force", "-q")
        self.assertEqual(attribute(self.path("input.h5"), "run_status"), "complete")

    def test_a_link_is_followed(self):
        os.mkdir(self.path("store"))
        os.symlink("store/real.h5", self.path("input.h5"))
        self.succeed("input.yaml", "-q")
        self.assertTrue(os.path.islink(self.path("input.h5")))
        self.assertEqual(attribute(self.path("store/real.h5"), "run_status"), "complete")

    def test_a_folder_is_not_replaced(self):
        os.mkdir(self.path("input.h5"))
        self.assert_says(
            FILES,
            "tessera: error: cannot write 'input.h5': it is a folder\n  remedy: choose another output\n",
            "input.yaml",
            "--force",
        )

    def test_the_input_is_not_replaced(self):
        self.assert_says(
            USAGE,
            "tessera: error: the output would replace 'input.yaml'\n  remedy: choose another with --output\n",
            "input.yaml",
            "--force",
            "--output",
            "./input.yaml",
        )
        self.assertEqual(self.read("input.yaml"), SMALL.encode())

    def test_an_earlier_restart_file_is_kept(self):
        self.write("input.restart.h5", "precious")
        self.assert_says(
            FILES,
            "tessera: error: the restart file 'input.restart.h5' of an earlier run exists\n"
            "  remedy: continue that run with --restart input.restart.h5, or start again with --force\n",
            "input.yaml",
        )
        self.assertEqual(self.read("input.restart.h5"), b"precious")

    def test_two_runs_do_not_write_one_file(self):
        with open(self.path("input.h5.abcdefghijklm.tmp"), "wb") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            self.assert_says(
                FILES,
                "tessera: error: another process is writing 'input.h5'\n"
                "  remedy: wait for it or choose another output\n",
                "input.yaml",
            )

    def test_what_a_killed_run_left_is_removed(self):
        self.write("input.h5.abcdefghijklm.tmp", "half")
        self.succeed("input.yaml", "-q")
        self.assertEqual(self.files(), ["input.h5", "input.yaml"])

    def test_files_of_the_user_are_left_alone(self):
        self.write("victim", "precious")
        self.write("input.h5.tmp", "mine")
        os.link(self.path("victim"), self.path("other.h5.tmp"))
        self.succeed("input.yaml", "-q")
        self.succeed("input.yaml", "-q", "--output", "other.h5")
        self.assertEqual(
            (self.read("victim"), self.read("input.h5.tmp"), self.read("other.h5.tmp")),
            (b"precious", b"mine", b"precious"),
        )

    def test_the_mode_stays(self):
        self.succeed("input.yaml", "-q")
        for mode in (0o600, 0o640, 0o444):
            os.chmod(self.path("input.h5"), mode)
            self.succeed("input.yaml", "-q", "--force")
            self.assertEqual(os.stat(self.path("input.h5")).st_mode & 0o777, mode)

    def test_data_are_not_replaced(self):
        np.savetxt(
            self.path("points.csv"),
            np.random.default_rng(1).normal([-11.5, -10, 9.5], 1, (2000, 3)),
            delimiter=",",
            header="x,y,z",
            comments="",
        )
        self.write(
            "input.yaml",
            re.sub(
                "(?s)initial:.*?measurements",
                "initial: {shape: samples, file: points.csv}\nmeasurements",
                SMALL,
            ),
        )
        before = self.read("points.csv")
        os.link(self.path("points.csv"), self.path("points.restart.h5"))
        # The last name counts for its restart file.
        for output in ("points.csv", "./points.csv", "points.h5"):
            self.assert_says(
                USAGE,
                "tessera: error: the output would replace 'points.csv'\n  remedy: choose another with --output\n",
                "input.yaml",
                "--force",
                "--output",
                output,
            )
            self.assertEqual(self.read("points.csv"), before)

    def test_what_appears_during_the_run_is_kept(self):
        """Without --force; the results stand beside it, and the exit code says so."""
        slow = ("grid.spacing=[0.4, 0.4, 0.4]", "grid.threshold=1e-6")
        for existing in (None, "older"):
            with self.subTest(existing):
                process = self.start(
                    "input.yaml",
                    "--progress",
                    "off",
                    "--output",
                    "run.h5",
                    *slow,
                    *(("--force",) if existing else ()),
                )
                while not process.stderr.readline().startswith("tessera: running on "):
                    self.assertIsNone(process.poll())
                self.write("run.h5", "somebody else's")
                _, err = process.communicate(timeout=300)
                if existing:
                    self.assertEqual(process.returncode, 0, err)
                    self.assertEqual(attribute(self.path("run.h5"), "run_status"), "complete")
                    continue
                self.assertEqual(process.returncode, FILES, err)
                self.assertIn(
                    "tessera: error: 'run.h5' has appeared since this run began and is kept; the results of this run are 'run.1.h5'\n"
                    "  remedy: rename one of them; --force would have replaced it\n",
                    err,
                )
                self.assertIn("tessera: results: run.1.h5\n", err)
                self.assertEqual(self.read("run.h5"), b"somebody else's")
                self.assertEqual(attribute(self.path("run.1.h5"), "run_status"), "complete")
                self.assertEqual(self.files(), ["input.yaml", "run.1.h5", "run.h5"])

    def test_each_output_has_its_restart_file(self):
        for name, restart in (
            ("run.1", "run.1.restart.h5"),
            ("run.2", "run.2.restart.h5"),
            ("a.b.h5", "a.b.restart.h5"),
            ("run", "run.restart.h5"),
        ):
            self.write(restart, "precious")
            self.assert_says(
                FILES,
                f"tessera: error: the restart file '{restart}' of an earlier run exists\n"
                f"  remedy: continue that run with --restart {restart}, or start again with --force\n",
                "input.yaml",
                "--output",
                name,
            )
            os.remove(self.path(restart))


class Unwritable(CommandLineTest):
    def test_folder_that_is_missing(self):
        self.assert_says(
            FILES,
            "tessera: error: cannot write 'missing/input.h5': No such file or directory\n"
            "  remedy: create the folder first\n",
            "input.yaml",
            "--output",
            "missing/input.h5",
        )

    def test_folder_that_is_a_file(self):
        self.assert_says(
            FILES,
            "tessera: error: cannot write 'input.yaml/input.h5': Not a directory\n"
            "  remedy: choose an output in a folder that can be written\n",
            "input.yaml",
            "--output",
            "input.yaml/input.h5",
        )

    def test_name_that_is_too_long(self):
        name = "x" * 300 + ".h5"
        self.assert_says(
            FILES,
            f"tessera: error: cannot write '{name}': File name too long\n  remedy: choose a shorter name\n",
            "input.yaml",
            "--output",
            name,
        )

    def test_read_only_folder(self):
        if os.geteuid() == 0:
            self.skipTest("permissions do not bind root")
        os.mkdir(self.path("locked"), 0o555)
        self.assert_says(
            FILES,
            "tessera: error: cannot write 'locked/input.h5': Permission denied\n"
            "  remedy: choose an output in a folder that can be written\n",
            "input.yaml",
            "--output",
            "locked/input.h5",
        )

    def test_unreadable_input(self):
        if os.geteuid() == 0:
            self.skipTest("permissions do not bind root")
        os.chmod(self.path("input.yaml"), 0)
        self.assert_says(
            INPUT,
            "tessera: error: cannot read the input file 'input.yaml': permission denied\n  remedy: make it readable\n",
            "input.yaml",
        )


class NoRoom(CommandLineTest):
    """A disk that fills up, and a limit on the size of files, while an older file is there."""

    def limited(self, bytes_):
        def set_limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))

        return set_limit

    def check(self, outcome, reason, remedy, folder=""):
        """The message alone, the older file whole, and nothing left of the new one."""
        name = os.path.join(folder, "run.h5")
        self.assertEqual(
            outcome.err,
            f"tessera: error: cannot write '{name}': {reason}\n  remedy: {remedy} or choose another output; "
            f"the older '{name}' is unchanged\n",
        )
        self.assertEqual((outcome.status, outcome.out), (FILES, ""))
        self.assertEqual(self.read(name), self.older)
        self.assertEqual(
            [name for name in os.listdir(self.path(folder)) if name.endswith(".tmp")], []
        )

    def prepare(self, folder=""):
        name = os.path.join(folder, "run.h5")
        self.succeed("input.yaml", "-q", "--output", name)
        self.older = self.read(name)
        self.assertGreater(len(self.older), 16 * KIB)

    def test_limit_on_the_size_of_files(self):
        self.prepare()
        for size in (0, 1, KIB, 4 * KIB, len(self.older) // 2, len(self.older) - 1):
            with self.subTest(size=size):
                outcome = self.call(
                    "input.yaml",
                    "-q",
                    "--force",
                    "--output",
                    "run.h5",
                    preexec_fn=self.limited(size),
                )
                self.check(
                    outcome, "File too large", "raise the limit on the size of a file (ulimit -f)"
                )

    def test_full_disk(self):
        folder = self.path("disk")
        os.mkdir(folder)
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", folder],
            capture_output=True,
            check=False,
        )
        if made.returncode != 0:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", folder], check=True)
        self.prepare("disk")
        free = os.statvfs(folder)
        room = free.f_bavail * free.f_frsize
        for left in (0, 4 * KIB, 16 * KIB):
            with self.subTest(left=left):
                with open(os.path.join(folder, "filling"), "wb") as file:
                    file.write(bytes(room - left))
                outcome = self.call("input.yaml", "-q", "--force", "--output", "disk/run.h5")
                self.check(outcome, "No space left on device", "free space on that disk", "disk")


class Killed(CommandLineTest):
    def test_no_half_file(self):
        """SIGKILL at any moment leaves no file under the name of the results, or a whole one."""
        self.succeed("input.yaml", "-q")
        started = time.monotonic()
        self.succeed("input.yaml", "-q", "--output", "timed.h5")
        duration = time.monotonic() - started
        whole = 0
        for i in range(12):
            with self.subTest(i):
                process = self.start("input.yaml", "-q", "--output", "killed.h5")
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(duration * (i + 1) / 12)
                process.send_signal(signal.SIGKILL)
                process.communicate()
                if os.path.exists(self.path("killed.h5")):
                    self.assert_same_bits("input.h5", "killed.h5")
                    os.remove(self.path("killed.h5"))
                    whole += 1
        self.assertLess(whole, 12)


if __name__ == "__main__":
    run_cases.main()
