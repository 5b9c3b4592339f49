/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loader.c - the parent's side: two pipes, one child, everything read until both pipes end. */
#include "platform/loader.h"

#include "platform/loader_child.h"
#include "platform/locate.h"
#include "platform/simgrid_module.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FRAMES_BYTES_MAX ((size_t)2 << 30)
#define MODULE_VARIABLE  "HSIM_MODULE_PATH"

static enum hs_err find_module(char *path, struct hs_error *error)
{
    /* Installed beside or below the program; programs of the tests lie beside the folder bin. */
    static const char *const places[] = {"", "../lib/hsim/", "../bin/", NULL};
    const char *chosen = getenv(MODULE_VARIABLE);
    char folder[PATH_MAX];

    if (chosen && *chosen) {
        if (locate_in(chosen, "", SIMGRID_MODULE_FILE, path)) {
            return HS_OK;
        }
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "The environment variable " MODULE_VARIABLE " names the folder '%s', "
                            "but there is no readable " SIMGRID_MODULE_FILE " in it. Correct the "
                            "variable, or unset it to use the module that was built with hsim.",
                            chosen);
    }
    if (locate_beside(places, SIMGRID_MODULE_FILE, folder, path)) {
        return HS_OK;
    }
    return hs_error_set(error, HS_ERR_SYSTEM,
                        "Platform files need the module " SIMGRID_MODULE_FILE ", which is neither "
                        "in %s nor in ../lib/hsim from there. Build the target hsim-simgrid, or "
                        "set " MODULE_VARIABLE " to its folder.",
                        folder);
}

/* One end of a pipe that is being read into memory. */
struct stream {
    int fd; /* -1 when it has ended */
    char *bytes;
    size_t length;
    size_t room;
};

enum stream_state { STREAM_GOES_ON, STREAM_ENDS, STREAM_FAILS };

/* Reads once. The message keeps its start and drops the rest; frames must be whole. */
static enum stream_state read_stream(struct stream *stream, bool may_drop)
{
    char dropped[4096];
    char *target = dropped;
    size_t room = sizeof dropped;
    ssize_t got;

    if (!may_drop && stream->length == stream->room) {
        size_t wanted = stream->room ? stream->room * 2 : 65536;
        char *moved = wanted <= FRAMES_BYTES_MAX ? realloc(stream->bytes, wanted) : NULL;

        if (!moved) {
            return STREAM_FAILS;
        }
        stream->bytes = moved;
        stream->room = wanted;
    }
    if (stream->length < stream->room) {
        target = stream->bytes + stream->length;
        room = stream->room - stream->length;
    }
    got = read(stream->fd, target, room);
    if (got < 0) {
        return errno == EINTR ? STREAM_GOES_ON : STREAM_FAILS;
    }
    if (target != dropped) {
        stream->length += (size_t)got;
    }
    return got ? STREAM_GOES_ON : STREAM_ENDS;
}

/* Reads both streams until both end; false when memory is short. */
static bool read_streams(struct stream streams[2])
{
    while (streams[0].fd >= 0 || streams[1].fd >= 0) {
        struct pollfd waiting[2] = {{streams[0].fd, POLLIN, 0}, {streams[1].fd, POLLIN, 0}};

        if (poll(waiting, 2, -1) < 0) {
            if (errno == EINTR) {
                continue;
            }
            return false;
        }
        for (int i = 0; i < 2; i++) {
            enum stream_state state = STREAM_GOES_ON;

            if (waiting[i].revents) {
                state = read_stream(&streams[i], i == 1);
            }
            if (state == STREAM_FAILS) {
                return false;
            }
            if (state == STREAM_ENDS) {
                (void)close(streams[i].fd);
                streams[i].fd = -1;
            }
        }
    }
    return true;
}

static void close_all(int fds[4])
{
    for (int i = 0; i < 4; i++) {
        if (fds[i] >= 0) {
            (void)close(fds[i]);
        }
    }
}

/* Two pipes: fds[0] and [1] for frames, [2] and [3] for messages. */
static enum hs_err open_pipes(int fds[4], struct hs_error *error)
{
    for (int i = 0; i < 4; i++) {
        fds[i] = -1;
    }
    if (pipe2(fds, O_CLOEXEC) != 0 || pipe2(fds + 2, O_CLOEXEC) != 0) {
        int reason = errno;

        close_all(fds);
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "No pipe for the platform loader: %s. Close files or raise the limit "
                            "with ulimit -n.",
                            strerror(reason));
    }
    return HS_OK;
}

static enum hs_err wait_for(pid_t child, int *status, struct hs_error *error)
{
    while (waitpid(child, status, 0) < 0) {
        if (errno != EINTR) {
            return hs_error_set(error, HS_ERR_SYSTEM,
                                "The end of the platform loader cannot be awaited: %s.",
                                strerror(errno));
        }
    }
    return HS_OK;
}

/* Forks, reads what the child writes, and waits for its end. `fds` are from open_pipes. */
static enum hs_err run_child(const char *module, const char *path, const int fds[4],
                             struct loader_output *output, struct hs_error *error)
{
    struct stream streams[2] = {
        {.fd = fds[0]},
        {.fd = fds[2], .bytes = output->message, .room = sizeof output->message - 1}};
    bool is_read;
    pid_t parent = getpid();
    pid_t child = fork();
    enum hs_err err;

    if (child == 0) {
        loader_child(module, path, parent, fds[1], fds[3]);
    }
    err = child > 0 ? HS_OK
                    : hs_error_set(error, HS_ERR_SYSTEM,
                                   "No process for the platform loader: %s. Close programs or "
                                   "raise the limit with ulimit -u.",
                                   strerror(errno));
    (void)close(fds[1]);
    (void)close(fds[3]);
    is_read = err == HS_OK && read_streams(streams);
    for (int i = 0; i < 2; i++) {
        if (streams[i].fd >= 0) {
            (void)close(streams[i].fd);
        }
    }
    if (err != HS_OK) {
        return err;
    }
    if (!is_read) {
        (void)kill(child, SIGKILL);
    }
    output->frames = streams[0].bytes;
    output->frames_length = streams[0].length;
    err = wait_for(child, &output->status, error);
    return err == HS_OK && !is_read ? hs_error_memory(error) : err;
}

enum hs_err loader_run(const char *path, struct loader_output *output, struct hs_error *error)
{
    char module[PATH_MAX];
    struct sigaction usual = {.sa_handler = SIG_DFL};
    struct sigaction former;
    int fds[4];
    enum hs_err err;

    *output = (struct loader_output){0};
    err = find_module(module, error);
    if (err == HS_OK) {
        err = open_pipes(fds, error);
    }
    if (err != HS_OK) {
        return err;
    }
    /* Where SIGCHLD is ignored, as some shells and services leave it, no child can be awaited. */
    (void)sigaction(SIGCHLD, &usual, &former);
    err = run_child(module, path, fds, output, error);
    (void)sigaction(SIGCHLD, &former, NULL);
    return err;
}

void loader_fini(struct loader_output *output)
{
    free(output->frames);
    output->frames = NULL;
    output->frames_length = 0;
}
