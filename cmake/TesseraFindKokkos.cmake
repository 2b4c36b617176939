# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# Finds Kokkos, or accepts a Kokkos::kokkos that already exists. Used by Tessera's own build and by its installed package, which sets
# TESSERA_BUILT_WITH_KOKKOS (a directory, looked at after Kokkos_ROOT and CMAKE_PREFIX_PATH) and TESSERA_BUILT_WITH_KOKKOS_VERSION.

set(TESSERA_KOKKOS_OLDEST 3.4)
set(TESSERA_KOKKOS_BEYOND 6)

if(NOT TARGET Kokkos::kokkos)
  find_package(Kokkos REQUIRED QUIET HINTS ${TESSERA_BUILT_WITH_KOKKOS})
endif()

if(Kokkos_VERSION AND (Kokkos_VERSION VERSION_LESS TESSERA_KOKKOS_OLDEST OR NOT Kokkos_VERSION VERSION_LESS TESSERA_KOKKOS_BEYOND))
  message(FATAL_ERROR "Kokkos ${Kokkos_VERSION} was found; Tessera needs ${TESSERA_KOKKOS_OLDEST} <= Kokkos < ${TESSERA_KOKKOS_BEYOND}. "
    "Set Kokkos_ROOT to another installation.")
endif()

if(TESSERA_BUILT_WITH_KOKKOS_VERSION AND Kokkos_VERSION AND NOT Kokkos_VERSION VERSION_EQUAL TESSERA_BUILT_WITH_KOKKOS_VERSION)
  message(FATAL_ERROR "Kokkos ${Kokkos_VERSION} was found in ${Kokkos_DIR}, but this Tessera was built with Kokkos "
    "${TESSERA_BUILT_WITH_KOKKOS_VERSION} from ${TESSERA_BUILT_WITH_KOKKOS}. Set Kokkos_ROOT to that one.")
endif()

# Debian 12 and Ubuntu 24.04 package Kokkos as a part of Trilinos, with a target that names the include directory /usr/lib/include,
# which does not exist; CMake then fails at generate time. The headers are in /usr/include/trilinos.
get_target_property(_tessera_kokkos_includes Kokkos::kokkos INTERFACE_INCLUDE_DIRECTORIES)
foreach(_tessera_directory IN LISTS _tessera_kokkos_includes)
  if(_tessera_directory MATCHES "^/usr/lib/" AND NOT EXISTS "${_tessera_directory}" AND EXISTS /usr/include/trilinos/Kokkos_Core.hpp)
    set_target_properties(Kokkos::kokkos PROPERTIES INTERFACE_INCLUDE_DIRECTORIES /usr/include/trilinos)
  endif()
endforeach()
unset(_tessera_kokkos_includes)
unset(_tessera_directory)

# Views of Kokkos have [[no_unique_address]] members, unless Kokkos was configured with its legacy View. Host and device must lay these out
# alike: nvcc 13.0 gives the class below 12 bytes in device code, as clang 14 does, and g++ 12 gives it 8.
if(Kokkos_ENABLE_CUDA AND Kokkos_ENABLE_IMPL_MDSPAN AND NOT Kokkos_ENABLE_IMPL_VIEW_LEGACY)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -std=c++20)
  check_cxx_source_compiles("
    struct Inner { [[no_unique_address]] int i; [[no_unique_address]] char c; };
    struct Outer { [[no_unique_address]] Inner inner; char d; };
    #ifdef __clang__
    static_assert(sizeof(Outer) == 12);
    #else
    static_assert(sizeof(Outer) == 8);
    #endif
    int main() {}" TESSERA_HOST_AND_DEVICE_LAY_OUT_ALIKE)
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT TESSERA_HOST_AND_DEVICE_LAY_OUT_ALIKE)
    message(FATAL_ERROR "This nvcc lays out the Views of this Kokkos (${Kokkos_DIR}) in another way than the compiler of the host, so that "
      "kernels would read wrong memory. Configure Kokkos with -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON.")
  endif()
endif()
