# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of jax on their way into calls of the compiled library and back: without copies where they
lie, on the host or on a GPU (jax.ffi); by callbacks on the host where JAX or the library lack
what that takes."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_batching import custom_vmap

from .. import _tessera
from . import _xla

_TARGET = "tessera_call"


class Call:
    """What the library computes of arrays, element by element.

    function(*settings, *arguments, out): `arguments` are NumPy arrays that broadcast, or numbers;
    returns one array of their shape, or `results` of them. With out, an array for one result, else
    a list, all arrays are on a GPU and have its shape, and the results go there.
    on_device(*arguments): whether the function takes these, of which no element is looked at.
    singles: whether it takes single precision on a GPU. orders: results have so many elements for
    each of the arguments, along a first axis; 0: one each.

    Calls are told apart by `name`, the same in every process, for compiled programs that JAX keeps.
    """

    def __init__(self, function, *settings, results=1, singles=False, orders=0, on_device=None):
        self.function = functools.partial(function, *settings)
        self.results, self.singles, self.orders = results, singles, orders
        self.on_device = on_device or (lambda *_: True)
        self.name = f"{function.__module__}.{function.__qualname__}{settings}"
        _CALLS.setdefault(self.name, self)


_CALLS = {}


def _number(array):
    """An argument as the library takes it on the host: a number where it is one."""
    array = np.asarray(array, dtype=np.float64)
    return float(array.ravel()[0]) if array.size == 1 else array


def _found(call, arguments):
    """The results on the host."""
    read = np.asarray if call.orders else _number
    found = call.function(*(read(array) for array in arguments), out=None)
    return found if isinstance(found, tuple) else (found,)


def _fill_on_device(call, arguments, results):
    """Computes on the GPU, and returns whether the call can."""
    shape = results[0].shape[1 if call.orders else 0 :]
    wanted = results[0].dtype
    if wanted != np.float64 and not call.singles:
        return False
    if not _tessera.is_reachable(results[0]):  # on another GPU
        return False
    numbers = [
        float(_tessera.copy_to_host(array).ravel()[0]) if array.size == 1 else array
        for array in arguments
    ]
    if all(isinstance(number, float) for number in numbers):
        return False
    if not call.on_device(*numbers):
        return False
    for number in numbers:
        if not isinstance(number, float) and (number.shape != shape or number.dtype != wanted):
            return False
    call.function(*numbers, out=results[0] if len(results) == 1 else results)
    return True


def _run(name, arguments, results):
    """A call of XLA."""
    if name not in _CALLS:
        raise KeyError(f"tessera has no function of this name: {name}")
    call = _CALLS[name]
    if results[0].size == 0:
        return
    if not isinstance(results[0], _xla.OnDevice):
        for array, values in zip(results, _found(call, arguments)):
            array[...] = values
    elif not _fill_on_device(call, arguments, results):
        found = _found(call, [_tessera.copy_to_host(array) for array in arguments])
        for array, values in zip(results, found):
            values = np.broadcast_to(np.asarray(values, array.dtype), array.shape)
            _tessera.copy_to_device(np.array(values, order="C"), array)


@functools.lru_cache(maxsize=None)
def _reaches_arrays():
    """Whether XLA calls the library where the arrays lie."""
    on_gpu = "cuda" in _tessera.backends()
    if jax.default_backend() != "cpu" and not on_gpu:
        return False
    return _xla.register(_TARGET, _run, ("cpu", "CUDA") if on_gpu else ("cpu",))


def result_type(*arguments):
    return jnp.result_type(float, *arguments)


def _call_once(call, arguments):
    """The results of arguments whose batches are axes like others."""
    shape = jnp.broadcast_shapes(*(jnp.shape(argument) for argument in arguments))
    wanted = result_type(*arguments)
    dtype = wanted if wanted in (np.float32, np.float64) else np.float32
    made = jax.ShapeDtypeStruct((call.orders, *shape) if call.orders else shape, dtype)
    # the elements of a GPU have the shape of the result; one number stays one, for its table
    arguments = [
        argument if jnp.size(argument) == 1 else jnp.broadcast_to(argument, shape)
        for argument in (jnp.asarray(argument, dtype) for argument in arguments)
    ]
    if _reaches_arrays():
        found = _xla.ffi.ffi_call(_TARGET, (made,) * call.results)(*arguments, name=call.name)
    else:

        def on_host(*given):
            return tuple(
                np.array(np.broadcast_to(np.asarray(array, dtype=dtype), made.shape))
                for array in _found(call, given)
            )

        found = jax.pure_callback(on_host, (made,) * call.results, *arguments)
    found = (array.astype(wanted) for array in found)
    return tuple(jnp.moveaxis(array, 0, -1) if call.orders else array for array in found)


def evaluate(call, *arguments):
    """The results, a tuple, for arguments of one number of dimensions that broadcast (alike());
    with orders, these come last."""

    @custom_vmap
    def run(*arguments):
        return _call_once(call, arguments)

    @run.def_vmap
    def _(_, batched, *arguments):
        arguments = [
            argument if along else jnp.expand_dims(argument, 0)
            for argument, along in zip(arguments, batched)
        ]
        return evaluate(call, *arguments), (True,) * call.results

    return run(*arguments)


def alike(*arguments):
    """Arguments as floating-point arrays of one number of dimensions."""
    arrays = [jnp.asarray(argument) for argument in arguments]
    dtype = result_type(*arrays)
    most = max(array.ndim for array in arrays)
    return [
        jnp.reshape(array.astype(dtype), (1,) * (most - array.ndim) + array.shape)
        for array in arrays
    ]
