# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The comparison of a following grid with other methods, on two of its inputs with few particles:
gbees_comparison.py EXECUTABLE."""

import os
import subprocess
import sys
import tempfile
import unittest

import run_cases

EXECUTABLE = os.path.abspath(sys.argv.pop(1))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "inputs", "gbees", "comparison", "comparison.py")
SAMPLES = 20000
TIMEOUT = 300  # s


class ComparisonTest(unittest.TestCase):
    """What the script prints."""

    def rows(self, *cases):
        """The numbers of the table at the end, by the case's title and the method."""
        with tempfile.TemporaryDirectory() as folder:
            outcome = subprocess.run(
                [sys.executable, "-B", SCRIPT, "-f", folder, "-p", EXECUTABLE, "--no-picture"]
                + ["-n", str(SAMPLES), *cases],
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                check=False,
                env=dict(os.environ, OMP_NUM_THREADS="1", LC_ALL="C"),
            )
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        found, title = {}, ""
        for line in outcome.stdout.split("\n\n", maxsplit=1)[0].splitlines()[2:]:
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            title = cells[0].partition(";")[0] or title
            found[title, cells[1]] = [float(cell) for cell in cells[4:]]
        return found

    def test_errors(self):
        rows = self.rows("pendulum", "geo")
        for title in ("pendulum", "GEO, 78 hours"):
            for method in ("grid", "mixture", "particles"):
                with self.subTest(title, method=method):
                    mean, deviation, alike = rows[title, method]
                    # three standard errors of the reference, of two sets for particles
                    self.assertLess(mean, 3 * 1.5 / SAMPLES**0.5)
                    self.assertLess(abs(deviation), 100 * 3 * 1.5 / (2 * SAMPLES) ** 0.5)
                    self.assertGreater(alike, 0.97)
        # a Gaussian is no crescent
        self.assertLess(rows["pendulum", "UKF"][2], 0.99)


if __name__ == "__main__":
    run_cases.main()
