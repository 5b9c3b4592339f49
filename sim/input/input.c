/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input.c - reads plain, gzip and zstd files through one interface. */
#include "input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define PACKED_CAPACITY ((size_t)128 * 1024)
#define GZIP_WINDOW     (15 + 16) /* largest window, gzip frame only */

enum packing { PACKING_NONE, PACKING_GZIP, PACKING_ZSTD };

struct input {
    int file;
    enum packing packing;
    char *path;
    unsigned char *packed; /* bytes of the file that are not used yet: [packed_at, packed_end) */
    size_t packed_at, packed_end;
    int64_t content_bytes; /* handed on so far, for messages */
    int64_t file_bytes;    /* read from the file so far */
    bool at_end;           /* the file has no more bytes */
    bool is_between;       /* no gzip member and no zstd frame is open */
    z_stream inflate;
    bool has_inflate;
    ZSTD_DStream *zstd;
};

/* Signatures of packings that are recognised in order to say so. */
static const struct {
    const char *bytes;
    size_t length;
    const char *name;
} foreign[] = {
    {"BZh", 3, "bzip2"},
    {"\xFD"
     "7zXZ",
     5, "xz"},
    {"PK\x03\x04", 4, "zip"},
    {"7z\xBC\xAF", 4, "7-Zip"},
    {"\x1F\x9D", 2, "compress (.Z)"},
    {"\x89HDF", 4, "HDF5"},
};

static enum hs_err packed_fill(struct input *input, struct hs_error *error)
{
    ssize_t got;

    do {
        got = read(input->file, input->packed, PACKED_CAPACITY);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return hs_error_set(error, HS_ERR_SYSTEM, "%s: reading failed: %s.", input->path,
                            strerror(errno));
    }
    input->packed_at = 0;
    input->packed_end = (size_t)got;
    input->file_bytes += got;
    input->at_end = got == 0;
    return HS_OK;
}

static enum hs_err packing_start(struct input *input, struct hs_error *error)
{
    const unsigned char *head = input->packed;
    size_t length = input->packed_end;

    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        if (length >= foreign[i].length && !memcmp(head, foreign[i].bytes, foreign[i].length)) {
            return hs_error_set(
                error, HS_ERR_INPUT,
                "%s: this is a %s file, which cannot be read. Unpack it, or pack it "
                "with gzip or zstd.",
                input->path, foreign[i].name);
        }
    }
    input->is_between = true;
    if (length >= 2 && head[0] == 0x1F && head[1] == 0x8B) {
        input->packing = PACKING_GZIP;
        if (inflateInit2(&input->inflate, GZIP_WINDOW) != Z_OK) {
            return hs_error_memory(error);
        }
        input->has_inflate = true;
    } else if (length >= 4 && !memcmp(head, "\x28\xB5\x2F\xFD", 4)) {
        input->packing = PACKING_ZSTD;
        input->zstd = ZSTD_createDStream();
        if (!input->zstd) {
            return hs_error_memory(error);
        }
    }
    return HS_OK;
}

static enum hs_err file_open(struct input *input, struct hs_error *error)
{
    struct stat status;

    input->file = open(input->path, O_RDONLY | O_CLOEXEC);
    if (input->file < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: cannot be opened now: %s. Close programs, or raise the limits "
                            "(ulimit -n, ulimit -v).",
                            input->path, strerror(errno));
    }
    if (input->file < 0) {
        return hs_error_set(error, HS_ERR_INPUT, "%s: cannot be opened: %s. Check the path.",
                            input->path, strerror(errno));
    }
    if (fstat(input->file, &status)) {
        return hs_error_set(error, HS_ERR_SYSTEM, "%s: cannot be examined: %s.", input->path,
                            strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) {
        return hs_error_set(error, HS_ERR_INPUT, "%s: is a folder. Name the file inside it.",
                            input->path);
    }
    input->packed = malloc(PACKED_CAPACITY);
    if (!input->packed) {
        return hs_error_memory(error);
    }
    return HS_OK;
}

enum hs_err input_open(const char *path, struct input **input, struct hs_error *error)
{
    struct input *opened = calloc(1, sizeof *opened);
    enum hs_err err;

    *input = NULL;
    if (!opened) {
        return hs_error_memory(error);
    }
    opened->file = -1;
    opened->path = strdup(path);
    err = opened->path ? file_open(opened, error) : hs_error_memory(error);
    if (!err) {
        err = packed_fill(opened, error);
    }
    if (!err && opened->at_end) {
        err =
            hs_error_set(error, HS_ERR_INPUT,
                         "%s: the file is empty (0 bytes). Check that it is the right one.", path);
    }
    if (!err) {
        err = packing_start(opened, error);
    }
    if (err) {
        input_close(opened);
        return err;
    }
    *input = opened;
    return HS_OK;
}

void input_close(struct input *input)
{
    if (!input) {
        return;
    }
    if (input->has_inflate) {
        (void)inflateEnd(&input->inflate);
    }
    ZSTD_freeDStream(input->zstd);
    if (input->file >= 0) {
        (void)close(input->file); /* nothing was written */
    }
    free(input->packed);
    free(input->path);
    free(input);
}

double input_progress(const struct input *input)
{
    struct stat status;

    if (fstat(input->file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0) {
        return (double)NAN;
    }
    return (double)input->file_bytes / (double)status.st_size;
}

const char *input_path(const struct input *input)
{
    return input->path;
}

static enum hs_err plain_read(struct input *input, char *bytes, size_t capacity, size_t *length,
                              struct hs_error *error)
{
    ssize_t got;

    if (input->packed_at < input->packed_end) {
        size_t rest = input->packed_end - input->packed_at;

        *length = rest < capacity ? rest : capacity;
        memcpy(bytes, input->packed + input->packed_at, *length);
        input->packed_at += *length;
        return HS_OK;
    }
    do {
        got = read(input->file, bytes, capacity);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return hs_error_set(error, HS_ERR_SYSTEM, "%s: reading failed: %s.", input->path,
                            strerror(errno));
    }
    input->file_bytes += got;
    *length = (size_t)got;
    return HS_OK;
}

static enum hs_err truncated(const struct input *input, const char *what, struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s: the %s data break off after %lld unpacked bytes: the file is "
                        "truncated. Copy or download it again.",
                        input->path, what, (long long)input->content_bytes);
}

static enum hs_err broken(const struct input *input, const char *what, const char *why,
                          struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s: the %s data are broken after %lld unpacked bytes (%s). Copy or "
                        "download the file again.",
                        input->path, what, (long long)input->content_bytes,
                        why ? why : "no reason known");
}

/* One step of inflate; *length may stay 0 although there is more to come. */
static enum hs_err gzip_step(struct input *input, char *bytes, size_t capacity, size_t *length,
                             struct hs_error *error)
{
    z_stream *stream = &input->inflate;
    size_t limit = capacity < UINT32_MAX ? capacity : UINT32_MAX;
    int status;

    stream->next_in = input->packed + input->packed_at;
    stream->avail_in = (uInt)(input->packed_end - input->packed_at);
    stream->next_out = (unsigned char *)bytes;
    stream->avail_out = (uInt)limit;
    input->is_between = false;
    status = inflate(stream, Z_NO_FLUSH);
    input->packed_at = input->packed_end - stream->avail_in;
    *length = limit - stream->avail_out;
    if (status == Z_STREAM_END) {
        input->is_between = true; /* another member may follow */
        status = inflateReset(stream);
    }
    if (status == Z_MEM_ERROR) {
        return hs_error_memory(error);
    }
    if (status != Z_OK && status != Z_BUF_ERROR) {
        return broken(input, "gzip", stream->msg, error);
    }
    return HS_OK;
}

static enum hs_err zstd_step(struct input *input, char *bytes, size_t capacity, size_t *length,
                             struct hs_error *error)
{
    ZSTD_inBuffer in = {input->packed, input->packed_end, input->packed_at};
    ZSTD_outBuffer out = {bytes, capacity, 0};
    size_t status = ZSTD_decompressStream(input->zstd, &out, &in);

    input->packed_at = in.pos;
    *length = out.pos;
    if (ZSTD_isError(status)) {
        return broken(input, "zstd", ZSTD_getErrorName(status), error);
    }
    input->is_between = status == 0;
    return HS_OK;
}

static enum hs_err unpack(struct input *input, char *bytes, size_t capacity, size_t *length,
                          struct hs_error *error)
{
    enum hs_err err = HS_OK;

    while (!err && *length == 0) {
        bool has_bytes = input->packed_at < input->packed_end;

        if (!has_bytes && !input->at_end) {
            err = packed_fill(input, error);
            continue;
        }
        if (!has_bytes && input->is_between) {
            return HS_OK;
        }
        /* What the unpacker still holds back may come without further bytes. */
        err = input->packing == PACKING_GZIP ? gzip_step(input, bytes, capacity, length, error)
                                             : zstd_step(input, bytes, capacity, length, error);
        if (!err && !has_bytes && *length == 0 && !input->is_between) {
            return truncated(input, input->packing == PACKING_GZIP ? "gzip" : "zstd", error);
        }
    }
    return err;
}

enum hs_err input_read(struct input *input, char *bytes, size_t capacity, size_t *length,
                       struct hs_error *error)
{
    enum hs_err err;

    *length = 0;
    if (input->packing == PACKING_NONE) {
        err = plain_read(input, bytes, capacity, length, error);
    } else {
        err = unpack(input, bytes, capacity, length, error);
    }
    if (!err) {
        input->content_bytes += (int64_t)*length;
    }
    return err;
}
