/* SPDX-License-Identifier: GPL-3.0-or-later */
/* conform.h - does a plug-in keep its promises? Property tests of shared objects.
 *
 * Each member of a plug-in (policy, order, reservation rule, placement, predictor) is run on random
 * cases: a small cluster, some dozens of jobs, nodes that leave, starts that fail. A case is a pure
 * function of its seed. Every case runs in a child process of its own, so that a crash or an
 * endless loop is a finding like any other, and no case sees what another left behind.
 *
 * This part drives the scheduling core itself, as a live host would; no engine, no files. */
#ifndef HSIM_CONFORM_CONFORM_H
#define HSIM_CONFORM_CONFORM_H

#include <signal.h>
#include <stdio.h>

#include "hs/registry.h"

enum conform_property {
    CONFORM_SURVIVES, /* no crash, and every call returns */
    CONFORM_RULES,    /* the core accepts all decisions */
    CONFORM_ENDS,     /* every job ends, or is rejected with a reason */
    CONFORM_REPEATS,  /* the same case again, after another one, gives the same schedule */
    CONFORM_ISOLATED, /* so it does while a second instance runs in turn with it */
    CONFORM_WALKS,    /* the same schedule if the core walks the whole queue and asks every node */
    CONFORM_RANGES,   /* parameters at either end of their range */
    CONFORM_MEMORY,   /* all memory is given back */
    CONFORM_BLIND,    /* a predictor without HS_PREDICT_TRUTH does not read the true run time */
    CONFORM_PURE,     /* imports no clock, file, thread, output, random number; once a plug-in */
    CONFORM_PROPERTY_COUNT,
};

#define CONFORM_TEXT_MAX 700
#define CONFORM_NAME_MAX 64
#define CONFORM_JOBS_MAX 64

struct conform_options {
    const char *path;                  /* of the shared object */
    const char *name;                  /* the member of this name alone; NULL: all */
    uint64_t seed;                     /* of the first case; the others follow it */
    uint32_t cases;                    /* >= 1 for each member */
    uint32_t jobs;                     /* only the first so many of each case; 0: all */
    uint32_t limit_s;                  /* processor time of a case, >= 1 */
    bool is_in_process;                /* no child processes: for a debugger */
    const volatile sig_atomic_t *stop; /* nonzero: end soon; may be NULL */
};

/* What was found of one property. */
struct conform_finding {
    uint32_t cases;              /* in which it was looked at; 0: it does not apply */
    uint32_t failures;           /* of these */
    uint64_t seed;               /* of the first failure ... */
    uint32_t jobs;               /* ... which needs the first so many jobs of the case only */
    char text[CONFORM_TEXT_MAX]; /* ... in a sentence or two */
};

struct conform_member {
    enum hs_kind kind;
    char name[CONFORM_NAME_MAX];
    uint32_t cases;                     /* begun */
    char composition[CONFORM_TEXT_MAX]; /* of the last one, as in an experiment */
    uint32_t refused; /* that it would not serve (an error of init), as `refusal` says */
    char refusal[CONFORM_TEXT_MAX];
    struct conform_finding findings[CONFORM_PROPERTY_COUNT];
};

struct conform_report {
    struct conform_member *members;
    size_t count;
};

/* "rules", and what it means in some words; for tables. */
const char *conform_property_name(enum conform_property property);
const char *conform_property_meaning(enum conform_property property);

/* Tests the plug-in. HS_ERR_CONFIG: it cannot be loaded, or has no such member; the sentence says
 * why. HS_ERR_INTERRUPTED. A property that fails is no error: look into the report, which is
 * filled as far as the tests came; conform_report_fini in all cases. */
enum hs_err conform_run(const struct conform_options *options, struct conform_report *report,
                        struct hs_error *error) HS_MUST_USE;
void conform_report_fini(struct conform_report *report);

/* Writes the first case of the options in words. HS_ERR_SYSTEM: no memory. */
enum hs_err conform_show(const struct conform_options *options, FILE *file,
                         struct hs_error *error) HS_MUST_USE;

/* Did all hold, in at least one case that was not refused? */
bool conform_passed(const struct conform_report *report);

#endif
