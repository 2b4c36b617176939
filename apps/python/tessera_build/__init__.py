# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the Python package for pip: the hooks of PEP 517 and PEP 660, over the project's own CMake
files. It needs nothing but Python.

    pip install .    # from the root of the project
    pip install . --config-settings cmake.define.TESSERA_BACKENDS=serial

Settings, with the names that scikit-build-core has for them:

    cmake.define.NAME=VALUE    a CMake variable; CMAKE_ARGS in the environment, "-DNAME=VALUE ...",
                               is for the same
    cmake.build-type           Release by default
    build-dir                  build folder, relative to the project; build/pip-TAG by default. One
                               that is configured already is used as it is, with the variables that
                               are given
    libraries=system           link the shared libraries of this machine; by default a wheel holds
                               them, Kokkos and HDF5 among them, and is built without MPI, GDAL and
                               netCDF
    levels=x86-64,x86-64-v3    a module for each level of x86-64, of which the package chooses when
                               it is imported; by default one for the processor of this machine

A package is made for the Python that pip runs in, with every backend that Kokkos has.
"""

from . import cmake, libraries, metadata, sdist, wheel
from .settings import Settings

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def get_requires_for_build_wheel(config_settings=None):
    Settings(config_settings)
    return []


def get_requires_for_build_editable(config_settings=None):
    return get_requires_for_build_wheel(config_settings)


def get_requires_for_build_sdist(config_settings=None):
    return get_requires_for_build_wheel(config_settings)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    Settings(config_settings)
    return metadata.write(metadata_directory)


def prepare_metadata_for_build_editable(metadata_directory, config_settings=None):
    return prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Configures, builds the module, and packs what CMake installs of the package. Returns the name
    of the wheel."""
    settings = Settings(config_settings)
    with cmake.installed(cmake.build(settings)) as package:
        if not settings.self_contained:
            return wheel.write(wheel_directory, [package])
        folder, licences = libraries.put_inside(package)
        is_portable = bool(settings.levels)
        return wheel.write(wheel_directory, [package, folder], licences, is_portable)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The same, but the wheel names the package of the build folder, whose Python files are links
    to the sources."""
    settings = Settings(config_settings)
    settings.self_contained, settings.levels = False, ()
    (folder,) = cmake.build(settings)
    return wheel.write_editable(wheel_directory, folder / "python")


def build_sdist(sdist_directory, config_settings=None):
    """Packs the files that git tracks. Returns the name of the archive."""
    Settings(config_settings)
    return sdist.write(sdist_directory)
