/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parts.c - sums by job class and by model. */
#include "result/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/reader.h"

void parts_fini(struct parts *parts)
{
    free(parts->classes);
    free(parts->models);
    *parts = (struct parts){0};
}

static bool reserve(struct parts_sums **sums, size_t *room, size_t wanted)
{
    size_t more = *room ? *room : 16;
    struct parts_sums *moved;

    while (more < wanted) {
        more *= 2;
    }
    if (more == *room) {
        return true;
    }
    moved = realloc(*sums, more * sizeof *moved);
    if (!moved) {
        return false;
    }
    memset(moved + *room, 0, (more - *room) * sizeof *moved);
    *sums = moved;
    *room = more;
    return true;
}

static void add(struct parts_sums *sums, const struct result_job *job,
                const struct metrics_sample *sample, double bsld, hs_int128 cores,
                hs_int128 devices)
{
    sums->rejected += job->state == RESULT_REJECTED;
    if (!sample) {
        return;
    }
    sums->jobs++;
    sums->killed += job->state == RESULT_KILLED;
    sums->wait_ns += sample->wait_ns;
    sums->run_ns += sample->run_ns;
    sums->ref_ns += sample->ref_ns;
    sums->devices += devices;
    sums->cores += cores;
    sums->bsld += bsld;
    sums->energy_j += job->energy_j;
    if (job->run_ref_ns > 0) {
        sums->slowdown_ref += (double)sample->turnaround_ns / (double)job->run_ref_ns;
        sums->slowdowns++;
    }
}

bool parts_job(struct parts *parts, const struct result_job *job,
               const struct metrics_sample *sample, hs_int128 cores, hs_int128 devices)
{
    size_t class_index = (size_t)(job->job_class + 1);
    size_t model = (size_t)(job->model + 1);
    double values[QUANTITY_COUNT] = {0};

    if (!reserve(&parts->classes, &parts->class_room, class_index + 1) ||
        !reserve(&parts->models, &parts->model_room, model + 1)) {
        return false;
    }
    if (sample) {
        metrics_values(parts->tau_ns, sample, values);
    }
    add(&parts->classes[class_index], job, sample, values[QUANTITY_BSLD], cores, devices);
    if (job->state != RESULT_REJECTED) {
        add(&parts->models[model], job, sample, values[QUANTITY_BSLD], cores, devices);
    }
    return true;
}

static double mean(double sum, int64_t count)
{
    return count > 0 ? sum / (double)count : (double)NAN;
}

static struct result_part part_of(const struct parts_sums *sums, const char *name, bool has_energy)
{
    return (struct result_part){
        .name = name,
        .jobs = sums->jobs,
        .killed = sums->killed,
        .rejected = sums->rejected,
        .wait_s = mean((double)sums->wait_ns / 1e9, sums->jobs),
        .run_s = mean((double)sums->run_ns / 1e9, sums->jobs),
        .run_ref_s = mean((double)sums->ref_ns / 1e9, sums->jobs),
        .slowdown_ref = mean(sums->slowdown_ref, sums->slowdowns),
        .bsld = mean(sums->bsld, sums->jobs),
        .device_s = (double)sums->devices / HS_SHARES_PER_UNIT / 1e9,
        .core_s = (double)sums->cores / 1000 / 1e9,
        .energy_j = has_energy ? sums->energy_j : (double)NAN,
    };
}

/* A row for each name; behind them one for the jobs without, if there are any. NULL: no memory. */
static struct result_part *list(const struct parts_sums *sums, size_t room,
                                const char *const *names, size_t name_count, bool has_energy,
                                size_t *count)
{
    static const struct parts_sums none = {0};
    size_t size = (name_count + 1) * sizeof(struct result_part);
    size_t used = size;
    struct result_part *made;
    bool has_rest = room > 0 && (sums[0].jobs || sums[0].rejected);

    for (size_t i = 0; i < name_count; i++) {
        size += strlen(names[i]) + 1;
    }
    made = malloc(size);
    if (!made) {
        return NULL;
    }
    for (size_t i = 0; i < name_count; i++) {
        char *name = (char *)made + used; /* behind the rows */

        memcpy(name, names[i], strlen(names[i]) + 1);
        used += strlen(names[i]) + 1;
        made[i] = part_of(i + 1 < room ? &sums[i + 1] : &none, name, has_energy);
    }
    made[name_count] = part_of(has_rest ? &sums[0] : &none, "-", has_energy);
    *count = name_count + has_rest;
    return made;
}

enum hs_err parts_summarise(const struct parts *parts, const struct result_final *final,
                            bool has_energy, struct result_summary *summary, struct hs_error *error)
{
    double sum = 0;
    int64_t jobs = 0;
    struct result_metric *moved;

    summary->classes = list(parts->classes, parts->class_room, final->class_names,
                            final->class_count, has_energy, &summary->class_count);
    summary->models = list(parts->models, parts->model_room, final->model_names, final->model_count,
                           has_energy, &summary->model_count);
    moved = realloc(summary->metrics, (summary->metric_count + 1) * sizeof *moved);
    if (!summary->classes || !summary->models || !moved) {
        summary->metrics = moved ? moved : summary->metrics;
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < parts->class_room; i++) {
        sum += parts->classes[i].slowdown_ref;
        jobs += parts->classes[i].slowdowns;
    }
    summary->metrics = moved;
    moved[summary->metric_count++] = (struct result_metric){
        "slowdown_ref_mean", "1", "mean of turnaround / run time alone on the reference device",
        mean(sum, jobs), jobs};
    return HS_OK;
}

static bool write_part(hid_t file, const char *name, const struct result_part *list, size_t count)
{
    hid_t group = store_group(file, name);
    const char **names = calloc(count + 1, sizeof *names);
    int64_t *whole = calloc(count + 1, sizeof *whole);
    double *real = calloc(count + 1, sizeof *real);
    bool is_ok = group >= 0 && names && whole && real;

    for (size_t i = 0; is_ok && i < count; i++) {
        names[i] = list[i].name;
    }
    is_ok = is_ok && store_texts(group, "name", "name of the class or model", names, count);
    for (size_t k = 0; is_ok && k < RESULT_PART_COLUMNS; k++) {
        const struct result_part_column *column = &result_part_columns[k];

        for (size_t i = 0; i < count; i++) {
            real[i] = result_part_value(&list[i], column);
            whole[i] = column->column.type == RESULT_I64 ? (int64_t)real[i] : 0;
        }
        is_ok =
            store_values(group, &column->column,
                         column->column.type == RESULT_I64 ? (void *)whole : (void *)real, count);
    }
    is_ok = H5Gclose(group) >= 0 && is_ok;
    free(names);
    free(whole);
    free(real);
    return is_ok;
}

static bool write_names(hid_t dict, const char *name, const char *const *names, size_t count)
{
    hid_t group = store_group(dict, name);
    bool is_ok = group >= 0 && store_texts(group, "name", "by number", count ? names : NULL, count);

    return H5Gclose(group) >= 0 && is_ok;
}

bool parts_write(hid_t file, const struct result_final *final, const struct result_summary *summary)
{
    hid_t dict = store_group(file, "dict");
    bool is_ok = dict >= 0 && write_names(dict, "class", final->class_names, final->class_count) &&
                 write_names(dict, "model", final->model_names, final->model_count);

    is_ok = H5Gclose(dict) >= 0 && is_ok;
    return is_ok && write_part(file, "classes", summary->classes, summary->class_count) &&
           write_part(file, "models", summary->models, summary->model_count);
}

/* The rows of a group with room for names behind them; NULL: no memory. */
static struct result_part *with_names(const char *names, size_t count)
{
    size_t size = count * sizeof(struct result_part);
    size_t bytes = 0;
    struct result_part *made;

    for (size_t i = 0; i < count; i++) {
        bytes += strlen(names + bytes) + 1;
    }
    made = calloc(1, size + bytes + 1);
    if (!made) {
        return NULL;
    }
    memcpy((char *)made + size, names, bytes);
    for (size_t i = 0, at = size; i < count; i++) {
        made[i].name = (char *)made + at;
        at += strlen(made[i].name) + 1;
    }
    return made;
}

static enum hs_err read_column(struct result_reader *reader, const char *group,
                               const struct result_part_column *column, struct result_part *list,
                               size_t count, struct hs_error *error)
{
    bool is_whole = column->column.type == RESULT_I64;
    double *reals = NULL;
    int64_t *whole = NULL;
    size_t rows = 0;
    char path[64];
    enum hs_err code;

    (void)snprintf(path, sizeof path, "%s/%s", group, column->column.name);
    code = is_whole ? result_reader_column(reader, path, &whole, &rows, error)
                    : result_reader_reals(reader, path, &reals, &rows, error);
    if (code == HS_OK && rows != count) {
        code = hs_error_set(error, HS_ERR_INPUT,
                            "%s: /%s has %zu rows, not %zu. The file is damaged: run the "
                            "experiment again.",
                            result_reader_path(reader), path, rows, count);
    }
    for (size_t i = 0; code == HS_OK && i < count; i++) {
        char *field = (char *)&list[i] + column->offset;

        memcpy(field, is_whole ? (void *)&whole[i] : (void *)&reals[i], 8);
    }
    free(reals);
    free(whole);
    return code;
}

enum hs_err result_reader_parts(struct result_reader *reader, const char *group,
                                struct result_part **list, size_t *count, struct hs_error *error)
{
    char path[64];
    char *names = NULL;
    enum hs_err code;

    (void)snprintf(path, sizeof path, "%s/name", group);
    code = result_reader_texts(reader, path, &names, count, error);
    *list = code == HS_OK ? with_names(names, *count) : NULL;
    if (code == HS_OK && !*list) {
        code = hs_error_memory(error);
    }
    for (size_t k = 0; code == HS_OK && k < RESULT_PART_COLUMNS; k++) {
        code = read_column(reader, group, &result_part_columns[k], *list, *count, error);
    }
    free(names);
    if (code != HS_OK) {
        free(*list);
        *list = NULL;
    }
    return code;
}
