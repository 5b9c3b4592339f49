/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines.h - the lines of a file, plain or packed, in memory that does not grow with it.
 *
 * A line can be joined with the ones behind it, for formats whose records hold newlines, and the
 * join can be taken back. */
#ifndef HSIM_INPUT_LINES_H
#define HSIM_INPUT_LINES_H

#include "hs/base.h"

#define LINES_MAX_BYTES  ((size_t)32 * 1024) /* of a line; longer ones are cut */
#define LINES_SKIP_BYTES (INT64_C(1) << 30)  /* of a line; longer ones end the reading */

struct lines;

enum hs_err lines_open(const char *path, struct lines **lines, struct hs_error *error) HS_MUST_USE;
void lines_close(struct lines *lines); /* takes NULL */

/* The next line without its newline, ended by a zero byte; *line NULL at the end. It may be
 * changed, and holds until the next call. Of a line beyond LINES_MAX_BYTES *length is larger than
 * that, and only its beginning is there. HS_ERR_INPUT: a line beyond LINES_SKIP_BYTES. */
enum hs_err lines_next(struct lines *lines, char **line, size_t *length,
                       struct hs_error *error) HS_MUST_USE;

/* Joins the current line with the next, a newline between; its bytes must be as they were read. The
 * text may move. *is_joined false: the file ends here, or the line would become too long. */
enum hs_err lines_join(struct lines *lines, char **line, size_t *length, bool *is_joined,
                       struct hs_error *error) HS_MUST_USE;

/* Takes joins back: the current line ends at its first newline again. */
void lines_part(struct lines *lines);

/* Number of the current line, from 1; of joined ones that of the first. */
int64_t lines_number(const struct lines *lines);

const char *lines_path(const struct lines *lines);
double lines_progress(const struct lines *lines); /* as input_progress */

#endif
