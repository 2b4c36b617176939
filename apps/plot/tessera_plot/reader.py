# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Reads results files (HDF5, format "tessera-results"); needs numpy and h5py only. Files may be damaged, or of another program."""

import contextlib
import json
import os
import signal

import h5py
import numpy as np

LONGEST_READ = 60  # s, of one dataset: damaged files can send the HDF5 library round in circles


class ResultsError(Exception):
    """A results file that cannot be used; `code` is the exit status (3: its contents, 4: the file itself)."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


@contextlib.contextmanager
def reading(what):
    """Whatever HDF5 finds wrong is a ResultsError. If it does not come to an end, SIGALRM ends the process."""
    signal.alarm(LONGEST_READ)
    try:
        yield
    except ResultsError:
        raise
    except Exception as error:
        raise ResultsError(f"{what} cannot be read; the file is damaged ({describe(error)})", 3) from error
    finally:
        signal.alarm(0)


def describe(error):
    """An exception in one line."""
    return " ".join(str(error).split()) or type(error).__name__


class Results:
    """An open results file: `results["results/time"]` is an array, `results.attrs` the attributes of the root."""

    def __init__(self, file, path):
        self.path = path
        self.attrs = {name: as_text(value) for name, value in file.attrs.items()}
        self._file = file

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
                raise ResultsError(f"{self.path}: '{name}' has the shape {dataset.shape}, which this machine cannot hold", 3)
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


def as_text(value):
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def memory():
    """Bytes that this machine has."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


class Benchmarks:
    """What tessera-bench wrote with --benchmark_out: `cases` maps the name of a case to its numbers, `context` says where it ran."""

    def __init__(self, path):
        self.path = path
        self.attrs = {"app": "bench"}
        try:
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
            self.context = content["context"]
            self.cases = {case["name"].removesuffix("/manual_time"): case for case in content["benchmarks"] if "error_occurred" not in case}
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ResultsError(f"{path} is not what tessera-bench writes: {error!r}", 3) from error


def load(path):
    """Opens a results file, or the JSON file of tessera-bench; raises ResultsError when it is missing or not one."""
    if not os.path.isfile(path):
        raise ResultsError(f"no such file: {path}", 4)
    if path.endswith(".json"):
        return Benchmarks(path)
    try:
        with open(path, "rb"):
            pass
    except OSError as error:
        raise ResultsError(f"cannot read {path}: {error.strerror}", 4) from error
    with reading(path):
        if not h5py.is_hdf5(path):
            raise ResultsError(f"{path} is not an HDF5 file", 3)
        file = h5py.File(path, "r")
        kind = as_text(file.attrs.get("format", ""))
        if not isinstance(kind, str) or kind != "tessera-results":
            raise ResultsError(f"{path} is not a Tessera results file (its root has no attribute format = \"tessera-results\")", 3)
        return Results(file, path)
