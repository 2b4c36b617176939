# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What a fill from Python takes, in seconds: python_fill.py [BACKEND] [--clouds] [EDGE ...]

An image of float32, EDGE x EDGE sites (7800, that of a Landsat band, and 8192), a third of them
missing at random, or with --clouds 30 % under clouds some 60 sites across: as a NumPy array in and
out and, with the backend cuda, as an array on the GPU in and out; with xarray installed, also by
`da.tessera.fill`. The smallest of three counts; the first call, which loads kernels, does not. The
last row is the mean absolute error where values are missing, beside the deviation of the noise,
0.05."""

import importlib.util
import pathlib
import sys
import time

import numpy as np

import tessera as ts

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from on_device import OnDevice  # noqa: E402


def clouds(edge, fraction=0.3, size=60):
    """A mask of smooth shapes: where a field of bilinear patches is highest."""
    rng = np.random.default_rng(3)
    knots = rng.standard_normal((edge // size + 2, edge // size + 2), dtype=np.float32)
    at = np.arange(edge, dtype=np.float32) / size
    low, part = at.astype(int), (at % 1).astype(np.float32)
    rows = knots[low] * (1 - part[:, None]) + knots[low + 1] * part[:, None]
    field = rows[:, low] * (1 - part) + rows[:, low + 1] * part
    return field > np.quantile(field[::7, ::7], 1 - fraction)


def image(edge, cloudy=False):
    """The image with gaps, and the image."""
    y, x = np.ogrid[0:edge, 0:edge]
    z = np.sin(x / 70, dtype=np.float32) * np.cos(y / 50, dtype=np.float32)
    z += 0.05 * np.random.default_rng(1).standard_normal(z.shape, dtype=np.float32)
    random = np.random.default_rng(2).random(z.shape, dtype=np.float32) < 1 / 3
    return np.where(clouds(edge) if cloudy else random, np.float32(np.nan), z), z


def seconds(call, repeats=3):
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def measure(edge, cloudy):
    host, whole = image(edge, cloudy)
    missing = np.isnan(host)
    print(f"{edge} x {edge}, {100 * missing.mean():.1f} % missing", flush=True)

    def row(name, call):
        print(f"  {name}: {seconds(call):.4f} s", flush=True)

    row("NumPy in and out", lambda: ts.mpr.fill(host, std=False).filled)
    row("with standard deviations", lambda: ts.mpr.fill(host).filled)
    if importlib.util.find_spec("xarray"):
        import xarray

        import tessera.xarray  # noqa: F401

        labelled = xarray.DataArray(host, dims=("y", "x"))
        row("da.tessera.fill", lambda: labelled.tessera.fill().values)
    if "cuda" in ts.backends() and ts.use() in ("auto", "cuda"):
        there = OnDevice(host)
        row("on the GPU in and out", lambda: ts.mpr.fill(there, std=False).filled)
    error = np.abs(ts.mpr.fill(host, std=False).filled - whole)[missing].mean()
    print(f"  mean absolute error: {error:.4f}", flush=True)


arguments = sys.argv[1:]
with_clouds = "--clouds" in arguments
if with_clouds:
    arguments.remove("--clouds")
if arguments and not arguments[0].isdigit():
    ts.use(arguments.pop(0))
print(ts.device())
ts.mpr.fill(image(512)[0]).filled
for size in map(int, arguments or (7800, 8192)):
    measure(size, with_clouds)
