/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_case.h - one case of the model test: a machine, jobs, an order and a rule; and its outcome.
 *
 * A case is run twice, by the naive simulator (model_naive.h) and by the core (model_drive.h). All
 * is in plain arrays of fixed size. What the host decides in a case (which starts fail, when they
 * are confirmed) depends on the case's seed, the job's tag and the attempt only, so that it stays
 * the same when other jobs are dropped. */
#ifndef HSIM_TESTS_MODEL_CASE_H
#define HSIM_TESTS_MODEL_CASE_H

#include "hs/cluster.h"
#include "hs/demand.h"

/* Of so many random cases, those that are tried: under AddressSanitizer, which makes them five
 * times as slow, a third. */
#ifdef __SANITIZE_ADDRESS__
#define MODEL_CASES(count) ((count) / 3)
#else
#define MODEL_CASES(count) (count)
#endif

#define MODEL_JOBS_MAX  512
#define MODEL_NODES_MAX 64
#define MODEL_NO_TIME   INT64_MIN

#define MODEL_CHANGES_MAX (32 + MODEL_NODES_MAX)

enum model_order {
    MODEL_FCFS,
    MODEL_LCFS,
    MODEL_SJF,
    MODEL_LJF,
    MODEL_SAF,
    MODEL_LAF,
    MODEL_SMALLEST,
    MODEL_LARGEST,
    MODEL_PRIORITY,
    MODEL_WFP3,
    MODEL_UNICEP,
    MODEL_UNICEF,
    MODEL_EXPANSION,
    MODEL_F1,
    MODEL_F2,
    MODEL_F3,
    MODEL_F4,
    MODEL_ORDER_COUNT,
    MODEL_RANDOM = MODEL_ORDER_COUNT, /* for the core only */
};

enum model_rule {
    MODEL_NONE,
    MODEL_FIRST_FIT,
    MODEL_EASY,
    MODEL_EASY_NOEXTRA,
    MODEL_EASY_HOSTS,
    MODEL_DEPTH,
    MODEL_REBUILT,
    MODEL_CONSERVATIVE,
    MODEL_EASY_SJBF,
    MODEL_RULE_COUNT,
};

struct model_job {
    int64_t id;
    uint64_t tag; /* stays with the job when others are dropped */
    hs_time submit_ns;
    hs_time run_ns;
    hs_time request_ns;
    hs_time cancel_ns; /* HS_TIME_NEVER: not cancelled */
    double priority;
    uint32_t procs; /* n of the orders */
    uint32_t width; /* units of the machine that it takes, for the naive simulator */
    struct hs_demand demand;
};

/* A node leaves or comes back. */
struct model_change {
    hs_time time_ns;
    uint32_t node; /* beyond the last one: nothing happens */
    bool is_available;
};

struct vector_cluster;

struct model_case {
    uint64_t seed;
    enum model_order order;
    enum model_rule rule;
    const char *rule_prefix;  /* "" or that of a wrapped rule, for the core */
    bool is_placed;           /* the core cannot count: reservations are on certain nodes */
    uint32_t depth;           /* k of the rule depth */
    uint32_t fail_permille;   /* starts that fail */
    bool is_confirmed_late;   /* jobs start some time after the decision */
    uint32_t correct_percent; /* jobs whose expected end the host changes while they run */
    hs_time tick_ns;          /* the unit of all times of the case */
    uint32_t node_count;
    uint32_t units[MODEL_NODES_MAX]; /* what the naive simulator counts */
    int64_t cores_milli[MODEL_NODES_MAX];
    int64_t mem_bytes[MODEL_NODES_MAX];
    struct vector_cluster *vector; /* nodes with devices, in place of the above; NULL: none */
    const char *place;             /* placement, local strategy, tie rule; NULL: the default */
    const char *local;
    const char *tie;
    bool has_speeds; /* a job takes `permille` of its times on the slowest of its nodes */
    uint32_t permille[MODEL_NODES_MAX];             /* of the run time and the request, 1 to 1000 */
    struct model_change changes[MODEL_CHANGES_MAX]; /* ascending by time; at the end all are back */
    uint32_t change_count;
    bool is_plain; /* the core walks its queue and keeps nothing */
    uint32_t job_count;
    struct model_job jobs[MODEL_JOBS_MAX]; /* ascending by submit */
};

enum model_fate {
    MODEL_LOST, /* still there when nothing more happens: always wrong */
    MODEL_REFUSED,
    MODEL_DONE,
    MODEL_CANCELLED_WAITING,
    MODEL_CANCELLED_RUNNING,
};

struct model_outcome {
    enum model_fate fate[MODEL_JOBS_MAX];
    uint32_t attempts[MODEL_JOBS_MAX];
    hs_time first_ns[MODEL_JOBS_MAX]; /* of the first and the last attempt, or MODEL_NO_TIME */
    hs_time start_ns[MODEL_JOBS_MAX]; /* as confirmed, if it was */
    hs_time end_ns[MODEL_JOBS_MAX];
    uint32_t tasks[MODEL_JOBS_MAX][MODEL_NODES_MAX]; /* of the last attempt */
    uint64_t given[MODEL_JOBS_MAX]; /* of the last attempt: a hash of it, if there are devices */
    bool is_exclusive;              /* some job held its nodes whole: only which nodes counts */
};

/* Random numbers of the generator. */
struct model_random {
    uint64_t state;
};

uint64_t model_next(struct model_random *random);
uint32_t model_below(struct model_random *random, uint32_t bound);                /* [0, bound) */
uint32_t model_between(struct model_random *random, uint32_t low, uint32_t high); /* inclusive */
bool model_chance(struct model_random *random, uint32_t percent);

const char *model_order_name(enum model_order order);
const char *model_rule_name(enum model_rule rule);

/* How the host treats start number `attempt` (from 1) of a job: does it fail, and how long after
 * the decision does the scheduler learn the answer. The delay is below the request. */
bool model_start_fails(const struct model_case *model, const struct model_job *job,
                       uint32_t attempt);
hs_time model_answer_delay(const struct model_case *model, const struct model_job *job,
                           uint32_t attempt);

/* A time of a job that holds so many tasks on each node: with speeds its part by the slowest node,
 * at least 1 ns of what is above 0. HS_TIME_NEVER stays so. */
hs_time model_scaled(const struct model_case *model, const uint32_t tasks[MODEL_NODES_MAX],
                     hs_time time);
hs_time model_at_speed(hs_time time, uint32_t permille);

/* Gives the nodes random speeds, three to four different ones. */
void model_draw_speeds(struct model_case *model, uint64_t seed);

/* What the host says of a job that runs since `start`: at *time_ns, after `start`, that it will end
 * at *end_ns. Number 0 is the first such correction of the attempt, and they go on while the job
 * runs. False: no more. */
bool model_correction(const struct model_case *model, const struct model_job *job, uint32_t attempt,
                      uint32_t number, hs_time start, hs_time *time_ns, hs_time *end_ns);

/* a + b, where HS_TIME_NEVER is infinity. */
hs_time model_add(hs_time a, hs_time b);

uint32_t model_total_units(const struct model_case *model);

/* Fills a random case of plain jobs (tasks of one core) for `order` and `rule` from `seed`. */
void model_generate(struct model_case *model, enum model_order order, enum model_rule rule,
                    uint64_t seed);

/* Lets nodes leave and come back, often at times at which something else happens. The job that
 * keeps a placed case so is made to outlast them. */
void model_add_changes(struct model_case *model, struct model_random *random);

/* The first job with different outcomes, or -1. */
int model_difference(const struct model_case *model, const struct model_outcome *left,
                     const struct model_outcome *right);

/* Prints the case with both outcomes (`naive` may be NULL) on standard error. */
void model_print(const struct model_case *model, const struct model_outcome *naive,
                 const struct model_outcome *core);

#endif
