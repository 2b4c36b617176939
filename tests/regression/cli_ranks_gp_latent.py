# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Runs of tessera-gp with observations that are not Gaussian, which several processes share:
cli_ranks_gp_latent.py EXECUTABLE LAUNCHER."""

import run_cases
from cli_support import NUMERICAL
from gp_support import skip_without_nlopt
from ranks_support import RanksTest

# Everything that such a run can do.
ALL = """\
app: gp
simulate: {points: 500, layout: uniform, mean: 0.5}
covariance: {family: matern32, sigma2: 1, beta: 0.1}
method: {vecchia: {neighbours: 10, prediction_neighbours: 20}}
likelihood: {family: negative_binomial, size: 2, samples: 20, probes: 20}
fit: {start: [0.5, 0.05]}
predict: {fraction: 0.1, draws: 9, quantiles: [0.1, 0.9]}
cross_validation: {folds: 3}
run: {seed: 5}
"""


def setUpModule():
    skip_without_nlopt()


class LatentRanks(RanksTest):
    def setUp(self):
        super().setUp()
        self.write("input.yaml", ALL)

    def check(self, numbers, *arguments):
        self.succeed("input.yaml", "-q", "--backend", "serial", "--output", "alone.h5", *arguments)
        for ranks in numbers:
            with self.subTest(ranks=ranks):
                outcome = self.share(
                    ranks,
                    "input.yaml",
                    "-q",
                    "--backend",
                    "serial",
                    "--output",
                    f"{ranks}.h5",
                    *arguments,
                )
                self.assertEqual((outcome.status, outcome.err), (0, ""))
                self.assert_same_bits("alone.h5", f"{ranks}.h5")

    def test_exact_determinants(self):
        self.check((2, 3))

    def test_estimated_determinants(self):
        self.check((3,), "likelihood.determinant=stochastic", "fit.standard_errors=none")

    def test_zeros_and_ones(self):
        self.check(
            (2,),
            "likelihood={family: bernoulli}",
            "fit={fixed: [sigma2], standard_errors: none}",
            "predict={grid: [5, 4]}",
        )

    def test_a_restart_with_other_ranks(self):
        """A run of two ranks that was interrupted goes on with three, and one of three with one."""
        large = ["simulate.points=2500", "--backend", "serial"]
        self.succeed("input.yaml", "-q", *large, "--output", "alone.h5")
        for before, after in ((2, 3), (3, 1)):
            self.check_restart(before, after, *large)

    def test_an_error_is_told_once(self):
        """Conjugate gradients fail on each rank in the search for the mode, and on some with the
        vectors of an estimated determinant: all of them end."""
        for iterations in (1, 4):
            outcome = self.share(
                3,
                "input.yaml",
                "likelihood.determinant=stochastic",
                f"likelihood.cg_iterations={iterations}",
                "--progress",
                "off",
                "--force",
            )
            self.assertEqual(outcome.status, NUMERICAL, outcome.err)
            self.assertEqual(outcome.err.count("raise likelihood.cg_iterations"), 1, outcome.err)

    def test_a_rank_is_killed(self):
        self.kill_a_rank(1, 2, "input.yaml", "simulate.points=30000", "--backend", "serial")
        self.assertNotIn("input.h5", self.files())


if __name__ == "__main__":
    run_cases.main()
