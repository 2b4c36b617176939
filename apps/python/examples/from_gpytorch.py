# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""A regression of GPyTorch, whose kernel is the one line that changes; its smoothness is trained,
too: from_gpytorch.py [PICTURE]"""

import sys

import gpytorch
import matplotlib
import torch

from tessera.torch.gpytorch import MaternNu

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

torch.manual_seed(4)
torch.set_default_dtype(torch.float64)
x = torch.rand(150).sort().values
y = torch.sin(9 * x).abs() + 0.05 * torch.randn(150)


class Regression(gpytorch.models.ExactGP):
    def __init__(self, likelihood):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        # self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5))
        self.covar_module = gpytorch.kernels.ScaleKernel(MaternNu(nu=2.5))

    def forward(self, at):
        return gpytorch.distributions.MultivariateNormal(
            self.mean_module(at), self.covar_module(at)
        )


likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = Regression(likelihood)
optimiser = torch.optim.Adam(model.parameters(), lr=0.05)
marginal = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
path = []
for _ in range(200):
    optimiser.zero_grad()
    loss = -marginal(model(x), y)
    loss.backward()
    optimiser.step()
    path.append(model.covar_module.base_kernel.nu.item())
print(f"smoothness {path[-1]:.2f}, noise {likelihood.noise.item() ** 0.5:.3f} (true 0.05)")

model.eval()
likelihood.eval()
at = torch.linspace(-0.1, 1.1, 300)
with torch.no_grad():
    found = model(at)
    mean, std = found.mean, found.stddev
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.plot(x, y, "k.", markersize=3)
left.plot(at, mean)
left.fill_between(at, mean - 2 * std, mean + 2 * std, alpha=0.25)
left.set(xlabel="x", ylabel="y")
right.plot(path)
right.set(xlabel="step", ylabel="smoothness nu")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "from_gpytorch.png", dpi=120)
