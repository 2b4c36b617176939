#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Temperatures of the ocean and of the air with tessera-gp: does a covariance whose space and time
interact predict better than a separable one?

argo   data/argo2016.RData of the R package GpGp (https://github.com/cran/GpGp): temperatures at 100
       dbar of 32 436 profiles of Argo floats, January to March 2016
noaa   data/NOAA_df_1990.rda of the R package FRK (https://github.com/cran/FRK): daily maximum
       temperatures at 133 stations of the central USA, in degrees Fahrenheit, of which July 1993 is
       taken

    argo_noaa.py convert argo argo2016.RData     writes argo.csv, in which a tenth of the numbers is
                                                 marked as held out at random, and the inputs
                                                 argo_separable.yaml, argo_gneiting.yaml and
                                                 argo_delta.yaml
    tessera-gp argo_separable.yaml               and the others
    argo_noaa.py score argo_separable.h5 ...     log-likelihood, RMSE, CRPS, negative log predictive
                                                 density and coverage of what is held out

Distances are straight ones through the Earth in km, times are days. Needs numpy, and h5py for the
scores. The files are read by ../mpr/heaton.py.
"""
import importlib.util
import os
import sys

import numpy as np

INPUT = """\
app: gp
data: {{file: {name}.csv, latitude: latitude, longitude: longitude, time: day, values: [temperature]}}
mean: {{coordinates: constant, covariates: [latitude, latitude^2]}}
covariance: {{family: matern, metric: chordal, {time}, nugget: 0.1}}
method: {{vecchia: {{neighbours: 30}}}}
fit: {{}}
predict: {{held_out: held_out}}
"""
TIMES = {
    "separable": "time: separable",
    "gneiting": "time: gneiting",
    "delta": "time: gneiting, delta: 0.5",
}


def columns(path):
    """The columns of the one data frame in a file that R's save() wrote."""
    specification = importlib.util.spec_from_file_location(
        "heaton_data",
        os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpr", "heaton.py"),
    )
    reader = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(reader)
    ((values, attributes),) = reader.Workspace(path).values.values()
    return dict(zip(attributes["names"], values))


def argo(frame):
    longitude = (frame["lon"] + 180) % 360 - 180
    return frame["lat"], longitude, frame["day"] - frame["day"].min(), frame["temp100"]


def noaa(frame):
    chosen = (frame["year"] == 1993) & (frame["month"] == 7)
    return (frame[key][chosen] for key in ("lat", "lon", "day", "z"))


def convert(name, path):
    numbers = np.column_stack(list({"argo": argo, "noaa": noaa}[name](columns(path))))
    held_out = np.random.default_rng(2016).random(len(numbers)) < 0.1
    np.savetxt(
        f"{name}.csv",
        np.column_stack([numbers, held_out]),
        fmt="%.10g",
        delimiter=",",
        header="latitude,longitude,day,temperature,held_out",
        comments="",
    )
    for kind, time in TIMES.items():
        with open(f"{name}_{kind}.yaml", "w", encoding="utf-8") as file:
            file.write(INPUT.format(name=name, time=time))
    print(f"{len(numbers)} temperatures, {held_out.sum()} of them held out")


def score(paths):
    import h5py

    print("run  log-likelihood  RMSE  CRPS  NLPD  coverage of 95 % intervals")
    for path in paths:
        with h5py.File(path) as file:
            scores = file["results/prediction"].attrs
            print(
                f"{path}  {file['results/loglik'][0]:.1f}  {scores['mspe'] ** 0.5:.4f}  "
                f"{scores['crps']:.4f}  {scores['nlpd']:.4f}  {scores['coverage_95']:.4f}"
            )


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "convert" and sys.argv[2] in ("argo", "noaa"):
        convert(*sys.argv[2:])
    elif len(sys.argv) > 2 and sys.argv[1] == "score":
        score(sys.argv[2:])
    else:
        raise SystemExit(__doc__)
