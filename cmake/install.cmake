# The files of `make install`, and the three ways in which a user's project finds them. The installed tree can be moved,
# and requires only the standard library: hwloc and Boost are private to libskua.so. A static library needs them again where
# a program is linked.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(libraries skua)
if(NOT SKUA_IS_STATIC)
  list(APPEND libraries skua_simulator)
endif()
install(TARGETS ${libraries} EXPORT skuaTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(SKUA_BUILD_CLI)
  install(TARGETS skua_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set(echarts ${PROJECT_SOURCE_DIR}/third_party/echarts)  # is part of the tool
  install(FILES ${echarts}/LICENSE ${echarts}/LICENSE-d3 ${echarts}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR}/echarts)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/skua)
install(EXPORT skuaTargets NAMESPACE skua:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/skuaConfig.cmake.in ${PROJECT_BINARY_DIR}/skuaConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/skuaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/skuaConfig.cmake ${PROJECT_BINARY_DIR}/skuaConfigVersion.cmake
  DESTINATION ${package_dir})

if(SKUA_IS_STATIC)
  set(SKUA_PC_REQUIRES hwloc)
  set(SKUA_PC_LIBS "-lboost_context -pthread -Wl,-z,nodelete")
endif()
file(RELATIVE_PATH SKUA_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/skua.pc.in ${PROJECT_BINARY_DIR}/skua.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/skua.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
