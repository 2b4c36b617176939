# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Distributions of torch.distributions."""

import math

import torch
from torch.distributions import constraints
from torch.distributions.utils import broadcast_all

from . import stable

__all__ = ["Stable"]


class Stable(torch.distributions.Distribution):
    """An alpha-stable law, with gradients in all parameters.

    alpha, beta, loc, scale: tensors or numbers of shapes that broadcast, 0.1 <= alpha <= 2, -1 <=
    beta <= 1, scale > 0. parameterization: "S0", continuous in all parameters, or "S1", whose loc
    is the mean for alpha > 1. generator of samples: that of torch (torch.manual_seed).

    Functions, and their accuracy: tessera.torch.stable. Laws out of range, which validate_args
    refuses, give NaN without it. support: all numbers; where alpha < 1 and
    |beta| = 1 the density is 0 on one side. mean is NaN for alpha <= 1, variance infinite for alpha
    < 2.
    """

    arg_constraints = {
        "alpha": constraints.interval(0.1, 2.0),
        "beta": constraints.interval(-1.0, 1.0),
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True

    def __init__(
        self, alpha, beta, loc=0.0, scale=1.0, *, parameterization="S0", validate_args=None
    ):
        stable._number(parameterization)
        self.parameterization = parameterization
        self.alpha, self.beta, self.loc, self.scale = broadcast_all(alpha, beta, loc, scale)
        super().__init__(self.alpha.shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Stable, _instance)
        batch_shape = torch.Size(batch_shape)
        new.parameterization = self.parameterization
        for name in self.arg_constraints:
            setattr(new, name, getattr(self, name).expand(batch_shape))
        super(Stable, new).__init__(batch_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def _law(self):
        return self.alpha, self.beta, self.loc, self.scale

    @property
    def mean(self):
        mean = self.loc
        if self.parameterization == "S0":
            mean = mean - self.scale * self.beta * torch.tan(0.5 * math.pi * self.alpha)
        return torch.where(self.alpha > 1, mean, torch.full_like(mean, math.nan))

    @property
    def variance(self):
        infinite = torch.full_like(self.scale, math.inf)
        return torch.where(self.alpha == 2, 2 * self.scale**2, infinite)

    def _of(self, function, *arguments):
        """A function of the law; NaN of laws out of range, which no validation has refused."""
        alpha, beta, loc, scale = self._law
        inside = (alpha >= 0.1) & (alpha <= 2) & (abs(beta) <= 1)
        if bool(inside.all()):
            return function(*arguments, *self._law, parameterization=self.parameterization)
        law = torch.where(inside, alpha, torch.ones_like(alpha)), torch.where(
            inside, beta, torch.zeros_like(beta)
        )
        found = function(*arguments, *law, loc, scale, parameterization=self.parameterization)
        return torch.where(inside, found, math.nan * (alpha + beta).to(found.dtype))

    def rsample(self, sample_shape=torch.Size()):
        def draw(*law, **options):
            return stable.rsample(*law, torch.Size(sample_shape), **options)

        return self._of(draw)

    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            return self.rsample(sample_shape)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self._of(stable.log_prob, value)

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self._of(stable.cdf, value)

    def icdf(self, value):
        return self._of(stable.icdf, value)
