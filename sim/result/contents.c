/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contents.c - walking over the groups of a file. */
#include "result/contents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/load.h"

#define DEPTH_MAX      8 /* of groups; hsim nests them three deep */
#define NAME_MAX_BYTES 256
#define PATH_MAX_BYTES (DEPTH_MAX * NAME_MAX_BYTES)
#define WORDS_MAX      65536

/* Memory that lives as long as the contents. */
struct block {
    struct block *next;
    _Alignas(max_align_t) char bytes[];
};

struct contents_private {
    struct contents open; /* what the caller sees */
    struct load load;
    struct block *blocks;
    size_t table_space, attribute_space, text_space;
};

static void *take(struct contents_private *self, size_t size)
{
    struct block *block = calloc(1, sizeof *block + size);

    if (!block) {
        return NULL;
    }
    block->next = self->blocks;
    self->blocks = block;
    return block->bytes;
}

static const char *take_text(struct contents_private *self, const char *text, size_t length)
{
    char *copy = take(self, length + 1);

    return copy ? memcpy(copy, text, length) : NULL;
}

/* The array with room for one more element, or NULL and the array as it was. */
static void *grow(void *items, size_t count, size_t *space, size_t size)
{
    size_t wanted = *space ? 2 * *space : 16;

    if (count < *space) {
        return items;
    }
    items = realloc(items, wanted * size);
    *space = items ? wanted : *space;
    return items;
}

/* Is it one value? An array would be read beyond the room for one. */
static bool is_single(hid_t attribute)
{
    hid_t space = H5Aget_space(attribute);
    bool is_one = H5Sget_simple_extent_npoints(space) == 1;

    (void)H5Sclose(space);
    return is_one;
}

/* The value of an attribute that is a text; NULL: it is none, or no memory. */
static const char *attribute_text(struct contents_private *self, hid_t attribute)
{
    hid_t type = H5Aget_type(attribute);
    size_t size = H5Tget_size(type);
    char *text = NULL;

    if (is_single(attribute) && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
        text = take(self, size + 1);
        text = text && H5Aread(attribute, type, text) >= 0 ? text : NULL;
    } else if (!self->load.cause.is_known) {
        self->load.cause = (struct store_cause){.is_known = true, .is_ours = true};
        (void)snprintf(self->load.cause.text, sizeof self->load.cause.text,
                       "an attribute of it is no single text");
    }
    (void)H5Tclose(type);
    return text;
}

/* The same by its name; "" if there is none. */
static const char *text_of(struct contents_private *self, hid_t object, const char *name)
{
    hid_t attribute;
    const char *text;

    if (H5Aexists(object, name) <= 0) {
        return "";
    }
    attribute = H5Aopen(object, name, H5P_DEFAULT);
    text = attribute >= 0 ? attribute_text(self, attribute) : NULL;
    (void)H5Aclose(attribute);
    return text;
}

static bool read_attribute(struct contents_private *self, hid_t attribute,
                           struct contents_attribute *item)
{
    hid_t type = H5Aget_type(attribute);
    bool is_ok = is_single(attribute);
    H5T_class_t class = H5Tget_class(type);

    (void)H5Tclose(type);
    if (is_ok && class == H5T_STRING) {
        item->type = CONTENTS_TEXT;
        item->text = attribute_text(self, attribute);
        return item->text != NULL;
    }
    if (is_ok && class == H5T_FLOAT) {
        item->type = CONTENTS_REAL;
        return H5Aread(attribute, H5T_NATIVE_DOUBLE, &item->real) >= 0;
    }
    item->type = CONTENTS_INT;
    return is_ok && class == H5T_INTEGER &&
           H5Aread(attribute, H5T_NATIVE_INT64, &item->integer) >= 0;
}

/* Attributes and links are taken in HDF5's own order and sorted here: asked for a sorted one, HDF5
 * first fills a table of them, and frees what it has not filled where a file is damaged. */
struct names {
    struct contents_private *self;
    struct name {
        const char *text;
        int64_t order; /* of creation, if that is kept; else 0 */
        bool is_here;  /* a link within the file */
    } * list;
    size_t count, space;
};

static bool add_name(struct names *names, const char *text, int64_t order, bool is_here)
{
    const char *copy = take_text(names->self, text, strlen(text));
    struct name *list = grow(names->list, names->count, &names->space, sizeof *list);

    names->list = list ? list : names->list;
    if (!copy || !list) {
        return false;
    }
    list[names->count++] = (struct name){copy, order, is_here};
    return true;
}

static herr_t visit_attribute(hid_t group, const char *name, const H5A_info_t *info, void *context)
{
    (void)group;
    (void)info;
    return add_name(context, name, 0, true) ? 0 : -1;
}

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    (void)group;
    return add_name(context, name, info->corder_valid ? info->corder : 0,
                    info->type == H5L_TYPE_HARD)
               ? 0
               : -1;
}

static int compare_names(const void *a, const void *b)
{
    const struct name *x = a;
    const struct name *y = b;

    return x->order != y->order ? (x->order < y->order ? -1 : 1) : strcmp(x->text, y->text);
}

static enum hs_err add_attribute(struct contents_private *self, hid_t group, const char *path,
                                 const char *name, struct hs_error *error)
{
    struct contents *open = &self->open;
    struct contents_attribute item = {.object = path, .name = name};
    struct contents_attribute *items =
        grow(open->attributes, open->attribute_count, &self->attribute_space, sizeof item);
    hid_t attribute;
    bool is_ok;

    if (!items) {
        return hs_error_memory(error);
    }
    open->attributes = items;
    attribute = H5Aopen(group, name, H5P_DEFAULT);
    is_ok = attribute >= 0 && read_attribute(self, attribute, &item);
    (void)H5Aclose(attribute);
    if (!is_ok) {
        return load_fail(&self->load, name, error);
    }
    open->attributes[open->attribute_count++] = item;
    return HS_OK;
}

static enum hs_err add_attributes(struct contents_private *self, hid_t group, const char *path,
                                  struct hs_error *error)
{
    struct names names = {.self = self};
    hsize_t start = 0;
    enum hs_err code = HS_OK;

    if (H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_NATIVE, &start, visit_attribute, &names) < 0) {
        code = load_fail(&self->load, *path ? path : "/", error);
    } else if (names.count > 0) {
        qsort(names.list, names.count, sizeof *names.list, compare_names);
    }
    for (size_t i = 0; code == HS_OK && i < names.count; i++) {
        code = add_attribute(self, group, path, names.list[i].text, error);
    }
    free(names.list);
    return code;
}

/* The names of an enumeration, by value. */
static bool read_words(struct contents_private *self, hid_t type, struct contents_column *column)
{
    int count = H5Tget_nmembers(type);
    const char **words = count > 0 ? take(self, (size_t)count * sizeof *words) : NULL;

    for (int i = 0; words && i < count; i++) {
        char *name = H5Tget_member_name(type, (unsigned)i);
        int8_t value = -1;

        if (name && H5Tget_size(type) == 1 && H5Tget_member_value(type, (unsigned)i, &value) >= 0 &&
            value >= 0 && value < count) {
            words[value] = take_text(self, name, strlen(name));
        }
        (void)H5free_memory(name);
        if (value < 0 || value >= count || !words[value]) {
            return false;
        }
    }
    if (!words) {
        return false;
    }
    column->words = words;
    column->word_count = (size_t)count;
    column->is_byte = true;
    column->type = count == 2 && strcmp(words[0], "FALSE") == 0 && strcmp(words[1], "TRUE") == 0
                       ? CONTENTS_BOOL
                       : CONTENTS_WORD;
    return true;
}

static bool describe_column(struct contents_private *self, hid_t dataset,
                            struct contents_column *column)
{
    hid_t type = H5Dget_type(dataset);
    bool is_ok = type >= 0;

    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        column->type = CONTENTS_INT;
        break;
    case H5T_FLOAT:
        column->type = CONTENTS_REAL;
        break;
    case H5T_STRING:
        column->type = CONTENTS_TEXT;
        column->text_size = H5Tget_size(type) + 1;
        is_ok = H5Tis_variable_str(type) == 0;
        break;
    case H5T_ENUM:
        is_ok = read_words(self, type, column);
        break;
    default:
        is_ok = false;
    }
    (void)H5Tclose(type);
    column->has_missing = H5Aexists(dataset, "missing") > 0 && column->type == CONTENTS_INT &&
                          load_number(&self->load, column->path, "missing", H5T_NATIVE_INT64,
                                      &column->missing, NULL) == HS_OK;
    column->unit = text_of(self, dataset, "units");
    column->doc = text_of(self, dataset, "long_name");
    return is_ok && column->unit && column->doc;
}

static enum hs_err add_text(struct contents_private *self, hid_t dataset, const char *path,
                            struct hs_error *error)
{
    struct contents *open = &self->open;
    struct contents_text *texts;
    hid_t type = H5Dget_type(dataset);
    size_t size = H5Tget_size(type);
    bool is_ok = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    char *text = is_ok ? take(self, size + 1) : NULL;

    is_ok = text && store_is_sound(dataset, 0, 1, &self->load.cause) &&
            H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    (void)H5Tclose(type);
    if (!is_ok) {
        return load_fail(&self->load, path, error);
    }
    texts = grow(open->texts, open->text_count, &self->text_space, sizeof *texts);
    if (!texts) {
        return hs_error_memory(error);
    }
    open->texts = texts;
    open->texts[open->text_count++] = (struct contents_text){path, text};
    return HS_OK;
}

/* A dataset in a group: a text, or one more column of the table that the group is. */
static enum hs_err add_dataset(struct contents_private *self, hid_t dataset, const char *path,
                               const char *name, struct contents_table *table, size_t *space,
                               struct hs_error *error)
{
    struct contents_column column = {.name = name, .path = path};
    struct contents_column *columns;
    hid_t shape = H5Dget_space(dataset);
    int dimensions = H5Sget_simple_extent_ndims(shape);
    hsize_t rows = 0;

    if (dimensions == 1) {
        (void)H5Sget_simple_extent_dims(shape, &rows, NULL);
    }
    (void)H5Sclose(shape);
    if (dimensions == 0) {
        return add_text(self, dataset, path, error);
    }
    if (dimensions != 1 || !describe_column(self, dataset, &column)) {
        return load_fail(&self->load, path, error);
    }
    if (table->column_count > 0 && (int64_t)rows != table->rows) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: the columns of \"%s\" are of different length. The file is "
                            "damaged: run the experiment again.",
                            self->load.path, table->path);
    }
    table->rows = (int64_t)rows;
    columns = grow(table->columns, table->column_count, space, sizeof column);
    if (!columns) {
        return hs_error_memory(error);
    }
    table->columns = columns;
    table->columns[table->column_count++] = column;
    return HS_OK;
}

static enum hs_err add_group(struct contents_private *self, hid_t group, const char *path,
                             int depth, struct hs_error *error);

/* What a name in a group leads to, if it lies in this file. */
static enum hs_err add_link(struct contents_private *self, hid_t group, const char *path,
                            const char *name, int depth, struct contents_table *table,
                            size_t *space, struct hs_error *error)
{
    char whole[PATH_MAX_BYTES + NAME_MAX_BYTES];
    const char *kept;
    enum hs_err code = HS_OK;
    hid_t object;

    (void)snprintf(whole, sizeof whole, "%s%s%s", path, *path ? "/" : "", name);
    kept = take_text(self, whole, strlen(whole));
    if (!kept) {
        return hs_error_memory(error);
    }
    object = H5Oopen(group, name, H5P_DEFAULT);
    if (object >= 0 && H5Iget_type(object) == H5I_GROUP && depth < DEPTH_MAX) {
        code = add_group(self, object, kept, depth + 1, error);
    } else if (object >= 0 && H5Iget_type(object) == H5I_DATASET) {
        const char *last = strrchr(kept, '/');

        code = add_dataset(self, object, kept, last ? last + 1 : kept, table, space, error);
    } else {
        code = load_fail(&self->load, kept, error);
    }
    (void)H5Oclose(object);
    return code;
}

static enum hs_err add_group(struct contents_private *self, hid_t group, const char *path,
                             int depth, struct hs_error *error)
{
    struct contents *open = &self->open;
    struct contents_table table = {.path = path};
    struct names names = {.self = self};
    enum hs_err code = add_attributes(self, group, path, error);
    size_t space = 0;

    if (code == HS_OK &&
        H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, visit_link, &names) < 0) {
        code = load_fail(&self->load, *path ? path : "/", error);
    } else if (code == HS_OK && names.count > 0) {
        qsort(names.list, names.count, sizeof *names.list, compare_names);
    }
    for (size_t i = 0; code == HS_OK && i < names.count; i++) {
        if (names.list[i].is_here) {
            code = add_link(self, group, path, names.list[i].text, depth, &table, &space, error);
        }
    }
    free(names.list);
    if (code == HS_OK && table.column_count > 0) {
        struct contents_table *tables =
            grow(open->tables, open->table_count, &self->table_space, sizeof table);

        if (tables) {
            open->tables = tables;
            open->tables[open->table_count++] = table;
            return HS_OK;
        }
        code = hs_error_memory(error);
    }
    free(table.columns);
    return code;
}

/* Puts the columns that the schema knows into its order, before the others. */
static void sort_columns(const struct contents_table *table, const struct result_table *schema)
{
    size_t at = 0;

    for (size_t i = 0; i < schema->column_count; i++) {
        for (size_t k = at; schema->columns[i].name && k < table->column_count; k++) {
            if (strcmp(table->columns[k].name, schema->columns[i].name) == 0) {
                struct contents_column column = table->columns[k];

                memmove(&table->columns[at + 1], &table->columns[at], (k - at) * sizeof column);
                table->columns[at++] = column;
                break;
            }
        }
    }
}

static void sort_tables(const struct contents *open)
{
    static const struct result_column about[] = {
        {.name = "id"},   {.name = "node"},  {.name = "name"},
        {.name = "kind"}, {.name = "model"}, {.name = "value"},
    };
    static const struct result_table usual = {NULL, about, sizeof about / sizeof about[0]};
    static const struct result_jobs_more all = {true, true, true, true};
    struct result_jobs_schema jobs;
    const struct result_table *const known[] = {
        &jobs.table,          &result_attempts_table, &result_device_attempts_table,
        &result_series_table, &result_arrivals_table, &result_inflation_table,
    };

    result_jobs_describe(&all, &jobs);
    for (size_t i = 0; i < open->table_count; i++) {
        const struct result_table *schema = strncmp(open->tables[i].path, "platform/", 9) == 0 ||
                                                    strcmp(open->tables[i].path, "summary") == 0
                                                ? &usual
                                                : NULL;

        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
            schema = strcmp(open->tables[i].path, known[k]->name) == 0 ? known[k] : schema;
        }
        if (schema) {
            sort_columns(&open->tables[i], schema);
        }
    }
}

/* Numbers of classes and models stand for the words in /dict. */
static enum hs_err join_dictionary(struct contents_private *self, struct contents_column *column,
                                   const struct contents_table *dictionary, struct hs_error *error)
{
    const struct contents_column *names = &dictionary->columns[0];
    size_t count = (size_t)dictionary->rows;
    char *texts;
    const char **words;
    enum hs_err code;

    if (dictionary->column_count != 1 || names->type != CONTENTS_TEXT || count > WORDS_MAX) {
        return load_fail(&self->load, dictionary->path, error);
    }
    texts = take(self, (count + 1) * names->text_size);
    words = take(self, (count + 1) * sizeof *words);
    if (!texts || !words) {
        return hs_error_memory(error);
    }
    code = contents_texts(&self->open, dictionary, names, 0, count, texts, error);
    for (size_t i = 0; i < count; i++) {
        words[i] = texts + i * names->text_size;
    }
    column->words = words;
    column->word_count = count;
    column->type = CONTENTS_WORD;
    return code;
}

static enum hs_err join_dictionaries(struct contents_private *self, struct hs_error *error)
{
    const struct contents_table *jobs = contents_find(&self->open, "jobs");
    enum hs_err code = HS_OK;

    for (size_t i = 0; code == HS_OK && jobs && i < jobs->column_count; i++) {
        char path[NAME_MAX_BYTES + 8];
        const struct contents_table *dictionary;

        (void)snprintf(path, sizeof path, "dict/%s", jobs->columns[i].name);
        dictionary = contents_find(&self->open, path);
        if (dictionary && jobs->columns[i].type == CONTENTS_INT) {
            code = join_dictionary(self, &jobs->columns[i], dictionary, error);
        }
    }
    return code;
}

static struct contents_table *table_at(const struct contents *contents, const char *path)
{
    for (size_t i = 0; i < contents->table_count; i++) {
        if (strcmp(contents->tables[i].path, path) == 0) {
            return &contents->tables[i];
        }
    }
    return NULL;
}

static bool has_column(const struct contents_table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (strcmp(table->columns[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Columns of a table of the sweep become columns of its runs; what was a table is empty then. */
static enum hs_err append_columns(struct contents_private *self, struct contents_table *runs,
                                  struct contents_table *table, struct hs_error *error)
{
    size_t count = runs->column_count + table->column_count;
    struct contents_column *columns = realloc(runs->columns, count * sizeof *columns);

    if (!columns) {
        return hs_error_memory(error);
    }
    runs->columns = columns;
    if (table->rows != runs->rows) {
        return load_fail(&self->load, table->path, error);
    }
    for (size_t i = 0; i < table->column_count; i++) {
        struct contents_column column = table->columns[i];

        column.name = has_column(runs, column.name) ? column.path : column.name;
        columns[runs->column_count++] = column;
    }
    free(table->columns);
    *table = self->open.tables[--self->open.table_count];
    return HS_OK;
}

/* The tables of a sweep have equal rows: they become one. */
static enum hs_err join_sweep(struct contents_private *self, struct hs_error *error)
{
    struct contents *contents = &self->open;
    static const char *const paths[] = {"params", "metrics"};
    enum hs_err code = HS_OK;

    for (size_t k = 0; code == HS_OK && k < sizeof paths / sizeof paths[0]; k++) {
        struct contents_table *runs = table_at(contents, "runs");
        struct contents_table *table = table_at(contents, paths[k]);

        if (!runs) {
            return load_fail(&self->load, "runs", error);
        }
        code = table ? append_columns(self, runs, table, error) : HS_OK;
    }
    return code;
}

enum hs_err contents_open(const char *path, struct contents **contents, struct hs_error *error)
{
    struct contents_private *self = calloc(1, sizeof *self);
    enum hs_err code;

    *contents = NULL;
    if (!self) {
        return hs_error_memory(error);
    }
    *contents = &self->open;
    self->open.hidden = self;
    code = load_open(&self->load, path, error);
    if (code == HS_OK) {
        self->open.is_sweep = self->load.is_sweep;
        store_listen(&self->load.cause);
        code = add_group(self, self->load.file, "", 0, error);
    }
    if (code == HS_OK && self->open.is_sweep) {
        code = join_sweep(self, error);
    } else if (code == HS_OK) {
        sort_tables(&self->open);
        code = join_dictionaries(self, error);
    }
    return code;
}

void contents_close(struct contents *contents)
{
    struct contents_private *self = contents ? contents->hidden : NULL;

    if (!self) {
        return;
    }
    load_close(&self->load);
    for (size_t i = 0; i < contents->table_count; i++) {
        free(contents->tables[i].columns);
    }
    free(contents->tables);
    free(contents->attributes);
    free(contents->texts);
    while (self->blocks) {
        struct block *next = self->blocks->next;

        free(self->blocks);
        self->blocks = next;
    }
    free(self);
}

const struct contents_table *contents_find(const struct contents *contents, const char *path)
{
    return table_at(contents, path);
}

/* Reads rows as `type`; an invalid one: as they lie in the file. */
static enum hs_err read_rows(struct contents *contents, const struct contents_table *table,
                             const struct contents_column *column, hid_t type, int64_t first,
                             size_t count, void *values, struct hs_error *error)
{
    struct contents_private *self = contents->hidden;
    hid_t dataset;
    hid_t own;
    bool is_ok;

    HS_ASSERT(first >= 0 && first + (int64_t)count <= table->rows);
    store_listen(&self->load.cause);
    dataset = H5Dopen2(self->load.file, column->path, H5P_DEFAULT);
    own = H5Dget_type(dataset);
    is_ok = dataset >= 0 && own >= 0 && store_is_sound(dataset, first, count, &self->load.cause) &&
            store_read(dataset, type >= 0 ? type : own, first, count, values);
    (void)H5Tclose(own);
    (void)H5Dclose(dataset);
    return is_ok ? HS_OK : load_fail(&self->load, column->path, error);
}

enum hs_err contents_ints(struct contents *contents, const struct contents_table *table,
                          const struct contents_column *column, int64_t first, size_t count,
                          int64_t *values, struct hs_error *error)
{
    /* Bytes are read into the end, and widened from the begin. */
    int8_t *narrow = (int8_t *)values + count * (sizeof *values - 1);
    enum hs_err code;

    HS_ASSERT(column->type != CONTENTS_REAL && column->type != CONTENTS_TEXT);
    if (!column->is_byte) {
        return read_rows(contents, table, column, H5T_NATIVE_INT64, first, count, values, error);
    }
    code = read_rows(contents, table, column, H5I_INVALID_HID, first, count, narrow, error);
    for (size_t i = 0; code == HS_OK && i < count; i++) {
        values[i] = narrow[i];
    }
    return code;
}

enum hs_err contents_reals(struct contents *contents, const struct contents_table *table,
                           const struct contents_column *column, int64_t first, size_t count,
                           double *values, struct hs_error *error)
{
    HS_ASSERT(column->type == CONTENTS_REAL);
    return read_rows(contents, table, column, H5T_NATIVE_DOUBLE, first, count, values, error);
}

enum hs_err contents_texts(struct contents *contents, const struct contents_table *table,
                           const struct contents_column *column, int64_t first, size_t count,
                           char *texts, struct hs_error *error)
{
    size_t width = column->text_size - 1;
    /* They lie in the file without their ends: read into the end, moved from the begin. */
    char *packed = texts + count;
    enum hs_err code;

    HS_ASSERT(column->type == CONTENTS_TEXT);
    code = read_rows(contents, table, column, H5I_INVALID_HID, first, count, packed, error);
    for (size_t i = 0; code == HS_OK && i < count; i++) {
        memmove(texts + i * (width + 1), packed + i * width, width);
        texts[i * (width + 1) + width] = '\0';
    }
    return code;
}

const char *contents_word(const struct contents_column *column, int64_t value)
{
    return value >= 0 && (uint64_t)value < column->word_count ? column->words[value] : NULL;
}
