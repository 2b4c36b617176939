# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Cases `spellings`: the same data, written in another way that people use, give the same results;
other seeds give other numbers."""

import os

import h5py
import numpy as np

from cases.runner import Failure, put
from cases.templates import npy

MARKS = ["", "NA", "NaN", "NULL", "None", "N/A", "#N/A", "-", "."]
GP = (
    "app: gp\nmean: constant\ndata: {file: data.csv, coordinates: [x, y], values: [z], missing: drop}\n"
    "covariance: {family: matern32, sigma2: 1, beta: 0.2}\npredict: {grid: [3, 3]}\n"
)
SPHERE = (
    "app: gp\nmean: zero\ndata: {file: data.csv, latitude: y, longitude: x, values: [z]}\n"
    "covariance: {family: matern12, metric: great_circle, sigma2: 1, beta: 500}\npredict: {points: {file: targets.csv, latitude: y, longitude: x}}\n"
)
STABLE = "app: stable\nproblem: {task: fit, data: {file: data.csv, column: z, missing: drop}}\n"
RANDOM = {
    "stable": "app: stable\nproblem: {task: sample, alpha: 1.5, beta: 0.2, n: 8}\n",
    "gp": "app: gp\ncovariance: {family: matern12, sigma2: 1, beta: 0.2}\nsimulate: {points: 25}\n",
    "mpr": "app: mpr\ntask: fill\ninput: {file: data.npy}\noutput: {ensemble: 1}\n",
}
MPR = "app: mpr\ntask: fill\ninput: {%s}\nrun: {seed: 3}\n"


def results(runner, app, folder, name, *arguments):
    """The arrays below /results of a run that must succeed, but for wall times."""
    output = name + ".h5"
    outcome = runner.run(
        app, [name + ".yaml", "--output", output, "--progress", "off", *arguments], folder
    )
    runner.judge(outcome, folder, {0})
    found = {}
    with h5py.File(os.path.join(folder, output)) as file:
        file["results"].visititems(
            lambda path, item: found.update({path: item[()]})
            if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiu" and "seconds" not in path
            else None
        )
    return found


def require_same(first, second, what, tolerance=0.0):
    if first.keys() != second.keys():
        raise Failure("bits", f"{what}: other datasets, {sorted(first.keys() ^ second.keys())[:5]}")
    for path, values in first.items():
        if np.shape(values) != np.shape(second[path]):
            raise Failure("bits", f"{what}: '{path}' has another shape")
        if tolerance == 0:
            same = np.array_equal(
                values, second[path], equal_nan=np.asarray(values).dtype.kind == "f"
            )
        else:
            same = np.allclose(values, second[path], rtol=tolerance, atol=tolerance, equal_nan=True)
        if not same:
            raise Failure("bits", f"{what}: '{path}' differs")


# --- columns
# ----------------------------------------------------------------------------------------------


def plain_table(rows):
    return "x,y,z\n" + "".join(",".join(row) + "\n" for row in rows)


def with_index(rng, rows):
    """As pandas and R write it: the first column has no name and counts rows."""
    quote = rng.choice(["", '"'])
    first = rng.choice([0, 1])
    names = ",".join(f"{quote}{name}{quote}" for name in ["", "x", "y", "z"])
    return (
        names
        + "\n"
        + "".join(
            f"{quote}{i + first}{quote}," + ",".join(row) + "\n" for i, row in enumerate(rows)
        )
    )


def with_missing_rows(rng, rows):
    spelt = [list(row) for row in rows]
    for _ in range(rng.randint(1, 3)):
        spelt.insert(
            rng.randrange(len(spelt) + 1),
            [f"{rng.random():.3f}", f"{rng.random():.3f}", rng.choice(MARKS)],
        )
    return plain_table(spelt)


def with_other_columns(rng, rows):
    word = rng.choice(["a", "b c", '"d, e"', "2026-11-25", ""])
    return "name,x,y,z,note\n" + "".join(f"{word},{','.join(row)},{word}\n" for row in rows)


def with_layout(rng, rows):
    text = plain_table(rows)
    return rng.choice(
        [
            text.replace("\n", "\r\n"),
            "\ufeff" + text,
            text.rstrip("\n"),
            text.replace(",", ";"),
            text + "\n\n",
            "".join(f'"{line}"\n'.replace(",", '","') for line in text.splitlines()),
        ]
    )


def column_case(runner, rng, folder):
    app = rng.choice([app for app in ("gp", "stable") if app in runner.apps])
    rows = [
        [f"{rng.random():.5f}", f"{rng.random():.5f}", f"{rng.gauss(0, 1):.5f}"] for _ in range(25)
    ]
    put(folder, "a.yaml", GP if app == "gp" else STABLE)
    put(folder, "data.csv", plain_table(rows))
    expected = results(runner, app, folder, "a")
    spelling = rng.choice([with_index, with_missing_rows, with_other_columns, with_layout])
    os.rename(os.path.join(folder, "a.yaml"), os.path.join(folder, "b.yaml"))
    put(folder, "data.csv", spelling(rng, rows))
    require_same(expected, results(runner, app, folder, "b"), f"{app} {spelling.__name__}")


def longitude_case(runner, rng, folder):
    """Longitudes that differ by whole turns are the same place."""
    east = rng.choice([0.0, 90.0, 180.0])
    rows = [(east + rng.uniform(-3, 3), rng.uniform(50, 60), rng.gauss(0, 1)) for _ in range(20)]
    put(folder, "targets.csv", f"x,y\n{east - 1},55\n{east + 1},56\n")
    for name, turn in (
        ("a", lambda x: x),
        ("b", lambda x: (x + 180) % 360 - 180),
        ("c", lambda x: x % 360),
    ):
        put(folder, name + ".yaml", SPHERE)
        put(
            folder,
            "data.csv",
            "x,y,z\n" + "".join(f"{turn(x)!r},{y!r},{z!r}\n" for x, y, z in rows),
        )
        found = results(runner, "gp", folder, name)
        found = {
            path: values
            for path, values in found.items()
            if path in ("prediction/mean", "prediction/variance")
        }
        if name == "a":
            expected = found
        else:
            require_same(expected, found, f"longitudes {name}", 1e-8)


# --- fields
# ----------------------------------------------------------------------------------------------


def put_netcdf(folder, values, gaps, dims, dtype, mark):
    """A NetCDF-4 file of the field, as HDF5: values are quarters, of which `mark` marks the
    gaps."""
    packed = dtype in ("i2", "i4")
    numbers = np.where(gaps, 0, values / 0.25 if packed else values).astype(dtype)
    default = {
        "i2": -32767,
        "i4": -2147483647,
        "f4": np.float32(9.9692099683868690e36),
        "f8": 9.9692099683868690e36,
    }[dtype]
    fill = np.array(default if mark == "default" else np.nan if mark == "nan" else -9999).astype(
        dtype
    )
    numbers[gaps] = fill
    with h5py.File(os.path.join(folder, "data.nc"), "w") as file:
        for name, size in zip(dims, numbers.shape):
            file[name] = np.arange(float(size))
            file[name].make_scale(name)
            file[name].attrs["units"] = {
                "lat": "degrees_north",
                "lon": "degrees_east",
                "time": "days since 2000-01-01",
            }[name]
        file["t"] = numbers
        for axis, name in enumerate(dims):
            file["t"].dims[axis].attach_scale(file[name])
        if packed:
            file["t"].attrs["scale_factor"] = np.float64(0.25)
        if mark in ("_FillValue", "missing_value"):
            file["t"].attrs[mark] = np.array(fill).reshape(1)


def field_case(runner, rng, folder):
    """Gaps by any mark of CF, in any type; times last are refused with the order that is needed."""
    generator = np.random.default_rng(rng.randrange(1 << 30))
    frames = rng.choice([1, 1, 3])
    shape = (9, 11) if frames == 1 else (frames, 9, 11)
    values = np.round(generator.normal(20, 4, shape) * 4) / 4
    gaps = generator.random(shape) < 0.3
    put(folder, "a.yaml", MPR % "file: data.npy")
    put(folder, "data.npy", npy(np.where(gaps, np.nan, values).astype("<f8").tobytes(), shape))
    expected = results(runner, "mpr", folder, "a")["filled"]
    dtype = rng.choice(["f4", "f8", "i2", "i4"])
    mark = rng.choice(
        ["_FillValue", "missing_value", "default"] + (["nan"] if dtype[0] == "f" else [])
    )
    order = (0, 1) if frames == 1 else rng.choice([(0, 1, 2), (1, 2, 0)])
    dims = np.array(["lat", "lon"] if frames == 1 else ["time", "lat", "lon"])[list(order)]
    put_netcdf(
        folder, values.transpose(order), gaps.transpose(order), list(map(str, dims)), dtype, mark
    )
    put(folder, "b.yaml", MPR % "file: data.nc, dataset: t" + "grid: {metric: pixels}\n")
    if order == (1, 2, 0):
        outcome = runner.run("mpr", ["b.yaml", "--output", "b.h5"], folder)
        if outcome.status != 3 or "time" not in outcome.err:
            raise Failure(
                "code",
                f"a field with the times last ends with {outcome.status}: {outcome.err[-300:]}",
            )
        return
    if not np.array_equal(results(runner, "mpr", folder, "b")["filled"], expected):
        raise Failure(
            "bits", f"field of {dtype}, gaps by {mark}, dimensions {list(dims)}: filled differs"
        )


# --- seeds
# ----------------------------------------------------------------------------------------------


def seed_case(runner, rng, folder):
    """Every bit of a seed counts."""
    app = rng.choice([app for app in RANDOM if app in runner.apps])
    seed, bit = rng.randrange(1 << 64), rng.randrange(64)
    put(folder, "a.yaml", RANDOM[app])
    field = np.where(
        np.random.default_rng(1).random((9, 11)) < 0.3, np.nan, np.arange(99.0).reshape(9, 11)
    )
    put(folder, "data.npy", npy(field.astype("<f8").tobytes(), field.shape))
    first, other, again = (
        results(runner, app, folder, "a", "--seed", str(value), "--force")
        for value in (seed, seed ^ 1 << bit, seed)
    )
    require_same(first, again, f"{app}, seed {seed} again")
    if all(
        np.array_equal(values, other[path], equal_nan=values.dtype.kind == "f")
        for path, values in first.items()
    ):
        raise Failure(
            "bits",
            f"{app}: the seed {seed} and the one that differs in bit {bit} give the same numbers",
        )


CASES = {
    column_case: {"gp", "stable"},
    longitude_case: {"gp"},
    field_case: {"mpr"},
    seed_case: set(RANDOM),
}


def run_case(runner, rng, folder):
    rng.choice([case for case, apps in CASES.items() if apps.intersection(runner.apps)])(
        runner, rng, folder
    )
