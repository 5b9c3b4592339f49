/* SPDX-License-Identifier: GPL-3.0-or-later */
/* result.h - the HDF5 log of one run, and the metrics computed while it is written.
 *
 * One 1-D dataset per column; written to PATH.part, renamed when complete. Datasets contain
 * nothing of the wall clock, so equal runs give equal bytes in every dataset. */
#ifndef HSIM_RESULT_H
#define HSIM_RESULT_H

#include <stdio.h>

#include <signal.h>

#include "hs/cluster.h"
#include "hs/demand.h"
#include "hs/power.h"

enum result_state {
    RESULT_FINISHED,
    RESULT_KILLED,     /* cut at its requested time */
    RESULT_CANCELLED,  /* by the user, while waiting or running */
    RESULT_REJECTED,   /* can never run on this machine, or the policy would not have it */
    RESULT_UNFINISHED, /* the run ended first (interrupted) */
};

/* A stay of a job on resources that ended with a preemption. */
struct result_attempt {
    hs_time start_ns, end_ns;
    hs_time overhead_ns; /* of that, what its restart took */
    struct hs_alloc alloc;
};

/* One job at its end. Times are trace times in ns; -1: does not apply. */
struct result_job {
    int64_t id, trace_id;
    hs_time submit_ns, trace_submit_ns, eligible_ns, start_ns, end_ns;
    hs_time run_ns;      /* true run time of the workload after its rules; -1: unknown */
    hs_time walltime_ns; /* request; HS_TIME_NEVER: none */
    const struct hs_demand *demand;
    const struct hs_alloc *alloc; /* NULL if never started */
    int64_t procs;
    int64_t executable;
    int32_t user, group, queue, partition;
    double energy_j; /* charged to it; only in runs with energy */
    enum result_state state;
    /* Only in runs with attempts. Then start_ns is the start of the first one, and `alloc` is what
     * the job holds at its end, NULL if it waits. */
    const struct result_attempt *attempts; /* that were preempted, in order */
    size_t attempt_count;
    hs_time last_start_ns; /* since when it holds `alloc`, if there were attempts before */
    hs_time overhead_ns;   /* of that, what the restart took */
    /* Only in runs with speeds; then run_ns is that on what it got. */
    hs_time run_ref_ns; /* run time alone on the reference device; -1: unknown */
    int32_t job_class;  /* index of result_final.class_names; -1: none */
    int32_t model;      /* what its slowest task computed on, index of result_final.model_names; -1:
                           it never started */
    hs_time
        predicted_ns; /* run time as predicted at the submission; only in runs with predictions */
    int64_t corrections; /* of that, while the job ran; likewise */
};

/* State of the cluster from `time_ns` on, until the next point. Exact at every change. */
struct result_point {
    hs_time time_ns;
    int64_t alloc_milli; /* cores held by jobs, thousandths */
    int64_t queue_jobs;  /* waiting */
    int64_t running_jobs;
    int64_t queue_procs; /* processors asked for by the waiting */
    int64_t power_uw;    /* drawn, microwatts; only in runs with energy */
    /* Thousandths of devices, by slot (result/groups.h); only if the cluster has devices: those
     * given to jobs; in runs with fragmentation then those that are free, and those lost to the mix
     * (hs_mix_lost). In runs with availability last what is available: thousandths of cores, then
     * of devices by kind. A node counts while it is available; of one that is away what jobs still
     * hold there. */
    const int64_t *device_levels;
};

/* State after a job of an inflated workload (workload.inflation) has arrived. Thousandths of
 * accelerators, whatever their kind. */
struct result_arrival {
    int64_t job;             /* id */
    int64_t requested_milli; /* by all that have arrived */
    int64_t used_milli;      /* held by jobs */
    double fragment_milli;   /* free, and of no use to the mix of the workload; NaN: not known */
};

struct result_input {
    const char *path;   /* as the experiment names it */
    const char *format; /* "swf", "simgrid" */
    int64_t bytes;
    int64_t rows;
    char xxh128[33]; /* of the file's bytes; `xxh128sum` prints the same */
};

struct result_param { /* resolved parameter of the policy */
    const char *part; /* "policy", "order", "reserve", "place", "predictor" */
    const char *name;
    char value[64];
};

/* All that is known before the first event. Borrowed for the writer's life. */
struct result_meta {
    const char *policy;        /* label: "sjf-easy" */
    const char *run_key;       /* 32 hexadecimal digits; NULL: none */
    const char *config;        /* resolved experiment of this one run, YAML */
    const char *config_source; /* the experiment file as it was read; NULL: none */
    const char *base_dir;      /* folder to which paths in the experiment are relative */
    const char *command_line;
    const char *simgrid_version; /* NULL: not used */
    const struct hs_cluster *cluster;
    const struct result_input *inputs;
    size_t input_count;
    const struct result_param *params;
    size_t param_count;
    uint64_t seed;
    int64_t epoch_unix;      /* -1: none */
    hs_time tau_ns;          /* of the bounded slowdown */
    hs_time measure_from_ns; /* jobs submitted in [from, to] are measured */
    hs_time measure_to_ns;   /* HS_TIME_NEVER: no end */
    bool is_clairvoyant;
    bool has_energy;                     /* of this run */
    bool has_attempts;                   /* likewise: jobs may be preempted */
    bool has_speeds;                     /* likewise: jobs run at different speeds */
    bool has_predictions;                /* likewise: policies see predicted run times */
    bool has_fragments;                  /* likewise: what is lost of free devices */
    bool has_avail;                      /* likewise: nodes leave and come back */
    int64_t mix_jobs;                    /* behind the mix then; 0: it is empty */
    const struct hs_power *node_power;   /* by node; NULL: not known */
    const struct hs_power *device_power; /* by device */
};

enum result_series { RESULT_SERIES_EVENTS, RESULT_SERIES_INTERVAL, RESULT_SERIES_NONE };

struct result_options {
    const char *path; /* final name */
    bool is_forced;   /* an existing file is replaced */
    int compression;  /* deflate level 0..9; 0: none */
    enum result_series series;
    hs_time series_interval_ns; /* for RESULT_SERIES_INTERVAL: exact means over it */
    bool has_allocations;       /* write /allocations */
    bool has_arrivals;          /* write /arrivals and /inflation */
};

/* Where the energy of a run went, in microwatt x nanosecond (1e-15 J). The sums over the states,
 * over jobs and nobody, and over nodes and devices are equal. */
struct result_energy {
    hs_int128 off, idle, context, busy;
    hs_int128 jobs, uncharged;
    const hs_int128 *nodes, *devices; /* by index; borrowed until the end of the call */
};

/* What only the end of the run knows. */
struct result_final {
    const char *status;   /* "complete", "interrupted" */
    const char *path;     /* final name in place of options.path, may replace; NULL: that one */
    double wall_s, cpu_s; /* attributes only */
    int64_t rss_bytes;
    int64_t events, passes, decisions, jobs_examined;
    int64_t records_bad, records_dropped, records_overrun, records_missing;
    int64_t epoch_unix; /* -1: none; a trace's header is known only after its first rows */
    bool is_clairvoyant;
    const struct result_input *inputs; /* again, now with rows filled in */
    size_t input_count;
    const struct result_energy *energy; /* in runs with energy */
    const char *const *class_names;     /* in runs with speeds: of job classes */
    const char *const *model_names;     /* likewise, of what jobs compute on */
    size_t class_count, model_count;
    /* Called when all is written, before waiting until it is on the disk; NULL allowed. */
    void (*written)(void *context);
    void *context;
};

/* One number of the summary. The names are those of `--json` and /summary: wait_mean_s, ... */
struct result_metric {
    const char *name;
    const char *unit;
    const char *doc;
    double value;  /* NaN: does not apply */
    int64_t count; /* jobs (or points) behind it */
};

/* In runs with speeds: the measured jobs of one class, or those that computed on one model. */
struct result_part {
    const char *name; /* "-": the jobs without a class */
    int64_t jobs;     /* measured */
    int64_t killed;   /* of them */
    int64_t rejected; /* of the class, whether measured or not; of models 0 */
    /* Means over the measured jobs (NaN: there are none), and sums. */
    double wait_s, run_s, run_ref_s, slowdown_ref, bsld;
    double device_s; /* device x time held */
    double core_s;   /* core x time held */
    double energy_j; /* charged; NaN: the run has no energy */
};

struct result_summary {
    struct result_metric *metrics; /* owned */
    size_t metric_count;
    struct result_part *classes, *models; /* in runs with speeds; owned, names too */
    size_t class_count, model_count;
    char *texts;              /* names and units of some; owned */
    char schedule_digest[33]; /* XXH3-128 over id, start, end and nodes of every job, and over all
                                 attempts of those that were preempted */
};

struct result_writer;

/* Opens PATH.part and writes what is known. Refuses an existing PATH unless forced. With
 * options->path NULL nothing is written and only the metrics are computed. */
enum hs_err result_writer_create(const struct result_options *options,
                                 const struct result_meta *meta, struct result_writer **writer,
                                 struct hs_error *error) HS_MUST_USE;

/* A job was submitted (for the arrivals window and Little's law). Times never decrease. */
enum hs_err result_writer_submitted(struct result_writer *writer, hs_time time_ns,
                                    struct hs_error *error) HS_MUST_USE;
enum hs_err result_writer_point(struct result_writer *writer, const struct result_point *point,
                                struct hs_error *error) HS_MUST_USE;
/* Only with options.has_arrivals; requests never decrease. */
enum hs_err result_writer_arrival(struct result_writer *writer,
                                  const struct result_arrival *arrival,
                                  struct hs_error *error) HS_MUST_USE;
enum hs_err result_writer_job(struct result_writer *writer, const struct result_job *job,
                              struct hs_error *error) HS_MUST_USE;

/* Computes the summary, completes and renames the file, frees the writer (also on failure). */
enum hs_err result_writer_finish(struct result_writer *writer, const struct result_final *final,
                                 struct result_summary *summary,
                                 struct hs_error *error) HS_MUST_USE;
/* Gives up: removes PATH.part, frees. NULL is allowed. */
void result_writer_abort(struct result_writer *writer);
void result_summary_fini(struct result_summary *summary);
/* Value by name; NaN if there is none. */
double result_summary_get(const struct result_summary *summary, const char *name);

/* Sets the library of the files up, for a process that will fork others that write: it takes each
 * of them a millisecond otherwise. No file may be open at a fork. */
void result_warm(void);

/* Commit from which this program was built ("-changed" if the sources differ from it), or
 * "unknown". */
const char *result_git_commit(void);

/* Fills `input` (bytes, xxh128) from the file at `path`. */
enum hs_err result_input_digest(const char *path, struct result_input *input,
                                struct hs_error *error) HS_MUST_USE;
/* The same; *stop nonzero ends it soon with HS_ERR_INTERRUPTED. `stop` may be NULL. */
enum hs_err result_input_digest_until(const char *path, const volatile sig_atomic_t *stop,
                                      struct result_input *input,
                                      struct hs_error *error) HS_MUST_USE;

#endif
