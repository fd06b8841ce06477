# SPDX-License-Identifier: BSD-3-Clause
# strata_module(NAME [RECURSE] [PREFIX folder] [FOLDER folder] [INTERNAL headers] [PUBLIC targets] [PRIVATE targets]): a
# static library of every .cpp in the current folder, or in its subfolder FOLDER. Its headers are reachable as
# "<PREFIX>/x.hpp" only by those who link it, so a wrong include does not build; PREFIX is the name of the folder unless
# it is given. Each header but the INTERNAL ones is installed, and compiled alone by the target
# all_verify_interface_header_sets.
function(strata_module name)
  cmake_parse_arguments(MODULE "RECURSE" "PREFIX;FOLDER" "INTERNAL;PUBLIC;PRIVATE" ${ARGN})
  set(folder "${CMAKE_CURRENT_SOURCE_DIR}/${MODULE_FOLDER}")
  cmake_path(NORMAL_PATH folder)
  if(NOT MODULE_PREFIX)
    get_filename_component(MODULE_PREFIX "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
  endif()
  set(glob GLOB)
  if(MODULE_RECURSE)
    set(glob GLOB_RECURSE)
  endif()
  file(${glob} sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  set(include_root "${PROJECT_BINARY_DIR}/include_roots/${name}/${MODULE_FOLDER}")
  cmake_path(NORMAL_PATH include_root)
  get_filename_component(parent "${include_root}/${MODULE_PREFIX}" DIRECTORY)
  file(MAKE_DIRECTORY "${parent}")
  file(CREATE_LINK "${folder}" "${include_root}/${MODULE_PREFIX}" SYMBOLIC)
  file(${glob} headers RELATIVE "${folder}" CONFIGURE_DEPENDS "${folder}/*.hpp")
  list(REMOVE_ITEM headers "" ${MODULE_INTERNAL})
  list(TRANSFORM headers PREPEND "${include_root}/${MODULE_PREFIX}/")

  add_library(strata_${name} STATIC ${sources})
  add_library(strata::${name} ALIAS strata_${name})
  set_target_properties(strata_${name} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE CXX
    UNITY_BUILD ${STRATA_UNITY} UNITY_BUILD_BATCH_SIZE 12)
  target_sources(strata_${name} PUBLIC FILE_SET HEADERS BASE_DIRS "${include_root}" FILES ${headers})
  target_compile_features(strata_${name} PUBLIC cxx_std_20)
  # compilers for ARM fuse a * b + c unless told not to, and would give other bits
  target_compile_options(strata_${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
  target_link_libraries(strata_${name} PUBLIC ${MODULE_PUBLIC} PRIVATE strata_warnings ${MODULE_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY STRATA_MODULES ${name})
endfunction()

# strata_application(NAME [PUBLIC targets] [PRIVATE targets]): an application, which sees the core, comm and the kernels.
# Each of its folders job, physics, state and run is a module "NAME/<folder>/x.hpp" that sees those before it; the last
# one has the name of the application. It registers itself for the program, the tests, and the installation.
function(strata_application name)
  cmake_parse_arguments(APPLICATION "" "" "PUBLIC;PRIVATE" ${ARGN})
  get_filename_component(prefix "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
  set(before)
  foreach(folder IN ITEMS job physics state run)
    if(NOT IS_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/${folder}")
      continue()
    endif()
    set(module ${name}_${folder})
    if(folder STREQUAL run)
      set(module ${name})
    endif()
    strata_module(${module} FOLDER ${folder} PREFIX ${prefix}/${folder}
      PUBLIC ${before} ${APPLICATION_PUBLIC} strata_core strata_comm strata_kernels
      PRIVATE ${APPLICATION_PRIVATE} strata_hardened OpenMP::OpenMP_CXX)
    set(before strata_${module})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY STRATA_APPLICATIONS strata_${name})
endfunction()

add_library(strata_warnings INTERFACE)
target_compile_options(strata_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  # g++ 12 sees overlaps and uninitialised bytes in std::string that are not there (GCC bugs 105651, 105562)
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized>
  $<$<BOOL:${STRATA_WERROR}>:-Werror>>)

# Hardening is for the modules that read what others wrote; kernels keep their bare loops.
add_library(strata_hardened INTERFACE)
if(STRATA_HARDENING)
  target_compile_definitions(strata_hardened INTERFACE _GLIBCXX_ASSERTIONS $<$<CONFIG:Release,RelWithDebInfo>:_FORTIFY_SOURCE=2>)
  target_compile_options(strata_hardened INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong>)
endif()

# Unrolled kernels with inlined checks at -O3 take a compiler ten minutes for each file; with a call for every check, tests
# take twice as long. Functions of more than a thousand accesses call. Null pointers and objects that are too small are found
# by the address sanitizer; checked once more by the other one, they cost up to a third of the compiler's time.
set(STRATA_KERNEL_OPTIMISATION -O3)
if(STRATA_SANITIZE)
  set(STRATA_KERNEL_OPTIMISATION -O1 $<$<CXX_COMPILER_ID:GNU>:--param=asan-instrumentation-with-call-threshold=1000>)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null,object-size -fno-sanitize-recover=undefined
    -fno-omit-frame-pointer)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)  # in kernels, too: preconditions that no sanitizer knows
  add_link_options(-fsanitize=address,undefined)
endif()
