# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Tables and quantities of other libraries: positions of geopandas, units of pint, and results in
the form of what they are of, also of pandas and polars. None of the libraries is imported unless an
argument comes from it."""

import dataclasses
import functools
import inspect

import numpy as np

from . import _tessera, _warnings


def library(value):
    return type(value).__module__.partition(".")[0]


def is_quantity(value):
    """A Quantity of pint."""
    return hasattr(value, "magnitude") and hasattr(value, "units") and hasattr(value, "to")


def split(value):
    """(numbers, unit) of a quantity; the unit is None for what is none."""
    return (value.magnitude, value.units) if is_quantity(value) else (value, None)


def has_unit(value):
    """Whether a value is a quantity that is no mere number."""
    return is_quantity(value) and not value.dimensionless


def split_unit(value):
    """As split(), of quantities that are no mere numbers; others stay, without a unit."""
    return split(value) if has_unit(value) else (value, None)


def number_in(value, unit, name):
    """The number of a quantity in a unit; a number stays."""
    if not is_quantity(value):
        return value
    return _convert(value, unit, name).magnitude


def _convert(quantity, unit, name):
    try:
        return quantity.to("dimensionless" if unit is None else unit)
    except Exception as error:  # pint's own, which is not imported here
        raise _tessera.InputError(
            f"{name}: {error}\n  remedy: "
            + (
                "give a ratio that can be converted to a number, or its number, .magnitude"
                if unit is None
                else "give it in units that can be converted"
            )
        ) from None


def quantity(values, unit):
    """A quantity of pint, of what pint would not multiply by its unit too."""
    return unit._REGISTRY.Quantity(values, unit)  # of any pint; the only way from a unit alone


def of_differences(unit):
    """The unit of differences of quantities in a unit: that unit, and delta_degC of degC."""
    if unit is None:
        return None
    zero = quantity(0.0, unit)
    return (zero - zero).units


def with_unit(values, unit, power=1):
    """An array as a quantity; as it is without a unit, and numbers of a table. power: of variances
    2, which have the unit of differences, squared."""
    if unit is None or not isinstance(values, np.ndarray):
        return values
    return quantity(values, unit if power == 1 else of_differences(unit) ** power)


@dataclasses.dataclass(frozen=True)
class Frame:
    """What positions are measured in: a unit of pint, and a reference system of geopandas; and the
    names of a table's columns."""

    unit: object = None
    crs: object = None
    columns: tuple = None

    def read(self, value, name, sphere):
        """Positions of a later argument, as a plain array or table."""
        value = self._arranged(value, name)
        positions, own = positions_of(value, name, sphere)
        if (own.unit is None) != (self.unit is None):
            have, lack = (name, "the points") if self.unit is None else ("the points", name)
            raise _tessera.InputError(
                f"{have} have a unit, and {lack} have none\n  remedy: give both units, or neither"
            )
        if own.unit is not None:
            positions = _convert(value, self.unit, name).magnitude
        if own.crs is not None and self.crs is not None and own.crs != self.crs:
            raise _tessera.InputError(
                f"{name} are in {_name(own.crs)}, and the points in {_name(self.crs)}\n"
                "  remedy: convert them by to_crs()"
            )
        return positions

    def _arranged(self, value, name):
        """A table with its columns in the order of the points'."""
        columns = _columns_of(value)
        if self.columns is None or columns in (None, self.columns):
            return value
        if sorted(columns) != sorted(self.columns):
            raise _tessera.InputError(
                f"{name} have the columns {', '.join(columns)}, and the points"
                f" {', '.join(self.columns)}\n  remedy: name them alike, or give .to_numpy()"
            )
        return value[list(self.columns)]


def _columns_of(value):
    """The names of the columns of a table with several; None of anything else."""
    if library(value) not in ("pandas", "polars") or not hasattr(value, "columns"):
        return None
    columns = tuple(value.columns)
    named = len(columns) > 1 and all(isinstance(column, str) for column in columns)
    return columns if named else None


def _name(crs):
    return getattr(crs, "name", None) or str(crs)


def positions_of(value, name, sphere):
    """(positions as a plain array or table, what they are measured in). On a sphere geometries
    give latitude and longitude."""
    if library(value) == "geopandas":
        geometry = value.geometry
        crs = geometry.crs
        if crs is not None and crs.is_geographic and not sphere:
            _warnings.warn(
                f"{name} are longitudes and latitudes, and distances are taken in degrees: project "
                'them by to_crs(), or choose covariance={"metric": "great_circle"}'
            )
        return _coordinates(geometry, name, sphere), Frame(crs=crs)
    columns = _columns_of(value)
    if sphere and columns and columns[0].lower().startswith("lon"):
        raise _tessera.InputError(
            f"{name} have the columns {', '.join(columns)}, and on the sphere the latitude comes"
            " first\n  remedy: give the columns in that order, as in table[[latitude, longitude]]"
        )
    numbers, unit = split(value)
    return numbers, Frame(unit=unit, columns=columns)


def _coordinates(geometry, name, sphere):
    there = np.asarray(geometry.notna() & ~geometry.is_empty)
    kinds = set(geometry[there].geom_type) - {"Point"}
    if kinds:
        raise _tessera.InputError(
            f"{name} hold a {sorted(kinds)[0]}, and points are needed\n  remedy: take .centroid"
        )
    points = geometry[there]
    columns = [points.y, points.x] if sphere else [points.x, points.y]
    if not sphere and len(points) and bool(points.has_z.all()):
        columns.append(points.z)
    found = np.full((len(geometry), len(columns)), np.nan)
    found[there] = np.column_stack([np.asarray(column, dtype=float) for column in columns])
    return found


def like(values, targets):
    """An array [targets] or [targets, columns] in the form of a table of targets: of pandas with
    the index of pandas and geopandas, of polars; otherwise as it is."""
    if values is None:
        return None
    kind = library(targets)
    if kind in ("pandas", "geopandas"):
        import pandas

        return (pandas.Series if values.ndim == 1 else pandas.DataFrame)(values, targets.index)
    if kind == "polars":
        import polars

        if values.ndim == 1:
            return polars.Series(values)
        return polars.DataFrame(values, schema=[str(k) for k in range(values.shape[1])])
    return values


# Types of arguments of which nothing comes back in another form; a set, which is quick to ask.
_PLAIN = {np.ndarray, float, int, bool, str, type(None), list, tuple}
_PLAIN |= {np.float64, np.float32, np.int64, np.bool_, np.ma.MaskedArray}


def are_plain(arguments, options):
    """Whether there is no table and no quantity among the arguments of a call."""
    return _PLAIN.issuperset(map(type, arguments)) and (
        not options or _PLAIN.issuperset(map(type, options.values()))
    )


def of_numpy(value):
    """A number as NumPy's type, which scipy's functions return; anything else as it is."""
    if type(value) is float:
        return np.float64(value)
    return np.complex128(value) if type(value) is complex else value


def keeping_forms(function):
    """A function of two arrays, its first arguments, element by element, whose results have their
    form: Series and DataFrames of pandas with their index, arrays of xarray with their labels,
    arrays of dask, which are computed when they are asked for, and numbers of NumPy."""
    names = tuple(inspect.signature(function).parameters)[:2]

    @functools.wraps(function)
    def call(*arguments, **options):
        # as are_plain(), whose call would cost a third more
        if _PLAIN.issuperset(map(type, arguments)) and (
            not options or _PLAIN.issuperset(map(type, options.values()))
        ):
            return of_numpy(function(*arguments, **options))
        given = {**dict(zip(names, arguments)), **options}
        kinds = {library(given[name]) for name in names if name in given}
        if given.keys() >= set(names) and kinds & {"xarray", "dask"}:
            in_form = _in_xarray if "xarray" in kinds else _in_dask
            return in_form(call, names, arguments, options)
        found = function(*arguments, **options)
        return of_numpy(in_tables(found, (*arguments, *options.values())))

    return call


def _arrays_apart(names, arguments, options):
    """(the two arrays, the other positional arguments and the options). Raises InputError for
    options that are arrays."""
    arrays = list(arguments[:2]) + [options[name] for name in names[len(arguments) :]]
    rest = {key: value for key, value in options.items() if key not in names}
    others = [*arguments[2:], rest.get("out"), rest.get("where")]
    if any(value is not None and not isinstance(value, (bool, str)) for value in others):
        raise _tessera.InputError(
            "out and where are for arrays of NumPy, and an argument is of xarray or dask\n"
            "  remedy: leave them out, or give that argument as .to_numpy() or .compute()"
        )
    return arrays, arguments[2:], rest


def _in_xarray(function, names, arguments, options):
    """As xarray does with NumPy's functions."""
    import xarray

    arrays, more, rest = _arrays_apart(names, arguments, options)
    chosen = xarray.get_options()
    return xarray.apply_ufunc(
        lambda *pair: function(*pair, *more, **rest),
        *arrays,
        dask="allowed",
        join=chosen["arithmetic_join"],
        dataset_join=chosen["arithmetic_join"],
        keep_attrs=True if chosen["keep_attrs"] == "default" else chosen["keep_attrs"],
    )


def _in_dask(function, names, arguments, options):
    from dask.array.core import elemwise

    arrays, more, rest = _arrays_apart(names, arguments, options)
    arrays = [array if hasattr(array, "dtype") else np.asarray(array)[()] for array in arrays]
    types = [array.dtype for array in arrays if array.ndim > 0]
    if any(array.dtype.kind == "c" for array in arrays):
        dtype = np.complex128
    else:
        dtype = np.float32 if all(one == np.float32 for one in types) else np.float64
    return elemwise(
        lambda *pair: function(*pair, *more, **rest), *arrays, dtype=rest.get("dtype") or dtype
    )


def tables_in(arguments):
    """The Series and DataFrames among arguments. Raises InputError where their labels differ."""
    tables = [value for value in arguments if library(value) == "pandas" and hasattr(value, "iloc")]
    _require_one_index(tables)
    return tables


def require_one_index(*arguments):
    """Raises InputError where tables and columns of pandas, also in dicts, have other indices, as
    elements go together by their places."""
    columns = []
    for argument in arguments:
        columns.extend(argument.values() if isinstance(argument, dict) else [argument])
    columns = [
        value
        for value in columns
        if library(value) in ("pandas", "geopandas") and hasattr(value, "iloc")
    ]
    _require_one_index(columns)


def _require_one_index(tables):
    for table in tables[1:]:
        if not table.index.equals(tables[0].index):
            raise _tessera.InputError(
                "columns have other indices, and elements go by their places here\n"
                "  remedy: bring them onto one index, as with b.reindex(a.index), or give"
                " .to_numpy()"
            )


def in_tables(values, arguments):
    """A result in the form of the tables that it was computed from: Series of one index give one,
    with their name if they have the same, and DataFrames of the same columns give one. What has
    masked elements, another shape or other forms stays an array, as does the array given as
    out."""
    if type(values) is not np.ndarray or any(
        value is values or (isinstance(value, tuple) and values is value[0])
        for value in arguments
        if not isinstance(value, tuple) or len(value) == 1
    ):
        return values
    tables = tables_in(arguments)
    if not tables or any(table.shape != values.shape for table in tables):
        return values
    first = tables[0]
    if values.ndim == 1:
        names = [table.name for table in tables]
        same = all(name is names[0] or name == names[0] for name in names)
        return type(first)(values, index=first.index, name=names[0] if same else None)
    if any(not table.columns.equals(first.columns) for table in tables[1:]):
        return values
    return type(first)(values, index=first.index, columns=first.columns)


def form_of(*values):
    """The first table among values, without its columns: what like() gives results the form of.
    None where there is no table."""
    for value in values:
        kind = library(value)
        if kind in ("pandas", "geopandas"):
            import pandas

            return pandas.DataFrame(index=value.index)
        if kind == "polars":
            return value.head(0)
    return None


def is_of_polars(value):
    return library(value) == "polars" and hasattr(value, "to_numpy")


def read_polars(value, name):
    """(numbers, mask or None) of a Series or DataFrame of polars; nulls are masked."""
    if hasattr(value, "get_columns"):
        parts = [read_polars(column, f"{name}[{column.name!r}]") for column in value.get_columns()]
        if not parts:
            return np.empty(value.shape), None
        values = np.stack([part for part, _ in parts], axis=1)
        masks = [np.zeros(len(values), bool) if mask is None else mask for _, mask in parts]
        masked = any(mask is not None for _, mask in parts)
        return values, np.stack(masks, axis=1) if masked else None
    if not (value.dtype.is_numeric() or str(value.dtype) == "Boolean"):
        raise _tessera.ArgumentTypeError(f"{name} holds {value.dtype}; real numbers are needed")
    missing = np.asarray(value.is_null().to_numpy(), dtype=bool)
    values = np.array([np.nan if v is None else v for v in value.to_list()], dtype=float)
    return values, (missing if missing.any() else None)
