# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Functions of several variables, element by element, for jax: with first derivatives from the
library and second ones by differences of those."""

import functools

import jax
import numpy as np

from . import _calls

# Weights of differences of eighth order, of nodes k = 0 ... 8: central ones, of places k - 4 steps
# away, and of places k steps away to one side.
CENTRAL = (1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280)
ONE_SIDED = (-761 / 280, 8, -14, 56 / 3, -35 / 2, 56 / 5, -14 / 3, 8 / 7, -1 / 8)
STEP = 0.02  # of the length over which first derivatives change


class Rule:
    """A function of arrays that broadcast; `out` as in _calls.Call. Rules are compared by what they
    are made of, so that jax compiles each once."""

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
        return self.partials(*(np.asarray(array) for array in self.found(*arguments, out=None)))

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
        for i, length in enumerate(lengths):
            limits = (-np.inf, np.inf) if bounds is None else bounds[i]
            rows.extend(self._slopes(arguments, i, STEP * length, limits))
        return tuple(rows)

    def _slopes(self, arguments, i, step, limits):
        """The derivatives of the first derivatives in argument i, by differences, to one side
        within four steps of a limit."""
        least, largest = limits
        side = np.where(arguments[i] - least < 4 * step, 1, 0)
        side = np.where(largest - arguments[i] < 4 * step, -1, side)
        central = side == 0
        total = [0.0] * len(arguments)
        for k in range(9):
            if CENTRAL[k] == 0 and central.all():
                continue
            weight = np.where(central, CENTRAL[k], side * ONE_SIDED[k])
            there = list(arguments)
            there[i] = np.asarray(there[i] + np.where(central, k - 4, side * k) * step)
            for j, partial in enumerate(self.derivatives(*there)[1:]):
                total[j] = total[j] + weight * partial
        with np.errstate(divide="ignore", invalid="ignore"):
            return [sum_ / step for sum_ in total]


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
