/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simgrid_module.h - what the loader and the module hsim-simgrid.so agree on.
 *
 * The loader's child opens the module and calls its one function, which writes frames to a pipe:
 * a byte that tells the kind, then numbers in the machine's own byte order and strings. A string
 * is a uint32_t that counts its bytes with the final zero, then these bytes.
 *
 *   'V'  string version of SimGrid
 *   'H'  string name, int64_t cores, uint32_t states, a double of flop/s for each state,
 *        uint32_t properties, two strings for each
 *   'L'  uint32_t line: SimGrid gave up while it read this line (nothing follows)
 *   'E'  uint64_t number of hosts: the end; without it the answer is not whole */
#ifndef HSIM_PLATFORM_SIMGRID_MODULE_H
#define HSIM_PLATFORM_SIMGRID_MODULE_H

#define SIMGRID_MODULE_FILE  "hsim-simgrid.so"
#define SIMGRID_MODULE_ENTRY "hsim_simgrid_describe"

/* The descriptor of the pipe in the child. It is fixed because a handler of SIGABRT writes to it
 * and can be given nothing. */
#define SIMGRID_MODULE_FD 3

#define SIMGRID_FRAME_VERSION 'V'
#define SIMGRID_FRAME_HOST    'H'
#define SIMGRID_FRAME_LINE    'L'
#define SIMGRID_FRAME_END     'E'

/* Loads the platform file and writes its frames. 0, or -1 when memory is short or the pipe is
 * closed. A bad file ends in an abort of the process, with SimGrid's message on stderr. */
typedef int simgrid_describe(const char *path);

int hsim_simgrid_describe(const char *path);

#endif
