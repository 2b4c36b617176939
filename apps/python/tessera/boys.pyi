# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

def boys(n_max: int, x: ArrayLike, *, out: np.ndarray | None = None, backend: str | None = None) -> Any: ...
def rys(
    n: int,
    x: ArrayLike,
    *,
    rho: ArrayLike = 1.0,
    omega: ArrayLike = 0.0,
    short_range: bool = True,
    backend: str | None = None,
) -> tuple[Any, Any]: ...
