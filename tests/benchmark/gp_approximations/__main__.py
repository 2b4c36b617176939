#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The comparison of scalable Gaussian processes of Rambelli and Sigrist (arXiv 2501.11448) with
rows of Tessera.

    git clone https://github.com/Filippo-Rambelli/accuracy_runtime_scalable_GP_approx CLONE
    gp_approximations real house CLONE          or house_with_covs, laegern, modis16, modis23
    gp_approximations simulate FIELD.csv --range 0.2 --exact-values FOLDER
    gp_approximations simulated FIELD.csv --range 0.2 --exact-values FOLDER

Run it as `python3 tests/benchmark/gp_approximations` with the module tessera on PYTHONPATH. Prints
tables in Markdown: fits and likelihoods, then for each set of targets the comparison's scores and
the time of a prediction. --published adds rows of the text files that the comparison's own scripts
write. CLONE/code/simulate_data.R makes the comparison's fields; `simulate` makes ones of the same
recipe. Needs numpy.
"""
import argparse
import itertools
import sys

import data_sets
import methods
import report
import scores
import simulate

FIT_COLUMNS = (
    *("fit", "fit, processor", "sigma2", "beta", "beta 2", "nugget"),
    *("MSE of sigma2", "MSE of beta", "MSE of beta 2", "MSE of nugget"),
    *("likelihood", "-l", "error", "-l twice", "error twice"),
)
LEGEND = """
Times are seconds: `fit` and `likelihood` on the clock, `processor` those of the processor. -l is
the negative log-likelihood at the comparison's parameters, `twice` at twice these, and its error is
the difference from the exact one."""


def arguments():
    parser = argparse.ArgumentParser(
        prog="gp_approximations",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--backend", help="serial, openmp or cuda")
    commands = parser.add_subparsers(dest="command", required=True)
    real = commands.add_parser("real", help="a real data set")
    real.add_argument("name", choices=sorted(data_sets.REAL))
    real.add_argument("folder", help="clone of the comparison's repository")
    real.add_argument(
        "--exact-loglik",
        type=float,
        nargs=2,
        help="exact values of -l and of -l twice, as a run with the method exact prints them",
    )
    field = commands.add_parser("simulated", help="a simulated field")
    made = commands.add_parser("simulate", help="make such a field")
    for one in (field, made):
        one.add_argument("file")
        one.add_argument("--range", type=float, nargs="+", required=True, help="effective range")
        one.add_argument("--nugget", type=float, default=0.5)
        one.add_argument("--smoothness", type=float, choices=data_sets.CONVENTION, default=1.5)
        one.add_argument("--exact-values", metavar="FOLDER", help="exact predictions")
        one.add_argument("--repetitions", type=int, default=1)
    field.add_argument("--fit-smoothness", type=float, choices=data_sets.CONVENTION)
    made.add_argument("--points", type=int, default=10000)
    made.add_argument("--seed", type=int, default=1)
    for one in (real, field):
        one.add_argument(
            "--methods",
            nargs="+",
            default=["5", "10", "10/40", "20/80", "10>40/160", "10>80/320"],
            help="exact, 20 (neighbours), 20/80 (of a prediction), 10>40 (start), 20x8 (block), 20:random",
        )
        one.add_argument(
            "--published", metavar="FOLDER", help="results of the comparison's scripts"
        )
    return parser.parse_args()


def flat(theta):
    """sigma2, beta, nugget by the names of columns."""
    beta = theta["beta"] if isinstance(theta["beta"], list) else [theta["beta"]]
    names = ("beta", "beta 2")
    return {"sigma2": theta["sigma2"], **dict(zip(names, beta)), "nugget": theta["nugget"]}


def add_fit(rows, label, fitted):
    data = fitted.data
    watch = fitted.fit()
    estimates, truth = flat(fitted.theta), flat(data.given)
    numbers = {"fit": watch.clock, "fit, processor": watch.processor, **estimates}
    if data.of == "field":
        numbers.update({f"MSE of {key}": (estimates[key] - truth[key]) ** 2 for key in truth})
    values = []
    for name, factor in (("", 1), (" twice", 2)):
        value, watch = fitted.negative_loglik(factor)
        numbers.update({"-l" + name: value, **({} if name else {"likelihood": watch.clock})})
        values.append(value)
    if data.exact_loglik is None and fitted.method.exact:
        data.exact_loglik = tuple(values)
    if data.exact_loglik:
        numbers["error"] = values[0] - data.exact_loglik[0]
        numbers["error twice"] = values[1] - data.exact_loglik[1]
    rows.add(label, **numbers)


def add_predictions(predictions, label, fitted):
    """Of a real data set with the estimates, of a simulated field with the truth."""
    data = fitted.data
    for kind, target in data.targets.items():
        theta = data.given if data.of == "field" else None
        mean, variance, watch = fitted.predict(target, theta)
        predictions.setdefault(kind, report.Rows()).add(
            label,
            **scores.of_prediction(mean, variance, target),
            **{"seconds": watch.clock, "processor": watch.processor},
        )


def compare(options, repetitions):
    fits, predictions = report.Rows(), {}
    chosen = [methods.Method(name) for name in options.methods]
    for method in chosen:
        method.section()
    chosen.sort(key=lambda method: not method.exact)  # the reference of the others' errors
    for number, data in enumerate(repetitions):
        for method in chosen:
            print(f"{data.name}: {method.label()}", file=sys.stderr, flush=True)
            fitted = methods.Fitted(data, method, options.backend)
            add_fit(fits, method.label(), fitted)
            if data.of != "field" or number < max(1, options.repetitions // 2):
                add_predictions(predictions, method.label(), fitted)
    if options.published:
        report.add_published(options.published, fits, predictions)
    print(fits.markdown("Fits and likelihoods", FIT_COLUMNS) + "\n" + LEGEND)
    for kind, rows in predictions.items():
        title = f"Predictions: {report.KINDS[kind]}"
        print(rows.markdown(title, (*report.SCORES, "seconds", "processor")))


def main():
    options = arguments()
    if options.command == "simulate":
        simulate.write(
            options.file,
            options.range,
            options.nugget,
            options.smoothness,
            options.points,
            options.repetitions,
            options.seed,
            options.exact_values,
            options.backend,
        )
    elif options.command == "real":
        data = data_sets.real(options.name, options.folder)
        data.exact_loglik = options.exact_loglik
        compare(options, [data])
    else:
        fields = data_sets.simulated(
            options.file,
            options.range,
            options.nugget,
            options.smoothness,
            options.fit_smoothness or options.smoothness,
            options.exact_values,
        )
        compare(options, itertools.islice(fields, options.repetitions))


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"gp_approximations: {error}")
