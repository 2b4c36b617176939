#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The case study competition of Heaton et al. (JABES 24, 2019, 398-425) with tessera-mpr: 500 x 300
pixels of land-surface temperature, of which 105 569 are given and 42 740 are hidden below gaps of
the shape of clouds; and a simulated field with the same gaps.

The data are AllSatelliteTemps.RData and AllSimulatedTemps.RData in the folder Data of
https://github.com/finnlindgren/heatoncomparison.

    heaton.py convert Data                   writes satellite.npy and simulated.npy with NaN in the
                                             gaps, and the truth beside them, satellite_truth.npy
                                             and simulated_truth.npy
    tessera-mpr satellite.yaml               app: mpr
                                             task: validate
                                             input: {file: satellite.npy}
                                             validate: {truth: {file: satellite_truth.npy}}
    tessera-plot --kind reliability satellite.h5
    heaton.py score satellite satellite.h5   RMSE, MAE, CRPS, interval score and
                                             coverage of the hidden pixels

Needs numpy, and h5py for the scores.
"""
import argparse
import bz2
import gzip
import lzma
import math
import os
import struct
import sys

import numpy as np

FILES = {"satellite": "AllSatelliteTemps.RData", "simulated": "AllSimulatedTemps.RData"}
DISTANCE_CLASSES = (
    (1, 1.5, "1"),
    (1.5, 2.5, "2"),
    (2.5, 4.5, "3-4"),
    (4.5, 9.5, "5-9"),
    (9.5, math.inf, "10+"),
)


class Workspace:
    """The values of a file that R's save() wrote: as much of its format (XDR, versions 2 and 3) as
    data frames need."""

    def __init__(self, path):
        with open(path, "rb") as file:
            raw = file.read()
        for decompress in (gzip.decompress, bz2.decompress, lzma.decompress):
            try:
                raw = decompress(raw)
                break
            except (OSError, EOFError, lzma.LZMAError):
                pass
        if raw[:7] not in (b"RDX2\nX\n", b"RDX3\nX\n"):
            sys.exit(f"heaton.py: {path} is not a file that R's save() wrote")
        self.raw, self.at, self.references = raw, 7, []
        version = self.integer()
        self.integer()
        self.integer()
        if version == 3:
            length = self.integer()  # of the name of the encoding
            self.at += length
        self.values = dict(self.item())

    def integer(self):
        self.at += 4
        return struct.unpack(">i", self.raw[self.at - 4 : self.at])[0]

    def numbers(self, kind):
        count = self.integer()
        values = np.frombuffer(self.raw, kind, count, self.at)
        self.at += values.nbytes
        return values

    def item(self):
        flags = self.integer()
        kind, has_attributes, has_tag = flags & 255, flags >> 9 & 1, flags >> 10 & 1
        if kind == 254:  # NULL
            return None
        if kind == 255:  # something named before
            return self.references[(flags >> 8 or self.integer()) - 1]
        if kind == 25:  # an object of S4: its slots
            return dict(self.item() or [])
        if kind == 1:  # a name
            name = self.item()
            self.references.append(name)
            return name
        if kind == 9:  # text
            length = max(self.integer(), 0)
            self.at += length
            return self.raw[self.at - length : self.at].decode("latin1")
        if kind == 2:  # a list of pairs
            if has_attributes:
                self.item()
            name = self.item() if has_tag else None
            value = self.item()
            return [(name, value)] + (self.item() or [])
        if kind in (10, 13):
            values = self.numbers(">i4")
        elif kind == 14:
            values = self.numbers(">f8")
        elif kind in (16, 19):
            values = [self.item() for _ in range(self.integer())]
        elif kind == 238:  # a compact vector; only row names are stored so
            self.item()
            values = self.item()
            self.item()
        else:
            sys.exit(f"heaton.py: values of R's type {kind} are not expected")
        return (values, dict(self.item() or [])) if has_attributes else values


def columns(path):
    """The columns of the one data frame in a file."""
    ((values, attributes),) = Workspace(path).values.values()
    return {name: np.asarray(column, float) for name, column in zip(attributes["names"], values)}


def convert(folder):
    for name, file in FILES.items():
        frame = columns(os.path.join(folder, file))
        longitude, latitude = (np.unique(np.round(frame[key], 9)) for key in ("Lon", "Lat"))
        x = np.searchsorted(longitude, np.round(frame["Lon"], 9))
        y = len(latitude) - 1 - np.searchsorted(latitude, np.round(frame["Lat"], 9))  # north first
        for column, ending in (("MaskTemp", ""), ("TrueTemp", "_truth")):
            field = np.full((len(latitude), len(longitude)), np.nan)
            field[y, x] = frame[column]
            np.save(f"{name}{ending}.npy", field)


def distance_to_samples(missing):
    """In pixels, of each missing pixel; by going through offsets in the order of their length."""
    distance = np.where(missing, np.inf, 0.0)
    reach = 12
    offsets = sorted(
        (math.hypot(dx, dy), dx, dy)
        for dx in range(-reach, reach + 1)
        for dy in range(-reach, reach + 1)
    )
    sample = np.pad(~missing, reach)
    rows, across = missing.shape
    for length, dx, dy in offsets:
        near = sample[reach + dy : reach + dy + rows, reach + dx : reach + dx + across]
        distance = np.where(near & (distance > length), length, distance)
    return distance


def normal_crps(error, s):
    """The continuous ranked probability scores of normal predictions with deviations s."""
    t = error / s
    erf = np.vectorize(math.erf)
    return s * (
        t * erf(t / math.sqrt(2))
        + math.sqrt(2 / math.pi) * np.exp(-t * t / 2)
        - 1 / math.sqrt(math.pi)
    )


def print_scores(name, mean, s, z):
    """Scores of normal predictions of z; which of the values lie inside their 95 % intervals."""
    error = mean - z
    crps = normal_crps(error, s)
    low, high = mean - 1.959964 * s, mean + 1.959964 * s
    interval = high - low + 40 * (np.maximum(low - z, 0) + np.maximum(z - high, 0))
    inside = (low <= z) & (z <= high)
    print(
        f"{name}: {len(z)} pixels, RMSE {np.sqrt(np.mean(error ** 2)):.3f}, MAE {np.mean(abs(error)):.3f}, "
        f"CRPS {np.mean(crps):.3f}, interval score {np.mean(interval):.2f}, coverage {np.mean(inside):.3f}"
    )
    return inside


def score(name, results):
    import h5py

    given, truth = np.load(f"{name}.npy"), np.load(f"{name}_truth.npy")
    with h5py.File(results) as file:
        mean, deviation = (
            np.asarray(file["results"][key], float).reshape(truth.shape) for key in ("mean", "std")
        )
    hidden = np.isnan(given) & ~np.isnan(truth)
    inside = print_scores(name, mean[hidden], deviation[hidden], truth[hidden])
    distance = distance_to_samples(np.isnan(given))[hidden]
    for low_edge, high_edge, text in DISTANCE_CLASSES:
        chosen = (distance >= low_edge) & (distance <= high_edge)
        print(
            f"  {text:>4} pixels from a sample: {chosen.sum():6d} pixels, coverage {np.mean(inside[chosen]):.3f}"
        )


def main(description, convert, score):
    """The command line of this script and of the one of tessera-gp."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("convert").add_argument("folder")
    scoring = commands.add_parser("score")
    scoring.add_argument("name", choices=FILES)
    scoring.add_argument("results")
    arguments = parser.parse_args()
    if arguments.command == "convert":
        convert(arguments.folder)
    else:
        score(arguments.name, arguments.results)


if __name__ == "__main__":
    main(__doc__, convert, score)
