# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What a fill from Python takes, in seconds: python_fill.py [BACKEND] [EDGE ...]

An image of float32, EDGE x EDGE sites (7800, that of a Landsat band, and 8192), a third of them
missing at random: as a NumPy array in and out and, with the backend cuda, as an array on the GPU in
and out. The smallest of three counts; the first call, which loads kernels, does not."""

import pathlib
import sys
import time

import numpy as np

import tessera as ts

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from on_device import OnDevice  # noqa: E402


def image(edge):
    y, x = np.ogrid[0:edge, 0:edge]
    z = np.sin(x / 70, dtype=np.float32) * np.cos(y / 50, dtype=np.float32)
    z += 0.05 * np.random.default_rng(1).standard_normal(z.shape, dtype=np.float32)
    z[np.random.default_rng(2).random(z.shape, dtype=np.float32) < 1 / 3] = np.nan
    return z


def seconds(call, repeats=3):
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


arguments = sys.argv[1:]
if arguments and not arguments[0].isdigit():
    ts.use(arguments.pop(0))
print(ts.device())
ts.mpr.fill(image(512))
for size in map(int, arguments or (7800, 8192)):
    host = image(size)
    print(
        f"{size} x {size}, NumPy in and out: {seconds(lambda: ts.mpr.fill(host).filled):.3f} s",
        flush=True,
    )
    if "cuda" in ts.backends() and ts.use() in ("auto", "cuda"):
        there = OnDevice(host)
        print(
            f"{size} x {size}, on the GPU in and out: {seconds(lambda: ts.mpr.fill(there).filled):.4f} s",
            flush=True,
        )
