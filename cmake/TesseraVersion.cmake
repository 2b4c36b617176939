# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# Run at build time (cmake -P): writes the source that holds the version, with the git commit of the moment. The file is touched only
# when it changes, so an unchanged commit recompiles nothing.
#
# A source archive has no git, but `git archive` has written the commit into cmake/commit.txt.
#
# Expects SOURCE_DIR, TEMPLATE, OUTPUT and SETTINGS, a CMake script that sets the remaining variables of the template.

include(${SETTINGS})

function(tessera_git output)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} ${ARGN}
    OUTPUT_VARIABLE text RESULT_VARIABLE status ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    set(text)
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

set(TESSERA_GIT_COMMIT unknown)
if(GIT_EXECUTABLE AND EXISTS ${SOURCE_DIR}/.git)
  tessera_git(commit rev-parse --short=12 HEAD)
  if(commit)
    tessera_git(changes status --porcelain --untracked-files=no)
    if(changes)
      string(APPEND commit -dirty)
    endif()
    set(TESSERA_GIT_COMMIT ${commit})
  endif()
elseif(EXISTS ${SOURCE_DIR}/cmake/commit.txt)
  file(READ ${SOURCE_DIR}/cmake/commit.txt commit)
  if(commit MATCHES "^([0-9a-f]+)")
    string(SUBSTRING ${CMAKE_MATCH_1} 0 12 TESSERA_GIT_COMMIT)
  endif()
endif()

configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
