/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_write.c - the results of many runs into one file. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/outfile.h"
#include "result/sweep_internal.h"

const char *const sweep_status_names[SWEEP_STATUS_COUNT] = {"complete", "failed"};

/* A column of /metrics. */
struct column {
    char *name, *unit, *doc;
    double *values; /* by row */
};

struct merge {
    const struct sweep_source *source;
    struct column *columns;
    size_t column_count, column_room;
    size_t *places; /* columns of the metrics of the last run */
    char *names;    /* theirs, as they lie in the file */
    size_t name_count, names_size;
    int64_t *job_counts; /* by row */
    char (*digests)[SWEEP_KEY_SIZE];
    int8_t *stabilities;
};

/* ---- reading the runs */

static enum hs_err add_column(struct merge *merge, const char *name, const char *unit,
                              const char *doc, struct hs_error *error)
{
    size_t rows = merge->source->row_count;
    struct column *column;

    if (merge->column_count == merge->column_room) {
        size_t room = merge->column_room ? 2 * merge->column_room : 128;
        struct column *moved = realloc(merge->columns, room * sizeof *moved);

        if (!moved) {
            return hs_error_memory(error);
        }
        merge->columns = moved;
        merge->column_room = room;
    }
    column = &merge->columns[merge->column_count++];
    *column = (struct column){strdup(name), strdup(unit), strdup(doc),
                              malloc((rows + 1) * sizeof(double))};
    if (!column->name || !column->unit || !column->doc || !column->values) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < rows; i++) {
        column->values[i] = NAN;
    }
    return HS_OK;
}

static size_t find_column(const struct merge *merge, const char *name)
{
    size_t i = 0;

    while (i < merge->column_count && strcmp(merge->columns[i].name, name) != 0) {
        i++;
    }
    return i;
}

/* Where the metrics of this name list go; new ones become columns. */
static enum hs_err place_names(struct merge *merge, struct load *load, size_t count,
                               struct hs_error *error)
{
    char *units = NULL;
    char *docs = NULL;
    size_t unit_count = 0;
    size_t doc_count = 0;
    size_t *places = realloc(merge->places, (count + 1) * sizeof *places);
    enum hs_err code = places ? HS_OK : hs_error_memory(error);
    const char *name = merge->names;
    const char *unit, *doc;

    merge->places = places ? places : merge->places;
    if (code == HS_OK) {
        code = load_texts(load, "summary/unit", &units, &unit_count, error);
    }
    if (code == HS_OK) {
        code = load_texts(load, "summary/doc", &docs, &doc_count, error);
    }
    if (code == HS_OK && (unit_count != count || doc_count != count)) {
        code = load_fail(load, "summary", error);
    }
    unit = units;
    doc = docs;
    for (size_t i = 0; code == HS_OK && i < count; i++) {
        merge->places[i] = find_column(merge, name);
        if (merge->places[i] == merge->column_count) {
            code = add_column(merge, name, unit, doc, error);
        }
        name += strlen(name) + 1;
        unit += strlen(unit) + 1;
        doc += strlen(doc) + 1;
    }
    free(units);
    free(docs);
    return code;
}

static size_t size_of(const char *texts, size_t count)
{
    const char *end = texts;

    for (size_t i = 0; i < count; i++) {
        end += strlen(end) + 1;
    }
    return (size_t)(end - texts);
}

/* Most runs of a sweep have the same metrics: their names are compared in one go. */
static enum hs_err read_summary(struct merge *merge, struct load *load, size_t row,
                                struct hs_error *error)
{
    char *names = NULL;
    size_t count = 0;
    size_t value_count = 0;
    double *values = NULL;
    enum hs_err code = load_texts(load, "summary/name", &names, &count, error);
    size_t size = code == HS_OK ? size_of(names, count) : 0;
    bool is_known = code == HS_OK && merge->names && count == merge->name_count &&
                    size == merge->names_size && memcmp(names, merge->names, size) == 0;

    if (code == HS_OK && !is_known) {
        free(merge->names);
        merge->names = names;
        merge->name_count = count;
        merge->names_size = size;
        names = NULL;
        code = place_names(merge, load, count, error);
    }
    if (code == HS_OK) {
        values = load_column(load, "summary/value", H5T_NATIVE_DOUBLE, &value_count);
        code = values && value_count == count ? HS_OK : load_fail(load, "summary", error);
    }
    for (size_t i = 0; code == HS_OK && i < count; i++) {
        merge->columns[merge->places[i]].values[row] = values[i];
    }
    free(values);
    free(names);
    return code;
}

static enum hs_err fail_kind(const struct load *load, struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s: the result of a run is due here, and this is the merged file of a "
                        "sweep. Move it away and call `hsim sweep` again.",
                        load->path);
}

static enum hs_err fail_status(const struct load *load, const char *status, struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s: this run is '%s', and a sweep merges complete runs. Delete the file "
                        "and call `hsim sweep` again, which computes it anew.",
                        load->path, status);
}

/* A file that was renamed or copied would give a run the metrics of another. */
static enum hs_err check_key(struct load *load, const char *due, struct hs_error *error)
{
    char *key = NULL;
    enum hs_err code = load_text(load, ".", "run_key", &key, error);

    if (code == HS_OK && strcmp(key, due) != 0) {
        code =
            hs_error_set(error, HS_ERR_INPUT,
                         "%s: the result of run %s is due here, and this is that of run '%.40s'. "
                         "Bring the file back, or delete it, and call `hsim sweep` again.",
                         load->path, due, key);
    }
    free(key);
    return code;
}

/* Attributes of the run, and how many jobs it has. */
static enum hs_err read_attributes(struct merge *merge, struct load *load, size_t row,
                                   struct hs_error *error)
{
    char *status = NULL;
    char *digest = NULL;
    hid_t jobs;
    enum hs_err code =
        load->is_sweep ? fail_kind(load, error) : load_text(load, ".", "status", &status, error);

    if (code == HS_OK && strcmp(status, "complete") != 0) {
        code = fail_status(load, status, error);
    }
    if (code == HS_OK) {
        code = check_key(load, merge->source->rows[row].key, error);
    }
    if (code == HS_OK) {
        code = load_text(load, ".", "schedule_digest", &digest, error);
    }
    if (code == HS_OK) {
        (void)snprintf(merge->digests[row], SWEEP_KEY_SIZE, "%s", digest);
        jobs = H5Dopen2(load->file, "jobs/id", H5P_DEFAULT);
        merge->job_counts[row] = jobs >= 0 ? load_rows(jobs) : -1;
        (void)H5Dclose(jobs);
        code = merge->job_counts[row] >= 0 ? HS_OK : load_fail(load, "jobs", error);
    }
    free(digest);
    free(status);
    return code;
}

static const double *values_of(const struct merge *merge, const char *name)
{
    size_t i = find_column(merge, name);

    return i < merge->column_count ? merge->columns[i].values : NULL;
}

/* What result_stability_of says of each run. */
static void judge_stability(struct merge *merge)
{
    const double *early = values_of(merge, RESULT_BACKLOG_EARLY);
    const double *least = values_of(merge, RESULT_BACKLOG_LATE);
    const double *held = values_of(merge, RESULT_HELD_LATE);

    for (size_t i = 0; early && least && held && i < merge->source->row_count; i++) {
        if (!merge->source->errors[i]) {
            merge->stabilities[i] = result_stability_grows(early[i], least[i], held[i])
                                        ? RESULT_UNSTABLE
                                        : RESULT_STABLE;
        }
    }
}

static enum hs_err read_run(struct merge *merge, size_t row, struct hs_error *error)
{
    const struct sweep_source *source = merge->source;
    char *path = sweep_run_path(source->path, source->rows[row].key);
    struct load load = {.file = H5I_INVALID_HID};
    enum hs_err code = path ? load_open(&load, path, error) : hs_error_memory(error);

    if (code == HS_OK) {
        code = read_attributes(merge, &load, row, error);
    }
    if (code == HS_OK) {
        code = read_summary(merge, &load, row, error);
    }
    load_close(&load);
    free(path);
    return code;
}

/* ---- writing */

static bool write_root(hid_t file, const struct sweep_source *source)
{
    hid_t provenance = store_group(file, "provenance");
    bool is_ok = provenance >= 0 && store_attr_int(file, "hsim_schema", SWEEP_SCHEMA_VERSION) &&
                 store_attr_text(file, "hsim_kind", "sweep") &&
                 store_attr_text(file, "hsim_version", HSIM_VERSION) &&
                 store_attr_text(file, "name", source->name ? source->name : "") &&
                 store_text(provenance, "config", source->config ? source->config : "");

    return H5Gclose(provenance) >= 0 && is_ok;
}

static bool write_run_texts(const struct merge *merge, hid_t group, const char **texts)
{
    const struct sweep_source *source = merge->source;
    size_t count = source->row_count;
    bool is_ok;

    for (size_t i = 0; i < count; i++) {
        texts[i] = source->rows[i].key;
    }
    is_ok = store_texts(group, "key", "key of the run, the name of its file", texts, count);
    for (size_t i = 0; i < count; i++) {
        texts[i] = source->rows[i].situation;
    }
    is_ok = is_ok && store_texts(group, "situation",
                                 "equal for runs that differ in the policy "
                                 "alone",
                                 texts, count);
    for (size_t i = 0; i < count; i++) {
        texts[i] = source->rows[i].policy;
    }
    is_ok = is_ok && store_packed_texts(group, "policy", "label of the policy", texts, count);
    for (size_t i = 0; i < count; i++) {
        texts[i] = source->errors[i] ? source->errors[i] : "";
    }
    is_ok = is_ok && store_packed_texts(group, "error", "why the run failed", texts, count);
    for (size_t i = 0; i < count; i++) {
        texts[i] = merge->digests[i];
    }
    return is_ok &&
           store_texts(group, "schedule_digest",
                       "XXH3-128 of the schedule, as in the file of the run", texts, count);
}

static bool write_run_numbers(const struct merge *merge, hid_t group, int64_t *numbers,
                              int8_t *states)
{
    static const struct result_column seed = {"seed", "1", "seed of the run", RESULT_I64};
    static const struct result_column replicate = {"replicate", "1",
                                                   "number of the replication, from 0", RESULT_I64};
    static const struct result_column jobs = {"job_count", "job", "jobs of the run; -1: it failed",
                                              RESULT_I64};
    const struct sweep_source *source = merge->source;
    size_t count = source->row_count;
    bool is_ok;

    for (size_t i = 0; i < count; i++) {
        numbers[i] = (int64_t)source->rows[i].seed;
        states[i] = source->errors[i] ? SWEEP_FAILED : SWEEP_COMPLETE;
    }
    is_ok = store_values(group, &seed, numbers, count);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = source->rows[i].replicate;
    }
    return is_ok && store_values(group, &replicate, numbers, count) &&
           store_values(group, &jobs, merge->job_counts, count) &&
           store_enum(group, "status", "what became of the run", sweep_status_names,
                      SWEEP_STATUS_COUNT, states, count) &&
           store_enum(group, "stability",
                      "whether the backlog grows through the window of arrivals; unknown: the run "
                      "failed",
                      result_stability_names, RESULT_STABILITY_COUNT, merge->stabilities, count);
}

static bool write_runs(const struct merge *merge, hid_t file)
{
    size_t count = merge->source->row_count;
    hid_t group = store_group(file, "runs");
    const char **texts = calloc(count + 1, sizeof *texts);
    int64_t *numbers = calloc(count + 1, sizeof *numbers);
    int8_t *states = calloc(count + 1, sizeof *states);
    bool is_ok = group >= 0 && texts && numbers && states && write_run_texts(merge, group, texts) &&
                 write_run_numbers(merge, group, numbers, states);

    is_ok = H5Gclose(group) >= 0 && is_ok;
    free(states);
    free(numbers);
    free(texts);
    return is_ok;
}

/* The column of an axis: `room` has 8 bytes a row. */
static bool write_axis(const struct sweep_source *source, hid_t group, size_t axis, void *room)
{
    const struct sweep_axis *own = &source->axes[axis];
    struct result_column column = {own->key, *own->unit ? own->unit : "1", own->doc,
                                   own->type == SWEEP_INT ? RESULT_I64 : RESULT_F64};
    const char **texts = room;
    int64_t *integers = room;
    double *reals = room;
    hid_t dataset;
    bool is_ok;

    for (size_t i = 0; i < source->row_count; i++) {
        const struct sweep_value *value = &source->rows[i].values[axis];

        if (own->type == SWEEP_TEXT) {
            texts[i] = value->text ? value->text : "";
        } else if (own->type == SWEEP_INT) {
            integers[i] = value->text ? value->integer : SWEEP_INT_MISSING;
        } else {
            reals[i] = value->text ? value->real : NAN;
        }
    }
    is_ok = own->type == SWEEP_TEXT
                ? store_packed_texts(group, own->key, own->doc, texts, source->row_count)
                : store_values(group, &column, room, source->row_count);
    dataset = is_ok ? H5Dopen2(group, own->key, H5P_DEFAULT) : H5I_INVALID_HID;
    is_ok = dataset >= 0 && store_attr_int(dataset, "is_policy", own->is_policy) &&
            (own->type != SWEEP_INT || store_attr_int(dataset, "missing", SWEEP_INT_MISSING));
    return H5Dclose(dataset) >= 0 && is_ok;
}

static bool write_params(const struct sweep_source *source, hid_t file)
{
    hid_t group = store_ordered_group(file, "params");
    void *room = calloc(source->row_count + 1, 8);
    bool is_ok = group >= 0 && room;

    for (size_t i = 0; is_ok && i < source->axis_count; i++) {
        is_ok = write_axis(source, group, i, room);
    }
    is_ok = H5Gclose(group) >= 0 && is_ok;
    free(room);
    return is_ok;
}

static bool write_metrics(const struct merge *merge, hid_t file)
{
    hid_t group = store_ordered_group(file, "metrics");
    bool is_ok = group >= 0;

    for (size_t i = 0; is_ok && i < merge->column_count; i++) {
        const struct column *own = &merge->columns[i];
        struct result_column column = {own->name, own->unit, own->doc, RESULT_F64};

        is_ok = store_values(group, &column, own->values, merge->source->row_count);
    }
    return H5Gclose(group) >= 0 && is_ok;
}

static bool write_links(const struct sweep_source *source, hid_t file)
{
    hid_t group = store_group(file, "raw");
    bool is_ok = group >= 0;

    for (size_t i = 0; is_ok && i < source->row_count; i++) {
        const char *key = source->rows[i].key;
        char target[sizeof SWEEP_RUN_FILE + SWEEP_KEY_SIZE];

        if (source->errors[i] || H5Lexists(group, key, H5P_DEFAULT) > 0) {
            continue;
        }
        (void)snprintf(target, sizeof target, SWEEP_RUN_FILE, key);
        is_ok = H5Lcreate_external(target, "/", group, key, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    }
    return H5Gclose(group) >= 0 && is_ok;
}

static enum hs_err write_file(const struct merge *merge, struct hs_error *error)
{
    struct outfile outfile = {0};
    struct store_cause cause = {0};
    enum hs_err code = outfile_init(&outfile, merge->source->path, true, error);
    hid_t file = H5I_INVALID_HID;

    if (code == HS_OK) {
        bool is_ok;

        store_listen(&cause);
        file = store_create(outfile.part_path, true);
        is_ok = file >= 0 && write_root(file, merge->source) && write_runs(merge, file) &&
                write_params(merge->source, file) && write_metrics(merge, file) &&
                write_links(merge->source, file) && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
        if (!is_ok && file >= 0) {
            store_discard(file);
        }
        is_ok = (file < 0 || H5Fclose(file) >= 0) && is_ok;
        store_silence();
        code = is_ok ? outfile_complete(&outfile, error)
                     : store_error(&cause, merge->source->path, "writing", error);
    }
    if (code != HS_OK) {
        outfile_remove(&outfile);
    }
    outfile_fini(&outfile);
    return code;
}

static enum hs_err merge_init(struct merge *merge, struct hs_error *error)
{
    size_t count = merge->source->row_count;

    merge->job_counts = calloc(count + 1, sizeof *merge->job_counts);
    merge->digests = calloc(count + 1, sizeof *merge->digests);
    merge->stabilities = calloc(count + 1, sizeof *merge->stabilities);
    if (!merge->job_counts || !merge->digests || !merge->stabilities) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        merge->job_counts[i] = -1;
        merge->stabilities[i] = RESULT_STABILITY_UNKNOWN;
    }
    return HS_OK;
}

static void merge_fini(struct merge *merge)
{
    for (size_t i = 0; i < merge->column_count; i++) {
        free(merge->columns[i].name);
        free(merge->columns[i].unit);
        free(merge->columns[i].doc);
        free(merge->columns[i].values);
    }
    free(merge->columns);
    free(merge->places);
    free(merge->names);
    free(merge->job_counts);
    free(merge->digests);
    free(merge->stabilities);
}

enum hs_err sweep_file_write(const struct sweep_source *source, struct hs_error *error)
{
    struct merge merge = {.source = source};
    enum hs_err code = merge_init(&merge, error);

    for (size_t i = 0; code == HS_OK && i < source->row_count; i++) {
        code = source->errors[i] ? HS_OK : read_run(&merge, i, error);
    }
    if (code == HS_OK) {
        judge_stability(&merge);
        code = write_file(&merge, error);
    }
    merge_fini(&merge);
    return code;
}
