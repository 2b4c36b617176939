# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""A data set fitted and predicted by one of Tessera's methods, with the time that each part took.

Predictions take the estimated mean as known, as the comparison's do. Times are on the clock and of
the processor, of whole calls from Python, with what is read and returned.
"""
import dataclasses
import re
import time

import numpy as np

import tessera

# The likelihood ends within `tolerance` of its maximum.
FIT = {"method": "scoring", "standard_errors": "none", "tolerance": 1e-3}


@dataclasses.dataclass(frozen=True)
class Method:
    """By its name: exact; 20 for 20 neighbours, and twice as many of a prediction; 20/80 for 80 of
    a prediction; 20/b40 for predictions in blocks of 40 points; 10>40/80 or 10>exact for a fit that
    starts where one with 10 ended; 20x8 for points conditioned together, eight at a time;
    20/80:random in another order."""

    name: str

    def _parts(self):
        pattern = r"(?:(\d+)>)?(?:exact|(\d+)(?:x(\d+))?(?:/(b?\d+))?(?::([a-z]+))?)"
        parts = re.fullmatch(pattern, self.name)
        if not parts:
            raise ValueError(
                f"there is no method '{self.name}'\n"
                "  remedy: exact, 20, 20/80, 10>40/80, 20/b40, 10>exact, 20x8, 20:random"
            )
        return parts

    @property
    def exact(self):
        return self.name.endswith("exact")

    def section(self):
        if self.exact:
            self._parts()
            return "exact"
        _, neighbours, block, of_prediction, ordering = self._parts().groups()
        shared = (of_prediction or "").startswith("b")
        prediction = (
            {"prediction_block": int(of_prediction[1:])}
            if shared
            else {"prediction_neighbours": int(of_prediction or 2 * int(neighbours))}
        )
        return {
            "vecchia": {
                "neighbours": int(neighbours),
                **prediction,
                "ordering": ordering or "maxmin",
                "block": int(block or 1),
            }
        }

    def first(self):
        """The section of the fit that gives the start, or None."""
        begin = self._parts()[1]
        if not begin:
            return None
        options = {"ordering": "maxmin"} if self.exact else self.section()["vecchia"]
        return {"vecchia": {**options, "neighbours": int(begin), "block": 1}}

    def of_prediction(self):
        """The section of a prediction with a known mean: neighbours of the data themselves, from
        which an unknown one is estimated, have no part in it, so that one each is enough."""
        section = self.section()
        if self.exact:
            return section
        return {"vecchia": {**section["vecchia"], "neighbours": 1, "block": 1}}

    def label(self):
        begin = self._parts()[1]
        if self.exact:
            return "Tessera, " + (f"m = {begin}, then exact" if begin else "exact")
        options = self.section()["vecchia"]
        return (
            f"Tessera, m = {begin + ', then ' if begin else ''}{options['neighbours']}; "
            + (
                f"predictions in blocks of {options['prediction_block']}"
                if "prediction_block" in options
                else f"{options['prediction_neighbours']} a prediction"
            )
            + ("" if options["block"] == 1 else f"; blocks of {options['block']}")
            + ("" if options["ordering"] == "maxmin" else f"; {options['ordering']} order")
        )


class Stopwatch:
    """Seconds of a block of code, on the clock and of the processor."""

    def __enter__(self):
        self._begin = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *error):
        self.clock = time.perf_counter() - self._begin[0]
        self.processor = time.process_time() - self._begin[1]


class Fitted:
    """A data set and a method. theta: sigma2, beta or a list of them, nugget."""

    def __init__(self, data, method, backend=None):
        self.data, self.method, self.backend = data, method, backend
        self.theta, self.coefficients = dict(data.given), data.coefficients

    def _run(self, values, columns, mean, theta, method=None, **sections):
        """A run on the points and their values; columns are those of the mean."""
        points = self.data.points
        count = points.shape[1]
        section = {
            "file": np.column_stack([points, values, columns]),
            "coordinates": [str(k + 1) for k in range(count)],
            "values": [str(count + 1)],
        }
        if columns.shape[1]:
            section["covariates"] = [str(count + 2 + k) for k in range(columns.shape[1])]
            mean = {"coordinates": "constant", "covariates": section["covariates"]}
        covariance = {"family": self.data.family, "range_convention": "scaled", **theta}
        return tessera.run(
            {
                "app": "gp",
                "data": section,
                "covariance": covariance,
                "mean": mean,
                "method": method or self.method.section(),
                **sections,
            },
            backend=self.backend,
        )

    def _start(self):
        """Variances and ranges that know nothing but the spread of the data."""
        spread = float(np.var(self.data.values))
        if not np.ndim(self.data.given["beta"]):
            return {"nugget": 0.1 * spread}
        extent = np.ptp(self.data.points, axis=0)
        return {"sigma2": spread, "beta": (0.1 * extent).tolist(), "nugget": 0.1 * spread}

    def fit(self):
        """Estimates parameters and mean, and returns what it took."""
        data = self.data
        first = self.method.first()
        with Stopwatch() as watch:
            start = self._start()
            for method in filter(None, (first, self.method.section())):
                results = self._run(data.values, data.design, "zero", start, method=method, fit=FIT)
                start = self._estimates(results)
        self.theta = start
        if data.design.shape[1]:
            self.coefficients = np.ravel(results["results/trend"])
        return watch

    def _estimates(self, results):
        names = [str(name) for name in results["results/parameters"]]
        theta = dict(zip(names, results["results/theta"][0].tolist()))
        beta = [value for name, value in theta.items() if name.startswith("beta")]
        several = np.ndim(self.data.given["beta"]) > 0
        return {
            "sigma2": theta["sigma2"],
            "beta": beta if several else beta[0],
            "nugget": theta["nugget"],
        }

    def _residuals(self, coefficients):
        if not len(coefficients):
            return self.data.values
        return self.data.values - coefficients[0] - self.data.design @ coefficients[1:]

    def negative_loglik(self, factor):
        """At the given parameters times a factor, with the given mean, and what it took."""
        data = self.data
        theta = {key: (factor * np.asarray(value)).tolist() for key, value in data.given.items()}
        flat = np.hstack([theta["sigma2"], theta["beta"], theta["nugget"]]).tolist()
        with Stopwatch() as watch:
            results = self._run(
                self._residuals(data.coefficients),
                np.empty((len(data.points), 0)),
                "zero",
                theta,
                loglik={"theta": [flat]},
            )
            value = -float(np.sum(results["results/loglik"]))
        return value, watch

    def predict(self, target, theta=None):
        """Means and variances at a target's points, with the estimates or with these parameters."""
        coefficients = self.coefficients if theta is None else self.data.coefficients
        points = {
            "file": target.points,
            "coordinates": [str(k + 1) for k in range(target.points.shape[1])],
        }
        with Stopwatch() as watch:
            results = self._run(
                self._residuals(coefficients),
                np.empty((len(self.data.points), 0)),
                "zero",
                theta or self.theta,
                method=self.method.of_prediction(),
                predict={"points": points, "of": self.data.of},
            )
            mean = np.ravel(results["results/prediction/mean"])
            variance = np.ravel(results["results/prediction/variance"])
        if len(coefficients):
            mean = mean + coefficients[0] + target.design @ coefficients[1:]
        return mean, variance, watch
