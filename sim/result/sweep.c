/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep.c - no node is given out twice: a sweep over the starts and ends of all allocations.
 *
 * At equal times ends come before starts, as in the simulation. An allocation that ends when it
 * starts (a job of length 0) holds nothing for any time and is passed over. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/check.h"
#include "result/saturate.h"

enum { FIRST, COUNT, CORES, START, END, TASKS, JOB, COLUMNS };
static const size_t columns[COLUMNS] = {
    ALLOCATION_FIRST_NODE, ALLOCATION_NODE_COUNT,     ALLOCATION_CORES_MILLI, ALLOCATION_START,
    ALLOCATION_END,        ALLOCATION_TASKS_PER_NODE, ALLOCATION_JOB};

struct moment {
    hs_time time_ns;
    int64_t row;
};

struct sweep {
    struct result_reader *reader;
    int64_t rows;
    int64_t *values[COLUMNS];
    int64_t *mems;                   /* memory held on each node of the row */
    int64_t *node_cores, *node_mems; /* what the nodes have; memory -1: not modelled */
    int64_t *used_cores, *used_mems;
    size_t node_count;
    struct moment *starts, *ends;
    int64_t moment_count;
    int64_t bad_row, bad_node; /* -1: none */
};

static int compare_moments(const void *left, const void *right)
{
    const struct moment *a = left;
    const struct moment *b = right;

    if (a->time_ns != b->time_ns) {
        return a->time_ns < b->time_ns ? -1 : 1;
    }
    return (a->row > b->row) - (a->row < b->row);
}

static enum hs_err load_nodes(struct sweep *sweep, struct hs_error *error)
{
    size_t mem_count = 0;
    enum hs_err code = result_reader_column(sweep->reader, "platform/nodes/cores_milli",
                                            &sweep->node_cores, &sweep->node_count, error);

    if (code == HS_OK) {
        code = result_reader_column(sweep->reader, "platform/nodes/mem", &sweep->node_mems,
                                    &mem_count, error);
    }
    if (code == HS_OK && mem_count != sweep->node_count) {
        code = hs_error_set(error, HS_ERR_INPUT,
                            "%s: the columns of the nodes differ in length. The file is damaged: "
                            "run the experiment again.",
                            result_reader_path(sweep->reader));
    }
    if (code == HS_OK) {
        sweep->used_cores = calloc(sweep->node_count + 1, sizeof *sweep->used_cores);
        sweep->used_mems = calloc(sweep->node_count + 1, sizeof *sweep->used_mems);
        code = sweep->used_cores && sweep->used_mems ? HS_OK : hs_error_memory(error);
    }
    return code;
}

static enum hs_err load_allocations(struct sweep *sweep, struct hs_error *error)
{
    const struct result_table *table = result_reader_table(sweep->reader, "allocations");
    size_t room = (size_t)result_reader_rows(sweep->reader, table) + 1;

    sweep->rows = (int64_t)room - 1;
    for (int i = 0; i < COLUMNS; i++) {
        enum hs_err code;

        sweep->values[i] = malloc(room * sizeof *sweep->values[i]);
        if (!sweep->values[i]) {
            return hs_error_memory(error);
        }
        code = result_reader_ints(sweep->reader, table, columns[i], 0, room - 1, sweep->values[i],
                                  error);
        if (code != HS_OK) {
            return code;
        }
    }
    sweep->starts = malloc(room * sizeof *sweep->starts);
    sweep->ends = malloc(room * sizeof *sweep->ends);
    sweep->mems = calloc(room, sizeof *sweep->mems);
    return sweep->starts && sweep->ends && sweep->mems ? HS_OK : hs_error_memory(error);
}

/* Memory of each row: that of its job per task x tasks. Jobs and rows are in the same order. */
static enum hs_err load_memory(struct sweep *sweep, struct hs_error *error)
{
    const struct result_table *table = result_reader_table(sweep->reader, "jobs");
    size_t jobs = (size_t)result_reader_rows(sweep->reader, table);
    int64_t *ids = malloc((jobs + 1) * sizeof *ids);
    int64_t *mems = malloc((jobs + 1) * sizeof *mems);
    enum hs_err code = ids && mems ? HS_OK : hs_error_memory(error);
    int64_t row = 0;

    if (code == HS_OK) {
        code = result_reader_ints(sweep->reader, table, JOB_ID, 0, jobs, ids, error);
    }
    if (code == HS_OK) {
        code = result_reader_ints(sweep->reader, table, JOB_MEM, 0, jobs, mems, error);
    }
    for (size_t i = 0; code == HS_OK && i < jobs; i++) {
        for (; row < sweep->rows && sweep->values[JOB][row] == ids[i]; row++) {
            sweep->mems[row] = saturate_product(mems[i], sweep->values[TASKS][row]);
        }
    }
    free(ids);
    free(mems);
    return code;
}

static void collect_moments(struct sweep *sweep, hs_time end_ns)
{
    for (int64_t row = 0; row < sweep->rows; row++) {
        hs_time start = sweep->values[START][row];
        hs_time end = sweep->values[END][row] >= 0 ? sweep->values[END][row] : end_ns;
        int64_t first = sweep->values[FIRST][row];
        int64_t count = sweep->values[COUNT][row];

        if (first < 0 || count < 1 || first > (int64_t)sweep->node_count - count) {
            sweep->bad_row = row;
            sweep->bad_node = -1;
            return;
        }
        if (end > start) {
            sweep->starts[sweep->moment_count] = (struct moment){start, row};
            sweep->ends[sweep->moment_count++] = (struct moment){end, row};
        }
    }
    qsort(sweep->starts, (size_t)sweep->moment_count, sizeof *sweep->starts, compare_moments);
    qsort(sweep->ends, (size_t)sweep->moment_count, sizeof *sweep->ends, compare_moments);
}

static void release(struct sweep *sweep, int64_t row)
{
    int64_t first = sweep->values[FIRST][row];

    for (int64_t node = first; node < first + sweep->values[COUNT][row]; node++) {
        sweep->used_cores[node] =
            saturate_difference(sweep->used_cores[node], sweep->values[CORES][row]);
        sweep->used_mems[node] = saturate_difference(sweep->used_mems[node], sweep->mems[row]);
    }
}

static bool take(struct sweep *sweep, int64_t row)
{
    int64_t first = sweep->values[FIRST][row];

    for (int64_t node = first; node < first + sweep->values[COUNT][row]; node++) {
        sweep->used_cores[node] = saturate_sum(sweep->used_cores[node], sweep->values[CORES][row]);
        sweep->used_mems[node] = saturate_sum(sweep->used_mems[node], sweep->mems[row]);
        if (sweep->used_cores[node] > sweep->node_cores[node] ||
            (sweep->node_mems[node] >= 0 && sweep->used_mems[node] > sweep->node_mems[node])) {
            sweep->bad_row = row;
            sweep->bad_node = node;
            return false;
        }
    }
    return true;
}

static void run_sweep(struct sweep *sweep)
{
    int64_t end = 0;

    for (int64_t start = 0; start < sweep->moment_count; start++) {
        while (end < sweep->moment_count &&
               sweep->ends[end].time_ns <= sweep->starts[start].time_ns) {
            release(sweep, sweep->ends[end++].row);
        }
        if (!take(sweep, sweep->starts[start].row)) {
            return;
        }
    }
}

static void conclude(const struct sweep *sweep, struct result_check *check)
{
    int64_t row = sweep->bad_row;

    check->outcome = row < 0 ? RESULT_HOLDS : RESULT_FAILS;
    if (row < 0) {
        (void)snprintf(check->text, sizeof check->text,
                       "no node of %zu holds more than it has, at any time", sweep->node_count);
    } else if (sweep->bad_node < 0) {
        (void)snprintf(
            check->text, sizeof check->text,
            "job %" PRId64 " holds nodes that are not there (%" PRId64 " from %" PRId64 ")",
            sweep->values[JOB][row], sweep->values[COUNT][row], sweep->values[FIRST][row]);
    } else {
        char time[HS_TIME_TEXT_MAX];

        (void)hs_time_format(sweep->values[START][row], time);
        (void)snprintf(check->text, sizeof check->text,
                       "node %" PRId64 " holds %" PRId64 " of %" PRId64 " milli-cores and %" PRId64
                       " bytes at %s s, when job %" PRId64 " starts",
                       sweep->bad_node, sweep->used_cores[sweep->bad_node],
                       sweep->node_cores[sweep->bad_node], sweep->used_mems[sweep->bad_node], time,
                       sweep->values[JOB][row]);
    }
}

enum hs_err result_check_nodes(struct result_reader *reader, hs_time end_ns,
                               struct result_check *check, struct hs_error *error)
{
    struct sweep sweep = {.reader = reader, .bad_row = -1, .bad_node = -1};
    enum hs_err code = load_nodes(&sweep, error);

    check->name = "nodes";
    if (code == HS_OK) {
        code = load_allocations(&sweep, error);
    }
    if (code == HS_OK) {
        code = load_memory(&sweep, error);
    }
    if (code == HS_OK) {
        collect_moments(&sweep, end_ns);
        if (sweep.bad_row < 0) {
            run_sweep(&sweep);
        }
        conclude(&sweep, check);
    }
    for (int i = 0; i < COLUMNS; i++) {
        free(sweep.values[i]);
    }
    free(sweep.mems);
    free(sweep.node_cores);
    free(sweep.node_mems);
    free(sweep.used_cores);
    free(sweep.used_mems);
    free(sweep.starts);
    free(sweep.ends);
    return code;
}
