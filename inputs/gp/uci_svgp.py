#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The stochastic variational Gaussian process of GPyTorch on the data that uci.py makes, to hold
tessera-gp against.

    uci.py convert FOLDER/kin40k        writes kin40k.npy
    uci_svgp.py kin40k.npy [EPOCHS]     RMSE, NLPD and coverage of what is held out, and the time

The settings are those of Wang et al., *Exact Gaussian processes on a million data points* (NeurIPS
2019): 1024 inducing points, Matern 3/2 with a range for each input, Adam with a rate of 0.01, 100
epochs of batches of 1024. Needs numpy, torch and gpytorch; a GPU where torch finds one.
"""
import sys
import time

import gpytorch
import numpy as np
import torch

INDUCING = 1024
BATCH = 1024


class VariationalProcess(gpytorch.models.ApproximateGP):
    def __init__(self, inducing):
        distribution = gpytorch.variational.CholeskyVariationalDistribution(len(inducing))
        super().__init__(gpytorch.variational.VariationalStrategy(self, inducing, distribution))
        self.mean = gpytorch.means.ConstantMean()
        kernel = gpytorch.kernels.MaternKernel(nu=1.5, ard_num_dims=inducing.shape[1])
        self.covariance = gpytorch.kernels.ScaleKernel(kernel)

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.covariance(x))


def train(inputs, outputs, epochs):
    torch.manual_seed(1)
    process = VariationalProcess(inputs[torch.randperm(len(inputs))[:INDUCING]]).to(inputs.device)
    likelihood = gpytorch.likelihoods.GaussianLikelihood().to(inputs.device)
    bound = gpytorch.mlls.VariationalELBO(likelihood, process, len(inputs))
    parameters = [*process.parameters(), *likelihood.parameters()]
    optimiser = torch.optim.Adam(parameters, lr=0.01)
    for _ in range(epochs):
        order = torch.randperm(len(inputs), device=inputs.device)
        for batch in order.split(BATCH):
            optimiser.zero_grad()
            loss = -bound(process(inputs[batch]), outputs[batch])
            loss.backward()
            optimiser.step()
    return process.eval(), likelihood.eval()


def predict(process, likelihood, inputs):
    with torch.no_grad():
        laws = [likelihood(process(batch)) for batch in inputs.split(BATCH)]
    mean = torch.cat([law.mean for law in laws]).double()
    return mean, torch.cat([law.variance for law in laws]).double()


def main(name, epochs):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = np.load(name)
    held_out = data[:, -1] == 1
    tensor = torch.tensor(data[:, :-1], dtype=torch.float32, device=device)
    training, test = tensor[~held_out], tensor[held_out]
    begin = time.perf_counter()
    process, likelihood = train(training[:, :-1].contiguous(), training[:, -1], epochs)
    mean, variance = predict(process, likelihood, test[:, :-1].contiguous())
    error = test[:, -1].double() - mean
    nlpd = 0.5 * (torch.log(2 * torch.pi * variance) + error**2 / variance).mean()
    coverage = (error.abs() < 1.959964 * variance.sqrt()).double().mean()
    print(
        f"{name}: RMSE {error.square().mean().sqrt():.4f}, NLPD {nlpd:.4f}, "
        f"coverage of 95 % intervals {coverage:.4f}, {time.perf_counter() - begin:.1f} s ({device})"
    )


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 100)
