/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check_devices.c - device time of the jobs against the series, and no device given out twice. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/check.h"
#include "result/saturate.h"

enum { JOB, DEVICE, SHARE, START, END, COLUMNS };
static const size_t columns[COLUMNS] = {DEVICE_JOB, DEVICE_INDEX, DEVICE_SHARE, DEVICE_START,
                                        DEVICE_END};

/* A start (share > 0) or an end of a share. */
struct moment {
    int64_t device;
    hs_time time_ns;
    int64_t share;
};

struct audit {
    struct result_reader *reader;
    const struct result_series_more *more;
    int64_t rows;
    int64_t *values[COLUMNS];
    size_t *kinds; /* of the devices, as in `more` */
    size_t device_count;
    struct moment *moments;
    size_t moment_count;
    hs_int128 held[RESULT_KINDS_MAX];
    int64_t bad_row; /* -1: none */
};

/* At equal times ends come first. */
static int compare_moments(const void *left, const void *right)
{
    const struct moment *a = left;
    const struct moment *b = right;

    if (a->device != b->device) {
        return a->device < b->device ? -1 : 1;
    }
    if (a->time_ns != b->time_ns) {
        return a->time_ns < b->time_ns ? -1 : 1;
    }
    return (a->share > b->share) - (a->share < b->share);
}

static enum hs_err load_kinds(struct audit *audit, struct hs_error *error)
{
    char *texts = NULL;
    enum hs_err code = result_reader_texts(audit->reader, "platform/devices/kind", &texts,
                                           &audit->device_count, error);
    const char *text = texts;

    audit->kinds = calloc(audit->device_count + 1, sizeof *audit->kinds);
    if (code == HS_OK && !audit->kinds) {
        code = hs_error_memory(error);
    }
    for (size_t i = 0; code == HS_OK && i < audit->device_count; i++) {
        while (audit->kinds[i] < audit->more->kind_count &&
               strcmp(audit->more->slots[audit->kinds[i]], text) != 0) {
            audit->kinds[i]++;
        }
        if (audit->kinds[i] == audit->more->kind_count) {
            code = hs_error_set(error, HS_ERR_INPUT,
                                "%s: device %zu is of kind \"%s\", which the series does not have. "
                                "The file is damaged: run the experiment again.",
                                result_reader_path(audit->reader), i, text);
        }
        text += strlen(text) + 1;
    }
    free(texts);
    return code;
}

static enum hs_err load_rows(struct audit *audit, struct hs_error *error)
{
    const struct result_table *table = result_reader_table(audit->reader, "device_allocations");
    size_t rows = (size_t)result_reader_rows(audit->reader, table);
    enum hs_err code = HS_OK;

    audit->rows = (int64_t)rows;
    audit->moments = calloc(2 * rows + 1, sizeof *audit->moments);
    for (int i = 0; code == HS_OK && i < COLUMNS; i++) {
        audit->values[i] = calloc(rows + 1, sizeof *audit->values[i]);
        code = audit->values[i] && audit->moments
                   ? result_reader_ints(audit->reader, table, columns[i], 0, rows, audit->values[i],
                                        error)
                   : hs_error_memory(error);
    }
    return code;
}

static void add_rows(struct audit *audit, hs_time end_ns)
{
    for (int64_t row = 0; row < audit->rows; row++) {
        int64_t device = audit->values[DEVICE][row];
        int64_t share = audit->values[SHARE][row];
        hs_time start = audit->values[START][row];
        hs_time end = audit->values[END][row] >= 0 ? audit->values[END][row] : end_ns;

        if (device < 0 || device >= (int64_t)audit->device_count || share < 1 || end < start) {
            audit->bad_row = row;
            return;
        }
        saturate_add(&audit->held[audit->kinds[device]],
                     (hs_int128)share * saturate_difference(end, start));
        if (end > start) {
            audit->moments[audit->moment_count++] = (struct moment){device, start, share};
            audit->moments[audit->moment_count++] = (struct moment){device, end, -share};
        }
    }
    qsort(audit->moments, audit->moment_count, sizeof *audit->moments, compare_moments);
}

static void check_capacity(const struct audit *audit, struct result_check *check)
{
    int64_t used = 0;

    check->name = "devices";
    if (audit->bad_row >= 0) {
        result_conclude(check, RESULT_FAILS,
                        "job %" PRId64 " holds %" PRId64 " thousandths of device %" PRId64
                        ", which cannot be",
                        audit->values[JOB][audit->bad_row], audit->values[SHARE][audit->bad_row],
                        audit->values[DEVICE][audit->bad_row]);
        return;
    }
    for (size_t i = 0; i < audit->moment_count; i++) {
        const struct moment *moment = &audit->moments[i];

        if (i > 0 && moment->device != moment[-1].device) {
            used = 0;
        }
        used = saturate_sum(used, moment->share);
        if (used > HS_SHARES_PER_UNIT) {
            char time[HS_TIME_TEXT_MAX];

            (void)hs_time_format(moment->time_ns, time);
            result_conclude(check, RESULT_FAILS,
                            "%" PRId64 " thousandths of device %" PRId64 " are given out at %s s",
                            used, moment->device, time);
            return;
        }
    }
    result_conclude(check, RESULT_HOLDS,
                    "no device of %zu is given out beyond its 1000 shares, at any time",
                    audit->device_count);
}

static enum hs_err sum_series(const struct audit *audit, size_t kind, hs_int128 *integral,
                              struct hs_error *error)
{
    const struct result_table *table = result_reader_table(audit->reader, "series");
    size_t rows = (size_t)result_reader_rows(audit->reader, table);
    int64_t *times = calloc(rows + 1, sizeof *times);
    int64_t *shares = calloc(rows + 1, sizeof *shares);
    enum hs_err code = times && shares ? HS_OK : hs_error_memory(error);

    *integral = 0;
    if (code == HS_OK) {
        code = result_reader_ints(audit->reader, table, SERIES_TIME, 0, rows, times, error);
    }
    if (code == HS_OK) {
        code = result_reader_ints(audit->reader, table, result_series_shares(audit->more, kind), 0,
                                  rows, shares, error);
    }
    for (size_t i = 1; code == HS_OK && i < rows; i++) {
        saturate_add(integral,
                     (hs_int128)shares[i - 1] * saturate_difference(times[i], times[i - 1]));
    }
    free(times);
    free(shares);
    return code;
}

/* One check for all kinds: the first that fails, else the last. */
static enum hs_err check_shares(struct audit *audit, struct result_check *check,
                                struct hs_error *error)
{
    char *mode = NULL;
    enum hs_err code = result_reader_text(audit->reader, "series", "mode", &mode, error);

    for (size_t k = 0;
         code == HS_OK && check->outcome != RESULT_FAILS && k < audit->more->kind_count; k++) {
        hs_int128 integral = 0;
        char name[128];
        char left[160];

        (void)snprintf(name, sizeof name, "%.100s_integral", audit->more->slots[k]);
        (void)snprintf(left, sizeof left, "integral of the series of %.100s",
                       audit->more->slots[k]);
        code = strcmp(mode, "events") == 0
                   ? sum_series(audit, k, &integral, error)
                   : result_check_sum(audit->reader, "series", name, &integral, error);
        if (code == HS_OK) {
            result_compare(check, "device shares", left, integral, "device time of all jobs",
                           audit->held[k]);
        }
    }
    free(mode);
    return code;
}

enum hs_err result_check_devices(struct result_reader *reader, hs_time end_ns,
                                 struct result_check *checks, size_t *count, struct hs_error *error)
{
    struct audit audit = {
        .reader = reader, .more = result_reader_series_more(reader), .bad_row = -1};
    enum hs_err code;

    if (audit.more->kind_count == 0 || !result_reader_table(reader, "device_allocations")) {
        return HS_OK;
    }
    code = load_kinds(&audit, error);
    if (code == HS_OK) {
        code = load_rows(&audit, error);
    }
    if (code == HS_OK) {
        add_rows(&audit, end_ns);
        check_capacity(&audit, &checks[(*count)++]);
        code = check_shares(&audit, &checks[(*count)++], error);
    }
    for (int i = 0; i < COLUMNS; i++) {
        free(audit.values[i]);
    }
    free(audit.kinds);
    free(audit.moments);
    return code;
}
