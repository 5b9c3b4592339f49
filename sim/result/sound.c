/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sound.c - are the chunks of a dataset what HDF5 takes them for?
 *
 * HDF5 1.10 copies a chunk out of memory as large as the index of chunks says, or as what the chunk
 * unpacks to, and compares neither with what a chunk must have. */
#include <stdlib.h>
#include <zlib.h>

#include "result/store.h"

#define PIECE 65536
#define SPARE_MIN                                                                                  \
    1024 /* bytes that a packed chunk may have beyond an eighth more than unpacked                 \
          */

static bool fail(struct store_cause *cause, const char *text)
{
    if (!cause->is_known) {
        *cause = (struct store_cause){.is_known = true, .is_ours = true};
        (void)snprintf(cause->text, sizeof cause->text, "%s", text);
    }
    return false;
}

/* Shuffling keeps the size, so what deflate leaves behind is known if it is applied last. */
static bool find_filters(hid_t list, bool *is_deflated, struct store_cause *cause)
{
    int count = H5Pget_nfilters(list);

    *is_deflated = false;
    for (int i = 0; i < count; i++) {
        unsigned flags, config;
        size_t value_count = 0;
        H5Z_filter_t filter =
            H5Pget_filter2(list, (unsigned)i, &flags, &value_count, NULL, 0, NULL, &config);

        *is_deflated = filter == H5Z_FILTER_DEFLATE && i == count - 1;
        if (!*is_deflated && filter != H5Z_FILTER_SHUFFLE) {
            return fail(cause, "it is packed by other filters than shuffle and then deflate: "
                               "`h5repack -f NONE` changes that");
        }
    }
    return count >= 0;
}

/* Does it unpack to `size` bytes? What it unpacks to is not kept. */
static bool unpacks_to(unsigned char *packed, size_t packed_size, size_t size,
                       struct store_cause *cause)
{
    unsigned char piece[PIECE];
    z_stream stream = {.next_in = packed, .avail_in = (uInt)packed_size};
    size_t total = 0;
    int status = inflateInit(&stream);

    while (status == Z_OK && total <= size) {
        stream.next_out = piece;
        stream.avail_out = sizeof piece;
        status = inflate(&stream, Z_NO_FLUSH);
        total += sizeof piece - stream.avail_out;
    }
    (void)inflateEnd(&stream);
    if (status == Z_MEM_ERROR) {
        return fail(cause, "out of memory");
    }
    return (status == Z_STREAM_END && total == size) ||
           fail(cause, "it has packed chunks that do not unpack to their size");
}

static bool is_sound_packed(hid_t dataset, const hsize_t *at, size_t packed_size, size_t size,
                            struct store_cause *cause)
{
    unsigned char *packed;
    uint32_t mask = 0;
    bool is_ok;

    if (packed_size == 0 || packed_size > size + size / 8 + SPARE_MIN) {
        return fail(cause, "it has chunks of impossible sizes");
    }
    packed = malloc(packed_size);
    if (!packed) {
        return fail(cause, "out of memory");
    }
    if (H5Dread_chunk(dataset, H5P_DEFAULT, at, &mask, packed) < 0) {
        is_ok = fail(cause, "a chunk cannot be read");
    } else {
        is_ok = unpacks_to(packed, packed_size, size, cause);
    }
    free(packed);
    return is_ok;
}

/* The chunk that begins at row *at; one that is not there reads as the fill value. */
static bool is_sound_chunk(hid_t dataset, const hsize_t *at, bool is_deflated, size_t size,
                           struct store_cause *cause)
{
    unsigned mask = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t stored = 0;

    if (H5Dget_chunk_info_by_coord(dataset, at, &mask, &address, &stored) < 0) {
        return fail(cause, "it has chunks of impossible sizes");
    }
    if (address == HADDR_UNDEF) {
        return true;
    }
    if (mask != 0 || (!is_deflated && stored != size)) {
        return fail(cause, "it has chunks of impossible sizes");
    }
    return !is_deflated || is_sound_packed(dataset, at, (size_t)stored, size, cause);
}

bool store_is_sound(hid_t dataset, int64_t row, size_t count, struct store_cause *cause)
{
    hid_t list = H5Dget_create_plist(dataset);
    hid_t type = H5Dget_type(dataset);
    hsize_t end = (hsize_t)row + count;
    hsize_t rows = 0;
    bool is_deflated = false;
    bool is_ok = list >= 0 && type >= 0;

    if (is_ok && H5Pget_layout(list) == H5D_CHUNKED) {
        is_ok = H5Pget_chunk(list, 1, &rows) == 1 && rows > 0;
        is_ok = is_ok ? find_filters(list, &is_deflated, cause)
                      : fail(cause, "it has chunks of impossible sizes");
    }
    for (hsize_t at = rows ? (hsize_t)row / rows * rows : end; is_ok && at < end; at += rows) {
        is_ok = is_sound_chunk(dataset, &at, is_deflated, rows * H5Tget_size(type), cause);
    }
    (void)H5Tclose(type);
    (void)H5Pclose(list);
    return is_ok;
}
