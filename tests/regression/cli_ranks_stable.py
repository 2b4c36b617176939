# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Fits of tessera-stable that several processes share: cli_ranks_stable.py EXECUTABLE LAUNCHER."""

import os

import run_cases
from cli_support import ROOT, USAGE
from ranks_support import RanksTest


class Stable(RanksTest):
    """Fits of tessera-stable."""

    def check(self, name, *arguments, **expected):
        self.check_input(os.path.join("stable", name), *arguments, **expected)

    def test_windows_of_groups(self):
        self.check(
            "panel.yaml",
            "--backend",
            "serial",
            warning=r"tessera: warning: 2 of 10 fits failed: [^\n]*\n",
        )

    def test_regressions_of_groups(self):
        self.check(
            "regression_groups.yaml",
            "--backend",
            "serial",
            warning=r"tessera: warning: 1 of 8 regressions failed: [^\n]*\n",
        )

    def test_refits(self):
        self.check(
            "goodness.yaml",
            "--backend",
            "serial",
            "goodness.refits=99",
            "goodness.against=[symmetric]",
        )

    def test_backtests(self):
        self.check("garch.yaml", "--backend", "serial", "garch.backtest.step=200")

    def test_samples_of_a_study(self):
        self.check("coverage.yaml", "--backend", "serial", "map.repeats=5")

    def test_points(self):
        self.check("evaluate.yaml", "--backend", "serial")
        self.check("sample.yaml", "--backend", "serial", "problem.n=100001", least=0)

    def test_few_points(self):
        """More ranks than points, and no table; with what the paper's method gives."""
        self.check("evaluate.yaml", "--backend", "serial", "problem.x=[1,2]", "problem.scores=true")
        self.check(
            os.path.join("paper", "figure4.yaml"),
            "--backend",
            "serial",
            "paper.integrand=11",
            "problem.x=[-0.9,2]",
        )

    def test_probabilities(self):
        quantiles = ("quantile.yaml", "--backend", "serial")
        self.check(*quantiles, least=3)
        self.check(*quantiles, "problem.p={linspace: [0.001, 0.999, 2001]}", least=3)
        self.check(
            *quantiles,
            "problem.method=newton",
            "problem.p=[1e-30,0.2,0.3,0.4]",
            least=3,
            warning=r"(tessera: warning: the paper's iteration finds no quantile for 1 of 4 probabilities [^\n]*\n)+",
        )

    def test_a_task_that_cannot_be_divided(self):
        source = os.path.join(ROOT, "inputs", "stable", "speed.yaml")
        outcome = self.share(2, source, "--backend", "serial")
        err = outcome.err
        self.assertEqual(outcome.status, USAGE, err)
        self.assertEqual(
            err.count("this run cannot be divided among ranks: it works on one device"), 1, err
        )


if __name__ == "__main__":
    run_cases.main()
