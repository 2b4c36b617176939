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

    def __init__(self, path, tag):
        self._tag = tag
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
        about = f"Wheel-Version: 1.0\nGenerator: tessera_build {metadata.version()}\nRoot-Is-Purelib: false\nTag: {self._tag}\n"
        self.add(f"{information}/WHEEL", about.encode())
        record = f"{information}/RECORD"
        self._zip.writestr(
            zipfile.ZipInfo(record, _EARLIEST), "".join([*self._record, f"{record},,\n"])
        )
        self._zip.close()


def _write(directory, fill, is_portable=False):
    name = f"{metadata.stem()}-{tag(is_portable)}.whl"
    archive = _Archive(os.path.join(directory, name), tag(is_portable))
    fill(archive)
    archive.finish(metadata.stem() + ".dist-info")
    return name


def write(directory, folders, licences=None, is_portable=False):
    """Packs folders under their own names, and licences of libraries; returns the name of the
    wheel."""

    def fill(archive):
        for folder in map(pathlib.Path, folders):
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    archive.add(
                        path.relative_to(folder.parent).as_posix(),
                        path.read_bytes(),
                        0o755 if ".so" in path.suffixes else 0o644,
                    )
        for name, content in sorted((licences or {}).items()):
            archive.add(f"{metadata.stem()}.dist-info/licenses/{name}", content)

    return _write(directory, fill, is_portable)


def write_editable(directory, path):
    """A wheel that puts a folder on Python's path."""
    return _write(
        directory, lambda archive: archive.add("_tessera_editable.pth", f"{path}\n".encode())
    )
