# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# Run by CPack between the installation of the components and their packing: brings their folders into the form that Debian asks for. Adds
# copyright and changelog, compresses man pages, moves the Python package to where Debian's Python looks for it, and removes search paths
# of libraries, which packages must not have.

set(root ${CPACK_TEMPORARY_DIRECTORY})
set(sources ${CPACK_TESSERA_SOURCES})

function(compress file)
  execute_process(COMMAND gzip --best --no-name --force ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The version of the changelog with its date; before a release the date of the commit, and without git that of today.
function(read_date variable)
  file(READ ${sources}/CITATION.cff citation)
  if(citation MATCHES "date-released: ([0-9-]+)")
    set(when ${CMAKE_MATCH_1})
  else()
    execute_process(COMMAND git -C ${sources} log -1 --format=%cI OUTPUT_VARIABLE when ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C date --utc --rfc-email "--date=${when}"
    OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} ${date} PARENT_SCOPE)
endfunction()

# In the form of Debian's copyright files: each line of the licence after a blank, empty ones as a point.
function(write_copyright file)
  file(READ ${sources}/LICENSE licence)
  string(REGEX REPLACE "^BSD 3-Clause License\n+Copyright [^\n]*\n+" "" licence "${licence}")
  string(REGEX REPLACE "\n$" "" licence "${licence}")
  string(REPLACE "\n\n" "\n.\n" licence "${licence}")
  string(REPLACE "\n" "\n " licence "${licence}")
  file(WRITE ${file} "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Tessera
Upstream-Contact: ${CPACK_PACKAGE_CONTACT}
Source: ${CPACK_PACKAGE_HOMEPAGE_URL}

Files: *
Copyright: 2026 The Tessera developers
License: BSD-3-Clause
 ${licence}
")
endfunction()

function(write_documents folder package)
  set(documents ${folder}/usr/share/doc/${package})
  write_copyright(${documents}/copyright)
  read_date(date)
  file(WRITE ${documents}/changelog.Debian "tessera (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Package version ${CPACK_PACKAGE_VERSION}; changelog.gz lists what is new in it.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  configure_file(${sources}/CHANGELOG.md ${documents}/changelog COPYONLY)
  compress(${documents}/changelog)
  compress(${documents}/changelog.Debian)
  file(GLOB written ${documents}/*)
  file(CHMOD ${written} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endfunction()

# Removes the folders above a path that hold nothing else.
function(remove_empty path)
  get_filename_component(folder ${path} DIRECTORY)
  file(GLOB left ${folder}/*)
  while(NOT left)
    file(REMOVE_RECURSE ${folder})
    get_filename_component(folder ${folder} DIRECTORY)
    file(GLOB left ${folder}/*)
  endwhile()
endfunction()

set(programs ${root}/programs)
set(development ${root}/development)
set(python ${root}/python)
write_documents(${programs} ${CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME})
write_documents(${development} ${CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME})

file(GLOB pages ${programs}/usr/share/man/man1/*.1)
foreach(page IN LISTS pages)
  compress(${page})
endforeach()

if(EXISTS ${python})
  write_documents(${python} ${CPACK_DEBIAN_PYTHON_PACKAGE_NAME})
  set(packages ${python}/usr/lib/python3/dist-packages)
  if(NOT EXISTS ${packages})
    file(MAKE_DIRECTORY ${python}/usr/lib/python3)
    file(RENAME ${python}/usr/${CPACK_TESSERA_PYTHON_DIR} ${packages})
    remove_empty(${python}/usr/${CPACK_TESSERA_PYTHON_DIR})
  endif()
  file(GLOB_RECURSE modules ${packages}/*.so)
  foreach(module IN LISTS modules)
    file(RPATH_REMOVE FILE ${module})
    file(CHMOD ${module} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  endforeach()
endif()
