# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Arguments and integrals of tessera-boys that several processes share: cli_ranks_boys.py
EXECUTABLE LAUNCHER."""

import run_cases
from ranks_support import RanksTest


class Boys(RanksTest):
    """Functions, errors, sums, quadratures and integrals."""

    def test_errors_of_several_methods(self):
        self.check_input("boys/error_map.yaml", "--backend", "serial")

    def test_sums(self):
        """Blocks of 1024 arguments a rank, of which nothing but exact sums is kept."""
        self.check_input(
            "boys/benchmark.yaml",
            "--backend",
            "serial",
            "run.memory_limit=1e-6",
            "problem.x={linspace: [0, 60, 5001]}",
            "problem.repeat=2",
            least=0,
        )

    def test_fewer_arguments_than_ranks(self):
        self.check_input("boys/quickstart.yaml", "--backend", "serial", "problem.x=[2, 3]", least=1)

    def test_quadratures(self):
        self.check_input("boys/rys.yaml", "--backend", "serial", least=3)

    def test_integrals(self):
        self.check_input("boys/integrals.yaml", "--backend", "serial", least=3)


if __name__ == "__main__":
    run_cases.main()
