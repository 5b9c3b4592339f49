/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pairs.c - reads and compares the runs of a picture. */
#include "plot/pairs.h"

#include <math.h>
#include <stdlib.h>

/* Settings that are paired together have seeds, and so workloads, in common. */
static void note_mixture(const struct plot_sets *sets, struct figure *figure)
{
    const char *key = plot_sets_mix(sets);

    if (key) {
        figure_note(figure,
                    "Pairs differ in %s, too: those of one seed share their workload and are no "
                    "independent samples, so that intervals are narrower than they should be. "
                    "--where %s=VALUE chooses one setting.",
                    key, key);
    }
}

enum hs_err plot_pairs_read(const struct plot_request *request, const char *metrics,
                            struct plot_pairs *pairs, struct figure *figure, struct hs_error *error)
{
    enum hs_err code;
    size_t cells;

    *pairs = (struct plot_pairs){.table = {.is_paired = true}, .design = {.is_paired = true}};
    code = plot_sets_read(request, metrics, &pairs->sets, figure, error);
    if (code == HS_OK && pairs->sets.line_count == 1) {
        code = hs_error_set(error, HS_ERR_CONFIG,
                            "All runs are of '%s', and there is nothing to compare it with. Name "
                            "runs of two policies or more; --by KEY compares values of a key.",
                            pairs->sets.lines[0]);
    }
    if (code == HS_OK) {
        code = compare_pair(&pairs->sets.set, request->baseline, &pairs->table, error);
    }
    if (code != HS_OK) {
        return code;
    }
    if (pairs->table.gaps) {
        figure_note(figure,
                    "%zu run%s of the sweep %s a counterpart under '%s' (or, being of it, under "
                    "another policy), so that a pair is missing.",
                    pairs->table.gaps, pairs->table.gaps == 1 ? "" : "s",
                    pairs->table.gaps == 1 ? "lacks" : "lack",
                    pairs->table.policies[pairs->table.baseline]);
    }
    code = plot_sets_gather(&pairs->sets, NULL, 0, error);
    if (code != HS_OK) {
        return code;
    }
    note_mixture(&pairs->sets, figure);
    pairs->design.level = pairs->sets.level;
    cells = pairs->sets.set.metric_count * pairs->table.policy_count;
    pairs->cells = calloc(cells + 1, sizeof *pairs->cells);
    return pairs->cells
               ? compare_cells(&pairs->sets.set, &pairs->table, &pairs->design, pairs->cells, error)
               : hs_error_memory(error);
}

void plot_pairs_fini(struct plot_pairs *pairs)
{
    free(pairs->cells);
    compare_table_fini(&pairs->table);
    plot_sets_fini(&pairs->sets);
    *pairs = (struct plot_pairs){0};
}

const struct stats_cell *plot_pairs_cell(const struct plot_pairs *pairs, size_t metric,
                                         size_t policy)
{
    return &pairs->cells[metric * pairs->table.policy_count + policy];
}

static const struct compare_run *run_of(const struct plot_pairs *pairs, size_t policy,
                                        size_t column)
{
    return pairs->table.runs[policy * pairs->table.columns + column];
}

bool plot_pairs_get(const struct plot_pairs *pairs, size_t metric, size_t policy, size_t column,
                    double *own, double *base)
{
    const struct compare_run *a = run_of(pairs, policy, column);
    const struct compare_run *b = run_of(pairs, pairs->table.baseline, column);

    if (!a || !b || a->stability == RESULT_UNSTABLE || b->stability == RESULT_UNSTABLE) {
        return false;
    }
    *own = a->values[metric];
    *base = b->values[metric];
    return isfinite(*own) && isfinite(*base);
}

bool plot_pairs_are_few(const struct stats_cell *cell)
{
    return cell->pairs > 1 && cell->pairs < STATS_INTERVAL_MIN;
}

size_t plot_pairs_unstable(const struct plot_pairs *pairs, size_t policy)
{
    size_t count = 0;

    for (size_t k = 0; k < pairs->table.columns; k++) {
        const struct compare_run *a = run_of(pairs, policy, k);
        const struct compare_run *b = run_of(pairs, pairs->table.baseline, k);

        count += a && b && (a->stability == RESULT_UNSTABLE || b->stability == RESULT_UNSTABLE);
    }
    return count;
}
