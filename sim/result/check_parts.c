/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check_parts.c - the groups /classes and /models, computed again from the jobs and what they held.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/check.h"
#include "result/parts.h"
#include "result/scan.h"

#define TOLERANCE 1e-9 /* relative: sums of doubles in another order */

enum {
    P_ID,
    P_CLASS,
    P_MODEL,
    P_STATE,
    P_MEASURED,
    P_SUBMIT,
    P_START,
    P_END,
    P_REF,
    P_USUAL,
    P_EXECUTED = P_USUAL,
    P_OVERHEAD,
    P_ALL
};
static const size_t columns[P_ALL] = {
    JOB_ID,    JOB_CLASS, JOB_MODEL,   JOB_STATE,    JOB_MEASURED, JOB_SUBMIT,
    JOB_START, JOB_END,   JOB_RUN_REF, JOB_EXECUTED, JOB_OVERHEAD,
};

/* What is known of a job for the tables of what it held. */
struct owner {
    int32_t class_index, model;
    bool is_measured;
};

/* One of the two groups. */
struct group {
    const char *name;
    char *names;
    size_t count, dict_count;
    struct parts_sums *sums;
};

struct recount {
    struct result_reader *reader;
    hs_time tau_ns;
    struct group groups[2]; /* classes, models */
    struct owner *owners;   /* by id */
    int64_t jobs;
    bool has_held;
    char problem[200];
};

/* The row of a number; SIZE_MAX: there is none. */
static size_t row_of(const struct group *group, int64_t number)
{
    if (number >= 0) {
        return (size_t)number < group->dict_count ? (size_t)number : SIZE_MAX;
    }
    return group->count > group->dict_count ? group->dict_count : SIZE_MAX;
}

static void count_job(struct recount *recount, const struct result_scan *scan, size_t i,
                      bool has_attempts)
{
    int64_t numbers[2] = {scan->values[P_CLASS][i], scan->values[P_MODEL][i]};
    int64_t turnaround = scan->values[P_END][i] - scan->values[P_SUBMIT][i];
    int64_t ref = scan->values[P_REF][i];
    int64_t state = scan->values[P_STATE][i];
    int64_t run = has_attempts ? scan->values[P_EXECUTED][i] - scan->values[P_OVERHEAD][i]
                               : scan->values[P_END][i] - scan->values[P_START][i];
    int64_t bound = ref >= 0 ? ref : run;
    bool is_measured = scan->values[P_MEASURED][i] != 0;

    bound = bound > recount->tau_ns ? bound : recount->tau_ns;
    if (!is_measured && state != RESULT_REJECTED) {
        return;
    }
    for (int k = 0; k < 2; k++) {
        size_t row = row_of(&recount->groups[k], numbers[k]);
        struct parts_sums *sums = &recount->groups[k].sums[row];

        if (k == 1 && state == RESULT_REJECTED) {
            continue;
        }
        if (row == SIZE_MAX) {
            (void)snprintf(recount->problem, sizeof recount->problem,
                           "job %" PRId64 " is of number %" PRId64 ", which /%s does not have",
                           scan->values[P_ID][i], numbers[k], recount->groups[k].name);
            return;
        }
        sums->rejected += state == RESULT_REJECTED;
        if (is_measured) {
            double bsld = (double)turnaround / (double)bound;

            sums->jobs++;
            sums->killed += state == RESULT_KILLED;
            sums->wait_ns += scan->values[P_START][i] - scan->values[P_SUBMIT][i];
            sums->run_ns += run;
            sums->ref_ns += ref >= 0 ? ref : run;
            sums->bsld += bsld < 1 ? 1 : bsld;
            if (ref > 0) {
                sums->slowdown_ref += (double)turnaround / (double)ref;
                sums->slowdowns++;
            }
        }
    }
}

static enum hs_err count_jobs(struct recount *recount, struct hs_error *error)
{
    const struct result_table *table = result_reader_table(recount->reader, "jobs");
    bool has_attempts = result_has_column(table, JOB_EXECUTED);
    struct result_scan scan = {0};
    enum hs_err code = result_scan_init(&scan, recount->reader, table, columns,
                                        has_attempts ? P_ALL : P_USUAL, error);

    recount->jobs = scan.rows;
    recount->owners = calloc((size_t)recount->jobs + 1, sizeof *recount->owners);
    if (code == HS_OK && !recount->owners) {
        code = hs_error_memory(error);
    }
    for (int64_t row = 0; code == HS_OK && row < scan.rows && !*recount->problem; row++) {
        size_t i;

        code = result_scan_load(&scan, row, &i, error);
        if (code == HS_OK) {
            int64_t id = scan.values[P_ID][i];

            if (id >= 0 && id < recount->jobs) {
                recount->owners[id] = (struct owner){(int32_t)scan.values[P_CLASS][i],
                                                     (int32_t)scan.values[P_MODEL][i],
                                                     scan.values[P_MEASURED][i] != 0};
            }
            count_job(recount, &scan, i, has_attempts);
        }
    }
    result_scan_fini(&scan);
    return code;
}

/* Adds what measured jobs held: cores from /allocations, shares from /device_allocations. */
static enum hs_err count_held(struct recount *recount, const char *name, const size_t *held,
                              size_t held_count, bool is_cores, struct hs_error *error)
{
    const struct result_table *table = result_reader_table(recount->reader, name);
    struct result_scan scan = {0};
    enum hs_err code = result_scan_init(&scan, recount->reader, table, held, held_count, error);

    for (int64_t row = 0; code == HS_OK && row < scan.rows; row++) {
        size_t i;

        code = result_scan_load(&scan, row, &i, error);
        if (code == HS_OK && scan.values[0][i] >= 0 && scan.values[0][i] < recount->jobs &&
            recount->owners[scan.values[0][i]].is_measured) {
            const struct owner *owner = &recount->owners[scan.values[0][i]];
            hs_int128 amount = (hs_int128)scan.values[3][i] *
                               (scan.values[2][i] - scan.values[1][i]) *
                               (is_cores ? scan.values[4][i] : 1);
            int32_t numbers[2] = {owner->class_index, owner->model};

            for (int k = 0; k < 2; k++) {
                size_t at = row_of(&recount->groups[k], numbers[k]);

                if (at != SIZE_MAX) {
                    struct parts_sums *sums = &recount->groups[k].sums[at];

                    *(is_cores ? &sums->cores : &sums->devices) += amount;
                }
            }
        }
    }
    result_scan_fini(&scan);
    return code;
}

static bool is_near(double left, double right)
{
    return (isnan(left) && isnan(right)) || fabs(left - right) <= TOLERANCE * fabs(right) ||
           (left == 0 && right == 0);
}

/* What a column of the group should hold in a row. */
static double expected(const struct parts_sums *sums, size_t column)
{
    double jobs = (double)sums->jobs;

    switch (column) {
    case 0:
        return jobs;
    case 1:
        return (double)sums->killed;
    case 2:
        return (double)sums->rejected;
    case 3:
        return (double)sums->wait_ns / 1e9 / jobs;
    case 4:
        return (double)sums->run_ns / 1e9 / jobs;
    case 5:
        return (double)sums->ref_ns / 1e9 / jobs;
    case 6:
        return sums->slowdown_ref / (double)sums->slowdowns;
    case 7:
        return sums->bsld / jobs;
    case 8:
        return (double)sums->devices / HS_SHARES_PER_UNIT / 1e9;
    default:
        return (double)sums->cores / 1000 / 1e9;
    }
}

#define COLUMNS_HELD 8  /* from here on what was held */
#define COLUMNS_OWN  10 /* and the energy, which other checks have */

static enum hs_err compare(struct recount *recount, const struct group *group,
                           struct hs_error *error)
{
    enum hs_err code = HS_OK;

    for (size_t k = 0; code == HS_OK && k < COLUMNS_OWN && !*recount->problem; k++) {
        const struct result_part_column *column = &result_part_columns[k];
        char path[64];
        double *values = NULL;
        int64_t *whole = NULL;
        size_t count = 0;

        if (k >= COLUMNS_HELD && !recount->has_held) {
            break;
        }
        (void)snprintf(path, sizeof path, "%s/%s", group->name, column->column.name);
        code = column->column.type == RESULT_I64
                   ? result_reader_column(recount->reader, path, &whole, &count, error)
                   : result_reader_reals(recount->reader, path, &values, &count, error);
        for (size_t i = 0; code == HS_OK && i < group->count && !*recount->problem; i++) {
            double is = i >= count ? (double)NAN : whole ? (double)whole[i] : values[i];
            double due = expected(&group->sums[i], k);

            if (!is_near(is, due)) {
                (void)snprintf(recount->problem, sizeof recount->problem,
                               "/%s row %zu is %.17g; the jobs give %.17g", path, i, is, due);
            }
        }
        free(values);
        free(whole);
    }
    return code;
}

static enum hs_err open_group(struct recount *recount, struct group *group, const char *name,
                              const char *dict, struct hs_error *error)
{
    char path[64];
    char *names = NULL;
    enum hs_err code;

    group->name = name;
    (void)snprintf(path, sizeof path, "%s/name", name);
    code = result_reader_texts(recount->reader, path, &group->names, &group->count, error);
    if (code == HS_OK) {
        code = result_reader_texts(recount->reader, dict, &names, &group->dict_count, error);
    }
    free(names);
    group->sums = calloc(group->count + 1, sizeof *group->sums);
    if (code == HS_OK && !group->sums) {
        code = hs_error_memory(error);
    }
    if (code == HS_OK && group->dict_count > group->count) {
        (void)snprintf(recount->problem, sizeof recount->problem, "/%s has fewer rows than /%s",
                       name, dict);
    }
    return code;
}

static enum hs_err recount_all(struct recount *recount, struct hs_error *error)
{
    static const size_t cores[] = {ALLOCATION_JOB, ALLOCATION_START, ALLOCATION_END,
                                   ALLOCATION_CORES_MILLI, ALLOCATION_NODE_COUNT};
    static const size_t devices[] = {DEVICE_JOB, DEVICE_START, DEVICE_END, DEVICE_SHARE};
    enum hs_err code = result_reader_int(recount->reader, NULL, "tau_ns", &recount->tau_ns, error);

    if (code == HS_OK) {
        code = open_group(recount, &recount->groups[0], "classes", "dict/class/name", error);
    }
    if (code == HS_OK) {
        code = open_group(recount, &recount->groups[1], "models", "dict/model/name", error);
    }
    if (code == HS_OK && !*recount->problem) {
        code = count_jobs(recount, error);
    }
    recount->has_held = result_reader_table(recount->reader, "allocations") != NULL;
    if (code == HS_OK && recount->has_held && !*recount->problem) {
        code = count_held(recount, "allocations", cores, 5, true, error);
    }
    if (code == HS_OK && recount->has_held && !*recount->problem) {
        code = count_held(recount, "device_allocations", devices, 4, false, error);
    }
    for (int i = 0; code == HS_OK && i < 2 && !*recount->problem; i++) {
        code = compare(recount, &recount->groups[i], error);
    }
    return code;
}

enum hs_err result_check_parts(struct result_reader *reader, struct result_check *checks,
                               size_t *count, struct hs_error *error)
{
    const struct result_table *jobs = result_reader_table(reader, "jobs");
    struct recount recount = {.reader = reader};
    struct result_check *check = &checks[*count];
    enum hs_err code;

    if (!result_has_column(jobs, JOB_RUN_REF)) {
        return HS_OK;
    }
    check->name = "classes, models";
    code = recount_all(&recount, error);
    if (code == HS_OK) {
        (*count)++;
        result_conclude(check, *recount.problem ? RESULT_FAILS : RESULT_HOLDS, "%s",
                        *recount.problem ? recount.problem
                        : recount.has_held
                            ? "their figures are those of the jobs and of what they held"
                            : "their figures are those of the jobs");
    }
    for (int i = 0; i < 2; i++) {
        free(recount.groups[i].names);
        free(recount.groups[i].sums);
    }
    free(recount.owners);
    return code;
}
