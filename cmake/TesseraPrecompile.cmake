# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# tessera_precompile(TARGET own|standard|library|test|host_test [header ...]): the sources of the target begin with headers of other projects,
# which are compiled once for all targets of the same kind. Targets of a kind have the same compile options. No header of Tessera is among them,
# so that a change of one recompiles what includes it and no more. A target that names headers has these compiled for itself, after those of the
# kind; the kind `own` has none.
#
# nvcc_wrapper takes no precompiled headers, and compiler caches do not recognise what is compiled with them.
option(TESSERA_PRECOMPILE "Compile headers of Kokkos, GoogleTest and the standard library once" ON)

set(_standard_headers <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <numeric> <optional> <sstream> <string>
  <utility> <vector>)
set(_test_headers <chrono> <filesystem> <random> <set> <gmock/gmock.h> <gtest/gtest.h>)
set(TESSERA_PRECOMPILED_own)
set(TESSERA_PRECOMPILED_standard ${_standard_headers})
set(TESSERA_PRECOMPILED_library ${_standard_headers} <Kokkos_Core.hpp>)
set(TESSERA_PRECOMPILED_test ${_standard_headers} ${_test_headers} <Kokkos_Core.hpp>)
set(TESSERA_PRECOMPILED_host_test ${_standard_headers} ${_test_headers})

# g++ 12 takes precompiled headers of the system for its user's, and warns of strings that it thinks too long; a build without them does not.
set(_system_header_warnings)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(_system_header_warnings -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()

function(tessera_precompile target kind)
  if(NOT TESSERA_PRECOMPILE OR CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper" OR CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  target_compile_options(${target} PRIVATE ${_system_header_warnings})
  if(ARGN)
    target_precompile_headers(${target} PRIVATE ${TESSERA_PRECOMPILED_${kind}} ${ARGN})
    return()
  endif()
  set(owner tessera_precompiled_${kind})
  if(NOT TARGET ${owner})
    _tessera_precompiled(${owner} ${kind})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

function(_tessera_precompiled owner kind)
  set(source ${PROJECT_BINARY_DIR}/generated/precompiled_${kind}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// What compiles the headers that targets of the kind ${kind} share.\n")
  add_library(${owner} OBJECT ${source})
  target_link_libraries(${owner} PRIVATE tessera::core)
  tessera_compile_options(${owner})
  if(kind STREQUAL "library")
    tessera_library_options(${owner})
  else()
    target_link_libraries(${owner} PRIVATE GTest::gmock GTest::gtest)
  endif()
  if(kind STREQUAL "host_test")
    target_compile_options(${owner} PRIVATE ${TESSERA_HOST_ONLY_OPTION} ${TESSERA_FAST_COMPILE_OPTION})
  endif()
  target_precompile_headers(${owner} PRIVATE ${TESSERA_PRECOMPILED_${kind}})
endfunction()
