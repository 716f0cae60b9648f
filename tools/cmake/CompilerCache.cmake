# Uses a compiler cache (ccache) where the machine has one: what was compiled here before, in this clone or in another,
# is not compiled again. The cache is the user's own (ccache --show-config says where), outside the tree.
#
# Two clones share an entry because the paths below the source folder are made relative, in what ccache compares (CCACHE_BASEDIR)
# and in what the compiler writes into debug information (-ffile-prefix-map). Precompiled headers need the two kinds of sloppiness:
# https://ccache.dev/manual/4.7.5.html#_precompiled_headers
option(FLOWTAP_COMPILER_CACHE "Use ccache where it is installed" ON)
find_program(CCACHE NAMES ccache)
if(FLOWTAP_COMPILER_CACHE AND CCACHE)
  set(FLOWTAP_CACHED /usr/bin/env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${FLOWTAP_CACHED}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${FLOWTAP_CACHED}")
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
  # For GCC and ccache: a file that uses a precompiled header can be compared only if the preprocessor tells which one
  # it is.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  # Clang would write into a precompiled header when the headers that it was made of were changed.
  add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
