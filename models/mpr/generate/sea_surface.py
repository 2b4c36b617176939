# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Writes inputs/mpr/sea_surface.nc: a simulated image of the sea's surface temperature, with clouds as fill values and land as a mask.

Run as: sea_surface.py FILE (numpy, h5py). Temperatures are packed in 16 bits, 0.01 degrees a step, by the CF conventions.
"""

import sys

import h5py
import numpy as np

ROWS, COLUMNS, FILL = 96, 128, -32768


def waves(latitude, longitude, lengths, seed):
    """A smooth random field of variance 1: plane waves in random directions, of wavelengths in degrees."""
    random = np.random.default_rng(seed)
    field = 0
    for length in random.uniform(*lengths, 40):
        angle, phase = random.uniform(0, 2 * np.pi, 2)
        field = field + np.cos(2 * np.pi / length * (np.cos(angle) * longitude + np.sin(angle) * latitude) + phase)
    return field / np.sqrt(20)


def main(path):
    lat, lon = 30 + 0.05 * np.arange(ROWS), 15 + 0.05 * np.arange(COLUMNS)
    latitude, longitude = np.meshgrid(lat, lon, indexing="ij")
    temperature = 24 - 0.8 * (latitude - 32) + 0.7 * waves(latitude, longitude, (1.0, 4.0), 1) + 0.1 * waves(latitude, longitude, (0.2, 0.6), 2)
    land = latitude + 0.3 * waves(latitude, longitude, (0.5, 2.0), 3) < 30.9 - 0.15 * (longitude - 18)
    cloud = waves(latitude, longitude, (0.6, 2.5), 4) > 0.5
    packed = np.where(cloud | land, FILL, np.round((temperature - 20) / 0.01)).astype(np.int16)
    with h5py.File(path, "w", track_order=False) as file:
        for name, values, units in (("lat", lat, "degrees_north"), ("lon", lon, "degrees_east")):
            file.create_dataset(name, data=values, track_times=False).attrs["units"] = units
            file[name].make_scale(name)
        for name, values in (("sea_surface_temperature", packed), ("land_mask", land.astype(np.int8))):
            data = file.create_dataset(name, data=values, track_times=False, compression="gzip", shuffle=True)
            data.dims[0].attach_scale(file["lat"])
            data.dims[1].attach_scale(file["lon"])
        file["land_mask"].attrs["long_name"] = "1 on land"
        file["sea_surface_temperature"].attrs.update({"_FillValue": np.int16(FILL), "scale_factor": 0.01, "add_offset": 20.0, "units": "degC",
                                                      "standard_name": "sea_surface_temperature", "long_name": "simulated sea surface temperature"})


if __name__ == "__main__":
    main(sys.argv[1])
