# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Source archives: the files that git tracks, as they are, and the metadata."""

import io
import os
import subprocess
import tarfile

from . import metadata
from .settings import ROOT, BuildError


def _git(*arguments):
    try:
        return subprocess.run(
            ["git", "-C", os.fspath(ROOT), *arguments], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(
            f"git does not tell which files belong to the project: {getattr(error, 'stderr', '') or error}",
            "make source archives in a clone of the repository, with git",
        ) from None


def write(directory):
    """Packs them; returns the name of the archive. They get the time of the last commit."""
    stem = metadata.stem()
    name = stem + ".tar.gz"
    time = int(_git("log", "-1", "--format=%ct"))

    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = time
        return entry

    with tarfile.open(os.path.join(directory, name), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for file in _git("ls-files", "-z").split("\0"):
            if file and os.path.lexists(ROOT / file):
                archive.add(ROOT / file, f"{stem}/{file}", recursive=False, filter=plain)
        content = metadata.text().encode()
        entry = tarfile.TarInfo(f"{stem}/PKG-INFO")
        entry.size = len(content)
        archive.addfile(plain(entry), io.BytesIO(content))
    return name
