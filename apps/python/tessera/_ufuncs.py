# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The keywords of NumPy's ufuncs, out, where, casting, order and dtype, for functions of two
arguments that have none of them."""

import numpy as np

from . import _arguments, _tessera

_TYPES = (np.dtype(np.float32), np.dtype(np.float64))
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


def call(function, names, arguments, out, where, casting, order, dtype):
    """function(a, b) of arrays, with these keywords. names: of the arguments, for messages."""
    if any(_tessera.is_on_device(value) for value in (*arguments, out, where)):
        raise _tessera.InputError(
            "where, dtype, order, casting and a tuple of out are not for arrays on a GPU\n  remedy: leave them out, or give NumPy arrays"
        )
    if casting not in _CASTINGS or order not in ("K", "A", "C", "F"):
        raise _tessera.InputError(
            f"casting is {casting!r} and order {order!r}\n  remedy: choose casting from {', '.join(_CASTINGS)}, and order from K, A, C, F"
        )
    read = [_arguments.read(value, name) for value, name in zip(arguments, names)]
    values = _typed([array for array, _ in read], names, casting, dtype)
    out = _one_out(out)
    chosen = np.asarray(where)
    if chosen.dtype != bool:
        raise _tessera.ArgumentTypeError(
            f"where holds {chosen.dtype}; true and false are needed\n  remedy: give where=array > 0, or array.astype(bool)"
        )
    try:
        shape = np.broadcast_shapes(*(array.shape for array in (*values, chosen)))
        whole = shape if out is None else np.broadcast_shapes(shape, out.shape)
    except ValueError:
        shape, whole = None, ()
    if shape is None or (out is not None and whole != out.shape):
        shapes = [f"{name} {array.shape}" for name, array in zip(names, values)]
        shapes += [f"where {chosen.shape}", *([] if out is None else [f"out {out.shape}"])]
        raise _tessera.InputError(
            f"the shapes do not go together: {', '.join(shapes)}\n  remedy: give shapes that NumPy broadcasts to one, that of out where it is given"
        )
    chosen, (a, b) = np.broadcast_to(chosen, whole), (np.broadcast_to(v, whole) for v in values)
    found = function(np.ascontiguousarray(a[chosen]), np.ascontiguousarray(b[chosen]))
    masks = [np.broadcast_to(mask, whole) for _, mask in read if mask is not None]
    return _delivered(np.asarray(found), chosen, whole, masks, out, casting, order)


def _typed(values, names, casting, dtype):
    """Arguments in the type of the loop."""
    if dtype is None:
        small = all(array.dtype.kind == "f" and array.dtype.itemsize <= 4 for array in values)
        return [array.astype(_TYPES[0 if small else 1]) for array in values]
    wanted = np.dtype(dtype)
    if wanted not in _TYPES:
        raise _tessera.ArgumentTypeError(
            f"there is no loop of {wanted}\n  remedy: choose float32 or float64"
        )
    for array, name in zip(values, names):
        if not np.can_cast(array.dtype, wanted, casting) and array.ndim > 0:
            raise _tessera.ArgumentTypeError(
                f"{name} of {array.dtype} is not cast to {wanted} with casting={casting!r}\n  remedy: choose casting='unsafe', or convert it"
            )
    return [array.astype(wanted) for array in values]


def _one_out(out):
    if isinstance(out, tuple):
        if len(out) != 1:
            raise _tessera.InputError(f"out is a tuple of {len(out)}\n  remedy: give one array")
        out = out[0]
    if out is not None and not (isinstance(out, np.ndarray) and out.flags.writeable):
        raise _tessera.ArgumentTypeError(
            "out is no writable NumPy array\n  remedy: leave it out, or make it so"
        )
    return out


def _delivered(found, chosen, shape, masks, out, casting, order):
    """The result in its place: NaN where nothing was computed and no array was given."""
    if out is None:
        result = np.full(shape, np.nan, found.dtype, order="F" if order == "F" else "C")
    elif np.can_cast(found.dtype, out.dtype, casting):
        result = out
    else:
        raise _tessera.ArgumentTypeError(
            f"results of {found.dtype} are not cast to out, of {out.dtype}, with casting={casting!r}\n  remedy: choose casting='unsafe', or another array"
        )
    data = np.ma.getdata(result)
    data[chosen] = found
    if masks and not isinstance(result, np.ma.MaskedArray):
        return np.ma.MaskedArray(result, np.logical_or.reduce(masks))
    if isinstance(result, np.ma.MaskedArray):
        own = np.logical_or.reduce(masks) if masks else np.zeros(shape, bool)
        result.mask = np.where(chosen, own, np.ma.getmaskarray(result))
    return result if result.ndim or out is not None else float(result)
