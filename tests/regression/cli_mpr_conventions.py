# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-mpr and what files say of their numbers, dimensions and places: cli_mpr_conventions.py
EXECUTABLE."""

import unittest

import h5py
import numpy as np

import run_cases
from cli_mpr_files import WITHOUT_TOOLS, has_gdal
from cli_support import INPUT, NUMERICAL, arrays
from mpr_support import FILL, MprTest, smooth, with_gaps

OF_V = "app: mpr\ninput: {file: data.nc, dataset: v}\n"


class NetcdfTest(MprTest):
    def write(self, name, text="", **variables):
        """A text; or a file of variables: (numbers, names of dimensions, attributes). One that has
        the name of its dimension is a coordinate."""
        if not variables:
            return super().write(name, text)
        with h5py.File(self.path(name), "w") as file:
            for variable, (numbers, dimensions, attributes) in variables.items():
                file[variable] = numbers
                file[variable].attrs.update(attributes)
                if list(dimensions) == [variable]:
                    file[variable].make_scale(variable)
            for variable, (numbers, dimensions, _) in variables.items():
                for d, dimension in enumerate(dimensions):
                    if dimension not in file:
                        file[dimension] = np.zeros(np.shape(numbers)[d], ">f4")
                        file[dimension].make_scale(
                            f"This is a netCDF dimension but not a netCDF variable.{np.shape(numbers)[d]:10d}"
                        )
                    if dimension != variable:
                        file[variable].dims[d].attach_scale(file[dimension])
        return None

    def metric(self, name="run"):
        with h5py.File(self.path(f"{name}.h5"), "r") as file:
            return file["results"].attrs["metric"]

    def warnings(self, text=OF_V):
        """What a run says on stderr."""
        self.fill(text)
        return self.outcome.err


def degrees(lat, lon, north="degrees_north", east="degrees_east"):
    return {
        "lat": (lat, ["lat"], {"units": north} if north else {}),
        "lon": (lon, ["lon"], {"units": east} if east else {}),
    }


LAT, LON = 70 + 0.25 * np.arange(40), 10 + 0.25 * np.arange(50)


class FillValues(NetcdfTest):
    def test_of_netcdf_where_there_is_no_attribute(self):
        """NetCDF Users Guide: numbers that were never written; not of bytes, nor where there is a
        _FillValue, nor in plain HDF5."""
        data, mask = with_gaps(smooth(40, 50))
        defaults = {
            "f4": 9.969209968386869e36,
            "f8": 9.969209968386869e36,
            "i2": -32767,
            "u2": 65535,
            "i4": -2147483647,
            "u4": 4294967295,
        }
        for kind, fill in defaults.items():
            numbers = np.where(mask, 0, np.round(100 * np.nan_to_num(data))).astype(kind)
            numbers[mask] = np.array(fill).astype(kind)
            self.write("data.nc", v=(numbers, ["y", "x"], {}))
            self.assertEqual(int((self.fill(OF_V)["status"] == 2).sum()), mask.sum(), kind)
        bytes_ = np.where(mask, -127, np.round(np.nan_to_num(data))).astype("i1")
        self.write("data.nc", v=(bytes_, ["y", "x"], {}))
        self.assertEqual(int((self.fill(OF_V)["status"] == 2).sum()), 0)
        shorts = np.where(mask, -32767, np.round(np.nan_to_num(data))).astype("i2")
        self.write("data.nc", v=(shorts, ["y", "x"], {"_FillValue": np.int16(-1)}))
        self.assertEqual(int((self.fill(OF_V)["status"] == 2).sum()), 0)
        with h5py.File(self.path("data.nc"), "w") as file:
            file["v"] = shorts
        self.assertEqual(int((self.fill(OF_V)["status"] == 2).sum()), 0)

    def test_that_no_number_meets(self):
        """NaN in an integer variable marks nothing, and does not become 0 in what is written."""
        numbers = np.round(smooth(40, 50) - 10).astype("i2")  # many are 0
        self.save("mask.npy", np.pad(np.ones((4, 4), np.uint8), ((6, 30), (8, 38))))
        self.write("data.nc", v=(numbers, ["y", "x"], {"_FillValue": np.nan}))
        found = self.fill(
            OF_V.replace("v}", "v, mask: {file: mask.npy}}")
            + "output: {netcdf: out.nc, packing: source}\n"
        )
        self.assertEqual(int((found["status"] == 2).sum()), 16)
        with h5py.File(self.path("out.nc")) as file:
            written, fill = file["v"][:], file["v"].attrs["_FillValue"]
        self.assertEqual(written.dtype, np.int16)
        self.assertFalse((written == fill).any())
        kept = found["status"] == 1
        np.testing.assert_array_equal(written[kept], numbers[kept])

    def test_a_number_that_nobody_marked(self):
        """It is taken for a value, with a warning and the key; a number that values come near is
        one."""
        data, mask = with_gaps(smooth(40, 50))
        half = np.where(np.arange(50) < 25, data, np.nan)  # some gaps are marked
        for number in (-999.0, 1e20, 500.0):
            self.write("data.nc", v=(np.where(mask & np.isnan(half), number, data), ["y", "x"], {}))
            numbers = int((mask & np.isnan(half)).sum())
            for more in ("", "stream: {window: 256, halo: 16}\n")[: 1 if number > 0 else 2]:
                said = self.warnings(OF_V + more)
                self.assertIn(f"{numbers} samples of 'data.nc' are ", said)
                key = said.split("give ")[1].split(" where they stand")[0]
                self.assertIn(
                    float(key.removeprefix("input.missing_value: ")),
                    (number, np.float64(np.float32(number))),
                )
            found = self.fill(OF_V.replace("v}", f"v, missing_value: {number}}}"))
            self.assertEqual(self.outcome.err, "")
            self.assertEqual((found["status"] == 2).sum(), mask.sum())
        rain = np.maximum(smooth(40, 50) - 10, 0)
        one = np.where(np.arange(50) == 7, -999.0, smooth(40, 50))
        one[1:, 7] = 10  # a single outlier may be a value
        for values in (
            rain,
            1000 * (smooth(40, 50) > 10) + 0.1 * smooth(40, 50),
            np.round(smooth(40, 50)),
            one,
        ):
            self.write("data.nc", v=(np.where(mask, np.nan, values), ["y", "x"], {}))
            self.assertNotIn("stand", self.warnings(), values.min())

    def test_texts(self):
        data, mask = with_gaps(smooth(40, 50))
        marked = np.where(mask, -999.0, data)
        self.write("data.nc", v=(marked, ["y", "x"], {"missing_value": "-999."}))
        self.assertEqual(int((self.fill(OF_V)["status"] == 2).sum()), mask.sum())
        self.write(
            "data.nc", v=(data, ["y", "x"], {"missing_value": "none", "valid_range": "0, 100"})
        )
        self.assertEqual(int((self.fill(OF_V)["status"] == 2).sum()), mask.sum())

    def test_random_packings(self):
        """Random types and attributes against the conventions, written with NumPy."""
        random = np.random.default_rng(11)
        for case in range(25):
            kind = random.choice(["i1", "u1", "i2", "u2", "i4", "f4", "f8"])
            numbers = random.integers(0, 100, (12, 14)).astype(kind)
            attributes, missing = {}, np.zeros(numbers.shape, bool)
            if random.random() < 0.6:
                attributes["_FillValue"] = np.array(random.integers(0, 100)).astype(kind)
                missing |= numbers == attributes["_FillValue"]
            if random.random() < 0.5:
                attributes["missing_value"] = random.integers(0, 100, random.integers(1, 4)).astype(
                    kind
                )
                missing |= np.isin(numbers, attributes["missing_value"])
            if random.random() < 0.5:
                attributes["valid_min"] = np.array(random.integers(0, 20)).astype(kind)
                missing |= numbers < attributes["valid_min"]
            if random.random() < 0.5:
                attributes["valid_max"] = np.array(random.integers(80, 100)).astype(kind)
                missing |= numbers > attributes["valid_max"]
            if random.random() < 0.5:
                attributes["scale_factor"], attributes["add_offset"] = 0.5, -3.0
            self.write("data.nc", v=(numbers, ["y", "x"], attributes))
            found = self.fill(OF_V)
            np.testing.assert_array_equal(
                found["status"] == 2, missing, err_msg=f"{case}: {kind} {attributes}"
            )
            values = numbers * attributes.get("scale_factor", 1) + attributes.get("add_offset", 0)
            np.testing.assert_array_equal(found["filled"][~missing], values[~missing])

    def test_of_coordinates(self):
        """A packed latitude is read as its values; without one of them there is no metric."""
        data, _ = with_gaps(smooth(40, 50))
        self.write("data.nc", v=(data, ["lat", "lon"], {}), **degrees(LAT, LON))
        plain = self.fill(OF_V)
        packed = degrees(LAT, LON)
        packed["lat"] = (
            np.round((LAT - 70) / 0.25).astype("i2"),
            ["lat"],
            {"units": "degrees_north", "scale_factor": 0.25, "add_offset": 70.0},
        )
        self.write("data.nc", v=(data, ["lat", "lon"], {}), **packed)
        self.assertEqual(self.fill(OF_V)["filled"].tobytes(), plain["filled"].tobytes())
        for attributes, number in (
            ({}, 9.969209968386869e36),
            ({"_FillValue": np.float64(-9999)}, -9999.0),
        ):
            holed = LAT.copy()
            holed[5] = number
            self.write(
                "data.nc",
                v=(data, ["lat", "lon"], {}),
                **{
                    **degrees(LAT, LON),
                    "lat": (holed, ["lat"], {"units": "degrees_north", **attributes}),
                },
            )
            self.assertIn("holds no value at number 6", self.warnings())
            self.assertEqual(self.metric(), "pixels")
            self.refuse(INPUT, OF_V + "grid: {metric: geographic}\n", "holds no value at number 6")

    def test_of_masks(self):
        """Where a mask holds its fill value nothing is marked, with a warning."""
        sea = np.zeros((40, 50), "i1")
        sea[:5], sea[5:8] = 1, -1
        data, mask = with_gaps(smooth(40, 50))
        self.write(
            "data.nc", v=(data, ["y", "x"], {}), sea=(sea, ["y", "x"], {"_FillValue": np.int8(-1)})
        )
        text = OF_V.replace("v}", "v, inactive: {dataset: sea}}")
        found = self.fill(text)
        np.testing.assert_array_equal(found["status"] == 0, sea == 1)
        self.assertIn("150 sites", self.outcome.err)


class Order(NetcdfTest):
    def test_time_last(self):
        data, _ = with_gaps(np.stack([smooth(40, 50)] * 4, axis=-1))
        time = {"time": (np.arange(4.0), ["time"], {"units": "days since 2020-01-01"})}
        self.write("data.nc", v=(data, ["lat", "lon", "time"], {}), **degrees(LAT, LON), **time)
        self.refuse(
            INPUT,
            OF_V,
            "run.yaml:2:",
            "(lat,lon,time)",
            "columns along 'time'",
            "ncpdq -a time,lat,lon",
        )
        self.write(
            "data.nc",
            v=(np.moveaxis(data, 2, 1), ["lat", "time", "lon"], {}),
            **degrees(LAT, LON),
            **time,
        )
        self.refuse(INPUT, OF_V, "(lat,time,lon)")
        # Dimensions are known by names alone, and by the attribute axis alone.
        self.write("data.nc", v=(data, ["latitude", "longitude", "t"], {}))
        self.refuse(INPUT, OF_V, "(latitude,longitude,t)")
        self.write(
            "data.nc",
            v=(data, ["a", "b", "c"], {}),
            a=(LAT, ["a"], {"axis": "Y"}),
            b=(LON, ["b"], {"axis": "X"}),
            c=(np.arange(4.0), ["c"], {"axis": "T"}),
        )
        self.refuse(INPUT, OF_V, "(a,b,c)")
        # Sections and what is not known stay as they are.
        for names in (["time", "depth", "lon"], ["a", "b", "c"], ["time", "lat", "lon"]):
            self.write("data.nc", v=(np.moveaxis(data, 2, 0), names, {}))
            self.fill(OF_V)

    def test_longitudes_in_rows(self):
        data, _ = with_gaps(smooth(50, 40))
        self.write("data.nc", v=(data, ["lon", "lat"], {}), **degrees(LAT, LON))
        self.assertIn("rows are longitudes", self.warnings())


class Units(NetcdfTest):
    def test_spellings(self):
        data, _ = with_gaps(smooth(40, 50))
        for north, east in (
            ("degrees North", "degrees East"),
            ("Degrees_north", "DEGREES_EAST"),
            ("degree_N", "degree_E"),
            ("deg N", "deg E"),
            ("\u00b0N", "\u00b0E"),
            ("degrees north", "degrees east"),
        ):
            self.write("data.nc", v=(data, ["lat", "lon"], {}), **degrees(LAT, LON, north, east))
            self.assertNotIn("look like", self.warnings())
            self.assertEqual(self.metric(), "geographic", north)

    def test_radians(self):
        """They are what degrees are: with standard names, and where the names of dimensions and
        grid.metric say so."""
        data, _ = with_gaps(smooth(40, 50))
        text = OF_V + "output: {max_gap_distance: 60 km}\n"
        self.write("data.nc", v=(data, ["lat", "lon"], {}), **degrees(LAT, LON))
        right = self.fill(text)
        names = {"lat": {"standard_name": "latitude"}, "lon": {"standard_name": "longitude"}}
        for standard, key in (
            (names, ""),
            ({"lat": {}, "lon": {}}, "grid: {metric: geographic}\n"),
        ):
            axes = {
                name: (np.deg2rad(values), [name], {"units": "radians", **standard[name]})
                for name, values in (("lat", LAT), ("lon", LON))
            }
            self.write("data.nc", v=(data, ["lat", "lon"], {}), **axes)
            found = self.fill(text + key)
            self.assertEqual(self.metric(), "geographic")
            np.testing.assert_allclose(found["std"], right["std"], rtol=1e-4)

    def test_none(self):
        """Coordinates that only look like latitudes and longitudes: a warning with the key, which
        is obeyed."""
        data, _ = with_gaps(smooth(40, 50))
        self.write("data.nc", v=(data, ["lat", "lon"], {}), **degrees(LAT, LON))
        right = self.fill(OF_V)
        for units in ("", "degrees", "deg"):
            self.write("data.nc", v=(data, ["lat", "lon"], {}), **degrees(LAT, LON, units, units))
            self.assertIn("grid.metric: geographic", self.warnings())
            self.assertEqual(self.metric(), "pixels")
            self.assertEqual(
                self.fill(OF_V + "grid: {metric: geographic}\n")["std"].tobytes(),
                right["std"].tobytes(),
            )
        self.write("data.nc", v=(data, ["b", "a"], {}), b=(LAT, ["b"], {}), a=(LON, ["a"], {}))
        self.assertNotIn("look like", self.warnings())


def swath(rows=40, columns=50):
    """Latitudes and longitudes of the sites of an image that lies askew."""
    y, x = np.mgrid[0:rows, 0:columns]
    return {
        "lat": (60 + 0.1 * y + 0.03 * x, ["y", "x"], {"units": "degrees_north"}),
        "lon": (5 + 0.2 * x - 0.05 * y, ["y", "x"], {"units": "degrees_east"}),
    }


class Curvilinear(NetcdfTest):
    SAID = "the places of the sites of 'data.nc:/v' are curvilinear"

    def stored(self):
        with h5py.File(self.path("run.h5")) as file:
            return [text.decode() for text in file["warnings"]]

    def test_a_warning_with_the_key(self):
        """It is stored and shown; the fill is that of pixels, which the key asks for without a
        word."""
        data, _ = with_gaps(smooth(40, 50))
        variants = {
            "named": ({"coordinates": "lon lat"}, swath()),
            "in the group": ({}, swath()),
            "by name": (
                {},
                {
                    name + "_rho": (numbers, dimensions, {})
                    for name, (numbers, dimensions, _) in swath().items()
                },
            ),
            "numbered": (
                {},
                {**swath(), "y": (np.arange(40.0), ["y"], {}), "x": (np.arange(50.0), ["x"], {})},
            ),
        }
        self.write("data.nc", v=(data, ["y", "x"], {}))
        plain = self.fill(OF_V)
        self.assertFalse(self.stored())
        for which, (attributes, places) in variants.items():
            self.write("data.nc", v=(data, ["y", "x"], attributes), **places)
            found = self.fill(OF_V)
            self.assertEqual(found["std"].tobytes(), plain["std"].tobytes(), which)
            self.assertEqual(self.metric(), "pixels", which)
            for said in (self.outcome.err, *self.stored()):
                for part in (self.SAID, "lattice of pixels", "grid.metric: pixels"):
                    self.assertIn(part, said, which)
            self.assertEqual(len(self.stored()), 1, which)
            if which != "named":
                continue
            self.fill(OF_V + "grid: {metric: pixels}\n")
            self.assertFalse(self.stored(), which)
            self.refuse(
                INPUT,
                OF_V + "grid: {metric: geographic}\n",
                "run.yaml:3:",
                self.SAID,
                "grid.metric: pixels",
            )
            self.refuse(
                INPUT,
                OF_V + "output: {max_gap_distance: 25 km}\n",
                "run.yaml:3:",
                "are curvilinear",
            )
        self.write(
            "data.nc",
            v=(np.stack([data, data]), ["time", "y", "x"], {"coordinates": "lon lat"}),
            **swath(),
        )
        self.assertIn(self.SAID, self.warnings())

    def test_rows_and_columns_that_tell(self):
        """Lengths beside them are what counts."""
        data, _ = with_gaps(smooth(40, 50))
        lengths = {
            "y": (1000.0 * np.arange(40), ["y"], {"units": "m"}),
            "x": (2000.0 * np.arange(50), ["x"], {"units": "m"}),
        }
        self.write(
            "data.nc", v=(data, ["y", "x"], {"coordinates": "lon lat"}), **swath(), **lengths
        )
        self.fill(OF_V)
        self.assertEqual((self.metric(), self.stored()), ("projected", []))

    def test_of_a_stream(self):
        data, _ = with_gaps(smooth(300, 300))
        self.write("data.nc", v=(data, ["y", "x"], {"coordinates": "lon lat"}), **swath(300, 300))
        self.assertIn(self.SAID, self.warnings(OF_V + "stream: {window: 256, halo: 16}\n"))

    def test_another_grid(self):
        """Files whose sites have other places are refused; turns of 360 degrees are not."""
        data, _ = with_gaps(smooth(40, 50))
        self.write("data.nc", v=(data, ["y", "x"], {"coordinates": "lon lat"}), **swath())
        text = OF_V + "model: {background: {file: mean.nc, dataset: m}}\ngrid: {metric: pixels}\n"
        places = swath()
        for lat, lon, is_same in ((0, 0, True), (0, 360, True), (0.05, 0, False), (0, 1, False)):
            moved = {
                "lat": (places["lat"][0] + lat, *places["lat"][1:]),
                "lon": (places["lon"][0] + lon, *places["lon"][1:]),
            }
            self.write(
                "mean.nc", m=(smooth(40, 50), ["y", "x"], {"coordinates": "lon lat"}), **moved
            )
            if is_same:
                self.fill(text)
            else:
                self.refuse(INPUT, text, "run.yaml:3:", "are on different grids", "row 0, column 0")


class Ratios(NetcdfTest):
    def test_steps_that_are_too_unlike(self):
        """Rows a tenth of a millimetre apart beside columns of kilometres: an error with the place,
        and a warning where nothing was asked."""
        data, _ = with_gaps(smooth(40, 50))
        geographic = OF_V + "grid: {metric: geographic}\n"
        near = LAT.copy()
        near[7] = near[6] + 1e-9
        for lat, number in ((45 + 1e-9 * np.arange(40), 1), (near, 7)):
            self.write("data.nc", v=(data, ["lat", "lon"], {}), **degrees(lat, LON))
            self.refuse(
                INPUT,
                geographic,
                "run.yaml:3:",
                f"data.nc:/lat' from number {number} to the next is",
                "ratios up to 1000",
                "grid.metric: pixels",
            )
            self.assertIn("ratios up to 1000", self.warnings())
            self.assertEqual(self.metric(), "pixels")
        # Both axes alike: small cells.
        self.write(
            "data.nc",
            v=(data, ["lat", "lon"], {}),
            **degrees(45 + 1e-6 * np.arange(40), 10 + 1e-6 * np.arange(50)),
        )
        self.fill(geographic)
        self.write(
            "data.nc",
            v=(data, ["y", "x"], {}),
            y=(1e200 * np.arange(40), ["y"], {"units": "m"}),
            x=(np.arange(50.0), ["x"], {"units": "m"}),
        )
        self.refuse(
            INPUT,
            OF_V + "grid: {metric: projected}\n",
            "run.yaml:3:",
            "data.nc:/y' from number 1 to the next is 1e+200",
        )
        stack, _ = with_gaps(np.stack([smooth(20, 30)] * 4))
        depth = {"z": (np.array([0.0, 1e-6, 10.0, 20.0]), ["z"], {"units": "m"})}
        self.write("data.nc", v=(stack, ["z", "y", "x"], {}), **depth)
        self.assertIn(
            "data.nc:/z' from number 1 to the next is 1e-06",
            self.warnings(OF_V.replace("v}", "v, third_axis: coupled}")),
        )


class AlikeLayers(NetcdfTest):
    """Couplings of layers that are the same have no bound: what single precision makes of them is
    not a result without a word."""

    def stack(self, times):
        data, _ = with_gaps(smooth(40, 50))
        stack = np.stack([data] * len(times))
        stack[1] = np.nan
        self.write(
            "data.nc",
            v=(stack, ["time", "y", "x"], {}),
            time=(np.array(times, float), ["time"], {"units": "days since 2000-01-01"}),
        )
        return OF_V.replace("v}", "v, third_axis: coupled}")

    def test_a_mean_beyond_the_samples(self):
        text = self.stack([0, 1, 400])
        found = self.fill(text)
        if np.abs(found["mean"] - 10).max() > 10:
            self.assertRegex(
                self.outcome.err,
                "predictions lie beyond the samples by up to [0-9.]+ times the range of these\n.*model.precision: double",
            )
        self.assertRegex(
            self.outcome.err,
            "were not found in 15 steps.*\n.*give model.curvature and model.anisotropy.*model.precision: double",
        )
        found = self.fill(text + "model: {precision: double}\n")
        self.assertLess(np.abs(found["mean"] - 10).max(), 4)

    def test_sites_without_a_law(self):
        self.write("run.yaml", self.stack(range(6)))
        outcome = self.call("run.yaml", "-q", "--force")
        if outcome.status == 0:
            self.assertTrue(np.isfinite(arrays(self.path("run.h5"))["results/std"]).all())
        else:
            self.assert_mentions(outcome, NUMERICAL, "finite", "model.precision: double")
            self.assertRegex(
                outcome.err,
                "sites have no finite mean or standard deviation"
                "|couplings of greatest evidence are not finite",
            )


class Frames(NetcdfTest):
    def test_an_empty_day(self):
        """It stays empty, with a warning that names it; the others are as if it were not there."""
        stack = np.stack([smooth(30, 40) + k for k in range(4)])
        data, mask = with_gaps(stack)
        data[2] = np.nan
        self.save("data.npy", data)
        found = self.fill()
        self.assertIn("1 of 4 frames have no sample and stay empty: number 2,", self.outcome.err)
        self.assertTrue(
            np.isnan(found["filled"][2]).all() and np.isfinite(found["filled"][[0, 1, 3]]).all()
        )
        error = (found["filled"] - stack)[[0, 1, 3]][mask[[0, 1, 3]]]
        self.assertLess(np.sqrt(np.mean(error**2)), 0.1)
        self.assertEqual(found["frames/samples"][2], 0)
        for options in (
            "simulation: {sampler: draws}\n",
            "simulation: {sampler: sweeps}\n",
            "model: {mode: paper}\n",
            "model: {local_temperature: true}\n",
            "model: {trend: {polynomial: 1}}\n",
            "model: {noise: 0.05}\n",
        ):
            found = self.fill(FILL + options)
            self.assertTrue(
                np.isnan(found["filled"][2]).all()
                and np.isfinite(found["filled"][[0, 1, 3]]).all(),
                options,
            )
        data[0] = np.nan  # the first one, whose temperature stands for others
        self.save("data.npy", data)
        found = self.fill()
        self.assertTrue(
            np.isnan(found["filled"][[0, 2]]).all() and np.isfinite(found["filled"][[1, 3]]).all()
        )
        self.assertIn("number 0, 2,", self.outcome.err)
        self.save("data.npy", np.full((3, 20, 30), np.nan))
        self.refuse(INPUT, FILL, "no sample")

    def test_nothing_is_missing(self):
        self.save("data.npy", smooth())
        self.fill()
        self.assertIn("nothing is missing", self.outcome.err)
        self.fill(FILL + "task: validate\n")
        self.assertNotIn("nothing is missing", self.outcome.err)


class Place(NetcdfTest):
    def test_a_mapping_over_its_own_dimension(self):
        """As in the daily files of gridMET."""
        data, _ = with_gaps(np.stack([smooth(40, 50)] * 2))
        self.write(
            "data.nc",
            crs=(
                np.array([3], "i2"),
                ["crs"],
                {"grid_mapping_name": "latitude_longitude", "spatial_ref": "GEOGCS[]"},
            ),
            day=(np.arange(2.0), ["day"], {"units": "days since 1900-01-01"}),
            **degrees(LAT, LON),
            v=(data, ["day", "lat", "lon"], {"grid_mapping": "crs", "coordinates": "swath"}),
            swath=(np.arange(40.0), ["lat"], {"units": "s"}),
        )
        self.fill(OF_V + "output: {netcdf: out.nc}\n")
        for name, folder in (("out.nc", ""), ("run.h5", "coordinates/")):
            with h5py.File(self.path(name)) as file:
                self.assertEqual(
                    file[folder + "crs"].attrs["grid_mapping_name"], "latitude_longitude"
                )
                np.testing.assert_array_equal(file[folder + "crs"][()], [3])
        with h5py.File(self.path("out.nc")) as file:
            self.assertEqual(file["v"].attrs["grid_mapping"], "crs")
            np.testing.assert_array_equal(file["swath"][()], np.arange(40.0))
            self.assertEqual(file["day"].attrs["units"], "days since 1900-01-01")


@unittest.skipUnless(has_gdal(), "built without GDAL")
@unittest.skipIf(WITHOUT_TOOLS, "no gdalinfo, or no python3-gdal")
class Rasters(NetcdfTest):
    def write_raster(self, name, image, kind, nodata=None, system=None, driver="GTiff"):
        from osgeo import gdal, osr

        gdal.UseExceptions()
        rows, columns = image.shape
        data = gdal.GetDriverByName(driver).Create(self.path(name), columns, rows, 1, kind)
        if system:
            data.SetGeoTransform((10.0, 0.25, 0.0, 80.0, 0.0, -0.25))
            reference = osr.SpatialReference()
            reference.SetFromUserInput(system)
            data.SetProjection(reference.ExportToWkt())
        if nodata is not None:
            data.GetRasterBand(1).SetNoDataValue(nodata)
        data.GetRasterBand(1).WriteArray(image)
        data.FlushCache()

    def test_no_data_in_the_type_of_the_file(self):
        from osgeo import gdal

        data, mask = with_gaps(smooth(40, 50))
        for number in (1e-34, -3.4e38, 0.1, -9999.0):
            image = np.where(mask, np.float32(number), data).astype(np.float32)
            self.write_raster("in.tif", image, gdal.GDT_Float32, number)
            found = self.fill("app: mpr\ninput: {file: in.tif}\n")
            np.testing.assert_array_equal(found["status"] == 2, mask, err_msg=str(number))
            self.save("data.npy", image)  # the same of a key
            found = self.fill(f"app: mpr\ninput: {{file: data.npy, missing_value: {number!r}}}\n")
            np.testing.assert_array_equal(found["status"] == 2, mask, err_msg=str(number))

    def test_whole_numbers_of_64_bits(self):
        from osgeo import gdal

        if not hasattr(gdal, "GDT_Int64"):
            self.skipTest("GDAL before 3.5")
        data, mask = with_gaps(smooth(40, 50))
        image = np.where(mask, -(2**62), np.round(1000 * np.nan_to_num(data)) + 2**40).astype(
            np.int64
        )
        self.write_raster("in.tif", image, gdal.GDT_Int64, -(2**62))
        found = self.fill(
            "app: mpr\ninput: {file: in.tif}\noutput: {geotiff: out.tif, packing: source}\n"
        )
        np.testing.assert_array_equal(found["status"] == 2, mask)
        written = gdal.Open(self.path("out.tif")).ReadAsArray()
        self.assertEqual(written.dtype, np.int64)
        np.testing.assert_array_equal(written[~mask], image[~mask])
        image[3, 4] = 2**53 + 1
        self.write_raster("in.tif", image, gdal.GDT_Int64, -(2**62))
        self.refuse(
            INPUT, "app: mpr\ninput: {file: in.tif}\n", "9007199254740992", "double precision"
        )

    def test_compound_systems(self):
        """Heights beside latitudes and longitudes, or beside a projection, change nothing."""
        from osgeo import gdal

        image, mask = with_gaps(smooth(40, 50))
        for plain, compound, metric in (
            ("EPSG:4326", "EPSG:4326+5773", "geographic"),
            ("EPSG:32632", "EPSG:32632+5773", "projected"),
        ):
            found = {}
            for system in (plain, compound):
                self.write_raster(
                    "in.tif", np.nan_to_num(image, nan=-1), gdal.GDT_Float64, -1, system
                )
                found[system] = self.fill("app: mpr\ninput: {file: in.tif}\n")
                self.assertEqual(self.metric(), metric)
            for name in ("filled", "std"):
                self.assertEqual(found[plain][name].tobytes(), found[compound][name].tobytes())

    def test_a_metric_that_is_asked_for(self):
        from osgeo import gdal

        image, mask = with_gaps(smooth(40, 50))
        found = {}
        for system in ("EPSG:4326", 'LOCAL_CS["a plan",UNIT["degree",0.0174532925199433]]'):
            self.write_raster("in.tif", np.nan_to_num(image, nan=-1), gdal.GDT_Float64, -1, system)
            found[system] = self.fill(
                "app: mpr\ninput: {file: in.tif}\ngrid: {metric: geographic}\n"
            )
            self.assertEqual(self.metric(), "geographic")
        self.assertEqual(*(run["std"].tobytes() for run in found.values()))


if __name__ == "__main__":
    run_cases.main()
