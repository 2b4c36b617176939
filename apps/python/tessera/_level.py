# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Chooses the compiled module where a package has it for several levels of x86-64: the folder
`levels/x86-64-v3`, for the highest level that the processor has. The variable TESSERA_LEVEL of the
environment names another one. Packages with one module have no such folder."""

import os

# Needed beside what the levels below need, by the names of Linux.
LEVELS = {
    "x86-64": (),
    "x86-64-v2": ("cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"),
    "x86-64-v3": ("abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"),
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}


def _flags_of_processor():
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
            for line in lines:
                name, _, value = line.partition(":")
                if name.strip() == "flags":
                    return set(value.split())
    except OSError:
        pass
    return set()


def supported():
    """The levels that the processor has, from the lowest to the highest."""
    flags, found = _flags_of_processor(), []
    for name, needed in LEVELS.items():
        if not flags.issuperset(needed):
            break
        found.append(name)
    return found


def chosen(installed, wanted, has):
    """The level to load, of those that are installed and that the processor has; raises ImportError
    where there is none."""
    listed = ", ".join(name for name in LEVELS if name in installed)
    usable = [name for name in has if name in installed]
    if wanted and wanted not in installed:
        raise ImportError(
            f"tessera: TESSERA_LEVEL={wanted} is not installed\n"
            f"  remedy: choose one of {listed}, or unset it"
        )
    if wanted and wanted not in usable:
        raise ImportError(
            f"tessera: TESSERA_LEVEL={wanted}: this processor does not have it\n"
            "  remedy: unset TESSERA_LEVEL; the highest level that the processor has is chosen"
        )
    if not usable:
        raise ImportError(
            f"tessera: this processor has none of the levels {listed}\n"
            "  remedy: build Tessera from source on this machine"
        )
    return wanted or usable[-1]


def folders(package):
    """Folders to look for modules of the package in, beside its own."""
    levels = os.path.join(package, "levels")
    if not os.path.isdir(levels):
        return []
    level = chosen(os.listdir(levels), os.environ.get("TESSERA_LEVEL", ""), supported())
    return [os.path.join(levels, level)]
