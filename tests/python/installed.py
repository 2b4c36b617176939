# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The installed package: installed.py BUILD_FOLDER. PYTHONPATH names where it is installed."""

import os
import sys

import tessera as ts
from tessera import _tessera

build = os.path.realpath(sys.argv[1])
for path in (ts.__file__, _tessera.__file__):
    assert not os.path.realpath(path).startswith(os.path.join(build, "python")), path
    assert os.path.realpath(path).startswith(os.path.realpath(os.environ["PYTHONPATH"])), path
assert os.path.exists(os.path.join(os.path.dirname(ts.__file__), "py.typed"))
assert abs(ts.bessel.k(0.5, 2.0) - 0.11993777196806145) < 1e-15
results = ts.run({"app": "boys", "problem": {"n_max": 2, "x": [0.0, 1.0]}})
assert results.F.shape == (2, 3), results
print("works as installed:", ts.__file__)
