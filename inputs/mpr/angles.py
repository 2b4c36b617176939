#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""What samples say of q, the part of a full turn that their range covers, and what it changes.

    angles.py tessera-mpr              fields of this folder, and synthetic ones
    angles.py tessera-mpr FIELD.npy    fields of your own

A third of each field is taken away at random. For each q: the logarithm of the pseudo-likelihood of
a sample given its four neighbours (samples that have all four, at most 4096), at the temperature
where it is greatest, less that of q = 0.5; and the root mean square errors of modes default and
paper. Needs numpy, SciPy and h5py.
"""
import argparse
import os
import tempfile

import numpy as np
from scipy.optimize import minimize_scalar

import harmonic

HERE = os.path.dirname(os.path.abspath(__file__))
ANGLES = (0.5, 0.45, 1 / 3, 0.2, 0.1)
MOST = 4096  # samples that count


def samples_with_neighbours(data):
    """Rows and columns of samples whose four neighbours are samples."""
    known = np.isfinite(data)
    whole = np.zeros_like(known)
    whole[1:-1, 1:-1] = (
        known[1:-1, 1:-1] & known[:-2, 1:-1] & known[2:, 1:-1] & known[1:-1, :-2] & known[1:-1, 2:]
    )
    rows, columns = np.nonzero(whole)
    step = max(1, len(rows) // MOST)
    return rows[::step], columns[::step]


def log_pseudo_likelihood(data, q):
    """That of a sample, with the range of the data as the unit, and the temperature."""
    low, high = np.nanmin(data), np.nanmax(data)
    padding = (1 / q - 2) / 4
    angle = np.pi * (padding + (data - low) / (high - low)) / (1 + 2 * padding)
    y, x = samples_with_neighbours(data)
    near = [angle[y - 1, x], angle[y + 1, x], angle[y, x - 1], angle[y, x + 1]]
    field = sum(np.exp(1j * a) for a in near)
    strength, direction = np.abs(field), np.angle(field)
    share = np.linspace(0, 1, 97)  # Simpson's rule
    weights = np.where(np.arange(97) % 2 == 1, 4.0, 2.0)
    weights[[0, -1]] = 1
    weights /= 3 * 96

    def loss(log_temperature):
        k = strength / np.exp(log_temperature)
        reach = np.minimum(np.pi, 9 / np.sqrt(k))
        first, last = np.maximum(-direction, -reach), np.minimum(np.pi - direction, reach)
        turn = first[:, None] + (last - first)[:, None] * share
        norm = (np.exp(-2 * k[:, None] * np.sin(turn / 2) ** 2) @ weights) * (last - first)
        value = -2 * k * np.sin((angle[y, x] - direction) / 2) ** 2 - np.log(norm)
        return -np.mean(value) - np.log(2 * np.pi * q)

    found = minimize_scalar(loss, bounds=(-14, 2), method="bounded", options={"xatol": 1e-4})
    return -found.fun, np.exp(found.x)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mpr")
    parser.add_argument("fields", nargs="*")
    arguments = parser.parse_args()
    paths = arguments.fields or [
        os.path.join(HERE, f"{name}.npy") for name in ("jacksboro", "topobathy")
    ]
    with tempfile.TemporaryDirectory() as folder:
        runner = harmonic.Runner(os.path.abspath(arguments.mpr), folder)
        fields = {os.path.basename(path): np.load(path).astype(float) for path in paths}
        if not arguments.fields:
            rough, smooth = (runner.synthetic(nu) for nu in (0.5, 1.5))
            scale = (smooth - smooth.mean()) / smooth.std()
            fields |= {
                "Gaussian, nu 0.5": rough,
                "Gaussian, nu 1.5": smooth,
                "lognormal": np.exp(scale),
                "rain": np.maximum(0, scale) ** 2,
            }
        for name, truth in fields.items():
            mask = harmonic.gaps(truth.shape, "33 % random", 0)
            data = np.where(mask, np.nan, truth)
            base = log_pseudo_likelihood(data, ANGLES[0])[0]
            print(name)
            for q in ANGLES:
                gain = log_pseudo_likelihood(data, q)[0] - base
                errors = [
                    runner.validate(truth, mask, {"mode": mode, "q": f"{q:.6g}"}, 1)["mrase"].item()
                    for mode in ("default", "paper")
                ]
                print(
                    f"  q {q:.3f}: {gain:+.5f} a sample; error {errors[0]:.4g}, mode paper {errors[1]:.4g}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
