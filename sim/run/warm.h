/* SPDX-License-Identifier: GPL-3.0-or-later */
/* warm.h - platforms that are loaded once, before the processes of many runs are made.
 *
 * SimGrid takes 20 ms and more for the smallest file. A parent adds the platform of each run before
 * it forks; the child, in whose memory it then is, takes it out and has it for itself. Inline
 * platforms cost nothing, and are not kept. */
#ifndef HSIM_RUN_WARM_H
#define HSIM_RUN_WARM_H

#include "experiment/experiment.h"

#define RUN_WARM_MAX                                                                               \
    8 /* platforms that are kept; then the one goes that was not used for longest */

struct run_warm;

struct run_warm *run_warm_create(void);       /* NULL: no memory */
void run_warm_destroy(struct run_warm *warm); /* takes NULL */

/* Loads the platform of the experiment unless it is there. If that fails nothing is kept, and the
 * run will meet the error itself. The file must not change as long as it is kept. */
void run_warm_add(struct run_warm *warm, const struct platform_options *options);

/* Gives a platform away. False: it is not there. */
bool run_warm_take(struct run_warm *warm, const struct platform_options *options,
                   struct platform *platform);

#endif
