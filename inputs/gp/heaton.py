#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The case study competition of Heaton et al. (JABES 24, 2019, 398-425) with tessera-gp:
land-surface temperature at 105 569 pixels, from which 42 740 others are predicted; and a simulated
field with the same gaps.

The data are AllSatelliteTemps.RData and AllSimulatedTemps.RData in the folder Data of
https://github.com/finnlindgren/heatoncomparison.

    heaton.py convert Data                     writes satellite.csv and simulated.csv, the hidden
                                               pixels beside them, satellite_hidden.csv and
                                               simulated_hidden.csv, and the inputs below,
                                               satellite.yaml and simulated.yaml
    tessera-gp satellite.yaml
    heaton.py score satellite satellite.h5     RMSE, MAE, CRPS, interval score and
                                               coverage of the hidden pixels

Coordinates are kilometres east and north of the middle of the region. Needs numpy, and h5py for the
scores. The data files are read, and scores made, by ../mpr/heaton.py.
"""
import importlib.util
import math
import os

import numpy as np

SPECIFICATION = importlib.util.spec_from_file_location(
    "heaton_data",
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpr", "heaton.py"),
)
DATA = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(DATA)

INPUT = """\
app: gp
data: {{file: {name}.csv}}
mean: linear
covariance: {{family: matern12, beta: [20, 20], angle: 0, nugget: 0.1}}
method: {{vecchia: {{neighbours: 30, prediction_neighbours: 60}}}}
fit: {{}}
predict: {{points: {{file: {name}_hidden.csv}}, of: observation}}
"""
KILOMETRES = math.pi / 180 * 6371  # of a degree


def write(path, *columns):
    np.savetxt(
        path, np.column_stack(columns), fmt="%.10g", delimiter=",", header="x,y,z", comments=""
    )


def convert(folder):
    for name, file in DATA.FILES.items():
        frame = DATA.columns(os.path.join(folder, file))
        longitude, latitude = frame["Lon"], frame["Lat"]
        middle = 0.5 * (latitude.min() + latitude.max())
        x = (
            (longitude - 0.5 * (longitude.min() + longitude.max()))
            * KILOMETRES
            * math.cos(math.radians(middle))
        )
        y = (latitude - middle) * KILOMETRES
        given, hidden = np.isfinite(frame["MaskTemp"]), ~np.isfinite(
            frame["MaskTemp"]
        ) & np.isfinite(frame["TrueTemp"])
        write(f"{name}.csv", x[given], y[given], frame["MaskTemp"][given])
        write(f"{name}_hidden.csv", x[hidden], y[hidden], frame["TrueTemp"][hidden])
        with open(f"{name}.yaml", "w", encoding="utf-8") as file:
            file.write(INPUT.format(name=name))
        print(f"{name}: {given.sum()} pixels given, {hidden.sum()} hidden")


def score(name, results):
    import h5py

    truth = np.loadtxt(f"{name}_hidden.csv", delimiter=",", skiprows=1)[:, 2]
    with h5py.File(results) as file:
        prediction = file["results/prediction"]
        # of an observation, as the input asks
        mean, s = prediction["mean"][:], np.sqrt(prediction["variance"][:])
    DATA.print_scores(name, mean, s, truth)


if __name__ == "__main__":
    DATA.main(__doc__, convert, score)
