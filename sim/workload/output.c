/* SPDX-License-Identifier: GPL-3.0-or-later */
/* output.c - packing behind a FILE (fopencookie), and the rename at the end. */
#include "workload/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZLIB_CONST /* zlib does not write to what it packs */
#include <zlib.h>
#include <zstd.h>

#define PACKED_CAPACITY ((size_t)128 * 1024)
#define BUFFER_CAPACITY ((size_t)256 * 1024)
#define WRITE_MAX       ((size_t)1 << 30)
#define GZIP_LEVEL      6
#define GZIP_WINDOW     (15 + 16)
#define GZIP_MEMORY     8
#define ZSTD_LEVEL      3

struct workload_output {
    char *path, *part; /* part NULL: written as it is, without renaming */
    FILE *file;        /* what the caller writes to */
    FILE *raw;         /* what is on disk; equal to `file` without packing */
    z_stream deflate;
    bool has_deflate;
    bool is_borrowed; /* `raw` is the caller's and stays open */
    ZSTD_CCtx *zstd;
    unsigned char *packed;
};

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), ending_length = strlen(ending);

    return length > ending_length && !strcmp(text + length - ending_length, ending);
}

static bool raw_write(struct workload_output *output, size_t length)
{
    return fwrite(output->packed, 1, length, output->raw) == length;
}

static bool gzip_put(struct workload_output *output, const char *bytes, size_t size, int flush)
{
    z_stream *stream = &output->deflate;

    stream->next_in = (const unsigned char *)bytes;
    stream->avail_in = (uInt)size;
    do {
        stream->next_out = output->packed;
        stream->avail_out = (uInt)PACKED_CAPACITY;
        if (deflate(stream, flush) == Z_STREAM_ERROR ||
            !raw_write(output, PACKED_CAPACITY - stream->avail_out)) {
            return false;
        }
    } while (stream->avail_out == 0);
    return true;
}

static bool zstd_put(struct workload_output *output, const char *bytes, size_t size,
                     ZSTD_EndDirective directive)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t rest;

    do {
        ZSTD_outBuffer out = {output->packed, PACKED_CAPACITY, 0};

        rest = ZSTD_compressStream2(output->zstd, &out, &in, directive);
        if (ZSTD_isError(rest) || !raw_write(output, out.pos)) {
            return false;
        }
    } while (in.pos < in.size || (directive == ZSTD_e_end && rest > 0));
    return true;
}

static ssize_t cookie_write(void *cookie, const char *bytes, size_t size)
{
    struct workload_output *output = cookie;
    bool is_written;

    size = size < WRITE_MAX ? size : WRITE_MAX; /* fits zlib's counter; the rest comes again */
    is_written = output->zstd ? zstd_put(output, bytes, size, ZSTD_e_continue)
                              : gzip_put(output, bytes, size, Z_NO_FLUSH);

    return is_written ? (ssize_t)size : 0; /* fopencookie: 0 is an error */
}

static int cookie_close(void *cookie)
{
    struct workload_output *output = cookie;
    bool is_written =
        output->zstd ? zstd_put(output, "", 0, ZSTD_e_end) : gzip_put(output, "", 0, Z_FINISH);

    return is_written ? 0 : EOF;
}

static enum hs_err packing_open(struct workload_output *output, struct hs_error *error)
{
    static const cookie_io_functions_t functions = {.write = cookie_write, .close = cookie_close};

    if (ends_with(output->path, ".zst")) {
        output->zstd = ZSTD_createCCtx();
        if (!output->zstd ||
            ZSTD_isError(
                ZSTD_CCtx_setParameter(output->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) ||
            ZSTD_isError(ZSTD_CCtx_setParameter(output->zstd, ZSTD_c_checksumFlag, 1))) {
            return hs_error_memory(error);
        }
    } else if (ends_with(output->path, ".gz")) {
        if (deflateInit2(&output->deflate, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                         Z_DEFAULT_STRATEGY) != Z_OK) {
            return hs_error_memory(error);
        }
        output->has_deflate = true;
    } else {
        output->file = output->raw;
        return HS_OK;
    }
    output->packed = malloc(PACKED_CAPACITY);
    output->file = output->packed ? fopencookie(output, "w", functions) : NULL;
    if (!output->file || setvbuf(output->file, NULL, _IOFBF, BUFFER_CAPACITY)) {
        return hs_error_memory(error);
    }
    return HS_OK;
}

/* Devices and pipes are written to directly: renaming would replace them by a file. */
static enum hs_err raw_open(struct workload_output *output, bool is_forced, struct hs_error *error)
{
    struct stat status;
    bool is_special = false;

    if (!stat(output->path, &status)) {
        is_special = !S_ISREG(status.st_mode);
        if (S_ISDIR(status.st_mode)) {
            return hs_error_set(error, HS_ERR_CONFIG, "%s: is a folder. Name a file to be written.",
                                output->path);
        }
        if (!is_special && !is_forced) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "%s: exists already and is left as it is. Choose another name, or "
                                "overwrite it with --force.",
                                output->path);
        }
    }
    if (!is_special && asprintf(&output->part, "%s.part", output->path) < 0) {
        output->part = NULL;
        return hs_error_memory(error);
    }
    output->raw = fopen(is_special ? output->path : output->part, "we");
    if (!output->raw) {
        bool is_short = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
        enum hs_err err = hs_error_set(
            error, HS_ERR_SYSTEM, "%s: cannot be written%s: %s. %s",
            is_special ? output->path : output->part, is_short ? " now" : "", strerror(errno),
            is_short ? "Close programs, or raise the limits (ulimit -n, ulimit -v)."
                     : "Choose a folder that exists and that you may write to.");

        free(output->part);
        output->part = NULL; /* nothing to remove */
        return err;
    }
    (void)setvbuf(output->raw, NULL, _IOFBF, BUFFER_CAPACITY); /* else the default buffer serves */
    return packing_open(output, error);
}

enum hs_err workload_output_open(const char *path, bool is_forced, FILE *standard,
                                 struct workload_output **output, struct hs_error *error)
{
    struct workload_output *opened = calloc(1, sizeof *opened);
    enum hs_err err = HS_OK;

    *output = NULL;
    if (!opened) {
        return hs_error_memory(error);
    }
    opened->path = strdup(path);
    if (!opened->path) {
        err = hs_error_memory(error);
    } else if (!strcmp(path, "-")) {
        opened->file = opened->raw = standard;
        opened->is_borrowed = true;
    } else {
        err = raw_open(opened, is_forced, error);
    }
    if (err) {
        workload_output_discard(opened);
        return err;
    }
    *output = opened;
    return HS_OK;
}

FILE *workload_output_file(const struct workload_output *output)
{
    return output->file;
}

/* Closes both streams; false if anything was lost. errno is that of the first failure. */
static bool output_close(struct workload_output *output)
{
    bool is_written = true;
    int first_errno = 0;

    if (output->file && output->file != output->raw) {
        is_written = !ferror(output->file);
        is_written = fclose(output->file) == 0 && is_written;
        first_errno = is_written ? 0 : errno;
    }
    if (output->raw && !output->is_borrowed) {
        bool is_flushed = !ferror(output->raw);

        is_flushed = fclose(output->raw) == 0 && is_flushed;
        first_errno = first_errno || is_flushed ? first_errno : errno;
        is_written = is_written && is_flushed;
    }
    output->file = output->raw = NULL;
    errno = first_errno ? first_errno : errno;
    return is_written;
}

static void output_free(struct workload_output *output)
{
    if (output->has_deflate) {
        (void)deflateEnd(&output->deflate);
    }
    ZSTD_freeCCtx(output->zstd);
    free(output->packed);
    free(output->part);
    free(output->path);
    free(output);
}

enum hs_err workload_output_finish(struct workload_output *output, struct hs_error *error)
{
    const char *place = output->part ? output->part : output->path;
    enum hs_err err = HS_OK;

    if (!output_close(output)) {
        err = hs_error_set(error, HS_ERR_SYSTEM,
                           "%s: writing failed: %s. Nothing is kept of it; make room or choose "
                           "another folder.",
                           place, strerror(errno));
    } else if (output->part && rename(output->part, output->path)) {
        err = hs_error_set(error, HS_ERR_SYSTEM, "%s: cannot be renamed to %s: %s.", output->part,
                           output->path, strerror(errno));
    }
    if (err && output->part) {
        (void)unlink(output->part);
    }
    output_free(output);
    return err;
}

void workload_output_discard(struct workload_output *output)
{
    if (!output) {
        return;
    }
    (void)output_close(output); /* its content is thrown away */
    if (output->part) {
        (void)unlink(output->part);
    }
    output_free(output);
}
