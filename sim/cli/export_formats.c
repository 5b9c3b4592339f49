/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export_formats.c - the schedule as a trace (SWF), and as Batsim writes it (jobs.csv). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/export.h"
#include "workload/workload.h"

static enum hs_err load_columns(struct export_jobs *jobs, struct result_reader *reader,
                                const size_t *columns, size_t count, struct hs_error *error)
{
    enum hs_err code = export_jobs_init(jobs, reader, error);

    for (size_t i = 0; code == HS_OK && i < count; i++) {
        code = export_jobs_load(jobs, columns[i], error);
    }
    if (code == HS_OK && result_has_column(jobs->table, JOB_EXECUTED)) {
        code = export_jobs_load(jobs, JOB_EXECUTED, error);
    }
    return code;
}

/* How long a job that started and ended ran, in all of its attempts. */
static hs_time executed(const struct export_jobs *jobs, int64_t row)
{
    return jobs->columns[JOB_EXECUTED]
               ? export_jobs_int(jobs, JOB_EXECUTED, row)
               : export_jobs_int(jobs, JOB_END, row) - export_jobs_int(jobs, JOB_START, row);
}

/* Batsim's word for how a job ended. */
static const char *batsim_state(enum result_state state)
{
    switch (state) {
    case RESULT_FINISHED:
        return "COMPLETED_SUCCESSFULLY";
    case RESULT_KILLED:
        return "COMPLETED_WALLTIME_REACHED";
    case RESULT_CANCELLED:
        return "COMPLETED_KILLED";
    case RESULT_REJECTED:
        return "REJECTED";
    case RESULT_UNFINISHED:
        break;
    }
    return "RUNNING";
}

/* Times that do not apply are -1 s here. */
static void put_micros(struct export_text *text, bool applies, hs_time time_ns)
{
    export_char(text, ',');
    export_micros(text, applies ? time_ns : -HS_NS_PER_S);
}

static void put_batsim_job(struct export_text *text, const struct export_jobs *jobs, int64_t row)
{
    hs_time submit = export_jobs_int(jobs, JOB_SUBMIT, row);
    hs_time start = export_jobs_int(jobs, JOB_START, row);
    hs_time end = export_jobs_int(jobs, JOB_END, row);
    hs_time request = export_jobs_int(jobs, JOB_REQ_TIME, row);
    int64_t procs = export_jobs_int(jobs, JOB_PROCS, row);
    enum result_state state = (enum result_state)export_jobs_int(jobs, JOB_STATE, row);
    bool is_started = start >= 0;
    bool is_done = is_started && end >= 0;
    hs_time run = executed(jobs, row);

    export_int(text, export_jobs_int(jobs, JOB_TRACE_ID, row));
    export_string(text, ",w0,delay");
    put_micros(text, true, submit);
    export_char(text, ',');
    export_int(text, procs);
    put_micros(text, request >= 0, request);
    export_string(text, state == RESULT_FINISHED ? ",1," : ",0,");
    export_string(text, batsim_state(state));
    put_micros(text, is_started, start);
    put_micros(text, is_done, run);
    put_micros(text, end >= 0, end);
    put_micros(text, is_started, start - submit);
    put_micros(text, is_done, end - submit);
    export_char(text, ',');
    if (!is_done) {
        export_string(text, "-1.000000");
    } else if (run == 0) {
        export_string(text, end == submit ? "nan" : "inf");
    } else {
        export_fixed(text, 6, (double)(end - submit) / (double)run);
    }
    export_char(text, ',');
    if (is_started) {
        export_hosts(text, jobs, row);
    }
    export_char(text, ',');
    export_fixed(text, 6,
                 jobs->columns[JOB_ENERGY] ? ((const double *)jobs->columns[JOB_ENERGY])[row] : -1);
    export_string(text, ",\"\"\n");
}

enum hs_err export_batsim(struct result_reader *reader, struct export_text *text,
                          struct hs_error *error)
{
    static const size_t columns[] = {JOB_TRACE_ID, JOB_SUBMIT,   JOB_START, JOB_END,
                                     JOB_PROCS,    JOB_REQ_TIME, JOB_STATE};
    struct export_jobs jobs = {0};
    enum hs_err code =
        load_columns(&jobs, reader, columns, sizeof columns / sizeof columns[0], error);

    if (code == HS_OK && result_has_column(jobs.table, JOB_ENERGY)) {
        code = export_jobs_load(&jobs, JOB_ENERGY, error);
    }
    if (code == HS_OK) {
        code = export_jobs_load_hosts(&jobs, error);
    }
    if (code == HS_OK) {
        export_string(text, "job_id,workload_name,profile,submission_time,"
                            "requested_number_of_resources,requested_time,success,final_state,"
                            "starting_time,execution_time,finish_time,waiting_time,"
                            "turnaround_time,stretch,allocated_resources,consumed_energy,"
                            "metadata\n");
        for (size_t i = 0; i < jobs.count && !ferror(text->file); i++) {
            put_batsim_job(text, &jobs, jobs.order[i]);
        }
    }
    export_jobs_fini(&jobs);
    return code;
}

/* SWF's number for how a job ended: 1 completed, 0 failed, 5 cancelled. */
static int swf_status(enum result_state state)
{
    switch (state) {
    case RESULT_FINISHED:
        return 1;
    case RESULT_KILLED:
        return 0;
    case RESULT_CANCELLED:
    case RESULT_REJECTED:
        return 5;
    case RESULT_UNFINISHED:
        break;
    }
    return -1;
}

static void put_swf_job(FILE *file, const struct export_jobs *jobs, int64_t row)
{
    hs_time submit = export_jobs_int(jobs, JOB_SUBMIT, row);
    hs_time start = export_jobs_int(jobs, JOB_START, row);
    hs_time end = export_jobs_int(jobs, JOB_END, row);
    hs_time request = export_jobs_int(jobs, JOB_REQ_TIME, row);
    /* A job that was cancelled while it waited: its wait, and no run time. */
    hs_time wait_end = start >= 0 ? start : end;
    struct workload_job job = {
        .id = export_jobs_int(jobs, JOB_ID, row),
        .trace_id = export_jobs_int(jobs, JOB_TRACE_ID, row),
        .submit_ns = submit,
        .trace_submit_ns = export_jobs_int(jobs, JOB_TRACE_SUBMIT, row),
        .run_ns = start >= 0 && end >= 0 ? executed(jobs, row) : HS_TIME_NEVER,
        .walltime_ns = request >= 0 ? request : HS_TIME_NEVER,
        .cancel_ns = HS_TIME_NEVER,
        .trace_wait_ns = -1,
        .trace_start_ns = -1,
        .demand = {.tasks = (uint32_t)export_jobs_int(jobs, JOB_PROCS, row), .cores_milli = 1000},
        .executable = export_jobs_int(jobs, JOB_EXECUTABLE, row),
        .preceding = -1,
        .think_ns = -1,
        .user = (int32_t)export_jobs_int(jobs, JOB_USER, row),
        .group = (int32_t)export_jobs_int(jobs, JOB_GROUP, row),
        .queue = (int32_t)export_jobs_int(jobs, JOB_QUEUE, row),
        .partition = (int32_t)export_jobs_int(jobs, JOB_PARTITION, row),
        .trace_status = -1,
    };

    workload_swf_write_job(file, &job, wait_end >= 0 ? wait_end - submit : -1,
                           swf_status((enum result_state)export_jobs_int(jobs, JOB_STATE, row)));
}

enum hs_err export_swf(struct result_reader *reader, FILE *file, struct hs_error *error)
{
    static const size_t columns[] = {JOB_TRACE_ID,   JOB_SUBMIT, JOB_TRACE_SUBMIT, JOB_START,
                                     JOB_END,        JOB_PROCS,  JOB_REQ_TIME,     JOB_STATE,
                                     JOB_EXECUTABLE, JOB_USER,   JOB_GROUP,        JOB_QUEUE,
                                     JOB_PARTITION};
    struct export_jobs jobs = {0};
    int64_t cores_milli = 0;
    int64_t epoch = -1;
    enum hs_err code =
        load_columns(&jobs, reader, columns, sizeof columns / sizeof columns[0], error);

    if (code == HS_OK) {
        code = result_reader_int(reader, "platform", "cores_milli", &cores_milli, error);
    }
    if (code == HS_OK) {
        code = result_reader_int(reader, NULL, "epoch_unix", &epoch, error);
    }
    if (code == HS_OK) {
        struct workload_swf_header header = {.computer = "simulated by hsim",
                                             .epoch_unix = epoch,
                                             .jobs = (int64_t)jobs.count,
                                             .procs = cores_milli / 1000};

        workload_swf_write_header(file, &header);
        for (size_t i = 0; i < jobs.count && !ferror(file); i++) {
            put_swf_job(file, &jobs, jobs.order[i]);
        }
    }
    export_jobs_fini(&jobs);
    return code;
}
