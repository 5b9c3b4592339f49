/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store.c - HDF5 with the settings of result files. */
#include "result/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Entries come outermost first, so that the last one kept is the innermost: the cause. */
static herr_t visit_error(unsigned number, const H5E_error2_t *entry, void *context)
{
    struct store_cause *cause = context;
    const char *text = entry->desc ? entry->desc : "";
    const char *found = strstr(text, "errno = ");
    size_t length = strnlen(text, sizeof cause->text - 1);

    (void)number;
    if (found) {
        cause->system_errno = (int)strtol(found + strlen("errno = "), NULL, 10);
    }
    memcpy(cause->text, text, length);
    cause->text[length] = '\0';
    return 0;
}

/* HDF5 calls this at each failure. Those after the first are its consequences. */
static herr_t note_error(hid_t stack, void *context)
{
    struct store_cause *cause = context;

    if (!cause->is_known) {
        cause->is_known = true;
        (void)H5Ewalk2(stack, H5E_WALK_DOWNWARD, visit_error, cause);
    }
    return 0;
}

void store_listen(struct store_cause *cause)
{
    /* A file that could not be flushed (a full disk) stays open in the library; at exit it would
     * try again, and complain on standard error. Everything that can be closed, this code closes.
     */
    (void)H5dont_atexit();
    (void)H5Eset_auto2(H5E_DEFAULT, note_error, cause);
}

void result_warm(void)
{
    (void)H5dont_atexit();
    (void)H5open();
}

void store_silence(void)
{
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static const char *remedy_of(int system_errno)
{
    switch (system_errno) {
    case ENOSPC:
        return "Free space there, or choose another folder with -o.";
    case EDQUOT:
        return "Your quota is used up: free space there, or choose another folder with -o.";
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        return "Close programs, or raise the limits (ulimit -n, ulimit -v).";
    case EFBIG:
        return "The file reached the limit for file sizes (ulimit -f).";
    default:
        return "Check the disk, or choose another folder with -o.";
    }
}

enum hs_err store_error(const struct store_cause *cause, const char *path, const char *doing,
                        struct hs_error *error)
{
    if (cause->system_errno) {
        return hs_error_set(error, HS_ERR_SYSTEM, "%s: %s the result file failed: %s. %s", path,
                            doing, strerror(cause->system_errno), remedy_of(cause->system_errno));
    }
    if (cause->is_known) {
        return hs_error_set(error, HS_ERR_SYSTEM, "%s: %s the result file failed: HDF5 says: %s.",
                            path, doing, cause->text);
    }
    return hs_error_memory(error);
}

/* Chunks that are not compressed are so large, or a multiple of it: nothing is lost between them.
 */
#define ALIGNMENT 65536

static hid_t access_list(void)
{
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);

    if (list >= 0 && (H5Pset_libver_bounds(list, H5F_LIBVER_V18, H5F_LIBVER_V18) < 0 ||
                      H5Pset_file_locking(list, false, true) < 0 ||
                      H5Pset_fclose_degree(list, H5F_CLOSE_STRONG) < 0)) {
        (void)H5Pclose(list);
        return H5I_INVALID_HID;
    }
    return list;
}

hid_t store_create(const char *path, bool is_packed)
{
    hid_t access = access_list();
    hid_t create = H5Pcreate(H5P_FILE_CREATE);
    hid_t file = H5I_INVALID_HID;

    /* Aligned writes take a quarter less of the system's time: its cache holds a file in larger
     * units then. */
    if (access >= 0 && create >= 0 && H5Pset_obj_track_times(create, false) >= 0 &&
        (is_packed || H5Pset_alignment(access, ALIGNMENT, ALIGNMENT) >= 0)) {
        file = H5Fcreate(path, H5F_ACC_TRUNC, create, access);
    }
    (void)H5Pclose(create);
    (void)H5Pclose(access);
    return file;
}

hid_t store_open(const char *path)
{
    hid_t access = access_list();
    hid_t file = H5I_INVALID_HID;

    if (access >= 0) {
        file = H5Fopen(path, H5F_ACC_RDONLY, access);
    }
    (void)H5Pclose(access);
    return file;
}

void store_discard(hid_t file)
{
    void *handle = NULL;
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

    /* HDF5 cannot close a file that it cannot flush, and would keep all its memory. */
    if (nowhere >= 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle) {
        (void)dup2(nowhere, *(const int *)handle);
    }
    if (nowhere >= 0) {
        (void)close(nowhere);
    }
}

hid_t store_group(hid_t parent, const char *name)
{
    hid_t create = H5I_INVALID_HID;
    hid_t group = H5I_INVALID_HID;

    if (H5Lexists(parent, name, H5P_DEFAULT) > 0) {
        return H5Gopen2(parent, name, H5P_DEFAULT);
    }
    create = H5Pcreate(H5P_GROUP_CREATE);
    if (create >= 0 && H5Pset_obj_track_times(create, false) >= 0) {
        group = H5Gcreate2(parent, name, H5P_DEFAULT, create, H5P_DEFAULT);
    }
    (void)H5Pclose(create);
    return group;
}

hid_t store_ordered_group(hid_t parent, const char *name)
{
    hid_t create = H5Pcreate(H5P_GROUP_CREATE);
    hid_t group = H5I_INVALID_HID;

    if (create >= 0 && H5Pset_obj_track_times(create, false) >= 0 &&
        H5Pset_link_creation_order(create, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0) {
        group = H5Gcreate2(parent, name, H5P_DEFAULT, create, H5P_DEFAULT);
    }
    (void)H5Pclose(create);
    return group;
}

/* HDF5 has no strings of length 0: they are one byte of padding. */
static hid_t string_type(size_t length)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    if (type >= 0 &&
        (H5Tset_size(type, length ? length : 1) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0 ||
         H5Tset_strpad(type, H5T_STR_NULLPAD) < 0)) {
        (void)H5Tclose(type);
        return H5I_INVALID_HID;
    }
    return type;
}

static bool write_attr(hid_t object, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attr = H5I_INVALID_HID;
    bool is_ok = false;

    if (space >= 0 && type >= 0) {
        attr = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    }
    if (attr >= 0) {
        is_ok = H5Awrite(attr, type, value) >= 0;
        is_ok = H5Aclose(attr) >= 0 && is_ok;
    }
    (void)H5Sclose(space);
    return is_ok;
}

bool store_attr_text(hid_t object, const char *name, const char *text)
{
    hid_t type = string_type(strlen(text));
    bool is_ok = write_attr(object, name, type, text);

    (void)H5Tclose(type);
    return is_ok;
}

bool store_attr_int(hid_t object, const char *name, int64_t value)
{
    return write_attr(object, name, H5T_NATIVE_INT64, &value);
}

bool store_attr_double(hid_t object, const char *name, double value)
{
    return write_attr(object, name, H5T_NATIVE_DOUBLE, &value);
}

static hid_t dataset_list(void)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);

    if (list >= 0 && H5Pset_obj_track_times(list, false) < 0) {
        (void)H5Pclose(list);
        return H5I_INVALID_HID;
    }
    return list;
}

/* Creates a dataset of fixed size and fills it; closes `list`. */
static hid_t write_listed(hid_t group, const char *name, hid_t type, hid_t space, hid_t list,
                          const void *values)
{
    hid_t dataset = H5I_INVALID_HID;

    if (list >= 0 && type >= 0 && space >= 0) {
        dataset = H5Dcreate2(group, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    }
    if (dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        (void)H5Dclose(dataset);
        dataset = H5I_INVALID_HID;
    }
    (void)H5Pclose(list);
    return dataset;
}

static hid_t write_dataset(hid_t group, const char *name, hid_t type, hid_t space,
                           const void *values)
{
    return write_listed(group, name, type, space, dataset_list(), values);
}

bool store_text(hid_t group, const char *name, const char *text)
{
    hid_t type = string_type(strlen(text));
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t dataset = write_dataset(group, name, type, space, text);

    (void)H5Sclose(space);
    (void)H5Tclose(type);
    return dataset >= 0 && H5Dclose(dataset) >= 0;
}

static bool close_described(hid_t dataset, const char *unit, const char *doc)
{
    bool is_ok = dataset >= 0 && store_attr_text(dataset, "units", unit) &&
                 store_attr_text(dataset, "long_name", doc);

    return dataset >= 0 && H5Dclose(dataset) >= 0 && is_ok;
}

/* Chunks of at most about a megabyte. */
static hid_t packed_list(size_t width, size_t count)
{
    size_t most = 1048576 / width + 1;
    hsize_t chunk = count < most ? (count ? count : 1) : most;
    hid_t list = dataset_list();

    if (list >= 0 && (H5Pset_chunk(list, 1, &chunk) < 0 || H5Pset_deflate(list, 1) < 0)) {
        (void)H5Pclose(list);
        return H5I_INVALID_HID;
    }
    return list;
}

static bool write_texts(hid_t group, const char *name, const char *doc, const char *const *texts,
                        size_t count, bool is_packed)
{
    hsize_t rows = count;
    size_t width = 1;
    hid_t type, space, dataset;
    char *table;

    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(texts[i]);

        width = length > width ? length : width;
    }
    table = calloc(count ? count : 1, width);
    if (!table) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(table + i * width, texts[i], strlen(texts[i]));
    }
    type = string_type(width);
    space = H5Screate_simple(1, &rows, NULL);
    dataset = write_listed(group, name, type, space,
                           is_packed ? packed_list(width, count) : dataset_list(), table);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    free(table);
    return close_described(dataset, "1", doc);
}

bool store_texts(hid_t group, const char *name, const char *doc, const char *const *texts,
                 size_t count)
{
    return write_texts(group, name, doc, texts, count, false);
}

bool store_packed_texts(hid_t group, const char *name, const char *doc, const char *const *texts,
                        size_t count)
{
    return write_texts(group, name, doc, texts, count, true);
}

static hid_t enumeration(const char *const *names, int count)
{
    hid_t type = H5Tenum_create(H5T_NATIVE_INT8);

    for (int i = 0; i < count && type >= 0; i++) {
        int8_t value = (int8_t)i;

        if (H5Tenum_insert(type, names[i], &value) < 0) {
            (void)H5Tclose(type);
            type = H5I_INVALID_HID;
        }
    }
    return type;
}

bool store_enum(hid_t group, const char *name, const char *doc, const char *const *names,
                int name_count, const int8_t *values, size_t count)
{
    hsize_t rows = count;
    hid_t type = enumeration(names, name_count);
    hid_t space = H5Screate_simple(1, &rows, NULL);
    hid_t dataset = write_dataset(group, name, type, space, values);

    (void)H5Sclose(space);
    (void)H5Tclose(type);
    return close_described(dataset, "1", doc);
}

hid_t store_type(enum result_type type)
{
    static const char *const truth[] = {"FALSE", "TRUE"};
    const char *states[RESULT_STATE_COUNT];

    switch (type) {
    case RESULT_I64:
        return H5Tcopy(H5T_NATIVE_INT64);
    case RESULT_I32:
        return H5Tcopy(H5T_NATIVE_INT32);
    case RESULT_F64:
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    case RESULT_BOOL:
        return enumeration(truth, 2);
    case RESULT_STATE:
        break;
    }
    for (int i = 0; i < RESULT_STATE_COUNT; i++) {
        states[i] = result_state_name((enum result_state)i);
    }
    return enumeration(states, RESULT_STATE_COUNT);
}

size_t store_chunk_rows(size_t rows)
{
    size_t chunk = 1;

    while (chunk < rows && chunk < STORE_CHUNK_ROWS) {
        chunk *= 2;
    }
    return chunk;
}

static hid_t column_list(hid_t type, size_t rows, int level, const void *fill)
{
    hid_t list = dataset_list();
    hsize_t chunk = store_chunk_rows(rows);

    /* Without a fill value, rows that are not written are never read; filling them first would
     * copy every chunk. */
    if (list >= 0 &&
        (H5Pset_chunk(list, 1, &chunk) < 0 ||
         (fill ? H5Pset_fill_value(list, type, fill)
               : H5Pset_fill_time(list, H5D_FILL_TIME_NEVER)) < 0 ||
         (level > 0 && (H5Pset_shuffle(list) < 0 || H5Pset_deflate(list, (unsigned)level) < 0)))) {
        (void)H5Pclose(list);
        return H5I_INVALID_HID;
    }
    return list;
}

hid_t store_column(hid_t group, const struct result_column *column, size_t rows, int level,
                   const void *fill)
{
    hsize_t size = 0;
    hsize_t limit = H5S_UNLIMITED;
    hid_t type = store_type(column->type);
    hid_t space = H5Screate_simple(1, &size, &limit);
    hid_t create = column_list(type, rows, level, fill);
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    hid_t dataset = H5I_INVALID_HID;

    /* Rows come in whole chunks, so that a cache of chunks would only copy them. */
    if (type >= 0 && space >= 0 && create >= 0 && access >= 0 &&
        H5Pset_chunk_cache(access, 0, 0, H5D_CHUNK_CACHE_W0_DEFAULT) >= 0) {
        dataset = H5Dcreate2(group, column->name, type, space, H5P_DEFAULT, create, access);
    }
    if (dataset >= 0 && !(store_attr_text(dataset, "units", column->unit) &&
                          store_attr_text(dataset, "long_name", column->doc))) {
        (void)H5Dclose(dataset);
        dataset = H5I_INVALID_HID;
    }
    (void)H5Pclose(access);
    (void)H5Pclose(create);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    return dataset;
}

/* Transfers rows [row, row + count) between memory and the dataset. */
static bool transfer(hid_t dataset, hid_t type, int64_t row, size_t count, void *target,
                     const void *source)
{
    hsize_t start = (hsize_t)row;
    hsize_t length = count;
    hid_t file_space = H5Dget_space(dataset);
    hid_t memory_space = H5Screate_simple(1, &length, NULL);
    bool is_ok = file_space >= 0 && memory_space >= 0 &&
                 H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &start, NULL, &length, NULL) >= 0;

    if (is_ok && target) {
        is_ok = H5Dread(dataset, type, memory_space, file_space, H5P_DEFAULT, target) >= 0;
    } else if (is_ok) {
        is_ok = H5Dwrite(dataset, type, memory_space, file_space, H5P_DEFAULT, source) >= 0;
    }
    (void)H5Sclose(memory_space);
    (void)H5Sclose(file_space);
    return is_ok;
}

bool store_append(hid_t dataset, enum result_type type, int64_t row, size_t count,
                  const void *values)
{
    hsize_t size = (hsize_t)row + count;
    hid_t memory_type;
    bool is_ok;

    if (count == 0) {
        return true;
    }
    memory_type = store_type(type);
    is_ok = memory_type >= 0 && H5Dset_extent(dataset, &size) >= 0 &&
            transfer(dataset, memory_type, row, count, NULL, values);
    (void)H5Tclose(memory_type);
    return is_ok;
}

bool store_extend(hid_t dataset, int64_t row, size_t count)
{
    hsize_t size = (hsize_t)row + count;

    return H5Dset_extent(dataset, &size) >= 0;
}

bool store_append_packed(hid_t dataset, int64_t row, size_t count, const void *packed,
                         size_t length)
{
    hsize_t offset = (hsize_t)row;

    return store_extend(dataset, row, count) &&
           H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &offset, length, packed) >= 0;
}

bool store_values(hid_t group, const struct result_column *column, const void *values, size_t count)
{
    hsize_t rows = count;
    hid_t type = store_type(column->type);
    hid_t space = H5Screate_simple(1, &rows, NULL);
    hid_t dataset = write_dataset(group, column->name, type, space, values);

    (void)H5Sclose(space);
    (void)H5Tclose(type);
    return close_described(dataset, column->unit, column->doc);
}

bool store_read(hid_t dataset, hid_t memory_type, int64_t row, size_t count, void *values)
{
    return count == 0 || transfer(dataset, memory_type, row, count, values, NULL);
}
