/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runs.h - many runs, out of files and folders; paired by what they share but the policy.
 *
 * `hsim compare` and the pictures of many runs see them in the same way: what a run was run on is
 * a list of facts, a metric has a value or none, and a run whose backlog grows is marked. */
#ifndef HSIM_COMPARE_RUNS_H
#define HSIM_COMPARE_RUNS_H

#include "result/reader.h"
#include "result/stability.h"
#include "stats/compare.h"
#include "text/arena.h"

#define COMPARE_METRICS_MAX 64

/* A key of the experiment that is no part of the policy, or the digest of an input. */
struct compare_fact {
    const char *key;   /* "workload.load" */
    const char *text;  /* as in the experiment */
    const char *value; /* that by which runs are told apart: of a file its digest */
};

/* One run. It owns nothing: all is in the arena of the set. */
struct compare_run {
    const char *path;  /* of its result; of a run of a sweep it need not be there */
    const char *name;  /* by which people find it: the path, or the place in the sweep */
    const char *label; /* of the policy */
    struct compare_fact *facts;
    size_t fact_count;
    const char *trace;     /* file and window that it replays; NULL: its jobs are generated */
    const char *schedule;  /* digest; NULL: it failed */
    const char *situation; /* all facts as one text, equal for runs that belong together */
    double *values;        /* by metric of the set; NaN: none */
    enum result_stability stability;
    bool is_of_sweep; /* read from a merged file */
    bool is_failed;   /* only in a sweep: it holds a place and has no values */
};

struct compare_metric {
    const char *name, *unit, *doc;
};

/* All runs of a comparison. A merged file alone tells all about its runs: axes and seed are the
 * facts, and what the sweep leaves out is left out on purpose. Beside other files its runs are
 * asked for all their facts, and must be there. */
struct compare_set {
    struct arena arena;
    struct compare_run *runs;
    size_t run_count, run_room;
    struct compare_metric metrics[COMPARE_METRICS_MAX];
    size_t metric_count;
    bool has_defaults;  /* the metrics were not asked for: a run may lack some */
    const char **paths; /* resolved names of the files that were read */
    size_t path_count, path_room;
    size_t interrupted; /* files of folders that were left out for that */
    size_t failed;      /* runs of sweeps */
    bool is_sweep;      /* one merged file is all that was read */
};

/* `names` is "NAME[,NAME...]", or NULL for the usual ones. */
enum hs_err compare_choose_metrics(struct compare_set *set, const char *names,
                                   struct hs_error *error) HS_MUST_USE;
/* Reads a result file, or all of a folder and the folders in it, in the order of their names: of
 * the folder of a sweep the merged file only. */
enum hs_err compare_read(struct compare_set *set, const char *path,
                         struct hs_error *error) HS_MUST_USE;
/* A copy of the run with its texts and values. */
enum hs_err compare_add_run(struct compare_set *set, const struct compare_run *run,
                            struct hs_error *error) HS_MUST_USE;
/* Makes the keys of "KEY[,KEY...]" part of the labels instead of the situation. */
enum hs_err compare_split(struct compare_set *set, const char *keys,
                          struct hs_error *error) HS_MUST_USE;
/* Keeps the runs that have the values of "KEY=VALUE[,KEY=VALUE...]". HS_ERR_CONFIG: no run has. */
enum hs_err compare_filter(struct compare_set *set, const char *settings,
                           struct hs_error *error) HS_MUST_USE;
void compare_fini(struct compare_set *set);

/* cpu_s, wall_s, rss_bytes: metrics that are not in the summary of a run but tell what its
 * simulation took. NULL: no such name. */
const struct compare_metric *compare_find_cost(const char *name);
enum hs_err compare_read_cost(struct result_reader *reader, const char *name, double *value,
                              struct hs_error *error) HS_MUST_USE;
/* Likewise of the runs of a sweep, out of timings.csv beside the merged file; NaN: not there. */
struct sweep_file;
enum hs_err compare_read_timings(const struct sweep_file *file, const char *name, double *values,
                                 struct hs_error *error) HS_MUST_USE;

/* Reads the runs of a merged file. `has_company`: they are to have all their facts. */
enum hs_err compare_read_sweep(struct compare_set *set, const char *path, bool has_company,
                               struct hs_error *error) HS_MUST_USE;
/* Gives runs of sweeps that were read alone all their facts. */
enum hs_err compare_complete_facts(struct compare_set *set, struct hs_error *error) HS_MUST_USE;
/* HS_ERR_CONFIG: a metric that was asked for is none of these. */
enum hs_err compare_fail_metric(const char *path, const char *name, const char *const *names,
                                size_t count, struct hs_error *error);
/* Facts as one text, in which two differ only where the facts do; NULL: no memory. */
const char *compare_join_facts(struct compare_set *set, const struct compare_run *run);

/* After the last file: usual metrics that no run has are not looked at. */
void compare_drop_metrics(struct compare_set *set);

/* The trace of a run: by its facts, or by the workload of its sweep's experiment and the axes.
 * NULL: none, or no memory. */
struct tree_node;
const char *compare_trace_of_facts(struct arena *arena, const struct compare_run *run);
const struct tree_node *compare_workload_of_sweep(struct arena *arena, const char *config);
const char *compare_trace_of_sweep(struct arena *arena, const struct tree_node *workload,
                                   const struct compare_run *run);
/* Do all runs replay the same window of one trace? Then they are one sample. */
bool compare_is_one_trace(const struct compare_set *set);
/* Runs that have the schedule of another run of their policy: as samples they tell nothing new.
 * False: no memory. */
bool compare_count_copies(const struct compare_set *set, size_t *copies);

/* NULL: the run has no such key. */
const struct compare_fact *compare_find_fact(const struct compare_run *run, const char *key);

/* Reads the facts of a run out of its experiment and inputs. */
enum hs_err compare_read_facts(struct result_reader *reader, struct arena *arena,
                               struct compare_run *run, struct hs_error *error) HS_MUST_USE;

/* The runs in a matrix. */
struct compare_table {
    const char **policies;
    size_t policy_count, baseline;
    size_t columns;            /* situations; without pairing the most runs of a policy */
    struct compare_run **runs; /* [policy * columns + column]; NULL: none */
    size_t runs_max;           /* of a policy */
    size_t unstable, unknown;  /* runs */
    size_t gaps; /* runs of one sweep without a counterpart: of the baseline those that
                  * lack one under some policy */
    bool is_paired;
};

/* `baseline` NULL: the first policy. HS_ERR_CONFIG: no such baseline, runs without a counterpart
 * (unless the table is not to be paired), two runs in one place. */
enum hs_err compare_pair(struct compare_set *set, const char *baseline, struct compare_table *table,
                         struct hs_error *error) HS_MUST_USE;
void compare_table_fini(struct compare_table *table);

/* Runs of a policy that are left out. */
size_t compare_count_unstable(const struct compare_table *table, size_t policy);

/* cells[metric * policies + policy], as stats_compare; unstable runs are left out. */
enum hs_err compare_cells(const struct compare_set *set, const struct compare_table *table,
                          const struct stats_design *design, struct stats_cell *cells,
                          struct hs_error *error) HS_MUST_USE;

enum compare_direction { COMPARE_LOWER, COMPARE_HIGHER, COMPARE_NEITHER };

/* What is better. */
enum compare_direction compare_direction(const char *metric);

#endif
