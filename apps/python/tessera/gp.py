# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Gaussian processes on points: maximum likelihood with standard errors, prediction with error bars, exactly or by Vecchia's approximation.

    process = tessera.gp.fit(xy, z)
    process.theta, process.errors                 # by name: sigma2, beta, nu, ...
    process.predict(targets).mean, .std

A fit and a prediction are runs of tessera-gp on these arrays, which stay in memory; their numbers are those of the program.

Method: models/gp/METHOD.md; the keys of covariance, fit and method: models/gp/PARAMETERS.md.
"""

import dataclasses

import numpy as np

from . import _arguments, _tessera, runs

__all__ = ["GaussianProcess", "Prediction", "fit"]


@dataclasses.dataclass(frozen=True)
class Prediction:
    """At m points: mean and variance of shape (m,), mean of (m, replicates) where there are several; draws of (m, number of draws), or None."""

    mean: np.ndarray
    variance: np.ndarray
    draws: np.ndarray = None

    @property
    def std(self):
        return np.sqrt(self.variance)


def _numbers(array, name):
    """An array of float64; what is masked or missing is NaN."""
    return _arguments.read(array, name)[0].astype(float)


def _points(array, name):
    points = _numbers(array, name)
    if points.ndim == 1:
        points = points[:, None]
    if points.ndim != 2 or not 1 <= points.shape[1] <= 3:
        raise _tessera.InputError(f"{name} of shape {np.shape(array)}\n  remedy: give a row for each point, with 1 to 3 coordinates")
    return points


def _columns(first, count):
    return [str(number) for number in range(first + 1, first + 1 + count)]


def _on_sphere(covariance):
    return covariance.get("metric", "euclidean") != "euclidean"


def fit(points, values, *, error_variance=None, missing="error", duplicates="error", method="exact", covariance=None, mean="constant", options=None,
        seed=None, backend=None, verbose=False):
    """Fits a covariance to observations by maximum likelihood: a GaussianProcess.

    points: (n, d), d = 1 to 3 coordinates in any one unit; or (n, 2), latitude and longitude in degrees, with
    covariance={"metric": "great_circle"} or "chordal": longitudes that differ by whole turns are the same.
    values: (n,), or (n, replicates) of the same field.
    error_variance: (n,), known variances of the errors of the observations, beside the nugget.
    missing: "drop" leaves out points of which something is NaN; duplicates: "average" takes the mean of observations at one place.
    method: "exact", "vecchia", "auto", or {"vecchia": {"neighbours": 30}}.
    covariance: {"family": "matern", "nugget": 0.1, ...}: family, metric, and where the search starts; with a nugget it is fitted too. A list
    for "beta" (or "ranges") is a range for each coordinate, which "angle" turns.
    mean: "zero", "constant", "linear" or "quadratic" in the coordinates.
    options: of the fit, as in {"fixed": ["nu"], "starts": 3}.

    Messages name the keys of an input: 'data.missing' is the argument missing, 'fit.starts' is options={"starts": ...}. Raises InputError for
    NaN unless they are dropped, and for points at the same place without a nugget or duplicates="average"; NumericalError where no likelihood
    can be evaluated.
    """
    points = _points(points, "points")
    values = _numbers(values, "values")
    if values.ndim not in (1, 2) or len(values) != len(points):
        raise _tessera.InputError(f"values of shape {values.shape} for {len(points)} points\n  remedy: give one value, or one row, for each point")
    columns = values.reshape(len(points), -1)
    model = {"method": method, "covariance": dict(covariance or {}), "mean": mean}
    if _on_sphere(model["covariance"]) and points.shape[1] != 2:
        raise _tessera.InputError(f"points of {points.shape[1]} coordinates on the sphere\n  remedy: give latitude and longitude in degrees, as "
                                  "an array of shape (n, 2)")
    data = {**_columns_of("data", points.shape[1], _on_sphere(model["covariance"]), columns.shape[1]), "missing": missing, "duplicates": duplicates}
    table = np.hstack([points, columns])
    if error_variance is not None:
        errors = _numbers(error_variance, "error_variance")
        if errors.shape != (len(points),):
            raise _tessera.InputError(f"error_variance of shape {errors.shape} for {len(points)} points\n  remedy: give a variance for each point")
        table = np.column_stack([table, errors])
        data["error_variance"] = str(table.shape[1])
    results = runs.run_in_memory({"app": "gp", "data": data, **model, "fit": dict(options or {})}, {"data": table}, seed=seed, backend=backend,
                                 verbose=verbose)
    names = [str(name) for name in results["results/parameters"]]
    theta, errors = results["results/theta"], results["results/theta_se"]
    if len(theta) == 1:
        theta, errors = theta[0], errors[0]
    return GaussianProcess(table, data, model, dict(zip(names, theta.T.tolist())), dict(zip(names, errors.T.tolist())),
                           _one(results["results/loglik"]), _one(results["results/converged"].astype(bool)), results)


def _one(values):
    """A number, or where replicates are fitted one by one a list."""
    return values.tolist() if len(values) > 1 else values.tolist()[0]


def _columns_of(array, coordinates, on_sphere, values=0):
    """What an input says of an array in memory whose columns are coordinates, and then values."""
    places = {"latitude": "1", "longitude": "2"} if on_sphere else {"coordinates": _columns(0, coordinates)}
    section = {"file": "memory:" + array, **places}
    return {**section, "values": _columns(coordinates, values)} if values else section


@dataclasses.dataclass(frozen=True, repr=False)
class GaussianProcess:
    """A fitted process. theta, errors: estimates and standard errors by name; loglik: the largest log-likelihood; results: of the run.
    With options={"replicates": "separate"} all of these are lists, an entry for each replicate."""

    _table: np.ndarray
    _data: dict
    _model: dict
    theta: dict
    errors: dict
    loglik: float
    converged: bool
    results: object

    def __repr__(self):
        if not isinstance(self.loglik, list):
            return f"GaussianProcess({self._estimates(self.theta, self.errors, self.loglik)}, {len(self._table)} points)"
        lines = [f"GaussianProcess({len(self.loglik)} replicates, {len(self._table)} points)"]
        for k, loglik in enumerate(self.loglik):
            lines.append(f"  {k}: " + self._estimates({name: values[k] for name, values in self.theta.items()},
                                                      {name: values[k] for name, values in self.errors.items()}, loglik))
        return "\n".join(lines)

    @staticmethod
    def _estimates(theta, errors, loglik):
        estimates = (f"{name} = {value:.4g} +- {errors[name]:.2g}" if np.isfinite(errors[name]) else f"{name} = {value:.4g}"
                     for name, value in theta.items())
        return ", ".join(estimates) + f"; log-likelihood {loglik:.6g}"

    def predict(self, targets, *, draws=0, of="field", seed=None, backend=None, verbose=False):
        """Kriging at other points: a Prediction.

        targets: (m, d), as the points of the fit. draws: fields drawn from the conditional distribution. of: "field", or "observation", whose variance has the nugget.
        """
        targets = _points(targets, "targets")
        sphere, replicates = _on_sphere(self._model["covariance"]), len(self._data["values"])
        dimension = 2 if sphere else len(self._data["coordinates"])
        if targets.shape[1] != dimension:
            raise _tessera.InputError(f"targets of {targets.shape[1]} coordinates for points of {dimension}\n  remedy: give the same coordinates")
        if isinstance(self.loglik, list):
            raise _tessera.InputError("replicates that were fitted one by one have a covariance each\n  remedy: fit and predict each replicate by itself")
        document = {"app": "gp", "data": self._data, **self._model, "covariance": self._covariance(),
                    "predict": {"points": _columns_of("targets", dimension, sphere), "draws": int(draws), "of": of}}
        results = runs.run_in_memory(document, {"data": self._table, "targets": targets}, seed=seed, backend=backend, verbose=verbose)
        mean = results["results/prediction/mean"]
        return Prediction(mean.reshape(len(targets), -1) if replicates > 1 else mean.reshape(-1), results["results/prediction/variance"],
                          results["results/prediction/draws"] if draws else None)

    def _covariance(self):
        """The section of the fit, with the estimates instead of where the search began."""
        lists = {"ranges": "beta_", "angle": "angle_"}
        given = {key: value for key, value in self._model["covariance"].items() if key not in ("beta", "ranges", "angle")}
        for name, value in self.theta.items():
            key = next((key for key, stem in lists.items() if name.startswith(stem) and name != "beta_time"), None)
            if key is None:
                given[name] = value
            else:
                given.setdefault(key, []).append(value)
        return given
