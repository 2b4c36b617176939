# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that a METHOD page has a heading every 40 lines, and a README at most 150 lines, as
CONTRIBUTING.md asks.

usage: headings.py ROOT
"""
import pathlib
import sys

LINES_BETWEEN_HEADINGS = 40
LINES_OF_A_README = 150


def long_sections(path):
    """Number of the first line and length of each section that is too long."""
    lines = path.read_text(encoding="utf-8").split("\n")
    heads = [0, *(n for n, line in enumerate(lines) if line.startswith("#")), len(lines) - 1]
    for begin, end in zip(heads, heads[1:]):
        if end - begin > LINES_BETWEEN_HEADINGS:
            yield begin + 1, end - begin


def problems(root):
    for path in sorted(root.glob("models/*/METHOD.md")):
        for line, length in long_sections(path):
            yield f"{path.relative_to(root)}:{line}: {length} lines without another heading"
    for path in [root / "README.md", *sorted(root.glob("models/*/README.md"))]:
        length = len(path.read_text(encoding="utf-8").splitlines())
        if length > LINES_OF_A_README:
            yield f"{path.relative_to(root)}: {length} lines, of {LINES_OF_A_README} at most"


def main():
    found = list(problems(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found) or "no section and no README is too long")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
