/* SPDX-License-Identifier: GPL-3.0-or-later */
/* allot.h - which share of the time each job should spend on each type of worker.
 *
 * The linear programs of Gavel (Narayanan et al., Heterogeneity-Aware Cluster Scheduling Policies
 * for Deep Learning Workloads, OSDI 2020, sections 3.1 and 4). With T[i,w] the steps a second of
 * job i on workers of type w, s[i] its scale factor (workers at once) and C[w] the number of
 * workers, shares X[i,w] >= 0 keep
 *     sum over w of X[i,w] <= 1 for each job,  sum over i of s[i] X[i,w] <= C[w] for each type.
 * A job with more workers than there are of a type may still have a share of them: s[i] workers for
 * an s[i]-th of the time stand for one, as in the paper.
 *
 * Several shares can have the best value. Which one is found depends on the problem alone: not on
 * what was solved before, nor on the order of the jobs, and equal jobs get equal shares. */
#ifndef HSIM_ALLOT_H
#define HSIM_ALLOT_H

#include "hs/base.h"

/* What is best. The optimum is
 * - max-min fairness: the greatest possible minimum over i of s[i] sum_w T[i,w] X[i,w] / (u[i]
 *   p[i]), where p[i] = sum_w T[i,w] C[w] / sum_w C[w] is the throughput of equal shares and u[i]
 *   the weight;
 * - makespan: the least possible maximum over i of steps[i] / sum_w T[i,w] X[i,w], in seconds;
 * - total throughput: the greatest possible sum of T[i,w] X[i,w], in steps a second. */
enum allot_goal { ALLOT_MAX_MIN, ALLOT_MAKESPAN, ALLOT_TOTAL };
#define ALLOT_GOAL_COUNT 3

/* "max-min-fairness", "makespan", "total-throughput". */
const char *allot_goal_name(enum allot_goal goal);
/* "s", "steps/s", or "" where the optimum has no unit. */
const char *allot_goal_unit(enum allot_goal goal);

#define ALLOT_CELLS_MAX ((size_t)2000000) /* jobs x types */

/* Numbers of a problem, other than 0, lie between these, so that no product of three leaves the
 * range of a double. */
#define ALLOT_NUMBER_MIN 1e-30
#define ALLOT_NUMBER_MAX 1e30

/* All arrays are borrowed, and only read. */
struct allot_problem {
    size_t job_count;
    size_t type_count;
    const double *steps_per_s;    /* T, [job * type_count + type], >= 0; 0: does not fit */
    const double *workers;        /* C, of each type, >= 0, not all 0 */
    const double *scale_factors;  /* s, > 0; NULL: 1 each */
    const double *steps;          /* that each job has still to do, > 0; for the makespan only */
    const double *weights;        /* u, > 0; for max-min fairness only; NULL: 1 each */
    const char *const *job_names; /* for messages; NULL: jobs are called by their numbers from 0 */
};

/* Memory that is used again from one problem to the next. One thread at a time. */
struct allot;
struct allot *allot_create(void);        /* NULL: no memory */
void allot_destroy(struct allot *allot); /* takes NULL */

/* Solves the problem: `shares` becomes X, [job * type_count + type], which keeps all constraints
 * but for the last bits, and *optimum what these shares yield. HS_ERR_CONFIG: no job, no worker, a
 * number out of its range, or a job that fits on no worker that is there; the job is named.
 * HS_ERR_SYSTEM: memory, or the solver gave up. 300 different jobs on 3 types cost about 10 ms.
 * GLPK ends the process where it gets no memory. */
enum hs_err allot_solve(struct allot *allot, enum allot_goal goal,
                        const struct allot_problem *problem, double *shares, double *optimum,
                        struct hs_error *error) HS_MUST_USE;

/* What shares yield, by the formulas above; the makespan is INFINITY if a job gets nothing. The
 * problem must be one that allot_solve takes. */
double allot_value(enum allot_goal goal, const struct allot_problem *problem, const double *shares);

#endif
