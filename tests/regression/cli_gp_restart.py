# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp_restart.py EXECUTABLE. Interruption and restart files."""

import hashlib
import os
import shutil
import signal
import time

import h5py
import numpy as np

import run_cases
from cli_support import FILES, INPUT, TIMEOUT, attribute
from gp_support import (
    FIT,
    FULL_BIVARIATE,
    LONG,
    VECCHIA,
    GpTest,
    skip_without_nlopt,
    some_points,
    table,
)


def setUpModule():
    skip_without_nlopt()


class Interruption(GpTest):
    def test_a_fit_that_was_interrupted_ends_with_the_same_bits(self):
        for text in (LONG, VECCHIA.replace("2500", "8100"), FULL_BIVARIATE):
            self.check_interruption(text)

    def check_interruption(self, text):
        self.write("input.yaml", text)
        began = time.monotonic()
        self.succeed("input.yaml", "-q", "--force", "--output", "whole.h5")
        duration = time.monotonic() - began
        for part in (0.3, 0.6):
            process = self.start(
                "input.yaml", "--progress", "off", "--force", "--output", "part.h5"
            )
            for line in process.stderr:
                if line.startswith("tessera: running on "):
                    break
            time.sleep(part * duration)
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=TIMEOUT)
            if process.returncode == 0:
                continue  # faster than before
            self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
            self.assertEqual(attribute(self.path("part.h5"), "run_status"), "interrupted")
            outcome = self.succeed(
                "input.yaml", "--restart", "part.restart.h5", "--output", "part.h5"
            )
            self.assertIn("continuing from part.restart.h5", outcome.err)
            self.assert_same_bits("whole.h5", "part.h5")


class RestartFiles(GpTest):
    def setUp(self):
        super().setUp()
        self.points = some_points(500)
        self.write("data.csv", table(self.points))
        self.write("part.yaml", FIT.replace("tolerance", "starts: 3, tolerance"))
        self.restart = self.killed_run("part")

    def test_other_data(self):
        """Likelihoods of the old data must not meet those of the new."""
        self.write("data.csv", table(self.points * [1, 1, 2]))
        outcome = self.call("part.yaml", "-q", "--restart", self.restart)
        self.assertEqual(
            (outcome.status, outcome.err),
            (
                INPUT,
                "tessera: error: cannot continue from 'part.restart.h5': 'data.csv' has changed since that run read it\n"
                "  remedy: put the file of the interrupted run back, or start again\n",
            ),
        )
        self.write("data.csv", table(self.points))
        os.mkdir(self.path("elsewhere"))  # the same data, from another folder
        for name in ("part.yaml", "data.csv", self.restart):
            shutil.move(self.path(name), self.path("elsewhere"))
        self.succeed("elsewhere/part.yaml", "-q", "--restart", "elsewhere/part.restart.h5")

    def test_results_say_what_was_read(self):
        self.succeed("part.yaml", "-q", "--restart", self.restart)
        with h5py.File(self.path("part.h5")) as file:
            files = file["provenance/files"]
            self.assertEqual([name.decode() for name in files["name"]], ["data.csv"])
            self.assertEqual(
                [digest.decode() for digest in files["sha256"]],
                [hashlib.sha256(self.read("data.csv")).hexdigest()],
            )
            self.assertEqual(list(files["bytes"]), [len(self.read("data.csv"))])

    def test_arrays_of_other_lengths(self):
        self.assert_arrays_are_checked(self.restart, "part.yaml")

    def test_a_count_that_is_none(self):
        for count in (0, 10**6, 2**60, 2**64 - 1):

            def alter(file, count=count):
                file["state"].attrs["count"] = np.uint64(count)

            with self.subTest(count):
                outcome = self.call(
                    "part.yaml",
                    "-q",
                    "--restart",
                    self.altered(self.restart, alter),
                    "--output",
                    f"{count}.h5",
                )
                self.assertEqual(outcome.status, FILES if count else 0, outcome.err)


if __name__ == "__main__":
    run_cases.main()
