/* SPDX-License-Identifier: MIT */
/* param.c - parameters of plug-ins: text to field and back. */
#include "hs/param.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t hs_param_count(const struct hs_param *table)
{
    size_t count = 0;

    while (table && table[count].type != HS_PARAM_TYPE_END) {
        count++;
    }
    return count;
}

const struct hs_param *hs_param_find(const struct hs_param *table, const char *name)
{
    for (const struct hs_param *row = table; row && row->type != HS_PARAM_TYPE_END; row++) {
        if (strcmp(row->name, name) == 0) {
            return row;
        }
    }
    return NULL;
}

static const char *type_text(enum hs_param_type type)
{
    switch (type) {
    case HS_PARAM_TYPE_INT:
        return "a whole number";
    case HS_PARAM_TYPE_DOUBLE:
        return "a number";
    case HS_PARAM_TYPE_BOOL:
        return "true or false";
    case HS_PARAM_TYPE_TIME:
        return "a duration such as 90s, 15m, 2h or 1d";
    case HS_PARAM_TYPE_END:
        break;
    }
    return "nothing";
}

static enum hs_err bad_value(const struct hs_param *row, const char *text, struct hs_error *error)
{
    if (row->type == HS_PARAM_TYPE_BOOL) {
        return hs_error_set(error, HS_ERR_CONFIG, "Parameter '%s' is '%s'; it must be %s.",
                            row->name, text, type_text(row->type));
    }
    return hs_error_set(error, HS_ERR_CONFIG,
                        "Parameter '%s' is '%s'; it must be %s from %g to %g%s%s.", row->name, text,
                        type_text(row->type), row->min, row->max, *row->unit ? " " : "", row->unit);
}

/* Seconds per unit after a number; 0 if it is no unit. */
static double unit_seconds(const char *unit)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}, {"d", 86400}};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(unit, units[i].name) == 0) {
            return units[i].seconds;
        }
    }
    return 0;
}

enum hs_err hs_param_set(const struct hs_param *row, void *state, const char *text,
                         struct hs_error *error)
{
    char *field = (char *)state + row->offset;
    char *end = NULL;
    double value;

    if (row->type == HS_PARAM_TYPE_BOOL) {
        bool is_true = strcmp(text, "true") == 0;

        if (!is_true && strcmp(text, "false") != 0) {
            return bad_value(row, text, error);
        }
        memcpy(field, &is_true, sizeof is_true);
        return HS_OK;
    }
    errno = 0;
    if (row->type == HS_PARAM_TYPE_INT) {
        int64_t integer = strtoll(text, &end, 10);

        if (end == text || *end || errno || (double)integer < row->min ||
            (double)integer > row->max) {
            return bad_value(row, text, error);
        }
        memcpy(field, &integer, sizeof integer);
        return HS_OK;
    }
    value = strtod(text, &end);
    if (end == text || !isfinite(value)) {
        return bad_value(row, text, error);
    }
    if (row->type == HS_PARAM_TYPE_TIME) {
        double seconds = unit_seconds(end);
        hs_time time;

        value *= seconds;
        if (seconds == 0 || value < row->min || value > row->max || fabs(value) > 9e9) {
            return bad_value(row, text, error);
        }
        time = (hs_time)llround(value * 1e9);
        memcpy(field, &time, sizeof time);
        return HS_OK;
    }
    if (*end || value < row->min || value > row->max) {
        return bad_value(row, text, error);
    }
    memcpy(field, &value, sizeof value);
    return HS_OK;
}

enum hs_err hs_param_set_defaults(const struct hs_param *table, void *state, struct hs_error *error)
{
    for (const struct hs_param *row = table; row && row->type != HS_PARAM_TYPE_END; row++) {
        if (hs_param_set(row, state, row->default_text, error) != HS_OK) {
            return HS_ERR_POLICY;
        }
    }
    return HS_OK;
}

void hs_param_format(const struct hs_param *row, const void *state, char *text, size_t size)
{
    const char *field = (const char *)state + row->offset;
    char time_text[HS_TIME_TEXT_MAX];
    int64_t integer;
    double value;
    bool is_true;

    switch (row->type) {
    case HS_PARAM_TYPE_INT:
        memcpy(&integer, field, sizeof integer);
        (void)snprintf(text, size, "%" PRId64, integer);
        break;
    case HS_PARAM_TYPE_DOUBLE:
        memcpy(&value, field, sizeof value);
        (void)snprintf(text, size, "%.17g", value);
        break;
    case HS_PARAM_TYPE_BOOL:
        memcpy(&is_true, field, sizeof is_true);
        (void)snprintf(text, size, "%s", is_true ? "true" : "false");
        break;
    case HS_PARAM_TYPE_TIME:
        memcpy(&integer, field, sizeof integer);
        (void)hs_time_format(integer, time_text);
        (void)snprintf(text, size, "%s", time_text);
        break;
    case HS_PARAM_TYPE_END:
        (void)snprintf(text, size, "%s", "");
        break;
    }
}
