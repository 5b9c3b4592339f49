/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load.c - is it a file of hsim, and what is in its attributes and columns? */
#include "result/load.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/sweep_file.h"

static const char *remedy_of(const struct load *load)
{
    return load->is_sweep ? "delete it and call `hsim sweep` again, which merges the runs anew"
                          : "run the experiment again";
}

enum hs_err load_fail(const struct load *load, const char *what, struct hs_error *error)
{
    const struct store_cause *cause = &load->cause;

    return hs_error_set(error, HS_ERR_INPUT,
                        "%s: \"%s\" cannot be read (%s%s). The file is damaged, or not of this "
                        "version of hsim: %s.",
                        load->path, what, cause->is_known && !cause->is_ours ? "HDF5 says: " : "",
                        cause->is_known ? cause->text
                                        : "it is not there as it should be, or memory is short",
                        remedy_of(load));
}

static enum hs_err fail_open(const char *path, int cause, struct hs_error *error)
{
    if (cause == EMFILE || cause == ENFILE || cause == ENOMEM) {
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: the result file cannot be opened now: %s. Close programs, or "
                            "raise the limits (ulimit -n, ulimit -v).",
                            path, strerror(cause));
    }
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s: the result file cannot be opened: %s. Give the path of a file that "
                        "`hsim run` wrote.",
                        path, strerror(cause));
}

/* The first bytes of a regular file; a pipe is not waited for. */
static enum hs_err read_begin(const char *path, char *begin, size_t size, size_t *count,
                              struct hs_error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    enum hs_err code = HS_OK;
    struct stat status;
    ssize_t length;

    *count = 0;
    if (file < 0) {
        return fail_open(path, errno, error);
    }
    if (fstat(file, &status) != 0) {
        code = fail_open(path, errno, error);
    } else if (S_ISDIR(status.st_mode)) {
        code = hs_error_set(error, HS_ERR_INPUT,
                            "%s: this is a folder. Name a result file inside it.", path);
    } else if (!S_ISREG(status.st_mode)) {
        code = hs_error_set(error, HS_ERR_INPUT,
                            "%s: this is no regular file but a pipe or a device, and a result is "
                            "read at many places. Save it to a file, and name that.",
                            path);
    }
    while (code == HS_OK && *count < size) {
        length = read(file, begin + *count, size - *count);
        if (length < 0 && errno != EINTR) {
            code = hs_error_set(error, HS_ERR_INPUT, "%s: the result file cannot be read: %s.",
                                path, strerror(errno));
        }
        if (length == 0) {
            break;
        }
        *count += length > 0 ? (size_t)length : 0;
    }
    (void)close(file);
    return code;
}

/* Before HDF5 is asked: what it would explain badly. */
static enum hs_err check_signature(const char *path, struct hs_error *error)
{
    static const char signature[8] = "\211HDF\r\n\032\n";
    char begin[sizeof signature];
    size_t length = strlen(path);
    size_t count;
    enum hs_err code = read_begin(path, begin, sizeof begin, &count, error);

    if (code != HS_OK) {
        return code;
    }
    if (length > 5 && strcmp(path + length - 5, ".part") == 0) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: this is the unfinished file of a run that still goes on or was "
                            "cut off. Wait for its end, or run the experiment again.",
                            path);
    }
    if (count == 0) {
        return hs_error_set(
            error, HS_ERR_INPUT,
            "%s: the file is empty. Give a file that `hsim run` or `hsim sweep` wrote.", path);
    }
    if (count < sizeof begin || memcmp(begin, signature, sizeof begin) != 0) {
        return hs_error_set(
            error, HS_ERR_INPUT,
            "%s: this is no HDF5 file. Give a file that `hsim run` or `hsim sweep` wrote.", path);
    }
    return HS_OK;
}

/* A merged file says so; the result of a run has no kind. */
static enum hs_err check_kind(struct load *load, struct hs_error *error)
{
    char *kind = NULL;
    enum hs_err code;

    if (H5Aexists(load->file, "hsim_schema") <= 0) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: this HDF5 file is no result of hsim (it has no attribute "
                            "\"hsim_schema\"). Give a file that `hsim run` or `hsim sweep` wrote.",
                            load->path);
    }
    if (H5Aexists(load->file, "hsim_kind") <= 0) {
        return HS_OK;
    }
    code = load_text(load, ".", "hsim_kind", &kind, error);
    if (code == HS_OK && strcmp(kind, "sweep") != 0) {
        code = hs_error_set(error, HS_ERR_INPUT,
                            "%s: this is a file of the kind '%.40s', which this hsim does not "
                            "know. Use a newer hsim.",
                            load->path, kind);
    }
    load->is_sweep = code == HS_OK;
    free(kind);
    return code;
}

static enum hs_err check_schema(struct load *load, struct hs_error *error)
{
    int64_t schema = 0;
    int64_t newest;
    enum hs_err code = check_kind(load, error);

    newest = load->is_sweep ? SWEEP_SCHEMA_VERSION : RESULT_SCHEMA_VERSION;
    if (code == HS_OK) {
        code = load_number(load, ".", "hsim_schema", H5T_NATIVE_INT64, &schema, error);
    }
    if (code == HS_OK && (schema < 1 || schema > newest)) {
        code = hs_error_set(error, HS_ERR_INPUT,
                            "%s: the file has schema %" PRId64 ", and this hsim reads schema 1 to "
                            "%" PRId64 ". Use a newer hsim.",
                            load->path, schema, newest);
    }
    return code;
}

enum hs_err load_open(struct load *load, const char *path, struct hs_error *error)
{
    enum hs_err code;

    *load = (struct load){.path = strdup(path), .file = H5I_INVALID_HID};
    if (!load->path) {
        return hs_error_memory(error);
    }
    code = check_signature(path, error);
    if (code != HS_OK) {
        return code;
    }
    store_listen(&load->cause);
    load->file = store_open(path);
    if (load->file < 0) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: the HDF5 file is truncated or damaged (HDF5 says: %s). Run the "
                            "experiment again, or `hsim sweep` if it is a merged file.",
                            path, load->cause.text);
    }
    return check_schema(load, error);
}

void load_close(struct load *load)
{
    store_silence();
    if (load->file >= 0) {
        (void)H5Fclose(load->file);
    }
    free(load->path);
    *load = (struct load){.file = H5I_INVALID_HID};
}

/* Rows of a dataset of one dimension; -1: it is none. */
int64_t load_rows(hid_t dataset)
{
    hid_t space = H5Dget_space(dataset);
    hsize_t rows = 0;
    int dimensions = H5Sget_simple_extent_ndims(space);

    if (dimensions == 1) {
        dimensions = H5Sget_simple_extent_dims(space, &rows, NULL);
    }
    (void)H5Sclose(space);
    return dimensions == 1 ? (int64_t)rows : -1;
}

static hid_t open_attr(struct load *load, const char *object, const char *name)
{
    store_listen(&load->cause);
    return H5Aopen_by_name(load->file, object ? object : ".", name, H5P_DEFAULT, H5P_DEFAULT);
}

enum hs_err load_text(struct load *load, const char *object, const char *name, char **text,
                      struct hs_error *error)
{
    hid_t attr = open_attr(load, object, name);
    hid_t type = attr >= 0 ? H5Aget_type(attr) : H5I_INVALID_HID;
    hid_t space = attr >= 0 ? H5Aget_space(attr) : H5I_INVALID_HID;
    bool is_ok = type >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
                 H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;

    *text = is_ok ? calloc(H5Tget_size(type) + 1, 1) : NULL;
    is_ok = *text && H5Aread(attr, type, *text) >= 0;
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    (void)H5Aclose(attr);
    if (!is_ok) {
        free(*text);
        *text = NULL;
        return load_fail(load, name, error);
    }
    return HS_OK;
}

enum hs_err load_number(struct load *load, const char *object, const char *name, hid_t type,
                        void *value, struct hs_error *error)
{
    hid_t attr = open_attr(load, object, name);
    hid_t space = attr >= 0 ? H5Aget_space(attr) : H5I_INVALID_HID;
    bool is_ok = H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attr, type, value) >= 0;

    (void)H5Sclose(space);
    (void)H5Aclose(attr);
    return is_ok ? HS_OK : load_fail(load, name, error);
}

/* Reads fixed-length strings and closes the gaps between them, with room for their ends. */
static char *read_texts(hid_t dataset, hid_t type, size_t count)
{
    size_t width = H5Tget_size(type);
    char *table = calloc(count + 1, width + 1);
    char *texts = calloc(count + 1, width + 1);
    char *end = texts;

    if (!table || !texts || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, table) < 0) {
        free(table);
        free(texts);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        size_t length = strnlen(table + i * width, width);

        memcpy(end, table + i * width, length);
        end[length] = '\0';
        end += length + 1;
    }
    free(table);
    return texts;
}

enum hs_err load_texts(struct load *load, const char *path, char **texts, size_t *count,
                       struct hs_error *error)
{
    hid_t dataset, type, space;
    hssize_t points;

    store_listen(&load->cause);
    *texts = NULL;
    *count = 0;
    dataset = H5Dopen2(load->file, path, H5P_DEFAULT);
    type = dataset >= 0 ? H5Dget_type(dataset) : H5I_INVALID_HID;
    space = dataset >= 0 ? H5Dget_space(dataset) : H5I_INVALID_HID;
    points = H5Sget_simple_extent_npoints(space);
    if (type >= 0 && points >= 0 && H5Tget_class(type) == H5T_STRING &&
        H5Tis_variable_str(type) == 0) {
        *count = (size_t)points;
        *texts = store_is_sound(dataset, 0, *count, &load->cause)
                     ? read_texts(dataset, type, *count)
                     : NULL;
    }
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    (void)H5Dclose(dataset);
    return *texts ? HS_OK : load_fail(load, path, error);
}

/* A whole dataset of one dimension as `type`, 8 bytes each; NULL: failed. */
void *load_column(struct load *load, const char *path, hid_t type, size_t *count)
{
    hid_t dataset;
    int64_t rows;
    void *values = NULL;

    store_listen(&load->cause);
    *count = 0;
    dataset = H5Dopen2(load->file, path, H5P_DEFAULT);
    rows = dataset >= 0 ? load_rows(dataset) : -1;
    if (rows >= 0 && store_is_sound(dataset, 0, (size_t)rows, &load->cause)) {
        values = calloc((size_t)rows + 1, 8);
    }
    if (values && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        free(values);
        values = NULL;
    }
    (void)H5Dclose(dataset);
    *count = values ? (size_t)rows : 0;
    return values;
}

bool load_has(struct load *load, const char *path)
{
    char part[128];

    /* HDF5 asks for each group on the way. */
    store_listen(&load->cause);
    for (const char *end = path; end; end = strchr(end, '/')) {
        size_t length;

        end += end != path;
        length = strcspn(end, "/") + (size_t)(end - path);
        if (length >= sizeof part) {
            return false;
        }
        memcpy(part, path, length);
        part[length] = '\0';
        if (H5Lexists(load->file, part, H5P_DEFAULT) <= 0) {
            return false;
        }
    }
    return true;
}
