/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swf.c - traces: any bytes yield jobs that keep the promises of workload.h, or a sentence; and
 * the same bytes packed by gzip yield the same jobs.
 *
 * The first 16 bytes choose the rules and transforms; the rest is the file. */
#include <zlib.h>

#include "fuzz.h"
#include "workload/workload.h"

#define HEAD_BYTES 16

/* What a stream came to. */
struct outcome {
    enum hs_err err;
    uint64_t hash;
    struct workload_stats stats;
};

static void choose_rules(struct fuzz_bytes *bytes, struct workload_options *options)
{
    uint8_t flags = fuzz_u8(bytes);
    uint8_t rules = fuzz_u8(bytes);
    uint8_t more = fuzz_u8(bytes);

    workload_options_defaults(options);
    options->is_strict = flags & 1u;
    options->is_survey = flags & 2u;
    options->shift_to_zero = flags & 4u;
    options->procs = (enum workload_procs)(rules % 3);
    options->missing = (enum workload_missing)(rules / 3 % 3);
    options->overrun = (enum workload_overrun)(rules / 9 % 3);
    options->zero = (enum workload_zero)(rules / 27 % 3);
    options->oversized = (enum workload_oversized)(more % 2);
    options->memory = (enum workload_memory)(more / 2 % 3);
    options->cancel = (enum workload_cancel)(more / 6 % 2);
    options->estimate = (enum workload_estimate)(more / 12 % 3);
    options->missing_walltime_ns = HS_NS_PER_S * (1 + fuzz_u8(bytes));
    options->estimate_factor = 1.0 + fuzz_u8(bytes) / 8.0;
    options->estimate_round_ns = HS_NS_PER_S * fuzz_u8(bytes);
    options->priority_field = fuzz_u8(bytes) % 19;
    options->sort_window = 1 + fuzz_u8(bytes) % 8;
    options->filter.min_procs = fuzz_u8(bytes) % 4;
    options->filter.max_run_ns = HS_NS_PER_S * fuzz_u8(bytes);
    options->window_from_ns = HS_NS_PER_S * fuzz_u8(bytes);
    options->window_to_ns = HS_NS_PER_S * fuzz_u8(bytes) * 64;
    options->load = fuzz_u8(bytes) / 64.0;
    options->head = fuzz_u8(bytes) % 32;
    options->shake_ns = HS_NS_PER_S * (fuzz_u8(bytes) % 32);
    options->machine_procs = 1 + fuzz_u8(bytes);
    options->seed = 1;
}

/* What options_check of an experiment would have refused is not handed in. */
static void repair(struct workload_options *options)
{
    if (options->window_to_ns && options->window_to_ns <= options->window_from_ns) {
        options->window_to_ns = 0;
    }
}

static void mix(uint64_t *hash, uint64_t value)
{
    *hash = (*hash ^ value) * UINT64_C(0x100000001b3);
}

static void check_job(const struct workload_job *job, int64_t id, hs_time last_submit)
{
    FUZZ_CHECK(job->id == id);
    FUZZ_CHECK(job->submit_ns >= last_submit);
    FUZZ_CHECK(job->run_ns >= 0 && job->walltime_ns > 0);
    FUZZ_CHECK(job->run_ns != HS_TIME_NEVER || job->cancel_ns != HS_TIME_NEVER);
    FUZZ_CHECK(job->cancel_ns == HS_TIME_NEVER || job->cancel_ns >= job->submit_ns);
    FUZZ_CHECK(job->demand.tasks >= 1 && job->demand.cores_milli >= 0);
    FUZZ_CHECK(job->demand.mem_bytes >= 0);
}

static struct outcome read_all(const struct workload_options *options)
{
    struct outcome outcome = {.hash = UINT64_C(0xcbf29ce484222325)};
    struct workload *workload = NULL;
    struct hs_error error = {0};
    bool has_job = true;
    int64_t count = 0;
    hs_time last_submit = INT64_MIN;

    outcome.err = workload_open(options, &workload, &error);
    while (outcome.err == HS_OK && has_job) {
        struct workload_job job;

        outcome.err = workload_next(workload, &job, &has_job, &error);
        if (outcome.err == HS_OK && has_job) {
            check_job(&job, count++, last_submit);
            last_submit = job.submit_ns;
            mix(&outcome.hash, (uint64_t)job.trace_id);
            mix(&outcome.hash, (uint64_t)job.submit_ns);
            mix(&outcome.hash, (uint64_t)job.run_ns);
            mix(&outcome.hash, (uint64_t)job.walltime_ns);
            mix(&outcome.hash, job.demand.tasks);
        }
    }
    if (outcome.err != HS_OK) {
        fuzz_check_error(outcome.err, &error);
    }
    if (workload) {
        outcome.stats = *workload_stats(workload);
        FUZZ_CHECK(outcome.err != HS_OK || outcome.stats.jobs == count);
        FUZZ_CHECK(outcome.stats.records <= outcome.stats.lines);
    }
    workload_close(workload);
    return outcome;
}

/* The bytes in a gzip member; the caller frees. */
static uint8_t *pack(const uint8_t *data, size_t size, size_t *packed_size)
{
    z_stream stream = {0};
    size_t room;
    uint8_t *packed;
    uint8_t *copy = malloc(size);

    FUZZ_CHECK(copy);
    memcpy(copy, data, size);
    FUZZ_CHECK(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    room = deflateBound(&stream, size);
    packed = malloc(room);
    FUZZ_CHECK(packed);
    stream.next_in = copy;
    stream.avail_in = (uInt)size;
    stream.next_out = packed;
    stream.avail_out = (uInt)room;
    FUZZ_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    *packed_size = room - stream.avail_out;
    FUZZ_CHECK(deflateEnd(&stream) == Z_OK);
    free(copy);
    return packed;
}

/* Files that are recognised by their first bytes mean something else when they are packed. */
static bool is_plain(const uint8_t *data, size_t size)
{
    return size > 0 && (data[0] == ';' || data[0] == ' ' || (data[0] >= '0' && data[0] <= '6') ||
                        (data[0] >= '8' && data[0] <= '9'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = fuzz_begin(data, size);
    struct workload_options options;
    struct outcome plain;
    char path[FUZZ_PATH_MAX];
    int file;

    if (size < HEAD_BYTES) {
        return 0;
    }
    choose_rules(&bytes, &options);
    repair(&options);
    data += HEAD_BYTES;
    size -= HEAD_BYTES;
    file = fuzz_file(data, size, path);
    options.file = path;
    plain = read_all(&options);
    FUZZ_CHECK(close(file) == 0);
    if (is_plain(data, size)) {
        struct outcome packed;
        size_t packed_size;
        uint8_t *packed_bytes = pack(data, size, &packed_size);

        file = fuzz_file(packed_bytes, packed_size, path);
        packed = read_all(&options);
        FUZZ_CHECK(close(file) == 0);
        free(packed_bytes);
        FUZZ_CHECK(packed.err == plain.err && packed.hash == plain.hash);
        FUZZ_CHECK(packed.stats.jobs == plain.stats.jobs);
        FUZZ_CHECK(packed.stats.bad.count == plain.stats.bad.count);
    }
    return 0;
}
