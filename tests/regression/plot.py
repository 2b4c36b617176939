# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Tests of tessera-plot: plot.py RESULTS.h5, with the results of gbees' quick start."""

import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

import plot_support
import run_cases
from plot_support import plot

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
QUICKSTART = sys.argv.pop(1)
SPACING = 0.5


def plot_as_a_program(*arguments):
    """Runs tessera-plot; its exit status and what it wrote to stderr."""
    environment = dict(os.environ, TESSERA_PYTHON=sys.executable, PYTHONDONTWRITEBYTECODE="1")
    run = subprocess.run(
        [os.path.join(ROOT, "apps", "plot", "tessera-plot"), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    return run.returncode, run.stderr


def write_gaussians(path, dimension, records=2, with_cells=True):
    """A results file like one of tessera-gbees: normal distributions that move."""
    axis = np.arange(-6, 6 + SPACING, SPACING)
    x = np.stack([a.ravel() for a in np.meshgrid(*[axis] * dimension, indexing="ij")], axis=1)
    with h5py.File(path, "w") as file:
        file.attrs.update({"format": "tessera-results", "app": "gbees"})
        results = file.create_group("results")
        file["coordinates/spacing"] = [SPACING] * dimension
        file["coordinates/variables"] = [f"x{i + 1}" for i in range(dimension)]
        means = np.linspace(-1, 1, records)[:, None] * np.ones(dimension)
        for name, values in {
            "time": np.arange(records, dtype=float),
            "mean": means,
            "mass": np.ones(records),
            "segment": np.zeros(records, dtype=int),
        }.items():
            results[name] = values
            results[name].attrs["units"] = "1"
        marginals = np.zeros((dimension, records, len(axis)))
        for r, mean in enumerate(means):
            p = np.exp(-0.5 * ((x - mean) ** 2).sum(axis=1))
            p /= p.sum()
            if with_cells:
                results[f"record_{r}/x"], results[f"record_{r}/p"] = x, p
            for i in range(dimension):
                others = tuple(j for j in range(dimension) if j != i)
                marginals[i, r] = p.reshape([len(axis)] * dimension).sum(axis=others)
        for i in range(dimension):
            file[f"coordinates/x{i + 1}"] = axis
            file[f"coordinates/x{i + 1}"].attrs["units"] = "km"
            results[f"marginal_1d/x{i + 1}"] = marginals[i]
        for name in ("time", "dt", "cells_existing", "cells_active", "lost_mass"):
            file[f"series/{name}"] = np.linspace(0.1, 1, 5)
            file[f"series/{name}"].attrs["units"] = "1"


def write_fits(path, replicates=4, parameters=("sigma2", "beta"), truth=(1.0, 0.1), seed=0):
    """A results file like one of tessera-gp: fits of several replicates."""
    rng = np.random.default_rng(seed)
    with h5py.File(path, "w") as file:
        file.attrs.update({"format": "tessera-results", "app": "gp"})
        file["coordinates/names"] = ["x", "y"]
        file["results/parameters"] = list(parameters)
        file["results/truth"] = truth
        file["results/observations"] = rng.normal(size=(20, replicates))
        file["results/theta"] = rng.lognormal(size=(replicates, len(parameters)))
        file["results/theta_se"] = np.ones((replicates, len(parameters)))
        file["results/loglik"] = rng.normal(size=replicates)
        file["results/evaluations"] = rng.integers(50, 99, replicates)
        steps = 5 * replicates
        file["series/replicate"] = np.repeat(np.arange(replicates), 5)
        file["series/start"] = np.zeros(steps, dtype=int)
        file["series/theta"] = rng.lognormal(size=(steps, len(parameters)))
        file["series/loglik"] = rng.normal(size=steps)


class Plot(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def gaussians(self, *arguments, **options):
        write_gaussians(self.path("gaussians.h5"), *arguments, **options)
        return self.path("gaussians.h5")

    def assert_drawn(self, *arguments):
        picture = self.path("picture.png")
        status, message = plot(*arguments, "-o", picture)
        self.assertEqual(status, 0, message)
        with open(picture, "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        self.assertGreater(os.path.getsize(picture), 10_000)

    def assert_refused(self, status, words, *arguments):
        actual, message = plot(*arguments)
        self.assertEqual(actual, status, message)
        self.assertIn(words, message)
        self.assertNotIn("Traceback", message)

    def test_quickstart_in_every_kind(self):
        for kind in ("summary", "corner", "cells", "panels", "history"):
            with self.subTest(kind):
                self.assert_drawn(QUICKSTART, "--kind", kind)

    def test_any_dimension(self):
        for dimension in (1, 2, 4):
            for kind in ("summary", "corner"):
                with self.subTest(dimension=dimension, kind=kind):
                    self.assert_drawn(self.gaussians(dimension), "--kind", kind)

    def test_chosen_records(self):
        self.assert_drawn(self.gaussians(3), "--kind", "corner", "--record", "0", "--record", "-1")

    def test_one_record(self):
        self.assert_drawn(self.gaussians(3, records=1))

    def test_without_cells_the_marginals_remain(self):
        results = self.gaussians(3, with_cells=False)
        self.assert_drawn(results)
        self.assert_drawn(results, "--kind", "corner")
        self.assert_refused(3, "holds no cells of record 0", results, "--kind", "cells")

    def test_history_without_steps(self):
        results = self.path("still.h5")
        shutil.copy(QUICKSTART, results)
        with h5py.File(results, "a") as file:
            for name in list(file["series"]):
                del file["series"][name]
                file["series"][name] = np.zeros(0)
        self.assert_refused(3, "holds no steps", results, "--kind", "history")

    def legend(self, files, kind):
        """What the legend of several files says, and their figure."""
        plot_support.load()
        tessera_plot, tessera_results = (
            importlib.import_module(f"tessera.{name}") for name in ("plot", "results")
        )
        results = [tessera_results.load(path) for path in files]
        try:
            drawn = tessera_plot.figure(results, kind)
        finally:
            for file in results:
                file.close()
        (legend,) = drawn.legends
        return [text.get_text() for text in legend.get_texts()], drawn

    def test_histories_over_each_other(self):
        first, second = self.path("first.h5"), self.path("second.h5")
        for path in (first, second):
            shutil.copy(QUICKSTART, path)
        with h5py.File(second, "a") as file:
            file["progress/wall_time"][...] = file["progress/wall_time"][()] / 100
            file["series/dt"][...] = 2 * file["series/dt"][()]
        self.assert_drawn(first, second, "--kind", "history")
        self.assert_drawn(first, "--kind", "history", second, first)
        labels, drawn = self.legend((first, second), "history")
        self.assertEqual(labels, ["first", "second"])
        cells, steps, wall = drawn.axes[:3]
        self.assertEqual([len(axes.get_lines()) for axes in (cells, steps, wall)], [4, 2, 2])
        one, other = (line.get_ydata() for line in steps.get_lines())
        np.testing.assert_allclose(other, 2 * one)
        self.assertEqual(wall.get_yscale(), "log")  # times a hundred apart
        # one without the clock has no line there
        with h5py.File(second, "a") as file:
            del file["progress"]
        _, drawn = self.legend((first, second), "history")
        self.assertEqual([len(axes.get_lines()) for axes in drawn.axes[:3]], [4, 2, 1])
        with h5py.File(second, "a") as file:
            file["results/time"].attrs["units"] = "s"
        self.assert_refused(3, "units of the time differ", first, second, "--kind", "history")

    def test_fits_beside_each_other(self):
        files = [self.path(f"bins-{bins}.h5") for bins in (16, 40, 128)]
        for seed, path in enumerate(files):
            write_fits(path, seed=seed)
        for kind, panels in (("boxplot", 3), ("history", 3)):
            self.assert_drawn(*files, "--kind", kind)
            labels, drawn = self.legend(files, kind)
            self.assertEqual(
                [label.partition(",")[0] for label in labels], ["bins-16", "bins-40", "bins-128"]
            )
            self.assertEqual(len(drawn.axes), panels)
        labels, _ = self.legend(files[:2], "boxplot")
        self.assertEqual(labels[0], "bins-16, 4 replicates of 20 points")
        write_fits(files[2], truth=(2.0, 0.2))
        self.assert_drawn(*files, "--kind", "boxplot")
        write_fits(files[2], parameters=("sigma2", "nu"))
        for kind in ("boxplot", "history"):
            self.assert_refused(
                3, "parameters differ (sigma2, beta; sigma2, nu)", *files, "--kind", kind
            )
        write_fits(files[2], replicates=1)
        self.assert_refused(3, "bins-128.h5 holds the fit of 1", *files, "--kind", "boxplot")
        self.assert_refused(
            2,
            "bins-128.h5 holds no fit of replicate 2",
            *files,
            "--kind",
            "history",
            "--record",
            "2",
        )

    def test_several_files_of_other_kinds(self):
        results, fits = self.gaussians(2), self.path("fits.h5")
        write_fits(fits)
        self.assert_refused(
            2,
            "2 results files, of which --kind corner draws one; draw each by itself, or choose a kind"
            " that draws several over each other (gbees: history; gp: history, boxplot, generation,"
            " fit_time)",
            *(results, results, "--kind", "corner"),
        )
        self.assert_refused(3, "from several apps (gbees, gp)", results, fits, "--kind", "history")
        self.assert_refused(4, "no such file", results, self.path("missing.h5"))

    def panels(self, path, kind, *more):
        """The axes of a figure that are shown, and the figure."""
        plot_support.load()
        tessera_plot, tessera_results = (
            importlib.import_module(f"tessera.{name}") for name in ("plot", "results")
        )
        files = [tessera_results.load(name) for name in (path, *more)]
        try:
            drawn = tessera_plot.figure(files, kind)
        finally:
            for file in files:
                file.close()
        return [axes for axes in drawn.axes if axes.get_visible()], drawn

    def test_times_of_generations(self):
        files = []
        for name, points, factor in (("slow", [100, 400], 4.0), ("fast", [400, 900], 1.0)):
            files.append(self.path(f"{name}.h5"))
            with h5py.File(files[-1], "w") as file:
                file.attrs.update({"format": "tessera-results", "app": "gp", "backend": "serial"})
                file["input/resolved"] = "app: gp\ncovariance:\n  bins: 40\n"
                file["coordinates/points"] = points
                seconds = factor * np.outer(np.square(points), [1.0, 1.5, 0.5])
                file["results/generation_seconds"] = seconds
                file["results"].attrs["ranks"] = 1
        self.assert_drawn(files[0])
        ((axes,), _) = self.panels(files[0], "summary")
        (line,) = axes.get_lines()
        np.testing.assert_allclose(line.get_ydata(), [4e4, 64e4])
        self.assertEqual((axes.get_xscale(), axes.get_yscale()), ("log", "log"))
        labels, drawn = self.legend(files, "generation")
        self.assertEqual(labels[0], "slow, 40 bins, serial, 1 rank")
        left, right = drawn.axes
        self.assertEqual(len(left.get_lines()), 2)
        speed_up = right.get_lines()[1]
        self.assertEqual((list(speed_up.get_xdata()), list(speed_up.get_ydata())), ([400], [4]))
        self.assert_refused(3, "choose --kind generation", files[0], "--kind", "map")
        with h5py.File(files[1], "a") as file:
            file.attrs["run_status"] = "interrupted"
            file["results/generation_seconds"][...] = np.nan
        self.assert_refused(
            3, "interrupted\n  remedy: run it again", *files, "--kind", "generation"
        )

    def test_times_of_fits(self):
        files = []
        for name, points, seconds in (("a", 100, 60), ("b", 400, 600), ("c", 400, 300)):
            files.append(self.path(f"{name}.h5"))
            write_fits(files[-1], replicates=1)
            with h5py.File(files[-1], "a") as file:
                file.attrs["device_name"] = "a GPU"
                file["input/resolved"] = "app: gp\nfit:\n  method: bobyqa\n"
                file["results"].attrs["points"] = points
                kind = np.dtype([("region", "S40"), ("count", int), ("seconds", float)])
                file["timings"] = np.array([(b"tessera::gp::factor", 1, seconds)], kind)
        self.assert_drawn(*files, "--kind", "fit_time")
        ((axes,), _) = self.panels(files[0], "fit_time", *files[1:])
        of_both, other = axes.get_lines()
        np.testing.assert_allclose(of_both.get_xydata(), [[100, 1], [400, 10]])
        np.testing.assert_allclose(other.get_xydata(), [[400, 5]])
        labels = [text.get_text() for text in axes.get_legend().get_texts()]
        self.assertEqual(labels[1], "c: a GPU, bobyqa, exact K")

    def test_standard_errors_that_are_not_known(self):
        path = self.path("fit.h5")
        for known in (True, False):
            write_fits(path, replicates=1)
            with h5py.File(path, "a") as file:
                if not known:
                    file["results/theta_se"][...] = np.nan
                for name in ("distance", "pairs", "semivariance"):
                    file[f"results/variogram/{name}"] = np.arange(1.0, 4.0)
            shown, _ = self.panels(path, "summary")
            texts = [text.get_text() for axes in shown for text in axes.texts]
            self.assertEqual("std. error" in texts, known)
            self.assertNotIn("nan", texts)
            self.assertIn("truth", texts)

    def test_many_methods_in_rows(self):
        path = self.path("methods.h5")
        with h5py.File(path, "w") as file:
            file.attrs.update({"format": "tessera-results", "app": "boys"})
            file["results/x"] = np.linspace(0.1, 30, 20)
            file["results/F"] = np.ones((20, 3))
            file["results/error_relative"] = np.full((20, 3), 1e-15)
            file["results"].attrs["method"] = "two_range"
            for terms in range(1, 9):
                file[f"results/methods/taylor_{terms}/error_relative"] = np.full((20, 3), 1e-14)
        shown, drawn = self.panels(path, "errors")
        self.assertEqual(len(shown), 10)  # nine methods and the bar
        lefts = {round(axes.get_position().x0, 3) for axes in shown[:-1]}
        self.assertEqual(len(lefts), 4)
        self.assertLess(drawn.get_size_inches()[0], 15)
        self.assert_drawn(path)

    def test_the_upper_bound_of_the_integral(self):
        path = self.path("bound.h5")
        with h5py.File(path, "w") as file:
            file.attrs.update({"format": "tessera-results", "app": "bessel"})
            file["input/resolved"] = "app: bessel\nproblem:\n  tolerance: 1.0e-09\n  bins: 128\n"
            file["coordinates/bound"] = [5.0, 6.0, 7.0]
            file["results/largest_error"] = [1e-3, 1e-10, 1e-12]
            file["results/upper_bound"] = [6.0]
        self.assert_drawn(path)
        ((axes,), _) = self.panels(path, "upper_bound")
        errors, tolerance, found = axes.get_lines()
        self.assertEqual(list(errors.get_xdata()), [5, 6, 7])
        self.assertEqual(tolerance.get_ydata()[0], 1e-9)
        self.assertEqual(found.get_xdata()[0], 6)

    def test_particles_are_in_the_panels(self):
        results = self.gaussians(2)
        with h5py.File(results, "a") as file:
            places = np.zeros((2, 5, 2))
            places[1, 0] = [40, -30]
            file["results/monte_carlo/x"] = places
        shown, drawn = self.panels(results, "corner")
        self.assertGreater(shown[1].get_xlim()[1], 40)
        self.assertLess(shown[1].get_ylim()[0], -30)
        (legend,) = drawn.legends
        self.assertEqual([text.get_text() for text in legend.get_texts()], ["5 particles"])
        self.assert_drawn(results, "--kind", "corner", "--record", "0", "--record", "1")

    def test_maps_of_interrupted_runs(self):
        path = self.path("bias.h5")
        with h5py.File(path, "w") as file:
            file.attrs.update({"format": "tessera-results", "app": "stable"})
            file.attrs["run_status"] = "interrupted"
            file["coordinates/alpha"], file["coordinates/beta"] = [1.0, 1.5], [0.0, 0.5]
            for name in ("bias", "rmse"):
                values = np.arange(1.0, 17.0).reshape(2, 2, 4)
                values[1, 1] = np.nan
                file[f"results/{name}"] = values
            file["results/estimates"] = np.ones((2, 2, 3, 4))
        for kind in ("map", "box"):
            _, drawn = self.panels(path, kind)
            said = "3 of 4 distributions (the run was interrupted)"
            self.assertEqual(drawn._suptitle.get_text(), said)
        with h5py.File(path, "a") as file:
            file["results/bias"][...] = np.nan
        self.assert_refused(3, "none of its distributions is fitted", path, "--kind", "map")

    def test_pairs_stand_in_for_cells(self):
        results = self.gaussians(3, with_cells=False)
        with h5py.File(results, "a") as file:
            axis = file["coordinates/x1"][()]
            image = np.exp(-0.5 * (axis[:, None] ** 2 + axis**2))
            for i in range(3):
                file[f"results/pairs_1/x{i + 1}"] = axis
                for j in range(i + 1, 3):
                    file[f"results/pairs_1/x{i + 1}_x{j + 1}"] = image / image.sum()
        self.assert_drawn(results, "--kind", "corner")

    def test_the_state_behind_other_coordinates(self):
        results = self.gaussians(2, with_cells=False)
        self.assert_refused(3, "choose --kind corner", results, "--kind", "state")
        with h5py.File(results, "a") as file:
            axis = file["coordinates/x1"][()]
            state = file.create_group("results/state")
            state["variables"] = ["x", "y"]
            state["mean"] = file["results/mean"][()]
            for i in (1, 2):
                marginal = file[f"results/marginal_1d/x{i}"][()]
                state[f"marginal_1d/x{i}"] = marginal
                state[f"x{i}"] = np.tile(axis, (len(marginal), 1))
                state[f"x{i}"].attrs["units"] = "km"
            image = np.exp(-0.5 * (axis[:, None] ** 2 + axis**2))
            for record in range(len(marginal)):
                for i in (1, 2):
                    state[f"pairs_{record}/x{i}"] = axis
                state[f"pairs_{record}/x1_x2"] = image / image.sum()
        for kind in ("state", "panels"):
            self.assert_drawn(results, "--kind", kind)

    def test_later_format_is_refused(self):
        results = self.gaussians(1)
        for version, words in (("2.0", "formats up to 1.x"), ("x", "the results format x")):
            with h5py.File(results, "a") as file:
                file.attrs.update({"format_version": version, "software_version": "9.1.0"})
            self.assert_refused(3, words, results)
            self.assert_refused(3, "take Tessera 9.1.0, which wrote it", results)
        with h5py.File(results, "a") as file:
            file.attrs["format_version"] = "1.7"
        self.assert_drawn(results)

    def test_conjunction(self):
        results = self.gaussians(2, records=3)
        self.assert_refused(3, "is not of a run with 'task: conj", results, "--kind", "conjunction")
        with h5py.File(results, "a") as file:
            group = file["results"]
            group["message_id"] = ["one", "two", "three"]
            for name, values in {
                "probability": [1e-4, 2e-7, 0],
                "interval_low": [9e-5, 1.9e-7, 0],
                "interval_high": [1.1e-4, 2.1e-7, 1e-9],
                "plane_probability": [9.5e-5, 1e-12, np.nan],
                "plane_x": [300, 0, 1e5],
                "plane_y": [4, 2, 0],
                "plane_deviation_x": [200, 400, 1e3],
                "plane_deviation_y": [15, 0, 30],
                "hard_body_radius": [20, 20, 5],
            }.items():
                group[name] = values
        for kind in ("conjunction", "encounter", "summary"):
            self.assert_drawn(results, "--kind", kind)
        self.assert_refused(3, "no density of the least distance", results, "--kind", "approach")
        with h5py.File(results, "a") as file:
            file["results/miss_density"] = np.full((3, 50), 0.01)
            file["coordinates/miss_distance"] = np.outer([1, 2, 3], np.linspace(0, 99, 51))
            file["results/probability_history"] = np.zeros((3, 101))
            file["coordinates/history_time"] = np.outer([1, 2, 3], np.linspace(-5, 5, 101))
        self.assert_drawn(results, "--kind", "approach")

    def test_regions(self):
        results = self.gaussians(2, records=3)
        self.assert_refused(3, "looks at no regions", results, "--kind", "regions")
        with h5py.File(results, "a") as file:
            time, steps = file["results/time"][()], len(file["series/time"])
            for number, name in enumerate(("impact", "keyhole")):
                region = file.create_group(f"results/regions/{name}")
                region.attrs["number"] = number
                region["time"], region["probability"] = time, np.linspace(0, 0.5, len(time))
            file["series/regions/impact/probability"] = np.linspace(0, 0.5, steps)
            file["series/regions/impact/rate"] = np.ones(steps)
        self.assert_drawn(results, "--kind", "regions")
        with h5py.File(results, "a") as file:
            file["results/regions/impact/histogram_1/edges"] = np.linspace(0, 1, 5)
            file["results/regions/impact/histogram_1/probability"] = np.ones((2, 6))
            file["results/monte_carlo/regions"] = np.ones((3, 2))
        self.assert_drawn(results, "--kind", "regions")

    def test_panels(self):
        self.assert_drawn(self.gaussians(2, records=3), "--kind", "panels")
        self.assert_refused(3, "has one variable", self.gaussians(1), "--kind", "panels")
        self.assert_refused(
            3, "holds no pairs of record 0", self.gaussians(2, with_cells=False), "--kind", "panels"
        )

    def test_panels_with_bodies_of_tables(self):
        results = self.gaussians(2, records=3)
        with h5py.File(results, "a") as file:
            file["results/time"].attrs["units"] = "h"
            for name, at in (("moon", 9.0), ("far", 900.0)):
                file[f"results/tables/{name}/value"] = np.full((3, 2), at)
                file[f"results/tables/{name}/value"].attrs["units"] = "km"
            file["results/tables/other/value"] = np.zeros((3, 2))
        self.assert_drawn(results, "--kind", "panels")

    def test_filters(self):
        results = self.gaussians(2, records=3)
        self.assert_refused(3, "holds no filters", results, "--kind", "filters")
        with h5py.File(results, "a") as file:
            file["results/covariance"] = np.tile(np.eye(2), (3, 1, 1))
            for name in ("ukf", "particle"):
                (
                    file[f"results/filters/{name}/mean"],
                    file[f"results/filters/{name}/bhattacharyya"],
                ) = np.zeros((3, 2)), np.ones(3)
        self.assert_drawn(results, "--kind", "filters")

    def test_validation(self):
        results = self.gaussians(2, records=3)
        self.assert_refused(
            3, "holds no comparison with particles", results, "--kind", "validation"
        )
        with h5py.File(results, "a") as file:
            group = file.create_group("results/monte_carlo")
            group["mean"] = file["results/mean"][()] + 0.1
            group["covariance"] = np.stack([np.eye(2)] * 3)
            group["bhattacharyya"], group["l1"], group["bhattacharyya_kde"] = (
                [1, 0.9, 0.8],
                [0, 0.2, 0.4],
                [np.nan] * 3,
            )
        self.assert_drawn(results, "--kind", "validation")
        with h5py.File(results, "a") as file:
            group = file["results/monte_carlo"]
            group["coarsening"], group["bhattacharyya_coarse"] = [2, 4], [
                [1, 1],
                [0.95, 0.97],
                [0.9, 0.95],
            ]
        self.assert_drawn(results, "--kind", "validation")

    def test_study(self):
        self.assert_refused(3, "holds no convergence study", self.gaussians(2), "--kind", "study")
        with h5py.File(self.path("study.h5"), "w") as file:
            file.attrs.update({"format": "tessera-results", "app": "gbees"})
            for name, values in {
                "reference": [1, 0, 0, 1, 0, 0],
                "cfl": [0.1, 1, 0.5, 1, 1, 1],
                "spacing": [1, 1, 1, 0.5, 1, 0.75],
                "l1": [0, 0.2, 0.1, 0, 0.3, 0.1],
                "bhattacharyya": [1, 0.9, 0.95, 1, 0.8, 0.9],
                "cell_steps": [6, 1, 2, 8, 1, 3],
            }.items():
                file[f"results/study/{name}"] = np.array(values, dtype=float)
        self.assert_drawn(self.path("study.h5"))
        self.assert_drawn(self.path("study.h5"), "--kind", "study")

    def test_the_picture_lies_beside_the_results_by_default(self):
        self.assertEqual(plot_as_a_program(self.gaussians(2)), (0, ""))
        self.assertTrue(os.path.exists(self.path("gaussians.png")))

    def test_refusals(self):
        results = self.gaussians(2)
        self.assert_refused(4, "no such file", self.path("missing.h5"))
        self.assert_refused(2, "unknown kind 'cone'", results, "--kind", "cone")
        self.assert_refused(2, "holds records 0 to 1", results, "--record", "2")
        self.assert_refused(3, "has 2 variables", results, "--kind", "cells")
        self.assert_refused(4, "cannot write", results, "-o", self.path("missing/picture.png"))
        with open(self.path("text.h5"), "w", encoding="utf-8") as file:
            file.write("no HDF5")
        self.assert_refused(3, "is not an HDF5 file", self.path("text.h5"))
        with h5py.File(self.path("other.h5"), "w"):
            pass
        self.assert_refused(3, "not a Tessera results file", self.path("other.h5"))


if __name__ == "__main__":
    run_cases.main()
