# SPDX-License-Identifier: GPL-3.0-or-later
# What `cmake --install` puts where, and the Debian package of it.
#
# Nothing that is installed knows its prefix: the program looks beside itself, hsched.pc counts from
# where it lies. So an installed tree can be moved.
include(GNUInstallDirs)

install(TARGETS hsim RUNTIME DESTINATION bin)
install(TARGETS hsched ARCHIVE DESTINATION lib)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/sim/core/hs DESTINATION include FILES_MATCHING PATTERN "*.h")
configure_file(${CMAKE_SOURCE_DIR}/scripts/cmake/hsched.pc.in ${CMAKE_BINARY_DIR}/hsched.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/hsched.pc DESTINATION lib/pkgconfig)

# Experiments name platforms and workloads relative to themselves: the folders keep their places.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/platforms ${CMAKE_SOURCE_DIR}/workloads ${CMAKE_SOURCE_DIR}/experiments
    DESTINATION share/hsim
    PATTERN templates EXCLUDE PATTERN devices.yaml EXCLUDE PATTERN classes.yaml EXCLUDE PATTERN README.md EXCLUDE)
install(FILES ${CMAKE_SOURCE_DIR}/scripts/hsim.py DESTINATION share/hsim/scripts)

# The pages keep their places, too, so that links between them hold.
install(FILES ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/LICENSE.MIT
    DESTINATION share/doc/hsim)
foreach(folder sim policies platforms workloads experiments results)
    install(FILES ${CMAKE_SOURCE_DIR}/${folder}/README.md DESTINATION share/doc/hsim/${folder})
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/scripts/debian/copyright DESTINATION share/doc/hsim)

# Manual pages, packed as Debian has them, and completions, which the program prints when it has been
# built (sim/cli).
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/ DESTINATION share)
install(CODE [[
    set(pages $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/man)
    execute_process(COMMAND gzip -9nf ${pages}/man1/hsim.1 ${pages}/man5/hsim-experiment.5 COMMAND_ERROR_IS_FATAL ANY)
    ]])

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hsim)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "hsim developers <hsim@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator of scheduling on clusters of CPUs, GPUs, FPGAs and NPUs")
set(CPACK_PACKAGE_DESCRIPTION
    "hsim replays a trace of jobs, real or generated, under one or many scheduling\n\
policies, and says exactly when and where each job runs, on which devices, and\n\
what energy that takes. Experiments are a few lines of YAML, results are HDF5.\n\
Policies are written in C; the package holds the headers for them.")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # asks dpkg-shlibdeps what the programs need
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gnuplot-nox, python3-h5py, pkgconf")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/scripts/cmake/HsimPackage.cmake)
include(CPack)
