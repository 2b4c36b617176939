# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What the model of an image that tessera-mpr fills in windows may have: cli_mpr_stream_model.py EXECUTABLE. Realisations, errors of samples
and a background are those of an image filled at once."""

import h5py
import numpy as np

import run_cases
from cli_mpr_stream import DRAWS, FIXED, SEAM, STREAM, StreamTest, attribute_of_results, clouds, gaussian, root_mean_square
from cli_support import INPUT

ESTIMATES = ("temperature", "curvature", "coupling_x", "gap_edge", "variance_factor")


class Compared(StreamTest):
    """Against an image filled at once, which is small enough for the estimate to take it whole."""

    def agree(self, *names, within=2e-3):
        for name in names:
            a, b = (attribute_of_results(self.path(f"{run}.h5"), name) for run in ("whole", "stream"))
            self.assertAlmostEqual(a, b, delta=within * abs(a), msg=name)

    def check(self, data, model, sites, change=0.01, names=ESTIMATES):
        """Means, quantiles and realisations change by less than a share of the standard deviations, these by less than twice that; at some
        sites."""
        whole, stream = self.both(data, model)
        self.assertEqual(sorted(whole), sorted(stream))
        self.agree(*names)
        self.assertLess(root_mean_square(stream["std"][sites] / whole["std"][sites] - 1), 2 * change)
        for name in {"mean", "quantile_0.1", "ensemble"} & set(whole):
            difference = ((stream[name] - whole[name]) / np.where(sites, whole["std"], 1))[..., sites]
            self.assertLess(root_mean_square(difference), change, name)
        return whole, stream


class Ensembles(StreamTest):
    """Realisations are those of an image that is filled at once, since random numbers are counted by its sites."""

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
        self.assertLess(root_mean_square((stream["ensemble"] - whole["ensemble"])[:, mask]), change * spread)
        pairs = (mask[:, 1:] & mask[:, :-1])[:, SEAM - 1]
        step = {key: np.abs(np.diff(found["ensemble"], axis=2))[:, pairs, SEAM - 1].mean() for key, found in (("whole", whole), ("stream", stream))}
        self.assertLess(abs(step["stream"] / step["whole"] - 1), 0.02)

    def test_draws(self):
        self.check(clouds(400, 450), 0.01, FIXED + DRAWS)

    def test_sweeps(self):
        """Where all is estimated; after a small change of the mean some chains part."""
        self.check(np.random.default_rng(3).random((400, 500)) < 0.33, 0.2, "")

    def test_gaps_deeper_than_the_halo(self):
        """At edges of windows they have steps, as METHOD.md says."""
        truth = gaussian(400, 480, 1)
        data = np.where(np.random.default_rng(3).random(truth.shape) < 0.1, np.nan, truth)
        data[60:340, 150:430] = np.nan
        whole, stream = self.both(data, "output: {ensemble: 16}\n" + FIXED + DRAWS)
        spread = root_mean_square((whole["ensemble"] - whole["mean"])[:, 100:300, 200:400])
        steps = np.diff(stream["ensemble"], axis=2)[:, 100:300]
        elsewhere = root_mean_square(steps[:, :, 200:300])
        self.assertLess(np.sqrt(max(0, root_mean_square(steps[:, :, SEAM - 1])**2 - elsewhere**2)), 0.5 * spread)

    def test_constant_data_and_no_gaps(self):
        data = np.full((300, 400), 3.0)
        data[100:200, 100:200] = np.nan
        whole, stream = self.both(data, "output: {ensemble: 2}\n")
        self.assertEqual(whole.get("ensemble", np.zeros(0)).tobytes(), stream.get("ensemble", np.zeros(0)).tobytes())
        whole, stream = self.both(gaussian(300, 400, 1), "output: {ensemble: 2}\n")
        self.assertEqual(whole["ensemble"].tobytes(), stream["ensemble"].tobytes())

    def test_more_realisations_than_sweeps(self):
        np.save(self.path("data.npy"), np.where(np.random.default_rng(3).random((300, 300)) < 0.1, np.nan, gaussian(300, 300, 1)))
        self.write("run.yaml", "app: mpr\ninput: {file: data.npy}\nstream: {}\noutput: {ensemble: 30}\nsimulation: {sampler: sweeps}\n")
        self.assert_mentions(self.call("run.yaml", "-q"), INPUT, "output.ensemble asks for 30 realisations", "only 25 sweeps")


class Companions(Compared):
    """Fields that go with the data are read in windows."""

    def setUp(self):
        super().setUp()
        self.truth = 20 + 3 * gaussian(400, 450, 1)
        self.mask = clouds(400, 450)
        self.data = np.where(self.mask, np.nan, self.truth).astype("f4")

    def noisy(self, deviation):
        return (self.data + deviation * np.random.default_rng(5).standard_normal(self.data.shape)).astype("f4")

    def test_one_error_of_all_samples(self):
        data = self.noisy(0.5)
        whole, stream = self.check(data, "model: {noise: 0.5}\noutput: {ensemble: 3}\n" + DRAWS, np.ones(data.shape, bool))
        self.assertAlmostEqual(attribute_of_results(self.path("stream.h5"), "noise"), 0.5, places=6)
        known = ~self.mask
        self.assertEqual(stream["filled"][known].tobytes(), data[known].tobytes())

    def test_errors_from_a_file(self):
        """Variances; some samples are exact."""
        variances = np.random.default_rng(6).random(self.data.shape)
        variances[:, 100:200] = 0
        variances[self.mask] = np.nan
        np.save(self.path("errors.npy"), variances)
        data = self.noisy(np.sqrt(variances))
        unknown = self.mask | (variances > 0)
        whole, stream = self.check(data, "model: {noise: {file: errors.npy, kind: variance}}\n" + DRAWS, unknown)
        self.assertEqual(stream["mean"][~unknown].tobytes(), data[~unknown].tobytes())
        self.assertAlmostEqual(attribute_of_results(self.path("stream.h5"), "noise"), attribute_of_results(self.path("whole.h5"), "noise"), places=9)

    def test_errors_without_gaps(self):
        data = (self.truth + 0.5 * np.random.default_rng(5).standard_normal(self.truth.shape)).astype("f4")
        self.check(data, "model: {noise: 0.5}\n" + DRAWS, np.ones(data.shape, bool), names=("temperature", "curvature"))

    def test_errors_and_gaps_deeper_than_the_halo(self):
        data = self.noisy(0.5)
        data[60:340, 120:400] = np.nan
        model = "model: {noise: 0.5, curvature: 1, couplings: [1, 1], temperature: 0.05, calibrate: false}\n"
        whole, stream = self.both(data, model + DRAWS)
        deep = np.zeros(data.shape, bool)
        deep[60:340, 120:400] = True
        spread = root_mean_square(whole["std"][deep])
        self.assertLess(root_mean_square((stream["mean"] - whole["mean"])[deep]), 0.1 * spread)
        self.assertLess(root_mean_square((stream["mean"] - whole["mean"])[~deep]), 0.02 * spread)

    def test_a_background(self):
        y, x = np.mgrid[0:400, 0:450]
        background = 30 * np.sin(0.03 * x) * np.cos(0.02 * y)
        background[:40, :30] = np.nan  # where nothing is active
        land = np.zeros(background.shape, np.int8)
        land[:40, :30] = 1
        np.save(self.path("background.npy"), background)
        np.save(self.path("land.npy"), land)
        data = np.where(land == 1, np.nan, self.data + np.nan_to_num(background)).astype("f4")
        inputs = "input: {file: data.npy, inactive: {file: land.npy}}\nmodel: {background: {file: background.npy}}\n"
        np.save(self.path("data.npy"), data)
        text = "app: mpr\noutput: {ensemble: 2, quantiles: [0.1]}\n" + inputs + DRAWS
        whole, stream = self.run_input("whole", text, "-q"), self.run_input("stream", text + STREAM, "-q")
        missing = self.mask & (land == 0)
        spread = root_mean_square(whole["std"][missing])
        for name in ("mean", "std", "ensemble", "quantile_0.1", "filled"):
            self.assertLess(root_mean_square((stream[name] - whole[name])[..., missing]), 0.01 * spread, name)
        self.assertEqual(np.isnan(stream["mean"]).sum(), 40 * 30)

    def test_what_is_wrong_with_them(self):
        np.save(self.path("data.npy"), self.data)

        def refuse(model, numbers, *phrases):
            np.save(self.path("with.npy"), numbers)
            self.write("run.yaml", "app: mpr\ninput: {file: data.npy}\nstream: {}\nmodel: " + model + "\n")
            self.assert_mentions(self.call("run.yaml", "-q", "--force"), INPUT, *phrases)

        refuse("{noise: {file: with.npy}}", np.ones((3, 3)), "run.yaml:4:23: error: the noise 'with.npy' has the shape 3 x 3, the data 400 x 450")
        refuse("{background: {file: with.npy}}", np.ones((3, 3)), "run.yaml:4:28: error: the background 'with.npy' has the shape 3 x 3")
        row, column = np.argwhere(~self.mask)[1000]
        numbers = np.ones(self.data.shape)
        numbers[row, column] = -1
        refuse("{noise: {file: with.npy}}", numbers, f"the noise 'with.npy' has the negative value -1 in row {row}, column {column}", "kind: variance")
        numbers[row, column] = np.nan
        refuse("{noise: {file: with.npy}}", numbers, f"the noise 'with.npy' has no value in row {row}, column {column}", "give the error of each")
        refuse("{background: {file: with.npy}}", numbers, f"the background 'with.npy' has no value in row {row}, column {column}", "fill its gaps first")


class Transforms(Compared):
    """Values are transformed as they are read."""

    def setUp(self):
        super().setUp()
        self.mask = clouds(400, 450)
        self.data = np.where(self.mask, np.nan, np.exp(gaussian(400, 450, 1))).astype("f4")

    def check_kind(self, kind, transform=None):
        model = "model: {transform: %s}\noutput: {ensemble: 2, quantiles: [0.1]}\n" % kind
        whole, stream = self.check(self.data, model + DRAWS, self.mask, 0.02)
        self.assertEqual(attribute_of_results(self.path("stream.h5"), "transform"), transform or kind)
        self.assertLess(root_mean_square(stream["mc_error"][self.mask] / whole["mc_error"][self.mask] - 1), 0.1)
        return whole, stream

    def test_the_logarithm(self):
        self.check_kind("log")

    def test_normal_scores(self):
        self.check_kind("normal_score")

    def test_one_that_is_chosen(self):
        whole, stream = self.check_kind("auto", "log")
        for name in ("transform", "distance", "crps", "error"):
            np.testing.assert_allclose(whole[f"transform/{name}"], stream[f"transform/{name}"], rtol=1e-9)

    def test_normal_scores_of_a_sample(self):
        """Of half the sites, and a choice from eight windows."""
        mask = np.random.default_rng(3).random((1050, 1100)) < 0.1
        data = np.where(mask, np.nan, np.exp(gaussian(1050, 1100, 1))).astype("f4")
        fixed = "curvature: 1, couplings: [1, 1], temperature: 0.05, calibrate: false"
        whole, stream = self.both(data, "model: {transform: normal_score, %s}\n" % fixed)
        self.assertLess(root_mean_square((stream["mean"] - whole["mean"])[mask] / whole["std"][mask]), 0.05)
        chosen = self.run_input("chosen", "app: mpr\ninput: {file: data.npy}\nmodel: {transform: auto, %s}\n" % fixed + STREAM, "-q")
        self.assertEqual(attribute_of_results(self.path("chosen.h5"), "transform"), "log")
        self.assertEqual(sorted(set(chosen["transform/transform"])), [0, 1, 2])

    def test_what_has_no_logarithm(self):
        self.data[7, 3] = self.data[300, 2] = -1
        np.save(self.path("data.npy"), self.data)
        self.write("run.yaml", "app: mpr\ninput: {file: data.npy}\nstream: {}\nmodel: {transform: log}\n")
        self.assert_mentions(self.call("run.yaml", "-q"), INPUT, "'data.npy' holds 2 samples that have no logarithm; the first is -1 (row 7, column 3)",
                             "normal_score")


if __name__ == "__main__":
    run_cases.main()
