/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export_units.c - nodes, devices, their energy, and the jobs by class and by model as CSV.
 *
 * They are small: whole columns are in memory. Which of the columns are there depends on the run:
 * powers where they are known, energies in runs with energy. */
#include <stdlib.h>
#include <string.h>

#include "cli/export.h"

#define COLUMNS_MAX 12

enum unit_type { UNIT_INT, UNIT_REAL, UNIT_TEXT };

struct unit_column {
    const char *name;
    enum unit_type type;
};

/* Those of result_part_columns, behind the name. */
#define PART_COLUMNS                                                                               \
    {                                                                                              \
        {"name", UNIT_TEXT}, {"jobs", UNIT_INT}, {"killed", UNIT_INT}, {"rejected", UNIT_INT},     \
            {"wait_mean", UNIT_REAL}, {"run_mean", UNIT_REAL}, {"run_ref_mean", UNIT_REAL},        \
            {"slowdown_ref_mean", UNIT_REAL}, {"bsld_mean", UNIT_REAL},                            \
            {"device_time", UNIT_REAL}, {"core_time", UNIT_REAL}, {"energy", UNIT_REAL},           \
    }

static const struct unit_table {
    const char *name, *path;
    const char *lacking; /* why a file may have no such table */
    struct unit_column columns[COLUMNS_MAX];
} tables[] = {
    {"nodes",
     "platform/nodes",
     "it is damaged: run the experiment again",
     {{"id", UNIT_INT},
      {"name", UNIT_TEXT},
      {"cores_milli", UNIT_INT},
      {"mem", UNIT_INT},
      {"p_off", UNIT_REAL},
      {"p_idle", UNIT_REAL},
      {"p_context", UNIT_REAL},
      {"p_busy", UNIT_REAL},
      {"energy", UNIT_REAL}}},
    {"devices",
     "platform/devices",
     "the platform has no devices",
     {{"id", UNIT_INT},
      {"node", UNIT_INT},
      {"kind", UNIT_TEXT},
      {"model", UNIT_TEXT},
      {"mem", UNIT_INT},
      {"group", UNIT_INT},
      {"p_off", UNIT_REAL},
      {"p_idle", UNIT_REAL},
      {"p_context", UNIT_REAL},
      {"p_busy", UNIT_REAL},
      {"energy", UNIT_REAL}}},
    {"energy",
     "energy",
     "no energy was accounted; the platform must say what its nodes and devices draw",
     {{"kind", UNIT_TEXT}, {"model", UNIT_TEXT}, {"count", UNIT_INT}, {"energy", UNIT_REAL}}},
    {"classes", "classes", "only runs with `speeds` tell classes apart", PART_COLUMNS},
    {"models", "models", "only runs with `speeds` tell models apart", PART_COLUMNS},
};

/* A column in memory. */
struct loaded {
    const struct unit_column *column;
    int64_t *ints;
    double *reals;
    char *texts;
    const char *text; /* the next of them */
};

struct units {
    struct loaded columns[COLUMNS_MAX]; /* those that the file has */
    const struct loaded *chosen[2 * COLUMNS_MAX];
    size_t column_count, chosen_count, rows;
};

static const struct unit_table *find_table(const char *name)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (strcmp(tables[i].name, name) == 0) {
            return &tables[i];
        }
    }
    return NULL;
}

bool export_is_units(const char *table)
{
    return find_table(table) != NULL;
}

static enum hs_err load_column(struct result_reader *reader, const char *path,
                               struct loaded *loaded, size_t *rows, struct hs_error *error)
{
    switch (loaded->column->type) {
    case UNIT_INT:
        return result_reader_column(reader, path, &loaded->ints, rows, error);
    case UNIT_REAL:
        return result_reader_reals(reader, path, &loaded->reals, rows, error);
    case UNIT_TEXT:
        break;
    }
    return result_reader_texts(reader, path, &loaded->texts, rows, error);
}

static enum hs_err load(struct units *units, struct result_reader *reader,
                        const struct unit_table *table, struct hs_error *error)
{
    enum hs_err code = HS_OK;

    for (size_t i = 0; code == HS_OK && i < COLUMNS_MAX && table->columns[i].name; i++) {
        struct loaded *loaded = &units->columns[units->column_count];
        char path[64];
        size_t rows = 0;

        (void)snprintf(path, sizeof path, "%s/%s", table->path, table->columns[i].name);
        if (!result_reader_has(reader, path)) {
            continue;
        }
        loaded->column = &table->columns[i];
        units->column_count++;
        code = load_column(reader, path, loaded, &rows, error);
        if (code == HS_OK && units->column_count > 1 && rows != units->rows) {
            code = hs_error_set(error, HS_ERR_INPUT,
                                "%s: the columns of %s are of different length. The file is "
                                "damaged: run the experiment again.",
                                result_reader_path(reader), table->path);
        }
        units->rows = rows;
        loaded->text = loaded->texts;
    }
    if (code == HS_OK && units->column_count == 0) {
        code = hs_error_set(error, HS_ERR_CONFIG, "%s: the file has no table %s: %s.",
                            result_reader_path(reader), table->name, table->lacking);
    }
    return code;
}

/* The columns of the list, or all that there are. */
static enum hs_err choose(struct units *units, const char *table, const char *list,
                          struct hs_error *error)
{
    char *copy = list ? strdup(list) : NULL;
    char *rest = copy;
    char *name;
    enum hs_err code = list && !copy ? hs_error_memory(error) : HS_OK;

    for (size_t i = 0; !list && i < units->column_count; i++) {
        units->chosen[units->chosen_count++] = &units->columns[i];
    }
    while (code == HS_OK && copy && (name = strsep(&rest, ",")) != NULL) {
        const char *names[COLUMNS_MAX];
        size_t at = units->column_count;

        name += strspn(name, " ");
        for (size_t i = 0; i < units->column_count; i++) {
            names[i] = units->columns[i].column->name;
            at = strcmp(names[i], name) == 0 ? i : at;
        }
        if (at == units->column_count) {
            code = export_fail_column(table, name, names, units->column_count, error);
        } else if (units->chosen_count == sizeof units->chosen / sizeof units->chosen[0]) {
            code = hs_error_set(error, HS_ERR_CONFIG, "--columns names more than %d columns.",
                                2 * COLUMNS_MAX);
        } else {
            units->chosen[units->chosen_count++] = &units->columns[at];
        }
    }
    free(copy);
    return code;
}

static void put_rows(struct export_text *text, struct units *units)
{
    for (size_t i = 0; i < units->chosen_count; i++) {
        export_string(text, i ? "," : "");
        export_string(text, units->chosen[i]->column->name);
    }
    export_char(text, '\n');
    for (size_t row = 0; row < units->rows && !ferror(text->file); row++) {
        for (size_t i = 0; i < units->chosen_count; i++) {
            const struct loaded *loaded = units->chosen[i];

            export_string(text, i ? "," : "");
            if (loaded->ints) {
                export_int(text, loaded->ints[row]);
            } else if (loaded->reals) {
                export_general(text, 15, loaded->reals[row]);
            } else {
                export_field(text, loaded->text);
            }
        }
        export_char(text, '\n');
        for (size_t i = 0; i < units->column_count; i++) {
            struct loaded *loaded = &units->columns[i];

            loaded->text += loaded->text ? strlen(loaded->text) + 1 : 0;
        }
    }
}

enum hs_err export_units(struct result_reader *reader, const char *table, const char *columns,
                         struct export_text *text, struct hs_error *error)
{
    struct units units = {0};
    enum hs_err code = load(&units, reader, find_table(table), error);

    if (code == HS_OK) {
        code = choose(&units, table, columns, error);
    }
    if (code == HS_OK) {
        put_rows(text, &units);
    }
    for (size_t i = 0; i < units.column_count; i++) {
        free(units.columns[i].ints);
        free(units.columns[i].reals);
        free(units.columns[i].texts);
    }
    return code;
}
