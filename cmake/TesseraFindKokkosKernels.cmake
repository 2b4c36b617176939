# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# Finds Kokkos Kernels, or accepts a Kokkos::kokkoskernels that already exists. Used by Tessera's own build and by its installed package,
# which sets TESSERA_BUILT_WITH_KOKKOS_KERNELS (a directory, looked at after KokkosKernels_ROOT and CMAKE_PREFIX_PATH). Include it after
# TesseraFindKokkos.cmake. Needed of it: the components BLAS and BATCHED.

if(NOT TARGET Kokkos::kokkoskernels)
  find_package(KokkosKernels QUIET HINTS ${TESSERA_BUILT_WITH_KOKKOS_KERNELS} ${Kokkos_DIR}/../KokkosKernels)
  if(NOT KokkosKernels_FOUND)
    message(FATAL_ERROR "Kokkos Kernels was not found. Debian and Ubuntu: apt-get install libtrilinos-kokkos-kernels-dev. "
      "With your own Kokkos (${Kokkos_DIR}): build Kokkos Kernels on top of it, with the components BLAS and BATCHED (on CUDA also with "
      "KokkosKernels_ENABLE_TPL_CUBLAS=ON), and set KokkosKernels_ROOT to where it is installed.")
  endif()
  # Debian 12 and Ubuntu 24.04 package it as a part of Trilinos, under another target's name; the headers lie beside those of Kokkos.
  if(NOT TARGET Kokkos::kokkoskernels AND TARGET trilinos_kokkoskernels)
    if(NOT Kokkos_DIR MATCHES "^/usr/lib/")
      message(FATAL_ERROR "Kokkos Kernels was found in ${KokkosKernels_DIR}, which belongs to the distribution's Kokkos, but Kokkos in "
        "${Kokkos_DIR}. Set KokkosKernels_ROOT to a Kokkos Kernels that was built with that Kokkos.")
    endif()
    add_library(Kokkos::kokkoskernels INTERFACE IMPORTED)
    set_target_properties(Kokkos::kokkoskernels PROPERTIES INTERFACE_LINK_LIBRARIES "trilinos_kokkoskernels;Kokkos::kokkos")
    set(KokkosKernels_VERSION ${Kokkos_VERSION})  # Trilinos releases both together and names the version of one
  endif()
endif()
