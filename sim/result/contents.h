/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contents.h - everything that is in a file of hsim, without knowing what it should be.
 *
 * A group that holds datasets of one dimension is a table, with a column for each; a single text is
 * a text; attributes of groups are attributes. That is how hsim writes runs and sweeps, so exports
 * need no list of what there is. Links to other files are passed over.
 *
 * The tables of a sweep, /runs, /params and /metrics, have equal rows and become one, "runs"; a
 * column whose name is taken is called by its path, "params/seed". */
#ifndef HSIM_RESULT_CONTENTS_H
#define HSIM_RESULT_CONTENTS_H

#include "hs/base.h"

enum contents_type {
    CONTENTS_INT,
    CONTENTS_REAL,
    CONTENTS_BOOL, /* integers 0 and 1 */
    CONTENTS_WORD, /* integers that stand for words; -1: for none */
    CONTENTS_TEXT,
};

struct contents_column {
    const char *name, *unit, *doc;
    const char *path; /* of the dataset */
    enum contents_type type;
    const char *const *words; /* CONTENTS_WORD: the word of 0, 1, ... */
    size_t word_count;
    size_t text_size; /* CONTENTS_TEXT: bytes of one, with its end */
    bool is_byte;     /* an enumeration of the file */
    bool has_missing; /* CONTENTS_INT: the value `missing` stands for none */
    int64_t missing;
};

struct contents_table {
    const char *path; /* "platform/nodes" */
    struct contents_column *columns;
    size_t column_count;
    int64_t rows;
};

struct contents_attribute {
    const char *object; /* path of the group; "": that of the file */
    const char *name;
    enum contents_type type; /* INT, REAL or TEXT */
    int64_t integer;
    double real;
    const char *text;
};

struct contents_text {
    const char *path, *text;
};

struct contents {
    bool is_sweep;
    struct contents_table *tables;
    struct contents_attribute *attributes;
    struct contents_text *texts;
    size_t table_count, attribute_count, text_count;
    struct contents_private *hidden;
};

/* Columns of /jobs, of the series and of other tables that the schema knows stand in its order,
 * others in the order of the file. HS_ERR_INPUT as result_reader_open. contents_close in any case.
 */
enum hs_err contents_open(const char *path, struct contents **contents,
                          struct hs_error *error) HS_MUST_USE;
void contents_close(struct contents *contents); /* takes NULL */

/* NULL: none of this path. */
const struct contents_table *contents_find(const struct contents *contents, const char *path);

#define CONTENTS_ROWS 65536

/* A piece of a column: rows [first, first + count), count <= CONTENTS_ROWS, `first` a multiple of
 * it for speed. Of any type but REAL and TEXT; of REAL; of TEXT, `text_size` bytes each. */
enum hs_err contents_ints(struct contents *contents, const struct contents_table *table,
                          const struct contents_column *column, int64_t first, size_t count,
                          int64_t *values, struct hs_error *error) HS_MUST_USE;
enum hs_err contents_reals(struct contents *contents, const struct contents_table *table,
                           const struct contents_column *column, int64_t first, size_t count,
                           double *values, struct hs_error *error) HS_MUST_USE;
enum hs_err contents_texts(struct contents *contents, const struct contents_table *table,
                           const struct contents_column *column, int64_t first, size_t count,
                           char *texts, struct hs_error *error) HS_MUST_USE;

/* Does an integer stand for none? */
static inline bool contents_is_missing(const struct contents_column *column, int64_t value)
{
    return column->has_missing && value == column->missing;
}

/* The word of a value; NULL: it stands for none. */
const char *contents_word(const struct contents_column *column, int64_t value);

#endif
