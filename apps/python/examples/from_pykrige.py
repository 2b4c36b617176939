# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Kriging as a script of PyKrige does it, whose import is the one line that changes:
from_pykrige.py [PICTURE]"""

import sys

import matplotlib
import numpy as np

# from pykrige import UniversalKriging
from tessera.kriging import UniversalKriging

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

random = np.random.default_rng(3)
x, y = random.random((2, 250))
z = 3 * x + np.sin(7 * x) * np.cos(5 * y) + 0.1 * random.standard_normal(250)
gridx, gridy = np.linspace(0, 1, 81), np.linspace(0, 1, 61)

kriging = UniversalKriging(
    x, y, z, variogram_model="exponential", drift_terms=["regional_linear"], exact_values=False
)
values, variances = kriging.execute("grid", gridx, gridy)
print("partial sill, range, nugget:", np.round(kriging.variogram_model_parameters, 3))

figure, axes = plt.subplots(1, 3, figsize=(12, 3.2), layout="constrained")
axes[0].plot(kriging.lags, kriging.semivariance, "o", label="sample")
lags = np.linspace(0, kriging.lags.max(), 200)
model = kriging.variogram_function(kriging.variogram_model_parameters, lags)
axes[0].plot(lags, model, label="model")
axes[0].set(xlabel="distance", title="variogram")
axes[0].legend(frameon=False)
for axis, field, title in zip(axes[1:], (values, np.sqrt(variances)), ("kriging", "deviation")):
    figure.colorbar(axis.pcolormesh(gridx, gridy, field, shading="gouraud", rasterized=True))
    axis.plot(x, y, "k.", markersize=1.5)
    axis.set(title=title, aspect="equal")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "from_pykrige.png", dpi=120)
