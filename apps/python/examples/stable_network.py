# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""A neural network whose errors follow a stable law: location and scale are its outputs, and the
law's alpha and beta are learnt with its weights: stable_network.py [PICTURE]"""

import sys

import matplotlib
import torch

from tessera.torch.distributions import Stable

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

torch.manual_seed(1)
torch.set_default_dtype(torch.float64)
x = torch.linspace(-3, 3, 600)[:, None]
truth = torch.sin(2 * x[:, 0])
y = Stable(1.4, 0.5, truth, 0.1 + 0.1 * x[:, 0].abs()).sample()


def network():
    return torch.nn.Sequential(
        torch.nn.Linear(1, 24), torch.nn.Tanh(), torch.nn.Linear(24, 24), torch.nn.Tanh(),
        torch.nn.Linear(24, 2),
    )  # fmt: skip


class StableErrors(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.of_x, self.shape = network(), torch.nn.Parameter(torch.zeros(2))

    def law(self, at):
        loc, log_scale = self.of_x(at).T
        alpha = 0.5 + 1.49 * torch.sigmoid(self.shape[0])
        return Stable(alpha, 0.99 * torch.tanh(self.shape[1]), loc, torch.exp(log_scale))


class NormalErrors(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.of_x = network()

    def law(self, at):
        loc, log_scale = self.of_x(at).T
        return torch.distributions.Normal(loc, torch.exp(log_scale))


def train(model, steps=500):
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        optimiser.zero_grad()
        loss = -model.law(x).log_prob(y).mean()
        loss.backward()
        optimiser.step()
    return model.law(x), loss.item()


figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
for axis, model in zip(axes, (NormalErrors(), StableErrors())):
    law, loss = train(model)
    loc, scale = law.loc.detach(), law.scale.detach()
    name = "normal" if isinstance(model, NormalErrors) else "stable"
    error = (loc - truth).abs().mean().item()
    print(f"{name} errors: loss {loss:.3f}, mean error of the location {error:.3f}")
    if name == "stable":
        print(
            f"alpha {law.alpha[0].item():.3f} (true 1.4), beta {law.beta[0].item():.3f} (true 0.5)"
        )
    axis.plot(x[:, 0], y, "k.", markersize=2)
    axis.plot(x[:, 0], truth, "k--", linewidth=1, label="true location")
    axis.plot(x[:, 0], loc, color="C3", label="learnt")
    axis.fill_between(x[:, 0], loc - scale, loc + scale, color="C3", alpha=0.25, label="scale")
    axis.set(title=f"{name} errors", xlabel="x", ylim=(-4, 4))
axes[0].legend(frameon=False)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "stable_network.png", dpi=120)
