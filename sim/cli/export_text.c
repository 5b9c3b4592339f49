/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export_text.c - numbers and times as text, quickly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export.h"

void export_flush(struct export_text *text)
{
    (void)fwrite(text->buffer, 1, text->length, text->file);
    text->length = 0;
}

/* Makes sure that an item fits. */
static void reserve(struct export_text *text)
{
    if (text->length > EXPORT_BUFFER - EXPORT_ITEM) {
        export_flush(text);
    }
}

void export_char(struct export_text *text, char c)
{
    reserve(text);
    text->buffer[text->length++] = c;
}

void export_string(struct export_text *text, const char *string)
{
    for (; *string; string++) {
        export_char(text, *string);
    }
}

/* Digits of `value`, at least `width` of them. */
static void put_digits(struct export_text *text, uint64_t value, size_t width)
{
    char digits[20];
    size_t count = 0;

    do {
        digits[count++] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value);
    while (count < width) {
        digits[count++] = '0';
    }
    while (count) {
        text->buffer[text->length++] = digits[--count];
    }
}

/* Writes the sign; what is left. */
static uint64_t put_sign(struct export_text *text, int64_t value)
{
    reserve(text);
    if (value < 0) {
        text->buffer[text->length++] = '-';
        return (uint64_t)0 - (uint64_t)value;
    }
    return (uint64_t)value;
}

void export_int(struct export_text *text, int64_t value)
{
    put_digits(text, put_sign(text, value), 1);
}

void export_time(struct export_text *text, hs_time time_ns)
{
    uint64_t rest;
    uint64_t fraction;

    if (time_ns == -1) {
        export_string(text, "-1");
        return;
    }
    rest = put_sign(text, time_ns);
    put_digits(text, rest / (uint64_t)HS_NS_PER_S, 1);
    fraction = rest % (uint64_t)HS_NS_PER_S;
    if (fraction) {
        text->buffer[text->length++] = '.';
        put_digits(text, fraction, 9);
        while (text->buffer[text->length - 1] == '0') {
            text->length--;
        }
    }
}

void export_micros(struct export_text *text, hs_time time_ns)
{
    uint64_t micros = (put_sign(text, time_ns) + 500) / 1000;

    put_digits(text, micros / 1000000, 1);
    text->buffer[text->length++] = '.';
    put_digits(text, micros % 1000000, 6);
}

void export_general(struct export_text *text, int digits, double value)
{
    if (isnan(value)) {
        export_string(text, "nan");
        return;
    }
    reserve(text);
    text->length +=
        (size_t)snprintf(text->buffer + text->length, EXPORT_ITEM, "%.*g", digits, value);
}

void export_fixed(struct export_text *text, int decimals, double value)
{
    if (isnan(value)) {
        export_string(text, "nan");
        return;
    }
    reserve(text);
    text->length +=
        (size_t)snprintf(text->buffer + text->length, EXPORT_ITEM, "%.*f", decimals, value);
}

void export_field(struct export_text *text, const char *string)
{
    if (!strpbrk(string, ",\"\n\r")) {
        export_string(text, string);
        return;
    }
    export_char(text, '"');
    for (; *string; string++) {
        export_string(text, *string == '"' ? "\"" : "");
        export_char(text, *string);
    }
    export_char(text, '"');
}

void export_real(struct export_text *text, double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        char *begin;

        reserve(text);
        begin = text->buffer + text->length;
        (void)snprintf(begin, EXPORT_ITEM, "%.*g", digits, value);
        if (digits == 17 || strtod(begin, NULL) == value) {
            text->length += strlen(begin);
            return;
        }
    }
}
