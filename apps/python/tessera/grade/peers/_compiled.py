# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Programs in C++ that are compiled when they are graded: the sources are in apps/grade/peers."""

import atexit
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile


def root():
    """The source tree of Tessera, where the program runs from it."""
    return pathlib.Path(__file__).resolve().parents[5]


@functools.lru_cache
def program(source, *options):
    """The path of the compiled program; OSError where there is no compiler, no source, or no
    library. options: what else the compiler needs to find the library."""
    path = root() / "apps/grade/peers" / source
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if not path.is_file() or compiler is None:
        raise OSError(f"no {path} or no C++ compiler")
    folder = tempfile.mkdtemp(prefix="tessera-grade-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    target = os.path.join(folder, path.stem)
    words = [compiler, "-std=c++20", "-O2", "-o", target, os.fspath(path)]
    words += [f"-I{root() / part}" for part in ("core", "models/boys", "models/bessel")]
    done = subprocess.run(words + list(options), capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(done.stderr.strip().splitlines()[0] if done.stderr else "no message")
    return target


def asked(source, name, *options):
    """Gives the command line that computes a function of a program."""
    return lambda: f"{program(source, *options)} {name}"


def version(source, *options):
    words = [program(source, *options), "version"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
