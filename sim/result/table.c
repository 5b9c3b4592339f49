/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table.c - buffers of columns in front of HDF5. */
#include "result/table.h"

#include <stdlib.h>
#include <string.h>

#define STAGGER 320 /* bytes: an odd number of cache lines */

/* The buffers of the columns lie in one block, each some cache lines further on than its size
 * demands: a row would otherwise touch the same set of the processor's cache once per column, and
 * drive out what the next row needs. */
static bool place_buffers(struct table *table, size_t room)
{
    size_t count = table->schema->column_count;
    size_t size = 0;
    char *block;

    for (size_t i = 0; i < count; i++) {
        if (result_has_column(table->schema, i)) {
            size += room * result_type_size(table->schema->columns[i].type) + STAGGER;
        }
    }
    block = malloc(size);
    if (!block) {
        return false;
    }
    free(table->block);
    table->block = block;
    table->room = room;
    for (size_t i = 0; i < count; i++) {
        if (!result_has_column(table->schema, i)) {
            continue;
        }
        table->buffers[i].any = block;
        block += room * result_type_size(table->schema->columns[i].type) + STAGGER;
    }
    return true;
}

bool table_init(struct table *table, const struct result_table *schema, hid_t file, int level,
                struct pack *pack, struct store_cause *cause)
{
    *table = (struct table){
        .schema = schema,
        .level = level,
        .group = H5I_INVALID_HID,
        .pack = pack,
        .cause = cause,
    };
    for (size_t i = 0; i < schema->column_count; i++) {
        table->datasets[i] = H5I_INVALID_HID;
    }
    if (!place_buffers(table, STORE_CHUNK_ROWS)) {
        return false;
    }
    table->group = store_group(file, schema->name);
    return table->group >= 0;
}

/* Are all rows in the buffer equal to the first `size` bytes of `value`? */
static bool is_constant(const void *values, size_t size, size_t count, const void *value)
{
    const char *bytes = values;

    return memcmp(bytes, value, size) == 0 && memcmp(bytes, bytes + size, (count - 1) * size) == 0;
}

/* A column that is constant at first takes that as its fill value: what repeats it later is not
 * stored, and reads the same in every program. (All of it is not left out, since h5diff passes over
 * datasets without a chunk.) */
static bool create_columns(struct table *table)
{
    table->chunk_rows = store_chunk_rows(table->filled);
    for (size_t i = 0; i < table->schema->column_count; i++) {
        size_t size = result_type_size(table->schema->columns[i].type);
        const void *values = table->buffers[i].any;

        if (!result_has_column(table->schema, i)) {
            continue;
        }
        table->has_fill[i] = table->filled > 0 && is_constant(values, size, table->filled, values);
        if (table->has_fill[i]) {
            memcpy(table->fills[i], values, size);
        }
        table->datasets[i] = store_column(table->group, &table->schema->columns[i], table->filled,
                                          table->level, table->has_fill[i] ? values : NULL);
        if (table->datasets[i] < 0) {
            return false;
        }
    }
    return true;
}

static bool store_column_rows(struct table *table, size_t column)
{
    enum result_type type = table->schema->columns[column].type;
    const void *values = table->buffers[column].any;
    size_t size = result_type_size(type);
    const void *packed;
    size_t length;

    if (table->stored > 0 && table->has_fill[column] &&
        is_constant(values, size, table->filled, table->fills[column])) {
        return store_extend(table->datasets[column], table->stored, table->filled);
    }
    if (!table->pack) {
        return store_append(table->datasets[column], type, table->stored, table->filled, values);
    }
    packed = pack_chunk(table->pack, values, size, table->filled, table->chunk_rows, &length);
    return packed && store_append_packed(table->datasets[column], table->stored, table->filled,
                                         packed, length);
}

bool table_flush(struct table *table)
{
    store_listen(table->cause);
    if (table->datasets[0] < 0 && !create_columns(table)) {
        return false;
    }
    for (size_t i = 0; table->filled > 0 && i < table->schema->column_count; i++) {
        if (result_has_column(table->schema, i) && !store_column_rows(table, i)) {
            return false;
        }
    }
    table->stored += (int64_t)table->filled;
    table->filled = 0;
    return true;
}

bool table_row_done(struct table *table)
{
    table->filled++;
    if (table->filled < table->room) {
        return true;
    }
    if (!table_flush(table)) {
        return false;
    }
    if (!table->pack && table->room > TABLE_PIECE_ROWS) {
        (void)place_buffers(table, TABLE_PIECE_ROWS); /* if memory is short, the large ones stay */
    }
    return true;
}

bool table_fini(struct table *table)
{
    bool is_ok = true;

    if (!table->schema) {
        return true;
    }
    for (size_t i = 0; i < table->schema->column_count; i++) {
        if (table->datasets[i] >= 0 && H5Dclose(table->datasets[i]) < 0) {
            is_ok = false;
        }
    }
    free(table->block);
    if (table->group >= 0 && H5Gclose(table->group) < 0) {
        is_ok = false;
    }
    *table = (struct table){0};
    return is_ok;
}
