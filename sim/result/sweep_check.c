/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_check.c - does a merged file agree with the runs beside it? */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "result/reader.h"
#include "result/sweep_internal.h"

enum { CHECK_RUNS, CHECK_LINKS, CHECK_ROWS, CHECK_SCHEDULES, CHECK_METRICS, CHECK_STABILITY };
_Static_assert(CHECK_STABILITY + 1 == SWEEP_CHECKS, "checks");

/* What is counted of a check: runs that agree and that do not, and the first of those. */
struct tally {
    size_t agree, differ;
    char first[240];
};

struct checker {
    const struct sweep_file *file;
    struct load merged;
    struct tally tallies[SWEEP_CHECKS];
};

static void judge(struct checker *checker, int check, size_t row, bool agrees, const char *format,
                  ...) HS_PRINTF(5, 6);

static void judge(struct checker *checker, int check, size_t row, bool agrees, const char *format,
                  ...)
{
    struct tally *tally = &checker->tallies[check];
    va_list arguments;
    int length;

    tally->agree += agrees;
    tally->differ += !agrees;
    if (agrees || tally->differ > 1) {
        return;
    }
    length =
        snprintf(tally->first, sizeof tally->first, "run %s: ", checker->file->runs[row].row.key);
    va_start(arguments, format);
    (void)vsnprintf(tally->first + length, sizeof tally->first - (size_t)length, format, arguments);
    va_end(arguments);
}

/* /raw/KEY leads to the file of the run, for those that did not fail. */
static void check_link(struct checker *checker, size_t row)
{
    const struct sweep_run *run = &checker->file->runs[row];
    hid_t file = checker->merged.file;
    char path[sizeof "raw/" + SWEEP_KEY_SIZE];
    char expected[sizeof SWEEP_RUN_FILE + SWEEP_KEY_SIZE];
    char value[512] = "";
    const char *target = "";
    const char *object = "";
    H5L_info_t info = {0};
    bool is_there;

    (void)snprintf(path, sizeof path, "raw/%s", run->row.key);
    (void)snprintf(expected, sizeof expected, SWEEP_RUN_FILE, run->row.key);
    store_listen(&checker->merged.cause);
    is_there = load_has(&checker->merged, "raw") && H5Lexists(file, path, H5P_DEFAULT) > 0 &&
               H5Lget_info(file, path, &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_EXTERNAL &&
               info.u.val_size < sizeof value &&
               H5Lget_val(file, path, value, sizeof value, H5P_DEFAULT) >= 0 &&
               H5Lunpack_elink_val(value, info.u.val_size, NULL, &target, &object) >= 0;
    judge(checker, CHECK_LINKS, row, is_there && strcmp(target, expected) == 0,
          is_there ? "its link leads to '%.100s'" : "it has no link%s", is_there ? target : "");
}

/* Key, seed, number of jobs, schedule. The key stands for the policy, too; its label does not
 * count, since sweeps that share a run may call it differently. */
static enum hs_err check_row(struct checker *checker, size_t row, struct result_reader *reader,
                             const struct result_summary *summary, struct hs_error *error)
{
    const struct sweep_run *run = &checker->file->runs[row];
    const struct result_table *jobs = result_reader_table(reader, "jobs");
    char *key = NULL;
    int64_t seed = 0;
    int64_t count = result_reader_rows(reader, jobs);
    enum hs_err code = result_reader_text(reader, ".", "run_key", &key, error);

    if (code == HS_OK) {
        code = result_reader_int(reader, ".", "seed", &seed, error);
    }
    if (code == HS_OK) {
        judge(checker, CHECK_ROWS, row,
              strcmp(key, run->row.key) == 0 && (uint64_t)seed == run->row.seed &&
                  count == run->job_count,
              "seed %" PRIu64 ", %" PRId64 " jobs, and in its file run %.32s: %" PRIu64
              ", %" PRId64,
              run->row.seed, run->job_count, key, (uint64_t)seed, count);
        judge(checker, CHECK_SCHEDULES, row,
              strcmp(summary->schedule_digest, run->schedule_digest) == 0,
              "digest %s, and in its file %s", run->schedule_digest, summary->schedule_digest);
    }
    free(key);
    return code;
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Each metric of the merged file has the value of the run, and NaN where the run has none. */
static void check_metrics(struct checker *checker, size_t row, const struct result_summary *summary)
{
    const struct sweep_file *file = checker->file;
    size_t found = 0;

    for (size_t i = 0; i < file->metric_count; i++) {
        const struct sweep_metric *metric = &file->metrics[i];
        const struct result_metric *own = NULL;

        for (size_t k = 0; k < summary->metric_count && !own; k++) {
            own = strcmp(summary->metrics[k].name, metric->name) == 0 ? &summary->metrics[k] : NULL;
        }
        found += own != NULL;
        if (!is_same(metric->values[row], own ? own->value : NAN)) {
            judge(checker, CHECK_METRICS, row, false, "%.60s is %.17g, and in its file %.17g",
                  metric->name, metric->values[row], own ? own->value : NAN);
            return;
        }
    }
    judge(checker, CHECK_METRICS, row, found == summary->metric_count,
          "its file has %zu metrics, and %zu of them are here", summary->metric_count, found);
}

static void check_run(struct checker *checker, size_t row, const char *path)
{
    const struct sweep_run *run = &checker->file->runs[row];
    struct result_reader *reader = NULL;
    struct result_summary summary = {0};
    struct hs_error error = {0};
    char *status = NULL;
    enum hs_err code = result_reader_open(path, &reader, &error);

    if (code == HS_OK) {
        code = result_reader_text(reader, ".", "status", &status, &error);
    }
    if (code == HS_OK && strcmp(status, "complete") != 0) {
        code = hs_error_set(&error, HS_ERR_INPUT, "%s: it is '%.40s'.", path, status);
    }
    if (code == HS_OK) {
        code = result_reader_summary(reader, &summary, &error);
    }
    if (code == HS_OK) {
        code = check_row(checker, row, reader, &summary, &error);
    }
    judge(checker, CHECK_RUNS, row, code == HS_OK, "%.200s", error.text);
    if (code == HS_OK) {
        check_metrics(checker, row, &summary);
        judge(checker, CHECK_STABILITY, row, run->stability == result_stability_of(&summary),
              "it is %s, and by its file %s", result_stability_names[run->stability],
              result_stability_names[result_stability_of(&summary)]);
    }
    result_summary_fini(&summary);
    free(status);
    result_reader_close(reader);
}

static void conclude(const struct checker *checker, struct result_check checks[SWEEP_CHECKS])
{
    static const struct {
        const char *name, *text;
    } words[SWEEP_CHECKS] = {
        [CHECK_RUNS] = {"runs", "can be read and are complete"},
        [CHECK_LINKS] = {"links", "have a link to their file"},
        [CHECK_ROWS] = {"rows", "have the key, the seed and the jobs of their file"},
        [CHECK_SCHEDULES] = {"schedules", "have the digest of the schedule of their file"},
        [CHECK_METRICS] = {"metrics", "have the metrics of their file"},
        [CHECK_STABILITY] = {"stability", "are as stable as their file says"},
    };

    for (int i = 0; i < SWEEP_CHECKS; i++) {
        const struct tally *tally = &checker->tallies[i];
        size_t all = tally->agree + tally->differ;

        checks[i].name = words[i].name;
        if (all == 0) {
            result_conclude(&checks[i], RESULT_SKIPPED, "no run can be looked at");
        } else if (tally->differ == 0) {
            result_conclude(&checks[i], RESULT_HOLDS, "all %zu runs %s", all, words[i].text);
        } else {
            result_conclude(&checks[i], RESULT_FAILS, "%zu of %zu runs do not: %s", tally->differ,
                            all, tally->first);
        }
    }
}

enum hs_err sweep_file_check(const struct sweep_file *file,
                             struct result_check checks[SWEEP_CHECKS], struct hs_error *error)
{
    struct checker checker = {.file = file, .merged = {.file = H5I_INVALID_HID}};
    enum hs_err code = load_open(&checker.merged, file->path, error);

    for (size_t i = 0; code == HS_OK && i < file->run_count; i++) {
        char *path;

        if (file->runs[i].status == SWEEP_FAILED) {
            continue;
        }
        path = sweep_file_run_path(file, i);
        if (!path) {
            code = hs_error_memory(error);
        } else {
            check_link(&checker, i);
            check_run(&checker, i, path);
        }
        free(path);
    }
    load_close(&checker.merged);
    if (code == HS_OK) {
        conclude(&checker, checks);
    }
    return code;
}
