# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What the tests of tessera-mpr share."""

import numpy as np

from cli_support import CommandLineTest, arrays

FILL = """\
app: mpr
input: {file: data.npy}
"""


def smooth(rows=60, columns=80):
    y, x = np.mgrid[0:rows, 0:columns]
    return 10 + np.sin(0.15 * x) + np.cos(0.11 * y) + 0.3 * np.sin(0.9 * x + 0.7 * y)


def with_gaps(values, share=0.3, seed=1):
    """A share of the values replaced by NaN; which ones."""
    mask = np.random.default_rng(seed).random(values.shape) < share
    data = values.copy()
    data[mask] = np.nan
    return data, mask


class MprTest(CommandLineTest):
    def save(self, name, array):
        np.save(self.path(name), array)

    def fill(self, text=FILL, *arguments, name="run", **options):
        """The results of a run; how it ended is in `outcome`."""
        self.write(f"{name}.yaml", text)
        self.outcome = self.succeed(f"{name}.yaml", "-q", "--force", *arguments, **options)
        return {
            key.removeprefix("results/"): value
            for key, value in arrays(self.path(f"{name}.h5")).items()
        }

    def refuse(self, status, text, *phrases):
        self.write("run.yaml", text)
        self.assert_mentions(self.call("run.yaml", "-q", "--force"), status, *phrases)
