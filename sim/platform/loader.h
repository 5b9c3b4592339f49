/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loader.h - runs the module hsim-simgrid.so in a forked child and gathers what it says.
 *
 * The child may crash, abort, exit or run for ever: it has limits of processor time and memory,
 * dies with its parent, and nothing of it touches the caller. */
#ifndef HSIM_PLATFORM_LOADER_H
#define HSIM_PLATFORM_LOADER_H

#include "hs/base.h"

#define LOADER_MESSAGE_MAX 4096
#define LOADER_CPU_S       120
#define LOADER_MEMORY_GIB  8

struct loader_output {
    char *frames; /* what the module wrote, see simgrid_module.h; owned */
    size_t frames_length;
    char message[LOADER_MESSAGE_MAX]; /* the start of what the child printed; zero-terminated */
    int status;                       /* of waitpid */
};

/* Finds the module, forks, and waits. HS_OK says only that a child ran: look at `status`.
 * HS_ERR_SYSTEM: no module, no process, no memory. Fini in every case. */
enum hs_err loader_run(const char *path, struct loader_output *output,
                       struct hs_error *error) HS_MUST_USE;
void loader_fini(struct loader_output *output);

/* Exit codes of the child, chosen where no library is likely to end a process. */
#define LOADER_EXIT_MODULE 81 /* the module cannot be opened; why is in the message */
#define LOADER_EXIT_WRITE  82 /* memory short, or the pipe is closed */
#define LOADER_EXIT_SETUP  83 /* the child could not arrange its descriptors */

#endif
