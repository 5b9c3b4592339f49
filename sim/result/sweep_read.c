/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_read.c - the merged file of a sweep into memory. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/sweep_internal.h"

#define NUMBER_ROOM 48 /* of a number as text, with its unit */

/* Everything that the caller sees lies in blocks, which are freed together. */
struct content {
    struct sweep_file file;
    void **blocks;
    size_t block_count, block_room;
};

/* The content takes the block over, also where it fails. NULL stays NULL. */
static void *keep(struct content *content, void *block)
{
    if (block && content->block_count == content->block_room) {
        size_t room = content->block_room ? 2 * content->block_room : 64;
        void **moved = realloc(content->blocks, room * sizeof *moved);

        if (!moved) {
            free(block);
            return NULL;
        }
        content->blocks = moved;
        content->block_room = room;
    }
    if (block) {
        content->blocks[content->block_count++] = block;
    }
    return block;
}

static void *allot(struct content *content, size_t count, size_t size)
{
    return keep(content, calloc(count + 1, size));
}

static enum hs_err read_text(struct content *content, struct load *load, const char *object,
                             const char *name, const char **text, struct hs_error *error)
{
    char *own = NULL;
    enum hs_err code = load_text(load, object, name, &own, error);

    *text = keep(content, own);
    return code == HS_OK && !*text ? hs_error_memory(error) : code;
}

/* A column of texts that is as long as the table. */
static enum hs_err read_texts(struct content *content, struct load *load, const char *path,
                              const char **texts, struct hs_error *error)
{
    char *block = NULL;
    size_t count = 0;
    enum hs_err code = load_texts(load, path, &block, &count, error);

    if (code != HS_OK) {
        return code;
    }
    block = keep(content, block);
    if (!block) {
        return hs_error_memory(error);
    }
    if (count != content->file.run_count) {
        return load_fail(load, path, error);
    }
    for (size_t i = 0; i < count; i++) {
        texts[i] = block;
        block += strlen(block) + 1;
    }
    return HS_OK;
}

/* A column of numbers of 8 bytes that is as long as the table. */
static enum hs_err read_numbers(struct content *content, struct load *load, const char *path,
                                hid_t type, void **numbers, struct hs_error *error)
{
    size_t count = 0;

    *numbers = load_column(load, path, type, &count);
    if (!*numbers) {
        return load_fail(load, path, error);
    }
    *numbers = keep(content, *numbers);
    if (!*numbers) {
        return hs_error_memory(error);
    }
    return count == content->file.run_count ? HS_OK : load_fail(load, path, error);
}

/* ---- /runs */

enum { TEXT_KEY, TEXT_SITUATION, TEXT_POLICY, TEXT_ERROR, TEXT_DIGEST, TEXT_COUNT };
enum { NUMBER_SEED, NUMBER_REPLICATE, NUMBER_JOBS, NUMBER_STATUS, NUMBER_STABILITY, NUMBER_COUNT };

static const char *const text_paths[TEXT_COUNT] = {"runs/key", "runs/situation", "runs/policy",
                                                   "runs/error", "runs/schedule_digest"};
static const char *const number_paths[NUMBER_COUNT] = {
    "runs/seed", "runs/replicate", "runs/job_count", "runs/status", "runs/stability"};

static bool fits(const char *text)
{
    return strlen(text) < SWEEP_KEY_SIZE;
}

/* A key is the name of a file: nothing that leads elsewhere. */
static bool is_key(const char *text)
{
    return fits(text) && *text && text[strspn(text, "0123456789abcdef")] == '\0';
}

static bool fill_run(struct sweep_run *run, const char *const texts[TEXT_COUNT],
                     const int64_t numbers[NUMBER_COUNT])
{
    if (!is_key(texts[TEXT_KEY]) || !fits(texts[TEXT_SITUATION]) || !fits(texts[TEXT_DIGEST]) ||
        numbers[NUMBER_STATUS] < 0 || numbers[NUMBER_STATUS] >= SWEEP_STATUS_COUNT ||
        numbers[NUMBER_STABILITY] < 0 || numbers[NUMBER_STABILITY] >= RESULT_STABILITY_COUNT) {
        return false;
    }
    (void)snprintf(run->row.key, SWEEP_KEY_SIZE, "%s", texts[TEXT_KEY]);
    (void)snprintf(run->row.situation, SWEEP_KEY_SIZE, "%s", texts[TEXT_SITUATION]);
    (void)snprintf(run->schedule_digest, SWEEP_KEY_SIZE, "%s", texts[TEXT_DIGEST]);
    run->row.policy = texts[TEXT_POLICY];
    run->error = texts[TEXT_ERROR];
    run->row.seed = (uint64_t)numbers[NUMBER_SEED];
    run->row.replicate = numbers[NUMBER_REPLICATE];
    run->job_count = numbers[NUMBER_JOBS];
    run->status = (enum sweep_status)numbers[NUMBER_STATUS];
    run->stability = (enum result_stability)numbers[NUMBER_STABILITY];
    return true;
}

static enum hs_err count_runs(struct content *content, struct load *load, struct hs_error *error)
{
    hid_t dataset = H5Dopen2(load->file, number_paths[0], H5P_DEFAULT);
    int64_t rows = dataset >= 0 ? load_rows(dataset) : -1;

    (void)H5Dclose(dataset);
    if (rows < 0) {
        return load_fail(load, number_paths[0], error);
    }
    content->file.run_count = (size_t)rows;
    return HS_OK;
}

static enum hs_err read_runs(struct content *content, struct load *load, struct hs_error *error)
{
    enum hs_err code = count_runs(content, load, error);
    size_t count = content->file.run_count;
    const char **texts = NULL;
    int64_t *numbers[NUMBER_COUNT] = {NULL};
    struct sweep_run *runs = NULL;

    /* The numbers come first: what they are read from tells that there are so many. */
    for (int i = 0; code == HS_OK && i < NUMBER_COUNT; i++) {
        void *column;

        code = read_numbers(content, load, number_paths[i], H5T_NATIVE_INT64, &column, error);
        numbers[i] = column;
    }
    if (code == HS_OK) {
        texts = allot(content, count, TEXT_COUNT * sizeof *texts);
        runs = allot(content, count, sizeof *runs);
        code = texts && runs ? HS_OK : hs_error_memory(error);
    }
    for (size_t i = 0; code == HS_OK && i < TEXT_COUNT; i++) {
        code = read_texts(content, load, text_paths[i], texts + i * count, error);
    }
    for (size_t i = 0; code == HS_OK && i < count; i++) {
        const char *own_texts[TEXT_COUNT];
        int64_t own_numbers[NUMBER_COUNT];

        for (size_t k = 0; k < TEXT_COUNT; k++) {
            own_texts[k] = texts[k * count + i];
        }
        for (int k = 0; k < NUMBER_COUNT; k++) {
            own_numbers[k] = numbers[k][i];
        }
        code = fill_run(&runs[i], own_texts, own_numbers) ? HS_OK : load_fail(load, "runs", error);
    }
    content->file.runs = runs;
    return code;
}

/* ---- columns of a group */

/* Only a group with an index of that order is asked: to sort the members of another one HDF5 1.10
 * reads them into a table, and where that fails it frees what was never read. */
static bool has_order(struct load *load, const char *group)
{
    hid_t object = H5Gopen2(load->file, group, H5P_DEFAULT);
    hid_t list = object >= 0 ? H5Gget_create_plist(object) : H5I_INVALID_HID;
    unsigned flags = 0;
    bool is_ok = list >= 0 && H5Pget_link_creation_order(list, &flags) >= 0 &&
                 (flags & H5P_CRT_ORDER_INDEXED) != 0;

    (void)H5Pclose(list);
    (void)H5Gclose(object);
    if (!is_ok && !load->cause.is_known) {
        load->cause = (struct store_cause){.is_known = true, .is_ours = true};
        (void)snprintf(load->cause.text, sizeof load->cause.text,
                       "it does not know the order of its columns");
    }
    return is_ok;
}

/* In the order in which they were made. NULL: failed. */
static const char **list_members(struct content *content, struct load *load, const char *group,
                                 size_t *count)
{
    H5G_info_t info = {0};
    const char **names;

    *count = 0;
    store_listen(&load->cause);
    if (H5Gget_info_by_name(load->file, group, &info, H5P_DEFAULT) < 0 || !has_order(load, group)) {
        return NULL;
    }
    names = info.nlinks < 1000000 ? allot(content, info.nlinks, sizeof *names) : NULL;
    for (hsize_t i = 0; names && i < info.nlinks; i++) {
        ssize_t length = H5Lget_name_by_idx(load->file, group, H5_INDEX_CRT_ORDER, H5_ITER_INC, i,
                                            NULL, 0, H5P_DEFAULT);
        char *name = length > 0 ? allot(content, (size_t)length, 1) : NULL;

        if (!name || H5Lget_name_by_idx(load->file, group, H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name,
                                        (size_t)length + 1, H5P_DEFAULT) < 0) {
            return NULL;
        }
        names[(*count)++] = name;
    }
    return names;
}

/* "GROUP/NAME"; NULL: no memory. */
static char *path_of(struct content *content, const char *group, const char *name)
{
    size_t size = strlen(group) + strlen(name) + 2;
    char *path = allot(content, size, 1);

    if (path) {
        (void)snprintf(path, size, "%s/%s", group, name);
    }
    return path;
}

/* ---- /params */

static void number_text(double number, const char *unit, char text[NUMBER_ROOM])
{
    (void)snprintf(text, NUMBER_ROOM, "%.15g", number);
    if (strtod(text, NULL) != number) {
        (void)snprintf(text, NUMBER_ROOM, "%.17g", number);
    }
    (void)snprintf(text + strlen(text), NUMBER_ROOM - strlen(text), "%.8s", unit);
}

static H5T_class_t class_of(const struct load *load, const char *path)
{
    hid_t dataset = H5Dopen2(load->file, path, H5P_DEFAULT);
    hid_t type = dataset >= 0 ? H5Dget_type(dataset) : H5I_INVALID_HID;
    H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;

    (void)H5Tclose(type);
    (void)H5Dclose(dataset);
    return class;
}

/* Values of one axis into the matrix: values[row * axes + axis]. */
static enum hs_err read_axis_texts(struct content *content, struct load *load, const char *path,
                                   size_t axis, struct sweep_value *values, struct hs_error *error)
{
    size_t count = content->file.run_count;
    size_t axes = content->file.axis_count;
    const char **texts = allot(content, count, sizeof *texts);
    enum hs_err code =
        texts ? read_texts(content, load, path, texts, error) : hs_error_memory(error);

    for (size_t i = 0; code == HS_OK && i < count; i++) {
        values[i * axes + axis] =
            (struct sweep_value){.text = *texts[i] ? texts[i] : NULL, .real = NAN};
    }
    return code;
}

static enum hs_err read_axis_numbers(struct content *content, struct load *load, const char *path,
                                     size_t axis, struct sweep_value *values,
                                     struct hs_error *error)
{
    const struct sweep_axis *own = &content->file.axes[axis];
    size_t count = content->file.run_count;
    size_t axes = content->file.axis_count;
    char(*texts)[NUMBER_ROOM] = NULL;
    void *numbers = NULL;
    enum hs_err code = read_numbers(content, load, path,
                                    own->type == SWEEP_INT ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE,
                                    &numbers, error);

    if (code == HS_OK) {
        texts = allot(content, count, sizeof *texts);
        code = texts ? HS_OK : hs_error_memory(error);
    }
    for (size_t i = 0; code == HS_OK && i < count; i++) {
        struct sweep_value value = {.real = NAN};
        bool is_set;

        if (own->type == SWEEP_INT) {
            value.integer = ((const int64_t *)numbers)[i];
            is_set = value.integer != SWEEP_INT_MISSING;
            value.real = is_set ? (double)value.integer : NAN;
        } else {
            value.real = ((const double *)numbers)[i];
            is_set = !isnan(value.real);
        }
        if (is_set && own->type == SWEEP_INT) {
            (void)snprintf(texts[i], NUMBER_ROOM, "%" PRId64 "%.8s", value.integer, own->unit);
        } else if (is_set) {
            number_text(value.real, own->unit, texts[i]);
        }
        value.text = is_set ? texts[i] : NULL;
        values[i * axes + axis] = value;
    }
    return code;
}

static enum hs_err read_axis(struct content *content, struct load *load, struct sweep_axis *axis,
                             size_t number, struct sweep_value *values, struct hs_error *error)
{
    const char *path = path_of(content, "params", axis->key);
    int64_t is_policy = 0;
    enum hs_err code = path ? HS_OK : hs_error_memory(error);
    H5T_class_t class;

    if (code == HS_OK) {
        code = read_text(content, load, path, "units", &axis->unit, error);
    }
    if (code == HS_OK) {
        code = read_text(content, load, path, "long_name", &axis->doc, error);
    }
    if (code == HS_OK) {
        code = load_number(load, path, "is_policy", H5T_NATIVE_INT64, &is_policy, error);
    }
    if (code != HS_OK) {
        return code;
    }
    class = class_of(load, path);
    axis->unit = strcmp(axis->unit, "1") == 0 ? "" : axis->unit;
    axis->is_policy = is_policy != 0;
    axis->type = class == H5T_STRING ? SWEEP_TEXT : class == H5T_INTEGER ? SWEEP_INT : SWEEP_REAL;
    return axis->type == SWEEP_TEXT ? read_axis_texts(content, load, path, number, values, error)
                                    : read_axis_numbers(content, load, path, number, values, error);
}

static enum hs_err read_params(struct content *content, struct load *load, struct hs_error *error)
{
    size_t runs = content->file.run_count;
    size_t count;
    const char **names = list_members(content, load, "params", &count);
    struct sweep_axis *axes = names ? allot(content, count, sizeof *axes) : NULL;
    struct sweep_value *values = names ? allot(content, count * runs, sizeof *values) : NULL;
    enum hs_err code = HS_OK;

    if (!names) {
        return load_fail(load, "params", error);
    }
    if (!axes || !values) {
        return hs_error_memory(error);
    }
    content->file.axes = axes;
    content->file.axis_count = count;
    for (size_t i = 0; code == HS_OK && i < count; i++) {
        axes[i].key = names[i];
        code = read_axis(content, load, &axes[i], i, values, error);
    }
    for (size_t i = 0; i < runs; i++) {
        /* Made here, seen as constant by the caller. */
        ((struct sweep_run *)(uintptr_t)content->file.runs)[i].row.values = values + i * count;
    }
    return code;
}

/* ---- /metrics */

static enum hs_err read_metrics(struct content *content, struct load *load, struct hs_error *error)
{
    size_t count;
    const char **names = list_members(content, load, "metrics", &count);
    struct sweep_metric *metrics = names ? allot(content, count, sizeof *metrics) : NULL;
    enum hs_err code = HS_OK;

    if (!names) {
        return load_fail(load, "metrics", error);
    }
    if (!metrics) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; code == HS_OK && i < count; i++) {
        const char *path = path_of(content, "metrics", names[i]);
        void *values = NULL;

        code = path ? read_text(content, load, path, "units", &metrics[i].unit, error)
                    : hs_error_memory(error);
        if (code == HS_OK) {
            code = read_text(content, load, path, "long_name", &metrics[i].doc, error);
        }
        if (code == HS_OK) {
            code = read_numbers(content, load, path, H5T_NATIVE_DOUBLE, &values, error);
        }
        metrics[i].name = names[i];
        metrics[i].values = values;
    }
    content->file.metrics = metrics;
    content->file.metric_count = count;
    return code;
}

/* ---- the whole */

static enum hs_err read_root(struct content *content, struct load *load, struct hs_error *error)
{
    struct sweep_file *file = &content->file;
    char *config = NULL;
    size_t count = 0;
    enum hs_err code = read_text(content, load, ".", "name", &file->name, error);

    if (code == HS_OK) {
        code = read_text(content, load, ".", "hsim_version", &file->version, error);
    }
    if (code == HS_OK) {
        code = load_texts(load, "provenance/config", &config, &count, error);
    }
    if (code == HS_OK) {
        file->config = keep(content, config);
        file->path = keep(content, strdup(load->path));
        code = file->config && file->path ? HS_OK : hs_error_memory(error);
    }
    return code;
}

enum hs_err sweep_file_read(const char *path, struct sweep_file **file, struct hs_error *error)
{
    struct content *content = calloc(1, sizeof *content);
    struct load load = {.file = H5I_INVALID_HID};
    enum hs_err code = content ? load_open(&load, path, error) : hs_error_memory(error);

    *file = content ? &content->file : NULL;
    if (code == HS_OK && !load.is_sweep) {
        code = hs_error_set(error, HS_ERR_INPUT,
                            "%s: this is the result of one run, and the merged file of a sweep is "
                            "due. Name DIR/sweep.h5, as `hsim sweep -o DIR` wrote it.",
                            path);
    }
    if (code == HS_OK) {
        code = read_root(content, &load, error);
    }
    if (code == HS_OK) {
        code = read_runs(content, &load, error);
    }
    if (code == HS_OK) {
        code = read_params(content, &load, error);
    }
    if (code == HS_OK) {
        code = read_metrics(content, &load, error);
    }
    load_close(&load);
    return code;
}

void sweep_file_destroy(struct sweep_file *file)
{
    struct content *content = (struct content *)file; /* its first member */

    if (!content) {
        return;
    }
    for (size_t i = 0; i < content->block_count; i++) {
        free(content->blocks[i]);
    }
    free(content->blocks);
    free(content);
}

const struct sweep_metric *sweep_file_metric(const struct sweep_file *file, const char *name)
{
    for (size_t i = 0; i < file->metric_count; i++) {
        if (strcmp(file->metrics[i].name, name) == 0) {
            return &file->metrics[i];
        }
    }
    return NULL;
}

char *sweep_run_path(const char *file, const char *key)
{
    const char *slash = strrchr(file, '/');
    size_t folder = slash ? (size_t)(slash - file) + 1 : 0;
    size_t size = folder + sizeof SWEEP_RUN_FILE + strlen(key);
    char *path = calloc(size, 1);

    if (path) {
        memcpy(path, file, folder);
        (void)snprintf(path + folder, size - folder, SWEEP_RUN_FILE, key);
    }
    return path;
}

char *sweep_file_run_path(const struct sweep_file *file, size_t run)
{
    return sweep_run_path(file->path, file->runs[run].row.key);
}

enum hs_err sweep_file_is_one(const char *path, bool *is_sweep, struct hs_error *error)
{
    struct load load = {.file = H5I_INVALID_HID};
    enum hs_err code = load_open(&load, path, error);

    *is_sweep = load.is_sweep;
    load_close(&load);
    return code;
}
