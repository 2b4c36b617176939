# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
from jax import Array
from jax.typing import ArrayLike
from numpyro import distributions

class Stable(distributions.Distribution):
    alpha: Array
    beta: Array
    loc: Array
    scale: Array
    parameterization: str
    def __init__(
        self,
        alpha: ArrayLike,
        beta: ArrayLike,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        *,
        parameterization: str = "S0",
        validate_args: bool | None = None,
    ) -> None: ...
    def sample(self, key: Array, sample_shape: tuple[int, ...] = ()) -> Array: ...
    def log_prob(self, value: ArrayLike) -> Array: ...
    def cdf(self, value: ArrayLike) -> Array: ...
    def icdf(self, q: ArrayLike) -> Array: ...
