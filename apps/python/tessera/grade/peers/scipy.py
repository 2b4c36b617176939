# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""SciPy."""

import numpy as np

from .function import Function

NAME = "SciPy"


def version():
    import scipy.special
    import scipy.stats

    return scipy.__version__


def special(name):
    def call(nu, x):
        from scipy import special as module

        return getattr(module, name)(nu, x)

    return call


def log_k(nu, x):
    from scipy.special import kve

    return np.log(kve(nu, x)) - x


def log_i(nu, x):
    from scipy.special import ive

    return np.log(ive(nu, x)) + x


def matern(nu, h):
    from scipy.special import gamma, kv

    return 2 ** (1 - nu) / gamma(nu) * h**nu * kv(nu, h)


def one_minus(nu, h):
    return 1 - matern(nu, h)


def boys_by_gammainc(n, x):
    from scipy.special import gamma, gammainc

    order = n + 0.5
    return np.where(x == 0, 1 / (2 * n + 1), gamma(order) * gammainc(order, x) / (2 * x**order))


def boys_by_hyp1f1(n, x):
    from scipy.special import hyp1f1

    return hyp1f1(n + 0.5, n + 1.5, -x) / (2 * n + 1)


def stable(name):
    def call(x, alpha, beta):
        from scipy.stats import levy_stable

        levy_stable.parameterization = "S0"
        try:
            return getattr(levy_stable, name)(x, alpha, beta)
        finally:
            levy_stable.parameterization = "S1"

    return call


FUNCTIONS = {
    "bessel-k/k": Function(special("kv"), "kv"),
    "bessel-k/k_scaled": Function(special("kve"), "kve"),
    "bessel-k/log_k": Function(log_k, "log(kve) - x"),
    "bessel-k/dk_dx": Function(special("kvp"), "kvp"),
    "bessel-i/i": Function(special("iv"), "iv"),
    "bessel-i/i_scaled": Function(special("ive"), "ive"),
    "bessel-i/log_i": Function(log_i, "log(ive) + x"),
    "bessel-i/di_dx": Function(special("ivp"), "ivp"),
    "matern/matern": Function(matern, "kv and gamma"),
    "matern/one_minus": Function(one_minus, "kv and gamma"),
    "boys/boys": [
        Function(boys_by_gammainc, "gammainc"),
        Function(boys_by_hyp1f1, "hyp1f1"),
    ],
    "stable/pdf": Function(stable("pdf"), "levy_stable", each=True),
    "stable/logpdf": Function(stable("logpdf"), "levy_stable", each=True),
    "stable/cdf": Function(stable("cdf"), "levy_stable", each=True),
    "stable/sf": Function(stable("sf"), "levy_stable", each=True),
    "stable/quantile": Function(stable("ppf"), "levy_stable", each=True),
    "stable/upper_quantile": Function(stable("isf"), "levy_stable", each=True),
}
