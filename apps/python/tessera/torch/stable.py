# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Alpha-stable laws of tensors, with gradients in the point and in all four parameters.

    from tessera.torch import stable

    loss = -stable.log_prob(x, alpha, beta, loc, scale).mean()

Arguments are tensors or numbers of shapes that broadcast: 0.1 <= alpha <= 2, -1 <= beta <= 1, loc
and scale > 0 in the units of x. parameterization: "S0", continuous in all parameters, or "S1",
whose loc is the mean for alpha > 1. Results have the shape, the precision (computed in double) and
the device of the arguments.

Accuracy of gradients in double: 1e-9 (1 + their size), log_prob and cdf against values of 50
digits. Laws out of range give NaN; a law that is the same for all elements raises InputError.

Source: models/stable/METHOD.md of Tessera.
"""

import math

import torch

from .. import _tessera
from . import _calls, _smooth

__all__ = ["cdf", "icdf", "log_prob", "rsample"]

_PARAMETERIZATIONS = ("S0", "S1")
_LOG_PDF, _CDF = 1, 2  # of _tessera.stable
_OF_LOG_PDF, _OF_CDF = 0, 1  # of _tessera.stable_derivatives
_NEAREST = 1e-3  # to alpha = 2 and |beta| = 1, where derivatives change the faster the nearer


def _number(parameterization):
    if parameterization not in _PARAMETERIZATIONS:
        raise _tessera.InputError(
            f"unknown parameterization {parameterization!r}\n  remedy: choose S0 or S1"
        )
    return _PARAMETERIZATIONS.index(parameterization)


def _require_law(alpha, beta):
    """Raises InputError where one law for all elements is out of range."""
    one = _calls.constant(alpha), _calls.constant(beta)
    if None not in one and alpha.numel() > 0:
        _tessera.stable_location(*one, 0.0, 1.0, 0, 0)


class _Standard(_smooth.Rule):
    """log pdf or cdf of a standard law, of (x, alpha, beta)."""

    step = 0.007  # light tails next to alpha = 1 change faster than the lengths say

    def __init__(self, is_log_pdf, parameterization):
        self.is_log_pdf, self.parameterization = is_log_pdf, parameterization

    def value(self, x, alpha, beta):
        which = _LOG_PDF if self.is_log_pdf else _CDF
        return _calls.call(
            lambda z, a, b, out: _tessera.stable(
                which, z, a, b, 0.0, 1.0, self.parameterization, out, None
            ),
            (x, alpha, beta),
            1,
        )[0]

    def derivatives(self, x, alpha, beta):
        value, in_x, in_alpha, in_beta = derivatives(
            _OF_LOG_PDF if self.is_log_pdf else _OF_CDF, x, alpha, beta, self.parameterization
        )
        if not self.is_log_pdf:  # those of the upper tail
            in_alpha, in_beta = -in_alpha, -in_beta
        return value, [in_x, in_alpha, in_beta]

    def lengths(self, x, alpha, beta):
        """Below alpha = 1 the density is steep next to zeta, which moves with S0's parameters."""
        in_x = 1 + 0.3 * abs(x)
        in_alpha = torch.minimum(alpha, (2 - alpha).clamp(min=_NEAREST))
        in_beta = (1 - abs(beta)).clamp(min=_NEAREST)
        tangent = torch.tan(0.5 * math.pi * alpha)
        zeta = -beta * tangent if self.parameterization == 0 else torch.zeros_like(x)
        width = 0.3 * torch.exp(torch.lgamma(1 / alpha) - torch.lgamma(2 / alpha))
        near = torch.where(alpha < 1, width + 0.5 * abs(x - zeta), torch.full_like(x, math.inf))
        in_x = torch.minimum(in_x, near)
        if self.parameterization == 1:
            return in_x, torch.minimum(in_alpha, abs(alpha - 1)), in_beta
        moved = abs(beta) * 0.5 * math.pi * (1 + tangent**2)
        in_alpha = torch.minimum(in_alpha, torch.maximum(near / (1 + moved), 0.05 * in_alpha))
        in_beta = torch.minimum(in_beta, torch.maximum(near / (1 + abs(tangent)), 0.05 * in_beta))
        return in_x, in_alpha, in_beta

    def bounds(self):
        return (-math.inf, math.inf), (0.1, 2), (-1, 1)


def derivatives(what, x, alpha, beta, parameterization=0):
    """log pdf and its derivatives in x, alpha and beta; or the cdf, the pdf, and the derivatives of
    the upper tail in alpha and beta."""
    return _calls.call(
        lambda z, a, b, out: _tessera.stable_derivatives(
            what, z, a, b, parameterization, out, None
        ),
        (x, alpha, beta),
        4,
    )


def _shift(alpha, beta, scale, parameterization):
    """What loc of S1 at alpha = 1 lacks of the location of the standard law, in units of scale."""
    if parameterization == 0:
        return torch.zeros_like(scale)
    of_one = beta * (2 / math.pi) * torch.log(scale)
    return torch.where(alpha == 1, of_one, torch.zeros_like(of_one))


def _evaluate(is_log_pdf, x, alpha, beta, loc, scale, parameterization):
    which = _number(parameterization)
    (x, alpha, beta, loc, scale), dtype = _calls.common(x, alpha, beta, loc, scale, double=True)
    _require_law(alpha, beta)
    standard = (x - loc) / scale
    if which == 1:
        standard = standard - _shift(alpha, beta, scale, which)
    standard = torch.where(scale > 0, standard, torch.full_like(standard, math.nan))
    return _smooth.apply(_Standard(is_log_pdf, which), standard, alpha, beta), scale, dtype


def log_prob(x, alpha, beta, loc=0.0, scale=1.0, *, parameterization="S0"):
    """log of the density at x, with gradients, also second ones: to 1e-9 where parameters are not
    next to the ends of their ranges; NaN at alpha = 1 in S1. Outside the support it is -infinity,
    and its gradient NaN."""
    value, scale, dtype = _evaluate(True, x, alpha, beta, loc, scale, parameterization)
    return (value - torch.log(scale)).to(dtype)


def cdf(x, alpha, beta, loc=0.0, scale=1.0, *, parameterization="S0"):
    """P(X <= x), with gradients, also second ones, as log_prob()."""
    value, _, dtype = _evaluate(False, x, alpha, beta, loc, scale, parameterization)
    return value.to(dtype)


def _implicit(point, alpha, beta, parameterization):
    """(pdf, dx/dalpha, dx/dbeta) at the x that keeps its probability as the law changes."""
    _, pdf, in_alpha, in_beta = derivatives(_OF_CDF, point, alpha, beta, parameterization)
    return pdf, in_alpha / pdf, in_beta / pdf


class _Quantile(torch.autograd.Function):
    @staticmethod
    def forward(ctx, wanted, parameterization, p, alpha, beta):
        (x,) = _calls.call(
            lambda at, a, b, out: _tessera.stable_quantile(
                at, a, b, 0.0, 1.0, parameterization, out, None
            ),
            (p, alpha, beta),
            1,
        )
        if wanted:
            pdf, in_alpha, in_beta = _implicit(x, alpha, beta, parameterization)
            ctx.save_for_backward(1 / pdf, in_alpha, in_beta, p, alpha, beta)
        return x

    @staticmethod
    def backward(ctx, above):
        *partials, p, alpha, beta = ctx.saved_tensors
        made = [above * partial for partial in partials]
        return (None, None, *_smooth.last("first", made, above, p, alpha, beta))


def icdf(p, alpha, beta, loc=0.0, scale=1.0, *, parameterization="S0"):
    """The x with P(X <= x) = p, with gradients in p and the parameters, 1/pdf and -dP/dalpha / pdf;
    first ones only. p outside (0, 1) gives NaN."""
    which = _number(parameterization)
    (p, alpha, beta, loc, scale), dtype = _calls.common(p, alpha, beta, loc, scale, double=True)
    _require_law(alpha, beta)
    standard = _Quantile.apply(_smooth.needs_graph(p, alpha, beta), which, p, alpha, beta)
    return (loc + scale * (standard + _shift(alpha, beta, scale, which))).to(dtype)


class _Draw(torch.autograd.Function):
    @staticmethod
    def forward(ctx, wanted, alpha, beta, u1, u2):
        (x,) = _calls.call(
            lambda a, b, first, second, out: _tessera.stable_transform(
                a, b, first, second, out, None
            ),
            (alpha, beta, u1, u2),
            1,
        )
        if wanted:
            ctx.save_for_backward(*_implicit(x, alpha, beta, 0)[1:], alpha, beta)
        return x

    @staticmethod
    def backward(ctx, above):
        *partials, alpha, beta = ctx.saved_tensors
        made = [above * partial for partial in partials]
        return (None, *_smooth.last("first", made, above, alpha, beta), None, None)


def rsample(alpha, beta, loc=0.0, scale=1.0, size=(), *, generator=None, parameterization="S0"):
    """Random numbers with gradients in all four parameters (implicit reparameterisation: each
    number keeps its probability), of shape (*size, *that of the parameters). First ones only.

    generator: of torch, on the device of the parameters; else its default one. The method of
    Chambers, Mallows and Stuck from two uniform numbers each.
    """
    which = _number(parameterization)
    (alpha, beta, loc, scale), dtype = _calls.common(alpha, beta, loc, scale, double=True)
    _require_law(alpha, beta)
    shape = torch.Size(size) + alpha.shape
    u1, u2 = (
        torch.rand(shape, dtype=torch.float64, device=alpha.device, generator=generator).clamp_(
            2.0**-54, 1 - 2.0**-53
        )
        for _ in range(2)
    )
    alpha, beta, loc, scale = (t.expand(shape) for t in (alpha, beta, loc, scale))
    standard = _Draw.apply(_smooth.needs_graph(alpha, beta), alpha, beta, u1, u2)
    if which == 1:
        angle = 0.5 * math.pi * torch.where(alpha == 1, torch.zeros_like(alpha), alpha)
        standard = standard + beta * torch.tan(angle) + _shift(alpha, beta, scale, which)
    return (loc + scale * standard).to(dtype)
