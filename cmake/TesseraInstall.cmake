# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# Installs libraries, headers and the CMake package: find_package(tessera) gives tessera::core and one target per model.
# Headers are installed as <tessera/core/...> and <tessera/MODEL/...>, the names that the sources use too; those of programs are not.

include(CMakePackageConfigHelpers)

get_property(_models GLOBAL PROPERTY TESSERA_MODELS)
set(_libraries tessera_core)
set(_components core)
foreach(_model IN LISTS _models)
  list(APPEND _libraries tessera_${_model})
  list(APPEND _components ${_model})
endforeach()
set(TESSERA_COMPONENTS ${_components})

install(TARGETS ${_libraries} EXPORT tesseraTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
set(_header_directories core/tessera)
foreach(_model IN LISTS _models)
  list(APPEND _header_directories models/${_model}/tessera)
endforeach()
install(DIRECTORY ${_header_directories}
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.hpp" PATTERN "program" EXCLUDE)

set(_package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
install(EXPORT tesseraTargets NAMESPACE tessera:: DESTINATION ${_package_directory} COMPONENT development)
set(TESSERA_EXPORTED_OPTIONS ${TESSERA_NATIVE_OPTIONS} ${TESSERA_KERNEL_OPTIONS})
configure_package_config_file(cmake/tesseraConfig.cmake.in ${PROJECT_BINARY_DIR}/tesseraConfig.cmake
  INSTALL_DESTINATION ${_package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/tesseraConfig.cmake
  ${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
  cmake/TesseraFindKokkos.cmake
  cmake/TesseraFindKokkosKernels.cmake
  cmake/FindLAPACKE.cmake
  cmake/FindRandom123.cmake
  DESTINATION ${_package_directory} COMPONENT development)

# The inputs of README and documents, which a program reads where they lie and writes its results in the current folder.
install(DIRECTORY inputs DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera COMPONENT programs PATTERN "__pycache__" EXCLUDE)

# bash looks for the completion of a program under its name.
foreach(_model IN LISTS _models)
  install(FILES apps/completion/tessera.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT programs
    RENAME tessera-${_model})
endforeach()
