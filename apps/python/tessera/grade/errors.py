# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""How far values are from a reference set."""

import numpy as np

from .sets import REST_STEPS

EPSILON = 2.0**-52
SMALLEST = np.finfo(float).tiny  # of normal numbers
LARGEST = np.finfo(float).max
WRONG = 1e-3  # the relative error from which a value counts as wrong


class Errors:
    """Of each value: relative error, error relative to what its inputs' rounding allows, and
    whether it is NaN, or infinite where the reference is not.

    relative: |got - exact| / |exact|, where |exact| counts as 2.2e-308 at least. A result beyond
    doubles is right when it is infinite, or 0.
    conditioned: |got - exact| / (|exact| (1 + condition)), with the condition number sum over
    inputs of |input d value / d input| / |value|.
    """

    def __init__(self, quantity, got):
        value, there = quantity.value, ~np.isnan(quantity.value)
        with np.errstate(all="ignore"):
            finite = np.isfinite(value)
            step = np.where(finite, np.spacing(np.abs(np.where(finite, value, 0))), 0)
            distance = np.abs((got - value) - quantity.rest * (step / REST_STEPS))
            scale = np.maximum(np.abs(value), SMALLEST)
            relative = distance / scale
            # beyond doubles
            beyond = np.isinf(value)
            reached = (np.sign(got) == np.sign(value)) & (np.abs(got) >= LARGEST)
            relative = np.where(beyond, np.where(reached, 0.0, 1.0), relative)
            condition = np.nan_to_num(quantity.condition.astype(float), nan=0.0, posinf=1e38)
            conditioned = np.where(beyond, relative, relative / (1 + condition))
        self.nan = (np.isnan(got) & there)[there]
        self.infinite = (np.isinf(got) & finite & there)[there]
        bad = self.nan | self.infinite
        self.relative = np.where(bad, np.inf, relative[there])
        self.conditioned = np.where(bad, np.inf, conditioned[there])
        self.wrong = (self.relative > WRONG) & ~bad
        self.row = np.nonzero(there)[0]

    def __len__(self):
        return len(self.row)

    def quantile(self, share):
        """The error below which a share of the values lies, in units of 2^-52; infinite where that
        many are NaN or infinite."""
        if not len(self):
            return np.nan
        ordered = np.sort(self.relative)
        return ordered[min(len(ordered) - 1, int(np.ceil(share * len(ordered))) - 1)] / EPSILON

    def worst(self, conditioned=False):
        """(largest finite error in units of 2^-52, row of its point)."""
        errors = self.conditioned if conditioned else self.relative
        if not np.isfinite(errors).any():
            return np.nan, None
        index = np.argmax(np.where(np.isfinite(errors), errors, -1))
        return errors[index] / EPSILON, self.row[index]

    def share_within(self, limit):
        return np.count_nonzero(self.relative <= limit) / len(self) if len(self) else np.nan
