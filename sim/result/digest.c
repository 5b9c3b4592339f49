/* SPDX-License-Identifier: GPL-3.0-or-later */
/* digest.c - XXH3-128 through libxxhash. */
#include "result/digest.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define READ_BYTES (256u * 1024u)

#define HELD_BYTES 4096u

/* The library takes long for a few bytes at a time: they are collected first. */
struct digest {
    XXH3_state_t *state;
    size_t held_count;
    unsigned char held[HELD_BYTES];
};

struct digest *digest_create(void)
{
    struct digest *digest = calloc(1, sizeof *digest);

    if (!digest) {
        return NULL;
    }
    digest->state = XXH3_createState();
    if (!digest->state) {
        free(digest);
        return NULL;
    }
    (void)XXH3_128bits_reset(digest->state);
    return digest;
}

void digest_destroy(struct digest *digest)
{
    if (digest) {
        (void)XXH3_freeState(digest->state);
        free(digest);
    }
}

static void flush(struct digest *digest)
{
    (void)XXH3_128bits_update(digest->state, digest->held, digest->held_count);
    digest->held_count = 0;
}

/* A few bytes, at most HELD_BYTES. */
static inline void hold(struct digest *digest, const void *bytes, size_t length)
{
    if (digest->held_count + length > HELD_BYTES) {
        flush(digest);
    }
    memcpy(digest->held + digest->held_count, bytes, length);
    digest->held_count += length;
}

void digest_job(struct digest *digest, int64_t id, hs_time start_ns, hs_time end_ns,
                enum result_state state)
{
    uint64_t words[4] = {htole64((uint64_t)id), htole64((uint64_t)start_ns),
                         htole64((uint64_t)end_ns), htole64((uint64_t)state)};

    hold(digest, words, sizeof words);
}

void digest_attempt(struct digest *digest, hs_time start_ns, hs_time end_ns)
{
    uint64_t words[2] = {htole64((uint64_t)start_ns), htole64((uint64_t)end_ns)};

    hold(digest, words, sizeof words);
}

void digest_span(struct digest *digest, uint32_t first_node, uint32_t node_count, uint32_t tasks)
{
    uint32_t words[3] = {htole32(first_node), htole32(node_count), htole32(tasks)};

    hold(digest, words, sizeof words);
}

void digest_device(struct digest *digest, uint32_t device, uint32_t share)
{
    uint32_t words[2] = {htole32(device), htole32(share)};

    hold(digest, words, sizeof words);
}

void digest_result(struct digest *digest, char text[DIGEST_TEXT_MAX])
{
    XXH128_hash_t hash;

    flush(digest);
    hash = XXH3_128bits_digest(digest->state);
    (void)snprintf(text, DIGEST_TEXT_MAX, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64,
                   (uint64_t)hash.low64);
}

static enum hs_err fail_read(const char *path, int cause, struct hs_error *error)
{
    if (cause == EMFILE || cause == ENFILE || cause == ENOMEM) {
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: the file cannot be opened now: %s. Close programs, or raise the "
                            "limits (ulimit -n, ulimit -v).",
                            path, strerror(cause));
    }
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s: the file cannot be read: %s. Check the path and its permissions; a "
                        "relative path starts at the folder of the experiment.",
                        path, strerror(cause));
}

static enum hs_err digest_file(int descriptor, const char *path, const volatile sig_atomic_t *stop,
                               char *buffer, struct result_input *input, struct hs_error *error)
{
    struct digest *digest = digest_create();
    ssize_t length;

    if (!digest) {
        return hs_error_memory(error);
    }
    input->bytes = 0;
    do {
        if (stop && *stop) {
            digest_destroy(digest);
            return hs_error_set(error, HS_ERR_INTERRUPTED,
                                "%s: interrupted while the file was read for its digest, after "
                                "%" PRId64 " bytes; nothing is written.",
                                path, input->bytes);
        }
        length = read(descriptor, buffer, READ_BYTES);
        if (length > 0) {
            input->bytes += length;
            (void)XXH3_128bits_update(digest->state, buffer, (size_t)length);
        }
    } while (length > 0 || (length < 0 && errno == EINTR));
    digest_result(digest, input->xxh128);
    digest_destroy(digest);
    return length < 0 ? fail_read(path, errno, error) : HS_OK;
}

/* An input is read several times: for its digest, and by each run. */
static enum hs_err check_kind(int descriptor, const char *path, struct hs_error *error)
{
    struct stat status;

    if (fstat(descriptor, &status) != 0) {
        return fail_read(path, errno, error);
    }
    if (S_ISDIR(status.st_mode)) {
        return hs_error_set(error, HS_ERR_INPUT, "%s: this is a folder. Name the file inside it.",
                            path);
    }
    if (!S_ISREG(status.st_mode)) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: this is no regular file but a pipe or a device, and an input is "
                            "read more than once. Save it to a file, and name that.",
                            path);
    }
    return HS_OK;
}

enum hs_err result_input_digest(const char *path, struct result_input *input,
                                struct hs_error *error)
{
    return result_input_digest_until(path, NULL, input, error);
}

enum hs_err result_input_digest_until(const char *path, const volatile sig_atomic_t *stop,
                                      struct result_input *input, struct hs_error *error)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is not waited for */
    char *buffer = NULL;
    enum hs_err code;

    if (descriptor < 0) {
        return fail_read(path, errno, error);
    }
    code = check_kind(descriptor, path, error);
    if (code == HS_OK) {
        buffer = malloc(READ_BYTES);
        code = buffer ? digest_file(descriptor, path, stop, buffer, input, error)
                      : hs_error_memory(error);
    }
    free(buffer);
    (void)close(descriptor);
    return code;
}
