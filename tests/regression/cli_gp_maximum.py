# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp_maximum.py EXECUTABLE. A fit that says it has converged is at the
maximum of the likelihood."""

import itertools

import h5py
import numpy as np

import run_cases
from gp_support import GpTest, skip_without_nlopt, some_points, table


def setUpModule():
    skip_without_nlopt()


def points(kind, n):
    """With four decimals, which are the same on every processor."""
    field = some_points(n)
    if kind == "smooth":
        field[:, 2] = np.sin(7 * field[:, 0]) + np.cos(9 * field[:, 1])
    return np.round(field, 4)


# The largest log-likelihood with the nugget at its lower bound of 1e-8 of the variance, by NumPy
# and the simplex method of SciPy.
FLAT = (
    ("rough", 60, "matern12", -51.56537853440682),
    ("rough", 40, "matern12", -37.70238244454302),
    ("smooth", 40, "matern32", -4.909344225501009),
    ("smooth", 60, "matern32", 13.816349801771342),
)
# the best of both searches, with tolerances down to 1e-13
STEEP = (("smooth", 40, 52.32772), ("smooth", 60, 138.92621))


class Maximum(GpTest):
    def fit(self, family, options):
        """The fit of data.csv, and what it warned of."""
        self.write(
            "input.yaml",
            f"app: gp\ndata: {{file: data.csv}}\ncovariance: {{family: {family}, nugget: 0.1}}\nfit: {{{options}}}\n",
        )
        outcome = self.succeed("input.yaml", "--force", "--progress", "off")
        with h5py.File(self.path("input.h5")) as file:
            results = file["results"]
            return (
                results["loglik"][0],
                results["converged"][0],
                results["end"][0].decode(),
                outcome.err,
            )

    def test_a_nugget_that_hardly_counts(self):
        """Along its logarithm the likelihood rises by 1e-4 and less, and so slowly that steps gain
        nearly nothing."""
        for (kind, n, family, best), method in itertools.product(
            FLAT, ("bobyqa", "lbfgs", "scoring")
        ):
            self.write("data.csv", table(points(kind, n).tolist()))
            for options, short in (
                ("tolerance: 1.0e-6", 1e-6),
                # by rounding BOBYQA takes some 400 evaluations, or more than the default of 500
                ("tolerance: 1.0e-9, max_evaluations: 2000", 1e-8),
                ("standard_errors: none, max_evaluations: 2000", 1e-5),
            ):
                with self.subTest(kind=kind, n=n, method=method, options=options):
                    loglik, converged, end, text = self.fit(family, f"method: {method}, {options}")
                    self.assertEqual(converged, 1, end)
                    self.assertNotIn("has not converged", text)
                    self.assertAlmostEqual(loglik, best, delta=short)

    def test_a_steep_valley(self):
        """An exponent near 2 without errors: searches lose themselves in a valley, which steps by
        the derivatives leave, or the result says so."""
        for (kind, n, best), method, errors in itertools.product(
            STEEP, ("bobyqa", "lbfgs", "scoring"), ("observed", "none")
        ):
            self.write("data.csv", table(points(kind, n).tolist()))
            with self.subTest(n=n, method=method, errors=errors):
                loglik, converged, end, text = self.fit(
                    "powered_exponential", f"method: {method}, standard_errors: {errors}"
                )
                if converged:
                    self.assertAlmostEqual(loglik, best, delta=1e-3)
                else:
                    self.assertIn("the fit has not converged: " + end, text)

    def test_too_few_evaluations(self):
        self.write("data.csv", table(points("rough", 60).tolist()))
        for method in ("bobyqa", "lbfgs", "scoring"):
            _, converged, end, text = self.fit("matern12", f"method: {method}, max_evaluations: 9")
            self.assertEqual((converged, end), (0, "the largest number of evaluations was reached"))
            self.assertIn(
                "the fit has not converged: the largest number of evaluations was reached; raise fit.max_evaluations",
                text,
            )

    def test_starts_end_at_the_best_of_them(self):
        """What is done after the last start belongs to the best one."""
        self.write("data.csv", table(points("rough", 100).tolist()))
        options = "standard_errors: fisher, starts: 3"
        for family in ("matern12", "matern32"):
            loglik, converged, end, _ = self.fit(family, options)
            self.assertEqual(converged, 1, end)
            self.write(
                "input.yaml",
                f"app: gp\ndata: {{file: data.csv}}\ncovariance: {{family: {family}, nugget: 0.1}}\nloglik: {{theta: [{self.theta()}]}}\n",
            )
            self.assertAlmostEqual(self.results()["results/loglik"][0] / loglik, 1, delta=1e-12)

    def theta(self):
        with h5py.File(self.path("input.h5")) as file:
            return [float(value) for value in file["results/theta"][0]]


if __name__ == "__main__":
    run_cases.main()
