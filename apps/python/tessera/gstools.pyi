# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
from typing import Any

import gstools
import numpy as np
from gstools import krige
from gstools.field.generator import Generator

def covariance(model: Any) -> dict[str, Any]: ...

class Ordinary(krige.Ordinary):
    def get_mean(self, post_process: bool = True) -> float | None: ...

class Simple(krige.Simple):
    def get_mean(self, post_process: bool = True) -> float | None: ...

class Universal(krige.Universal):
    def __init__(self, model: Any, cond_pos: Any, cond_val: Any, drift_functions: str, *options: Any, **named: Any) -> None: ...

class Exact(Generator):
    seed: int | None
    def __init__(self, model: Any, *, seed: int | None = None, verbose: bool = False, mode_no: int | None = None,
                 sampling: str | None = None) -> None: ...
    def update(self, model: Any = None, seed: int | float | None = ...) -> None: ...
    def get_nugget(self, shape: Any) -> np.ndarray | float: ...

class SRF(gstools.SRF):
    def __init__(self, model: Any, mean: Any = 0.0, normalizer: Any = None, trend: Any = None, upscaling: str = "no_scaling",
                 generator: Any = ..., **generator_kwargs: Any) -> None: ...
