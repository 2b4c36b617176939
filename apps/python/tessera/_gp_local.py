# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Covariates of tessera.gp, of the mean and of covariances that are not stationary. The tables of a
run have numbers as names of their columns; here are the names of the user."""

import numpy as np

from . import _arguments, _gp_runs, _tessera

PARAMETERS = ("sigma2", "beta", "nugget")


def columns(covariates, argument, count):
    """The names of covariates, and a column for each; covariates: a mapping, or a table."""
    if covariates is None:
        return (), np.empty((count, 0))
    if not hasattr(covariates, "columns"):
        covariates = _arguments.mapping(
            covariates, argument, '{"elevation": elevation}, with a number for each point'
        )
    names = tuple(str(name) for name in getattr(covariates, "columns", covariates))
    if not names:
        return (), np.empty((count, 0))
    return names, np.hstack(
        [_gp_runs.column(covariates[name], f"{argument}[{name!r}]", count) for name in names]
    )


def targets(covariates, names, count):
    """The columns of a prediction's covariates, which are those of the data."""
    there, found = columns(covariates, "covariates", count)
    missing = sorted(set(names) ^ set(there))
    if missing:
        raise _tessera.InputError(
            f"covariates of the targets are {', '.join(there) or 'not there'}, and those of the data {', '.join(names) or 'not there'}\n"
            "  remedy: give a number for each target and covariate of the data"
        )
    return found[:, [there.index(name) for name in names]]


def numbered(names, table, argument):
    """A list of covariates by the numbers of their columns."""
    found = []
    for name in [names] if isinstance(names, str) else names:
        if str(name) not in table.covariate_names:
            there = ", ".join(table.covariate_names) or "none"
            raise _tessera.InputError(
                f"{argument} names {name!r}, and the covariates are: {there}\n"
                '  remedy: give its numbers, as in covariates={"elevation": elevation}'
            )
        found.append(str(table.first_columns()["covariates"] + table.covariate_names.index(name)))
    return found


def numbered_covariance(covariance, table):
    local = covariance.get("by_covariates")
    if not local:
        return covariance
    lists = {
        key: numbered(value, table, f'covariance["by_covariates"][{key!r}]')
        for key, value in local.items()
        if key in PARAMETERS
    }
    return {**covariance, "by_covariates": {**local, **lists}}


def numbered_mean(mean, table):
    if isinstance(mean, str):
        return mean
    if not isinstance(mean, dict):
        raise _tessera.ArgumentTypeError(
            f'mean is {mean!r}\n  remedy: give mean="zero", "constant", "linear" or'
            ' "quadratic", or {"covariates": [...]}'
        )
    if "covariates" not in mean:
        return mean
    return {**mean, "covariates": numbered(mean["covariates"], table, 'mean["covariates"]')}


def numbered_options(options, table):
    """Options of a fit that name elements of theta."""
    options = _arguments.mapping(options, "options", '{"starts": 3}')
    if table.covariate_names and "fixed" in options:
        numbers = {
            f"{key}_{name}": f"{key}_{numbered(name, table, '')[0]}"
            for key in PARAMETERS
            for name in table.covariate_names
        }
        options["fixed"] = [
            numbers.get(str(name), name) for name in np.ravel(options["fixed"]).tolist()
        ]
    return options


def parameters(covariance, coordinates):
    """The coefficients that a covariance gives, by the names of a fit."""
    theta = {}
    local, warp = covariance.get("by_covariates") or {}, covariance.get("warp")
    names = [
        f"{key}_{name}" for key in PARAMETERS for name in np.ravel(local.get(key, ())).tolist()
    ]
    theta.update(_zip(names, local.get("coefficients", ()), "by_covariates"))
    if warp is not None:
        each = int(warp.get("knots", 5)) - 1
        names = [f"warp_{c + 1}_{k + 1}" for c in range(coordinates) for k in range(each)]
        theta.update(_zip(names, warp.get("coefficients", ()), "warp"))
    return theta


def _zip(names, numbers, key):
    if len(names) != np.size(numbers):
        raise _tessera.InputError(
            f'covariance["{key}"] has {np.size(numbers)} coefficients, and needs {len(names)}: {", ".join(names)}\n'
            f'  remedy: give them, as in covariance={{"{key}": {{"coefficients": [...]}}}}'
        )
    return dict(zip(names, np.ravel(numbers).tolist()))


def split(covariance, theta):
    """Theta without the coefficients, and the keys of a covariance that has them."""
    keys, rest = {}, dict(theta)
    local = covariance.get("by_covariates") or {}
    names = [
        f"{key}_{name}" for key in PARAMETERS for name in np.ravel(local.get(key, ())).tolist()
    ]
    if names:
        coefficients = [rest.pop(name) for name in names]
        keys["by_covariates"] = {**local, "coefficients": coefficients}
    if covariance.get("warp") is not None:
        names = [name for name in theta if name.startswith("warp_")]
        coefficients = [rest.pop(name) for name in names]
        keys["warp"] = {**covariance["warp"], "coefficients": coefficients}
    return rest, keys
