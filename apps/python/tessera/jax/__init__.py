# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Functions of JAX with gradients in every argument, the order of Bessel functions and the
smoothness of Matern correlations too; under jit, grad, jvp and vmap.

    from tessera.jax import log_kv, matern, stable
    from tessera.jax.numpyro import Stable            # a distribution of NumPyro

Arrays stay where they are, on the host or on a GPU (jax.ffi, JAX 0.5 or later, a library built with
CUDA); else they are copied to callbacks on the host. So are, on a GPU, second derivatives, the
smoothness of Matern correlations where it differs from element to element under vmap, and stable
laws, Matern correlations and Boys functions in single precision.

With jax's single precision, the default, results are rounded to it, and Bessel functions on a GPU
are computed in it: jax.config.update("jax_enable_x64", True) gives them their digits.

Needs JAX 0.4.34 or later.
"""

try:
    import jax
except ImportError:
    raise ImportError(
        "tessera.jax needs JAX, which is not installed\n  remedy: pip install jax"
    ) from None

if not hasattr(jax, "pure_callback"):
    raise ImportError("tessera.jax needs JAX 0.4.34 or later\n  remedy: pip install -U jax")

import importlib

from . import stable
from ._functions import boys, iv, ive, kv, kve, log_iv, log_kv, matern

__all__ = ["boys", "iv", "ive", "kv", "kve", "log_iv", "log_kv", "matern", "stable"]


def __getattr__(name):
    if name == "numpyro":
        return importlib.import_module(".numpyro", __name__)
    raise AttributeError(f"module 'tessera.jax' has no attribute '{name}'")
