/* SPDX-License-Identifier: MIT */
/* speed.h - jobs that run at different speeds on different nodes, as far as the scheduler knows.
 *
 * The nodes are parted into speed classes: on all nodes of one class every job runs equally fast.
 * The host predicts, from what a real scheduler may know, how long a job takes if all its tasks run
 * on nodes of one class. A gang runs as its slowest task does: where an allocation touches several
 * classes, the longest of their predictions counts.
 *
 * With speeds hs_job.walltime_ns is the longest prediction over the classes that can take the job,
 * so that a rule that tests `now + walltime <= shadow` errs on the safe side only. What the core
 * expects of a job that holds resources (hs_job.expected_end_ns) follows its own nodes. Without
 * speeds all nodes are alike and the walltime is the prediction. */
#ifndef HS_SPEED_H
#define HS_SPEED_H

#include "hs/job.h"

struct hs_view;

/* What the host knows; borrowed by hs_sched_options. Append-only. */
struct hs_speeds {
    uint32_t class_count;          /* >= 1 */
    const uint32_t *class_of_node; /* by node index: < class_count */
    /* Predicted time in nanoseconds of the whole job, from its start, if all its tasks run on nodes
     * of `speed_class`: > 0; HS_TIME_NEVER: it cannot run there, or nothing is known. The job is
     * live; while it holds resources its `alloc` is set (and says which alternative was taken).
     * Must depend on the job, the class and what the host has learned before this event alone. */
    hs_time (*predict)(const void *context, const struct hs_job *job, uint32_t speed_class);
    const void *context; /* handed to predict */
};

/* Number of speed classes; 1 without speeds. */
uint32_t hs_view_speed_class_count(const struct hs_view *view);

/* The speed class of a node; 0 without speeds. */
uint32_t hs_view_speed_class(const struct hs_view *view, uint32_t node);

/* hs_speeds.predict of a live job, at most its walltime; of a job that was preempted what is left
 * of it (hs_job.done), with the time of the restart. Without speeds its walltime. HS_TIME_NEVER: it
 * cannot run on nodes of this class. Cost: one call of the host. */
hs_time hs_view_predict(const struct hs_view *view, const struct hs_job *job, uint32_t speed_class);

#endif
