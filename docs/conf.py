# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx' settings. The sources of the site are the whole tree, so that the pages that stand beside
the code are pages of the site, with their links and pictures: sphinx-build -c docs . build/docs."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs" / "extensions"))
sys.dont_write_bytecode = True

project = "Tessera"
author = "The Tessera developers"
copyright = "2026, The Tessera developers"
release = re.search(
    r"project\(tessera\s+VERSION\s+([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
)[1]
version = release.rpartition(".")[0]

extensions = ["myst_parser", "pages"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "apps/grade/*.md",
    "apps/python/README.md",
    "core/PARALLEL.md",
    "core/tessera/core/device/README.md",
    "docs/**.md",
    "inputs/README.md",
    "models/*/*.md",
    "packaging/README.md",
]
exclude_patterns = [".git", "build", "docs/extensions", "docs/programs/common.md", "tests"]
nitpicky = True
smartquotes = False

html_theme = "furo"
html_title = f"Tessera {release}"
html_show_sphinx = False

PROGRAMS = ("bessel", "boys", "compare", "gbees", "gp", "grade", "mpr", "plot", "stable", "table")


def summary(program):
    """What a man page says after the name: the first line of --help that is no usage."""
    text = (ROOT / f"docs/programs/tessera-{program}.txt").read_text(encoding="utf-8")
    lines = re.sub(r"\Ausage:.*?\n\n", "", text, flags=re.DOTALL).split("\n\n")[0].split("\n")
    line = " ".join(lines) if text.startswith("usage") else lines[0]
    return re.split(r"[.;] ?", line)[0]


man_pages = [
    (f"docs/programs/tessera-{name}", f"tessera-{name}", summary(name), author, 1)
    for name in PROGRAMS
]


def write_entrance(app, error):
    """The site begins at docs/index.html; whoever opens the folder is led there."""
    if error is None and app.builder.name == "html":
        page = '<!doctype html><meta http-equiv="refresh" content="0; url=docs/index.html">\n'
        (pathlib.Path(app.outdir) / "index.html").write_text(page, encoding="utf-8")


def setup(app):
    app.connect("build-finished", write_entrance)
