/* SPDX-License-Identifier: GPL-3.0-or-later */
/* history.h - the past of a job that was preempted: its attempts, and what is left of its work. */
#ifndef HSIM_RUN_HISTORY_H
#define HSIM_RUN_HISTORY_H

#include "result/result.h"

struct history {
    struct result_attempt *attempts; /* in order; their allocations by history_attempts */
    size_t attempt_count, attempt_room;
    struct hs_span *spans; /* of all attempts, one behind the other */
    size_t span_count, span_room;
    struct hs_device_share *devices; /* likewise */
    size_t device_count, device_room;
    hs_time whole_ns;  /* run time of the whole job on the last allocation; HS_TIME_NEVER: none */
    hs_time left_ns;   /* of that */
    hs_time useful_ns; /* run time so far, without what restarts took */
    hs_int128 energy;  /* charged, microwatt x nanosecond */
};

/* Of a job that has not run yet; NULL: no memory. */
struct history *history_create(void);
void history_destroy(struct history *history); /* takes NULL */

/* What is left to run on an allocation on which the whole job takes `whole_ns`: the same share of
 * it as on the last one, rounded up. */
hs_time history_left(const struct history *history, hs_time whole_ns);

/* The job was preempted at `end_ns` after it had held `alloc` (copied), on which all of it takes
 * `whole_ns`, since `start_ns`; its restart took `restart_ns` (or would have) before any work was
 * done. False: no memory. */
bool history_add(struct history *history, hs_time start_ns, hs_time end_ns, hs_time restart_ns,
                 hs_time whole_ns, const struct hs_alloc *alloc);

/* All attempts, valid until the next change. */
const struct result_attempt *history_attempts(struct history *history);

#endif
