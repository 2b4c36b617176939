# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# Finds LAPACKE and CBLAS, the C interfaces of LAPACK and BLAS, and both themselves: the imported target LAPACKE::LAPACKE.

find_package(LAPACK QUIET)
find_path(LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES openblas lapacke DOC "Directory that holds lapacke.h")
find_path(CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas DOC "Directory that holds cblas.h")
find_library(LAPACKE_LIBRARY NAMES lapacke openblas DOC "The library that holds LAPACKE")
mark_as_advanced(LAPACKE_INCLUDE_DIR CBLAS_INCLUDE_DIR LAPACKE_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LAPACKE REQUIRED_VARS LAPACKE_LIBRARY LAPACKE_INCLUDE_DIR CBLAS_INCLUDE_DIR LAPACK_FOUND)

if(LAPACKE_FOUND AND NOT TARGET LAPACKE::LAPACKE)
  add_library(LAPACKE::LAPACKE INTERFACE IMPORTED)
  set_target_properties(LAPACKE::LAPACKE PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LAPACKE_INCLUDE_DIR};${CBLAS_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${LAPACKE_LIBRARY};LAPACK::LAPACK")
endif()
