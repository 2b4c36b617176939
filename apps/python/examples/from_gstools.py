# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Ordinary kriging and a random field of GSTools, whose import is the one line that changes:
from_gstools.py [PICTURE]"""

import sys

import gstools as gs
import matplotlib
import numpy as np

# from gstools import SRF; from gstools.krige import Ordinary
from tessera.gstools import SRF, Ordinary

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

model = gs.Matern(dim=2, var=1.0, len_scale=[12.0, 4.0], angles=0.5, nu=1.3, nugget=0.02)
random = np.random.default_rng(2)
x, y = random.uniform(0, 40, 300), random.uniform(0, 30, 300)
values = SRF(model, mean=5.0, seed=7)((x, y))  # drawn from the covariance itself
grid = np.linspace(0, 40, 81), np.linspace(0, 30, 61)
field, variance = Ordinary(model, (x, y), values)(grid, mesh_type="structured")
print(
    f"values {values.min():.2f} to {values.max():.2f}, largest deviation {variance.max()**0.5:.2f}"
)

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for axis, shown, title in zip(axes, (field, np.sqrt(variance)), ("field", "standard deviation")):
    image = axis.pcolormesh(*grid, shown.T, shading="gouraud", rasterized=True)
    axis.plot(x, y, "k.", markersize=1)
    axis.set(title=title, aspect="equal")
    figure.colorbar(image, ax=axis)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "from_gstools.png", dpi=120)
