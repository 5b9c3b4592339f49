/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check_energy.c - the energy of a run by state, by device, by job and over time is the same. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/check.h"
#include "result/saturate.h"

#define TOLERANCE 1e-9 /* relative; columns of /jobs and /platform are rounded to doubles */

/* Sums as they are stored. */
enum { TOTAL, OFF, IDLE, CONTEXT, BUSY, JOBS, UNCHARGED, SUMS };
static const char *const sum_names[SUMS] = {"total", "off",  "idle",     "context",
                                            "busy",  "jobs", "uncharged"};

/* The exact energies of the groups of devices. */
static enum hs_err sum_groups(struct result_reader *reader, hs_int128 *sum, struct hs_error *error)
{
    char *texts = NULL;
    size_t count = 0;
    enum hs_err code = result_reader_texts(reader, "energy/exact", &texts, &count, error);
    const char *text = texts;

    *sum = 0;
    for (size_t i = 0; code == HS_OK && i < count; i++) {
        hs_int128 energy;

        if (!result_int128_parse(text, &energy)) {
            code = hs_error_set(error, HS_ERR_INPUT,
                                "%s: \"energy/exact\" has \"%s\", which is no integer. The file is "
                                "damaged: run the experiment again.",
                                result_reader_path(reader), text);
        } else {
            saturate_add(sum, energy);
            text += strlen(text) + 1;
        }
    }
    free(texts);
    return code;
}

static enum hs_err sum_jobs(struct result_reader *reader, double *joules, struct hs_error *error)
{
    const struct result_table *table = result_reader_table(reader, "jobs");
    int64_t rows = result_reader_rows(reader, table);
    double *values = malloc(RESULT_READER_ROWS * sizeof *values);
    enum hs_err code = values ? HS_OK : hs_error_memory(error);

    *joules = 0;
    for (int64_t row = 0; code == HS_OK && row < rows; row += RESULT_READER_ROWS) {
        size_t count = rows - row < RESULT_READER_ROWS ? (size_t)(rows - row) : RESULT_READER_ROWS;
        double sum = 0;

        code = result_reader_doubles(reader, table, JOB_ENERGY, row, count, values, error);
        for (size_t i = 0; code == HS_OK && i < count; i++) {
            sum += values[i];
        }
        *joules += sum;
    }
    free(values);
    return code;
}

/* The power over time, which has a whole number of microwatts in each row. */
static enum hs_err sum_power(struct result_reader *reader, hs_int128 *sum, struct hs_error *error)
{
    const struct result_table *table = result_reader_table(reader, "series");
    int64_t rows = result_reader_rows(reader, table);
    double *powers = malloc(RESULT_READER_ROWS * sizeof *powers);
    int64_t *times = malloc(RESULT_READER_ROWS * sizeof *times);
    enum hs_err code = powers && times ? HS_OK : hs_error_memory(error);
    hs_int128 power = 0;
    hs_time before = 0;

    *sum = 0;
    for (int64_t row = 0; code == HS_OK && row < rows; row += RESULT_READER_ROWS) {
        size_t count = rows - row < RESULT_READER_ROWS ? (size_t)(rows - row) : RESULT_READER_ROWS;

        code =
            result_reader_doubles(reader, table, result_series_power(), row, count, powers, error);
        if (code == HS_OK) {
            code = result_reader_ints(reader, table, SERIES_TIME, row, count, times, error);
        }
        for (size_t i = 0; code == HS_OK && i < count; i++) {
            double microwatts = powers[i] * 1e6;

            if (row > 0 || i > 0) {
                saturate_add(sum, power * saturate_difference(times[i], before));
            }
            before = times[i];
            power = fabs(microwatts) < 9e18 ? llround(microwatts) : 0;
        }
    }
    free(powers);
    free(times);
    return code;
}

/* Against the rows of the series if they have each change, else what was summed up meanwhile. */
static enum hs_err check_series(struct result_reader *reader, hs_int128 total,
                                struct result_check *checks, size_t *count, struct hs_error *error)
{
    char *mode = NULL;
    hs_int128 integral = 0;
    enum hs_err code = result_reader_text(reader, "series", "mode", &mode, error);

    if (code == HS_OK) {
        code = strcmp(mode, "events") == 0
                   ? sum_power(reader, &integral, error)
                   : result_check_sum(reader, "series", "power_integral", &integral, error);
    }
    if (code == HS_OK) {
        result_compare(&checks[(*count)++], "energy in time", "integral of the power", integral,
                       "energy", total);
    }
    free(mode);
    return code;
}

static enum hs_err check_jobs(struct result_reader *reader, const hs_int128 *sums,
                              struct result_check *checks, size_t *count, struct hs_error *error)
{
    double charged = (double)sums[JOBS] / 1e15;
    double joules;
    enum hs_err code = sum_jobs(reader, &joules, error);

    if (code != HS_OK) {
        return code;
    }
    if (fabs(joules - charged) <= TOLERANCE * fabs(charged)) {
        hs_int128 sum = sums[JOBS];

        saturate_add(&sum, sums[UNCHARGED]);
        result_compare(&checks[(*count)++], "energy of jobs", "jobs and nobody", sum, "energy",
                       sums[TOTAL]);
    } else {
        checks[*count].name = "energy of jobs";
        result_conclude(&checks[(*count)++], RESULT_FAILS,
                        "all jobs together have %.12g J, but %.12g J were charged to jobs", joules,
                        charged);
    }
    return HS_OK;
}

enum hs_err result_check_energy(struct result_reader *reader, struct result_check *checks,
                                size_t *count, struct hs_error *error)
{
    hs_int128 sums[SUMS] = {0};
    hs_int128 states = 0;
    hs_int128 groups = 0;
    enum hs_err code = HS_OK;

    if (!result_reader_series_more(reader)->has_power) {
        return HS_OK;
    }
    for (int i = 0; code == HS_OK && i < SUMS; i++) {
        code = result_check_sum(reader, "energy", sum_names[i], &sums[i], error);
    }
    for (int i = OFF; i <= BUSY; i++) {
        saturate_add(&states, sums[i]);
    }
    if (code == HS_OK) {
        code = sum_groups(reader, &groups, error);
    }
    if (code != HS_OK) {
        return code;
    }
    result_compare(&checks[(*count)++], "energy by state", "off, idle, context and busy", states,
                   "energy", sums[TOTAL]);
    result_compare(&checks[(*count)++], "energy by device", "nodes and devices", groups, "energy",
                   sums[TOTAL]);
    code = check_jobs(reader, sums, checks, count, error);
    return code == HS_OK ? check_series(reader, sums[TOTAL], checks, count, error) : code;
}
