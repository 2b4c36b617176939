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

from . import _tessera, runs

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


def _points(array, name):
    points = np.asarray(array, dtype=float)
    if points.ndim == 1:
        points = points[:, None]
    if points.ndim != 2 or not 1 <= points.shape[1] <= 3:
        raise _tessera.InputError(f"{name} of shape {np.shape(array)}\n  remedy: give a row for each point, with 1 to 3 coordinates")
    return points


def _columns(first, count):
    return [str(number) for number in range(first + 1, first + 1 + count)]


def fit(points, values, *, method="exact", covariance=None, mean="constant", options=None, seed=None, backend=None, verbose=False):
    """Fits a covariance to observations by maximum likelihood: a GaussianProcess.

    points: (n, d), d = 1 to 3 coordinates in any one unit; or latitude and longitude in degrees with covariance={"metric": "great_circle"}.
    values: (n,), or (n, replicates) of the same field.
    method: "exact", "vecchia", "auto", or {"vecchia": {"neighbours": 30}}.
    covariance: {"family": "matern", "nugget": 0.1, ...}: family, metric, and where the search starts; with a nugget it is fitted too.
    mean: "zero", "constant", "linear" or "quadratic" in the coordinates.
    options: of the fit, as in {"fixed": ["nu"], "starts": 3}.

    Raises InputError for NaN, and for points at the same place without a nugget; NumericalError where no likelihood can be evaluated.
    """
    points = _points(points, "points")
    values = np.asarray(values, dtype=float)
    if values.ndim not in (1, 2) or len(values) != len(points):
        raise _tessera.InputError(f"values of shape {values.shape} for {len(points)} points\n  remedy: give one value, or one row, for each point")
    columns = values.reshape(len(points), -1)
    model = {"method": method, "covariance": dict(covariance or {}), "mean": mean}
    data = _columns_of("data", points.shape[1], columns.shape[1])
    results = runs.run_in_memory({"app": "gp", "data": data, **model, "fit": dict(options or {})}, {"data": np.hstack([points, columns])},
                                 seed=seed, backend=backend, verbose=verbose)
    names = [str(name) for name in results["results/parameters"]]
    theta, errors = results["results/theta"][0], results["results/theta_se"][0]
    return GaussianProcess(points, columns, model, dict(zip(names, theta.tolist())), dict(zip(names, errors.tolist())),
                           float(results["results/loglik"][0]), bool(results["results/converged"][0]), results)


def _columns_of(array, coordinates, values=0):
    """What an input says of an array in memory whose columns are coordinates, and then values."""
    section = {"file": "memory:" + array, "coordinates": _columns(0, coordinates)}
    return {**section, "values": _columns(coordinates, values)} if values else section


@dataclasses.dataclass(frozen=True, repr=False)
class GaussianProcess:
    """A fitted process. theta, errors: estimates and standard errors by name; loglik: the largest log-likelihood; results: of the run."""

    _points: np.ndarray
    _values: np.ndarray
    _model: dict
    theta: dict
    errors: dict
    loglik: float
    converged: bool
    results: object

    def __repr__(self):
        estimates = ", ".join(f"{name} = {value:.4g} +- {self.errors[name]:.2g}" for name, value in self.theta.items())
        return f"GaussianProcess({estimates}; log-likelihood {self.loglik:.6g}, {len(self._points)} points)"

    def predict(self, targets, *, draws=0, of="field", seed=None, backend=None, verbose=False):
        """Kriging at other points: a Prediction.

        targets: (m, d). draws: fields drawn from the conditional distribution. of: "field", or "observation", whose variance has the nugget.
        """
        targets = _points(targets, "targets")
        if targets.shape[1] != self._points.shape[1]:
            raise _tessera.InputError(f"targets of {targets.shape[1]} coordinates for points of {self._points.shape[1]}")
        given = {**self._model["covariance"], **self._covariance()}
        document = {"app": "gp", "data": _columns_of("data", self._points.shape[1], self._values.shape[1]), **self._model, "covariance": given,
                    "predict": {"points": _columns_of("targets", targets.shape[1]), "draws": int(draws), "of": of}}
        results = runs.run_in_memory(document, {"data": np.hstack([self._points, self._values]), "targets": targets}, seed=seed,
                                     backend=backend, verbose=verbose)
        mean = results["results/prediction/mean"]
        return Prediction(mean.reshape(len(targets), -1) if self._values.shape[1] > 1 else mean.reshape(-1), results["results/prediction/variance"],
                          results["results/prediction/draws"] if draws else None)

    def _covariance(self):
        """The estimates under the names of an input."""
        ranges = [value for name, value in self.theta.items() if name.startswith("beta_") and name != "beta_time"]
        plain = {name: value for name, value in self.theta.items() if not name.startswith("beta_") or name == "beta_time"}
        return {**plain, **({"ranges": ranges} if ranges else {})}
