/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool.c - forks, pipes, limits. */
#include "sweep/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 100
#define REAP_MS 1 /* a child whose pipe is closed ends within this, as a rule */

/* What a child sends; less than PIPE_BUF, so that it is written whole or not at all. */
struct message {
    bool is_waiting; /* not the last: all is computed */
    double work_s;
    struct hs_error error;
};
_Static_assert(sizeof(struct message) <= 4096, "a message is written in one piece");

struct slot {
    pid_t process; /* 0: free */
    int pipe;      /* -1: its end was read */
    int64_t piece;
    double began_s;
    bool is_waiting;
    size_t length; /* of what was read */
    struct message message;
    enum pool_end killed; /* why the parent killed it; POOL_DONE: it did not */
};

struct pool {
    const struct pool_options *options;
    struct slot *slots;
    struct pollfd *polls;
    unsigned places; /* slots */
    unsigned running, computing;
    bool is_draining;
    long page_bytes;
};

double pool_now_s(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        return 0;
    }
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct pool_child {
    int pipe_end;
};

unsigned pool_places(unsigned jobs)
{
    return 2 * jobs;
}

static bool send_message(const struct pool_child *child, const struct message *message)
{
    ssize_t sent;

    do {
        sent = write(child->pipe_end, message, sizeof *message);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof *message;
}

void pool_child_waits(struct pool_child *child)
{
    (void)send_message(child, &(struct message){.is_waiting = true});
}

/* The life of a child. Its descriptors are copies: nothing of the parent's is closed or flushed. */
_Noreturn static void live(const struct pool_options *options, int64_t piece, pid_t parent,
                           int pipe_end)
{
    struct pool_child child = {pipe_end};
    struct message message = {0};

    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) { /* it ended before the line above */
        _exit(1);
    }
    message.error.code =
        options->work(options->context, piece, &child, &message.work_s, &message.error);
    _exit(send_message(&child, &message) ? 0 : 1);
}

/* An errno if no process can be made now. */
static int begin(struct pool *pool, struct slot *slot, int64_t piece)
{
    pid_t parent = getpid();
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return errno;
    }
    (void)fflush(NULL); /* else a child that crashes in a plug-in might write it again */
    *slot = (struct slot){.piece = piece, .pipe = ends[0], .began_s = pool_now_s()};
    slot->process = fork();
    if (slot->process == 0) {
        live(pool->options, piece, parent, ends[1]);
    }
    if (slot->process < 0) {
        int cause = errno;

        (void)close(ends[0]);
        (void)close(ends[1]);
        slot->process = 0;
        return cause;
    }
    (void)close(ends[1]);
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    pool->running++;
    pool->computing++;
    pool->options->began(pool->options->context, piece, slot->process);
    return 0;
}

/* Takes what has come; at the end of the pipe, closes it. */
static void receive(struct pool *pool, struct slot *slot)
{
    ssize_t count;

    do {
        count = read(slot->pipe, (char *)&slot->message + slot->length,
                     sizeof slot->message - slot->length);
        slot->length += count > 0 ? (size_t)count : 0;
        if (slot->length == sizeof slot->message && slot->message.is_waiting) {
            pool->computing -= !slot->is_waiting;
            slot->is_waiting = true;
            slot->length = 0;
        }
    } while ((count > 0 && slot->length < sizeof slot->message) || (count < 0 && errno == EINTR));
    if (count >= 0) {
        (void)close(slot->pipe);
        slot->pipe = -1;
    }
}

static struct pool_result judge(const struct slot *slot, int status, const struct rusage *usage)
{
    struct pool_result result = {
        .wall_s = pool_now_s() - slot->began_s,
        .cpu_s = (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
                 (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6,
        .rss_bytes = (int64_t)usage->ru_maxrss * 1024,
    };

    if (slot->length == sizeof slot->message) { /* it did its work, whatever came after */
        result.error = slot->message.error;
        result.work_s = slot->message.work_s;
        result.end = result.error.code == HS_OK ? POOL_DONE : POOL_ERROR;
    } else if (slot->killed != POOL_DONE) {
        result.end = slot->killed;
    } else {
        result.end = POOL_SIGNAL;
        result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    return result;
}

/* Has the child ended? Then tells what came of it. */
static void reap(struct pool *pool, struct slot *slot)
{
    const struct pool_options *options = pool->options;
    struct pool_result result;
    struct rusage usage;
    int status;

    if (wait4(slot->process, &status, WNOHANG, &usage) != slot->process) {
        return;
    }
    if (slot->pipe >= 0) {
        receive(pool, slot);
    }
    if (slot->pipe >= 0) {
        (void)close(slot->pipe);
    }
    result = judge(slot, status, &usage);
    slot->process = 0;
    pool->running--;
    pool->computing -= !slot->is_waiting;
    if (!options->ended(options->context, slot->piece, &result)) {
        pool->is_draining = true;
    }
}

/* Resident memory of a process; 0: not known. */
static int64_t resident_bytes(const struct pool *pool, pid_t process)
{
    char path[64];
    char text[64] = "";
    char *end = text;
    int64_t pages = 0;
    ssize_t count;
    int file;

    (void)snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return 0;
    }
    count = read(file, text, sizeof text - 1);
    (void)close(file);
    if (count > 0 && strtoll(text, &end, 10) > 0) {
        pages = strtoll(end, NULL, 10);
    }
    return pages * pool->page_bytes;
}

static void kill_slot(struct slot *slot, enum pool_end why)
{
    if (slot->killed == POOL_DONE) {
        slot->killed = why;
        (void)kill(slot->process, SIGKILL);
    }
}

static void enforce(struct pool *pool, struct slot *slot)
{
    const struct pool_options *options = pool->options;

    if (*options->stop > 1) {
        kill_slot(slot, POOL_KILLED);
    } else if (options->time_limit_s > 0 && pool_now_s() - slot->began_s > options->time_limit_s) {
        kill_slot(slot, POOL_TIME);
    } else if (options->memory_limit_bytes > 0 &&
               resident_bytes(pool, slot->process) > options->memory_limit_bytes) {
        kill_slot(slot, POOL_MEMORY);
    }
}

/* Fills free slots. An errno if there is work, and no process for it. */
static int fill(struct pool *pool, bool *is_exhausted)
{
    const struct pool_options *options = pool->options;

    *is_exhausted = false;
    for (unsigned i = 0; i < pool->places && pool->computing < options->jobs; i++) {
        int64_t piece;
        int cause;

        if (pool->slots[i].process) {
            continue;
        }
        if (pool->is_draining || *options->stop > 0) {
            *is_exhausted = true;
            return 0;
        }
        piece = options->next(options->context);
        if (piece < 0) {
            *is_exhausted = piece == POOL_NONE;
            return 0;
        }
        cause = begin(pool, &pool->slots[i], piece);
        if (cause) {
            options->unbegun(options->context, piece);
            return cause;
        }
    }
    return 0;
}

/* Until a child writes or ends, or a tick is over. */
static void wait_for_news(struct pool *pool)
{
    int timeout_ms = TICK_MS;

    for (unsigned i = 0; i < pool->places; i++) {
        const struct slot *slot = &pool->slots[i];

        pool->polls[i] = (struct pollfd){.fd = slot->process ? slot->pipe : -1, .events = POLLIN};
        if (slot->process && slot->pipe < 0) {
            timeout_ms = REAP_MS;
        }
    }
    if (poll(pool->polls, pool->places, timeout_ms) < 0) {
        return; /* a signal: the loop looks */
    }
    for (unsigned i = 0; i < pool->places; i++) {
        if (pool->polls[i].revents) {
            receive(pool, &pool->slots[i]);
        }
    }
}

static enum hs_err run_all(struct pool *pool, struct hs_error *error)
{
    const struct pool_options *options = pool->options;

    for (;;) {
        bool is_exhausted;
        int cause = fill(pool, &is_exhausted);

        if (cause && pool->running == 0) {
            return hs_error_set(error, HS_ERR_SYSTEM,
                                "No process can be made for a run: %s. Close programs, or raise "
                                "the limits (ulimit -u, ulimit -n).",
                                strerror(cause));
        }
        if (pool->running == 0 && is_exhausted) {
            return HS_OK;
        }
        wait_for_news(pool);
        for (unsigned i = 0; i < pool->places; i++) {
            if (pool->slots[i].process) {
                reap(pool, &pool->slots[i]);
            }
            if (pool->slots[i].process) {
                enforce(pool, &pool->slots[i]);
            }
        }
        if (options->tick) {
            options->tick(options->context);
        }
    }
}

enum hs_err pool_run(const struct pool_options *options, struct hs_error *error)
{
    struct pool pool = {.options = options, .page_bytes = sysconf(_SC_PAGESIZE)};
    enum hs_err err;

    HS_ASSERT(options->jobs > 0);
    pool.places = pool_places(options->jobs);
    pool.slots = calloc(pool.places, sizeof *pool.slots);
    pool.polls = calloc(pool.places, sizeof *pool.polls);
    err = pool.slots && pool.polls ? run_all(&pool, error) : hs_error_memory(error);
    free(pool.slots);
    free(pool.polls);
    return err;
}
