# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Every script of apps/python/examples runs, and draws its picture."""

import pathlib
import subprocess
import sys

import pytest

EXAMPLES = sorted(
    (pathlib.Path(__file__).resolve().parents[2] / "apps" / "python" / "examples").glob("*.py")
)

NEEDS = {
    "fill_terrain": "xarray",
    "from_gpytorch": "gpytorch",
    "from_gstools": "gstools",
    "from_pykrige": "scipy",
    "from_scikit_learn": "sklearn",
    "from_xarray": "dask",
    "learn_smoothness": "torch",
    "stable_network": "torch",
}


def test_there_are_fourteen():
    assert len(EXAMPLES) == 14


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example(example, request, tmp_path):
    if example.stem in ("kriging", "from_scikit_learn"):
        request.getfixturevalue("optimizer")
    if example.stem in NEEDS:
        pytest.importorskip(NEEDS[example.stem])
    run = subprocess.run(
        [sys.executable, "-B", "-W", "error::RuntimeWarning", example],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    picture = tmp_path / (example.stem + ".png")
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 20_000
