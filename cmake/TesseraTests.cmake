# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# tessera_add_test(NAME gbees_cells SOURCES gbees_cells.cpp [LIBRARIES tessera::gbees ...] [LABELS regression]
#   [DEFINITIONS NAME=value ...] [HOST] [RANKS 1 2 ...])
#
# Builds one GoogleTest executable per enabled backend from the same sources, with TESSERA_TEST_EXEC_SPACE naming the execution space
# (see tests/harness/exec_space.hpp), and registers it with CTest: <NAME>.<backend>, on OpenMP with 1, 2 and 4 threads.
# HOST: one executable that does not start Kokkos; its sources may not include a Kokkos header.
# RANKS: with MPI the test also runs as so many processes that a launcher starts together: <NAME>.ranks.2, <NAME>.<backend>.ranks.2.
# Tests carry the labels given (default: unit) and the backend's name; a test that finds no CUDA device is skipped.
#
# A test is a process, in which all of its cases run: one for each case would start Kokkos and read tables hundreds of times. What the cases
# came to is left in TESSERA_TEST_CASES_DIR, for ./bootstrap test to count.
#
# "tests/harness/paths.hpp" names the folders of reference data, inputs and executables.
set(TESSERA_TEST_CASES_DIR ${PROJECT_BINARY_DIR}/tests/cases)

function(tessera_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "HOST" "NAME" "SOURCES;LIBRARIES;LABELS;DEFINITIONS;RANKS")
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()

  if(arg_HOST)
    set(target test_${arg_NAME})
    _tessera_test_executable(${target} "${arg_SOURCES}" "${arg_LIBRARIES}")
    target_link_libraries(${target} PRIVATE GTest::gtest_main)
    target_compile_definitions(${target} PRIVATE TESSERA_HOST_TEST)
    target_compile_options(${target} PRIVATE ${TESSERA_HOST_ONLY_OPTION} ${TESSERA_FAST_COMPILE_OPTION})
    tessera_precompile(${target} host_test)
    _tessera_register_test(${arg_NAME} ${target} 1 "${arg_LABELS};host")
    _tessera_register_ranks(${arg_NAME} ${target} "${arg_LABELS};host" "${arg_RANKS}")
    return()
  endif()

  foreach(backend IN LISTS TESSERA_ENABLED_BACKENDS)
    set(target test_${arg_NAME}_${backend})
    _tessera_test_executable(${target} "${arg_SOURCES}" "${arg_LIBRARIES}")
    target_link_libraries(${target} PRIVATE tessera_test_main)
    target_compile_definitions(${target} PRIVATE TESSERA_TEST_EXEC_SPACE=${TESSERA_EXEC_SPACE_${backend}} ${arg_DEFINITIONS})
    tessera_precompile(${target} test)
    if(backend STREQUAL "openmp")
      foreach(threads IN ITEMS 1 2 4)
        _tessera_register_test(${arg_NAME}.openmp.${threads} ${target} ${threads} "${arg_LABELS};openmp")
      endforeach()
    else()
      _tessera_register_test(${arg_NAME}.${backend} ${target} 1 "${arg_LABELS};${backend}")
    endif()
    _tessera_register_ranks(${arg_NAME}.${backend} ${target} "${arg_LABELS};${backend}" "${arg_RANKS}")
  endforeach()
endfunction()

function(_tessera_test_executable target sources libraries)
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE tessera::core GTest::gmock ${libraries})
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated ${PROJECT_SOURCE_DIR})
  tessera_compile_options(${target})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
endfunction()

# Every test runs in a folder of its own, so that files it writes do not meet another's. New memory is not zero, so that what
# reads it before it writes it shows.
function(_tessera_register_test test target threads labels)
  set(folder ${PROJECT_BINARY_DIR}/tests/work/${test})
  file(MAKE_DIRECTORY ${folder})
  add_test(NAME ${test} COMMAND ${target} WORKING_DIRECTORY ${folder})
  set_tests_properties(${test} PROPERTIES
    LABELS "${labels}"
    ENVIRONMENT "OMP_NUM_THREADS=${threads};OMP_PROC_BIND=false;MALLOC_PERTURB_=128;GTEST_OUTPUT=xml:${TESSERA_TEST_CASES_DIR}/${test}.xml"
    PROCESSORS ${threads}
    SKIP_RETURN_CODE 77
    TIMEOUT 600)
endfunction()

# As root, in containers, and with more ranks than cores. Where there are fewer devices than ranks the test is skipped.
function(_tessera_register_ranks test target labels numbers)
  if(NOT TESSERA_HAVE_MPI OR NOT MPIEXEC_EXECUTABLE)
    return()
  endif()
  foreach(ranks IN LISTS numbers)
    add_test(NAME ${test}.ranks.${ranks} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${target}>)
    set_tests_properties(${test}.ranks.${ranks} PROPERTIES
      LABELS "${labels}"
      ENVIRONMENT "OMP_NUM_THREADS=1;OMP_PROC_BIND=false;MALLOC_PERTURB_=128;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_hwloc_base_binding_policy=none"
      PROCESSORS ${ranks}
      RESOURCE_LOCK mpi_session  # two launchers of Open MPI that start at once fail over their folder
      SKIP_RETURN_CODE 77
      TIMEOUT 600)
  endforeach()
endfunction()

# find_python_with(VARIABLE MODULE...): the first Python that has what a test needs; empty when there is none.
function(find_python_with variable)
  list(JOIN ARGN ", " modules)
  set(${variable} "" PARENT_SCOPE)
  foreach(candidate IN ITEMS python3 /usr/bin/python3)
    execute_process(COMMAND ${candidate} -c "import ${modules}" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(${variable} ${candidate} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(STATUS "No Python with ${modules}: some regression tests are left out")
endfunction()
