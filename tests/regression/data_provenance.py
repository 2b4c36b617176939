# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Every file of tests/data says what it holds and how it was made: in a row "| file | content | made by |" of its folder's README.md,
where a file is a name or a pattern in backticks. Every input has a row in inputs/README.md. Run as:
data_provenance.py ROOT."""

import fnmatch
import pathlib
import re
import sys


def rows(readme):
    """Patterns, content and origin of each row of the table."""
    for line in readme.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 3 and cells[0] != "file" and not set(cells[0]) <= set("-:"):
            yield re.findall(r"`([^`]+)`", cells[0]), cells[1], cells[2]


def problems(folder, root):
    readme = folder / "README.md"
    name = readme.relative_to(root)
    if not readme.exists():
        yield f"{name} is missing: a table | file | content | made by | with a row for every file"
        return
    files = {
        path.name for path in folder.iterdir() if path.name not in ("README.md", "__pycache__")
    }
    described = set()
    for patterns, content, origin in rows(readme):
        for pattern in patterns:
            found = set(fnmatch.filter(files, pattern))
            described |= found
            if not found:
                yield f"{name} describes '{pattern}', which is not there"
            if not content or not origin:
                yield f"{name} does not say what '{pattern}' holds, or how it was made"
            for script in re.findall(r"`([^`]+\.py)`", origin):
                if not (root / script).exists() and not (folder / script).exists():
                    yield f"{name}: the script '{script}' of '{pattern}' is not there"
    for file in sorted(files - described):
        yield f"{name} has no row for '{file}'"


def unlisted_inputs(root):
    """Inputs that the section of their program in inputs/README.md does not list, and rows without
    an input."""
    page = (root / "inputs" / "README.md").read_text(encoding="utf-8")
    for section in re.split(r"(?m)^## ", page)[1:]:
        program = section.split(":")[0]
        listed = set(re.findall(r"(?m)^\| `([^`]+\.yaml)` \|", section))
        folder = root / "inputs" / program
        files = {path.relative_to(folder).as_posix() for path in folder.rglob("*.yaml")}
        yield from (
            f"inputs/README.md has no row for '{program}/{name}'" for name in sorted(files - listed)
        )
        yield from (
            f"inputs/README.md lists '{program}/{name}', which is not there"
            for name in sorted(listed - files)
        )


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    data = root / "tests" / "data"
    found = [
        problem
        for folder in sorted(data.iterdir())
        if folder.is_dir()
        for problem in problems(folder, root)
    ]
    found += [
        f"tests/data/{path.name} belongs to a folder with a README.md"
        for path in data.iterdir()
        if path.is_file()
    ]
    found += unlisted_inputs(root)
    print("\n".join(found) or "every file of tests/data has its origin, and every input its row")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
