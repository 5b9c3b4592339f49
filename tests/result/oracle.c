/* SPDX-License-Identifier: GPL-3.0-or-later */
/* oracle.c - the metrics of independent schedules: start and end of every job from the oracle's
 * files, sizes and submits from the traces, and the oracle's aggregates to all printed digits. */
#include <zlib.h>

#include "fake.h"

#define JOBS_MAX 20000

static const char *shared_folder(void)
{
    const char *folder = getenv("HSIM_SHARED");

    return folder ? folder : HSIM_SHARED_DEFAULT;
}

static gzFile open_shared(const char *folder, const char *name)
{
    char path[512];

    (void)snprintf(path, sizeof path, "%s/%s/%s", shared_folder(), folder, name);
    return gzopen(path, "rb");
}

/* Submit and processors of the jobs of a canonical trace. */
static size_t read_trace(const char *trace, struct fake_job *jobs)
{
    char name[128];
    char line[1024];
    size_t count = 0;
    gzFile file;

    (void)snprintf(name, sizeof name, "%s.swf.gz", trace);
    file = open_shared("data/swf", name);
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    while (gzgets(file, line, sizeof line)) {
        long fields[9];

        if (line[0] != ';' && sscanf(line, "%*d %ld %*d %*d %ld %*d %*d %ld", &fields[0],
                                     &fields[1], &fields[2]) == 3) {
            CU_ASSERT_FATAL(count < JOBS_MAX);
            jobs[count++] = (struct fake_job){
                .submit = fields[0],
                .procs = fields[2] > 0 ? fields[2] : fields[1],
            };
        }
    }
    (void)gzclose(file);
    return count;
}

/* Start and end, in the order of the trace. */
static void read_schedule(const char *trace, const char *policy, struct fake_job *jobs,
                          size_t count)
{
    char name[128];
    char line[256];
    size_t row = 0;
    gzFile file;

    (void)snprintf(name, sizeof name, "%s.%s.csv.gz", trace, policy);
    file = open_shared("oracles/swf", name);
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_PTR_NOT_NULL_FATAL(gzgets(file, line, sizeof line));
    while (gzgets(file, line, sizeof line)) {
        long start, end;

        CU_ASSERT_EQUAL_FATAL(sscanf(line, "%*d,%ld,%ld", &start, &end), 2);
        CU_ASSERT_FATAL(row < count);
        jobs[row].start = start;
        jobs[row++].end = end;
    }
    CU_ASSERT_EQUAL(row, count);
    (void)gzclose(file);
}

static void expect_text(const struct result_summary *summary, const char *row, const char *metric,
                        int digits, const char *expected)
{
    char text[64];

    (void)snprintf(text, sizeof text, "%.*f", digits, result_summary_get(summary, metric));
    if (strcmp(text, expected) != 0) {
        (void)printf("\n    %s: %s is %s, not %s ", row, metric, text, expected);
        CU_FAIL("metric");
    }
}

static void compare_row(char *line, struct fake_job *jobs)
{
    const char *fields[10];
    size_t count = 0;
    struct hs_cluster *cluster;
    struct result_meta meta;
    struct result_options options = {0};
    struct result_summary summary;
    char row[64];

    line[strcspn(line, "\r\n")] = '\0';
    for (char *field = strtok(line, ","); field && count < 10; field = strtok(NULL, ",")) {
        fields[count++] = field;
    }
    CU_ASSERT_EQUAL_FATAL(count, 10);
    (void)snprintf(row, sizeof row, "%s %s", fields[0], fields[1]);
    cluster = fake_cluster(1, strtol(fields[3], NULL, 10));
    meta = fake_meta(cluster);
    count = read_trace(fields[0], jobs);
    read_schedule(fields[0], fields[1], jobs, count);
    fake_result(&options, &meta, jobs, count, &summary);
    expect_text(&summary, row, "jobs", 0, fields[2]);
    expect_text(&summary, row, "wait_mean_s", 6, fields[4]);
    expect_text(&summary, row, "bsld_mean", 6, fields[5]);
    expect_text(&summary, row, "turnaround_mean_s", 6, fields[6]);
    expect_text(&summary, row, "wait_max_s", 0, fields[7]);
    expect_text(&summary, row, "makespan_s", 0, fields[8]);
    expect_text(&summary, row, "util_alloc", 8, fields[9]);
    result_summary_fini(&summary);
    hs_cluster_destroy(cluster);
}

static void test_metrics(void)
{
    gzFile file = open_shared("oracles/swf", "metrics.csv");
    struct fake_job *jobs;
    char line[512];
    int rows = 0;

    if (!file) {
        (void)printf("skipped: no oracles in %s (set HSIM_SHARED) ", shared_folder());
        return;
    }
    jobs = calloc(JOBS_MAX, sizeof *jobs);
    CU_ASSERT_PTR_NOT_NULL_FATAL(gzgets(file, line, sizeof line));
    while (gzgets(file, line, sizeof line)) {
        compare_row(line, jobs);
        rows++;
    }
    CU_ASSERT_EQUAL(rows, 42);
    free(jobs);
    (void)gzclose(file);
}

static const struct unit_test tests[] = {{"metrics of 3 traces x 14 policies", test_metrics}};

UNIT_MAIN("result oracle", tests)
