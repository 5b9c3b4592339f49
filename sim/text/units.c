/* SPDX-License-Identifier: GPL-3.0-or-later */
/* units.c - exact decimal arithmetic for values with units. */
#include "text/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    int64_t factor;
    bool is_written; /* used in output, too */
};

/* From small to large. */
static const struct unit time_units[] = {
    {"ns", 1, true},
    {"us", 1000, true},
    {"ms", 1000000, true},
    {"s", HS_NS_PER_S, true},
    {"m", 60 * HS_NS_PER_S, true},
    {"h", 3600 * HS_NS_PER_S, true},
    {"d", 86400 * HS_NS_PER_S, true},
    {"w", 604800 * HS_NS_PER_S, false},
    {NULL, 0, false},
};

static const struct unit byte_units[] = {
    {"B", 1, false},
    {"kB", 1000, true},
    {"KB", 1000, false},
    {"KiB", INT64_C(1) << 10, true},
    {"MB", 1000000, true},
    {"MiB", INT64_C(1) << 20, true},
    {"GB", 1000000000, true},
    {"GiB", INT64_C(1) << 30, true},
    {"TB", 1000000000000, true},
    {"TiB", INT64_C(1) << 40, true},
    {"PB", 1000000000000000, true},
    {"PiB", INT64_C(1) << 50, true},
    {NULL, 0, false},
};

const char *text_units_list(enum units_kind kind)
{
    return kind == UNITS_TIME ? "ns, us, ms, s, m, h, d, w"
                              : "B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB, PiB";
}

const char *text_units_pattern(enum units_kind kind)
{
    return kind == UNITS_TIME ? "ns|us|ms|s|m|h|d|w" : "B|kB|KB|MB|GB|TB|PB|KiB|MiB|GiB|TiB|PiB";
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

#define DIGITS_MAX 22 /* times the largest factor, 2^50, this stays far below 2^127 */

/* A decimal number without its point: value = digits / 10^scale. */
struct decimal {
    hs_int128 digits;
    int scale;
    int significant;
    bool is_long; /* more than DIGITS_MAX significant digits before the point */
};

/* Reads "12" or "12.5"; the end, or NULL if there is no number. */
static const char *read_decimal(const char *text, struct decimal *decimal)
{
    bool is_fraction = false;
    int pending_zeros = 0; /* of the fraction; they count only if a digit follows */

    *decimal = (struct decimal){0};
    if (!is_digit(*text)) {
        return NULL;
    }
    for (; is_digit(*text) || (*text == '.' && !is_fraction && is_digit(text[1])); text++) {
        if (*text == '.') {
            is_fraction = true;
            continue;
        }
        if (is_fraction && *text == '0') {
            pending_zeros++;
            continue;
        }
        for (int zeros = is_fraction ? pending_zeros + 1 : 1; zeros > 0; zeros--) {
            if (decimal->significant < DIGITS_MAX) {
                decimal->digits *= 10;
            }
            decimal->significant += decimal->digits || *text != '0';
            decimal->scale += is_fraction;
        }
        pending_zeros = 0;
        if (decimal->significant <= DIGITS_MAX) {
            decimal->digits += *text - '0';
        } else if (!is_fraction) {
            decimal->is_long = true;
        }
    }
    return text;
}

enum units_result text_units_parse(enum units_kind kind, const char *text, int64_t *value,
                                   const char **unit)
{
    const struct unit *units = kind == UNITS_TIME ? time_units : byte_units;
    bool is_negative = *text == '-';
    struct decimal decimal;
    hs_int128 total, divisor = 1;
    const char *end = read_decimal(text + (*text == '-' || *text == '+'), &decimal);

    if (unit) {
        *unit = end ? end : "";
    }
    if (!end) {
        return UNITS_NO_NUMBER;
    }
    while (*end == ' ') {
        end++;
    }
    if (unit) {
        *unit = end;
    }
    if (*end == '\0') {
        end = kind == UNITS_TIME ? "s" : "B";
    }
    while (units->name && strcmp(units->name, end) != 0) {
        units++;
    }
    if (!units->name) {
        return UNITS_BAD_UNIT;
    }
    if (decimal.is_long) {
        return UNITS_TOO_LARGE;
    }
    if (decimal.significant > DIGITS_MAX || decimal.scale > DIGITS_MAX) {
        return UNITS_TOO_FINE;
    }
    for (int i = 0; i < decimal.scale; i++) {
        divisor *= 10;
    }
    total = decimal.digits * units->factor;
    if (total / divisor > INT64_MAX) {
        return UNITS_TOO_LARGE;
    }
    if (total % divisor != 0) {
        return UNITS_TOO_FINE;
    }
    *value = (int64_t)(total / divisor) * (is_negative ? -1 : 1);
    return UNITS_OK;
}

void text_units_format(enum units_kind kind, int64_t value, char *text)
{
    const struct unit *units = kind == UNITS_TIME ? time_units : byte_units;
    const struct unit *best = NULL;

    for (const struct unit *unit = units; unit->name; unit++) {
        if (unit->is_written && value != 0 && value % unit->factor == 0) {
            best = unit;
        }
    }
    if (best) {
        (void)snprintf(text, UNITS_TEXT_MAX, "%" PRId64 "%s", value / best->factor, best->name);
    } else {
        (void)snprintf(text, UNITS_TEXT_MAX, "%" PRId64 "%s", value,
                       kind == UNITS_TIME && value == 0 ? "s" : "");
    }
}

bool text_units_parse_double(const char *text, double *value)
{
    const char *at = text + (*text == '-' || *text == '+');
    char *end;

    if (!is_digit(*at)) {
        return false;
    }
    while (is_digit(*at)) {
        at++;
    }
    if (*at == '.') {
        do {
            at++;
        } while (is_digit(*at));
    }
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '-' || at[1] == '+' ? 2 : 1;
        if (!is_digit(*at)) {
            return false;
        }
        while (is_digit(*at)) {
            at++;
        }
    }
    if (*at) {
        return false;
    }
    *value = strtod(text, &end);
    return *end == '\0' && isfinite(*value);
}

void text_units_format_double(double value, char *text)
{
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, UNITS_TEXT_MAX, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            return;
        }
    }
}

bool text_units_parse_int(const char *text, int64_t *value, bool *is_number)
{
    const char *at = text + (*text == '-' || *text == '+');

    *is_number = is_digit(*at);
    while (is_digit(*at)) {
        at++;
    }
    *is_number = *is_number && *at == '\0';
    errno = 0;
    *value = strtoll(text, NULL, 10);
    return *is_number && errno == 0;
}
