# The standard library's headers take most of the time that a small file compiles, so GCC reads them once.
#
# GCC takes a precompiled header only for files that are compiled with the same options, so there is one for each way in
# which our own code is compiled; -Winvalid-pch, which CMake asks for, and -Werror show it to whoever adds another way.
# It contains only standard headers and GoogleTest's, which see nothing that we define. The presets without it (tsan,
# fuzz) and clang-tidy find a file that forgets one of them.
option(FLOWTAP_PRECOMPILED "Read the standard library's headers once (GCC)" OFF)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(FLOWTAP_PRECOMPILED OFF)
endif()

set(flowtap_precompiled_headers
    <algorithm> <array> <atomic> <cerrno> <charconv> <chrono> <cstddef> <cstdint> <cstdlib> <cstring> <filesystem> <fstream>
    <functional> <map> <memory> <mutex> <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <thread>
    <unordered_map> <utility> <variant> <vector>)

# flowtap_precompiled_kind(NAME CODE [OPTIONS...] [LIBS...] [HEADERS...]): one way to compile. CODE is -fPIC for code
# that goes into libraries, and -fPIE for programs.
function(flowtap_precompiled_kind name code)
  cmake_parse_arguments(ARG "" "" "OPTIONS;LIBS;HEADERS" ${ARGN})
  if(FLOWTAP_PRECOMPILED)
    set(source "${PROJECT_BINARY_DIR}/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "")
    add_library(${name} OBJECT "${source}")
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE ${code} ${ARG_OPTIONS})
    target_link_libraries(${name} PRIVATE flowtap_flags ${ARG_LIBS})
    target_precompile_headers(${name} PRIVATE ${flowtap_precompiled_headers} ${ARG_HEADERS})
  endif()
endfunction()

# flowtap_precompiled(TARGET KIND): compile it with the header of that kind.
function(flowtap_precompiled target kind)
  if(FLOWTAP_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${kind})
  endif()
endfunction()
