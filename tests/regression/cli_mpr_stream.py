# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Images that tessera-mpr fills in windows: cli_mpr_stream.py EXECUTABLE. The windows do not show,
memory is bounded, a run that was interrupted goes on with the same bits."""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import unittest

import h5py
import numpy as np

import run_cases
from cli_support import EXECUTABLE, FILES, INPUT, RESOURCE, attribute, environment
from mpr_support import FILL, MprTest

# Two windows along each axis of images of up to 576 sites.
STREAM = "stream: {window: 256}\n"
SEAM = 320  # columns and rows from which the second window answers
# Nothing is estimated.
FIXED = "model: {curvature: 1, couplings: [1, 1], temperature: 0.05, calibrate: false}\n"
DRAWS = "simulation: {draws: 16}\n"


def gaussian(rows, columns, seed, smoothness=0.5, kappa=0.05):
    """A random field whose neighbours are alike."""
    numbers = np.random.default_rng(seed).standard_normal((rows, columns))
    y = 2 * np.pi * np.fft.fftfreq(rows)[:, None]
    x = 2 * np.pi * np.fft.rfftfreq(columns)[None]
    spectrum = (kappa**2 + 4 - 2 * np.cos(x) - 2 * np.cos(y)) ** (-(smoothness + 1) / 2)
    field = np.fft.irfft2(np.fft.rfft2(numbers) * spectrum, s=(rows, columns))
    return field / field.std()


def clouds(rows, columns, length=4):
    """Gaps of a third of the sites, up to 20 sites deep."""
    field = gaussian(rows, columns, 4, 1.5, 1 / length)
    return field < np.quantile(field, 0.35)


class StreamTest(MprTest):
    def both(self, data, model="", *arguments):
        """An image filled at once, and in windows."""
        np.save(self.path("data.npy"), data)
        return self.fill(FILL + model, *arguments, name="whole"), self.fill(
            FILL + model + STREAM, *arguments, name="stream"
        )


def root_mean_square(values):
    return np.sqrt(np.mean(np.square(values)))


class Windows(StreamTest):
    def check(self, mask, deviations, model=""):
        """Mean and standard deviation are those of an image that is filled at once; edges of
        windows do not show."""
        truth = (20 + 3 * gaussian(*mask.shape, 1)).astype("f4")
        data = truth.copy()
        data[mask] = np.nan
        whole, stream = self.both(data, model)
        self.assertEqual(stream["filled"][~mask].tobytes(), data[~mask].tobytes())
        self.assertEqual(stream["status"].tobytes(), whole["status"].tobytes())
        error = root_mean_square((whole["mean"] - truth)[mask])
        change = stream["mean"] - whole["mean"]
        self.assertLess(root_mean_square(change[mask]), 0.01 * error)
        self.assertLess(
            root_mean_square((stream["std"][mask] / whole["std"][mask] - 1)), deviations
        )
        at_seam = np.zeros(mask.shape, bool)
        at_seam[:, SEAM - 2 : SEAM + 2] = at_seam[SEAM - 2 : SEAM + 2] = True
        self.assertLess(root_mean_square(change[mask & at_seam]), 0.01 * error)
        for name in ("mean", "std"):
            steps = {
                key: np.abs(np.diff(found[name], axis=1))
                for key, found in (("whole", whole), ("stream", stream))
            }
            pairs = mask[:, 1:] & mask[:, :-1]
            seam = {
                key: found[:, SEAM - 1][pairs[:, SEAM - 1]].mean() for key, found in steps.items()
            }
            self.assertLess(abs(seam["stream"] / seam["whole"] - 1), 0.02, name)
            self.assertGreater(pairs[:, SEAM - 1].sum(), 30)

    def test_scattered_gaps(self):
        self.check(np.random.default_rng(3).random((400, 500)) < 0.33, 0.02)

    def test_clouds(self):
        self.check(clouds(400, 450), 0.01, FIXED + DRAWS)

    def test_what_is_estimated(self):
        """A small image is taken whole for that, so that nothing differs."""
        truth = gaussian(400, 330, 1)
        truth[np.random.default_rng(3).random(truth.shape) < 0.4] = np.nan
        whole, stream = self.both(truth)
        for name in ("temperature", "curvature", "coupling_x", "gap_edge", "variance_factor"):
            a, b = (
                attribute_of_results(self.path(f"{run}.h5"), name) for run in ("whole", "stream")
            )
            self.assertAlmostEqual(a, b, delta=1e-4 * abs(a), msg=name)
        np.testing.assert_allclose(
            whole["calibration/factor"], stream["calibration/factor"], rtol=1e-3
        )

    def test_gaps_deeper_than_the_halo(self):
        """What is beyond is known from blocks: the mean and its step at a window's edge change by
        less than a tenth of its error."""
        truth = 20 + 3 * gaussian(400, 480, 1)
        mask = np.random.default_rng(3).random(truth.shape) < 0.1
        mask[60:340, 150:430] = True
        data = truth.copy()
        data[mask] = np.nan
        whole, stream = self.both(data, FIXED + DRAWS)
        self.assertTrue(attribute_of_results(self.path("stream.h5"), "deep_gaps", "results/stream"))
        error = root_mean_square((whole["mean"] - truth)[mask])
        self.assertLess(root_mean_square((stream["mean"] - whole["mean"])[mask]), 0.1 * error)
        self.assertLess(root_mean_square(stream["std"][mask] / whole["std"][mask] - 1), 0.05)
        rows = slice(100, 300)
        step = np.abs(np.diff(stream["mean"], axis=1))[rows]
        self.assertLess(step[:, SEAM - 1].mean(), 0.1 * error)

    def test_windows_without_a_sample(self):
        data = gaussian(300, 900, 1)
        data[:, 250:] = np.nan
        np.save(self.path("data.npy"), data)
        found = self.fill(FILL + FIXED + STREAM, name="stream")
        self.assertTrue(np.isfinite(found["filled"]).all())
        self.assertGreater(found["std"][:, 800].mean(), 1.3 * found["std"][:, 260].mean())

    def test_the_greatest_distance(self):
        data = gaussian(300, 500, 1)
        data[100:200, 280:380] = np.nan
        whole, stream = self.both(data, FIXED + DRAWS + "output: {max_gap_distance: 30}\n")
        np.testing.assert_array_equal(np.isnan(whole["mean"]), np.isnan(stream["mean"]))
        self.assertTrue(np.isnan(stream["mean"]).any())

    def test_no_gaps(self):
        whole, stream = self.both(gaussian(300, 400, 1))
        self.assertEqual(whole["filled"].tobytes(), stream["filled"].tobytes())


def attribute_of_results(path, name, group="results"):
    with h5py.File(path) as file:
        return file[group].attrs[name]


class Files(StreamTest):
    def setUp(self):
        super().setUp()
        self.truth = (100 * gaussian(340, 420, 1)).round()
        self.mask = np.random.default_rng(3).random(self.truth.shape) < 0.33
        self.land = np.zeros(self.truth.shape, np.int8)
        self.land[:100, :90] = 1

    def write_netcdf(self):
        """Packed in chunks, with coordinates of a sphere and a mask of land."""
        with h5py.File(self.path("in.nc"), "w") as file:
            packed = np.where(self.mask, -32768, self.truth).astype("i2")
            data = file.create_dataset(
                "t", data=packed[None], chunks=(1, 100, 128), compression="gzip"
            )
            data.attrs["_FillValue"] = np.int16(-32768)
            data.attrs["scale_factor"] = 0.01
            data.attrs["units"] = "K"
            for name, values, units in (
                ("time", [0.0], "days since 2000-01-01"),
                ("lat", np.linspace(60, 50, 340), "degrees_north"),
                ("lon", np.linspace(0, 12, 420), "degrees_east"),
            ):
                scale = file.create_dataset(name, data=values)
                scale.attrs["units"] = units
                scale.make_scale(name)
            for d, name in enumerate(("time", "lat", "lon")):
                data.dims[d].attach_scale(file[name])
            file.create_dataset("land", data=self.land, chunks=(64, 64))

    def test_netcdf(self):
        self.write_netcdf()
        text = "app: mpr\ninput: {file: in.nc, dataset: t, inactive: {dataset: land}}\noutput: {netcdf: %s.nc, packing: source, quantiles: [0.1]}\n"
        whole = self.fill(text % "whole", name="whole")
        stream = self.fill(text % "stream" + STREAM, name="stream")
        self.assertEqual(sorted(whole), sorted(name for name in stream))
        self.assertEqual(attribute_of_results(self.path("stream.h5"), "metric"), "geographic")
        active = self.land == 0
        np.testing.assert_array_equal(whole["status"], stream["status"])
        scale = np.std(whole["mean"][0][active])
        self.assertLess(root_mean_square((stream["mean"] - whole["mean"])[0][active]), 2e-3 * scale)
        self.assertLess(
            root_mean_square((stream["quantile_0.1"] - whole["quantile_0.1"])[0][active]),
            5e-3 * scale,
        )
        with h5py.File(self.path("whole.nc")) as a, h5py.File(self.path("stream.nc")) as b:
            self.assertEqual(sorted(a), sorted(b))
            self.assertEqual(b["t"].dtype, np.int16)
            self.assertLessEqual(np.abs(a["t"][...].astype(int) - b["t"][...]).max(), 2)
            np.testing.assert_array_equal(a["lat"], b["lat"])

    @unittest.skipUnless(
        shutil.which("gdalinfo") and importlib.util.find_spec("osgeo"),
        "no gdalinfo, or no python3-gdal",
    )
    def test_geotiff(self):
        """A tiled one: its tiles and projection come out again, and the image is that of .npy."""
        from osgeo import gdal, osr

        gdal.UseExceptions()
        data = np.where(self.mask, -9999, self.truth).astype("f4")
        source = gdal.GetDriverByName("GTiff").Create(
            self.path("in.tif"), 420, 340, 1, gdal.GDT_Float32, ["TILED=YES", "COMPRESS=DEFLATE"]
        )
        source.SetGeoTransform((500000, 30, 0, 5600000, 0, -30))
        system = osr.SpatialReference()
        system.ImportFromEPSG(32632)
        source.SetProjection(system.ExportToWkt())
        source.GetRasterBand(1).SetNoDataValue(-9999)
        source.GetRasterBand(1).WriteArray(data)
        source = None
        outcome = self.call("-", "--validate", stdin="app: mpr\ninput: {file: in.tif}\n")
        if "has no GDAL" in outcome.err:
            self.skipTest("built without GDAL")
        found = self.fill(
            "app: mpr\ninput: {file: in.tif}\noutput: {geotiff: out.tif, cloud_optimised: true}\n"
            + STREAM,
            name="run",
        )
        np.save(self.path("data.npy"), np.where(self.mask, np.nan, self.truth).astype("f4"))
        plain = self.fill(FILL + STREAM, name="plain")
        self.assertEqual(found["mean"].tobytes(), plain["mean"].tobytes())
        out = gdal.Open(self.path("out.tif"))
        self.assertEqual(out.GetGeoTransform(), (500000, 30, 0, 5600000, 0, -30))
        self.assertIn("32632", out.GetProjection())
        self.assertGreater(out.GetRasterBand(1).GetBlockSize()[1], 1)
        for band, name in enumerate(("filled", "mean", "std")):
            np.testing.assert_array_equal(out.GetRasterBand(band + 1).ReadAsArray(), found[name])

    def test_memory(self):
        """The peak of the process, for an image that takes more than the limit if it is filled at
        once."""
        data = gaussian(3000, 3000, 1).astype("f4")
        data[np.random.default_rng(3).random(data.shape) < 0.2] = np.nan
        np.save(self.path("data.npy"), data)
        text = "app: mpr\ninput: {file: data.npy}\n" + FIXED + "simulation: {sampler: sweeps}\n"
        peak = {}
        for name, more in (("stream", "stream: {memory: 360 MiB}\n"), ("whole", "")):
            self.write(f"{name}.yaml", text + more)
            # A shell starts it: a process that this one starts inherits its peak.
            run = subprocess.run(
                ["sh", "-c", '"$0" "$1"; exit $?', EXECUTABLE, f"{name}.yaml"],
                cwd=self.folder,
                env=environment(),
                text=True,
                capture_output=True,
                check=True,
            )
            peak[name] = (
                float(re.search(r"peak memory: .*process ([0-9.]+) MB", run.stderr).group(1))
                * 1e6
                / 2**20
            )
        self.assertLess(peak["stream"], 360)
        self.assertGreater(peak["whole"], 360)


class Interruption(StreamTest):
    def test_restart(self):
        data = gaussian(1100, 1200, 1)
        data[np.random.default_rng(3).random(data.shape) < 0.3] = np.nan
        np.save(self.path("data.npy"), data)
        text = (
            "app: mpr\ninput: {file: data.npy}\n"
            + FIXED
            + STREAM
            + "run: {checkpoint_every: 0.01}\noutput: {ensemble: 2}\n"
        )
        self.fill(text, name="alone")
        self.write("part.yaml", text)
        for stop in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(stop=stop):
                process = self.start("part.yaml", "--backend", "serial", "--force")
                while "%  windows" not in (line := process.stderr.readline()) and line:
                    pass
                process.send_signal(stop)
                process.communicate()
                if process.returncode == 0:
                    self.skipTest("the run had ended before the signal")
                self.assertIn("part.stream", self.files())
                if stop == signal.SIGTERM:
                    self.assertEqual(attribute(self.path("part.h5"), "run_status"), "interrupted")
                    self.assertLess(
                        attribute_of_results(
                            self.path("part.h5"), "windows_done", "results/stream"
                        ),
                        20,
                    )
                self.succeed(
                    "part.yaml",
                    "-q",
                    "--backend",
                    "serial",
                    "--force",
                    "--restart",
                    "part.restart.h5",
                )
                self.assert_same_bits("alone.h5", "part.h5")
                self.assertEqual(
                    [
                        name
                        for name in self.files()
                        if name.startswith("part.") and "stream" in name
                    ],
                    [],
                )
                self.assertNotIn("part.restart.h5", self.files())

    def test_finished_windows_that_are_gone(self):
        data = gaussian(1100, 1200, 1)
        data[np.random.default_rng(3).random(data.shape) < 0.3] = np.nan
        np.save(self.path("data.npy"), data)
        self.write("run.yaml", "app: mpr\ninput: {file: data.npy}\n" + FIXED + STREAM)
        restart = self.killed_run("run")
        os.remove(self.path("run.stream"))
        self.assert_mentions(
            self.call("run.yaml", "-q", "--restart", restart),
            FILES,
            "cannot open",
            "run.stream",
            "which holds finished windows",
        )
        self.write("run.stream", b"precious and not a store, so that it stays as it is")
        self.assert_mentions(
            self.call("run.yaml", "-q", "--force"), FILES, "another file has that name"
        )
        self.assertEqual(
            self.read("run.stream"), b"precious and not a store, so that it stays as it is"
        )


class WrongInput(StreamTest):
    def test_keys(self):
        np.save(self.path("data.npy"), gaussian(300, 300, 1))
        self.refuse(
            INPUT,
            FILL + "stream: {window: 300}\n",
            "run.yaml:3:18: error: 'stream.window' is '300', but must be auto or a multiple of 128 from 256",
        )
        self.refuse(
            INPUT,
            FILL + "stream: {halo: 5}\n",
            "'stream.halo' is '5', but must be auto or a multiple of 16 from 16 to 240",
        )
        self.refuse(
            INPUT,
            FILL + "stream: {memory: 8}\n",
            "'stream.memory' is '8', but must be a number of MiB, GiB or TiB, such as '8 GiB'",
        )
        self.refuse(
            INPUT,
            FILL + "stream: {}\nmodel: {mode: paper}\n",
            "mode 'paper' works on a whole field",
            "fill without 'stream'",
        )
        self.refuse(
            INPUT, FILL + "stream: {}\ntask: validate\n", "task 'validate' works on a whole field"
        )
        self.refuse(
            INPUT,
            FILL + "stream: {halo: 32}\noutput: {max_gap_distance: 40}\n",
            "greater than the halo",
        )
        self.refuse(
            INPUT,
            FILL + "stream: {}\nmodel: {local_temperature: true}\ngrid: {periodic: [x]}\n",
            "local temperatures",
            "columns that go round",
        )

    def test_memory_that_is_not_enough(self):
        np.save(
            self.path("data.npy"),
            np.where(
                np.random.default_rng(1).random((1500, 1500)) < 0.3,
                np.nan,
                1.5 * gaussian(1500, 1500, 1),
            ),
        )
        self.refuse(
            RESOURCE,
            FILL + "stream: {memory: 100 MiB}\n",
            "windows of 256 x 256 sites need",
            "MiB, and stream.memory is 100 MiB",
            "give 'memory: ",
        )
        self.refuse(
            RESOURCE,
            FILL + "stream: {memory: 600 MiB, window: 1408}\n",
            "windows of 1408 x 1408 sites need",
            "give 'memory: ",
            "or 'window: ",
        )
        self.assertEqual(self.files(), ["data.npy", "input.yaml", "run.yaml"])

    def test_data(self):
        np.save(self.path("data.npy"), np.zeros((3, 300, 300)))
        self.refuse(
            INPUT,
            FILL + "stream: {}\n",
            "run.yaml:2:15: error: 'data.npy' has the shape 3 x 300 x 300, and a stream is one image",
        )
        np.save(self.path("data.npy"), np.asfortranarray(gaussian(300, 400, 1)))
        self.refuse(INPUT, FILL + "stream: {}\n", "in Fortran order", "numpy.ascontiguousarray")
        np.save(self.path("data.npy"), np.full((300, 400), np.nan))
        self.refuse(
            INPUT, FILL + "stream: {}\n", "the data have no sample: all 120000 sites are missing"
        )
        infinite = gaussian(300, 400, 1)
        infinite[37, 11] = np.inf
        np.save(self.path("data.npy"), infinite)
        self.refuse(
            INPUT, FILL + "stream: {}\n", "'data.npy' holds an infinite value (row 37, column 11)"
        )


if __name__ == "__main__":
    run_cases.main()
