# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-mpr and the files that people have: cli_mpr_files.py EXECUTABLE. Large offsets, masks, sizes of one, NetCDF and rasters, in and out."""

import os

import h5py
import numpy as np

import run_cases
from cli_support import INPUT, CommandLineTest, arrays

FILL = """\
app: mpr
input: {file: data.npy}
"""


def smooth(rows=60, columns=80):
    y, x = np.mgrid[0:rows, 0:columns]
    return 10 + np.sin(0.15 * x) + np.cos(0.11 * y) + 0.3 * np.sin(0.9 * x + 0.7 * y)


def with_gaps(values, share=0.3, seed=1):
    """A share of the values replaced by NaN; which ones."""
    mask = np.random.default_rng(seed).random(values.shape) < share
    data = values.copy()
    data[mask] = np.nan
    return data, mask


class FilesTest(CommandLineTest):
    def save(self, name, array):
        np.save(self.path(name), array)

    def fill(self, text=FILL, *arguments, name="run"):
        """The results of a run; what it said is in `said`."""
        self.write(f"{name}.yaml", text)
        self.said = self.succeed(f"{name}.yaml", "-q", "--force", *arguments).err
        return {key.removeprefix("results/"): value for key, value in arrays(self.path(f"{name}.h5")).items()}

    def refuse(self, status, text, *phrases):
        self.write("run.yaml", text)
        self.assert_mentions(self.call("run.yaml", "-q", "--force"), status, *phrases)


class Offsets(FilesTest):
    def test_a_large_offset_changes_nothing(self):
        data, mask = with_gaps(smooth())
        self.save("data.npy", data)
        plain = self.fill(name="plain")
        for offset in (1e6, 1e8, -3e8):
            self.save("data.npy", data + offset)
            moved = self.fill(FILL + "output: {quantiles: [0.1], ensemble: 2}\n")
            self.assertEqual(moved["filled"][~mask].tobytes(), (data + offset)[~mask].tobytes())
            for name in ("filled", "mean", "frames/low", "frames/high"):
                np.testing.assert_allclose(moved[name] - offset, plain[name], atol=3e-6, err_msg=f"{name} {offset}")
            same = np.abs(moved["std"] - plain["std"]) <= 1e-3 * plain["std"]  # a turn that is taken or not takes another way
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


class Masks(FilesTest):
    def test_a_mask_that_leaves_nothing(self):
        self.save("data.npy", smooth(5, 6))
        self.save("sea.npy", np.ones((5, 6), np.int8))
        self.refuse(INPUT, "app: mpr\ninput: {file: data.npy, inactive: {file: sea.npy}}\n",
                    "run.yaml:2:42: error: the mask of inactive sites 'sea.npy' leaves no site: all 30 are inactive", "inverted: true")

    def test_samples_that_say_nothing_of_the_spread(self):
        one = np.full((6, 7), np.nan)
        one[2, 2] = 3.25
        self.save("data.npy", one)
        self.fill()
        self.assertIn("there is one sample", self.said)
        one[3:] = 3.25
        self.save("data.npy", one)
        self.fill()
        self.assertIn("all samples are equal", self.said)


class SizesOfOne(FilesTest):
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


class Flags(FilesTest):
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
            file["mask"].attrs.update({"_FillValue": np.int8(-128), "flag_meanings": "sea land lake ice", "flag_masks": np.array([1, 2, 4, 1], np.int8),
                                       "flag_values": np.array([1, 2, 4, 1], np.int8)})
            file["kind"] = number
            file["kind"].attrs.update({"flag_meanings": "sea land icy_lake", "flag_values": np.array([1, 2, 5], np.int8)})
            file["bits"] = number
            file["bits"].attrs.update({"flag_meanings": "low land lake", "flag_masks": np.array([1, 2, 4], np.int8)})
            file["bare"] = number
            file["odd"] = number
            file["odd"].attrs.update({"flag_meanings": "a b", "flag_values": np.array([1], np.int8)})

    def inactive(self, mask):
        """Which sites are inactive."""
        return self.fill(f"app: mpr\ninput: {{file: data.nc, dataset: sst, inactive: {{{mask}}}}}\n")["status"] == 0

    def test_by_name(self):
        number = self.number
        land, lake = number == 2, number == 5
        for mask, expected in (("dataset: kind, flags: [land, icy_lake]", land | lake),
                               ("file: data.nc, dataset: kind, flags: [land]", land),
                               ("dataset: bits, flags: [land, lake]", land | lake),
                               ("dataset: mask, flags: [land]", land),  # both masks and values
                               ("variable: mask, flags: [lake]", lake),
                               ("dataset: mask, flags: [land, lake], inverted: true", ~(land | lake)),
                               ("dataset: mask, bits: 2", land),
                               ("dataset: mask, bits: 6", land | lake),
                               ("dataset: bare, bits: 128", number == -128),
                               ("dataset: bare, bits: 1, inverted: true", (number & 1) == 0)):
            with self.subTest(mask):
                np.testing.assert_array_equal(self.inactive(mask), expected)

    def test_refusals(self):
        text = "app: mpr\ninput: {file: data.nc, dataset: sst, inactive: {%s}}\n"
        self.save("mask.npy", self.number)
        for mask, phrases in (("dataset: kind, flags: [land, lake]", ("'data.nc:/kind' has no flag 'lake'", "choose of: sea, land, icy_lake")),
                              ("dataset: bare, flags: [land]", ("'data.nc:/bare' has no attribute 'flag_meanings'", "give 'bits'")),
                              ("dataset: odd, flags: [a]", ("'data.nc:/odd' has 2 flag_meanings, 1 flag_values and 0 flag_masks",)),
                              ("file: mask.npy, flags: [land]", ("'mask.npy' cannot name flags",)),
                              ("dataset: sst, bits: 2", ("'data.nc:/sst' holds", "which has no flags or bits")),
                              ("dataset: kind, bits: 2, flags: [land]", ("give either 'flags' or 'bits', not both",)),
                              ("dataset: bare", ("leaves no site: all 600 are inactive", "name its 'flags' or 'bits'")),
                              ("flags: [land]", ("a mask needs 'file', or 'dataset' in the file of the data",))):
            with self.subTest(mask):
                self.refuse(INPUT, text % mask, "run.yaml:2:", *phrases)


class Conventions(FilesTest):
    """Numbers that stand for none, and packed ones."""

    def status(self, numbers, **attributes):
        with h5py.File(self.path("data.nc"), "w") as file:
            file["v"] = numbers
            file["v"].attrs.update(attributes)
        self.found = self.fill("app: mpr\ninput: {file: data.nc, dataset: v}\n")
        return self.found["status"] == 2

    def test_missing_numbers(self):
        numbers = np.arange(600, dtype=np.int16).reshape(20, 30)
        missing = self.status(numbers, _FillValue=np.int16(7), missing_value=np.array([8, 9], np.int16), valid_min=np.int16(2), valid_max=np.int16(500))
        np.testing.assert_array_equal(missing, (numbers < 2) | (numbers > 500) | ((numbers >= 7) & (numbers <= 9)))
        self.assertEqual(self.found["filled"].dtype, np.float32)
        missing = self.status(numbers, valid_range=np.array([3, 400], np.int16), scale_factor=0.1, add_offset=-5.0)
        np.testing.assert_array_equal(missing, (numbers < 3) | (numbers > 400))
        np.testing.assert_array_equal(self.found["filled"][~missing], (numbers * 0.1 - 5.0)[~missing])
        missing = self.status(numbers, valid_range=np.array([-4.7, 35.0]), scale_factor=0.1, add_offset=-5.0)  # of values, since in floating point
        np.testing.assert_array_equal(missing, (numbers < 3) | (numbers > 400))
        real = numbers.astype(np.float32) + 0.1
        missing = self.status(real, missing_value=float(np.float64(300.1)))  # rounded as the numbers are
        np.testing.assert_array_equal(missing, numbers == 300)

    def test_unsigned(self):
        numbers = (np.arange(600) % 256).astype(np.uint8).reshape(20, 30)
        missing = self.status(numbers.view(np.int8), _Unsigned="true", _FillValue=np.int8(-1), scale_factor=0.5)
        np.testing.assert_array_equal(missing, numbers == 255)
        np.testing.assert_array_equal(self.found["filled"][~missing], (numbers * 0.5)[~missing])

    def test_attributes_that_make_no_sense(self):
        numbers = np.arange(600, dtype=np.int16).reshape(20, 30)
        for name, value, phrase in (("scale_factor", 0.0, "the attribute 'scale_factor' of 'data.nc:/v' is 0"),
                                    ("scale_factor", "1", "the attribute 'scale_factor' of 'data.nc:/v' holds no numbers"),
                                    ("valid_range", np.array([3, 2], np.int16), "the valid range of 'data.nc:/v' is empty"),
                                    ("valid_range", np.int16(3), "the attribute 'valid_range' of 'data.nc:/v' does not hold two numbers")):
            with h5py.File(self.path("data.nc"), "w") as file:
                file["v"] = numbers
                file["v"].attrs[name] = value
            self.refuse(INPUT, "app: mpr\ninput: {file: data.nc, dataset: v}\n", "run.yaml:2:15: error: " + phrase)


class Dimensions(FilesTest):
    def test_every_result_names_its_own(self):
        self.save("data.npy", with_gaps(np.stack([smooth(20, 30)] * 2))[0])
        for text in (FILL + "output: {ensemble: 2, quantiles: [0.1]}\n", FILL + "task: validate\n", "app: mpr\ntask: simulate\nsimulate: {size: [3, 8, 8], sweeps: 10}\n",
                     "app: mpr\ntask: synthesize\ninput: {synthetic: {size: [16, 24]}}\n"):
            self.write("run.yaml", text)
            self.succeed("run.yaml", "-q", "--force")
            with h5py.File(self.path("run.h5")) as file:
                names = []
                for top in {"results", "series"} & set(file):
                    file[top].visititems(lambda name, item, top=top: names.append(f"{top}/{name}") if isinstance(item, h5py.Dataset) else None)
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


if __name__ == "__main__":
    run_cases.main()
