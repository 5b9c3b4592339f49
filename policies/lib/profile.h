/* SPDX-License-Identifier: MIT */
/* profile.h - what will be free, from now on.
 *
 * The profile of conservative backfilling: running jobs and reservations hold resources until their
 * expected ends; a new job gets the earliest start at which it fits for its whole walltime. While
 * the live jobs can be counted it is a list of steps, each a number of free units; otherwise a
 * reservation is on concrete nodes and devices (lib/timeline.h).
 *
 * Source: Mu'alem and Feitelson, IEEE TPDS 12(6), 2001, section 2.2 ("profile"). */
#ifndef HP_PROFILE_H
#define HP_PROFILE_H

#include "lib/timeline.h"

struct hp_step {
    hs_time from_ns; /* until the next step; the last one lasts for ever */
    int64_t units;
};

/* Zero it before first use. */
struct hp_profile {
    struct hp_step *steps; /* counted */
    uint32_t count;
    uint32_t room;
    bool is_counted;
    struct hp_timeline timeline; /* placed */
};

/* The running jobs of the view and nothing else. A job beyond its expected end is assumed to end
 * right after now. False: no memory. */
bool hp_profile_begin(struct hp_profile *profile, const struct hs_view *view, bool is_counted);

/* Forgets what lies before now. */
void hp_profile_advance(struct hp_profile *profile, hs_time now);

/* The earliest start >= now at which `job` fits for its walltime; HS_TIME_NEVER: none. If placed,
 * profile->timeline.found.alloc is where. Cost: steps; placed: hp_timeline_earliest. False: no
 * memory. */
bool hp_profile_earliest(struct hp_profile *profile, const struct hs_view *view,
                         const struct hs_job *job, hs_time *earliest) HS_MUST_USE;

/* For hs_view_scan_begin with a counted profile as context: how long `units` stay free from the
 * first step on; -1 if they are not free there. Cost: steps. */
hs_time hp_profile_limit(const void *profile, int64_t units, const struct hs_demand *demand);

/* Takes what the waiting `job` will hold (on `alloc` if placed) over [from, to). False: no memory;
 * nothing has changed. */
bool hp_profile_hold(struct hp_profile *profile, const struct hs_job *job,
                     const struct hs_alloc *alloc, hs_time from, hs_time to);

/* Gives back `units` that the job, waiting or running, holds in the profile over [from, to). If
 * placed: its reservation, if it has one; running jobs hold what they hold by themselves. */
bool hp_profile_release(struct hp_profile *profile, const struct hs_job *job, int64_t units,
                        hs_time from, hs_time to);

/* The job has been started at the time that was reserved. */
void hp_profile_started(struct hp_profile *profile, const struct hs_job *job);

void hp_profile_fini(struct hp_profile *profile);

#endif
