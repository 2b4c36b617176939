# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Wheels: the archives of PEP 427."""

import base64
import hashlib
import os
import pathlib
import zipfile

from . import metadata
from .tags import tag

_EARLIEST = (1980, 1, 1, 0, 0, 0)  # the same bytes whenever it is packed


class _Archive:
    """A wheel that is written, with its list of files."""

    def __init__(self, path):
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._record = []

    def add(self, name, content, mode=0o644):
        entry = zipfile.ZipInfo(name, _EARLIEST)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100000 | mode) << 16
        self._zip.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(content)}\n")

    def finish(self, information):
        """Adds the folder .dist-info, whose last file lists them all."""
        for name, content in metadata.files().items():
            self.add(f"{information}/{name}", content.encode())
        about = f"Wheel-Version: 1.0\nGenerator: tessera_build {metadata.version()}\nRoot-Is-Purelib: false\nTag: {tag()}\n"
        self.add(f"{information}/WHEEL", about.encode())
        record = f"{information}/RECORD"
        self._zip.writestr(
            zipfile.ZipInfo(record, _EARLIEST), "".join([*self._record, f"{record},,\n"])
        )
        self._zip.close()


def _write(directory, fill):
    name = f"{metadata.stem()}-{tag()}.whl"
    archive = _Archive(os.path.join(directory, name))
    fill(archive)
    archive.finish(metadata.stem() + ".dist-info")
    return name


def write(directory, package):
    """Packs the folder `package` under its own name; returns the name of the wheel."""
    package = pathlib.Path(package)

    def fill(archive):
        for path in sorted(package.rglob("*")):
            if path.is_file():
                archive.add(
                    path.relative_to(package.parent).as_posix(),
                    path.read_bytes(),
                    0o755 if path.suffix == ".so" else 0o644,
                )

    return _write(directory, fill)


def write_editable(directory, path):
    """A wheel that puts a folder on Python's path."""
    return _write(
        directory, lambda archive: archive.add("_tessera_editable.pth", f"{path}\n".encode())
    )
