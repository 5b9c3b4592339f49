/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lp.c - the primal simplex of GLPK, from the slack basis, with fixed settings. */
#include "allot/lp.h"

#include <glpk.h>
#include <stdlib.h>

/* The callers scale their programs so that what counts is near 1. Reduced costs are looked at
 * almost to the last bits, since columns may be long; should rounding then keep the simplex from an
 * end, it goes on with a wider tolerance. */
#define BOUND_TOLERANCE 1e-9
static const double cost_tolerances[] = {1e-13, 1e-9};
#define ROUNDS_PER_LINE 100 /* limit of the iterations, for each row and column */

static void load(glp_prob *problem, const struct lp *lp)
{
    glp_set_obj_dir(problem, GLP_MAX);
    (void)glp_add_rows(problem, (int)lp->row_count);
    (void)glp_add_cols(problem, (int)lp->column_count);
    for (size_t i = 0; i < lp->row_count; i++) {
        glp_set_row_bnds(problem, (int)i + 1, GLP_UP, 0, lp->bounds[i]);
    }
    for (size_t i = 0; i < lp->column_count; i++) {
        glp_set_col_bnds(problem, (int)i + 1, GLP_LO, 0, 0);
        glp_set_obj_coef(problem, (int)i + 1, lp->objective[i]);
    }
}

/* GLPK counts rows, columns and entries from 1. */
static bool load_entries(glp_prob *problem, const struct lp *lp)
{
    int *rows = malloc((lp->entry_count + 1) * sizeof *rows);
    int *columns = malloc((lp->entry_count + 1) * sizeof *columns);
    double *values = malloc((lp->entry_count + 1) * sizeof *values);
    bool is_loaded = rows && columns && values;

    for (size_t i = 0; is_loaded && i < lp->entry_count; i++) {
        rows[i + 1] = lp->entry_rows[i] + 1;
        columns[i + 1] = lp->entry_columns[i] + 1;
        values[i + 1] = lp->entries[i];
    }
    if (is_loaded) {
        glp_load_matrix(problem, (int)lp->entry_count, rows, columns, values);
    }
    free(rows);
    free(columns);
    free(values);
    return is_loaded;
}

enum hs_err lp_solve(const struct lp *lp, double *x, struct hs_error *error)
{
    glp_prob *problem;
    glp_smcp settings;
    enum hs_err err = HS_OK;
    int code = 0;

    (void)glp_term_out(GLP_OFF);
    problem = glp_create_prob();
    load(problem, lp);
    if (!load_entries(problem, lp)) {
        glp_delete_prob(problem);
        return hs_error_memory(error);
    }
    glp_init_smcp(&settings);
    settings.msg_lev = GLP_MSG_OFF;
    settings.meth = GLP_PRIMAL;
    settings.tol_bnd = BOUND_TOLERANCE;
    settings.it_lim = ROUNDS_PER_LINE * ((int)lp->row_count + (int)lp->column_count);
    for (size_t i = 0; i < sizeof cost_tolerances / sizeof cost_tolerances[0]; i++) {
        settings.tol_dj = cost_tolerances[i];
        code = glp_simplex(problem, &settings);
        if (code == 0 && glp_get_status(problem) == GLP_OPT) {
            break;
        }
    }
    if (code != 0 || glp_get_status(problem) != GLP_OPT) {
        err = hs_error_set(error, HS_ERR_SYSTEM,
                           "The solver of the linear program gave up (GLPK: code %d, status %d). "
                           "Its numbers may differ by too many orders of magnitude.",
                           code, glp_get_status(problem));
    }
    for (size_t i = 0; !err && i < lp->column_count; i++) {
        x[i] = glp_get_col_prim(problem, (int)i + 1);
    }
    glp_delete_prob(problem);
    return err;
}
