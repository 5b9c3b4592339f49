/* SPDX-License-Identifier: GPL-3.0-or-later */
/* locate.h - files that come with hsim, found from where the running program lies. */
#ifndef HSIM_PLATFORM_LOCATE_H
#define HSIM_PLATFORM_LOCATE_H

#include <stdbool.h>

#include "hs/base.h"

/* Writes "FOLDER/PLACE" + "FILE" for the first place (each empty or with a final slash, NULL at
 * the end) in which the file can be read. `folder` becomes that of the program, for messages.
 * Both hold PATH_MAX bytes. False: in none. */
bool locate_beside(const char *const *places, const char *file, char *folder, char *path);

/* Where a file lies that is installed in share/hsim: the path that the environment variable holds,
 * if it is set, else beside the program, or in ../share/hsim or ../bin from there. `noun` is what
 * messages call it; `path` holds PATH_MAX bytes. HS_ERR_SYSTEM, HS_ERR_CONFIG. */
enum hs_err locate_shipped(const char *noun, const char *file, const char *variable, char *path,
                           struct hs_error *error) HS_MUST_USE;

/* Writes "FOLDER/FILE"; false if it is too long or cannot be read. */
bool locate_in(const char *folder, const char *below, const char *file, char *path);

#endif
