# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn, whose distance r is h / sqrt(2 nu)."""

import math

from .function import Function

NAME = "scikit-learn"


def version():
    import sklearn

    return sklearn.__version__


def matern(nu, h):
    from sklearn.gaussian_process.kernels import Matern

    return float(Matern(nu=nu)([[0.0]], [[h / math.sqrt(2 * nu)]])[0, 0])


FUNCTIONS = {"matern/matern": Function(matern, "Matern", each=True)}
