/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stop.h - signals that ask the program to end in order. */
#ifndef HSIM_CLI_STOP_H
#define HSIM_CLI_STOP_H

#include <signal.h>
#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP (a closed terminal) are counted and do not end the
 * program; calls that wait end with EINTR. What the caller ignores (nohup) stays so. A program that
 * does its work itself also gets SIGXCPU (a limit of a batch system), and the second signal of a
 * kind ends it. One whose children work decides itself, and so do limits of the children. */
void cli_stop_catch(bool has_children);

/* How many there were: 0, 1, or 2 for more. */
const volatile sig_atomic_t *cli_stop_count(void);

#endif
