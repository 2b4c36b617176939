# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes reference sets, the files that tessera-grade reads (apps/grade/REFEREE.md has the format),
from numbers of gmpy2. Needs python3-gmpy2, numpy and h5py."""

import argparse
import math
import random
import sys
import time

import gmpy2
import h5py
import numpy as np
from gmpy2 import mpfr

FORMAT_VERSION = 1
REST_STEPS = 65536  # a rest counts 1 / 65536 of the last bit of its value


class Source(random.Random):
    """Random numbers of the points."""

    def spread(self, low, high):
        """Uniform in the logarithm."""
        return 10 ** self.uniform(math.log10(low), math.log10(high))

    def sign(self):
        return self.choice((-1, 1))


def add_set_arguments(parser, count, counted, checks, checked):
    """Adds OUTPUT, --count (of what is `counted`), --seed and, with a number of checks, --checks (of
    what is `checked`); returns what the command has."""
    parser.add_argument("output")
    parser.add_argument(
        "--count", type=int, default=count, help=f"{counted} (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1)
    if checks:
        parser.add_argument("--checks", type=int, default=checks, help=checked)
    return parser.parse_args()


def set_arguments(description, count, counted, checks=0, checked=""):
    """The arguments of a script of one set, whose first line of description is printed by --help."""
    parser = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0])
    return add_set_arguments(parser, count, counted, checks, checked)


def sample(kept, options):
    """As many of the kept points as are to be checked by a second formula."""
    return random.Random(options.seed).sample(kept, min(options.checks, len(kept)))


def spacing(value):
    """The distance from a double to the next one of larger size."""
    return math.ulp(value)


def split(value):
    """A number as a double and what it lacks, in REST_STEPS of its last bit."""
    double = float(value)
    if double == 0 or not math.isfinite(double):
        return double, 0
    rest = (value - mpfr(double)) / mpfr(spacing(double)) * REST_STEPS
    return double, max(-32768, min(32767, int(gmpy2.rint(rest))))


def coarse(value):
    """A condition number with 8 bits, which compresses."""
    number = np.float32(min(float(value), 1e38)) if value == value else np.float32(np.nan)
    return ((number.view(np.uint32) + 0x8000) & 0xFFFF0000).astype(np.uint32).view(np.float32)


class ReferenceSet:
    """Points, and at each point values with condition numbers."""

    def __init__(self, name, version, title, inputs, quantities, inputs_of=None):
        """inputs and quantities: name -> description. inputs_of: name of a quantity -> its inputs,
        where they are not all of them."""
        self.name, self.version, self.title = name, version, title
        self.inputs, self.quantities = inputs, quantities
        self.inputs_of = inputs_of or {}
        self.points, self.classes, self.rows = [], [], []
        self.started = time.time()

    def add(self, kind, point, values):
        """values: quantity -> (value, condition) or -> (list of values, list of conditions)."""
        self.points.append([float(v) for v in point])
        self.classes.append(kind)
        self.rows.append(
            {
                name: (
                    [split(v) for v in value] if isinstance(value, list) else split(value),
                    [coarse(c) for c in condition]
                    if isinstance(value, list)
                    else coarse(condition),
                )
                for name, (value, condition) in values.items()
            }
        )

    def report(self, total, every=500):
        done = len(self.points)
        if done % every == 0:
            print(f"{done}/{total} {time.time() - self.started:.0f} s", file=sys.stderr, flush=True)

    def write(self, options, worst, second, digits, generator, check):
        """worst, second: the largest disagreements, at every point and with a second formula."""
        worst, second = float(worst), float(second)
        print(f"largest disagreements {worst:.2e}, {second:.2e}", file=sys.stderr)
        attributes = {
            "digits": digits,
            "seed": options.seed,
            "generator": generator,
            "check": check,
            "largest_disagreement": worst,
            "largest_disagreement_of_second_formula": second,
        }
        with h5py.File(options.output, "w", track_order=False) as file:
            file.attrs["format"] = "tessera-reference"
            file.attrs["format_version"] = FORMAT_VERSION
            file.attrs["set"], file.attrs["version"] = self.name, self.version
            file.attrs["title"] = self.title
            for key, value in attributes.items():
                file.attrs[key] = value
            for i, (name, description) in enumerate(self.inputs.items()):
                column = np.array([point[i] for point in self.points])
                self._dataset(file, f"inputs/{name}", column, description)
            file["inputs"].attrs["order"] = list(self.inputs)
            names = sorted(set(self.classes))
            codes = np.array([names.index(kind) for kind in self.classes], dtype=np.uint8)
            self._dataset(file, "class", codes, "what each point was chosen for")
            file["class"].attrs["names"] = names
            for name, description in self.quantities.items():
                self._quantity(file, name, description)
            file["values"].attrs["order"] = list(self.quantities)

    def _quantity(self, file, name, description):
        cells = [row.get(name) for row in self.rows]
        longest = max(len(c[0]) if c and isinstance(c[0], list) else 0 for c in cells)
        shape = (len(cells), longest) if longest else (len(cells),)
        value, rest = np.full(shape, np.nan), np.zeros(shape, dtype=np.int16)
        condition = np.full(shape, np.nan, dtype=np.float32)
        for i, cell in enumerate(cells):
            if cell is None:
                continue
            if longest:
                count = len(cell[0])
                value[i, :count] = [v for v, _ in cell[0]]
                rest[i, :count] = [r for _, r in cell[0]]
                condition[i, :count] = cell[1]
            else:
                (value[i], rest[i]), condition[i] = cell
        self._dataset(file, f"values/{name}/value", value, description)
        file[f"values/{name}"].attrs["inputs"] = self.inputs_of.get(name, list(self.inputs))
        self._dataset(file, f"values/{name}/rest", rest, "value lacks rest / 65536 of its last bit")
        self._dataset(
            file,
            f"values/{name}/condition",
            condition,
            "sum over inputs of |input d value / d input| / |value|",
        )

    @staticmethod
    def _dataset(file, path, array, description):
        made = file.create_dataset(
            path,
            data=array,
            compression="gzip",
            compression_opts=9,
            shuffle=True,
            track_times=False,
        )
        made.attrs["long_name"] = description
