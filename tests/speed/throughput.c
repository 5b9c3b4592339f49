/* SPDX-License-Identifier: GPL-3.0-or-later */
/* throughput.c - tables of throughputs, and what is none. */
#include "speed/throughput.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static enum hs_err read_text(const char *text, struct throughput_table **table,
                             struct hs_error *error)
{
    size_t length = strlen(text);
    enum hs_err err;
    int file;

    *error = (struct hs_error){0};
    (void)snprintf(path, sizeof path, "/tmp/hsim-throughput-XXXXXX");
    file = mkstemp(path);
    CU_ASSERT_FATAL(file >= 0);
    CU_ASSERT_FATAL(write(file, text, length) == (ssize_t)length);
    CU_ASSERT_FATAL(close(file) == 0);
    err = throughput_read(path, table, error);
    CU_ASSERT(unlink(path) == 0);
    return err;
}

static void test_table(void)
{
    struct throughput_table *table;
    struct hs_error error;
    const struct throughput_row *row;
    size_t worker;

    CU_ASSERT_EQUAL_FATAL(read_text("scale_factor,p100_unconsolidated,job_type,v100,batch_size,"
                                    "p100\n1,3.5,ResNet-18,32.3534,16,4\n2,,ResNet-18,1e2,16,0\n\n"
                                    "1,0,A3C,7,,5.5\n",
                                    &table, &error),
                          HS_OK);
    CU_ASSERT_EQUAL(throughput_worker_count(table), 2);
    CU_ASSERT_STRING_EQUAL(throughput_worker_name(table, 0), "v100");
    CU_ASSERT_STRING_EQUAL(throughput_worker_name(table, 1), "p100");
    CU_ASSERT_EQUAL(throughput_row_count(table), 3);
    row = throughput_row_at(table, 0);
    CU_ASSERT_STRING_EQUAL(row->job_type, "ResNet-18 (batch size 16)");
    CU_ASSERT_EQUAL(row->scale_factor, 1);
    CU_ASSERT(row->steps_per_s[0] == 32.3534 && row->steps_per_s[1] == 4);
    CU_ASSERT(isnan(row->spread_steps_per_s[0]) && row->spread_steps_per_s[1] == 3.5);
    row = throughput_row_at(table, 1);
    CU_ASSERT(row->steps_per_s[0] == 100 && row->steps_per_s[1] == 0);
    CU_ASSERT(isnan(row->spread_steps_per_s[1]));
    CU_ASSERT_EQUAL(row->line, 3);
    row = throughput_row_at(table, 2);
    CU_ASSERT_STRING_EQUAL(row->job_type, "A3C");
    CU_ASSERT(row->spread_steps_per_s[1] == 0);
    CU_ASSERT_EQUAL(row->line, 5);
    for (size_t i = 0; i < 3; i++) {
        row = throughput_row_at(table, i);
        CU_ASSERT_PTR_EQUAL(throughput_find(table, row->job_type, row->scale_factor), row);
    }
    CU_ASSERT_PTR_NULL(throughput_find(table, "A3C", 2));
    CU_ASSERT_PTR_NULL(throughput_find(table, "ResNet-18", 1));
    CU_ASSERT_PTR_NULL(throughput_find(table, "", 0));
    CU_ASSERT_STRING_EQUAL(throughput_nearest(table, "ResNet18 (batch size 16)"),
                           "ResNet-18 (batch size 16)");
    CU_ASSERT_PTR_NULL(throughput_nearest(table, "something else altogether"));
    CU_ASSERT_EQUAL(throughput_worker_find(table, "p100", &worker, &error), HS_OK);
    CU_ASSERT_EQUAL(worker, 1);
    CU_ASSERT_EQUAL(throughput_worker_find(table, "v10", &worker, &error), HS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(error.text, "has no type of worker 'v10' (did you mean 'v100'?). It has v100, "
                           "p100."));
    throughput_destroy(table);
}

static void test_bad(void)
{
#define HEAD "job_type,batch_size,scale_factor,v100,k80\n"
    static const struct {
        const char *text;
        const char *sentence;
    } cases[] = {
        {HEAD "A,,1,0,0\n", ":2: 'A' with scale factor 1 has throughput 0 on every type of worker"},
        {HEAD "A,,1,-1,1\n", ":2: v100 is '-1'; steps a second, from 0, are due"},
        {HEAD "A,,1,nan,1\n", ":2: v100 is 'nan'"},
        {HEAD "A,,1,1,inf\n", ":2: k80 is 'inf'"},
        {HEAD "A,,1,1,1e13\n", ":2: k80 is '1e13'"},
        {HEAD "A,,1,1,\n", ":2: k80 is ''; steps a second, from 0, are due (0: does not fit)"},
        {HEAD "A,,0,1,1\n", ":2: scale_factor is '0'; the number of workers, 1 to 100000, is due"},
        {HEAD "A,,x,1,1\n", ":2: scale_factor is 'x'"},
        {HEAD "A,0,1,1,1\n", ":2: batch_size is '0'; a whole number from 1, or nothing, is due"},
        {HEAD ",1,1,1,1\n", ":2: job_type is ''; a name is due"},
        {HEAD "A,1,1,1\n", ":2: 4 fields; the header names 5"},
        {HEAD "A,16,1,1,1\nB,,1,1,1\nA,16,2,1,1\nA,16,1,2,2\n",
         ":5: 'A (batch size 16)' with scale factor 1 is there already, in line 2."},
        {HEAD "A,16,1,1,1\nA (batch size 16),,1,1,1\n", "is there already, in line 2."},
        {HEAD, "a header, but no row"},
        {"job_type,scale_factor\nA,1\n", ":1: the header names no type of worker"},
        {"job_type,scale_factor,v100,v10_unconsolidated\nA,1,1,1\n",
         ":1: the column 'v10_unconsolidated' belongs to no type of worker: there is no column "
         "'v10'"},
        {"job_type,scale_factor,v100,v100_unconsolidated\nA,1,1,-2\n",
         ":2: v100_unconsolidated is '-2'; steps a second, from 0, or nothing (not measured)"},
        {"job_type,scale_factor,v100,v100\nA,1,1,1\n",
         ":1: the header has the column 'v100' twice"},
        {"job_type,scale_factor,v100,\nA,1,1,1\n", ":1: the header of a table of throughputs has a "
                                                   "column without a name, number 4"},
        {"job_type,scale_facto,v100\nA,1,1\n", "no column 'scale_factor' (but 'scale_facto')"},
    };
#undef HEAD

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct throughput_table *table;
        struct hs_error error;

        CU_ASSERT_EQUAL(read_text(cases[i].text, &table, &error), HS_ERR_INPUT);
        CU_ASSERT_PTR_NULL(table);
        if (!strstr(error.text, cases[i].sentence) || strncmp(error.text, path, strlen(path))) {
            printf("\n  '%s' lacks '%s'\n", error.text, cases[i].sentence);
            CU_FAIL("another sentence");
        }
    }
}

static void test_many_workers(void)
{
    char text[2048] = "job_type,scale_factor";
    struct throughput_table *table;
    struct hs_error error;
    size_t used = strlen(text);

    for (int i = 0; i <= THROUGHPUT_WORKERS_MAX; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, ",w%d", i);
    }
    (void)snprintf(text + used, sizeof text - used, "\n");
    CU_ASSERT_EQUAL(read_text(text, &table, &error), HS_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, ":1: more than 28 types of workers"));
}

static const struct unit_test tests[] = {
    {"a table", test_table},
    {"what is no table", test_bad},
    {"many types of workers", test_many_workers},
};

UNIT_MAIN("tables of throughputs", tests)
