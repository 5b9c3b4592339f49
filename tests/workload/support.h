/* SPDX-License-Identifier: GPL-3.0-or-later */
/* support.h - what the workload tests share: checks that print both values, files with given
 * content, and whole streams in memory. */
#ifndef HSIM_TESTS_WORKLOAD_SUPPORT_H
#define HSIM_TESTS_WORKLOAD_SUPPORT_H

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "workload/workload.h"

#define S HS_NS_PER_S

static inline void check_int(long long actual, long long expected, const char *what, int line)
{
    if (actual != expected) {
        printf("\n  line %d: %s is %lld, expected %lld\n", line, what, actual, expected);
    }
    CU_ASSERT_EQUAL(actual, expected);
}
#define CHECK_INT(actual, expected)                                                                \
    check_int((long long)(actual), (long long)(expected), #actual, __LINE__)

static inline void check_near(double actual, double expected, double tolerance, const char *what,
                              int line)
{
    if (!(fabs(actual - expected) <= tolerance)) {
        printf("\n  line %d: %s is %.9g, expected %.9g +- %.3g\n", line, what, actual, expected,
               tolerance);
    }
    CU_ASSERT(fabs(actual - expected) <= tolerance);
}
#define CHECK_NEAR(actual, expected, tolerance)                                                    \
    check_near((actual), (expected), (tolerance), #actual, __LINE__)

/* The text contains the part. */
static inline void check_has(const char *text, const char *part, int line)
{
    if (!strstr(text, part)) {
        printf("\n  line %d: '%s' lacks '%s'\n", line, text, part);
    }
    CU_ASSERT_PTR_NOT_NULL(strstr(text, part));
}
#define CHECK_HAS(text, part) check_has((text), (part), __LINE__)

struct scratch {
    char path[64];
};

/* A new temporary file with this content. */
static inline struct scratch scratch_bytes(const void *bytes, size_t length)
{
    struct scratch scratch = {"/tmp/hsim-workload-XXXXXX"};
    int file = mkstemp(scratch.path);

    CU_ASSERT_FATAL(file >= 0);
    CU_ASSERT_FATAL(length == 0 || write(file, bytes, length) == (ssize_t)length);
    CU_ASSERT_FATAL(close(file) == 0);
    return scratch;
}

static inline struct scratch scratch_text(const char *text)
{
    return scratch_bytes(text, strlen(text));
}

static inline void scratch_remove(const struct scratch *scratch)
{
    CU_ASSERT(unlink(scratch->path) == 0);
}

#define STREAM_MAX 4096

/* All that a workload yields. */
struct stream {
    enum hs_err err;
    struct hs_error error;
    struct workload_stats stats;
    size_t count;
    struct workload_job jobs[STREAM_MAX];
};

static inline void stream_read(struct stream *stream, const struct workload_options *options)
{
    struct workload *workload;
    bool has_job = true;

    memset(stream, 0, sizeof *stream);
    stream->err = workload_open(options, &workload, &stream->error);
    if (stream->err) {
        CU_ASSERT_PTR_NULL(workload);
        return;
    }
    while (!stream->err && has_job && stream->count < STREAM_MAX) {
        stream->err =
            workload_next(workload, &stream->jobs[stream->count], &has_job, &stream->error);
        stream->count += !stream->err && has_job;
    }
    stream->stats = *workload_stats(workload);
    workload_close(workload);
}

/* The same for text; `options` NULL: the defaults. The file's name in messages is unknown. */
static inline void stream_text(struct stream *stream, const char *text,
                               const struct workload_options *options)
{
    struct workload_options all;
    struct scratch scratch = scratch_text(text);

    if (options) {
        all = *options;
    } else {
        workload_options_defaults(&all);
    }
    all.file = scratch.path;
    stream_read(stream, &all);
    scratch_remove(&scratch);
}

#endif
