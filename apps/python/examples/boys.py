# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Boys functions of the orders 0 to 8, and the recursion that ties them, as a check: boys.py
[PICTURE]"""

import sys

import matplotlib
import numpy as np

import tessera as ts

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

x = np.geomspace(1e-3, 100, 2000)
F = ts.boys.boys(8, x)  # (9, 2000): order first
n = np.arange(8)[:, None]
defect = np.abs((2 * n + 1) * F[:-1] / (2 * x * F[1:] + np.exp(-x)) - 1)
print(f"{F.shape[0]} orders at {F.shape[1]} arguments; the recursion holds to {defect.max():.1e}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
for order, values in enumerate(F):
    left.loglog(x, values, color=plt.get_cmap("viridis")(order / 9), label=f"F_{order}")
left.set(xlabel="x", ylabel="F_n(x)")
left.legend(frameon=False, ncol=2, fontsize=8)
right.loglog(x, defect.max(axis=0) + 1e-17, color="0.3", linewidth=0.5)
right.set(xlabel="x", ylabel="largest relative defect of the recursion", ylim=(1e-17, 1e-13))
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "boys.png", dpi=120)
