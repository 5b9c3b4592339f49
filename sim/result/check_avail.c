/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check_avail.c - where nodes leave and come back: jobs hold no more than is available, which is no
 * more than is installed; and the integrals are those of the rows. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/check.h"
#include "result/saturate.h"

#define NUMBERS_MAX (1 + RESULT_KINDS_MAX) /* the cores, and the devices of each kind */

struct audit {
    struct result_reader *reader;
    const struct result_series_more *more;
    int64_t installed[NUMBERS_MAX]; /* thousandths; of a kind INT64_MAX: not asked */
    hs_time end_ns;
    hs_int128 stored[NUMBERS_MAX], summed[NUMBERS_MAX];
    int64_t before[NUMBERS_MAX]; /* levels since before_ns */
    hs_time before_ns;
    int64_t *times, *held, *avail; /* a piece of the columns */
    int64_t bad_row;               /* -1: none */
};

static enum hs_err load_stored(struct audit *audit, struct hs_error *error)
{
    enum hs_err code =
        result_check_sum(audit->reader, "series", "avail_integral", &audit->stored[0], error);

    for (size_t k = 0; code == HS_OK && k < audit->more->kind_count; k++) {
        char name[160];

        audit->installed[k + 1] = INT64_MAX;
        (void)snprintf(name, sizeof name, "avail_%.100s_integral", audit->more->slots[k]);
        code = result_check_sum(audit->reader, "series", name, &audit->stored[k + 1], error);
    }
    return code == HS_OK ? result_reader_int(audit->reader, "platform", "cores_milli",
                                             &audit->installed[0], error)
                         : code;
}

/* A piece of the cores, or of a kind: into the integral, and held against what jobs hold. */
static enum hs_err add_piece(struct audit *audit, size_t number, int64_t first, size_t count,
                             struct hs_error *error)
{
    const struct result_table *table = result_reader_table(audit->reader, "series");
    size_t held = number ? result_series_shares(audit->more, number - 1) : SERIES_ALLOC_MILLI;
    hs_time before_ns = audit->before_ns;
    enum hs_err code =
        result_reader_ints(audit->reader, table, held, first, count, audit->held, error);

    if (code == HS_OK) {
        code = result_reader_ints(audit->reader, table, result_series_avail(audit->more, number),
                                  first, count, audit->avail, error);
    }
    for (size_t i = 0; code == HS_OK && i < count; i++) {
        if (first > 0 || i > 0) {
            saturate_add(&audit->summed[number],
                         (hs_int128)audit->before[number] *
                             saturate_difference(audit->times[i], before_ns));
        }
        before_ns = audit->times[i];
        audit->before[number] = audit->avail[i];
        if ((audit->avail[i] < 0 || audit->held[i] > audit->avail[i] ||
             audit->avail[i] > audit->installed[number]) &&
            audit->bad_row < 0) {
            audit->bad_row = first + (int64_t)i;
        }
    }
    return code;
}

static enum hs_err add_rows(struct audit *audit, struct hs_error *error)
{
    const struct result_table *table = result_reader_table(audit->reader, "series");
    int64_t rows = result_reader_rows(audit->reader, table);
    enum hs_err code = HS_OK;

    for (int64_t row = 0; code == HS_OK && row < rows; row += RESULT_READER_ROWS) {
        size_t count = rows - row < RESULT_READER_ROWS ? (size_t)(rows - row) : RESULT_READER_ROWS;

        code =
            result_reader_ints(audit->reader, table, SERIES_TIME, row, count, audit->times, error);
        for (size_t number = 0; code == HS_OK && number <= audit->more->kind_count; number++) {
            code = add_piece(audit, number, row, count, error);
        }
        audit->before_ns = audit->times[count - 1];
    }
    for (size_t number = 0; rows > 0 && number <= audit->more->kind_count; number++) {
        saturate_add(&audit->summed[number],
                     (hs_int128)audit->before[number] *
                         saturate_difference(audit->end_ns, audit->before_ns));
    }
    return code;
}

static void conclude(const struct audit *audit, bool has_rows, struct result_check *check)
{
    check->name = "availability";
    if (audit->bad_row >= 0) {
        result_conclude(check, RESULT_FAILS,
                        "row %" PRId64 " of the series has more held than available, or more "
                        "available than installed",
                        audit->bad_row);
    } else if (!has_rows) {
        result_conclude(check, RESULT_SKIPPED, "the series keeps no change");
    } else if (memcmp(audit->stored, audit->summed, sizeof audit->stored) != 0) {
        result_conclude(check, RESULT_FAILS,
                        "the integrals of what is available are not those summed up while it ran");
    } else {
        result_conclude(check, RESULT_HOLDS,
                        "in every row jobs hold no more than is available, and that is no more "
                        "than is installed");
    }
}

enum hs_err result_check_avail(struct result_reader *reader, hs_time end_ns,
                               struct result_check *checks, size_t *count, struct hs_error *error)
{
    struct audit audit = {.reader = reader,
                          .more = result_reader_series_more(reader),
                          .end_ns = end_ns,
                          .bad_row = -1};
    char *mode = NULL;
    enum hs_err code;
    bool has_rows;

    if (!audit.more->has_avail) {
        return HS_OK;
    }
    code = result_reader_text(reader, "series", "mode", &mode, error);
    has_rows = code == HS_OK && strcmp(mode, "events") == 0;
    free(mode);
    if (code == HS_OK) {
        code = load_stored(&audit, error);
    }
    if (code == HS_OK && has_rows) {
        audit.times = malloc(3 * RESULT_READER_ROWS * sizeof *audit.times);
        if (!audit.times) {
            return hs_error_memory(error);
        }
        audit.held = audit.times + RESULT_READER_ROWS;
        audit.avail = audit.held + RESULT_READER_ROWS;
        code = add_rows(&audit, error);
    }
    if (code == HS_OK) {
        conclude(&audit, has_rows, &checks[(*count)++]);
    }
    free(audit.times);
    return code;
}
