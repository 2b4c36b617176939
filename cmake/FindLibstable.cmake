# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# Finds libstable, stable distributions in C, and GSL, which it is built on: the imported target
# Libstable::libstable. Libstable_ROOT: the folder that holds include/stable.h and lib.

find_package(GSL QUIET)
find_path(LIBSTABLE_INCLUDE_DIR stable.h DOC "Directory that holds libstable's stable.h: stable distributions to compare with")
find_library(LIBSTABLE_LIBRARY stable DOC "libstable")
mark_as_advanced(LIBSTABLE_INCLUDE_DIR LIBSTABLE_LIBRARY)

# Other libraries have a stable.h, too.
set(_declares_quantiles)
if(LIBSTABLE_INCLUDE_DIR)
  file(STRINGS ${LIBSTABLE_INCLUDE_DIR}/stable.h _declares_quantiles REGEX "stable_q_point")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libstable REQUIRED_VARS LIBSTABLE_LIBRARY LIBSTABLE_INCLUDE_DIR _declares_quantiles GSL_FOUND)

if(Libstable_FOUND AND NOT TARGET Libstable::libstable)
  add_library(Libstable::libstable INTERFACE IMPORTED)
  set_target_properties(Libstable::libstable PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${LIBSTABLE_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES "${LIBSTABLE_LIBRARY};GSL::gsl")
endif()
