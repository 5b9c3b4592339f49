/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export_sqlite.c - a whole file as a SQLite database: a table for each table, and what its columns
 * mean.
 *
 * The database is written once and under a name of its own until it is complete, so it needs
 * neither a journal nor locks: those of SQLite would meet the one that `outfile` holds. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export.h"

#define SQL_MAX 65536 /* bytes of a statement; names are 255 bytes at most */

struct database {
    sqlite3 *handle;
    const char *path;
    char *sql;
    size_t length;
};

static enum hs_err fail(const struct database *database, struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_SYSTEM,
                        "%s: writing the database failed: %s. Free space, or choose another place "
                        "with -o.",
                        database->path, sqlite3_errmsg(database->handle));
}

static enum hs_err run(const struct database *database, const char *sql, struct hs_error *error)
{
    return sqlite3_exec(database->handle, sql, NULL, NULL, NULL) == SQLITE_OK
               ? HS_OK
               : fail(database, error);
}

/* A statement that grows; what does not fit any more is left out, and SQLite complains. */
static void add(struct database *database, const char *string)
{
    size_t length = strlen(string);

    if (database->length + length < SQL_MAX) {
        memcpy(database->sql + database->length, string, length + 1);
        database->length += length;
    }
}

static void begin(struct database *database, const char *string)
{
    database->length = 0;
    database->sql[0] = '\0';
    add(database, string);
}

static void add_name(struct database *database, const char *name)
{
    add(database, "\"");
    for (; *name; name++) {
        add(database, *name == '"' ? "\"\"" : (char[]){*name, '\0'});
    }
    add(database, "\"");
}

/* "platform/nodes" is nodes, "policy/params" policy_params. */
static void name_table(const struct contents_table *table, char *name, size_t size)
{
    static const char prefix[] = "platform/";
    bool is_short = strncmp(table->path, prefix, sizeof prefix - 1) == 0;

    (void)snprintf(name, size, "%s", table->path + (is_short ? sizeof prefix - 1 : 0));
    for (; *name; name++) {
        *name = *name == '/' ? '_' : *name;
    }
}

static const char *type_of(const struct contents_column *column)
{
    switch (column->type) {
    case CONTENTS_INT:
        return strcmp(column->name, "id") == 0 ? "INTEGER PRIMARY KEY" : "INTEGER";
    case CONTENTS_BOOL:
        return "INTEGER";
    case CONTENTS_REAL:
        return "REAL";
    case CONTENTS_WORD:
    case CONTENTS_TEXT:
        break;
    }
    return "TEXT";
}

static enum hs_err prepare(struct database *database, sqlite3_stmt **statement,
                           struct hs_error *error)
{
    return sqlite3_prepare_v2(database->handle, database->sql, -1, statement, NULL) == SQLITE_OK
               ? HS_OK
               : fail(database, error);
}

static bool step(sqlite3_stmt *statement)
{
    return sqlite3_step(statement) == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK;
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    (void)sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

/* The attributes and texts of the file. */
static enum hs_err put_facts(struct database *database, const struct contents *contents,
                             struct hs_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool is_ok = true;
    enum hs_err code;

    begin(database, "INSERT INTO attributes VALUES (?, ?, ?)");
    code = prepare(database, &statement, error);
    for (size_t i = 0; code == HS_OK && is_ok && i < contents->attribute_count; i++) {
        const struct contents_attribute *attribute = &contents->attributes[i];

        bind_text(statement, 1, *attribute->object ? attribute->object : "/");
        bind_text(statement, 2, attribute->name);
        if (attribute->type == CONTENTS_TEXT) {
            bind_text(statement, 3, attribute->text);
        } else if (attribute->type == CONTENTS_REAL) {
            (void)sqlite3_bind_double(statement, 3, attribute->real);
        } else {
            (void)sqlite3_bind_int64(statement, 3, attribute->integer);
        }
        is_ok = step(statement);
    }
    (void)sqlite3_finalize(statement);
    statement = NULL;
    if (code == HS_OK && is_ok) {
        begin(database, "INSERT INTO texts VALUES (?, ?)");
        code = prepare(database, &statement, error);
    }
    for (size_t i = 0; code == HS_OK && is_ok && i < contents->text_count; i++) {
        bind_text(statement, 1, contents->texts[i].path);
        bind_text(statement, 2, contents->texts[i].text);
        is_ok = step(statement);
    }
    (void)sqlite3_finalize(statement);
    return code == HS_OK && !is_ok ? fail(database, error) : code;
}

/* What the columns of a table mean. */
static enum hs_err put_columns(struct database *database, const struct contents_table *table,
                               const char *name, struct hs_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool is_ok = true;
    enum hs_err code;

    begin(database, "INSERT INTO columns VALUES (?, ?, ?, ?)");
    code = prepare(database, &statement, error);
    for (size_t i = 0; code == HS_OK && is_ok && i < table->column_count; i++) {
        bind_text(statement, 1, name);
        bind_text(statement, 2, table->columns[i].name);
        bind_text(statement, 3, table->columns[i].unit);
        bind_text(statement, 4, table->columns[i].doc);
        is_ok = step(statement);
    }
    (void)sqlite3_finalize(statement);
    return code == HS_OK && !is_ok ? fail(database, error) : code;
}

static enum hs_err create_table(struct database *database, const struct contents_table *table,
                                const char *name, struct hs_error *error)
{
    begin(database, "CREATE TABLE ");
    add_name(database, name);
    for (size_t i = 0; i < table->column_count; i++) {
        add(database, i ? ", " : " (");
        add_name(database, table->columns[i].name);
        add(database, " ");
        add(database, type_of(&table->columns[i]));
    }
    add(database, ")");
    return run(database, database->sql, error);
}

static void bind_value(sqlite3_stmt *statement, int at, const struct contents_column *column,
                       const struct export_piece *piece, size_t row)
{
    switch (column->type) {
    case CONTENTS_INT:
    case CONTENTS_BOOL:
        if (contents_is_missing(column, piece->ints[row])) {
            (void)sqlite3_bind_null(statement, at);
        } else {
            (void)sqlite3_bind_int64(statement, at, piece->ints[row]);
        }
        return;
    case CONTENTS_REAL: /* NaN becomes NULL */
        (void)sqlite3_bind_double(statement, at, piece->reals[row]);
        return;
    case CONTENTS_WORD: /* so does none */
        bind_text(statement, at, contents_word(column, piece->ints[row]));
        return;
    case CONTENTS_TEXT:
        bind_text(statement, at, piece->texts + row * column->text_size);
    }
}

static enum hs_err put_rows(struct database *database, struct contents *contents,
                            const struct contents_table *table, sqlite3_stmt *statement,
                            struct export_piece *pieces, struct hs_error *error)
{
    for (int64_t first = 0; first < table->rows; first += CONTENTS_ROWS) {
        for (size_t i = 0; i < table->column_count; i++) {
            enum hs_err code =
                export_piece_read(&pieces[i], contents, table, &table->columns[i], first, error);

            if (code != HS_OK) {
                return code;
            }
        }
        for (size_t row = 0; row < pieces[0].count; row++) {
            for (size_t i = 0; i < table->column_count; i++) {
                bind_value(statement, (int)i + 1, &table->columns[i], &pieces[i], row);
            }
            if (!step(statement)) {
                return fail(database, error);
            }
        }
    }
    return HS_OK;
}

static enum hs_err put_table(struct database *database, struct contents *contents,
                             const struct contents_table *table, struct hs_error *error)
{
    struct export_piece *pieces = calloc(table->column_count, sizeof *pieces);
    sqlite3_stmt *statement = NULL;
    char name[256];
    enum hs_err code;

    if (!pieces) {
        return hs_error_memory(error);
    }
    name_table(table, name, sizeof name);
    code = create_table(database, table, name, error);
    if (code == HS_OK) {
        begin(database, "INSERT INTO ");
        add_name(database, name);
        for (size_t i = 0; i < table->column_count; i++) {
            add(database, i ? ", ?" : " VALUES (?");
        }
        add(database, ")");
        code = prepare(database, &statement, error);
    }
    if (code == HS_OK) {
        code = put_rows(database, contents, table, statement, pieces, error);
    }
    (void)sqlite3_finalize(statement);
    if (code == HS_OK) {
        code = put_columns(database, table, name, error);
    }
    for (size_t i = 0; i < table->column_count; i++) {
        export_piece_fini(&pieces[i]);
    }
    free(pieces);
    return code;
}

/* Columns by which rows are looked for. */
static enum hs_err create_indices(struct database *database, const struct contents *contents,
                                  struct hs_error *error)
{
    static const char *const indices[][2] = {
        {"jobs", "trace_id"},
        {"jobs", "user"},
        {"jobs", "start"},
        {"allocations", "job"},
        {"device_allocations", "job"},
        {"device_allocations", "device"},
        {"platform/devices", "node"},
        {"series", "time"},
        {"arrivals", "job"},
        {"summary", "name"},
        {"runs", "key"},
        {"runs", "policy"},
    };
    enum hs_err code = HS_OK;

    for (size_t i = 0; code == HS_OK && i < sizeof indices / sizeof indices[0]; i++) {
        const struct contents_table *table = contents_find(contents, indices[i][0]);
        bool is_there = false;
        char name[256];

        for (size_t k = 0; table && k < table->column_count; k++) {
            is_there = is_there || strcmp(table->columns[k].name, indices[i][1]) == 0;
        }
        if (!is_there) {
            continue;
        }
        name_table(table, name, sizeof name);
        begin(database, "CREATE INDEX \"");
        add(database, name);
        add(database, "_");
        add(database, indices[i][1]);
        add(database, "\" ON ");
        add_name(database, name);
        add(database, " (");
        add_name(database, indices[i][1]);
        add(database, ")");
        code = run(database, database->sql, error);
    }
    return code;
}

enum hs_err export_sqlite(struct contents *contents, const char *path, struct hs_error *error)
{
    static const char start[] =
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768;"
        "PRAGMA user_version = 1; BEGIN;"
        "CREATE TABLE attributes (object TEXT, name TEXT, value, PRIMARY KEY (object, name));"
        "CREATE TABLE texts (path TEXT PRIMARY KEY, text TEXT);"
        "CREATE TABLE columns (table_name TEXT, column_name TEXT, unit TEXT, long_name TEXT, "
        "PRIMARY KEY (table_name, column_name));";
    struct database database = {.path = path, .sql = malloc(SQL_MAX)};
    enum hs_err code = HS_OK;

    if (!database.sql) {
        return hs_error_memory(error);
    }
    if (sqlite3_open_v2(path, &database.handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        "unix-none") != SQLITE_OK) {
        code = database.handle ? fail(&database, error) : hs_error_memory(error);
    }
    if (code == HS_OK) {
        code = run(&database, start, error);
    }
    if (code == HS_OK) {
        code = put_facts(&database, contents, error);
    }
    for (size_t i = 0; code == HS_OK && i < contents->table_count; i++) {
        code = put_table(&database, contents, &contents->tables[i], error);
    }
    if (code == HS_OK) {
        code = create_indices(&database, contents, error);
    }
    if (code == HS_OK) {
        code = run(&database, "COMMIT", error);
    }
    if (sqlite3_close(database.handle) != SQLITE_OK && code == HS_OK) {
        code = fail(&database, error);
    }
    free(database.sql);
    return code;
}
