/* SPDX-License-Identifier: GPL-3.0-or-later */
/* matrices.c - reading, writing and drawing ETC matrices; batches. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "map/batch.h"
#include "map/etc.h"
#include "map/generate.h"
#include "unit.h"

/* Reads `text` as a file; the code. */
static enum hs_err read_text(const char *text, struct map_etc *etc, struct hs_error *error)
{
    char path[64];
    int file = memfd_create("etc", MFD_CLOEXEC);
    enum hs_err err;

    CU_ASSERT_FATAL(file >= 0);
    CU_ASSERT_EQUAL(write(file, text, strlen(text)), (ssize_t)strlen(text));
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    *error = (struct hs_error){0};
    err = map_etc_read(path, etc, error);
    (void)close(file);
    return err;
}

static void check_read(const char *text, uint32_t tasks, uint32_t machines, const double *times_s)
{
    struct map_etc etc = {0};
    struct hs_error error;

    CU_ASSERT_EQUAL(read_text(text, &etc, &error), HS_OK);
    CU_ASSERT_STRING_EQUAL(error.text, "");
    CU_ASSERT_EQUAL(etc.task_count, tasks);
    CU_ASSERT_EQUAL(etc.machine_count, machines);
    for (uint32_t i = 0; etc.times_s && i < tasks * machines; i++) {
        CU_ASSERT_EQUAL(etc.times_s[i], times_s[i]);
    }
    map_etc_fini(&etc);
}

static void test_forms(void)
{
    static const double times_s[] = {1, 2.5, 3e3, 4, INFINITY, 0};

    check_read("2 3 0\n1\n2.5\n3e3\n4\n-\n0\n", 2, 3, times_s);
    check_read("2 3\n1 2.5 3e3\n4 - 0", 2, 3, times_s);
    check_read("\n2\t3 whatever it says\r\n1 2.5 3e3\r\n\r\n4 - -0\r\n", 2, 3, times_s);
    check_read("1,2.5,3e3\n4,-,0\n", 2, 3, times_s);
    check_read("m 1, \"m2\", m3\n1, 2.5 ,3e3\n\n4,-,0", 2, 3, times_s);
    check_read("1 1\n0\n", 1, 1, &times_s[5]);
    check_read("\xEF\xBB\xBF"
               "2 3\r\n1 2.5 3e3\r\n4 - 0\r\n",
               2, 3, times_s);
    check_read("\xEF\xBB\xBF"
               "1,2.5,3e3\n4,-,0\n",
               2, 3, times_s);
    check_read("m1 of 3,m2 of 3,m3\n1,2.5,3e3\n4,-,0\n", 2, 3, times_s);
}

static void check_bad(const char *text, const char *place, const char *part)
{
    struct map_etc etc = {0};
    struct hs_error error;

    CU_ASSERT_EQUAL(read_text(text, &etc, &error), HS_ERR_INPUT);
    CU_ASSERT_PTR_NULL(etc.times_s);
    if (!strstr(error.text, place) || !strstr(error.text, part)) {
        CU_FAIL("another sentence is due");
        (void)fprintf(stderr, "for '%.40s': %s\n", text, error.text);
    }
}

static void test_bad_matrices(void)
{
    check_bad("2 2\n1 2\n3\n", ":4:1: the file ends behind 3 times", "machine 1 of task 1");
    check_bad("2 2\n1 2\n3 4\n5 6\n", ":4:1: here times begin that are too many", "has 6");
    check_bad("2 2\n1 2\n3 -4\n", ":3:3: the time -4 is negative", "from 0");
    check_bad("2 2\n1 2\nnan 4\n", ":3:1: 'nan' is no time", "`-`");
    check_bad("2 2\n1 2\n3 inf\n", ":3:3: 'inf' is no time", "`-`");
    check_bad("2 2\n1 2\n3 1e400\n", ":3:3: '1e400' is no time", "`-`");
    check_bad("2 2\n1 2\n3 1e19\n", ":3:3: the time 1e19 is too large", "1e+18");
    check_bad("2 2\n1 0x10\n3 4\n", ":2:3: '0x10' is no time", "`-`");
    check_bad("2 2\n1,2\n3,4\n", ":2:2: a comma", "CSV");
    check_bad("0 2\n", ":1:1: 0 tasks", "from 1");
    check_bad("2 0\n", ":1:3: 0 machines", "from 1");
    check_bad("2\n1 2\n", ":1:1: the number of machines is missing", "TASKS MACHINES");
    check_bad("1.5 2\n", ":1:1: '1.5' is no number of tasks", "TASKS MACHINES");
    check_bad("999999999 999999999\n1\n", ":1:11: 999999999 tasks on 999999999", "too many");
    check_bad("99999999999999999999 2\n", ":1:1: 99999999999999999999 tasks", "from 1");
    check_bad("1000000 1000\n1\n", ":3:1: the file ends behind 1 times", "1000000000");
    check_bad("2 2\n1 2\n- -\n", ": no machine can run task 1", "leave the task out");
    check_bad("\n \n", ":3: there is no matrix", "TASKS MACHINES");
    check_bad("1,2\n3\n", ":2: the line has 1 times; the first has 2", "");
    check_bad("1,2\n3,,4\n", ":2:4: a time is missing", "`-`");
    check_bad("1,2\n3 4\n", "2:4: a comma is missing", "");
    check_bad("1,2\n3,\n", ":2: the line ends with a comma", "");
    check_bad("a,b\n", ": no line has times", "each task");
    check_bad("a,b\n1,x\n", ":2:3: 'x' is no time", "");
    check_bad("1x,2\n3,4\n", ":1:4: '2' is no name of a machine", "Correct the times");
    check_bad("nan,2\n3,4\n", ":1:1: 'nan' is no name of a machine", "Correct the times");
    check_bad("a,-\n3,4\n", ":1:3: '-' is no name of a machine", "Correct the times");
    check_bad("\xEF\xBB\xBF"
              "2 2\n1 2\n",
              ":3:1: the file ends behind 2 times", "");
}

/* A file that goes on in one word, as a device does, ends all the same. */
static void test_endless_word(void)
{
    struct map_etc etc = {0};
    struct hs_error error = {0};

    CU_ASSERT_EQUAL(map_etc_read("/dev/zero", &etc, &error), HS_ERR_INPUT);
    CU_ASSERT_STRING_EQUAL(error.text, "/dev/zero:1:1: a word of more than 1048576 bytes. Check "
                                       "that this is a matrix of times.");
}

static enum hs_err parse(const char *text, struct map_generate *generate, struct hs_error *error)
{
    *error = (struct hs_error){0};
    return map_generate_parse(text, generate, error);
}

static void check_bad_description(const char *text, const char *part)
{
    struct map_generate generate;
    struct hs_error error;

    CU_ASSERT_EQUAL(parse(text, &generate, &error), HS_ERR_CONFIG);
    if (!strstr(error.text, part)) {
        CU_FAIL("another sentence is due");
        (void)fprintf(stderr, "for '%s': %s\n", text, error.text);
    }
}

static void test_descriptions(void)
{
    struct map_generate generate;
    struct hs_error error;
    char *keys = map_generate_keys();

    CU_ASSERT_EQUAL(
        parse("cvb, tasks=7 machines=3,mean=50 consistency=semi seed=9", &generate, &error), HS_OK);
    CU_ASSERT(generate.model == MAP_MODEL_CVB && generate.task_count == 7 &&
              generate.machine_count == 3 && generate.seed == 9);
    CU_ASSERT(generate.mean_s == 50 && generate.task_cv == 0.6 && generate.machine_cv == 0.6);
    CU_ASSERT_EQUAL(generate.consistency, MAP_SEMI_CONSISTENT);
    CU_ASSERT_PTR_NOT_NULL_FATAL(keys);
    CU_ASSERT(strstr(keys, "task-cv") && strstr(keys, "task-range"));
    free(keys);
    check_bad_description("", "is no model");
    check_bad_description("rang tasks=3", "did you mean 'range'?");
    check_bad_description("cvb taks=3", "did you mean 'tasks'?");
    check_bad_description("cvb task-range=3", "has no key 'task-range'");
    check_bad_description("cvb tasks", "write tasks=512");
    check_bad_description("cvb tasks=0", "from 1 to 1000000000");
    check_bad_description("cvb tasks=1.5", "a whole number");
    check_bad_description("cvb task-cv=nan", "from 0.001 to 10");
    check_bad_description("range machine-range=0.5", "from 1 to");
    check_bad_description("range seed=-1", "from 0 to");
    check_bad_description("range consistency=both", "inconsistent, semi or consistent");
    check_bad_description("range tasks=2 tasks=3", "tasks is there twice");
}

static void generate_etc(const char *text, struct map_etc *etc)
{
    struct map_generate generate;
    struct hs_error error = {0};

    CU_ASSERT_EQUAL_FATAL(map_generate_parse(text, &generate, &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(map_generate_etc(&generate, etc, &error), HS_OK);
}

/* The text of a matrix reads back to the same numbers. */
static void test_write(void)
{
    struct map_etc etc = {0}, again = {0};
    struct hs_error error;
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    generate_etc("cvb tasks=50 machines=7", &etc);
    etc.times_s[8] = INFINITY;
    map_etc_write(&etc, file);
    CU_ASSERT_EQUAL(fclose(file), 0);
    CU_ASSERT_EQUAL(read_text(text, &again, &error), HS_OK);
    CU_ASSERT(again.task_count == 50 && again.machine_count == 7);
    CU_ASSERT_EQUAL(memcmp(etc.times_s, again.times_s, 350 * sizeof(double)), 0);
    free(text);
    map_etc_fini(&etc);
    map_etc_fini(&again);
}

/* Mean and coefficient of variation of `count` numbers, `stride` apart. */
static void moments(const double *values, size_t count, size_t stride, double *mean, double *cv)
{
    double sum = 0.0, squares = 0.0;

    for (size_t i = 0; i < count; i++) {
        sum += values[i * stride];
    }
    *mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        squares += (values[i * stride] - *mean) * (values[i * stride] - *mean);
    }
    *cv = sqrt(squares / (double)count) / *mean;
}

static void test_distributions(void)
{
    struct map_etc etc = {0};
    double mean, cv, row_cv = 0.0;
    double row_means[2000];

    generate_etc("cvb tasks=2000 machines=400 mean=100 task-cv=0.3 machine-cv=0.5 seed=5", &etc);
    for (size_t task = 0; task < 2000; task++) {
        moments(&etc.times_s[task * 400], 400, 1, &row_means[task], &cv);
        row_cv += cv / 2000;
    }
    moments(row_means, 2000, 1, &mean, &cv);
    CU_ASSERT_DOUBLE_EQUAL(row_cv, 0.5, 0.01);
    CU_ASSERT_DOUBLE_EQUAL(mean, 100, 3); /* 4.5 standard errors */
    CU_ASSERT_DOUBLE_EQUAL(cv, 0.3, 0.025);
    map_etc_fini(&etc);
    generate_etc("range tasks=2000 machines=400 task-range=100 machine-range=10", &etc);
    moments(etc.times_s, 2000 * 400, 1, &mean, &cv);
    CU_ASSERT_DOUBLE_EQUAL(mean, 50.5 * 5.5, 17); /* 4.5 standard errors of the mean of rows */
    for (size_t i = 0; i < 2000 * 400; i++) {
        CU_ASSERT_FATAL(etc.times_s[i] >= 1 && etc.times_s[i] < 1000);
    }
    map_etc_fini(&etc);
}

/* Sorted rows are the same draws; a row does not depend on how many there are. */
static void test_consistency(void)
{
    struct map_etc loose = {0}, semi = {0}, sorted = {0};

    generate_etc("cvb tasks=20 machines=9", &loose);
    generate_etc("cvb tasks=10 machines=9 consistency=semi", &semi);
    generate_etc("cvb tasks=10 machines=9 consistency=consistent", &sorted);
    for (size_t task = 0; task < 10; task++) {
        const double *rows[] = {&loose.times_s[task * 9], &semi.times_s[task * 9],
                                &sorted.times_s[task * 9]};
        double sums[3] = {0};

        for (size_t machine = 0; machine < 9; machine++) {
            for (size_t k = 0; k < 3; k++) {
                sums[k] += rows[k][machine];
            }
            CU_ASSERT(machine == 0 || rows[2][machine - 1] <= rows[2][machine]);
            CU_ASSERT(machine < 2 || machine % 2 || rows[1][machine - 2] <= rows[1][machine]);
            CU_ASSERT(machine % 2 == 0 || rows[1][machine] == rows[0][machine]);
        }
        CU_ASSERT_DOUBLE_EQUAL(sums[0], sums[1], 1e-9 * sums[0]);
        CU_ASSERT_DOUBLE_EQUAL(sums[0], sums[2], 1e-9 * sums[0]);
    }
    map_etc_fini(&loose);
    map_etc_fini(&semi);
    map_etc_fini(&sorted);
}

/* What a run of batches said of its tasks. */
struct log {
    uint32_t count;
    struct map_placed placed[300];
};

static bool take(void *context, const struct map_placed *placed)
{
    struct log *log = context;

    log->placed[log->count++] = *placed;
    return log->count < 300;
}

static void run_batches(struct map_batch_options *options, struct log *log,
                        struct map_batch_result *result)
{
    struct map_batch_calls calls = {.take = take, .context = log};
    struct hs_error error = {0};

    log->count = 0;
    CU_ASSERT_EQUAL_FATAL(map_batch_run(options, &calls, result, &error), HS_OK);
}

/* One batch of all tasks is the static mapping; drawn rows are those of the drawn matrix; batches
 * of one task make Min-Min the same as MCT. */
static void test_batches(void)
{
    struct map_etc etc = {0};
    struct map_generate generate;
    struct hs_error error = {0};
    struct log log;
    struct map_batch_result result, other;
    struct map_batch_options options = {.heuristic = hp_heuristic_find("sufferage-iter"),
                                        .batch_size = 200};
    struct hp_mapper *mapper = hp_mapper_create();
    struct hp_mapping_problem problem = {.task_count = 200, .machine_count = 8};
    struct hp_mapping mapping;

    generate_etc("cvb tasks=200 machines=8", &etc);
    CU_ASSERT_EQUAL(map_generate_parse("cvb tasks=200 machines=8", &generate, &error), HS_OK);
    problem.times_s = etc.times_s;
    CU_ASSERT_EQUAL_FATAL(hp_mapper_map(mapper, options.heuristic, &problem, &mapping, &error),
                          HS_OK);
    options.etc = &etc;
    run_batches(&options, &log, &result);
    CU_ASSERT_EQUAL(result.batch_count, 1);
    CU_ASSERT_EQUAL(result.makespan_s, mapping.makespan_s);
    CU_ASSERT_DOUBLE_EQUAL(result.flowtime_s, mapping.flowtime_s, 1e-6);
    options.batch_size = 30;
    run_batches(&options, &log, &result);
    CU_ASSERT(result.batch_count == 7 && result.batch_max == 30 && result.mapped_count == 200);
    options.etc = NULL;
    options.generate = &generate;
    run_batches(&options, &log, &other);
    CU_ASSERT_EQUAL(memcmp(&result, &other, sizeof result), 0);
    options.batch_size = 1;
    options.heuristic = hp_heuristic_find("min-min");
    run_batches(&options, &log, &result);
    options.heuristic = hp_heuristic_find("mct");
    run_batches(&options, &log, &other);
    CU_ASSERT_EQUAL(result.makespan_s, other.makespan_s);
    hp_mapper_destroy(mapper);
    map_etc_fini(&etc);
}

/* Nobody starts before it has arrived and was mapped, and a machine runs one task at a time. */
static void check_log(const struct log *log, double interval_s)
{
    double ready_s[8] = {0};

    for (uint32_t i = 0; i < log->count; i++) {
        const struct map_placed *placed = &log->placed[i];

        CU_ASSERT(placed->arrival_s <= placed->mapped_s && placed->mapped_s <= placed->start_s);
        CU_ASSERT(placed->start_s >= ready_s[placed->machine]);
        CU_ASSERT(placed->end_s >= placed->start_s);
        ready_s[placed->machine] = placed->end_s;
        if (interval_s > 0) {
            CU_ASSERT(placed->mapped_s - placed->arrival_s < interval_s);
            CU_ASSERT_EQUAL(fmod(placed->mapped_s, interval_s), 0.0);
        }
    }
}

static void test_arrivals(void)
{
    struct map_generate generate;
    struct hs_error error = {0};
    struct log log;
    struct map_batch_result result;
    struct map_batch_options options = {.heuristic = hp_heuristic_find("min-min"),
                                        .generate = &generate,
                                        .interval_s = 512,
                                        .rate_per_s = 0.01,
                                        .seed = 3};
    double last_s = 0.0;

    CU_ASSERT_EQUAL(map_generate_parse("cvb tasks=250 machines=8", &generate, &error), HS_OK);
    run_batches(&options, &log, &result);
    CU_ASSERT(log.count == 250 && result.mapped_count == 250);
    CU_ASSERT(result.batch_count > 20 &&
              result.batch_count < 60); /* 25,000 s / 512 s, some empty */
    check_log(&log, 512);
    for (uint32_t i = 0; i < log.count; i++) {
        last_s = fmax(last_s, log.placed[i].arrival_s);
    }
    CU_ASSERT(last_s > 25000 * 0.75 && last_s < 25000 * 1.25); /* 4 standard deviations */
    options.interval_s = 0;
    options.batch_size = 10;
    run_batches(&options, &log, &result);
    CU_ASSERT_EQUAL(result.batch_count, 25);
    check_log(&log, 0);
}

static const struct unit_test tests[] = {
    {"forms of a file", test_forms},
    {"bad files", test_bad_matrices},
    {"a word without an end", test_endless_word},
    {"descriptions", test_descriptions},
    {"what is written reads back", test_write},
    {"distributions", test_distributions},
    {"consistency", test_consistency},
    {"batches", test_batches},
    {"arrivals", test_arrivals},
};

UNIT_MAIN("matrices", tests)
