/* SPDX-License-Identifier: GPL-3.0-or-later */
/* number.c - decimal text to scaled integers, against values worked out by hand. */
#include "support.h"
#include "workload/swf.h"

static void test_values(void)
{
    static const struct {
        const char *text;
        int scale;
        int64_t value;
        bool is_exact;
        size_t length;
    } cases[] = {
        {"0", 9, 0, true, 1},
        {"-1", 0, -1, true, 2},
        {"+7", 0, 7, true, 2},
        {"12.5", 9, 12500000000, true, 4},
        {"12.", 9, 12000000000, true, 3},
        {".5", 9, 500000000, true, 2},
        {"1e3", 9, 1000000000000, true, 3},
        {"1E+3", 0, 1000, true, 4},
        {"15e-1", 0, 2, false, 5},
        {"14e-1", 0, 1, false, 5},
        {"0.1", 9, 100000000, true, 3},
        {"0.000000001", 9, 1, true, 11},
        {"0.0000000014", 9, 1, false, 12},
        {"0.0000000015", 9, 2, false, 12},
        {"0.00000000149999999", 9, 1, false, 19},
        {"552.2100000000001", 9, 552210000000, false, 17},
        {"2999999999.999999999", 9, 2999999999999999999, true, 20},
        {"9223372036854775807", 0, INT64_MAX, true, 19},
        {"0000000000000000000000000000000000000000000000000007", 0, 7, true, 52},
        {"1000000000000000000000000000000000000000000e-42", 0, 1, true, 47},
        {"0e99999999999", 0, 0, true, 13},
        {"1e-99999999999", 0, 0, false, 14},
        {"12.5 rest", 9, 12500000000, true, 4},
        {"3x", 0, 3, true, 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *at = cases[i].text;
        bool is_exact, is_huge;
        int64_t value = 0;

        CU_ASSERT_TRUE(swf_number(&at, cases[i].scale, &value, &is_exact, &is_huge));
        CHECK_INT(value, cases[i].value);
        CHECK_INT(is_exact, cases[i].is_exact);
        CHECK_INT(at - cases[i].text, cases[i].length);
    }
}

static void test_refused(void)
{
    static const struct {
        const char *text;
        int scale;
        bool is_huge;
    } cases[] = {
        {"", 0, false},
        {"-", 0, false},
        {".", 0, false},
        {"-.", 0, false},
        {"abc", 0, false},
        {"nan", 0, false},
        {"inf", 0, false},
        {"e5", 0, false},
        {"1e", 0, false},
        {"1e+", 0, false},
        {"--1", 0, false},
        {"9223372036854775808", 0, true},
        {"1e30", 9, true},
        {"1e99999999999", 0, true},
        {"99999999999999999999999999999999999999999999999999", 0, true},
        {"10000000000", 9, true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *at = cases[i].text;
        bool is_exact, is_huge;
        int64_t value;

        CU_ASSERT_FALSE(swf_number(&at, cases[i].scale, &value, &is_exact, &is_huge));
        CHECK_INT(is_huge, cases[i].is_huge);
        CU_ASSERT_PTR_EQUAL(at, cases[i].text);
    }
}

static const struct unit_test tests[] = {
    {"values", test_values},
    {"refused", test_refused},
};

UNIT_MAIN("workload number", tests)
