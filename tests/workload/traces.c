/* SPDX-License-Identifier: GPL-3.0-or-later */
/* traces.c - whole traces of real machines against sums that were formed with awk. */
#include "shared.h"
#include "support.h"

struct expected {
    const char *name;
    int64_t jobs, overrun, missing;
    int64_t submit_s, run_s, area_s, walltime_s, procs; /* sums over all jobs */
};

static void trace_check(const struct expected *expected)
{
    struct workload_options options;
    struct workload *workload;
    struct workload_job job;
    struct hs_error error = {0};
    hs_int128 submit = 0, run = 0, area = 0, walltime = 0;
    int64_t procs = 0;
    bool has_job = true;
    char path[512];

    if (!shared_trace(expected->name, path, sizeof path)) {
        return;
    }
    workload_options_defaults(&options);
    options.file = path;
    options.is_strict = true;
    options.sort_window = 0;
    CU_ASSERT_FATAL(workload_open(&options, &workload, &error) == HS_OK);
    for (;;) {
        CU_ASSERT_FATAL(workload_next(workload, &job, &has_job, &error) == HS_OK);
        if (!has_job) {
            break;
        }
        submit += job.submit_ns;
        run += job.run_ns;
        area += (hs_int128)job.run_ns * job.demand.tasks;
        walltime += job.walltime_ns;
        procs += job.demand.tasks;
    }
    CHECK_INT(workload_stats(workload)->jobs, expected->jobs);
    CHECK_INT(workload_stats(workload)->records, expected->jobs);
    CHECK_INT(workload_stats(workload)->overrun.count, expected->overrun);
    CHECK_INT(workload_stats(workload)->missing.count, expected->missing);
    CHECK_INT(workload_stats(workload)->unsorted.count, 0);
    CHECK_INT(workload_stats(workload)->is_clairvoyant, expected->missing > 0);
    CHECK_INT(submit / S, expected->submit_s);
    CHECK_INT(run / S, expected->run_s);
    CHECK_INT(area / S, expected->area_s);
    CHECK_INT(walltime / S, expected->walltime_s);
    CHECK_INT((submit + run + area + walltime) % S, 0);
    CHECK_INT(procs, expected->procs);
    workload_close(workload);
}

static void test_canonical(void)
{
    static const struct expected traces[] = {
        {"sdsc_sp2.swf.gz", 4606, 0, 0, 12438228910, 38188540, 384191650, 99288779, 57988},
        {"hpc2n.swf.gz", 3145, 0, 0, 9377914989, 31826209, 502018364, 75541680, 62449},
        {"lublin_256.swf.gz", 10000, 0, 0, 39781557652, 48627667, 2092781168, 48627667, 221010},
        {"lublin_256.raw.swf.gz", 10000, 0, 10000, 39781557652, 48627667, 2092781168, 48627667,
         221010},
    };

    for (size_t i = 0; i < sizeof traces / sizeof traces[0]; i++) {
        trace_check(&traces[i]);
    }
}

static void test_whole_log(void)
{
    static const struct expected log = {"HPC2N-2002-2.2-cln.swf.gz",
                                        202871,
                                        14817,
                                        0,
                                        11649565315555,
                                        3443646914,
                                        15531181188,
                                        9108769535,
                                        1285282};

    trace_check(&log);
}

static const struct unit_test tests[] = {
    {"canonical traces", test_canonical},
    {"whole log", test_whole_log},
};

UNIT_MAIN("workload traces", tests)
