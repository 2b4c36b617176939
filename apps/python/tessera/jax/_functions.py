# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Bessel functions, Matern correlations and Boys functions of jax's arrays."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import digamma, gammaln

from .. import _arguments, _differences, _tessera
from . import _calls, _smooth

_PLAIN, _SCALED, _LOG = _differences.PLAIN, _differences.SCALED, _differences.LOG


class _Bessel(_smooth.Rule):
    """One form of K_nu(x), or of I_nu(x), of (nu, x); settings: the form, whether of I."""

    singles = True

    def value(self, nu, x, out):
        form, of_i = self.settings
        return (_tessera.bessel_i if of_i else _tessera.bessel)(form, nu, x, out, None)

    def found(self, nu, x, out):
        form, of_i = self.settings
        function = _tessera.bessel_i_derivatives if of_i else _tessera.bessel_derivatives
        return function(form, nu, x, out, None)

    def partials(self, value, in_order, in_argument):
        form, of_i = self.settings
        if form == _LOG:
            return value, in_order, in_argument
        if form == _SCALED:  # by e^x, or by e^-x
            in_argument = in_argument - 1 if of_i else in_argument + 1
        return value, value * in_order, value * in_argument

    def second(self, nu, x):
        nu, x = np.broadcast_arrays(nu, x)
        with np.errstate(all="ignore"):
            in_order, mixed, in_argument = _differences.of_bessel(
                self._arrays, *self.settings, nu, x, np
            )
        return in_order, mixed, mixed, in_argument


def kv(nu, x):
    """K_nu(x), with gradients in nu and x.

    nu, x: arrays or numbers of shapes that broadcast; |nu| <= 10^6, x > 0. Returns an array of that
    shape and of their precision. Gradients are K times those of log_kv. Second derivatives, by
    Bessel's equation in x and by differences of the gradients of log_kv in nu, to 1e-9 (1 + their
    size) in double. Accuracy, and what x <= 0 gives: tessera.bessel.
    """
    return _smooth.apply(_Bessel(_PLAIN, False), nu, x)


def kve(nu, x):
    """e^x K_nu(x), with gradients in nu and x; that in x to 2e-15 of the value. Else as kv()."""
    return _smooth.apply(_Bessel(_SCALED, False), nu, x)


def log_kv(nu, x):
    """log K_nu(x), also where K over- or underflows, with gradients in nu (to a relative 1e-14 for
    nu >= 0.1, 1e-12 below) and x (to 2e-15). Else as kv()."""
    return _smooth.apply(_Bessel(_LOG, False), nu, x)


def iv(nu, x):
    """I_nu(x), with gradients in nu and x.

    nu, x: arrays or numbers of shapes that broadcast; |nu| <= 10^6, x > 0. Returns an array of that
    shape and of their precision. Gradients are I times those of log_iv. Second derivatives, by
    Bessel's equation in x and by differences of the gradients of log_iv in nu, to 1e-9 (1 + their
    size) in double for nu >= 0. Accuracy, and what x <= 0 gives: tessera.bessel.
    """
    return _smooth.apply(_Bessel(_PLAIN, True), nu, x)


def ive(nu, x):
    """e^-x I_nu(x), with gradients in nu and x; that in x to 3e-15 of the value. Else as iv()."""
    return _smooth.apply(_Bessel(_SCALED, True), nu, x)


def log_iv(nu, x):
    """log I_nu(x), also where I over- or underflows, with gradients in nu (to 4e-15 max(1, |d log I
    / dnu|)) and x (to a relative 3e-15). Else as iv(): the logarithm of the normalising constant of
    von Mises-Fisher laws."""
    return _smooth.apply(_Bessel(_LOG, True), nu, x)


def _has_table(nu):
    return (nu >= 1e-20) & (nu <= 200)


class _Matern(_smooth.Rule):
    """The Matern correlation, of (h, nu), by a table of each nu."""

    def _of_each(self, h, nu, call, results):
        h, nu = np.broadcast_arrays(h, nu)
        found = tuple(np.full(h.shape, math.nan) for _ in range(results))
        for one in np.unique(nu[_has_table(nu)]):  # callbacks raise no errors
            here = nu == one
            for array, part in zip(found, call(float(one), h[here])):
                array[here] = part
        return found

    def on_device(self, h, nu):
        return isinstance(nu, float) and _has_table(nu) and not isinstance(h, float)

    def value(self, h, nu, out):
        if out is not None:
            return _tessera.matern(nu, h, out, None)
        return self._of_each(h, nu, lambda n, x: (_tessera.matern(n, x, None, None),), 1)[0]

    def found(self, h, nu, out):
        if out is not None:
            return _tessera.matern_derivatives(nu, h, out, None)
        return self._of_each(h, nu, lambda n, x: _tessera.matern_derivatives(n, x, None, None), 3)

    def partials(self, value, in_order, in_distance):
        return value, in_distance, in_order

    def second(self, h, nu):
        """In h by Bessel's equation, M'' = M + (2 nu - 1) M'/h; in nu by differences."""
        value, in_distance, _ = self.derivatives(h, nu)
        h = np.asarray(h)
        with np.errstate(divide="ignore", invalid="ignore"):
            curved = np.where(
                h > 0,
                value + (2 * nu - 1) * in_distance / np.where(h > 0, h, 1),
                np.where(np.asarray(nu) > 1, -0.5 / (np.asarray(nu) - 1), 0),
            )
        step = 0.01 * np.minimum(nu, 1)
        mixed, twice = 0.0, 0.0
        for k, weight in enumerate(_differences.CENTRAL):
            if weight != 0:
                _, in_distance, in_order = self.derivatives(h, nu + (k - 4) * step)
                mixed = mixed + weight * np.asarray(in_distance)
                twice = twice + weight * np.asarray(in_order)
        return curved, mixed / step, mixed / step, twice / step


def _inside(h, nu):
    """Where h > 0 and nu is in range, and h and nu with other numbers elsewhere."""
    right = (h > 0) & _has_table(nu)
    return right, jnp.where(right, h, 1), jnp.where(right, nu, 1)


@jax.custom_jvp
def _matern_of_each(h, nu):
    right, at, order = _inside(h, nu)
    log_h = jnp.log(at)
    value = jnp.exp((1 - order) * math.log(2) - gammaln(order) + order * log_h + log_kv(order, at))
    return jnp.where(right, value, jnp.where((h == 0) & _has_table(nu), 1.0, jnp.nan))


@_matern_of_each.defjvp
def _matern_of_each_jvp(primals, tangents):
    """dM/dh = -M K_(nu-1)/K_nu, which loses no digits where h is small."""
    right, at, order = _inside(*primals)
    value = _matern_of_each(*primals)
    log_k, in_order = jax.jvp(lambda n: log_kv(n, at), (order,), (jnp.ones_like(order),))
    in_distance = -value * jnp.exp(log_kv(order - 1, at) - log_k)
    in_order = value * (jnp.log(at) - math.log(2) - digamma(order) + in_order)
    outside = jnp.where(jnp.isnan(value), jnp.nan, 0.0)
    partials = [jnp.where(right, partial, outside) for partial in (in_distance, in_order)]
    return value, partials[0] * tangents[0] + partials[1] * tangents[1]


def matern(h, nu):
    """The Matern correlation M_nu(h) = 2^(1-nu) / Gamma(nu) h^nu K_nu(h), with gradients in h and
    nu.

    h: distances in units of the range, 0 or more; nu: the smoothness, 1e-20 <= nu <= 200, one for
    all (the fast way, by a table) or of a shape that broadcasts; NaN where it is out of range.
    Returns an array of that shape and of their precision; computed in double. Gradients to 1e-12 of
    1 + their size; that in h is 0 at h = 0. Second derivatives to 1e-9 for one nu.
    """
    if jnp.size(nu) == 1:
        return _smooth.apply(_Matern(), h, nu)
    return _matern_of_each(*_calls.alike(h, nu))


def _order(n_max):
    n_max = _arguments.whole(n_max, "n_max")
    if not 0 <= n_max <= 40:
        raise _tessera.InputError(
            f"the order {n_max}; a gradient takes one more\n  remedy: choose one from 0 to 40"
        )
    return n_max


def _of_boys(n_max, x, out):
    return _tessera.boys(n_max, x, out, None)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _boys(n_max, x):
    (found,) = _calls.evaluate(_calls.Call(_of_boys, n_max, orders=n_max + 1), x)
    return jnp.moveaxis(found, -1, 0)


@_boys.defjvp
def _boys_jvp(n_max, primals, tangents):
    found = _boys(_order(n_max + 1), *primals)
    return found[:-1], -found[1:] * tangents[0]


def boys(n_max, x):
    """All orders F_0(x) ... F_{n_max}(x) of the Boys function, with gradients in x, of any order.

    n_max: a whole number, 0 ... 40, less one for each derivative; x: an array of any shape. Returns
    an array of shape (n_max + 1, *shape of x), order first. Accuracy: tessera.boys; gradients are
    -F_{n+1}, as accurate. Raises InputError for an order out of range.
    """
    return _boys(_order(n_max), *_calls.alike(x))
