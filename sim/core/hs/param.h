/* SPDX-License-Identifier: MIT */
/* param.h - parameters of a plug-in: a table of rows, each tied to a field of its state.
 *
 * The host writes the default of every row into the state, then what the experiment says; unknown
 * names, wrong types and values out of range are errors. Resolved values go into every log. */
#ifndef HS_PARAM_H
#define HS_PARAM_H

#include "hs/base.h"

enum hs_param_type {
    HS_PARAM_TYPE_END = 0,
    HS_PARAM_TYPE_INT,    /* int64_t */
    HS_PARAM_TYPE_DOUBLE, /* double */
    HS_PARAM_TYPE_BOOL,   /* bool */
    HS_PARAM_TYPE_TIME,   /* hs_time; text "90", "1.5s", "15m", "2h", "1d" */
};

struct hs_param {
    const char *name; /* [a-z0-9_]+ */
    const char *unit; /* "" if none */
    const char *doc;  /* one sentence */
    const char *default_text;
    double min; /* in the unit; for times in seconds */
    double max;
    size_t offset; /* of the field in the state */
    enum hs_param_type type;
    uint64_t reserved[2]; /* 0: rows stand in arrays, so they cannot grow later */
};

/* A wrong field type is a compile error: the selection has no matching branch. */
#define HS_PARAM_OFFSET(state, field, ctype)                                                       \
    _Generic(((state *)0)->field, ctype : offsetof(state, field))

#define HS_PARAM_INT(state, field, default_value, low, high, unit_text, doc_text)                  \
    {                                                                                              \
        .name = #field, .unit = unit_text, .doc = doc_text, .default_text = default_value,         \
        .min = low, .max = high, .offset = HS_PARAM_OFFSET(state, field, int64_t),                 \
        .type = HS_PARAM_TYPE_INT                                                                  \
    }
#define HS_PARAM_DOUBLE(state, field, default_value, low, high, unit_text, doc_text)               \
    {                                                                                              \
        .name = #field, .unit = unit_text, .doc = doc_text, .default_text = default_value,         \
        .min = low, .max = high, .offset = HS_PARAM_OFFSET(state, field, double),                  \
        .type = HS_PARAM_TYPE_DOUBLE                                                               \
    }
#define HS_PARAM_BOOL(state, field, default_value, doc_text)                                       \
    {                                                                                              \
        .name = #field, .unit = "", .doc = doc_text, .default_text = default_value, .min = 0,      \
        .max = 1, .offset = HS_PARAM_OFFSET(state, field, bool), .type = HS_PARAM_TYPE_BOOL        \
    }
#define HS_PARAM_TIME(state, field, default_value, low, high, doc_text)                            \
    {                                                                                              \
        .name = #field, .unit = "s", .doc = doc_text, .default_text = default_value, .min = low,   \
        .max = high, .offset = HS_PARAM_OFFSET(state, field, hs_time), .type = HS_PARAM_TYPE_TIME  \
    }
#define HS_PARAM_END                                                                               \
    {                                                                                              \
        .type = HS_PARAM_TYPE_END                                                                  \
    }

/* Number of rows; table NULL: 0. */
size_t hs_param_count(const struct hs_param *table);

/* Row by name, or NULL. */
const struct hs_param *hs_param_find(const struct hs_param *table, const char *name);

/* Writes all defaults into `state`. A bad default is a bug of the plug-in: HS_ERR_POLICY. */
enum hs_err hs_param_set_defaults(const struct hs_param *table, void *state,
                                  struct hs_error *error) HS_MUST_USE;

/* Parses `text` into the row's field. HS_ERR_CONFIG with a sentence that names the parameter, the
 * text and what is allowed. */
enum hs_err hs_param_set(const struct hs_param *row, void *state, const char *text,
                         struct hs_error *error) HS_MUST_USE;

/* The field's value as text that hs_param_set reads back; cut at `size`. */
void hs_param_format(const struct hs_param *row, const void *state, char *text, size_t size);

#endif
