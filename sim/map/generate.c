/* SPDX-License-Identifier: GPL-3.0-or-later */
/* generate.c - descriptions of matrices, and the rows that are drawn from them. */
#include "map/generate.h"

#include <gsl/gsl_randist.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/keyed_rng.h"
#include "text/report.h"
#include "text/units.h"

#define WORD_MAX 64

enum type { TYPE_COUNT, TYPE_SEED, TYPE_REAL, TYPE_CONSISTENCY };

static const char *const models[] = {[MAP_MODEL_RANGE] = "range", [MAP_MODEL_CVB] = "cvb"};
static const char *const consistencies[] = {[MAP_INCONSISTENT] = "inconsistent",
                                            [MAP_SEMI_CONSISTENT] = "semi",
                                            [MAP_CONSISTENT] = "consistent"};
enum { MODEL_COUNT = sizeof models / sizeof models[0] };
enum { CONSISTENCY_COUNT = sizeof consistencies / sizeof consistencies[0] };

/* The words of a description: the one place that knows them. */
struct key {
    const char *name;
    int model; /* the one that has it; -1: both */
    enum type type;
    size_t offset;
    const char *default_text;
    double min, max;
    const char *about;
};

#define OFFSET(field) offsetof(struct map_generate, field)

static const struct key keys[] = {
    {"tasks", -1, TYPE_COUNT, OFFSET(task_count), "512", 1, 1e9, "rows"},
    {"machines", -1, TYPE_COUNT, OFFSET(machine_count), "16", 1, 1e6, "columns"},
    {"consistency", -1, TYPE_CONSISTENCY, OFFSET(consistency), "inconsistent", 0, 0,
     "inconsistent, semi or consistent"},
    {"seed", -1, TYPE_SEED, OFFSET(seed), "1", 0, 0, "of all random numbers"},
    {"task-range", MAP_MODEL_RANGE, TYPE_REAL, OFFSET(task_range), "3000", 1, 1e9,
     "tasks differ by up to this factor"},
    {"machine-range", MAP_MODEL_RANGE, TYPE_REAL, OFFSET(machine_range), "1000", 1, 1e9,
     "machines differ by up to this factor"},
    {"mean", MAP_MODEL_CVB, TYPE_REAL, OFFSET(mean_s), "1000", 1e-9, 1e9, "seconds of a task"},
    {"task-cv", MAP_MODEL_CVB, TYPE_REAL, OFFSET(task_cv), "0.6", 1e-3, 10,
     "coefficient of variation among tasks"},
    {"machine-cv", MAP_MODEL_CVB, TYPE_REAL, OFFSET(machine_cv), "0.6", 1e-3, 10,
     "coefficient of variation among machines"},
};
enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

static enum hs_err value_error(const struct key *key, const char *text, struct hs_error *error)
{
    if (key->type == TYPE_CONSISTENCY) {
        return hs_error_set(error, HS_ERR_CONFIG, "%s=%s: the word is one of %s.", key->name,
                            REPORT_CLIP(text), key->about);
    }
    if (key->type == TYPE_SEED) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s=%s: a whole number from 0 to %" PRId64 " is due.", key->name,
                            REPORT_CLIP(text), INT64_MAX);
    }
    return hs_error_set(error, HS_ERR_CONFIG, "%s=%s: a %snumber from %.10g to %.10g is due.",
                        key->name, REPORT_CLIP(text), key->type == TYPE_COUNT ? "whole " : "",
                        key->min, key->max);
}

static enum hs_err value_set(const struct key *key, const char *text, void *generate,
                             struct hs_error *error)
{
    char *field = (char *)generate + key->offset;
    bool is_number;
    int64_t whole;
    double real;

    switch (key->type) {
    case TYPE_COUNT:
    case TYPE_SEED:
        if (!text_units_parse_int(text, &whole, &is_number) || whole < 0) {
            return value_error(key, text, error);
        }
        if (key->type == TYPE_SEED) {
            *(uint64_t *)(void *)field = (uint64_t)whole;
            return HS_OK;
        }
        if ((double)whole < key->min || (double)whole > key->max) {
            return value_error(key, text, error);
        }
        *(uint32_t *)(void *)field = (uint32_t)whole;
        return HS_OK;
    case TYPE_REAL:
        if (!text_units_parse_double(text, &real) || real < key->min || real > key->max) {
            return value_error(key, text, error);
        }
        *(double *)(void *)field = real;
        return HS_OK;
    case TYPE_CONSISTENCY:
        for (int i = 0; i < CONSISTENCY_COUNT; i++) {
            if (strcmp(text, consistencies[i]) == 0) {
                *(enum map_consistency *)(void *)field = (enum map_consistency)i;
                return HS_OK;
            }
        }
        return value_error(key, text, error);
    }
    return HS_OK;
}

/* Is the key one of the model? */
static bool key_fits(const struct key *key, enum map_model model)
{
    return key->model < 0 || key->model == (int)model;
}

static enum hs_err word_parse(char *word, struct map_generate *generate, bool *is_set,
                              struct hs_error *error)
{
    const char *names[KEY_COUNT];
    size_t count = 0;
    const char *near;
    char *value = strchr(word, '=');

    if (value) {
        *value++ = '\0';
    }
    for (int i = 0; i < KEY_COUNT; i++) {
        if (!key_fits(&keys[i], generate->model)) {
            continue;
        }
        names[count++] = keys[i].name;
        if (strcmp(word, keys[i].name) != 0) {
            continue;
        }
        if (!value) {
            return hs_error_set(error, HS_ERR_CONFIG, "%s: a value is missing; write %s=%s.", word,
                                word, keys[i].default_text);
        }
        if (is_set[i]) {
            return hs_error_set(error, HS_ERR_CONFIG, "%s is there twice.", word);
        }
        is_set[i] = true;
        return value_set(&keys[i], value, generate, error);
    }
    near = hs_nearest(word, names, count);
    return hs_error_set(
        error, HS_ERR_CONFIG,
        "A matrix of the model '%s' has no key '%s'%s%s%s `hsim map --help` tells all.",
        models[generate->model], REPORT_CLIP(word), near ? "; did you mean '" : ".",
        near ? near : "", near ? "'?" : "");
}

static enum hs_err model_parse(const char *word, struct map_generate *generate,
                               struct hs_error *error)
{
    const char *near;

    for (int i = 0; i < MODEL_COUNT; i++) {
        if (strcmp(word, models[i]) == 0) {
            generate->model = (enum map_model)i;
            return HS_OK;
        }
    }
    near = hs_nearest(word, models, MODEL_COUNT);
    return hs_error_set(error, HS_ERR_CONFIG,
                        "'%s' is no model of matrices%s%s%s The description begins with `range` or "
                        "`cvb`: 'range tasks=512 machines=16'.",
                        REPORT_CLIP(word), near ? "; did you mean '" : ".", near ? near : "",
                        near ? "'?" : "");
}

enum hs_err map_generate_parse(const char *text, struct map_generate *generate,
                               struct hs_error *error)
{
    bool is_set[KEY_COUNT] = {false};
    bool has_model = false;
    enum hs_err err;

    *generate = (struct map_generate){0};
    for (int i = 0; i < KEY_COUNT; i++) {
        err = value_set(&keys[i], keys[i].default_text, generate, error);
        HS_ASSERT(err == HS_OK);
    }
    for (text += strspn(text, " ,\t\n"); *text; text += strspn(text, " ,\t\n")) {
        char word[WORD_MAX];
        size_t length = strcspn(text, " ,\t\n");
        size_t kept = length < sizeof word - 1 ? length : sizeof word - 1;

        memcpy(word, text, kept);
        word[kept] = '\0';
        text += length;
        err = has_model ? word_parse(word, generate, is_set, error)
                        : model_parse(word, generate, error);
        if (err != HS_OK) {
            return err;
        }
        has_model = true;
    }
    return has_model ? HS_OK : model_parse("", generate, error);
}

char *map_generate_keys(void)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);

    if (!file) {
        return NULL;
    }
    for (int i = 0; i < KEY_COUNT; i++) {
        const struct key *key = &keys[i];

        (void)fprintf(file, "  %-14s %-13s %s%s%s%s\n", key->name, key->default_text, key->about,
                      key->model < 0 ? "" : " (", key->model < 0 ? "" : models[key->model],
                      key->model < 0 ? "" : ")");
    }
    if (fclose(file) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

struct map_rows {
    struct map_generate generate;
    gsl_rng *rng;
    double *sorted; /* a row at most */
};

struct map_rows *map_rows_create(const struct map_generate *generate)
{
    struct map_rows *rows = calloc(1, sizeof *rows);

    if (!rows) {
        return NULL;
    }
    rows->generate = *generate;
    rows->rng = map_rng_create();
    rows->sorted = malloc(generate->machine_count * sizeof *rows->sorted);
    if (!rows->rng || !rows->sorted) {
        map_rows_destroy(rows);
        return NULL;
    }
    return rows;
}

void map_rows_destroy(struct map_rows *rows)
{
    if (!rows) {
        return;
    }
    if (rows->rng) {
        gsl_rng_free(rows->rng);
    }
    free(rows->sorted);
    free(rows);
}

static int compare_times(const void *left, const void *right)
{
    const double *a = left;
    const double *b = right;

    return (*a > *b) - (*a < *b);
}

/* Sorts every `stride`-th of the times, from the first on. */
static void sort_times(struct map_rows *rows, double *times_s, uint32_t stride)
{
    uint32_t machine_count = rows->generate.machine_count;
    uint32_t count = 0;

    for (uint32_t machine = 0; machine < machine_count; machine += stride) {
        rows->sorted[count++] = times_s[machine];
    }
    qsort(rows->sorted, count, sizeof *rows->sorted, compare_times);
    for (uint32_t i = 0; i < count; i++) {
        times_s[i * stride] = rows->sorted[i];
    }
}

void map_rows_draw(struct map_rows *rows, uint32_t task, double *times_s)
{
    const struct map_generate *generate = &rows->generate;
    gsl_rng *rng = rows->rng;
    uint32_t machine_count = generate->machine_count;

    map_rng_begin(rng, generate->seed, "map.row", task);
    if (generate->model == MAP_MODEL_RANGE) {
        double base = 1.0 + (generate->task_range - 1.0) * gsl_rng_uniform(rng);

        for (uint32_t machine = 0; machine < machine_count; machine++) {
            times_s[machine] =
                base * (1.0 + (generate->machine_range - 1.0) * gsl_rng_uniform(rng));
        }
    } else {
        double task_share = generate->task_cv * generate->task_cv;
        double machine_share = generate->machine_cv * generate->machine_cv;
        double mean_s = gsl_ran_gamma(rng, 1.0 / task_share, generate->mean_s * task_share);

        for (uint32_t machine = 0; machine < machine_count; machine++) {
            times_s[machine] = gsl_ran_gamma(rng, 1.0 / machine_share, mean_s * machine_share);
        }
    }
    if (generate->consistency != MAP_INCONSISTENT) {
        sort_times(rows, times_s, generate->consistency == MAP_CONSISTENT ? 1 : 2);
    }
}

enum hs_err map_generate_etc(const struct map_generate *generate, struct map_etc *etc,
                             struct hs_error *error)
{
    uint64_t cell_count = (uint64_t)generate->task_count * generate->machine_count;
    struct map_rows *rows;

    *etc = (struct map_etc){.task_count = generate->task_count,
                            .machine_count = generate->machine_count};
    if (cell_count > MAP_CELLS_MAX) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%" PRIu32 " tasks on %" PRIu32
                            " machines are too many to be mapped at "
                            "once; %" PRIu64 " times are allowed. Map them in batches (--batch).",
                            generate->task_count, generate->machine_count, MAP_CELLS_MAX);
    }
    rows = map_rows_create(generate);
    etc->times_s = malloc(cell_count * sizeof *etc->times_s);
    if (!rows || !etc->times_s) {
        map_rows_destroy(rows);
        map_etc_fini(etc);
        return hs_error_memory(error);
    }
    for (uint32_t task = 0; task < generate->task_count; task++) {
        map_rows_draw(rows, task, &etc->times_s[(size_t)task * generate->machine_count]);
    }
    map_rows_destroy(rows);
    return HS_OK;
}
