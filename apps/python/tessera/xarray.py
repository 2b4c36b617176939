# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""`import tessera.xarray` adds an accessor to xarray's DataArray and Dataset: da.tessera.fill()."""

try:
    import xarray
except ModuleNotFoundError:
    raise ImportError(
        "tessera.xarray needs xarray, which is not installed\n"
        "  remedy: apt-get install python3-xarray, or pip install xarray"
    ) from None

from . import _chunked, _frames, _labelled, _tessera, mpr

__all__ = ["Accessor"]


@xarray.register_dataarray_accessor("tessera")
@xarray.register_dataset_accessor("tessera")
class Accessor:
    """What Tessera does with labelled arrays."""

    def __init__(self, labelled):
        self._labelled = labelled

    def fill(self, mask=None, *, dim=None, std=False, stream=None, **options):
        """The array with its gaps filled, with the same coordinates, attributes and projection.

        mask: true where there are gaps, besides NaN and fill values. dim: the names of rows and
        columns, as in ("y", "x"), instead of those that the CF conventions say; all other
        dimensions are frames then. std: also the standard deviations of the filled sites, in the
        units of the field: a Dataset of the field and of <name>_std, which the attribute
        ancillary_variables names; those of an earlier fill are replaced. Without them a fill takes
        a fraction of the time. options: those of tessera.mpr.fill(), as in seed=1, with its
        accuracy and errors.

        Chunks of dask are filled when they are computed, all of a variable at once: the bits are
        those of a NumPy array however it is chunked. An image of more than 2^29 sites, or with
        stream={"memory": "2 GiB"} or other keys of this section of an input, goes through files in
        windows of bounded memory instead, at once: the result differs from that of the whole image
        by less than 1 % of the standard deviations, root mean square, of a rough field with clouds
        (of a smooth one more: its couplings are known less well from parts of it). That needs
        netCDF4 or h5netcdf.
        """
        labelled = self._labelled
        for name in ("quantiles", "ensemble"):
            if name in options:
                raise _tessera.InputError(
                    f"{name} of da.tessera.fill(), which gives the field and its standard deviations"
                    f"\n  remedy: tessera.mpr.fill(da) has them, as in .{name.rstrip('s')}(...)"
                )
        if (options.get("grid") or {}).get("metric", "auto") == "auto":
            _labelled.warn_of_steps(labelled, dim)
        if not isinstance(labelled, xarray.Dataset):
            if std:
                _check_name(labelled)
            filled, deviations = _fill(labelled, mask, dim, stream, std, options)
            return _with_std(labelled, filled, deviations) if std else filled
        names = _fields_to_fill(labelled, dim, std)
        if any(_chunked.is_lazy(labelled[name]) for name in names) or stream is not None:
            # What says where sites are may be variables; it goes with each field.
            whole = labelled.set_coords([n for n in labelled.data_vars if n not in names])
            found = {name: _fill(whole[name], mask, dim, stream, std, options) for name in names}
        else:
            rest = [_std_name(labelled[n]) for n in names if std]
            both = mpr.fill(
                labelled.drop_vars(rest, errors="ignore"), mask, dim=dim, std=std, **options
            )
            filled, deviations = both.filled, both.std if std else None
            found = {name: (filled[name], std and deviations[name]) for name in names}
        made = {}
        for name, (filled, deviations) in found.items():
            made[name] = labelled[name].copy(data=filled.data)
            made[name].attrs = filled.attrs
            if std:
                deviations = made[name].copy(data=deviations.data)
                made.update(_with_std(labelled[name], made[name], deviations).data_vars)
        return labelled.assign(made)


def _std_name(array):
    """What the standard deviations of a field are called."""
    return f"{array.name if array.name is not None else 'filled'}_std"


def _check_name(array):
    """Raises InputError where a DataArray cannot be in a Dataset with its standard deviations."""
    taken = {array.name, _std_name(array)} & ({*array.coords, *array.dims} - {None})
    if taken:
        raise _tessera.InputError(
            f"the field or its standard deviations would be called '{taken.pop()}', as a coordinate or dimension is"
            "\n  remedy: give the field another name: da.rename('field')"
        )


def _fields_to_fill(dataset, dim, std):
    """The fields of a Dataset, without the standard deviations of other fields that an earlier fill
    has made, which `std` replaces. Raises InputError where something else has their name."""
    names = _labelled.fields(dataset, dim)
    replaced = set()
    for name in names if std else ():
        other = _std_name(dataset[name])
        if other not in dataset.variables:
            continue
        listed = str(dataset[name].attrs.get("ancillary_variables", "")).split()
        if other in dataset.coords or other not in listed:
            raise _tessera.InputError(
                f"the standard deviations of '{name}' would replace '{other}', which this Dataset has"
                f"\n  remedy: rename '{other}', or leave it out"
            )
        replaced.add(other)
    return [name for name in names if name not in replaced]


def _fill(array, mask, dim, stream, std, options):
    """A filled array and its standard deviations, or None."""
    if _chunked.is_lazy(array):
        numbers, unit = _frames.split(array.data)
        array = array if unit is None else array.copy(data=numbers)
        filled, deviations = _chunked.fill(array, mask, dim, stream, std, options)
        if unit is not None:
            filled = _frames.quantity(filled, unit)
            deviations = _frames.quantity(deviations, _frames.of_differences(unit)) if std else None
        filled = array.copy(data=filled)
        filled.attrs = _labelled.attributes_of_filled(array)
        return filled, filled.copy(data=deviations) if std else None
    if stream is not None:
        raise _tessera.InputError(
            "stream is of arrays in chunks, and this one is in memory\n  remedy: leave it out, or open the data with chunks={}"
        )
    found = mpr.fill(array, mask, dim=dim, std=std, **options)
    return found.filled, found.std if std else None


def _with_std(array, filled, deviations):
    """A Dataset of the field and of its standard deviations, which say what they are."""
    name = str(array.name) if array.name is not None else "filled"
    std_name = _std_name(array)
    filled, deviations = filled.rename(name), deviations.rename(std_name)
    # How a file packs the field does not suit them.
    packing = (*_labelled.PACKING, "dtype")
    deviations.encoding = {k: v for k, v in deviations.encoding.items() if k not in packing}
    filled.attrs = dict(filled.attrs)
    listed = str(array.attrs.get("ancillary_variables", "")).split()
    filled.attrs["ancillary_variables"] = " ".join(dict.fromkeys([*listed, std_name]))
    kept = {key: array.attrs[key] for key in ("units", "grid_mapping") if key in array.attrs}
    deviations.attrs = {**kept, "long_name": f"standard deviation of {name}"}
    if "standard_name" in array.attrs:
        deviations.attrs["standard_name"] = f"{array.attrs['standard_name']} standard_error"
    return xarray.Dataset({name: filled, std_name: deviations})
