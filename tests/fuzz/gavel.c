/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gavel.c - a table of throughputs and a trace that needs it: any bytes yield a table whose rows
 * are found again and jobs that keep the promises of workload.h, or a sentence.
 *
 * The first byte chooses; the table follows, and behind a zero byte the trace. */
#include <math.h>

#include "fuzz.h"
#include "speed/throughput.h"
#include "workload/names.h"
#include "workload/swf.h"

static void check_row(const struct throughput_table *table, size_t index)
{
    const struct throughput_row *row = throughput_row_at(table, index);
    bool fits = false;

    FUZZ_CHECK(row->scale_factor >= 1 && row->scale_factor <= THROUGHPUT_SCALE_MAX);
    FUZZ_CHECK(*row->job_type && strlen(row->job_type) < THROUGHPUT_TYPE_MAX);
    FUZZ_CHECK(throughput_find(table, row->job_type, row->scale_factor) == row);
    for (size_t i = 0; i < throughput_worker_count(table); i++) {
        double spread = row->spread_steps_per_s[i];

        FUZZ_CHECK(row->steps_per_s[i] >= 0 && row->steps_per_s[i] <= THROUGHPUT_STEPS_PER_S_MAX);
        FUZZ_CHECK(isnan(spread) || (spread >= 0 && spread <= THROUGHPUT_STEPS_PER_S_MAX));
        fits = fits || row->steps_per_s[i] > 0;
    }
    FUZZ_CHECK(fits);
}

/* The table, or NULL: it is none. */
static struct throughput_table *read_table(const char *path)
{
    struct throughput_table *table;
    struct hs_error error = {0};
    enum hs_err err = throughput_read(path, &table, &error);
    size_t worker;

    if (err) {
        FUZZ_CHECK(!table);
        fuzz_check_error(err, &error);
        return NULL;
    }
    FUZZ_CHECK(throughput_worker_count(table) >= 1 && throughput_row_count(table) >= 1);
    for (size_t i = 0; i < throughput_worker_count(table); i++) {
        FUZZ_CHECK(!throughput_worker_find(table, throughput_worker_name(table, i), &worker, NULL));
        FUZZ_CHECK(worker == i);
    }
    for (size_t i = 0; i < throughput_row_count(table); i++) {
        check_row(table, i);
    }
    return table;
}

static void read_jobs(const struct workload_options *options)
{
    struct workload *workload = NULL;
    struct hs_error error = {0};
    enum hs_err err = workload_open(options, &workload, &error);
    hs_time last = 0;
    bool has_job = true;

    for (int64_t count = 0; !err && has_job; count++) {
        struct workload_job job;

        err = workload_next(workload, &job, &has_job, &error);
        if (err || !has_job) {
            break;
        }
        FUZZ_CHECK(job.id == count && job.submit_ns >= last && job.submit_ns <= SWF_SUBMIT_MAX_NS);
        FUZZ_CHECK(job.run_ns >= 0 && job.run_ns <= SWF_TIME_MAX_NS && job.walltime_ns > 0);
        FUZZ_CHECK(job.demand.tasks >= 1 && job.demand.tasks <= THROUGHPUT_SCALE_MAX);
        FUZZ_CHECK(isfinite(job.priority));
        FUZZ_CHECK(job.job_class >= 0 &&
                   job.job_class < workload_names_count(workload_names(workload), WORKLOAD_CLASS));
        last = job.submit_ns;
    }
    if (err) {
        fuzz_check_error(err, &error);
    }
    workload_close(workload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char table_path[FUZZ_PATH_MAX], trace_path[FUZZ_PATH_MAX];
    struct fuzz_bytes bytes = fuzz_begin(data, size);
    uint8_t flags = fuzz_u8(&bytes);
    size_t left = fuzz_left(&bytes);
    const uint8_t *zero = left ? memchr(bytes.at, 0, left) : NULL;
    size_t length = zero ? (size_t)(zero - bytes.at) : left;
    int table_file = fuzz_file(bytes.at, length, table_path);
    int trace_file = zero ? fuzz_file(zero + 1, left - length - 1, trace_path) : -1;
    struct throughput_table *table = read_table(table_path);

    if (table && zero) {
        struct workload_options options;

        workload_options_defaults(&options);
        options.file = trace_path;
        options.format = WORKLOAD_FORMAT_GAVEL;
        options.throughputs = table_path;
        options.reference =
            throughput_worker_name(table, (flags >> 3) % throughput_worker_count(table));
        options.is_strict = flags & 1u;
        options.sort_window = flags & 2u ? 1 : 64;
        options.is_survey = flags & 4u;
        read_jobs(&options);
    }
    throughput_destroy(table);
    FUZZ_CHECK(close(table_file) == 0 && (!zero || close(trace_file) == 0));
    return 0;
}
