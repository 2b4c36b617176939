# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# Finds Random123, counter-based random numbers in headers: the imported target Random123::Random123.
# Tessera's installed package sets TESSERA_BUILT_WITH_RANDOM123 (a directory, looked at after Random123_ROOT).

find_path(Random123_INCLUDE_DIR Random123/philox.h
  HINTS ${TESSERA_BUILT_WITH_RANDOM123}
  DOC "Directory that holds Random123/philox.h")
mark_as_advanced(Random123_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Random123
  REQUIRED_VARS Random123_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Install it (Debian and Ubuntu: librandom123-dev) or set Random123_ROOT to the folder that holds include/Random123.")

if(Random123_FOUND AND NOT TARGET Random123::Random123)
  add_library(Random123::Random123 INTERFACE IMPORTED)
  set_target_properties(Random123::Random123 PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Random123_INCLUDE_DIR}")
endif()
