# What an installed Footfall consists of, and how others find it: find_package(footfall)
# gives footfall::footfall, pkg-config gives footfall.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/footfall DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS footfall EXPORT footfall)
# The program finds a shared library next to it, wherever the tree is moved.
set_target_properties(footfall_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
install(TARGETS footfall_cli)
if(TARGET footfall_mpi)
  install(TARGETS footfall_mpi DESTINATION lib/footfall)
endif()
install(FILES docs/man/footfall.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES cli/completions/footfall.bash RENAME footfall
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES cli/completions/_footfall DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES cli/completions/footfall.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/footfall)
install(EXPORT footfall FILE footfallTargets.cmake NAMESPACE footfall:: DESTINATION ${cmake_dir})
configure_package_config_file(cmake/footfallConfig.cmake.in
  ${PROJECT_BINARY_DIR}/footfallConfig.cmake INSTALL_DESTINATION ${cmake_dir})
# Before 1.0 every minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/footfallConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/footfallConfig.cmake
  ${PROJECT_BINARY_DIR}/footfallConfigVersion.cmake DESTINATION ${cmake_dir})

# A shared library brings what it needs along; whoever links the static one must name it,
# so there `pkg-config --libs` gives everything even without --static.
list(TRANSFORM FOOTFALL_NUMERICS PREPEND "-l" OUTPUT_VARIABLE private_libs)
list(JOIN private_libs " " private_libs)
set(private_libs "${private_libs} -lm -pthread")
set(private_requires "libfyaml hdf5-serial expat qhull_r cminpack zlib")
if(BUILD_SHARED_LIBS)
  set(FOOTFALL_PC_LIBS "Requires.private: ${private_requires}\nLibs: -L\${libdir} -lfootfall\nLibs.private: ${private_libs}")
else()
  set(FOOTFALL_PC_LIBS "Requires: ${private_requires}\nLibs: -L\${libdir} -lfootfall ${private_libs}")
endif()
# The file finds its prefix from where it lies, so that an installed tree can be moved.
file(RELATIVE_PATH FOOTFALL_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" FOOTFALL_PC_UP "${FOOTFALL_PC_UP}")
configure_file(cmake/footfall.pc.in ${PROJECT_BINARY_DIR}/footfall.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/footfall.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
