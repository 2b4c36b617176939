# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Cases `data`: every way in which a program reads a file, with a bad one."""

import os
import re
import struct

import h5py
import numpy as np

from cases.inputs import ODD_VALUES
from cases.runner import put
from cases.templates import TINY, npy, small_csv, small_npy

GP = "app: gp\ndata: {%s}\ncovariance: {family: matern32, sigma2: 1, beta: 0.2}\npredict: {%s}\n"
MEASUREMENT = "measurements:\n  - {time: 0.05, variable: z, value: 2.0, variance: 4.0}"
GAUSSIAN = "mean: [-11.5, -10.0, 9.5]\n  standard_deviation: [1.0, 1.0, 1.0]"


def gbees(old, new, spacing="1.5, 1.5, 1.5"):
    return TINY["gbees"][0].replace(old, new).replace("1.5, 1.5, 1.5", spacing)


READERS = {  # what is read of data.<ending>; the name says which program
    "gp.csv": GP % ("file: data.csv, coordinates: [x, y], values: [z]", "grid: [3, 3]"),
    "gp.drop.csv": GP
    % (
        "file: data.csv, coordinates: [x, y], values: [z], missing: drop, duplicates: average",
        "points: {file: data.csv}",
    ),
    "gp.npy": GP % ("file: data.npy, coordinates: ['1', '2'], values: ['3']", "grid: [3, 3]"),
    "gp.h5": GP % ("file: data.h5, coordinates: [x, y], values: [z]", "grid: [3, 3]"),
    "stable.csv": "app: stable\nproblem: {task: fit, data: {file: data.csv, column: z}}\n",
    "stable.weight.csv": "app: stable\nproblem: {task: fit, data: {file: data.csv, column: x, weight_column: y}}\n",
    "stable.drop.csv": "app: stable\nproblem: {task: fit, data: {file: data.csv, column: x, missing: drop}}\n",
    "stable.npy": "app: stable\nproblem: {task: fit, data: {file: data.npy}}\n",
    "stable.h5": "app: stable\nproblem: {task: fit, data: {file: data.h5, dataset: z}}\n",
    "stable.evaluate.csv": "app: stable\nproblem: {task: evaluate, alpha: 1.3, data: {file: data.csv}}\n",
    "bessel.csv": "app: bessel\nproblem: {nu: {file: data.csv, column: x}, x: {file: data.csv, column: y}}\n"
    "reference: {file: data.csv, column: z}\n",
    "bessel.h5": "app: bessel\nproblem: {nu: 1, x: {file: data.h5, dataset: t}}\n",
    "boys.csv": "app: boys\nproblem: {n_max: 1, x: {file: data.csv, column: x}}\nreference: {file: data.csv}\n",
    "boys.npy": "app: boys\nproblem: {n_max: 1, x: {file: data.npy}}\n",
    "gbees.table.csv": gbees(
        MEASUREMENT,
        "measurement_table: {file: data.csv, variable: z, variance: 4.0, time_column: x}",
    ),
    "gbees.table.h5": gbees(
        MEASUREMENT,
        "measurement_table: {file: data.h5, variable: z, variance: 4.0, time_column: t}",
    ),
    "gbees.samples.csv": gbees(GAUSSIAN, "shape: samples\n  file: data.csv", "0.3, 0.3, 0.3"),
    "gbees.samples.npy": gbees(GAUSSIAN, "shape: samples\n  file: data.npy", "0.3, 0.3, 0.3"),
    "gbees.result.h5": gbees(GAUSSIAN, "shape: result\n  file: data.h5"),
    "mpr.npy": "app: mpr\ntask: fill\ninput: {file: data.npy}\noutput: {quantiles: [0.1]}\n",
    "mpr.mask.npy": "app: mpr\ntask: fill\ninput: {file: small.npy, mask: {file: data.npy}}\n",
    "mpr.coupled.npy": "app: mpr\ntask: fill\ninput: {file: data.npy, third_axis: coupled}\n",
    "mpr.h5": "app: mpr\ntask: fill\ninput: {file: data.h5, dataset: field}\n",
    "mpr.nc": "app: mpr\ntask: fill\ninput: {file: data.nc, dataset: field}\n",
    "mpr.unnamed.h5": "app: mpr\ntask: fill\ninput: {file: data.h5}\n",
}


def flip(rng, raw, most, within=None):
    """Some bytes replaced by others."""
    raw = bytearray(raw)
    for _ in range(rng.randint(1, most)):
        if raw:
            raw[rng.randrange(min(len(raw), within or len(raw)))] = rng.randrange(256)
    return bytes(raw)


# --- text
# ----------------------------------------------------------------------------------------------

ODD_FIELDS = ODD_VALUES + [
    "",
    "NA",
    "nan",
    '"1"',
    '"',
    "0x1.8p+3",
    "0x",
    "1e",
    "+-1",
    "1" * 400,
    "0x1p99999",
    "-0x0p0",
    " 1 2 ",
]


def odd_field(rng, text):
    fields = list(re.finditer(r"[^,\n]+", text))
    if not fields:
        return text
    at = rng.choice(fields)
    return text[: at.start()] + rng.choice(ODD_FIELDS) + text[at.end() :]


def odd_character(rng, text):
    i = rng.randrange(len(text) + 1)
    return text[:i] + rng.choice(["\0", "\x1b[2J", "é", '"', "'", ",", "\n", "\\"]) + text[i:]


def odd_layout(rng, text):
    return rng.choice(
        [
            lambda: text[: rng.randrange(len(text) + 1)],
            lambda: text.replace(",", rng.choice([";", "\t", " ", ",,", "|", ", ", '","'])),
            lambda: text.replace("\n", rng.choice(["\r\n", "\r", "\n\n", "\n#\n", "\n,\n", ""])),
            lambda: rng.choice(
                ["\ufeff", "#\n", "\n", "x,x,x\n", "1,2,3\n", ",,\n", '"x,y\n', "x" * 100000 + ","]
            )
            + text,
            lambda: text
            + rng.choice(
                [
                    "1,2,3,4,5\n",
                    "1\n",
                    ",,,\n",
                    "a,b,c\n",
                    "1,2," + "9" * 100000 + "\n",
                    "0,0,0\n" * 50,
                    "nan,nan,nan\n",
                    "1e308,-1e308,1e308\n",
                ]
            ),
        ]
    )()


def bad_csv(rng):
    text = small_csv(rng, rng.choice([0, 1, 2, 12]))
    for _ in range(rng.randint(1, 4)):
        text = rng.choices([odd_field, odd_character, odd_layout], [4, 1, 5])[0](rng, text)
    raw = text.encode("utf-8", "surrogatepass")
    pick = rng.random()
    if pick < 0.1:
        return flip(rng, raw, 8)
    if pick < 0.2:
        return rng.choice(
            [
                b"",
                b"\n",
                b"\0" * 1000,
                rng.randbytes(2000),
                text.encode("utf-16", "surrogatepass"),
                (",".join(f"c{k}" for k in range(20000)) + "\n").encode(),
            ]
        )
    return raw


# --- numpy
# ----------------------------------------------------------------------------------------------

ODD_SHAPES = [
    "()",
    "(0,)",
    "(0, 0)",
    "(1, 1, 1, 3, 3)",
    "(-1, -1)",
    "(1e3, 2)",
    "(18446744073709551615, 1)",
    "(18446744073709551616,)",
    "(4294967296, 4294967296)",
    "(9223372036854775808, 2)",
    "(3, 3, 0)",
    "(0, 18446744073709551615)",
    "(2147483648, 2147483648, 4)",
    "(" + "1, " * 20000 + ")",
    "(1073741824, 0, 3)",
    "9",
    "[2, 2]",
    "(2 2)",
    "(3L, 3L)",
    "(True, False)",
]
ODD_TYPES = [
    ">f8",
    "<f4",
    "<f2",
    "<c16",
    "|O",
    "|S8",
    "<U2",
    "<i8",
    "<u8",
    "|b1",
    "|u1",
    "|V8",
    "<m8[s]",
    "",
    "<f8" * 100,
    "=f8",
    "<i1",
    "<f16",
    "'",
    "a'}",
    "<f8', 'shape': (1,), 'descr': '<f8",
]


def odd_number(rng):
    return (
        rng.choice([rng.gauss(0, 1), 0.0, float("nan"), float("inf"), 1e308, -1e308, 5e-324])
        if rng.random() < 0.3
        else rng.gauss(0, 1)
    )


def bad_npy(rng):
    n = rng.choice([1, 2, 3, 12])
    data = struct.pack(f"<{n * n}d", *(odd_number(rng) for _ in range(n * n)))
    whole = npy(data, (n, n))
    shapes = [(n, n), (n * n,), (1, n, n), (n, 1, n), (1, 1, n, n), (n * n, 1)]
    return rng.choice(
        [
            lambda: npy(data, rng.choice(ODD_SHAPES)),
            lambda: npy(data, (n, n), descr=rng.choice(ODD_TYPES)),
            lambda: npy(
                data, (n, n), fortran=rng.choice(["True", "False", "1", "None", "'x'", "TrueFalse"])
            ),
            lambda: npy(data, (n, n), version=rng.choice([0, 2, 3, 4, 255])),
            lambda: npy(data, rng.choice(shapes), fortran=rng.random() < 0.5),
            lambda: whole[: rng.randrange(len(whole))],
            lambda: whole + rng.randbytes(rng.randint(1, 9)),
            lambda: b"\x93NUMPY" + rng.randbytes(rng.randint(0, 300)),
            lambda: whole.replace(
                b"'descr'", rng.choice([b"'shape'", b"descr", b"'descr", b'"descr"', b"'x'    "])
            ),
            lambda: flip(rng, whole, 6, rng.choice([64, 128, None])),
        ]
    )()


# --- HDF5
# ----------------------------------------------------------------------------------------------

NAMES = [
    "x",
    "z",
    "t",
    "field",
    "field",
    "field",
    "results/time",
    "results/record_1/x",
    "results/record_1/p",
    "coordinates/spacing",
    "a",
]


def write_whole(rng, file, with_scales):
    """The datasets that READERS name."""
    rows = rng.choice([0, 1, 12])
    for key in "xyz":
        file[key] = np.array([rng.gauss(0, 1) for _ in range(rows)])
    file["t"] = np.linspace(0.01, 0.09, rows)
    field = np.array(
        [rng.gauss(50, 9) if rng.random() > 0.2 else np.nan for _ in range(144)]
    ).reshape(12, 12)
    storage = [
        {},
        {"chunks": (5, 5)},
        {"chunks": (4, 4), "compression": "gzip", "shuffle": True, "fletcher32": True},
        {"dtype": "i4"},
    ]
    kind = rng.choice(storage)
    file.create_dataset("field", data=np.nan_to_num(field) if "dtype" in kind else field, **kind)
    for k, key in enumerate("ab"):
        file[key] = np.arange(12.0)
        if with_scales:
            file[key].make_scale(key)
            file["field"].dims[k].attach_scale(file[key])
    file["results/time"] = np.array([0.0, 1.0])
    file["results/record_1/x"] = np.array([[rng.gauss(0, 1) for _ in range(3)] for _ in range(9)])
    file["results/record_1/p"] = np.full(9, 1 / 9)
    file["coordinates/spacing"] = np.array([0.5, 0.5, 0.5])


def odd_values(rng, file, name):
    file[name] = rng.choice(
        [
            np.float64(1),
            np.zeros((0,)),
            np.zeros((3, 0)),
            np.zeros((2,) * 7),
            np.arange(5),
            np.array([1 + 2j]),
            np.array([b"abc"]),
            np.float16(1),
            np.zeros((12, 12), "u1"),
            np.longdouble(1),
            np.array([2**63], "u8"),
            np.full(12, np.nan),
            np.full(12, np.inf),
            np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
            np.full((12, 12), 1e308),
            np.full((12, 12), 3.0),
            np.full((12, 12), np.nan),
            np.arange(float(rng.choice([1, 3, 11, 13, 27]))),
        ]
    )


def odd_size(rng, file, name):
    shape = rng.choice(
        [
            (1 << 40,),
            (1 << 30, 1 << 30, 16),
            (1 << 32, 1 << 32),
            (1 << 20, 1 << 20),
            (1 << 62,),
            (1 << 33,),
            (1 << 61, 2),
            (1 << 15, 1 << 15, 1 << 15),
        ]
    )
    try:
        file.create_dataset(
            name,
            shape=shape,
            chunks=tuple(min(n, 64) for n in shape),
            dtype=rng.choice(["f8", "u1", "f4"]),
        )
    except (ValueError, OSError, OverflowError, RuntimeError):  # larger than HDF5 itself allows
        pass


def odd_type(rng, file, name):
    kinds = [
        h5py.ref_dtype,
        h5py.regionref_dtype,
        h5py.vlen_dtype("f8"),
        h5py.string_dtype(),
        h5py.enum_dtype({"a": 1, "b": 2}),
        np.dtype("V7"),
        np.dtype("S9"),
    ]
    file.create_dataset(name, shape=(3,), dtype=rng.choice(kinds))


def odd_storage(rng, file, name):
    square = np.arange(144.0).reshape(12, 12)
    rng.choice(
        [
            lambda: file.create_dataset(
                name,
                shape=(12, 12),
                dtype="f8",
                external=[
                    (
                        rng.choice(["/dev/zero", "/etc/passwd", "nowhere.bin", "/"]),
                        0,
                        h5py.h5f.UNLIMITED,
                    )
                ],
            ),
            lambda: file.create_dataset(
                name,
                data=square,
                chunks=(12, 12),
                **rng.choice(
                    [
                        {"compression": "lzf"},
                        {"scaleoffset": 2},
                        {"compression": "gzip", "compression_opts": 9},
                    ]
                ),
            ),
            lambda: file.create_dataset(
                name,
                shape=(12, 12),
                maxshape=(None, None),
                dtype=rng.choice([">f8", ">i2", "i1", "u8", "f4"]),
                fillvalue=7,
            ),
            lambda: file.create_dataset(name, data=h5py.Empty("f8")),
        ]
    )()


def odd_link(rng, file, name):
    other = rng.choice(
        [
            h5py.SoftLink("/nowhere"),
            h5py.SoftLink("/" + name),
            h5py.ExternalLink("other.h5", "/x"),
            h5py.ExternalLink(os.path.basename(file.filename), "/b"),
            h5py.SoftLink("/b"),
            None,
        ]
    )
    if other is None:
        file.create_group(name)
    else:
        file[name] = other


def odd_attribute(rng, file):
    name = rng.choice(
        [
            "_FillValue",
            "missing_value",
            "scale_factor",
            "add_offset",
            "units",
            "long_name",
            "DIMENSION_LIST",
            "other",
        ]
    )
    file["field"].attrs[name] = rng.choice(
        [
            np.nan,
            0.0,
            "text",
            np.arange(3.0),
            np.array(["a", "b"], dtype=h5py.string_dtype()),
            h5py.Empty("f8"),
            np.int64(-1),
            file["field"].ref,
            np.float64(1e308),
            "a" * 60000,
            "é",
            b"\xff\xfe",
        ]
    )


def loops(rng, file):
    for k in range(rng.choice([3, 30])):
        file[f"loop{k}"] = file["/"] if rng.random() < 0.5 else file["results"]


def put_bad_hdf5(rng, folder, name):
    """A file with one odd dataset, attribute or link, or odd bytes."""
    path = os.path.join(folder, name)
    with h5py.File(path, "w") as file:
        write_whole(rng, file, name.endswith(".nc"))
        kind = rng.choices(
            [odd_values, odd_size, odd_type, odd_storage, odd_link, odd_attribute, loops, None],
            [3, 2, 2, 4, 2, 2, 1, 5],
        )[0]
        if kind in (odd_attribute, loops):
            kind(rng, file)
        elif kind is not None:
            victim = rng.choice(NAMES)
            del file[victim]
            kind(rng, file, victim)
    with open(path, "rb") as file:
        raw = file.read()
    if rng.random() < 0.45:
        raw = flip(rng, raw, rng.choice([1, 2, 4, 30]), rng.choice([None, 2048]))
    if rng.random() < 0.08:
        raw = raw[: rng.randrange(len(raw))]
    put(folder, name, raw)


# --- cases
# ----------------------------------------------------------------------------------------------


def run_case(runner, rng, folder):
    name = rng.choice([name for name in READERS if name.split(".")[0] in runner.apps])
    app, ending = name.split(".")[0], name.split(".")[-1]
    put(folder, "input.yaml", READERS[name])
    put(folder, "small.npy", small_npy(rng))
    if ending == "csv":
        put(folder, "data.csv", bad_csv(rng))
    elif ending == "npy":
        put(folder, "data.npy", bad_npy(rng))
    else:
        put_bad_hdf5(rng, folder, f"data.{ending}")
    runner.judge(
        runner.run(
            app,
            ["input.yaml", "--progress", "off", "--output", "result.h5"],
            folder,
            stop_after=3.0,
        ),
        folder,
    )
