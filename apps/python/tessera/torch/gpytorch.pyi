# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
from typing import Any

from gpytorch import kernels
from torch import Tensor

class MaternNu(kernels.Kernel):
    nu: Tensor
    def __init__(self, nu: float = 1.5, *, nu_constraint: Any = None, nu_prior: Any = None, nu_fixed: bool = False, **options: Any) -> None: ...
    def forward(self, x1: Tensor, x2: Tensor, diag: bool = False, **params: Any) -> Tensor: ...
