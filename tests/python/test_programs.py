# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The programs that a wheel brings along: what the compiled module runs is what the programs run,
with their output, their messages and their exit codes."""

import os
import re
import subprocess
import sys

import h5py
import numpy as np
import pytest

NAMES = ("bessel", "boys", "compare", "gbees", "gp", "mpr", "stable")


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def entry(name, *arguments, folder):
    """The entry point of a program, as the script that pip writes calls it."""
    script = f"from tessera import _programs; _programs.{name}()"
    return run([sys.executable, "-B", "-c", script, *map(os.fspath, arguments)], folder)


@pytest.mark.parametrize("name", NAMES)
def test_entry_points(name, root, programs, tmp_path):
    declared = (root / "pyproject.toml").read_text(encoding="utf-8")
    assert f'tessera-{name} = "tessera._programs:{name}"\n' in declared
    for option in ("--help", "--version"):
        ours = entry(name, option, folder=tmp_path)
        theirs = run([programs / f"tessera-{name}", option], tmp_path)
        assert (ours.returncode, ours.stdout) == (theirs.returncode, theirs.stdout), ours.stderr


def test_same_bits(root, programs, tmp_path):
    quickstart = root / "inputs/boys/quickstart.yaml"
    ours = entry("boys", quickstart, "--output", "ours.h5", folder=tmp_path)
    assert ours.returncode == 0, ours.stderr
    assert "ours.h5" in ours.stderr  # the summary
    theirs = run([programs / "tessera-boys", quickstart, "--output", "theirs.h5"], tmp_path)
    assert theirs.returncode == 0, theirs.stderr
    with h5py.File(tmp_path / "ours.h5") as a, h5py.File(tmp_path / "theirs.h5") as b:
        assert set(a["results"]) == set(b["results"])
        for name in a["results"]:
            np.testing.assert_array_equal(a["results"][name][()], b["results"][name][()])
    same = entry("compare", "ours.h5", "theirs.h5", folder=tmp_path)
    assert same.returncode == 0, same.stdout + same.stderr


def test_mistakes(tmp_path):
    missing = entry("gbees", "none.yaml", folder=tmp_path)
    assert missing.returncode == 3
    assert "error: cannot read the input file 'none.yaml'" in missing.stderr
    (tmp_path / "wrong.yaml").write_text("app: boys\nproblem: {n_mx: 3}\n", encoding="utf-8")
    wrong = entry("boys", "wrong.yaml", folder=tmp_path)
    assert wrong.returncode == 3
    assert re.search(r"wrong\.yaml:2:\d+: error: unknown key 'n_mx'", wrong.stderr), wrong.stderr
    unknown = entry("boys", "--nothing", folder=tmp_path)
    assert unknown.returncode == 2 and "Traceback" not in unknown.stderr
