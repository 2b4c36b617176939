# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# cmake -D SCRIPT=TesseraCountCases.cmake -D FOLDER=... -P count_cases.cmake: the cases of a few invented tests are counted.

file(REMOVE_RECURSE ${FOLDER})

# invented_test(NAME STATUS [TOTALS SKIPPED]): a line of CTest's report, and what the test's cases came to.
function(invented_test name status)
  file(APPEND ${FOLDER}/report.xml "  <testcase name=\"${name}\" classname=\"${name}\" time=\"0.1\" status=\"${status}\">\n  </testcase>\n")
  if(ARGC GREATER 2)
    file(WRITE ${FOLDER}/cases/${name}.xml "<testsuites ${ARGV2} name=\"AllTests\">\n  <testsuite name=\"A\" tests=\"3\" skipped=\"${ARGV3}\">\n"
      "    <testcase name=\"B\" status=\"run\"/>\n  </testsuite>\n</testsuites>\n")
  endif()
endfunction()

function(expect text)
  execute_process(COMMAND ${CMAKE_COMMAND} -D REPORT=${FOLDER}/report.xml -D CASES=${FOLDER}/cases -P ${SCRIPT} OUTPUT_VARIABLE found)
  if(NOT found STREQUAL text)
    message(FATAL_ERROR "expected:\n${text}found:\n${found}")
  endif()
endfunction()

invented_test(many.cases run "tests=\"40\" failures=\"0\" disabled=\"0\" errors=\"0\"" 0)
invented_test(no.cases run)
expect("41 passed, 0 failed\n")
invented_test(some.skipped run "tests=\"5\" failures=\"0\" disabled=\"1\" errors=\"0\"" 2)
invented_test(no.device notrun)
expect("4 skipped\n43 passed, 0 failed\n")
invented_test(two.fail fail "tests=\"10\" failures=\"1\" disabled=\"0\" errors=\"1\"" 0)
expect("4 skipped\n51 passed, 2 failed\n")
invented_test(crashed fail)
invented_test(failed.at.exit fail "tests=\"3\" failures=\"0\"" 0)
expect("4 skipped\n53 passed, 4 failed\n")
