# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gbees with scheme: legacy, whose steps have one length and whose cells grow all ways."""

import numpy as np

import run_cases
from cli_support import CommandLineTest

LORENZ = """\
app: gbees
model: {name: lorenz63}
grid: {spacing: [0.5, 0.5, 0.5], threshold: 5.0e-6, scheme: %s}
initial: {mean: [-11.5, -10, 9.5], standard_deviation: [1, 1, 1]}
time: {end: 0.1, records: 2, longest_step: %s}
"""
TOO_LONG = "the flow crosses a cell in less than the step"


class Legacy(CommandLineTest):
    def test_steps_of_one_length(self):
        found = self.arrays_of(LORENZ % ("legacy", 0.00085))
        # 0.05 = 58 steps of 0.00085, and one to the record
        np.testing.assert_allclose(found["series/dt"][:58], 0.00085, rtol=1e-12)
        self.assertEqual(len(found["series/dt"]), 2 * 59)
        cells = found["series/cells_existing"]
        directional = self.arrays_of(LORENZ % ("reference", 0.00085))
        self.assertGreater(cells[-1], 1.2 * directional["series/cells_existing"][-1])

    def test_step_that_the_flow_bounds(self):
        self.write("input.yaml", LORENZ % ("legacy", 0.005))
        self.assertIn(TOO_LONG, self.succeed("input.yaml", "-q").err)
        outcome = self.succeed("input.yaml", "-q", "--force", "time.longest_step=0.00085")
        self.assertNotIn(TOO_LONG, outcome.err)

    def test_study(self):
        found = self.arrays_of(
            LORENZ % ("reference", 1),
            "study.cfl=[1, 0.5]",
            "study.reference_cfl=0.05",
            "study.legacy_steps=[0.00085]",
        )
        np.testing.assert_array_equal(found["results/study/legacy_step"], [0, 0, 0, 0.00085])
        self.assertGreater(found["results/study/bhattacharyya"][3], 0.99)
        np.testing.assert_array_equal(found["results/study/steps"][3], 2 * 59)

    def test_refusals(self):
        without = (LORENZ % ("legacy", 1)).replace(", longest_step: 1", "")
        self.refuses(without, "missing required key 'longest_step' in 'time'")
        for study, phrase in (
            ("legacy_steps: [0.001]", "'legacy_steps' needs 'cfl'"),
            ("cfl: [1], legacy_steps: [0]", "legacy_steps"),
        ):
            self.refuses(LORENZ % ("reference", 1) + "study: {%s}\n" % study, phrase)
        self.refuses(
            LORENZ % ("conservative", 1) + "study: {cfl: [1], legacy_steps: [0.001]}\n",
            "'scheme: reference'",
        )


if __name__ == "__main__":
    run_cases.main()
