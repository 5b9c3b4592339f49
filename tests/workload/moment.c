/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moment.c - dates, zones and spans of time. */
#include <time.h>

#include "support.h"
#include "workload/moment.h"

static void test_dates(void)
{
    static const struct {
        const char *text;
        int64_t unix_s;
        bool has_zone;
    } cases[] = {
        {"1970-01-01 00:00:00", 0, false},
        {"2000-02-29T23:59:59", 951868799, false},
        {"2017-10-10 06:54:28", 1507618468, false},
        {"2023-05-17 11:00:58+00:00", 1684321258, true},
        {"2023-05-17 11:00:58+08:00", 1684321258 - 8 * 3600, true},
        {"2023-05-17T11:00:58-0330", 1684321258 + 3 * 3600 + 1800, true},
        {"2023-05-17 11:00:58 UTC", 1684321258, true},
        {"2023-05-17T11:00:58Z", 1684321258, true},
        {"2023-05-17T11:00:58+08", 1684321258 - 8 * 3600, true},
        {"2023-05-17", 1684281600, false},
        {"2023-05-17 11:00", 1684321200, false},
        {"2016-12-31 23:59:60", 1483228800, false}, /* a leap second */
        {"2100-02-28 00:00:00", 4107456000, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hs_time unix_ns = -1;
        bool has_zone = false;

        CU_ASSERT(moment_parse(cases[i].text, 0, &unix_ns, &has_zone));
        CHECK_INT(unix_ns, cases[i].unix_s * S);
        CHECK_INT(has_zone, cases[i].has_zone);
    }
}

/* Every day from 1970 to 2159 against the calendar of the C library. */
static void test_calendar(void)
{
    for (int64_t day = 0; day < 69396; day++) {
        time_t moment = (time_t)(day * 86400 + 3661);
        struct tm calendar;
        char text[32];
        hs_time unix_ns = -1;
        bool has_zone;

        CU_ASSERT_PTR_NOT_NULL_FATAL(gmtime_r(&moment, &calendar));
        CU_ASSERT(strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &calendar) > 0);
        if (!moment_parse(text, 0, &unix_ns, &has_zone) || unix_ns != (int64_t)moment * S) {
            printf("\n  %s is %lld\n", text, (long long)unix_ns);
            CU_FAIL("a day differs");
            return;
        }
    }
}

static void test_fractions(void)
{
    hs_time unix_ns;
    bool has_zone;

    CU_ASSERT(moment_parse("1970-01-01 00:00:01.25", 0, &unix_ns, &has_zone));
    CHECK_INT(unix_ns, 1250000000);
    CU_ASSERT(moment_parse("1970-01-01 00:00:01.123456789012+00:00", 0, &unix_ns, &has_zone));
    CHECK_INT(unix_ns, 1123456789);
    /* A naive time follows the zone that is given; another's own zone goes before it. */
    CU_ASSERT(moment_parse("1970-01-02 00:00:00", 3600, &unix_ns, &has_zone));
    CHECK_INT(unix_ns, 82800 * S);
    CU_ASSERT(moment_parse("1970-01-02 00:00:00Z", 3600, &unix_ns, &has_zone));
    CHECK_INT(unix_ns, 86400 * S);
}

static void test_no_dates(void)
{
    static const char *const texts[] = {
        "",
        "12",
        "2023-13-01 00:00:00",
        "2023-02-29 00:00:00",
        "2023-1-1",
        "2023-00-10",
        "2023-01-32",
        "2023-01-01 24:00:00",
        "2023-01-01 00:60:00",
        "2023-01-01 00:00:61",
        "2023-01-01 00:00:00.",
        "2023-01-01 00:00:00 Berlin",
        "2023-01-01 00:00:00+",
        "2023-01-01 00:00:00+19:00",
        "1969-12-31 23:59:59",
        "2160-01-01",
        "2023-01-01T",
        "2023-01-01 0:0:0",
        "1970-01-01 00:00:00+01:00",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hs_time unix_ns;
        bool has_zone;

        if (moment_parse(texts[i], 0, &unix_ns, &has_zone)) {
            printf("\n  '%s' was taken\n", texts[i]);
            CU_FAIL("no date was taken for one");
        }
    }
}

static void test_zones(void)
{
    int32_t offset;

    CU_ASSERT(moment_zone_parse("UTC", &offset));
    CHECK_INT(offset, 0);
    CU_ASSERT(moment_zone_parse("+8", &offset));
    CHECK_INT(offset, 8 * 3600);
    CU_ASSERT(moment_zone_parse("-05:30", &offset));
    CHECK_INT(offset, -5 * 3600 - 1800);
    CU_ASSERT_FALSE(moment_zone_parse("", &offset));
    CU_ASSERT_FALSE(moment_zone_parse("Europe/Berlin", &offset));
    CU_ASSERT_FALSE(moment_zone_parse("+08:60", &offset));
    CU_ASSERT_FALSE(moment_zone_parse("8", &offset));
}

static void test_spans(void)
{
    static const struct {
        const char *text;
        int64_t span_ns; /* -1: it is none */
    } cases[] = {
        {"00:00:02", 2 * S},
        {"1-02:03:04", (86400 + 7384) * S},
        {"2-00", 2 * 86400 * S},
        {"1-01:30", (86400 + 5400) * S},
        {"03:04", 184 * S},
        {"00:01.5", 1500000000},
        {"100:00:00", 360000 * S},
        {"", -1},
        {"12", -1},
        {"1:2:3:4", -1},
        {"1-2-3:00:00", -1},
        {"a:00:00", -1},
        {"00:00:00x", -1},
        {"999999999-00:00:00", -1},
        {"9999999999:00", -1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hs_time span_ns = -1;

        CHECK_INT(moment_span_parse(cases[i].text, &span_ns), cases[i].span_ns >= 0);
        if (cases[i].span_ns >= 0) {
            CHECK_INT(span_ns, cases[i].span_ns);
        }
    }
}

static void test_missing(void)
{
    CU_ASSERT(moment_is_missing(""));
    CU_ASSERT(moment_is_missing("Unknown"));
    CU_ASSERT(moment_is_missing("None"));
    CU_ASSERT(moment_is_missing("NaT"));
    CU_ASSERT_FALSE(moment_is_missing("0"));
    CU_ASSERT_FALSE(moment_is_missing("tomorrow"));
}

static const struct unit_test tests[] = {
    {"dates", test_dates},       {"every day", test_calendar}, {"fractions", test_fractions},
    {"no dates", test_no_dates}, {"zones", test_zones},        {"spans", test_spans},
    {"missing", test_missing},
};

UNIT_MAIN("moments", tests)
