/* SPDX-License-Identifier: GPL-3.0-or-later */
/* csv.h - rows of separated values, with or without a header, plain or packed.
 *
 * Under a header columns are found by their names, in any order; columns that nobody asked for are
 * passed over, or come behind the others. A field may stand in double quotes, doubled inside; it
 * ends with its line unless the form says otherwise. Blanks around fields do not count. Memory does
 * not grow with the file. */
#ifndef HSIM_INPUT_CSV_H
#define HSIM_INPUT_CSV_H

#include "hs/base.h"

#define CSV_COLUMNS_MAX 64 /* that a caller may ask for */

struct csv_column {
    const char *name;
    bool is_required;
};

/* One row. Fields stand in the order of the columns that were asked for and hold until the next
 * row; one that the file does not have is "". */
struct csv_row {
    const char *fields[CSV_COLUMNS_MAX];
    int64_t line;
    const char *problem; /* why the row could not be split, or NULL: a part of a sentence */
};

struct csv;

/* Opens the file and reads its header. `columns` are borrowed. HS_ERR_INPUT: no such file, no
 * text, no header, a column is missing or there twice; `what` is what the file should be ("a list
 * of nodes"). */
enum hs_err csv_open(const char *path, const char *what, const struct csv_column *columns,
                     size_t column_count, struct csv **csv, struct hs_error *error) HS_MUST_USE;

/* What is not as usual. */
struct csv_form {
    char separator;    /* ',' as a rule */
    bool is_multiline; /* a field in quotes may hold newlines; a row has at most 32 KiB */
    bool is_headless;  /* columns are asked for by their numbers, "#1" the first */
};
enum hs_err csv_open_form(const char *path, const char *what, const struct csv_form *form,
                          const struct csv_column *columns, size_t column_count, struct csv **csv,
                          struct hs_error *error) HS_MUST_USE;

/* As csv_open, but the columns that nobody asked for count, too: in the order of the file, as
 * fields behind those that were asked for. HS_ERR_INPUT also if one of them has no name or a name
 * twice, or all together are more than CSV_COLUMNS_MAX. */
enum hs_err csv_open_rest(const char *path, const char *what, const struct csv_column *columns,
                          size_t column_count, struct csv **csv,
                          struct hs_error *error) HS_MUST_USE;

/* A file without a header: each row has `column_count` fields with `separator` between them. A
 * quote is a character like others. */
enum hs_err csv_open_bare(const char *path, char separator, size_t column_count, struct csv **csv,
                          struct hs_error *error) HS_MUST_USE;
void csv_close(struct csv *csv); /* takes NULL */

/* The further columns of csv_open_rest; column `index` of them is field column_count + index. */
size_t csv_rest_count(const struct csv *csv);
const char *csv_rest_name(const struct csv *csv, size_t index);

/* The columns of the file that nobody asked for: "a, b", cut where they are many; "": none. */
const char *csv_unused(const struct csv *csv);

/* Does the header have column number `column`? */
bool csv_has(const struct csv *csv, size_t column);

/* The next row that is not empty; *has_row false at the end. A row that cannot be split comes with
 * its problem and without fields. */
enum hs_err csv_next(struct csv *csv, struct csv_row *row, bool *has_row,
                     struct hs_error *error) HS_MUST_USE;

/* Share of the file that has been read, 0 to 1; NaN where its size is not known. */
double csv_progress(const struct csv *csv);

/* A whole number without anything else; false: it is none, or does not fit 64 bits. */
bool csv_parse_int(const char *text, int64_t *value);

#endif
