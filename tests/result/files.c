/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files.c - what can be wrong with files: each case has its code, a sentence and a remedy, and
 * leaves nothing behind. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <hdf5.h>

#include "fake.h"
#include "result/reader.h"

/* HDF5 loses small pieces of memory where it finds a file damaged. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5\n";
}

static const struct fake_job job = {.end = 10, .procs = 1, .spans = {{0, 1, 1}}, .span_count = 1};

/* Writes a run of `count` jobs; the code of the first failure. */
static enum hs_err write_run(const char *path, bool is_forced, int64_t count, const char *command,
                             struct hs_error *error)
{
    struct hs_cluster *cluster = fake_cluster(1, 1);
    struct result_meta meta = fake_meta(cluster);
    struct result_options options = {.path = path, .is_forced = is_forced, .has_allocations = true};
    struct result_writer *writer = NULL;
    struct result_summary summary = {0};
    enum hs_err code;

    *error = (struct hs_error){0};
    if (command) {
        meta.command_line = command;
    }
    code = result_writer_create(&options, &meta, &writer, error);
    for (int64_t i = 0; i < count && code == HS_OK; i++) {
        code = fake_write(writer, &job, (size_t)i, error);
        if (code != HS_OK) {
            result_writer_abort(writer);
            writer = NULL;
        }
    }
    if (code == HS_OK) {
        code = result_writer_finish(writer, &fake_final, &summary, error);
        result_summary_fini(&summary);
    }
    hs_cluster_destroy(cluster);
    return code;
}

static void expect_error(enum hs_err code, const struct hs_error *error, enum hs_err expected,
                         const char *path, const char *cause, const char *remedy)
{
    if (code != expected || error->code != expected ||
        strncmp(error->text, path, strlen(path)) != 0 || !strstr(error->text, cause) ||
        !strstr(error->text, remedy)) {
        (void)printf("\n    code %d: %s ", code, error->text);
        CU_FAIL("error");
    }
}

static void expect_gone(const char *path)
{
    char part[320];

    (void)snprintf(part, sizeof part, "%s.part", path);
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
    CU_ASSERT_NOT_EQUAL(access(part, F_OK), 0);
}

static void expect_write_error(const char *path, enum hs_err expected, const char *cause,
                               const char *remedy)
{
    struct hs_error error;
    enum hs_err code = write_run(path, false, 1, NULL, &error);

    expect_error(code, &error, expected, path, cause, remedy);
}

static void test_bad_places(void)
{
    char path[256];
    char long_name[512];

    fake_path("no/such/folder/x.h5", path);
    expect_write_error(path, HS_ERR_SYSTEM, "no/such/folder\" does not exist", "Create it");
    expect_write_error(fake_folder(), HS_ERR_CONFIG, "this is a folder", "-o");
    expect_write_error("/dev/full", HS_ERR_CONFIG, "no regular file", "-o");
    (void)snprintf(long_name, sizeof long_name, "%s/%0250d.h5", fake_folder(), 1);
    expect_write_error(long_name, HS_ERR_SYSTEM, "too long", "shorter");
    expect_write_error("/proc/x.h5", HS_ERR_SYSTEM, "\"/proc\"", "-o");
    CU_ASSERT_EQUAL(access("/dev/full", F_OK), 0);
}

static void test_unwritable_folder(void)
{
    char folder[256];
    char path[300];

    fake_path("locked", folder);
    CU_ASSERT_EQUAL_FATAL(mkdir(folder, 0555), 0);
    (void)snprintf(path, sizeof path, "%s/x.h5", folder);
    /* Root may write anywhere: become somebody else for a moment. */
    if (geteuid() == 0) {
        CU_ASSERT_EQUAL_FATAL(chmod(fake_folder(), 0755), 0);
        CU_ASSERT_EQUAL_FATAL(seteuid(65534), 0);
        expect_write_error(path, HS_ERR_SYSTEM, "cannot be written: Permission denied", "-o");
        CU_ASSERT_EQUAL_FATAL(seteuid(0), 0);
    } else {
        expect_write_error(path, HS_ERR_SYSTEM, "cannot be written: Permission denied", "-o");
    }
    expect_gone(path);
}

static long size_of(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? (long)status.st_size : -1;
}

static void test_existing(void)
{
    struct hs_error error;
    char path[256];
    FILE *file = fopen(fake_path("mine.h5", path), "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    (void)fputs("precious", file);
    (void)fclose(file);
    expect_write_error(path, HS_ERR_CONFIG, "exists already", "--force");
    CU_ASSERT_EQUAL(size_of(path), 8);
    CU_ASSERT_EQUAL(write_run(path, true, 1, NULL, &error), HS_OK);
    CU_ASSERT(size_of(path) > 1000);
}

/* A file of that name that comes while the run goes on is not replaced either. */
static void test_existing_late(void)
{
    struct hs_cluster *cluster = fake_cluster(1, 1);
    struct result_meta meta = fake_meta(cluster);
    char path[256];
    struct result_options options = {.path = fake_path("late.h5", path)};
    struct result_writer *writer = NULL;
    struct result_summary summary;
    struct hs_error error = {0};
    enum hs_err code = result_writer_create(&options, &meta, &writer, &error);
    FILE *file = fopen(path, "w");

    CU_ASSERT_EQUAL_FATAL(code, HS_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    (void)fclose(file);
    code = result_writer_finish(writer, &fake_final, &summary, &error);
    expect_error(code, &error, HS_ERR_CONFIG, path, "exists already", "--force");
    CU_ASSERT_EQUAL(size_of(path), 0);
    CU_ASSERT_EQUAL(unlink(path), 0);
    expect_gone(path);
    hs_cluster_destroy(cluster);
}

static void test_abort(void)
{
    struct hs_cluster *cluster = fake_cluster(1, 1);
    struct result_meta meta = fake_meta(cluster);
    char path[256];
    char part[256];
    struct result_options options = {.path = fake_path("abort.h5", path)};
    struct result_writer *writer = NULL;

    CU_ASSERT_EQUAL_FATAL(result_writer_create(&options, &meta, &writer, NULL), HS_OK);
    CU_ASSERT_EQUAL(access(fake_path("abort.h5.part", part), F_OK), 0);
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
    result_writer_abort(writer);
    expect_gone(path);
    result_writer_abort(NULL);
    hs_cluster_destroy(cluster);
}

/* A limit for the size of files stands for a full disk: it may strike at any write. */
static void test_full(void)
{
    static const rlim_t limits[] = {1, 3000, 20000, 100000, 4000000};
    struct rlimit before;
    struct hs_error error;
    char path[256];

    CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_FSIZE, &before), 0);
    CU_ASSERT_NOT_EQUAL(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct rlimit limit = {limits[i], before.rlim_max};
        enum hs_err code;

        CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
        code = write_run(fake_path("full.h5", path), false, 70000, NULL, &error);
        CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_FSIZE, &before), 0);
        expect_error(code, &error, HS_ERR_SYSTEM, path, "File too large", "ulimit -f");
        expect_gone(path);
    }
    CU_ASSERT_EQUAL(write_run(path, false, 1, NULL, &error), HS_OK);
}

static void test_full_disk(void)
{
    struct hs_error error;
    char folder[256];
    char path[300];
    enum hs_err code;

    CU_ASSERT_EQUAL_FATAL(mkdir(fake_path("disk", folder), 0755), 0);
    if (mount("tmpfs", folder, "tmpfs", 0, "size=512k") != 0) {
        (void)printf("skipped: no mount: %s ", strerror(errno));
        return;
    }
    (void)snprintf(path, sizeof path, "%s/x.h5", folder);
    code = write_run(path, false, 70000, NULL, &error);
    expect_error(code, &error, HS_ERR_SYSTEM, path, "No space left on device", "Free space");
    expect_gone(path);
    CU_ASSERT_EQUAL(write_run(path, false, 1, NULL, &error), HS_OK);
    CU_ASSERT_EQUAL(umount(folder), 0);
}

static void expect_read_error(const char *path, const char *cause, const char *remedy)
{
    struct result_reader *reader = NULL;
    struct hs_error error = {0};
    enum hs_err code = result_reader_open(path, &reader, &error);

    expect_error(code, &error, HS_ERR_INPUT, path, cause, remedy);
    CU_ASSERT_PTR_NULL(reader);
    result_reader_close(reader);
}

static void write_bytes(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL(fwrite(bytes, 1, length, file), length);
    CU_ASSERT_EQUAL(fclose(file), 0);
}

static void test_no_result(void)
{
    char path[256];
    hid_t file;

    expect_read_error(fake_path("none.h5", path), "No such file", "hsim run");
    write_bytes(path, "", 0);
    expect_read_error(path, "is empty", "hsim run");
    write_bytes(path, "id,start,end\n1,2,3\n", 19);
    expect_read_error(path, "no HDF5 file", "hsim run");
    expect_read_error(fake_folder(), "this is a folder", "Name a result file inside it");
    file = H5Fcreate(fake_path("other.h5", path), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    CU_ASSERT(file >= 0);
    CU_ASSERT(H5Fclose(file) >= 0);
    expect_read_error(path, "no result of hsim", "hsim run");
}

static void test_unfinished(void)
{
    struct hs_error error;
    char path[256];
    char part[256];

    CU_ASSERT_EQUAL_FATAL(write_run(fake_path("u.h5", path), true, 1, NULL, &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(rename(path, fake_path("u.h5.part", part)), 0);
    expect_read_error(part, "unfinished", "run the experiment again");
}

static void test_newer(void)
{
    struct hs_error error;
    char path[256];
    int64_t schema = 7;
    hid_t file, attr;

    CU_ASSERT_EQUAL_FATAL(write_run(fake_path("newer.h5", path), true, 1, NULL, &error), HS_OK);
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    attr = H5Aopen(file, "hsim_schema", H5P_DEFAULT);
    CU_ASSERT(H5Awrite(attr, H5T_NATIVE_INT64, &schema) >= 0);
    CU_ASSERT(H5Aclose(attr) >= 0 && H5Fclose(file) >= 0);
    expect_read_error(path, "schema 7", "newer hsim");
}

/* Every truncation is an error with a sentence, and never a crash; so is damage anywhere, unless
 * it strikes data. */
static void test_damaged(void)
{
    struct hs_error error;
    char path[256];
    char *bytes = malloc(1u << 22);
    size_t length;
    FILE *file;

    CU_ASSERT_EQUAL_FATAL(write_run(fake_path("whole.h5", path), true, 1, NULL, &error), HS_OK);
    file = fopen(path, "rb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    length = fread(bytes, 1, 1u << 22, file);
    (void)fclose(file);
    fake_path("damaged.h5", path);
    for (size_t cut = 9; cut < length; cut += length / 61) {
        write_bytes(path, bytes, cut);
        expect_read_error(path, "truncated or damaged", "Run the experiment again");
    }
    for (size_t place = 8; place + 64 < length; place += length / 211) {
        struct result_reader *reader = NULL;
        char kept[64];

        memcpy(kept, bytes + place, sizeof kept);
        memset(bytes + place, 0xa5, sizeof kept);
        write_bytes(path, bytes, length);
        memcpy(bytes + place, kept, sizeof kept);
        error = (struct hs_error){0};
        CU_ASSERT_EQUAL(result_reader_open(path, &reader, &error) == HS_OK, error.text[0] == '\0');
        CU_ASSERT(error.code == HS_OK || error.code == HS_ERR_INPUT);
        result_reader_close(reader);
    }
    free(bytes);
}

/* Attributes beyond 64 KiB are kept too. */
static void test_long_command(void)
{
    struct result_reader *reader = NULL;
    struct hs_error error;
    char path[256];
    char *command = malloc(200001);
    char *text = NULL;

    memset(command, 'x', 200000);
    command[200000] = '\0';
    CU_ASSERT_EQUAL_FATAL(write_run(fake_path("long.h5", path), true, 1, command, &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(result_reader_text(reader, NULL, "command_line", &text, &error), HS_OK);
    CU_ASSERT_STRING_EQUAL(text, command);
    result_reader_close(reader);
    free(text);
    free(command);
}

/* Two writers at a time keep their rows and their errors apart. */
static void test_two_writers(void)
{
    struct hs_cluster *cluster = fake_cluster(1, 1);
    struct result_meta meta = fake_meta(cluster);
    char paths[2][256];
    struct result_writer *writers[2] = {NULL, NULL};
    struct result_summary summaries[2];

    for (int i = 0; i < 2; i++) {
        struct result_options options = {.is_forced = true};

        options.path = fake_path(i ? "two.h5" : "one.h5", paths[i]);
        CU_ASSERT_EQUAL_FATAL(result_writer_create(&options, &meta, &writers[i], NULL), HS_OK);
    }
    for (size_t row = 0; row < 10; row++) {
        CU_ASSERT_EQUAL(fake_write(writers[row % 3 == 0], &job, row, NULL), HS_OK);
    }
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL_FATAL(result_writer_finish(writers[i], &fake_final, &summaries[i], NULL),
                              HS_OK);
        CU_ASSERT_EQUAL(result_summary_get(&summaries[i], "jobs"), i ? 4 : 6);
        result_summary_fini(&summaries[i]);
    }
    hs_cluster_destroy(cluster);
}

static void test_input_digest(void)
{
    const volatile sig_atomic_t go = 0;
    const volatile sig_atomic_t stop = 1;
    struct result_input input = {0};
    struct hs_error error = {0};
    char path[256];
    enum hs_err code;

    write_bytes(fake_path("input", path), "abc", 3);
    CU_ASSERT_EQUAL(result_input_digest(path, &input, &error), HS_OK);
    CU_ASSERT_EQUAL(input.bytes, 3);
    CU_ASSERT_STRING_EQUAL(input.xxh128, "06b05ab6733a618578af5f94892f3950");
    write_bytes(path, "", 0);
    CU_ASSERT_EQUAL(result_input_digest(path, &input, &error), HS_OK);
    CU_ASSERT_EQUAL(input.bytes, 0);
    CU_ASSERT_STRING_EQUAL(input.xxh128, "99aa06d3014798d86001c324468d497f");
    write_bytes(path, "abc", 3);
    code = result_input_digest_until(path, &go, &input, &error);
    CU_ASSERT_EQUAL(code, HS_OK);
    CU_ASSERT_STRING_EQUAL(input.xxh128, "06b05ab6733a618578af5f94892f3950");
    code = result_input_digest_until(path, &stop, &input, &error);
    expect_error(code, &error, HS_ERR_INTERRUPTED, path, "interrupted", "");
    fake_path("nothing", path);
    code = result_input_digest(path, &input, &error);
    expect_error(code, &error, HS_ERR_INPUT, path, "No such file", "");
}

static const struct unit_test tests[] = {
    {"bad places", test_bad_places},
    {"unwritable folder", test_unwritable_folder},
    {"existing", test_existing},
    {"existing, late", test_existing_late},
    {"abort", test_abort},
    {"full", test_full},
    {"full disk", test_full_disk},
    {"no result", test_no_result},
    {"unfinished", test_unfinished},
    {"newer", test_newer},
    {"damaged", test_damaged},
    {"long command line", test_long_command},
    {"two writers", test_two_writers},
    {"digest of an input", test_input_digest},
};

UNIT_MAIN("result files", tests)
