# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that C++, Python and prose have lines of at most 100 characters.

Left out: tables, formulas and code of documents and comments (indented by two spaces or more),
lines without a space to break them at, string literals that are one line of a text, and what
generators write.

usage: width.py ROOT
"""
import pathlib
import re
import sys

WIDTH = 100
FOLDERS = ("apps", "cmake", "core", "docs", "inputs", "models", "packaging", "tests")
ENDINGS = {".cpp", ".cu", ".hpp", ".md", ".py"}
GENERATED = re.compile(
    r"/generate/|/PARAMETERS\.md$|/coefficients\w*\.hpp$|/kronrod\.hpp$|/tests/data/"
)


def documents(root):
    yield from root.glob("*.md")
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in ENDINGS and path.is_file() and not GENERATED.search(path.as_posix()):
                yield path


def prose(lines):
    """The lines of a document outside code and tables, with their numbers."""
    in_code = False
    for number, line in lines:
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code and not line.startswith("    ") and not line.lstrip().startswith("|"):
            yield number, line


def outside_texts(lines):
    """The lines outside raw strings and texts of several lines, with their numbers. Docstrings
    count."""
    end, is_docstring, before = None, False, ":"
    for number, line in lines:
        if end is None:
            raw = re.search(r'R"(\w*)\(', line)
            if raw and f'){raw[1]}"' not in line[raw.end() :]:
                end, is_docstring = f'){raw[1]}"', False
            elif line.count('"""') == 1:
                end = '"""'
                is_docstring = line.lstrip().startswith(('"""', 'r"""')) and before.endswith(":")
                if is_docstring:
                    yield number, line
            else:
                yield number, line
        else:
            if is_docstring:
                yield number, line
            end = None if end in line else end
        before = line.strip() if line.strip() and not line.startswith("#") else before


def is_breakable(line):
    """Whether there is a space to break the line at, outside of a literal that makes up most of it,
    and the line is no table, formula or code of a comment."""
    if re.match(r"\s*(///|//|#)(  |\s*\|)", line):
        return False
    text = line.strip()
    if not text.startswith(("/", "#")):
        text = re.sub(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", "", text)
    return len(text) > WIDTH - 40 and " " in text[:WIDTH]


def problems(root):
    for path in documents(root):
        lines = list(enumerate(path.read_text(encoding="utf-8").split("\n"), 1))
        wanted = prose(lines) if path.suffix == ".md" else outside_texts(lines)
        for number, line in wanted:
            if len(line) > WIDTH and is_breakable(line):
                yield f"{path.relative_to(root)}:{number}: {len(line)} characters"


def main():
    found = list(problems(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found) or f"no line has more than {WIDTH} characters")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
