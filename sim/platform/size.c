/* SPDX-License-Identifier: GPL-3.0-or-later */
/* size.c - memory sizes as text: a decimal number, spaces, a unit of bytes.
 *
 * The arithmetic is on integers, so that "0.1TiB" means the same bytes everywhere. */
#include "platform/platform.h"

#include <ctype.h>
#include <string.h>

struct size_unit {
    const char *name;
    int64_t bytes;
};

static const struct size_unit size_units[] = {
    {"", 1},
    {"B", 1},
    {"kB", 1000},
    {"KB", 1000},
    {"MB", 1000000},
    {"GB", 1000000000},
    {"TB", INT64_C(1000000000000)},
    {"PB", INT64_C(1000000000000000)},
    {"KiB", INT64_C(1) << 10},
    {"MiB", INT64_C(1) << 20},
    {"GiB", INT64_C(1) << 30},
    {"TiB", INT64_C(1) << 40},
    {"PiB", INT64_C(1) << 50},
};

/* More digits than these cannot matter: 2^63 has 19, and a PiB has 16 places below one. */
#define WHOLE_DIGITS_MAX    19
#define FRACTION_DIGITS_MAX 18

static const char *skip_spaces(const char *text)
{
    while (isspace((unsigned char)*text)) {
        text++;
    }
    return text;
}

/* Reads "12.5" as number 125 over scale 10; NULL if there are no digits, or too many. */
static const char *parse_decimal(const char *text, hs_int128 *number, hs_int128 *scale)
{
    int whole = 0;
    int fraction = 0;

    *number = 0;
    *scale = 1;
    for (; isdigit((unsigned char)*text); text++) {
        *number = *number * 10 + (*text - '0');
        whole += *number > 0;
        if (whole > WHOLE_DIGITS_MAX) {
            return NULL;
        }
    }
    if (*text == '.') {
        const char *first = ++text;

        for (; isdigit((unsigned char)*text); text++) {
            if (fraction < FRACTION_DIGITS_MAX) {
                *number = *number * 10 + (*text - '0');
                *scale *= 10;
                fraction++;
            }
        }
        if (text == first) {
            return NULL;
        }
    }
    return text;
}

bool platform_size_parse(const char *text, int64_t *bytes)
{
    hs_int128 number;
    hs_int128 scale;
    const char *unit;
    size_t length;

    text = skip_spaces(text);
    if (!isdigit((unsigned char)*text)) {
        return false;
    }
    unit = parse_decimal(text, &number, &scale);
    if (!unit) {
        return false;
    }
    unit = skip_spaces(unit);
    length = strlen(unit);
    while (length && isspace((unsigned char)unit[length - 1])) {
        length--;
    }
    for (size_t i = 0; i < sizeof size_units / sizeof size_units[0]; i++) {
        hs_int128 whole = number / scale * size_units[i].bytes;
        hs_int128 rest = number % scale * size_units[i].bytes / scale;

        if (strlen(size_units[i].name) == length && memcmp(size_units[i].name, unit, length) == 0) {
            if (whole + rest < 1 || whole + rest > INT64_MAX) {
                return false;
            }
            *bytes = (int64_t)(whole + rest);
            return true;
        }
    }
    return false;
}
