/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary.h - what a trace holds: the numbers behind `hsim trace info` and `validate`.
 *
 * Reads the records as they stand in the file and the jobs as the rules make them. Memory grows
 * with the number of different users and sizes, with the jobs that wait or run at once in the
 * trace's own schedule, and, if job numbers are checked, with the jobs. */
#ifndef HSIM_WORKLOAD_SUMMARY_H
#define HSIM_WORKLOAD_SUMMARY_H

#include "workload/demand_mix.h"
#include "workload/recorded.h"
#include "workload/source.h"

/* A histogram of non-negative whole numbers: exact below 2048, then 1024 steps per doubling, so
 * that a quantile is at most 0.1 % too small. */
#define SUMMARY_STEPS   1024
#define SUMMARY_BUCKETS (54 * SUMMARY_STEPS)

struct summary_histogram {
    int64_t count;
    int64_t minimum, maximum; /* exact */
    hs_int128 sum;
    int64_t buckets[SUMMARY_BUCKETS];
};

void summary_histogram_add(struct summary_histogram *histogram, int64_t value);
/* The smallest value with at least `share` (0..1) of all values at or below it; -1: no values. */
int64_t summary_histogram_quantile(const struct summary_histogram *histogram, double share);

/* A set of numbers that counts how often each occurs. */
struct summary_set_slot {
    int64_t number;
    int64_t count; /* 0: free */
    int64_t line;  /* of the first occurrence */
};
struct summary_set {
    struct summary_set_slot *slots;
    size_t capacity, count;
};
void summary_set_fini(struct summary_set *set);
/* The slot of the number, counted once more; NULL: no memory. */
struct summary_set_slot *summary_set_add(struct summary_set *set, int64_t number, int64_t line);
/* All slots in use, ascending by number, in `sorted` (caller frees); false: no memory. */
bool summary_set_sorted(const struct summary_set *set, struct summary_set_slot **sorted);

#define SUMMARY_STATUS_COUNT (WORKLOAD_STATUS_NODE_FAIL + 2)

struct workload_summary {
    const struct workload_format *format;
    struct workload_stats stats;
    struct workload_extent extent;        /* of the jobs; offered load for machine_procs */
    int64_t missing[SWF_FIELD_COUNT];     /* records in which the field is missing */
    int64_t status[SUMMARY_STATUS_COUNT]; /* records by status: [0] missing or other, [s + 1] for
                                             0 .. 5, then timeout and node failure */
    struct summary_histogram run_s;       /* jobs: run times, cut to seconds */
    struct summary_histogram request_s;   /* jobs: requests, cut to seconds */
    struct summary_histogram procs;       /* jobs */
    struct summary_histogram gap_s;       /* jobs: between submits */
    struct summary_histogram devices;     /* jobs with devices: how many, rounded up */
    struct summary_histogram wait_s;      /* jobs with a recorded start: their waits */
    struct recorded recorded;             /* the trace's own schedule */
    int64_t serial_jobs, power2_jobs;     /* of 1 processor; of 2, 4, 8, ... */
    struct summary_set users, groups, queues; /* of the jobs, missing ones left out */
    struct demand_mix mix;                    /* of the jobs; sorted */
    struct workload_tally duplicate_ids;      /* only if asked for */
    struct workload_names *names; /* of users, groups, queues, if they have any; owned */
    char *header;                 /* of the file */
    bool is_broken;               /* the file ended with an error; see below */
    struct hs_error broken;       /* for a survey: all above is of the part before */
};

/* Reads the file of `options` (not generated, transforms are not applied). `has_id_check`: finds
 * job numbers that occur twice. With options->is_survey an error while reading sets is_broken
 * and is no failure. The caller allocates nothing: *summary is destroyed by _destroy. */
enum hs_err workload_summary_create(const struct workload_options *options, bool has_id_check,
                                    struct workload_summary **summary,
                                    struct hs_error *error) HS_MUST_USE;
void workload_summary_destroy(struct workload_summary *summary);

#endif
