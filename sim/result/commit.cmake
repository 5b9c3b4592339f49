# SPDX-License-Identifier: GPL-3.0-or-later
# Writes HEADER with the commit of SOURCE (none: "unknown"), and leaves it alone if nothing changed.
set(commit "unknown")
set(status 1)
if(NOT SOURCE STREQUAL none)
    execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
        OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(status EQUAL 0)
    set(commit ${found})
    execute_process(COMMAND git --no-optional-locks -C ${SOURCE} status --porcelain --untracked-files=no
        OUTPUT_VARIABLE changes ERROR_QUIET RESULT_VARIABLE status)
    if(status EQUAL 0 AND NOT changes STREQUAL "")
        string(APPEND commit "-changed")
    endif()
endif()
set(text "/* Written by the build. */\n#define HSIM_GIT_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS ${HEADER})
    file(READ ${HEADER} old)
endif()
if(NOT old STREQUAL text)
    file(WRITE ${HEADER} "${text}")
endif()
