/* SPDX-License-Identifier: GPL-3.0-or-later */
/* energy.h - the energy of a cluster, exact, from what each unit draws in each of its states.
 *
 * A unit is a node (its processors and all else that is no device of its own) or a device. Jobs
 * hold a part of it, h of its capacity c (thousandths of cores, 1000 shares), and use the part u.
 * Only a device that is held because its node is exclusive, and not asked for, has h = c, u = 0;
 * otherwise u = h. A unit draws
 *
 *     switched off    off
 *     u = 0           idle
 *     u > 0           context + (busy - context) x load x u / c
 *
 * where `load` is the mean load of what is in use: 1: all that is held works all the time, 0: it is
 * allocated and waits. This is SimGrid's model of hosts, whose "epsilon" is the context.
 *
 * Powers are whole microwatts, rounded once per unit and state; times are whole nanoseconds; so
 * energies are integers (microwatt x nanosecond, 1e-15 J) of 128 bits, and every balance holds to
 * the last digit. A start or an end costs what the job holds, never a walk over the cluster. */
#ifndef HSIM_ENERGY_H
#define HSIM_ENERGY_H

#include "hs/cluster.h"
#include "hs/demand.h"
#include "hs/power.h"

/* What a job is charged for a unit of which it holds h_j; P is the power of the unit, s its part
 * that does not depend on u (context, or idle if u = 0), h what all jobs hold of it. What remains
 * is charged to nobody, and so is the rest of the divisions. */
enum energy_attribution {
    ENERGY_EXCLUSIVE,    /* P x h_j / h: whoever holds a unit alone pays for all of it */
    ENERGY_PROPORTIONAL, /* s x h_j / c + (P - s) x h_j / h: the static power of the rest of the
                          * unit is nobody's, so neighbours do not change what a job pays */
    ENERGY_DYNAMIC,      /* (P - idle) x h_j / h: only what is drawn because of the jobs */
};

/* Where energy goes: the states are the terms of the formula above. */
enum energy_state { ENERGY_OFF, ENERGY_IDLE, ENERGY_CONTEXT, ENERGY_BUSY, ENERGY_STATE_COUNT };

struct energy_options {
    const struct hs_cluster *cluster; /* borrowed */
    const struct hs_power *nodes;     /* by node; read during creation only */
    const struct hs_power *devices;   /* by device; likewise; NULL: there are none */
    double load;                      /* 0 to 1 */
    enum energy_attribution attribution;
    bool has_away; /* energy_set_available will be called */
};

/* In microwatt x nanosecond. total = sum of states = jobs + uncharged = sum over the units. */
struct energy_totals {
    hs_int128 total;
    hs_int128 states[ENERGY_STATE_COUNT];
    hs_int128 jobs;      /* charged to jobs, also those that run still */
    hs_int128 uncharged; /* to nobody */
};

#define ENERGY_PER_JOULE 1e15 /* microwatt x nanosecond */

struct energy;

/* All units are on and idle; nothing is drawn until energy_begin. HS_ERR_INPUT: a power that is no
 * number >= 0, or the cluster would draw more than a terawatt. */
enum hs_err energy_create(const struct energy_options *options, struct energy **energy,
                          struct hs_error *error) HS_MUST_USE;
void energy_destroy(struct energy *energy); /* takes NULL */

/* The window begins. Times never decrease from here on. */
void energy_begin(struct energy *energy, hs_time now);

/* A job begins and ceases to hold what `alloc` says; the same demand and allocation at both. Jobs
 * are named by a token (small, dense, used again later). energy_stop yields what it was charged. */
enum hs_err energy_start(struct energy *energy, hs_time now, uint32_t token,
                         const struct hs_demand *demand, const struct hs_alloc *alloc,
                         struct hs_error *error) HS_MUST_USE;
hs_int128 energy_stop(struct energy *energy, hs_time now, uint32_t token,
                      const struct hs_demand *demand, const struct hs_alloc *alloc);
/* A node and its devices are switched off or on; no job holds them. */
void energy_switch(struct energy *energy, hs_time now, uint32_t node, bool is_off);

/* A node leaves or comes back: while it is away and no job holds a part of it, it and its devices
 * are switched off. A job that is started on it switches it on. */
void energy_set_available(struct energy *energy, hs_time now, uint32_t node, bool is_available);

/* What the cluster draws now, in microwatts. */
int64_t energy_power_uw(const struct energy *energy);

/* Brings all units up to `now`. The totals, and the energies of nodes and devices, are those at the
 * last call. */
void energy_settle(struct energy *energy, hs_time now);
struct energy_totals energy_totals(const struct energy *energy);
hs_int128 energy_of_node(const struct energy *energy, uint32_t node);
hs_int128 energy_of_device(const struct energy *energy, uint32_t device);

#endif
