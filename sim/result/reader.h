/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reader.h - reading result files.
 *
 * Opening checks that the file is a complete result of a known schema and that its tables are
 * whole. Columns are read in pieces, widened to int64_t or as doubles; pieces that begin at
 * multiples of RESULT_READER_ROWS and are no longer than that are read without waste. */
#ifndef HSIM_RESULT_READER_H
#define HSIM_RESULT_READER_H

#include "result/schema.h"

#define RESULT_READER_ROWS 65536

struct result_reader;

/* HS_ERR_INPUT, with what is wrong and what to do: no such file, not HDF5, truncated, unfinished
 * (*.part), not of hsim, of a newer hsim. */
enum hs_err result_reader_open(const char *path, struct result_reader **reader,
                               struct hs_error *error) HS_MUST_USE;
void result_reader_close(struct result_reader *reader); /* takes NULL */

const char *result_reader_path(const struct result_reader *reader);

/* Attributes of the root, or of `object` ("series"). The caller frees the text. */
enum hs_err result_reader_text(struct result_reader *reader, const char *object, const char *name,
                               char **text, struct hs_error *error) HS_MUST_USE;
enum hs_err result_reader_int(struct result_reader *reader, const char *object, const char *name,
                              int64_t *value, struct hs_error *error) HS_MUST_USE;
enum hs_err result_reader_double(struct result_reader *reader, const char *object, const char *name,
                                 double *value, struct hs_error *error) HS_MUST_USE;

/* A text ("provenance/config"), or a whole column of texts ("platform/nodes/name"): `count`
 * strings one behind the other, each with its end, in one block that the caller frees. */
enum hs_err result_reader_texts(struct result_reader *reader, const char *path, char **texts,
                                size_t *count, struct hs_error *error) HS_MUST_USE;

/* Tables: "jobs", "allocations", "device_allocations", "series", "arrivals", "inflation". NULL: the
 * file has none of that name. */
const struct result_table *result_reader_table(const struct result_reader *reader,
                                               const char *name);
/* Whether the run has energy, and its kinds of devices. */
const struct result_series_more *result_reader_series_more(const struct result_reader *reader);
int64_t result_reader_rows(const struct result_reader *reader, const struct result_table *table);
/* Rows [first, first + count) of a column. An integer column becomes int64_t, a column of doubles
 * stays doubles. States are known ones. */
enum hs_err result_reader_ints(struct result_reader *reader, const struct result_table *table,
                               size_t column, int64_t first, size_t count, int64_t *values,
                               struct hs_error *error) HS_MUST_USE;
enum hs_err result_reader_doubles(struct result_reader *reader, const struct result_table *table,
                                  size_t column, int64_t first, size_t count, double *values,
                                  struct hs_error *error) HS_MUST_USE;
/* The same for any dataset of integers ("platform/nodes/cores_milli") or of reals, whole; the
 * caller frees. */
enum hs_err result_reader_column(struct result_reader *reader, const char *path, int64_t **values,
                                 size_t *count, struct hs_error *error) HS_MUST_USE;

enum hs_err result_reader_reals(struct result_reader *reader, const char *path, double **values,
                                size_t *count, struct hs_error *error) HS_MUST_USE;
/* Is there something of this path? */
bool result_reader_has(struct result_reader *reader, const char *path);

/* The group "classes" or "models" of a run with speeds (else result_reader_has is false). The list
 * and its names are one block that the caller frees. */
enum hs_err result_reader_parts(struct result_reader *reader, const char *group,
                                struct result_part **list, size_t *count,
                                struct hs_error *error) HS_MUST_USE;

/* /summary. The strings live as long as the reader; result_summary_fini frees the rest. */
enum hs_err result_reader_summary(struct result_reader *reader, struct result_summary *summary,
                                  struct hs_error *error) HS_MUST_USE;

#endif
