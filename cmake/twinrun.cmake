# SPDX-License-Identifier: MIT
# The build rules that every module shares.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")
set(CMAKE_CXX_FLAGS_DEBUG "-g1 -D_GLIBCXX_ASSERTIONS")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# Empty, "address,undefined" or "thread"; set by the presets asan and tsan.
set(TWINRUN_SANITIZE "" CACHE STRING "sanitizers of this build")
set(TWINRUN_TEST_PREFIX "")
if(TWINRUN_SANITIZE MATCHES "address")
  set(TWINRUN_TEST_PREFIX "asan.")
elseif(TWINRUN_SANITIZE MATCHES "thread")
  set(TWINRUN_TEST_PREFIX "tsan.")
endif()

# The recorder contains Valgrind's core, so it belongs to this version of it.
file(STRINGS /usr/include/valgrind/config.h line REGEX "^#define VERSION ")
string(REGEX REPLACE ".*\"(.*)\"" "\\1" TWINRUN_VALGRIND_VERSION "${line}")

add_library(twinrun_flags INTERFACE)
target_include_directories(twinrun_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})
target_compile_options(twinrun_flags INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Wundef
  # Designated initializers leave the rest to the defaults on purpose.
  -Wno-missing-field-initializers
  # False positives of g++ 12 in inlined std::string code (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # std::stable_sort of libstdc++ 12 uses what libstdc++ 12 declares deprecated; strong ids have one
  # member and need no second pair of braces; files that are compiled together shadow each other's names.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations> $<$<CXX_COMPILER_ID:Clang>:-Wno-missing-braces>
  $<$<CXX_COMPILER_ID:Clang>:-Wno-shadow>
)
if(TWINRUN_SANITIZE)
  target_compile_options(twinrun_flags INTERFACE
    -fsanitize=${TWINRUN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Sanitizer instrumentation hides from g++ what it would need to know for these two.
  target_compile_options(twinrun_flags INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
  if(TWINRUN_SANITIZE MATCHES "thread")
    # Neither does it see how long a literal is that becomes a std::string.
    target_compile_options(twinrun_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
                           $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>)
  endif()
  # A fifth of the time of g++ went into an analysis that sanitized code gains nothing from.
  target_compile_options(twinrun_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fno-tree-pta>)
  target_link_options(twinrun_flags INTERFACE -fsanitize=${TWINRUN_SANITIZE})
endif()

# twinrun_subdirectories(DIR...): adds those directories that have a CMakeLists.txt.
function(twinrun_subdirectories)
  foreach(dir IN LISTS ARGN)
    if(EXISTS ${CMAKE_SOURCE_DIR}/${dir}/CMakeLists.txt)
      add_subdirectory(${CMAKE_SOURCE_DIR}/${dir} ${CMAKE_BINARY_DIR}/${dir})
    endif()
  endforeach()
endfunction()

# twinrun_test(NAME n LABELS l... COMMAND c... [COST seconds]): one CTest test with the prefix of this
# build. Exit status 77 means skipped. The cache of modules is below the build, not the user's. COST is
# about what it takes when that is long: CTest starts those first, so that no core idles at the end.
function(twinrun_test)
  cmake_parse_arguments(arg "SERIAL" "NAME;TIMEOUT;COST" "LABELS;COMMAND;ENVIRONMENT" ${ARGN})
  set(name ${TWINRUN_TEST_PREFIX}${arg_NAME})
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  set_tests_properties(${name} PROPERTIES
    LABELS "${arg_LABELS}" SKIP_RETURN_CODE 77 TIMEOUT ${arg_TIMEOUT}
    ENVIRONMENT "XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/test/cache;${arg_ENVIRONMENT}")
  if(arg_COST)
    set_tests_properties(${name} PROPERTIES COST ${arg_COST})
  endif()
  if(arg_SERIAL)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# Headers that nearly every file includes are parsed once for all modules, and once for all tests.
# They are a matter of build time only: each file still includes what it uses.
set(twinrun_common_headers <fmt/format.h> <algorithm> <expected> <functional> <map> <memory>
    <optional> <span> <string> <vector>)

function(twinrun_precompile target headers)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)
    return()
  endif()
  if(headers)
    target_precompile_headers(${target} PRIVATE ${twinrun_common_headers} ${headers})
    return()
  endif()
  if(NOT TARGET twinrun_pch)
    file(WRITE ${CMAKE_BINARY_DIR}/generated/empty.cc "")
    add_library(twinrun_pch OBJECT ${CMAKE_BINARY_DIR}/generated/empty.cc)
    target_link_libraries(twinrun_pch PRIVATE twinrun_flags fmt::fmt)
    target_precompile_headers(twinrun_pch PRIVATE ${twinrun_common_headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM twinrun_pch)
endfunction()

function(twinrun_precompile_test target)
  if(NOT TARGET twinrun_test_pch)
    file(WRITE ${CMAKE_BINARY_DIR}/generated/empty_test.cc "")
    add_library(twinrun_test_pch OBJECT ${CMAKE_BINARY_DIR}/generated/empty_test.cc)
    target_link_libraries(twinrun_test_pch PRIVATE twinrun_flags fmt::fmt GTest::gtest GTest::gmock
                          rapidcheck)
    target_compile_options(twinrun_test_pch PRIVATE -O0)
    target_precompile_headers(twinrun_test_pch PRIVATE ${twinrun_common_headers} <gtest/gtest.h>
                              <gmock/gmock.h> <rapidcheck.h> <rapidcheck/gtest.h>)
  endif()
  target_precompile_headers(${target} REUSE_FROM twinrun_test_pch)
endfunction()

# Set by the presets that CI builds from nothing: files of a module, which include and instantiate much
# the same, are compiled several at a time. Without it each file is compiled by itself, which is faster
# when few files change.
option(TWINRUN_UNITY "compile several files of a module at a time" OFF)
if(TWINRUN_UNITY)
  # So much is compiled at a time that g++ would collect garbage again and again: not before 512 MB.
  target_compile_options(twinrun_flags INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=524288>)
endif()

# Compiles so many files of each directory at a time, and each of `alone` by itself. Files of different
# directories never meet: a new file in one room does not move those of another.
function(twinrun_unity target files size alone)
  if(NOT TWINRUN_UNITY)
    return()
  endif()
  # clang-tidy, which looks at these batches too, need not wonder about their includes.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
    UNITY_BUILD_CODE_BEFORE_INCLUDE "// NOLINTNEXTLINE(bugprone-suspicious-include)")
  foreach(file IN LISTS files)
    if(file IN_LIST alone)
      continue()
    endif()
    get_filename_component(dir ${file} DIRECTORY)
    # clang's analyzer follows paths in included files only where the name of what includes them has this word.
    string(MAKE_C_IDENTIFIER "UnifiedSource_${dir}" group)
    math(EXPR ${group} "${${group}} + 1")
    math(EXPR number "(${${group}} - 1) / ${size}")
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${group}_${number})
  endforeach()
endfunction()

# twinrun_test_program(NAME FILE LIB...): a program in build/<preset>/test that tests run.
function(twinrun_test_program name file)
  add_executable(${name} ${file})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test)
  target_link_libraries(${name} PRIVATE ${ARGN})
  twinrun_precompile(${name} "")
endfunction()

# The one main function of unit tests.
function(twinrun_test_main)
  if(NOT TARGET twinrun_test_main)
    add_library(twinrun_test_main OBJECT ${CMAKE_SOURCE_DIR}/test/unit/main.cc)
    target_link_libraries(twinrun_test_main PRIVATE twinrun_flags fmt::fmt GTest::gtest GTest::gmock)
  endif()
endfunction()

# twinrun_module(NAME n [SOURCES f...] [DEPS module...] [LIBS target...] [TESTS f_test.cc...]
#                [TEST_LIBS target...] [HEAVY header...] [UNITY n] [ALONE f...] [THREADS] [COLD])
#
# The library twinrun_<n> of the sources in the current directory. DEPS are modules of ours and
# must be allowed by the table in ARCHITECTURE.md (checked by lint.layering); LIBS are third-party.
# HEAVY names a library's headers that many files of the module include: they are parsed once.
# UNITY: with TWINRUN_UNITY compile so many files of a directory at a time (12); ALONE: these files,
# whose names for what is their own are those of another file, by themselves.
# The test files become one program, <n>_test, so that they are linked once and can be compiled together;
# each of them is one CTest test "<n>.<f>" with the label unit. THREADS: the module starts threads, or
# what it uses does, so that its tests are worth running with ThreadSanitizer. COLD: no time is spent in
# its code, so none is spent on optimizing it; it needs HEAVY, a precompiled header that fits its flags.
function(twinrun_module)
  cmake_parse_arguments(arg "THREADS;COLD" "NAME;UNITY" "SOURCES;DEPS;LIBS;TESTS;TEST_LIBS;HEAVY;ALONE" ${ARGN})
  set(target twinrun_${arg_NAME})
  if(NOT arg_UNITY)
    set(arg_UNITY 12)
  endif()
  list(TRANSFORM arg_DEPS PREPEND twinrun_)
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    target_link_libraries(${target} PUBLIC twinrun_flags ${arg_DEPS} ${arg_LIBS})
    twinrun_unity(${target} "${arg_SOURCES}" ${arg_UNITY} "${arg_ALONE}")
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE twinrun_flags ${arg_DEPS} ${arg_LIBS})
  endif()
  if(arg_COLD AND TWINRUN_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  elseif(arg_COLD)
    target_compile_options(${target} PRIVATE -O1)
  endif()
  twinrun_precompile(${target} "${arg_HEAVY}")
  if(NOT arg_TESTS OR (TWINRUN_SANITIZE STREQUAL "thread" AND NOT arg_THREADS))
    return()
  endif()
  set(test ${arg_NAME}_test)
  twinrun_test_main()
  add_executable(${test} ${arg_TESTS} $<TARGET_OBJECTS:twinrun_test_main>)
  set_target_properties(${test} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test)
  target_link_libraries(${test} PRIVATE ${target} ${arg_TEST_LIBS} GTest::gtest GTest::gmock rapidcheck)
  # A test's own code need not be fast, but it takes long to optimize.
  target_compile_options(${test} PRIVATE -O0)
  twinrun_precompile_test(${test})
  twinrun_unity(${test} "${arg_TESTS}" 8 "${arg_ALONE}")
  foreach(file IN LISTS arg_TESTS)
    string(REGEX REPLACE "_test\\.cc$" "" name ${file})
    string(REPLACE "/" "_" name ${name})
    twinrun_test(NAME ${arg_NAME}.${name} LABELS unit COMMAND ${test} --file=${arg_NAME}/${file})
  endforeach()
endfunction()
