/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pack.h - compressing chunks as HDF5's shuffle and deflate filters would, only faster.
 *
 * At level 1 the strategy is Z_RLE: after the shuffle, equal bytes lie side by side, and looking
 * further back finds nothing more but takes twice as long (measured on a million jobs: 1.2 s
 * instead of 2.3 s, and 77 MB instead of 78). Any HDF5 reads the chunks. Internal to sim/result. */
#ifndef HSIM_RESULT_PACK_H
#define HSIM_RESULT_PACK_H

#include "hs/base.h"

struct pack;

/* `rows` of at most 8 bytes fit into a chunk; level 1..9. NULL: no memory. */
struct pack *pack_create(size_t rows, int level);
void pack_destroy(struct pack *pack); /* takes NULL */

/* Packs `count` values of `size` bytes, and zeros up to `rows` values. The result lives until the
 * next call; *length is its length. NULL: zlib failed. */
const void *pack_chunk(struct pack *pack, const void *values, size_t size, size_t count,
                       size_t rows, size_t *length);

#endif
