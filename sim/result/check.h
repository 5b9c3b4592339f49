/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check.h - does a result agree with itself?
 *
 * Identities that hold for every correct run, in integers, with residual 0: Little's law, core
 * time of the jobs against the integral of the series, allocations against jobs, no node or device
 * given out twice, the order of times, the digest of the schedule, the balances of energy and of
 * fragmentation, nothing held that was not available. */
#ifndef HSIM_RESULT_CHECK_H
#define HSIM_RESULT_CHECK_H

#include "result/reader.h"

enum result_outcome { RESULT_HOLDS, RESULT_FAILS, RESULT_SKIPPED };

struct result_check {
    const char *name;
    enum result_outcome outcome;
    char text[320]; /* a sentence: the numbers and the residual, or the first offender */
};

#define RESULT_CHECKS_MAX 22

/* All checks; those that the file does not allow are RESULT_SKIPPED and say why. */
enum hs_err result_check(struct result_reader *reader,
                         struct result_check checks[RESULT_CHECKS_MAX], size_t *count,
                         struct hs_error *error) HS_MUST_USE;

/* No node holds more cores or memory than it has, at any time (part of result_check). */
enum hs_err result_check_nodes(struct result_reader *reader, hs_time end_ns,
                               struct result_check *check, struct hs_error *error) HS_MUST_USE;

/* Parts of result_check; each adds what applies to the file. */
enum hs_err result_check_energy(struct result_reader *reader, struct result_check *checks,
                                size_t *count, struct hs_error *error) HS_MUST_USE;
enum hs_err result_check_devices(struct result_reader *reader, hs_time end_ns,
                                 struct result_check *checks, size_t *count,
                                 struct hs_error *error) HS_MUST_USE;
enum hs_err result_check_fragments(struct result_reader *reader, hs_time end_ns,
                                   struct result_check *checks, size_t *count,
                                   struct hs_error *error) HS_MUST_USE;
enum hs_err result_check_parts(struct result_reader *reader, struct result_check *checks,
                               size_t *count, struct hs_error *error) HS_MUST_USE;
enum hs_err result_check_avail(struct result_reader *reader, hs_time end_ns,
                               struct result_check *checks, size_t *count,
                               struct hs_error *error) HS_MUST_USE;
enum hs_err result_check_inflation(struct result_reader *reader, struct result_check *checks,
                                   size_t *count, struct hs_error *error) HS_MUST_USE;

/* Outcome and sentence of a check. */
void result_conclude(struct result_check *check, enum result_outcome outcome, const char *format,
                     ...) HS_PRINTF(3, 4);
/* Whether two sums are equal; the sentence has both and the residual. */
void result_compare(struct result_check *check, const char *name, const char *left,
                    hs_int128 integral, const char *right, hs_int128 sum);
/* A 128-bit integer out of an attribute of `object`. */
enum hs_err result_check_sum(struct result_reader *reader, const char *object, const char *name,
                             hs_int128 *sum, struct hs_error *error) HS_MUST_USE;

#endif
