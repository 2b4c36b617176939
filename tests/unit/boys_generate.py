#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Regenerates a few coefficients of the Boys functions and compares them with the headers in the
tree.

    boys_generate.py SOURCE_DIRECTORY

Exit code 0 when they agree to a few units in the last place, 1 when not, 77 (skipped) without
mpmath.
"""

import math
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
CASES = [("double", [0, 1, 5]), ("float", [0, 8, 40]), ("paper", [0, 4, 8])]


def structures(text):
    """{specialisation: [every number in it]}"""
    found = {}
    for name, body in re.findall(r"struct (\w+<[^>]*>) \{(.*?)\n\};", text, re.DOTALL):
        found[name] = [
            float.fromhex(number.rstrip("F"))
            for number in re.findall(r"-?0x[0-9a-f.]+p[+-]\d+F?", body)
        ]
    return found


def agree(a, b, name):
    unit = math.ulp(max(abs(a), abs(b))) * (2**29 if "<float" in name else 1)
    return abs(a - b) <= 4 * unit


def main():
    try:
        import mpmath  # noqa: F401  (the generator needs it)
    except ImportError:
        print("skipped: this Python has no mpmath")
        return SKIPPED
    boys = pathlib.Path(sys.argv[1]) / "models" / "boys"
    wrong = compared = 0
    for scheme, orders in CASES:
        command = [
            sys.executable,
            str(boys / "generate" / "generate.py"),
            "--scheme",
            scheme,
            "--output",
            "-",
            "--orders",
        ]
        text = subprocess.run(
            command + [str(n) for n in orders], check=True, capture_output=True, text=True
        ).stdout
        stored = structures(
            (boys / "tessera" / "boys" / "function" / f"coefficients_{scheme}.hpp").read_text()
        )
        for name, numbers in structures(text).items():
            if len(numbers) != len(stored[name]):
                print(
                    f"{name}: {len(numbers)} numbers generated, {len(stored[name])} in the header"
                )
                wrong += 1
            for a, b in zip(numbers, stored[name]):
                compared += 1
                if not agree(a, b, name):
                    print(f"{name}: generated {a.hex()}, in the header {b.hex()}")
                    wrong += 1
    print(f"{compared} numbers compared, {wrong} differ")
    for script, header in (("rys", "coefficients_rys"), ("rys_fits", "coefficients_rys_fits")):
        tables = boys / "tessera" / "boys" / "function" / f"{header}.hpp"
        command = [sys.executable, "-B", str(boys / "generate" / f"{script}.py")]
        wrong += subprocess.run(command + ["--check", str(tables)]).returncode
    return 0 if compared > 100 and wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
