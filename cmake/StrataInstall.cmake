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
install(TARGETS strata RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(DIRECTORY jobs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/strata/jobs USE_SOURCE_PERMISSIONS COMPONENT program
  PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY python/ DESTINATION ${CMAKE_INSTALL_DATADIR}/strata/python COMPONENT program
  PATTERN "__pycache__" EXCLUDE PATTERN "build" EXCLUDE PATTERN "*.egg-info" EXCLUDE)
# strata scale, which launches the program as the tests do
install(FILES perf/scale.py perf/launches.py DESTINATION ${CMAKE_INSTALL_DATADIR}/strata/perf COMPONENT program)
install(FILES tests/launch.py tests/environment.txt DESTINATION ${CMAKE_INSTALL_DATADIR}/strata/tests COMPONENT program)
install(DIRECTORY "${PROJECT_BINARY_DIR}/manual/man1" DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program OPTIONAL)
install(DIRECTORY "${PROJECT_BINARY_DIR}/manual/completions" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion
  COMPONENT program OPTIONAL)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/strata/docs COMPONENT program
  PATTERN "__pycache__" EXCLUDE PATTERN "*.py" EXCLUDE PATTERN "mkdocs.yml" EXCLUDE PATTERN "paper" EXCLUDE)  # the site needs the whole tree
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/strata COMPONENT program)  # where its links to docs and jobs lead
include(StrataModulefile)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/strata)
install(EXPORT strata_targets NAMESPACE strata:: DESTINATION ${package_directory})
configure_package_config_file(cmake/strataConfig.cmake.in strataConfig.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(strataConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/strataConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/strataConfigVersion.cmake"
  cmake/StrataPackages.cmake DESTINATION ${package_directory})

# cpack -G DEB: the program with its jobs and documents (./setup.sh package). The package depends on the libraries that
# the program links, which dpkg-shlibdeps finds, and on mpirun; Python serves plots alone.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME strata)
set(CPACK_PACKAGE_VENDOR "The Strata developers")
set(CPACK_PACKAGE_CONTACT "The Strata developers <strata@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Swendsen-Wang cluster Monte Carlo, Lanczos exact diagonalization, the Kronecker multiply and
density-matrix renormalization, and Trotter-Suzuki spin dynamics: from one kind of job file, with the same numbers on a
laptop and on a cluster.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS openmpi-bin)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-h5py, python3-matplotlib")
include(CPack)
