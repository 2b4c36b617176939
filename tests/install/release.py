# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The version, its date, the licence and the description agree everywhere, and cmake/release finds
where they do not.

usage: release.py SOURCES
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sources = pathlib.Path(sys.argv[1]).resolve()


def check(root):
    """Exit status and output of cmake/release check in a tree."""
    done = subprocess.run(
        [sys.executable, "-B", root / "cmake/release", "check"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def copy(folder):
    """The files that cmake/release reads."""
    for path in [*sources.glob("*.*"), *sources.glob("packaging/**/*")]:
        if path.is_file():
            target = folder / path.relative_to(sources)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    (folder / "cmake").mkdir()
    shutil.copy(sources / "cmake/release", folder / "cmake")


# File, what stands there, what is written instead, and the file that is to be named.
BREAKS = (
    ("CMakeLists.txt", r"VERSION \d+\.\d+\.\d+", "VERSION 9.8.7", "CITATION.cff: version"),
    ("CMakeLists.txt", r"VERSION \d+\.\d+\.\d+", "VERSION 9.8", "CMakeLists.txt: the version"),
    ("CITATION.cff", r"^version: .*", "version: 9.8.7", "CITATION.cff: version '9.8.7'"),
    ("codemeta.json", r'"version": "[^"]*"', '"version": "9.8.7"', "codemeta.json: version"),
    ("CHANGELOG.md", r"^## \[\d[^\]]*\]", "## [9.8.7]", "CHANGELOG.md: version '9.8.7'"),
    ("CHANGELOG.md", r"\] - .*", "]", "CHANGELOG.md: the version has no date"),
    ("CHANGELOG.md", r"\] - .*", "] - 2031-01-02", "CITATION.cff: date"),
    ("pyproject.toml", r"^dynamic = .*", 'version = "0.1.0"', "pyproject.toml: the version"),
    (
        "pyproject.toml",
        r"^license = .*",
        'license = { text = "MIT" }',
        "pyproject.toml: licence 'MIT'",
    ),
    ("pyproject.toml", r'^description = ".*"', 'description = "x"', "pyproject.toml: description"),
    ("codemeta.json", r"\Z", "}", "codemeta.json: Extra data"),
    ("packaging/spack/package.py", r'version\("\d[^"]*"', 'version("9.8.7"', "package.py: version"),
    ("packaging/conda/meta.yaml", r'version = "[^"]*"', 'version = "9.8.7"', "meta.yaml: version"),
    ("packaging/Containerfile", r"VERSION=\S*", "VERSION=9.8.7", "Containerfile: version"),
    ("README.md", r"find_package\(tessera [\d.]+", "find_package(tessera 9.8", "README.md: find"),
)

status, text = check(sources)
assert status == 0, text
for name, pattern, replacement, named in BREAKS:
    with tempfile.TemporaryDirectory() as scratch:
        tree = pathlib.Path(scratch)
        copy(tree)
        before = (tree / name).read_text(encoding="utf-8")
        after = re.sub(pattern, lambda found: replacement, before, count=1, flags=re.MULTILINE)
        assert after != before, f"{name} has no {pattern}"
        (tree / name).write_text(after, encoding="utf-8")
        status, text = check(tree)
        assert status == 1 and named in text, f"{name}, {replacement}: {status}\n{text}"
print(f"{len(BREAKS)} places that do not agree are found")
