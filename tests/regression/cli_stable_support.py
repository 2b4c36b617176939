# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What the tests of tessera-stable share."""

import os

import numpy as np

from cli_support import ROOT, CommandLineTest, arrays

INPUTS = os.path.join(ROOT, "inputs", "stable")
DATA = os.path.join(ROOT, "tests", "data", "stable")


def column(name, values):
    """A file of one column. NumPy 2 prints its own numbers with their type."""
    plain = (value.item() if isinstance(value, np.generic) else value for value in values)
    return name + "\n" + "".join(f"{value!r}\n" for value in plain)


def cauchy(n):
    return list(np.tan(np.pi * ((np.arange(n) + 0.5) / n - 0.5)))


class StableTest(CommandLineTest):
    def run_input(self, text, *arguments, status=0):
        self.write("input.yaml", text)
        outcome = self.call("input.yaml", "-q", "--force", *arguments)
        self.assertEqual(outcome.status, status, outcome.err)
        return outcome

    def results(self, group="results"):
        return arrays(self.path("input.h5"), [group])
