# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Points of tessera-bessel that several processes share: cli_ranks_bessel.py EXECUTABLE
LAUNCHER."""

import run_cases
from ranks_support import RanksTest


class Bessel(RanksTest):
    """Functions, errors, covariances and bounds."""

    def test_errors_of_several_methods(self):
        self.check_input(
            "bessel/error_map.yaml",
            "--backend",
            "serial",
            "problem.nu={linspace: [0.001, 20, 20]}",
            "problem.x={linspace: [0.001, 140, 20]}",
            "reference.bins=[32, 40, 64]",
        )

    def test_blocks(self):
        """Blocks of 1024 points a rank, the last of which is short."""
        self.check_input(
            "bessel/error_map.yaml",
            "--backend",
            "serial",
            "run.memory_limit=1e-6",
            "problem.precision=single",
            "problem.nu={linspace: [0.5, 20, 61]}",
            "problem.x={linspace: [0.1, 60, 67]}",
            "problem.quantities=[k, dlog_k_dx]",
            "reference.methods=[]",
            "reference.bins=[]",
            least=4,
        )

    def test_fewer_points_than_ranks(self):
        self.check_input(
            "bessel/quickstart.yaml", "--backend", "serial", "problem.nu=1.5", "problem.x=[2, 3]"
        )

    def test_covariances(self):
        self.check_input("bessel/matern.yaml", "--backend", "serial", least=4)

    def test_bounds(self):
        self.check_input(
            "bessel/paper/algorithm1.yaml",
            "--backend",
            "serial",
            "problem.nu={linspace: [0.2, 20, 11]}",
            "problem.x={linspace: [0.1, 140, 13]}",
            "problem.bounds={linspace: [5, 10, 11]}",
            least=1,
        )


if __name__ == "__main__":
    run_cases.main()
