# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Writes inputs/mpr/stations.nc: simulated air temperatures of stations on land, which fall with the elevation, the elevation and a mask of the sea.

Run as: stations.py TOPOBATHY.npy FILE (numpy, h5py). T = 18 - 0.0065 elevation + a rough field + errors of 0.3 degrees; a third of the cells has a station,
most of them in the valleys.
"""

import sys

import h5py
import numpy as np


def rough_field(shape, seed):
    """A random field of variance 1 with correlations over some 25 cells."""
    random = np.random.default_rng(seed)
    ky, kx = np.meshgrid(np.fft.fftfreq(shape[0]), np.fft.fftfreq(shape[1]), indexing="ij")
    field = np.fft.ifft2(np.fft.fft2(random.normal(size=shape)) / ((kx**2 + ky**2 + 4e-5) ** 0.85)).real
    return field / field.std()


def main(topography, path):
    elevation = np.load(topography).astype(np.int16)
    random = np.random.default_rng(2)
    temperature = 18 - 0.0065 * elevation + 1.5 * rough_field(elevation.shape, 1)
    known = (elevation >= 0) & (random.random(elevation.shape) < 0.7 * np.exp(-np.maximum(elevation, 0) / 800))
    measured = np.where(known, temperature + 0.3 * random.normal(size=elevation.shape), np.nan).astype(np.float32)
    with h5py.File(path, "w", track_order=False) as file:
        for name, values, units, text in (
            ("temperature", measured, "degC", "simulated air temperature"),
            ("truth", np.where(elevation < 0, np.nan, temperature).astype(np.float32), "degC", "air temperature without errors"),
            ("elevation", elevation, "m", "elevation above the sea"),
            ("sea", (elevation < 0).astype(np.int8), "1", "1 at sea"),
        ):
            data = file.create_dataset(name, data=values, track_times=False, compression="gzip", shuffle=True)
            data.attrs.update({"units": units, "long_name": text})


main(*sys.argv[1:])
