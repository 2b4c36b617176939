# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Daily returns with heavy tails: a stable law is fitted, and says how bad a bad day is: returns.py
[PICTURE]"""

import sys

import matplotlib
import numpy as np

import tessera as ts

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

returns = ts.stable.rvs(1.7, -0.2, loc=0.05, scale=0.6, size=2500, random_state=11)  # in per cent
law = ts.stable.fit(returns)
print(f"alpha {law.alpha:.3f}, 95 % interval {np.round(law.interval('alpha'), 3)}")
print(f"1 % of all days are below {law.quantile(0.01):.2f} %")
normal = ts.stable.Law(2, 0, returns.std() / np.sqrt(2), returns.mean())

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
x = np.linspace(-6, 6, 3000)
left.hist(returns, bins=np.linspace(-6, 6, 61), density=True, color="0.85")
left.plot(x, law.pdf(x), color="C3", label="stable law")
left.plot(x, normal.pdf(x), color="C0", linewidth=1, label="normal law")
left.set(xlabel="return [%]", ylabel="density")
left.legend(frameon=False)

loss = np.geomspace(0.5, 60, 200)
days = np.sort(-returns)[::-1]
right.loglog(
    days[days > 0.5],
    (np.arange(days.size)[days > 0.5] + 0.5) / days.size,
    ".",
    color="0.6",
    label="days",
)
right.loglog(loss, law.cdf(-loss), color="C3")
right.loglog(loss, normal.cdf(-loss), color="C0", linewidth=1)
right.set(xlabel="loss [%]", ylabel="share of days with a greater loss", ylim=(1e-5, 1))
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "returns.png", dpi=120)
