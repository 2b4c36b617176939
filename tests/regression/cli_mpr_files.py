# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-mpr and the files that people have: cli_mpr_files.py EXECUTABLE. Large offsets, masks,
sizes of one, NetCDF and rasters, in and out."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import h5py
import numpy as np

import run_cases
from cli_support import EXECUTABLE, FILES, INPUT, environment
from mpr_support import FILL, MprTest, smooth, with_gaps


class Offsets(MprTest):
    def test_a_large_offset_changes_nothing(self):
        data, mask = with_gaps(smooth())
        self.save("data.npy", data)
        plain = self.fill(name="plain")
        for offset in (1e6, 1e8, -3e8):
            self.save("data.npy", data + offset)
            moved = self.fill(FILL + "output: {quantiles: [0.1], ensemble: 2}\n")
            self.assertEqual(moved["filled"][~mask].tobytes(), (data + offset)[~mask].tobytes())
            for name in ("filled", "mean", "frames/low", "frames/high"):
                np.testing.assert_allclose(
                    moved[name] - offset, plain[name], atol=3e-6, err_msg=f"{name} {offset}"
                )
            # a turn that is taken or not takes another way
            same = np.abs(moved["std"] - plain["std"]) <= 1e-3 * plain["std"]
            self.assertGreater(same.mean(), 0.95)
            self.assertLess(np.abs(moved["ensemble"] - moved["mean"]).max(), 3)
            self.assertLess((moved["quantile_0.1"] - moved["mean"])[mask].max(), 0)

    def test_frames_of_other_levels(self):
        base = smooth(30, 40)
        data, mask = with_gaps(np.stack([base, base + 1e7, base - 1e9]))
        self.save("data.npy", data)
        found = self.fill()
        for frame, level in enumerate((0, 1e7, -1e9)):
            error = (found["filled"][frame] - level - base)[mask[frame]]
            self.assertLess(np.sqrt(np.mean(error**2)), 0.1)

    def test_validation(self):
        self.save("data.npy", smooth())
        text = FILL + "task: validate\n"
        plain = self.fill(text)["validation/mrase"].item()
        self.save("data.npy", smooth() + 1e8)
        self.assertLess(abs(self.fill(text)["validation/mrase"].item() / plain - 1), 1e-3)


class Ranges(MprTest):
    """Values whose range a precision does not hold are an error with the key; those that it holds
    are filled as any others."""

    DOUBLE = FILL + "model: {precision: double}\n"

    def test_scales(self):
        base, mask = with_gaps(smooth(40, 50))
        self.save("data.npy", base)
        single, double = self.fill(), self.fill(self.DOUBLE)
        for scale in (1e-45, 1e-28, 1e36, 1e38, 1e130, 1e-130, 1e-200):
            self.save("data.npy", base * scale)
            if 1e-29 < scale < 1e37:
                found = self.fill()
                for name in ("filled", "std", "mc_error"):
                    np.testing.assert_allclose(
                        found[name] / scale,
                        single[name],
                        rtol=2e-2,
                        atol=1e-5,
                        err_msg=f"{scale}: {name}",
                    )
            else:
                remedy = (
                    "model.precision: double, or" if 1e-140 < scale < 1e138 else "remedy: multiply"
                )
                self.refuse(
                    INPUT,
                    FILL,
                    "run.yaml",
                    "the values of 'data.npy' run from",
                    "for single precision" if "double" in remedy else "precision",
                    remedy,
                )
            if not 1e-139 < scale < 1e138:
                self.refuse(
                    INPUT,
                    self.DOUBLE,
                    "the values of 'data.npy' run from",
                    "for double precision",
                    "remedy: multiply",
                )
                continue
            found = self.fill(self.DOUBLE + "output: {ensemble: 2, quantiles: [0.9]}\n")
            for name in ("filled", "mean", "std", "mc_error"):
                np.testing.assert_allclose(
                    found[name] / scale, double[name], rtol=1e-5, err_msg=f"{scale}: {name}"
                )
            self.assertTrue(((found["quantile_0.9"] - found["mean"])[mask] > 0).all())
            self.assertTrue((np.abs(found["ensemble"] / scale - base)[:, ~mask] < 1e-12).all())

    def test_frames_streams_and_validation(self):
        base, _ = with_gaps(smooth(40, 50))
        self.save("data.npy", np.stack([base, 1e-40 * base]))
        self.refuse(INPUT, FILL, "the values of 'data.npy' (frame 1) run from")
        self.save("data.npy", 1e-40 * smooth(40, 50))
        self.refuse(
            INPUT,
            FILL + "task: validate\n",
            "the values of 'data.npy' run from",
            "precision: double",
        )
        plain = self.fill(self.DOUBLE + "task: validate\n")
        self.save("data.npy", smooth(40, 50))
        expected = self.fill(self.DOUBLE + "task: validate\n")
        for score in ("mrase", "crps", "spread"):
            np.testing.assert_allclose(
                1e40 * plain["validation/" + score], expected["validation/" + score], rtol=1e-5
            )
        np.testing.assert_allclose(1e40 * plain["truth"], smooth(40, 50), rtol=1e-12)
        image, _ = with_gaps(smooth(300, 300))
        self.save("data.npy", 1e-40 * image)
        self.refuse(
            INPUT,
            FILL + "stream: {window: 256, halo: 16}\n",
            "the values of 'data.npy' run from",
            "precision: double",
        )
        # Logarithms have another range.
        self.save("data.npy", 1e-40 * base)
        found = self.fill(FILL + "model: {transform: log}\n")
        self.assertTrue((found["std"] > 0).sum() > 0 and found["std"].dtype == np.float64)

    def test_a_synthetic_field_far_from_zero(self):
        """Its mean is taken off before values are rounded, as that of data."""
        text = "app: mpr\ntask: validate\ninput: {synthetic: {size: [48, 48], mean: %s, standard_deviation: 1}}\n"
        near, far = self.fill(text % "0"), self.fill(text % "1e8")
        self.assertAlmostEqual(
            far["validation/mrase"].item() / near["validation/mrase"].item(), 1, delta=1e-3
        )
        self.assertLess(np.abs(far["truth"] - 1e8 - near["truth"]).max(), 1e-5)


class Masks(MprTest):
    def test_a_mask_that_leaves_nothing(self):
        self.save("data.npy", smooth(5, 6))
        self.save("sea.npy", np.ones((5, 6), np.int8))
        self.refuse(
            INPUT,
            "app: mpr\ninput: {file: data.npy, inactive: {file: sea.npy}}\n",
            "run.yaml:2:42: error: the mask of inactive sites 'sea.npy' leaves no site: all 30 are inactive",
            "inverted: true",
        )

    def test_samples_that_say_nothing_of_the_spread(self):
        one = np.full((6, 7), np.nan)
        one[2, 2] = 3.25
        self.save("data.npy", one)
        self.fill()
        self.assertIn("there is one sample", self.outcome.err)
        one[3:] = 3.25
        self.save("data.npy", one)
        self.fill()
        self.assertIn("all samples are equal", self.outcome.err)

    def test_another_grid(self):
        """Rows the other way round, or another region."""
        for name, lat, lon in (
            ("data", np.linspace(10, 20, 20), np.linspace(0, 29, 30)),
            ("flipped", np.linspace(20, 10, 20), np.linspace(0, 29, 30)),
            ("east", np.linspace(10, 20, 20), np.linspace(180, 209, 30)),
            ("single", np.linspace(10, 20, 20).astype("f4"), np.arange(30)),
        ):
            with h5py.File(self.path(f"{name}.nc"), "w") as file:
                file["lat"], file["lon"] = lat, lon
                for axis in ("lat", "lon"):
                    file[axis].make_scale(axis)
                file["v"] = (
                    with_gaps(smooth(20, 30))[0]
                    if name == "data"
                    else (smooth(20, 30) > 11).astype(np.int8)
                )
                file["v"].dims[0].attach_scale(file["lat"])
                file["v"].dims[1].attach_scale(file["lon"])
        text = "app: mpr\ninput: {file: data.nc, dataset: v, mask: {file: %s.nc, dataset: v}}\n"
        self.fill(text % "single")
        self.refuse(
            INPUT,
            text % "flipped",
            "run.yaml:2:",
            "'flipped.nc:/lat' and 'data.nc:/lat' are on different grids: number 1 is 20",
            "and 10",
        )
        self.refuse(
            INPUT,
            text % "east",
            "'east.nc:/lon' and 'data.nc:/lon' are on different grids: number 1 is 180",
        )


class Memory(MprTest):
    def peak(self, *arguments):
        """Bytes of a run at its peak."""
        process = subprocess.Popen(
            [EXECUTABLE, *arguments], cwd=self.folder, env=environment(), stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss * 1024

    def test_nine_bytes_a_site(self):
        """While data and masks are read. The small image has more than a piece, so that what is
        fixed is the same."""
        images = {"small": (1300, 1000), "large": (3300, 3000)}
        for name, shape in images.items():
            values = np.random.default_rng(1).random(shape)
            self.save(f"{name}.npy", values)
            self.save(f"{name}_mask.npy", (values > 0.5).astype(float))
            with h5py.File(self.path(f"{name}.h5"), "w") as file:
                file["v"] = values
                file["mask"] = values > 0.5
            self.write(
                f"{name}_npy.yaml",
                f"app: mpr\ninput: {{file: {name}.npy, mask: {{file: {name}_mask.npy}}}}\n",
            )
            self.write(
                f"{name}_hdf5.yaml",
                f"app: mpr\ninput: {{file: {name}.h5, dataset: v, mask: {{dataset: mask}}}}\n",
            )
        for kind in ("npy", "hdf5"):
            small, large = (self.peak(f"{name}_{kind}.yaml", "--validate") for name in images)
            self.assertLess((large - small) / (3300 * 3000 - 1300 * 1000), 10, kind)


class SizesOfOne(MprTest):
    def test_wherever_they_stand(self):
        data, mask = with_gaps(np.stack([smooth(20, 30) + 0.1 * k for k in range(4)]), 0.5)
        self.save("data.npy", data)
        for axis in ("frames", "coupled"):
            text = f"app: mpr\ninput: {{file: data.npy, third_axis: {axis}}}\n"
            self.save("data.npy", data)
            plain = self.fill(text)["filled"]
            for shape in ((4, 1, 20, 30), (1, 4, 20, 30), (4, 20, 30, 1), (1, 4, 1, 20, 30, 1)):
                self.save("data.npy", data.reshape(shape))
                found = self.fill(text)["filled"]
                self.assertEqual(found.shape, shape)
                self.assertEqual(found.tobytes(), plain.tobytes(), (axis, shape))

    def test_one_row(self):
        for shape in ((1, 30), (1, 1, 30), (30, 1)):
            self.save("data.npy", with_gaps(smooth(1, 30))[0].reshape(shape))
            self.assertTrue(np.isfinite(self.fill()["filled"]).all())


class Names(MprTest):
    def test_files_of_other_kinds(self):
        self.write("data.csv", "1,2\n3,4\n")
        np.savez(self.path("data.npz"), a=smooth(5, 6))
        os.mkdir(self.path("store.zarr"))
        for name, phrases in (
            ("data.csv", ("it is a table, not an image", ".npy")),
            ("data.npz", ("it holds several arrays", "numpy.save")),
            ("store.zarr", ("it is a folder", "give a file")),
            ("nothing.tif", ("No such file or directory", "check the name")),
        ):
            self.refuse(
                FILES, f"app: mpr\ninput: {{file: {name}}}\n", f"cannot read '{name}'", *phrases
            )
        self.save("data.npy", smooth(5, 6))
        self.refuse(
            INPUT,
            "app: mpr\ninput: {file: data.npy, dataset: sst}\n",
            "'data.npy' has no dataset 'sst'",
        )


class ClassicNetcdf(MprTest):
    """NetCDF-3, which netCDF's own program writes."""

    @unittest.skipUnless(shutil.which("ncgen"), "no ncgen")
    def test_like_netcdf_4(self):
        values, missing = with_gaps(np.stack([smooth(20, 30)] * 2))
        numbers = np.where(missing, -32768, np.round((values - 10) / 0.001)).astype(np.int16)
        mask = (smooth(20, 30) > 11.5).astype(np.int8)

        def listed(array):
            return ", ".join(str(x) for x in array.ravel())

        self.write(
            "data.cdl",
            f"""netcdf data {{
dimensions: time = unlimited; lat = 20; lon = 30;
variables:
  double time(time); time:units = "days since 2000-01-01";
  double lat(lat); lat:units = "degrees_north";
  double lon(lon); lon:units = "degrees_east";
  short sst(time, lat, lon); sst:_FillValue = -32768s; sst:scale_factor = 0.001; sst:add_offset = 10.; sst:units = "degC";
  byte mask(lat, lon);
  char word(lat);
  :title = "old";
data:
  time = 0, 0.5; lat = {listed(np.arange(20) * 0.5)}; lon = {listed(np.arange(30) * 0.5)};
  sst = {listed(numbers)}; mask = {listed(mask)};
}}
""",
        )
        subprocess.run(
            ["ncgen", "-k", "classic", "-o", self.path("data.nc"), self.path("data.cdl")],
            check=True,
        )
        text = "app: mpr\ninput: {file: data.nc, dataset: sst, inactive: {dataset: mask}}\noutput: {netcdf: out.nc, packing: source}\n"
        self.write("run.yaml", text)
        outcome = self.call("run.yaml", "-q", "--force")
        if "has no netCDF library" in outcome.err:
            self.assert_mentions(
                outcome,
                FILES,
                "'data.nc' is a NetCDF-3 (classic) file",
                "nccopy -k nc4 data.nc",
                "libnetcdf-dev",
            )
            self.skipTest("built without the netCDF library")
        found = self.fill(text)
        inactive = np.broadcast_to(smooth(20, 30) > 11.5, missing.shape)
        np.testing.assert_array_equal(
            found["status"], np.where(inactive, 0, np.where(missing, 2, 1))
        )
        np.testing.assert_array_equal(
            found["filled"][~missing & ~inactive], (numbers * 0.001 + 10.0)[~missing & ~inactive]
        )
        self.refuse(INPUT, "app: mpr\ninput: {file: data.nc}\n", "choose one of: mask, sst")
        with h5py.File(self.path("out.nc")) as file:
            np.testing.assert_array_equal(file["time"], [0, 0.5])
            self.assertEqual(file["time"].attrs["units"], b"days since 2000-01-01")
            np.testing.assert_array_equal(file["sst"][()][~missing], numbers[~missing])
            self.assertEqual(file.attrs["title"], b"old")
            self.assertEqual(
                [list(dimension.keys()) for dimension in file["sst"].dims],
                [["time"], ["lat"], ["lon"]],
            )


class Flags(MprTest):
    def setUp(self):
        super().setUp()
        self.values, self.missing = with_gaps(smooth(20, 30))
        number = np.ones((20, 30), np.int8)  # sea
        number[:, 20:] = 2  # land
        number[:5, 5:9] = 5  # a lake with ice
        number[10, :] = -128  # nothing is known
        self.number = number
        with h5py.File(self.path("data.nc"), "w") as file:
            file["sst"] = self.values
            file["mask"] = number
            file["mask"].attrs.update(
                {
                    "_FillValue": np.int8(-128),
                    "flag_meanings": "sea land lake ice",
                    "flag_masks": np.array([1, 2, 4, 1], np.int8),
                    "flag_values": np.array([1, 2, 4, 1], np.int8),
                }
            )
            file["kind"] = number
            file["kind"].attrs.update(
                {"flag_meanings": "sea land icy_lake", "flag_values": np.array([1, 2, 5], np.int8)}
            )
            file["bits"] = number
            file["bits"].attrs.update(
                {"flag_meanings": "low land lake", "flag_masks": np.array([1, 2, 4], np.int8)}
            )
            file["bare"] = number
            file["odd"] = number
            file["odd"].attrs.update(
                {"flag_meanings": "a b", "flag_values": np.array([1], np.int8)}
            )

    def inactive(self, mask):
        """Which sites are inactive."""
        return (
            self.fill(f"app: mpr\ninput: {{file: data.nc, dataset: sst, inactive: {{{mask}}}}}\n")[
                "status"
            ]
            == 0
        )

    def test_by_name(self):
        number = self.number
        land, lake = number == 2, number == 5
        for mask, expected in (
            ("dataset: kind, flags: [land, icy_lake]", land | lake),
            ("file: data.nc, dataset: kind, flags: [land]", land),
            ("dataset: bits, flags: [land, lake]", land | lake),
            ("dataset: mask, flags: [land]", land),  # both masks and values
            ("variable: mask, flags: [lake]", lake),
            ("dataset: mask, flags: [land, lake], inverted: true", ~(land | lake)),
            ("dataset: mask, bits: 2", land),
            ("dataset: mask, bits: 6", land | lake),
            ("dataset: bare, bits: 128", number == -128),
            ("dataset: bare, bits: 1, inverted: true", (number & 1) == 0),
        ):
            with self.subTest(mask):
                np.testing.assert_array_equal(self.inactive(mask), expected)

    def test_refusals(self):
        text = "app: mpr\ninput: {file: data.nc, dataset: sst, inactive: {%s}}\n"
        self.save("mask.npy", self.number)
        for mask, phrases in (
            (
                "dataset: kind, flags: [land, lake]",
                ("'data.nc:/kind' has no flag 'lake'", "choose of: sea, land, icy_lake"),
            ),
            (
                "dataset: bare, flags: [land]",
                ("'data.nc:/bare' has no attribute 'flag_meanings'", "give 'bits'"),
            ),
            (
                "dataset: odd, flags: [a]",
                ("'data.nc:/odd' has 2 flag_meanings, 1 flag_values and 0 flag_masks",),
            ),
            ("file: mask.npy, flags: [land]", ("'mask.npy' cannot name flags",)),
            ("dataset: sst, bits: 2", ("'data.nc:/sst' holds", "which has no flags or bits")),
            ("dataset: kind, bits: 2, flags: [land]", ("give either 'flags' or 'bits', not both",)),
            (
                "dataset: bare",
                ("leaves no site: all 600 are inactive", "name its 'flags' or 'bits'"),
            ),
            ("flags: [land]", ("a mask needs 'file', or 'dataset' in the file of the data",)),
        ):
            with self.subTest(mask):
                self.refuse(INPUT, text % mask, "run.yaml:2:", *phrases)


class Conventions(MprTest):
    """Numbers that stand for none, and packed ones."""

    def status(self, numbers, **attributes):
        with h5py.File(self.path("data.nc"), "w") as file:
            file["v"] = numbers
            file["v"].attrs.update(attributes)
        self.found = self.fill("app: mpr\ninput: {file: data.nc, dataset: v}\n")
        return self.found["status"] == 2

    def test_missing_numbers(self):
        numbers = np.arange(600, dtype=np.int16).reshape(20, 30)
        missing = self.status(
            numbers,
            _FillValue=np.int16(7),
            missing_value=np.array([8, 9], np.int16),
            valid_min=np.int16(2),
            valid_max=np.int16(500),
        )
        np.testing.assert_array_equal(
            missing, (numbers < 2) | (numbers > 500) | ((numbers >= 7) & (numbers <= 9))
        )
        self.assertEqual(self.found["filled"].dtype, np.float32)
        missing = self.status(
            numbers, valid_range=np.array([3, 400], np.int16), scale_factor=0.1, add_offset=-5.0
        )
        np.testing.assert_array_equal(missing, (numbers < 3) | (numbers > 400))
        np.testing.assert_array_equal(
            self.found["filled"][~missing], (numbers * 0.1 - 5.0)[~missing]
        )
        # The range is one of values, since it is in floating point.
        missing = self.status(
            numbers, valid_range=np.array([-4.7, 35.0]), scale_factor=0.1, add_offset=-5.0
        )
        np.testing.assert_array_equal(missing, (numbers < 3) | (numbers > 400))
        real = numbers.astype(np.float32) + 0.1
        # The missing value is rounded as the numbers are.
        missing = self.status(real, missing_value=float(np.float64(300.1)))
        np.testing.assert_array_equal(missing, numbers == 300)

    def test_unsigned(self):
        numbers = (np.arange(600) % 256).astype(np.uint8).reshape(20, 30)
        missing = self.status(
            numbers.view(np.int8), _Unsigned="true", _FillValue=np.int8(-1), scale_factor=0.5
        )
        np.testing.assert_array_equal(missing, numbers == 255)
        np.testing.assert_array_equal(self.found["filled"][~missing], (numbers * 0.5)[~missing])

    def test_attributes_that_make_no_sense(self):
        numbers = np.arange(600, dtype=np.int16).reshape(20, 30)
        for name, value, phrase in (
            ("scale_factor", 0.0, "the attribute 'scale_factor' of 'data.nc:/v' is 0"),
            ("scale_factor", "1", "the attribute 'scale_factor' of 'data.nc:/v' holds no numbers"),
            ("valid_range", np.array([3, 2], np.int16), "the valid range of 'data.nc:/v' is empty"),
            (
                "valid_range",
                np.int16(3),
                "the attribute 'valid_range' of 'data.nc:/v' does not hold two numbers",
            ),
        ):
            with h5py.File(self.path("data.nc"), "w") as file:
                file["v"] = numbers
                file["v"].attrs[name] = value
            self.refuse(
                INPUT,
                "app: mpr\ninput: {file: data.nc, dataset: v}\n",
                "run.yaml:2:15: error: " + phrase,
            )


class Dimensions(MprTest):
    def test_every_result_names_its_own(self):
        self.save("data.npy", with_gaps(np.stack([smooth(20, 30)] * 2))[0])
        for text in (
            FILL + "output: {ensemble: 2, quantiles: [0.1]}\n",
            FILL + "task: validate\n",
            "app: mpr\ntask: simulate\nsimulate: {size: [3, 8, 8], sweeps: 10}\n",
            "app: mpr\ntask: synthesize\ninput: {synthetic: {size: [16, 24]}}\n",
        ):
            self.write("run.yaml", text)
            self.succeed("run.yaml", "-q", "--force")
            with h5py.File(self.path("run.h5")) as file:
                names = []
                for top in {"results", "series"} & set(file):
                    file[top].visititems(
                        lambda name, item, top=top: names.append(f"{top}/{name}")
                        if isinstance(item, h5py.Dataset)
                        else None
                    )
                for name in names:
                    dataset = file[name]
                    if "CLASS" in dataset.attrs:
                        continue
                    for dimension, size in zip(dataset.dims, dataset.shape):
                        self.assertEqual(len(dimension), 1, (text, name))
                        scale = dimension[0]
                        self.assertEqual(scale.shape, (size,))
                        group = dataset.parent  # where readers of NetCDF look
                        self.assertEqual(group[os.path.basename(scale.name)], scale)


class NetcdfOutput(MprTest):
    """What comes out of a NetCDF file can take its place."""

    def write_source(self):
        """Curvilinear coordinates with bounds, a grid mapping, a scalar coordinate, a dimension
        without coordinate, packed values."""
        values = smooth(12, 15) + 0.2 * np.arange(3)[:, None, None]
        self.missing = np.random.default_rng(2).random(values.shape) < 0.3
        self.numbers = np.where(self.missing, -32768, np.round((values - 20) / 0.01)).astype(
            np.int16
        )
        rows, columns = np.mgrid[0:12, 0:15]
        with h5py.File(self.path("in.nc"), "w") as file:
            file.attrs["title"] = "a swath"
            file.attrs["history"] = "made"

            def scale(name, data, **attributes):
                file[name] = data
                file[name].attrs.update(attributes)
                file[name].make_scale(name)

            def variable(name, data, dimensions, **attributes):
                file[name] = data
                file[name].attrs.update(attributes)
                for i, dimension in enumerate(dimensions):
                    file[name].dims[i].attach_scale(file[dimension])

            scale(
                "time",
                np.array([0.0, 1.0, 2.5]),
                units="days since 2020-01-01",
                calendar="standard",
                bounds="time_bnds",
                axis="T",
            )
            scale("y", np.arange(12.0) * 1000, units="m", standard_name="projection_y_coordinate")
            file["x"] = np.zeros(15, ">f4")
            file["x"].make_scale("This is a netCDF dimension but not a netCDF variable.        15")
            file["nv"] = np.zeros(2, ">f4")
            file["nv"].make_scale("This is a netCDF dimension but not a netCDF variable.         2")
            variable("time_bnds", np.array([[0, 1], [1, 2], [2, 3.0]]), ["time", "nv"])
            variable(
                "lat",
                50 + 0.1 * rows + 0.01 * columns,
                ["y", "x"],
                units="degrees_north",
                standard_name="latitude",
            )
            variable(
                "lon",
                (5 + 0.1 * columns).astype(np.float32),
                ["y", "x"],
                units="degrees_east",
                standard_name="longitude",
            )
            file["height"] = np.float32(2)
            file["height"].attrs.update({"units": "m", "positive": "up"})
            file["crs"] = np.int32(0)
            file["crs"].attrs.update(
                {"grid_mapping_name": "polar_stereographic", "latitude_of_projection_origin": 90.0}
            )
            variable(
                "sst",
                self.numbers,
                ["time", "y", "x"],
                _FillValue=np.int16(-32768),
                scale_factor=0.01,
                add_offset=20.0,
                units="degC",
                standard_name="sea_surface_temperature",
                coordinates="lat lon height",
                grid_mapping="crs",
                comment="noon",
                ancillary_variables="quality",
            )
            variable("quality", np.zeros((12, 15), np.int8), ["y", "x"], long_name="not copied")

    def run_it(self, output):
        self.write_source()
        return self.fill(
            f"app: mpr\ninput: {{file: in.nc, dataset: sst}}\noutput: {{netcdf: out.nc, {output}}}\n"
        )

    def assert_same_variable(self, name):
        with h5py.File(self.path("in.nc")) as source, h5py.File(self.path("out.nc")) as copy:
            self.assertEqual(source[name][()].tobytes(), copy[name][()].tobytes())
            self.assertEqual(source[name].dtype, copy[name].dtype)
            own = {"DIMENSION_LIST", "REFERENCE_LIST", "_Netcdf4Dimid", "NAME", "CLASS"}
            self.assertEqual(
                {key: value for key, value in source[name].attrs.items() if key not in own},
                {key: value for key, value in copy[name].attrs.items() if key not in own},
            )
            for mine, theirs in zip(copy[name].dims, source[name].dims):
                self.assertEqual(
                    [scale.name for scale in mine.values()],
                    [scale.name for scale in theirs.values()],
                )

    def test_packed_like_the_source(self):
        found = self.run_it("packing: source, quantiles: [0.05], exceedance: [-1.5], ensemble: 2")
        for name in ("time", "time_bnds", "y", "lat", "lon", "height", "crs"):
            self.assert_same_variable(name)
        with h5py.File(self.path("out.nc")) as file:
            self.assertNotIn("quality", file)
            sst = file["sst"]
            self.assertEqual(sst.dtype, np.int16)
            np.testing.assert_array_equal(sst[()][~self.missing], self.numbers[~self.missing])
            np.testing.assert_allclose(sst[()] * 0.01 + 20, found["filled"], atol=0.0051)
            self.assertFalse((sst[()] == -32768).any())
            self.assertEqual(
                {
                    name: sst.attrs[name]
                    for name in ("units", "standard_name", "coordinates", "grid_mapping", "comment")
                },
                {
                    "units": "degC",
                    "standard_name": "sea_surface_temperature",
                    "coordinates": "lat lon height",
                    "grid_mapping": "crs",
                    "comment": "noon",
                },
            )
            for name in sst.attrs["ancillary_variables"].decode().split():
                self.assertIn(name, file)
            spread = file["sst_standard_deviation"]
            np.testing.assert_array_equal(spread, found["std"])
            self.assertEqual(
                spread.attrs["standard_name"], b"sea_surface_temperature standard_error"
            )
            self.assertEqual([len(dimension) for dimension in spread.dims], [1, 1, 1])
            np.testing.assert_array_equal(file["sst_status"], found["status"])
            self.assertEqual(file["sst_ensemble"].shape, (2, 3, 12, 15))
            self.assertIn("sst_quantile_0p05", file)
            self.assertIn("sst_exceedance_m1p5", file)
            self.assertEqual(
                (file.attrs["title"], file.attrs["history"], file.attrs["Conventions"]),
                ("a swath", "made", b"CF-1.8"),
            )

    def test_values(self):
        found = self.run_it("packing: none")
        with h5py.File(self.path("out.nc")) as file:
            np.testing.assert_array_equal(file["sst"], found["filled"])
            self.assertEqual(file["sst"].dtype, np.float64)
            self.assertLessEqual(
                set(file["sst"].attrs),
                {
                    "_FillValue",
                    "units",
                    "standard_name",
                    "coordinates",
                    "grid_mapping",
                    "comment",
                    "long_name",
                    "ancillary_variables",
                    "DIMENSION_LIST",
                    "_Netcdf4Dimid",
                },
            )

    def test_fills_again(self):
        """What was written can be read."""
        self.run_it("packing: source")
        found = self.fill(
            "app: mpr\ninput: {file: out.nc, dataset: sst, mask: {dataset: sst_status, flags: [filled]}}\n",
            name="again",
        )
        np.testing.assert_array_equal(found["status"] == 2, self.missing)

    def test_the_source_is_not_replaced(self):
        self.write_source()
        self.refuse(
            FILES,
            "app: mpr\ninput: {file: in.nc, dataset: sst}\noutput: {netcdf: in.nc}\n",
            "cannot write 'in.nc': it is what this run reads",
        )

    def test_the_input_and_the_results_are_not_replaced(self):
        self.save("data.npy", with_gaps(smooth(20, 30))[0])
        self.refuse(
            FILES,
            FILL + "output: {netcdf: run.yaml}\n",
            "run.yaml': it is the input of this run",
        )
        with open(self.path("run.yaml"), encoding="utf-8") as file:
            self.assertIn("netcdf: run.yaml", file.read())
        self.refuse(
            FILES,
            FILL + "output: {netcdf: run.h5}\n",
            "run.h5': it is the results file of this run",
        )
        self.refuse(
            INPUT,
            FILL + "output: {netcdf: out.nc, geotiff: out.nc}\n",
            "run.yaml:3:",
            "name the same file",
        )

    def test_what_cannot_be_is_said_first(self):
        self.write_source()
        text = "app: mpr\ninput: {file: in.nc, dataset: sst}\noutput: {netcdf: missing/out.nc}\n"
        self.refuse(FILES, text, "missing/out.nc")
        self.assertNotIn("run.h5", self.files())
        self.save("data.npy", smooth(20, 30))
        self.refuse(
            INPUT,
            FILL + "output: {netcdf: out.nc, packing: source}\n",
            "run.yaml:3:",
            "needs data from a NetCDF or HDF5 file",
        )

    def test_plain_arrays(self):
        self.save("data.npy", with_gaps(smooth(20, 30))[0])
        found = self.fill(FILL + "output: {netcdf: out.nc}\n")
        with h5py.File(self.path("out.nc")) as file:
            np.testing.assert_array_equal(file["data"], found["filled"])
            self.assertEqual(
                [list(dimension.keys())[0][:26] for dimension in file["data"].dims],
                ["This is a netCDF dimension"] * 2,
            )

    def test_values_beyond_the_packing(self):
        values = np.full((12, 40), 250, np.uint8)
        values[:, ::2] = (np.arange(20) * 10 + 45).astype(np.uint8)
        values[:, 30:] = 255
        with h5py.File(self.path("in.nc"), "w") as file:
            file["v"] = values
            file["v"].attrs["_FillValue"] = np.uint8(255)
        self.fill(
            "app: mpr\ninput: {file: in.nc, dataset: v}\noutput: {netcdf: out.nc, packing: source}\n"
        )
        with h5py.File(self.path("out.nc")) as file:
            self.assertFalse((file["v"][()] == 255).any(), "a prediction stands for nothing")

    @unittest.skipUnless(shutil.which("ncdump"), "no ncdump")
    def test_netcdf_reads_it(self):
        """Every coordinate as netCDF's own program prints it, in both files."""
        self.run_it("packing: source, ensemble: 2")
        printed = {}
        for name in ("in.nc", "out.nc"):
            run = subprocess.run(
                ["ncdump", "-v", "time,time_bnds,y,lat,lon,height,crs", self.path(name)],
                capture_output=True,
                text=True,
                check=True,
            )
            printed[name] = run.stdout
        for variable in ("time", "time_bnds", "y", "lat", "lon", "height", "crs"):
            for pattern in (
                rf" {variable} = [^;]*;",
                rf"\t\t(?:string )?{variable}:.*",
                rf"\t\w+ {variable}(?:\(.*\))? ;",
            ):
                found = [sorted(re.findall(pattern, text)) for text in printed.values()]
                self.assertEqual(*found)
        for dimension in ("time = 3", "y = 12", "x = 15", "nv = 2", "member = 2"):
            self.assertIn(f"\t{dimension} ;", printed["out.nc"])
        self.assertIn("short sst(time, y, x) ;", printed["out.nc"])
        self.assertNotIn("phony", printed["out.nc"])

    @unittest.skipUnless(
        importlib.util.find_spec("xarray") and importlib.util.find_spec("netCDF4"), "no xarray"
    )
    def test_xarray_takes_it_for_its_own(self):
        import xarray

        self.run_it("packing: source")
        with xarray.open_dataset(self.path("in.nc")) as source, xarray.open_dataset(
            self.path("out.nc")
        ) as copy:
            self.assertEqual(set(source["sst"].coords), set(copy["sst"].coords))
            for name in source["sst"].coords:
                self.assertTrue(source[name].variable.identical(copy[name].variable), name)
            self.assertEqual(source["sst"].dims, copy["sst"].dims)
            np.testing.assert_array_equal(
                source["sst"].values[~self.missing], copy["sst"].values[~self.missing]
            )
            self.assertTrue(np.isfinite(copy["sst"].values).all())
        with xarray.open_dataset(self.path("run.h5"), group="results") as results:
            self.assertEqual(results["filled"].dims, ("time", "y", "x"))


def has_gdal():
    """Whether the executable was built with GDAL, from what it says of a file that is none."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "x.tif"), "w", encoding="utf-8") as file:
            file.write("no raster")
        run = subprocess.run(
            [EXECUTABLE, "-", "--validate"],
            input="app: mpr\ninput: {file: x.tif}\n",
            cwd=folder,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        return "no GDAL" not in run.stderr


WITHOUT_TOOLS = not (shutil.which("gdalinfo") and importlib.util.find_spec("osgeo"))


@unittest.skipUnless(has_gdal(), "built without GDAL")
@unittest.skipIf(WITHOUT_TOOLS, "no gdalinfo, or no python3-gdal")
class Rasters(MprTest):
    """Through GDAL, compared with GDAL's own tools."""

    def gdalinfo(self, name):
        run = subprocess.run(
            ["gdalinfo", "-json", self.path(name)], capture_output=True, text=True, check=True
        )
        return json.loads(run.stdout)

    def write_raster(
        self, name, images, dtype="int16", nodata=-9999, scale=0.1, offset=5.0, **creation
    ):
        from osgeo import gdal, osr

        gdal.UseExceptions()
        types = {"int16": gdal.GDT_Int16, "uint8": gdal.GDT_Byte, "float32": gdal.GDT_Float32}
        bands, rows, columns = images.shape
        data = gdal.GetDriverByName("GTiff").Create(
            self.path(name),
            columns,
            rows,
            bands,
            types[dtype],
            [f"{k}={v}" for k, v in creation.items()],
        )
        data.SetGeoTransform((400000.0, 30.0, 0.0, 5600000.0, 0.0, -30.0))
        system = osr.SpatialReference()
        system.ImportFromEPSG(32632)
        data.SetProjection(system.ExportToWkt())
        data.SetMetadata({"AREA_OR_POINT": "Point", "sensor": "ours"})
        for i in range(bands):
            band = data.GetRasterBand(i + 1)
            band.SetDescription(f"band {i}")
            if nodata is not None:
                band.SetNoDataValue(nodata)
            if scale != 1 or offset != 0:
                band.SetScale(scale)
                band.SetOffset(offset)
            band.SetUnitType("metre")
            band.WriteArray(images[i].astype(dtype))
        data.FlushCache()
        return system

    def read_raster(self, name):
        from osgeo import gdal

        return gdal.Open(self.path(name)).ReadAsArray()

    def numbers(self, bands=3):
        """Numbers of a packed raster, and where there is none."""
        values = smooth(40, 50) * 3 + np.arange(bands)[:, None, None]
        missing = np.random.default_rng(3).random(values.shape) < 0.3
        return np.where(missing, -9999, np.round((values - 5) / 0.1)), missing

    def test_bands_come_out_as_they_went_in(self):
        numbers, missing = self.numbers()
        self.write_raster("in.tif", numbers)
        found = self.fill(
            "app: mpr\ninput: {file: in.tif, all_bands: true}\noutput: {geotiff: out.tif, packing: source}\n"
        )
        np.testing.assert_array_equal(found["status"] == 2, missing)
        np.testing.assert_array_equal(found["filled"][~missing], (numbers * 0.1 + 5)[~missing])
        np.testing.assert_array_equal(found["band"], [1, 2, 3])
        np.testing.assert_array_equal(found["y"], 5600000 - 30 * (np.arange(40) + 0.5))
        image = self.read_raster("out.tif")
        self.assertEqual(image.dtype, np.int16)
        np.testing.assert_array_equal(image[~missing], numbers[~missing])
        np.testing.assert_allclose(image * 0.1 + 5, found["filled"], atol=0.051)
        before, after = self.gdalinfo("in.tif"), self.gdalinfo("out.tif")
        for key in ("size", "coordinateSystem", "geoTransform", "cornerCoordinates", "wgs84Extent"):
            self.assertEqual(before[key], after[key], key)
        self.assertEqual(before["metadata"][""], after["metadata"][""])
        for mine, theirs in zip(after["bands"], before["bands"], strict=True):
            for key in (
                "type",
                "description",
                "noDataValue",
                "scale",
                "offset",
                "unit",
                "colorInterpretation",
            ):
                self.assertEqual(mine.get(key), theirs.get(key), key)
        spread = self.gdalinfo("out_std.tif")
        self.assertEqual([band["type"] for band in spread["bands"]], ["Float32"] * 3)
        np.testing.assert_array_equal(self.read_raster("out_std.tif"), found["std"])

    def test_some_bands(self):
        numbers, missing = self.numbers()
        self.write_raster("in.tif", numbers)
        found = self.fill(
            "app: mpr\ninput: {file: in.tif, bands: [3, 1]}\noutput: {geotiff: out.tif, packing: source}\n"
        )
        np.testing.assert_array_equal(found["status"] == 2, missing[[2, 0]])
        self.assertEqual(
            [band["description"] for band in self.gdalinfo("out.tif")["bands"]],
            ["band 2", "band 0"],
        )
        one = self.fill("app: mpr\ninput: {file: in.tif, band: 2}\n")
        np.testing.assert_array_equal(one["status"] == 2, missing[1])
        self.refuse(
            INPUT,
            "app: mpr\ninput: {file: in.tif, band: 4}\n",
            "run.yaml:2:15: error: 'in.tif' has no band 4; it has 3",
        )
        self.refuse(
            INPUT,
            "app: mpr\ninput: {file: in.tif, band: 1, all_bands: true}\n",
            "give one of 'band', 'bands' and 'all_bands'",
        )
        self.refuse(
            INPUT, "app: mpr\ninput: {file: in.tif, dataset: x}\n", "'in.tif' has no dataset 'x'"
        )

    def test_cloud_optimised(self):
        numbers, _ = self.numbers(1)
        self.write_raster("in.tif", np.tile(numbers, (1, 20, 20)))
        self.fill(
            "app: mpr\ninput: {file: in.tif}\nmodel: {curvature: 0, anisotropy: equal, calibrate: false}\n"
            "output: {geotiff: out.tif, packing: source, cloud_optimised: true}\n"
        )
        about = self.gdalinfo("out.tif")
        self.assertEqual(about["metadata"]["IMAGE_STRUCTURE"]["LAYOUT"], "COG")
        self.assertEqual(about["bands"][0]["block"], [512, 512])
        self.assertEqual(
            [overview["size"] for overview in about["bands"][0]["overviews"]], [[500, 400]]
        )
        before = self.gdalinfo("in.tif")
        for key in ("size", "coordinateSystem", "geoTransform"):
            self.assertEqual(before[key], about[key], key)
        self.assertEqual(before["bands"][0]["noDataValue"], about["bands"][0]["noDataValue"])
        self.assertEqual(
            self.files(), ["in.tif", "input.yaml", "out.tif", "out_std.tif", "run.h5", "run.yaml"]
        )

    def test_virtual_rasters_and_other_formats(self):
        from osgeo import gdal

        numbers, missing = self.numbers(1)
        self.write_raster("in.tif", numbers)
        gdal.Translate(self.path("in.vrt"), self.path("in.tif"))
        gdal.Translate(self.path("in.asc"), self.path("in.tif"), format="AAIGrid")
        gdal.Translate(self.path("in.img"), self.path("in.tif"), format="HFA")
        expected = self.fill("app: mpr\ninput: {file: in.tif}\n")
        for name in ("in.vrt", "in.asc", "in.img"):
            found = self.fill(f"app: mpr\ninput: {{file: {name}}}\n")
            np.testing.assert_array_equal(found["status"] == 2, missing[0], name)
            if name == "in.vrt":
                self.assertEqual(found["filled"].tobytes(), expected["filled"].tobytes())
            with h5py.File(self.path("run.h5")) as file:
                files = [text.decode() for text in file["provenance/files/name"][()]]
            self.assertIn(name, files)
            self.assertEqual(
                "in.tif" in files, name == "in.vrt", "a virtual raster stands for another file"
            )

    def test_a_mask_band(self):
        """Pixels that the file masks without a number for no data."""
        from osgeo import gdal

        numbers, missing = self.numbers(1)
        gdal.SetConfigOption("GDAL_TIFF_INTERNAL_MASK", "YES")
        self.addCleanup(gdal.SetConfigOption, "GDAL_TIFF_INTERNAL_MASK", None)
        self.write_raster("in.tif", np.where(missing, 0, numbers), nodata=None)
        data = gdal.Open(self.path("in.tif"), gdal.GA_Update)
        data.CreateMaskBand(gdal.GMF_PER_DATASET)
        data.GetRasterBand(1).GetMaskBand().WriteArray(
            np.where(missing[0], 0, 255).astype(np.uint8)
        )
        data = None
        self.assertTrue(
            ((self.fill("app: mpr\ninput: {file: in.tif}\n")["status"] == 2) == missing[0]).all()
        )

    def test_values_that_the_type_does_not_hold(self):
        rng = np.random.default_rng(5)
        numbers = np.where(
            rng.random((1, 40, 50)) < 0.3, 0, np.where(rng.random((1, 40, 50)) < 0.5, 1, 255)
        )
        self.write_raster("in.tif", numbers, dtype="uint8", nodata=0, scale=1, offset=0)
        self.fill("app: mpr\ninput: {file: in.tif}\noutput: {geotiff: out.tif, packing: source}\n")
        image = self.read_raster("out.tif")
        self.assertFalse((image == 0).any(), "a prediction stands for no data")
        np.testing.assert_array_equal(image[numbers[0] != 0], numbers[0][numbers[0] != 0])

    def test_coordinates_to_netcdf(self):
        from osgeo import gdal

        numbers, _ = self.numbers(1)
        self.write_raster("in.tif", numbers)
        found = self.fill("app: mpr\ninput: {file: in.tif}\noutput: {netcdf: out.nc}\n")
        with h5py.File(self.path("out.nc")) as file:
            np.testing.assert_array_equal(file["in"], found["filled"])
            np.testing.assert_array_equal(file["x"], 400000 + 30 * (np.arange(50) + 0.5))
            np.testing.assert_array_equal(file["y"], 5600000 - 30 * (np.arange(40) + 0.5))
            self.assertEqual(file["in"].attrs["grid_mapping"], b"crs")
        again = gdal.Open(f"NETCDF:{self.path('out.nc')}:in")
        if again is not None:  # this GDAL has its driver netCDF
            self.assertEqual(again.GetGeoTransform(), (400000.0, 30.0, 0.0, 5600000.0, 0.0, -30.0))

    def test_a_mask_of_another_grid(self):
        from osgeo import gdal

        numbers, _ = self.numbers(1)
        self.write_raster("in.tif", numbers)
        self.write_raster(
            "mask.tif", (smooth(40, 50)[None] > 11), dtype="uint8", nodata=None, scale=1, offset=0
        )
        text = "app: mpr\ninput: {file: in.tif, mask: {file: mask.tif}}\n"
        self.fill(text)
        gdal.Open(self.path("mask.tif"), gdal.GA_Update).SetGeoTransform(
            (400100.0, 30.0, 0.0, 5600000.0, 0.0, -30.0)
        )
        self.refuse(
            INPUT,
            text,
            "run.yaml:2:",
            "'mask.tif' and 'in.tif' are on different grids: a corner is at 400100",
        )

    def test_refusals(self):
        self.write("x.tif", "no raster")
        self.refuse(FILES, "app: mpr\ninput: {file: x.tif}\n", "cannot read 'x.tif' (GDAL: ")
        numbers, _ = self.numbers(1)
        self.write_raster("in.tif", numbers)
        self.refuse(
            FILES,
            "app: mpr\ninput: {file: in.tif}\noutput: {geotiff: in.tif}\n",
            "cannot write 'in.tif': it is what this run reads",
        )
        self.assertNotIn("in.tif.plain", self.files())


if __name__ == "__main__":
    run_cases.main()
