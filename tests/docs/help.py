# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""docs/programs has what a program prints for --help, from which its man page is made. Line breaks
do not count, since programs in Python break lines for the terminal.

usage: help.py SOURCES PROGRAM; exit status 77 where the program finds no Python to run in
"""

import os
import pathlib
import re
import subprocess
import sys

sources, program = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
page = sources / "docs/programs" / f"{program.name}.txt"


def words(text):
    """Before Python 3.10 options had another title."""
    return re.sub(r"\s+", " ", text.replace("optional arguments:", "options:")).strip()


done = subprocess.run([os.fspath(program), "--help"], capture_output=True, text=True, check=False)
if "no Python with" in done.stderr:
    print(done.stderr)
    sys.exit(77)
assert done.returncode == 0, done.stderr
assert words(done.stdout) == words(page.read_text(encoding="utf-8")), (
    f"{page} is not what {program.name} --help prints. Write it again, and read the difference:\n"
    f"  {program} --help > {page}\n"
    "(or all of these pages: cmake --build BUILD --target help_pages)"
)
print(f"{page.name} is what the program prints")
