# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Sequence

import torch
from torch import Tensor

def log_prob(x: Tensor | float, alpha: Tensor | float, beta: Tensor | float, loc: Tensor | float = 0.0, scale: Tensor | float = 1.0, *,
             parameterization: str = "S0") -> Tensor: ...
def cdf(x: Tensor | float, alpha: Tensor | float, beta: Tensor | float, loc: Tensor | float = 0.0, scale: Tensor | float = 1.0, *,
        parameterization: str = "S0") -> Tensor: ...
def icdf(p: Tensor | float, alpha: Tensor | float, beta: Tensor | float, loc: Tensor | float = 0.0, scale: Tensor | float = 1.0, *,
         parameterization: str = "S0") -> Tensor: ...
def rsample(alpha: Tensor | float, beta: Tensor | float, loc: Tensor | float = 0.0, scale: Tensor | float = 1.0, size: Sequence[int] = (), *,
            generator: torch.Generator | None = None, parameterization: str = "S0") -> Tensor: ...
