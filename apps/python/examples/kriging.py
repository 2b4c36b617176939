# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""A map with error bars from 300 noisy observations: kriging.py [PICTURE]"""

import sys

import matplotlib
import numpy as np

import tessera as ts

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

random = np.random.default_rng(3)
xy = random.random((300, 2))
z = np.sin(7 * xy[:, 0]) * np.cos(5 * xy[:, 1]) + 0.1 * random.standard_normal(300)

process = ts.gp.fit(xy, z, covariance={"family": "matern32", "nugget": 0.02})
print(process)
side = np.linspace(0, 1, 60)
targets = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
found = process.predict(targets)
print(process.cross_validate(folds=10, seed=1))

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for axis, values, title in zip(
    axes, (found.mean, found.std), ("prediction", "its standard deviation")
):
    shown = axis.pcolormesh(
        side, side, values.reshape(60, 60).T, cmap="viridis", shading="gouraud", rasterized=True
    )
    axis.plot(*xy.T, "k.", markersize=1.5)
    axis.set(title=title, aspect="equal")
    figure.colorbar(shown)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "kriging.png", dpi=120)
