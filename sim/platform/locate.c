/* SPDX-License-Identifier: GPL-3.0-or-later */
/* locate.c - looks beside the program, so that hsim can be moved as a whole. */
#include "platform/locate.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

bool locate_in(const char *folder, const char *below, const char *file, char *path)
{
    int length = snprintf(path, PATH_MAX, "%s/%s%s", folder, below, file);

    return length > 0 && length < PATH_MAX && access(path, R_OK) == 0;
}

bool locate_beside(const char *const *places, const char *file, char *folder, char *path)
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    char *slash;

    folder[length > 0 ? length : 0] = '\0';
    slash = strrchr(folder, '/');
    if (!slash) {
        return false;
    }
    *slash = '\0';
    for (; *places; places++) {
        if (locate_in(folder, *places, file, path)) {
            return true;
        }
    }
    return false;
}
