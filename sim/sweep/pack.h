/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pack.h - runs of a sweep into tasks of a batch system.
 *
 * A task costs a batch system the same whether it lasts a second or an hour, so that many short
 * runs share one. They keep the order of the sweep: neighbours have most of their inputs in
 * common. */
#ifndef HSIM_SWEEP_PACK_H
#define HSIM_SWEEP_PACK_H

#include <stddef.h>

/* Cuts `count` (> 0) runs, which take `wall_s` each, into as few tasks as can be of at most
 * `target_s` (> 0), and of these into ones whose longest is as short as can be. A run of the target
 * or more, or of unknown time (NaN), is a task of its own. Task t has the runs first[t] to
 * first[t + 1] - 1; `first` has room for count + 1. Returns the number of tasks. */
size_t sweep_pack(const double *wall_s, size_t count, double target_s, size_t *first);

#endif
