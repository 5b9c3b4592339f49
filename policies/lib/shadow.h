/* SPDX-License-Identifier: MIT */
/* shadow.h - the one reservation of EASY backfilling: when and where the blocked head will start.
 *
 * Running jobs are assumed to end at max(expected end, now). The shadow time is the first such end
 * at which the head fits. While the live jobs can be counted (hs_view_is_counted), counting is
 * exact: `extra` units are left beside the head at the shadow time. Otherwise, or when asked for,
 * the head gets concrete nodes at the shadow time, and whoever runs past it must fit beside them.
 *
 * Source: Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995; Mu'alem and Feitelson,
 * "Utilization, predictability, workloads, and user runtime estimates in scheduling the IBM SP2
 * with backfilling", IEEE TPDS 12(6), 2001, section 2. */
#ifndef HP_SHADOW_H
#define HP_SHADOW_H

#include "hs/policy.h"

/* Zero it before first use; hp_shadow_fini frees what it has grown. */
struct hp_shadow {
    const struct hs_view *view;
    hs_time time_ns; /* HS_TIME_NEVER: the head waits for a job without a known end */
    int64_t extra;   /* counted: units for jobs that run past the shadow time */
    hs_time now_ns;  /* of this pass */
    uint64_t head;   /* its sequence number */
    bool is_counted;
    bool is_kept;          /* placed: valid while nothing ends and nobody else starts */
    struct hs_free *later; /* placed: free at the shadow time beside the head */
    struct hs_free *both;  /* placed: free now and then */
    struct hs_alloc_buffer buffer;
};

/* Computes the reservation of `head`, which does not fit now. is_placed: concrete nodes even where
 * counting would do. False: no memory. Cost: running jobs until the head fits (placed: their
 * nodes); nothing if the last one is still valid. */
bool hp_shadow_find(struct hp_shadow *shadow, const struct hs_view *view, const struct hs_job *head,
                    bool is_placed);

/* The reservation is not valid any more: somebody else has started. */
void hp_shadow_forget(struct hp_shadow *shadow);

/* For the rule's notify: forgets the reservation if the event can have changed it. */
void hp_shadow_notify(struct hp_shadow *shadow, const struct hs_event *event);

/* For hs_view_scan_begin with a shadow as context: who may start beside the head. */
hs_time hp_shadow_limit(const void *shadow, int64_t units, const struct hs_demand *demand);
hs_time hp_shadow_limit_noextra(const void *shadow, int64_t units, const struct hs_demand *demand);

/* Starts `job` if that does not delay the head: it ends by the shadow time, or, with is_extra, fits
 * beside the head. False: it does not start. */
bool hp_shadow_start(struct hp_shadow *shadow, const struct hs_view *view, struct hs_plan *plan,
                     const struct hs_job *job, bool is_extra);

void hp_shadow_fini(struct hp_shadow *shadow);

#endif
