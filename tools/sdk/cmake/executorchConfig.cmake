# Defines executorch::executorch: the C and C++ headers, the runtime, all kernels, and the backends.
include(CMakeFindDependencyMacro)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_dependency(Threads)

if(NOT TARGET executorch::executorch)
  get_filename_component(_executorch_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  file(GLOB _executorch_libraries "${_executorch_root}/lib/executorch/*.a")
  file(GLOB _executorch_whole_libraries "${_executorch_root}/lib/executorch/whole/*.a")
  add_library(executorch::executorch INTERFACE IMPORTED)
  # The libraries refer to each other, so the linker searches the group until nothing is missing.
  set_target_properties(executorch::executorch PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${_executorch_root}/include"
    INTERFACE_LINK_LIBRARIES
      "-Wl,--whole-archive;${_executorch_whole_libraries};-Wl,--no-whole-archive;-Wl,--start-group;${_executorch_libraries};-Wl,--end-group;Threads::Threads;m")
  unset(_executorch_whole_libraries)
  unset(_executorch_libraries)
  unset(_executorch_root)
endif()
