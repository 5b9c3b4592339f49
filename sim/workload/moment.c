/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moment.c - dates by whole numbers, without the calendar of the C library and its zone. */
#include "workload/moment.h"

#include <string.h>
#include <strings.h>

#include "workload/swf.h"

#define DAY_S        INT64_C(86400)
#define ZONE_MAX_S   (18 * 3600)
#define SPAN_DIGITS  9 /* of one of its numbers */
#define FRACTION_MAX 9 /* decimals that are kept */

static bool is_digit(char character)
{
    return (unsigned)(character - '0') < 10u;
}

/* Exactly `count` digits. */
static bool digits(const char **text, int count, int32_t *value)
{
    *value = 0;
    for (int i = 0; i < count; i++) {
        if (!is_digit((*text)[i])) {
            return false;
        }
        *value = *value * 10 + ((*text)[i] - '0');
    }
    *text += count;
    return true;
}

static bool character(const char **text, char wanted)
{
    bool is_there = **text == wanted;

    *text += is_there;
    return is_there;
}

/* Decimals of a second behind a point, cut at ns. */
static bool fraction(const char **text, int64_t *ns)
{
    int count = 0;

    *ns = 0;
    if (!character(text, '.')) {
        return true;
    }
    for (; is_digit(**text); (*text)++, count++) {
        if (count < FRACTION_MAX) {
            *ns = *ns * 10 + (**text - '0');
        }
    }
    for (int i = count; i < FRACTION_MAX; i++) {
        *ns *= 10;
    }
    return count > 0;
}

static bool is_leap(int32_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int32_t month_days(int32_t year, int32_t month)
{
    static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days from 1970-01-01 to a date not before it. The year is taken to begin in March, so that the
 * leap day is its last. */
static int64_t days_of(int32_t year, int32_t month, int32_t day)
{
    int64_t shifted = month > 2 ? year : year - 1;
    int64_t in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + in_year - 719468;
}

/* A zone at the end of a text; an empty rest is none. */
static bool zone(const char *text, int32_t *offset_s, bool *has_zone)
{
    bool is_negative = *text == '-';
    int32_t hours = 0, minutes = 0;

    *has_zone = *text != '\0';
    if (!*has_zone) {
        return true;
    }
    if (!strcmp(text, "Z") || !strcasecmp(text, "UTC") || !strcasecmp(text, "GMT")) {
        *offset_s = 0;
        return true;
    }
    if (*text != '+' && *text != '-') {
        return false;
    }
    text++;
    if (is_digit(text[0]) && !is_digit(text[1])) {
        (void)digits(&text, 1, &hours);
    } else if (!digits(&text, 2, &hours)) {
        return false;
    }
    if (*text && ((*text == ':' && !character(&text, ':')) || !digits(&text, 2, &minutes))) {
        return false;
    }
    *offset_s = (hours * 3600 + minutes * 60) * (is_negative ? -1 : 1);
    return !*text && minutes < 60 && hours * 3600 + minutes * 60 <= ZONE_MAX_S;
}

bool moment_zone_parse(const char *text, int32_t *offset_s)
{
    bool has_zone;

    *offset_s = 0;
    return zone(text, offset_s, &has_zone) && has_zone;
}

bool moment_parse(const char *text, int32_t offset_s, hs_time *unix_ns, bool *has_zone)
{
    int32_t year, month, day, hour = 0, minute = 0, second = 0;
    int64_t ns = 0, unix_s;

    if (!digits(&text, 4, &year) || !character(&text, '-') || !digits(&text, 2, &month) ||
        !character(&text, '-') || !digits(&text, 2, &day) || year < 1970 || year > 2159 ||
        month < 1 || month > 12 || day < 1 || day > month_days(year, month)) {
        return false;
    }
    if ((*text == 'T' || *text == ' ') && is_digit(text[1])) {
        text++;
        if (!digits(&text, 2, &hour) || !character(&text, ':') || !digits(&text, 2, &minute)) {
            return false;
        }
        if (character(&text, ':') && (!digits(&text, 2, &second) || !fraction(&text, &ns))) {
            return false;
        }
    }
    text += *text == ' ';
    if (hour > 23 || minute > 59 || second > 60 || !zone(text, &offset_s, has_zone)) {
        return false;
    }
    unix_s = days_of(year, month, day) * DAY_S + hour * 3600 + minute * 60 + second - offset_s;
    *unix_ns = unix_s * HS_NS_PER_S + ns;
    return unix_s >= 0;
}

bool moment_span_parse(const char *text, hs_time *span_ns)
{
    int64_t parts[3] = {0}, days = 0, ns = 0;
    bool has_days = false;
    int count = 0;

    for (;;) {
        int64_t value = 0;
        int length = 0;

        for (; is_digit(*text) && length < SPAN_DIGITS; text++, length++) {
            value = value * 10 + (*text - '0');
        }
        if (length == 0 || is_digit(*text)) {
            return false;
        }
        if (*text == '-' && count == 0 && !has_days) {
            has_days = true;
            days = value;
            text++;
            continue;
        }
        parts[count++] = value;
        if (*text != ':' || count == 3) {
            break;
        }
        text++;
    }
    if ((count < 2 && !has_days) || !fraction(&text, &ns) || *text) {
        return false;
    }
    if (count == 2 && !has_days) { /* minutes and seconds */
        parts[2] = parts[1];
        parts[1] = parts[0];
        parts[0] = 0;
    }
    days = days * DAY_S + parts[0] * 3600 + parts[1] * 60 + parts[2];
    *span_ns = days <= SWF_TIME_MAX_S ? days * HS_NS_PER_S + ns : 0;
    return days < SWF_TIME_MAX_S;
}

bool moment_is_missing(const char *text)
{
    static const char *const words[] = {"unknown", "none", "n/a", "nan", "nat", "null", "-"};

    if (is_digit(*text)) {
        return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!strcasecmp(text, words[i])) {
            return true;
        }
    }
    return !*text;
}
