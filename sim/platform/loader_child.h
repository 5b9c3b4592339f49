/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loader_child.h - what the loader's child does between fork and its end. */
#ifndef HSIM_PLATFORM_LOADER_CHILD_H
#define HSIM_PLATFORM_LOADER_CHILD_H

#include <sys/types.h>

/* Limits itself, sends stdout and stderr to `message_fd` and the module's frames to `data_fd`,
 * runs the module on the file `path`, and ends. `parent` is the process that forked. */
_Noreturn void loader_child(const char *module, const char *path, pid_t parent, int data_fd,
                            int message_fd);

#endif
