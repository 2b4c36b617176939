# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .results import Results

class Prediction:
    mean: np.ndarray
    variance: np.ndarray
    draws: np.ndarray | None
    @property
    def std(self) -> np.ndarray: ...

class GaussianProcess:
    theta: dict[str, Any]
    errors: dict[str, Any]
    loglik: Any
    converged: Any
    results: Results
    def predict(self, targets: ArrayLike, *, draws: int = 0, of: str = "field", seed: int | None = None, backend: str | None = None,
                verbose: bool = False) -> Prediction: ...

def fit(points: ArrayLike, values: ArrayLike, *, error_variance: ArrayLike | None = None, missing: str = "error",
        duplicates: str = "error", method: str | dict[str, Any] = "exact", covariance: dict[str, Any] | None = None,
        mean: str | dict[str, Any] = "constant", options: dict[str, Any] | None = None, seed: int | None = None, backend: str | None = None,
        verbose: bool = False) -> GaussianProcess: ...
