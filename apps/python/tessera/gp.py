# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Gaussian processes on points: maximum likelihood with standard errors, prediction with error
bars, exactly or by Vecchia's approximation.

    process = tessera.gp.fit(xy, z)
    process.theta, process.errors                 # by name: sigma2, beta, nu, ...
    process.predict(targets).mean, .std
    tessera.gp.given(xy, z, covariance={...})     # of a covariance that is known

A fit and a prediction are runs of tessera-gp on these arrays, which stay in memory; their numbers
are those of the program.

Method: models/gp/METHOD.md; the keys of covariance, fit and method: models/gp/PARAMETERS.md.
"""

import dataclasses
import re
import warnings

import numpy as np

from . import _arguments, _frames, _tessera, _warnings, runs

__all__ = ["GaussianProcess", "Prediction", "fit", "given"]


@dataclasses.dataclass(frozen=True)
class Prediction:
    """At m points: mean and variance of shape (m,), mean of (m, replicates) where there are
    several; draws of (m, number of draws), or None. Of targets in a table of pandas, geopandas or
    polars they are Series and tables, with its index. Where each replicate was fitted for itself
    the variance is (m, replicates), too."""

    mean: np.ndarray
    variance: np.ndarray
    draws: np.ndarray = None

    @property
    def std(self):
        return np.sqrt(self.variance)


def _numbers(array, name):
    """An array of floating-point numbers; what is masked or missing is NaN."""
    return _arguments.read(array, name)[0].astype(float)


def _points(array, name, sphere):
    points = _numbers(array, name)
    if points.ndim == 1 and not sphere:
        points = points[:, None]
    if sphere and (points.ndim != 2 or points.shape[1] != 2):
        raise _tessera.InputError(
            f"{name} of shape {np.shape(array)}\n  remedy: on the sphere give a row for each point, latitude and longitude in degrees"
        )
    if points.ndim != 2 or not 1 <= points.shape[1] <= 3:
        raise _tessera.InputError(
            f"{name} of shape {np.shape(array)}\n  remedy: give a row for each point, with 1 to 3 coordinates"
        )
    return points


def _like(targets, prediction, unit):
    """A prediction in the form of its targets: with the index of a table, or with units."""

    def of(values, power=1):
        return _frames.with_unit(_frames.like(values, targets), unit, power)

    return Prediction(of(prediction.mean), of(prediction.variance, 2), of(prediction.draws))


def _column(array, name, count):
    """A number for each point, as a column; none where there is no array."""
    if array is None:
        return np.empty((count, 0))
    column = _numbers(array, name)
    if column.shape != (count,):
        raise _tessera.InputError(
            f"{name} of shape {np.shape(array)} for {count} points\n  remedy: give one number for each point"
        )
    return column[:, None]


@dataclasses.dataclass(frozen=True)
class _Table:
    """An array in memory: coordinates, then the time, the variances of errors and the values, as
    far as there are any."""

    name: str
    points: np.ndarray
    time: np.ndarray
    error_variance: np.ndarray
    values: np.ndarray
    sphere: bool
    drop: bool = False  # rows with NaN are left out

    @property
    def array(self):
        return np.hstack([self.points, self.time, self.error_variance, self.values])

    def section(self):
        """What an input says of it."""
        parts = (
            ("time", self.time),
            ("error_variance", self.error_variance),
            ("values", self.values),
        )
        first, count = {}, self.points.shape[1]
        for key, columns in parts:
            first[key], count = count + 1, count + columns.shape[1]
        section = {"file": "memory:" + self.name}
        if self.sphere:
            section.update(latitude="1", longitude="2")
        else:
            section["coordinates"] = [str(k + 1) for k in range(self.points.shape[1])]
        for key, columns in parts[:2]:
            if columns.shape[1]:
                section[key] = str(first[key])
        if self.values.shape[1]:
            section["values"] = [str(first["values"] + k) for k in range(self.values.shape[1])]
        return section

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
            ("time", self.time),
            ("error_variance", self.error_variance),
            ("values", self.values),
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
    (r"a subset with data\.sample", "a subset of the points"),
    (r"'?data\.time'?", "'time'"),
    (r"predict\.jitter", "jitter"),
    (r"method\.vecchia\.(\w+)", r'method={"vecchia": {"\1": ...}}'),
    (r"\bfit\.(\w+)", r'options={"\1": ...}'),
    (r"covariance\.(\w+)", r'covariance={"\1": ...}'),
    (r"\bmethod: (exact|vecchia|auto)\b", r'method="\1"'),
    (r"\b(metric|family): (\w+)", r'covariance={"\1": "\2"}'),
    (r"\bmean: (\w+)", r'mean="\1"'),
    (r"\bpredict\.of: (\w+)", r'of="\1"'),
    (r"\bpredict\.(of|draws)\b", r"\1"),
    (r"\bdata\.(duplicates|missing)\b", r"\1"),
    (r"(unknown key '.*' in) 'fit'", r"\1 'options'"),
    (r"mend the file", "mend the array"),
    (r"(?m)^input:\d+:\d+: error: ", ""),
)


def _in_python(text, tables):
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
            + ("" if found[2] == "error variance" else f", the {found[2]},")
            + " is",
            text,
        )
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
        r"(?:used )?rows (\d+ and \d+(?:, \d+ and \d+)*)",
        lambda found: re.sub(r"\d+", lambda row: f"points[{data.row(int(row[0]))}]", found[1]),
        text,
    )
    text = re.sub(
        r"the prediction at point (\d+)\b",
        lambda found: f"the prediction at targets[{int(found[1]) - 1}]",
        text,
    )
    for pattern, argument in _KEYS:
        text = re.sub(pattern, argument, text)
    return text


def _run(document, tables, **settings):
    """A run on tables in memory, whose errors and warnings name arguments of this module."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            results = runs.run_in_memory(
                {"app": "gp", **document}, {table.name: table.array for table in tables}, **settings
            )
        except _tessera.Error as error:
            raise type(error)(_in_python(str(error), tables)) from None
    for warning in caught:
        _warnings.warn(_in_python(str(warning.message), tables))
    return results


def _table(points, values, covariance, mean, time, error_variance, missing):
    """The data of a process, from arguments of fit()."""
    sphere = covariance.get("metric") in ("great_circle", "chordal")
    points, frame = _frames.positions_of(points, "points", sphere)
    points = _points(points, "points", sphere)
    values, unit = _frames.split(values)
    values = _numbers(values, "values")
    if error_variance is not None:
        squared = None if unit is None else unit**2
        error_variance = _frames.number_in(error_variance, squared, "error_variance")
    if values.ndim not in (1, 2) or len(values) != len(points):
        raise _tessera.InputError(
            f"values of shape {values.shape} for {len(points)} points\n  remedy: give one value, or one row, for each point"
        )
    if not isinstance(mean, str) and "covariates" in mean:
        raise _tessera.InputError(
            "mean: covariates are columns of a file\n  remedy: run an input that names them (tessera.run), or take them off the values"
        )
    if time is None and "beta_time" in covariance:
        raise _tessera.InputError(
            "covariance has a range in time, beta_time, and the points have no time\n  remedy: give time, a number for each point, or leave beta_time out"
        )
    table = _Table(
        "data",
        points,
        _column(time, "time", len(points)),
        _column(error_variance, "error_variance", len(points)),
        values.reshape(len(points), -1),
        sphere,
        missing == "drop",
    )
    return table, frame, unit


def _plain_covariance(covariance, points, values):
    """A covariance without quantities: variances in the unit of the values squared, ranges in that
    of the points."""
    squared, length = _frames.split(values)[1], _frames.split(points)[1]
    squared = None if squared is None else squared**2
    units = {"sigma2": squared, "nugget": squared}
    units.update(dict.fromkeys(("beta", "ranges", "radius"), length))
    return {
        key: _frames.number_in(value, units.get(key), f"covariance[{key!r}]")
        for key, value in dict(covariance or {}).items()
    }


def fit(
    points,
    values,
    *,
    method="exact",
    covariance=None,
    mean="constant",
    options=None,
    time=None,
    error_variance=None,
    duplicates="error",
    missing="error",
    seed=None,
    backend=None,
    verbose=False,
):
    """Fits a covariance to observations by maximum likelihood: a GaussianProcess.

    points: (n, d), d = 1 to 3 coordinates in any one unit; or latitude and longitude in degrees
    with covariance={"metric": "great_circle"} or "chordal". values: (n,), or (n, replicates) of the
    same field. Points of geopandas, tables of pandas and polars and quantities of pint are taken:
    estimates are in the units of points and values then, and predictions have those of the values.
    method: "exact", "vecchia", "auto", or {"vecchia": {"neighbours": 30}}. covariance:
    {"family": "matern", "nugget": 0.1, ...}: family, metric, and where the search starts; with a
    nugget it is fitted too. A range for each coordinate comes with {"beta": [12, 4]} or {"ranges":
    [12, 4]}, and their axes turn with {"angle": 0.3}, in space [yaw, pitch, roll]. mean: "zero",
    "constant", "linear" or "quadratic" in the coordinates. options: of the fit, as in {"fixed":
    ["nu"], "starts": 3}; {"replicates": "separate"} fits each column of values for itself. time:
    (n,), with covariance={"beta_time": ...}. error_variance: (n,), known variances of the errors of
    the observations. duplicates: "error", or "average" for observations at one place without a
    nugget. missing: "error", or "drop" for points with NaN.

    Raises InputError for NaN, and for points at the same place without a nugget; NumericalError
    where no likelihood can be evaluated. Warns (TesseraWarning) where the search has not converged
    or ends at a bound.
    """
    covariance = _plain_covariance(covariance, points, values)
    table, frame, unit = _table(points, values, covariance, mean, time, error_variance, missing)
    model = {"method": method, "covariance": covariance, "mean": mean}
    data = {"duplicates": duplicates, "missing": missing}
    results = _run(
        {"data": {**table.section(), **data}, **model, "fit": dict(options or {})},
        [table],
        seed=seed,
        backend=backend,
        verbose=verbose,
    )
    names = [str(name) for name in results["results/parameters"]]
    theta, errors, loglik = (
        results["results/theta"],
        results["results/theta_se"],
        results["results/loglik"],
    )
    separate = len(theta) > 1

    def by_name(rows):
        return dict(zip(names, rows.T.copy() if separate else rows[0].tolist()))

    return GaussianProcess(
        table,
        {**model, "data": data},
        by_name(theta),
        by_name(errors),
        loglik.copy() if separate else float(loglik[0]),
        bool(np.all(results["results/converged"])),
        results,
        frame,
        unit,
    )


def given(
    points,
    values,
    *,
    covariance,
    method="exact",
    mean="constant",
    time=None,
    error_variance=None,
    duplicates="error",
    missing="error",
    likelihood=False,
    backend=None,
    verbose=False,
):
    """A process whose covariance is known: a GaussianProcess, made without a fit.

    covariance: family, and all of its numbers, as in {"family": "matern32", "sigma2": 2.0, "beta":
    0.3, "nugget": 0.1}. likelihood: whether loglik is evaluated, which is NaN else. Standard errors
    are 0. Other arguments, units and errors as in fit().
    """
    covariance = _plain_covariance(covariance, points, values)
    table, frame, unit = _table(points, values, covariance, mean, time, error_variance, missing)
    model = {"method": method, "covariance": covariance, "mean": mean}
    data = {"duplicates": duplicates, "missing": missing}
    theta = _parameters(covariance)
    results, loglik = None, float("nan")
    if likelihood:
        results = _run(
            {
                "data": {**table.section(), **data},
                **model,
                "loglik": {"theta": [list(theta.values())]},
            },
            [table],
            backend=backend,
            verbose=verbose,
        )
        loglik = float(np.sum(results["results/loglik"]))
    errors = dict.fromkeys(theta, 0.0)
    return GaussianProcess(
        table, {**model, "data": data}, theta, errors, loglik, True, results, frame, unit
    )


def _parameters(covariance):
    """The parameters of a covariance by the names of a fit, in its order."""
    theta = {}
    for key in ("sigma2", "beta", "ranges", "angle", "nu", "exponent", "beta_time", "nugget"):
        value = covariance.get(key)
        if value is None:
            continue
        if key in ("beta", "ranges") and np.ndim(value):
            theta.update({f"beta_{k + 1}": float(one) for k, one in enumerate(value)})
        elif key == "angle" and np.ndim(value):
            theta.update({f"angle_{k + 1}": float(one) for k, one in enumerate(value)})
        else:
            theta[key] = float(value)
    if "sigma2" not in theta or not any(name.startswith("beta") for name in theta):
        raise _tessera.InputError(
            'covariance has no sigma2 or no beta\n  remedy: give all of its numbers, as in {"family": "matern32", "sigma2": 2.0, "beta": 0.3}'
        )
    return theta


@dataclasses.dataclass(frozen=True, repr=False)
class GaussianProcess:
    """A fitted process. theta, errors: estimates and standard errors by name; loglik: the largest
    log-likelihood; converged: whether no step promises a likelihood larger by the tolerance;
    results: of the run, None without one. Where each replicate was fitted for itself, estimates,
    errors and likelihoods are arrays of a number for each, and converged speaks of all."""

    _table: _Table
    _model: dict
    theta: dict
    errors: dict
    loglik: float
    converged: bool
    results: object
    _frame: _frames.Frame = _frames.Frame()
    _unit: object = None  # of the values

    @property
    def _separate(self):
        return np.ndim(self.loglik) > 0

    def __repr__(self):
        count = len(self._table.points)
        if self._separate:
            estimates = ", ".join(
                f"{name} = {np.array2string(value, precision=4, separator=', ', threshold=6)}"
                for name, value in self.theta.items()
            )
            likelihoods = np.array2string(self.loglik, precision=6, separator=", ", threshold=6)
            return f"GaussianProcess({len(self.loglik)} replicates, each for itself: {estimates}; log-likelihoods {likelihoods}, {count} points)"
        estimates = ", ".join(
            f"{name} = {value:.4g} +- {self.errors[name]:.2g}" for name, value in self.theta.items()
        )
        return f"GaussianProcess({estimates}; log-likelihood {self.loglik:.6g}, {count} points)"

    def predict(
        self,
        targets,
        *,
        time=None,
        draws=0,
        jitter=None,
        of="field",
        seed=None,
        backend=None,
        verbose=False,
    ):
        """Kriging at other points: a Prediction.

        targets: (m, d); of a table of pandas or polars, or points of geopandas, means, variances
        and draws are Series and tables with its index; targets with a unit are converted. time:
        (m,), where the process has one. draws: fields drawn from the conditional distribution, of
        the first replicate; jitter: added to their conditional
        variances, in units of sigma2. of: "field", or "observation", whose variance has the nugget.

        Raises NumericalError where the covariance of the data that a prediction is made from is not
        positive definite.
        """
        sphere = self._table.sphere
        points = _points(self._frame.read(targets, "targets", sphere), "targets", sphere)
        if points.shape[1] != self._table.points.shape[1]:
            raise _tessera.InputError(
                f"targets of {points.shape[1]} coordinates for points of {self._table.points.shape[1]}"
            )
        if time is None and self._table.time.shape[1]:
            raise _tessera.InputError(
                "the process is in space and time, and the targets have no time\n  remedy: give time, a number for each target"
            )
        if time is not None and not self._table.time.shape[1]:
            raise _tessera.InputError(
                'the process has no time\n  remedy: leave time out, or fit with time and covariance={"beta_time": ...}'
            )
        none = np.empty((len(points), 0))
        table = _Table(
            "targets", points, _column(time, "time", len(points)), none, none, self._table.sphere
        )
        prediction = {
            "points": table.section(),
            "draws": int(draws),
            "of": of,
            **({} if jitter is None else {"jitter": float(jitter)}),
        }
        settings = {"seed": seed, "backend": backend, "verbose": verbose}
        return _like(targets, self._predictions(prediction, table, settings), self._unit)

    def _predictions(self, prediction, table, settings):
        """Of all replicates together, or of each of them."""
        draws = prediction["draws"]
        if not self._separate:
            return self._predict(self._table.values, self.theta, prediction, table, settings)
        parts = []
        for replicate in range(len(self.loglik)):
            theta = {name: float(value[replicate]) for name, value in self.theta.items()}
            own = {**prediction, "draws": draws if replicate == 0 else 0}
            parts.append(
                self._predict(
                    self._table.values[:, replicate : replicate + 1], theta, own, table, settings
                )
            )
        return Prediction(
            np.stack([part.mean for part in parts], axis=1),
            np.stack([part.variance for part in parts], axis=1),
            parts[0].draws,
        )

    def _predict(self, values, theta, prediction, targets, settings):
        data = dataclasses.replace(self._table, values=values)
        document = {
            **self._model,
            "data": {**data.section(), **self._model["data"]},
            "covariance": self._covariance(theta),
            "predict": prediction,
        }
        results = _run(document, [data, targets], **settings)
        mean = results["results/prediction/mean"]
        return Prediction(
            mean.reshape(len(targets.points), -1) if values.shape[1] > 1 else mean.reshape(-1),
            results["results/prediction/variance"],
            results["results/prediction/draws"] if prediction["draws"] else None,
        )

    def _covariance(self, theta):
        """The covariance of an input with the estimates in the place of where the search
        started."""
        given = {
            key: value
            for key, value in self._model["covariance"].items()
            if key not in ("beta", "ranges", "angle")
        }
        lists = {
            "ranges": [value for name, value in theta.items() if re.fullmatch(r"beta_\d+", name)],
            "angle": [
                value for name, value in theta.items() if re.fullmatch(r"angle(_\d+)?", name)
            ],
        }
        plain = {
            name: value
            for name, value in theta.items()
            if not re.fullmatch(r"beta_\d+|angle(_\d+)?", name)
        }
        return {**given, **plain, **{key: value for key, value in lists.items() if value}}
