/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pair.c - runs into a matrix of policies and situations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/runs.h"

#define DIFFERENCES_SHOWN 4
#define ORPHANS_SHOWN     3

/* ---- the matrix */

/* Labels in the order in which they come. */
static enum hs_err list_policies(const struct compare_set *set, struct compare_table *table,
                                 size_t *policy_of, struct hs_error *error)
{
    table->policies = calloc(set->run_count + 1, sizeof *table->policies);
    if (!table->policies) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < set->run_count; i++) {
        size_t k = 0;

        while (k < table->policy_count && strcmp(table->policies[k], set->runs[i].label) != 0) {
            k++;
        }
        if (k == table->policy_count) {
            table->policies[table->policy_count++] = set->runs[i].label;
        }
        policy_of[i] = k;
    }
    return HS_OK;
}

static enum hs_err find_baseline(struct compare_table *table, const char *baseline,
                                 struct hs_error *error)
{
    const char *near;

    for (size_t i = 0; baseline && i < table->policy_count; i++) {
        if (strcmp(table->policies[i], baseline) == 0) {
            table->baseline = i;
            return HS_OK;
        }
    }
    if (!baseline) {
        return HS_OK;
    }
    near = hs_nearest(baseline, table->policies, table->policy_count);
    return hs_error_set(
        error, HS_ERR_CONFIG,
        "--baseline is '%s', and no run has that policy%s%s%s The first one here is "
        "'%s'.",
        baseline, near ? "; did you mean '" : ".", near ? near : "", near ? "'?" : "",
        table->policies[0]);
}

struct place {
    const char *situation;
    size_t run;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a;
    const struct place *y = b;
    int order = strcmp(x->situation, y->situation);

    return order ? order : (x->run > y->run) - (x->run < y->run);
}

/* Numbers of situations by run, in the order of their texts; how many there are. */
static size_t number_situations(const struct compare_set *set, struct place *places,
                                size_t *situation_of)
{
    size_t count = 0;

    for (size_t i = 0; i < set->run_count; i++) {
        places[i] = (struct place){set->runs[i].situation, i};
    }
    qsort(places, set->run_count, sizeof *places, compare_places);
    for (size_t i = 0; i < set->run_count; i++) {
        count += i > 0 && strcmp(places[i].situation, places[i - 1].situation) != 0;
        situation_of[places[i].run] = count;
    }
    return count + (set->run_count > 0);
}

static enum hs_err fail_twin(const struct compare_run *a, const struct compare_run *b,
                             struct hs_error *error)
{
    return hs_error_set(
        error, HS_ERR_CONFIG,
        "%s and %s are both runs of '%s' with the same workload, window, seed and keys. Leave one "
        "out; or, if their policies have different parameters, run them again with a `label` for "
        "each.",
        a->name, b->name, a->label);
}

static enum hs_err fill(struct compare_set *set, struct compare_table *table,
                        const size_t *policy_of, const size_t *situation_of, struct hs_error *error)
{
    table->runs = calloc(table->policy_count * table->columns + 1, sizeof(struct compare_run *));
    if (!table->runs) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < set->run_count; i++) {
        struct compare_run **cell = &table->runs[policy_of[i] * table->columns + situation_of[i]];

        if (*cell && set->is_sweep && strcmp((*cell)->path, set->runs[i].path) == 0) {
            continue; /* two rows of a sweep that are one run */
        }
        if (*cell) {
            return fail_twin(*cell, &set->runs[i], error);
        }
        *cell = &set->runs[i];
        table->unstable += set->runs[i].stability == RESULT_UNSTABLE;
        table->unknown +=
            !set->runs[i].is_failed && set->runs[i].stability == RESULT_STABILITY_UNKNOWN;
    }
    for (size_t i = 0; i < table->policy_count; i++) {
        size_t runs = 0;

        for (size_t k = 0; k < table->columns; k++) {
            runs += table->runs[i * table->columns + k] != NULL;
        }
        table->runs_max = runs > table->runs_max ? runs : table->runs_max;
    }
    return HS_OK;
}

/* ---- runs without a counterpart */

/* Keys in which two runs differ, written to `text` if it is not NULL. */
static size_t differ(const struct compare_run *a, const struct compare_run *b, char *text,
                     size_t size)
{
    const struct compare_run *sides[2] = {a, b};
    size_t count = 0;
    size_t at = 0;

    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < sides[side]->fact_count; i++) {
            const struct compare_fact *own = &sides[side]->facts[i];
            const struct compare_fact *other =
                i < sides[!side]->fact_count && strcmp(sides[!side]->facts[i].key, own->key) == 0
                    ? &sides[!side]->facts[i]
                    : compare_find_fact(sides[!side], own->key);

            /* Those that both have are told once. */
            if (other && (side == 1 || strcmp(own->value, other->value) == 0)) {
                continue;
            }
            if (text && count < DIFFERENCES_SHOWN && at < size) {
                at += (size_t)snprintf(
                    text + at, size - at, "%s%s (%.60s, there %.60s%s)", count ? ", " : "",
                    own->key, side == 0 ? own->text : "-",
                    side == 0 ? (other ? other->text : "-") : own->text,
                    other && strcmp(own->text, other->text) == 0 ? ", with other content" : "");
            }
            count++;
        }
    }
    if (text && count > DIFFERENCES_SHOWN && at < size) {
        (void)snprintf(text + at, size - at, " and %zu more", count - DIFFERENCES_SHOWN);
    }
    return count;
}

/* The run among those of a policy that differs in the fewest keys. */
static const struct compare_run *find_nearest(const struct compare_table *table, size_t policy,
                                              const struct compare_run *run)
{
    const struct compare_run *nearest = NULL;
    size_t least = 0;

    for (size_t k = 0; k < table->columns; k++) {
        const struct compare_run *other = table->runs[policy * table->columns + k];
        size_t count = other ? differ(run, other, NULL, 0) : 0;

        if (other && (!nearest || count < least)) {
            nearest = other;
            least = count;
        }
    }
    return nearest;
}

/* What one sweep leaves out (exclude, include) is left out on purpose. A run of the baseline counts
 * once, however many policies lack its situation. */
static void count_gaps(struct compare_table *table)
{
    struct compare_run *const *base = table->runs + table->baseline * table->columns;

    for (size_t k = 0; k < table->columns; k++) {
        size_t there = 0;

        for (size_t i = 0; i < table->policy_count; i++) {
            there += table->runs[i * table->columns + k] != NULL;
        }
        if (!base[k]) {
            table->gaps += there;
        } else {
            table->gaps += there < table->policy_count;
        }
    }
}

static enum hs_err check_pairs(const struct compare_table *table, struct hs_error *error)
{
    char text[HS_ERROR_TEXT_MAX] = "";
    size_t at = 0;
    size_t orphans = 0;

    for (size_t i = 0; i < table->policy_count; i++) {
        for (size_t k = 0; k < table->columns; k++) {
            const struct compare_run *own = table->runs[i * table->columns + k];
            const struct compare_run *base = table->runs[table->baseline * table->columns + k];
            const struct compare_run *orphan = own ? own : base;
            size_t other = own ? table->baseline : i;
            char differences[400] = "";
            const struct compare_run *nearest;

            if (!own == !base) {
                continue;
            }
            if (orphans++ < ORPHANS_SHOWN && at < sizeof text) {
                nearest = find_nearest(table, other, orphan);
                (void)differ(orphan, nearest, differences, sizeof differences);
                at += (size_t)snprintf(text + at, sizeof text - at,
                                       "%s%s (%s) has no counterpart under '%s'; the nearest, %s, "
                                       "differs in %s.",
                                       orphans > 1 ? "\n" : "", orphan->name, orphan->label,
                                       table->policies[other], nearest->name, differences);
            }
        }
    }
    if (!orphans) {
        return HS_OK;
    }
    return hs_error_set(
        error, HS_ERR_CONFIG,
        "%.1500s\n%zu run%s without a counterpart: nothing is compared. Add what is "
        "missing or leave the rest out; name a key that is itself to be compared "
        "with --by KEY; or compare independent samples with `hsim compare --unpaired`.",
        text, orphans, orphans == 1 ? "" : "s");
}

/* Without pairing the runs of each policy move to the left. */
static void close_gaps(struct compare_table *table)
{
    for (size_t i = 0; i < table->policy_count; i++) {
        struct compare_run **row = table->runs + i * table->columns;
        size_t count = 0;

        for (size_t k = 0; k < table->columns; k++) {
            if (row[k]) {
                struct compare_run *run = row[k];

                row[k] = NULL;
                row[count++] = run;
            }
        }
    }
}

enum hs_err compare_pair(struct compare_set *set, const char *baseline, struct compare_table *table,
                         struct hs_error *error)
{
    size_t *numbers = calloc(2 * set->run_count + 1, sizeof *numbers);
    struct place *places = calloc(set->run_count + 1, sizeof *places);
    enum hs_err code = numbers && places ? HS_OK : hs_error_memory(error);

    HS_ASSERT(set->run_count > 0);
    if (code == HS_OK) {
        code = list_policies(set, table, numbers, error);
    }
    if (code == HS_OK) {
        code = find_baseline(table, baseline, error);
    }
    if (code == HS_OK) {
        table->columns = number_situations(set, places, numbers + set->run_count);
        code = fill(set, table, numbers, numbers + set->run_count, error);
    }
    if (code == HS_OK && !table->is_paired) {
        close_gaps(table);
    } else if (code == HS_OK && set->is_sweep) {
        count_gaps(table);
    } else if (code == HS_OK) {
        code = check_pairs(table, error);
    }
    free(places);
    free(numbers);
    return code;
}

size_t compare_count_unstable(const struct compare_table *table, size_t policy)
{
    size_t count = 0;

    for (size_t k = 0; k < table->columns; k++) {
        const struct compare_run *run = table->runs[policy * table->columns + k];

        count += run && run->stability == RESULT_UNSTABLE;
    }
    return count;
}

void compare_table_fini(struct compare_table *table)
{
    free(table->policies);
    free(table->runs);
    *table = (struct compare_table){0};
}
