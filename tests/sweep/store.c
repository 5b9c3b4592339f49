/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store.c - the folder of a sweep: who may work in it, what its files mean, what is cleaned. */
#include "sweep/store.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/overview.h"
#include "unit.h"

#define KEY_A "0123456789abcdef0123456789abcdef"
#define KEY_B "00000000000000000000000000000000"
#define KEY_C "ffffffffffffffffffffffffffffffff"

/* Each test has an empty folder of its own for the working directory. */
static void enter(void)
{
    char folder[] = "/tmp/hsim-store-XXXXXX";

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    CU_ASSERT_EQUAL_FATAL(chdir(folder), 0);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

static void leave(void)
{
    char *folder = getcwd(NULL, 0);

    CU_ASSERT_EQUAL(chdir("/"), 0);
    CU_ASSERT_EQUAL(nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
    free(folder);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

static bool is_there(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

static struct sweep_store *open_store(const char *runs, enum sweep_access access)
{
    struct sweep_store *store = NULL;
    struct hs_error error = {0};

    CU_ASSERT_EQUAL_FATAL(sweep_store_open("dir", runs, access, &store, &error), HS_OK);
    return store;
}

/* Opening it ends with this error, whose sentence holds the words. */
static void refuse(const char *runs, enum sweep_access access, enum hs_err wanted,
                   const char *words)
{
    struct sweep_store *store = NULL;
    struct hs_error error = {0};

    CU_ASSERT_EQUAL(sweep_store_open("dir", runs, access, &store, &error), wanted);
    CU_ASSERT_PTR_NULL(store);
    if (!strstr(error.text, words)) {
        printf("\n'%s' is not in: %s\n", words, error.text);
        CU_FAIL("another sentence");
    }
    sweep_store_close(store);
}

static void one_sweep_at_a_time(void)
{
    char words[128];
    struct sweep_store *first;
    struct sweep_store *second;

    enter();
    refuse(NULL, SWEEP_LOOK, HS_ERR_CONFIG, "there is no sweep in this folder");
    CU_ASSERT_FALSE(is_there("dir")); /* looking makes nothing */
    first = open_store(NULL, SWEEP_ALONE);
    CU_ASSERT(sweep_store_is_locked(first, SWEEP_ALONE));
    CU_ASSERT(sweep_store_is_locked(first, SWEEP_TOGETHER));
    (void)snprintf(words, sizeof words,
                   "another sweep works in this folder at this moment "
                   "(process %d on ",
                   (int)getpid());
    refuse(NULL, SWEEP_ALONE, HS_ERR_CONFIG, words);
    refuse(NULL, SWEEP_TOGETHER, HS_ERR_CONFIG, words);
    sweep_store_close(first);

    first = open_store(NULL, SWEEP_TOGETHER);
    CU_ASSERT(sweep_store_is_locked(first, SWEEP_ALONE));
    CU_ASSERT_FALSE(sweep_store_is_locked(first, SWEEP_TOGETHER));
    second = open_store(NULL, SWEEP_TOGETHER);
    refuse(NULL, SWEEP_ALONE, HS_ERR_CONFIG, "single runs of this sweep are being computed");
    sweep_store_close(first);
    sweep_store_close(second);
    first = open_store(NULL, SWEEP_ALONE);
    sweep_store_close(first);
    leave();
}

static void files_are_the_state(void)
{
    struct sweep_store *store;
    struct hs_error error = {0};
    char *text;

    enter();
    store = open_store(NULL, SWEEP_ALONE);
    CU_ASSERT_EQUAL(sweep_store_state(store, KEY_A), SWEEP_MISSING);
    CU_ASSERT_PTR_NULL(sweep_store_failure(store, KEY_A));
    CU_ASSERT_EQUAL(sweep_store_fail(store, KEY_A, "No.\nNever.", &error), HS_OK);
    CU_ASSERT_EQUAL(sweep_store_state(store, KEY_A), SWEEP_BROKEN);
    text = sweep_store_failure(store, KEY_A);
    CU_ASSERT_STRING_EQUAL(text, "No.\nNever.");
    free(text);
    CU_ASSERT_EQUAL(sweep_store_forget(store, KEY_A, &error), HS_OK);
    CU_ASSERT_EQUAL(sweep_store_state(store, KEY_A), SWEEP_MISSING);
    CU_ASSERT_EQUAL(sweep_store_forget(store, KEY_A, &error), HS_OK);
    put("dir/failed/" KEY_B, ""); /* as a crash of the machine may leave it */
    CU_ASSERT_EQUAL(sweep_store_state(store, KEY_B), SWEEP_MISSING);
    put("dir/runs/" KEY_A ".h5", "x");
    CU_ASSERT_EQUAL(sweep_store_state(store, KEY_A), SWEEP_FINISHED);
    CU_ASSERT_EQUAL(sweep_store_fail(store, KEY_A, "No.", &error), HS_OK);
    CU_ASSERT_EQUAL(sweep_store_state(store, KEY_A), SWEEP_FINISHED);
    CU_ASSERT_EQUAL(sweep_store_forget_failure(store, KEY_A, &error), HS_OK);
    CU_ASSERT_FALSE(is_there("dir/failed/" KEY_A));
    CU_ASSERT_EQUAL(sweep_store_state(store, KEY_A), SWEEP_FINISHED);
    sweep_store_close(store);
    leave();
}

/* What a killed sweep said of itself is no news of single runs that are computed now. */
static void old_reports_are_not_read(void)
{
    static const char report[] = "{\"state\": \"running\", \"process\": 7, \"elapsed_s\": 9.0,\n"
                                 " \"running\": [{\"key\": \"" KEY_A "\", \"seconds\": 3.0}]}\n";
    struct sweep_overview overview = {0};
    struct sweep_store *store;
    struct hs_error error = {0};

    enter();
    store = open_store(NULL, SWEEP_TOGETHER);
    put("dir/runs.csv", "key,policy,seed,replicate\n" KEY_A ",easy,1,0\n");
    put("dir/status.json", report);
    CU_ASSERT_EQUAL(sweep_overview_read("dir", &overview, &error), HS_OK);
    CU_ASSERT(overview.is_running);
    CU_ASSERT_EQUAL(overview.process, 0);
    CU_ASSERT_EQUAL(overview.running, 0);
    CU_ASSERT_EQUAL(overview.left, 1);
    sweep_overview_fini(&overview);
    sweep_store_close(store);
    store = open_store(NULL, SWEEP_ALONE);
    CU_ASSERT_EQUAL(sweep_overview_read("dir", &overview, &error), HS_OK);
    CU_ASSERT_EQUAL(overview.process, 7);
    CU_ASSERT_EQUAL(overview.running, 1);
    sweep_overview_fini(&overview);
    sweep_store_close(store);
    leave();
}

static void only_own_leftovers_go(void)
{
    const struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct sweep_store *store;
    int busy;

    enter();
    sweep_store_close(open_store(NULL, SWEEP_ALONE));
    put("dir/runs/" KEY_A ".h5.part", "x");
    put("dir/runs/" KEY_B ".h5.part", "x");
    put("dir/runs/thesis.part", "x");
    put("dir/thesis.part", "x");
    put("dir/sweep.h5.part", "x");
    put("dir/status.json.host-1.part", "x");
    put("dir/failed/" KEY_A ".host-1.part", "x");
    busy = open("dir/runs/" KEY_B ".h5.part", O_RDWR | O_CLOEXEC);
    CU_ASSERT_EQUAL(fcntl(busy, F_OFD_SETLK, &lock), 0);
    store = open_store(NULL, SWEEP_ALONE);
    CU_ASSERT_FALSE(sweep_store_is_busy(store, KEY_A));
    CU_ASSERT(sweep_store_is_busy(store, KEY_B));
    CU_ASSERT_FALSE(sweep_store_is_busy(store, KEY_C));
    sweep_store_clean(store);
    sweep_store_remove_part(store, KEY_B);
    CU_ASSERT_FALSE(is_there("dir/runs/" KEY_A ".h5.part"));
    CU_ASSERT(is_there("dir/runs/" KEY_B ".h5.part"));
    CU_ASSERT(is_there("dir/runs/thesis.part"));
    CU_ASSERT(is_there("dir/thesis.part"));
    CU_ASSERT_FALSE(is_there("dir/sweep.h5.part"));
    CU_ASSERT_FALSE(is_there("dir/status.json.host-1.part"));
    CU_ASSERT_FALSE(is_there("dir/failed/" KEY_A ".host-1.part"));
    (void)close(busy);
    sweep_store_remove_part(store, KEY_B);
    CU_ASSERT_FALSE(is_there("dir/runs/" KEY_B ".h5.part"));
    sweep_store_close(store);
    leave();
}

static void runs_may_be_shared(void)
{
    const char *const keys[] = {KEY_B, KEY_A};
    struct sweep_store *store;

    enter();
    put("file", "x");
    refuse("file", SWEEP_ALONE, HS_ERR_SYSTEM, "'file' is no folder");
    store = open_store("pool/all", SWEEP_ALONE);
    CU_ASSERT(sweep_store_has_shared_runs(store));
    put("pool/all/" KEY_A ".h5", "x");
    put("pool/all/" KEY_C ".h5", "x");
    CU_ASSERT_EQUAL(sweep_store_state(store, KEY_A), SWEEP_FINISHED);
    CU_ASSERT_EQUAL(sweep_store_strangers(store, keys, 2), 0); /* they belong to others */
    sweep_store_close(store);
    store = open_store(NULL, SWEEP_ALONE); /* it is remembered */
    CU_ASSERT(sweep_store_has_shared_runs(store));
    sweep_store_close(store);
    sweep_store_close(open_store("./pool/../pool/all", SWEEP_ALONE));
    refuse("elsewhere", SWEEP_ALONE, HS_ERR_CONFIG, "the finished runs of this sweep lie here");
    leave();

    enter();
    store = open_store(NULL, SWEEP_ALONE);
    put("dir/runs/" KEY_A ".h5", "x");
    put("dir/runs/" KEY_C ".h5", "x");
    put("dir/runs/" KEY_C ".txt", "x");
    CU_ASSERT_EQUAL(sweep_store_strangers(store, keys, 2), 1);
    sweep_store_close(store);
    refuse("elsewhere", SWEEP_ALONE, HS_ERR_CONFIG, "the finished runs of this sweep lie here");
    leave();
}

static void a_foreign_file_is_kept(void)
{
    enter();
    CU_ASSERT_EQUAL(mkdir("dir", 0777), 0);
    put("dir/sweep.h5", "mine");
    refuse(NULL, SWEEP_ALONE, HS_ERR_CONFIG, "dir/sweep.h5: this file would be replaced");
    CU_ASSERT_FALSE(is_there("dir/runs"));
    leave();
}

static void timings_are_lines(void)
{
    static const char wanted[] = "key,status,wall_s,cpu_s,rss_bytes\n" KEY_A
                                 ",complete,1.500,0.250,4096\n" KEY_B ",failed,2.000,0.000,0\n";
    struct sweep_timing timing = {KEY_A, "complete", 1.5, 0.25, 4096};
    char text[512] = "";
    struct sweep_store *store;
    FILE *file;

    enter();
    store = open_store(NULL, SWEEP_ALONE);
    sweep_store_timing(store, &timing);
    sweep_store_close(store);
    store = open_store(NULL, SWEEP_ALONE);
    timing = (struct sweep_timing){KEY_B, "failed", 2, 0, 0};
    sweep_store_timing(store, &timing);
    sweep_store_close(store);
    file = fopen("dir/timings.csv", "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    (void)!fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    CU_ASSERT_STRING_EQUAL(text, wanted);
    leave();
}

/* Each thing that goes into sweep.h5 counts, and the files by their stamps. */
static void merged_is_known(void)
{
    static const struct sweep_axis axis = {.key = "workload.load", .unit = "", .doc = "load"};
    struct sweep_value values[2] = {{.text = "0.5", .real = 0.5}, {.text = "0.9", .real = 0.9}};
    struct sweep_row rows[2] = {{.key = KEY_A, .policy = "easy", .values = &values[0]},
                                {.key = KEY_B, .policy = "easy", .values = &values[1]}};
    const char *errors[2] = {NULL, "It failed."};
    struct sweep_source source = {.path = "dir/sweep.h5",
                                  .name = "study",
                                  .config = "hsim: 1",
                                  .axes = &axis,
                                  .axis_count = 1,
                                  .rows = rows,
                                  .errors = errors,
                                  .row_count = 2};
    struct sweep_store *store;
    struct hs_error error = {0};
    char hash[SWEEP_KEY_SIZE];

    enter();
    store = open_store(NULL, SWEEP_ALONE);
    put("dir/runs/" KEY_A ".h5", "x");
    CU_ASSERT_FALSE(sweep_store_is_merged(store, &source, hash));
    CU_ASSERT_EQUAL(strlen(hash), SWEEP_KEY_SIZE - 1);
    put("dir/sweep.h5", "merged");
    CU_ASSERT_FALSE(sweep_store_is_merged(store, &source, hash));
    CU_ASSERT_EQUAL(sweep_store_merged(store, &source, hash, &error), HS_OK);
    CU_ASSERT(sweep_store_is_merged(store, &source, hash));

    errors[1] = "It failed again.";
    CU_ASSERT_FALSE(sweep_store_is_merged(store, &source, hash));
    errors[1] = "It failed.";
    values[1].real = 0.95;
    CU_ASSERT_FALSE(sweep_store_is_merged(store, &source, hash));
    values[1].real = 0.9;
    source.config = "hsim: 1 ";
    CU_ASSERT_FALSE(sweep_store_is_merged(store, &source, hash));
    source.config = "hsim: 1";
    source.row_count = 1;
    CU_ASSERT_FALSE(sweep_store_is_merged(store, &source, hash));
    source.row_count = 2;
    CU_ASSERT(sweep_store_is_merged(store, &source, hash));

    CU_ASSERT_EQUAL(truncate("dir/runs/" KEY_A ".h5", 0), 0);
    CU_ASSERT_FALSE(sweep_store_is_merged(store, &source, hash));
    CU_ASSERT_EQUAL(sweep_store_merged(store, &source, hash, &error), HS_OK);
    CU_ASSERT(sweep_store_is_merged(store, &source, hash));
    put("dir/sweep.h5", "another");
    CU_ASSERT_FALSE(sweep_store_is_merged(store, &source, hash));
    CU_ASSERT_EQUAL(unlink("dir/sweep.h5"), 0);
    CU_ASSERT_FALSE(sweep_store_is_merged(store, &source, hash));
    sweep_store_close(store);
    leave();
}

static const struct unit_test tests[] = {
    {"one sweep at a time", one_sweep_at_a_time},
    {"files are the state", files_are_the_state},
    {"old reports are not read", old_reports_are_not_read},
    {"only own leftovers go", only_own_leftovers_go},
    {"runs may be shared", runs_may_be_shared},
    {"a foreign file is kept", a_foreign_file_is_kept},
    {"timings are lines", timings_are_lines},
    {"what is merged is known", merged_is_known},
};

UNIT_MAIN("sweep: the folder", tests)
