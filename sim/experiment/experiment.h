/* SPDX-License-Identifier: GPL-3.0-or-later */
/* experiment.h - from a YAML file to a checked, resolved experiment.
 *
 * libyaml events become a located tree; one table of keys (type, unit, default, range, doc)
 * checks the tree, fills the structs below, and yields the JSON Schema, `hsim explain`, the check
 * of --set, and the resolved YAML that goes into every log. All errors of a file are reported in
 * one pass. Policy parameters are not in the table: they belong to the policy, which checks them
 * when it is resolved by name. */
#ifndef HSIM_EXPERIMENT_H
#define HSIM_EXPERIMENT_H

#include <stdio.h>

#include "hs/base.h"
#include "platform/platform.h"
#include "workload/workload.h"

/* A parameter of a policy as written: name, text of the value, and where (0: from a --set). */
struct experiment_param {
    const char *name;
    const char *value;
    int line, column;
};

/* `policy: sjf-easy` gives only `name`; the map form also order, placement and parameters. */
struct experiment_policy {
    const char *name;
    const char *order;     /* NULL: not given */
    const char *place;     /* NULL: not given */
    const char *local;     /* NULL: not given */
    const char *tie;       /* NULL: not given */
    const char *predictor; /* NULL: not given, that of `scheduler` counts */
    const char *label;     /* name for tables and files; NULL: made from the parts */
    struct experiment_param *params;
    size_t param_count;
    int line, column; /* 0: from a --set */
};

enum experiment_allocation { EXPERIMENT_ALLOCATION_CORES, EXPERIMENT_ALLOCATION_NODES };
enum experiment_series {
    EXPERIMENT_SERIES_EVENTS,
    EXPERIMENT_SERIES_INTERVAL,
    EXPERIMENT_SERIES_NONE
};

enum experiment_energy {
    EXPERIMENT_ENERGY_AUTO,
    EXPERIMENT_ENERGY_ALWAYS,
    EXPERIMENT_ENERGY_NEVER
};
enum experiment_attribution {
    EXPERIMENT_ATTRIBUTION_EXCLUSIVE,
    EXPERIMENT_ATTRIBUTION_PROPORTIONAL,
    EXPERIMENT_ATTRIBUTION_DYNAMIC
};

enum experiment_class_of {
    EXPERIMENT_CLASS_OF_CLASS, /* what the workload calls a class, if anything */
    EXPERIMENT_CLASS_OF_EXECUTABLE,
    EXPERIMENT_CLASS_OF_QUEUE,
    EXPERIMENT_CLASS_OF_USER,
    EXPERIMENT_CLASS_OF_GROUP,
    EXPERIMENT_CLASS_OF_PARTITION
};

/* Jobs whose number (of executable, queue, ...) is `number` are of the class. */
struct experiment_class_row {
    int64_t number;
    const char *class;
};

/* The block `speeds`: how fast jobs run on which device. */
struct experiment_speeds {
    bool is_on;
    const char **classes; /* class libraries besides the one that comes with hsim; can be opened */
    size_t class_count;
    const char *throughputs; /* can be opened; NULL: none */
    const char *etc;         /* can be opened; NULL: none */
    const char *reference;   /* NULL: that of each class */
    const char *fallback;    /* class of jobs without one; NULL: none */
    bool is_walltime_fixed;  /* the requested time is one of the device that the job gets */
    enum experiment_class_of class_of;
    const struct experiment_class_row *rows;
    size_t row_count;
};

/* Everything resolved; strings and arrays are owned by the experiment. File names inside
 * `platform` and `workload` can be opened as they are; *_as_written are for logs: the path of the
 * YAML, or a few words for an inline platform and a generated workload. */
struct experiment {
    const char *path;     /* of the YAML file as given on the command line */
    const char *base_dir; /* its folder; relative paths start there */
    const char *source;   /* text of the file */
    const char *name;     /* key `name`; else the file name without ending */
    struct platform_options platform;
    const char *platform_as_written;
    const char *catalogue_as_written; /* NULL: only the one that comes with hsim */
    const char *availability;         /* when nodes leave and come back; NULL: they stay */
    const char *availability_as_written;
    const char *availability_column;  /* of a table of numbers by date */
    struct workload_options workload; /* machine_procs and seed are filled in by the run */
    const char *workload_as_written;
    const char *throughputs_as_written; /* NULL: none */
    struct experiment_policy *policies; /* >= 1 */
    size_t policy_count;
    const char **plugins; /* paths that can be opened */
    size_t plugin_count;
    uint64_t seed;
    const char *predictor; /* of policies that name none */
    bool is_clairvoyant;   /* policies may be given the true run time as the estimate */
    enum experiment_allocation allocation;
    hs_time interval_ns;     /* scheduling passes only at multiples; 0: at every event */
    hs_time latency_ns;      /* from a decision to the start */
    hs_time preempt_cost_ns; /* of each restart of a job that was preempted */
    struct experiment_speeds speeds;
    const char *const *class_files_as_written; /* speeds.classes, likewise */
    const char *speed_table_as_written;        /* speeds.throughputs; NULL: none */
    const char *etc_as_written;                /* speeds.etc; NULL: none */
    enum experiment_energy energy;
    double energy_load; /* mean load of what jobs hold, 0 to 1 */
    enum experiment_attribution attribution;
    hs_time tau_ns; /* bounded slowdown */
    hs_time warmup_ns, cooldown_ns;
    const char *output; /* file or folder, can be opened; NULL: results/NAME next to the cwd */
    int compression;    /* 0..9 */
    enum experiment_series series;
    hs_time series_interval_ns;
    bool has_allocations;
    bool has_fragments; /* as the key says; an inflated workload has them in any case */
    void *storage;      /* private */
};

/* One `--set key.path=value`; the value is YAML. A relative path in it starts at the folder of
 * the YAML file, as all others. Setting a key removes those that it excludes (`policy` replaces
 * `policies`); a later override wins. */
struct experiment_override {
    const char *text;
};

/* Reads, checks and resolves. On failure `report` (caller frees; may be NULL on memory failure)
 * holds every problem, a line each: `file:line:column: sentence`; error->text the first. */
enum hs_err experiment_load(const char *path, const struct experiment_override *overrides,
                            size_t override_count, struct experiment *experiment, char **report,
                            struct hs_error *error) HS_MUST_USE;
/* The same from text in memory (the config of a result file); `path` is for messages,
 * `base_dir` for relative paths. */
enum hs_err experiment_load_text(const char *text, size_t length, const char *path,
                                 const char *base_dir, const struct experiment_override *overrides,
                                 size_t override_count, struct experiment *experiment,
                                 char **report, struct hs_error *error) HS_MUST_USE;
void experiment_fini(struct experiment *experiment); /* takes a zeroed one too */

/* Reads a file that holds what stands under `workload.columns`, into experiment->workload.columns;
 * the rest of *experiment stays zeroed, and owns the texts. Errors as those of experiment_load. */
enum hs_err experiment_load_columns(const char *path, struct experiment *experiment, char **report,
                                    struct hs_error *error) HS_MUST_USE;

/* Resolved YAML of one run (policy number `policy`): every key with its value, that
 * experiment_load_text reads back to the same experiment. Caller frees; NULL: no memory. */
char *experiment_resolved(const struct experiment *experiment, size_t policy);

/* What tells the runs of experiments apart, as text for digests: everything that a run computes
 * from but its policy, plug-ins, seed, and files, of which it says only that they are there; names
 * and where a result goes are left out. Then the policy, without its label and with its parameters
 * by name. As above. */
char *experiment_identity(const struct experiment *experiment);
char *experiment_policy_identity(const struct experiment *experiment, size_t policy);

/* Where the value of a key stands in the file; line 0: it is a default, or from a --set. */
void experiment_place(const struct experiment *experiment, const char *key, int *line, int *column);

/* From the table of keys. */
void experiment_write_schema(FILE *file); /* JSON Schema draft-07 */
/* Explains `key` ("workload.load"), or lists all keys for NULL; false: no such key, then
 * *suggestion is the nearest (borrowed) or NULL. */
bool experiment_explain(FILE *file, const char *key, const char **suggestion);

/* Parses a duration ("15m", "2h", "90", "1.5d") into ns; false if it is none. Exact: no
 * floating point. A bare number is seconds. Units: ns us ms s m h d w. */
bool experiment_parse_time(const char *text, hs_time *time_ns);
/* Parses a size ("40 GB", "16GiB", "1024") into bytes; decimal and binary units. */
bool experiment_parse_bytes(const char *text, int64_t *bytes);

#endif
