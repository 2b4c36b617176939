# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Calls of what is graded: Python callables and executables."""

import importlib
import io
import shlex
import subprocess
import sys
import time

import numpy as np

from ..results import ResultsError

FAMILIES = ("rys",)  # whose callables get one order and an array of arguments


def import_callable(name):
    """What 'module:name' or 'module:object.name' names, and the version of its package."""
    module_name, colon, path = name.partition(":")
    if not colon or not path:
        raise ResultsError(
            f"'{name}' names no callable\n  remedy: write module:function, as in scipy.special:kv",
            2,
        )
    if "" not in sys.path:
        sys.path.insert(0, "")  # modules of the working folder
    try:
        found = importlib.import_module(module_name)
    except ImportError as error:
        raise ResultsError(
            f"cannot import '{module_name}' with {sys.executable}: {error}\n"
            "  remedy: install it, or name a Python that has it by TESSERA_PYTHON",
            2,
        ) from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise ResultsError(f"'{module_name}' has no '{path}'", 2)
        found = getattr(found, part)
    if not callable(found):
        raise ResultsError(f"'{name}' is no callable, but of type {type(found).__name__}", 2)
    return found, version_of(module_name)


def version_of(module_name):
    package = sys.modules.get(module_name.partition(".")[0])
    return str(getattr(package, "__version__", "-"))


def values(function, quantity, each=False):
    """(the values that a callable gives at the points of a quantity, seconds).

    function(inputs...) gets a float64 array an input, and gives an array of their shape. Of a
    family of n members function(n, x) gets a whole n, and gives a row of n members for each x.
    each: it gets numbers, one point a call.
    """
    columns = [column.copy() for column in quantity.inputs.values()]  # callables may change them
    if quantity.name.partition("/")[0] in FAMILIES:
        return _family(function, quantity, each)
    if each:
        got, seconds = _one_by_one(function, quantity, columns)
    else:
        began = time.perf_counter()
        got = _call(function, quantity, columns)
        seconds = time.perf_counter() - began
    return _shaped(got, quantity.value.shape), seconds


def _family(function, quantity, each):
    orders, x = (column for column in quantity.inputs.values())
    got, seconds = np.full(quantity.value.shape, np.nan), 0.0
    for order in np.unique(orders):
        chosen, n = np.nonzero(orders == order)[0], int(order)
        part = quantity.part(chosen)
        if each:
            rows, spent = _one_by_one(
                lambda m, y, n=n: function(n, y), part, [orders[chosen], x[chosen]]
            )
        else:
            began = time.perf_counter()
            rows = _call(function, part, [n, x[chosen]])
            spent = time.perf_counter() - began
        got[chosen, :n] = _shaped(rows, (len(chosen), n))
        seconds += spent
    return got, seconds


def _call(function, quantity, columns):
    try:
        with np.errstate(all="ignore"):
            return function(*columns)
    except (Exception, SystemExit) as error:
        raise ResultsError(
            f"the callable raised {type(error).__name__} for arrays of {', '.join(quantity.inputs)}: {error}\n"
            "  remedy: mend it, or add --each if it takes one point a call",
            3,
        ) from error


def _one_by_one(function, quantity, columns):
    """A point whose call raises is NaN; all of them may not."""
    found, failure = [], None
    rows = list(zip(*(column.tolist() for column in columns)))
    began = time.perf_counter()
    for row in rows:
        try:
            found.append(function(*row))
        except (Exception, SystemExit) as error:  # of any library
            failure = failure or error
            found.append(np.nan)
    seconds = time.perf_counter() - began
    if failure is not None and all(one is np.nan for one in found):
        raise ResultsError(
            f"the callable raised {type(failure).__name__} at every point, first at"
            f" {place(quantity, 0)}: {failure}\n  remedy: mend it; it gets {', '.join(quantity.inputs)}",
            3,
        )
    width = max((np.size(one) for one in found), default=1)
    if width > 1:
        found = [one if np.size(one) == width else np.full(width, np.nan) for one in found]
    return found, seconds


def _shaped(got, shape):
    try:
        array = np.asarray(got)
        if array.dtype == object:
            array = np.array([complex(one) for one in array.ravel()]).reshape(array.shape)
        if np.iscomplexobj(array):
            array = np.where(array.imag == 0, array.real, np.nan)
        array = np.asarray(array, dtype=float)
    except (TypeError, ValueError) as error:
        raise ResultsError(
            f"the callable gave {type(got).__name__}, which is no array of numbers: {error}\n"
            f"  remedy: give an array of shape {shape}",
            3,
        ) from error
    if array.shape != shape:
        raise ResultsError(
            f"the callable gave an array of shape {array.shape} for points of shape {shape}\n"
            f"  remedy: give a value for each point, in the order of the points, shape {shape}",
            3,
        )
    return array


def place(quantity, row):
    """A point as text."""
    return ", ".join(f"{name} = {column[row]:.17g}" for name, column in quantity.inputs.items())


def run_command(command, quantity, exchange="text", timeout=None):
    """(the values that an executable writes for the points that it reads, seconds)."""
    words = shlex.split(command)
    if not words:
        raise ResultsError("--command is empty\n  remedy: name an executable", 2)
    table = np.column_stack(list(quantity.inputs.values()))
    began = time.perf_counter()
    try:
        done = subprocess.run(
            words,
            input=_written(table, exchange),
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except OSError as error:
        raise ResultsError(
            f"cannot run '{words[0]}': {error.strerror}\n  remedy: name an executable file", 4
        ) from error
    except subprocess.TimeoutExpired as error:
        raise ResultsError(
            f"'{words[0]}' did not end within {timeout:g} s\n  remedy: raise --timeout, or lower --count",
            3,
        ) from error
    seconds = time.perf_counter() - began
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise ResultsError(
            f"'{words[0]}' failed with exit status {done.returncode}: {said[-1] if said else 'no message'}\n"
            f"  remedy: it reads a line or row of {', '.join(quantity.inputs)} for each point, and writes a line of values",
            3,
        )
    return _read(done.stdout, words[0], quantity.value.shape, exchange), seconds


def _written(table, exchange):
    if exchange == "npy":
        page = io.BytesIO()
        np.save(page, table)
        return page.getvalue()
    return "".join(" ".join(map(repr, row)) + "\n" for row in table.tolist()).encode()


def _read(text, program, shape, exchange):
    try:
        if exchange == "npy":
            found = np.load(io.BytesIO(text), allow_pickle=False).astype(float)
            rows = found.reshape(len(found), -1)
        else:
            lines = [line.split() for line in text.decode().splitlines() if line.strip()]
            width = max(map(len, lines), default=0)
            rows = np.full((len(lines), width), np.nan)
            for i, line in enumerate(lines):
                rows[i, : len(line)] = [float(word) for word in line]
    except (ValueError, UnicodeDecodeError, EOFError) as error:
        raise ResultsError(
            f"'{program}' wrote what is not {'an .npy array' if exchange == 'npy' else 'numbers'}: {error}\n"
            "  remedy: write values alone to standard output, and messages to standard error",
            3,
        ) from error
    width = 1 if len(shape) == 1 else shape[1]
    if len(rows) != shape[0] or rows.shape[1] > width:
        raise ResultsError(
            f"'{program}' wrote {len(rows)} rows of up to {rows.shape[1]} values for {shape[0]} points of {width}\n"
            "  remedy: write one line for each line that is read",
            3,
        )
    got = np.full((shape[0], width), np.nan)
    got[:, : rows.shape[1]] = rows
    return got.reshape(shape)
