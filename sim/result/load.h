/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load.h - opening a file of hsim, and reading attributes and whole columns of it.
 *
 * What is wrong becomes a sentence with what to do. Internal to sim/result. */
#ifndef HSIM_RESULT_LOAD_H
#define HSIM_RESULT_LOAD_H

#include "result/store.h"

struct load {
    char *path;
    hid_t file;
    struct store_cause cause;
    bool is_sweep; /* a merged file */
};

/* HS_ERR_INPUT: no such file, not HDF5, truncated, unfinished (*.part), not of hsim, of a newer
 * hsim. load_close in any case. */
enum hs_err load_open(struct load *load, const char *path, struct hs_error *error) HS_MUST_USE;
void load_close(struct load *load);

/* HS_ERR_INPUT: "PATH: WHAT cannot be read ...". */
enum hs_err load_fail(const struct load *load, const char *what, struct hs_error *error);

/* Attributes of the root, or of `object`. The caller frees the text. */
enum hs_err load_text(struct load *load, const char *object, const char *name, char **text,
                      struct hs_error *error) HS_MUST_USE;
/* `value` is of the native type `type`. */
enum hs_err load_number(struct load *load, const char *object, const char *name, hid_t type,
                        void *value, struct hs_error *error) HS_MUST_USE;

/* Rows of a dataset of one dimension; -1: it is none. */
int64_t load_rows(hid_t dataset);
/* `count` strings one behind the other, each with its end, in one block that the caller frees. */
enum hs_err load_texts(struct load *load, const char *path, char **texts, size_t *count,
                       struct hs_error *error) HS_MUST_USE;
/* A whole dataset of one dimension as `type`, which has 8 bytes; the caller frees. NULL: failed. */
void *load_column(struct load *load, const char *path, hid_t type, size_t *count);
/* Is there an object of that path? */
bool load_has(struct load *load, const char *path);

#endif
