# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The source archive of the last commit is the same bytes each time, and can be configured where
there is no git; it knows its commit.

usage: source_archive.py SOURCES CMAKE [OPTION ...], with the options to configure with; exit status
77 where the sources are no clone of the repository.
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

sources, cmake = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
options = sys.argv[3:]
if not (sources / ".git").exists():
    print("the sources are no clone of the repository")
    sys.exit(77)


def run(*command, env=None):
    done = subprocess.run(
        [os.fspath(part) for part in command], capture_output=True, text=True, check=False, env=env
    )
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def archive(folder):
    run(sys.executable, "-B", sources / "cmake/release", "archive", folder, "--commit", "HEAD")
    (path,) = pathlib.Path(folder).glob("*.tar.gz")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    checksum = pathlib.Path(f"{path}.sha256").read_text(encoding="utf-8")
    assert checksum == f"{digest}  {path.name}\n"
    return path, digest


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    path, digest = archive(folder / "first")
    assert archive(folder / "second")[1] == digest
    with tarfile.open(path) as packed:
        packed.extractall(folder)
    tree = folder / path.name[: -len(".tar.gz")]
    assert os.access(tree / "bootstrap", os.X_OK) and os.access(tree / "cmake/release", os.X_OK)

    # A PATH with a git that fails, as if there were none.
    (folder / "bin").mkdir()
    (folder / "bin/git").write_text("#!/bin/sh\nexit 127\n", encoding="utf-8")
    (folder / "bin/git").chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    build = folder / "build"
    told = run(cmake, "-S", tree, "-B", build, *options, env=environment)
    version = re.fullmatch(r"tessera-([0-9.]+)", tree.name)[1]
    assert f"Tessera {version}\n" in told, told
    run(cmake, "--build", build, "--target", "tessera_version", env=environment)
    commit = run("git", "-C", sources, "rev-parse", "HEAD").strip()[:12]
    written = (build / "core/version.cpp").read_text(encoding="utf-8")
    assert f'"{commit}"' in written and f'"{version}"' in written, written
    print(f"{path.name}: {path.stat().st_size} bytes, of commit {commit}")
