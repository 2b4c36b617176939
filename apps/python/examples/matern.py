# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Matern correlations from rough to smooth, and what the smoothness changes: matern.py [PICTURE]"""

import sys

import matplotlib
import numpy as np

import tessera as ts

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

h = np.linspace(0, 5, 501)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
for nu in (0.3, 0.5, 1.0, 2.5, 10.0):
    left.plot(h, ts.bessel.matern(nu, h), label=f"nu = {nu}")
left.set(xlabel="distance / range", ylabel="correlation")
left.legend(frameon=False)

orders = np.linspace(0, 10, 101)[:, None]
x = np.geomspace(0.01, 100, 201)
shown = right.pcolormesh(
    x, orders[:, 0], ts.bessel.log_k(orders, x), cmap="magma", shading="gouraud", rasterized=True
)
right.set(xscale="log", xlabel="x", ylabel="order nu")
figure.colorbar(shown, label="log K_nu(x)")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "matern.png", dpi=120)
