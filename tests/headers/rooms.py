# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Checks who includes whom: the rooms (folders) of a system include the rooms that rooms.txt allows
them, and each room has a README.md of at most 40 lines. No model includes the libraries that core
wraps: not every nvcc compiles their headers.

usage: rooms.py ROOT
"""
import pathlib
import re
import sys

HOST_LIBRARIES = re.compile(r"#include <(fmt|spdlog|CLI|yaml-cpp)/")


def read_rooms(path):
    """{system: {room: rooms that it may include}}."""
    rooms = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        if words:
            rooms.setdefault(words[0], {})[words[1]] = {words[1], *words[2:]}
    return rooms


def room_of(path):
    """The folder of a path below the system's."""
    return path.split("/")[0] if "/" in path else "."


def problems(root, system, rooms):
    base = root / ("core" if system == "core" else f"models/{system}") / "tessera" / system
    where = base.relative_to(root)
    folders = {
        path.name for path in base.iterdir() if path.is_dir() and any(path.rglob("*.?pp"))
    } - {"generate"}
    yield from (f"{where}/{name} is no room of rooms.txt" for name in sorted(folders - set(rooms)))
    yield from (
        f"rooms.txt names {where}/{name}, which is not there"
        for name in sorted(set(rooms) - folders)
    )
    for room in sorted(set(rooms) & folders):
        readme = base / room / "README.md"
        if not readme.exists():
            yield f"{where}/{room} has no README.md"
        elif len(readme.read_text(encoding="utf-8").splitlines()) > 40:
            yield f"{where}/{room}/README.md has more than 40 lines"
    for path in sorted(base.rglob("*")):
        if (
            not path.name.endswith((".hpp", ".cpp", ".cpp.in"))
            or room_of(str(path.relative_to(base))) == "."
        ):
            continue
        room = room_of(str(path.relative_to(base)))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            found = re.match(rf'#include "tessera/{system}/([^"]+)"', line)
            if found and room in rooms and room_of(found[1]) not in rooms[room]:
                yield f"{path.relative_to(root)}:{number}: {room} may not include {room_of(found[1])}"
            if system != "core" and HOST_LIBRARIES.match(line):
                yield f"{path.relative_to(root)}:{number}: a model may not include {line[10:-1]}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = [
        problem
        for system, rooms in read_rooms(root / "tests" / "headers" / "rooms.txt").items()
        for problem in problems(root, system, rooms)
    ]
    print("\n".join(found) or "every room includes what it may")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
