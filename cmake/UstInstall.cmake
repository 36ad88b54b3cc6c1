# SPDX-License-Identifier: MIT
# Installs the headers, and what find_package(ust) and pkg-config need.
include(CMakePackageConfigHelpers)

set(UST_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ust)

# In the repository detail/abi.h is a link to the file that the kernel is built
# from; an installed copy has to stand on its own.
install(DIRECTORY include/ust DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
	FILES_MATCHING PATTERN "*.h" PATTERN "abi.h" EXCLUDE)
install(FILES kernel-patches/src/include/uapi/linux/ltt.h
	DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ust/detail RENAME abi.h)

# Those of the system calls and of the device; ltt-ctl brings its own.
install(DIRECTORY man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man2 FILES_MATCHING PATTERN "*.2")
install(DIRECTORY man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man4 FILES_MATCHING PATTERN "*.4")

install(TARGETS ust EXPORT ust)
install(EXPORT ust NAMESPACE ust:: FILE ust-targets.cmake DESTINATION ${UST_CMAKE_DIR})
configure_package_config_file(cmake/ust-config.cmake.in
	${CMAKE_CURRENT_BINARY_DIR}/ust-config.cmake INSTALL_DESTINATION ${UST_CMAKE_DIR})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ust-config-version.cmake
	COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
	${CMAKE_CURRENT_BINARY_DIR}/ust-config.cmake
	${CMAKE_CURRENT_BINARY_DIR}/ust-config-version.cmake
	DESTINATION ${UST_CMAKE_DIR})

# The prefix relative to the file, so that an installed tree can be moved.
file(RELATIVE_PATH UST_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" UST_PC_PREFIX "${UST_PC_PREFIX}")
configure_file(cmake/ust.pc.in ust.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ust.pc
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
