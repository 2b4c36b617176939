# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

# How a model, an application and any other target of Tessera are built.

set(TESSERA_EXEC_SPACE_serial Kokkos::Serial)
set(TESSERA_EXEC_SPACE_openmp Kokkos::OpenMP)
set(TESSERA_EXEC_SPACE_cuda Kokkos::Cuda)

# Lets loops over floating-point numbers vectorise without changing a result: no errno, no traps, and `#pragma omp simd` without threads.
set(TESSERA_KERNEL_OPTIONS -fopenmp-simd -fno-math-errno -fno-trapping-math)

# g++ 12 warns of overlapping copies inside std::string's operator+ where there are none (GCC bug 105651, mended in 13).
set(TESSERA_FALSE_WARNINGS)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.")
  set(TESSERA_FALSE_WARNINGS -Wno-restrict)
endif()

# The processor at hand, with its widest vectors: compilers shy away from AVX-512 unless told. Packages are compiled for levels of x86-64
# instead, in a build folder each, and their programs chosen when they start (apps/launcher).
set(TESSERA_NATIVE_OPTIONS)
set(TESSERA_LEVEL_TEXT "the compiler's default")
if(TESSERA_LEVEL)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR NOT TESSERA_LEVEL MATCHES "^x86-64(-v[234])?$")
    message(FATAL_ERROR "TESSERA_LEVEL=${TESSERA_LEVEL} on ${CMAKE_SYSTEM_PROCESSOR}: the levels of x86-64 processors are x86-64, "
      "x86-64-v2, x86-64-v3 and x86-64-v4; other processors have none.")
  endif()
  set(TESSERA_NATIVE_OPTIONS -march=${TESSERA_LEVEL})
  if(TESSERA_LEVEL STREQUAL "x86-64-v4")  # generic tuning shuns gathers, without which Vecchia's factors take 1.4 times as long
    list(APPEND TESSERA_NATIVE_OPTIONS -mtune=sapphirerapids)
  endif()
  set(TESSERA_LEVEL_TEXT ${TESSERA_LEVEL})
elseif(TESSERA_NATIVE)
  set(TESSERA_NATIVE_OPTIONS -march=native)
  set(TESSERA_LEVEL_TEXT "this machine's processor")
endif()
if(TESSERA_NATIVE_OPTIONS MATCHES "native|v4" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND TESSERA_NATIVE_OPTIONS -mprefer-vector-width=512)
endif()

# More than half of an executable with CUDA is device code. nvcc compresses it to less than half when told to (since CUDA 12.8), but
# nvcc_wrapper does not pass that option on: it goes through the environment, where an nvcc that does not know it shows at once.
if("cuda" IN_LIST TESSERA_ENABLED_BACKENDS AND CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper")
  set(nvcc_flags $ENV{NVCC_APPEND_FLAGS} --compress-mode=size)
  list(JOIN nvcc_flags " " nvcc_flags)
  set(probe ${PROJECT_BINARY_DIR}/CMakeFiles/compressed_device_code.cpp)
  file(WRITE ${probe} "__global__ void kernel() {}\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -E env "NVCC_APPEND_FLAGS=${nvcc_flags}" ${CMAKE_CXX_COMPILER} -c ${probe} -o ${probe}.o
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(NOT failed)
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTY RULE_LAUNCH_COMPILE
      "${CMAKE_COMMAND} -E env \"NVCC_APPEND_FLAGS=${nvcc_flags}\"")
  endif()
endif()

# tessera_compile_options(TARGET): warnings, processor, vectorisation and sanitizers; none of it reaches those who link the target. (Those who
# link the installed library get processor and vectorisation, unless they refuse: tesseraConfig.cmake.in.)
function(tessera_compile_options target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra ${TESSERA_FALSE_WARNINGS}
    $<$<BOOL:${TESSERA_ENABLE_WERROR}>:-Werror>
    ${TESSERA_NATIVE_OPTIONS}
    ${TESSERA_KERNEL_OPTIONS})
  if(TESSERA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${TESSERA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  endif()
endfunction()

# tessera_library_options(TARGET): for shared libraries, such as Python's module, as fast as without: no other library replaces a function of
# this one.
function(tessera_library_options target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
endfunction()

# Sources whose speed does not matter are compiled with little optimisation, in half the time: tessera_compile_fast(SOURCE ...), of this
# folder, and whole targets with the option TESSERA_FAST_COMPILE_OPTION. (nvcc_wrapper takes one -O option only.)
set(TESSERA_FAST_COMPILE_OPTION)
if(NOT "cuda" IN_LIST TESSERA_ENABLED_BACKENDS)
  set(TESSERA_FAST_COMPILE_OPTION $<$<CONFIG:Release>:-O1>)
  # From version 13 on g++ has these from -O2 on, and reads no precompiled header that was compiled with other ones.
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag("-munroll-only-small-loops -mvzeroupper" TESSERA_PRECOMPILED_HEADERS_NEED_FLAGS)
  if(TESSERA_PRECOMPILED_HEADERS_NEED_FLAGS)
    list(APPEND TESSERA_FAST_COMPILE_OPTION $<$<CONFIG:Release>:-munroll-only-small-loops> $<$<CONFIG:Release>:-mvzeroupper>)
  endif()
endif()
function(tessera_compile_fast)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${TESSERA_FAST_COMPILE_OPTION}")
endfunction()

include(TesseraPrecompile)

# tessera_add_model(NAME gbees SOURCES application.cpp ... [INSTANTIATE instantiate.cpp.in [VARIANTS lorenz63 ...]] [MODELS bessel ...]
#   [PRECOMPILE header ...])
#
# Builds the static library tessera_<NAME>, alias tessera::<NAME>. The template file is configured once per enabled backend and variant
# (once per backend without VARIANTS) into a translation unit of its own, so that they compile in parallel; it may use
# @TESSERA_EXEC_SPACE@ (Kokkos::Serial), @TESSERA_BACKEND@ (serial) and @TESSERA_VARIANT@ (lorenz63). PRECOMPILE: headers of the model that
# most of its sources begin with.
function(tessera_add_model)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;INSTANTIATE" "SOURCES;VARIANTS;MODELS;PRECOMPILE")
  set(target tessera_${arg_NAME})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(tessera::${arg_NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${arg_NAME})
  tessera_library_options(${target})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>)
  target_link_libraries(${target} PUBLIC tessera::core)
  foreach(model IN LISTS arg_MODELS)
    target_link_libraries(${target} PUBLIC tessera::${model})
  endforeach()
  tessera_compile_options(${target})
  tessera_precompile(${target} library ${arg_PRECOMPILE})
  set_property(GLOBAL APPEND PROPERTY TESSERA_MODELS ${arg_NAME})

  if(arg_INSTANTIATE)
    tessera_instantiate(${target} ${arg_INSTANTIATE} ${arg_VARIANTS})
  endif()
endfunction()

# tessera_instantiate(TARGET TEMPLATE [VARIANT ...]): configures a template file for the target as tessera_add_model does.
function(tessera_instantiate target template)
  get_filename_component(name ${template} NAME_WE)
  foreach(TESSERA_BACKEND IN LISTS TESSERA_ENABLED_BACKENDS)
    set(TESSERA_EXEC_SPACE ${TESSERA_EXEC_SPACE_${TESSERA_BACKEND}})
    foreach(TESSERA_VARIANT IN LISTS ARGN)
      _tessera_instantiate(${target} ${template} ${name}_${TESSERA_VARIANT}_${TESSERA_BACKEND}.cpp)
    endforeach()
    if(NOT ARGN)
      _tessera_instantiate(${target} ${template} ${name}_${TESSERA_BACKEND}.cpp)
    endif()
  endforeach()
endfunction()

function(_tessera_instantiate target template file)
  string(REGEX REPLACE "[^A-Za-z0-9_.]+" "" file "${file}")  # a variant may be a C++ type
  configure_file(${template} ${CMAKE_CURRENT_BINARY_DIR}/instances/${file} @ONLY)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/instances/${file})
endfunction()

# tessera_add_app(NAME gbees SOURCES main.cpp MODELS gbees ...): the executable bin/tessera-<NAME>. A build for a level of x86-64 installs it in
# a folder of the level, and what chooses the level in its place (apps/launcher), so that several builds can be installed below one prefix.
function(tessera_add_app)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;MODELS")
  set(target tessera-${arg_NAME})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE tessera::core)
  foreach(model IN LISTS arg_MODELS)
    target_link_libraries(${target} PRIVATE tessera::${model})
  endforeach()
  tessera_compile_options(${target})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  if(TESSERA_LEVEL)
    install(TARGETS ${target} RUNTIME DESTINATION ${TESSERA_LEVELS_DIR}/${TESSERA_LEVEL} COMPONENT programs)
    install(PROGRAMS $<TARGET_FILE:tessera_launcher> DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME ${target} COMPONENT programs)
    add_dependencies(${target} tessera_launcher)
  else()
    install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
  endif()
endfunction()
