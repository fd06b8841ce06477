# SPDX-License-Identifier: BSD-3-Clause
# The program, its jobs, and the libraries with exported targets strata::<module> for find_package(strata).
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY STRATA_MODULES)
foreach(module IN LISTS modules)
  install(TARGETS strata_${module} EXPORT strata_targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/strata_modules/${module})
endforeach()
install(TARGETS strata_warnings strata_hardened strata_hdf5 EXPORT strata_targets)
install(TARGETS strata RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY jobs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/strata/jobs USE_SOURCE_PERMISSIONS)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/strata)
install(EXPORT strata_targets NAMESPACE strata:: DESTINATION ${package_directory})
configure_package_config_file(cmake/strataConfig.cmake.in strataConfig.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(strataConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/strataConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/strataConfigVersion.cmake"
  cmake/StrataPackages.cmake DESTINATION ${package_directory})
