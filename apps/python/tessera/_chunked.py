# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Fills of DataArrays whose numbers are chunks of dask: computed when they are asked for, or in a
stream through files where they do not fit into memory."""

import importlib.util
import os

import numpy as np

from . import _labelled, _tessera, mpr, runs

MOST_AT_ONCE = 2**29  # sites, of which the host holds 9 to 16 bytes each


def is_lazy(array):
    """Whether the numbers of a DataArray are chunks."""
    return getattr(array, "chunks", None) is not None


def fill(array, mask, dim, stream, std, options):
    """(the filled field, standard deviations or None): arrays of dask, chunked as the array is."""
    if stream is None and array.size > MOST_AT_ONCE and array.ndim == 2:
        stream = {}
    if stream is not None:
        return _fill_in_windows(array, mask, dim, stream, options)
    import dask
    import dask.array

    whole = _form(array)

    # One task for the whole array: its couplings and temperature are those of all of its samples,
    # so that how it is divided cannot change a bit.
    def work(values, marked):
        found = mpr.fill(whole(values), marked, dim=dim, std=std, **options)
        return np.asarray(found.filled), np.asarray(found.std) if std else None

    both = dask.delayed(work, pure=False)(array.data, mask)
    dtype = _type_of_values(array)

    def chunks_of(part):
        return dask.array.from_delayed(part, array.shape, dtype).rechunk(array.chunks)

    return chunks_of(both[0]), chunks_of(both[1]) if std else None


def _form(array):
    """What makes numbers of the same shape, or of a part of it, an array with the same labels."""
    import xarray

    coords = {name: coordinate.variable for name, coordinate in array.coords.items()}
    shape, encoding = array.shape, array.encoding
    labels = {"dims": array.dims, "name": array.name, "attrs": array.attrs}

    def made(values):
        part = xarray.DataArray(values, coords if np.shape(values) == shape else None, **labels)
        part.encoding = encoding
        return part

    return made


def _type_of_values(array):
    """Without looking at the numbers."""
    dtype = _labelled.decode(_form(array)(np.empty((0,) * array.ndim, array.dtype))).dtype
    return dtype if dtype in (np.float32, np.float64) else np.dtype(np.float64)


class _OnDisk:
    """A dataset of a results file, read by parts; its folder goes with it."""

    def __init__(self, path, name, folder):
        self._path, self._name, self._folder = path, name, folder
        with self._open() as file:
            self.shape, self.dtype = file[name].shape, file[name].dtype
        self.ndim = len(self.shape)

    def _open(self):
        import h5py

        return h5py.File(self._path, "r")

    def __getitem__(self, place):
        with self._open() as file:
            return file[self._name][place]


def _fill_in_windows(array, mask, dim, stream, options):
    """By a run of tessera-mpr with the key stream, which reads and writes windows."""
    import dask.array

    sections = {key: options[key] for key in ("model", "simulation", "grid") if options.get(key)}
    unknown = set(options) - {"model", "simulation", "grid", "seed", "backend", "verbose"}
    if unknown or array.ndim != 2:
        raise _tessera.InputError(
            f"a stream fills one image, and {', '.join(sorted(unknown)) or str(array.ndim) + ' dimensions'} cannot be\n  remedy: leave stream out, or fill the images one by one"
        )
    order, dtype = _labelled.order_of(array, dim), _type_of_values(array)
    form = _form(array)
    values = array.data.map_blocks(
        lambda block: _labelled.decode(form(block)).astype(dtype), dtype=dtype
    )
    folder = runs.TemporaryFolder()
    source = {"file": os.path.join(folder.name, "data.nc"), "dataset": "field"}
    plain = array.copy(data=values)
    plain.attrs = _labelled.attributes_of_filled(array)
    plain.encoding = {}
    _write(plain.transpose(*order), source)
    if mask is not None:
        marked = mask if hasattr(mask, "dims") else array.copy(data=np.asarray(mask))
        source["mask"] = {"file": os.path.join(folder.name, "mask.nc"), "dataset": "field"}
        plain = marked.transpose(*order).astype(np.int8)
        _write(plain.drop_vars(list(plain.coords)).assign_attrs({}), source["mask"])
    output = os.path.join(folder.name, "filled.h5")
    results = runs.run(
        {"app": "mpr", "task": "fill", "input": source, "stream": dict(stream), **sections},
        output=output,
        **{key: options[key] for key in ("seed", "backend", "verbose") if key in options},
    )
    results.close()
    for path in (source["file"], source.get("mask", {}).get("file")):
        if path:
            os.remove(path)
    chunks = tuple(array.chunks[array.dims.index(name)] for name in order)
    return tuple(
        dask.array.from_array(
            _OnDisk(output, f"results/{name}", folder), chunks=chunks, lock=True, asarray=True
        )
        .transpose([order.index(name) for name in array.dims])
        .astype(dtype)
        for name in ("filled", "std")
    )


def _write(array, source):
    engine = next(
        (name for name in ("netCDF4", "h5netcdf") if importlib.util.find_spec(name)), None
    )
    if engine is None:
        raise _tessera.InputError(
            "a stream goes through a NetCDF file, and neither netCDF4 nor h5netcdf is installed\n  remedy: apt-get install python3-netcdf4, or pip install netCDF4"
        )
    named = array.rename(source["dataset"])
    named.to_netcdf(source["file"], engine=engine.lower())
