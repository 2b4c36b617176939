# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-gp from outside: cli_gp_data.py EXECUTABLE. What is wrong with data and inputs."""

import h5py
import numpy as np

import run_cases
from cli_support import FILES, INPUT, NUMERICAL, RESOURCE, arrays
from gp_support import FIT, LONG, GpTest, skip_without_nlopt, some_points, table


def setUpModule():
    skip_without_nlopt()


class WrongData(GpTest):
    def setUp(self):
        super().setUp()
        self.write("input.yaml", FIT)

    def test_no_such_file(self):
        self.refused(FILES, "data.csv", "No such file")

    def test_unknown_column(self):
        self.write("data.csv", table(some_points(), "x,y,height"))
        self.refused(INPUT, "data.csv", "'z'", "height")

    def test_files_are_read_with_the_input(self):
        """--validate finds what is wrong in them, and where the input names them."""
        self.refused(FILES, "data.csv", "No such file", arguments=["--validate"])
        self.write("data.csv", table(some_points(), "x,y,height"))
        self.refused(INPUT, "input.yaml:3:14: error:", "data.csv", "'z'", arguments=["--validate"])
        self.write("data.csv", table(some_points()))
        self.write("targets.csv", "x,y\n0.5,nan\n")
        self.write("input.yaml", FIT + "predict:\n  points: {file: targets.csv}\n")
        self.refused(INPUT, "input.yaml:7:18: error:", "targets.csv", arguments=["--validate"])

    def test_columns_of_every_format(self):
        points = some_points()
        np.save(self.path("data.npy"), points)
        self.write("plain.txt", table(points, "").lstrip())
        self.write("words.csv", "x,y,z\n0.5,0.5,high\n")
        self.write("empty.csv", "x,y,z\n")
        with h5py.File(self.path("data.h5"), "w") as file:
            file["x"], file["y"] = points[:, 0], points[:, 1]
            file["name"] = [b"a", b"b"]
        for data, phrases in (
            (
                "data.npy",
                (
                    "data.npy: there is no column 'x'; the array has 3 columns, counted from 1",
                    "remedy: name columns by their numbers",
                ),
            ),
            (
                "data.npy, coordinates: [1, 2], values: [4]",
                ("data.npy: there is no column '4'; the array has 3 columns, counted from 1",),
            ),
            (
                "plain.txt",
                (
                    "plain.txt:1:1: there is no column 'x': the first line holds numbers, so the columns are 1 to 3",
                    "remedy: add a line of names",
                ),
            ),
            ("words.csv", ("words.csv:2:9: 'high' in column 'z' is not a finite number",)),
            ("empty.csv", ("empty.csv: there are no numbers in this file",)),
            ("data.h5", ("data.h5: there is no dataset 'z'", "remedy: name it by its path")),
        ):
            with self.subTest(data):
                self.write("input.yaml", FIT.replace("data.csv", data))
                self.refused(INPUT, "input.yaml:3:14: error: ", *phrases, arguments=["--validate"])
        self.write("input.yaml", FIT.replace("data.csv", "data.h5, values: [name]"))
        self.refused(FILES, "data.h5:/name", "it holds text", arguments=["--validate"])

    def test_columns_counted_from_zero(self):
        points = some_points()
        np.save(self.path("data.npy"), points)
        np.save(self.path("more.npy"), np.column_stack([np.arange(len(points)), points]))
        self.write(
            "input.yaml", FIT.replace("data.csv", 'data.npy, coordinates: ["0", "1"], values: [2]')
        )
        self.refused(
            INPUT,
            "input.yaml:3:37: error: columns are counted from 1: write 'coordinates: [1, 2]'",
            "input.yaml:3:",
            "write 'values: [3]'",
            arguments=["--validate"],
        )
        self.write(
            "input.yaml",
            FIT.replace("data.csv", "data.npy, coordinates: [1, 2], values: [3]")
            + "predict: {points: {file: data.npy, coordinates: [0, 1]}}\n",
        )
        self.refused(
            INPUT, "input.yaml:6:", "write 'coordinates: [1, 2]'", arguments=["--validate"]
        )
        self.write(
            "input.yaml", FIT.replace("data.csv", "data.npy, coordinates: [1, 2], values: [3]")
        )
        self.assertNotIn("warning", self.succeed("input.yaml", "--validate").err)
        self.write(
            "input.yaml", FIT.replace("data.csv", "more.npy, coordinates: [1, 2], values: [3]")
        )
        self.assertNotIn("warning", self.succeed("input.yaml", "--validate").err)

    def test_values_are_checked_with_the_input(self):
        points = some_points()
        points[7, 2] = np.nan
        np.save(self.path("data.npy"), points)
        data = "data.npy, coordinates: [1, 2], values: [3]"
        for more, change, message in (
            (
                "",
                (),
                "input.yaml:3:14: error: data.npy: value 8 of '3' is not a finite number\n  remedy: mend the file, or leave such rows out with data.missing: drop",
            ),
            (
                ", missing: drop, sample: 60",
                (),
                "error: data.sample asks for 60 rows, and there are 59",
            ),
            (", missing: drop", ("fit:", "predict: {held_out: 3}\nfit:"), "row 1: '3' is "),
        ):
            with self.subTest(message):
                self.write(
                    "input.yaml",
                    FIT.replace("data.csv", data + more).replace(*(change or ("", ""))),
                )
                self.refused(INPUT, message, arguments=["--validate"])
        points[7, 2] = np.inf
        np.save(self.path("data.npy"), points)
        self.write("input.yaml", FIT.replace("data.csv", data + ", missing: drop"))
        self.refused(INPUT, "data.npy: value 8 of '3' is infinite", arguments=["--validate"])
        points[7] = points[3]
        np.save(self.path("data.npy"), points)
        self.write("input.yaml", FIT.replace("data.csv", data))
        self.refused(
            INPUT,
            "input.yaml:3:14: error: 1 observation repeats the place of another (rows 4 and 8",
            arguments=["--validate"],
        )

    def test_missing_value(self):
        rows = some_points().tolist()
        rows[7][2] = "NaN"
        self.write("data.csv", table(rows))
        self.refused(INPUT, "data.csv:9:")
        self.write("input.yaml", FIT.replace("data.csv", "data.csv, missing: drop"))
        self.assertEqual(len(self.results()["results/observations"]), 59)

    def test_duplicate_place(self):
        rows = some_points().tolist()
        rows[30][:2] = rows[10][:2]
        self.write("data.csv", table(rows))
        self.refused(
            INPUT,
            "1 observation repeats the place of another (rows 11 and 31",
            "no nugget",
            "remedy",
            "nugget",
        )
        self.write("input.yaml", FIT.replace("data.csv", "data.csv, duplicates: average"))
        self.assertEqual(len(self.results()["results/observations"]), 59)
        self.write(
            "input.yaml", FIT.replace("family: matern", "nugget: 0.1").replace("0.8]", "0.8, 0.1]")
        )
        self.assertEqual(len(self.results()["results/observations"]), 60)

    def test_rows_are_counted_among_those_that_are_used(self):
        rows = some_points().tolist()
        rows[30][:2] = rows[10][:2]
        rows[4][2] = "NaN"
        self.write("data.csv", table(rows))
        self.write("input.yaml", FIT.replace("data.csv", "data.csv, missing: drop"))
        self.refused(
            INPUT, "1 observation repeats the place of another (used rows 10 and 30; the first at ("
        )

    def test_too_few_points(self):
        self.write("data.csv", table(some_points(4)))
        self.refused(INPUT, "too few points: 4 observations for 3 unknown")

    def test_latitude_and_longitude_must_be_named(self):
        self.write("data.csv", table(some_points()))
        self.write("input.yaml", FIT.replace("family: matern", "metric: great_circle"))
        self.refused(
            INPUT, "input.yaml:3:1: error: missing required key 'latitude' in 'data'", "longitude"
        )

    def test_latitude_in_the_euclidean_metric(self):
        self.write("input.yaml", FIT.replace("data.csv", "data.csv, latitude: y"))
        self.refused(
            INPUT,
            "input.yaml:3:",
            "latitude and longitude need 'metric: great_circle' or 'chordal'",
        )

    def test_wrong_metric_for_the_coordinates(self):
        rows = some_points() * [1000, 1, 1]
        self.write("data.csv", table(rows))
        self.write(
            "input.yaml",
            FIT.replace("family: matern", "metric: great_circle").replace(
                "data.csv", "data.csv, latitude: x, longitude: y"
            ),
        )
        self.refused(
            INPUT, "row 1: the latitude 'x' is 500", "outside -90 to 90", "metric: euclidean"
        )
        self.write("data.csv", table(some_points(), "lon,lat,z"))
        self.write("input.yaml", FIT.replace("data.csv", "data.csv, coordinates: [lon, lat]"))
        outcome = self.succeed("input.yaml", "--force")
        self.assertIn("warning: the coordinate 'lon' looks like an angle", outcome.err)

    def test_too_large_for_the_memory(self):
        self.write("input.yaml", LONG)
        self.refused(
            RESOURCE,
            "625 points need 6.",
            "allowed by run.memory_limit",
            "the largest number of points that fits is 2",
            arguments=["run.memory_limit=0.7"],
        )
        self.refused(
            RESOURCE,
            "4000000 points need 1.28",
            "the largest number of points that fits is ",
            arguments=["simulate.points=4000000"],
        )

    def test_not_positive_definite(self):
        self.write(
            "input.yaml",
            "app: gp\nmean: zero\ncovariance: {sigma2: 1, beta: 3, nu: 8}\nsimulate: {points: 400}\n",
        )
        self.refused(
            NUMERICAL,
            "the covariance matrix of 400 points is not positive definite",
            "nearest neighbour",
            "Likely cause: the field is too smooth",
            "remedy: give the covariance a nugget",
        )

    def test_trial_points_without_a_likelihood_are_survived(self):
        self.write("data.csv", table(some_points(150)))
        self.write(
            "input.yaml",
            FIT.replace(
                "start: [0.5, 0.05, 0.8]",
                "method: lbfgs, start: [1, 0.5, 5], lower: [0.01, 0.001, 0.1], upper: [100, 50, 40]",
            ),
        )
        outcome = self.succeed("input.yaml", "--force")
        self.assertIn("trial points had no likelihood and were passed over", outcome.err)
        self.assertTrue(np.isfinite(arrays(self.path("input.h5"))["results/theta"]).all())

        self.refused(
            NUMERICAL,
            "the likelihood could not be evaluated at any of 1 trial points",
            "remedy: start elsewhere (fit.start)",
            arguments=["fit.start=[1, 1, 8]"],
        )

    def test_end_at_a_bound(self):
        self.write("data.csv", table(some_points()))
        self.write(
            "input.yaml",
            FIT.replace("0.8]", "0.8], lower: [0.01, 0.001, 0.75], upper: [100, 0.06, 5]"),
        )
        outcome = self.succeed("input.yaml", "--force")
        self.assertRegex(
            outcome.err,
            "warning: the fit ends with (beta|nu) = .* at its (upper|lower) bound; widen fit",
        )
        self.assertIn(1, np.abs(arrays(self.path("input.h5"))["results/at_bound"][0]))

    def test_start_outside_the_bounds(self):
        self.write("data.csv", table(some_points()))
        self.write(
            "input.yaml", FIT.replace("0.8]", "0.8], lower: [0.01, 0.1, 0.1], upper: [100, 5, 5]")
        )
        self.refused(INPUT, "the fit starts at beta = 0.05, outside its bounds 0.1 to 5")

    def test_inputs(self):
        for change, message in (
            (
                ("fit: {", "fit: {fixed: [rho], "),
                "'fit.fixed' names 'rho', but theta has: sigma2, beta, nu",
            ),
            (
                ("[0.5, 0.05, 0.8]", "[0.5, 0.05]"),
                "'fit.start' has 2 elements, but theta has 3: sigma2, beta, nu",
            ),
            (
                ("family: matern", "famly: matern"),
                "unknown key 'famly' in 'covariance' (did you mean 'family'?)",
            ),
            (("data: {file: data.csv}\n", ""), "the input has neither 'data' nor 'simulate'"),
            (
                ("mean: zero", "predict: {}"),
                "'predict' needs one of 'grid', 'points', 'held_out' and 'fraction'",
            ),
            (
                ("mean: zero", "predict: {grid: [3]}"),
                "'predict.grid' has 1 elements, but there are 2 coordinates",
            ),
            (
                ("mean: zero", "predict: {grid: {x: [1, 2]}}"),
                "'predict.grid' needs 'y', a range or a list of numbers",
            ),
            (
                ("mean: zero", "predict: {grid: {x: 1, yy: 2, y: 3}}"),
                "unknown key 'yy' in 'predict.grid' (known keys: x, y)",
            ),
            (
                ("mean: zero", "predict: {grid: {x: {linspace: [0, 1, 2.5]}, y: 0}}"),
                "the third number of 'predict.grid.x.linspace' says how many",
            ),
            (
                (
                    "mean: zero",
                    "predict: {grid: {x: {linspace: [0, 1, 100000]}, y: {linspace: [0, 1, 100000]}}}",
                ),
                "the grid has more than 1e9 points",
            ),
            (("mean: zero", "simulate: {}"), "'simulate' needs 'covariance.beta'"),
        ):
            with self.subTest(message):
                self.write("input.yaml", FIT.replace(*change))
                self.refused(INPUT, "input.yaml:", message)

    def test_data_without_a_task(self):
        self.write("data.csv", table(some_points()))
        self.write(
            "input.yaml",
            "app: gp\ndata: {file: data.csv}\ncovariance: {sigma2: 1, beta: 1, nu: 0.5}\n",
        )
        self.refused(
            INPUT,
            "input.yaml:1:1: error: the input says nothing to do with its data: add one of 'fit', 'predict'",
        )


class BadMeans(GpTest):
    """Columns of the mean that depend on each other are found before anything is computed."""

    def test_points_on_a_line(self):
        points = some_points(40)
        points[:, 1] = 2 * points[:, 0]
        self.write("data.csv", table(points))
        for method in ("exact", "vecchia"):
            self.write(
                "input.yaml",
                f"app: gp\ndata: {{file: data.csv}}\nmean: linear\nmethod: {method}\nfit: {{}}\n",
            )
            self.refused(
                INPUT,
                "the column 'y' of the mean is a combination of the columns of the mean before it at these points",
                "use a simpler mean",
            )
        points[:, 1] = 3
        self.write("data.csv", table(points))
        self.refused(INPUT, "the column 'y' of the mean is constant over the points")


if __name__ == "__main__":
    run_cases.main()
