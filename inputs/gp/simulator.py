#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Makes simulator.csv, the runs of a computer model that simulator.yaml emulates: the flow of water
(m^3 a year) through a borehole between two aquifers (Morris, Mitchell and Ylvisaker, Technometrics
35, 1993), at 400 points of a Latin hypercube of its eight inputs and of two more that it does not
use.

    simulator.py > simulator.csv
    simulator.py 1000000 runs.npy       more runs, inputs in the unit cube; needs numpy
"""
import math
import random
import sys

# radius of the hole and of its influence (m), transmissivity (m^2 a year) and head (m) of the upper
# aquifer, the same of the lower one, length of the hole (m), its hydraulic conductivity (m a year)
INPUTS = {
    "radius": (0.05, 0.15),
    "influence": (100, 50000),
    "upper_flow": (63070, 115600),
    "upper_head": (990, 1110),
    "lower_flow": (63.1, 116),
    "lower_head": (700, 820),
    "length": (1120, 1680),
    "conductivity": (9855, 12045),
    "temperature": (5, 25),
    "year": (1990, 2020),
}
RUNS = 400


def flow(
    radius,
    influence,
    upper_flow,
    upper_head,
    lower_flow,
    lower_head,
    length,
    conductivity,
    log=math.log,
):
    logarithm = log(influence / radius)
    losses = 2 * length * upper_flow / (logarithm * radius**2 * conductivity)
    return (
        2
        * math.pi
        * upper_flow
        * (upper_head - lower_head)
        / (logarithm * (1 + losses + upper_flow / lower_flow))
    )


def main():
    numbers = random.Random(20260)
    columns = []
    for low, high in INPUTS.values():
        steps = list(range(RUNS))
        numbers.shuffle(steps)
        columns.append([low + (high - low) * (step + numbers.random()) / RUNS for step in steps])
    print(",".join(INPUTS) + ",flow")
    for row in zip(*columns):
        values = [float(f"{x:.6g}") for x in row]
        print(",".join(f"{x:.6g}" for x in values) + f",{flow(*values[:8]):.8g}")


def many(runs, file):
    """Saves random runs: columns of the ten inputs, each from 0 to 1, and the flow, standardised."""
    import numpy as np

    unit = np.random.default_rng(20260).random((runs, len(INPUTS)))
    low, high = np.array(list(INPUTS.values()), float).T
    flows = flow(*(low + (high - low) * unit).T[:8], log=np.log)
    np.save(file, np.column_stack([unit, (flows - flows.mean()) / flows.std()]))


if __name__ == "__main__":
    if len(sys.argv) == 3:
        many(int(sys.argv[1]), sys.argv[2])
    elif len(sys.argv) == 1:
        main()
    else:
        raise SystemExit(__doc__)
