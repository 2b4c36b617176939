# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Configures and builds the module with CMake."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile

from .settings import ROOT, BuildError

_KOKKOS = (
    "install libtrilinos-kokkos-dev and libtrilinos-kokkos-kernels-dev (Debian; Serial only), or set Kokkos_ROOT to an installation of "
    "your own, built as position-independent code; KokkosKernels_ROOT where Kokkos Kernels is elsewhere"
)
_LIBRARIES = "`./bootstrap setup` installs what is missing on Debian 12; elsewhere set CMAKE_PREFIX_PATH to where it is"
_BYTES_A_COMPILER = 2 << 30


def build(settings):
    """Builds the module, once for each level, and returns the build folders."""
    if shutil.which("cmake") is None:
        raise BuildError(
            "there is no cmake on the PATH",
            "install CMake 3.22 or later and a C++20 compiler (Debian: cmake ninja-build g++)",
        )
    if not settings.levels:
        return [_build(settings, settings.folder, settings.defines)]
    return [
        _build(settings, settings.folder / level, {**settings.defines, "TESSERA_LEVEL": level})
        for level in settings.levels
    ]


def _build(settings, folder, defines):
    is_configured = _is_configured(folder)
    if not is_configured or defines or settings.build_type or settings.arguments:
        _configure(settings, folder, defines, is_configured)
    _require_python(folder)
    jobs = [] if "CMAKE_BUILD_PARALLEL_LEVEL" in os.environ else ["--parallel", str(_jobs())]
    status, _ = _run(["cmake", "--build", os.fspath(folder), *jobs, "--target", "_tessera"])
    if status != 0:
        raise BuildError("the module does not compile", "the compiler's message is above")
    return folder


@contextlib.contextmanager
def installed(folders):
    """The folder of the package, as CMake installs it of each build folder, while the context
    lasts."""
    with tempfile.TemporaryDirectory(prefix="tessera-") as prefix:
        for folder in folders:
            install = ["cmake", "--install", os.fspath(folder), "--component", "python", "--strip"]
            status, _ = _run([*install, "--prefix", prefix])
            if status != 0:
                raise BuildError("the module is not installed", "CMake's message is above")
        yield pathlib.Path(prefix) / _cached(folders[0], "TESSERA_PYTHON_DIR") / "tessera"


def _is_configured(folder):
    """Whether CMake has written a build there that has the module."""
    is_written = (folder / "build.ninja").exists() or (folder / "Makefile").exists()
    return is_written and os.path.isdir(_cached(folder, "pybind11_DIR") or "")


# What a wheel cannot hold, or not without files that it looks for elsewhere.
_NOT_INSIDE = {
    "TESSERA_ENABLE_GSL": "OFF",
    "TESSERA_ENABLE_MPI": "OFF",
    "TESSERA_ENABLE_NETCDF": "OFF",
    "CMAKE_DISABLE_FIND_PACKAGE_GDAL": "ON",
}


def _configure(settings, folder, defines, is_configured):
    variables = {}
    if not is_configured:
        variables = {
            "CMAKE_BUILD_TYPE": "Release",
            "TESSERA_ENABLE_TESTS": "OFF",
            "TESSERA_ENABLE_BENCHMARKS": "OFF",
            "Python_EXECUTABLE": sys.executable,
            **(_NOT_INSIDE if settings.self_contained else {}),
        }
        with contextlib.suppress(ImportError):  # installed by pip, where builds are not isolated
            import pybind11

            variables["pybind11_DIR"] = pybind11.get_cmake_dir()
    if settings.build_type:
        variables["CMAKE_BUILD_TYPE"] = settings.build_type
    variables.update(defines)
    generator = (
        ["-G", "Ninja"]
        if not is_configured and shutil.which("ninja") and "CMAKE_GENERATOR" not in os.environ
        else []
    )
    status, output = _run(
        [
            "cmake",
            "-S",
            os.fspath(ROOT),
            "-B",
            os.fspath(folder),
            *generator,
            *(f"-D{name}={value}" for name, value in variables.items()),
            *settings.arguments,
        ]
    )
    if status != 0:
        raise BuildError(*_explain(output))
    if re.search(r"Python module +not found", output):
        raise BuildError(*_explain_python(output))


def _explain(output):
    """Text and remedy for what CMake could not do."""
    # CMake says it in three ways, with line breaks in any place.
    flat = " ".join(output.split())
    found = re.search(
        r"configuration file provided by \"([\w-]+)\"|Could NOT find ([\w-]+)|Could not find a configuration file for package \"([\w-]+)\"",
        flat,
    )
    name = next(filter(None, found.groups())) if found else None
    if name in ("Kokkos", "KokkosKernels"):
        return f"CMake does not find {'Kokkos' if name == 'Kokkos' else 'Kokkos Kernels'}", _KOKKOS
    if name is not None:
        return f"CMake does not find {name}", _LIBRARIES
    return "CMake cannot configure the project", "its message is above"


def _explain_python(output):
    found = re.search(r"No Python module: (.*)", output)
    if found:
        return found[1], "then name it by Kokkos_ROOT"
    return (
        f"pybind11 2.9 or later, or the headers of {sys.executable}, were not found",
        "install pybind11-dev and python3-dev (Debian), or pybind11 with pip and --no-build-isolation",
    )


def _require_python(folder):
    """A build folder that was there may be for another Python, or for none."""
    made_for = _cached(folder, "Python_EXECUTABLE") or "no Python"
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    try:
        script = "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"
        fits = (
            subprocess.run(
                [made_for, "-c", script], capture_output=True, text=True, check=True
            ).stdout.strip()
            == suffix
        )
    except (OSError, subprocess.CalledProcessError):
        fits = False
    if not fits:
        raise BuildError(
            f"{folder} builds a module for {made_for}, and pip runs in {sys.executable}",
            "take another folder as build-dir",
        )


def _cached(folder, variable):
    """A variable of CMake's cache, or None."""
    found = re.search(
        rf"^{variable}:\w+=(.*)$",
        (folder / "CMakeCache.txt").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    return found[1] if found else None


def _jobs():
    """A compiler for each processor, as far as memory goes."""
    processors = os.cpu_count() or 1
    try:
        memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return processors
    return max(1, min(processors, memory // _BYTES_A_COMPILER))


def _environment():
    """Without what isolates pip's builds: a `cmake` that pip has installed is a script that needs
    its package."""
    kept = [
        path
        for path in os.environ.get("PYTHONPATH", "").split(os.pathsep)
        if "pip-build-env-" not in path
    ]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(kept)}


def _run(command):
    """Runs it, shows what it prints, and returns its status and that text."""
    print("+", *command, flush=True)
    lines = []
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=_environment(),
    ) as process:
        for line in process.stdout:
            lines.append(line)
            print(line, end="", flush=True)
    return process.returncode, "".join(lines)
