/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shell.c - quoting, and posix_spawn with answers in memory. */
#include "sweep/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void shell_write_word(FILE *file, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./,:=+@%";

    if (*word && strspn(word, plain) == strlen(word)) {
        (void)fputs(word, file);
        return;
    }
    (void)fputc('\'', file);
    for (; *word; word++) {
        if (*word == '\'') {
            (void)fputs("'\\''", file);
        } else {
            (void)fputc(*word, file);
        }
    }
    (void)fputc('\'', file);
}

void shell_write_words(FILE *file, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            (void)fputc(' ', file);
        }
        shell_write_word(file, words[i]);
    }
}

/* All that is in a file in memory, as text. NULL: no memory. */
static char *read_back(int descriptor)
{
    off_t size = lseek(descriptor, 0, SEEK_END);
    size_t length = 0;
    char *text = size < 0 ? NULL : malloc((size_t)size + 1);

    while (text && length < (size_t)size) {
        ssize_t step = pread(descriptor, text + length, (size_t)size - length, (off_t)length);

        if (step <= 0) {
            break;
        }
        length += (size_t)step;
    }
    if (text) {
        text[length] = '\0';
    }
    return text;
}

/* The variables of the environment without those that change what squeue shows: they are meant for
 * people, and would hide jobs. NULL: no memory; the caller frees the list alone. */
static char **list_variables(void)
{
    static const char hidden[] = "SQUEUE_";
    size_t count = 0;
    size_t kept = 0;
    char **list;

    while (environ[count]) {
        count++;
    }
    list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        if (strncmp(environ[i], hidden, sizeof hidden - 1) != 0) {
            list[kept++] = environ[i];
        }
    }
    return list;
}

/* 0, or an errno. */
static int start(const char *const *words, const char *folder, int output, int messages,
                 pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    char **variables = list_variables();
    char **arguments;
    size_t count = 0;
    int status;

    while (words[count]) {
        count++;
    }
    arguments = calloc(count + 1, sizeof *arguments);
    if (!arguments || !variables) {
        free(arguments);
        free(variables);
        return ENOMEM;
    }
    memcpy(arguments, words, count * sizeof *arguments);
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawnattr_init(&attributes);
    status = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    status = status ? status : posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    status = status ? status : posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
    if (folder && !status) {
        status = posix_spawn_file_actions_addchdir_np(&actions, folder);
    }
    /* hsim ignores a broken pipe; other programs count on it. */
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGPIPE);
    (void)posix_spawnattr_setsigdefault(&attributes, &signals);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    status = status ? status
                    : posix_spawnp(child, words[0], &actions, &attributes, arguments, variables);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    free(arguments);
    free(variables);
    return status;
}

static int wait_for(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

enum hs_err shell_run(const char *const *words, const char *folder, struct shell_answer *answer,
                      struct hs_error *error)
{
    int output = memfd_create("output", MFD_CLOEXEC);
    int messages = memfd_create("messages", MFD_CLOEXEC);
    pid_t child;
    int status =
        output < 0 || messages < 0 ? errno : start(words, folder, output, messages, &child);
    enum hs_err err = HS_OK;

    memset(answer, 0, sizeof *answer);
    if (status == ENOENT && (!folder || access(folder, F_OK) == 0)) {
        answer->is_missing = true;
    } else if (status) {
        err = hs_error_set(error, HS_ERR_SYSTEM, "`%s` cannot be started: %s.", words[0],
                           strerror(status));
    } else {
        answer->status = wait_for(child);
        answer->output = read_back(output);
        answer->words = read_back(messages);
        if (!answer->output || !answer->words) {
            err = hs_error_memory(error);
        } else {
            for (size_t n = strlen(answer->words); n > 0 && answer->words[n - 1] == '\n'; n--) {
                answer->words[n - 1] = '\0';
            }
        }
    }
    if (output >= 0) {
        (void)close(output);
    }
    if (messages >= 0) {
        (void)close(messages);
    }
    return err;
}

void shell_answer_fini(struct shell_answer *answer)
{
    free(answer->output);
    free(answer->words);
    memset(answer, 0, sizeof *answer);
}
