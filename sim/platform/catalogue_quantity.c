/* SPDX-License-Identifier: GPL-3.0-or-later */
/* catalogue_quantity.c - rates and powers with their units, as doubles.
 *
 * SimGrid's spellings (GBps, Tf) are taken beside those of data sheets (GB/s, Tflop/s, Top/s). */
#include "platform/catalogue_key.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/units.h"

#define NUMBER_MAX 64 /* characters of a number */

/* A prefix and one of the endings, which stand one after another with blanks between them. */
struct quantity {
    const char *endings;
    const char *written; /* the one that is written */
    const char *list;
    const char *prefixes; /* with these letters, each a factor of 1000 over the one before */
    double first;         /* factor of the first prefix */
    bool is_bare;         /* a number without a unit is in the unit without a prefix */
};

/* A blank among the prefixes is the place of no prefix. */
static const struct quantity *find_quantity(enum catalogue_type type)
{
    static const struct quantity bandwidth = {"B/s Bps", "B/s", "MB/s, GB/s, TB/s, PB/s",
                                              " kMGTPE", 1,     false};
    static const struct quantity flops = {"f flop/s flops", "f", "Mf, Gf, Tf, Pf",
                                          " kMGTPEZ",       1,   false};
    static const struct quantity ops = {"op/s ops", "op/s", "Mop/s, Gop/s, Top/s, Pop/s",
                                        " kMGTPEZ", 1,      false};
    static const struct quantity watts = {"W", "W", "W, mW, kW", "m kM", 1e-3, true};

    switch (type) {
    case CATALOGUE_BANDWIDTH:
        return &bandwidth;
    case CATALOGUE_FLOPS:
        return &flops;
    case CATALOGUE_OPS:
        return &ops;
    default:
        HS_ASSERT(type == CATALOGUE_WATTS);
        return &watts;
    }
}

static bool is_ending(const struct quantity *quantity, const char *text)
{
    const char *at = quantity->endings;
    size_t length = strlen(text);

    while (*at) {
        size_t word = strcspn(at, " ");

        if (word == length && strncmp(at, text, length) == 0) {
            return true;
        }
        at += word;
        at += strspn(at, " ");
    }
    return false;
}

bool catalogue_quantity_parse(enum catalogue_type type, const char *text, double *value)
{
    const struct quantity *quantity = find_quantity(type);
    char number[NUMBER_MAX];
    size_t length = strspn(text, "+-.0123456789");
    double factor = quantity->first;
    const char *unit;

    /* An exponent, unless the letter begins a unit. */
    if ((text[length] == 'e' || text[length] == 'E') &&
        strspn(text + length + 1, "+-0123456789") > 0) {
        length += 1 + strspn(text + length + 1, "+-0123456789");
    }
    if (length == 0 || length >= sizeof number) {
        return false;
    }
    (void)snprintf(number, sizeof number, "%.*s", (int)length, text);
    unit = text + length;
    unit += strspn(unit, " ");
    if (!text_units_parse_double(number, value) || (!*unit && !quantity->is_bare)) {
        return false;
    }
    for (const char *prefix = quantity->prefixes; *prefix; prefix++, factor *= 1000) {
        bool has_prefix = *prefix != ' ';

        if ((*unit == *prefix && is_ending(quantity, unit + 1)) ||
            (!has_prefix && (!*unit || is_ending(quantity, unit)))) {
            *value *= factor;
            return isfinite(*value);
        }
    }
    return false;
}

void catalogue_quantity_format(enum catalogue_type type, double value, char *text)
{
    const struct quantity *quantity = find_quantity(type);
    double factor = quantity->first;
    const char *prefix = quantity->prefixes;

    while (prefix[1] && value >= factor * 1000) {
        factor *= 1000;
        prefix++;
    }
    if (value == 0 || type == CATALOGUE_WATTS) {
        factor = 1; /* watts of devices are compared, so they keep one unit */
        prefix = " ";
    }
    (void)snprintf(text, CATALOGUE_TEXT_MAX, "%.6g %.*s%s", value / factor, *prefix != ' ', prefix,
                   quantity->written);
}

const char *catalogue_quantity_units(enum catalogue_type type)
{
    return find_quantity(type)->list;
}
