# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# Finds what Tessera is built from, decides on the backends, and prints a table of both.
#
# Required: Kokkos, Kokkos Kernels, HDF5 (C, with HL), yaml-cpp, CLI11, fmt, spdlog, LAPACK with LAPACKE, Random123, Boost (headers). Tests: GoogleTest. Used where
# found: MPI, NLopt, GDAL, netCDF, FFTW, GSL, pugixml, pybind11 with Python and NumPy, Google Benchmark, and as peers in the benchmark libint2 (Boys functions),
# GSL and Boost.Math (Bessel functions), libstable (stable distributions), ScaLAPACK (shared Cholesky factors).
#
# Sets TESSERA_ENABLED_BACKENDS (a list of serial, openmp, cuda), TESSERA_YAML_CPP (the target's name, which depends on the version) and
# TESSERA_HOST_ONLY_OPTION (keeps nvcc_wrapper from using nvcc).

include(TesseraFindKokkos)
include(TesseraFindKokkosKernels)

set(_available_backends)
foreach(_backend IN ITEMS serial openmp cuda)
  string(TOUPPER ${_backend} _upper)
  if(Kokkos_ENABLE_${_upper})
    list(APPEND _available_backends ${_backend})
  endif()
endforeach()
if(NOT _available_backends)
  message(FATAL_ERROR "Kokkos ${Kokkos_VERSION} has none of the backends Serial, OpenMP and Cuda.")
endif()

if(TESSERA_BACKENDS)
  set(TESSERA_ENABLED_BACKENDS ${TESSERA_BACKENDS})
else()
  set(TESSERA_ENABLED_BACKENDS ${_available_backends})
endif()
foreach(_backend IN LISTS TESSERA_ENABLED_BACKENDS)
  if(NOT _backend IN_LIST _available_backends)
    list(JOIN _available_backends ", " _available_text)
    message(FATAL_ERROR "TESSERA_BACKENDS asks for '${_backend}', but this Kokkos (${Kokkos_DIR}) has: ${_available_text}. "
      "Set Kokkos_ROOT to a Kokkos that has it.")
  endif()
endforeach()

# nvcc cannot compile some of the libraries' headers. What does not touch Kokkos goes straight to the host compiler.
set(TESSERA_HOST_ONLY_OPTION)
if(Kokkos_ENABLE_CUDA AND CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper")
  set(TESSERA_HOST_ONLY_OPTION --host-only)
endif()

find_package(HDF5 REQUIRED COMPONENTS C HL)  # HL: dimension scales
find_package(yaml-cpp 0.7 REQUIRED)
if(TARGET yaml-cpp::yaml-cpp)
  set(TESSERA_YAML_CPP yaml-cpp::yaml-cpp)  # since 0.8
else()
  set(TESSERA_YAML_CPP yaml-cpp)
endif()
find_package(CLI11 2.1 REQUIRED)
find_package(fmt 8 REQUIRED)
find_package(spdlog 1.9 REQUIRED)
find_package(LAPACKE REQUIRED)
find_package(Random123 REQUIRED)
find_package(Threads REQUIRED)
if("cuda" IN_LIST TESSERA_ENABLED_BACKENDS)
  find_package(CUDAToolkit REQUIRED)  # cuBLAS and cuSOLVER
endif()

# Debian's libnlopt-cxx-dev brings a second NLoptConfig.cmake, in the folder nlopt_cxx: without this order CMake takes either.
set(CMAKE_FIND_PACKAGE_SORT_ORDER NAME)
set(CMAKE_FIND_PACKAGE_SORT_DIRECTION ASC)
find_package(NLopt QUIET)
find_package(GDAL QUIET)  # raster images: GeoTIFF and others

if(TESSERA_ENABLE_NETCDF)  # NetCDF-3 files; NetCDF-4 is HDF5
  find_path(NETCDF_INCLUDE_DIR netcdf.h DOC "Directory that holds netcdf.h")
  find_library(NETCDF_LIBRARY netcdf)
  if(NETCDF_INCLUDE_DIR AND NETCDF_LIBRARY AND NOT TARGET netCDF::netcdf)
    add_library(netCDF::netcdf INTERFACE IMPORTED)
    set_target_properties(netCDF::netcdf PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${NETCDF_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${NETCDF_LIBRARY})
  endif()
endif()

find_path(PUGIXML_INCLUDE_DIR pugixml.hpp DOC "Directory that holds pugixml.hpp")
find_library(PUGIXML_LIBRARY pugixml)
if(PUGIXML_INCLUDE_DIR AND PUGIXML_LIBRARY AND NOT TARGET pugixml::tessera)  # orbit messages in XML
  add_library(pugixml::tessera INTERFACE IMPORTED)
  set_target_properties(pugixml::tessera PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${PUGIXML_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${PUGIXML_LIBRARY})
endif()

if(TESSERA_ENABLE_FFTW)
  find_path(FFTW_INCLUDE_DIR fftw3.h DOC "Directory that holds fftw3.h")
  find_library(FFTW_LIBRARY fftw3)
endif()
if(FFTW_INCLUDE_DIR AND FFTW_LIBRARY AND NOT TARGET FFTW::FFTW)  # synthetic fields of mpr
  add_library(FFTW::FFTW INTERFACE IMPORTED)
  set_target_properties(FFTW::FFTW PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${FFTW_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${FFTW_LIBRARY})
endif()

if(TESSERA_ENABLE_GSL)  # a method of bessel and gp, to compare with
  find_package(GSL QUIET)
endif()

set(TESSERA_HAVE_MPI OFF)  # several processes, each with a device of its own
if(TESSERA_ENABLE_MPI)
  find_package(MPI QUIET COMPONENTS C)
  set(TESSERA_HAVE_MPI ${MPI_C_FOUND})
endif()
if(TESSERA_HAVE_MPI AND TESSERA_ENABLE_NCCL AND "cuda" IN_LIST TESSERA_ENABLED_BACKENDS)  # messages between GPUs; without it they go by MPI
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} DOC "Directory that holds nccl.h")
  find_library(NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR})
  if(NCCL_INCLUDE_DIR AND NCCL_LIBRARY AND NOT TARGET NCCL::nccl)
    add_library(NCCL::nccl INTERFACE IMPORTED)
    set_target_properties(NCCL::nccl PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${NCCL_LIBRARY})
  endif()
endif()

# Boost.Odeint (Debian: libboost-dev): frames that follow the flow of gbees.
find_path(BOOST_ODEINT_INCLUDE_DIR boost/numeric/odeint.hpp DOC "Directory that holds boost/numeric/odeint.hpp")
if(NOT BOOST_ODEINT_INCLUDE_DIR)
  message(FATAL_ERROR "Boost.Odeint is missing: install Boost's headers (Debian: libboost-dev), or set BOOST_ODEINT_INCLUDE_DIR")
endif()

include(TesseraFindPython)

if(TESSERA_ENABLE_TESTS)
  find_package(GTest 1.11 REQUIRED)
endif()
if(TESSERA_ENABLE_BENCHMARKS)
  find_package(benchmark QUIET)
  find_path(LIBINT2_INCLUDE_DIR libint2/boys.h DOC "Directory that holds libint2/boys.h: Boys functions to compare speeds with")
  find_library(LIBINT2_LIBRARY int2)
  find_library(SCALAPACK_LIBRARY NAMES scalapack-openmpi scalapack-mpich scalapack DOC "ScaLAPACK for the MPI in use: Cholesky factors to compare with")
  find_path(BOOST_MATH_INCLUDE_DIR boost/math/special_functions/bessel.hpp DOC "Directory that holds boost/math: Bessel functions to compare with")
  if(TESSERA_ENABLE_GSL)  # libstable, too, is under the GPL
    find_package(Libstable QUIET)
  endif()
endif()

# One line of the table: the package's name and its version, or why it is absent.
function(_tessera_summary_line name found)
  string(LENGTH "${name}" length)
  math(EXPR padding "18 - ${length}")
  string(REPEAT " " ${padding} spaces)
  if(found)
    message(STATUS "  ${name}${spaces}${ARGN}")
  else()
    message(STATUS "  ${name}${spaces}not found")
  endif()
endfunction()

function(tessera_print_summary)
  list(JOIN TESSERA_ENABLED_BACKENDS ", " backends)
  message(STATUS "Tessera ${PROJECT_VERSION}")
  _tessera_summary_line("build type" TRUE "${CMAKE_BUILD_TYPE}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  _tessera_summary_line("backends" TRUE "${backends}")
  _tessera_summary_line("Kokkos" TRUE "${Kokkos_VERSION} ${Kokkos_DIR}")
  _tessera_summary_line("Kokkos Kernels" TRUE "${KokkosKernels_VERSION} ${KokkosKernels_DIR}")
  if(Kokkos_ENABLE_CUDA)
    _tessera_summary_line("CUDA architecture" TRUE "${Kokkos_ARCH} ${Kokkos_CUDA_ARCHITECTURES}")
  endif()
  if("cuda" IN_LIST TESSERA_ENABLED_BACKENDS)
    _tessera_summary_line("CUDA toolkit" TRUE "${CUDAToolkit_VERSION}")
  endif()
  _tessera_summary_line("HDF5" TRUE "${HDF5_VERSION}")
  _tessera_summary_line("yaml-cpp" TRUE "${yaml-cpp_VERSION}")
  _tessera_summary_line("CLI11" TRUE "${CLI11_VERSION}")
  _tessera_summary_line("fmt" TRUE "${fmt_VERSION}")
  _tessera_summary_line("spdlog" TRUE "${spdlog_VERSION}")
  _tessera_summary_line("LAPACKE" TRUE "${LAPACKE_LIBRARY}")
  _tessera_summary_line("Random123" TRUE "${Random123_INCLUDE_DIR}")
  _tessera_summary_line("MPI" "${TESSERA_HAVE_MPI}" "${MPI_C_VERSION} ${MPI_C_LIBRARIES}")
  if("cuda" IN_LIST TESSERA_ENABLED_BACKENDS)
    if(TARGET NCCL::nccl)
      _tessera_summary_line("NCCL" TRUE "${NCCL_LIBRARY}")
    else()
      _tessera_summary_line("NCCL" FALSE)
    endif()
  endif()
  _tessera_summary_line("FFTW" "${FFTW_LIBRARY}" "${FFTW_LIBRARY}")
  _tessera_summary_line("GDAL" "${GDAL_FOUND}" "${GDAL_VERSION}")
  _tessera_summary_line("netCDF" "${NETCDF_LIBRARY}" "${NETCDF_LIBRARY}")
  _tessera_summary_line("GSL" "${GSL_FOUND}" "${GSL_VERSION}")
  _tessera_summary_line("NLopt" "${NLopt_FOUND}" "${NLopt_VERSION}")
  _tessera_summary_line("pugixml" "${PUGIXML_LIBRARY}" "${PUGIXML_LIBRARY}")
  if(TESSERA_ENABLE_PYTHON)
    _tessera_summary_line("Python module" "${TESSERA_HAVE_PYTHON}" "${Python_VERSION} ${Python_EXECUTABLE}, pybind11 ${pybind11_VERSION}")
  endif()
  if(TESSERA_ENABLE_TESTS)
    _tessera_summary_line("GoogleTest" TRUE "${GTest_VERSION}")
  endif()
  if(TESSERA_ENABLE_BENCHMARKS)
    _tessera_summary_line("Google Benchmark" "${benchmark_FOUND}" "${benchmark_VERSION}")
    _tessera_summary_line("libint2" "${LIBINT2_LIBRARY}" "${LIBINT2_LIBRARY}")
    _tessera_summary_line("ScaLAPACK" "${SCALAPACK_LIBRARY}" "${SCALAPACK_LIBRARY}")
    _tessera_summary_line("Boost.Math" "${BOOST_MATH_INCLUDE_DIR}" "${BOOST_MATH_INCLUDE_DIR}")
    _tessera_summary_line("libstable" "${Libstable_FOUND}" "${LIBSTABLE_LIBRARY}")
  endif()
  if(TESSERA_SANITIZE)
    _tessera_summary_line("sanitizers" TRUE "${TESSERA_SANITIZE}")
  endif()
endfunction()
