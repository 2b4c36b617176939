# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Gaussian processes on points: maximum likelihood with standard errors, prediction with error
bars, exactly or by Vecchia's approximation.

    process = tessera.gp.fit(xy, z)
    process.theta, process.errors                 # by name: sigma2, beta, nu, ...
    process.predict(targets).mean, .std
    process.cross_validate(folds=10).scores       # rmse, crps, log_score, coverage_95, ...
    tessera.gp.given(xy, z, covariance={...})     # of a covariance that is known
    tessera.gp.fit(xy, counts, likelihood="poisson").predict(targets, quantiles=[0.025, 0.975])

Fits, predictions and cross-validations are runs of tessera-gp on these arrays, which stay in
memory; their numbers are those of the program.

Method: models/gp/METHOD.md; the keys of covariance, fit and method: models/gp/PARAMETERS.md.
"""

import dataclasses
import re

import numpy as np

from . import _arguments, _frames, _gp_local, _gp_runs, _gp_validation, _groups, _html, _tessera
from ._gp_validation import CrossValidation, ResponseCrossValidation
from ._groups import Effects

__all__ = [
    "CrossValidation",
    "Effects",
    "GaussianProcess",
    "Prediction",
    "ResponseCrossValidation",
    "ResponsePrediction",
    "ResponseProcess",
    "fit",
    "given",
]


_OF_MARGINALS = ("g", "h")  # elements of theta that are not the covariance's


@dataclasses.dataclass(frozen=True)
class Prediction:
    """At m points: mean and variance of shape (m,), mean of (m, replicates) where there are
    several; draws of (m, number of draws), quantiles of an observation of (m, number of quantiles),
    or None. Of several variables mean and variance are (m, variables), and draws and quantiles
    (m, variables, their number). Of targets in a table of pandas, geopandas or polars they are
    Series and tables, with its index. Where each replicate was fitted for itself the variance
    is (m, replicates), too."""

    mean: np.ndarray
    variance: np.ndarray
    draws: np.ndarray = None
    quantiles: np.ndarray = None

    @property
    def std(self):
        return np.sqrt(self.variance)


def _like(targets, prediction, unit):
    """A prediction in the form of its targets: with the index of a table, or with units."""

    def of(values, power=1):
        return _frames.with_unit(_frames.like(values, targets), unit, power)

    return dataclasses.replace(
        prediction,
        **{
            field.name: of(getattr(prediction, field.name), 2 if "variance" in field.name else 1)
            for field in dataclasses.fields(prediction)
        },
    )


def _table(points, values, covariance, time, error_variance, covariates, missing, groups):
    """The data of a process, from arguments of fit()."""
    sphere = covariance.get("metric") in ("great_circle", "chordal")
    _frames.require_one_index(points, values, time, error_variance, covariates)
    points, frame = _frames.positions_of(points, "points", sphere)
    points = _gp_runs.points_of(points, "points", sphere)
    values, unit = _frames.split(values)
    values = _gp_runs.numbers(values, "values")
    if error_variance is not None:
        squared = None if unit is None else _frames.of_differences(unit) ** 2
        error_variance = _frames.number_in(error_variance, squared, "error_variance")
    if values.ndim not in (1, 2) or len(values) != len(points):
        raise _tessera.InputError(
            f"values of shape {values.shape} for {len(points)} points\n  remedy: give one value, or one row, for each point"
        )
    if len(points) == 0:
        raise _tessera.InputError("there are no points\n  remedy: give one or more")
    in_time = next((key for key in ("beta_time", "time") if key in covariance), None)
    if time is None and in_time is not None:
        raise _tessera.InputError(
            f"covariance is one of space and time, by {in_time}, and the points have no time\n  remedy: give time, a number for each point, or leave {in_time} out"
        )
    table = _gp_runs.Table(
        "data",
        points,
        _gp_runs.column(time, "time", len(points)),
        _gp_runs.column(error_variance, "error_variance", len(points)),
        values.reshape(len(points), -1),
        sphere,
        missing == "drop",
        groups=groups.columns if len(groups) else None,
    )
    names, columns = _gp_local.columns(covariates, "covariates", len(points))
    table = dataclasses.replace(table, covariates=columns, covariate_names=names)
    return table, frame, unit


def _plain_covariance(covariance, points, values):
    """A covariance without quantities: variances in the unit of the values squared, ranges in that
    of the points."""
    squared, length = _frames.split(values)[1], _frames.split(points)[1]
    squared = None if squared is None else _frames.of_differences(squared) ** 2
    units = {"sigma2": squared, "nugget": squared}
    units.update(dict.fromkeys(("beta", "ranges", "radius"), length))
    plain = {
        key: _frames.number_in(value, units.get(key), f"covariance[{key!r}]")
        for key, value in _arguments.mapping(
            covariance, "covariance", '{"family": "matern32"}'
        ).items()
    }
    if plain.get("family") == "legendre_matern":
        plain.setdefault("metric", "great_circle")
    return plain


def fit(
    points,
    values,
    *,
    method=None,
    covariance=None,
    mean="constant",
    marginal=None,
    likelihood=None,
    exposure=None,
    options=None,
    time=None,
    error_variance=None,
    covariates=None,
    groups=None,
    group_variance=None,
    duplicates="error",
    missing="error",
    seed=None,
    backend=None,
    verbose=False,
):
    """Fits a covariance to observations by maximum likelihood: a GaussianProcess.

    points: (n, d), d = 1 to 32 coordinates in any one unit; or latitude and longitude in degrees
    with covariance={"metric": "great_circle"} or "chordal". values: (n,), or (n, replicates) of the
    same field. Points of geopandas, tables of pandas and polars and quantities of pint are taken:
    estimates are in the units of points and values then, and predictions have those of the values.
    method: "exact", which it is where None is given, "vecchia", "auto", or {"vecchia":
    {"neighbours": 30}}. covariance: {"family": "matern", "nugget": 0.1, ...}: family, metric, and
    where the search starts; with a nugget it is fitted too. A range for each coordinate comes with
    {"beta": [12, 4]} or {"ranges": [12, 4]}, or with {"ranges": "each"}, where the search starts as
    the data suggest; the axes of two or three ranges turn with {"angle": 0.3}, in space [yaw,
    pitch, roll]. With {"variables": 2} the columns of values, (n, variables), are variables that
    depend on each other, in which NaN is a place without an observation; sigma2, nu and nugget may
    be lists with a number for each then, and rho is their correlation, or a list of those of all
    pairs; {"variables": 2, "cross": "full"} gives them ranges of their own, and another to their
    cross-covariance, whose smoothness may exceed the mean. mean: "zero", "constant", "linear" or
    "quadratic" in the coordinates. options: of the fit, as in {"fixed": ["nu"], "starts": 3};
    {"replicates": "separate"} fits each column of values for itself. time: (n,), with
    covariance={"beta_time": ...}, or with {"time": "separable"} or {"time": "gneiting"}, whose
    space and time interact. error_variance: (n,), known variances of the errors of the
    observations. covariates: {"elevation": (n,)}, or a table, for mean={"covariates":
    ["elevation"]} and for covariances that are not stationary, as in {"by_covariates": {"sigma2":
    ["elevation"], "beta": ["elevation"]}}; {"warp": {"knots": 5}} warps coordinates. duplicates:
    "error", or "average" for observations at one place without a nugget. missing: "error", or
    "drop" for points with NaN.

    groups: labels of groupings by name, as in {"site": sites, "observer": observers} with a label
    for each point, or a table of them: each level has a random effect beside the field, and theta
    has variance_site and so on, which start at group_variance, {"site": 0.3, "observer": 0.1}, or
    where the data suggest. The effects are in process.effects (models/gp/METHOD.md).

    marginal: "tukey_g_and_h" for observations that are skewed or have heavy tails: theta has g and
    h too, which start at {"family": "tukey_g_and_h", "g": 0.5, "h": 0.1}, or where the data suggest
    (models/gp/METHOD.md).

    likelihood: the law of observations that are not Gaussian, "bernoulli", "poisson",
    "negative_binomial", "gamma", "student_t", or {"family": "bernoulli", "link": "probit"}: a
    ResponseProcess, by Laplace's approximation, for which method is Vecchia's approximation
    (models/gp/LATENT.md). exposure: (n,), by which the mean of counts and gamma numbers is
    multiplied.

    Raises InputError for NaN, for points at the same place without a nugget, for values that the
    law does not have, and where the mean separates them; NumericalError where no likelihood can be
    evaluated. Warns (TesseraWarning) where the search has not converged
    or ends at a bound.
    """
    covariance = _plain_covariance(covariance, points, values)
    _frames.require_one_index(points, groups)
    groups = _groups.Groups(groups, len(points), missing == "drop")
    table, frame, unit = _table(
        points, values, covariance, time, error_variance, covariates, missing, groups
    )
    law = _likelihood(likelihood, exposure, unit)
    if exposure is not None:
        _frames.require_one_index(points, exposure)
        table = dataclasses.replace(
            table, exposure=_gp_runs.column(exposure, "exposure", len(points))
        )
        law["exposure"] = str(table.first_columns()["exposure"])
    model = {
        "covariance": covariance,
        "mean": mean,
        **_marginal(marginal),
        **groups.section(group_variance),
        **({"likelihood": law} if law else {}),
    }
    if method is not None or not law:
        model["method"] = method or "exact"
    data = {"duplicates": duplicates, "missing": missing}
    results = _gp_runs.run(
        {
            "data": {**table.section(), **data},
            **model,
            **_numbered(model, table),
            "fit": _gp_local.numbered_options(options, table),
        },
        [table],
        seed=seed,
        backend=backend,
        verbose=verbose,
    )
    names = [table.named(str(name)) for name in results["results/parameters"]]
    theta, loglik = results["results/theta"], results["results/loglik"]
    has_errors = "results/theta_se" in results
    errors = results["results/theta_se"] if has_errors else np.full(theta.shape, np.nan)
    separate = len(theta) > 1

    def by_name(rows):
        return dict(zip(names, rows.T.copy() if separate else rows[0].tolist()))

    converged = (
        results.group_attribute("results", "converged") if law else results["results/converged"]
    )
    process = (
        table,
        {**model, "data": data},
        by_name(theta),
        by_name(errors),
        loglik.copy() if separate else float(loglik[0]),
        bool(np.all(converged)),
        results,
        frame,
        unit,
        groups,
        _frames.form_of(points, values),
    )
    return (
        ResponseProcess(*process, **_response_estimates(results, table))
        if law
        else GaussianProcess(*process)
    )


def _numbered(model, table):
    """Sections of an input that name covariates by the numbers of their columns."""
    return {
        "covariance": _gp_local.numbered_covariance(model["covariance"], table),
        "mean": _gp_local.numbered_mean(model["mean"], table),
    }


def _marginal(marginal):
    """The section of an input, with its name; {} for Gaussian fields."""
    family = {"family": marginal} if isinstance(marginal, str) else marginal
    law = _arguments.mapping(family, "marginal", '"tukey_g_and_h"')
    return {"marginal": law} if law else {}


def _likelihood(likelihood, exposure, unit):
    """The section of an input, {} for Gaussian observations."""
    family = {"family": likelihood} if isinstance(likelihood, str) else likelihood
    law = _arguments.mapping(family, "likelihood", '"poisson"')
    if law.get("family", "gaussian") == "gaussian":
        law = {}
    if not law and exposure is not None:
        raise _tessera.InputError(
            'exposure is for counts and for gamma numbers\n  remedy: give likelihood, as in "poisson", or leave exposure out'
        )
    if law and unit is not None:
        raise _tessera.InputError(
            "values with a unit have no likelihood but the Gaussian one\n  remedy: give their numbers"
        )
    return law


def _response_estimates(results, table):
    """The parameters of the law and of the mean, by name."""
    estimates = {}
    first = table.first_columns()["covariates"]
    of_columns = {str(first + at): name for at, name in enumerate(table.covariate_names)}
    for part, names in (("response", "response_parameters"), ("trend", "trend_names")):
        for field, key in ((part, part), (part + "_errors", part + "_se")):
            known = f"results/{names}" in results and f"results/{key}" in results
            estimates[field] = (
                dict(
                    zip(
                        (
                            of_columns.get(str(name), str(name))
                            for name in results[f"results/{names}"]
                        ),
                        results[f"results/{key}"][0].tolist(),
                    )
                )
                if known
                else {}
            )
    return estimates


def given(
    points,
    values,
    *,
    covariance,
    method="exact",
    mean="constant",
    marginal=None,
    time=None,
    error_variance=None,
    covariates=None,
    groups=None,
    group_variance=None,
    duplicates="error",
    missing="error",
    likelihood=False,
    backend=None,
    verbose=False,
):
    """A process whose covariance is known: a GaussianProcess, made without a fit.

    covariance: family, and all of its numbers, as in {"family": "matern32", "sigma2": 2.0, "beta":
    0.3, "nugget": 0.1}. marginal: with its numbers, too: {"family": "tukey_g_and_h", "g": 0.5, "h":
    0.1}. group_variance: a number for each grouping of groups. likelihood: whether loglik is
    evaluated, which is NaN else. Standard errors are 0. Other arguments, units and errors as in
    fit().
    """
    covariance = _plain_covariance(covariance, points, values)
    _frames.require_one_index(points, groups)
    groups = _groups.Groups(groups, len(points), missing == "drop")
    table, frame, unit = _table(
        points, values, covariance, time, error_variance, covariates, missing, groups
    )
    model = {
        "method": method,
        "covariance": covariance,
        "mean": mean,
        **_marginal(marginal),
        **groups.section(group_variance, required=True),
    }
    data = {"duplicates": duplicates, "missing": missing}
    law = model.get("marginal", {})
    theta = {
        **_parameters(covariance),
        **_gp_local.parameters(covariance, table.points.shape[1]),
        **{name: float(law[name]) for name in _OF_MARGINALS if name in law},
        **{f"variance_{name}": float(group_variance[name]) for name in groups.names},
    }
    results, loglik = None, float("nan")
    if likelihood:
        results = _gp_runs.run(
            {
                "data": {**table.section(), **data},
                **model,
                **_numbered(model, table),
                "loglik": {"theta": [list(theta.values())]},
            },
            [table],
            backend=backend,
            verbose=verbose,
        )
        loglik = float(np.sum(results["results/loglik"]))
    errors = dict.fromkeys(theta, 0.0)
    return GaussianProcess(
        table,
        {**model, "data": data},
        theta,
        errors,
        loglik,
        True,
        results,
        frame,
        unit,
        groups,
        _frames.form_of(points, values),
    )


def _parameters(covariance):
    """The parameters of a covariance by the names of a fit, in its order."""
    theta = {}
    if covariance.get("variables", 1) > 1:
        return _parameters_of_variables(covariance)
    order = ("sigma2", "beta", "ranges", "angle", "nu", "exponent")
    in_time = ("beta_time", "alpha", "interaction", "delta")
    for key in (*order, *in_time, "nugget"):
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


def _pairs(count):
    """The ends of the names of cross-correlations."""
    return [f"{v}{w}" for v in range(1, count) for w in range(v + 1, count + 1)]


def _parameters_of_variables(covariance):
    """The same of several variables."""
    count, theta = int(covariance["variables"]), {}
    each, pairs = [str(v) for v in range(1, count + 1)], _pairs(count)
    full = covariance.get("cross") == "full"
    for key, ends in (
        ("sigma2", each),
        ("beta", each + pairs if full else None),
        ("nu", each),
        *([("excess", pairs)] if full else []),
        ("rho", pairs),
        ("nugget", each),
    ):
        value = covariance.get(key)
        if value is None and key == "nugget":
            continue
        if value is None or np.size(value) not in (1, len(ends or "1")):
            raise _tessera.InputError(
                f"covariance[{key!r}] has {0 if value is None else np.size(value)} numbers\n  remedy: give "
                + ("one number" if ends is None else f"{len(ends)} numbers, or one for all")
            )
        if ends is None:
            theta[key] = float(value)
        else:
            numbers = np.broadcast_to(np.ravel(value), len(ends)).tolist()
            theta.update({f"{key}_{end}": float(one) for end, one in zip(ends, numbers)})
    return theta


@dataclasses.dataclass(frozen=True, repr=False)
class GaussianProcess:
    """A fitted process. theta, errors: estimates and standard errors by name; loglik: the largest
    log-likelihood; converged: whether no step promises a likelihood larger by the tolerance;
    results: of the run, None without one. effects: of the levels of each grouping, by its name;
    of a fit. Where each replicate was fitted for itself, estimates,
    errors and likelihoods are arrays of a number for each, and converged speaks of all."""

    _table: _gp_runs.Table
    _model: dict
    theta: dict
    errors: dict
    loglik: float
    converged: bool
    results: object
    _frame: _frames.Frame = _frames.Frame()
    _unit: object = None  # of the values
    _groups: object = None
    _form: object = None  # table whose index the observations have
    _validation = CrossValidation

    @property
    def effects(self):
        return {} if self._groups is None else self._groups.effects(self.results)

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
            f"{name} = {value:.4g} +- {error:.2g}" for name, value, error in self._estimates()
        )
        return (
            f"{type(self).__name__}({estimates}; log-likelihood {self.loglik:.6g}, {count} points)"
        )

    def _estimates(self):
        """Names, estimates and standard errors."""
        return [(name, value, self.errors[name]) for name, value in self.theta.items()]

    def _repr_html_(self):
        """A table for notebooks: estimates with standard errors and units, and what __repr__ says
        besides; a column for each of the first replicates that were fitted for themselves."""
        points, name = f"{len(self._table.points)} points", type(self).__name__
        notes = [] if self.converged else ["the search has not converged"]
        notes += _html.warnings_of(self.results)
        if not self._separate:
            caption = f"{name}: log-likelihood {self.loglik:.6g}, {points}"
            rows = [(*row, self._unit_of(row[0])) for row in self._printed()]
            return _html.estimates(caption, rows, notes)
        count = len(self.loglik)
        shown = range(min(count, _html.MOST_REPLICATES))
        if count > len(shown):
            notes.insert(0, f"{count - len(shown)} more replicates")
        rows = [
            (key, self._unit_of(key) or "")
            + tuple(f"{values[k]:.4g} +- {self.errors[key][k]:.2g}" for k in shown)
            for key, values in self.theta.items()
        ]
        rows.append(("log-likelihood", "", *(f"{self.loglik[k]:.6g}" for k in shown)))
        columns = ("parameter", "unit", *(f"replicate {k}" for k in shown))
        caption = f"{name}: {count} replicates, each for itself, {points}"
        return _html.table(caption, columns, rows, notes)

    def _printed(self):
        """The rows of the table of estimates."""
        return self._estimates()

    def _unit_of(self, name):
        """The unit of an element of theta; None where it has none."""
        key, _, rest = name.partition("_")
        if rest and not rest.isdigit() and key != "variance":
            return None  # of time, or of a covariate
        if rest in self._table.covariate_names:
            return None
        if key in ("sigma2", "nugget", "variance") and "marginal" not in self._model:
            return None if self._unit is None else _frames.of_differences(self._unit) ** 2
        # on the sphere ranges are in units of its radius
        return self._frame.unit if key == "beta" and not self._table.sphere else None

    def predict(
        self,
        targets,
        *,
        time=None,
        covariates=None,
        groups=None,
        draws=0,
        jitter=None,
        of="field",
        quantiles=None,
        seed=None,
        backend=None,
        verbose=False,
    ):
        """Kriging at other points: a Prediction.

        targets: (m, d); of a table of pandas or polars, or points of geopandas, means, variances
        and draws are Series and tables with its index; targets with a unit are converted. time:
        (m,), where the process has one. covariates: of the targets, like those of fit(). groups:
        labels of each grouping of the process by name: the prediction is of the field and their
        effects, and a label without observations has an effect of mean 0 with the variance of the
        grouping; without groups it is of the field and the mean, and that of an observation has the
        variances of all groupings. draws: fields drawn from the conditional distribution, of the
        first replicate; jitter: added to their conditional variances, in units of sigma2. of:
        "field", or "observation", whose variance has the nugget. quantiles: probabilities, whose
        quantiles of an observation of the first replicate are found.

        Raises NumericalError where the covariance of the data that a prediction is made from is not
        positive definite.
        """
        sphere = self._table.sphere
        _frames.require_one_index(targets, time, covariates, groups)
        points = _gp_runs.points_of(self._frame.read(targets, "targets", sphere), "targets", sphere)
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
        table = _gp_runs.Table(
            "targets",
            points,
            _gp_runs.column(time, "time", len(points)),
            none,
            none,
            self._table.sphere,
            groups=self._numbers_of(groups, len(points)),
            covariates=_gp_local.targets(covariates, self._table.covariate_names, len(points)),
            covariate_names=self._table.covariate_names,
        )
        prediction = {
            "points": table.section(),
            "draws": _arguments.whole_between(draws, "draws", 0, 10000),
            "of": of,
            **({} if jitter is None else {"jitter": _arguments.number(jitter, "jitter")}),
            **({} if quantiles is None else {"quantiles": np.ravel(quantiles).tolist()}),
        }
        settings = {"seed": seed, "backend": backend, "verbose": verbose}
        return _like(targets, self._predictions(prediction, table, settings), self._unit)

    def _numbers_of(self, groups, count):
        """The numbers of the labels of targets; None where there are none."""
        if groups is None:
            return None
        if not self._groups:
            raise _tessera.InputError(
                "the process has no groupings\n  remedy: leave groups out, or fit with groups"
            )
        return self._groups.columns_of(groups, count)

    def _predictions(self, prediction, table, settings):
        """Of all replicates together, or of each of them."""
        if not self._separate:
            return self._predict(self._table.values, self.theta, prediction, table, settings)
        parts = []
        for replicate in range(len(self.loglik)):
            own = prediction if replicate == 0 else {**prediction, "draws": 0, "quantiles": []}
            values = self._table.values[:, replicate : replicate + 1]
            parts.append(self._predict(values, self._theta_of(replicate), own, table, settings))
        return Prediction(
            np.stack([part.mean for part in parts], axis=1),
            np.stack([part.variance for part in parts], axis=1),
            parts[0].draws,
            parts[0].quantiles,
        )

    def _predict(self, values, theta, prediction, targets, settings):
        data = dataclasses.replace(self._table, values=values)
        document = {**self._document(data, theta), "predict": prediction}
        results = _gp_runs.run(document, [data, targets], **settings)
        group, count = "results/prediction/", len(targets.points)
        several = self._variables > 1

        def of_variables(array):
            """A variable after another becomes a column for each."""
            if not several:
                return array
            return np.swapaxes(array.reshape(self._variables, count, *array.shape[1:]), 0, 1).copy()

        mean = of_variables(results[group + "mean"])
        return self._prediction(
            results,
            prediction,
            mean=mean.reshape(count, -1) if values.shape[1] > 1 else mean.reshape(-1),
            variance=of_variables(results[group + "variance"]),
            draws=of_variables(results[group + "draws"]) if prediction["draws"] else None,
            quantiles=(
                of_variables(results[group + "quantiles"]) if prediction.get("quantiles") else None
            ),
        )

    def cross_validate(self, folds=10, *, by=None, seed=None, backend=None, verbose=False):
        """Predicts each observation from those outside its fold: a CrossValidation, in the order of
        the observations and with the index of their table.

        folds: a number of folds from 2 on, into which the observations are drawn at random, or 0,
        which leaves one out at a time. by: a grouping of the process, whose levels are divided into
        folds instead: how well new levels are predicted. seed: of the folds, and of the order of
        the points in Vecchia's approximation. Each replicate is a run of its own.

        The parameters of the covariance and of the law of the observations stay those of the
        process. Coefficients of a Gaussian mean are estimated again without each fold where the
        method is "exact"; Vecchia's approximation and marginal may keep those of all observations.

        Raises InputError for one fold, for folds of 0 with groupings and without by, and for a
        grouping that the process does not have; NumericalError as predict().
        """
        section = _gp_validation.section(folds, by, self._groups.names if self._groups else [])
        settings = {"seed": seed, "backend": backend, "verbose": verbose}
        several = self._variables == 1 and self._table.values.shape[1] > 1
        runs = []
        for k in range(self._table.values.shape[1] if several else 1):
            data = _gp_validation.replicate(self._table, k) if several else self._table
            document = {**self._document(data, self._theta_of(k)), "cross_validation": section}
            runs.append(_gp_runs.run(document, [data], **settings))
        return _gp_validation.of_runs(
            self._validation, self._table, self._variables, runs, self._form, self._unit
        )

    def _theta_of(self, replicate):
        """The estimates that hold for a replicate."""
        if not self._separate:
            return self.theta
        return {name: float(value[replicate]) for name, value in self.theta.items()}

    @property
    def _variables(self):
        return int(self._model["covariance"].get("variables", 1))

    def _document(self, data, theta):
        """The sections of an input without the task."""
        law = {name: theta[name] for name in _OF_MARGINALS if name in theta}
        model = {**self._model, "covariance": self._covariance(theta)}
        return {
            **model,
            **_numbered(model, data),
            "data": {**data.section(), **self._model["data"]},
            **({"marginal": {**self._model["marginal"], **law}} if law else {}),
            **(
                self._groups.section({n: theta[f"variance_{n}"] for n in self._groups.names})
                if self._groups
                else {}
            ),
        }

    def _prediction(self, results, prediction, **plain):
        return Prediction(**plain)

    def _covariance(self, theta):
        """The covariance of an input with the estimates in the place of where the search
        started."""
        given = {
            key: value
            for key, value in self._model["covariance"].items()
            if key not in ("beta", "ranges", "angle")
        }
        if self._variables > 1:
            numbers = {}
            for name, value in theta.items():
                key = name.partition("_")[0]
                if key == "variance" or name in _OF_MARGINALS:
                    continue
                numbers.setdefault(key, []).append(value)
            plain = {key: of[0] if len(of) == 1 else of for key, of in numbers.items()}
            return {**given, **plain}
        theta, local = _gp_local.split(given, theta)
        lists = {
            "ranges": [value for name, value in theta.items() if re.fullmatch(r"beta_\d+", name)],
            "angle": [
                value for name, value in theta.items() if re.fullmatch(r"angle(_\d+)?", name)
            ],
        }
        plain = {
            name: value
            for name, value in theta.items()
            if not re.fullmatch(r"beta_\d+|angle(_\d+)?|variance_.*", name)
            and name not in _OF_MARGINALS
        }
        return {**given, **plain, **{key: value for key, value in lists.items() if value}, **local}


@dataclasses.dataclass(frozen=True)
class ResponsePrediction(Prediction):
    """Of observations that are not Gaussian: mean and variance are those of the predictor, the mean
    function and the field, and draws are of it. response_mean and response_variance, of shape (m,),
    are those of an observation (of 0 or 1 the mean is the probability of 1), with an exposure of 1;
    response_draws, of (m, number of draws) or None, has an observation for each draw."""

    response_mean: np.ndarray = None
    response_variance: np.ndarray = None
    response_draws: np.ndarray = None


@dataclasses.dataclass(frozen=True, repr=False)
class ResponseProcess(GaussianProcess):
    """The fit of a Gaussian field to observations that are not Gaussian. response and trend:
    estimates of the parameters of the law and of the coefficients of the mean by name, {} where
    there are none, with standard errors response_errors and trend_errors; the rest as in
    GaussianProcess. predict() gives a ResponsePrediction, cross_validate() a
    ResponseCrossValidation."""

    response: dict = dataclasses.field(default_factory=dict)
    response_errors: dict = dataclasses.field(default_factory=dict)
    trend: dict = dataclasses.field(default_factory=dict)
    trend_errors: dict = dataclasses.field(default_factory=dict)
    _validation = ResponseCrossValidation

    def _estimates(self):
        own = [
            (name, value, self.response_errors.get(name, np.nan))
            for name, value in self.response.items()
        ]
        return [*super()._estimates(), *own]

    def _printed(self):
        trend = [
            (f"trend {name}", value, self.trend_errors.get(name, np.nan))
            for name, value in self.trend.items()
        ]
        return [*super()._printed(), *trend]

    def _document(self, data, theta):
        document = super()._document(data, theta)
        law = {**document["likelihood"], **self.response}
        if self.trend:
            law["coefficients"] = list(self.trend.values())
        return {**document, "likelihood": law}

    def _prediction(self, results, prediction, **plain):
        group = "results/prediction/"
        return ResponsePrediction(
            **plain,
            response_mean=results[group + "response_mean"],
            response_variance=results[group + "response_variance"],
            response_draws=results[group + "response_draws"] if prediction["draws"] else None,
        )
