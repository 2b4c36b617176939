# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""./bootstrap doctor, on this machine and on invented ones: what it finds, what it advises, and its
exit status. The environment names the Kokkos that this build uses (Kokkos_ROOT).

usage: doctor.py SOURCES
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sources = pathlib.Path(sys.argv[1]).resolve()


def doctor(path=None, **variables):
    """Exit status and output, with folders before PATH (or in its place, a list) and variables."""
    environment = {**os.environ, **variables}
    if isinstance(path, list):
        environment["PATH"] = ":".join(map(os.fspath, path))
    elif path:
        environment["PATH"] = f"{path}:{environment['PATH']}"
    done = subprocess.run(
        [sources / "bootstrap", "doctor"],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    return done.returncode, done.stdout + done.stderr


def expect(wanted_status, *wanted, path=None, **variables):
    status, text = doctor(path, **variables)
    assert status == wanted_status, f"exit status {status}, not {wanted_status}\n{text}"
    for part in wanted:
        assert part in text, f"'{part}' is not in:\n{text}"
    return text


def write_program(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    before = sorted(os.listdir(sources))
    text = expect(0, "\n== System\n", "\n== GPU\n", "  Kokkos Kernels ", "A build would work")
    has_cuda = any(line.startswith("  backends") and "cuda" in line for line in text.splitlines())

    # Kokkos is not where it is said to be, or the compiler does not work.
    expect(1, "Kokkos_ROOT=/nowhere holds no installed Kokkos", Kokkos_ROOT="/nowhere")
    if not has_cuda:
        expect(1, "CMake Error", "a build would not work", CXX="/bin/false")

    # A GPU that this Kokkos has no backend for, or is not built for; and a Debian without fmt.
    (folder / "machine").mkdir()
    write_program(folder / "machine/nvidia-smi", "echo 'NVIDIA Test, 580.1, 1.2'")
    write_program(
        folder / "machine/dpkg-query",
        'for name; do :; done\n[ "$name" = libfmt-dev ] || printf installed',
    )
    write_program(folder / "machine/apt-get", "exit 99")
    advice = "the GPU has 12: build Kokkos" if has_cuda else "this Kokkos has no CUDA"
    text = expect(0, "NVIDIA Test, 580.1, 1.2", advice, path=folder / "machine")
    assert "apt-get install libfmt-dev\n" in text, text

    # No cmake: everything else of the PATH, by links.
    (folder / "tools").mkdir()
    for place in os.environ["PATH"].split(":"):
        for tool in pathlib.Path(place).glob("*") if os.path.isdir(place) else []:
            link = folder / "tools" / tool.name
            if tool.name != "cmake" and not os.path.lexists(link):
                link.symlink_to(tool)
    expect(1, "cmake             missing", "cmake is missing", path=[folder / "tools"])
    assert sorted(os.listdir(sources)) == before, "it leaves files in the sources"
print("./bootstrap doctor tells what is there")
