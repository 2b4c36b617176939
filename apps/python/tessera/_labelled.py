# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""What xarray's arrays say of themselves by the CF conventions, read as tessera-mpr reads it in a
file: which numbers stand for none, what the dimensions stand for, and where rows and columns
are."""

import numpy as np

from . import _tessera, _warnings

PACKING = ("scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned")
_RANGE = ("valid_min", "valid_max", "valid_range")
_BELOW_DEFAULT_FILL = 9e36  # netCDF's of floating-point numbers is 9.97e36


def _attribute(value):
    """A text, or numbers and whether they are in floating point; None for what is neither."""
    if isinstance(value, (str, bytes)):
        return value if isinstance(value, str) else value.decode(errors="replace")
    numbers = np.atleast_1d(np.asarray(value))
    if numbers.dtype.kind not in "fiub" or numbers.ndim != 1:
        return None
    return [float(number) for number in numbers], numbers.dtype.kind == "f"


def _attributes(*sources):
    found = {}
    for names, source in sources:
        for name in names:
            if name in source and source[name] is not None:
                value = _attribute(source[name])
                if value is not None:
                    found[name] = value
    return found


def _type(dtype):
    return (
        f"{ {'f': 'float', 'i': 'int', 'u': 'uint', 'b': 'uint'}[dtype.kind]}{8 * dtype.itemsize}"
    )


def holds_numbers_of_a_file(array):
    """Whether an array was opened without decoding: its attributes say what its numbers stand
    for."""
    return array.dtype.kind in "fiu" and any(name in array.attrs for name in PACKING)


def decode(array):
    """The values of an array, NaN where it has none; the array itself where all of its numbers are
    values."""
    values = np.asarray(array.values)
    if values.dtype.kind not in "fiu":
        return values
    place = str(array.name or "z")
    if holds_numbers_of_a_file(array):
        attributes = _attributes((PACKING + _RANGE, array.attrs))
        found = _tessera.decode(
            values,
            _type(values.dtype),
            place,
            values.dtype.kind == "f" or _is_of_netcdf(array),
            attributes,
        )
        return (
            _like(values, found)
            if not attributes.keys() & {"scale_factor", "add_offset", "_Unsigned"}
            else found
        )
    return _mark(array, values, place)


def _is_of_netcdf(array):
    return "original_shape" in array.encoding or "chunksizes" in array.encoding


def _like(values, found):
    """Values with NaN where `found` has it, in the type of numbers where that holds NaN."""
    gaps = np.isnan(found)
    if not gaps.any():
        return values
    kept = values if values.dtype.kind == "f" else values.astype(np.float64)
    return np.where(gaps, np.asarray(np.nan, kept.dtype), kept)


def _mark(array, values, place):
    """Of an array that xarray has decoded: what it does not obey, a valid range and netCDF's
    default fill value, and marks put in since."""
    scale, offset = float(array.encoding.get("scale_factor", 1) or 1), float(
        array.encoding.get("add_offset", 0) or 0
    )
    packed = (scale, offset) != (1, 0)
    in_file = (
        np.dtype(array.encoding["dtype"])
        if isinstance(array.encoding.get("dtype"), (np.dtype, type))
        else values.dtype
    )
    if in_file.kind not in "fiu":
        in_file = values.dtype
    attributes = _attributes((_RANGE, array.attrs), (PACKING, array.encoding))
    has_default = (
        in_file.kind == "f" or _is_of_netcdf(array)
    ) and "_FillValue" not in array.encoding
    if not attributes and not has_default:
        return values
    if not attributes and in_file.kind == "f" and not (values > _BELOW_DEFAULT_FILL).any():
        return values
    numbers = values.astype(np.float64)
    if packed:
        numbers = (numbers - offset) / scale
    if in_file.kind in "iu":
        numbers = np.where(np.isfinite(numbers), np.rint(numbers) if packed else numbers, np.nan)
        attributes.pop("_Unsigned", None)  # xarray has undone it
    return _like(values, _tessera.decode(numbers, _type(in_file), place, has_default, attributes))


def attributes_of_filled(array):
    """The attributes of values in place of numbers of a file."""
    return {
        key: value
        for key, value in array.attrs.items()
        if not holds_numbers_of_a_file(array) or key not in PACKING + _RANGE
    }


def _text(value):
    return value if isinstance(value, str) else ""


def _coordinate(array, dimension):
    """Name, units, standard name, axis and values of the coordinate of a dimension."""
    if dimension not in array.coords:
        return str(dimension), "", "", "", []
    coordinate = array.coords[dimension]
    attributes = coordinate.attrs
    if coordinate.dtype.kind in "fiu":
        values = decode(coordinate)
        units = attributes.get("units", "")
    else:
        values, units = _times(coordinate)
    return (
        str(dimension),
        _text(units),
        _text(attributes.get("standard_name")),
        _text(attributes.get("axis")),
        [float(value) for value in np.atleast_1d(values)],
    )


def _times(coordinate):
    """Times as numbers, with their units; nothing of other objects."""
    import xarray

    try:
        numbers = xarray.conventions.encode_cf_variable(coordinate.variable)
        if numbers.dtype.kind in "fiu":
            return np.asarray(numbers.values, dtype=np.float64), numbers.attrs.get("units", "")
    except (TypeError, ValueError, NotImplementedError):  # the last is of a MultiIndex
        pass
    return [], ""


def _mapping(array, others):
    """Place, name and well-known text of the projection."""
    name = (
        _text(array.encoding.get("grid_mapping") or array.attrs.get("grid_mapping"))
        .split(":")[0]
        .strip()
    )
    if not name:
        name = next((known for known in ("spatial_ref", "crs") if known in array.coords), "")
    if not name:
        return "", "", ""
    found = (
        array.coords[name]
        if name in array.coords
        else others[name]
        if others is not None and name in others
        else None
    )
    attributes = {} if found is None else found.attrs
    return (
        name,
        _text(attributes.get("grid_mapping_name")),
        _text(attributes.get("crs_wkt") or attributes.get("spatial_ref")),
    )


def place(array, others=None):
    """What the library is told of an array: the coordinates of its dimensions, its projection, and
    what is known of its single sites. others: the Dataset that it is of."""
    return (
        [_coordinate(array, dimension) for dimension in array.dims],
        _mapping(array, others),
        _places_of_sites(array, others),
    )


def _places_of_sites(array, others):
    """Name, units, standard name and axis of the coordinates that have the last two dimensions; of
    the Dataset's variables where there are none."""
    found = {
        str(name): coordinate
        for name, coordinate in array.coords.items()
        if set(array.dims[-2:]) <= set(coordinate.dims)
    }
    if others is not None:
        found.update(
            (str(name), others[name])
            for name in others.variables
            if name != array.name
            and str(name) not in found
            and set(array.dims[-2:]) <= set(others[name].dims)
        )
    return [
        (
            name,
            *(_text(coordinate.attrs.get(key)) for key in ("units", "standard_name", "axis")),
            [],
        )
        for name, coordinate in found.items()
    ]


def fields(dataset, dim=None):
    """The variables of a Dataset that are fields: of floating-point numbers, or numbers of a file,
    with two or three dimensions, or with those of dim."""
    names = [
        name
        for name, array in dataset.data_vars.items()
        if (array.ndim in (2, 3) if dim is None else set(dim) <= set(array.dims))
        and (array.dtype.kind == "f" or holds_numbers_of_a_file(array))
    ]
    if not names:
        raise _tessera.InputError(
            "the Dataset has no variable of floating-point numbers with two or three dimensions"
            if dim is None
            else f"the Dataset has no variable of floating-point numbers with the dimensions {tuple(dim)}"
        )
    return names


def order(array):
    """The dimensions in the order in which rows and columns of images are the last."""
    return [array.dims[d] for d in _tessera.order_of_images(place(array))]


def order_of(array, dim=None):
    """The same with rows and columns by name."""
    if dim is None:
        if array.ndim > 3:
            raise _tessera.InputError(
                f"z has the dimensions {tuple(map(str, array.dims))}\n  remedy: name those of rows and columns, as in dim=('y', 'x')"
            )
        return order(array)
    names = list(dim) if isinstance(dim, (tuple, list)) else [dim]
    unknown = [name for name in names if name not in array.dims]
    if unknown or len(set(names)) != 2:
        raise _tessera.InputError(
            f"dim is {dim!r}, and z has the dimensions {tuple(map(str, array.dims))}\n  remedy: name two of them, rows and columns"
        )
    return [name for name in array.dims if name not in names] + names


def frames(array):
    """An array whose rows and columns are the last dimensions, with all before them as one that has
    no name where the conventions would take other dimensions for rows and columns."""
    import xarray

    if array.ndim <= 2 or (array.ndim == 3 and order(array) == list(array.dims)):
        return array
    own = set(array.dims[-2:])
    flat = xarray.DataArray(
        array.values.reshape(-1, *array.shape[-2:]),
        dims=("frames_of_tessera", *array.dims[-2:]),
        coords={
            name: coordinate
            for name, coordinate in array.coords.items()
            if set(coordinate.dims) <= own
        },
        attrs=array.attrs,
        name=array.name,
    )
    flat.encoding = array.encoding
    return flat


def in_frames(mask, array):
    """A mask of an array in the form of frames()."""
    if mask is None or array.ndim <= 3 or np.ndim(mask) == 2:
        return mask
    return np.broadcast_to(mask, array.shape).reshape(-1, *array.shape[-2:])


def sites(mask, array, dimensions, name):
    """A mask in the order of `dimensions`: by the names of its own where it has them, else by those
    of the array."""
    import xarray

    if not isinstance(mask, xarray.DataArray):
        return _sites_without_names(mask, array, dimensions)
    unknown = [str(dimension) for dimension in mask.dims if dimension not in array.dims]
    if unknown or any(dimension not in mask.dims for dimension in dimensions[-2:]):
        raise _tessera.InputError(
            f"{name} has the dimensions {tuple(map(str, mask.dims))}, and the field {tuple(map(str, array.dims))}"
            f"\n  remedy: give it those of the field, as with {name}.rename(...), or a NumPy array"
        )
    for dimension in mask.dims:
        _check_same(mask, array, dimension, name)
    marked = mask.transpose(*[dimension for dimension in dimensions if dimension in mask.dims])
    values = np.asarray(marked.values)
    if values.dtype.kind in "iu":
        values = (
            np.where(np.isnan(decode(marked)), 0, values)
            if holds_numbers_of_a_file(marked)
            else values
        )
    return values


def _check_same(mask, array, dimension, name):
    if dimension not in mask.coords or dimension not in array.coords:
        return
    ours, theirs = array.coords[dimension].values, mask.coords[dimension].values
    if ours.shape == theirs.shape and ours.dtype.kind in "fiu" and theirs.dtype.kind in "fiu":
        step = np.abs(np.diff(ours)).max(initial=0)
        same = np.allclose(ours, theirs, rtol=1e-6, atol=1e-3 * step, equal_nan=True)
    else:
        same = np.array_equal(ours, theirs)
    if not same:
        raise _tessera.InputError(
            f"{name} and the field have other coordinates along '{dimension}'"
            f"\n  remedy: bring them onto the same grid, as with {name}.reindex_like(z)"
        )


def _sites_without_names(mask, array, dimensions):
    if mask is None or list(array.dims) == list(dimensions) or not hasattr(mask, "ndim"):
        return mask
    own = (
        list(array.dims)
        if mask.ndim == len(array.dims)
        else [d for d in array.dims if d in dimensions[-2:]]
    )
    if mask.ndim != len(own):
        return mask
    return np.transpose(mask, [own.index(d) for d in dimensions if d in own])


def warn_of_steps(labelled, dim):
    """Warns where coordinates without units are not evenly spaced: cells then count as squares.
    labelled: an array or a Dataset; dim: the names of rows and columns, or None."""
    is_dataset = hasattr(labelled, "data_vars")
    arrays = [labelled[name] for name in fields(labelled, dim)] if is_dataset else [labelled]
    for name in dict.fromkeys(name for array in arrays for name in order_of(array, dim)[-2:]):
        coordinate = labelled.coords.get(name)
        if coordinate is None or coordinate.dtype.kind not in "fiu" or coordinate.size < 3:
            continue
        if coordinate.attrs.get("units") or coordinate.attrs.get("standard_name"):
            continue  # the program says what it takes
        steps = np.diff(coordinate.values.astype(float))
        if not np.ptp(steps) <= 0.01 * abs(steps.mean()):
            _warnings.warn(
                f"the coordinate {name!r} is not evenly spaced and has no units: cells count as "
                "squares; interpolate to even steps first, or give it the units m or km"
            )
