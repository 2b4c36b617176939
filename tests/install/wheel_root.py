# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The wheel in a clean system without a compiler and without the libraries that it holds: pip
installs it into a virtual environment that has NumPy alone; its programs and each level of x86-64
work. Then Debian's h5py and matplotlib are installed, and the pictures of the gallery are drawn.

usage: wheel_root.py WHEEL SOURCES [--root FOLDER] [--suite bookworm]

As debian_root.py: it takes root, debootstrap, a network and some minutes; exit status 77 where root
or debootstrap is absent.
"""

import argparse
import pathlib
import re
import shutil

from debian_root import in_clean_system, install, without_compilers

INSIDE = ("kokkos", "hdf5", "yaml-cpp", "openblas")
GALLERY = ("dask", "h5py", "matplotlib", "scipy", "sklearn", "xarray")  # packages python3-*


def check_no_library(system):
    known = system.run("ldconfig", "--print-cache", user="root")
    for name in INSIDE:
        assert f"lib{name}" not in known, f"lib{name} is installed"


def try_programs(system, inputs):
    for name in ("bessel", "boys", "compare", "gbees", "gp", "mpr", "stable"):
        assert "tessera" in system.run(f"v/bin/tessera-{name}", "--version")
    for name in ("bessel", "boys", "gbees", "gp", "mpr", "stable"):
        quickstart = f"{inputs}/{name}/quickstart.yaml"
        system.run(f"v/bin/tessera-{name}", quickstart, "--output", f"{name}.h5", "-q")
    system.run("v/bin/tessera-compare", "gp.h5", "gp.h5")
    told = system.run("v/bin/tessera-gbees", "none.yaml", expected=3)
    assert "remedy" in told, told


def try_levels(system):
    folder = next(system.path("/home/newcomer/v").glob("lib/*/site-packages/tessera")) / "levels"
    if not folder.exists():
        print("levels: none, it is for one processor")
        return
    levels = sorted(path.name for path in folder.iterdir())
    told = system.run("v/bin/tessera-gbees", "--version")
    chosen = re.search(r"level +(\S+)", told)[1]
    for level in levels:
        if level <= chosen:
            told = system.run("v/bin/tessera-gbees", "--version", TESSERA_LEVEL=level)
            assert re.search(rf"level +{level}\n", told), told
    print(f"levels: {', '.join(levels)}; {chosen} is chosen here")


def try_gallery(system, sources):
    """The examples of the package's page, each with its picture."""
    install(system, *(f"python3-{name}" for name in GALLERY))
    with without_compilers(system):
        for name in ("bessel", "boys", "gbees", "gp", "mpr", "stable"):
            system.run("v/bin/tessera-plot", f"{name}.h5", "-o", f"{name}.png")
        examples = sorted((sources / "apps/python/examples").glob("*.py"))
        for example in examples:
            system.run("v/bin/python", f"apps/python/examples/{example.name}")
            picture = system.path(f"/home/newcomer/{example.stem}.png")
            assert picture.read_bytes().startswith(b"\x89PNG"), picture
        print(f"gallery: {len(examples)} pictures")


def try_wheel(system, arguments):
    system.run("useradd", "--create-home", "newcomer", user="root")
    home = system.path("/home/newcomer")
    for folder in ("inputs", "apps/python/examples"):
        shutil.copytree(arguments.sources / folder, home / folder)
    shutil.copy(arguments.wheel, home)
    system.run("chown", "--recursive", "newcomer:", "/home/newcomer", user="root")
    system.run("apt-get", "update", user="root")
    install(system, "python3-numpy", "python3-venv")
    check_no_library(system)
    system.run("python3", "-m", "venv", "--system-site-packages", "v")
    system.run("v/bin/pip", "install", "--no-index", "--no-deps", arguments.wheel.name)
    try_programs(system, "inputs")
    try_levels(system)
    try_gallery(system, arguments.sources)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("sources", type=pathlib.Path)
    in_clean_system(parser, try_wheel, "the wheel works in a clean system")


if __name__ == "__main__":
    main()
