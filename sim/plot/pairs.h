/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pairs.h - policies against a baseline, as `hsim compare` computes it, for a picture. */
#ifndef HSIM_PLOT_PAIRS_H
#define HSIM_PLOT_PAIRS_H

#include "plot/sets.h"

struct plot_pairs {
    struct plot_sets sets;
    struct compare_table table; /* its policies are the lines of the sets */
    struct stats_design design;
    struct stats_cell *cells; /* [metric * policies + policy] */
};

/* Reads the runs of the request with these metrics (NULL: the usual ones), and compares them with
 * its baseline. HS_ERR_CONFIG as compare_pair; one policy alone. plot_pairs_fini in any case. */
enum hs_err plot_pairs_read(const struct plot_request *request, const char *metrics,
                            struct plot_pairs *pairs, struct figure *figure,
                            struct hs_error *error) HS_MUST_USE;
void plot_pairs_fini(struct plot_pairs *pairs);

const struct stats_cell *plot_pairs_cell(const struct plot_pairs *pairs, size_t metric,
                                         size_t policy);

/* Values of a policy and of the baseline in one situation; false if one is missing or unstable. */
bool plot_pairs_get(const struct plot_pairs *pairs, size_t metric, size_t policy, size_t column,
                    double *own, double *base);
/* Has the cell so few pairs that they are drawn one by one? */
bool plot_pairs_are_few(const struct stats_cell *cell);
/* Pairs of the policy that are left out, since one of both is unstable. */
size_t plot_pairs_unstable(const struct plot_pairs *pairs, size_t policy);

#endif
