# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-mpr and the files that people have: cli_mpr_files.py EXECUTABLE. Large offsets, masks, sizes of one, NetCDF and rasters, in and out."""

import h5py
import numpy as np

import run_cases
from cli_support import FILES, INPUT, CommandLineTest, arrays

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


if __name__ == "__main__":
    run_cases.main()
