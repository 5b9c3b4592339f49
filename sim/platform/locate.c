/* SPDX-License-Identifier: GPL-3.0-or-later */
/* locate.c - looks beside the program, so that hsim can be moved as a whole. */
#include "platform/locate.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/types.h>
#include <unistd.h>

bool locate_in(const char *folder, const char *below, const char *file, char *path)
{
    int length = snprintf(path, PATH_MAX, "%s/%s%s", folder, below, file);

    return length > 0 && length < PATH_MAX && access(path, R_OK) == 0;
}

/* The path of the running program. Where there is no /proc (a bare root) it is the one by which the
 * program was started. PATH_MAX bytes; "" if it is not to be had. */
static void find_program(char *path)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    const char *started;

    path[length > 0 ? length : 0] = '\0';
    if (length <= 0) {
        started = (const char *)getauxval(AT_EXECFN); /* 0 becomes NULL */
        if (!started || !realpath(started, path)) {
            path[0] = '\0';
        }
    }
}

bool locate_beside(const char *const *places, const char *file, char *folder, char *path)
{
    char *slash;

    find_program(folder);
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

enum hs_err locate_shipped(const char *noun, const char *file, const char *variable, char *path,
                           struct hs_error *error)
{
    /* Installed in ../share/hsim; programs of the tests lie beside the folder bin. */
    static const char *const places[] = {"", "../share/hsim/", "../bin/", NULL};
    const char *chosen = getenv(variable);
    char folder[PATH_MAX];

    if (chosen && *chosen) {
        if (strlen(chosen) < PATH_MAX) {
            memcpy(path, chosen, strlen(chosen) + 1);
            return HS_OK;
        }
    } else if (locate_beside(places, file, folder, path)) {
        return HS_OK;
    } else {
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "The %s %s is neither in %s nor in ../share/hsim from there. Install "
                            "hsim anew, or set %s to the path of the file.",
                            noun, file, folder, variable);
    }
    return hs_error_set(error, HS_ERR_CONFIG,
                        "The environment variable %s holds %zu characters; a path has fewer than "
                        "%d.",
                        variable, strlen(chosen), PATH_MAX);
}
