# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-mpr from outside: cli_mpr.py EXECUTABLE. Images with gaps to filled ones with error bars;
what is wrong with data; interruption; pictures."""

import glob
import os
import re
import signal
import time

import h5py
import numpy as np

import mpr_support
import run_cases
from cli_support import FILES, INPUT, RESOURCE, ROOT, arrays, attribute
from mpr_support import FILL, MprTest, with_gaps
from plot_support import plot

INPUTS = os.path.join(ROOT, "inputs", "mpr")


def smooth(rows=60, columns=80):
    return mpr_support.smooth(rows, columns).astype(np.float32)


class Inputs(MprTest):
    def test_every_input_is_valid(self):
        paths = sorted(glob.glob(os.path.join(INPUTS, "**", "*.yaml"), recursive=True))
        self.assertGreaterEqual(len(paths), 9)
        for path in paths:
            self.succeed(path, "--validate")

    def test_sea_surface(self):
        self.succeed(os.path.join(INPUTS, "sea_surface.yaml"), "-q", "--output", "sea.h5")
        found = arrays(self.path("sea.h5"))
        status = found["results/status"]
        self.assertEqual([(status == kind).sum() for kind in range(3)], [2207, 6975, 3106])
        self.assertTrue(np.isfinite(found["results/filled"][status != 0]).all())
        np.testing.assert_allclose(found["coordinates/lat"][[0, -1]], [30, 34.75])

    def test_trend(self):
        truth = "stations.nc"
        self.succeed(
            os.path.join(INPUTS, "trend.yaml"),
            "-q",
            "--output",
            "trend.h5",
            "task=validate",
            f"validate.truth.file={os.path.join(INPUTS, truth)}",
            "validate.truth.dataset=truth",
        )
        found = arrays(self.path("trend.h5"))
        b, error = (
            found["results/trend/coefficient"].item(),
            found["results/trend/standard_error"].item(),
        )
        self.assertLess(abs(b + 0.0065), 3 * error)
        self.assertLess(error, 1e-4)
        self.assertLess(found["results/validation/mrase"].item(), 0.4)  # 1.7 without the trend
        self.assertGreater(found["results/validation/coverage95"].item(), 0.88)

    def test_quick_start(self):
        self.succeed(
            os.path.join(INPUTS, "quickstart.yaml"), "-q", "--output", "quick.h5", "--seed", "3"
        )
        found = arrays(self.path("quick.h5"))
        self.assertLess(found["results/validation/mrase"].item(), 4.5)
        self.assertGreater(found["results/validation/coverage95"].item(), 0.93)
        self.assertLess(found["results/validation/coverage95"].item(), 0.975)
        self.assertLess(
            found["results/validation/crps"].item(), 0.75 * found["results/validation/maae"].item()
        )
        self.assertAlmostEqual(found["results/validation/reliability/pit"].sum(), 1)
        sites = found["results/validation/reliability/sites"]
        coverage = (sites * found["results/validation/reliability/coverage95"]).sum() / sites.sum()
        self.assertAlmostEqual(coverage, found["results/validation/coverage95"].item())
        self.assertEqual(found["results/filled"].shape, (344, 403))
        status = found["results/status"]
        np.testing.assert_array_equal(
            found["results/filled"][status == 1], found["results/truth"][status == 1]
        )

    def test_published_tables(self):
        """A field of the paper's kind, a quarter of its size: bands of three standard deviations
        between fields around the large field's scores."""
        for mode in ("paper", "default"):
            text = (
                "app: mpr\ntask: validate\ninput: {synthetic: {size: [256, 256]}}\n"
                f"model: {{mode: {mode}}}\nvalidate: {{fraction: [0.33, 0.66], repeats: 2}}\n"
            )
            found = self.fill(text)
            mean = found["validation/maae"].mean(axis=(0, 2))
            self.assertLess(abs(mean[0] - 3.378), 0.06)
            self.assertLess(abs(mean[1] - 3.826), 0.06)
            self.assertTrue(
                (np.abs(found["validation/coverage95"] - 0.945) < 0.03).all(),
                found["validation/coverage95"],
            )


class Cases(MprTest):
    """Fields, samplings and variants of task validate."""

    TASK = "app: mpr\ntask: validate\ninput: {synthetic: {size: [48, 64]}}\nmodel: {mode: paper}\n"

    def test_fields_and_samplings(self):
        """Fields are the outer ones; a sampling does not depend on how many there are."""
        found = self.fill(self.TASK + "validate: {fields: 3, samplings: 2}\n")
        error = found["validation/mrase"]
        self.assertEqual(error.shape, (1, 1, 6))
        self.assertEqual(len(np.unique(error)), 6)
        np.testing.assert_array_equal(found["coordinates/repeat"], np.arange(6))
        of_field = [
            self.fill(self.TASK + f"validate: {{fields: {f}, samplings: 2}}\n")["truth"]
            for f in (1, 3)
        ]
        self.assertFalse(np.array_equal(*of_field))  # the last field of each
        both = self.fill(self.TASK + "validate: {fraction: [0.2, 0.5], samplings: 2}\n")
        alone = self.fill(self.TASK + "validate: {fraction: 0.2, samplings: 2}\n")
        np.testing.assert_array_equal(both["validation/mrase"][:, :1], alone["validation/mrase"])
        each = self.fill(self.TASK + "validate: {repeats: 3}\n")["validation/mrase"]
        same = self.fill(self.TASK + "validate: {fields: 3}\n")["validation/mrase"]
        np.testing.assert_array_equal(each, same)

    def test_samplings_of_a_file(self):
        self.save("data.npy", smooth())
        task = FILL + "task: validate\n"
        one = self.fill(task + "validate: {samplings: 3}\n")["validation/mrase"]
        other = self.fill(task + "validate: {repeats: 3}\n")["validation/mrase"]
        np.testing.assert_array_equal(one, other)

    def test_variants(self):
        """Each variant fills the same cases as a run of its own."""
        keys = "fraction: [0.3, 0.6], samplings: 2, backends: [serial]"
        found = self.fill(
            self.TASK + f"validate: {{{keys}, precisions: [double, single], tile_rows: [8, 32]}}\n"
        )
        self.assertEqual(
            [w.decode() for w in found["coordinates/precision"]], ["double"] * 2 + ["single"] * 2
        )
        self.assertEqual([w.decode() for w in found["coordinates/backend"]], ["serial"] * 4)
        self.assertEqual(found["coordinates/tile_rows"].tolist(), [8, 32, 8, 32])
        maae = found["validation/maae"]
        self.assertEqual(maae.shape, (4, 1, 2, 2))
        self.assertGreater(found["validation/seconds"].min(), 0)
        self.assertGreater(found["validation/transfer_seconds"].min(), 0)
        own = self.fill(
            "app: mpr\ntask: validate\ninput: {synthetic: {size: [48, 64]}}\n"
            "model: {mode: paper, precision: single}\nsimulation: {tile_rows: 32}\n"
            f"validate: {{{keys}}}\n"
        )
        np.testing.assert_array_equal(own["validation/maae"], maae[3])
        # other orders of the updates, of the same law
        mean = maae.mean(axis=(1, 3))
        np.testing.assert_allclose(mean, np.broadcast_to(mean[0], mean.shape), rtol=0.02)
        self.assertFalse(np.array_equal(maae[0], maae[2]))

    def test_what_cannot_be(self):
        for keys, *phrases in (
            ("repeats: 2, fields: 3", "'repeats'", "'fields' and 'samplings'"),
            ("tile_rows: [8, 12]", "'validate.tile_rows' holds 12", "4, 8, 16, 32 or 64"),
            ("precisions: [half]", "half", "double"),
            ("backends: [gpu]", "gpu", "serial"),
        ):
            with self.subTest(keys):
                self.refuse(INPUT, self.TASK + f"validate: {{{keys}}}\n", "run.yaml:5:", *phrases)
        self.refuse(
            INPUT,
            self.TASK + "simulation: {tile_rows: 12}\n",
            "'simulation.tile_rows' is 12",
            "4, 8, 16, 32 or 64",
        )
        self.save("data.npy", smooth())
        self.refuse(
            INPUT,
            FILL + "task: validate\nvalidate: {fields: 2}\n",
            "'fields' needs input.synthetic",
        )


class CoarseProducts(MprTest):
    """A coarse product on a fine grid."""

    def test_error_and_intervals(self):
        """Terrain of which every fourth row and column is known: less error than linear
        interpolation (16.2), and intervals that hold it."""
        terrain = np.load(os.path.join(INPUTS, "jacksboro.npy")).astype(float)[:341, :401]
        self.save("truth.npy", terrain)
        self.save("data.npy", terrain[::4, ::4])
        found = self.fill(
            "app: mpr\ntask: validate\ninput: {file: data.npy, refine: 4}\n"
            "validate: {truth: {file: truth.npy}}\n"
        )
        self.assertEqual(found["filled"].shape, terrain.shape)
        np.testing.assert_array_equal(found["filled"][::4, ::4], terrain[::4, ::4])
        self.assertLess(found["validation/mrase"].item(), 14.5)
        self.assertGreater(found["validation/coverage95"].item(), 0.94)

    def test_shapes(self):
        self.save("data.npy", np.stack([smooth(7, 9), smooth(7, 9) + 3])[:, None])
        self.save("fine.npy", np.ones((19, 25)))
        found = self.fill(
            "app: mpr\ninput: {file: data.npy, refine: 3, inactive: {file: fine.npy, inverted: true}}\n"
        )
        self.assertEqual(found["filled"].shape, (2, 1, 19, 25))
        np.testing.assert_array_equal(found["filled"][1, 0, ::3, ::3], smooth(7, 9) + 3)
        self.refuse(
            INPUT,
            "app: mpr\ninput: {file: data.npy, refine: 3, inactive: {file: data.npy}}\n",
            "give a mask of the shape of the data",
        )
        self.refuse(
            INPUT,
            f"app: mpr\ninput: {{file: {INPUTS}/sea_surface.nc,"
            " dataset: sea_surface_temperature, refine: 2}\n",
            "run.yaml:2:",
            "has coordinates, which input.refine does not put between its sites",
            ".npy",
        )


class PublishedSteps(MprTest):
    """Steps of the published method that have a choice."""

    TASK = "app: mpr\ntask: validate\ninput: {synthetic: {size: [64, 64]}}\nmodel: {mode: paper}\n"

    def test_gradients(self):
        """Those of a polynomial of any degree through the last energies, in their middle."""
        ends = {}
        for fit, degree in ((20, 1), (20, 2), (20, 3), (11, 5), (12, 9)):
            with self.subTest(fit=fit, degree=degree):
                found = self.fill(
                    self.TASK + f"simulation: {{fit_sweeps: {fit}, fit_degree: {degree}}}\n"
                )
                energy, gradient = found["series/energy"], found["series/slope"]
                (fitted,) = np.nonzero(np.isfinite(gradient))
                self.assertGreater(len(fitted), 0)
                t = np.arange(fit) - 0.5 * (fit - 1)
                for last in fitted:
                    window = energy[last + 1 - fit : last + 1]
                    slope = np.polyfit(t, window - window.mean(), degree)[-2]
                    self.assertAlmostEqual(gradient[last], slope, delta=1e-10)
                self.assertTrue((gradient[fitted[:-1]] < 0).all())
                ends[fit, degree] = fitted[-1]
        self.assertEqual(ends[20, 1], ends[20, 2])

    def test_over_relaxation(self):
        """The paper's Eq. 6 hardly tells in symmetric data, and a lot in skewed ones."""
        y, x = np.mgrid[0:96, 0:128]
        self.save("skewed.npy", np.exp(2 * np.sin(0.2 * x) * np.cos(0.15 * y)))
        error = {}
        for data in ("synthetic: {size: [96, 128]}", "file: skewed.npy"):
            for steps in ("corrected", "published"):
                found = self.fill(
                    f"app: mpr\ntask: validate\ninput: {{{data}}}\nmodel: {{mode: paper}}\n"
                    f"simulation: {{over_relaxation: {steps}}}\n"
                )
                error[data[0], steps] = found["validation/mrase"].item()
        self.assertLess(abs(error["s", "published"] / error["s", "corrected"] - 1), 0.03)
        self.assertGreater(error["f", "published"], 5 * error["f", "corrected"])

    def test_what_cannot_be(self):
        for text, *phrases in (
            (
                self.TASK + "simulation: {fit_sweeps: 4, fit_degree: 4}\n",
                "'simulation.fit_degree' is 4, but must be below fit_sweeps, 4",
            ),
            (
                self.TASK.replace("mode: paper", "mode: default")
                + "simulation: {over_relaxation: published}\n",
                "'published' is of mode 'paper'",
            ),
            (
                self.TASK.replace("mode: paper", "mode: paper, curvature: 1")
                + "simulation: {over_relaxation: published}\n",
                "'published' is of mode 'paper', without curvature",
            ),
        ):
            with self.subTest(text):
                self.refuse(INPUT, text, "run.yaml:5:", *phrases)


class Filling(MprTest):
    def test_samples_are_untouched_and_missing_values_filled(self):
        truth = smooth()
        data, mask = with_gaps(truth)
        self.save("data.npy", data)
        found = self.fill(
            FILL + "output: {quantiles: [0.025, 0.975], exceedance: [10], ensemble: 3}\n"
        )
        self.assertEqual(found["filled"].dtype, np.float32)
        self.assertEqual(found["filled"][~mask].tobytes(), data[~mask].tobytes())
        self.assertTrue(np.isfinite(found["filled"]).all())
        self.assertLess(np.sqrt(np.mean((found["filled"] - truth)[mask] ** 2)), 0.1)
        self.assertTrue((found["std"][mask] > 0).all() and (found["std"][~mask] == 0).all())
        self.assertTrue(
            (found["mc_error"][mask] > 0).all() and (found["mc_error"][~mask] == 0).all()
        )
        self.assertTrue((found["mc_error"][mask] < 0.05 * found["std"][mask]).all())
        self.assertTrue((found["quantile_0.025"][mask] < found["mean"][mask]).all())
        self.assertTrue((found["quantile_0.975"][mask] > found["mean"][mask]).all())
        self.assertTrue(((found["exceedance_10"] >= 0) & (found["exceedance_10"] <= 1)).all())
        self.assertEqual(found["ensemble"].shape, (3,) + truth.shape)
        self.assertEqual(found["ensemble"][1][~mask].tobytes(), data[~mask].tobytes())
        series = {name: values for name, values in found.items() if name.startswith("series/")}
        self.assertEqual(
            set(series),
            {f"series/{n}" for n in ("sweep", "energy", "acceptance", "step_control", "slope")},
        )
        self.assertEqual(len({len(values) for values in series.values()}), 1)

    def test_masks(self):
        truth = smooth()
        truth[5, 5] = -9999
        mask = np.zeros(truth.shape, bool)
        mask[10:20, 10:20] = True
        land = np.zeros(truth.shape, np.int8)
        land[30:, 60:] = 1
        truth[30:, 60:] = 777.25
        self.save("data.npy", truth)
        self.save("mask.npy", mask)
        self.save("land.npy", land)
        found = self.fill(
            "app: mpr\ninput:\n  file: data.npy\n  missing_value: -9999\n  mask: {file: mask.npy}\n  inactive: {file: land.npy}\n"
        )
        missing = mask.copy()
        missing[5, 5] = True
        np.testing.assert_array_equal(
            found["status"], np.where(land != 0, 0, np.where(missing, 2, 1))
        )
        self.assertEqual(found["filled"][~missing].tobytes(), truth[~missing].tobytes())
        self.assertTrue(
            (np.abs(found["filled"][missing] - 10) < 4).all(), "land leaked into the sea"
        )
        self.assertTrue(np.isnan(found["mean"][land != 0]).all())

    def test_the_same_bits_for_any_number_of_threads(self):
        self.save("data.npy", with_gaps(smooth())[0])
        for threads in (1, 2):
            self.fill(FILL, "--seed", "4", name=f"run{threads}", threads=threads)
        self.assert_same_bits("run1.h5", "run2.h5")
        other = self.fill(FILL, "--seed", "5", name="other")
        self.assertNotEqual(
            other["mean"].tobytes(), arrays(self.path("run1.h5"))["results/mean"].tobytes()
        )

    def test_stacks_and_frames(self):
        base = smooth(30, 40)
        stack = np.stack([base + 0.2 * k for k in range(6)])
        data, mask = with_gaps(stack, 0.5)
        self.save("data.npy", data)
        frames = self.fill(FILL)
        coupled = self.fill("app: mpr\ninput: {file: data.npy, third_axis: coupled}\n")
        errors = [
            np.sqrt(np.mean((found["filled"] - stack)[mask] ** 2)) for found in (frames, coupled)
        ]
        self.assertLess(errors[1], errors[0], "neighbouring layers say something")
        self.assertEqual(len(frames["frames/temperature"]), 6)
        for found in (frames, coupled):
            self.assertEqual(found["filled"][~mask].tobytes(), data[~mask].tobytes())

    def test_far_sites_stay_empty(self):
        data = smooth()
        data[20:50, 20:60] = np.nan
        self.save("data.npy", data)
        found = self.fill(FILL + "output: {max_gap_distance: 4}\n")
        self.assertTrue(np.isnan(found["filled"][35, 40]))
        self.assertTrue(np.isfinite(found["filled"][21, 40]))

    def test_local_temperature(self):
        truth = smooth()
        truth[:, 40:] += np.random.default_rng(2).normal(0, 0.6, (60, 40)).astype(np.float32)
        data, mask = with_gaps(truth)
        self.save("data.npy", data)
        found = self.fill(FILL + "model: {local_temperature: true, window: 8}\n")
        rough, calm = (
            found["std"][:, 45:][mask[:, 45:]].mean(),
            found["std"][:, :35][mask[:, :35]].mean(),
        )
        self.assertGreater(rough, 2 * calm)

    def test_unconditional_simulation(self):
        found = self.fill(
            "app: mpr\ntask: simulate\nmodel: {precision: double}\nsimulate: {size: [32, 32], temperatures: [0.1, 0.5, 2.0], sweeps: 4000}\n"
        )
        np.testing.assert_allclose(
            found["specific_energy"], [-0.9740, -0.8671, -0.6260], atol=2.5e-3
        )

    def test_synthetic_field(self):
        self.write("run.yaml", "app: mpr\ntask: synthesize\ninput: {synthetic: {size: [64, 96]}}\n")
        self.succeed("run.yaml", "-q")
        with h5py.File(self.path("run.h5")) as file:
            field = file["results/field"][()]
        self.assertEqual(field.shape, (64, 96))
        self.assertLess(abs(field.mean() - 50), 6)
        self.assertLess(abs(field.std() - 10), 3)


class Validation(MprTest):
    """Scores of task validate."""

    TRUTH = (
        "app: mpr\ntask: validate\ninput: {file: data.npy}\nvalidate: {truth: {file: truth.npy}}\n"
    )

    def rough(self):
        """A skewed field with wide and narrow gaps."""
        field = np.exp(
            smooth(120, 160)
            - 10
            + np.random.default_rng(3).normal(0, 0.2, (120, 160)).astype(np.float32)
        )
        data, mask = with_gaps(field, 0.2)
        data[40:80, 50:90] = np.nan
        mask[40:80, 50:90] = True
        return field, data, mask

    def test_a_truth_that_is_given(self):
        truth, data, mask = self.rough()
        truth[50, 60] = np.nan
        self.save("data.npy", data)
        self.save("truth.npy", truth)
        found = self.fill(self.TRUTH + "output: {ensemble: 20}\n")
        compared = mask & ~np.isnan(truth)
        error, spread = (found["mean"] - truth)[compared].astype(float), found["std"][
            compared
        ].astype(float)
        self.assertAlmostEqual(found["validation/mrase"].item(), np.sqrt(np.mean(error**2)), 4)
        self.assertAlmostEqual(
            found["validation/coverage95"].item(), np.mean(np.abs(error) <= 1.959964 * spread), 3
        )
        self.assertAlmostEqual(found["coordinates/fraction"].item(), mask.mean())
        classes = {
            name: found[f"validation/reliability/{name}"]
            for name in ("sites", "distance_error", "distance_spread", "distance_crps")
        }
        self.assertEqual(classes["sites"].sum(), compared.sum())
        self.assertAlmostEqual(
            np.sqrt((classes["sites"] * classes["distance_error"] ** 2).sum() / compared.sum()),
            found["validation/mrase"].item(),
            6,
        )
        members = np.sort(found["ensemble"][:, compared].astype(float), axis=0)
        near = np.abs(members - truth[compared]).mean(axis=0)
        apart = np.abs(members[:, None] - members[None]).sum(axis=(0, 1)) / (2 * 20 * 19)
        self.assertAlmostEqual(found["validation/crps_ensemble"].item(), np.mean(near - apart), 4)
        self.assertLess(
            abs(found["validation/crps_ensemble"].item() / found["validation/crps"].item() - 1), 0.1
        )
        self.fill(FILL, name="fill")
        self.assertEqual(
            arrays(self.path("fill.h5"))["results/mean"].tobytes(), found["mean"].tobytes()
        )

    def test_quantiles_follow_their_law(self):
        truth, data, mask = self.rough()
        self.save("data.npy", data)
        self.save("truth.npy", truth)
        maps = "output: {quantiles: [0.025, 0.5, 0.975], quantile_law: LAW}\n"
        normal, empirical = (
            self.fill(self.TRUTH + maps.replace("LAW", law), name=law)
            for law in ("normal", "empirical")
        )
        z = (normal["quantile_0.975"] - normal["mean"])[mask] / normal["std"][mask]
        np.testing.assert_allclose(z, 1.959964, rtol=2e-3)
        filled = self.fill(FILL + maps.replace("LAW", "empirical"), name="fill")
        np.testing.assert_array_equal(filled["quantile_0.975"], empirical["quantile_0.975"])
        self.assertGreater(
            np.abs(empirical["quantile_0.025"] - normal["quantile_0.025"])[mask].max(), 0.01
        )
        share = empirical["validation/reliability/quantile_share"]
        np.testing.assert_allclose(
            share,
            [np.mean(truth[mask] <= empirical[f"quantile_{p}"][mask]) for p in (0.025, 0.5, 0.975)],
            atol=1e-3,
        )
        self.assertLess(np.abs(share - [0.025, 0.5, 0.975])[[0, 2]].max(), 0.03)

    def test_truths_that_do_not_fit(self):
        truth, data, mask = self.rough()
        self.save("data.npy", data)
        self.save("truth.npy", truth[:-1])
        self.refuse(
            INPUT,
            self.TRUTH,
            "run.yaml:4:",
            "the truth 'truth.npy' has the shape 119 x 160, the data 120 x 160",
        )
        self.save("truth.npy", np.where(mask, np.nan, truth))
        self.refuse(
            INPUT,
            self.TRUTH,
            "run.yaml:4:",
            f"has no value for any of the {mask.sum()} missing sites",
            "remedy: give data with gaps",
        )
        self.save("truth.npy", np.where(mask, np.inf, truth))
        self.refuse(INPUT, self.TRUTH, "run.yaml:4:", "infinite value")
        self.refuse(FILES, self.TRUTH.replace("truth.npy", "nothing.npy"), "nothing.npy")
        self.refuse(
            INPUT,
            self.TRUTH.replace("truth: {file: truth.npy}", "truth: {dataset: a}"),
            "run.yaml:4:",
            "'truth' needs 'file'",
        )
        self.refuse(
            INPUT,
            self.TRUTH.replace("}}", "}, fraction: [0.2]}"),
            "run.yaml:4:",
            "'fraction' says what is taken away: give either it or 'truth'",
        )
        self.refuse(
            INPUT,
            self.TRUTH.replace("file: data.npy", "synthetic: {}"),
            "run.yaml:4:",
            "'truth' needs data with gaps in input.file",
        )


class Transforms(MprTest):
    """Skewed data."""

    def transform(self, name):
        with h5py.File(self.path(name)) as file:
            value = file["results"].attrs["transform"]
        return value.decode() if isinstance(value, bytes) else value

    def skewed(self, blocks=False):
        z = np.exp(
            1.5 * (smooth(120, 160) - 10)
            + np.random.default_rng(3).normal(0, 0.3, (120, 160)).astype(np.float32)
        )
        data, mask = with_gaps(z, 0.3)
        return z, data, mask

    def test_logarithm(self):
        """The law of the logarithm, and mean and standard deviation of the values by the closed
        form."""
        truth, data, mask = self.skewed()
        self.save("data.npy", data)
        self.save("data_log.npy", np.log(data.astype(float)))
        maps = "output: {quantiles: [0.1, 0.9], exceedance: [THRESHOLD], ensemble: 4}\n"
        found = self.fill(FILL + "model: {transform: log}\n" + maps.replace("THRESHOLD", "2"))
        law = self.fill(
            FILL.replace("data.npy", "data_log.npy")
            + maps.replace("THRESHOLD", repr(float(np.log(2)))),
            name="law",
        )
        m, s = law["mean"][mask].astype(float), law["std"][mask].astype(float)
        self.assertEqual(self.transform("run.h5"), "log")
        np.testing.assert_allclose(found["mean"][mask], np.exp(m + s**2 / 2), rtol=1e-4)
        np.testing.assert_allclose(
            found["std"][mask], np.exp(m + s**2 / 2) * np.sqrt(np.expm1(s**2)), rtol=1e-3
        )
        with h5py.File(self.path("law.h5")) as file:
            of_spread = (
                np.exp(m + s**2 / 2)
                * s**2
                / np.sqrt(2 * file["results"].attrs["equilibrium_sweeps"])
            )
        np.testing.assert_allclose(
            found["mc_error"][mask],
            np.hypot(of_spread, np.exp(m + s**2 / 2) * law["mc_error"][mask]),
            rtol=0.02,
        )
        for name in ("quantile_0.1", "quantile_0.9"):
            np.testing.assert_allclose(
                found[name][mask], np.exp(law[name][mask].astype(float)), rtol=1e-4
            )
        np.testing.assert_allclose(
            found["exceedance_2"][mask], law["exceedance_0.693147"][mask], atol=1e-4
        )
        np.testing.assert_allclose(
            found["ensemble"][:, mask], np.exp(law["ensemble"][:, mask].astype(float)), rtol=1e-4
        )
        self.assertEqual(found["filled"][~mask].tobytes(), data[~mask].tobytes())
        self.assertTrue((found["ensemble"] > 0).all() and (found["quantile_0.1"] > 0).all())
        np.testing.assert_allclose(
            np.log([found["frames/low"], found["frames/high"]]),
            [law["frames/low"], law["frames/high"]],
            rtol=1e-5,
        )

    def test_scores_in_the_units_of_the_values(self):
        truth, data, mask = self.skewed()
        self.save("data.npy", data)
        self.save("truth.npy", truth)
        text = Validation.TRUTH + "model: {transform: KIND}\n"
        plain, log, score, chosen = (
            self.fill(text.replace("KIND", kind), name=kind)
            for kind in ("none", "log", "normal_score", "auto")
        )
        for found in (log, score):
            self.assertLess(found["validation/crps"].item(), 0.9 * plain["validation/crps"].item())
            self.assertLess(abs(found["validation/coverage95"].item() - 0.95), 0.02)
            error = (found["mean"] - truth)[mask].astype(float)
            self.assertAlmostEqual(
                found["validation/mrase"].item(), np.sqrt(np.mean(error**2)), 3
            )
            self.assertLess(np.abs(found["validation/reliability/pit"] - 0.05).max(), 0.02)
        self.assertIn(self.transform("auto.h5"), ("log", "normal_score"))
        trials = {
            name: chosen[f"transform/{name}"] for name in ("transform", "distance", "crps", "error")
        }
        np.testing.assert_array_equal(trials["transform"], [0, 1, 2])
        self.assertLess(trials["crps"][1], 0.98 * trials["crps"][0])
        self.assertEqual(self.transform("none.h5"), "none")

    def test_normal_scores_stay_within_the_samples(self):
        truth, data, mask = self.skewed()
        data = np.maximum(data - 0.5, 0)
        self.save("data.npy", data)
        found = self.fill(
            FILL
            + "model: {transform: normal_score}\noutput: {ensemble: 5, quantiles: [0.001, 0.999]}\n"
        )
        low, high = np.nanmin(data), np.nanmax(data)
        for name in ("filled", "ensemble", "quantile_0.001", "quantile_0.999"):
            self.assertTrue(((found[name] >= low) & (found[name] <= high)).all(), name)
        self.assertTrue((found["std"][mask] >= 0).all())

    def test_logarithms_of_what_has_none(self):
        truth, data, mask = self.skewed()
        data[3, 4] = data[7, 2] = 0
        self.save("data.npy", data)
        for task in ("fill", "validate"):
            self.refuse(
                INPUT,
                f"app: mpr\ntask: {task}\ninput: {{file: data.npy}}\nmodel: {{transform: log}}\n",
                "run.yaml:4:20: error:",
                "'data.npy' holds 2 samples that have no logarithm; the first is 0 (row 3, column 4)",
                "transform: normal_score",
            )
        self.fill("app: mpr\ninput: {file: data.npy, missing_value: 0}\nmodel: {transform: log}\n")
        self.refuse(
            INPUT,
            FILL + "model: {transform: log, background: {file: data.npy}}\n",
            "run.yaml:3:",
            "give either 'transform' or 'background'",
        )


class Netcdf(MprTest):
    def test_coordinates_and_attributes_survive(self):
        truth = smooth(20, 30)
        data, mask = with_gaps(truth)
        packed = np.where(mask, -32768, np.round((data - 10) / 0.001)).astype(np.int16)
        with h5py.File(self.path("data.nc"), "w") as file:
            for name, size, unit in (("lat", 20, "degrees_north"), ("lon", 30, "degrees_east")):
                file[name] = np.linspace(10, 20, size)
                file[name].attrs["units"] = unit
                file[name].make_scale(name)
            file["sst"] = packed
            file["sst"].attrs.update(
                {
                    "_FillValue": np.int16(-32768),
                    "scale_factor": 0.001,
                    "add_offset": 10.0,
                    "units": "degC",
                    "standard_name": "sst",
                }
            )
            file["sst"].dims[0].attach_scale(file["lat"])
            file["sst"].dims[1].attach_scale(file["lon"])
            file["cloud"] = np.zeros((20, 30), np.int8)
        self.fill(
            "app: mpr\ninput: {file: data.nc, dataset: sst, mask: {file: data.nc, dataset: cloud}}\n"
        )
        with h5py.File(self.path("run.h5")) as file:
            np.testing.assert_array_equal(file["coordinates/lat"], np.linspace(10, 20, 20))
            self.assertEqual(file["coordinates/lon"].attrs["units"], "degrees_east")
            self.assertEqual(file["results/filled"].attrs["units"], "degC")
            self.assertEqual(file["results/filled"].attrs["standard_name"], "sst")
            filled = file["results/filled"][()]
        np.testing.assert_allclose(filled[~mask], (packed * 0.001 + 10)[~mask], rtol=4e-16)
        self.assertTrue(np.isfinite(filled).all())


class Raster(MprTest):
    def test_geotiff_there_and_back(self):
        data, mask = with_gaps(smooth(20, 30))
        self.save("data.npy", data)
        self.write("run.yaml", FILL + "output: {geotiff: out.tif}\n")
        outcome = self.call("run.yaml", "-q", "--force")
        if "lacks" in outcome.err:
            self.skipTest("built without GDAL")
        self.assertEqual(outcome.status, 0, outcome.err)
        self.save("mask.npy", mask)
        found = self.fill(
            "app: mpr\ninput: {file: out.tif, mask: {file: mask.npy}}\n", name="again"
        )
        self.assertEqual(found["filled"][~mask].tobytes(), data[~mask].tobytes())


class Refusals(MprTest):
    def test_data_that_cannot_be_filled(self):
        self.save("data.npy", np.full((5, 6), np.nan, np.float32))
        self.refuse(
            INPUT, FILL, "the data have no sample", "30 sites are missing", "input.missing_value"
        )
        checker = np.where(
            np.indices((6, 6)).sum(axis=0) % 2 == 0, np.arange(36.0).reshape(6, 6), np.nan
        )
        self.save("data.npy", checker)
        self.refuse(
            INPUT,
            FILL + "model: {mode: paper}\n",
            "no two samples next to each other",
            "model.temperature",
            "mode default",
        )
        self.fill(FILL + "model: {mode: paper, temperature: 0.05}\n")
        found = self.fill()  # by the temperature of greatest evidence
        self.assertGreater(found["std"][np.isnan(checker)].min(), 0)
        bad = smooth(5, 6)
        bad[2, 3] = np.inf
        self.save("data.npy", bad)
        self.refuse(INPUT, FILL, "infinite value", "row 2, column 3")
        self.save("data.npy", np.arange(7.0))
        self.refuse(INPUT, FILL, "has the shape 7")

    def test_defined_results(self):
        one = np.full((6, 7), np.nan)
        one[2, 2] = 3.25
        constant = np.full((6, 7), 2.5)
        constant[1:3, 2:5] = np.nan
        for data, value in ((one, 3.25), (constant, 2.5)):
            self.save("data.npy", data)
            found = self.fill()
            np.testing.assert_array_equal(found["filled"], np.full((6, 7), value))
            self.assertEqual(np.abs(found["std"]).max(), 0)
        wide = np.full((40, 48), 5.0)
        wide[:, 20:28] = np.nan  # so wide that exact draws fill it
        self.save("data.npy", wide)
        self.save("background.npy", np.full((40, 48), 3.0))
        for model in ("{}", "{noise: 0.1}", "{background: {file: background.npy}}"):
            with self.subTest(model=model):
                found = self.fill(FILL + f"model: {model}\noutput: {{ensemble: 3}}\n")
                for name, shape in (
                    ("filled", (40, 48)),
                    ("mean", (40, 48)),
                    ("ensemble", (3, 40, 48)),
                ):
                    np.testing.assert_array_equal(found[name], np.full(shape, 5.0), name)
                np.testing.assert_array_equal(found["std"], np.zeros((40, 48)))
        whole = smooth(6, 7)
        self.save("data.npy", whole)
        self.assertEqual(self.fill()["filled"].tobytes(), whole.tobytes())
        rows = smooth(20, 30)
        rows[4] = np.nan
        rows[:, 7] = np.nan
        self.save("data.npy", rows)
        self.assertTrue(np.isfinite(self.fill()["filled"]).all())

    def test_few_samples(self):
        """Of which intervals are known to be too narrow."""
        rng = np.random.default_rng(4)
        field = smooth(64, 64)
        for missing, is_told in ((0.97, True), (0.8, False)):
            self.save("data.npy", np.where(rng.random((64, 64)) < missing, np.nan, field))
            self.write("input.yaml", FILL)
            err = self.succeed("input.yaml", "--force", "-q").err
            self.assertEqual("tell little of how values vary" in err, is_told, err)

    def test_masks_and_files(self):
        self.save("data.npy", smooth(5, 6))
        self.save("mask.npy", np.zeros((4, 6), bool))
        self.refuse(
            INPUT,
            "app: mpr\ninput: {file: data.npy, mask: {file: mask.npy}}\n",
            "the mask",
            "has the shape 4 x 6, the data 5 x 6",
        )
        self.refuse(FILES, "app: mpr\ninput: {file: nothing.npy}\n", "nothing.npy")

    def test_files_are_read_with_the_input(self):
        """--validate finds what is wrong in them, and where the input names them."""
        self.save("data.npy", smooth(5, 6))
        self.save("line.npy", np.arange(7.0))
        self.save("mask.npy", np.zeros((4, 6), bool))
        bad = smooth(5, 6)
        bad[2, 3] = np.inf
        self.save("bad.npy", bad)
        with h5py.File(self.path("data.h5"), "w") as file:
            file["deep/sst"] = smooth(5, 6)
            file["name"] = [b"a", b"b"]
            file["deep/all"] = file["/"]  # a group that holds itself
        self.write("words.npy", "no array")
        for status, text, phrases in (
            (FILES, "{file: nothing.npy}", ("cannot read 'nothing.npy'", "No such file")),
            (INPUT, "{file: words.npy}", ("run.yaml:2:15: error:", "words.npy", "not a .npy file")),
            (INPUT, "{file: line.npy}", ("run.yaml:2:15: error:", "has the shape 7")),
            (
                INPUT,
                "{file: bad.npy}",
                (
                    "run.yaml:2:15: error: 'bad.npy' holds an infinite value (row 2, column 3)",
                    "remedy: mark it as missing",
                ),
            ),
            (
                INPUT,
                "{file: data.h5}",
                ("run.yaml:2:15: error: data.h5: no dataset named", "choose one of: deep/"),
            ),
            (
                INPUT,
                "{file: data.h5, dataset: sst}",
                (
                    "run.yaml:2:15: error: data.h5: there is no dataset 'sst'",
                    "choose one of: deep/",
                ),
            ),
            (FILES, "{file: data.h5, dataset: name}", ("data.h5:/name", "it holds text")),
            (
                INPUT,
                "{file: data.npy, mask: {file: mask.npy}}",
                ("run.yaml:2:38: error: the mask 'mask.npy' has the shape 4 x 6, the data 5 x 6",),
            ),
            (FILES, "{file: data.npy, mask: {file: nothing.npy}}", ("nothing.npy",)),
            (
                INPUT,
                "{file: data.npy, inactive: {file: data.h5, dataset: sst}}",
                ("run.yaml:2:42: error: data.h5: there is no dataset 'sst'",),
            ),
            (
                INPUT,
                "{file: data.npy, mask: {inverted: true}}",
                ("run.yaml:2:", "a mask needs 'file'"),
            ),
        ):
            with self.subTest(text):
                self.write("run.yaml", f"app: mpr\ninput: {text}\n")
                self.assert_mentions(self.call("run.yaml", "--validate"), status, *phrases)
        self.write(
            "run.yaml",
            "app: mpr\ninput: {file: data.h5, dataset: deep/sst, mask: {file: data.h5, dataset: deep/sst}}\n",
        )
        self.succeed("run.yaml", "--validate")

    def test_groups_that_hold_each_other(self):
        """The walk for the datasets to choose from ends."""
        with h5py.File(self.path("data.h5"), "w") as file:
            groups = [file.create_group(f"g{i}") for i in range(40)]
            for group in groups:
                for i, other in enumerate(groups):
                    group[f"to{i}"] = other
            file["z"] = smooth(5, 6)
        self.refuse(INPUT, "app: mpr\ninput: {file: data.h5}\n", "data.h5: no dataset named")

    def test_input_files(self):
        self.refuse(INPUT, "app: mpr\n", "'input' needs 'file' or 'synthetic'")
        self.refuse(
            INPUT,
            FILL + "model: {padding: 0.1, q: 0.4}\n",
            "run.yaml:3:",
            "give either 'q' or 'padding', not both",
        )
        self.refuse(
            INPUT,
            FILL + "model: {curvatur: 1}\n",
            "run.yaml:3:9: error: unknown key 'curvatur' in 'model' (did you mean 'curvature'?)",
        )
        self.refuse(INPUT, FILL + "simulation: {replicas: 0}\n", "replicas")

    def test_other_names(self):
        """Some keys have two names."""
        self.save("data.npy", with_gaps(smooth(20, 30))[0])
        former = self.fill(
            FILL + "simulation: {relaxation_sweeps: 7, equilibrium_sweeps: 9}\n", name="former"
        )
        today = self.fill(
            FILL + "simulation: {burn_in_sweeps: 7, sampling_sweeps: 9}\n", name="today"
        )
        self.assertEqual(len(former["series/energy"]), 16)
        self.assertEqual(former["mean"].tobytes(), today["mean"].tobytes())
        self.refuse(
            INPUT,
            FILL + "simulation: {relaxation_sweeps: 7, burn_in_sweeps: 7}\n",
            "'relaxation_sweeps' is another name of 'burn_in_sweeps': give only one of them",
        )
        self.refuse(INPUT, FILL + "simulation: {relaxation_sweeps: -1}\n", "relaxation_sweeps")
        with h5py.File(self.path("data.h5"), "w") as file:
            file["sst"], file["land"] = with_gaps(smooth(20, 30))[0], (smooth(20, 30) > 11).astype(
                np.int8
            )
        former = self.fill(
            "app: mpr\ninput: {file: data.h5, variable: sst, inactive: {file: data.h5, variable: land}}\n",
            name="former",
        )
        today = self.fill(
            "app: mpr\ninput: {file: data.h5, dataset: sst, inactive: {file: data.h5, dataset: land}}\n",
            name="today",
        )
        self.assertTrue((former["status"] == 0).any())
        self.assertEqual(former["mean"].tobytes(), today["mean"].tobytes())
        self.refuse(
            INPUT,
            "app: mpr\ninput: {file: data.h5, variable: sst, dataset: sst}\n",
            "run.yaml:2:",
            "'variable' is another name of 'dataset': give only one of them",
        )

    def test_too_large(self):
        self.save("data.npy", smooth(200, 300))
        self.refuse(
            RESOURCE, FILL + "run: {memory_limit: 1}\n", "the run needs", "run.memory_limit"
        )


class Memory(MprTest):
    def test_no_more_than_it_said(self):
        """Images with gaps that are narrow, wide and very wide, and a stack whose windows are cut
        to several at a time."""
        image, stack = smooth(640, 560), np.array([smooth(130, 130) + 0.1 * z for z in range(32)])
        fields = {
            "narrow": with_gaps(image)[0],
            "wide": image.copy(),
            "very wide": image.copy(),
            "stack": stack,
        }
        fields["wide"][100:160, 50:120] = fields["very wide"][50:250, 100:300] = np.nan
        for z in range(32):
            stack[z, 20 + z : 60 + z, 30:70] = np.nan
        for name, field in fields.items():
            with self.subTest(name):
                self.save("data.npy", field[None].astype("f4"))
                self.write(
                    "run.yaml",
                    "app: mpr\ninput: {file: data.npy, third_axis: coupled}\nsimulation: {draws: 8}\n",
                )
                err = self.succeed("run.yaml", "--force", "--backend", "serial").err
                told, taken = (
                    float(re.search(rf"{words} ([0-9.]+) MB", err).group(1))
                    for words in ("needs at most", "peak memory: Host")
                )
                self.assertGreaterEqual(told, taken, err)


class Lists(MprTest):
    def test_every_spelling(self):
        """Lists, ranges and columns of files stand for the same numbers."""
        task = "app: mpr\ntask: simulate\nsimulate: {size: [8, 8], sweeps: 5, temperatures: "
        self.write("warm.csv", "t\n0.5\n1.25\n2\n")
        for spelling in (
            "[0.5, 1.25, 2]",
            "{linspace: [0.5, 2, 3]}",
            "{file: warm.csv, column: t}",
        ):
            found = self.fill(task + spelling + "}\n")
            np.testing.assert_array_equal(found["coordinates/temperature"], [0.5, 1.25, 2])
        task = "app: mpr\ntask: validate\ninput: {synthetic: {}}\n"
        found = self.fill(
            task
            + "validate: {fraction: {linspace: [0.25, 0.75, 3]}, sizes: {logspace: [16, 64, 3]}}\n"
            "output: {quantiles: {linspace: [0.25, 0.75, 2]}, exceedance: 50}\n"
        )
        np.testing.assert_array_equal(found["coordinates/fraction"], [0.25, 0.5, 0.75])
        np.testing.assert_array_equal(found["coordinates/size"], [16, 32, 64])
        self.assertLessEqual({"quantile_0.25", "quantile_0.75", "exceedance_50"}, set(found))
        found = self.fill(
            task + "validate: {sizes: [16]}\noutput: {quantiles: [], exceedance: []}\n"
        )
        np.testing.assert_array_equal(found["coordinates/fraction"], [0.33])

    def test_numbers_that_cannot_be(self):
        task = "app: mpr\ntask: validate\ninput: {synthetic: {}}\n"
        for text, phrases in (
            (
                "app: mpr\ntask: simulate\nsimulate: {temperatures: [0.5, -1]}\n",
                (
                    "run.yaml:3:32:",
                    "number 2 of 'simulate.temperatures' is -1, but must be greater than 0",
                ),
            ),
            (
                "app: mpr\ntask: simulate\nsimulate: {temperatures: {linspace: [0, 1, 3]}}\n",
                ("run.yaml:3:", "number 1 of 'simulate.temperatures' is 0"),
            ),
            (
                task + "validate: {fraction: [0.5, 1]}\n",
                (
                    "run.yaml:4:",
                    "number 2 of 'validate.fraction' is 1, but must be between 0.001 and 0.999",
                ),
            ),
            (
                task + "validate: {sizes: {linspace: [16, 20, 4]}}\n",
                ("run.yaml:4:", "'validate.sizes'", "a whole number from 8 to 32768"),
            ),
            (
                task + "output: {quantiles: {linspce: [0.1, 0.9, 3]}}\n",
                (
                    "run.yaml:4:",
                    "unknown key 'linspce' in 'output.quantiles' (did you mean 'linspace'?)",
                ),
            ),
            (task + "output: {exceedance: [high]}\n", ("run.yaml:4:", "high")),
        ):
            with self.subTest(text):
                self.write("run.yaml", text)
                self.assert_mentions(self.call("run.yaml", "--validate"), INPUT, *phrases)
        self.write("gap.csv", "q\n0.5\n\nNaN\n")
        self.write("run.yaml", task + "output: {quantiles: {file: gap.csv}}\n")
        self.assert_mentions(
            self.call("run.yaml", "--validate"),
            INPUT,
            "number 2 of 'output.quantiles' is",
            "but must be between",
        )


class Precision(MprTest):
    def test_results_say_it(self):
        self.save("data.npy", with_gaps(smooth(20, 30))[0])
        for task in (
            "",
            "task: validate\n",
            "task: simulate\nsimulate: {size: [16, 16], sweeps: 10}\n",
        ):
            for precision in ("single", "double"):
                self.fill(FILL + task, f"model.precision={precision}")
                self.assertEqual(attribute(self.path("run.h5"), "precision"), precision)
        self.fill(FILL)
        self.assertEqual(attribute(self.path("run.h5"), "precision"), "single", "the default")


class RestartFiles(MprTest):
    def setUp(self):
        super().setUp()
        self.data = with_gaps(smooth(100, 150))[0]
        self.save("data.npy", self.data)
        self.write(
            "run.yaml",
            FILL + "model: {curvature: 0, calibrate: false, anisotropy: equal}\n"
            "simulation: {sampling_sweeps: 4000}\noutput: {ensemble: 3}\n",
        )
        self.restart = self.killed_run("run")

    def test_other_data(self):
        self.save("data.npy", self.data + 1)
        self.assert_mentions(
            self.call("run.yaml", "-q", "--restart", self.restart),
            INPUT,
            "cannot continue from 'run.restart.h5': 'data.npy' has changed since that run read it",
        )

    def test_arrays_of_other_lengths(self):
        self.assert_arrays_are_checked(self.restart, "run.yaml")

    def test_sweeps_that_the_run_lacks(self):
        for value in (2**32 - 1, 10**6, 5000):

            def alter(file, value=value):
                file["state/chains/sweep"][...] = value

            with self.subTest(sweep=value):
                self.assert_mentions(
                    self.call("run.yaml", "-q", "--restart", self.altered(self.restart, alter)),
                    FILES,
                    "altered.restart.h5",
                    "start again",
                )
        for name, value in (
            ("sampling_sweeps", 4001),
            ("sampling_sweeps", -1),
            ("burn_in_sweeps", -1),
            ("members", 4),
            ("samples", 10**9),
        ):

            def alter(file, name=name, value=value):
                file["state"].attrs[name] = value

            with self.subTest(name=name, value=value):
                self.assert_mentions(
                    self.call("run.yaml", "-q", "--restart", self.altered(self.restart, alter)),
                    FILES,
                    "altered.restart.h5",
                    "start again",
                )


class Interruption(MprTest):
    def test_continues_with_the_same_bits(self):
        self.save("data.npy", with_gaps(smooth(200, 300))[0])
        long = (
            FILL
            + "model: {curvature: 0, calibrate: false, anisotropy: equal}\nsimulation: {sampling_sweeps: 4000}\n"
        )
        self.write("whole.yaml", long)
        self.write("run.yaml", long)
        self.succeed("whole.yaml", "-q")
        process = self.start("run.yaml")
        # signals are watched from before this line on
        while "needs at most" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        if process.returncode == 0:
            self.skipTest("the run had ended before the signal")
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
        self.assertEqual(attribute(self.path("run.h5"), "run_status"), "interrupted")
        self.assert_mentions(
            self.call(
                "run.yaml", "-q", "--force", "--restart", "run.restart.h5", "model.precision=double"
            ),
            INPUT,
            "cannot continue from 'run.restart.h5': it was written in single precision, this run is in double",
            "use the same precision",
        )
        self.succeed("run.yaml", "-q", "--restart", "run.restart.h5")
        self.assert_same_bits("whole.h5", "run.h5")

    def test_a_signal_before_the_first_step(self):
        """While temperature, couplings and start come from the samples. The run begins again, and
        needs not be told so."""
        self.save("data.npy", with_gaps(smooth(700, 700))[0])
        self.write("whole.yaml", FILL)
        self.succeed("whole.yaml", "-q", "--backend", "serial")
        err = self.assert_ends_soon(FILL, 0.2)
        self.assertIn("before the first step", err)
        self.assertIn("continue with --restart run.restart.h5", err)
        self.succeed("run.yaml", "-q", "--backend", "serial", "--restart", "run.restart.h5")
        self.assert_same_bits("whole.h5", "run.h5")
        self.assertNotIn("run.restart.h5", self.files())

    def test_steps_of_a_second(self):
        self.assert_ends_soon(
            "app: mpr\ntask: validate\ninput: {synthetic: {size: [2048, 2048]}}\n", 1
        )
        self.assert_ends_soon(
            "app: mpr\ntask: validate\ninput: {synthetic: {size: [2048, 2048]}}\n", 3
        )
        self.assert_ends_soon(
            "app: mpr\ntask: simulate\nsimulate: {size: [1024, 1024], temperatures: [0.5, 1.0]}\n",
            2,
        )


class Pictures(MprTest):
    def test_every_kind(self):
        self.write(
            "run.yaml",
            "app: mpr\ntask: validate\ninput: {synthetic: {}}\nvalidate: {sizes: [32, 64]}\n",
        )
        self.write(
            "curve.yaml",
            "app: mpr\ntask: simulate\nsimulate: {size: [16, 16], temperatures: [0.1, 1.0], sweeps: 100}\n",
        )
        self.succeed("run.yaml", "-q")
        self.succeed("curve.yaml", "-q")
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("no matplotlib")
        for source, kind in (
            ("run", "summary"),
            ("run", "history"),
            ("run", "scaling"),
            ("curve", "summary"),
        ):
            status, message = plot(
                self.path(f"{source}.h5"), "--kind", kind, "-o", self.path("picture.png")
            )
            self.assertEqual(status, 0, message)
            self.assertGreater(os.path.getsize(self.path("picture.png")), 5000)


if __name__ == "__main__":
    run_cases.main()
