# Makes an OBJECT library obj_<folder> of each folder under src/ that holds C files.
include_guard()
set(INGOT_OBJECT_TARGETS "")

function(ingot_object_target target)
  target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/src" "${CMAKE_SOURCE_DIR}/include")
  target_link_libraries(${target} PRIVATE ingot_flags Threads::Threads)
endfunction()

function(ingot_folders)
  foreach(folder IN LISTS ARGN)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${folder}/*.c")
    if(sources)
      add_library(obj_${folder} OBJECT ${sources})
      ingot_object_target(obj_${folder})
      list(APPEND INGOT_OBJECT_TARGETS obj_${folder})
    endif()
  endforeach()
  set(INGOT_OBJECT_TARGETS "${INGOT_OBJECT_TARGETS}" PARENT_SCOPE)
endfunction()

# ingot_variant(folder file suffix flags...): compiles one file of a folder once more, for another instruction set.
macro(ingot_variant folder file suffix)
  add_library(obj_${folder}_${suffix} OBJECT "${CMAKE_SOURCE_DIR}/src/${folder}/${file}")
  ingot_object_target(obj_${folder}_${suffix})
  target_compile_definitions(obj_${folder}_${suffix} PRIVATE INGOT_LANES_SUFFIX=${suffix})
  target_compile_options(obj_${folder}_${suffix} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O3> ${ARGN})
  list(APPEND INGOT_OBJECT_TARGETS obj_${folder}_${suffix})
endmacro()
