# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Tessera's Python functions."""

import re

import numpy as np

from .function import Function

NAME = "Tessera"


def version():
    from tessera import _tessera

    words = re.search(r"tessera (\S+) \(commit (\w{7})?", _tessera.version())
    return " ".join(filter(None, words.groups()))


def bessel(name, **options):
    def call(nu, x):
        from tessera import bessel as module

        return getattr(module, name)(nu, x, **options)

    return call


def stable(name):
    def call(x, alpha, beta):
        from tessera import stable as module

        return getattr(module, name)(x, alpha, beta)

    return call


def score(name):
    """Scores by PyTorch's gradients of Tessera's log density."""

    def call(x, alpha, beta):
        import torch

        from tessera.torch import stable as module

        given = {"x": x, "alpha": alpha, "beta": beta}
        tensors = {
            k: torch.tensor(v, dtype=torch.float64, requires_grad=k == name)
            for k, v in given.items()
        }
        module.log_prob(tensors["x"], tensors["alpha"], tensors["beta"]).sum().backward()
        return tensors[name].grad.numpy()

    return call


def matern(nu, h):
    from tessera import bessel as module

    return [float(module.matern(float(n), np.array([d]))[0]) for n, d in zip(nu, h)]


def boys(n, x):
    from tessera import boys as module

    places, back = np.unique(x, return_inverse=True)
    return module.boys(int(n.max()), places)[n.astype(int), back]


FUNCTIONS = {
    "bessel-k/k": Function(bessel("k")),
    "bessel-k/k_scaled": Function(bessel("k", scaled=True)),
    "bessel-k/log_k": Function(bessel("log_k")),
    "bessel-k/dlog_k_dx": Function(bessel("dlog_k_dx")),
    "bessel-k/dlog_k_dnu": Function(bessel("dlog_k_dnu")),
    "bessel-i/i": Function(bessel("i")),
    "bessel-i/i_scaled": Function(bessel("i", scaled=True)),
    "bessel-i/log_i": Function(bessel("log_i")),
    "bessel-i/dlog_i_dx": Function(bessel("dlog_i_dx")),
    "bessel-i/dlog_i_dnu": Function(bessel("dlog_i_dnu")),
    "matern/matern": Function(matern, "table of each nu"),
    "boys/boys": Function(boys),
    "stable/pdf": Function(stable("pdf")),
    "stable/logpdf": Function(stable("logpdf")),
    "stable/cdf": Function(stable("cdf")),
    "stable/sf": Function(stable("sf")),
    "stable/quantile": Function(stable("ppf")),
    "stable/upper_quantile": Function(stable("isf")),
    "stable/score_x": Function(score("x"), "by torch"),
    "stable/score_alpha": Function(score("alpha"), "by torch"),
    "stable/score_beta": Function(score("beta"), "by torch"),
}
