/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store.h - the few operations of HDF5 that results need. Internal to sim/result.
 *
 * Functions that answer bool or hid_t leave the cause with the listener, and store_error turns it
 * into a sentence. Strings are of fixed length, UTF-8; no object carries a time stamp. */
#ifndef HSIM_RESULT_STORE_H
#define HSIM_RESULT_STORE_H

#include <hdf5.h>

#include "result/schema.h"

#define STORE_CHUNK_ROWS 65536

/* Why HDF5 failed first; zero it. */
struct store_cause {
    bool is_known;
    bool is_ours;     /* noticed before HDF5 was asked */
    int system_errno; /* 0: not the operating system */
    char text[256];
};

/* From now on the first failure of HDF5 goes into *cause, and nothing is printed. To be called
 * before each group of operations, since the handler is one for the whole library. */
void store_listen(struct store_cause *cause);
/* Forgets the cause of the last store_listen, before its memory goes. */
void store_silence(void);

/* HS_ERR_SYSTEM with what HDF5 and the system said; `doing` is "writing" or "reading". */
enum hs_err store_error(const struct store_cause *cause, const char *path, const char *doing,
                        struct hs_error *error);

/* `is_packed`: its chunks are compressed, so that aligning them would waste space. */
hid_t store_create(const char *path, bool is_packed);
hid_t store_open(const char *path);
/* Gives the file up: what HDF5 still writes to it goes nowhere, so that closing it cannot fail. */
void store_discard(hid_t file);
/* Opens the group, or creates it. */
hid_t store_group(hid_t parent, const char *name);
/* Creates a group that knows in which order its members were made. */
hid_t store_ordered_group(hid_t parent, const char *name);

bool store_attr_text(hid_t object, const char *name, const char *text);
bool store_attr_int(hid_t object, const char *name, int64_t value);
bool store_attr_double(hid_t object, const char *name, double value);

/* A scalar string dataset, and a column of strings. */
bool store_text(hid_t group, const char *name, const char *text);
bool store_texts(hid_t group, const char *name, const char *doc, const char *const *texts,
                 size_t count);

/* The same, packed: for texts of which most are equal or empty. */
bool store_packed_texts(hid_t group, const char *name, const char *doc, const char *const *texts,
                        size_t count);
/* A column of an HDF5 enumeration of one byte over `names`, from 0. */
bool store_enum(hid_t group, const char *name, const char *doc, const char *const *names,
                int name_count, const int8_t *values, size_t count);

/* An empty column that grows by store_append; `level` is the deflate level, 0: none. The chunk
 * holds STORE_CHUNK_ROWS rows, or the power of two that `rows` needs if that is less. `fill` is the
 * value of rows that store_extend adds and nothing writes; NULL: there are none. */
hid_t store_column(hid_t group, const struct result_column *column, size_t rows, int level,
                   const void *fill);
bool store_append(hid_t dataset, enum result_type type, int64_t row, size_t count,
                  const void *values);
/* Appends rows that hold the fill value, which takes no space where they make up a chunk. */
bool store_extend(hid_t dataset, int64_t row, size_t count);
/* Rows of such a chunk. */
size_t store_chunk_rows(size_t rows);
/* Appends a chunk that is packed already; only the last one may have rows beyond `count`. */
bool store_append_packed(hid_t dataset, int64_t row, size_t count, const void *packed,
                         size_t length);
/* A whole small column at once. */
bool store_values(hid_t group, const struct result_column *column, const void *values,
                  size_t count);
/* Have the chunks of these rows the sizes that they must have, packed and unpacked, and no filters
 * but shuffle and then deflate? HDF5 reads beyond its memory where a size is wrong, and a packed
 * chunk and the index of chunks are the parts of a file without a checksum. It reads and unpacks
 * the packed chunks once more. */
bool store_is_sound(hid_t dataset, int64_t row, size_t count, struct store_cause *cause);
/* Reads rows in the type of the column as it lies in memory. */
bool store_read(hid_t dataset, hid_t memory_type, int64_t row, size_t count, void *values);

/* Type of a column in memory and in the file; the caller closes it. */
hid_t store_type(enum result_type type);

#endif
