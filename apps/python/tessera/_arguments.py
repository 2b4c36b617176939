# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""What calls make of their arguments: one reader of arrays, numbers, sizes and seeds for all of the
package."""

import numbers
import operator
import secrets

import numpy as np

from . import _frames, _tessera

_REAL_KINDS = "fiub"


def _of_pandas(value):
    return type(value).__module__.partition(".")[0] == "pandas"


def _is_missing(element):
    """None and pandas.NA, of arrays of objects."""
    return element is None or type(element).__name__ in ("NAType", "NaTType")


def _as_float(element):
    """The nearest float of a number; infinity of whole numbers and fractions that are too large."""
    try:
        return float(element)
    except OverflowError:
        return float("inf") if element > 0 else float("-inf")


def _from_objects(array, name):
    """The numbers of an array of objects, and which of them are missing."""
    values, missing = np.empty(array.shape), np.zeros(array.shape, dtype=bool)
    for place, element in np.ndenumerate(array):
        if _is_missing(element):
            values[place], missing[place] = np.nan, True
        elif isinstance(element, numbers.Real) or isinstance(
            element, (np.floating, np.integer, np.bool_)
        ):
            values[place] = _as_float(element)
        else:
            where = f"[{', '.join(map(str, place))}]" if place else ""
            raise _tessera.ArgumentTypeError(
                f"{name}{where} is {element!r}; real numbers are needed\n  remedy: convert the values, and make those that are missing NaN"
            )
    return values, missing


def _read_pandas(value, name):
    """A Series, Index or DataFrame: missing values of nullable and object columns are missing, NaN
    of ordinary ones is a number."""
    if np.ndim(value) == 2:
        columns = [
            _read_pandas(value[column], f"{name}[{column!r}]")
            if value.columns.is_unique
            else read(value.iloc[:, i], f"{name}[{column!r}]")
            for i, column in enumerate(value.columns)
        ]
        values = (
            np.stack([column for column, _ in columns], axis=1)
            if columns
            else np.empty(value.shape)
        )
        masks = [
            np.zeros(column.shape, dtype=bool) if mask is None else mask for column, mask in columns
        ]
        return values, (
            np.stack(masks, axis=1) if any(mask is not None for _, mask in columns) else None
        )
    if isinstance(value.dtype, np.dtype):
        return read(value.to_numpy(), name)
    missing = np.asarray(value.isna())
    try:
        values = value.to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError):
        return read(value.to_numpy(dtype=object), name)
    return values, (missing if missing.any() else None)


def read(value, name):
    """(an array of real numbers, a mask or None) of whatever is or becomes an array: lists, masked
    arrays, columns and tables of pandas and polars, quantities of pint without a dimension.

    Masked elements and missing values (None, pandas.NA) are NaN in the array and true in the mask.
    Raises ArgumentTypeError, with the place, for what is no real number.
    """
    if _of_pandas(value) and hasattr(value, "to_numpy"):
        return _read_pandas(value, name)
    if _frames.is_of_polars(value):
        return _frames.read_polars(value, name)
    if _frames.is_quantity(value):
        return read(_frames.number_in(value, None, name), name)
    masked = np.ma.getmaskarray(value) if isinstance(value, np.ma.MaskedArray) else None
    try:
        array = np.ma.getdata(value) if masked is not None else np.asarray(value)
    except (TypeError, ValueError) as error:
        raise _tessera.ArgumentTypeError(f"{name} is no array of numbers: {error}") from None
    array = np.asarray(array)
    if (
        array.dtype.kind == "O"
        and array.ndim > 0
        and not any(
            isinstance(element, (list, tuple, dict, np.ndarray)) for element in array.ravel()[:64]
        )
    ):
        array, missing = _from_objects(
            array if masked is None else np.where(masked, None, array), name
        )
        masked = missing if masked is None else masked | missing
        masked = masked if masked.any() or isinstance(value, np.ma.MaskedArray) else None
    if array.dtype.kind not in _REAL_KINDS:
        raise _tessera.ArgumentTypeError(f"{name} holds {array.dtype}; real numbers are needed")
    if masked is not None:
        array = array.astype(array.dtype if array.dtype.kind == "f" else np.float64)  # a copy
        array[masked] = np.nan
    return array, masked


def number(value, name):
    """One real number. Raises ArgumentTypeError for anything else."""
    if type(value) is float or type(value) is int:
        return float(value)
    try:
        if isinstance(value, numbers.Real):
            return float(value)
        array, mask = read(value, name)
    except TypeError as error:
        raise _tessera.ArgumentTypeError(
            str(error)
            if str(error).startswith(name)
            else f"{name} is {value!r}; a number is needed"
        ) from None
    if array.size != 1 or mask is not None:
        raise _tessera.ArgumentTypeError(
            f"{name} is an array of shape {array.shape}; one number is needed\n  remedy: call once for each of them"
        )
    return float(array.ravel()[0])


def whole(value, name):
    """One whole number, of a type of whole numbers. Raises ArgumentTypeError for anything else."""
    try:
        return operator.index(value)
    except TypeError:
        raise _tessera.ArgumentTypeError(
            f"{name} is {value!r}; a whole number is needed\n  remedy: convert it by int()"
        ) from None


def whole_between(value, name, least, most):
    """A whole number in its range: 3.0 is one, 2.5 is not. Raises InputError, of other types
    ArgumentTypeError."""
    error = _tessera.InputError
    try:
        if isinstance(value, (float, np.floating)) and float(value).is_integer():
            value = int(value)
        found = operator.index(value)
    except TypeError:
        found, error = None, _tessera.ArgumentTypeError
    if found is None or not least <= found <= most:
        raise error(f"{name} is {value!r}, but must be a whole number from {least} to {most}")
    return found


def seed_of_run(value):
    """The seed of a run; None where there is none."""
    return None if value is None else whole_between(value, "seed", 0, 2**64 - 1)


def flag(value, name):
    """True or False. Raises ArgumentTypeError for what is neither."""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, (int, float)) and value in (0, 1)):
        return bool(value)
    raise _tessera.ArgumentTypeError(f"{name} is {value!r}\n  remedy: give True or False")


def mapping(value, name, example):
    """A dict of what is one, {} of None. Raises ArgumentTypeError with an example for others."""
    try:
        if not isinstance(value, str):
            return dict(value or {})
    except (TypeError, ValueError):
        pass
    raise _tessera.ArgumentTypeError(
        f"{name} is {value!r}, and a dict is needed\n  remedy: give {name}={example}"
    )


def shape(size):
    """The shape that `size` asks for: None, a whole number, or some of them."""
    if size is None:
        return ()
    extents = tuple(size) if np.ndim(size) == 1 else (size,)
    extents = tuple(whole(extent, "size") for extent in extents)
    if any(extent < 0 for extent in extents):
        raise _tessera.InputError(f"size is {size!r}\n  remedy: give extents of 0 or more")
    return extents


def seed(random_state):
    """A seed of 64 bits from a whole number, a generator of NumPy, or None."""
    if random_state is None:
        return secrets.randbits(64)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    try:
        value = operator.index(random_state)
    except TypeError:
        raise _tessera.ArgumentTypeError(
            f"random_state is {random_state!r}; a whole number, a numpy.random.Generator, a RandomState or None is needed"
        ) from None
    if not 0 <= value < 2**64:
        raise _tessera.InputError(
            f"the seed {value} is out of range\n  remedy: choose a whole number from 0 to 2^64 - 1"
        )
    return value
