# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Units of pint, and columns of pandas, in calls of tessera.stable: x and the location have a unit,
the scale that of its differences, and results what follows from it."""

import functools
import inspect

import numpy as np

from . import _frames, _tessera

VALUE, PROBABILITY, DENSITY, LOG_DENSITY = "value", "probability", "density", "log density"
_MEASURED = ("x", "loc", "scale")


def _numbers_of_numpy(found):
    if isinstance(found, tuple):
        return tuple(map(_frames.of_numpy, found))
    return _frames.of_numpy(found)


def taken(result):
    """Makes a function take quantities of x, loc and scale, and columns of pandas. result: what it
    returns."""

    def decorated(function):
        names = tuple(inspect.signature(function).parameters)

        @functools.wraps(function)
        def call(*arguments, **options):
            if _frames.are_plain(arguments, options) or len(arguments) > len(names):
                return _numbers_of_numpy(function(*arguments, **options))
            given = {**dict(zip(names, arguments)), **options}
            unit = None
            if any(_frames.has_unit(given.get(name)) for name in _MEASURED):
                _refuse(result, function.__name__, given)
                given, unit = numbers(given, "x" in names)
            found = _numbers_of_numpy(function(**given))
            columns = [given.get(name) for name in names]
            if isinstance(found, tuple):
                found = tuple(_frames.in_tables(end, columns) for end in found)
                return found if unit is None else tuple(_frames.quantity(e, unit) for e in found)
            found = _frames.in_tables(found, columns)
            if unit is None or result == PROBABILITY:
                return found
            return _frames.quantity(
                found, unit if result == VALUE else 1 / _frames.of_differences(unit)
            )

        return call

    return decorated


def _refuse(result, name, given):
    """What has no meaning with units."""
    if result == LOG_DENSITY:
        raise _tessera.InputError(
            f"{name} of a quantity: the logarithm of a density depends on its unit\n"
            "  remedy: give numbers, as in x.to(unit).magnitude, for x, loc and scale"
        )
    if given.get("out") is not None and result != PROBABILITY:
        raise _tessera.InputError(
            "out is an array of numbers, and the result has a unit\n"
            "  remedy: leave it out, or give numbers, as in x.to(unit).magnitude"
        )


def numbers(given, has_x):
    """The arguments as numbers in one unit, and that unit: of x where there is one, else of loc,
    else of scale."""
    if given.get("parameterization") == "S1":
        refuse_s1(given["alpha"], given["beta"])
    if has_x and not _frames.has_unit(given.get("x")):
        raise _tessera.InputError(
            "loc and scale have a unit, and x has none\n  remedy: give all of them units, or none"
        )
    if not _frames.has_unit(given.get("scale")):
        raise _tessera.InputError(
            f"{'x' if has_x else 'loc'} has a unit, and scale has none\n"
            "  remedy: give scale with its unit, as in scale=1 * unit, or numbers for all of them"
        )
    name = "x" if has_x else "loc" if _frames.has_unit(given.get("loc")) else "scale"
    unit = given[name].units
    places = {"loc": located(given.get("loc", 0), unit, "loc")}
    if has_x:
        places["x"] = located(given["x"], unit, "x")
    return {**given, **places, "scale": length(given["scale"], unit, "scale")}, unit


def refuse_s1(alpha, beta):
    """S1 at alpha = 1 is no family of location and scale: what it says depends on the unit."""
    if np.any((np.asarray(alpha) == 1) & (np.asarray(beta) != 0)):
        raise _tessera.InputError(
            "S1 with alpha = 1 has the logarithm of the scale, which depends on its unit\n"
            "  remedy: choose S0, or give numbers for x, loc and scale"
        )


def located(value, unit, name):
    """The number of x or of a location in a unit; 0 is one in each unit without an offset."""
    if _frames.is_quantity(value):
        return _frames.number_in(value, unit, name)
    is_zero = np.ndim(value) == 0 and value == 0 and _frames.of_differences(unit) == unit
    if not is_zero:
        raise _tessera.InputError(
            f"{name} has no unit, and others have\n  remedy: give it one, as in {name} * unit"
        )
    return value


def length(value, unit, name):
    """The number of a scale, which is a difference, in the unit of differences."""
    if not _frames.is_quantity(value):
        raise _tessera.InputError(
            f"{name} has no unit, and others have\n  remedy: give it one, as in {name} * unit"
        )
    if _frames.of_differences(value.units) != value.units:
        raise _tessera.InputError(
            f"{name} is in {value.units}, whose zero is not that of differences\n"
            f"  remedy: give it in {_frames.of_differences(value.units)}"
        )
    return _frames.number_in(value, _frames.of_differences(unit), name)
