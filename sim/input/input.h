/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input.h - the bytes of a file, unpacked on the way.
 *
 * Plain files, gzip (several members too) and zstd (several frames too), told apart by their
 * first bytes and never by the name. Broken or truncated data are errors, not an early end. */
#ifndef HSIM_INPUT_INPUT_H
#define HSIM_INPUT_INPUT_H

#include "hs/base.h"

struct input;

/* `path` is copied. Fails for what is missing, a folder, of 0 bytes, or packed in another way. */
enum hs_err input_open(const char *path, struct input **input, struct hs_error *error) HS_MUST_USE;
void input_close(struct input *input);

/* Up to `capacity` bytes (> 0) of content; *length 0 means the end. */
enum hs_err input_read(struct input *input, char *bytes, size_t capacity, size_t *length,
                       struct hs_error *error) HS_MUST_USE;

/* Share of the file's bytes that has been read, 0 to 1; NaN where the size is not known. */
double input_progress(const struct input *input);

/* As given to open. */
const char *input_path(const struct input *input);

#endif
