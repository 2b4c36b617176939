# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The recipes of packaging/ have the dependencies and versions that CMake asks for, and give CMake
options that it has; so have docs/dependencies.md and codemeta.json. Needs no network and none of
the packagers.

usage: packaging.py SOURCES [PROGRAM], a program that was built from the distribution's packages
"""

import ast
import itertools
import json
import pathlib
import re
import subprocess
import sys
import types

import jinja2
import yaml

sources = pathlib.Path(sys.argv[1]).resolve()
packaging = sources / "packaging"

# Of what CMake finds: its name in Spack, conda, codemeta.json and docs/dependencies.md.
NAMES = {
    "HDF5": ("hdf5", "hdf5", "HDF5", "HDF5 (C, HL)"),
    "yaml-cpp": ("yaml-cpp", "yaml-cpp", "yaml-cpp", "yaml-cpp"),
    "CLI11": ("cli11", "cli11", "CLI11", "CLI11"),
    "fmt": ("fmt", "fmt", "fmt", "fmt"),
    "spdlog": ("spdlog", "spdlog", "spdlog", "spdlog"),
    "LAPACKE": ("openblas", "liblapacke", "LAPACKE", "LAPACK with LAPACKE and CBLAS"),
    "Random123": ("random123", "random123", "Random123", "Random123"),
    "Boost": ("boost", "libboost-headers", "Boost", "Boost (headers)"),
    "NLopt": ("nlopt", "nlopt", None, "NLopt"),
    "GDAL": ("gdal", "libgdal-core", None, "GDAL"),
    "netCDF": ("netcdf-c", "libnetcdf", None, "netCDF (C)"),
    "pugixml": ("pugixml", "pugixml", None, "pugixml"),
    "FFTW": ("fftw", "fftw", None, "FFTW"),
    "MPI": ("mpi", "openmpi", None, "MPI"),
    "NCCL": ("nccl", "nccl", None, "NCCL"),
    "pybind11": ("py-pybind11", "pybind11", None, "pybind11"),
    "GTest": ("googletest", None, None, "GoogleTest"),
}
# What CMake finds and packages do not name: with the compiler, and for tests and benchmarks alone.
OTHERS = {"Threads", "CUDAToolkit", "Python", "benchmark", "GSL", "Libstable"}


def text(name):
    return (sources / name).read_text(encoding="utf-8")


def wanted():
    """{name: oldest version or ""} of CMake's files."""
    cmake = text("cmake/TesseraDependencies.cmake") + text("cmake/TesseraFindPython.cmake")
    found = dict(re.findall(r"find_package\(([\w-]+) ?([\d.]*)", cmake))
    found.update({"Boost": "", "netCDF": "", "FFTW": "", "NCCL": "", "pugixml": ""})  # found by their files
    assert set(found) == set(NAMES) | OTHERS, set(found) ^ (set(NAMES) | OTHERS)
    return {name: version for name, version in found.items() if name in NAMES}


def cmake_options():
    """Options and cache variables that CMake files declare."""
    files = [
        sources / "CMakeLists.txt",
        *sources.glob("cmake/*.cmake"),
        *sources.glob("*/**/CMakeLists.txt"),
    ]
    declared = set()
    for path in files:
        content = path.read_text(encoding="utf-8")
        declared |= set(re.findall(r"option\((TESSERA_\w+)", content))
        declared |= set(re.findall(r"set\((TESSERA_\w+)[^)]*? CACHE ", content))
    return declared


class Variants:
    """A spec of Spack with some variants on."""

    def __init__(self, names):
        self.names = names

    def satisfies(self, question):
        return question[1:] in self.names

    def __getitem__(self, name):
        return types.SimpleNamespace(
            kokkos_cxx="nvcc_wrapper", command=types.SimpleNamespace(path="/python3")
        )


def load_spack():
    """Runs package.py with Spack's words replaced by ones that record. Returns class and record."""
    record = {"depends_on": [], "variant": [], "version": [], "license": [], "conflicts": []}

    class When:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            return False

    class CMakePackage:
        run_tests = False

        def define(self, name, value):
            return name, value

        def define_from_variant(self, name, variant):
            assert any(variant == given[0] for given, _ in record["variant"])
            return name, variant in self.spec.names

    def recorder(word):
        return lambda *given, **options: record[word].append((given, options))

    words = {word: recorder(word) for word in record}
    words.update(
        {
            "when": lambda _: When(),
            "generator": lambda _: None,
            "extends": lambda _: None,
            "python_platlib": "/site",
            "CMakePackage": CMakePackage,
            "CudaPackage": type("CudaPackage", (), {"cuda_arch_values": ("80", "90")}),
        }
    )
    tree = ast.parse(text("packaging/spack/package.py"))
    tree.body = [node for node in tree.body if not isinstance(node, ast.ImportFrom)]
    exec(compile(tree, "package.py", "exec"), words)
    return words["Tessera"], record


def check_spack():
    package, record = load_spack()
    assert {given[0] for given, _ in record["variant"]} == {"openmp", "mpi", "python"}
    depends = [given[0] for given, _ in record["depends_on"]]
    for name, version in wanted().items():
        spack = NAMES[name][0]
        range_ = re.escape(f"@{version}:") if version else r"(?!@)"
        assert any(
            re.match(rf"{re.escape(spack)}{range_}(?![\w-])", entry) for entry in depends
        ), f"package.py does not have {spack} from {version or 'any version'} on: {depends}"
    kokkos = text("cmake/TesseraFindKokkos.cmake")
    oldest = re.search(r"KOKKOS_OLDEST ([\d.]+)", kokkos)[1]
    newest = int(re.search(r"KOKKOS_BEYOND (\d+)", kokkos)[1]) - 1
    assert any(entry.startswith(f"kokkos@{oldest}:{newest} ") for entry in depends)
    assert "kokkos-kernels" in depends
    cmake = re.search(r"VERSION ([\d.]+)\.\.\.([\d.]+)", text("CMakeLists.txt"))
    assert f"cmake@{cmake[1]}:{cmake[2]}" in depends
    options = cmake_options()
    for variants in itertools.product(
        *((name, None) for name in ("openmp", "cuda", "mpi", "python"))
    ):
        self = package()
        self.spec = Variants(set(variants) - {None})
        given = dict(package.cmake_args(self))
        unknown = {name for name in given if name.startswith("TESSERA_")} - options
        assert not unknown, unknown
        assert ("cuda" in given["TESSERA_BACKENDS"]) == ("CMAKE_CXX_COMPILER" in given)


def check_conda():
    rendered = (
        jinja2.Environment(undefined=jinja2.StrictUndefined)
        .from_string(text("packaging/conda/meta.yaml"))
        .render(compiler=lambda language: f"compiler_{language}")
    )
    recipe = yaml.safe_load(rendered)
    outputs = {output["name"]: output["requirements"] for output in recipe["outputs"]}
    assert set(outputs) == {"tessera-cpu", "tessera-cuda"}
    for output, needs in outputs.items():
        for name, version in wanted().items():
            conda = NAMES[name][1]
            if conda and not (name == "NCCL" and output == "tessera-cpu"):
                entry = f"{conda} >={version}" if version else conda
                assert entry in needs["host"], f"meta.yaml, {output}, does not have '{entry}'"
        oldest = re.search(r'requires-python = ">=([\d.]+)"', text("pyproject.toml"))[1]
        assert f"python >={oldest}" in needs["host"]
    cmake = re.search(r"VERSION ([\d.]+)\.\.\.3\.(\d+)", text("CMakeLists.txt"))
    assert f"cmake >={cmake[1]},<3.{int(cmake[2]) + 1}" in outputs["tessera-cpu"]["build"]


def check_lists():
    """codemeta.json and docs/dependencies.md."""
    needs = json.loads(text("codemeta.json"))["softwareRequirements"]
    page = text("docs/dependencies.md")
    for name, version in wanted().items():
        _, _, codemeta, document = NAMES[name]
        if codemeta:
            entry = f"{codemeta} >= {version}" if version else codemeta
            assert entry in needs, f"codemeta.json does not have '{entry}'"
        row = re.search(rf"^\| {re.escape(document)} \| ([^|]*)", page, re.MULTILINE)
        assert row, f"docs/dependencies.md has no row for {document}"
        entry = f"{version} or later" if version else "any"
        assert row[1].startswith(entry), f"docs/dependencies.md: {document}: {row[1]}, not {entry}"


def instructions(name):
    """(word, rest) of each instruction of a Containerfile."""
    lines = [line for line in text(name).splitlines() if line and not line.startswith("#")]
    for line in re.sub(r"\\\n", "", "\n".join(lines)).splitlines():
        word, _, rest = line.strip().partition(" ")
        yield word, rest.strip()


def check_shell(script, name):
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{name}: {done.stderr}"


def check_options(script, name):
    """CMake's options and presets that a script names are there."""
    unknown = set(re.findall(r"-D ?(TESSERA_\w+)", script)) - cmake_options()
    assert not unknown, f"{name}: CMake has no {unknown}"
    presets = json.loads(text("CMakePresets.json"))["configurePresets"]
    for preset in re.findall(r"--preset (\w+)", script):
        assert preset in {entry["name"] for entry in presets}, f"{name}: no preset {preset}"


def check_containers():
    stages, values = [], {}
    for word, rest in instructions("packaging/Containerfile"):
        assert word in {
            "ARG",
            "CMD",
            "COPY",
            "ENV",
            "FROM",
            "LABEL",
            "RUN",
            "USER",
            "WORKDIR",
        }, word
        if word == "ARG" and "=" in rest:
            values.update([rest.split("=")])
        elif word == "FROM":
            image, name = re.fullmatch(r"(\S+) AS ([\w-]+)", rest).groups()
            for used in re.findall(r"\$\{(\w+)\}", image):
                assert used in values, f"FROM {image}: no ARG {used} before it"
            stages.append(name)
        elif word == "COPY":
            stage = re.match(r"--from=(\S+) ", rest)
            if stage:
                assert stage[1] in stages[:-1], f"COPY from a later stage {stage[1]}"
            else:
                assert (sources / rest.split()[0]).exists(), rest
        elif word == "RUN":
            check_shell(rest, "Containerfile")
            check_options(rest, "Containerfile")
            for script in re.findall(r"(?:^| )((?:\./|packaging/)[\w/]+)", rest):
                assert (sources / script).exists(), script
        elif word == "CMD":
            json.loads(rest)
    assert stages == ["sources", "build-cpu", "cpu", "build-cuda", "cuda"]
    assert values["CUDA_VERSION"].startswith("13.0.")
    assert f"kokkos@{values['KOKKOS_VERSION']}" in text(
        "spack.yaml"
    ), "another Kokkos than spack.yaml"


def check_runtime_packages(program):
    """The packages that a program needs are installed where it runs."""
    done = subprocess.run(
        [packaging / "runtime_packages", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    names = done.stdout.split()
    assert "libc6" in names and any(name.startswith("libhdf5") for name in names), names


check_spack()
check_conda()
check_lists()
check_containers()
for path in (
    packaging / "build_kokkos",
    packaging / "runtime_packages",
    packaging / "conda/build.sh",
):
    check_shell(path.read_text(encoding="utf-8"), path.name)
    check_options(path.read_text(encoding="utf-8"), path.name)
if len(sys.argv) > 2:
    check_runtime_packages(sys.argv[2])
print("packages have the versions and dependencies of CMake")
