/* SPDX-License-Identifier: GPL-3.0-or-later */
/* units.h - numbers with units as exact integers: times in nanoseconds, sizes in bytes.
 *
 * "1.5h" is a decimal fraction times an integer factor; it must come out whole and within 64
 * bits. No floating point takes part. */
#ifndef HSIM_TEXT_UNITS_H
#define HSIM_TEXT_UNITS_H

#include "hs/base.h"

enum units_kind { UNITS_TIME, UNITS_BYTES };

enum units_result {
    UNITS_OK,
    UNITS_NO_NUMBER, /* does not begin with a decimal number */
    UNITS_BAD_UNIT,  /* what follows the number is no unit */
    UNITS_TOO_FINE,  /* not a whole number of nanoseconds or bytes */
    UNITS_TOO_LARGE, /* beyond 64 bits */
};

/* *unit (may be NULL) becomes what follows the number. */
enum units_result text_units_parse(enum units_kind kind, const char *text, int64_t *value,
                                   const char **unit);

/* Shortest exact form that parses back: "90m", "40GB". */
#define UNITS_TEXT_MAX 32
void text_units_format(enum units_kind kind, int64_t value, char *text);

/* "ns, us, ms, s, m, h, d, w", for messages. */
const char *text_units_list(enum units_kind kind);

/* The units as alternatives of a regular expression: "ns|us|...". */
const char *text_units_pattern(enum units_kind kind);

/* A decimal number, with an exponent if need be; NaN and infinities are none. */
bool text_units_parse_double(const char *text, double *value);
/* Shortest text that reads back to the same number. */
void text_units_format_double(double value, char *text);

/* A whole number; *is_number false if the text is none, else false means: beyond 64 bits. */
bool text_units_parse_int(const char *text, int64_t *value, bool *is_number);

#endif
