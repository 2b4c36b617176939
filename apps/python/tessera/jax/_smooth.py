# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Functions of several variables, element by element, for jax: by callbacks that broadcast, with
first derivatives from the library and second ones by differences of those."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

# Weights of differences of eighth order, of nodes k = 0 ... 8: central ones, of places k - 4 steps
# away, and of places k steps away to one side.
CENTRAL = (1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280)
ONE_SIDED = (-761 / 280, 8, -14, 56 / 3, -35 / 2, 56 / 5, -14 / 3, 8 / 7, -1 / 8)
STEP = 0.02  # of the length over which first derivatives change


class Rule:
    """A function of NumPy arrays that broadcast. Rules are compared by what they are made of, so
    that jax compiles each once."""

    def __init__(self, *settings):
        self.settings = settings

    def __hash__(self):
        return hash((type(self), self.settings))

    def __eq__(self, other):
        return type(self) is type(other) and self.settings == other.settings

    def value(self, *arguments):
        raise NotImplementedError

    def derivatives(self, *arguments):
        """(value, the derivative in each argument ...)."""
        raise NotImplementedError

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


def numbers(array):
    """An argument of a callback as the library takes it: a number where it is one."""
    array = np.asarray(array, dtype=np.float64)
    return float(array.ravel()[0]) if array.size == 1 else array


def result_type(*arguments):
    return jnp.result_type(float, *arguments)


def callback(function, results, arguments, extra=()):
    """function(*arguments) of NumPy arrays, whose `results` results have the shape that the
    arguments broadcast to, followed by `extra`."""
    shape = jnp.broadcast_shapes(*(jnp.shape(argument) for argument in arguments)) + extra
    dtype = result_type(*arguments)

    def on_host(*given):
        given = [np.asarray(array) for array in given]
        wanted = np.broadcast_shapes(*(array.shape for array in given)) + extra
        found = function(*(numbers(array) for array in given))
        found = found if isinstance(found, tuple) else (found,)
        return tuple(
            np.array(np.broadcast_to(np.asarray(array, dtype=dtype), wanted)) for array in found
        )

    made = jax.pure_callback(
        on_host,
        (jax.ShapeDtypeStruct(shape, dtype),) * results,
        *arguments,
        vmap_method="expand_dims",
    )
    return tuple(made)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _value(rule, *arguments):
    return callback(rule.value, 1, arguments)[0]


@_value.defjvp
def _value_jvp(rule, primals, tangents):
    value, *partials = _first(rule, *primals)
    return value, sum(partial * tangent for partial, tangent in zip(partials, tangents))


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _first(rule, *arguments):
    return callback(rule.derivatives, 1 + len(arguments), arguments)


@_first.defjvp
def _first_jvp(rule, primals, tangents):
    count = len(primals)
    found = _first(rule, *primals)
    second = callback(rule.second, count * count, primals)
    changes = [sum(p * t for p, t in zip(found[1:], tangents))]
    for j in range(count):
        changes.append(sum(second[i * count + j] * tangents[i] for i in range(count)))
    return found, tuple(changes)


def alike(*arguments):
    """Arguments as floating-point arrays of one number of dimensions."""
    arrays = [jnp.asarray(argument) for argument in arguments]
    dtype = result_type(*arrays)
    most = max(array.ndim for array in arrays)
    return [
        jnp.reshape(array.astype(dtype), (1,) * (most - array.ndim) + array.shape)
        for array in arrays
    ]


def apply(rule, *arguments):
    """The function at arguments that broadcast."""
    return _value(rule, *alike(*arguments))
