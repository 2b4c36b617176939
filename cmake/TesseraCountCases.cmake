# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# cmake -D REPORT=junit.xml -D CASES=folder -P TesseraCountCases.cmake
#
# Prints "N skipped" where there are some and, as the last line, "N passed, N failed", counting test cases. CTest's own report counts
# executables: a test is a process with many cases, since a process for each of them would have to start Kokkos and read tables again.
# What a test's cases came to stands in CASES/<test>.xml (GTEST_OUTPUT; tests/regression/run_cases.py); a test without that file, and one
# that failed although none of its cases did, counts as one.

# The number in attribute `name` of an XML element; 0 without it.
function(attribute variable name element)
  string(REGEX MATCH " ${name}=\"([0-9]+)\"" found "${element}")
  set(${variable} 0 PARENT_SCOPE)
  if(found)
    set(${variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
  endif()
endfunction()

# Adds the cases of one report to `cases`, `bad` and `idle`.
function(read_cases file)
  file(STRINGS ${file} totals REGEX "<testsuites ")
  attribute(cases tests "${totals}")
  attribute(failures failures "${totals}")
  attribute(errors errors "${totals}")
  attribute(idle disabled "${totals}")
  file(STRINGS ${file} suites REGEX "<testsuite ")
  foreach(suite IN LISTS suites)
    attribute(skipped skipped "${suite}")
    math(EXPR idle "${idle} + ${skipped}")
  endforeach()
  math(EXPR bad "${failures} + ${errors}")
  set(cases ${cases} PARENT_SCOPE)
  set(bad ${bad} PARENT_SCOPE)
  set(idle ${idle} PARENT_SCOPE)
endfunction()

set(passed 0)
set(failed 0)
set(skipped 0)
file(STRINGS ${REPORT} tests REGEX "<testcase ")
foreach(test IN LISTS tests)
  string(REGEX MATCH " name=\"([^\"]*)\"" name "${test}")
  set(name ${CMAKE_MATCH_1})
  string(REGEX MATCH " status=\"([^\"]*)\"" status "${test}")
  set(status ${CMAKE_MATCH_1})
  set(cases 1)
  set(bad 0)
  set(idle 0)
  if(EXISTS ${CASES}/${name}.xml)
    read_cases(${CASES}/${name}.xml)
  elseif(status STREQUAL "notrun" OR status STREQUAL "disabled")
    set(idle 1)
  endif()
  if(status STREQUAL "fail" AND bad EQUAL 0)
    set(bad 1)
    if(cases EQUAL idle)
      math(EXPR cases "${cases} + 1")
    endif()
  endif()
  math(EXPR passed "${passed} + ${cases} - ${bad} - ${idle}")
  math(EXPR failed "${failed} + ${bad}")
  math(EXPR skipped "${skipped} + ${idle}")
endforeach()

if(skipped GREATER 0)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${skipped} skipped")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${passed} passed, ${failed} failed")
