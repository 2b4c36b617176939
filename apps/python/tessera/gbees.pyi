# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
import os
from typing import Any

from .results import Results

def run(input: str | os.PathLike[str] | dict[str, Any], /, **options: Any) -> Results: ...
