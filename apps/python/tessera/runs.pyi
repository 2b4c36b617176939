# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
import os
from typing import Any

from .results import Results

def run(input: str | os.PathLike[str] | dict[str, Any], /, *, output: str | os.PathLike[str] | dict[str, Any] | None = None,
        overrides: dict[str, Any] | None = None, backend: str | None = None, restart: str | os.PathLike[str] | None = None, seed: int | None = None,
        force: bool = False, verbose: bool = False, progress: bool | None = None, **sections: Any) -> Results: ...
