# The standard library's headers take most of the time that a small file compiles, so the compiler reads them once.
#
# A compiler takes a precompiled header only for files that are compiled with the same options, so there is one for each way
# in which our own code is compiled; GCC's -Winvalid-pch, which CMake asks for, with -Werror, and Clang's own check show it to
# whoever adds another way. It contains only standard headers and GoogleTest's, which see nothing that we define. The presets
# without it (tsan, fuzz) and clang-tidy find a file that forgets one of them.
option(FLOWTAP_PRECOMPILED "Read the standard library's headers once (GCC, Clang)" OFF)
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang)$")
  set(FLOWTAP_PRECOMPILED OFF)
endif()
# Compilers run in the build folder only under Ninja, and there Clang looks for the header.
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND NOT CMAKE_GENERATOR STREQUAL Ninja)
  set(FLOWTAP_PRECOMPILED OFF)
endif()
# Clang writes into a precompiled header where its source is, and CMake names that source by its whole path. So for Clang we
# make it ourselves, of a source that every system has in the same place, and two clones share their compilations.
set(FLOWTAP_CLANG_HEADERS NO)
if(FLOWTAP_PRECOMPILED AND CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  set(FLOWTAP_CLANG_HEADERS YES)
endif()

set(flowtap_precompiled_headers
    <algorithm> <array> <atomic> <cerrno> <charconv> <chrono> <cstddef> <cstdint> <cstdlib> <cstring> <filesystem> <fstream>
    <functional> <map> <memory> <mutex> <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <thread>
    <unordered_map> <utility> <variant> <vector>)

# flowtap_precompiled_kind(NAME CODE [OPTIONS...] [LIBS...] [HEADERS...]): one way to compile. CODE is -fPIC for code
# that goes into libraries, and -fPIE for programs.
function(flowtap_precompiled_kind name code)
  cmake_parse_arguments(ARG "" "" "OPTIONS;LIBS;HEADERS" ${ARGN})
  if(NOT FLOWTAP_PRECOMPILED)
    return()
  endif()
  set(headers ${flowtap_precompiled_headers} ${ARG_HEADERS})
  if(FLOWTAP_CLANG_HEADERS)
    set(source /usr/include/features.h) # one of libc that includes next to nothing
    set_source_files_properties("${source}" PROPERTIES LANGUAGE CXX)
  else()
    set(source "${PROJECT_BINARY_DIR}/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "")
  endif()
  add_library(${name} OBJECT "${source}")
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE ${code} ${ARG_OPTIONS})
  target_link_libraries(${name} PRIVATE flowtap_flags ${ARG_LIBS})
  if(NOT FLOWTAP_CLANG_HEADERS)
    target_precompile_headers(${name} PRIVATE ${headers})
    return()
  endif()
  list(TRANSFORM headers REPLACE "[<>]" "")
  list(TRANSFORM headers PREPEND "SHELL:-include ")
  target_compile_options(${name} PRIVATE -xc++-header -fpch-instantiate-templates ${headers})
  # A target waits for another one's files, but not for its objects.
  set(header "${PROJECT_BINARY_DIR}/${name}.pch")
  add_custom_command(OUTPUT "${header}" DEPENDS $<TARGET_OBJECTS:${name}> VERBATIM
                     COMMAND "${CMAKE_COMMAND}" -E copy_if_different $<TARGET_OBJECTS:${name}> "${header}")
  add_custom_target(${name}_pch DEPENDS "${header}")
endfunction()

# flowtap_precompiled(TARGET KIND): compile it with the header of that kind.
function(flowtap_precompiled target kind)
  if(FLOWTAP_CLANG_HEADERS)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include-pch ${kind}.pch>")
    add_dependencies(${target} ${kind}_pch)
  elseif(FLOWTAP_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${kind})
  endif()
endfunction()
