# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The Debian packages in a clean system without a compiler, as a newcomer meets them: installation
by apt, a run and its picture within 60 seconds, each level of x86-64, a wrong input, a full disk,
the Python package, removal; with --development also a program against the installed library.

usage: debian_root.py PACKAGES SOURCES [--root FOLDER] [--suite bookworm] [--development]

PACKAGES is the folder that `cmake/release packages` writes. debootstrap makes the system; --root
keeps it there in its first state for the next time. This takes root, a network, 2 GB of disk and
some minutes; exit status 77 where root or debootstrap is absent.
"""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

MIRROR = "http://deb.debian.org/debian"
LONGEST_DEMO = 60.0  # seconds
PICTURES = ("python3-h5py", "python3-matplotlib", "python3-numpy")  # what tessera recommends
QUICKSTART = "/usr/share/tessera/inputs/gbees/quickstart.yaml"


class System:
    """A Debian system in a folder."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, *command, user="newcomer", expected=0, **environment):
        """The command's output and errors; it runs in the user's home."""
        home = "/root" if user == "root" else f"/home/{user}"
        variables = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": home,
            "LC_ALL": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive",
            **environment,
        }
        done = subprocess.run(
            ["chroot", f"--userspec={user}", self.folder, "env", f"--chdir={home}", *command],
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == expected, f"{command}: {done.returncode}\n{done.stdout[-4000:]}"
        return done.stdout

    def path(self, name):
        return self.folder / name.lstrip("/")


def make_first_state(folder, suite):
    """A minimal system, from the folder where it is kept."""
    if not (folder / "etc/debian_version").exists():
        subprocess.run(
            ["debootstrap", "--variant=minbase", suite, folder, MIRROR],
            check=True,
            stdout=subprocess.DEVNULL,
        )


@contextlib.contextmanager
def mounted(kind, place, *options):
    place.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", kind, *options, kind, place], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", place], check=True)


def install(system, *names):
    """What apt installs, in seconds with download and unpacking. What packages merely recommend
    stays out."""
    begin = time.monotonic()
    system.run("apt-get", "install", "--yes", "--no-install-recommends", *names, user="root")
    return time.monotonic() - begin


@contextlib.contextmanager
def without_compilers(system):
    """Debian's SciPy, which its matplotlib needs, depends on g++; nothing here may use it."""
    folder = system.path("/usr/bin")
    hidden = folder / "hidden"
    hidden.mkdir()
    for pattern in ("*gcc*", "*g++*", "*c++*", "cc", "*cpp*", "as", "ld", "*-as", "*-ld*"):
        for path in folder.glob(pattern):
            path.rename(hidden / path.name)
    try:
        yield
    finally:
        for path in hidden.iterdir():
            path.rename(folder / path.name)
        hidden.rmdir()


def try_demo(system):
    """From an input to a picture, and how long it takes."""
    begin = time.monotonic()
    system.run("tessera-gbees", QUICKSTART, "--output", "quickstart.h5")
    system.run("tessera-plot", "quickstart.h5", "-o", "quickstart.png")
    taken = time.monotonic() - begin
    picture = system.path("/home/newcomer/quickstart.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert taken <= LONGEST_DEMO, f"run and picture took {taken:.1f} s"
    print(f"demo: {taken:.1f} s to a picture of {len(picture)} bytes")


def try_every_program(system):
    for name in ("bessel", "boys", "compare", "gbees", "gp", "mpr", "stable"):
        assert "tessera" in system.run(f"tessera-{name}", "--version")
    for name in ("bessel", "boys", "gp", "mpr", "stable"):
        system.run(
            f"tessera-{name}",
            f"/usr/share/tessera/inputs/{name}/quickstart.yaml",
            "--output",
            f"{name}.h5",
            "-q",
        )
        system.run("tessera-plot", f"{name}.h5", "-o", f"{name}.png")
    system.run("tessera-compare", "gp.h5", "gp.h5")


def try_levels(system):
    """Each level that is installed runs where it is asked for; others are refused with the names of
    those that are there."""
    folder = system.path("/usr/libexec/tessera")
    if not folder.exists():
        print("levels: one, that of the build")
        return
    levels = sorted(path.name for path in folder.iterdir())
    chosen = re.search(r"level +(\S+)", system.run("tessera-gbees", "--version"))[1]
    assert chosen in levels
    for level in levels:
        if level <= chosen:
            told = system.run("tessera-gbees", "--version", "-v", TESSERA_LEVEL=level)
            assert re.search(rf"level +{level}\n", told), told
    told = system.run("tessera-gbees", "--version", TESSERA_LEVEL="x86-64-v9", expected=2)
    assert "x86-64-v9 is not installed" in told and levels[0] in told, told
    print(f"levels: {', '.join(levels)}; {chosen} is chosen here")


def try_mistakes(system):
    """A wrong input is told with its place; a full disk leaves no half file."""
    text = system.path(QUICKSTART).read_text(encoding="utf-8")
    wrong = system.path("/home/newcomer/wrong.yaml")
    wrong.write_text(text.replace("threshold:", "threshhold:"), encoding="utf-8")
    told = system.run("tessera-gbees", "wrong.yaml", expected=3)
    assert re.search(r"wrong\.yaml:\d+:\d+: error: unknown key 'threshhold'", told), told
    assert "did you mean 'threshold'" in told, told
    told = system.run("tessera-gbees", "none.yaml", expected=3)
    assert "none.yaml" in told and "remedy" in told, told
    full = system.path("/home/newcomer/full")
    with mounted("tmpfs", full, "-o", "size=64k,mode=777"):
        told = system.run("tessera-gbees", QUICKSTART, "--output", "full/run.h5", expected=4)
        assert "remedy" in told, told
        assert not list(full.glob("*.h5")), list(full.iterdir())


PYTHON = """
import tessera as ts
assert abs(float(ts.bessel.kve(0.5, 1.0)) - 1.2533141373155) < 1e-12
assert ts.backends() == ["serial"], ts.backends()
run = ts.run("/usr/share/tessera/inputs/boys/quickstart.yaml", output="python.h5")
print(ts.__file__)
"""


def try_python(system):
    told = system.run("python3", "-c", PYTHON)
    assert "/usr/lib/python3/dist-packages/tessera/__init__.py" in told, told


def try_development(system, sources):
    """The example of gp against the installed library."""
    install(system, "./libtessera-dev.deb", "cmake", "g++", "make")
    shutil.copytree(sources / "tests/install/examples", system.path("/home/newcomer/examples"))
    system.run("cmake", "-S", "examples", "-B", "/tmp/example", "-DEXAMPLE=gp")
    system.run("cmake", "--build", "/tmp/example")
    system.run("/tmp/example/example")


def try_removal(system):
    system.run("apt-get", "purge", "--yes", "tessera", "python3-tessera", user="root")
    for folder in ("bin/tessera-gbees", "libexec/tessera", "share/tessera"):
        assert not system.path(f"/usr/{folder}").exists(), f"/usr/{folder} stays"


def find(packages, name):
    found = sorted(packages.glob(f"{name}_*.deb"))
    assert len(found) == 1, f"{packages} holds {len(found)} files {name}_*.deb instead of one"
    return found[0]


def try_packages(system, arguments):
    system.run("useradd", "--create-home", "newcomer", user="root")
    for name in ("tessera", "python3-tessera", "libtessera-dev"):
        shutil.copy(find(arguments.packages, name), system.path(f"/root/{name}.deb"))
    system.run("apt-get", "update", user="root")
    print(f"apt install ./tessera.deb: {install(system, './tessera.deb', *PICTURES):.0f} s")
    with without_compilers(system):
        try_demo(system)
        try_every_program(system)
        try_levels(system)
        try_mistakes(system)
        print(
            f"apt install ./python3-tessera.deb: {install(system, './python3-tessera.deb'):.0f} s"
        )
        try_python(system)
    if arguments.development:
        try_development(system, arguments.sources)
    try_removal(system)


def in_clean_system(parser, work, end):
    """Parses the command line, which has --root and --suite besides, makes a clean system, and
    calls work(system, arguments)."""
    parser.add_argument("--root", type=pathlib.Path)
    parser.add_argument("--suite", default="bookworm")
    arguments = parser.parse_args()
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        print("this takes root and debootstrap")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="tessera-root-") as scratch:
        first = arguments.root or pathlib.Path(scratch) / "first"
        make_first_state(first, arguments.suite)
        system = System(pathlib.Path(scratch) / "root")
        subprocess.run(["cp", "--archive", first, system.folder], check=True)
        with mounted("proc", system.path("/proc")):
            work(system, arguments)
    print(end)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", type=pathlib.Path)
    parser.add_argument("sources", type=pathlib.Path)
    parser.add_argument("--development", action="store_true")
    in_clean_system(parser, try_packages, "the packages work in a clean system")


if __name__ == "__main__":
    main()
