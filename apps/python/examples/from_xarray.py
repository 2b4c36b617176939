# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Gaps of an array in chunks, filled by a line in the place of xarray's interpolate_na, with error
bars: from_xarray.py [PICTURE]"""

import sys

import matplotlib
import numpy as np
import xarray as xr

import tessera.xarray  # noqa: F401

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

row, column = np.mgrid[0:160, 0:240]
height = 300 + 80 * np.sin(row / 23 + column / 31) + 40 * np.cos(column / 9) * np.sin(row / 13)
height += 2 * np.random.default_rng(1).standard_normal(height.shape)
clouds = np.sin(row / 11) + np.cos(column / 17 + row / 23) > 0.9
terrain = xr.DataArray(height, dims=("y", "x"), name="height", attrs={"units": "m"})
holes = terrain.where(~clouds).chunk(y=64, x=64)

# filled = holes.chunk(x=-1).interpolate_na(dim="x")
filled = holes.tessera.fill(dim=("y", "x"), std=True, seed=1).compute()

lines = holes.compute().interpolate_na(dim="x")
for name, found in (("interpolate_na", lines), ("tessera", filled.height)):
    error = (found - terrain).values[clouds]
    print(f"{name}: root mean square error {np.sqrt(np.nanmean(error**2)):.2f} m")

figure, axes = plt.subplots(1, 3, figsize=(12, 2.8), layout="constrained")
for axis, image, title in zip(
    axes, (holes, filled.height, filled.height_std), ("with gaps", "filled", "standard deviation")
):
    figure.colorbar(axis.pcolormesh(image.x, image.y, image, rasterized=True), label="m")
    axis.set(title=title, aspect="equal")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "from_xarray.png", dpi=120)
