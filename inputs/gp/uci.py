#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Regression data sets with several inputs (kin40k, protein, pol, ...) with tessera-gp, in the form
of https://github.com/treforevans/uci_datasets: a folder uci_datasets/NAME with

    data.csv.gz        a row an observation, without a line of names: the inputs, then the output
    test_mask.csv.gz   as many rows, a column for each of ten splits: 1 for what is held out, a
                       tenth of the observations

    uci.py convert FOLDER/kin40k [SPLIT]     writes kin40k.npy and the input kin40k.yaml
    tessera-gp kin40k.yaml
    uci.py score kin40k.h5                   RMSE, NLPD and coverage of what is held out

As in the comparisons of these sets, inputs and output are standardised by the mean and the
deviation of the training data, and scores count in those units. Inputs that are constant are left
out; more than 32 are too many. Needs numpy, and h5py for the scores.
"""
import gzip
import os
import sys

import numpy as np

INPUT = """\
app: gp
data: {{file: {name}.npy, coordinates: [1..{inputs}], values: [{value}]}}
covariance: {{family: matern32, ranges: each, nugget: 0.05}}
method: {{vecchia: {{neighbours: 30, prediction_neighbours: 200}}}}
fit: {{}}
predict: {{held_out: {held_out}}}
"""


def read(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return np.loadtxt(file, delimiter=",", ndmin=2)


def convert(folder, split=0):
    name = os.path.basename(os.path.normpath(folder))
    data = read(os.path.join(folder, "data.csv.gz"))
    held_out = read(os.path.join(folder, "test_mask.csv.gz"))[:, split]
    training = data[held_out == 0]
    deviation = training.std(axis=0)
    varies = deviation > 0
    data = (data - training.mean(axis=0))[:, varies] / deviation[varies]
    inputs = data.shape[1] - 1
    if inputs > 32:
        raise SystemExit(f"{name} has {inputs} inputs; tessera-gp takes up to 32")
    np.save(f"{name}.npy", np.column_stack([data, held_out]))
    with open(f"{name}.yaml", "w", encoding="utf-8") as file:
        file.write(INPUT.format(name=name, inputs=inputs, value=inputs + 1, held_out=inputs + 2))
    print(
        f"{name}: {len(training)} observations of {inputs} inputs, {int(held_out.sum())} held out"
    )


def score(results):
    import h5py

    with h5py.File(results) as file:
        scores = file["results/prediction"].attrs
        print(
            f"RMSE {scores['mspe'] ** 0.5:.4f}, NLPD {scores['nlpd']:.4f}, "
            f"coverage of 95 % intervals {scores['coverage_95']:.4f}"
        )


if __name__ == "__main__":
    if len(sys.argv) in (3, 4) and sys.argv[1] == "convert":
        convert(sys.argv[2], int(sys.argv[3]) if len(sys.argv) == 4 else 0)
    elif len(sys.argv) == 3 and sys.argv[1] == "score":
        score(sys.argv[2])
    else:
        raise SystemExit(__doc__)
