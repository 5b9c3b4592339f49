/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm.c - what squeue says about a sweep, and options that are not the person's. */
#include "sweep/slurm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/slurm_names.h"
#include "unit.h"

#define FOLDER "/data/a sweep"

static void test_queue(void)
{
    char mark[SLURM_MARK_SIZE], other[SLURM_MARK_SIZE], text[1024];
    struct slurm_queue queue;
    struct hs_error error = {0};

    slurm_mark(FOLDER, mark);
    slurm_mark(FOLDER "2", other);
    CU_ASSERT_EQUAL(strlen(mark), 18);
    CU_ASSERT_STRING_NOT_EQUAL(mark, other);
    (void)snprintf(text, sizeof text,
                   "17|3|RUNNING|None|loads%s2.0\n"
                   "17|4|PENDING|Priority|loads%s2.1000\n"
                   "18|N/A|PENDING|Dependency|loads%s2.merge\n"
                   "19|0|PENDING|Priority|loads%s1.0\n" /* another folder */
                   "20|0|RUNNING|None|interactive\n"
                   "21|N/A|RUNNING|None|x%s2.0\n" /* an array without an index */
                   "22|1|RUNNING|None|x%s2.0x\n"
                   "23|1|RUNNING|None|x%s.0\n"
                   "24|1|RUNNING\n"
                   "\n"
                   "25|0|COMPLETING|None|a.b%s7.0",
                   mark, mark, mark, other, mark, mark, mark, mark);
    CU_ASSERT_EQUAL_FATAL(slurm_queue_parse(FOLDER, text, &queue, &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(queue.count, 4);
    CU_ASSERT_STRING_EQUAL(queue.jobs[0].id, "17");
    CU_ASSERT_EQUAL(queue.jobs[0].task, 3);
    CU_ASSERT_EQUAL(queue.jobs[0].submission, 2);
    CU_ASSERT_STRING_EQUAL(queue.jobs[0].state, "RUNNING");
    CU_ASSERT_EQUAL(queue.jobs[1].task, 1004);
    CU_ASSERT_STRING_EQUAL(queue.jobs[1].reason, "Priority");
    CU_ASSERT_FALSE(queue.jobs[1].is_merge);
    CU_ASSERT_TRUE(queue.jobs[2].is_merge);
    CU_ASSERT_EQUAL(queue.jobs[2].submission, 2);
    CU_ASSERT_EQUAL(queue.jobs[3].submission, 7);
    slurm_queue_fini(&queue);
    CU_ASSERT_EQUAL(slurm_queue_parse(FOLDER, "", &queue, &error), HS_OK);
    CU_ASSERT_EQUAL(queue.count, 0);
    slurm_queue_fini(&queue);
}

static void test_names(void)
{
    char name[SLURM_STUDY_SIZE];
    char *path = slurm_task_path(FOLDER, 3, 1004);

    slurm_study("loads_0.5 of/a|b", name);
    CU_ASSERT_STRING_EQUAL(name, "loads_0-5-of-a-b");
    slurm_study("a-name-that-is-far-too-long-for-a-table", name);
    CU_ASSERT_STRING_EQUAL(name, "a-name-that-is-far-too-l");
    CU_ASSERT_STRING_EQUAL(path, FOLDER "/slurm/3/tasks/1004");
    free(path);
}

static void test_options(void)
{
    static const char *const ours[] = {
        "--array=1-3",  "--array", "-a1",      "-d",
        "--job-name=x", "-Jx",     "--wrap=x", "--dependency=singleton",
        "--wait"};
    static const char *const theirs[] = {"--account=x", "-Ax", "--arrays", "--wait-all-nodes=1",
                                         "--time=5",    "-t5", "--mem=1G", "--deadline=now"};

    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        CU_ASSERT_TRUE(slurm_option_is_ours(ours[i]));
    }
    for (size_t i = 0; i < sizeof theirs / sizeof theirs[0]; i++) {
        CU_ASSERT_FALSE(slurm_option_is_ours(theirs[i]));
    }
}

static const struct unit_test tests[] = {
    {"squeue", test_queue},
    {"names", test_names},
    {"options", test_options},
};

UNIT_MAIN("slurm", tests)
