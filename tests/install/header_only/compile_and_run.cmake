# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# cmake -DCOMPILE="g++ -x c++" -DINCLUDE=PREFIX/include/tessera -DSOURCE=main.cu -DPROGRAM=main -P compile_and_run.cmake
# The program's exit code is passed on as a failure; 77 prints its line, by which CTest skips the test.
separate_arguments(compile UNIX_COMMAND "${COMPILE}")
execute_process(COMMAND ${compile} -std=c++20 -O2 -I${INCLUDE} ${SOURCE} -o ${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE status)
if(NOT status EQUAL 0 AND NOT status EQUAL 77)
  message(FATAL_ERROR "${PROGRAM} ended with ${status}")
endif()
