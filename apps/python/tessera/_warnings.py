# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Warnings of the library, raised where the user's code calls it."""

import os
import sys
import warnings

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class TesseraWarning(UserWarning):
    """A result that is less than it seems: not resolved, not converged or out of range; the text
    says what to change."""


TesseraWarning.__module__ = "tessera"


def warn(text):
    """Raises a TesseraWarning at the line outside this package that led here."""
    level, frame = 2, sys._getframe(1)
    while frame is not None and os.path.abspath(frame.f_code.co_filename).startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, TesseraWarning, stacklevel=level)
