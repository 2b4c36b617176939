# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The launcher starts the program of the highest level of x86-64 that the processor has and that is
installed, or that of TESSERA_LEVEL, with its arguments and its exit code; the Python package
chooses the same.

usage: launcher.py LAUNCHER LEVELS SOURCES, where LEVELS is the folder of the levels, relative to
that of the launcher
"""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

launcher, levels, sources = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
PROGRAM = '#!/bin/sh\necho {} $# "$2"\nexit 5\n'

specification = importlib.util.spec_from_file_location(
    "level", sources / "apps/python/tessera/_level.py"
)
python = importlib.util.module_from_spec(specification)
specification.loader.exec_module(python)
supported = python.supported()


class Prefix:
    """An installation with programs for some levels, which say their level."""

    def __init__(self, folder, *installed):
        self.program = folder / "bin/tessera-gbees"
        self.program.parent.mkdir()
        shutil.copy(launcher, self.program)
        for level in installed:
            path = (folder / "bin" / levels / level / "tessera-gbees").resolve()
            path.parent.mkdir(parents=True)
            path.write_text(PROGRAM.format(level), encoding="utf-8")
            path.chmod(0o755)

    def run(self, wanted=None, program=None):
        environment = {name: value for name, value in os.environ.items() if name != "TESSERA_LEVEL"}
        if wanted is not None:
            environment["TESSERA_LEVEL"] = wanted
        done = subprocess.run(
            [program or self.program, "a", "b c"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr


def chosen_by_python(installed, wanted, has):
    try:
        return python.chosen(installed, wanted, has)
    except ImportError as error:
        return str(error)


def check(*installed, folder):
    """Every level that may be asked for, of those that are installed."""
    prefix = Prefix(folder, *installed)
    usable = [level for level in supported if level in installed]
    for wanted in (None, "", *python.LEVELS, "x86-64-v9"):
        status, told = prefix.run(wanted)
        told_by_python = chosen_by_python(installed, wanted, supported)
        if wanted in usable or (not wanted and usable):
            level = wanted or usable[-1]
            assert (status, told) == (5, f"{level} 2 b c\n"), (installed, wanted, status, told)
            assert told_by_python == level, told_by_python
        else:
            expected = 6 if not wanted or wanted in installed else 2
            expected = expected if installed else 1
            assert status == expected and "remedy: " in told, (installed, wanted, status, told)
            assert "remedy: " in told_by_python, told_by_python
    return prefix


with tempfile.TemporaryDirectory() as scratch:
    every = tuple(python.LEVELS)
    for number, installed in enumerate((every[-1:], (), every[:1], every[::2], every)):
        folder = pathlib.Path(scratch) / str(number)
        folder.mkdir()
        prefix = check(*installed, folder=folder)
    link = pathlib.Path(scratch) / "another-name"  # that of the program counts
    link.symlink_to(prefix.program)
    assert prefix.run(program=link) == (5, f"{supported[-1]} 2 b c\n")
print(f"this processor has {', '.join(supported)}")
