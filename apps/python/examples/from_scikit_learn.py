# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""A regression of scikit-learn, whose import is the one line that changes; the smoothness of the
field is fitted, too: from_scikit_learn.py [PICTURE]"""

import sys

import matplotlib
import numpy as np
from sklearn.gaussian_process.kernels import WhiteKernel

# from sklearn.gaussian_process import GaussianProcessRegressor
from tessera.sklearn import GaussianProcessRegressor, Matern

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

random = np.random.default_rng(5)
x = np.sort(random.random(120))[:, None]
y = np.abs(np.sin(9 * x[:, 0])) + 0.05 * random.standard_normal(120)

kernel = 1.0 * Matern(0.2, nu=1.5, nu_bounds=(0.1, 10)) + WhiteKernel(0.01)
regressor = GaussianProcessRegressor(kernel).fit(x, y)
print(regressor.kernel_)
at = np.linspace(-0.1, 1.1, 400)[:, None]
mean, std = regressor.predict(at, return_std=True)

figure, axis = plt.subplots(figsize=(7, 3.2), layout="constrained")
axis.plot(x[:, 0], y, "k.", markersize=4, label="observations")
axis.plot(at[:, 0], mean, color="C0", label="prediction")
axis.fill_between(at[:, 0], mean - 2 * std, mean + 2 * std, alpha=0.25, label="two deviations")
axis.set(xlabel="x", ylabel="y")
axis.legend(frameon=False)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "from_scikit_learn.png", dpi=120)
