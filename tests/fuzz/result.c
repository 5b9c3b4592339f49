/* SPDX-License-Identifier: GPL-3.0-or-later */
/* result.c - result files that are damaged: the reader and the checks read them or say why not.
 *
 * The bytes are a list of edits on a sound file: changed bytes, cut ends, other numbers in columns,
 * packed chunks of other sizes, and attributes and datasets of other types and sizes, which only a
 * foreign program would write. hsim makes the sound files itself at the start. */
#include <hdf5.h>
#include <zlib.h>

#include "fuzz.h"
#include "result/check.h"
#include "result/contents.h"
#include "result/scan.h"
#include "run/run.h"

/* HDF5 loses small pieces of memory where it finds a file damaged. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5\n";
}

#define BASE_COUNT 3
#define EDIT_MAX   24

struct base {
    uint8_t *bytes;
    size_t size;
};

static const char *const experiments[BASE_COUNT] = {
    "hsim: 1\nplatform: {nodes: 8, cores: 2, memory: 4GiB}\nworkload: {generate: {jobs: 12}}\n"
    "policy: easy\noutput: {compression: none}\n",
    "hsim: 1\nplatform: {nodes: 8, cores: 1}\nworkload: {generate: {jobs: 12}}\n"
    "policy: fcfs\noutput: {compression: deflate-6, series: 1h}\n",
    "hsim: 1\nplatform: {nodes: 4, cores: 2}\nworkload: {generate: {jobs: 3}}\n"
    "policy: sjf\noutput: {compression: none, series: none, allocations: false}\n",
};

/* An input means the same in each process only if the file does not tell how long the run took. */
static void drop_timings(const char *path)
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

/* Runs the experiment; the result as bytes. */
static struct base make_base(const char *text)
{
    struct run_request request = {.is_forced = true, .command_line = "fuzz"};
    struct experiment experiment = {0};
    struct run_session *session = NULL;
    struct run_outcome outcome = {0};
    struct hs_error error = {0};
    char folder[] = "/tmp/hsim-fuzz-XXXXXX";
    char path[64];
    char *report = NULL;
    struct base base = {malloc(1 << 20), 0};
    FILE *file;

    FUZZ_CHECK(base.bytes && mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/base.h5", folder);
    request.output = path;
    FUZZ_CHECK(experiment_load_text(text, strlen(text), "fuzz.yaml", ".", NULL, 0, &experiment,
                                    &report, &error) == HS_OK);
    FUZZ_CHECK(run_open(&experiment, &request, &session, &error) == HS_OK);
    FUZZ_CHECK(run_policy(session, 0, &outcome, &error) == HS_OK);
    run_outcome_fini(&outcome);
    run_close(session);
    experiment_fini(&experiment);
    free(report);
    drop_timings(path);
    file = fopen(path, "rb");
    FUZZ_CHECK(file);
    base.size = fread(base.bytes, 1, 1 << 20, file);
    FUZZ_CHECK(base.size > 0 && base.size < 1 << 20 && fclose(file) == 0);
    FUZZ_CHECK(unlink(path) == 0 && rmdir(folder) == 0);
    return base;
}

/* Made once a process: a simulation for each input would be most of the time. */
static const struct base *get_base(uint8_t choice)
{
    static struct base bases[BASE_COUNT];
    struct base *base = &bases[choice % BASE_COUNT];

    if (!base->bytes) {
        *base = make_base(experiments[choice % BASE_COUNT]);
    }
    return base;
}

static const char *const attributes[][2] = {
    {".", "hsim_schema"},
    {".", "schedule_digest"},
    {"series", "mode"},
    {"series", "end_ns"},
    {"series", "alloc_integral"},
    {"series", "queue_integral"},
    {"series", "interval_ns"},
    {"platform", "device_count"},
    {"platform", "cores_milli"},
    {"platform", "node_count"},
    {".", "status"},
    {".", "seed"},
};

static const char *const datasets[] = {
    "jobs/id",
    "jobs/state",
    "jobs/start",
    "jobs/wait",
    "jobs/measured",
    "allocations/job",
    "series/time",
    "series/queue",
    "summary/name",
    "summary/value",
    "summary/n",
    "summary/doc",
    "provenance/config",
    "platform/nodes/name",
    "platform/nodes/cores_milli",
    "platform/nodes/mem",
    "allocations",
    "series",
    "jobs",
};

/* A type that the reader may or may not expect; the caller closes it. */
static hid_t choose_type(uint8_t choice, bool *is_variable)
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

static hid_t choose_space(uint8_t choice)
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
static void replace(hid_t file, const char *object, const char *name, struct fuzz_bytes *bytes)
{
    static const char content[65536] = "none";
    bool is_variable;
    hid_t type = choose_type(fuzz_u8(bytes), &is_variable);
    hid_t space = choose_space(fuzz_u8(bytes));
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
static bool is_plain(hid_t type)
{
    return H5Tget_size(type) <= sizeof(int64_t) && H5Tis_variable_str(type) == 0;
}

static hid_t open_column(hid_t file, struct fuzz_bytes *bytes)
{
    static const struct result_table *const tables[] = {
        &result_jobs_table, &result_allocations_table, &result_series_table};
    const struct result_table *table = tables[fuzz_u8(bytes) % 3];
    const char *column = table->columns[fuzz_u8(bytes) % table->column_count].name;
    char path[64];

    (void)snprintf(path, sizeof path, "%s/%s", table->name, column);
    return H5Dopen2(file, path, H5P_DEFAULT);
}

/* Puts packed zeros in the place of the first chunk of a column, too many or too few. */
static void set_chunk(hid_t file, struct fuzz_bytes *bytes)
{
    static const uint8_t zeros[UINT16_MAX];
    static uint8_t packed[UINT16_MAX + 1024];
    hid_t dataset = open_column(file, bytes);
    uLongf length = sizeof packed;
    hsize_t row = 0;

    FUZZ_CHECK(compress(packed, &length, zeros, fuzz_u16(bytes)) == Z_OK);
    length -= fuzz_u8(bytes) % length;
    (void)H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &row, length, packed);
    (void)H5Dclose(dataset);
}

/* Another number in a row of a column. */
static void set_number(hid_t file, struct fuzz_bytes *bytes)
{
    hid_t dataset = open_column(file, bytes);
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
    } else if (is_plain(type)) {
        (void)H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, &value);
    }
    (void)H5Tclose(type);
    (void)H5Sclose(memory);
    (void)H5Sclose(space);
    (void)H5Dclose(dataset);
}

static void set_extent(hid_t file, struct fuzz_bytes *bytes)
{
    hsize_t rows = (hsize_t)fuzz_u8(bytes) * 8;
    hid_t dataset = H5Dopen2(
        file, datasets[fuzz_u8(bytes) % (sizeof datasets / sizeof datasets[0])], H5P_DEFAULT);

    (void)H5Dset_extent(dataset, &rows);
    (void)H5Dclose(dataset);
}

/* Edits through HDF5: the file stays well formed. */
static void edit_objects(const char *path, struct fuzz_bytes *bytes, unsigned count)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file;

    (void)H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    (void)H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    (void)H5Pset_file_locking(access, false, true);
    file = H5Fopen(path, H5F_ACC_RDWR, access);
    FUZZ_CHECK(file >= 0);
    for (unsigned i = 0; i < count && fuzz_left(bytes); i++) {
        uint8_t choice = fuzz_u8(bytes);
        size_t attribute = choice / 8 % (sizeof attributes / sizeof attributes[0]);
        const char *dataset = datasets[choice / 8 % (sizeof datasets / sizeof datasets[0])];

        switch (choice % 8) {
        case 0:
            replace(file, attributes[attribute][0], attributes[attribute][1], bytes);
            break;
        case 1:
            replace(file, dataset, NULL, bytes);
            break;
        case 2:
            (void)H5Ldelete(file, dataset, H5P_DEFAULT);
            break;
        case 3:
            set_extent(file, bytes);
            break;
        case 7:
            set_chunk(file, bytes);
            break;
        default:
            set_number(file, bytes);
        }
    }
    FUZZ_CHECK(H5Fclose(file) >= 0);
    (void)H5Pclose(access);
}

/* Edits of the bytes behind HDF5's back. Half of them look for the nodes of the index of chunks,
 * which alone have no checksum. */
static void edit_bytes(int file, struct fuzz_bytes *bytes)
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

static void read_tables(struct result_reader *reader)
{
    static const char *const names[] = {"jobs", "allocations", "series"};
    struct hs_error error = {0};

    for (size_t i = 0; i < 3; i++) {
        const struct result_table *table = result_reader_table(reader, names[i]);
        int64_t rows = result_reader_rows(reader, table);
        size_t count = rows < 64 ? (size_t)rows : 64;
        double reals[64];
        int64_t numbers[64];

        for (size_t k = 0; table && k < table->column_count; k++) {
            if (!result_has_column(table, k)) {
                continue;
            }
            enum hs_err err = table->columns[k].type == RESULT_F64
                                  ? result_reader_doubles(reader, table, k, 0, count, reals, &error)
                                  : result_reader_ints(reader, table, k, 0, count, numbers, &error);

            for (size_t r = 0; err == HS_OK && table->columns[k].type == RESULT_STATE && r < count;
                 r++) {
                FUZZ_CHECK(*result_state_name((enum result_state)numbers[r]));
            }
            if (err != HS_OK) {
                fuzz_check_error(err, &error);
            }
        }
    }
}

static void read_all(struct result_reader *reader)
{
    struct result_check checks[RESULT_CHECKS_MAX];
    struct result_summary summary;
    struct hs_error error = {0};
    char *text = NULL;
    int64_t *values = NULL;
    size_t count = 0;

    if (result_check(reader, checks, &count, &error) == HS_OK) {
        FUZZ_CHECK(count <= RESULT_CHECKS_MAX);
    } else {
        fuzz_check_error(error.code, &error);
    }
    if (result_reader_summary(reader, &summary, &error) == HS_OK) {
        (void)result_summary_get(&summary, "wait_mean_s");
    }
    result_summary_fini(&summary);
    for (size_t i = 0; i < sizeof datasets / sizeof datasets[0]; i++) {
        if (result_reader_texts(reader, datasets[i], &text, &count, &error) == HS_OK) {
            const char *at = text;

            for (size_t k = 0; k < count; k++) {
                at += strlen(at) + 1;
            }
        }
        free(text);
        (void)!result_reader_column(reader, datasets[i], &values, &count, &error);
        free(values);
    }
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        int64_t number;
        double real;

        if (result_reader_text(reader, attributes[i][0], attributes[i][1], &text, &error) ==
            HS_OK) {
            FUZZ_CHECK(strlen(text) < 100000);
        }
        free(text);
        (void)!result_reader_int(reader, attributes[i][0], attributes[i][1], &number, &error);
        (void)!result_reader_double(reader, attributes[i][0], attributes[i][1], &real, &error);
    }
    read_tables(reader);
}

/* All that there is, of a file that need not be a result. */
static void read_contents(const char *path)
{
    struct contents *contents = NULL;
    struct hs_error error = {0};
    enum hs_err err = contents_open(path, &contents, &error);

    for (size_t i = 0; err == HS_OK && i < contents->table_count; i++) {
        const struct contents_table *table = &contents->tables[i];
        size_t count = table->rows < 64 ? (size_t)table->rows : 64;

        for (size_t k = 0; k < table->column_count && err == HS_OK; k++) {
            const struct contents_column *column = &table->columns[k];
            size_t size = column->type == CONTENTS_TEXT ? column->text_size : 8;
            void *values = calloc(count + 1, size);

            FUZZ_CHECK(values);
            err = column->type == CONTENTS_TEXT
                      ? contents_texts(contents, table, column, 0, count, values, &error)
                  : column->type == CONTENTS_REAL
                      ? contents_reals(contents, table, column, 0, count, values, &error)
                      : contents_ints(contents, table, column, 0, count, values, &error);
            for (size_t r = 0; err == HS_OK && column->type == CONTENTS_WORD && r < count; r++) {
                const char *word = contents_word(column, ((const int64_t *)values)[r]);

                FUZZ_CHECK(!word || strlen(word) < 100000);
            }
            free(values);
        }
    }
    if (err != HS_OK) {
        fuzz_check_error(err, &error);
    }
    contents_close(contents);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = fuzz_begin(data, size);
    uint8_t choice = fuzz_u8(&bytes);
    uint8_t object_edits = fuzz_u8(&bytes) % EDIT_MAX;
    const struct base *base = get_base(choice);
    struct result_reader *reader = NULL;
    struct hs_error error = {0};
    char path[] = "/tmp/hsim-fuzz-XXXXXX"; /* HDF5 follows the links of /proc to nowhere */
    int file = mkstemp(path);
    enum hs_err err;

    FUZZ_CHECK(file >= 0 && write(file, base->bytes, base->size) == (ssize_t)base->size);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (object_edits) {
        edit_objects(path, &bytes, object_edits);
    }
    edit_bytes(file, &bytes);
    err = result_reader_open(path, &reader, &error);
    if (err == HS_OK) {
        read_all(reader);
    } else {
        fuzz_check_error(err, &error);
        FUZZ_CHECK(!reader);
    }
    result_reader_close(reader);
    read_contents(path);
    FUZZ_CHECK(close(file) == 0 && unlink(path) == 0);
    return 0;
}
