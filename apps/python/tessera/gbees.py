# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Probability densities carried through nonlinear dynamics, on a grid that follows them.

    density = tessera.gbees.run("lorenz63.yaml", time={"end": 2.0})
    density.mean, density.covariance, density.time
    density.plot()

Method: models/gbees/METHOD.md; the keys of an input: models/gbees/PARAMETERS.md.
"""

from . import runs

__all__ = ["run"]


def run(input, /, **options):
    """Runs an input of gbees: a file, or a dict with its keys (model, grid, initial, measurements,
    time, ...). Options are those of tessera.run(). Returns the results: mean, covariance, mass of
    each record, series of each step, cells where output.cells asks for them.
    """
    if isinstance(input, dict):
        input = {"app": "gbees", **input}
    return runs.run(input, **options)
