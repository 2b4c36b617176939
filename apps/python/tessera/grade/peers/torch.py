# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch, on a GPU where it finds one. It has K and I of orders 0 and 1 alone."""

import numpy as np

from .function import Function

NAME = "PyTorch"


def version():
    import torch

    return f"{torch.__version__} {'CUDA' if torch.cuda.is_available() else 'CPU'}"


def tensor(array):
    import torch

    return torch.tensor(
        array, dtype=torch.float64, device="cuda" if torch.cuda.is_available() else "cpu"
    )


def orders_0_1(first, second):
    def call(nu, x):
        import torch

        place = tensor(x)
        values = [getattr(torch.special, name)(place).cpu().numpy() for name in (first, second)]
        return np.where(nu == 0, *values)

    return call


def boys(n, x):
    import torch

    order, place = tensor(n + 0.5), tensor(x)
    part = torch.exp(torch.lgamma(order)) * torch.special.gammainc(order, place)
    found = (part / (2 * place**order)).cpu().numpy()
    return np.where(x == 0, 1 / (2 * n + 1), found)


def low(nu, _):
    return (nu == 0) | (nu == 1)


def of(first, second, label):
    return Function(orders_0_1(first, second), label, domain=low)


FUNCTIONS = {
    "bessel-k/k": of("modified_bessel_k0", "modified_bessel_k1", "modified_bessel_k"),
    "bessel-k/k_scaled": of(
        "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "scaled_modified_bessel_k"
    ),
    "bessel-i/i": [
        of("i0", "i1", "i0, i1"),
        of("modified_bessel_i0", "modified_bessel_i1", "modified_bessel_i"),
    ],
    "bessel-i/i_scaled": of("i0e", "i1e", "i0e, i1e"),
    "boys/boys": Function(boys, "gammainc"),
}
