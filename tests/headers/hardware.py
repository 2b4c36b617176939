# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Checks where code depends on the processor: one header alone asks what is compiled for and holds
assembly, tessera/core/device/hardware.hpp, and few files call intrinsic functions (INTRINSIC_FILES,
which CONTRIBUTING.md names).

usage: hardware.py ROOT
"""
import pathlib
import re
import sys

HARDWARE = pathlib.Path("tessera/core/device/hardware.hpp")
INTRINSIC_FILES = {
    HARDWARE,
    *map(
        pathlib.Path,
        (
            "tessera/core/device/kokkos_compat.hpp",
            "tessera/core/io/sha256.cpp",
            "tessera/boys/batch/block.hpp",
        ),
    ),
}
FOLDERS = ("apps", "core", "models", "tests")
ENDINGS = {".cpp", ".cu", ".hpp", ".in"}
ARCHITECTURE = re.compile(
    r"__CUDA_ARCH__|__HIP_DEVICE_COMPILE__|\b(asm|__asm__|__asm)\b\s*(volatile|__volatile__)?\s*\("
)
INTRINSIC = re.compile(
    r"\b_mm\d*_\w+\(|\b__(shfl|ballot|match_any|activemask|popc|syncwarp|threadfence|nanosleep)\w*\(|immintrin\.h|cpuid\.h"
)


def spelt_as_included(file):
    """models/boys/tessera/boys/warp.hpp is tessera/boys/warp.hpp."""
    return (
        file.relative_to(
            file.parts[0] if file.parts[0] == "core" else pathlib.Path(*file.parts[:2])
        )
        if "tessera" in file.parts
        else file
    )


def find_offences(root):
    """The lines in other files than these that hold what belongs there, as FILE:LINE: TEXT."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            file = spelt_as_included(path.relative_to(root))
            if path.suffix not in ENDINGS or file == HARDWARE:
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if ARCHITECTURE.search(line) or (
                    file not in INTRINSIC_FILES and INTRINSIC.search(line)
                ):
                    yield f"{path.relative_to(root)}:{number}: {line.strip()}"


def main():
    root = pathlib.Path(sys.argv[1])
    if not ARCHITECTURE.search((root / "core" / HARDWARE).read_text()):
        sys.exit(f"{HARDWARE} holds nothing of the kind: the check looks in the wrong place")
    contributing = (root / "CONTRIBUTING.md").read_text()
    for file in sorted(INTRINSIC_FILES - {HARDWARE}):
        if not INTRINSIC.search(
            (
                (root / "core" if file.parts[1] == "core" else root / "models" / file.parts[1])
                / file
            ).read_text()
        ):
            sys.exit(f"{file} calls no intrinsic function any more: take it off the list")
        if str(file) not in contributing:
            sys.exit(
                f"CONTRIBUTING.md does not name {file} among the files with intrinsic functions"
            )
    offences = list(find_offences(root))
    for offence in offences:
        print(offence)
    sys.exit(
        f"{len(offences)} lines belong into {HARDWARE}, or their files into the list of those with intrinsic functions"
        if offences
        else 0
    )


if __name__ == "__main__":
    main()
