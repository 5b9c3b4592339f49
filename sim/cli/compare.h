/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare.h - the parts of `hsim compare`: runs out of files, paired, compared, printed. */
#ifndef HSIM_CLI_COMPARE_H
#define HSIM_CLI_COMPARE_H

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
    const char *path;
    const char *label; /* of the policy */
    struct compare_fact *facts;
    size_t fact_count;
    const char *situation; /* all facts as one text, equal for runs that belong together */
    double *values;        /* by metric of the set; NaN: none */
    enum result_stability stability;
};

struct compare_metric {
    const char *name, *unit, *doc;
};

/* All runs of a comparison. Another kind of file becomes a source of runs by a function that calls
 * compare_add_run. */
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
};

/* `names` is "NAME[,NAME...]", or NULL for the usual ones. */
enum hs_err compare_choose_metrics(struct compare_set *set, const char *names,
                                   struct hs_error *error) HS_MUST_USE;
/* Reads a result file, or all of a folder and the folders in it, in the order of their names. */
enum hs_err compare_read(struct compare_set *set, const char *path,
                         struct hs_error *error) HS_MUST_USE;
/* A copy of the run with its texts and values. */
enum hs_err compare_add_run(struct compare_set *set, const struct compare_run *run,
                            struct hs_error *error) HS_MUST_USE;
/* Makes the keys of "KEY[,KEY...]" part of the labels instead of the situation. */
enum hs_err compare_split(struct compare_set *set, const char *keys,
                          struct hs_error *error) HS_MUST_USE;
void compare_fini(struct compare_set *set);

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
    bool is_paired;
};

/* `baseline` NULL: the first policy. HS_ERR_CONFIG: no such baseline, runs without a counterpart
 * (unless the table is not to be paired), two runs in one place. */
enum hs_err compare_pair(struct compare_set *set, const char *baseline, struct compare_table *table,
                         struct hs_error *error) HS_MUST_USE;
void compare_table_fini(struct compare_table *table);

enum compare_direction { COMPARE_LOWER, COMPARE_HIGHER, COMPARE_NEITHER };

/* What is better. */
enum compare_direction compare_direction(const char *metric);

enum compare_format {
    COMPARE_TEXT,
    COMPARE_MARKDOWN,
    COMPARE_LATEX,
    COMPARE_CSV,
    COMPARE_JSON,
};

/* All that is printed: cells[metric * policies + policy]. */
struct compare_report {
    const struct compare_set *set;
    const struct compare_table *table;
    const struct stats_cell *cells;
    const struct stats_design *design;
};

/* What has to be said about the figures, a sentence or two each. */
struct compare_notes {
    char *texts[12];
    size_t count;
    bool has_failed; /* memory */
};
void compare_note(const struct compare_report *report, struct compare_notes *notes);
void compare_notes_fini(struct compare_notes *notes);

/* False without memory. */
bool compare_print(const struct compare_report *report, enum compare_format format);
/* CSV (its notes on standard error) or JSON. */
void compare_print_rows(const struct compare_report *report, const struct compare_notes *notes,
                        enum compare_format format);

/* Runs of a policy that are left out. */
size_t compare_count_unstable(const struct compare_table *table, size_t policy);

#endif
