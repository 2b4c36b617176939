# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Runs of input files, as the programs tessera-gbees, tessera-gp ... make them."""

import json
import os
import shutil
import tempfile
import weakref

import numpy as np

from . import _arguments, _tessera
from .results import load, load_bytes

__all__ = ["run"]


def run(
    input,
    /,
    *,
    output=None,
    overrides=None,
    backend=None,
    restart=None,
    seed=None,
    force=False,
    verbose=False,
    progress=None,
    **sections,
):
    """Runs an input and returns its results (tessera.results.Results): the bits that the program of
    its app gives.

    input: the path of a YAML file, or a dict with the same keys, of which relative paths refer to
    the working directory; the results hold the YAML that it stands for. An array [n, columns] may
    stand where the input names a data file (`file:`); its columns are called 1, 2, ... A table with
    named columns (a dict of arrays, a pandas.DataFrame) may stand there too, and its names are
    those that the section uses. sections: values that take the place of the input's, as in
    run("in.yaml", time={"end": 2.0}); overrides: the same as a dict of paths, as in {"time.end":
    2.0}. output: results file to write; by default it is temporary, and goes when the results are
    no longer used. A dict is the input's section of that name. force: replace an existing file.
    backend: instead of that of tessera.use() and of the input. seed: of random numbers, instead of
    the input's. restart: a restart file to continue from. verbose: messages on stderr. progress:
    shown on stderr, by default when verbose, and else as tessera.progress() says.

    Raises InputError with a line for each thing that is wrong in the input, and its place, where a
    file is missing a MissingFileError (also a FileNotFoundError); FileError, NumericalError,
    ResourceError as the run ends. Ctrl-C ends it with KeyboardInterrupt; where `output` is given,
    the results so far and a restart file stay behind.
    """
    is_text = isinstance(input, dict)
    if not is_text:
        input = _path(input, "input", "a file, or a dict with the keys of an input")
    overrides = _arguments.mapping(overrides, "overrides", '{"time.end": 2.0}')
    arrays = {}
    if is_text:
        input = take_arrays(input, arrays)
    whole = {**input, **sections} if isinstance(input, dict) else None
    sections = take_arrays(sections, arrays, whole)
    name = "input" if is_text else input
    text = to_yaml(input) if is_text else None
    if isinstance(output, dict):
        sections, output = {**sections, "output": output}, None
    changes = [
        f"{path}={flow(value)}"
        for path, value in {**flatten(sections), **flatten(overrides)}.items()
    ]
    folder = None
    if output is None:
        folder = TemporaryFolder()
        stem = os.path.splitext(os.path.basename(name))[0]
        path = os.path.join(folder.name, stem + ".h5")
    else:
        path = _path(output, "output", "a file, or a dict, the input's section of that name")
    call = "tessera.run(" + ", ".join([json.dumps(name), *map(json.dumps, changes)]) + ")"
    written = _tessera.run(
        input=name,
        text=text,
        overrides=changes,
        output=path,
        backend=backend_of(backend),
        restart="" if restart is None else _path(restart, "restart", "a restart file"),
        **_settings(seed, verbose, progress),
        force=_arguments.flag(force, "force"),
        call=call,
        arrays=arrays,
        places={},
        coordinates={},
    )
    return load_bytes(written, path) if isinstance(written, bytes) else load(written, keep=folder)


def _path(value, name, needed):
    """The path of a file as a text."""
    try:
        return os.fsdecode(value)
    except TypeError:
        raise _tessera.ArgumentTypeError(
            f"{name} is {value!r}\n  remedy: give the path of {needed}"
        ) from None


class TemporaryFolder:
    """A folder that goes with this object. (That of the library tempfile gives a ResourceWarning
    then.)"""

    def __init__(self):
        self.name = tempfile.mkdtemp(prefix="tessera-")
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)


def run_in_memory(
    document,
    arrays,
    *,
    places=None,
    coordinates=None,
    backend=None,
    seed=None,
    verbose=False,
    progress=None,
):
    """Runs a dict whose data files are arrays, by the names memory:NAME; its results stay in
    memory. places: transform and projection of some of them, as GDAL has them; coordinates: of
    their dimensions, see _labelled.py. For the modules of this package."""
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    call = f"tessera.{document['app']} of arrays"
    written = _tessera.run(
        input="input",
        text=to_yaml(document),
        overrides=[],
        output="memory:results.h5",
        backend=backend_of(backend),
        restart="",
        **_settings(seed, verbose, progress),
        force=False,
        call=call,
        arrays=arrays,
        places=places or {},
        coordinates=coordinates or {},
    )
    return load_bytes(written, call)


# keys that name columns of the table in the same section's `file`
_COLUMN_KEYS = ("time_column", "columns", "rates", "column")
_FIELD_KEYS = (  # of gp
    "coordinates",
    "latitude",
    "longitude",
    "time",
    "values",
    "covariates",
    "error_variance",
)


def take_arrays(values, arrays, whole=None):
    """The same dict, with names in the place of the arrays and tables that stand for data files;
    these are added to `arrays`."""
    taken = {}
    whole = whole or values
    for key, value in values.items():
        if isinstance(value, dict) and not is_table(value.get("file")):
            value = take_arrays(value, arrays, whole)
        elif isinstance(value, dict):
            value = take_table(value, whole, arrays)
        taken[key] = value
    return taken


def is_table(value):
    """Whether a value is data, and not the name of a file."""
    return (
        value is not None
        and not isinstance(value, (str, bytes, os.PathLike))
        and (hasattr(value, "columns") or isinstance(value, (dict, list, tuple, np.ndarray)))
    )


def take_table(section, document, arrays):
    """A section whose `file` is an array or a table with named columns."""
    data, section = section["file"], dict(section)
    quantities = section.get("quantities") or (
        [section["variable"]] if "variable" in section else []
    )
    if hasattr(data, "columns") or isinstance(data, dict):
        names = [str(name) for name in data.keys()]
        wanted = {key: section[key] for key in _COLUMN_KEYS if section.get(key)}
        if document.get("app") == "gp":
            wanted = _columns_of_field(section, document.get("data", {}), names)
        elif quantities or any(key != "column" for key in wanted):
            wanted = {
                "time_column": "time",
                **({"columns": quantities} if quantities else {}),
                **wanted,
            }
        numbers = {name: str(i + 1) for i, name in enumerate(names)}
        for key, value in wanted.items():
            is_list = not isinstance(value, str)
            for name in value if is_list else [value]:
                if str(name) not in numbers:
                    raise _tessera.InputError(
                        f"there is no column '{name}' in the table that stands for a file; present: {', '.join(names)}"
                    )
            section[key] = [numbers[str(name)] for name in value] if is_list else numbers[value]
            if key == "columns" and "names" not in section and not quantities:
                section["names"] = list(value)
        if not wanted:  # samples: the variables in their order
            variables = [
                name
                for name in (document.get("model") or {}).get("variables", names)
                if name in numbers
            ]
            names = variables or names
        columns = [np.ma.filled(np.ma.asarray(data[name], dtype=float), np.nan) for name in names]
        matrix = np.column_stack(columns)
    else:
        matrix = np.ma.filled(np.ma.asarray(data, dtype=float), np.nan)
        if quantities and matrix.ndim == 2:
            section.setdefault("time_column", "1")
            section.setdefault("columns", [str(i + 2) for i in range(len(quantities))])
    name = f"array{len(arrays) + 1}"
    arrays[name] = np.ascontiguousarray(matrix)
    section["file"] = "memory:" + name
    return section


def _columns_of_field(section, data, names):
    """The columns that a section of gp names, or takes by their names x, y and z. `data`: the
    section with the observations."""
    wanted = {key: section[key] for key in _FIELD_KEYS if section.get(key)}
    is_sphere = "latitude" in wanted or "longitude" in wanted
    if not is_sphere and "coordinates" not in wanted and {"x", "y"} <= set(names):
        wanted["coordinates"] = ["x", "y"]
    if section.get("file") is data.get("file") and "values" not in wanted and "z" in names:
        wanted["values"] = ["z"]
    return wanted


def _settings(seed, verbose, progress):
    """What a run is told of its seed and its messages."""
    verbose = _arguments.flag(verbose, "verbose")
    return {
        "seed": _arguments.seed_of_run(seed),
        "quiet": not verbose,
        "progress": (
            verbose or None if progress is None else _arguments.flag(progress, "progress")
        ),
    }


def backend_of(backend):
    """What a run is told: the backend of a call, or that of tessera.use(), or "" for that of the
    input."""
    if backend is not None and not isinstance(backend, str):
        raise _tessera.ArgumentTypeError(
            f"backend is {backend!r}\n  remedy: give one of 'cuda', 'openmp', 'serial' and 'auto'"
        )
    if backend is None and _tessera.used() != "auto":
        return _tessera.used()
    return backend or ""


def flatten(values, prefix=""):
    """{"time": {"end": 2.0}} as {"time.end": 2.0}."""
    flat = {}
    for key, value in values.items():
        if isinstance(value, dict) and value:
            flat.update(flatten(value, f"{prefix}{key}."))
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def plain(value):
    """A value of NumPy, a path or a tuple as one that JSON knows."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise _tessera.ArgumentTypeError(f"an input cannot hold a {type(value).__name__}: {value!r}")


def flow(value):
    """A value in a line of YAML, of which JSON is a part; texts stay as they are where that is the
    same in YAML."""
    return json.dumps(value, default=plain, ensure_ascii=False)


def to_yaml(values, indent=""):
    """A dict as YAML: a line for each value, lists and texts as in JSON."""
    lines = []
    for key, value in values.items():
        if isinstance(value, dict) and value:
            lines.append(f"{indent}{key}:\n{to_yaml(value, indent + '  ')}")
        else:
            lines.append(f"{indent}{key}: {flow(value)}\n")
    return "".join(lines)
