# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What the model of an image that tessera-mpr fills in windows may have: cli_mpr_stream_model.py
EXECUTABLE. Realisations and transforms are as in an image filled at once."""

import h5py
import numpy as np

import run_cases
from cli_mpr_stream import (
    DRAWS,
    FIXED,
    SEAM,
    STREAM,
    StreamTest,
    attribute_of_results,
    clouds,
    gaussian,
    root_mean_square,
)
from cli_support import INPUT
from mpr_support import FILL

ESTIMATES = ("temperature", "curvature", "coupling_x", "gap_edge", "variance_factor")


class Compared(StreamTest):
    """Against an image filled at once, which is small enough for the estimate to take it whole."""

    def agree(self, *names, within=2e-3):
        for name in names:
            a, b = (
                attribute_of_results(self.path(f"{run}.h5"), name) for run in ("whole", "stream")
            )
            self.assertAlmostEqual(a, b, delta=within * abs(a), msg=name)

    def check(self, data, model, sites, change=0.01, names=ESTIMATES):
        """Means, quantiles and realisations change by less than a share of the standard deviations,
        these by less than twice that; at some sites."""
        whole, stream = self.both(data, model)
        self.assertEqual(sorted(whole), sorted(stream))
        self.agree(*names)
        self.assertLess(
            root_mean_square(stream["std"][sites] / whole["std"][sites] - 1), 2 * change
        )
        for name in {"mean", "quantile_0.1", "ensemble"} & set(whole):
            difference = ((stream[name] - whole[name]) / np.where(sites, whole["std"], 1))[
                ..., sites
            ]
            self.assertLess(root_mean_square(difference), change, name)
        return whole, stream


class Ensembles(StreamTest):
    """Realisations are those of an image that is filled at once, since random numbers are counted
    by its sites."""

    def check(self, mask, change, model):
        truth = (20 + 3 * gaussian(*mask.shape, 1)).astype("f4")
        data = truth.copy()
        data[mask] = np.nan
        whole, stream = self.both(data, "output: {ensemble: 5, netcdf: out.nc}\n" + model)
        self.assertEqual(stream["ensemble"].shape, (5, *mask.shape))
        for member in stream["ensemble"]:
            self.assertEqual(member[~mask].tobytes(), data[~mask].tobytes())
        with h5py.File(self.path("out.nc")) as file:
            self.assertEqual(file["data_ensemble"][...].tobytes(), stream["ensemble"].tobytes())
        spread = root_mean_square((whole["ensemble"] - whole["mean"])[:, mask])
        self.assertLess(
            root_mean_square((stream["ensemble"] - whole["ensemble"])[:, mask]), change * spread
        )
        pairs = (mask[:, 1:] & mask[:, :-1])[:, SEAM - 1]
        step = {
            key: np.abs(np.diff(found["ensemble"], axis=2))[:, pairs, SEAM - 1].mean()
            for key, found in (("whole", whole), ("stream", stream))
        }
        self.assertLess(abs(step["stream"] / step["whole"] - 1), 0.02)

    def test_draws(self):
        self.check(clouds(150, 450), 0.01, FIXED + DRAWS)

    def test_sweeps(self):
        """Where all is estimated; after a small change of the mean some chains part."""
        self.check(np.random.default_rng(3).random((200, 500)) < 0.33, 0.2, "")

    def test_gaps_deeper_than_the_halo(self):
        """Draws of blocks are made of the same random numbers, so that steps at edges of windows
        are small, and members those of the whole."""
        truth = gaussian(400, 480, 1)
        data = np.where(np.random.default_rng(3).random(truth.shape) < 0.1, np.nan, truth)
        data[60:340, 150:430] = np.nan
        whole, stream = self.both(data, "output: {ensemble: 16}\n" + FIXED + DRAWS)
        spread = root_mean_square((whole["ensemble"] - whole["mean"])[:, 100:300, 200:400])
        steps = np.diff(stream["ensemble"], axis=2)[:, 100:300]
        elsewhere = root_mean_square(steps[:, :, 200:300])
        self.assertLess(
            np.sqrt(max(0, root_mean_square(steps[:, :, SEAM - 1]) ** 2 - elsewhere**2)),
            0.2 * spread,
        )
        deep = np.zeros(data.shape, bool)
        deep[60:340, 150:430] = True
        self.assertLess(
            root_mean_square((stream["ensemble"] - whole["ensemble"])[:, deep]), 0.15 * spread
        )

    def test_constant_data_and_no_gaps(self):
        data = np.full((300, 400), 3.0)
        data[100:200, 100:200] = np.nan
        whole, stream = self.both(data, "output: {ensemble: 2}\n")
        self.assertEqual(
            whole.get("ensemble", np.zeros(0)).tobytes(),
            stream.get("ensemble", np.zeros(0)).tobytes(),
        )
        whole, stream = self.both(gaussian(300, 400, 1), "output: {ensemble: 2}\n")
        self.assertEqual(whole["ensemble"].tobytes(), stream["ensemble"].tobytes())

    def test_more_realisations_than_sweeps(self):
        np.save(
            self.path("data.npy"),
            np.where(
                np.random.default_rng(3).random((300, 300)) < 0.1, np.nan, gaussian(300, 300, 1)
            ),
        )
        text = "app: mpr\ninput: {file: data.npy}\nstream: {}\noutput: {ensemble: 30}\n"
        self.write("run.yaml", text + "simulation: {sampler: sweeps}\n")
        self.succeed("run.yaml", "-q")  # takes as many sweeps
        self.write("run.yaml", text + "simulation: {sampler: sweeps, sampling_sweeps: 25}\n")
        self.assert_mentions(
            self.call("run.yaml", "-q", "--force"),
            INPUT,
            "output.ensemble asks for 30 realisations",
            "only 25 sweeps",
        )


class Transforms(Compared):
    """Values are transformed as they are read."""

    def setUp(self):
        super().setUp()
        self.mask = clouds(150, 450)
        self.data = np.where(self.mask, np.nan, np.exp(gaussian(150, 450, 1))).astype("f4")

    def check_kind(self, kind, transform=None):
        model = "model: {transform: %s}\noutput: {ensemble: 2, quantiles: [0.1]}\n" % kind
        whole, stream = self.check(self.data, model + DRAWS, self.mask, 0.02)
        self.assertEqual(
            attribute_of_results(self.path("stream.h5"), "transform"), transform or kind
        )
        self.assertLess(
            root_mean_square(stream["mc_error"][self.mask] / whole["mc_error"][self.mask] - 1), 0.1
        )
        return whole, stream

    def test_the_logarithm(self):
        self.check_kind("log")

    def test_normal_scores(self):
        self.check_kind("normal_score")

    def test_one_that_is_chosen(self):
        whole, stream = self.check_kind("auto", "log")
        for name in ("transform", "distance", "crps", "error"):
            np.testing.assert_allclose(
                whole[f"transform/{name}"], stream[f"transform/{name}"], rtol=1e-9
            )

    def test_normal_scores_of_a_sample(self):
        """Of half the sites, and a choice from eight windows."""
        mask = np.random.default_rng(3).random((1050, 1100)) < 0.1
        data = np.where(mask, np.nan, np.exp(gaussian(1050, 1100, 1))).astype("f4")
        fixed = "curvature: 1, couplings: [1, 1], temperature: 0.05, calibrate: false"
        whole, stream = self.both(data, "model: {transform: normal_score, %s}\n" % fixed)
        self.assertLess(
            root_mean_square((stream["mean"] - whole["mean"])[mask] / whole["std"][mask]), 0.05
        )
        chosen = self.fill(FILL + "model: {transform: auto, %s}\n" % fixed + STREAM, name="chosen")
        self.assertEqual(attribute_of_results(self.path("chosen.h5"), "transform"), "log")
        self.assertEqual(sorted(set(chosen["transform/transform"])), [0, 1, 2])

    def test_what_has_no_logarithm(self):
        self.data[7, 3] = self.data[140, 2] = -1
        np.save(self.path("data.npy"), self.data)
        self.write(
            "run.yaml", "app: mpr\ninput: {file: data.npy}\nstream: {}\nmodel: {transform: log}\n"
        )
        self.assert_mentions(
            self.call("run.yaml", "-q"),
            INPUT,
            "'data.npy' holds 2 samples that have no logarithm",
            "the first is -1 (row 7, column 3)",
            "normal_score",
        )


if __name__ == "__main__":
    run_cases.main()
