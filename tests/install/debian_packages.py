# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The Debian packages of a build folder: their contents and dependencies, lintian without errors,
and a run with its picture from the unpacked files. (debian_root.py installs them in a clean
system.)

usage: debian_packages.py SOURCES BUILD; exit status 77 where packages cannot be made
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sources, build = (pathlib.Path(path).resolve() for path in sys.argv[1:])
PROGRAMS = ("bessel", "boys", "compare", "gbees", "gp", "mpr", "stable")
if shutil.which("dpkg-shlibdeps") is None or not (build / "CPackConfig.cmake").exists():
    print("no dpkg-dev, or a build without programs")
    sys.exit(77)


def run(*command, **given):
    done = subprocess.run(
        [os.fspath(part) for part in command], capture_output=True, text=True, check=False, **given
    )
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def field(package, name):
    return run("dpkg-deb", "--field", package, name).strip()


def check_contents(package, *wanted):
    listed = run("dpkg-deb", "--contents", package)
    names = {"/" + line.split(" ./", 1)[1] for line in listed.splitlines()[1:] if " ./" in line}
    name = field(package, "Package")
    for document in ("changelog.Debian.gz", "changelog.gz", "copyright"):
        assert f"/usr/share/doc/{name}/{document}" in names, f"{name}: no {document}"
    missing = [path for path in wanted if not any(re.fullmatch(path, found) for found in names)]
    assert not missing, f"{name} lacks {missing}"
    assert not [path for path in names if "__pycache__" in path or "/program/" in path]
    for owner in {tuple(line.split()[1].split("/")) for line in listed.splitlines()}:
        assert owner == ("root", "root"), owner


def check_tessera(package):
    manuals = []
    if shutil.which("sphinx-build"):
        manuals = [rf"/usr/share/man/man1/tessera-{name}\.1\.gz" for name in PROGRAMS]
    check_contents(
        package,
        *(f"/usr/bin/tessera-{name}" for name in (*PROGRAMS, "grade", "plot", "table")),
        "/usr/share/tessera/reference/boys.h5",
        *(f"/usr/share/tessera/inputs/{name}/quickstart.yaml" for name in PROGRAMS[:2]),
        "/usr/share/bash-completion/completions/tessera-gp",
        *manuals,
    )
    depends = field(package, "Depends")
    assert "python3" in depends and re.search(r"libhdf5-[\d-]+", depends), depends
    assert "-dev" not in depends, depends


def try_programs(package, folder):
    """As they are unpacked: a level is chosen below any prefix."""
    run("dpkg-deb", "--extract", package, folder)
    programs = folder / "usr/bin"
    quickstart = folder / "usr/share/tessera/inputs/gbees/quickstart.yaml"
    run(programs / "tessera-gbees", quickstart, "--output", folder / "run.h5", "-q")
    text = run(programs / "tessera-gbees", "--version", "-v")
    assert re.search(r"^  level +\S", text, re.MULTILINE), text
    can_draw = [sys.executable, "-c", "import numpy, h5py, matplotlib"]
    if subprocess.run(can_draw, capture_output=True, check=False).returncode == 0:
        environment = {**os.environ, "TESSERA_PYTHON": sys.executable}
        picture = folder / "run.png"
        run(programs / "tessera-plot", folder / "run.h5", "-o", picture, env=environment)
        assert picture.read_bytes().startswith(b"\x89PNG")


with tempfile.TemporaryDirectory(prefix="tessera-") as scratch:
    made = pathlib.Path(scratch) / "packages"
    told = run(sys.executable, "-B", sources / "cmake/release", "packages", made, "--build", build)
    packages = {field(path, "Package"): path for path in made.glob("*.deb")}
    check_tessera(packages["tessera"])
    check_contents(
        packages["libtessera-dev"],
        r"/usr/include/tessera/gbees\.hpp",
        r"/usr/lib/(.*/)?libtessera_core\.a",
        r"/usr/lib/(.*/)?cmake/tessera/tesseraConfig\.cmake",
    )
    if "python3-tessera" in packages:
        modules = r"/usr/lib/python3/dist-packages/tessera/(levels/.*/)?_tessera\.cpython.*\.so"
        check_contents(packages["python3-tessera"], modules)
    try_programs(packages["tessera"], pathlib.Path(scratch) / "root")
    sizes = {path.name: f"{path.stat().st_size / 1e6:.1f} MB" for path in made.glob("*.deb")}
    print(sizes, "lintian is not installed" if "lintian is not" in told else "lintian: no errors")
