/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pack.c - shuffle and deflate through zlib. */
#include "result/pack.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define VALUE_SIZE_MAX 8

struct pack {
    z_stream stream;
    unsigned char *shuffled;
    unsigned char *packed;
    size_t shuffled_size;
    size_t packed_size;
};

struct pack *pack_create(size_t rows, int level)
{
    struct pack *pack = calloc(1, sizeof *pack);

    if (!pack) {
        return NULL;
    }
    if (deflateInit2(&pack->stream, level, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL - 1,
                     level == 1 ? Z_RLE : Z_DEFAULT_STRATEGY) != Z_OK) {
        free(pack);
        return NULL;
    }
    pack->shuffled_size = rows * VALUE_SIZE_MAX;
    pack->packed_size = deflateBound(&pack->stream, (uLong)pack->shuffled_size);
    pack->shuffled = malloc(pack->shuffled_size);
    pack->packed = malloc(pack->packed_size);
    if (!pack->shuffled || !pack->packed) {
        pack_destroy(pack);
        return NULL;
    }
    return pack;
}

void pack_destroy(struct pack *pack)
{
    if (pack) {
        (void)deflateEnd(&pack->stream);
        free(pack->shuffled);
        free(pack->packed);
        free(pack);
    }
}

/* All first bytes, then all second bytes, and so on. */
static void shuffle(struct pack *pack, const unsigned char *values, size_t size, size_t count,
                    size_t rows)
{
    for (size_t byte = 0; byte < size; byte++) {
        unsigned char *target = pack->shuffled + byte * rows;

        for (size_t i = 0; i < count; i++) {
            target[i] = values[i * size + byte];
        }
        memset(target + count, 0, rows - count);
    }
}

const void *pack_chunk(struct pack *pack, const void *values, size_t size, size_t count,
                       size_t rows, size_t *length)
{
    HS_ASSERT(count <= rows && rows * size <= pack->shuffled_size);
    shuffle(pack, values, size, count, rows);
    if (deflateReset(&pack->stream) != Z_OK) {
        return NULL;
    }
    pack->stream.next_in = pack->shuffled;
    pack->stream.avail_in = (uInt)(rows * size);
    pack->stream.next_out = pack->packed;
    pack->stream.avail_out = (uInt)pack->packed_size;
    if (deflate(&pack->stream, Z_FINISH) != Z_STREAM_END) {
        return NULL;
    }
    *length = pack->stream.total_out;
    return pack->packed;
}
