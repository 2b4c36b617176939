# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""tessera-plot on files that are damaged or not its own: plot_damaged.py FOLDER_OF_EXECUTABLES.
Whatever the file, exit status 3 and one sentence, unless what is left can still be drawn.
TESSERA_DAMAGES gives the number of random damages of each kind and file."""

import io
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

import plot_support
import run_cases
from plot_support import plot

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXECUTABLES = os.path.abspath(sys.argv.pop(1))
DAMAGES = int(os.environ.get("TESSERA_DAMAGES", "2"))
APPS = ("bessel", "boys", "gbees", "gp", "mpr", "stable")

plot_support.load().style.DPI = 20  # what is drawn does not matter here


def datasets(path):
    names = []
    with h5py.File(path) as file:
        file.visititems(
            lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None
        )
    return [name for name in names if not name.startswith(("input/", "timings"))]


def replacements(values):
    """What may stand in the place of a dataset."""
    numbers = values if values.dtype.kind in "biuf" else np.arange(3.0)
    flat = np.atleast_1d(numbers).astype(float).ravel()
    return {
        "a number": np.float64(0.5),
        "nothing": flat[:0],
        "one value": flat[:1],
        "too few": flat[:-1],
        "too many": np.tile(flat[:100], 3),
        "two dimensions": flat[:12].reshape(1, -1),
        "five dimensions": np.zeros((2, 1, 3, 1, 2)),
        "not a number": np.full(numbers.shape, np.nan),
        "infinite": np.full(numbers.shape, -np.inf),
        "all alike": np.full(numbers.shape, -1e308),
        "zeros": np.zeros(numbers.shape),
        "complex": np.full(numbers.shape, 1j),
        "text": np.array([b"a", b"\xff"]),
        "compound": np.zeros(3, [("a", "f4"), ("b", "i2")]),
        "large whole numbers": np.full(numbers.shape, np.iinfo(np.uint64).max),
    }


class Damaged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        for app in APPS:
            subprocess.run(
                [
                    os.path.join(EXECUTABLES, f"tessera-{app}"),
                    os.path.join(ROOT, "inputs", app, "quickstart.yaml"),
                    "-q",
                    "--output",
                    cls.path(f"{app}.h5"),
                ],
                check=True,
                env=dict(os.environ, OMP_NUM_THREADS="1", OMP_PROC_BIND="false"),
            )

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def copy(self, app):
        return shutil.copy(self.path(f"{app}.h5"), self.path("damaged.h5"))

    def put(self, content, name="damaged.h5"):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def content(self, app):
        with open(self.path(f"{app}.h5"), "rb") as file:
            return file.read()

    def assert_sentence(self, status, message):
        self.assertEqual(status, 3, message)
        self.assertRegex(message, r"\Atessera-plot: error: [^\n]+\n\Z")

    def assert_refused(self, path, *arguments):
        self.assert_sentence(*plot(path, "-o", self.path("picture.png"), *arguments))

    def assert_drawn_or_refused(self, path, *arguments):
        status, message = plot(path, "-o", self.path("picture.png"), *arguments)
        if status == 0:
            self.assertEqual(message, "")
        else:
            self.assert_sentence(status, message)

    def test_whole_files_are_drawn(self):
        for app in APPS:
            with self.subTest(app):
                self.assertEqual(
                    plot(self.path(f"{app}.h5"), "-o", self.path("picture.png")), (0, "")
                )

    def test_files_of_others(self):
        array, picture = io.BytesIO(), b"\x89PNG\r\n\x1a\n" + bytes(100)
        np.save(array, np.arange(5))
        for name, content in {
            "empty": b"",
            "text": b"x,y\n1,2\n",
            "npy": array.getvalue(),
            "png": picture,
            "zeros": bytes(4096),
            "signature alone": b"\x89HDF\r\n\x1a\n",
            "signature and zeros": b"\x89HDF\r\n\x1a\n" + bytes(4096),
        }.items():
            with self.subTest(name):
                self.assert_refused(self.put(content))
        for content in (
            b"",
            b"{",
            b"[1]",
            b'{"context": 1, "benchmarks": [1]}',
            b'{"context": {}, "benchmarks": [{"name": 5}]}',
            b"\xff\xfe",
        ):
            with self.subTest(content):
                self.assert_refused(self.put(content, "damaged.json"))

    def test_hdf5_files_of_others(self):
        attributes = [
            {},
            {"format": 7},
            {"format": [1.0, 2.0]},
            {"format": "tessera-results"},
            {"format": b"tessera-results", "app": 3},
            {"format": "tessera-results", "app": ["gbees", "gp"]},
            {"format": "tessera-results", "app": "sinter"},
            {"format": h5py.Empty("f")},
            {"format": "tessera-results", "app": h5py.Empty("S1")},
        ]
        attributes += [{"format": "tessera-results", "app": app} for app in APPS]
        for values in attributes:
            with self.subTest(values), h5py.File(self.path("damaged.h5"), "w") as file:
                file.attrs.update(values)
                file["results"] = np.arange(3)
                file.close()
                self.assert_refused(self.path("damaged.h5"))

    def test_cut_files(self):
        for app in APPS:
            whole = self.content(app)
            for length in (1, 8, 96, 512, 2048, len(whole) // 3, len(whole) - 1):
                with self.subTest(app, length=length):
                    self.assert_refused(self.put(whole[:length]))

    def test_changed_bytes(self):
        for app in APPS:
            whole = self.content(app)
            for number in range(DAMAGES):
                with self.subTest(app, number=number):
                    chance = random.Random(f"{app}/{number}")
                    changed = bytearray(whole)
                    if number % 2 == 0:
                        for _ in range(chance.choice((1, 10, 100))):
                            # Most changes are in the first objects.
                            changed[
                                int(len(whole) * chance.random() ** 3)
                            ] ^= 1 << chance.randrange(8)
                    else:
                        begin, length = chance.randrange(len(whole)), chance.choice((16, 512, 8192))
                        changed[begin : begin + length] = chance.choice((bytes, chance.randbytes))(
                            len(whole[begin : begin + length])
                        )
                    self.assert_drawn_or_refused(self.put(changed))

    def test_without_a_dataset(self):
        for app in APPS:
            for name in random.Random(app).choices(datasets(self.path(f"{app}.h5")), k=2 * DAMAGES):
                with self.subTest(app, name=name):
                    with h5py.File(self.copy(app), "a") as file:
                        del file[name]
                    self.assert_drawn_or_refused(self.path("damaged.h5"))

    def test_another_array_in_the_place_of_a_dataset(self):
        for app in APPS:
            names = datasets(self.path(f"{app}.h5"))
            for number in range(4 * DAMAGES):
                chance = random.Random(f"{app}:{number}")
                name = chance.choice(names)
                with h5py.File(self.copy(app), "a") as file:
                    kind, values = chance.choice(
                        list(
                            replacements(
                                file[name][()] if file[name].shape else np.array(file[name][()])
                            ).items()
                        )
                    )
                    del file[name]
                    file[name] = values
                with self.subTest(app, name=name, kind=kind):
                    self.assert_drawn_or_refused(self.path("damaged.h5"))

    def test_what_is_no_array(self):
        def too_large(file, name):
            file.create_dataset(name, (2**45, 2**10), "f8", chunks=(1024, 1024))

        def without_shape(file, name):
            file[name] = h5py.Empty("f8")

        def group(file, name):
            file.create_group(name)

        def link_to_itself(file, name):
            file[name] = h5py.SoftLink("/" + name)

        def link_to_a_missing_file(file, name):
            file[name] = h5py.ExternalLink("missing.h5", "/x")

        def datatype(file, name):
            file[name] = np.dtype("f8")

        needed = {
            "bessel": "results/x",
            "boys": "results/F",
            "gbees": "results/mean",
            "gp": "results/observations",
            "mpr": "results/status",
            "stable": "results/curve_x",
        }
        for app, name in needed.items():
            for put in (
                too_large,
                without_shape,
                group,
                link_to_itself,
                link_to_a_missing_file,
                datatype,
            ):
                with self.subTest(app, put=put.__name__):
                    with h5py.File(self.copy(app), "a") as file:
                        del file[name]
                        put(file, name)
                    self.assert_refused(self.path("damaged.h5"))

    def test_files_themselves(self):
        status, message = plot(self.path("missing.h5"))
        self.assertEqual(
            (status, message),
            (4, f"tessera-plot: error: no such file: {self.path('missing.h5')}\n"),
        )
        status, message = plot(self.path("stable.h5"), "-o", self.path("picture.pgn"))
        self.assertEqual(
            (status, message),
            (
                4,
                f"tessera-plot: error: cannot write {self.path('picture.pgn')}: there are no pictures of the kind 'pgn'\n",
            ),
        )


if __name__ == "__main__":
    run_cases.main()
