# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Bessel functions, Matern correlations and Boys functions of tensors."""

import math

import torch

from .. import _arguments, _differences, _tessera
from . import _calls, _smooth

_PLAIN, _SCALED, _LOG = _differences.PLAIN, _differences.SCALED, _differences.LOG


class _Bessel(_smooth.Rule):
    """One form of K_nu(x), or of I_nu(x), of (nu, x)."""

    def __init__(self, form, of_i=False):
        self.form, self.of_i = form, of_i

    def value(self, nu, x):
        function = _tessera.bessel_i if self.of_i else _tessera.bessel
        return _calls.call(lambda n, at, out: function(self.form, n, at, out, None), (nu, x), 1)[0]

    def _found(self, nu, x):
        """The value, and the derivatives of its logarithm, in x without a factor e^x or e^-x."""
        function = _tessera.bessel_i_derivatives if self.of_i else _tessera.bessel_derivatives
        return _calls.call(lambda n, at, out: function(self.form, n, at, out, None), (nu, x), 3)

    def derivatives(self, nu, x):
        value, in_order, in_argument = self._found(nu, x)
        if self.form == _LOG:
            return value, [in_order, in_argument]
        if self.form == _SCALED:  # by e^x, or by e^-x
            in_argument = in_argument - 1 if self.of_i else in_argument + 1
        return value, [value * in_order, value * in_argument]

    def along(self, arguments, direction):
        """In double: differences in single precision keep no digits."""
        nu, x = (argument.double() for argument in arguments)
        moves = [change != 0 for change in direction]
        second = _differences.of_bessel(
            self._found, self.form, self.of_i, nu, x, torch, in_order=bool(moves[0].any())
        )
        changes = []
        for parts in (second[:2], second[1:]):
            total = torch.zeros_like(arguments[0])
            for change, moved, part in zip(direction, moves, parts):
                total += torch.where(moved, change * part, torch.zeros_like(part)).to(total.dtype)
            changes.append(total)
        return changes


def _bessel(form, nu, x, of_i=False):
    (nu, x), dtype = _calls.common(nu, x)
    return _smooth.apply(_Bessel(form, of_i), nu, x).to(dtype)


def kv(nu, x):
    """K_nu(x), with gradients in nu and x.

    nu, x: tensors or numbers of shapes that broadcast; |nu| <= 10^6, x > 0. Returns a tensor of
    that shape and of their precision, on their device. Gradients are K times those of log_kv.
    Second derivatives, by Bessel's equation in x and by differences of the gradients of log_kv in
    nu, to 1e-9 (1 + their size) in double. Accuracy, and what x <= 0 gives: tessera.bessel.
    """
    return _bessel(_PLAIN, nu, x)


def kve(nu, x):
    """e^x K_nu(x), with gradients in nu and x; that in x to 2e-15 of the value. Else as kv()."""
    return _bessel(_SCALED, nu, x)


def log_kv(nu, x):
    """log K_nu(x), also where K over- or underflows, with gradients in nu (to a relative 1e-14 for
    nu >= 0.1, 1e-12 below) and x (to 2e-15). Else as kv()."""
    return _bessel(_LOG, nu, x)


def iv(nu, x):
    """I_nu(x), with gradients in nu and x.

    nu, x: tensors or numbers of shapes that broadcast; |nu| <= 10^6, x > 0. Returns a tensor of
    that shape and of their precision, on their device. Gradients are I times those of log_iv.
    Second derivatives, by Bessel's equation in x and by differences of the gradients of log_iv in
    nu, to 1e-9 (1 + their size) in double for nu >= 0. Accuracy, and what x <= 0 gives:
    tessera.bessel.
    """
    return _bessel(_PLAIN, nu, x, True)


def ive(nu, x):
    """e^-x I_nu(x), with gradients in nu and x; that in x to 3e-15 of the value. Else as iv()."""
    return _bessel(_SCALED, nu, x, True)


def log_iv(nu, x):
    """log I_nu(x), also where I over- or underflows, with gradients in nu (to 4e-15 max(1, |d log I
    / dnu|)) and x (to a relative 3e-15). Else as iv(): the logarithm of the normalising constant of
    von Mises-Fisher laws."""
    return _bessel(_LOG, nu, x, True)


class _Matern(_smooth.Rule):
    """The Matern correlation, of (h, nu): by the table of one nu, else by log K."""

    def value(self, h, nu):
        one = _calls.constant(nu)
        if one is not None:
            return _calls.call(
                lambda at, out: _tessera.matern(one, at, out, None), (h,), 1, double=True
            )[0]
        return self._by_log_k(h, nu)[0]

    def derivatives(self, h, nu):
        one = _calls.constant(nu)
        if one is None:
            return self._by_log_k(h, nu)
        value, in_order, in_distance = _calls.call(
            lambda at, out: _tessera.matern_derivatives(one, at, out, None), (h,), 3, double=True
        )
        return value, [in_distance, in_order]

    def _partials(self, h, nu, one, move):
        """First derivatives at another nu, which is one for all where it was before."""
        if one is None:
            return self.derivatives(h, nu + move)[1]
        moved = torch.full((), one + move, dtype=h.dtype, device=h.device)
        return self.derivatives(h, moved.expand(h.shape))[1]

    def _by_log_k(self, h, nu):
        dtype, h, nu = h.dtype, h.double(), nu.double()
        right = (h > 0) & (nu >= 1e-20)
        at = torch.where(right, h, torch.ones_like(h))
        log_k, in_order, _ = _calls.call(
            lambda n, x, out: _tessera.bessel_derivatives(_LOG, n, x, out, None), (nu, at), 3
        )
        below = _Bessel(_LOG).value(nu - 1, at)
        log_h = torch.log(at)
        value = torch.exp((1 - nu) * math.log(2) - torch.lgamma(nu) + nu * log_h + log_k)
        in_order = value * (log_h - math.log(2) - torch.digamma(nu) + in_order)
        in_distance = -value * torch.exp(below - log_k)
        at_zero = torch.where((h == 0) & (nu >= 1e-20), torch.zeros_like(h), h + math.nan)
        return (
            torch.where(right, value, at_zero + 1).to(dtype),
            [torch.where(right, partial, at_zero).to(dtype) for partial in (in_distance, in_order)],
        )

    def along(self, arguments, direction):
        """In h by Bessel's equation, M'' = M + (2 nu - 1) M'/h; in nu by differences."""
        h, nu = arguments
        value, (in_distance, _) = self.derivatives(h, nu)
        apart = torch.where(h > 0, h, torch.ones_like(h))
        curved = value + (2 * nu - 1) * in_distance / apart
        at_zero = torch.where(nu > 1, -0.5 / (nu - 1), torch.zeros_like(nu))
        curved = torch.where(h > 0, curved, at_zero)
        one = _calls.constant(nu)
        step = 0.01 * (torch.clamp(nu, max=1) if one is None else min(one, 1.0))
        mixed, twice = torch.zeros_like(h), torch.zeros_like(h)
        for k, weight in enumerate(_differences.CENTRAL):
            if weight != 0:
                in_distance, in_order = self._partials(h, nu, one, (k - 4) * step)
                mixed += weight * in_distance
                twice += weight * in_order
        mixed, twice = mixed / step, twice / step
        return [
            direction[0] * curved + direction[1] * mixed,
            direction[0] * mixed + direction[1] * twice,
        ]


def matern(h, nu):
    """The Matern correlation M_nu(h) = 2^(1-nu) / Gamma(nu) h^nu K_nu(h), with gradients in h and
    nu.

    h: distances in units of the range, 0 or more; nu: the smoothness, 1e-20 <= nu <= 200, one for
    all (the fast way, by a table) or of a shape that broadcasts. Returns a tensor of that shape and
    of their precision, on their device; computed in double. Gradients to 1e-12 of 1 + their size;
    that in h is 0 at h = 0. Second derivatives to 1e-9. Raises InputError where one nu for all is
    out of range; others give NaN.
    """
    (h, nu), dtype = _calls.common(h, nu)
    return _smooth.apply(_Matern(), h, nu).to(dtype)


def _orders(n_max, x):
    made = torch.empty((n_max + 1, *x.shape), dtype=x.dtype, device=x.device)
    if x.numel() > 0:
        _tessera.boys(n_max, _calls.seen(x.detach().contiguous()), _calls.seen(made), None)
    return made


class _Boys(torch.autograd.Function):
    """dF_n/dx = -F_{n+1}."""

    @staticmethod
    def forward(ctx, n_max, x):
        made = _orders(n_max + 1, x)
        ctx.n_max = n_max
        ctx.save_for_backward(x, made)
        return made[:-1].clone()

    @staticmethod
    def backward(ctx, above):
        x, made = ctx.saved_tensors
        if torch.is_grad_enabled():
            made = _boys(ctx.n_max + 1, x)
        return None, -(above * made[1:]).sum(0)


def _boys(n_max, x):
    if not _smooth.needs_graph(x):
        return _orders(n_max, x)
    if n_max >= 40:
        raise _tessera.InputError(
            f"order {n_max} of the Boys function with a gradient takes order {n_max + 1}, and 40 "
            "is the largest\n  remedy: ask for lower orders"
        )
    return _Boys.apply(n_max, x)


def boys(n_max, x):
    """All orders F_0(x) ... F_{n_max}(x) of the Boys function, with gradients in x, of any order.

    x: a tensor of any shape. Returns a tensor of shape (n_max + 1, *shape of x), order first.
    n_max: 0 ... 40, less one for each derivative. Accuracy: tessera.boys; gradients are -F_{n+1},
    as accurate. Raises InputError for an order out of range.
    """
    n_max = _arguments.whole(n_max, "n_max")
    (x,), dtype = _calls.common(x)
    return _boys(n_max, x).to(dtype)
