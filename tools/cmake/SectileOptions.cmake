# Build-wide settings. Flags are attached to targets through sectile_options, never directory-wide.

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(SECTILE_SANITIZE "" CACHE STRING "Sanitizers to build with: empty, address,undefined or thread")

find_program(SECTILE_CCACHE ccache)
if(SECTILE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${SECTILE_CCACHE})
endif()

add_library(sectile_options INTERFACE)
target_compile_options(sectile_options INTERFACE -Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++-12 takes sizes it cannot bound in std::string and std::vector for negative ones (GCC bug 105651).
  target_compile_options(sectile_options INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
endif()
if(SECTILE_SANITIZE)
  target_compile_options(sectile_options INTERFACE -fsanitize=${SECTILE_SANITIZE} -fno-omit-frame-pointer -g)
  target_link_options(sectile_options INTERFACE -fsanitize=${SECTILE_SANITIZE})
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_link_options(sectile_options INTERFACE -fuse-ld=lld)
  # A precompiled header is found by content, so that ccache can serve objects built with it.
  target_compile_options(sectile_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>)
endif()
