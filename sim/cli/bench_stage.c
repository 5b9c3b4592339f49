/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench_stage.c - the temporary folder of `hsim bench`, and its child processes.
 *
 * Signals are blocked and looked at where the program waits for a child, so that no handler and no
 * variable outside of the stage is needed. All that takes time is done by children. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/bench.h"

#define QUOTE_MAX 1500 /* bytes of a failed program's messages */

/* Makes the folder; *cause tells why it could not. */
static bool make_folder(struct bench_stage *stage, const char *parent, int *cause)
{
    bool is_made = asprintf(&stage->folder, "%s/hsim-bench.XXXXXX", parent) >= 0;

    if (!is_made) {
        stage->folder = NULL;
        *cause = ENOMEM;
        return false;
    }
    is_made = mkdtemp(stage->folder) != NULL;
    *cause = errno;
    if (!is_made) {
        free(stage->folder);
        stage->folder = NULL;
    }
    return is_made;
}

enum hs_err bench_stage_open(struct bench_stage *stage, struct hs_error *error)
{
    const char *parent = getenv("TMPDIR");
    int cause;

    *stage = (struct bench_stage){0};
    parent = parent && *parent ? parent : "/tmp";
    stage->reply =
        mmap(NULL, sizeof *stage->reply, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (stage->reply == MAP_FAILED) {
        stage->reply = NULL;
        return hs_error_memory(error);
    }
    (void)sigemptyset(&stage->watched);
    (void)sigaddset(&stage->watched, SIGINT);
    (void)sigaddset(&stage->watched, SIGTERM);
    (void)sigaddset(&stage->watched, SIGHUP);
    (void)sigaddset(&stage->watched, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &stage->watched, &stage->before);
    if (!make_folder(stage, parent, &cause)) {
        bench_stage_close(stage);
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "No folder for temporary files can be made in '%s': %s. Set TMPDIR to "
                            "a folder in which you can write.",
                            parent, strerror(cause));
    }
    return HS_OK;
}

/* Takes the signals that have come; true if one of them asks to stop. */
static bool take_signals(const struct bench_stage *stage)
{
    const struct timespec now = {0};
    bool is_stop = false;
    int number;

    while ((number = sigtimedwait(&stage->watched, NULL, &now)) > 0) {
        is_stop |= number != SIGCHLD;
    }
    return is_stop;
}

void bench_stage_close(struct bench_stage *stage)
{
    DIR *folder = stage->folder ? opendir(stage->folder) : NULL;
    const struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        (void)unlinkat(dirfd(folder), entry->d_name, 0); /* "." and ".." stay */
    }
    if (folder) {
        (void)closedir(folder);
        (void)rmdir(stage->folder);
    }
    free(stage->folder);
    stage->folder = NULL;
    if (stage->reply) {
        (void)munmap(stage->reply, sizeof *stage->reply);
        stage->reply = NULL;
    }
    (void)take_signals(stage); /* one that came late is no reason to die now */
    (void)sigprocmask(SIG_SETMASK, &stage->before, NULL);
}

char *bench_stage_path(const struct bench_stage *stage, const char *name)
{
    char *path;

    return asprintf(&path, "%s/%s", stage->folder, name) < 0 ? NULL : path;
}

/* Waits for the child; passes on what asks to stop. */
static enum hs_err await(struct bench_stage *stage, pid_t child, int *status, struct rusage *usage,
                         struct hs_error *error)
{
    bool is_stopped = false;

    for (;;) {
        pid_t ended = wait4(child, status, WNOHANG, usage);
        int number;

        if (ended == child) {
            return take_signals(stage) || is_stopped
                       ? hs_error_set(error, HS_ERR_INTERRUPTED,
                                      "Interrupted; the temporary files are removed.")
                       : HS_OK;
        }
        if (ended < 0 && errno != EINTR) {
            return hs_error_set(error, HS_ERR_SYSTEM, "Waiting for a process failed: %s.",
                                strerror(errno));
        }
        number = sigwaitinfo(&stage->watched, NULL);
        if (number > 0 && number != SIGCHLD) {
            is_stopped = true;
            (void)kill(child, SIGTERM);
        }
    }
}

static double cpu_seconds(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

static pid_t begin_process(struct hs_error *error)
{
    pid_t child;

    (void)fflush(NULL); /* nothing is to be printed twice */
    child = fork();
    if (child < 0) {
        (void)hs_error_set(error, HS_ERR_SYSTEM, "A process cannot be started: %s.",
                           strerror(errno));
    }
    return child;
}

/* In the child: becomes the program. */
static _Noreturn void become(const struct bench_stage *stage, char *const *argv, const char *out,
                             const char *messages)
{
    int output = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int complaints = open(messages, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    (void)sigprocmask(SIG_SETMASK, &stage->before, NULL);
    if (output >= 0 && complaints >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
        dup2(complaints, STDERR_FILENO) >= 0) {
        (void)execv(argv[0], argv);
    }
    (void)fprintf(stderr, "it cannot be executed: %s\n", strerror(errno));
    _exit(127);
}

/* What the program said, for an error: its end, without the last newline. */
static void quote(const char *path, char text[QUOTE_MAX + 1])
{
    FILE *file = fopen(path, "r");
    size_t length = 0;

    if (file) {
        length = fread(text, 1, QUOTE_MAX, file);
        (void)fclose(file);
    }
    while (length > 0 && text[length - 1] == '\n') {
        length--;
    }
    text[length] = '\0';
}

enum hs_err bench_stage_run(struct bench_stage *stage, char *const *argv, const char *out,
                            const char *messages, struct bench_measure *measure,
                            struct hs_error *error)
{
    struct rusage usage = {0};
    char said[QUOTE_MAX + 1];
    int status = 0;
    pid_t child = begin_process(error);
    enum hs_err err;

    if (child < 0) {
        return HS_ERR_SYSTEM;
    }
    if (child == 0) {
        become(stage, argv, out, messages);
    }
    err = await(stage, child, &status, &usage, error);
    if (err != HS_OK) {
        return err;
    }
    quote(messages, said);
    if (WIFSIGNALED(status)) {
        return hs_error_set(error, HS_ERR_SYSTEM, "%s was ended by signal %d (%s). %s", argv[0],
                            WTERMSIG(status), strsignal(WTERMSIG(status)), said);
    }
    if (WEXITSTATUS(status) != 0) {
        return hs_error_set(error, HS_ERR_SYSTEM, "%s failed with exit code %d: %s", argv[0],
                            WEXITSTATUS(status), said);
    }
    measure->cpu_s = cpu_seconds(&usage);
    measure->rss_bytes = (int64_t)usage.ru_maxrss * 1024;
    return HS_OK;
}

enum hs_err bench_stage_call(struct bench_stage *stage,
                             enum hs_err (*function)(const void *context,
                                                     struct bench_reply *reply),
                             const void *context, double *cpu_s, struct hs_error *error)
{
    struct rusage usage = {0};
    int status = 0;
    pid_t child;
    enum hs_err err;

    *stage->reply = (struct bench_reply){0};
    child = begin_process(error);
    if (child < 0) {
        return HS_ERR_SYSTEM;
    }
    if (child == 0) {
        (void)sigprocmask(SIG_SETMASK, &stage->before, NULL);
        _exit(function(context, stage->reply) != HS_OK);
    }
    err = await(stage, child, &status, &usage, error);
    if (err == HS_OK && stage->reply->error.code != HS_OK) {
        *error = stage->reply->error;
        err = error->code;
    } else if (err == HS_OK && status != 0) {
        err = hs_error_set(error, HS_ERR_SYSTEM,
                           "A part of the benchmark ended with wait status %d and without a word.",
                           status);
    }
    *cpu_s = cpu_seconds(&usage);
    return err;
}
