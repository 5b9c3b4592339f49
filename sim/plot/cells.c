/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cells.c - gathers runs into cells, and reads axes out of what runs were run on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/sets.h"
#include "text/units.h"

/* What repeats an experiment instead of changing it. Inputs of whole files are such as well: a
 * trace is one sample of the workload. */
static bool repeats(const char *key)
{
    static const char *const keys[] = {"seed", "workload.file", "workload.window.from",
                                       "workload.window.to"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(keys[i], key) == 0) {
            return true;
        }
    }
    return strncmp(key, "input ", strlen("input ")) == 0;
}

static bool is_axis(const char *key, const struct plot_axis *axes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(axes[i].key, key) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- axes */

static double number_of(const char *text, const char **unit)
{
    double value;
    int64_t whole;

    *unit = "1";
    if (text_units_parse_double(text, &value)) {
        return value;
    }
    *unit = "s";
    if (text_units_parse(UNITS_TIME, text, &whole, NULL) == UNITS_OK) {
        return (double)whole / (double)HS_NS_PER_S;
    }
    *unit = "B";
    if (text_units_parse(UNITS_BYTES, text, &whole, NULL) == UNITS_OK) {
        return (double)whole;
    }
    *unit = "";
    return NAN;
}

static enum hs_err fail_axis(struct plot_sets *sets, const char *key, struct hs_error *error)
{
    const struct compare_run *run = &sets->set.runs[0];
    const char **names = calloc(run->fact_count + 1, sizeof *names);
    const char *near;

    if (!names) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < run->fact_count; i++) {
        names[i] = run->facts[i].key;
    }
    near = hs_nearest(key, names, run->fact_count);
    (void)hs_error_set(error, HS_ERR_CONFIG,
                       "--against names '%s', and no run has such a key%s%s%s Runs differ in %s.",
                       key, near ? "; did you mean '" : ".", near ? near : "", near ? "'?" : "",
                       plot_sets_varying(sets));
    free(names);
    return HS_ERR_CONFIG;
}

enum hs_err plot_axis_find(struct plot_sets *sets, const char *key, struct plot_axis *axis,
                           struct hs_error *error)
{
    bool is_first = true;

    *axis = (struct plot_axis){.key = key, .unit = ""};
    for (size_t i = 0; i < sets->set.run_count; i++) {
        const struct compare_fact *fact = compare_find_fact(&sets->set.runs[i], key);
        const char *unit;

        if (!fact) {
            continue;
        }
        (void)number_of(fact->text, &unit);
        /* A zero without a unit goes with any. */
        if (is_first || strcmp(unit, axis->unit) == 0 || strcmp(axis->unit, "1") == 0) {
            axis->unit = unit;
        } else if (strcmp(unit, "1") != 0) {
            axis->unit = "";
        }
        axis->key = fact->key;
        is_first = false;
        if (!*axis->unit) {
            break;
        }
    }
    return is_first ? fail_axis(sets, key, error) : HS_OK;
}

double plot_axis_value(const struct plot_axis *axis, const struct compare_run *run)
{
    const struct compare_fact *fact = compare_find_fact(run, axis->key);
    const char *unit;

    return fact && *axis->unit ? number_of(fact->text, &unit) : NAN;
}

/* The value of the key in a run, or NULL. */
static const char *text_of(const struct compare_run *run, const char *key)
{
    const struct compare_fact *fact = compare_find_fact(run, key);

    return fact ? fact->value : NULL;
}

static bool differs(const char *a, const char *b)
{
    return !a != !b || (a && strcmp(a, b) != 0);
}

bool plot_sets_varies(const struct plot_sets *sets, const char *key)
{
    const char *first = text_of(&sets->set.runs[0], key);

    for (size_t i = 1; i < sets->set.run_count; i++) {
        if (differs(first, text_of(&sets->set.runs[i], key))) {
            return true;
        }
    }
    return false;
}

const char *plot_sets_only_varying(const struct plot_sets *sets)
{
    const struct compare_run *first = &sets->set.runs[0];
    const char *found = NULL;

    for (size_t k = 0; k < first->fact_count; k++) {
        const struct compare_fact *fact = &first->facts[k];
        const char *unit;

        (void)number_of(fact->text, &unit);
        if (!repeats(fact->key) && *unit && plot_sets_varies(sets, fact->key)) {
            if (found) {
                return NULL;
            }
            found = fact->key;
        }
    }
    return found;
}

const char *plot_sets_varying(struct plot_sets *sets)
{
    const struct compare_run *first = &sets->set.runs[0];
    char list[300] = "";
    const char *text;
    size_t at = 0;

    for (size_t k = 0; k < first->fact_count && at + 80 < sizeof list; k++) {
        if (plot_sets_varies(sets, first->facts[k].key)) {
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%.60s", at ? ", " : "",
                                   first->facts[k].key);
        }
    }
    text = *list ? text_arena_copy(&sets->set.arena, list, at) : "no key";
    return text ? text : "";
}

/* ---- cells */

const char *plot_cells_differ(const struct plot_cell *a, const struct plot_cell *b)
{
    const struct compare_run *pair[2] = {a->runs[0], b->runs[0]};

    for (int side = 0; side < 2; side++) {
        for (size_t k = 0; k < pair[side]->fact_count; k++) {
            const char *key = pair[side]->facts[k].key;

            if (!repeats(key) && differs(text_of(pair[0], key), text_of(pair[1], key))) {
                return key;
            }
        }
    }
    return NULL;
}

const char *plot_sets_mix(const struct plot_sets *sets)
{
    for (size_t i = 1; i < sets->cell_count; i++) {
        if (sets->cells[i].line == sets->cells[i - 1].line) {
            return plot_cells_differ(&sets->cells[i - 1], &sets->cells[i]);
        }
    }
    return NULL;
}

/* What tells the cell of a run from others of its line. */
static const char *cell_text(struct plot_sets *sets, const struct compare_run *run,
                             const struct plot_axis *axes, size_t count)
{
    size_t length = 0;
    char *text;
    char *at;

    for (size_t i = 0; i < run->fact_count; i++) {
        length += strlen(run->facts[i].key) + strlen(run->facts[i].value) + 2;
    }
    text = text_arena_alloc(&sets->set.arena, length + 1);
    at = text;
    for (size_t i = 0; text && i < run->fact_count; i++) {
        if (!repeats(run->facts[i].key) || is_axis(run->facts[i].key, axes, count)) {
            at = stpcpy(stpcpy(at, run->facts[i].key), "\t");
            at = stpcpy(stpcpy(at, run->facts[i].value), "\n");
        }
    }
    return text;
}

struct place {
    const char *text;
    size_t line, run;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a;
    const struct place *y = b;
    int order = (x->line > y->line) - (x->line < y->line);

    order = order ? order : strcmp(x->text, y->text);
    return order ? order : (x->run > y->run) - (x->run < y->run);
}

static size_t line_of(const struct plot_sets *sets, const struct compare_run *run)
{
    size_t line = 0;

    while (strcmp(sets->lines[line], run->label) != 0) {
        line++;
    }
    return line;
}

static void cut(struct plot_sets *sets, const struct place *places)
{
    for (size_t i = 0; i < sets->set.run_count; i++) {
        bool is_new = i == 0 || places[i].line != places[i - 1].line ||
                      strcmp(places[i].text, places[i - 1].text) != 0;

        sets->runs[i] = &sets->set.runs[places[i].run];
        if (is_new) {
            sets->cells[sets->cell_count++] =
                (struct plot_cell){.line = places[i].line, .runs = &sets->runs[i]};
        }
        sets->cells[sets->cell_count - 1].count++;
    }
}

enum hs_err plot_sets_gather(struct plot_sets *sets, const struct plot_axis *axes, size_t count,
                             struct hs_error *error)
{
    size_t runs = sets->set.run_count;
    struct place *places = calloc(runs + 1, sizeof *places);
    enum hs_err code = HS_OK;

    sets->runs = calloc(runs + 1, sizeof *sets->runs);
    sets->cells = calloc(runs + 1, sizeof *sets->cells);
    if (!places || !sets->runs || !sets->cells) {
        code = hs_error_memory(error);
    }
    for (size_t i = 0; code == HS_OK && i < runs; i++) {
        const struct compare_run *run = &sets->set.runs[i];

        places[i] = (struct place){cell_text(sets, run, axes, count), line_of(sets, run), i};
        code = places[i].text ? HS_OK : hs_error_memory(error);
    }
    if (code == HS_OK) {
        qsort(places, runs, sizeof *places, compare_places);
        cut(sets, places);
    }
    free(places);
    return code;
}

size_t plot_cell_values(const struct plot_cell *cell, size_t metric, double *values)
{
    size_t count = 0;

    for (size_t i = 0; i < cell->count; i++) {
        const struct compare_run *run = cell->runs[i];

        if (run->stability != RESULT_UNSTABLE && isfinite(run->values[metric])) {
            values[count++] = run->values[metric];
        }
    }
    return count;
}

bool plot_cell_mean(const struct plot_sets *sets, const struct plot_cell *cell, size_t metric,
                    struct plot_mean *mean)
{
    double *values = calloc(cell->count, sizeof *values);

    *mean = (struct plot_mean){0};
    if (!values) {
        return false;
    }
    mean->count = plot_cell_values(cell, metric, values);
    for (size_t i = 0; i < cell->count; i++) {
        mean->unstable += cell->runs[i]->stability == RESULT_UNSTABLE;
    }
    mean->missing = cell->count - mean->count - mean->unstable;
    mean->mean = stats_t_interval(values, mean->count, sets->level);
    if (mean->count < STATS_INTERVAL_MIN) {
        mean->mean.low = mean->mean.high = NAN;
    }
    free(values);
    return true;
}
