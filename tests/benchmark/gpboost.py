#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Counts beside GPBoost: Poisson observations of a field in the unit square, whose covariance is a
Matern function of smoothness 3/2, by Vecchia's and Laplace's approximations of both, on one thread.

    PYTHONPATH=build/serial/python python3 tests/benchmark/gpboost.py --points 20000 --neighbours 20

Tessera draws the counts with sigma2 = 1, beta = 0.05 and the mean 0; with --held-out 0 they are
those of inputs/gp/scale/counts.yaml with as many points. Both codes estimate the two parameters
and a constant mean, or evaluate the likelihood at the true ones (--parameters true). The table has
the negative log-likelihood, the parameters, the root mean square error of the predicted means of
counts that were held out, and the processor time of the fit or the likelihood. GPBoost's range is
divided by the root of 3, as its correlation takes root 3 times r / range. Orders of the points are
the defaults, maxmin here and random there. Tessera fits in the order in which it draws the counts,
unless --order-seed gives another one.

Needs the modules tessera and gpboost (pip install gpboost). Exit status 2: gpboost is missing.
"""
import argparse
import importlib
import math
import pathlib
import resource
import sys

import numpy as np

import tessera as ts

SIGMA2, BETA = 1.0, 0.05  # of the field; its mean is 0
FAMILY = "matern32"
DETERMINANTS = ("exact", "estimated")
COLUMNS = ("", "determinant", "-l", "sigma2", "range", "mean", "RMSE", "processor time")


def simulate(points, held_out, neighbours, seed):
    """Places (points + held_out, 2) and their counts; the last ones are those held out."""
    results = ts.run(
        {
            "app": "gp",
            "likelihood": {"family": "poisson"},
            "covariance": {"family": FAMILY, "sigma2": SIGMA2, "beta": BETA},
            "simulate": {"points": points + held_out, "layout": "uniform"},
            "method": {"vecchia": {"neighbours": neighbours}},
        },
        backend="serial",
        seed=seed,
    )
    places = np.stack([results["coordinates/x1"], results["coordinates/x2"]], axis=1)
    return places, results["results/observations"][:, 0]


def timed(function):
    """What a function returns, and the processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    value = function()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return value, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def error(predicted, counts):
    """The root mean square error; NaN where nothing was held out."""
    return math.sqrt(np.mean((predicted - counts) ** 2)) if len(counts) else math.nan


def tessera_row(data, determinant, is_estimated, neighbours, seed):
    """-l, sigma2, beta, mean, RMSE and time."""
    (places, counts), (targets, truth) = data
    law = {
        "family": "poisson",
        "determinant": {"exact": "cholesky", "estimated": "stochastic"}[determinant],
    }
    method = {"vecchia": {"neighbours": neighbours}}
    if not is_estimated:
        return tessera_row_at_truth(data, {"likelihood": law, "method": method}, seed)
    process, seconds = timed(
        lambda: ts.gp.fit(
            places,
            counts,
            covariance={"family": FAMILY},
            likelihood=law,
            method=method,
            options={"standard_errors": "none"},
            seed=seed,
            backend="serial",
        )
    )
    found = truth
    if len(truth):
        found = process.predict(targets, seed=seed, backend="serial").response_mean
    theta, mean = process.theta, process.trend["constant"]
    return -process.loglik, theta["sigma2"], theta["beta"], mean, error(found, truth), seconds


def tessera_row_at_truth(data, model, seed):
    """The same of the likelihood at the true parameters."""
    (places, counts), (targets, truth) = data
    document = {
        "app": "gp",
        "data": {"file": {"x": places[:, 0], "y": places[:, 1], "z": counts}},
        "mean": "zero",
        "covariance": {"family": FAMILY, "sigma2": SIGMA2, "beta": BETA},
        **model,
    }
    settings = {"seed": seed, "backend": "serial"}
    likelihood = {"theta": [[SIGMA2, BETA]]}
    results, seconds = timed(lambda: ts.run({**document, "loglik": likelihood}, **settings))
    found = truth
    if len(truth):
        points = {"file": {"x": targets[:, 0], "y": targets[:, 1]}}
        predicted = ts.run({**document, "predict": {"points": points}}, **settings)
        found = predicted["results/prediction/response_mean"]
    loss = -results["results/loglik"][0]
    return loss, SIGMA2, BETA, 0.0, error(found, truth), seconds


def gpboost_row(gpboost, data, determinant, is_estimated, neighbours, seed):
    """The same of GPBoost."""
    (places, counts), (targets, truth) = data
    ones, at_targets = (np.ones((len(where), 1)) for where in (places, targets))
    model = gpboost.GPModel(
        gp_coords=places,
        cov_function="matern",
        cov_fct_shape=1.5,
        likelihood="poisson",
        gp_approx="vecchia",
        num_neighbors=neighbours,
        vecchia_ordering="random",
        matrix_inversion_method={"exact": "cholesky", "estimated": "iterative"}[determinant],
        num_parallel_threads=1,
        seed=seed,
    )
    if is_estimated:
        _, seconds = timed(lambda: model.fit(y=counts, X=ones))
        parameters = model.get_cov_pars(format_pandas=False)
        mean = float(model.get_coef(format_pandas=False)[0])
        offset = np.full(len(counts), mean)
        loss = model.neg_log_likelihood(cov_pars=parameters, y=counts, fixed_effects=offset)
        at = {"X_pred": at_targets}
    else:
        parameters, mean = np.array([SIGMA2, math.sqrt(3) * BETA]), 0.0
        loss, seconds = timed(lambda: model.neg_log_likelihood(cov_pars=parameters, y=counts))
        at = {"y": counts, "cov_pars": parameters}
    found = model.predict(gp_coords_pred=targets, **at)["mu"] if len(truth) else truth
    beta = parameters[1] / math.sqrt(3)
    return loss, parameters[0], beta, mean, error(found, truth), seconds


def printed(name, determinant, row):
    loss, sigma2, beta, mean, rmse, seconds = row
    rmse = "" if math.isnan(rmse) else f"{rmse:.4f}"
    cells = (f"{loss:.1f}", f"{sigma2:.3f}", f"{beta:.4f}", f"{mean:.3f}", rmse, f"{seconds:.3g} s")
    return f"| {name} | {determinant} | {' | '.join(cells)} |"


def require_gpboost():
    folder = pathlib.Path(__file__).resolve().parent  # in which this file has the module's name
    sys.path = [path for path in sys.path if pathlib.Path(path).resolve() != folder]
    try:
        return importlib.import_module("gpboost")
    except ImportError as error_of_import:
        print(
            f"gpboost.py: the module gpboost cannot be imported ({error_of_import})\n"
            "  remedy: pip install gpboost, or leave it out with --without-gpboost",
            file=sys.stderr,
        )
        sys.exit(2)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--points", type=int, default=20000, help="counts that are fitted (20000)")
    parser.add_argument("--held-out", type=int, default=2000, help="further counts (2000)")
    parser.add_argument("--neighbours", type=int, default=20, help="of both (20)")
    parser.add_argument("--parameters", choices=("estimated", "true"), default="estimated")
    parser.add_argument("--determinant", choices=(*DETERMINANTS, "both"), default="both")
    parser.add_argument("--seed", type=int, default=1, help="of the counts (1)")
    parser.add_argument("--order-seed", type=int, help="of the orders of fits (that of the counts)")
    parser.add_argument("--without-gpboost", action="store_true", help="rows of Tessera alone")
    arguments = parser.parse_args()
    gpboost = None if arguments.without_gpboost else require_gpboost()
    places, counts = simulate(
        arguments.points, arguments.held_out, arguments.neighbours, arguments.seed
    )
    n = arguments.points
    data = (places[:n], counts[:n]), (places[n:], counts[n:])
    chosen = DETERMINANTS if arguments.determinant == "both" else (arguments.determinant,)
    order = arguments.seed if arguments.order_seed is None else arguments.order_seed
    settings = arguments.parameters == "estimated", arguments.neighbours, order
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
    for determinant in chosen:
        print(printed("Tessera", determinant, tessera_row(data, determinant, *settings)))
    for determinant in chosen if gpboost else ():
        row = gpboost_row(gpboost, data, determinant, *settings)
        print(printed("GPBoost", determinant, row))


if __name__ == "__main__":
    main()
