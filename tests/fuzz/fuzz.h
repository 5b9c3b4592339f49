/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz.h - what the harnesses share: the entry that libFuzzer calls, and bytes as a source of
 * choices.
 *
 * A harness is one function from bytes to nothing; a property that does not hold ends the process.
 * Built with -fsanitize=fuzzer it searches; else replay.c runs it over the files of the corpus. */
#ifndef HSIM_TESTS_FUZZ_H
#define HSIM_TESTS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hs/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline _Noreturn void fuzz_fail(const char *condition, const char *file, int line)
{
    (void)fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, condition);
    abort();
}

#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__))

/* Bytes that are used up from the front; behind the end come zeros. */
struct fuzz_bytes {
    const uint8_t *at;
    const uint8_t *end;
};

static inline struct fuzz_bytes fuzz_begin(const uint8_t *data, size_t size)
{
    return (struct fuzz_bytes){data, size ? data + size : data};
}

static inline size_t fuzz_left(const struct fuzz_bytes *bytes)
{
    return (size_t)(bytes->end - bytes->at);
}

static inline uint8_t fuzz_u8(struct fuzz_bytes *bytes)
{
    return bytes->at < bytes->end ? *bytes->at++ : 0;
}

static inline uint32_t fuzz_u16(struct fuzz_bytes *bytes)
{
    uint32_t low = fuzz_u8(bytes);

    return low | (uint32_t)fuzz_u8(bytes) << 8;
}

static inline uint32_t fuzz_u32(struct fuzz_bytes *bytes)
{
    uint32_t low = fuzz_u16(bytes);

    return low | fuzz_u16(bytes) << 16;
}

static inline uint64_t fuzz_u64(struct fuzz_bytes *bytes)
{
    uint64_t low = fuzz_u32(bytes);

    return low | (uint64_t)fuzz_u32(bytes) << 32;
}

/* A number that is mostly small, and now and then as large or as negative as can be: the first
 * byte tells how many bytes follow and what is done with them. */
static inline int64_t fuzz_number(struct fuzz_bytes *bytes)
{
    uint8_t form = fuzz_u8(bytes);

    switch (form & 7u) {
    case 0:
    case 1:
    case 2:
        return form >> 3;
    case 3:
        return fuzz_u8(bytes);
    case 4:
        return (int64_t)fuzz_u32(bytes);
    case 5:
        return -(int64_t)fuzz_u8(bytes);
    case 6:
        return (int64_t)(fuzz_u64(bytes) & INT64_MAX);
    default:
        return form & 8u ? INT64_MAX - (form >> 4) : INT64_MIN + (form >> 4);
    }
}

/* A file in memory with these bytes; `path` names it. The caller closes the descriptor. */
#define FUZZ_PATH_MAX 32
static inline int fuzz_file(const void *bytes, size_t size, char path[FUZZ_PATH_MAX])
{
    int file = memfd_create("fuzz", MFD_CLOEXEC);

    FUZZ_CHECK(file >= 0);
    FUZZ_CHECK(size == 0 || write(file, bytes, size) == (ssize_t)size);
    (void)snprintf(path, FUZZ_PATH_MAX, "/proc/self/fd/%d", file);
    return file;
}

/* An error is a code and at least one full sentence. */
static inline void fuzz_check_error(enum hs_err code, const struct hs_error *error)
{
    size_t length = strnlen(error->text, sizeof error->text);

    FUZZ_CHECK(code != HS_OK && error->code == code);
    FUZZ_CHECK(length > 10 && length < sizeof error->text);
}

#endif
