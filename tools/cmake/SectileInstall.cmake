# `cmake --install`: headers, the two libraries, and the package that find_package(sectile) reads.
include(CMakePackageConfigHelpers)

set_target_properties(sectile PROPERTIES INSTALL_RPATH "$ORIGIN")
set_target_properties(sectile-compiler PROPERTIES INSTALL_RPATH "${SECTILE_LLVM_PREFIX}/lib")
install(TARGETS sectile sectile_headers EXPORT sectile LIBRARY DESTINATION lib)
install(TARGETS sectile-compiler LIBRARY DESTINATION lib)
install(TARGETS sectile-opt RUNTIME DESTINATION bin)
set_target_properties(sectile-opt PROPERTIES INSTALL_RPATH "$ORIGIN/../lib;${SECTILE_LLVM_PREFIX}/lib")
install(DIRECTORY dsl/include/ runtime/include/ DESTINATION include)
install(EXPORT sectile NAMESPACE sectile:: FILE sectileConfig.cmake DESTINATION lib/cmake/sectile)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sectileConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sectileConfigVersion.cmake DESTINATION lib/cmake/sectile)
