# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Cross-validations of tessera.gp: the numbers of runs of tessera-gp at the places of the
observations that a fit was given."""

import dataclasses

import numpy as np

from . import _frames, _html, _tessera

GROUP = "results/cross_validation"


@dataclasses.dataclass(frozen=True, repr=False)
class CrossValidation:
    """What the other folds say of each observation. observed: the n observations; mean, variance:
    of their predictions, with the errors of an observation; fold: the fold of each, numbers from 0
    on. These are of shape (n,), in the order of the fit's arguments, and Series with the index of a
    table. Of several replicates observed, mean and variance are (n, replicates), and of several
    variables all four are (n, variables). An observation that is missing, or that was averaged with
    an earlier one at its place, has NaN and the fold -1.

    scores: means over the observations by name: rmse, the root of mspe; mspe, the mean square
    error; crps, the continuous ranked probability score; log_score, minus the logarithm of the
    predictive density, the program's nlpd; coverage_95, the share inside central 95 % intervals;
    mean_squared_standardised_error. Each is a number, or an array with one for each replicate or
    variable. results: of the run, of several replicates that of the first one's.
    """

    observed: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    fold: np.ndarray
    scores: dict
    results: object

    @property
    def std(self):
        return np.sqrt(self.variance)

    def plot(self, output=None, *, ax=None, fig=None):
        """Draws observed against predicted values, of the first replicate; the calibration of
        observations that are not Gaussian. Arguments and result as those of
        tessera.results.Results.plot()."""
        return self.results.plot("validation", output=output, ax=ax, fig=fig)

    def __repr__(self):
        scores = ", ".join(f"{name} = {_text(value)}" for name, value in self.scores.items())
        return f"{type(self).__name__}({self._counts()}: {scores})"

    def _repr_html_(self):
        """A table for notebooks: a row for each score."""
        columns = [np.ravel(value) for value in self.scores.values()]
        shown = range(min(len(columns[0]), _html.MOST_REPLICATES))
        rows = [
            (name, *(f"{values[k]:.4g}" for k in shown))
            for name, values in zip(self.scores, columns)
        ]
        heads = ("value",) if len(columns[0]) == 1 else tuple(f"column {k}" for k in shown)
        caption = f"{type(self).__name__}: {self._counts()}"
        hidden = len(columns[0]) - len(shown)
        notes = [f"{hidden} more columns"] if hidden else []
        notes += _html.warnings_of(self.results)
        return _html.table(caption, ("score", *heads), rows, notes)

    def _counts(self):
        fold = np.asarray(self.fold)
        return f"{fold.max() + 1} folds of {np.count_nonzero(fold >= 0)} observations"


@dataclasses.dataclass(frozen=True, repr=False)
class ResponseCrossValidation(CrossValidation):
    """Of observations that are not Gaussian: mean and variance are those of the predictor, the mean
    function and the field with its nugget. response_mean and response_variance, of shape (n,), are
    those of an observation with its exposure (of 0 or 1 the mean is the probability of 1),
    log_density is the logarithm of its predictive density, and probability that of at most what was
    observed. scores: rmse, mspe, crps, log_score and coverage_95; of 0 or 1 log_score, brier_score
    and misclassified, the share on the other side of a probability of 0.5."""

    response_mean: np.ndarray = None
    response_variance: np.ndarray = None
    log_density: np.ndarray = None
    probability: np.ndarray = None


_OF_RESPONSES = ("response_mean", "response_variance", "log_density", "probability")


def _text(value):
    if np.ndim(value) == 0:
        return f"{value:.4g}"
    return np.array2string(value, precision=4, separator=", ", threshold=6)


def section(folds, by, groupings):
    """The section of an input."""
    if by is None:
        return {"folds": folds}
    if str(by) not in groupings:
        there = ", ".join(groupings) or "none"
        raise _tessera.InputError(
            f"by is {by!r}, and the groupings of the process are: {there}\n"
            "  remedy: name one of them, or leave by out"
        )
    return {"folds": folds, "by": str(by)}


def replicate(table, k):
    """The table of one replicate; rows in which another one is missing are missing here, too."""
    missing = np.isnan(table.values).any(axis=1, keepdims=True)
    values = np.where(missing, np.nan, table.values)[:, k : k + 1]
    return dataclasses.replace(table, values=values)


def of_runs(kind, table, variables, runs, form, unit):
    """The results of a run for each replicate as a `kind`. table: of the process; form: of what the
    arrays have the index; unit: of the values, None where they have none."""
    places = _places(table, variables, runs[0])

    def of_one(results, name):
        path = "results/observations" if name == "observed" else f"{GROUP}/{name}"
        array = np.full((len(table.points), variables), np.nan)
        array[places] = results[path].ravel()
        return array[:, 0] if variables == 1 else array

    def of_all(name, power=1):
        arrays = [of_one(results, name) for results in runs]
        array = arrays[0] if len(arrays) == 1 else np.stack(arrays, axis=1)
        return _frames.with_unit(_frames.like(array, form), unit, power)

    fold = np.nan_to_num(of_one(runs[0], "fold"), nan=-1).astype(int)
    responses = {} if kind is CrossValidation else {name: of_all(name) for name in _OF_RESPONSES}
    return kind(
        of_all("observed"),
        of_all("mean"),
        of_all("variance", 2),
        _frames.like(fold, form),
        _scores(runs, variables),
        runs[0],
        **responses,
    )


def _places(table, variables, results):
    """Rows and columns of the arguments' values in which the observations of a run stand."""
    whole = table.array[:, : table.array.shape[1] - table.values.shape[1]]
    located = ~np.isnan(whole).any(axis=1)
    there = ~np.isnan(table.values)
    if variables == 1:
        there = there.all(axis=1, keepdims=True)
    columns, rows = np.nonzero((there & located[:, None]).T)
    count = len(results[f"{GROUP}/fold"])
    if len(rows) > count:  # others at the place of an observation were averaged with it
        chosen = _first_at(_positions(table, rows, columns), _positions_of(results, variables))
        rows, columns = rows[chosen], columns[chosen]
    return rows, columns


def _positions(table, rows, columns):
    return np.column_stack([table.points[rows], table.time[rows], columns])


def _positions_of(results, variables):
    """The same of a run."""
    group = "coordinates/"
    names = [name for name in results.names("coordinates") if name != "names"]
    places = sorted(
        (name for name in names if name not in ("time", "variable")),
        key=lambda name: (len(name), name),  # x2 before x10, latitude before longitude
    )
    columns = [results[group + name] for name in places]
    columns += [results[group + "time"]] if "time" in names else []
    variable = results[group + "variable"] if variables > 1 else np.zeros(len(columns[0]))
    return np.column_stack([*columns, variable])


def _first_at(given, kept):
    """Of a list of positions the indices of those that were kept, which have the same order."""
    chosen, at = [], 0
    for position in kept:
        while not np.array_equal(given[at], position):
            at += 1
        chosen.append(at)
        at += 1
    return np.array(chosen)


def _scores(runs, variables):
    """Scores by name: numbers, or an array of those of replicates or variables."""
    if variables == 1:
        parts = [results.group_attributes(GROUP) for results in runs]
    else:
        scores = runs[0].group_attributes(GROUP)
        parts = [
            {
                name.removesuffix(f"_{variable}"): value
                for name, value in scores.items()
                if name.endswith(f"_{variable}")
            }
            for variable in runs[0]["results/variables"]
        ]
    found = {
        name: np.array([float(part[name]) for part in parts]) if len(parts) > 1 else float(value)
        for name, value in parts[0].items()
    }
    if "nlpd" in found:
        found["log_score"] = found.pop("nlpd")
    if "mspe" in found:
        found = {"rmse": found["mspe"] ** 0.5, **found}
    order = ("rmse", "mspe", "crps", "log_score", "brier_score", "coverage_95")
    return {
        **{name: found[name] for name in order if name in found},
        **{name: value for name, value in found.items() if name not in order},
    }
