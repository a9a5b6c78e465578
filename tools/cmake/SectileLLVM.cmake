# Finds LLVM and MLIR. The version is pinned here and nowhere else.

set(SECTILE_LLVM_VERSION 22)
find_program(SECTILE_LLVM_CONFIG NAMES llvm-config-${SECTILE_LLVM_VERSION} REQUIRED)
execute_process(COMMAND ${SECTILE_LLVM_CONFIG} --prefix OUTPUT_VARIABLE SECTILE_LLVM_PREFIX
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(MLIR ${SECTILE_LLVM_VERSION}.1 REQUIRED CONFIG HINTS ${SECTILE_LLVM_PREFIX}/lib/cmake/mlir)
set(MLIR_TABLEGEN_EXE ${LLVM_TOOLS_BINARY_DIR}/mlir-tblgen)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)

add_library(sectile_llvm INTERFACE)
target_include_directories(sectile_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(sectile_llvm_definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(sectile_llvm INTERFACE ${sectile_llvm_definitions} $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>
                       -Wno-unused-parameter)
target_link_libraries(sectile_llvm INTERFACE MLIR LLVM)

# sectile_tablegen(<output> <input> <mlir-tblgen arguments...>): appends the generated file to SECTILE_TABLEGEN_OUTPUTS.
function(sectile_tablegen output input)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${output})
  file(GLOB deps CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.td)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN} -I ${CMAKE_CURRENT_SOURCE_DIR} -I ${LLVM_INCLUDE_DIR} -I ${SECTILE_LLVM_PREFIX}/include
            ${CMAKE_CURRENT_SOURCE_DIR}/${input} -o ${out} --write-if-changed
    DEPENDS ${deps} COMMENT "Generating ${output}" VERBATIM)
  set(SECTILE_TABLEGEN_OUTPUTS ${SECTILE_TABLEGEN_OUTPUTS} ${out} PARENT_SCOPE)
endfunction()

# In-process lld. Its exported CMake targets name LLVM's static libraries, which must not be mixed with libLLVM.so: link the two archives alone.
find_path(SECTILE_LLD_INCLUDE lld/Common/Driver.h PATHS ${SECTILE_LLVM_PREFIX}/include NO_DEFAULT_PATH REQUIRED)
add_library(sectile_lld INTERFACE)
target_include_directories(sectile_lld SYSTEM INTERFACE ${SECTILE_LLD_INCLUDE})
target_link_libraries(sectile_lld INTERFACE ${SECTILE_LLVM_PREFIX}/lib/liblldELF.a ${SECTILE_LLVM_PREFIX}/lib/liblldCommon.a z zstd)
