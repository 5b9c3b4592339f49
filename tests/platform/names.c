/* SPDX-License-Identifier: GPL-3.0-or-later */
/* names.c - natural order of names, and memory sizes. */
#include "platform/platform.h"
#include "unit.h"

#include <string.h>

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

/* In order; each is compared with each, both ways, so that the order is total and transitive. */
static void test_order(void)
{
    static const char *const names[] = {
        "",
        "1",
        "2",
        "10",
        "a",
        "a0",
        "a00",
        "a0b",
        "a1",
        "a2",
        "a10",
        "a10b1",
        "a10b2",
        "a10b10",
        "a11",
        "b",
        "n",
        "n001",
        "n01",
        "n1",
        "n1-1",
        "n1-2",
        "n1-10",
        "n1x",
        "n2",
        "n18446744073709551615",
        "n18446744073709551616",
        "n99999999999999999999999999999999",
        "n\xc3\xa9",
    };
    size_t count = sizeof names / sizeof names[0];

    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            int expected = (i > k) - (i < k);

            if (sign(platform_name_compare(names[i], names[k])) != expected) {
                (void)printf("'%s' against '%s'\n", names[i], names[k]);
                CU_FAIL("wrong order");
            }
        }
    }
}

static void check_size(const char *text, int64_t expected)
{
    int64_t bytes = -7;

    CU_ASSERT_TRUE(platform_size_parse(text, &bytes));
    if (bytes != expected) {
        (void)printf("%s is %lld\n", text, (long long)bytes);
        CU_FAIL("wrong size");
    }
}

static void test_sizes(void)
{
    check_size("1", 1);
    check_size("4096", 4096);
    check_size("1B", 1);
    check_size("64GiB", INT64_C(68719476736));
    check_size("40 GB", INT64_C(40000000000));
    check_size("  40  GB  ", INT64_C(40000000000));
    check_size("1.5TiB", INT64_C(1649267441664));
    check_size("0.1KiB", 102);
    check_size("007kB", 7000);
    check_size("3.0000000000000000000000000000001 B", 3);
    check_size("9223372036854775807", INT64_MAX);
    check_size("8191PiB", INT64_C(8191) << 50);
}

static void test_bad_sizes(void)
{
    static const char *const texts[] = {
        "",
        " ",
        "GB",
        "-1",
        "+1",
        "0",
        "0GB",
        "0.0001B",
        "1gb",
        "1 G",
        "1.",
        ".5GB",
        "1.GB",
        "1e3",
        "1,5GB",
        "1GBx",
        "nan",
        "0x10",
        "1 2GB",
        "64Gib",
        "9223372036854775808",
        "8192PiB",
        "99999999999999999999",
        "1..5GB",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int64_t bytes = -7;

        if (platform_size_parse(texts[i], &bytes) || bytes != -7) {
            (void)printf("'%s' was read as %lld\n", texts[i], (long long)bytes);
            CU_FAIL("accepted, or touched its result");
        }
    }
}

static const struct unit_test tests[] = {
    {"natural order is total", test_order},
    {"sizes", test_sizes},
    {"what is no size", test_bad_sizes},
};

UNIT_MAIN("platform names", tests)
