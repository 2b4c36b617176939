# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""What a user asks for, and how mistakes are told."""

import os
import pathlib
import shlex

from .tags import tag

ROOT = pathlib.Path(__file__).resolve().parents[3]


class BuildError(SystemExit):
    """Ends the build with a message, which pip shows, and no traceback."""

    def __init__(self, text, remedy):
        super().__init__(f"tessera: error: {text}\n  remedy: {remedy}")


LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")


class Settings:
    """defines: variables for CMake, by name. build_type: or None. arguments: of CMAKE_ARGS, as they
    stand. folder: the build folder. self_contained: whether a wheel holds its libraries. levels: of
    x86-64, for each of which it has a module; none: one module, for this machine."""

    def __init__(self, given):
        self.defines, self.build_type, folder = {}, None, os.path.join("build", f"pip-{tag()}")
        self.self_contained, self.levels = True, ()
        for name, value in (given or {}).items():
            if not isinstance(value, str):
                raise BuildError(f"the setting {name} is given more than once", "give it once")
            if name.startswith("cmake.define."):
                self.defines[name[len("cmake.define.") :]] = value
            elif name == "cmake.build-type":
                self.build_type = value
            elif name == "build-dir":
                folder = value
            elif name == "libraries" and value in ("inside", "system"):
                self.self_contained = value == "inside"
            elif name == "levels" and set(value.split(",")) <= set(LEVELS):
                self.levels = tuple(value.split(","))
            elif name in ("libraries", "levels"):
                raise BuildError(
                    f"the setting {name} is '{value}'",
                    "libraries=inside or system; levels=x86-64,x86-64-v3, of " + ", ".join(LEVELS),
                )
            else:
                raise BuildError(
                    f"unknown setting '{name}'",
                    "there are cmake.define.NAME, cmake.build-type, build-dir, libraries and levels",
                )
        self.arguments = shlex.split(os.environ.get("CMAKE_ARGS", ""))
        self.folder = ROOT / folder
