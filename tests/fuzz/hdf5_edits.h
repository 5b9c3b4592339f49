/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hdf5_edits.h - sound files of hsim, and edits on them that a damaged disk or a foreign program
 * might make. */
#ifndef HSIM_TESTS_FUZZ_HDF5_EDITS_H
#define HSIM_TESTS_FUZZ_HDF5_EDITS_H

#include <hdf5.h>

#include "fuzz.h"
#include "run/run.h"

#define EDIT_MAX 24

/* HDF5 loses small pieces of memory where it finds a file damaged. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5\n";
}

struct base {
    uint8_t *bytes;
    size_t size;
};

/* An input means the same in each process only if the file does not tell how long the run took. */
static inline void drop_timings(const char *path)
{
    static const char *const names[] = {"wall_s", "cpu_s", "rss_bytes"};
    static const char nothing[8] = {0};
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);

    FUZZ_CHECK(file >= 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        hid_t attr = H5Aopen(file, names[i], H5P_DEFAULT);
        hid_t type = H5Aget_type(attr);

        FUZZ_CHECK(attr >= 0 && H5Tget_size(type) == sizeof nothing);
        FUZZ_CHECK(H5Awrite(attr, type, nothing) >= 0);
        FUZZ_CHECK(H5Tclose(type) >= 0 && H5Aclose(attr) >= 0);
    }
    FUZZ_CHECK(H5Fclose(file) >= 0);
}

/* Runs the first policy of the experiment into a file that tells neither when nor how long. */
static inline void make_run(const char *text, const char *path)
{
    struct run_request request = {.is_forced = true, .command_line = "fuzz", .output = path};
    struct experiment experiment = {0};
    struct run_session *session = NULL;
    struct run_outcome outcome = {0};
    struct hs_error error = {0};
    char *report = NULL;

    FUZZ_CHECK(experiment_load_text(text, strlen(text), "fuzz.yaml", ".", NULL, 0, &experiment,
                                    &report, &error) == HS_OK);
    FUZZ_CHECK(run_open(&experiment, &request, &session, &error) == HS_OK);
    FUZZ_CHECK(run_policy(session, 0, &outcome, &error) == HS_OK);
    run_outcome_fini(&outcome);
    run_close(session);
    experiment_fini(&experiment);
    free(report);
    drop_timings(path);
}

/* The file as bytes; it is removed. */
static inline struct base take_file(const char *path)
{
    struct base base = {malloc(1 << 20), 0};
    FILE *file = fopen(path, "rb");

    FUZZ_CHECK(base.bytes && file);
    base.size = fread(base.bytes, 1, 1 << 20, file);
    FUZZ_CHECK(base.size > 0 && base.size < 1 << 20 && fclose(file) == 0);
    FUZZ_CHECK(unlink(path) == 0);
    return base;
}

/* Opens a file for edits by which it stays well formed. */
static inline hid_t edit_open(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file;

    (void)H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    (void)H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    (void)H5Pset_file_locking(access, false, true);
    file = H5Fopen(path, H5F_ACC_RDWR, access);
    FUZZ_CHECK(file >= 0);
    (void)H5Pclose(access);
    return file;
}

/* A type that the reader may or may not expect; the caller closes it. */
static inline hid_t edit_type(uint8_t choice, bool *is_variable)
{
    hid_t type;

    *is_variable = false;
    switch (choice % 8) {
    case 0:
        return H5Tcopy(H5T_STD_I64BE);
    case 1:
        return H5Tcopy(H5T_NATIVE_INT8);
    case 2:
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    case 3:
        type = H5Tcopy(H5T_C_S1);
        (void)H5Tset_size(type, 1 + choice / 8);
        return type;
    case 4:
        type = H5Tcopy(H5T_C_S1);
        (void)H5Tset_size(type, H5T_VARIABLE);
        *is_variable = true;
        return type;
    case 5:
        type = H5Tcreate(H5T_COMPOUND, 16);
        (void)H5Tinsert(type, "a", 0, H5T_NATIVE_INT64);
        return type;
    case 6:
        return H5Tcreate(H5T_OPAQUE, 8);
    default:
        return H5Tcopy(H5T_NATIVE_UINT64);
    }
}

static inline hid_t edit_space(uint8_t choice)
{
    hsize_t sizes[2] = {choice / 4, 3};

    switch (choice % 4) {
    case 0:
        return H5Screate(H5S_SCALAR);
    case 1:
        return H5Screate(H5S_NULL);
    case 2:
        return H5Screate_simple(1, sizes, NULL);
    default:
        return H5Screate_simple(2, sizes, NULL);
    }
}

/* Puts another attribute (`name`) or dataset (NULL) in the place of the one that is there. */
static inline void edit_replace(hid_t file, const char *object, const char *name,
                                struct fuzz_bytes *bytes)
{
    static const char content[65536] = "none";
    bool is_variable;
    hid_t type = edit_type(fuzz_u8(bytes), &is_variable);
    hid_t space = edit_space(fuzz_u8(bytes));
    const char *texts[256] = {0};
    const void *values = is_variable ? (const void *)texts : content;
    hid_t made;

    if (name) {
        (void)H5Adelete_by_name(file, object, name, H5P_DEFAULT);
        made = H5Acreate_by_name(file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT,
                                 H5P_DEFAULT);
        (void)H5Awrite(made, type, values);
        (void)H5Aclose(made);
    } else {
        (void)H5Ldelete(file, object, H5P_DEFAULT);
        made = H5Dcreate2(file, object, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        (void)H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        (void)H5Dclose(made);
    }
    (void)H5Sclose(space);
    (void)H5Tclose(type);
}

/* May the number be written as it is: a byte of an enumeration, a few characters? A text of
 * variable length is the address of one to HDF5, which no program hands it unless it is valid. */
static inline bool edit_is_plain(hid_t type)
{
    return H5Tget_size(type) <= sizeof(int64_t) && H5Tis_variable_str(type) == 0;
}

/* Another number in a row of a dataset. */
static inline void edit_number(hid_t dataset, struct fuzz_bytes *bytes)
{
    hsize_t row = fuzz_u8(bytes);
    int64_t value = fuzz_number(bytes);
    hsize_t one = 1;
    hid_t space, memory, type;

    space = H5Dget_space(dataset);
    memory = H5Screate_simple(1, &one, NULL);
    type = H5Dget_type(dataset);
    if (H5Sget_simple_extent_npoints(space) > 0) {
        row %= (hsize_t)H5Sget_simple_extent_npoints(space);
    }
    (void)H5Sselect_hyperslab(space, H5S_SELECT_SET, &row, NULL, &one, NULL);
    if (H5Tget_class(type) == H5T_INTEGER) {
        (void)H5Dwrite(dataset, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, &value);
    } else if (edit_is_plain(type)) {
        (void)H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, &value);
    }
    (void)H5Tclose(type);
    (void)H5Sclose(memory);
    (void)H5Sclose(space);
}

static inline void edit_extent(hid_t file, const char *const *datasets, size_t count,
                               struct fuzz_bytes *bytes)
{
    hsize_t rows = (hsize_t)fuzz_u8(bytes) * 8;
    hid_t dataset = H5Dopen2(file, datasets[fuzz_u8(bytes) % count], H5P_DEFAULT);

    (void)H5Dset_extent(dataset, &rows);
    (void)H5Dclose(dataset);
}

/* Edits of the bytes behind HDF5's back. Half of them look for the nodes of the index of chunks,
 * which alone have no checksum. */
static inline void edit_bytes(int file, struct fuzz_bytes *bytes)
{
    off_t length = lseek(file, 0, SEEK_END);
    size_t size = length > 0 ? (size_t)length : 0;

    FUZZ_CHECK(size > 0);
    for (unsigned i = 0; i < EDIT_MAX && fuzz_left(bytes); i++) {
        uint8_t choice = fuzz_u8(bytes);
        off_t at = (off_t)(fuzz_u32(bytes) % size);
        uint8_t value = fuzz_u8(bytes);
        uint8_t *content = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);

        FUZZ_CHECK(content != MAP_FAILED);
        if (choice & 1u) {
            const uint8_t *tree = memmem(content + at, size - (size_t)at, "TREE", 4);

            at = tree ? tree - content + choice / 2 % 96 : at;
            at = at < (off_t)size ? at : (off_t)size - 1;
        }
        FUZZ_CHECK(munmap(content, size) == 0);
        FUZZ_CHECK(pwrite(file, &value, 1, at) == 1);
        if (choice == 0xfe) {
            FUZZ_CHECK(ftruncate(file, at) == 0);
            return;
        }
    }
}

#endif
