/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check.h - what is done inside the child: the list of a plug-in's members, and one case. */
#ifndef HSIM_CONFORM_CHECK_H
#define HSIM_CONFORM_CHECK_H

#include "conform/host.h"

#define CHECK_MEMBERS_MAX 64

struct check_verdict {
    bool is_checked, has_failed;
    char text[CONFORM_TEXT_MAX];
};

struct check_member {
    enum hs_kind kind;
    char name[CONFORM_NAME_MAX];
};

/* Lies in memory that both processes see. */
struct check_result {
    bool is_done; /* the child came to its end */
    /* While it runs: what it is about. */
    struct host_trace trace;
    enum conform_property property;
    char setting[CONFORM_NAME_MAX * 2]; /* of the parameters; "" for the defaults */
    /* Loading failed: the sentence. */
    enum hs_err code;
    char text[HS_ERROR_TEXT_MAX];
    /* check_list */
    size_t member_count;
    struct check_member members[CHECK_MEMBERS_MAX];
    /* check_case */
    bool is_refused;                    /* `text` says why */
    uint32_t jobs;                      /* of the case */
    char composition[CONFORM_TEXT_MAX]; /* as in an experiment */
    struct check_verdict verdicts[CONFORM_PROPERTY_COUNT];
};

/* Loads the plug-in and lists its members. */
void check_list(const char *path, struct check_result *result);

/* Runs one case; see conform_options for `jobs`. */
void check_case(const char *path, const struct check_member *member, uint64_t seed, uint32_t jobs,
                struct check_result *result);

#endif
