# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# cmake -D EXECUTABLE=... -D PAGE=... -P parameters_page.cmake: fails when PAGE is not what the executable prints about its parameters.

execute_process(COMMAND ${EXECUTABLE} --print-defaults --markdown OUTPUT_VARIABLE expected RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${EXECUTABLE} --print-defaults --markdown ended with ${status}")
endif()

set(found "")
if(EXISTS ${PAGE})
  file(READ ${PAGE} found)
endif()
if(NOT found STREQUAL expected)
  message(FATAL_ERROR "${PAGE} is not what the executable says of its parameters. Write it again, and read the difference:\n"
    "  ${EXECUTABLE} --print-defaults --markdown > ${PAGE}\n"
    "(or all of these pages: cmake --build BUILD --target parameters_pages)")
endif()
