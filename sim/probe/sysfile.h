/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sysfile.h - small files of /proc and /sys, below a root that tests move. */
#ifndef HSIM_PROBE_SYSFILE_H
#define HSIM_PROBE_SYSFILE_H

#include "probe/probe.h"

/* Reads the start of the file ROOT + path; its length, or -1 with errno. `text` is terminated. */
long sysfile_read(const char *root, char *text, size_t room, const char *path, ...) HS_PRINTF(4, 5);

/* The same for a file that starts with a number that is not negative, in any base C knows. */
bool sysfile_number(const char *root, int64_t *number, const char *path, ...) HS_PRINTF(3, 4);

#endif
