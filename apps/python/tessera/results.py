# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Results files (HDF5, format "tessera-results") as arrays with units. Needs numpy and h5py only.

    results = tessera.open("gbees-quickstart.h5")
    results.mean, results.mean.units     # the dataset results/mean, an array with its unit
    results.series.time                  # the dataset series/time
    results["coordinates/x1"]            # any dataset by its path
    print(results)                       # what there is
    results.plot()                       # a matplotlib figure

Files may be missing, damaged, or of another program: ResultsError says so. It is an InputError; of
a file that cannot be read also an OSError, and of one that is not there a FileNotFoundError.
"""

import contextlib
import io
import json
import os
import signal

import h5py
import numpy as np

from . import _html
from ._errors import ArgumentTypeError, FileError, InputError, MissingFileError

__all__ = ["Array", "Results", "ResultsError", "Section", "load"]

_SHOWN = ("results", "series", "coordinates")  # groups that are printed
_COLUMNS = ("name", "shape", "unit", "meaning")

FORMAT = 1  # first number of the format "tessera-results" that this version reads

_longest_read = 0


def set_longest_read(seconds):
    """Ends the process when HDF5 takes longer to read one dataset; 0: never. For programs, in their
    main thread."""
    global _longest_read
    _longest_read = seconds


class ResultsError(InputError):
    """A results file that cannot be used; `code` is the exit status (2: not asked for rightly, 3:
    its contents, 4: the file itself)."""

    def __init__(self, message, code=3):
        super().__init__(message)
        self.code = code


class UnreadableResultsError(ResultsError, FileError):
    """A results file that cannot be read."""

    def __init__(self, message, code=4):
        super().__init__(message, code)


class MissingResultsError(UnreadableResultsError, MissingFileError):
    """A results file that is not there."""


@contextlib.contextmanager
def reading(what):
    """Whatever HDF5 finds wrong is a ResultsError. If it does not come to an end, SIGALRM ends the
    process of a program that wants it."""
    if _longest_read:
        signal.alarm(_longest_read)
    try:
        yield
    except ResultsError:
        raise
    except Exception as error:
        raise ResultsError(
            f"{what} cannot be read; the file is damaged ({describe(error)})", 3
        ) from error
    finally:
        if _longest_read:
            signal.alarm(0)


def describe(error):
    """An exception in one line."""
    return " ".join(str(error).split()) or type(error).__name__


class Array(np.ndarray):
    """A NumPy array that knows its `units` and `long_name`; what is computed from it does not."""

    units = None
    long_name = None

    @classmethod
    def of(cls, values, units, long_name):
        array = np.asarray(values).view(cls)
        array.units, array.long_name = units, long_name
        return array

    def __reduce__(self):
        """With its unit, which NumPy leaves out."""
        return Array.of, (np.asarray(self), self.units, self.long_name)

    def __deepcopy__(self, _):
        return Array.of(np.array(self), self.units, self.long_name)


class Section:
    """A group of a results file: its datasets and groups are attributes, or items."""

    def __init__(self, results, path):
        self._results, self._path = results, path

    def __reduce__(self):
        return Section, (self._results, self._path)

    def keys(self):
        return self._results.names(self._path)

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def __contains__(self, name):
        return f"{self._path}/{name}" in self._results

    def __getitem__(self, name):
        return self._results._member(f"{self._path}/{name}")

    def __getattr__(self, name):
        if name.startswith("_") or name not in self:
            raise AttributeError(f"{self._results.path}: '{self._path}' holds no '{name}'")
        return self[name]

    def __dir__(self):
        return [*super().__dir__(), *self.keys()]

    def __repr__(self):
        lines = [f"{self._path}:"]
        for name in self.keys():
            lines.append("  " + self._results._describe_member(f"{self._path}/{name}", name))
        return "\n".join(lines)

    def _repr_html_(self):
        """A table for notebooks: name, shape, unit and meaning of each member."""
        return _html.table(self._path, _COLUMNS, self._results._rows(self._path))


class Results:
    """An open results file. Datasets of the group `results` are attributes, arrays with units;
    `series` and `coordinates` hold the others; `results["series/time"]` is any of them by its path.
    `attrs`: attributes of the file, such as its seed and backend; `input`: the text of the input
    that it comes from, `resolved`: the same with every default; `warnings`: texts of the run's
    warnings; `timings`: seconds of its parts. Pickles of results in memory or in a temporary file
    hold their bytes, those of another file its path."""

    def __init__(self, file, path, keep=None, image=None):
        self.path = path
        self.attrs = {name: as_text(value) for name, value in file.attrs.items()}
        self._file = file
        self._keep = keep  # a temporary folder, which is removed with it
        self._image = image  # the bytes of a file in memory

    def __reduce__(self):
        """Raises ArgumentTypeError (a TypeError) of results that are closed or whose file has
        gone."""
        if self.is_closed:
            raise ArgumentTypeError(
                f"{self.path} is closed, and cannot be pickled or copied\n"
                "  remedy: do that before close(), or open the file again"
            )
        if self._image is not None:
            return load_bytes, (self._image, self.path)
        try:
            if self._keep is None and os.path.isfile(self.path):
                return load, (os.path.abspath(self.path),)
            with open(self.path, "rb") as file:
                return load_bytes, (file.read(), self.path)
        except OSError as error:
            raise ArgumentTypeError(
                f"{self.path} cannot be pickled or copied: {error.strerror}\n"
                "  remedy: leave the file in its place"
            ) from error

    @property
    def input(self):
        return str(self["input/yaml"])

    @property
    def resolved(self):
        return str(self["input/resolved"])

    @property
    def warnings(self):
        return [str(text) for text in self["warnings"]] if "warnings" in self else []

    @property
    def timings(self):
        """Wall time of each named part of the run in seconds; parts may hold others."""
        with reading(f"{self.path}: 'timings'"):
            if "timings" not in self._file:
                raise ResultsError(f"{self.path} holds no dataset 'timings'", 3)
            rows = self._file["timings"][()]
            return {str(as_text(row["region"])): float(row["seconds"]) for row in rows}

    def plot(self, kind="summary", records=(), output=None, *, ax=None, fig=None):
        """Draws the results: a matplotlib figure, and a picture in the file `output`, if given.
        Needs matplotlib.

        kind: which figure; those of each app are listed by `tessera-plot --help`. records: numbers
        of the records to draw, from 0, or from -1 backwards. ax: axes to draw in, which are
        returned, for a figure of one panel, such as plot("variogram") of tessera-gp. fig: a figure
        or a subfigure to draw in, which is returned, for any figure. `output` is the whole figure
        around them. Raises ResultsError where a figure has several panels and ax is given.
        """
        from . import plot

        drawn = plot.figure(self, kind, records, ax=ax, fig=fig)
        if output is not None:
            with plot.style.applied():
                drawn.figure.savefig(output, dpi=plot.style.DPI)
        return drawn

    @property
    def is_closed(self):
        return not self._file

    def close(self):
        """Closes the file; arrays that were read stay."""
        self._file.close()
        self._keep = self._image = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __getattr__(self, name):
        if not name.startswith("_"):
            for path in (f"results/{name}", name):
                if path in self:
                    return self._member(path)
        raise AttributeError(f"{self.path} holds no 'results/{name}'")

    def __dir__(self):
        return [*super().__dir__(), *self.names("results"), *self._file]

    def __repr__(self):
        return "\n".join(
            [self._title()] + [repr(Section(self, group)) for group in _SHOWN if self.names(group)]
        )

    def _repr_html_(self):
        """A table for notebooks: name, shape, unit and meaning of each dataset, and the warnings of
        the run."""
        rows = [(f"{group}/{name}", *rest) for group in _SHOWN for name, *rest in self._rows(group)]
        return _html.table(self._title(), _COLUMNS, rows, _html.warnings_of(self))

    def _title(self):
        app, status = (self.attrs.get(name, "?") for name in ("app", "run_status"))
        return f"{self.path}: results of tessera-{app}, {status}"

    def _rows(self, group):
        """Name, shape, unit and meaning of each member, as texts."""
        facts = {name: self._facts(f"{group}/{name}") for name in self.names(group)}
        return [
            (name, shape, units or "", meaning) for name, (shape, units, meaning) in facts.items()
        ]

    def _facts(self, path):
        """Shape, unit ("" for numbers without one) and meaning of a member, as texts; of a group
        the number of its members, and no unit."""
        with reading(f"{self.path}: '{path}'"):
            member = self._file[path]
            if isinstance(member, h5py.Group):
                return f"{len(member)} members", None, ""
        units = self.units(path)
        return str(member.shape), "" if units == "1" else units, self.long_name(path)

    def _member(self, path):
        with reading(f"{self.path}: '{path}'"):
            is_group = isinstance(self._file.get(path), h5py.Group)
        return (
            Section(self, path)
            if is_group
            else Array.of(self[path], self.units(path), self.long_name(path))
        )

    def _describe_member(self, path, name):
        shape, units, meaning = self._facts(path)
        if units is None:
            return f"{name}: {shape}"
        return f"{name} {shape}" + (f" [{units}]" if units else "") + f": {meaning}"

    def __contains__(self, name):
        with reading(f"{self.path}: '{name}'"):
            return name in self._file

    def __getitem__(self, name):
        with reading(f"{self.path}: '{name}'"):
            dataset = self._dataset(name)
            is_text = h5py.check_string_dtype(dataset.dtype) is not None
            if not is_text and dataset.dtype.kind not in "biuf":
                raise ResultsError(f"{self.path}: '{name}' holds neither numbers nor text", 3)
            if dataset.size is None or dataset.nbytes > memory() // 2:
                raise ResultsError(
                    f"{self.path}: '{name}' has the shape {dataset.shape}, which this machine cannot hold",
                    3,
                )
            return np.asarray(dataset.asstr(errors="replace")[()] if is_text else dataset)

    def _dataset(self, name):
        if name not in self._file:
            raise ResultsError(f"{self.path} holds no dataset '{name}'", 3)
        dataset = self._file[name]
        if not isinstance(dataset, h5py.Dataset):
            raise ResultsError(f"{self.path}: '{name}' is no dataset", 3)
        return dataset

    def units(self, name):
        with reading(f"{self.path}: '{name}'"):
            return str(as_text(self._dataset(name).attrs.get("units", "1")))

    def long_name(self, name):
        with reading(f"{self.path}: '{name}'"):
            return str(as_text(self._dataset(name).attrs.get("long_name", name)))

    def names(self, group):
        """Names of the members of a group."""
        with reading(f"{self.path}: '{group}'"):
            return list(self._file[group]) if isinstance(self._file.get(group), h5py.Group) else []

    def group_attribute(self, group, name):
        with reading(f"{self.path}: '{group}'"):
            if group not in self._file or name not in self._file[group].attrs:
                raise ResultsError(f"{self.path}: '{group}' has no attribute '{name}'", 3)
            return as_text(self._file[group].attrs[name])

    def group_attributes(self, group):
        """The attributes of a group by name."""
        with reading(f"{self.path}: '{group}'"):
            if group not in self._file:
                raise ResultsError(f"{self.path} holds no '{group}'", 3)
            return {name: as_text(value) for name, value in self._file[group].attrs.items()}


def as_text(value):
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def memory():
    """Bytes that this machine has."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


class Benchmarks:
    """What tessera-bench wrote with --benchmark_out: `cases` maps the name of a case to its
    numbers, `context` says where it ran."""

    def __init__(self, path):
        self.path = path
        self.attrs = {"app": "bench"}
        try:
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
            self.context = content["context"]
            self.cases = {
                case["name"].removesuffix("/manual_time"): case
                for case in content["benchmarks"]
                if "error_occurred" not in case
            }
        except (
            OSError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            RecursionError,
        ) as error:
            raise ResultsError(f"{path} is not what tessera-bench writes: {error!r}", 3) from error


def load(path, keep=None):
    """Opens a results file, or the JSON file of tessera-bench; raises ResultsError when it is
    missing (a FileNotFoundError then) or not one.

    keep: an object that lives as long as what is returned.
    """
    path = os.fspath(path)
    if not os.path.exists(path):
        raise MissingResultsError(f"no such file: {path}")
    if not os.path.isfile(path):
        raise UnreadableResultsError(f"{path} is no file")
    if path.endswith(".json"):
        return Benchmarks(path)
    try:
        with open(path, "rb"):
            pass
    except OSError as error:
        raise UnreadableResultsError(f"cannot read {path}: {error.strerror}") from error
    with reading(path):
        if not h5py.is_hdf5(path):
            raise ResultsError(f"{path} is not an HDF5 file", 3)
        return opened(h5py.File(path, "r"), path, keep)


def load_bytes(image, name):
    """The results in the bytes of a results file; `name` stands for it in messages."""
    with reading(name):
        return opened(h5py.File(io.BytesIO(image), "r"), name, image=image)


def opened(file, path, keep=None, image=None):
    """Results of an open file, if it is one."""
    kind = as_text(file.attrs.get("format", ""))
    if not isinstance(kind, str) or kind != "tessera-results":
        raise ResultsError(
            f'{path} is not a Tessera results file (its root has no attribute format = "tessera-results")',
            3,
        )
    version = as_text(file.attrs.get("format_version", f"{FORMAT}.0"))
    first = str(version).partition(".")[0]
    if not first.isdigit() or int(first) > FORMAT:
        raise ResultsError(
            f"{path} has the results format {version}, and this version reads formats up to "
            f"{FORMAT}.x\n  remedy: take Tessera "
            f"{as_text(file.attrs.get('software_version', 'of a later version'))}, which wrote it",
            3,
        )
    return Results(file, path, keep, image)
