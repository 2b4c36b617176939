# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Sequence

from jax import Array
from jax.typing import ArrayLike

def log_prob(
    x: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike,
    loc: ArrayLike = 0.0,
    scale: ArrayLike = 1.0,
    *,
    parameterization: str = "S0",
) -> Array: ...
def cdf(
    x: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike,
    loc: ArrayLike = 0.0,
    scale: ArrayLike = 1.0,
    *,
    parameterization: str = "S0",
) -> Array: ...
def icdf(
    p: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike,
    loc: ArrayLike = 0.0,
    scale: ArrayLike = 1.0,
    *,
    parameterization: str = "S0",
) -> Array: ...
def rsample(
    key: Array,
    alpha: ArrayLike,
    beta: ArrayLike,
    loc: ArrayLike = 0.0,
    scale: ArrayLike = 1.0,
    shape: Sequence[int] = (),
    *,
    parameterization: str = "S0",
) -> Array: ...
