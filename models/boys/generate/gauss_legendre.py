#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the Gauss-Legendre rule with which Rys quadrature on a part of [0, 1] replaces its integrals. Needs mpmath (seconds).

    ./gauss_legendre.py                  into ../tessera/boys/function/coefficients_gauss_legendre.hpp
    ./gauss_legendre.py --check FILE     compares FILE with newly computed numbers

The points are distances from the lower end of an interval of length 1, the weights add up to 1.
"""

import argparse
import pathlib
import re
import sys

from mpmath import mp, mpf

POINTS = 128
FILE = pathlib.Path(__file__).parents[1] / "tessera/boys/function/coefficients_gauss_legendre.hpp"


def rule(count):
    """Points in (0, 1), ascending, and their weights, by Newton's method on the Legendre polynomial."""
    points, weights = [], []
    for i in range(count, 0, -1):
        x = mp.cos(mp.pi * (i - mpf(1) / 4) / (count + mpf(1) / 2))
        for _ in range(12):
            before, now = mpf(1), x
            for k in range(2, count + 1):
                before, now = now, ((2 * k - 1) * x * now - (k - 1) * before) / k
            slope = count * (x * now - before) / (x * x - 1)
            x -= now / slope
        points.append((1 + x) / 2)
        weights.append(1 / ((1 - x * x) * slope**2))
    return points, weights


def text():
    points, weights = rule(POINTS)
    assert abs(mp.fsum(weights) - 1) < mpf("1e-50")

    def numbers(values):
        rows = [
            ", ".join(repr(float(v)) for v in values[i : i + 4]) for i in range(0, len(values), 4)
        ]
        return ",\n    ".join(rows)

    return f"""// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
// Written by models/boys/generate/gauss_legendre.py; do not edit.
// clang-format off
#pragma once

namespace tessera::boys::detail {{

/// The Gauss-Legendre rule on [0, 1]: distances from 0, and the first half of the weights, which are symmetric.
struct GaussLegendre {{
  static constexpr int points = {POINTS};
  double point[points] = {{
    {numbers(points)}}};
  double weight[points / 2] = {{
    {numbers(weights[: POINTS // 2])}}};
}};

}}  // namespace tessera::boys::detail
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", metavar="FILE", type=pathlib.Path)
    arguments = parser.parse_args()
    mp.dps = 60
    if not arguments.check:
        FILE.write_text(text(), encoding="utf-8")
        return 0
    found = re.findall(r"[\d.]+(?:e-\d+)?(?=[,}])", arguments.check.read_text("utf-8"))
    wanted = re.findall(r"[\d.]+(?:e-\d+)?(?=[,}])", text())
    return 0 if found == wanted else "the file has other numbers"


if __name__ == "__main__":
    sys.exit(main())
