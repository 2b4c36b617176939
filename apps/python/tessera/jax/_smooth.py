# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Functions of several variables, element by element, for jax: with first derivatives from the
library and second ones by differences of those."""

import functools

import jax
import numpy as np

from .. import _differences
from . import _calls


class Rule:
    """A function of arrays that broadcast; `out` as in _calls.Call. Rules are compared by what they
    are made of, so that jax compiles each once."""

    step = _differences.STEP  # of differences, by the lengths
    singles = False  # whether a GPU takes single precision

    def __init__(self, *settings):
        self.settings = settings

    def __repr__(self):
        return f"{type(self).__module__}.{type(self).__qualname__}{self.settings}"

    def __hash__(self):
        return hash(repr(self))

    def __eq__(self, other):
        return type(self) is type(other) and self.settings == other.settings

    def value(self, *arguments, out):
        raise NotImplementedError

    def found(self, *arguments, out):
        """What the derivatives are made of: as many results as arguments, and one."""
        raise NotImplementedError

    def partials(self, *found):
        """(value, the derivative in each argument ...) of what was found, by arithmetic alone."""
        return found

    def on_device(self, *_):
        """Whether the library takes these arguments on a GPU, without a look at their elements."""
        return True

    def derivatives(self, *arguments):
        return self.partials(*self._arrays(*arguments))

    def _arrays(self, *arguments):
        """What found() gives on the host, as arrays."""
        found = self.found(*(np.asarray(argument) for argument in arguments), out=None)
        return [np.asarray(array) for array in found]

    def lengths(self, *arguments):
        """The lengths, in each argument, over which the first derivatives change."""
        raise NotImplementedError

    def bounds(self):
        """(least, largest) value of each argument that the derivatives are known at."""
        return None

    def second(self, *arguments):
        """The second derivatives, row by row: in arguments (0, 0), (0, 1) ... (n - 1, n - 1)."""
        arguments = np.broadcast_arrays(*arguments)
        lengths, bounds = self.lengths(*arguments), self.bounds()
        rows = []
        with np.errstate(divide="ignore", invalid="ignore"):
            for i, length in enumerate(lengths):
                limits = (-np.inf, np.inf) if bounds is None else bounds[i]
                step = self.step * np.asarray(length)
                rows.extend(
                    _differences.slopes(
                        lambda *at: self.derivatives(*at)[1:], arguments, i, step, limits, np
                    )
                )
        return tuple(rows)


def _of_value(rule, *arguments, out):
    return rule.value(*arguments, out=out)


def _of_found(rule, *arguments, out):
    return rule.found(*arguments, out=out)


def _of_second(rule, *arguments, out):
    assert out is None
    return rule.second(*arguments)


def _evaluate(function, rule, results, arguments):
    call = _calls.Call(
        function,
        rule,
        results=results,
        singles=rule.singles,
        on_device=(lambda *_: False) if function is _of_second else rule.on_device,
    )
    return _calls.evaluate(call, *arguments)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _value(rule, *arguments):
    return _evaluate(_of_value, rule, 1, arguments)[0]


@_value.defjvp
def _value_jvp(rule, primals, tangents):
    value, *partials = _first(rule, *primals)
    return value, sum(partial * tangent for partial, tangent in zip(partials, tangents))


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _first(rule, *arguments):
    return rule.partials(*_evaluate(_of_found, rule, 1 + len(arguments), arguments))


@_first.defjvp
def _first_jvp(rule, primals, tangents):
    count = len(primals)
    found = _first(rule, *primals)
    second = _evaluate(_of_second, rule, count * count, primals)
    changes = [sum(p * t for p, t in zip(found[1:], tangents))]
    for j in range(count):
        changes.append(sum(second[i * count + j] * tangents[i] for i in range(count)))
    return found, tuple(changes)


def apply(rule, *arguments):
    """The function at arguments that broadcast."""
    return _value(rule, *_calls.alike(*arguments))
