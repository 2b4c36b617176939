# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that one header alone asks which processor code is compiled for, and holds assembly: core/device/hardware.hpp.

usage: hardware.py ROOT
"""
import pathlib
import re
import sys

HARDWARE = pathlib.Path("core/device/hardware.hpp")
FOLDERS = ("apps", "core", "models", "tests")
ENDINGS = {".cpp", ".cu", ".hpp", ".in"}
ARCHITECTURE = re.compile(r"__CUDA_ARCH__|__HIP_DEVICE_COMPILE__|\b(asm|__asm__|__asm)\b\s*(volatile|__volatile__)?\s*\(")


def find_offences(root):
    """The lines outside the header that hold what belongs there, as FILE:LINE: TEXT."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in ENDINGS or path.relative_to(root) == HARDWARE:
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if ARCHITECTURE.search(line):
                    yield f"{path.relative_to(root)}:{number}: {line.strip()}"


def main():
    root = pathlib.Path(sys.argv[1])
    if not ARCHITECTURE.search((root / HARDWARE).read_text()):
        sys.exit(f"{HARDWARE} holds nothing of the kind: the check looks in the wrong place")
    offences = list(find_offences(root))
    for offence in offences:
        print(offence)
    sys.exit(f"{len(offences)} lines belong into {HARDWARE}" if offences else 0)


if __name__ == "__main__":
    main()
