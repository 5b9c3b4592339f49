/* SPDX-License-Identifier: GPL-3.0-or-later */
/* result.c - result files that are damaged: the reader and the checks read them or say why not.
 *
 * The bytes are a list of edits on a sound file: changed bytes, cut ends, other numbers in columns,
 * packed chunks of other sizes, and attributes and datasets of other types and sizes, which only a
 * foreign program would write. hsim makes the sound files itself at the start. */
#include <zlib.h>

#include "hdf5_edits.h"
#include "result/check.h"
#include "result/contents.h"
#include "result/scan.h"

#define BASE_COUNT 3

static const char *const experiments[BASE_COUNT] = {
    "hsim: 1\nplatform: {nodes: 8, cores: 2, memory: 4GiB}\nworkload: {generate: {jobs: 12}}\n"
    "policy: easy\noutput: {compression: none}\n",
    "hsim: 1\nplatform: {nodes: 8, cores: 1}\nworkload: {generate: {jobs: 12}}\n"
    "policy: fcfs\noutput: {compression: deflate-6, series: 1h}\n",
    "hsim: 1\nplatform: {nodes: 4, cores: 2}\nworkload: {generate: {jobs: 3}}\n"
    "policy: sjf\noutput: {compression: none, series: none, allocations: false}\n",
};

/* Made once a process: a simulation for each input would be most of the time. */
static const struct base *get_base(uint8_t choice)
{
    static struct base bases[BASE_COUNT];
    struct base *base = &bases[choice % BASE_COUNT];

    if (!base->bytes) {
        char folder[] = "/tmp/hsim-fuzz-XXXXXX";
        char path[64];

        FUZZ_CHECK(mkdtemp(folder));
        (void)snprintf(path, sizeof path, "%s/base.h5", folder);
        make_run(experiments[choice % BASE_COUNT], path);
        *base = take_file(path);
        FUZZ_CHECK(rmdir(folder) == 0);
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

static void set_number(hid_t file, struct fuzz_bytes *bytes)
{
    hid_t dataset = open_column(file, bytes);

    edit_number(dataset, bytes);
    (void)H5Dclose(dataset);
}

/* Edits through HDF5: the file stays well formed. */
static void edit_objects(const char *path, struct fuzz_bytes *bytes, unsigned count)
{
    hid_t file = edit_open(path);

    for (unsigned i = 0; i < count && fuzz_left(bytes); i++) {
        uint8_t choice = fuzz_u8(bytes);
        size_t attribute = choice / 8 % (sizeof attributes / sizeof attributes[0]);
        const char *dataset = datasets[choice / 8 % (sizeof datasets / sizeof datasets[0])];

        switch (choice % 8) {
        case 0:
            edit_replace(file, attributes[attribute][0], attributes[attribute][1], bytes);
            break;
        case 1:
            edit_replace(file, dataset, NULL, bytes);
            break;
        case 2:
            (void)H5Ldelete(file, dataset, H5P_DEFAULT);
            break;
        case 3:
            edit_extent(file, datasets, sizeof datasets / sizeof datasets[0], bytes);
            break;
        case 7:
            set_chunk(file, bytes);
            break;
        default:
            set_number(file, bytes);
        }
    }
    FUZZ_CHECK(H5Fclose(file) >= 0);
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
