# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# Debian packages by CPack, of what the build folder has compiled: `cpack` there writes tessera (programs, inputs, man pages, completion),
# libtessera-dev (headers, static libraries, the CMake package) and python3-tessera. Released ones are made by `cmake/release packages`.
#
# TESSERA_LEVEL_FOLDERS: other build folders, for other values of TESSERA_LEVEL, whose programs and modules go into the same packages.

set(TESSERA_LEVEL_FOLDERS "" CACHE STRING "Build folders of other levels of x86-64, whose programs packages hold as well")

find_program(TESSERA_DPKG dpkg DOC "What Debian packages are made with")
if(NOT TESSERA_DPKG OR NOT TESSERA_ENABLE_APPS)
  return()
endif()
if(TESSERA_LEVEL_FOLDERS AND NOT TESSERA_LEVEL)
  message(FATAL_ERROR "TESSERA_LEVEL_FOLDERS names builds for other levels than this one's, which has none: set TESSERA_LEVEL, too.")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tessera)
set(CPACK_PACKAGE_VENDOR "The Tessera developers")
set(CPACK_PACKAGE_CONTACT "The Tessera developers <maintainers@tessera.invalid>")
set(CPACK_PACKAGE_HOMEPAGE_URL https://tessera.invalid)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/TesseraPackageFiles.cmake)

set(CPACK_COMPONENTS_ALL programs development)
if(TESSERA_HAVE_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
# This folder comes last, so that the static libraries are its own.
set(CPACK_INSTALL_CMAKE_PROJECTS)
foreach(_folder IN LISTS TESSERA_LEVEL_FOLDERS ITEMS ${PROJECT_BINARY_DIR})
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS "${_folder};tessera;ALL;/")
endforeach()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(_about "Tessera propagates probability densities through nonlinear dynamics
(gbees), fits and predicts Gaussian processes (gp), fills gaps in images and
rasters (mpr), works with alpha-stable laws (stable), and evaluates Bessel
functions of real order (bessel) and Boys functions (boys), with one set of
Kokkos kernels.
.
This package has ")

set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME tessera)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS python3)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "python3-h5py, python3-matplotlib, python3-numpy")  # for tessera-grade, tessera-plot and tessera-table
set(CPACK_COMPONENT_PROGRAMS_DESCRIPTION "${_about}the programs, which read a YAML file and write an HDF5 file,
their inputs, and what draws the results.")

# What headers and static libraries need of others: the packages that tesseraConfig.cmake looks for.
# Debian 12 and 13 have Kokkos 3.4 as a part of Trilinos.
set(_needs libboost-dev libfmt-dev libhdf5-dev liblapacke-dev libopenblas-dev librandom123-dev libspdlog-dev libyaml-cpp-dev)
foreach(_directory IN ITEMS "${Kokkos_DIR}" "${KokkosKernels_DIR}")
  execute_process(COMMAND dpkg-query --search "${_directory}" OUTPUT_VARIABLE _owner ERROR_QUIET)
  if(_owner MATCHES "^([^,:]+)")
    list(APPEND _needs ${CMAKE_MATCH_1})
  endif()
endforeach()
list(REMOVE_DUPLICATES _needs)
foreach(_optional IN ITEMS "TESSERA_HAVE_MPI libopenmpi-dev" "NLopt_FOUND libnlopt-dev" "NLopt_FOUND libnlopt-cxx-dev" "GDAL_FOUND libgdal-dev"
    "FFTW_LIBRARY libfftw3-dev" "NETCDF_LIBRARY libnetcdf-dev" "PUGIXML_LIBRARY libpugixml-dev")
  separate_arguments(_optional)
  list(POP_FRONT _optional _found)
  if(${_found})
    list(APPEND _needs ${_optional})
  endif()
endforeach()
list(JOIN _needs ", " _needs)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtessera-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${_needs}")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${_about}the headers, the static libraries and the CMake package.")

if(TESSERA_HAVE_PYTHON)
  math(EXPR _next "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-tessera)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${_next}), python3-h5py, python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib, python3-xarray, python3-scipy, python3-sklearn")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "${_about}the Python package tessera.")
endif()

# For TesseraPackageFiles.cmake, which CPack runs.
set(CPACK_TESSERA_SOURCES ${PROJECT_SOURCE_DIR})
set(CPACK_TESSERA_PYTHON_DIR ${TESSERA_PYTHON_DIR})
include(CPack)
