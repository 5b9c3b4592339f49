/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loader.c - whatever the child does, the caller gets a sentence, no zombie and no descriptor. */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static size_t count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(folder);
    while (readdir(folder)) {
        count++;
    }
    CU_ASSERT_EQUAL(closedir(folder), 0);
    return count;
}

static void check_no_child(void)
{
    CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
    CU_ASSERT_EQUAL(errno, ECHILD);
}

/* Loads a file of this name through the module that misbehaves. */
static enum hs_err load_badly(const char *name, struct hs_error *error)
{
    struct test_file file = files_write(name, "<a/>", 4);
    struct platform platform;
    enum hs_err err;

    CU_ASSERT_EQUAL_FATAL(setenv("HSIM_MODULE_PATH", TEST_BAD_MODULE, 1), 0);
    err = files_load(file.path, &platform, error);
    CU_ASSERT_EQUAL_FATAL(unsetenv("HSIM_MODULE_PATH"), 0);
    if (err == HS_OK) {
        CU_ASSERT_EQUAL(platform.host_count, 1);
    }
    platform_fini(&platform);
    files_remove(&file);
    return err;
}

static void test_ends(void)
{
    static const struct {
        const char *name;
        enum hs_err err;
        const char *text;
    } cases[] = {
        {"sound", HS_OK, ""},
        {"flood", HS_OK, ""},
        {"crash", HS_ERR_INPUT, "SimGrid crashed (Segmentation fault)"},
        {"allocator", HS_ERR_INPUT, "SimGrid crashed (Aborted) on this file (nested too deep?)"},
        {"abort", HS_ERR_INPUT, "SimGrid crashed (Aborted)"},
        {"memory", HS_ERR_INPUT,
         "memory:1: SimGrid refuses the file: SimGrid ran out of memory. Its"},
        {"kill", HS_ERR_SYSTEM, "most likely because memory ran out"},
        {"interrupt", HS_ERR_INTERRUPTED, "Interrupted while"},
        {"exit", HS_ERR_INPUT, "ended with code 1 on this file and said nothing"},
        {"fail", HS_ERR_SYSTEM, "ran out of memory"},
        {"more", HS_ERR_SYSTEM, "damaged answer"},
    };
    size_t descriptors = count_descriptors();

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hs_error error;
        enum hs_err err = load_badly(cases[i].name, &error);

        if (err != cases[i].err || !strstr(error.text, cases[i].text)) {
            (void)printf("%s: %d %s\n", cases[i].name, (int)err, error.text);
            CU_FAIL("another end");
        }
    }
    CU_ASSERT_EQUAL(count_descriptors(), descriptors);
    check_no_child();
}

/* Each prefix of a sound answer is damaged; a flipped byte never crashes the reader. */
static void test_damaged_answers(void)
{
    struct hs_error error;
    size_t cuts = 0;
    char name[32];

    for (int i = 0; i < 200; i++) {
        (void)snprintf(name, sizeof name, "cut-%d", i);
        if (load_badly(name, &error) == HS_OK) {
            break;
        }
        CU_ASSERT_EQUAL(error.code, HS_ERR_SYSTEM);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "damaged answer"));
        cuts++;
    }
    CU_ASSERT_EQUAL(cuts, 61);
    for (size_t i = 0; i < cuts; i++) {
        enum hs_err err;

        (void)snprintf(name, sizeof name, "flip-%zu", i);
        err = load_badly(name, &error);
        CU_ASSERT_TRUE(err == HS_OK || strlen(error.text) > 20);
    }
}

/* Runs `body` in a process of its own, since it changes the process. */
static void in_process(int (*body)(void))
{
    int status = -1;
    pid_t child;

    (void)fflush(stdout);
    child = fork();
    if (child == 0) {
        _exit(body());
    }
    CU_ASSERT_EQUAL_FATAL(waitpid(child, &status, 0), child);
    CU_ASSERT_TRUE(WIFEXITED(status));
    CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
}

static int hang(void)
{
    struct rlimit limit = {1, 5};
    struct hs_error error;

    if (setrlimit(RLIMIT_CPU, &limit) != 0) {
        return 2;
    }
    return load_badly("hang", &error) != HS_ERR_INPUT ||
           !strstr(error.text, "used up its processor time");
}

static int load_example(void)
{
    struct platform platform;
    struct hs_error error;
    bool is_loaded = files_load(TEST_PLATFORMS "/cluster-128.xml", &platform, &error) == HS_OK &&
                     platform.host_count == 128;

    platform_fini(&platform);
    return !is_loaded;
}

static int without_standard_streams(void)
{
    (void)close(0);
    (void)close(1);
    (void)close(2);
    return load_example();
}

static int with_ignored_children(void)
{
    struct sigaction action;

    if (signal(SIGCHLD, SIG_IGN) == SIG_ERR || load_example() != 0 ||
        sigaction(SIGCHLD, NULL, &action) != 0) {
        return 2;
    }
    return action.sa_handler != SIG_IGN;
}

static int without_descriptors(void)
{
    struct rlimit limit = {5, 5};
    struct platform platform;
    struct hs_error error;

    return setrlimit(RLIMIT_NOFILE, &limit) != 0 ||
           files_load(TEST_PLATFORMS "/cluster-128.xml", &platform, &error) != HS_ERR_SYSTEM ||
           !strstr(error.text, "ulimit -n");
}

/* The child ends without flushing what the caller has not written yet. */
static int with_unwritten_text(void)
{
    FILE *stream = tmpfile();
    struct hs_error error;
    long length;

    if (!stream || fputs("once", stream) == EOF || load_badly("exit", &error) != HS_ERR_INPUT ||
        fflush(stream) != 0) {
        return 2;
    }
    length = ftell(stream);
    if (fseek(stream, 0, SEEK_END) != 0 || length != 4 || ftell(stream) != 4) {
        return 3;
    }
    return fclose(stream) != 0;
}

static void test_surroundings(void)
{
    in_process(hang);
    in_process(without_standard_streams);
    in_process(with_ignored_children);
    in_process(without_descriptors);
    in_process(with_unwritten_text);
}

static void test_module_path(void)
{
    struct platform platform;
    struct hs_error error;

    CU_ASSERT_EQUAL_FATAL(setenv("HSIM_MODULE_PATH", "/nonexistent", 1), 0);
    CU_ASSERT_EQUAL(files_load(TEST_PLATFORMS "/cluster-128.xml", &platform, &error),
                    HS_ERR_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "HSIM_MODULE_PATH names the folder '/nonexistent'"));
    CU_ASSERT_EQUAL_FATAL(unsetenv("HSIM_MODULE_PATH"), 0);
}

static void test_unusable_module(void)
{
    struct test_file file = files_write("hsim-simgrid.so", "no library", 10);
    struct platform platform;
    struct hs_error error;

    CU_ASSERT_EQUAL_FATAL(setenv("HSIM_MODULE_PATH", file.folder, 1), 0);
    CU_ASSERT_EQUAL(files_load(TEST_PLATFORMS "/cluster-128.xml", &platform, &error),
                    HS_ERR_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "cannot be opened: "));
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "Install SimGrid"));
    CU_ASSERT_EQUAL_FATAL(unsetenv("HSIM_MODULE_PATH"), 0);
    files_remove(&file);
}

/* Two platforms live side by side, after an error as well. */
static void test_again(void)
{
    size_t descriptors = count_descriptors();
    struct platform first;
    struct platform second;
    struct platform failed;
    struct hs_error error;

    CU_ASSERT_EQUAL_FATAL(files_load(TEST_PLATFORMS "/cluster-128.xml", &first, &error), HS_OK);
    CU_ASSERT_EQUAL(files_load("/dev/null", &failed, &error), HS_ERR_INPUT);
    CU_ASSERT_EQUAL_FATAL(files_load(TEST_PLATFORMS "/batsim-roles.xml", &second, &error), HS_OK);
    CU_ASSERT_EQUAL(first.host_count, 128);
    CU_ASSERT_STRING_EQUAL(first.hosts[127].name, "n127");
    CU_ASSERT_STRING_EQUAL(second.hosts[33].name, "service0");
    platform_fini(&first);
    platform_fini(&second);
    CU_ASSERT_EQUAL(count_descriptors(), descriptors);
    check_no_child();
}

/* xorshift; the same mutations in each run. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void test_mutations(void)
{
    static const char text[] = FILES_ZONE(
        "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1GBps\" "
        "lat=\"1us\"><prop id=\"memory\" value=\"64GiB\"/></cluster>");
    uint64_t state = 20240229;
    int refused = 0;

    for (int i = 0; i < 30; i++) {
        char bytes[sizeof text];
        size_t length = sizeof text - 1;
        struct test_file file;
        struct platform platform;
        struct hs_error error;

        memcpy(bytes, text, sizeof text);
        for (uint64_t k = next_random(&state) % 3 + 1; k > 0; k--) {
            bytes[next_random(&state) % length] = (char)(next_random(&state) % 256);
        }
        length -= next_random(&state) % 4 == 0 ? next_random(&state) % 100 : 0;
        file = files_write("mutant.xml", bytes, length);
        if (files_load(file.path, &platform, &error) != HS_OK) {
            refused++;
            CU_ASSERT_EQUAL(error.code, HS_ERR_INPUT);
            CU_ASSERT_EQUAL(strncmp(error.text, file.path, strlen(file.path)), 0);
            CU_ASSERT_PTR_NOT_NULL(strstr(error.text, ". "));
        }
        platform_fini(&platform);
        files_remove(&file);
    }
    CU_ASSERT_TRUE(refused > 15);
    check_no_child();
}

static const struct unit_test tests[] = {
    {"ends of the child", test_ends},
    {"damaged answers", test_damaged_answers},
    {"limits, streams, signals", test_surroundings},
    {"no module", test_module_path},
    {"a module that is none", test_unusable_module},
    {"one load after another", test_again},
    {"mutations of a file", test_mutations},
};

UNIT_MAIN("platform loader", tests)
