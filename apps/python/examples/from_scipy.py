# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""A study of heavy tails as a script of SciPy does it, whose import is the one line that changes:
from_scipy.py [PICTURE]"""

import sys

import matplotlib
import numpy as np

# from scipy.stats import levy_stable
from tessera.stable import levy_stable

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

sample = levy_stable.rvs(1.6, 0.4, loc=1, scale=2, size=2000, random_state=np.random.default_rng(4))
free = levy_stable.fit(sample)
symmetric = levy_stable.fit(sample, fix_beta=0, floc=np.median(sample))
print("alpha, beta, loc, scale:", np.round(free, 3), "symmetric:", np.round(symmetric, 3))
law = levy_stable(*free)
low, high = law.interval(0.95)
print(f"95 % lie between {low:.2f} and {high:.2f}, entropy {law.entropy():.4f}")

x = np.linspace(-15, 20, 1000)
figure, axis = plt.subplots(figsize=(7, 3.2), layout="constrained")
axis.hist(sample, bins=np.linspace(-15, 20, 71), density=True, color="0.85")
axis.plot(x, law.pdf(x), label="fit")
axis.plot(x, levy_stable.pdf(x, *symmetric), "--", label="symmetric fit")
axis.axvspan(low, high, alpha=0.08, label="95 %")
axis.set(xlabel="x", ylabel="density")
axis.legend(frameon=False)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "from_scipy.png", dpi=120)
