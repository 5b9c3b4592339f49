# SPDX-License-Identifier: GPL-3.0-or-later
# Options and helper functions of the build.
option(HSIM_TESTS "build the tests" ON)
option(HSIM_WERROR "warnings are errors" OFF)
set(HSIM_SANITIZE "" CACHE STRING "sanitizers, for instance address,undefined")
option(HSIM_COVERAGE "instrument for coverage" OFF)
option(HSIM_LTO "link-time optimisation" OFF)
option(HSIM_FAULTS "test with calls of the system that fail" ON)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "build type" FORCE)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

# -ffp-contract=off: keys of orders must not change with the compiler's taste for fused
# multiply-add; results are equal to the byte between gcc and clang.
add_compile_options(-ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wmissing-prototypes -Wstrict-prototypes -Wvla -Wcast-qual -Wformat=2)
add_compile_definitions(_GNU_SOURCE)
if(HSIM_WERROR)
    add_compile_options(-Werror)
endif()
if(HSIM_SANITIZE)
    add_compile_options(-fsanitize=${HSIM_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${HSIM_SANITIZE})
endif()
if(HSIM_COVERAGE)
    add_compile_options(--coverage)
    add_link_options(--coverage)
endif()
if(HSIM_LTO)
    set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        add_link_options(-flto=auto) # on all cores, without a note that it could
        # For those that link the machine code as it is (hsim_link_as_is).
        add_compile_options(-ffat-lto-objects)
    endif()
endif()

find_package(PkgConfig REQUIRED)

# Folders that are not there yet are passed over.
function(hsim_folder name)
    if(EXISTS ${CMAKE_SOURCE_DIR}/${name}/CMakeLists.txt)
        add_subdirectory(${name})
    endif()
endfunction()

# A static library of one folder; its headers are included as "folder/name.h".
function(hsim_library name)
    add_library(${name} STATIC ${ARGN})
    target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/sim)
endfunction()

# A program of the tests: with link-time optimisation each would optimise all of hsim once more.
function(hsim_link_as_is name)
    set_target_properties(${name} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
    if(HSIM_LTO AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        target_link_options(${name} PRIVATE -fno-lto)
    endif()
endfunction()

# A CUnit test program that becomes one ctest.
function(hsim_unit_test name source)
    pkg_check_modules(CUNIT REQUIRED IMPORTED_TARGET cunit)
    add_executable(${name} ${source})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support)
    target_link_libraries(${name} PRIVATE ${ARGN} PkgConfig::CUNIT)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    hsim_link_as_is(${name})
    add_test(NAME ${name} COMMAND ${name})
endfunction()
