# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Runs of tessera-gp on arrays in memory, whose messages name arguments of tessera.gp."""

import dataclasses
import re
import warnings

import numpy as np

from . import _arguments, _tessera, _warnings, runs


def numbers(array, name):
    """An array of floating-point numbers; what is masked or missing is NaN."""
    return _arguments.read(array, name)[0].astype(float)


def points_of(array, name, sphere):
    points = numbers(array, name)
    if points.ndim == 1 and not sphere:
        points = points[:, None]
    if sphere and (points.ndim != 2 or points.shape[1] != 2):
        raise _tessera.InputError(
            f"{name} of shape {np.shape(array)}\n  remedy: on the sphere give a row for each point, latitude and longitude in degrees"
        )
    if points.ndim != 2 or not 1 <= points.shape[1] <= 32:
        raise _tessera.InputError(
            f"{name} of shape {np.shape(array)}\n  remedy: give a row for each point, with 1 to 32 coordinates"
        )
    return points


def column(array, name, count):
    """A number for each point, as a column; none where there is no array."""
    if array is None:
        return np.empty((count, 0))
    column = numbers(array, name)
    if column.shape != (count,):
        raise _tessera.InputError(
            f"{name} of shape {np.shape(array)} for {count} points\n  remedy: give one number for each point"
        )
    return column[:, None]


@dataclasses.dataclass(frozen=True)
class Table:
    """An array in memory: coordinates, then the time, the variances of errors, the exposures, the
    numbers of labels, the covariates and the values, as far as there are any."""

    name: str
    points: np.ndarray
    time: np.ndarray
    error_variance: np.ndarray
    values: np.ndarray
    sphere: bool
    drop: bool = False  # rows with NaN are left out
    exposure: np.ndarray = None  # None: as a column of none
    groups: np.ndarray = None  # likewise
    covariates: np.ndarray = None  # likewise
    covariate_names: tuple = ()

    @property
    def _parts(self):
        """The columns after the coordinates, by name."""
        none = np.empty((len(self.points), 0))
        return (
            ("time", self.time),
            ("error_variance", self.error_variance),
            ("exposure", none if self.exposure is None else self.exposure),
            ("groups", none if self.groups is None else self.groups),
            ("covariates", none if self.covariates is None else self.covariates),
            ("values", self.values),
        )

    @property
    def array(self):
        return np.hstack([self.points, *(columns for _, columns in self._parts)])

    def first_columns(self):
        """Where each part begins, numbers from 1."""
        first, count = {}, self.points.shape[1]
        for key, columns in self._parts:
            first[key], count = count + 1, count + columns.shape[1]
        return first

    def section(self):
        """What an input says of it."""
        first = self.first_columns()
        section = {"file": "memory:" + self.name}
        if self.sphere:
            section.update(latitude="1", longitude="2")
        else:
            section["coordinates"] = [str(k + 1) for k in range(self.points.shape[1])]
        for key, columns in self._parts[:2]:
            if columns.shape[1]:
                section[key] = str(first[key])
        if self.groups is not None and self.groups.shape[1]:
            section["groups"] = [str(first["groups"] + k) for k in range(self.groups.shape[1])]
        if self.covariate_names:
            section["covariates"] = [
                str(first["covariates"] + k) for k in range(len(self.covariate_names))
            ]
        if self.values.shape[1]:
            section["values"] = [str(first["values"] + k) for k in range(self.values.shape[1])]
        return section

    def named(self, text):
        """An element of theta, or a message, with the names of covariates."""
        for at, name in enumerate(self.covariate_names):
            number = self.first_columns()["covariates"] + at
            text = re.sub(
                rf"\b(sigma2|beta|nugget)_{number}\b",
                lambda found, name=name: f"{found[1]}_{name}",
                text,
            )
            text = re.sub(rf"(?<=covariate '){number}(?=')", lambda _, name=name: name, text)
        return text

    def row(self, used):
        """Of those that are used, which row of the arguments: numbers from 1 and 0."""
        if not self.drop:
            return used - 1
        return int(np.flatnonzero(~np.isnan(self.array).any(axis=1))[used - 1])

    def coordinate(self, column):
        """The argument of a coordinate, a number from 1."""
        name = "targets" if self.name == "targets" else "points"
        return name if self.points.shape[1] == 1 else f"{name}[:, {int(column) - 1}]"

    def element(self, row, column):
        """Which argument an element of the array comes from: numbers from 1, as in values[7]."""
        at = column - 1
        for name, columns in (
            (("targets" if self.name == "targets" else "points"), self.points),
            *self._parts,
        ):
            if at < columns.shape[1]:
                return (
                    f"{name}[{row - 1}]"
                    if columns.shape[1] == 1 and name != "points"
                    else f"{name}[{row - 1}, {at}]"
                )
            at -= columns.shape[1]
        return f"row {row}, column {column}"


_KEYS = (
    (r"data\.missing: drop", 'missing="drop"'),
    (r"data\.duplicates: average", 'duplicates="average"'),
    (r"data\.error_variance", "error_variance"),
    (r"'data\.covariates'", "covariates"),
    (r"mean\.covariates", 'mean={"covariates": [...]}'),
    (r"'groups\.variance'|groups\.variance", "group_variance"),
    (r"'?(?:predict\.points|data)\.groups'?", "groups"),
    (r"a subset with data\.sample", "a subset of the points"),
    (r"'?data\.time'?", "'time'"),
    (r"predict\.jitter", "jitter"),
    (r"\bfamily: tukey_g_and_h", 'marginal={"family": "tukey_g_and_h"}'),
    (r"\bmarginal\.(\w+)", r'marginal={"\1": ...}'),
    (r"\blikelihood\.(\w+)", r'likelihood={"\1": ...}'),
    (r"method\.vecchia\.(\w+)", r'method={"vecchia": {"\1": ...}}'),
    (r"\bfit\.(\w+)", r'options={"\1": ...}'),
    (r"covariance\.(\w+)", r'covariance={"\1": ...}'),
    (r"\bmethod: (exact|vecchia|auto)\b", r'method="\1"'),
    (r"\bfamily: (student_t)", r'likelihood="\1"'),
    (r"\b(metric|family): (\w+)", r'covariance={"\1": "\2"}'),
    (r"\bmean: (\w+)", r'mean="\1"'),
    (r"\bpredict\.of: (\w+)", r'of="\1"'),
    (r"\bpredict\.(of|draws|quantiles)\b", r"\1"),
    (r"\bcross_validation\.(folds|by)\b", r"\1"),
    (r"\bdata\.(duplicates|missing)\b", r"\1"),
    (r"(unknown key '.*' in) 'fit'", r"\1 'options'"),
    (r"mend the file", "mend the array"),
    (r"(?m)^input:\d+:\d+: error: ", ""),
)


def in_python(text, tables):
    """A message of tessera-gp, with the arguments of this module instead of keys of an input and
    names of files."""
    for table in tables:
        name = re.escape("memory:" + table.name)
        text = re.sub(
            rf"'?{name}'?: value (\d+) of '(\d+)'",
            lambda found, table=table: table.element(int(found[1]), int(found[2])),
            text,
        )
        text = re.sub(
            rf"'?{name}'?, row (\d+): the ([a-z ]+) '(\d+)' is",
            lambda found, table=table: table.element(int(found[1]), int(found[3]))
            + ("" if found[2] in ("error variance", "exposure") else f", the {found[2]},")
            + " is",
            text,
        )
        text = re.sub(
            rf"'?{name}'?, row (\d+): '(\d+)' is",
            lambda found, table=table: table.element(int(found[1]), int(found[2])) + " is",
            text,
        )
        text = re.sub(rf"'?{name}'?: all observations '\d+' are", "all values are", text)
        text = re.sub(
            rf"'?{name}'?", "targets" if table.name == "targets" else "points and values", text
        )
    data = tables[0]
    text = re.sub(
        r"the column '(\d+)(?: \* (\d+))?' of the mean",
        lambda found: f"the column {' * '.join(data.coordinate(k) for k in found.groups() if k)} of the mean",
        text,
    )
    text = re.sub(
        r"(?<=likelihood: its column)(s? )('[\w, *']+')",
        lambda found: found[1] + re.sub(r"'(\d+)", lambda k: "'" + data.coordinate(k[1]), found[2]),
        text,
    )
    text = re.sub(
        r"(?:used )?rows (\d+ and \d+(?:, \d+ and \d+)*)",
        lambda found: re.sub(r"\d+", lambda row: f"points[{data.row(int(row[0]))}]", found[1]),
        text,
    )
    if any(table.name == "targets" for table in tables):
        text = re.sub(
            r"the prediction at point (\d+)\b",
            lambda found: f"the prediction at targets[{int(found[1]) - 1}]",
            text,
        )
    elif data.values.shape[1] == 1:  # of a cross-validation
        text = re.sub(
            r"the prediction at point (\d+)\b",
            lambda found: f"the prediction at points[{data.row(int(found[1]))}]",
            text,
        )
    for pattern, argument in _KEYS:
        text = re.sub(pattern, argument, text)
    return data.named(text)


def run(document, tables, **settings):
    """A run on tables in memory, whose errors and warnings name arguments of this module."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            results = runs.run_in_memory(
                {"app": "gp", **document}, {table.name: table.array for table in tables}, **settings
            )
        except _tessera.Error as error:
            raise type(error)(in_python(str(error), tables)) from None
    for warning in caught:
        _warnings.warn(in_python(str(warning.message), tables))
    return results
