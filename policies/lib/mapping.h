/* SPDX-License-Identifier: MIT */
/* mapping.h - static mapping of independent tasks to machines that differ: who runs what, in which
 * order, when only the expected times to compute are known (ETC).
 *
 * The matrix may be one of classes: tasks of one row take the same times, machines of one column
 * are alike and differ in their ready times alone. Each step then costs rows and columns instead of
 * tasks and machines, and the decisions are those of the matrix written out, to the last tie.
 *
 * Sources: Braun et al., JPDC 61(6), 2001, section 3 (OLB to Duplex); Maheswaran et al., JPDC
 * 59(2), 1999, section 3 (the same on-line, Sufferage). */
#ifndef HP_MAPPING_H
#define HP_MAPPING_H

#include "hs/base.h"

#define HP_MAPPING_NONE UINT32_MAX /* the machine of a task that can run nowhere */

/* Slots of a pool that are ready at the same time. */
struct hp_slots {
    double ready_s; /* >= 0, finite */
    uint32_t count;
};

/* What a pool has to do before any of the tasks: `width` slots for `time_s`. */
struct hp_booking {
    double time_s; /* >= 0, finite */
    uint32_t column;
    uint32_t width; /* > 0, at most the slots of the pool */
};

/* Machines may also be pools of equal slots, for tasks that take several slots of one pool at once
 * (a gang, several devices). Such a task takes the slots that are ready first, starts when the last
 * of them is ready, and all of them are then busy until it ends. So the tasks of one pool start in
 * the order in which they were mapped to it. A pool of one slot is a machine. Then machines are
 * columns, and `ready_s` and `column_of_machine` are NULL. */
struct hp_pools {
    const struct hp_slots *slots;      /* pool by pool, in each by ascending ready time */
    const uint32_t *slots_begin;       /* by column, and the end: into slots */
    const uint32_t *widths;            /* [row * columns + column] > 0 where the time is finite;
                                          more than the pool has: it cannot run; NULL: 1 */
    const struct hp_booking *bookings; /* in order; NULL: none */
    uint32_t booking_count;
    double patience; /* of the heuristic `match` */
};

/* All arrays are borrowed for the call.
 *
 * Urgency is the aging factor of Maheswaran 1999 (section 3): min-min chooses by completion /
 * urgency, max-min by completion x urgency, the sufferages by sufferage x urgency. The other
 * heuristics do not look at it. Tasks of one row must not become more urgent with their numbers. */
struct hp_mapping_problem {
    uint32_t task_count, machine_count; /* > 0 */
    uint32_t row_count, column_count;   /* of the matrix; 0: one a task, one a machine */
    const double *times_s;       /* [row * columns + column] >= 0; INFINITY: cannot run there */
    const uint32_t *row_of_task; /* by task, < row_count; NULL: row k is task k */
    const uint32_t *column_of_machine; /* by machine, < column_count; NULL: column k is machine k */
    const double *ready_s;             /* by machine, >= 0, finite; NULL: all are ready at 0 */
    const double *urgency;             /* by task, >= 1; NULL: all 1 */
    const struct hp_pools *pools;      /* machines are pools of slots; NULL: they are not */
};

/* What a heuristic has decided. The arrays belong to the mapper and hold until its next use. */
struct hp_mapping {
    const uint32_t *machine_of_task; /* by task; or HP_MAPPING_NONE */
    const uint32_t *order;      /* the tasks that got a machine, as they got it and run on it */
    const double *completion_s; /* by task; INFINITY for one without a machine */
    const double *ready_s;      /* by machine, behind its last task */
    uint32_t mapped_count;      /* entries of order */
    double makespan_s;          /* the last completion of a task; 0 without tasks mapped */
    double flowtime_s;          /* sum of completions of the mapped tasks, in order of tasks */
    uint64_t cell_count;        /* work: entries of the matrix that were looked at */
};

/* The memory of the heuristics. It grows with the largest problem and is used again, so that a
 * mapping of a size seen before allocates nothing. */
struct hp_mapper;

struct hp_mapper *hp_mapper_create(void); /* NULL: no memory */
void hp_mapper_destroy(struct hp_mapper *mapper);

/* A way to map. Ties go to the lowest task, then the lowest machine; comparisons are strict. */
struct hp_heuristic {
    const char *name;
    const char *summary; /* one line */
    void (*map)(struct hp_mapper *mapper);
};

extern const struct hp_heuristic hp_heuristics[];
extern const size_t hp_heuristic_count;

/* Two more for pools alone, each task in turn.
 * match: the fastest pool, if the wait for it is at most `patience` times the time on it; else the
 *   next fastest, and so on; if none is near enough, the pool that completes the task first.
 * Equally fast ones: that which completes it first. The waiting is that of delay scheduling
 * (Zaharia et al., EuroSys 2010), in units of the task's own time. With 0 it is the
 * fastest of those that are ready, else mct; with infinity met (Maheswaran 1999, section 3.1, has
 * k-percent best between the two). balance: the pool that has the least work per slot with the
 * task, work being slots x time until they are ready (the greedy assignment of Aspnes et al., JACM
 * 44(3), 1997, section 3). */
extern const struct hp_heuristic hp_heuristic_match, hp_heuristic_balance;

/* By its name, or NULL. */
const struct hp_heuristic *hp_heuristic_find(const char *name);

/* Maps the tasks. HS_ERR_SYSTEM: no memory. Times that are negative or NaN are a bug of the caller
 * (the mapping is then without meaning, but in bounds). A task whose completion would exceed the
 * range of double has no machine.
 *
 * Cost for n tasks in r rows and c columns: olb, met, mct n c; min-min, max-min and the sufferages
 * r c at first and then, in each step, r and the rows whose best column was just used (times c);
 * min-standard-deviation n r c. Where columns are machines, c < r and r c < 10^6, tasks take one
 * slot and none is more urgent, min-min sorts its columns, r c log r, and then takes n c. A column
 * of k machines adds log k to each step, as does a pool whose slots are ready at k different times;
 * where a task may take more than one slot it adds up to k, also to each entry that is looked at.
 */
enum hs_err hp_mapper_map(struct hp_mapper *mapper, const struct hp_heuristic *heuristic,
                          const struct hp_mapping_problem *problem, struct hp_mapping *mapping,
                          struct hs_error *error) HS_MUST_USE;

#endif
