/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernel.c - the reference does the work that it stands for. */
#include "bench/kernel.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/schema.h"
#include "unit.h"

static void path_of(char path[64], const char *text)
{
    int file;

    (void)snprintf(path, 64, "/tmp/bench_kernel.XXXXXX");
    file = mkstemp(path);
    CU_ASSERT_FATAL(file >= 0);
    CU_ASSERT_EQUAL(write(file, text, strlen(text)), (ssize_t)strlen(text));
    CU_ASSERT_EQUAL(close(file), 0);
}

static void test_parse(void)
{
    static const char text[] = "; 99 comments count 99\n"
                               "1 10 -1 5 4 -1 -1 4 60 -1 1 3 -1 -1 -1 -1 2 9\n"
                               "\n"
                               " 2\t100 0 20 16 -1 -1 -1 -1 512 1 4 1 2 0 1 -1 -1\r\n";
    struct hs_error error = {0};
    int64_t rows = -1;
    uint64_t sum = 0;
    char path[64];

    path_of(path, text);
    CU_ASSERT_EQUAL(bench_kernel_parse(path, &rows, &sum, &error), HS_OK);
    CU_ASSERT_EQUAL(rows, 2);
    CU_ASSERT_EQUAL(sum, 99 - 8 + 659 - 6);
    CU_ASSERT_EQUAL(unlink(path), 0);
    CU_ASSERT_EQUAL(bench_kernel_parse(path, &rows, &sum, &error), HS_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, path));
}

static void test_heap(void)
{
    struct hs_error error = {0};

    CU_ASSERT_EQUAL(bench_kernel_heap(0, 1, &error), HS_OK);
    CU_ASSERT_EQUAL(bench_kernel_heap(10000, 1, &error), HS_OK);
    CU_ASSERT_EQUAL(bench_kernel_heap(10000, 300, &error), HS_OK);
    CU_ASSERT_EQUAL(bench_kernel_heap(100, 1000, &error), HS_OK);
}

static int64_t row_bytes(const struct result_table *table)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < table->column_count; i++) {
        bytes += (int64_t)result_type_size(table->columns[i].type);
    }
    return bytes;
}

/* The file holds every column of every table, and no chunk twice. */
static void test_log(void)
{
    struct bench_rows rows = {200000, 70000, 1};
    struct hs_error error = {0};
    struct stat status = {0};
    int64_t expected = 0;
    char path[64];

    path_of(path, "");
    CU_ASSERT_EQUAL(bench_kernel_log(path, &rows, 0, &error), HS_OK);
    CU_ASSERT_EQUAL(stat(path, &status), 0);
    expected += 4 * 65536 * row_bytes(&result_jobs_table); /* whole chunks */
    expected += 2 * 65536 * row_bytes(&result_allocations_table);
    CU_ASSERT(status.st_size >= expected);
    CU_ASSERT(status.st_size < expected + expected / 20);
    CU_ASSERT_EQUAL(unlink(path), 0);
    CU_ASSERT_EQUAL(bench_kernel_log("/no/such/folder/x.h5", &rows, 0, &error), HS_ERR_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "TMPDIR"));
}

static const struct unit_test tests[] = {
    {"parse", test_parse},
    {"heap", test_heap},
    {"log", test_log},
};

UNIT_MAIN("bench_kernel", tests)
