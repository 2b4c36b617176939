# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# Finds what the Python module needs: pybind11, and a Python with NumPy and the headers for extensions. Python_EXECUTABLE names the Python;
# without it the first one on the PATH that has both is taken, then /usr/bin/python3.
#
# Sets TESSERA_HAVE_PYTHON.

set(TESSERA_HAVE_PYTHON FALSE)
if(NOT TESSERA_ENABLE_PYTHON OR NOT TESSERA_ENABLE_APPS OR TESSERA_SANITIZE)  # a sanitizer has to be in the interpreter too
  return()
endif()

if(NOT Python_EXECUTABLE)
  foreach(_candidate IN ITEMS python3 /usr/bin/python3)
    execute_process(
      COMMAND ${_candidate} -c "import numpy, os, sys, sysconfig; os.stat(sysconfig.get_path('include') + '/Python.h'); print(sys.executable)"
      RESULT_VARIABLE _status OUTPUT_VARIABLE _executable OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(_status EQUAL 0)
      set(Python_EXECUTABLE ${_executable} CACHE FILEPATH "The Python that the module is built for")
      break()
    endif()
  endforeach()
endif()
if(Python_EXECUTABLE)
  find_package(Python COMPONENTS Interpreter Development.Module QUIET)
endif()
if(Python_Development.Module_FOUND)
  set(PYBIND11_FINDPYTHON ON)
  find_package(pybind11 2.9 QUIET)
endif()
if(NOT pybind11_FOUND)
  return()
endif()

# The module is a shared library. A static Kokkos can be a part of it only when it is position independent: the linker tells.
find_program(TESSERA_LINK_DRIVER NAMES c++ g++ clang++ DOC "A C++ compiler without wrapper, to link with")
foreach(_target IN ITEMS Kokkos::kokkoscore Kokkos::kokkoskernels)
  if(NOT TARGET ${_target} OR NOT TESSERA_LINK_DRIVER)
    continue()
  endif()
  get_target_property(_type ${_target} TYPE)
  get_target_property(_is_imported ${_target} IMPORTED)
  if(NOT _is_imported OR NOT _type STREQUAL "STATIC_LIBRARY")
    continue()
  endif()
  get_target_property(_archive ${_target} LOCATION)
  set(_probe ${PROJECT_BINARY_DIR}/CMakeFiles/position_independent.so)
  execute_process(COMMAND ${TESSERA_LINK_DRIVER} -shared -Wl,--whole-archive ${_archive} -Wl,--no-whole-archive -o ${_probe}
    RESULT_VARIABLE _status OUTPUT_QUIET ERROR_QUIET)
  file(REMOVE ${_probe})
  if(NOT _status EQUAL 0)
    message(STATUS "No Python module: ${_archive} is not position independent. Build Kokkos and Kokkos Kernels with "
      "-DCMAKE_POSITION_INDEPENDENT_CODE=ON, or as shared libraries.")
    return()
  endif()
endforeach()
set(TESSERA_HAVE_PYTHON TRUE)
