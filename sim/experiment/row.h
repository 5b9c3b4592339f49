/* SPDX-License-Identifier: GPL-3.0-or-later */
/* row.h - how a row of the table of keys is written.
 *
 * The macros take the field and check its type when the table is compiled. */
#ifndef HSIM_EXPERIMENT_ROW_H
#define HSIM_EXPERIMENT_ROW_H

#include <stddef.h>

#include "experiment/key.h"

#define MEMBER(field)       (((struct experiment *)0)->field)
#define FIELD(field, ctype) .offset = OFFSET(field, ctype), .size = sizeof MEMBER(field)
#define OFFSET(field, ctype)                                                                       \
    (offsetof(struct experiment, field) + _Generic(MEMBER(field), ctype : (size_t)0))
#define CHOICE_FIELD(field)                                                                        \
    .offset = offsetof(struct experiment, field) + _Generic(MEMBER(field), unsigned                \
                                                            : (size_t)0, int                       \
                                                            : (size_t)0, _Bool                     \
                                                            : (size_t)0),                          \
    .size = sizeof MEMBER(field)

#define BOOL(field)   .type = KEY_BOOL, FIELD(field, _Bool)
#define INT(field)    .type = KEY_INT, FIELD(field, int64_t)
#define DOUBLE(field) .type = KEY_DOUBLE, FIELD(field, double)
#define TIME(field)   .type = KEY_TIME, FIELD(field, hs_time)
#define BYTES(field)  .type = KEY_BYTES, FIELD(field, int64_t)
#define STRING(field) .type = KEY_STRING, FIELD(field, const char *)
#define PATH(field)   .type = KEY_PATH, FIELD(field, const char *)
#define CHOICE(field) .type = KEY_CHOICE, CHOICE_FIELD(field)
#define CHOICE_TIME(field, time_field, with_time)                                                  \
    .type = KEY_CHOICE_TIME, CHOICE_FIELD(field), .offset_more = OFFSET(time_field, hs_time),      \
    .duration_choice = (with_time)
#define INT_LIST(field, count)                                                                     \
    .type = KEY_INT_LIST, FIELD(field, const int32_t *), .offset_more = OFFSET(count, size_t)
#define PATH_LIST(field, count)                                                                    \
    .type = KEY_PATH_LIST, FIELD(field, const char **), .offset_more = OFFSET(count, size_t)

/* Fields of the elements of a list of maps. */
#define CLASS(field) (((struct workload_class *)0)->field)
#define CLASS_FIELD(field, ctype)                                                                  \
    .offset = offsetof(struct workload_class, field) + _Generic(CLASS(field), ctype                \
                                                                : (size_t)0),                      \
    .size = sizeof CLASS(field)
#define ROW(field) (((struct experiment_class_row *)0)->field)
#define ROW_FIELD(field, ctype)                                                                    \
    .offset = offsetof(struct experiment_class_row, field) + _Generic(ROW(field), ctype            \
                                                                      : (size_t)0),                \
    .size = sizeof ROW(field)
#define CLASS_CHOICE(field)                                                                        \
    .type = KEY_CHOICE,                                                                            \
    .offset = offsetof(struct workload_class, field) + _Generic(CLASS(field), unsigned             \
                                                                : (size_t)0, int                   \
                                                                : (size_t)0),                      \
    .size = sizeof CLASS(field)

#define LUBLIN                .only_with = "model", .only_value = WORKLOAD_MODEL_LUBLIN
#define MIX                   .only_with = "model", .only_value = WORKLOAD_MODEL_MIX
#define RANGE(low, high)      .min = (low), .max = (high)
#define AT_LEAST(low)         RANGE(low, INT64_MAX)
#define DURATION              RANGE(0, KEY_TIME_MAX)
#define DURATION_LIMITED      RANGE(0, INT64_C(3000000000) * HS_NS_PER_S)
#define REAL_RANGE(low, high) .min_real = (low), .max_real = (high)
#define POSITIVE_REAL(high)   REAL_RANGE(0, high), .is_min_open = true
#define PROBABILITY           REAL_RANGE(0, 1)
#define SWF_INT               RANGE(-1, INT32_MAX)

#endif
