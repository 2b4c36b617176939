#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The default mode of tessera-mpr beside the harmonic interpolant, on terrain, sea floor, Gaussian
fields and the Walker Lake data.

    harmonic.py tessera-mpr                      with the fields of this folder, and synthetic ones
    harmonic.py tessera-mpr --walker walker.rda  with V of Walker Lake too: data/walker.rda of
                                                 https://github.com/r-spatial/gstat
    harmonic.py tessera-mpr --transform auto     with a transform of the values
    harmonic.py tessera-mpr FIELD.npy            with fields of your own

For each field and kind of gap: the root mean square errors of both over as many masks as make 60
000 sites, their ratio (the greatest of a seed and mask in brackets), how much the seed changes the
error, coverage of 95 % intervals and CRPS. Ends with 1 when the default mode is worse by more than
1 %, or a seed changes its error by more than 1 %. Needs numpy and h5py.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np

import heaton

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ("33 % random", "66 % random", "33 % in blocks of 16")
SEEDS = 3
HARMONIC = {"curvature": "0", "anisotropy": "equal", "calibrate": "false"}


def walker_lake(path):
    """V, 300 x 260."""
    values, attributes = heaton.Workspace(path).values["walker.exh"]["data"]
    column = dict(zip(attributes["names"], values))["V"]
    return np.asarray(column, float).reshape(300, 260)


def gaps(shape, kind, seed):
    random = np.random.default_rng(seed)
    if kind.endswith("random"):
        return random.random(shape) < float(kind[:2]) / 100
    mask = np.zeros(shape, bool)
    while mask.mean() < 0.33:
        y, x = random.integers(0, shape[0] - 15), random.integers(0, shape[1] - 15)
        mask[y : y + 16, x : x + 16] = True
    return mask


class Runner:
    def __init__(self, executable, folder):
        self.executable, self.folder = executable, folder

    def run(self, text):
        """What a run came to, by name."""
        path = os.path.join(self.folder, "run.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([self.executable, path, "-q", "--force"], cwd=self.folder, check=True)
        with h5py.File(os.path.join(self.folder, "run.h5")) as file:
            results = file["results"]
            found = {
                name: values[()]
                for name, values in results.get("validation", {}).items()
                if isinstance(values, h5py.Dataset)
            }
            found.update(
                {
                    "field": results["field"][()] if "field" in results else None,
                    "transform": results.attrs.get("transform"),
                }
            )
        return found

    def synthetic(self, smoothness):
        return self.run(
            f"app: mpr\ntask: synthesize\ninput: {{synthetic: {{size: [256, 256], smoothness: {smoothness}}}}}\n"
        )["field"]

    def validate(self, truth, mask, model, repeats):
        for name, values in (("truth", truth), ("data", np.where(mask, np.nan, truth))):
            np.save(os.path.join(self.folder, f"{name}.npy"), values)
        options = ", ".join(f"{key}: {value}" for key, value in model.items())
        return self.run(
            f"app: mpr\ntask: validate\ninput: {{file: data.npy}}\nmodel: {{{options}}}\n"
            f"validate: {{truth: {{file: truth.npy}}, repeats: {repeats}}}\n"
        )


def compare(runner, name, truth, kind, transform):
    """Prints a line; whether the promise holds."""
    plain, errors, coverage, crps, chosen = [], [], [], [], set()
    for number in range(-(-60000 // truth.size)):
        mask = gaps(truth.shape, kind, number)
        plain.append(runner.validate(truth, mask, HARMONIC, 1)["mrase"].item())
        found = runner.validate(truth, mask, {"transform": transform}, SEEDS)
        errors.append(found["mrase"].ravel())
        coverage.append(found["coverage95"].mean())
        crps.append(found["crps"].mean())
        chosen.add(found["transform"])
    plain, errors = np.array(plain), np.array(errors)
    seeds = np.max(np.ptp(errors, axis=1) / errors.mean(axis=1))
    harmonic, default = (np.sqrt(np.mean(e**2)) for e in (plain, errors))
    print(
        f"{name:16s} {kind:21s} harmonic {harmonic:8.4g} default {default:8.4g} ratio {default / harmonic:.3f} ({np.max(errors / plain[:, None]):.3f}) "
        f"seeds {100 * seeds:.2f} % coverage {np.mean(coverage):.3f} CRPS {np.mean(crps):.4g} {' '.join(sorted(chosen))}",
        flush=True,
    )
    return default <= 1.01 * harmonic and seeds <= 0.01


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("executable")
    parser.add_argument("fields", nargs="*")
    parser.add_argument("--walker")
    parser.add_argument("--transform", default="none")
    arguments = parser.parse_args()
    paths = arguments.fields or [
        os.path.join(HERE, f"{name}.npy") for name in ("jacksboro", "topobathy")
    ]
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(os.path.abspath(arguments.executable), folder)
        fields = {
            os.path.splitext(os.path.basename(path))[0]: np.load(path).astype(float)
            for path in paths
        }
        if not arguments.fields:
            fields.update(
                {
                    f"Gaussian, nu {smoothness}": runner.synthetic(smoothness)
                    for smoothness in (0.5, 1.5)
                }
            )
        if arguments.walker:
            fields["Walker Lake V"] = walker_lake(arguments.walker)
        good = [
            compare(runner, name, truth, kind, arguments.transform)
            for name, truth in fields.items()
            for kind in KINDS
        ]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
