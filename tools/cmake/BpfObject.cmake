# bpf_object(NAME [AS TARGET] [SOURCE FILE] [INCLUDES FOLDER...] [DEPENDS FILE...]):
# Turns NAME.bpf.c here, or FILE, into an object with BTF and without DWARF, and that into a skeleton NAME.skel.h, in
# target NAME_skel or TARGET_skel. FOLDERs are searched before the project's own.
#
# The compiler writes the list of what it read (headers and .def rows alike), so a change in any of them rebuilds the
# object. Building needs no BTF of the building machine: there is no vmlinux.h.
find_program(BPF_CLANG NAMES clang-19 clang REQUIRED)
find_program(BPF_STRIP NAMES llvm-strip-19 llvm-strip REQUIRED)
# /usr/sbin is not in everybody's path.
find_program(BPFTOOL NAMES bpftool HINTS /usr/sbin REQUIRED)

# The names that libbpf's headers use for the architectures.
string(REPLACE "x86_64" "x86" BPF_ARCH "${CMAKE_SYSTEM_PROCESSOR}")
string(REPLACE "aarch64" "arm64" BPF_ARCH "${BPF_ARCH}")

# Debian keeps <asm/types.h> in the architecture's own folder, where clang does not look for the target bpf.
set(BPF_FLAGS -g -O2 -target bpf -mcpu=v3 -Wall -Wextra -Werror -Wno-unused-parameter
    -D__TARGET_ARCH_${BPF_ARCH} -idirafter /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}
    "-I${PROJECT_SOURCE_DIR}" "-I${PROJECT_SOURCE_DIR}/stats")

function(bpf_object name)
  cmake_parse_arguments(ARG "" "AS;SOURCE" "INCLUDES;DEPENDS" ${ARGN})
  set(source "${CMAKE_CURRENT_SOURCE_DIR}/${name}.bpf.c")
  if(ARG_SOURCE)
    set(source "${ARG_SOURCE}")
  endif()
  set(target ${name})
  if(ARG_AS)
    set(target ${ARG_AS})
  endif()
  list(TRANSFORM ARG_INCLUDES PREPEND -I)
  set(raw "${CMAKE_CURRENT_BINARY_DIR}/${name}.dwarf.o")
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${name}.bpf.o")
  set(skeleton "${CMAKE_CURRENT_BINARY_DIR}/include/${name}.skel.h")
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/include")
  add_custom_command(
    OUTPUT "${object}"
    COMMAND ${FLOWTAP_CACHED} ${BPF_CLANG} ${ARG_INCLUDES} ${BPF_FLAGS} -MD -MF "${raw}.d" -MT "${object}" -c "${source}" -o "${raw}"
    COMMAND ${BPF_STRIP} -g -o "${object}" "${raw}"
    DEPENDS "${source}" ${ARG_DEPENDS} DEPFILE "${raw}.d" COMMENT "BPF ${name}" VERBATIM)
  add_custom_command(
    OUTPUT "${skeleton}"
    # clang-tidy checks included files, too, and we cannot mend what bpftool generates.
    COMMAND ${CMAKE_COMMAND} -E echo "// NOLINTBEGIN" > "${skeleton}"
    COMMAND ${BPFTOOL} gen skeleton "${object}" name ${name}_bpf >> "${skeleton}"
    COMMAND ${CMAKE_COMMAND} -E echo "// NOLINTEND" >> "${skeleton}"
    # bpftool 7.5 fills in a member that libbpf has only from 1.5 on; we attach nothing through the skeleton.
    COMMAND sed -i "/map->link = /d" "${skeleton}"
    DEPENDS "${object}" COMMENT "skeleton ${name}" VERBATIM)
  add_custom_target(${target}_skel_h DEPENDS "${skeleton}")
  add_library(${target}_skel INTERFACE)
  add_dependencies(${target}_skel ${target}_skel_h)
  # SYSTEM: our warnings do not apply to what bpftool generates.
  target_include_directories(${target}_skel SYSTEM INTERFACE "${CMAKE_CURRENT_BINARY_DIR}/include")
  target_link_libraries(${target}_skel INTERFACE PkgConfig::LIBBPF)
  set_property(GLOBAL APPEND PROPERTY FLOWTAP_BPF_OBJECTS "${object}")
endfunction()
