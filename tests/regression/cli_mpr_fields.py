# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-mpr and what a field has beside its samples: cli_mpr_fields.py EXECUTABLE. Coordinates, a
background, errors of samples, trends."""

import h5py
import numpy as np

import run_cases
from cli_support import FILES, INPUT, arrays
from mpr_support import FILL, MprTest, smooth, with_gaps


class Geography(MprTest):
    def write_grid(
        self, name, lat, lon, values, units=("degrees_north", "degrees_east"), time=None
    ):
        with h5py.File(self.path(name), "w") as file:
            axes = {"lat": (lat, units[0]), "lon": (lon, units[1])}
            if time is not None:
                axes = {"time": (time, "days since 2000-01-01"), **axes}
            for axis, (coordinates, unit) in axes.items():
                file[axis] = coordinates
                file[axis].make_scale(axis)
                if unit:
                    file[axis].attrs["units"] = unit
            file["v"] = values
            for k, axis in enumerate(axes):
                file["v"].dims[k].attach_scale(file[axis])

    def attributes(self, name="run"):
        with h5py.File(self.path(f"{name}.h5"), "r") as file:
            return dict(file["results"].attrs)

    def test_cells_of_a_sphere(self):
        """What was chosen is in the results, and changes them; pixels and paper take cells for
        squares."""
        lat, lon = 75 - 0.5 * np.arange(60), 10 + 0.5 * np.arange(80)
        data, mask = with_gaps(smooth())
        self.write_grid("data.nc", lat, lon, data)
        text = "app: mpr\ninput: {file: data.nc, dataset: v}\n"
        sphere = self.fill(text)
        self.assertEqual(self.attributes()["metric"], "geographic")
        explicit = self.fill(text + "grid: {metric: geographic}\n")
        self.assertEqual(explicit["filled"].tobytes(), sphere["filled"].tobytes())
        pixels = self.fill(text + "grid: {metric: pixels}\n")
        self.assertEqual(self.attributes()["metric"], "pixels")
        self.assertGreater(np.abs(pixels["filled"] - sphere["filled"])[mask].max(), 1e-4)
        self.assertEqual(
            sphere["filled"][~mask].tobytes(), data[~mask].astype(sphere["filled"].dtype).tobytes()
        )
        self.fill(text + "model: {mode: paper}\n")
        self.assertEqual(self.attributes()["metric"], "pixels")

    def test_lengths_and_steps(self):
        """Cells of 1 x 3 km; layers at uneven times. Coordinates in m or km give the same."""
        data, _ = with_gaps(np.stack([smooth(30, 40) + 0.1 * k for k in range(4)]))
        found = {}
        for unit, size in (("km", 1), ("m", 1000)):
            self.write_grid(
                "data.nc",
                3 * size * np.arange(30),
                size * np.arange(40),
                data,
                (unit, unit),
                [0, 1, 5, 6],
            )
            text = "app: mpr\ninput: {file: data.nc, dataset: v, third_axis: coupled}\nmodel: {precision: double}\n"
            found[unit] = self.fill(text)
            self.assertEqual(
                (self.attributes()["metric"], self.attributes()["uneven_steps"]),
                ("projected", True),
            )
        np.testing.assert_allclose(found["m"]["filled"], found["km"]["filled"], rtol=1e-9)

    def test_columns_that_go_round(self):
        """A gap across the seam is filled as one elsewhere."""
        lat, lon = 40 - 2.0 * np.arange(30), -180 + 5.0 * np.arange(72)
        y, x = np.mgrid[0:30, 0:72]
        values = (
            np.sin(2 * np.pi * x / 72) + 0.05 * y + 0.2 * np.cos(2 * np.pi * 5 * x / 72 + 0.3 * y)
        )
        values[8:20, :6] = values[8:20, -7:] = np.nan
        self.write_grid("seam.nc", lat, lon, values)
        self.write_grid("middle.nc", lat, np.roll(lon, 36) + 0.0, np.roll(values, 36, 1))
        text = "app: mpr\ninput: {file: %s.nc, dataset: v}\ngrid: {periodic: [lon]}\nmodel: {curvature: 1, couplings: [1, 1], precision: double, calibrate: false}\nsimulation: {draws: 512}\n"
        seam = self.fill(text % "seam")
        self.assertEqual(bool(self.attributes()["periodic"]), True)
        middle = self.fill(text % "middle")
        np.testing.assert_allclose(np.roll(seam["filled"], 36, 1), middle["filled"], atol=2e-4)
        # The standard deviations come from other random numbers.
        self.assertLess(
            abs(np.log(seam["std"][8:20, :6].mean() / middle["std"][8:20, 36:42].mean())), 0.1
        )

    def test_a_length_as_the_limit_of_gaps(self):
        """Along great circles, across the seam too, against distances from vectors; in the plane;
        what is no length."""
        lat, lon = 78 - 2.0 * np.arange(40), 5.0 * np.arange(72)
        values = smooth(40, 72)
        gaps = np.ones(values.shape, bool)
        gaps[::13, ::17] = False
        gaps[5:9, 30:40] = False
        data = np.where(gaps, np.nan, values)
        self.write_grid("data.nc", lat, lon, data)
        text = "app: mpr\ninput: {file: data.nc, dataset: v}\ngrid: {periodic: [lon]}\noutput: {max_gap_distance: %s}\n"
        found = self.fill(text % "700 km")
        phi, theta = np.radians(lat)[:, None] + 0 * lon, np.radians(lon)[None, :] + 0 * lat[:, None]
        points = np.stack(
            [np.cos(phi) * np.cos(theta), np.cos(phi) * np.sin(theta), np.sin(phi)], -1
        )
        chords = np.linalg.norm(points[:, :, None, :] - points[~gaps][None, None], axis=-1).min(-1)
        distance = 2 * 6371.0088 * np.arcsin(chords / 2)
        self.assertEqual(np.isnan(found["mean"]).tobytes(), (distance > 700).tobytes())
        self.write_grid("data.nc", 3000.0 * np.arange(40), 2.0 * np.arange(72), data, ("m", "km"))
        plane = self.fill(text.replace("grid: {periodic: [lon]}\n", "") % "'9500 m'")
        y, x = np.nonzero(~gaps)
        rows, columns = np.mgrid[0:40, 0:72]
        nearest = np.hypot(3 * (rows[..., None] - y), 2 * (columns[..., None] - x)).min(-1)
        self.assertEqual(np.isnan(plane["mean"]).tobytes(), (nearest > 9.5).tobytes())
        self.save("data.npy", data)
        self.refuse(
            INPUT,
            FILL + "output: {max_gap_distance: 25 km}\n",
            "run.yaml:3:28: error: a length needs cells whose sizes are known",
            "'data' has no coordinates",
        )
        for wrong in ("25 miles", "251", "2.5", "-1", "far"):
            self.refuse(
                INPUT,
                FILL + f"output: {{max_gap_distance: {wrong}}}\n",
                "run.yaml:3:28:",
                "a whole number of sites from 0 to 250",
            )
        self.refuse(
            INPUT, FILL + "output: {max_gap_distance: 0 km}\n", "a length must be greater than 0"
        )

    def test_coordinates_that_do_not_tell(self):
        lat, lon = 40 - np.arange(30.0), np.arange(40.0)
        data, _ = with_gaps(smooth(30, 40))
        text = "app: mpr\ninput: {file: data.nc, dataset: v}\ngrid: {metric: geographic}\n"
        self.save("data.npy", data)
        self.refuse(
            INPUT,
            FILL + "grid: {metric: geographic}\n",
            "run.yaml:3:",
            "'data' has no coordinates of its rows and columns",
        )
        self.write_grid("data.nc", lat, lon, data, (None, None))
        self.fill(text)  # without units they are what they are asked to be
        self.assertEqual(self.attributes()["metric"], "geographic")
        self.write_grid("data.nc", lat, lon, data, ("K", "K"))
        self.refuse(
            INPUT,
            text,
            "run.yaml:3:",
            "data.nc:/lat",
            "are neither latitude and longitude",
            "degrees_north",
        )
        self.write_grid("data.nc", lat, lon, data, ("km", "km"))
        self.refuse(INPUT, text, "are projected", "give grid.metric: projected")
        self.refuse(
            INPUT,
            "app: mpr\ninput: {file: data.nc, dataset: v}\ngrid: {periodic: [lon]}\n",
            "run.yaml:3:",
            "data.nc:/lon' holds no longitudes",
        )
        uneven = lon.copy()
        uneven[20:] += 0.5
        self.write_grid("data.nc", lat, uneven, data)
        self.refuse(INPUT, text, "data.nc:/lon' has uneven steps: 1.5 from number 20 on")
        self.fill(text.replace("geographic", "auto"))
        self.assertEqual(self.attributes()["metric"], "pixels")
        self.assertIn("data.nc:/lon' has uneven steps", self.attributes()["metric_reason"])
        mixed = lat.copy()
        mixed[3] = 90
        self.write_grid("data.nc", mixed, lon, data)
        self.refuse(
            INPUT, text, "data.nc:/lat' does not rise or fall throughout: number 4 is 90 after 38"
        )
        self.write_grid("data.nc", lat + 60, lon, data)
        self.refuse(INPUT, text, "data.nc:/lat' holds a latitude of 100")

    def test_longitudes_that_do_not_go_round(self):
        lat = 40 - np.arange(30.0)
        data, _ = with_gaps(smooth(30, 73))
        text = "app: mpr\ninput: {file: data.nc, dataset: v}\ngrid: {periodic: [%s]}\n"
        self.write_grid("data.nc", lat, 4.0 * np.arange(73), data)
        self.refuse(
            INPUT,
            text % "lon",
            "run.yaml:3:",
            "data.nc:/lon' do not go round: 73 columns of 4 degrees are 292 degrees",
        )
        self.refuse(
            INPUT,
            text % "lat",
            "grid.periodic names 'lat', which is not the dimension of the columns ('lon')",
        )
        self.refuse(INPUT, text % "lat, lon", "columns alone may go round")
        self.write_grid("data.nc", lat, 5.0 * np.arange(73), data)
        self.refuse(INPUT, text % "lon", "leave out the last column, which repeats the first")
        self.refuse(
            INPUT,
            text % "lon" + "model: {mode: paper}\n",
            "run.yaml:3:",
            "mode 'paper' has no columns that go round",
        )
        self.save("data.npy", data)
        self.fill(FILL + "grid: {periodic: [x]}\n")
        self.assertEqual(
            (self.attributes()["metric"], bool(self.attributes()["periodic"])), ("pixels", True)
        )
        self.assertGreater(self.attributes()["equilibrium_sweeps"], 0)
        self.save("data.npy", data[:, :3])
        self.refuse(
            INPUT,
            FILL + "grid: {periodic: [x]}\nsimulation: {sampler: sweeps}\n",
            "run.yaml:3:",
            "images of at least 4 columns",
            "sampler: draws",
        )
        self.refuse(
            INPUT,
            "app: mpr\ntask: simulate\nsimulate: {size: [8, 8, 8]}\ngrid: {periodic: [x]}\n",
            "run.yaml:3:",
            "images of at least 4 columns",
        )


class Background(MprTest):
    TEXT = "app: mpr\ninput: {file: data.npy}\nmodel: {background: {file: background.npy}, precision: double}\n"

    def test_the_difference_is_filled(self):
        """As if it were filled by itself, for images and frames; members and quantiles too; and
        rough detail comes from the background."""
        rough = np.random.default_rng(4).normal(0, 3, (40, 50)).cumsum(1)
        frames = np.stack([smooth(40, 50), smooth(40, 50) + 5])
        for values in (smooth(40, 50), frames):
            data, mask = with_gaps(values + rough)
            self.save("data.npy", data)
            self.save("background.npy", rough)
            output = "output: {quantiles: [0.1], ensemble: 2}\n"
            found = self.fill(self.TEXT + output)
            self.save("data.npy", data - rough)
            alone = self.fill(
                "app: mpr\ninput: {file: data.npy}\nmodel: {precision: double}\n" + output,
                name="alone",
            )
            self.assertEqual(found["filled"][~mask].tobytes(), data[~mask].tobytes())
            for name in ("filled", "mean", "quantile_0.1", "ensemble"):
                np.testing.assert_allclose(
                    found[name] - rough, alone[name], atol=2e-3 * np.ptp(values), err_msg=name
                )
            np.testing.assert_allclose(found["std"], alone["std"], rtol=2e-2, atol=1e-4)
            self.save("data.npy", data)
            plain = self.fill("app: mpr\ninput: {file: data.npy}\n", name="plain")
            errors = [
                np.sqrt(np.mean((run["filled"] - values - rough)[mask] ** 2))
                for run in (found, plain)
            ]
            self.assertLess(errors[0], 0.2 * errors[1])

    def test_what_is_no_background(self):
        data, _ = with_gaps(smooth(20, 30))
        self.save("data.npy", data)
        background = smooth(20, 30)
        self.save("background.npy", background[:, :-1])
        self.refuse(
            INPUT,
            self.TEXT,
            "run.yaml:3:28: error: the background 'background.npy' has the shape 20 x 29, the data 20 x 30",
        )
        background[3, 7] = background[5, 0] = np.nan
        self.save("background.npy", background)
        self.refuse(
            INPUT,
            self.TEXT,
            "run.yaml:3:28: error: the background 'background.npy' has no value at 2 sites, the first of them in row 3, column 7",
        )
        land = np.isnan(background)
        self.save("land.npy", land)
        self.fill(self.TEXT.replace("data.npy}", "data.npy, inactive: {file: land.npy}}"))
        self.refuse(
            INPUT,
            "app: mpr\ninput: {file: data.npy}\nmodel: {background: {}}\n",
            "'background' needs 'file'",
        )


class Noise(MprTest):
    TEXT = "app: mpr\ninput: {file: data.npy}\nmodel: {noise: {file: noise.npy}}\n"

    def noisy(self, rows=60, columns=80, seed=2):
        random = np.random.default_rng(seed)
        truth = smooth(rows, columns)
        noise = np.where(np.arange(columns) < columns // 2, 0.1, 0.4) * np.ones((rows, 1))
        data, mask = with_gaps(truth + noise * random.normal(size=truth.shape))
        self.save("data.npy", data)
        self.save("noise.npy", noise)
        return truth, data, noise, mask

    def test_samples_are_smoothed(self):
        truth, data, noise, mask = self.noisy()
        found = self.fill(self.TEXT + "output: {ensemble: 2, quantiles: [0.1]}\n")
        self.assertEqual(found["filled"][~mask].tobytes(), data[~mask].tobytes())
        self.assertTrue(np.all(found["std"] > 0))
        for name in ("mean", "quantile_0.1", "ensemble"):
            self.assertTrue(np.all(np.isfinite(found[name])))
        error = found["mean"] - truth
        self.assertLess(
            np.sqrt(np.mean(error[~mask] ** 2)), 0.6 * np.sqrt(np.mean(noise[~mask] ** 2))
        )
        self.assertGreater(np.mean(np.abs(error) < 1.96 * found["std"]), 0.9)
        plain = self.fill("app: mpr\ninput: {file: data.npy}\n", name="plain")
        self.assertLess(np.std(error[mask]), np.std((plain["mean"] - truth)[mask]))
        self.save("noise.npy", noise**2)
        self.same(
            found,
            self.fill(
                self.TEXT.replace("noise.npy}", "noise.npy, kind: variance}"), name="variance"
            ),
        )

    def same(self, one, other):
        for name in ("mean", "std"):
            np.testing.assert_allclose(one[name], other[name], atol=1e-4 * np.ptp(one["mean"]))

    def test_a_number_is_for_all_samples(self):
        truth, data, noise, mask = self.noisy()
        self.save("noise.npy", np.full(truth.shape, 0.25))
        one = self.fill(self.TEXT)
        for given in ("0.25", "{standard_deviation: 0.25}"):
            other = self.fill(
                f"app: mpr\ninput: {{file: data.npy}}\nmodel: {{noise: {given}}}\n", name="number"
            )
            self.assertEqual(one["mean"].tobytes(), other["mean"].tobytes())
        none = self.fill("app: mpr\ninput: {file: data.npy}\nmodel: {noise: 0}\n", name="none")
        plain = self.fill("app: mpr\ninput: {file: data.npy}\n", name="plain")
        self.assertEqual(none["mean"].tobytes(), plain["mean"].tobytes())

    def test_errors_that_are_too_large(self):
        """They would leave nothing of the spread of the field: nine intervals of ten missed."""
        truth = smooth(60, 80)
        data, mask = with_gaps(truth)
        self.save("data.npy", data)
        self.write("run.yaml", "app: mpr\ninput: {file: data.npy}\nmodel: {noise: 0.5}\n")
        self.assertIn("the errors are too large", self.succeed("run.yaml").err)
        found = arrays(self.path("run.h5"))
        error = np.abs(found["results/mean"] - truth)
        self.assertGreater(np.mean((error < 1.96 * found["results/std"])[mask]), 0.93)
        self.noisy()
        self.write("run.yaml", self.TEXT)
        self.assertNotIn("too large", self.succeed("run.yaml", "--force").err)

    def test_errors_beyond_all_samples(self):
        """No deviation would be left beside them."""
        self.save("data.npy", with_gaps(smooth(60, 80))[0])
        for noise in (100, 1e10):
            self.refuse(
                INPUT,
                f"app: mpr\ninput: {{file: data.npy}}\nmodel: {{noise: {noise}}}\n",
                f"the standard errors of the samples are {noise:.4g} and more",
                "lower model.noise",
            )

    def test_frames_complete_and_constant_ones(self):
        truth, data, noise, mask = self.noisy()
        frames = np.stack([data, truth + 0.3, np.where(mask, np.nan, 7)])
        self.save("data.npy", frames)
        found = self.fill(self.TEXT)
        self.assertTrue(np.all(np.isfinite(found["mean"])))
        np.testing.assert_allclose(found["mean"][2], 7)
        np.testing.assert_allclose(found["std"][2], 0)
        self.assertTrue(np.all(found["std"][1] > 0))

    def test_validation_predicts_samples(self):
        self.noisy(120, 160)
        found = self.fill(
            "app: mpr\ntask: validate\ninput: {file: data.npy}\nmodel: {noise: {file: noise.npy}}\noutput: {ensemble: 16}\n"
        )
        self.assertAlmostEqual(found["validation/coverage95"].item(), 0.95, delta=0.03)
        crps = [found[f"validation/{name}"].item() for name in ("crps", "crps_ensemble")]
        self.assertAlmostEqual(crps[1] / crps[0], 1, delta=0.1)

    def test_what_is_no_noise(self):
        _, data, noise, mask = self.noisy()
        row, column = np.argwhere(~mask)[5]
        self.save("noise.npy", noise[:, :-1])
        self.refuse(
            INPUT,
            self.TEXT,
            "run.yaml:3:23: error: the noise 'noise.npy' has the shape 60 x 79, the data 60 x 80",
        )
        for value, phrase in (
            (np.nan, f"has no value at 1 sites, the first of them in row {row}, column {column}"),
            (-0.5, f"has the negative value -0.5 in row {row}, column {column}"),
        ):
            noise[row, column] = value
            noise[tuple(np.argwhere(mask)[3])] = np.nan  # where there is no sample none is needed
            self.save("noise.npy", noise)
            self.refuse(INPUT, self.TEXT, "run.yaml:3:23: error: the noise 'noise.npy' " + phrase)
        for given, phrases in (
            ("noise: -1", ("3:16", "must be at least 0")),
            ("noise: {}", ("either 'standard_deviation' or 'file'",)),
            (
                "noise: {file: noise.npy, standard_deviation: 1}",
                ("either 'standard_deviation' or 'file'",),
            ),
            ("noise: 1, mode: paper", ("takes samples for exact",)),
            ("noise: 1, transform: log", ("either 'transform' or 'noise'",)),
            ("noise: 1, local_temperature: true", ("one temperature",)),
        ):
            self.refuse(
                INPUT, f"app: mpr\ninput: {{file: data.npy}}\nmodel: {{{given}}}\n", *phrases
            )
        self.refuse(
            INPUT,
            "app: mpr\ninput: {file: data.npy}\nmodel: {noise: 1}\nsimulation: {sampler: sweeps}\n",
            "run.yaml:4:",
            "sweeps cannot take 'noise' into account",
        )


class Trend(MprTest):
    TEXT = "app: mpr\ninput: {file: data.npy}\nmodel: {trend: {fields: [elevation.npy]}}\n"

    def hilly(self, shape=(60, 80), seed=4):
        return 500 + 100 * np.random.default_rng(seed).normal(0, 1, shape).cumsum(-1)

    def test_coefficients_are_found(self):
        elevation = self.hilly()
        self.save("elevation.npy", elevation)
        data, mask = with_gaps(smooth() - 0.02 * elevation)
        self.save("data.npy", data)
        found = self.fill(self.TEXT + "output: {quantiles: [0.1], ensemble: 3}\n")
        self.assertEqual(found["trend/name"].tolist(), [b"elevation"])
        b, error = found["trend/coefficient"].item(), found["trend/standard_error"].item()
        self.assertLess(abs(b + 0.02), 4 * error)
        self.assertLess(error, 1e-3)
        truth = smooth() - 0.02 * elevation
        plain = self.fill("app: mpr\ninput: {file: data.npy}\n", name="plain")
        errors = [np.sqrt(np.mean((run["filled"] - truth)[mask] ** 2)) for run in (found, plain)]
        self.assertLess(errors[0], 0.2 * errors[1])
        self.assertEqual(found["filled"][~mask].tobytes(), data[~mask].tobytes())
        for member in found["ensemble"]:
            self.assertLess(np.std((member - truth)[mask]), 5 * errors[0])
        self.assertIn("trend: elevation -0.0", self.succeed("run.yaml", "--force").err)

    def test_all_ways_of_giving_it(self):
        """Frames have coefficients of their own; HDF5 datasets; polynomials; with a background and
        errors of samples."""
        elevation = self.hilly()
        y, x = np.mgrid[-1:1:60j, -1:1:80j]
        rough = np.random.default_rng(6).normal(0, 0.02, (60, 80)).cumsum(0).cumsum(1)
        frames = np.stack([rough - 0.02 * elevation, rough + 0.05 * elevation + 30 * x - 10 * y])
        data, mask = with_gaps(frames)
        self.save("data.npy", data)
        self.save("background.npy", np.full((60, 80), 4.0))
        with h5py.File(self.path("land.h5"), "w") as file:
            file["/topography/height"] = elevation
        found = self.fill(
            "app: mpr\ninput: {file: data.npy}\nmodel: {trend: {fields: [land.h5], datasets: [topography/height], polynomial: 1}, "
            "background: {file: background.npy}, noise: 0.02}\n"
        )
        self.assertEqual(found["trend/name"].tolist(), [b"height", b"x", b"y"])
        np.testing.assert_allclose(found["trend/coefficient"][:, 0], [-0.02, 0.05], atol=2e-3)
        b, error = found["trend/coefficient"][1, 1:], found["trend/standard_error"][1, 1:]
        self.assertTrue(np.all(np.abs(b - [30, -10]) < 4 * error), f"{b} +- {error}")
        self.assertLess(np.sqrt(np.mean((found["filled"] - frames)[mask] ** 2)), 0.2)
        scores = self.fill(
            "app: mpr\ntask: validate\ninput: {file: data.npy}\nmodel: {trend: {polynomial: 2}}\n"
        )
        self.assertEqual(scores["trend/coefficient"].shape, (2, 5))

    def test_a_stopped_run_goes_on(self):
        elevation = self.hilly()
        self.save("elevation.npy", elevation)
        self.save("data.npy", with_gaps(smooth() - 0.02 * elevation)[0])
        text = self.TEXT + "simulation: {draws: 32, sampler: draws}\noutput: {ensemble: 16}\n"
        once, again = self.fill(text), self.fill(text, name="again")
        for name in ("mean", "std", "ensemble", "trend/coefficient"):
            self.assertEqual(once[name].tobytes(), again[name].tobytes())

    def test_what_is_no_trend(self):
        data, mask = with_gaps(smooth(20, 30))
        elevation = self.hilly((20, 30))
        self.save("data.npy", data)
        self.save("elevation.npy", elevation)
        self.save("double.npy", 3 * elevation + 7)
        self.save("flat.npy", np.ones((20, 30)))
        self.save("narrow.npy", elevation[:, :-1])
        holes = elevation.copy()
        holes[3, 7] = np.nan
        self.save("holes.npy", holes)
        fields = "app: mpr\ninput: {file: data.npy}\nmodel: {trend: {fields: ["
        place = len("model: {trend: {fields: [elevation.npy, ") + 1
        for name, phrase in (
            ("narrow.npy", "'narrow.npy' has the shape 20 x 29, the data 20 x 30"),
            (
                "holes.npy",
                "'holes.npy' has no value at 1 sites, the first of them in row 3, column 7",
            ),
            ("flat.npy", "'flat.npy' has the same value at all sites"),
            (
                "double.npy",
                "the column 'double' of the trend is constant or a combination of those before it",
            ),
        ):
            self.refuse(
                INPUT,
                f"{fields}elevation.npy, {name}]}}}}\n",
                f"run.yaml:3:{place}: error:",
                phrase,
            )
        self.refuse(FILES, f"{fields}missing.npy]}}}}\n", "missing.npy")
        start = "app: mpr\ninput: {file: data.npy}\nmodel: "
        for given, phrase in (
            ("{trend: {}}", "'trend' needs 'fields' or a 'polynomial'"),
            ("{trend: {polynomial: 3}}", "between 0 and 2"),
            ("{trend: {fields: ['']}}", "an element of 'fields' is empty"),
            ("{trend: {fields: [elevation.npy], datasets: [a, b]}}", "2 datasets for 1 fields"),
            ("{trend: {polynomial: 1}, mode: paper}", "mode 'paper' has no trend"),
        ):
            self.refuse(INPUT, start + given + "\n", "run.yaml:3:", phrase)
        self.refuse(
            INPUT,
            "app: mpr\ninput: {file: data.npy}\ngrid: {periodic: [x]}\nmodel: {trend: {polynomial: 1}}\n",
            "run.yaml:4:",
            "does not go round",
        )
        line = np.full((20, 30), np.nan)
        line[4] = smooth(20, 30)[4]
        self.save("data.npy", line)
        self.refuse(
            INPUT,
            start + "{trend: {polynomial: 1}}\n",
            "run.yaml:3:",
            "the column 'y' of the trend is constant or a combination",
        )


if __name__ == "__main__":
    run_cases.main()
