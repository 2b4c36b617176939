# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
from typing import Any, Callable, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn import gaussian_process
from sklearn.gaussian_process import kernels

from ._errors import NumericalError

Bounds = tuple[float, float] | np.ndarray | Literal["fixed"]

class Matern(kernels.Matern):
    def __init__(self, length_scale: float | ArrayLike = 1.0, length_scale_bounds: Bounds = (1e-5, 1e5), nu: float = 1.5,
                 nu_bounds: Bounds = "fixed") -> None: ...
    def __call__(self, X: ArrayLike, Y: ArrayLike | None = None, eval_gradient: bool = False) -> Any: ...

class SingularKernelError(NumericalError, np.linalg.LinAlgError): ...

class GaussianProcessRegressor(gaussian_process.GaussianProcessRegressor):
    kernel_: kernels.Kernel
    method_: str
    def __init__(self, kernel: kernels.Kernel | None = None, *, alpha: float | np.ndarray = 1e-10,
                 optimizer: str | Callable[..., Any] | None = "fmin_l_bfgs_b", n_restarts_optimizer: int = 0, normalize_y: bool = False,
                 copy_X_train: bool = True, random_state: Any = None, method: str = "auto", neighbours: int = 30,
                 backend: str | None = None) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike) -> GaussianProcessRegressor: ...
    def predict(self, X: ArrayLike, return_std: bool = False, return_cov: bool = False) -> Any: ...
    def sample_y(self, X: ArrayLike, n_samples: int = 1, random_state: Any = 0) -> np.ndarray: ...
    def log_marginal_likelihood(self, theta: np.ndarray | None = None, eval_gradient: bool = False, clone_kernel: bool = True) -> Any: ...
