# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Fills gaps in images, terrain and stacks by the modified planar rotator, with maps of the
uncertainty.

    filled = tessera.mpr.fill(z)  # gaps are NaN, masked, or where mask is true
    filled.mean, filled.std, filled.quantile([0.05, 0.95]), filled.ensemble(20)
    filled = tessera.mpr.fill(band, profile=dataset.profile)  # of rasterio, with nodata and crs
    target.write(filled.filled, 1); filled.profile

An xarray DataArray or Dataset gives xarray back, with its coordinates and attributes; `import
tessera.xarray` adds da.tessera.fill(). Arrays on a GPU (CuPy, PyTorch, whatever has
__cuda_array_interface__ or DLPack) are taken and given back there, without copies.

The numbers of a fill are those of tessera-mpr with the same array.

Method: models/mpr/METHOD.md; the keys of options: models/mpr/PARAMETERS.md. 95 % intervals of the
terrain of the tests hold 92.5 to 97.5 % of the values.
"""

import functools
from collections.abc import Mapping

import numpy as np

from . import _arguments, _frames, _html, _labelled, _profiles, _tessera, runs
from ._warnings import warn

__all__ = ["Fill", "fill"]


class Fill:
    """What fill() found, in the form of its argument: an array, there too where it lies on a GPU, a
    quantity of pint, a DataArray or a Dataset.

    filled: the field without gaps. mean: the same, NaN at inactive sites. std: standard deviations
    of the filled sites, 0 elsewhere. results: of the run, with its couplings and temperature; of a
    Dataset, by variable. Made when they are asked for; not of arrays on a GPU. profile: with
    fill(profile=...), the profile of a rasterio dataset that `filled` is written to: float numbers,
    NaN for no data.
    """

    def __init__(self, parts, wrap, profile=None, units=None):
        self._parts, self._wrap, self.profile = parts, wrap, profile
        self._units = units or {}  # of pint, by name

    filled = property(lambda self: self._map("filled"))
    mean = property(lambda self: self._map("mean"))
    std = property(lambda self: self._map("std", _frames.of_differences))

    @property
    def results(self):
        found = {name: part.results for name, part in self._parts.items()}
        return found[None] if None in found else found

    def quantile(self, q):
        """The field's quantile q, 1e-6 to 0.999999, at each site, calibrated on samples held out. A
        list of them gives a new first dimension (`quantile`)."""
        numbers = _quantiles(q)
        if np.ndim(q) == 0:
            return self._in_units(
                {name: part.quantiles(numbers)[0] for name, part in self._parts.items()}
            )
        if not numbers:
            raise _tessera.InputError(
                "there is no quantile in an empty list\n  remedy: give a number, or some: [0.05, 0.95]"
            )
        return self._in_units(
            {name: part.stack(part.quantiles(numbers)) for name, part in self._parts.items()},
            "quantile",
            numbers,
        )

    def ensemble(self, n):
        """n realisations given the samples, along a new first dimension (`member`)."""
        n = _arguments.whole_between(n, "n", 1, 10000)
        return self._in_units(
            {name: part.ensemble(n) for name, part in self._parts.items()}, "member"
        )

    def _map(self, name, unit_of=lambda unit: unit):
        maps = {key: part.map(name) for key, part in self._parts.items()}
        return self._in_units(maps, unit_of=unit_of)

    def _in_units(self, found, *dimension, unit_of=lambda unit: unit):
        """What was found in the form of the argument, with its units."""
        with_units = {
            name: _frames.with_unit(values, unit_of(self._units.get(name)))
            for name, values in found.items()
        }
        return self._wrap(with_units, *dimension)

    def __array__(self, dtype=None, copy=None):
        array = np.asarray(self.filled, dtype=dtype)
        return array.copy() if copy else array

    def __repr__(self):
        return "\n".join(
            f"{name or 'field'}: {part.summary()}" for name, part in self._parts.items()
        )

    def _repr_html_(self):
        """A table for notebooks: sites of each field and how many of them were filled."""
        rows, notes = [], []
        for name, part in self._parts.items():
            sites, filled = part.counts()
            unit = self._units.get(name)
            count = "" if filled is None else filled
            rows.append((name or "field", sites, count, "" if unit is None else unit))
            notes += part.warnings() + (["on a GPU"] if filled is None else [])
        return _html.table("Fill", ("field", "sites", "filled", "unit"), rows, notes)


def _quantiles(q, name="q"):
    """The numbers of a quantile or of a list of them, as the program takes them for
    output.quantiles."""
    try:
        numbers = np.asarray(q)
        numbers = (
            numbers.astype(np.float64) if numbers.dtype.kind in "fiu" or numbers.size == 0 else None
        )
    except (TypeError, ValueError):
        numbers = None
    if numbers is None or numbers.ndim > 1:
        raise _tessera.InputError(
            f"{name} is {q!r}, but must be a number between 1e-06 and 0.999999, or a list of them"
        )
    for number in map(float, np.atleast_1d(numbers)):
        if not 1e-6 <= number <= 0.999999:
            raise _tessera.InputError(
                f"a quantile of {number}, but must be between 1e-06 and 0.999999"
                "\n  remedy: give the part of the values below it: 0.95 for 95 %"
            )
    return np.atleast_1d(numbers).tolist()


def _section(section, name):
    """The keys of a section of an input, none where it is None."""
    if section is None:
        return {}
    if not isinstance(section, Mapping):
        raise _tessera.InputError(
            f"{name} is {section!r}, but must be a dict of the keys of this section, as in model={{'temperature': 0.01}}"
        )
    return dict(section)


def _alone(found, *_):
    """The form of results of one field: as they are."""
    return found[None]


class _Part:
    """One array and what was found of it. What was not asked for at first takes another fill, of
    the same bits."""

    def __init__(self, values, missing, inactive, options):
        self._values, self._missing, self._inactive, self._options = (
            values,
            missing,
            inactive,
            options,
        )
        self._on_device = _tessera.is_on_device(values)
        self._shape = _tessera.shape_on_device(values, "z") if self._on_device else values.shape
        self._maps, self._runs, self._quantiles = {}, {}, {}
        self._fill(options["quantiles"], options["std"])

    def _fill(self, quantiles, std):
        """Fills in place of a run, unless that is needed."""
        if not self._is_direct():
            if self._on_device:
                raise _tessera.InputError(
                    "an array on a GPU cannot be filled with a transform, background, trend, errors of samples or realisations"
                    "\n  remedy: give a NumPy array"
                )
            self._runs.setdefault(
                None,
                self._run(
                    {**({"quantiles": quantiles} if quantiles else {}), **self._options["output"]}
                ),
            )
            return
        run = self._options["run"]
        found = _tessera.fill(
            self._values,
            run["backend"],
            missing=self._missing,
            inactive=self._inactive,
            third_axis=self._options["third_axis"],
            place=self._options["place"],
            coordinates=self._options["coordinates"],
            options=runs.to_yaml({"model": {}, **self._options["sections"]}),
            seed=run["seed"] or 0,
            mean=self._inactive is not None,
            deviation=std,
            quantiles=quantiles,
        )
        names = [
            "filled",
            *(["mean"] if self._inactive is not None else []),
            *(["std"] if std else []),
        ]
        self._maps.update(zip(names, found))
        self._maps.setdefault("mean", found[0])
        self._quantiles.update(zip(quantiles, found[len(names) :]))

    def _is_direct(self):
        model = self._options["sections"].get("model", {})
        runs_only = {"background", "noise", "trend"} & model.keys() or model.get(
            "transform", "none"
        ) != "none"
        return not runs_only and not self._options["output"] and not self._options["run"]["verbose"]

    def _run(self, outputs):
        arrays = {"data": self._values, "mask": self._missing, "inactive": self._inactive}
        arrays = {name: array for name, array in arrays.items() if array is not None}
        source = {"file": "memory:data", "third_axis": self._options["third_axis"]}
        source.update(
            {name: {"file": "memory:" + name} for name in ("mask", "inactive") if name in arrays}
        )
        document = {
            "app": "mpr",
            "task": "fill",
            **self._options["sections"],
            "input": source,
            "output": outputs,
        }
        places = {"data": self._options["place"]} if self._options["place"] else {}
        coordinates = {"data": self._options["coordinates"]} if self._options["coordinates"] else {}
        return runs.run_in_memory(
            {key: value for key, value in document.items() if value != {}},
            arrays,
            places=places,
            coordinates=coordinates,
            **self._options["run"],
        )

    @property
    def results(self):
        if self._on_device:
            raise _tessera.InputError(
                "there are no results of an array on a GPU\n  remedy: give a NumPy array"
            )
        if None not in self._runs:
            self._runs[None] = self._run(self._options["output"])
        return self._runs[None]

    def map(self, name):
        if not self._is_direct():
            return self._read(name, self.results)
        if name not in self._maps:  # standard deviations
            self._fill([], True)
        return self._maps[name]

    def _read(self, name, results):
        values = results["results/" + name]
        shape = (len(values), *self._shape) if name == "ensemble" else self._shape
        return values.reshape(shape).astype(self._values.dtype, copy=False)

    def quantiles(self, numbers):
        """The map of each of these quantiles; those that are not there yet come from one fill."""
        if self._is_direct():
            new = [q for q in dict.fromkeys(numbers) if q not in self._quantiles]
            if new:
                self._fill(new, False)
            return [self._quantiles[q] for q in numbers]
        names = {q: f"quantile_{q:.6g}" for q in numbers}
        new = [
            q
            for q, name in names.items()
            if name not in self.results.results and name not in self._runs
        ]
        if new:
            self._runs.update(dict.fromkeys((names[q] for q in new), self._run({"quantiles": new})))
        return [self._read(names[q], self._runs.get(names[q], self.results)) for q in numbers]

    def stack(self, maps):
        if self._on_device:
            raise _tessera.InputError(
                "several quantiles at once of an array on a GPU are not made\n  remedy: call once for each of them"
            )
        return np.stack(maps)

    def ensemble(self, n):
        if self._on_device:
            raise _tessera.InputError(
                "realisations of an array on a GPU are not made\n  remedy: give a NumPy array"
            )
        for results in self._runs.values():
            if "ensemble" in results.results and len(results["results/ensemble"]) >= n:
                return self._read("ensemble", results)[:n]
        self._runs["ensemble"] = self._run({"ensemble": n})
        return self._read("ensemble", self._runs["ensemble"])

    def warnings(self):
        """Notes of the warnings of the run; none where no run was made."""
        return _html.warnings_of(self._runs.get(None))

    def counts(self):
        """The extents of the field as a text, and how many sites were filled: None on a GPU."""
        sites = " x ".join(map(str, self._shape))
        if self._on_device:
            return sites, None
        missing = (
            np.isnan(self._values)
            if self._missing is None
            else np.isnan(self._values) | self._missing.astype(bool)
        )
        if self._inactive is not None:
            missing &= ~self._inactive.astype(bool)
        return sites, int(missing.sum())

    def summary(self):
        sites, filled = self.counts()
        return f"{sites} sites" + (" on a GPU" if filled is None else f", {filled} of them filled")


def fill(
    z,
    mask=None,
    *,
    inactive=None,
    profile=None,
    third_axis="frames",
    dim=None,
    quantiles=(),
    ensemble=0,
    std=True,
    model=None,
    simulation=None,
    grid=None,
    seed=None,
    backend=None,
    verbose=False,
):
    """Fills the gaps of an image or a stack: a Fill.

    z: (rows, columns) or (frames, rows, columns); float32, float64 or whole numbers; a NumPy array,
    a masked array, an array of float32 or float64 on a GPU, a DataArray, or a Dataset, whose
    floating-point variables of two and three dimensions are filled one by one. Gaps are NaN,
    masked, or where `mask` is true. mask, inactive: of the shape of z, or of one image of it, on
    the host; inactive sites are no part of the field, and stay as they are. profile: of the
    rasterio dataset that z was read from. Its nodata is a gap too, and its transform and crs say
    how far cells are from each other, as grid={"metric": "auto"} takes it; crs is an object with
    to_wkt(), or well-known text. Fill.profile is that of the result. A DataArray says by the CF
    conventions, as a file says it to tessera-mpr, which numbers stand for none (_FillValue,
    missing_value, valid_range and packing among its attributes; results are values), how far cells
    are from each other (latitudes and longitudes, lengths), and which dimensions are rows and
    columns: (lat, lon, time) is taken as frames of lat by lon, and given back as it was. Dimensions
    of masks that are DataArrays go by their names. third_axis: "frames", independent images, of
    which those without a sample stay empty, or "coupled", depth or time. dim: of a DataArray or a
    Dataset, the names of the dimensions of rows and columns, instead of those that the conventions
    say; there may be several others then, which are frames. Of a DataFrame of pandas, rows by
    columns, results are DataFrames with its index and columns. quantiles, ensemble: to be made at
    once; others take a fill of their own when they are asked for. std: whether standard deviations
    are made at once; the field alone takes a fraction of the time, most of all where gaps are wide.
    model, simulation, grid: sections of an input of tessera-mpr, as in model={"temperature": 0.01}.
    Of a quantity of pint, or a DataArray that holds one, results are quantities in its unit;
    numbers of the sections and Fill.results are those of this unit.

    Raises InputError for infinite samples, data without a sample, shapes, names of dimensions and
    coordinates that do not fit, and numbers out of range. Warns, with TesseraWarning, of frames
    without a sample, and when nothing is missing.
    """
    if third_axis not in ("frames", "coupled"):
        raise _tessera.InputError(
            f"third_axis is {third_axis!r}, but must be 'frames' or 'coupled'"
        )
    ensemble = _arguments.whole_between(ensemble, "ensemble", 0, 10000)
    seed = _arguments.seed_of_run(seed)
    sections = {
        name: _section(section, name)
        for name, section in (("model", model), ("simulation", simulation), ("grid", grid))
        if section is not None
    }
    options = {
        "sections": sections,
        "third_axis": third_axis,
        "quantiles": list(dict.fromkeys(_quantiles(quantiles, "quantiles"))),
        "std": bool(std),
        "output": {"ensemble": ensemble} if ensemble else {},
        "place": None,
        "coordinates": None,
        "run": {"seed": seed, "backend": backend, "verbose": verbose},
    }
    z, unit = _frames.split(z)
    if profile is not None:
        return _fill_profiled(z, mask, inactive, profile, options, unit)
    kind = type(z).__module__.partition(".")[0]
    if kind == "xarray":
        return _fill_xarray(z, mask, inactive, options, dim)
    if dim is not None:
        raise _tessera.InputError(
            "dim names dimensions, which this array has not\n  remedy: leave it out, or give a DataArray"
        )
    if kind == "pandas" and np.ndim(z) == 2:
        return _fill_frame(z, mask, inactive, options)
    part = _part(z, mask, inactive, options)
    return Fill({None: part}, _alone, units={None: unit})


def _fill_profiled(z, mask, inactive, profile, options, unit):
    options["place"] = _profiles.place(profile)
    _profiles.check_shape(
        profile, _tessera.shape_on_device(z, "z") if _tessera.is_on_device(z) else np.shape(z)
    )
    part = _part(z, mask, inactive, options, profile.get("nodata"))
    return Fill(
        {None: part},
        _alone,
        _profiles.of_filled(profile, part.map("filled")),
        {None: unit},
    )


def _part(z, mask, inactive, options, nodata=None):
    if _tessera.is_on_device(z):
        if nodata is not None and nodata == nodata:
            raise _tessera.InputError(
                f"an array on a GPU with nodata {nodata}\n  remedy: make these numbers NaN there, and nodata too"
            )
        return _Part(z, *_masks(None, mask, inactive, _tessera.shape_on_device(z, "z")), options)
    masked = np.ma.getmaskarray(z) if isinstance(z, np.ma.MaskedArray) else None
    values = np.ma.getdata(z) if masked is not None else np.asarray(z)
    # nullable columns
    if values.dtype.kind == "O" and type(z).__module__.partition(".")[0] == "pandas":
        values = z.to_numpy(dtype=np.float64, na_value=np.nan)
    if values.dtype.kind not in "fiub":
        raise _tessera.ArgumentTypeError(f"z holds {values.dtype}; real numbers are needed")
    if nodata is not None and nodata == nodata:
        gaps = _is_nodata(values, nodata)
        masked = gaps if masked is None else masked | gaps
    if values.dtype.kind != "f" or values.dtype.itemsize not in (4, 8):
        values = _doubles(values, masked)
    if values.dtype.byteorder not in ("=", "|"):
        values = values.astype(values.dtype.newbyteorder("="))
    return _part_of_frames(values, *_masks(masked, mask, inactive, values.shape), options)


def _is_nodata(values, nodata):
    """Where numbers are the one for no data, in their own type."""
    if values.dtype.kind == "f":
        with np.errstate(over="ignore"):
            return values == np.asarray(nodata).astype(values.dtype)
    return values == nodata if float(nodata).is_integer() else np.zeros(values.shape, bool)


def _doubles(values, masked):
    """Numbers in double precision, which must hold them."""
    doubles = values.astype(np.float64)
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        large = np.abs(doubles) >= 2.0**53
        if masked is not None:
            large &= ~masked
        if large.any():
            raise _tessera.InputError(
                f"z holds {values[large][0]}, which double precision does not hold exactly\n  remedy: take an offset off, or mark it as missing"
            )
    return doubles


def _part_of_frames(values, missing, inactive, options):
    """A part in which frames without a sample are inactive and NaN, with a warning; those with
    samples are filled."""
    gaps = np.isnan(values)
    if missing is not None:
        gaps |= missing.astype(bool)
    rest = np.zeros(values.shape[-2:], bool) if inactive is None else inactive.astype(bool)
    gaps &= ~rest
    if values.size and rest.all():
        raise _tessera.InputError(
            "every site is inactive: there is no field to fill\n  remedy: mark as inactive what is no part of the field alone"
        )
    if values.size and not gaps.any():
        warn(
            "nothing is missing: no site is filled; gaps are NaN, masked, where the argument mask is true, or the fill value of profile or attributes"
        )
    samples = values[~(gaps | rest)]
    doubt = _tessera.doubt_of_fill_value(samples) if samples.size else ""
    if doubt:
        warn(doubt)
    if values.ndim == 3 and options["third_axis"] == "frames":
        has_samples = (~gaps & ~rest).any(axis=(1, 2))
        empty = ~has_samples & gaps.any(axis=(1, 2))
        if empty.any() and has_samples.any():
            numbers = ", ".join(map(str, np.flatnonzero(empty)[:20])) + (
                ", ..." if empty.sum() > 20 else ""
            )
            warn(
                f"{empty.sum()} of {len(values)} frames have no sample and stay empty: number {numbers}, counted from 0 (third_axis='coupled' fills "
                "them from their neighbours)"
            )
            inactive = np.ascontiguousarray(
                np.broadcast_to(rest, values.shape), dtype=np.uint8
            ).copy()
            inactive[empty] = 1
            values = values.copy()
            values[empty] = np.nan
    return _Part(values, missing, inactive, options)


def _masks(masked, mask, inactive, shape):
    """The bytes of missing and of inactive sites, or None."""
    if len(shape) not in (2, 3):
        raise _tessera.InputError(
            f"z has {len(shape)} dimensions\n  remedy: give an image (rows, columns) or frames of it"
        )
    missing = None if mask is None else _sites(mask, shape, "mask")
    if masked is not None and masked.any():
        missing = masked if missing is None else masked | np.broadcast_to(missing, shape)
    inactive = None if inactive is None else _sites(inactive, shape, "inactive")
    return tuple(
        None if sites is None else np.ascontiguousarray(sites, dtype=np.uint8)
        for sites in (missing, inactive)
    )


def _sites(mask, shape, name):
    if _tessera.is_on_device(mask):
        raise _tessera.InputError(
            f"{name} lies on a GPU\n  remedy: make the sites NaN there, or give a NumPy array"
        )
    if isinstance(mask, np.ma.MaskedArray) and np.ma.getmaskarray(mask).any():
        raise _tessera.InputError(
            f"{name} has masked elements, which are neither true nor false\n  remedy: give {name}.filled(False) or filled(True)"
        )
    mask = np.asarray(mask)
    if mask.dtype.kind not in "biu":
        raise _tessera.ArgumentTypeError(f"{name} holds {mask.dtype}; true and false are needed")
    if mask.shape not in (tuple(shape), tuple(shape[-2:])):
        raise _tessera.InputError(
            f"{name} has the shape {mask.shape}, and the field {tuple(shape)}\n  remedy: give it that of the field, or of an image"
        )
    return mask != 0


def _in_frame(z, found, new_dimension=None, coordinate=None):
    """Results in the form of a table of pandas."""
    values = found[None]
    if new_dimension is None:
        return type(z)(values, index=z.index, columns=z.columns)
    numbers = range(len(values)) if coordinate is None else coordinate
    return {
        number: type(z)(each, index=z.index, columns=z.columns)
        for number, each in zip(numbers, values)
    }


def _fill_frame(z, mask, inactive, options):
    """Of a table of pandas, rows by columns: tables with its index and columns."""
    mask, inactive = (
        sites.to_numpy() if hasattr(sites, "to_numpy") else sites for sites in (mask, inactive)
    )
    part = _part(z, mask, inactive, options)
    return Fill({None: part}, functools.partial(_in_frame, z))


def _in_xarray(z, chosen, orders, found, new_dimension=None, coordinate=None):
    """Results in the form of an array or a Dataset z of xarray. chosen: its fields by name, orders:
    of their dimensions."""

    def like(name, values):
        array = chosen[name].copy()
        array.attrs = _labelled.attributes_of_filled(chosen[name])
        turned = array.transpose(*orders[name])
        if new_dimension is None:
            return turned.copy(data=values.reshape(turned.shape)).transpose(*array.dims)
        wide = turned.expand_dims(
            {new_dimension: len(values) if coordinate is None else coordinate}
        )
        wide = wide.copy(data=values.reshape(wide.shape))
        wide.attrs.update(array.attrs)
        return wide.transpose(new_dimension, *array.dims)

    made = {name: like(name, values) for name, values in found.items()}
    return made[None] if None in made else z.assign(made)


def _fill_xarray(z, mask, inactive, options, dim=None):
    import xarray

    if isinstance(z, xarray.Dataset):
        chosen = {name: z[name] for name in _labelled.fields(z, dim)}
    else:
        chosen = {None: z}
    others = z if isinstance(z, xarray.Dataset) else None
    units = {}
    for name, array in chosen.items():
        numbers, units[name] = _frames.split(array.data)
        if units[name] is not None:
            chosen[name] = array.copy(data=numbers)
    orders = {name: _labelled.order_of(array, dim) for name, array in chosen.items()}

    def part(name, array):
        turned = array.transpose(*orders[name])
        flat = turned if dim is None and turned.ndim <= 3 else _labelled.frames(turned)
        own = {**options, "coordinates": _labelled.place(flat, others)}
        if turned.ndim > 3 and options["third_axis"] != "frames":
            raise _tessera.InputError(
                f"third_axis is 'coupled', and there are {turned.ndim - 2} dimensions beside rows and columns\n  remedy: choose one of them, as in z.isel(band=0)"
            )
        masks = [
            None
            if sites is None
            else _labelled.in_frames(_labelled.sites(sites, array, orders[name], of), turned)
            for sites, of in ((mask, "mask"), (inactive, "inactive"))
        ]
        return _part(_labelled.decode(flat), *masks, own)

    parts = {name: part(name, array) for name, array in chosen.items()}

    return Fill(parts, functools.partial(_in_xarray, z, chosen, orders), units=units)
