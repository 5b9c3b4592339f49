/* SPDX-License-Identifier: GPL-3.0-or-later */
/* case.h - one random case: a cluster, jobs, and what happens to both.
 *
 * All of it follows from the seed. About half of the cases are plain (tasks of one core), the
 * others have memory, devices and constraints. */
#ifndef HSIM_CONFORM_CASE_H
#define HSIM_CONFORM_CASE_H

#include "conform/conform.h"
#include "hs/cluster.h"
#include "hs/demand.h"

#define CASE_NODES_MAX        16
#define CASE_CHANGES_MAX      (8 + CASE_NODES_MAX)
#define CASE_DEMANDS_MAX      6
#define CASE_ALTERNATIVES_MAX 2
#define CASE_CLASSES_MAX      3

struct case_job {
    hs_time submit_ns;
    hs_time run_ns;     /* on the fastest class of nodes */
    hs_time request_ns; /* HS_TIME_NEVER: none */
    hs_time cancel_ns;  /* HS_TIME_NEVER: not cancelled */
    double priority;
    int32_t user, group, queue, job_class;
    struct hs_demand demand; /* its alternatives lie in the case */
};

struct case_change {
    hs_time time_ns;
    uint32_t node;
    bool is_available;
};

struct conform_case {
    uint64_t seed;
    struct hs_cluster *cluster; /* owned */
    uint32_t job_count;
    struct case_job jobs[CONFORM_JOBS_MAX]; /* ascending by submission; the index is the id */
    uint32_t change_count;
    struct case_change changes[CASE_CHANGES_MAX]; /* ascending; at the end all nodes are there */
    uint32_t fail_percent;                        /* of first starts that fail */
    hs_time delay_ns;                             /* from a decision to its confirmation */
    hs_time restart_ns;                           /* that a restart after a preemption takes */
    uint32_t class_count; /* speed classes of nodes; 0: all nodes are alike */
    uint32_t class_of_node[CASE_NODES_MAX];
    uint32_t permille[CASE_CLASSES_MAX]; /* of the times of a job, 1000 and more */
    uint32_t demand_count;               /* that jobs draw from, with devices */
    struct hs_demand demands[CASE_DEMANDS_MAX];
    struct hs_demand alternatives[CASE_DEMANDS_MAX][CASE_ALTERNATIVES_MAX];
};

/* Draws the case; `jobs` > 0 keeps only the first so many. The case must not move in memory.
 * HS_ERR_SYSTEM: no memory. */
enum hs_err case_draw(struct conform_case *model, uint64_t seed, uint32_t jobs,
                      struct hs_error *error) HS_MUST_USE;
void case_fini(struct conform_case *model);

/* Does the first start of the job fail? */
bool case_start_fails(const struct conform_case *model, uint32_t job);

/* A time of a job that holds `alloc`: longer on slow nodes; NEVER stays so. */
hs_time case_scaled(const struct conform_case *model, hs_time time, const struct hs_alloc *alloc);
hs_time case_at(const struct conform_case *model, hs_time time, uint32_t speed_class);

#endif
