/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check_fragments.c - what is free and lost of the devices: kinds against models, rows against
 * sums. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/check.h"
#include "result/saturate.h"

/* The levels of a slot: given, free, lost times the jobs of the mix. */
enum { SHARES, FREE, LOST, LEVELS };

struct audit {
    struct result_reader *reader;
    const struct result_series_more *more;
    int64_t device_count;
    hs_time end_ns;
    hs_int128 stored[LEVELS][RESULT_SLOTS_MAX];
    hs_int128 summed[LEVELS][RESULT_SLOTS_MAX];
    int64_t before[LEVELS][RESULT_SLOTS_MAX]; /* levels since before_ns */
    hs_time before_ns;
    int64_t *times;
    int64_t *values[LEVELS]; /* a piece of the columns of a slot */
    double *lost;
    int64_t *kinds, *models; /* free + given, and lost, of all kinds or models; by row of a piece */
    int64_t bad_row;         /* -1: none */
    const char *offence;
};

static void offend(struct audit *audit, int64_t row, const char *offence)
{
    if (audit->bad_row < 0) {
        audit->bad_row = row;
        audit->offence = offence;
    }
}

static enum hs_err load_stored(struct audit *audit, struct hs_error *error)
{
    static const char *const prefixes[LEVELS] = {"", "free_", "frag_"};
    enum hs_err code = HS_OK;

    for (int level = 0; level < LEVELS; level++) {
        for (size_t i = 0; code == HS_OK && i < audit->more->slot_count; i++) {
            char name[160];

            (void)snprintf(name, sizeof name, "%s%.100s_integral", prefixes[level],
                           audit->more->slots[i]);
            code = result_check_sum(audit->reader, "series", name, &audit->stored[level][i], error);
        }
    }
    return code;
}

/* The piece of the columns of a slot; its doubles become integers again. */
static enum hs_err load_slot(struct audit *audit, size_t slot, int64_t first, size_t count,
                             struct hs_error *error)
{
    const struct result_table *table = result_reader_table(audit->reader, "series");
    const struct result_series_more *more = audit->more;
    enum hs_err code = result_reader_ints(audit->reader, table, result_series_shares(more, slot),
                                          first, count, audit->values[SHARES], error);

    if (code == HS_OK) {
        code = result_reader_ints(audit->reader, table, result_series_free(more, slot), first,
                                  count, audit->values[FREE], error);
    }
    if (code == HS_OK) {
        code = result_reader_doubles(audit->reader, table, result_series_fragment(more, slot),
                                     first, count, audit->lost, error);
    }
    for (size_t i = 0; code == HS_OK && i < count; i++) {
        double lost = audit->lost[i] * (double)more->mix_jobs;

        audit->values[LOST][i] = fabs(lost) < 9e15 ? llround(lost) : -1;
    }
    return code;
}

/* Adds the piece of a slot to its integrals, and to the sums of the rows. */
static void add_slot(struct audit *audit, size_t slot, int64_t first, size_t count)
{
    int64_t *sums = slot < audit->more->kind_count ? audit->kinds : audit->models;
    hs_time before_ns = audit->before_ns;

    for (size_t i = 0; i < count; i++) {
        int64_t shares = audit->values[SHARES][i];
        int64_t free = audit->values[FREE][i];
        int64_t lost = audit->values[LOST][i];

        for (int level = 0; level < LEVELS; level++) {
            if (first > 0 || i > 0) {
                saturate_add(&audit->summed[level][slot],
                             (hs_int128)audit->before[level][slot] *
                                 saturate_difference(audit->times[i], before_ns));
            }
            audit->before[level][slot] = audit->values[level][i];
        }
        before_ns = audit->times[i];
        if (shares < 0 || free < 0 || lost < 0) {
            offend(audit, first + (int64_t)i, "has a level that cannot be");
        } else if (lost > (hs_int128)free * audit->more->mix_jobs) {
            offend(audit, first + (int64_t)i, "has more lost than free");
        }
        sums[2 * i] = saturate_sum(sums[2 * i], saturate_sum(shares, free));
        sums[2 * i + 1] = saturate_sum(sums[2 * i + 1], lost);
    }
}

static void check_sums(struct audit *audit, int64_t first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (audit->kinds[2 * i] != audit->models[2 * i] ||
            audit->kinds[2 * i + 1] != audit->models[2 * i + 1]) {
            offend(audit, first + (int64_t)i, "has other sums of the models than of the kinds");
        } else if (audit->kinds[2 * i] >
                   saturate_product(audit->device_count, HS_SHARES_PER_UNIT)) {
            offend(audit, first + (int64_t)i, "has more given and free than there is");
        }
    }
}

static enum hs_err add_rows(struct audit *audit, struct hs_error *error)
{
    const struct result_table *table = result_reader_table(audit->reader, "series");
    int64_t rows = result_reader_rows(audit->reader, table);
    enum hs_err code = HS_OK;

    for (int64_t row = 0; code == HS_OK && row < rows; row += RESULT_READER_ROWS) {
        size_t count = rows - row < RESULT_READER_ROWS ? (size_t)(rows - row) : RESULT_READER_ROWS;

        memset(audit->kinds, 0, 2 * count * sizeof *audit->kinds);
        memset(audit->models, 0, 2 * count * sizeof *audit->models);
        code =
            result_reader_ints(audit->reader, table, SERIES_TIME, row, count, audit->times, error);
        for (size_t slot = 0; code == HS_OK && slot < audit->more->slot_count; slot++) {
            code = load_slot(audit, slot, row, count, error);
            if (code == HS_OK) {
                add_slot(audit, slot, row, count);
            }
        }
        if (code == HS_OK) {
            check_sums(audit, row, count);
            audit->before_ns = audit->times[count - 1];
        }
    }
    for (size_t slot = 0; rows > 0 && slot < audit->more->slot_count; slot++) {
        for (int level = 0; level < LEVELS; level++) {
            saturate_add(&audit->summed[level][slot],
                         (hs_int128)audit->before[level][slot] *
                             saturate_difference(audit->end_ns, audit->before_ns));
        }
    }
    return code;
}

/* The integrals that were summed up while it ran: of all kinds those of all models. */
static bool are_balanced(const struct audit *audit)
{
    bool is_ok = true;

    for (int level = 0; level < LEVELS; level++) {
        hs_int128 sums[2] = {0};

        for (size_t i = 0; i < audit->more->slot_count; i++) {
            saturate_add(&sums[i < audit->more->kind_count], audit->stored[level][i]);
        }
        is_ok = is_ok && sums[0] == sums[1];
    }
    return is_ok;
}

static void conclude(const struct audit *audit, bool has_rows, struct result_check *check)
{
    check->name = "fragmentation";
    if (audit->bad_row >= 0) {
        result_conclude(check, RESULT_FAILS, "row %" PRId64 " of the series %s", audit->bad_row,
                        audit->offence);
    } else if (!are_balanced(audit)) {
        result_conclude(check, RESULT_FAILS,
                        "the integrals of the models do not add up to those of the kinds");
    } else if (has_rows && memcmp(audit->stored, audit->summed, sizeof audit->stored) != 0) {
        result_conclude(check, RESULT_FAILS,
                        "the integrals of what is given, free and lost are not those summed up "
                        "while it ran");
    } else {
        result_conclude(check, RESULT_HOLDS,
                        "models add up to kinds, and only what is free is lost%s",
                        has_rows ? ", in every row" : ", in the integrals");
    }
}

static enum hs_err allocate(struct audit *audit, struct hs_error *error)
{
    size_t rows = RESULT_READER_ROWS;
    bool is_ok = true;

    for (int level = 0; level < LEVELS; level++) {
        audit->values[level] = malloc(rows * sizeof *audit->values[level]);
        is_ok = is_ok && audit->values[level];
    }
    audit->times = malloc(rows * sizeof *audit->times);
    audit->lost = malloc(rows * sizeof *audit->lost);
    audit->kinds = malloc(2 * rows * sizeof *audit->kinds);
    audit->models = malloc(2 * rows * sizeof *audit->models);
    return is_ok && audit->times && audit->lost && audit->kinds && audit->models
               ? HS_OK
               : hs_error_memory(error);
}

static void audit_fini(struct audit *audit)
{
    for (int level = 0; level < LEVELS; level++) {
        free(audit->values[level]);
    }
    free(audit->times);
    free(audit->lost);
    free(audit->kinds);
    free(audit->models);
}

enum hs_err result_check_fragments(struct result_reader *reader, hs_time end_ns,
                                   struct result_check *checks, size_t *count,
                                   struct hs_error *error)
{
    struct audit audit = {.reader = reader,
                          .more = result_reader_series_more(reader),
                          .end_ns = end_ns,
                          .bad_row = -1};
    char *mode = NULL;
    enum hs_err code;
    bool has_rows;

    if (!audit.more->has_fragments) {
        return HS_OK;
    }
    code = result_reader_text(reader, "series", "mode", &mode, error);
    has_rows = code == HS_OK && strcmp(mode, "events") == 0;
    free(mode);
    if (code == HS_OK) {
        code = result_reader_int(reader, "platform", "device_count", &audit.device_count, error);
    }
    if (code == HS_OK) {
        code = load_stored(&audit, error);
    }
    if (code == HS_OK && has_rows &&
        (double)audit.device_count * HS_SHARES_PER_UNIT * (double)audit.more->mix_jobs > 4e15) {
        checks[*count].name = "fragmentation";
        result_conclude(&checks[(*count)++], RESULT_SKIPPED,
                        "so many jobs and devices that a column of doubles does not hold it "
                        "exactly");
        return HS_OK;
    }
    if (code == HS_OK && has_rows) {
        code = allocate(&audit, error);
        if (code == HS_OK) {
            code = add_rows(&audit, error);
        }
    }
    if (code == HS_OK) {
        conclude(&audit, has_rows, &checks[(*count)++]);
    }
    audit_fini(&audit);
    return code;
}
