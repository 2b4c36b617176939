# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Reference sets: HDF5 files of points and values in arbitrary precision. Their format, and how
each was made, is in apps/grade/REFEREE.md of Tessera."""

import os
import pathlib

import h5py
import numpy as np

from ..results import ResultsError

FORMAT = "tessera-reference"
FORMAT_VERSION = 1
REST_STEPS = 65536  # of the last bit of a value
NAMES = ("bessel-k", "bessel-i", "matern", "boys", "rys", "stable")


class Quantity:
    """The points of one quantity, with values and condition numbers.

    inputs: name -> array of the points; value, rest, condition: arrays of as many rows, with a
    column for each member of a family, such as the roots of a quadrature. NaN: no member there.
    """

    def __init__(self, name, title, version, inputs, kind, value, rest, condition):
        self.name, self.title, self.version = name, title, version
        self.inputs, self.kind = inputs, kind
        self.value, self.rest, self.condition = value, rest, condition

    def __len__(self):
        return len(self.value)

    def part(self, chosen):
        """Those points alone that `chosen`, a mask or an array of indices, chooses."""
        return Quantity(
            self.name,
            self.title,
            self.version,
            {name: column[chosen] for name, column in self.inputs.items()},
            self.kind[chosen],
            self.value[chosen],
            self.rest[chosen],
            self.condition[chosen],
        )

    def sample(self, count, seed=0):
        """At most `count` of the points, chosen at random."""
        if count >= len(self):
            return self
        chosen = np.random.RandomState(seed).permutation(len(self))[:count]
        return self.part(np.sort(chosen))


def folder(given=None):
    """The folder of the reference sets: `given`, that of TESSERA_REFERENCE, or the one that came
    with the program."""
    named = given or os.environ.get("TESSERA_REFERENCE")
    if named:
        return pathlib.Path(named)
    here = pathlib.Path(__file__).resolve().parent
    places = [
        here.parents[3] / "tests/data/referee",
        here.parents[2] / "reference",
        here.parents[4] / "share/tessera/reference",
    ]
    for place in places:
        if place.is_dir():
            return place
    raise ResultsError(
        "there are no reference sets beside the program\n"
        "  remedy: name their folder, tests/data/referee of the sources, by --reference or TESSERA_REFERENCE",
        4,
    )


def split_name(name):
    """'bessel-k/log_k' as set and quantity; the quantity is None where it is not named."""
    head, _, quantity = name.partition("/")
    if head not in NAMES:
        raise ResultsError(f"unknown set '{name}'; the sets are: {', '.join(NAMES)} (--list)", 2)
    return head, quantity or None


def open_set(name, place=None):
    """The open file of a set."""
    path = folder(place) / f"{name}.h5"
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise ResultsError(
            f"cannot read the reference set {path}: {error}\n"
            "  remedy: name the folder of the sets by --reference or TESSERA_REFERENCE",
            4,
        ) from error
    if file.attrs.get("format") != FORMAT or file.attrs.get("format_version") != FORMAT_VERSION:
        file.close()
        raise ResultsError(
            f"{path} is no reference set of format {FORMAT_VERSION}\n"
            "  remedy: take the sets that belong to this version of Tessera",
            3,
        )
    return file


def quantities(name, place=None):
    """The names of a set's quantities."""
    with open_set(name, place) as file:
        return [str(quantity) for quantity in file["values"].attrs["order"]]


def load(name, place=None):
    """The quantity that a name such as 'bessel-k' (the first one of the set) or 'bessel-k/log_k'
    names."""
    head, wanted = split_name(name)
    try:
        return _load(head, wanted, place)
    except ResultsError:
        raise
    except (KeyError, OSError, ValueError, IndexError) as error:
        raise ResultsError(
            f"the reference set '{head}' is damaged: {str(error).strip(chr(34))}\n"
            "  remedy: take the file of this version of Tessera again",
            3,
        ) from error


def _load(head, wanted, place):
    with open_set(head, place) as file:
        known = [str(quantity) for quantity in file["values"].attrs["order"]]
        wanted = wanted or known[0]
        if wanted not in known:
            raise ResultsError(
                f"the set '{head}' has no quantity '{wanted}'; it has: {', '.join(known)}", 2
            )
        group = file["values"][wanted]
        kinds = np.array([str(kind) for kind in file["class"].attrs["names"]], dtype=object)
        names = [str(column) for column in group.attrs["inputs"]]
        quantity = Quantity(
            f"{head}/{wanted}",
            str(group["value"].attrs["long_name"]),
            int(file.attrs["version"]),
            {column: file["inputs"][column][()] for column in names},
            kinds[file["class"][()]],
            group["value"][()],
            group["rest"][()],
            group["condition"][()],
        )
    there = ~np.isnan(quantity.value)
    return quantity.part(there if there.ndim == 1 else there.any(axis=1))
