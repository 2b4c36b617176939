# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Fields that go with an image that tessera-mpr fills in windows: cli_mpr_stream_fields.py
EXECUTABLE. With errors of samples, a background and a trend it is as an image filled at once."""

import h5py
import numpy as np

import run_cases
from cli_mpr_stream import (
    DRAWS,
    SEAM,
    STREAM,
    attribute_of_results,
    clouds,
    gaussian,
    root_mean_square,
)
from cli_mpr_stream_model import ESTIMATES, Compared
from cli_support import INPUT

# Two windows beside each other; others are of both axes in cli_mpr_stream.py.
ROWS, COLUMNS = 150, 450
# The temperature is estimated.
COUPLED = "curvature: 1, couplings: [1, 1]"


class Fields(Compared):
    def refuse_with(self, model, numbers, *phrases):
        """A model of a stream that names the field with.npy of these numbers."""
        np.save(self.path("data.npy"), self.data)
        np.save(self.path("with.npy"), numbers)
        self.write(
            "run.yaml", "app: mpr\ninput: {file: data.npy}\nstream: {}\nmodel: " + model + "\n"
        )
        self.assert_mentions(self.call("run.yaml", "-q", "--force"), INPUT, *phrases)


class Companions(Fields):
    """Fields that go with the data are read in windows."""

    def setUp(self):
        super().setUp()
        self.truth = 20 + 3 * gaussian(ROWS, COLUMNS, 1)
        self.mask = clouds(ROWS, COLUMNS)
        self.data = np.where(self.mask, np.nan, self.truth).astype("f4")

    def noisy(self, deviation):
        return (
            self.data + deviation * np.random.default_rng(5).standard_normal(self.data.shape)
        ).astype("f4")

    def test_one_error_of_all_samples(self):
        data = self.noisy(0.5)
        whole, stream = self.check(
            data, "model: {noise: 0.5}\noutput: {ensemble: 3}\n" + DRAWS, np.ones(data.shape, bool)
        )
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
        whole, stream = self.check(
            data,
            "model: {noise: {file: errors.npy, kind: variance}, %s}\n" % COUPLED + DRAWS,
            unknown,
        )
        self.assertEqual(stream["mean"][~unknown].tobytes(), data[~unknown].tobytes())
        self.assertAlmostEqual(
            attribute_of_results(self.path("stream.h5"), "noise"),
            attribute_of_results(self.path("whole.h5"), "noise"),
            places=9,
        )

    def test_errors_without_gaps(self):
        data = (
            self.truth + 0.5 * np.random.default_rng(5).standard_normal(self.truth.shape)
        ).astype("f4")
        self.check(
            data,
            "model: {noise: 0.5, %s}\n" % COUPLED + DRAWS,
            np.ones(data.shape, bool),
            names=("temperature",),
        )

    def test_errors_and_gaps_deeper_than_the_halo(self):
        data = 20 + 3 * gaussian(240, COLUMNS, 1)
        data[clouds(*data.shape)] = np.nan
        data = (data + 0.5 * np.random.default_rng(5).standard_normal(data.shape)).astype("f4")
        data[30:210, 120:400] = np.nan
        model = "model: {noise: 0.5, curvature: 1, couplings: [1, 1], temperature: 0.05, calibrate: false}\n"
        whole, stream = self.both(data, model + DRAWS)
        deep = np.zeros(data.shape, bool)
        deep[30:210, 120:400] = True
        spread = root_mean_square(whole["std"][deep])
        self.assertLess(root_mean_square((stream["mean"] - whole["mean"])[deep]), 0.1 * spread)
        self.assertLess(root_mean_square((stream["mean"] - whole["mean"])[~deep]), 0.02 * spread)

    def test_a_background(self):
        y, x = np.mgrid[0:ROWS, 0:COLUMNS]
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
        whole, stream = self.fill(text, name="whole"), self.fill(text + STREAM, name="stream")
        missing = self.mask & (land == 0)
        spread = root_mean_square(whole["std"][missing])
        for name in ("mean", "std", "ensemble", "quantile_0.1", "filled"):
            self.assertLess(
                root_mean_square((stream[name] - whole[name])[..., missing]), 0.01 * spread, name
            )
        self.assertEqual(np.isnan(stream["mean"]).sum(), 40 * 30)

    def test_what_is_wrong_with_them(self):
        refuse = self.refuse_with
        refuse(
            "{noise: {file: with.npy}}",
            np.ones((3, 3)),
            f"run.yaml:4:23: error: the noise 'with.npy' has the shape 3 x 3, the data {ROWS} x {COLUMNS}",
        )
        refuse(
            "{background: {file: with.npy}}",
            np.ones((3, 3)),
            "run.yaml:4:28: error: the background 'with.npy' has the shape 3 x 3",
        )
        row, column = np.argwhere(~self.mask)[1000]
        numbers = np.ones(self.data.shape)
        numbers[row, column] = -1
        refuse(
            "{noise: {file: with.npy}}",
            numbers,
            f"the noise 'with.npy' has the negative value -1 in row {row}, column {column}",
            "kind: variance",
        )
        numbers[row, column] = np.nan
        refuse(
            "{noise: {file: with.npy}}",
            numbers,
            f"the noise 'with.npy' has no value in row {row}, column {column}",
            "give the error of each",
        )
        refuse(
            "{background: {file: with.npy}}",
            numbers,
            f"the background 'with.npy' has no value in row {row}, column {column}",
            "fill its gaps first",
        )


class Trends(Fields):
    """Coefficients come from the windows of the estimate, here from the whole image; fields are
    read in windows."""

    def setUp(self):
        super().setUp()
        self.mask = clouds(ROWS, COLUMNS)
        self.elevation = 500 + 200 * gaussian(ROWS, COLUMNS, 8, 1.0, 0.1)
        y, x = np.mgrid[0:ROWS, 0:COLUMNS]
        self.truth = (
            20
            - 0.02 * self.elevation
            + 4 * (2 * x / (COLUMNS - 1) - 1)
            + 3 * gaussian(ROWS, COLUMNS, 1)
        )
        self.data = np.where(self.mask, np.nan, self.truth).astype("f4")
        np.save(self.path("elevation.npy"), self.elevation)

    def check_trend(self, trend, sites=None, more="", data=None):
        model = (
            "model: {trend: %s%s}\noutput: {ensemble: 2, quantiles: [0.1]}\n" % (trend, more)
            + DRAWS
        )
        whole, stream = self.check(
            self.data if data is None else data, model, self.mask if sites is None else sites, 0.02
        )
        for name in ("coefficient", "standard_error"):
            np.testing.assert_allclose(
                stream[f"trend/{name}"],
                whole[f"trend/{name}"],
                atol=0.01 * whole["trend/standard_error"].min(),
                rtol=1e-3,
            )
        self.assertEqual(stream["trend/name"].tolist(), whole["trend/name"].tolist())
        return whole, stream

    def test_a_field_and_a_polynomial(self):
        whole, stream = self.check_trend("{fields: [elevation.npy], polynomial: 1}")
        self.assertEqual(stream["trend/name"].tolist(), [b"elevation", b"x", b"y"])
        self.assertLess(
            abs(stream["trend/coefficient"][0, 0] + 0.02), 4 * stream["trend/standard_error"][0, 0]
        )
        np.testing.assert_allclose(whole["frames/low"], stream["frames/low"], rtol=1e-3)

    def test_with_errors_of_samples(self):
        data = (self.data + 0.5 * np.random.default_rng(5).standard_normal(self.data.shape)).astype(
            "f4"
        )
        self.check_trend(
            "{fields: [elevation.npy]}", np.ones(data.shape, bool), ", noise: 0.5, " + COUPLED, data
        )

    def test_of_logarithms(self):
        self.check_trend(
            "{fields: [elevation.npy]}",
            None,
            ", transform: log, " + COUPLED,
            np.exp(0.1 * self.data).astype("f4"),
        )

    def test_variables_of_a_netcdf_file(self):
        """On a sphere, in chunks and packed, with errors of samples."""
        errors = np.full(self.data.shape, 50, np.int16)
        errors[:, 200:] = 30
        deviation = 0.01 * errors
        data = self.data + deviation * np.random.default_rng(5).standard_normal(self.data.shape)
        with h5py.File(self.path("in.nc"), "w") as file:
            axes = (
                ("lat", np.linspace(60, 56, ROWS), "degrees_north"),
                ("lon", np.linspace(0, 12, COLUMNS), "degrees_east"),
            )
            for name, values, units in axes:
                scale = file.create_dataset(name, data=values)
                scale.attrs["units"] = units
                scale.make_scale(name)
            for name, values in (
                ("t", data[None].astype("f4")),
                ("error", errors),
                ("elevation", self.elevation),
            ):
                variable = file.create_dataset(
                    name,
                    data=values,
                    chunks=(*(1,) * (values.ndim - 2), 100, 128),
                    compression="gzip",
                )
                for d, axis in zip((-2, -1), ("lat", "lon")):
                    variable.dims[values.ndim + d].attach_scale(file[axis])
            file["error"].attrs["scale_factor"] = 0.01
        text = (
            "app: mpr\ninput: {file: in.nc, dataset: t}\nmodel: {noise: {file: in.nc, dataset: error}, "
            "trend: {fields: [in.nc], datasets: [elevation]}, %s}\n" % COUPLED
        ) + DRAWS
        whole, stream = self.fill(text, name="whole"), self.fill(text + STREAM, name="stream")
        self.assertEqual(attribute_of_results(self.path("stream.h5"), "metric"), "geographic")
        self.agree(*ESTIMATES)
        np.testing.assert_allclose(
            stream["trend/coefficient"], whole["trend/coefficient"], rtol=1e-3
        )
        self.assertLess(root_mean_square((stream["mean"] - whole["mean"]) / whole["std"]), 0.02)
        self.assertLess(root_mean_square(stream["std"] / whole["std"] - 1), 0.02)

    def test_gaps_deeper_than_the_halo(self):
        elevation = 500 + 200 * gaussian(240, COLUMNS, 8, 1.0, 0.1)
        np.save(self.path("elevation.npy"), elevation)
        truth = 20 - 0.02 * elevation + 3 * gaussian(240, COLUMNS, 1)
        deep = np.zeros(truth.shape, bool)
        deep[30:210, 120:400] = True
        data = np.where(deep | clouds(*truth.shape), np.nan, truth).astype("f4")
        fixed = "model: {curvature: 1, couplings: [1, 1], temperature: 0.05, calibrate: false, trend: {fields: [elevation.npy], polynomial: 2}}\n"
        whole, stream = self.both(data, fixed + DRAWS)
        spread = root_mean_square(whole["std"][deep])
        self.assertLess(root_mean_square((stream["mean"] - whole["mean"])[deep]), 0.1 * spread)
        self.assertLess(root_mean_square(stream["std"][deep] / whole["std"][deep] - 1), 0.05)
        self.assertLess(
            np.abs(np.diff(stream["mean"] - whole["mean"], axis=1))[70:170, SEAM - 1].mean(),
            0.1 * spread,
        )

    def test_an_image_of_several_windows(self):
        """The coefficient is known less well, and says so; predictions hardly differ."""
        rows, columns = 640, 700  # the windows of the estimate do not hold all of it
        elevation = 500 + 200 * gaussian(rows, columns, 8, 1.0, 0.1)
        truth = 20 - 0.02 * elevation + 3 * gaussian(rows, columns, 1)
        mask = clouds(rows, columns)
        np.save(self.path("elevation.npy"), elevation)
        data = np.where(mask, np.nan, truth).astype("f4")
        whole, stream = self.both(data, "model: {trend: {fields: [elevation.npy]}}\n" + DRAWS)
        (b, of_b), (_, of_whole) = (
            (found["trend/coefficient"].item(), found["trend/standard_error"].item())
            for found in (stream, whole)
        )
        self.assertLess(abs(b + 0.02), 4 * of_b)
        self.assertLess(of_whole, of_b)
        self.assertLess(of_b, 2 * of_whole)
        error = {
            name: root_mean_square((found["mean"] - truth)[mask])
            for name, found in (("whole", whole), ("stream", stream))
        }
        self.assertLess(error["stream"], 1.01 * error["whole"])
        inside = np.abs(stream["mean"] - truth)[mask] < 1.96 * stream["std"][mask]
        self.assertLess(abs(inside.mean() - 0.95), 0.02)
        rest = (data + 0.02 * (elevation - elevation.mean()))[~mask]
        self.assertLess(stream["frames/low"].item(), rest.min())
        self.assertGreater(stream["frames/high"].item(), rest.max())

    def test_what_is_wrong_with_them(self):
        refuse = self.refuse_with
        two = "{trend: {fields: [elevation.npy, with.npy]}}"
        refuse(
            two,
            np.ones((3, 3)),
            f"run.yaml:4:41: error: the field of the trend 'with.npy' has the shape 3 x 3, the data {ROWS} x {COLUMNS}",
        )
        refuse(
            two,
            np.ones(self.data.shape),
            "the field of the trend 'with.npy' has the same value at all sites",
            "leave it out",
        )
        refuse(
            two,
            3 - 2 * self.elevation,
            "at the samples the column 'with' of the trend is constant or a combination",
            "lower trend.polynomial",
        )
        gap = self.elevation.copy()
        gap[5, 7] = np.nan
        refuse(
            two,
            gap,
            "the field of the trend 'with.npy' has no value in row 5, column 7",
            "input.inactive",
        )


if __name__ == "__main__":
    run_cases.main()
