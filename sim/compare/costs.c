/* SPDX-License-Identifier: GPL-3.0-or-later */
/* costs.c - what the simulation of a run took: no result of it, and not the same again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/runs.h"
#include "result/sweep_file.h"
#include "text/units.h"

static const struct compare_metric costs[] = {
    {"cpu_s", "s", "CPU time of the simulation"},
    {"wall_s", "s", "time of the simulation"},
    {"rss_bytes", "B", "memory of the simulation"},
};

const struct compare_metric *compare_find_cost(const char *name)
{
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        if (strcmp(costs[i].name, name) == 0) {
            return &costs[i];
        }
    }
    return NULL;
}

enum hs_err compare_read_cost(struct result_reader *reader, const char *name, double *value,
                              struct hs_error *error)
{
    int64_t bytes = 0;
    enum hs_err code;

    if (strcmp(name, "rss_bytes") != 0) {
        return result_reader_double(reader, ".", name, value, error);
    }
    code = result_reader_int(reader, ".", name, &bytes, error);
    *value = (double)bytes;
    return code;
}

/* ---- of a sweep: timings.csv beside the merged file */

#define FIELDS_MAX 16

/* Cuts a line into its fields; there are no quotes. How many. */
static size_t cut(char *line, char *fields[FIELDS_MAX])
{
    size_t count = 0;

    line[strcspn(line, "\r\n")] = '\0';
    while (line && count < FIELDS_MAX) {
        fields[count++] = line;
        line = strchr(line, ',');
        if (line) {
            *line++ = '\0';
        }
    }
    return count;
}

static int compare_runs(const void *a, const void *b)
{
    const struct sweep_run *const *x = a;
    const struct sweep_run *const *y = b;

    return strcmp((*x)->row.key, (*y)->row.key);
}

/* Gives the value to all rows of the key. Of a run that was computed again the last line counts. */
static void take_line(const struct sweep_file *file, const struct sweep_run **sorted,
                      const char *key, const char *text, double *values)
{
    double value;
    size_t low = 0;
    size_t high = file->run_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(sorted[middle]->row.key, key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (!text_units_parse_double(text, &value)) {
        return;
    }
    for (; low < file->run_count && strcmp(sorted[low]->row.key, key) == 0; low++) {
        values[sorted[low] - file->runs] = value;
    }
}

static size_t find_column(char *const *fields, size_t count, const char *name)
{
    size_t column = 0;

    while (column < count && strcmp(fields[column], name) != 0) {
        column++;
    }
    return column;
}

/* The lines below the first; `column` holds the values. */
static enum hs_err read_lines(FILE *csv, const struct sweep_file *file, size_t column,
                              double *values, struct hs_error *error)
{
    const struct sweep_run **sorted = calloc(file->run_count + 1, sizeof *sorted);
    char *fields[FIELDS_MAX];
    char *line = NULL;
    size_t room = 0;

    if (!sorted) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < file->run_count; i++) {
        sorted[i] = &file->runs[i];
    }
    qsort(sorted, file->run_count, sizeof *sorted, compare_runs);
    while (getline(&line, &room, csv) >= 0) {
        if (cut(line, fields) > column) {
            take_line(file, sorted, fields[0], fields[column], values);
        }
    }
    free(line);
    free(sorted);
    return HS_OK;
}

enum hs_err compare_read_timings(const struct sweep_file *file, const char *name, double *values,
                                 struct hs_error *error)
{
    const char *slash = strrchr(file->path, '/');
    char *fields[FIELDS_MAX];
    char *path = NULL;
    char *line = NULL;
    size_t room = 0;
    size_t column = 0;
    enum hs_err code;
    FILE *csv;

    if (asprintf(&path, "%.*stimings.csv", slash ? (int)(slash + 1 - file->path) : 0, file->path) <
        0) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < file->run_count; i++) {
        values[i] = NAN;
    }
    csv = fopen(path, "re");
    if (csv && getline(&line, &room, csv) >= 0) {
        size_t count = cut(line, fields);

        column = find_column(fields, count, name);
        column = column < count && strcmp(fields[0], "key") == 0 ? column : 0;
    }
    code = column
               ? read_lines(csv, file, column, values, error)
               : hs_error_set(error, HS_ERR_CONFIG,
                              "%s: '%s' is not known, since it is no part of the merged file and "
                              "not in %s, which `hsim sweep` writes beside it.",
                              file->path, name, path);
    if (csv) {
        (void)fclose(csv);
    }
    free(line);
    free(path);
    return code;
}
