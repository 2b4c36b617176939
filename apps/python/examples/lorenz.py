# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""An uncertain state of Lorenz '63 spreads over the attractor, is measured, and spreads again:
lorenz.py [PICTURE]"""

import sys

import matplotlib

import tessera as ts

matplotlib.use("Agg")

density = ts.gbees.run(
    {
        "model": {"name": "lorenz63"},
        "grid": {"spacing": [0.5, 0.5, 0.5], "threshold": 5.0e-6},
        "initial": {"mean": [-11.5, -10.0, 9.5], "standard_deviation": [1.0, 1.0, 1.0]},
        "measurements": [{"time": 1.0, "variable": "z", "value": -8.0, "variance": 1.0}],
        "time": {"end": 2.0, "records": 4},
        "output": {"cells": True},
    }
)
print(density)
for time, mean in zip(density.time, density.mean):
    print(f"t = {time:.2f}: mean {mean.round(2)}")
density.plot(output=sys.argv[1] if len(sys.argv) > 1 else "lorenz.png")
