/* SPDX-License-Identifier: GPL-3.0-or-later */
/* openb_pods.c - lists of pods: any bytes yield jobs that keep the promises of workload.h, replayed
 * by their times or filling a machine, or a sentence; and a mix whose weights sum to 1.
 *
 * The first 8 bytes choose; the rest is the file. */
#include <math.h>

#include "fuzz.h"
#include "hs/cluster.h"
#include "workload/mix.h"

#define HEAD_BYTES 8
#define JOBS_MAX   2000 /* that are looked at: pods that ask for little are drawn for long */

static struct hs_cluster *make_cluster(uint8_t nodes)
{
    static const char *const models[] = {"T4", "V100", "A10"};
    struct hs_cluster *cluster = hs_cluster_create();

    FUZZ_CHECK(cluster);
    for (int i = 0; i <= nodes % 4; i++) {
        char name[16];

        (void)snprintf(name, sizeof name, "n%d", i);
        FUZZ_CHECK(!hs_cluster_add_node(cluster, name, 8000, INT64_C(1) << 36, NULL));
        for (int k = 0; k < nodes / 4 % 4; k++) {
            FUZZ_CHECK(!hs_cluster_add_device(cluster, "gpu", models[i % 3], HS_NO_GROUP,
                                              HS_MEM_UNLIMITED, NULL));
        }
    }
    FUZZ_CHECK(!hs_cluster_seal(cluster, NULL));
    return cluster;
}

static void choose(struct fuzz_bytes *bytes, struct workload_options *options)
{
    uint8_t flags = fuzz_u8(bytes);

    workload_options_defaults(options);
    options->format = WORKLOAD_FORMAT_OPENB;
    options->is_strict = flags & 1u;
    options->inflation.is_on = flags & 2u;
    options->inflation.is_shuffled = flags & 4u;
    options->inflation.load = fuzz_u8(bytes) / 64.0;
    options->inflation.interval_ns = 1 + fuzz_u16(bytes);
    options->head = fuzz_u8(bytes) % 32;
    options->seed = fuzz_u8(bytes);
    options->sort_window = 1 + fuzz_u8(bytes) % 8;
}

static void check_demand(const struct workload_options *options, const struct hs_demand *demand)
{
    FUZZ_CHECK(demand->tasks == 1 && demand->cores_milli >= 1 && demand->mem_bytes >= 0);
    FUZZ_CHECK(demand->device_share >= 1 && demand->device_share <= HS_SHARES_PER_UNIT);
    FUZZ_CHECK(demand->device_count <= 1 || demand->device_share == HS_SHARES_PER_UNIT);
    FUZZ_CHECK(demand->model_count <= HS_MODEL_MAX);
    for (uint16_t i = 0; i < demand->model_count; i++) {
        FUZZ_CHECK(i == 0 || demand->models[i - 1] < demand->models[i]);
        FUZZ_CHECK(!options->cluster ||
                   demand->models[i] < hs_cluster_model_count(options->cluster));
    }
}

static void read_jobs(const struct workload_options *options)
{
    struct workload *workload = NULL;
    struct hs_error error = {0};
    enum hs_err err = workload_open(options, &workload, &error);
    hs_time last = INT64_MIN;
    bool has_job = true;

    for (int64_t count = 0; !err && has_job && count < JOBS_MAX; count++) {
        struct workload_job job;

        err = workload_next(workload, &job, &has_job, &error);
        if (err || !has_job) {
            break;
        }
        FUZZ_CHECK(job.id == count && job.submit_ns >= last && job.submit_ns >= 0);
        FUZZ_CHECK(job.run_ns >= 0 && job.walltime_ns > 0);
        FUZZ_CHECK(!options->inflation.is_on || job.run_ns == HS_TIME_NEVER);
        FUZZ_CHECK(!options->inflation.is_on ||
                   job.submit_ns == count * options->inflation.interval_ns);
        check_demand(options, &job.demand);
        last = job.submit_ns;
    }
    if (err) {
        fuzz_check_error(err, &error);
    }
    workload_close(workload);
}

static void read_mix(const struct workload_options *options)
{
    struct workload_mix mix;
    struct hs_error error = {0};
    enum hs_err err = workload_mix_create(options, &mix, &error);
    double sum = 0;

    if (err) {
        fuzz_check_error(err, &error);
        return;
    }
    FUZZ_CHECK(mix.count >= 1 && mix.count <= mix.distinct);
    for (size_t i = 0; i < mix.count; i++) {
        FUZZ_CHECK(i == 0 || mix.jobs[i - 1] >= mix.jobs[i]);
        check_demand(options, &mix.demands[i]);
        sum += mix.weights[i];
    }
    FUZZ_CHECK(fabs(sum - 1) < 1e-9);
    workload_mix_fini(&mix);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = fuzz_begin(data, size);
    struct workload_options options;
    struct hs_cluster *cluster = NULL;
    char path[FUZZ_PATH_MAX];
    uint8_t nodes;
    int file;

    if (size < HEAD_BYTES) {
        return 0;
    }
    choose(&bytes, &options);
    nodes = fuzz_u8(&bytes);
    if (nodes & 128u) {
        options.cluster = cluster = make_cluster(nodes & 127u);
        options.machine_procs = hs_cluster_cores_milli(cluster) / 1000;
    }
    file = fuzz_file(data + HEAD_BYTES, size - HEAD_BYTES, path);
    options.file = path;
    read_jobs(&options);
    read_mix(&options);
    FUZZ_CHECK(close(file) == 0);
    hs_cluster_destroy(cluster);
    return 0;
}
