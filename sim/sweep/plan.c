/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan.c - a plan from its file to its rows. */
#include "sweep/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan_internal.h"

/* Beyond this the number of runs is not told exactly. */
#define COUNT_TOLD_MAX ((hs_int128)1000000000000000000)

/* left x right, at most just above COUNT_TOLD_MAX. */
static hs_int128 multiply(hs_int128 left, size_t right)
{
    hs_int128 product = left > COUNT_TOLD_MAX ? left : left * (hs_int128)right;

    return right == 0 ? 0 : product > COUNT_TOLD_MAX ? COUNT_TOLD_MAX + 1 : product;
}

static size_t policy_count(const struct tree_node *node)
{
    return node && node->kind == TREE_LIST ? node->count : 1;
}

/* Runs that `include` adds, for one seed. */
static hs_int128 count_included(const struct block *block, size_t policies)
{
    const struct tree_entry *include =
        block->sweep ? text_tree_find(block->sweep, "include") : NULL;
    hs_int128 runs = 0;

    for (const struct tree_entry *entry = include ? include->value->first : NULL; entry;
         entry = entry->next) {
        bool has_policy =
            entry->value->kind == TREE_MAP &&
            (text_tree_find(entry->value, "policy") || text_tree_find(entry->value, "policies"));

        runs += has_policy ? 1 : (hs_int128)policies;
    }
    return runs;
}

/* Combinations of the axes, and their runs with policies and replications before any is excluded.
 */
static hs_int128 count_runs(const struct sweep_plan *plan, hs_int128 *combinations)
{
    const struct block *block = &plan->block;
    const struct tree_entry *policies = text_tree_find(plan->draft.root, "policies");
    size_t own = policy_count(policies ? policies->value : NULL);
    hs_int128 runs = block->policies ? 1 : (hs_int128)own;

    *combinations = 1;
    for (size_t i = 0; i < block->dimension_count; i++) {
        size_t length = block->dimensions[i].length, with_policies = length;

        if (block->policies && block->policies->dimension == i) {
            with_policies = 0;
            for (const struct tree_entry *entry = block->policies->spec->first; entry;
                 entry = entry->next) {
                with_policies += policy_count(entry->value);
            }
        }
        *combinations = multiply(*combinations, length);
        runs = multiply(runs, with_policies);
    }
    return multiply(runs + count_included(block, own), (size_t)block->replications);
}

/* "1,000,000,000", or that there are more than can be told. */
static void format_count(hs_int128 count, char text[64])
{
    char digits[32];
    size_t length, used = 0;

    if (count > COUNT_TOLD_MAX) {
        (void)snprintf(text, 64, "more than 10^18");
        return;
    }
    length = (size_t)snprintf(digits, sizeof digits, "%lld", (long long)count);
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            text[used++] = ',';
        }
        text[used++] = digits[i];
    }
    text[used] = '\0';
}

/* Refuses what is too much before any value is made. */
static void check_count(struct sweep_plan *plan, size_t runs_max)
{
    hs_int128 combinations;
    hs_int128 runs = count_runs(plan, &combinations);
    char count[64], most[64];

    if (runs <= (hs_int128)runs_max && combinations <= (hs_int128)runs_max) {
        plan->combination_count = (size_t)combinations;
        return;
    }
    format_count(runs, count);
    format_count((hs_int128)runs_max, most);
    text_report_add(&plan->draft.report, plan->block.place,
                    "This sweep has %s runs, but at most %s are allowed. Give the axes fewer "
                    "values, or ask for fewer replications.",
                    count, most);
}

/* What the merged file keeps: the file, and behind it as comments what was changed. */
static bool write_config(struct sweep_plan *plan, const struct experiment_override *overrides,
                         size_t override_count)
{
    size_t size = 0, length = strlen(plan->draft.source);
    FILE *stream = open_memstream(&plan->config, &size);

    if (!stream) {
        return false;
    }
    fputs(plan->draft.source, stream);
    if (override_count && length && plan->draft.source[length - 1] != '\n') {
        fputc('\n', stream);
    }
    for (size_t i = 0; i < override_count; i++) {
        fputs("# --set ", stream);
        for (const char *at = overrides[i].text; *at; at++) {
            fputc(*at == '\n' ? ' ' : *at, stream);
        }
        fputc('\n', stream);
    }
    return fclose(stream) == 0;
}

static bool describe_axes(struct sweep_plan *plan)
{
    plan->axes = calloc(plan->block.axis_count + 1, sizeof *plan->axes);
    for (size_t i = 0; plan->axes && i < plan->block.axis_count; i++) {
        const struct block_axis *axis = &plan->block.axes[i];
        bool is_time = axis->row && axis->row->type == KEY_TIME;
        bool is_size = axis->row && axis->row->type == KEY_BYTES;

        plan->axes[i] = (struct sweep_axis){
            .key = axis->key,
            .unit = is_time   ? "s"
                    : is_size ? "B"
                              : "",
            .doc = axis->row ? axis->row->doc : "Parameter of the policy.",
            .type = axis->type,
            .is_policy = axis->is_policy,
        };
    }
    return plan->axes != NULL;
}

/* The experiment of the combination in which the first row lies. */
static enum hs_err fill_base(struct sweep_plan *plan, struct hs_error *error)
{
    struct report report = {.path = plan->draft.path};
    const struct plan_origin *origin = &plan->origins[0];
    struct combination combination = {.number = origin->combination,
                                      .include = combination_include(plan, origin->combination),
                                      .is_policy_put = origin->is_policy_put};
    enum hs_err err = combination_fill(plan, &combination, &report, &plan->base, error);

    text_report_fini(&report);
    return err;
}

static enum hs_err create(struct sweep_plan *plan, size_t runs_max, const char *path,
                          const struct experiment_override *overrides, size_t override_count,
                          char **report, struct hs_error *error)
{
    enum hs_err err = experiment_draft_read(path, overrides, override_count, &plan->draft, error);
    const struct report *problems = &plan->draft.report;

    if (err == HS_OK && plan->draft.root) {
        err = block_read(&plan->draft, &plan->block, error);
    }
    if (err == HS_OK && problems->count == 0) {
        check_count(plan, runs_max);
    }
    if (err == HS_OK && problems->count == 0) {
        err = block_expand(&plan->block, error);
    }
    if (err == HS_OK && problems->count == 0) {
        err = plan_build(plan, error);
    }
    if (err == HS_OK) {
        err = text_report_conclude(problems, report, error);
    }
    if (err == HS_OK && (!write_config(plan, overrides, override_count) || !describe_axes(plan))) {
        err = hs_error_memory(error);
    }
    return err == HS_OK ? fill_base(plan, error) : err;
}

enum hs_err plan_create(bool has_keys, size_t runs_max, const char *path,
                        const struct experiment_override *overrides, size_t override_count,
                        struct sweep_plan **plan, char **report, struct hs_error *error)
{
    struct sweep_plan *made = calloc(1, sizeof *made);
    enum hs_err err = HS_OK;

    *plan = NULL;
    *report = NULL;
    if (made && has_keys) {
        made->digests = run_digests_create(NULL);
    }
    if (!made || (has_keys && !made->digests)) {
        err = hs_error_memory(error);
    }
    if (err == HS_OK) {
        err = create(made, runs_max, path, overrides, override_count, report, error);
    }
    if (err != HS_OK) {
        sweep_plan_destroy(made);
        return err;
    }
    *plan = made;
    return HS_OK;
}

enum hs_err sweep_plan_create(const char *path, const struct experiment_override *overrides,
                              size_t override_count, struct sweep_plan **plan, char **report,
                              struct hs_error *error)
{
    return plan_create(true, SWEEP_RUNS_MAX, path, overrides, override_count, plan, report, error);
}

enum hs_err sweep_plan_check(const char *path, const struct experiment_override *overrides,
                             size_t override_count, struct sweep_plan **plan, char **report,
                             struct hs_error *error)
{
    return plan_create(false, SWEEP_RUNS_MAX, path, overrides, override_count, plan, report, error);
}

bool sweep_plan_is_due(const char *path, const struct experiment_override *overrides,
                       size_t override_count)
{
    struct experiment_draft draft;
    struct hs_error unused;
    bool is_due = false;

    if (experiment_draft_read(path, overrides, override_count, &draft, &unused) == HS_OK &&
        draft.root) {
        const struct tree_entry *entry = text_tree_find(draft.root, "sweep");

        is_due = entry && !text_tree_is_null(entry->value);
    }
    experiment_draft_fini(&draft);
    return is_due;
}

void sweep_plan_destroy(struct sweep_plan *plan)
{
    if (!plan) {
        return;
    }
    experiment_fini(&plan->base);
    policy_labels_fini(&plan->labels);
    run_digests_destroy(plan->digests);
    text_arena_fini(&plan->values);
    experiment_draft_fini(&plan->draft);
    free(plan->config);
    free(plan->axes);
    free(plan->rows);
    free(plan->origins);
    free(plan);
}

const struct experiment *sweep_plan_base(const struct sweep_plan *plan)
{
    return &plan->base;
}

size_t sweep_plan_axes(const struct sweep_plan *plan, const struct sweep_axis **axes)
{
    *axes = plan->axes;
    return plan->block.axis_count;
}

size_t sweep_plan_rows(const struct sweep_plan *plan, const struct sweep_row **rows)
{
    *rows = plan->rows;
    return plan->row_count;
}

const char *sweep_plan_config(const struct sweep_plan *plan)
{
    return plan->config;
}

enum hs_err sweep_plan_experiment(const struct sweep_plan *plan, size_t row,
                                  struct experiment *experiment, struct hs_error *error)
{
    struct report report = {.path = plan->draft.path};
    const struct plan_origin *origin = &plan->origins[row];
    struct combination combination = {.number = origin->combination,
                                      .include = combination_include(plan, origin->combination),
                                      .is_policy_put = origin->is_policy_put};
    enum hs_err err;

    HS_ASSERT(row < plan->row_count);
    err = combination_fill(plan, &combination, &report, experiment, error);
    if (err == HS_OK) {
        HS_ASSERT(report.count == 0);
        experiment->policies += origin->policy;
        experiment->policy_count = 1;
        experiment->policies->label = plan->rows[row].policy;
        experiment->seed = plan->rows[row].seed;
    }
    text_report_fini(&report);
    return err;
}
