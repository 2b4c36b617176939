# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The shared libraries inside a wheel, by the rules of auditwheel: what every Linux system has
stays outside, every other library is copied into the folder tessera.libs beside the package, where
the module looks for it first. (Its DT_RPATH holds for the libraries of libraries, too.)"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from .settings import BuildError

# Of PEP 599 and its successors (auditwheel's policies manylinux_2_17 and later).
_OUTSIDE = {
    "ld-linux-aarch64.so.1",
    "ld-linux-x86-64.so.2",
    "libX11.so.6",
    "libXext.so.6",
    "libXrender.so.1",
    "libGL.so.1",
    "libICE.so.6",
    "libSM.so.6",
    "libanl.so.1",
    "libatomic.so.1",
    "libc.so.6",
    "libdl.so.2",
    "libexpat.so.1",
    "libgcc_s.so.1",
    "libglib-2.0.so.0",
    "libgobject-2.0.so.0",
    "libgthread-2.0.so.0",
    "libm.so.6",
    "libmvec.so.1",
    "libnsl.so.1",
    "libpthread.so.0",
    "libresolv.so.2",
    "librt.so.1",
    "libstdc++.so.6",
    "libutil.so.1",
    "libz.so.1",
    "linux-vdso.so.1",
}


def _needed(module):
    """Every library that the module and its libraries need, with its path."""
    try:
        told = subprocess.run(["ldd", module], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(
            f"the libraries of {module} are not told: {error}",
            "install ldd, or link those of this machine with --config-settings libraries=system",
        ) from None
    found = {}
    for name, path in re.findall(r"^\s+(\S+) => (not found|\S+)", told, re.MULTILINE):
        if path == "not found":
            raise BuildError(
                f"the module needs {name}, which is not found",
                "name its folder in LD_LIBRARY_PATH",
            )
        found[name] = pathlib.Path(path)
    return {name: path for name, path in found.items() if name not in _OUTSIDE}


def _require_portable(names):
    for name in names:
        if name.startswith(("libmpi", "libcuda.so", "libnccl")):
            raise BuildError(
                f"the module needs {name}, which must be that of the machine it runs on",
                "build without it in another build-dir (cmake.define.TESSERA_ENABLE_MPI=OFF), or "
                "link the libraries of this machine: --config-settings libraries=system",
            )


def _run_cmake_script(text):
    with tempfile.NamedTemporaryFile("w", suffix=".cmake") as script:
        script.write(text)
        script.flush()
        subprocess.run(["cmake", "-P", script.name], check=True, stdout=subprocess.DEVNULL)


def _licence(path):
    """The licence of a library, where Debian has it: the package's name and the text."""
    for known_as in (path, os.path.realpath(path), os.path.realpath(path).replace("/usr/", "/", 1)):
        try:
            told = subprocess.run(
                ["dpkg-query", "--search", known_as], capture_output=True, text=True
            )
        except OSError:
            return None
        if told.returncode == 0:
            package = told.stdout.split(":")[0]
            text = pathlib.Path(f"/usr/share/doc/{package}/copyright")
            return (package, text.read_bytes()) if text.exists() else None
    return None


def put_inside(package):
    """Copies the libraries of the package's modules into the folder beside it. Returns that folder
    and the licences: contents by name."""
    folder = package.parent / "tessera.libs"
    folder.mkdir()
    licences = {}
    for module in sorted(package.rglob("_tessera*.so")):
        needed = _needed(module)
        _require_portable(needed)
        for name, path in needed.items():
            if (folder / name).exists():
                continue
            shutil.copyfile(path, folder / name)
            found = _licence(path)
            if found:
                licences[f"{found[0]}.txt"] = found[1]
        relative = os.path.relpath(folder, module.parent)
        _run_cmake_script(f'file(RPATH_SET FILE "{module}" NEW_RPATH "$ORIGIN/{relative}")\n')
        for name, path in _needed(module).items():
            if path.resolve().parent != folder.resolve():
                raise BuildError(
                    f"the module would take {path} instead of its own {name}",
                    "unset LD_LIBRARY_PATH, or build Kokkos without DT_RUNPATH in its libraries",
                )
    return folder, licences
