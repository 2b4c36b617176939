# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Alpha-stable laws of jax's arrays, with gradients in the point and in all four parameters.

    from tessera.jax import stable

    loss = -stable.log_prob(x, alpha, beta, loc, scale).mean()

Arguments are arrays or numbers of shapes that broadcast: 0.1 <= alpha <= 2, -1 <= beta <= 1, loc
and scale > 0 in the units of x. parameterization: "S0", continuous in all parameters, or "S1",
whose loc is the mean for alpha > 1. Results have the shape and the precision of the arguments; laws
are computed in double. Laws out of range give NaN.

Accuracy of gradients in double: 1e-9 (1 + their size), log_prob and cdf against values of 50
digits.

Source: models/stable/METHOD.md of Tessera.
"""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from .. import _tessera
from . import _calls, _smooth

__all__ = ["cdf", "icdf", "log_prob", "rsample"]

_PARAMETERIZATIONS = ("S0", "S1")
_LOG_PDF, _CDF = 1, 2  # of _tessera.stable
_OF_LOG_PDF, _OF_CDF = 0, 1  # of _tessera.stable_derivatives
_NEAREST = 1e-3  # to alpha = 2 and |beta| = 1, where derivatives change the faster the nearer


def number_of(parameterization):
    if parameterization not in _PARAMETERIZATIONS:
        raise _tessera.InputError(
            f"unknown parameterization {parameterization!r}\n  remedy: choose S0 or S1"
        )
    return _PARAMETERIZATIONS.index(parameterization)


def _log_gamma(values):
    return np.vectorize(lambda v: math.lgamma(v) if v > 0 else math.nan, otypes=[float])(values)


def _is_no_law(alpha, beta):
    """Whether one law for all elements is out of range, which the library refuses."""
    one = isinstance(alpha, float) and isinstance(beta, float)
    return one and not (0.1 <= alpha <= 2 and -1 <= beta <= 1)


def _no_values(results, *arguments):
    shape = np.broadcast_shapes(*(np.shape(argument) for argument in arguments))
    return (np.full(shape, math.nan),) * results


def _is_law(_, alpha, beta):
    return not _is_no_law(alpha, beta)


class _Standard(_smooth.Rule):
    """log pdf or cdf of a standard law, of (x, alpha, beta); settings: whether it is log pdf, and
    the number of the parameterization."""

    step = 0.007  # light tails next to alpha = 1 change faster than the lengths say

    def on_device(self, x, alpha, beta):
        return _is_law(x, alpha, beta)

    def value(self, x, alpha, beta, out):
        is_log_pdf, parameterization = self.settings
        which = _LOG_PDF if is_log_pdf else _CDF
        if _is_no_law(alpha, beta):
            return _no_values(1, x)
        return _tessera.stable(which, x, alpha, beta, 0.0, 1.0, parameterization, out, None)

    def found(self, x, alpha, beta, out):
        is_log_pdf, parameterization = self.settings
        what = _OF_LOG_PDF if is_log_pdf else _OF_CDF
        if _is_no_law(alpha, beta):
            return _no_values(4, x)
        return _tessera.stable_derivatives(what, x, alpha, beta, parameterization, out, None)

    def partials(self, value, in_x, in_alpha, in_beta):
        if self.settings[0]:
            return value, in_x, in_alpha, in_beta
        return value, in_x, -in_alpha, -in_beta  # found: those of the upper tail

    def lengths(self, x, alpha, beta):
        """Below alpha = 1 the density is steep next to zeta, which moves with S0's parameters."""
        x, alpha, beta = np.broadcast_arrays(x, alpha, beta)
        in_x = 1 + 0.3 * np.abs(x)
        in_alpha = np.minimum(alpha, np.maximum(2 - alpha, _NEAREST))
        in_beta = np.maximum(1 - np.abs(beta), _NEAREST)
        tangent = np.tan(0.5 * math.pi * alpha)
        zeta = -beta * tangent if self.settings[1] == 0 else 0.0
        with np.errstate(all="ignore"):
            width = 0.3 * np.exp(_log_gamma(1 / alpha) - _log_gamma(2 / alpha))
        near = np.where(alpha < 1, width + 0.5 * np.abs(x - zeta), math.inf)
        in_x = np.minimum(in_x, near)
        if self.settings[1] == 1:
            return in_x, np.minimum(in_alpha, np.abs(alpha - 1)), in_beta
        moved = np.abs(beta) * 0.5 * math.pi * (1 + tangent**2)
        in_alpha = np.minimum(in_alpha, np.maximum(near / (1 + moved), 0.05 * in_alpha))
        in_beta = np.minimum(in_beta, np.maximum(near / (1 + np.abs(tangent)), 0.05 * in_beta))
        return in_x, in_alpha, in_beta

    def bounds(self):
        return (-math.inf, math.inf), (0.1, 2), (-1, 1)


def _shift(alpha, beta, scale, which):
    """What loc of S1 at alpha = 1 lacks of the location of the standard law, in units of scale."""
    if which == 0:
        return 0.0
    return jnp.where(alpha == 1, beta * (2 / math.pi) * jnp.log(scale), 0.0)


def _evaluate(is_log_pdf, x, alpha, beta, loc, scale, parameterization):
    which = number_of(parameterization)
    x, alpha, beta, loc, scale = _calls.alike(x, alpha, beta, loc, scale)
    standard = (x - loc) / scale - _shift(alpha, beta, scale, which)
    standard = jnp.where(scale > 0, standard, jnp.nan)
    return _smooth.apply(_Standard(is_log_pdf, which), standard, alpha, beta), scale


def log_prob(x, alpha, beta, loc=0.0, scale=1.0, *, parameterization="S0"):
    """log of the density at x, with gradients, also second ones: to 1e-9 where parameters are not
    next to the ends of their ranges; NaN at alpha = 1 in S1. Outside the support it is -infinity,
    and its gradient NaN."""
    value, scale = _evaluate(True, x, alpha, beta, loc, scale, parameterization)
    return value - jnp.log(scale)


def cdf(x, alpha, beta, loc=0.0, scale=1.0, *, parameterization="S0"):
    """P(X <= x), with gradients, also second ones, as log_prob()."""
    return _evaluate(False, x, alpha, beta, loc, scale, parameterization)[0]


def _of_cdf(parameterization, x, alpha, beta, out):
    if _is_no_law(alpha, beta):
        return _no_values(4, x)
    return _tessera.stable_derivatives(_OF_CDF, x, alpha, beta, parameterization, out, None)


def _implicit(x, alpha, beta, parameterization):
    """(pdf, dx/dalpha, dx/dbeta) at the x that keeps its probability as the law changes."""
    call = _calls.Call(_of_cdf, parameterization, results=4, on_device=_is_law)
    _, pdf, in_alpha, in_beta = _calls.evaluate(call, x, alpha, beta)
    return pdf, in_alpha / pdf, in_beta / pdf


def _of_quantile(parameterization, p, alpha, beta, out):
    if _is_no_law(alpha, beta):
        return _no_values(1, p)
    return _tessera.stable_quantile(p, alpha, beta, 0.0, 1.0, parameterization, out, None)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _quantile(which, p, alpha, beta):
    call = _calls.Call(_of_quantile, which, on_device=_is_law)
    return _calls.evaluate(call, p, alpha, beta)[0]


@_quantile.defjvp
def _quantile_jvp(which, primals, tangents):
    p, alpha, beta = primals
    x = _quantile(which, p, alpha, beta)
    pdf, in_alpha, in_beta = _implicit(x, alpha, beta, which)
    return x, tangents[0] / pdf + in_alpha * tangents[1] + in_beta * tangents[2]


def icdf(p, alpha, beta, loc=0.0, scale=1.0, *, parameterization="S0"):
    """The x with P(X <= x) = p, with gradients in p and the parameters, 1/pdf and -dP/dalpha / pdf;
    first ones only. p outside (0, 1) gives NaN."""
    which = number_of(parameterization)
    p, alpha, beta, loc, scale = _calls.alike(p, alpha, beta, loc, scale)
    return loc + scale * (_quantile(which, p, alpha, beta) + _shift(alpha, beta, scale, which))


def _of_draw(alpha, beta, u1, u2, out):
    if _is_no_law(alpha, beta):
        return _no_values(1, u1, u2)
    return _tessera.stable_transform(alpha, beta, u1, u2, out, None)


def _draws(alpha, beta, *_):
    return not _is_no_law(alpha, beta)


@jax.custom_jvp
def _draw(alpha, beta, u1, u2):
    return _calls.evaluate(_calls.Call(_of_draw, on_device=_draws), alpha, beta, u1, u2)[0]


@_draw.defjvp
def _draw_jvp(primals, tangents):
    alpha, beta = primals[:2]
    x = _draw(*primals)
    _, in_alpha, in_beta = _implicit(x, alpha, beta, 0)
    return x, in_alpha * tangents[0] + in_beta * tangents[1]


def rsample(key, alpha, beta, loc=0.0, scale=1.0, shape=(), *, parameterization="S0"):
    """Random numbers with gradients in all four parameters (implicit reparameterisation: each
    number keeps its probability), of shape (*shape, *that of the parameters). First ones only.

    key: of jax.random. The method of Chambers, Mallows and Stuck from two uniform numbers each,
    which have the precision of the parameters: in single precision tails end at 2^(24/alpha).
    """
    which = number_of(parameterization)
    alpha, beta, loc, scale = _calls.alike(alpha, beta, loc, scale)
    of_law = jnp.broadcast_shapes(alpha.shape, beta.shape, loc.shape, scale.shape)
    drawn = (*shape, *of_law)
    least = float(jnp.finfo(alpha.dtype).epsneg) / 2
    u1, u2 = (
        jnp.clip(jax.random.uniform(one, drawn, alpha.dtype), least, 1 - 2 * least)
        for one in jax.random.split(key)
    )
    alpha, beta, u1, u2 = _calls.alike(alpha, beta, u1, u2)
    standard = _draw(alpha, beta, u1, u2)
    if which == 1:
        angle = 0.5 * math.pi * jnp.where(alpha == 1, 0.0, alpha)
        standard = standard + beta * jnp.tan(angle) + _shift(alpha, beta, scale, which)
    return loc + scale * standard
