/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench_devices.c - the machine and the jobs of the case with accelerators. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"

/* 10,000 nodes with 8 accelerators each; the machine of platforms/mixed-10000.xml. */
static const char *const machine[] = {
    "-t",
    "fat-tree",
    "-T",
    "2",
    "-c",
    "ampere:nodes=6000,cpu=epyc-7742:2,memory=1TiB,device=a100-sxm4-80:8,island=4,racks=120",
    "-c",
    "hopper:nodes=2400,cpu=xeon-platinum-8480+:2,memory=2TiB,device=h100-sxm5:8,island=8,racks=75",
    "-c",
    "mixed:nodes=800,cpu=epyc-9654:2,memory=1TiB,device=l40s:4,device=alveo-u280:4,racks=25",
    "-c",
    "npu:nodes=800,cpu=epyc-7742:2,memory=1TiB,device=ascend-910:8,island=4,racks=25",
    "--no-check",
    "--quiet",
};

/* Jobs of all kinds: shares of a GPU, one to eight in a node, gangs, other devices, cores alone. */
static const char classes[] =
    "      - {name: share, weight: 20, demand: cores=2 mem=8GiB gpu=0.25,\n"
    "         run: {distribution: lognormal, mean: 1h, cv: 1.5, max: 12h}, estimate: 2}\n"
    "      - {name: one, weight: 20, demand: cores=8 mem=64GiB gpu=1,\n"
    "         run: {distribution: lognormal, mean: 2h, cv: 1.5, max: 1d}, estimate: 2}\n"
    "      - {name: two, weight: 10, demand: 'cores=16 mem=64GiB gpu:a100-sxm4-80|l40s=2',\n"
    "         run: {distribution: lognormal, mean: 3h, cv: 1.5, max: 1d}, estimate: 3}\n"
    "      - {name: four, weight: 10, demand: 'cores=32 mem=256GiB gpu:a100-sxm4-80=4 "
    "same-island',\n"
    "         run: {distribution: lognormal, mean: 4h, cv: 1.5, max: 1d}, estimate: 3}\n"
    "      - {name: eight, weight: 10, demand: 'cores=64 mem=512GiB gpu:h100-sxm5=8',\n"
    "         run: {distribution: lognormal, mean: 6h, cv: 1.2, max: 2d}, estimate: 2}\n"
    "      - {name: gang, weight: 5, demand: '16x cores=64 mem=512GiB gpu:a100-sxm4-80=8 spread',\n"
    "         run: {distribution: lognormal, mean: 8h, cv: 1.2, max: 2d}, estimate: 2}\n"
    "      - {name: wide, weight: 1, demand: '128x cores=64 mem=512GiB gpu:a100-sxm4-80=8 "
    "spread',\n"
    "         run: {distribution: lognormal, mean: 8h, cv: 1.2, max: 2d}, estimate: 2}\n"
    "      - {name: fpga, weight: 6, demand: cores=4 mem=32GiB fpga=1,\n"
    "         run: {distribution: uniform, min: 10m, max: 2h}, estimate: 2}\n"
    "      - {name: npu, weight: 6, demand: 2x cores=32 mem=128GiB npu=8,\n"
    "         run: {distribution: lognormal, mean: 4h, cv: 1.2, max: 2d}, estimate: 2}\n"
    "      - {name: cpu, weight: 12, demand: 4x cores=32 mem=64GiB,\n"
    "         run: {distribution: lognormal, mean: 2h, cv: 1.5, max: 1d}, estimate: 4}\n";

enum hs_err bench_devices_machine(struct bench_stage *stage, const char *program, const char *path,
                                  const char *messages, struct hs_error *error)
{
    enum { WORDS = sizeof machine / sizeof machine[0] };
    const char *const head[] = {program, "platform", "generate", "-o", path, "--force"};
    enum { HEAD = sizeof head / sizeof head[0] };
    char *argv[HEAD + WORDS + 1] = {NULL};
    struct bench_measure measure = {0};
    enum hs_err err = HS_OK;

    for (size_t i = 0; i < HEAD + WORDS && err == HS_OK; i++) {
        argv[i] = strdup(i < HEAD ? head[i] : machine[i - HEAD]);
        err = argv[i] ? HS_OK : hs_error_memory(error);
    }
    if (err == HS_OK) {
        err = bench_stage_run(stage, argv, messages, messages, &measure, error);
    }
    for (size_t i = 0; i < HEAD + WORDS; i++) {
        free(argv[i]);
    }
    return err;
}

enum hs_err bench_devices_experiment(const char *path, const char *platform, const char *policy,
                                     int64_t jobs, const char *compression, struct hs_error *error)
{
    FILE *file = fopen(path, "w");
    bool is_written = false;

    if (file) {
        (void)fprintf(file,
                      "hsim: 1\nseed: 1\nplatform: %s\nworkload:\n  generate:\n    model: mix\n"
                      "    jobs: %" PRId64 "\n    load: 0.9\n    classes:\n%spolicy: %s\n"
                      "output: {compression: %s}\n",
                      platform, jobs, classes, policy, compression);
        is_written = !ferror(file);
        is_written = fclose(file) == 0 && is_written;
    }
    return is_written ? HS_OK
                      : hs_error_set(error, HS_ERR_SYSTEM, "%s: the file cannot be written: %s.",
                                     path, strerror(errno));
}
