# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The task 'conjunction' of tessera-gbees: the probability that two objects in orbit meet."""

import csv
import math
import os
import re
import shutil
import subprocess
import sys

import h5py

import run_cases
from cli_support import (
    EXECUTABLE,
    FILES,
    INPUT,
    ROOT,
    TIMEOUT,
    CommandLineTest,
    attribute,
    environment,
)

MESSAGES = os.path.join(ROOT, "inputs", "gbees", "conjunction")
TEXT = """\
app: gbees
task: conjunction
conjunction:
  messages: %s
  relative_error: 0.05
"""


class Conjunction(CommandLineTest):
    def setUp(self):
        super().setUp()
        for name in ("alfano_04.cdm", "alfano_05.cdm"):
            shutil.copy(os.path.join(MESSAGES, name), self.path(name))
        self.write("input.yaml", TEXT % "alfano_05.cdm")

    def message(self, *changes):
        """Alfano's case 5 with other texts in places, as x.cdm."""
        text = self.read("alfano_05.cdm").decode()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        self.write("x.cdm", text)
        return "conjunction.messages=x.cdm"

    def column(self, name, file="input.h5"):
        with h5py.File(self.path(file)) as results:
            return results["results"][name][()]

    def assert_refuses(self, change, *phrases):
        outcome = self.call("input.yaml", "--validate", change)
        self.assert_mentions(outcome, INPUT, "error:", *phrases)

    # 7 364 054 and 4 446 611 of 1e8 trials by NASA CARA (Simple Dynamics Monte Carlo)
    def test_input_file(self):
        path = os.path.join(ROOT, "inputs", "gbees", "conjunction.yaml")
        self.succeed(path, "-q", "conjunction.relative_error=0.02", "-o", "out.h5")
        found = self.column("probability", "out.h5")
        errors = self.column("standard_error", "out.h5")
        for probability, error, expected in zip(found, errors, (0.07364054, 0.04446611)):
            self.assertLess(abs(probability - expected), 4 * error)
            self.assertLess(error, 0.0201 * probability)
        plane = self.column("plane_probability", "out.h5")
        self.assertAlmostEqual(plane[0], 0.0493220745447709, delta=1e-6)
        self.assertAlmostEqual(plane[1], 0.044492344523551, delta=1e-6)

    def test_grid(self):
        """Beside 4 446 611 of 1e8 trials; of case 4, whose objects stay together, it is said."""
        self.write("input.yaml", TEXT % "[alfano_05.cdm, alfano_04.cdm]")
        outcome = self.succeed("input.yaml", "-q", "conjunction.table=table.csv")
        grid = self.column("grid_probability")
        self.assertAlmostEqual(grid[0] / 0.04446611, 1, delta=2e-3)
        self.assertTrue(math.isnan(grid[1]))
        self.assertIn(
            "alfano_04.cdm: the passage is not short: the orbits turn by 5.8", outcome.err
        )
        with open(self.path("table.csv"), encoding="utf-8") as table:
            rows = list(csv.DictReader(table))
        self.assertEqual(float(rows[0]["grid_probability"]), grid[0])
        self.assertEqual(rows[1]["grid_probability"], "nan")
        self.write("input.yaml", TEXT % "alfano_05.cdm")
        cut = ("conjunction.window=[-1, 1]", "conjunction.most_pairs=1e5", "-o", "cut.h5")
        outcome = self.succeed("input.yaml", "-q", *cut)
        self.assertIn("alfano_05.cdm: some pairs meet outside the window", outcome.err)
        self.assertTrue(math.isnan(self.column("grid_probability", "cut.h5")[0]))

    def test_results(self):
        self.succeed("input.yaml", "-q", "conjunction.table=table.csv")
        with h5py.File(self.path("input.h5")) as file:
            self.assertEqual(file.attrs["run_status"], "complete")
            results = file["results"]
            for name in results:
                self.assertIn("units", results[name].attrs, name)
                self.assertIn("long_name", results[name].attrs, name)
            low, high = results["interval_low"][0], results["interval_high"][0]
            self.assertLess(low, results["probability"][0])
            self.assertGreater(high, results["probability"][0])
            self.assertAlmostEqual(results["miss_distance"][0], 2.4499, delta=1e-4)
            self.assertEqual(results["converged"][0], 1)
            probability, pairs = results["probability"][0], results["pairs"][0]
            self.assertEqual(round(probability * pairs), results["hits"][0])
            self.assertEqual(list(file["provenance/files/name"][()])[0][-13:], b"alfano_05.cdm")
            with open(self.path("table.csv"), encoding="utf-8") as table:
                rows = list(csv.DictReader(table))
            self.assertEqual(len(rows), 1)
            self.assertEqual(float(rows[0]["probability"]), probability)
            self.assertEqual(int(rows[0]["pairs"]), pairs)
            self.assertEqual(rows[0]["message_id"], "alfano_05")

    def test_miss_distances_and_history(self):
        self.succeed("input.yaml", "-q")
        with h5py.File(self.path("input.h5")) as file:
            levels = file["coordinates/level"][()]
            quantiles = file["results/miss_quantiles"][0]
            history = file["results/probability_history"][0]
            times = file["coordinates/history_time"][0]
            self.assertEqual(len(levels), len(quantiles))
            self.assertTrue(all(a < b for a, b in zip(quantiles, quantiles[1:])))
            # 4 % come closer than 10 m
            self.assertLess(quantiles[list(levels).index(0.01)], 10)
            self.assertGreater(quantiles[list(levels).index(0.25)], 10)
            edges, density = file["coordinates/miss_distance"][0], file["results/miss_density"][0]
            self.assertEqual(edges[-1], quantiles[-1])
            integral = sum(d * (b - a) for d, a, b in zip(density, edges, edges[1:]))
            self.assertAlmostEqual(integral, 0.99, delta=1e-3)
            self.assertEqual(history[0], 0)
            self.assertAlmostEqual(history[-1], file["results/probability"][0], delta=1e-12)
            self.assertTrue(all(a <= b for a, b in zip(history, history[1:])))
            self.assertGreaterEqual(times[0], file["results/window_begin"][0])
            self.assertLessEqual(times[-1], file["results/window_end"][0])

    def test_existing_table_is_kept(self):
        self.write("table.csv", "mine\n")
        outcome = self.succeed("input.yaml", "-q", "conjunction.table=table.csv")
        self.assertIn("'table.csv' exists and is kept", outcome.err)
        self.assertEqual(self.read("table.csv"), b"mine\n")
        self.assertIn(b"alfano_05", self.read("table.1.csv"))
        outcome = self.succeed("input.yaml", "-q", "--force", "conjunction.table=table.csv")
        self.assertNotIn("table.csv", outcome.err)
        self.assertEqual(self.read("table.csv"), self.read("table.1.csv"))

    def test_lists_and_folders(self):
        os.mkdir(self.path("folder"))
        for name in ("alfano_04.cdm", "alfano_05.cdm"):
            shutil.move(self.path(name), self.path("folder/" + name))
        self.write("folder/readme.txt", "no message")
        self.write("input.yaml", TEXT % "folder")
        self.succeed("input.yaml", "-q", "-o", "folder.h5")
        self.write("input.yaml", TEXT % "[folder/alfano_05.cdm, folder/alfano_04.cdm]")
        self.succeed("input.yaml", "-q", "-o", "list.h5")
        folder = self.column("probability", "folder.h5")
        # A result depends on its message and the seed alone.
        self.assertEqual(list(folder), list(self.column("probability", "list.h5"))[::-1])
        os.rename(self.path("folder/alfano_04.cdm"), self.path("folder/alfano_04.CDM"))
        self.write("input.yaml", TEXT % "folder")
        outcome = self.succeed("input.yaml", "-q", "-o", "part.h5")
        self.assertIn("only files that end in .cdm are read, not 'alfano_04.CDM'", outcome.err)

    def test_seed(self):
        self.succeed("input.yaml", "-q", "-o", "first.h5")
        self.succeed("input.yaml", "-q", "-o", "second.h5")
        self.succeed("input.yaml", "-q", "-o", "third.h5", "--seed", "7")
        self.assert_same_bits("first.h5", "second.h5")
        first, third = (self.column("hits", name)[0] for name in ("first.h5", "third.h5"))
        self.assertNotEqual(first, third)

    def test_window_and_radius(self):
        self.succeed(
            "input.yaml", "-q", "conjunction.window=[-1419, 1419]", "conjunction.hard_body_radius=5"
        )
        self.assertEqual(self.column("window_end")[0], 1419)
        # a narrow band: the probability goes with the radius
        found, error = self.column("probability")[0], self.column("standard_error")[0]
        self.assertLess(abs(found - 0.0222), 4 * error + 3e-4)

    def test_rare(self):
        change = self.message(("COMMENT HBR = 10", "COMMENT HBR = 0.001"))
        self.succeed("input.yaml", "-q", change)
        self.assertEqual(self.column("sampling")[0], b"importance")
        found, error = self.column("probability")[0], self.column("standard_error")[0]
        plane = self.column("plane_probability")[0]
        self.assertLess(plane, 1e-9)
        # the formula takes the mean relative velocity, which is spread here by two fifths
        self.assertLess(abs(found - plane), 4 * error + 0.06 * plane)

    def test_unreached_error_is_told(self):
        outcome = self.succeed(
            "input.yaml", "-q", "conjunction.relative_error=0.001", "conjunction.most_pairs=1e5"
        )
        self.assertIn("conjunction.most_pairs", outcome.err)
        self.assertEqual(self.column("converged")[0], 0)
        self.assertEqual(self.column("pairs")[0], 100000)

    def test_mended_covariance_and_unknown_keywords(self):
        change = self.message(
            ("CT_R = -8.519384381202e+01", "CT_R = -8.7e+01"), ("EPHEMERIS_NAME", "EPHEMERIS")
        )
        outcome = self.succeed("input.yaml", "-q", change)
        self.assertIn("x.cdm:25: the covariance of object 1 has negative eigenvalues", outcome.err)
        self.assertIn("EPHEMERIS (line 15)", outcome.err)
        self.assertEqual(self.column("mended")[0], 1)

    def test_wrong_miss_distance_is_told(self):
        outcome = self.call(
            "input.yaml",
            "--validate",
            self.message(("MISS_DISTANCE = 2.450", "MISS_DISTANCE = 99")),
        )
        self.assert_mentions(outcome, 0, "MISS_DISTANCE = 99 m, but the states come no closer")

    def compare(self, references, *arguments):
        """What the script of the inputs says of the two messages beside references."""
        self.write("references.csv", references)
        return subprocess.run(
            [sys.executable, "-B", os.path.join(MESSAGES, "compare.py"), self.folder]
            + ["references.csv", "-p", EXECUTABLE, *arguments],
            cwd=self.folder,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )

    def test_comparison(self):
        """Of the columns that NASA CARA publishes, and of others by name."""
        head, rows = "Conjunction_ID,PcSDMC,NtotSDMC,Nc3D\n", [
            "alfano_05,0.04446611,100000000,0.0444898133497832\n",
            "alfano_04,0.07364054,100000000,0.0736404193831196\n",
        ]
        outcome = self.compare(head + "".join(rows), "--also", "Nc3D")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertIn("alfano_04.cdm: the passage is not short", outcome.stderr)
        lines = outcome.stdout.splitlines()
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[:4]]
        self.assertEqual(cells[0][-2:], ["Nc3D", "deviation"])
        self.assertEqual([row[0] for row in cells[2:]], ["alfano_05", "alfano_04"])
        self.assertEqual(cells[2][2], "4.447e-2, 0.046 %")
        self.assertEqual(cells[3][4:7], ["not short", "4.932e-2", "7.364e-2"])
        deviations = [float(row[-1]) for row in cells[2:]]
        for row, expected in zip(cells[2:], (0.04446611, 0.07364054)):
            self.assertAlmostEqual(float(row[3]) / expected, 1, delta=0.08)
            self.assertLess(abs(float(row[-1])), 4)
        found = re.fullmatch(
            r"2 messages: sum of squared deviations (\S+) \(95 % point 6\.0\), farthest"
            r" (alfano_0[45]), (\S+) standard errors",
            lines[-1],
        )
        self.assertAlmostEqual(float(found[1]), sum(d * d for d in deviations), delta=0.4)
        self.assertEqual(float(found[3]), max(deviations, key=abs))
        names = ("--id", "Case", "--file", "alfano_{:0>2}.cdm", "--reference", "Mean")
        names += ("--error", "Sigma", "--radius", "R", "--window", "From", "To", "--entries", "5")
        outcome = self.compare("Case,Mean,Sigma,R,From,To\n5,0.0222,0.001,5,-1419,1419\n", *names)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertIn("alfano_04.cdm has no reference and is left out", outcome.stderr)
        cells = outcome.stdout.splitlines()[2].split("|")
        self.assertAlmostEqual(float(cells[4]), 0.0222, delta=0.003)

    def test_comparison_refuses(self):
        head = "Conjunction_ID,PcSDMC,NtotSDMC\n"
        for text, arguments, phrase in (
            ("Conjunction_ID,PcSDMC\nx,1\n", (), "has no column 'NtotSDMC', but Conjunction_ID"),
            (head, (), "references.csv has no row"),
            (head + "alfano_05,far,10\n", (), "'PcSDMC' holds 'far', which is no finite number"),
            (head + "alfano_05,0.1,0\n", (), "'NtotSDMC' must be 1 or more"),
            (head + "alfano_07,0.1,10\n", (), "there is none of the 1 messages"),
            (head + "alfano_05,0.1,10\n", ("--entries", "6"), "has no row 6"),
            (head + "alfano_05,0.1,10\n", ("--relative-error", "7"), "ended with 3"),
        ):
            outcome = self.compare(text, *arguments)
            self.assertNotEqual(outcome.returncode, 0)
            self.assertIn(phrase, outcome.stderr)
            self.assertNotIn("Traceback", outcome.stderr)

    def test_refuses_messages(self):
        refuse, message = self.assert_refuses, self.message
        refuse(message(("COMMENT HBR = 10 [m]\n", "")), "x.cdm has no hard-body radius")
        refuse(message(("Y_DOT = 5.382890206", "Y_DOT = 12.5")), "x.cdm:10:", "hyperbolic")
        refuse(message(("REF_FRAME = EME2000", "REF_FRAME = TEME")), "x.cdm:18:", "'TEME'")
        refuse(message(("X = 6878.090162", "X = six")), "x.cdm:19: X = 'six'")
        refuse(message(("CR_R = 4", "CR_R = -4")), "x.cdm:25:", "is negative")
        refuse(message(("TCA = 2000", "TCA = yes")), "x.cdm:7:", "is no time")
        second = "OBJECT = OBJECT2\n"
        change = message((second, second + "TCA = 2000-01-01T00:10:00.000\n"))
        refuse(change, "x.cdm:47: TCA = 2000-01-01T00:10", "stands a second time", "line 7 has")
        radius = "COMMENT HBR = 10 [m]\n"
        refuse(message((radius, radius + radius.replace("10", "12"))), "x.cdm:10:", "another hard")
        text = self.read("alfano_05.cdm").decode()
        self.write("x.cdm", re.sub(r"CR_R = \S+", "CR_R = 1e30", text, count=1))
        refuse("conjunction.messages=x.cdm", "x.cdm:10: the covariance of object 1 is so large")
        text = re.sub(r"^(C[RTN](DOT)?_\w+) = \S+", r"\1 = 0", text, flags=re.M)
        self.write("x.cdm", text)
        refuse("conjunction.messages=x.cdm", "x.cdm:10: neither object has an error")
        text = self.read("alfano_05.cdm").decode()
        self.write("x.cdm", text[: text.index("OBJECT = OBJECT2")])
        refuse("conjunction.messages=x.cdm", "x.cdm:45: the message has one object")
        self.write("x.cdm", text[: text.rindex("CNDOT_NDOT")])
        refuse("conjunction.messages=x.cdm", "x.cdm:", "ends without CNDOT_NDOT of object 2")
        self.write("x.cdm", text[: text.rindex("CNDOT_NDOT") + 16])
        refuse("conjunction.messages=x.cdm", "x.cdm:81: the file ends after CNDOT_NDOT = ")

    def test_all_problems_at_once(self):
        self.write("a.cdm", "")
        self.write("b.cdm", "CCSDS_CDM_VERS = 9.0\n")
        self.write("input.yaml", TEXT % "[a.cdm, alfano_05.cdm, b.cdm]")
        outcome = self.call("input.yaml")
        self.assert_mentions(
            outcome, INPUT, "input.yaml:4:13: error:", "a.cdm:1: the file is empty", "b.cdm:1:"
        )
        self.assertNotIn("input.h5", self.files())

    def test_refuses_a_table_in_no_folder(self):
        """Before the run, which would end without it."""
        self.assert_refuses("conjunction.table=nodir/t.csv", "there is no folder 'nodir'")

    def test_refuses_inputs(self):
        os.mkdir(self.path("empty"))
        refuse = self.assert_refuses
        refuse("conjunction.messages=empty", "has no file that ends in .cdm")
        for change, phrase in (
            ("conjunction.window=[3, 1]", "the window's end must be later"),
            ("conjunction.hard_body_radius=0", "hard_body_radius"),
            ("conjunction.sampling=often", "sampling"),
            ("model.name=lorenz63", "unknown key 'model'"),
            ("task=meet", "'task'"),
        ):
            self.assert_mentions(self.call("input.yaml", "--validate", change), INPUT, phrase)
        outcome = self.call("input.yaml", "--validate", "conjunction.messages=missing.cdm")
        self.assert_mentions(outcome, FILES, "missing.cdm")
        self.write("input.yaml", "app: gbees\ntask: conjunction\n")
        self.assert_mentions(self.call("input.yaml", "--validate"), INPUT, "messages")

    def test_signal_and_restart(self):
        text = TEXT % "[alfano_05.cdm, alfano_04.cdm]"
        self.assert_restarts(text.replace("0.05", "0.01"))

    def test_interrupted_results(self):
        """Of the message that was begun there is an estimate, of the next one nothing, and no
        table."""
        text = TEXT.replace("0.05", "0.0001") % "[alfano_04.cdm, alfano_05.cdm]"
        self.assert_ends_soon(text + "  table: table.csv\n", 1.5)
        self.assertEqual(attribute(self.path("run.h5"), "run_status"), "interrupted")
        self.assertGreater(self.column("pairs", "run.h5")[0], 0)
        found = self.column("probability", "run.h5")
        self.assertTrue(math.isfinite(found[0]) and math.isnan(found[1]))
        self.assertNotIn("table.csv", self.files())


if __name__ == "__main__":
    run_cases.main()
