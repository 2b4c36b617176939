# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# Sets TESSERA_INCLUDE_DIR, a folder of links that give the build tree the header names of the installed package: <tessera/core/...> is
# core/..., <tessera/gbees/...> is models/gbees/....

set(TESSERA_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${TESSERA_INCLUDE_DIR}/tessera)
file(GLOB _models RELATIVE ${PROJECT_SOURCE_DIR}/models LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/models/*)
foreach(_model IN LISTS _models)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/models/${_model})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/models/${_model} ${TESSERA_INCLUDE_DIR}/tessera/${_model} SYMBOLIC)
  endif()
endforeach()
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/core ${TESSERA_INCLUDE_DIR}/tessera/core SYMBOLIC)
