# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""A terrain model with clouds taken out of it, as an xarray DataArray, is filled: fill_terrain.py
[PICTURE]"""

import pathlib
import sys

import matplotlib
import numpy as np
import xarray as xr

import tessera as ts

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

inputs = pathlib.Path(__file__).resolve().parents[3] / "inputs"
height = np.load(inputs / "mpr" / "jacksboro.npy").astype(np.float32)[:240, :320]
terrain = xr.DataArray(
    height,
    dims=("y", "x"),
    name="height",
    attrs={"units": "m"},
    coords={"y": 90.0 * np.arange(240), "x": 90.0 * np.arange(320)},
)
row, column = np.mgrid[0:240, 0:320]
clouds = np.sin(row / 11) + np.cos(column / 17 + row / 23) > 0.9
holes = terrain.where(~clouds)

filled = ts.mpr.fill(holes, seed=1)
error = (filled.mean - terrain).values[clouds]
inside = np.abs(error) <= 1.96 * filled.std.values[clouds]
print(
    f"{clouds.mean():.0%} missing; root mean square error {np.sqrt((error ** 2).mean()):.1f} m; 95 % intervals hold {inside.mean():.1%}"
)

figure, axes = plt.subplots(1, 3, figsize=(12, 3), layout="constrained")
for axis, image, title, colours in zip(
    axes,
    (holes, filled.filled, filled.std),
    ("with gaps", "filled", "standard deviation"),
    ("gist_earth", "gist_earth", "magma_r"),
):
    shown = axis.pcolormesh(image.x / 1000, image.y / 1000, image, cmap=colours, rasterized=True)
    axis.set(title=title, xlabel="km", aspect="equal")
    figure.colorbar(shown, label="m")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "fill_terrain.png", dpi=120)
