# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Functions of PyTorch with gradients in every argument, the order of Bessel functions and the
smoothness of Matern correlations too.

    from tessera.torch import log_kv, matern, stable
    from tessera.torch.distributions import Stable
    from tessera.torch.gpytorch import MaternNu       # a kernel whose smoothness is trained

Tensors are read and written where they lie, without copies: on a CPU, or on the GPU that Tessera
computes on, behind what the current stream of torch has been given so far. Where no gradient is
needed none is computed.

Needs PyTorch 1.13 or later (Debian: python3-torch).
"""

try:
    import torch  # noqa: F401
except ImportError:
    raise ImportError(
        "tessera.torch needs PyTorch, which is not installed\n"
        "  remedy: apt-get install python3-torch, or pip install torch"
    ) from None

import importlib

from . import distributions, stable
from ._functions import boys, iv, ive, kv, kve, log_iv, log_kv, matern

__all__ = [
    "boys",
    "distributions",
    "iv",
    "ive",
    "kv",
    "kve",
    "log_iv",
    "log_kv",
    "matern",
    "stable",
]


def __getattr__(name):
    if name == "gpytorch":
        return importlib.import_module(".gpytorch", __name__)
    raise AttributeError(f"module 'tessera.torch' has no attribute '{name}'")
