# The options that all our own targets are compiled with.
option(FLOWTAP_TESTS "Build the tests" ON)
option(FLOWTAP_BENCH "Build tools/bench" OFF)
option(FLOWTAP_FUZZ "Build the fuzzers (needs clang)" OFF)
# A release is built by C++ compilers that we have not seen; what they warn of does not keep it from its users.
set(werror ON)
if(CMAKE_BUILD_TYPE STREQUAL Release)
  set(werror OFF)
endif()
option(FLOWTAP_WERROR "A compiler's warning ends the build" ${werror})
option(FLOWTAP_UNITY "Compile each library of the product as one file" OFF)
set(FLOWTAP_SANITIZE "" CACHE STRING "Sanitizers for everything of ours, e.g. address,undefined")

include(CompilerCache)
include(Precompiled)

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

# -Wconversion: counters are u64 and label counts are not, so a silent narrowing would make a metric wrong.
add_library(flowtap_flags INTERFACE)
target_compile_options(flowtap_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                       -Wnon-virtual-dtor)
if(FLOWTAP_WERROR)
  target_compile_options(flowtap_flags INTERFACE -Werror)
endif()
# GCC 12 sees overlaps in std::string that do not exist (https://gcc.gnu.org/PR105651). With a precompiled header GCC (12 and
# 14 were tried) also sees bounds exceeded, because it no longer takes the place for one in a system header.
target_compile_options(flowtap_flags INTERFACE
                       $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
if(FLOWTAP_PRECOMPILED)
  target_compile_options(
    flowtap_flags
    INTERFACE "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>")
endif()
# Between a sanitizer's checks GCC loses sight of what has been set; what is not set is found by the presets without.
if(FLOWTAP_SANITIZE)
  target_compile_options(flowtap_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
# With FLOWTAP_UNITY, what a library's files include is read once, and what they instantiate is compiled once: a build takes
# 40 % of the time. A name in an unnamed namespace can be used once in a library. The preset dev compiles each file by
# itself: a small change is built quickly, and a forgotten header of ours is seen (one of the standard library by clang-tidy).
if(FLOWTAP_UNITY)
  # To GCC, a unity build's files are included ones; to Clang, a local name shadows what another file has at its top.
  target_compile_options(flowtap_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>
                         $<$<CXX_COMPILER_ID:Clang>:-Wno-shadow>)
endif()
# GCC 12's own headers use what Clang calls deprecated, libbpf's and libseccomp's macros expand to what C++ takes from GNU C
# and C99.
target_compile_options(
  flowtap_flags
  INTERFACE "$<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-warning-option;-Wno-deprecated-declarations;-Wno-gnu-statement-expression;-Wno-missing-designated-field-initializers;-Wno-c99-extensions>")
target_include_directories(flowtap_flags INTERFACE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/userspace")
target_compile_definitions(flowtap_flags INTERFACE FLOWTAP_VERSION="${PROJECT_VERSION}")

# Backtraces and sanitizers' reports have line numbers. If you want to look at variables, configure a build of type
# Debug. In return the compiler is a fifth faster.
add_compile_options($<$<CONFIG:RelWithDebInfo>:-g1>)
if(FLOWTAP_SANITIZE)
  add_compile_options(-g1 -fsanitize=${FLOWTAP_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${FLOWTAP_SANITIZE})
  # GCC tells the code which sanitizer it is under, and Clang does from 21 on.
  foreach(sanitizer address thread)
    string(TOUPPER ${sanitizer} name)
    if(FLOWTAP_SANITIZE MATCHES ${sanitizer} AND CMAKE_CXX_COMPILER_ID STREQUAL Clang)
      add_compile_definitions(__SANITIZE_${name}__=1)
    endif()
  endforeach()
  if(FLOWTAP_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()

# A hundred tests are linked statically with the product, and no cache knows of links: mold needs a fifth to a half of the time. What is
# installed for users is linked by the compiler's own linker.
find_program(MOLD NAMES mold)
if(FLOWTAP_TESTS AND MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# libFuzzer finds its way by the coverage of the code under test, so the libraries are instrumented, too.
if(FLOWTAP_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

flowtap_precompiled_kind(flowtap_precompiled_library -fPIC)

# flowtap_unity(TARGET): with FLOWTAP_UNITY, its sources are compiled as one file.
function(flowtap_unity name)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${FLOWTAP_UNITY} UNITY_BUILD_BATCH_SIZE 0)
endfunction()

# flowtap_cold(TARGET): it does nothing for each event, line or sample. In a release it is compiled with -O1, in a third less
# time than with -O3.
function(flowtap_cold name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# flowtap_library(NAME [COLD] SOURCES... [LIBS...]): a folder's static library. COLD: see flowtap_cold.
function(flowtap_library name)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC flowtap_flags ${ARG_LIBS})
  flowtap_precompiled(${name} flowtap_precompiled_library)
  flowtap_unity(${name})
  if(ARG_COLD)
    flowtap_cold(${name})
  endif()
endfunction()
