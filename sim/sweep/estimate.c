/* SPDX-License-Identifier: GPL-3.0-or-later */
/* estimate.c - reads the timings, and takes means over policies. */
#include "sweep/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/csv.h"

enum { COLUMN_KEY, COLUMN_STATUS, COLUMN_WALL, COLUMN_RSS, COLUMN_COUNT };

static int compare_rows(const void *left, const void *right)
{
    return strcmp((*(const struct sweep_row *const *)left)->key,
                  (*(const struct sweep_row *const *)right)->key);
}

static int compare_key(const void *key, const void *row)
{
    return strcmp(key, (*(const struct sweep_row *const *)row)->key);
}

/* A line of the file, if it is a complete run of the sweep. */
static void take_line(const struct csv_row *line, const struct sweep_row *const *sorted,
                      const struct sweep_row *rows, size_t row_count,
                      struct sweep_estimate *estimate)
{
    const struct sweep_row *const *row = NULL;
    int64_t rss_bytes;
    double wall_s;
    char *end;

    if (line->problem || strcmp(line->fields[COLUMN_STATUS], "complete") != 0) {
        return;
    }
    row = bsearch(line->fields[COLUMN_KEY], sorted, row_count, sizeof *sorted, compare_key);
    wall_s = strtod(line->fields[COLUMN_WALL], &end);
    if (!row || end == line->fields[COLUMN_WALL] || *end || !(wall_s >= 0) || isinf(wall_s)) {
        return;
    }
    estimate->wall_s[*row - rows] = wall_s;
    if (csv_parse_int(line->fields[COLUMN_RSS], &rss_bytes) && rss_bytes > estimate->rss_bytes) {
        estimate->rss_bytes = rss_bytes;
    }
}

static enum hs_err read_file(const char *path, const struct sweep_row *rows, size_t row_count,
                             struct sweep_estimate *estimate, struct hs_error *error)
{
    static const struct csv_column columns[COLUMN_COUNT] = {
        [COLUMN_KEY] = {"key", true},
        [COLUMN_STATUS] = {"status", true},
        [COLUMN_WALL] = {"wall_s", true},
        [COLUMN_RSS] = {"rss_bytes", true},
    };
    const struct sweep_row **sorted = calloc(row_count + 1, sizeof *sorted);
    struct csv *csv = NULL;
    bool has_line = true;
    enum hs_err err;

    if (!sorted) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < row_count; i++) {
        sorted[i] = &rows[i];
    }
    qsort(sorted, row_count, sizeof *sorted, compare_rows);
    err = csv_open(path, "a list of timings", columns, COLUMN_COUNT, &csv, error);
    while (err == HS_OK && has_line) {
        struct csv_row line;

        err = csv_next(csv, &line, &has_line, error);
        if (err == HS_OK && has_line) {
            take_line(&line, sorted, rows, row_count, estimate);
        }
    }
    csv_close(csv);
    free(sorted);
    return err;
}

struct mean {
    const char *policy;
    double sum_s;
    size_t count;
};

/* The entry of a policy, a new one if there is none; at most one for each row. */
static struct mean *find_mean(struct mean *means, size_t *count, const char *policy)
{
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(means[i].policy, policy) == 0) {
            return &means[i];
        }
    }
    means[*count] = (struct mean){.policy = policy};
    return &means[(*count)++];
}

/* Gives times to the rows that have none. */
static enum hs_err fill(const struct sweep_row *rows, size_t row_count,
                        struct sweep_estimate *estimate, struct hs_error *error)
{
    struct mean *means = calloc(row_count + 1, sizeof *means);
    double slowest_s = NAN;
    size_t count = 0;

    if (!means) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < row_count; i++) {
        struct mean *mean = find_mean(means, &count, rows[i].policy);

        if (!isnan(estimate->wall_s[i])) {
            mean->sum_s += estimate->wall_s[i];
            mean->count++;
            estimate->measured++;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (means[i].count > 0) {
            slowest_s = fmax(slowest_s, means[i].sum_s / (double)means[i].count);
        }
    }
    for (size_t i = 0; i < row_count; i++) {
        const struct mean *mean = find_mean(means, &count, rows[i].policy);

        if (isnan(estimate->wall_s[i])) {
            estimate->wall_s[i] = mean->count > 0 ? mean->sum_s / (double)mean->count : slowest_s;
        }
    }
    free(means);
    return HS_OK;
}

enum hs_err sweep_estimate_read(const char *path, const struct sweep_row *rows, size_t row_count,
                                struct sweep_estimate *estimate, struct hs_error *error)
{
    enum hs_err err = HS_OK;

    *estimate = (struct sweep_estimate){.wall_s = calloc(row_count + 1, sizeof(double))};
    if (!estimate->wall_s) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < row_count; i++) {
        estimate->wall_s[i] = NAN;
    }
    if (access(path, F_OK) == 0) {
        err = read_file(path, rows, row_count, estimate, error);
    }
    return err == HS_OK ? fill(rows, row_count, estimate, error) : err;
}

void sweep_estimate_fini(struct sweep_estimate *estimate)
{
    free(estimate->wall_s);
    *estimate = (struct sweep_estimate){0};
}
