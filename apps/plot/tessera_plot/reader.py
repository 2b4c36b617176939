# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Reads results files (HDF5, format "tessera-results"); needs numpy and h5py only."""

import json
import os

import h5py
import numpy as np


class ResultsError(Exception):
    """A results file that cannot be used; `code` is the exit status (3: its contents, 4: the file itself)."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


class Results:
    """An open results file: `results["results/time"]` is an array, `results.attrs` the attributes of the root."""

    def __init__(self, file, path):
        self.path = path
        self.attrs = dict(file.attrs)
        self._file = file

    def __contains__(self, name):
        return name in self._file

    def __getitem__(self, name):
        if name not in self._file:
            raise ResultsError(f"{self.path} holds no dataset '{name}'", 3)
        dataset = self._file[name]
        return np.asarray(dataset.asstr()[()] if h5py.check_string_dtype(dataset.dtype) else dataset)

    def units(self, name):
        return str(self._file[name].attrs.get("units", "1"))

    def long_name(self, name):
        return str(self._file[name].attrs.get("long_name", name))

    def names(self, group):
        """Names of the members of a group."""
        return list(self._file[group]) if group in self._file else []

    def group_attribute(self, group, name):
        return self._file[group].attrs[name]


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
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ResultsError(f"{path} is not what tessera-bench writes: {error!r}", 3) from error


def load(path):
    """Opens a results file, or the JSON file of tessera-bench; raises ResultsError when it is missing or not one."""
    if not os.path.isfile(path):
        raise ResultsError(f"no such file: {path}", 4)
    if path.endswith(".json"):
        return Benchmarks(path)
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise ResultsError(f"{path} cannot be opened as HDF5: {error}", 4) from error
    kind = file.attrs.get("format", "")
    kind = kind.decode() if isinstance(kind, bytes) else kind
    if kind != "tessera-results":
        raise ResultsError(f"{path} is not a Tessera results file (its root has no attribute format = \"tessera-results\")", 3)
    return Results(file, path)
