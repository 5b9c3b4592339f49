/* SPDX-License-Identifier: GPL-3.0-or-later */
/* availability.h - when the nodes of a cluster leave and come back, from a CSV.
 *
 * Two forms, told apart by the header:
 *   time,nodes,state  each row says of some nodes that they are up or down from then on. `nodes`
 *                     are names, indices or ranges of indices ("n3 7 10-19"), or all.
 *   date,COLUMN,...   each row says how many accelerators there are from that date on, as Helios
 *                     publishes it by day (Hu et al., SC 2021). The left-most nodes stay, as many
 *                     as it takes to have so many; nodes without accelerators always do.
 * A time is a number of seconds or a duration ("90", "1.5h") on the clock of the trace, or a date
 * in UTC ("2020-04-01", "2020-04-01 12:30:00"). Rows ascend by time. A node of which nothing is
 * said is up. */
#ifndef HSIM_PLATFORM_AVAILABILITY_H
#define HSIM_PLATFORM_AVAILABILITY_H

#include "hs/cluster.h"

struct availability_change {
    hs_time time_ns;
    uint32_t node;
    bool is_available; /* it was not before, or the other way round */
};

struct availability {
    struct availability_change *changes; /* ascending by time, then by row and node; owned */
    size_t count;
    bool is_absolute; /* times count from 1970, else on the clock of the trace */
};

/* Reads the file. `column` is the one that counts accelerators in the second form; `total` is the
 * usual name. HS_ERR_INPUT with file and line: an unknown node or state, time that runs back, more
 * accelerators than the cluster has, dates beside numbers. Fills *availability (fini in any case).
 * Cost: rows x the nodes that they name. */
enum hs_err availability_load(const char *path, const char *column,
                              const struct hs_cluster *cluster, struct availability *availability,
                              struct hs_error *error) HS_MUST_USE;
void availability_fini(struct availability *availability); /* takes a zeroed one too */

#endif
