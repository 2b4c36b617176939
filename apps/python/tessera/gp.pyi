# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
import os
from collections.abc import Mapping
from typing import Any, overload

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from numpy.typing import ArrayLike

from .results import Results

class Prediction:
    mean: np.ndarray
    variance: np.ndarray
    draws: np.ndarray | None
    quantiles: np.ndarray | None
    @property
    def std(self) -> np.ndarray: ...

class Effects:
    labels: list[Any]
    mean: np.ndarray
    std: np.ndarray
    observations: np.ndarray

class ResponsePrediction(Prediction):
    response_mean: np.ndarray
    response_variance: np.ndarray
    response_draws: np.ndarray | None

class CrossValidation:
    observed: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    fold: np.ndarray
    scores: dict[str, float] | dict[str, np.ndarray]
    results: Results
    @property
    def std(self) -> np.ndarray: ...
    @overload
    def plot(self, output: str | os.PathLike[str] | None = None) -> Figure: ...
    @overload
    def plot(self, output: str | os.PathLike[str] | None = None, *, ax: Axes) -> Axes: ...
    @overload
    def plot(self, output: str | os.PathLike[str] | None = None, *, fig: Figure | SubFigure) -> Figure | SubFigure: ...

class ResponseCrossValidation(CrossValidation):
    response_mean: np.ndarray
    response_variance: np.ndarray
    log_density: np.ndarray
    probability: np.ndarray

class GaussianProcess:
    theta: dict[str, float] | dict[str, np.ndarray]
    errors: dict[str, float] | dict[str, np.ndarray]
    loglik: float | np.ndarray
    converged: bool
    results: Results | None
    @property
    def effects(self) -> dict[str, Effects]: ...
    def predict(self, targets: ArrayLike, *, time: ArrayLike | None = None, covariates: Any = None,
                groups: Mapping[str, ArrayLike] | None = None, draws: int = 0, jitter: float | None = None,
                of: str = "field", quantiles: ArrayLike | None = None, seed: int | None = None,
                backend: str | None = None, verbose: bool = False) -> Prediction: ...
    def cross_validate(self, folds: int = 10, *, by: str | None = None, seed: int | None = None,
                       backend: str | None = None, verbose: bool = False) -> CrossValidation: ...

class ResponseProcess(GaussianProcess):
    response: dict[str, float]
    response_errors: dict[str, float]
    trend: dict[str, float]
    trend_errors: dict[str, float]
    def predict(self, targets: ArrayLike, *, time: ArrayLike | None = None, covariates: Any = None,
                groups: Mapping[str, ArrayLike] | None = None, draws: int = 0, jitter: float | None = None,
                of: str = "field", quantiles: ArrayLike | None = None, seed: int | None = None,
                backend: str | None = None, verbose: bool = False) -> ResponsePrediction: ...
    def cross_validate(self, folds: int = 10, *, by: str | None = None, seed: int | None = None,
                       backend: str | None = None, verbose: bool = False) -> ResponseCrossValidation: ...

@overload
def fit(points: ArrayLike, values: ArrayLike, *, method: str | dict[str, Any] | None = None, covariance: dict[str, Any] | None = None,
        mean: str | dict[str, Any] = "constant", marginal: str | dict[str, Any] | None = None,
        likelihood: str | dict[str, Any], exposure: ArrayLike | None = None,
        options: dict[str, Any] | None = None, time: ArrayLike | None = None, error_variance: ArrayLike | None = None,
        covariates: Any = None, groups: Mapping[str, ArrayLike] | None = None,
        group_variance: Mapping[str, float] | None = None, duplicates: str = "error", missing: str = "error",
        seed: int | None = None, backend: str | None = None, verbose: bool = False) -> ResponseProcess: ...
@overload
def fit(points: ArrayLike, values: ArrayLike, *, method: str | dict[str, Any] | None = None, covariance: dict[str, Any] | None = None,
        mean: str | dict[str, Any] = "constant", marginal: str | dict[str, Any] | None = None,
        likelihood: str | dict[str, Any] | None = None, exposure: ArrayLike | None = None,
        options: dict[str, Any] | None = None, time: ArrayLike | None = None, error_variance: ArrayLike | None = None,
        covariates: Any = None, groups: Mapping[str, ArrayLike] | None = None,
        group_variance: Mapping[str, float] | None = None, duplicates: str = "error", missing: str = "error",
        seed: int | None = None, backend: str | None = None, verbose: bool = False) -> GaussianProcess: ...

def given(points: ArrayLike, values: ArrayLike, *, covariance: dict[str, Any], method: str | dict[str, Any] = "exact",
          mean: str | dict[str, Any] = "constant", marginal: str | dict[str, Any] | None = None, time: ArrayLike | None = None,
          error_variance: ArrayLike | None = None, covariates: Any = None,
          groups: Mapping[str, ArrayLike] | None = None, group_variance: Mapping[str, float] | None = None,
          duplicates: str = "error",
          missing: str = "error", likelihood: bool = False, backend: str | None = None, verbose: bool = False) -> GaussianProcess: ...
