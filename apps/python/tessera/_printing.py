# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""How the programs that print a page end: the page in the terminal or in a file, or an error."""

import sys

from .results import ResultsError


def print_page(program, page, output):
    """Prints what page() returns, to a file where `output` names one. Returns the exit status."""
    try:
        text = page()
        if output:
            _write(text, output)
        else:
            sys.stdout.write(text)
            sys.stdout.flush()
    except ResultsError as error:
        print(f"{program}: error: {error}", file=sys.stderr, flush=True)
        return error.code
    return 0


def _write(text, output):
    try:
        with open(output, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise ResultsError(f"cannot write {output}: {error.strerror}", 4) from error
