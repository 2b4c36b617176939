#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Writes the small files from which the fuzzers start, tests/data/fuzz/<fuzzer>/*. Run as: seeds.py
[FOLDER]. Needs numpy and h5py.

Files whose names begin with `found-` are inputs that once broke a parser; they are kept as they
are."""

import hashlib
import io
import pathlib
import sys

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]

CSV = {  # the first character chooses how the rest is read, see fuzz_csv.cpp
    "plain": "0x,y,z\n1,2,3\n4,5,6\n",
    "chosen": "1x,2,name\n1,2,three\n",
    "missing": "2x;y;z\n1;;NA\nnan;2;3\n",
    "unnamed": "41 2 3\n4 5 6\n",
    "quoted": '0"x","y, z"\n"1","2"\n',
    "hexadecimal": "0x\ty\n0x1.8p+3\t-0x1p-1074\n+1e400\t1e-400\n",
    "windows": "0\ufeff# a comment\r\nx,z\r\n1,2\r\n\r\n",
    "comma": "0x;z\n1,5;2\n",
}

EXPRESSION = {
    "lorenz63": "4*(y - x)\nx*(48 - t) - y\nx*y - t\n",
    "powers": "x^2 + x**3 - 2^-x\n-x^2^0.5\n",
    "functions": "\n".join(
        f"{f}(x)" for f in "sin cos tan asin acos atan sinh cosh tanh exp log sqrt".split()
    )
    + "\n",
    "of_two": "min(x, y)\nmax(x, 1)\natan2(y, x)\nhypot(x, y)\npow(x, 2)\nabs(x)*sign(y)\nfloor(t)\n",
    "definitions": "x*x + y*y\nd0^1.5\n-k*x/d1\n-k*y/d1\n",
    "constants": "1e308*10\n0/0\n.5 + 3. + 1e-320\npi\n",
    "nested": "((((x))))\n" + "-" * 30 + "x\n" + "sin(" * 20 + "x" + ")" * 20 + "\n",
    "wrong": "x +\nunknown\nsin()\n1..2\n",
}

YAML = {
    "quickstart": "app: gbees\nmodel:\n  name: lorenz63\ngrid:\n  spacing: [0.5, 0.5, 0.5]\n  threshold: 2.0e-5\ninitial:\n"
    "  mean: [-11.5, -10.0, 9.5]\n  standard_deviation: [1.0, 1.0, 1.0]\n"
    "measurements:\n  - {time: 1.0, variable: z, value: -8.0, variance: 1.0}\ntime:\n"
    "  end: 1.0\n  records: 2\n",
    "equations": "app: gbees\nmodel:\n  variables: [angle, rate]\n  equations: [rate, -g/l*sin(angle) - friction*rate]\n"
    "  parameters: {g: 9.81, l: 1.0, friction: 0.2}\n  definitions: {e: rate^2}\ngrid:\n  spacing: [0.1, 0.2]\n"
    "  threshold: 1.0e-4\ninitial:\n  mean: [1.5, 0.0]\n  standard_deviation: [0.1, 0.2]\ntime:\n  end: 0.1\n  records: 2\n"
    "validate:\n  monte_carlo: {samples: 200}\n",
    "covariance": "app: gbees\nmodel: {name: duffing}\ngrid: {spacing: [0.1, 0.1], threshold: 1e-6, rotate: true}\ninitial:\n"
    "  mean: [0, 0]\n  covariance: [[1, 0.5], [0.5, 1.3]]\ntime: {end: 1, records: 1}\n",
    "anchors": "app: gbees\nx-free: &a {name: lorenz63}\nmodel:\n  <<: *a\nlist: [*a, *a]\n",
    "styles": 'app: \'gbees\'\n"model": {name: "lorenz\\u0036\\x33"}\ntext: |\n  kept\n  lines\nfold: >-\n  a\n  b\n? key\n: value\n',
    "numbers": "app: gbees\nrun: {seed: 18446744073709551615}\ngrid: {spacing: [0x10, .5, 1e400], threshold: .nan}\ntime: {end: .inf}\n",
    "wrong": "app: gbes\nmodel: [lorenz63\n\tgrid: x\n",
    "overrides": "app: gbees\nmodel:\n  name: lorenz63\n%%\ngrid.spacing=[1, 1, 1]\nmeasurements.0.time=2\ntime.end={a: 1}\n",
}


def npy(array, **options):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, **options)
    return stream.getvalue()


NPY = {
    "float64": npy(np.array([[1.5, 2.0], [np.nan, -np.inf]])),
    "float32_column_major": npy(np.asfortranarray(np.arange(6, dtype="f4").reshape(2, 3))),
    "int8": npy(np.arange(-2, 2, dtype="i1")),
    "uint64": npy(np.array([2**63], "u8")),
    "bool": npy(np.array([True, False])),
    "version2": npy(np.arange(3.0), version=(2, 0)),
    "empty": npy(np.zeros((0, 3))),
    "scalar": npy(np.array(1.0)),
    "huge": b"\x93NUMPY\x01\x00\x3a\x00{'descr': '<f8', 'fortran_order': True, 'shape': (4294967296, 4294967296), }\n",
}


def hdf5(fill):
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        fill(file)
    return b"d" + stream.getvalue()


def fill_columns(file):
    file["x"] = np.arange(3.0)
    file["results/time"] = np.arange(3)


def fill_field(file):
    file["field"] = np.arange(6, dtype="i2").reshape(2, 3)
    file["field"].attrs["_FillValue"] = np.int16(5)
    file["field"].attrs["units"] = "km"
    file["a"] = np.arange(2.0)
    file["a"].make_scale("a")
    file["field"].dims[0].attach_scale(file["a"])


def fill_packed(file):
    file.create_dataset(
        "x",
        data=np.arange(16.0).reshape(4, 4),
        chunks=(3, 3),
        compression="gzip",
        shuffle=True,
        fletcher32=True,
    )
    file["text"] = ["a", "bc"]
    file["fixed"] = np.array([b"ab", b"c"])


def fill_odd(file):
    file["results/loop"] = file["/"]
    file["x"] = h5py.SoftLink("/x")
    file["other"] = h5py.ExternalLink("other.h5", "/x")
    file.create_dataset("huge", shape=(1 << 62,), chunks=(64,), dtype="f8")
    file["complex"] = np.array([1 + 2j])
    file["none"] = h5py.Empty("f8")


HDF5 = {
    "columns": hdf5(fill_columns),
    "field": hdf5(fill_field),
    "packed": hdf5(fill_packed),
    "odd": hdf5(fill_odd),
    "restart_seal": b"r"
    + f"tessera-restart 2.3\nbytes 0\nsha256 {hashlib.sha256().hexdigest()}\n".encode().ljust(
        512, b"\0"
    ),
    "restart_old": b"r\x89HDF\r\n\x1a\n tessera-restart",
    "restart_newer": b"rtessera-restart 3.1\n",
}


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tests" / "data" / "fuzz"
    for name, files in {
        "csv": CSV,
        "expression": EXPRESSION,
        "hdf5": HDF5,
        "npy": NPY,
        "yaml": YAML,
    }.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            (folder / name / file).write_bytes(
                content if isinstance(content, bytes) else content.encode()
            )


if __name__ == "__main__":
    main()
