# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The metadata of the package (PEP 621, core metadata 2.1): from pyproject.toml, and the version
from CMakeLists.txt, which alone has it."""

import pathlib
import re

from .settings import ROOT, BuildError

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    try:
        import tomli as tomllib
    except ModuleNotFoundError:
        tomllib = None


def project():
    """The table [project] of pyproject.toml."""
    if tomllib is None:
        raise BuildError(
            "this Python cannot read pyproject.toml", "install tomli, or take Python 3.11 or later"
        )
    with open(ROOT / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]


def version():
    """As CMake has it."""
    found = re.search(
        r"^project\(tessera\s+VERSION\s+([0-9.]+)",
        (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    if found is None:
        raise BuildError(
            "CMakeLists.txt has no line 'project(tessera VERSION ...'",
            "take the file as it comes with Tessera",
        )
    return found[1]


def stem():
    """What names of files begin with."""
    return f"{project()['name']}-{version()}"


def text():
    """The file METADATA of a wheel, PKG-INFO of an sdist."""
    table = project()
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {table['name']}",
        f"Version: {version()}",
        f"Summary: {table['description']}",
        f"License: {table['license']['text']}",
        f"Requires-Python: {table['requires-python']}",
    ]
    lines += [f"Requires-Dist: {need}" for need in table["dependencies"]]
    for extra, needs in table["optional-dependencies"].items():
        lines += [
            f"Provides-Extra: {extra}",
            *(f"Requires-Dist: {need}; extra == '{extra}'" for need in needs),
        ]
    description = (ROOT / table["readme"]).read_text(encoding="utf-8")
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", description])


def files():
    """What the folder .dist-info of a wheel holds beside WHEEL and RECORD: contents by name."""
    scripts = "".join(f"{name} = {function}\n" for name, function in project()["scripts"].items())
    return {
        "METADATA": text(),
        "entry_points.txt": "[console_scripts]\n" + scripts,
        "LICENSE": (ROOT / "LICENSE").read_text(encoding="utf-8"),
    }


def write(directory):
    """Makes the folder .dist-info, and returns its name."""
    name = stem() + ".dist-info"
    folder = pathlib.Path(directory) / name
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in files().items():
        (folder / file).write_text(content, encoding="utf-8")
    return name
