# libingot.so, libingot.a, the command, and their installation, from the object libraries.
include_guard()
if(NOT INGOT_OBJECT_TARGETS)
  message(STATUS "src/ holds no library folders yet: nothing to build")
  return()
endif()

set(objects "")
foreach(target IN LISTS INGOT_OBJECT_TARGETS)
  list(APPEND objects $<TARGET_OBJECTS:${target}>)
endforeach()

# The shared library: only what INGOT_API marks is visible.
add_library(ingot SHARED ${objects})
set_target_properties(ingot PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE C)
target_link_libraries(ingot PRIVATE Threads::Threads m ${CMAKE_DL_LIBS})
if(NOT INGOT_SANITIZE)
  target_link_options(ingot PRIVATE -Wl,-z,defs -Wl,--gc-sections)
endif()

# The archive holds one relocatable object whose hidden names are made local, so that inner names never clash
# with an embedder's.
set(merged "${CMAKE_BINARY_DIR}/ingot-merged.o")
add_custom_command(OUTPUT "${merged}"
  COMMAND ${CMAKE_LINKER} -r -o "${merged}" ${objects}
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden "${merged}"
  DEPENDS ${objects} ${INGOT_OBJECT_TARGETS} COMMAND_EXPAND_LISTS VERBATIM COMMENT "Merging the archive's object")
add_library(ingot_static STATIC "${merged}")
set_source_files_properties("${merged}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
set_target_properties(ingot_static PROPERTIES OUTPUT_NAME ingot LINKER_LANGUAGE C)
target_link_libraries(ingot_static INTERFACE Threads::Threads m ${CMAKE_DL_LIBS})

# For tests only: every inner name visible, members linked on demand.
add_library(ingot_inner STATIC EXCLUDE_FROM_ALL ${objects})
set_target_properties(ingot_inner PROPERTIES LINKER_LANGUAGE C)
target_include_directories(ingot_inner INTERFACE "${CMAKE_SOURCE_DIR}/src" "${CMAKE_SOURCE_DIR}/include")
target_link_libraries(ingot_inner INTERFACE Threads::Threads m ${CMAKE_DL_LIBS})

foreach(target ingot ingot_static)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

# The command sees the public header alone, and carries the library so that it runs from anywhere. All but its main
# stands in an archive, so that unit tests can link its parts.
file(GLOB cli_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/cli/*.c")
list(REMOVE_ITEM cli_sources "${CMAKE_SOURCE_DIR}/src/cli/main.c")
add_library(ingot_cli STATIC EXCLUDE_FROM_ALL ${cli_sources})
target_include_directories(ingot_cli PUBLIC "${CMAKE_SOURCE_DIR}/src" "${CMAKE_SOURCE_DIR}/include")
target_link_libraries(ingot_cli PRIVATE ingot_flags Threads::Threads)
if(EXISTS "${CMAKE_SOURCE_DIR}/src/api/compile.c" AND EXISTS "${CMAKE_SOURCE_DIR}/src/api/program.c") # else nothing to link yet
  add_executable(ingot_command src/cli/main.c)
  set_target_properties(ingot_command PROPERTIES OUTPUT_NAME ingot)
  target_link_libraries(ingot_command PRIVATE ingot_flags ingot_cli ingot_static)
  install(TARGETS ingot_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# Installation: libraries, headers, the CMake package (find_package(ingot) gives ingot::ingot and ingot::ingot_static),
# pkg-config and the man page.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ingot")
install(TARGETS ingot ingot_static EXPORT ingot
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY "${CMAKE_SOURCE_DIR}/include/" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ingot NAMESPACE ingot:: DESTINATION ${package_dir} FILE ingot-targets.cmake)
configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/ingot-config.cmake.in" ingot-config.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(ingot-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file("${CMAKE_SOURCE_DIR}/cmake/ingot.pc.in" ingot.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/ingot-config.cmake" "${CMAKE_CURRENT_BINARY_DIR}/ingot-config-version.cmake"
  DESTINATION ${package_dir})
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/ingot.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(EXISTS "${CMAKE_SOURCE_DIR}/docs/man/ingot.1")
  install(FILES "${CMAKE_SOURCE_DIR}/docs/man/ingot.1" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
