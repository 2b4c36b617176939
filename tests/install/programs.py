# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The installed programs, in a folder of their own, as the README starts them: a run, its picture,
a comparison, and the package in Python.

usage: programs.py PREFIX SOURCES; exit status 77 where no Python has what pictures need.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

prefix, sources = map(pathlib.Path, sys.argv[1:])
programs = prefix / "bin"
environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def run(*command, folder, expected=0):
    done = subprocess.run(
        [os.fspath(part) for part in command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (
        done.returncode == expected
    ), f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def can_draw():
    pythons = [os.environ.get("TESSERA_PYTHON"), "python3", "/usr/bin/python3"]
    test = ["-c", "import numpy, h5py, matplotlib"]
    return any(
        subprocess.run([python, *test], capture_output=True, check=False).returncode == 0
        for python in pythons
        if python
    )


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    run(
        programs / "tessera-gbees",
        sources / "inputs/gbees/quickstart.yaml",
        "--output",
        "run.h5",
        "-q",
        folder=folder,
    )
    run(programs / "tessera-compare", "run.h5", "run.h5", folder=folder)
    for app in ("bessel", "boys", "gbees", "gp", "mpr", "stable"):
        assert "tessera" in run(programs / f"tessera-{app}", "--version", folder=folder)
    table = sources / "inputs/boys/paper/table2.yaml"
    run(programs / "tessera-boys", table, "-q", "problem.x.linspace=[0,40,41]", folder=folder)
    if not can_draw():
        print("no Python with numpy, h5py and matplotlib")
        sys.exit(77)
    run(programs / "tessera-plot", "run.h5", "-o", "run.png", folder=folder)
    assert (folder / "run.png").read_bytes().startswith(b"\x89PNG")
    run(programs / "tessera-plot", "none.h5", folder=folder, expected=4)
    graded = run(
        programs / "tessera-grade", "bessel-k", "numpy:hypot", "--count", "5", folder=folder
    )
    assert "numpy:hypot" in graded
    assert "Mazur et al." in run(programs / "tessera-table", "boys-table2.h5", folder=folder)
