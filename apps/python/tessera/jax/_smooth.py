# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Functions of several variables, element by element, for jax: by callbacks that broadcast, with
first derivatives from the library and second ones by differences of those."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

# Weights of central differences of eighth order, of points k steps away, k = 1 ... 4.
_WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
_STEP = 0.02  # of the length over which first derivatives change


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

    def second(self, *arguments):
        """The second derivatives, row by row: in arguments (0, 0), (0, 1) ... (n - 1, n - 1). NaN
        where a length is 0: at the end of a range."""
        count = len(arguments)
        rows = []
        for i, length in enumerate(self.lengths(*arguments)):
            step = _STEP * length
            total = [0.0] * count
            for k, weight in enumerate(_WEIGHTS, start=1):
                for sign in (1, -1):
                    there = list(arguments)
                    there[i] = np.asarray(there[i] + sign * k * step)[()]
                    for j, partial in enumerate(self.derivatives(*there)[1:]):
                        total[j] = total[j] + sign * weight * partial
            with np.errstate(divide="ignore", invalid="ignore"):
                rows.extend(sum_ / step for sum_ in total)
        return tuple(rows)


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
