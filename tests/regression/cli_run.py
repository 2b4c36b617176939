# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What a run shows, the same bits on every backend and number of threads, and runs that fail in
their numbers."""

import os
import pty
import re
import subprocess

import h5py

import run_cases
from cli_support import (
    EXECUTABLE,
    NUMERICAL,
    SMALL,
    CommandLineTest,
    attribute,
    environment,
    needs_backend,
)


class Console(CommandLineTest):
    SUMMARY = (
        r"tessera: complete: \d+ steps, \d+ cell-steps, at most \d+ cells\n"
        r"tessera: [\d.]+ m?s, [\d.]+ [kMG]? ?cell-steps/s; peak memory: .*, process [\d.]+ [MG]B\n"
    )

    def assert_output(self, pattern, *arguments):
        outcome = self.succeed("input.yaml", *arguments)
        self.assertRegex(outcome.err, rf"\A{pattern}\Z")
        self.assertEqual(outcome.out, "")

    def test_normal(self):
        self.assert_output(
            r"tessera: running on \w+ \(.*\)\ntessera: 100 %  time 0.2 of 0.2  .*\n"
            + self.SUMMARY
            + "tessera: results: input.h5\n"
        )

    def test_quiet(self):
        self.assert_output("", "-q")
        self.assert_output("", "--quiet", "--force")

    def test_verbose(self):
        self.assert_output(
            r"(.*\n)*tessera: running on \w+ \(.*\)\n(.*\n)*"
            + self.SUMMARY
            + "tessera: results: input.h5\n",
            "-v",
        )

    def test_progress_off(self):
        self.assert_output(
            r"tessera: running on .*\n" + self.SUMMARY + "tessera: results: input.h5\n",
            "--progress",
            "off",
        )

    def test_progress_of_a_quiet_run(self):
        self.assert_output(r"tessera: 100 %  time 0.2 of 0.2  .*\n", "--progress", "on", "-q")

    def test_progress_by_tenths(self):
        self.write(
            "input.yaml",
            SMALL.replace(
                "[1.0, 1.0, 1.0]\n  threshold: 1.0e-6", "[0.25, 0.25, 0.25]\n  threshold: 2.0e-7"
            ),
        )
        lines = [
            line
            for line in self.succeed("input.yaml", "time.end=0.8").err.splitlines()
            if " % " in line
        ]
        self.assertTrue(1 <= len(lines) <= 11, lines)
        for line in lines[:-1]:
            self.assertRegex(
                line,
                r"^tessera:  ?\d+ %  time [\d.]+ of 0.8  [\d.]+ [kMG]? ?cell-steps/s  [\d.]+ [mu]?s left  step \d+, \d+ cells$",
            )
        self.assertRegex(
            lines[-1],
            r"^tessera: 100 %  time 0.8 of 0.8  [\d.]+ [kMG]? ?cell-steps/s  in [\d.]+ m?s  step \d+, \d+ cells$",
        )

    def test_progress_on_a_terminal(self):
        """One line that is rewritten, and whole lines after it."""
        main, side = pty.openpty()
        run = subprocess.Popen(
            [EXECUTABLE, "input.yaml"],
            cwd=self.folder,
            stdout=side,
            stderr=side,
            env=dict(environment(), TERM="xterm"),
        )
        os.close(side)
        seen = b""
        while True:
            try:
                part = os.read(main, 4096)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            seen += part
        os.close(main)
        self.assertEqual(run.wait(), 0)
        text = re.sub(r"(\r\x1b\[K)?\x1b\[33m\x1b\[1mtessera: warning:.*\r\n", "", seen.decode())
        self.assertRegex(
            text,
            r"^tessera: running on .*\r\n\rtessera: 100 %  time 0.2 of 0.2  .*\x1b\[K\r\n"
            r"tessera: complete: .*\r\n.*\r\ntessera: results: input.h5\r\n$",
        )

    def test_timing(self):
        outcome = self.succeed("input.yaml", "--timing")
        self.assertRegex(
            outcome.err,
            r"tessera: where the time went:\nregion +calls +seconds +share\n"
            r"(tessera::gbees::\w+ +\d+ +[\d.]+ +[\d.]+ %\n)+write +1 +[\d.]+ +[\d.]+ %\n",
        )
        with h5py.File(self.path("input.h5")) as file:
            regions = [row["region"].decode() for row in file["timings"]]
        self.assertIn("tessera::gbees::steps", regions)


class SameBits(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.succeed("input.yaml", "-q", "--backend", "serial", "--output", "serial.h5")

    @needs_backend("openmp")
    def test_threads(self):
        for threads in (1, 2, 4):
            with self.subTest(threads=threads):
                self.succeed(
                    "input.yaml",
                    "-q",
                    "--backend",
                    "openmp",
                    "--output",
                    f"{threads}.h5",
                    threads=threads,
                )
                self.assert_same_bits("serial.h5", f"{threads}.h5")
                self.assertEqual(attribute(self.path(f"{threads}.h5"), "backend"), "openmp")
                self.assertRegex(
                    attribute(self.path(f"{threads}.h5"), "device_name"), rf", {threads} threads?$"
                )

    @needs_backend("openmp")
    def test_threads_of_the_reference_scheme(self):
        self.succeed(
            "input.yaml", "-q", "grid.scheme=reference", "--backend", "serial", "--output", "one.h5"
        )
        self.succeed(
            "input.yaml",
            "-q",
            "grid.scheme=reference",
            "--backend",
            "openmp",
            "--output",
            "two.h5",
            threads=3,
        )
        self.assert_same_bits("one.h5", "two.h5")

    @needs_backend("openmp")
    def test_threads_as_kokkos_takes_them(self):
        outcome = self.call(
            "input.yaml",
            "-q",
            "--backend",
            "openmp",
            "--kokkos-num-threads=2",
            "--output",
            "two.h5",
        )
        if "Kokkos does not know the option" in outcome.err:
            self.skipTest("this Kokkos has another name for that option")
        self.assertRegex(attribute(self.path("two.h5"), "device_name"), ", 2 threads$")

    def test_backend_of_the_input(self):
        self.write("chosen.yaml", SMALL + "backend: serial\n")
        self.succeed("chosen.yaml", "-q")
        self.assertEqual(attribute(self.path("chosen.h5"), "backend"), "serial")
        self.assert_same_bits("serial.h5", "chosen.h5")


class NumericalFailures(CommandLineTest):
    def assert_fails(self, *phrases, records):
        outcome = self.call("input.yaml", "--progress", "off")
        self.assert_mentions(
            outcome,
            NUMERICAL,
            "tessera: error: ",
            *phrases,
            "\n  remedy: ",
            "tessera: results so far: input.h5\n",
            "tessera: failed: ",
        )
        self.assertEqual(attribute(self.path("input.h5"), "run_status"), "failed")
        with h5py.File(self.path("input.h5")) as file:
            self.assertEqual(len(file["results/time"]), records)
        self.assertEqual(self.files(), ["input.h5", "input.yaml"])

    def test_velocity_that_overflows_at_the_start(self):
        """There is nothing to keep then."""
        outcome = self.call(
            "input.yaml", "model.sigma=1e308", "grid.follow=none", "--progress", "off"
        )
        self.assert_mentions(
            outcome,
            NUMERICAL,
            "tessera: error: the velocity at a face is not finite: step 1, t = 0, cell at (",
            ")\n  remedy: ",
        )
        self.assertEqual(self.files(), ["input.yaml"])

    def test_velocity_that_overflows_later(self):
        self.write(
            "input.yaml",
            """\
app: gbees
model: {name: linear, matrix: [[1e305]]}
grid: {follow: none, spacing: [1], threshold: 1e-4}
initial: {mean: [10], standard_deviation: [1]}
time: {end: 1e-304, records: 10}
""",
        )
        self.assert_fails(
            "the velocity at a face is not finite: step ", ", t = ", ", cell at (", ")", records=5
        )

    def test_indices_that_run_out(self):
        zeros = "[" + ", ".join(["0"] * 8) + "]"
        self.write(
            "input.yaml",
            f"""\
app: gbees
model: {{name: linear, matrix: [{", ".join([zeros] * 8)}], offset: [1, 0, 0, 0, 0, 0, 0, 0]}}
grid: {{follow: none, spacing: [1, 1, 1, 1, 1, 1, 1, 1], threshold: 1e-3}}
initial: {{mean: {zeros}, standard_deviation: [{", ".join(["0.3"] * 8)}]}}
time: {{end: 1000, records: 10}}
""",
        )
        self.assert_fails(
            "the density has spread beyond the 253 cells that can be indexed along each axis in 8 dimensions: step ",
            ", t = ",
            "\n  remedy: set grid.recentre: true, for it is narrower, or use a larger grid.spacing\n",
            records=2,
        )

    def test_measurement_that_leaves_nothing(self):
        self.write(
            "input.yaml", SMALL.replace("value: 2.0, variance: 4.0", "value: 1e6, variance: 25")
        )
        self.assert_fails(
            "the measurement at t = 0.1 (z = 1e+06, variance 25) leaves no probability", records=3
        )


if __name__ == "__main__":
    run_cases.main()
