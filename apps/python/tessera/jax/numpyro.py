# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Distributions of NumPyro, which must be installed."""

import math

import jax.numpy as jnp

try:
    from numpyro import distributions
    from numpyro.distributions import constraints
    from numpyro.distributions.util import promote_shapes, validate_sample
except ImportError:
    raise ImportError(
        "tessera.jax.numpyro needs NumPyro, which is not installed\n"
        "  remedy: pip install numpyro"
    ) from None

from . import stable

__all__ = ["Stable"]


class Stable(distributions.Distribution):
    """An alpha-stable law, with gradients in all parameters.

    alpha, beta, loc, scale: arrays or numbers of shapes that broadcast, 0.1 <= alpha <= 2, -1 <=
    beta <= 1, scale > 0. parameterization: "S0", continuous in all parameters, or "S1", whose loc
    is the mean for alpha > 1.

    Functions, and their accuracy: tessera.jax.stable. mean is NaN for alpha <= 1, variance infinite
    for alpha < 2.
    """

    arg_constraints = {
        "alpha": constraints.interval(0.1, 2.0),
        "beta": constraints.interval(-1.0, 1.0),
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    reparametrized_params = ["alpha", "beta", "loc", "scale"]
    pytree_aux_fields = ("parameterization",)

    def __init__(
        self, alpha, beta, loc=0.0, scale=1.0, *, parameterization="S0", validate_args=None
    ):
        stable.number_of(parameterization)
        self.parameterization = parameterization
        self.alpha, self.beta, self.loc, self.scale = promote_shapes(alpha, beta, loc, scale)
        shapes = (jnp.shape(value) for value in (alpha, beta, loc, scale))
        super().__init__(jnp.broadcast_shapes(*shapes), validate_args=validate_args)

    @property
    def _law(self):
        return self.alpha, self.beta, self.loc, self.scale

    def sample(self, key, sample_shape=()):
        law = [jnp.broadcast_to(value, self.batch_shape) for value in self._law]
        return stable.rsample(key, *law, shape=sample_shape, parameterization=self.parameterization)

    @validate_sample
    def log_prob(self, value):
        return stable.log_prob(value, *self._law, parameterization=self.parameterization)

    def cdf(self, value):
        return stable.cdf(value, *self._law, parameterization=self.parameterization)

    def icdf(self, q):
        return stable.icdf(q, *self._law, parameterization=self.parameterization)

    @property
    def mean(self):
        mean = jnp.broadcast_to(self.loc, self.batch_shape)
        if self.parameterization == "S0":
            mean = mean - self.scale * self.beta * jnp.tan(0.5 * math.pi * self.alpha)
        return jnp.where(self.alpha > 1, mean, jnp.nan)

    @property
    def variance(self):
        variance = jnp.where(self.alpha == 2, 2 * self.scale**2, jnp.inf)
        return jnp.broadcast_to(variance, self.batch_shape)
