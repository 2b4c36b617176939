# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""TensorFlow Probability on JAX, in double precision."""

import numpy as np

from .function import Function

NAME = "TFP"


def version():
    import jax
    import tensorflow_probability.substrates.jax as tfp

    jax.config.update("jax_enable_x64", True)
    return f"{tfp.__version__} {jax.default_backend()}"


def of(name):
    def call(nu, x):
        from tensorflow_probability.substrates.jax import math

        return np.asarray(getattr(math, name)(nu, x))

    return Function(call, name)


FUNCTIONS = {
    "bessel-k/k_scaled": of("bessel_kve"),
    "bessel-k/log_k": of("log_bessel_kve"),
    "bessel-i/i_scaled": of("bessel_ive"),
}


def log_k(nu, x):
    from tensorflow_probability.substrates.jax import math

    return np.asarray(math.log_bessel_kve(nu, x)) - x


FUNCTIONS["bessel-k/log_k"] = Function(log_k, "log_bessel_kve - x")
