/* SPDX-License-Identifier: GPL-3.0-or-later */
/* units.c - numbers with units are exact, and what is not exact is refused. */
#include "text/units.h"

#include "fixture.h"

static void test_times(void)
{
    static const struct {
        const char *text;
        int64_t ns;
    } cases[] = {
        {"0", 0},
        {"90", 90 * HS_NS_PER_S},
        {"15m", 900 * HS_NS_PER_S},
        {"2h", 7200 * HS_NS_PER_S},
        {"1.5h", 5400 * HS_NS_PER_S},
        {"1.5 h", 5400 * HS_NS_PER_S},
        {"1.5d", 129600 * HS_NS_PER_S},
        {"2w", 1209600 * HS_NS_PER_S},
        {"12.345678901s", INT64_C(12345678901)},
        {"0.1", 100000000},
        {"0.3s", 300000000},
        {"250ms", 250000000},
        {"3us", 3000},
        {"7ns", 7},
        {"0.001us", 1},
        {"-5m", -300 * HS_NS_PER_S},
        {"+5m", 300 * HS_NS_PER_S},
        {"1.50000000000000000000000000h", 5400 * HS_NS_PER_S},
        {"000000000000000000000000000000001s", HS_NS_PER_S},
        {"9223372036.854775807", INT64_MAX},
        {"9223372036854775807ns", INT64_MAX},
        {"100.0000000001w", INT64_C(60480000000060480)},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hs_time time = -1;

        CHECK(experiment_parse_time(cases[i].text, &time));
        if (time != cases[i].ns) {
            printf("\n%s is %lld\n", cases[i].text, (long long)time);
        }
        CHECK(time == cases[i].ns);
    }
}

static void test_bytes(void)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } cases[] = {
        {"1024", 1024},
        {"1024B", 1024},
        {"40 GB", INT64_C(40000000000)},
        {"40GB", INT64_C(40000000000)},
        {"16GiB", INT64_C(17179869184)},
        {"512MiB", 536870912},
        {"1.5KiB", 1536},
        {"1kB", 1000},
        {"1KB", 1000},
        {"2TB", INT64_C(2000000000000)},
        {"1TiB", INT64_C(1099511627776)},
        {"3PB", INT64_C(3000000000000000)},
        {"1PiB", INT64_C(1125899906842624)},
        {"0.5MB", 500000},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t bytes = -1;

        CHECK(experiment_parse_bytes(cases[i].text, &bytes));
        CHECK(bytes == cases[i].bytes);
    }
}

static void test_refused(void)
{
    static const struct {
        enum units_kind kind;
        const char *text;
        enum units_result result;
    } cases[] = {
        {UNITS_TIME, "", UNITS_NO_NUMBER},
        {UNITS_TIME, "h", UNITS_NO_NUMBER},
        {UNITS_TIME, "-", UNITS_NO_NUMBER},
        {UNITS_TIME, ".5h", UNITS_NO_NUMBER},
        {UNITS_TIME, " 5h", UNITS_NO_NUMBER},
        {UNITS_TIME, "nan", UNITS_NO_NUMBER},
        {UNITS_TIME, "inf", UNITS_NO_NUMBER},
        {UNITS_TIME, "1e3", UNITS_BAD_UNIT},
        {UNITS_TIME, "5 parsec", UNITS_BAD_UNIT},
        {UNITS_TIME, "5H", UNITS_BAD_UNIT},
        {UNITS_TIME, "5h ", UNITS_BAD_UNIT},
        {UNITS_TIME, "1.2.3h", UNITS_BAD_UNIT},
        {UNITS_TIME, "5.", UNITS_BAD_UNIT},
        {UNITS_TIME, "1:30", UNITS_BAD_UNIT},
        {UNITS_TIME, "5GB", UNITS_BAD_UNIT},
        {UNITS_TIME, "0.1ns", UNITS_TOO_FINE},
        {UNITS_TIME, "1.0000000001s", UNITS_TOO_FINE},
        {UNITS_TIME, "0.00000000000000000000000000000000000000001s", UNITS_TOO_FINE},
        {UNITS_TIME, "9223372036854775808ns", UNITS_TOO_LARGE},
        {UNITS_TIME, "9223372036.854775808", UNITS_TOO_LARGE},
        {UNITS_TIME, "99999999999999999999999999999999999999999999w", UNITS_TOO_LARGE},
        {UNITS_TIME, "9999999999999999999999w", UNITS_TOO_LARGE},
        {UNITS_BYTES, "40 gb", UNITS_BAD_UNIT},
        {UNITS_BYTES, "40 G", UNITS_BAD_UNIT},
        {UNITS_BYTES, "4h", UNITS_BAD_UNIT},
        {UNITS_BYTES, "1.5", UNITS_TOO_FINE},
        {UNITS_BYTES, "0.3KiB", UNITS_TOO_FINE},
        {UNITS_BYTES, "9223372036854775808", UNITS_TOO_LARGE},
        {UNITS_BYTES, "8192PiB", UNITS_TOO_LARGE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t value;

        if (text_units_parse(cases[i].kind, cases[i].text, &value, NULL) != cases[i].result) {
            printf("\n'%s'\n", cases[i].text);
            CU_FAIL("other result");
        }
    }
}

static void check_format(enum units_kind kind, int64_t value, const char *expected)
{
    char text[UNITS_TEXT_MAX];
    int64_t back = -1;

    text_units_format(kind, value, text);
    check_text(text, expected);
    CHECK(text_units_parse(kind, text, &back, NULL) == UNITS_OK && back == value);
}

static void test_format(void)
{
    check_format(UNITS_TIME, 0, "0s");
    check_format(UNITS_TIME, 1, "1ns");
    check_format(UNITS_TIME, HS_NS_PER_S, "1s");
    check_format(UNITS_TIME, 5400 * HS_NS_PER_S, "90m");
    check_format(UNITS_TIME, 7 * 86400 * HS_NS_PER_S, "7d");
    check_format(UNITS_TIME, -250000000, "-250ms");
    check_format(UNITS_TIME, INT64_MAX, "9223372036854775807ns");
    check_format(UNITS_BYTES, 0, "0");
    check_format(UNITS_BYTES, 1023, "1023");
    check_format(UNITS_BYTES, INT64_C(40000000000), "40GB");
    check_format(UNITS_BYTES, INT64_C(17179869184), "16GiB");
}

static void test_doubles(void)
{
    static const char *const refused[] = {"",      "nan",  "inf", "1e", "e5",  "0x10", "1,5",
                                          "1e999", "1.5h", " 1",  "1 ", "--1", ".5"};
    static const double values[] = {0.1, 1.0 / 3, 0.85, 1e-6, 1e6, 312, -0.0054, 10.2303};
    double value;

    CHECK(text_units_parse_double("-1.5e-3", &value) && value == -1.5e-3);
    CHECK(text_units_parse_double("2.", &value) && value == 2);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        CHECK(!text_units_parse_double(refused[i], &value));
    }
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char text[UNITS_TEXT_MAX];

        text_units_format_double(values[i], text);
        CHECK(text_units_parse_double(text, &value) && value == values[i]);
    }
}

static const struct unit_test tests[] = {
    {"times are exact", test_times},
    {"sizes are exact", test_bytes},
    {"what is no value is refused", test_refused},
    {"formats read back", test_format},
    {"decimal numbers", test_doubles},
};

UNIT_MAIN("experiment units", tests)
