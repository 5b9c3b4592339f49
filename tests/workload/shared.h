/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shared.h - where the traces lie that are not part of the project. */
#ifndef HSIM_TESTS_WORKLOAD_SHARED_H
#define HSIM_TESTS_WORKLOAD_SHARED_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Path of a trace, in the folder of the environment variable HSIM_SHARED or the one beside the
 * sources. False, with a message, if it is not there: the test is skipped. */
static inline bool shared_trace(const char *name, char *path, size_t capacity)
{
    const char *folder = getenv("HSIM_SHARED");

    snprintf(path, capacity, "%s/data/swf/%s", folder ? folder : SHARED_DEFAULT, name);
    if (access(path, R_OK)) {
        printf("\n  skipped: %s is not there (set HSIM_SHARED)\n", path);
        return false;
    }
    return true;
}

#endif
