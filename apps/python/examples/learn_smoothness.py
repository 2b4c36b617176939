# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The smoothness of a field, learnt by gradient with its range, variance and noise, in PyTorch:
learn_smoothness.py [PICTURE]"""

import math
import sys

import matplotlib
import numpy as np
import torch

from tessera.torch import matern

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

torch.manual_seed(3)
COUNT, TRUE = 400, {"nu": 0.8, "range": 0.25, "variance": 2.0, "noise": 0.01}
places = 3 * torch.rand(COUNT, 2, dtype=torch.float64)
distance = torch.cdist(places, places, compute_mode="donot_use_mm_for_euclid_dist")


def covariance(nu, reach, variance, noise):
    return variance * matern(distance / reach, nu) + noise * torch.eye(COUNT, dtype=torch.float64)


values = torch.linalg.cholesky(
    covariance(*(torch.tensor(value, dtype=torch.float64) for value in TRUE.values()))
) @ torch.randn(COUNT, dtype=torch.float64)


def loss(logarithms):
    """-log likelihood by the number of values."""
    factor = torch.linalg.cholesky(covariance(*torch.exp(logarithms)))
    whitened = torch.linalg.solve_triangular(factor, values[:, None], upper=False)
    half = torch.log(factor.diagonal()).sum() + 0.5 * COUNT * math.log(2 * math.pi)
    return (half + 0.5 * (whitened**2).sum()) / COUNT


# begins smoother than the field, with nu = 2.5
logarithms = torch.tensor([2.5, 0.1, 1.0, 0.1], dtype=torch.float64).log().requires_grad_()
optimiser = torch.optim.LBFGS([logarithms], max_iter=1, line_search_fn="strong_wolfe")
path = [logarithms.detach().exp().numpy().copy()]


def step():
    optimiser.zero_grad()
    value = loss(logarithms)
    value.backward()
    return value


for _ in range(40):
    optimiser.step(step)
    path.append(logarithms.detach().exp().numpy().copy())
path = np.array(path)
for name, value in zip(TRUE, path[-1]):
    print(f"{name}: {value:.3f} (true {TRUE[name]})")

orders = np.linspace(0.6, 1.3, 29)
likelihoods = []
for nu in orders:  # the likelihood of other orders, the rest as it was learnt
    other = torch.tensor([nu, *path[-1][1:]], dtype=torch.float64).log()
    likelihoods.append(COUNT * (loss(logarithms.detach()) - loss(other)).item())

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for k, name in enumerate(TRUE):
    left.semilogy(path[:, k], color=f"C{k}", label=name)
    left.axhline(TRUE[name], color=f"C{k}", linestyle=":", linewidth=1)
left.set(xlabel="step", ylabel="parameter (dotted: true)")
left.legend(frameon=False)
right.plot(orders, likelihoods, color="C0")
right.axvline(TRUE["nu"], color="k", linestyle=":", label="true")
right.axvline(path[-1][0], color="C0", linestyle="--", label="learnt")
right.set(xlabel="smoothness nu, the rest as learnt", ylabel="log-likelihood")
right.legend(frameon=False)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "learn_smoothness.png", dpi=120)
