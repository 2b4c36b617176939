# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp_groups.py EXECUTABLE. Random effects of groupings beside the
field: likelihoods, effects and predictions against dense algebra, fits that find the truth, files
of labels, restarts, bad inputs."""

import math
import os

import h5py
import numpy as np

import run_cases
from cli_support import INPUT, arrays
from gp_support import INPUTS, GpTest, skip_without_nlopt, some_points, table
from plot_support import plot

THETA = [1.3, 0.2, 0.1, 0.6, 0.25]  # sigma2, beta, nugget, variances of site and observer
COVARIANCE = (
    "covariance: {family: matern32, sigma2: 1.3, beta: 0.2, nugget: 0.1}\n"
    "groups: {variance: [0.6, 0.25]}\n"
)
DATA = "data: {file: data.csv, groups: [site, observer]}\n"
SITES = [f"site {chr(97 + k)}" for k in range(14)]


def setUpModule():
    skip_without_nlopt()


def labelled(n):
    """Points, values, and labels of two groupings: text, and numbers from 3 on."""
    points = some_points(n)
    i = np.arange(n)
    site, observer = (5 * i + i // 9) % 14, 3 + (i + i // 7) % 6
    points[:, 2] += 0.8 * np.cos(5.0 * site) + 0.5 * np.sin(3.0 * observer)
    return points, np.stack([site, observer])


def rows_of(points, levels):
    """Rows of a table."""
    return [
        [*point, SITES[site], observer] for point, site, observer in zip(points, *levels.tolist())
    ]


def correlation(points, others):
    u = np.hypot(*(points[:, None, k] - others[None, :, k] for k in (0, 1))) / THETA[1]
    return (1 + u) * np.exp(-u)


def same(levels, others):
    """The covariance of effects."""
    return sum(
        variance * (one[:, None] == other[None, :])
        for variance, one, other in zip(THETA[3:], levels, others)
    )


class Dense:
    """The likelihood and predictions of THETA by their formulas, with an unknown constant."""

    def __init__(self, points, levels):
        self.points, self.levels, z = points[:, :2], levels, points[:, 2]
        n = len(z)
        matrix = THETA[0] * correlation(self.points, self.points) + THETA[2] * np.eye(n)
        self.inverse = np.linalg.inv(matrix + same(levels, levels))
        one = np.ones(n)
        self.white = self.inverse @ one
        self.information = one @ self.white
        self.mean = self.white @ z / self.information
        rest = z - self.mean
        self.weights = self.inverse @ rest
        determinant = np.linalg.slogdet(self.inverse)[1]
        self.loglik = -0.5 * (n * math.log(2 * math.pi) - determinant + rest @ self.weights)

    def conditional(self, cross, own, mean=1.0):
        """Mean and variance of what has these covariances with the observations."""
        rest = mean - self.white @ cross
        variance = own - np.einsum("ij,ij->j", cross, self.inverse @ cross)
        return self.weights @ cross + mean * self.mean, variance + rest**2 / self.information

    def predict(self, targets, levels=None):
        cross = THETA[0] * correlation(self.points, targets)
        own = THETA[0]
        if levels is not None:
            cross += same(self.levels, levels)
            own += sum(THETA[3:])
        return self.conditional(cross, own)

    def effects(self, group):
        levels = np.unique(self.levels[group])
        cross = THETA[3 + group] * (self.levels[group][:, None] == levels[None, :])
        return self.conditional(cross, THETA[3 + group], 0.0)


class Formulas(GpTest):
    def setUp(self):
        super().setUp()
        self.points, self.levels = labelled(120)
        self.write("data.csv", table(rows_of(self.points, self.levels), "x,y,z,site,observer"))
        self.dense = Dense(self.points, self.levels)

    def run_input(self, tasks, method):
        self.write("input.yaml", f"app: gp\n{DATA}{COVARIANCE}method: {method}\n{tasks}")
        return self.results()

    def test_likelihood(self):
        for method in ("exact", "{vecchia: {neighbours: 119}}"):
            found = self.run_input(f"loglik: {{theta: [{THETA}]}}\n", method)
            self.assertLess(abs(found["results/loglik"][0] / self.dense.loglik - 1), 1e-10)
            self.assertEqual(
                [name.decode() for name in found["results/parameters"]],
                ["sigma2", "beta", "nugget", "variance_site", "variance_observer"],
            )

    def test_predictions_and_effects(self):
        random = np.random.default_rng(4)
        targets = random.random((30, 2))
        # observers 1 and 12 have no observations
        levels = np.stack([random.integers(0, 14, 30), random.integers(1, 13, 30)])
        rows = [
            [*target, SITES[site], observer]
            for target, site, observer in zip(targets, *levels.tolist())
        ]
        self.write("targets.csv", table(rows, "x,y,place,who"))
        quantile = 1.2815515655446004
        for method in ("exact", "{vecchia: {neighbours: 119, prediction_neighbours: 120}}"):
            for labels in ("", ", groups: [place, who]"):
                for kind in ("field", "observation"):
                    found = self.run_input(
                        f"predict: {{points: {{file: targets.csv{labels}}}, of: {kind}, "
                        "quantiles: [0.1]}\n",
                        method,
                    )
                    mean, variance = self.dense.predict(targets, levels if labels else None)
                    # an observation has effects, which are not known where labels are not
                    more = THETA[2] + (0 if labels else sum(THETA[3:]))
                    expected = variance + (more if kind == "observation" else 0)
                    group = "results/prediction/"
                    np.testing.assert_allclose(found[group + "mean"], mean, rtol=1e-10)
                    np.testing.assert_allclose(found[group + "variance"], expected, rtol=1e-10)
                    np.testing.assert_allclose(
                        found[group + "quantiles"][:, 0],
                        mean - quantile * np.sqrt(variance + more),
                        rtol=1e-9,
                        atol=1e-10,
                    )
            for index, name in enumerate(("site", "observer")):
                group = f"results/groups/{name}/"
                mean, variance = self.dense.effects(index)
                np.testing.assert_allclose(found[group + "effect"], mean, rtol=1e-10, atol=1e-11)
                np.testing.assert_allclose(found[group + "deviation"], np.sqrt(variance), rtol=1e-9)
                self.assertEqual(
                    found[group + "observations"].tolist(),
                    np.unique(self.levels[index], return_counts=True)[1].tolist(),
                )
            self.assertEqual(
                [label.decode() for label in found["results/groups/site/label"]], SITES
            )
            self.assertEqual(
                [label.decode() for label in found["results/groups/observer/label"]],
                [str(k) for k in range(3, 9)],
            )
        with h5py.File(self.path("input.h5")) as file:
            groups = file["results/groups"]
            shares = [groups[name].attrs["share"] for name in ("site", "observer")]
            total = sum(THETA) - THETA[1]
            np.testing.assert_allclose(shares, np.array(THETA[3:]) / total)
            self.assertAlmostEqual(
                sum(shares) + groups.attrs["share_of_field"] + groups.attrs["share_of_errors"], 1
            )

    def test_cross_validation(self):
        """Each fold from the others, with the formulas; by sites, levels are new."""
        vecchia = "{vecchia: {neighbours: 119, prediction_neighbours: 120}}"
        for method, folds, count in (
            ("exact", "folds: 4", 4),
            (vecchia, "folds: 4", 4),
            ("exact", "folds: 0, by: site", 14),
            (vecchia, "folds: 3, by: site", 3),
        ):
            found = self.run_input(f"cross_validation: {{{folds}}}\n", method)
            fold = found["results/cross_validation/fold"]
            self.assertEqual(fold.max(), count - 1)
            if "by" in folds:
                for site in range(14):
                    self.assertEqual(np.ptp(fold[self.levels[0] == site]), 0)
            for one in range(count):
                inside = fold == one
                rest = Dense(self.points[~inside], self.levels[:, ~inside])
                mean, variance = rest.predict(self.points[inside, :2], self.levels[:, inside])
                group = "results/cross_validation/"
                np.testing.assert_allclose(found[group + "mean"][inside], mean, rtol=1e-9)
                np.testing.assert_allclose(
                    found[group + "variance"][inside], variance + THETA[2], rtol=1e-10
                )

    def test_files_of_labels(self):
        """Numbers in .npy and .h5, text in .h5, and rows without labels that are left out."""
        expected = self.run_input("predict: {grid: [2, 2]}\n", "exact")["results/prediction/mean"]
        numbers = np.column_stack([self.points, *self.levels])
        np.save(self.path("data.npy"), numbers)
        with h5py.File(self.path("data.h5"), "w") as file:
            for name, column in zip(("x", "y", "z", "who"), numbers[:, [0, 1, 2, 4]].T):
                file[name] = column
            file["where"] = [SITES[k] for k in self.levels[0]]
        rows = rows_of(self.points, self.levels)
        gaps = [[0.31, 0.32, 9.0, "", 4], [0.11, 0.12, 9.0, "site a", "NA"]]
        self.write("data.csv", table(gaps[:1] + rows + gaps[1:], "x,y,z,site,observer"))
        for data in (
            "{file: data.npy, coordinates: [1, 2], values: [3], groups: [4, 5]}",
            "{file: data.h5, groups: [where, who]}",
            "{file: data.csv, groups: [site, observer], missing: drop}",
        ):
            self.write(
                "input.yaml",
                f"app: gp\ndata: {data}\npredict: {{grid: [2, 2]}}\n"
                + COVARIANCE.replace("groups: {", "groups: {names: [A, B], "),
            )
            found = self.results()
            np.testing.assert_allclose(found["results/prediction/mean"], expected, rtol=1e-12)
            self.assertEqual(
                [name.decode() for name in found["results/parameters"][3:]],
                ["variance_A", "variance_B"],
            )
            self.assertEqual(len(found["results/groups/A/effect"]), 14)


class Fits(GpTest):
    def simulation(self, more, tasks, points=400):
        return (
            "app: gp\ncovariance: {family: matern32, sigma2: 1, beta: 0.08, nugget: 0.2}\n"
            "groups: {variance: [0.5, 0.3]}\nsimulate: "
            f"{{points: {points}, groups: [site, observer], levels: [30, 20], mean: 4{more}}}\n{tasks}"
        )

    def test_campaign(self):
        """Of 24 data sets, each with effects of its own, estimates scatter about the truth as their
        standard errors say."""
        for method in ("exact", "{vecchia: {neighbours: 20}}"):
            self.write(
                "input.yaml",
                self.simulation(
                    ", replicates: 24",
                    f"method: {method}\nfit: {{replicates: separate}}\nrun: {{seed: 5}}\n",
                ),
            )
            found = self.results()
            truth = found["results/truth"]
            theta, error = found["results/theta"], found["results/theta_se"]
            self.assertEqual(found["results/converged"].tolist(), [1] * 24)
            self.assertTrue((error > 0).all())
            pull = (theta - truth) / error
            inside = (np.abs(pull) < 1.96).mean(axis=0)
            self.assertTrue((inside >= 0.79).all(), inside)
            # the means are near the truth; of maximum likelihood they may be somewhat low
            mean_error = theta.std(axis=0, ddof=1) / math.sqrt(24)
            off = np.abs(theta.mean(axis=0) - truth)
            self.assertTrue((off < 3 * mean_error + 0.05 * truth).all(), (off, mean_error))
            # standard errors are the scatter of the estimates
            ratio = np.median(error, axis=0) / theta.std(axis=0, ddof=1)
            self.assertTrue(((ratio > 0.6) & (ratio < 1.6)).all(), ratio)

    def test_searches_and_effects(self):
        """Searches come to the same maximum, and the effects are those that were simulated."""
        for method in ("exact", "{vecchia: {neighbours: 20}}"):
            logliks = []
            for search in ("lbfgs", "bobyqa"):
                tasks = f"method: {method}\nfit: {{method: {search}}}\nrun: {{seed: 3}}\n"
                self.write("input.yaml", self.simulation("", tasks, 900))
                found = self.results()
                logliks.append(found["results/loglik"][0])
            self.assertLess(np.ptp(logliks), 1e-5)
            squares = [
                ((found[group + "effect"] - found[group + "truth"]) / found[group + "deviation"])
                ** 2
                for group in ("results/groups/site/", "results/groups/observer/")
            ]
            # all errors of a grouping have that of the mean in common
            mean = np.concatenate(squares).mean()
            self.assertTrue(0.2 < mean < 2.5, mean)

    def test_coverage_of_predictions(self):
        tasks = "method: vecchia\nfit: {}\npredict: {fraction: 0.4}\nrun: {seed: 6}\n"
        self.write("input.yaml", self.simulation("", tasks, 1600))
        self.results()
        with h5py.File(self.path("input.h5")) as file:
            scores = dict(file["results/prediction"].attrs)
        self.assertLess(abs(scores["coverage_95"] - 0.95), 0.025)
        self.assertLess(abs(scores["mean_squared_standardised_error"] - 1), 0.15)

    def test_no_effects(self):
        """A grouping that means nothing ends at its bound, and the log says so."""
        points = some_points(200)
        rows = [[*point, k % 9] for k, point in enumerate(points)]
        self.write("data.csv", table(rows, "x,y,z,lot"))
        self.write(
            "input.yaml",
            "app: gp\ndata: {file: data.csv, groups: [lot]}\ncovariance: {family: matern32, nugget: 0.1}\n"
            "fit: {}\n",
        )
        run = self.succeed("input.yaml", "--force")
        found = arrays(self.path("input.h5"))
        if found["results/at_bound"][0, 3] == -1:
            self.assertIn("show no effects of the grouping 'lot'", run.err)
        self.assertLess(found["results/theta"][0, 3], 0.01)

    def test_a_restart_has_the_same_bits(self):
        tasks = "fit: {}\nrun: {seed: 3, keep_restart: true}\n"
        self.write("input.yaml", self.simulation("", tasks))
        self.succeed("input.yaml", "-q", "--force", "--output", "whole.h5")
        self.succeed("input.yaml", "-q", "--restart", "whole.restart.h5", "--output", "again.h5")
        self.assert_same_bits("whole.h5", "again.h5")

    def test_the_input(self):
        self.succeed(os.path.join(INPUTS, "observers.yaml"), "--output", "input.h5", "-q")
        found = arrays(self.path("input.h5"))
        theta, error = found["results/theta"][0], found["results/theta_se"][0]
        self.assertTrue((np.abs(theta - found["results/truth"]) < 3 * error).all())
        try:
            import matplotlib  # noqa: F401, PLC0415
        except ImportError:
            return
        for kind in ("effects", "summary"):
            status, message = plot(
                self.path("input.h5"), "--kind", kind, "-o", self.path("effects.png")
            )
            self.assertEqual(status, 0, message)


class BadInputs(GpTest):
    def test_labels(self):
        points, levels = labelled(60)
        rows = rows_of(points, levels)
        header = "x,y,z,site,observer"
        fit = "covariance: {nu: 1, nugget: 0.1}\nfit: {fixed: [nu]}\n"
        for table_of, data, phrases in (
            (rows, "groups: [plot]", ("there is no column 'plot'",)),
            (
                rows[:4] + [[*rows[4][:3], "", 4]] + rows[5:],
                "groups: [site]",
                ("data.csv:6", "label in column 'site' is missing", "data.missing: drop"),
            ),
            (
                [[*row[:4], 7] for row in rows],
                "groups: [site, observer]",
                ("input.yaml:2:", "'observer' has one level", "leave it out"),
            ),
            (
                [[*row[:3], f"s{k}", 7] for k, row in enumerate(rows)],
                "groups: [site]",
                ("as many levels as there are observations (60)", "the nugget out"),
            ),
            (
                [[*row[:4], "n" + row[3]] for row in rows],
                "groups: [site, observer]",
                ("'site' and 'observer' divide the observations in the same way",),
            ),
            (rows, "groups: [site, site]", ("two groupings have the same name",)),
        ):
            self.write("data.csv", table(table_of, header))
            self.write("input.yaml", f"app: gp\ndata: {{file: data.csv, {data}}}\n{fit}")
            self.refused(INPUT, *phrases)
        numbers = np.column_stack([points, levels[0] + 0.5])
        np.save(self.path("data.npy"), numbers)
        self.write(
            "input.yaml",
            "app: gp\ndata: {file: data.npy, coordinates: [1, 2], values: [3], groups: [4]}\n"
            + fit,
        )
        self.refused(INPUT, "row 1: the label '4'", "text or whole numbers")

    def test_what_does_not_go_together(self):
        points, levels = labelled(60)
        self.write("data.csv", table(rows_of(points, levels), "x,y,z,site,observer"))
        base = f"app: gp\n{DATA}"
        known = base + COVARIANCE
        for text, phrases in (
            (base + "fit: {method: scoring}", ("no Fisher scoring", "lbfgs")),
            (base + "fit: {standard_errors: fisher}", ("'observed', or 'none'",)),
            (base + "likelihood: {family: poisson}\nfit: {}", ("leave out 'likelihood'",)),
            (base + "marginal: {family: tukey_g_and_h}\nfit: {}", ("do not go with 'marginal'",)),
            (
                base.replace("}", ", duplicates: average}") + "fit: {}",
                ("observations are not averaged",),
            ),
            (base + "method: {vecchia: {block: 8}}\nfit: {}", ("leave out 'block'",)),
            (base + "groups: {variance: [1]}\nfit: {}", ("has 1 elements", "site, observer")),
            (base + "groups: {variance: [1, -1]}\nfit: {}", ("at least 0",)),
            (
                "app: gp\ndata: {file: data.csv}\ngroups: {variance: [1]}\nfit: {}",
                ("give 'data.groups'",),
            ),
            (
                base + "covariance: {sigma2: 1, beta: 1, nu: 1}\npredict: {grid: [3, 3]}",
                ("groups.variance", "or a 'fit'"),
            ),
            (known + "cross_validation: {folds: 0}", ("a number of folds, such as 10",)),
            (
                known + "cross_validation: {by: plot}",
                ("no grouping 'plot'", "site, observer"),
            ),
            (
                "app: gp\ndata: {file: data.csv}\nfit: {}\ncross_validation: {by: site}",
                ("no grouping 'site'", "data.groups"),
            ),
            (
                known + "predict: {points: {file: data.csv, groups: [site]}}",
                ("names 1 columns, but there are 2 groupings",),
            ),
            (
                "app: gp\ndata: {file: data.csv}\nfit: {}\n"
                "predict: {points: {file: data.csv, groups: [site]}}",
                ("names 1 columns", "name their columns in 'data.groups'"),
            ),
            (
                known + "loglik: {theta: [[1, 0.1, 0.5]]}",
                ("3 elements instead of 5", "variance_site, variance_observer"),
            ),
            (
                "app: gp\ncovariance: {sigma2: 1, beta: 0.1, nu: 1}\n"
                "simulate: {groups: [site], levels: [5]}",
                ("'simulate' needs 'groups.variance'",),
            ),
            (
                "app: gp\ncovariance: {sigma2: 1, beta: 0.1, nu: 1}\n"
                "groups: {variance: [1]}\nsimulate: {groups: [site]}",
                ("'simulate.levels' has 0 elements",),
            ),
        ):
            self.write("input.yaml", text + "\n")
            self.refused(INPUT, *phrases)


if __name__ == "__main__":
    run_cases.main()
