#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""tessera-mpr beside cubic interpolation and kriging, on terrain and sea floor.

    peers.py tessera-mpr tessera-gp                  the fields of this folder
    peers.py tessera-mpr tessera-gp FIELD.npy        fields of your own
    peers.py tessera-mpr tessera-gp --masks 10       more masks of each kind

For each field and kind of gap: root mean square errors over the masks, of mode default, mode paper,
cubic interpolation (griddata of SciPy, by triangles, with the nearest value outside of them) and
ordinary kriging by tessera-gp (Matern with a nugget, fitted to the same samples by Vecchia's
approximation with 30 neighbours, predicted from 60). Needs numpy, SciPy and h5py.
"""
import argparse
import os
import subprocess
import tempfile

import h5py
import numpy as np
from scipy.interpolate import griddata

import harmonic

HERE = os.path.dirname(os.path.abspath(__file__))
KRIGING = """\
app: gp
data: {file: samples.csv, coordinates: [x, y], values: [z]}
mean: constant
covariance: {family: matern, nugget: 0.01}
method: {vecchia: {neighbours: 30, prediction_neighbours: 60}}
fit: {standard_errors: none, start_sample: 2000}
predict: {points: {file: targets.csv, coordinates: [x, y]}}
"""


def cubic(truth, mask):
    """Interpolation by triangles; the nearest value where there is none."""
    known, missing = np.argwhere(~mask), np.argwhere(mask)
    values = truth[~mask]
    found = griddata(known, values, missing, method="cubic")
    outside = np.isnan(found)
    found[outside] = griddata(known, values, missing[outside], method="nearest")
    return found


def kriging(executable, folder, truth, mask):
    """Ordinary kriging by tessera-gp."""
    for name, where, columns in (("samples", ~mask, "x,y,z"), ("targets", mask, "x,y")):
        rows = np.argwhere(where)[:, ::-1].astype(float)
        if name == "samples":
            rows = np.column_stack([rows, truth[where]])
        path = os.path.join(folder, f"{name}.csv")
        np.savetxt(path, rows, delimiter=",", header=columns, comments="", fmt="%.17g")
    with open(os.path.join(folder, "kriging.yaml"), "w", encoding="utf-8") as file:
        file.write(KRIGING)
    subprocess.run([executable, "kriging.yaml", "-q", "--force"], cwd=folder, check=True)
    with h5py.File(os.path.join(folder, "kriging.h5")) as file:
        return np.asarray(file["results/prediction/mean"]).ravel()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mpr")
    parser.add_argument("gp")
    parser.add_argument("fields", nargs="*")
    parser.add_argument("--masks", type=int, default=1)
    arguments = parser.parse_args()
    paths = arguments.fields or [
        os.path.join(HERE, f"{name}.npy") for name in ("jacksboro", "topobathy")
    ]
    with tempfile.TemporaryDirectory() as folder:
        runner = harmonic.Runner(os.path.abspath(arguments.mpr), folder)
        for path in paths:
            truth = np.load(path).astype(float)
            for kind in harmonic.KINDS:
                squares = {}
                for number in range(arguments.masks):
                    mask = harmonic.gaps(truth.shape, kind, number)
                    for mode in ("default", "paper"):
                        error = runner.validate(truth, mask, {"mode": mode}, 1)["mrase"].item()
                        squares.setdefault(f"mode {mode}", []).append(error**2)
                    for name, found in (
                        ("cubic", cubic(truth, mask)),
                        ("kriging", kriging(os.path.abspath(arguments.gp), folder, truth, mask)),
                    ):
                        error = found - truth[mask]
                        squares.setdefault(name, []).append(np.mean(error**2))
                text = ", ".join(
                    f"{name} {np.sqrt(np.mean(of_masks)):.4g}" for name, of_masks in squares.items()
                )
                print(f"{os.path.basename(path):16s} {kind:21s} {text}", flush=True)


if __name__ == "__main__":
    main()
