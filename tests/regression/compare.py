# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-compare from outside: an input on every backend, two results files, messages and exit
codes."""

import os
import re
import shutil
import signal
import time
import unittest
import unittest.mock

import h5py

import run_cases
from cli_support import FILES, INPUT, NUMERICAL, ROOT, SMALL, USAGE, CommandLineTest, attribute

QUICKSTART = os.path.join(ROOT, "inputs", "gbees", "quickstart.yaml")


class Comparison(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.place_temporary_files("temporary")
        os.mkdir(self.path("temporary"))

    def place_temporary_files(self, folder):
        patch = unittest.mock.patch.dict(os.environ, TMPDIR=self.path(folder))
        patch.start()
        self.addCleanup(patch.stop)

    def files(self):
        self.assertEqual(os.listdir(self.path("temporary")), [])
        return [name for name in super().files() if name != "temporary"]

    def results(self, *overrides):
        """The name of a file with the results of a run."""
        self.succeed("input.yaml", *overrides, "--keep", "--force", "-q")
        name = f"results_{len(self.files())}.h5"
        shutil.move(self.path("input.serial.h5"), self.path(name))
        return name


class Backends(Comparison):
    def test_quickstart(self):
        outcome = self.succeed(
            QUICKSTART, "time.end=0.2", "measurements=[]", "grid.spacing=[1, 1, 1]", "-q", threads=2
        )
        lines = outcome.out.splitlines()
        self.assertRegex(lines[0], r"^backend +device +wall time +speed-up$")
        self.assertRegex(lines[1], r"^serial .*, 1 thread +[0-9.]+ m?s +1\.00$")
        for name in re.findall(r"^(\w+) \(second\)", outcome.out, re.MULTILINE):
            self.assertRegex(outcome.out, rf"(?m)^{name} .* [0-9.]+ [mu]?s +[0-9.]+$")
            self.assertRegex(
                outcome.out, rf"(?m)^{name} \(second\) against serial \(first\): \d+ datasets"
            )
        self.assertEqual(self.files(), ["input.yaml"])

    def test_keep(self):
        outcome = self.succeed("input.yaml", "time.end=0.3", "--keep", "-q")
        backends = re.findall(r"^(serial|openmp|cuda)  ", outcome.out, re.MULTILINE)
        self.assertEqual(
            self.files(), sorted([f"input.{name}.h5" for name in backends] + ["input.yaml"])
        )
        for name in backends:
            self.assertEqual(attribute(self.path(f"input.{name}.h5"), "backend"), name)
            self.assertEqual(attribute(self.path(f"input.{name}.h5"), "run_status"), "complete")
            self.assertIn(
                "time.end=0.3 --keep -q", attribute(self.path(f"input.{name}.h5"), "command_line")
            )
        for name in backends[1:]:
            self.assertIn(
                f"input.{name}.h5 (second)", self.succeed("input.serial.h5", f"input.{name}.h5").out
            )

    def test_kept_file_exists(self):
        self.write("input.serial.h5", "precious")
        self.assert_says(
            FILES,
            "tessera: error: the output 'input.serial.h5' exists\n"
            "  remedy: move it away, or overwrite it with --force\n",
            "input.yaml",
            "--keep",
        )
        self.assertEqual(self.read("input.serial.h5"), b"precious")
        self.succeed("input.yaml", "--keep", "--force", "-q")
        self.assertEqual(attribute(self.path("input.serial.h5"), "backend"), "serial")

    def test_no_place_for_temporary_files(self):
        self.place_temporary_files("nowhere")
        self.assert_says(
            FILES,
            f"tessera: error: cannot create a folder for temporary files in '{self.path('nowhere')}': "
            "No such file or directory\n"
            "  remedy: name another place in the environment variable TMPDIR, or use --keep\n",
            "input.yaml",
        )

    def test_the_key_backend_does_not_matter(self):
        self.write("input.yaml", SMALL + "backend: serial\n")
        self.assertIn("serial", self.succeed("input.yaml", "-q").out)

    def test_signal(self):
        process = self.start(
            "input.yaml", "time.end=50", "grid.threshold=1e-6", "grid.spacing=[0.5, 0.5, 0.5]"
        )
        while not os.listdir(self.path("temporary")):
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, err)
        self.assertIn("tessera: interrupted by signal 2\n", err)
        self.assertEqual(self.files(), ["input.yaml"])


class InputErrors(Comparison):
    def assert_rejected(self, text, message):
        self.write("input.yaml", text)
        self.assert_says(INPUT, message, "input.yaml")
        self.assertEqual(self.files(), ["input.yaml"])

    def test_unknown_application(self):
        self.write("input.yaml", SMALL.replace("gbees", "gbes"))
        self.assert_mentions(
            self.call("input.yaml"), INPUT, "input.yaml:1:6: error: ", "'gbes'", "gbees"
        )

    def test_unknown_key(self):
        self.assert_rejected(
            SMALL.replace("threshold:", "threshhold:"),
            "input.yaml:6:3: error: unknown key 'threshhold' in 'grid' (did you mean 'threshold'?)\n",
        )

    def test_missing_file(self):
        self.assert_says(
            INPUT,
            "tessera: error: cannot read the input file 'missing.yaml': no such file\n"
            "  remedy: check the path and the working directory\n",
            "missing.yaml",
        )

    def test_override(self):
        self.assert_says(
            INPUT,
            "command line: error: expected a real number for 'time.end', found 'soon'\n",
            "input.yaml",
            "time.end=soon",
        )


class Usage(Comparison):
    def assert_usage(self, message, *arguments):
        self.assert_says(
            USAGE,
            f"tessera-compare: error: {message}\nRun with --help for more information.\n",
            *arguments,
        )

    def test_nothing(self):
        self.assert_usage("an input file or two results files are needed: INPUT.yaml, or A.h5 B.h5")

    def test_one_results_file(self):
        self.assert_usage("two results files are needed: A.h5 B.h5", "a.h5")
        self.assert_usage("two results files are needed: A.h5 B.h5", "a.h5", "b.h5", "c.h5")

    def test_two_inputs(self):
        self.assert_usage(
            "'other.yaml' is neither an option nor an override of the form key.path=value",
            "input.yaml",
            "other.yaml",
        )

    def test_tolerance(self):
        for option in ("--rtol", "--atol"):
            for value in ("-1", "small", "nan", "inf"):
                self.assert_usage(
                    f"{option}: '{value}' is no tolerance: a number that is not negative",
                    "a.h5",
                    "b.h5",
                    option,
                    value,
                )

    def test_help(self):
        text = self.succeed("--help").out
        for phrase in (
            "--rtol",
            "1e-12",
            "--atol",
            "1e-15 times the largest magnitude",
            "--ignore",
            "--keep",
            "--force",
            "Exit codes",
        ):
            self.assertIn(phrase, text)


class Files(Comparison):
    def test_same(self):
        a = self.results()
        shutil.copy(self.path(a), self.path("b.h5"))
        outcome = self.succeed(a, "b.h5")
        self.assertRegex(
            outcome.out, r"^b\.h5 \(second\) against \w+\.h5 \(first\): \d+ datasets, all equal\n$"
        )
        self.assertEqual(outcome.err, "")
        listed = self.succeed(a, "b.h5", "--verbose").out
        self.assertRegex(listed, r"(?m)^results/mass +\d+ +0 +0 +0 +equal$")

    def test_different_runs(self):
        a, b = self.results(), self.results("model.sigma=4.1")
        outcome = self.call(a, b)
        self.assertEqual(outcome.status, NUMERICAL, outcome.err)
        self.assertRegex(outcome.out, r"(?m)^results/mean +\d+ +\d+ +\S+ +\S+ +beyond$")
        self.assertNotRegex(outcome.out, r"(?m) equal$")

    def changed(self, change):
        """A results file and the same after `change`."""
        a = self.results()
        shutil.copy(self.path(a), self.path("b.h5"))
        with h5py.File(self.path("b.h5"), "r+") as file:
            change(file)
        return a, "b.h5"

    def test_tolerances(self):
        def change(file):
            file["results/mean"][0, 0] *= 1 + 1e-9

        a, b = self.changed(change)
        outcome = self.call(a, b)
        self.assertEqual(outcome.status, NUMERICAL, outcome.err)
        self.assertRegex(outcome.out, r"datasets: \d+ equal, 0 within the tolerance, 1 beyond\n")
        self.assertEqual(len(outcome.out.splitlines()), 3)
        self.assertRegex(outcome.out, r"\nresults/mean +\d+ +1 +1\.\de-08 +1\.0e-09 +beyond\n$")
        self.assertRegex(self.succeed(a, b, "--rtol", "1e-8").out, r" within\n$")
        self.assertRegex(self.succeed(a, b, "--atol", "1e-7").out, r" within\n$")
        self.assertRegex(
            self.succeed("--ignore", "results/mea?", a, b, "--ignore", "series/*").out,
            "all equal\n$",
        )

    def test_structure(self):
        def change(file):
            del file["results/mass"]
            file["results/added"] = 1.0
            values = file["series/dt"][:]
            del file["series/dt"]
            file["series/dt"] = values[:-1]

        a, b = self.changed(change)
        outcome = self.call(a, b)
        self.assertEqual(outcome.status, NUMERICAL, outcome.err)
        self.assertRegex(outcome.out, r"(?m)^results/mass +- +- +- +- +only in the first$")
        self.assertRegex(outcome.out, r"(?m)^results/added +- +- +- +- +only in the second$")
        self.assertRegex(outcome.out, r"(?m)^series/dt +- +- +- +- +shape (\d+) against \d+$")

    def test_unfinished_run(self):
        a, b = self.changed(lambda file: file.attrs.modify("run_status", "interrupted"))
        outcome = self.succeed(a, b)
        self.assertEqual(
            outcome.err,
            "tessera: warning: 'b.h5' holds the results of a run that was not completed (interrupted)\n",
        )

    def test_missing_file(self):
        a = self.results()
        self.assert_says(
            FILES,
            "tessera: error: cannot read 'missing.h5': No such file or directory\n  remedy: check the name\n",
            a,
            "missing.h5",
        )

    def test_not_results(self):
        a = self.results()
        with h5py.File(self.path("other.h5"), "w") as file:
            file["x"] = 1
        self.assert_says(
            FILES,
            "tessera: error: 'other.h5' is not a results file of Tessera\n"
            "  remedy: give files that an application wrote with --output\n",
            "other.h5",
            a,
        )


if __name__ == "__main__":
    run_cases.main()
