# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""pip install: wheels and source archives of tessera_build, made from the build folder of the
tests, and what it says when it cannot."""

import base64
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

import tessera as ts

pytestmark = pytest.mark.skipif(importlib.util.find_spec("pip") is None, reason="no pip")


def call(*command, path=None, **variables):
    """Runs a command as a user would, without the build folder's package."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "CMAKE_ARGS")
    }
    environment.update(variables, PIP_DISABLE_PIP_VERSION_CHECK="1")
    return subprocess.run(
        [os.fspath(part) for part in command],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=environment,
        cwd=path,
    )


def pip(*arguments, python=sys.executable, **options):
    return call(python, "-m", "pip", *arguments, "--no-index", "--no-deps", **options)


def hook(root, name, folder, settings, **variables):
    """A hook of the backend, as a frontend calls it."""
    script = f"import sys; sys.path.insert(0, 'apps/python'); import tessera_build; print(tessera_build.{name}({str(folder)!r}, {settings!r}))"
    return call(sys.executable, "-B", "-c", script, path=root, **variables)


@pytest.fixture(scope="module")
def wheel(root, programs, tmp_path_factory):
    """Made by pip in an environment of its own, which takes no network."""
    folder = tmp_path_factory.mktemp("wheel")
    made = pip(
        "wheel",
        root,
        "--wheel-dir",
        folder,
        "--config-settings",
        f"build-dir={programs.parent}",
        "--config-settings",
        "libraries=system",
    )
    assert made.returncode == 0, made.stdout + made.stderr
    (path,) = folder.glob("*.whl")
    return path


def test_contents(wheel, root):
    version = re.search(
        r"^  VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(), re.MULTILINE
    )[1]
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert re.fullmatch(rf"tessera-{version}-{tag}-{tag}\w*-linux_\w+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        info = f"tessera-{version}.dist-info"
        for name in (
            "tessera/__init__.py",
            "tessera/py.typed",
            "tessera/grade/__main__.py",
            "tessera/grade/peers/scipy.py",
            "tessera/plot/__main__.py",
            "tessera/table/__main__.py",
            "tessera/table/papers/hanson_2025.csv",
            f"{info}/METADATA",
            f"{info}/LICENSE",
        ):
            assert name in names
        assert sum(name.endswith(".so") for name in names) == 1
        assert not any("__pycache__" in name for name in names)
        record = dict(
            line.split(",", 1) for line in archive.read(f"{info}/RECORD").decode().splitlines()
        )
        assert record.keys() == set(names) and record.pop(f"{info}/RECORD") == ","
        for name, entry in record.items():
            content = archive.read(name)
            digest = (
                base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            )
            assert entry == f"sha256={digest},{len(content)}"
        metadata = archive.read(f"{info}/METADATA").decode()
        assert (
            f"\nVersion: {version}\n" in metadata
            and "Requires-Dist: numpy<2\n" in metadata
            and "# Tessera from Python" in metadata
        )
        assert (
            f"Tag: {wheel.name[len(f'tessera-{version}-'):-len('.whl')]}\n"
            in archive.read(f"{info}/WHEEL").decode()
        )


def environment(folder):
    """A fresh environment with the packages of the system, and its Python; or where there is no
    venv a folder."""
    made = call(sys.executable, "-m", "venv", "--system-site-packages", folder)
    return folder / "bin" / "python" if made.returncode == 0 else None


def test_install(wheel, tmp_path):
    python = environment(tmp_path / "environment")
    variables = {}
    if python is not None:
        done = pip("install", wheel, python=python)
    else:
        python, variables = sys.executable, {"PYTHONPATH": os.fspath(tmp_path / "packages")}
        done = pip("install", wheel, "--target", tmp_path / "packages")
    assert done.returncode == 0, done.stdout + done.stderr
    script = (
        "import importlib.metadata as m, tessera as ts; from tessera import _tessera; print(ts.bessel.k(0.5, 2.0)); print(ts.__file__); "
        "print(_tessera.__file__); print(m.version('tessera')); print(_tessera.version())"
    )
    ran = call(python, "-c", script, path=tmp_path, **variables)
    assert ran.returncode == 0, ran.stderr
    value, package, module, version, built = ran.stdout.splitlines()[:5]
    assert float(value) == ts.bessel.k(0.5, 2.0)
    assert package.startswith(os.fspath(tmp_path)) and module.startswith(os.fspath(tmp_path))
    assert built.split()[:2] == ["tessera", version]


def test_a_cmake_that_pip_has_installed(root, programs, tmp_path):
    """It is a script that needs its package, which pip hides in the builds that it isolates."""
    script, cmake = tmp_path / "cmake", shutil.which("cmake")
    script.write_text(
        f"#!{sys.executable}\nimport os, sys, numpy\nos.execv({cmake!r}, [{cmake!r}, *sys.argv[1:]])\n"
    )
    script.chmod(0o755)
    made = pip(
        "wheel",
        root,
        "--wheel-dir",
        tmp_path,
        "--config-settings",
        f"build-dir={programs.parent}",
        "--config-settings",
        "libraries=system",
        PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
    )
    assert made.returncode == 0, made.stdout + made.stderr


def test_libraries_inside(root, programs, tmp_path):
    """A wheel holds what not every system has, and finds it there; an MPI must be the machine's."""
    done = hook(root, "build_wheel", tmp_path, {"build-dir": str(programs.parent)})
    if done.returncode != 0:
        assert "tessera: error: the module needs libmpi" in done.stderr, done.stdout + done.stderr
        assert "cmake.define.TESSERA_ENABLE_MPI=OFF" in done.stderr
        return
    with zipfile.ZipFile(tmp_path / done.stdout.splitlines()[-1]) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path)
    inside = {name.split("/")[1] for name in names if name.startswith("tessera.libs/")}
    assert any(name.startswith("libhdf5") for name in inside), inside
    assert not inside & {"libc.so.6", "libm.so.6", "libstdc++.so.6"}
    (module,) = (tmp_path / "tessera").glob("_tessera*.so")
    told = subprocess.run(["ldd", module], capture_output=True, text=True, check=True).stdout
    for line in told.splitlines():
        if line.split()[0] in inside:
            assert os.path.realpath(line.split()[2]).startswith(os.fspath(tmp_path)), line


def test_editable(root, programs, tmp_path):
    done = hook(root, "build_editable", tmp_path, {"build-dir": str(programs.parent)})
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tmp_path / done.stdout.splitlines()[-1]) as archive:
        assert archive.read("_tessera_editable.pth").decode() == f"{programs.parent / 'python'}\n"


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_source_archive(root, tmp_path):
    """It has what git tracks, and metadata can be made from it."""
    done = hook(root, "build_sdist", tmp_path, None)
    if "git does not tell" in done.stderr:
        pytest.skip("no clone of a repository")
    assert done.returncode == 0, done.stderr
    archive = tmp_path / done.stdout.splitlines()[-1]
    with tarfile.open(archive) as files:
        files.extractall(tmp_path)
    unpacked = tmp_path / archive.name[: -len(".tar.gz")]
    tracked = call("git", "-C", root, "ls-files", "-z").stdout.split("\0")
    present = {name for name in tracked if name and (root / name).exists()}
    found = {
        path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()
    }
    assert found == present | {"PKG-INFO"}
    made = hook(unpacked, "prepare_metadata_for_build_wheel", tmp_path, None)
    assert made.returncode == 0, made.stderr
    assert (tmp_path / made.stdout.strip() / "METADATA").read_text() == (
        unpacked / "PKG-INFO"
    ).read_text()


def test_what_is_missing_is_named(root, programs, tmp_path):
    def fails(settings, message, remedy, **variables):
        done = hook(root, "build_wheel", tmp_path, settings, **variables)
        assert done.returncode == 1
        assert f"tessera: error: {message}" in done.stderr, done.stdout + done.stderr
        assert f"  remedy: {remedy}" in done.stderr and "Traceback" not in done.stderr

    fails({}, "there is no cmake on the PATH", "install CMake 3.22", PATH="/nowhere")
    fails(
        {"cmake.defines": "A=B"}, "unknown setting 'cmake.defines'", "there are cmake.define.NAME"
    )
    for name, value in (("libraries", "outside"), ("levels", "x86-64,x86-64-v9")):
        fails({name: value}, f"the setting {name} is '{value}'", "libraries=inside or system")
    fails(
        {"cmake.define.A": ["1", "2"]},
        "the setting cmake.define.A is given more than once",
        "give it once",
    )
    build = tmp_path / "build"
    shutil.copytree(programs.parent / "python", build / "python", symlinks=True)
    (build / "build.ninja").touch()
    (build / "CMakeCache.txt").write_text(
        "Python_EXECUTABLE:FILEPATH=/nowhere/python3\npybind11_DIR:PATH=/usr\n"
    )
    fails(
        {"build-dir": str(build)},
        f"{build} builds a module for /nowhere/python3",
        "take another folder as build-dir",
    )
    blind = {
        "cmake.define.CMAKE_FIND_ROOT_PATH": str(tmp_path),
        "cmake.define.CMAKE_FIND_ROOT_PATH_MODE_PACKAGE": "ONLY",
    }
    fails(
        {"build-dir": str(tmp_path / "new"), **blind},
        "CMake does not find Kokkos\n",
        "install libtrilinos-kokkos-dev",
        Kokkos_ROOT="",
        CMAKE_PREFIX_PATH="",
    )
