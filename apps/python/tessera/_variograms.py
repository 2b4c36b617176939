# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Variograms by the names and parameters of PyKrige: models, what a sample has, and fits."""

import numpy as np

from . import _arguments, _frames, _tessera, _warnings, bessel

MOST_PAIRED = 5000  # points, whose pairs make up a sample variogram


class MissingParameterError(_tessera.InputError, KeyError):
    """A dict of variogram_parameters has no number of a name that the model needs."""

    __module__ = "tessera.kriging"
    __str__ = Exception.__str__  # that of KeyError quotes the text


def _linear(p, d):
    return p[0] * d + p[1]


def _power(p, d):
    return p[0] * d ** p[1] + p[2]


def _gaussian(p, d):
    return p[0] * -np.expm1(-((7 * d / (4 * p[1])) ** 2)) + p[2]


def _exponential(p, d):
    return p[0] * -np.expm1(-3 * d / p[1]) + p[2]


def _spherical(p, d):
    u = np.minimum(d / p[1], 1.0)
    return p[0] * u * (1.5 - 0.5 * u * u) + p[2]


def _hole_effect(p, d):
    u = 3 * d / p[1]
    return p[0] * (1 - (1 - u) * np.exp(-u)) + p[2]


def _matern(p, d):
    return p[0] * (1 - bessel.matern(p[3], np.asarray(d) / p[1])) + p[2]


_SILL = ("sill", "range", "nugget")
# Names of the parameters and the function, of the partial sill.
MODELS = {
    "linear": (("slope", "nugget"), _linear),
    "power": (("scale", "exponent", "nugget"), _power),
    "gaussian": (_SILL, _gaussian),
    "spherical": (_SILL, _spherical),
    "exponential": (_SILL, _exponential),
    "hole-effect": (_SILL, _hole_effect),
    "matern": ((*_SILL, "nu"), _matern),
}


def function(model, own):
    """The function of a model: gamma(parameters, distances)."""
    if model == "custom":
        if not callable(own):
            raise _tessera.InputError(
                "a custom variogram has no function\n  remedy: give variogram_function, a function of the parameters and of distances"
            )
        return own
    if model not in MODELS:
        raise _tessera.InputError(
            f"unknown variogram_model {model!r}\n  remedy: choose one of {', '.join(MODELS)}, custom"
        )
    return MODELS[model][1]


def of_gstools(model, geographic):
    """What a covariance model of GSTools says of itself to PyKrige: the function of its custom
    variogram, and the scaling and the angle of its anisotropy."""
    if model.field_dim > 2:
        raise _tessera.InputError(
            f"the model of GSTools has {model.field_dim} dimensions\n  remedy: give one of dim=2, or of latlon=True"
        )
    if model.latlon and not geographic:
        raise _tessera.InputError(
            "the model of GSTools is one of latlon=True\n  remedy: choose coordinates_type='geographic' of OrdinaryKriging"
        )
    return model.pykrige_vario, model.pykrige_anis, model.pykrige_angle


def without_units(model, given, length, value):
    """Parameters with quantities as numbers in the units of the data: length, of coordinates, and
    value, whose square variances have; None without one. What has no unit stays."""
    if not isinstance(given, (list, tuple, dict)) or model not in (*MODELS, "custom"):
        return given
    items = given.items() if isinstance(given, dict) else enumerate(given)
    if not any(_frames.is_quantity(one) for _, one in items):
        return given
    if model == "custom":
        raise _tessera.InputError(
            "variogram_parameters of a custom variogram has quantities\n  remedy: give numbers, in units of the data"
        )
    names = MODELS[model][0]
    plain = dict(given) if isinstance(given, dict) else dict(zip(names, given))
    squared = None if value is None else _frames.of_differences(value) ** 2
    per_length = {"slope": 1.0, "scale": plain.get("exponent")}
    for name, number in plain.items():
        unit = squared if name in ("sill", "psill", "nugget", *per_length) else None
        if name == "range":
            unit = length
        elif name in per_length and length is not None and per_length[name] is not None:
            per = _frames.quantity(1.0, length).units ** -float(per_length[name])
            unit = per if unit is None else unit * per
        plain[name] = _frames.number_in(number, unit, f"variogram_parameters[{name!r}]")
    return plain if isinstance(given, dict) else [*plain.values(), *given[len(names) :]]


def parameters(model, given):
    """A list in the order of the model, with the partial sill; None where none are given."""
    if given is None:
        if model == "custom":
            raise _tessera.InputError(
                "a custom variogram is not fitted\n  remedy: give variogram_parameters, a list"
            )
        return None
    if model == "custom":
        if isinstance(given, dict):
            raise _tessera.ArgumentTypeError(
                "variogram_parameters of a custom variogram is a dict\n  remedy: give a list"
            )
        return list(given)
    names = MODELS[model][0]
    if isinstance(given, dict):
        values = _named(model, names, given)
    elif isinstance(given, (list, tuple, np.ndarray)):
        if len(given) != len(names):
            raise _tessera.InputError(
                f"variogram_parameters has {len(given)} numbers\n  remedy: give those of {model!r}: {', '.join(names)}"
            )
        values = [_arguments.number(value, name) for name, value in zip(names, given)]
        if "sill" in names:
            values[0] -= values[2]
    else:
        raise _tessera.ArgumentTypeError(
            f"variogram_parameters is {given!r}\n  remedy: give a list or a dict"
        )
    _check(model, names, values)
    return values


def _named(model, names, given):
    psill = "psill" in given and "sill" not in given
    wanted = ["psill" if name == "sill" and psill else name for name in names]
    missing = [name for name in wanted if name not in given]
    unused = [str(name) for name in given if name not in wanted]
    if missing:
        raise MissingParameterError(
            f"variogram_parameters has {', '.join(map(str, given)) or 'no keys'}\n  remedy: give those of {model!r}: {', '.join(names)} (or psill for the partial sill)"
        )
    if unused:
        _warnings.warn(
            f"variogram_parameters has {', '.join(unused)}, which the variogram {model!r} does not take: leave them out"
        )
    values = [_arguments.number(given[name], name) for name in wanted]
    if "sill" in wanted:
        values[0] -= values[2]
    return values


def _check(model, names, values):
    by_name = dict(zip(names, values))
    wrong = [name for name, value in by_name.items() if not np.isfinite(value) or value < 0]
    if by_name.get("range", 1) == 0:
        wrong.append("range")
    if not 0 < by_name.get("exponent", 1) < 2:
        wrong.append("exponent")
    if not 1e-20 <= by_name.get("nu", 1) <= 200:
        wrong.append("nu")
    if wrong:
        shown = ", ".join(
            f"{'sill - nugget' if name == 'sill' else name} = {by_name[name]:g}" for name in wrong
        )
        raise _tessera.InputError(
            f"the variogram {model!r} has {shown}\n  remedy: give numbers of 0 or more, a range above 0, and an exponent between 0 and 2"
        )


def of_sample(points, values, lags, distances):
    """Mean distances and semivariances of pairs of points, in so many bins of equal width; those of
    a sample of 5000 points where there are more. distances: a function of rows of points."""
    lags = _arguments.whole(lags, "nlags")
    if lags < 1 or len(points) < 2:
        raise _tessera.InputError(
            f"there is no variogram of {len(points)} points in {lags} bins\n  remedy: give two points or more, and nlags of 1 or more"
        )
    if len(points) > MOST_PAIRED:
        _warnings.warn(
            f"the variogram is that of {MOST_PAIRED} of {len(points)} points, drawn at random: give variogram_parameters to choose it yourself"
        )
        chosen = np.random.default_rng(0).choice(len(points), MOST_PAIRED, replace=False)
        points, values = points[chosen], values[chosen]

    count, begin = len(points), 0
    apart, halves = np.empty((2, count * (count - 1) // 2))
    for i in range(count - 1):
        pairs = slice(begin, begin + count - 1 - i)
        apart[pairs] = distances(points[i : i + 1], points[i + 1 :])[0]
        halves[pairs] = 0.5 * (values[i + 1 :] - values[i]) ** 2
        begin = pairs.stop
    least, most = apart.min(), apart.max()
    edges = [*(least + (most - least) / lags * np.arange(lags)), np.inf]
    means = []
    for low, high in zip(edges, edges[1:]):
        # These are the means that PyKrige takes, since a fit can hang on their last digit.
        inside = (apart >= low) & (apart < high)
        if inside.any():
            means.append((apart[inside].mean(), halves[inside].mean()))
    return tuple(np.array(means).T.copy())


def fit(model, lags, semivariances, weight):
    """Parameters that fit a sample variogram, by least squares with a soft L1 norm; with `weight`
    short distances count more, by a logistic function."""
    from scipy.optimize import least_squares

    own = MODELS[model][1]
    highest, lowest, far = semivariances.max(), semivariances.min(), lags.max()
    if not highest > 0 or not far > lags.min():
        raise _tessera.InputError(
            "there is no variogram to fit: the values are all the same, or the points have one distance"
            "\n  remedy: give variogram_parameters"
        )
    slope = (highest - lowest) / (far - lags.min())
    start, low, high = {
        "linear": ([slope, lowest], [0, 0], [np.inf, highest]),
        "power": ([slope, 1.1, lowest], [0, 0.001, 0], [np.inf, 1.999, highest]),
    }.get(model, ([highest - lowest, 0.25 * far, lowest], [0, 0, 0], [10 * highest, far, highest]))
    if model == "matern":
        start, low, high = [*start, 1.0], [0, 1e-6 * far, 0, 0.1], [*high, 10.0]
    weights = np.ones(len(lags))
    if weight:
        width = far - lags.min()
        weights = 1 / (1 + np.exp(-2.1972 / (0.1 * width) * (0.7 * width + lags.min() - lags)))
        weights /= weights.sum()
    found = least_squares(
        lambda p: (own(p, lags) - semivariances) * weights,
        start,
        bounds=(low, high),
        loss="soft_l1",
    )
    if not found.success:
        _warnings.warn(
            f"the fit of the variogram has not converged ({found.message}): give variogram_parameters"
        )
    return found.x.tolist()


def covariance(model, p):
    """The covariance of tessera.gp that has this variogram, or None."""
    if model not in ("gaussian", "exponential", "matern") or not (p[0] > 0 and p[1] > 0):
        return None
    own = {
        "gaussian": {"family": "squared_exponential", "beta": 4 * p[1] / 7},
        "exponential": {"family": "matern12", "beta": p[1] / 3},
        "matern": {"family": "matern", "beta": p[1], "nu": p[3] if model == "matern" else None},
    }[model]
    if own.get("nu") is not None and not 0.01 <= own["nu"] <= 50:
        return None
    return {"sigma2": p[0], **own, "nugget": p[2]}
