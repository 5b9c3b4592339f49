/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lp.h - a linear program that GLPK solves: maximise c x, rows A x <= b, x >= 0.
 *
 * The only file that sees GLPK is lp.c. Every b is >= 0, so x = 0 is where the simplex begins. */
#ifndef HSIM_ALLOT_LP_H
#define HSIM_ALLOT_LP_H

#include "hs/base.h"

/* Rows and columns count from 0. Arrays are the caller's and only read. */
struct lp {
    size_t row_count, column_count, entry_count;
    const double *bounds;    /* b, of each row */
    const double *objective; /* c, of each column */
    const int *entry_rows;   /* of each entry of A, none twice */
    const int *entry_columns;
    const double *entries;
};

/* Fills x. HS_ERR_SYSTEM: the solver gave up. The same program yields the same bytes. */
enum hs_err lp_solve(const struct lp *lp, double *x, struct hs_error *error) HS_MUST_USE;

#endif
